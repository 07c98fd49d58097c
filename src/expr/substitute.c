/* Substitution: the same expression with other expressions in the place of its variables. The nodes are built again, operands first, so that
 * constants are folded. */
#include "expr/graph.h"

dal_node dal_node_rebuild(dal_graph *graph, dal_node node, dal_node a, dal_node b, dal_node c)
{
    const dal_term term = graph->terms[node];
    if (term.op == DAL_OP_INTERP)
        return dal_interp(graph, term.index, term.order, a);
    if (c >= 0)
        return dal_select(graph, a, b, c);
    if (b >= 0)
        return dal_binary(graph, (dal_op)term.op, a, b);
    return a >= 0 ? dal_unary(graph, (dal_op)term.op, a) : node;
}

dal_node dal_substitute(dal_graph *graph, dal_node node, dal_node (*by)(void *user, dal_graph *graph, int variable), void *user)
{
    return dal_rewrite(graph, node, by, user, DAL_NO_NODE, dal_node_rebuild);
}

dal_node dal_rewrite(dal_graph *graph, dal_node node, dal_node (*by)(void *user, dal_graph *graph, int variable), void *user, dal_node otherwise,
                     dal_node (*make)(dal_graph *graph, dal_node node, dal_node a, dal_node b, dal_node c))
{
    int n;
    dal_node *list = dal_collect(graph, node, &n), *fresh = DAL_NEW(graph->arena, dal_node, n);
    /* The variables first: `by` may walk the graph itself. */
    for (int i = 0; i < n; i++)
        if (graph->terms[list[i]].op == DAL_OP_VAR) {
            const dal_node given = by(user, graph, graph->terms[list[i]].index);
            fresh[i] = given != DAL_NO_NODE ? given : otherwise != DAL_NO_NODE ? otherwise : list[i];
        }
    for (int i = 0; i < n; i++)
        graph->terms[list[i]].slot = i;
    for (int i = 0; i < n; i++) {
        const dal_term term = graph->terms[list[i]];
        if (term.op == DAL_OP_VAR)
            continue;
        const dal_node operand[3] = {term.a, term.b, term.c};
        dal_node now[3] = {DAL_NO_NODE, DAL_NO_NODE, DAL_NO_NODE};
        for (int k = 0; k < 3 && operand[k] >= 0; k++)
            now[k] = fresh[graph->terms[operand[k]].slot];
        fresh[i] = make(graph, list[i], now[0], now[1], now[2]);
    }
    return fresh[n - 1];
}
