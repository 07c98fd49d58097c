/* Expressions of a description: what a name means, and texts to nodes.
 *
 * Named expressions (`define:`, rates of states) are parsed once and kept.
 * Expressions in time, parameters and coordinates of the model's own are evaluated before the bodies are built, so that constants, drives and
 * positions may use them; all others when bodies, joints and forces exist. A faulty one is reported once, at its own text.
 */
#include "compile/channels.h"
#include "compile/memory.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 30 }; /* named expressions inside one another */

/* ---- rates --------------------------------------------------------------------- */

/* States have their rates by now. */
static dal_node rate_of_variable(void *user, dal_graph *graph, int variable)
{
    dal_build *build = user;
    dal_signal signal = build->signals[variable];
    if (signal.kind == DAL_SIGNAL_TIME)
        return dal_const(graph, 1);
    if (signal.kind == DAL_SIGNAL_STATE)
        return build->rates[signal.index].value.node[0];
    if (signal.order >= dal_signal_most(&signal)) {
        build->noun = dal_signal_noun(build, &signal);
        return DAL_NO_NODE;
    }
    signal.order++;
    signal.zero = 0;
    return dal_build_signal(build, signal);
}

/* ---- named expressions ------------------------------------------------------------ */

typedef struct worst {
    const dal_build *build;
    dal_reach reach;
    const char *noun;
} worst;

static void widen_reach(void *user, int variable)
{
    worst *w = user;
    dal_reach reach = dal_signal_reach(w->build, &w->build->signals[variable]);
    if (reach > w->reach) {
        w->reach = reach;
        w->noun = dal_signal_noun(w->build, &w->build->signals[variable]);
    }
}

/* May the value stand where build->reach ends? block: it is the output of one. */
static bool within_reach(const dal_lookup *l, const char *block)
{
    worst w = {l->build, DAL_REACH_NUMBER, NULL};
    for (int i = 0; i < l->value->n; i++)
        dal_each_var(l->build->graph, l->value->node[i], widen_reach, &w);
    if (w.reach <= l->build->reach)
        return true;
    if (block && l->build->reach == DAL_REACH_ACTION && w.reach > DAL_REACH_ACTION && !l->build->friction_limit)
        return dal_refuse(l,
                          "an algebraic loop: '%s' of block '%s' depends on %s, which itself follows from forces and states; it can be recorded, "
                          "but forces and states cannot use it",
                          l->name, block, w.noun);
    return dal_refuse_reach(l, w.noun, true);
}

/* "alpha -> beta -> alpha" */
static const char *chain_of(dal_build *build, const dal_named *first)
{
    const char *text = first->name;
    int n = 0;
    for (const dal_named *d = build->open; d && d != first && n < 8; d = d->outer, n++)
        text = dal_arena_print(build->arena, "%s -> %s", d->name, text);
    return dal_arena_print(build->arena, "%s -> %s%s", first->name, n == 8 ? "... -> " : "", text);
}

/* What uses it from now on also uses what it uses. */
static void note_known(dal_build *build, dal_named *d, dal_log_place place)
{
    if (build->record && d->progress == DAL_NAMED_KNOWN) {
        const dal_named *list = d->scalar ? build->rates : build->defines;
        const dal_effect known = {.kind = d->scalar ? DAL_EFFECT_RATE : DAL_EFFECT_DEFINE, .index = (int)(d - list), .value = d->value};
        d->uses = DAL_NEW(&build->record->arena, dal_uses, 1);
        *d->uses = dal_log_keep(build, place);
        dal_note_effect(build, &known);
    }
    dal_log_end(build, place);
}

