/* Many outputs compiled into one tape.
 *
 * The nodes under the outputs are listed operands first: common subexpressions are computed once, everything else
 * is skipped. Some operations are written in terms of others, so that they share the switch of their derivatives:
 *
 *   abs(x) = x sign(x)          min(a, b) = if(a <= b, a, b)
 *   mod(a, b) = a - b floor(a/b)    max(a, b) = if(b <= a, a, b)
 *
 * A switching operation whose operands change only where other modes change needs no switch of its own.
 */
#include "expr/program.h"

#include "expr/graph.h"

#include <assert.h>

enum { SWITCH_TEXT = 200, LARGEST_POWER = 1 << 20 };

typedef struct builder {
    dal_arena *arena; /* of the graph: what is needed on the way ends with it */
    dal_graph *graph;
    dal_node *list; /* the nodes of the tape, operands first */
    int n_list;
    size_t list_capacity;
    double *constants;
    int32_t *loads;
    dal_instruction *code;
    dal_switch *switches;
    const char **texts;
    size_t text_bytes;
    int32_t *tables; /* graph numbers of the tables in use */
    int n_constants, n_loads, n_code, n_switches, n_tables;
    int64_t table_doubles;
    bool traces;
} builder;

/* ---- order ------------------------------------------------------------------ */

/* The node that computes `node` with the operations that the tape has. */
static dal_node write_out(dal_graph *g, dal_node node)
{
    dal_term t = g->terms[node];
    switch (t.op) {
    case DAL_OP_ABS: return dal_binary(g, DAL_OP_MUL, t.a, dal_unary(g, DAL_OP_SIGN, t.a));
    case DAL_OP_MIN: return dal_select(g, dal_binary(g, DAL_OP_LEQ, t.a, t.b), t.a, t.b);
    case DAL_OP_MAX: return dal_select(g, dal_binary(g, DAL_OP_LEQ, t.b, t.a), t.a, t.b);
    case DAL_OP_MOD: {
        dal_node whole = dal_unary(g, DAL_OP_FLOOR, dal_binary(g, DAL_OP_DIV, t.a, t.b));
        return dal_binary(g, DAL_OP_SUB, t.a, dal_binary(g, DAL_OP_MUL, t.b, whole));
    }
    default: return node;
    }
}

/* Depth first as in dal_collect. A node that is written out gets the node in its place as ~slot, to be followed. */
static void list_nodes(builder *b, int n_outputs, const dal_node *outputs)
{
    dal_graph *graph = b->graph;
    dal_begin_walk(graph);
    for (int i = n_outputs - 1; i >= 0; i--)
        dal_push_node(graph, outputs[i]);
    while (graph->n_stack) {
        dal_node node = graph->stack[--graph->n_stack];
        if (node < 0) {
            *DAL_PUSH(b->arena, b->list, b->n_list, b->list_capacity) = ~node;
            continue;
        }
        if (graph->terms[node].stamp == graph->stamp)
            continue;
        dal_node instead = write_out(graph, node);
        dal_term *term = &graph->terms[node];
        term->stamp = graph->stamp;
        dal_push_node(graph, ~node);
        if (instead != node) {
            term->slot = ~instead;
            dal_push_node(graph, instead);
            continue;
        }
        term->slot = 0;
        const dal_node operand[3] = {term->c, term->b, term->a};
        for (int i = 0; i < 3; i++)
            if (operand[i] >= 0)
                dal_push_node(graph, operand[i]);
    }
}

/* ---- switches --------------------------------------------------------------- */

static int32_t add_switch(builder *b, dal_switch entry, dal_node node)
{
    for (int i = 0; i < b->n_switches && entry.op == DAL_OP_INTERP; i++) {
        const dal_switch *other = &b->switches[i]; /* derivatives of one table at one place share their knots */
        if (other->op == entry.op && other->a == entry.a && other->table == entry.table && other->knots == entry.knots)
            return i;
    }
    const char *text = dal_print_limited(b->graph, node, NULL, NULL, SWITCH_TEXT);
    entry.text = (int32_t)b->text_bytes; /* made an offset in the block by layout_program */
    b->text_bytes += strlen(text) + 1;
    b->texts[b->n_switches] = text;
    b->switches[b->n_switches] = entry;
    return b->n_switches++;
}

static bool only_steps(const builder *b, const dal_term *term)
{
    return b->graph->terms[term->a].steps && (term->b < 0 || b->graph->terms[term->b].steps);
}

