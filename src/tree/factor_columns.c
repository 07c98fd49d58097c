/* -M^-1 X for many columns X at once, by the factor M = L^T D L over the joint tree, with the articulated bodies that aba_solve or aba_factor have left.
 * Where the ways to the ground are short this takes fewer operations than the passes of aba_columns.c.
 *
 * L has ones on the diagonal and otherwise only entries of columns i before k on the way to the ground. Where all that is behind link k has been
 * eliminated, the row of M is that of the articulated body (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7): with the twist (a_i; b_i)
 * of column i about its own origin, d the way from there to link k, and U = I_k S_k, D = S_k.U of aba.c,
 *     L_ki = (a_i.(U_n + d x U_f) + b_i.U_f) / D
 * The three columns R_c of a ball stay together. D = R^T I R, and
 *     L_ci = a_i.(R_c + d x G_c) + b_i.G_c,   G_c = H^T I^-1 R_c
 * so that R_c and G_c take the places of U_n / D and U_f / D. A free link has nothing before it; D is its matrix of six.
 *
 * Backward, over what is behind a link, and forward, over what is before it:
 *     y_i = x_i - sum_k L_ki y_k          z_k = -D^-1 y_k - sum_i L_ki z_i
 * A block has the same columns of two matrices. The rows of links that are neither before nor behind one of these columns are zero on the way back.
 */
#include "tree/column_lanes.h"
#include "tree/link_motion.h"

/* ---- the factor ----------------------------------------------------------------------------------- */

/* The row of L with U / D, moved from the link's origin r. */
V4_INLINE void factor_row(const dal_links *links, const dal_derivatives_work *d_work, int i, v4 origin, v4 moment, v4 force, double *row)
{
    const lanes3 r = spread3(origin), n = spread3(moment), f = spread3(force);
    for (int p = links->span_of[i]; p >= 0; p = links->span[p].before) {
        const int first = links->span[p].first;
        for (int j = first; j < first + links->span[p].n; j += DAL_LANES) {
            const lanes3 d = sub3(r, load_triple(d_work->column, DAL_COLUMN_ORIGIN, j));
            const lanes3 a = load_triple(d_work->column, DAL_COLUMN_AXIS, j), b = load_triple(d_work->column, DAL_COLUMN_SHIFT, j);
            lanes_store(row + j, dot3(moved(n, d, f), a) + dot3(f, b));
        }
    }
}

V4_INLINE void factor_rows_run(const dal_links *links, const dal_links_work *work, dal_derivatives_work *d_work, const dal_link_run *run,
                               dal_link_kind kind)
{
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link_motion *m = &work->motion[i];
        const dal_link_inertia *at = &work->inertia[i];
        const v4 r = v4_load(m->r);
        double *row = d_work->factor.L + d_work->factor.stride * (size_t)links->link[i].v;
        if (kind == DAL_LINK_FREE)
            continue;
        if (kind == DAL_LINK_BALL) {
            v4 Ht[3];
            load3(at->Ht[0], Ht);
            for (int c = 0; c < 3; c++, row += d_work->factor.stride) {
                const v4 axis = v4_load(m->R[c]);
                factor_row(links, d_work, i, r, axis, v4_mul(Ht, solve3(at->factor, axis)), row);
            }
            continue;
        }
        const v4 inverse = v4_all(at->inverse);
        factor_row(links, d_work, i, r, v4_load(at->Un) * inverse, v4_load(at->Uf) * inverse, row);
    }
}

