/* URDF: from links and joints to one tree.
 *
 * Every link except one, the root, is the child of one joint, and every link is connected to the root. The start of a joint that mimics another
 * follows from that one:  q_i = multiplier q_j + offset, the others at zero.
 *
 * Names. A spec has one namespace, and expressions use its names; in URDF a link and a joint may share a name, and it may have
 * any characters. Joints are named first and keep their names if possible. Names that cannot be kept are changed and reported.
 */
#include "spec/urdf.h"

#include "base/words.h"
#include "math/rotation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding by name ---------------------------------------------------------------------------- */

typedef struct entry {
    const char *name;
    int index;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    const int order = strcmp(p->name, q->name);
    return order ? order : (p->index > q->index) - (p->index < q->index);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static entry *sort_names(dal_arena *arena, const dal_urdf *robot, bool links)
{
    const int n = links ? robot->n_links : robot->n_joints;
    entry *list = DAL_NEW(arena, entry, n);
    for (int i = 0; i < n; i++)
        list[i] = (entry){links ? robot->link[i].name : robot->joint[i].name, i};
    qsort(list, (size_t)n, sizeof *list, compare_entries);
    return list;
}

/* -1: there is none. */
static int find_entry(const entry *list, int n, const char *name)
{
    const entry key = {name, 0}, *found = n ? bsearch(&key, list, (size_t)n, sizeof *list, compare_names) : NULL;
    return found ? found->index : -1;
}

static void refuse_twice(dal_reader *reader, const dal_urdf *robot, const char *what, int n, const entry *list, bool links)
{
    for (int i = 1; i < n; i++) {
        if (strcmp(list[i].name, list[i - 1].name))
            continue;
        const dal_mark first = links ? robot->link[list[i - 1].index].mark : robot->joint[list[i - 1].index].mark,
                       second = links ? robot->link[list[i].index].mark : robot->joint[list[i].index].mark;
        dal_complain(reader->messages, second, "'%s' is already the name of the %s at line %d", list[i].name, what, first.line);
    }
}

/* ---- ends, mimics ------------------------------------------------------------------------------- */

static int find_end(dal_reader *reader, const dal_urdf *robot, const entry *links, const dal_urdf_joint *joint, const char *role, const char *name)
{
    const int link = find_entry(links, robot->n_links, name);
    if (link < 0)
        dal_complain(reader->messages, joint->mark, "joint '%s': its %s link '%s' does not exist", joint->name, role, name);
    return link;
}

static void connect(dal_reader *reader, dal_urdf *robot, const entry *links, int j)
{
    dal_urdf_joint *joint = &robot->joint[j];
    joint->parent = find_end(reader, robot, links, joint, "parent", joint->parent_name);
    joint->child = find_end(reader, robot, links, joint, "child", joint->child_name);
    if (joint->parent < 0 || joint->child < 0)
        return;
    dal_urdf_link *child = &robot->link[joint->child];
    if (joint->parent == joint->child)
        dal_complain(reader->messages, joint->mark, "joint '%s' connects link '%s' with itself: two different links are needed", joint->name,
                     child->name);
    else if (child->joint >= 0)
        dal_complain(reader->messages, joint->mark,
                     "link '%s' is the child of joint '%s' and, at line %d, of joint '%s': a link hangs at one joint, and what closes a "
                     "loop is added in YAML",
                     child->name, joint->name, robot->joint[child->joint].mark.line, robot->joint[child->joint].name);
    else
        child->joint = j;
}

static void find_mimic(dal_reader *reader, dal_urdf *robot, const entry *joints, dal_urdf_joint *joint)
{
    if (!joint->mimic_name)
        return;
    joint->mimic = find_entry(joints, robot->n_joints, joint->mimic_name);
    const dal_urdf_joint *other = joint->mimic < 0 ? NULL : &robot->joint[joint->mimic];
    if (!other)
        dal_complain(reader->messages, joint->mark, "joint '%s' mimics joint '%s', which does not exist", joint->name, joint->mimic_name);
    else if (other == joint)
        dal_complain(reader->messages, joint->mark, "joint '%s' mimics itself", joint->name);
    else if (!dal_urdf_has_coordinate(other) && other->kind != DAL_URDF_FIXED)
        dal_complain(reader->messages, joint->mark, "joint '%s' mimics joint '%s', which is %s and has no coordinate of its own", joint->name,
                     other->name, dal_urdf_kinds[other->kind]);
}

/* A joint that mimics a fixed one has a constant value s, so it is fixed there. R_o <- R_o R(axis, s), or x <- x + R_o axis s. */
static void fix_at_start(dal_reader *reader, dal_urdf_joint *joint, const char *other)
{
    double shift[3] = {0, 0, 0}, turn[9];
    dal_caution(reader->messages, joint->mark, DAL_CODE_MIMIC_FIXED, joint->start,
                "joint '%s' mimics joint '%s', which is fixed: it is fixed, too, at %.6g %s", joint->name, other, joint->start,
                dal_urdf_turns(joint) ? "rad" : "m");
    dal_rotation_identity(turn);
    if (dal_urdf_turns(joint))
        dal_rotation_axis(joint->axis, joint->start, turn);
    else
        for (int i = 0; i < 3; i++)
            shift[i] = joint->start * joint->axis[i];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            joint->origin.xyz[i] += joint->origin.R[3 * i + k] * shift[k];
    dal_rotation_multiply(joint->origin.R, turn, joint->origin.R);
    joint->kind = DAL_URDF_FIXED;
    joint->mimic = -1;
    joint->damping = joint->friction = 0;
}

/* Starts of joints that mimic, along the chain to a joint that does not. */
static void find_starts(dal_reader *reader, dal_urdf *robot)
{
    int *waiting = DAL_NEW(reader->scratch, int, robot->n_joints), *chain = DAL_NEW(reader->scratch, int, robot->n_joints);
    for (int j = 0; j < robot->n_joints; j++)
        waiting[j] = robot->joint[j].mimic >= 0;
    for (int j = 0; j < robot->n_joints; j++) {
        int n = 0, at = j;
        while (waiting[at] && n < robot->n_joints) {
            chain[n++] = at;
            at = robot->joint[at].mimic;
        }
        if (waiting[at]) {
            dal_complain(reader->messages, robot->joint[j].mark, "joint '%s' mimics itself through others: they form a circle", robot->joint[j].name);
            return;
        }
        while (n-- > 0) { /* backwards, from the joint that does not wait */
            dal_urdf_joint *joint = &robot->joint[chain[n]];
            const dal_urdf_joint *other = &robot->joint[joint->mimic];
            joint->start = joint->multiplier * other->start + joint->offset;
            if (other->kind == DAL_URDF_FIXED)
                fix_at_start(reader, joint, other->name);
            waiting[chain[n]] = 0;
        }
    }
}

/* ---- the tree ------------------------------------------------------------------------------------- */

static bool find_root(dal_reader *reader, dal_urdf *robot)
{
    robot->root = -1;
    for (int i = 0; i < robot->n_links; i++) {
        if (robot->link[i].joint >= 0)
            continue;
        if (robot->root < 0)
            robot->root = i;
        else
            dal_complain(reader->messages, robot->link[i].mark,
                         "link '%s' is the child of no joint, and neither is link '%s' at line %d: a robot has one root", robot->link[i].name,
                         robot->link[robot->root].name, robot->link[robot->root].mark.line);
    }
    if (robot->root < 0)
        dal_complain(reader->messages, robot->mark, "every link is the child of a joint: they form a circle, and a robot has a root");
    return dal_messages_count(reader->messages, DAL_ERROR) == 0;
}

/* Links from the root outwards, branch by branch, in the order of the file. */
static void walk(dal_reader *reader, dal_urdf *robot)
{
    const int n = robot->n_links;
    int *first = DAL_NEW(reader->scratch, int, n + 1), *next = DAL_NEW(reader->scratch, int, robot->n_joints + 1);
    int *stack = DAL_NEW(reader->scratch, int, n + 1), depth = 0;
    robot->order = DAL_NEW(reader->scratch, int, n);
    for (int i = 0; i < n; i++)
        first[i] = -1;
    for (int j = 0; j < robot->n_joints; j++) { /* the stack reverses the order: here the last one comes first */
        next[j] = first[robot->joint[j].parent];
        first[robot->joint[j].parent] = j;
    }
    for (stack[depth++] = robot->root; depth;) {
        const int link = robot->order[robot->n_order++] = stack[--depth];
        for (int j = first[link]; j >= 0; j = next[j])
            stack[depth++] = robot->joint[j].child;
    }
}

static void refuse_circles(dal_reader *reader, const dal_urdf *robot)
{
    bool *reached = DAL_NEW(reader->scratch, bool, robot->n_links);
    for (int i = 0; i < robot->n_order; i++)
        reached[robot->order[i]] = true;
    for (int i = 0; i < robot->n_links; i++)
        if (!reached[i]) {
            dal_complain(reader->messages, robot->link[i].mark, "link '%s' does not hang at the root '%s': its joints form a circle",
                         robot->link[i].name, robot->link[robot->root].name);
            return;
        }
}

/* ---- where everything starts ------------------------------------------------------------------------ */

/* Child from parent: R = R_p R_o R(axis, q), r = r_p + R_p (x + R_o axis q). */
static void place_joint(const dal_urdf_pose *parent, const dal_urdf_joint *joint, dal_urdf_pose *out)
{
    double turn[9], R_o[9], shift[3];
    dal_rotation_identity(turn);
    if (dal_urdf_turns(joint))
        dal_rotation_axis(joint->axis, joint->start, turn);
    const double q = joint->kind == DAL_URDF_PRISMATIC ? joint->start : 0;
    memcpy(R_o, joint->origin.R, sizeof R_o);
    for (int i = 0; i < 3; i++)
        shift[i] = joint->origin.xyz[i] + q * (R_o[3 * i] * joint->axis[0] + R_o[3 * i + 1] * joint->axis[1] + R_o[3 * i + 2] * joint->axis[2]);
    for (int i = 0; i < 3; i++)
        out->xyz[i] = parent->xyz[i] + parent->R[3 * i] * shift[0] + parent->R[3 * i + 1] * shift[1] + parent->R[3 * i + 2] * shift[2];
    dal_rotation_multiply(R_o, turn, R_o);
    dal_rotation_multiply(parent->R, R_o, out->R);
}

static void place_links(dal_urdf *robot)
{
    for (int i = 0; i < robot->n_order; i++) {
        dal_urdf_link *link = &robot->link[robot->order[i]];
        if (link->joint < 0)
            dal_rotation_identity(link->start.R);
        else
            place_joint(&robot->link[robot->joint[link->joint].parent].start, &robot->joint[link->joint], &link->start);
    }
}

/* ---- names ---------------------------------------------------------------------------------------------- */

static bool is_taken(dal_reader *reader, const char *name)
{
    return dal_names_find(reader, name) || dal_name_fault(reader->scratch, name);
}

/* A unique name: the wanted one, made of letters, digits and underscores; then with the suffix; then with numbers after that. */
const char *dal_urdf_claim(dal_reader *reader, const char *wish, const char *suffix, const char *section, dal_mark mark)
{
    char *name = dal_arena_print(reader->keep, "%s%s", isdigit((unsigned char)*wish) ? "_" : "", wish);
    for (char *p = name; *p; p++)
        if (!(isalnum((unsigned char)*p) && (unsigned char)*p < 128) && *p != '_')
            *p = '_';
    const char *tried = name;
    for (size_t i = 0; is_taken(reader, tried); i++) /* a name with this number is seldom in use */
        tried =
            i ? dal_arena_print(reader->keep, "%s%s_%zu", name, suffix, reader->names.n + i) : dal_arena_print(reader->keep, "%s%s", name, suffix);
    dal_names_add(reader, tried, section, 0, mark);
    return tried;
}

static void report_name(dal_reader *reader, const char *what, const char *name, const char *safe, dal_mark mark)
{
    if (strcmp(name, safe))
        dal_say(reader->messages, DAL_NOTE, mark, "%s '%s' is called %s in expressions and in YAML", what, name, safe);
}

static bool is_channel(const char *name)
{
    static const char *const channels[] = {"x",  "y",  "z",  "angle", "position", "velocity", "acceleration", "omega",    "alpha",
                                           "ex", "ey", "ez", "qw",    "qx",       "qy",       "qz",           "inertial", NULL};
    return dal_is_one_of(name, channels);
}

static void call(dal_reader *reader, dal_urdf *robot)
{
    for (int j = 0; j < robot->n_joints; j++) {
        dal_urdf_joint *joint = &robot->joint[j];
        joint->safe = joint->point = dal_urdf_claim(reader, joint->name, "_joint", "joint", joint->mark);
        report_name(reader, "joint", joint->name, joint->safe, joint->mark);
    }
    for (int i = 0; i < robot->n_links; i++) {
        robot->link[i].safe = dal_urdf_claim(reader, robot->link[i].name, "_link", "link", robot->link[i].mark);
        report_name(reader, "link", robot->link[i].name, robot->link[i].safe, robot->link[i].mark);
    }
    for (int j = 0; j < robot->n_joints; j++)
        if (is_channel(robot->joint[j].safe))
            robot->joint[j].point = dal_urdf_claim(reader, robot->joint[j].safe, "_point", "point", robot->joint[j].mark);
}

bool dal_urdf_tree(dal_reader *reader, dal_urdf *robot)
{
    const entry *links = sort_names(reader->scratch, robot, true), *joints = sort_names(reader->scratch, robot, false);
    if (!robot->n_links) {
        dal_complain(reader->messages, robot->mark, "the robot has no <link>");
        return false;
    }
    refuse_twice(reader, robot, "link", robot->n_links, links, true);
    refuse_twice(reader, robot, "joint", robot->n_joints, joints, false);
    for (int j = 0; j < robot->n_joints; j++) {
        connect(reader, robot, links, j);
        find_mimic(reader, robot, joints, &robot->joint[j]);
    }
    if (dal_messages_count(reader->messages, DAL_ERROR) || !find_root(reader, robot))
        return false;
    walk(reader, robot);
    refuse_circles(reader, robot);
    find_starts(reader, robot);
    place_links(robot);
    call(reader, robot);
    return dal_messages_count(reader->messages, DAL_ERROR) == 0;
}
