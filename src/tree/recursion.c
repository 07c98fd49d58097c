/* The recursions over the links, in world axes, each vector about the origin of its own link.
 *
 * Outwards, with the parent's quantities under p, d from its origin to the link's, a the axis, x and x' the joint's rate and
 * acceleration (turn: A = 1, L = 0; shift: A = 0, L = 1; screw: A = 1, L = pitch):
 *     w     = w_p + A x a,   r' = r_p' + w_p x d + L x a
 *     alpha = alpha_p + A (x' a + x w_p x a)
 *     acc   = acc_p + alpha_p x d + w_p x (w_p x d) + L (x' a + 2 x w_p x a)                acc of the ground: -g
 * Newton and Euler about the origin, with first moment s = R (m c) and inertia I = R I' R^T:
 *     f = m acc + alpha x s + w x (w x s)
 *     n = I alpha + w x (I w) + s x acc
 * Inwards (J. Luh, M. Walker, R. Paul, On-line computational scheme for mechanical manipulators, 1980):
 *     tau = A a.n + L a.f,   f_p += f,   n_p += n + d x f
 *
 * Articulated bodies (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7). The wrenches above, of v' = 0, are the bias; what
 * v' adds is linear: n = I alpha + H acc, f = H^T alpha + M acc. With S = (A a, L a):
 *     U = (I, H; H^T, M) S,   D = S.U,   u = tau - S.(n, f)
 *     (I, H; H^T, M) -= U U^T / D,   (n, f) += U u / D                                   what the parent feels of it
 * moved to the parent's origin, [d] the matrix of d x:
 *     G = H^T - M [d],   M_p += M,   H_p^T += G,   I_p += I + [d] H^T - G^T [d],   f_p += f,   n_p += n + d x f
 * and outwards again, with acc := acc_p + alpha_p x d:
 *     x' = (u - U.(alpha_p, acc)) / D,   alpha = alpha_p + A x' a,   acc += L x' a
 * A ball takes all of alpha: with u = R tau - n,
 *     alpha = I^-1 (u - H acc),   M -= H^T I^-1 H,   f += H^T I^-1 u,   n = R tau,   I = H = 0;   x' = R^T (alpha - alpha_p)
 * A free link is the last one before the ground: its six equations are solved.
 *
 * Composite bodies (M. Walker, D. Orin, 1982): mass m, first moment s and inertia I of all that hangs at a link. A column (A a, L a)
 * moves it with the momentum
 *     f = L m a + A a x s,   n = A I a + L s x a
 * and M_ij = A_j a_j.(n + (r_i - r_j) x f) + L_j a_j.f for the columns j before it: three numbers of an axis, a direction and an origin
 * a column, in arrays, so that four of them are done at once. I of what hangs at d:
 *     I_p += I + (m d.d + 2 d.s) 1 - d (m d + s)^T - s d^T
 */
#include "tree/kernels.h"
#include "tree/vector.h"

#include <math.h>
#include <string.h>

#ifndef DAL_RECURSION
#define DAL_RECURSION dal_recursion_baseline
#define DAL_RECURSION_NAME "baseline"
#define DAL_RECURSION_LOOPS dal_elimination_baseline
#define DAL_RECURSION_SWEEP dal_sweeping_baseline
#endif

/* ---- sine and cosine of many angles --------------------------------------- */

/* Four at once: reduction to [-pi/4, pi/4] by pi/2 in three parts of 33 bits (W. Cody, W. Waite, 1980), exact for k < 2^20; there the
 * polynomials of the C library fdlibm, right to about one unit in the last place. */
V4_INLINE void sincos4(v4 x, v4 *sine, v4 *cosine)
{
    const v4 magic = v4_all(6755399441055744.0); /* 1.5 * 2^52: adding it rounds to an integer, in the low bits */
    v4 shifted = x * v4_all(0.63661977236758134308) + magic;
    m4 k = (m4)shifted;
    v4 n = shifted - magic;
    v4 y = x - n * v4_all(1.57079632673412561417e+00);
    y = y - n * v4_all(6.07710050630396597660e-11);
    y = y - n * v4_all(2.02226624879595063154e-21);
    v4 z = y * y;
    v4 s = z * v4_all(1.58969099521155010221e-10) + v4_all(-2.50507602534068634195e-08);
    s = s * z + v4_all(2.75573137070700676789e-06);
    s = s * z + v4_all(-1.98412698298579493134e-04);
    s = s * z + v4_all(8.33333333332248946124e-03);
    s = s * z + v4_all(-1.66666666666666324348e-01);
    s = y + y * z * s;
    v4 c = z * v4_all(-1.13596475577881948265e-11) + v4_all(2.08757232129817482790e-09);
    c = c * z + v4_all(-2.75573143513906633035e-07);
    c = c * z + v4_all(2.48015872894767294178e-05);
    c = c * z + v4_all(-1.38888888888741095749e-03);
    c = c * z + v4_all(4.16666666666666019037e-02);
    v4 half = z * v4_all(0.5), w = v4_all(1) - half;
    c = w + ((v4_all(1) - w - half) + z * z * c);
    m4 odd = -(k & 1), flip_sine = (k & 2) << 62, flip_cosine = ((k + 1) & 2) << 62;
    *sine = (v4)((((m4)s & ~odd) | ((m4)c & odd)) ^ flip_sine);
    *cosine = (v4)((((m4)c & ~odd) | ((m4)s & odd)) ^ flip_cosine);
}

