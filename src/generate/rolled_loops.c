/* Loops of a long function. Equal links of a chain are equal sequences of operations: with period P,
 *
 *     operation(i + P) = operation(i)    for i = first .. first + (K - 1) P - 1,
 *
 * where operands are numbers, entries of one array, or values. In repetition k an operand is
 *
 *     a value of this repetition           x3         the same operation j of each repetition
 *     a value of the repetition before     p3         carried from one repetition to the next
 *     an entry of an argument              q[a + s k]
 *     a number                             itself, or an entry of a table where repetitions differ
 *     another value                        z[a + s k], or z[at[k]] where the distances differ
 *
 * Repetitions at the ends that do not fit (the first and the last links, mostly) are cut off and stay straight-line code. */
#include "generate/emitter.h"

#include <assert.h>
#include <string.h>

enum { LONGEST_PERIOD = 400, FEWEST_REPETITIONS = 8, SMALLEST_RUN = 100 };

typedef dal_rolled_run run;

static dal_node_view view_of(const emitter *e, dal_node node)
{
    return dal_node_read(e->c->graph, node);
}

/* Operand o of operation j of repetition k, or -1. */
static dal_node operand(const emitter *e, const run *r, int j, int k, int o)
{
    const dal_node_view x = view_of(e, e->node[r->first + k * r->period + j]);
    return o == 0 ? x.a : o == 1 ? x.b : x.c;
}

/* ---- runs ------------------------------------------------------------------------------- */

static int array_of(const emitter *e, int variable)
{
    int array = 0;
    while (variable >= e->c->first[array + 1])
        array++;
    return array;
}

/* Equal for operations of one kind. */
static int kind_of_operand(const emitter *e, dal_node node)
{
    if (node < 0)
        return 0;
    const dal_node_view x = view_of(e, node);
    if (x.op == DAL_OP_CONST)
        return 1;
    if (x.op != DAL_OP_VAR)
        return 2;
    const int array = array_of(e, x.index);
    return array == DAL_ARRAY_PARAMETERS ? 16 + x.index : 3 + array; /* parameters have names */
}

static bool is_rollable(dal_op op)
{
    return op == DAL_OP_ADD || op == DAL_OP_SUB || op == DAL_OP_MUL || op == DAL_OP_DIV || op == DAL_OP_NEG ||
           (op != DAL_OP_FLOOR && dal_emit_function_name(op));
}

static bool is_equal_kind(const emitter *e, int i, int k)
{
    const dal_node_view x = view_of(e, e->node[i]), y = view_of(e, e->node[k]);
    return x.op == y.op && is_rollable(x.op) && kind_of_operand(e, x.a) == kind_of_operand(e, y.a) &&
           kind_of_operand(e, x.b) == kind_of_operand(e, y.b) && kind_of_operand(e, x.c) == kind_of_operand(e, y.c);
}

/* A number for each operation: that of the first of its kind that was seen. Most functions have a few dozen kinds. */
static int *number_kinds(const emitter *e)
{
    enum { MOST_KINDS = 512 };
    int *kind = DAL_NEW(e->c->arena, int, e->n), seen[MOST_KINDS], n = 0;
    for (int i = 0; i < e->n; i++) {
        int s = 0;
        while (s < n && !is_equal_kind(e, i, seen[s]))
            s++;
        const bool known = s < n, room = n < MOST_KINDS && is_rollable(view_of(e, e->node[i]).op);
        kind[i] = known ? seen[s] : i;
        if (!known && room)
            seen[n++] = i;
    }
    return kind;
}

static void mark_runs(emitter *e)
{
    for (int i = 0; i < e->n; i++)
        e->run_of[i] = -1;
    for (int r = 0; r < e->n_runs; r++)
        for (int i = 0; i < e->runs[r].period * e->runs[r].count; i++)
            e->run_of[e->runs[r].first + i] = r;
}

