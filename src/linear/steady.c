/* Steady motions. With the velocities v = V(q) c of motions that keep the shape (fields.h) and the accelerations that belong to constant c,
 *
 *     F(q, c) = T^T (J^T (m c'', I w' + w x I w) - Q(q, v)) = 0,   phi = 0,   z' = 0,   rates as they are given
 *
 * by Newton's method, with the changes of least size: positions move before rates do, and what nothing asks for stays as the start has it. The equations
 * are exact; their derivatives are differences, which decide only how fast it converges. Drives that move and nonholonomic rows are equations for c; along a drive nothing has to
 * balance.
 *
 * Motions that the constraints allow need not be symmetries. At rest, what acts on the bodies must turn with them and change in no other way; at the
 * solution F must be zero further on along the motion, too.
 */
#include "linear/steady.h"

#include "analysis/evaluator.h"
#include "base/message.h"
#include "linear/fields.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/scale.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 100, MOST_CORRECTIONS = 30, MOST_HALVES = 10 };
static const double longest = 0.25;                 /* of the model's length: a step */
static const double difference = 1e-5;              /* for derivatives, in the model's own units */
static const double kept = 1e-13;                   /* of the model's length: rows are met */
static const double rounding = 1e-13;               /* of all equations: nothing is left to be done */
static const double left_over = 1e-9;               /* of the forces: what may be left of F */
static const double no_symmetry = 1e-5;             /* what F may change by along a symmetry */
static const double rates_count = 1e-3;             /* rates move a thousand times less gladly than positions */
static const double certain[] = {1e-4, 1e-6, 1e-8}; /* smallest over largest singular value of the equations */
static const double chart_end = 0.3;                /* of the charts of attitudes: as a run renews them */

typedef struct search {
    dal_arena *keep, arena; /* of the whole; of one step */
    dal_state *state;
    dal_messages *messages;
    const dal_layout *layout;
    dal_point point;
    dal_kept_rows loose; /* without the drives that move and the rows of velocities */
    dal_fields fields;
    bool *driven; /* rows */
    int nv, n_z, n_given, n_driven, n_equations, n_unknowns;
    const int *columns;
    double *given; /* their rates, as far as the search has come */
    double *begin; /* at the start */
    bool *is_rate; /* the column is a rate itself */
    double *q, *v, *z, *c;
    double *T, *lambda; /* where derivatives are taken: velocities; multipliers */
    bool descends;      /* it looks for what is stable at given rates */
    int p;              /* columns of T */
    double force;       /* what F is made of */
    double unit;        /* sqrt(m) L */
} search;

/* ---- one position ------------------------------------------------------------------------------------------ */

static void renew_charts(search *s)
{
    dal_work *work = dal_work_of(s->state);
    for (int b = 0; s->layout->family->condition && b < s->layout->mechanism->n_bodies; b++)
        if (!s->layout->sequence_fixed && s->layout->family->condition(s->layout, work, b) < chart_end)
            s->layout->family->rechart(s->layout, work, b);
}

/* The state at q, moving with v. `recharted`: with charts that are good here; q is written anew. */
static dal_status place(search *s, double *q, const double *v, const double *z, bool recharted)
{
    dal_work *work = dal_work_of(s->state);
    memcpy(work->q, q, sizeof *q * (size_t)s->layout->nq);
    memcpy(work->v, v, sizeof *v * (size_t)s->nv);
    dal_state_moved(s->state);
    dal_state_position(s->state);
    if (recharted) {
        renew_charts(s);
        memcpy(q, work->q, sizeof *q * (size_t)s->layout->nq);
    }
    double *now = DAL_NEW(&s->arena, double, s->nv + 1);
    memcpy(now, work->v, sizeof *now * (size_t)s->nv);
    if (dal_state_adopt(s->state, work->t, q, now)) {
        dal_error(s->messages, dal_nowhere, "on the way to a steady motion: %s", dal_trouble_of(s->state));
        return DAL_NUMERICAL;
    }
    memcpy(dal_own_states_of(s->state), z, sizeof *z * (size_t)s->n_z);
    return dal_evaluate_whole(s->state, s->messages);
}

static dal_status look(search *s)
{
    dal_point_close(&s->point);
    return dal_point_open(&s->arena, s->state, s->messages, &s->point);
}

/* q back on the rows, at rest; the point is open there. */
static dal_status correct(search *s)
{
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1), *dq = DAL_NEW(&s->arena, double, s->nv + 1), last = INFINITY;
    double *phi = DAL_NEW(&s->arena, double, s->layout->n_rows + 1);
    for (int i = 0; i < MOST_CORRECTIONS; i++) {
        dal_status status = place(s, s->q, zero, s->z, i == 0);
        if (status == DAL_OK)
            status = look(s);
        if (status != DAL_OK)
            return status;
        const dal_work *work = dal_seen_work(s->state);
        int where;
        const double worst = s->layout->n_rows ? dal_worst_row(s->state, work->phi, &where) : 0;
        if (!(worst > kept) || (worst < 1e-9 && worst > 0.5 * last))
            return DAL_OK;
        last = worst;
        for (int k = 0; k < s->layout->n_rows; k++)
            phi[k] = -work->phi[k];
        dal_kept_reach(&s->point, &s->point.positions, phi, dq);
        s->layout->family->add(s->layout, s->q, dq);
    }
    dal_error(s->messages, dal_nowhere, "on the way to a steady motion the constraints cannot be kept");
    return DAL_NUMERICAL;
}

