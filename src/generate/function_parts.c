/* A function of the C file is divided: which nodes it needs, which of them are statements, and which statements each part has.
 *
 *     order       a node stands behind its operands, as late as it can: few values wait at the same time
 *     statement   a node that is used more than once, is not arithmetic, or has more than five operations inside
 *     parts       of about 2000 operations, a sine counting as twenty; each loop of repetitions is a part
 *     slots       places of z, for what a part leaves for later ones; a place is used again when nothing later reads it
 */
#include "generate/emitter.h"

#include <string.h>

enum { DEEPEST = 5 }; /* operations of an expression in one statement */

/* ---- what is needed ------------------------------------------------------------------ */

static void mark(dal_node node, bool *wanted)
{
    if (node >= 0)
        wanted[node] = true;
}

static void mark_operands(emitter *e, dal_node node, bool *wanted)
{
    const dal_node_view x = dal_view_of(e, node);
    mark(x.a, wanted);
    mark(x.b, wanted);
    mark(x.c, wanted);
}

static bool is_leaf(const emitter *e, dal_node node)
{
    const dal_op op = dal_node_op(e->c->graph, node);
    return op == DAL_OP_CONST || op == DAL_OP_VAR;
}

static bool is_arithmetic(dal_op op)
{
    return op == DAL_OP_ADD || op == DAL_OP_SUB || op == DAL_OP_MUL || op == DAL_OP_NEG || op == DAL_OP_DIV;
}

/* Behind its operands, as late as it can be: few values wait at the same time. */
static void visit(emitter *e, dal_node root)
{
    dal_arena *arena = e->c->arena;
    int n = 0;
    size_t room = 0;
    dal_node *stack = NULL;
    *DAL_PUSH(arena, stack, n, room) = root;
    while (n) {
        const dal_node node = stack[n - 1];
        const dal_node_view x = dal_view_of(e, node);
        const dal_node operand[3] = {x.a, x.b, x.c};
        if (is_leaf(e, node) || e->place[node] >= 0) {
            n--;
            continue;
        }
        const int before = n;
        for (int k = 0; k < 3; k++)
            if (operand[k] >= 0 && !is_leaf(e, operand[k]) && e->place[operand[k]] < 0)
                *DAL_PUSH(arena, stack, n, room) = operand[k];
        if (n > before)
            continue;
        e->place[node] = e->n;
        e->node[e->n++] = node;
        n--;
    }
}

/* An angle that follows from the arguments by a few sums and products: its sine can be computed at the beginning. */
static bool is_early(const emitter *e, dal_node node, int *budget)
{
    const dal_node_view x = dal_view_of(e, node);
    if (is_leaf(e, node))
        return true;
    return (*budget)-- > 0 && is_arithmetic(x.op) && x.op != DAL_OP_DIV && is_early(e, x.a, budget) && (x.b < 0 || is_early(e, x.b, budget));
}

/* Angles first, then their sines and cosines, then all that follows: the sines of four angles at once cost little more than those of one. */
static void visit_sines(emitter *e, const bool *wanted)
{
    const int n = dal_graph_size(e->c->graph);
    for (int pass = 0; pass < 2; pass++)
        for (dal_node node = 0; node < n; node++) {
            int budget = 4;
            if (!wanted[node] || !dal_is_sine(dal_node_op(e->c->graph, node)) || !is_early(e, dal_view_of(e, node).a, &budget))
                continue;
            visit(e, pass ? node : dal_view_of(e, node).a);
            e->early[node] = true;
        }
}

/* In a long function all angles that are sums and products of arguments come first, and then sine and cosine of each: equal links stay equal. */
static void visit_long_sines(emitter *e, const bool *wanted)
{
    const int n = dal_graph_size(e->c->graph);
    bool *sum = DAL_NEW(e->c->arena, bool, n);
    for (dal_node node = 0; node < n; node++) {
        const dal_node_view x = dal_view_of(e, node);
        sum[node] = is_leaf(e, node) || (is_arithmetic(x.op) && x.op != DAL_OP_DIV && sum[x.a] && (x.b < 0 || sum[x.b]));
        if (wanted[node] && dal_is_sine(x.op) && sum[x.a])
            visit(e, x.a);
    }
    dal_node *mate[2] = {DAL_NEW(e->c->arena, dal_node, n), DAL_NEW(e->c->arena, dal_node, n)};
    for (dal_node node = 0; node < n; node++)
        if (wanted[node] && dal_is_sine(dal_view_of(e, node).op) && sum[dal_view_of(e, node).a])
            mate[dal_view_of(e, node).op == DAL_OP_COS][dal_view_of(e, node).a] = node + 1;
    for (dal_node angle = 0; angle < n; angle++)
        for (int k = 0; k < 2; k++)
            if (mate[k][angle]) {
                visit(e, mate[k][angle] - 1);
                e->early[mate[k][angle] - 1] = e->grouped;
            }
}

