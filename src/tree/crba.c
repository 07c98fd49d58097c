/* CRBA, the composite-rigid-body algorithm: the mass matrix M(q) (M. Walker, D. Orin, 1982).
 *
 * Forward: poses and inertias. Backward: mass m, first moment s and inertia I of the composite body (the link and its subtree), which are added to
 * the parent's:
 *     I_p += I + (m d.d + 2 d.s) 1 - d s^T - (s + m d) d^T,   s_p += s + m d,   m_p += m
 * K is the sum without the term on the diagonal: the trace of the two terms behind it is minus that term, and the trace of a link's own inertia does
 * not change as it turns. With T, the sum of these traces over the subtree,
 *     I = K + (T - tr K) 1
 * A column (A a, L a) moves it with the momentum
 *     f = L m a + A a x s,   n = A I a + L s x a
 * at its own origin. With arms e from the origin of the first link of the tree, column j before it is the twist (A_j a_j, b_j), and the momentum has
 * the moment N about that origin:
 *     b_j = L_j a_j + e_j x (A_j a_j),   N = n + e_i x f,   M_ij = A_j a_j.N + b_j.f
 * Six numbers a column, in arrays, so that four columns are done at once. The place of the tree in the world does not enter.
 */
#include "tree/lanes.h"
#include "tree/link_motion.h"

/* Columns in blocks of four, six vectors each: ax, ay, az, bx, by, bz. */
enum { COLUMN_BLOCK = 6 * 4 };

/* Column j: the axis, and the velocity b of the point at the tree's origin. */
V4_INLINE void store_column(double *columns, int j, v4 axis, v4 b)
{
    double *at = columns + COLUMN_BLOCK * (size_t)((unsigned)j / 4) + (unsigned)j % 4;
    at[0] = axis[0];
    at[4] = axis[1];
    at[8] = axis[2];
    at[12] = b[0];
    at[16] = b[1];
    at[20] = b[2];
}

/* Here and below, copies of pointers: the compiler must assume that a store changes the originals. */
V4_INLINE void crba_forward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, const double *q)
{
    const v4 zero = v4_all(0);
    dal_link_motion *const motion = work->motion;
    dal_link_inertia *const inertia = work->inertia;
    double *const columns = work->columns;
    const dal_link *const of = links->link;
    const double *const sine = work->sine, *const cosine = work->cosine;
    const int end = run->first + run->n;
    for (int i = run->first; i < end; i++) {
        const dal_link *link = &of[i];
        const dal_link_motion *parent = &motion[link->parent];
        dal_link_motion *m = &motion[i];
        dal_link_inertia *at = &inertia[i];
        v4 R[3], I[3], d;
        link_pose(link, kind, parent, q + link->q, sine[i], cosine[i], R, &d);
        store_pose(parent, m, R, d);
        rotate_inertia(link->inertia, R, m->R[0], I);
        store3(at->I, I);
        v4_store(at->Ht[0], __builtin_shufflevector(v4_times(R, link->moment), v4_all(link->mass), 0, 1, 2, 7));
        v4 e = zero;
        if (kind != DAL_LINK_FREE && link->parent >= 0)
            e = v4_load(inertia[link->parent].Ht[1]) + d;
        v4_store(at->Ht[1], e);
        if (kind == DAL_LINK_TURN)
            store_column(columns, link->v, R[2], v4_cross(e, R[2]));
        else if (kind == DAL_LINK_SHIFT)
            store_column(columns, link->v, zero, R[2]);
        else if (kind == DAL_LINK_SCREW)
            store_column(columns, link->v, R[2], R[2] * v4_all(link->pitch) + v4_cross(e, R[2]));
        else {
            const int turn = link->v + (kind == DAL_LINK_FREE ? 3 : 0);
            for (int k = 0; k < 3; k++) {
                const v4 world = {k == 0, k == 1, k == 2, 0};
                if (kind == DAL_LINK_FREE)
                    store_column(columns, link->v + k, zero, world);
                store_column(columns, turn + k, R[k], kind == DAL_LINK_FREE ? zero : v4_cross(e, R[k]));
            }
        }
    }
}

/* Force and moment, each of the six numbers in all places. */
typedef struct spread_wrench {
    v4 fx, fy, fz, nx, ny, nz;
} spread_wrench;

/* Entries of a row, of one block of columns. */
V4_INLINE v4 mass_block(const double *at, const spread_wrench *w)
{
    const v4 turned = v4_load(at) * w->nx + v4_load(at + 4) * w->ny + v4_load(at + 8) * w->nz;
    const v4 moved = v4_load(at + 12) * w->fx + v4_load(at + 16) * w->fy + v4_load(at + 20) * w->fz;
    return turned + moved;
}

