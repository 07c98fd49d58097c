/* The equations of Gibbs and Appell: dG/du' = U, with the energy of acceleration
 *     G = sum over bodies of 1/2 m a.a + 1/2 alpha.I alpha + alpha.(w x I w)
 * in inertial axes (what does not depend on u' is omitted).
 *
 * Accelerations are linear in the rates of the speeds: a = sum a_j u_j' + a_0, alpha = sum alpha_j u_j' + alpha_0. Seen as a form in
 * (u', 1), G = 1/2 (u', 1)^T G_ (u', 1) with
 *     G_jl = sum m a_j.a_l + alpha_j.I alpha_l                              j, l speeds
 *     G_0l = sum m a_0.a_l + alpha_0.I alpha_l + alpha_l.(w x I w)          the row of the 1
 * and dG/du' = U is K u' = U - G_0 with K the part of the speeds. Sub-systems whose equations are known add 1/2 v'.M v' + h.v' to G.
 */
#include "dynamics/equations.h"
#include "dynamics/open_tree.h"
#include "dynamics/speeds_sum.h"
#include "kinematics/newton_euler.h"
#include "model/system_parts.h"
#include "state/scratch.h"

/* Accelerations of one body: for each speed, and the rest. */
static size_t work_gibbs_appell(const dal_system *system)
{
    return 6 * ((size_t)dal_system_layout(system)->nv + 1);
}

/* The same in the plane: accelerations (a_x, a_y, alpha), and w is parallel to I w. */
static void add_flat_gibbs_appell(dal_state *state, int b)
{
    const dal_body *body = &state->mechanism->bodies[b];
    dal_speeds *s = state->speeds->basis;
    const int p = s->p, bodies = state->mechanism->n_bodies;
    const double m = body->mass, I = body->inertia[8], *rate = s->rate[b].c;
    double *a = state->scratch->solver, *rest = a + 3 * p;
    rest[0] = m * rate[0], rest[1] = m * rate[1], rest[2] = I * s->rate[b].w[2];
    for (int j = 0; j < p; j++) {
        double *a_j = a + 3 * j, *K = s->K + (size_t)j * (size_t)p;
        dal_flat_partial(body, &s->T[(size_t)j * (size_t)bodies + (size_t)b], a_j);
        for (int l = 0; l <= j; l++)
            K[l] += m * (a_j[0] * a[3 * l] + a_j[1] * a[3 * l + 1]) + I * a_j[2] * a[3 * l + 2];
        s->f[j] -= rest[0] * a_j[0] + rest[1] * a_j[1] + rest[2] * a_j[2];
    }
}

/* The terms of one body in the form; row p is that of the 1, which only meets the speeds. */
static void add_body_gibbs_appell(dal_state *state, int b)
{
    const dal_body *body = &state->mechanism->bodies[b];
    const dal_kin *kin = &state->work.kin[b];
    dal_speeds *s = state->speeds->basis;
    const int p = s->p;
    if (state->mechanism->space == DAL_PLANAR) {
        add_flat_gibbs_appell(state, b);
        return;
    }
    double *a = state->scratch->solver, *alpha = a + 3 * (p + 1), I[9], gyroscopic[3];
    dal_speeds_partials(state, b, a, alpha);
    dal_copy3(s->rate[b].c, a + 3 * p);
    dal_copy3(s->rate[b].w, alpha + 3 * p);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_gyroscopic_moment(I, kin->w, gyroscopic);
    const int n = dal_speeds_moving(p, a, alpha, s->trial);
    s->trial[n] = p; /* the 1, behind the speeds that move the body */
    for (int i = 0; i <= n; i++) {
        const int j = s->trial[i];
        double I_alpha[3];
        dal_mul3(I, alpha + 3 * j, I_alpha);
        for (int at = 0; at <= i && at < n; at++) {
            const int l = s->trial[at];
            double product = body->mass * dal_dot(a + 3 * j, a + 3 * l) + dal_dot(I_alpha, alpha + 3 * l);
            if (j < p)
                s->K[(size_t)j * (size_t)p + (size_t)l] += product;
            else
                s->f[l] -= product + dal_dot(alpha + 3 * l, gyroscopic);
        }
    }
}

static dal_flow solve_gibbs_appell(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const dal_flow flow = dal_speeds_begin_sum(state);
    if (flow)
        return flow;
    for (int j = 0; j < s->p; j++)
        s->f[j] = dal_speeds_force(state, j);
    return dal_speeds_sum(state, add_body_gibbs_appell);
}

/* On a large open tree: U - G_0, body by body, as wrenches at r. */
static dal_flow solve_on_tree(dal_state *state)
{
    dal_body_wrench *wrench = dal_open_wrenches(state);
    dal_open_rates(state);
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        const struct dal_body_rate *rate = &state->speeds->basis->rate[b];
        double I[9], I_alpha[3], gyroscopic[3], rho[3], lost[3];
        dal_turn(kin->R, body->center, rho);
        dal_turn_inertia(kin->R, body->inertia, I);
        dal_gyroscopic_moment(I, kin->w, gyroscopic);
        dal_mul3(I, rate->w, I_alpha);
        dal_cross(rho, rate->c, lost);
        for (int i = 0; i < 3; i++) {
            wrench[b][i] = state->work.force[6 * b + i] - body->mass * rate->c[i];
            wrench[b][3 + i] = state->work.force[6 * b + 3 + i] - (I_alpha[i] + gyroscopic[i]) - body->mass * lost[i];
        }
    }
    return dal_open_finish(state);
}

const dal_formulation dal_gibbs_appell = {
    .name = "gibbs-appell",
    .title = "Gibbs and Appell: the derivative of the energy of acceleration; as many equations as freedoms",
    DAL_FORMULATION_WITHOUT_LOADS(dal_speeds_apply, work_gibbs_appell, solve_gibbs_appell, solve_on_tree, dal_show_gibbs_appell),
};
