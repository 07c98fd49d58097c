/* Volterra's equations, (2) of `volterra-reduced` (its matrix form (45)-(65), read without ignorable coordinates):
 *     d/dt (dT/du_j) - sum over bodies of [P.d/dt (dv/du_j) + H.d/dt (dw/du_j)] = U_j
 * with the momenta P = m v of the centre of mass and H = I w.
 *
 *     d/dt (dT/du) = M u' + A             (51), M = W^T M W (47)
 *     A_j = D_v [sum P.v_j + H.w_j], u held:  sum m v_0.v_j + P.v_j' + (I w_0 + I' w).w_j + H.w_j'      (52)
 *     K_j = sum P.v_j' + H.w_j'           (60)-(63); (59) and (61) with the angular Jacobian D, not C
 *     M u' = U + K - A                    (64), (65) with K, not F
 *
 * v_j, w_j are the partial velocities (56), v_j', w_j' their rates (57): D_v of them with W fixed, and those of W'; v_0, w_0 the
 * accelerations for u' = 0. Everything has inertial components: (2) holds in these, where I' w = w x I w.
 * The terms of K stand in A as well. They are kept, as the equation has them.
 *
 * Constraints that are not linear in the rates: v_j, w_j depend on u, and so do both terms,
 *     d(dT/du_j)/du_l = M_jl + N_jl,   N_jl = sum P.dv_j/du_l + H.dw_j/du_l = dT/dv . d2v/du_j du_l     (speeds.h)
 *     d/dt v_j = v_j' + sum over l of dv_j/du_l u_l':   the second term of (2) is K_j + sum N_jl u_l'
 * and the matrix is (M + N) - N, with v_j', w_j' for u' = 0 in A and K.
 *
 * Sub-systems whose equations are known have p = dT/dv instead of bodies with momenta; T depends on q as it stands:
 *     d/dt (dT/du_j) - p . d/dt W_j - dT/dq . W_j = U_j,     A_j = W_j . (p' + M v_0) + p . W_j',   K_j = p . W_j' + dT/dq . W_j
 */
#include "dynamics/determined.h"
#include "dynamics/equations.h"
#include "dynamics/open_tree.h"
#include "dynamics/saddle.h"
#include "dynamics/speeds.h"
#include "dynamics/speeds_directions.h"
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* Momenta of the bodies, with their rates for u' = 0 and fixed partial velocities; and one vector. */
static size_t work_volterra(const dal_system *system)
{
    return (size_t)dal_system_mechanism(system)->n_bodies * sizeof(dal_body_momenta) / sizeof(double) + 5 * (size_t)dal_system_layout(system)->nv;
}

/* (59): P = m v, H = I w; P' = m v_0, H' = I w_0 + I' w. */
static void find_momenta_volterra(const dal_state *state, dal_body_momenta *of)
{
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        const struct dal_body_rate *rate = &state->speeds->basis->rate[b];
        double I[9];
        dal_center_along(body, &state->speeds->basis->motion[b], of[b].P);
        dal_momenta_of(body, kin, rate->c, rate->w, I, &of[b]);
    }
}

/* Of sub-systems: p, p' + M v_0, dT/dq. */
static void find_systems_volterra(const dal_state *state, double *p)
{
    const size_t n = (size_t)state->layout->nv;
    if (!state->layout->systems)
        return;
    memset(p, 0, sizeof *p * 3 * n);
    dal_subsystems_momentum(state->layout, &state->work, p);
    dal_subsystems_momentum_rate(state->layout, &state->work, p + n);
    dal_subsystems_mass(state->layout, &state->work, state->speeds->basis->bias, p + n);
    dal_subsystems_slope(state->layout, &state->work, p + 2 * n);
}

static void add_systems_volterra(const dal_state *state, const double *p, int j, double *A, double *K)
{
    const size_t n = (size_t)state->layout->nv;
    const double *W = state->speeds->basis->W + (size_t)j * n, *Wd = state->speeds->basis->Wd + (size_t)j * n, *rate = p + n, *slope = rate + n;
    for (size_t i = 0; i < n && state->layout->systems; i++) {
        *A += W[i] * rate[i] + p[i] * Wd[i];
        *K += p[i] * Wd[i] + slope[i] * W[i];
    }
}

