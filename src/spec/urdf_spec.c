/* URDF: from the tree to a spec, as a person would write the model.
 *
 * A link is a body with the link's frame. A joint has a point of its own name on both bodies, with axes: on the child z is the axis e
 * and x any direction u across it; on the parent they are R_o e and R_o u at the joint's origin, so that the two frames coincide where
 * the coordinate is zero. (A fixed joint has e = z and u = x.)
 *
 *   fixed -> rigid, revolute and continuous -> revolute, prismatic -> prismatic, planar -> planar (its normal is the axis);
 *   floating -> no joint at all: the child is a free body.
 *   damping -> a damper on the joint's coordinate;  friction -> dry friction with this constant limit on it;
 *   mimic -> the constraint q_i - (multiplier q_j + offset) = 0.
 *
 * The root is fixed to the ground, and is the ground itself where it has no mass; or it is free.
 */
#include "spec/urdf.h"

#include "expr/graph.h"
#include "math/inertia.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    dal_reader *base;
    dal_spec *spec;
    const dal_urdf *robot;
    int *body; /* of each link; -1: the ground */
    size_t room_constraints, room_ground, *room_points;
} writer;

/* ---- texts --------------------------------------------------------------------------------------- */

static dal_text word(const char *text, dal_mark mark)
{
    return (dal_text){.text = text, .mark = mark};
}

static dal_text number(writer *w, double value, dal_mark mark)
{
    char buffer[32];
    dal_print_number(value == 0 ? 0 : value, buffer); /* no -0 */
    return word(dal_arena_copy(w->base->keep, buffer, strlen(buffer)), mark);
}

static dal_list numbers(writer *w, int n, const double *values, dal_mark mark)
{
    dal_list list = {.n = n, .item = DAL_NEW(w->base->keep, dal_text, n), .mark = mark};
    for (int i = 0; i < n; i++)
        list.item[i] = number(w, values[i], mark);
    return list;
}

static dal_list pair(writer *w, const char *a, const char *b, dal_mark mark)
{
    dal_list list = {.n = 2, .item = DAL_NEW(w->base->keep, dal_text, 2), .mark = mark};
    list.item[0] = word(a, mark);
    list.item[1] = word(b, mark);
    return list;
}

static dal_list three_zeros(writer *w, dal_mark mark)
{
    static const double zero[3] = {0, 0, 0};
    return numbers(w, 3, zero, mark);
}

/* ---- points ---------------------------------------------------------------------------------------- */

/* z and x of a frame: its third and first column. */
static dal_orientation axes_of(writer *w, const double B[9], dal_mark mark)
{
    const double z[3] = {B[2], B[5], B[8]}, x[3] = {B[0], B[3], B[6]};
    return (dal_orientation){
        .kind = DAL_ATTITUDE_AXES, .letters = "zx", .first = numbers(w, 3, z, mark), .second = numbers(w, 3, x, mark), .mark = mark};
}

/* On a body, or on the ground for -1. */
static void add_point(writer *w, int body, const char *name, const double at[3], const double B[9], dal_mark mark)
{
    dal_points *points = body < 0 ? &w->spec->ground : &w->spec->bodies[body].points;
    size_t *room = body < 0 ? &w->room_ground : &w->room_points[body];
    *DAL_PUSH(w->base->keep, points->item, points->n, *room) =
        (dal_point_spec){.name = word(name, mark), .at = numbers(w, 3, at, mark), .axes = axes_of(w, B, mark)};
}

static const char *end_of(writer *w, int body, const char *point)
{
    return dal_arena_print(w->base->keep, "%s.%s", body < 0 ? "ground" : w->spec->bodies[body].name.text, point);
}

/* The joint's frame in the child: z along the axis, x along the coordinate direction that is most across it. */
static void frame_of(const dal_urdf_joint *joint, double B[9])
{
    int across = 0;
    dal_rotation_identity(B);
    if (joint->kind == DAL_URDF_FIXED)
        return;
    for (int i = 1; i < 3; i++)
        if (fabs(joint->axis[i]) < fabs(joint->axis[across]))
            across = i;
    const double x[3] = {across == 0, across == 1, across == 2};
    dal_rotation_from_axes(2, joint->axis, 0, x, B);
}

/* ---- bodies ------------------------------------------------------------------------------------------ */

