/* The derivatives of the graph against complex steps of the evaluator: f(x + i h) = f(x) + i h f'(x), so that Im f / h is
 * the derivative without any cancellation, whatever the size of h.
 *
 * Compiled with -DDAL_SCALAR_COMPLEX and linked with evaluate.c compiled alike, beside the double objects of src/expr. */
#include "expr/expr.h"

#include "check.h"

#define STEP 1e-40

enum { N_VARIABLES = 3 };

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    (void)mark, (void)hint;
    static const char *const names[N_VARIABLES] = {"x", "y", "t"};
    for (int i = 0; i < N_VARIABLES && !primes; i++)
        if (strcmp(names[i], name) == 0) {
            *value = (dal_value){1, {dal_var(user, i), DAL_NO_NODE, DAL_NO_NODE}, 0};
            return true;
        }
    return false;
}

static void add_tables(dal_graph *graph)
{
    static const double x[] = {-1.3, -0.2, 0.45, 1.1, 2.7, 3.9}, y[] = {0.7, 1.9, -0.4, 0.3, 2.2, 0.7};
    const char *why;
    assert_int_equal(dal_graph_add_table(graph, "line", 6, x, y, 0, DAL_OUTSIDE_HOLD, &why), 0);
    assert_int_equal(dal_graph_add_table(graph, "hill", 6, x, y, 1, DAL_OUTSIDE_ERROR, &why), 1);
    assert_int_equal(dal_graph_add_table(graph, "wave", 6, x, y, 2, DAL_OUTSIDE_PERIODIC, &why), 2);
}

/* Every function and operator at least once, smooth at the points below; several compositions. */
static const char *const expressions[] = {"x + y*t",
                                          "x - y - t",
                                          "x*y*x",
                                          "x/y",
                                          "(x - t)/(y*t + 3)",
                                          "-x",
                                          "x^2",
                                          "x^3",
                                          "x^-3",
                                          "x^7",
                                          "(x + 2)^2.5",
                                          "(x + 2)^y",
                                          "1.7^(x*y)",
                                          "x^70/1e9",
                                          "sin(x*y)",
                                          "cos(x - y)",
                                          "tan(x/3)",
                                          "asin(x/5)",
                                          "acos(y/5)",
                                          "atan(x*y)",
                                          "atan2(y, x)",
                                          "atan2(x*t, y - 7)",
                                          "sinh(x)",
                                          "cosh(y*x)",
                                          "tanh(x - t)",
                                          "sqrt(x^2 + y^2)",
                                          "exp(-x*t)",
                                          "log(x^2 + 1)",
                                          "abs(x*y)",
                                          "sign(x)*y",
                                          "min(x, y, x*y)",
                                          "max(x, y*y, t)",
                                          "floor(3*x)*y",
                                          "mod(x*t, y)",
                                          "mod(5*x, 0.7)",
                                          "(x < y)*x",
                                          "if(x <= y, x*t, y*t^2)",
                                          "if(x == y, t, x^3)",
                                          "if(x != y, x*y, t)",
                                          "if(x*y, sin(x), t)",
                                          "interp(line, x*t)",
                                          "interp(hill, x)",
                                          "interp(hill, x, 1)",
                                          "interp(wave, x*y*t)",
                                          "interp(wave, x, 2)*y",
                                          "dot([x, y], [y*t, x*x])",
                                          "cross([x, y], [t, x*y])",
                                          "norm([x, y, t*x])",
                                          "dot(cross([x, y, t], [y*t, x, 1.3]), [x*x, y, t])",
                                          "exp(sin(x)^2*cos(y))/sqrt(1 + t^2*x^4)",
                                          "if(x > 0, log(abs(x) + t), exp(x))",
                                          "interp(wave, norm([x, y]))^3"};
enum { N_EXPRESSIONS = sizeof expressions / sizeof expressions[0] };

static const double points[][N_VARIABLES] = {{1.37, 0.618, 2.113}, {-0.731, 1.829, 0.577}, {0.377, -1.271, 1.413}};
enum { N_POINTS = sizeof points / sizeof points[0] };

typedef struct bench {
    dal_arena arena;
    dal_graph *graph;
    dal_parser parser;
} bench;

static void begin(bench *b)
{
    dal_arena_begin(&b->arena, NULL);
    b->graph = dal_graph_create(&b->arena);
    b->parser = (dal_parser){.graph = b->graph, .resolve = resolve, .user = b->graph};
    add_tables(b->graph);
}

static dal_node parse(bench *b, const char *text)
{
    dal_node node;
    if (!dal_parse_scalar(&b->parser, text, dal_nowhere, &node))
        fail_msg("'%s' does not parse", text);
    return node;
}

/* Im f(x + i h e_k) / h at a point. */
static double slope(bench *b, dal_node node, const double *point, int k)
{
    dal_program *program = dal_program_build(&b->arena, b->graph, N_VARIABLES, 1, &node);
    double complex *registers = DAL_NEW(&b->arena, double complex, dal_program_registers(program));
    double complex variables[N_VARIABLES], out;
    for (int i = 0; i < N_VARIABLES; i++)
        variables[i] = point[i] + (i == k ? STEP : 0) * _Complex_I;
    assert_int_equal(dal_program_run(program, variables, NULL, registers, &out), 0);
    return cimag(out) / STEP;
}

static double value(bench *b, dal_node node, const double *point)
{
    dal_program *program = dal_program_build(&b->arena, b->graph, N_VARIABLES, 1, &node);
    double complex *registers = DAL_NEW(&b->arena, double complex, dal_program_registers(program));
    double complex variables[N_VARIABLES], out;
    for (int i = 0; i < N_VARIABLES; i++)
        variables[i] = point[i];
    assert_int_equal(dal_program_run(program, variables, NULL, registers, &out), 0);
    return creal(out);
}

