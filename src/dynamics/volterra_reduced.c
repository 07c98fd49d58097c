/* Volterra's equations reduced by the momenta of ignorable coordinates: (41) of `volterra-reduced`, in its matrix form (45)-(65).
 *
 * The momenta G of the s ignorable coordinates are constants (22), so that, with M' their rows of M,
 *     M' v + N' = 0,   N' = N_2 - G                                    (25)
 * are constraints beside A v = beta. They go into S as the rows E = M', E v = e = G - N_2 (speeds.h): (44) is
 *     S = [Y_NI; M'; A_k],   v = W u + X                               (43)
 * with p - s speeds. The motions that they leave free keep the momenta, and Volterra's equations hold for them:
 *     d/dt (dT/du_j) - sum over bodies of [P.d/dt (dv/du_j) + H.d/dt (dw/du_j)] = U_j
 *     d/dt (dT/du) = B u' + A             (51), B = W^T M W (47)
 *     dT/du = W^T p,  p = dT/dv = M v + N (50), and so with u held
 *     A = W'^T p + W^T (p' + M v_0)       (52), p' = d/dt dT/dv for v' = 0, v_0 = v' for u' = 0
 *     K_j = sum P.v_j' + H.w_j'           (60)-(63); (59) and (61) with the angular Jacobian D, not C
 *     B u' = U + K - A                    (64), (65) with K, not F
 * v_j = dv/du_j and w_j are the partial velocities (56), v_j' and w_j' their rates (57), everything in inertial components. P and H do the same on these
 * rates in K_j and in A_j: with c_k, w_k the velocities of a unit of v_k,
 *     K_j = W'_j . p + W_j . k,   p'_k = g_k + k_k,   k_k = sum P.c_k' + H.w_k',   g_k = sum P'.c_k + H'.w_k
 *     K_j - A_j = -W_j . (g + M v_0)
 * Neither W' nor k is computed, nor their terms from constraints that are not linear in the rates.
 * v_0 needs the rates of the rows: e' - E' v = -p' of the ignorable coordinates, because E v is their momentum less N_2, and G is constant. There k_k
 * is dT/dq_k, which is zero (Definition 1), and so is U_k: the rates are U_k - g_k.
 *
 * Sub-systems whose equations are known add their p, p' and M, and dT/dq . W_j to K_j as in volterra.c.
 */
#include "dynamics/equations.h"
#include "dynamics/open_tree.h"
#include "dynamics/speeds_matrix.h"
#include "dynamics/tree_state.h"
#include "kinematics/newton_euler.h"
#include "kinematics/placement.h"
#include "math/dense.h"
#include "math/sums.h"
#include "dynamics/speeds_directions.h"
#include "dynamics/determined.h"
#include "kinematics/subsystems.h"
#include "model/system_parts.h"
#include "state/momenta.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

static size_t work_volterra_reduced(const dal_system *system)
{
    const size_t s = (size_t)dal_system_layout(system)->n_ignorable;
    return 5 * (size_t)dal_system_layout(system)->nv + s * s;
}

static bool applies_volterra_reduced(const dal_system *system, dal_refusal *why)
{
    return dal_ignorable_applies(system, why) && dal_speeds_apply(system, why);
}

/* ---- the rows M' -------------------------------------------------------------------- */

/* M' are the rows of M that belong to the ignorable coordinates. M is of the position alone: it is found here, and known in the equations. */
static void copy_mass_rows(dal_state *state, double *E)
{
    const dal_layout *layout = state->layout;
    const size_t n = (size_t)layout->nv;
    dal_state_columns(state);
    dal_inertia(layout, &state->work);
    memset(E, 0, sizeof *E * (size_t)layout->n_ignorable * n);
    const dal_mass_block *block = layout->block;
    for (int i = 0; i < layout->n_ignorable; i++) {
        const int k = layout->ignorable[i];
        while (k >= block->column + block->n)
            block++;
        memcpy(E + (size_t)i * n + block->column, state->work.M + block->value + block->n * (k - block->column), sizeof *E * (size_t)block->n);
    }
}

static void rows_volterra_reduced(dal_state *state, double *E, double *e)
{
    const dal_layout *layout = state->layout;
    memset(e, 0, sizeof *e * (size_t)layout->n_ignorable);
    if (layout->columnless && !dal_has(state, DAL_STAGE_LOADS))
        dal_open_momentum_rows(state, E);
    else
        copy_mass_rows(state, E);
    if (layout->systems || (layout->placement && dal_placement_timed(layout->placement)))
        dal_momentum_rows(state, E, e); /* N_2 */
    for (int i = 0; i < layout->n_ignorable; i++)
        e[i] = state->speeds->momenta[i] - e[i];
}

static const struct dal_more_rows momenta = {rows_volterra_reduced};

/* ---- the equations --------------------------------------------------------------------- */

