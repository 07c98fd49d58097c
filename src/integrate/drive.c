/* The loop around every integrator: make_step = make_stride (prepare, attempt, find an event, project), then finish_stride (record, accept, restart).
 *
 * step_size.c chooses the length of a step, events.c locates events, stagnation.c notices a run without progress. A step is cut at the first
 * event inside it, then projected, recorded, accepted. Outputs never change the steps: states on the grid come from inside the step. A paced
 * integrator (one that chooses its own steps) returns finished steps and is reset after an event, a change of chart, or a step that a hook
 * refused. What the hooks do to a mechanism: run/step.c.
 */
#include "integrate/drive.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define ELSEWHERE 0.87 /* factor on h when a Runge-Kutta stage is too near a singular position */
#define LONGER 1.6     /* factor on h when the end of the step is too near a singular position */
#define EVENT_TOLERANCE 1e-13

/* ---- steps that fail ------------------------------------------------------------------------------- */

verdict dal_drive_stop(driver *r, dal_drive_end end, dal_flow flow, int component)
{
    r->result.end = end;
    r->result.flow = flow;
    r->result.component = component;
    return STOP;
}

verdict dal_drive_retry(driver *r, double h, dal_drive_end end, dal_flow flow, int component)
{
    if (!r->method->adaptive || flow < 0 || h < dal_smallest_step(r) || dal_is_stuck(&r->s, flow))
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
    return not_finite ? dal_drive_retry(r, h / 2, DAL_END_NOT_FINITE, 0, r->s.component) : dal_drive_retry(r, h / 2, DAL_END_DERIVATIVE, flow, -1);
}

/* A component of y_new that is not finite makes the step fail. */
static verdict check_finite(driver *r, double h)
{
    for (int i = 0; i < r->ode->n; i++)
        if (!isfinite(r->s.y_new[i]))
            return dal_drive_retry(r, h / 2, DAL_END_NOT_FINITE, 0, i);
    return GOOD;
}

/* ---- outputs ---------------------------------------------------------------------------------------- */

static double output_time(const driver *r)
{
    return r->options.t_start + (double)r->next_output * r->options.every;
}

static verdict record_row(driver *r, double t, const double *y)
{
    dal_flow flow = r->ode->output ? r->ode->output(r->ode->user, t, y) : 0;
    return flow ? dal_drive_stop(r, DAL_END_STOPPED, flow, -1) : GOOD;
}

/* Grid times strictly inside the step. */
static verdict record_inside(driver *r, const stride *p)
{
    if (!r->ode->output || r->options.every <= 0)
        return GOOD;
    for (double t; (t = output_time(r)) < p->t_new - r->slack; r->next_output++) {
        if (r->options.ends_alone)
            continue;
        dal_flow flow = r->method->trial(&r->s, t - r->s.t, r->y_out);
        if (flow)
            return dal_drive_retry_slope(r, 0, flow); /* outputs are not taken back */
        dal_flow (*onto)(void *user, double t, double *y) = r->ode->project_output ? r->ode->project_output : r->ode->project;
        flow = onto ? onto(r->ode->user, t, r->y_out) : 0;
        if (flow)
            return dal_drive_stop(r, DAL_END_PROJECT, flow, -1);
        verdict v = record_row(r, t, r->y_out);
        if (v != GOOD)
            return v;
    }
    return GOOD;
}

/* The state at the end of a step, if it is an output. */
static verdict record_end(driver *r)
{
    double t = r->s.t;
    bool grid = r->options.every > 0, on_grid = grid && output_time(r) <= t + r->slack;
    if (grid && !on_grid && t != r->options.t_end)
        return GOOD;
    if (on_grid && t != r->options.t_end)
        t = output_time(r);
    r->next_output += on_grid;
    return record_row(r, t, r->s.y);
}

/* ---- one step ----------------------------------------------------------------------------------------- */

/* Restart at (t, y): drop slopes, guards, history and step size. */
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
    r->error_before = DAL_SMALLEST_ERROR;
    r->after_rejection = false;
    return GOOD;
}

static verdict handle_event(driver *r)
{
    verdict v = dal_count_event(r);
    return v == GOOD ? restart(r, r->which) : v;
}

/* The data at the start of a step: slope, guards, size. */
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
    return r->method->adaptive && !paced && r->h_next <= 0 ? dal_choose_first_step(r) : GOOD;
}

