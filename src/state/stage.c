/* The stages of one evaluation up to the loads:
 *   y -> (q, v, z) -> frames -> phi, A -> rates, gamma -> forces, M, h, Q
 * dynamics/forward.c goes on from there. Nothing here allocates.
 */
#include "state/state.h"
#include "state/report.h"
#include "state/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dal_flow dal_state_fail(dal_state *state, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(state->report->trouble, sizeof state->report->trouble, format, list);
    va_end(list);
    state->report->reason = DAL_REASON_OTHER;
    return -DAL_NUMERICAL;
}

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

dal_flow dal_state_take(dal_state *state, double t, const double *y)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *w = y + layout->nq, *z = w + system->n_w;
    state->work.t = t;
    memcpy(state->work.q, y, sizeof *y * (size_t)layout->nq);
    memcpy(state->values->z, z, sizeof *y * (size_t)(system->n_y - layout->nq - system->n_w));
    dal_state_moved(state);
    if (!system->formulation->unpack) {
        memcpy(state->work.v, w, sizeof *y * (size_t)layout->nv);
        return 0;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    state->stages |= DAL_STAGE_UNPACKED;
    return system->formulation->unpack(state, w);
}

dal_flow dal_state_put(dal_state *state, double *y)
{
    const dal_layout *layout = &state->system->layout;
    memcpy(y, state->work.q, sizeof *y * (size_t)layout->nq);
    if (!state->system->formulation->pack) {
        memcpy(y + layout->nq, state->work.v, sizeof *y * (size_t)layout->nv);
        return 0;
    }
    dal_state_position(state);
    dal_state_jacobian(state);
    return state->system->formulation->pack(state, y + layout->nq);
}

void dal_state_moved(dal_state *state)
{
    state->stages = 0;
}

/* Fill in the signals that a program reads, then run it. 0, or the table that was left. */
int dal_state_run(dal_state *state, const dal_compiled *compiled, const int *modes, double *out)
{
    for (int i = 0; i < compiled->n_needs; i++) {
        const dal_signal *signal = &state->system->signals[compiled->needs[i]];
        state->values->variables[compiled->needs[i]] = dal_signal_value(&state->work, state->values->z, state->values->inputs, signal);
    }
    return dal_program_run(compiled->program, state->values->variables, modes, state->values->registers, out);
}

/* Formulation `recursive`: nothing with the columns of bodies, as long as nobody asks for them. Friction asks. */
bool dal_skips_columns(const dal_system *system)
{
    return system->formulation->recursive && !system->n_frictions;
}

void dal_state_frames(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (dal_has(state, DAL_STAGE_FRAMES))
        return;
    layout->family->frames(layout, &state->work);
    state->stages |= DAL_STAGE_FRAMES;
}

void dal_state_columns(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (dal_has(state, DAL_STAGE_COLUMNS))
        return;
    layout->family->position(layout, &state->work);
    state->stages |= DAL_STAGE_FRAMES | DAL_STAGE_COLUMNS;
}

void dal_state_position(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (dal_has(state, DAL_STAGE_UNPACKED))
        return;
    state->stages &= DAL_STAGE_LINKS;
    state->values->table_left = state->system->drives.program ? dal_state_run(state, &state->system->drives, NULL, state->work.time) : 0;
    (dal_skips_columns(state->system) ? dal_state_frames : dal_state_columns)(state);
    dal_rows_position(layout, &state->work);
    if ((layout->forms || layout->placement) && state->work.table_left)
        state->values->table_left = state->work.table_left;
    state->stages |= DAL_STAGE_POSITION;
}

void dal_state_jacobian(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (dal_has(state, DAL_STAGE_UNPACKED))
        return;
    assert(dal_has(state, DAL_STAGE_POSITION));
    if (layout->n_rows + layout->n_speeds) {
        dal_state_columns(state);
        dal_rows_jacobian(layout, &state->work);
    }
    state->stages |= DAL_STAGE_JACOBIAN;
}

void dal_state_velocity(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    assert(dal_has(state, DAL_STAGE_POSITION));
    dal_state_frames(state);
    layout->family->velocity(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    state->stages |= DAL_STAGE_VELOCITY;
}

int dal_state_not_finite(const dal_state *state)
{
    const dal_mechanism *m = &state->system->mechanism;
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

dal_flow dal_state_push(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_work *w = &state->work;
    if (system->actions.program) {
        int left = dal_state_run(state, &system->actions, state->values->frozen ? state->values->modes : NULL, state->values->expression);
        state->values->table_left = state->values->table_left ? state->values->table_left : left;
    }
    if (state->values->table_left)
        return dal_state_fail(state, "table '%s' was left, and its `outside:` is error", system->table_names[state->values->table_left - 1]);
    dal_loads_apply(&state->loads, system->n_groups, system->groups);
    for (int i = 0; i < system->n_laws; i++)
        dal_push_measure(&state->loads, system->laws[i].measure, state->values->expression[system->laws[i].expression], true);
    for (int i = 0; i < state->values->n_pushes; i++)
        dal_push_measure(&state->loads, state->values->pushes[i].measure, state->values->pushes[i].effort, true);
    for (int k = 0; k < layout->nv && state->values->given; k++) {
        w->direct[k] += state->values->given[k];
        state->loads.power += state->values->given[k] * w->v[k];
    }
    state->stages |= DAL_STAGE_FORCES;
    return 0;
}

dal_flow dal_state_loads(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    dal_flow flow = dal_state_push(state);
    if (flow)
        return flow;
    dal_state_columns(state);
    layout->family->inertia(layout, &state->work);
    dal_state_pull(state);
    state->stages |= DAL_STAGE_LOADS;
    return 0;
}

void dal_state_pull(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_FORCES));
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    dal_state_columns(state);
    memcpy(w->Q, w->direct, sizeof *w->Q * (size_t)layout->nv);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        dal_pull_body(layout, w, b, w->force + 6 * b, w->force + 6 * b + 3, w->Q);
}

/* gamma, or what Baumgarte makes of it: phi'' + 2 alpha phi' + beta^2 phi = 0. Where the velocities follow from speeds they meet
 * the constraints by construction, and what is left to hold is the position: there v is taken from A v = beta - alpha phi
 * (dynamics/speeds.c), and here its derivative phi'' + alpha phi' = 0. */
void dal_state_stabilise(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_system *system = state->system;
    const bool speeds = system->formulation->unpack && system->formulation->chooses;
    const double a = speeds ? system->alpha : 2 * system->alpha, b = speeds ? 0 : system->beta * system->beta;
    memcpy(state->gamma, state->work.gamma, sizeof *state->gamma * (size_t)system->layout.n_rows);
    if (system->stabilization->stabilises_gamma)
        for (int i = 0; i < system->layout.n_rows; i++)
            state->gamma[i] -= a * state->work.phid[i] + b * state->work.phi[i];
}
