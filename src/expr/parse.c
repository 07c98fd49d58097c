/* Text to graph: a recursive-descent parser.
 *
 *   expression := sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
 *   sum        := product {("+" | "-") product}
 *   product    := sign {("*" | "/") sign}
 *   sign       := ("-" | "+") sign | power               so that -x^2 = -(x^2)
 *   power      := atom ["^" sign]                        so that x^y^z = x^(y^z) and x^-2 is fine
 *   atom       := number | name | function "(" expression {"," expression} ")" | "(" expression ")"
 *               | "[" expression "," expression ["," expression] "]"
 *   name       := word {"." (word | digits | "{" expression "}")} {"'"}
 *                 and, where the caller can differentiate, a prime behind the brackets of a call or of an expression
 *   function   := one of functions.c; interp(table, x) takes the name of a table first, and interp(table, x, k) is
 *                 the derivative of order k of the table
 *
 * The first fault ends the parse, with the column of the offending place. Numbers are read alike in every locale.
 * The parser refuses texts that are too long, too deeply nested or that make too many nodes: it reads foreign input.
 */
#include "expr/graph.h"

#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = 200, LONGEST = 64 * 1024, MOST_NODES = 1000 * 1000 };

typedef struct reader {
    const dal_parser *parser;
    dal_graph *graph;
    const char *text;
    size_t at; /* the next character */
    dal_mark mark;
    int depth, nodes_before;
} reader;

static bool read_expression(reader *r, dal_value *value);
static bool read_sign(reader *r, dal_value *value);

/* ---- characters and messages ------------------------------------------------ */

static void skip_blanks(reader *r)
{
    while (dal_is_blank(r->text[r->at]))
        r->at++;
}

static dal_mark mark_at(const reader *r, size_t at)
{
    dal_mark mark = r->mark;
    for (size_t i = 0; i < at; i++) { /* an expression may have several lines */
        mark.column = r->text[i] == '\n' ? 1 : mark.column + 1;
        mark.line += r->text[i] == '\n';
    }
    return mark;
}

static bool fail(reader *r, size_t at, const char *format, ...) DAL_PRINTF(3, 4);
static bool fail(reader *r, size_t at, const char *format, ...)
{
    char sentence[512];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    dal_error(r->parser->messages, mark_at(r, at), "%s", sentence);
    return false;
}

/* Bytes of the UTF-8 character at `s`, 0 if it is none. */
static int character_length(const char *s)
{
    unsigned char c = (unsigned char)s[0];
    int n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

/* The text at the present place, for "but found ...". */
static const char *found(const reader *r, char buffer[80])
{
    const char *s = r->text + r->at;
    int length = 0;
    while (length < 40 && (dal_is_letter(s[length]) || dal_is_digit(s[length])))
        length++;
    if (!length)
        length = character_length(s);
    if (!*s)
        snprintf(buffer, 80, "the end");
    else if (!length || (unsigned char)*s < ' ' || *s == 0x7f)
        snprintf(buffer, 80, "the byte 0x%02x", (unsigned)(unsigned char)*s);
    else if (*s == '\'')
        snprintf(buffer, 80, "a prime (')");
    else
        snprintf(buffer, 80, "'%.*s'", length, s);
    return buffer;
}

/* A hint for a word that stands behind a number: a unit, or a factor. */
static const char *remedy_of_word(const reader *r)
{
    static const char *const units[] = {"m", "mm", "cm", "km", "kg", "g", "s", "ms", "N", "kN", "Nm", "rad", "Hz", "rpm"};
    const char *s = r->text + r->at;
    size_t before = r->at, length = 0;
    while (before > 0 && (r->text[before - 1] == ' ' || r->text[before - 1] == '\t'))
        before--;
    while (dal_is_letter(s[length]) || dal_is_digit(s[length]))
        length++;
    if (!before || !dal_is_letter(*s) || !(dal_is_digit(r->text[before - 1]) || r->text[before - 1] == '.'))
        return "";
    if (length == 3 && !strncmp(s, "deg", 3))
        return " (write 45*deg for 45 degrees)";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == length && !strncmp(s, units[i], length))
            return " (numbers have no units behind them: they are in m, kg, s, rad, N)";
    return " (the product is written *)";
}

