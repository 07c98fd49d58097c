/* Where the pieces of the right-hand side end: the first crossing of a guard inside a step.
 *
 * The step is made with the pieces frozen. If a guard is negative at its end, the first crossing is bracketed on states
 * inside the step (Illinois rule for all guards at once, safeguarded by bisection) down to the event tolerance, and the
 * step is cut at the end of the bracket where the guard is negative: new pieces are decided by direct evaluation there.
 *
 * A guard may dip below zero and return within one step. Adaptive methods have dense output at no extra cost and may take long
 * steps: their guards are evaluated at SAMPLES points per step. Inside a fixed step, which the user chose, guards are evaluated
 * only if a guard's smaller end value is less than its change over this step or the one before, and on the first step after a
 * restart: at the middle, then at the vertex of the parabola through the three values. Faster oscillations of a guard within a
 * step are missed: reduce max_step for them.
 *
 * A guard may start slightly negative by rounding. It counts only after it was seen positive; if it never becomes positive within the
 * step, the event is at the start of the step.
 *
 * A run ends for chatter after more than 200 + 2 n_guards events in a row, each within 1e-9 max(unit of time, |t|) (or 1e4 event
 * tolerances) of the one before. Sliding along a switching surface and bounces whose times accumulate both end in chatter.
 */
#include "integrate/drive.h"

#include <math.h>
#include <string.h>

#define CHATTER_GAP 1e-9
enum { CHATTER_EVENTS = 200 };
enum { SAMPLES = 16 };
enum { PATIENCE = 3 }; /* secants in a row that may fail to halve the bracket, before it is bisected */

static double tolerance_at(const driver *r)
{
    return r->event_tolerance * fmax(1, fabs(r->s.t) / r->s.unit_time);
}

static int first_negative(const double *g, int n)
{
    for (int i = 0; i < n; i++)
        if (g[i] < 0)
            return i;
    return -1;
}

/* True when the limit of evaluations is reached: events are then not located but act at the ends of steps. */
static bool exhausted(const driver *r)
{
    return r->work_limit > 0 && r->s.evaluations + r->guard_evaluations >= r->work_limit;
}

verdict dal_evaluate_guards(driver *r, double t, const double *y, double *g, double h)
{
    r->guard_evaluations++;
    dal_flow flow = r->ode->guards(r->ode->user, t, y, g);
    if (flow)
        return dal_drive_retry(r, h / 2, DAL_END_DERIVATIVE, flow, -1);
    for (int i = 0; i < r->ode->n_guards; i++)
        if (isnan(g[i]))
            return dal_drive_retry(r, h / 2, DAL_END_NOT_FINITE, 0, r->ode->n + i);
    return GOOD;
}

/* g_try at tau inside the step, the state in y_out. */
static verdict try_inside(driver *r, const stride *p, double tau)
{
    dal_flow flow = r->method->trial(&r->s, tau, r->y_out);
    if (flow)
        return dal_drive_retry_slope(r, p->h, flow);
    return dal_evaluate_guards(r, r->s.t + tau, r->y_out, r->g_try, p->h);
}

/* The same on the constraints, from where a step that is cut here continues: else the projection of the cut step may make the guard positive again,
 * and one crossing counts as several. If the projection fails, the state without it is used. */
static verdict try_on_constraints(driver *r, const stride *p, double tau)
{
    dal_flow flow = r->method->trial(&r->s, tau, r->y_out);
    if (flow)
        return dal_drive_retry_slope(r, p->h, flow);
    if (r->ode->project_output && r->ode->project_output(r->ode->user, r->s.t + tau, r->y_out)) {
        flow = r->method->trial(&r->s, tau, r->y_out);
        if (flow)
            return dal_drive_retry_slope(r, p->h, flow);
    }
    return dal_evaluate_guards(r, r->s.t + tau, r->y_out, r->g_try, p->h);
}

static void copy_guards(const driver *r, double *to, const double *from)
{
    memcpy(to, from, sizeof *to * (size_t)r->ode->n_guards);
}

