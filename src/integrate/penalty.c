/* Penalty, and the iteration of the augmented Lagrangian: E. Bayo, J. Garcia de Jalon, M. A. Serna, A modified Lagrangian formulation for the
 * dynamic analysis of constrained mechanical systems, Computer Methods in Applied Mechanics and Engineering 71 (1988), 183-195.
 *
 * A violated row exerts a restoring force, by an inertia a, a damping and a stiffness:
 *     lambda = -a (phi'' + 2 xi omega phi' + omega^2 phi) = a (gamma_s - A v'),   gamma_s = gamma - 2 xi omega phi' - omega^2 phi
 *     (M + A^T a A) v' = Q - h + A^T a gamma_s
 * so that phi'' + 2 xi omega phi' + omega^2 phi = -lambda / a: rows stay open by about lambda / (a omega^2). The iteration removes this error,
 *     lambda_(n+1) = lambda_n + a (gamma_s - A v'_(n+1)),   (M + A^T a A) v'_(n+1) = Q - h + A^T (lambda_n + a gamma_s)
 * and ends where A v' = gamma_s: Baumgarte's equations with alpha = xi omega, beta = omega, reached without a choice of independent
 * rows. On a direction of the rows with the eigenvalue s of A M^-1 A^T the error falls by 1 / (1 + a s) each time. lambda_0 is
 * zero, so that the accelerations are a function of the state alone. Redundant rows share the load by their a.
 *
 * M + A^T a A is not formed: eight digits would be lost in the sum. With mu = -lambda the same equations are
 *     [ M   A^T  ] [ v' ]   [ Q - h                ]
 *     [ A  -1/a  ] [ mu ] = [ gamma_s - mu_n / a   ]
 * which is regular wherever rank [M; A] = m, rows redundant or not, and is solved for the changes of v' and mu, from the residuals of the last ones:
 * one pass is the plain penalty; each further pass is a step of the iteration and of refinement at once.
 *
 * Units: a_i = factor * (the largest mass) * n_i^2, n_i the scale at which row i has unit norm when turns are measured by the model's
 * length. `factor` is a number, and the motion does not depend on the units of the model.
 */
#include "model/system.h"
#include "state/state.h"
#include "dynamics/determined.h"
#include "dynamics/saddle.h"
#include "state/report.h"
#include "state/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PASSES = 50 };
static const double as_good_as_rounding = 1e-8; /* of the accelerations: below, changes that no longer fall by half are rounding */

/* (f, c) := (Q - h - M v' + A^T lambda, gamma_s - A v'), over the model's mass the first. */
static void residuals_penalty(dal_state *state, double *f, double *c, double *scratch)
{
    const dal_layout *layout = state->layout;
    const double unit = 1 / layout->units.mass;
    dal_mass_times(layout, state->work.M, state->vd, f);
    dal_rows_transposed(layout, state->work.A, state->lambda, scratch);
    for (int j = 0; j < layout->nv; j++)
        f[j] = unit * (state->work.Q[j] - state->work.h[j] - f[j] + scratch[j]);
    dal_rows_times(layout, state->work.A, state->vd, c);
    for (int i = 0; i < layout->n_rows; i++)
        c[i] = state->gamma[i] - c[i];
}

/* The scale of the accelerations, metres per second squared: themselves, and those of the applied forces alone. */
static double size_of_motion(const dal_state *state)
{
    double size = 0;
    for (int j = 0; j < state->layout->nv; j++) {
        size = fmax(size, fabs(state->vd[j]) * state->layout->units.column_scale[j]);
        size = fmax(size, fabs(state->work.Q[j] - state->work.h[j]) / (state->layout->units.mass * state->layout->units.column_scale[j]));
    }
    return size;
}

/* One pass: v' and lambda are improved. By how much v' changed. */
static double improve_penalty(dal_state *state)
{
    const dal_layout *layout = state->layout;
    double *f = state->scratch->projector, *scratch = f + layout->nv, *c = scratch + layout->nv, change = 0;
    residuals_penalty(state, f, c, scratch);
    dal_saddle_solve(state, f, c);
    for (int j = 0; j < layout->nv; j++) {
        state->vd[j] += f[j];
        change = fmax(change, fabs(f[j]) * layout->units.column_scale[j]);
    }
    for (int i = 0; i < layout->n_rows; i++)
        state->lambda[i] -= layout->units.mass * c[i];
    return change;
}

static dal_flow solve_penalty(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int stated = system->method.penalty_passes;
    double ratio = dal_saddle_soften(state, 1 / system->method.penalty), size = 0, change = HUGE_VAL, before = HUGE_VAL;
    if (!(ratio > 0))
        return dal_fail_undetermined(state);
    state->report->condition_worst = fmin(state->report->condition_worst, ratio);
    memset(state->vd, 0, sizeof *state->vd * (size_t)layout->nv);
    memset(state->lambda, 0, sizeof *state->lambda * (size_t)layout->n_rows);
    for (int pass = 0; pass < (stated ? stated : MOST_PASSES); pass++) {
        before = change;
        change = improve_penalty(state);
        if (stated)
            continue;
        size = size_of_motion(state);
        if (change <= system->method.tolerance * size || (change > 0.5 * before && change <= as_good_as_rounding * size))
            return 0;
    }
    return stated ? 0
                  : dal_state_fail(state,
                                   "penalty: after %d passes the accelerations still change by %.1e of their size: the "
                                   "position is near a singular "
                                   "one, or the factor %.3g is too small; a number of `iterations:` takes what they give",
                                   MOST_PASSES, size > 0 ? change / size : 0, system->method.penalty);
}

/* Only there v' and lambda are solved for together, from M and A. */
static bool applies_penalty(const dal_system *system, dal_refusal *why)
{
    if (system->method.formulation->saddle)
        return true;
    dal_decline(why, DAL_REASON_OTHER,
                "penalty replaces the constraints of Lagrange's equations by forces, and %s meets its constraints "
                "exactly: use penalty with "
                "lagrange, or another stabilization",
                system->method.formulation->name);
    return false;
}

static size_t work_penalty(const dal_system *system)
{
    return 2 * (size_t)system->layout.nv + (size_t)system->layout.n_rows;
}

static const char *const options[] = {"factor", "omega", "xi", "iterations", "tolerance", NULL};

const dal_stabilization dal_stabilize_penalty = {
    .name = "penalty",
    .title = "rows pull back with inertia, damping and stiffness; an iteration (augmented Lagrangian) makes the motion exact",
    .options = options,
    .applies = applies_penalty,
    .stabilises_gamma = true,
    .solve = solve_penalty,
    .work = work_penalty,
};
