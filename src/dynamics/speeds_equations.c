/* The end of every formulation with speeds: K u' = f is solved, v' and the multipliers follow.
 *
 *   K u' = f                          by Cholesky, at unit diagonal: whether K is singular does not depend on units
 *   v' = W u' + bias
 *   S^T [mu; lambda] = M v' + h - Q   mu vanishes up to rounding; lambda belongs to the rows A_k, the other rows have none
 *
 * One step of iterative refinement (refine.c) corrects all of them for the residuals, f in the equations and b in the rows:
 *   dv = W du + c,   S c = [0; f of the ignorable coordinates (their rows of S are those of M: momenta); b],   K du = W^T (f - M c)
 */
#include "dynamics/speeds_directions.h"
#include "dynamics/speeds_matrix.h"
#include "kinematics/subsystems.h"
#include "math/dense.h"
#include "model/coordinate_names.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pivot_tolerance = 1e-14; /* pivot of the inertia of the speeds, at unit diagonal: below it there is no inertia */

/* (9) of `volterra-reduced`, with each body's wrench at r and the forces given on coordinates. */
double dal_speeds_force(const dal_state *state, int j)
{
    const dal_speeds *s = state->speeds->basis;
    const dal_direction along = dal_speeds_column(state, j);
    double U = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        U += dal_dot(state->work.force + 6 * b, along.tangent[b].rd) + dal_dot(state->work.force + 6 * b + 3, along.tangent[b].w);
    for (int i = 0; i < s->n; i++)
        U += state->work.direct[i] * along.a[i];
    return U;
}

void dal_speeds_add_subsystems(dal_state *state)
{
    const dal_layout *layout = state->layout;
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n, p = (size_t)s->p;
    double *h = s->b, *MW = s->x;
    if (!layout->systems)
        return;
    memset(h, 0, sizeof *h * n);
    memset(MW, 0, sizeof *MW * n);
    dal_subsystems_slope(layout, &state->work, MW);
    dal_subsystems_momentum_rate(layout, &state->work, h);
    dal_subsystems_mass(layout, &state->work, s->bias, h);
    for (size_t i = 0; i < n; i++)
        h[i] -= MW[i];
    for (size_t j = 0; j < p; j++) {
        const double *W = s->W + j * n;
        memset(MW, 0, sizeof *MW * n);
        dal_subsystems_mass(layout, &state->work, W, MW);
        for (size_t i = 0; i < n; i++)
            s->f[j] -= W[i] * h[i];
        for (size_t l = 0; l <= j; l++)
            for (size_t i = 0; i < n; i++)
                s->K[j * p + l] += MW[i] * s->W[l * n + i];
    }
}

/* lambda of S^T [mu; lambda] = f; f is overwritten. */
static void multipliers_of(dal_state *state, double *f, double *lambda)
{
    const dal_speeds *s = state->speeds->basis;
    memset(lambda, 0, sizeof *lambda * (size_t)state->layout->n_rows);
    if (!s->k)
        return;
    dal_speeds_solve_transposed(state, f);
    for (int i = 0; i < s->k; i++)
        lambda[s->row[i]] = f[s->p + s->s + i];
}

void dal_speeds_multipliers(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    double *f = s->x;
    dal_mass_times(state->layout, state->work.M, state->vd, f);
    for (int i = 0; i < s->n; i++)
        f[i] += state->work.h[i] - state->work.Q[i];
    multipliers_of(state, f, state->lambda);
}

static dal_flow fail_inertia(dal_state *state, int j)
{
    char name[100];
    if (state->speeds->basis->fixed)
        snprintf(name, sizeof name, "'%s'", dal_speed_name(state->system, state->speeds->column[j]));
    else
        dal_velocity_name(state->system, state->speeds->column[j], name, sizeof name);
    return dal_state_fail_for(state, DAL_REASON_SINGULAR_EQUATIONS,
                              "the equations of motion are singular: no inertia resists the motion of the speed %s that "
                              "the constraints leave free",
                              name);
}

/* x := K^-1 x, by the factor at unit diagonal. */
static void solve_factored_inertia(const dal_speeds *s, double *x)
{
    const size_t p = (size_t)s->p;
    for (size_t i = 0; i < p; i++)
        x[i] /= sqrt(s->K[i * p + i]);
    dal_cholesky_solve(s->L, s->p, s->p, x);
    for (size_t i = 0; i < p; i++)
        x[i] /= sqrt(s->K[i * p + i]);
}

/* K u' = f, at unit diagonal: whether K is singular does not depend on units. */
static dal_flow solve_inertia(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const size_t p = (size_t)s->p;
    double *scale = s->x;
    int where;
    for (size_t i = 0; i < p; i++) {
        double diagonal = s->K[i * p + i];
        if (!(diagonal > 0))
            return fail_inertia(state, (int)i);
        scale[i] = 1 / sqrt(diagonal);
        for (size_t j = 0; j <= i; j++)
            s->L[i * p + j] = scale[i] * scale[j] * s->K[i * p + j];
    }
    if (!dal_cholesky(s->L, s->p, s->p, pivot_tolerance, &where))
        return fail_inertia(state, where);
    memcpy(state->speeds->wd, s->f, sizeof *s->f * p);
    solve_factored_inertia(s, state->speeds->wd);
    return 0;
}

void dal_speeds_combine(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    memcpy(state->vd, s->bias, sizeof *s->bias * (size_t)s->n);
    for (int j = 0; j < s->p; j++)
        for (int i = 0; i < s->n; i++)
            state->vd[i] += state->speeds->wd[j] * s->W[(size_t)j * (size_t)s->n + (size_t)i];
}

dal_flow dal_speeds_finish(dal_state *state)
{
    dal_flow flow = solve_inertia(state);
    if (flow)
        return flow;
    dal_speeds_combine(state);
    if (!state->speeds->later)
        dal_speeds_multipliers(state);
    return 0;
}

/* dv = W du + c,   S c = [0; f of the ignorable coordinates (their rows of S are those of M: momenta); b],   K du = W^T (f - M c). */
void dal_speeds_correct(dal_state *state, const double *f, const double *b, double *dv, double *dlambda)
{
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n;
    double *du = s->sides, *rest = s->r;
    memset(dv, 0, sizeof *dv * n);
    for (int i = 0; i < s->s; i++)
        dv[s->p + i] = f[state->layout->ignorable[i]];
    for (int i = 0; i < s->k; i++)
        dv[s->p + s->s + i] = b[s->row[i]];
    dal_speeds_solve(state, dv);
    dal_mass_times(state->layout, state->work.M, dv, rest);
    for (int j = 0; j < s->p; j++) {
        du[j] = 0;
        for (size_t i = 0; i < n; i++)
            du[j] += s->W[(size_t)j * n + i] * (f[i] - rest[i]);
    }
    solve_factored_inertia(s, du);
    for (int j = 0; j < s->p; j++) {
        state->speeds->wd[j] += du[j];
        for (size_t i = 0; i < n; i++)
            dv[i] += du[j] * s->W[(size_t)j * n + i];
    }
    dal_mass_times(state->layout, state->work.M, dv, s->x);
    for (size_t i = 0; i < n; i++)
        s->x[i] -= f[i];
    multipliers_of(state, s->x, dlambda);
}