static void open_named(dal_build *build, dal_named *d, dal_reach reach)
{
    d->progress = DAL_NAMED_OPEN;
    d->outer = build->open;
    build->open = d;
    build->depth++;
    build->noun = NULL;
    const dal_log_place place = dal_log_begin(build);
    bool fine = dal_build_parse(build, reach, d->binding, d->text, &d->value);
    if (fine && d->scalar && d->value.n != 1) {
        dal_error(build->messages, d->text.mark, "the rate of state '%s' is a number, not a vector of %d", d->name, d->value.n);
        fine = false;
    }
    d->progress = fine ? DAL_NAMED_KNOWN : DAL_NAMED_FAILED;
    d->noun = fine ? NULL : build->noun;
    note_known(build, d, place);
    build->depth--;
    build->open = d->outer;
}

/* The value of a named expression at the place of `l`; false: an error was reported, or will be. */
static bool use_named(const dal_lookup *l, dal_named *d)
{
    dal_build *build = l->build;
    if (d->progress == DAL_NAMED_OPEN && d->scalar)
        return dal_refuse(l, "the rate of state '%s' uses itself", d->name);
    if (d->progress == DAL_NAMED_OPEN && d->block)
        return dal_refuse(l, "an algebraic loop: the output of '%s' is needed for its own input, %s; put a lag into the loop", d->name,
                          chain_of(build, d));
    if (d->progress == DAL_NAMED_OPEN)
        return dal_refuse(l, "'%s' is defined through itself: %s", d->name, chain_of(build, d));
    if (d->progress == DAL_NAMED_UNSEEN && build->depth >= DEEPEST)
        return dal_refuse(l, "'%s' stands behind more than %d names that use one another: write each below those that it uses", d->name, DEEPEST);
    if (d->progress == DAL_NAMED_UNSEEN)
        open_named(build, d, d->scalar ? DAL_REACH_ACTION : build->reach >= DAL_REACH_CONSTRAINT ? DAL_REACH_RECORD : build->reach);
    l->value->n = 0;
    if (d->progress == DAL_NAMED_FAILED)
        return build->reach < DAL_REACH_CONSTRAINT && d->noun && !d->scalar ? dal_refuse_reach(l, d->noun, true) : false;
    *l->value = d->value;
    dal_note_uses(build, d->uses);
    return true;
}

bool dal_build_state_rate(dal_build *build, int index, dal_node *node)
{
    dal_value value = {0};
    const dal_lookup l = {build, build->rates[index].name, build->rates[index].text.mark, 1, &value};
    if (!use_named(&l, &build->rates[index]))
        return false;
    *node = value.node[0];
    return true;
}

static void note_state(void *user, int variable)
{
    bool *is_used = user;
    is_used[variable] = true;
}

/* One more prime: the total derivative by time. False: an error was reported. */
static bool differentiate_expression(const dal_lookup *l)
{
    dal_build *build = l->build;
    for (int i = 0; i < l->value->n; i++) {
        int n = build->n_signals;
        bool *used = DAL_NEW(build->arena, bool, n);
        dal_node unused;
        dal_each_var(build->graph, l->value->node[i], note_state, used);
        for (int k = 0; k < n; k++)
            if (used[k] && build->signals[k].kind == DAL_SIGNAL_STATE && !dal_build_state_rate(build, build->signals[k].index, &unused)) {
                l->value->n = 0;
                return false;
            }
        build->noun = NULL;
        l->value->node[i] = dal_rate(build->graph, l->value->node[i], rate_of_variable, build);
        if (build->noun)
            return dal_refuse(l, "'%s' has no such derivative: it depends on %s", l->name, build->noun);
    }
    return true;
}

static bool use_define(const dal_lookup *l, int index)
{
    if (!use_named(l, &l->build->defines[index]))
        return false;
    for (int p = 0; p < l->primes; p++)
        if (!differentiate_expression(l))
            return false;
    return within_reach(l, l->build->spec->define[index].block);
}

static bool use_state(const dal_lookup *l, int index)
{
    dal_build *build = l->build;
    if (l->primes != 1 || build->reach < DAL_REACH_ACTION)
        return dal_plain_channel(l, DAL_SIGNAL_STATE, index);
    return use_named(l, &build->rates[index]) && within_reach(l, NULL);
}

