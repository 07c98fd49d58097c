/* Forces: from the description to groups of compiled elements. */
#include "compile/frames.h"
#include "compile/keys.h"

#include <string.h>

static bool number(dal_force_builder *b, dal_text text, double *value)
{
    return dal_build_number(b->user, b->spec->binding, text, value);
}

static int expression(dal_force_builder *b, dal_text text)
{
    dal_build *build = b->user;
    dal_node node;
    if (!dal_build_scalar(build, DAL_REACH_ACTION, b->spec->binding, text, &node))
        return -1;
    return dal_build_action(build, text, node);
}

static bool parse_scalar(dal_force_builder *b, dal_text text, dal_node *node)
{
    return dal_build_scalar(b->user, DAL_REACH_ACTION, b->spec->binding, text, node);
}

static int action(dal_force_builder *b, dal_text text, dal_node node)
{
    return dal_build_action(b->user, text, node);
}

/* In messages the measure is the element's length, less what that has more where the coordinate of the joint has a zero. */
static dal_node signal_of(dal_force_builder *b, int measure, int order)
{
    dal_build *build = b->user;
    const char *name = b->spec->name.text;
    const dal_signal signal = {DAL_SIGNAL_MEASURE, measure, 0, order, 0};
    dal_graph_note_name(build->graph, dal_build_variable(build, signal),
                        order          ? dal_arena_print(&build->graph_arena, "%s.length'", name)
                        : b->zero != 0 ? dal_arena_print(&build->graph_arena, "(%s.length - %.12g)", name, b->zero)
                                       : dal_arena_print(&build->graph_arena, "%s.length", name));
    return dal_var(build->graph, dal_build_variable(build, signal));
}

static bool marker(dal_force_builder *b, dal_text name, dal_marker *out)
{
    return dal_build_marker(b->user, name, out, NULL);
}

static bool is_ground(dal_force_builder *b, dal_text name)
{
    const char *rest;
    const dal_symbol *symbol = dal_symbol_prefix(b->user, name.text, &rest);
    return dal_names_ground(b->user, name.text) || (symbol && symbol->kind == DAL_SYMBOL_GROUND);
}

static int joint_coordinate(dal_force_builder *b, dal_text joint, dal_text coordinate)
{
    return dal_build_joint_coordinate(b->user, joint, coordinate, &b->zero);
}

static int body_coordinate(dal_force_builder *b, dal_text body, dal_text coordinate)
{
    return dal_build_body_coordinate(b->user, body, coordinate);
}

static int own_coordinate(dal_force_builder *b, dal_text coordinate)
{
    dal_build *build = b->user;
    const dal_symbol *symbol = dal_symbol_find(build, coordinate.text, strlen(coordinate.text));
    if (symbol && symbol->kind == DAL_SYMBOL_COORDINATE)
        return dal_add_coordinate(&build->mechanism, symbol->index);
    dal_error(build->messages, coordinate.mark,
              "force '%s': there is no coordinate '%s' in `coordinates:`%s; on a joint or a body say `joint:` or `body:`", b->spec->name.text,
              coordinate.text, dal_symbol_hint(build, 1u << DAL_SYMBOL_COORDINATE, coordinate.text));
    return -1;
}

static bool check_keys(dal_build *build, const dal_force_spec *s, const dal_force_type *type)
{
    const dal_given keys[] = {
        {"connect", s->connect.n > 0, s->connect.mark},
        {"joint", s->joint.text, s->joint.mark},
        {"body", s->body.text, s->body.mark},
        {"coordinate", s->coordinate.text, s->coordinate.mark},
        {"axes", s->axes.text, s->axes.mark},
        {"value", s->value.n > 0, s->value.mark},
        {"stiffness", s->stiffness.n > 0, s->stiffness.mark},
        {"damping", s->damping.n > 0, s->damping.mark},
        {"length", s->length.text, s->length.mark},
        {"free", s->free.text, s->free.mark},
        {"center", s->center.n > 0, s->center.mark},
        {"mu", s->mu.text, s->mu.mark},
        {"gradient", s->gradient.text, s->gradient.mark},
        {"direction", s->direction.n > 0, s->direction.mark},
        {"lower", s->lower.text, s->lower.mark},
        {"upper", s->upper.text, s->upper.mark},
        {"gap", s->gap.text, s->gap.mark},
        {"restitution", s->restitution.text, s->restitution.mark},
        {"velocity", s->velocity.text, s->velocity.mark},
        {"limit", s->limit.n > 0, s->limit.mark},
    };
    return dal_check_keys(build, "force", s->name, type->name, type->keys, sizeof keys / sizeof *keys, keys);
}

/* A force inside one body moves nothing. */
static bool check_ends(dal_build *build, const dal_force_spec *s)
{
    dal_marker first, second;
    if (s->connect.n != 2 || !dal_build_marker(build, s->connect.item[0], &first, NULL) ||
        !dal_build_marker(build, s->connect.item[1], &second, NULL))
        return true; /* or the force complains itself */
    if (first.body != second.body)
        return true;
    dal_error(build->messages, s->connect.mark, "force '%s' connects %s with itself: two different bodies are needed", s->name.text,
              dal_body_words(build, first.body));
    return false;
}

