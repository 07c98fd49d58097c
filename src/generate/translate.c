/* From the graph of a derivation to that of the code: operands stand before what uses them, so that one pass over the nodes is enough. A named system
 * is eliminated where its first unknown is met: its matrix has been translated by then. */
#include "generate/listing.h"

#include <string.h>

static dal_node variable(dal_listing *c, dal_listing_array array, int index)
{
    return dal_var(c->graph, c->first[array] + index);
}

static int parameter_place(const dal_listing *c, int letter)
{
    for (int i = 0; i < c->n_parameters; i++)
        if (c->parameter[i] == letter)
            return i;
    return -1;
}

/* Inputs, then the model's own states, then momenta. */
static dal_node extra(dal_listing *c, const dal_letter *l)
{
    const dal_spec *spec = c->d->spec;
    const int before = l->role == DAL_ROLE_INPUT ? 0 : l->role == DAL_ROLE_STATE ? spec->n_inputs : spec->n_inputs + spec->n_states;
    return variable(c, DAL_ARRAY_INPUTS, before + l->index);
}

static dal_node letter_node(dal_listing *c, int i)
{
    const dal_letter *l = &c->d->letters[i];
    switch (l->role) {
    case DAL_ROLE_TIME: return variable(c, DAL_ARRAY_TIME, 0);
    case DAL_ROLE_COORDINATE: return variable(c, DAL_ARRAY_Q, l->index);
    case DAL_ROLE_RATE: return variable(c, DAL_ARRAY_V, l->index);
    case DAL_ROLE_SPEED: return variable(c, DAL_ARRAY_SPEEDS, l->index);
    case DAL_ROLE_NUMBER: return dal_const(c->graph, l->value);
    case DAL_ROLE_PARAMETER: {
        const int place = parameter_place(c, i);
        return place < 0 ? dal_const(c->graph, l->value) : variable(c, DAL_ARRAY_PARAMETERS, place);
    }
    case DAL_ROLE_INPUT:
    case DAL_ROLE_STATE:
    case DAL_ROLE_MOMENTUM: return extra(c, l);
    default: return DAL_NO_NODE;
    }
}

/* Of what the derivation has now: reading texts adds to it. */
static void make_room(dal_translation *t)
{
    dal_derivation *d = t->code->d;
    dal_arena *arena = t->code->arena;
    const int n = dal_graph_size(d->graph);
    if (n > t->n_map) {
        dal_node *map = DAL_NEW(arena, dal_node, n);
        for (int i = 0; i < n; i++)
            map[i] = i < t->n_map ? t->map[i] : DAL_NO_NODE;
        t->map = map;
        t->wanted = DAL_NEW(arena, int, n);
        t->n_map = n;
    }
    if (d->n_letters > t->n_letters) {
        dal_node *letter = DAL_NEW(arena, dal_node, d->n_letters);
        for (int i = 0; i < d->n_letters; i++)
            letter[i] = i < t->n_letters ? t->letter[i] : letter_node(t->code, i);
        t->letter = letter;
        t->n_letters = d->n_letters;
    }
    if (d->n_systems >= t->n_systems) {
        bool *solved = DAL_NEW(arena, bool, d->n_systems + 1);
        for (int i = 0; i < t->n_systems; i++)
            solved[i] = t->solved[i];
        t->solved = solved;
        t->n_systems = d->n_systems + 1;
    }
}

dal_translation dal_translation_begin(dal_listing *code)
{
    dal_translation t = {.code = code};
    make_room(&t);
    return t;
}

/* ---- one node ------------------------------------------------------------------------- */

static void solve_system(dal_translation *t, int number)
{
    const dal_named_system *s = &t->code->d->systems[number];
    dal_node *matrix = DAL_NEW(t->code->arena, dal_node, s->n * s->n), *right = DAL_NEW(t->code->arena, dal_node, s->n);
    dal_translate(t, s->n * s->n, s->matrix, matrix);
    dal_translate(t, s->n, s->right, right);
    dal_eliminate(t->code, s->n, matrix, right, NULL, t->letter + s->first);
    t->solved[number] = true;
}

static dal_node translate_variable(dal_translation *t, int letter)
{
    const dal_letter *l = &t->code->d->letters[letter];
    if (l->role == DAL_ROLE_NAMED && !t->solved[l->index])
        solve_system(t, l->index);
    return t->letter[letter];
}

/* a / c is a times 1 / c: a quotient costs as much as ten products. */
static dal_node quotient(dal_graph *g, dal_node a, dal_node b)
{
    double c;
    if (dal_is_const(g, b, &c) && c != 0)
        return dal_binary(g, DAL_OP_MUL, a, dal_const(g, 1 / c));
    return dal_binary(g, DAL_OP_DIV, a, b);
}

