/* Volterra's equations, (2) of `volterra-reduced` (its matrix form (45)-(65), read without ignorable coordinates):
 *     d/dt (dT/du_j) - sum over bodies of [P.d/dt (dv/du_j) + H.d/dt (dw/du_j)] = U_j
 * with the momenta P = m v of the centre of mass and H = I w.
 *
 *     d/dt (dT/du) = M u' + A             (51), M = W^T M W (47)
 *     A_j = D_v [sum P.v_j + H.w_j], u held:  sum m v_0.v_j + P.v_j' + (I w_0 + I' w).w_j + H.w_j'      (52)
 *     K_j = sum P.v_j' + H.w_j'           (60)-(63); (59) and (61) with the angular Jacobian D, not C
 *     M u' = U + K - A                    (64), (65) with K, not F
 *
 * v_j, w_j are the partial velocities (56), v_j', w_j' their rates (57); v_0, w_0 the accelerations for u' = 0. Everything has inertial components: (2)
 * holds in these, where I' w = w x I w. K_j stands in A_j as well. The difference alone is computed, so that neither W' nor the rates of the partial
 * velocities are needed:
 *     A_j - K_j = sum P'.v_j + H'.w_j,   P' = m v_0,   H' = I w_0 + w x I w
 *
 * Constraints that are not linear in the rates: v_j, w_j depend on u, and so do both terms,
 *     d(dT/du_j)/du_l = M_jl + N_jl,   N_jl = sum P.dv_j/du_l + H.dw_j/du_l = dT/dv . d2v/du_j du_l     (speeds.h)
 *     d/dt v_j = v_j' + sum over l of dv_j/du_l u_l':   the second term of (2) is K_j + sum N_jl u_l'
 * and N cancels as K_j does.
 *
 * Sub-systems whose equations are known have p = dT/dv instead of bodies with momenta; T depends on q as it stands:
 *     d/dt (dT/du_j) - p . d/dt W_j - dT/dq . W_j = U_j,     A_j - K_j = W_j . (p' + M v_0 - dT/dq)
 */
#include "dynamics/determined.h"
#include "dynamics/equations.h"
#include "dynamics/open_tree.h"
#include "dynamics/speeds.h"
#include "dynamics/speeds_directions.h"
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* P' and H' of each body, and two vectors. */
static size_t work_volterra(const dal_system *system)
{
    return 6 * (size_t)dal_system_mechanism(system)->n_bodies + 3 * (size_t)dal_system_layout(system)->nv;
}

/* The rates of the momenta for u' = 0 (59): P' = m v_0, H' = I w_0 + w x I w. */
static void find_rates_of_momenta(const dal_state *state, int b, double Pd[3], double Hd[3])
{
    const dal_body *body = &state->mechanism->bodies[b];
    const dal_kin *kin = &state->work.kin[b];
    const struct dal_body_rate *rate = &state->speeds->basis->rate[b];
    double I[9], H[3];
    for (int i = 0; i < 3; i++) {
        Pd[i] = body->mass * rate->c[i];
        Hd[i] = 0;
    }
    if (state->mechanism->space == DAL_PLANAR) { /* w is parallel to I w */
        Hd[2] = body->inertia[8] * rate->w[2];
        return;
    }
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    dal_euler_moment(I, kin->w, rate->w, H, Hd);
}

/* p' + M v_0 - dT/dq of sub-systems. */
static void find_systems_volterra(const dal_state *state, double *rate, double *slope)
{
    const size_t n = (size_t)state->layout->nv;
    if (!state->layout->systems)
        return;
    memset(rate, 0, sizeof *rate * n);
    memset(slope, 0, sizeof *slope * n);
    dal_subsystems_momentum_rate(state->layout, &state->work, rate);
    dal_subsystems_mass(state->layout, &state->work, state->speeds->basis->bias, rate);
    dal_subsystems_slope(state->layout, &state->work, slope);
    for (size_t i = 0; i < n; i++)
        rate[i] -= slope[i];
}

/* U_j + K_j - A_j */
static double right_side(const dal_state *state, const double *rates, const double *systems, int j)
{
    const dal_direction W = dal_speeds_column(state, j);
    double A_less_K = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++, rates += 6) {
        double v_j[3];
        dal_center_along(&state->mechanism->bodies[b], &W.tangent[b], v_j);
        A_less_K += dal_dot(rates, v_j) + dal_dot(rates + 3, W.tangent[b].w);
    }
    for (int i = 0; i < state->layout->nv && state->layout->systems; i++)
        A_less_K += W.a[i] * systems[i];
    return dal_speeds_force(state, j) - A_less_K;
}

static bool applies_volterra(const dal_system *system, dal_refusal *why)
{
    return dal_energy_applies(system, why) && dal_speeds_apply(system, why);
}

static dal_flow solve_volterra(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_speeds *s = state->speeds->basis;
    double *MW = state->scratch->solver, *systems = MW + s->n, *rates = systems + 2 * s->n;
    const dal_flow flow = dal_speeds_begin(state, false);
    if (flow)
        return flow;
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        find_rates_of_momenta(state, b, rates + 6 * b, rates + 6 * b + 3);
    find_systems_volterra(state, systems, systems + s->n);
    for (int j = 0; j < s->p; j++) {
        dal_speeds_inertia_row(state, j, MW);
        s->f[j] = right_side(state, rates, systems, j);
    }
    return dal_speeds_finish(state);
}

/* On a large open tree: U + K - A, body by body, as wrenches at r. */
static dal_flow solve_on_tree(dal_state *state)
{
    dal_body_wrench *wrench = dal_open_wrenches(state);
    dal_open_rates(state);
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        double rho[3], Pd[3], Hd[3];
        find_rates_of_momenta(state, b, Pd, Hd);
        dal_turn(state->work.kin[b].R, state->mechanism->bodies[b].center, rho);
        dal_add_cross(rho, Pd, Hd);
        for (int i = 0; i < 3; i++) {
            wrench[b][i] = state->work.force[6 * b + i] - Pd[i];
            wrench[b][3 + i] = state->work.force[6 * b + 3 + i] - Hd[i];
        }
    }
    return dal_open_finish(state);
}

const dal_formulation dal_volterra = {
    .name = "volterra",
    .title = "Volterra: rates of the momenta of the speeds and of the partial velocities; as many equations as freedoms",
    DAL_FORMULATION_IN_SPEEDS(applies_volterra, work_volterra, solve_volterra, solve_on_tree, dal_show_volterra),
};
