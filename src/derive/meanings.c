/* The meaning of a name in an expression, in symbols: parameters, named expressions, inputs, states, coordinates, and channels of bodies, joints
 * and forces at the levels of position and velocity. */
#include "derive/nodes.h"

#include "base/words.h"
#include "joint/joint.h"

#include <string.h>

/* ---- elements ------------------------------------------------------------------- */

static bool same(const char *name, const char *path, size_t length)
{
    return !strncmp(name, path, length) && !name[length];
}

#define SEARCH(count, item, kind)                                                                                                                    \
    for (int i = 0; i < (count); i++)                                                                                                                \
        if (same((item), path, length)) {                                                                                                            \
            *index = i;                                                                                                                              \
            return (kind);                                                                                                                           \
        }

static dal_element find_whole(const dal_spec *s, const char *path, size_t length, int *index)
{
    SEARCH(s->n_parameters, s->parameters[i].name.text, DAL_ELEMENT_PARAMETER)
    SEARCH(s->n_define, s->define[i].name.text, DAL_ELEMENT_DEFINE)
    SEARCH(s->n_inputs, s->inputs[i].name.text, DAL_ELEMENT_INPUT)
    SEARCH(s->n_states, s->states[i].name.text, DAL_ELEMENT_STATE)
    SEARCH(s->n_coordinates, s->coordinates[i].name.text, DAL_ELEMENT_COORDINATE)
    SEARCH(s->n_bodies, s->bodies[i].name.text, DAL_ELEMENT_BODY)
    SEARCH(s->n_joints, s->joints[i].name.text, DAL_ELEMENT_JOINT)
    SEARCH(s->n_forces, s->forces[i].name.text, DAL_ELEMENT_FORCE)
    return DAL_ELEMENT_NONE;
}

dal_element dal_find_element(dal_derivation *d, const dal_model_spec *model, const char *path, int *index, const char **rest)
{
    const char *full = model ? dal_arena_print(d->arena, "%s.%s", model->name.text, path) : path;
    const size_t head = model ? strlen(model->name.text) + 1 : 0;
    for (size_t length = strlen(full); length > head; length--) {
        if (full[length] != '\0' && full[length] != '.')
            continue;
        const dal_element kind = find_whole(d->spec, full, length, index);
        if (kind) {
            *rest = full + length;
            return kind;
        }
    }
    return DAL_ELEMENT_NONE;
}

/* ---- plain ones -------------------------------------------------------------------- */

static bool set_node(dal_value *value, dal_node node)
{
    *value = (dal_value){1, {node}, 0};
    return true;
}

static bool use_parameter(dal_derivation *d, int i, dal_value *value)
{
    const dal_pair *p = &d->spec->parameters[i];
    if (d->parameter[i] < 0)
        d->parameter[i] = dal_letter_add(d, DAL_ROLE_PARAMETER, p->name.text, i, p->number);
    return set_node(value, dal_n_var(d, d->parameter[i]));
}

/* The start value of an input or a state. */
static double start_of(dal_derivation *d, const dal_binding *binding, dal_text text)
{
    dal_value value;
    return text.text && dal_derive_text(d, binding, text, &value) && value.n == 1 ? dal_derive_value(d, value.node[0]) : 0;
}

static bool use_input(dal_derivation *d, int i, dal_value *value)
{
    const dal_pair *p = &d->spec->inputs[i];
    if (d->input[i] < 0)
        d->input[i] = dal_letter_add(d, DAL_ROLE_INPUT, p->name.text, i, p->period.text ? 0 : start_of(d, p->binding, p->value));
    return set_node(value, dal_n_var(d, d->input[i]));
}

static bool use_state(dal_derivation *d, int i, dal_value *value)
{
    const dal_state_spec *s = &d->spec->states[i];
    if (d->state[i] < 0)
        d->state[i] = dal_letter_add(d, DAL_ROLE_STATE, s->name.text, i, start_of(d, s->binding, s->start));
    return set_node(value, dal_n_var(d, d->state[i]));
}

static bool use_define(dal_derivation *d, int i, dal_value *value)
{
    const dal_pair *p = &d->spec->define[i];
    if (d->define_progress[i] == 1)
        return false;
    if (d->define_progress[i] == 0) {
        d->define_progress[i] = 1;
        const bool ok = dal_derive_text(d, p->binding, p->value, &d->define[i]);
        d->define_progress[i] = ok ? 2 : 0;
        if (!ok)
            return false;
    }
    *value = d->define[i];
    return true;
}

