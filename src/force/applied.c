/* Forces and torques given by numbers or expressions. None has a potential: all
 * of their work is counted.
 *
 *   force    at a point of a body, in world or body axes; between two points (positive pushes apart);
 *            along the distance of a joint
 *   torque   on a body, in world or body axes; between two bodies (on the second, and reversed on the first);
 *            on the angle of a joint
 *   both     on a coordinate of the model's own
 *   motor    on the only coordinate of a joint, whatever it is
 *   coordinate-force   on x, y, z or the angle of a body
 *
 * A positive joint force or torque acts on the second body in the positive sense. An effort of one number may have limits, beyond which it is cut off.
 */
#include "force/force.h"
#include "math/vec.h"

typedef struct applied {
    int force;
    int measure;     /* an effort on a measure, or -1: */
    int vector;      /* a force at a point, or -1: */
    int body, other; /* a moment on body, reversed on other */
    int frame;       /* body in whose axes the components are, or the ground */
    int expression[3];
    int n;
} applied;

static void apply_efforts(dal_loads *loads, int n, const void *elements)
{
    for (const applied *a = elements, *end = a + n; a < end; a++) {
        if (a->measure >= 0) {
            loads->effort[a->force] = loads->expression[a->expression[0]];
            dal_push_measure(loads, a->measure, loads->expression[a->expression[0]], true);
            continue;
        }
        dal_real given[3] = {0, 0, 0}, world[3];
        for (int k = 0; k < a->n; k++)
            given[a->n == 1 ? 2 : k] = loads->expression[a->expression[k]]; /* one component: a planar torque */
        dal_mul3(loads->work->kin[a->frame].R, given, world);
        loads->effort[a->force] = a->n == 1 ? given[2] : dal_sqrt(dal_dot(given, given));
        if (a->vector >= 0) {
            dal_push_point(loads, a->vector, world, true);
        } else {
            const dal_real opposite[3] = {-world[0], -world[1], -world[2]};
            dal_push_moment(loads, a->body, world, true);
            dal_push_moment(loads, a->other, opposite, true);
        }
    }
}

#ifndef DAL_SCALAR_VARIANT

/* max(lowest, min(highest, value)): the corners are located as events. */
static bool compile_limited(dal_force_builder *b, applied *a)
{
    const dal_force_spec *spec = b->spec;
    const char *type = spec->type.text, *name = spec->name.text;
    double lowest, highest;
    dal_node value;
    if (a->n != 1) {
        dal_error(
            b->messages, spec->limit.mark,
            "a limit belongs to an effort of one number, and %s '%s' has %d components: cut each of them off in `value:`, as in \"max(-5, min(5, "
            "u))\"",
            type, name, a->n);
        return false;
    }
    if (spec->limit.n != 2) {
        dal_error(b->messages, spec->limit.mark, "the limit of %s '%s' is two numbers, the lowest and the highest effort; %d given", type, name,
                  spec->limit.n);
        return false;
    }
    if (!b->number(b, spec->limit.item[0], &lowest) || !b->number(b, spec->limit.item[1], &highest) || !b->parse(b, spec->value.item[0], &value))
        return false;
    if (!(lowest < highest)) {
        dal_error(b->messages, spec->limit.mark, "the limit of %s '%s' runs from %.6g to %.6g: the lowest effort stands first", type, name, lowest,
                  highest);
        return false;
    }
    value = dal_binary(b->graph, DAL_OP_MIN, dal_const(b->graph, highest), value);
    value = dal_binary(b->graph, DAL_OP_MAX, dal_const(b->graph, lowest), value);
    a->expression[0] = b->action(b, spec->value.item[0], value);
    return true;
}

static bool read_values(dal_force_builder *b, applied *a, int wanted)
{
    const dal_list *value = &b->spec->value;
    bool ok = value->n == wanted;
    if (!ok)
        dal_error(b->messages, value->mark, "force '%s' needs %s; %d given", b->spec->name.text,
                  wanted == 1   ? "one number, as in `value: 3`"
                  : wanted == 2 ? "2 components, as in `value: [x, y]`"
                                : "3 components, as in `value: [x, y, z]`",
                  value->n);
    a->n = wanted;
    if (ok && b->spec->limit.n)
        return compile_limited(b, a);
    for (int i = 0; value->n == wanted && i < wanted; i++)
        ok &= (a->expression[i] = b->expression(b, value->item[i])) >= 0;
    return ok;
}

