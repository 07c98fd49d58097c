/* The elimination of loops: the equations are in the head of loops.h. One source for every instruction set, as aba.c. */
#include "tree/loops.h"
#include "tree/vector.h"

#include <math.h>
#include <string.h>

static double *K_of(const dal_loops_work *work, int slot)
{
    return work->K[slot - work->first_K];
}

static void scatter_covectors(const dal_loops *loops, dal_loops_work *work, const bool *used)
{
    memset(work->K, 0, sizeof *work->K * (size_t)loops->n_slots);
    memset(work->entry, 0, sizeof *work->entry * (size_t)loops->n_entries);
    for (int s = 0; s < loops->n_sides; s++) {
        double *K = K_of(work, loops->side_slot[s]);
        const double *c = work->covector[s];
        if (!used[loops->side[s].row])
            continue;
        v4_store(K, v4_load(K) + v4_load3(c));
        v4_store(K + 4, v4_load(K + 4) + v4_load3(c + 3));
    }
}

/* I += k k^T / d */
static void add_outer(const double k[8], double inverse, dal_link_inertia *at)
{
    const v4 kn = v4_load(k), kf = v4_load(k + 4);
    for (int j = 0; j < 3; j++) {
        const v4 n = v4_all(inverse * k[j]), f = v4_all(inverse * k[4 + j]);
        v4_store(at->I[j], v4_load(at->I[j]) + kn * n);
        v4_store(at->Ht[j], v4_load(at->Ht[j]) + kf * n);
        v4_store(at->M[j], v4_load(at->M[j]) + kf * f);
    }
}

/* The complete rows of a front, one after the other. `at`: the link, NULL the ground. */
static double eliminate_rows(const dal_loops *loops, const dal_loop_front *front, dal_loops_work *work, const bool *used, dal_link_inertia *at)
{
    double ratio = 1;
    for (int j = 0; j < front->n_eliminated; j++) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const int *target = loops->target + pivot->target;
        const double *K = at ? K_of(work, front->slot + j) : NULL;
        double d = work->entry[pivot->diagonal];
        if (!used[loops->slot_row[front->slot + j]]) {
            work->inverse[front->pivot + j] = 0; /* lambda = 0; K and the entries are zero, as nothing was put in */
            for (int x = 0; x < pivot->n; x++)
                work->entry[below[x].entry] = 0;
            continue;
        }
        ratio = fmin(ratio, d / work->weight[loops->slot_row[front->slot + j]]);
        if (!(d > 0))
            return 0;
        const double inverse = work->inverse[front->pivot + j] = 1 / d;
        for (int x = 0; x < pivot->n; x++) {
            const double l = work->entry[below[x].entry] * inverse;
            for (int y = 0; y <= x; y++)
                work->entry[*target++] -= l * work->entry[below[y].entry];
            if (at) {
                double *other = K_of(work, below[x].slot);
                v4_store(other, v4_load(other) - v4_all(l) * v4_load(K));
                v4_store(other + 4, v4_load(other + 4) - v4_all(l) * v4_load(K + 4));
            }
        }
        for (int x = 0; x < pivot->n; x++)
            work->entry[below[x].entry] *= inverse;
        if (at)
            add_outer(K, inverse, at);
    }
    return ratio;
}

/* A x, A by columns of four numbers. */
static void multiply3(const double *A, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = A[i] * x[0] + A[4 + i] * x[1] + A[8 + i] * x[2];
}

/* S.K of a joint with one coordinate. */
V4_INLINE double joint_force(const dal_link *link, v4 axis, v4 n, v4 f)
{
    return link->kind == DAL_LINK_TURN    ? v4_dot(axis, n)
           : link->kind == DAL_LINK_SHIFT ? v4_dot(axis, f)
                                          : v4_sum(axis * n + axis * f * v4_all(link->pitch));
}

static void solve_factored3(const double L[6], const double b[3], double x[3])
{
    const double y1 = b[0], y2 = b[1] - L[0] * y1, y3 = b[2] - L[1] * y1 - L[2] * y2;
    x[2] = y3 * L[5];
    x[1] = y2 * L[4] - L[2] * x[2];
    x[0] = y1 * L[3] - L[0] * x[1] - L[1] * x[2];
}

