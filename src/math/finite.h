/* Are all of these numbers finite? They are if their sum is: one addition for each number. A sum that is not finite may have overflowed; then each
 * number is checked. */
#ifndef DAL_MATH_FINITE_H
#define DAL_MATH_FINITE_H

#include <math.h>
#include <stdbool.h>

/* Checks number by number. */
static inline bool dal_each_finite(const double *x, int n)
{
    bool finite = true;
    for (int i = 0; i < n; i++)
        finite = finite && isfinite(x[i]);
    return finite;
}

/* By the sum first. */
static inline bool dal_all_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return isfinite(sum) || dal_each_finite(x, n);
}

#endif
