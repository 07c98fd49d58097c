/* A compiled model as URDF.
 *
 * The frame of a link has the axes of its body and its origin o at the point of the joint that carries it. With the markers (s, B) of a
 * joint on parent and child, whose frames coincide where the coordinate is zero,
 *   R = B_p B_c^T,   xyz = s_p - o_p,   o_c = s_c,   axis = B_c e_z
 * and the axis is reversed where the joint is walked from its second body to its first. A `zero:` turns B_p or shifts s_p.
 * Couplings of two coordinates are mimics: q_2 = m q_1 + offset. Friction is written as the constant limit T = g K of sliding
 * (dynamics/friction.c).
 *
 * Each element that cannot be written is named: as an error if the mechanism would change without it, as a warning if only a force is omitted.
 */
#include "model/start_values.h"
#include "model/system_parts.h"
#include "spec/sound.h"
#include "base/argument.h"
#include "analysis/written.h"
#include "joint/joint.h"
#include "math/rotation.h"
#include "compile/build.h"
#include "compile/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -2 }; /* no body; DAL_GROUND is -1 */

/* A body in URDF: its link and the joint that carries it. */
typedef struct link {
    int parent;       /* NONE: free */
    int joint;        /* of the mechanism; -1: none */
    bool reversed;    /* walked from its second body */
    double origin[3]; /* of the link's frame, in body axes */
    double xyz[3], R[9], axis[3];
} link;

/* A joint in URDF. */
typedef struct role {
    double damping, friction, multiplier, offset;
    int mimics; /* a joint, or -1 */
    bool used;  /* carries a link */
} role;

typedef struct plan {
    dal_arena arena;
    const dal_spec *spec;
    const dal_system *system;
    const dal_mechanism *m;
    dal_messages *messages;
    dal_scene *scene;            /* the shapes; NULL: they cannot be read */
    int n_order, *order;         /* bodies, parents first */
    int *joint_start, *joint_at; /* joints of each body, the ground behind the last */
    link *link;
    role *role;
    int n_roots;       /* bodies that are free or joined to the ground */
    const char *world; /* name of a root link that is the ground; NULL: the root is a body */
    dal_decimal_table decimals;
} plan;

/* ---- what URDF can say ----------------------------------------------------------------------------- */

static const dal_joint_type *type_of(const plan *p, int j)
{
    return p->m->joints[j].type;
}

static dal_mark place_of(const plan *p, int j)
{
    return p->spec->joints[j].name.mark;
}

static bool is_pair(const plan *p, int j)
{
    return type_of(p, j)->urdf;
}

/* Has the joint one coordinate, of this kind? ANGLE: it turns; DOT: it slides. */
static bool moves_by(const plan *p, int j, dal_measure_kind kind)
{
    const dal_joint *joint = &p->m->joints[j];
    return joint->n_coordinates == 1 && p->m->measures[joint->coordinate[0]].kind == kind;
}

static int find_joint(const plan *p, const char *name)
{
    for (int j = 0; j < p->spec->n_joints; j++)
        if (!strcmp(p->spec->joints[j].name.text, name))
            return j;
    return -1;
}

static void couple(plan *p, int first, int second, double multiplier, double offset, const char *what, dal_mark mark)
{
    if (first < 0 || second < 0 || !p->m->joints[first].n_coordinates || !p->m->joints[second].n_coordinates)
        dal_error(p->messages, mark, "%s cannot be a <mimic> of URDF", what);
    else if (p->role[second].mimics >= 0)
        dal_error(p->messages, mark, "%s cannot be written: joint '%s' mimics another already", what, p->m->joints[second].name);
    else
        p->role[second].mimics = first, p->role[second].multiplier = multiplier, p->role[second].offset = offset;
}