/* Velocities of the fields with coefficients c at the present position, least in energy beside the constraints. */
static void find_velocities(search *s, const dal_kept_rows *rows, const double *c, double *v)
{
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    double *momenta = DAL_NEW(&s->arena, double, s->nv + 1), *along = DAL_NEW(&s->arena, double, rows->p + 1);
    dal_fields_move(s->state, &s->fields, c, motion);
    dal_fields_momenta(s->state, motion, momenta);
    dal_kept_project(&s->point, rows, momenta, along);
    memset(v, 0, sizeof *v * (size_t)s->nv);
    dal_kept_expand(&s->point, rows, 1, along, v);
}

/* ---- equations ---------------------------------------------------------------------------------------------- */

/* J^T (inertia) - Q; its parts are measured for s->force. */
static void find_forces(search *s, const double *c, double *out)
{
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, s->fields.n_bodies + 1);
    const dal_work *work = dal_seen_work(s->state);
    dal_fields_move(s->state, &s->fields, c, motion);
    dal_fields_inertia(s->state, motion, out);
    for (int k = 0; k < s->nv; k++) {
        s->force = fmax(s->force, fmax(fabs(out[k]), fabs(work->Q[k])) / s->layout->units.column_scale[k]);
        out[k] -= work->Q[k];
    }
}

/* The rates of the given channels. After a point is open at a state that moves. */
static void find_rates(search *s, double *out)
{
    double *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.q = s->point.v},
                        &(dal_variation_result){.columns = slope, .values = value});
    for (int i = 0; i < s->n_given; i++)
        out[i] = s->is_rate[i] ? value[s->columns[i]] : slope[s->columns[i]];
}

/* All equations, in the model's own units, at (q, c, z): T and lambda are those of s. */
static dal_status find_equations(search *s, double *q, const double *c, const double *z, double *out)
{
    const dal_units *units = &s->layout->units;
    double *v = DAL_NEW(&s->arena, double, s->nv + 1), *f = DAL_NEW(&s->arena, double, s->nv + 1);
    double *rates = DAL_NEW(&s->arena, double, s->n_z + 1), *of_given = DAL_NEW(&s->arena, double, s->n_given + 1);
    dal_kept_rows loose;
    dal_status status = place(s, q, v, z, false);
    if (status == DAL_OK)
        status = look(s);
    if (status != DAL_OK)
        return status;
    if (!dal_point_span(&s->point, s->driven, &loose))
        return DAL_BAD_MODEL;
    find_velocities(s, &loose, c, v);
    if ((status = place(s, q, v, z, false)) != DAL_OK || (status = look(s)) != DAL_OK)
        return status;
    const dal_work *work = dal_seen_work(s->state);
    double *row = DAL_NEW(&s->arena, double, s->nv + 1);
    find_forces(s, c, f);
    dal_rows_transposed(s->layout, work->A, s->lambda, row);
    for (int j = 0; j < s->p; j++, out++)
        for (int k = 0; k < s->nv; k++)
            *out = (k ? *out : 0) + s->T[(size_t)s->nv * (size_t)j + (size_t)k] * (f[k] - row[k]) * units->time * units->time / s->unit;
    dal_point_values(&s->point, NULL, rates);
    for (int k = 0; k < s->n_z; k++)
        *out++ = rates[k] * units->time / fmax(fabs(s->z[k]), 1e-3);
    for (int i = 0; i < s->layout->n_rows; i++)
        if (s->driven[i])
            *out++ = work->phid[i] * units->time / units->row_unit[i];
    find_rates(s, of_given);
    for (int i = 0; i < s->n_given; i++)
        *out++ = (of_given[i] - s->given[i]) / fmax(fabs(s->given[i]), 1e-3 / units->time);
    return DAL_OK;
}

/* c := the nearest of those that are admissible: basis rows are orthonormal in units of energy. */
static void keep_admissible(search *s)
{
    const dal_fields *x = &s->fields;
    double *B = DAL_NEW(&s->arena, double, (size_t)x->k *(size_t)x->n + 1), *xi = DAL_NEW(&s->arena, double, x->k + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(x->n + 1, x->k + 1) + 1);
    for (int i = 0; i < x->k; i++)
        for (int j = 0; j < x->n; j++)
            B[x->k * j + i] = x->basis[x->n * i + j];
    if (x->k)
        dal_rank_solve(B, x->n, x->k, x->k, 1e-12, s->c, xi, work);
    memset(s->c, 0, sizeof *s->c * (size_t)x->n);
    for (int i = 0; i < x->k; i++)
        for (int j = 0; j < x->n; j++)
            s->c[j] += xi[i] * x->basis[x->n * i + j];
}

/* c of the motion of the start, as near as fields come to it: spins of bodies are taken before turns of the island. */
static void take_start(search *s, const dal_body_motion *start)
{
    const dal_fields *x = &s->fields;
    const int p = s->loose.p, k = x->k;
    double *B = DAL_NEW(&s->arena, double, (size_t)k *(size_t)p + 1), *momenta = DAL_NEW(&s->arena, double, s->nv + 1);
    double *right = DAL_NEW(&s->arena, double, p + 1), *xi = DAL_NEW(&s->arena, double, k + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(p + 1, k + 1) + 1);
    dal_fields_momenta(s->state, start, momenta);
    dal_kept_project(&s->point, &s->loose, momenta, right);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < x->n; j++)
            for (int a = 0; a < p; a++)
                B[k * a + i] += x->basis[x->n * i + j] * x->along[p * j + a];
    if (k && p)
        dal_rank_solve(B, p, k, k, 1e-9, right, xi, work);
    memset(s->c, 0, sizeof *s->c * (size_t)x->n);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < x->n; j++)
            s->c[j] += xi[i] * x->basis[x->n * i + j];
}

