/* Family `angle`: position and one angle in the plane, three Euler angles in space.
 *
 * Space: R = R_a(t1) R_b(t2) R_c(t3) with the axes (a, b, c) of the body's chart,
 *   J_1 = e_a,  J_2 = R_a e_b,  J_3 = R_a R_b e_c,        w = sum J_k t_k'
 *   w_b = t1' t2' J_1 x J_2 + t3' (t1' J_1 + t2' J_2) x J_3
 *   D_a [w of b] = b2 a1 J_1 x J_2 + b3 (a1 J_1 + a2 J_2) x J_3
 *
 * A sequence is singular where J_1 and J_3 are parallel: cos t2 = 0 if a, b, c
 * differ, sin t2 = 0 if c = a. The sequences zyx and zxz are never both near it
 * (one depends on R_zx, the other on R_zz), so that a change between these two always helps.
 */
#include "kinematics/own_columns.h"
#include "math/rotation.h"
#include "math/vec.h"

#include <string.h>

static void count_angle(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = *nv = particle ? (int)space : space == DAL_PLANAR ? 3 : 6;
    *n_intrinsic = 0;
}

static inline void attitude_angle(int space, const int *chart, const dal_real *angle, dal_kin *kin)
{
    if (space == DAL_PLANAR) {
        dal_planar_rotation(angle[0], kin->R);
        return; /* J = e_z */
    }
    for (int i = 0; i < 9; i++)
        kin->R[i] = i % 4 == 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            kin->J[k][i] = kin->R[3 * i + chart[k]];
        dal_turn_columns(kin->R, chart[k], angle[k]);
    }
}

static void position_angle(const dal_layout *layout, dal_work *work)
{
    dal_own_positions(layout, work, attitude_angle);
}

static inline void spin_angle(int space, const dal_real *p, const dal_real *rate, dal_kin *kin)
{
    (void)p;
    if (space == DAL_PLANAR) {
        kin->w[2] = rate[0];
        return;
    }
    dal_real w12[3] = {0}, w[3];
    dal_axpy3(rate[0], kin->J[0], w12);
    dal_cross(kin->J[0], kin->J[1], kin->wb);
    for (int i = 0; i < 3; i++)
        kin->wb[i] *= rate[0] * rate[1];
    dal_axpy3(rate[1], kin->J[1], w12);
    dal_cross(w12, kin->J[2], w);
    dal_axpy3(rate[2], w, kin->wb);
    dal_copy3(w12, kin->w);
    dal_axpy3(rate[2], kin->J[2], kin->w);
}

static void velocity_angle(const dal_layout *layout, dal_work *work)
{
    dal_own_velocities(layout, work, spin_angle);
}

static inline void bend_attitude_angle(const dal_layout *layout, const dal_work *work, int body, const dal_real *x, const dal_real *y,
                                       const dal_tangent *tangent_b, dal_real wb[3])
{
    const dal_kin *kin = &work->kin[body];
    dal_real w12[3], turn[3];
    (void)tangent_b;
    if (layout->body[body].n_rot != 3)
        return;
    dal_cross(kin->J[0], kin->J[1], turn);
    dal_axpy3(y[1] * x[0], turn, wb);
    for (int k = 0; k < 3; k++)
        w12[k] = x[0] * kin->J[0][k] + x[1] * kin->J[1][k];
    dal_cross(w12, kin->J[2], turn);
    dal_axpy3(y[2], turn, wb);
}

static void bend_angle(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    dal_own_bends(layout, work, a, b, out, bend_attitude_angle);
}

#ifndef DAL_SCALAR_VARIANT

static void place_angle(const dal_layout *layout, dal_work *work, int b, const double r[3], const double R[9])
{
    double *angle = dal_place_turn(layout, work, b, r, R);
    if (angle)
        dal_euler_of(R, work->chart + 3 * b, angle);
}

/* w = J t': a 3 x 3 system, J by columns; Cramer's rule through the cross products of the columns. */
static void move_angle(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    double *rate = dal_place_point(layout, b, rd, work->v + layout->body[b].v);
    if (!rate)
        return;
    if (layout->mechanism->space == DAL_PLANAR) {
        rate[0] = w[2];
        return;
    }
    const dal_kin *kin = &work->kin[b];
    double normal[3];
    dal_cross(kin->J[0], kin->J[1], normal);
    double det = dal_dot(normal, kin->J[2]);
    for (int k = 0; k < 3; k++) {
        dal_cross(kin->J[(k + 1) % 3], kin->J[(k + 2) % 3], normal);
        rate[k] = dal_dot(normal, w) / det;
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

const dal_family dal_family_angle = {.name = "angle",
                                     .title = "position and angle; in space three Euler angles that change their sequence before a singular attitude",
                                     .option = "sequence",
                                     .attitude = DAL_OWN_ANGLES,
                                     DAL_FAMILY_OWN_COLUMNS(count_angle, position_angle, velocity_angle, bend_angle, dal_plain_rates),
#ifndef DAL_SCALAR_VARIANT
                                     .condition = condition_angle,
                                     .rechart = rechart_angle,
#endif
                                     DAL_FAMILY_START(place_angle, move_angle, dal_plain_add)};
