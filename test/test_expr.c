/* The expression engine: language, messages and graph. Switches, tables and programs: test_expr_run.c; derivatives
 * against complex steps: test_expr_complex.c. */
#include "expr_bench.h"

/* ---- the language --------------------------------------------------------------- */

static void check_value(bench *b, const char *text, double expected)
{
    double got = value_at(b, parse(b, text), point);
    if (!(fabs(got - expected) <= 8 * DBL_EPSILON * (1 + fabs(expected)))) /* a handful of rounded operations */
        fail_msg("'%s' = %.17g, expected %.17g", text, got, expected);
}

static void every_function_and_operator_has_its_value(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    double x = point[X], y = point[Y], t = point[T], vx = point[VX], vy = point[VY], vz = point[VZ];
    check_value(&b, "x + y - t", x + y - t);
    check_value(&b, "x*y/t", x * y / t);
    check_value(&b, "t^x", pow(t, x));
    check_value(&b, "y^3", y * y * y);
    check_value(&b, "y^-3", 1 / (y * y * y));
    check_value(&b, "sin(x) + cos(y)", sin(x) + cos(y));
    check_value(&b, "tan(x)", tan(x));
    check_value(&b, "asin(y)", asin(y));
    check_value(&b, "acos(y)", acos(y));
    check_value(&b, "atan(t)", atan(t));
    check_value(&b, "atan2(y, -x)", atan2(y, -x));
    check_value(&b, "sinh(x) + cosh(y)", sinh(x) + cosh(y));
    check_value(&b, "tanh(y)", tanh(y));
    check_value(&b, "sqrt(t)", sqrt(t));
    check_value(&b, "exp(y)", exp(y));
    check_value(&b, "log(t)", log(t));
    check_value(&b, "abs(y) + sign(y)", fabs(y) - 1);
    check_value(&b, "min(x, y, t)", y);
    check_value(&b, "max(x, y, t)", t);
    check_value(&b, "floor(y)", -1);
    check_value(&b, "mod(y, x)", y + x); /* the sign of the divisor */
    check_value(&b, "10*(x < y) + (y < x)", 1);
    check_value(&b, "10*(x > y) + (y > x)", 10);
    check_value(&b, "(x <= x) + 10*(y <= x) + 100*(x <= y)", 11);
    check_value(&b, "(t >= x) + 10*(x >= t)", 1);
    check_value(&b, "(x == y) + 10*(x != y)", 10);
    check_value(&b, "if(y < x, t, x)", t);
    check_value(&b, "if(y, t, x)", t);
    check_value(&b, "45*deg + pi", 3.14159265358979323846 * 1.25);
    check_value(&b, "dot(v, [x, y, t])", vx * x + vy * y + vz * t);
    check_value(&b, "cross([x, y], [t, 0.3])", x * 0.3 - y * t);
    check_value(&b, "dot(cross(v, [x, y, t]), [1.1, 2.3, 0.7])", 1.1 * (vy * t - vz * y) + 2.3 * (vz * x - vx * t) + 0.7 * (vx * y - vy * x));
    check_value(&b, "norm(v)", sqrt(vx * vx + vy * vy + vz * vz));
    check_value(&b, "abs(v)", sqrt(vx * vx + vy * vy + vz * vz));
    check_value(&b, "norm(2*v - v*x + v/t)", fabs(2 - x + 1 / t) * sqrt(vx * vx + vy * vy + vz * vz));
    check_value(&b, "dot(if(x < 0, v, -v), [1, 0, 0])", -vx);
    end(&b);
}

/* ---- constants without a graph ------------------------------------------------------- */

static bool give_constant(void *user, const char *name, double *value, int *variable)
{
    *value = user ? *(double *)user : 0.618;
    *variable = 0;
    return !strcmp(name, "a") || !strcmp(name, "left.b");
}

static bool give_node(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    bench *b = user;
    double number;
    int variable;
    (void)mark, (void)hint;
    if (primes || !give_constant(NULL, name, &number, &variable))
        return false;
    *value = (dal_value){1, {dal_const(b->graph, number), DAL_NO_NODE, DAL_NO_NODE}, 0};
    return true;
}