void DAL_KERNEL(dal_factor_rows)(const dal_links *links, const dal_links_work *work, dal_derivatives_work *d_work)
{
#define CALL(kind) factor_rows_run(links, work, d_work, run, kind)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}

/* ---- the two passes --------------------------------------------------------------------------------- */

enum { MOST = 2 * DAL_FACTOR_VECTORS };

/* Vector b of a block at a row of the matrices; `many`: vectors of each of the two. */
V4_INLINE double *block_place(const dal_factor_block *block, int many, int b, int row)
{
    double *X = b < many ? block->X : block->Y;
    return X + block->stride * (size_t)row + block->first + DAL_LANES * (b < many ? b : b - many);
}

V4_INLINE int block_lanes(const dal_factor_block *block, int many, int b)
{
    return block->n - DAL_LANES * (b < many ? b : b - many);
}

/* Rows of one link: of X, less what is behind it. */
V4_INLINE void factor_backward_link(const dal_links *links, const dal_factor_work *factor, const dal_factor_block *block, int many, int i, int n)
{
    const int width = 2 * many, v = links->link[i].v;
    for (int row = v; row < v + n; row++) {
        lanes y[MOST];
        for (int b = 0; b < width; b++)
            y[b] = block->related[row] ? lanes_load_some(block_place(block, many, b, row), block_lanes(block, many, b)) : lanes_all(0);
        for (int p = block->related[row] ? links->below_of[i] : -1; p >= 0; p = links->below[p].before) {
            const int first = links->below[p].first, end = first + links->below[p].n;
            if (!block->related[first])
                continue;
            const double *l = factor->L + factor->stride * (size_t)first + row, *below = factor->lanes + (size_t)(DAL_LANES * width) * (size_t)first;
            for (int k = first; k < end; k++, l += factor->stride, below += DAL_LANES * width) {
                const lanes entry = lanes_all(*l);
                for (int b = 0; b < width; b++)
                    y[b] -= entry * lanes_load(below + DAL_LANES * b);
            }
        }
        for (int b = 0; b < width; b++)
            lanes_store(factor->lanes + (size_t)(DAL_LANES * width) * (size_t)row + DAL_LANES * b, y[b]);
    }
}

/* -D^-1 y of a ball or a free link, in place; its rows start at y. */
V4_INLINE void solve_rows3(const dal_link_motion *m, const dal_link_inertia *at, double *y, size_t row)
{
    const lanes3 given = {lanes_load(y), lanes_load(y + row), lanes_load(y + 2 * row)};
    const lanes3 x = transposed_times3(m->R, solved3(at->factor, times3(m->R, given)));
    lanes_store(y, -x.x);
    lanes_store(y + row, -x.y);
    lanes_store(y + 2 * row, -x.z);
}

V4_INLINE void solve_rows6(const dal_link_motion *m, const dal_link_inertia *at, double *y, size_t row)
{
    const lanes3 n = times3(m->R, (lanes3){lanes_load(y + 3 * row), lanes_load(y + 4 * row), lanes_load(y + 5 * row)});
    lanes x[6] = {n.x, n.y, n.z, lanes_load(y), lanes_load(y + row), lanes_load(y + 2 * row)};
    solve6_lanes(at->factor, x);
    const lanes3 turn = transposed_times3(m->R, (lanes3){x[0], x[1], x[2]});
    const lanes all[6] = {x[3], x[4], x[5], turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++)
        lanes_store(y + (size_t)k * row, -all[k]);
}

V4_INLINE void factor_forward_link(const dal_links *links, const dal_links_work *work, const dal_factor_work *factor, const dal_factor_block *block,
                                   int many, int i, dal_link_kind kind)
{
    const int width = 2 * many, v = links->link[i].v, n = dal_link_velocities(kind);
    const size_t row_lanes = (size_t)(DAL_LANES * width);
    double *own = factor->lanes + row_lanes * (size_t)v;
    for (int b = 0; b < width && n > 1; b++) {
        if (kind == DAL_LINK_FREE)
            solve_rows6(&work->motion[i], &work->inertia[i], own + DAL_LANES * b, row_lanes);
        else
            solve_rows3(&work->motion[i], &work->inertia[i], own + DAL_LANES * b, row_lanes);
    }
    const lanes scale = lanes_all(n > 1 ? 1 : -work->inertia[i].inverse);
    for (int c = 0; c < n; c++, own += row_lanes) {
        const double *row = factor->L + factor->stride * (size_t)(v + c);
        lanes z[MOST];
        for (int b = 0; b < width; b++)
            z[b] = lanes_load(own + DAL_LANES * b) * scale;
        for (int p = links->span_of[i]; p >= 0; p = links->span[p].before) {
            const int first = links->span[p].first, end = first + links->span[p].n;
            const double *before = factor->lanes + row_lanes * (size_t)first;
            for (int j = first; j < end; j++, before += row_lanes) {
                const lanes entry = lanes_all(row[j]);
                for (int b = 0; b < width; b++)
                    z[b] -= entry * lanes_load(before + DAL_LANES * b);
            }
        }
        for (int b = 0; b < width; b++) {
            lanes_store(own + DAL_LANES * b, z[b]);
            lanes_store_some(block_place(block, many, b, v + c), block_lanes(block, many, b), z[b]);
        }
    }
}

V4_INLINE void factor_backward_run(const dal_links *links, const dal_factor_work *factor, const dal_factor_block *block, int many,
                                   const dal_link_run *run, dal_link_kind kind)
{
    for (int i = run->first + run->n - 1; i >= run->first; i--)
        factor_backward_link(links, factor, block, many, i, dal_link_velocities(kind));
}

V4_INLINE void factor_forward_run(const dal_links *links, const dal_links_work *work, const dal_factor_work *factor, const dal_factor_block *block,
                                  int many, const dal_link_run *run, dal_link_kind kind)
{
    for (int i = run->first; i < run->first + run->n; i++)
        factor_forward_link(links, work, factor, block, many, i, kind);
}

V4_INLINE void factor_block(const dal_links *links, const dal_links_work *work, const dal_factor_work *factor, const dal_factor_block *block,
                            int many)
{
#define CALL(kind) factor_backward_run(links, factor, block, many, run, kind)
    FOR_RUNS_BACKWARD(links, CALL)
#undef CALL
#define CALL(kind) factor_forward_run(links, work, factor, block, many, run, kind)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}

void DAL_KERNEL(dal_factor_columns)(const dal_links *links, const dal_links_work *work, const dal_factor_work *factor, const dal_factor_block *block)
{
    if (block->n <= DAL_LANES)
        factor_block(links, work, factor, block, 1);
    else if (block->n <= 2 * DAL_LANES)
        factor_block(links, work, factor, block, 2);
    else
        factor_block(links, work, factor, block, DAL_FACTOR_VECTORS);
}
