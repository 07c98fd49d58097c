/* Is the start a singular position? Its rank against that of random consistent positions nearby.
 *
 * A neighbour is a random displacement of every body by about `away` lengths of the model, put back on the constraints (check_probe.c).
 * If the drives leave no freedom, they are released: the question is then about the other positions that they lead through.
 *
 * The rank nearby is that of almost every position; where it is larger than at the start, freedoms are gained at the start. Where the ranks agree,
 * the smallest singular value measures how near a singular position is. A neighbour that returns to the start says nothing about ranks: there phi falls
 * with the square of the distance, and phi closed to 1e-12 leaves a distance of 1e-6. A position to which all neighbours return is isolated: its
 * freedoms exist to first order only.
 */
#include "check/checker.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double away = 0.02;       /* of a neighbour, in lengths and radians */
static const double returned = 1e-3;   /* of `away`: a neighbour this near is the position itself */
static const double near_ratio = 0.02; /* of the neighbours' smallest singular value: a singular position is near */
enum { WANTED = 5, TRIES = 12, LARGEST = 240 };

typedef struct neighbours {
    double *x;
    double *sigma;     /* of each: min(r, m) */
    double *place;     /* of each: q */
    int n, rank, back; /* back: came back to the start, and are not among the n */
    bool release;      /* drives are let go */
} neighbours;

/* Repeatable numbers in [-1, 1). */
static double random_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed * 0x1p-63;
}

/* From the start to a neighbour; false: it was not found. */
static bool go_away(dal_checker *c, dal_probe *p, neighbours *n, uint64_t *seed)
{
    dal_probe_at(p, c->state);
    for (int k = 0; k < p->m; k++)
        n->x[k] = away * dal_system_layout(p->system)->units.length * random_number(seed) / p->scale[k];
    p->layout->family->add(p->layout, p->work.q, n->x);
    return dal_probe_close(p, n->release);
}

/* Largest displacement of a frame from the start, in lengths and radians. */
static double distance_from_start(dal_checker *c, const dal_probe *p)
{
    double most = 0;
    for (int b = 0; b < p->layout->mechanism->n_bodies; b++) {
        const dal_kin *now = &p->work.kin[b], *then = &dal_work_of(c->state)->kin[b];
        double shift = 0, turn = 0;
        for (int i = 0; i < 3; i++)
            shift += (now->r[i] - then->r[i]) * (now->r[i] - then->r[i]);
        for (int i = 0; i < 9; i++)
            turn += (now->R[i] - then->R[i]) * (now->R[i] - then->R[i]);
        most = fmax(most, fmax(sqrt(shift) / dal_system_layout(p->system)->units.length, sqrt(turn / 2)));
    }
    for (int k = 0; k < p->m && p->layout->systems; k++) /* coordinates that no body shows */
        most = fmax(most, fabs(p->work.q[k] - dal_work_of(c->state)->q[k]) * p->scale[k] / dal_system_layout(p->system)->units.length);
    return most;
}

