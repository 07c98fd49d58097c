/* Volterra's equations reduced by the momenta of ignorable coordinates: (41) of `volterra-reduced`, in its matrix form (45)-(65).
 *
 * The momenta G of the s ignorable coordinates are constants (22), so that, with M' their rows of M,
 *     M' v + N' = 0,   N' = N_2 - G                                    (25)
 * are constraints beside A v = beta. They go into S as the rows E = M', E v = e = G - N_2 (speeds.h): (44) is
 *     S = [Y_NI; M'; A_k],   v = W u + X                               (43)
 * with p - s speeds. What they leave free is a motion that keeps the momenta, and on it Volterra's equations hold:
 *     d/dt (dT/du_j) - sum over bodies of [P.d/dt (dv/du_j) + H.d/dt (dw/du_j)] = U_j
 *     d/dt (dT/du) = B u' + A             (51), B = W^T M W (47)
 *     dT/du = W^T p,  p = dT/dv = M v + N (50), and so with u held
 *     A = W'^T p + W^T (p' + M v_0)       (52), p' = d/dt dT/dv for v' = 0, v_0 = v' for u' = 0
 *     K_j = sum P.v_j' + H.w_j'           (60)-(63); (59) and (61) with the angular Jacobian D, not C
 *     B u' = U + K - A                    (64), (65) with K, not F
 * v_j = dv/du_j and w_j are the partial velocities (56), v_j' and w_j' their rates (57), everything in inertial components: D_v of them
 * with W held, and those of W'.
 *
 * Constraints that are not linear in the rates, in which those of the ignorable coordinates do not appear: as in volterra.c, B is (B + N) - N
 * with N_jl = p . d2v/du_j du_l, and W' in A and K is that for u' = 0.
 *
 * W' and v_0 need the rates of the rows M'. With (c_k, w_k) the velocities of a unit of v_k, (c_b, w_b) those of a direction b, and
 * D the derivative along a, which turns a body by w_a and its I with it,
 *     D [M' b + N_2 db]_k = sum m (D c_k.c_b + c_k.D c_b) + D w_k.L + w_k.D L,   L = I w_b,
 *     D L = w_a x L - I (w_a x w_b) + I D w_b
 *
 * Sub-systems whose equations are known add their p, p' and M, and dT/dq . W_j to K_j as in volterra.c; of the rows M' they have
 *     D [M' b + N_2 db]_k = (D M b)_k + (D N)_k db
 */
#include "dynamics/equations.h"
#include "dynamics/open_tree.h"
#include "dynamics/speeds_matrix.h"
#include "dynamics/tree_state.h"
#include "kinematics/newton_euler.h"
#include "math/dense.h"
#include "dynamics/speeds_directions.h"
#include "dynamics/determined.h"
#include "kinematics/subsystems.h"
#include "model/system_parts.h"
#include "state/momenta.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* In state->scratch->solver. */
typedef struct scratch {
    double *p, *pd, *MW; /* nv */
    double *y;           /* nv: of curved rows */
    double *system;      /* 2 nv: of sub-systems: p, dT/dq */
    dal_tangent *unit;   /* of a unit of each ignorable velocity, one a body: what it does, */
    dal_bend *unit_rate; /* and how that changes along the motion */
} scratch;

static size_t doubles_of(size_t bytes)
{
    return bytes / sizeof(double);
}

static size_t work_volterra_reduced(const dal_system *system)
{
    const size_t units = (size_t)dal_system_layout(system)->n_ignorable * (size_t)dal_system_mechanism(system)->n_bodies;
    const size_t s = (size_t)dal_system_layout(system)->n_ignorable;
    return 6 * (size_t)dal_system_layout(system)->nv + units * doubles_of(sizeof(dal_tangent) + sizeof(dal_bend)) + s * s;
}