/* What acts on the bodies at rest at q, in world axes: a force and a moment about the centre of mass each, in the model's own units. */
static dal_status find_wrenches(search *s, double *q, double *out)
{
    const dal_units *units = &s->layout->units;
    const dal_mechanism *m = s->layout->mechanism;
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1);
    const double force = units->mass * units->length / (units->time * units->time);
    const dal_status status = place(s, q, zero, s->z, false);
    for (int b = 0; b < m->n_bodies && status == DAL_OK; b++) {
        const dal_work *work = dal_seen_work(s->state);
        double rho[3], *w = out + 6 * b;
        dal_turn(work->kin[b].R, m->bodies[b].center, rho);
        memcpy(w, work->force + 6 * b, 6 * sizeof *w);
        dal_add_cross(w, rho, w + 3); /* - rho x f */
        for (int k = 0; k < 6; k++)
            w[k] /= k < 3 ? force : force * units->length;
    }
    return status;
}

/* How much the wrenches change along field i of the basis beyond turning with it: of a symmetry nothing. */
static dal_status find_change(search *s, int i, const double *here, double *out)
{
    const dal_fields *x = &s->fields;
    const int bodies = x->n_bodies;
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1), *q = DAL_NEW(&s->arena, double, s->layout->nq + 1), size = 0;
    double *wrench = DAL_NEW(&s->arena, double, 6 * bodies + 1);
    for (int a = 0; a < s->nv; a++)
        size = fmax(size, fabs(x->V[s->nv * i + a]) * s->layout->units.column_scale[a] / s->layout->units.length);
    memset(out, 0, sizeof *out * 6 * (size_t)bodies);
    for (int sign = 0; sign < 2 && size * s->unit > 1e-6; sign++) {
        for (int a = 0; a < s->nv; a++)
            dq[a] = (sign ? -1 : 1) * difference / size * x->V[s->nv * i + a];
        memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
        s->layout->family->add(s->layout, q, dq);
        const dal_status status = find_wrenches(s, q, wrench);
        if (status != DAL_OK)
            return status;
        for (int k = 0; k < 6 * bodies; k++)
            out[k] += (sign ? -1 : 1) * wrench[k] / (2 * difference) * size * s->unit;
    }
    for (int b = 0; b < bodies; b++) {
        const int island = dal_island(dal_system_acting(dal_system_of(s->state))->islands.of_body, b);
        double w[3] = {0, 0, 0};
        for (int j = 0; j < x->n; j++)
            if (x->list[j].island == island && x->list[j].turn)
                dal_axpy3(-s->unit * x->basis[x->n * i + j], x->list[j].u, w);
        dal_add_cross(w, here + 6 * b, out + 6 * b);
        dal_add_cross(w, here + 6 * b + 3, out + 6 * b + 3);
    }
    return DAL_OK;
}

/* Only symmetries are kept in the basis. */
static dal_status take_symmetries(search *s)
{
    dal_fields *x = &s->fields;
    const int k = x->k, rows = 6 * x->n_bodies;
    const size_t area = (size_t)k * (size_t)k;
    double *here = DAL_NEW(&s->arena, double, rows + 1), *D = DAL_NEW(&s->arena, double, (size_t)k *(size_t)rows + 1), most = 1;
    double *G = DAL_NEW(&s->arena, double, area + 1), *value = DAL_NEW(&s->arena, double, k + 1), *vector = DAL_NEW(&s->arena, double, area + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(k + 1, k + 1) + 1);
    dal_status status = find_wrenches(s, s->q, here);
    for (int i = 0; i < k && status == DAL_OK; i++)
        status = find_change(s, i, here, D + (size_t)rows * (size_t)i);
    if (status != DAL_OK)
        return status;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            for (int a = 0; a < rows; a++)
                G[k * i + j] += D[rows * i + a] * D[rows * j + a];
    if (k && dal_symmetric_eigen(G, k, k, value, vector, work))
        return DAL_NUMERICAL;
    double *basis = DAL_NEW(&s->arena, double, (size_t)k *(size_t)x->n + 1), *V = DAL_NEW(&s->arena, double, (size_t)k *(size_t)s->nv + 1);
    for (int i = 0; i < k; i++)
        most = fmax(most, value[i]);
    for (x->k = 0; x->k < k && value[x->k] < no_symmetry * no_symmetry * most; x->k++)
        for (int a = 0; a < k; a++) {
            for (int j = 0; j < x->n; j++)
                basis[x->n * x->k + j] += vector[k * x->k + a] * x->basis[x->n * a + j];
            for (int j = 0; j < s->nv; j++)
                V[s->nv * x->k + j] += vector[k * x->k + a] * x->V[s->nv * a + j];
        }
    x->basis = basis;
    x->V = V;
    return status;
}

