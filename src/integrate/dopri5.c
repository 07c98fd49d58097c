/* The pair of Dormand and Prince, orders 5 and 4, with dense output.
 *
 * The step is of order 5; its difference from the embedded solution of order 4
 * is the error estimate; the seventh slope is the first one of the next step.
 * Inside a step
 *   y(t + theta h) = y + h sum_i w_i(theta) k_i,
 *   w_i = theta (b_i + (1 - theta) (delta_i1 - b_i
 *               + theta (2 b_i - delta_i1 - delta_i7 + (1 - theta) d_i)))
 * is of order 4 and meets the step's ends with their slopes. Written on the k_i
 * it does not need y_new, which a projection may have changed.
 *
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, table
 * II.5.2; dense output: section II.6 there, and Shampine, Math. Comp. 46 (1986).
 */
#include "integrate/integrate.h"

#include <string.h>

enum { STAGES = 7 };

/* clang-format off */
static const double c[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double a[] = {
    1.0 / 5,
    3.0 / 40,       9.0 / 40,
    44.0 / 45,      -56.0 / 15,      32.0 / 9,
    19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729,
    9017.0 / 3168,  -355.0 / 33,     46732.0 / 5247, 49.0 / 176,   -5103.0 / 18656,
    35.0 / 384,     0,               500.0 / 1113,   125.0 / 192,  -2187.0 / 6784,   11.0 / 84,
};
static const double b[STAGES] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84, 0};
/* order 5 minus order 4 */
static const double e[STAGES] =
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double d[STAGES] = {
    -12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0};
/* clang-format on */
static const dal_tableau tableau = {STAGES, a, b, c};

static dal_flow step_dopri5(dal_stepper *s, double h, double *error)
{
    /* the last stage is y_new, as a_7j = b_j */
    dal_flow flow = dal_stages(s, &tableau, h, s->y_new);
    if (flow)
        return flow;
    s->h_history = h;
    double *difference = s->vectors; /* k_2 has weight zero from here on */
    dal_combine(s, NULL, STAGES, e, h, difference);
    *error = dal_scaled_norm(s, difference, s->y_new);
    return 0;
}

static dal_flow trial_dopri5(dal_stepper *s, double h, double *y_out)
{
    double theta = h / s->h_history, w[STAGES];
    for (int i = 0; i < STAGES; i++) {
        double first = i == 0, last = i == STAGES - 1;
        w[i] = theta * (b[i] + (1 - theta) * (first - b[i] + theta * (2 * b[i] - first - last + (1 - theta) * d[i])));
    }
    dal_combine(s, s->y, STAGES, w, s->h_history, y_out);
    return 0;
}

static void accept_dopri5(dal_stepper *s, double h)
{
    (void)h;
    size_t n = (size_t)s->ode->n;
    memcpy(s->f, s->vectors + (STAGES - 2) * n, sizeof *s->f * n);
    s->f_valid = true;
}

const dal_integrator dal_dopri5 = {
    .name = "dopri5",
    .title = "Dormand-Prince 5(4), adaptive step, dense output",
    .order = 5,
    .adaptive = true,
    .vectors = STAGES - 1,
    DAL_STABLE_TO(3.3065, 1.3792),
    .step = step_dopri5,
    .trial = trial_dopri5,
    .accept = accept_dopri5,
};
