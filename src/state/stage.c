/* The stages of one evaluation up to the loads:
 *   y -> (q, v, z) -> frames -> phi, A -> rates, gamma -> forces, M, h, Q
 * dynamics/forward.c continues. Nothing here allocates.
 */
#include "model/system.h"
#include "state/state_parts.h"
#include "state/state.h"
#include "state/report.h"
#include "state/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dal_flow dal_state_fail_for(dal_state *state, dal_reason reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(state->report->trouble, sizeof state->report->trouble, format, list);
    va_end(list);
    state->report->reason = reason;
    return -DAL_NUMERICAL;
}

void dal_share_trouble(dal_state *state, const dal_state *from)
{
    memcpy(state->report->trouble, from->report->trouble, sizeof state->report->trouble);
    state->report->reason = from->report->reason;
}

/* w -> v where A is known. */
static dal_flow unpack_linear(dal_state *state, const double *w)
{
    state->stages = (state->stages & ~(unsigned)DAL_STAGE_SPEEDS) | DAL_STAGE_UNPACKED;
    const dal_flow flow = state->system->method.formulation->unpack(state, w);
    if (flow)
        return flow;
    memcpy(state->values->w, w, sizeof *w * (size_t)state->system->n_w);
    state->stages |= DAL_STAGE_SPEEDS;
    return 0;
}

/* w -> v. A of curved rows depends on v: it is found with it, or from it. */
static dal_flow unpack_speeds(dal_state *state, const double *w)
{
    if (!state->layout->curved) {
        dal_state_jacobian(state);
        return unpack_linear(state, w);
    }
    dal_flow flow = state->system->method.formulation->unpack(state, w);
    if (!flow && !dal_has(state, DAL_STAGE_JACOBIAN))
        dal_state_jacobian(state);
    state->stages |= DAL_STAGE_UNPACKED;
    return flow;
}

double *dal_own_states_of(dal_state *state)
{
    return state->y + state->layout->nq + state->system->n_w;
}

dal_flow dal_state_unpack(dal_state *state, double t, const double *y)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *w = y + layout->nq, *z = w + system->n_w;
    state->work.t = t;
    memcpy(state->work.q, y, sizeof *y * (size_t)layout->nq);
    memcpy(state->values->z, z, sizeof *y * (size_t)(system->n_y - layout->nq - system->n_w));
    dal_state_moved(state);
    if (!system->method.formulation->unpack) {
        memcpy(state->work.v, w, sizeof *y * (size_t)layout->nv);
        return 0;
    }
    dal_state_position(state);
    return unpack_speeds(state, w);
}

/* Frames, rows and rates are functions of (t, q, v, z), and so are forces while modes are frozen: if the arguments are bitwise equal, the results are
 * still valid. Not with friction, which changes velocities and forces without clearing their stages, and not with `recursive`, which computes
 * frames by other operations. */
dal_flow dal_state_revisit(dal_state *state, double t, const double *y)
{
    enum {
        STILL = DAL_STAGE_FRAMES | DAL_STAGE_COLUMNS | DAL_STAGE_POSITION, /* independent of v; A of curved rows is not among them */
        PLACE = STILL | DAL_STAGE_JACOBIAN,
        MOTION = PLACE | DAL_STAGE_VELOCITY | DAL_STAGE_FORCES
    };
    const dal_system *system = state->system;
    const size_t nq = (size_t)system->layout.nq, nw = (size_t)system->n_w, nz = (size_t)system->n_y - nq - nw;
    const double *w = y + nq;
    const bool speeds = system->method.formulation->unpack != NULL;
    if (!dal_has(state, speeds ? DAL_STAGE_POSITION | DAL_STAGE_JACOBIAN : DAL_STAGE_POSITION) || state->work.t != t || system->acting.n_frictions ||
        system->method.formulation->recursive || memcmp(state->work.q, y, sizeof *y * nq) || memcmp(state->values->z, w + nw, sizeof *y * nz))
        return dal_state_unpack(state, t, y);
    if (speeds && system->layout.curved) {
        state->stages &= STILL;
        return unpack_speeds(state, w);
    }
    if (speeds) {
        const bool same = dal_has(state, DAL_STAGE_UNPACKED | DAL_STAGE_SPEEDS) && !memcmp(state->values->w, w, sizeof *y * nw);
        state->stages &= (same ? MOTION : PLACE) | DAL_STAGE_UNPACKED | DAL_STAGE_SPEEDS;
        return same ? 0 : unpack_linear(state, w);
    }
    state->stages &= !memcmp(state->work.v, w, sizeof *y * nw) ? MOTION : system->layout.curved ? STILL : PLACE;
    memcpy(state->work.v, w, sizeof *y * nw);
    return 0;
}

