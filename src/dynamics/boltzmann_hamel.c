/* The equations of Boltzmann and Hamel:
 *     d/dt (d(T*)/du_j) - D_j T* - Gamma_j . dT/dv = U_j,      T*(t, q, u) = T(t, q, W u + X)
 * with D_j the derivative along W_j, u held, and the commutator of the motion with W_j
 *     Gamma_j = D_v [W_j] + dW_j/dt - D_j [W u + X].
 * Where q' is not v but N v, the two derivatives D_v and D_j do not commute either, and Gamma_j gains the commutator of N
 * (doc/formulations/boltzmann-hamel.md). Seen on the bodies, along directions a and b with fixed velocities, it is a motion with
 *     velocity D_a [v of b] - D_b [v of a],     angular velocity D_a [w of b] - D_b [w of a] - w of a x w of b
 * because D_a D_b R - D_b D_a R = [. x] R. It vanishes where N = 1.
 *
 * On bodies with momenta P = m v, H = I w, partial velocities v_j, w_j and accelerations v_0, w_0 for u' = 0:
 *     d(T*)/du_j        = sum P.v_j + H.w_j
 *     d/dt (d(T*)/du_j) = sum over l of (sum m v_j.v_l + w_j.I w_l) u_l'
 *                        + sum m v_0.v_j + P.v_j' + (I w_0 + w x I w).w_j + H.w_j'
 *     D_j T*          = sum P.D_j v + H.(D_j w + w x w_j)      the last from the turning inertia, 1/2 w.(D_j I) w
 * D_j [W u + X] solves S x = -D_j [S v + ...]: Y v + Z = u is held and A_k v = beta_k stays true.
 *
 * Constraints that are not linear in the rates: v = v(q, u, t), W_j = dv/du_j, and with V_jl = d2v/du_j du_l (speeds.h)
 *     d2(T*)/du_j du_l = W_j . M W_l + dT/dv . V_jl,     d/dt W_j = W_j' + sum over l of V_jl u_l'
 * with W_j' for u' = 0. The first is in d/dt (d(T*)/du_j), the second in Gamma_j = d/dt W_j - D_j [v(q, u, t)]: the matrix is (K + N) - N with
 * N_jl = dT/dv . V_jl. D_j of v holds u and keeps phi = 0, as above.
 *
 * Sub-systems whose equations are known have p = dT/dv instead of bodies with momenta, in coordinates whose N is 1:
 *     d/dt (d(T*)/du_j) = W_j . (M v' + p') + W_j' . p,     D_j T* = W_j . dT/dq + D_j [W u + X] . p
 */
#include "dynamics/determined.h"
#include "dynamics/equations.h"
#include "dynamics/speeds.h"
#include "dynamics/speeds_directions.h"
#include "kinematics/newton_euler.h"
#include "kinematics/subsystems.h"
#include "model/system_parts.h"
#include "state/scratch.h"
#include "state/state.h"

#include <string.h>

/* In state->scratch->solver. */
typedef struct scratch {
    double *dT_dv, *partials; /* m; 6 m */
    double *y;                /* m: of curved rows */
    double *system;           /* 3 m: of sub-systems: p, p' + M v' for u' = 0, dT/dq */
    double *change;           /* D_j [W u + X], p columns of m */
    dal_body_momenta *of;     /* one per body, with their rates for u' = 0 */
    dal_bend *bends;          /* of the motion along W_j: p times one per body */
} scratch;

static size_t speeds_of(const dal_system *system)
{
    return (size_t)(dal_system_freedoms(system));
}

static size_t work_boltzmann_hamel(const dal_system *system)
{
    const size_t m = (size_t)dal_system_layout(system)->nv, p = speeds_of(system), bodies = (size_t)dal_system_mechanism(system)->n_bodies;
    return 11 * m + p * m + (bodies * sizeof(dal_body_momenta) + p * bodies * sizeof(dal_bend)) / sizeof(double);
}

static scratch scratch_boltzmann_hamel(const dal_state *state)
{
    const size_t m = (size_t)state->layout->nv, p = speeds_of(state->system);
    double *change = state->scratch->solver + 11 * m;
    dal_body_momenta *of = (dal_body_momenta *)(change + p * m);
    return (scratch){.dT_dv = state->scratch->solver,
                     .partials = state->scratch->solver + m,
                     .y = state->scratch->solver + 7 * m,
                     .system = state->scratch->solver + 8 * m,
                     .change = change,
                     .of = of,
                     .bends = (dal_bend *)(of + state->mechanism->n_bodies)};
}