/* U_j + K_j - A_j */
static double right_side(const dal_state *state, const dal_body_momenta *of, const double *systems, int j)
{
    const dal_direction W = dal_speeds_column(state, j);
    double A = 0, K = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        double v_j[3], vd_j[3], wd_j[3];
        dal_center_along(&state->mechanism->bodies[b], &W.tangent[b], v_j);
        dal_speeds_partial_rates(state, j, b, vd_j, wd_j);
        A += dal_dot(of[b].Pd, v_j) + dal_dot(of[b].P, vd_j);
        A += dal_dot(of[b].Hd, W.tangent[b].w) + dal_dot(of[b].H, wd_j);
        K += dal_dot(of[b].P, vd_j) + dal_dot(of[b].H, wd_j);
    }
    add_systems_volterra(state, systems, j, &A, &K);
    return dal_speeds_force(state, j) + K - A;
}

static bool applies_volterra(const dal_system *system, dal_refusal *why)
{
    return dal_energy_applies(system, why) && dal_speeds_apply(system, why);
}

/* Momenta and their rates as wrenches at r. */
static void write_wrenches(const dal_state *state, const dal_body_momenta *of, bool rates, dal_body_wrench *wrench)
{
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        double rho[3];
        dal_turn(state->work.kin[b].R, state->mechanism->bodies[b].center, rho);
        dal_copy3(rates ? of[b].Pd : of[b].P, wrench[b]);
        dal_copy3(rates ? of[b].Hd : of[b].H, wrench[b] + 3);
        dal_add_cross(rho, wrench[b], wrench[b] + 3);
    }
}

/* On a large open tree: U + K - A with the sums of K and A over the bodies taken link by link. */
static dal_flow solve_on_tree(dal_state *state)
{
    const int n = state->layout->nv, bodies = state->mechanism->n_bodies;
    double *K = state->scratch->solver, *A = K + n, *U = state->saddle->rhs;
    dal_body_momenta *of = (dal_body_momenta *)(K + 5 * n);
    dal_body_wrench *wrench = dal_open_wrenches(state);
    dal_open_rates(state);
    for (int b = 0; b < bodies; b++) {
        const dal_kin *kin = &state->work.kin[b];
        const struct dal_body_rate *rate = &state->speeds->basis->rate[b];
        double I[9];
        dal_turn(kin->Rd, state->mechanism->bodies[b].center, of[b].P);
        dal_axpy3(1, kin->rd, of[b].P);
        dal_momenta_of(&state->mechanism->bodies[b], kin, rate->c, rate->w, I, &of[b]);
    }
    write_wrenches(state, of, false, wrench);
    dal_open_project(state, wrench, A);
    dal_open_project_rates(state, K);
    write_wrenches(state, of, true, wrench);
    dal_open_project(state, wrench, A);
    dal_open_project(state, (dal_body_wrench *)(void *)state->work.force, U);
    for (int k = 0; k < n; k++)
        U[k] += state->work.direct[k] + K[k] - (A[k] + K[k]);
    return dal_open_finish_with(state, U);
}

static dal_flow solve_volterra(dal_state *state)
{
    if (dal_on_open_tree(state))
        return solve_on_tree(state);
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_speeds *s = state->speeds->basis;
    double *MW = state->scratch->solver;
    double *y = MW + s->n, *systems = y + s->n;
    dal_body_momenta *of = (dal_body_momenta *)(systems + 3 * s->n);
    const dal_flow flow = dal_speeds_begin(state, true);
    if (flow)
        return flow;
    find_momenta_volterra(state, of);
    find_systems_volterra(state, systems);
    for (int j = 0; j < s->p; j++) {
        dal_speeds_inertia_row(state, j, MW);
        s->f[j] = right_side(state, of, systems, j);
    }
    if (state->layout->curved)
        dal_speeds_add_curved(state, y);
    return dal_speeds_finish(state);
}

const dal_formulation dal_volterra = {
    .name = "volterra",
    .title = "Volterra: rates of the momenta of the speeds and of the partial velocities; as many equations as freedoms",
    DAL_FORMULATION_IN_SPEEDS(applies_volterra, work_volterra, solve_volterra, dal_show_volterra),
    .on_tree = true,
};
