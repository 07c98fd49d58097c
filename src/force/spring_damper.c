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

static void apply(dal_loads *loads, int n, const void *elements)
{
    for (const spring *s = elements, *end = s + n; s < end; s++) {
        dal_real stretch = loads->work->value[s->measure] - s->free;
        dal_real elastic = -s->stiffness * stretch, other = -s->damping * loads->work->rate[s->measure];
        if (s->expression >= 0)
            other += loads->expression[s->expression];
        loads->potential += 0.5 * s->stiffness * stretch * stretch;
        loads->power += other * loads->work->rate[s->measure];
        loads->effort[s->force] = elastic + other;
        dal_push_measure(loads, s->measure, elastic + other, false);
    }
}

#ifndef DAL_SCALAR_VARIANT

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
        dal_mark mark = spec->stiffness.n > 1 ? spec->stiffness.mark : spec->damping.mark;
        dal_error(b->messages, mark, "a spring-damper takes one stiffness and one damping; six of them make a bushing");
        ok = false;
    }
    if (s->stiffness < 0 || s->damping < 0) {
        dal_mark mark = s->stiffness < 0 ? spec->stiffness.mark : spec->damping.mark;
        dal_error(b->messages, mark, "stiffness and damping cannot be negative; write a force with `value:` instead");
        ok = false;
    }
    if (spec->value.n == 1)
        ok &= (s->expression = b->expression(b, spec->value.item[0])) >= 0;
    else if (spec->value.n > 1) {
        dal_error(b->messages, spec->value.mark, "the force of a spring-damper is one number, %d given", spec->value.n);
        ok = false;
    }
    return ok;
}

static bool compile_on_joint(dal_force_builder *b, spring *s, const char *coordinate)
{
    const dal_force_spec *spec = b->spec;
    s->measure = b->joint_coordinate(b, spec->joint, coordinate ? coordinate : spec->coordinate.text);
    if (s->measure < 0)
        return false;
    if (spec->length.text) {
        dal_error(b->messages, spec->length.mark, "on a joint the free angle or distance is written `free:`");
        return false;
    }
    return !spec->free.text || b->number(b, spec->free, &s->free);
}

static bool compile_between_points(dal_force_builder *b, spring *s)
{
    const dal_force_spec *spec = b->spec;
    dal_marker end;
    bool ok = b->marker(b, spec->connect.item[0], &end) & b->marker(b, spec->connect.item[1], &end);
    if (spec->free.text) {
        dal_error(b->messages, spec->free.mark, "between points the free length is written `length:`");
        ok = false;
    }
    if (spec->length.text)
        ok &= b->number(b, spec->length, &s->free);
    else if (spec->stiffness.n) {
        dal_error(b->messages, spec->name.mark, "spring '%s' has a stiffness but no free `length:`", spec->name.text);
        ok = false;
    }
    if (s->free < 0) {
        dal_error(b->messages, spec->length.mark, "a free length cannot be negative");
        ok = false;
    }
    s->measure = b->measure;
    return ok;
}

static bool compile(dal_force_builder *b, void *element)
{
    spring *s = element;
    const dal_force_spec *spec = b->spec;
    bool ok = read_numbers(b, s);
    if (!spec->joint.text == !spec->connect.n) {
        dal_error(b->messages, spec->name.mark, "'%s' acts either between two points (`connect: [P, Q]`) or on a joint (`joint: A`)",
                  spec->name.text);
        return false;
    }
    ok &= spec->joint.text ? compile_on_joint(b, s, NULL) : compile_between_points(b, s);
    b->measure = s->measure;
    return ok;
}

static bool compile_torsional(dal_force_builder *b, void *element)
{
    spring *s = element;
    bool ok = read_numbers(b, s);
    ok &= compile_on_joint(b, s, "angle");
    b->measure = s->measure;
    return ok;
}

#endif

const dal_force_type dal_force_spring_damper = {
    .name = "spring-damper",
    .title = "spring and damper between two points or on the coordinate of a joint",
    .keys = "connect joint coordinate stiffness damping length free value",
    .size = sizeof(spring),
    .apply = apply,
#ifndef DAL_SCALAR_VARIANT
    .compile = compile,
    .potential = true,
#endif
};

const dal_force_type dal_force_torsional = {
    .name = "torsional-spring-damper",
    .title = "spring and damper on the angle of a joint",
    .keys = "joint! stiffness damping free value",
    .size = sizeof(spring),
    .apply = apply,
#ifndef DAL_SCALAR_VARIANT
    .compile = compile_torsional,
    .potential = true,
#endif
};
