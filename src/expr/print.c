/* A node as text that parses to the same node.
 *
 * Parentheses follow from the levels of the grammar (parse.c): comparison 1, sum 2, product 3, sign 4, power 5,
 * atom 6. The text of a shared graph can be exponentially long, and a graph arbitrarily deep: the printer works on a
 * stack of pieces and stops at a limit.
 */
#include "expr/graph.h"

#include <stdio.h>
#include <stdlib.h>

enum { COMPARISON = 1, SUM, PRODUCT, SIGN, POWER, ATOM, LONGEST = 1 << 20 };

/* A text, or a node that has to be put in parentheses if it binds weaker than `level`. */
typedef struct print_piece {
    const char *text;
    dal_node node;
    int level;
} print_piece;

typedef struct printer {
    dal_graph *graph;
    const char *(*name)(void *user, int variable);
    void *user;
    print_piece *stack;
    int n_stack;
    size_t stack_capacity;
    char *out;
    int n_out;
    size_t out_capacity;
} printer;

static void push_text(printer *p, const char *text)
{
    *DAL_PUSH(p->graph->arena, p->stack, p->n_stack, p->stack_capacity) = (print_piece){text, DAL_NO_NODE, 0};
}

static void push_node(printer *p, dal_node node, int level)
{
    *DAL_PUSH(p->graph->arena, p->stack, p->n_stack, p->stack_capacity) = (print_piece){NULL, node, level};
}

static void write_text(printer *p, const char *text)
{
    for (; *text; text++)
        *DAL_PUSH(p->graph->arena, p->out, p->n_out, p->out_capacity) = *text;
}

