/* Family `euler`: position and Euler parameters p (2 in the plane, 4 in space).
 *
 * R(p) is the rotation of p / |p|, so that it is orthonormal for every p and the
 * Jacobian below is exact also off the unit sphere. With n = p.p, e the vector part:
 *   w   = 2/n (e0 e' - e0' e + e x e')          world axes
 *   J_0 = -2/n e,   J_k = 2/n (e0 1_k + e x 1_k)
 *   w_b = -w 2 (p . p') / n                      (E(p') p' = 0; zero on the sphere)
 *   D_a [w of b] = 2/n (a0 b_v - b0 a_v + a_v x b_v) - w 2 (p . a) / n
 * Intrinsic row: p.p - 1 = 0. The mass matrix has rank 3 of 4 a body (1 of 2 in
 * the plane): p itself is in its null space, and the intrinsic row makes up for it.
 *
 * In the plane p = (e0, e3).
 */
#include "kinematics/own_columns.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <string.h>

static void count_euler(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = *nv = (int)space + (particle ? 0 : space == DAL_PLANAR ? 2 : 4);
    *n_intrinsic = particle ? 0 : 1;
}

/* The four parameters, planar ones filled up with zeros. */
static void fill_up_euler(int space, const dal_real *p, dal_real out[4])
{
    out[0] = p[0];
    out[1] = space == DAL_PLANAR ? 0 : p[1];
    out[2] = space == DAL_PLANAR ? 0 : p[2];
    out[3] = space == DAL_PLANAR ? p[1] : p[3];
}

static inline void attitude_euler(int space, const int *chart, const dal_real *parameters, dal_kin *kin)
{
    (void)chart;
    dal_real p[4];
    fill_up_euler(space, parameters, p);
    dal_real n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], k = 2 / n;
    dal_matrix_of(p, kin->R);
    const dal_real J[4][3] = {
        {-k * p[1], -k * p[2], -k * p[3]}, {k * p[0], k * p[3], -k * p[2]}, {-k * p[3], k * p[0], k * p[1]}, {k * p[2], -k * p[1], k * p[0]}};
    if (space == DAL_PLANAR) {
        dal_copy3(J[0], kin->J[0]);
        dal_copy3(J[3], kin->J[1]);
    } else {
        for (int i = 0; i < 4; i++)
            dal_copy3(J[i], kin->J[i]);
    }
}

static void position_euler(const dal_layout *layout, dal_work *work)
{
    dal_own_positions(layout, work, attitude_euler);
}

static inline void spin_euler(int space, const dal_real *p, const dal_real *pd, dal_kin *kin)
{
    const int n_rot = space == DAL_PLANAR ? 2 : 4;
    dal_real n = 0, ppd = 0;
    dal_zero3(kin->w);
    for (int k = 0; k < n_rot; k++) {
        dal_axpy3(pd[k], kin->J[k], kin->w);
        n += p[k] * p[k];
        ppd += p[k] * pd[k];
    }
    dal_zero3(kin->wb);
    dal_axpy3(-2 * ppd / n, kin->w, kin->wb);
}

static void velocity_euler(const dal_layout *layout, dal_work *work)
{
    dal_own_velocities(layout, work, spin_euler);
}

static inline void bend_attitude_euler(const dal_layout *layout, const dal_work *work, int body, const dal_real *a, const dal_real *b,
                                       const dal_tangent *tangent_b, dal_real wb[3])
{
    const int space = (int)layout->mechanism->space;
    dal_real p[4], x[4], y[4];
    fill_up_euler(space, work->q + layout->body[body].q + space, p);
    fill_up_euler(space, a, x);
    fill_up_euler(space, b, y);
    dal_real n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    dal_real pa = p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3];
    dal_cross(x + 1, y + 1, wb);
    for (int k = 0; k < 3; k++)
        wb[k] = 2 / n * (x[0] * y[1 + k] - y[0] * x[1 + k] + wb[k]);
    dal_axpy3(-2 * pa / n, tangent_b->w, wb);
}

