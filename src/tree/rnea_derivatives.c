/* Derivatives of inverse dynamics: d tau / dq and d tau / dv, exact, in one pass over the links and one over pairs of columns
 * (S. Singh, R. Russell, P. Wensing, Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra, 2022).
 *
 * "By q_j" is the derivative along velocity j: of q + h N e_j, where N is that of q' = N v. Column j is the twist S_j = (a; b): a turns, b shifts the
 * point at the origin r of its link. With V_p, A_p the twist and the spatial acceleration of the frame before column j (that the column does not move),
 * and x the product of twists, (w; v) x (w'; v') = (w x w'; w x v' + v x w'):
 *     psi'  = V_p x S,   psi'' = A_p x S + V_p x psi',   chi = psi' + V_link x S
 * A body i that column j carries then has
 *     dV_i/dq_j = S x (V_i - V_p),       dA_i/dq_j = psi'' - A_i x S - V_i x psi'
 *     dV_i/dv_j = S,                     dA_i/dv_j = chi - V_i x S
 * and of the wrench F_i = I A_i + V_i x* (I V_i) that it needs, whatever is not turned with S,
 *     d F_i / dq_j - S x* F_i = I psi'' + B psi',   d F_i / dv_j = I chi + B S,   B X = I-free part: (E w; 2 w x p) for X = (w; v)
 *     p = m v + w x s,   E = 2 ([w] I - tr(I)/2 [w] + (v.s) 1 - v s^T)                              of one rigid body
 * (B has no column for v: those terms cancel.) All of I, E, p add up over the bodies behind a joint; moved by d to another origin,
 *     E_p += E + 2 ((d.p) 1 - p d^T),   p_p += p
 * With the sums I, B, F of everything behind the later one of two columns on one way to the ground,
 *     d tau_k/dq_j = S_k.(I psi''_j + B psi'_j)                 d tau_k/dv_j = S_k.(I chi_j + B S_j)           j moves S_k
 *     d tau_k/dq_j = S_k.(I psi''_j + B psi'_j + S_j x* F)      d tau_k/dv_j the same                          j is behind k
 *
 * An external wrench keeps its axes in the world while its point is carried along: less than S x* F, by (a x n; a x f). That has the form of B on
 * S: E -= [n], p -= f/2; kept apart (G, g), because B acts on psi'.
 *
 * Velocities are taken against that of the first link of each tree: the result does not depend on it, and a satellite's kilometres a second do not
 * cancel. World axes; each vector about the origin of its own link, moved where two of them meet.
 */
#include "tree/column_lanes.h"
#include "tree/link_motion.h"

enum { AXIS = DAL_COLUMN_AXIS, SHIFT = DAL_COLUMN_SHIFT, ORIGIN = DAL_COLUMN_ORIGIN, PSI1 = 9, PSI2_W = 12, PSI2_V = 15, CHI_W = 18, CHI_V = 21 };

V4_INLINE void store_triple(dal_column_table table, int quantity, int j, v4 x)
{
    double *at = table.first + table.stride * (size_t)quantity + j;
    for (int k = 0; k < 3; k++)
        at[table.stride * (size_t)k] = x[k];
}

/* ---- forward: columns and single bodies -------------------------------------------------- */

/* psi' and psi'' of a column (a; b), with the motion (w, v) and spatial acceleration (alpha, acc) that it does not move; `chi_w`, `chi_v`: V_link x S. */
V4_INLINE void store_column_rates(dal_column_table column, int j, v4 a, v4 b, v4 w, v4 v, v4 alpha, v4 acc, v4 own_w, v4 own_v, bool single)
{
    const v4 psi_w = v4_cross(w, a), psi_v = v4_cross(w, b) + v4_cross(v, a);
    v4 rate_w = psi_w, rate_v = psi_v; /* V_link = V_p + x S, and S x S = 0 */
    if (!single) {
        rate_w = v4_cross(own_w, a);
        rate_v = v4_cross(own_w, b) + v4_cross(own_v, a);
    }
    store_triple(column, AXIS, j, a);
    store_triple(column, SHIFT, j, b);
    store_triple(column, PSI1, j, psi_w);
    store_triple(column, PSI2_W, j, v4_cross(alpha, a) + v4_cross(w, psi_w));
    store_triple(column, PSI2_V, j, v4_cross(alpha, b) + v4_cross(acc, a) + v4_cross(w, psi_v) + v4_cross(v, psi_w));
    store_triple(column, CHI_W, j, psi_w + rate_w);
    store_triple(column, CHI_V, j, psi_v + rate_v);
}