void dal_print_number(double value, char buffer[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    /* Whatever the locale writes between the digits becomes one point. */
    char *to = buffer;
    for (const char *from = buffer; *from; from++) {
        bool usual = strchr("0123456789+-e", *from) || !isfinite(value);
        if (usual)
            *to++ = *from;
        else if (to == buffer || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
}

static void write_number(printer *p, double value)
{
    char buffer[32];
    dal_print_number(value, buffer);
    write_text(p, buffer);
}

static void write_variable(printer *p, int variable)
{
    const char *name = NULL;
    if (p->name)
        name = p->name(p->user, variable);
    else if (variable < p->graph->n_names)
        name = p->graph->names[variable];
    char number[32];
    snprintf(number, sizeof number, "#%d", variable);
    write_text(p, name ? name : number);
}

static const char *function_name(int op)
{
    static const char *const name[DAL_OP_COUNT] = {
        [DAL_OP_SIN] = "sin(",   [DAL_OP_COS] = "cos(",     [DAL_OP_TAN] = "tan(",     [DAL_OP_ASIN] = "asin(", [DAL_OP_ACOS] = "acos(",
        [DAL_OP_ATAN] = "atan(", [DAL_OP_ATAN2] = "atan2(", [DAL_OP_SINH] = "sinh(",   [DAL_OP_COSH] = "cosh(", [DAL_OP_TANH] = "tanh(",
        [DAL_OP_SQRT] = "sqrt(", [DAL_OP_EXP] = "exp(",     [DAL_OP_LOG] = "log(",     [DAL_OP_ABS] = "abs(",   [DAL_OP_SIGN] = "sign(",
        [DAL_OP_MIN] = "min(",   [DAL_OP_MAX] = "max(",     [DAL_OP_FLOOR] = "floor(", [DAL_OP_MOD] = "mod(",   [DAL_OP_SELECT] = "if("};
    return name[op];
}

static bool is_const(const printer *p, dal_node node)
{
    return p->graph->terms[node].op == DAL_OP_CONST;
}

/* 1 - (a == b) was written a != b. */
static bool is_unequal(const printer *p, const dal_term *t)
{
    const dal_term *terms = p->graph->terms;
    return t->op == DAL_OP_SUB && is_const(p, t->a) && terms[t->a].value == 1 && terms[t->b].op == DAL_OP_EQUAL;
}

static int level_of(const printer *p, const dal_term *t)
{
    switch (t->op) {
    case DAL_OP_CONST: return t->value < 0 ? SIGN : ATOM;
    case DAL_OP_ADD: return SUM;
    case DAL_OP_SUB: return is_unequal(p, t) ? COMPARISON : SUM;
    case DAL_OP_MUL: return t->a == t->b ? POWER : PRODUCT;
    case DAL_OP_DIV: return PRODUCT;
    case DAL_OP_NEG: return SIGN;
    case DAL_OP_POW: return POWER;
    case DAL_OP_LESS:
    case DAL_OP_LEQ:
    case DAL_OP_EQUAL: return COMPARISON;
    default: return ATOM;
    }
}

/* left, sign, right; pushed in reverse. */
static void push_infix(printer *p, dal_node left, int left_level, const char *sign, dal_node right, int right_level)
{
    push_node(p, right, right_level);
    push_text(p, sign);
    push_node(p, left, left_level);
}

/* A constant goes to the right: x > 1 instead of 1 < x. */
static void push_comparison(printer *p, const dal_term *t, const char *sign, const char *mirrored)
{
    bool mirror = is_const(p, t->a) && !is_const(p, t->b);
    push_infix(p, mirror ? t->b : t->a, SUM, mirror ? mirrored : sign, mirror ? t->a : t->b, SUM);
}

static void push_sum(printer *p, const dal_term *t)
{
    double c;
    if (!dal_is_const(p->graph, t->a, &c)) {
        push_infix(p, t->a, SUM, " + ", t->b, PRODUCT);
    } else if (c < 0) { /* -2 + x is x - 2 */
        push_infix(p, t->b, SUM, " - ", dal_const(p->graph, -c), PRODUCT);
    } else {
        push_infix(p, t->b, SUM, " + ", t->a, PRODUCT);
    }
}

static void push_call(printer *p, const dal_term *t)
{
    const dal_node operand[3] = {t->a, t->b, t->c};
    int n = 0;
    while (n < 3 && operand[n] >= 0)
        n++;
    push_text(p, ")");
    for (int i = n - 1; i >= 0; i--) {
        push_node(p, operand[i], 0);
        if (i)
            push_text(p, ", ");
    }
    push_text(p, function_name(t->op));
}

static void push_interp(printer *p, const dal_term *t)
{
    static const char *const closing[] = {")", ", 1)", ", 2)", ", 3)"};
    push_text(p, closing[t->order]);
    push_node(p, t->a, 0);
    push_text(p, ", ");
    push_text(p, p->graph->tables[t->index].name);
    push_text(p, "interp(");
}

static void expand(printer *p, dal_term t)
{
    switch (t.op) {
    case DAL_OP_CONST: write_number(p, t.value); break;
    case DAL_OP_VAR: write_variable(p, t.index); break;
    case DAL_OP_ADD: push_sum(p, &t); break;
    case DAL_OP_SUB:
        if (is_unequal(p, &t))
            push_comparison(p, &p->graph->terms[t.b], " != ", " != ");
        else
            push_infix(p, t.a, SUM, " - ", t.b, PRODUCT);
        break;
    case DAL_OP_MUL:
        if (t.a == t.b) {
            push_text(p, "^2");
            push_node(p, t.a, ATOM);
        } else {
            push_infix(p, t.a, PRODUCT, "*", t.b, SIGN);
        }
        break;
    case DAL_OP_DIV: push_infix(p, t.a, PRODUCT, "/", t.b, SIGN); break;
    case DAL_OP_POW: push_infix(p, t.a, ATOM, "^", t.b, SIGN); break;
    case DAL_OP_NEG:
        push_node(p, t.a, POWER);
        push_text(p, "-");
        break;
    case DAL_OP_LESS: push_comparison(p, &t, " < ", " > "); break;
    case DAL_OP_LEQ: push_comparison(p, &t, " <= ", " >= "); break;
    case DAL_OP_EQUAL: push_comparison(p, &t, " == ", " == "); break;
    case DAL_OP_INTERP: push_interp(p, &t); break;
    default: push_call(p, &t);
    }
}

const char *dal_print_limited(dal_graph *graph, dal_node node, const char *(*name)(void *user, int variable), void *user, size_t limit)
{
    printer p = {.graph = graph, .name = name, .user = user};
    push_node(&p, node, 0);
    while (p.n_stack && (size_t)p.n_out <= limit) {
        print_piece piece = p.stack[--p.n_stack];
        if (piece.text) {
            write_text(&p, piece.text);
            continue;
        }
        dal_term term = graph->terms[piece.node];
        if (level_of(&p, &term) < piece.level) {
            write_text(&p, "(");
            push_text(&p, ")");
        }
        expand(&p, term);
    }
    if ((size_t)p.n_out > limit) {
        p.n_out = (int)limit;
        write_text(&p, "...");
    }
    *DAL_PUSH(graph->arena, p.out, p.n_out, p.out_capacity) = '\0';
    return p.out;
}

const char *dal_node_print(dal_graph *graph, dal_node node, const char *(*name)(void *user, int variable), void *user)
{
    return dal_print_limited(graph, node, name, user, LONGEST);
}
