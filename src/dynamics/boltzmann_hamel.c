/* The equations of Boltzmann and Hamel:
 *     d/dt (d(T*)/du_j) - D_j T* - Gamma_j . dT/dv = U_j,      T*(t, q, u) = T(t, q, W u + X)
 * with D_j the derivative along W_j, u held, and the commutator of the motion with W_j
 *     Gamma_j = D_v [W_j] + dW_j/dt - D_j [W u + X].
 * Where q' is not v but N v, the two derivatives D_v and D_j do not commute either, and Gamma_j gains the commutator of N
 * (FORMULATIONS). Seen on the bodies, along directions a and b with fixed velocities, it is a motion with
 *     velocity D_a [v of b] - D_b [v of a],     angular velocity D_a [w of b] - D_b [w of a] - w of a x w of b
 * because D_a D_b R - D_b D_a R = [. x] R. It vanishes where N = 1.
 *
 * On bodies with momenta P = m v, H = I w, partial velocities v_j, w_j and accelerations v_0, w_0 for u' = 0:
 *     d(T*)/du_j        = sum P.v_j + H.w_j
 *     d/dt (d(T*)/du_j) = sum over l of (sum m v_j.v_l + w_j.I w_l) u_l'
 *                        + sum m v_0.v_j + P.v_j' + (I w_0 + w x I w).w_j + H.w_j'
 *     D_j T*          = sum P.D_j v + H.(D_j w + w x w_j)      the last from the turning inertia, 1/2 w.(D_j I) w
 * D_j [W u + X] solves S x = -D_j [S v + ...]: Y v + Z = u is held and A_k v = beta_k stays true.
 */
#include "dynamics/equations.h"
#include "dynamics/mutate.h"
#include "dynamics/speeds.h"

#include <string.h>

static bool applies(const dal_system *system, char *why, size_t size)
{
    return dal_speeds_apply(system, "boltzmann-hamel", system->layout.nv - system->rank, why, size);
}

/* Momenta of a body and what their rates are for u' = 0. */
typedef struct momenta {
    double P[3], H[3], Pd[3], Hd[3];
} momenta;

static size_t work(const dal_system *system)
{
    const size_t m = (size_t)system->layout.nv;
    return (size_t)system->mechanism.n_bodies * sizeof(momenta) / sizeof(double) + 2 * m + 6 * m;
}

/* Momenta of the bodies, dT/dv (their pull), and K. */
static void find_momenta(dal_state *state, momenta *of, double *dT_dv, double *partials)
{
    const dal_layout *layout = &state->system->layout;
    dal_speeds *s = state->basis;
    const int p = s->p;
    double *v = partials, *w = v + 3 * p;
    memset(dT_dv, 0, sizeof *dT_dv * (size_t)s->n);
    memset(s->K, 0, sizeof *s->K * (size_t)p * (size_t)p);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        double I[9], rho[3], about_r[3];
        dal_center_along(body, &s->motion[b], of[b].P);
        dal_turn_inertia(kin->R, body->inertia, I);
        dal_mul3(I, kin->w, of[b].H);
        dal_mul3(I, s->rate[b].w, of[b].Hd);
        dal_add_cross(kin->w, of[b].H, of[b].Hd);
        for (int i = 0; i < 3; i++) {
            of[b].P[i] *= body->mass;
            of[b].Pd[i] = body->mass * s->rate[b].c[i];
        }
        dal_turn(kin->R, body->center, rho);
        dal_copy3(of[b].H, about_r);
        dal_add_cross(rho, of[b].P, about_r);
        dal_pull_body(layout, &state->work, b, of[b].P, about_r, dT_dv);
        dal_speeds_partials(state, b, v, w);
        for (int j = 0; j < p; j++) {
            double I_w[3];
            dal_mul3(I, w + 3 * j, I_w);
            for (int l = 0; l <= j; l++)
                s->K[(size_t)j * (size_t)p + (size_t)l] += body->mass * dal_dot(v + 3 * j, v + 3 * l) + dal_dot(I_w, w + 3 * l);
        }
    }
}

/* d/dt (d(T*)/du_j) for u' = 0. */
static double rate_of_momentum(dal_state *state, const momenta *of, int j)
{
    const dal_layout *layout = &state->system->layout;
    const dal_direction v = dal_speeds_motion(state), W = dal_speeds_column(state, j);
    const dal_direction Wd = {state->basis->Wd + (size_t)j * (size_t)layout->nv, 0, state->tangents};
    double sum = 0;
    layout->family->bend(layout, &state->work, &v, &W, state->bends);
    layout->family->tangent(layout, &state->work, &Wd);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        double v_j[3], fixed[3], by_W[3];
        dal_center_along(body, &W.tangent[b], v_j);
        dal_center_bend(body, &state->bends[b], fixed);
        dal_center_along(body, &Wd.tangent[b], by_W);
        sum += dal_dot(of[b].Pd, v_j) + dal_dot(of[b].P, fixed) + dal_dot(of[b].P, by_W);
        sum += dal_dot(of[b].Hd, W.tangent[b].w) + dal_dot(of[b].H, state->bends[b].wb) + dal_dot(of[b].H, Wd.tangent[b].w);
    }
    return sum;
}

