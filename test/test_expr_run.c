/* The expression engine: switches with their modes and guards, tables, programs and memory. */
#include "expr_bench.h"

#include <limits.h>
#include <stdlib.h>

/* ---- switches ---------------------------------------------------------------------- */

typedef struct frozen {
    bench *b;
    dal_program *program;
    double *registers;
    int modes[16];
    double guards[16];
} frozen;

/* A program of one output with the modes that hold at x = from. */
static frozen freeze(bench *b, const char *text, double from)
{
    frozen f = {.b = b};
    dal_node node = parse(b, text);
    f.program = dal_program_build(&b->arena, b->graph, N_VARIABLES, 1, &node);
    f.registers = DAL_NEW(&b->arena, double, dal_program_registers(f.program));
    double out;
    dal_program_run(f.program, (double[N_VARIABLES]){from, point[Y]}, NULL, f.registers, &out);
    assert_in_range(dal_program_switches(f.program), 0, 16);
    dal_program_modes(f.program, f.registers, f.modes);
    return f;
}

static double run_frozen(frozen *f, double x)
{
    double out;
    assert_int_equal(dal_program_run(f->program, (double[N_VARIABLES]){x, point[Y]}, f->modes, f->registers, &out), 0);
    dal_program_guards(f->program, f->registers, f->modes, f->guards);
    return out;
}

static const struct {
    const char *text;
    double from;
    int mode;
    double to, value, guard;
} switching[] = {
    /* the mode found at x = from; then, with it, the value and guard at x = to */
    {"abs(x)", 1.5, 1, -0.25, -0.25, -0.25},
    {"abs(x)", -1.5, -1, 0.25, -0.25, -0.25},
    {"abs(x)", 0, 0, 0, 0, 1},
    {"abs(x)", 0, 0, 0.5, 0, -1},
    {"sign(x)", 2, 1, -3, 1, -3},
    {"sign(x)", -2, -1, -3, -1, 3},
    {"sign(x)", 0, 0, 1e-300, 0, -1},
    {"x < 1", 0.25, 1, 1.5, 1, -0.5},
    {"x < 1", 1, 0, 1, 0, 0}, /* a tie: false, and it still holds */
    {"x < 1", 0.25, 1, 1, 1, 0},
    {"x <= 1", 1, 1, 1, 1, 0},
    {"x <= 1", 1.5, 0, 0.25, 0, -0.75},
    {"x > 1", 1.5, 1, 0.25, 1, -0.75},
    {"x >= 1", 1, 1, 1.25, 1, 0.25},
    {"x == 1", 1, 0, 1, 1, 1},
    {"x == 1", 1, 0, 1.5, 1, -1},
    {"1.5 == x", 1.25, 1, 1.75, 0, -0.25}, /* the constant is the first operand: 1.5 > x */
    {"x == 1", 1.25, -1, 0.5, 0, -0.5},
    {"x != 1", 1.25, -1, 0.5, 1, -0.5},
    {"if(x < 1, 10*x, 7)", 0.5, 1, 2, 20, -1},
    {"if(x - 1, 10*x, 7)", 0.5, 1, 2, 20, -1},
    {"if(x - 1, 10*x, 7)", 1, 0, 1, 7, 1},
    {"min(x, 2)", 2.5, 1, 1.5, 2, -0.5},
    {"min(x, 2)", 1.5, 0, 2.25, 2.25, -0.25},
    {"max(x, 2)", 2.5, 0, 1.5, 1.5, -0.5},
    {"max(x, 2)", 1.5, 1, 1.75, 2, 0.25},
    {"floor(x)", 2.25, 2, 3.5, 2, -0.75},
    {"floor(x)", 2.25, 2, 2.5, 2, 0.25},
    {"floor(x)", 2, 2, 2, 2, 0},
    {"floor(x)", -0.25, -1, 0.5, -1, -0.75},
    {"mod(x, 2)", 3, 1, 4.5, 2.5, -0.3125},
    {"mod(x, 2)", 3, 1, 2.5, 0.5, 0.1875},
    {"floor(x)", 3e9, INT_MIN, 4e9, 4e9, 1}, /* too large for a mode: evaluated as it is */
    {"floor(x)", 3e9, INT_MIN, 5.5, 5, -1},
    {"sign(log(x))", -1, INT_MIN, 2, 1, -1},
    {"sign(log(x))", 2, 1, -1, 1, -1},
};

