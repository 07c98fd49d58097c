/* Fields that are symmetries, and the coefficients c of the motion along them.
 *
 * Motions that the constraints allow need not be symmetries. At rest, the forces on the bodies must turn with them and change in no other way: with
 * the force f and the moment m of each body about its centre of mass, and the turn w of the field,
 *
 *     df = w x f,   dm = w x m
 *
 * The constraints must allow the field at later positions, too. They allow a particle on a rod to shift along every tangent of its sphere, but only
 * for an instant. With the motion V of the bodies by a field j, and P V, the part of it that the constraints allow,
 *
 *     d(V_j - P V_j) = 0   along all fields that they allow at this position
 *
 * Of the admissible fields those combinations are kept for which the rest is zero: the null space of D D^T, a row of D being the rest along a field.
 */
#include "linear/steady_parts.h"

#include "base/message.h"
#include "math/chance.h"
#include "math/rank.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_DIRECTIONS = 8 };
static const double no_symmetry = 1e-5; /* largest change of F along a symmetry */
static const double further_on = 1e-3;  /* in the model's own units: fields of a symmetry are allowed at both ends, so rounding is the only error */

/* c := the nearest admissible coefficients: the rows of the basis are orthonormal in units of energy. Turns count by the model's length. */
static void keep_admissible_coefficients(dal_steady_search *s)
{
    const dal_fields *x = &s->fields;
    double *c = DAL_NEW(&s->arena, double, x->n + 1);
    double *B = DAL_NEW(&s->arena, double, (size_t)x->k *(size_t)x->n + 1), *xi = DAL_NEW(&s->arena, double, x->k + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(x->n + 1, x->k + 1) + 1);
    for (int j = 0; j < x->n; j++) {
        const double lever = x->list[j].turn ? s->layout->units.length : 1;
        c[j] = lever * s->c[j];
        for (int i = 0; i < x->k; i++)
            B[x->k * j + i] = lever * x->basis[x->n * i + j];
    }
    if (x->k)
        dal_rank_solve(B, x->n, x->k, x->k, 1e-12, c, xi, work);
    memset(s->c, 0, sizeof *s->c * (size_t)x->n);
    for (int i = 0; i < x->k; i++)
        for (int j = 0; j < x->n; j++)
            s->c[j] += xi[i] * x->basis[x->n * i + j];
}

/* c of the fields nearest to the motion of the start: spins of bodies are preferred to turns of the island. */
static void project_start_motion(dal_steady_search *s, const dal_body_motion *start)
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

