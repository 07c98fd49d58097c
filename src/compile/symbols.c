/* Names and signals: two hash tables.
 *
 * One holds every named element. A dotted path begins with an element, the
 * longest match: elements of `repeat` have dots in their names. The other holds
 * the signals, which are the variables of every program.
 */
#include "spec/sound.h"
#include "compile/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CANDIDATES = 5000, HINTS = 100 }; /* names that are compared for a hint; hints that are searched */

/* ---- the table ----------------------------------------------------------- */

static size_t hash_text(const char *text, size_t length)
{
    size_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

static void insert(dal_build *build, dal_text name, dal_symbol_kind kind, int index)
{
    size_t mask = (size_t)build->n_symbols - 1, at = hash_text(name.text, strlen(name.text)) & mask;
    for (; build->symbols[at].name; at = (at + 1) & mask)
        if (!strcmp(build->symbols[at].name, name.text)) { /* readers refuse it: a spec that was made by hand */
            dal_error(build->messages, name.mark, "'%.100s' is the name of two elements: names have to differ", name.text);
            return;
        }
    const char *fault = strchr(name.text, '.') ? dal_path_fault(build->arena, name.text) : dal_name_fault(build->arena, name.text);
    if (fault)
        dal_error(build->messages, name.mark, "'%.100s' cannot be the name of an element: %s", name.text, fault);
    build->symbols[at] = (dal_symbol){name.text, kind, index};
}

const dal_symbol *dal_symbol_find(const dal_build *build, const char *name, size_t length)
{
    size_t mask = (size_t)build->n_symbols - 1;
    for (size_t at = hash_text(name, length) & mask; build->symbols[at].name; at = (at + 1) & mask)
        if (!strncmp(build->symbols[at].name, name, length) && !build->symbols[at].name[length])
            return &build->symbols[at];
    return NULL;
}

/* A list of named elements: where it and its number are in a spec, the size of an element, where its name is. */
typedef struct elements {
    dal_symbol_kind kind;
    size_t first, n, size, name;
} elements;

#define LIST(list, type) offsetof(dal_spec, list), offsetof(dal_spec, n_##list), sizeof(type), offsetof(type, name)

static const elements named[] = {
    {DAL_SYMBOL_PARAMETER, LIST(parameters, dal_pair)},
    {DAL_SYMBOL_DEFINE, LIST(define, dal_pair)},
    {DAL_SYMBOL_INPUT, LIST(inputs, dal_pair)},
    {DAL_SYMBOL_STATE, LIST(states, dal_state_spec)},
    {DAL_SYMBOL_BODY, LIST(bodies, dal_body_spec)},
    {DAL_SYMBOL_JOINT, LIST(joints, dal_joint_spec)},
    {DAL_SYMBOL_FORCE, LIST(forces, dal_force_spec)},
    {DAL_SYMBOL_COORDINATE, LIST(coordinates, dal_coordinate_spec)},
    {DAL_SYMBOL_CONSTRAINT, LIST(constraints, dal_constraint_spec)},
    {DAL_SYMBOL_SPEED, LIST(speeds, dal_pair)},
};

static int number_of(const dal_spec *spec, const elements *e)
{
    int n;
    memcpy(&n, (const char *)spec + e->n, sizeof n);
    return n;
}

static dal_text name_of(const dal_spec *spec, const elements *e, int i)
{
    const char *first;
    dal_text name;
    memcpy(&first, (const char *)spec + e->first, sizeof first);
    memcpy(&name, first + e->size * (size_t)i + e->name, sizeof name);
    return name;
}

void dal_symbols_fill(dal_build *build)
{
    const dal_spec *s = build->spec;
    if (build->memory)
        return;
    int count = s->n_models;
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        count += number_of(s, &named[k]);
    build->n_symbols = 16;
    while (build->n_symbols < 2 * count)
        build->n_symbols *= 2;
    build->symbols = DAL_NEW(build->arena, dal_symbol, build->n_symbols);
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        for (int i = 0; i < number_of(s, &named[k]); i++)
            insert(build, name_of(s, &named[k], i), named[k].kind, i);
    for (int i = 0; i < s->n_models; i++)
        insert(build, (dal_text){.text = dal_arena_print(build->arena, "%s.ground", s->models[i]->name.text), .mark = s->models[i]->name.mark},
               DAL_SYMBOL_GROUND, i);
}

const dal_symbol *dal_symbol_prefix(const dal_build *build, const char *path, const char **rest)
{
    for (size_t length = strlen(path); length > 0; length--) {
        if (path[length] != '\0' && path[length] != '.')
            continue;
        const dal_symbol *symbol = dal_symbol_find(build, path, length);
        if (symbol) {
            *rest = path + length;
            return symbol;
        }
    }
    return NULL;
}

/* ---- included models ------------------------------------------------------- */

static const dal_model_spec *model_inside(const dal_build *build)
{
    return build->binding ? build->binding->model : NULL;
}

const dal_symbol *dal_symbol_inside(dal_build *build, const char *path, const char **rest)
{
    const dal_model_spec *model = model_inside(build);
    if (!model)
        return dal_symbol_prefix(build, path, rest);
    const char *full = dal_arena_print(build->arena, "%s.%s", model->name.text, path);
    const size_t head = strlen(model->name.text) + 1;
    const dal_symbol *symbol = dal_symbol_prefix(build, full, rest);
    if (!symbol || *rest < full + head)
        return NULL;
    *rest = path + (*rest - (full + head));
    return symbol;
}

static bool is_ground(const char *path)
{
    return !strncmp(path, "ground", 6) && (!path[6] || path[6] == '.');
}

/* Grounds stand on grounds of models further out. */
bool dal_on_ground(const dal_build *build, const dal_model_spec *model)
{
    for (int i = 0; model && i <= build->spec->n_models; i++) {
        const char *rest, *path = model->ground.text;
        if (!strcmp(path, "ground"))
            return true;
        const dal_symbol *symbol = dal_symbol_prefix(build, path, &rest);
        if (!symbol || symbol->kind != DAL_SYMBOL_GROUND || *rest)
            return false;
        model = build->spec->models[symbol->index];
    }
    return !model;
}

bool dal_names_ground(const dal_build *build, const char *path)
{
    const dal_symbol *symbol;
    const char *rest;
    for (int i = 0; i <= build->spec->n_models && !is_ground(path); i++) {
        if (!(symbol = dal_symbol_prefix(build, path, &rest)) || symbol->kind != DAL_SYMBOL_GROUND)
            return false;
        path = build->spec->models[symbol->index]->ground.text;
    }
    return is_ground(path);
}

/* ---- what may have been meant ---------------------------------------------- */

static int collect_names(const dal_build *build, unsigned kinds, const char **names)
{
    static const char *const model_wide[] = {"t", "energy", "momentum", "constraint"};
    const dal_model_spec *model = kinds == ~0u ? model_inside(build) : NULL; /* names of elements are those of the whole model */
    const size_t head = model ? strlen(model->name.text) + 1 : 0;
    const bool bodies = kinds == 1u << DAL_SYMBOL_BODY; /* and what stands for one */
    int n = 0;
    kinds |= bodies ? 1u << DAL_SYMBOL_GROUND : 0;
    for (int i = 0; i < build->n_symbols && n < CANDIDATES; i++) {
        const char *name = build->symbols[i].name;
        bool inside = name && (!model || (!strncmp(name, model->name.text, head - 1) && name[head - 1] == '.'));
        if (inside && kinds >> build->symbols[i].kind & 1u)
            names[n++] = name + head;
    }
    if (kinds >> DAL_SYMBOL_NONE & 1u)
        for (size_t i = 0; i < sizeof model_wide / sizeof *model_wide; i++)
            names[n++] = model_wide[i];
    if (bodies)
        names[n++] = "ground";
    return n;
}

/* "left.foot." of left.foot.teo: the length of the valid beginning of a path; 0: none. */
static size_t right_part(const char *path, const char *const *names)
{
    for (size_t n = strlen(path); n > 0; n--)
        for (int i = 0; path[n - 1] == '.' && names[i]; i++)
            if (!strncmp(names[i], path, n))
                return n;
    return 0;
}

/* Of the names that begin with the first n letters of a path: what stands behind them. */
static void keep_inside(const char *path, size_t n, const char **names)
{
    int kept = 0;
    for (int i = 0; names[i]; i++)
        if (!strncmp(names[i], path, n))
            names[kept++] = names[i] + n;
    names[kept] = NULL;
}

/* A word of one letter that differs is another word; a number may be meant for its neighbour. */
static bool may_be_misspelt(const char *word, size_t n)
{
    return n > 1 || isdigit((unsigned char)*word);
}

/* Is a path of several words misspelt, word by word? */
static bool is_misspelt(dal_build *build, const char *path, const char *name)
{
    for (;;) {
        const size_t n = strcspn(path, "."), k = strcspn(name, ".");
        const char *word = dal_arena_copy(build->arena, path, n), *candidate[2] = {dal_arena_copy(build->arena, name, k), NULL};
        if (strcmp(word, candidate[0]) && (!may_be_misspelt(word, n) || !dal_nearest(word, candidate)))
            return false;
        if (!path[n] || !name[k])
            return path[n] == name[k];
        path += n + 1;
        name += k + 1;
    }
}

const char *dal_symbol_hint(dal_build *build, unsigned kinds, const char *path)
{
    if (!build->messages || dal_messages_count(build->messages, DAL_ERROR) >= HINTS)
        return "";
    const char **names = DAL_NEW(build->arena, const char *, CANDIDATES + 8);
    names[collect_names(build, kinds, names)] = NULL;
    const char *whole = dal_arena_print(build->arena, "%s.", path), *of_part = path;
    const size_t inside = right_part(whole, names);
    if (inside == strlen(whole)) {
        keep_inside(whole, inside, names);
        const int first = names[1] && !strcmp(names[0], "ground");
        return dal_arena_print(build->arena, " (write which of its parts, as in '%s%s')", whole, names[first]);
    }
    keep_inside(path, inside, names);
    path += inside;
    const bool words = inside || strchr(path, '.');
    char *head = dal_arena_copy(build->arena, path, strlen(path));
    for (char *dot; (dot = strrchr(head, '.'));) { /* what stands before a dot is misspelt more often than all of it */
        *dot = '\0';
        const char *near = may_be_misspelt(head, (size_t)(dot - head)) ? dal_nearest(head, names) : NULL;
        if (near)
            return dal_arena_print(build->arena, " (did you mean '%.*s%s%s'?)", (int)inside, of_part, near, path + (dot - head));
    }
    if (inside && isdigit((unsigned char)names[0][0]) && !isdigit((unsigned char)*path)) /* rod.x of rod.1, rod.2, ... */
        return dal_arena_print(build->arena, " (did you mean '%.*s%s.%s'?)", (int)inside, of_part, names[0], path);
    const char *near = dal_nearest(path, names);
    if (!near || (words && !is_misspelt(build, path, near)))
        return "";
    return dal_arena_print(build->arena, " (did you mean '%.*s%s'?)", (int)inside, of_part, near);
}

/* ---- signals: the variables of every program ----------------------------- */

static size_t hash_signal(const dal_signal *s)
{
    const int key[4] = {(int)s->kind, s->index, s->component, s->order};
    return hash_text((const char *)key, sizeof key);
}

static bool same_signal(const dal_signal *a, const dal_signal *b)
{
    return a->kind == b->kind && a->index == b->index && a->component == b->component && a->order == b->order && a->zero == b->zero;
}

static void rehash_signals(dal_build *build)
{
    int size = build->n_signal_table ? 2 * build->n_signal_table : 64;
    build->signal_table = DAL_NEW(build->arena, int, size);
    build->n_signal_table = size;
    for (int i = 0; i < build->n_signals; i++) {
        size_t at = hash_signal(&build->signals[i]) & ((size_t)size - 1);
        while (build->signal_table[at])
            at = (at + 1) & ((size_t)size - 1);
        build->signal_table[at] = i + 1;
    }
}

int dal_build_variable(dal_build *build, dal_signal signal)
{
    if (signal.kind == DAL_SIGNAL_MEASURE) {
        build->mechanism.measures[signal.index].wanted = true;
        dal_note_effect(build, &(dal_effect){.kind = DAL_EFFECT_WANTED, .index = signal.index});
    }
    if (2 * build->n_signals >= build->n_signal_table)
        rehash_signals(build);
    size_t mask = (size_t)build->n_signal_table - 1, at = hash_signal(&signal) & mask;
    for (; build->signal_table[at]; at = (at + 1) & mask)
        if (same_signal(&build->signals[build->signal_table[at] - 1], &signal))
            return build->signal_table[at] - 1;
    *DAL_PUSH(build->arena, build->signals, build->n_signals, build->cap_signals) = signal;
    build->signal_table[at] = build->n_signals;
    return build->n_signals - 1;
}

dal_node dal_build_signal(dal_build *build, dal_signal signal)
{
    return dal_var(build->graph, dal_build_variable(build, signal));
}

static bool is_coordinate(const dal_build *build, const dal_signal *s)
{
    return s->kind == DAL_SIGNAL_MEASURE && build->mechanism.measures[s->index].kind == DAL_MEASURE_COORDINATE;
}

dal_reach dal_signal_reach(const dal_build *build, const dal_signal *s)
{
    switch (s->kind) {
    case DAL_SIGNAL_TIME: return DAL_REACH_TIME;
    case DAL_SIGNAL_INPUT: return DAL_REACH_ACTION;
    case DAL_SIGNAL_STATE: return s->order ? DAL_REACH_RECORD : DAL_REACH_ACTION;
    case DAL_SIGNAL_MEASURE:
        if (!s->order && is_coordinate(build, s))
            return DAL_REACH_PLACE;
        return s->order < 2 ? DAL_REACH_CONSTRAINT : DAL_REACH_RECORD;
    case DAL_SIGNAL_VECTOR: return s->order < 2 ? DAL_REACH_CONSTRAINT : DAL_REACH_RECORD;
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return s->order < 1 ? DAL_REACH_CONSTRAINT : DAL_REACH_RECORD;
    default: return DAL_REACH_RECORD;
    }
}

bool dal_signal_moves(const dal_build *build, const dal_signal *s)
{
    const bool place =
        s->kind == DAL_SIGNAL_MEASURE || s->kind == DAL_SIGNAL_VECTOR || s->kind == DAL_SIGNAL_OMEGA || s->kind == DAL_SIGNAL_OMEGA_BODY;
    return place && dal_signal_reach(build, s) != DAL_REACH_RECORD;
}

const char *dal_signal_noun(const dal_build *build, const dal_signal *s)
{
    switch (s->kind) {
    case DAL_SIGNAL_TIME: return "the time";
    case DAL_SIGNAL_INPUT: return "an input";
    case DAL_SIGNAL_STATE: return "a state";
    case DAL_SIGNAL_MEASURE:
    case DAL_SIGNAL_VECTOR:
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return dal_signal_moves(build, s) ? "the motion" : "an acceleration";
    case DAL_SIGNAL_ATTITUDE: return "a quaternion of continuous sign";
    case DAL_SIGNAL_REACTION:
    case DAL_SIGNAL_DRIVE: return "a reaction";
    case DAL_SIGNAL_EFFORT: return "the effort of a force";
    case DAL_SIGNAL_POWER: return "a power";
    case DAL_SIGNAL_FRICTION: return "dry friction";
    case DAL_SIGNAL_ENERGY: return "an energy";
    case DAL_SIGNAL_MOMENTUM: return "a momentum";
    case DAL_SIGNAL_RESIDUAL: return "a residual";
    case DAL_SIGNAL_SPEED: return "a speed";
    case DAL_SIGNAL_MULTIPLIER: return "a multiplier";
    }
    return "a result";
}

int dal_signal_most(const dal_signal *s)
{
    switch (s->kind) {
    case DAL_SIGNAL_MEASURE:
    case DAL_SIGNAL_VECTOR: return 2;
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return 1;
    default: return 0;
    }
}

const char *dal_signal_unit(const dal_build *build, const dal_signal *s)
{
    static const char *const length[] = {"m", "m/s", "m/s^2"}, *const angle[] = {"rad", "rad/s", "rad/s^2"}, *const plain[] = {"1", "1/s", "1/s^2"};
    switch (s->kind) {
    case DAL_SIGNAL_TIME: return "s";
    case DAL_SIGNAL_MEASURE:
        if (is_coordinate(build, s))
            return "";
        return (build->mechanism.measures[s->index].kind == DAL_MEASURE_ANGLE ? angle : length)[s->order];
    case DAL_SIGNAL_VECTOR: return (build->mechanism.vectors[s->index].point ? length : plain)[s->order];
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return angle[s->order + 1];
    case DAL_SIGNAL_ATTITUDE: return "1";
    case DAL_SIGNAL_REACTION: return s->component % 6 < 3 ? "N" : "N m";
    case DAL_SIGNAL_DRIVE: return s->component ? "N m" : "N";
    case DAL_SIGNAL_EFFORT: return s->component ? "N m" : "N";
    case DAL_SIGNAL_POWER: return "W";
    case DAL_SIGNAL_FRICTION: return s->component == 6 ? "W" : s->component < 3 ? "N" : "N m";
    case DAL_SIGNAL_ENERGY: return "J";
    case DAL_SIGNAL_MOMENTUM: return s->component < 3 ? "kg m/s" : "kg m^2/s";
    case DAL_SIGNAL_RESIDUAL: return s->index ? "m/s" : "m";
    default: return "";
    }
}
