/* The length of a step. Fixed: t_b + i h, t_b the time of the last restart; a step lands on t_stop. Adaptive: from the scaled error e of
 * this step and e_0 of the one before by the PI rule
 *   h_new = 0.9 h e^(0.03 - 1/p) e_0^0.04,  0.2 <= h_new/h <= 10
 * and, after every restart, from the estimate of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, section II.4.
 */
#include "integrate/drive.h"

#include <float.h>
#include <math.h>

#define SAFETY 0.9
#define BETA 0.04 /* weight of the previous error in the PI rule */

/* What t can resolve. A fixed step has to do so up to the end. */
double dal_smallest_step(const driver *r)
{
    double span = r->t_far - r->options.t_start;
    return r->method->adaptive ? 16 * DBL_EPSILON * fmax(fabs(r->s.t), DBL_EPSILON * span) : 2 * r->slack;
}

/* h = min(100 h_0, (0.01 / max(|f|, |f'|))^(1/p)), h_0 = 0.01 |y|/|f|, f' from an Euler step of size h_0; times in units. */
verdict dal_choose_first_step(driver *r)
{
    dal_stepper *s = &r->s;
    double size = dal_scaled_norm(s, s->y, s->y), slope = dal_scaled_norm(s, s->f, s->y);
    double span = s->t_stop - s->t;
    const double T = s->unit_time;
    const double h_slope = size < 1e-5 || slope * T < 1e-5 ? 1e-6 * T : 0.01 * size / slope;
    double h = fmin(h_slope, span), most = 100 * h_slope; /* a near stop must not shorten the steps after it */
    double *y = r->y_out, *f = s->y_new;
    for (;; h /= 10) {
        for (int i = 0; i < r->ode->n; i++)
            y[i] = s->y[i] + h * s->f[i];
        dal_flow flow = dal_slope(s, s->t + h, y, f);
        if (!flow)
            break;
        verdict v = dal_drive_retry_slope(r, h, flow);
        if (v != AGAIN)
            return v;
        most = 10 * h; /* 100 of the next try */
    }
    for (int i = 0; i < r->ode->n; i++)
        f[i] -= s->f[i];
    double steepest = T * fmax(slope, dal_scaled_norm(s, f, s->y) / h * T);
    double h_order = steepest <= 1e-15 ? fmax(1e-6 * T, 1e-3 * h) : T * pow(0.01 / steepest, 1.0 / r->method->order);
    r->h_next = fmax(fmin(most, h_order), 2 * dal_smallest_step(r)); /* the next step may be that long, too */
    return GOOD;
}

static stride propose_fixed(const driver *r)
{
    double t = r->s.t, t_stop = r->s.t_stop, h = r->options.step;
    double t_new = r->t_base + (double)(r->steps_since + 1) * h;
    if (!(t_new >= t_stop - r->slack)) /* also if h is NaN */
        return (stride){.h = h, .t_new = t_new};
    if (t_new <= t_stop + r->slack)
        return (stride){.h = h, .t_new = t_stop};
    return (stride){.h = t_stop - t, .t_new = t_stop, .shortened = true};
}

/* Two halves rather than a whole step and a tiny one. */
static stride propose_adaptive(const driver *r)
{
    double left = r->s.t_stop - r->s.t, h = r->h_next;
    if (r->options.max_step > 0)
        h = fmin(h, r->options.max_step);
    if (left <= h + r->slack)
        return (stride){.h = left, .t_new = r->s.t_stop, .shortened = true};
    bool halved = left < 2 * h;
    if (halved)
        h = left / 2;
    return (stride){.h = h, .t_new = r->s.t + h, .shortened = halved};
}

stride dal_propose_step(const driver *r)
{
    return r->method->adaptive ? propose_adaptive(r) : propose_fixed(r);
}

static double least_step(const driver *r)
{
    return r->ode->least_step ? r->ode->least_step(r->ode->user, r->s.t, r->s.y) : 0;
}

verdict dal_control_error(driver *r, const stride *p)
{
    if (!r->method->adaptive || p->error <= 1 || !(p->h > 1.0001 * least_step(r)))
        return GOOD;
    const double factor = SAFETY * pow(p->error, 0.75 * BETA - 1.0 / r->method->order);
    return dal_drive_retry(r, fmax(p->h * fmax(0.2, factor), least_step(r)), DAL_END_STEP_COLLAPSE, 0, -1);
}

void dal_choose_next_step(driver *r, const stride *p)
{
    double error = fmax(p->error, 1e-10); /* far below the limit of growth */
    double factor = SAFETY * pow(error, 0.75 * BETA - 1.0 / r->method->order) * pow(r->error_before, BETA);
    factor = fmin(fmax(factor, 0.2), r->after_rejection ? 1 : 10);
    r->error_before = fmax(error, DAL_SMALLEST_ERROR);
    r->after_rejection = false;
    const double before = r->h_next;
    r->h_next = fmax(p->h * factor, fmin(p->h, least_step(r)));
    if (p->shortened && !p->event && r->s.t_stop < r->options.t_end) /* a stop inside must not shorten the steps after it */
        r->h_next = fmax(r->h_next, before);
}