/* True: both give a number, the same one. What only the parser understands it may have. */
static bool agree_on(bench *b, const char *text)
{
    const dal_parser parser = {.graph = b->graph, .resolve = give_node, .user = b};
    dal_constant_steps steps = {.arena = &b->arena};
    double plain, folded, other = -0.25, read = 0, run = 0;
    dal_node node;
    if (!dal_parse_constant(text, give_constant, NULL, &steps, &plain))
        return false;
    if (!dal_parse_scalar(&parser, text, (dal_mark){"text", 1, 1}, &node) || !dal_is_const(b->graph, node, &folded) ||
        memcmp(&plain, &folded, sizeof plain))
        fail_msg("'%s' is %.17g without a graph, and not with one", text, plain);
    const bool finite = dal_parse_constant(text, give_constant, &other, NULL, &read);
    if (!steps.too_high && (dal_constant_run(&steps, &other, &run) != finite || (finite && memcmp(&run, &read, sizeof run))))
        fail_msg("'%s' is %.17g when it is read with another value, and %.17g by its recorded steps", text, read, run);
    return true;
}

static void write_constant(char *text, uint64_t *seed, int depth)
{
    static const char *const leaves[] = {"1.5", "a", "left.b", "2", "pi", "deg", ".25", "3.e-2", "0", "1e22", "12345678901234567890", "0.1", "7E+3"};
    static const char *const functions[] = {"sin", "cos", "sqrt", "abs", "exp", "atan", "floor", "sign"};
    const int n = (int)((check_random(seed) + 1) * 500);
    char *end = text + strlen(text);
    if (depth == 0 || n < 200) {
        strcpy(end, leaves[n % 13]);
    } else if (n < 300) {
        strcpy(end, n % 2 ? "-" : " - ");
        write_constant(text, seed, depth - 1);
    } else if (n < 450) {
        sprintf(end, "%s(", n % 3 ? "" : functions[n % 8]);
        write_constant(text, seed, depth - 1);
        strcat(text, " )");
    } else {
        write_constant(text, seed, depth - 1);
        end = text + strlen(text);
        end[0] = "+-*/^"[n % 5];
        end[1] = '\0';
        write_constant(text, seed, depth - 1);
    }
}

static void a_plain_constant_is_that_of_the_graph_bit_for_bit(void **state)
{
    static const char *const left_to_the_parser[] = {"",         "a'",      "a.{1}", "1 < 2", "min(1, 2)",    "[1, 2]",  "1/0",
                                                     "sqrt(-1)", "b",       "2 3",   "(1",    "1)",           "1e",      "3x",
                                                     "sin",      "sin(1)'", "1e400", "a.",    "interp(a, 1)", "norm(1)", "2 ** 3"};
    uint64_t seed = 7;
    int agreed = 0;
    bench b;
    (void)state;
    begin(&b);
    for (int i = 0; i < 5000; i++) {
        char text[4000] = "";
        write_constant(text, &seed, 5);
        agreed += agree_on(&b, text);
    }
    assert_true(agreed > 2000);
    for (size_t i = 0; i < sizeof left_to_the_parser / sizeof *left_to_the_parser; i++)
        assert_false(dal_parse_constant(left_to_the_parser[i], give_constant, NULL, NULL, &(double){0}));
    end(&b);
}

static void operators_bind_as_in_mathematics(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    double x = point[X], t = point[T];
    check_value(&b, "-x^2", -(x * x));
    check_value(&b, "2^3^2", 512);
    check_value(&b, "2^-x", pow(2, -x));
    check_value(&b, "7 - 4 - 2", 1);
    check_value(&b, "8/4/2", 1);
    check_value(&b, "-x*-t", x * t);
    check_value(&b, "- -x + +t", x + t);
    check_value(&b, "1 + x < 2 + x*x", 1);
    check_value(&b, " (\tx\n)\r ", x);
    end(&b);
}

static void numbers_are_read_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"1", 1},
                   {"1.5", 1.5},
                   {".5", 0.5},
                   {"1.", 1},
                   {"1e-3", 1e-3},
                   {"2.5E+3", 2500},
                   {"0.1", 0.1},
                   {"123456789.125", 123456789.125},
                   {"4.9406564584124654e-324", 4.9406564584124654e-324},
                   {"1.7976931348623157e308", DBL_MAX},
                   {"000.000e999999999999", 0},
                   {"0.00000000000000000000000000000000000012345e37", 1.2345},
                   {"17976931348623157e292", DBL_MAX}};
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double value;
        assert_true(dal_is_const(b.graph, parse(&b, numbers[i].text), &value));
        assert_true(value == numbers[i].value);
    }
    end(&b);
}