static bool read_axes(dal_force_builder *b, int body, int *frame)
{
    const char *axes = b->spec->axes.text;
    *frame = DAL_GROUND;
    if (!axes || !strcmp(axes, "world"))
        return true;
    if (!strcmp(axes, "body")) {
        *frame = body;
        return true;
    }
    dal_error(b->messages, b->spec->axes.mark, "axes are 'world' or 'body', not '%s'", axes);
    return false;
}

/* Where it acts: exactly one way, and only the keys that belong to it. */
static bool begin_effort(dal_force_builder *b, applied *a, bool torque)
{
    const dal_force_spec *spec = b->spec;
    bool ok = true;
    *a = (applied){.force = b->force, .measure = -1, .vector = -1, .body = DAL_GROUND, .other = DAL_GROUND, .frame = DAL_GROUND};
    int ways = (spec->joint.text != NULL) + (spec->connect.n > 0) + (spec->body.text != NULL);
    const bool own = ways == 0 && spec->coordinate.text;
    if (ways != 1 && !own) {
        dal_error(b->messages,
                  ways == 0         ? spec->name.mark
                  : spec->body.text ? spec->body.mark
                                    : spec->joint.mark,
                  "say where force '%s' acts by one of `joint: A`, `connect: [P, Q]` or `body: P`; %d given", spec->name.text, ways);
        return false;
    }
    if (spec->coordinate.text && !spec->joint.text && !own) {
        dal_error(b->messages, spec->coordinate.mark,
                  "force '%s': `coordinate` belongs to `joint:`; on a coordinate of a body acts a coordinate-force", spec->name.text);
        ok = false;
    }
    if (spec->axes.text && !spec->body.text && !(torque && spec->connect.n)) {
        dal_error(b->messages, spec->axes.mark, "force '%s': `axes` belongs to `body:`; %s has its own direction", spec->name.text,
                  spec->joint.text ? "a joint"
                  : own            ? "a coordinate"
                                   : "the line between two points");
        ok = false;
    }
    return ok;
}

/* A force on the ground has no effect; a moment, or components in body axes, need an attitude. */
static bool check_body(dal_force_builder *b, dal_text name, int body, bool attitude)
{
    if (body != DAL_GROUND && !(attitude && b->mechanism->bodies[body].particle))
        return true;
    if (body == DAL_GROUND)
        dal_error(b->messages, name.mark, "force '%s' acts on the ground, which does not move: name a body", b->spec->name.text);
    else
        dal_error(b->messages, name.mark, "force '%s' needs the attitude of '%s', which is a particle (a mass without inertia): give it an inertia",
                  b->spec->name.text, b->mechanism->bodies[body].name);
    return false;
}

/* `coordinate:` alone. */
static bool compile_own(dal_force_builder *b, applied *a)
{
    a->measure = b->own_coordinate(b, b->spec->coordinate);
    b->measure = a->measure;
    return read_values(b, a, 1) & (a->measure >= 0);
}

static bool is_own(const dal_force_spec *spec)
{
    return !spec->joint.text && !spec->connect.n && !spec->body.text;
}

static bool compile_effort(dal_force_builder *b, applied *a, const dal_force_type *type)
{
    const dal_text usual = {.text = type->coordinate};
    a->measure = b->joint_coordinate(b, b->spec->joint, b->spec->coordinate.text ? b->spec->coordinate : usual);
    b->measure = a->measure;
    return read_values(b, a, 1) & (a->measure >= 0);
}

