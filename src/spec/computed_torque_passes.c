/* The two passes of the block `computed-torque`, as named expressions: accelerations outward from the ground, forces and moments inward.
 * computed_torque.c has the equations. */
#include "spec/computed_torque_parts.h"

#include <string.h>

/* ---- outward ----------------------------------------------------------------------------------- */

/* The wanted acceleration and the rate of the joint that carries a link. */
static bool want(dal_robot *r, dal_torque_link *l, int number)
{
    const dal_torque_axis *a = dal_torque_find_axis(r, l->joint->name.text);
    if (!a)
        return true; /* rigid */
    const char *wanted = dal_torque_print(r, "%s.wanted.%d", r->name, a->of + 1);
    l->wanted = a->factor ? dal_torque_print(r, "%s*%s", a->factor, wanted) : wanted;
    l->rate = dal_torque_print(r, "%s.%s'", l->joint->name.text, dal_torque_coordinate(l->joint));
    return dal_torque_write_axis(r, l, number);
}

/* The acceleration of a point that is fixed to the parent body: A_p + alpha_p x d + w_p x (w_p x d), d = point - r_p. */
static const char *carried(dal_robot *r, const dal_torque_link *p, const char *point)
{
    const char *body = r->reader->spec->bodies[p->body].name.text;
    if (r->planar)
        return dal_torque_print(r, "%s + %s*[%s.y - %s.y, %s.x - %s.x] - %s.omega^2*(%s.position - %s.position)", p->acceleration, p->alpha, body,
                                point, point, body, body, point, body);
    return dal_torque_print(r, "%s + cross(%s, %s.position - %s.position) + cross(%s.omega, cross(%s.omega, %s.position - %s.position))",
                            p->acceleration, p->alpha, point, body, body, body, point, body);
}

static void write_outward(dal_robot *r, dal_torque_link *l, int number)
{
    const char *zero = r->planar ? "[0, 0]" : "[0, 0, 0]", *body = r->reader->spec->bodies[l->body].name.text;
    const dal_torque_link *p = l->parent == DAL_ON_GROUND ? NULL : &r->links[l->parent];
    const char *before = p ? r->reader->spec->bodies[p->body].name.text : NULL, *alpha = p ? p->alpha : NULL, *a;
    const dal_mark mark = r->mark;
    if (l->turns && r->planar)
        alpha = alpha ? dal_torque_print(r, "%s + %s", alpha, l->wanted) : l->wanted;
    else if (l->turns && p)
        alpha = dal_torque_print(r, "%s + %s*%s + cross(%s.omega, %s)*%s", alpha, l->axis, l->wanted, before, l->axis, l->rate);
    else if (l->turns)
        alpha = dal_torque_print(r, "%s*%s", l->axis, l->wanted);
    l->alpha = dal_torque_add(r, NULL, mark, dal_torque_print(r, "alpha.%d", number), alpha ? alpha : r->planar ? "0" : zero);
    a = p ? carried(r, p, l->turns ? l->point : body) : zero;
    if (l->turns && r->planar)
        a = dal_torque_print(r, "%s - %s*[%s.y - %s.y, %s.x - %s.x] + %s.omega^2*(%s.position - %s.position)", a, l->alpha, body, l->point, l->point,
                             body, body, l->point, body);
    else if (l->turns)
        a = dal_torque_print(r, "%s - cross(%s, %s.position - %s.position) - cross(%s.omega, cross(%s.omega, %s.position - %s.position))", a,
                             l->alpha, l->point, body, body, body, l->point, body);
    else if (l->wanted) {
        a = dal_torque_print(r, "%s + %s*%s", a, l->axis, l->wanted);
        if (p && r->planar)
            a = dal_torque_print(r, "%s + 2*%s.omega*%s*%s", a, before, l->rate, l->across);
        else if (p)
            a = dal_torque_print(r, "%s + 2*%s*cross(%s.omega, %s)", a, l->rate, before, l->axis);
    }
    l->acceleration = dal_torque_add(r, NULL, mark, dal_torque_print(r, "acceleration.%d", number), a);
}

/* ---- inward ------------------------------------------------------------------------------------ */

/* s of its components in the body; NULL: zero. */
static void write_center(dal_robot *r, dal_torque_link *l, int number, const char *const component[3])
{
    static const char *const axes[] = {"ex", "ey", "ez"};
    const char *name = r->reader->spec->bodies[l->body].name.text, *of[3];
    const int n = r->planar ? 2 : 3;
    for (int i = 0; i < n; i++)
        of[i] = dal_torque_print(r, "%s.%s", name, axes[i]);
    const char *s = dal_torque_sum(r, n, component, of);
    l->s = *s ? dal_torque_add(r, NULL, r->mark, dal_torque_print(r, "center.%d", number), s) : NULL;
    if (r->planar && l->s) {
        const char *const turned[2] = {component[1] ? dal_torque_print(r, "(-%s)", component[1]) : NULL, component[0]};
        l->beside = dal_torque_add(r, NULL, r->mark, dal_torque_print(r, "beside.%d", number), dal_torque_sum(r, 2, turned, of));
    }
}

