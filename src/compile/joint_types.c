/* Joints of the model's own: types, parameters, points, rows and coordinates.
 *
 *     joint-types: {slot: {equations: ["dot(N - M, yi) - h"], parameters: {h: 0}, coordinates: {distance: "dot(N - M, xi)"}}}
 *     joints: {A: {type: slot, connect: [ground.A, rod.B], axis: [1, 0], parameters: {h: 0.1}}}
 *
 * Each joint reads the equations of its type with its own points and numbers (joint_equations.c). A scalar equation is one row, a vector
 * one for each component: with constant coefficients where it is a sum of scalar products, angles and lengths, a form otherwise
 * (constraints.c). The joint has no motion of its own: in the family `joint` it closes a loop.
 */
#include "compile/channels.h"
#include "compile/frames.h"
#include "compile/joint_types.h"

#include <string.h>

/* ---- the types ------------------------------------------------------------------ */

/* Behind the names of the models that it stands in. */
static const char *own_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static const char *parameter_fault(const dal_joint_type_spec *type, const char *name, int n_before)
{
    const char *fault = dal_equation_word(name);
    for (int i = 0; i < n_before && !fault; i++)
        if (!strcmp(i < type->parameters.n ? type->parameters.item[i].name.text : type->required.item[i - type->parameters.n].text, name))
            fault = "the type has it already";
    return fault;
}

static void check_parameters(dal_build *build, const dal_joint_type_spec *type)
{
    for (int i = 0; i < type->parameters.n + type->required.n; i++) {
        const dal_text *name = i < type->parameters.n ? &type->parameters.item[i].name : &type->required.item[i - type->parameters.n];
        const char *fault = parameter_fault(type, name->text, i);
        if (fault)
            dal_error(build->messages, name->mark, "'%s' cannot be a parameter of joint type '%s': %s", name->text, own_name(type->name.text), fault);
    }
}

/* Channels that every joint has. */
static bool is_channel(const char *name)
{
    for (const dal_channel *c = dal_channels; c->of; c++)
        if (!strcmp(c->of, "joint") && !strcmp(c->name, name) && (!(c->flags & DAL_CHANNEL_OF_TYPE) || c->flags & DAL_CHANNEL_RESULT))
            return true;
    return false;
}

static void check_coordinates(dal_build *build, const dal_joint_type_spec *type)
{
    const char *name = own_name(type->name.text);
    if (type->coordinates.n > DAL_MAX_COORDINATES)
        dal_error(build->messages, type->coordinates.item[DAL_MAX_COORDINATES].name.mark,
                  "joint type '%s' has %d coordinates: at most %d are possible", name, type->coordinates.n, DAL_MAX_COORDINATES);
    for (int i = 0; i < type->coordinates.n; i++)
        if (is_channel(type->coordinates.item[i].name.text))
            dal_error(build->messages, type->coordinates.item[i].name.mark,
                      "'%s' cannot be a coordinate of joint type '%s': every joint has that channel", type->coordinates.item[i].name.text, name);
}

static const dal_joint_type *make_type(dal_build *build, const dal_joint_type_spec *spec)
{
    dal_joint_type *type = DAL_NEW(build->arena, dal_joint_type, 1);
    *type = (dal_joint_type){.name = own_name(spec->name.text),
                             .title = "a joint of the model's own",
                             .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
                             .planar = {.axis = DAL_AXIS_OPTIONAL, .turns = true},
                             .spatial = {.axis = DAL_AXIS_OPTIONAL},
                             .written = true,
                             .keys = "parameters start zero drive coordinate"};
    for (int i = 0; i < spec->coordinates.n && i < DAL_MAX_COORDINATES; i++)
        type->planar.coordinates[i] = type->spatial.coordinates[i] = spec->coordinates.item[i].name.text;
    return type;
}

void dal_build_joint_types(dal_build *build)
{
    const dal_spec *spec = build->spec;
    build->joint_types = DAL_NEW(build->arena, const dal_joint_type *, spec->n_joint_types);
    build->joint_type_failed = DAL_NEW(build->arena, bool, spec->n_joint_types);
    for (int i = 0; i < spec->n_joint_types; i++) {
        const dal_joint_type_spec *type = &spec->joint_types[i];
        const int errors = dal_messages_count(build->messages, DAL_ERROR);
        if (dal_joint_type_find(own_name(type->name.text)))
            dal_error(build->messages, type->name.mark, "'%s' is a joint type of the language: give this one another name",
                      own_name(type->name.text));
        check_parameters(build, type);
        check_coordinates(build, type);
        build->joint_types[i] = make_type(build, type);
        build->joint_type_failed[i] = dal_messages_count(build->messages, DAL_ERROR) > errors;
    }
}

const char *dal_joint_type_known_as(const dal_build *build, const dal_joint_spec *spec, int number)
{
    const dal_model_spec *model = spec->binding ? spec->binding->model : NULL;
    const size_t head = model ? strlen(model->name.text) : 0;
    const char *name = build->spec->joint_types[number].name.text;
    if (head && (strncmp(name, model->name.text, head) || name[head] != '.'))
        return NULL;
    name += head ? head + 1 : 0;
    return strchr(name, '.') ? NULL : name;
}

