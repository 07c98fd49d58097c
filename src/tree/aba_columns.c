/* M^-1 X for many columns X at once, with the articulated bodies that aba_solve or aba_factor have left: U, 1/D and the factors of balls and free links.
 *
 * The two passes of aba.c with tau = X and no bias, one velocity a row, one right side a lane:
 *     backward  u = X - S.(n, f),   (n, f) += U u / D,   f_p += f,   n_p += n + d x f
 *     forward   acc = acc_p + alpha_p x d,   x = (u - U.(alpha_p, acc)) / D,   alpha = alpha_p + A x a,   acc += L x a
 * A block has few columns, so that the numbers of its lanes for a chain of a hundred links stay in the first caches. Where X is the identity, a link that
 * no column of the block pushes needs no backward step, and only the links up to the last column are computed: M^-1 is symmetric.
 */
#include "tree/lanes.h"
#include "tree/link_motion.h"

enum { LANES = DAL_COLUMN_VECTORS, NUMBERS = DAL_COLUMN_NUMBERS, FORCE = 12 * LANES };

/* The lanes of one link and vector of columns: three of n, three of f; u of the joint takes their place, then alpha and acc. */
V4_INLINE lanes3 get3(const double *at)
{
    return (lanes3){v4_load(at), v4_load(at + 4 * LANES), v4_load(at + 8 * LANES)};
}

V4_INLINE void put3(double *at, lanes3 x)
{
    v4_store(at, x.x);
    v4_store(at + 4 * LANES, x.y);
    v4_store(at + 8 * LANES, x.z);
}

/* A b and A^T b, A by columns of four numbers. */
V4_INLINE lanes3 times3(const double A[3][4], lanes3 b)
{
    return add3(add3(scale3(spread_from(A[0]), b.x), scale3(spread_from(A[1]), b.y)), scale3(spread_from(A[2]), b.z));
}

V4_INLINE lanes3 transposed_times3(const double A[3][4], lanes3 b)
{
    return (lanes3){dot3(spread_from(A[0]), b), dot3(spread_from(A[1]), b), dot3(spread_from(A[2]), b)};
}

/* With the factor of factor3 (aba.c). */
V4_INLINE lanes3 solved3(const double L[6], lanes3 b)
{
    const v4 y1 = b.x, y2 = b.y - v4_all(L[0]) * y1, y3 = b.z - v4_all(L[1]) * y1 - v4_all(L[2]) * y2;
    const v4 x3 = y3 * v4_all(L[5]), x2 = y2 * v4_all(L[4]) - v4_all(L[2]) * x3, x1 = y1 * v4_all(L[3]) - v4_all(L[0]) * x2 - v4_all(L[1]) * x3;
    return (lanes3){x1, x2, x3};
}

/* With the factor of factor6 (aba.c). */
V4_INLINE void solve6_lanes(const double A[36], v4 x[6])
{
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < i; k++)
            x[i] -= v4_all(A[6 * i + k]) * x[k];
    for (int i = 0; i < 6; i++)
        x[i] *= v4_all(A[7 * i]);
    for (int i = 4; i >= 0; i--)
        for (int k = i + 1; k < 6; k++)
            x[i] -= v4_all(A[6 * k + i]) * x[k];
}

/* ---- rows of X ---------------------------------------------------------------------------------- */

V4_INLINE v4 load_row(const dal_column_block *block, int vector, int row)
{
    const double *at = block->at[vector] + block->stride * (size_t)row;
    if (block->n[vector] == 4)
        return v4_load(at);
    v4 x = v4_all(0);
    for (int k = 0; k < 3 && k < block->n[vector]; k++)
        x[k] = at[k];
    return x;
}

/* Row `row` of X, where that may be the identity: nothing is read then. */
V4_INLINE v4 given_row(const dal_column_block *block, int vector, int row)
{
    if (!block->identity)
        return load_row(block, vector, row);
    const int k = row - block->column - 4 * vector;
    return k < 0 || k > 3 ? v4_all(0) : (v4){k == 0, k == 1, k == 2, k == 3};
}

V4_INLINE void store_row(const dal_column_block *block, int vector, int row, v4 x)
{
    double *at = block->at[vector] + block->stride * (size_t)row;
    const v4 y = x * v4_all(block->factor);
    if (block->n[vector] == 4) {
        v4_store(at, y);
        return;
    }
    for (int k = 0; k < 3 && k < block->n[vector]; k++)
        at[k] = y[k];
}

/* ---- the two passes ------------------------------------------------------------------------------- */

V4_INLINE lanes3 load_rows3(const dal_column_block *block, int vector, int row)
{
    return (lanes3){given_row(block, vector, row), given_row(block, vector, row + 1), given_row(block, vector, row + 2)};
}

V4_INLINE void store_rows3(const dal_column_block *block, int vector, int row, lanes3 x)
{
    store_row(block, vector, row, x.x);
    store_row(block, vector, row + 1, x.y);
    store_row(block, vector, row + 2, x.z);
}