/* A small whole power is a product. */
static dal_node power(dal_graph *g, dal_node a, dal_node b)
{
    double c;
    if (!dal_is_const(g, b, &c) || (c != 2 && c != 3 && c != 4 && c != -2 && c != -3))
        return dal_binary(g, DAL_OP_POW, a, b);
    const dal_node square = dal_binary(g, DAL_OP_MUL, a, a);
    const dal_node whole = c == 2 || c == -2 ? square : dal_binary(g, DAL_OP_MUL, square, c == 4 ? square : a);
    return c > 0 ? whole : dal_binary(g, DAL_OP_DIV, dal_const(g, 1), whole);
}

/* The angle of k sin(x) sin(x) or k cos(x) cos(x), and k; DAL_NO_NODE: it is neither. */
static dal_node square_of(const dal_graph *g, dal_node node, dal_op op, double *factor)
{
    dal_node_view x = dal_node_read(g, node);
    *factor = 1;
    if (x.op == DAL_OP_MUL && dal_is_const(g, x.a, factor))
        x = dal_node_read(g, x.b);
    return x.op == DAL_OP_MUL && x.a == x.b && dal_node_op(g, x.a) == op ? dal_node_read(g, x.a).a : DAL_NO_NODE;
}

/* k sin^2 + k cos^2 = k */
static dal_node sum(dal_graph *g, dal_node a, dal_node b)
{
    double k, l;
    for (int turn = 0; turn < 2; turn++) {
        const dal_node angle = square_of(g, turn ? b : a, DAL_OP_SIN, &k);
        if (angle != DAL_NO_NODE && angle == square_of(g, turn ? a : b, DAL_OP_COS, &l) && k == l)
            return dal_const(g, k);
    }
    return dal_binary(g, DAL_OP_ADD, a, b);
}

static dal_node translate_node(dal_translation *t, dal_node node)
{
    dal_graph *g = t->code->graph;
    const dal_graph *from = t->code->d->graph;
    const dal_node_view x = dal_node_read(from, node);
    const dal_node a = x.a >= 0 ? t->map[x.a] : DAL_NO_NODE, b = x.b >= 0 ? t->map[x.b] : DAL_NO_NODE, c = x.c >= 0 ? t->map[x.c] : DAL_NO_NODE;
    switch (x.op) {
    case DAL_OP_CONST: return dal_const(g, x.value);
    case DAL_OP_VAR: return translate_variable(t, x.index);
    case DAL_OP_ADD: return sum(g, a, b);
    case DAL_OP_DIV: return quotient(g, a, b);
    case DAL_OP_POW: return power(g, a, b);
    case DAL_OP_ABS: return dal_binary(g, DAL_OP_MUL, a, dal_unary(g, DAL_OP_SIGN, a)); /* as programs do: expr/program.c */
    case DAL_OP_MIN: return dal_select(g, dal_binary(g, DAL_OP_LEQ, a, b), a, b);
    case DAL_OP_MAX: return dal_select(g, dal_binary(g, DAL_OP_LEQ, b, a), a, b);
    case DAL_OP_MOD: return dal_binary(g, DAL_OP_SUB, a, dal_binary(g, DAL_OP_MUL, b, dal_unary(g, DAL_OP_FLOOR, dal_binary(g, DAL_OP_DIV, a, b))));
    case DAL_OP_SELECT: return dal_select(g, a, b, c);
    case DAL_OP_INTERP: return dal_interp(g, dal_node_index(from, node), dal_node_order(from, node), a);
    default: return b == DAL_NO_NODE ? dal_unary(g, x.op, a) : dal_binary(g, x.op, a, b);
    }
}

/* ---- what is needed ---------------------------------------------------------------------- */

static void want(dal_translation *t, dal_node node)
{
    if (t->map[node] == DAL_NO_NODE)
        t->wanted[node] = t->depth;
}

static void want_operands(dal_translation *t, dal_node node)
{
    dal_node operand[3];
    const int n = dal_node_operands(t->code->d->graph, node, operand);
    for (int i = 0; i < n; i++)
        want(t, operand[i]);
}

/* An unknown of a system asks for its matrix, at one more depth: that of a system of the matrix is solved before, and no one waits for itself. What an
 * outer depth wanted and an inner one translated is known when the outer one comes to it. */
void dal_translate(dal_translation *t, int n, const dal_node *from, dal_node *to)
{
    make_room(t);
    t->depth++;
    dal_node highest = -1;
    for (int i = 0; i < n; i++) {
        want(t, from[i]);
        highest = from[i] > highest ? from[i] : highest;
    }
    for (dal_node node = highest; node >= 0; node--)
        if (t->wanted[node] == t->depth)
            want_operands(t, node);
    for (dal_node node = 0; node <= highest; node++)
        if (t->wanted[node] == t->depth && t->map[node] == DAL_NO_NODE)
            t->map[node] = translate_node(t, node);
    t->depth--;
    for (int i = 0; i < n; i++)
        to[i] = t->map[from[i]];
}