static void bend_euler(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    dal_own_bends(layout, work, a, b, out, bend_attitude_euler);
}

/* phi = p . p - 1 and its row of A, of one body. */
static inline void keep_length(const dal_layout *layout, dal_work *work, const dal_body_layout *at)
{
    const int space = (int)layout->mechanism->space;
    const dal_real *p = work->q + at->q + space;
    dal_real *A = work->A + layout->row[at->intrinsic].value, n = 0;
    for (int k = 0; k < space; k++)
        A[k] = 0;
    for (int k = 0; k < at->n_rot; k++) {
        A[space + k] = 2 * p[k];
        n += p[k] * p[k];
    }
    work->phi[at->intrinsic] = n - 1;
}

static void intrinsic_euler(const dal_layout *layout, dal_work *work)
{
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        if (layout->body[b].n_intrinsic)
            keep_length(layout, work, &layout->body[b]);
}

/* phi' and gamma. */
static inline void keep_length_bias(const dal_layout *layout, dal_work *work, const dal_body_layout *at)
{
    const int space = (int)layout->mechanism->space;
    const dal_real *p = work->q + at->q + space, *pd = work->v + at->v + space;
    dal_real rate = 0, square = 0;
    for (int k = 0; k < at->n_rot; k++) {
        rate += 2 * p[k] * pd[k];
        square += pd[k] * pd[k];
    }
    work->phid[at->intrinsic] = rate;
    work->gamma[at->intrinsic] = -2 * square;
}

static void intrinsic_bias_euler(const dal_layout *layout, dal_work *work)
{
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        if (layout->body[b].n_intrinsic)
            keep_length_bias(layout, work, &layout->body[b]);
}

/* D_a [2 p . b] */
static void intrinsic_bend_euler(const dal_layout *layout, const dal_real *a, const dal_real *b, dal_real *out)
{
    const int space = (int)layout->mechanism->space;
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        const dal_body_layout *at = &layout->body[i];
        if (!at->n_intrinsic)
            continue;
        out[at->intrinsic] = 0;
        for (int k = at->v + space; k < at->v + at->nv; k++)
            out[at->intrinsic] += 2 * a[k] * b[k];
    }
}

#ifndef DAL_SCALAR_VARIANT

static void place_euler(const dal_layout *layout, dal_work *work, int b, const double r[3], const double R[9])
{
    double *out = dal_place_point(layout, b, r, work->q + layout->body[b].q), p[4];
    if (!out)
        return;
    dal_quaternion_of(R, p);
    if (layout->mechanism->space == DAL_PLANAR) {
        out[0] = p[0];
        out[1] = p[3];
    } else {
        memcpy(out, p, sizeof p);
    }
}

/* p' = n/4 J^T w on the sphere: J J^T = 4/n 1, J p = 0. */
static void move_euler(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    const int space = (int)layout->mechanism->space, n_rot = layout->body[b].n_rot;
    double *pd = dal_place_point(layout, b, rd, work->v + layout->body[b].v), n = 0;
    const double *p = work->q + layout->body[b].q + space;
    for (int k = 0; k < n_rot; k++)
        n += p[k] * p[k];
    for (int k = 0; k < n_rot; k++)
        pd[k] = n / 4 * dal_dot(work->kin[b].J[k], w);
}

#endif

const dal_family dal_family_euler = {.name = "euler",
                                     .title = "position and Euler parameters: no singular attitude, one intrinsic constraint per body",
                                     .attitude = DAL_OWN_PARAMETERS,
                                     DAL_FAMILY_OWN_COLUMNS(count_euler, position_euler, velocity_euler, bend_euler, dal_plain_rates),
                                     DAL_FAMILY_INTRINSIC(intrinsic_euler, intrinsic_bias_euler, intrinsic_bend_euler),
                                     DAL_FAMILY_START(place_euler, move_euler, dal_plain_add)};
