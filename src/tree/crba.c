/* CRBA, the composite-rigid-body algorithm: the mass matrix M(q) (M. Walker, D. Orin, 1982).
 *
 * Forward: poses and inertias. Backward: mass m, first moment s and inertia I of the composite body (the link and its subtree), which are added to
 * the parent's:
 *     I_p += I + (m d.d + 2 d.s) 1 - d (m d + s)^T - s d^T,   s_p += s + m d,   m_p += m
 * A column (A a, L a) moves it with the momentum
 *     f = L m a + A a x s,   n = A I a + L s x a
 * at its own origin. With arms e from the origin of the first link of the tree, column j before it is the twist (A_j a_j, b_j), and the momentum has
 * the moment N about that origin:
 *     b_j = L_j a_j + e_j x (A_j a_j),   N = n + e_i x f,   M_ij = A_j a_j.N + b_j.f
 * Six numbers a column, in arrays, so that four columns are done at once. The place of the tree in the world does not enter.
 */
#include "tree/link_motion.h"

/* Column j: the axis, and the velocity b of the point at the tree's origin. */
V4_INLINE void store_column(dal_links_work *work, int j, v4 axis, v4 b)
{
    for (int k = 0; k < 3; k++) {
        work->column[k][j] = axis[k];
        work->column[3 + k][j] = b[k];
    }
}

V4_INLINE void crba_forward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q)
{
    const v4 zero = v4_all(0);
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        dal_link_inertia *at = &work->inertia[i];
        v4 R[3], I[3], d;
        link_pose(link, kind, parent, q + link->q, work->sine[i], work->cosine[i], R, &d);
        store_pose(parent, m, R, d);
        rotate_inertia(link->inertia, R, m->R[0], I);
        store3(at->I, I);
        v4_store(at->Ht[0], v4_times(R, link->moment));
        at->M[0][0] = link->mass;
        v4 e = zero;
        if (kind != DAL_LINK_FREE && link->parent >= 0)
            e = v4_load(work->inertia[link->parent].Ht[1]) + d;
        v4_store(at->Ht[1], e);
        if (kind == DAL_LINK_TURN)
            store_column(work, link->v, R[2], v4_cross(e, R[2]));
        else if (kind == DAL_LINK_SHIFT)
            store_column(work, link->v, zero, R[2]);
        else if (kind == DAL_LINK_SCREW)
            store_column(work, link->v, R[2], R[2] * v4_all(link->pitch) + v4_cross(e, R[2]));
        else {
            const int turn = link->v + (kind == DAL_LINK_FREE ? 3 : 0);
            for (int k = 0; k < 3; k++) {
                const v4 world = {k == 0, k == 1, k == 2, 0};
                if (kind == DAL_LINK_FREE)
                    store_column(work, link->v + k, zero, world);
                store_column(work, turn + k, R[k], kind == DAL_LINK_FREE ? zero : v4_cross(e, R[k]));
            }
        }
    }
}

/* Columns first ... first + n_columns of a row: force f, moment N. There is room for `room` numbers. */
V4_INLINE void mass_span(const dal_links_work *work, int first, int n_columns, int room, const double f[4], const double N[4], double *row)
{
    /* Copies of pointers: the compiler must assume that a store to the row changes the originals. */
    const double *ax = work->column[0], *ay = work->column[1], *az = work->column[2];
    const double *bx = work->column[3], *by = work->column[4], *bz = work->column[5];
    const v4 fx = v4_all(f[0]), fy = v4_all(f[1]), fz = v4_all(f[2]), nx = v4_all(N[0]), ny = v4_all(N[1]), nz = v4_all(N[2]);
    for (int j = first; j < first + n_columns; j += 4) {
        const v4 turned = v4_load(ax + j) * nx + v4_load(ay + j) * ny + v4_load(az + j) * nz;
        const v4 moved = v4_load(bx + j) * fx + v4_load(by + j) * fy + v4_load(bz + j) * fz;
        v4_store_some(row + j, first + room - j, turned + moved);
    }
}