static void names_take_paths_braces_and_primes(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    assert_int_equal(parse(&b, "x'"), dal_var(b.graph, X_RATE));
    assert_int_equal(parse(&b, "rod.3"), dal_var(b.graph, ROD3));
    assert_int_equal(parse(&b, "rod.{ i - 1 }"), dal_var(b.graph, ROD3));
    assert_int_equal(parse(&b, "v.x"), dal_var(b.graph, VX));
    end(&b);
}

static void the_list_of_names_is_what_the_parser_knows(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    int n = 0;
    for (const char *const *name = dal_function_names(); *name; name++, n++) {
        assert_true(dal_is_reserved(*name));
        char text[64];
        dal_value value;
        snprintf(text, sizeof text, "%s()", *name);
        dal_messages_clear(b.messages);
        assert_false(dal_parse(&b.parser, text, dal_nowhere, &value));
        bool constant = strcmp(*name, "t") == 0 || strcmp(*name, "pi") == 0 || strcmp(*name, "deg") == 0;
        assert_true(constant == (strncmp(dal_messages_first(b.messages)->text, "unknown function", 16) == 0));
    }
    assert_int_equal(n, 27);
    assert_false(dal_is_reserved("crank"));
    end(&b);
}

/* ---- messages -------------------------------------------------------------------- */

