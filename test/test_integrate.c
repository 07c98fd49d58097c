/* The integrators and their driver: observed orders, stability limits, events, projection, outputs, failures. */
#include "check.h"

#include "integrate/integrate.h"

#include <float.h>
#include <stdlib.h>

enum { ROOM = 256, MOST = 4000 };

/* Run on a work block filled with noise; the place behind the block has to stay as it was. */
static dal_drive_result run(const dal_integrator *method, const dal_ode *ode, const dal_drive_options *options, double *y)
{
    static uint64_t seed = 1;
    double work[ROOM];
    size_t size = dal_drive_work(method, ode);
    assert_true(size < ROOM);
    for (size_t i = 0; i < ROOM; i++)
        work[i] = check_random(&seed);
    double behind = work[size];
    dal_drive_result result = dal_drive(method, ode, options, y, work);
    assert_true(work[size] == behind);
    return result;
}

/* Options that make an adaptive method keep the step h too: every error is accepted, max_step holds it. */
static dal_drive_options fixed(double t_start, double t_end, double h)
{
    return (dal_drive_options){.t_start = t_start, .t_end = t_end, .step = h, .max_step = h, .rtol = 1e20, .atol = 1e20};
}

static dal_drive_options accurate(double t_start, double t_end, double h)
{
    return (dal_drive_options){.t_start = t_start, .t_end = t_end, .step = h, .rtol = 1e-9, .atol = 1e-9};
}

#define FOR_EVERY(method) for (const dal_integrator *const *each = dal_integrators, *method; (method = *each); each++)

/* ---- a nonlinear problem that depends on time, with a known solution ---- */

/* y = (exp(1.37 sin w), cos w), w = 0.95 t^2 */
static void solution(double t, double y[2])
{
    double w = 0.95 * t * t;
    y[0] = exp(1.37 * sin(w));
    y[1] = cos(w);
}

static dal_flow nonlinear(void *user, double t, const double *y, double *dy)
{
    (void)user;
    dy[0] = 1.37 * 1.9 * t * y[0] * y[1];
    dy[1] = -1.9 / 1.37 * t * log(y[0]);
    return 0;
}

static const double t_first = 0.23, t_last = 2.63;

static double error_at_the_end(const dal_integrator *method, double t_end, double steps)
{
    dal_ode ode = {.n = 2, .n_control = 2, .derivative = nonlinear};
    dal_drive_options options = fixed(t_first, t_end, (t_end - t_first) / steps);
    double y[2], s[2];
    solution(t_first, y);
    solution(t_end, s);
    dal_drive_result result = run(method, &ode, &options, y);
    assert_int_equal(result.end, DAL_END_REACHED);
    assert_in_range(result.steps, ceil(steps), ceil(steps) + method->adaptive); /* whose times add up */
    return hypot(y[0] - s[0], y[1] - s[1]);
}

/* Mean order over three halvings of the step. */
static void check_order(const dal_integrator *method, double t_end, double steps)
{
    double coarse = error_at_the_end(method, t_end, steps), fine = error_at_the_end(method, t_end, 8 * steps);
    check_close(log2(coarse / fine) / 3, method->order, 0.25);
}

static void rk4_is_fourth_order(void **state)
{
    (void)state;
    assert_int_equal(dal_rk4.order, 4);
    check_order(&dal_rk4, t_last, 40);
}

static void rk6_is_sixth_order(void **state)
{
    (void)state;
    assert_int_equal(dal_rk6.order, 6);
    check_order(&dal_rk6, t_last, 40);
}

static void ab6_is_sixth_order(void **state)
{
    (void)state;
    assert_int_equal(dal_ab6.order, 6);
    check_order(&dal_ab6, 1.43, 80);
}

static void ab6_keeps_its_order_when_the_last_step_is_not_whole(void **state)
{
    (void)state;
    double coarse = error_at_the_end(&dal_ab6, 1.43, 80 - 0.37), fine = error_at_the_end(&dal_ab6, 1.43, 640 - 0.37);
    check_close(log2(coarse / fine) / log2(639.63 / 79.63), 6, 0.25);
}

/* Its leading coefficients are so small that on long runs with these steps the next term hides them. */
static void dopri5_is_fifth_order(void **state)
{
    (void)state;
    assert_int_equal(dal_dopri5.order, 5);
    check_order(&dal_dopri5, 1.03, 12);
}

/* e ~ h^5 on each step: five decades of tolerance are one decade of steps. */
static void dopri5_steps_follow_the_fifth_root_of_the_tolerance(void **state)
{
    (void)state;
    dal_ode ode = {.n = 2, .n_control = 2, .derivative = nonlinear};
    long steps[2];
    for (int i = 0; i < 2; i++) {
        double tolerance = i ? 1e-12 : 1e-7, y[2], s[2];
        dal_drive_options options = {.t_start = t_first, .t_end = t_last, .rtol = tolerance, .atol = tolerance};
        solution(t_first, y);
        solution(t_last, s);
        dal_drive_result result = run(&dal_dopri5, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        steps[i] = result.steps;
        check_close(y[0], s[0], 100 * tolerance);
        check_close(y[1], s[1], 100 * tolerance * fabs(s[1]));
        assert_true(result.rejected < result.steps / 4);
        assert_true(result.smallest_step > 0 && result.smallest_step < result.largest_step);
    }
    check_close(log10((double)steps[1] / (double)steps[0]), 1, 0.1);
}

/* ---- states inside a step ---- */

typedef struct seen {
    double t[MOST], y[MOST][3];
    int count;
} seen;

static dal_flow record(void *user, double t, const double *y)
{
    seen *rows = user;
    assert_true(rows->count < MOST);
    rows->t[rows->count] = t;
    memcpy(rows->y[rows->count++], y, 2 * sizeof *y);
    return 0;
}

/* Error of the state at 0.37 h of a first step from the exact solution. */
static double error_inside(const dal_integrator *method, double h)
{
    static seen rows;
    rows.count = 0;
    dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = nonlinear, .output = record};
    dal_drive_options options = fixed(0.8, 0.8 + h, h);
    options.every = 0.37 * h;
    double y[2], s[2];
    solution(0.8, y);
    assert_int_equal(run(method, &ode, &options, y).steps, 1);
    solution(rows.t[1], s);
    return hypot(rows.y[1][0] - s[0], rows.y[1][1] - s[1]);
}

