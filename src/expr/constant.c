/* Constant expressions without a graph. Most texts of a model are constant.
 *
 *   sum := product {("+" | "-") product}     product := sign {("*" | "/") sign}     sign := ("-" | "+") sign | power
 *   power := atom ["^" sign]                 atom := number | name | function "(" sum ")" | "(" sum ")"
 *
 * The same grammar as in parse.c, less vectors, comparisons, functions of several arguments, tables and names with braces or primes; the same
 * operations on the same numbers in the same order, by the functions that fold the constants of a graph. All other texts, and faulty ones, go to the
 * parser, which has the messages.
 *
 * The operations can be recorded, in the order in which they are done on a stack: the same text with other values of its names is then
 * computed without reading it.
 */
#include "expr/graph.h"

#include "base/words.h"

enum { DEEPEST = 50, LONGEST_NAME = 63 };

typedef struct scan {
    const char *at;
    dal_resolve_constant resolve;
    void *user;
    int depth;
    dal_constant_steps *record; /* NULL: operations are not recorded */
    int height;                 /* of the stack on which they work */
} scan;

static bool read_sum(scan *s, double *value);
static bool read_sign(scan *s, double *value);

static char next(scan *s)
{
    while (dal_is_blank(*s->at))
        s->at++;
    return *s->at;
}

/* As a node would hold it. */
static bool set_number(double *value, double x)
{
    *value = x + 0.0; /* -0 becomes 0 */
    return isfinite(x);
}

static void record_step(scan *s, dal_constant_step step)
{
    dal_constant_steps *c = s->record;
    if (!c)
        return;
    s->height += 1 - step.operands;
    c->too_high |= s->height > DAL_CONSTANT_STACK;
    *DAL_PUSH(c->arena, c->step, c->n, c->capacity) = step;
}

/* An operation on constant numbers is replaced by its result. */
static bool fold_record(scan *s, int operands, double result)
{
    dal_constant_steps *c = s->record;
    if (!c || c->n < operands)
        return false;
    for (int i = 1; i <= operands; i++)
        if (c->step[c->n - i].op != DAL_OP_CONST)
            return false;
    s->height += 1 - operands;
    c->n += 1 - operands;
    c->step[c->n - 1].number = result;
    return true;
}

static bool fold(scan *s, dal_op op, int operands, double *value, double x)
{
    const bool finite = set_number(value, x);
    if (!fold_record(s, operands, *value))
        record_step(s, (dal_constant_step){.op = op, .operands = operands});
    return finite;
}

static bool fold_one(scan *s, dal_op op, double *value)
{
    return fold(s, op, 1, value, dal_fold_one(op, *value));
}

static bool fold_two(scan *s, dal_op op, double *value, double operand)
{
    return fold(s, op, 2, value, dal_fold_two(op, *value, operand));
}

/* variable < 0: it is always this number. */
static bool put_number(scan *s, double *value, double x, int variable)
{
    record_step(s, (dal_constant_step){.op = variable < 0 ? DAL_OP_CONST : DAL_OP_VAR, .variable = variable, .number = x + 0.0});
    return set_number(value, x);
}

static bool read_number(scan *s, double *value)
{
    const char *start = s->at, *point = start, *end;
    int exponent = 0;
    while (dal_is_digit(*point))
        point++;
    end = point;
    if (*end == '.')
        while (dal_is_digit(*++end))
            ;
    const char *mantissa = end;
    if (*end == 'e' || *end == 'E') {
        const char *digit = end + 1 + (end[1] == '+' || end[1] == '-');
        for (end = digit; dal_is_digit(*end) && end - digit < 4; end++)
            exponent = 10 * exponent + (*end - '0');
        if (end == digit || dal_is_digit(*end))
            return false;
        if (mantissa[1] == '-')
            exponent = -exponent;
    }
    if (dal_is_letter(*end))
        return false;
    s->at = end;
    if (!dal_read_exactly(start, (size_t)(point - start), (size_t)(mantissa - start), exponent - (mantissa > point ? (int)(mantissa - point - 1) : 0),
                          value))
        return false;
    record_step(s, (dal_constant_step){.op = DAL_OP_CONST, .number = *value});
    return true;
}

