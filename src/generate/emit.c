/* Nodes as C. A node that is used once stands inside what uses it; any other is a constant of its own. A long function is cut into parts, because
 * compilers take more than proportional time; what one part leaves for another is in an array z, whose places are used again. */
#include "generate/emitter.h"

#include "expr/table.h"

#include <stdio.h>
#include <string.h>

enum { LONG = 12000, LONG_RUN = 60000 }; /* operations from which loops are searched: in files, and in the code of runs, which loops make slower */

/* ---- expressions ----------------------------------------------------------------------- */

static void print_number(emitter *e, double value)
{
    dal_grow(e->out, value < 0 ? "(%s)" : "%s", dal_c_number(e->c->arena, value));
}

static void print_variable(emitter *e, int index)
{
    static const char *const arrays[] = {"t", "q", "v", "inputs", "parameters", "u"};
    int array = 0;
    while (index >= e->c->first[array + 1])
        array++;
    const int at = index - e->c->first[array];
    if (array == DAL_ARRAY_TIME)
        dal_grow(e->out, e->wide ? "%s_W(t)" : "t", e->prefix);
    else if (e->wide)
        dal_grow(e->out, "%s_load(%s + %d)", e->prefix, arrays[array], at * e->c->options->lanes);
    else if (array == DAL_ARRAY_PARAMETERS)
        dal_grow(e->out, "parameters->%s", e->c->parameter_names[at]);
    else
        dal_grow(e->out, "%s[%d]", arrays[array], at);
}

static void print_node(emitter *e, dal_node node, int outer);

static bool is_inside_product(const emitter *e, dal_node node)
{
    const int i = e->place[node];
    return i >= 0 && e->inside[i] && dal_view_of(e, node).op == DAL_OP_MUL;
}

/* a b + c, a b - c, c - a b with one rounding. False: there is no product that stands here alone. */
static bool print_fused(emitter *e, dal_node_view x)
{
    const bool first = is_inside_product(e, x.a), second = !first && is_inside_product(e, x.b);
    if (!e->exact || (!first && !second))
        return false;
    const dal_node_view m = dal_view_of(e, first ? x.a : x.b);
    dal_grow(e->out, "%s_%sFMA(%s", e->prefix, e->wide ? "W" : "", x.op == DAL_OP_SUB && second ? "-" : "");
    print_node(e, m.a, 3);
    dal_grow(e->out, ", ");
    print_node(e, m.b, 0);
    dal_grow(e->out, ", %s", x.op == DAL_OP_SUB && first ? "-" : "");
    print_node(e, first ? x.b : x.a, x.op == DAL_OP_SUB && first ? 3 : 0);
    dal_grow(e->out, ")");
    return true;
}

static void print_infix(emitter *e, dal_node_view x, const char *sign, int level, int outer)
{
    if (level < outer)
        dal_grow(e->out, "(");
    print_node(e, x.a, level);
    dal_grow(e->out, " %s ", sign);
    print_node(e, x.b, level + 1);
    if (level < outer)
        dal_grow(e->out, ")");
}

static void print_call(emitter *e, const char *name, dal_node_view x)
{
    if (e->wide)
        dal_grow(e->out, "%s_each_%s(%s_W(", e->prefix, name, e->prefix);
    else
        dal_grow(e->out, "%s(", name);
    print_node(e, x.a, 0);
    if (e->wide)
        dal_grow(e->out, "), %s_W(", e->prefix);
    else if (x.b >= 0)
        dal_grow(e->out, ", ");
    if (x.b >= 0 || e->wide)
        print_node(e, x.b >= 0 ? x.b : x.a, 0);
    dal_grow(e->out, e->wide ? "))" : ")");
}

/* Functions that have a name in C, or one of the file. */
const char *dal_emit_function_name(dal_op op)
{
    switch (op) {
    case DAL_OP_SIN: return "sin";
    case DAL_OP_COS: return "cos";
    case DAL_OP_TAN: return "tan";
    case DAL_OP_ASIN: return "asin";
    case DAL_OP_ACOS: return "acos";
    case DAL_OP_ATAN: return "atan";
    case DAL_OP_ATAN2: return "atan2";
    case DAL_OP_SINH: return "sinh";
    case DAL_OP_COSH: return "cosh";
    case DAL_OP_TANH: return "tanh";
    case DAL_OP_SQRT: return "sqrt";
    case DAL_OP_EXP: return "exp";
    case DAL_OP_LOG: return "log";
    case DAL_OP_POW: return "pow";
    case DAL_OP_ABS: return "fabs";
    case DAL_OP_FLOOR: return "floor";
    default: return NULL;
    }
}

