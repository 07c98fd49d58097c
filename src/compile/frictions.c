/* Friction in joints: from the description to the data of dynamics/friction.c.
 *
 *   prismatic    s = distance', pressed by the force across the axis
 *   revolute     s = r angle', pressed by the whole force
 *   cylindrical  s = (distance', r angle'), pressed by the force across the axis
 *   spherical    s = r w, pressed by the whole force
 *   screw        along the thread, at the radius r with the slope tan psi = pitch / (2 pi r): s = r angle' / cos psi, which the friction
 *                resists by a torque and a force along the axis; pressed by the force along the axis over cos psi
 *
 * A constant limit T acts on one coordinate x of the joint, and is T / g on the surface, s = g x': force of a prismatic (g = 1) or
 * cylindrical joint (on its whole sliding, g = 1), torque of a revolute (g = r) or screw joint (g = r / cos psi). At rest it is larger by
 * mu_static / mu, unless it is given of its own. Where no normal force counts the radius is only a unit of s: without it g = 1, s = angle',
 * and the screw is resisted by a torque alone.
 *
 * A limit that is not constant is an expression like those of forces, T = max(0, expression): the corner at zero is located as an event. It is
 * compiled after the forces, which it may use.
 */
#include "math/vec.h"
#include "compile/build.h"

#include <math.h>
#include <string.h>

static double number(dal_build *build, const dal_joint_spec *spec, dal_text text, const char *what, double fallback, bool zero)
{
    double value = fallback;
    if (text.text && dal_build_number(build, spec->binding, text, &value) && !(value > 0 || (zero && value == 0)))
        dal_error(build->messages, text.mark, "the %s of the friction of joint '%s' has to be %s, not %.6g", what, spec->name.text,
                  zero ? "zero or positive" : "positive", value);
    return value;
}

enum { NOT_YET = -2 }; /* the number of an expression that is compiled after the forces */

/* A limit; 1, and *expression NOT_YET, where the text is not a constant. */
static double limit(dal_build *build, const dal_joint_spec *spec, dal_text text, const char *what, double fallback, int *expression)
{
    dal_messages *messages = build->messages;
    double value;
    build->messages = NULL;
    const bool constant = !text.text || dal_build_number(build, spec->binding, text, &value);
    build->messages = messages;
    *expression = constant ? -1 : NOT_YET;
    return constant ? number(build, spec, text, what, fallback, true) : 1;
}

/* Measures of angle and distance, as far as the joint has them. */
static int measure_of(const dal_joint *joint, dal_space space, const char *name)
{
    for (int k = 0; k < joint->n_coordinates; k++) {
        const char *own = dal_joint_coordinate_name(joint, space, k);
        if (own && !strcmp(own, name))
            return joint->coordinate[k];
    }
    return -1;
}

/* ---- what slides -------------------------------------------------------------------------------- */

typedef struct surface {
    int angle, distance; /* measures, or -1 */
    double radius, pitch;
} surface;

/* Each returns g: s over the rate of the coordinate that a limit acts on. */
static double slide_along(const surface *s, dal_friction *f)
{
    f->shifts = true;
    f->measure[0] = s->distance;
    f->lever[0] = 1;
    return 1;
}

static double slide_around(const surface *s, dal_friction *f)
{
    f->measure[0] = s->angle;
    f->lever[0] = s->radius > 0 ? s->radius : 1;
    return f->lever[0];
}

static double slide_both(const surface *s, dal_friction *f)
{
    f->shifts = true;
    f->n = 2;
    f->measure[0] = s->distance, f->measure[1] = s->angle;
    f->lever[0] = 1, f->lever[1] = s->radius;
    return 1;
}

static double slide_any_way(const surface *s, dal_friction *f)
{
    f->n = 3;
    f->turn = true;
    f->lever[0] = s->radius;
    return s->radius; /* has no limit: check_keys */
}

/* s = cos psi r angle' + sin psi distance' = r angle' / cos psi */
static double slide_on_thread(const surface *s, dal_friction *f)
{
    if (!(s->radius > 0))
        return slide_around(s, f);
    const double slope = atan2(fabs(s->pitch), 2 * 3.141592653589793 * s->radius), rise = s->pitch < 0 ? -sin(slope) : sin(slope);
    f->share = 1 / cos(slope);
    f->terms = 2;
    f->measure[0] = s->angle, f->measure[1] = s->distance;
    f->lever[0] = s->radius * cos(slope), f->lever[1] = rise;
    return s->radius / cos(slope);
}

/* What presses: whole F + along (F . axis) axis. */
static const struct shape {
    double (*slides)(const surface *s, dal_friction *f);
    double whole, along;
} shapes[DAL_SLIDINGS] = {
    [DAL_SLIDES_ALONG] = {slide_along, 1, -1},    [DAL_SLIDES_AROUND] = {slide_around, 1, 0},       [DAL_SLIDES_BOTH] = {slide_both, 1, -1},
    [DAL_SLIDES_ANY_WAY] = {slide_any_way, 1, 0}, [DAL_SLIDES_ON_THREAD] = {slide_on_thread, 0, 1},
};

