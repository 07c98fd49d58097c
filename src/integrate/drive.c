/* The loop around every integrator: steps, step-size control, events, projection, outputs.
 *
 * Fixed steps end at t_b + i h, t_b the time of the last restart; the last one lands on t_end. The adaptive step
 * follows from the scaled error e of this step and e_0 of the one before by the PI rule
 *   h_new = 0.9 h e^(0.03 - 1/p) e_0^0.04,  0.2 <= h_new/h <= 10
 * and begins, after every restart, with the estimate of Hairer, Norsett, Wanner, Solving Ordinary Differential
 * Equations I, section II.4.
 *
 * A step is cut at the first event inside it (events.c), then projected, delivered, accepted. Outputs never change the
 * steps: states on the grid come from inside the step. An integrator that paces itself hands over one finished step after the
 * other and is told where the run goes on otherwise: after an event, a change of chart, a step that a hook refused.
 */
#include "integrate/drive.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define SAFETY 0.9
#define BETA 0.04           /* weight of the previous error in the PI rule */
#define ELSEWHERE 0.87      /* of a step, one of whose stages is to be avoided */
#define SMALLEST_ERROR 1e-4 /* that the PI rule remembers */
#define EVENT_TOLERANCE 1e-13

verdict dal_drive_stop(driver *r, dal_drive_end end, dal_flow flow, int component)
{
    r->result.end = end;
    r->result.flow = flow;
    r->result.component = component;
    return STOP;
}

/* What t can resolve. A fixed step has to do so up to t_end. */
static double smallest_step(const driver *r)
{
    double span = r->options->t_end - r->options->t_start;
    return r->method->adaptive ? 16 * DBL_EPSILON * fmax(fabs(r->s.t), DBL_EPSILON * span) : 2 * r->slack;
}

verdict dal_drive_retry(driver *r, double h, dal_drive_end end, dal_flow flow, int component)
{
    if (!r->method->adaptive || flow < 0 || h < smallest_step(r) || dal_creeps(&r->s, flow))
        return dal_drive_stop(r, end, flow, component);
    r->result.rejected++;
    r->h_next = h;
    r->stale = true;
    r->after_rejection = true;
    return AGAIN;
}

verdict dal_drive_retry_slope(driver *r, double h, dal_flow flow)
{
    bool not_finite = flow > 0 && r->s.component >= 0;
    return not_finite ? dal_drive_retry(r, h / 2, DAL_END_NOT_FINITE, 0, r->s.component)
                      : dal_drive_retry(r, h / 2, DAL_END_DERIVATIVE, flow, -1);
}

static int first_not_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* ---- outputs ---- */

static double output_time(const driver *r)
{
    return r->options->t_start + (double)r->next_output * r->options->every;
}

static verdict put(driver *r, double t, const double *y)
{
    dal_flow flow = r->ode->output ? r->ode->output(r->ode->user, t, y) : 0;
    return flow ? dal_drive_stop(r, DAL_END_STOPPED, flow, -1) : GOOD;
}

/* Grid times strictly inside the step. */
static verdict put_inside(driver *r, const stride *p)
{
    if (!r->ode->output || r->options->every <= 0)
        return GOOD;
    for (double t; (t = output_time(r)) < p->t_new - r->slack; r->next_output++) {
        dal_flow flow = r->method->trial(&r->s, t - r->s.t, r->y_out);
        if (flow)
            return dal_drive_retry_slope(r, 0, flow); /* outputs are not taken back */
        dal_flow (*look)(void *user, double t, double *y) = r->ode->project_output ? r->ode->project_output : r->ode->project;
        flow = look ? look(r->ode->user, t, r->y_out) : 0;
        if (flow)
            return dal_drive_stop(r, DAL_END_PROJECT, flow, -1);
        verdict v = put(r, t, r->y_out);
        if (v != GOOD)
            return v;
    }
    return GOOD;
}

/* The state at the end of a step, if it is an output. */
static verdict put_end(driver *r)
{
    double t = r->s.t;
    bool grid = r->options->every > 0, on_grid = grid && output_time(r) <= t + r->slack;
    if (grid && !on_grid && t != r->options->t_end)
        return GOOD;
    if (on_grid && t != r->options->t_end)
        t = output_time(r);
    r->next_output += on_grid;
    return put(r, t, r->s.y);
}

/* ---- the loop ---- */