/* "modes[3]" where modes are given, otherwise none. */
static void print_mode(emitter *e, dal_node node)
{
    const int number = e->c->frozen ? dal_listing_switch_of(e->c, node) : -1;
    if (number >= 0)
        dal_grow(e->out, "modes[%d], ", number);
    else
        dal_grow(e->out, "%s_FREE, ", e->prefix);
}

/* Comparisons and what else is made of conditions; in lanes they are not written. */
static void print_switch(emitter *e, dal_node node, dal_node_view x)
{
    const char *name = x.op == DAL_OP_SIGN    ? "sign"
                       : x.op == DAL_OP_FLOOR ? "floor"
                       : x.op == DAL_OP_LESS  ? "less"
                       : x.op == DAL_OP_LEQ   ? "leq"
                                              : "equal";
    if (x.op == DAL_OP_SELECT) {
        dal_grow(e->out, "(");
        print_node(e, x.a, 3);
        dal_grow(e->out, " != 0 ? ");
        print_node(e, x.b, 3);
        dal_grow(e->out, " : ");
        print_node(e, x.c, 3);
        dal_grow(e->out, ")");
        return;
    }
    if (x.op == DAL_OP_INTERP) {
        const int table = dal_node_index(e->c->graph, node);
        const dal_table *of = dal_graph_table(e->c->graph, table);
        const dal_knots knots = dal_table_knots(of, dal_node_order(e->c->graph, node));
        dal_grow(e->out, "%s_table(", e->prefix);
        print_mode(e, node);
        dal_grow(e->out, "%d, %d, %s_x%d, %s_c%d, %d, %d, ", knots == DAL_KNOTS_ALL, of->n, e->prefix, table, e->prefix, table, (int)of->outside,
                 dal_node_order(e->c->graph, node));
    } else {
        dal_grow(e->out, "%s_%s(", e->prefix, name);
        print_mode(e, node);
    }
    print_node(e, x.a, 0);
    if (x.b >= 0 && x.op != DAL_OP_INTERP) {
        dal_grow(e->out, ", ");
        print_node(e, x.b, 0);
    }
    dal_grow(e->out, ")");
}

/* Levels: 1 sums, 2 products, 3 signs and what stands alone. */
static void print_operation(emitter *e, dal_node node, int outer)
{
    const dal_node_view x = dal_view_of(e, node);
    switch (x.op) {
    case DAL_OP_ADD:
    case DAL_OP_SUB:
        if (!print_fused(e, x))
            print_infix(e, x, x.op == DAL_OP_ADD ? "+" : "-", 1, outer);
        return;
    case DAL_OP_MUL: print_infix(e, x, "*", 2, outer); return;
    case DAL_OP_DIV: print_infix(e, x, "/", 2, outer); return;
    case DAL_OP_COPY: print_node(e, x.a, outer); return;
    case DAL_OP_NEG:
        dal_grow(e->out, "(-");
        print_node(e, x.a, 3);
        dal_grow(e->out, ")");
        return;
    default: break;
    }
    if (dal_emit_function_name(x.op) && (x.op != DAL_OP_FLOOR || e->wide || e->exact))
        print_call(e, dal_emit_function_name(x.op), x);
    else
        print_switch(e, node, x);
}

static void print_node(emitter *e, dal_node node, int outer)
{
    const dal_node_view x = dal_view_of(e, node);
    const int i = e->place[node];
    if (x.op == DAL_OP_CONST)
        print_number(e, x.value);
    else if (x.op == DAL_OP_VAR)
        print_variable(e, x.index);
    else if (e->inside[i])
        print_operation(e, node, outer);
    else if (e->part[i] != e->now || (e->n_runs && e->run_of[i] >= 0))
        dal_grow(e->out, "z[%d]", e->slot[i]);
    else
        dal_grow(e->out, "x%d", i);
}

/* ---- statements -------------------------------------------------------------------------- */

