/* Family `natural`: position and direction cosines (`natural-absolute-coordinates`).
 *
 * q = (r, alpha, beta) in the plane, (r, alpha, beta, gamma) in space: the columns
 * of R are coordinates themselves, x = S q is linear (11), and nothing is left of
 * the velocity terms: R_b = 0, h = 0 (60).
 *
 * Mass matrix (55), corrected, with the second moments J = integral rho x x^T about r:
 *   [ m 1          sym
 *     m c_i 1      J_ij 1 ],   J = 1/2 tr(I) 1 - I + m c c^T    (56) in three dimensions.
 * A planar body has one inertia; the split J_xx = J_yy = I_zz / 2 gives the same
 * motion as any other. M is constant and computed once. It is singular where
 * 1/2 tr(I) 1 - I is (rods, plates, the symmetric top): see udwadia_kalaba.c for what completes it.
 *
 * Intrinsic rows (20)-(25): alpha.alpha - 1, beta.beta - 1, alpha.beta, and in space gamma.gamma - 1,
 * beta.gamma, gamma.alpha; gamma of a product u.w is -2 u'.w'.
 */
#include "kinematics/family.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <string.h>

static const int pairs[6][2] = {{0, 0}, {1, 1}, {0, 1}, {2, 2}, {1, 2}, {2, 0}};

static void count_natural(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = *nv = (int)space * (particle ? 1 : 1 + (int)space);
    *n_intrinsic = particle ? 0 : space == DAL_PLANAR ? 3 : 6;
}

/* Coordinates (r, columns) -> vector and matrix. */
static void unpack_natural(int space, int n_rot, const dal_real *q, dal_real r[3], dal_real R[9])
{
    for (int i = 0; i < space; i++)
        r[i] = q[i];
    if (n_rot)
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++)
                R[3 * i + k] = q[space + space * k + i];
}

/* w = 1/2 sum over columns of R_k x R_k'. */
static inline void spin_of_natural(int space, const dal_real R[9], const dal_real Rd[9], dal_real w[3])
{
    dal_real sum[3] = {0};
    for (int k = 0; k < space; k++) {
        const dal_real e[3] = {R[k], R[3 + k], R[6 + k]}, ed[3] = {0.5 * Rd[k], 0.5 * Rd[3 + k], 0.5 * Rd[6 + k]};
        dal_add_cross(e, ed, sum);
    }
    dal_copy3(sum, w);
}

static void position_natural(const dal_layout *layout, dal_work *work)
{
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        unpack_natural((int)layout->mechanism->space, at->n_rot, work->q + at->q, work->kin[b].r, work->kin[b].R);
    }
}

/* w = 1/2 sum over columns of R_k x R_k', for forces and channels that speak of angular velocity; in the plane both
 * columns give w_z, in space each column misses its own direction. */
static void velocity_natural(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        dal_kin *kin = &work->kin[b];
        unpack_natural(space, at->n_rot, work->v + at->v, kin->rd, kin->Rd);
        if (at->n_rot)
            spin_of_natural(space, kin->R, kin->Rd, kin->w);
    }
}

static void tangent_natural(const dal_layout *layout, dal_work *work, const dal_direction *direction)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        dal_tangent *out = &direction->tangent[b];
        memset(out, 0, sizeof *out);
        unpack_natural(space, at->n_rot, direction->a + at->v, out->rd, out->Rd);
        if (at->n_rot)
            spin_of_natural(space, work->kin[b].R, out->Rd, out->w);
    }
}

/* x = S q: only the angular velocity, made of R and R', changes. */
static void bend_natural(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    const int space = (int)layout->mechanism->space;
    (void)work;
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        memset(&out[i], 0, sizeof out[i]);
        if (layout->body[i].n_rot)
            spin_of_natural(space, a->tangent[i].Rd, b->tangent[i].Rd, out[i].wb);
    }
}

static void intrinsic_natural(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *q = work->q + at->q + space;
        for (int i = 0; i < at->n_intrinsic; i++) {
            const int row = at->intrinsic + i, a = space * pairs[i][0], c = space * pairs[i][1];
            dal_real *A = work->A + layout->row[row].value, dot = 0;
            for (int k = 0; k < at->nv; k++)
                A[k] = 0;
            for (int k = 0; k < space; k++) {
                A[space + a + k] += q[c + k];
                A[space + c + k] += q[a + k];
                dot += q[a + k] * q[c + k];
            }
            work->phi[row] = dot - (a == c);
        }
    }
}

