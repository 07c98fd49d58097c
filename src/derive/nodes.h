/* Arithmetic on nodes: scalars, vectors of three, matrices by rows. */
#ifndef DAL_DERIVE_NODES_H
#define DAL_DERIVE_NODES_H

#include "derive/derive.h"

/* Nodes of the derivation: constant, sum, difference, product, quotient, sign, variable. */
static inline dal_node dal_n_const(dal_derivation *d, double value)
{
    return dal_const(d->graph, value);
}

/* a + b */
static inline dal_node dal_n_add(dal_derivation *d, dal_node a, dal_node b)
{
    return dal_binary(d->graph, DAL_OP_ADD, a, b);
}

/* a - b */
static inline dal_node dal_n_sub(dal_derivation *d, dal_node a, dal_node b)
{
    return dal_binary(d->graph, DAL_OP_SUB, a, b);
}

/* a b */
static inline dal_node dal_n_mul(dal_derivation *d, dal_node a, dal_node b)
{
    return dal_binary(d->graph, DAL_OP_MUL, a, b);
}

/* a / b */
static inline dal_node dal_n_div(dal_derivation *d, dal_node a, dal_node b)
{
    return dal_binary(d->graph, DAL_OP_DIV, a, b);
}

/* -a */
static inline dal_node dal_n_neg(dal_derivation *d, dal_node a)
{
    return dal_unary(d->graph, DAL_OP_NEG, a);
}

/* Variable i. */
static inline dal_node dal_n_var(dal_derivation *d, int letter)
{
    return dal_var(d->graph, letter);
}

/* Is the node this constant? */
static inline bool dal_n_is(const dal_derivation *d, dal_node node, double value)
{
    double constant;
    return dal_is_const(d->graph, node, &constant) && constant == value;
}

/* a . b of three nodes each */
static inline dal_node dal_n_dot(dal_derivation *d, const dal_node a[3], const dal_node b[3])
{
    dal_node sum = dal_n_mul(d, a[0], b[0]);
    for (int i = 1; i < 3; i++)
        sum = dal_n_add(d, sum, dal_n_mul(d, a[i], b[i]));
    return sum;
}

/* out = a x b */
static inline void dal_n_cross(dal_derivation *d, const dal_node a[3], const dal_node b[3], dal_node out[3])
{
    dal_node c[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = dal_n_sub(d, dal_n_mul(d, a[j], b[k]), dal_n_mul(d, a[k], b[j]));
    }
    for (int i = 0; i < 3; i++)
        out[i] = c[i];
}

/* out = a + b */
static inline void dal_n_sum(dal_derivation *d, const dal_node a[3], const dal_node b[3], dal_node out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dal_n_add(d, a[i], b[i]);
}

/* out = R s */
static inline void dal_n_turn(dal_derivation *d, const dal_node R[9], const dal_node s[3], dal_node out[3])
{
    dal_node x[3];
    for (int i = 0; i < 3; i++)
        x[i] = dal_n_dot(d, R + 3 * i, s);
    for (int i = 0; i < 3; i++)
        out[i] = x[i];
}

/* out = R^T s */
static inline void dal_n_turn_back(dal_derivation *d, const dal_node R[9], const dal_node s[3], dal_node out[3])
{
    dal_node x[3];
    for (int i = 0; i < 3; i++) {
        const dal_node column[3] = {R[i], R[3 + i], R[6 + i]};
        x[i] = dal_n_dot(d, column, s);
    }
    for (int i = 0; i < 3; i++)
        out[i] = x[i];
}

/* out = A B, or A B^T */
static inline void dal_n_multiply(dal_derivation *d, const dal_node A[9], const dal_node B[9], bool transposed, dal_node out[9])
{
    dal_node C[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const dal_node column[3] = {B[transposed ? 3 * k : k], B[transposed ? 3 * k + 1 : 3 + k], B[transposed ? 3 * k + 2 : 6 + k]};
            C[3 * i + k] = dal_n_dot(d, A + 3 * i, column);
        }
    for (int i = 0; i < 9; i++)
        out[i] = C[i];
}

/* The unit matrix. */
static inline void dal_n_identity(dal_derivation *d, dal_node R[9])
{
    for (int i = 0; i < 9; i++)
        R[i] = dal_n_const(d, i % 4 == 0);
}

/* A turn about an axis (0, 1, 2). */
static inline void dal_n_rotation(dal_derivation *d, int axis, dal_node angle, dal_node R[9])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const bool back = dal_node_op(d->graph, angle) == DAL_OP_NEG;
    dal_node positive[3] = {angle};
    if (back)
        dal_node_operands(d->graph, angle, positive);
    const dal_node sine = dal_unary(d->graph, DAL_OP_SIN, positive[0]);
    dal_n_identity(d, R);
    R[3 * i + i] = R[3 * j + j] = dal_unary(d->graph, DAL_OP_COS, positive[0]);
    R[3 * j + i] = back ? dal_n_neg(d, sine) : sine;
    R[3 * i + j] = back ? sine : dal_n_neg(d, sine);
}

/* Is the model planar? */
static inline bool dal_n_planar(const dal_derivation *d)
{
    return d->mechanism->space == DAL_PLANAR;
}

#endif
