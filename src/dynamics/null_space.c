/* Lagrange's equations of the first kind, M v' + h = Q + A^T lambda, A v' = gamma, near a singular position.
 *
 * At a distance d from it the multipliers grow like 1/d, and a symmetric factorisation of the saddle matrix leaves an error of eps/d^2 in
 * v'. On the null space of A the error is eps/d: in units of the model, v' = U z, with (A U)^T = [Q1 Q2] [R; 0], Z = U Q2,
 *     v' = x + Z y,   x = U Q1 R^-T gamma,   (Z^T M Z) y = Z^T (Q - h - M x),   lambda = R^-1 Q1^T U (M v' + h - Q)
 */
#include "math/dense.h"
#include "math/sums.h"
#include "model/system_parts.h"
#include "state/state.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "state/scratch.h"

#include <string.h>

/* Large systems do not have it. */
size_t dal_null_space_work(const dal_system *system)
{
    const size_t m = (size_t)dal_system_layout(system)->nv, r = (size_t)dal_system_layout(system)->n_rows;
    return dal_system_layout(system)->careful ? m * r + 2 * r + 3 * m * m + 4 * m : 0;
}

dal_flow dal_null_space_solve(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    const dal_layout *layout = state->layout;
    const int m = layout->nv, k = state->rank->n, p = m - k;
    const size_t columns = (size_t)m;
    double *B = state->scratch->solver, *tau = B + columns * (size_t)layout->n_rows, *rhs = tau + layout->n_rows;
    double *Z = rhs + layout->n_rows, *MZ = Z + columns * columns, *K = MZ + columns * columns;
    double *f = K + columns * columns, *x = f + m, *Mx = x + m, *y = Mx + m;
    const double *U = layout->units.column_unit; /* v' = U z: in units of the model */
    int where;

    /* (A U)^T = Q R, x = U Q1 R^-T gamma */
    memset(B, 0, sizeof *B * columns * (size_t)k);
    for (int i = 0; i < k; i++) {
        const dal_row_layout *at = &layout->row[state->rank->order[i]];
        for (int j = at->value; j < at->value + at->n_values; j++)
            B[(size_t)i * columns + (size_t)layout->column[j]] += state->work.A[j] * U[layout->column[j]];
        rhs[i] = state->gamma[state->rank->order[i]];
    }
    if (!(dal_qr(B, m, k, m, tau) > 0))
        return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
    dal_qr_least_norm(B, m, k, m, tau, rhs, x);
    for (int i = 0; i < m; i++)
        x[i] *= U[i];

    /* Z = U Q2, K = Z^T M Z, y = Z^T (Q - h - M x) */
    dal_mass_times(layout, state->work.M, x, Mx);
    for (int i = 0; i < m; i++)
        f[i] = state->work.Q[i] - state->work.h[i];
    for (int j = 0; j < p; j++) {
        double *z = Z + (size_t)j * columns;
        memset(z, 0, sizeof *z * columns);
        z[k + j] = 1;
        dal_qr_q_times(B, m, k, m, tau, z);
        for (int i = 0; i < m; i++)
            z[i] *= U[i];
        dal_mass_times(layout, state->work.M, z, MZ + (size_t)j * columns);
        y[j] = dal_inner(z, f, m) - dal_inner(z, Mx, m);
        for (int i = 0; i <= j; i++)
            K[(size_t)j * (size_t)p + (size_t)i] = dal_inner(z, MZ + (size_t)i * columns, m);
    }
    if (p && !(dal_diagonal_counts(K, p, p, 1e-15) && dal_cholesky(K, p, p, 1e-15, &where)))
        return dal_state_fail_for(state, DAL_REASON_SINGULAR_EQUATIONS,
                                  "the equations of motion are singular: the inertia does not determine the motion that the constraints leave free");
    if (p)
        dal_cholesky_solve(K, p, p, y);
    memcpy(state->vd, x, sizeof *x * columns);
    for (int j = 0; j < p; j++)
        for (int i = 0; i < m; i++)
            state->vd[i] += y[j] * Z[(size_t)j * columns + (size_t)i];

    /* R lambda = Q1^T U (M v' - f) */
    dal_mass_times(layout, state->work.M, state->vd, Mx);
    for (int i = 0; i < m; i++)
        Mx[i] = U[i] * (Mx[i] - f[i]);
    dal_qr_qt_times(B, m, k, m, tau, Mx);
    dal_qr_r_solve(B, k, m, Mx);
    memset(state->lambda, 0, sizeof *state->lambda * (size_t)layout->n_rows);
    for (int i = 0; i < k; i++)
        state->lambda[state->rank->order[i]] = Mx[i];
    return 0;
}
