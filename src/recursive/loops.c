/* Numbers of the elimination: see the head of loops.h. */
#include "recursive/loops.h"

#include <math.h>
#include <string.h>

size_t dal_loops_work_size(const dal_loops *loops)
{
    return (size_t)(16 + 1) * (size_t)loops->n_slots + 8 * (size_t)loops->n_sides + (size_t)loops->n_entries + (size_t)loops->n_pivots +
           3 * (size_t)loops->n_rows;
}

void dal_loops_work_lay(const dal_loops *loops, double *memory, dal_loops_work *work)
{
    work->K = (double (*)[8])memory;
    work->kappa = (double (*)[8])(memory + 8 * (size_t)loops->n_slots);
    work->covector = (double (*)[8])(memory + 16 * (size_t)loops->n_slots);
    work->entry = memory + 16 * (size_t)loops->n_slots + 8 * (size_t)loops->n_sides;
    work->inverse = work->entry + loops->n_entries;
    work->g = work->inverse + loops->n_pivots;
    work->lambda = work->g + loops->n_slots;
}

static void begin(const dal_loops *loops, dal_loops_work *work, const bool *used)
{
    memset(work->K, 0, sizeof *work->K * (size_t)loops->n_slots);
    memset(work->entry, 0, sizeof *work->entry * (size_t)loops->n_entries);
    for (int s = 0; s < loops->n_sides; s++)
        for (int k = 0; k < 8 && used[loops->side[s].row]; k++)
            work->K[loops->side_slot[s]][k] += work->covector[s][k];
}

/* a.b over moments and forces. */
static double pair_of(const double a[8], const double b[8])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
}

/* I += k k^T / d */
static void stiffen(const double k[8], double inverse, dal_link_inertia *at)
{
    for (int j = 0; j < 3; j++) {
        const double n = inverse * k[j], f = inverse * k[4 + j];
        for (int i = 0; i < 3; i++) {
            at->I[j][i] += k[i] * n;
            at->Ht[j][i] += k[4 + i] * n;
            at->M[j][i] += k[4 + i] * f;
        }
    }
}

/* The complete rows of a front, one after the other. `at`: the link, NULL the ground. */
static double eliminate(const dal_loops *loops, const dal_loop_front *front, dal_loops_work *work, const bool *used, dal_link_inertia *at)
{
    double ratio = 1;
    for (int j = 0; j < front->n_eliminated; j++) /* what each row has before the others are taken from it */
        work->g[front->slot + j] = work->entry[loops->pivot[front->pivot + j].diagonal];
    for (int j = 0; j < front->n_eliminated; j++) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const int *target = loops->target + pivot->target;
        const double *K = work->K[front->slot + j];
        double d = work->entry[pivot->diagonal];
        if (!used[loops->slot_row[front->slot + j]]) {
            work->inverse[front->pivot + j] = 0; /* lambda = 0; K and the entries are zero, as nothing was put in */
            for (int x = 0; x < pivot->n; x++)
                work->entry[below[x].entry] = 0;
            continue;
        }
        ratio = fmin(ratio, d / work->g[front->slot + j]);
        if (!(d > 0))
            return 0;
        const double inverse = work->inverse[front->pivot + j] = 1 / d;
        for (int x = 0; x < pivot->n; x++) {
            const double l = work->entry[below[x].entry] * inverse;
            for (int y = 0; y <= x; y++)
                work->entry[*target++] -= l * work->entry[below[y].entry];
            double *other = work->K[below[x].slot];
            for (int i = 0; i < 8 && at; i++)
                other[i] -= l * K[i];
        }
        for (int x = 0; x < pivot->n; x++)
            work->entry[below[x].entry] *= inverse;
        if (at)
            stiffen(K, inverse, at);
    }
    return ratio;
}

/* A x, A by columns of four numbers. */
static void turn(const double *A, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = A[i] * x[0] + A[4 + i] * x[1] + A[8 + i] * x[2];
}

/* S.K of a joint with one coordinate. */
static double along(const dal_link *link, const double *axis, const double K[8])
{
    const double n = axis[0] * K[0] + axis[1] * K[1] + axis[2] * K[2], f = axis[0] * K[4] + axis[1] * K[5] + axis[2] * K[6];
    return link->kind == DAL_LINK_TURN ? n : link->kind == DAL_LINK_SHIFT ? f : n + link->pitch * f;
}

static void solve3(const double L[6], const double b[3], double x[3])
{
    const double y1 = b[0], y2 = b[1] - L[0] * y1, y3 = b[2] - L[1] * y1 - L[2] * y2;
    x[2] = y3 * L[5];
    x[1] = y2 * L[4] - L[2] * x[2];
    x[0] = y1 * L[3] - L[0] * x[1] - L[1] * x[2];
}