/* measure_2 - f measure_1 = c, and coordinate = measure + zero. */
static void plan_coupling(plan *p, int j)
{
    const dal_joint *joint = &p->m->joints[j];
    const dal_row *row = &p->m->rows[joint->row];
    const int first = find_joint(p, p->spec->joints[j].joints.item[0].text), second = find_joint(p, p->spec->joints[j].joints.item[1].text);
    const double f = -p->m->terms[row->term + 1].coef;
    if (first >= 0 && second >= 0)
        couple(p, first, second, f, row->constant + p->m->joints[second].zero[0] - f * p->m->joints[first].zero[0],
               dal_arena_print(&p->arena, "joint '%s' of type %s", joint->name, joint->type->name), place_of(p, j));
}

/* "b.angle - (2*a.angle + 0.1)", as convert writes a mimic. */
static void plan_constraint(plan *p, const dal_constraint_spec *constraint)
{
    char second[104], first[104], factor[44], offset[44], more;
    const char *text = constraint->position.text ? constraint->position.text : "";
    const char *what = dal_arena_print(&p->arena, "constraint '%s'", constraint->name.text);
    if (sscanf(text, "%103[A-Za-z0-9_.] - (%43[-+0-9.e]*%103[A-Za-z0-9_.] + %43[-+0-9.e])%c", second, factor, first, offset, &more) != 4) {
        dal_error(p->messages, constraint->name.mark, "%s: URDF has no constraints but mimics, q2 - (m*q1 + c)", what);
        return;
    }
    char *const names[2] = {first, second};
    for (int k = 0; k < 2; k++) {
        char *dot = strrchr(names[k], '.');
        if (dot && (!strcmp(dot, ".angle") || !strcmp(dot, ".distance")))
            *dot = '\0';
    }
    couple(p, find_joint(p, first), find_joint(p, second), strtod(factor, NULL), strtod(offset, NULL), what, constraint->name.mark);
}

/* Friction that URDF cannot express: forces that follow from the reaction, other limits at rest, and other parts of the law. */
static bool is_plain(const dal_friction *f)
{
    return !dal_friction_presses(f) && !dal_friction_varies(f) && f->resting_limit == f->limit && f->viscous == 0 && f->regular == 0;
}

static void plan_friction(plan *p, int j)
{
    const dal_acting *acting = dal_system_acting(p->system);
    for (int i = 0; i < acting->n_frictions; i++) {
        const dal_friction *f = &acting->frictions[i];
        if (f->joint != j)
            continue;
        p->role[j].friction = dal_friction_varies(f) ? 0 : f->limit * f->lever[0];
        if (dal_friction_varies(f))
            dal_warn(p->messages, place_of(p, j), DAL_CODE_NOT_CONVERTED, NAN,
                     "the friction of joint '%s' is skipped: that of URDF has a constant limit", p->m->joints[j].name);
        else if (!(f->limit > 0))
            dal_warn(p->messages, place_of(p, j), DAL_CODE_NOT_CONVERTED, NAN,
                     "the friction of joint '%s' is skipped: that of URDF does not depend on the force in the joint", p->m->joints[j].name);
        else if (!is_plain(f))
            dal_warn(p->messages, place_of(p, j), DAL_CODE_NOT_CONVERTED, NAN,
                     "of the friction of joint '%s' only the constant limit (%.6g) is written: URDF has no other friction", p->m->joints[j].name,
                     p->role[j].friction);
    }
}

static void plan_joint(plan *p, int j)
{
    const dal_joint *joint = &p->m->joints[j];
    if (joint->drive >= 0 && joint->type->class == DAL_JOINT_PAIR)
        dal_error(p->messages, place_of(p, j), "joint '%s' is driven: URDF has no prescribed motion", joint->name);
    if (joint->type->couples_two)
        plan_coupling(p, j);
    else if (!is_pair(p, j))
        dal_error(p->messages, place_of(p, j), "joint '%s': URDF has no joint of type %s", joint->name, joint->type->name);
    plan_friction(p, j);
    if (p->spec->joints[j].law.n)
        dal_warn(p->messages, place_of(p, j), DAL_CODE_NOT_CONVERTED, NAN, "the non-ideal forces of joint '%s' are skipped", joint->name);
}