static scratch scratch_volterra_reduced(const dal_state *state)
{
    const size_t n = (size_t)state->layout->nv;
    const size_t units = (size_t)state->layout->n_ignorable * (size_t)state->mechanism->n_bodies;
    double *at = state->scratch->solver + 6 * n;
    return (scratch){.p = state->scratch->solver,
                     .pd = state->scratch->solver + n,
                     .MW = state->scratch->solver + 2 * n,
                     .y = state->scratch->solver + 3 * n,
                     .system = state->scratch->solver + 4 * n,
                     .unit = (dal_tangent *)at,
                     .unit_rate = (dal_bend *)(at + units * doubles_of(sizeof(dal_tangent)))};
}

static bool applies_volterra_reduced(const dal_system *system, dal_refusal *why)
{
    return dal_ignorable_applies(system, why) && dal_speeds_apply(system, why);
}

/* ---- the rows M' -------------------------------------------------------------------- */

static void rows_volterra_reduced(dal_state *state, double *E, double *e)
{
    if (state->layout->columnless && !dal_has(state, DAL_STAGE_LOADS)) {
        dal_open_momentum_rows(state, E);
        memset(e, 0, sizeof *e * (size_t)state->layout->n_ignorable);
    } else
        dal_momentum_rows(state, E, e);
    for (int i = 0; i < state->layout->n_ignorable; i++)
        e[i] = state->speeds->momenta[i] - e[i];
}

/* Units of the ignorable velocities, and their bends along the motion: what bend() takes for (c_k, w_k) and D of them. */
static void bend_units(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const size_t bodies = (size_t)layout->mechanism->n_bodies;
    const scratch at = scratch_volterra_reduced(state);
    const dal_direction motion = {state->work.v, 1, state->scratch->tangents};
    layout->family->tangent(layout, &state->work, &motion);
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    for (int i = 0; i < layout->n_ignorable; i++) {
        const dal_direction unit = {state->scratch->still, 0, at.unit + (size_t)i * bodies};
        state->scratch->still[layout->ignorable[i]] = 1;
        layout->family->tangent(layout, &state->work, &unit);
        layout->family->bend(layout, &state->work, &motion, &unit, at.unit_rate + (size_t)i * bodies);
        state->scratch->still[layout->ignorable[i]] = 0;
    }
}

/* D_a [M' b + N_2 db]; a is the motion (v, 1). */
static void bend_volterra_reduced(dal_state *state, const dal_direction *a, const dal_direction *b, const dal_bend *bends, double *out)
{
    const dal_mechanism *m = state->mechanism;
    const scratch at = scratch_volterra_reduced(state);
    memset(out, 0, sizeof *out * (size_t)state->layout->n_ignorable);
    for (int i = 0; i < m->n_bodies; i++) {
        const dal_body *body = &m->bodies[i];
        double I[9], c_b[3], Dc_b[3], L[3], DL[3], turned[3], lag[3], c_k[3], Dc_k[3];
        dal_turn_inertia(state->work.kin[i].R, body->inertia, I);
        dal_center_along(body, &b->tangent[i], c_b);
        dal_center_bend(body, &bends[i], Dc_b);
        dal_mul3(I, b->tangent[i].w, L);
        dal_cross(a->tangent[i].w, b->tangent[i].w, turned);
        dal_mul3(I, turned, lag);
        dal_mul3(I, bends[i].wb, DL);
        dal_add_cross(a->tangent[i].w, L, DL);
        dal_axpy3(-1, lag, DL);
        for (int j = 0; j < state->layout->n_ignorable; j++) {
            const dal_tangent *unit = at.unit + (size_t)j * (size_t)m->n_bodies + i;
            const dal_bend *rate = at.unit_rate + (size_t)j * (size_t)m->n_bodies + i;
            dal_center_along(body, unit, c_k);
            dal_center_bend(body, rate, Dc_k);
            out[j] += body->mass * (dal_dot(Dc_k, c_b) + dal_dot(c_k, Dc_b)) + dal_dot(rate->wb, L) + dal_dot(unit->w, DL);
        }
    }
}