static void every_switch_freezes_its_piece_and_guards_its_end(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof switching / sizeof switching[0]; i++) {
        frozen f = freeze(&b, switching[i].text, switching[i].from);
        assert_int_equal(dal_program_switches(f.program), 1);
        double value = run_frozen(&f, switching[i].to);
        if (f.modes[0] != switching[i].mode || value != switching[i].value || f.guards[0] != switching[i].guard)
            fail_msg("%s from %g to %g: mode %d value %.17g guard %.17g", switching[i].text, switching[i].from, switching[i].to, f.modes[0], value,
                     f.guards[0]);
    }
    end(&b);
}

static void modes_that_hold_change_nothing_and_have_guards_that_hold(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    uint64_t seed = 77;
    int switches = 0;
    for (int i = 0; i < 3000; i++) {
        dal_node node = grow(&b, &seed, 4);
        dal_program *program = dal_program_build(&b.arena, b.graph, N_VARIABLES, 1, &node);
        double *registers = DAL_NEW(&b.arena, double, dal_program_registers(program)), free_run, frozen_run;
        int *modes = DAL_NEW(&b.arena, int, dal_program_switches(program));
        double *guards = DAL_NEW(&b.arena, double, dal_program_switches(program));
        dal_program_run(program, point, NULL, registers, &free_run);
        dal_program_modes(program, registers, modes);
        dal_program_run(program, point, modes, registers, &frozen_run);
        dal_program_guards(program, registers, modes, guards);
        assert_true(free_run == frozen_run || (isnan(free_run) && isnan(frozen_run)));
        for (int k = 0; k < dal_program_switches(program); k++)
            assert_true(guards[k] >= 0);
        switches += dal_program_switches(program);
    }
    assert_true(switches > 3000);
    end(&b);
}

static void a_derivative_shares_the_switch_of_its_function(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "abs(x)*t", "min(x, y*x)", "max(x, y*x)", "mod(x, y)", "if(x < y, x^2, t)", "interp(line_turn, x)", "interp(hill_error, x, 1)"};
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        dal_node f[3] = {parse(&b, texts[i])};
        f[1] = dal_diff(b.graph, f[0], X);
        f[2] = dal_diff(b.graph, f[1], Y);
        assert_int_equal(dal_program_switches(dal_program_build(&b.arena, b.graph, N_VARIABLES, 3, f)), 1);
    }
    end(&b);
}

static void operations_on_frozen_values_need_no_switch(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    assert_int_equal(dal_program_switches(freeze(&b, "if((x < 1)*(y < 2), x, 5)", 0.5).program), 2);
    assert_int_equal(dal_program_switches(freeze(&b, "abs(sign(x) - 0.5)", 0.5).program), 1);
    assert_int_equal(dal_program_switches(freeze(&b, "sin(x)^3", 0.5).program), 0);
    frozen f = freeze(&b, "if((x < 1)*(y < 2), x, 5)", 0.5);
    assert_true(run_frozen(&f, 3.25) == 3.25);
    end(&b);
}

static void switches_say_what_they_are(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    assert_string_equal(dal_program_switch_text(freeze(&b, "if(x < 1, x, t)", 0).program, 0), "x < 1");
    assert_string_equal(dal_program_switch_text(freeze(&b, "abs(x' - 2*rod.3)", 0).program, 0), "sign(x' - 2*rod.3)");
    assert_string_equal(dal_program_switch_text(freeze(&b, "interp(line_hold, dot(v, v))", 0).program, 0),
                        "interp(line_hold, v.x^2 + v.y^2 + v.z^2)");
    end(&b);
}