/* D_j T*; and D_j [W u + X] into change. */
static double slope_of_energy(dal_state *state, const momenta *of, int j, double *change)
{
    const dal_layout *layout = &state->system->layout;
    const dal_direction v = dal_speeds_motion(state), W = dal_speeds_column(state, j), along = {change, 0, state->tangents};
    double sum = 0;
    layout->family->bend(layout, &state->work, &W, &v, state->bends);
    dal_speeds_bend(state, &W, &v, state->bends, change);
    for (int i = 0; i < layout->nv; i++)
        change[i] = -change[i];
    dal_speeds_solve(state, change);
    layout->family->tangent(layout, &state->work, &along);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        double fixed[3], by_v[3], turn[3];
        dal_center_bend(body, &state->bends[b], fixed);
        dal_center_along(body, &along.tangent[b], by_v);
        dal_cross(state->work.kin[b].w, W.tangent[b].w, turn);
        sum += dal_dot(of[b].P, fixed) + dal_dot(of[b].P, by_v);
        sum += dal_dot(of[b].H, state->bends[b].wb) + dal_dot(of[b].H, along.tangent[b].w) + dal_dot(of[b].H, turn);
    }
    return sum;
}

/* Half of the commutator of N on the momenta: sum of P.D_a [v of b] + H.(D_a [w of b] - 1/2 w of a x w of b); the other half is the same
 * with a and b exchanged, subtracted. */
static double commute(dal_state *state, const momenta *of, const dal_direction *a, const dal_direction *b)
{
    const dal_layout *layout = &state->system->layout;
    double sum = 0;
    layout->family->bend(layout, &state->work, a, b, state->bends);
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        double fixed[3], turn[3];
        dal_center_bend(&layout->mechanism->bodies[i], &state->bends[i], fixed);
        dal_cross(a->tangent[i].w, b->tangent[i].w, turn);
        sum += dal_dot(of[i].P, fixed) + dal_dot(of[i].H, state->bends[i].wb) - 0.5 * dal_dot(of[i].H, turn);
    }
    return sum;
}

/* Gamma_j . dT/dv, from D_j [W u + X] in change. */
static double commutator(dal_state *state, const momenta *of, int j, const double *change, const double *dT_dv)
{
    const double *Wd = state->basis->Wd + (size_t)j * (size_t)state->basis->n;
    const dal_direction v = dal_speeds_motion(state), W = dal_speeds_column(state, j);
    double sum = 0;
    for (int i = 0; i < state->basis->n; i++)
        sum += (Wd[i] - change[i]) * dT_dv[i];
    return sum + commute(state, of, &v, &W) - commute(state, of, &W, &v);
}

static dal_flow solve(dal_state *state)
{
    dal_speeds *s = state->basis;
    double *dT_dv = state->solver, *change = dT_dv + s->n, *partials = change + s->n;
    momenta *of = (momenta *)(partials + 6 * s->n);
    dal_flow flow = dal_speeds_ready(state);
    if (flow)
        return flow;
    dal_speeds_columns(state);
    dal_speeds_rates(state);
    dal_speeds_bias(state);
    find_momenta(state, of, dT_dv, partials);
    for (int j = 0; j < s->p; j++) {
        double rate = rate_of_momentum(state, of, j), slope = slope_of_energy(state, of, j, change);
        s->f[j] = dal_speeds_force(state, j) - rate + DAL_MUTATED(BOLTZMANN_HAMEL, slope) + commutator(state, of, j, change, dT_dv);
    }
    return dal_speeds_finish(state);
}

const dal_formulation dal_boltzmann_hamel = {
    .name = "boltzmann-hamel",
    .title = "Boltzmann and Hamel: Lagrange's equations in speeds, with the commutators of the speeds; as many equations as freedoms",
    .applies = applies,
    .equations = dal_speeds_count,
    .multipliers = dal_speeds_no_multipliers,
    .work = work,
    .speeds = dal_speeds_count,
    .unpack = dal_speeds_unpack,
    .pack = dal_speeds_pack,
    .chooses = true,
    .solve = solve,
    .show = dal_show_boltzmann_hamel,
};