/* Columns of other branches. */
V4_INLINE void zero_span(double *row, int first, int end)
{
    for (int j = first; j < end; j += 4)
        v4_store_some(row + j, end - j, v4_all(0));
}

/* Momentum of the composite body for a unit of velocity k of its link: f = m c + a x s, N = I a + s x c + e x f, where c is the velocity of the link's
 * origin. */
V4_INLINE void column_momentum(const dal_link *link, dal_link_kind kind, const dal_link_motion *m, const dal_link_inertia *at, int k, double f[4],
                               double N[4])
{
    const bool turns = kind != DAL_LINK_SHIFT && (kind != DAL_LINK_FREE || k >= 3);
    const v4 s = v4_load(at->Ht[0]), mass = v4_all(at->M[0][0]);
    v4 I[3], of_n = v4_all(0), of_f = v4_all(0);
    if (turns) {
        const double *axis = m->R[kind == DAL_LINK_BALL ? k : kind == DAL_LINK_FREE ? k - 3 : 2];
        load3(at->I[0], I);
        of_n = v4_times(I, axis);
        of_f = v4_cross(v4_load(axis), s);
    }
    if (!turns || kind == DAL_LINK_SCREW) {
        v4 c = {k == 0, k == 1, k == 2, 0};
        if (kind != DAL_LINK_FREE)
            c = v4_load(m->R[2]) * v4_all(kind == DAL_LINK_SCREW ? link->pitch : 1);
        of_n += v4_cross(s, c);
        of_f += mass * c;
    }
    if (kind != DAL_LINK_FREE) /* it is the first link */
        of_n += v4_cross(v4_load(at->Ht[1]), of_f);
    v4_store(f, of_f);
    v4_store(N, of_n);
}

V4_INLINE void mass_rows(const dal_links *links, dal_links_work *work, int i, dal_link_kind kind, double *M)
{
    const dal_link *link = &links->link[i];
    const int last = links->span_of[i];
    for (int k = 0; k < dal_link_velocities(kind); k++) {
        const int column = link->v + k;
        double f[4], N[4], *row = M + (size_t)links->nv * (size_t)column;
        column_momentum(link, kind, &work->motion[i], &work->inertia[i], k, f, N);
        int p = last, first = link->v;
        if (p >= 0 && links->span[p].first + links->span[p].n == first) { /* side by side with the link's own columns */
            first = links->span[p].first;
            p = links->span[p].before;
        }
        mass_span(work, first, column + 1 - first, column + 1 - first, f, N, row);
        for (; p >= 0; p = links->span[p].before) {
            const dal_span *span = &links->span[p];
            mass_span(work, span->first, span->n, first - span->first, f, N, row);
            zero_span(row, span->first + span->n, first);
            first = span->first;
        }
        zero_span(row, 0, first);
    }
}

/* Adds the composite body of the link to that of its parent. */
V4_INLINE void carry(const dal_link_motion *motion, const dal_link_inertia *at, dal_link_inertia *parent)
{
    const double *arm = motion->d, m = at->M[0][0], *first = at->Ht[0];
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

/* The parent comes first: the next link depends on it; nothing depends on the rows. */
V4_INLINE void crba_backward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, double *M)
{
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const int p = links->link[i].parent;
        if (p >= 0)
            carry(&work->motion[i], &work->inertia[i], &work->inertia[p]);
        if (M)
            mass_rows(links, work, i, kind, M);
    }
}

void DAL_KERNEL(dal_crba)(const dal_links *links, dal_links_work *work, const double *q, double *M)
{
    reset_ground(work);
    joint_sincos(links, work, q);
#define CALL(kind) crba_forward_run(links, work, run, kind, q)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
#define CALL(kind) crba_backward_run(links, work, run, kind, M)
    FOR_RUNS_BACKWARD(links, CALL)
#undef CALL
}
