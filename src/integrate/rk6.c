/* A Runge-Kutta method of sixth order with seven stages, the fewest possible.
 *
 * The rational tableau of Butcher, On Runge-Kutta processes of high order,
 * J. Austral. Math. Soc. 4 (1964).
 * Its stability function is 1 + z + ... + z^6/720 - z^7/2160.
 * States inside a step are steps of their own, of size less than h.
 */
#include "integrate/integrate.h"

enum { STAGES = 7 };

/* clang-format off */
static const double c[STAGES] = {0, 1.0 / 3, 2.0 / 3, 1.0 / 3, 1.0 / 2, 1.0 / 2, 1};
static const double a[] = {
     1.0 / 3,
     0,         2.0 / 3,
     1.0 / 12,  1.0 / 3,  -1.0 / 12,
    -1.0 / 16,  9.0 / 8,  -3.0 / 16, -3.0 / 8,
     0,         9.0 / 8,  -3.0 / 8,  -3.0 / 4,   1.0 / 2,
     9.0 / 44, -9.0 / 11, 63.0 / 44, 18.0 / 11,  0,       -16.0 / 11,
};
static const double b[STAGES] =
    {11.0 / 120, 0,       27.0 / 40, 27.0 / 40, -4.0 / 15, -4.0 / 15, 11.0 / 120};
/* clang-format on */

static const dal_tableau tableau = {STAGES, a, b, c};

const dal_integrator dal_rk6 = {
    .name = "rk6",
    .title = "Runge-Kutta of order 6, fixed step",
    DAL_RUNGE_KUTTA(6, STAGES, tableau, 2.8561, 1.0971),
};