/* ---- tables ------------------------------------------------------------------------ */

static int add(bench *b, const char *name, int n, const double *x, const double *y, int smooth, dal_outside outside)
{
    const char *why = "";
    int table = dal_graph_add_table(b->graph, name, n, x, y, smooth, outside, &why);
    if (table < 0)
        fail_msg("%s: %s", name, why);
    return table;
}

static double table_at(bench *b, int table, int order, double x)
{
    return value_at(b, dal_interp(b->graph, table, order, dal_var(b->graph, X)), (double[N_VARIABLES]){x});
}

static void tables_agree_with_splines_worked_by_hand(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    /* Natural spline through (0,0) (1,1) (2,0) (3,1): 4 m1 + m2 = -12, m1 + 4 m2 = 12, so m = (0, -4, 4, 0). On the first
     * interval y = (5/3) d - (2/3) d^3, on the second y = 1 - (1/3) d - 2 d^2 + (4/3) d^3. */
    const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 0, 1};
    int natural = add(&b, "natural", 4, x, y, 2, DAL_OUTSIDE_ERROR);
    double tolerance = 16 * DBL_EPSILON;
    check_close(table_at(&b, natural, 0, 0.5), 5.0 / 6 - 1.0 / 12, tolerance);
    check_close(table_at(&b, natural, 1, 0.5), 5.0 / 3 - 0.5, tolerance);
    check_close(table_at(&b, natural, 0, 1.25), 1 - 1.0 / 12 - 0.125 + 1.0 / 48, tolerance);
    check_close(table_at(&b, natural, 2, 1), -4, 4 * tolerance);
    check_close(table_at(&b, natural, 3, 1.5), 8, 8 * tolerance);
    /* Periodic spline through (0,0) (1,1) (2,0) (3,-1) (4,0): odd symmetry gives m = (0, -3, 0, 3, 0), y = 1.5 d - 0.5 d^3. */
    const double px[] = {0, 1, 2, 3, 4}, py[] = {0, 1, 0, -1, 0};
    int periodic = add(&b, "periodic", 5, px, py, 2, DAL_OUTSIDE_PERIODIC);
    check_close(table_at(&b, periodic, 0, 0.5), 0.75 - 0.0625, tolerance);
    check_close(table_at(&b, periodic, 0, 4.5), 0.75 - 0.0625, tolerance);
    check_close(table_at(&b, periodic, 0, -3.5), 0.75 - 0.0625, tolerance);
    check_close(table_at(&b, periodic, 1, 400), 1.5, tolerance);
    /* Hermite through (0,0) (1,1) (3,2) (4,1): s = (1, 1/2, -1); d1 = 9/((2*2+1)/1 + (2+2*1)/(1/2)) = 9/13, d2 = 0. */
    const double hx[] = {0, 1, 3, 4}, hy[] = {0, 1, 2, 1};
    int hermite = add(&b, "hermite", 4, hx, hy, 1, DAL_OUTSIDE_ERROR);
    check_close(table_at(&b, hermite, 1, 1), 9.0 / 13, tolerance);
    check_close(table_at(&b, hermite, 1, 3), 0, tolerance);
    check_close(table_at(&b, hermite, 1, 0), (2 * 1 + 2) * 1.0 / 3 - 0.5 / 3, tolerance); /* three-point end slope 7/6 */
    check_close(table_at(&b, hermite, 0, 2), 1.5 + 2 * (9.0 / 13) / 8, tolerance);        /* midpoint: mean + h (d1 - d2)/8 */
    check_close(table_at(&b, add(&b, "broken", 4, hx, hy, 0, DAL_OUTSIDE_ERROR), 0, 1.5), 1.25, tolerance);
    end(&b);
}

