/* The robot of the block `computed-torque`: a tree of bodies on the ground, with the joints of its list, joints coupled to them, and rigid joints. */
#include "spec/computed_torque_parts.h"

#include <math.h>
#include <string.h>

/* ---- which joints ------------------------------------------------------------------------------ */

static bool find_joints(dal_robot *r)
{
    for (int i = 0; i < r->keys->joints.n; i++) {
        const dal_text *name = &r->keys->joints.item[i];
        const dal_joint_spec *joint = dal_torque_joint(r, name->text);
        if (!joint)
            return dal_torque_refuse(r, name->mark, "there is no joint '%.100s'", name->text);
        if (dal_torque_find_axis(r, name->text))
            return dal_torque_refuse(r, name->mark, "joint '%.100s' is listed twice", name->text);
        if (!dal_torque_is_type(&joint->type, "revolute") && !dal_torque_is_type(&joint->type, "prismatic"))
            return dal_torque_refuse(r, name->mark, "joint '%.100s' is %s; its joints are revolute or prismatic", name->text,
                                     joint->type.text ? joint->type.text : "without type");
        if (joint->drive.text || joint->drive_rate.text)
            return dal_torque_refuse(r, name->mark, "joint '%.100s' is driven: its motion is prescribed, and no effort can change it", name->text);
        *DAL_PUSH(r->reader->scratch, r->axes, r->n_axes, r->room_axes) = (dal_torque_axis){.joint = joint, .of = i};
    }
    return true;
}

/* Gears and racks: the partner of a joint of the list. Every other constraint on a coordinate is refused. */
static bool find_couplings(dal_robot *r)
{
    const dal_spec *spec = r->reader->spec;
    const int n_listed = r->n_axes;
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *j = &spec->joints[i];
        const dal_torque_axis *held = dal_torque_find_axis(r, j->joint.text);
        if (held && !held->factor)
            return dal_torque_refuse(r, j->name.mark, "joint '%s' is held by '%s'", held->joint->name.text, j->name.text);
        if (j->joints.n != 2)
            continue;
        const dal_torque_axis *first = dal_torque_find_axis(r, j->joints.item[0].text), *second = dal_torque_find_axis(r, j->joints.item[1].text);
        const dal_text *ratio = dal_torque_is_type(&j->type, "gear") ? &j->ratio : &j->radius;
        if (!first && !second)
            continue;
        if (first && second)
            return dal_torque_refuse(r, j->name.mark, "'%s' couples two of its joints: only one of them can have an acceleration of its own",
                                     j->name.text);
        const dal_joint_spec *other = dal_torque_joint(r, j->joints.item[first ? 1 : 0].text);
        const int of = (first ? first : second)->of;
        if (!other || !ratio->text)
            continue; /* an error is reported when the joint is compiled */
        const char *factor = dal_torque_add(r, j->binding, ratio->mark, dal_torque_print(r, "ratio.%d", r->n_axes - n_listed + 1), ratio->text);
        *DAL_PUSH(r->reader->scratch, r->axes, r->n_axes, r->room_axes) =
            (dal_torque_axis){.joint = other, .of = of, .factor = first ? factor : dal_torque_print(r, "(1/%s)", factor)};
    }
    return true;
}

/* ---- the axis of a joint ----------------------------------------------------------------------- */
static const dal_point_spec *find_point(const dal_body_spec *body, const char *name)
{
    for (int i = 0; i < body->points.n; i++)
        if (!strcmp(body->points.item[i].name.text, name))
            return &body->points.item[i];
    return NULL;
}

/* The direction `letter` of the axes of a point, as three (two) texts; false: the point has no axes, or not this direction. */
static const dal_list *direction_of(const dal_point_spec *point, char letter)
{
    if (!point || point->axes.kind != DAL_ATTITUDE_AXES)
        return NULL;
    return point->axes.letters[0] == letter                              ? &point->axes.first
           : point->axes.letters[1] == letter && !point->axes.letters[0] ? &point->axes.second
                                                                         : NULL;
}