void dal_collect_nodes(emitter *e, int n_results, const dal_listing_result *results, bool guarded)
{
    const int n = dal_graph_size(e->c->graph);
    bool *wanted = DAL_NEW(e->c->arena, bool, n);
    e->guard = DAL_NEW(e->c->arena, int, e->c->n_guards);
    e->n = e->n_guards = 0;
    for (int r = 0; r < n_results; r++)
        for (int i = 0; i < results[r].n; i++)
            mark(results[r].nodes[i], wanted);
    for (dal_node node = n - 1; node >= 0; node--)
        if (wanted[node])
            mark_operands(e, node, wanted);
    for (int g = 0; g < e->c->n_guards && guarded; g++) /* of pivots that this function divides by */
        if (wanted[e->c->guards[g].pivot] && wanted[e->c->guards[g].size])
            e->guard[e->n_guards++] = g;
    e->node = DAL_NEW(e->c->arena, int, n);
    e->place = DAL_NEW(e->c->arena, int, n);
    for (dal_node node = 0; node < n; node++)
        e->place[node] = -1;
    e->early = DAL_NEW(e->c->arena, bool, n);
    if (e->rolled)
        visit_long_sines(e, wanted);
    else if (e->grouped)
        visit_sines(e, wanted);
    for (int r = 0; r < n_results; r++)
        for (int i = 0; i < results[r].n; i++)
            visit(e, results[r].nodes[i]);
    e->operations = e->n;
}

/* ---- statements and parts --------------------------------------------------------------- */

static void count_use(emitter *e, dal_node node)
{
    if (node >= 0 && e->place[node] >= 0)
        e->uses[e->place[node]]++;
}

void dal_choose_statements(emitter *e, int n_results, const dal_listing_result *results)
{
    memset(e->uses, 0, sizeof *e->uses * (size_t)e->n);
    for (int i = 0; i < e->n; i++) {
        const dal_node_view x = dal_view_of(e, e->node[i]);
        count_use(e, x.a);
        count_use(e, x.b);
        count_use(e, x.c);
    }
    for (int r = 0; r < n_results; r++)
        for (int i = 0; i < results[r].n; i++)
            if (e->place[results[r].nodes[i]] >= 0)
                e->uses[e->place[results[r].nodes[i]]] += 2; /* a statement */
    for (int g = 0; g < e->n_guards; g++) {
        const dal_guard_pair *pair = &e->c->guards[e->guard[g]];
        for (int k = 0; k < 2; k++) {
            const int at = e->place[k ? pair->size : pair->pivot];
            if (at >= 0)
                e->uses[at] += 2;
        }
    }
    for (int i = 0; i < e->n; i++) {
        const dal_node_view x = dal_view_of(e, e->node[i]);
        const dal_node operand[3] = {x.a, x.b, x.c};
        e->deep[i] = 1;
        for (int k = 0; k < 3; k++)
            if (operand[k] >= 0 && e->place[operand[k]] >= 0 && e->inside[e->place[operand[k]]])
                e->deep[i] += e->deep[e->place[operand[k]]];
        e->inside[i] = e->uses[i] == 1 && is_arithmetic(x.op) && e->deep[i] <= DEEPEST;
    }
}

/* Sines and cosines of the same angle are computed together: the other one of the pair, or -1. */
void dal_find_pairs(emitter *e)
{
    int *of[2] = {DAL_NEW(e->c->arena, int, dal_graph_size(e->c->graph)), DAL_NEW(e->c->arena, int, dal_graph_size(e->c->graph))};
    for (int i = 0; i < e->n; i++) {
        const dal_node_view x = dal_view_of(e, e->node[i]);
        if (dal_is_sine(x.op))
            of[x.op == DAL_OP_COS][x.a] = i + 1;
    }
    for (int i = 0; i < e->n; i++) {
        const dal_node_view x = dal_view_of(e, e->node[i]);
        e->pair[i] = dal_is_sine(x.op) ? of[x.op == DAL_OP_SIN][x.a] - 1 : -1;
    }
}

static void use_from(emitter *e, dal_node node, int part)
{
    const int i = node >= 0 ? e->place[node] : -1;
    if (i < 0)
        return;
    if (e->inside[i]) {
        const dal_node_view x = dal_view_of(e, node);
        use_from(e, x.a, part);
        use_from(e, x.b, part);
        use_from(e, x.c, part);
    } else if (part > e->last[i])
        e->last[i] = part;
}

static int statement_cost(const emitter *e, int i)
{
    return dal_is_sine(dal_view_of(e, e->node[i]).op) ? 20 : e->deep[i];
}

static void find_last_parts(emitter *e)
{
    for (int i = 0; i < e->n; i++) {
        const dal_node_view x = dal_view_of(e, e->node[i]);
        if (e->inside[i])
            continue;
        e->last[i] = e->part[i] > e->last[i] ? e->part[i] : e->last[i];
        use_from(e, x.a, e->part[i]);
        use_from(e, x.b, e->part[i]);
        use_from(e, x.c, e->part[i]);
    }
}

