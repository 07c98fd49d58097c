/* Exact derivatives, graph to graph.
 *
 * One rule per operation, in terms of the operands u, v and their derivatives u', v'; the chain rule is the walk
 * over the graph, operands first. Every node is differentiated once: a derivative has at most a fixed multiple
 * of the nodes of its expression, and dal_diff remembers it.
 * Switching operations are differentiated piece by piece; the modes of the program handle the switch itself.
 */
#include "expr/graph.h"

#include <assert.h>

/* clang-format off */
static dal_node add(dal_graph *g, dal_node a, dal_node b) { return dal_binary(g, DAL_OP_ADD, a, b); }
static dal_node sub(dal_graph *g, dal_node a, dal_node b) { return dal_binary(g, DAL_OP_SUB, a, b); }
static dal_node mul(dal_graph *g, dal_node a, dal_node b) { return dal_binary(g, DAL_OP_MUL, a, b); }
static dal_node quotient(dal_graph *g, dal_node a, dal_node b) { return dal_binary(g, DAL_OP_DIV, a, b); }
static dal_node one(dal_graph *g) { return dal_const(g, 1); }
static dal_node square(dal_graph *g, dal_node a) { return mul(g, a, a); }
/* clang-format on */

/* (u^v)' = v u^(v-1) u' + u^v log(u) v'; without v' no logarithm, so that u may be zero or negative. */
static dal_node derive_power(dal_graph *g, dal_node node, dal_term t, dal_node du, dal_node dv)
{
    dal_node lower = dal_binary(g, DAL_OP_POW, t.a, sub(g, t.b, one(g)));
    dal_node slope = mul(g, mul(g, t.b, lower), du);
    if (dal_is_const(g, dv, NULL) && g->terms[dv].value == 0)
        return slope;
    return add(g, slope, mul(g, mul(g, node, dal_unary(g, DAL_OP_LOG, t.a)), dv));
}

/* f'(u) of a function of one argument. */
static dal_node derive_function(dal_graph *g, dal_node node, dal_term t)
{
    dal_node u = t.a;
    switch (t.op) {
    case DAL_OP_SIN: return dal_unary(g, DAL_OP_COS, u);
    case DAL_OP_COS: return dal_unary(g, DAL_OP_NEG, dal_unary(g, DAL_OP_SIN, u));
    case DAL_OP_TAN: return add(g, one(g), square(g, node));
    case DAL_OP_ASIN: return quotient(g, one(g), dal_unary(g, DAL_OP_SQRT, sub(g, one(g), square(g, u))));
    case DAL_OP_ACOS: return quotient(g, dal_const(g, -1), dal_unary(g, DAL_OP_SQRT, sub(g, one(g), square(g, u))));
    case DAL_OP_ATAN: return quotient(g, one(g), add(g, one(g), square(g, u)));
    case DAL_OP_SINH: return dal_unary(g, DAL_OP_COSH, u);
    case DAL_OP_COSH: return dal_unary(g, DAL_OP_SINH, u);
    case DAL_OP_TANH: return sub(g, one(g), square(g, node));
    case DAL_OP_SQRT: return quotient(g, dal_const(g, 0.5), node);
    case DAL_OP_EXP: return node;
    case DAL_OP_LOG: return quotient(g, one(g), u);
    case DAL_OP_ABS: return dal_unary(g, DAL_OP_SIGN, u);
    case DAL_OP_INTERP: return dal_interp(g, t.index, t.order + 1, u);
    default: assert(false && "no such function"); return DAL_NO_NODE;
    }
}