/* The step now ends at tau, the last trial. */
static void cut_events(driver *r, double *high, double tau)
{
    *high = tau;
    memcpy(r->s.y_new, r->y_out, sizeof *r->y_out * (size_t)r->ode->n);
    copy_guards(r, r->g_high, r->g_try);
}

/* Could guard i have dipped below zero inside the step, though it is positive at the end? */
static bool may_dip(const driver *r, int i)
{
    double change = fmax(fabs(r->g_new[i] - r->g[i]), r->g_change[i]);
    return r->g_new[i] >= 0 && fmin(fmax(r->g[i], 0), r->g_new[i]) < change;
}

/* The lowest vertex theta in (0, 1) of the parabolas through (0, g), (1/2, g_try), (1, g_new); 0: none. */
static double lowest_vertex(const driver *r)
{
    double lowest = INFINITY, theta = 0;
    for (int i = 0; i < r->ode->n_guards; i++) {
        double g0 = fmax(r->g[i], 0), g1 = r->g_try[i], g2 = r->g_new[i];
        double slope = 4 * g1 - 3 * g0 - g2, curvature = 4 * (g0 - 2 * g1 + g2); /* at 0 */
        double vertex = -slope / curvature;
        double value = g0 + slope * vertex / 2;
        if (may_dip(r, i) && curvature > 0 && vertex > 0 && vertex < 1 && value < lowest) {
            lowest = value;
            theta = vertex;
        }
    }
    return theta;
}

/* The first of the samples inside the step at which a guard is negative, if any. */
static verdict sample_events(driver *r, const stride *p, double *high)
{
    for (int k = 1; k < SAMPLES && !exhausted(r); k++) {
        verdict v = try_inside(r, p, p->h * k / SAMPLES);
        if (v != GOOD)
            return v;
        for (int i = 0; i < r->ode->n_guards; i++)
            if (r->g_try[i] < 0 && r->g[i] >= 0) {
                cut_events(r, high, p->h * k / SAMPLES);
                return GOOD;
            }
    }
    return GOOD;
}

/* Search for guards that were negative only inside the step; *high becomes such a time. */
static verdict probe_events(driver *r, const stride *p, double *high)
{
    if (r->method->adaptive)
        return sample_events(r, p, high);
    bool wanted = false;
    for (int i = 0; i < r->ode->n_guards; i++)
        wanted |= may_dip(r, i);
    double theta = wanted ? 0.5 : 0;
    for (int round = 0; round < 2 && theta > 0 && !exhausted(r); round++) {
        verdict v = try_inside(r, p, theta * p->h);
        if (v != GOOD)
            return v;
        if (first_negative(r->g_try, r->ode->n_guards) >= 0) {
            cut_events(r, high, theta * p->h);
            return GOOD;
        }
        theta = lowest_vertex(r);
    }
    return GOOD;
}

/* Guards that start negative count since the first of the times 2^k tolerance at which they are not; which[i] is set
 * for those that stay negative up to `high`. */
static verdict arm_events(driver *r, const stride *p, double high)
{
    int waiting = 0;
    for (int i = 0; i < r->ode->n_guards; i++) {
        bool late = r->g[i] < 0;
        r->armed[i] = late ? INFINITY : 0;
        r->which[i] = false;
        waiting += late;
    }
    for (double tau = tolerance_at(r); waiting && tau < high && !exhausted(r); tau *= 2) {
        verdict v = try_inside(r, p, tau);
        if (v != GOOD)
            return v;
        for (int i = 0; i < r->ode->n_guards; i++)
            if (r->armed[i] > tau && r->g_try[i] >= 0) {
                r->armed[i] = tau;
                waiting--;
            }
    }
    for (int i = 0; waiting && i < r->ode->n_guards; i++)
        r->which[i] = r->armed[i] > high && r->g_high[i] < 0;
    return GOOD;
}

static bool has_ended(const driver *r, const double *g, double tau, int i)
{
    return g[i] < 0 && tau > r->armed[i];
}

/* Smallest zero of the secants between the bracket's ends, of the guards that ended. */
static double secant(const driver *r, double low, double high, double weight_low, double weight_high)
{
    double zero = high;
    for (int i = 0; i < r->ode->n_guards; i++) {
        if (!has_ended(r, r->g_high, high, i))
            continue;
        double a = weight_low * fmax(r->g_low[i], 0), b = -weight_high * r->g_high[i];
        zero = fmin(zero, low + (high - low) * (a / (a + b)));
    }
    return zero;
}

