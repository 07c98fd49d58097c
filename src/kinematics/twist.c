/* Family `twist`: position and attitude, with velocities that are twists (r', w in world axes).
 *
 * The attitude is an angle in the plane, a quaternion in space; q' = N(q) v. It has
 * no intrinsic rows and no singular attitude, so it is what assembly, ranks and
 * reactions are computed in, whatever family the run uses:
 *   J_k = 1_k,   w_b = 0,   e0' = -1/2 e . w,   e' = 1/2 (e0 w + w x e)
 */
#include "kinematics/family.h"
#include "math/rotation.h"
#include "math/vec.h"

static void count_twist(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = particle ? (int)space : space == DAL_PLANAR ? 3 : 7;
    *nv = particle ? (int)space : space == DAL_PLANAR ? 3 : 6;
    *n_intrinsic = 0;
}

static void position_twist(const dal_layout *layout, dal_work *work)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *q = work->q + at->q, *p = q + 3;
        dal_kin *kin = &work->kin[b];
        for (int i = 0; i < space; i++)
            kin->r[i] = q[i];
        if (!at->n_rot)
            continue;
        dal_real *R = kin->R;
        if (space == DAL_PLANAR) {
            R[0] = R[4] = dal_cos(q[2]);
            R[3] = dal_sin(q[2]);
            R[1] = -R[3];
            continue;
        }
        dal_matrix_of(p, R);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                kin->J[i][j] = i == j;
    }
}

static void velocity_twist(const dal_layout *layout, dal_work *work)
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
        if (space == DAL_PLANAR)
            kin->w[2] = v[2];
        else
            dal_copy3(v + 3, kin->w);
        dal_orthonormal_bias(kin);
    }
}

/* The velocities are the twists themselves. */
static void bend_twist(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    for (int i = 0; i < layout->mechanism->n_bodies; i++) {
        dal_zero3(out[i].rb);
        dal_zero3(out[i].wb);
        dal_orthonormal_bend(&work->kin[i], &a->tangent[i], &b->tangent[i], &out[i]);
    }
}

static void rates_twist(const dal_layout *layout, const dal_work *work, dal_real *qd)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        const dal_real *v = work->v + at->v, *p = work->q + at->q + 3;
        dal_real *out = qd + at->q;
        for (int i = 0; i < space; i++)
            out[i] = v[i];
        if (at->n_rot == 1) {
            out[2] = v[2];
        } else if (at->n_rot) {
            const dal_real *w = v + 3;
            dal_real turn[3];
            dal_cross(w, p + 1, turn);
            out[3] = -0.5 * dal_dot(p + 1, w);
            for (int i = 0; i < 3; i++)
                out[4 + i] = 0.5 * (p[0] * w[i] + turn[i]);
        }
    }
}

#ifndef DAL_SCALAR_VARIANT

static void place_twist(const dal_layout *layout, dal_work *work, int b, const double r[3], const double R[9])
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
        dal_quaternion_of(R, q + 3);
}

static void move_twist(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    const int space = (int)layout->mechanism->space, n_rot = layout->body[b].n_rot;
    double *v = work->v + layout->body[b].v;
    for (int i = 0; i < space; i++)
        v[i] = rd[i];
    for (int k = 0; k < n_rot; k++)
        v[space + k] = n_rot == 1 ? w[2] : w[k];
}

/* R := exp([dw x]) R: the quaternion is multiplied from the left by (cos, sin) of half the vector. */
static void add(const dal_layout *layout, double *q, const double *dv)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        double *p = q + at->q;
        const double *d = dv + at->v;
        for (int i = 0; i < space; i++)
            p[i] += d[i];
        if (at->n_rot == 1) {
            p[2] += d[2];
        } else if (at->n_rot) {
            double angle = sqrt(dal_dot(d + 3, d + 3)), k = angle > 1e-9 ? sin(angle / 2) / angle : 0.5;
            double a = cos(angle / 2), u[3] = {k * d[3], k * d[4], k * d[5]}, e0 = p[3], e[3] = {p[4], p[5], p[6]}, turn[3];
            dal_cross(u, e, turn);
            p[3] = a * e0 - dal_dot(u, e);
            for (int i = 0; i < 3; i++)
                p[4 + i] = a * e[i] + e0 * u[i] + turn[i];
        }
    }
}

#endif

const dal_family dal_family_twist = {
    .name = "twist",
    .title = "position and attitude with twists as velocities",
    .count = count_twist,
    .position = position_twist,
    .velocity = velocity_twist,
    .tangent = dal_plain_tangent,
    .bend = bend_twist,
    .inertia = dal_orthonormal_inertia,
    .pull = dal_orthonormal_pull,
    .rates = rates_twist,
#ifndef DAL_SCALAR_VARIANT
    .place = place_twist,
    .move = move_twist,
    .add = add,
#endif
};
