/* Opening of a simulation: options, states, memory, the start; and its end. */
#include "model/system.h"
#include "run/run.h"
#include "base/argument.h"
#include "base/block.h"
#include "check/checker.h"
#include "dynamics/slopes.h"
#include "run/compiled.h"
#include "run/standing.h"
#include "state/owner.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/windings.h"
#include "state/state.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const double most_periods = 1e12; /* a run of as many steps would not end: integrate/stagnation.c */
static const double start_open = 1e-6;   /* of a row's unit, and of that in a unit of time: a state that is further off is refused */

/* ---- what users gave ------------------------------------------------------------------------------- */

static bool can_start(const dal_system *system, const dal_run_options *o, dal_messages *messages, const char *function)
{
    if (!o->start)
        return true;
    if (!dal_needs_state(messages, function, o->start))
        return false;
    if (o->start->system != system || o->resume)
        dal_error(messages, dal_nowhere, o->resume ? "%s: give `start` or `resume`, not both" : "%s: `start` is a state of another system", function);
    return o->start->system == system && !o->resume;
}

bool dal_simulation_accepts(const dal_system *system, const dal_run_options *o, dal_messages *messages, const char *function)
{
    if (o->sink && (!dal_needs(messages, function, "sink->begin", (const void *)(size_t)o->sink->begin) ||
                    !dal_needs(messages, function, "sink->row", (const void *)(size_t)o->sink->row)))
        return false;
    if (!can_start(system, o, messages, function))
        return false;
    if (o->control && !(o->period > 0 && o->period < HUGE_VAL)) {
        dal_error(messages, dal_nowhere, "%s: `control` needs a `period` that is greater than zero, not %.9g", function, o->period);
        return false;
    }
    return true;
}