static const double most_angle = 1e6; /* k < 2^20 */

static void sines(int n, const double *x, double *sine, double *cosine)
{
    int i = 0;
    v4 s, c;
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    if (!(most < most_angle)) {
        for (; i < n; i++)
            sincos(x[i], &sine[i], &cosine[i]);
        return;
    }
    for (; i + 4 <= n; i += 4) {
        sincos4(v4_load(x + i), &s, &c);
        v4_store(sine + i, s);
        v4_store(cosine + i, c);
    }
    if (i == n)
        return;
    v4 rest = {x[i], i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0};
    sincos4(rest, &s, &c);
    for (int k = 0; i + k < n; k++) {
        sine[i + k] = s[k];
        cosine[i + k] = c[k];
    }
}

/* ---- frames ---------------------------------------------------------------------- */

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

/* Rotation of a quaternion of any length, as columns. */
V4_INLINE void quaternion(const double *e, v4 R[3])
{
    const double k = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const double x = k * e[1], y = k * e[2], z = k * e[3];
    const double xx = x * e[1], yy = y * e[2], zz = z * e[3], xy = x * e[2], xz = x * e[3], yz = y * e[3];
    const double wx = x * e[0], wy = y * e[0], wz = z * e[0];
    R[0] = (v4){1 - yy - zz, xy + wz, xz - wy, 0};
    R[1] = (v4){xy - wz, 1 - xx - zz, yz + wx, 0};
    R[2] = (v4){xz + wy, yz - wx, 1 - xx - yy, 0};
}

/* R and d of a link against its parent. */
V4_INLINE void place(const dal_link *link, dal_link_kind kind, const dal_link_motion *parent, const double *q, double sine, double cosine,
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

V4_INLINE void keep_place(const dal_link_motion *parent, dal_link_motion *m, const v4 R[3], v4 d)
{
    store3(m->R, R);
    v4_store(m->d, d);
    v4_store(m->r, v4_load(parent->r) + d);
}

/* w, alpha and acc, as in the head of this file. */
V4_INLINE void move(const dal_link *link, dal_link_kind kind, const dal_link_motion *parent, const v4 R[3], v4 d, const double *v,
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

/* ---- Newton and Euler --------------------------------------------------------------- */

/* I' x in the link's axes, from six numbers: xx yy zz xy yz xz. */
V4_INLINE v4 inertia_times(const double I[6], v4 x)
{
    const v4 diagonal = v4_load(I), off = v4_load(I + 3);
    const v4 x_yzx = V4_YZX(x), x_zxy = V4_YZX(x_yzx), off_zxy = __builtin_shufflevector(off, off, 2, 0, 1, 3);
    return diagonal * x + off * x_yzx + off_zxy * x_zxy;
}

V4_INLINE void force_of(const dal_link *link, v4 s, v4 w, v4 alpha, v4 acc, v4 *f, v4 *n)
{
    *f = acc * v4_all(link->mass) + v4_cross(alpha, s) + v4_cross(w, v4_cross(w, s));
    *n = v4_cross(s, acc);
}

V4_INLINE void newton_link(const dal_link *link, const v4 R[3], v4 w, v4 alpha, v4 acc, v4 *f, v4 *n)
{
    v4 rows[3];
    v4_transpose(R, rows);
    const v4 s = v4_times(R, link->moment), w_own = v4_mul(rows, w), alpha_own = v4_mul(rows, alpha);
    const v4 own = inertia_times(link->inertia, alpha_own) + v4_cross(w_own, inertia_times(link->inertia, w_own));
    force_of(link, s, w, alpha, acc, f, n);
    *n += v4_mul(R, own);
}

V4_INLINE void newton_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q,
                          const double *v, const double *vd)
{
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        v4 R[3], d, w, rd, alpha, acc, f, n;
        place(link, kind, parent, q + link->q, work->sine[i], work->cosine[i], R, &d);
        keep_place(parent, m, R, d);
        move(link, kind, parent, R, d, v + link->v, vd ? vd + link->v : NULL, &w, &rd, &alpha, &acc);
        v4_store(m->w, w);
        v4_store(m->rd, rd);
        v4_store(m->alpha, alpha);
        v4_store(m->a, acc);
        newton_link(link, R, w, alpha, acc, &f, &n);
        v4_store(work->wrench[i].f, f);
        v4_store(work->wrench[i].n, n);
    }
}