/* An order p has a local error of h^(p + 1). */
static void dense_output_is_fourth_order(void **state)
{
    (void)state;
    check_close(log2(error_inside(&dal_dopri5, 0.16) / error_inside(&dal_dopri5, 0.02)) / 3, 5, 0.25);
}

static void fixed_methods_keep_their_order_inside_a_step(void **state)
{
    (void)state;
    FOR_EVERY(method)
        if (!method->adaptive)
            check_close(log2(error_inside(method, 0.32) / error_inside(method, 0.04)) / 3, method->order + 1, 0.25);
}

static void outputs_on_a_grid_do_not_change_the_steps(void **state)
{
    (void)state;
    static seen rows;
    FOR_EVERY(method) {
        double h = 0.02, end[3][2];
        dal_drive_result results[3];
        for (int i = 0; i < 3; i++) {
            rows.count = 0;
            dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = nonlinear, .output = i ? record : NULL};
            dal_drive_options options = accurate(t_first, t_last, h);
            options.every = i == 2 ? 0.00737 : 0;
            solution(t_first, end[i]);
            results[i] = run(method, &ode, &options, end[i]);
            assert_int_equal(results[i].end, DAL_END_REACHED);
            assert_int_equal(results[i].steps, results[0].steps);
            assert_memory_equal(end[i], end[0], sizeof end[0]);
            if (i == 1)
                assert_int_equal(rows.count, results[1].steps + 1);
        }
        int last = (int)floor((t_last - t_first) / 0.00737) + 1;
        assert_int_equal(rows.count, last + 1);
        for (int k = 0; k <= last; k++) {
            double s[2];
            assert_true(rows.t[k] == (k < last ? t_first + k * 0.00737 : t_last));
            solution(rows.t[k], s);
            double limit = method->adaptive ? 1e-7 : 100 * pow(h, method->order);
            check_close(rows.y[k][0], s[0], limit);
            check_close(rows.y[k][1], s[1], limit);
        }
        assert_memory_equal(rows.y[last], end[2], sizeof end[2]);
    }
}

static void a_grid_time_on_a_step_takes_the_state_of_the_step(void **state)
{
    (void)state;
    static seen steps, grid;
    steps.count = grid.count = 0;
    for (int i = 0; i < 2; i++) {
        dal_ode ode = {.n = 2, .n_control = 2, .user = i ? &grid : &steps, .derivative = nonlinear, .output = record};
        dal_drive_options options = fixed(0.3, 1.5, 0.1);
        options.every = i ? 0.3 : 0;
        double y[2];
        solution(0.3, y);
        dal_drive_result result = run(&dal_ab6, &ode, &options, y);
        assert_int_equal(result.steps, 12);
        assert_int_equal(result.evaluations, 12 + 5 * 6); /* no trial was needed */
    }
    assert_int_equal(grid.count, 5);
    for (int k = 0; k < 5; k++)
        assert_memory_equal(grid.y[k], steps.y[3 * k], 2 * sizeof(double));
}

/* ---- times ---- */

typedef struct watch {
    double t_start, h, t_end, last;
    long steps;
} watch;

static dal_flow idle(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = -0.37 * y[0];
    return 0;
}

static dal_flow check_time(void *user, double t, const double *y, bool *ask_restart)
{
    (void)y, (void)ask_restart;
    watch *c = user;
    c->steps++;
    assert_true(t == (t == c->t_end ? c->t_end : c->t_start + (double)c->steps * c->h));
    assert_true(t > c->last);
    c->last = t;
    return 0;
}

static void times_do_not_accumulate_rounding(void **state)
{
    (void)state;
    watch c = {.t_start = 0.3, .h = 0.1, .t_end = 10000.3, .last = 0.3};
    dal_ode ode = {.n = 1, .n_control = 1, .user = &c, .derivative = idle, .accepted = check_time};
    dal_drive_options options = fixed(c.t_start, c.t_end, c.h);
    double y = 1.37;
    dal_drive_result result = run(&dal_ab6, &ode, &options, &y);
    assert_int_equal(result.steps, 100000);
    assert_true(result.t == c.t_end && c.last == c.t_end);
    assert_true(result.smallest_step == 0.1 && result.largest_step == 0.1);
}

static void last_step_lands_on_the_end(void **state)
{
    (void)state;
    static const struct { double t_end, h; long steps; } cases[] = {
        {5.03, 0.37, 14}, {1.0, 0.1, 10}, {0.7, 0.1, 7}, {0.3, 0.1, 3}, {0.1, 0.37, 1}, {1e-9, 3e-10, 4}};
    static seen rows;
    FOR_EVERY(method)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            rows.count = 0;
            dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = nonlinear, .output = record};
            dal_drive_options options = fixed(0, cases[i].t_end, cases[i].h);
            double y[2];
            solution(0, y);
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_REACHED);
            assert_int_equal(result.steps, cases[i].steps);
            assert_true(result.t == cases[i].t_end);
            assert_int_equal(rows.count, cases[i].steps + 1);
            assert_true(rows.t[0] == 0 && rows.t[rows.count - 1] == cases[i].t_end);
        }
}