void dal_build_names(dal_build *build)
{
    const dal_spec *spec = build->spec;
    build->defines = DAL_NEW(build->arena, dal_named, spec->n_define);
    build->rates = DAL_NEW(build->arena, dal_named, spec->n_states);
    for (int i = 0; i < spec->n_define; i++)
        build->defines[i] = (dal_named){
            .name = spec->define[i].name.text, .text = spec->define[i].value, .binding = spec->define[i].binding, .block = spec->define[i].block};
    for (int i = 0; i < spec->n_states; i++)
        build->rates[i] =
            (dal_named){.name = spec->states[i].name.text, .text = spec->states[i].rate, .binding = spec->states[i].binding, .scalar = true};
    dal_messages *messages = build->messages;
    build->messages = NULL; /* what is wrong is reported by dal_build_defines */
    for (int i = 0; i < spec->n_define; i++)
        if (build->defines[i].progress == DAL_NAMED_UNSEEN)
            open_named(build, &build->defines[i], DAL_REACH_PLACE);
    build->messages = messages;
}

void dal_build_defines(dal_build *build)
{
    for (int i = 0; i < build->spec->n_define; i++)
        if (build->defines[i].progress != DAL_NAMED_KNOWN)
            build->defines[i].progress = DAL_NAMED_UNSEEN;
    for (int i = 0; i < build->spec->n_define; i++)
        if (build->defines[i].progress == DAL_NAMED_UNSEEN)
            open_named(build, &build->defines[i], DAL_REACH_RECORD);
}

/* ---- what a name means --------------------------------------------------------------- */

static bool set_constant(const dal_lookup *l, double value)
{
    *l->value = (dal_value){1, {dal_const(l->build->graph, l->primes ? 0 : value)}, 0};
    return true;
}

static bool use_parameter(const dal_lookup *l, int index)
{
    dal_note_parameter(l->build, index);
    return set_constant(l, l->build->spec->parameters[index].number);
}

static bool has_no_channel(const dal_lookup *l, const dal_symbol *symbol, const char *what, const char *rest)
{
    return dal_refuse(l, "'%s' is %s: it has no channels and stands alone, without '%.100s'", symbol->name, what, rest);
}

/* What a block or sensor is made of stands behind its name: c.integral. */
static bool has_no_part(const dal_lookup *l, const dal_symbol *symbol, const char *word)
{
    enum { MOST = 40 };
    const dal_build *build = l->build;
    const size_t head = strlen(symbol->name);
    const char *parts[MOST + 1], *all = "";
    char hint[96];
    int n = 0;
    for (int i = 0; i < build->n_symbols && n < MOST; i++)
        if (build->symbols[i].name && !strncmp(build->symbols[i].name, symbol->name, head) && build->symbols[i].name[head] == '.')
            parts[n++] = build->symbols[i].name + head + 1;
    parts[n] = NULL;
    for (int i = 0; i < n; i++)
        all = dal_arena_print(build->arena, "%s%s%s", all, i ? ", " : "", parts[i]);
    if (!n)
        return dal_refuse(l, "'%s' is one signal: nothing stands behind its name, not '%.100s'", symbol->name, word);
    return dal_refuse(l, "'%s' has no part '%.100s'%s: it has %s", symbol->name, word, dal_did_you_mean(word, parts, hint), all);
}

/* A table stands alone only by mistake. */
static bool is_table(dal_build *build, const char *name)
{
    const dal_model_spec *model = build->binding ? build->binding->model : NULL;
    return dal_graph_find_table(build->graph, model ? dal_arena_print(build->arena, "%s.%s", model->name.text, name) : name) >= 0;
}