/* T, the fields, and multipliers that balance F with c as well as can be, at s->q. c follows from the motion of the start, or is taken on. */
static dal_status prepare(search *s, const dal_body_motion *start)
{
    dal_status status = correct(s);
    if (status != DAL_OK)
        return status;
    const size_t area = (size_t)s->point.velocities.p * (size_t)s->nv;
    s->p = s->point.velocities.p;
    s->n_equations = s->p + s->n_z + s->n_driven + s->n_given;
    s->T = DAL_NEW(&s->arena, double, area + 1);
    memcpy(s->T, s->point.velocities.T, sizeof *s->T * area);
    if (!dal_point_span(&s->point, s->driven, &s->loose)) {
        dal_error(s->messages, dal_nowhere, "a part without mass can move: steady motions are not determined");
        return DAL_BAD_MODEL;
    }
    dal_fields_admit(&s->arena, &s->point, &s->loose, &s->fields);
    double *f = DAL_NEW(&s->arena, double, s->nv + 1), *none = DAL_NEW(&s->arena, double, s->fields.n + 1);
    find_forces(s, none, f);
    dal_point_balance(&s->point, f, s->lambda);
    double *v = DAL_NEW(&s->arena, double, s->nv + 1);
    if ((status = take_symmetries(s)) != DAL_OK || (status = place(s, s->q, v, s->z, false)) != DAL_OK)
        return status;
    if (start)
        take_start(s, start);
    keep_admissible(s);
    find_velocities(s, &s->loose, s->c, v);
    if ((status = place(s, s->q, v, s->z, false)) != DAL_OK || (status = look(s)) != DAL_OK)
        return status;
    find_forces(s, s->c, f);
    dal_point_balance(&s->point, f, s->lambda);
    return DAL_OK;
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

/* Unknown j of (positions along T_h, states, coefficients) changed by so much, in the model's own units. */
typedef struct trial {
    double *q, *z, *c;
} trial;

static void change_unknown(search *s, const double *T_h, int p_h, const double *y, double factor, const trial *to)
{
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1);
    memcpy(to->q, s->q, sizeof *s->q * (size_t)s->layout->nq);
    memcpy(to->z, s->z, sizeof *s->z * (size_t)s->n_z);
    memcpy(to->c, s->c, sizeof *s->c * (size_t)s->fields.n);
    for (int j = 0; j < p_h; j++)
        for (int k = 0; k < s->nv; k++)
            dq[k] += factor * y[j] * s->unit * T_h[(size_t)s->nv * (size_t)j + (size_t)k];
    s->layout->family->add(s->layout, to->q, dq);
    for (int k = 0; k < s->n_z; k++)
        to->z[k] += factor * y[p_h + k] * fmax(fabs(s->z[k]), 1e-3);
    for (int i = 0; i < s->fields.k; i++)
        for (int j = 0; j < s->fields.n; j++)
            to->c[j] += factor * y[p_h + s->n_z + i] * s->unit / s->layout->units.time * s->fields.basis[s->fields.n * i + j];
}

static double norm_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static dal_status find_slopes(search *s, const double *T_h, int p_h, double *K)
{
    const int m = s->n_unknowns, n = s->n_equations;
    double *y = DAL_NEW(&s->arena, double, m + 1), *plus = DAL_NEW(&s->arena, double, n + 1), *minus = DAL_NEW(&s->arena, double, n + 1);
    const trial to = {DAL_NEW(&s->arena, double, s->layout->nq + 1), DAL_NEW(&s->arena, double, s->n_z + 1),
                      DAL_NEW(&s->arena, double, s->fields.n + 1)};
    for (int j = 0; j < m; j++) {
        y[j] = 1;
        for (int sign = 0; sign < 2; sign++) {
            change_unknown(s, T_h, p_h, y, sign ? -difference : difference, &to);
            const dal_status status = find_equations(s, to.q, to.c, to.z, sign ? minus : plus);
            if (status != DAL_OK)
                return status;
        }
        y[j] = 0;
        for (int i = 0; i < n; i++)
            K[m * i + j] = (plus[i] - minus[i]) / (2 * difference) * (j < p_h + s->n_z ? 1 : rates_count);
    }
    return DAL_OK;
}

/* Down the potential of the motion at given rates: first the rates, then positions along the eigenvectors of the stiffness with its absolute values. True:
 * some of these were negative. */
static bool descend(search *s, int p, const double *N, const double *K, const double *R, double *y)
{
    const int all = s->p, k = s->fields.k, m = s->n_unknowns, n = s->n_equations;
    double *G = DAL_NEW(&s->arena, double, (size_t)(n - all) * (size_t)k + 1), *S = DAL_NEW(&s->arena, double, (size_t)p *(size_t)p + 1);
    double *value = DAL_NEW(&s->arena, double, p + 1), *vector = DAL_NEW(&s->arena, double, (size_t)p *(size_t)p + 1), most = 0;
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(n + m + 1, n + m + 1) + 1), *right = DAL_NEW(&s->arena, double, p + 1);
    bool climbs = false;
    memset(y, 0, sizeof *y * (size_t)m);
    for (int i = all; i < n; i++)
        memcpy(G + k * (i - all), K + m * i + p, sizeof *G * (size_t)k);
    if (k && n > all)
        dal_rank_solve(G, n - all, k, k, 1e-8, R + all, y + p, work);
    for (int a = 0; a < all; a++) {
        double rest = R[a];
        for (int j = 0; j < k; j++)
            rest -= K[m * a + p + j] * y[p + j];
        for (int i = 0; i < p; i++) {
            right[i] += N[all * i + a] * rest;
            for (int j = 0; j < p; j++) {
                S[p * i + j] += 0.5 * N[all * i + a] * K[m * a + j];
                S[p * j + i] += 0.5 * N[all * i + a] * K[m * a + j];
            }
        }
    }
    if (p && dal_symmetric_eigen(S, p, p, value, vector, work))
        return false;
    for (int i = 0; i < p; i++)
        most = fmax(most, fabs(value[i]));
    for (int i = 0; i < p; i++) {
        double along = 0;
        for (int j = 0; j < p; j++)
            along += vector[p * i + j] * right[j];
        climbs = climbs || value[i] < -1e-7 * most;
        for (int j = 0; j < p && fabs(value[i]) > 1e-7 * most; j++)
            y[j] += along / fabs(value[i]) * vector[p * i + j];
    }
    return climbs;
}