static void ground(dal_links_work *work)
{
    dal_link_motion *m = &work->motion[-1];
    memset(m, 0, sizeof *m);
    memcpy(m->a, work->lift, sizeof m->a);
    for (int i = 0; i < 3; i++)
        m->R[i][i] = 1;
    memset(&work->wrench[-1], 0, sizeof work->wrench[-1]);
}

static void turns(const dal_links *links, dal_links_work *work, const double *q)
{
    for (int i = 0; i < links->n_runs; i++) {
        const dal_link_run *run = &links->run[i];
        if (run->kind == DAL_LINK_TURN || run->kind == DAL_LINK_SCREW)
            sines(run->n, q + links->link[run->first].q, work->sine + run->first, work->cosine + run->first);
    }
}

/* One loop a kind of link: no choice inside. */
#define OVER_RUNS(links, call)                                                                                                             \
    for (int k_ = 0; k_ < (links)->n_runs; k_++) {                                                                                         \
        const dal_link_run *run = &(links)->run[k_];                                                                                       \
        RUN_OF(run->kind, call)                                                                                                            \
    }
#define RUN_OF(run_kind, call)                                                                                                             \
    switch (run_kind) {                                                                                                                    \
    case DAL_LINK_TURN: call(DAL_LINK_TURN); break;                                                                                        \
    case DAL_LINK_SHIFT: call(DAL_LINK_SHIFT); break;                                                                                      \
    case DAL_LINK_SCREW: call(DAL_LINK_SCREW); break;                                                                                      \
    case DAL_LINK_BALL: call(DAL_LINK_BALL); break;                                                                                        \
    default: call(DAL_LINK_FREE); break;                                                                                                   \
    }
#define OVER_RUNS_INWARDS(links, call)                                                                                                     \
    for (int k_ = (links)->n_runs - 1; k_ >= 0; k_--) {                                                                                    \
        const dal_link_run *run = &(links)->run[k_];                                                                                       \
        RUN_OF(run->kind, call)                                                                                                            \
    }

static void newton(const dal_links *links, dal_links_work *work, const double *q, const double *v, const double *vd)
{
    ground(work);
    turns(links, work, q);
#define CALL(kind) newton_run(links, work, run, kind, q, v, vd)
    OVER_RUNS(links, CALL)
#undef CALL
}

/* R^T x into three numbers. */
V4_INLINE void into_own_axes(const v4 R[3], v4 x, double *out)
{
    out[0] = v4_dot(R[0], x);
    out[1] = v4_dot(R[1], x);
    out[2] = v4_dot(R[2], x);
}

V4_INLINE void gather_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, double *tau)
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
            into_own_axes(R, n, tau + link->v + (kind == DAL_LINK_FREE ? 3 : 0));
            for (int k = 0; kind == DAL_LINK_FREE && k < 3; k++)
                tau[link->v + k] = f[k];
        }
        v4_store(parent->f, v4_load(parent->f) + f);
        v4_store(parent->n, v4_load(parent->n) + n + v4_cross(d, f));
    }
}

static void gather(const dal_links *links, dal_links_work *work, double *tau)
{
#define CALL(kind) gather_run(links, work, run, kind, tau)
    OVER_RUNS_INWARDS(links, CALL)
#undef CALL
}

/* ---- inertia of each link -------------------------------------------------------------- */

/* I = R I' R^T, by columns. */
V4_INLINE void turn_inertia(const double I[6], const v4 R[3], const double *stored, v4 out[3])
{
    const v4 W[3] = {R[0] * v4_all(I[0]) + R[1] * v4_all(I[3]) + R[2] * v4_all(I[5]),
                     R[0] * v4_all(I[3]) + R[1] * v4_all(I[1]) + R[2] * v4_all(I[4]),
                     R[0] * v4_all(I[5]) + R[1] * v4_all(I[4]) + R[2] * v4_all(I[2])};
    for (int k = 0; k < 3; k++)
        out[k] = W[0] * v4_all(stored[k]) + W[1] * v4_all(stored[4 + k]) + W[2] * v4_all(stored[8 + k]);
}

/* Ht = -[s], M = m: f = alpha x s + m acc. */
V4_INLINE void keep_rigid(const dal_link *link, const v4 I[3], v4 s, dal_link_inertia *out)
{
    store3(out->I, I);
    v4_store(out->Ht[0], (v4){0, -s[2], s[1], 0});
    v4_store(out->Ht[1], (v4){s[2], 0, -s[0], 0});
    v4_store(out->Ht[2], (v4){-s[1], s[0], 0, 0});
    v4_store(out->M[0], (v4){link->mass, 0, 0, 0});
    v4_store(out->M[1], (v4){0, link->mass, 0, 0});
    v4_store(out->M[2], (v4){0, 0, link->mass, 0});
}

