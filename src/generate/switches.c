/* Operations with pieces: their list, and their operands. */
#include "generate/listing.h"

#include "expr/table.h"

static bool has_pieces(dal_op op)
{
    return op == DAL_OP_SIGN || op == DAL_OP_FLOOR || op == DAL_OP_LESS || op == DAL_OP_LEQ || op == DAL_OP_EQUAL || op == DAL_OP_INTERP;
}

/* Derivatives of one table at one place share their knots. */
static int number_of(dal_listing *c, dal_listing_switch s)
{
    for (int i = 0; i < c->n_switches && s.op == DAL_OP_INTERP; i++) {
        const dal_listing_switch *other = &c->switches[i];
        if (other->op == s.op && other->a == s.a && other->table == s.table && other->knots == s.knots)
            return i;
    }
    *DAL_PUSH(c->arena, c->switches, c->n_switches, c->cap_switches) = s;
    return c->n_switches - 1;
}

static void note_switch(dal_listing *c, dal_node node)
{
    const dal_node_view x = dal_node_read(c->graph, node);
    dal_listing_switch s = {.op = x.op, .a = x.a, .b = x.b};
    if (!has_pieces(x.op))
        return;
    if (x.op == DAL_OP_INTERP) {
        s.table = dal_node_index(c->graph, node);
        s.knots = (int)dal_table_knots(dal_graph_table(c->graph, s.table), dal_node_order(c->graph, node));
        s.b = x.a;
    } else if (x.b < 0)
        s.b = x.a;
    if (x.op != DAL_OP_INTERP || s.knots != DAL_KNOTS_NONE)
        c->switch_of[node] = number_of(c, s);
}

void dal_listing_find_switches(dal_listing *c, int n_results, const dal_listing_result *results)
{
    const int n = dal_graph_size(c->graph);
    bool *wanted = DAL_NEW(c->arena, bool, n);
    c->switch_of = DAL_NEW(c->arena, int, n);
    c->n_switched = n;
    c->n_switches = 0;
    for (int r = 0; r < n_results; r++)
        for (int i = 0; i < results[r].n; i++)
            wanted[results[r].nodes[i]] = true;
    for (dal_node node = n - 1; node >= 0; node--) {
        const dal_node_view x = dal_node_read(c->graph, node);
        const dal_node operand[3] = {x.a, x.b, x.c};
        for (int k = 0; k < 3 && wanted[node]; k++)
            if (operand[k] >= 0)
                wanted[operand[k]] = true;
    }
    for (dal_node node = 0; node < n; node++) {
        c->switch_of[node] = -1;
        if (wanted[node])
            note_switch(c, node);
    }
}

int dal_listing_switch_of(const dal_listing *c, dal_node node)
{
    return node < c->n_switched ? c->switch_of[node] : -1;
}

void dal_listing_operands(dal_listing *c, const dal_reference_state *at, int *op, double *a, double *b)
{
    dal_node *nodes = DAL_NEW(c->arena, dal_node, 2 * c->n_switches);
    double *values = DAL_NEW(c->arena, double, 2 * c->n_switches), *kept = c->reference;
    for (int i = 0; i < c->n_switches; i++) {
        nodes[2 * i] = c->switches[i].a;
        nodes[2 * i + 1] = c->switches[i].b;
        op[i] = (int)c->switches[i].op;
    }
    c->reference = DAL_NEW(c->arena, double, c->first[DAL_ARRAY_COUNT] + 1);
    dal_listing_set_reference(c, at, c->reference, NULL);
    dal_listing_values(c, 2 * c->n_switches, nodes, values);
    c->reference = kept;
    for (int i = 0; i < c->n_switches; i++) {
        a[i] = values[2 * i];
        b[i] = values[2 * i + 1];
    }
}
