/* The integrators: observed orders, states inside steps, outputs, times, step-size control, stability limits. */
#include "integrate_runs.h"

/* ---- orders ---- */

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

static double row_error(const seen *rows, int k)
{
    double s[2];
    solution(rows->t[k], s);
    return hypot(rows->y[k][0] - s[0], rows->y[k][1] - s[1]);
}

/* Error of the state at 0.37 h of a first step from the exact solution. */
static double error_inside(const dal_integrator *method, double h)
{
    static seen rows;
    rows.count = 0;
    dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = nonlinear, .output = record};
    dal_drive_options options = fixed(0.8, 0.8 + h, h);
    options.every = 0.37 * h;
    double y[2];
    solution(0.8, y);
    assert_int_equal(run(method, &ode, &options, y).steps, 1);
    return row_error(&rows, 1);
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
    FOR_EVERY(method)
    {
        double worst = 0, end[3][2]; /* error of the steps; last states */
        dal_drive_result results[3];
        for (int i = 0; i < 3; i++) {
            rows.count = 0;
            dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = nonlinear, .output = i ? record : NULL};
            dal_drive_options options = accurate(t_first, 1.43, 0.02);
            options.every = i == 2 ? 0.00737 : 0;
            solution(t_first, end[i]);
            results[i] = run(method, &ode, &options, end[i]);
            assert_int_equal(results[i].end, DAL_END_REACHED);
            assert_int_equal(results[i].steps, results[0].steps);
            assert_memory_equal(end[i], end[0], sizeof end[0]);
            if (i == 1) {
                assert_int_equal(rows.count, results[1].steps + 1);
                for (int k = 0; k < rows.count; k++)
                    worst = fmax(worst, row_error(&rows, k));
            }
        }
        int last = (int)floor((1.43 - t_first) / 0.00737) + 1;
        assert_int_equal(rows.count, last + 1);
        for (int k = 0; k <= last; k++) {
            assert_true(rows.t[k] == (k < last ? t_first + k * 0.00737 : 1.43));
            /* a part of a step adds less than a step; dense output has its own error, of the size of the tolerance */
            check_small(row_error(&rows, k), 2 * worst + (method->adaptive ? 100 * 1e-9 : 0));
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
    for (int k = 0; k < 5; k++) {
        assert_true(grid.t[k] == 0.3 + k * 0.3); /* not 0.3 + 3 k 0.1, which rounds otherwise */
        assert_memory_equal(grid.y[k], steps.y[3 * k], 2 * sizeof(double));
    }
}

/* ---- times ---- */

typedef struct watch {
    double t_start, h, t_end, last;
    long steps;
} watch;

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
    static const struct {
        double t_end, h;
        long steps;
    } cases[] = {{5.03, 0.37, 14}, {1.0, 0.1, 10}, {0.7, 0.1, 7}, {0.3, 0.1, 3}, {0.1, 0.37, 1}, {1e-9, 3e-10, 4}};
    static seen rows;
    FOR_EVERY_HELD(method)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rows.count = 0;
        dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = fall, .output = record};
        dal_drive_options options = fixed(0, cases[i].t_end, cases[i].h);
        double y[2] = {1.37, 0.618};
        dal_drive_result result = run(method, &ode, &options, y);
        assert_int_equal(result.end, DAL_END_REACHED);
        assert_int_equal(result.steps, cases[i].steps);
        assert_true(result.t == cases[i].t_end);
        assert_int_equal(rows.count, cases[i].steps + 1);
        assert_true(rows.t[0] == 0 && rows.t[rows.count - 1] == cases[i].t_end);
    }
}