static int joint_of_measure(const plan *p, int measure)
{
    for (int j = 0; j < p->spec->n_joints; j++)
        if (is_pair(p, j) && p->m->joints[j].n_coordinates == 1 && p->m->joints[j].coordinate[0] == measure)
            return j;
    return -1;
}

/* Dampers on joints are written; every other force is omitted. */
static void plan_forces(plan *p)
{
    const dal_acting *acting = dal_system_acting(p->system);
    bool *written = DAL_NEW(&p->arena, bool, p->spec->n_forces + 1);
    for (int g = 0; g < acting->n_groups; g++) {
        const dal_force_group *group = &acting->groups[g];
        for (int i = 0; i < group->n && dal_force_types[group->type]->spring; i++) {
            const dal_spring_info s = dal_spring_of(group, i);
            const int j = joint_of_measure(p, s.measure);
            if (j < 0)
                continue;
            p->role[j].damping += s.damping;
            written[s.force] = s.stiffness == 0 && !s.has_value;
        }
    }
    for (int i = 0; i < p->spec->n_forces; i++)
        if (!written[i])
            dal_warn(p->messages, p->spec->forces[i].name.mark, DAL_CODE_NOT_CONVERTED, NAN,
                     "force '%s' is skipped: of forces URDF has only the damping of joints", p->spec->forces[i].name.text);
}

static bool can_be_drawn(int kind)
{
    return kind == DAL_FIGURE_BOX || kind == DAL_FIGURE_CYLINDER || kind == DAL_FIGURE_SPHERE;
}

/* URDF draws boxes, cylinders and spheres, on links. */
static void plan_shapes(plan *p, const dal_figures *shapes, bool none)
{
    for (int i = 0; i < shapes->n; i++) {
        const char *type = shapes->item[i].type.text;
        if (none || !can_be_drawn(dal_figure_find(type)))
            dal_warn(p->messages, shapes->item[i].mark, DAL_CODE_NOT_CONVERTED, NAN, "a shape of type %s is not in the picture", type);
    }
}

static void plan_rest(plan *p)
{
    const dal_spec *spec = p->spec;
    const double *g = dal_system_acting(p->system)->gravity;
    for (int i = 0; i < spec->n_constraints; i++)
        plan_constraint(p, &spec->constraints[i]);
    for (int i = 0; i < spec->n_states; i++)
        dal_warn(p->messages, spec->states[i].name.mark, DAL_CODE_NOT_CONVERTED, NAN, "state '%s' is skipped: URDF has no differential equations",
                 spec->states[i].name.text);
    if (g[0] != 0 || g[1] != 0 || g[2] != -9.81)
        dal_warn(p->messages, spec->gravity.n ? spec->gravity.mark : (dal_mark){spec->file, 0, 0}, DAL_CODE_NOT_CONVERTED, NAN,
                 "gravity is (%.6g, %.6g, %.6g) here and has no place in URDF, where it is (0, 0, -9.81)", g[0], g[1], g[2]);
    plan_shapes(p, &spec->ground_shape, true);
    for (int b = 0; b < spec->n_bodies; b++)
        plan_shapes(p, &spec->bodies[b].shape, !p->scene);
    for (int b = 0; b < p->m->n_bodies; b++)
        if (p->m->bodies[b].particle)
            dal_warn(p->messages, p->spec->bodies[b].name.mark, DAL_CODE_NOT_CONVERTED, NAN,
                     "'%s' is a particle: it becomes a link without moments of inertia", p->m->bodies[b].name);
}

/* ---- the tree ----------------------------------------------------------------------------------------- */

static int node_of(const plan *p, int body)
{
    return body == DAL_GROUND ? p->m->n_bodies : body;
}

