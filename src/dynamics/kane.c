/* Kane's equations, (50) of `lagrange-to-kane`:
 *     sum over bodies of Ti^T (Mi dVi/dt + Wi Mi Vi) = sum of Ti^T Fi
 * with Vi = (w_i, v_i) the angular velocity in body axes and the velocity of the centre of mass in inertial ones,
 *     Ti = Ji W                   partial velocities (48)
 *     Mi = diag(I_i, m_i 1)       constant (26),    Wi = diag([w_i x], 0)  (30)
 *     Fi = (moment about the centre of mass, force), which the paper calls w_i
 * dVi/dt = Ti u' + its value for u' = 0, so that K = sum Ti^T Mi Ti. Forces given on coordinates add W^T of them, and sub-systems whose equations
 * are known W^T (M v' + h).
 */
#include "dynamics/equations.h"
#include "dynamics/open_tree.h"
#include "dynamics/speeds_sum.h"
#include "kinematics/newton_euler.h"
#include "model/system_parts.h"
#include "state/scratch.h"

/* Partial velocities of one body. */
static size_t work_kane(const dal_system *system)
{
    return 6 * (size_t)dal_system_layout(system)->nv;
}

/* Fi - (Mi dVi/dt + Wi Mi Vi) for u' = 0: a moment in body axes and a force. */
static void find_remainder(const dal_state *state, int b, double moment[3], double force[3])
{
    const dal_body *body = &state->mechanism->bodies[b];
    const dal_kin *kin = &state->work.kin[b];
    const struct dal_body_rate *rate = &state->speeds->basis->rate[b];
    const double *applied = state->work.force + 6 * b, minus[3] = {-applied[0], -applied[1], -applied[2]};
    double rho[3], world[3] = {applied[3], applied[4], applied[5]}, w[3], wd[3], H[3], Hd[3];
    dal_turn(kin->R, body->center, rho);
    dal_add_cross(rho, minus, world); /* from r to the centre of mass */
    dal_mulT3(kin->R, world, moment);
    dal_mulT3(kin->R, kin->w, w);
    dal_mulT3(kin->R, rate->w, wd); /* d/dt (R^T w) = R^T w' because w x w = 0 */
    dal_turn(body->inertia, w, H);
    dal_euler_moment(body->inertia, w, wd, H, Hd);
    for (int i = 0; i < 3; i++) {
        moment[i] -= Hd[i];
        force[i] = applied[i] - body->mass * rate->c[i];
    }
}

/* The same in the plane: a force and the moment about e_z. */
static void add_flat_body(dal_state *state, int b)
{
    const dal_body *body = &state->mechanism->bodies[b];
    const dal_kin *kin = &state->work.kin[b];
    dal_speeds *s = state->speeds->basis;
    const struct dal_body_rate *rate = &s->rate[b];
    const int p = s->p, bodies = state->mechanism->n_bodies;
    const double *F = state->work.force + 6 * b, *c = body->center, m = body->mass, I = body->inertia[8];
    const double x = kin->R[0] * c[0] + kin->R[1] * c[1], y = kin->R[3] * c[0] + kin->R[4] * c[1];
    const double moment = F[5] - (x * F[1] - y * F[0]) - I * rate->w[2], force[2] = {F[0] - m * rate->c[0], F[1] - m * rate->c[1]};
    double *partial = state->scratch->solver;
    for (int j = 0; j < p; j++) {
        double *v = partial + 3 * j, *K = s->K + (size_t)j * (size_t)p;
        dal_flat_partial(body, &s->T[(size_t)j * (size_t)bodies + (size_t)b], v);
        s->f[j] += v[0] * force[0] + v[1] * force[1] + v[2] * moment;
        const double P[3] = {m * v[0], m * v[1], I * v[2]};
        for (int l = 0; l <= j; l++)
            K[l] += P[0] * partial[3 * l] + P[1] * partial[3 * l + 1] + P[2] * partial[3 * l + 2];
    }
}

static void add_body_kane(dal_state *state, int b)
{
    const dal_body *body = &state->mechanism->bodies[b];
    dal_speeds *s = state->speeds->basis;
    const int p = s->p;
    if (state->mechanism->space == DAL_PLANAR) {
        add_flat_body(state, b);
        return;
    }
    double *v = state->scratch->solver, *w = v + 3 * p, moment[3], force[3];
    find_remainder(state, b, moment, force);
    dal_speeds_partials(state, b, v, w);
    const int n = dal_speeds_moving(p, v, w, s->trial);
    for (int i = 0; i < n; i++) {
        const int j = s->trial[i];
        double *K = s->K + (size_t)j * (size_t)p, I_w[3];
        dal_mulT3(state->work.kin[b].R, w + 3 * j, w + 3 * j); /* to body axes */
        dal_turn(body->inertia, w + 3 * j, I_w);
        for (const int *l = s->trial; l <= s->trial + i; l++)
            K[*l] += body->mass * dal_dot(v + 3 * j, v + 3 * *l) + dal_dot(I_w, w + 3 * *l);
        s->f[j] += dal_dot(v + 3 * j, force) + dal_dot(w + 3 * j, moment);
    }
}

static dal_flow solve_kane(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const dal_flow flow = dal_speeds_begin_sum(state);
    if (flow)
        return flow;
    for (int j = 0; j < s->p; j++) {
        s->f[j] = 0;
        for (int i = 0; i < s->n; i++)
            s->f[j] += s->W[(size_t)j * (size_t)s->n + (size_t)i] * state->work.direct[i];
    }
    return dal_speeds_sum(state, add_body_kane);
}

/* On a large open tree: the remainders as wrenches at r, in world axes. */
static dal_flow solve_on_tree(dal_state *state)
{
    dal_body_wrench *wrench = dal_open_wrenches(state);
    dal_open_rates(state);
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_kin *kin = &state->work.kin[b];
        double moment[3], rho[3];
        find_remainder(state, b, moment, wrench[b]);
        dal_turn(kin->R, state->mechanism->bodies[b].center, rho);
        dal_mul3(kin->R, moment, wrench[b] + 3);
        dal_add_cross(rho, wrench[b], wrench[b] + 3);
    }
    return dal_open_finish(state);
}

const dal_formulation dal_kane = {
    .name = "kane",
    .title = "Kane: forces and inertia forces on the partial velocities; as many equations as freedoms",
    DAL_FORMULATION_WITHOUT_LOADS(dal_speeds_apply, work_kane, solve_kane, solve_on_tree, dal_show_kane),
};