static void tables_pass_through_their_points_with_the_promised_continuity(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (int table = 0; table < 9; table++) {
        int smooth = table % 3;
        bool periodic = table / 3 == DAL_OUTSIDE_PERIODIC;
        for (int i = 0; i < N_KNOTS; i++)
            check_close(table_at(&b, table, 0, knots[i]), heights[i], 16 * DBL_EPSILON);
        for (int i = 0; i < N_KNOTS; i++) {
            if (!periodic && (i == 0 || i == N_KNOTS - 1))
                continue;
            /* The third derivative of any of them is below 100: over 2e-9 the derivative of order k moves by less than 1e-6. */
            for (int order = 0; order <= smooth; order++)
                check_close(table_at(&b, table, order, knots[i] - 1e-9), table_at(&b, table, order, knots[i] + 1e-9), 1e-6);
        }
    }
    assert_true(fabs(table_at(&b, 1, 2, knots[2] - 1e-9) - table_at(&b, 1, 2, knots[2] + 1e-9)) > 0.1); /* C1 is not C2 */
    end(&b);
}

static void c1_tables_are_monotone_where_their_data_are(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    const double x[] = {0, 0.3, 1.1, 1.2, 4, 4.5}, y[] = {0, 0.01, 0.02, 3, 3.001, 9};
    int table = add(&b, "steep", 6, x, y, 1, DAL_OUTSIDE_ERROR);
    double before = 0;
    for (int i = 1; i <= 1000; i++) {
        double now = table_at(&b, table, 0, 4.5 * i / 1000);
        assert_true(now >= before - 16 * DBL_EPSILON * 9);
        before = now;
    }
    end(&b);
}

static void end_slopes_of_c1_tables_are_limited(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    /* Three-point slopes (3 s0 - s1)/2: 6.5 is cut to 3 s0 = 3; -3.5 points against s0 and becomes 0. */
    const double x[] = {0, 1, 2}, down[] = {0, 1, -9}, up[] = {0, 1, 11};
    assert_true(table_at(&b, add(&b, "down", 3, x, down, 1, DAL_OUTSIDE_ERROR), 1, 0) == 3);
    assert_true(table_at(&b, add(&b, "up", 3, x, up, 1, DAL_OUTSIDE_ERROR), 1, 0) == 0);
    end(&b);
}

static void guards_hold_at_knots_that_rounding_moves(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    double period = knots[N_KNOTS - 1] - knots[0];
    for (int i = -600; i < 600; i++) {
        frozen f = freeze(&b, "interp(line_turn, x)", knots[(i + 600) % N_KNOTS] + i * period);
        dal_program_guards(f.program, f.registers, f.modes, f.guards);
        assert_true(f.guards[0] >= 0);
    }
    end(&b);
}

static void ends_of_tables_hold_repeat_or_fail(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (int smooth = 0; smooth < 3; smooth++) {
        int error = smooth, hold = 3 + smooth, turn = 6 + smooth;
        assert_true(table_at(&b, hold, 0, -7) == heights[0] && table_at(&b, hold, 0, 11) == heights[N_KNOTS - 1]);
        assert_true(table_at(&b, hold, 1, -7) == 0 && table_at(&b, hold, 1, 11) == 0);
        double period = knots[N_KNOTS - 1] - knots[0]; /* ten of them cost ten times the rounding, at slopes below 10 */
        check_close(table_at(&b, turn, 0, 0.8 + 10 * period), table_at(&b, turn, 0, 0.8), 10 * 60 * DBL_EPSILON);
        check_close(table_at(&b, turn, 1, 0.8 - 10 * period), table_at(&b, turn, 1, 0.8), 100 * 60 * DBL_EPSILON);
        dal_node node = dal_interp(b.graph, error, 0, dal_var(b.graph, X));
        dal_program *program = dal_program_build(&b.arena, b.graph, N_VARIABLES, 1, &node);
        double *registers = DAL_NEW(&b.arena, double, dal_program_registers(program)), out;
        assert_int_equal(dal_program_run(program, (double[N_VARIABLES]){3.901}, NULL, registers, &out), error + 1);
        assert_int_equal(dal_program_run(program, (double[N_VARIABLES]){-1.301}, NULL, registers, &out), error + 1);
        assert_int_equal(dal_program_run(program, (double[N_VARIABLES]){nextafter(3.9, 4)}, NULL, registers, &out), 0);
    }
    end(&b);
}

