/* Forces: from the description to groups of compiled elements. */
#include "system/build.h"

#include <stdio.h>
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
    return dal_build_expression(build, &build->actions, node);
}

static bool marker(dal_force_builder *b, dal_text name, dal_marker *out)
{
    return dal_build_marker(b->user, b->spec->binding, name, out, NULL);
}

static int joint_coordinate(dal_force_builder *b, dal_text joint, const char *coordinate)
{
    return dal_build_joint_coordinate(b->user, joint, coordinate, NULL);
}

static int body_coordinate(dal_force_builder *b, dal_text body, dal_text coordinate)
{
    return dal_build_body_coordinate(b->user, body, coordinate);
}

static bool check_keys(dal_build *build, const dal_force_spec *s, const dal_force_type *type)
{
    const struct {
        const char *key;
        bool given;
        dal_mark mark;
    } keys[] = {
        {"connect", s->connect.n > 0, s->connect.mark},       {"joint", s->joint.text, s->joint.mark},
        {"body", s->body.text, s->body.mark},                 {"coordinate", s->coordinate.text, s->coordinate.mark},
        {"axes", s->axes.text, s->axes.mark},                 {"value", s->value.n > 0, s->value.mark},
        {"stiffness", s->stiffness.n > 0, s->stiffness.mark}, {"damping", s->damping.n > 0, s->damping.mark},
        {"length", s->length.text, s->length.mark},           {"free", s->free.text, s->free.mark},
        {"center", s->center.n > 0, s->center.mark},          {"mu", s->mu.text, s->mu.mark},
        {"gradient", s->gradient.text, s->gradient.mark},     {"direction", s->direction.n > 0, s->direction.mark},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char spaced[200], word[40], required[40];
        snprintf(spaced, sizeof spaced, " %s ", type->keys);
        snprintf(word, sizeof word, " %s ", keys[i].key);
        snprintf(required, sizeof required, " %s! ", keys[i].key);
        bool needed = strstr(spaced, required) != NULL, known = needed || strstr(spaced, word);
        if (keys[i].given && !known) {
            dal_error(build->messages, keys[i].mark, "force '%s': type %s has no key '%s'", s->name.text, type->name, keys[i].key);
            ok = false;
        } else if (!keys[i].given && needed) {
            dal_error(build->messages, s->name.mark, "force '%s': type %s needs the key '%s'", s->name.text, type->name, keys[i].key);
            ok = false;
        }
    }
    if (s->connect.n && s->connect.n != 2) {
        dal_error(build->messages, s->connect.mark, "force '%s' connects two points: `connect: [P, Q]`", s->name.text);
        ok = false;
    }
    return ok;
}

static int find_type(dal_build *build, const dal_force_spec *s)
{
    const char *names[32];
    char hint[96];
    int n = 0;
    if (!s->type.text) {
        dal_error(build->messages, s->name.mark, "force '%s' has no type", s->name.text);
        return -1;
    }
    for (int i = 0; dal_force_types[i]; i++) {
        if (!dal_force_types[i]->keys)
            continue;
        names[n++] = dal_force_types[i]->name;
        if (!strcmp(dal_force_types[i]->name, s->type.text))
            return i;
    }
    names[n] = NULL;
    dal_error(build->messages, s->type.mark, "there is no force type '%s'%s", s->type.text, dal_did_you_mean(s->type.text, names, hint));
    return -1;
}

static dal_force_group *group_of(dal_build *build, int type, int most)
{
    for (int i = 0; i < build->n_groups; i++)
        if (build->groups[i].type == type)
            return &build->groups[i];
    dal_force_group *group = DAL_PUSH(build->arena, build->groups, build->n_groups, build->cap_groups);
    group->type = type;
    group->elements = dal_arena_take(build->arena, dal_force_types[type]->size * (size_t)most);
    return group;
}

static void add_gravity(dal_build *build)
{
    if (!dal_build_vector(build, NULL, &build->spec->gravity, build->gravity))
        return;
    const double *g = build->gravity;
    if (g[0] == 0 && g[1] == 0 && g[2] == 0)
        return;
    dal_force_group *group = group_of(build, 0, 1);
    memcpy(((dal_gravity *)group->elements)->g, g, sizeof build->gravity);
    group->n = 1;
}

/* The measure that a force acts on, before any value is read, so that a force may speak of its own length and of that of
 * any other. Quiet: what is wrong is said when the force itself is compiled. */
static int measure_first(dal_build *build, const dal_force_spec *s)
{
    dal_messages *messages = build->messages;
    dal_marker first, second;
    int measure = -1;
    build->messages = NULL;
    if (s->joint.text)
        measure = dal_build_joint_coordinate(build, s->joint, s->coordinate.text, NULL);
    else if (s->connect.n == 2 && dal_build_marker(build, s->binding, s->connect.item[0], &first, NULL) &&
             dal_build_marker(build, s->binding, s->connect.item[1], &second, NULL))
        measure = dal_add_length(&build->mechanism, dal_add_point(&build->mechanism, &second), dal_add_point(&build->mechanism, &first));
    build->messages = messages;
    return measure;
}

void dal_build_forces(dal_build *build)
{
    const dal_spec *spec = build->spec;
    build->forces = DAL_TAKE(build->arena, dal_force_name, spec->n_forces);
    add_gravity(build);
    for (int i = 0; i < spec->n_forces; i++)
        build->forces[i] = (dal_force_name){spec->forces[i].name.text, measure_first(build, &spec->forces[i])};
    for (int i = 0; i < spec->n_forces; i++) {
        const dal_force_spec *s = &spec->forces[i];
        int type = find_type(build, s);
        if (type < 0 || !check_keys(build, s, dal_force_types[type]))
            continue;
        dal_force_group *group = group_of(build, type, spec->n_forces);
        dal_force_builder b = {.mechanism = &build->mechanism, .messages = build->messages, .spec = s, .force = i, .user = build,
                               .number = number, .expression = expression, .marker = marker,
                               .joint_coordinate = joint_coordinate, .body_coordinate = body_coordinate,
                               .measure = build->forces[i].measure};
        char *element = (char *)group->elements + dal_force_types[type]->size * (size_t)group->n;
        if (dal_force_types[type]->compile(&b, element))
            group->n++;
        build->forces[i].measure = b.measure;
    }
}
