/* Shared by the methods: counted slopes, limits on rejections by hooks, linear combinations of slopes, explicit Runge-Kutta steps from a tableau, the
 * norm of the step control.
 */
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

dal_flow dal_slope(dal_stepper *s, double t, const double *y, double *dy)
{
    s->evaluations++;
    s->component = -1;
    dal_flow flow = s->ode->derivative(s->ode->user, t, y, dy);
    if (flow)
        return flow;
    const int n = s->ode->n;
    double sum = 0; /* 0 times infinity is NaN */
    for (int i = 0; i < n; i++)
        sum += 0 * dy[i];
    for (int i = 0; i < n && isnan(sum); i++)
        if (!isfinite(dy[i])) {
            s->component = i;
            return 1;
        }
    return 0;
}

bool dal_is_stuck(dal_stepper *s, dal_flow flow)
{
    enum { MAX_REFUSALS = 1000 };
    if (flow <= 0)
        return false;
    if (s->t - s->t_stuck > s->least_progress || s->steps - s->steps_stuck > 3 * s->refusals + MAX_REFUSALS) {
        s->t_stuck = s->t;
        s->steps_stuck = s->steps;
        s->refusals = 0;
    }
    return s->stuck = s->refusals++ > MAX_REFUSALS;
}

void dal_combine(const dal_stepper *s, const double *base, int stages, const double *weights, double h, double *out)
{
    const int n = s->ode->n;
    int last = stages - 1;
    while (last >= 0 && weights[last] == 0)
        last--;
    int first = 0;
    while (first < last && weights[first] == 0)
        first++;
    if (base && first == last && last >= 0) { /* one slope */
        const double *k = last ? s->vectors + (size_t)(last - 1) * (size_t)n : s->f, weight = weights[last];
        for (int i = 0; i < n; i++)
            out[i] = base[i] + h * (weight * k[i]);
        return;
    }
    for (int j = first; j <= last; j++) {
        if (weights[j] == 0)
            continue;
        const double *k = j ? s->vectors + (size_t)(j - 1) * (size_t)n : s->f, weight = weights[j];
        if (j == first)
            for (int i = 0; i < n; i++)
                out[i] = 0 + weight * k[i];
        else if (j == last && base)
            for (int i = 0; i < n; i++)
                out[i] = base[i] + h * (out[i] + weight * k[i]);
        else
            for (int i = 0; i < n; i++)
                out[i] += weight * k[i];
    }
    for (int i = 0; i < n && last < 0; i++) /* no slope */
        out[i] = base ? base[i] : 0;
    for (int i = 0; i < n && !base; i++)
        out[i] *= h;
}

dal_flow dal_stages(dal_stepper *s, const dal_tableau *tableau, double h, double *y_stage)
{
    const double *a = tableau->a;
    double *k = s->vectors;
    for (int i = 1; i < tableau->stages; i++) {
        dal_combine(s, s->y, i, a, h, y_stage);
        dal_flow flow = dal_slope(s, s->t + tableau->c[i] * h, y_stage, k);
        if (flow)
            return flow;
        a += i;
        k += s->ode->n;
    }
    return 0;
}

dal_flow dal_tableau_sum(dal_stepper *s, const dal_tableau *tableau, double h, double *y_out)
{
    dal_flow flow = dal_stages(s, tableau, h, y_out);
    if (!flow)
        dal_combine(s, s->y, tableau->stages, tableau->b, h, y_out);
    return flow;
}

dal_flow dal_tableau_trial(dal_stepper *s, double h, double *y_out)
{
    return dal_tableau_sum(s, s->method->tableau, h, y_out);
}

dal_flow dal_tableau_step(dal_stepper *s, double h, double *error)
{
    *error = 0;
    return dal_tableau_trial(s, h, s->y_new);
}

void dal_no_history(dal_stepper *s, double h)
{
    (void)s, (void)h;
}

double dal_scaled_norm(const dal_stepper *s, const double *x, const double *y_other)
{
    double sum = 0;
    int n = s->ode->n_control;
    for (int i = 0; i < n; i++) {
        if (x[i] == 0)
            continue; /* also where atol and y are zero */
        double scaled = x[i] / (dal_absolute(s, i) + s->rtol * fmax(fabs(s->y[i]), fabs(y_other[i])));
        sum += scaled * scaled;
    }
    return n ? sqrt(sum / n) : 0;
}
