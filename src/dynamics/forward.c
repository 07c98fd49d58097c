/* Forward dynamics: the road of one evaluation, a call a line:
 *   y -> (q, v, z) -> frames -> rows -> loads (state/stage.c) -> formulation -> (v', lambda) -> y'
 * Nothing here allocates.
 */
#include "math/vec.h"
#include "state/state.h"
#include "dynamics/reactions.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "dynamics/tree_state.h"
#include "state/report.h"
#include "state/scratch.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

/* Where the sanitizers look on, what an evaluation leaves out is no number: who reads it without dal_need is found. */
#if defined(__SANITIZE_ADDRESS__) || defined(DAL_FORGET)
static void forget_numbers(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
}

static void forget_matrices(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    forget_numbers(w->A, (size_t)layout->n_values), forget_numbers(w->M, (size_t)layout->n_mass);
    forget_numbers(w->h, (size_t)layout->nv), forget_numbers(w->Q, (size_t)layout->nv);
    forget_numbers(w->jacobian, 6 * (size_t)layout->n_jacobian);
}

static void forget_motion(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_kin *kin = &w->kin[b];
        if (layout->mechanism->bodies[b].particle || state->system->links->seat[b].link < 0)
            continue; /* their attitudes, or all of them, are laid out once */
        forget_numbers(kin->r, 3), forget_numbers(kin->R, 9);
        forget_numbers(kin->rd, 3), forget_numbers(kin->Rd, 9);
        forget_numbers(kin->rb, 3), forget_numbers(kin->Rb, 9);
        forget_numbers(kin->w, 3), forget_numbers(kin->wb, 3);
    }
    for (int k = 0; k < layout->n_vectors; k++)
        forget_numbers(w->x + 3 * layout->vector[k], 3), forget_numbers(w->xd + 3 * layout->vector[k], 3);
    for (int k = 0; k < layout->n_measures; k++)
        w->value[layout->measure[k]] = w->rate[layout->measure[k]] = NAN;
    forget_numbers(w->phi, (size_t)layout->n_rows), forget_numbers(w->phid, (size_t)layout->n_rows);
    forget_numbers(w->gamma, (size_t)layout->n_rows);
    forget_numbers(w->force, 6 * (size_t)layout->mechanism->n_bodies);
    state->loads.potential = NAN;
}
#else
static void forget_matrices(dal_state *state)
{
    (void)state;
}

static void forget_motion(dal_state *state)
{
    (void)state;
}
#endif

/* Everything that the rows and the forces need comes from the links; J, A, M, h and Q are left out. */
static dal_flow accelerate_on_links(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    state->values->table_left = state->system->drives.program ? dal_state_run(state, &state->system->drives, NULL, state->work.time) : 0;
    dal_tree_motion(state);
    dal_rows_position(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    if (layout->forms && state->work.table_left)
        state->values->table_left = state->work.table_left;
    state->stages = (state->stages & DAL_STAGE_LINKS) | DAL_STAGE_POSITION | DAL_STAGE_VELOCITY | DAL_STAGE_NO_LOADS;
    forget_matrices(state);
    dal_flow flow = dal_state_push(state);
    if (flow)
        return flow;
    dal_state_stabilise(state);
    state->report->evaluations++;
    return state->system->formulation->solve(state);
}

/* v' and lambda alone, branch by branch: nobody has asked for more yet. Close to a singular position more will be asked for. */
static bool can_sweep(const dal_state *state)
{
    return state->system->sweep && dal_skips_columns(state->system) && !state->values->given && !state->values->n_pushes && !state->singular->near;
}

static dal_flow accelerate_by_sweep(dal_state *state)
{
    const dal_system *system = state->system;
    state->values->table_left = 0;
    state->stages = DAL_STAGE_NO_FORCES | DAL_STAGE_NO_LOADS;
    forget_matrices(state);
    forget_motion(state);
    state->report->evaluations++;
    dal_flow flow = system->formulation->solve(state);
    for (int i = 0; i < system->sweep->n_measures && dal_has(state, DAL_STAGE_NO_FORCES) && !flow; i++)
        dal_rows_rate(&system->layout, &state->work, system->sweep->measure[i]);
    return flow;
}

/* r'' = (part linear in v') + bias, for every body: the tangent of v'. */
static void find_accelerations(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    dal_state_frames(state);
    const dal_direction along = {state->vd, 0, state->scratch->tangents};
    layout->family->tangent(layout, w, &along);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_acceleration *a = &state->reactions->body[b];
        const dal_tangent *tangent = &along.tangent[b];
        const dal_kin *kin = &w->kin[b];
        memcpy(a->r_v, tangent->rd, sizeof a->r_v);
        memcpy(a->R_v, tangent->Rd, sizeof a->R_v);
        for (int i = 0; i < 3; i++) {
            a->rdd[i] = tangent->rd[i] + kin->rb[i];
            a->alpha[i] = tangent->w[i] + kin->wb[i];
        }
    }
    state->stages |= DAL_STAGE_BODIES;
}

