/* Friction in joints: from the description to what dynamics/friction.c works on.
 *
 *   prismatic    s = distance', pressed by the force across the axis
 *   revolute     s = r angle', pressed by the whole force
 *   cylindrical  s = (distance', r angle'), pressed by the force across the axis
 *   spherical    s = r w, pressed by the whole force
 *   screw        along the thread, at the radius r with the slope tan psi = pitch / (2 pi r): s = r angle' / cos psi, which the friction
 *                resists by a torque and a force along the axis; pressed by the force along the axis over cos psi
 */
#include "math/vec.h"
#include "system/build.h"

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

/* ---- what presses: the part of the joint's force F, by its axis ------------------------------- */

static void press_whole(const double axis[3], const double F[3], double out[3])
{
    (void)axis;
    dal_copy3(F, out);
}

static void press_along(const double axis[3], const double F[3], double out[3])
{
    const double along = dal_dot(F, axis);
    for (int i = 0; i < 3; i++)
        out[i] = along * axis[i];
}

static void press_across(const double axis[3], const double F[3], double out[3])
{
    const double along = dal_dot(F, axis);
    for (int i = 0; i < 3; i++)
        out[i] = F[i] - along * axis[i];
}

/* ---- what slides -------------------------------------------------------------------------------- */

typedef struct surface {
    int angle, distance; /* measures, or -1 */
    double radius, pitch;
} surface;

static void slide_along(const surface *s, dal_friction *f)
{
    f->shifts = true;
    f->measure[0] = s->distance;
    f->lever[0] = 1;
}

static void slide_around(const surface *s, dal_friction *f)
{
    f->measure[0] = s->angle;
    f->lever[0] = s->radius;
}

static void slide_both(const surface *s, dal_friction *f)
{
    f->shifts = true;
    f->n = 2;
    f->measure[0] = s->distance, f->measure[1] = s->angle;
    f->lever[0] = 1, f->lever[1] = s->radius;
}

static void slide_any_way(const surface *s, dal_friction *f)
{
    f->n = 3;
    f->turn = true;
    f->lever[0] = s->radius;
}

/* s = cos psi r angle' + sin psi distance' = r angle' / cos psi */
static void slide_on_thread(const surface *s, dal_friction *f)
{
    const double slope = atan2(fabs(s->pitch), 2 * 3.141592653589793 * s->radius), rise = s->pitch < 0 ? -sin(slope) : sin(slope);
    f->share = 1 / cos(slope);
    f->terms = 2;
    f->measure[0] = s->angle, f->measure[1] = s->distance;
    f->lever[0] = s->radius * cos(slope), f->lever[1] = rise;
}

static const struct shape {
    const char *joint;
    void (*slides)(const surface *s, dal_friction *f);
    void (*press)(const double axis[3], const double F[3], double out[3]);
} shapes[] = {
    {"prismatic", slide_along, press_across},     {"revolute", slide_around, press_whole}, {"cylindrical", slide_both, press_across},
    {"spherical", slide_any_way, press_whole},    {"screw", slide_on_thread, press_along},
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
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(shapes[i].joint, joint->type->name)) {
            f->press = shapes[i].press;
            shapes[i].slides(&s, f);
            return f->turn || f->measure[0] >= 0;
        }
    return false;
}

void dal_build_friction(dal_build *build, const dal_joint_spec *spec, int number_of_joint)
{
    const dal_friction_spec *s = &spec->friction;
    const dal_joint *joint = &build->mechanism.joints[number_of_joint];
    const bool turns = strcmp(joint->type->name, "prismatic") != 0;
    if (turns && !s->radius.text) {
        dal_error(build->messages, s->mark, "the friction of joint '%s' needs the key 'radius': of the surface that slides when it turns", spec->name.text);
        return;
    }
    if (!turns && s->radius.text) {
        dal_error(build->messages, s->radius.mark, "joint '%s' does not turn: its friction has no radius", spec->name.text);
        return;
    }
    dal_friction f = {.joint = number_of_joint};
    f.sliding = number(build, spec, s->coefficient, "coefficient", 0, true);
    f.resting = number(build, spec, s->resting, "static coefficient", f.sliding, true);
    f.stribeck = number(build, spec, s->stribeck, "Stribeck velocity", 0, false);
    f.viscous = number(build, spec, s->viscous, "viscous part", 0, true);
    f.regular = number(build, spec, s->velocity, "velocity", 0, false);
    if (f.resting < f.sliding)
        dal_error(build->messages, s->resting.mark, "the static coefficient of joint '%s' (%.6g) cannot be smaller than the other (%.6g)", spec->name.text,
                  f.resting, f.sliding);
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