/* A hint for operators of other languages. */
static const char *remedy(const reader *r)
{
    /* clang-format off */
    static const char *const known[][2] = {
        {"**", " (powers are written ^)"},        {"&", " (multiply comparisons for 'and')"},
        {"|", " (use max(a, b) for 'or')"},       {"%", " (the remainder is mod(a, b))"},
        {"=", " (equality is written ==)"},       {"!", " (write (x == 0) for 'not')"},
        {"?", " (write if(condition, a, b))"},    {"\"", " (an expression has no quotes)"},
        {"\xe2\x88\x92", " (the minus sign is -)"}, {"\xe2\x80\x99", " (the prime is ')"},
        {"\xc2\xb2", " (squares are written ^2)"}, {"\xc2\xb7", " (the product is written *)"},
        {"\xc3\x97", " (the product is written *)"}, {"\xc2\xb0", " (write 45*deg for 45 degrees)"}};
    /* clang-format on */
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t at = i == 0 && r->at > 0 ? r->at - 1 : r->at; /* the first star was read as an operator */
        if (strncmp(r->text + at, known[i][0], strlen(known[i][0])) == 0)
            return known[i][1];
    }
    return remedy_of_word(r);
}

static bool fail_expected(reader *r, const char *expected)
{
    char buffer[80];
    return fail(r, r->at, "expected %s but found %s%s", expected, found(r, buffer), remedy(r));
}

/* Read `c` or report an error; `open` is the place of its partner. */
static bool close_with(reader *r, char c, size_t open)
{
    skip_blanks(r);
    if (r->text[r->at] == c) {
        r->at++;
        return true;
    }
    char expected[80];
    snprintf(expected, sizeof expected, "an operator or '%c' to close the '%c' of column %d", c, r->text[open], mark_at(r, open).column);
    return fail_expected(r, expected);
}

static bool accept_character(reader *r, char c)
{
    skip_blanks(r);
    if (r->text[r->at] != c)
        return false;
    r->at++;
    return true;
}

static bool enter_bracket(reader *r)
{
    if (r->depth >= DEEPEST)
        return fail(r, r->at, "the expression is nested too deeply (more than %d levels)", DEEPEST);
    if (r->graph->n - r->nodes_before > MOST_NODES)
        return fail(r, r->at, "the expression is too large (more than %d operations)", MOST_NODES);
    r->depth++;
    return true;
}

static dal_value scalar(dal_node node)
{
    return (dal_value){1, {node, DAL_NO_NODE, DAL_NO_NODE}, 0};
}

static void note_unit(const reader *r, const char *name, size_t at, int n, const dal_value *arguments, int table, dal_value *value)
{
    const dal_operation operation = {name, mark_at(r, at), n, arguments, table, value->node[0]};
    if (r->parser->unit)
        value->unit = r->parser->unit(r->parser->user, &operation);
}

/* ---- numbers ----------------------------------------------------------------- */

static size_t skip_digits(const char *s, size_t at)
{
    while (dal_is_digit(s[at]))
        at++;
    return at;
}

/* Digits without the point, d 10^exponent. Up to 2^53 and 10^22 both are doubles, and their product or quotient is rounded once, as the
 * number itself would be (Clinger, PLDI 1990). False: more than that. */
bool dal_read_exactly(const char *s, size_t point, size_t mantissa, long exponent, double *number)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    if (mantissa > 18 || exponent < -22 || exponent > 22)
        return false;
    for (size_t i = 0; i < mantissa; i++)
        if (i != point)
            digits = 10 * digits + (uint64_t)(s[i] - '0');
    if (digits > (uint64_t)1 << 53)
        return false;
    *number = exponent < 0 ? (double)digits / ten[-exponent] : (double)digits * ten[exponent];
    return true;
}

