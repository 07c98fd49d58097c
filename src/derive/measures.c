/* Material vectors and the scalars made of them. A vector of the compiled model is recognised among the frames of the joint or force that it
 * belongs to, whose points are symbols; any other vector is used with its numbers. */
#include "derive/nodes.h"

#include "kinematics/tree.h"

#include <math.h>
#include <string.h>

static bool same3(const double a[3], const double b0, const double b1, const double b2)
{
    return a[0] == b0 && a[1] == b1 && a[2] == b2;
}

static void local_vector(dal_derivation *d, const dal_vector *v, int n, const dal_symbolic_marker *near, dal_node s[3])
{
    for (int i = 0; i < n; i++) {
        const dal_symbolic_marker *m = &near[i];
        if (m->body != v->body)
            continue;
        if (v->point && same3(v->s, m->s_value[0], m->s_value[1], m->s_value[2])) {
            memcpy(s, m->s, sizeof m->s);
            return;
        }
        for (int axis = 0; axis < 3 && !v->point; axis++)
            if (same3(v->s, m->B_value[axis], m->B_value[3 + axis], m->B_value[6 + axis])) {
                for (int k = 0; k < 3; k++)
                    s[k] = m->B[3 * k + axis];
                return;
            }
    }
    for (int k = 0; k < 3; k++)
        s[k] = dal_derive_number(d, v->s[k]);
}

void dal_derive_vector(dal_derivation *d, int vector, int n, const dal_symbolic_marker *near, dal_node x[3])
{
    const dal_vector *v = &d->mechanism->vectors[vector];
    local_vector(d, v, n, near, x);
    if (v->body == DAL_GROUND)
        return;
    const dal_derived_body *body = &d->bodies[v->body];
    dal_n_turn(d, body->R, x, x);
    if (v->point)
        dal_n_sum(d, body->r, x, x);
}

typedef void vector_function(dal_derivation *d, int vector, int n, const dal_symbolic_marker *near, dal_node x[3]);

/* v_a - v_b, or the difference of the results of `of`; b may be -1. */
static void difference(dal_derivation *d, vector_function *of, int a, int b, int n, const dal_symbolic_marker *near, dal_node x[3])
{
    dal_node y[3];
    of(d, a, n, near, x);
    if (b < 0)
        return;
    of(d, b, n, near, y);
    for (int k = 0; k < 3; k++)
        x[k] = dal_n_sub(d, x[k], y[k]);
}

/* In the plane: the angle of a direction of a body, in the world. */
static dal_node angle_of(dal_derivation *d, const dal_vector *v, double *constant)
{
    *constant = atan2(v->s[1], v->s[0]) + (v->body == DAL_GROUND ? 0 : d->bodies[v->body].offset);
    return v->body == DAL_GROUND ? dal_n_const(d, 0) : d->bodies[v->body].angle;
}

static dal_node planar_angle(dal_derivation *d, const dal_measure *m)
{
    double first, second;
    const dal_node from = angle_of(d, &d->mechanism->vectors[m->vector[0]], &first);
    const dal_node to = angle_of(d, &d->mechanism->vectors[m->vector[2]], &second);
    double rest = second - first;
    if (fabs(rest) < 1e-15)
        rest = 0;
    return dal_n_add(d, dal_n_sub(d, to, from), dal_derive_number(d, rest));
}

dal_node dal_derive_measure(dal_derivation *d, int measure, int n, const dal_symbolic_marker *near)
{
    const dal_measure *m = &d->mechanism->measures[measure];
    dal_node x[3], y[3], z[3];
    switch (m->kind) {
    case DAL_MEASURE_COORDINATE: return dal_n_var(d, d->q + d->layout->own_q + m->vector[0]);
    case DAL_MEASURE_LENGTH:
        difference(d, dal_derive_vector, m->vector[0], m->vector[1], n, near, x);
        return dal_unary(d->graph, DAL_OP_SQRT, dal_n_dot(d, x, x));
    case DAL_MEASURE_DOT:
        difference(d, dal_derive_vector, m->vector[0], m->vector[1], n, near, x);
        difference(d, dal_derive_vector, m->vector[2], m->vector[3], n, near, y);
        return dal_n_dot(d, x, y);
    case DAL_MEASURE_ANGLE:
        if (dal_n_planar(d) && (d->in_ports || !dal_places_by_parameters(d)))
            return planar_angle(d, m);
        dal_derive_vector(d, m->vector[0], n, near, x);
        dal_derive_vector(d, m->vector[1], n, near, y);
        dal_derive_vector(d, m->vector[2], n, near, z);
        return dal_binary(d->graph, DAL_OP_ATAN2, dal_n_dot(d, y, z), dal_n_dot(d, x, z));
    default: return dal_n_const(d, 0);
    }
}