static void list_joints(plan *p)
{
    const int n = p->m->n_bodies + 1;
    p->joint_start = DAL_NEW(&p->arena, int, n + 1);
    p->joint_at = DAL_NEW(&p->arena, int, 2 * p->spec->n_joints + 1);
    int *at = DAL_NEW(&p->arena, int, n + 1);
    for (int j = 0; j < p->spec->n_joints; j++)
        for (int k = 0; k < 2 && is_pair(p, j); k++)
            p->joint_start[node_of(p, p->m->joints[j].marker[k].body) + 1]++;
    for (int i = 0; i < n; i++)
        at[i + 1] = p->joint_start[i + 1] += p->joint_start[i];
    for (int j = 0; j < p->spec->n_joints; j++)
        for (int k = 0; k < 2 && is_pair(p, j); k++)
            p->joint_at[at[node_of(p, p->m->joints[j].marker[k].body)]++] = j;
}

/* The subtree of a body (or of the ground), nearest first. */
static void grow_tree(plan *p, int body, bool *reached)
{
    for (int next = p->n_order;; next++) {
        for (int i = p->joint_start[node_of(p, body)]; i < p->joint_start[node_of(p, body) + 1]; i++) {
            const int j = p->joint_at[i];
            const dal_joint *joint = &p->m->joints[j];
            const bool reversed = joint->marker[1].body == body;
            const int other = joint->marker[reversed ? 0 : 1].body;
            if (p->role[j].used)
                continue;
            p->role[j].used = true;
            if (reached[node_of(p, other)]) {
                dal_error(p->messages, place_of(p, j), "joint '%s' closes a loop, and URDF has only trees", joint->name);
                continue;
            }
            reached[node_of(p, other)] = true;
            p->link[other] = (link){.parent = body, .joint = j, .reversed = reversed};
            p->order[p->n_order++] = other;
        }
        if (next >= p->n_order)
            return;
        body = p->order[next];
    }
}

static void grow_all(plan *p)
{
    const int n = p->m->n_bodies;
    bool *reached = DAL_NEW(&p->arena, bool, n + 1);
    p->order = DAL_NEW(&p->arena, int, n + 1);
    p->link = DAL_NEW(&p->arena, link, n + 1);
    list_joints(p);
    reached[n] = true;
    grow_tree(p, DAL_GROUND, reached);
    p->n_roots = p->joint_start[n + 1] - p->joint_start[n];
    for (int b = 0; b < n; b++) {
        if (reached[b])
            continue;
        reached[b] = true;
        p->link[b] = (link){.parent = NONE, .joint = -1};
        p->order[p->n_order++] = b;
        p->n_roots++;
        grow_tree(p, b, reached);
    }
}

/* ---- frames ------------------------------------------------------------------------------------------------ */

/* R = B_p B_c^T */
static void relate(const double B_p[9], const double B_c[9], double R[9])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[3 * i + k] = B_p[3 * i] * B_c[3 * k] + B_p[3 * i + 1] * B_c[3 * k + 1] + B_p[3 * i + 2] * B_c[3 * k + 2];
}

static void place_link(plan *p, int body)
{
    link *l = &p->link[body];
    if (l->joint < 0) {
        memcpy(l->xyz, dal_system_start(p->system)[body].r, sizeof l->xyz);
        memcpy(l->R, dal_system_start(p->system)[body].R, sizeof l->R);
        return;
    }
    const dal_joint *joint = &p->m->joints[l->joint];
    const dal_marker *from = &joint->marker[l->reversed ? 1 : 0], *to = &joint->marker[l->reversed ? 0 : 1];
    const double sign = l->reversed ? -1 : 1, zero = joint->n_coordinates ? joint->zero[0] : 0;
    double B[9], turn[9];
    memcpy(B, from->B, sizeof B);
    const double shift = moves_by(p, l->joint, DAL_MEASURE_DOT) ? -sign * zero : 0;
    if (moves_by(p, l->joint, DAL_MEASURE_ANGLE)) {
        dal_rotation_elementary(2, -sign * zero, turn);
        dal_rotation_multiply(B, turn, B);
    }
    relate(B, to->B, l->R);
    for (int i = 0; i < 3; i++) {
        l->origin[i] = to->s[i];
        l->axis[i] = sign * to->B[3 * i + 2];
        l->xyz[i] = from->s[i] + shift * B[3 * i + 2] - (l->parent >= 0 ? p->link[l->parent].origin[i] : 0);
    }
}

