/* Units of states, so that what moves a state and what it moves are alike: Gauss and Seidel's method on
 *
 *     unit_k max over i of |A_ik|  =  max over j of |A_kj| / unit_k,     i, j not k, in the units of the others
 *
 * A product |A_ik A_kj| has no unit of k. Where it is only rounding beside the largest of all loops |A_ij A_ji|, the state keeps its own unit: what is
 * rounding would become as large as the rest. A state that moves nothing, or that nothing moves, is no larger than the rest.
 */
#include "math/state_units.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SWEEPS = 4 };
static const double rounding = 1e-13; /* of the largest loop */

typedef struct coupled {
    int rows, columns, n;
    const double *A;
    double *unit;
} coupled;

/* |A_ij|; i, j count from the first of all rows and columns. */
static double entry(const coupled *x, int i, int j)
{
    const double by = j < x->columns ? 1 : x->unit[j - x->columns], over = i < x->rows ? 1 : x->unit[i - x->rows];
    return fabs(x->A[(size_t)(x->columns + x->n) * (size_t)i + (size_t)j]) * by / over;
}

static double moved_by(const coupled *x, int k)
{
    double most = 0;
    for (int j = 0; j < x->columns + x->n; j++)
        most = j == x->columns + k ? most : fmax(most, entry(x, x->rows + k, j));
    return most;
}

static double moves(const coupled *x, int k)
{
    double most = 0;
    for (int i = 0; i < x->rows + x->n; i++)
        most = i == x->rows + k ? most : fmax(most, entry(x, i, x->columns + k));
    return most;
}

/* The size of the largest loop, sqrt|A_ij A_ji|, or of a number that is no state's. */
static double largest_loop(const coupled *x)
{
    double most = 0;
    for (int i = 0; i < x->rows; i++)
        for (int j = 0; j < x->columns; j++)
            most = fmax(most, x->rows == x->columns ? sqrt(entry(x, i, j) * entry(x, j, i)) : entry(x, i, j));
    for (int k = 0; k < x->n; k++)
        for (int l = 0; l <= k; l++)
            most = fmax(most, sqrt(entry(x, x->rows + k, x->columns + l) * entry(x, x->rows + l, x->columns + k)));
    for (int k = 0; k < x->n && x->rows == x->columns; k++)
        for (int i = 0; i < x->rows; i++)
            most = fmax(most, sqrt(entry(x, i, x->columns + k) * entry(x, x->rows + k, i)));
    return most;
}

static double power_of_two(double x)
{
    return isfinite(x) && x > 0 ? exp2(fmin(fmax(round(log2(x)), -900), 900)) : 1;
}

void dal_state_units_balance(int rows, int columns, int n, const double *A, double *unit)
{
    const coupled x = {rows, columns, n, A, unit};
    if (!n)
        return;
    for (int k = 0; k < n; k++)
        unit[k] = 1;
    for (int sweep = 0; sweep < SWEEPS + n; sweep++) {
        bool changed = false;
        for (int k = 0; k < n; k++) {
            const double row = moved_by(&x, k), column = moves(&x, k), by = row > 0 && column > 0 ? power_of_two(sqrt(row / column)) : 1;
            unit[k] *= by;
            changed = changed || by != 1;
        }
        if (!changed)
            break;
    }
    const double loop = largest_loop(&x);
    for (int k = 0; k < n; k++) {
        const double row = moved_by(&x, k), column = moves(&x, k);
        if (row > 0 && column > 0 && !(row * column > rounding * loop * loop))
            unit[k] = 1;
        else if (row > loop && column == 0)
            unit[k] = power_of_two(row / loop);
        else if (column > loop && row == 0)
            unit[k] = power_of_two(loop / column);
    }
}