/* One link and vector. The parent's n and f are set by the first child and added to by the others. */
V4_INLINE void column_backward(const dal_link *link, dal_link_kind kind, const dal_link_motion *m, const dal_link_inertia *at,
                               const dal_column_block *block, int b, bool touched, bool parent_touched, double *own, double *parent)
{
    const lanes3 zero = {v4_all(0), v4_all(0), v4_all(0)};
    lanes3 n = zero, f = zero;
    if (touched) {
        n = get3(own);
        f = get3(own + FORCE);
    }
    if (kind == DAL_LINK_FREE) { /* solved on the way back */
        put3(own, sub3(times3(m->R, load_rows3(block, b, link->v + 3)), n));
        put3(own + FORCE, sub3(load_rows3(block, b, link->v), f));
        return;
    }
    if (kind == DAL_LINK_BALL) {
        const lanes3 torque = times3(m->R, load_rows3(block, b, link->v)), u = sub3(torque, n);
        put3(own, u);
        f = add3(f, times3(at->Ht, solved3(at->factor, u)));
        n = torque;
    } else {
        v4 u = given_row(block, b, link->v);
        if (kind != DAL_LINK_SHIFT)
            u -= dot3(spread_from(m->R[2]), n);
        if (kind != DAL_LINK_TURN)
            u -= dot3(spread_from(m->R[2]), f) * v4_all(kind == DAL_LINK_SCREW ? link->pitch : 1);
        u *= v4_all(at->inverse);
        v4_store(own, u);
        n = add3(n, scale3(spread_from(at->Un), u));
        f = add3(f, scale3(spread_from(at->Uf), u));
    }
    if (link->parent < 0)
        return;
    n = add3(n, cross3(spread_from(m->d), f));
    if (parent_touched) {
        n = add3(get3(parent), n);
        f = add3(get3(parent + FORCE), f);
    }
    put3(parent, n);
    put3(parent + FORCE, f);
}

V4_INLINE void columns_backward_run(const dal_links *links, const dal_links_work *work, dal_column_work *columns, const dal_column_block *block,
                                    const dal_link_run *run, dal_link_kind kind)
{
    const int end = run->first + run->n - 1 < block->last ? run->first + run->n - 1 : block->last;
    for (int i = end; i >= run->first; i--) {
        const dal_link *link = &links->link[i];
        double *own = columns->lanes + NUMBERS * (size_t)i, *parent = columns->lanes + NUMBERS * (size_t)(link->parent < 0 ? 0 : link->parent);
        const bool touched = columns->touched[i], parent_touched = link->parent >= 0 && columns->touched[link->parent];
        if (block->identity && !touched && (link->v >= block->column + 4 * block->vectors || link->v + dal_link_velocities(kind) <= block->column)) {
            memset(own, 0, sizeof *own * NUMBERS);
            continue;
        }
        for (int b = 0; b < block->vectors; b++)
            column_backward(link, kind, &work->motion[i], &work->inertia[i], block, b, touched, parent_touched, own + 4 * b, parent + 4 * b);
        if (link->parent >= 0)
            columns->touched[link->parent] = true;
    }
}

V4_INLINE void column_forward(const dal_link *link, dal_link_kind kind, const dal_link_motion *m, const dal_link_inertia *at,
                              const dal_column_block *block, int b, double *own, const double *parent)
{
    lanes3 alpha = {v4_all(0), v4_all(0), v4_all(0)}, acc = alpha;
    if (kind == DAL_LINK_FREE) {
        const lanes3 n = get3(own), f = get3(own + FORCE);
        v4 x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
        solve6_lanes(at->factor, x);
        alpha = (lanes3){x[0], x[1], x[2]};
        acc = (lanes3){x[3], x[4], x[5]};
        store_rows3(block, b, link->v, acc);
        store_rows3(block, b, link->v + 3, transposed_times3(m->R, alpha));
        put3(own, alpha);
        put3(own + FORCE, acc);
        return;
    }
    if (link->parent >= 0) {
        alpha = get3(parent);
        acc = add3(get3(parent + FORCE), cross3(alpha, spread_from(m->d)));
    }
    if (kind == DAL_LINK_BALL) {
        const lanes3 whole = solved3(at->factor, sub3(get3(own), transposed_times3(at->Ht, acc)));
        store_rows3(block, b, link->v, transposed_times3(m->R, sub3(whole, alpha)));
        alpha = whole;
    } else {
        const v4 inertial = dot3(spread_from(at->Un), alpha) + dot3(spread_from(at->Uf), acc), rise = v4_load(own) - inertial * v4_all(at->inverse);
        store_row(block, b, link->v, rise);
        if (kind != DAL_LINK_SHIFT)
            alpha = add3(alpha, scale3(spread_from(m->R[2]), rise));
        if (kind != DAL_LINK_TURN)
            acc = add3(acc, scale3(spread_from(m->R[2]), rise * v4_all(kind == DAL_LINK_SCREW ? link->pitch : 1)));
    }
    put3(own, alpha);
    put3(own + FORCE, acc);
}

V4_INLINE void columns_forward_run(const dal_links *links, const dal_links_work *work, dal_column_work *columns, const dal_column_block *block,
                                   const dal_link_run *run, dal_link_kind kind)
{
    const int end = run->first + run->n - 1 < block->last ? run->first + run->n - 1 : block->last;
    for (int i = run->first; i <= end; i++) {
        const dal_link *link = &links->link[i];
        double *own = columns->lanes + NUMBERS * (size_t)i;
        const double *parent = columns->lanes + NUMBERS * (size_t)(link->parent < 0 ? 0 : link->parent);
        columns->touched[i] = false; /* as the next block expects it */
        for (int b = 0; b < block->vectors; b++)
            column_forward(link, kind, &work->motion[i], &work->inertia[i], block, b, own + 4 * b, parent + 4 * b);
    }
}

void DAL_KERNEL(dal_aba_columns)(const dal_links *links, const dal_links_work *work, dal_column_work *columns, const dal_column_block *block)
{
#define CALL(kind) columns_backward_run(links, work, columns, block, run, kind)
    FOR_RUNS_BACKWARD(links, CALL)
#undef CALL
#define CALL(kind) columns_forward_run(links, work, columns, block, run, kind)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}
