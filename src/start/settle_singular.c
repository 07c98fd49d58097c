/* How the search for an equilibrium leaves a singular position.
 *
 * At a singular position some directions of T_h begin no motion: A dq = 0 holds to first order only, and no part of a step along them can be taken. Such
 * a position has a row that depends on others here and not nearby (dal_point_singular). Positions a little further are closed with all rows
 * (close_rows.h), from
 *
 *     q + a T_h xi,   xi = -rho, rho, and random directions,   a so that the bodies move by a tenth of a radian, or of the extent of the model
 *
 * A position that is closed in this way and lies away from here is on a branch of the mechanism. The search continues on the branch with the lowest
 * potential, if that is lower than here. Without a potential it takes the first branch.
 */
#include "start/settle_parts.h"

#include "dynamics/equations.h"
#include "math/chance.h"
#include "math/vec.h"
#include "model/coordinate_names.h"
#include "start/close_rows.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_WAYS = 12 };
static const double side_step = 0.1; /* rad, or of the extent of the model: out of a singular position */
static const double elsewhere = 0.1; /* of that: it does not return */

/* How far the bodies have moved from those of `before`: over the extent of the model, or rad. */
static double moved_from(const dal_settler *s, const dal_kin *before, const double *q)
{
    const dal_layout *layout = s->point.layout;
    const dal_kin *now = dal_seen_work(s->state)->kin;
    const double extent = dal_settle_extent(s);
    double most = 0;
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        double apart[3];
        dal_sub3(now[b].r, before[b].r, apart);
        most = fmax(most, sqrt(dal_dot(apart, apart)) / extent);
        for (int i = 0; i < 9 && !layout->mechanism->bodies[b].particle; i++)
            most = fmax(most, fabs(now[b].R[i] - before[b].R[i]));
    }
    for (int k = 0; k < layout->nq && layout->systems; k++)
        most = fmax(most, fabs(s->q[k] - q[k]) / layout->units.length);
    return most;
}

/* The ways that are tried, nv numbers each, of one length: -rho, rho, then random directions. */
static double *list_ways(dal_settler *s)
{
    const dal_point *p = &s->point;
    double *ways = DAL_NEW(&s->arena, double, (size_t)p->nv *MOST_WAYS), *xi = DAL_NEW(&s->arena, double, p->positions.p + 1);
    uint64_t chance = 1;
    for (int i = 0; i < MOST_WAYS; i++) {
        double *way = ways + (size_t)p->nv * (size_t)i;
        for (int j = 0; j < p->positions.p; j++)
            xi[j] = i < 2 ? (j < p->velocities.p ? (2 * i - 1) * s->rho[j] : 0) : dal_chance(&chance);
        dal_kept_expand(p, &p->positions, 1, xi, way);
        const double size = dal_settle_size(s, way, 1);
        for (int k = 0; k < p->nv; k++)
            way[k] *= size > 0 ? side_step / size : 0;
    }
    return ways;
}

static dal_status refuse_singular_rest(dal_settler *s, int row, bool moves)
{
    char name[DAL_LABEL];
    dal_row_name(s->state, row, name, sizeof name);
    s->runs = NULL;
    dal_settle_name_direction(s, &s->point.velocities, s->rho);
    dal_error(
        s->messages, dal_nowhere,
        "there is no equilibrium near the start: the position is singular, because constraint '%s' depends on others here and not nearby. No finite "
        "reactions balance the forces on '%s', %s",
        name, s->runs ? s->runs : "the model",
        moves ? "and no motion that begins here leads down" : "which can move to first order only: the constraints hold the model here");
    return DAL_BAD_MODEL;
}

/* From q, where a step failed. DAL_NUMERICAL: the position is not singular. */
dal_status dal_settle_leave_singular(dal_settler *s, const double *q)
{
    const dal_layout *layout = s->point.layout;
    const size_t nq = (size_t)layout->nq, bodies = (size_t)layout->mechanism->n_bodies;
    memcpy(s->q, q, sizeof *q * nq);
    dal_status status = dal_settle_rest(s);
    const int row = status == DAL_OK ? dal_point_singular(&s->point) : -1;
    if (row < 0)
        return DAL_NUMERICAL;
    const double *ways = list_ways(s);
    double *best = DAL_NEW(&s->arena, double, nq + 1), lowest = dal_loads_of(s->state)->potential;
    dal_kin *before = DAL_NEW(&s->arena, dal_kin, bodies + 1);
    bool moves = false, found = false;
    memcpy(before, dal_seen_work(s->state)->kin, sizeof *before * bodies);
    for (int i = 0; i < MOST_WAYS && !(found && !s->downhill); i++) {
        memcpy(s->q, q, sizeof *q * nq);
        layout->family->add(layout, s->q, ways + (size_t)s->point.nv * (size_t)i);
        if (!(dal_close_rows(&s->arena, s->state, s->q) <= 1e3 * dal_settle_kept) || dal_settle_rest(s) != DAL_OK ||
            moved_from(s, before, q) < elsewhere * side_step)
            continue;
        moves = true;
        if (s->downhill && !(dal_loads_of(s->state)->potential < lowest))
            continue;
        lowest = dal_loads_of(s->state)->potential;
        memcpy(best, s->q, sizeof *best * nq);
        found = true;
    }
    memcpy(s->q, found ? best : q, sizeof *best * nq);
    status = dal_settle_rest(s);
    s->radius = dal_settle_longest;
    return status != DAL_OK || found ? status : refuse_singular_rest(s, row, moves);
}
