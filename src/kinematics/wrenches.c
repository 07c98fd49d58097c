/* Wrenches of joints. dynamics/reactions.c has the choices that redundant rows leave.
 *
 * A row with multiplier lambda acts on each vector of its measures with the force coef * lambda * gradient. The reaction (F, T) of a joint is the sum of
 * these forces on its second body, reduced to the joint's point there, in world axes.
 *
 * Joints of the tree (family `joint`) have no rows, hence no multipliers. The wrench of such a joint follows from the balance of the bodies behind
 * it: with the wrench C_b that the carrier of body b exerts on it,
 *     m c'' , I alpha + w x I w   =   applied + rows + C_b - sum over children of C_c
 * solved for C_b from the leaves inwards (Newton and Euler; J. Luh, M. Walker, R. Paul, On-line computational scheme for mechanical
 * manipulators, 1980). A drive of the joint is a row and is added to its reaction, as in the other families. A particle has no balance of moments:
 * its carrier exerts a force at its marker.
 *
 * Eliminated rows of natural coordinates have multipliers that follow from the equations of the bodies (reduction.h); then they act like all others.
 */
#include "kinematics/wrenches.h"

#include "joint/joint.h"
#include "kinematics/newton_euler.h"
#include "kinematics/reduction.h"
#include "kinematics/tree.h"
#include "math/vec.h"

void dal_accelerations_of(const dal_layout *layout, const dal_work *work, const dal_tangent *tangent, dal_acceleration *out)
{
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_kin *kin = &work->kin[b];
        dal_copy3(tangent[b].rd, out[b].r_v);
        for (int i = 0; i < 9; i++)
            out[b].R_v[i] = tangent[b].Rd[i];
        for (int i = 0; i < 3; i++) {
            out[b].rdd[i] = tangent[b].rd[i] + kin->rb[i];
            out[b].alpha[i] = tangent[b].w[i] + kin->wb[i];
        }
    }
}

void dal_add_measure_wrench(const dal_layout *layout, const dal_work *work, int number, dal_real effort, int body, const dal_real P[3],
                            dal_real force[3], dal_real moment[3])
{
    const dal_mechanism *m = layout->mechanism;
    const dal_measure *measure = &m->measures[number];
    for (int j = 0; j < 4 && measure->kind != DAL_MEASURE_COORDINATE; j++) {
        int n = measure->vector[j];
        if (n < 0 || m->vectors[n].body != body)
            continue;
        dal_real f[3] = {0, 0, 0}, arm[3];
        dal_axpy3(effort, work->gradient + 12 * number + 3 * j, f);
        dal_copy3(work->x + 3 * n, arm);
        if (m->vectors[n].point) {
            dal_sub3(arm, P, arm);
            dal_axpy3(1, f, force);
        }
        dal_add_cross(arm, f, moment);
    }
}

void dal_add_row_wrench(const dal_layout *layout, const dal_work *work, int number, dal_real lambda, int body, const dal_real P[3], dal_real force[3],
                        dal_real moment[3])
{
    const dal_mechanism *m = layout->mechanism;
    const dal_row *row = &m->rows[number];
    for (int k = row->term; k < row->term + row->n_terms; k++)
        dal_add_measure_wrench(layout, work, m->terms[k].measure, lambda * work->coef[k], body, P, force, moment);
}

void dal_joint_point(const dal_layout *layout, const dal_work *work, int joint, int side, dal_real P[3])
{
    const dal_marker *marker = &layout->mechanism->joints[joint].marker[side];
    dal_turn(work->kin[marker->body].R, marker->s, P);
    dal_axpy3(1, work->kin[marker->body].r, P);
}

void dal_inertia_wrench(const dal_layout *layout, const dal_work *work, const dal_acceleration *a, int b, dal_real force[3], dal_real moment[3])
{
    const dal_body *body = &layout->mechanism->bodies[b];
    const dal_kin *kin = &work->kin[b];
    dal_real rho[3], bias[3], I[9], H[3];
    dal_turn(kin->R, body->center, rho);
    dal_turn(a->R_v, body->center, force);
    dal_turn(kin->Rb, body->center, bias);
    for (int i = 0; i < 3; i++)
        force[i] = body->mass * (force[i] + bias[i] + a->rdd[i]);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    dal_euler_moment(I, kin->w, a->alpha, H, moment);
    dal_add_cross(rho, force, moment);
}

/* ---- joints of the tree ------------------------------------------------------------- */

/* Wrenches on the bodies, about r: they lie in the scratch of the tangents, force in rd and moment in w. */

/* m c'' and I alpha + w x I w, taken to r, less what is applied. */
static void add_motion(const dal_layout *layout, const dal_work *work, const dal_acceleration *a, int b, dal_tangent *wrench)
{
    dal_real force[3], moment[3];
    dal_inertia_wrench(layout, work, a, b, force, moment);
    for (int i = 0; i < 3; i++) {
        wrench->rd[i] += force[i] - work->force[6 * b + i];
        wrench->w[i] += moment[i] - work->force[6 * b + 3 + i];
    }
}