V4_INLINE void prepare_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q,
                           const double *v)
{
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        v4 R[3], I[3], d, w, rd, alpha, acc, f, n;
        place(link, kind, parent, q + link->q, work->sine[i], work->cosine[i], R, &d);
        keep_place(parent, m, R, d);
        const v4 s = v4_times(R, link->moment);
        turn_inertia(link->inertia, R, m->R[0], I);
        keep_rigid(link, I, s, &work->inertia[i]);
        if (!v)
            continue;
        move(link, kind, parent, R, d, v + link->v, NULL, &w, &rd, &alpha, &acc);
        v4_store(m->w, w);
        v4_store(m->rd, rd);
        v4_store(m->alpha, alpha);
        v4_store(m->a, acc);
        force_of(link, s, w, alpha, acc, &f, &n);
        n += v4_times(I, m->alpha) + v4_cross(w, v4_times(I, m->w));
        v4_store(work->wrench[i].f, f);
        v4_store(work->wrench[i].n, n);
    }
}

static void prepare(const dal_links *links, dal_links_work *work, const double *q, const double *v)
{
    ground(work);
    turns(links, work, q);
    if (!v)
        memset(work->wrench, 0, sizeof *work->wrench * (size_t)links->n);
#define CALL(kind) prepare_run(links, work, run, kind, q, v)
    OVER_RUNS(links, CALL)
#undef CALL
}

static void position(const dal_links *links, dal_links_work *work, const double *q)
{
    ground(work);
    turns(links, work, q);
    for (int i = 0; i < links->n; i++) {
        const dal_link *link = &links->link[i];
        v4 R[3], d;
        place(link, link->kind, &work->motion[link->parent], q + link->q, work->sine[i], work->cosine[i], R, &d);
        keep_place(&work->motion[link->parent], &work->motion[i], R, d);
    }
}

/* ---- articulated bodies ------------------------------------------------------------------ */

/* x [d] by columns, of a matrix by columns. */
V4_INLINE void times_cross(const v4 X[3], const double *d, v4 out[3])
{
    const v4 x = v4_all(d[0]), y = v4_all(d[1]), z = v4_all(d[2]);
    out[0] = X[1] * z - X[2] * y;
    out[1] = X[2] * x - X[0] * z;
    out[2] = X[0] * y - X[1] * x;
}

/* What hangs at the link, felt at the parent's origin. */
V4_INLINE void hang(const v4 I[3], const v4 Ht[3], const v4 M[3], const double *arm, dal_link_inertia *parent)
{
    const v4 d = v4_load(arm), d_yzx = V4_YZX(d);
    v4 G[3], H[3], Md[3], Hd[3];
    times_cross(M, arm, Md);
    for (int j = 0; j < 3; j++)
        G[j] = Ht[j] - Md[j];
    v4_transpose(G, H);
    times_cross(H, arm, Hd);
    for (int j = 0; j < 3; j++) {
        const v4 turned = d * V4_YZX(Ht[j]) - d_yzx * Ht[j]; /* d x Ht_j, before its own shuffle */
        v4_store(parent->I[j], v4_load(parent->I[j]) + (I[j] - Hd[j]) + V4_YZX(turned));
        v4_store(parent->Ht[j], v4_load(parent->Ht[j]) + G[j]);
        v4_store(parent->M[j], v4_load(parent->M[j]) + M[j]);
    }
}

/* (n, f) of a link, felt by its parent. */
V4_INLINE void hang_wrench(v4 f, v4 n, v4 d, dal_link_wrench *parent)
{
    v4_store(parent->f, v4_load(parent->f) + f);
    v4_store(parent->n, v4_load(parent->n) + n + v4_cross(d, f));
}

/* U and D of a joint with one coordinate. */
V4_INLINE void joint_inertia(dal_link_kind kind, double pitch, const double *axis, const v4 I[3], const v4 Ht[3], const v4 M[3], v4 *Un,
                             v4 *Uf, double *D)
{
    const v4 a = v4_load(axis);
    v4 H[3];
    if (kind == DAL_LINK_TURN) {
        *Un = v4_times(I, axis);
        *Uf = v4_times(Ht, axis);
        *D = v4_dot(a, *Un);
        return;
    }
    v4_transpose(Ht, H);
    const v4 slide_n = v4_times(H, axis), slide_f = v4_times(M, axis);
    if (kind == DAL_LINK_SHIFT) {
        *Un = slide_n;
        *Uf = slide_f;
        *D = v4_dot(a, slide_f);
        return;
    }
    *Un = v4_times(I, axis) + slide_n * v4_all(pitch);
    *Uf = v4_times(Ht, axis) + slide_f * v4_all(pitch);
    *D = v4_sum(a * *Un + a * *Uf * v4_all(pitch));
}

