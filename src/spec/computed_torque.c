/* The block `computed-torque`: the efforts that give the joints of a robot the accelerations that are wanted, by inverse dynamics.
 *
 * The robot is a tree of bodies that stands on the ground, by revolute, prismatic and rigid joints. With the wanted accelerations q''_w of its joints,
 * body by body outward from the ground (a: axis of the joint in space, P: its point; p: the body before; r: origin, c: centre of mass, s = c - r):
 *   revolute    alpha = alpha_p + a q''_w + w_p x a q'
 *               A = A_p + alpha_p x (P - r_p) + w_p x (w_p x (P - r_p)) - alpha x (P - r) - w x (w x (P - r))
 *   prismatic   alpha = alpha_p
 *               A = A_p + alpha_p x (r - r_p) + w_p x (w_p x (r - r_p)) + a q''_w + 2 w_p x a q'
 * and inward, with the forces f_e and torques t_e that act on the body beside its joints:
 *   F = m (A + alpha x s + w x (w x s) - g) - f_e,   N = I alpha + w x I w - t_e
 *   f = F + sum of f over the bodies behind it,   n = N + s x F + sum of (n_k + (r_k - r) x f_k)
 *   effort = a . (n + (r - P) x f) revolute, a . f prismatic,  less the springs, dampers and motors on the joint
 * (Luh, Walker, Paul 1980, in world axes.) Positions and velocities are the actual ones, accelerations the wanted ones: q'' = q''_w follows.
 * A joint that a gear couples to one of the list has its acceleration in the ratio, and its effort is added in the same ratio.
 *
 * Everything becomes named expressions of channels, NAME.1 ... the efforts, and motors NAME.motor.1 ... on the joints: nothing behind the reader knows
 * the block.
 */
#include "spec/blocks.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { GROUND = -1, NOT_OF_ROBOT = -2, DEEPEST_GROUND = 20 };

/* A body of the robot and the joint that carries it. */
typedef struct link {
    int body, parent;            /* parent: a link, or GROUND */
    const dal_joint_spec *joint; /* NULL never */
    const char *point;           /* P, as a position */
    const char *axis;            /* in space; NULL: rigid */
    const char *across;          /* planar: the axis turned by 90 degrees */
    const char *wanted, *rate;   /* q''_w, q'; NULL: rigid */
    bool turns;
    const char *alpha, *acceleration;       /* names of expressions */
    const char *f, *n, *mass, *s, *beside;  /* beside: s turned by 90 degrees */
    const char *outer_force, *outer_moment; /* that act on it, the moment about its origin; "" none */
} link;

/* A joint of the list, or one that is coupled to it. */
typedef struct axis {
    const dal_joint_spec *joint;
    int of;             /* the number in the list; of a coupled one that of its partner */
    const char *factor; /* coupled: its coordinate over that of the partner; NULL: it is of the list */
    const char *effort;
    bool used;
} axis;

typedef struct robot {
    dal_reader *reader;
    const dal_block_keys *keys;
    const char *name;
    dal_mark mark;
    bool planar;
    int n_axes, n_links;
    size_t room_axes, room_links;
    axis *axes;
    link *links;
    int *link_of; /* of each body of the model; NOT_OF_ROBOT */
} robot;