static void an_empty_interval_has_one_output_and_no_step(void **state)
{
    (void)state;
    static seen rows;
    FOR_EVERY(method) {
        rows.count = 0;
        dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = nonlinear, .output = record};
        dal_drive_options options = fixed(1.37, 1.37, 0.1);
        double y[2] = {0.618, 0.37};
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(result.steps, 0);
        assert_int_equal(rows.count, 1);
        assert_true(y[0] == 0.618 && rows.y[0][1] == 0.37);
    }
}

/* ---- events ---- */

/* A ball above a floor: y = (height, velocity); restart reverses the velocity. */
typedef struct ball {
    double restitution;
    double t_event[MOST], y_event[MOST];
    int events;
} ball;

static dal_flow fall(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = y[1];
    dy[1] = -9.81;
    return 0;
}

static dal_flow height(void *user, double t, const double *y, double *g)
{
    (void)user, (void)t;
    g[0] = y[0];
    return 0;
}

static dal_flow bounce(void *user, double t, double *y, const bool *which)
{
    ball *b = user;
    if (!which)
        return 0;
    assert_true(which[0] && b->events < MOST);
    b->t_event[b->events] = t;
    b->y_event[b->events++] = y[0];
    y[1] *= -b->restitution;
    return 0;
}

static dal_ode ball_ode(ball *b)
{
    return (dal_ode){.n = 2, .n_control = 2, .n_guards = 1, .user = b, .derivative = fall, .guards = height, .restart = bounce};
}

/* The parabola of the fall is exact in every method: only location and rounding are left. */
static void event_is_located_to_tolerance(void **state)
{
    (void)state;
    static ball b;
    static const double tolerances[] = {1e-6, 1e-10, 0};
    double y0 = 1.37, v0 = 0.618, g = 9.81, t0 = 0.23;
    double t_exact = t0 + (v0 + sqrt(v0 * v0 + 2 * g * y0)) / g, v_exact = sqrt(v0 * v0 + 2 * g * y0);
    FOR_EVERY(method)
        for (size_t i = 0; i < 3; i++) {
            b = (ball){.restitution = 0.8};
            dal_ode ode = ball_ode(&b);
            dal_drive_options options = accurate(t0, 0.9, 0.037);
            options.event_tolerance = tolerances[i];
            double y[2] = {y0, v0}, tolerance = tolerances[i] > 0 ? tolerances[i] : 1e-13;
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_REACHED);
            assert_int_equal(result.events, 1);
            assert_int_equal(b.events, 1);
            double rounding = 100 * DBL_EPSILON; /* of some 20 steps and the division by v */
            assert_true(b.t_event[0] >= t_exact - rounding);
            check_close(b.t_event[0], t_exact, tolerance + rounding);
            assert_true(b.y_event[0] < 0);
            assert_true(b.y_event[0] >= -v_exact * tolerance - rounding);
            double after = 0.9 - t_exact, v1 = 0.8 * v_exact;
            check_close(y[0], v1 * after - g / 2 * after * after, 20 * (tolerance + rounding));
            check_close(y[1], v1 - g * after, 40 * (tolerance + rounding));
        }
}

/* Bounces at t_1 + 2 t_fall (e + e^2 + ...) accumulate. */
static void bounces_that_accumulate_are_reported_as_chatter(void **state)
{
    (void)state;
    static ball b;
    static const double restitutions[] = {0.3, 0.62, 0.9};
    FOR_EVERY(method)
        for (size_t i = 0; i < 3; i++) {
            double e = restitutions[i], fall_time = sqrt(2 * 1.37 / 9.81);
            b = (ball){.restitution = e};
            dal_ode ode = ball_ode(&b);
            dal_drive_options options = accurate(0, 100, 0.037);
            double y[2] = {1.37, 0};
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_CHATTER);
            assert_int_equal(result.component, 0);
            check_close(result.t, fall_time * (1 + e) / (1 - e), 1e-9);
            check_small(y[0], 1e-9);
            assert_true(result.events > 200 && result.events < 1000);
        }
}

/* y' = 0.41 - 1.37 sign(y), the sign frozen between events. */
typedef struct relay {
    double sign;
} relay;

static dal_flow slide(void *user, double t, const double *y, double *dy)
{
    (void)t, (void)y;
    dy[0] = 0.41 - 1.37 * ((relay *)user)->sign;
    return 0;
}

static dal_flow side(void *user, double t, const double *y, double *g)
{
    (void)t;
    g[0] = 0.618;
    g[1] = ((relay *)user)->sign * y[0];
    return 0;
}

static dal_flow choose_side(void *user, double t, double *y, const bool *which)
{
    (void)t, (void)which;
    ((relay *)user)->sign = y[0] < 0 ? -1 : 1;
    return 0;
}

static void sliding_is_reported_as_chatter(void **state)
{
    (void)state;
    static const double starts[] = {0.73, 730};
    FOR_EVERY(method)
        for (int i = 0; i < 2; i++) {
            relay r;
            dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 2, .user = &r, .derivative = slide, .guards = side,
                           .restart = choose_side};
            dal_drive_options options = accurate(starts[i], starts[i] + 9, 0.037);
            double y = 1.37;
            dal_drive_result result = run(method, &ode, &options, &y);
            assert_int_equal(result.end, DAL_END_CHATTER);
            assert_int_equal(result.component, 1);
            check_close(result.t, starts[i] + 1.37 / 0.96, 1e-9 * starts[i] + 1e-9);
            check_small(y, 1e-12 * starts[i] + 1e-12);
        }
}

static dal_flow never(void *user, double t, const double *y, double *g)
{
    (void)user, (void)t, (void)y;
    g[0] = 0.37;
    g[1] = -0.618;
    return 0;
}