/* From here on with new pieces or a new meaning of y, and without a past. */
static verdict restart(driver *r, const bool *which)
{
    dal_flow flow = r->ode->restart ? r->ode->restart(r->ode->user, r->s.t, r->s.y, which) : 0;
    if (flow)
        return dal_drive_stop(r, DAL_END_STOPPED, flow, -1);
    r->s.f_valid = r->g_valid = false;
    r->s.history = 0;
    r->t_base = r->s.t;
    r->steps_since = 0;
    r->h_next = 0;
    r->stale = true;
    r->error_before = SMALLEST_ERROR;
    r->after_rejection = false;
    return GOOD;
}

static verdict handle_event(driver *r)
{
    verdict v = dal_count_event(r);
    return v == GOOD ? restart(r, r->which) : v;
}

/* h = min(100 h_0, (0.01 / max(|f|, |f'|))^(1/p)), h_0 = 0.01 |y|/|f|, f' from an Euler step of size h_0; times in units. */
static verdict choose_first_step(driver *r)
{
    dal_stepper *s = &r->s;
    double size = dal_scaled_norm(s, s->y, s->y), slope = dal_scaled_norm(s, s->f, s->y);
    double span = r->options->t_end - s->t;
    const double T = s->unit_time;
    double h = fmin(size < 1e-5 || slope * T < 1e-5 ? 1e-6 * T : 0.01 * size / slope, span);
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
    }
    for (int i = 0; i < r->ode->n; i++)
        f[i] -= s->f[i];
    double steepest = T * fmax(slope, dal_scaled_norm(s, f, s->y) / h * T);
    double h_order = steepest <= 1e-15 ? fmax(1e-6 * T, 1e-3 * h) : T * pow(0.01 / steepest, 1.0 / r->method->order);
    r->h_next = fmax(fmin(fmin(100 * h, h_order), span), smallest_step(r));
    return GOOD;
}

/* What a step starts from: slope, guards, size. */
static verdict prepare(driver *r)
{
    dal_stepper *s = &r->s;
    const bool paced = dal_paced(r->method);
    if (!s->f_valid && !paced) {
        dal_flow flow = dal_slope(s, s->t, s->y, s->f);
        if (flow)
            return dal_drive_retry_slope(r, 0, flow); /* no smaller step helps */
        s->f_valid = true;
    }
    if (!r->g_valid && r->ode->n_guards) {
        verdict v = dal_evaluate_guards(r, s->t, s->y, r->g, 0);
        if (v != GOOD)
            return v;
        for (int i = 0; i < r->ode->n_guards; i++)
            r->g_change[i] = INFINITY;
        r->g_valid = true;
    }
    return r->method->adaptive && !paced && r->h_next <= 0 ? choose_first_step(r) : GOOD;
}

static stride propose_fixed(const driver *r)
{
    double t = r->s.t, t_end = r->options->t_end, h = r->options->step;
    double t_new = r->t_base + (double)(r->steps_since + 1) * h;
    if (!(t_new >= t_end - r->slack)) /* also where h is not a number */
        return (stride){.h = h, .t_new = t_new};
    if (t_new <= t_end + r->slack)
        return (stride){.h = h, .t_new = t_end};
    return (stride){.h = t_end - t, .t_new = t_end, .shortened = true};
}

/* Two halves rather than a whole step and a crumb. */
static stride propose_adaptive(const driver *r)
{
    double left = r->options->t_end - r->s.t, h = r->h_next;
    if (r->options->max_step > 0)
        h = fmin(h, r->options->max_step);
    if (left <= h + r->slack)
        return (stride){.h = left, .t_new = r->options->t_end, .shortened = true};
    bool halved = left < 2 * h;
    if (halved)
        h = left / 2;
    return (stride){.h = h, .t_new = r->s.t + h, .shortened = halved};
}

static double least_step(const driver *r)
{
    return r->ode->least_step ? r->ode->least_step(r->ode->user, r->s.t, r->s.y) : 0;
}

/* y_new, accepted by the error control and cut at the first event. */
static verdict attempt(driver *r, stride *p)
{
    r->s.component = -1;
    dal_flow flow = r->method->step(&r->s, p->h, &p->error);
    if (flow == DAL_FLOW_ELSEWHERE)
        return dal_drive_retry(r, ELSEWHERE * p->h, DAL_END_DERIVATIVE, flow, -1);
    if (flow)
        return dal_drive_retry_slope(r, p->h, flow);
    int bad = first_not_finite(r->s.y_new, r->ode->n);
    if (bad >= 0)
        return dal_drive_retry(r, p->h / 2, DAL_END_NOT_FINITE, 0, bad);
    if (r->method->adaptive && !(p->error <= 1) && p->h > 1.0001 * least_step(r)) {
        double factor = SAFETY * pow(p->error, 0.75 * BETA - 1.0 / r->method->order);
        return dal_drive_retry(r, fmax(p->h * fmax(0.2, factor), least_step(r)), DAL_END_STEP_COLLAPSE, 0, -1);
    }
    return dal_find_event(r, p);
}