static const char *type_name(const emitter *e)
{
    return e->wide ? dal_arena_print(e->c->arena, "%s_lanes", e->prefix) : "double";
}

static void keep_line(emitter *e, int i)
{
    if (e->slot[i] >= 0)
        dal_grow(e->out, "    z[%d] = x%d;\n", e->slot[i], i);
}

static void print_sines(emitter *e, int i)
{
    const dal_node_view x = dal_view_of(e, e->node[i]);
    const int k = e->pair[i], sine = x.op == DAL_OP_SIN ? i : k, cosine = x.op == DAL_OP_SIN ? k : i;
    char s[32], c[32];
    snprintf(s, sizeof s, sine >= 0 ? "x%d" : "s%d", sine >= 0 ? sine : i);
    snprintf(c, sizeof c, cosine >= 0 ? "x%d" : "c%d", cosine >= 0 ? cosine : i);
    dal_grow(e->out, "    %s %s, %s;\n    %s_%ssincos(", type_name(e), s, c, e->prefix, e->wide ? "w" : "");
    print_node(e, x.a, 0);
    dal_grow(e->out, ", &%s, &%s);\n", s, c);
    keep_line(e, i);
    if (k >= 0)
        keep_line(e, k);
}

/* The early sines of this part from i on, four angles at a time. False: there is one alone. */
static bool print_group(emitter *e, int i)
{
    int first[4], n = 0;
    for (int k = i; k < e->n && n < 4; k++)
        if (e->early[e->node[k]] && e->part[k] == e->now && !e->printed[k] && (e->pair[k] < 0 || k < e->pair[k]))
            first[n++] = k;
    if (n < 2)
        return false;
    dal_grow(e->out, "    double s%d[4], c%d[4];\n    %s_sincos4(", i, i, e->prefix);
    for (int k = 0; k < 4; k++) {
        print_node(e, dal_view_of(e, e->node[first[k < n ? k : n - 1]]).a, 0);
        dal_grow(e->out, ", ");
    }
    dal_grow(e->out, "s%d, c%d);\n", i, i);
    for (int k = 0; k < n; k++)
        for (int turn = 0; turn < 2; turn++) {
            const int at = turn ? e->pair[first[k]] : first[k];
            if (at < 0)
                continue;
            dal_grow(e->out, "    const double x%d = %c%d[%d];\n", at, dal_view_of(e, e->node[at]).op == DAL_OP_SIN ? 's' : 'c', i, k);
            keep_line(e, at);
            e->printed[at] = true;
        }
    return true;
}

static void print_statement(emitter *e, int i)
{
    if (dal_is_sine(dal_view_of(e, e->node[i]).op)) {
        if (e->printed[i] || (e->early[e->node[i]] && print_group(e, i)))
            return;
        if (e->pair[i] < 0 || i < e->pair[i]) /* the second of a pair was printed with the first */
            print_sines(e, i);
        return;
    }
    dal_grow(e->out, "    const %s x%d = ", type_name(e), i);
    print_operation(e, e->node[i], 0);
    dal_grow(e->out, ";\n");
    keep_line(e, i);
}

static void print_result(emitter *e, const dal_listing_result *r, int i)
{
    if (e->wide)
        dal_grow(e->out, "    %s_store(%s + %d, %s_W(", e->prefix, r->array, i * e->c->options->lanes, e->prefix);
    else
        dal_grow(e->out, "    %s[%d] = ", r->array, i);
    print_node(e, r->nodes[i], 0);
    dal_grow(e->out, e->wide ? "));\n" : ";\n");
}

static void print_results(emitter *e, int n_results, const dal_listing_result *results)
{
    for (int r = 0; r < n_results; r++)
        for (int i = 0; i < results[r].n; i++) {
            const int at = e->place[results[r].nodes[i]];
            if ((at >= 0 ? e->part[at] : e->n_parts - 1) == e->now && !(at >= 0 && e->n_runs && e->in_loop[at]))
                print_result(e, &results[r], i);
        }
}