/* Where the bit of `columns` is 0, the number becomes 0. */
V4_INLINE v4 only(v4 x, int columns)
{
#define ROW_OF_MASK(k)                                                                                                                               \
    {                                                                                                                                                \
        -((k)&1), -((k) >> 1 & 1), -((k) >> 2 & 1), -((k) >> 3 & 1)                                                                                  \
    }
    static const _Alignas(32) long long mask[16][4] = {
        ROW_OF_MASK(0), ROW_OF_MASK(1), ROW_OF_MASK(2),  ROW_OF_MASK(3),  ROW_OF_MASK(4),  ROW_OF_MASK(5),  ROW_OF_MASK(6),  ROW_OF_MASK(7),
        ROW_OF_MASK(8), ROW_OF_MASK(9), ROW_OF_MASK(10), ROW_OF_MASK(11), ROW_OF_MASK(12), ROW_OF_MASK(13), ROW_OF_MASK(14), ROW_OF_MASK(15)};
#undef ROW_OF_MASK
    return (v4)((m4)x & *(const m4 *)(const void *)mask[columns]);
}

/* Row j up to its diagonal, from there to its beginning: the columns on the way to the ground; the others are zero. */
V4_INLINE void mass_row(const dal_row_part *parts, const double *columns, size_t nv, int j, v4 f, v4 N, double *M)
{
    const lanes3 force = spread3(f), moment = spread3(N);
    const spread_wrench w = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    const dal_row_part *part = &parts[j];
    const size_t block = (unsigned)j / 4;
    const double *at = columns + COLUMN_BLOCK * block;
    double *const begin = M + nv * (size_t)j, *row = begin + 4 * block;
    v4_store_some(row, (int)((unsigned)j % 4 + 1), only(mass_block(at, &w), part->columns));
    for (;;) {
        for (int n = part->full; n > 0; n--) {
            row -= 4;
            at -= COLUMN_BLOCK;
            v4_store(row, mass_block(at, &w));
        }
        if (part->before < 0)
            break;
        part = &parts[part->before];
        for (int n = part->zeros; n > 0; n--) {
            row -= 4;
            at -= COLUMN_BLOCK;
            v4_store(row, v4_all(0));
        }
        row -= 4;
        at -= COLUMN_BLOCK;
        v4_store(row, only(mass_block(at, &w), part->columns));
    }
    while (row != begin) {
        row -= 4;
        v4_store(row, v4_all(0));
    }
}

/* T - tr K */
V4_INLINE double left_out(const dal_link *link, const dal_link_inertia *at)
{
    return link->trace - at->I[0][0] - at->I[1][1] - at->I[2][2];
}

/* Momentum of the composite body for a unit of velocity k of its link: f = m c + a x s, N = I a + s x c + e x f, where c is the velocity of the link's
 * origin. */
V4_INLINE void column_momentum(const dal_link *link, dal_link_kind kind, const dal_link_motion *m, const dal_link_inertia *at, int k, v4 *f, v4 *N)
{
    const bool turns = kind != DAL_LINK_SHIFT && (kind != DAL_LINK_FREE || k >= 3);
    const v4 s = v4_load(at->Ht[0]), mass = v4_all(at->Ht[0][3]);
    v4 I[3], of_n = v4_all(0), of_f = v4_all(0);
    if (turns) {
        const double *axis = m->R[kind == DAL_LINK_BALL ? k : kind == DAL_LINK_FREE ? k - 3 : 2];
        load3(at->I[0], I);
        of_n = v4_times(I, axis) + v4_load(axis) * v4_all(left_out(link, at));
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
    *f = of_f;
    *N = of_n;
}

/* K of a link becomes its I. */
V4_INLINE void complete_inertia(const dal_link *link, dal_link_inertia *at)
{
    const double diagonal = left_out(link, at);
    for (int k = 0; k < 3; k++)
        at->I[k][k] += diagonal;
}

/* Adds the composite body of the link to that of its parent. */
V4_INLINE void carry(const dal_link_motion *motion, const dal_link_inertia *at, dal_link_inertia *parent)
{
    const double *arm = motion->d, *first = at->Ht[0];
    const v4 d = v4_load(arm), s = v4_load(first), moved = s + d * v4_all(first[3]);
    for (int j = 0; j < 3; j++)
        v4_store(parent->I[j], v4_load(parent->I[j]) + (v4_load(at->I[j]) - d * v4_all(first[j]) - moved * v4_all(arm[j])));
    v4_store(parent->Ht[0], v4_load(parent->Ht[0]) + moved);
}

/* The parent comes first: the next link depends on it; nothing depends on the rows. */
V4_INLINE void crba_backward_run(const dal_links *links, dal_links_work *work, const dal_link_run *run, dal_link_kind kind, double *M)
{
    const dal_link_motion *const motion = work->motion;
    const double *const columns = work->columns;
    const dal_row_part *const parts = links->row_part;
    const dal_link *const of = links->link;
    dal_link_inertia *const inertia = work->inertia;
    const size_t nv = (size_t)links->nv;
    const int first = run->first;
    for (int i = first + run->n - 1; i >= first; i--) {
        const dal_link *link = &of[i];
        if (link->parent >= 0)
            carry(&motion[i], &inertia[i], &inertia[link->parent]);
        if (!M) {
            complete_inertia(link, &inertia[i]);
            continue;
        }
        for (int k = 0; k < dal_link_velocities(kind); k++) {
            v4 f, N;
            column_momentum(link, kind, &motion[i], &inertia[i], k, &f, &N);
            mass_row(parts, columns, nv, link->v + k, f, N, M);
        }
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