/* The open rows pass the joint: kappa, the reduced K moved to the parent, and L of the parent. */
static void propagate_rows(const dal_links *links, const dal_loops *loops, int i, const dal_links_work *tree, dal_loops_work *work,
                           const dal_recursion *run)
{
    const dal_link *link = &links->link[i];
    const dal_loop_front *front = &loops->front[i];
    const dal_link_motion *m = &tree->motion[i];
    const dal_link_inertia *at = &tree->inertia[i];
    const int first = front->slot + front->n_eliminated, end = front->slot + front->n_slots;
    const bool single = link->kind != DAL_LINK_FREE && link->kind != DAL_LINK_BALL;
    const v4 d = v4_load(m->d), axis = v4_load(m->R[2]), Un = v4_load(at->Un), Uf = v4_load(at->Uf);
    for (int s = first; s < end; s++) {
        double *K = K_of(work, s);
        v4 n = v4_load(K), f = v4_load(K + 4);
        if (link->kind == DAL_LINK_FREE) { /* D^-1 S.K in full; nothing is left, and the ground takes nothing */
            double *all = work->heavy[front->heavy + s - first];
            memcpy(all, K, 8 * sizeof *all);
            run->aba_solve_free(at, all);
            continue;
        }
        if (single) {
            work->kappa[s] = joint_force(link, axis, n, f);
            const v4 push = v4_all(work->kappa[s] * at->inverse);
            n -= Un * push;
            f -= Uf * push;
        } else {
            double felt[4] = {0}, *turned = work->heavy[front->heavy + s - first];
            solve_factored3(at->factor, K, turned);
            multiply3(at->Ht[0], turned, felt);
            n = v4_all(0);
            f -= v4_load(felt);
        }
        if (link->parent < 0)
            continue;
        double *up = K_of(work, loops->slot_up[s]);
        v4_store(up, v4_load(up) + n + v4_cross(d, f));
        v4_store(up + 4, v4_load(up + 4) + f);
    }
    const dal_loop_pair *pair = loops->pair + front->pair;
    for (int x = first; x < end; x++)
        for (int y = first; y <= x; y++, pair++) {
            double sum = pair->entry >= 0 ? work->entry[pair->entry] : 0;
            if (single)
                sum += work->kappa[x] * work->kappa[y] * at->inverse;
            else {
                const double *a = work->heavy[front->heavy + x - first], *K = K_of(work, y);
                sum += a[0] * K[0] + a[1] * K[1] + a[2] * K[2];
                if (link->kind == DAL_LINK_FREE)
                    sum += a[4] * K[4] + a[5] * K[5] + a[6] * K[6];
            }
            work->entry[pair->up] += sum;
        }
}

/* g of the complete rows, and what their multipliers do to the link. */
static void reduce_rows(const dal_loops *loops, const dal_loop_front *front, dal_loops_work *work, const double *b, dal_link_wrench *wrench)
{
    for (int j = 0; j < front->n_eliminated; j++)
        work->g[front->slot + j] += b[loops->slot_row[front->slot + j]];
    for (int j = 0; j < front->n_eliminated; j++) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const double *K = wrench ? K_of(work, front->slot + j) : NULL, z = work->g[front->slot + j], push = z * work->inverse[front->pivot + j];
        for (int x = 0; x < pivot->n; x++)
            work->g[below[x].slot] -= work->entry[below[x].entry] * z;
        if (wrench) {
            v4_store(wrench->n, v4_load(wrench->n) - v4_load(K) * v4_all(push));
            v4_store(wrench->f, v4_load(wrench->f) - v4_load(K + 4) * v4_all(push));
        }
    }
}

/* lambda of the complete rows, where the link's acceleration and the multipliers of the open ones are known. */
static void restore_multipliers(const dal_loops *loops, const dal_loop_front *front, const dal_loops_work *work, const dal_link_wrench *motion,
                                double *lambda)
{
    for (int j = front->n_eliminated - 1; j >= 0; j--) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const double *K = motion ? K_of(work, front->slot + j) : NULL;
        double z = work->g[front->slot + j];
        if (motion)
            z -= v4_sum(v4_load(K) * v4_load(motion->n) + v4_load(K + 4) * v4_load(motion->f));
        z *= work->inverse[front->pivot + j];
        for (int x = 0; x < pivot->n; x++)
            z -= work->entry[below[x].entry] * lambda[loops->slot_row[below[x].slot]];
        lambda[loops->slot_row[front->slot + j]] = z;
    }
}

/* The known part of the open rows after the joint of link i: l += kappa u / D. */
static void propagate_bias(const dal_links *links, const dal_loops *loops, int i, const dal_links_work *tree, dal_loops_work *work, const double *tau)
{
    const dal_link *link = &links->link[i];
    const dal_loop_front *front = &loops->front[i];
    const dal_link_inertia *at = &tree->inertia[i];
    const dal_link_wrench *wrench = &tree->wrench[i];
    double u[8] = {0};
    if (link->kind == DAL_LINK_BALL)
        memcpy(u, at->Un, 3 * sizeof *u);
    else if (link->kind == DAL_LINK_FREE) {
        if (tau)
            multiply3(tree->motion[i].R[0], tau + link->v + 3, u);
        for (int k = 0; k < 3; k++) {
            u[k] -= wrench->n[k];
            u[4 + k] = (tau ? tau[link->v + k] : 0) - wrench->f[k];
        }
    } else
        u[0] = at->u * at->inverse;
    const int first = front->slot + front->n_eliminated;
    for (int s = first; s < front->slot + front->n_slots; s++) {
        double known = 0;
        if (link->kind == DAL_LINK_FREE || link->kind == DAL_LINK_BALL) {
            const double *all = work->heavy[front->heavy + s - first];
            known = all[0] * u[0] + all[1] * u[1] + all[2] * u[2];
            if (link->kind == DAL_LINK_FREE)
                known += all[4] * u[4] + all[5] * u[5] + all[6] * u[6];
        } else
            known = work->kappa[s] * u[0];
        work->g[loops->slot_up[s]] += work->g[s] - known;
    }
}

