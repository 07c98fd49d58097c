/* Nodes as they are: a node that is used more than once gets a name, unless it is only a sign or a product with a number. Also the count of
 * operations. */
#include "derive/normal.h"

#include "derive/nodes.h"

#include <math.h>
#include <string.h>

/* ---- counting ------------------------------------------------------------------------ */

int dal_form_operations(const dal_form *form)
{
    int n = 0;
    for (int i = 0; i < form->n; i++)
        n += dal_form_operations(form->item[i]);
    switch (form->kind) {
    case DAL_FORM_NUMBER: return form->den != 1 && !dal_is_decimal(form->den);
    case DAL_FORM_LETTER:
    case DAL_FORM_NAMED: return 0;
    case DAL_FORM_SUM: /* a - b is one operation */
        n += form->n - 1;
        for (int i = 1; i < form->n; i++)
            n -= form->item[i]->kind == DAL_FORM_NEGATIVE;
        return n;
    case DAL_FORM_PRODUCT: return n + form->n - 1;
    case DAL_FORM_NEGATIVE:
    case DAL_FORM_QUOTIENT:
    case DAL_FORM_POWER:
    case DAL_FORM_FUNCTION: return n + 1;
    }
    return n;
}

/* Nodes under the roots, operands first. */
static dal_node *list_nodes(dal_derivation *d, int n_roots, const dal_node *roots, int *n)
{
    bool *seen = DAL_NEW(d->arena, bool, dal_graph_size(d->graph));
    dal_node *list = DAL_NEW(d->arena, dal_node, dal_graph_size(d->graph)), x[3];
    int most = -1;
    for (int i = 0; i < n_roots; i++) {
        seen[roots[i]] = true;
        most = roots[i] > most ? roots[i] : most;
    }
    *n = 0;
    for (dal_node node = most; node >= 0; node--) /* users of a node have larger numbers */
        for (int i = 0, m = seen[node] ? dal_node_operands(d->graph, node, x) : 0; i < m; i++)
            seen[x[i]] = true;
    for (dal_node node = 0; node <= most; node++)
        if (seen[node])
            list[(*n)++] = node;
    return list;
}

void dal_count_operations(dal_derivation *d, int n, const dal_node *nodes, double *written, int *shared)
{
    int m;
    const dal_node *list = list_nodes(d, n, nodes, &m);
    double *count = DAL_NEW(d->arena, double, dal_graph_size(d->graph));
    dal_node x[3];
    *shared = 0;
    *written = 0;
    for (int i = 0; i < m; i++) {
        const int operands = dal_node_operands(d->graph, list[i], x);
        *shared += operands > 0;
        count[list[i]] = operands > 0;
        for (int k = 0; k < operands; k++)
            count[list[i]] += count[x[k]];
    }
    for (int i = 0; i < n; i++)
        *written += count[nodes[i]];
}

/* ---- names for what is shared ------------------------------------------------------------ */

dal_writer *dal_writer_create(dal_derivation *d)
{
    dal_writer *w = DAL_NEW(d->arena, dal_writer, 1);
    w->d = d;
    return w;
}

/* Room for the data of every node. */
static void grow(dal_writer *w)
{
    const int n = dal_graph_size(w->d->graph);
    if (w->n_nodes >= n)
        return;
    const int room = n + n / 4;
    int *number_of = DAL_NEW(w->d->arena, int, room);
    const dal_form **form = DAL_NEW(w->d->arena, const dal_form *, room);
    for (int i = 0; i < room; i++)
        number_of[i] = i < w->n_nodes ? w->number_of[i] : -1;
    if (w->n_nodes)
        memcpy(form, w->form, sizeof *form * (size_t)w->n_nodes);
    w->number_of = number_of;
    w->form = form;
    w->n_nodes = room;
}

