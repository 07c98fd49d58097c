/* ABA, the articulated-body algorithm: forward dynamics q, v, tau -> v' (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7).
 *
 * Forward (link_motion.h): motions, the inertia of each link, and its wrench (n, f) while v' = 0: the bias. The part of v' is linear: n = I alpha + H
 * acc, f = H^T alpha + M acc. Backward. With S = (A a, L a):
 *     U = (I, H; H^T, M) S,   D = S.U,   u = tau - S.(n, f)
 *     (I, H; H^T, M) -= U U^T / D,   (n, f) += U u / D                                   moved to the parent's origin, [d] the matrix of d x:
 *     G = H^T - M [d],   M_p += M,   H_p^T += G,   I_p += I + [d] H^T - G^T [d],   f_p += f,   n_p += n + d x f
 * Forward again, with acc := acc_p + alpha_p x d:
 *     x' = (u - U.(alpha_p, acc)) / D,   alpha = alpha_p + A x' a,   acc += L x' a
 * A ball takes all of alpha: with u = R tau - n,
 *     alpha = I^-1 (u - H acc),   M -= H^T I^-1 H,   f += H^T I^-1 u,   n = R tau,   I = H = 0;   x' = R^T (alpha - alpha_p)
 * A free link is the last one before the ground: its six equations are solved.
 */
#include "tree/link_motion.h"

/* ---- first pass, forward: motions, rigid inertias, biases -------------------------------- */

/* Ht = -[s], M = m: f = alpha x s + m acc. */
V4_INLINE void store_rigid_inertia(const dal_link *link, const v4 I[3], v4 s, dal_link_inertia *out)
{
    store3(out->I, I);
    v4_store(out->Ht[0], (v4){0, -s[2], s[1], 0});
    v4_store(out->Ht[1], (v4){s[2], 0, -s[0], 0});
    v4_store(out->Ht[2], (v4){-s[1], s[0], 0, 0});
    v4_store(out->M[0], (v4){link->mass, 0, 0, 0});
    v4_store(out->M[1], (v4){0, link->mass, 0, 0});
    v4_store(out->M[2], (v4){0, 0, link->mass, 0});
}

V4_INLINE void aba_velocity_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q,
                                const double *v)
{
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        v4 R[3], I[3], d, w, rd, alpha, acc, f, n;
        link_pose(link, kind, parent, q + link->q, work->sine[i], work->cosine[i], R, &d);
        store_pose(parent, m, R, d);
        const v4 s = v4_times(R, link->moment);
        rotate_inertia(link->inertia, R, m->R[0], I);
        store_rigid_inertia(link, I, s, &work->inertia[i]);
        if (!v)
            continue;
        propagate_motion(link, kind, parent, R, d, v + link->v, NULL, &w, &rd, &alpha, &acc);
        v4_store(m->w, w);
        v4_store(m->rd, rd);
        v4_store(m->alpha, alpha);
        v4_store(m->a, acc);
        newton_force(link, s, w, alpha, acc, &f, &n);
        n += v4_times(I, m->alpha) + v4_cross(w, v4_times(I, m->w));
        v4_store(work->wrench[i].f, f);
        v4_store(work->wrench[i].n, n);
    }
}