/* The open rows go through the joint: kappa, what is left of K, moved to the parent; L of the parent. */
static void pass_joint(const dal_links *links, const dal_loops *loops, int i, const dal_links_work *tree, dal_loops_work *work,
                       const dal_recursion *run)
{
    const dal_link *link = &links->link[i];
    const dal_loop_front *front = &loops->front[i];
    const dal_link_motion *m = &tree->motion[i];
    const dal_link_inertia *at = &tree->inertia[i];
    const int first = front->slot + front->n_eliminated, end = front->slot + front->n_slots;
    const double *d = m->d;
    for (int s = first; s < end; s++) {
        double *K = work->K[s], *kappa = work->kappa[s], left[8] = {0};
        if (link->kind == DAL_LINK_FREE) { /* D^-1 S.K in full; nothing is left, and the ground takes nothing */
            memcpy(kappa, K, sizeof left);
            run->solve_free(at, kappa);
            continue;
        }
        if (link->kind == DAL_LINK_BALL) {
            double felt[3];
            solve3(at->factor, K, kappa);
            turn(at->Ht[0], kappa, felt);
            for (int k = 0; k < 3; k++)
                left[4 + k] = K[4 + k] - felt[k];
        } else {
            kappa[0] = along(link, m->R[2], K);
            const double push = kappa[0] * at->inverse;
            for (int k = 0; k < 3; k++) {
                left[k] = K[k] - at->Un[k] * push;
                left[4 + k] = K[4 + k] - at->Uf[k] * push;
            }
        }
        if (link->parent < 0)
            continue;
        double *up = work->K[loops->slot_up[s]];
        up[0] += left[0] + d[1] * left[6] - d[2] * left[5];
        up[1] += left[1] + d[2] * left[4] - d[0] * left[6];
        up[2] += left[2] + d[0] * left[5] - d[1] * left[4];
        for (int k = 4; k < 7; k++)
            up[k] += left[k];
    }
    const dal_loop_pair *pair = loops->pair + front->pair;
    for (int p = 0; p < front->n_pairs; p++) {
        const double *a = work->kappa[pair[p].a], *b = work->kappa[pair[p].b];
        double sum = pair[p].entry >= 0 ? work->entry[pair[p].entry] : 0;
        if (link->kind == DAL_LINK_FREE || link->kind == DAL_LINK_BALL) {
            const double *K = work->K[pair[p].b];
            sum += a[0] * K[0] + a[1] * K[1] + a[2] * K[2];
            if (link->kind == DAL_LINK_FREE)
                sum += a[4] * K[4] + a[5] * K[5] + a[6] * K[6];
        } else
            sum += a[0] * b[0] * at->inverse;
        work->entry[pair[p].up] += sum;
    }
}

double dal_loops_factor(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                        const bool *used)
{
    double ratio = 1;
    begin(loops, work, used);
    for (int i = links->n - 1; i >= 0; i--) {
        if (loops->front[i].n_eliminated)
            ratio = fmin(ratio, eliminate(loops, &loops->front[i], work, used, &tree->inertia[i]));
        if (!(ratio > 0) || !run->inwards_link(links, tree, i, NULL, true))
            return 0;
        if (loops->hit[i])
            pass_joint(links, loops, i, tree, work, run);
    }
    return fmin(ratio, eliminate(loops, &loops->front[links->n], work, used, NULL));
}

/* g of the complete rows, and what their multipliers do to the link. */
static void reduce(const dal_loops *loops, const dal_loop_front *front, dal_loops_work *work, const double *b, dal_link_wrench *wrench)
{
    for (int j = 0; j < front->n_eliminated; j++)
        work->g[front->slot + j] += b[loops->slot_row[front->slot + j]];
    for (int j = 0; j < front->n_eliminated; j++) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const double *K = work->K[front->slot + j], z = work->g[front->slot + j], push = z * work->inverse[front->pivot + j];
        for (int x = 0; x < pivot->n; x++)
            work->g[below[x].slot] -= work->entry[below[x].entry] * z;
        for (int k = 0; k < 3 && wrench; k++) {
            wrench->n[k] -= K[k] * push;
            wrench->f[k] -= K[4 + k] * push;
        }
    }
}

