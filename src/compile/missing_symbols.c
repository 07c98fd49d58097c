/* Expressions of the model once more, with names: parameters stay parameters, and channels are variables called as they are written. */
#include "compile/missing.h"

#include <string.h>

enum { DEEPEST_NAMED = 30 };

static dal_node combine(dal_symbolic *s, dal_op op, dal_node a, dal_node b)
{
    return dal_binary(s->graph, op, a, b);
}

dal_node dal_symbolic_variable_of(dal_symbolic *s, dal_symbolic_kind kind, const char *name, double number, dal_node node)
{
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->variable[i].name, name))
            return dal_var(s->graph, DAL_SYMBOLIC_FIRST + i);
    *DAL_PUSH(s->arena, s->variable, s->n, s->capacity) = (dal_symbolic_variable){name, kind, number, node};
    return dal_var(s->graph, DAL_SYMBOLIC_FIRST + s->n - 1);
}

/* ---- what a name means ------------------------------------------------------------------------- */

static void classify(void *user, int variable)
{
    struct {
        const dal_build *build;
        dal_symbolic_kind kind;
    } *c = user;
    const dal_signal *signal = &c->build->signals[variable];
    dal_symbolic_kind kind = DAL_SYMBOLIC_OTHER;
    if (signal->kind == DAL_SIGNAL_TIME)
        kind = DAL_SYMBOLIC_TIME;
    else if (signal->kind == DAL_SIGNAL_MEASURE || signal->kind == DAL_SIGNAL_VECTOR)
        kind = signal->order == 0 ? DAL_SYMBOLIC_POSITION : signal->order == 1 ? DAL_SYMBOLIC_RATE : DAL_SYMBOLIC_OTHER;
    else if ((signal->kind == DAL_SIGNAL_OMEGA || signal->kind == DAL_SIGNAL_OMEGA_BODY) && signal->order == 0)
        kind = DAL_SYMBOLIC_RATE;
    if (kind > c->kind)
        c->kind = kind;
}

static dal_symbolic_kind kind_of(dal_symbolic *s, dal_node node)
{
    struct {
        const dal_build *build;
        dal_symbolic_kind kind;
    } c = {s->build, DAL_SYMBOLIC_NUMBER};
    dal_each_var(s->build->graph, node, classify, &c);
    return c.kind;
}

/* As the whole model calls it. */
static const char *full_name(dal_symbolic *s, const char *name)
{
    const dal_binding *binding = s->build->binding;
    return binding && binding->model && strcmp(name, "t") ? dal_arena_print(s->arena, "%s.%s", binding->model->name.text, name) : name;
}

static void name_value(dal_symbolic *s, const char *name, int primes, dal_value *value)
{
    static const char *const part[] = {".x", ".y", ".z"};
    for (int i = 0; i < value->n; i++) {
        double number;
        if (dal_is_const(s->build->graph, value->node[i], &number)) {
            value->node[i] = dal_const(s->graph, number);
            continue;
        }
        const char *whole = dal_arena_print(s->arena, "%s%s%.*s", name, value->n > 1 ? part[i] : "", primes, "''''");
        value->node[i] = dal_symbolic_variable_of(s, kind_of(s, value->node[i]), whole, 0, value->node[i]);
    }
}

static bool use_define(dal_symbolic *s, const dal_named *d, dal_value *value);

static bool resolve_symbol(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_symbolic *s = user;
    dal_build *build = s->build;
    const char *rest;
    for (const dal_binding *b = build->binding; b; b = b->outer)
        if (!strcmp(b->name, name)) {
            *value = (dal_value){1, {dal_const(s->graph, primes ? 0 : b->value)}, 0};
            return true;
        }
    const dal_symbol *symbol = strcmp(name, "t") && strncmp(name, "ground", 6) ? dal_symbol_inside(build, name, &rest) : NULL;
    if (symbol && symbol->kind == DAL_SYMBOL_PARAMETER && !*rest) {
        const double number = build->spec->parameters[symbol->index].number;
        *value = (dal_value){
            1, {primes ? dal_const(s->graph, 0) : dal_symbolic_variable_of(s, DAL_SYMBOLIC_NUMBER, symbol->name, number, DAL_NO_NODE)}, 0};
        return true;
    }
    if (symbol && symbol->kind == DAL_SYMBOL_DEFINE && !*rest && !primes)
        return use_define(s, &build->defines[symbol->index], value);
    dal_graph *own = build->graph; /* of the build, even where it reads symbols now */
    build->graph = s->plain;
    const bool known = dal_build_resolve(build, name, primes, mark, value, hint);
    if (known)
        name_value(s, full_name(s, name), primes, value);
    build->graph = own;
    return known && primes <= 1;
}