static void a_guard_that_never_holds_stops_where_it_is(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 2, .derivative = idle, .guards = never};
        dal_drive_options options = accurate(0.23, 1, 0.037);
        double y = 1.37;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_CHATTER);
        assert_int_equal(result.component, 1);
        assert_true(result.t == 0.23 && y == 1.37 && result.steps == 0);
    }
}

/* Pieces in time: y' = a_k t^2 between the switching times. */
static const double switching[] = {0.412, 0.4273, 1.137, 1.9001, 1.9001 + 1e-7};
enum { SWITCHES = 5 };

typedef struct forcing {
    int piece;
    double t_switch[SWITCHES];
} forcing;

static double amplitude(int piece)
{
    static const double a[] = {1.37, -7.3, 0.618, 12.1, -3.1, 0.9};
    return a[piece];
}

static dal_flow forced(void *user, double t, const double *y, double *dy)
{
    (void)y;
    dy[0] = amplitude(((forcing *)user)->piece) * t * t;
    return 0;
}

static dal_flow until_switch(void *user, double t, const double *y, double *g)
{
    (void)y;
    int piece = ((forcing *)user)->piece;
    g[0] = piece < SWITCHES ? switching[piece] - t : 1;
    return 0;
}

static dal_flow next_piece(void *user, double t, double *y, const bool *which)
{
    (void)y;
    forcing *f = user;
    if (which)
        f->t_switch[f->piece++] = t;
    return 0;
}

static void discontinuous_forcing_is_integrated_piece_by_piece(void **state)
{
    (void)state;
    double exact = 0.618, jumps = 0;
    for (int i = 0; i <= SWITCHES; i++) {
        double from = i ? switching[i - 1] : 0.1, to = i < SWITCHES ? switching[i] : 2.5;
        exact += amplitude(i) * (to * to * to - from * from * from) / 3;
        jumps += i ? fabs(amplitude(i) - amplitude(i - 1)) * from * from : 0;
    }
    FOR_EVERY(method) {
        forcing f = {0};
        dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 1, .user = &f, .derivative = forced, .guards = until_switch,
                       .restart = next_piece};
        dal_drive_options options = accurate(0.1, 2.5, 0.0373);
        double y = 0.618;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(result.events, SWITCHES);
        for (int i = 0; i < SWITCHES; i++)
            check_close(f.t_switch[i], switching[i], 1e-13 * fmax(1, switching[i]) + 4 * DBL_EPSILON);
        /* each switch is late by at most 1.9e-13 */
        check_close(y, exact, 2e-13 * jumps + (double)result.steps * 50 * DBL_EPSILON);
    }
}

/* Two pieces with known solutions that meet at c:
 * y = 1.37 sin(1.1 t), then y = c + 0.618 sin(2.3 (t - t*)). */
typedef struct pieces {
    bool second;
    double t_event, y_event;
} pieces;

static const double c_meet = 0.9;

static double meeting_time(void)
{
    return asin(c_meet / 1.37) / 1.1;
}

static dal_flow two_pieces(void *user, double t, const double *y, double *dy)
{
    double s = 1.37 * sin(1.1 * t), u = c_meet + 0.618 * sin(2.3 * (t - meeting_time()));
    dy[0] = ((pieces *)user)->second ? 0.618 * 2.3 * cos(2.3 * (t - meeting_time())) + 0.7 * (y[0] * y[0] - u * u)
                                     : 1.37 * 1.1 * cos(1.1 * t) + 0.9 * (sin(2 * y[0]) - sin(2 * s));
    return 0;
}

static dal_flow below_meeting(void *user, double t, const double *y, double *g)
{
    (void)t;
    g[0] = ((pieces *)user)->second ? 1 : c_meet - y[0];
    return 0;
}

static dal_flow second_piece(void *user, double t, double *y, const bool *which)
{
    pieces *p = user;
    if (which)
        *p = (pieces){.second = true, .t_event = t, .y_event = y[0]};
    return 0;
}

static dal_ode pieces_ode(pieces *p)
{
    return (dal_ode){.n = 1, .n_control = 1, .n_guards = 1, .user = p, .derivative = two_pieces, .guards = below_meeting,
                     .restart = second_piece};
}

static double error_after_event(const dal_integrator *method, double h)
{
    pieces p = {0};
    dal_ode ode = pieces_ode(&p);
    dal_drive_options options = fixed(0.1, 1.7, h);
    double y = 1.37 * sin(0.11);
    dal_drive_result result = run(method, &ode, &options, &y);
    assert_int_equal(result.end, DAL_END_REACHED);
    assert_int_equal(result.events, 1);
    return fabs(y - c_meet - 0.618 * sin(2.3 * (1.7 - meeting_time())));
}

/* The place of the event in its step varies with h, so the error is the largest of a few nearby steps. */
static void order_survives_an_event(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        double coarse = 0, fine = 0, h = method == &dal_ab6 ? 0.03 : 0.1;
        for (int i = 0; i < 7; i++) {
            coarse = fmax(coarse, error_after_event(method, h * (1 + 0.013 * i)));
            fine = fmax(fine, error_after_event(method, h / 8 * (1 + 0.013 * i)));
        }
        assert_true(log2(coarse / fine) / 3 >= method->order - 0.25);
    }
}

/* What follows an event is, bit for bit, a new run from there: no history is left. */
static void after_an_event_history_is_empty(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        pieces p = {0};
        dal_ode ode = pieces_ode(&p);
        dal_drive_options options = accurate(0.1, 1.7, method->adaptive ? 0 : 0.0137);
        double y = 1.37 * sin(0.11);
        dal_drive_result whole = run(method, &ode, &options, &y);
        assert_int_equal(whole.events, 1);
        double again = p.y_event;
        options.t_start = p.t_event;
        dal_drive_result part = run(method, &ode, &options, &again);
        assert_int_equal(part.events, 0);
        assert_true(y == again);
    }
}