/* Multipliers of open rows drive the joint. */
static void drive_joint(const dal_links *links, const dal_loops *loops, int i, dal_links_work *tree, const dal_loops_work *work, const double *lambda)
{
    const dal_loop_front *front = &loops->front[i];
    dal_link_inertia *at = &tree->inertia[i];
    dal_link_wrench *wrench = &tree->wrench[i];
    for (int s = front->slot + front->n_eliminated; s < front->slot + front->n_slots; s++) {
        const double *K = K_of(work, s), l = lambda[loops->slot_row[s]];
        switch (links->link[i].kind) {
        case DAL_LINK_BALL:
            for (int k = 0; k < 3; k++)
                at->Un[k] += l * K[k];
            break;
        case DAL_LINK_FREE:
            for (int k = 0; k < 3; k++) {
                wrench->n[k] -= l * K[k];
                wrench->f[k] -= l * K[4 + k];
            }
            break;
        default: at->u += l * work->kappa[s];
        }
    }
}

/* From the tips to the ground: inertias (`used`: which rows count), loads (`b`), or both. */
V4_INLINE double eliminate_links(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                                 const bool *used, const double *tau, const double *b)
{
    double ratio = 1;
    for (int i = links->n - 1; i >= 0; i--) {
        const bool complete = loops->front[i].n_eliminated > 0;
        if (used && complete)
            ratio = fmin(ratio, eliminate_rows(loops, &loops->front[i], work, used, &tree->inertia[i]));
        if (b && complete)
            reduce_rows(loops, &loops->front[i], work, b, &tree->wrench[i]);
        if (!(ratio > 0) || !run->aba_backward_link(links, tree, i, tau, used != NULL, b != NULL))
            return 0;
        if (used && loops->hit[i])
            propagate_rows(links, loops, i, tree, work, run);
        if (b && loops->hit[i])
            propagate_bias(links, loops, i, tree, work, tau);
    }
    return ratio;
}

V4_INLINE double eliminate_tree(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                                const bool *used, const double *tau, const double *b)
{
    if (used)
        scatter_covectors(loops, work, used);
    if (b)
        memset(work->g, 0, sizeof *work->g * (size_t)loops->n_slots);
    double ratio = eliminate_links(links, loops, run, tree, work, used, tau, b);
    if (used && ratio > 0)
        ratio = fmin(ratio, eliminate_rows(loops, &loops->front[links->n], work, used, NULL));
    if (b && ratio > 0)
        reduce_rows(loops, &loops->front[links->n], work, b, NULL);
    return ratio;
}

static double backward_links(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                             const bool *used, const double *tau, const double *b)
{
    return eliminate_links(links, loops, run, tree, work, used, tau, b);
}

static double backward_inertia(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                               const bool *used)
{
    return eliminate_tree(links, loops, run, tree, work, used, NULL, NULL);
}

static void backward_bias(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                          const double *tau, const double *b)
{
    eliminate_tree(links, loops, run, tree, work, NULL, tau, b);
}

static double backward(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                       const bool *used, const double *tau, const double *b)
{
    return eliminate_tree(links, loops, run, tree, work, used, tau, b);
}

static void forward(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                    const double *tau, double *x, double *lambda)
{
    restore_multipliers(loops, &loops->front[links->n], work, NULL, lambda);
    memset(&tree->wrench[-1], 0, sizeof tree->wrench[-1]);
    for (int i = 0; i < links->n; i++) {
        if (loops->hit[i])
            drive_joint(links, loops, i, tree, work, lambda);
        run->aba_forward_link(links, tree, i, tau, x);
        if (loops->front[i].n_eliminated)
            restore_multipliers(loops, &loops->front[i], work, &tree->wrench[i], lambda);
    }
}

/* Sides come row by row. */
static double residual(const dal_loops *loops, const dal_links_work *tree, const dal_loops_work *work, const bool *used, const double *b, double *out)
{
    double worst = 0;
    for (int i = 0, s = 0; i < loops->n_rows; i++) {
        v4 sum = v4_all(0), sizes = v4_all(0);
        for (; s < loops->n_sides && loops->side[s].row == i; s++) {
            const dal_link_wrench *a = &tree->wrench[loops->side[s].link];
            const double *c = work->covector[s];
            const v4 n = v4_load3(c) * v4_load(a->n), f = v4_load3(c + 3) * v4_load(a->f);
            sum += n + f;
            sizes += v4_abs(n) + v4_abs(f);
        }
        out[i] = used[i] ? b[i] - v4_sum(sum) : 0;
        if (out[i] != 0)
            worst = fmax(worst, fabs(out[i]) / (fabs(b[i]) + v4_sum(sizes)));
    }
    return worst;
}

const dal_elimination DAL_KERNEL(dal_elimination) = {
    .backward_inertia = backward_inertia,
    .backward_bias = backward_bias,
    .backward = backward,
    .forward = forward,
    .backward_links = backward_links,
    .eliminate_rows = eliminate_rows,
    .reduce_rows = reduce_rows,
    .restore_multipliers = restore_multipliers,
    .residual = residual,
};