/* The derivative of one node from those of its operands. */
static dal_node derive(dal_graph *g, dal_node node, dal_node du, dal_node dv, dal_node dw)
{
    dal_term t = g->terms[node];
    switch (t.op) {
    case DAL_OP_ADD: return add(g, du, dv);
    case DAL_OP_SUB: return sub(g, du, dv);
    case DAL_OP_MUL: return add(g, mul(g, du, t.b), mul(g, t.a, dv));
    case DAL_OP_DIV: return quotient(g, sub(g, du, mul(g, node, dv)), t.b); /* (u' - (u/v) v') / v */
    case DAL_OP_POW: return derive_power(g, node, t, du, dv);
    case DAL_OP_NEG: return dal_unary(g, DAL_OP_NEG, du);
    case DAL_OP_COPY: return du;
    case DAL_OP_ATAN2: /* (v u' - u v') / (u^2 + v^2) */
        return quotient(g, sub(g, mul(g, t.b, du), mul(g, t.a, dv)), add(g, square(g, t.a), square(g, t.b)));
    case DAL_OP_MIN: return dal_select(g, dal_binary(g, DAL_OP_LEQ, t.a, t.b), du, dv);
    case DAL_OP_MAX: return dal_select(g, dal_binary(g, DAL_OP_LEQ, t.b, t.a), du, dv);
    case DAL_OP_MOD: return sub(g, du, mul(g, dal_unary(g, DAL_OP_FLOOR, quotient(g, t.a, t.b)), dv));
    case DAL_OP_SELECT: return dal_select(g, t.a, dv, dw);
    case DAL_OP_SIGN:
    case DAL_OP_FLOOR:
    case DAL_OP_LESS:
    case DAL_OP_LEQ:
    case DAL_OP_EQUAL:
    case DAL_OP_CONST: return dal_const(g, 0);
    default: return mul(g, derive_function(g, node, t), du);
    }
}

/* ---- by one variable ----------------------------------------------------- */

static dal_derived *find_derived(dal_derived *table, size_t size, dal_node node, int variable)
{
    size_t at = dal_mix((uint64_t)(uint32_t)node << 32 | (uint32_t)variable) & (size - 1);
    while (table[at].node >= 0 && (table[at].node != node || table[at].variable != variable))
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void store_memo(dal_graph *graph, dal_node node, int variable, dal_node result)
{
    if (2 * (graph->n_derived + 1) > graph->derived_size) {
        size_t size = graph->derived_size ? 2 * graph->derived_size : 64;
        dal_derived *fresh = DAL_NEW(graph->arena, dal_derived, size);
        for (size_t i = 0; i < size; i++)
            fresh[i].node = DAL_NO_NODE;
        for (size_t i = 0; i < graph->derived_size; i++) {
            dal_derived old = graph->derived[i];
            if (old.node >= 0)
                *find_derived(fresh, size, old.node, old.variable) = old;
        }
        graph->derived = fresh;
        graph->derived_size = size;
    }
    *find_derived(graph->derived, graph->derived_size, node, variable) = (dal_derived){node, result, variable};
    graph->n_derived++;
}

/* The known derivative, or DAL_NO_NODE. */
static dal_node find_memo(dal_graph *graph, dal_node node, int variable)
{
    const dal_term *term = &graph->terms[node];
    if (!(term->variables >> (variable % 64) & 1))
        return dal_const(graph, 0);
    if (term->op == DAL_OP_VAR)
        return dal_const(graph, term->index == variable);
    if (!graph->derived_size)
        return DAL_NO_NODE;
    const dal_derived *derived = find_derived(graph->derived, graph->derived_size, node, variable);
    return derived->node >= 0 ? derived->result : DAL_NO_NODE;
}

dal_node dal_diff(dal_graph *graph, dal_node node, int variable)
{
    assert(variable >= 0);
    graph->n_stack = 0;
    dal_push_node(graph, node);
    while (graph->n_stack) {
        dal_node top = graph->stack[graph->n_stack - 1];
        if (find_memo(graph, top, variable) >= 0) {
            graph->n_stack--;
            continue;
        }
        const dal_node operand[3] = {graph->terms[top].a, graph->terms[top].b, graph->terms[top].c};
        dal_node d[3] = {DAL_NO_NODE, DAL_NO_NODE, DAL_NO_NODE};
        bool ready = true;
        for (int i = 0; i < 3 && operand[i] >= 0; i++) {
            d[i] = find_memo(graph, operand[i], variable);
            if (d[i] < 0) {
                ready = false;
                dal_push_node(graph, operand[i]);
            }
        }
        if (ready)
            store_memo(graph, top, variable, derive(graph, top, d[0], d[1], d[2]));
    }
    return find_memo(graph, node, variable);
}

/* ---- along given rates ---------------------------------------------------- */

dal_node dal_rate(dal_graph *graph, dal_node node, dal_node (*rate)(void *user, dal_graph *graph, int variable), void *user)
{
    return dal_rewrite(graph, node, rate, user, dal_const(graph, 0), derive);
}