/* The same from a method that paces itself. A wish for a first step that t cannot resolve ends the run as it does elsewhere. */
static verdict attempt_paced(driver *r, stride *p)
{
    dal_stepper *s = &r->s;
    double wish = r->h_next > 0 ? r->h_next : HUGE_VAL;
    if (r->options->max_step > 0)
        wish = fmin(wish, r->options->max_step);
    s->component = -1;
    s->smallest = smallest_step(r);
    r->result.h = wish < HUGE_VAL ? wish : r->result.h;
    if (r->stale && wish < s->smallest)
        return dal_drive_stop(r, DAL_END_STEP_COLLAPSE, 0, -1);
    if ((r->stale && !r->method->reset(s, r->h_next)) || !r->method->advance(s, &p->t_new)) {
        r->result.h = s->h_tried;
        return dal_drive_stop(r, s->failure, s->flow, s->component);
    }
    r->stale = false;
    p->h = r->result.h = p->t_new - s->t;
    p->shortened = p->t_new == r->options->t_end;
    int bad = first_not_finite(s->y_new, r->ode->n);
    if (bad >= 0)
        return dal_drive_retry(r, p->h / 2, DAL_END_NOT_FINITE, 0, bad);
    return dal_find_event(r, p);
}

/* Put y_new on the constraints. Changes of a few roundings leave the slopes at y_new valid. */
static verdict project(driver *r, stride *p)
{
    if (!r->ode->project || (r->method->projects && !p->event))
        return GOOD;
    size_t n = (size_t)r->ode->n;
    memcpy(r->y_out, r->s.y_new, sizeof *r->y_out * n);
    dal_flow flow = r->ode->project(r->ode->user, p->t_new, r->s.y_new);
    if (flow == DAL_FLOW_LONGER)
        return dal_drive_retry(r, 1.6 * p->h, DAL_END_PROJECT, flow, -1);
    if (flow)
        return dal_drive_retry(r, p->h / 2, DAL_END_PROJECT, flow, -1);
    int bad = first_not_finite(r->s.y_new, r->ode->n);
    if (bad >= 0)
        return dal_drive_retry(r, p->h / 2, DAL_END_NOT_FINITE, 0, bad);
    for (size_t i = 0; i < n; i++)
        p->moved |= fabs(r->s.y_new[i] - r->y_out[i]) > 4 * DBL_EPSILON * fabs(r->y_out[i]);
    return GOOD;
}

static void choose_next_step(driver *r, const stride *p)
{
    double error = fmax(p->error, 1e-10); /* far below the limit of growth */
    double factor = SAFETY * pow(error, 0.75 * BETA - 1.0 / r->method->order) * pow(r->error_before, BETA);
    factor = fmin(fmax(factor, 0.2), r->after_rejection ? 1 : 10);
    r->error_before = fmax(error, SMALLEST_ERROR);
    r->after_rejection = false;
    r->h_next = fmax(p->h * factor, fmin(p->h, least_step(r)));
}

/* (t, y) <- (t_new, y_new) */
static void commit(driver *r, const stride *p)
{
    r->result.steps++;
    r->s.steps++;
    if (!p->shortened) {
        double *least = &r->result.smallest_step, *most = &r->result.largest_step;
        *least = *least > 0 ? fmin(*least, p->h) : p->h;
        *most = fmax(*most, p->h);
    }
    r->s.f_valid = false;
    if (!p->event)
        r->method->accept(&r->s, p->h);
    if (p->moved)
        r->s.f_valid = false;
    r->s.t = p->t_new;
    memcpy(r->s.y, r->s.y_new, sizeof *r->s.y * (size_t)r->ode->n);
    r->steps_since++;
    for (int i = 0; i < r->ode->n_guards; i++) {
        r->g_change[i] = fabs(r->g_new[i] - r->g[i]);
        r->g[i] = r->g_new[i];
    }
}