typedef struct counter {
    long evaluations, since[64], steps;
} counter;

static dal_flow counted(void *user, double t, const double *y, double *dy)
{
    ((counter *)user)->evaluations++;
    return nonlinear(NULL, t, y, dy);
}

static dal_flow ask_at_twentieth(void *user, double t, const double *y, bool *ask_restart)
{
    (void)t, (void)y;
    counter *c = user;
    c->since[c->steps++] = c->evaluations;
    c->evaluations = 0;
    *ask_restart = c->steps == 20;
    return 0;
}

static void ab6_refills_its_history_by_five_steps_of_rk6(void **state)
{
    (void)state;
    counter c = {0};
    dal_ode ode = {.n = 2, .n_control = 2, .user = &c, .derivative = counted, .accepted = ask_at_twentieth};
    dal_drive_options options = fixed(0.1, 0.1 + 40 * 0.0137, 0.0137);
    double y[2];
    solution(0.1, y);
    dal_drive_result result = run(&dal_ab6, &ode, &options, y);
    assert_int_equal(result.steps, 40);
    assert_int_equal(result.restarts, 1);
    assert_int_equal(result.events, 0);
    for (int i = 0; i < 40; i++)
        assert_int_equal(c.since[i], i % 20 < 5 ? 7 : 1);
    assert_int_equal(result.evaluations, 40 + 10 * 6);
}

/* Guards of time alone: each ends once. */
typedef struct times {
    double t_event[8];
    int mask[8], events;
} times;

static dal_flow several(void *user, double t, const double *y, double *g)
{
    (void)y;
    const times *e = user;
    g[0] = 0.731 - t;
    g[1] = 0.712 - t;
    g[2] = 0.731 - t;
    g[3] = (t - 1.234) * (t - 1.234) - 1e-4; /* negative only from 1.224 to 1.244 */
    int ended = 0;
    for (int k = 0; k < e->events; k++)
        ended |= e->mask[k];
    for (int i = 0; i < 4; i++)
        if (ended & 1 << i)
            g[i] = 1;
    return 0;
}

static dal_flow note_several(void *user, double t, double *y, const bool *which)
{
    (void)y;
    times *e = user;
    if (!which)
        return 0;
    for (int i = 0; i < 4; i++)
        e->mask[e->events] |= which[i] ? 1 << i : 0;
    e->t_event[e->events++] = t;
    return 0;
}

static void the_earliest_guard_comes_first_and_a_short_dip_is_seen(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        times e = {0};
        dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 4, .user = &e, .derivative = idle, .guards = several,
                       .restart = note_several};
        dal_drive_options options = fixed(0, 2, 0.1);
        double y = 1.37;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(e.events, 3);
        assert_int_equal(e.mask[0], 2);
        assert_int_equal(e.mask[1], 1 | 4);
        assert_int_equal(e.mask[2], 8);
        check_close(e.t_event[0], 0.712, 1.1e-13);
        check_close(e.t_event[1], 0.731, 1.1e-13);
        check_close(e.t_event[2], 1.224, 1.3e-13);
    }
}

/* ---- projection ---- */

/* A point on the unit circle that drifts off it once it is off; project brings it back. */
typedef struct circle {
    long projections, accepted;
    bool fresh;
    double t, y[2];
    int outputs;
} circle;

static dal_flow drift(void *user, double t, const double *y, double *dy)
{
    circle *c = user;
    if (c->fresh) { /* the first slope after a step is that of the accepted state */
        assert_true(t == c->t);
        assert_memory_equal(y, c->y, sizeof c->y);
    }
    c->fresh = false;
    double off = 0.2 * (y[0] * y[0] + y[1] * y[1] - 1);
    dy[0] = -1.1 * y[1] + off * y[0];
    dy[1] = 1.1 * y[0] + off * y[1];
    return 0;
}

static dal_flow normalise(void *user, double t, double *y)
{
    (void)t;
    ((circle *)user)->projections++;
    double length = hypot(y[0], y[1]);
    y[0] /= length;
    y[1] /= length;
    return 0;
}

static dal_flow on_circle(void *user, double t, const double *y)
{
    (void)t;
    ((circle *)user)->outputs++;
    check_close(hypot(y[0], y[1]), 1, 4 * DBL_EPSILON);
    return 0;
}

static dal_flow keep(void *user, double t, const double *y, bool *ask_restart)
{
    (void)ask_restart;
    circle *c = user;
    c->accepted++;
    c->fresh = true;
    c->t = t;
    memcpy(c->y, y, sizeof c->y);
    check_close(hypot(y[0], y[1]), 1, 4 * DBL_EPSILON);
    return 0;
}

static void steps_and_outputs_are_projected_once_each(void **state)
{
    (void)state;
    FOR_EVERY(method)
        for (int grid = 0; grid < 2; grid++) {
            circle c = {0};
            dal_ode ode = {.n = 2, .n_control = 2, .user = &c, .derivative = drift, .project = normalise,
                           .accepted = keep, .output = on_circle};
            dal_drive_options options = accurate(0, 1.93, 0.0137);
            options.every = grid ? 0.00731 : 0;
            double y[2] = {cos(0.4), sin(0.4)};
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_REACHED);
            assert_int_equal(c.accepted, result.steps);
            long inside = grid ? c.outputs - 2 : 0; /* no grid time but the first and the last is on a step */
            assert_int_equal(c.projections, result.steps + inside);
            assert_int_equal(c.outputs, grid ? 266 : result.steps + 1);
            check_close(atan2(y[1], y[0]), 0.4 + 1.1 * 1.93, 1e-7);
        }
}