/* y_new of a step as long as the error control allows. */
static verdict attempt(driver *r, stride *p)
{
    *p = dal_propose_step(r);
    r->result.h = p->h;
    if (!p->shortened && !(p->h >= dal_smallest_step(r)))
        return dal_drive_stop(r, DAL_END_STEP_COLLAPSE, 0, -1);
    r->s.component = -1;
    dal_flow flow = r->method->step(&r->s, p->h, &p->error);
    if (flow == DAL_FLOW_ELSEWHERE)
        return dal_drive_retry(r, ELSEWHERE * p->h, DAL_END_DERIVATIVE, flow, -1);
    if (flow)
        return dal_drive_retry_slope(r, p->h, flow);
    verdict v = check_finite(r, p->h);
    return v == GOOD ? dal_control_error(r, p) : v;
}

/* The same from a paced method. A first step that t cannot resolve ends the run, as in `attempt`. */
static verdict attempt_paced(driver *r, stride *p)
{
    dal_stepper *s = &r->s;
    double wish = r->h_next > 0 ? r->h_next : HUGE_VAL;
    if (r->options.max_step > 0)
        wish = fmin(wish, r->options.max_step);
    s->component = -1;
    s->smallest = dal_smallest_step(r);
    r->result.h = wish < HUGE_VAL ? wish : r->result.h;
    if (r->stale && wish < s->smallest)
        return dal_drive_stop(r, DAL_END_STEP_COLLAPSE, 0, -1);
    if ((r->stale && !r->method->reset(s, r->h_next)) || !r->method->advance(s, &p->t_new)) {
        r->result.h = s->h_tried;
        return dal_drive_stop(r, s->failure, s->flow, s->component);
    }
    r->stale = false;
    p->h = r->result.h = p->t_new - s->t;
    p->shortened = p->t_new == r->s.t_stop;
    return check_finite(r, p->h);
}

/* Put y_new on the constraints. Changes of a few roundings leave the slopes at y_new valid. */
static verdict project(driver *r, stride *p)
{
    if (!r->ode->project || (r->method->projects && !p->event && !p->cut))
        return GOOD;
    size_t n = (size_t)r->ode->n;
    memcpy(r->y_out, r->s.y_new, sizeof *r->y_out * n);
    dal_flow flow = r->ode->project(r->ode->user, p->t_new, r->s.y_new);
    if (flow == DAL_FLOW_LONGER)
        return dal_drive_retry(r, LONGER * p->h, DAL_END_PROJECT, flow, -1);
    if (flow)
        return dal_drive_retry(r, p->h / 2, DAL_END_PROJECT, flow, -1);
    verdict v = check_finite(r, p->h);
    if (v != GOOD)
        return v;
    for (size_t i = 0; i < n; i++)
        p->moved |= fabs(r->s.y_new[i] - r->y_out[i]) > 4 * DBL_EPSILON * fabs(r->y_out[i]);
    return GOOD;
}

/* (t, y) <- (t_new, y_new) */
static void accept(driver *r, const stride *p)
{
    if (r->method->adaptive && !dal_paced(r->method))
        dal_choose_next_step(r, p);
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
    if (p->shortened && !r->method->adaptive) { /* fixed steps continue from the time at which they were stopped */
        r->t_base = r->s.t;
        r->steps_since = 0;
    }
    for (int i = 0; i < r->ode->n_guards; i++) {
        r->g_change[i] = fabs(r->g_new[i] - r->g[i]);
        r->g[i] = r->g_new[i];
    }
}

/* Calls the hook on the accepted state; it may ask for a restart. */
static verdict show_accepted(driver *r, bool *ask)
{
    dal_flow flow = r->ode->accepted ? r->ode->accepted(r->ode->user, r->s.t, r->s.y, ask) : 0;
    return flow ? dal_drive_stop(r, DAL_END_STOPPED, flow, -1) : GOOD;
}

static verdict restart_as_asked(driver *r)
{
    r->result.restarts++;
    return restart(r, NULL);
}

static verdict count_try(driver *r)
{
    if (r->options.max_steps > 0 && r->result.steps >= r->options.max_steps)
        return dal_drive_stop(r, DAL_END_MAX_STEPS, 0, -1);
    return dal_watch_progress(r);
}

/* y_new of one step from (t, y), on the constraints. Any verdict but GOOD ends the attempt. */
static verdict make_stride(driver *r, stride *p)
{
    verdict v = count_try(r);
    if (v == GOOD)
        v = prepare(r); /* slope and guards at (t, y) */
    if (v == GOOD)
        v = (dal_paced(r->method) ? attempt_paced : attempt)(r, p); /* y_new at t_new, to the tolerance */
    if (v == GOOD)
        v = dal_find_event(r, p); /* y_new at the first event, if there is one */
    if (v == GOOD && p->event && p->h == 0)
        return handle_event(r) == STOP ? STOP : AGAIN; /* before anything moved */
    return v == GOOD ? project(r, p) : v;              /* y_new on the constraints */
}