static int find_type(dal_build *build, const dal_force_spec *s, const char *const *names)
{
    const dal_force_type *type = dal_force_type_find(s->type.text ? s->type.text : "");
    for (int i = 0; type && type->keys; i++)
        if (dal_force_types[i] == type)
            return i;
    if (type && type->weight)
        dal_error(build->messages, s->type.mark, "force '%s': uniform gravity is not written here, but as the model's key, `gravity: [..]`",
                  s->name.text);
    else
        dal_refuse_type(build, "force", s->name, s->type, names);
    return -1;
}

static const char **list_types(dal_build *build)
{
    int n = 0;
    while (dal_force_types[n])
        n++;
    const char **names = DAL_NEW(build->arena, const char *, n + 1);
    n = 0;
    for (int i = 0; dal_force_types[i]; i++)
        if (dal_force_types[i]->keys)
            names[n++] = dal_force_types[i]->name;
    return names;
}

static dal_force_group *group_of(dal_build *build, int type, int most)
{
    for (int i = 0; i < build->n_groups; i++)
        if (build->groups[i].type == type)
            return &build->groups[i];
    dal_force_group *group = DAL_PUSH(build->arena, build->groups, build->n_groups, build->cap_groups);
    group->type = type;
    group->elements = dal_arena_alloc(build->arena, dal_force_types[type]->size * (size_t)most);
    return group;
}

static void add_gravity(dal_build *build)
{
    if (!dal_build_vector(build, NULL, &build->spec->gravity, build->gravity) ||
        !dal_build_bounded(build, build->spec->gravity.mark, "gravity", "the model", 3, build->gravity))
        return;
    const double *g = build->gravity;
    if (g[0] == 0 && g[1] == 0 && g[2] == 0)
        return;
    dal_force_group *group = group_of(build, 0, 1);
    memcpy(((dal_gravity *)group->elements)->g, g, sizeof build->gravity);
    group->n = 1;
}

/* The measure that a force acts on, before any value is read, so that a force may use its own length and that of any
 * other. Without messages: faults are reported when the force itself is compiled. */
static int measure_first(dal_build *build, const dal_force_spec *s, int type, double *zero)
{
    dal_messages *messages = build->messages;
    const dal_text usual = {.text = type < 0 ? NULL : dal_force_types[type]->coordinate};
    dal_marker first, second;
    int measure = -1;
    build->messages = NULL;
    if (s->joint.text)
        measure = dal_build_joint_coordinate(build, s->joint, s->coordinate.text ? s->coordinate : usual, zero);
    else if (s->connect.n == 2 && dal_build_marker(build, s->connect.item[0], &first, NULL) &&
             dal_build_marker(build, s->connect.item[1], &second, NULL))
        measure = dal_add_length(&build->mechanism, dal_add_point(&build->mechanism, &second), dal_add_point(&build->mechanism, &first));
    build->messages = messages;
    return measure;
}

static void compile_force(dal_build *build, int i, int type)
{
    const dal_force_spec *s = &build->spec->forces[i];
    const dal_force_type *t = dal_force_types[type];
    dal_force_name *force = &build->forces[i];
    dal_force_group *group = group_of(build, type, build->spec->n_forces);
    dal_force_builder b = {.mechanism = &build->mechanism,
                           .messages = build->messages,
                           .spec = s,
                           .force = i,
                           .user = build,
                           .number = number,
                           .expression = expression,
                           .marker = marker,
                           .is_ground = is_ground,
                           .joint_coordinate = joint_coordinate,
                           .body_coordinate = body_coordinate,
                           .own_coordinate = own_coordinate,
                           .measure = force->measure,
                           .zero = force->zero,
                           .graph = build->graph,
                           .signal = signal_of,
                           .action = action,
                           .parse = parse_scalar};
    char *element = (char *)group->elements + t->size * (size_t)group->n;
    if (t->compile(&b, element)) {
        group->n++;
        force->measure = b.measure;
        force->along = t->acts != DAL_ACTS_BY_TORQUE;
        force->vector = b.measure < 0 && s->value.n > 1;
        force->zero = b.zero;
        return;
    }
    memset(element, 0, t->size);
    if (!dal_messages_count(build->messages, DAL_ERROR))
        dal_error(build->messages, s->name.mark, "force '%s' is not understood", s->name.text);
}

void dal_build_forces(dal_build *build)
{
    const dal_spec *spec = build->spec;
    const char **names = list_types(build);
    int *type = DAL_NEW(build->arena, int, spec->n_forces);
    build->forces = DAL_NEW(build->arena, dal_force_name, spec->n_forces);
    add_gravity(build);
    for (int i = 0; i < spec->n_forces; i++) {
        type[i] = find_type(build, &spec->forces[i], names);
        build->forces[i].name = spec->forces[i].name.text;
        build->forces[i].measure = measure_first(build, &spec->forces[i], type[i], &build->forces[i].zero);
    }
    dal_build_defines(build);
    for (int i = 0; i < spec->n_forces; i++)
        if (type[i] >= 0 && (build->memory || check_keys(build, &spec->forces[i], dal_force_types[type[i]])) && check_ends(build, &spec->forces[i]))
            compile_force(build, i, type[i]);
}
