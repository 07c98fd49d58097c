/* Forward dynamics: one evaluation, dal_state_rates.
 *   y -> (q, v, z) -> frames -> rows -> forces -> M, h, Q, gamma   state/stage.c: dal_state_unpack or dal_state_revisit, then dal_state_equations
 *   -> v', lambda                                                  dal_state_solve (refine.c), which calls the formulation
 *   -> y'
 * dal_state_slope takes accelerate_speeds where a formulation with speeds needs no multipliers. `recursive`, and formulations with `on_tree` on a large
 * open tree, skip M, h, Q and A (accelerate_on_links); where it can sweep, `recursive` computes v' and lambda alone (accelerate_by_sweep). dal_need
 * computes what was skipped. Nothing here allocates, except dal_state_widen (recursive.c).
 */
#include "kinematics/placement.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/reactions.h"
#include "dynamics/refine.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "dynamics/tree_state.h"
#include "state/report.h"
#include "state/scratch.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <string.h>

/* In sanitizer builds, set skipped quantities to NaN so that a read without dal_need shows up. */
#if defined(__SANITIZE_ADDRESS__) || defined(DAL_FORGET)
static void forget_numbers(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
}

static void forget_loads(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    forget_numbers(w->h, (size_t)layout->nv), forget_numbers(w->Q, (size_t)layout->nv);
    forget_numbers(w->M, w->jacobian ? (size_t)layout->n_mass : 0); /* a layout without columns has none */
}

static void forget_matrices(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    forget_numbers(w->A, (size_t)layout->n_values);
    forget_loads(state);
    forget_numbers(w->jacobian, w->jacobian ? 6 * (size_t)layout->n_jacobian : 0);
}

static void forget_motion(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    const size_t moving = layout->mechanism->space == DAL_PLANAR ? 2 : 3; /* components along z stay what they are in the plane */
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        dal_kin *kin = &w->kin[b];
        if (layout->mechanism->bodies[b].particle || state->system->links->seat[b].link < 0)
            continue; /* their attitudes, or all of them, are laid out once */
        forget_numbers(kin->r, moving), forget_numbers(kin->rd, moving), forget_numbers(kin->rb, moving);
        for (size_t i = 0; i < moving; i++)
            forget_numbers(kin->R + 3 * i, moving), forget_numbers(kin->Rd + 3 * i, moving), forget_numbers(kin->Rb + 3 * i, moving);
        kin->w[2] = kin->wb[2] = NAN;
        forget_numbers(kin->w, moving == 3 ? 3 : 0), forget_numbers(kin->wb, moving == 3 ? 3 : 0);
    }
    for (int k = 0; k < layout->n_vectors; k++)
        forget_numbers(w->x + 3 * layout->vector[k], moving), forget_numbers(w->xd + 3 * layout->vector[k], moving);
    for (int k = 0; k < layout->n_measures; k++)
        w->value[layout->measure[k]] = w->rate[layout->measure[k]] = NAN;
    forget_numbers(w->phi, (size_t)layout->n_rows), forget_numbers(w->phid, (size_t)layout->n_rows);
    forget_numbers(w->gamma, (size_t)layout->n_rows);
    forget_numbers(w->force, 6 * (size_t)layout->mechanism->n_bodies);
    state->loads.potential = NAN;
}
#else
static void forget_numbers(const double *x, size_t n)
{
    (void)x, (void)n;
}

static void forget_loads(const dal_state *state)
{
    (void)state;
}

static void forget_matrices(dal_state *state)
{
    (void)state;
}

static void forget_motion(dal_state *state)
{
    (void)state;
}
#endif