static dal_flow leave(void *user, double t, double *y)
{
    (void)user, (void)t, (void)y;
    return 0;
}

/* One slope a step is saved, unless a projection moves the state. */
static void dopri5_reuses_its_last_slope_where_the_projection_left_the_state(void **state)
{
    (void)state;
    dal_flow (*projections[])(void *, double, double *) = {NULL, leave, normalise};
    for (int i = 0; i < 3; i++) {
        circle c = {0};
        dal_ode ode = {.n = 2, .n_control = 2, .user = &c, .derivative = drift, .project = projections[i]};
        dal_drive_options options = fixed(0, 1.9, 0.1);
        double y[2] = {cos(0.4), sin(0.4)};
        dal_drive_result result = run(&dal_dopri5, &ode, &options, y);
        assert_int_equal(result.steps, 19);
        assert_int_equal(result.evaluations, i < 2 ? 1 + 6 * 19 : 7 * 19);
    }
}

/* ---- a change of chart ---- */

/* x' = x^2 runs through infinity at t = 2; beyond |y| = 1.2 the state is 1/x instead, and back. */
typedef struct chart {
    bool inverse;
    int outputs;
    double limit; /* on the error */
} chart;

static dal_flow pole(void *user, double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = ((chart *)user)->inverse ? -1 : y[0] * y[0];
    return 0;
}

static dal_flow ask_chart(void *user, double t, const double *y, bool *ask_restart)
{
    (void)user, (void)t;
    *ask_restart = fabs(y[0]) > 1.2;
    return 0;
}

static dal_flow change_chart(void *user, double t, double *y, const bool *which)
{
    assert_null(which);
    if (t > 0) { /* not at the start */
        chart *c = user;
        c->inverse = !c->inverse;
        y[0] = 1 / y[0];
    }
    return 0;
}

static dal_flow in_chart(void *user, double t, const double *y)
{
    chart *c = user;
    c->outputs++;
    check_close(y[0], c->inverse ? 2 - t : 1 / (2 - t), c->limit);
    return 0;
}

static void a_chart_may_change_the_meaning_of_the_state(void **state)
{
    (void)state;
    FOR_EVERY(method)
        for (int grid = 0; grid < 2; grid++) {
            /* h^p x^(p+1) (t_change - 0), x^(p+1) = (p + 1)! x^(p+2); errors grow like x^2 */
            int p = method->order;
            double bound = pow(0.0137, p) * tgamma(p + 2) * pow(1.2, p + 2) * 1.2 * pow(1.2 / 0.5, 2);
            chart c = {.limit = method->adaptive ? 1e-7 : bound};
            dal_ode ode = {.n = 1, .n_control = 1, .user = &c, .derivative = pole, .restart = change_chart,
                           .accepted = ask_chart, .output = in_chart};
            dal_drive_options options = accurate(0, 5, 0.0137);
            options.every = grid ? 0.01 : 0;
            double y = 0.5;
            dal_drive_result result = run(method, &ode, &options, &y);
            assert_int_equal(result.end, DAL_END_REACHED);
            assert_int_equal(result.restarts, 2);
            assert_int_equal(result.events, 0);
            assert_false(c.inverse);
            assert_int_equal(c.outputs, grid ? 501 : result.steps + 1);
            check_close(y, -1.0 / 3, c.limit);
        }
}

/* ---- step-size control ---- */

static dal_flow with_ripple(void *user, double t, const double *y, double *dy)
{
    nonlinear(user, t, y, dy);
    dy[2] = 31 * sin(270 * t + y[0]);
    return 0;
}

static void components_outside_the_control_do_not_influence_the_steps(void **state)
{
    (void)state;
    double y[3][3];
    dal_drive_result results[3];
    for (int i = 0; i < 3; i++) {
        dal_ode ode = {.n = i ? 3 : 2, .n_control = i == 2 ? 3 : 2, .derivative = i ? with_ripple : nonlinear};
        dal_drive_options options = accurate(t_first, t_last, 0);
        solution(t_first, y[i]);
        y[i][2] = 0.618;
        results[i] = run(&dal_dopri5, &ode, &options, y[i]);
        assert_int_equal(results[i].end, DAL_END_REACHED);
    }
    assert_int_equal(results[1].steps, results[0].steps);
    assert_int_equal(results[1].rejected, results[0].rejected);
    assert_true(results[1].smallest_step == results[0].smallest_step);
    assert_memory_equal(y[1], y[0], 2 * sizeof(double));
    assert_true(results[2].steps > 5 * results[0].steps); /* in control it would */
}

static dal_flow blow_up(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t;
    dy[0] = y[0] * y[0];
    return 0;
}

static void a_collapsing_step_is_reported(void **state)
{
    (void)state;
    dal_ode ode = {.n = 1, .n_control = 1, .derivative = blow_up};
    dal_drive_options options = accurate(0, 5, 0);
    double y = 1.37;
    dal_drive_result result = run(&dal_dopri5, &ode, &options, &y);
    assert_int_equal(result.end, DAL_END_STEP_COLLAPSE);
    check_close(result.t, 1 / 1.37, 1e-8); /* the pole, shifted by some multiple of the tolerance */
    assert_true(isfinite(y) && y > 1e6 && result.h < 1e-12);
    FOR_EVERY(method) {
        options = fixed(1.37, 5, 1e-16);
        y = 0.1;
        result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_STEP_COLLAPSE);
        assert_true(y == 0.1 && result.t == 1.37 && result.steps == 0);
    }
}

/* ---- failures ---- */

static dal_flow spoiled(void *user, double t, const double *y, double *dy)
{
    const dal_flow *how = user;
    nonlinear(NULL, t, y, dy);
    if (t <= 0.7305)
        return 0;
    if (how)
        return *how;
    dy[1] = NAN;
    return 0;
}

