/* The six-step Adams-Bashforth method, constant step.
 *
 *   y_new = y + h/1440 (4277 f_0 - 7923 f_1 + 9982 f_2 - 7298 f_3 + 2877 f_4 - 475 f_5)
 *
 * with f_j the slope j steps ago (Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, section III.1). One evaluation a step.
 *
 * Five steps of rk6 fill the history, at the start and after every restart; a
 * step of another size than the history's (the last one to t_end) is one of
 * rk6 too, and so are the states inside a step. Stable on the negative real
 * axis only up to 5/57 = 0.0877.
 *
 * Vectors: the stages of rk6, then f_1 ... f_5.
 */
#include "integrate/integrate.h"

#include <string.h>

enum { OLD = 5, STAGES = 6 }; /* slopes kept; work vectors of rk6 */

static double *old_slope(const dal_stepper *s, int steps_ago)
{
    return s->vectors + (size_t)(STAGES + steps_ago - 1) * (size_t)s->ode->n;
}

static dal_flow step_ab6(dal_stepper *s, double h, double *error)
{
    *error = 0;
    if (s->history < OLD || h != s->h_history)
        return dal_tableau_sum(s, dal_rk6.tableau, h, s->y_new);
    const double *f0 = s->f, *f1 = old_slope(s, 1), *f2 = old_slope(s, 2);
    const double *f3 = old_slope(s, 3), *f4 = old_slope(s, 4), *f5 = old_slope(s, 5);
    for (int i = 0; i < s->ode->n; i++)
        s->y_new[i] = s->y[i] + h / 1440 * (4277 * f0[i] - 7923 * f1[i] + 9982 * f2[i] - 7298 * f3[i] + 2877 * f4[i] - 475 * f5[i]);
    return 0;
}

static dal_flow trial_ab6(dal_stepper *s, double h, double *y_out)
{
    return dal_tableau_sum(s, dal_rk6.tableau, h, y_out);
}

/* f_5 <- f_4 <- ... <- f_1 <- f_0 */
static void accept_ab6(dal_stepper *s, double h)
{
    if (h != s->h_history)
        s->history = 0;
    s->h_history = h;
    size_t bytes = sizeof(double) * (size_t)s->ode->n;
    memmove(old_slope(s, 2), old_slope(s, 1), (OLD - 1) * bytes);
    memcpy(old_slope(s, 1), s->f, bytes);
    if (s->history < OLD)
        s->history++;
}

const dal_integrator dal_ab6 = {
    .name = "ab6",
    .title = "Adams-Bashforth of order 6, fixed step, started by rk6",
    .order = 6,
    .vectors = STAGES + OLD,
    DAL_STABLE_TO(5.0 / 57, 0.1143),
    .step = step_ab6,
    .trial = trial_ab6,
    .accept = accept_ab6,
};
