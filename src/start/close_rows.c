/* Gauss-Newton on all rows of positions: A x = -phi, |x| least, with the rank decided at each step (gauss_newton.h). */
#include "start/close_rows.h"

#include "dynamics/row_rank.h"
#include "math/rank.h"
#include "start/gauss_newton.h"
#include "start/point.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60 }; /* at an isolated position each halves the gap */

typedef struct closing {
    dal_state *state;
    const dal_layout *layout;
    double *q, *A, *scale, *dq;
} closing;

static double evaluate(void *user)
{
    closing *c = user;
    dal_work *work = dal_work_of(c->state);
    int where;
    memcpy(work->q, c->q, sizeof *c->q * (size_t)c->layout->nq);
    dal_state_moved(c->state);
    dal_state_position(c->state);
    dal_state_jacobian(c->state);
    dal_scaled_rows(c->state, c->A, c->scale);
    return dal_worst_row(c->state, work->phi, &where);
}

static bool dense_row(void *user, int i, double *row, double *b)
{
    const closing *c = user;
    memcpy(row, c->A + (size_t)c->layout->nv * (size_t)i, sizeof *row * (size_t)c->layout->nv);
    *b = -c->scale[i] * dal_seen_work(c->state)->phi[i];
    return !dal_row_of_velocities(c->layout, i);
}

/* Columns of the scaled rows are in lengths of bodies already. */
static double size_of_change(const void *user, int k, double x)
{
    const closing *c = user;
    (void)k;
    return fabs(x) / c->layout->units.length;
}

static void move(void *user, double *x)
{
    closing *c = user;
    for (int k = 0; k < c->layout->nv; k++)
        c->dq[k] = x[k] / c->layout->units.column_scale[k];
    c->layout->family->add(c->layout, c->q, c->dq);
}

static const dal_newton_rows rows_of_state = {evaluate, dense_row, size_of_change, move};

double dal_close_rows(dal_arena *arena, dal_state *state, double *q)
{
    const dal_layout *layout = dal_layout_of(state);
    const size_t nv = (size_t)layout->nv, rows = (size_t)layout->n_rows;
    closing c = {.state = state, .layout = layout, .q = q};
    c.A = DAL_NEW(arena, double, rows *nv + 1);
    c.scale = DAL_NEW(arena, double, rows + 1);
    c.dq = DAL_NEW(arena, double, nv + 1);
    dal_newton newton = {.user = &c, .rows = &rows_of_state, .solve = dal_newton_dense, .n = layout->nv};
    newton.x = DAL_NEW(arena, double, nv + 1);
    newton.e = DAL_NEW(arena, double, nv + 1);
    newton.S = DAL_NEW(arena, double, nv + 1);
    newton.A = DAL_NEW(arena, double, rows *nv + 1);
    newton.b = DAL_NEW(arena, double, rows + 1);
    newton.work = DAL_NEW(arena, double, dal_rank_work(layout->n_rows, layout->nv) + 1);
    for (size_t k = 0; k < nv; k++)
        newton.S[k] = 1;
    return dal_newton_close(&newton, layout->n_rows, MOST_STEPS);
}