/* Parts of a function with loops: each loop is one, and what stands between loops is cut as elsewhere. */
static void choose_rolled_parts(emitter *e)
{
    int operations = 0, before = -1;
    e->n_parts = 1;
    for (int i = 0; i < e->n; i++)
        e->part[i] = -1;
    for (int i = 0; i < e->n; i++) {
        if (e->inside[i] || e->part[i] >= 0)
            continue;
        if (i > 0 && (e->run_of[i] != before || (before < 0 && operations > DAL_PART_SIZE))) {
            e->n_parts++;
            operations = 0;
        }
        before = e->run_of[i];
        operations += statement_cost(e, i);
        e->part[i] = e->n_parts - 1;
        if (e->pair[i] >= 0 && before < 0)
            e->part[e->pair[i]] = e->part[i];
        if (before >= 0)
            e->runs[before].part = e->part[i];
    }
}

void dal_choose_parts(emitter *e)
{
    int operations = 0, total = 0;
    for (int i = 0; i < e->n; i++)
        total += e->inside[i] ? 0 : statement_cost(e, i);
    const int parts = (total + DAL_PART_SIZE - 1) / DAL_PART_SIZE, size = parts > 1 ? (total + parts - 1) / parts : total;
    for (int i = 0; i < e->n; i++)
        e->part[i] = -1;
    for (int i = 0; i < e->n; i++) {
        if (e->inside[i] || e->part[i] >= 0)
            continue;
        e->part[i] = size ? operations / size : 0;
        operations += statement_cost(e, i);
        if (e->pair[i] >= 0)
            e->part[e->pair[i]] = e->part[i];
        e->n_parts = e->part[i] + 1 > e->n_parts ? e->part[i] + 1 : e->n_parts;
    }
    find_last_parts(e);
}

static int part_of(const emitter *e, dal_node node)
{
    const int i = e->place[node];
    return i < 0 ? 0 : e->part[i];
}

/* The part in which a guard is evaluated: the first that has both operands. */
int dal_guard_part(const emitter *e, int g)
{
    const dal_guard_pair *pair = &e->c->guards[e->guard[g]];
    const int a = part_of(e, pair->pivot), b = part_of(e, pair->size);
    return a > b ? a : b;
}

static void use_from_guards(emitter *e)
{
    for (int g = 0; g < e->n_guards; g++) {
        const dal_guard_pair *pair = &e->c->guards[e->guard[g]];
        use_from(e, pair->pivot, dal_guard_part(e, g));
        use_from(e, pair->size, dal_guard_part(e, g));
    }
}

void dal_choose_slots(emitter *e)
{
    int *busy = DAL_NEW(e->c->arena, int, e->n + 1); /* until which part */
    use_from_guards(e);
    for (int i = 0; i < e->n; i++) {
        int s = 0;
        e->slot[i] = -1;
        if (e->inside[i] || e->last[i] <= e->part[i])
            continue;
        while (s < e->n_slots && busy[s] >= e->part[i])
            s++;
        e->n_slots = s == e->n_slots ? s + 1 : e->n_slots;
        busy[s] = e->last[i];
        e->slot[i] = s;
    }
}

/* ---- loops ----------------------------------------------------------------------------- */

/* Values of repetitions are statements, and so are those that repetitions use. Sine and cosine are a pair in one repetition only. */
static void choose_rolled_statements(emitter *e)
{
    for (int i = 0; i < e->n; i++) {
        const dal_node_view x = dal_view_of(e, e->node[i]);
        const dal_node operand[3] = {x.a, x.b, x.c};
        for (int k = 0; k < 3 && e->run_of[i] >= 0; k++)
            if (operand[k] >= 0 && e->place[operand[k]] >= 0)
                e->inside[e->place[operand[k]]] = false;
        if (e->run_of[i] >= 0)
            e->inside[i] = false;
        if (e->pair[i] >= 0 && dal_repetition_of(e, i) != dal_repetition_of(e, e->pair[i]))
            e->pair[i] = -1;
    }
}

/* Repetitions at both ends that differ from the others are cut off the loops until what they read lies at equal distances. */
bool dal_choose_loops(emitter *e, int n_results, const dal_listing_result *results)
{
    dal_find_runs(e);
    for (int pass = 0; e->n_runs; pass++) {
        memset(e->last, 0, sizeof *e->last * (size_t)e->n);
        dal_find_pairs(e);
        dal_choose_statements(e, n_results, results);
        choose_rolled_statements(e);
        choose_rolled_parts(e);
        find_last_parts(e);
        use_from_guards(e);
        dal_choose_rolled_slots(e, n_results, results);
        if (pass == 12 || !dal_trim_runs(e, pass > 0))
            break;
    }
    return e->n_runs > 0;
}