/* S.(n, f) */
V4_INLINE double along_joint(dal_link_kind kind, double pitch, v4 a, v4 n, v4 f)
{
    return kind == DAL_LINK_TURN ? v4_dot(a, n) : kind == DAL_LINK_SHIFT ? v4_dot(a, f) : v4_sum(a * n + a * f * v4_all(pitch));
}

/* L D L^T of a symmetric matrix of three: L21 L31 L32, 1/D1 1/D2 1/D3. False where it is not positive. */
V4_INLINE bool factor3(const v4 A[3], double out[6])
{
    const double d1 = A[0][0], l21 = A[0][1] / d1, l31 = A[0][2] / d1;
    const double d2 = A[1][1] - l21 * A[0][1], l32 = (A[1][2] - l21 * A[0][2]) / d2;
    const double d3 = A[2][2] - l31 * A[0][2] - l32 * (A[1][2] - l21 * A[0][2]);
    const double all[6] = {l21, l31, l32, 1 / d1, 1 / d2, 1 / d3};
    memcpy(out, all, sizeof all);
    return d1 > 0 && d2 > 1e-14 * A[1][1] && d3 > 1e-14 * A[2][2];
}

V4_INLINE v4 solve3(const double L[6], v4 b)
{
    const double y1 = b[0], y2 = b[1] - L[0] * y1, y3 = b[2] - L[1] * y1 - L[2] * y2;
    const double x3 = y3 * L[5], x2 = y2 * L[4] - L[2] * x3, x1 = y1 * L[3] - L[0] * x2 - L[1] * x3;
    return (v4){x1, x2, x3, 0};
}

/* L D L^T of a symmetric matrix of six, lower triangle, in place; 1 / D on the diagonal. */
static bool factor6(double A[36])
{
    for (int j = 0; j < 6; j++) {
        double most = A[7 * j];
        for (int k = 0; k < j; k++) {
            const double scaled = A[6 * j + k]; /* L_jk D_k */
            A[6 * j + k] = scaled * A[7 * k];
            A[7 * j] -= scaled * A[6 * j + k];
        }
        if (!(A[7 * j] > 1e-14 * most) || !(most > 0))
            return false;
        A[7 * j] = 1 / A[7 * j];
        for (int i = j + 1; i < 6; i++)
            for (int k = 0; k < j; k++)
                A[6 * i + j] -= A[6 * i + k] * A[6 * j + k];
    }
    return true;
}

static void solve6(const double A[36], double x[6])
{
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < i; k++)
            x[i] -= A[6 * i + k] * x[k];
    for (int i = 0; i < 6; i++)
        x[i] *= A[7 * i];
    for (int i = 4; i >= 0; i--)
        for (int k = i + 1; k < 6; k++)
            x[i] -= A[6 * k + i] * x[k];
}

/* (I, H; H^T, M) factored, over the same memory. */
static __attribute__((noinline)) bool factor_six(const dal_link_inertia *inertia, double *factor)
{
    double A[36] = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A[6 * i + j] = inertia->I[j][i];
            A[6 * (i + 3) + j] = inertia->Ht[j][i];
            A[6 * (i + 3) + j + 3] = inertia->M[j][i];
        }
    bool regular = factor6(A);
    memcpy(factor, A, sizeof A);
    return regular;
}