static void a_table_may_be_left_where_its_value_is_not_used(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    dal_node node = parse(&b, "2 + if(x < 3, sin(interp(line_error, x)), y) + if(x >= 3, 0, interp(hill_error, x)^2)");
    dal_program *program = dal_program_build(&b.arena, b.graph, N_VARIABLES, 1, &node);
    /* From malloc: the sanitizer sees a search for the table that leaves its registers. */
    double *registers = malloc(sizeof(double) * (size_t)dal_program_registers(program)), out;
    assert_int_equal(dal_program_run(program, (double[N_VARIABLES]){5, 0.25}, NULL, registers, &out), 0);
    assert_true(out == 2.25);
    assert_in_range(dal_program_run(program, (double[N_VARIABLES]){-5, 0.25}, NULL, registers, &out), 1, 2);
    free(registers);
    end(&b);
}

static void knots_are_switches_where_the_table_is_not_smooth(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double from;
        int mode;
        double to, guard;
    } cases[] = {{"interp(line_error, x)", 0.5, 2, 1.25, -0.15 * 0.8 / 0.65}, /* interval [0.45, 1.1] */
                 {"interp(line_error, x)", 0.5, 2, 0.775, 0.325 * 0.5},
                 {"interp(line_error, x)", 1.1, 3, 1.1, 0},
                 {"interp(line_hold, x)", 4.5, 5, 4.25, 0.35},
                 {"interp(line_hold, x)", 4.5, 5, 3.65, -0.25},
                 {"interp(line_hold, x)", -2, -1, -1, -0.3},
                 {"interp(line_turn, x)", 5.2 + 0.5, 7, 5.2 + 0.775, 0.325 * 0.5},
                 {"interp(line_turn, x)", 0.5 - 5.2, -3, 1.25 - 5.2, -0.15 * 0.8 / 0.65},
                 {"interp(hill_turn, x, 1)", 0.5, 2, 1.25, -0.15 * 0.8 / 0.65},
                 {"interp(wave_turn, x, 2)", 0.5, 2, 1.25, -0.15 * 0.8 / 0.65},
                 {"interp(wave_hold, x)", 0.5, 0, 4.1, -0.2 * 5.4 / 5.2}, /* only the held ends */
                 {"interp(wave_hold, x)", 0.5, 0, 1.3, 2.6 * 0.5},
                 {"interp(wave_hold, x)", 4.5, 1, 3.65, -0.25},
                 {"interp(hill_hold, x)", -2, -1, -1, -0.3}};
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frozen f = freeze(&b, cases[i].text, cases[i].from);
        assert_int_equal(dal_program_switches(f.program), 1);
        assert_int_equal(f.modes[0], cases[i].mode);
        run_frozen(&f, cases[i].to);
        check_close(f.guards[0], cases[i].guard, 64 * DBL_EPSILON);
    }
    static const char *const smooth[] = {"interp(wave_turn, x)", "interp(wave_turn, x, 1)", "interp(wave_error, x)", "interp(hill_error, x)"};
    for (size_t i = 0; i < sizeof smooth / sizeof smooth[0]; i++)
        assert_int_equal(dal_program_switches(freeze(&b, smooth[i], 0.5).program), 0);
    frozen line = freeze(&b, "interp(line_error, x)", 3.5); /* beyond the last knot on the frozen line: no error */
    check_close(run_frozen(&line, 4.9), 0.7 - 1.5 / 1.2, 16 * DBL_EPSILON);
    frozen flat = freeze(&b, "interp(wave_hold, x)", 4.5);
    assert_true(run_frozen(&flat, 3) == 0.7);
    end(&b);
}