static const struct {
    const char *text;
    int column;
    const char *message;
} faulty[] = {
    {"", 1, "the expression is empty"},
    {"   ", 1, "the expression is empty"},
    {"x + ", 5, "expected a number, a name or '(' but found the end"},
    {"(x + )", 6, "expected a number, a name or '(' but found ')'"},
    {"(x + 1", 7, "expected an operator or ')' to close the '(' of column 1 but found the end"},
    {"x + 1)", 6, "expected an operator or the end but found ')'"},
    {"x y", 3, "expected an operator or the end but found 'y'"},
    {"2x", 2, "expected an operator after the number '2' but found 'x' (the product is written *)"},
    {"0x10", 2, "expected an operator after the number '0' but found 'x10' (the product is written *)"},
    {"2 x", 3, "expected an operator or the end but found 'x' (the product is written *)"},
    {"1.5 kg", 5, "expected an operator or the end but found 'kg' (numbers have no units behind them: they are in m, kg, s, rad, N)"},
    {"30deg", 3, "expected an operator after the number '30' but found 'deg' (write 45*deg for 45 degrees)"},
    {"3 + 1e", 5, "the number '1e' lacks the digits of its exponent"},
    {"1e-+3", 1, "the number '1e-' lacks the digits of its exponent"},
    {"1e999", 1, "the number '1e999' is too large"},
    {"x*1e-999", 3, "the number '1e-999' is too small"},
    {"1..2", 3, "expected an operator or the end but found '.'"},
    {"x.", 3, "expected a name, a number or '{' after the point but found the end"},
    {"rod.3a", 5, "a part of a name is a word or a number, not both"},
    {"rod.{x}", 5, "the expression in braces has to be a constant"},
    {"rod.{i/8}", 5, "the expression in braces is 0.5, expected a whole number from 0 on"},
    {"rod.{i-5}", 5, "the expression in braces is -1, expected a whole number from 0 on"},
    {"rod.{i", 7, "expected an operator or '}' to close the '{' of column 5 but found the end"},
    {"1 + foo*2", 5, "unknown name 'foo' (did you mean 'x'?)"},
    {"bar.baz''", 1, "unknown name 'bar.baz'''"},
    {"pi'", 1, "pi is a constant and has no rate"},
    {"2*sin", 3, "sin is a function: expected '(' behind it"},
    {"sine(x)", 1, "unknown function 'sine' (did you mean 'sin'?)"},
    {"1 + arcsin(x)", 5, "unknown function 'arcsin' (did you mean 'asin'?)"},
    {"ln(x)", 1, "unknown function 'ln' (did you mean 'log'?)"},
    {"qqqqqq(x)", 1, "unknown function 'qqqqqq'"},
    {"sin(x, y)", 1, "sin takes 1 argument, 2 given"},
    {"sin()", 1, "sin takes 1 argument, 0 given"},
    {"atan2(x)", 1, "atan2 takes 2 arguments, 1 given"},
    {"2*min(x)", 3, "min takes 2 or more arguments, 1 given"},
    {"if(x < 1, 2)", 1, "if takes 3 arguments, 2 given"},
    {"sin(x y)", 7, "expected an operator, ',' or ')' to close the '(' of column 4 but found 'y'"},
    {"v + 1", 3, "cannot add a vector of 3 and a scalar"},
    {"[x, y] - v", 8, "cannot subtract a vector of 3 from a vector of 2"},
    {"v*v", 2, "cannot multiply two vectors: use dot or cross"},
    {"x/v", 3, "cannot divide by a vector of 3"},
    {"v^2", 2, "cannot raise a vector of 3 to a power"},
    {"x^v", 3, "an exponent is a scalar, a vector of 3 given"},
    {"v < x", 3, "cannot compare a vector of 3 and a scalar"},
    {"x < y < t", 7, "comparisons do not chain: write (a < b)*(b < c)"},
    {"x/0", 3, "division by the constant zero"},
    {"1 / (2 - 2)", 5, "division by the constant zero"},
    {"mod(x, 0)", 8, "division by the constant zero"},
    {"sqrt(-1)", 1, "sqrt(-1) is not a finite number"},
    {"1 + log(0)", 5, "log(0) is not a finite number"},
    {"(-8)^(1/3)", 5, "the result of '^' is not a finite number"},
    {"1e300*1e300", 6, "the result of '*' is not a finite number"},
    {"sqrt(v)", 6, "sqrt takes scalars, a vector of 3 given"},
    {"norm(x)", 6, "norm takes vectors, a scalar given (abs takes scalars)"},
    {"dot(v, [1, x])", 8, "dot takes two vectors of equal length, a vector of 3 and a vector of 2 given"},
    {"if(v, 1, 2)", 4, "the condition of if is a scalar, a vector of 3 given"},
    {"if(x, v, 2)", 10, "the branches of if differ: a vector of 3 and a scalar"},
    {"[x]", 1, "a vector has 2 or 3 components, 1 given"},
    {"[1, x, y, 4]", 11, "a vector has 2 or 3 components, a fourth is given"},
    {"[v, x]", 2, "a component of a vector is a scalar, a vector of 3 given"},
    {"[x, y", 6, "expected an operator or ']' to close the '[' of column 1 but found the end"},
    {"interp(lien_hold, x)", 8, "unknown table 'lien_hold' (did you mean 'line_hold'?)"},
    {"interp(2, x)", 8, "expected the name of a table but found '2'"},
    {"interp(line_hold x)", 18, "expected ',' behind the name of the table but found 'x'"},
    {"interp(line_hold)", 1, "interp takes 2 or 3 arguments, 1 given"},
    {"interp(line_hold, v)", 19, "interp takes scalars, a vector of 3 given"},
    {"interp(line_hold, x, 0.5)", 22, "the order of the derivative of a table is 0, 1, 2 or 3"},
    {"interp(line_error, 5)", 20, "5 lies outside the table 'line_error'"},
    {"x**2", 3, "expected a number, a name or '(' but found '*' (powers are written ^)"},
    {"x = 2", 3, "expected an operator or the end but found '=' (equality is written ==)"},
    {"x & y", 3, "expected an operator or the end but found '&' (multiply comparisons for 'and')"},
    {"x % 2", 3, "expected an operator or the end but found '%' (the remainder is mod(a, b))"},
    {"45\xc2\xb0", 3, "expected an operator or the end but found '\xc2\xb0' (write 45*deg for 45 degrees)"},
    {"x + \xff", 5, "expected a number, a name or '(' but found the byte 0xff"},
    {"(x)'", 4, "expected an operator or the end but found a prime (')"},
};

static void every_fault_is_named_at_its_column(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        dal_value value;
        dal_messages_clear(b.messages);
        if (dal_parse(&b.parser, faulty[i].text, (dal_mark){"model.yaml", 7, 1}, &value))
            fail_msg("'%s' was accepted", faulty[i].text);
        assert_int_equal(dal_messages_count(b.messages, DAL_ERROR), 1);
        const dal_message *message = dal_messages_first(b.messages);
        assert_string_equal(message->text, faulty[i].message);
        if (message->mark.column != faulty[i].column)
            fail_msg("'%s': column %d, expected %d", faulty[i].text, message->mark.column, faulty[i].column);
        assert_int_equal(message->mark.line, 7);
        assert_string_equal(message->mark.file, "model.yaml");
    }
    end(&b);
}