/* Positions do not move along the fields, where nothing is gained by it: N has rows across them, orthonormal, and T_h becomes T_h N^T. Returns how many. */
static int leave_fields(search *s, int p_h, double *T_h, double *N)
{
    const int k = s->fields.k, most = k > p_h ? k : p_h;
    double *momentum = DAL_NEW(&s->arena, double, s->nv + 1), *G = DAL_NEW(&s->arena, double, (size_t)p_h *(size_t)p_h + 1);
    double *a = DAL_NEW(&s->arena, double, (size_t)k *(size_t)p_h + 1), *L = DAL_NEW(&s->arena, double, (size_t)k *(size_t)k + 1);
    double *value = DAL_NEW(&s->arena, double, most + 1), *x = DAL_NEW(&s->arena, double, (size_t)k *(size_t)k + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(most + 1, most + 1) + 1);
    double *old = DAL_NEW(&s->arena, double, (size_t)p_h *(size_t)s->nv + 1);
    int across = 0;
    for (int i = 0; i < k; i++) {
        dal_mass_times(s->layout, dal_seen_work(s->state)->M, s->fields.V + (size_t)s->nv * (size_t)i, momentum);
        for (int b = 0; b < s->nv; b++) {
            for (int j = 0; j < p_h; j++)
                a[p_h * i + j] += T_h[(size_t)s->nv * (size_t)j + (size_t)b] * momentum[b];
            for (int j = 0; j < k; j++)
                L[k * i + j] += s->fields.V[(size_t)s->nv * (size_t)j + (size_t)b] * momentum[b];
        }
    }
    for (int i = 0; i < k; i++) /* energy that is not along T_h: fields that rows of positions forbid, because a drive moves them */
        for (int j = 0; j < k; j++)
            for (int l = 0; l < p_h; l++)
                L[k * i + j] -= a[p_h * i + l] * a[p_h * j + l];
    if (k && dal_symmetric_eigen(L, k, k, value, x, work))
        return 0;
    for (int i = 0; i < k && value[i] < 1e-9; i++) {
        double *along = DAL_NEW(&s->arena, double, p_h + 1);
        for (int j = 0; j < k; j++)
            for (int l = 0; l < p_h; l++)
                along[l] += x[k * i + j] * a[p_h * j + l];
        for (int j = 0; j < p_h; j++)
            for (int l = 0; l < p_h; l++)
                G[p_h * j + l] += along[j] * along[l];
    }
    if (p_h && dal_symmetric_eigen(G, p_h, p_h, value, N, work))
        return 0;
    while (across < p_h && value[across] <= 1e-12 * value[p_h - 1])
        across++;
    memcpy(old, T_h, sizeof *old * (size_t)p_h * (size_t)s->nv);
    memset(T_h, 0, sizeof *T_h * (size_t)p_h * (size_t)s->nv);
    for (int i = 0; i < across; i++)
        for (int j = 0; j < p_h; j++)
            for (int b = 0; b < s->nv; b++)
                T_h[(size_t)s->nv * (size_t)i + (size_t)b] += N[p_h * i + j] * old[(size_t)s->nv * (size_t)j + (size_t)b];
    return across;
}

static dal_status make_step(search *s, const dal_body_motion *start, double *size, double *step, int *freedom)
{
    dal_status status = prepare(s, start);
    if (status != DAL_OK)
        return status;
    const int whole = s->point.positions.p, n = s->n_equations;
    const size_t area = (size_t)whole * (size_t)s->nv;
    double *T_h = DAL_NEW(&s->arena, double, area + 1), *N = DAL_NEW(&s->arena, double, (size_t)whole *(size_t)whole + 1);
    memcpy(T_h, s->point.positions.T, sizeof *T_h * area);
    const int p_h = leave_fields(s, whole, T_h, N), m = s->n_unknowns = p_h + s->n_z + s->fields.k;
    double *K = DAL_NEW(&s->arena, double, (size_t)m *(size_t)n + 1);
    double *R = DAL_NEW(&s->arena, double, n + 1), *y = DAL_NEW(&s->arena, double, m + 1), *other = DAL_NEW(&s->arena, double, n + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(n + 1, m + 1) + 1);
    const trial to = {DAL_NEW(&s->arena, double, s->layout->nq + 1), DAL_NEW(&s->arena, double, s->n_z + 1),
                      DAL_NEW(&s->arena, double, s->fields.n + 1)};
    if ((status = find_equations(s, s->q, s->c, s->z, R)) != DAL_OK || (status = find_slopes(s, T_h, p_h, K)) != DAL_OK)
        return status;
    *size = norm_of(R, n);
    if (*size < rounding) {
        *step = 0;
        return DAL_OK;
    }
    for (int i = 0; i < n; i++)
        R[i] = -R[i];
    double *slow = DAL_NEW(&s->arena, double, m + 1);
    bool better = false;
    for (int t = 0; t < 3 && !better; t++) { /* equations that follow from the others near a solution are omitted as long as that helps */
        const int rank = dal_rank_solve(K, n, m, m, certain[t], R, y, work);
        if (!t)
            *freedom = m - rank;
        const bool climbs = s->descends && !s->n_z && s->p == whole && descend(s, p_h, N, K, R, y);
        for (int j = 0; j < m; j++)
            slow[j] = y[j] * (j < p_h + s->n_z ? 1 : rates_count);
        *step = norm_of(slow, m);
        double part = norm_of(slow, p_h) > longest ? longest / norm_of(slow, p_h) : 1;
        for (int i = 0; i < MOST_HALVES && !better; i++, part *= 0.5) {
            change_unknown(s, T_h, p_h, slow, part, &to);
            status = find_equations(s, to.q, to.c, to.z, other);
            better = status == DAL_OK && (climbs || norm_of(other, n) < (1 - 0.1 * part) * *size);
        }
    }
    if (!better && *size < 1e-6) { /* what is left is rounding */
        *step = 0;
        return DAL_OK;
    }
    memcpy(s->q, to.q, sizeof *s->q * (size_t)s->layout->nq);
    memcpy(s->z, to.z, sizeof *s->z * (size_t)s->n_z);
    memcpy(s->c, to.c, sizeof *s->c * (size_t)s->fields.n);
    return status;
}

