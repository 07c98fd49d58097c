/* The equations of Boltzmann and Hamel:
 *
 *   d/dt (dT* by u_j) - D_j T* - sum over k of Gamma_kj dT/dv_k = U_j
 *   T*(t, q, u) = T(t, q, W u + X),  D_j the derivative by q along W_j,
 *   Gamma_j = d/dt W_j - D_j [W u + X] with u held: how far the speeds are from being rates of coordinates
 * Where v themselves are not rates of coordinates (a ball joint) Gamma gains the commutator of the columns of N.
 */
#include "derive/partials.h"

static void derive_boltzmann_hamel(dal_derivation *d)
{
    const int p = d->p, n = d->nv;
    dal_node *K = DAL_NEW(d->arena, dal_node, p * p), *f = DAL_NEW(d->arena, dal_node, p), *v = DAL_NEW(d->arena, dal_node, n);
    dal_node *Gamma = DAL_NEW(d->arena, dal_node, n * p), *column = DAL_NEW(d->arena, dal_node, n), *W_j = DAL_NEW(d->arena, dal_node, n);
    const char **names = DAL_NEW(d->arena, const char *, p);
    const dal_node T = dal_in_speeds(d, d->T);
    for (int k = 0; k < n; k++)
        v[k] = dal_in_speeds(d, dal_n_var(d, d->v + k));
    for (int j = 0; j < p; j++) {
        const dal_node slope = dal_diff(d->graph, T, d->u + j);
        names[j] = d->letters[d->u + j].name;
        for (int l = 0; l < p; l++)
            K[j * p + l] = dal_diff(d->graph, slope, d->u + l);
        f[j] = dal_n_sub(d, dal_n_add(d, dal_derive_applied(d, j), dal_along_speed(d, T, j)), dal_along_motion(d, slope));
        for (int k = 0; k < n; k++)
            column[k] = dal_n_sub(d, dal_along_motion(d, d->W[k * p + j]), dal_along_speed(d, v[k], j));
        for (int k = 0; k < n; k++)
            W_j[k] = d->W[k * p + j];
        dal_add_ball_turns(d, W_j, column); /* of balls: [N_a, N_b] = N (a x b) */
        for (int k = 0; k < n; k++) {
            Gamma[k * p + j] = dal_in_speeds(d, column[k]);
            f[j] = dal_n_add(d, f[j], dal_n_mul(d, column[k], dal_by_rate(d, d->T, k)));
        }
    }
    dal_add_derived_block(d, "Gamma", "the coefficients of Hamel: d/dt W_j less the change of v along W_j", n, p, Gamma, d->velocity_names, names);
    dal_add_speed_equations(d, "K", "second derivatives of the kinetic energy T* by u", K, "f",
                            "the applied forces U, with D T* and Gamma^T dT/dv, less d/dt (dT*/du) for u' = 0", f);
}

const dal_derived_formulation dal_derived_boltzmann_hamel = DAL_DERIVED(
    "boltzmann-hamel", "the equations of Boltzmann and Hamel", "d/dt (dT*/du) - D T* - Gamma^T dT/dv = U, or K u' = f", "", derive_boltzmann_hamel,
    .speeds = true, .solution = DAL_SOLVED_WITH_SPEEDS,
    .latex =
        "\\frac{d}{dt}\\frac{\\partial T^{*}}{\\partial u} - D\\,T^{*} - \\Gamma^{T}\\frac{\\partial T}{\\partial v} = U, \\qquad K\\,\\dot{u} = f");