static bool shape(dal_build *build, const dal_joint_spec *spec, const dal_joint *joint, double radius, dal_friction *f)
{
    const dal_space space = build->spec->space;
    const dal_marker *marker = &joint->marker[0];
    const int column = space == DAL_PLANAR ? 0 : 2;
    for (int k = 0; k < joint->n_coordinates; k++)
        build->mechanism.measures[joint->coordinate[k]].wanted = true;
    surface s = {.angle = measure_of(joint, space, "angle"), .distance = measure_of(joint, space, "distance"), .radius = radius};
    if (spec->pitch.text)
        dal_build_number(build, spec->binding, spec->pitch, &s.pitch);
    f->terms = f->n = 1;
    f->share = 1;
    for (int i = 0; i < 3; i++)
        f->axis[i] = marker->B[3 * i + column];
    if (joint->type->slides == DAL_SLIDES_NOT)
        return false;
    const struct shape *own = &shapes[joint->type->slides];
    f->whole = own->whole;
    f->along = own->along;
    f->gear = own->slides(&s, f);
    f->limit /= f->gear;
    f->resting_limit /= f->gear;
    return f->turn || f->measure[0] >= 0;
}

/* Which keys there are, for a joint that slides so; `presses`: the normal force counts. */
static bool check_keys(dal_build *build, const dal_joint_spec *spec, dal_sliding slides, bool presses)
{
    const dal_friction_spec *s = &spec->friction;
    const char *name = spec->name.text;
    const bool turns = slides != DAL_SLIDES_ALONG, one_way = !turns || slides == DAL_SLIDES_AROUND || slides == DAL_SLIDES_ON_THREAD;
    if (!s->coefficient.text && !s->limit.text)
        dal_error(build->messages, s->mark,
                  "the friction of joint '%s' needs the key 'coefficient' (force over normal force) or 'limit' (one that does not depend on it)",
                  name);
    else if (s->limit.text && slides == DAL_SLIDES_ANY_WAY)
        dal_error(build->messages, s->limit.mark,
                  "joint '%s' of type spherical has no coordinate that a 'limit' of its friction could act on: give it a "
                  "coefficient and a radius",
                  name);
    else if (s->resting_limit.text && !s->limit.text)
        dal_error(build->messages, s->resting_limit.mark, "the friction of joint '%s' has a 'static-limit' and no 'limit': give both", name);
    else if (turns && !s->radius.text && (presses || !s->limit.text || !one_way))
        dal_error(build->messages, s->mark, "the friction of joint '%s' needs the key 'radius': of the surface that slides when it turns", name);
    else if (!turns && s->radius.text)
        dal_error(build->messages, s->radius.mark, "joint '%s' does not turn: its friction has no radius", name);
    else
        return true;
    return false;
}

void dal_build_friction(dal_build *build, const dal_joint_spec *spec, int number_of_joint)
{
    const dal_friction_spec *s = &spec->friction;
    const dal_joint *joint = &build->mechanism.joints[number_of_joint];
    dal_friction f = {.joint = number_of_joint};
    f.sliding = number(build, spec, s->coefficient, "coefficient", 0, true);
    f.resting = number(build, spec, s->resting, "static coefficient", f.sliding, true);
    if (!check_keys(build, spec, joint->type->slides, f.sliding > 0 || f.resting > 0))
        return;
    f.limit = limit(build, spec, s->limit, "limit", 0, &f.limit_of);
    const double ratio = f.sliding > 0 ? f.resting / f.sliding : 1;
    f.resting_limit = limit(build, spec, s->resting_limit, "static limit", f.limit * ratio, &f.resting_limit_of);
    f.stribeck = number(build, spec, s->stribeck, "Stribeck velocity", 0, false);
    f.viscous = number(build, spec, s->viscous, "viscous part", 0, true);
    f.regular = number(build, spec, s->velocity, "velocity", 0, false);
    if (f.resting < f.sliding)
        dal_error(build->messages, s->resting.mark, "the static coefficient of joint '%s' (%.6g) cannot be smaller than the other (%.6g)",
                  spec->name.text, f.resting, f.sliding);
    if (s->resting_limit.text && !dal_friction_varies(&f) && f.resting_limit < f.limit)
        dal_error(build->messages, s->resting_limit.mark, "the static limit of joint '%s' (%.6g) cannot be smaller than the other (%.6g)",
                  spec->name.text, f.resting_limit, f.limit);
    if (!shape(build, spec, joint, number(build, spec, s->radius, "radius", 0, false), &f)) {
        dal_error(build->messages, s->mark, "joint '%s' has no coordinate that its friction could resist", spec->name.text);
        return;
    }
    if (build->n_frictions) {
        const dal_friction *last = &build->frictions[build->n_frictions - 1];
        f.first = last->first + last->n;
    }
    *DAL_PUSH(build->arena, build->frictions, build->n_frictions, build->cap_frictions) = f;
}

/* max(0, expression) among those of the forces; -1 with a message. */
static int limit_expression(dal_build *build, const dal_joint_spec *spec, dal_text text)
{
    dal_node node;
    double value;
    build->friction_limit = spec->name.text;
    const bool read = dal_build_scalar(build, DAL_REACH_ACTION, spec->binding, text, &node);
    build->friction_limit = NULL;
    if (!read)
        return -1;
    if (dal_is_const(build->graph, node, &value) && !isfinite(value)) {
        dal_error(build->messages, text.mark, "'%.80s' is not a finite number", text.text);
        return -1;
    }
    return dal_build_action(build, text, dal_binary(build->graph, DAL_OP_MAX, dal_const(build->graph, 0), node));
}

void dal_build_friction_limits(dal_build *build)
{
    for (int i = 0; i < build->n_frictions; i++) {
        dal_friction *f = &build->frictions[i];
        const dal_joint_spec *spec = &build->spec->joints[f->joint];
        if (f->limit_of == NOT_YET)
            f->limit_of = limit_expression(build, spec, spec->friction.limit);
        if (f->resting_limit_of == NOT_YET)
            f->resting_limit_of = limit_expression(build, spec, spec->friction.resting_limit);
        if (!spec->friction.resting_limit.text)
            f->resting_limit_of = f->limit_of;
    }
}