static bool call(scan *s, const char *name, double *value)
{
    const dal_function *function = dal_function_find(name);
    if (!function || function->minimum != 1 || function->maximum != 1 || function->op >= DAL_FUNCTION_DOT)
        return false;
    s->at++;
    if (!read_sum(s, value) || next(s) != ')')
        return false;
    s->at++;
    return *s->at != '\'' && fold_one(s, (dal_op)function->op, value);
}

static bool read_name(scan *s, double *value)
{
    char name[LONGEST_NAME + 1];
    size_t n = 0;
    while (dal_is_letter(*s->at) || dal_is_digit(*s->at) || (*s->at == '.' && (dal_is_letter(s->at[1]) || dal_is_digit(s->at[1])))) {
        if (n == LONGEST_NAME)
            return false;
        name[n++] = *s->at++;
    }
    name[n] = '\0';
    if (*s->at == '.' || *s->at == '\'')
        return false;
    if (next(s) == '(')
        return call(s, name, value);
    if (!strcmp(name, "pi"))
        return put_number(s, value, 3.14159265358979323846, -1);
    if (!strcmp(name, "deg"))
        return put_number(s, value, 3.14159265358979323846 / 180, -1);
    double x;
    int variable = -1;
    return s->resolve(s->user, name, &x, &variable) && put_number(s, value, x, variable);
}

static bool read_atom(scan *s, double *value)
{
    const char c = next(s);
    if (dal_is_digit(c) || (c == '.' && dal_is_digit(s->at[1])))
        return read_number(s, value);
    if (dal_is_letter(c))
        return read_name(s, value);
    if (c != '(')
        return false;
    s->at++;
    if (!read_sum(s, value) || next(s) != ')')
        return false;
    s->at++;
    return *s->at != '\'';
}

static bool read_power(scan *s, double *value)
{
    double exponent;
    if (!read_atom(s, value))
        return false;
    if (next(s) != '^')
        return true;
    s->at++;
    return read_sign(s, &exponent) && fold_two(s, DAL_OP_POW, value, exponent);
}

static bool read_sign(scan *s, double *value)
{
    const char c = next(s);
    bool fine = s->depth++ < DEEPEST;
    if (fine && (c == '-' || c == '+')) {
        s->at++;
        fine = read_sign(s, value) && (c == '+' || fold_one(s, DAL_OP_NEG, value));
    } else if (fine) {
        fine = read_power(s, value);
    }
    s->depth--;
    return fine;
}

/* operand op operand op ..., from the left; the characters of two operations, and what they do. */
static inline bool read_chain(scan *s, bool (*read)(scan *s, double *value), const char sign[2], dal_op first, dal_op second, double *value)
{
    double operand;
    if (!read(s, value))
        return false;
    for (char c = next(s); c == sign[0] || c == sign[1]; c = next(s)) {
        s->at++;
        if (!read(s, &operand) || !fold_two(s, c == sign[0] ? first : second, value, operand))
            return false;
    }
    return true;
}

static bool read_product(scan *s, double *value)
{
    return read_chain(s, read_sign, "*/", DAL_OP_MUL, DAL_OP_DIV, value);
}

static bool read_sum(scan *s, double *value)
{
    return read_chain(s, read_product, "+-", DAL_OP_ADD, DAL_OP_SUB, value);
}

bool dal_parse_constant(const char *text, dal_resolve_constant resolve, void *user, dal_constant_steps *steps, double *value)
{
    scan s = {.at = text, .resolve = resolve, .user = user, .record = steps};
    return read_sum(&s, value) && !next(&s);
}

bool dal_constant_run(const dal_constant_steps *constant, const double *variable, double *value)
{
    double stack[DAL_CONSTANT_STACK], *top = stack - 1;
    for (const dal_constant_step *step = constant->step; step < constant->step + constant->n; step++) {
        double result;
        if (step->op == DAL_OP_CONST || step->op == DAL_OP_VAR)
            result = step->op == DAL_OP_CONST ? step->number : variable[step->variable];
        else
            result = step->operands == 1 ? dal_fold_one(step->op, top[0]) : dal_fold_two(step->op, top[-1], top[0]);
        top += 1 - step->operands;
        if (!set_number(top, result))
            return false;
    }
    *value = *top;
    return true;
}