static void columns_count_from_the_mark_of_the_text(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    dal_node node;
    assert_false(dal_parse_scalar(&b.parser, "x + foo", (dal_mark){NULL, 3, 21}, &node));
    assert_int_equal(dal_messages_first(b.messages)->mark.column, 25);
    dal_messages_clear(b.messages);
    assert_false(dal_parse_scalar(&b.parser, "v", (dal_mark){NULL, 3, 21}, &node));
    assert_string_equal(dal_messages_first(b.messages)->text, "expected a scalar, but this is a vector of 3");
    end(&b);
}

/* `count` times `piece`, then `last`. */
static bool parse_repeated(bench *b, const char *piece, int count, const char *last)
{
    size_t n = strlen(piece);
    char *text = dal_arena_alloc(&b->arena, n * (size_t)count + strlen(last) + 1);
    for (int i = 0; i < count; i++)
        memcpy(text + n * (size_t)i, piece, n);
    strcpy(text + n * (size_t)count, last);
    dal_value value;
    dal_messages_clear(b->messages);
    return dal_parse(&b->parser, text, dal_nowhere, &value);
}

static void deep_and_long_texts_are_refused(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    static const char *const nesting[] = {"(", "-", "x^", "sin(", "[x, ", "rod.{", "if(1, "};
    for (size_t i = 0; i < sizeof nesting / sizeof nesting[0]; i++) {
        assert_false(parse_repeated(&b, nesting[i], 5000, "x"));
        assert_string_equal(dal_messages_first(b.messages)->text, "the expression is nested too deeply (more than 200 levels)");
    }
    assert_true(parse_repeated(&b, "-", 199, "x"));
    assert_true(parse_repeated(&b, "x*y+", 16000, "1")); /* long, but flat */
    assert_false(parse_repeated(&b, "x*y+", 17000, "1"));
    assert_string_equal(dal_messages_first(b.messages)->text, "the expression is too long (more than 65536 characters)");
    end(&b);
}

static void derivatives_of_long_sums_need_no_deep_stack(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    dal_node chain = dal_var(b.graph, X);
    for (int i = 0; i < 100000; i++) { /* f <- f + 1e-6 sin(f): as deep as it is long */
        dal_node little = dal_binary(b.graph, DAL_OP_MUL, dal_const(b.graph, 1e-6), dal_unary(b.graph, DAL_OP_SIN, chain));
        chain = dal_binary(b.graph, DAL_OP_ADD, chain, little);
    }
    dal_node slope = dal_diff(b.graph, chain, X);
    assert_true(dal_depends(b.graph, slope, X));
    assert_false(dal_depends(b.graph, slope, X + 64)); /* same bit of the variable mask, other variable */
    double forward = value_at(&b, chain, (double[N_VARIABLES]){0.9}), expected = 1, f = 0.9;
    for (int i = 0; i < 100000; i++) {
        expected *= 1 + 1e-6 * cos(f);
        f += 1e-6 * sin(f);
    }
    assert_true(forward == f);
    check_close(value_at(&b, slope, (double[N_VARIABLES]){0.9}), expected, 2 * 100000 * DBL_EPSILON * expected);
    size_t length = strlen(dal_node_print(b.graph, slope, name_of, NULL)); /* would have 1e10 characters */
    assert_true(length > 1000000 && length < 1100000);
    end(&b);
}

/* ---- the graph --------------------------------------------------------------------- */