static int32_t use_table(builder *b, int index)
{
    for (int i = 0; i < b->n_tables; i++)
        if (b->tables[i] == index)
            return i;
    const dal_table *table = &b->graph->tables[index];
    b->table_doubles += (int64_t)dal_table_doubles(table->n);
    b->traces = b->traces || table->outside == DAL_OUTSIDE_ERROR;
    b->tables[b->n_tables] = index;
    return b->n_tables++;
}

/* ---- instructions ----------------------------------------------------------- */

static int32_t register_of(const builder *b, dal_node node)
{
    return node < 0 ? 0 : b->graph->terms[node].slot;
}

static dal_instruction emit_interp(builder *b, dal_node node, const dal_term *term)
{
    int32_t table = use_table(b, term->index), x = register_of(b, term->a);
    dal_knots knots = dal_table_knots(&b->graph->tables[term->index], term->order);
    int32_t s = -1;
    if (knots != DAL_KNOTS_NONE && !only_steps(b, term))
        s = add_switch(b, (dal_switch){.op = DAL_OP_INTERP, .a = x, .table = table, .knots = (int32_t)knots}, node);
    return (dal_instruction){DAL_OP_INTERP, 1, x, 4 * table + term->order, s};
}

static dal_instruction emit_power(const builder *b, const dal_term *term)
{
    double exponent;
    int32_t base = register_of(b, term->a);
    if (dal_is_const(b->graph, term->b, &exponent) && exponent == floor(exponent) && fabs(exponent) <= LARGEST_POWER)
        return (dal_instruction){DAL_TAPE_POWI, 1, base, (int32_t)exponent, 0};
    return (dal_instruction){DAL_OP_POW, 2, base, register_of(b, term->b), 0};
}

static dal_instruction emit(builder *b, dal_node node, const dal_term *term)
{
    int32_t a = register_of(b, term->a), other = register_of(b, term->b), third = register_of(b, term->c);
    int16_t arity = (int16_t)((term->a >= 0) + (term->b >= 0) + (term->c >= 0));
    switch (term->op) {
    case DAL_OP_INTERP: return emit_interp(b, node, term);
    case DAL_OP_POW: return emit_power(b, term);
    case DAL_OP_SIGN:
    case DAL_OP_FLOOR:
    case DAL_OP_LESS:
    case DAL_OP_LEQ:
    case DAL_OP_EQUAL: third = only_steps(b, term) ? -1 : add_switch(b, (dal_switch){.op = term->op, .a = a, .b = other}, node); break;
    default: break;
    }
    return (dal_instruction){term->op, arity, a, other, third};
}

/* Constants and loads get their registers first, then the instructions in the order of the list. */
static void assign(builder *b, int n_variables)
{
    dal_term *terms = b->graph->terms;
    for (int i = 0; i < b->n_list; i++) {
        dal_term *term = &terms[b->list[i]];
        if (term->op == DAL_OP_CONST) {
            term->slot = b->n_constants;
            b->constants[b->n_constants++] = term->value;
        }
    }
    for (int i = 0; i < b->n_list; i++) {
        dal_term *term = &terms[b->list[i]];
        if (term->op == DAL_OP_VAR) {
            assert(term->index < n_variables);
            term->slot = b->n_constants + b->n_loads;
            b->loads[b->n_loads++] = term->index;
        }
    }
    (void)n_variables;
    for (int i = 0; i < b->n_list; i++) {
        dal_term term = b->graph->terms[b->list[i]]; /* printing a switch may move the terms */
        if (term.op == DAL_OP_CONST || term.op == DAL_OP_VAR)
            continue;
        int32_t slot = b->n_constants + b->n_loads + b->n_code;
        if (term.slot < 0)
            slot = b->graph->terms[~term.slot].slot; /* written out: its register is that of the other node */
        else
            b->code[b->n_code++] = emit(b, b->list[i], &term);
        b->graph->terms[b->list[i]].slot = slot;
    }
}

/* ---- the block -------------------------------------------------------------- */

/* Room for `bytes` bytes at a multiple of 8. */
static int64_t place_array(int64_t *end, size_t bytes)
{
    int64_t at = *end;
    *end += (int64_t)((bytes + 7) / 8 * 8);
    return at;
}

static void put_array(dal_program *program, int64_t offset, const void *data, size_t bytes)
{
    if (bytes)
        memcpy((char *)program + offset, data, bytes);
}

