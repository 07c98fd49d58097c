/* Is a motion steady? If no state accelerates, x becomes x + x' t, and x' and A have to be the same there. A body that spins about its middle axis fails:
 * no state accelerates, but A turns with the body. The later point is found by Newton's method,
 *
 *     G dxi = x + x' t - x(q, v, z),   dq = T_h dxi_h, and A_h dq = -phi,   dv = T dxi_v + what follows from dq, and A dv = -phi'
 */
#include "linear/linear.h"

#include "math/dense.h"
#include "math/sums.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/evaluate.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12 };
static const double far = 0.1;    /* rad that the fastest body turns, or lengths of the model that it moves */
static const double slow = 1e-7;  /* of these in the model's time: the bodies hardly move */
static const double exact = 1e-9; /* of the change of x: Newton's method has arrived */
static const double equal = 1e-7; /* of the largest number of A, of the largest rate */
static const double digits = 1e-13;

typedef struct later {
    const dal_linear *first;
    dal_linear now; /* the same linearisation, later */
    double t, *q, *v, *z;
    double fast;   /* the fastest motion, 1/s */
    double *scale; /* of x: what energy moves it by, by rows of G; rates by this times `fast` */
    bool arrived, same;
} later;

static double time_ahead(const dal_linear *x)
{
    const dal_work *work = dal_seen_work(x->state);
    const dal_units *units = &x->point.layout->units;
    double rate = 0;
    for (int b = 0; b < dal_system_mechanism(x->system)->n_bodies; b++) {
        const dal_kin *kin = &work->kin[b];
        rate = fmax(rate, fmax(sqrt(dal_dot(kin->w, kin->w)), sqrt(dal_dot(kin->rd, kin->rd)) / units->length));
    }
    return far / (rate * units->time > slow ? rate : 1 / units->time);
}

/* The state is at t, q, v and z, and linearised. */
static dal_status linearize_there(later *l)
{
    dal_linear *x = &l->now;
    dal_point_close(&x->point);
    if (dal_state_adopt(x->state, l->t, l->q, l->v))
        return DAL_NUMERICAL;
    memcpy(dal_own_states_of(x->state), l->z, sizeof *l->z * (size_t)l->first->point.n_z);
    dal_status status = dal_evaluate_whole(x->state, x->messages);
    if (status == DAL_OK)
        status = dal_point_open(&x->arena, x->state, x->messages, &x->point);
    if (status == DAL_OK)
        status = dal_point_rub(&x->point, x->messages);
    return status == DAL_OK ? dal_linear_again(x) : status;
}

/* xi: G xi = x + x' t - x(q, v, z). False: x is there. */
static bool find_rest(later *l, double *xi)
{
    const dal_linearization *first = l->first->out, *now = l->now.out;
    dal_linear *x = &l->now;
    double most = 0, off = 0;
    for (int i = 0; i < first->n_states; i++) {
        const bool rate = i >= first->n_positions && i < first->n_positions + first->n_rates;
        const double t = l->t - first->time, ahead = i < first->n_positions ? first->rates[i] * t : 0,
                     unit = l->scale[i] / (rate ? fmax(1, l->fast * t) : 1);
        xi[i] = first->at[i] + ahead - now->at[i];
        if (i < first->n_positions && x->candidates[x->chosen[i]].about >= 0)
            xi[i] = remainder(xi[i], 2 * M_PI); /* an angle by atan2 */
        most = fmax(most, fabs(ahead) / unit);
        off = fmax(off, (fabs(xi[i]) - digits * fabs(first->at[i])) / unit);
    }
    memcpy(x->lu, x->G, sizeof *x->G * (size_t)x->n_x * (size_t)x->n_x);
    dal_lu(x->lu, x->n_x, x->n_x, x->pivot);
    dal_lu_solve(x->lu, x->n_x, x->n_x, x->pivot, xi);
    return off > exact * most;
}

static void follow(later *l, const double *xi)
{
    dal_linear *x = &l->now;
    dal_point *p = &x->point;
    const dal_work *work = dal_seen_work(x->state);
    double *dq = DAL_NEW(&x->arena, double, p->nv + 1), *dv = DAL_NEW(&x->arena, double, p->nv + 1),
           *open = DAL_NEW(&x->arena, double, p->n_rows + 1);
    double *back = DAL_NEW(&x->arena, double, p->nv + 1);
    for (int i = 0; i < p->n_rows; i++)
        open[i] = -work->phi[i];
    dal_kept_reach(p, &p->positions, open, dq);
    dal_kept_expand(p, &p->positions, 1, xi, dq);
    for (int i = 0; i < p->n_rows; i++)
        open[i] = -work->phid[i];
    dal_kept_reach(p, &p->velocities, open, back);
    dal_point_follow(p, dq, dv);
    dal_kept_expand(p, &p->velocities, 1, xi + p->positions.p, dv);
    for (int k = 0; k < p->nv; k++)
        l->v[k] += dv[k] + back[k];
    p->layout->family->add(p->layout, l->q, dq);
    for (int i = 0; i < p->n_z; i++)
        l->z[i] += xi[p->positions.p + p->velocities.p + i];
}

