/* What the hooks may do: projection, change of chart, failures and stops. */
#include "integrate_runs.h"

/* ---- projection ---- */

/* A point on the unit circle that drifts off it once it is off; project brings it back. */
typedef struct circle {
    long projections, accepted;
    bool fresh, paced;
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
    c->fresh = !c->paced; /* which may look elsewhere first */
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
        circle c = {.paced = dal_paced(method)};
        dal_ode ode = {.n = 2, .n_control = 2, .user = &c, .derivative = drift, .project = normalise, .accepted = keep, .output = on_circle};
        dal_drive_options options = accurate(0, 1.93, 0.0137);
        options.every = grid ? 0.00731 : 0;
        double y[2] = {cos(0.4), sin(0.4)};
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(c.accepted, result.steps);
        long inside = grid ? c.outputs - 2 : 0; /* no grid time but the first and the last is on a step */
        /* one that projects before its error test also projects what it repeats */
        assert_in_range(c.projections, result.steps + inside, result.steps + inside + (method->projects ? result.rejected : 0));
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
        chart c = {.limit = method->adaptive ? 1e-7 + own_error(method) : bound};
        dal_ode ode = {.n = 1, .n_control = 1, .user = &c, .derivative = pole, .restart = change_chart, .accepted = ask_chart, .output = in_chart};
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
    FOR_EVERY(method)
    {
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

static dal_flow guard_not_a_number(void *user, double t, const double *y, double *g)
{
    (void)user, (void)y;
    g[0] = 0.37;
    g[1] = t > 0.7305 ? NAN : INFINITY;
    return 0;
}

static void a_guard_that_is_not_a_number_is_named(void **state)
{
    (void)state;
    FOR_EVERY(method)
    {
        dal_ode ode = {.n = 2, .n_control = 2, .n_guards = 2, .derivative = nonlinear, .guards = guard_not_a_number};
        dal_drive_options options = accurate(t_first, t_last, 0.0137);
        double y[2];
        solution(t_first, y);
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_NOT_FINITE);
        assert_int_equal(result.component, 2 + 1);
        assert_true(result.t <= 0.7305 && result.t > 0.7305 - (method->adaptive ? 1e-14 : 0.0137));
    }
}

static dal_flow steep(void *user, double t, const double *y, double *dy)
{
    (void)t, (void)y;
    dy[0] = 0.1;
    dy[1] = *(double *)user;
    return 0;
}

static void a_state_that_overflows_is_named(void **state)
{
    (void)state;
    FOR_EVERY(method)
    {
        /* ab6 multiplies by 9982; the smallest adaptive step has to be felt */
        double slope = method->adaptive ? 1e307 : 1e303;
        dal_ode ode = {.n = 2, .n_control = 1, .user = &slope, .derivative = steep};
        dal_drive_options options = accurate(0, 2.3, 0.137);
        double y[2] = {0.1, DBL_MAX - 0.97 * slope};
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_NOT_FINITE);
        assert_int_equal(result.component, 1);
        /* one with a past may lose it by an overflow, and cannot come nearer by smaller steps */
        assert_true(isfinite(y[1]) && result.t < 0.98 && (dal_paced(method) || result.t > 0.97 - 0.138));
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
    static const struct {
        refusal r;
        dal_drive_end end;
    } cases[] = {{{.project = -4}, DAL_END_PROJECT},
                 {{.project = 4}, DAL_END_PROJECT},
                 {{.restart = -4}, DAL_END_STOPPED},
                 {{.accepted = -4}, DAL_END_STOPPED},
                 {{.output = -4}, DAL_END_STOPPED}};
    FOR_EVERY(method)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refusal r = cases[i].r;
        dal_ode ode = {.n = 1,
                       .n_control = 1,
                       .user = &r,
                       .derivative = idle,
                       .project = refuse_project,
                       .restart = refuse_restart,
                       .accepted = refuse_accepted,
                       .output = refuse_output};
        dal_drive_options options = dal_paced(method) ? accurate(0.1, 3, 0.0137) : fixed(0.1, 3, 0.0137);
        options.max_step = 0.0137;
        double y = 1.37;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, cases[i].end);
        assert_int_equal(abs(result.flow), 4);
        assert_true(result.t < 0.92);
        check_close(y, 1.37 * exp(-0.37 * (result.t - 0.1)), 1e-9 + own_error(method));
    }
}

static void the_number_of_steps_can_be_limited(void **state)
{
    (void)state;
    FOR_EVERY(method)
    {
        dal_ode ode = {.n = 1, .n_control = 1, .derivative = idle};
        dal_drive_options options = fixed(0.1, 3, 0.0137);
        options.max_steps = 37;
        double y = 1.37;
        dal_drive_result result = run(method, &ode, &options, &y);
        assert_int_equal(result.end, DAL_END_MAX_STEPS);
        assert_int_equal(result.steps, 37);
        if (dal_paced(method))
            assert_true(result.t > 0.1 && result.t <= 0.1 + 37 * 0.0137 + 1e-14); /* max_step */
        else
            check_close(result.t, 0.1 + 37 * 0.0137, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_outputs_are_projected_once_each),
        cmocka_unit_test(dopri5_reuses_its_last_slope_where_the_projection_left_the_state),
        cmocka_unit_test(a_chart_may_change_the_meaning_of_the_state),
        cmocka_unit_test(a_run_that_is_not_finite_stops_with_time_and_component),
        cmocka_unit_test(a_guard_that_is_not_a_number_is_named),
        cmocka_unit_test(a_state_that_overflows_is_named),
        cmocka_unit_test(a_failing_right_hand_side_ends_the_run),
        cmocka_unit_test(every_hook_can_stop_the_run),
        cmocka_unit_test(the_number_of_steps_can_be_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