/* P' and H' of a body for v' = 0, as a wrench at r. */
static void find_rates(const dal_body *body, const dal_kin *kin, bool flat, double Pd[3], double Hd[3])
{
    double rho[3], I[9];
    if (flat) { /* w is parallel to I w */
        const double *c = body->center, *R = kin->R, *Rb = kin->Rb;
        Pd[0] = body->mass * (Rb[0] * c[0] + Rb[1] * c[1] + kin->rb[0]);
        Pd[1] = body->mass * (Rb[3] * c[0] + Rb[4] * c[1] + kin->rb[1]);
        Pd[2] = Hd[0] = Hd[1] = 0;
        Hd[2] = body->inertia[8] * kin->wb[2] + (R[0] * c[0] + R[1] * c[1]) * Pd[1] - (R[3] * c[0] + R[4] * c[1]) * Pd[0];
        return;
    }
    dal_turn(kin->R, body->center, rho);
    dal_bias_wrench(body, kin, I, Pd, Hd);
    dal_add_cross(rho, Pd, Hd);
}

/* f = U - g of all velocities, body by body, with dT/dq of sub-systems; slope: scratch. */
static void find_forces(dal_state *state, double *f, double *slope)
{
    const dal_layout *layout = state->layout;
    const dal_work *w = &state->work;
    const bool flat = layout->mechanism->space == DAL_PLANAR;
    memcpy(f, w->direct, sizeof *f * (size_t)layout->nv);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const double *applied = w->force + 6 * b;
        double force[3], moment[3];
        find_rates(&layout->mechanism->bodies[b], &w->kin[b], flat, force, moment);
        for (int i = 0; i < 3; i++) {
            force[i] = applied[i] - force[i];
            moment[i] = applied[3 + i] - moment[i];
        }
        dal_pull_body(layout, w, b, force, moment, f);
    }
    if (!layout->systems)
        return;
    memset(slope, 0, sizeof *slope * (size_t)layout->nv);
    dal_subsystems_momentum_rate(layout, w, slope);
    for (int i = 0; i < layout->nv; i++)
        f[i] -= slope[i];
    dal_subsystems_slope(layout, w, f);
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

/* g of all velocities: sums over the bodies, link by link. */
static void find_rates_on_tree(dal_state *state, double *g)
{
    dal_body_wrench *rate = dal_open_wrenches(state);
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        find_rates(&state->mechanism->bodies[b], &state->work.kin[b], state->mechanism->space == DAL_PLANAR, rate[b], rate[b] + 3);
    dal_open_project(state, rate, g);
}

/* B u' = U + K - A = U - W^T (g + M v_0). W^T is that of S^-T: its first rows. B^-1 by the factor of M over the tree: x = W u' obeys M x = F + M'^T mu, M' x = 0 for any F with W^T F = f, and M^-1 M'^T are units of the ignorable velocities,
 *     x = M^-1 F + mu,   M'_I mu = -M' M^-1 F;     likewise v' = x + v_0 with M' v' = -p'_I, and M v_0 goes to the other side. */
static dal_flow solve_on_tree(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const int n = s->n;
    const dal_flow flow = dal_speeds_ready(state);
    double *g = state->scratch->solver, *f = g + n, *F = f + n, *mu = F + n;
    if (flow)
        return flow;
    dal_tree_motion(state); /* the rows M' have used the links */
    find_rates_on_tree(state, g);
    dal_open_project(state, (dal_body_wrench *)(void *)state->work.force, f);
    for (int k = 0; k < n; k++)
        f[k] += state->work.direct[k] - g[k];
    dal_speeds_solve_transposed(state, f);
    memset(F, 0, sizeof *F * (size_t)n);
    for (int j = 0; j < s->p; j++)
        F[state->speeds->column[j]] = s->f[j] = f[j];
    const dal_flow solved = dal_open_solve(state, F, state->vd);
    if (solved)
        return solved;
    for (int i = 0; i < s->s; i++)
        mu[i] = -g[state->layout->ignorable[i]] - dal_inner(s->E + (size_t)i * (size_t)n, state->vd, n);
    solve_ignorable(state, mu + n, mu);
    for (int i = 0; i < s->s; i++)
        state->vd[state->layout->ignorable[i]] += mu[i];
    for (int j = 0; j < s->p; j++)
        state->speeds->wd[j] = state->vd[state->speeds->column[j]];
    return 0;
}

static dal_flow solve_volterra_reduced(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY) && (dal_has(state, DAL_STAGE_FORCES) || dal_has(state, DAL_STAGE_LOADS)));
    dal_speeds *s = state->speeds->basis;
    double *f = state->scratch->solver, *Mx = f + s->n;
    dal_flow flow = dal_speeds_ready(state);
    if (flow)
        return flow;
    dal_speeds_basis(state);
    find_forces(state, f, Mx);
    for (int i = 0; i < s->s; i++)
        s->bias[s->p + i] = f[state->layout->ignorable[i]];
    dal_speeds_bias_vector(state);
    dal_mass_times(state->layout, state->work.M, s->bias, Mx);
    for (int i = 0; i < s->n; i++)
        f[i] -= Mx[i];
    for (int j = 0; j < s->p; j++) {
        s->f[j] = dal_inner(s->W + (size_t)j * (size_t)s->n, f, s->n); /* U + K - A */
        dal_speeds_inertia_row(state, j, Mx);
    }
    return dal_speeds_finish(state);
}

const dal_formulation dal_volterra_reduced = {
    .name = "volterra-reduced",
    .title = "Volterra with the momenta of the ignorable coordinates as constraints: one equation less for each of them",
    DAL_FORMULATION_WITHOUT_LOADS(applies_volterra_reduced, work_volterra_reduced, solve_volterra_reduced, solve_on_tree, dal_show_volterra_reduced),
    .more = &momenta,
    .ignores = true,
};