void dal_find_runs(emitter *e)
{
    dal_arena *arena = e->c->arena;
    const int *kind = number_kinds(e);
    int *longest = DAL_NEW(arena, int, e->n), *period = DAL_NEW(arena, int, e->n), covered = 0;
    size_t room = 0;
    for (int p = 1; p <= LONGEST_PERIOD; p++)
        for (int i = e->n - p - 1, equal = 0; i >= 0; i--) {
            equal = kind[i] == kind[i + p] ? equal + 1 : 0;
            const int count = equal / p + 1;
            if (count >= FEWEST_REPETITIONS && count * p >= SMALLEST_RUN && count * p > longest[i]) {
                longest[i] = count * p;
                period[i] = p;
            }
        }
    e->run_of = DAL_NEW(arena, int, e->n);
    e->result = DAL_NEW(arena, int, e->n);
    e->result_index = DAL_NEW(arena, int, e->n);
    e->in_loop = DAL_NEW(arena, bool, e->n);
    for (int i = 0; i < e->n; i += longest[i] ? longest[i] : 1)
        if (longest[i]) {
            *DAL_PUSH(arena, e->runs, e->n_runs, room) = (run){i, period[i], longest[i] / period[i], -1};
            covered += longest[i];
        }
    e->n_runs = 2 * covered >= e->n ? e->n_runs : 0;
    mark_runs(e);
}

int dal_repetition_of(const emitter *e, int i)
{
    const run *r = e->run_of[i] >= 0 ? &e->runs[e->run_of[i]] : NULL;
    return r ? i - (i - r->first) % r->period : -1;
}

/* ---- operands ---------------------------------------------------------------------------- */

/* The distance of a value from the first operation of the repetition that reads it: not negative where it is of the same repetition. */
static int distance(const emitter *e, const run *r, int j, int k, int o)
{
    return e->place[operand(e, r, j, k, o)] - (r->first + k * r->period);
}

static bool is_value(const emitter *e, dal_node node)
{
    return node >= 0 && e->place[node] >= 0;
}

static bool is_of_one_distance(const emitter *e, const run *r, int j, int o)
{
    for (int k = 1; k < r->count; k++)
        if (distance(e, r, j, k, o) != distance(e, r, j, 0, o))
            return false;
    return true;
}

static bool is_own(const emitter *e, const run *r, int j, int o)
{
    return distance(e, r, j, 0, o) >= 0 && is_of_one_distance(e, r, j, o);
}

static bool is_carried(const emitter *e, const run *r, int j, int o)
{
    const int at = distance(e, r, j, 0, o);
    return at < 0 && at >= -r->period && is_of_one_distance(e, r, j, o);
}

/* ---- places in z --------------------------------------------------------------------------- */

static void note_results(emitter *e, int n_results, const dal_listing_result *results)
{
    for (int i = 0; i < e->n; i++)
        e->result[i] = e->result_index[i] = -1;
    for (int r = 0; r < n_results; r++)
        for (int i = 0; i < results[r].n; i++) {
            const int at = e->place[results[r].nodes[i]];
            if (at < 0)
                continue;
            e->result[at] = e->result[at] == -1 ? r : -2;
            e->result_index[at] = i;
        }
}

/* Does operation j of each repetition write one entry of one array, at equal distances? */
static bool writes_results(const emitter *e, const run *r, int j)
{
    const int at = r->first + j, step = e->result_index[at + r->period] - e->result_index[at];
    for (int k = 0; k < r->count; k++) {
        const int i = at + k * r->period;
        if (e->result[i] < 0 || e->result[i] != e->result[at] || e->result_index[i] != e->result_index[at] + k * step)
            return false;
    }
    return true;
}

static void keep_line(emitter *e, int i)
{
    e->last[i] = e->last[i] > e->part[i] ? e->last[i] : e->part[i] + 1;
}

/* Guards are evaluated behind the loop. */
static void keep_guards(emitter *e)
{
    for (int g = 0; g < e->n_guards; g++) {
        const dal_guard_pair *pair = &e->c->guards[e->guard[g]];
        for (int k = 0; k < 2; k++) {
            const int at = e->place[k ? pair->size : pair->pivot];
            if (at >= 0 && e->run_of[at] >= 0)
                keep_line(e, at);
        }
    }
}

static void keep_values(emitter *e, const run *r)
{
    for (int j = 0; j < r->period; j++) {
        const bool written = writes_results(e, r, j);
        for (int k = 0; k < r->count; k++) {
            const int i = r->first + k * r->period + j;
            e->in_loop[i] = written;
            if (!written && e->result[i] != -1)
                keep_line(e, i);
        }
        for (int o = 0; o < 3; o++) {
            if (!is_value(e, operand(e, r, j, 0, o)) || is_own(e, r, j, o) || is_carried(e, r, j, o))
                continue;
            for (int k = 0; k < r->count; k++)
                keep_line(e, e->place[operand(e, r, j, k, o)]);
        }
    }
}