static dal_flow remember(void *user, double t, const double *y, bool *ask_restart)
{
    (void)ask_restart;
    double *last = user;
    last[0] = t;
    memcpy(last + 1, y, 2 * sizeof *y);
    return 0;
}

static double last_accepted[3];

static dal_flow not_a_number_later(void *user, double t, const double *y, double *dy)
{
    (void)user;
    return spoiled(NULL, t, y, dy);
}

static void a_run_that_is_not_finite_stops_with_time_and_component(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        dal_ode ode = {.n = 2, .n_control = 2, .user = last_accepted, .derivative = not_a_number_later, .accepted = remember};
        dal_drive_options options = accurate(t_first, t_last, 0.0137);
        double y[2];
        solution(t_first, y);
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_NOT_FINITE);
        assert_int_equal(result.component, 1);
        assert_int_equal(result.flow, 0);
        assert_true(result.t == last_accepted[0]);
        assert_memory_equal(y, last_accepted + 1, sizeof y);
        /* ab6 has its slope spoiled only where a step starts */
        double late = method == &dal_ab6 ? 0.0137 : 0;
        assert_true(result.t <= 0.7305 + late && result.t > 0.7305 - (method->adaptive ? 1e-14 : 0.0137));
    }
}

static dal_flow steep(void *user, double t, const double *y, double *dy)
{
    (void)user, (void)t, (void)y;
    dy[0] = 0.1;
    dy[1] = 1e303;
    return 0;
}

static void a_state_that_overflows_is_named(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        dal_ode ode = {.n = 2, .n_control = 1, .derivative = steep};
        dal_drive_options options = accurate(0, 2.3, 0.137);
        double y[2] = {0.1, DBL_MAX - 0.97e303};
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_NOT_FINITE);
        assert_int_equal(result.component, 1);
        assert_true(isfinite(y[1]) && result.t < 0.98 && result.t > 0.97 - 0.138);
    }
}

static void a_failing_right_hand_side_ends_the_run(void **state)
{
    (void)state;
    FOR_EVERY(method)
        for (dal_flow how = -DAL_NUMERICAL; how <= DAL_NUMERICAL; how += 2 * DAL_NUMERICAL) {
            dal_ode ode = {.n = 2, .n_control = 2, .user = &how, .derivative = spoiled};
            dal_drive_options options = accurate(t_first, t_last, 0.0137);
            double y[2];
            solution(t_first, y);
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_DERIVATIVE);
            assert_int_equal(result.flow, how);
            if (method->adaptive && how > 0) /* smaller steps came close */
                check_close(result.t, 0.7305, 1e-14);
            if (method->adaptive && how < 0) /* no smaller step was tried */
                assert_true(result.t + result.h > 0.7305 && result.h > 1e-3);
        }
}

typedef struct refusal {
    dal_flow project, restart, accepted, output;
} refusal;

static dal_flow refuse_project(void *user, double t, double *y)
{
    (void)y;
    return t > 0.9 ? ((refusal *)user)->project : 0;
}

static dal_flow refuse_restart(void *user, double t, double *y, const bool *which)
{
    (void)t, (void)y, (void)which;
    return ((refusal *)user)->restart;
}

static dal_flow refuse_accepted(void *user, double t, const double *y, bool *ask_restart)
{
    (void)y, (void)ask_restart;
    return t > 0.9 ? ((refusal *)user)->accepted : 0;
}

static dal_flow refuse_output(void *user, double t, const double *y)
{
    (void)y;
    return t > 0.9 ? ((refusal *)user)->output : 0;
}

static void every_hook_can_stop_the_run(void **state)
{
    (void)state;
    static const struct { refusal r; dal_drive_end end; } cases[] = {
        {{.project = -4}, DAL_END_PROJECT}, {{.project = 4}, DAL_END_PROJECT},   {{.restart = -4}, DAL_END_STOPPED},
        {{.accepted = -4}, DAL_END_STOPPED}, {{.output = -4}, DAL_END_STOPPED}};
    FOR_EVERY(method)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            refusal r = cases[i].r;
            dal_ode ode = {.n = 1, .n_control = 1, .user = &r, .derivative = idle, .project = refuse_project,
                           .restart = refuse_restart, .accepted = refuse_accepted, .output = refuse_output};
            dal_drive_options options = fixed(0.1, 3, 0.0137);
            double y = 1.37;
            dal_drive_result result = run(method, &ode, &options, &y);
            assert_int_equal(result.end, cases[i].end);
            assert_int_equal(abs(result.flow), 4);
            assert_true(result.t < 0.92);
            check_close(y, 1.37 * exp(-0.37 * (result.t - 0.1)), 1e-9);
        }
}

static void the_number_of_steps_can_be_limited(void **state)
{
    (void)state;
    FOR_EVERY(method) {
        dal_ode ode = {.n = 1, .n_control = 1, .derivative = idle};
        dal_drive_options options = fixed(0.1, 3, 0.0137);
        options.max_steps = 37;
        double y = 1.37;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_MAX_STEPS);
        assert_int_equal(result.steps, 37);
        check_close(result.t, 0.1 + 37 * 0.0137, 1e-14);
    }
}

/* ---- stability ---- */

static dal_flow decay(void *user, double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = -*(double *)user * y[0];
    return 0;
}

static dal_flow oscillate(void *user, double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = -*(double *)user * y[1];
    dy[1] = *(double *)user * y[0];
    return 0;
}

