/* Scalar products and norms of vectors of any length. The order of a sum is part of its result: it is fixed here. */
#ifndef DAL_MATH_SUMS_H
#define DAL_MATH_SUMS_H

#include <math.h>

/* x . y, from the first term to the last. */
static inline double dal_inner(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The same in four sums, which a processor adds side by side. */
static inline double dal_inner_by_four(const double *x, const double *y, int n)
{
    double sum[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* |x| */
static inline double dal_norm(const double *x, int n)
{
    return sqrt(dal_inner(x, x, n));
}

#endif