static void add_body(writer *w, int index)
{
    const dal_urdf_link *link = &w->robot->link[index];
    const dal_mark mark = link->has_inertial ? link->inertial_mark : link->mark;
    w->body[index] = w->spec->n_bodies;
    dal_body_spec *body = &w->spec->bodies[w->spec->n_bodies++];
    *body = (dal_body_spec){.name = word(link->safe, link->mark), .mass = number(w, link->mass, mark), .shape = link->visual};
    if (!link->has_inertial)
        return;
    const double *I = link->inertia, entries[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    const bool diagonal = I[1] == 0 && I[2] == 0 && I[5] == 0;
    double moment[3];
    body->inertia = numbers(w, diagonal ? 3 : 6, entries, mark);
    if (dal_principal_moments(I, moment, NULL) && dal_judge_triangle(moment) == DAL_TRIANGLE_BROKEN)
        body->inertia_check = word("warn", mark); /* robots have many of them */
    if (link->center[0] != 0 || link->center[1] != 0 || link->center[2] != 0)
        body->center = numbers(w, 3, link->center, mark);
}

/* A body that is not carried by a joint starts at rest at its place in the file. */
static void set_free(writer *w, int index)
{
    const dal_urdf_link *link = &w->robot->link[index];
    dal_body_spec *body = &w->spec->bodies[w->body[index]];
    double p[4];
    dal_quaternion_of(link->start.R, p);
    body->position = numbers(w, 3, link->start.xyz, link->mark);
    body->orientation = (dal_orientation){.kind = DAL_ATTITUDE_QUATERNION, .first = numbers(w, 4, p, link->mark), .mark = link->mark};
    body->velocity = three_zeros(w, link->mark);
    body->angular_velocity = three_zeros(w, link->mark);
}

/* ---- joints ------------------------------------------------------------------------------------------- */

static dal_joint_spec *new_joint(writer *w, const char *name, const char *type, dal_mark mark)
{
    dal_joint_spec *joint = &w->spec->joints[w->spec->n_joints++];
    *joint = (dal_joint_spec){.name = word(name, mark), .type = word(type, mark)};
    return joint;
}

static void fix_root(writer *w)
{
    static const double origin[3] = {0, 0, 0}, same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const dal_urdf_link *root = &w->robot->link[w->robot->root];
    const char *name = dal_urdf_claim(w->base, dal_arena_print(w->base->scratch, "%s_fixed", root->name), "_joint", "joint", root->mark);
    add_point(w, -1, name, origin, same, root->mark);
    add_point(w, 0, name, origin, same, root->mark);
    new_joint(w, name, "rigid", root->mark)->connect = pair(w, end_of(w, -1, name), end_of(w, 0, name), root->mark);
}

static void add_joint(writer *w, const dal_urdf_joint *joint)
{
    static const char *const types[] = {"revolute", "revolute", "prismatic", "rigid", "planar"}; /* by dal_urdf_kind */
    static const double origin[3] = {0, 0, 0};
    const int parent = w->body[joint->parent], child = w->body[joint->child];
    double B_child[9], B_parent[9];
    frame_of(joint, B_child);
    dal_rotation_multiply(joint->origin.R, B_child, B_parent);
    add_point(w, parent, joint->point, joint->origin.xyz, B_parent, joint->mark);
    add_point(w, child, joint->point, origin, B_child, joint->mark);
    dal_joint_spec *out = new_joint(w, joint->safe, types[joint->kind], joint->mark);
    out->label = strcmp(joint->name, joint->safe) ? joint->name : NULL;
    out->connect = pair(w, end_of(w, parent, joint->point), end_of(w, child, joint->point), joint->mark);
    if (!dal_urdf_has_coordinate(joint))
        return;
    *(dal_urdf_turns(joint) ? &out->start.angle : &out->start.distance) = number(w, joint->start, joint->mark);
    out->start.rate = number(w, 0, joint->mark);
    out->start.mark = joint->mark;
    out->limited = joint->limited;
    out->limit[0] = joint->limit[0];
    out->limit[1] = joint->limit[1];
    if (joint->friction > 0)
        out->friction = (dal_friction_spec){.limit = number(w, joint->friction, joint->mark), .mark = joint->mark};
}

static const char *coordinate_of(writer *w, const dal_urdf_joint *joint)
{
    return dal_arena_print(w->base->scratch, "%s.%s", joint->safe, dal_urdf_turns(joint) ? "angle" : "distance");
}

static void add_damping(writer *w, const dal_urdf_joint *joint)
{
    dal_force_spec *force = &w->spec->forces[w->spec->n_forces++];
    const char *wish = dal_arena_print(w->base->scratch, "%s_damping", joint->safe);
    *force = (dal_force_spec){.name = word(dal_urdf_claim(w->base, wish, "_force", "force", joint->mark), joint->mark),
                              .type = word(dal_urdf_turns(joint) ? "torsional-spring-damper" : "spring-damper", joint->mark),
                              .joint = word(joint->safe, joint->mark),
                              .damping = numbers(w, 1, &joint->damping, joint->mark)};
}

/* `limits: true`: an end stop. The joint's largest effort moves it 1/100 of its travel beyond a limit, and it returns a third of the velocity.
 * URDF does not describe the stops themselves. */
static void add_stop(writer *w, const dal_urdf_joint *joint)
{
    const double travel = joint->limit[1] - joint->limit[0], stiffness = joint->effort / (travel / 100);
    if (!(joint->effort > 0) || !isfinite(stiffness) || !(stiffness > 0)) {
        dal_complain(w->base->messages, joint->mark,
                     "the limits of joint '%s' cannot become end stops: its <limit> needs a finite 'lower', 'upper' and a positive 'effort'",
                     joint->name);
        return;
    }
    dal_force_spec *force = &w->spec->forces[w->spec->n_forces++];
    const char *wish = dal_arena_print(w->base->scratch, "%s_stop", joint->safe);
    *force = (dal_force_spec){.name = word(dal_urdf_claim(w->base, wish, "_force", "force", joint->mark), joint->mark),
                              .type = word("end-stop", joint->mark),
                              .joint = word(joint->safe, joint->mark),
                              .stiffness = numbers(w, 1, &stiffness, joint->mark),
                              .lower = number(w, joint->limit[0], joint->mark),
                              .upper = number(w, joint->limit[1], joint->mark),
                              .restitution = number(w, 1.0 / 3, joint->mark)};
}

static void add_mimic(writer *w, const dal_urdf_joint *joint)
{
    dal_constraint_spec *row = DAL_PUSH(w->base->keep, w->spec->constraints, w->spec->n_constraints, w->room_constraints);
    const char *wish = dal_arena_print(w->base->scratch, "%s_mimic", joint->safe);
    const char *text = dal_arena_print(w->base->keep, "%s - (%s*%s + %s)", coordinate_of(w, joint), number(w, joint->multiplier, joint->mark).text,
                                       coordinate_of(w, &w->robot->joint[joint->mimic]), number(w, joint->offset, joint->mark).text);
    *row = (dal_constraint_spec){.name = word(dal_urdf_claim(w->base, wish, "_constraint", "constraint", joint->mark), joint->mark),
                                 .position = word(text, joint->mark)};
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void set_choices(writer *w)
{
    static const double down[3] = {0, 0, -9.81};
    dal_spec *spec = w->spec;
    const dal_mark mark = w->robot->mark;
    spec->space = DAL_SPATIAL;
    spec->space_mark = mark;
    spec->plain_names = true;
    if (w->robot->name && *w->robot->name)
        spec->name = word(dal_arena_copy(w->base->keep, w->robot->name, strlen(w->robot->name)), mark);
    spec->gravity = numbers(w, 3, down, mark);
    spec->simulate.coordinates.name = word("joint", mark);
    spec->simulate.until = number(w, 1, mark);
    spec->simulate.every = number(w, 0.01, mark);
}

static void place_in_tree(writer *w, int index)
{
    const dal_urdf_link *link = &w->robot->link[index];
    const dal_urdf_joint *joint = &w->robot->joint[link->joint];
    add_body(w, index);
    if (joint->kind == DAL_URDF_FLOATING) {
        set_free(w, index);
        if (w->body[joint->parent] >= 0)
            dal_caution(w->base->messages, joint->mark, DAL_CODE_FREE_LINK, NAN,
                        "link '%s' of the floating joint '%s' is a free body: its coordinates are in world axes, not in those of '%s'", link->name,
                        joint->name, joint->parent_name);
        return;
    }
    add_joint(w, joint);
    if (joint->damping > 0)
        add_damping(w, joint);
    if (joint->limited && w->base->limits)
        add_stop(w, joint);
}

void dal_urdf_spec(dal_reader *reader, const dal_urdf *robot, bool floating)
{
    const dal_urdf_link *root = &robot->link[robot->root];
    writer w = {.base = reader, .spec = reader->spec, .robot = robot};
    w.spec->bodies = DAL_NEW(reader->keep, dal_body_spec, robot->n_links);
    w.spec->joints = DAL_NEW(reader->keep, dal_joint_spec, robot->n_joints + 1);
    w.spec->forces = DAL_NEW(reader->keep, dal_force_spec, 2 * robot->n_joints);
    w.body = DAL_NEW(reader->scratch, int, robot->n_links);
    w.room_points = DAL_NEW(reader->scratch, size_t, robot->n_links);
    set_choices(&w);
    w.body[robot->root] = -1;
    if (floating || root->has_inertial)
        add_body(&w, robot->root);
    else
        w.spec->ground_shape = root->visual;
    if (floating)
        set_free(&w, robot->root);
    else if (root->has_inertial)
        fix_root(&w);
    for (int i = 1; i < robot->n_order; i++)
        place_in_tree(&w, robot->order[i]);
    for (int i = 0; i < robot->n_joints; i++)
        if (robot->joint[i].mimic >= 0)
            add_mimic(&w, &robot->joint[i]);
}