/* Frames, rows and forces. */
static void fill_in_forces(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_tree_motion(state);
    dal_rows_position(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    state->stages |= DAL_STAGE_POSITION | DAL_STAGE_VELOCITY;
    dal_state_push(state); /* weight alone: it cannot fail */
    dal_state_stabilise(state);
    state->stages &= ~(unsigned)(DAL_STAGE_NO_FORCES | DAL_STAGE_LINKS); /* calls of tree.h may use the links for something else before they are eliminated */
}

/* J, A, M, h and Q. */
static void fill_in_loads(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_state_columns(state);
    dal_rows_jacobian(layout, &state->work);
    layout->family->velocity(layout, &state->work);
    layout->family->inertia(layout, &state->work);
    dal_state_pull(state);
    state->stages &= ~(unsigned)DAL_STAGE_NO_LOADS;
    state->stages |= DAL_STAGE_JACOBIAN | DAL_STAGE_LOADS;
}

void dal_need(dal_state *state, dal_stage stage)
{
    if (dal_has(state, DAL_STAGE_NO_FORCES))
        fill_in_forces(state);
    if ((stage == DAL_STAGE_LOADS || stage == DAL_STAGE_JACOBIAN) && dal_has(state, DAL_STAGE_NO_LOADS))
        fill_in_loads(state);
    if (stage == DAL_STAGE_BODIES && !dal_has(state, stage))
        find_accelerations(state);
    if (stage == DAL_STAGE_REACTIONS && !dal_has(state, stage))
        dal_find_reactions(state);
}

dal_flow dal_state_accelerate(dal_state *state)
{
    if (dal_skips_columns(state->system))
        return accelerate_on_links(state);
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    dal_flow flow = dal_state_loads(state);
    if (flow)
        return flow;
    dal_state_stabilise(state);
    state->report->evaluations++;
    return state->system->n_frictions ? dal_friction_accelerate(state) : dal_state_solve(state);
}

/* lambda . A v, and the sum over bodies of (m c'', I alpha + w x I w, less the applied wrench) . V_t. */
static double power_of_placement(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_work *w = &state->work;
    double power = 0;
    dal_need(state, DAL_STAGE_BODIES);
    dal_rows_transposed(layout, w->A, state->lambda, state->scratch->still);
    for (int k = 0; k < layout->nv; k++)
        power += state->scratch->still[k] * w->v[k];
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    const dal_direction time = {state->scratch->still, 1, state->scratch->tangents};
    layout->family->tangent(layout, w, &time);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &w->kin[b];
        const dal_acceleration *a = &state->reactions->body[b];
        const dal_tangent *t = &time.tangent[b];
        double rho[3], c[3], I[9], spin[3], moment[3], bias[3];
        dal_turn(kin->R, body->center, rho);
        dal_turn(a->R_v, body->center, c);
        dal_turn(kin->Rb, body->center, bias);
        for (int i = 0; i < 3; i++)
            c[i] = body->mass * (c[i] + bias[i] + a->rdd[i]);
        dal_turn_inertia(kin->R, body->inertia, I);
        dal_mul3(I, kin->w, spin);
        dal_mul3(I, a->alpha, moment);
        dal_add_cross(kin->w, spin, moment);
        dal_add_cross(rho, c, moment); /* to r */
        for (int i = 0; i < 3; i++)
            power += (c[i] - w->force[6 * b + i]) * t->rd[i] + (moment[i] - w->force[6 * b + 3 + i]) * t->w[i];
    }
    return power;
}

/* A row A v = beta does the work lambda beta a second: driven rows, and forms in which time appears. Bodies that time itself moves
 * (V_t of the family `user`) are held there by forces c with the power c . V_t, and c is what their motion needs beyond the
 * applied forces: d/dt (m c', I w) - w. Their joints then move with time too: beta is taken as A v. */
double dal_state_power(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_FORCES));
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double power = state->loads.power;
    if (layout->placement)
        return power + power_of_placement(state);
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &system->mechanism.rows[layout->row[i].source];
        if (row->time >= 0)
            power += state->lambda[i] * state->work.time[3 * row->time + 1];
        else if (row->form >= 0)
            power -= state->lambda[i] * state->work.form[row->form + 1 + row->n_terms];
    }
    return power;
}

dal_flow dal_state_derivative(dal_state *state, double t, const double *y, double *dy)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_flow flow = dal_state_take(state, t, y);
    if (!flow)
        flow = can_sweep(state) ? accelerate_by_sweep(state) : dal_state_accelerate(state);
    if (flow)
        return flow;
    state->stages |= DAL_STAGE_ACCELERATION;
    layout->family->rates(layout, &state->work, dy);
    dy += layout->nq;
    memcpy(dy, system->formulation->unpack ? state->speeds->wd : state->vd, sizeof *dy * (size_t)system->n_w);
    dy += system->n_w;
    for (int i = 0; i < system->n_states; i++)
        dy[i] = state->values->expression[system->n_expressions + i];
    if (system->works)
        dy[system->n_states] = dal_state_power(state);
    return 0;
}