/* m, s and I of a body: as they are written; those of shapes are known to the compiler only, by their channels. */
static void write_inertia(dal_robot *r, dal_torque_link *l, int number, const char **I)
{
    static const char *const entries[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const dal_body_spec *body = &r->reader->spec->bodies[l->body];
    const char *name = body->name.text, *factor[3] = {NULL, NULL, NULL};
    const int n = r->planar ? 2 : 3;
    if (body->density.text || (!body->inertia.n && body->shape.n && !dal_torque_is_zero(body->mass.text))) {
        const char *center[3];
        l->mass = dal_torque_print(r, "%s.inertial.mass", name);
        for (int i = 0; i < n; i++)
            center[i] = dal_torque_print(r, "%s.inertial.center.%c", name, 'x' + i);
        write_center(r, l, number, center);
        for (int i = 0; i < (r->planar ? 1 : 6); i++)
            I[i] = dal_torque_print(r, "%s.inertial.%s", name, r->planar ? "zz" : entries[i]);
        return;
    }
    l->mass = dal_torque_keep(r, body->binding, &body->mass, dal_torque_print(r, "mass.%d", number));
    for (int i = 0; i < n && i < body->center.n; i++)
        factor[i] = dal_torque_keep(r, body->binding, &body->center.item[i], dal_torque_print(r, "center_%c.%d", 'x' + i, number));
    write_center(r, l, number, factor);
    for (int i = 0; i < body->inertia.n; i++)
        I[i] = dal_torque_keep(r, body->binding, &body->inertia.item[i], dal_torque_print(r, "inertia_%s.%d", entries[i], number));
}

/* I u in world axes; u has components in the axes of the body. */
static const char *times_inertia(dal_robot *r, const char *name, const char *const I[6], const char *const u[3])
{
    static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const char *text = "";
    for (int i = 0; i < 3; i++) {
        const char *row[3] = {I[entry[i][0]], I[entry[i][1]], I[entry[i][2]]}, *line = dal_torque_sum(r, 3, row, u);
        if (*line)
            text = dal_torque_print(r, "%s%s%s.e%c*(%s)", text, *text ? " + " : "", name, 'x' + i, line);
    }
    return text;
}

static const char *own_moment(dal_robot *r, dal_torque_link *l, const char *const I[6])
{
    const char *name = r->reader->spec->bodies[l->body].name.text, *spin[3], *rise[3];
    if (r->planar)
        return I[0] ? dal_torque_print(r, "%s*%s", I[0], l->alpha) : "0";
    for (int i = 0; i < 3; i++) {
        rise[i] = dal_torque_print(r, "dot(%s, %s.e%c)", l->alpha, name, 'x' + i);
        spin[i] = dal_torque_print(r, "%s.omega.body.%c", name, 'x' + i);
    }
    const char *first = times_inertia(r, name, I, rise), *second = times_inertia(r, name, I, spin);
    return *first ? dal_torque_print(r, "%s + cross(%s.omega, %s)", first, name, second) : "[0, 0, 0]";
}

static void write_inward(dal_robot *r, int index)
{
    dal_torque_link *l = &r->links[index];
    const char *name = r->reader->spec->bodies[l->body].name.text, *I[6] = {NULL}, *zero = r->planar ? "[0, 0]" : "[0, 0, 0]";
    const int number = index + 1;
    const dal_mark mark = r->mark;
    write_inertia(r, l, number, I);
    const char *a = l->acceleration;
    if (l->s && r->planar)
        a = dal_torque_print(r, "%s + %s*%s - %s.omega^2*%s", a, l->alpha, l->beside, name, l->s);
    else if (l->s)
        a = dal_torque_print(r, "%s + cross(%s, %s) + cross(%s.omega, cross(%s.omega, %s))", a, l->alpha, l->s, name, name, l->s);
    const char *own = l->mass ? dal_torque_print(r, "%s*(%s - %s.gravity)", l->mass, a, r->name) : zero;
    own = dal_torque_add(r, NULL, mark, dal_torque_print(r, "own.%d", number), own);
    const char *f = dal_torque_print(r, "%s%s", own, l->outer_force), *n = dal_torque_print(r, "%s%s", own_moment(r, l, I), l->outer_moment);
    if (l->s)
        n = dal_torque_print(r, "%s + cross(%s, %s)", n, l->s, own);
    for (int k = index + 1; k < r->n_links; k++) {
        const dal_torque_link *c = &r->links[k];
        const char *child = r->reader->spec->bodies[c->body].name.text;
        if (c->parent != index)
            continue;
        f = dal_torque_print(r, "%s + %s", f, c->f);
        n = dal_torque_print(r, "%s + %s + cross(%s.position - %s.position, %s)", n, c->n, child, name, c->f);
    }
    l->f = dal_torque_add(r, NULL, mark, dal_torque_print(r, "force.%d", number), f);
    l->n = dal_torque_add(r, NULL, mark, dal_torque_print(r, "moment.%d", number), n);
}

const char *dal_torque_joint_effort(dal_robot *r, const dal_torque_link *l, const dal_torque_axis *a)
{
    const char *name = r->reader->spec->bodies[l->body].name.text;
    const bool at_origin = !strcmp(l->point, name);
    const char *moment = at_origin ? l->n : dal_torque_print(r, "%s + cross(%s.position - %s.position, %s)", l->n, name, l->point, l->f), *text;
    if (!l->turns)
        text = dal_torque_print(r, "dot(%s, %s)", l->axis, l->f);
    else
        text = r->planar ? moment : dal_torque_print(r, "dot(%s, %s)", l->axis, moment);
    return dal_torque_print(r, "%s%s", text, a->effort ? a->effort : "");
}

bool dal_torque_write_motion(dal_robot *r)
{
    for (int i = 0; i < r->n_links; i++) {
        if (!want(r, &r->links[i], i + 1))
            return false;
        write_outward(r, &r->links[i], i + 1);
    }
    for (int i = r->n_links; i-- > 0;)
        write_inward(r, i);
    return true;
}