/* ---- is it steady? ------------------------------------------------------------------------------------------------ */

/* R of a turn by the vector `by`: Rodrigues. */
static void turn_by(const double by[3], double R[9])
{
    const double angle = sqrt(dal_dot(by, by)), a = angle > 0 ? sin(angle) / angle : 1, h = 0.5 * angle,
                 b = angle > 0 ? 0.5 * sin(h) * sin(h) / (h * h) : 0.5;
    const double K[9] = {0, -by[2], by[1], by[2], 0, -by[0], -by[1], by[0], 0};
    dal_mul33(K, K, R);
    for (int k = 0; k < 9; k++)
        R[k] = (k % 4 == 0) + a * K[k] + b * R[k];
}

/* Where the motion brings a body after a time t: with its frame, and about its own axes. */
static void carry_body(const search *s, int b, double t, double r[3], double R[9])
{
    const dal_fields *x = &s->fields;
    const dal_kin *kin = &dal_seen_work(s->state)->kin[b];
    const int island = dal_island(dal_system_acting(dal_system_of(s->state))->islands.of_body, b);
    double w[3] = {0, 0, 0}, v[3] = {0, 0, 0}, spin[3] = {0, 0, 0}, turn[9], own[9], c[3], rest[9], center[3], along = 0, size;
    for (int i = 0; i < x->n; i++) {
        const dal_field *f = &x->list[i];
        double back[3] = {0, 0, 0};
        dal_add_cross(f->p, f->u, back);
        if (f->island == island)
            dal_axpy3(t * s->c[i], f->turn ? back : f->u, v);
        if (f->turn && (f->island == island || (f->island < 0 && f->body == b)))
            dal_axpy3(t * s->c[i], f->u, f->island < 0 ? spin : w);
    }
    size = dal_dot(w, w);
    dal_turn(kin->R, s->layout->mechanism->bodies[b].center, c);
    dal_axpy3(1, kin->r, c);
    dal_zero3(center);
    if (size > 0) { /* a screw about a line; else a shift */
        dal_add_cross(w, v, center);
        along = dal_dot(w, v) / size;
        for (int k = 0; k < 3; k++) {
            center[k] /= size;
            v[k] = along * w[k];
        }
    }
    turn_by(w, turn);
    turn_by(spin, own);
    dal_mul33(turn, kin->R, rest);
    dal_mul33(rest, own, R);
    dal_sub3(c, center, c);
    dal_mul3(turn, c, r);
    dal_axpy3(1, center, r);
    dal_axpy3(1, v, r); /* the centre of mass */
    dal_turn(R, s->layout->mechanism->bodies[b].center, c);
    dal_sub3(r, c, r);
}

static void carry_bodies(search *s, double t, double *q)
{
    const int bodies = s->fields.n_bodies;
    dal_work *work = dal_work_of(s->state);
    double *r = DAL_NEW(&s->arena, double, 3 * bodies + 1), *R = DAL_NEW(&s->arena, double, 9 * bodies + 1);
    for (int b = 0; b < bodies; b++)
        carry_body(s, b, t, r + 3 * b, R + 9 * b);
    if (s->layout->body[0].n_columns && !s->layout->tree && !s->layout->placement)
        for (int b = 0; b < bodies; b++)
            s->layout->family->place(s->layout, work, b, r + 3 * b, R + 9 * b);
    else
        s->layout->family->place(s->layout, work, -1, r, R);
    memcpy(q, work->q, sizeof *q * (size_t)s->layout->nq);
}

/* The size of F where the motion leads to, with T and multipliers of that place. */
static dal_status look_further(search *s, double *size)
{
    double *q = DAL_NEW(&s->arena, double, s->layout->nq + 1), rate = 1 / s->layout->units.time, *f = DAL_NEW(&s->arena, double, s->nv + 1);
    double *v = DAL_NEW(&s->arena, double, s->nv + 1), *along = DAL_NEW(&s->arena, double, s->nv + 1);
    dal_kept_rows loose;
    for (int b = 0; b < s->fields.n_bodies; b++)
        rate = fmax(rate, sqrt(dal_dot(dal_seen_work(s->state)->kin[b].w, dal_seen_work(s->state)->kin[b].w)));
    carry_bodies(s, 0.9 / rate, q);
    dal_status status = place(s, q, v, s->z, true);
    if (status != DAL_OK || (status = look(s)) != DAL_OK)
        return status;
    if (!dal_point_span(&s->point, s->driven, &loose))
        return DAL_BAD_MODEL;
    find_velocities(s, &loose, s->c, v);
    if ((status = place(s, q, v, s->z, false)) != DAL_OK || (status = look(s)) != DAL_OK)
        return status;
    find_forces(s, s->c, f);
    dal_kept_project(&s->point, &s->point.velocities, f, along);
    *size = norm_of(along, s->point.velocities.p);
    return DAL_OK;
}

