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
 */
#include "dynamics/equations.h"
#include "dynamics/speeds.h"
#include "dynamics/speeds_directions.h"
#include "kinematics/newton_euler.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* Momenta of the bodies, with their rates for u' = 0 and fixed partial velocities; and one vector. */
static size_t work_volterra(const dal_system *system)
{
    return (size_t)dal_system_mechanism(system)->n_bodies * sizeof(dal_body_momenta) / sizeof(double) + 2 * (size_t)dal_system_layout(system)->nv;
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

/* U_j + K_j - A_j */
static double right_side(const dal_state *state, const dal_body_momenta *of, int j)
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
    return dal_speeds_force(state, j) + K - A;
}

static dal_flow solve_volterra(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_speeds *s = state->speeds->basis;
    double *MW = state->scratch->solver;
    double *y = MW + s->n;
    dal_body_momenta *of = (dal_body_momenta *)(y + s->n);
    const dal_flow flow = dal_speeds_begin(state, true);
    if (flow)
        return flow;
    find_momenta_volterra(state, of);
    for (int j = 0; j < s->p; j++) {
        dal_speeds_inertia_row(state, j, MW);
        s->f[j] = right_side(state, of, j);
    }
    if (state->layout->curved)
        dal_speeds_add_curved(state, y);
    return dal_speeds_finish(state);
}

const dal_formulation dal_volterra = {
    .name = "volterra",
    .title = "Volterra: rates of the momenta of the speeds and of the partial velocities; as many equations as freedoms",
    DAL_FORMULATION_IN_SPEEDS(dal_speeds_apply, work_volterra, solve_volterra, dal_show_volterra),
};