/* One pass inwards. `inertial`: eliminate the inertias; `loaded`: eliminate the wrenches. */
V4_INLINE bool inwards_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *tau,
                           bool inertial, bool loaded)
{
    bool regular = true;
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *m = &work->motion[i];
        dal_link_inertia *at = &work->inertia[i];
        v4 I[3], Ht[3], M[3], f, n, Un, Uf;
        double u = 0;
        if (loaded) {
            f = v4_load(work->wrench[i].f);
            n = v4_load(work->wrench[i].n);
        }
        if (kind == DAL_LINK_FREE) {
            if (inertial)
                regular &= factor_six(at, at->factor);
            continue; /* its wrench waits for the way out */
        }
        if (kind == DAL_LINK_BALL) {
            v4 H[3];
            load3(at->Ht[0], Ht);
            v4_transpose(Ht, H);
            if (inertial) {
                load3(at->I[0], I);
                load3(at->M[0], M);
                regular &= factor3(I, at->factor); /* over I */
                for (int j = 0; j < 3; j++)
                    M[j] -= v4_mul(Ht, solve3(at->factor, H[j]));
                const v4 none[3] = {v4_all(0), v4_all(0), v4_all(0)};
                if (link->parent >= 0)
                    hang(none, none, M, m->d, &work->inertia[link->parent]);
            }
            if (loaded) {
                v4 R[3];
                load3(m->R[0], R);
                const v4 torque = tau ? v4_times(R, tau + link->v) : v4_all(0), turning = torque - n;
                v4_store(at->Un, turning);
                hang_wrench(f + v4_mul(Ht, solve3(at->factor, turning)), torque, v4_load(m->d), &work->wrench[link->parent]);
            }
            continue;
        }
        double inverse;
        if (inertial) {
            double D;
            load3(at->I[0], I);
            load3(at->Ht[0], Ht);
            load3(at->M[0], M);
            joint_inertia(kind, link->pitch, m->R[2], I, Ht, M, &Un, &Uf, &D);
            regular &= D > 0;
            inverse = 1 / D;
            v4_store(at->Un, Un);
            v4_store(at->Uf, Uf);
            at->inverse = inverse;
        } else {
            Un = v4_load(at->Un);
            Uf = v4_load(at->Uf);
            inverse = at->inverse;
        }
        if (loaded) {
            u = (tau ? tau[link->v] : 0) - along_joint(kind, link->pitch, v4_load(m->R[2]), n, f);
            at->u = u;
        }
        if (link->parent < 0)
            continue;
        if (inertial) {
            const v4 k = Un * v4_all(inverse), kf = Uf * v4_all(inverse);
            for (int j = 0; j < 3; j++) {
                const v4 un = v4_all(at->Un[j]), uf = v4_all(at->Uf[j]);
                I[j] -= k * un;
                Ht[j] -= kf * un;
                M[j] -= kf * uf;
            }
            hang(I, Ht, M, m->d, &work->inertia[link->parent]);
        }
        if (loaded) {
            const v4 push = v4_all(u * inverse);
            hang_wrench(f + Uf * push, n + Un * push, v4_load(m->d), &work->wrench[link->parent]);
        }
    }
    return regular;
}

/* One function a kind of link and purpose. */
typedef bool inwards_function(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau);
#define INWARDS(name, kind, inertial, loaded)                                                                                              \
    static __attribute__((noinline)) bool name(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau)   \
    {                                                                                                                                      \
        return inwards_run(links, work, run, kind, tau, inertial, loaded);                                                                 \
    }