static void print_guards(emitter *e)
{
    for (int g = 0; g < e->n_guards; g++) {
        const dal_guard_pair *pair = &e->c->guards[e->guard[g]];
        if (dal_guard_part(e, g) != e->now)
            continue;
        dal_grow(e->out, e->wide ? "    bad |= ~(%s_wfabs(%s_W(" : "    bad |= !(fabs(", e->prefix, e->prefix);
        print_node(e, pair->pivot, 0);
        dal_grow(e->out, e->wide ? ")) > %g * %s_wfabs(%s_W(" : ") > %g * fabs(", pair->share, e->prefix, e->prefix);
        print_node(e, pair->size, 0);
        dal_grow(e->out, e->wide ? ")));\n" : "));\n");
    }
}

/* What has to be a number: the first array. */
static void print_finite(emitter *e, const dal_listing_result *r)
{
    for (int i = 0; i < r->n; i++) {
        if (e->wide)
            dal_grow(e->out, "%s%s_load(%s + %d)", i ? " + " : "", e->prefix, r->array, i * e->c->options->lanes);
        else
            dal_grow(e->out, "%s%s[%d]", i ? " + " : "", r->array, i);
    }
}

static void print_body(emitter *e, int n_results, const dal_listing_result *results)
{
    const dal_rolled_run *run = NULL;
    for (int r = 0; r < e->n_runs; r++)
        run = e->runs[r].part == e->now ? &e->runs[r] : run;
    if (run)
        dal_emit_loop(e, run, results);
    for (int i = 0; i < e->n && !run; i++)
        if (!e->inside[i] && e->part[i] == e->now)
            print_statement(e, i);
    print_results(e, n_results, results);
    print_guards(e);
}

const char *dal_emit_arguments(dal_listing *c, bool header, bool wide, const char *state, int n_results, const dal_listing_result *results)
{
    const char *r = header ? "" : "restrict ", *p = c->options->prefix;
    const char *text = dal_arena_print(c->arena, "double t, const double *%sq, const double *%s%s, const double *%sinputs, const %s%s *%sparameters",
                                       r, r, state, r, wide ? "double" : p, wide ? "" : "_parameters", r);
    if (c->frozen)
        text = dal_arena_print(c->arena, "%s, const int *%smodes", text, r);
    for (int i = 0; i < n_results; i++)
        text = dal_arena_print(c->arena, "%s, double *%s%s", text, r, results[i].array);
    return text;
}

static void ignore_arguments(emitter *e, int n_results, const dal_listing_result *results)
{
    dal_grow(e->out, "    (void)t; (void)q; (void)%s; (void)inputs; (void)parameters;%s", e->state, e->c->frozen ? " (void)modes;" : "");
    for (int r = 0; r < n_results; r++)
        dal_grow(e->out, " (void)%s;", results[r].array);
    dal_grow(e->out, "\n");
}

/* "t, q, v": what a part is called with. */
static void pass_arguments(emitter *e, int n_results, const dal_listing_result *results)
{
    dal_grow(e->out, "t, q, %s, inputs, parameters%s", e->state, e->c->frozen ? ", modes" : "");
    for (int r = 0; r < n_results; r++)
        dal_grow(e->out, ", %s", results[r].array);
    dal_grow(e->out, e->n_slots ? ", z, &bad" : ", &bad");
}

static void print_parts(emitter *e, const char *name, const char *arguments, int n_results, const dal_listing_result *results)
{
    for (e->now = 0; e->now < e->n_parts; e->now++) {
        const char *mask = e->wide ? dal_arena_print(e->c->arena, "%s_mask", e->prefix) : "int";
        dal_grow(e->out, "static %s_%s void %s_%s_part%d(%s%s%s%s, %s *restrict failed)\n{\n    %s bad = *failed;\n", e->prefix,
                 e->n_runs ? "LOOPS" : "PART", e->prefix, name, e->now + 1, arguments, e->n_slots ? ", " : "", e->n_slots ? type_name(e) : "",
                 e->n_slots ? " *restrict z" : "", mask, mask);
        ignore_arguments(e, n_results, results);
        print_body(e, n_results, results);
        dal_grow(e->out, "    *failed = bad;\n}\n\n");
    }
}

static void print_end(emitter *e, bool guarded, const dal_listing_result *results)
{
    if (guarded && results[0].n) {
        dal_grow(e->out, e->wide ? "    {\n        const %s_lanes sum = " : "    {\n        const double sum = ", e->prefix);
        print_finite(e, &results[0]);
        dal_grow(e->out, e->wide ? ";\n        bad |= ~(sum - sum == %s_W(0.0));\n    }\n" : ";\n        bad |= !(sum - sum == 0);\n    }\n",
                 e->prefix);
    }
    dal_grow(e->out,
             e->wide ? "    return (bad[0] != 0) | (bad[1] != 0) << 1 | (bad[2] != 0) << 2 | (bad[3] != 0) << 3;\n}\n\n" : "    return bad;\n}\n\n");
}