static void visit(dal_checker *c, dal_probe *p, neighbours *n)
{
    const size_t few = (size_t)(p->r < p->m ? p->r : p->m), nq = (size_t)p->layout->nq;
    uint64_t seed = 20031;
    n->sigma = DAL_NEW(p->arena, double, WANTED *few);
    n->place = DAL_NEW(p->arena, double, WANTED *nq);
    for (int i = 0; i < TRIES && n->n < WANTED; i++) {
        if (!go_away(c, p, n, &seed))
            continue;
        if (distance_from_start(c, p) <= returned * away) {
            n->back++;
            continue;
        }
        int rank = dal_probe_rank(p, dal_system_method(p->system)->rank_tolerance, false);
        if (rank < 0)
            continue;
        memcpy(n->sigma + (size_t)n->n * few, p->sigma, sizeof *p->sigma * few);
        memcpy(n->place + (size_t)n->n * nq, p->work.q, sizeof *p->work.q * nq);
        n->rank = rank > n->rank ? rank : n->rank;
        n->n++;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* sigma_k / sigma_1 of the neighbours, k their rank: the median; *at: the best of them. */
static double median_ratio(const dal_probe *p, const neighbours *n, int *at)
{
    const size_t few = (size_t)(p->r < p->m ? p->r : p->m);
    double ratio[WANTED], best = -1;
    for (int i = 0; i < n->n; i++) {
        const double *sigma = n->sigma + (size_t)i * few;
        ratio[i] = n->rank > 0 ? sigma[n->rank - 1] / sigma[0] : 1;
        if (ratio[i] > best) {
            best = ratio[i];
            *at = i;
        }
    }
    qsort(ratio, (size_t)n->n, sizeof *ratio, by_size);
    return ratio[n->n / 2];
}

/* Joints with rows that take part at the start and not nearby. The probe is at the start. */
static const char *joints_that_lose(dal_probe *p, int rank, const double *q)
{
    const dal_layout *layout = p->layout;
    bool *here = DAL_NEW(p->arena, bool, p->r), *there = DAL_NEW(p->arena, bool, p->r);
    const char *text = "";
    int last = -1;
    dal_check_mask(p, p->r - rank, 1e-6, here);
    memcpy(p->work.q, q, sizeof *q * (size_t)layout->nq);
    dal_probe_rows(p);
    int rank_there = dal_probe_rank(p, dal_system_method(p->system)->rank_tolerance, true);
    dal_check_mask(p, p->r - rank_there, 1e-6, there);
    for (int i = 0; i < p->r; i++) {
        int joint = layout->mechanism->rows[layout->row[i].source].joint;
        if (here[i] && !there[i] && joint != last) {
            const char *name = layout->mechanism->joints[joint].name;
            text = dal_check_join(p->arena, text, dal_arena_copy(p->arena, name, strlen(name)));
            last = joint;
        }
    }
    return text;
}

static void warn_singular(dal_checker *c, const char *joints)
{
    dal_verdict *v = c->verdict;
    v->singular_joints = joints;
    const char *of = *joints ? dal_arena_print(&c->arena, " (rows of %s)", joints) : "";
    if (v->isolated)
        dal_check_warn(c, DAL_CODE_SINGULAR_START, v->freedoms,
                       "the start is an isolated position: the joints allow %d freedom%s there to first order and no motion away from it%s",
                       v->freedoms, v->freedoms == 1 ? "" : "s", of);
    else if (v->singular)
        dal_check_warn(c, DAL_CODE_SINGULAR_START, v->gained,
                       "the start is a singular position: %d freedom%s more than nearby, and more than one motion may begin here%s; start elsewhere",
                       v->gained, v->gained == 1 ? "" : "s", of);
    else if (v->near_singular)
        dal_check_warn(c, DAL_CODE_NEAR_SINGULAR_START, v->ratio,
                       "a singular position is near the start: the smallest singular value of the constraints is %.1e of the largest, "
                       "and %.1e a little "
                       "further on",
                       v->ratio, v->ratio_near);
}

void dal_check_singular(dal_checker *c, dal_probe *p)
{
    dal_verdict *v = c->verdict;
    neighbours n = {.release = v->freedoms == 0 && p->layout->n_times > 0};
    int at = 0;
    v->rank_near = v->rank;
    v->ratio_near = v->ratio;
    if (p->m <= LARGEST && p->r > 0) {
        n.x = DAL_NEW(p->arena, double, p->m);
        visit(c, p, &n);
        if (n.n == 0 && n.back > 0 && !n.release && p->layout->n_times > 0) { /* the drives hold it */
            n.release = true;
            n.back = 0;
            visit(c, p, &n);
        }
    }
    dal_probe_at(p, c->state);
    dal_probe_rows(p);
    v->neighbours = n.n;
    v->isolated = v->singular = v->freedoms > 0 && n.n == 0 && n.back > 0;
    if (n.n == 0) {
        warn_singular(c, "");
        return;
    }
    v->rank_near = n.rank;
    v->ratio_near = median_ratio(p, &n, &at);
    v->singular = n.rank > v->rank;
    v->gained = n.rank > v->rank ? n.rank - v->rank : 0;
    v->near_singular = !v->singular && (v->freedoms > 0 || n.release) && v->ratio < near_ratio * v->ratio_near;
    if (!v->singular) {
        warn_singular(c, "");
        return;
    }
    dal_probe_rank(p, dal_system_method(p->system)->rank_tolerance, true);
    warn_singular(c, joints_that_lose(p, v->rank, n.place + (size_t)at * (size_t)p->layout->nq));
}