/* lambda of the complete rows, where the link's acceleration and the multipliers of the open ones are known. */
static void restore(const dal_loops *loops, const dal_loop_front *front, const dal_loops_work *work, const dal_link_wrench *motion, double *lambda)
{
    for (int j = front->n_eliminated - 1; j >= 0; j--) {
        const dal_loop_pivot *pivot = &loops->pivot[front->pivot + j];
        const dal_loop_below *below = loops->below + pivot->below;
        const double *K = work->K[front->slot + j];
        double z = work->g[front->slot + j];
        for (int k = 0; k < 3 && motion; k++)
            z -= K[k] * motion->n[k] + K[4 + k] * motion->f[k];
        z *= work->inverse[front->pivot + j];
        for (int x = 0; x < pivot->n; x++)
            z -= work->entry[below[x].entry] * lambda[loops->slot_row[below[x].slot]];
        lambda[loops->slot_row[front->slot + j]] = z;
    }
}

/* What the open rows know after the joint of link i: l += kappa u / D. */
static void pass_load(const dal_links *links, const dal_loops *loops, int i, const dal_links_work *tree, dal_loops_work *work, const double *tau)
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
            turn(tree->motion[i].R[0], tau + link->v + 3, u);
        for (int k = 0; k < 3; k++) {
            u[k] -= wrench->n[k];
            u[4 + k] = (tau ? tau[link->v + k] : 0) - wrench->f[k];
        }
    } else
        u[0] = at->u * at->inverse;
    for (int s = front->slot + front->n_eliminated; s < front->slot + front->n_slots; s++) {
        const double *kappa = work->kappa[s];
        const bool one = link->kind != DAL_LINK_BALL && link->kind != DAL_LINK_FREE;
        const double known = one ? kappa[0] * u[0] : link->kind == DAL_LINK_BALL ? kappa[0] * u[0] + kappa[1] * u[1] + kappa[2] * u[2]
                                                                                  : pair_of(kappa, u);
        work->g[loops->slot_up[s]] += work->g[s] - known;
    }
}

/* Multipliers of open rows drive the joint. */
static void push_joint(const dal_links *links, const dal_loops *loops, int i, dal_links_work *tree, const dal_loops_work *work, const double *lambda)
{
    const dal_loop_front *front = &loops->front[i];
    dal_link_inertia *at = &tree->inertia[i];
    dal_link_wrench *wrench = &tree->wrench[i];
    for (int s = front->slot + front->n_eliminated; s < front->slot + front->n_slots; s++) {
        const double *K = work->K[s], l = lambda[loops->slot_row[s]];
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
        default: at->u += l * work->kappa[s][0];
        }
    }
}

void dal_loops_solve(const dal_links *links, const dal_loops *loops, const dal_recursion *run, dal_links_work *tree, dal_loops_work *work,
                     const double *tau, const double *b, double *x, double *lambda)
{
    memset(work->g, 0, sizeof *work->g * (size_t)loops->n_slots);
    for (int i = links->n - 1; i >= 0; i--) {
        if (loops->front[i].n_eliminated)
            reduce(loops, &loops->front[i], work, b, &tree->wrench[i]);
        run->inwards_link(links, tree, i, tau, false);
        if (loops->hit[i])
            pass_load(links, loops, i, tree, work, tau);
    }
    reduce(loops, &loops->front[links->n], work, b, NULL);
    restore(loops, &loops->front[links->n], work, NULL, lambda);
    memset(&tree->wrench[-1], 0, sizeof tree->wrench[-1]);
    for (int i = 0; i < links->n; i++) {
        if (loops->hit[i])
            push_joint(links, loops, i, tree, work, lambda);
        run->outwards_link(links, tree, i, tau, x);
        if (loops->front[i].n_eliminated)
            restore(loops, &loops->front[i], work, &tree->wrench[i], lambda);
    }
}

double dal_loops_residual(const dal_loops *loops, const dal_links_work *tree, const dal_loops_work *work, const bool *used, const double *b,
                          double *residual)
{
    double *size = work->lambda + loops->n_rows, worst = 0;
    for (int i = 0; i < loops->n_rows; i++) {
        residual[i] = used[i] ? b[i] : 0;
        size[i] = fabs(residual[i]);
    }
    for (int s = 0; s < loops->n_sides; s++) {
        const dal_link_wrench *a = &tree->wrench[loops->side[s].link];
        const double *c = work->covector[s];
        double sum = 0, sizes = 0;
        for (int k = 0; k < 3; k++) {
            sum += c[k] * a->n[k] + c[4 + k] * a->f[k];
            sizes += fabs(c[k] * a->n[k]) + fabs(c[4 + k] * a->f[k]);
        }
        if (used[loops->side[s].row]) {
            residual[loops->side[s].row] -= sum;
            size[loops->side[s].row] += sizes;
        }
    }
    for (int i = 0; i < loops->n_rows; i++)
        if (size[i] > 0)
            worst = fmax(worst, fabs(residual[i]) / size[i]);
    return worst;
}