/* An accepted step: projection, outputs, hooks. */
static verdict finish(driver *r, stride *p)
{
    verdict v;
    if (p->event && p->h == 0)
        return handle_event(r);
    if ((v = project(r, p)) != GOOD || (v = put_inside(r, p)) != GOOD)
        return v;
    if (r->method->adaptive && !dal_paced(r->method))
        choose_next_step(r, p);
    commit(r, p);
    if ((v = put_end(r)) != GOOD)
        return v;
    bool ask = false;
    dal_flow flow = r->ode->accepted ? r->ode->accepted(r->ode->user, r->s.t, r->s.y, &ask) : 0;
    if (flow)
        return dal_drive_stop(r, DAL_END_STOPPED, flow, -1);
    if (p->event && (v = handle_event(r)) != GOOD)
        return v;
    if (!ask)
        return GOOD;
    r->result.restarts++;
    return restart(r, NULL);
}

/* One step, or one smaller try at it. */
static verdict advance(driver *r)
{
    if (r->options->max_steps > 0 && r->result.steps >= r->options->max_steps)
        return dal_drive_stop(r, DAL_END_MAX_STEPS, 0, -1);
    verdict v = dal_watch_progress(r);
    if (v == GOOD)
        v = prepare(r);
    if (v != GOOD)
        return v;
    if (dal_paced(r->method)) {
        stride own = {0};
        v = attempt_paced(r, &own);
        return v == GOOD ? finish(r, &own) : v;
    }
    stride p = r->method->adaptive ? propose_adaptive(r) : propose_fixed(r);
    r->result.h = p.h;
    if (!p.shortened && !(p.h >= smallest_step(r)))
        return dal_drive_stop(r, DAL_END_STEP_COLLAPSE, 0, -1);
    v = attempt(r, &p);
    return v == GOOD ? finish(r, &p) : v;
}

static void lay_out(driver *r, double *work)
{
    size_t n = (size_t)r->ode->n, m = (size_t)r->ode->n_guards;
    double **vectors[] = {&r->s.f, &r->s.y_new, &r->y_out};
    double **guards[] = {&r->g, &r->g_new, &r->g_low, &r->g_high, &r->g_try, &r->g_change, &r->armed};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, work += n)
        *vectors[i] = work;
    r->s.vectors = work;
    work += n * (size_t)r->method->vectors;
    for (size_t i = 0; i < sizeof guards / sizeof *guards; i++, work += m)
        *guards[i] = work;
    r->s.self = work;
    work += r->method->room ? r->method->room(r->ode) : 0;
    r->which = (bool *)work;
}

size_t dal_drive_work(const dal_integrator *method, const dal_ode *ode)
{
    size_t n = (size_t)ode->n, m = (size_t)ode->n_guards;
    return n * (size_t)(3 + method->vectors) + (method->room ? method->room(ode) : 0) + 7 * m + (m * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
}

dal_drive_result dal_drive(const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y,
                           double *work)
{
    assert(options->t_end >= options->t_start);
    driver r = {.ode = ode, .method = method, .options = options};
    r.s = (dal_stepper){.ode = ode, .method = method, .t = options->t_start, .y = y, .rtol = options->rtol,
                        .atol = options->atol, .unit_time = options->unit_time > 0 ? options->unit_time : 1, .component = -1, .options = options,
                        .least_progress = 1e-3 * (options->t_end - options->t_start)};
    lay_out(&r, work);
    r.result.component = -1;
    r.slack = 8 * DBL_EPSILON * fmax(fabs(options->t_start), fabs(options->t_end));
    r.event_tolerance = fmax(options->event_tolerance > 0 ? options->event_tolerance : EVENT_TOLERANCE * r.s.unit_time, 4 * DBL_EPSILON * r.s.unit_time);
    verdict v = GOOD;
    if (method->open && !method->open(&r.s))
        v = dal_drive_stop(&r, DAL_END_UNOPENED, r.s.flow, -1);
    if (v == GOOD)
        v = restart(&r, NULL);
    r.h_next = options->step;
    if (v == GOOD)
        v = put_end(&r);
    while (v != STOP && r.s.t < options->t_end)
        v = advance(&r);
    if (method->close)
        method->close(&r.s);
    if (v == STOP && r.result.end == DAL_END_STEP_COLLAPSE)
        r.result.component = dal_fastest_component(&r);
    if (r.s.creeps) {
        r.result.stall = DAL_STALL_REFUSED;
        r.result.tries = r.s.refusals;
        r.result.pace = (r.s.t - r.s.t_stuck) / (double)r.s.refusals;
    }
    r.result.t = r.s.t;
    r.result.rejected += r.s.rejected;
    r.result.evaluations = r.s.evaluations;
    return r.result;
}