static void put_tables(const builder *b, dal_program *program)
{
    int64_t at = program->doubles + (int64_t)sizeof(double) * b->n_constants;
    for (int i = 0; i < b->n_tables; i++) {
        const dal_table *table = &b->graph->tables[b->tables[i]];
        dal_program_table entry = {table->n, table->smooth, (int32_t)table->outside, b->tables[i] + 1, at};
        size_t bytes = sizeof(double) * dal_table_doubles(table->n);
        put_array(program, program->tables + (int64_t)sizeof entry * i, &entry, sizeof entry);
        put_array(program, at, table->x, bytes); /* the coefficients follow the knots */
        at += (int64_t)bytes;
    }
}

static dal_program *layout_program(builder *b, dal_arena *arena, int n_variables, int n_outputs, const dal_node *outputs)
{
    dal_program head = {.n_variables = n_variables,
                        .n_outputs = n_outputs,
                        .n_constants = b->n_constants,
                        .n_loads = b->n_loads,
                        .n_code = b->n_code,
                        .n_switches = b->n_switches,
                        .n_tables = b->n_tables,
                        .traces = b->traces,
                        .bytes = sizeof head};
    head.code = place_array(&head.bytes, sizeof *b->code * (size_t)b->n_code);
    head.loads = place_array(&head.bytes, sizeof *b->loads * (size_t)b->n_loads);
    head.outputs = place_array(&head.bytes, sizeof(int32_t) * (size_t)n_outputs);
    head.switches = place_array(&head.bytes, sizeof *b->switches * (size_t)b->n_switches);
    head.tables = place_array(&head.bytes, sizeof(dal_program_table) * (size_t)b->n_tables);
    head.doubles = place_array(&head.bytes, sizeof(double) * (size_t)(b->n_constants + b->table_doubles));
    int64_t text = place_array(&head.bytes, b->text_bytes);
    dal_program *program = dal_arena_alloc(arena, (size_t)head.bytes);
    *program = head;
    put_array(program, head.code, b->code, sizeof *b->code * (size_t)b->n_code);
    put_array(program, head.loads, b->loads, sizeof *b->loads * (size_t)b->n_loads);
    put_array(program, head.doubles, b->constants, sizeof(double) * (size_t)b->n_constants);
    put_tables(b, program);
    for (int i = 0; i < n_outputs; i++) {
        int32_t slot = register_of(b, outputs[i]);
        put_array(program, head.outputs + (int64_t)sizeof slot * i, &slot, sizeof slot);
    }
    for (int i = 0; i < b->n_switches; i++) {
        b->switches[i].text += (int32_t)text;
        put_array(program, b->switches[i].text, b->texts[i], strlen(b->texts[i]) + 1);
    }
    put_array(program, head.switches, b->switches, sizeof *b->switches * (size_t)b->n_switches);
    return program;
}

dal_program *dal_program_build(dal_arena *arena, dal_graph *graph, int n_variables, int n_outputs, const dal_node *outputs)
{
    dal_arena *scratch = graph->arena;
    builder b = {.arena = scratch, .graph = graph};
    list_nodes(&b, n_outputs, outputs);
    b.constants = DAL_NEW(scratch, double, b.n_list);
    b.loads = DAL_NEW(scratch, int32_t, b.n_list);
    b.code = DAL_NEW(scratch, dal_instruction, b.n_list);
    b.switches = DAL_NEW(scratch, dal_switch, b.n_list);
    b.texts = DAL_NEW(scratch, const char *, b.n_list);
    b.tables = DAL_NEW(scratch, int32_t, graph->n_tables);
    assign(&b, n_variables);
    return layout_program(&b, arena, n_variables, n_outputs, outputs);
}

size_t dal_program_bytes(const dal_program *program)
{
    return (size_t)program->bytes;
}

int dal_program_variables(const dal_program *program)
{
    return program->n_variables;
}

int dal_program_outputs(const dal_program *program)
{
    return program->n_outputs;
}

int dal_program_registers(const dal_program *program)
{
    return dal_program_values(program) * (program->traces || program->n_switches ? 2 : 1);
}

int dal_program_switches(const dal_program *program)
{
    return program->n_switches;
}

const char *dal_program_switch_text(const dal_program *program, int i)
{
    return (const char *)program + DAL_PROGRAM_PART(program, dal_switch, switches)[i].text;
}