/* Momenta of the bodies, dT/dv (their pull), and K. */
static void find_momenta_boltzmann_hamel(dal_state *state, dal_body_momenta *of, double *dT_dv, double *partials)
{
    const dal_layout *layout = state->layout;
    dal_speeds *s = state->speeds->basis;
    const int p = s->p;
    double *v = partials, *w = v + 3 * p;
    memset(dT_dv, 0, sizeof *dT_dv * (size_t)s->n);
    memset(s->K, 0, sizeof *s->K * (size_t)p * (size_t)p);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        double I[9], rho[3], about_r[3];
        dal_center_along(body, &s->motion[b], of[b].P);
        dal_momenta_of(body, kin, s->rate[b].c, s->rate[b].w, I, &of[b]);
        dal_turn(kin->R, body->center, rho);
        dal_copy3(of[b].H, about_r);
        dal_add_cross(rho, of[b].P, about_r);
        dal_pull_body(layout, &state->work, b, of[b].P, about_r, dT_dv);
        dal_speeds_partials(state, b, v, w);
        const int n = dal_speeds_moving(p, v, w, s->trial);
        for (int i = 0; i < n; i++) {
            const int j = s->trial[i];
            double *K = s->K + (size_t)j * (size_t)p, I_w[3];
            dal_mul3(I, w + 3 * j, I_w);
            for (const int *l = s->trial; l <= s->trial + i; l++)
                K[*l] += body->mass * dal_dot(v + 3 * j, v + 3 * *l) + dal_dot(I_w, w + 3 * *l);
        }
    }
}

/* d/dt (d(T*)/du_j) for u' = 0. */
static double rate_of_momentum(const dal_state *state, const dal_body_momenta *of, int j)
{
    const dal_direction W = dal_speeds_column(state, j);
    double sum = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        double v_j[3], vd_j[3], wd_j[3];
        dal_center_along(&state->mechanism->bodies[b], &W.tangent[b], v_j);
        dal_speeds_partial_rates(state, j, b, vd_j, wd_j);
        sum += dal_dot(of[b].Pd, v_j) + dal_dot(of[b].P, vd_j) + dal_dot(of[b].Hd, W.tangent[b].w) + dal_dot(of[b].H, wd_j);
    }
    return sum;
}

/* D_j [W u + X] of all j into change, and the bends of the motion along W_j, one per body, into bends. */
static void find_changes(dal_state *state, double *change, dal_bend *bends)
{
    const dal_layout *layout = state->layout;
    const dal_direction v = dal_speeds_motion(state);
    for (int j = 0; j < state->speeds->basis->p; j++, bends += layout->mechanism->n_bodies) {
        const dal_direction W = dal_speeds_column(state, j);
        double *x = change + (size_t)j * (size_t)layout->nv;
        layout->family->bend(layout, &state->work, &W, &v, bends);
        dal_speeds_bend(state, &W, &v, bends, x);
        for (int i = 0; i < layout->nv; i++)
            x[i] = -x[i];
    }
    if (!dal_speeds_constant(state))
        dal_speeds_solve_columns(state, change);
}

/* D_j T*, from D_j [W u + X] and the bends of the motion along W_j. */
static double slope_of_energy(dal_state *state, const dal_body_momenta *of, int j, const double *change, const dal_bend *bends)
{
    const dal_layout *layout = state->layout;
    const dal_direction W = dal_speeds_column(state, j), along = {change, 0, state->scratch->tangents};
    const bool constant = dal_speeds_constant(state); /* W u + X does not change */
    double sum = 0;
    if (!constant)
        layout->family->tangent(layout, &state->work, &along);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        double fixed[3], by_v[3], turn[3];
        dal_center_bend(body, &bends[b], fixed);
        dal_cross(state->work.kin[b].w, W.tangent[b].w, turn);
        sum += dal_dot(of[b].P, fixed) + dal_dot(of[b].H, bends[b].wb) + dal_dot(of[b].H, turn);
        if (constant)
            continue;
        dal_center_along(body, &along.tangent[b], by_v);
        sum += dal_dot(of[b].P, by_v) + dal_dot(of[b].H, along.tangent[b].w);
    }
    return sum;
}

/* The commutator of N on the momenta: sum of P.(D_a [v of b] - D_b [v of a]) + H.(D_a [w of b] - D_b [w of a] - w of a x w of b) for the
 * motion a and b = W_j, with the bends D_a of b and D_b of a. */
