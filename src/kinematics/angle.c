/* Family `angle`: position and one angle in the plane, three Euler angles in space.
 *
 * Space: R = R_a(t1) R_b(t2) R_c(t3) with the axes (a, b, c) of the body's chart,
 *   J_1 = e_a,  J_2 = R_a e_b,  J_3 = R_a R_b e_c,        w = sum J_k t_k'
 *   w_b = t1' t2' J_1 x J_2 + t3' (t1' J_1 + t2' J_2) x J_3
 *   D_a [w of b] = b2 a1 J_1 x J_2 + b3 (a1 J_1 + a2 J_2) x J_3
 *
 * A sequence is singular where J_1 and J_3 are parallel: cos t2 = 0 if a, b, c
 * differ, sin t2 = 0 if c = a. The sequences zyx and zxz are never both near it
 * (one looks at R_zx, the other at R_zz), so that a change between these two always helps.
 */
#include "kinematics/family.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <string.h>

static void count_angle(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = *nv = particle ? (int)space : space == DAL_PLANAR ? 3 : 6;
    *n_intrinsic = 0;
}

/* R := R rotation about its own axis `axis`: two columns are mixed. */
static void turn_columns_angle(dal_real R[9], int axis, dal_real angle)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    dal_real c = dal_cos(angle), s = dal_sin(angle);
    for (int k = 0; k < 3; k++) {
        dal_real x = R[3 * k + i], y = R[3 * k + j];
        R[3 * k + i] = c * x + s * y;
        R[3 * k + j] = c * y - s * x;
    }
}

static void position_angle(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *q = work->q + at->q;
        dal_kin *kin = &work->kin[b];
        for (int i = 0; i < space; i++)
            kin->r[i] = q[i];
        if (!at->n_rot)
            continue; /* a particle keeps the identity that it was laid out with */
        if (space == DAL_PLANAR) {
            dal_real c = dal_cos(q[2]), s = dal_sin(q[2]);
            kin->R[0] = kin->R[4] = c;
            kin->R[1] = -s;
            kin->R[3] = s;
            continue; /* J = e_z */
        }
        const int *axis = work->chart + 3 * b;
        for (int i = 0; i < 9; i++)
            kin->R[i] = i % 4 == 0;
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++)
                kin->J[k][i] = kin->R[3 * i + axis[k]];
            turn_columns_angle(kin->R, axis[k], q[3 + k]);
        }
    }
}

static void velocity_angle(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *v = work->v + at->v;
        dal_kin *kin = &work->kin[b];
        for (int i = 0; i < space; i++)
            kin->rd[i] = v[i];
        if (!at->n_rot)
            continue;
        if (space == DAL_PLANAR) {
            kin->w[2] = v[2];
        } else {
            dal_real w12[3] = {0}, w[3];
            dal_axpy3(v[3], kin->J[0], w12);
            dal_cross(kin->J[0], kin->J[1], kin->wb);
            for (int i = 0; i < 3; i++)
                kin->wb[i] *= v[3] * v[4];
            dal_axpy3(v[4], kin->J[1], w12);
            dal_cross(w12, kin->J[2], w);
            dal_axpy3(v[5], w, kin->wb);
            dal_copy3(w12, kin->w);
            dal_axpy3(v[5], kin->J[2], kin->w);
        }
        dal_orthonormal_bias(kin);
    }
}

static void bend_angle(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        const dal_body_layout *at = &layout->body[i];
        const dal_kin *kin = &work->kin[i];
        dal_zero3(out[i].rb);
        dal_zero3(out[i].wb);
        if (at->n_rot == 3) {
            const dal_real *x = a->a + at->v + 3, *y = b->a + at->v + 3;
            dal_real w12[3], turn[3];
            dal_cross(kin->J[0], kin->J[1], turn);
            dal_axpy3(y[1] * x[0], turn, out[i].wb);
            for (int k = 0; k < 3; k++)
                w12[k] = x[0] * kin->J[0][k] + x[1] * kin->J[1][k];
            dal_cross(w12, kin->J[2], turn);
            dal_axpy3(y[2], turn, out[i].wb);
        }
        dal_orthonormal_bend(kin, &a->tangent[i], &b->tangent[i], &out[i]);
    }
}

#ifndef DAL_SCALAR_VARIANT

static void place_angle(const dal_layout *layout, dal_work *work, int b, const double r[3], const double R[9])
{
    const int space = (int)layout->mechanism->space;
    double *q = work->q + layout->body[b].q;
    for (int i = 0; i < space; i++)
        q[i] = r[i];
    if (!layout->body[b].n_rot)
        return;
    if (space == DAL_PLANAR)
        q[2] = atan2(R[3], R[0]);
    else
        dal_euler_of(R, work->chart + 3 * b, q + 3);
}

/* w = J t': a 3 x 3 system, J by columns; Cramer's rule through the cross products of the columns. */
static void move_angle(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    const int space = (int)layout->mechanism->space;
    double *v = work->v + layout->body[b].v;
    for (int i = 0; i < space; i++)
        v[i] = rd[i];
    if (!layout->body[b].n_rot)
        return;
    if (space == DAL_PLANAR) {
        v[2] = w[2];
        return;
    }
    const dal_kin *kin = &work->kin[b];
    double normal[3];
    dal_cross(kin->J[0], kin->J[1], normal);
    double det = dal_dot(normal, kin->J[2]);
    for (int k = 0; k < 3; k++) {
        dal_cross(kin->J[(k + 1) % 3], kin->J[(k + 2) % 3], normal);
        v[3 + k] = dal_dot(normal, w) / det;
    }
}

static double condition_angle(const dal_layout *layout, const dal_work *work, int b)
{
    if (layout->mechanism->space == DAL_PLANAR || !layout->body[b].n_rot)
        return 1;
    const int *axis = work->chart + 3 * b;
    double middle = work->q[layout->body[b].q + 4];
    return fabs(axis[0] == axis[2] ? sin(middle) : cos(middle));
}

/* The attitude and the twist stay; the angles and their rates are those of the other sequence. */
static void rechart_angle(const dal_layout *layout, dal_work *work, int b)
{
    static const int zyx[3] = {2, 1, 0}, zxz[3] = {2, 0, 2};
    int *axis = work->chart + 3 * b;
    double R[9], r[3], rd[3], w[3];
    position_angle(layout, work);
    velocity_angle(layout, work);
    memcpy(R, work->kin[b].R, sizeof R);
    memcpy(r, work->kin[b].r, sizeof r);
    memcpy(rd, work->kin[b].rd, sizeof rd);
    memcpy(w, work->kin[b].w, sizeof w);
    memcpy(axis, memcmp(axis, zyx, sizeof zyx) ? zyx : zxz, sizeof zyx);
    place_angle(layout, work, b, r, R);
    position_angle(layout, work);
    move_angle(layout, work, b, rd, w);
}

#endif

const dal_family dal_family_angle = {
    .name = "angle",
    .title = "position and angle; in space three Euler angles that change their sequence before a singular attitude",
    .count = count_angle,
    .position = position_angle,
    .velocity = velocity_angle,
    .tangent = dal_plain_tangent,
    .bend = bend_angle,
    .inertia = dal_orthonormal_inertia,
    .pull = dal_orthonormal_pull,
    .rates = dal_plain_rates,
#ifndef DAL_SCALAR_VARIANT
    .place = place_angle,
    .move = move_angle,
    .add = dal_plain_add,
    .condition = condition_angle,
    .rechart = rechart_angle,
#endif
};