/* The forces on the bodies at q, at rest if they have values there, in world axes: for each body a force and a moment about its centre of mass, in the model's own units. */
static dal_status find_wrenches(dal_steady_search *s, double *q, double *out)
{
    const dal_units *units = &s->layout->units;
    const dal_mechanism *m = s->layout->mechanism;
    double *v = DAL_NEW(&s->arena, double, s->nv + 1);
    const double force = units->mass * units->length / (units->time * units->time);
    dal_status status = dal_steady_carry(s, q, v);
    if (status == DAL_OK)
        status = dal_steady_evaluate(s, q, v, s->z, false);
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

/* How large a change of the coordinates is, per unit of the model's length. */
static double find_change_size(const dal_steady_search *s, const double *dq)
{
    double size = 0;
    for (int a = 0; a < s->nv; a++)
        size = fmax(size, fabs(dq[a]) * s->layout->units.column_scale[a] / s->layout->units.length);
    return size;
}

/* The change of the wrenches along field i of the basis, in a frame that turns with it: zero for a symmetry. */
static dal_status find_wrench_change(dal_steady_search *s, int i, const double *here, double *out)
{
    const dal_fields *x = &s->fields;
    const int bodies = x->n_bodies;
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1), *q = DAL_NEW(&s->arena, double, s->layout->nq + 1);
    double *wrench = DAL_NEW(&s->arena, double, 6 * bodies + 1);
    const double size = find_change_size(s, x->V + (size_t)s->nv * (size_t)i);
    memset(out, 0, sizeof *out * 6 * (size_t)bodies);
    for (int sign = 0; sign < 2 && size * s->unit > 1e-6; sign++) {
        for (int a = 0; a < s->nv; a++)
            dq[a] = (sign ? -1 : 1) * dal_steady_difference / size * x->V[s->nv * i + a];
        memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
        s->layout->family->add(s->layout, q, dq);
        const dal_status status = find_wrenches(s, q, wrench);
        if (status != DAL_OK)
            return status;
        for (int k = 0; k < 6 * bodies; k++)
            out[k] += (sign ? -1 : 1) * wrench[k] / (2 * dal_steady_difference) * size * s->unit;
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

/* The part of each field of the basis that the constraints at q do not allow, as velocities of the bodies weighted by their energy: k rows. */
static dal_status find_forbidden(dal_steady_search *s, double *q, double factor, double *out)
{
    const dal_fields *x = &s->fields;
    const dal_mechanism *m = s->layout->mechanism;
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, x->n_bodies + 1);
    double *v = DAL_NEW(&s->arena, double, s->nv + 1);
    dal_kept_rows loose;
    dal_status status = dal_steady_span(s, q, v, s->z, false, &loose);
    if (status != DAL_OK)
        return status;
    for (int i = 0; i < x->k; i++) {
        const double *c = x->basis + x->n * i;
        dal_fields_move(s->state, x, c, motion);
        dal_steady_velocities(s, &loose, c, v);
        if ((status = dal_steady_enter(s, q, v, s->z, false)) != DAL_OK)
            return status;
        for (int b = 0; b < x->n_bodies; b++, out += 6) {
            const dal_body *body = &m->bodies[b];
            const dal_kin *kin = &dal_seen_work(s->state)->kin[b];
            const double turns = body->particle ? 0 : body->inertia[0] + body->inertia[4] + body->inertia[8];
            double rho[3], w[3], u[3];
            dal_turn(kin->R, body->center, rho);
            dal_sub3(motion[b].w, kin->w, w);
            dal_sub3(motion[b].rd, kin->rd, u);
            if (!body->particle)
                dal_add_cross(w, rho, u);
            dal_axpy3(factor * sqrt(body->mass), u, out);
            dal_axpy3(factor * sqrt(turns), w, out + 3);
        }
    }
    return status;
}

/* Direction d along the fields at this position: field d, or a random sum of all fields if there are many. */
static void choose_direction(const dal_steady_search *s, int d, double *dq)
{
    const dal_fields *x = &s->fields;
    uint64_t seed = (uint64_t)d;
    memset(dq, 0, sizeof *dq * (size_t)s->nv);
    for (int i = 0; i < x->k; i++) {
        const double part = x->k <= MOST_DIRECTIONS ? i == d : dal_chance(&seed);
        for (int a = 0; a < s->nv; a++)
            dq[a] += part * x->V[(size_t)s->nv * (size_t)i + (size_t)a];
    }
}

/* q back on the rows; the position of the search stays. */
static dal_status correct_aside(dal_steady_search *s, double *q)
{
    double *here = s->q;
    s->q = q;
    const dal_status status = dal_steady_correct(s);
    s->q = here;
    return status;
}

/* G += D D^T, where D has the parts of the fields that the constraints do not allow at later positions. */
static dal_status add_constraint_changes(dal_steady_search *s, double *G)
{
    const int k = s->fields.k, rows = 6 * s->fields.n_bodies;
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1), *q = DAL_NEW(&s->arena, double, s->layout->nq + 1);
    double *D = DAL_NEW(&s->arena, double, (size_t)k *(size_t)rows + 1);
    const size_t charts = 3 * (size_t)s->layout->mechanism->n_bodies;
    int *chart = DAL_NEW(&s->arena, int, charts + 1);
    memcpy(chart, dal_seen_work(s->state)->chart, sizeof *chart * charts);
    for (int d = 0; d < k && d < MOST_DIRECTIONS; d++) {
        choose_direction(s, d, dq);
        const double size = find_change_size(s, dq);
        if (!(size * s->unit > 1e-6))
            continue;
        memset(D, 0, sizeof *D * (size_t)k * (size_t)rows);
        for (int a = 0; a < s->nv; a++)
            dq[a] *= further_on / size;
        for (int sign = 0; sign < 2; sign++) {
            memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
            s->layout->family->add(s->layout, q, dq);
            dal_status status = correct_aside(s, q);
            if (status == DAL_OK)
                status = find_forbidden(s, q, (sign ? -1 : 1) * size * s->unit / (2 * further_on), D);
            memcpy(dal_work_of(s->state)->chart, chart, sizeof *chart * charts);
            if (status != DAL_OK)
                return status;
            for (int a = 0; a < s->nv; a++)
                dq[a] = -dq[a];
        }
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                for (int a = 0; a < rows; a++)
                    G[k * i + j] += D[rows * i + a] * D[rows * j + a];
    }
    return DAL_OK;
}

