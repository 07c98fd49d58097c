/* The expression graph: every node exists once (hash-consing), constants are folded when a node is made.
 *
 * Normal form. Each constructor applies its rules until none matches, so that a node that exists is returned
 * unchanged when it is built again from its operands; printing and parsing rely on that.
 *   + * min max == : a constant first, then the smaller node first
 *   x - c = -c + x    a + (-b) = a - b     a - (-b) = a + b     a - a = 0     x + x = 2 x
 *   0 x = 0   1 x = x   (-1) x = -x   (-a) b = -(a b)   c (d x) = (c d) x   x (c y) = c (x y)
 *   0 / x = 0   x / 1 = x   (-a) / b = -(a / b)   a / a is kept: it is undefined at a = 0
 *   x^0 = 1   x^1 = x   x^2 = x x   x^-1 = 1 / x   x^0.5 = sqrt(x)
 *   if(c, a, b): c is always a comparison, other conditions become c == 0 with the branches exchanged
 * A constant that would be infinite or NaN is never folded.
 */
#include "expr/graph.h"

#include <assert.h>

enum { SMOOTH = 1000, MOST_NODES = 1 << 24 };

dal_graph *dal_graph_create(dal_arena *arena)
{
    dal_graph *graph = DAL_NEW(arena, dal_graph, 1);
    graph->arena = arena;
    return graph;
}