/* What the frames of the bodies do: the turns and shifts of their islands. */
static void find_frames(search *s, dal_steady_motion *out)
{
    out->frames = DAL_NEW(s->keep, dal_frame, s->fields.n_bodies + 1);
    for (int b = 0; b < s->fields.n_bodies; b++) {
        dal_frame *frame = &out->frames[b];
        double shift[3] = {0, 0, 0}, size;
        const int island = dal_island(dal_system_acting(dal_system_of(s->state))->islands.of_body, b);
        for (int i = 0; i < s->fields.n; i++) {
            const dal_field *f = &s->fields.list[i];
            if (f->island != island)
                continue;
            double back[3] = {0, 0, 0};
            dal_add_cross(f->p, f->u, back); /* velocity of the origin: u x (0 - p) */
            if (f->turn)
                dal_axpy3(s->c[i], f->u, frame->w);
            dal_axpy3(s->c[i], f->turn ? back : f->u, shift);
        }
        size = sqrt(dal_dot(frame->w, frame->w));
        for (int k = 0; k < 3; k++)
            if (size * s->layout->units.time > 1e-9 && fabs(frame->w[k]) > (1 - 1e-12) * size) {
                frame->turns = true;
                frame->axis = k;
                frame->rate = frame->w[k];
                dal_add_cross(frame->w, shift, frame->center);
                for (int i = 0; i < 3; i++)
                    frame->center[i] /= size * size;
            }
    }
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

/* Rows that time moves or that hold velocities; which given channels are rates themselves. */
static dal_status find_givens(search *s, const char *const *names)
{
    double *zero = DAL_NEW(&s->arena, double, s->nv + 1), *dv = DAL_NEW(&s->arena, double, s->nv + 1);
    const dal_units *units = &s->layout->units;
    dal_status status = place(s, s->q, zero, s->z, true);
    if (status == DAL_OK)
        status = look(s);
    if (status != DAL_OK)
        return status;
    const dal_work *work = dal_seen_work(s->state);
    s->driven = DAL_NEW(s->keep, bool, s->layout->n_rows + 1);
    for (int i = 0; i < s->layout->n_rows; i++) {
        const int source = s->layout->row[i].source;
        s->driven[i] =
            fabs(work->phid[i]) * units->time > 1e-9 * units->row_unit[i] || (source >= 0 && s->layout->mechanism->rows[source].nonholonomic);
        s->n_driven += s->driven[i];
    }
    double *value = DAL_NEW(&s->arena, double, s->point.n_columns + 1), *slope = DAL_NEW(&s->arena, double, s->point.n_columns + 1);
    s->is_rate = DAL_NEW(s->keep, bool, s->n_given + 1);
    for (int j = 0; j < s->nv; j++) {
        dv[j] = 1;
        dal_variation_along(s->point.variation, &s->point.at, &(dal_variation_direction){.v = dv},
                            &(dal_variation_result){.columns = slope, .values = value});
        dv[j] = 0;
        for (int i = 0; i < s->n_given; i++) {
            if (!isfinite(slope[s->columns[i]])) {
                dal_error(s->messages, (dal_mark){"command line", 0, 0}, "'%s' is neither a coordinate nor a rate: a steady motion is given by one",
                          names[i]);
                return DAL_BAD_COMMAND;
            }
            s->is_rate[i] = s->is_rate[i] || slope[s->columns[i]] != 0;
        }
    }
    return DAL_OK;
}

static dal_status refuse(search *s, const char *why)
{
    dal_error(s->messages, dal_nowhere, "there is no steady motion near the start: %s", why);
    return DAL_BAD_MODEL;
}

static dal_status conclude(search *s, double size, dal_steady_motion *out)
{
    dal_status status = prepare(s, NULL);
    double *R = DAL_NEW(&s->arena, double, s->n_equations + 1), further = 0;
    if (status == DAL_OK)
        status = find_equations(s, s->q, s->c, s->z, R);
    if (status != DAL_OK)
        return status;
    size = norm_of(R, s->n_equations);
    memcpy(s->v, s->point.v, sizeof *s->v * (size_t)s->nv);
    const double unit = s->unit / (s->layout->units.time * s->layout->units.time), force = fmax(unit, s->force / sqrt(s->layout->units.mass));
    if (!(size * unit <= 1e2 * left_over * force))
        return refuse(s, "where the search ends, forces or rates are left over");
    find_frames(s, out);
    if ((status = look_further(s, &further)) != DAL_OK)
        return status;
    if (further > 1e-6 * force)
        return refuse(s, "the forces change along the motion that was found, so it does not stay as it is");
    return place(s, s->q, s->v, s->z, true);
}

/* The rates that the given channels have at the start. */
static dal_status look_at_start(search *s, const dal_body_motion *start)
{
    dal_status status = prepare(s, start);
    double *R = DAL_NEW(&s->arena, double, s->n_equations + 1);
    if (status == DAL_OK)
        status = find_equations(s, s->q, s->c, s->z, R);
    if (status == DAL_OK)
        find_rates(s, s->begin);
    return status;
}

/* One call with memory of its own. */
typedef struct call {
    search *s;
    const dal_body_motion *start;
    double *size, *step;
    int *freedom;
    const char *const *names;
    dal_steady_motion *out;
    enum { FIND_GIVENS, LOOK, STEP, CONCLUDE } what;
} call;

static dal_status do_call(void *user)
{
    call *x = user;
    return x->what == FIND_GIVENS ? find_givens(x->s, x->names)
           : x->what == LOOK      ? look_at_start(x->s, x->start)
           : x->what == STEP      ? make_step(x->s, x->start, x->size, x->step, x->freedom)
                                  : conclude(x->s, *x->size, x->out);
}

static dal_status in_own_memory(search *s, call *x)
{
    dal_arena_begin(&s->arena, dal_allocator_of(s->state));
    const dal_status status = dal_arena_try(&s->arena, do_call, x);
    dal_point_close(&s->point);
    dal_arena_release(&s->arena);
    return status;
}

/* ---- towards the given rates ----------------------------------------------------------------------------------- */

/* Where a search stands. */
typedef struct standing {
    double *q, *z, *c;
    int *chart;
} standing;

static standing remember(search *s, standing *old)
{
    const size_t nq = (size_t)s->layout->nq, charts = 3 * (size_t)s->layout->mechanism->n_bodies;
    standing at = old ? *old
                      : (standing){DAL_NEW(s->keep, double, nq + 1), DAL_NEW(s->keep, double, s->n_z + 1), DAL_NEW(s->keep, double, s->fields.n + 1),
                                   DAL_NEW(s->keep, int, charts + 1)};
    memcpy(at.q, s->q, sizeof *at.q * nq);
    memcpy(at.z, s->z, sizeof *at.z * (size_t)s->n_z);
    memcpy(at.c, s->c, sizeof *at.c * (size_t)s->fields.n);
    memcpy(at.chart, dal_seen_work(s->state)->chart, sizeof *at.chart * charts);
    return at;
}

static void go_back(search *s, const standing *at)
{
    memcpy(s->q, at->q, sizeof *at->q * (size_t)s->layout->nq);
    memcpy(s->z, at->z, sizeof *at->z * (size_t)s->n_z);
    memcpy(s->c, at->c, sizeof *at->c * (size_t)s->fields.n);
    memcpy(dal_work_of(s->state)->chart, at->chart, sizeof *at->chart * 3 * (size_t)s->layout->mechanism->n_bodies);
    dal_state_moved(s->state);
}

/* Newton's steps at the rates that are given now. */
static dal_status settle(call *x, bool *calm)
{
    dal_status status = DAL_OK;
    *calm = false;
    x->what = STEP;
    for (int i = 0; i < MOST_STEPS && status == DAL_OK && !*calm; i++) {
        status = in_own_memory(x->s, x);
        *calm = *x->step == 0;
        x->start = NULL;
    }
    return status;
}

/* Rates that are far from those of the start are approached: given = begin + way (values - begin), each from the motion before it. */
static dal_status approach(call *x, const double *values, bool *calm)
{
    search *s = x->s;
    dal_messages *messages = s->messages;
    double way = 0, stride = 1.0 / 8, next = 0;
    x->what = LOOK;
    dal_status status = in_own_memory(s, x);
    standing at = remember(s, NULL);
    *calm = false;
    s->messages = NULL; /* what fails on the way says nothing */
    while (status == DAL_OK && stride > 1e-3) {
        for (int i = 0; i < s->n_given; i++)
            s->given[i] = next < 1 ? s->begin[i] + next * (values[i] - s->begin[i]) : values[i];
        if (settle(x, calm) == DAL_OK && *calm) {
            if (!(next < 1))
                break;
            way = next;
            remember(s, &at);
            stride *= 1.5;
        } else {
            go_back(s, &at);
            stride *= next > 0 ? 0.5 : 0;
        }
        *calm = false;
        next = fmin(way + stride, 1);
    }
    s->messages = messages;
    return status;
}

dal_status dal_state_steady(dal_arena *arena, dal_state *state, bool descends, int n, const int *columns, const double *values,
                            const char *const *names, dal_messages *messages, dal_steady_motion *out)
{
    const dal_layout *layout = dal_layout_of(state);
    search s = {.keep = arena,
                .state = state,
                .messages = messages,
                .layout = layout,
                .nv = layout->nv,
                .n_given = n,
                .columns = columns,
                .descends = descends};
    double size = INFINITY, step = INFINITY;
    int freedom = 0;
    s.n_z = dal_system_states(dal_system_of(state), NULL);
    s.unit = sqrt(layout->units.mass) * layout->units.length;
    s.q = DAL_NEW(arena, double, layout->nq + 1);
    s.v = DAL_NEW(arena, double, s.nv + 1);
    s.z = DAL_NEW(arena, double, s.n_z + 1);
    s.lambda = DAL_NEW(arena, double, layout->n_rows + 1);
    memcpy(s.q, dal_seen_work(state)->q, sizeof *s.q * (size_t)layout->nq);
    memcpy(s.z, dal_own_states_of(state), sizeof *s.z * (size_t)s.n_z);
    if (layout->systems)
        return refuse(&s, "the model has sub-systems (`systems:`, `lagrangian:`), for which steady motions are not computed");
    dal_fields_list(arena, state, &s.fields);
    dal_body_motion *start = DAL_NEW(arena, dal_body_motion, s.fields.n_bodies + 1);
    for (int b = 0; b < s.fields.n_bodies; b++) {
        dal_copy3(dal_seen_work(state)->kin[b].w, start[b].w);
        dal_copy3(dal_seen_work(state)->kin[b].rd, start[b].rd);
    }
    s.c = DAL_NEW(arena, double, s.fields.n + 1);
    s.given = DAL_NEW(arena, double, n + 1);
    s.begin = DAL_NEW(arena, double, n + 1);
    memcpy(s.given, values, sizeof *s.given * (size_t)n);
    call x = {&s, start, &size, &step, &freedom, names, out, FIND_GIVENS};
    dal_status status = in_own_memory(&s, &x);
    standing at = remember(&s, NULL);
    bool calm = false;
    if (status == DAL_OK)
        status = settle(&x, &calm);
    if (status == DAL_OK && !calm) {
        go_back(&s, &at);
        x.start = start;
        status = approach(&x, values, &calm);
    }
    if (status == DAL_OK && !calm)
        return refuse(&s, "the search does not settle");
    x.what = CONCLUDE;
    out->freedom = freedom;
    return status == DAL_OK ? in_own_memory(&s, &x) : status;
}