bool dal_build_resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    static const char *const plain[] = {"a parameter", "an expression of define", "an input", "a state", "a coordinate", "a speed"};
    dal_build *build = user;
    const dal_lookup l = {build, name, mark, primes, value};
    const char *rest;
    for (const dal_binding *b = build->binding; b; b = b->outer)
        if (!strcmp(b->name, name))
            return set_constant(&l, b->value);
    if (!strcmp(name, "t"))
        return dal_time_channel(&l);
    if (!(build->binding && build->binding->model) && !strncmp(name, "ground", 6) && (!name[6] || name[6] == '.'))
        return dal_element_channel(&l, NULL, name + 6);
    const dal_symbol *symbol = dal_symbol_inside(build, name, &rest);
    if (!symbol) {
        if (dal_model_channel(&l))
            return true;
        if (value->n)
            *hint = is_table(build, name) ? dal_arena_print(build->arena, " (a table is used as interp(%s, x))", name)
                                          : dal_symbol_hint(build, ~0u, name);
        return false;
    }
    if (*rest && symbol->kind == DAL_SYMBOL_DEFINE && build->defines[symbol->index].block)
        return has_no_part(&l, symbol, rest + 1);
    if (*rest && symbol->kind <= DAL_SYMBOL_SPEED)
        return has_no_channel(&l, symbol, plain[symbol->kind], rest);
    switch (symbol->kind) {
    case DAL_SYMBOL_PARAMETER: return use_parameter(&l, symbol->index);
    case DAL_SYMBOL_DEFINE: return use_define(&l, symbol->index);
    case DAL_SYMBOL_INPUT: return dal_plain_channel(&l, DAL_SIGNAL_INPUT, symbol->index);
    case DAL_SYMBOL_STATE: return use_state(&l, symbol->index);
    case DAL_SYMBOL_COORDINATE: return dal_coordinate_channel(&l, symbol->index);
    case DAL_SYMBOL_SPEED: return dal_plain_channel(&l, DAL_SIGNAL_SPEED, symbol->index);
    case DAL_SYMBOL_BODY:
    case DAL_SYMBOL_JOINT:
    case DAL_SYMBOL_FORCE:
    case DAL_SYMBOL_CONSTRAINT:
    case DAL_SYMBOL_GROUND: return dal_element_channel(&l, symbol, rest);
    case DAL_SYMBOL_NONE: break;
    }
    return false;
}

/* ---- parsing ---------------------------------------------------------------- */

/* cacheable: by the rules of every compile, so that the value may be that of another one. */
static bool parse_expression(dal_build *build, const dal_parser *parser, dal_reach reach, const dal_binding *binding, dal_text text, dal_value *value,
                             bool cacheable)
{
    dal_reach outer_reach = build->reach;
    const dal_binding *outer = build->binding;
    if (!text.text) { /* a description made by hand */
        dal_error(build->messages, text.mark, "an expression is missing");
        return false;
    }
    const dal_model_spec *model = binding ? binding->model : NULL;
    const char *tables = dal_graph_table_prefix(build->graph, model ? dal_arena_print(build->arena, "%s.", model->name.text) : NULL);
    build->reach = reach;
    build->binding = binding;
    const bool known = cacheable && dal_cached_value(build, binding, text.text, value);
    const dal_log_place place = dal_log_begin(build);
    bool ok = known || dal_parse(parser, text.text, text.mark, value);
    if (ok && cacheable && !known)
        dal_remember(build, place, binding, text.text, value);
    dal_log_end(build, place);
    build->reach = outer_reach;
    build->binding = outer;
    dal_graph_table_prefix(build->graph, tables);
    return ok;
}

bool dal_build_parse(dal_build *build, dal_reach reach, const dal_binding *binding, dal_text text, dal_value *value)
{
    const dal_parser parser = {.graph = build->graph, .messages = build->messages, .resolve = dal_build_resolve, .user = build};
    if (build->reader)
        return parse_expression(build, build->reader, reach, binding, text, value, false);
    return parse_expression(build, &parser, reach, binding, text, value, reach > DAL_REACH_NUMBER);
}

bool dal_build_parse_by(dal_build *build, const dal_parser *parser, dal_reach reach, const dal_binding *binding, dal_text text, dal_value *value)
{
    return parse_expression(build, parser, reach, binding, text, value, false);
}