static bool compile_force(dal_force_builder *b, void *element)
{
    applied *a = element;
    dal_marker first, second;
    if (!begin_effort(b, a, false))
        return false;
    if (is_own(b->spec))
        return compile_own(b, a);
    if (b->spec->joint.text)
        return compile_effort(b, a, &dal_force_point);
    if (b->spec->connect.n) {
        bool ok = b->marker(b, b->spec->connect.item[0], &first);
        ok &= b->marker(b, b->spec->connect.item[1], &second);
        a->measure = b->measure;
        return read_values(b, a, 1) & ok;
    }
    bool ok = b->marker(b, b->spec->body, &first);
    if (ok) {
        a->vector = dal_add_point(b->mechanism, &first);
        ok &= read_axes(b, first.body, &a->frame) && check_body(b, b->spec->body, first.body, a->frame != DAL_GROUND);
    }
    return read_values(b, a, (int)b->mechanism->space) & ok;
}

static bool compile_torque(dal_force_builder *b, void *element)
{
    applied *a = element;
    const dal_force_spec *spec = b->spec;
    dal_marker first, second;
    bool ok = true;
    if (!begin_effort(b, a, true))
        return false;
    if (is_own(spec))
        return compile_own(b, a);
    if (spec->joint.text)
        return compile_effort(b, a, &dal_force_torque);
    if (spec->connect.n) {
        ok = b->marker(b, spec->connect.item[0], &first);
        ok &= b->marker(b, spec->connect.item[1], &second);
        if (ok) {
            a->other = first.body, a->body = second.body;
            ok &= a->other == DAL_GROUND || check_body(b, spec->connect.item[0], a->other, true);
            ok &= a->body == DAL_GROUND || check_body(b, spec->connect.item[1], a->body, true);
        }
    } else if ((ok = b->marker(b, spec->body, &second))) {
        a->body = second.body;
        ok &= check_body(b, spec->body, a->body, true);
    }
    if (ok)
        ok &= read_axes(b, spec->connect.n && b->is_ground(b, spec->connect.item[1]) ? a->other : a->body, &a->frame); /* of the one that moves */
    return read_values(b, a, b->mechanism->space == DAL_PLANAR ? 1 : 3) & ok;
}

static bool compile_motor(dal_force_builder *b, void *element)
{
    *(applied *)element = (applied){.force = b->force, .vector = -1};
    return compile_effort(b, element, &dal_force_motor);
}

void dal_motor_of(const dal_force_group *motors, int i, int *force, int *measure)
{
    const applied *motor = (const applied *)motors->elements + i;
    *force = motor->force;
    *measure = motor->measure;
}

static bool compile_coordinate(dal_force_builder *b, void *element)
{
    applied *a = element;
    *a = (applied){.force = b->force, .vector = -1};
    a->measure = b->body_coordinate(b, b->spec->body, b->spec->coordinate);
    b->measure = a->measure;
    return read_values(b, a, 1) & (a->measure >= 0);
}

#endif

const dal_force_type dal_force_point =
    DAL_FORCE_TYPE("force", "a force at a point, between two points, along a joint or on a coordinate of the model's own",
                   "joint connect body coordinate axes value! limit", "distance", applied, apply_efforts, .compile = compile_force, .effort = true,
                   .applied = true, .acts = DAL_ACTS_BY_FORCE);

const dal_force_type dal_force_torque =
    DAL_FORCE_TYPE("torque", "a torque on a body, between two bodies, on a joint or on a coordinate of the model's own",
                   "joint connect body coordinate axes value! limit", "angle", applied, apply_efforts, .compile = compile_torque, .effort = true,
                   .applied = true, .turns = true, .acts = DAL_ACTS_BY_TORQUE);

const dal_force_type dal_force_motor =
    DAL_FORCE_TYPE("motor", "a motor on the coordinate of a joint: torque or force by an expression", "joint! coordinate value! limit", NULL, applied,
                   apply_efforts, .compile = compile_motor, .effort = true, .applied = true, .motor = true, .acts = DAL_ACTS_ANY_WAY);

const dal_force_type dal_force_coordinate =
    DAL_FORCE_TYPE("coordinate-force", "a generalized force on x, y, z or the angle of a body", "body! coordinate! value! limit", NULL, applied,
                   apply_efforts, .compile = compile_coordinate, .effort = true, .applied = true, .turns = true, .acts = DAL_ACTS_ANY_WAY);