static bool is_identity(const link *l)
{
    for (int i = 0; i < 9; i++)
        if (l->R[i] != (i % 4 == 0))
            return false;
    return l->xyz[0] == 0 && l->xyz[1] == 0 && l->xyz[2] == 0;
}

/* The root is a body if only that body is fixed to the ground, welded at the origin; or if it is free and alone. */
static void choose_root(plan *p)
{
    const link *first = &p->link[p->order[0]];
    const bool welded = first->joint >= 0 && type_of(p, first->joint)->welds && is_identity(first);
    if (p->n_roots == 1 && (first->parent == NONE || welded)) {
        if (first->parent == NONE)
            dal_say(p->messages, DAL_NOTE, p->spec->bodies[p->order[0]].name.mark, "'%s' is free: read the URDF file with --floating",
                    p->m->bodies[p->order[0]].name);
        return;
    }
    p->world = "world";
    for (int b = 0; b < p->m->n_bodies; b++)
        if (!strcmp(p->m->bodies[b].name, p->world)) {
            p->world = dal_arena_print(&p->arena, "%s_", p->world);
            b = -1;
        }
}

static dal_status make_plan(plan *p)
{
    p->role = DAL_NEW(&p->arena, role, p->spec->n_joints + 1);
    for (int j = 0; j < p->spec->n_joints; j++)
        p->role[j].mimics = -1;
    for (int j = 0; j < p->spec->n_joints; j++)
        plan_joint(p, j);
    plan_forces(p);
    plan_rest(p);
    grow_all(p);
    if (dal_messages_count(p->messages, DAL_ERROR))
        return DAL_BAD_MODEL;
    for (int i = 0; i < p->n_order; i++)
        place_link(p, p->order[i]);
    choose_root(p);
    dal_say(p->messages, DAL_NOTE, (dal_mark){p->spec->file, 0, 0}, "start values, records and how to run have no place in URDF and are skipped");
    return DAL_OK;
}

/* ---- the text ------------------------------------------------------------------------------------------------- */

static void write_number(dal_printer *out, const plan *p, double x)
{
    char text[DAL_DECIMAL_LENGTH];
    dal_decimal_print(&p->decimals, x == 0 ? 0 : x, text); /* no -0 */
    dal_print(out, "%s", text);
}

static void write_vector(dal_printer *out, const plan *p, const char *key, const double v[3])
{
    dal_print(out, " %s=\"", key);
    for (int i = 0; i < 3; i++) {
        dal_print(out, "%s", i ? " " : "");
        write_number(out, p, v[i]);
    }
    dal_print(out, "\"");
}

static void write_attribute(dal_printer *out, const plan *p, const char *key, double value)
{
    dal_print(out, " %s=\"", key);
    write_number(out, p, value);
    dal_print(out, "\"");
}

static void write_escaped(dal_printer *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '"' ? "&quot;" : NULL;
        if (entity)
            dal_print(out, "%s", entity);
        else
            dal_print(out, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    }
}

