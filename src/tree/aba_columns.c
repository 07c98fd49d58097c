/* M^-1 X for many columns X at once, with the articulated bodies that aba_solve has left: U, 1/D and the factors of balls and free links.
 *
 * The two passes of aba.c with tau = X and no bias, one velocity a row, one right side a lane:
 *     backward  u = X - S.(n, f),   (n, f) += U u / D,   f_p += f,   n_p += n + d x f
 *     forward   acc = acc_p + alpha_p x d,   x = (u - U.(alpha_p, acc)) / D,   alpha = alpha_p + A x a,   acc += L x a
 * A block has up to sixteen columns, so that the numbers of its lanes for a chain of a hundred links stay in the first caches.
 */
#include "tree/lanes.h"
#include "tree/link_motion.h"

enum { LANES = DAL_COLUMN_VECTORS, NUMBERS = DAL_COLUMN_NUMBERS };

/* The lanes of one link and vector of columns: three of n (later alpha), three of f (later acc), three of u. */
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

V4_INLINE void columns_backward_run(const dal_links *links, const dal_links_work *work, double *lanes, const dal_column_block *block, const dal_link_run *run,
                                    dal_link_kind kind)
{
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *m = &work->motion[i];
        const dal_link_inertia *at = &work->inertia[i];
        for (int b = 0; b < block->vectors; b++) {
            double *own = lanes + NUMBERS * (size_t)i + 4 * (size_t)b;
            lanes3 n = get3(own), f = get3(own + 12 * LANES);
            if (kind == DAL_LINK_FREE) {
                const lanes3 push = {load_row(block, b, link->v), load_row(block, b, link->v + 1), load_row(block, b, link->v + 2)};
                const lanes3 turn = {load_row(block, b, link->v + 3), load_row(block, b, link->v + 4), load_row(block, b, link->v + 5)};
                put3(own, sub3(times3(m->R, turn), n));
                put3(own + 12 * LANES, sub3(push, f));
                continue; /* solved on the way back */
            }
            if (kind == DAL_LINK_BALL) {
                const lanes3 turn = {load_row(block, b, link->v), load_row(block, b, link->v + 1), load_row(block, b, link->v + 2)};
                const lanes3 torque = times3(m->R, turn), u = sub3(torque, n);
                put3(own + 24 * LANES, u);
                f = add3(f, times3(at->Ht, solved3(at->factor, u)));
                n = torque;
            } else {
                v4 u = load_row(block, b, link->v);
                if (kind != DAL_LINK_SHIFT)
                    u -= dot3(spread_from(m->R[2]), n);
                if (kind != DAL_LINK_TURN)
                    u -= dot3(spread_from(m->R[2]), f) * v4_all(kind == DAL_LINK_SCREW ? link->pitch : 1);
                v4_store(own + 24 * LANES, u);
                const v4 push = u * v4_all(at->inverse);
                n = add3(n, scale3(spread_from(at->Un), push));
                f = add3(f, scale3(spread_from(at->Uf), push));
            }
            if (link->parent < 0)
                continue;
            double *parent = lanes + NUMBERS * (size_t)link->parent + 4 * (size_t)b;
            put3(parent, add3(get3(parent), add3(n, cross3(spread_from(m->d), f))));
            put3(parent + 12 * LANES, add3(get3(parent + 12 * LANES), f));
        }
    }
}

V4_INLINE void columns_forward_run(const dal_links *links, const dal_links_work *work, double *lanes, const dal_column_block *block, const dal_link_run *run,
                                   dal_link_kind kind)
{
    const lanes3 none = {v4_all(0), v4_all(0), v4_all(0)};
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *m = &work->motion[i];
        const dal_link_inertia *at = &work->inertia[i];
        for (int b = 0; b < block->vectors; b++) {
            double *own = lanes + NUMBERS * (size_t)i + 4 * (size_t)b;
            const double *parent = lanes + NUMBERS * (size_t)(link->parent < 0 ? 0 : link->parent) + 4 * (size_t)b;
            if (kind == DAL_LINK_FREE) {
                const lanes3 n = get3(own), f = get3(own + 12 * LANES);
                v4 x[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
                solve6_lanes(at->factor, x);
                const lanes3 alpha = {x[0], x[1], x[2]}, acc = {x[3], x[4], x[5]}, turn = transposed_times3(m->R, alpha);
                store_row(block, b, link->v, acc.x);
                store_row(block, b, link->v + 1, acc.y);
                store_row(block, b, link->v + 2, acc.z);
                store_row(block, b, link->v + 3, turn.x);
                store_row(block, b, link->v + 4, turn.y);
                store_row(block, b, link->v + 5, turn.z);
                put3(own, alpha);
                put3(own + 12 * LANES, acc);
                continue;
            }
            lanes3 alpha = none, acc = none;
            if (link->parent >= 0) {
                alpha = get3(parent);
                const lanes3 carried = cross3(spread_from(m->d), alpha); /* alpha x d = -(d x alpha) */
                acc = sub3(get3(parent + 12 * LANES), carried);
            }
            if (kind == DAL_LINK_BALL) {
                const lanes3 u = sub3(get3(own + 24 * LANES), transposed_times3(at->Ht, acc)), whole = solved3(at->factor, u);
                const lanes3 turn = transposed_times3(m->R, sub3(whole, alpha));
                store_row(block, b, link->v, turn.x);
                store_row(block, b, link->v + 1, turn.y);
                store_row(block, b, link->v + 2, turn.z);
                alpha = whole;
            } else {
                const v4 rise = (v4_load(own + 24 * LANES) - dot3(spread_from(at->Un), alpha) - dot3(spread_from(at->Uf), acc)) * v4_all(at->inverse);
                store_row(block, b, link->v, rise);
                if (kind != DAL_LINK_SHIFT)
                    alpha = add3(alpha, scale3(spread_from(m->R[2]), rise));
                if (kind != DAL_LINK_TURN)
                    acc = add3(acc, scale3(spread_from(m->R[2]), rise * v4_all(kind == DAL_LINK_SCREW ? link->pitch : 1)));
            }
            put3(own, alpha);
            put3(own + 12 * LANES, acc);
        }
    }
}

void DAL_KERNEL(dal_aba_columns)(const dal_links *links, const dal_links_work *work, double *lanes, const dal_column_block *block)
{
    memset(lanes, 0, sizeof *lanes * NUMBERS * (size_t)links->n);
#define CALL(kind) columns_backward_run(links, work, lanes, block, run, kind)
    FOR_RUNS_BACKWARD(links, CALL)
#undef CALL
#define CALL(kind) columns_forward_run(links, work, lanes, block, run, kind)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}
