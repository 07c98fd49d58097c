/* The classical Runge-Kutta method of fourth order.
 *
 *   y_new = y + h/6 (k1 + 2 k2 + 2 k3 + k4)
 *
 * (Kutta, Z. Math. Phys. 46, 1901). Four evaluations a step.
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

static dal_flow trial_rk4(dal_stepper *s, double h, double *y_out)
{
    dal_flow flow = dal_stages(s, STAGES, a, c, h, y_out);
    if (!flow)
        dal_combine(s, s->y, STAGES, b, h, y_out);
    return flow;
}

static dal_flow step_rk4(dal_stepper *s, double h, double *error)
{
    *error = 0;
    return trial_rk4(s, h, s->y_new);
}

static void accept_rk4(dal_stepper *s, double h)
{
    (void)s, (void)h; /* no history */
}

const dal_integrator dal_rk4 = {
    .name = "rk4",
    .title = "Runge-Kutta of order 4, fixed step",
    .order = 4,
    .vectors = STAGES - 1,
    .real_stability = 2.7853,
    .imaginary_stability = 2.8295,
    .step = step_rk4,
    .trial = trial_rk4,
    .accept = accept_rk4,
};
