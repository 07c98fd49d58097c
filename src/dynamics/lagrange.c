/* Lagrange's equations of the first kind:
 *     M v' + h = Q + A^T lambda,   A v' = gamma
 * solved as one saddle system in (v', -lambda). M may be singular: only
 * rank [M; A] = m is needed (FORMULATIONS, Result 3 of `udwadia-phohomsiri`).
 */
#include "system/system.h"

#include <string.h>

static bool applies(const dal_system *system, char *why, size_t size)
{
    (void)system, (void)why, (void)size;
    return true;
}

static int equations(const dal_system *system)
{
    return system->layout.nv;
}

static int multipliers(const dal_system *system)
{
    return system->layout.n_rows;
}

static size_t work(const dal_system *system)
{
    (void)system;
    return 0;
}

static dal_flow solve(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const double unit = 1 / state->system->mass;
    double ratio = dal_saddle_factor(state, DAL_METRIC_MASS);
    if (dal_state_alarm(state, DAL_FACTOR_SADDLE, ratio)) {
        ratio = dal_saddle_factor(state, DAL_METRIC_MASS);
        if (!(ratio > 0))
            return dal_state_fail(state, "the equations of motion are singular: the inertia and the constraints together do not determine "
                                         "the accelerations (rank [M; A] < %d)", layout->nv);
    }
    if (ratio < state->condition_worst)
        state->condition_worst = ratio;
    for (int i = 0; i < layout->nv; i++)
        state->vd[i] = unit * (state->work.Q[i] - state->work.h[i]);
    memcpy(state->lambda, state->gamma, sizeof *state->lambda * (size_t)layout->n_rows);
    dal_saddle_solve(state, state->vd, state->lambda);
    for (int i = 0; i < layout->n_rows; i++)
        state->lambda[i] *= -state->system->mass;
    return 0;
}

const dal_formulation dal_lagrange = {
    .name = "lagrange",
    .title = "Lagrange multipliers: one saddle system for accelerations and multipliers; the mass matrix may be singular",
    .applies = applies,
    .equations = equations,
    .multipliers = multipliers,
    .work = work,
    .solve = solve,
};