/* Both sides are sums of fewer than fifty rounded terms, no larger than a hundred times the result. */
static void check_slope(const char *text, int k, double exact, double step)
{
    double tolerance = 50 * 100 * 2.3e-16 * (1 + fabs(step));
    if (!(fabs(exact - step) <= tolerance))
        fail_msg("derivative of '%s' by variable %d is %.17g, complex step %.17g", text, k, exact, step);
}

static void first_derivatives_equal_complex_steps(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (int e = 0; e < N_EXPRESSIONS; e++)
        for (int p = 0; p < N_POINTS; p++)
            for (int k = 0; k < N_VARIABLES; k++) {
                dal_node f = parse(&b, expressions[e]);
                check_slope(expressions[e], k, value(&b, dal_diff(b.graph, f, k), points[p]), slope(&b, f, points[p], k));
            }
    dal_arena_release(&b.arena);
}

static void second_derivatives_equal_complex_steps_of_first_ones(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (int e = 0; e < N_EXPRESSIONS; e++)
        for (int p = 0; p < N_POINTS; p++)
            for (int k = 0; k < N_VARIABLES * N_VARIABLES; k++) {
                dal_node first = dal_diff(b.graph, parse(&b, expressions[e]), k / N_VARIABLES);
                double exact = value(&b, dal_diff(b.graph, first, k % N_VARIABLES), points[p]);
                check_slope(expressions[e], k, exact, slope(&b, first, points[p], k % N_VARIABLES));
            }
    dal_arena_release(&b.arena);
}

static void mixed_derivatives_commute(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (int e = 0; e < N_EXPRESSIONS; e++)
        for (int p = 0; p < N_POINTS; p++) {
            dal_node f = parse(&b, expressions[e]);
            double xy = value(&b, dal_diff(b.graph, dal_diff(b.graph, f, 0), 1), points[p]);
            double yx = value(&b, dal_diff(b.graph, dal_diff(b.graph, f, 1), 0), points[p]);
            check_slope(expressions[e], 0, xy, yx);
        }
    dal_arena_release(&b.arena);
}

static dal_node rate_of(void *user, dal_graph *graph, int variable)
{
    (void)user;
    return variable == 2 ? dal_const(graph, 1) : variable == 1 ? DAL_NO_NODE : dal_binary(graph, DAL_OP_MUL, dal_var(graph, 1), dal_var(graph, 2));
}

static void the_total_rate_is_the_sum_over_the_variables(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (int e = 0; e < N_EXPRESSIONS; e++)
        for (int p = 0; p < N_POINTS; p++) {
            dal_node f = parse(&b, expressions[e]);
            const double *at = points[p]; /* x' = y t, y' = 0, t' = 1 */
            double sum = slope(&b, f, at, 0) * at[1] * at[2] + slope(&b, f, at, 2);
            check_slope(expressions[e], 9, value(&b, dal_rate(b.graph, f, rate_of, NULL), at), sum);
        }
    dal_arena_release(&b.arena);
}

/* A frozen piece and its derivative stay consistent beyond the end of the piece. */
static void frozen_derivatives_equal_complex_steps_of_the_frozen_piece(void **state)
{
    (void)state;
    static const char *const switching[] = {"abs(x)*y",          "min(x*x, y)",        "max(x, t - 1)",      "mod(x*t, 0.6)", "if(x < y, x^2, t*x)",
                                            "interp(line, x)*t", "interp(hill, x, 1)", "interp(wave, x, 2)", "sign(x)*x^3"};
    static const double from[N_VARIABLES] = {0.377, 1.829, 0.577}, beyond[N_VARIABLES] = {-0.9, -2.01, 1.413};
    bench b;
    begin(&b);
    for (size_t e = 0; e < sizeof switching / sizeof switching[0]; e++) {
        dal_node f[2] = {parse(&b, switching[e])};
        f[1] = dal_diff(b.graph, f[0], 0);
        dal_program *program = dal_program_build(&b.arena, b.graph, N_VARIABLES, 2, f);
        double complex *registers = DAL_NEW(&b.arena, double complex, dal_program_registers(program));
        int modes[8];
        assert_in_range(dal_program_switches(program), 1, 8);
        double complex start[N_VARIABLES], end[N_VARIABLES], out[2];
        for (int i = 0; i < N_VARIABLES; i++) {
            start[i] = from[i];
            end[i] = beyond[i] + (i == 0 ? STEP : 0) * _Complex_I;
        }
        dal_program_run(program, start, NULL, registers, out);
        dal_program_modes(program, registers, modes);
        assert_int_equal(dal_program_run(program, end, modes, registers, out), 0);
        check_slope(switching[e], 0, creal(out[1]), cimag(out[0]) / STEP);
        double guards[8], least = 1;
        dal_program_guards(program, registers, modes, guards);
        for (int i = 0; i < dal_program_switches(program); i++)
            least = guards[i] < least ? guards[i] : least;
        assert_true(least < 0); /* the point does lie beyond */
    }
    dal_arena_release(&b.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_derivatives_equal_complex_steps),
        cmocka_unit_test(second_derivatives_equal_complex_steps_of_first_ones),
        cmocka_unit_test(mixed_derivatives_commute),
        cmocka_unit_test(the_total_rate_is_the_sum_over_the_variables),
        cmocka_unit_test(frozen_derivatives_equal_complex_steps_of_the_frozen_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