/* Repetition by repetition: values of two links that share a repetition then lie at equal distances as well. */
static void place_run(emitter *e, const run *r)
{
    int n = 0;
    for (int j = 0; j < r->period; j++) {
        bool kept = false;
        for (int k = 0; k < r->count; k++)
            kept = kept || e->last[r->first + k * r->period + j] > r->part;
        for (int k = 0; k < r->count && kept; k++)
            e->slot[r->first + k * r->period + j] = n;
        n += kept;
    }
    for (int i = r->first; i < r->first + r->count * r->period; i++)
        if (e->slot[i] >= 0)
            e->slot[i] += e->n_slots + (i - r->first) / r->period * n;
    e->n_slots += n * r->count;
}

void dal_choose_rolled_slots(emitter *e, int n_results, const dal_listing_result *results)
{
    note_results(e, n_results, results);
    memset(e->in_loop, 0, sizeof *e->in_loop * (size_t)e->n);
    keep_guards(e);
    for (int r = 0; r < e->n_runs; r++)
        keep_values(e, &e->runs[r]);
    e->n_slots = 0;
    for (int i = 0; i < e->n; i++)
        e->slot[i] = -1;
    for (int r = 0; r < e->n_runs; r++)
        place_run(e, &e->runs[r]);
    for (int i = 0; i < e->n; i++)
        if (e->run_of[i] < 0 && !e->inside[i] && e->last[i] > e->part[i])
            e->slot[i] = e->n_slots++;
}

/* ---- repetitions that differ --------------------------------------------------------------- */

/* Does repetition k read this operand as repetition m does? `must`: a loop cannot be written where it does not. */
static bool reads_equally(const emitter *e, const run *r, int j, int o, int k, int m, bool by_slot, bool *must)
{
    const dal_node a = operand(e, r, j, k, o), b = operand(e, r, j, m, o), next = operand(e, r, j, m + 1, o);
    *must = true;
    if (a < 0 || view_of(e, a).op == DAL_OP_CONST)
        return true;
    if (view_of(e, a).op == DAL_OP_VAR)
        return view_of(e, a).index - view_of(e, b).index == (k - m) * (view_of(e, next).index - view_of(e, b).index);
    const int at = distance(e, r, j, k, o), middle = distance(e, r, j, m, o);
    if (at >= 0 || middle >= 0)
        return at == middle;
    *must = false;
    if (middle >= -r->period)
        return at == middle;
    const int *number = by_slot ? e->slot : NULL;
    const int x = e->place[a], y = e->place[b], z = e->place[next];
    return number ? number[x] - number[y] == (k - m) * (number[z] - number[y]) : x - y == (k - m) * (z - y);
}

/* The repetitions around the middle one that read operand o of operation j as it does. */
static void cut(const emitter *e, const run *r, int j, int o, bool by_slot, int *from, int *to)
{
    const int m = r->count / 2;
    int low[2] = {m, m}, high[2] = {m + 1, m + 1}; /* of all that has to be equal; of all */
    for (int turn = 0; turn < 2; turn++) {
        bool must;
        while (low[turn] > 0 && (reads_equally(e, r, j, o, low[turn] - 1, m, by_slot, &must) || (!turn && !must)))
            low[turn]--;
        while (high[turn] < r->count && (reads_equally(e, r, j, o, high[turn], m, by_slot, &must) || (!turn && !must)))
            high[turn]++;
    }
    const int best = 4 * (high[1] - low[1]) >= 3 * r->count; /* otherwise a table of places */
    *from = low[best] > *from ? low[best] : *from;
    *to = high[best] < *to ? high[best] : *to;
}

