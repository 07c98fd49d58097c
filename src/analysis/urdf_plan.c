/* What a compiled model becomes in URDF: which joint carries which link, mimics, friction, and what cannot be written.
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
#include "analysis/urdf_plan.h"

#include "joint/joint.h"
#include "math/rotation.h"
#include "model/start_values.h"
#include "model/system_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what URDF can say ----------------------------------------------------------------------------- */

const dal_joint_type *dal_urdf_joint_type(const dal_urdf_plan *p, int j)
{
    return p->m->joints[j].type;
}

static dal_mark place_of(const dal_urdf_plan *p, int j)
{
    return p->spec->joints[j].name.mark;
}

static bool is_pair(const dal_urdf_plan *p, int j)
{
    return dal_urdf_joint_type(p, j)->urdf;
}

/* Has the joint one coordinate, of this kind? ANGLE: it turns; DOT: it slides. */
bool dal_urdf_moves_by(const dal_urdf_plan *p, int j, dal_measure_kind kind)
{
    const dal_joint *joint = &p->m->joints[j];
    return joint->n_coordinates == 1 && p->m->measures[joint->coordinate[0]].kind == kind;
}

static int find_joint(const dal_urdf_plan *p, const char *name)
{
    for (int j = 0; j < p->spec->n_joints; j++)
        if (!strcmp(p->spec->joints[j].name.text, name))
            return j;
    return -1;
}

static void couple(dal_urdf_plan *p, int first, int second, double multiplier, double offset, const char *what, dal_mark mark)
{
    if (first < 0 || second < 0 || !p->m->joints[first].n_coordinates || !p->m->joints[second].n_coordinates)
        dal_error(p->messages, mark, "%s cannot be a <mimic> of URDF", what);
    else if (p->role[second].mimics >= 0)
        dal_error(p->messages, mark, "%s cannot be written: joint '%s' mimics another already", what, p->m->joints[second].name);
    else
        p->role[second].mimics = first, p->role[second].multiplier = multiplier, p->role[second].offset = offset;
}

/* measure_2 - f measure_1 = c, and coordinate = measure + zero. */
static void plan_coupling(dal_urdf_plan *p, int j)
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
static void plan_constraint(dal_urdf_plan *p, const dal_constraint_spec *constraint)
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

static void plan_friction(dal_urdf_plan *p, int j)
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

static void plan_joint(dal_urdf_plan *p, int j)
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

static int joint_of_measure(const dal_urdf_plan *p, int measure)
{
    for (int j = 0; j < p->spec->n_joints; j++)
        if (is_pair(p, j) && p->m->joints[j].n_coordinates == 1 && p->m->joints[j].coordinate[0] == measure)
            return j;
    return -1;
}

/* Dampers on joints are written; every other force is omitted. */
static void plan_forces(dal_urdf_plan *p)
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

bool dal_urdf_draws(int kind)
{
    return kind == DAL_FIGURE_BOX || kind == DAL_FIGURE_CYLINDER || kind == DAL_FIGURE_SPHERE;
}

/* URDF draws boxes, cylinders and spheres, on links. */
static void plan_shapes(dal_urdf_plan *p, const dal_figures *shapes, bool none)
{
    for (int i = 0; i < shapes->n; i++) {
        const char *type = shapes->item[i].type.text;
        if (none || !dal_urdf_draws(dal_figure_find(type)))
            dal_warn(p->messages, shapes->item[i].mark, DAL_CODE_NOT_CONVERTED, NAN, "a shape of type %s is not in the picture", type);
    }
}

static void plan_rest(dal_urdf_plan *p)
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

static int node_of(const dal_urdf_plan *p, int body)
{
    return body == DAL_GROUND ? p->m->n_bodies : body;
}

static void list_joints(dal_urdf_plan *p)
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
static void grow_tree(dal_urdf_plan *p, int body, bool *reached)
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
            p->link[other] = (dal_planned_link){.parent = body, .joint = j, .reversed = reversed};
            p->order[p->n_order++] = other;
        }
        if (next >= p->n_order)
            return;
        body = p->order[next];
    }
}

static void grow_all(dal_urdf_plan *p)
{
    const int n = p->m->n_bodies;
    bool *reached = DAL_NEW(&p->arena, bool, n + 1);
    p->order = DAL_NEW(&p->arena, int, n + 1);
    p->link = DAL_NEW(&p->arena, dal_planned_link, n + 1);
    list_joints(p);
    reached[n] = true;
    grow_tree(p, DAL_GROUND, reached);
    p->n_roots = p->joint_start[n + 1] - p->joint_start[n];
    for (int b = 0; b < n; b++) {
        if (reached[b])
            continue;
        reached[b] = true;
        p->link[b] = (dal_planned_link){.parent = DAL_URDF_FREE, .joint = -1};
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

static void place_link(dal_urdf_plan *p, int body)
{
    dal_planned_link *l = &p->link[body];
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
    const double shift = dal_urdf_moves_by(p, l->joint, DAL_MEASURE_DOT) ? -sign * zero : 0;
    if (dal_urdf_moves_by(p, l->joint, DAL_MEASURE_ANGLE)) {
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

static bool is_identity(const dal_planned_link *l)
{
    for (int i = 0; i < 9; i++)
        if (l->R[i] != (i % 4 == 0))
            return false;
    return l->xyz[0] == 0 && l->xyz[1] == 0 && l->xyz[2] == 0;
}

/* The root is a body if only that body is fixed to the ground, welded at the origin; or if it is free and alone. */
static void choose_root(dal_urdf_plan *p)
{
    const dal_planned_link *first = &p->link[p->order[0]];
    const bool welded = first->joint >= 0 && dal_urdf_joint_type(p, first->joint)->welds && is_identity(first);
    if (p->n_roots == 1 && (first->parent == DAL_URDF_FREE || welded)) {
        if (first->parent == DAL_URDF_FREE)
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

dal_status dal_urdf_plan_make(dal_urdf_plan *p)
{
    p->role = DAL_NEW(&p->arena, dal_urdf_role, p->spec->n_joints + 1);
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
