/* Units in which the numbers of A are alike: D^-1 A D, D diagonal, of powers of two. LAPACK's balancing makes rows and columns equally long, and a
 * column that is only rounding would become as long as the others. So rates are first measured in units of the fastest motion, states of the model in
 * units of what they are coupled to (math/state_units.h), and then numbers that are only rounding beside the largest number are ignored. */
#include "linear/balance.h"

#include "math/state_units.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double rounding = 1e-13; /* of the largest number */

static double largest(const double *A, int n, int row, int rows, int columns)
{
    double most = 0;
    for (int i = row; i < row + rows; i++)
        for (int j = 0; j < columns; j++)
            most = fmax(most, fabs(A[(size_t)n * (size_t)i + (size_t)j]));
    return most;
}

/* D^-1 A D */
static void scale_copy(int n, const double *A, const double *by, double *copy)
{
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < (size_t)n; j++)
            copy[(size_t)n * i + j] = A[(size_t)n * i + j] * by[j] / by[i];
}

void dal_balance(dal_arena *arena, int n, int positions, int rates, double *A, double *by)
{
    const size_t width = (size_t)n;
    double *copy = DAL_NEW(arena, double, width *width + 1), *more = DAL_NEW(arena, double, n + 1), most = 0;
    const double fast = sqrt(largest(A, n, positions, rates, positions)), omega = fast > 0 ? exp2(round(log2(fast))) : 1;
    const int mechanical = positions + rates;
    lapack_int low, high;
    for (int i = 0; i < n; i++)
        by[i] = i >= positions && i < mechanical ? omega : 1;
    scale_copy(n, A, by, copy);
    dal_state_units_balance(mechanical, mechanical, n - mechanical, copy, by + mechanical);
    scale_copy(n, A, by, copy);
    for (size_t k = 0; k < width * width; k++)
        most = fmax(most, fabs(copy[k]));
    for (size_t k = 0; k < width * width; k++)
        copy[k] = fabs(copy[k]) <= rounding * most ? 0 : copy[k];
    if (n && !LAPACKE_dgebal_work(LAPACK_ROW_MAJOR, 'S', n, copy, n, &low, &high, more))
        for (int i = 0; i < n; i++)
            by[i] *= more[i];
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < width; j++)
            A[width * i + j] *= by[j] / by[i];
}