/* log of the growth from step `from` to step 2 `from`, with h = 1 */
static double growth(const dal_integrator *method, dal_ode ode, double lambda, long from)
{
    double y[2][2];
    ode.user = &lambda;
    for (int i = 0; i < 2; i++) {
        dal_drive_options options = fixed(0, (double)((i + 1) * from), 1);
        y[i][0] = 1.37;
        y[i][1] = ode.n > 1 ? 0.618 : 0;
        dal_drive_result result = run(method, &ode, &options, y[i]);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(result.steps, (i + 1) * from);
    }
    return log(hypot(y[1][0], y[1][1]) / hypot(y[0][0], y[0][1]));
}

static void stability_limits_in_the_tables_are_true(void **state)
{
    (void)state;
    dal_ode real = {.n = 1, .n_control = 1, .derivative = decay};
    dal_ode imaginary = {.n = 2, .n_control = 2, .derivative = oscillate};
    FOR_EVERY(method) {
        long n = method == &dal_ab6 ? 4000 : 1000;
        for (int i = 1; i <= 10; i++)
            assert_true(growth(method, real, 0.0999 * i * method->real_stability, 50) < 0);
        assert_true(growth(method, real, 0.997 * method->real_stability, n) < 0);
        assert_true(growth(method, real, 1.003 * method->real_stability, n) > 0);
        for (int i = 1; i <= 10; i++) {
            double omega = 0.0999 * i * method->imaginary_stability;
            assert_true(growth(method, imaginary, omega, n) < 1e-3 * omega * (double)n);
        }
        double omega = 1.003 * method->imaginary_stability;
        n *= method == &dal_ab6 ? 8 : 1; /* until the root that grows has overtaken the solution */
        assert_true(growth(method, imaginary, omega, n) > 1e-3 * omega * (double)n);
    }
    assert_true(dal_ab6.real_stability < 0.088);
    assert_true(growth(&dal_ab6, imaginary, 0.15, 100) > 1); /* known to grow */
}

/* ---- repeatability ---- */

/* `run` fills the work block with other noise each time. */
static void the_same_run_repeats_bit_for_bit(void **state)
{
    (void)state;
    static ball b;
    FOR_EVERY(method) {
        double y[2][2];
        dal_drive_result results[2];
        for (int i = 0; i < 2; i++) {
            b = (ball){.restitution = 0.93};
            dal_ode ode = ball_ode(&b);
            dal_drive_options options = accurate(0.23, 4, method->adaptive ? 0 : 0.0373);
            y[i][0] = 1.37;
            y[i][1] = 0.618;
            results[i] = run(method, &ode, &options, y[i]);
            assert_int_equal(results[i].end, DAL_END_REACHED);
            assert_true(results[i].events > 3);
        }
        assert_memory_equal(y[1], y[0], sizeof y[0]);
        assert_int_equal(results[1].steps, results[0].steps);
        assert_int_equal(results[1].evaluations, results[0].evaluations);
        assert_true(results[1].smallest_step == results[0].smallest_step && results[1].h == results[0].h);
    }
}

static void the_list_names_every_integrator_once(void **state)
{
    (void)state;
    int count = 0;
    FOR_EVERY(method) {
        for (const dal_integrator *const *other = dal_integrators; *other != method; other++)
            assert_string_not_equal((*other)->name, method->name);
        count++;
    }
    assert_int_equal(count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rk4_is_fourth_order),
        cmocka_unit_test(rk6_is_sixth_order),
        cmocka_unit_test(ab6_is_sixth_order),
        cmocka_unit_test(ab6_keeps_its_order_when_the_last_step_is_not_whole),
        cmocka_unit_test(dopri5_is_fifth_order),
        cmocka_unit_test(dopri5_steps_follow_the_fifth_root_of_the_tolerance),
        cmocka_unit_test(dense_output_is_fourth_order),
        cmocka_unit_test(fixed_methods_keep_their_order_inside_a_step),
        cmocka_unit_test(outputs_on_a_grid_do_not_change_the_steps),
        cmocka_unit_test(a_grid_time_on_a_step_takes_the_state_of_the_step),
        cmocka_unit_test(times_do_not_accumulate_rounding),
        cmocka_unit_test(last_step_lands_on_the_end),
        cmocka_unit_test(an_empty_interval_has_one_output_and_no_step),
        cmocka_unit_test(event_is_located_to_tolerance),
        cmocka_unit_test(bounces_that_accumulate_are_reported_as_chatter),
        cmocka_unit_test(sliding_is_reported_as_chatter),
        cmocka_unit_test(a_guard_that_never_holds_stops_where_it_is),
        cmocka_unit_test(discontinuous_forcing_is_integrated_piece_by_piece),
        cmocka_unit_test(order_survives_an_event),
        cmocka_unit_test(after_an_event_history_is_empty),
        cmocka_unit_test(ab6_refills_its_history_by_five_steps_of_rk6),
        cmocka_unit_test(the_earliest_guard_comes_first_and_a_short_dip_is_seen),
        cmocka_unit_test(steps_and_outputs_are_projected_once_each),
        cmocka_unit_test(dopri5_reuses_its_last_slope_where_the_projection_left_the_state),
        cmocka_unit_test(a_chart_may_change_the_meaning_of_the_state),
        cmocka_unit_test(components_outside_the_control_do_not_influence_the_steps),
        cmocka_unit_test(a_collapsing_step_is_reported),
        cmocka_unit_test(a_run_that_is_not_finite_stops_with_time_and_component),
        cmocka_unit_test(a_state_that_overflows_is_named),
        cmocka_unit_test(a_failing_right_hand_side_ends_the_run),
        cmocka_unit_test(every_hook_can_stop_the_run),
        cmocka_unit_test(the_number_of_steps_can_be_limited),
        cmocka_unit_test(stability_limits_in_the_tables_are_true),
        cmocka_unit_test(the_same_run_repeats_bit_for_bit),
        cmocka_unit_test(the_list_names_every_integrator_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