void DAL_KERNEL(dal_aba_velocity)(const dal_links *links, dal_links_work *work, const double *q, const double *v)
{
    reset_ground(work);
    joint_sincos(links, work, q);
    if (!v)
        memset(work->wrench, 0, sizeof *work->wrench * (size_t)links->n);
#define CALL(kind) aba_velocity_run(links, work, run, kind, q, v)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}

/* ---- small factors ------------------------------------------------------------------------ */

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
static __attribute__((noinline)) bool factor_free(const dal_link_inertia *inertia, double *factor)
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

/* ---- second pass, backward: articulated inertias and biases -------------------------------- */

/* x [d] by columns, of a matrix by columns. */
V4_INLINE void times_cross(const v4 X[3], const double *d, v4 out[3])
{
    const v4 x = v4_all(d[0]), y = v4_all(d[1]), z = v4_all(d[2]);
    out[0] = X[1] * z - X[2] * y;
    out[1] = X[2] * x - X[0] * z;
    out[2] = X[0] * y - X[1] * x;
}

/* Articulated inertia of a link, moved to the parent's origin and added there. */
V4_INLINE void propagate_inertia(const v4 I[3], const v4 Ht[3], const v4 M[3], const double *arm, dal_link_inertia *parent)
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

/* (n, f) of a link, moved to the parent's origin and added there. */
V4_INLINE void propagate_wrench(v4 f, v4 n, v4 d, dal_link_wrench *parent)
{
    v4_store(parent->f, v4_load(parent->f) + f);
    v4_store(parent->n, v4_load(parent->n) + n + v4_cross(d, f));
}

/* U and D of a joint with one coordinate. */
V4_INLINE void joint_inertia(dal_link_kind kind, double pitch, const double *axis, const v4 I[3], const v4 Ht[3], const v4 M[3], v4 *Un, v4 *Uf,
                             double *D)
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
V4_INLINE double joint_force(dal_link_kind kind, double pitch, v4 a, v4 n, v4 f)
{
    return kind == DAL_LINK_TURN ? v4_dot(a, n) : kind == DAL_LINK_SHIFT ? v4_dot(a, f) : v4_sum(a * n + a * f * v4_all(pitch));
}

/* (I, H; H^T, M) -= U U^T / D */
V4_INLINE void subtract_outer(const dal_link_inertia *at, v4 Un, v4 Uf, double inverse, v4 I[3], v4 Ht[3], v4 M[3])
{
    const v4 k = Un * v4_all(inverse), kf = Uf * v4_all(inverse);
    for (int j = 0; j < 3; j++) {
        const v4 un = v4_all(at->Un[j]), uf = v4_all(at->Uf[j]);
        I[j] -= k * un;
        Ht[j] -= kf * un;
        M[j] -= kf * uf;
    }
}

/* A ball: I is factored over itself, M and the bias go to the parent. `inertias`: eliminate these; `biases`: eliminate the wrenches. */
V4_INLINE bool eliminate_ball(const dal_link *link, dal_links_work *work, int i, const double *tau, bool inertias, bool biases)
{
    const dal_link_motion *m = &work->motion[i];
    dal_link_inertia *at = &work->inertia[i];
    bool regular = true;
    v4 Ht[3], H[3];
    load3(at->Ht[0], Ht);
    v4_transpose(Ht, H);
    if (inertias) {
        v4 I[3], M[3];
        load3(at->I[0], I);
        load3(at->M[0], M);
        regular = factor3(I, at->factor); /* over I */
        for (int j = 0; j < 3; j++)
            M[j] -= v4_mul(Ht, solve3(at->factor, H[j]));
        const v4 none[3] = {v4_all(0), v4_all(0), v4_all(0)};
        if (link->parent >= 0)
            propagate_inertia(none, none, M, m->d, &work->inertia[link->parent]);
    }
    if (biases) {
        const v4 f = v4_load(work->wrench[i].f), n = v4_load(work->wrench[i].n);
        v4 R[3];
        load3(m->R[0], R);
        const v4 torque = tau ? v4_times(R, tau + link->v) : v4_all(0), u = torque - n;
        v4_store(at->Un, u);
        propagate_wrench(f + v4_mul(Ht, solve3(at->factor, u)), torque, v4_load(m->d), &work->wrench[link->parent]);
    }
    return regular;
}

/* A joint with one coordinate: U, D, u; the reduced inertia and bias are added to the parent. */
V4_INLINE bool eliminate_single(const dal_link *link, dal_link_kind kind, dal_links_work *work, int i, const double *tau, bool inertias, bool biases)
{
    const dal_link_motion *m = &work->motion[i];
    dal_link_inertia *at = &work->inertia[i];
    bool regular = true;
    v4 I[3], Ht[3], M[3], f, n, Un, Uf;
    double u = 0, inverse;
    if (biases) {
        f = v4_load(work->wrench[i].f);
        n = v4_load(work->wrench[i].n);
    }
    if (inertias) {
        double D;
        load3(at->I[0], I);
        load3(at->Ht[0], Ht);
        load3(at->M[0], M);
        joint_inertia(kind, link->pitch, m->R[2], I, Ht, M, &Un, &Uf, &D);
        regular = D > 0;
        inverse = 1 / D;
        v4_store(at->Un, Un);
        v4_store(at->Uf, Uf);
        at->inverse = inverse;
    } else {
        Un = v4_load(at->Un);
        Uf = v4_load(at->Uf);
        inverse = at->inverse;
    }
    if (biases) {
        u = (tau ? tau[link->v] : 0) - joint_force(kind, link->pitch, v4_load(m->R[2]), n, f);
        at->u = u;
    }
    if (link->parent < 0)
        return regular;
    if (inertias) {
        subtract_outer(at, Un, Uf, inverse, I, Ht, M);
        propagate_inertia(I, Ht, M, m->d, &work->inertia[link->parent]);
    }
    if (biases) {
        const v4 push = v4_all(u * inverse);
        propagate_wrench(f + Uf * push, n + Un * push, v4_load(m->d), &work->wrench[link->parent]);
    }
    return regular;
}

/* One pass from the tips to the ground. */
V4_INLINE bool aba_backward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *tau,
                                bool inertias, bool biases)
{
    bool regular = true;
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const dal_link *link = &links->link[i];
        if (kind == DAL_LINK_BALL)
            regular &= eliminate_ball(link, work, i, tau, inertias, biases);
        else if (kind != DAL_LINK_FREE)
            regular &= eliminate_single(link, kind, work, i, tau, inertias, biases);
        else if (inertias) /* its wrench waits for the forward pass */
            regular &= factor_free(&work->inertia[i], work->inertia[i].factor);
    }
    return regular;
}

