/* Names: from what is written in an expression to graph nodes.
 *
 * One table holds every named element. A dotted path begins with an element
 * (the longest match: elements of `repeat` have dots in their names) and goes on
 * with a channel of it. Primes raise the order of the derivative.
 */
#include "system/build.h"

#include <string.h>

/* ---- the table ----------------------------------------------------------- */

static size_t hash_text(const char *text, size_t length)
{
    size_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

static void insert(dal_build *build, const char *name, dal_symbol_kind kind, int index)
{
    size_t mask = (size_t)build->n_symbols - 1, at = hash_text(name, strlen(name)) & mask;
    while (build->symbols[at].name)
        at = (at + 1) & mask;
    build->symbols[at] = (dal_symbol){name, kind, index};
}

const dal_symbol *dal_symbol_find(const dal_build *build, const char *name, size_t length)
{
    size_t mask = (size_t)build->n_symbols - 1;
    for (size_t at = hash_text(name, length) & mask; build->symbols[at].name; at = (at + 1) & mask)
        if (!strncmp(build->symbols[at].name, name, length) && !build->symbols[at].name[length])
            return &build->symbols[at];
    return NULL;
}

void dal_symbols_fill(dal_build *build)
{
    const dal_spec *s = build->spec;
    int count = s->n_parameters + s->n_define + s->n_inputs + s->n_states + s->n_bodies + s->n_joints + s->n_forces;
    build->n_symbols = 16;
    while (build->n_symbols < 2 * count)
        build->n_symbols *= 2;
    build->symbols = DAL_TAKE(build->arena, dal_symbol, build->n_symbols);
    build->define_busy = DAL_TAKE(build->arena, bool, s->n_define);
    for (int i = 0; i < s->n_parameters; i++)
        insert(build, s->parameters[i].name.text, DAL_SYMBOL_PARAMETER, i);
    for (int i = 0; i < s->n_define; i++)
        insert(build, s->define[i].name.text, DAL_SYMBOL_DEFINE, i);
    for (int i = 0; i < s->n_inputs; i++)
        insert(build, s->inputs[i].name.text, DAL_SYMBOL_INPUT, i);
    for (int i = 0; i < s->n_states; i++)
        insert(build, s->states[i].name.text, DAL_SYMBOL_STATE, i);
    for (int i = 0; i < s->n_bodies; i++)
        insert(build, s->bodies[i].name.text, DAL_SYMBOL_BODY, i);
    for (int i = 0; i < s->n_joints; i++)
        insert(build, s->joints[i].name.text, DAL_SYMBOL_JOINT, i);
    for (int i = 0; i < s->n_forces; i++)
        insert(build, s->forces[i].name.text, DAL_SYMBOL_FORCE, i);
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

/* ---- signals: the variables of every program ----------------------------- */

static size_t hash_signal(const dal_signal *s)
{
    const int key[4] = {(int)s->kind, s->index, s->component, s->order};
    return hash_text((const char *)key, sizeof key);
}

static bool same_signal(const dal_signal *a, const dal_signal *b)
{
    return a->kind == b->kind && a->index == b->index && a->component == b->component && a->order == b->order;
}

static void rehash_signals(dal_build *build)
{
    int size = build->n_signal_table ? 2 * build->n_signal_table : 64;
    build->signal_table = DAL_TAKE(build->arena, int, size);
    build->n_signal_table = size;
    for (int i = 0; i < build->n_signals; i++) {
        size_t at = hash_signal(&build->signals[i]) & ((size_t)size - 1);
        while (build->signal_table[at])
            at = (at + 1) & ((size_t)size - 1);
        build->signal_table[at] = i + 1;
    }
}

dal_node dal_build_signal(dal_build *build, dal_signal signal)
{
    if (2 * build->n_signals >= build->n_signal_table)
        rehash_signals(build);
    size_t mask = (size_t)build->n_signal_table - 1, at = hash_signal(&signal) & mask;
    for (; build->signal_table[at]; at = (at + 1) & mask)
        if (same_signal(&build->signals[build->signal_table[at] - 1], &signal))
            return dal_var(build->graph, build->signal_table[at] - 1);
    *DAL_PUSH(build->arena, build->signals, build->n_signals, build->cap_signals) = signal;
    build->signal_table[at] = build->n_signals;
    return dal_var(build->graph, build->n_signals - 1);
}

/* How much has to be known: 0 nothing, 1 time, 2 positions and velocities, 3 accelerations and results. */
static dal_reach reach_of(const dal_signal *s)
{
    switch (s->kind) {
    case DAL_SIGNAL_TIME: return DAL_REACH_TIME;
    case DAL_SIGNAL_INPUT: return DAL_REACH_ACTION;
    case DAL_SIGNAL_STATE: return s->order ? DAL_REACH_RECORD : DAL_REACH_ACTION;
    case DAL_SIGNAL_MEASURE:
    case DAL_SIGNAL_VECTOR: return s->order < 2 ? DAL_REACH_ACTION : DAL_REACH_RECORD;
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return s->order < 1 ? DAL_REACH_ACTION : DAL_REACH_RECORD;
    default: return DAL_REACH_RECORD;
    }
}

const char *dal_signal_unit(const dal_build *build, const dal_signal *s)
{
    static const char *const length[] = {"m", "m/s", "m/s^2"}, *const angle[] = {"rad", "rad/s", "rad/s^2"},
                             *const plain[] = {"1", "1/s", "1/s^2"};
    switch (s->kind) {
    case DAL_SIGNAL_TIME: return "s";
    case DAL_SIGNAL_MEASURE:
        return (build->mechanism.measures[s->index].kind == DAL_MEASURE_ANGLE ? angle : length)[s->order];
    case DAL_SIGNAL_VECTOR: return (build->mechanism.vectors[s->index].point ? length : plain)[s->order];
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY: return angle[s->order + 1];
    case DAL_SIGNAL_ATTITUDE: return "1";
    case DAL_SIGNAL_REACTION: return s->component < 3 ? "N" : "N m";
    case DAL_SIGNAL_DRIVE: return s->component ? "N m" : "N";
    case DAL_SIGNAL_EFFORT: return s->component ? "N m" : "N";
    case DAL_SIGNAL_ENERGY: return "J";
    case DAL_SIGNAL_MOMENTUM: return s->component < 3 ? "kg m/s" : "kg m^2/s";
    case DAL_SIGNAL_RESIDUAL: return s->index ? "m/s" : "m";
    default: return "";
    }
}

/* ---- channels -------------------------------------------------------------- */

typedef struct lookup {
    dal_build *build;
    dal_mark mark;
    int primes;
    dal_value *value;
    const char **hint;
} lookup;

/* Make a value of n signals that differ in their component. Channels that are already rates start at a higher order. */
static bool give(lookup *l, dal_signal signal, int n, int order)
{
    signal.order = order + l->primes;
    int most = signal.kind == DAL_SIGNAL_MEASURE || signal.kind == DAL_SIGNAL_VECTOR ? 2
               : signal.kind == DAL_SIGNAL_OMEGA || signal.kind == DAL_SIGNAL_OMEGA_BODY ? 1
                                                                                         : 0;
    if (signal.order > most) {
        *l->hint = most ? "it has no further derivative" : "it has no derivative";
        return false;
    }
    dal_reach reach = reach_of(&signal);
    if (reach > l->build->reach) {
        *l->hint = l->build->reach == DAL_REACH_ACTION
                       ? "accelerations, reactions and energies are results: they can be recorded but not acted upon"
                   : l->build->reach == DAL_REACH_TIME ? "only time and parameters may stand here"
                                                       : "only parameters and numbers may stand here: it must be a constant";
        return false;
    }
    l->value->n = n;
    for (int i = 0; i < n; i++) {
        dal_signal one = signal;
        one.component = signal.component + i;
        l->value->node[i] = dal_build_signal(l->build, one);
    }
    return true;
}

/* ".x" -> 0 ... within the dimension, -1 otherwise; "" -> -2: the whole vector. */
static int component_of(const dal_build *build, const char *rest)
{
    if (!*rest)
        return -2;
    int k = rest[1] - 'x';
    return rest[0] == '.' && rest[1] && !rest[2] && k >= 0 && k < (int)build->spec->space ? k : -1;
}

static bool give_vector(lookup *l, dal_signal signal, const char *rest, int order)
{
    int k = component_of(l->build, rest);
    if (k == -1)
        return false;
    signal.component += k < 0 ? 0 : k;
    return give(l, signal, k < 0 ? (int)l->build->spec->space : 1, order);
}

static bool starts(const char *path, const char *word, const char **rest)
{
    size_t n = strlen(word);
    if (path[0] != '.' || strncmp(path + 1, word, n) || (path[n + 1] && path[n + 1] != '.'))
        return false;
    *rest = path + n + 1;
    return true;
}

static bool point_channel(lookup *l, int vector, const char *rest)
{
    const dal_signal point = {DAL_SIGNAL_VECTOR, vector, 0, 0, 0};
    const char *more;
    if (rest[0] == '.' && component_of(l->build, rest) >= 0)
        return give_vector(l, point, rest, 0);
    if (starts(rest, "position", &more))
        return give_vector(l, point, more, 0);
    if (starts(rest, "velocity", &more))
        return give_vector(l, point, more, 1);
    if (starts(rest, "acceleration", &more))
        return give_vector(l, point, more, 2);
    return false;
}

static bool spin_channel(lookup *l, int body, const char *rest, int order)
{
    const char *more;
    dal_signal omega = {DAL_SIGNAL_OMEGA, body, 0, 0, 0};
    if (starts(rest, "body", &more)) {
        omega.kind = DAL_SIGNAL_OMEGA_BODY;
        rest = more;
    }
    if (l->build->spec->space == DAL_PLANAR) {
        if (*rest)
            return false;
        omega.component = 2;
        return give(l, omega, 1, order);
    }
    return give_vector(l, omega, rest, order);
}

static bool body_channel(lookup *l, int body, const char *rest)
{
    dal_build *build = l->build;
    const char *more;
    const double zero[3] = {0, 0, 0};
    bool planar = build->spec->space == DAL_PLANAR;
    *l->hint = planar ? "a body has the channels x, y, angle, position, velocity, acceleration, omega, ex, ey and those of its points"
                      : "a body has the channels x, y, z, position, velocity, acceleration, omega, omega.body, alpha, ex, ey, ez, "
                        "qw, qx, qy, qz and those of its points";
    if (planar && !strcmp(rest, ".angle"))
        return give(l, (dal_signal){DAL_SIGNAL_MEASURE, dal_build_body_angle(build, body), 0, 0, 0}, 1, 0);
    if (starts(rest, "omega", &more))
        return spin_channel(l, body, more, 0);
    if (starts(rest, "alpha", &more))
        return spin_channel(l, body, more, 1);
    for (int k = 0; k < 3; k++) {
        const char name[3] = {'e', (char)('x' + k), 0};
        if (starts(rest, name, &more)) {
            double e[3] = {0, 0, 0};
            e[k] = 1;
            return give_vector(l, (dal_signal){DAL_SIGNAL_VECTOR, dal_add_vector(&build->mechanism, body, false, e), 0, 0, 0}, more, 0);
        }
    }
    for (int k = 0; k < 4 && !planar; k++) {
        const char name[4] = {'.', 'q', "wxyz"[k], 0};
        if (!strcmp(rest, name))
            return give(l, (dal_signal){DAL_SIGNAL_ATTITUDE, body, k, 0, 0}, 1, 0);
    }
    for (int i = 0; i < build->start[body].points.n; i++) {
        const dal_point_spec *point = &build->start[body].points.item[i];
        if (starts(rest, point->name.text, &more)) {
            double s[3];
            if (!dal_build_vector(build, build->spec->bodies[body].binding, &point->at, s))
                return false;
            *l->hint = "a point has the channels x, y, z, position, velocity and acceleration";
            return point_channel(l, dal_add_vector(&build->mechanism, body, true, s), more);
        }
    }
    return point_channel(l, dal_add_vector(&build->mechanism, body, true, zero), rest);
}

static bool joint_channel(lookup *l, int joint, const char *rest)
{
    dal_build *build = l->build;
    const dal_joint *j = &build->mechanism.joints[joint];
    const char *more;
    *l->hint = "a joint has the channels force, torque, its coordinates (angle, distance), and drive if it is driven";
    if (joint >= build->mechanism.n_joints)
        return false; /* channels of joints are not known before the joints */
    if (starts(rest, "force", &more))
        return give_vector(l, (dal_signal){DAL_SIGNAL_REACTION, joint, 0, 0, 0}, more, 0);
    if (starts(rest, "torque", &more)) {
        if (build->spec->space == DAL_PLANAR)
            return !*more && give(l, (dal_signal){DAL_SIGNAL_REACTION, joint, 5, 0, 0}, 1, 0);
        return give_vector(l, (dal_signal){DAL_SIGNAL_REACTION, joint, 3, 0, 0}, more, 0);
    }
    if (!strcmp(rest, ".drive")) {
        if (j->drive < 0) {
            *l->hint = "the joint is not driven";
            return false;
        }
        bool torque = build->mechanism.rows[j->drive].angular;
        return give(l, (dal_signal){DAL_SIGNAL_DRIVE, joint, torque, 0, 0}, 1, 0);
    }
    const char *const *names = build->spec->space == DAL_PLANAR ? j->type->coordinates_planar : j->type->coordinates_spatial;
    for (int k = 0; k < j->n_coordinates; k++)
        if (rest[0] == '.' && !strcmp(rest + 1, names[k]))
            return give(l, (dal_signal){DAL_SIGNAL_MEASURE, j->coordinate[k], 0, 0, j->zero[k]}, 1, 0);
    return false;
}

static bool force_channel(lookup *l, int force, const char *rest)
{
    int measure = l->build->forces[force].measure;
    *l->hint = "a force has the channels force and, between points or on a joint, length";
    if (!strcmp(rest, ".length") && measure >= 0)
        return give(l, (dal_signal){DAL_SIGNAL_MEASURE, measure, 0, 0, 0}, 1, 0);
    if (!strcmp(rest, ".force") || !strcmp(rest, ".torque"))
        return give(l, (dal_signal){DAL_SIGNAL_EFFORT, force, !strcmp(rest, ".torque"), 0, 0}, 1, 0);
    return false;
}

static bool global_channel(lookup *l, const char *name)
{
    static const char *const energies[] = {"energy", "energy.kinetic", "energy.potential", "energy.work", "energy.balance"};
    static const char *const residuals[] = {"constraint.position", "constraint.velocity"};
    for (int k = 0; k < 5; k++)
        if (!strcmp(name, energies[k]))
            return give(l, (dal_signal){DAL_SIGNAL_ENERGY, k, 0, 0, 0}, 1, 0);
    for (int k = 0; k < 2; k++)
        if (!strcmp(name, residuals[k]))
            return give(l, (dal_signal){DAL_SIGNAL_RESIDUAL, k, 0, 0, 0}, 1, 0);
    if (!strncmp(name, "momentum.", 9)) {
        const char *more = name + 8;
        if (!strncmp(more, ".angular", 8))
            return l->build->spec->space == DAL_PLANAR
                       ? !more[8] && give(l, (dal_signal){DAL_SIGNAL_MOMENTUM, 0, 5, 0, 0}, 1, 0)
                       : give_vector(l, (dal_signal){DAL_SIGNAL_MOMENTUM, 0, 3, 0, 0}, more + 8, 0);
        return give_vector(l, (dal_signal){DAL_SIGNAL_MOMENTUM, 0, 0, 0, 0}, more, 0);
    }
    return false;
}

static dal_node rate_of_variable(void *user, dal_graph *graph, int variable)
{
    dal_build *build = user;
    dal_signal signal = build->signals[variable];
    if (signal.kind == DAL_SIGNAL_TIME)
        return dal_const(graph, 1);
    if (signal.kind == DAL_SIGNAL_INPUT)
        return DAL_NO_NODE;
    signal.order++;
    return dal_build_signal(build, signal);
}

dal_node dal_build_rate(dal_build *build, dal_node node)
{
    return dal_rate(build->graph, node, rate_of_variable, build);
}

static bool expand_define(lookup *l, int index)
{
    dal_build *build = l->build;
    if (build->define_busy[index]) {
        *l->hint = "it is defined through itself";
        return false;
    }
    build->define_busy[index] = true;
    bool ok = dal_build_parse(build, build->reach, NULL, build->spec->define[index].value, l->value);
    build->define_busy[index] = false;
    for (int p = 0; ok && p < l->primes; p++)
        for (int i = 0; i < l->value->n; i++)
            l->value->node[i] = dal_build_rate(build, l->value->node[i]);
    *l->hint = "see its definition";
    return ok;
}

static bool give_constant(lookup *l, double value)
{
    *l->value = (dal_value){1, {dal_const(l->build->graph, l->primes ? 0 : value)}};
    return true;
}

static const char *suggest(dal_build *build, const char *name)
{
    const char **candidates = DAL_TAKE(build->arena, const char *, build->n_symbols + 1);
    int n = 0;
    for (int i = 0; i < build->n_symbols; i++)
        if (build->symbols[i].name)
            candidates[n++] = build->symbols[i].name;
    const char *best = dal_nearest(name, candidates);
    return best ? dal_arena_print(build->arena, "did you mean '%s'?", best) : NULL;
}

static bool resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_build *build = user;
    lookup l = {build, mark, primes, value, hint};
    const char *rest;
    for (const dal_binding *b = build->binding; b; b = b->outer)
        if (!strcmp(b->name, name))
            return give_constant(&l, b->value);
    if (!strcmp(name, "t"))
        return primes ? give_constant(&l, 0), value->node[0] = dal_const(build->graph, primes == 1), true
                      : give(&l, (dal_signal){DAL_SIGNAL_TIME, 0, 0, 0, 0}, 1, 0);
    const dal_symbol *symbol = dal_symbol_prefix(build, name, &rest);
    if (!symbol) {
        if (global_channel(&l, name))
            return true;
        if (!*hint)
            *hint = suggest(build, name);
        return false;
    }
    bool whole = !*rest;
    switch (symbol->kind) {
    case DAL_SYMBOL_PARAMETER: return whole && give_constant(&l, build->spec->parameters[symbol->index].number);
    case DAL_SYMBOL_DEFINE: return whole && expand_define(&l, symbol->index);
    case DAL_SYMBOL_INPUT: return whole && give(&l, (dal_signal){DAL_SIGNAL_INPUT, symbol->index, 0, 0, 0}, 1, 0);
    case DAL_SYMBOL_STATE:
        if (whole && primes == 1 && build->reach >= DAL_REACH_ACTION) {
            value->n = 1;
            return dal_build_scalar(build, build->reach, NULL, build->spec->states[symbol->index].rate, &value->node[0]);
        }
        return whole && give(&l, (dal_signal){DAL_SIGNAL_STATE, symbol->index, 0, 0, 0}, 1, 0);
    case DAL_SYMBOL_BODY: return body_channel(&l, symbol->index, rest);
    case DAL_SYMBOL_JOINT: return joint_channel(&l, symbol->index, rest);
    case DAL_SYMBOL_FORCE: return force_channel(&l, symbol->index, rest);
    case DAL_SYMBOL_NONE: break;
    }
    return false;
}

/* ---- parsing ---------------------------------------------------------------- */

bool dal_build_parse(dal_build *build, dal_reach reach, const dal_binding *binding, dal_text text, dal_value *value)
{
    const dal_parser parser = {build->graph, build->messages, resolve, build};
    dal_reach outer_reach = build->reach;
    const dal_binding *outer = build->binding;
    build->reach = reach;
    build->binding = binding;
    bool ok = dal_parse(&parser, text.text, text.mark, value);
    build->reach = outer_reach;
    build->binding = outer;
    return ok;
}

bool dal_build_scalar(dal_build *build, dal_reach reach, const dal_binding *binding, dal_text text, dal_node *node)
{
    dal_value value;
    if (!dal_build_parse(build, reach, binding, text, &value))
        return false;
    *node = value.node[0];
    if (value.n == 1)
        return true;
    dal_error(build->messages, text.mark, "a number is needed here, not a vector of %d", value.n);
    return false;
}

bool dal_build_number(dal_build *build, const dal_binding *binding, dal_text text, double *value)
{
    dal_node node;
    if (!dal_build_scalar(build, DAL_REACH_NUMBER, binding, text, &node))
        return false;
    if (dal_is_const(build->graph, node, value) && *value - *value == 0)
        return true;
    dal_error(build->messages, text.mark, "'%s' is not a finite number", text.text);
    return false;
}

bool dal_build_vector(dal_build *build, const dal_binding *binding, const dal_list *list, double out[3])
{
    bool ok = true;
    for (int i = 0; i < 3; i++) {
        out[i] = 0;
        if (i < list->n)
            ok &= dal_build_number(build, binding, list->item[i], &out[i]);
    }
    return ok;
}

int dal_build_expression(dal_build *build, dal_expressions *list, dal_node node)
{
    *DAL_PUSH(build->arena, list->node, list->n, list->capacity) = node;
    return list->n - 1;
}
