/* Events: location, order across them, chatter, empty history after them, repeatability. */
#include "integrate_runs.h"

/* ---- events ---- */

/* A ball above a floor: y = (height, velocity); restart reverses the velocity. */
typedef struct ball {
    double restitution;
    double t_event[MOST], y_event[MOST];
    int events;
    long guards; /* evaluations */
} ball;

static dal_flow height(void *user, double t, const double *y, double *g)
{
    (void)t;
    ((ball *)user)->guards++;
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
        double rounding = 100 * DBL_EPSILON + own_error(method); /* of some 20 steps and the division by v */
        assert_true(b.t_event[0] >= t_exact - rounding);
        check_close(b.t_event[0], t_exact, tolerance + rounding);
        assert_true(b.y_event[0] < 0);
        assert_true(b.y_event[0] >= -v_exact * tolerance - 100 * DBL_EPSILON);
        double after = 0.9 - t_exact, v1 = 0.8 * v_exact;
        check_close(y[0], v1 * after - g / 2 * after * after, 20 * (tolerance + rounding));
        assert_true(b.guards <= (method->adaptive ? 16 : 1) * (result.steps + result.rejected) + 20); /* bisection alone takes log2(0.037e13) = 38 */
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
        /* bounces lower than the error of a state, v^2 / 2g, are not resolved: what follows of them takes 2 v/g / (1 - e) */
        double unresolved = 2 * sqrt(2 * own_error(method) / 9.81) / (1 - e);
        check_close(result.t, fall_time * (1 + e) / (1 - e), 1e-9 + unresolved);
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
        dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 2, .user = &r, .derivative = slide, .guards = side, .restart = choose_side};
        dal_drive_options options = accurate(starts[i], starts[i] + 9, 0.037);
        double y = 1.37;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_CHATTER);
        assert_int_equal(result.component, 1);
        check_close(result.t, starts[i] + 1.37 / 0.96, 1e-9 * starts[i] + 1e-9 + own_error(method));
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
    FOR_EVERY(method)
    {
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
    FOR_EVERY(method)
    {
        forcing f = {0};
        dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 1, .user = &f, .derivative = forced, .guards = until_switch, .restart = next_piece};
        dal_drive_options options = accurate(0.1, 2.5, 0.0373);
        double y = 0.618;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(result.events, SWITCHES);
        for (int i = 0; i < SWITCHES; i++)
            check_close(f.t_switch[i], switching[i], 1e-13 * fmax(1, switching[i]) + 4 * DBL_EPSILON);
        /* each switch is late by at most 1.9e-13 */
        check_close(y, exact, 2e-13 * jumps + (double)result.steps * 50 * DBL_EPSILON + own_error(method));
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
    return (dal_ode){.n = 1, .n_control = 1, .n_guards = 1, .user = p, .derivative = two_pieces, .guards = below_meeting, .restart = second_piece};
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
    FOR_EVERY_HELD(method)
    {
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
    FOR_EVERY(method)
    {
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
    g[3] = (t - 1.196) * (t - 1.196) - 1e-4; /* negative only between 1.186 and 1.206, a step is from 1.131 to 1.231 */
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
    FOR_EVERY(method)
    {
        times e = {0};
        dal_ode ode = {.n = 1, .n_control = 1, .n_guards = 4, .user = &e, .derivative = idle, .guards = several, .restart = note_several};
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
        check_close(e.t_event[2], 1.186, 1.3e-13);
    }
}

/* `run` fills the work block with other noise each time. */
static void the_same_run_repeats_bit_for_bit(void **state)
{
    (void)state;
    static ball b;
    FOR_EVERY(method)
    {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_is_located_to_tolerance),
        cmocka_unit_test(bounces_that_accumulate_are_reported_as_chatter),
        cmocka_unit_test(sliding_is_reported_as_chatter),
        cmocka_unit_test(a_guard_that_never_holds_stops_where_it_is),
        cmocka_unit_test(discontinuous_forcing_is_integrated_piece_by_piece),
        cmocka_unit_test(order_survives_an_event),
        cmocka_unit_test(after_an_event_history_is_empty),
        cmocka_unit_test(ab6_refills_its_history_by_five_steps_of_rk6),
        cmocka_unit_test(the_earliest_guard_comes_first_and_a_short_dip_is_seen),
        cmocka_unit_test(the_same_run_repeats_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