/* One function a kind of link and purpose. */
typedef bool backward_function(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau);
#define BACKWARD(name, kind, inertias, biases)                                                                                                       \
    static __attribute__((noinline)) bool name(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau)             \
    {                                                                                                                                                \
        return aba_backward_run(links, work, run, kind, tau, inertias, biases);                                                                      \
    }
#define BACKWARD_OF_ALL_KINDS(name, inertias, biases)                                                                                                \
    BACKWARD(name##_turn, DAL_LINK_TURN, inertias, biases)                                                                                           \
    BACKWARD(name##_shift, DAL_LINK_SHIFT, inertias, biases)                                                                                         \
    BACKWARD(name##_screw, DAL_LINK_SCREW, inertias, biases)                                                                                         \
    BACKWARD(name##_ball, DAL_LINK_BALL, inertias, biases)                                                                                           \
    BACKWARD(name##_free, DAL_LINK_FREE, inertias, biases)                                                                                           \
    static backward_function *const name[DAL_LINK_KINDS] = {name##_turn, name##_shift, name##_screw, name##_ball, name##_free};
BACKWARD_OF_ALL_KINDS(aba_backward_inertias, true, false)
BACKWARD_OF_ALL_KINDS(aba_backward_biases, false, true)
BACKWARD_OF_ALL_KINDS(aba_backward, true, true)

static bool aba_backward_all(const dal_links *links, dal_links_work *work, backward_function *const *of_kind, const double *tau)
{
    bool regular = true;
    for (int k = links->n_runs - 1; k >= 0; k--)
        regular &= of_kind[links->run[k].kind](links, work, &links->run[k], tau);
    return regular;
}

/* ---- third pass, forward: accelerations ---------------------------------------------------- */

/* Accelerations; those of the links take the place of their wrenches (n: alpha, f: acc). */
V4_INLINE void aba_forward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *tau,
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
            into_link_axes(R, alpha, x + link->v + 3);
        } else if (kind == DAL_LINK_BALL) {
            v4 Ht[3], H[3];
            load3(m->R[0], R);
            load3(at->Ht[0], Ht);
            v4_transpose(Ht, H);
            alpha = solve3(at->factor, v4_load(at->Un) - v4_mul(H, acc));
            into_link_axes(R, alpha - alpha_p, x + link->v);
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

typedef void forward_function(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau, double *x);
#define FORWARD(name, kind)                                                                                                                          \
    static __attribute__((noinline)) void name(const dal_links *links, dal_links_work *work, const dal_link_run *run, const double *tau, double *x)  \
    {                                                                                                                                                \
        aba_forward_run(links, work, run, kind, tau, x);                                                                                             \
    }
FORWARD(aba_forward_turn, DAL_LINK_TURN)
FORWARD(aba_forward_shift, DAL_LINK_SHIFT)
FORWARD(aba_forward_screw, DAL_LINK_SCREW)
FORWARD(aba_forward_ball, DAL_LINK_BALL)
FORWARD(aba_forward_free, DAL_LINK_FREE)
static forward_function *const aba_forward[DAL_LINK_KINDS] = {aba_forward_turn, aba_forward_shift, aba_forward_screw, aba_forward_ball,
                                                              aba_forward_free};

static void aba_forward_all(const dal_links *links, dal_links_work *work, const double *tau, double *x)
{
    memset(&work->wrench[-1], 0, sizeof work->wrench[-1]);
    for (int k = 0; k < links->n_runs; k++)
        aba_forward[links->run[k].kind](links, work, &links->run[k], tau, x);
}

bool DAL_KERNEL(dal_aba_solve)(const dal_links *links, dal_links_work *work, const double *tau, double *x)
{
    const bool regular = aba_backward_all(links, work, aba_backward, tau);
    aba_forward_all(links, work, tau, x);
    return regular;
}

bool DAL_KERNEL(dal_aba_factor)(const dal_links *links, dal_links_work *work)
{
    return aba_backward_all(links, work, aba_backward_inertias, NULL);
}

bool DAL_KERNEL(dal_aba_backward_link)(const dal_links *links, dal_links_work *work, int i, const double *tau, bool inertias, bool biases)
{
    const dal_link_run one = {links->link[i].kind, i, 1};
    backward_function *const *of_kind = !inertias ? aba_backward_biases : biases ? aba_backward : aba_backward_inertias;
    return of_kind[one.kind](links, work, &one, tau);
}

void DAL_KERNEL(dal_aba_forward_link)(const dal_links *links, dal_links_work *work, int i, const double *tau, double *x)
{
    const dal_link_run one = {links->link[i].kind, i, 1};
    aba_forward[one.kind](links, work, &one, tau, x);
}

void DAL_KERNEL(dal_aba_solve_free)(const dal_link_inertia *inertia, double wrench[8])
{
    double x[6] = {wrench[0], wrench[1], wrench[2], wrench[4], wrench[5], wrench[6]};
    solve6(inertia->factor, x);
    for (int k = 0; k < 3; k++) {
        wrench[k] = x[k];
        wrench[4 + k] = x[3 + k];
    }
}