static const char *function_name(dal_op op)
{
    static const char *const names[DAL_OP_COUNT] = {
        [DAL_OP_SIN] = "sin",   [DAL_OP_COS] = "cos",     [DAL_OP_TAN] = "tan",     [DAL_OP_ASIN] = "asin",    [DAL_OP_ACOS] = "acos",
        [DAL_OP_ATAN] = "atan", [DAL_OP_ATAN2] = "atan2", [DAL_OP_SINH] = "sinh",   [DAL_OP_COSH] = "cosh",    [DAL_OP_TANH] = "tanh",
        [DAL_OP_SQRT] = "sqrt", [DAL_OP_EXP] = "exp",     [DAL_OP_LOG] = "log",     [DAL_OP_ABS] = "abs",      [DAL_OP_SIGN] = "sign",
        [DAL_OP_MIN] = "min",   [DAL_OP_MAX] = "max",     [DAL_OP_FLOOR] = "floor", [DAL_OP_MOD] = "mod",      [DAL_OP_LESS] = "less",
        [DAL_OP_LEQ] = "leq",   [DAL_OP_EQUAL] = "equal", [DAL_OP_SELECT] = "if",   [DAL_OP_INTERP] = "interp"};
    return names[op];
}

static const dal_form *constant_form(dal_derivation *d, double value)
{
    int64_t num, den;
    dal_form *minus = dal_form_make(d->arena, DAL_FORM_NEGATIVE, 1);
    const dal_form *size;
    if (dal_rational_of(fabs(value), &num, &den))
        size = dal_form_rational(d->arena, num, den);
    else {
        dal_form *letter = dal_form_make(d->arena, DAL_FORM_FUNCTION, 0); /* a number without a short fraction */
        letter->name = dal_arena_print(d->arena, "%.17g", fabs(value));
        size = letter;
    }
    minus->item[0] = size;
    return value < 0 ? minus : size;
}

static const dal_form *negative_of(dal_derivation *d, const dal_form *form)
{
    if (form->kind == DAL_FORM_NEGATIVE)
        return form->item[0];
    dal_form *minus = dal_form_make(d->arena, DAL_FORM_NEGATIVE, 1);
    minus->item[0] = form;
    return minus;
}

/* -(a - b) is -a + b in a sum. */
static const dal_form *negative_term(dal_derivation *d, const dal_form *form)
{
    if (form->kind != DAL_FORM_SUM)
        return negative_of(d, form);
    dal_form *sum = dal_form_make(d->arena, DAL_FORM_SUM, form->n);
    for (int i = 0; i < form->n; i++)
        sum->item[i] = negative_term(d, form->item[i]);
    return sum;
}

/* x x is x^2; the sign of a factor, numerator or denominator is put before the whole. NULL: the operation is not special. */
static const dal_form *product_form(dal_derivation *d, dal_op op, const dal_form *const *operand)
{
    if (op == DAL_OP_MUL && operand[0] == operand[1]) {
        dal_form *square = dal_form_make(d->arena, DAL_FORM_POWER, 1);
        square->item[0] = operand[0];
        square->exponent = 2;
        return square;
    }
    const bool first = operand[0]->kind == DAL_FORM_NEGATIVE, second = operand[1]->kind == DAL_FORM_NEGATIVE;
    if (!first && !second)
        return NULL;
    dal_form *form = dal_form_make(d->arena, op == DAL_OP_MUL ? DAL_FORM_PRODUCT : DAL_FORM_QUOTIENT, 2);
    for (int i = 0; i < 2; i++)
        form->item[i] = operand[i]->kind == DAL_FORM_NEGATIVE ? operand[i]->item[0] : operand[i];
    return first != second ? negative_of(d, form) : form;
}

const dal_form *dal_operation_form(dal_derivation *d, dal_node node, const dal_form *const *operand, int n)
{
    const dal_op op = dal_node_op(d->graph, node);
    double value;
    dal_form *form = NULL;
    const dal_form *product = op == DAL_OP_MUL || op == DAL_OP_DIV ? product_form(d, op, operand) : NULL;
    if (product)
        return product;
    switch (op) {
    case DAL_OP_CONST: dal_is_const(d->graph, node, &value); return constant_form(d, value);
    case DAL_OP_VAR:
        form = dal_form_make(d->arena, DAL_FORM_LETTER, 0);
        form->letter = dal_node_index(d->graph, node);
        return form;
    case DAL_OP_ADD:
    case DAL_OP_SUB: form = dal_form_make(d->arena, DAL_FORM_SUM, 2); break;
    case DAL_OP_MUL: form = dal_form_make(d->arena, DAL_FORM_PRODUCT, 2); break;
    case DAL_OP_DIV: form = dal_form_make(d->arena, DAL_FORM_QUOTIENT, 2); break;
    case DAL_OP_NEG: return negative_of(d, operand[0]);
    case DAL_OP_POW: form = dal_form_make(d->arena, DAL_FORM_POWER, 2); break;
    default:
        form = dal_form_make(d->arena, DAL_FORM_FUNCTION, n);
        form->name = function_name(op);
        if (op == DAL_OP_INTERP)
            form->name = dal_arena_print(d->arena, "interp(%s, ", d->spec->tables[dal_node_index(d->graph, node)].name.text);
        break;
    }
    for (int i = 0; i < n; i++)
        form->item[i] = operand[i];
    if (op == DAL_OP_SUB)
        form->item[1] = negative_term(d, operand[1]);
    if (op == DAL_OP_ADD && operand[1]->kind == DAL_FORM_NEGATIVE)
        form->item[1] = negative_term(d, operand[1]->item[0]);
    return form;
}

