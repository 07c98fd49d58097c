/* URDF: elements and attributes, each checked alone.
 *
 * The inertial origin (c, R_i) turns the inertia, which is written along its own axes, into those of the link:
 *   I = R_i I_i R_i^T,   about the centre of mass c.
 * rpy are turns about the fixed axes x, y, z: R = R_z(yaw) R_y(pitch) R_x(roll).
 *
 * Shapes of <visual> are kept for pictures (urdf_visual.c); <collision> is ignored, and so is <material> except for its color. Every other
 * unused element or attribute is reported once, at its first place.
 */
#include "spec/urdf.h"

#include "math/rotation.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const dal_urdf_kinds[] = {"revolute", "continuous", "prismatic", "fixed", "planar", "floating", NULL};

static const double absurd = 1e12; /* lengths, masses and inertias of robots are smaller */

typedef struct remark {
    const char *owner, *name;
    struct remark *next;
} remark;

typedef struct urdf_reader {
    dal_reader *base;
    dal_urdf *robot;
    remark *remarks; /* what was reported already */
    size_t room_links, room_joints;
    bool limits; /* an error about them was reported */
} urdf_reader;

/* ---- what is not used ------------------------------------------------------------------------ */

static bool is_first(urdf_reader *r, const char *owner, const char *name)
{
    for (const remark *old = r->remarks; old; old = old->next)
        if (!strcmp(old->owner, owner) && !strcmp(old->name, name))
            return false;
    remark *new = DAL_NEW(r->base->scratch, remark, 1);
    *new = (remark){owner, name, r->remarks};
    r->remarks = new;
    return true;
}

static bool lists(const char *const *words, const char *word)
{
    for (; *words; words++)
        if (!strcmp(*words, word))
            return true;
    return false;
}

static void refuse_macro(urdf_reader *r, const dal_xml_node *node)
{
    dal_complain(r->base->messages, node->mark, "<%.80s> is a macro of xacro: run xacro on the file first", node->name);
}