static void write_visual(dal_printer *out, const plan *p, const dal_figure *f, const double origin[3])
{
    double R[9], ypr[3];
    int axes[3];
    dal_rotation_quaternion(f->quaternion, R);
    dal_euler_axes("zyx", axes);
    dal_euler_of(R, axes, ypr);
    const double xyz[3] = {f->at[0] - origin[0], f->at[1] - origin[1], f->at[2] - origin[2]}, rpy[3] = {ypr[2], ypr[1], ypr[0]};
    dal_print(out, "    <visual>\n      <origin");
    write_vector(out, p, "xyz", xyz);
    write_vector(out, p, "rpy", rpy);
    dal_print(out, "/>\n      <geometry><%s", dal_figure_names[f->kind]);
    if (f->kind == DAL_FIGURE_BOX)
        write_vector(out, p, "size", f->size);
    else
        write_attribute(out, p, "radius", f->radius);
    if (f->kind == DAL_FIGURE_CYLINDER)
        write_attribute(out, p, "length", f->length);
    dal_print(out, "/></geometry>\n");
    if (*f->color) {
        unsigned c[3];
        sscanf(f->color, "#%2x%2x%2x", &c[0], &c[1], &c[2]);
        const double rgb[3] = {c[0] / 255.0, c[1] / 255.0, c[2] / 255.0};
        dal_print(out, "      <material name=\"%s\"><color rgba=\"", f->color + 1);
        for (int k = 0; k < 3; k++)
            dal_print(out, "%.6g ", rgb[k]);
        dal_print(out, "1\"/></material>\n");
    }
    dal_print(out, "    </visual>\n");
}

/* Returns their number; out may be NULL. */
static int write_visuals(dal_printer *out, const plan *p, int body, const double origin[3])
{
    const dal_scene_body *b = p->scene ? &p->scene->bodies[body] : NULL;
    int n = 0;
    for (int i = 0; b && i < b->n_figures; i++) {
        if (!can_be_drawn((int)b->figures[i].kind))
            continue;
        n++;
        if (out)
            write_visual(out, p, &b->figures[i], origin);
    }
    return n;
}