/* The same as an integer with an exponent, by strtod: independent of the locale. */
static double read_long(reader *r, size_t point, size_t mantissa, size_t start, long exponent, bool *zero)
{
    const char *s = r->text;
    const char *plain = dal_arena_print(r->graph->arena, "%.*s%.*se%ld", (int)(point - start), s + start,
                                        (int)(mantissa > point ? mantissa - point - 1 : 0), s + point + 1, exponent);
    *zero = strspn(plain, "0") == strcspn(plain, "e");
    return strtod(plain, NULL);
}

/* digits [. digits] [e sign digits] */
static __attribute__((noinline)) bool read_number(reader *r, dal_value *value)
{
    const char *s = r->text;
    size_t start = r->at, point = skip_digits(s, start), end = point;
    if (s[point] == '.')
        end = skip_digits(s, point + 1);
    size_t fraction = end > point ? end - point - 1 : 0, mantissa = end;
    long exponent = 0;
    if (s[end] == 'e' || s[end] == 'E') {
        size_t digits = end + 1 + (s[end + 1] == '+' || s[end + 1] == '-');
        if (!dal_is_digit(s[digits]))
            return fail(r, start, "the number '%.*s' lacks the digits of its exponent", (int)(digits - start), s + start);
        end = skip_digits(s, digits);
        exponent = strtol(s + mantissa + 1, NULL, 10); /* saturates */
    }
    if (dal_is_letter(s[end])) {
        r->at = end;
        char buffer[80];
        return fail(r, end, "expected an operator after the number '%.*s' but found %s%s", (int)(end - start), s + start, found(r, buffer),
                    remedy_of_word(r));
    }
    exponent = (exponent > 1000000 ? 1000000 : exponent < -1000000 ? -1000000 : exponent) - (long)fraction;
    double number;
    bool zero = true;
    if (!dal_read_exactly(s + start, point - start, mantissa - start, exponent, &number))
        number = read_long(r, point, mantissa, start, exponent, &zero);
    if (!isfinite(number) || (number == 0 && !zero))
        return fail(r, start, "the number '%.*s' is too %s", (int)(end - start), s + start, number == 0 ? "small" : "large");
    r->at = end;
    *value = scalar(dal_const(r->graph, number));
    note_unit(r, "number", start, 0, NULL, -1, value);
    return true;
}

/* ---- names ------------------------------------------------------------------- */

typedef struct path {
    char *text;
    int n;
    size_t capacity;
    int primes;
    char few[40]; /* where a short one lies */
} path;

static void append(reader *r, path *p, const char *text, size_t n)
{
    p->text = dal_arena_grow(r->graph->arena, p->text, (size_t)p->n, &p->capacity, (size_t)p->n + n, 1);
    memcpy(p->text + p->n, text, n);
    p->n += (int)n;
}

/* {expression}: a whole number takes its place. */
static bool read_braces(reader *r, path *p)
{
    size_t open = r->at++;
    dal_value value;
    if (!read_expression(r, &value) || !close_with(r, '}', open))
        return false;
    double number;
    if (value.n != 1 || !dal_is_const(r->graph, value.node[0], &number))
        return fail(r, open, "the expression in braces has to be a constant");
    char digits[32];
    dal_print_number(number, digits);
    if (number != floor(number) || number < 0 || number > 1e9)
        return fail(r, open, "the expression in braces is %s, expected a whole number from 0 on", digits);
    append(r, p, digits, (size_t)snprintf(digits, sizeof digits, "%ld", (long)number));
    return true;
}

