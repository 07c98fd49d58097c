/* Shared by joint_equations.c, which reads equations of joint types, and joint_vectors.c, which makes measures of their vectors. */
#ifndef DAL_COMPILE_JOINT_VECTORS_H
#define DAL_COMPILE_JOINT_VECTORS_H

#include "compile/joint_types.h"

/* Components of a vector; a + b; a constant; a node as a value. */
static inline int dal_equation_dimension(const dal_equation_scope *scope)
{
    return (int)scope->build->spec->space;
}

static inline dal_node dal_equation_plus(dal_equation_scope *scope, dal_node a, dal_node b)
{
    return dal_binary(scope->build->graph, DAL_OP_ADD, a, b);
}

static inline dal_node dal_equation_number(dal_equation_scope *scope, double value)
{
    return dal_const(scope->build->graph, value);
}

static inline dal_value dal_equation_scalar(dal_node node)
{
    return (dal_value){1, {node, DAL_NO_NODE, DAL_NO_NODE}, 0};
}

/* ---- joint_vectors.c ------------------------------------------------------------------------- */

/* A measure, or its rate. */
dal_node dal_equation_signal(dal_equation_scope *scope, int measure, int order);
/* The angle of the frame `second` against `first`, of the sides of the joint: a measure. */
int dal_vectors_angle(dal_equation_scope *scope, int first, int second);
/* The products of vectors, for a parser; false: an operand is not a sum of vectors. */
bool dal_vectors_multiply(void *user, dal_vector_function function, int n, const dal_value *v, dal_value *value);
/* A vector by its components in measures, as far as it is a sum of vectors. */
dal_value dal_vectors_written_out(dal_equation_scope *scope, const dal_value *value);
/* For dal_substitute: components of single vectors become measures. */
dal_node dal_vectors_by_components(void *user, dal_graph *graph, int variable);

#endif
