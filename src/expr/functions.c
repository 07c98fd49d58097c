/* The functions and operators of the language, applied to scalars and vectors.
 *
 * Vectors are lists of scalar nodes: the graph itself has scalars only. Every refusal names the arguments.
 *   a + b, a - b        equal lengths         c v, v c, v / c     a scalar and a vector
 *   dot(a, b) = sum a_i b_i                   norm(a) = sqrt(dot(a, a)), also abs(a) of a vector
 *   cross(a, b)         three: the vector product; two: the scalar a_x b_y - a_y b_x
 *   if(c, a, b)         also chooses between vectors
 */
#include "expr/graph.h"

#include <stdio.h>

static const dal_function functions[] = {
    {"sin", 1, 1, DAL_OP_SIN},       {"cos", 1, 1, DAL_OP_COS},       {"tan", 1, 1, DAL_OP_TAN},           {"asin", 1, 1, DAL_OP_ASIN},
    {"acos", 1, 1, DAL_OP_ACOS},     {"atan", 1, 1, DAL_OP_ATAN},     {"atan2", 2, 2, DAL_OP_ATAN2},       {"sinh", 1, 1, DAL_OP_SINH},
    {"cosh", 1, 1, DAL_OP_COSH},     {"tanh", 1, 1, DAL_OP_TANH},     {"sqrt", 1, 1, DAL_OP_SQRT},         {"exp", 1, 1, DAL_OP_EXP},
    {"log", 1, 1, DAL_OP_LOG},       {"abs", 1, 1, DAL_OP_ABS},       {"sign", 1, 1, DAL_OP_SIGN},         {"floor", 1, 1, DAL_OP_FLOOR},
    {"mod", 2, 2, DAL_OP_MOD},       {"min", 2, 0, DAL_OP_MIN},       {"max", 2, 0, DAL_OP_MAX},           {"if", 3, 3, DAL_OP_SELECT},
    {"interp", 2, 3, DAL_OP_INTERP}, {"dot", 2, 2, DAL_FUNCTION_DOT}, {"cross", 2, 2, DAL_FUNCTION_CROSS}, {"norm", 1, 1, DAL_FUNCTION_NORM},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

#define CALLABLE                                                                                                                                     \
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "sqrt", "exp", "log", "abs", "sign", "floor", "mod", "min", "max", \
        "if", "interp", "dot", "cross", "norm"

static const char *const names[] = {CALLABLE, "t", "pi", "deg", NULL};
static const char *const callable[] = {CALLABLE, NULL};

const char *const *dal_function_names(void)
{
    return names;
}

bool dal_is_reserved(const char *name)
{
    for (const char *const *known = names; *known; known++)
        if (strcmp(*known, name) == 0)
            return true;
    return false;
}

const dal_function *dal_function_find(const char *name)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (functions[i].name[0] == name[0] && strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

/* Functions of other languages and their names here; else the nearest name by spelling. */
const char *dal_nearest_function(const char *name, char buffer[96])
{
    /* clang-format off */
    static const char *const foreign[][2] = {
        {"ln", "log"},          {"arcsin", "asin"},     {"arccos", "acos"},       {"arctan", "atan"},    {"arctan2", "atan2"},
        {"pow", "a^b"},         {"fabs", "abs"},        {"fmod", "mod"},          {"fmin", "min"},       {"fmax", "max"},
        {"sgn", "sign"},        {"ceil", "-floor(-x)"}, {"round", "floor(x + 0.5)"}, {"int", "floor"},   {"length", "norm"},
        {"step", "x >= a"},     {"where", "if"},        {"select", "if"},         {"square", "x^2"},     {"lookup", "interp"}};
    /* clang-format on */
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (strcmp(foreign[i][0], name) == 0) {
            snprintf(buffer, 96, " (did you mean '%s'?)", foreign[i][1]);
            return buffer;
        }
    return dal_did_you_mean(name, callable, buffer);
}

/* ---- sentences ------------------------------------------------------------ */

static const char *kind(const dal_value *value)
{
    return value->n == 1 ? "a scalar" : value->n == 2 ? "a vector of 2" : "a vector of 3";
}

static bool refuse_arguments(dal_sentence why, int *culprit, int who, const char *format, ...) DAL_PRINTF(4, 5);
static bool refuse_arguments(dal_sentence why, int *culprit, int who, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof(dal_sentence), format, list);
    va_end(list);
    *culprit = who;
    return false;
}

static dal_value scalar(dal_node node)
{
    return (dal_value){1, {node, DAL_NO_NODE, DAL_NO_NODE}, 0};
}

/* Constant operands without a constant result: folding gave infinity or NaN. */
static bool is_broken(const dal_graph *graph, int n, const dal_value *arguments, const dal_value *result)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < arguments[i].n; k++)
            if (!dal_is_const(graph, arguments[i].node[k], NULL))
                return false;
    for (int k = 0; k < result->n; k++)
        if (!dal_is_const(graph, result->node[k], NULL))
            return true;
    return false;
}