/* ---- channels ------------------------------------------------------------------------- */

/* A vector, or a component of it. */
static bool set_vector(dal_derivation *d, const dal_node x[3], const char *rest, dal_value *value)
{
    const int space = (int)d->mechanism->space;
    if (!*rest) {
        *value = (dal_value){space, {x[0], x[1], x[2]}, 0};
        return true;
    }
    const int k = rest[1] - 'x';
    return rest[0] == '.' && rest[1] && !rest[2] && k >= 0 && k < space && set_node(value, x[k]);
}

static bool point_channel(dal_derivation *d, const dal_node x[3], const char *rest, dal_value *value)
{
    const char *more;
    dal_node rate[3];
    if (dal_path_begins(rest, "position", &more))
        return set_vector(d, x, more, value);
    if (dal_path_begins(rest, "velocity", &more)) {
        for (int i = 0; i < 3; i++)
            rate[i] = dal_along_motion(d, x[i]);
        return set_vector(d, rate, more, value);
    }
    return *rest && set_vector(d, x, rest, value);
}

/* Mass, centre and inertia. */
static bool inertial_channel(dal_derivation *d, const dal_derived_body *body, const char *rest, dal_value *value)
{
    static const char *const entries[] = {".zz", ".xx", ".yy", ".xy", ".xz", ".yz"};
    static const int at[] = {8, 0, 4, 1, 2, 5};
    const char *more;
    if (!strcmp(rest, ".mass"))
        return set_node(value, body->mass);
    if (dal_path_begins(rest, "center", &more))
        return set_vector(d, body->center, more, value);
    for (int i = 0; i < (dal_n_planar(d) ? 1 : 6); i++)
        if (!strcmp(rest, entries[i]))
            return set_node(value, body->inertia[at[i]]);
    return false;
}

static bool body_channel(dal_derivation *d, int b, const char *rest, dal_value *value)
{
    const dal_derived_body *body = &d->bodies[b];
    const dal_body_spec *spec = &d->spec->bodies[b];
    const char *more;
    dal_node w[3];
    if (dal_path_begins(rest, "inertial", &more))
        return inertial_channel(d, body, more, value);
    if (dal_n_planar(d) && !strcmp(rest, ".angle"))
        return set_node(value, dal_n_add(d, body->angle, dal_derive_number(d, body->offset)));
    dal_derive_row_spin(d, b, dal_path_begins(rest, "omega.body", &more), w);
    if (dal_n_planar(d) && !strcmp(rest, ".omega"))
        return set_node(value, w[2]);
    if (dal_path_begins(rest, "omega.body", &more) || (dal_path_begins(rest, "omega", &more) && !dal_n_planar(d)))
        return set_vector(d, w, more, value);
    for (int k = 0; k < (int)d->mechanism->space; k++) {
        const char name[3] = {'e', (char)('x' + k), 0};
        const dal_node axis[3] = {body->R[k], body->R[3 + k], body->R[6 + k]};
        if (dal_path_begins(rest, name, &more))
            return set_vector(d, axis, more, value);
    }
    for (int i = 0; i < spec->points.n; i++)
        if (dal_path_begins(rest, spec->points.item[i].name.text, &more)) {
            dal_node s[3], x[3];
            const dal_point_spec *point = &spec->points.item[i];
            for (int k = 0; k < 3; k++) {
                dal_value at = {1, {dal_n_const(d, 0)}, 0};
                if (k < point->at.n && !dal_derive_text(d, point->binding ? point->binding : spec->binding, point->at.item[k], &at))
                    return false;
                s[k] = at.node[0];
            }
            dal_n_turn(d, body->R, s, x);
            dal_n_sum(d, body->r, x, x);
            return point_channel(d, x, more, value);
        }
    return point_channel(d, body->r, rest, value);
}

static bool joint_channel(dal_derivation *d, int j, const char *rest, dal_value *value)
{
    const dal_joint *joint = &d->mechanism->joints[j];
    const dal_joint_variant *variant = dal_joint_in(joint->type, d->mechanism->space);
    for (int k = 0; k < joint->n_coordinates && k < DAL_MAX_COORDINATES && rest[0] == '.'; k++)
        if (variant->coordinates[k] && !strcmp(variant->coordinates[k], rest + 1))
            return set_node(value, dal_derive_joint_coordinate(d, j, k));
    return false;
}