bool dal_build_scalar(dal_build *build, dal_reach reach, const dal_binding *binding, dal_text text, dal_node *node)
{
    dal_value value;
    if (!dal_build_parse(build, reach, binding, text, &value))
        return false;
    *node = value.node[0];
    if (value.n == 1)
        return true;
    dal_error(build->messages, text.mark, "a number is needed here; '%.80s' is a vector of %d", text.text, value.n);
    return false;
}

/* As dal_build_resolve does it, where the name is that of a number. */
static bool resolve_constant(void *user, const char *name, double *value, int *variable)
{
    dal_build *build = user;
    const char *rest;
    for (const dal_binding *b = build->binding; b; b = b->outer)
        if (!strcmp(b->name, name)) {
            *value = b->value;
            return true;
        }
    if (!strcmp(name, "t") || !strncmp(name, "ground", 6))
        return false;
    const dal_symbol *symbol = dal_symbol_inside(build, name, &rest);
    if (!symbol || symbol->kind != DAL_SYMBOL_PARAMETER || *rest)
        return false;
    dal_note_parameter(build, symbol->index);
    *value = build->spec->parameters[symbol->index].number;
    *variable = symbol->index;
    return true;
}

static bool parse_constant(dal_build *build, const dal_binding *binding, dal_text text, dal_constant_steps *steps, double *value)
{
    const dal_binding *outer = build->binding;
    build->binding = binding;
    const bool plain = text.text && dal_parse_constant(text.text, resolve_constant, build, steps, value);
    build->binding = outer;
    return plain;
}

bool dal_build_number(dal_build *build, const dal_binding *binding, dal_text text, double *value)
{
    dal_node node;
    double number;
    if (dal_next_number(build, binding, text.text, value) || dal_cached_number(build, binding, text.text, value))
        return true;
    const dal_log_place place = dal_log_begin(build);
    dal_constant_steps steps = {.arena = build->arena};
    const bool plain = parse_constant(build, binding, text, build->record ? &steps : NULL, &number);
    const bool parsed = plain || dal_build_scalar(build, DAL_REACH_NUMBER, binding, text, &node);
    const bool fine = plain || (parsed && dal_is_const(build->graph, node, &number) && number - number == 0);
    if (fine) {
        *value = number;
        dal_remember_number(build, place, binding, text.text, plain ? &steps : NULL, number);
        dal_keep_number(build, binding, text.text, number);
    }
    dal_log_end(build, place);
    if (parsed && !fine)
        dal_error(build->messages, text.mark, "'%.80s' is not a finite number", text.text);
    return fine;
}

bool dal_build_vector(dal_build *build, const dal_binding *binding, const dal_list *list, double out[3])
{
    bool ok = true;
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < 3 && i < list->n; i++)
        ok &= dal_next_number(build, binding, list->item[i].text, &out[i]) || dal_build_number(build, binding, list->item[i], &out[i]);
    return ok;
}

static const double largest = 1e50; /* m r^2 w^2 of three of them is 1e250 */

bool dal_bounded(int n, const double *sizes)
{
    bool fine = true;
    for (int i = 0; i < n; i++)
        fine &= fabs(sizes[i]) <= largest;
    return fine;
}

bool dal_build_bounded(dal_build *build, dal_mark mark, const char *what, const char *name, int n, const double *sizes)
{
    for (int i = 0; i < n; i++)
        if (!dal_bounded(1, &sizes[i])) {
            dal_error(build->messages, mark, "the %s of '%s' is %.6g, which is too large to compute with: 1e50 is the maximum", what, name, sizes[i]);
            return false;
        }
    return true;
}

int dal_build_expression(dal_build *build, dal_expressions *list, dal_node node)
{
    *DAL_PUSH(build->arena, list->node, list->n, list->capacity) = node;
    return list->n - 1;
}

int dal_build_action(dal_build *build, dal_text text, dal_node node)
{
    *DAL_PUSH(build->arena, build->action_texts, build->n_action_texts, build->cap_action_texts) = text;
    return dal_build_expression(build, &build->actions, node);
}