/* ---- operators ------------------------------------------------------------ */

dal_value dal_negative(dal_graph *graph, const dal_value *a)
{
    dal_value result = *a;
    for (int i = 0; i < a->n; i++)
        result.node[i] = dal_unary(graph, DAL_OP_NEG, a->node[i]);
    return result;
}

/* op on corresponding components; a scalar goes with every component. */
static dal_value componentwise(dal_graph *graph, dal_op op, const dal_value *a, const dal_value *b)
{
    dal_value result = {a->n > b->n ? a->n : b->n, {DAL_NO_NODE, DAL_NO_NODE, DAL_NO_NODE}, 0};
    for (int i = 0; i < result.n; i++)
        result.node[i] = dal_binary(graph, op, a->node[a->n == 1 ? 0 : i], b->node[b->n == 1 ? 0 : i]);
    return result;
}

static bool compare_nodes(dal_graph *graph, char op, dal_node a, dal_node b, dal_value *result)
{
    dal_node node;
    switch (op) {
    case '<': node = dal_binary(graph, DAL_OP_LESS, a, b); break;
    case '>': node = dal_binary(graph, DAL_OP_LESS, b, a); break;
    case 'l': node = dal_binary(graph, DAL_OP_LEQ, a, b); break;
    case 'g': node = dal_binary(graph, DAL_OP_LEQ, b, a); break;
    case '=': node = dal_binary(graph, DAL_OP_EQUAL, a, b); break;
    default: node = dal_binary(graph, DAL_OP_SUB, dal_const(graph, 1), dal_binary(graph, DAL_OP_EQUAL, a, b));
    }
    *result = scalar(node);
    return true;
}

static bool divide(dal_graph *graph, const dal_value *a, const dal_value *b, dal_value *result, int *culprit, dal_sentence why)
{
    double value;
    if (b->n > 1)
        return refuse_arguments(why, culprit, 1, "cannot divide by %s", kind(b));
    if (dal_is_const(graph, b->node[0], &value) && value == 0)
        return refuse_arguments(why, culprit, 1, "division by the constant zero");
    *result = componentwise(graph, DAL_OP_DIV, a, b);
    return true;
}

static bool operate(dal_graph *graph, char op, const dal_value *a, const dal_value *b, dal_value *result, int *culprit, dal_sentence why)
{
    switch (op) {
    case '+':
        if (a->n != b->n)
            return refuse_arguments(why, culprit, -1, "cannot add %s and %s", kind(a), kind(b));
        *result = componentwise(graph, DAL_OP_ADD, a, b);
        return true;
    case '-':
        if (a->n != b->n)
            return refuse_arguments(why, culprit, -1, "cannot subtract %s from %s", kind(b), kind(a));
        *result = componentwise(graph, DAL_OP_SUB, a, b);
        return true;
    case '*':
        if (a->n > 1 && b->n > 1)
            return refuse_arguments(why, culprit, -1, "cannot multiply two vectors: use dot or cross");
        *result = componentwise(graph, DAL_OP_MUL, a, b);
        return true;
    case '/': return divide(graph, a, b, result, culprit, why);
    case '^':
        if (a->n > 1)
            return refuse_arguments(why, culprit, -1, "cannot raise %s to a power", kind(a));
        if (b->n > 1)
            return refuse_arguments(why, culprit, 1, "an exponent is a scalar, %s given", kind(b));
        *result = componentwise(graph, DAL_OP_POW, a, b);
        return true;
    default:
        if (a->n > 1 || b->n > 1)
            return refuse_arguments(why, culprit, -1, "cannot compare %s and %s", kind(a), kind(b));
        return compare_nodes(graph, op, a->node[0], b->node[0], result);
    }
}

bool dal_apply_operator(dal_graph *graph, char op, const dal_value *a, const dal_value *b, dal_value *result, int *culprit, dal_sentence why)
{
    const dal_value both[2] = {*a, *b};
    if (!operate(graph, op, a, b, result, culprit, why))
        return false;
    if (is_broken(graph, 2, both, result))
        return refuse_arguments(why, culprit, -1, "the result of '%c' is not a finite number", op);
    return true;
}

/* ---- functions ------------------------------------------------------------ */

static bool count_arguments(const dal_function *function, int n, int *culprit, dal_sentence why)
{
    if (n >= function->minimum && (function->maximum == 0 || n <= function->maximum))
        return true;
    const char *plural = function->maximum == 1 ? "" : "s";
    if (function->maximum == 0)
        return refuse_arguments(why, culprit, -1, "%s takes %d or more arguments, %d given", function->name, function->minimum, n);
    if (function->maximum != function->minimum)
        return refuse_arguments(why, culprit, -1, "%s takes %d or %d arguments, %d given", function->name, function->minimum, function->maximum, n);
    return refuse_arguments(why, culprit, -1, "%s takes %d argument%s, %d given", function->name, function->minimum, plural, n);
}

