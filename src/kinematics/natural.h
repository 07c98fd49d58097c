/* What the family `natural` and its eliminated form share: the coordinates (r, columns of R) of one body, space or space (1 + space) of them. */
#ifndef DAL_KINEMATICS_NATURAL_H
#define DAL_KINEMATICS_NATURAL_H

#include "kinematics/family.h"
#include "math/vec.h"

enum { DAL_MOST_NATURAL = 12 }; /* coordinates of a body */

/* The columns whose scalar products are the intrinsic rows, in their order: 3 in the plane, 6 in space. */
static const int dal_natural_pairs[6][2] = {{0, 0}, {1, 1}, {0, 1}, {2, 2}, {1, 2}, {2, 0}};

/* Number of natural coordinates of a body. */
static inline int dal_natural_count(dal_space space, bool particle)
{
    return (int)space * (particle ? 1 : 1 + (int)space);
}

/* Number of intrinsic rows of a body. */
static inline int dal_natural_rows(dal_space space, bool particle)
{
    return particle ? 0 : space == DAL_PLANAR ? 3 : 6;
}

/* Coordinates (r, columns) -> vector and matrix. */
static inline void dal_natural_unpack(int space, bool turns, const dal_real *q, dal_real r[3], dal_real R[9])
{
    for (int i = 0; i < space; i++)
        r[i] = q[i];
    if (turns)
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++)
                R[3 * i + k] = q[space + space * k + i];
}

/* w = 1/2 sum over columns of R_k x R_k'. */
static inline void dal_natural_spin(int space, const dal_real R[9], const dal_real Rd[9], dal_real w[3])
{
    dal_real sum[3] = {0};
    for (int k = 0; k < space; k++) {
        const dal_real e[3] = {R[k], R[3 + k], R[6 + k]}, ed[3] = {0.5 * Rd[k], 0.5 * Rd[3 + k], 0.5 * Rd[6 + k]};
        dal_add_cross(e, ed, sum);
    }
    dal_copy3(sum, w);
}

/* A force at r and a moment, as a covector of the coordinates: <G, R'> = moment . w for R' = [w x] R holds with G = 1/2 [moment x] R (in the
 * plane, where only two columns move, as well). Adds it to out. */
static inline void dal_natural_pull(int space, bool turns, const dal_real R[9], const dal_real force[3], const dal_real moment[3], dal_real *out)
{
    for (int i = 0; i < space; i++)
        out[i] += force[i];
    if (!turns)
        return;
    dal_real G[9];
    dal_cross33(moment, R, G);
    for (int k = 0; k < space; k++)
        for (int i = 0; i < space; i++)
            out[space + space * k + i] += 0.5 * G[3 * i + k];
}

/* dx/dq of a vector is constant: adds a multiple of the gradient g, that is (g, g s_1, g s_2, g s_3), without z in the plane. */
static inline void dal_natural_scatter(const dal_vector *vector, int space, bool turns, dal_real coef, const dal_real g[3], dal_real *out)
{
    if (vector->point)
        for (int i = 0; i < space; i++)
            out[i] += coef * g[i];
    if (turns)
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++)
                out[space + space * k + i] += coef * vector->s[k] * g[i];
}

/* Adds a multiple of the gradient of intrinsic row i of a body: of the product of two columns of R. */
static inline void dal_natural_intrinsic(int space, const dal_real R[9], int i, dal_real factor, dal_real *out)
{
    const int a = dal_natural_pairs[i][0], c = dal_natural_pairs[i][1];
    for (int k = 0; k < space; k++) {
        out[space + space * a + k] += factor * R[3 * k + c];
        out[space + space * c + k] += factor * R[3 * k + a];
    }
}

/* Vector and matrix -> coordinates (r, columns). */
static inline void dal_natural_pack(int space, bool turns, const dal_real r[3], const dal_real R[9], dal_real *q)
{
    for (int i = 0; i < space; i++)
        q[i] = r[i];
    if (turns)
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++)
                q[space + space * k + i] = R[3 * i + k];
}

#ifndef DAL_SCALAR_VARIANT

/* The mass matrix of a body is mu x 1, (55)-(57) of `natural-absolute-coordinates`, corrected: mu has a row and a column for r and for each
 * column of R,
 *     mu = [ m     sym ]
 *          [ m c   J   ],    J = 1/2 tr(I) 1 - I + m c c^T. */
static inline void dal_natural_moments(dal_space space, const dal_body *body, double mu[16])
{
    const double *I = body->inertia, *c = body->center, trace = I[0] + I[4] + I[8];
    const int n = 1 + (int)space;
    mu[0] = body->mass;
    for (int k = 0; k < (int)space; k++) {
        mu[1 + k] = mu[n * (1 + k)] = body->mass * c[k];
        for (int l = 0; l < (int)space; l++) {
            const double J = space == DAL_PLANAR ? (k == l) * I[8] / 2 : (k == l) * trace / 2 - I[3 * k + l];
            mu[n * (1 + k) + 1 + l] = J + body->mass * c[k] * c[l];
        }
    }
}

#endif

#endif
