/* Springs and dampers, between two points or on the coordinate of a joint.
 *
 * With l the distance of the points, or the joint's angle or distance:
 *   F = -k (l - l0) - c l',   V = 1/2 k (l - l0)^2
 * acts on l: positive pushes the points apart (turns the second body in the
 * positive sense). `value:` adds a force given as an expression, which counts as
 * work, as the damper does.
 *
 * `torsional-spring-damper` is the same element, on an angle.
 */
#include "force/force.h"
#include "math/vec.h"

typedef struct spring {
    int force, measure;
    int expression; /* of `value:`, or -1 */
    double stiffness, damping, free;
} spring;

static void apply_springs(dal_loads *loads, int n, const void *elements)
{
    for (const spring *s = elements, *end = s + n; s < end; s++) {
        dal_real stretch = loads->work->value[s->measure] - s->free;
        dal_real elastic = -s->stiffness * stretch, other = -s->damping * loads->work->rate[s->measure];
        if (s->expression >= 0)
            other += loads->expression[s->expression];
        dal_store_along(loads, s->measure, 0.5 * s->stiffness * stretch * stretch);
        dal_spend_along(loads, s->measure, other * loads->work->rate[s->measure]);
        loads->effort[s->force] = elastic + other;
        dal_push_measure(loads, s->measure, elastic + other, false);
    }
}

#ifndef DAL_SCALAR_VARIANT

dal_spring_info dal_spring_of(const dal_force_group *springs, int i)
{
    const spring *s = (const spring *)springs->elements + i;
    return (dal_spring_info){s->force, s->measure, s->stiffness, s->damping, s->free, s->expression >= 0};
}

static bool read_numbers(dal_force_builder *b, spring *s)
{
    const dal_force_spec *spec = b->spec;
    bool ok = true;
    s->force = b->force;
    s->expression = -1;
    if (spec->stiffness.n)
        ok &= b->number(b, spec->stiffness.item[0], &s->stiffness);
    if (spec->damping.n)
        ok &= b->number(b, spec->damping.item[0], &s->damping);
    if (spec->stiffness.n > 1 || spec->damping.n > 1) {
        dal_error(b->messages, spec->stiffness.n > 1 ? spec->stiffness.mark : spec->damping.mark,
                  "spring-damper '%s' takes one stiffness and one damping; one for each direction makes a bushing", spec->name.text);
        ok = false;
    } else if (s->stiffness < 0 || s->damping < 0) {
        dal_error(b->messages, s->stiffness < 0 ? spec->stiffness.mark : spec->damping.mark,
                  "the %s of '%s' is %.6g, and cannot be negative; write a force with `value:` instead", s->stiffness < 0 ? "stiffness" : "damping",
                  spec->name.text, s->stiffness < 0 ? s->stiffness : s->damping);
        ok = false;
    }
    if (!spec->stiffness.n && !spec->damping.n && !spec->value.n) {
        dal_error(b->messages, spec->name.mark, "spring-damper '%s' has neither `stiffness:` nor `damping:`: it does nothing", spec->name.text);
        ok = false;
    }
    if (spec->value.n == 1)
        ok &= (s->expression = b->expression(b, spec->value.item[0])) >= 0;
    else if (spec->value.n > 1) {
        dal_error(b->messages, spec->value.mark, "force '%s' needs one number, as in `value: 3`; %d given", spec->name.text, spec->value.n);
        ok = false;
    }
    return ok;
}

static bool compile_on_joint(dal_force_builder *b, spring *s, dal_text coordinate)
{
    const dal_force_spec *spec = b->spec;
    s->measure = b->joint_coordinate(b, spec->joint, coordinate);
    if (s->measure < 0)
        return false;
    if (spec->length.text) {
        dal_error(b->messages, spec->length.mark, "spring-damper '%s' acts on a joint: its free angle or distance is written `free:`",
                  spec->name.text);
        return false;
    }
    if (spec->free.text && !b->number(b, spec->free, &s->free))
        return false;
    s->free -= b->zero; /* the measure lacks the joint's zero */
    return true;
}

static bool compile_between_points(dal_force_builder *b, spring *s)
{
    const dal_force_spec *spec = b->spec;
    dal_marker end;
    bool ok = b->marker(b, spec->connect.item[0], &end);
    ok &= b->marker(b, spec->connect.item[1], &end);
    if (spec->free.text) {
        dal_error(b->messages, spec->free.mark, "spring-damper '%s' acts between points: its free length is written `length:`", spec->name.text);
        ok = false;
    } else if (spec->coordinate.text) {
        dal_error(b->messages, spec->coordinate.mark, "spring-damper '%s' acts between points: `coordinate` belongs to `joint:`", spec->name.text);
        ok = false;
    } else if (spec->length.text)
        ok &= b->number(b, spec->length, &s->free);
    else if (spec->stiffness.n) {
        dal_error(b->messages, spec->name.mark, "spring-damper '%s' has a stiffness but no `length:`, at which it has no force", spec->name.text);
        ok = false;
    }
    if (s->free < 0) {
        dal_error(b->messages, spec->length.mark, "the free length of '%s' is %.6g, and cannot be negative", spec->name.text, s->free);
        ok = false;
    }
    s->measure = b->measure;
    return ok;
}

static bool compile_spring(dal_force_builder *b, void *element)
{
    spring *s = element;
    const dal_force_spec *spec = b->spec;
    bool ok = read_numbers(b, s);
    if (!spec->joint.text == !spec->connect.n) {
        dal_error(b->messages, spec->joint.text ? spec->joint.mark : spec->name.mark,
                  "spring-damper '%s' acts either between two points (`connect: [P, Q]`) or on a joint (`joint: A`); %s given", spec->name.text,
                  spec->joint.text ? "both are" : "none is");
        return false;
    }
    ok &= spec->joint.text ? compile_on_joint(b, s, spec->coordinate) : compile_between_points(b, s);
    b->measure = s->measure;
    return ok;
}

static bool compile_torsional(dal_force_builder *b, void *element)
{
    const dal_text angle = {.text = dal_force_torsional.coordinate};
    spring *s = element;
    bool ok = read_numbers(b, s);
    ok &= compile_on_joint(b, s, angle);
    b->measure = s->measure;
    return ok;
}

#endif

const dal_force_type dal_force_spring_damper =
    DAL_FORCE_TYPE("spring-damper", "spring and damper between two points or on the coordinate of a joint",
                   "connect joint coordinate stiffness damping length free value", NULL, spring, apply_springs, .compile = compile_spring,
                   .potential = true, .effort = true, .spring = true, .acts = DAL_ACTS_BY_FORCE);

const dal_force_type dal_force_torsional =
    DAL_FORCE_TYPE("torsional-spring-damper", "spring and damper on the angle of a joint", "joint! stiffness damping free value", "angle", spring,
                   apply_springs, .compile = compile_torsional, .potential = true, .effort = true, .spring = true);