/* Rows and forces are computed from the motion of the links; J, A, M, h and Q are skipped. */
static dal_flow accelerate_on_links(dal_state *state)
{
    const dal_layout *layout = state->layout;
    state->values->table_exceeded = state->system->drives.program ? dal_state_run(state, &state->system->drives, NULL, state->work.time) : 0;
    dal_tree_motion(state);
    dal_rows_position(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    if (layout->forms.program && state->work.table_exceeded)
        state->values->table_exceeded = state->work.table_exceeded;
    state->stages = (state->stages & DAL_STAGE_LINKS) | DAL_STAGE_POSITION | DAL_STAGE_VELOCITY | DAL_STAGE_NO_LOADS;
    forget_matrices(state);
    dal_flow flow = dal_state_push(state);
    if (flow)
        return flow;
    dal_state_stabilise(state);
    state->report->evaluations++;
    const dal_formulation *formulation = state->system->method.formulation;
    return (formulation->on_tree ? formulation->on_tree : formulation->solve)(state);
}

/* Can the formulation compute v' and lambda alone, block by block? Not near a singular position, where A is needed. */
static bool can_sweep(const dal_state *state)
{
    return state->system->sweep && dal_skips_columns(state->system) && !state->values->given && !state->values->n_pushes && !state->singular->near;
}

static dal_flow accelerate_by_sweep(dal_state *state)
{
    const dal_system *system = state->system;
    state->values->table_exceeded = 0;
    state->stages = DAL_STAGE_NO_FORCES | DAL_STAGE_NO_LOADS;
    forget_matrices(state);
    forget_motion(state);
    state->report->evaluations++;
    dal_flow flow = system->method.formulation->solve(state);
    for (int i = 0; i < system->sweep->n_measures && dal_has(state, DAL_STAGE_NO_FORCES) && !flow; i++)
        dal_rows_rate(&system->layout, &state->work, system->sweep->measure[i]);
    if (!flow && dal_has(state, DAL_STAGE_NO_FORCES) && !dal_turns_excluded(state, state->tree->sweep.spin))
        dal_need(state, DAL_STAGE_FORCES); /* angles have to be checked */
    return flow;
}

/* r'' = (part linear in v') + bias, for every body: the tangent of v'. */
static void find_accelerations(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    dal_state_frames(state);
    const dal_direction along = {state->vd, 0, state->scratch->tangents};
    layout->family->tangent(layout, w, &along);
    dal_accelerations_of(layout, w, along.tangent, state->reactions->body);
    state->stages |= DAL_STAGE_BODIES;
}

/* Frames, rows and forces. */
static void fill_in_forces(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_tree_motion(state);
    dal_rows_position(layout, &state->work);
    dal_rows_velocity(layout, &state->work);
    state->stages |= DAL_STAGE_POSITION | DAL_STAGE_VELOCITY;
    dal_state_push(state); /* weight alone: it cannot fail */
    dal_state_stabilise(state);
    state->stages &=
        ~(unsigned)(DAL_STAGE_NO_FORCES | DAL_STAGE_LINKS); /* calls of tree.h may use the links for something else before they are eliminated */
}

/* J, A, M, h and Q. Does nothing if their memory cannot be allocated: callers check dal_state_widen first. */
static void fill_in_loads(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if (!dal_state_widen(state))
        return;
    dal_state_columns(state);
    dal_rows_jacobian(layout, &state->work);
    layout->family->velocity(layout, &state->work);
    dal_inertia(layout, &state->work);
    dal_state_pull(state);
    state->stages &= ~(unsigned)DAL_STAGE_NO_LOADS;
    state->stages |= DAL_STAGE_JACOBIAN | DAL_STAGE_LOADS;
}

/* Computes the quantities that accelerate_speeds skipped. */
static void fill_in_multipliers(dal_state *state)
{
    if (dal_has(state, DAL_STAGE_NO_LOADS))
        dal_state_inertia(state);
    state->stages &= ~(unsigned)(DAL_STAGE_NO_LOADS | DAL_STAGE_NO_MULTIPLIERS);
    dal_speeds_multipliers(state);
}

void dal_need(dal_state *state, dal_stage stage)
{
    if (dal_has(state, DAL_STAGE_NO_MULTIPLIERS) && (stage == DAL_STAGE_LOADS || stage == DAL_STAGE_JACOBIAN || stage == DAL_STAGE_REACTIONS))
        fill_in_multipliers(state);
    if (dal_has(state, DAL_STAGE_NO_FORCES))
        fill_in_forces(state);
    if ((stage == DAL_STAGE_LOADS || stage == DAL_STAGE_JACOBIAN) && dal_has(state, DAL_STAGE_NO_LOADS))
        fill_in_loads(state);
    if (stage == DAL_STAGE_BODIES && !dal_has(state, stage))
        find_accelerations(state);
    if (stage == DAL_STAGE_REACTIONS && !dal_has(state, stage))
        dal_find_reactions(state);
}

/* Can the rates of the speeds be found without the multipliers? Not where these are refined, nor near a singular position. */
static bool can_go_alone(const dal_state *state)
{
    const dal_speeds *basis = state->speeds->basis;
    return basis && basis->alone && !state->singular->near && !dal_refines(state);
}

/* u' and v', by the formulation's own equations: K u' = f. */
static dal_flow accelerate_speeds(dal_state *state)
{
    const dal_formulation *formulation = state->system->method.formulation;
    dal_flow flow = dal_state_motion(state, true);
    if (flow)
        return flow;
    dal_state_stabilise(state);
    state->stages &= ~(unsigned)(DAL_STAGE_NO_LOADS | DAL_STAGE_NO_MULTIPLIERS);
    if (formulation->without_loads) {
        state->stages = (state->stages & ~(unsigned)DAL_STAGE_LOADS) | DAL_STAGE_NO_LOADS;
        if (!formulation->more) /* their rows are those of M, which is known then */
            forget_loads(state);
    } else
        dal_state_inertia(state);
    forget_numbers(state->lambda, (size_t)state->layout->n_rows);
    state->report->evaluations++;
    state->speeds->later = true;
    flow = formulation->solve(state);
    state->speeds->later = false;
    if (!flow)
        state->stages |= DAL_STAGE_NO_MULTIPLIERS;
    return flow;
}

/* v' and lambda. `refresh`: compute all stages again. */
static dal_flow accelerate_state(dal_state *state, bool refresh)
{
    dal_flow flow = 0;
    state->stages &= ~(unsigned)(DAL_STAGE_NO_LOADS | DAL_STAGE_NO_MULTIPLIERS);
    if (!dal_state_equations(state, refresh, &flow))
        return accelerate_on_links(state);
    if (flow)
        return flow;
    state->report->evaluations++;
    return state->system->acting.n_frictions ? dal_friction_accelerate(state) : dal_state_solve(state);
}

dal_flow dal_state_accelerate(dal_state *state)
{
    return accelerate_state(state, true);
}

dal_flow dal_state_accelerate_on(dal_state *state)
{
    return accelerate_state(state, false);
}

/* A row A v = beta does the work lambda beta per second: driven rows, and forms in which time appears. Bodies that time itself moves
 * (V_t of the family `user`) are held there by forces c with the power c . V_t, where c = d/dt (m c', I w) - (applied wrench). Their joints then move
 * with time too: beta is taken as A v. */
void dal_state_powers(dal_state *state, double *power)
{
    assert(dal_has(state, DAL_STAGE_FORCES));
    const dal_layout *layout = state->layout;
    const int *island = state->system->acting.islands.of_row;
    for (int i = 0; i < state->system->works; i++)
        power[i] = state->loads.island ? state->loads.island[2 * i + 1] : state->loads.power;
    if (layout->placement && dal_placement_timed(layout->placement)) {
        dal_placement_powers(state, power);
        return;
    }
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &state->mechanism->rows[layout->row[i].source];
        if (row->derived)
            continue;
        if (row->time >= 0)
            power[dal_island(island, layout->row[i].source)] += state->lambda[i] * state->work.time[3 * row->time + 1];
        else if (row->form >= 0)
            power[dal_island(island, layout->row[i].source)] -= state->lambda[i] * state->work.form[row->form + 1 + row->n_terms];
    }
}