static dal_node dot(dal_graph *graph, const dal_value *a, const dal_value *b)
{
    dal_node sum = dal_const(graph, 0);
    for (int i = 0; i < a->n; i++)
        sum = dal_binary(graph, DAL_OP_ADD, sum, dal_binary(graph, DAL_OP_MUL, a->node[i], b->node[i]));
    return sum;
}

/* a_i b_j - a_j b_i */
static dal_node minor(dal_graph *graph, const dal_value *a, const dal_value *b, int i, int j)
{
    return dal_binary(graph, DAL_OP_SUB, dal_binary(graph, DAL_OP_MUL, a->node[i], b->node[j]),
                      dal_binary(graph, DAL_OP_MUL, a->node[j], b->node[i]));
}

static dal_value cross(dal_graph *graph, const dal_value *a, const dal_value *b)
{
    if (a->n == 2)
        return scalar(minor(graph, a, b, 0, 1));
    return (dal_value){3, {minor(graph, a, b, 1, 2), minor(graph, a, b, 2, 0), minor(graph, a, b, 0, 1)}, 0};
}

static bool apply_vector(dal_graph *graph, const dal_function *function, int n, const dal_value *v, dal_value *result, int *culprit, dal_sentence why)
{
    for (int i = 0; i < n; i++)
        if (v[i].n == 1)
            return refuse_arguments(why, culprit, i, "%s takes vectors, a scalar given%s", function->name,
                                    function->op == DAL_FUNCTION_NORM ? " (abs takes scalars)" : "");
    if (n == 2 && v[0].n != v[1].n)
        return refuse_arguments(why, culprit, 1, "%s takes two vectors of equal length, %s and %s given", function->name, kind(&v[0]), kind(&v[1]));
    if (function->op == DAL_FUNCTION_DOT)
        *result = scalar(dot(graph, &v[0], &v[1]));
    else if (function->op == DAL_FUNCTION_CROSS)
        *result = cross(graph, &v[0], &v[1]);
    else
        *result = scalar(dal_unary(graph, DAL_OP_SQRT, dot(graph, &v[0], &v[0])));
    return true;
}

static bool apply_if(dal_graph *graph, const dal_value *v, dal_value *result, int *culprit, dal_sentence why)
{
    if (v[0].n > 1)
        return refuse_arguments(why, culprit, 0, "the condition of if is a scalar, %s given", kind(&v[0]));
    if (v[1].n != v[2].n)
        return refuse_arguments(why, culprit, 2, "the branches of if differ: %s and %s", kind(&v[1]), kind(&v[2]));
    *result = v[1];
    for (int i = 0; i < v[1].n; i++)
        result->node[i] = dal_select(graph, v[0].node[0], v[1].node[i], v[2].node[i]);
    return true;
}

static bool apply_scalar(dal_graph *graph, const dal_function *function, int n, const dal_value *v, dal_value *result, int *culprit, dal_sentence why)
{
    for (int i = 0; i < n; i++)
        if (v[i].n > 1)
            return refuse_arguments(why, culprit, i, "%s takes scalars, %s given", function->name, kind(&v[i]));
    double divisor;
    if (function->op == DAL_OP_MOD && dal_is_const(graph, v[1].node[0], &divisor) && divisor == 0)
        return refuse_arguments(why, culprit, 1, "division by the constant zero");
    dal_op op = (dal_op)function->op;
    dal_node node = n == 1 ? dal_unary(graph, op, v[0].node[0]) : v[0].node[0];
    for (int i = 1; i < n; i++)
        node = dal_binary(graph, op, node, v[i].node[0]);
    *result = scalar(node);
    return true;
}

bool dal_apply_function(dal_graph *graph, const dal_function *function, int n, const dal_value *arguments, dal_value *result, int *culprit,
                        dal_sentence why)
{
    if (!count_arguments(function, n, culprit, why))
        return false;
    bool fine = function->op >= DAL_FUNCTION_DOT ? apply_vector(graph, function, n, arguments, result, culprit, why)
                : function->op == DAL_OP_SELECT  ? apply_if(graph, arguments, result, culprit, why)
                                                 : apply_scalar(graph, function, n, arguments, result, culprit, why);
    if (!fine)
        return false;
    if (is_broken(graph, n, arguments, result)) {
        char number[32];
        double value = 0;
        dal_is_const(graph, arguments[0].node[0], &value);
        dal_print_number(value, number);
        if (n == 1 && arguments[0].n == 1)
            return refuse_arguments(why, culprit, -1, "%s(%s) is not a finite number", function->name, number);
        return refuse_arguments(why, culprit, -1, "the result of %s is not a finite number", function->name);
    }
    return true;
}