static bool is_sum(dal_op op)
{
    return op == DAL_OP_ADD || op == DAL_OP_SUB;
}

/* How the nodes of a list are used. */
typedef struct usage {
    int uses, length; /* operations down to letters and names */
    bool inside;      /* of a product or a function: a sum is a bracket there */
} usage;

/* Signs and bare letters do not get a name; a bracket does if it would need lines of its own. */
static bool needs_name(dal_derivation *d, dal_node node, const usage *u)
{
    enum { LONG_BRACKET = 9 };
    const dal_op op = dal_node_op(d->graph, node);
    if (op == DAL_OP_CONST || op == DAL_OP_VAR || op == DAL_OP_NEG)
        return false;
    return u->uses > 1 || (is_sum(op) && u->inside && u->length > LONG_BRACKET);
}

void dal_plain_forms(dal_writer *w, int n_roots, const dal_node *roots)
{
    dal_derivation *d = w->d;
    int n;
    grow(w);
    const dal_node *list = list_nodes(d, n_roots, roots, &n);
    const dal_form **form = w->form;
    usage *of = DAL_NEW(d->arena, usage, dal_graph_size(d->graph));
    dal_node x[3];
    for (int i = n - 1; i >= 0; i--) {
        const dal_op op = dal_node_op(d->graph, list[i]);
        for (int k = 0, m = dal_node_operands(d->graph, list[i], x); k < m; k++) {
            of[x[k]].uses++;
            of[x[k]].inside |= !is_sum(op) && (op != DAL_OP_NEG || of[list[i]].inside);
        }
    }
    for (int i = 0; i < n; i++) {
        const dal_form *operand[3];
        if (form[list[i]] && form[list[i]]->kind == DAL_FORM_NAMED)
            continue;
        const int m = dal_node_operands(d->graph, list[i], x);
        for (int k = 0; k < m; k++)
            operand[k] = form[x[k]];
        form[list[i]] = dal_operation_form(d, list[i], operand, m);
        of[list[i]].length = m > 0;
        for (int k = 0; k < m; k++)
            of[list[i]].length += form[x[k]]->kind == DAL_FORM_NAMED ? 0 : of[x[k]].length;
        if (w->number_of[list[i]] < 0 && !needs_name(d, list[i], &of[list[i]]))
            continue;
        if (w->number_of[list[i]] < 0) {
            w->number_of[list[i]] = w->n_intermediates;
            *DAL_PUSH(d->arena, w->intermediate, w->n_intermediates, w->cap_intermediates) = (dal_intermediate){list[i], form[list[i]]};
        }
        dal_form *name = dal_form_make(d->arena, DAL_FORM_NAMED, 0);
        name->letter = w->number_of[list[i]];
        form[list[i]] = name;
    }
}

const dal_form *dal_plain_form(dal_writer *w, dal_node root)
{
    if (root >= w->n_nodes || !w->form[root])
        dal_plain_forms(w, 1, &root);
    return w->form[root];
}

const dal_form *dal_some_form(dal_writer *w, dal_node node)
{
    const dal_form *form = dal_normal_form(w->d, node, NULL);
    double written;
    int shared;
    if (form) {
        const int operations = dal_form_operations(form);
        if (operations <= 40)
            return form;
        dal_count_operations(w->d, 1, &node, &written, &shared);
        if (operations <= 2 * shared)
            return form;
    }
    w->plain += !form;
    return dal_plain_form(w, node);
}
