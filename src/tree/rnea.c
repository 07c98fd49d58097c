/* RNEA, the recursive Newton-Euler algorithm: inverse dynamics q, v, v' -> tau.
 *
 * Forward (link_motion.h): the motion of each link, and the wrench (n, f) of the link alone. Backward (J. Luh, M. Walker, R. Paul,
 * On-line computational scheme for mechanical manipulators, 1980):
 *     tau = A a.n + L a.f,   f_p += f,   n_p += n + d x f
 * I alpha + w x (I w) is computed in the link's axes, where I' is six constants.
 */
#include "tree/link_motion.h"

/* ---- forward kinematics ---------------------------------------------------------------- */

void DAL_KERNEL(dal_forward_kinematics)(const dal_links *links, dal_links_work *work, const double *q)
{
    reset_ground(work);
    joint_sincos(links, work, q);
    for (int i = 0; i < links->n; i++) {
        const dal_link *link = &links->link[i];
        v4 R[3], d;
        link_pose(link, link->kind, &work->motion[link->parent], q + link->q, work->sine[i], work->cosine[i], R, &d);
        store_pose(&work->motion[link->parent], &work->motion[i], R, d);
    }
}

/* ---- forward: motions and wrenches ------------------------------------------------------ */

/* I' x in the link's axes, from six numbers: xx yy zz xy yz xz. */
V4_INLINE v4 inertia_times(const double I[6], v4 x)
{
    const v4 diagonal = v4_load(I), off = v4_load(I + 3);
    const v4 x_yzx = V4_YZX(x), x_zxy = V4_YZX(x_yzx), off_zxy = __builtin_shufflevector(off, off, 2, 0, 1, 3);
    return diagonal * x + off * x_yzx + off_zxy * x_zxy;
}

V4_INLINE void newton_euler_link(const dal_link *link, const v4 R[3], v4 w, v4 alpha, v4 acc, v4 *f, v4 *n)
{
    v4 rows[3];
    v4_transpose(R, rows);
    const v4 s = v4_times(R, link->moment), w_own = v4_mul(rows, w), alpha_own = v4_mul(rows, alpha);
    const v4 own = inertia_times(link->inertia, alpha_own) + v4_cross(w_own, inertia_times(link->inertia, w_own));
    newton_force(link, s, w, alpha, acc, f, n);
    *n += v4_mul(R, own);
}

V4_INLINE void rnea_forward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q,
                                const double *v, const double *vd)
{
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        v4 R[3], d, w, rd, alpha, acc, f, n;
        link_pose(link, kind, parent, q + link->q, work->sine[i], work->cosine[i], R, &d);
        store_pose(parent, m, R, d);
        propagate_motion(link, kind, parent, R, d, v + link->v, vd ? vd + link->v : NULL, &w, &rd, &alpha, &acc);
        v4_store(m->w, w);
        v4_store(m->rd, rd);
        v4_store(m->alpha, alpha);
        v4_store(m->a, acc);
        newton_euler_link(link, R, w, alpha, acc, &f, &n);
        v4_store(work->wrench[i].f, f);
        v4_store(work->wrench[i].n, n);
    }
}

void DAL_KERNEL(dal_rnea_forward)(const dal_links *links, dal_links_work *work, const double *q, const double *v, const double *vd)
{
    reset_ground(work);
    joint_sincos(links, work, q);
#define CALL(kind) rnea_forward_run(links, work, run, kind, q, v, vd)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}

/* ---- backward: joint forces ------------------------------------------------------------- */

V4_INLINE void rnea_backward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, double *tau)
{
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *m = &work->motion[i];
        dal_link_wrench *parent = &work->wrench[link->parent];
        const v4 f = v4_load(work->wrench[i].f), n = v4_load(work->wrench[i].n), a = v4_load(m->R[2]), d = v4_load(m->d);
        if (kind == DAL_LINK_TURN)
            tau[link->v] = v4_dot(a, n);
        else if (kind == DAL_LINK_SHIFT)
            tau[link->v] = v4_dot(a, f);
        else if (kind == DAL_LINK_SCREW)
            tau[link->v] = v4_dot(a, n) + link->pitch * v4_dot(a, f);
        else {
            v4 R[3];
            load3(m->R[0], R);
            into_link_axes(R, n, tau + link->v + (kind == DAL_LINK_FREE ? 3 : 0));
            for (int k = 0; kind == DAL_LINK_FREE && k < 3; k++)
                tau[link->v + k] = f[k];
        }
        v4_store(parent->f, v4_load(parent->f) + f);
        v4_store(parent->n, v4_load(parent->n) + n + v4_cross(d, f));
    }
}

void DAL_KERNEL(dal_rnea_backward)(const dal_links *links, dal_links_work *work, double *tau)
{
#define CALL(kind) rnea_backward_run(links, work, run, kind, tau)
    FOR_RUNS_BACKWARD(links, CALL)
#undef CALL
}
