/* Rows that are near others of which the smallest singular value is known.
 *
 * With A the rows at unit norm (dal_scaled_rows) of one system, and A_0 those of another one with the same pattern,
 *     sigma_min(A) >= sigma_min(A_0) - |A - A_0|
 * (Weyl; Golub and Van Loan, Matrix Computations, section 8.6). The norm of the difference is that of Frobenius, which is not smaller than the
 * spectral one. Where the bound is far above every tolerance, the rows of A are independent, and no factorisation is needed.
 */
#include "dynamics/near_rows.h"

#include "dynamics/row_rank.h"
#include "math/rank.h"
#include "state/state_parts.h"

#include <math.h>

static const double surely = 1e-5; /* far above DAL_RANK_TOLERANCE, and above the rounding errors of A and sigma_min: math/rank.c */

/* The factor that row i has at unit norm. */
static double unit_of(const dal_state *state, const double *A, const double *U, int i)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_row_layout *at = &layout->row[i];
    double sum = 0;
    for (int k = at->value; k < at->value + at->n_values; k++) {
        const double value = A[k] * U[layout->column[k]];
        sum += value * value;
    }
    return dal_unit_of_row(state, layout, i, sqrt(sum));
}

void dal_known_rows_build(dal_arena *arena, const dal_state *state, dal_known_rows *out)
{
    const dal_layout *layout = dal_layout_of(state);
    const double *A = dal_seen_work(state)->A, *U = layout->units.column_unit;
    const dal_rank *rank = dal_rank_of(state);
    const int m = layout->nv, r = layout->n_rows;
    *out = (dal_known_rows){.n = 0};
    if (!layout->small || r == 0 || r > m || rank->n < r)
        return;
    double *sigma = DAL_NEW(arena, double, r);
    dal_scaled_rows(state, rank->matrix, NULL);
    if (dal_rank_svd(rank->matrix, r, m, m, surely, sigma, NULL, NULL, rank->work) < r)
        return;
    out->least = sigma[r - 1];
    out->value = DAL_NEW(arena, double, layout->n_values);
    for (int i = 0; i < r; i++) {
        const dal_row_layout *at = &layout->row[i];
        const double unit = unit_of(state, A, U, i);
        for (int k = at->value; k < at->value + at->n_values; k++)
            out->value[k] = unit * A[k] * U[layout->column[k]];
    }
    out->n = r;
}

bool dal_rows_are_near(const dal_state *state, const dal_known_rows *known)
{
    const dal_layout *layout = dal_layout_of(state);
    const double *A = dal_seen_work(state)->A, *U = layout->units.column_unit;
    double square = 0;
    if (!known || !known->n || known->n != layout->n_rows)
        return false;
    for (int i = 0; i < known->n; i++) {
        const dal_row_layout *at = &layout->row[i];
        const double unit = unit_of(state, A, U, i);
        for (int k = at->value; k < at->value + at->n_values; k++) {
            const double difference = unit * A[k] * U[layout->column[k]] - known->value[k];
            square += difference * difference;
        }
    }
    return known->least - sqrt(square) > surely; /* false of a NaN as well */
}