/* Less the rows that exist: each acts on the bodies of its sides. */
static void subtract_rows(const dal_layout *layout, const dal_work *work, const dal_real *lambda, dal_tangent *wrench)
{
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = at->side; k < at->side + at->n_sides; k++) {
            int b = layout->side[k].body;
            dal_add_row_wrench(layout, work, at->source, -lambda[i], b, work->kin[b].r, wrench[b].rd, wrench[b].w);
        }
    }
}

/* The wrench of the carrier on the second body of its joint, at the joint's point. */
static void report_carrier(const dal_layout *layout, const dal_work *work, const dal_carrier *c, const dal_tangent *wrench, dal_real *out)
{
    dal_real P[3], arm[3], moment[3], sign = c->marker_parent == 0 ? 1 : -1;
    dal_joint_point(layout, work, c->joint, 1, P);
    dal_sub3(work->kin[c->body].r, P, arm);
    dal_copy3(wrench->w, moment);
    dal_add_cross(arm, wrench->rd, moment);
    dal_axpy3(sign, wrench->rd, out);
    dal_axpy3(sign, moment, out + 3);
}

/* C_b from the leaves inwards. `moving`: with inertia and loads; else only the forces of the multipliers. */
static void add_carriers(const dal_layout *layout, const dal_work *work, const dal_wrench_parts *parts, const dal_real *lambda, bool moving,
                         dal_real *out)
{
    const dal_tree *tree = layout->tree;
    const dal_kin *kin = work->kin;
    dal_tangent *wrench = parts->tangent;
    for (int b = 0; b < tree->n_bodies; b++) {
        dal_zero3(wrench[b].rd);
        dal_zero3(wrench[b].w);
        if (moving)
            add_motion(layout, work, &parts->body[b], b, &wrench[b]);
    }
    subtract_rows(layout, work, lambda, wrench);
    for (int i = tree->n_bodies - 1; i >= 0; i--) {
        const dal_carrier *c = &tree->carrier[i];
        dal_tangent *own = &wrench[c->body];
        dal_real arm[3];
        if (c->particle) {
            const dal_real to[3] = {c->to.s[0], c->to.s[1], c->to.s[2]};
            dal_zero3(own->w);
            dal_add_cross(to, own->rd, own->w);
        }
        if (c->joint >= 0)
            report_carrier(layout, work, c, own, out + 6 * c->joint);
        if (c->parent == DAL_GROUND)
            continue;
        dal_tangent *parent = &wrench[c->parent];
        dal_sub3(kin[c->body].r, kin[c->parent].r, arm);
        dal_axpy3(1, own->rd, parent->rd);
        dal_axpy3(1, own->w, parent->w);
        dal_add_cross(arm, own->rd, parent->w);
    }
}

/* ---- all joints ------------------------------------------------------------------------ */

/* A row acts on the second body of its joint. */
static void add_row_to_joint(const dal_layout *layout, const dal_work *work, int number, dal_real lambda, dal_real *out)
{
    const int j = layout->mechanism->rows[number].joint;
    const dal_joint *joint = &layout->mechanism->joints[j];
    dal_real P[3];
    if (!dal_joint_has_sides(joint))
        return;
    dal_joint_point(layout, work, j, 1, P);
    dal_add_row_wrench(layout, work, number, lambda, joint->marker[1].body, P, out + 6 * j, out + 6 * j + 3);
}

/* Rows that were eliminated. `moving` as in add_carriers. Their measures are not evaluated with those of the other rows. */
static void add_held(const dal_layout *layout, dal_work *work, const dal_wrench_parts *parts, const dal_real *lambda, bool moving, dal_real *out)
{
    const dal_mechanism *m = layout->mechanism;
    const dal_reduction *e = layout->reduction;
    const dal_direction motion = {parts->vd, 0, parts->tangent};
    if (moving) {
        layout->family->tangent(layout, work, &motion);
        for (int i = 0; i < e->n_held; i++)
            for (int k = m->rows[e->held[i]].term; k < m->rows[e->held[i]].term + m->rows[e->held[i]].n_terms; k++)
                dal_rows_measure(layout, work, m->terms[k].measure);
    }
    dal_reduction_multipliers(layout, work, moving ? motion.tangent : NULL, lambda, parts->balance, parts->held);
    for (int i = 0; i < e->n_held; i++)
        add_row_to_joint(layout, work, e->held[i], parts->held[i], out);
}

void dal_wrenches_of_joints(const dal_layout *layout, dal_work *work, const dal_wrench_parts *parts, const dal_real *lambda, bool moving,
                            dal_real *out)
{
    for (int i = 0; i < 6 * layout->mechanism->n_joints; i++)
        out[i] = 0;
    for (int i = 0; i < layout->n_extrinsic; i++)
        add_row_to_joint(layout, work, layout->row[i].source, lambda[i], out);
    if (layout->reduction)
        add_held(layout, work, parts, lambda, moving, out);
    if (layout->tree)
        add_carriers(layout, work, parts, lambda, moving, out);
}