/* Inertia, E and p of one link; its velocity v against the first link of its tree. */
V4_INLINE void store_body(const dal_link *link, const dal_link_motion *m, const v4 R[3], v4 w, v4 v, dal_link_composite *body)
{
    v4 I[3];
    const v4 s = v4_times(R, link->moment), mass = v4_all(link->mass);
    rotate_inertia(link->inertia, R, m->R[0], I);
    const double half_trace = 0.5 * (I[0][0] + I[1][1] + I[2][2]), along = v4_dot(v, s);
    v4 e[3];
    for (int k = 0; k < 3; k++) {
        const v4 world = {k == 0, k == 1, k == 2, 0},
                 half = v4_cross(w, I[k] - world * v4_all(half_trace)) + world * v4_all(along) - v * v4_all(s[k]);
        e[k] = half + half;
    }
    store3(body->I, I);
    store3(body->E, e);
    v4_store(body->s, s);
    v4_store(body->p, v * mass + v4_cross(w, s));
    v4_store(body->v, v);
    body->mass = link->mass;
}

/* After ABA: what the accelerations of the joints add stands where the wrenches were. The link's wrench by itself, from the inertia of world axes. */
V4_INLINE void complete_motion(const dal_link *link, dal_link_motion *m, dal_link_wrench *wrench, const dal_link_composite *body)
{
    const v4 alpha = v4_load(m->alpha) + v4_load(wrench->n), acc = v4_load(m->a) + v4_load(wrench->f), w = v4_load(m->w);
    v4 I[3], f, n;
    load3(body->I[0], I);
    v4_store(m->alpha, alpha);
    v4_store(m->a, acc);
    newton_force(link, v4_load(body->s), w, alpha, acc, &f, &n);
    v4_store(wrench->f, f);
    v4_store(wrench->n, n + v4_mul(I, alpha) + v4_cross(w, v4_times(I, m->w)));
}

V4_INLINE void derivative_columns_run(const dal_links *links, dal_links_work *work, dal_derivatives_work *d_work, const dal_link_run *run,
                                      dal_link_kind kind, const double *rate, bool after_aba)
{
    const dal_column_table column = d_work->column;
    const v4 zero = v4_all(0);
    for (int i = run->first; i < run->first + run->n; i++) {
        const dal_link *link = &links->link[i];
        const dal_link_motion *parent = &work->motion[link->parent];
        dal_link_motion *m = &work->motion[i];
        dal_link_composite *body = &d_work->body[i];
        const v4 w_p = v4_load(parent->w), alpha_p = v4_load(parent->alpha), d = v4_load(m->d), r = v4_load(m->r), w = v4_load(m->w);
        const v4 v_p = link->parent < 0 ? -v4_load(m->rd) : v4_load(d_work->body[link->parent].v);
        v4 R[3], v = zero;
        load3(m->R[0], R);
        if (kind != DAL_LINK_FREE) {
            const v4 carried = v4_cross(w_p, d);
            v = v_p + carried; /* of the parent, at this link's origin */
            const v4 acc = v4_load(parent->a) + v4_cross(alpha_p, d) + v4_cross(w_p, carried) - v4_cross(w_p, v);
            if (kind == DAL_LINK_BALL) {
                for (int k = 0; k < 3; k++) {
                    store_column_rates(column, link->v + k, R[k], zero, w_p, v, alpha_p, acc, w, v, false);
                    store_triple(column, ORIGIN, link->v + k, r);
                }
            } else {
                const v4 a = R[2] * v4_all(kind != DAL_LINK_SHIFT), b = R[2] * v4_all(kind == DAL_LINK_SCREW ? link->pitch : kind == DAL_LINK_SHIFT);
                store_column_rates(column, link->v, a, b, w_p, v, alpha_p, acc, zero, zero, true);
                store_triple(column, ORIGIN, link->v, r);
                v += b * v4_all(rate[link->v]);
            }
        }
        store_body(link, m, R, w, v, body);
        if (after_aba)
            complete_motion(link, m, &work->wrench[i], body);
        if (kind == DAL_LINK_FREE) {
            const v4 acc = v4_load(m->a);
            for (int k = 0; k < 3; k++) {
                const v4 world = {k == 0, k == 1, k == 2, 0};
                store_column_rates(column, link->v + k, zero, world, zero, zero, zero, zero, zero, zero, true);
                store_column_rates(column, link->v + 3 + k, R[k], zero, zero, zero, zero, acc, w, zero, false);
                store_triple(column, ORIGIN, link->v + k, r);
                store_triple(column, ORIGIN, link->v + 3 + k, r);
            }
        }
    }
}