static verdict pause_between(driver *r)
{
    dal_flow flow = r->ode->between ? r->ode->between(r->ode->user, r->s.t) : 0;
    return flow ? dal_drive_stop(r, DAL_END_STOPPED, flow, -1) : GOOD;
}

/* Record, accept, restart. */
static verdict finish_stride(driver *r, const stride *p)
{
    bool ask = false;
    verdict v = record_inside(r, p);
    if (v != GOOD)
        return v;
    accept(r, p); /* (t, y) <- (t_new, y_new) */
    v = record_end(r);
    if (v == GOOD)
        v = show_accepted(r, &ask);
    if (v == GOOD && p->event)
        v = handle_event(r);
    if (v == GOOD && ask)
        v = restart_as_asked(r);
    return v == GOOD ? pause_between(r) : v;
}

static verdict make_step(driver *r)
{
    stride p = {0};
    verdict v = make_stride(r, &p);
    return v == GOOD ? finish_stride(r, &p) : v;
}

/* Accept the pending step (dal_drive_look). */
static verdict finish_pending(driver *r)
{
    r->has_pending = false;
    return r->verdict = finish_stride(r, &r->pending);
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

static void layout_out(driver *r, double *work)
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
    return n * (size_t)(3 + method->vectors) + (method->room ? method->room(ode) : 0) + 7 * m +
           (m * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
}

void dal_drive_begin(driver *r, const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y, double *work)
{
    assert(options->t_end >= options->t_start);
    *r = (driver){.ode = ode, .method = method, .options = *options};
    r->s = (dal_stepper){.ode = ode,
                         .method = method,
                         .t = options->t_start,
                         .y = y,
                         .rtol = options->rtol,
                         .atol = options->atol,
                         .unit_time = options->unit_time > 0 ? options->unit_time : 1,
                         .component = -1,
                         .options = &r->options,
                         .least_progress = 1e-3 * (options->t_end - options->t_start)};
    layout_out(r, work);
    r->result.component = -1;
    r->event_tolerance =
        fmax(options->event_tolerance > 0 ? options->event_tolerance : EVENT_TOLERANCE * r->s.unit_time, 4 * DBL_EPSILON * r->s.unit_time);
    r->stale = true;
    dal_drive_aim(r, options->t_end);
    r->verdict = GOOD;
    if (method->open && !method->open(&r->s))
        r->verdict = dal_drive_stop(r, DAL_END_UNOPENED, r->s.flow, -1);
    if (r->verdict == GOOD)
        r->verdict = restart(r, NULL);
    r->h_next = options->step;
    if (r->verdict == GOOD)
        r->verdict = record_end(r);
}

/* Times up to t_far are wanted; steps end at t_stop. */
static void aim(driver *r, double t_stop, double t_far)
{
    assert(t_stop >= r->s.t);
    r->t_far = fmax(fmax(r->t_far, r->options.t_end), t_far);
    r->slack = 8 * DBL_EPSILON * fmax(fabs(r->options.t_start), fabs(r->t_far));
    if (r->s.t_stop == t_stop)
        return;
    r->s.t_stop = t_stop;
    if (!r->stale && r->method->stop_at && !r->method->stop_at(&r->s))
        r->stale = true;
}

void dal_drive_aim(driver *r, double t_stop)
{
    aim(r, t_stop, t_stop);
}

verdict dal_drive_step(driver *r)
{
    if (r->verdict == STOP)
        return STOP;
    if (r->has_pending)
        return finish_pending(r);
    return r->verdict = make_step(r);
}

/* The pending step (dal_drive_look) ends beyond t_stop: drop it; a paced method cannot repeat it, so that it is cut at t_stop. */
static verdict cut_pending(driver *r, double t_stop)
{
    stride *p = &r->pending;
    r->has_pending = false;
    r->stale = true;
    if (!dal_paced(r->method) || !(t_stop > r->s.t))
        return GOOD;
    dal_flow flow = r->method->trial(&r->s, t_stop - r->s.t, r->s.y_new);
    if (flow)
        return dal_drive_retry_slope(r, 0, flow);
    *p = (stride){.h = t_stop - r->s.t, .t_new = t_stop, .shortened = true, .cut = true};
    verdict v = r->ode->n_guards ? dal_evaluate_guards(r, t_stop, r->s.y_new, r->g_new, 0) : GOOD;
    if (v == GOOD)
        v = project(r, p);
    return v == GOOD ? finish_stride(r, p) : v;
}

/* Times that are equal up to rounding, as 0.3 and 3 * 0.1: nothing moves. */
static void rename_time(driver *r, double t)
{
    r->s.t = r->t_base = t;
    r->steps_since = 0;
    r->s.f_valid = r->g_valid = false;
    r->stale = true;
}

verdict dal_drive_to(driver *r, double t_stop)
{
    if (r->has_pending && r->verdict != STOP && t_stop < r->pending.t_new)
        r->verdict = cut_pending(r, t_stop);
    dal_drive_aim(r, fmax(t_stop, r->s.t));
    while (r->verdict != STOP && r->s.t < t_stop)
        if (t_stop - r->s.t <= r->slack && t_stop != r->options.t_end && !r->has_pending)
            rename_time(r, t_stop);
        else
            dal_drive_step(r);
    return r->verdict;
}

verdict dal_drive_jump(driver *r)
{
    if (r->verdict == STOP)
        return STOP;
    r->has_pending = false;
    return r->verdict = restart(r, NULL);
}

/* A step of dal_drive_look failed: the look fails, and the motion stays where it was. But a hook that stopped the run, and the limit of steps, end
 * it. */
static verdict fail_look(driver *r, const driver *before, dal_drive_result *failed)
{
    *failed = dal_drive_so_far(r);
    if (r->result.end == DAL_END_STOPPED || r->result.end == DAL_END_MAX_STEPS)
        return STOP;
    const long evaluations = r->s.evaluations, guards = r->guard_evaluations;
    *r = *before;
    r->s.evaluations = evaluations;
    r->guard_evaluations = guards;
    r->s.f_valid = r->g_valid = false;
    r->stale = true;
    r->has_pending = false;
    return STOP;
}

verdict dal_drive_look(driver *r, double t, double stop, double *y, bool *inside, dal_drive_result *failed)
{
    const double end = fmin(stop, r->options.t_end);
    t = fmin(t, stop); /* which may be the same but for rounding */
    const double ahead = 1e6 * r->s.unit_time;
    driver before = *r;
    while (r->verdict != STOP && t > (r->has_pending ? r->pending.t_new : r->s.t)) {
        if (r->has_pending) {
            if (finish_pending(r) == STOP)
                break;
            before = *r;
        }
        if (!(r->s.t < end) || r->s.t_stop != end)
            aim(r, r->s.t < end ? end : fmin(stop, fmax(r->s.t, t) + ahead), t);
        if (!(t > r->s.t))
            break;
        r->pending = (stride){0};
        r->verdict = make_stride(r, &r->pending);
        r->has_pending = r->verdict == GOOD;
        if (r->verdict == STOP)
            return fail_look(r, &before, failed);
        if (r->verdict == AGAIN && r->result.events != before.result.events)
            before = *r; /* an event here has acted */
    }
    if (r->verdict == STOP)
        return STOP;
    const bool behind = r->has_pending && t > r->s.t;
    *inside = behind && t < r->pending.t_new;
    if (*inside) {
        const dal_flow flow = r->method->trial(&r->s, t - r->s.t, y);
        if (!flow)
            return GOOD;
        const driver whole = *r; /* the step itself is good */
        dal_drive_stop(r, DAL_END_DERIVATIVE, flow, -1);
        *failed = dal_drive_so_far(r);
        *r = whole;
        return STOP;
    }
    memcpy(y, behind ? r->s.y_new : r->s.y, sizeof *y * (size_t)r->ode->n);
    return GOOD;
}

dal_drive_result dal_drive_so_far(const driver *r)
{
    dal_drive_result result = r->result;
    if (r->verdict == STOP && result.end == DAL_END_STEP_COLLAPSE)
        result.component = dal_fastest_component(r);
    if (r->s.stuck) {
        result.stall = DAL_STALL_REFUSED;
        result.tries = r->s.refusals;
        result.pace = (r->s.t - r->s.t_stuck) / (double)r->s.refusals;
    }
    result.t = r->s.t;
    result.rejected += r->s.rejected;
    result.evaluations = r->s.evaluations;
    result.matrices = r->s.matrices;
    result.products = r->s.products;
    return result;
}

void dal_drive_close(driver *r)
{
    if (r->method && r->method->close)
        r->method->close(&r->s);
}

/* ---- keeping ---------------------------------------------------------------------------------------------- */

static void keep_stepper(dal_stepper *s, dal_keep *keep)
{
    const size_t n = (size_t)s->ode->n;
    double *const numbers[] = {&s->t, &s->t_stop, &s->h_history, &s->t_stuck};
    long *const counts[] = {&s->evaluations, &s->matrices, &s->products, &s->refusals, &s->steps, &s->steps_stuck, &s->rejected};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_within(keep, numbers[i], 1, -DBL_MAX, DBL_MAX);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        dal_keep_counts(keep, counts[i], 1);
    dal_keep_numbers(keep, s->y, n);
    dal_keep_numbers(keep, s->y_new, n);
    dal_keep_numbers(keep, s->f, n);
    dal_keep_numbers(keep, s->vectors, n * (size_t)s->method->vectors);
    dal_keep_integers(keep, &s->history, 1, 0, s->method->vectors);
    dal_keep_flags(keep, &s->f_valid, 1);
    dal_keep_flags(keep, &s->stuck, 1);
}

static void keep_stride(stride *p, dal_keep *keep)
{
    dal_keep_numbers(keep, &p->h, 1);
    dal_keep_numbers(keep, &p->t_new, 1);
    dal_keep_numbers(keep, &p->error, 1);
    dal_keep_flags(keep, &p->shortened, 1);
    dal_keep_flags(keep, &p->event, 1);
    dal_keep_flags(keep, &p->moved, 1);
}

static void keep_result(dal_drive_result *r, dal_keep *keep)
{
    dal_keep_counts(keep, &r->steps, 1);
    dal_keep_counts(keep, &r->rejected, 1);
    dal_keep_counts(keep, &r->events, 1);
    dal_keep_counts(keep, &r->restarts, 1);
    dal_keep_counts(keep, &r->late_events, 1);
    dal_keep_numbers(keep, &r->h, 1);
    dal_keep_numbers(keep, &r->smallest_step, 1);
    dal_keep_numbers(keep, &r->largest_step, 1);
}

static void keep_progress(progress *p, dal_keep *keep)
{
    long *const counts[] = {&p->tries, &p->next, &p->tries_mark, &p->events_mark, &p->rejected_mark};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        dal_keep_counts(keep, counts[i], 1);
    dal_keep_numbers(keep, &p->t_mark, 1);
    dal_keep_numbers(keep, &p->advance, 1);
    dal_keep_integers(keep, &p->marks, 1, 0, INT_MAX);
    dal_keep_integers(keep, &p->slower, 1, 0, INT_MAX);
    dal_keep_integers(keep, &p->stalled, 1, 0, INT_MAX);
}

static void keep_guards(driver *r, dal_keep *keep)
{
    const size_t m = (size_t)r->ode->n_guards;
    dal_keep_numbers(keep, r->g, m);
    dal_keep_numbers(keep, r->g_new, m);
    dal_keep_numbers(keep, r->g_change, m);
    dal_keep_flags(keep, r->which, m);
    dal_keep_flags(keep, &r->g_valid, 1);
    dal_keep_numbers(keep, &r->last_event, 1);
    dal_keep_counts(keep, &r->close_events, 1);
    dal_keep_integers(keep, &r->last_guard, 1, 0, m ? (int)m - 1 : 0);
    dal_keep_counts(keep, &r->guard_evaluations, 1);
}

void dal_drive_keep(driver *r, dal_keep *keep)
{
    double *const numbers[] = {&r->options.t_start, &r->options.t_end, &r->t_far, &r->slack, &r->t_base, &r->h_next, &r->error_before};
    dal_keep_within(keep, &r->options.step, 1, 0, DBL_MAX);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dal_keep_within(keep, numbers[i], 1, -DBL_MAX, DBL_MAX);
    keep_stepper(&r->s, keep);
    keep_result(&r->result, keep);
    keep_progress(&r->progress, keep);
    keep_guards(r, keep);
    keep_stride(&r->pending, keep);
    dal_keep_flags(keep, &r->has_pending, 1);
    dal_keep_counts(keep, &r->steps_since, 1);
    dal_keep_counts(keep, &r->next_output, 1);
    dal_keep_flags(keep, &r->after_rejection, 1);
    if (keep->mode != DAL_KEEP_READ)
        return;
    r->stale = true;
    r->verdict = GOOD;
    r->result.end = DAL_END_REACHED;
    r->result.flow = 0;
    r->result.stall = DAL_STALL_NONE;
    r->result.component = -1;
    r->has_pending &= !dal_paced(r->method);
}

dal_drive_result dal_drive(const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y, double *work)
{
    driver r;
    dal_drive_begin(&r, method, ode, options, y, work);
    dal_drive_to(&r, options->t_end);
    dal_drive_close(&r);
    return dal_drive_so_far(&r);
}