static void write_link(dal_printer *out, const plan *p, int body)
{
    static const char *const keys[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    static const int entry[] = {0, 1, 2, 4, 5, 8};
    const dal_body *b = &p->m->bodies[body];
    const link *l = &p->link[body];
    double center[3], moments = 0;
    dal_print(out, "  <link name=\"%s\"", b->name);
    for (int i = 0; i < 9; i++)
        moments += fabs(b->inertia[i]);
    if (b->mass == 0 && moments == 0) {
        const bool drawn = write_visuals(NULL, p, body, l->origin) > 0;
        dal_print(out, drawn ? ">\n" : "/>\n");
        write_visuals(out, p, body, l->origin);
        dal_print(out, drawn ? "  </link>\n" : "");
        return;
    }
    for (int i = 0; i < 3; i++)
        center[i] = b->center[i] - l->origin[i];
    dal_print(out, ">\n    <inertial>\n      <origin");
    write_vector(out, p, "xyz", center);
    dal_print(out, "/>\n      <mass");
    write_attribute(out, p, "value", b->mass);
    dal_print(out, "/>\n      <inertia");
    for (int i = 0; i < 6; i++)
        write_attribute(out, p, keys[i], b->inertia[entry[i]]);
    dal_print(out, "/>\n    </inertial>\n");
    write_visuals(out, p, body, l->origin);
    dal_print(out, "  </link>\n");
}

static const char *label_of(const plan *p, int j)
{
    return p->m->joints[j].label ? p->m->joints[j].label : p->m->joints[j].name;
}

static void write_origin(dal_printer *out, const plan *p, const link *l)
{
    double ypr[3];
    int axes[3];
    dal_euler_axes("zyx", axes);
    dal_euler_of(l->R, axes, ypr);
    const double rpy[3] = {ypr[2], ypr[1], ypr[0]};
    dal_print(out, "    <origin");
    write_vector(out, p, "xyz", l->xyz);
    write_vector(out, p, "rpy", rpy);
    dal_print(out, "/>\n");
}

static void write_dynamics(dal_printer *out, const plan *p, int j)
{
    const role *r = &p->role[j];
    if (moves_by(p, j, DAL_MEASURE_DOT)) /* URDF demands one; the model has none */
        dal_print(out, "    <limit lower=\"-1e9\" upper=\"1e9\" effort=\"1e9\" velocity=\"1e9\"/>\n");
    if (r->damping > 0 || r->friction > 0) {
        dal_print(out, "    <dynamics");
        if (r->damping > 0)
            write_attribute(out, p, "damping", r->damping);
        if (r->friction > 0)
            write_attribute(out, p, "friction", r->friction);
        dal_print(out, "/>\n");
    }
    if (r->mimics >= 0) {
        dal_print(out, "    <mimic joint=\"");
        write_escaped(out, label_of(p, r->mimics));
        dal_print(out, "\"");
        write_attribute(out, p, "multiplier", r->multiplier);
        write_attribute(out, p, "offset", r->offset);
        dal_print(out, "/>\n");
    }
}

static void write_joint(dal_printer *out, const plan *p, int body)
{
    const link *l = &p->link[body];
    const char *type = l->joint < 0 ? "floating" : type_of(p, l->joint)->urdf, *parent = l->parent >= 0 ? p->m->bodies[l->parent].name : p->world;
    if (!parent)
        return; /* the root */
    dal_print(out, "  <joint name=\"");
    write_escaped(out, l->joint < 0 ? p->m->bodies[body].name : label_of(p, l->joint));
    dal_print(out, "%s\" type=\"%s\">\n    <parent link=\"%s\"/>\n    <child link=\"%s\"/>\n", l->joint < 0 ? "_floating" : "", type, parent,
              p->m->bodies[body].name);
    write_origin(out, p, l);
    if (l->joint >= 0 && !type_of(p, l->joint)->welds) {
        dal_print(out, "    <axis");
        write_vector(out, p, "xyz", l->axis);
        dal_print(out, "/>\n");
    }
    if (l->joint >= 0)
        write_dynamics(out, p, l->joint);
    dal_print(out, "  </joint>\n");
}

static void write_robot(dal_printer *out, const void *user)
{
    const plan *p = user;
    dal_print(out, "<?xml version=\"1.0\"?>\n<robot name=\"");
    write_escaped(out, p->spec->name.text ? p->spec->name.text : "robot");
    dal_print(out, "\">\n");
    if (p->world)
        dal_print(out, "  <link name=\"%s\"/>\n", p->world);
    for (int i = 0; i < p->n_order; i++)
        write_link(out, p, p->order[i]);
    for (int i = 0; i < p->n_order; i++)
        write_joint(out, p, p->order[i]);
    dal_print(out, "</robot>\n");
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static dal_status plan_it(void *user)
{
    return make_plan(user);
}

dal_status dal_to_urdf(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, char **text)
{
    if (text)
        *text = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (!dal_spec_sound(spec, messages))
        return DAL_BAD_MODEL;
    const dal_mark mark = {spec->file, 0, 0};
    if (spec->space != DAL_SPATIAL || spec->n_coordinates) {
        dal_error(messages, spec->space != DAL_SPATIAL ? spec->space_mark : mark, "URDF knows %s",
                  spec->space != DAL_SPATIAL ? "spatial models only" : "no coordinates of a model's own");
        return DAL_BAD_MODEL;
    }
    dal_spec plain = *spec;
    plain.simulate = (dal_simulate_spec){0};
    dal_system *system = NULL;
    dal_status status = dal_compile_anyway(allocator, &plain, messages, &system);
    if (status != DAL_OK)
        return status;
    plan p = {.spec = spec, .system = system, .m = dal_system_layout(system)->mechanism, .messages = dal_messages_create(allocator)};
    dal_arena_begin(&p.arena, allocator);
    dal_decimal_prepare(&p.decimals);
    dal_scene_create(allocator, spec, system, NULL, &p.scene); /* NULL where a mesh cannot be read: shapes are then omitted */
    status = p.messages ? dal_arena_try(&p.arena, plan_it, &p) : DAL_NO_MEMORY;
    dal_pass_all(messages, p.messages);
    if (status == DAL_OK)
        status = dal_write_text(allocator, write_robot, &p, text);
    dal_messages_free(p.messages);
    dal_arena_release(&p.arena);
    dal_scene_free(p.scene);
    dal_system_free(system);
    return status;
}