/* ---- rates --------------------------------------------------------------------------- */

/* The velocity of a material vector: r' + w x R s, or w x R s. */
static void vector_rate(dal_derivation *d, int vector, int n, const dal_symbolic_marker *near, dal_node rate[3])
{
    const dal_vector *v = &d->mechanism->vectors[vector];
    dal_node s[3];
    if (v->body == DAL_GROUND) {
        for (int k = 0; k < 3; k++)
            rate[k] = dal_n_const(d, 0);
        return;
    }
    const dal_derived_body *body = &d->bodies[v->body];
    local_vector(d, v, n, near, s);
    dal_n_turn(d, body->R, s, s);
    dal_n_cross(d, body->w, s, rate);
    if (v->point)
        dal_n_sum(d, body->rd, rate, rate);
}

/* In the plane, of directions of two bodies: the difference of their angular velocities. */
static dal_node planar_angle_rate(dal_derivation *d, const dal_measure *m)
{
    const int from = d->mechanism->vectors[m->vector[0]].body, to = d->mechanism->vectors[m->vector[2]].body;
    const dal_node zero = dal_n_const(d, 0);
    return dal_n_sub(d, to == DAL_GROUND ? zero : d->bodies[to].w[2], from == DAL_GROUND ? zero : d->bodies[from].w[2]);
}

/* In a tree in space: a product of vectors by their velocities, which is shorter than the derivatives of all entries of R; other measures by
 * differentiation. */
dal_node dal_derive_measure_rate(dal_derivation *d, int measure, int n, const dal_symbolic_marker *near)
{
    const dal_measure *m = &d->mechanism->measures[measure];
    dal_node x[3], y[3], xd[3], yd[3];
    if (d->norm && !d->in_ports && dal_n_planar(d) && m->kind == DAL_MEASURE_ANGLE)
        return planar_angle_rate(d, m);
    if ((dal_n_planar(d) || !d->layout->tree) && !(d->norm && m->kind == DAL_MEASURE_DOT))
        return dal_along_motion(d, dal_derive_measure(d, measure, n, near));
    if (m->kind != DAL_MEASURE_DOT)
        return dal_along_motion(d, dal_derive_measure(d, measure, n, near));
    difference(d, dal_derive_vector, m->vector[0], m->vector[1], n, near, x);
    difference(d, dal_derive_vector, m->vector[2], m->vector[3], n, near, y);
    difference(d, vector_rate, m->vector[0], m->vector[1], n, near, xd);
    difference(d, vector_rate, m->vector[2], m->vector[3], n, near, yd);
    return dal_n_add(d, dal_n_dot(d, xd, y), dal_n_dot(d, x, yd));
}

/* If the joint is in the tree, its coordinate is one of q. */
static dal_node tree_coordinate(dal_derivation *d, int joint, int k)
{
    const dal_tree *tree = d->layout->tree;
    if (!tree || tree->carries[joint] < 0)
        return DAL_NO_NODE;
    const dal_carrier *carrier = &tree->carrier[tree->carrier_of[tree->carries[joint]]];
    for (int i = carrier->step; i < carrier->step + carrier->n_steps; i++)
        if (tree->step[i].coordinate == k && dal_step_coordinates(&tree->step[i]) == 1)
            return dal_n_var(d, d->q + tree->step[i].q);
    return DAL_NO_NODE;
}

dal_node dal_derive_joint_coordinate(dal_derivation *d, int joint, int k)
{
    const dal_joint *j = &d->mechanism->joints[joint];
    const dal_text none = {0};
    const dal_node q = tree_coordinate(d, joint, k);
    if (q != DAL_NO_NODE)
        return q;
    const dal_node zero = dal_derive_constant(d, d->spec->joints[joint].binding, j->zero[k] != 0 ? d->spec->joints[joint].zero : none, j->zero[k]);
    return dal_n_add(d, dal_derive_measure(d, j->coordinate[k], 2, d->markers + 2 * joint), zero);
}