static void intrinsic_bias_natural(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *q = work->q + at->q + space, *v = work->v + at->v + space;
        for (int i = 0; i < at->n_intrinsic; i++) {
            const int a = space * pairs[i][0], c = space * pairs[i][1];
            dal_real rate = 0, square = 0;
            for (int k = 0; k < space; k++) {
                rate += q[a + k] * v[c + k] + q[c + k] * v[a + k];
                square += v[a + k] * v[c + k];
            }
            work->phid[at->intrinsic + i] = rate;
            work->gamma[at->intrinsic + i] = -2 * square;
        }
    }
}

static void intrinsic_bend_natural(const dal_layout *layout, const dal_real *a, const dal_real *b, dal_real *out)
{
    const int space = (int)layout->mechanism->space;
    for (int j = 0; j < layout->mechanism->n_bodies; j++) {
        const dal_body_layout *at = &layout->body[j];
        const dal_real *x = a + at->v + space, *y = b + at->v + space;
        for (int i = 0; i < at->n_intrinsic; i++) {
            const int m = space * pairs[i][0], n = space * pairs[i][1];
            dal_real sum = 0;
            for (int k = 0; k < space; k++)
                sum += x[m + k] * y[n + k] + x[n + k] * y[m + k];
            out[at->intrinsic + i] = sum;
        }
    }
}

static void inertia_natural(const dal_layout *layout, dal_work *work)
{
    for (int i = 0; i < layout->n_mass; i++)
        work->M[i] = layout->constant_mass[i];
    for (int i = 0; i < layout->nv; i++)
        work->h[i] = 0;
}

/* A force at r and a moment: <G, R'> = moment . w for R' = [w x] R holds with G = 1/2 [moment x] R (in the plane, where
 * only two columns move, as well). */
static void pull_natural(const dal_layout *layout, const dal_work *work, int body, const dal_real force[3], const dal_real moment[3], dal_real *out)
{
    const int space = (int)layout->mechanism->space;
    for (int i = 0; i < space; i++)
        out[i] += force[i];
    if (!layout->body[body].n_rot)
        return;
    dal_real G[9];
    dal_cross33(moment, work->kin[body].R, G);
    for (int k = 0; k < space; k++)
        for (int i = 0; i < space; i++)
            out[space + space * k + i] += 0.5 * G[3 * i + k];
}

#ifndef DAL_SCALAR_VARIANT

/* Vector and matrix -> coordinates (r, columns). */
static void pack_natural(int space, int n_rot, const double r[3], const double R[9], double *q)
{
    for (int i = 0; i < space; i++)
        q[i] = r[i];
    if (n_rot)
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++)
                q[space + space * k + i] = R[3 * i + k];
}

static void place_natural(const dal_layout *layout, dal_work *work, int b, const double r[3], const double R[9])
{
    const dal_body_layout *at = &layout->body[b];
    pack_natural((int)layout->mechanism->space, at->n_rot, r, R, work->q + at->q);
}

static void move_natural(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    const dal_body_layout *at = &layout->body[b];
    double Rd[9];
    dal_cross33(w, work->kin[b].R, Rd);
    pack_natural((int)layout->mechanism->space, at->n_rot, rd, Rd, work->v + at->v);
}

#endif

const dal_family dal_family_natural = {
    .name = "natural",
    .title = "position and direction cosines: constant mass matrix, no velocity terms, 3 or 6 intrinsic constraints a body",
    .separated = true,
    .count = count_natural,
    DAL_FAMILY_MOTION(position_natural, velocity_natural, tangent_natural, bend_natural),
    DAL_FAMILY_INTRINSIC(intrinsic_natural, intrinsic_bias_natural, intrinsic_bend_natural),
    DAL_FAMILY_INERTIA(inertia_natural, pull_natural, dal_plain_rates),
    DAL_FAMILY_START(place_natural, move_natural, dal_plain_add)};