static void equal_expressions_are_one_node(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"x + y", "y + x"},
                                          {"x*y*t", "x*y*t"},
                                          {"min(x, y)", "min(y, x)"},
                                          {"x == y", "y == x"},
                                          {"x^2", "x*x"},
                                          {"x - x", "0"},
                                          {"0*x", "0"},
                                          {"x + 0", "x"},
                                          {"1*x", "x"},
                                          {"x^1", "x"},
                                          {"x^0", "1"},
                                          {"-(-x)", "x"},
                                          {"x - -y", "x + y"},
                                          {"x + -y", "x - y"},
                                          {"-x + sin(y)", "sin(y) - x"},
                                          {"-(x - y)", "y - x"},
                                          {"2*3*x", "6*x"},
                                          {"x*2*y", "2*(x*y)"},
                                          {"-x*y", "-(x*y)"},
                                          {"x > y", "y < x"},
                                          {"x >= y", "y <= x"},
                                          {"x + x", "2*x"},
                                          {"sqrt(x)", "x^0.5"},
                                          {"1/x", "x^-1"},
                                          {"0/x", "0"},
                                          {"x/1", "x"},
                                          {"if(1, x, y)", "x"},
                                          {"if(y, x, x)", "x"},
                                          {"if(x != y, 1.5, t)", "if(x == y, t, 1.5)"},
                                          {"if(x < y, 1, 0)", "x < y"},
                                          {"2*asin(1)", "pi"},
                                          {"min(x, x)", "x"},
                                          {"x < x", "0"},
                                          {"x <= x", "1"},
                                          {"-0.0", "0"},
                                          {"norm([x, y])", "sqrt(x^2 + y^2)"}};
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (parse(&b, same[i][0]) != parse(&b, same[i][1]))
            fail_msg("'%s' and '%s' are two nodes", same[i][0], same[i][1]);
    assert_int_not_equal(parse(&b, "x - y"), parse(&b, "y - x"));
    assert_int_not_equal(parse(&b, "x < y"), parse(&b, "x <= y"));
    assert_int_equal(dal_node_op(b.graph, parse(&b, "x/x")), DAL_OP_DIV); /* says nothing about x = 0 */
    assert_int_equal(dal_diff(b.graph, parse(&b, "sin(x)"), X), parse(&b, "cos(x)"));
    assert_int_equal(dal_diff(b.graph, parse(&b, "x^3*y"), X), parse(&b, "3*(x^2*y)"));
    assert_int_equal(dal_diff(b.graph, parse(&b, "x*y + t"), T), parse(&b, "1"));
    end(&b);
}

static void infinite_constants_are_never_folded(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    dal_node zero = dal_const(b.graph, 0), one = dal_const(b.graph, 1);
    assert_false(dal_is_const(b.graph, dal_binary(b.graph, DAL_OP_DIV, one, zero), NULL));
    assert_false(dal_is_const(b.graph, dal_binary(b.graph, DAL_OP_DIV, zero, zero), NULL));
    assert_false(dal_is_const(b.graph, dal_unary(b.graph, DAL_OP_LOG, zero), NULL));
    assert_true(isinf(value_at(&b, dal_unary(b.graph, DAL_OP_LOG, zero), point)));
    end(&b);
}

static bool holds_broken_constant(bench *b, dal_node node)
{
    dal_value value;
    dal_messages_clear(b->messages);
    if (dal_parse(&b->parser, dal_node_print(b->graph, node, name_of, NULL), dal_nowhere, &value))
        return false;
    const char *text = dal_messages_first(b->messages)->text;
    return strstr(text, "finite number") || strstr(text, "constant zero");
}

static void printed_expressions_parse_to_the_same_node(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    uint64_t seed = 20;
    int tried = 0;
    for (int i = 0; i < 20000; i++) {
        dal_node node = grow(&b, &seed, 1 + i % 5);
        if (holds_broken_constant(&b, node)) /* sqrt(-1) and the like: refused by the parser */
            continue;
        tried++;
        const char *text = dal_node_print(b.graph, node, name_of, NULL);
        if (parse(&b, text) != node)
            fail_msg("'%s' parses to '%s'", text, dal_node_print(b.graph, parse(&b, text), name_of, NULL));
    }
    assert_true(tried > 10000);
    end(&b);
}

static void expressions_print_as_people_write_them(void **state)
{
    (void)state;
    static const char *const texts[] = {"x - 2",
                                        "2*x",
                                        "x < 1",
                                        "x > 1",
                                        "y >= -3.5",
                                        "-x^2",
                                        "(-x)^3",
                                        "x^y^2",
                                        "(x^y)^2",
                                        "x - (y - t)",
                                        "x/(y*t)",
                                        "x*y/t",
                                        "if(x < y, x, t)",
                                        "interp(line_hold, x)",
                                        "interp(wave_turn, x + y, 2)",
                                        "x != y",
                                        "t*(x + y)",
                                        "x - 3*y",
                                        "2^-x",
                                        "x'*rod.3",
                                        "max(t, min(x, y))",
                                        "0.1 - x"};
    bench b;
    begin(&b);
    for (int i = 0; i < N_VARIABLES; i++)
        dal_var(b.graph, i); /* in this order, so that sums print in it */
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_string_equal(dal_node_print(b.graph, parse(&b, texts[i]), name_of, NULL), texts[i]);
    end(&b);
}