int dal_joint_type_number(const dal_build *build, const dal_joint_spec *spec)
{
    for (int i = 0; i < build->spec->n_joint_types && spec->type.text; i++) {
        const char *name = dal_joint_type_known_as(build, spec, i);
        if (name && !strcmp(name, spec->type.text))
            return i;
    }
    return -1;
}

const dal_joint_type *dal_joint_type_written(dal_build *build, const dal_joint_spec *spec)
{
    const int number = dal_joint_type_number(build, spec);
    return number < 0 ? NULL : build->joint_types[number];
}

/* ---- points and axes --------------------------------------------------------------- */

static bool find_points(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *has_axes)
{
    const int n = spec->connect.n;
    if (n < 2 || n > DAL_MOST_POINTS) { /* a description made by hand */
        dal_error(build->messages, spec->connect.mark, "joint '%s' connects two to four points; %d given", spec->name.text, n);
        return false;
    }
    bool ok = true, apart = false;
    joint->n_further = spec->connect.n - 2;
    for (int k = 0; k < spec->connect.n; k++) {
        ok &= dal_build_marker(build, spec->connect.item[k], &joint->marker[k], &has_axes[k]);
        apart |= ok && joint->marker[k].body != joint->marker[0].body;
    }
    if (ok && !apart) {
        dal_error(build->messages, spec->connect.mark, "joint '%s' connects %s with itself: two different bodies are needed", spec->name.text,
                  dal_body_words(build, joint->marker[0].body));
        return false;
    }
    return ok;
}

static bool find_sides(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *carried, dal_turns *turns)
{
    bool has_axes[DAL_MOST_POINTS] = {false};
    if (!find_points(build, spec, joint, has_axes) || !dal_joint_frames(build, spec, joint->type, joint->marker, has_axes, carried))
        return false;
    for (int k = 2; k < spec->connect.n; k++)
        if (!has_axes[k])
            dal_further_frame(build, joint->marker, k);
    *turns = dal_joint_turns(build, spec, joint->type, joint->marker, has_axes);
    return true;
}

/* Angles between the first two frames begin with the whole turns of their bodies. */
static void count_turns(const dal_equation_scope *scope, dal_turns turns)
{
    dal_mechanism *m = &scope->build->mechanism;
    const dal_marker *marker = scope->joint->marker;
    for (int i = scope->first_measure; i < m->n_measures; i++) {
        dal_measure *measure = &m->measures[i];
        if (measure->kind == DAL_MEASURE_ANGLE && m->vectors[measure->vector[0]].body == marker[0].body &&
            m->vectors[measure->vector[2]].body == marker[1].body && !scope->joint->n_further)
            measure->turns = turns;
    }
}

/* ---- parameters ----------------------------------------------------------------------- */

static const dal_pair *find_pair(const dal_law_spec *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (!strcmp(list->item[i].name.text, name))
            return &list->item[i];
    return NULL;
}

/* Keys of a joint that its type does not have. */
static bool refuse_unknown(const dal_equation_scope *scope, const dal_joint_spec *spec)
{
    dal_build *build = scope->build;
    const char **all = DAL_NEW(build->arena, const char *, scope->n_parameters + 1), *listed = "";
    char near[96];
    bool fine = true;
    for (int i = 0; i < scope->n_parameters; i++) {
        all[i] = scope->parameter[i];
        listed = dal_arena_print(build->arena, "%s%s%s", listed, i ? ", " : "", all[i]);
    }
    for (int i = 0; i < spec->parameters.n; i++) {
        const dal_text *name = &spec->parameters.item[i].name;
        bool known = false;
        for (int k = 0; k < scope->n_parameters; k++)
            known |= !strcmp(all[k], name->text);
        if (!known)
            dal_error(build->messages, name->mark, "joint type '%s' has no parameter '%s'%s: it has %s", scope->joint->type->name, name->text,
                      dal_did_you_mean(name->text, all, near), *listed ? listed : "none");
        fine &= known;
    }
    return fine;
}

static bool find_parameters(dal_equation_scope *scope, const dal_joint_spec *spec)
{
    dal_build *build = scope->build;
    const dal_joint_type_spec *type = scope->type;
    const int n = scope->n_parameters = type->parameters.n + type->required.n;
    bool fine = true;
    scope->parameter = DAL_NEW(build->arena, const char *, n);
    scope->value = DAL_NEW(build->arena, double, n);
    scope->used = DAL_NEW(build->arena, bool, n);
    for (int i = 0; i < n; i++) {
        const dal_pair *standard = i < type->parameters.n ? &type->parameters.item[i] : NULL;
        scope->parameter[i] = standard ? standard->name.text : type->required.item[i - type->parameters.n].text;
        const dal_pair *given = find_pair(&spec->parameters, scope->parameter[i]);
        if (given)
            fine &= dal_build_number(build, spec->binding, given->value, &scope->value[i]);
        else if (standard)
            fine &= dal_build_number(build, type->binding, standard->value, &scope->value[i]);
        else {
            dal_error(build->messages, spec->name.mark, "joint '%s' of type %s needs a value for '%s': `parameters: {%s: ...}`", spec->name.text,
                      scope->joint->type->name, scope->parameter[i], scope->parameter[i]);
            fine = false;
        }
    }
    return refuse_unknown(scope, spec) && fine;
}