/* Components in the body and in space: each gets a name. */
static bool turn_out(dal_robot *r, dal_torque_link *l, const dal_list *components, const dal_binding *binding, int body, int number)
{
    const int n = r->planar ? 2 : 3;
    const char *factor[3] = {NULL, NULL, NULL}, *of[3], *across[3];
    if (components->n != n)
        return false;
    for (int i = 0; i < n; i++) {
        factor[i] = dal_torque_keep(r, binding, &components->item[i], dal_torque_print(r, "axis_%c.%d", 'x' + i, number));
        if (body == DAL_ON_GROUND)
            of[i] = i == 0 ? (r->planar ? "[1, 0]" : "[1, 0, 0]") : i == 1 ? (r->planar ? "[0, 1]" : "[0, 1, 0]") : "[0, 0, 1]";
        else
            of[i] = dal_torque_print(r, "%s.e%c", r->reader->spec->bodies[body].name.text, 'x' + i);
    }
    const char *length = "";
    for (int i = 0; i < n; i++)
        if (factor[i])
            length = dal_torque_print(r, "%s%s%s^2", length, *length ? " + " : "", factor[i]);
    const char *norm = *length ? dal_torque_print(r, "sqrt(%s)", length) : "1", *text = dal_torque_sum(r, n, factor, of);
    if (!*text)
        return dal_torque_refuse(r, l->joint->name.mark, "the axis of joint '%s' has length zero", l->joint->name.text);
    l->axis = dal_torque_add(r, NULL, r->mark, dal_torque_print(r, "axis.%d", number), dal_torque_print(r, "(%s)/%s", text, norm));
    if (r->planar) {
        const char *minus = factor[1] ? dal_torque_print(r, "(-%s)", factor[1]) : NULL, *const turned[2] = {minus, factor[0]};
        across[0] = of[0];
        across[1] = of[1];
        l->across = dal_torque_add(r, NULL, r->mark, dal_torque_print(r, "across.%d", number),
                                   dal_torque_print(r, "(%s)/%s", dal_torque_sum(r, 2, turned, across), norm));
    }
    return true;
}

bool dal_torque_write_axis(dal_robot *r, dal_torque_link *l, int number)
{
    const dal_spec *spec = r->reader->spec;
    const dal_joint_spec *j = l->joint;
    const char letter = r->planar ? 'x' : 'z', *point;
    bool turned;
    if (r->planar && l->turns)
        return true; /* out of the plane */
    const int first = dal_torque_body(r, j->connect.item[0].text, &point, &turned);
    const dal_point_spec *at = first >= 0 ? find_point(&spec->bodies[first], point) : NULL;
    const dal_list *list = direction_of(at, letter);
    const dal_body_spec *second = &spec->bodies[l->body];
    const char *behind;
    bool unused;
    dal_torque_body(r, j->connect.item[1].text, &behind, &unused);
    const dal_point_spec *other = find_point(second, behind);
    if (j->axis_second.n)
        return turn_out(r, l, &j->axis_second, j->binding, l->body, number);
    if (j->axis.n && !turned)
        return turn_out(r, l, &j->axis, j->binding, first, number);
    if (!j->axis.n && direction_of(other, letter))
        return turn_out(r, l, direction_of(other, letter), other->binding ? other->binding : second->binding, l->body, number);
    if (!j->axis.n && list && !turned)
        return turn_out(r, l, list, at->binding ? at->binding : spec->bodies[first].binding, first, number);
    return dal_torque_refuse(
        r, j->name.mark, "the axis of joint '%s' is not known before the model is placed: give it on both sides, `axis: [[..], [..]]`", j->name.text);
}

/* ---- the tree ---------------------------------------------------------------------------------- */

static int parent_link(const dal_robot *r, int body)
{
    return body == DAL_ON_GROUND ? DAL_ON_GROUND : body == DAL_NOT_OF_ROBOT ? DAL_NOT_OF_ROBOT : r->link_of[body];
}

static bool is_held(const dal_robot *r, int body)
{
    return body == DAL_ON_GROUND || (body >= 0 && r->link_of[body] >= 0);
}