static void smoothness_is_that_of_the_roughest_part(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int smooth;
    } cases[] = {{"sin(x)*y^3", 1000},
                 {"abs(-2.5)", 1000},
                 {"abs(x)", 1},
                 {"min(x, y)", 1},
                 {"max(x, 3)", 1},
                 {"sign(x)", 0},
                 {"floor(x)", 0},
                 {"mod(x, 2)", 0},
                 {"x < y", 0},
                 {"x == y", 0},
                 {"if(x < 0, x, -x)", 0},
                 {"sin(abs(x)) + y", 1},
                 {"interp(line_error, x)", 1},
                 {"interp(hill_error, x)", 2},
                 {"interp(wave_error, x)", 3},
                 {"interp(wave_turn, x)", 3},
                 {"interp(wave_turn, x, 2)", 1},
                 {"interp(wave_turn, x, 3)", 0},
                 {"interp(wave_hold, x)", 1},
                 {"interp(wave_hold, x, 1)", 0},
                 {"interp(wave_hold, 1.2)*x", 1000}};
    bench b;
    begin(&b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (dal_smoothness(b.graph, parse(&b, cases[i].text)) != cases[i].smooth)
            fail_msg("'%s' has smoothness %d", cases[i].text, dal_smoothness(b.graph, parse(&b, cases[i].text)));
    end(&b);
}

static void count_variable(void *user, int variable)
{
    ((int *)user)[variable]++;
}

static void each_variable_is_visited_once(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    int seen[N_VARIABLES] = {0};
    dal_each_var(b.graph, parse(&b, "x*sin(x + t) + if(x < t, x, v.y)"), count_variable, seen);
    for (int i = 0; i < N_VARIABLES; i++)
        assert_int_equal(seen[i], i == X || i == T || i == VY);
    assert_true(dal_depends(b.graph, parse(&b, "x*sin(x + t)"), T));
    assert_false(dal_depends(b.graph, parse(&b, "x*sin(x + t)"), Y));
    end(&b);
}

static void powers_have_slopes_at_zero_and_below(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    const double zero[N_VARIABLES] = {0}, below[N_VARIABLES] = {-1.7};
    for (int n = 1; n <= 9; n++) {
        char text[16];
        snprintf(text, sizeof text, "x^%d", n);
        dal_node slope = dal_diff(b.graph, parse(&b, text), X);
        assert_true(value_at(&b, slope, zero) == (n == 1));
        check_close(value_at(&b, slope, below), n * pow(-1.7, n - 1), 20 * DBL_EPSILON * n * pow(1.7, n - 1));
    }
    assert_true(value_at(&b, dal_diff(b.graph, parse(&b, "x^1.5"), X), zero) == 0);
    assert_true(value_at(&b, dal_diff(b.graph, parse(&b, "x^y"), X), (double[N_VARIABLES]){0, 2.5}) == 0);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_and_operator_has_its_value),
        cmocka_unit_test(a_plain_constant_is_that_of_the_graph_bit_for_bit),
        cmocka_unit_test(operators_bind_as_in_mathematics),
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(names_take_paths_braces_and_primes),
        cmocka_unit_test(the_list_of_names_is_what_the_parser_knows),
        cmocka_unit_test(every_fault_is_named_at_its_column),
        cmocka_unit_test(columns_count_from_the_mark_of_the_text),
        cmocka_unit_test(deep_and_long_texts_are_refused),
        cmocka_unit_test(derivatives_of_long_sums_need_no_deep_stack),
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(infinite_constants_are_never_folded),
        cmocka_unit_test(printed_expressions_parse_to_the_same_node),
        cmocka_unit_test(expressions_print_as_people_write_them),
        cmocka_unit_test(smoothness_is_that_of_the_roughest_part),
        cmocka_unit_test(each_variable_is_visited_once),
        cmocka_unit_test(powers_have_slopes_at_zero_and_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
