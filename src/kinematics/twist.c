/* Family `twist`: position and attitude, with velocities that are twists (r', w in world axes).
 *
 * The attitude is an angle in the plane, a quaternion in space; q' = N(q) v. It has
 * no intrinsic rows and no singular attitude, so that assembly, ranks and reactions use it, independent of the family of the run:
 *   J_k = 1_k,   w_b = 0,   e0' = -1/2 e . w,   e' = 1/2 (e0 w + w x e)
 */
#include "kinematics/own_columns.h"
#include "math/rotation.h"
#include "math/vec.h"

static void count_twist(dal_space space, bool particle, int *nq, int *nv, int *n_intrinsic)
{
    *nq = particle ? (int)space : space == DAL_PLANAR ? 3 : 7;
    *nv = particle ? (int)space : space == DAL_PLANAR ? 3 : 6;
    *n_intrinsic = 0;
}

static inline void attitude_twist(int space, const int *chart, const dal_real *p, dal_kin *kin)
{
    (void)chart;
    if (space == DAL_PLANAR) {
        dal_planar_rotation(p[0], kin->R);
        return;
    }
    dal_matrix_of(p, kin->R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            kin->J[i][j] = i == j;
}

static void position_twist(const dal_layout *layout, dal_work *work)
{
    dal_own_positions(layout, work, attitude_twist);
}

static inline void spin_twist(int space, const dal_real *p, const dal_real *w, dal_kin *kin)
{
    (void)p;
    if (space == DAL_PLANAR)
        kin->w[2] = w[0];
    else
        dal_copy3(w, kin->w);
}

static void velocity_twist(const dal_layout *layout, dal_work *work)
{
    dal_own_velocities(layout, work, spin_twist);
}

/* The velocities are the twists themselves. */
static void bend_twist(const dal_layout *layout, dal_work *work, const dal_direction *a, const dal_direction *b, dal_bend *out)
{
    dal_own_bends(layout, work, a, b, out, NULL);
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
    double *p = dal_place_turn(layout, work, b, r, R);
    if (p)
        dal_quaternion_of(R, p);
}

static void move_twist(const dal_layout *layout, dal_work *work, int b, const double rd[3], const double w[3])
{
    const int n_rot = layout->body[b].n_rot;
    double *turn = dal_place_point(layout, b, rd, work->v + layout->body[b].v);
    for (int k = 0; k < n_rot; k++)
        turn[k] = n_rot == 1 ? w[2] : w[k];
}

/* R := exp([dw x]) R */
static void add_twist(const dal_layout *layout, double *q, const double *dv)
{
    const int space = (int)layout->mechanism->space;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        for (int i = 0; i < space; i++)
            q[at->q + i] += dv[at->v + i];
        if (at->n_rot == 1)
            q[at->q + space] += dv[at->v + space];
        else if (at->n_rot)
            dal_quaternion_turn(q + at->q + space, dv + at->v + space, true);
    }
}

#endif

const dal_family dal_family_twist = {.name = "twist",
                                     .title = "position and attitude with twists as velocities",
                                     DAL_FAMILY_OWN_COLUMNS(count_twist, position_twist, velocity_twist, bend_twist, rates_twist),
                                     DAL_FAMILY_START(place_twist, move_twist, add_twist)};
