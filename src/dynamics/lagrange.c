/* Lagrange's equations of the first kind:
 *     M v' + h = Q + A^T lambda,   A v' = gamma
 * solved as one saddle system in (v', -lambda). M may be singular: only
 * rank [M; A] = m is needed (Result 3 of `udwadia-phohomsiri`).
 * Near a singular position it is solved on the null space of A instead (null_space.c).
 */
#include "dynamics/equations.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/determined.h"
#include "dynamics/open_tree.h"
#include "kinematics/newton_euler.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "state/report.h"

#include <string.h>

/* M v' = Q - h on a large open tree: Q - h is the projection of the applied wrenches less the bias wrenches (v' = 0). */
static dal_flow solve_on_tree(dal_state *state)
{
    dal_body_wrench *wrench = dal_open_wrenches(state);
    double *f = state->saddle->rhs;
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        double I[9], rho[3], force[3], moment[3];
        dal_bias_wrench(body, kin, I, force, moment);
        dal_turn(kin->R, body->center, rho);
        dal_add_cross(rho, force, moment);
        for (int i = 0; i < 3; i++) {
            wrench[b][i] = state->work.force[6 * b + i] - force[i];
            wrench[b][3 + i] = state->work.force[6 * b + 3 + i] - moment[i];
        }
    }
    dal_open_project(state, wrench, f);
    for (int k = 0; k < state->layout->nv; k++)
        f[k] += state->work.direct[k];
    return dal_open_solve(state, f, state->vd);
}

dal_flow dal_lagrange_solve(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    const dal_layout *layout = state->layout;
    const double unit = 1 / layout->units.mass;
    double ratio = dal_saddle_factor(state, DAL_METRIC_MASS);
    if (dal_state_alarm(state, DAL_FACTOR_SADDLE, ratio)) {
        ratio = dal_saddle_factor(state, DAL_METRIC_MASS);
        if (!(ratio > 0))
            return dal_fail_undetermined(state);
    }
    if (ratio < state->report->condition_worst)
        state->report->condition_worst = ratio;
    if (dal_singular_on_null_space(state))
        return dal_null_space_solve(state);
    for (int i = 0; i < layout->nv; i++)
        state->vd[i] = unit * (state->work.Q[i] - state->work.h[i]);
    memcpy(state->lambda, state->gamma, sizeof *state->lambda * (size_t)layout->n_rows);
    dal_saddle_solve(state, state->vd, state->lambda);
    for (int i = 0; i < layout->n_rows; i++)
        state->lambda[i] *= -layout->units.mass;
    return 0;
}

/* A stabilisation may replace the solver (penalty.c). */
static dal_flow solve_lagrange(dal_state *state)
{
    return (state->system->method.stabilization->solve ? state->system->method.stabilization->solve : dal_lagrange_solve)(state);
}

/* The saddle system, without the scaling of its factorisation; dependent rows are skipped. With `penalty`, the system that
 * it approximates. */
void dal_lagrange_show(dal_state *state, dal_equations *equations)
{
    const int m = state->layout->nv;
    if (state->system->method.stabilization->solve)
        dal_lagrange_solve(state);
    dal_show_equation(equations, "[M A^T; A 0] [v'; -lambda] = [Q - h; gamma]", "Lagrange's equations of the first kind");
    dal_show_mass(equations, state);
    dal_show_place(equations, 0, 0, false, 1);
    dal_show_force(equations, state);
    dal_show_right(equations, 0);
    dal_show_constraints(equations, state);
    dal_show_place(equations, m, 0, false, 1);
    dal_show_place(equations, 0, m, true, 1);
    dal_show_gamma(equations, state);
    dal_show_right(equations, m);
    dal_show_dependent(equations, state);
    dal_show_unknowns(equations, dal_names_accelerations(equations, state), state->vd);
    dal_show_multipliers(equations, state, "-");
}

const dal_formulation dal_lagrange = {
    .name = "lagrange",
    .title = "Lagrange multipliers: one saddle system for accelerations and multipliers; the mass matrix may be singular",
    DAL_FORMULATION_WITH_MULTIPLIERS(NULL, solve_lagrange, dal_saddle_correct, dal_lagrange_show),
    .saddle = true,
    .on_tree = solve_on_tree,
};