/* The largest number of a row of A, or of its change, in the units of the scale. */
static double largest_in_row(const later *l, size_t i, const double *less)
{
    const dal_linearization *a = l->first->out;
    const size_t n = (size_t)a->n_states;
    double most = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, fabs(a->A[n * i + j] - (less ? less[n * i + j] : 0)) * l->scale[j] / l->scale[i]);
    return most;
}

/* Are the rates and A those of the first point? */
static bool is_same(const later *l)
{
    const dal_linearization *a = l->first->out, *b = l->now.out;
    const size_t n = (size_t)a->n_states, motion = (size_t)(a->n_positions + a->n_rates);
    double most = 0, fast = 0;
    for (size_t i = 0; i < n; i++) {
        most = i < motion ? fmax(most, largest_in_row(l, i, NULL)) : most;
        fast = fmax(fast, fabs(a->rates[i]) / l->scale[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const double size = i < motion ? most : largest_in_row(l, i, NULL);
        const bool given = i < (size_t)a->n_positions && l->first->moving[i] >= 0; /* its rate is part of x */
        if (largest_in_row(l, i, b->A) > equal * size || (!given && fabs(a->rates[i] - b->rates[i]) / l->scale[i] > equal * fast))
            return false;
    }
    return true;
}

static void find_scale(later *l)
{
    const dal_linear *x = l->first;
    const dal_linearization *out = x->out;
    const size_t n = (size_t)x->n_x, h = (size_t)out->n_positions, motion = h + (size_t)out->n_rates;
    double fast = 0;
    l->scale = DAL_NEW(&l->now.arena, double, n + 1);
    for (size_t i = 0; i < n; i++)
        l->scale[i] = i < motion ? dal_norm(x->G + n * i, x->n_x) : 1;
    for (size_t i = h; i < motion; i++)
        for (size_t j = 0; j < h; j++)
            fast = fmax(fast, fabs(out->A[n * i + j]) * l->scale[j] / l->scale[i]);
    l->fast = fast = fmax(sqrt(fast), 1 / x->point.layout->units.time);
    for (size_t i = h; i < motion; i++)
        l->scale[i] *= fast;
    for (size_t j = motion; j < n; j++) { /* a state of the model is measured by what it does */
        double most = 0;
        for (size_t i = 0; i < motion; i++)
            most = fmax(most, fabs(out->A[n * i + j]) / l->scale[i]);
        l->scale[j] = most > 0 ? fast / most : fmax(fabs(out->at[j]), 1);
    }
}

static dal_status travel(void *user)
{
    later *l = user;
    const dal_linear *x = l->first;
    dal_linear *now = &l->now;
    const dal_point *p = &x->point;
    double *xi = DAL_NEW(&now->arena, double, x->n_x + 1);
    find_scale(l);
    now->values = DAL_NEW(&now->arena, double, p->n_columns + p->n_z + 1);
    now->out = DAL_NEW(&now->arena, dal_linearization, 1);
    *now->out = *x->out;
    l->q = DAL_NEW(&now->arena, double, p->layout->nq + 1);
    l->v = DAL_NEW(&now->arena, double, p->nv + 1);
    l->z = DAL_NEW(&now->arena, double, p->n_z + 1);
    memcpy(l->q, p->q, sizeof *l->q * (size_t)p->layout->nq);
    memcpy(l->v, p->v, sizeof *l->v * (size_t)p->nv);
    memcpy(l->z, p->at.z, sizeof *l->z * (size_t)p->n_z);
    l->t = x->out->time + time_ahead(x);
    for (int i = 0; i < STEPS && !l->arrived; i++) {
        const dal_status status = linearize_there(l);
        if (status != DAL_OK)
            return status;
        l->arrived = !find_rest(l, xi);
        if (!l->arrived)
            follow(l, xi);
    }
    l->same = l->arrived && is_same(l);
    return DAL_OK;
}

dal_status dal_linear_stays(const dal_linear *x, bool *stays)
{
    dal_linear_options states_alone = *x->options;
    later l = {.first = x, .now = *x};
    dal_linear *now = &l.now;
    dal_status status = DAL_NO_MEMORY;
    states_alone.n_outputs = 0;
    now->options = &states_alone;
    now->point = (dal_point){0};
    dal_arena_begin(&now->arena, &x->arena.allocator);
    now->messages = dal_messages_create(&now->arena.allocator);
    now->state = dal_state_create(&now->arena.allocator, x->system);
    if (now->messages && now->state) {
        dal_state_copy(x->state, now->state);
        status = dal_arena_try(&now->arena, travel, &l);
    }
    dal_point_close(&now->point);
    dal_state_free(now->state);
    dal_messages_free(now->messages);
    dal_arena_release(&now->arena);
    *stays = l.same;
    return status == DAL_NO_MEMORY ? status : DAL_OK; /* what has no later state is not steady */
}