static bool force_channel(dal_derivation *d, int f, const char *rest, dal_value *value)
{
    const dal_force_spec *spec = &d->spec->forces[f];
    const dal_force_name *force = &dal_system_acting(d->system)->forces[f];
    dal_symbolic_marker near[2];
    const char *none;
    int j;
    if (strcmp(rest, ".length") || force->measure < 0)
        return false;
    if (spec->joint.text && dal_find_element(d, NULL, spec->joint.text, &j, &none) == DAL_ELEMENT_JOINT)
        for (int k = 0; k < d->mechanism->joints[j].n_coordinates; k++)
            if (d->mechanism->joints[j].coordinate[k] == force->measure)
                return set_node(value, dal_derive_joint_coordinate(d, j, k));
    if (spec->connect.n != 2)
        return false;
    const dal_measure *measure = &d->mechanism->measures[force->measure];
    if (measure->kind != DAL_MEASURE_LENGTH)
        return false;
    for (int i = 0; i < 2; i++) {
        const dal_vector *v = &d->mechanism->vectors[measure->vector[1 - i]];
        const dal_marker compiled = {.body = v->body, .s = {v->s[0], v->s[1], v->s[2]}, .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        dal_derive_marker(d, spec->connect.item[i], &compiled, &near[i]);
    }
    return set_node(value, dal_derive_measure(d, force->measure, 2, near));
}

/* A point of the ground of the whole model. */
static bool ground_channel(dal_derivation *d, const char *path, dal_value *value)
{
    const char *more;
    for (int i = 0; i < d->spec->ground.n; i++) {
        const dal_point_spec *point = &d->spec->ground.item[i];
        dal_node s[3];
        bool fine = dal_path_begins(path, point->name.text, &more);
        for (int k = 0; k < 3 && fine; k++) {
            dal_value at = {1, {dal_n_const(d, 0)}, 0};
            fine = k >= point->at.n || dal_derive_text(d, point->binding, point->at.item[k], &at);
            s[k] = at.node[0];
        }
        if (fine)
            return point_channel(d, s, more, value);
    }
    return false;
}

static bool find_meaning(dal_derivation *d, const char *name, dal_value *value)
{
    const char *rest;
    int i;
    for (const dal_binding *b = d->binding; b; b = b->outer)
        if (!strcmp(b->name, name))
            return set_node(value, dal_n_const(d, b->value));
    if (!strcmp(name, "t"))
        return set_node(value, dal_n_var(d, d->time));
    if (!strncmp(name, "ground.", 7) && !(d->binding && d->binding->model))
        return ground_channel(d, name + 6, value);
    const dal_element kind = dal_find_element(d, d->binding ? d->binding->model : NULL, name, &i, &rest);
    if (kind >= DAL_ELEMENT_BODY && !d->bodies)
        return false;
    switch (kind) {
    case DAL_ELEMENT_PARAMETER: return !*rest && use_parameter(d, i, value);
    case DAL_ELEMENT_DEFINE: return !*rest && use_define(d, i, value);
    case DAL_ELEMENT_INPUT: return !*rest && use_input(d, i, value);
    case DAL_ELEMENT_STATE: return !*rest && use_state(d, i, value);
    case DAL_ELEMENT_COORDINATE: return !*rest && set_node(value, dal_n_var(d, d->q + d->layout->own_q + i));
    case DAL_ELEMENT_BODY: return body_channel(d, i, rest, value);
    case DAL_ELEMENT_JOINT: return joint_channel(d, i, rest, value);
    case DAL_ELEMENT_FORCE: return force_channel(d, i, rest, value);
    case DAL_ELEMENT_NONE: break;
    }
    return false;
}

/* Letters without a rate here: that of a velocity is an acceleration. */
static const unsigned without_rate = 1U << DAL_ROLE_RATE | 1U << DAL_ROLE_INPUT | 1U << DAL_ROLE_STATE;

bool dal_derive_resolve(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint)
{
    dal_derivation *d = user;
    (void)mark;
    (void)hint;
    if (!find_meaning(d, name, value))
        return false;
    for (int p = 0; p < primes; p++)
        for (int i = 0; i < value->n; i++) {
            if (dal_contains_role(d, value->node[i], without_rate))
                return false;
            value->node[i] = dal_along_motion(d, value->node[i]);
        }
    return true;
}
