/* The forward recursion of RNEA, ABA and CRBA: positions and motions of the links. Included by kernels only (vector.h).
 *
 * World axes, each vector about the origin of its own link. From the ground to the tips, with the parent's quantities under p, d from its
 * origin to the link's, a the axis, x and x' the joint's rate and acceleration (turn: A = 1, L = 0; shift: A = 0, L = 1; screw: A = 1,
 * L = pitch):
 *     w     = w_p + A x a,   r' = r_p' + w_p x d + L x a
 *     alpha = alpha_p + A (x' a + x w_p x a)
 *     acc   = acc_p + alpha_p x d + w_p x (w_p x d) + L (x' a + 2 x w_p x a)                acc of the ground: -g
 * Newton and Euler about the origin, with first moment s = R (m c) and inertia I = R I' R^T:
 *     f = m acc + alpha x s + w x (w x s)
 *     n = I alpha + w x (I w) + s x acc
 */
#ifndef DAL_TREE_LINK_MOTION_H
#define DAL_TREE_LINK_MOTION_H

#include "tree/kernels.h"
#include "tree/sincos.h"
#include "tree/vector.h"

#include <string.h>

/* ---- matrices of three columns -------------------------------------------------------- */

/* Three columns of four numbers. */
V4_INLINE void load3(const double *A, v4 out[3])
{
    for (int j = 0; j < 3; j++)
        out[j] = v4_load(A + 4 * j);
}

V4_INLINE void store3(double A[3][4], const v4 x[3])
{
    for (int j = 0; j < 3; j++)
        v4_store(A[j], x[j]);
}

/* R^T x into three numbers. */
V4_INLINE void into_link_axes(const v4 R[3], v4 x, double *out)
{
    out[0] = v4_dot(R[0], x);
    out[1] = v4_dot(R[1], x);
    out[2] = v4_dot(R[2], x);
}

/* With the factor of factor3 (aba.c). */
V4_INLINE v4 solve3(const double L[6], v4 b)
{
    const double y1 = b[0], y2 = b[1] - L[0] * y1, y3 = b[2] - L[1] * y1 - L[2] * y2;
    const double x3 = y3 * L[5], x2 = y2 * L[4] - L[2] * x3, x1 = y1 * L[3] - L[0] * x2 - L[1] * x3;
    return (v4){x1, x2, x3, 0};
}

/* ---- frames ---------------------------------------------------------------------- */

/* Rotation of a quaternion of any length, as columns. */
V4_INLINE void quaternion(const double *e, v4 R[3])
{
    const double k = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const double x = k * e[1], y = k * e[2], z = k * e[3];
    const double xx = x * e[1], yy = y * e[2], zz = z * e[3], xy = x * e[2], xz = x * e[3], yz = y * e[3];
    const double wx = x * e[0], wy = y * e[0], wz = z * e[0];
    R[0] = v4_of(1 - yy - zz, xy + wz, xz - wy);
    R[1] = v4_of(xy - wz, 1 - xx - zz, yz + wx);
    R[2] = v4_of(xz + wy, yz - wx, 1 - xx - yy);
}

/* R and d of a link against its parent. */
V4_INLINE void link_pose(const dal_link *link, dal_link_kind kind, const dal_link_motion *parent, const double *q, double sine, double cosine,
                         v4 R[3], v4 *d)
{
    v4 P[3];
    if (kind == DAL_LINK_FREE) {
        quaternion(q + 3, R);
        *d = (v4){q[0], q[1], q[2], 0};
        return;
    }
    load3(parent->R[0], P);
    const v4 x = v4_times(P, link->fixed[0]), y = v4_times(P, link->fixed[1]), z = v4_times(P, link->fixed[2]);
    *d = v4_times(P, link->p);
    if (kind == DAL_LINK_BALL) {
        v4 turn[3], fixed[3] = {x, y, z};
        quaternion(q, turn);
        for (int j = 0; j < 3; j++)
            R[j] = v4_mul(fixed, turn[j]);
        return;
    }
    R[2] = z;
    if (kind == DAL_LINK_SHIFT) {
        R[0] = x;
        R[1] = y;
        *d += z * v4_all(q[0]);
        return;
    }
    R[0] = x * v4_all(cosine) + y * v4_all(sine);
    R[1] = y * v4_all(cosine) - x * v4_all(sine);
    if (kind == DAL_LINK_SCREW)
        *d += z * v4_all(link->offset + link->pitch * q[0]);
}

V4_INLINE void store_pose(const dal_link_motion *parent, dal_link_motion *m, const v4 R[3], v4 d)
{
    store3(m->R, R);
    v4_store(m->d, d);
    v4_store(m->r, v4_load(parent->r) + d);
}

/* ---- velocities and accelerations ---------------------------------------------------- */