static const char *print(robot *r, const char *format, ...) DAL_PRINTF(2, 3);
static const char *print(robot *r, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int n = vsnprintf(NULL, 0, format, list);
    char *text = dal_arena_alloc(r->reader->scratch, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
    return text;
}

static bool refuse(robot *r, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
static bool refuse(robot *r, dal_mark mark, const char *format, ...)
{
    char sentence[700];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    dal_complain(r->reader->messages, mark, "%s of type computed-torque: %s", r->reader->what, sentence);
    return false;
}

/* ---- named expressions -------------------------------------------------------------------------- */

/* NAME.part: its whole name. */
static const char *add(robot *r, const dal_binding *binding, dal_mark mark, const char *part, const char *text)
{
    dal_add_part(r->reader, r->name, part, dal_made_text(r->reader, mark, "%s", text));
    dal_pair *pair = &r->reader->spec->define[r->reader->spec->n_define - 1];
    if (binding)
        pair->binding = binding;
    return pair->name.text;
}

static bool is_zero(const char *text)
{
    return !text || (*text && !text[strspn(text, "0.")]);
}

/* A text of an element, under a name of its own, so that its names are searched where it was written; NULL: it is zero or not given. */
static const char *keep_text(robot *r, const dal_binding *binding, const dal_text *text, const char *part)
{
    return is_zero(text->text) ? NULL : add(r, binding, text->mark, part, text->text);
}

/* "a*x + b*y" of those that are not NULL; "" for none. */
static const char *sum(robot *r, int n, const char *const *factor, const char *const *of)
{
    const char *text = "";
    for (int i = 0; i < n; i++)
        if (factor[i])
            text = print(r, "%s%s%s*%s", text, *text ? " + " : "", factor[i], of[i]);
    return text;
}

/* ---- names of the model ---------------------------------------------------------------------------- */

/* The body at the head of a path, GROUND, or NOT_OF_ROBOT for none. *point: what stands behind it. The ground of an included model is where it
 * stands; *turned: its axes may be others than those of what it stands on. */
static int body_of(const robot *r, const char *path, const char **point, bool *turned)
{
    const dal_spec *spec = r->reader->spec;
    *turned = false;
    for (int depth = 0; depth < DEEPEST_GROUND; depth++) {
        size_t most = 0;
        int best = NOT_OF_ROBOT, model = -1;
        for (int i = 0; i < spec->n_bodies; i++) {
            const size_t n = strlen(spec->bodies[i].name.text);
            if (n > most && !strncmp(path, spec->bodies[i].name.text, n) && (!path[n] || path[n] == '.'))
                most = n, best = i;
        }
        for (int i = 0; i < spec->n_models; i++) {
            const size_t n = strlen(spec->models[i]->name.text);
            if (!strncmp(path, spec->models[i]->name.text, n) && !strncmp(path + n, ".ground", 7) && (!path[n + 7] || path[n + 7] == '.'))
                model = i;
        }
        *point = path[most] ? path + most + 1 : "";
        if (best >= 0)
            return best;
        if (model < 0)
            return !strncmp(path, "ground", 6) && (!path[6] || path[6] == '.') ? GROUND : NOT_OF_ROBOT;
        path = spec->models[model]->ground.text;
        *turned |= strcmp(path, "ground") != 0;
    }
    return NOT_OF_ROBOT;
}

static const dal_point_spec *find_point(const dal_body_spec *body, const char *name)
{
    for (int i = 0; i < body->points.n; i++)
        if (!strcmp(body->points.item[i].name.text, name))
            return &body->points.item[i];
    return NULL;
}

static bool is_type(const dal_text *type, const char *name)
{
    return type->text && !strcmp(type->text, name);
}

static const char *joint_coordinate(const dal_joint_spec *joint)
{
    return is_type(&joint->type, "prismatic") ? "distance" : "angle";
}

/* Does a text use this name, or something behind it? */
static bool mentions(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; at && *at; at++) {
        const bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (!inside && !strncmp(at, name, n) && !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    }
    return false;
}

/* ---- which joints ------------------------------------------------------------------------------------ */

static const dal_joint_spec *find_joint(const robot *r, const char *name)
{
    for (int i = 0; i < r->reader->spec->n_joints; i++)
        if (!strcmp(r->reader->spec->joints[i].name.text, name))
            return &r->reader->spec->joints[i];
    return NULL;
}

static axis *find_axis(const robot *r, const char *name)
{
    for (int i = 0; i < r->n_axes && name; i++)
        if (!strcmp(r->axes[i].joint->name.text, name))
            return &r->axes[i];
    return NULL;
}

static bool take_joints(robot *r)
{
    for (int i = 0; i < r->keys->joints.n; i++) {
        const dal_text *name = &r->keys->joints.item[i];
        const dal_joint_spec *joint = find_joint(r, name->text);
        if (!joint)
            return refuse(r, name->mark, "there is no joint '%.100s'", name->text);
        if (find_axis(r, name->text))
            return refuse(r, name->mark, "joint '%.100s' is listed twice", name->text);
        if (!is_type(&joint->type, "revolute") && !is_type(&joint->type, "prismatic"))
            return refuse(r, name->mark, "joint '%.100s' is %s; its joints are revolute or prismatic", name->text,
                          joint->type.text ? joint->type.text : "without type");
        if (joint->drive.text || joint->drive_rate.text)
            return refuse(r, name->mark, "joint '%.100s' is driven: its motion is prescribed, and no effort can change it", name->text);
        *DAL_PUSH(r->reader->scratch, r->axes, r->n_axes, r->room_axes) = (axis){.joint = joint, .of = i};
    }
    return true;
}

/* Gears and racks: the partner of a joint of the list. Everything else that holds a coordinate is refused. */
static bool take_couplings(robot *r)
{
    const dal_spec *spec = r->reader->spec;
    const int n_listed = r->n_axes;
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *j = &spec->joints[i];
        const axis *held = find_axis(r, j->joint.text);
        if (held && !held->factor)
            return refuse(r, j->name.mark, "joint '%s' is held by '%s'", held->joint->name.text, j->name.text);
        if (j->joints.n != 2)
            continue;
        const axis *first = find_axis(r, j->joints.item[0].text), *second = find_axis(r, j->joints.item[1].text);
        const dal_text *ratio = is_type(&j->type, "gear") ? &j->ratio : &j->radius;
        if (!first && !second)
            continue;
        if (first && second)
            return refuse(r, j->name.mark, "'%s' couples two of its joints: only one of them can have an acceleration of its own", j->name.text);
        const dal_joint_spec *other = find_joint(r, j->joints.item[first ? 1 : 0].text);
        const int of = (first ? first : second)->of;
        if (!other || !ratio->text)
            continue; /* complained about when the joint is compiled */
        const char *factor = add(r, j->binding, ratio->mark, print(r, "ratio.%d", r->n_axes - n_listed + 1), ratio->text);
        *DAL_PUSH(r->reader->scratch, r->axes, r->n_axes, r->room_axes) =
            (axis){.joint = other, .of = of, .factor = first ? factor : print(r, "(1/%s)", factor)};
    }
    return true;
}

/* ---- the axis of a joint ------------------------------------------------------------------------------- */

/* The direction `letter` of the axes of a point, as three (two) texts; false: it has none, or not written. */
static const dal_list *direction_of(const dal_point_spec *point, char letter)
{
    if (!point || point->axes.kind != DAL_ATTITUDE_AXES)
        return NULL;
    return point->axes.letters[0] == letter                              ? &point->axes.first
           : point->axes.letters[1] == letter && !point->axes.letters[0] ? &point->axes.second
                                                                         : NULL;
}

/* Components in a body, in space: a name each. */
static bool turn_out(robot *r, link *l, const dal_list *components, const dal_binding *binding, int body, int number)
{
    const int n = r->planar ? 2 : 3;
    const char *factor[3] = {NULL, NULL, NULL}, *of[3], *across[3];
    if (components->n != n)
        return false;
    for (int i = 0; i < n; i++) {
        factor[i] = keep_text(r, binding, &components->item[i], print(r, "axis_%c.%d", 'x' + i, number));
        if (body == GROUND)
            of[i] = i == 0 ? (r->planar ? "[1, 0]" : "[1, 0, 0]") : i == 1 ? (r->planar ? "[0, 1]" : "[0, 1, 0]") : "[0, 0, 1]";
        else
            of[i] = print(r, "%s.e%c", r->reader->spec->bodies[body].name.text, 'x' + i);
    }
    const char *length = "";
    for (int i = 0; i < n; i++)
        if (factor[i])
            length = print(r, "%s%s%s^2", length, *length ? " + " : "", factor[i]);
    const char *norm = *length ? print(r, "sqrt(%s)", length) : "1", *text = sum(r, n, factor, of);
    if (!*text)
        return refuse(r, l->joint->name.mark, "the axis of joint '%s' has length zero", l->joint->name.text);
    l->axis = add(r, NULL, r->mark, print(r, "axis.%d", number), print(r, "(%s)/%s", text, norm));
    if (r->planar) {
        const char *minus = factor[1] ? print(r, "(-%s)", factor[1]) : NULL, *const turned[2] = {minus, factor[0]};
        across[0] = of[0];
        across[1] = of[1];
        l->across = add(r, NULL, r->mark, print(r, "across.%d", number), print(r, "(%s)/%s", sum(r, 2, turned, across), norm));
    }
    return true;
}

/* From `axis:`, in the first body; or from the axes of the second point, or of the first. */
static bool find_axis_of(robot *r, link *l, int number)
{
    const dal_spec *spec = r->reader->spec;
    const dal_joint_spec *j = l->joint;
    const char letter = r->planar ? 'x' : 'z', *point;
    bool turned;
    if (r->planar && l->turns)
        return true; /* out of the plane */
    const int first = body_of(r, j->connect.item[0].text, &point, &turned);
    const dal_point_spec *at = first >= 0 ? find_point(&spec->bodies[first], point) : NULL;
    const dal_list *list = direction_of(at, letter);
    const dal_body_spec *second = &spec->bodies[l->body];
    const char *behind;
    bool unused;
    body_of(r, j->connect.item[1].text, &behind, &unused);
    const dal_point_spec *other = find_point(second, behind);
    if (j->axis_second.n)
        return turn_out(r, l, &j->axis_second, j->binding, l->body, number);
    if (j->axis.n && !turned)
        return turn_out(r, l, &j->axis, j->binding, first, number);
    if (!j->axis.n && direction_of(other, letter))
        return turn_out(r, l, direction_of(other, letter), other->binding ? other->binding : second->binding, l->body, number);
    if (!j->axis.n && list && !turned)
        return turn_out(r, l, list, at->binding ? at->binding : spec->bodies[first].binding, first, number);
    return refuse(r, j->name.mark, "the axis of joint '%s' is not known before the model is placed: give it on both sides, `axis: [[..], [..]]`",
                  j->name.text);
}

/* ---- the tree --------------------------------------------------------------------------------------------- */

static int parent_link(const robot *r, int body)
{
    return body == GROUND ? GROUND : body == NOT_OF_ROBOT ? NOT_OF_ROBOT : r->link_of[body];
}

static bool is_held(const robot *r, int body)
{
    return body == GROUND || (body >= 0 && r->link_of[body] >= 0);
}

static void add_link(robot *r, const dal_joint_spec *j, int parent, int body, const char *point)
{
    r->link_of[body] = r->n_links;
    link *l = DAL_PUSH(r->reader->scratch, r->links, r->n_links, r->room_links);
    const char *name = r->reader->spec->bodies[body].name.text;
    *l = (link){.body = body, .parent = parent_link(r, parent), .joint = j, .outer_force = "", .outer_moment = ""};
    l->turns = is_type(&j->type, "revolute");
    l->point = *point ? print(r, "%s.%s", name, point) : name;
}

/* Outward from the ground, as far as joints of the list and rigid ones lead. */
static bool grow_tree(robot *r)
{
    const dal_spec *spec = r->reader->spec;
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < spec->n_joints; i++) {
            const dal_joint_spec *j = &spec->joints[i];
            const bool rigid = is_type(&j->type, "rigid");
            axis *a = find_axis(r, j->name.text);
            const char *point[2];
            bool turned;
            if (j->connect.n != 2 || !(rigid || a))
                continue;
            const int first = body_of(r, j->connect.item[0].text, &point[0], &turned),
                      second = body_of(r, j->connect.item[1].text, &point[1], &turned);
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
            return refuse(
                r, r->axes[i].factor ? r->axes[i].joint->name.mark : r->keys->joints.item[i].mark,
                "from the ground to joint '%s' lead other joints than those of its list and rigid ones, or a loop: the accelerations there are "
                "not given",
                r->axes[i].joint->name.text);
    return true;
}

/* Joints that hang on the robot and are none of its own would move as they like. */
static bool check_joints(robot *r)
{
    const dal_spec *spec = r->reader->spec;
    for (int i = 0; i < spec->n_joints; i++) {
        const dal_joint_spec *j = &spec->joints[i];
        const axis *a = find_axis(r, j->name.text);
        bool own = a != NULL, turned;
        for (int k = 0; k < r->n_links; k++)
            own |= r->links[k].joint == j;
        for (int k = 0; k < j->connect.n && !own; k++) {
            const char *point;
            const int body = body_of(r, j->connect.item[k].text, &point, &turned);
            if (body >= 0 && r->link_of[body] >= 0 && !is_type(&j->type, "rigid"))
                return refuse(r, j->name.mark,
                              "joint '%s' connects '%s' of the robot with something that is not in its list: list the joint, too, "
                              "where it opens no loop",
                              j->name.text, spec->bodies[body].name.text);
            if (body >= 0 && r->link_of[body] >= 0)
                return refuse(r, j->name.mark, "the rigid joint '%s' closes a loop", j->name.text);
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
                if (mentions(c->position.text, names[s]) || mentions(c->velocity.text, names[s]))
                    return refuse(r, c->name.mark, "the constraint '%s' holds '%s'", c->name.text, names[s]);
        }
    return true;
}

/* ---- forces that act beside ---------------------------------------------------------------------------------- */

static void leave_out(robot *r, const dal_force_spec *force, const char *why)
{
    dal_warn(r->reader->messages, force->name.mark, DAL_CODE_NOT_COMPENSATED, NAN,
             "%s does not know the force '%s', which %s: the acceleration will be another than the one wanted", r->reader->what, force->name.text,
             why);
}

static bool is_own(const robot *r, const dal_force_spec *force)
{
    for (int i = 0; i < force->value.n; i++)
        if (mentions(force->value.item[i].text, r->name))
            return true;
    return false;
}

/* Its effort along the coordinate: value - k (q - free) - c q'; NULL: there is no such text. */
static const char *effort_of(robot *r, const axis *a, const dal_force_spec *f, int number)
{
    static const char *const types[] = {"spring-damper", "torsional-spring-damper", "motor", "torque", "force"};
    const char *q = print(r, "%s.%s", a->joint->name.text, joint_coordinate(a->joint)), *text = "0";
    bool known = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        known |= is_type(&f->type, types[i]);
    if (!known || f->value.n > 1 || f->stiffness.n > 1 || f->damping.n > 1 || f->direction.n)
        return NULL;
    if (f->value.n && f->limit.n == 2) {
        const char *value = keep_text(r, f->binding, &f->value.item[0], print(r, "value.%d", number));
        const char *low = add(r, f->binding, f->limit.mark, print(r, "lowest.%d", number), f->limit.item[0].text);
        const char *high = add(r, f->binding, f->limit.mark, print(r, "highest.%d", number), f->limit.item[1].text);
        text = value ? print(r, "max(%s, min(%s, %s))", low, high, value) : text;
    } else if (f->value.n) {
        const char *value = keep_text(r, f->binding, &f->value.item[0], print(r, "value.%d", number));
        text = value ? value : text;
    }
    const char *k = f->stiffness.n ? keep_text(r, f->binding, &f->stiffness.item[0], print(r, "stiffness.%d", number)) : NULL;
    const char *c = f->damping.n ? keep_text(r, f->binding, &f->damping.item[0], print(r, "damping.%d", number)) : NULL;
    const char *free = k ? keep_text(r, f->binding, &f->free, print(r, "free.%d", number)) : NULL;
    if (k)
        text = print(r, "%s - %s*(%s%s%s)", text, k, q, free ? " - " : "", free ? free : "");
    if (c)
        text = print(r, "%s - %s*%s'", text, c, q);
    return text;
}

/* A force or torque on a body, in world axes or those of the body. */
static bool take_outer(robot *r, const dal_force_spec *f, link *l, const char *point, int number)
{
    const char *body = r->reader->spec->bodies[l->body].name.text, *axes[3], *component[3] = {NULL, NULL, NULL}, *value;
    const bool torque = is_type(&f->type, "torque"), in_body = f->axes.text && !strcmp(f->axes.text, "body");
    const int n = r->planar ? 2 : 3;
    if ((!torque && !is_type(&f->type, "force")) || f->coordinate.text || f->direction.n)
        return false;
    if (torque && r->planar) {
        value = f->value.n == 1 ? keep_text(r, f->binding, &f->value.item[0], print(r, "outer.%d", number)) : NULL;
        l->outer_moment = value ? print(r, "%s - %s", l->outer_moment, value) : l->outer_moment;
        return f->value.n == 1;
    }
    if (f->value.n != n)
        return false;
    for (int i = 0; i < n; i++) {
        component[i] = keep_text(r, f->binding, &f->value.item[i], print(r, "outer_%c.%d", 'x' + i, number));
        axes[i] = in_body  ? print(r, "%s.e%c", body, 'x' + i)
                  : i == 0 ? (n == 2 ? "[1, 0]" : "[1, 0, 0]")
                  : i == 1 ? (n == 2 ? "[0, 1]" : "[0, 1, 0]")
                           : "[0, 0, 1]";
    }
    value = sum(r, n, component, axes);
    if (!*value)
        return true;
    value = add(r, NULL, r->mark, print(r, "outer.%d", number), value);
    if (torque)
        l->outer_moment = print(r, "%s - %s", l->outer_moment, value);
    else {
        l->outer_force = print(r, "%s - %s", l->outer_force, value);
        if (*point)
            l->outer_moment = print(r, "%s - cross(%s.%s.position - %s.position, %s)", l->outer_moment, body, point, body, value);
    }
    return true;
}

static void take_forces(robot *r)
{
    const dal_spec *spec = r->reader->spec;
    for (int i = 0; i < spec->n_forces; i++) {
        const dal_force_spec *f = &spec->forces[i];
        axis *a = find_axis(r, f->joint.text);
        const char *point;
        bool turned;
        if (is_own(r, f))
            continue;
        if (a) {
            const char *effort = effort_of(r, a, f, i + 1);
            if (effort)
                a->effort = a->effort ? print(r, "%s - (%s)", a->effort, effort) : print(r, " - (%s)", effort);
            else
                leave_out(r, f, "acts on one of its joints");
        }
        if (f->body.text) {
            const int body = body_of(r, f->body.text, &point, &turned);
            if (body >= 0 && r->link_of[body] >= 0 && !take_outer(r, f, &r->links[r->link_of[body]], point, i + 1))
                leave_out(r, f, "acts on one of its bodies");
        }
        for (int k = 0; k < f->connect.n; k++) {
            const int body = body_of(r, f->connect.item[k].text, &point, &turned);
            if (body >= 0 && r->link_of[body] >= 0) {
                leave_out(r, f, "acts on one of its bodies");
                break;
            }
        }
        if (!f->joint.text && !f->body.text && !f->connect.n && is_type(&f->type, "central-gravity"))
            leave_out(r, f, "acts on all bodies");
    }
}

/* ---- outward ----------------------------------------------------------------------------------------------- */

/* The wanted acceleration and the rate of the joint that carries a link. */
static bool want(robot *r, link *l, int number)
{
    const axis *a = find_axis(r, l->joint->name.text);
    if (!a)
        return true; /* rigid */
    const char *wanted = print(r, "%s.wanted.%d", r->name, a->of + 1);
    l->wanted = a->factor ? print(r, "%s*%s", a->factor, wanted) : wanted;
    l->rate = print(r, "%s.%s'", l->joint->name.text, joint_coordinate(l->joint));
    return find_axis_of(r, l, number);
}

/* The acceleration of a point that is fixed to the body before: A_p + alpha_p x d + w_p x (w_p x d), d = point - r_p. */
static const char *carried(robot *r, const link *p, const char *point)
{
    const char *body = r->reader->spec->bodies[p->body].name.text;
    if (r->planar)
        return print(r, "%s + %s*[%s.y - %s.y, %s.x - %s.x] - %s.omega^2*(%s.position - %s.position)", p->acceleration, p->alpha, body, point, point,
                     body, body, point, body);
    return print(r, "%s + cross(%s, %s.position - %s.position) + cross(%s.omega, cross(%s.omega, %s.position - %s.position))", p->acceleration,
                 p->alpha, point, body, body, body, point, body);
}

static void write_outward(robot *r, link *l, int number)
{
    const char *zero = r->planar ? "[0, 0]" : "[0, 0, 0]", *body = r->reader->spec->bodies[l->body].name.text;
    const link *p = l->parent == GROUND ? NULL : &r->links[l->parent];
    const char *before = p ? r->reader->spec->bodies[p->body].name.text : NULL, *alpha = p ? p->alpha : NULL, *a;
    const dal_mark mark = r->mark;
    if (l->turns && r->planar)
        alpha = alpha ? print(r, "%s + %s", alpha, l->wanted) : l->wanted;
    else if (l->turns && p)
        alpha = print(r, "%s + %s*%s + cross(%s.omega, %s)*%s", alpha, l->axis, l->wanted, before, l->axis, l->rate);
    else if (l->turns)
        alpha = print(r, "%s*%s", l->axis, l->wanted);
    l->alpha = add(r, NULL, mark, print(r, "alpha.%d", number), alpha ? alpha : r->planar ? "0" : zero);
    a = p ? carried(r, p, l->turns ? l->point : body) : zero;
    if (l->turns && r->planar)
        a = print(r, "%s - %s*[%s.y - %s.y, %s.x - %s.x] + %s.omega^2*(%s.position - %s.position)", a, l->alpha, body, l->point, l->point, body, body,
                  l->point, body);
    else if (l->turns)
        a = print(r, "%s - cross(%s, %s.position - %s.position) - cross(%s.omega, cross(%s.omega, %s.position - %s.position))", a, l->alpha, l->point,
                  body, body, body, l->point, body);
    else if (l->wanted) {
        a = print(r, "%s + %s*%s", a, l->axis, l->wanted);
        if (p && r->planar)
            a = print(r, "%s + 2*%s.omega*%s*%s", a, before, l->rate, l->across);
        else if (p)
            a = print(r, "%s + 2*%s*cross(%s.omega, %s)", a, l->rate, before, l->axis);
    }
    l->acceleration = add(r, NULL, mark, print(r, "acceleration.%d", number), a);
}

/* ---- inward ---------------------------------------------------------------------------------------------------- */

/* m, s and I of a body; false: they are not written. */
static bool write_inertia(robot *r, link *l, int number, const char **I)
{
    static const char *const axes[] = {"ex", "ey", "ez"}, *const entries[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const dal_body_spec *body = &r->reader->spec->bodies[l->body];
    const char *name = body->name.text, *factor[3] = {NULL, NULL, NULL}, *of[3];
    const int n = r->planar ? 2 : 3;
    if (body->density.text || (!body->inertia.n && body->shape.n && !is_zero(body->mass.text)))
        return refuse(r, body->name.mark, "the mass of '%s' comes from its shapes, and is not known yet: give 'mass', 'center' and 'inertia'", name);
    l->mass = keep_text(r, body->binding, &body->mass, print(r, "mass.%d", number));
    for (int i = 0; i < n && i < body->center.n; i++) {
        factor[i] = keep_text(r, body->binding, &body->center.item[i], print(r, "center_%c.%d", 'x' + i, number));
        of[i] = print(r, "%s.%s", name, axes[i]);
    }
    const char *s = sum(r, n, factor, of);
    l->s = *s ? add(r, NULL, r->mark, print(r, "center.%d", number), s) : NULL;
    if (r->planar && l->s) {
        const char *const turned[2] = {factor[1] ? print(r, "(-%s)", factor[1]) : NULL, factor[0]};
        l->beside = add(r, NULL, r->mark, print(r, "beside.%d", number), sum(r, 2, turned, of));
    }
    for (int i = 0; i < body->inertia.n; i++)
        I[i] = keep_text(r, body->binding, &body->inertia.item[i], print(r, "inertia_%s.%d", entries[i], number));
    return true;
}

/* I u in world axes, u by its components in the axes of the body. */
static const char *times_inertia(robot *r, const char *name, const char *const I[6], const char *const u[3])
{
    static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const char *text = "";
    for (int i = 0; i < 3; i++) {
        const char *row[3] = {I[entry[i][0]], I[entry[i][1]], I[entry[i][2]]}, *line = sum(r, 3, row, u);
        if (*line)
            text = print(r, "%s%s%s.e%c*(%s)", text, *text ? " + " : "", name, 'x' + i, line);
    }
    return text;
}

static const char *own_moment(robot *r, link *l, const char *const I[6])
{
    const char *name = r->reader->spec->bodies[l->body].name.text, *spin[3], *rise[3];
    if (r->planar)
        return I[0] ? print(r, "%s*%s", I[0], l->alpha) : "0";
    for (int i = 0; i < 3; i++) {
        rise[i] = print(r, "dot(%s, %s.e%c)", l->alpha, name, 'x' + i);
        spin[i] = print(r, "%s.omega.body.%c", name, 'x' + i);
    }
    const char *first = times_inertia(r, name, I, rise), *second = times_inertia(r, name, I, spin);
    return *first ? print(r, "%s + cross(%s.omega, %s)", first, name, second) : "[0, 0, 0]";
}

static bool write_inward(robot *r, int index)
{
    link *l = &r->links[index];
    const char *name = r->reader->spec->bodies[l->body].name.text, *I[6] = {NULL}, *zero = r->planar ? "[0, 0]" : "[0, 0, 0]";
    const int number = index + 1;
    const dal_mark mark = r->mark;
    if (!write_inertia(r, l, number, I))
        return false;
    const char *a = l->acceleration;
    if (l->s && r->planar)
        a = print(r, "%s + %s*%s - %s.omega^2*%s", a, l->alpha, l->beside, name, l->s);
    else if (l->s)
        a = print(r, "%s + cross(%s, %s) + cross(%s.omega, cross(%s.omega, %s))", a, l->alpha, l->s, name, name, l->s);
    const char *own = l->mass ? print(r, "%s*(%s - %s.gravity)", l->mass, a, r->name) : zero;
    own = add(r, NULL, mark, print(r, "own.%d", number), own);
    const char *f = print(r, "%s%s", own, l->outer_force), *n = print(r, "%s%s", own_moment(r, l, I), l->outer_moment);
    if (l->s)
        n = print(r, "%s + cross(%s, %s)", n, l->s, own);
    for (int k = index + 1; k < r->n_links; k++) {
        const link *c = &r->links[k];
        const char *child = r->reader->spec->bodies[c->body].name.text;
        if (c->parent != index)
            continue;
        f = print(r, "%s + %s", f, c->f);
        n = print(r, "%s + %s + cross(%s.position - %s.position, %s)", n, c->n, child, name, c->f);
    }
    l->f = add(r, NULL, mark, print(r, "force.%d", number), f);
    l->n = add(r, NULL, mark, print(r, "moment.%d", number), n);
    return true;
}

/* What the joint of a link has to give, less what acts on it. */
static const char *joint_effort(robot *r, const link *l, const axis *a)
{
    const char *name = r->reader->spec->bodies[l->body].name.text;
    const bool at_origin = !strcmp(l->point, name);
    const char *moment = at_origin ? l->n : print(r, "%s + cross(%s.position - %s.position, %s)", l->n, name, l->point, l->f), *text;
    if (!l->turns)
        text = print(r, "dot(%s, %s)", l->axis, l->f);
    else
        text = r->planar ? moment : print(r, "dot(%s, %s)", l->axis, moment);
    return print(r, "%s%s", text, a->effort ? a->effort : "");
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* NAME.wanted.1 ...: as they are given, or r'' + 2 zeta w (r' - q') + w^2 (r - q). */
static bool write_wanted(robot *r)
{
    const dal_block_keys *k = r->keys;
    const bool follows = k->reference.n > 0;
    const dal_list *list = follows ? &k->reference : &k->acceleration;
    if ((k->reference.n > 0) == (k->acceleration.n > 0))
        return refuse(r, r->mark, "give either 'acceleration' or 'reference', one entry for each joint");
    if (list->n != k->joints.n)
        return refuse(r, list->mark, "'%s' needs one entry for each of its %d joints; %d given", follows ? "reference" : "acceleration", k->joints.n,
                      list->n);
    if (follows != (k->frequency.text != NULL))
        return refuse(r, r->mark,
                      follows ? "a 'reference' needs the 'frequency' with which the joints follow it, in rad/s"
                              : "'frequency' belongs to 'reference'");
    if (k->damping.text && !follows)
        return refuse(r, k->damping.mark, "'damping' belongs to 'reference'");
    if (follows) {
        add(r, NULL, k->frequency.mark, "frequency", k->frequency.text);
        add(r, NULL, k->frequency.mark, "damping", k->damping.text ? k->damping.text : "1");
    }
    for (int i = 0; i < list->n; i++) {
        const char *n = r->name, *q = print(r, "%s.%s", k->joints.item[i].text, joint_coordinate(find_joint(r, k->joints.item[i].text)));
        const dal_mark mark = list->item[i].mark;
        if (!follows) {
            add(r, NULL, mark, print(r, "wanted.%d", i + 1), list->item[i].text);
            continue;
        }
        const char *x = add(r, NULL, mark, print(r, "reference.%d", i + 1), list->item[i].text);
        add(r, NULL, mark, print(r, "wanted.%d", i + 1),
            print(r, "%s'' + 2*%s.damping*%s.frequency*(%s' - %s') + %s.frequency^2*(%s - %s)", x, n, n, x, q, n, x, q));
    }
    return true;
}

/* NAME.1 ..., and the motors. */
static void write_efforts(robot *r)
{
    dal_spec *spec = r->reader->spec;
    const bool motors = !r->keys->motors.text || strcmp(r->keys->motors.text, "false") != 0;
    for (int i = 0; i < r->keys->joints.n; i++) {
        const char *text = NULL;
        const dal_mark mark = r->keys->joints.item[i].mark;
        for (int k = 0; k < r->n_links; k++) {
            const axis *a = find_axis(r, r->links[k].joint->name.text);
            if (!a || a->of != i)
                continue;
            const char *effort = joint_effort(r, &r->links[k], a);
            effort = a->factor ? print(r, "%s*(%s)", a->factor, effort) : effort;
            text = text ? print(r, "%s + %s", text, effort) : effort;
        }
        const char *value = add(r, NULL, mark, print(r, "%d", i + 1), text);
        if (!motors)
            continue;
        dal_force_spec *motor = DAL_PUSH(r->reader->keep, spec->forces, spec->n_forces, r->reader->room_forces);
        *motor = (dal_force_spec){.name = {.text = dal_arena_print(r->reader->keep, "%s.motor.%d", r->name, i + 1), .mark = mark},
                                  .type = {.text = "motor", .mark = mark},
                                  .joint = {.text = r->keys->joints.item[i].text, .mark = mark},
                                  .binding = r->reader->binding};
        motor->value = (dal_list){.n = 1, .item = DAL_NEW(r->reader->keep, dal_text, 1), .mark = mark};
        motor->value.item[0] = (dal_text){.text = value, .mark = (r->keys->reference.n ? r->keys->reference : r->keys->acceleration).item[i].mark};
        if (r->keys->limit.n) {
            const dal_text *most = &r->keys->limit.item[i];
            motor->limit = (dal_list){.n = 2, .item = DAL_NEW(r->reader->keep, dal_text, 2), .mark = most->mark};
            motor->limit.item[0] = dal_made_text(r->reader, most->mark, "-(%s)", most->text);
            motor->limit.item[1] = *most;
        }
    }
}

static bool check_keys(robot *r)
{
    const bool motors = !r->keys->motors.text || strcmp(r->keys->motors.text, "false") != 0;
    if (r->reader->source && r->reader->source->depth)
        return refuse(r, r->mark, "it stands in an included model; write it in the model that is run, which has the gravity and all forces");
    if (r->reader->own_coordinates)
        return refuse(r, r->mark, "the model has coordinates of its own, and bodies that no joints carry");
    if (r->keys->limit.n && r->keys->limit.n != r->keys->joints.n)
        return refuse(r, r->keys->limit.mark, "'limit' is the largest effort of each of its %d joints; %d given", r->keys->joints.n,
                      r->keys->limit.n);
    if (r->keys->limit.n && !motors)
        return refuse(r, r->keys->limit.mark, "'limit' belongs to its motors, and it has none: 'motors: false'");
    return true;
}

static void write_gravity(robot *r)
{
    const dal_list *g = &r->reader->spec->gravity;
    const char *text = r->planar ? "[0, 0]" : "[0, 0, 0]";
    if (g->n == 2)
        text = print(r, "[%s, %s]", g->item[0].text, g->item[1].text);
    else if (g->n == 3)
        text = print(r, "[%s, %s, %s]", g->item[0].text, g->item[1].text, g->item[2].text);
    add(r, NULL, g->n ? g->mark : r->mark, "gravity", text);
}

void dal_make_computed_torque(dal_reader *reader, const dal_block_keys *keys, const dal_tree *tree, const char *name)
{
    robot r = {.reader = reader, .keys = keys, .name = name, .mark = tree->key_mark, .planar = reader->spec->space == DAL_PLANAR};
    r.link_of = DAL_NEW(reader->scratch, int, reader->spec->n_bodies);
    for (int i = 0; i < reader->spec->n_bodies; i++)
        r.link_of[i] = NOT_OF_ROBOT;
    if (!check_keys(&r) || !take_joints(&r) || !take_couplings(&r) || !grow_tree(&r) || !check_joints(&r) || !write_wanted(&r))
        return;
    take_forces(&r);
    write_gravity(&r);
    for (int i = 0; i < r.n_links; i++) {
        if (!want(&r, &r.links[i], i + 1))
            return;
        write_outward(&r, &r.links[i], i + 1);
    }
    for (int i = r.n_links; i-- > 0;)
        if (!write_inward(&r, i))
            return;
    write_efforts(&r);
}