static dal_parser parser_of(dal_symbolic *s)
{
    return (dal_parser){.graph = s->graph, .messages = NULL, .resolve = resolve_symbol, .user = s};
}

static bool read_value(dal_symbolic *s, const dal_binding *binding, dal_text text, dal_value *value)
{
    const dal_parser parser = parser_of(s);
    dal_messages *messages = s->build->messages;
    s->build->messages = NULL;
    const bool fine = dal_build_parse_by(s->build, &parser, DAL_REACH_ACTION, binding, text, value);
    s->build->messages = messages;
    return fine;
}

static bool use_define(dal_symbolic *s, const dal_named *d, dal_value *value)
{
    if (s->depth >= DEEPEST_NAMED)
        return false;
    s->depth++;
    const bool fine = read_value(s, d->binding, d->text, value);
    s->depth--;
    return fine;
}

bool dal_symbolic_parse(dal_symbolic *s, const dal_binding *binding, dal_text text, dal_node *node)
{
    dal_value value;
    if (!read_value(s, binding, text, &value) || value.n != 1)
        return false;
    *node = value.node[0];
    return true;
}

bool dal_symbolic_channel(dal_symbolic *s, const char *name, dal_node *node)
{
    return dal_symbolic_parse(s, NULL, (dal_text){.text = name}, node);
}

/* ---- bodies ------------------------------------------------------------------------------------ */

/* The frames of the bodies as expressions with names: the build reads them once more, by other rules and into another graph. */
static bool read_frames(dal_symbolic *s)
{
    dal_build *build = s->build;
    const dal_parser parser = parser_of(s);
    dal_graph *graph = build->graph;
    dal_messages *messages = build->messages;
    s->frame = DAL_NEW(s->arena, dal_node, 12 * build->spec->n_bodies);
    build->graph = s->graph;
    build->messages = NULL;
    build->reader = &parser;
    const bool fine = dal_build_frames(build, s->frame);
    build->reader = NULL;
    build->messages = messages;
    build->graph = graph;
    return fine;
}

dal_symbolic *dal_symbolic_begin(dal_build *build)
{
    dal_symbolic *s = DAL_NEW(build->arena, dal_symbolic, 1);
    s->build = build;
    s->arena = build->arena;
    s->plain = build->graph;
    s->graph = dal_graph_copy(build->arena, build->graph);
    if (build->spec->n_coordinates && !read_frames(s))
        s->frame = NULL;
    return s;
}

int dal_symbolic_coordinate(dal_symbolic *s, int i)
{
    const char *name = s->build->spec->coordinates[i].name.text;
    for (int k = 0; k < s->n; k++)
        if (!strcmp(s->variable[k].name, name))
            return DAL_SYMBOLIC_FIRST + k;
    return -1;
}

void dal_symbolic_direction(dal_symbolic *s, int body, const double axis[3], dal_node out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = dal_const(s->graph, body == DAL_GROUND ? axis[i] : 0);
        for (int k = 0; k < 3 && body != DAL_GROUND; k++) {
            dal_node entry = dal_const(s->graph, i == k);
            if (s->frame)
                entry = s->frame[12 * body + 3 + 3 * i + k];
            else if (i < (int)s->build->spec->space && k < (int)s->build->spec->space && axis[k] != 0)
                dal_symbolic_channel(s, dal_arena_print(s->arena, "%s.e%c.%c", s->build->mechanism.bodies[body].name, 'x' + k, 'x' + i), &entry);
            out[i] = combine(s, DAL_OP_ADD, out[i], combine(s, DAL_OP_MUL, dal_const(s->graph, axis[k]), entry));
        }
    }
}