/* ---- pairs of columns ------------------------------------------------------------------------- */

/* What the later of two columns gives: U = I S, e = B^T S, o = G^T S for what is before it; the wrenches by q and by v for what it is behind of. */
typedef struct later_column {
    v4 Un, Uf, e, o, qn, qf, vn, vf;
} later_column;

/* The columns of a matrix by rows are far apart. */
V4_INLINE void store_down(double *at, size_t stride, int n, lanes x)
{
    at[0] = x[0];
    for (int k = 1; k < DAL_LANES && k < n; k++)
        at[stride * (size_t)k] = x[k];
}

/* The places of the entries of a column: its row and its column of both matrices. */
typedef struct later_place {
    double *row_q, *row_v, *column_q, *column_v;
    size_t stride;
} later_place;

/* The later column against columns first ... first + n: its row, if `rows`; its column, if `columns`. */
V4_INLINE void pair_span(const dal_derivatives_work *d_work, int first, int n, const later_column *l, v4 origin, bool rows, bool columns, bool loaded,
                         const later_place *to)
{
    const dal_column_table c = d_work->column;
    const lanes3 r = spread3(origin), Un = spread3(l->Un), Uf = spread3(l->Uf), e = spread3(l->e), o = spread3(l->o);
    const lanes3 qn = spread3(l->qn), qf = spread3(l->qf), vn = spread3(l->vn), vf = spread3(l->vf);
    for (int j = first; j < first + n; j += DAL_LANES) {
        const lanes3 at = load_triple(c, ORIGIN, j), a = load_triple(c, AXIS, j), d = sub3(r, at);
        const int left = first + n - j;
        if (rows) {
            const lanes3 g = moved(Un, d, Uf);
            lanes by_q = dot3(g, load_triple(c, PSI2_W, j)) + dot3(Uf, load_triple(c, PSI2_V, j)) + dot3(e, load_triple(c, PSI1, j));
            const lanes by_v = dot3(g, load_triple(c, CHI_W, j)) + dot3(Uf, load_triple(c, CHI_V, j)) + dot3(e, a);
            if (loaded)
                by_q += dot3(o, a);
            lanes_store_some(to->row_q + j, left, by_q);
            lanes_store_some(to->row_v + j, left, by_v);
        }
        if (columns) {
            const lanes3 b = moved(load_triple(c, SHIFT, j), a, d); /* at the later origin */
            const lanes by_q = dot3(qn, a) + dot3(qf, b), by_v = dot3(vn, a) + dot3(vf, b);
            store_down(to->column_q + to->stride * (size_t)j, to->stride, left, by_q);
            store_down(to->column_v + to->stride * (size_t)j, to->stride, left, by_v);
        }
    }
}

/* ---- backward: sums over all that a link carries ------------------------------------------------ */

V4_INLINE v4 column_triple(dal_column_table table, int quantity, int j)
{
    const double *at = table.first + table.stride * (size_t)quantity + j;
    return v4_of(at[0], at[table.stride], at[2 * table.stride]);
}

V4_INLINE later_column find_later(const dal_derivatives_work *d_work, const dal_link_composite *body, const dal_link_wrench *wrench, int j,
                                  bool loaded)
{
    const dal_column_table c = d_work->column;
    const v4 a = column_triple(c, AXIS, j), b = column_triple(c, SHIFT, j), psi = column_triple(c, PSI1, j);
    const v4 psi_w = column_triple(c, PSI2_W, j), psi_v = column_triple(c, PSI2_V, j);
    const v4 chi_w = column_triple(c, CHI_W, j), chi_v = column_triple(c, CHI_V, j);
    const v4 s = v4_load(body->s), p = v4_load(body->p), p2 = p + p, m = v4_all(body->mass), F = v4_load(wrench->f), N = v4_load(wrench->n);
    v4 I[3], E[3], turned[3];
    load3(body->I[0], I);
    load3(body->E[0], E);
    v4_transpose(E, turned);
    later_column l;
    l.Un = v4_mul(I, a) + v4_cross(s, b);
    l.Uf = m * b + v4_cross(a, s);
    l.e = v4_mul(turned, a) + v4_cross(p2, b);
    l.o = v4_all(0);
    l.qn = v4_mul(I, psi_w) + v4_cross(s, psi_v) + v4_mul(E, psi) + v4_cross(a, N) + v4_cross(b, F);
    l.qf = m * psi_v + v4_cross(psi_w, s) + v4_cross(psi, p2) + v4_cross(a, F);
    l.vn = v4_mul(I, chi_w) + v4_cross(s, chi_v) + v4_mul(E, a);
    l.vf = m * chi_v + v4_cross(chi_w, s) + v4_cross(a, p2);
    if (loaded) {
        const v4 g = v4_load(body->g);
        v4 G[3];
        load3(body->G[0], G);
        v4_transpose(G, turned);
        l.o = v4_mul(turned, a) + v4_cross(g, b);
        l.qn += v4_mul(G, a);
        l.qf += v4_cross(a, g);
    }
    return l;
}