static bool read_segment(reader *r, path *p)
{
    const char *s = r->text;
    size_t start = r->at;
    if (s[start] == '{')
        return read_braces(r, p);
    if (dal_is_digit(s[start])) {
        r->at = skip_digits(s, start);
        if (dal_is_letter(s[r->at]))
            return fail(r, start, "a part of a name is a word or a number, not both");
    } else {
        while (dal_is_letter(s[r->at]) || dal_is_digit(s[r->at]))
            r->at++;
    }
    append(r, p, s + start, r->at - start);
    return true;
}

static bool read_path(reader *r, path *p)
{
    p->text = p->few;
    p->capacity = sizeof p->few;
    p->n = p->primes = 0;
    if (!read_segment(r, p))
        return false;
    while (r->text[r->at] == '.') {
        char next = r->text[r->at + 1];
        if (!dal_is_letter(next) && !dal_is_digit(next) && next != '{') {
            r->at++;
            return fail_expected(r, "a name, a number or '{' after the point");
        }
        append(r, p, ".", 1);
        r->at++;
        if (!read_segment(r, p))
            return false;
    }
    append(r, p, "", 1); /* the final zero */
    for (; r->text[r->at] == '\''; r->at++)
        p->primes++;
    return true;
}

/* The name with its primes; one that is too long is cut. */
static const char *spelled(const path *p, char buffer[120])
{
    int n = snprintf(buffer, 100, "%s", p->text);
    n = n > 99 ? 99 : n;
    for (int i = 0; i < p->primes && i < 8; i++)
        buffer[n++] = '\'';
    buffer[n] = '\0';
    return buffer;
}

/* Variables keep the name under which they were met first. */
static void note_names(reader *r, const path *p, const dal_value *value)
{
    static const char *const component[3] = {".x", ".y", ".z"};
    char name[120];
    for (int i = 0; i < value->n && i < 3; i++) {
        const dal_term *term = &r->graph->terms[value->node[i]];
        if (term->op != DAL_OP_VAR || dal_graph_has_name(r->graph, term->index))
            continue;
        char buffer[128];
        snprintf(buffer, sizeof buffer, "%s%s", spelled(p, name), value->n == 1 ? "" : component[i]);
        dal_graph_note_name(r->graph, term->index, buffer);
    }
}

static bool resolve_name(reader *r, size_t start, const path *p, dal_value *value)
{
    char name[120];
    bool pi = strcmp(p->text, "pi") == 0, deg = strcmp(p->text, "deg") == 0;
    if (pi || deg) {
        if (p->primes)
            return fail(r, start, "%s is a constant and has no rate", p->text);
        *value = scalar(dal_const(r->graph, pi ? 3.14159265358979323846 : 3.14159265358979323846 / 180));
        note_unit(r, pi ? "pi" : "deg", start, 0, NULL, -1, value);
        return true;
    }
    if (dal_function_find(p->text))
        return fail(r, start, "%s is a function: expected '(' behind it", p->text);
    const char *hint = NULL;
    *value = scalar(DAL_NO_NODE);
    if (!r->parser->resolve(r->parser->user, p->text, p->primes, mark_at(r, start), value, &hint)) {
        if (!value->n)
            return false;
        bool apart = hint && *hint && *hint != ' ';
        return fail(r, start, "unknown name '%s'%s%s", spelled(p, name), apart ? ": " : "", hint ? hint : "");
    }
    note_names(r, p, value);
    return true;
}

/* ---- calls ------------------------------------------------------------------- */

typedef struct arguments {
    dal_value *value;
    int n;
    size_t capacity;
    size_t *at; /* where each begins */
    int n_at;
    size_t at_capacity;
} arguments;

static bool read_arguments(reader *r, size_t open, arguments *list)
{
    if (list->n == 0 && accept_character(r, ')'))
        return true;
    do {
        skip_blanks(r);
        *DAL_PUSH(r->graph->arena, list->at, list->n_at, list->at_capacity) = r->at;
        dal_value value;
        if (!read_expression(r, &value))
            return false;
        *DAL_PUSH(r->graph->arena, list->value, list->n, list->capacity) = value;
    } while (accept_character(r, ','));
    if (r->text[r->at] == ')') {
        r->at++;
        return true;
    }
    char expected[80];
    snprintf(expected, sizeof expected, "an operator, ',' or ')' to close the '(' of column %d", mark_at(r, open).column);
    return fail_expected(r, expected);
}