/* The same of the sub-systems; what bend_volterra_reduced has found is in `out`. */
static void bend_systems(dal_state *state, const dal_direction *b, double *out)
{
    const dal_layout *layout = state->layout;
    double *rate = scratch_volterra_reduced(state).system, *free = rate + layout->nv;
    memset(rate, 0, sizeof *rate * 2 * (size_t)layout->nv);
    dal_subsystems_mass_rate(layout, &state->work, b->a, rate);
    dal_subsystems_free_rate(layout, &state->work, free);
    for (int i = 0; i < layout->n_ignorable; i++)
        out[i] += rate[layout->ignorable[i]] + free[layout->ignorable[i]] * b->da;
}

static void bend_all(dal_state *state, const dal_direction *a, const dal_direction *b, const dal_bend *bends, double *out)
{
    bend_volterra_reduced(state, a, b, bends, out);
    if (state->layout->systems)
        bend_systems(state, b, out);
}

static const struct dal_more_rows momenta = {rows_volterra_reduced, bend_all};

/* ---- the equations --------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* (63): P.v_j' + H.w_j' of all bodies. */
static double K_of(const dal_state *state, int j)
{
    const dal_tangent *motion = state->speeds->basis->motion;
    double sum = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        double I[9], V[3], H[3], vd_j[3], wd_j[3];
        dal_center_along(body, &motion[b], V);
        dal_turn_inertia(state->work.kin[b].R, body->inertia, I);
        dal_mul3(I, motion[b].w, H);
        dal_speeds_partial_rates(state, j, b, vd_j, wd_j);
        sum += body->mass * dal_dot(V, vd_j) + dal_dot(H, wd_j);
    }
    return sum;
}

/* The same of the sub-systems, with dT/dq . W_j. */
static double K_of_systems(const dal_state *state, const double *p, int j)
{
    const int n = state->speeds->basis->n;
    const double *W = state->speeds->basis->W + (size_t)j * (size_t)n, *Wd = state->speeds->basis->Wd + (size_t)j * (size_t)n;
    return state->layout->systems ? dot(p, Wd, n) + dot(p + n, W, n) : 0;
}

static void find_systems_volterra_reduced(const dal_state *state, double *p)
{
    const size_t n = (size_t)state->layout->nv;
    memset(p, 0, sizeof *p * 2 * n);
    dal_subsystems_momentum(state->layout, &state->work, p);
    dal_subsystems_slope(state->layout, &state->work, p + n);
}

/* (52): p' becomes p' + M v_0, the rate of dT/dv for u' = 0. */
static void complete_rates(dal_state *state, scratch *at)
{
    const int n = state->speeds->basis->n;
    dal_mass_times(state->layout, state->work.M, state->speeds->basis->bias, at->MW);
    for (int i = 0; i < n; i++)
        at->pd[i] += at->MW[i];
}

/* ---- on a large open tree ------------------------------------------------------------------ */

/* mu := (M'_I)^-1 mu, M'_I the columns of the rows M' that are theirs: own, s x s, scratch. */
static void solve_ignorable(const dal_state *state, double *own, double *mu)
{
    const int s = state->layout->n_ignorable, n = state->layout->nv;
    int *pivot = state->speeds->basis->trial;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            own[i * s + j] = state->speeds->basis->E[(size_t)i * (size_t)n + (size_t)state->layout->ignorable[j]];
    dal_lu(own, s, s, pivot);
    dal_lu_solve(own, s, s, pivot, mu);
}

/* p' of all velocities for v' = 0, and K with W held: sums over the bodies, link by link. */
static void find_rates_on_tree(dal_state *state, double *pd, double *K)
{
    dal_body_wrench *momentum = dal_open_wrenches(state), *rate = momentum + state->mechanism->n_bodies;
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        double rho[3], I[9];
        dal_turn(kin->R, body->center, rho);
        dal_momentum_wrench(body, kin, momentum[b], momentum[b] + 3);
        dal_bias_wrench(body, kin, I, rate[b], rate[b] + 3);
        dal_add_cross(rho, rate[b], rate[b] + 3);
    }
    dal_open_project(state, momentum, pd);
    dal_open_project_rates(state, K);
    dal_open_project(state, rate, pd);
    for (int k = 0; k < state->layout->nv; k++)
        pd[k] += K[k];
}