/* Only symmetries are kept in the basis. */
static dal_status find_symmetries(dal_steady_search *s)
{
    dal_fields *x = &s->fields;
    const int k = x->k, rows = 6 * x->n_bodies;
    const size_t area = (size_t)k * (size_t)k;
    double *here = DAL_NEW(&s->arena, double, rows + 1), *D = DAL_NEW(&s->arena, double, (size_t)k *(size_t)rows + 1), most = 1;
    double *G = DAL_NEW(&s->arena, double, area + 1), *value = DAL_NEW(&s->arena, double, k + 1), *vector = DAL_NEW(&s->arena, double, area + 1);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(k + 1, k + 1) + 1);
    dal_status status = find_wrenches(s, s->q, here);
    for (int i = 0; i < k && status == DAL_OK; i++)
        status = find_wrench_change(s, i, here, D + (size_t)rows * (size_t)i);
    if (status != DAL_OK)
        return status;
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            for (int a = 0; a < rows; a++)
                G[k * i + j] += D[rows * i + a] * D[rows * j + a];
    if ((status = add_constraint_changes(s, G)) != DAL_OK)
        return status;
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

dal_status dal_steady_prepare(dal_steady_search *s, const dal_body_motion *start)
{
    dal_status status = dal_steady_correct(s);
    if (status != DAL_OK)
        return status;
    const size_t area = (size_t)s->point.velocities.p * (size_t)s->nv;
    s->p = s->point.velocities.p;
    s->n_equations = s->p + s->n_z + s->n_driven + s->n_velocity_rows + s->n_given;
    s->T = DAL_NEW(&s->arena, double, area + 1);
    memcpy(s->T, s->point.velocities.T, sizeof *s->T * area);
    if (!dal_point_span(&s->point, s->driven, &s->loose)) {
        dal_error(s->messages, dal_nowhere, "a part without mass can move: steady motions are not determined");
        return DAL_BAD_MODEL;
    }
    dal_fields_admit(&s->arena, &s->point, &s->loose, &s->fields);
    dal_steady_note(s, start);
    double *f = DAL_NEW(&s->arena, double, s->nv + 1), *v = DAL_NEW(&s->arena, double, s->nv + 1);
    if ((status = find_symmetries(s)) != DAL_OK || (status = dal_steady_enter(s, s->q, v, s->z, false)) != DAL_OK)
        return status;
    if (start)
        project_start_motion(s, start);
    keep_admissible_coefficients(s);
    dal_steady_velocities(s, &s->loose, s->c, v);
    if ((status = dal_steady_open(s, s->q, v, s->z, false)) != DAL_OK)
        return status;
    dal_steady_forces(s, s->c, f);
    dal_point_balance(&s->point, f, s->lambda);
    return DAL_OK;
}