dal_flow dal_state_derivative(dal_state *state, double t, const double *y, double *dy)
{
    dal_flow flow = dal_state_unpack(state, t, y);
    return flow ? flow : dal_state_rates(state, dy);
}

/* y' where v' and the rates of the speeds are known. */
static dal_flow finish_rates(dal_state *state, double *dy)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    state->stages |= DAL_STAGE_ACCELERATION;
    layout->family->rates(layout, &state->work, dy);
    dy += layout->nq;
    memcpy(dy, system->method.formulation->unpack ? state->speeds->wd : state->vd, sizeof *dy * (size_t)system->n_w);
    dy += system->n_w;
    for (int i = 0; i < system->n_states; i++)
        dy[i] = state->values->expression[system->n_expressions + i];
    if (system->works)
        dal_state_powers(state, dy + system->n_states);
    return 0;
}

dal_flow dal_state_rates(dal_state *state, double *dy)
{
    const dal_flow flow = can_sweep(state) ? accelerate_by_sweep(state) : accelerate_state(state, false);
    return flow ? flow : finish_rates(state, dy);
}

dal_flow dal_state_slope(dal_state *state, double *dy)
{
    if (!can_go_alone(state))
        return dal_state_rates(state, dy);
    const dal_flow flow = accelerate_speeds(state);
    return flow ? flow : finish_rates(state, dy);
}
