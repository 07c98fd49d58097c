/* Natural coordinates with linear rows eliminated (`natural-absolute-coordinates` (11): x = S q).
 *
 * Every material vector is linear in q. So a row that multiplies it by a constant vector (points that coincide, a point or an axis against
 * the ground) is linear with constant coefficients:
 *     C q = d.
 * It is solved once, when the model is compiled, for as many coordinates as there are independent rows:
 *     q = B z + b,    C B = 0,  C b = d,
 * where z are the remaining coordinates, each under its own name. The remaining equations are those of the family `natural` in z:
 *     B^T M B z'' = B^T Q + (A B)^T lambda,    (A B) z'' = gamma
 * with M' = B^T M B constant again. Multipliers mu of the eliminated rows follow from the equations of the bodies:
 *     C^T mu = rho = M B z'' - Q - A^T lambda,    mu = E^T rho at the coordinates that were solved for,
 * with E the inverse of C at these coordinates.
 *
 * Rows that depend on those that were eliminated, or nearly so, stay rows: A B is zero there, and the rank of the rows is found as in every
 * family. Bodies that eliminated rows connect have one block of M' together, which is dense. Where the equations are too many for a dense
 * solution, only pairs of bodies are connected so, and the other rows stay: sparsity is worth more than fewer unknowns, and the work grows
 * linearly with the number of bodies.
 */
#ifndef DAL_KINEMATICS_REDUCTION_H
#define DAL_KINEMATICS_REDUCTION_H

#include "base/block.h"
#include "kinematics/natural.h"

struct dal_reduction {
    int n_bodies, n_natural; /* natural coordinates of all bodies */
    int *natural;            /* of each body: its first one; and the end */
    int *first, n_entries;   /* of each: its entries of B; and the end */
    int *column;             /* of each entry: the column of z */
    int *local;              /* and its number among the columns of the body */
    double *coef;            /* and the number itself */
    double *constant;        /* b */
    int n_left, *left;       /* of each column of z: the natural coordinate that it is */
    int *left_body;          /* and its body */
    int n_groups, *group;    /* bodies that eliminated rows connect: their first columns; and the end */
    int *body_block;         /* of each body: its block of M', or -1: nothing of it is left */
    double (*moments)[16];   /* of each body: dal_natural_moments */
    int n_held, *held;       /* rows of the mechanism that were eliminated */
    int *solved;             /* and the natural coordinate that each was solved for */
    int *held_at;            /* of each row of the mechanism: its number among them, or -1 */
    int n_rows, n_forces;    /* of the mechanism; entries of E^T */
    int *force_first;        /* of each held row: its entries of E^T; and the end */
    int *force_from;         /* of each entry: the number of the held row whose coordinate it multiplies */
    double *force;           /* and the number itself */
};

/* The natural coordinates of a body: B z + b for affine 1, B z for affine 0. */
static inline void dal_reduced_body(const dal_reduction *e, int body, const dal_real *z, int affine, dal_real *out)
{
    for (int i = e->natural[body]; i < e->natural[body + 1]; i++) {
        dal_real sum = affine * e->constant[i];
        for (int k = e->first[i]; k < e->first[i + 1]; k++)
            sum += e->coef[k] * z[e->column[k]];
        *out++ = sum;
    }
}

/* Adds B^T g of a covector g of the natural coordinates of a body; `map`: where each column of the body is in out. */
static inline void dal_reduced_pull(const dal_reduction *e, int body, const dal_real *g, const int *map, dal_real *out)
{
    for (int i = e->natural[body]; i < e->natural[body + 1]; i++, g++)
        for (int k = e->first[i]; k < e->first[i + 1]; k++)
            out[map[e->local[k]]] += e->coef[k] * *g;
}

/* The column of natural coordinate k of a body; -1: it was solved for. */
static inline int dal_reduced_column(const dal_reduction *e, int body, int k)
{
    const int i = e->natural[body] + k;
    return e->first[i + 1] == e->first[i] + 1 && e->left[e->column[e->first[i]]] == i ? e->column[e->first[i]] : -1;
}

#ifndef DAL_SCALAR_VARIANT

/* Which rows are eliminated, and B. `length`: the model's, a power of two. */
dal_reduction *dal_reduction_build(dal_arena *arena, const dal_mechanism *mechanism, double length);
/* Columns, blocks and M' of a layout. Its extrinsic rows are counted. */
void dal_reduction_columns(dal_arena *arena, dal_layout *layout);
void dal_reduction_mass(dal_layout *layout);
extern const dal_block_array dal_reduction_arrays[];

#endif

/* mu of the held rows. `motion`: accelerations of the bodies, as tangents; NULL: only the part of lambda, without inertia and loads. rho is
 * scratch, of length n_natural. */
#define dal_reduction_multipliers DAL_K(dal_reduction_multipliers)
void dal_reduction_multipliers(const dal_layout *layout, const dal_work *work, const dal_tangent *motion, const dal_real *lambda, dal_real *rho,
                               dal_real *mu);

#endif