static const char *nearest_table(reader *r, const char *name, char buffer[96])
{
    const char **candidates = DAL_NEW(r->graph->arena, const char *, r->graph->n_tables + 1);
    const char *prefix = r->graph->table_prefix ? r->graph->table_prefix : "";
    int n = 0;
    for (int i = 0; i < r->graph->n_tables; i++)
        if (!strncmp(r->graph->tables[i].name, prefix, strlen(prefix)))
            candidates[n++] = r->graph->tables[i].name + strlen(prefix);
    return dal_did_you_mean(name, candidates, buffer);
}

static int find_table(reader *r, const char *name)
{
    const char *prefix = r->graph->table_prefix;
    return dal_graph_find_table(r->graph, prefix ? dal_arena_print(r->graph->arena, "%s%s", prefix, name) : name);
}

/* interp(table, x [, order]) behind its '('. */
static bool read_interp(reader *r, size_t start, size_t open, const dal_function *function, dal_value *value)
{
    skip_blanks(r);
    size_t name_at = r->at;
    path name;
    if (!dal_is_letter(r->text[r->at]))
        return fail_expected(r, "the name of a table");
    if (!read_path(r, &name))
        return false;
    int table = find_table(r, name.text);
    char buffer[96];
    if (table < 0 || name.primes)
        return fail(r, name_at, "unknown table '%.100s'%s", name.text, nearest_table(r, name.text, buffer));
    arguments list = {0};
    skip_blanks(r);
    if (r->text[r->at] != ',' && r->text[r->at] != ')')
        return fail_expected(r, "',' behind the name of the table");
    *DAL_PUSH(r->graph->arena, list.value, list.n, list.capacity) = scalar(DAL_NO_NODE); /* stands for the table */
    *DAL_PUSH(r->graph->arena, list.at, list.n_at, list.at_capacity) = name_at;
    if (accept_character(r, ',')) {
        if (!read_arguments(r, open, &list))
            return false;
    } else {
        r->at++;
    }
    if (list.n < function->minimum || list.n > function->maximum)
        return fail(r, start, "interp takes 2 or 3 arguments, %d given", list.n);
    if (list.value[1].n > 1)
        return fail(r, list.at[1], "interp takes scalars, a vector of %d given", list.value[1].n);
    double order = 0;
    if (list.n == 3 &&
        (list.value[2].n > 1 || !dal_is_const(r->graph, list.value[2].node[0], &order) || order < 0 || order > 3 || order != floor(order)))
        return fail(r, list.at[2], "the order of the derivative of a table is 0, 1, 2 or 3");
    double x;
    dal_node node = dal_interp(r->graph, table, (int)order, list.value[1].node[0]);
    if (dal_is_const(r->graph, list.value[1].node[0], &x) && !dal_is_const(r->graph, node, NULL)) {
        char number[32];
        dal_print_number(x, number);
        return fail(r, list.at[1], "%s lies outside the table '%.100s'", number, name.text);
    }
    *value = scalar(node);
    note_unit(r, "interp", start, list.n, list.value, table, value);
    return true;
}