static void bad_tables_are_refused_with_a_sentence(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    const double x[] = {0, 1, 2, 3}, back[] = {0, 2, 1, 3}, odd[] = {0, 1, INFINITY, 3}, far[] = {-1.5e308, 0, 1, 1.5e308};
    const struct {
        const char *name;
        int n;
        const double *x, *y;
        int smooth;
        dal_outside outside;
        const char *why;
    } bad[] = {{"line_hold", 4, x, x, 0, DAL_OUTSIDE_HOLD, "a table of this name exists already"},
               {"a", 1, x, x, 0, DAL_OUTSIDE_HOLD, "a table needs at least two points"},
               {"a", 3, x, x, 2, DAL_OUTSIDE_HOLD, "a table with smooth: 2 needs at least four points"},
               {"a", 4, x, x, 3, DAL_OUTSIDE_HOLD, "smooth is 0 (broken line), 1 (continuous slope) or 2 (continuous curvature)"},
               {"a", 4, back, x, 0, DAL_OUTSIDE_HOLD, "the x of a table have to increase strictly"},
               {"a", 4, x, odd, 0, DAL_OUTSIDE_HOLD, "a table holds finite numbers only"},
               {"a", 4, x, x, 0, DAL_OUTSIDE_PERIODIC, "a periodic table ends with the y it begins with"},
               {"a", 4, far, x, 0, DAL_OUTSIDE_HOLD, "the numbers of the table lie too far apart or too close together"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *why = "";
        assert_int_equal(dal_graph_add_table(b.graph, bad[i].name, bad[i].n, bad[i].x, bad[i].y, bad[i].smooth, bad[i].outside, &why), -1);
        assert_string_equal(why, bad[i].why);
    }
    assert_int_equal(dal_graph_find_table(b.graph, "a"), -1);
    end(&b);
}

/* ---- programs and memory -------------------------------------------------------------- */

static void a_program_computes_shared_parts_once_and_dead_parts_never(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    dal_node shared[2] = {parse(&b, "sin(x*y)^2"), parse(&b, "exp(sin(x*y))")};
    parse(&b, "tan(x)*tan(t)"); /* in the graph, not in the program */
    dal_program *program = dal_program_build(&b.arena, b.graph, N_VARIABLES, 2, shared);
    assert_int_equal(dal_program_registers(program), 2 + 4); /* x, y; x*y, sin, square, exp */
    assert_int_equal(dal_program_outputs(program), 2);
    assert_int_equal(dal_program_variables(program), N_VARIABLES);
    end(&b);
}

static void a_program_may_be_copied_and_outlives_its_graph(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    dal_node node = parse(&b, "interp(wave_turn, x) + if(x < 1, x, floor(y))");
    double expected = value_at(&b, node, point);
    dal_program *program = dal_program_build(&b.arena, b.graph, N_VARIABLES, 1, &node), *copy = malloc(dal_program_bytes(program));
    memcpy(copy, program, dal_program_bytes(program));
    end(&b);
    double *registers = malloc(sizeof(double) * (size_t)dal_program_registers(copy)), out;
    assert_int_equal(dal_program_run(copy, point, NULL, registers, &out), 0);
    assert_true(out == expected);
    assert_string_equal(dal_program_switch_text(copy, 0), "x < 1");
    free(registers);
    free(copy);
}

typedef struct counter {
    long taken, live, fail_at; /* fail_at 0: never */
} counter;

static void *take_counted(void *user, size_t bytes)
{
    counter *c = user;
    if (++c->taken == c->fail_at)
        return NULL;
    c->live++;
    return malloc(bytes);
}

static void release_counted(void *user, void *memory)
{
    counter *c = user;
    c->live -= memory != NULL;
    free(memory);
}

/* Read, differentiate twice, build and run; false without memory. *during: what the run took. */
static bool work(counter *count, long *during)
{
    dal_allocator allocator = {take_counted, release_counted, count};
    dal_arena arena;
    jmp_buf jump;
    dal_arena_begin(&arena, &allocator);
    if (setjmp(jump)) {
        dal_arena_release(&arena);
        return false;
    }
    arena.guard = &jump;
    dal_graph *graph = dal_graph_create(&arena);
    dal_parser parser = {.graph = graph, .resolve = resolve, .user = graph};
    const char *why;
    dal_graph_add_table(graph, "wave", N_KNOTS, knots, heights, 2, DAL_OUTSIDE_PERIODIC, &why);
    dal_node out[3] = {0};
    char *text = dal_arena_alloc(&arena, 20000);
    for (int i = 0; i < 150; i++) /* enough for a dozen chunks */
        snprintf(text + strlen(text), 100, "%sinterp(wave, x*%d.5)*atan2(x, y + %d)^3/abs(t - %d)", i ? " + " : "", i, i, i);
    bool parsed = dal_parse_scalar(&parser, text, dal_nowhere, &out[0]);
    assert_true(parsed);
    out[1] = dal_diff(graph, out[0], X);
    out[2] = dal_diff(graph, out[1], X);
    dal_program *program = dal_program_build(&arena, graph, N_VARIABLES, 3, out);
    double *registers = DAL_NEW(&arena, double, dal_program_registers(program)), results[3];
    int *modes = DAL_NEW(&arena, int, dal_program_switches(program));
    double *guards = DAL_NEW(&arena, double, dal_program_switches(program));
    long before = count->taken;
    for (int i = 0; i < 3; i++) {
        dal_program_run(program, point, i ? modes : NULL, registers, results);
        dal_program_modes(program, registers, modes);
        dal_program_guards(program, registers, modes, guards);
    }
    *during = count->taken - before;
    dal_arena_release(&arena);
    return true;
}

static void a_run_takes_no_memory(void **state)
{
    (void)state;
    counter count = {0};
    long during = -1;
    assert_true(work(&count, &during));
    assert_int_equal(during, 0);
    assert_int_equal(count.live, 0);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    long n = 1, during;
    bool done = false;
    for (; !done && n < 1000; n++) {
        counter count = {.fail_at = n};
        done = work(&count, &during);
        assert_int_equal(count.live, 0);
    }
    assert_true(done && n > 8); /* it failed at the first, the second ... before it went through */
}

static void a_switch_in_a_branch_that_is_not_taken_has_nothing_to_say(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    frozen f = freeze(&b, "if(x < 1, 3, sign(x + 1))", -3); /* sign(x + 1) is -1 there, and is not used */
    assert_int_equal(dal_program_switches(f.program), 2);
    check_close(run_frozen(&f, 0.5), 3, 0); /* it would have changed at -1 */
    for (int i = 0; i < 2; i++)
        assert_true(f.guards[i] > 0);
    run_frozen(&f, 1.5); /* the condition itself still ends */
    assert_true(f.guards[0] < 0 || f.guards[1] < 0);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_switch_freezes_its_piece_and_guards_its_end),
        cmocka_unit_test(a_switch_in_a_branch_that_is_not_taken_has_nothing_to_say),
        cmocka_unit_test(modes_that_hold_change_nothing_and_have_guards_that_hold),
        cmocka_unit_test(a_derivative_shares_the_switch_of_its_function),
        cmocka_unit_test(operations_on_frozen_values_need_no_switch),
        cmocka_unit_test(switches_say_what_they_are),
        cmocka_unit_test(tables_agree_with_splines_worked_by_hand),
        cmocka_unit_test(tables_pass_through_their_points_with_the_promised_continuity),
        cmocka_unit_test(c1_tables_are_monotone_where_their_data_are),
        cmocka_unit_test(end_slopes_of_c1_tables_are_limited),
        cmocka_unit_test(guards_hold_at_knots_that_rounding_moves),
        cmocka_unit_test(ends_of_tables_hold_repeat_or_fail),
        cmocka_unit_test(a_table_may_be_left_where_its_value_is_not_used),
        cmocka_unit_test(knots_are_switches_where_the_table_is_not_smooth),
        cmocka_unit_test(bad_tables_are_refused_with_a_sentence),
        cmocka_unit_test(a_program_computes_shared_parts_once_and_dead_parts_never),
        cmocka_unit_test(a_program_may_be_copied_and_outlives_its_graph),
        cmocka_unit_test(a_run_takes_no_memory),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