dal_flow dal_state_pack(dal_state *state, double *y)
{
    const dal_layout *layout = state->layout;
    memcpy(y, state->work.q, sizeof *y * (size_t)layout->nq);
    if (!state->system->method.formulation->pack) {
        memcpy(y + layout->nq, state->work.v, sizeof *y * (size_t)layout->nv);
        return 0;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    return state->system->method.formulation->pack(state, y + layout->nq);
}

void dal_state_moved(dal_state *state)
{
    state->stages = 0;
}

void dal_state_forget(dal_state *state, unsigned stages)
{
    state->stages &= ~stages;
}

/* Fill in the signals that a program reads, then run it. 0, or the number of a table whose range was exceeded. */
int dal_state_run(dal_state *state, const dal_compiled *compiled, const int *modes, double *out)
{
    for (int i = 0; i < compiled->n_needs; i++) {
        const dal_signal *signal = &state->system->signals[compiled->needs[i]];
        state->values->variables[compiled->needs[i]] = dal_signal_value(&state->work, state->values->z, state->values->inputs, signal);
    }
    return dal_program_run(compiled->program, state->values->variables, modes, state->values->registers, out);
}

/* Formulation `recursive`: the columns of the bodies are skipped until they are needed. Friction needs them. */
bool dal_skips_columns(const dal_system *system)
{
    return system->layout.columnless || (system->method.formulation->recursive && !system->acting.n_frictions);
}

void dal_state_frames(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if (dal_has(state, DAL_STAGE_FRAMES))
        return;
    layout->family->frames(layout, &state->work);
    state->stages |= DAL_STAGE_FRAMES;
}

void dal_state_columns(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if (dal_has(state, DAL_STAGE_COLUMNS))
        return;
    assert(!layout->columnless || state->work.jacobian); /* dal_state_widen */
    layout->family->position(layout, &state->work);
    state->stages |= DAL_STAGE_FRAMES | DAL_STAGE_COLUMNS;
}

static void run_drives(dal_state *state)
{
    const dal_compiled *drives = &state->system->drives;
    state->values->table_exceeded = drives->program ? dal_state_run(state, drives, NULL, state->work.time) : 0;
}

static void note_table_exceeded(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if ((layout->forms.program || layout->placement || layout->systems) && state->work.table_exceeded)
        state->values->table_exceeded = state->work.table_exceeded;
}

void dal_state_position(dal_state *state)
{
    if (dal_has(state, DAL_STAGE_UNPACKED))
        return;
    state->stages &= DAL_STAGE_LINKS;
    run_drives(state);
    (dal_skips_columns(state->system) ? dal_state_frames : dal_state_columns)(state);
    dal_rows_position(state->layout, &state->work);
    if (!state->layout->curved) /* else the forms were run at old rates */
        note_table_exceeded(state);
    state->stages |= DAL_STAGE_POSITION;
}

void dal_state_jacobian(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if (dal_has(state, DAL_STAGE_UNPACKED))
        return;
    assert(dal_has(state, DAL_STAGE_POSITION));
    if (layout->n_rows + layout->n_speeds) {
        dal_state_columns(state);
        dal_rows_jacobian(layout, &state->work);
        if (layout->curved)
            note_table_exceeded(state);
    }
    state->stages |= DAL_STAGE_JACOBIAN;
}

void dal_state_velocity(dal_state *state)
{
    const dal_layout *layout = state->layout;
    assert(dal_has(state, DAL_STAGE_POSITION));
    dal_state_frames(state);
    layout->family->velocity(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    if (layout->curved)
        note_table_exceeded(state);
    state->stages |= DAL_STAGE_VELOCITY;
}

/* The evaluation of a sweep knows none of them: dal_need comes first. */
void dal_state_measures(dal_state *state)
{
    if (dal_has(state, DAL_STAGE_MEASURES) || dal_has(state, DAL_STAGE_NO_FORCES))
        return;
    dal_rows_idle(state->layout, &state->work);
    state->stages |= DAL_STAGE_MEASURES;
}

int dal_state_not_finite(const dal_state *state)
{
    const dal_mechanism *m = state->mechanism;
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_kin *kin = &state->work.kin[b];
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += fabs(kin->r[i]) + m->bodies[b].mass * kin->rd[i] * kin->rd[i] + kin->w[i] * kin->w[i];
        for (int i = 0; i < 9; i++)
            sum += fabs(kin->R[i]);
        if (!isfinite(sum))
            return b;
    }
    return -1;
}

dal_flow dal_state_left_table(dal_state *state, int number)
{
    return dal_state_fail(state, "table '%s' was left, and its `outside:` is error", state->system->table_names[number - 1]);
}

dal_flow dal_state_push(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_work *w = &state->work;
    if (system->actions.program) {
        int left = dal_state_run(state, &system->actions, state->values->frozen ? state->values->modes : NULL, state->values->expression);
        state->values->table_exceeded = state->values->table_exceeded ? state->values->table_exceeded : left;
    }
    if (state->values->table_exceeded)
        return dal_state_left_table(state, state->values->table_exceeded);
    dal_loads_apply(&state->loads, system->acting.n_groups, system->acting.groups);
    for (int i = 0; i < system->acting.n_laws; i++)
        dal_push_measure(&state->loads, system->acting.laws[i].measure, state->values->expression[system->acting.laws[i].expression], true);
    if (state->values->n_pushes)
        dal_state_measures(state);
    for (int i = 0; i < state->values->n_pushes; i++)
        dal_push_measure(&state->loads, state->values->pushes[i].measure, state->values->pushes[i].effort, true);
    for (int k = 0; k < layout->nv && state->values->given; k++) {
        w->direct[k] += state->values->given[k];
        state->loads.power += state->values->given[k] * w->v[k];
    }
    state->stages |= DAL_STAGE_FORCES;
    return 0;
}

void dal_state_inertia(dal_state *state)
{
    const dal_layout *layout = state->layout;
    assert(dal_has(state, DAL_STAGE_VELOCITY | DAL_STAGE_FORCES));
    dal_state_columns(state);
    dal_inertia_and_forces(layout, &state->work);
    state->stages |= DAL_STAGE_LOADS;
}

dal_flow dal_state_loads(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    dal_flow flow = dal_state_push(state);
    if (!flow)
        dal_state_inertia(state);
    return flow;
}

/* POSITION, JACOBIAN and VELOCITY, if none of them is known. */
static void find_motion(dal_state *state)
{
    state->stages &= DAL_STAGE_LINKS;
    run_drives(state);
    dal_layout_motion(state->layout, &state->work);
    note_table_exceeded(state);
    state->stages |= DAL_STAGE_FRAMES | DAL_STAGE_COLUMNS | DAL_STAGE_POSITION | DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY;
}

dal_flow dal_state_motion(dal_state *state, bool jacobian)
{
    const bool known = dal_has(state, DAL_STAGE_POSITION);
    if (!known && jacobian && !dal_has(state, DAL_STAGE_UNPACKED) && !dal_skips_columns(state->system))
        find_motion(state);
    else if (!known)
        dal_state_position(state);
    if (jacobian && !dal_has(state, DAL_STAGE_JACOBIAN))
        dal_state_jacobian(state);
    if (!dal_has(state, DAL_STAGE_VELOCITY))
        dal_state_velocity(state);
    return dal_has(state, DAL_STAGE_FORCES) ? 0 : dal_state_push(state);
}

/* Forces of the last push, or of a trial of friction, which are no stage. */
void dal_state_pull(dal_state *state)
{
    dal_state_columns(state);
    dal_pull_bodies(state->layout, &state->work);
}

bool dal_state_equations(dal_state *state, bool refresh, dal_flow *flow)
{
    enum { UNPACKED = DAL_STAGE_FRAMES | DAL_STAGE_COLUMNS | DAL_STAGE_POSITION | DAL_STAGE_JACOBIAN | DAL_STAGE_UNPACKED | DAL_STAGE_SPEEDS };
    if (dal_skips_columns(state->system))
        return false;
    if (refresh)
        state->stages &= dal_has(state, DAL_STAGE_UNPACKED) ? UNPACKED : DAL_STAGE_LINKS;
    *flow = dal_state_motion(state, true);
    if (!*flow) {
        dal_state_inertia(state);
        dal_state_stabilise(state);
    }
    return true;
}

/* gamma, or that of Baumgarte: phi'' + 2 alpha phi' + beta^2 phi = 0. Velocities that follow from speeds satisfy the constraints by construction;
 * only positions drift. There v solves A v = beta - alpha phi (dynamics/speeds.h), and gamma here is that of its derivative phi'' + alpha phi' = 0.
 * */
void dal_state_stabilise(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_system *system = state->system;
    const bool speeds = system->method.formulation->unpack && system->method.formulation->chooses;
    const double a = speeds ? system->method.alpha : 2 * system->method.alpha, b = speeds ? 0 : system->method.beta * system->method.beta;
    memcpy(state->gamma, state->work.gamma, sizeof *state->gamma * (size_t)system->layout.n_rows);
    if (system->method.stabilization->stabilises_gamma)
        for (int i = 0; i < system->layout.n_rows; i++)
            state->gamma[i] -= a * state->work.phid[i] + b * state->work.phi[i];
}
