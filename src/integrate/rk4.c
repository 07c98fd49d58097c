/* The classical Runge-Kutta method of fourth order.
 *
 *   y_new = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
 *
 * (Kutta, Z. Math. Phys. 46, 1901). Four evaluations per step.
 * States inside a step are steps of their own, of size less than h.
 */
#include "integrate/integrate.h"

enum { STAGES = 4 };

/* clang-format off */
static const double c[STAGES] = {0, 1.0 / 2, 1.0 / 2, 1};
static const double a[] = {
    1.0 / 2,
    0, 1.0 / 2,
    0, 0, 1,
};
static const double b[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
/* clang-format on */

static const dal_tableau tableau = {STAGES, a, b, c};

const dal_integrator dal_rk4 = {
    .name = "rk4",
    .title = "Runge-Kutta of order 4, fixed step",
    DAL_RUNGE_KUTTA(4, STAGES, tableau, 2.7853, 2.8295),
};