/* B u' = U + K - A. W'^T p, which stands in K and in A, is omitted, and with it W'. W^T is that of S^-T: its first rows. B^-1 by the factor of M over
 * the tree: x = W u' obeys M x = F + M'^T mu, M' x = 0 for any F with W^T F = f, and M^-1 M'^T are units of the ignorable velocities,
 *     x = M^-1 F + mu,   M'_I mu = -M' M^-1 F;     likewise v' = x + v_0 with M' v' = -p'_I, and M v_0 goes to the other side. */
static dal_flow solve_on_tree(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const int n = s->n;
    const dal_flow flow = dal_speeds_ready(state);
    double *pd = state->scratch->solver, *K = pd + n, *f = K + n, *F = f + n, *mu = F + n;
    if (flow)
        return flow;
    dal_tree_motion(state); /* the rows M' have used the links */
    find_rates_on_tree(state, pd, K);
    dal_open_project(state, (dal_body_wrench *)(void *)state->work.force, f);
    for (int k = 0; k < n; k++)
        f[k] += state->work.direct[k] + K[k] - pd[k];
    dal_speeds_solve_transposed(state, f);
    memset(F, 0, sizeof *F * (size_t)n);
    for (int j = 0; j < s->p; j++)
        F[state->speeds->column[j]] = s->f[j] = f[j];
    const dal_flow solved = dal_open_solve(state, F, state->vd);
    if (solved)
        return solved;
    for (int i = 0; i < s->s; i++)
        mu[i] = -pd[state->layout->ignorable[i]] - dot(s->E + (size_t)i * (size_t)n, state->vd, n);
    solve_ignorable(state, mu + n, mu);
    for (int i = 0; i < s->s; i++)
        state->vd[state->layout->ignorable[i]] += mu[i];
    for (int j = 0; j < s->p; j++)
        state->speeds->wd[j] = state->vd[state->speeds->column[j]];
    return 0;
}

static dal_flow solve_volterra_reduced(dal_state *state)
{
    if (dal_on_open_tree(state))
        return solve_on_tree(state);
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_speeds *s = state->speeds->basis;
    scratch at = scratch_volterra_reduced(state);
    dal_flow flow = dal_speeds_ready(state);
    if (flow)
        return flow;
    bend_units(state);
    dal_speeds_columns(state);
    dal_speeds_rates(state);
    dal_speeds_bias(state);
    dal_momenta_rates(state, at.p, at.pd);
    complete_rates(state, &at);
    find_systems_volterra_reduced(state, at.system);
    for (int j = 0; j < s->p; j++) {
        const double *W = s->W + (size_t)j * (size_t)s->n, *Wd = s->Wd + (size_t)j * (size_t)s->n;
        double A = dot(Wd, at.p, s->n) + dot(W, at.pd, s->n);
        dal_speeds_inertia_row(state, j, at.MW);
        s->f[j] = dal_speeds_force(state, j) + K_of(state, j) + K_of_systems(state, at.system, j) - A;
    }
    if (state->layout->curved)
        dal_speeds_add_curved(state, at.y);
    return dal_speeds_finish(state);
}

const dal_formulation dal_volterra_reduced = {
    .name = "volterra-reduced",
    .title = "Volterra with the momenta of the ignorable coordinates as constraints: one equation less for each of them",
    DAL_FORMULATION_IN_SPEEDS(applies_volterra_reduced, work_volterra_reduced, solve_volterra_reduced, dal_show_volterra_reduced),
    .ignores = true,
    .on_tree = true,
    .more = &momenta,
};