/* `start` is where the function's name stands; the next character is its '('. */
static bool read_call(reader *r, size_t start, const path *name, dal_value *value)
{
    size_t open = r->at++;
    char buffer[120], near[96];
    const dal_function *function = name->primes ? NULL : dal_function_find(name->text);
    if (!function)
        return fail(r, start, "unknown function '%s'%s", spelled(name, buffer), dal_nearest_function(name->text, near));
    if (function->op == DAL_OP_INTERP)
        return read_interp(r, start, open, function, value);
    arguments list = {0};
    if (!read_arguments(r, open, &list))
        return false;
    dal_sentence why;
    int culprit;
    if (function->op == DAL_OP_ABS && list.n == 1 && list.value[0].n > 1) /* |v| */
        function = dal_function_find("norm");
    if (function->op >= DAL_FUNCTION_DOT && r->parser->product &&
        r->parser->product(r->parser->user, (dal_vector_function)(function->op - DAL_FUNCTION_DOT), list.n, list.value, value))
        return true;
    if (dal_apply_function(r->graph, function, list.n, list.value, value, &culprit, why)) {
        note_unit(r, function->name, start, list.n, list.value, -1, value);
        return true;
    }
    return fail(r, culprit < 0 ? start : list.at[culprit], "%s", why);
}

/* ---- the grammar --------------------------------------------------------------- */

static bool read_vector(reader *r, dal_value *value)
{
    size_t open = r->at++;
    dal_value components[3];
    *value = (dal_value){0, {DAL_NO_NODE, DAL_NO_NODE, DAL_NO_NODE}, 0};
    do {
        skip_blanks(r);
        size_t at = r->at;
        dal_value component;
        if (!read_expression(r, &component))
            return false;
        if (component.n > 1)
            return fail(r, at, "a component of a vector is a scalar, a vector of %d given", component.n);
        if (value->n == 3)
            return fail(r, at, "a vector has 2 or 3 components, a fourth is given");
        components[value->n] = component;
        value->node[value->n++] = component.node[0];
    } while (accept_character(r, ','));
    if (!close_with(r, ']', open))
        return false;
    if (value->n < 2)
        return fail(r, open, "a vector has 2 or 3 components, 1 given");
    note_unit(r, "[", open, value->n, components, -1, value);
    return true;
}

/* A prime behind brackets that opened at `start`. */
static bool differentiate_bracket(reader *r, size_t start, dal_value *value)
{
    for (; r->parser->rate && r->text[r->at] == '\''; r->at++)
        if (!r->parser->rate(r->parser->user, mark_at(r, start), value))
            return false;
    return true;
}

/* A name, or a call. A function of its own, as read_number: their buffers would enlarge the stack frame of every parenthesis. */
static __attribute__((noinline)) bool read_name(reader *r, dal_value *value)
{
    const size_t start = r->at;
    path name;
    if (!read_path(r, &name))
        return false;
    size_t behind = r->at;
    skip_blanks(r);
    if (r->text[r->at] == '(')
        return read_call(r, start, &name, value) && differentiate_bracket(r, start, value);
    r->at = behind;
    return resolve_name(r, start, &name, value);
}

static bool read_atom(reader *r, dal_value *value)
{
    skip_blanks(r);
    size_t start = r->at;
    char c = r->text[start];
    if (dal_is_digit(c) || (c == '.' && dal_is_digit(r->text[start + 1])))
        return read_number(r, value);
    if (c == '[')
        return read_vector(r, value);
    if (c == '(') {
        r->at++;
        return read_expression(r, value) && close_with(r, ')', start) && differentiate_bracket(r, start, value);
    }
    return dal_is_letter(c) ? read_name(r, value) : fail_expected(r, "a number, a name or '('");
}

/* Apply `op`, which stands at `at`; its right operand begins at `right`. */
static bool combine(reader *r, char op, size_t at, size_t right, dal_value *left, const dal_value *operand)
{
    dal_value result;
    dal_sentence why;
    int culprit;
    if (!dal_apply_operator(r->graph, op, left, operand, &result, &culprit, why))
        return fail(r, culprit == 1 ? right : at, "%s", why);
    const char name[2] = {op, 0};
    note_unit(r, name, at, 2, (const dal_value[]){*left, *operand}, -1, &result);
    *left = result;
    return true;
}