/* w, alpha and acc, as in the head of this file. */
V4_INLINE void propagate_motion(const dal_link *link, dal_link_kind kind, const dal_link_motion *parent, const v4 R[3], v4 d, const double *v,
                                const double *vd, v4 *w, v4 *rd, v4 *alpha, v4 *acc)
{
    const v4 w_p = v4_load(parent->w), alpha_p = v4_load(parent->alpha);
    *acc = v4_load(parent->a);
    if (kind == DAL_LINK_FREE) {
        *w = v4_times(R, v + 3);
        *rd = (v4){v[0], v[1], v[2], 0};
        *alpha = vd ? v4_times(R, vd + 3) : v4_all(0);
        if (vd)
            *acc += (v4){vd[0], vd[1], vd[2], 0};
        return;
    }
    const v4 carried = v4_cross(w_p, d);
    *rd = v4_load(parent->rd) + carried;
    *acc += v4_cross(alpha_p, d) + v4_cross(w_p, carried);
    if (kind == DAL_LINK_BALL) {
        const v4 own = v4_times(R, v);
        *w = w_p + own;
        *alpha = alpha_p + v4_cross(w_p, own);
        if (vd)
            *alpha += v4_times(R, vd);
        return;
    }
    const v4 rate = v4_all(v[0]), rise = v4_all(vd ? vd[0] : 0), turned = v4_cross(w_p, R[2]) * rate, grown = R[2] * rise;
    *w = w_p;
    *alpha = alpha_p;
    if (kind != DAL_LINK_SHIFT) {
        *w += R[2] * rate;
        *alpha += turned + grown;
    }
    if (kind != DAL_LINK_TURN) {
        const v4 along = v4_all(kind == DAL_LINK_SHIFT ? 1 : link->pitch);
        *rd += R[2] * rate * along;
        *acc += (grown + turned + turned) * along;
    }
}

/* ---- inertia of a link ----------------------------------------------------------------- */

/* I = R I' R^T, by columns. */
V4_INLINE void rotate_inertia(const double I[6], const v4 R[3], const double *stored, v4 out[3])
{
    const v4 W[3] = {R[0] * v4_all(I[0]) + R[1] * v4_all(I[3]) + R[2] * v4_all(I[5]), R[0] * v4_all(I[3]) + R[1] * v4_all(I[1]) + R[2] * v4_all(I[4]),
                     R[0] * v4_all(I[5]) + R[1] * v4_all(I[4]) + R[2] * v4_all(I[2])};
    for (int k = 0; k < 3; k++)
        out[k] = W[0] * v4_all(stored[k]) + W[1] * v4_all(stored[4 + k]) + W[2] * v4_all(stored[8 + k]);
}

/* m acc + alpha x s + w x (w x s), and s x acc; the rest of the moment depends on the axes of I. */
V4_INLINE void newton_force(const dal_link *link, v4 s, v4 w, v4 alpha, v4 acc, v4 *f, v4 *n)
{
    *f = acc * v4_all(link->mass) + v4_cross(alpha, s) + v4_cross(w, v4_cross(w, s));
    *n = v4_cross(s, acc);
}

/* ---- loops over the links ----------------------------------------------------------------- */

/* Store by store: memset of this length is a loop of microcode. */
static inline void reset_ground(dal_links_work *work)
{
    dal_link_motion *m = &work->motion[-1];
    dal_link_wrench *wrench = &work->wrench[-1];
    const v4 unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, zero = v4_all(0);
    store3(m->R, unit);
    v4_store(m->r, zero);
    v4_store(m->d, zero);
    v4_store(m->w, zero);
    v4_store(m->rd, zero);
    v4_store(m->alpha, zero);
    v4_store(m->a, v4_load(work->lift));
    v4_store(wrench->f, zero);
    v4_store(wrench->n, zero);
}

/* Sines and cosines of all angles of turning joints. */
static inline void joint_sincos(const dal_links *links, dal_links_work *work, const double *q)
{
    for (int i = 0; i < links->n_runs; i++) {
        const dal_link_run *run = &links->run[i];
        if (run->kind == DAL_LINK_TURN || run->kind == DAL_LINK_SCREW)
            sincos_many(run->n, q + links->link[run->first].q, work->sine + run->first, work->cosine + run->first);
    }
}

/* One loop a kind of link: no choice inside. */
#define FOR_RUNS_FORWARD(links, call)                                                                                                                \
    for (int k_ = 0; k_ < (links)->n_runs; k_++) {                                                                                                   \
        const dal_link_run *run = &(links)->run[k_];                                                                                                 \
        CALL_OF_KIND(run->kind, call)                                                                                                                \
    }
#define CALL_OF_KIND(run_kind, call)                                                                                                                 \
    switch (run_kind) {                                                                                                                              \
    case DAL_LINK_TURN: call(DAL_LINK_TURN); break;                                                                                                  \
    case DAL_LINK_SHIFT: call(DAL_LINK_SHIFT); break;                                                                                                \
    case DAL_LINK_SCREW: call(DAL_LINK_SCREW); break;                                                                                                \
    case DAL_LINK_BALL: call(DAL_LINK_BALL); break;                                                                                                  \
    default: call(DAL_LINK_FREE); break;                                                                                                             \
    }
#define FOR_RUNS_BACKWARD(links, call)                                                                                                               \
    for (int k_ = (links)->n_runs - 1; k_ >= 0; k_--) {                                                                                              \
        const dal_link_run *run = &(links)->run[k_];                                                                                                 \
        CALL_OF_KIND(run->kind, call)                                                                                                                \
    }

#endif