static void add_link(dal_robot *r, const dal_joint_spec *j, int parent, int body, const char *point)
{
    r->link_of[body] = r->n_links;
    dal_torque_link *l = DAL_PUSH(r->reader->scratch, r->links, r->n_links, r->room_links);
    const char *name = r->reader->spec->bodies[body].name.text;
    *l = (dal_torque_link){.body = body, .parent = parent_link(r, parent), .joint = j, .outer_force = "", .outer_moment = ""};
    l->turns = dal_torque_is_type(&j->type, "revolute");
    l->point = *point ? dal_torque_print(r, "%s.%s", name, point) : name;
}

/* Outward from the ground, as far as joints of the list and rigid joints reach. */
static bool grow_tree(dal_robot *r)
{
    const dal_spec *spec = r->reader->spec;
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < spec->n_joints; i++) {
            const dal_joint_spec *j = &spec->joints[i];
            const bool rigid = dal_torque_is_type(&j->type, "rigid");
            dal_torque_axis *a = dal_torque_find_axis(r, j->name.text);
            const char *point[2];
            bool turned;
            if (j->connect.n != 2 || !(rigid || a))
                continue;
            const int first = dal_torque_body(r, j->connect.item[0].text, &point[0], &turned),
                      second = dal_torque_body(r, j->connect.item[1].text, &point[1], &turned);
            if (is_held(r, first) && second >= 0 && !is_held(r, second))
                add_link(r, j, first, second, point[1]);
            else if (rigid && is_held(r, second) && first >= 0 && !is_held(r, first))
                add_link(r, j, second, first, point[0]);
            else
                continue;
            progress = true;
            if (a)
                a->used = true;
        }
    }
    for (int i = 0; i < r->n_axes; i++)
        if (!r->axes[i].used)
            return dal_torque_refuse(
                r, r->axes[i].factor ? r->axes[i].joint->name.mark : r->keys->joints.item[i].mark,
                "from the ground to joint '%s' lead other joints than those of its list and rigid ones, or a loop: the accelerations there are "
                "not given",
                r->axes[i].joint->name.text);
    return true;
}

/* Other joints that are attached to the robot would move freely. */
static bool check_joints(dal_robot *r)
{
    const dal_spec *spec = r->reader->spec;
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *j = &spec->joints[i];
        const dal_torque_axis *a = dal_torque_find_axis(r, j->name.text);
        bool own = a != NULL, turned;
        for (int k = 0; k < r->n_links; k++)
            own |= r->links[k].joint == j;
        for (int k = 0; k < j->connect.n && !own; k++) {
            const char *point;
            const int body = dal_torque_body(r, j->connect.item[k].text, &point, &turned);
            if (body >= 0 && r->link_of[body] >= 0 && !dal_torque_is_type(&j->type, "rigid"))
                return dal_torque_refuse(r, j->name.mark,
                                         "joint '%s' connects '%s' of the robot with something that is not in its list: list the joint, too, "
                                         "where it opens no loop",
                                         j->name.text, spec->bodies[body].name.text);
            if (body >= 0 && r->link_of[body] >= 0)
                return dal_torque_refuse(r, j->name.mark, "the rigid joint '%s' closes a loop", j->name.text);
        }
        if (a && j->friction.mark.line)
            dal_warn(r->reader->messages, j->name.mark, DAL_CODE_NOT_COMPENSATED, NAN,
                     "%s does not know the friction of joint '%s': the acceleration will be another than the one wanted", r->reader->what,
                     j->name.text);
    }
    for (int i = 0; i < spec->n_constraints; i++)
        for (int k = 0; k < r->n_links; k++) {
            const dal_constraint_spec *c = &spec->constraints[i];
            const char *names[2] = {r->links[k].joint->name.text, spec->bodies[r->links[k].body].name.text};
            for (int s = 0; s < 2; s++)
                if (dal_torque_mentions(c->position.text, names[s]) || dal_torque_mentions(c->velocity.text, names[s]))
                    return dal_torque_refuse(r, c->name.mark, "the constraint '%s' holds '%s'", c->name.text, names[s]);
        }
    return true;
}

bool dal_torque_find_robot(dal_robot *r)
{
    return find_joints(r) && find_couplings(r) && grow_tree(r) && check_joints(r);
}