static bool read_power(reader *r, dal_value *value)
{
    if (!read_atom(r, value))
        return false;
    if (!accept_character(r, '^'))
        return true;
    size_t at = r->at - 1;
    skip_blanks(r);
    size_t right = r->at;
    dal_value exponent;
    return read_sign(r, &exponent) && combine(r, '^', at, right, value, &exponent);
}

/* Every nesting passes here. */
static bool read_sign(reader *r, dal_value *value)
{
    if (!enter_bracket(r))
        return false;
    bool fine;
    if (accept_character(r, '-')) {
        fine = read_sign(r, value);
        if (fine)
            *value = dal_negative(r->graph, value);
    } else if (accept_character(r, '+')) {
        fine = read_sign(r, value);
    } else {
        fine = read_power(r, value);
    }
    r->depth--;
    return fine;
}

/* Left-associative: operand {sign operand} with one of two signs. */
static bool read_chain(reader *r, const char *signs, bool (*read_operand)(reader *, dal_value *), dal_value *value)
{
    if (!read_operand(r, value))
        return false;
    for (;;) {
        skip_blanks(r);
        char sign = r->text[r->at];
        if (sign != signs[0] && sign != signs[1])
            return true;
        size_t at = r->at++;
        skip_blanks(r);
        size_t right = r->at;
        dal_value operand;
        if (!read_operand(r, &operand) || !combine(r, sign, at, right, value, &operand))
            return false;
    }
}

static bool read_product(reader *r, dal_value *value)
{
    return read_chain(r, "*/", read_sign, value);
}

static bool read_sum(reader *r, dal_value *value)
{
    return read_chain(r, "+-", read_product, value);
}

/* The comparison that stands here, or 0. Two characters long ones are named by a letter (dal_apply_operator). */
static char read_comparison(reader *r)
{
    skip_blanks(r);
    const char *s = r->text + r->at;
    char op = s[0] == '<'                  ? (s[1] == '=' ? 'l' : '<')
              : s[0] == '>'                ? (s[1] == '=' ? 'g' : '>')
              : s[0] == '=' && s[1] == '=' ? '='
              : s[0] == '!' && s[1] == '=' ? '!'
                                           : '\0';
    if (op)
        r->at += op == '<' || op == '>' ? 1 : 2;
    return op;
}

static bool read_expression(reader *r, dal_value *value)
{
    if (!read_sum(r, value))
        return false;
    skip_blanks(r);
    size_t at = r->at;
    char op = read_comparison(r);
    if (op) {
        skip_blanks(r);
        size_t right = r->at;
        dal_value operand;
        if (!read_sum(r, &operand) || !combine(r, op, at, right, value, &operand))
            return false;
        skip_blanks(r);
        at = r->at;
        if (read_comparison(r))
            return fail(r, at, "comparisons do not chain: write (a < b)*(b < c)");
    }
    return true;
}

bool dal_parse(const dal_parser *parser, const char *text, dal_mark mark, dal_value *value)
{
    reader r = {.parser = parser, .graph = parser->graph, .text = text, .mark = mark, .nodes_before = parser->graph->n};
    if (strnlen(text, LONGEST + 1) > LONGEST)
        return fail(&r, 0, "the expression is too long (more than %d characters)", LONGEST);
    skip_blanks(&r);
    if (!text[r.at])
        return fail(&r, 0, "the expression is empty");
    if (!read_expression(&r, value))
        return false;
    skip_blanks(&r);
    if (text[r.at])
        return fail_expected(&r, "an operator or the end");
    return true;
}

bool dal_parse_scalar(const dal_parser *parser, const char *text, dal_mark mark, dal_node *node)
{
    dal_value value;
    if (!dal_parse(parser, text, mark, &value))
        return false;
    if (value.n != 1) {
        dal_error(parser->messages, mark, "expected a scalar, but this is a vector of %d", value.n);
        return false;
    }
    *node = value.node[0];
    return true;
}