int dal_emit_function(dal_growing *out, dal_listing *code, const char *name, const char *state, int n_results, const dal_listing_result *results,
                      bool guarded, bool wide)
{
    const char *prefix = code->options->prefix, *arguments = dal_emit_arguments(code, false, wide, state, n_results, results);
    emitter e = {
        .out = out, .c = code, .prefix = prefix, .state = state, .wide = wide, .exact = code->options->lanes > 0, .grouped = code->options->rates};
    dal_collect_nodes(&e, n_results, results, guarded);
    if (e.n > (code->rolled ? DAL_PART_SIZE : code->options->rates ? LONG_RUN : LONG) && !e.exact) {
        e.rolled = true;
        e.grouped = false;
        dal_collect_nodes(&e, n_results, results, guarded);
    }
    int *numbers = DAL_NEW(code->arena, int, 6 * (e.n + 1));
    e.uses = numbers;
    e.part = numbers + e.n;
    e.last = numbers + 2 * e.n;
    e.slot = numbers + 3 * e.n;
    e.deep = numbers + 4 * e.n;
    e.pair = numbers + 5 * e.n;
    e.inside = DAL_NEW(code->arena, bool, e.n + 1);
    e.printed = DAL_NEW(code->arena, bool, e.n + 1);
    e.n_parts = 1;
    if (e.rolled && !dal_choose_loops(&e, n_results, results)) {
        e.rolled = false;
        e.grouped = code->options->rates;
        e.n_slots = 0;
        memset(numbers, 0, sizeof *numbers * 6 * (size_t)(e.n + 1));
        dal_collect_nodes(&e, n_results, results, guarded);
    }
    if (!e.rolled) {
        dal_find_pairs(&e);
        dal_choose_statements(&e, n_results, results);
        dal_choose_parts(&e);
        dal_choose_slots(&e);
    }
    if (e.rolled && !code->rolled)
        dal_grow(out, dal_text_loops, prefix, prefix, prefix);
    code->rolled = code->rolled || e.rolled;
    if (e.n_parts > 1)
        print_parts(&e, name, arguments, n_results, results);
    dal_grow(out, "%s %s_%s(%s)\n{\n", wide ? "static int" : "int", prefix, name, arguments);
    if (e.n_slots)
        dal_grow(out, "    %s z[%d];\n", type_name(&e), e.n_slots);
    dal_grow(out, wide ? "    %s_mask bad = {0, 0, 0, 0};\n" : "    int bad = 0;\n", prefix);
    ignore_arguments(&e, n_results, results);
    e.now = 0;
    if (e.n_parts == 1)
        print_body(&e, n_results, results);
    for (int p = 0; p < e.n_parts && e.n_parts > 1; p++) {
        dal_grow(out, "    %s_%s_part%d(", prefix, name, p + 1);
        pass_arguments(&e, n_results, results);
        dal_grow(out, ");\n");
    }
    print_end(&e, guarded, results);
    return e.operations;
}

/* ---- tables ------------------------------------------------------------------------------------ */

void dal_emit_tables(dal_growing *out, dal_listing *code)
{
    emitter e = {.out = out, .c = code, .prefix = code->options->prefix};
    for (int i = 0; i < dal_graph_tables(code->graph); i++) {
        const dal_table *t = dal_graph_table(code->graph, i);
        dal_grow(out, "static const double %s_x%d[] = {", e.prefix, i);
        for (int k = 0; k < t->n; k++) {
            dal_grow(out, k ? (k % 6 ? ", " : ",\n    ") : "");
            print_number(&e, t->x[k]);
        }
        dal_grow(out, "};\nstatic const double %s_c%d[] = {", e.prefix, i);
        for (int k = 0; k < 4 * (t->n - 1) + 1; k++) {
            dal_grow(out, k ? (k % 4 ? ", " : ",\n    ") : "");
            print_number(&e, t->c[k]);
        }
        dal_grow(out, "};\n\n");
    }
}
