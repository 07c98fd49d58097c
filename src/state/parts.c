/* The parts of a state that belong to no method: values, scratch, report. */
#include "model/system.h"
#include "state/report.h"
#include "state/scratch.h"
#include "state/state.h"
#include "state/values.h"

#include <float.h>
#include <limits.h>
#include <string.h>

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int registers_of(const dal_compiled *compiled)
{
    return compiled->program ? dal_program_registers(compiled->program) : 0;
}

static int switches_of(const dal_system *system)
{
    return system->actions.program ? dal_program_switches(system->actions.program) : 0;
}

/* ---- values ------------------------------------------------------------------------------------ */

static void layout_values(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_values local, *values = DAL_LAYOUT_PART(block, state->values, local);
    const int registers = larger(registers_of(&system->drives),
                                 larger(registers_of(&system->actions), larger(registers_of(&system->records), registers_of(&system->samples))));
    DAL_LAYOUT(block, values->z, system->n_states + system->works);
    DAL_LAYOUT(block, values->w, system->n_w);
    DAL_LAYOUT(block, values->inputs, system->n_inputs);
    DAL_LAYOUT(block, values->variables, system->n_signals);
    DAL_LAYOUT(block, values->registers, registers);
    DAL_LAYOUT(block, values->expression, system->actions.n_outputs);
    DAL_LAYOUT(block, values->effort, system->acting.n_forces);
    if (system->acting.islands.n > 1)
        DAL_LAYOUT(block, values->island, 2 * system->acting.islands.n);
    DAL_LAYOUT(block, values->modes, switches_of(system));
}

static void reset_values(dal_state *state)
{
    const dal_system *system = state->system;
    if (system->n_inputs)
        memcpy(state->values->inputs, system->inputs, sizeof *system->inputs * (size_t)system->n_inputs);
    state->values->frozen = false;
}

static void copy_values(const dal_state *from, dal_state *to)
{
    const dal_system *system = from->system;
    memcpy(to->values->inputs, from->values->inputs, sizeof *to->values->inputs * (size_t)system->n_inputs);
    memcpy(to->values->modes, from->values->modes, sizeof *to->values->modes * (size_t)switches_of(system));
    to->values->frozen = from->values->frozen;
    dal_state_forget(to, DAL_STAGE_SPEEDS);
}

static void keep_values(dal_state *state, dal_keep *keep)
{
    dal_values *values = state->values;
    const size_t begin = keep->used + sizeof(double) * (size_t)state->system->n_inputs;
    dal_keep_within(keep, values->inputs, (size_t)state->system->n_inputs, -DBL_MAX, DBL_MAX);
    dal_keep_integers(keep, values->modes, (size_t)switches_of(state->system), INT_MIN, INT_MAX);
    for (int i = 0; i < switches_of(state->system) && keep->mode == DAL_KEEP_CHECK && !keep->bad; i++) {
        int mode;
        memcpy(&mode, keep->from + begin + sizeof mode * (size_t)i, sizeof mode);
        keep->bad = !dal_program_mode_exists(state->system->actions.program, i, mode);
    }
    dal_keep_flags(keep, &values->frozen, 1);
}

const dal_owner dal_values_owner = {.layout = layout_values, .reset = reset_values, .copy = copy_values, .keep = keep_values};

/* ---- scratch ------------------------------------------------------------------------------------ */

static void layout_scratch(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_scratch local, *scratch = DAL_LAYOUT_PART(block, state->scratch, local);
    const int nv = system->layout.nv, bodies = system->mechanism.n_bodies;
    const size_t projector = system->method.stabilization->work ? system->method.stabilization->work(system) : 0;
    const size_t velocities = system->acting.n_frictions ? (size_t)(nv + system->layout.n_rows) : 0; /* which are projected at stick events */
    DAL_LAYOUT(block, scratch->tangents, 4 * bodies);
    DAL_LAYOUT(block, scratch->bends, bodies);
    DAL_LAYOUT(block, scratch->still, nv);
    DAL_LAYOUT(block, scratch->yd, system->n_y);
    DAL_LAYOUT_ROOM(block, scratch->solver, system->method.formulation->work(system));
    DAL_LAYOUT_ROOM(block, scratch->projector, projector > velocities ? projector : velocities);
}

const dal_owner dal_scratch_owner = {.layout = layout_scratch};

/* ---- report -------------------------------------------------------------------------------------- */

static void layout_report(dal_block *block, const dal_system *system, dal_state *state)
{
    (void)system;
    DAL_LAYOUT(block, state->report, 1);
}

static void reset_report(dal_state *state)
{
    *state->report = (dal_report){.condition_worst = 1};
}

static void keep_report(dal_state *state, dal_keep *keep)
{
    dal_keep_counts(keep, &state->report->evaluations, 1);
    dal_keep_counts(keep, &state->report->charts, 1);
    dal_keep_numbers(keep, &state->report->condition_worst, 1);
}

const dal_owner dal_report_owner = {.layout = layout_report, .reset = reset_report, .keep = keep_report};

dal_reason dal_reason_of(const dal_state *state)
{
    return state->report->trouble[0] ? state->report->reason : DAL_REASON_OTHER;
}

bool dal_failed_for(const dal_state *state, dal_reason reason)
{
    return dal_reason_of(state) == reason;
}