/* ---- rows and coordinates ---------------------------------------------------------------- */

/* A component of a vector that is zero whatever moves, as that of cross(zi, zj) along an axis of the ground. */
static bool is_idle(const dal_equation_scope *scope, const dal_value *value, int k)
{
    double constant;
    bool others = false;
    for (int i = 0; i < value->n; i++)
        others |= !dal_is_const(scope->build->graph, value->node[i], &constant);
    return others && dal_is_const(scope->build->graph, value->node[k], &constant) && constant == 0;
}

static bool add_equation(dal_equation_scope *scope, dal_text text, bool velocity, int number)
{
    dal_value value;
    if (!dal_equation_read(scope, text, &value))
        return false;
    for (int k = 0; k < value.n; k++) {
        if (is_idle(scope, &value, k))
            continue;
        const bool rates = velocity || dal_equation_has_rates(scope, value.node[k]);
        if (!dal_build_equation(scope->build, "an equation of joint", scope->joint->name, text, value.node[k], rates))
            return false;
        scope->build->mechanism.rows[scope->build->mechanism.n_rows - 1].equation = number;
    }
    return true;
}

static bool add_coordinate(dal_equation_scope *scope, dal_joint *joint, const dal_pair *pair)
{
    dal_value value;
    if (!dal_equation_read(scope, pair->value, &value))
        return false;
    const int measure = value.n == 1 ? dal_build_measure(scope->build, value.node[0]) : -1;
    if (measure < 0) {
        dal_error(scope->build->messages, pair->value.mark,
                  "the coordinate '%s' of joint type '%s' has to be one scalar product, an angle or the distance of "
                  "two points, as dot(N - M, xi), angle, norm(N - M)",
                  pair->name.text, joint->type->name);
        return false;
    }
    joint->coordinate[joint->n_coordinates++] = measure;
    return true;
}

static bool add_rows(dal_equation_scope *scope, dal_joint *joint)
{
    const dal_joint_type_spec *type = scope->type;
    joint->equations = type->equations.n + type->velocity.n;
    for (int i = 0; i < joint->equations; i++)
        if (!add_equation(scope, i < type->equations.n ? type->equations.item[i] : type->velocity.item[i - type->equations.n], i >= type->equations.n,
                          i + 1))
            return false;
    for (int i = 0; i < type->coordinates.n; i++)
        if (!add_coordinate(scope, joint, &type->coordinates.item[i]))
            return false;
    return true;
}

/* A point that no equation names is a mistake of the joint, a parameter one of the type. */
static bool check_points(const dal_equation_scope *scope, const dal_joint_spec *spec)
{
    static const char *const points[] = {"M", "N", "P", "Q"};
    dal_build *build = scope->build;
    for (int k = 2; k < scope->n_points; k++)
        if (!scope->named[k]) {
            dal_error(build->messages, spec->connect.item[k].mark,
                      "joint '%s' connects %d points, and joint type '%s' says nothing about %s, the one with number %d", spec->name.text,
                      scope->n_points, scope->joint->type->name, points[k], k + 1);
            return false;
        }
    return true;
}

static bool check_parameters_used(const dal_equation_scope *scope)
{
    dal_build *build = scope->build;
    for (int i = 0; i < scope->n_parameters; i++)
        if (!scope->used[i]) {
            dal_error(build->messages, scope->type->name.mark, "joint type '%s' has a parameter '%s' that its equations do not use",
                      scope->joint->type->name, scope->parameter[i]);
            return false;
        }
    return true;
}

bool dal_build_written_joint(dal_build *build, const dal_joint_spec *spec, dal_joint *joint, bool *carried)
{
    const int number = dal_joint_type_number(build, spec);
    dal_equation_scope scope = {.build = build,
                                .joint = joint,
                                .type = &build->spec->joint_types[number],
                                .n_points = spec->connect.n,
                                .first_measure = build->mechanism.n_measures};
    memset(scope.point, -1, sizeof scope.point);
    memset(scope.axis, -1, sizeof scope.axis);
    dal_turns turns;
    if (build->joint_type_failed[number] || !find_sides(build, spec, joint, carried, &turns) || !find_parameters(&scope, spec))
        return false;
    build->mechanism.for_rows = true;
    const bool fine = add_rows(&scope, joint) && check_parameters_used(&scope);
    build->mechanism.for_rows = false;
    count_turns(&scope, turns);
    build->joint_type_failed[number] = !fine; /* reported once */
    return fine && check_points(&scope, spec);
}