static double commute_boltzmann_hamel(const dal_state *state, const dal_body_momenta *of, int j, const dal_bend *ab, const dal_bend *ba)
{
    const dal_direction a = dal_speeds_motion(state), b = dal_speeds_column(state, j);
    double sum = 0;
    for (int i = 0; i < state->mechanism->n_bodies; i++) {
        double v_ab[3], v_ba[3], turn[3];
        dal_center_bend(&state->mechanism->bodies[i], &ab[i], v_ab);
        dal_center_bend(&state->mechanism->bodies[i], &ba[i], v_ba);
        dal_cross(a.tangent[i].w, b.tangent[i].w, turn);
        for (int k = 0; k < 3; k++)
            sum += of[i].P[k] * (v_ab[k] - v_ba[k]) + of[i].H[k] * (ab[i].wb[k] - ba[i].wb[k] - turn[k]);
    }
    return sum;
}

/* Gamma_j . dT/dv, from the same. */
static double commutator(const dal_state *state, const dal_body_momenta *of, int j, const double *change, const dal_bend *bends, const double *dT_dv)
{
    const double *Wd = state->speeds->basis->Wd + (size_t)j * (size_t)state->speeds->basis->n;
    double sum = 0;
    for (int i = 0; i < state->speeds->basis->n; i++)
        sum += (Wd[i] - change[i]) * dT_dv[i];
    return sum + commute_boltzmann_hamel(state, of, j, dal_speeds_column_bend(state, j), bends);
}

/* Sub-systems: their terms of dT/dv, K and the three vectors. */
static void find_systems_boltzmann_hamel(dal_state *state, const scratch *at)
{
    const dal_layout *layout = state->layout;
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    double *momentum = at->system, *rate = momentum + n, *slope = rate + n, *MW = s->x;
    if (!layout->systems)
        return;
    memset(at->system, 0, sizeof *at->system * 3 * n);
    dal_subsystems_momentum(layout, &state->work, momentum);
    dal_subsystems_momentum_rate(layout, &state->work, rate);
    dal_subsystems_mass(layout, &state->work, s->bias, rate);
    dal_subsystems_slope(layout, &state->work, slope);
    for (size_t i = 0; i < n; i++)
        at->dT_dv[i] += momentum[i];
    for (size_t j = 0; j < p; j++) {
        memset(MW, 0, sizeof *MW * n);
        dal_subsystems_mass(layout, &state->work, s->W + j * n, MW);
        for (size_t l = 0; l <= j; l++)
            for (size_t i = 0; i < n; i++)
                s->K[j * p + l] += MW[i] * s->W[l * n + i];
    }
}

/* -d/dt (d(T*)/du_j) + D_j T* of them, for u' = 0. */
static double systems_boltzmann_hamel(const dal_state *state, const scratch *at, int j, const double *change)
{
    const dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n;
    const double *W = s->W + (size_t)j * n, *Wd = s->Wd + (size_t)j * n, *momentum = at->system, *rate = momentum + n, *slope = rate + n;
    double sum = 0;
    for (size_t i = 0; i < n && state->layout->systems; i++)
        sum += -(W[i] * rate[i] + Wd[i] * momentum[i]) + (W[i] * slope[i] + change[i] * momentum[i]);
    return sum;
}

static bool applies_boltzmann_hamel(const dal_system *system, dal_refusal *why)
{
    return dal_energy_applies(system, why) && dal_speeds_apply(system, why);
}

static dal_flow solve_boltzmann_hamel(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_speeds *s = state->speeds->basis;
    const scratch at = scratch_boltzmann_hamel(state);
    const dal_flow flow = dal_speeds_begin(state, true);
    if (flow)
        return flow;
    find_momenta_boltzmann_hamel(state, at.of, at.dT_dv, at.partials);
    find_systems_boltzmann_hamel(state, &at);
    find_changes(state, at.change, at.bends);
    for (int j = 0; j < s->p; j++) {
        const double *change = at.change + (size_t)j * (size_t)s->n;
        const dal_bend *bends = at.bends + (size_t)j * (size_t)state->mechanism->n_bodies;
        const double rate = rate_of_momentum(state, at.of, j), slope = slope_of_energy(state, at.of, j, change, bends);
        const double Gamma = commutator(state, at.of, j, change, bends, at.dT_dv);
        s->f[j] = dal_speeds_force(state, j) - rate + slope + Gamma + systems_boltzmann_hamel(state, &at, j, change);
    }
    if (state->layout->curved)
        dal_speeds_add_curved(state, at.y);
    return dal_speeds_finish(state);
}

const dal_formulation dal_boltzmann_hamel = {
    .name = "boltzmann-hamel",
    .title = "Boltzmann and Hamel: Lagrange's equations in speeds, with the commutators of the speeds; as many equations as freedoms",
    DAL_FORMULATION_IN_SPEEDS(applies_boltzmann_hamel, work_boltzmann_hamel, solve_boltzmann_hamel, NULL, dal_show_boltzmann_hamel),
};
