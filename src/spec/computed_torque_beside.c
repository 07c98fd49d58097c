/* Forces that act on the robot of the block `computed-torque` in addition to its motors: f_e, t_e and the efforts of springs, dampers and motors
 * on its joints. */
#include "spec/computed_torque_parts.h"

#include <math.h>
#include <string.h>

static void leave_out(dal_robot *r, const dal_force_spec *force, const char *why)
{
    dal_warn(r->reader->messages, force->name.mark, DAL_CODE_NOT_COMPENSATED, NAN,
             "%s does not know the force '%s', which %s: the acceleration will be another than the one wanted", r->reader->what, force->name.text,
             why);
}

static bool is_own(const dal_robot *r, const dal_force_spec *force)
{
    for (int i = 0; i < force->value.n; i++)
        if (dal_torque_mentions(force->value.item[i].text, r->name))
            return true;
    return false;
}

/* The only number of `value:`, within the limits. NULL: zero. */
static const char *value_of(dal_robot *r, const dal_force_spec *f, const char *part, int number)
{
    const char *value = dal_torque_keep(r, f->binding, &f->value.item[0], dal_torque_print(r, "%s.%d", part, number));
    if (f->limit.n != 2)
        return value;
    const char *low = dal_torque_add(r, f->binding, f->limit.mark, dal_torque_print(r, "lowest.%d", number), f->limit.item[0].text);
    const char *high = dal_torque_add(r, f->binding, f->limit.mark, dal_torque_print(r, "highest.%d", number), f->limit.item[1].text);
    return dal_torque_print(r, "max(%s, min(%s, %s))", low, high, value ? value : "0");
}

/* The effort of the element along the coordinate: value - k (q - free) - c q'. NULL: it has none of these texts. */
static const char *effort_of(dal_robot *r, const dal_torque_axis *a, const dal_force_spec *f, int number)
{
    static const char *const types[] = {"spring-damper", "torsional-spring-damper", "motor", "torque", "force"};
    const char *q = dal_torque_print(r, "%s.%s", a->joint->name.text, dal_torque_coordinate(a->joint)), *text = "0";
    bool known = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        known |= dal_torque_is_type(&f->type, types[i]);
    if (!known || f->value.n > 1 || f->stiffness.n > 1 || f->damping.n > 1 || f->direction.n)
        return NULL;
    if (f->value.n) {
        const char *value = value_of(r, f, "value", number);
        text = value ? value : text;
    }
    const char *k = f->stiffness.n ? dal_torque_keep(r, f->binding, &f->stiffness.item[0], dal_torque_print(r, "stiffness.%d", number)) : NULL;
    const char *c = f->damping.n ? dal_torque_keep(r, f->binding, &f->damping.item[0], dal_torque_print(r, "damping.%d", number)) : NULL;
    const char *free = k ? dal_torque_keep(r, f->binding, &f->free, dal_torque_print(r, "free.%d", number)) : NULL;
    if (k)
        text = dal_torque_print(r, "%s - %s*(%s%s%s)", text, k, q, free ? " - " : "", free ? free : "");
    if (c)
        text = dal_torque_print(r, "%s - %s*%s'", text, c, q);
    return text;
}

/* A force or torque on a body, in world axes or those of the body. */
static bool add_outer(dal_robot *r, const dal_force_spec *f, dal_torque_link *l, const char *point, int number)
{
    const char *body = r->reader->spec->bodies[l->body].name.text, *axes[3], *component[3] = {NULL, NULL, NULL}, *value;
    const bool torque = dal_torque_is_type(&f->type, "torque"), in_body = f->axes.text && !strcmp(f->axes.text, "body");
    const int n = r->planar ? 2 : 3;
    if ((!torque && !dal_torque_is_type(&f->type, "force")) || f->coordinate.text || f->direction.n)
        return false;
    if (torque && r->planar) {
        value = f->value.n == 1 ? value_of(r, f, "outer", number) : NULL;
        l->outer_moment = value ? dal_torque_print(r, "%s - %s", l->outer_moment, value) : l->outer_moment;
        return f->value.n == 1;
    }
    if (f->value.n != n)
        return false;
    for (int i = 0; i < n; i++) {
        component[i] = dal_torque_keep(r, f->binding, &f->value.item[i], dal_torque_print(r, "outer_%c.%d", 'x' + i, number));
        axes[i] = in_body  ? dal_torque_print(r, "%s.e%c", body, 'x' + i)
                  : i == 0 ? (n == 2 ? "[1, 0]" : "[1, 0, 0]")
                  : i == 1 ? (n == 2 ? "[0, 1]" : "[0, 1, 0]")
                           : "[0, 0, 1]";
    }
    value = dal_torque_sum(r, n, component, axes);
    if (!*value)
        return true;
    value = dal_torque_add(r, NULL, r->mark, dal_torque_print(r, "outer.%d", number), value);
    if (torque)
        l->outer_moment = dal_torque_print(r, "%s - %s", l->outer_moment, value);
    else {
        l->outer_force = dal_torque_print(r, "%s - %s", l->outer_force, value);
        if (*point)
            l->outer_moment = dal_torque_print(r, "%s - cross(%s.%s.position - %s.position, %s)", l->outer_moment, body, point, body, value);
    }
    return true;
}

void dal_torque_find_forces(dal_robot *r)
{
    const dal_spec *spec = r->reader->spec;
    for (int i = 0; i < spec->n_forces; i++) {
        const dal_force_spec *f = &spec->forces[i];
        dal_torque_axis *a = dal_torque_find_axis(r, f->joint.text);
        const char *point;
        bool turned;
        if (is_own(r, f))
            continue;
        if (a) {
            const char *effort = effort_of(r, a, f, i + 1);
            if (effort)
                a->effort = a->effort ? dal_torque_print(r, "%s - (%s)", a->effort, effort) : dal_torque_print(r, " - (%s)", effort);
            else
                leave_out(r, f, "acts on one of its joints");
        }
        if (f->body.text) {
            const int body = dal_torque_body(r, f->body.text, &point, &turned);
            if (body >= 0 && r->link_of[body] >= 0 && !add_outer(r, f, &r->links[r->link_of[body]], point, i + 1))
                leave_out(r, f, "acts on one of its bodies");
        }
        for (int k = 0; k < f->connect.n; k++) {
            const int body = dal_torque_body(r, f->connect.item[k].text, &point, &turned);
            if (body >= 0 && r->link_of[body] >= 0) {
                leave_out(r, f, "acts on one of its bodies");
                break;
            }
        }
        if (!f->joint.text && !f->body.text && !f->connect.n && dal_torque_is_type(&f->type, "central-gravity"))
            leave_out(r, f, "acts on all bodies");
    }
}