/* I, E, p, F and the loads of a link, moved to the parent's origin. */
V4_INLINE void propagate_composite(const dal_link_composite *body, const dal_link_wrench *wrench, const double *arm, bool loaded,
                                   dal_link_composite *parent, dal_link_wrench *above)
{
    const v4 d = v4_load(arm), s = v4_load(body->s), p = v4_load(body->p), p2 = p + p, m = v4_all(body->mass), f = v4_load(wrench->f);
    const double diagonal = v4_sum(d * (d * m + s + s)), along = v4_dot(d, p2);
    const v4 ms = d * m + s;
    for (int k = 0; k < 3; k++) {
        const v4 world = {k == 0, k == 1, k == 2, 0};
        v4_store(parent->I[k], v4_load(parent->I[k]) + (v4_load(body->I[k]) + world * v4_all(diagonal) - d * v4_all(ms[k]) - s * v4_all(arm[k])));
        v4_store(parent->E[k], v4_load(parent->E[k]) + (v4_load(body->E[k]) + world * v4_all(along) - p2 * v4_all(arm[k])));
    }
    v4_store(parent->s, v4_load(parent->s) + ms);
    v4_store(parent->p, v4_load(parent->p) + p);
    parent->mass += body->mass;
    v4_store(above->f, v4_load(above->f) + f);
    v4_store(above->n, v4_load(above->n) + v4_load(wrench->n) + v4_cross(d, f));
    if (loaded) {
        const v4 g = v4_load(body->g);
        const double reach = v4_dot(d, g);
        for (int k = 0; k < 3; k++) {
            const v4 world = {k == 0, k == 1, k == 2, 0};
            v4_store(parent->G[k], v4_load(parent->G[k]) + (v4_load(body->G[k]) + world * v4_all(reach) - g * v4_all(arm[k])));
        }
        v4_store(parent->g, v4_load(parent->g) + g);
    }
}

V4_INLINE void derivative_rows_run(const dal_links *links, dal_links_work *work, dal_derivatives_work *d_work, const dal_link_run *run,
                                   dal_link_kind kind, bool loaded, double *dq, double *dv)
{
    const size_t nv = (size_t)links->nv;
    for (int i = run->first + run->n - 1; i >= run->first; i--) {
        const dal_link *link = &links->link[i];
        const dal_link_composite *body = &d_work->body[i];
        const v4 r = v4_load(work->motion[i].r);
        const int last = links->span_of[i], n = dal_link_velocities(kind);
        for (int k = 0; k < n; k++) {
            const int j = link->v + k;
            const later_column l = find_later(d_work, body, &work->wrench[i], j, loaded);
            const later_place to = {dq + nv * (size_t)j, dv + nv * (size_t)j, dq + j, dv + j, nv};
            for (int p = last; p >= 0; p = links->span[p].before)
                pair_span(d_work, links->span[p].first, links->span[p].n, &l, r, true, true, loaded, &to);
            pair_span(d_work, link->v, n, &l, r, true, false, loaded, &to);
            if (kind == DAL_LINK_FREE && k >= 3) /* positions are fixed while the link turns */
                pair_span(d_work, link->v, 3, &l, r, false, true, loaded, &to);
        }
        if (link->parent >= 0)
            propagate_composite(body, &work->wrench[i], work->motion[i].d, loaded, &d_work->body[link->parent], &work->wrench[link->parent]);
    }
}

void DAL_KERNEL(dal_rnea_derivative_columns)(const dal_links *links, dal_links_work *work, dal_derivatives_work *d_work, const double *v,
                                             bool after_aba)
{
#define CALL(kind) derivative_columns_run(links, work, d_work, run, kind, v, after_aba)
    FOR_RUNS_FORWARD(links, CALL)
#undef CALL
}

void DAL_KERNEL(dal_rnea_derivative_rows)(const dal_links *links, dal_links_work *work, dal_derivatives_work *d_work, bool loaded, double *dq,
                                          double *dv)
{
#define CALL(kind) derivative_rows_run(links, work, d_work, run, kind, loaded, dq, dv)
    FOR_RUNS_BACKWARD(links, CALL)
#undef CALL
}
