/* Are all of these numbers finite? If their sum is, they are: one addition a number, which the processor makes beside what follows. A sum that is
 * not may have overflowed, and is looked at number by number. */
#ifndef DAL_MATH_FINITE_H
#define DAL_MATH_FINITE_H

#include <math.h>
#include <stdbool.h>

static inline bool dal_each_finite(const double *x, int n)
{
    bool finite = true;
    for (int i = 0; i < n; i++)
        finite = finite && isfinite(x[i]);
    return finite;
}

static inline bool dal_all_finite(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return isfinite(sum) || dal_each_finite(x, n);
}

#endif