#define INWARDS_OF_ALL_KINDS(name, inertial, loaded)                                                                                       \
    INWARDS(name##_turn, DAL_LINK_TURN, inertial, loaded)                                                                                  \
    INWARDS(name##_shift, DAL_LINK_SHIFT, inertial, loaded)                                                                                \
    INWARDS(name##_screw, DAL_LINK_SCREW, inertial, loaded)                                                                                \
    INWARDS(name##_ball, DAL_LINK_BALL, inertial, loaded)                                                                                  \
    INWARDS(name##_free, DAL_LINK_FREE, inertial, loaded)                                                                                  \
    static inwards_function *const name[DAL_LINK_KINDS] = {name##_turn, name##_shift, name##_screw, name##_ball, name##_free};
INWARDS_OF_ALL_KINDS(factor, true, false)
INWARDS_OF_ALL_KINDS(load, false, true)
INWARDS_OF_ALL_KINDS(both, true, true)

static bool inwards(const dal_links *links, dal_links_work *work, inwards_function *const *of_kind, const double *tau)
{
    bool regular = true;
    for (int k = links->n_runs - 1; k >= 0; k--)
        regular &= of_kind[links->run[k].kind](links, work, &links->run[k], tau);
    return regular;
}

/* Outwards: accelerations; those of the links take the place of their wrenches (n: alpha, f: acc). */
V4_INLINE void outwards_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *tau,
                            double *x)
{
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *m = &work->motion[i];
        const dal_link_inertia *at = &work->inertia[i];
        dal_link_wrench *own = &work->wrench[i];
        const dal_link_wrench *parent = &work->wrench[link->parent];
        const v4 alpha_p = v4_load(parent->n);
        v4 acc = v4_load(parent->f) + v4_cross(alpha_p, v4_load(m->d)), alpha = alpha_p;
        v4 R[3];
        if (kind == DAL_LINK_FREE) {
            double b[6];
            load3(m->R[0], R);
            const v4 torque = tau ? v4_times(R, tau + link->v + 3) : v4_all(0);
            for (int k = 0; k < 3; k++) {
                b[k] = torque[k] - own->n[k];
                b[3 + k] = (tau ? tau[link->v + k] : 0) - own->f[k];
            }
            solve6(at->factor, b);
            alpha = (v4){b[0], b[1], b[2], 0};
            acc = (v4){b[3], b[4], b[5], 0};
            for (int k = 0; k < 3; k++)
                x[link->v + k] = b[3 + k];
            into_own_axes(R, alpha, x + link->v + 3);
        } else if (kind == DAL_LINK_BALL) {
            v4 Ht[3], H[3];
            load3(m->R[0], R);
            load3(at->Ht[0], Ht);
            v4_transpose(Ht, H);
            alpha = solve3(at->factor, v4_load(at->Un) - v4_mul(H, acc));
            into_own_axes(R, alpha - alpha_p, x + link->v);
        } else {
            const v4 a = v4_load(m->R[2]);
            const double rise = (at->u - v4_sum(v4_load(at->Un) * alpha_p + v4_load(at->Uf) * acc)) * at->inverse;
            x[link->v] = rise;
            if (kind != DAL_LINK_SHIFT)
                alpha += a * v4_all(rise);
            if (kind != DAL_LINK_TURN)
                acc += a * v4_all(kind == DAL_LINK_SCREW ? link->pitch * rise : rise);
        }
        v4_store(own->n, alpha);
        v4_store(own->f, acc);
    }
}

typedef void outwards_function(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau, double *x);
#define OUTWARDS(name, kind)                                                                                                               \
    static __attribute__((noinline)) void name(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau,   \
                                               double *x)                                                                                  \
    {                                                                                                                                      \
        outwards_run(links, work, run, kind, tau, x);                                                                                      \
    }
OUTWARDS(out_turn, DAL_LINK_TURN)
OUTWARDS(out_shift, DAL_LINK_SHIFT)
OUTWARDS(out_screw, DAL_LINK_SCREW)
OUTWARDS(out_ball, DAL_LINK_BALL)
OUTWARDS(out_free, DAL_LINK_FREE)
static outwards_function *const out[DAL_LINK_KINDS] = {out_turn, out_shift, out_screw, out_ball, out_free};

static void outwards(const dal_links *links, dal_links_work *work, const double *tau, double *x)
{
    memset(&work->wrench[-1], 0, sizeof work->wrench[-1]);
    for (int k = 0; k < links->n_runs; k++)
        out[links->run[k].kind](links, work, &links->run[k], tau, x);
}

static bool advance(const dal_links *links, dal_links_work *work, const double *tau, double *x)
{
    const bool regular = inwards(links, work, both, tau);
    outwards(links, work, tau, x);
    return regular;
}

static bool inwards_link(const dal_links *links, dal_links_work *work, int i, const double *tau, bool inertial, bool loaded)
{
    const dal_link_run one = {links->link[i].kind, i, 1};
    inwards_function *const *of_kind = !inertial ? load : loaded ? both : factor;
    return of_kind[one.kind](links, work, &one, tau);
}

static void outwards_link(const dal_links *links, dal_links_work *work, int i, const double *tau, double *x)
{
    const dal_link_run one = {links->link[i].kind, i, 1};
    out[one.kind](links, work, &one, tau, x);
}

static void solve_free(const dal_link_inertia *inertia, double wrench[8])
{
    double x[6] = {wrench[0], wrench[1], wrench[2], wrench[4], wrench[5], wrench[6]};
    solve6(inertia->factor, x);
    for (int k = 0; k < 3; k++) {
        wrench[k] = x[k];
        wrench[4 + k] = x[3 + k];
    }
}

/* ---- composite bodies -------------------------------------------------------------------- */

/* Axis, direction and origin of column j. */
V4_INLINE void keep_column(dal_links_work *work, int j, v4 axis, v4 direction, v4 origin)
{
    for (int k = 0; k < 3; k++) {
        work->column[k][j] = axis[k];
        work->column[3 + k][j] = direction[k];
        work->column[6 + k][j] = origin[k];
    }
}

V4_INLINE void composite_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q)
{
    const v4 zero = v4_all(0);
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        dal_link_inertia *at = &work->inertia[i];
        v4 R[3], I[3], d;
        place(link, kind, parent, q + link->q, work->sine[i], work->cosine[i], R, &d);
        keep_place(parent, m, R, d);
        turn_inertia(link->inertia, R, m->R[0], I);
        store3(at->I, I);
        v4_store(at->Ht[0], v4_times(R, link->moment));
        at->M[0][0] = link->mass;
        const v4 r = v4_load(m->r);
        if (kind == DAL_LINK_TURN)
            keep_column(work, link->v, R[2], zero, r);
        else if (kind == DAL_LINK_SHIFT)
            keep_column(work, link->v, zero, R[2], r);
        else if (kind == DAL_LINK_SCREW)
            keep_column(work, link->v, R[2], R[2] * v4_all(link->pitch), r);
        else {
            const int turn = link->v + (kind == DAL_LINK_FREE ? 3 : 0);
            for (int k = 0; k < 3; k++) {
                const v4 world = {k == 0, k == 1, k == 2, 0};
                if (kind == DAL_LINK_FREE)
                    keep_column(work, link->v + k, zero, world, r);
                keep_column(work, turn + k, R[k], zero, r);
            }
        }
    }
}

/* Columns first ... first + n of row i: f and n at the origin r of its link. */
V4_INLINE void fill_span(const dal_links_work *work, int first, int n_columns, const double f[4], const double n[4], const double r[4],
                         double *row)
{
    double *const *c = (double *const *)work->column;
    const v4 fx = v4_all(f[0]), fy = v4_all(f[1]), fz = v4_all(f[2]), nx = v4_all(n[0]), ny = v4_all(n[1]), nz = v4_all(n[2]);
    const v4 rx = v4_all(r[0]), ry = v4_all(r[1]), rz = v4_all(r[2]);
    for (int j = first; j < first + n_columns; j += 4) {
        const v4 dx = rx - v4_load(c[6] + j), dy = ry - v4_load(c[7] + j), dz = rz - v4_load(c[8] + j);
        v4 sum = v4_load(c[0] + j) * (nx + dy * fz - dz * fy) + v4_load(c[1] + j) * (ny + dz * fx - dx * fz) +
                 v4_load(c[2] + j) * (nz + dx * fy - dy * fx);
        sum += v4_load(c[3] + j) * fx + v4_load(c[4] + j) * fy + v4_load(c[5] + j) * fz;
        const int left = first + n_columns - j;
        if (left >= 4) {
            v4_store(row + j, sum);
            continue;
        }
        double rest[4];
        v4_store(rest, sum);
        for (int k = 0; k < 3 && k < left; k++)
            row[j + k] = rest[k];
    }
}

V4_INLINE void fill_rows(const dal_links *links, dal_links_work *work, int i, dal_link_kind kind, double *M)
{
    const dal_link *link = &links->link[i];
    const dal_link_inertia *at = &work->inertia[i];
    const double *r = work->motion[i].r;
    v4 I[3];
    load3(at->I[0], I);
    const v4 s = v4_load(at->Ht[0]), mass = v4_all(at->M[0][0]);
    const int last = links->span_of[i];
    for (int k = 0; k < dal_link_velocities(kind); k++) {
        const int column = link->v + k;
        const v4 axis = {work->column[0][column], work->column[1][column], work->column[2][column], 0};
        const v4 direction = {work->column[3][column], work->column[4][column], work->column[5][column], 0};
        double f[4], n[4], *row = M + (size_t)links->nv * (size_t)column;
        v4_store(f, direction * mass + v4_cross(axis, s));
        v4_store(n, v4_mul(I, axis) + v4_cross(s, direction));
        if (last < 0 || links->span[last].first || links->span[last].n != link->v)
            memset(row, 0, sizeof *row * (size_t)link->v);
        for (int p = last; p >= 0; p = links->span[p].before)
            fill_span(work, links->span[p].first, links->span[p].n, f, n, r, row);
        fill_span(work, link->v, k + 1, f, n, r, row);
    }
}

V4_INLINE void mass_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, double *M)
{
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const int p = links->link[i].parent;
        if (M)
            fill_rows(links, work, i, kind, M);
        if (p < 0)
            continue;
        const dal_link_inertia *at = &work->inertia[i];
        dal_link_inertia *parent = &work->inertia[p];
        const double *arm = work->motion[i].d, m = at->M[0][0], *first = at->Ht[0];
        const v4 d = v4_load(arm), s = v4_load(first);
        const double diagonal = v4_sum(d * (d * v4_all(m) + s + s));
        for (int j = 0; j < 3; j++) {
            const v4 world = {j == 0, j == 1, j == 2, 0};
            const v4 own = v4_load(at->I[j]) + world * v4_all(diagonal) - d * v4_all(m * arm[j] + first[j]) - s * v4_all(arm[j]);
            v4_store(parent->I[j], v4_load(parent->I[j]) + own);
        }
        v4_store(parent->Ht[0], v4_load(parent->Ht[0]) + s + d * v4_all(m));
        parent->M[0][0] += m;
    }
}

static void mass(const dal_links *links, dal_links_work *work, const double *q, double *M)
{
    ground(work);
    turns(links, work, q);
#define CALL(kind) composite_run(links, work, run, kind, q)
    OVER_RUNS(links, CALL)
#undef CALL
#define CALL(kind) mass_run(links, work, run, kind, M)
    OVER_RUNS_INWARDS(links, CALL)
#undef CALL
}

const dal_recursion DAL_RECURSION = {
    .name = DAL_RECURSION_NAME,
    .loops = &DAL_RECURSION_LOOPS,
    .sweep = &DAL_RECURSION_SWEEP,
    .position = position,
    .newton = newton,
    .gather = gather,
    .prepare = prepare,
    .advance = advance,
    .inwards_link = inwards_link,
    .outwards_link = outwards_link,
    .solve_free = solve_free,
    .mass = mass,
};