static void *copy_array(dal_arena *arena, const void *from, size_t bytes)
{
    void *to = dal_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

dal_graph *dal_graph_copy(dal_arena *arena, const dal_graph *graph)
{
    dal_graph *copy = copy_array(arena, graph, sizeof *graph);
    copy->arena = arena;
    copy->terms = copy_array(arena, graph->terms, sizeof *graph->terms * (size_t)graph->n);
    copy->capacity = (size_t)graph->n;
    copy->buckets = copy_array(arena, graph->buckets, sizeof *graph->buckets * graph->n_buckets);
    copy->derived = copy_array(arena, graph->derived, sizeof *graph->derived * graph->derived_size);
    copy->names = copy_array(arena, graph->names, sizeof *graph->names * (size_t)graph->n_names);
    copy->name_capacity = (size_t)graph->n_names;
    copy->table_capacity = (size_t)graph->n_tables; /* a further one moves them */
    copy->stack = NULL;
    copy->stack_capacity = 0;
    copy->n_stack = 0;
    return copy;
}

/* ---- hash-consing ------------------------------------------------------- */

static uint64_t hash_term(const dal_term *term)
{
    uint64_t bits;
    memcpy(&bits, &term->value, sizeof bits);
    uint64_t h = dal_mix(bits + 0x9e3779b97f4a7c15u * (uint64_t)(term->op + 64 * term->order));
    h = dal_mix(h ^ ((uint64_t)(uint32_t)term->a << 32 | (uint32_t)term->b));
    return dal_mix(h ^ ((uint64_t)(uint32_t)term->c << 32 | (uint32_t)term->index));
}

static bool same_term(const dal_term *p, const dal_term *q)
{
    return p->op == q->op && p->order == q->order && p->a == q->a && p->b == q->b && p->c == q->c && p->index == q->index &&
           memcmp(&p->value, &q->value, sizeof p->value) == 0;
}

static void rehash(dal_graph *graph)
{
    graph->n_buckets = graph->n_buckets ? 2 * graph->n_buckets : 256;
    graph->buckets = DAL_NEW(graph->arena, int32_t, graph->n_buckets);
    memset(graph->buckets, 0xff, graph->n_buckets * sizeof *graph->buckets);
    for (int i = 0; i < graph->n; i++) {
        size_t at = hash_term(&graph->terms[i]) & (graph->n_buckets - 1);
        while (graph->buckets[at] >= 0)
            at = (at + 1) & (graph->n_buckets - 1);
        graph->buckets[at] = i;
    }
}

/* What follows from the operands: variables, smoothness, whether only modes change the value. */
static void inherit(const dal_graph *graph, dal_term *term)
{
    const dal_node operand[3] = {term->a, term->b, term->c};
    term->smooth = SMOOTH;
    term->steps = true;
    for (int i = 0; i < 3 && operand[i] >= 0; i++) {
        const dal_term *under = &graph->terms[operand[i]];
        term->variables |= under->variables;
        term->steps = term->steps && under->steps;
        if (under->smooth < term->smooth)
            term->smooth = under->smooth;
    }
    int own = SMOOTH;
    switch (term->op) {
    case DAL_OP_VAR:
        term->variables = (uint64_t)1 << (term->index % 64);
        term->steps = false;
        break;
    case DAL_OP_ABS:
    case DAL_OP_MIN:
    case DAL_OP_MAX: own = 1; break;
    case DAL_OP_SIGN:
    case DAL_OP_FLOOR:
    case DAL_OP_LESS:
    case DAL_OP_LEQ:
    case DAL_OP_EQUAL:
        own = 0;
        term->steps = true;
        break;
    case DAL_OP_MOD:
    case DAL_OP_SELECT: own = 0; break;
    case DAL_OP_INTERP: {
        const dal_table *table = &graph->tables[term->index];
        own = dal_table_smoothness(table, term->order);
        if (term->order >= (table->smooth ? 3 : 1))
            term->steps = true;
        break;
    }
    default: break;
    }
    if (term->variables && own < term->smooth)
        term->smooth = (int16_t)own;
}

static dal_node intern(dal_graph *graph, dal_term term)
{
    if (2 * (size_t)(graph->n + 1) > graph->n_buckets)
        rehash(graph);
    size_t at = hash_term(&term) & (graph->n_buckets - 1);
    for (; graph->buckets[at] >= 0; at = (at + 1) & (graph->n_buckets - 1))
        if (same_term(&graph->terms[graph->buckets[at]], &term))
            return graph->buckets[at];
    if (graph->n >= MOST_NODES)
        dal_arena_alloc(graph->arena, SIZE_MAX); /* jumps to the guard: a graph of this size counts as out of memory */
    inherit(graph, &term);
    graph->buckets[at] = graph->n;
    *DAL_PUSH(graph->arena, graph->terms, graph->n, graph->capacity) = term;
    return graph->n - 1;
}

static dal_node intern_op(dal_graph *graph, dal_op op, dal_node a, dal_node b, dal_node c)
{
    return intern(graph, (dal_term){.op = (int16_t)op, .a = a, .b = b, .c = c});
}

dal_node dal_const(dal_graph *graph, double value)
{
    return intern(graph, (dal_term){.op = DAL_OP_CONST,
                                    .value = value + 0.0, /* -0 becomes 0 */
                                    .a = DAL_NO_NODE,
                                    .b = DAL_NO_NODE,
                                    .c = DAL_NO_NODE});
}

dal_node dal_var(dal_graph *graph, int index)
{
    assert(index >= 0);
    return intern(graph, (dal_term){.op = DAL_OP_VAR, .index = index, .a = DAL_NO_NODE, .b = DAL_NO_NODE, .c = DAL_NO_NODE});
}

/* ---- folding ------------------------------------------------------------ */

double dal_fold_one(dal_op op, double x)
{
    switch (op) {
    case DAL_OP_NEG: return -x;
    case DAL_OP_COPY: return x;
    case DAL_OP_SIN: return sin(x);
    case DAL_OP_COS: return cos(x);
    case DAL_OP_TAN: return tan(x);
    case DAL_OP_ASIN: return asin(x);
    case DAL_OP_ACOS: return acos(x);
    case DAL_OP_ATAN: return atan(x);
    case DAL_OP_SINH: return sinh(x);
    case DAL_OP_COSH: return cosh(x);
    case DAL_OP_TANH: return tanh(x);
    case DAL_OP_SQRT: return sqrt(x);
    case DAL_OP_EXP: return exp(x);
    case DAL_OP_LOG: return log(x);
    case DAL_OP_ABS: return fabs(x);
    case DAL_OP_SIGN: return (x > 0) - (x < 0);
    case DAL_OP_FLOOR: return floor(x);
    default: assert(false && "not a unary operation"); return NAN;
    }
}

double dal_fold_two(dal_op op, double x, double y)
{
    switch (op) {
    case DAL_OP_ADD: return x + y;
    case DAL_OP_SUB: return x - y;
    case DAL_OP_MUL: return x * y;
    case DAL_OP_DIV: return y == 0 ? NAN : x / y;
    case DAL_OP_POW: return pow(x, y);
    case DAL_OP_ATAN2: return atan2(x, y);
    case DAL_OP_MIN: return x <= y ? x : y;
    case DAL_OP_MAX: return x >= y ? x : y;
    case DAL_OP_MOD: return y == 0 ? NAN : x - y * floor(x / y);
    case DAL_OP_LESS: return x < y;
    case DAL_OP_LEQ: return x <= y;
    case DAL_OP_EQUAL: return x == y;
    default: assert(false && "not a binary operation"); return NAN;
    }
}

dal_op dal_node_op(const dal_graph *graph, dal_node node)
{
    return (dal_op)graph->terms[node].op;
}

dal_node_view dal_node_read(const dal_graph *graph, dal_node node)
{
    const dal_term *term = &graph->terms[node];
    return (dal_node_view){(dal_op)term->op, term->a, term->b, term->c, term->index, term->value};
}

bool dal_is_const(const dal_graph *graph, dal_node node, double *value)
{
    const dal_term *term = &graph->terms[node];
    if (term->op != DAL_OP_CONST)
        return false;
    if (value)
        *value = term->value;
    return true;
}

int dal_node_operands(const dal_graph *graph, dal_node node, dal_node operand[3])
{
    const dal_term *term = &graph->terms[node];
    const dal_node all[3] = {term->a, term->b, term->c};
    int n = 0;
    if (term->op == DAL_OP_CONST || term->op == DAL_OP_VAR)
        return 0;
    while (n < 3 && all[n] >= 0) {
        operand[n] = all[n];
        n++;
    }
    return n;
}

int dal_node_index(const dal_graph *graph, dal_node node)
{
    return graph->terms[node].index;
}

int dal_node_order(const dal_graph *graph, dal_node node)
{
    return graph->terms[node].order;
}

int dal_graph_size(const dal_graph *graph)
{
    return graph->n;
}

static bool is(const dal_graph *graph, dal_node node, double value)
{
    const dal_term *term = &graph->terms[node];
    return term->op == DAL_OP_CONST && term->value == value;
}

/* c of c*x or c/x, with its sign; 0 for any other node. */
static double leading(const dal_graph *graph, dal_node node, int op)
{
    const dal_term *term = &graph->terms[node];
    double c;
    return term->op == op && dal_is_const(graph, term->a, &c) ? c : 0;
}

static bool is_neg(const dal_graph *graph, dal_node node)
{
    return graph->terms[node].op == DAL_OP_NEG;
}

/* Written with a minus in front: -x, (-2) x, (-2) / x. */
static bool is_negative(const dal_graph *graph, dal_node node)
{
    return is_neg(graph, node) || leading(graph, node, DAL_OP_MUL) < 0 || leading(graph, node, DAL_OP_DIV) < 0;
}

static dal_node negate(dal_graph *graph, dal_node a)
{
    return dal_unary(graph, DAL_OP_NEG, a);
}

dal_node dal_unary(dal_graph *graph, dal_op op, dal_node a)
{
    dal_term term = graph->terms[a];
    if (term.op == DAL_OP_CONST) {
        double value = dal_fold_one(op, term.value);
        if (isfinite(value))
            return dal_const(graph, value);
    }
    if (op == DAL_OP_NEG) {
        if (term.op == DAL_OP_NEG)
            return term.a;
        if (term.op == DAL_OP_SUB)
            return dal_binary(graph, DAL_OP_SUB, term.b, term.a);
        if ((term.op == DAL_OP_MUL || term.op == DAL_OP_DIV) && dal_is_const(graph, term.a, NULL))
            return dal_binary(graph, (dal_op)term.op, negate(graph, term.a), term.b);
    }
    return intern_op(graph, op, a, DAL_NO_NODE, DAL_NO_NODE);
}

static dal_node make_add(dal_graph *graph, dal_node a, dal_node b)
{
    if (is(graph, a, 0))
        return b;
    if (a == b)
        return dal_binary(graph, DAL_OP_MUL, dal_const(graph, 2), a);
    if (is_negative(graph, b))
        return dal_binary(graph, DAL_OP_SUB, a, negate(graph, b));
    if (is_negative(graph, a))
        return dal_binary(graph, DAL_OP_SUB, b, negate(graph, a));
    return intern_op(graph, DAL_OP_ADD, a, b, DAL_NO_NODE);
}

static dal_node make_sub(dal_graph *graph, dal_node a, dal_node b)
{
    if (a == b)
        return dal_const(graph, 0);
    if (is(graph, a, 0))
        return negate(graph, b);
    if (dal_is_const(graph, b, NULL) || is_negative(graph, b))
        return dal_binary(graph, DAL_OP_ADD, a, negate(graph, b));
    if (is_neg(graph, a))
        return negate(graph, dal_binary(graph, DAL_OP_ADD, graph->terms[a].a, b));
    return intern_op(graph, DAL_OP_SUB, a, b, DAL_NO_NODE);
}

/* The product of two constants, if it neither overflows nor vanishes. */
static bool times(double c, double d, double *product)
{
    *product = c * d;
    return isnormal(*product);
}

/* (-a) op b or a op (-b), a product or a quotient, is -(a op b). */
static dal_node pull_sign(dal_graph *graph, dal_op op, dal_node a, dal_node b)
{
    return negate(graph, is_neg(graph, a) ? dal_binary(graph, op, graph->terms[a].a, b) : dal_binary(graph, op, a, graph->terms[b].a));
}

static dal_node make_mul(dal_graph *graph, dal_node a, dal_node b)
{
    if (is(graph, a, 0) || is(graph, a, 1))
        return is(graph, a, 0) ? a : b;
    if (is(graph, a, -1))
        return negate(graph, b);
    if (is_neg(graph, a) || is_neg(graph, b))
        return pull_sign(graph, DAL_OP_MUL, a, b);
    double c, d = leading(graph, b, DAL_OP_MUL), product;
    dal_node rest = graph->terms[b].b;
    if (dal_is_const(graph, a, &c)) {
        if (d != 0 && times(c, d, &product))
            return dal_binary(graph, DAL_OP_MUL, dal_const(graph, product), rest);
    } else if (d != 0) {
        return dal_binary(graph, DAL_OP_MUL, dal_const(graph, d), dal_binary(graph, DAL_OP_MUL, a, rest));
    } else if ((d = leading(graph, a, DAL_OP_MUL)) != 0) {
        rest = graph->terms[a].b;
        return dal_binary(graph, DAL_OP_MUL, dal_const(graph, d), dal_binary(graph, DAL_OP_MUL, rest, b));
    }
    return intern_op(graph, DAL_OP_MUL, a, b, DAL_NO_NODE);
}

static dal_node make_div(dal_graph *graph, dal_node a, dal_node b)
{
    if (is(graph, a, 0) && !dal_is_const(graph, b, NULL))
        return a;
    if (is(graph, b, 1))
        return a;
    if (is(graph, b, -1))
        return negate(graph, a);
    if (is_neg(graph, a) || is_neg(graph, b))
        return pull_sign(graph, DAL_OP_DIV, a, b);
    return intern_op(graph, DAL_OP_DIV, a, b, DAL_NO_NODE);
}

static dal_node make_pow(dal_graph *graph, dal_node a, dal_node b)
{
    if (is(graph, b, 0) || is(graph, a, 1))
        return dal_const(graph, 1);
    if (is(graph, b, 1))
        return a;
    if (is(graph, b, 2))
        return dal_binary(graph, DAL_OP_MUL, a, a);
    if (is(graph, b, -1))
        return dal_binary(graph, DAL_OP_DIV, dal_const(graph, 1), a);
    if (is(graph, b, 0.5))
        return dal_unary(graph, DAL_OP_SQRT, a);
    return intern_op(graph, DAL_OP_POW, a, b, DAL_NO_NODE);
}

static bool commutes(dal_op op)
{
    return op == DAL_OP_ADD || op == DAL_OP_MUL || op == DAL_OP_MIN || op == DAL_OP_MAX || op == DAL_OP_EQUAL;
}

dal_node dal_binary(dal_graph *graph, dal_op op, dal_node a, dal_node b)
{
    double x, y;
    bool a_const = dal_is_const(graph, a, &x), b_const = dal_is_const(graph, b, &y);
    if (a_const && b_const) {
        double value = dal_fold_two(op, x, y);
        if (isfinite(value))
            return dal_const(graph, value);
    }
    if (commutes(op) && (a_const == b_const ? a > b : b_const)) {
        dal_node swap = a;
        a = b;
        b = swap;
    }
    switch (op) {
    case DAL_OP_ADD: return make_add(graph, a, b);
    case DAL_OP_SUB: return make_sub(graph, a, b);
    case DAL_OP_MUL: return make_mul(graph, a, b);
    case DAL_OP_DIV: return make_div(graph, a, b);
    case DAL_OP_POW: return make_pow(graph, a, b);
    case DAL_OP_MIN:
    case DAL_OP_MAX:
        if (a == b)
            return a;
        break;
    case DAL_OP_LESS:
    case DAL_OP_LEQ:
    case DAL_OP_EQUAL:
        if (a == b)
            return dal_const(graph, op != DAL_OP_LESS);
        break;
    default: break;
    }
    return intern_op(graph, op, a, b, DAL_NO_NODE);
}

dal_node dal_select(dal_graph *graph, dal_node condition, dal_node yes, dal_node no)
{
    double value;
    if (dal_is_const(graph, condition, &value))
        return value != 0 ? yes : no;
    if (yes == no)
        return yes;
    dal_term term = graph->terms[condition];
    if (!dal_is_comparison(term.op)) {
        bool inverse = term.op == DAL_OP_SUB && is(graph, term.a, 1) && dal_is_comparison(graph->terms[term.b].op);
        dal_node zero = inverse ? term.b : dal_binary(graph, DAL_OP_EQUAL, condition, dal_const(graph, 0));
        return dal_select(graph, zero, no, yes);
    }
    if (is(graph, yes, 1) && is(graph, no, 0))
        return condition;
    return intern_op(graph, DAL_OP_SELECT, condition, yes, no);
}

dal_node dal_interp(dal_graph *graph, int table, int order, dal_node x)
{
    assert(table >= 0 && table < graph->n_tables && order >= 0);
    const dal_table *data = &graph->tables[table];
    if (order > (data->smooth ? 3 : 1))
        return dal_const(graph, 0);
    double at, value;
    if (dal_is_const(graph, x, &at) && dal_table_value(data, order, at, &value) && isfinite(value))
        return dal_const(graph, value);
    return intern(graph, (dal_term){.op = DAL_OP_INTERP, .index = table, .order = (int16_t)order, .a = x, .b = DAL_NO_NODE, .c = DAL_NO_NODE});
}

/* ---- walks -------------------------------------------------------------- */

void dal_begin_walk(dal_graph *graph)
{
    if (++graph->stamp == 0) { /* the counter overflowed: clear the old stamps */
        for (int i = 0; i < graph->n; i++)
            graph->terms[i].stamp = 0;
        graph->stamp = 1;
    }
    graph->n_stack = 0;
}

/* Depth first; a node is listed when it comes to the top of the stack for the second time, as ~node. */
dal_node *dal_collect(dal_graph *graph, dal_node root, int *n)
{
    dal_node *list = NULL;
    size_t capacity = 0;
    *n = 0;
    dal_begin_walk(graph);
    dal_push_node(graph, root);
    while (graph->n_stack) {
        dal_node node = graph->stack[--graph->n_stack];
        if (node < 0) {
            *DAL_PUSH(graph->arena, list, *n, capacity) = ~node;
            continue;
        }
        dal_term *term = &graph->terms[node];
        if (term->stamp == graph->stamp)
            continue;
        term->stamp = graph->stamp;
        dal_push_node(graph, ~node);
        const dal_node operand[3] = {term->c, term->b, term->a};
        for (int i = 0; i < 3; i++)
            if (operand[i] >= 0)
                dal_push_node(graph, operand[i]);
    }
    return list;
}

bool dal_depends(dal_graph *graph, dal_node node, int variable)
{
    int bit = variable % 64;
    dal_begin_walk(graph);
    dal_push_node(graph, node);
    while (graph->n_stack) {
        dal_term *term = &graph->terms[graph->stack[--graph->n_stack]];
        if (term->stamp == graph->stamp || !(term->variables >> bit & 1))
            continue;
        term->stamp = graph->stamp;
        if (term->op == DAL_OP_VAR && term->index == variable)
            return true;
        const dal_node operand[3] = {term->a, term->b, term->c};
        for (int i = 0; i < 3 && operand[i] >= 0; i++)
            dal_push_node(graph, operand[i]);
    }
    return false;
}

void dal_each_var(dal_graph *graph, dal_node node, void (*visit)(void *user, int variable), void *user)
{
    int n;
    const dal_term *term = &graph->terms[node];
    if (term->op == DAL_OP_VAR || term->op == DAL_OP_CONST) { /* most recorded columns are variables */
        if (term->op == DAL_OP_VAR)
            visit(user, term->index);
        return;
    }
    dal_node *list = dal_collect(graph, node, &n); /* complete before `visit` may walk the graph itself */
    for (int i = 0; i < n; i++)
        if (graph->terms[list[i]].op == DAL_OP_VAR)
            visit(user, graph->terms[list[i]].index);
}

int dal_smoothness(dal_graph *graph, dal_node node)
{
    return graph->terms[node].smooth;
}

void dal_graph_note_name(dal_graph *graph, int variable, const char *name)
{
    while (graph->n_names <= variable)
        *DAL_PUSH(graph->arena, graph->names, graph->n_names, graph->name_capacity) = NULL;
    if (!graph->names[variable])
        graph->names[variable] = dal_arena_copy(graph->arena, name, strlen(name));
}