static void one_that_paces_itself_lands_on_the_end_too(void **state)
{
    (void)state;
    static const double ends[] = {5.03, 1, 0.7, 0.1, 1e-9, 1e-14};
    static seen rows;
    FOR_EVERY(method)
    for (size_t i = 0; i < (dal_paced(method) ? sizeof ends / sizeof *ends : 0); i++)
        for (int later = 0; later < 2; later++) {
            rows.count = 0;
            dal_ode ode = {.n = 2, .n_control = 2, .user = &rows, .derivative = fall, .output = record};
            double t_start = later ? 730.1 : 0, t_end = t_start + ends[i];
            dal_drive_options options = accurate(t_start, t_end, 0);
            double y[2] = {1.37, 0.618}, left = t_end - t_start;
            dal_drive_result result = run(method, &ode, &options, y);
            assert_int_equal(result.end, DAL_END_REACHED);
            assert_true(result.t == t_end && rows.t[rows.count - 1] == t_end);
            assert_int_equal(rows.count, result.steps + 1);
            check_close(y[0], 1.37 + left * (0.618 - 4.905 * left), own_error(method));
        }
}

static void an_empty_interval_has_one_output_and_no_step(void **state)
{
    (void)state;
    static seen rows;
    FOR_EVERY(method)
    {
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

/* ---- step-size control ---- */

static dal_flow with_ripple(void *user, double t, const double *y, double *dy)
{
    nonlinear(user, t, y, dy);
    dy[2] = 31 * sin(270 * t + y[0]);
    return 0;
}

static void components_outside_the_control_count_for_nothing_or_a_thousandth(void **state)
{
    (void)state;
    FOR_EVERY(method)
    {
        double y[3][3];
        dal_drive_result results[3];
        for (int i = 0; i < 3 && method->adaptive; i++) {
            dal_ode ode = {.n = i ? 3 : 2, .n_control = i == 2 ? 3 : 2, .derivative = i ? with_ripple : nonlinear};
            dal_drive_options options = accurate(t_first, t_last, 0);
            solution(t_first, y[i]);
            y[i][2] = 0.618;
            results[i] = run(method, &ode, &options, y[i]);
            assert_int_equal(results[i].end, DAL_END_REACHED);
        }
        if (!method->adaptive)
            continue;
        assert_true(results[2].steps > 2 * results[0].steps); /* in control it would */
        if (dal_paced(method)) { /* there they count for a thousandth (integrate/sundials.c): this ripple is seen, but less than in control */
            assert_true(results[1].steps < results[2].steps);
            continue;
        }
        assert_int_equal(results[1].steps, results[0].steps);
        assert_int_equal(results[1].rejected, results[0].rejected);
        assert_true(results[1].smallest_step == results[0].smallest_step);
        assert_memory_equal(y[1], y[0], 2 * sizeof(double));
        assert_true(results[2].steps > 5 * results[0].steps);
    }
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
    FOR_EVERY(method)
    {
        static const double useless[] = {1e-16, 0, -0.37, NAN};
        for (int i = 0; i < (method->adaptive ? 1 : 4); i++) { /* an adaptive method takes 0 as no wish */
            options = fixed(1.37, 5, useless[i]);
            y = 0.1;
            result = run(method, &ode, &options, &y);
            assert_int_equal(result.end, DAL_END_STEP_COLLAPSE);
            assert_true(y == 0.1 && result.t == 1.37 && result.steps == 0);
        }
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
    FOR_EVERY_HELD(method)
    {
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

static void the_list_names_every_integrator_once(void **state)
{
    (void)state;
    int count = 0;
    FOR_EVERY_LISTED(method)
    { /* also those that cannot be used here */
        for (const dal_integrator *const *other = dal_integrators; *other != method; other++)
            assert_string_not_equal((*other)->name, method->name);
        count++;
    }
    assert_int_equal(count, 7);
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
        cmocka_unit_test(one_that_paces_itself_lands_on_the_end_too),
        cmocka_unit_test(an_empty_interval_has_one_output_and_no_step),
        cmocka_unit_test(components_outside_the_control_count_for_nothing_or_a_thousandth),
        cmocka_unit_test(a_collapsing_step_is_reported),
        cmocka_unit_test(stability_limits_in_the_tables_are_true),
        cmocka_unit_test(the_list_names_every_integrator_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