static bool has_integrator(const dal_system *system, dal_messages *messages)
{
    const dal_integrator *method = system->method.integrator;
    dal_refusal no = {0};
    char why[300];
    const bool missing = method->available && !method->available(why, sizeof why), refused = method->newton && dal_slopes_refuse(system, &no);
    if (missing || refused)
        dal_error(messages, dal_nowhere, "integrator '%s' cannot be used here: %s", method->name, missing ? why : no.text);
    return !missing && !refused;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static void layout_simulation(dal_block *block, run *r)
{
    const dal_system *system = r->system;
    const int n = system->n_y, nv = system->layout.nv;
    DAL_LAYOUT(block, r->drive, dal_drive_work(system->method.integrator, &r->ode));
    DAL_LAYOUT(block, r->row, system->n_columns);
    DAL_LAYOUT(block, r->y, n);
    DAL_LAYOUT(block, r->stage, n);
    DAL_LAYOUT(block, r->slope, n);
    DAL_LAYOUT(block, r->unit, n);
    DAL_LAYOUT(block, r->seen, n);
    DAL_LAYOUT(block, r->seen_row, system->n_columns);
    DAL_LAYOUT(block, r->samples, system->samples.n_outputs);
    DAL_LAYOUT(block, r->sampled, system->samples.n_outputs);
    DAL_LAYOUT(block, r->passage.v, nv);
    if (system->acting.islands.n > 1) {
        DAL_LAYOUT(block, r->measured.island, system->acting.islands.n);
        DAL_LAYOUT(block, r->measured.energies, 3 * system->acting.islands.n);
    }
    DAL_LAYOUT(block, r->measured.ignorable, 5 * system->layout.n_ignorable);
    DAL_LAYOUT(block, r->meetings.direction, dal_meetings_size(system));
    if (dal_travel_joints(system, NULL)) {
        DAL_LAYOUT(block, r->travel.joint, 3 * (size_t)dal_travel_joints(system, NULL));
        DAL_LAYOUT(block, r->travel.index, dal_travel_joints(system, NULL));
    }
    if (dal_switches(system)) {
        DAL_LAYOUT(block, r->measured.guard, dal_switches(system));
        DAL_LAYOUT(block, r->measured.guard_most, dal_switches(system));
    }
    if (dal_standing_size(system))
        DAL_LAYOUT(block, r->along, dal_standing_size(system));
    if (system->method.integrator->real_stability < HUGE_VAL) {
        DAL_LAYOUT(block, r->stiffness.direction, n);
        DAL_LAYOUT(block, r->stiffness.probe, 2 * n);
        DAL_LAYOUT(block, r->stiffness.slope, n);
    }
}

static bool open_states(run *r, bool readable)
{
    const dal_system *system = r->system;
    r->state = dal_state_create(&r->allocator, system);
    r->implicit.unit = system->layout.units.mass * system->layout.units.length / (system->layout.units.time * system->layout.units.time);
    if (!r->state || dal_offer_implicit(r, &r->ode) != DAL_OK || !dal_offer_slopes(r, &r->ode))
        return false;
    r->viewer = dal_state_create(&r->allocator, system);
    r->reader = r->viewer && readable ? dal_state_create(&r->allocator, system) : NULL;
    return r->viewer && (r->reader || !readable);
}

static bool open_memory(run *r)
{
    dal_block block = {0};
    layout_simulation(&block, r);
    r->memory = r->allocator.allocate(r->allocator.user, block.used);
    if (!r->memory)
        return false;
    memset(r->memory, 0, block.used);
    block = (dal_block){.memory = r->memory};
    layout_simulation(&block, r);
    return true;
}

dal_status dal_simulation_open(run *r, const dal_system *system, const dal_run_options *options, bool readable, dal_messages *messages)
{
    memset(r, 0, sizeof *r);
    r->system = system;
    r->options = *options;
    r->messages = messages;
    r->allocator = options->allocator ? *options->allocator : dal_default_allocator();
    r->evidence.info = system->info;
    r->evidence.incomplete = true;
    memcpy(r->evidence.gravity, system->acting.gravity, sizeof r->evidence.gravity);
    dal_warn_of_inputs(r, messages);
    if (!has_integrator(system, messages))
        return DAL_BAD_COMMAND;
    r->ode = dal_step_hooks(r);
    if (!open_states(r, readable) || !open_memory(r) || !dal_compiled_open(r))
        return DAL_NO_MEMORY;
    r->meetings.force = -1;
    r->travel.n = dal_travel_joints(system, r->travel.index);
    return DAL_OK;
}

void dal_simulation_close(run *r)
{
    dal_drive_close(&r->driver);
    dal_compiled_close(r);
    dal_simulation_claim(r, false);
    r->allocator.release(r->allocator.user, r->memory);
    dal_state_free(r->state);
    dal_state_free(r->viewer);
    dal_state_free(r->reader);
    dal_messages_free(r->judged);
}

void dal_simulation_claim(run *r, bool begin)
{
    dal_tenancy *tenancy = begin ? &r->callbacks.tenancy : NULL;
    if (r->callbacks.lent != begin)
        atomic_fetch_add(&r->system->life->runs, begin ? 1 : -1);
    r->callbacks.lent = begin;
    if (r->viewer)
        r->viewer->hold.tenancy = tenancy;
    if (r->reader)
        r->reader->hold.tenancy = tenancy;
    if (r->options.final)
        r->options.final->hold.tenancy = tenancy;
}

/* ---- the start ---------------------------------------------------------------------------------------- */

static void copy_start(const dal_state *start, dal_state *state)
{
    dal_state_copy(start, state);
    memcpy(state->y, start->y, sizeof *state->y * (size_t)state->system->n_y);
    state->work.t = start->work.t;
    dal_state_moved(state);
}

/* Is a given state on the constraints? A state is never projected silently. */
static dal_status check_start(run *r)
{
    dal_state *state = r->viewer;
    int row = 0;
    bool finite = isfinite(state->work.t);
    for (int i = 0; i < r->system->n_y; i++)
        finite &= isfinite(state->y[i]) != 0;
    if (!finite) {
        dal_error(r->messages, dal_nowhere, "the state `start` cannot be evaluated: a number in it is not finite");
        return DAL_BAD_COMMAND;
    }
    if (dal_state_unpack(state, state->work.t, state->y) || dal_state_motion(state, true)) {
        dal_error(r->messages, dal_nowhere, "the state `start` cannot be evaluated%s%s", *state->report->trouble ? ": " : "", state->report->trouble);
        return DAL_BAD_COMMAND;
    }
    const double position = dal_worst_row(state, state->work.phi, &row);
    const double velocity = dal_worst_row(state, state->work.phid, &row) * r->system->layout.units.time;
    if (position <= start_open && velocity <= start_open)
        return DAL_OK;
    dal_error(r->messages, dal_nowhere,
              "the state `start` does not satisfy the constraints: they are open by %.3g of the model's length, and their rates by %.3g of that in "
              "its unit "
              "of time (%.3g s)",
              position, velocity, r->system->layout.units.time);
    return DAL_BAD_COMMAND;
}

static dal_status begin_at(run *r, const dal_state *start)
{
    if (!start)
        return DAL_OK;
    copy_start(start, r->state);
    copy_start(start, r->viewer);
    const dal_status status = check_start(r);
    if (status != DAL_OK)
        return status;
    dal_need(r->viewer, DAL_STAGE_FORCES);
    dal_state_unwind(r->viewer); /* whole turns are counted from here */
    dal_state_copy(r->viewer, r->state);
    return DAL_OK;
}

/* Switches are searched at some places of a step: long steps are not taken where there are any. */
static double longest_step(const dal_system *system, const dal_ode *ode, double span)
{
    const double longest = ode->n_guards ? span / 100 : 0;
    return system->method.max_step > 0 && !(longest > 0 && longest < system->method.max_step) ? system->method.max_step : longest;
}

static void begin_driver(run *r)
{
    const dal_system *system = r->system;
    const double t_start = r->state->work.t, until = system->info.until > t_start ? system->info.until : t_start + system->layout.units.time;
    const dal_drive_options options = {.t_start = t_start,
                                       .t_end = until,
                                       .step = system->info.step,
                                       .rtol = system->info.rtol,
                                       .atol = system->info.atol,
                                       .max_step =
                                           longest_step(system, &r->ode, system->info.until > 0 ? system->info.until : system->layout.units.time),
                                       .every = system->info.every,
                                       .ends_alone = !system->method.integrator->adaptive && !r->options.sink && !r->options.frame,
                                       .event_tolerance = system->method.event_tolerance,
                                       .unit_time = system->layout.units.time};
    memcpy(r->y, r->state->y, sizeof *r->y * (size_t)system->n_y);
    dal_state_units(r->state, r->unit);
    r->ode.unit = r->unit;
    r->ode.output = r->options.resume ? NULL : r->ode.output; /* the first row is written already */
    dal_drive_begin(&r->driver, system->method.integrator, &r->ode, &options, r->y, r->drive);
    r->ode = dal_step_hooks(r);
    r->ode.unit = r->unit;
    r->ode.implicit = r->implicit.residual ? &r->implicit : NULL;
    dal_offer_slopes(r, &r->ode);
}

static dal_status begin_sink(run *r)
{
    const dal_sink *sink = r->options.sink;
    return sink ? sink->begin(sink->user, &r->system->info, r->system->n_recorded, r->system->columns) : DAL_OK;
}

/* A blob is checked before the sink begins, which may drop its old data. A start that failed is explained as that of any run. */
static dal_status begin_resumed(run *r)
{
    begin_driver(r);
    const dal_status status = r->driver.verdict == STOP ? DAL_OK : dal_simulation_resume(r);
    return status == DAL_OK ? begin_sink(r) : status;
}

/* Inputs that are sampled have a value from the start on. */
static bool sample_first(run *r)
{
    const dal_flow flow = dal_sample_inputs(r, r->state->work.t, r->state->work.t, r->state->y);
    if (flow)
        dal_error(r->messages, dal_nowhere, "at the start: %s", r->state->report->trouble);
    return !flow;
}

static bool can_keep(run *r, const char *noun, const char *name, double period)
{
    const double t_start = r->state->work.t, until = r->system->info.until, span = until - t_start;
    const double rounding = 64 * DBL_EPSILON * fmax(fabs(t_start), fabs(until));
    if (period > rounding && !(span >= most_periods * period))
        return true;
    dal_error(r->messages, dal_nowhere, "the period of %s%s%s is %.3g s, too short for a run from %.9g to %.9g s: %s", noun, name, *name ? "'" : "",
              period, t_start, until, period > rounding ? "it would not reach its end" : "the time is rounded to more than that");
    return false;
}

/* Instants have to differ in double precision, and a run must be able to reach their number. */
static dal_status check_periods(run *r)
{
    if (r->options.control && !can_keep(r, "the controller", "", r->options.period))
        return DAL_BAD_COMMAND;
    for (int k = 0; k < r->system->samples.n_outputs; k++)
        if (!can_keep(r, "input '", r->system->input_names[r->system->sample_input[k]], r->system->sample_period[k]))
            return DAL_BAD_MODEL;
    return DAL_OK;
}

dal_status dal_simulation_begin(run *r)
{
    dal_status status = begin_at(r, r->options.start);
    if (status == DAL_OK)
        status = check_periods(r);
    if (status != DAL_OK)
        return status;
    dal_measure_begin(r);
    r->passage.singular_start = dal_check_before_run(r->system, r->viewer, &r->allocator, r->messages);
    r->callbacks.clock_start = r->callbacks.clock_last = dal_clock();
    dal_simulation_claim(r, true);
    if (!sample_first(r))
        return DAL_NUMERICAL;
    r->jump = false; /* the driver begins with these inputs */
    if (r->options.resume)
        return begin_resumed(r);
    status = begin_sink(r);
    if (status == DAL_OK)
        begin_driver(r);
    return status;
}
