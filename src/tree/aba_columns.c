/* M^-1 X for many columns X at once, with the articulated bodies that aba_solve or aba_factor have left: U, 1/D and the factors of balls and free links.
 *
 * The two passes of aba.c with tau = X and no bias, one velocity a row, one right side a lane:
 *     backward  u = X - S.(n, f),   (n, f) += U u / D,   f_p += f,   n_p += n + d x f
 *     forward   acc = acc_p + alpha_p x d,   x = (u - U.(alpha_p, acc)) / D,   alpha = alpha_p + A x a,   acc += L x a
 * A block has few columns, so that the numbers of its lanes for a chain of a hundred links stay in the first caches. Where X is the identity, a link that
 * no column of the block pushes needs no backward step, and only the links up to the last column are computed: M^-1 is symmetric.
 */
#include "tree/column_lanes.h"
#include "tree/link_motion.h"

enum { WIDTH = DAL_COLUMN_WIDTH, FORCE = 3 * WIDTH };

/* The lanes of one link and vector of columns: three of n, three of f; u of the joint takes their place, then alpha and acc. */
V4_INLINE lanes3 get3(const double *at)
{
    return (lanes3){lanes_load(at), lanes_load(at + WIDTH), lanes_load(at + 2 * WIDTH)};
}

V4_INLINE void put3(double *at, lanes3 x)
{
    lanes_store(at, x.x);
    lanes_store(at + WIDTH, x.y);
    lanes_store(at + 2 * WIDTH, x.z);
}

/* ---- rows of X ---------------------------------------------------------------------------------- */

/* Row `row` of X, where that may be the identity: nothing is read then. */
V4_INLINE lanes given_row(const dal_column_block *block, int vector, int row)
{
    if (!block->identity)
        return lanes_load_some(block->at[vector] + block->stride * (size_t)row, block->n[vector]);
    const int k = row - block->column - DAL_LANES * vector;
    lanes x = lanes_all(0);
    for (int lane = 0; lane < DAL_LANES; lane++)
        x[lane] = lane == k;
    return x;
}

V4_INLINE void store_row(const dal_column_block *block, int vector, int row, lanes x)
{
    lanes_store_some(block->at[vector] + block->stride * (size_t)row, block->n[vector], x * lanes_all(block->factor));
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
    const lanes3 zero = {lanes_all(0), lanes_all(0), lanes_all(0)};
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
        lanes u = given_row(block, b, link->v);
        if (kind != DAL_LINK_SHIFT)
            u -= dot3(spread_from(m->R[2]), n);
        if (kind != DAL_LINK_TURN)
            u -= dot3(spread_from(m->R[2]), f) * lanes_all(kind == DAL_LINK_SCREW ? link->pitch : 1);
        u *= lanes_all(at->inverse);
        lanes_store(own, u);
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
        double *own = columns->lanes + DAL_COLUMN_NUMBERS * (size_t)i,
               *parent = columns->lanes + DAL_COLUMN_NUMBERS * (size_t)(link->parent < 0 ? 0 : link->parent);
        const bool touched = columns->touched[i], parent_touched = link->parent >= 0 && columns->touched[link->parent];
        if (block->identity && !touched &&
            (link->v >= block->column + DAL_LANES * block->vectors || link->v + dal_link_velocities(kind) <= block->column)) {
            memset(own, 0, sizeof *own * DAL_COLUMN_NUMBERS);
            continue;
        }
        for (int b = 0; b < block->vectors; b++)
            column_backward(link, kind, &work->motion[i], &work->inertia[i], block, b, touched, parent_touched, own + DAL_LANES * b,
                            parent + DAL_LANES * b);
        if (link->parent >= 0)
            columns->touched[link->parent] = true;
    }
}

V4_INLINE void column_forward(const dal_link *link, dal_link_kind kind, const dal_link_motion *m, const dal_link_inertia *at,
                              const dal_column_block *block, int b, double *own, const double *parent)
{
    lanes3 alpha = {lanes_all(0), lanes_all(0), lanes_all(0)}, acc = alpha;
    if (kind == DAL_LINK_FREE) {
        const lanes3 n = get3(own), f = get3(own + FORCE);
        lanes x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
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
        const lanes inertial = dot3(spread_from(at->Un), alpha) + dot3(spread_from(at->Uf), acc),
                    rise = lanes_load(own) - inertial * lanes_all(at->inverse);
        store_row(block, b, link->v, rise);
        if (kind != DAL_LINK_SHIFT)
            alpha = add3(alpha, scale3(spread_from(m->R[2]), rise));
        if (kind != DAL_LINK_TURN)
            acc = add3(acc, scale3(spread_from(m->R[2]), rise * lanes_all(kind == DAL_LINK_SCREW ? link->pitch : 1)));
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
        double *own = columns->lanes + DAL_COLUMN_NUMBERS * (size_t)i;
        const double *parent = columns->lanes + DAL_COLUMN_NUMBERS * (size_t)(link->parent < 0 ? 0 : link->parent);
        columns->touched[i] = false; /* as the next block expects it */
        for (int b = 0; b < block->vectors; b++)
            column_forward(link, kind, &work->motion[i], &work->inertia[i], block, b, own + DAL_LANES * b, parent + DAL_LANES * b);
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