/* Shrink [0, *high] to the event tolerance around the first crossing. */
static verdict bracket_events(driver *r, const stride *p, double *high)
{
    double low = 0, tolerance = tolerance_at(r);
    double weight_low = 1, weight_high = 1;
    int side = 0, slow = 0; /* which end moved last; secants that did not halve the bracket */
    copy_guards(r, r->g_low, r->g);
    while (*high - low > tolerance) {
        if (exhausted(r)) {
            r->result.late_events++;
            break;
        }
        double width = *high - low;
        double tau = slow < PATIENCE ? secant(r, low, *high, weight_low, weight_high) : low + width / 2;
        tau = fmin(fmax(tau, low + tolerance / 2), *high - tolerance / 2);
        verdict v = try_on_constraints(r, p, tau);
        if (v != GOOD)
            return v;
        bool ended = false;
        for (int i = 0; i < r->ode->n_guards; i++)
            ended |= has_ended(r, r->g_try, tau, i);
        if (ended) {
            cut_events(r, high, tau);
            weight_low = side > 0 ? weight_low / 2 : 1;
            weight_high = 1;
        } else {
            low = tau;
            copy_guards(r, r->g_low, r->g_try);
            weight_high = side < 0 ? weight_high / 2 : 1;
            weight_low = 1;
        }
        side = ended ? 1 : -1;
        slow = slow >= PATIENCE || *high - low <= width / 2 ? 0 : slow + 1;
    }
    return GOOD;
}

/* A step that ends within the event tolerance of the last restart is too short to tell a guard that never holds from one that is
 * negative by that tolerance: paced methods begin with such steps. */
static bool too_soon(const driver *r, const stride *p)
{
    for (int i = 0; i < r->ode->n_guards; i++)
        if (r->g_high[i] < 0 && r->g[i] >= 0)
            return false;
    return p->t_new - r->t_base <= 2 * tolerance_at(r);
}

/* If the pieces of the right-hand side did not hold through the step, cut it at the first crossing. */
verdict dal_find_event(driver *r, stride *p)
{
    int n = r->ode->n_guards;
    if (!n)
        return GOOD;
    verdict v = dal_evaluate_guards(r, p->t_new, r->s.y_new, r->g_new, p->h);
    if (v != GOOD)
        return v;
    double high = p->h;
    copy_guards(r, r->g_high, r->g_new);
    if ((v = probe_events(r, p, &high)) != GOOD)
        return v;
    if (first_negative(r->g_high, n) < 0 || too_soon(r, p))
        return GOOD;
    if ((v = arm_events(r, p, high)) != GOOD)
        return v;
    p->event = true;
    for (int i = 0; i < n; i++)
        if (r->which[i]) { /* never held: an event at the start of the step */
            p->h = 0;
            return GOOD;
        }
    if ((v = bracket_events(r, p, &high)) != GOOD)
        return v;
    for (int i = 0; i < n; i++)
        r->which[i] = has_ended(r, r->g_high, high, i);
    if (high < p->h) {
        p->shortened = true;
        p->h = high;
        p->t_new = fmin(r->s.t + high, p->t_new);
    }
    return GOOD;
}

verdict dal_count_event(driver *r)
{
    double gap = fmax(CHATTER_GAP * fmax(r->s.unit_time, fabs(r->s.t)), 1e4 * tolerance_at(r));
    bool close = r->result.events && r->s.t - r->last_event < gap;
    r->close_events = close ? r->close_events + 1 : 0;
    r->last_event = r->s.t;
    r->result.events++;
    r->last_guard = 0;
    while (r->last_guard < r->ode->n_guards - 1 && !r->which[r->last_guard])
        r->last_guard++;
    if (r->close_events <= CHATTER_EVENTS + 2 * r->ode->n_guards)
        return GOOD;
    return dal_drive_stop(r, DAL_END_CHATTER, 0, r->last_guard);
}