/* A component of a point of the ground: called by its name, or, in coordinates of the model's own, as the model writes it. */
static dal_node ground_component(dal_symbolic *s, const char *name, int i, double value)
{
    const dal_points *points = &s->build->spec->ground;
    dal_node node;
    if (!name || strncmp(name, "ground.", 7) || i >= (int)s->build->spec->space)
        return dal_const(s->graph, value);
    if (!s->frame)
        return dal_symbolic_variable_of(s, DAL_SYMBOLIC_NUMBER, dal_arena_print(s->arena, "%s.%c", name, 'x' + i), value, DAL_NO_NODE);
    for (int k = 0; k < points->n; k++)
        if (!strcmp(points->item[k].name.text, name + 7) && i < points->item[k].at.n &&
            dal_symbolic_parse(s, points->item[k].binding, points->item[k].at.item[i], &node))
            return node;
    return dal_const(s->graph, value);
}

void dal_symbolic_point(dal_symbolic *s, const dal_marker *marker, const char *name, dal_node out[3])
{
    const int body = marker->body, space = (int)s->build->spec->space;
    const bool named = name && !s->frame;
    if (body != DAL_GROUND && !named)
        dal_symbolic_direction(s, body, marker->s, out);
    for (int i = 0; i < 3; i++) {
        const char *whole =
            body == DAL_GROUND ? "" : dal_arena_print(s->arena, "%s.%c", named ? name : s->build->mechanism.bodies[body].name, 'x' + i);
        dal_node origin = dal_const(s->graph, 0);
        if (body == DAL_GROUND) {
            out[i] = ground_component(s, name, i, marker->s[i]);
            continue;
        }
        if (s->frame)
            origin = s->frame[12 * body + i];
        else if (i < space)
            dal_symbolic_channel(s, whole, &origin);
        out[i] = named ? origin : combine(s, DAL_OP_ADD, origin, out[i]);
    }
}

/* ---- derivatives and numbers --------------------------------------------------------------------- */

static dal_node rate_of_symbol(void *user, dal_graph *graph, int variable)
{
    dal_symbolic *s = user;
    if (variable < DAL_SYMBOLIC_FIRST)
        return DAL_NO_NODE;
    const dal_symbolic_variable v = s->variable[variable - DAL_SYMBOLIC_FIRST];
    dal_node rate = DAL_NO_NODE;
    if (v.kind == DAL_SYMBOLIC_TIME)
        return dal_const(graph, 1);
    if (v.kind == DAL_SYMBOLIC_POSITION)
        dal_symbolic_channel(s, dal_arena_print(s->arena, "%s'", v.name), &rate);
    return rate;
}

dal_node dal_symbolic_rate(dal_symbolic *s, dal_node node)
{
    return dal_rate(s->graph, node, rate_of_symbol, s);
}

static dal_node number_of_symbol(void *user, dal_graph *graph, int variable)
{
    const dal_symbolic *s = user;
    if (variable < DAL_SYMBOLIC_FIRST || s->variable[variable - DAL_SYMBOLIC_FIRST].kind != DAL_SYMBOLIC_NUMBER)
        return DAL_NO_NODE;
    return dal_const(graph, s->variable[variable - DAL_SYMBOLIC_FIRST].number);
}

dal_node dal_symbolic_numbers(dal_symbolic *s, dal_node node)
{
    return dal_substitute(s->graph, node, number_of_symbol, s);
}

typedef struct search {
    const dal_symbolic *s;
    dal_symbolic_kind kind;
    const dal_symbolic_variable *found;
} search;

static void note_kind(void *user, int variable)
{
    search *w = user;
    const dal_symbolic_variable *v = variable >= DAL_SYMBOLIC_FIRST ? &w->s->variable[variable - DAL_SYMBOLIC_FIRST] : NULL;
    if (v && v->kind == w->kind && !w->found)
        w->found = v;
}

const dal_symbolic_variable *dal_symbolic_holds(dal_symbolic *s, dal_node node, dal_symbolic_kind kind)
{
    search w = {s, kind, NULL};
    dal_each_var(s->graph, node, note_kind, &w);
    return w.found;
}
