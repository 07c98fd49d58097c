/* Lagrange's equations of the first kind:
 *     M v' + h = Q + A^T lambda,   A v' = gamma
 * solved as one saddle system in (v', -lambda). M may be singular: only
 * rank [M; A] = m is needed (FORMULATIONS, Result 3 of `udwadia-phohomsiri`).
 *
 * Near a singular position at distance d the multipliers grow like 1/d, and a
 * symmetric factorisation of the saddle matrix leaves an error of eps/d^2 in v'.
 * There the same system is solved on the null space of A instead, with an error
 * of eps/d: with A^T = [Q1 Q2] [R; 0],
 *     v' = Q1 R^-T gamma + Q2 y,   (Q2^T M Q2) y = Q2^T (Q - h - M Q1 R^-T gamma),   lambda = R^-1 Q1^T (M v' + h - Q)
 */
#include "dynamics/equations.h"
#include "dynamics/mutate.h"
#include "math/dense.h"
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

/* Of the null-space solution; large systems do not have it. */
static size_t work(const dal_system *system)
{
    const size_t m = (size_t)system->layout.nv, r = (size_t)system->layout.n_rows;
    return system->careful ? m * r + 2 * r + 3 * m * m + 4 * m : 0;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static dal_flow solve_on_null_space(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const int m = layout->nv, k = state->rank, p = m - k;
    const size_t columns = (size_t)m;
    double *B = state->solver, *tau = B + columns * (size_t)layout->n_rows, *rhs = tau + layout->n_rows;
    double *Z = rhs + layout->n_rows, *MZ = Z + columns * columns, *K = MZ + columns * columns;
    double *f = K + columns * columns, *x = f + m, *Mx = x + m, *y = Mx + m;
    int where;

    /* A^T = Q R, x = Q1 R^-T gamma */
    memset(B, 0, sizeof *B * columns * (size_t)k);
    for (int i = 0; i < k; i++) {
        const dal_row_layout *at = &layout->row[state->order[i]];
        for (int j = at->value; j < at->value + at->n_values; j++)
            B[(size_t)i * columns + (size_t)layout->column[j]] += state->work.A[j];
        rhs[i] = state->gamma[state->order[i]];
    }
    if (!(dal_qr(B, m, k, m, tau) > 0))
        return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
    dal_qr_least_norm(B, m, k, m, tau, rhs, x);

    /* Z = Q2, K = Z^T M Z, y = Z^T (Q - h - M x) */
    dal_mass_times(layout, state->work.M, x, Mx);
    for (int i = 0; i < m; i++)
        f[i] = state->work.Q[i] - state->work.h[i];
    for (int j = 0; j < p; j++) {
        double *z = Z + (size_t)j * columns;
        memset(z, 0, sizeof *z * columns);
        z[k + j] = 1;
        dal_qr_q_times(B, m, k, m, tau, z);
        dal_mass_times(layout, state->work.M, z, MZ + (size_t)j * columns);
        y[j] = dot(z, f, m) - dot(z, Mx, m);
        for (int i = 0; i <= j; i++)
            K[(size_t)j * (size_t)p + (size_t)i] = dot(z, MZ + (size_t)i * columns, m);
    }
    if (p && !dal_cholesky(K, p, p, 1e-15, &where))
        return dal_state_fail(state, "the equations of motion are singular: the inertia does not determine the motion that the constraints leave free");
    if (p)
        dal_cholesky_solve(K, p, p, y);
    memcpy(state->vd, x, sizeof *x * columns);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < m; i++)
            state->vd[i] += y[j] * Z[(size_t)j * columns + (size_t)i];

    /* R lambda = Q1^T (M v' - f) */
    dal_mass_times(layout, state->work.M, state->vd, Mx);
    for (int i = 0; i < m; i++)
        Mx[i] -= f[i];
    dal_qr_qt_times(B, m, k, m, tau, Mx);
    dal_qr_r_solve(B, k, m, Mx);
    memset(state->lambda, 0, sizeof *state->lambda * (size_t)layout->n_rows);
    for (int i = 0; i < k; i++)
        state->lambda[state->order[i]] = Mx[i];
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
    if (state->near_singular)
        return solve_on_null_space(state);
    for (int i = 0; i < layout->nv; i++)
        state->vd[i] = unit * (state->work.Q[i] - DAL_MUTATED(LAGRANGE, state->work.h[i]));
    memcpy(state->lambda, state->gamma, sizeof *state->lambda * (size_t)layout->n_rows);
    dal_saddle_solve(state, state->vd, state->lambda);
    for (int i = 0; i < layout->n_rows; i++)
        state->lambda[i] *= -state->system->mass;
    return 0;
}

/* The saddle system, without the scaling of its factorisation; rows that depend on others are left out. */
static void show(dal_state *state, dal_equations *equations)
{
    const int m = state->system->layout.nv;
    double *mu = dal_show_scratch(equations, (size_t)state->rank);
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
    for (int i = 0; i < state->rank; i++)
        mu[i] = -state->lambda[state->order[i]];
    dal_show_unknowns(equations, dal_names_accelerations(equations, state), state->vd);
    dal_show_unknowns(equations, dal_names_multipliers(equations, state, "-"), mu);
}

const dal_formulation dal_lagrange = {
    .name = "lagrange",
    .title = "Lagrange multipliers: one saddle system for accelerations and multipliers; the mass matrix may be singular",
    .applies = applies,
    .equations = equations,
    .multipliers = multipliers,
    .work = work,
    .solve = solve,
    .show = show,
};