bool dal_trim_runs(emitter *e, bool by_slot)
{
    bool changed = false;
    int n = 0;
    for (int i = 0; i < e->n_runs; i++) {
        run *r = &e->runs[i];
        int from = 0, to = r->count;
        for (int j = 0; j < r->period; j++)
            for (int o = 0; o < 3; o++)
                cut(e, r, j, o, by_slot, &from, &to);
        changed = changed || from > 0 || to < r->count;
        r->first += from * r->period;
        r->count = to - from;
        if (r->count >= FEWEST_REPETITIONS)
            e->runs[n++] = *r;
        else
            changed = true;
    }
    e->n_runs = n;
    mark_runs(e);
    return changed;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* "[7 + 3 * k]" */
static void print_index(emitter *e, int first, int step)
{
    if (step == 0)
        dal_grow(e->out, "[%d]", first);
    else if (step < 0)
        dal_grow(e->out, "[%d - %d * k]", first, -step);
    else
        dal_grow(e->out, "[%d + %d * k]", first, step);
}

static void print_number(emitter *e, double value)
{
    dal_grow(e->out, value < 0 ? "(%s)" : "%s", dal_c_number(e->c->arena, value));
}

static double number_at(const emitter *e, const run *r, int j, int k, int o)
{
    return view_of(e, operand(e, r, j, k, o)).value;
}

static bool is_one_number(const emitter *e, const run *r, int j, int o)
{
    for (int k = 1; k < r->count; k++)
        if (number_at(e, r, j, k, o) != number_at(e, r, j, 0, o))
            return false;
    return true;
}

static int slot_at(const emitter *e, const run *r, int j, int k, int o)
{
    const int slot = e->slot[e->place[operand(e, r, j, k, o)]];
    assert(slot >= 0);
    return slot;
}

static bool is_even(const emitter *e, const run *r, int j, int o)
{
    const int first = slot_at(e, r, j, 0, o), step = slot_at(e, r, j, 1, o) - first;
    for (int k = 2; k < r->count; k++)
        if (slot_at(e, r, j, k, o) != first + k * step)
            return false;
    return true;
}

/* Tables of what differs from one repetition to the next. */
static void print_tables(emitter *e, const run *r, int j, int o)
{
    const dal_node node = operand(e, r, j, 0, o);
    const bool number = node >= 0 && view_of(e, node).op == DAL_OP_CONST;
    if (node < 0 || (number ? is_one_number(e, r, j, o) : !is_value(e, node) || is_own(e, r, j, o) || is_carried(e, r, j, o) || is_even(e, r, j, o)))
        return;
    dal_grow(e->out, number ? "    static const double c%d_%d[] = {" : "    static const int at%d_%d[] = {", j, o);
    for (int k = 0; k < r->count; k++) {
        dal_grow(e->out, k ? (k % 12 ? ", " : ",\n        ") : "");
        if (number)
            print_number(e, number_at(e, r, j, k, o));
        else
            dal_grow(e->out, "%d", slot_at(e, r, j, k, o));
    }
    dal_grow(e->out, "};\n");
}

static void print_variable(emitter *e, const run *r, int j, int o)
{
    static const char *const arrays[] = {"t", "q", "v", "inputs", "parameters", "u"};
    const int index = view_of(e, operand(e, r, j, 0, o)).index, array = array_of(e, index), at = index - e->c->first[array];
    if (array == DAL_ARRAY_TIME)
        dal_grow(e->out, "t");
    else if (array == DAL_ARRAY_PARAMETERS)
        dal_grow(e->out, "parameters->%s", e->c->parameter_names[at]);
    else {
        dal_grow(e->out, "%s", arrays[array]);
        print_index(e, at, view_of(e, operand(e, r, j, 1, o)).index - index);
    }
}

static void print_operand(emitter *e, const run *r, int j, int o)
{
    const dal_node node = operand(e, r, j, 0, o);
    const dal_node_view x = view_of(e, node);
    if (x.op == DAL_OP_CONST && is_one_number(e, r, j, o))
        print_number(e, x.value);
    else if (x.op == DAL_OP_CONST)
        dal_grow(e->out, "c%d_%d[k]", j, o);
    else if (x.op == DAL_OP_VAR)
        print_variable(e, r, j, o);
    else if (is_own(e, r, j, o))
        dal_grow(e->out, "x%d", distance(e, r, j, 0, o));
    else if (is_carried(e, r, j, o))
        dal_grow(e->out, "p%d", distance(e, r, j, 0, o) + r->period);
    else if (is_even(e, r, j, o)) {
        dal_grow(e->out, "z");
        print_index(e, slot_at(e, r, j, 0, o), slot_at(e, r, j, 1, o) - slot_at(e, r, j, 0, o));
    } else
        dal_grow(e->out, "z[at%d_%d[k]]", j, o);
}

static const char *sign_of(dal_op op)
{
    return op == DAL_OP_ADD ? " + " : op == DAL_OP_SUB ? " - " : op == DAL_OP_MUL ? " * " : op == DAL_OP_DIV ? " / " : NULL;
}

static bool is_sine(dal_op op)
{
    return op == DAL_OP_SIN || op == DAL_OP_COS;
}

/* The cosine of the same angle as sine j, or the other way round, in every repetition; -1: none is. */
static int mate_of(const emitter *e, const run *r, int j)
{
    const int mate = e->pair[r->first + j] - r->first;
    if (e->pair[r->first + j] < 0 || mate < 0 || mate >= r->period)
        return -1;
    for (int k = 0; k < r->count; k++)
        if (operand(e, r, j, k, 0) != operand(e, r, mate, k, 0))
            return -1;
    return mate;
}

/* Sine and cosine together; one that is not used has a name as well. */
static void print_sines(emitter *e, const run *r, int j)
{
    const int i = r->first + j, mate = mate_of(e, r, j);
    const bool sine = view_of(e, e->node[i]).op == DAL_OP_SIN;
    if (mate >= 0 && mate < j)
        return;
    const char *self = dal_arena_print(e->c->arena, "x%d", j), *other = dal_arena_print(e->c->arena, mate >= 0 ? "x%d" : "y%d", mate >= 0 ? mate : j);
    dal_grow(e->out, "        double %s, %s;\n        %s_sincos(", self, other, e->prefix);
    print_operand(e, r, j, 0);
    dal_grow(e->out, ", &%s, &%s);\n", sine ? self : other, sine ? other : self);
}

static void print_value(emitter *e, const run *r, int j)
{
    const dal_node_view x = view_of(e, e->node[r->first + j]);
    if (is_sine(x.op)) {
        print_sines(e, r, j);
        return;
    }
    dal_grow(e->out, "        const double x%d = ", j);
    if (!sign_of(x.op))
        dal_grow(e->out, x.op == DAL_OP_NEG ? "-" : "%s(", dal_emit_function_name(x.op));
    print_operand(e, r, j, 0);
    if (x.b >= 0) {
        dal_grow(e->out, "%s", sign_of(x.op) ? sign_of(x.op) : ", ");
        print_operand(e, r, j, 1);
    }
    dal_grow(e->out, sign_of(x.op) || x.op == DAL_OP_NEG ? ";\n" : ");\n");
}

/* Of each operation: the repetition behind reads it. */
static bool *find_carried(emitter *e, const run *r)
{
    bool *carried = DAL_NEW(e->c->arena, bool, r->period);
    for (int j = 0; j < r->period; j++)
        for (int o = 0; o < 3; o++)
            if (is_value(e, operand(e, r, j, 0, o)) && is_carried(e, r, j, o))
                carried[distance(e, r, j, 0, o) + r->period] = true;
    return carried;
}

void dal_emit_loop(emitter *e, const dal_rolled_run *r, const dal_listing_result *results)
{
    const bool *carried = find_carried(e, r);
    for (int j = 0; j < r->period; j++)
        for (int o = 0; o < 3; o++)
            print_tables(e, r, j, o);
    for (int j = 0; j < r->period; j++)
        if (carried[j]) {
            assert(e->slot[r->first - r->period + j] >= 0);
            dal_grow(e->out, "    double p%d = z[%d];\n", j, e->slot[r->first - r->period + j]);
        }
    dal_grow(e->out, "    for (int k = 0; k < %d; k++) {\n", r->count);
    for (int j = 0; j < r->period; j++)
        print_value(e, r, j);
    for (int j = 0; j < r->period; j++) {
        const int i = r->first + j, next = i + r->period;
        if (e->slot[i] >= 0) {
            dal_grow(e->out, "        z");
            print_index(e, e->slot[i], e->slot[next] - e->slot[i]);
            dal_grow(e->out, " = x%d;\n", j);
        }
        if (e->in_loop[i]) {
            dal_grow(e->out, "        %s", results[e->result[i]].array);
            print_index(e, e->result_index[i], e->result_index[next] - e->result_index[i]);
            dal_grow(e->out, " = x%d;\n", j);
        }
        if (carried[j])
            dal_grow(e->out, "        p%d = x%d;\n", j, j);
    }
    dal_grow(e->out, "    }\n");
}