/* `attributes`, `children`: those that are read; `quiet`: children that are ignored. All end with NULL. */
static void remark_on(urdf_reader *r, const dal_xml_node *node, const char *const *attributes, const char *const *children, const char *const *quiet)
{
    enum { MOST_REMARKS = 200 };
    for (const dal_xml_attribute *a = node->attributes; a; a = a->next)
        if (!lists(attributes, a->name) && dal_messages_count(r->base->messages, DAL_WARNING) < MOST_REMARKS &&
            is_first(r, node->name, dal_arena_print(r->base->scratch, "@%s", a->name)))
            dal_warn(r->base->messages, node->mark, DAL_CODE_NOT_USED, NAN, "the attribute '%.80s' of <%.80s> is not used", a->name, node->name);
    for (const dal_xml_node *child = node->first; child; child = child->next)
        if (!strncmp(child->name, "xacro:", 6))
            refuse_macro(r, child);
        else if (!lists(children, child->name) && !lists(quiet, child->name) && dal_messages_count(r->base->messages, DAL_WARNING) < MOST_REMARKS &&
                 is_first(r, node->name, child->name))
            dal_warn(r->base->messages, child->mark, DAL_CODE_NOT_USED, NAN, "<%.80s> in <%.80s> is not used", child->name, node->name);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

/* n numbers of an attribute; they do not change if it is absent. False with a message. */
static bool read_numbers(urdf_reader *r, const dal_xml_node *node, const char *of, const char *name, int n, double *out)
{
    const char *text = dal_xml_get(node, name), *p = text ? skip_blanks(text) : NULL;
    double value[3] = {0};
    int found = 0;
    if (!text)
        return true;
    for (; p && *p; p = p ? skip_blanks(p) : NULL) {
        p = dal_scan_number(r->base->scratch, p, &value[found < 3 ? found : 2]);
        found++;
        if (p && *p && !isspace((unsigned char)*p))
            p = NULL;
    }
    if (!p || found != n) {
        dal_complain(r->base->messages, node->mark, "'%s' of %s needs %s; '%.80s' was found", name, of, n == 1 ? "a number" : "three numbers", text);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (!(fabs(value[i]) <= absurd)) {
            dal_complain(r->base->messages, node->mark, "'%s' of %s is %.80s, which cannot be meant: 1e12 is the maximum", name, of, text);
            return false;
        }
    memcpy(out, value, sizeof *out * (size_t)n);
    return true;
}

/* ---- elements ------------------------------------------------------------------------------------ */

/* The only child of that name, or NULL; a second one is an error. */
static const dal_xml_node *only_child(urdf_reader *r, const dal_xml_node *node, const char *of, const char *name)
{
    const dal_xml_node *found = NULL;
    for (const dal_xml_node *child = node->first; child; child = child->next) {
        if (strcmp(child->name, name))
            continue;
        if (found)
            dal_complain(r->base->messages, child->mark, "%s has a second <%s>: it has one at line %d", of, name, found->mark.line);
        else
            found = child;
    }
    return found;
}

/* A name that can be printed; NULL with a message. */
static const char *read_name(urdf_reader *r, const dal_xml_node *node, const char *attribute, const char *of)
{
    enum { LONGEST = 80 };
    const char *name = dal_xml_get(node, attribute);
    bool bad = false;
    for (const char *p = name; p && *p; p++)
        bad = bad || iscntrl((unsigned char)*p) || strchr("\"'`\\", *p);
    if (!name)
        dal_complain(r->base->messages, node->mark, "%s has no '%s'", of, attribute);
    else if (!*name || bad)
        dal_complain(r->base->messages, node->mark,
                     *name ? "the '%s' of %s contains a character that is not allowed in a name" : "the '%s' of %s is empty", attribute, of);
    else if (strstr(name, "${"))
        dal_complain(r->base->messages, node->mark, "the '%s' of %s is '%.80s', a macro of xacro: run xacro on the file first", attribute, of, name);
    else if (strlen(name) > LONGEST)
        dal_complain(r->base->messages, node->mark, "the '%s' of %s is longer than %d characters", attribute, of, LONGEST);
    else
        return dal_arena_copy(r->base->keep, name, strlen(name));
    return NULL;
}

static void read_origin(urdf_reader *r, const dal_xml_node *node, const char *of, dal_urdf_pose *pose)
{
    static const char *const attributes[] = {"xyz", "rpy", NULL}, *const none[] = {NULL};
    double rpy[3] = {0};
    int axes[3];
    dal_rotation_identity(pose->R);
    const dal_xml_node *origin = only_child(r, node, of, "origin");
    if (!origin)
        return;
    remark_on(r, origin, attributes, none, none);
    read_numbers(r, origin, of, "xyz", 3, pose->xyz);
    if (!read_numbers(r, origin, of, "rpy", 3, rpy))
        return;
    const double ypr[3] = {rpy[2], rpy[1], rpy[0]}; /* fixed axes x, y, z: the intrinsic sequence z, y, x */
    dal_euler_axes("zyx", axes);
    dal_rotation_euler(axes, ypr, pose->R);
}

/* I = R I_i R^T */
static void turn_inertia(const double R[9], const double own[9], double out[9])
{
    double half[9];
    dal_rotation_multiply(R, own, half);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = half[3 * i] * R[3 * k] + half[3 * i + 1] * R[3 * k + 1] + half[3 * i + 2] * R[3 * k + 2];
    for (int i = 0; i < 3; i++) /* symmetric to the last digit */
        for (int k = 0; k < i; k++)
            out[3 * i + k] = out[3 * k + i];
}

static void read_inertia(urdf_reader *r, const dal_xml_node *inertial, const char *of, const double R[9], dal_urdf_link *link)
{
    static const char *const attributes[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz", NULL}, *const none[] = {NULL};
    static const int place[] = {0, 1, 2, 4, 5, 8};
    const dal_xml_node *inertia = only_child(r, inertial, of, "inertia");
    double own[9] = {0};
    if (!inertia) {
        if (link->mass > 0)
            dal_caution(r->base->messages, inertial->mark, DAL_CODE_INERTIA_MISSING, NAN,
                        "%s has a mass and no <inertia>: its moments of inertia are taken as zero", of);
        return;
    }
    remark_on(r, inertia, attributes, none, none);
    for (int i = 0; i < 6; i++) {
        if (place[i] % 4 == 0 && !dal_xml_get(inertia, attributes[i]))
            dal_complain(r->base->messages, inertia->mark, "the <inertia> of %s has no '%s'", of, attributes[i]);
        read_numbers(r, inertia, of, attributes[i], 1, &own[place[i]]);
    }
    own[3] = own[1], own[6] = own[2], own[7] = own[5];
    turn_inertia(R, own, link->inertia);
}

static void read_inertial(urdf_reader *r, const dal_xml_node *inertial, const char *of, dal_urdf_link *link)
{
    static const char *const none[] = {NULL}, *const children[] = {"origin", "mass", "inertia", NULL}, *const value[] = {"value", NULL};
    dal_urdf_pose pose = {{0}, {0}};
    link->has_inertial = true;
    link->inertial_mark = inertial->mark;
    remark_on(r, inertial, none, children, none);
    const dal_xml_node *mass = only_child(r, inertial, of, "mass");
    if (!mass || !dal_xml_get(mass, "value"))
        dal_complain(r->base->messages, inertial->mark, "the <inertial> of %s has no <mass value=\"...\"/>", of);
    if (mass) {
        remark_on(r, mass, value, none, none);
        if (read_numbers(r, mass, of, "value", 1, &link->mass) && link->mass < 0)
            dal_complain(r->base->messages, mass->mark, "the mass of %s is %.6g, and cannot be negative", of, link->mass);
    }
    read_origin(r, inertial, of, &pose);
    memcpy(link->center, pose.xyz, sizeof link->center);
    read_inertia(r, inertial, of, pose.R, link);
}

static void read_link(urdf_reader *r, const dal_xml_node *node)
{
    static const char *const attributes[] = {"name", NULL}, *const children[] = {"inertial", NULL},
                             *const quiet[] = {"visual", "collision", "material", NULL};
    const char *name = read_name(r, node, "name", "this link");
    if (!name)
        return;
    dal_urdf_link *link = DAL_PUSH(r->base->scratch, r->robot->link, r->robot->n_links, r->room_links);
    *link = (dal_urdf_link){.name = name, .mark = node->mark, .joint = -1};
    const char *of = dal_arena_print(r->base->scratch, "link '%s'", name);
    remark_on(r, node, attributes, children, quiet);
    const dal_xml_node *inertial = only_child(r, node, of, "inertial");
    if (inertial)
        read_inertial(r, inertial, of, link);
    dal_urdf_visuals(r->base, node, &link->visual);
}

/* The name in <parent link="..."/> or <child link="..."/>. */
static const char *read_end(urdf_reader *r, const dal_xml_node *node, const char *of, const char *element)
{
    static const char *const attributes[] = {"link", NULL}, *const none[] = {NULL};
    const dal_xml_node *end = only_child(r, node, of, element);
    if (!end) {
        dal_complain(r->base->messages, node->mark, "%s has no <%s link=\"...\"/>", of, element);
        return NULL;
    }
    remark_on(r, end, attributes, none, none);
    return read_name(r, end, "link", dal_arena_print(r->base->scratch, "<%s> of %s", element, of));
}

static void read_axis(urdf_reader *r, const dal_xml_node *node, const char *of, dal_urdf_joint *joint)
{
    static const char *const attributes[] = {"xyz", NULL}, *const none[] = {NULL};
    const dal_xml_node *axis = only_child(r, node, of, "axis");
    joint->axis[0] = 1;
    if (!axis)
        return;
    remark_on(r, axis, attributes, none, none);
    read_numbers(r, axis, of, "xyz", 3, joint->axis);
    const double length = sqrt(joint->axis[0] * joint->axis[0] + joint->axis[1] * joint->axis[1] + joint->axis[2] * joint->axis[2]);
    const bool needed = joint->kind != DAL_URDF_FIXED && joint->kind != DAL_URDF_FLOATING;
    if (needed && !(length > 1e-12))
        dal_complain(r->base->messages, axis->mark, "the axis of %s has length zero: write a direction", of);
    else if (needed && fabs(length - 1) > 1e-3)
        dal_caution(r->base->messages, axis->mark, DAL_CODE_NORMALISED, length, "the axis of %s has the length %.6g and was normalised", of, length);
    for (int i = 0; i < 3 && length > 0 && length != 1; i++)
        joint->axis[i] /= length;
}

/* Elements that act on a coordinate which this joint lacks. */
static void drop_dynamics(urdf_reader *r, const dal_xml_node *dynamics, const char *of, const dal_urdf_joint *joint, const char *what, double *value)
{
    if (*value > 0 && !dal_urdf_has_coordinate(joint)) {
        dal_caution(r->base->messages, dynamics->mark, DAL_CODE_NOT_USED, NAN, "the %s of %s is not used: a %s joint has no coordinate of its own",
                    what, of, dal_urdf_kinds[joint->kind]);
        *value = 0;
    }
}

static void read_dynamics(urdf_reader *r, const dal_xml_node *node, const char *of, dal_urdf_joint *joint)
{
    static const char *const attributes[] = {"damping", "friction", NULL}, *const none[] = {NULL};
    const dal_xml_node *dynamics = only_child(r, node, of, "dynamics");
    if (!dynamics)
        return;
    remark_on(r, dynamics, attributes, none, none);
    if (read_numbers(r, dynamics, of, "damping", 1, &joint->damping) && joint->damping < 0)
        dal_complain(r->base->messages, dynamics->mark, "the damping of %s is %.6g, and cannot be negative", of, joint->damping);
    if (read_numbers(r, dynamics, of, "friction", 1, &joint->friction) && joint->friction < 0)
        dal_complain(r->base->messages, dynamics->mark, "the friction of %s is %.6g, and cannot be negative", of, joint->friction);
    drop_dynamics(r, dynamics, of, joint, "damping", &joint->damping);
    drop_dynamics(r, dynamics, of, joint, "friction", &joint->friction);
}

static void read_mimic(urdf_reader *r, const dal_xml_node *node, const char *of, dal_urdf_joint *joint)
{
    static const char *const attributes[] = {"joint", "multiplier", "offset", NULL}, *const none[] = {NULL};
    const dal_xml_node *mimic = only_child(r, node, of, "mimic");
    joint->multiplier = 1;
    if (!mimic)
        return;
    remark_on(r, mimic, attributes, none, none);
    if (joint->kind == DAL_URDF_FIXED) {
        dal_caution(r->base->messages, mimic->mark, DAL_CODE_MIMIC_FIXED, 0, "%s is fixed: its <mimic> has nothing to move and is not used", of);
        return;
    }
    joint->mimic_name = read_name(r, mimic, "joint", dal_arena_print(r->base->scratch, "<mimic> of %s", of));
    read_numbers(r, mimic, of, "multiplier", 1, &joint->multiplier);
    read_numbers(r, mimic, of, "offset", 1, &joint->offset);
    if (!dal_urdf_has_coordinate(joint))
        dal_complain(r->base->messages, mimic->mark, "%s cannot mimic another: a %s joint has no coordinate of its own", of,
                     dal_urdf_kinds[joint->kind]);
}

/* "inf", "-Infinity", "nan" of any case, which other programs write. False: the text is not one of these words. */
static bool scan_infinity(const char *text, double *value)
{
    const char *word = text + (*text == '+' || *text == '-');
    if (!strcasecmp(word, "inf") || !strcasecmp(word, "infinity"))
        *value = *text == '-' ? -INFINITY : INFINITY;
    else if (!strcasecmp(word, "nan"))
        *value = NAN;
    else
        return false;
    return true;
}

/* Limits are not enforced: an impossible one changes nothing. */
static double read_bound(urdf_reader *r, const dal_xml_node *limit, const char *of, const char *name)
{
    const char *text = dal_xml_get(limit, name), *end = NULL;
    double value = 0; /* the default of URDF */
    if (!text)
        return value;
    text = skip_blanks(text);
    if (!scan_infinity(text, &value) && (!(end = dal_scan_number(r->base->scratch, text, &value)) || *skip_blanks(end))) {
        dal_complain(r->base->messages, limit->mark, "'%s' of %s needs a number; '%.80s' was found", name, of, text);
        return 0;
    }
    if (!(fabs(value) <= absurd))
        dal_caution(r->base->messages, limit->mark, DAL_CODE_LIMIT_WITHOUT_MEANING, value, "the limit '%s' of %s is %.80s: it is taken as none", name,
                    of, text);
    return value;
}

static void read_limit(urdf_reader *r, const dal_xml_node *node, const char *of, dal_urdf_joint *joint)
{
    static const char *const attributes[] = {"lower", "upper", "effort", "velocity", NULL}, *const none[] = {NULL};
    const dal_xml_node *limit = only_child(r, node, of, "limit");
    double value[4];
    if (!limit)
        return;
    remark_on(r, limit, attributes, none, none);
    for (int i = 0; attributes[i]; i++)
        value[i] = read_bound(r, limit, of, attributes[i]);
    if (value[0] > value[1])
        dal_caution(r->base->messages, limit->mark, DAL_CODE_LIMITS_EMPTY, value[1] - value[0],
                    "the limits of %s leave no room: the lower one is %g, the upper one %g", of, value[0], value[1]);
    if (!r->limits && !r->base->limits)
        dal_say(r->base->messages, DAL_NOTE, limit->mark, "the limits of joints are read and not enforced");
    r->limits = true;
    joint->limited = (joint->kind == DAL_URDF_REVOLUTE || joint->kind == DAL_URDF_PRISMATIC) && value[0] < value[1];
    for (int i = 0; i < 2; i++)
        joint->limit[i] = fabs(value[i]) <= absurd ? value[i] : i ? INFINITY : -INFINITY;
    joint->effort = value[2];
}

static bool read_kind(urdf_reader *r, const dal_xml_node *node, const char *of, dal_urdf_kind *kind)
{
    const char *type = dal_xml_get(node, "type");
    char hint[96];
    for (int i = 0; type && dal_urdf_kinds[i]; i++)
        if (!strcmp(type, dal_urdf_kinds[i])) {
            *kind = (dal_urdf_kind)i;
            return true;
        }
    if (type)
        dal_complain(r->base->messages, node->mark,
                     "%s: there is no type '%.80s'%s; there are revolute, continuous, prismatic, fixed, planar, floating", of, type,
                     dal_did_you_mean(type, dal_urdf_kinds, hint));
    else
        dal_complain(r->base->messages, node->mark, "%s has no 'type'", of);
    return false;
}

static void read_joint(urdf_reader *r, const dal_xml_node *node)
{
    static const char *const attributes[] = {"name", "type", NULL}, *const none[] = {NULL}, *const children[] = {"origin", "parent",   "child",
                                                                                                                 "axis",   "dynamics", "limit",
                                                                                                                 "mimic",  NULL};
    const char *name = read_name(r, node, "name", "this joint");
    if (!name)
        return;
    const char *of = dal_arena_print(r->base->scratch, "joint '%s'", name);
    dal_urdf_joint joint = {.name = name, .mark = node->mark, .parent = -1, .child = -1, .mimic = -1};
    remark_on(r, node, attributes, children, none);
    if (!read_kind(r, node, of, &joint.kind))
        return;
    joint.parent_name = read_end(r, node, of, "parent");
    joint.child_name = read_end(r, node, of, "child");
    read_origin(r, node, of, &joint.origin);
    read_axis(r, node, of, &joint);
    read_dynamics(r, node, of, &joint);
    read_limit(r, node, of, &joint);
    read_mimic(r, node, of, &joint);
    *DAL_PUSH(r->base->scratch, r->robot->joint, r->robot->n_joints, r->room_joints) = joint;
}

void dal_read_urdf(dal_reader *reader, const dal_xml_node *root, bool floating)
{
    static const char *const attributes[] = {"name", "version", NULL}, *const children[] = {"link", "joint", NULL},
                             *const quiet[] = {"material", NULL};
    dal_urdf robot = {.mark = root->mark};
    urdf_reader r = {.base = reader, .robot = &robot};
    if (strcmp(root->name, "robot")) {
        dal_complain(reader->messages, root->mark, "a URDF file is one <robot>; <%.80s> was found", root->name);
        return;
    }
    for (const dal_xml_node *node = root->first; node; node = node->next)
        if (!strncmp(node->name, "xacro:", 6)) {
            refuse_macro(&r, node);
            return;
        }
    robot.name = dal_xml_get(root, "name");
    remark_on(&r, root, attributes, children, quiet);
    for (const dal_xml_node *node = root->first; node; node = node->next) {
        if (robot.n_links + robot.n_joints >= DAL_ELEMENT_LIMIT) {
            dal_complain(reader->messages, node->mark, "the robot has more than %d links and joints", DAL_ELEMENT_LIMIT);
            return;
        }
        if (!strcmp(node->name, "link"))
            read_link(&r, node);
        else if (!strcmp(node->name, "joint"))
            read_joint(&r, node);
    }
    if (!dal_messages_count(reader->messages, DAL_ERROR) && dal_urdf_tree(reader, &robot))
        dal_urdf_spec(reader, &robot, floating);
}
