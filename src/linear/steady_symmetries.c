/* Fields that are symmetries, and the coefficients c of the motion along them.
 *
 * Motions that the constraints allow need not be symmetries. At rest, the forces on the bodies must turn with them and change in no other way: with
 * the force f and the moment m of each body about its centre of mass, and the turn w of the field,
 *
 *     df = w x f,   dm = w x m
 *
 * The constraints must allow the field at other positions, too. They allow a particle on a rod to shift along every tangent of its sphere, but only
 * for an instant: with the motion V of the bodies by a field, and P V, the part of it that the constraints allow, V - P V = 0.
 *
 * Both hold with the same c at every position nearby, or the linearisation would change along the motion; at one position a force may vanish by
 * chance, as at the middle of an unbalanced rotor. So the defects D are those at several places, and of the admissible fields those combinations are
 * kept for which they are zero: the null space of L, where D = L Q with orthonormal rows of Q. (The squares D D^T would have half of the digits.)
 */
#include "linear/steady_parts.h"

#include "base/message.h"
#include "math/chance.h"
#include "math/dense.h"
#include "math/rank.h"
#include "math/sums.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { PLACES = 4 };
static const double no_symmetry = 1e-9; /* largest change of F along a symmetry, of all changes: differences leave 1e-11 */
static const double no_spin = 1e-6;     /* of a symmetry: a smaller part is rounding */
static const double aside = 1e-2;       /* of the model's length: distance of the places */
static const double least_force = 1e-3; /* change of a wrench that counts, in the model's own units */

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

/* The change of the wrenches per unit of a field with velocities V, in a frame that turns with it: zero for a symmetry. Differences over h and 2 h leave
 * an error of h^4. */
static dal_status find_wrench_change(dal_steady_search *s, int i, const double *at, const double *V, const double *here, double *out)
{
    static const double difference = 1e-4; /* in the model's own units */
    const dal_fields *x = &s->fields;
    const int bodies = x->n_bodies;
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1), *q = DAL_NEW(&s->arena, double, s->layout->nq + 1);
    double *wrench = DAL_NEW(&s->arena, double, 6 * bodies + 1);
    const double size = find_change_size(s, V);
    for (int step = -2; step <= 2 && size * s->unit > 1e-14; step++) {
        if (step == 0)
            continue;
        for (int a = 0; a < s->nv; a++)
            dq[a] = step * difference / size * V[a];
        memcpy(q, at, sizeof *q * (size_t)s->layout->nq);
        s->layout->family->add(s->layout, q, dq);
        const dal_status status = find_wrenches(s, q, wrench);
        if (status != DAL_OK)
            return status;
        const double weight = (step * step == 1 ? 8 : -1) * (step < 0 ? -1 : 1) / (12 * difference);
        for (int k = 0; k < 6 * bodies; k++)
            out[k] += weight * size * s->unit * wrench[k];
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

/* The part of each field of the basis that the constraints at q do not allow, as velocities of the bodies weighted by their energy: k rows with this
 * stride. V: k rows, the part that they allow. */
static dal_status find_forbidden(dal_steady_search *s, double *q, size_t stride, double *out, double *V)
{
    const dal_fields *x = &s->fields;
    const dal_mechanism *m = s->layout->mechanism;
    dal_body_motion *motion = DAL_NEW(&s->arena, dal_body_motion, x->n_bodies + 1);
    double *rest = DAL_NEW(&s->arena, double, s->nv + 1);
    dal_kept_rows loose;
    dal_status status = dal_steady_span(s, q, rest, s->z, false, &loose);
    if (status != DAL_OK)
        return status;
    for (int i = 0; i < x->k; i++, out += stride, V += s->nv) {
        const double *c = x->basis + x->n * i;
        dal_fields_move(s->state, x, c, motion);
        dal_steady_velocities(s, &loose, c, V);
        if ((status = dal_steady_enter(s, q, V, s->z, false)) != DAL_OK)
            return status;
        for (int b = 0; b < x->n_bodies; b++) {
            const dal_body *body = &m->bodies[b];
            const dal_kin *kin = &dal_seen_work(s->state)->kin[b];
            const double turns = body->particle ? 0 : body->inertia[0] + body->inertia[4] + body->inertia[8];
            double rho[3], w[3], u[3];
            dal_turn(kin->R, body->center, rho);
            dal_sub3(motion[b].w, kin->w, w);
            dal_sub3(motion[b].rd, kin->rd, u);
            if (!body->particle)
                dal_add_cross(w, rho, u);
            dal_axpy3(sqrt(body->mass), u, out + 6 * b);
            dal_axpy3(sqrt(turns), w, out + 6 * b + 3);
        }
    }
    return status;
}

/* What the fields of the basis lack to be symmetries: for each, numbers that are zero for one. */
typedef struct defects {
    int places;
    size_t stride;          /* numbers of a field: at each place, changes of the wrenches, then forbidden velocities */
    double *list, greatest; /* k rows; the largest wrench */
} defects;

/* Those at position q, which is on the rows. */
static dal_status add_defects(dal_steady_search *s, double *q, defects *x)
{
    const int k = s->fields.k, rows = 6 * s->fields.n_bodies;
    double *at = x->list + (size_t)(2 * rows) * (size_t)x->places;
    double *V = DAL_NEW(&s->arena, double, (size_t)k *(size_t)s->nv + 1), *here = DAL_NEW(&s->arena, double, rows + 1);
    dal_status status = find_forbidden(s, q, x->stride, at + rows, V);
    if (status == DAL_OK)
        status = find_wrenches(s, q, here);
    for (int i = 0; i < k && status == DAL_OK; i++)
        status = find_wrench_change(s, i, q, V + (size_t)s->nv * (size_t)i, here, at + x->stride * (size_t)i);
    if (status == DAL_OK) {
        x->greatest = fmax(x->greatest, dal_norm(here, rows));
        x->places++;
    } else
        for (int i = 0; i < k; i++)
            memset(at + x->stride * (size_t)i, 0, sizeof *at * (size_t)(2 * rows));
    return status;
}

/* q := a position nearby that the rows of positions allow. The position of the search stays. */
static dal_status go_aside(dal_steady_search *s, int place, const double *T, int p, double *q)
{
    double *dq = DAL_NEW(&s->arena, double, s->nv + 1), *here = s->q;
    uint64_t seed = (uint64_t)place;
    for (int j = 0; j < p; j++) {
        const double part = dal_chance(&seed);
        for (int a = 0; a < s->nv; a++)
            dq[a] += part * T[(size_t)s->nv * (size_t)j + (size_t)a];
    }
    const double size = find_change_size(s, dq);
    for (int a = 0; a < s->nv; a++)
        dq[a] *= size > 0 ? aside / size : 0;
    memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
    s->layout->family->add(s->layout, q, dq);
    s->q = q;
    const dal_status status = dal_steady_correct(s);
    s->q = here;
    return status;
}

/* The defects here and at places around, where the model has them: at one place a force that vanishes there hides them. */
static dal_status find_defects(dal_steady_search *s, defects *x)
{
    const int p = s->point.positions.p;
    const size_t charts = 3 * (size_t)s->layout->mechanism->n_bodies, area = (size_t)p * (size_t)s->nv;
    double *q = DAL_NEW(&s->arena, double, s->layout->nq + 1), *T = DAL_NEW(&s->arena, double, area + 1);
    int *chart = DAL_NEW(&s->arena, int, charts + 1);
    dal_messages *messages = s->messages;
    memcpy(T, s->point.positions.T, sizeof *T * area);
    memcpy(chart, dal_seen_work(s->state)->chart, sizeof *chart * charts);
    memcpy(q, s->q, sizeof *q * (size_t)s->layout->nq);
    const dal_status status = add_defects(s, q, x);
    s->messages = NULL;
    for (int place = 1; place < PLACES && status == DAL_OK; place++) {
        if (go_aside(s, place, T, p, q) == DAL_OK)
            add_defects(s, q, x);
        memcpy(dal_work_of(s->state)->chart, chart, sizeof *chart * charts);
    }
    s->messages = messages;
    return status;
}

/* Changes of wrenches in units of the largest. If none is large, as where all fields are symmetries, these are forces over the distance between the
 * places. */
static void scale_wrenches(const dal_steady_search *s, defects *x)
{
    const int k = s->fields.k, rows = 6 * s->fields.n_bodies;
    double scale = fmax(least_force, x->greatest / aside);
    for (int sweep = 0; sweep < 2; sweep++)
        for (int i = 0; i < k; i++)
            for (int place = 0; place < x->places; place++) {
                double *at = x->list + x->stride * (size_t)i + (size_t)(2 * rows) * (size_t)place;
                for (int a = 0; a < rows && sweep; a++)
                    at[a] /= scale;
                scale = sweep ? scale : fmax(scale, dal_norm(at, rows));
            }
}

/* from := the rows of `by` (k + 1 numbers each) times the rows of `from`: n of them out of k. */
static void combine_rows(dal_steady_search *s, int n, int k, const double *by, size_t width, double *from)
{
    double *sum = DAL_NEW(&s->arena, double, (size_t)n *width + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            for (size_t a = 0; a < width; a++)
                sum[width * (size_t)i + a] += by[(k + 1) * i + j] * from[width * (size_t)j + a];
    memcpy(from, sum, sizeof *from * (size_t)n * width);
}

/* A spin that a symmetry has by rounding only is none of its parts: turn and spin of a body differ by little where its eccentricity is small, so that
 * rounding mixes them. */
static void leave_small_spins(const dal_steady_search *s)
{
    const dal_fields *x = &s->fields;
    for (int i = 0; i < x->k; i++) {
        double *c = x->basis + x->n * i, most = 0;
        for (int j = 0; j < x->n; j++)
            most = fmax(most, fabs(c[j]) * (x->list[j].turn ? s->layout->units.length : 1));
        for (int j = 0; j < x->n; j++)
            if (x->list[j].island < 0 && fabs(c[j]) * s->layout->units.length < no_spin * most)
                c[j] = 0;
    }
}

/* Only symmetries are kept in the basis. */
static dal_status find_symmetries(dal_steady_search *s)
{
    dal_fields *x = &s->fields;
    const int k = x->k, wide = k + 1;
    const size_t area = (size_t)wide * (size_t)wide;
    double *L = DAL_NEW(&s->arena, double, area), *sigma = DAL_NEW(&s->arena, double, wide), *kept = DAL_NEW(&s->arena, double, area);
    double *work = DAL_NEW(&s->arena, double, dal_rank_work(wide, wide)), *tau = DAL_NEW(&s->arena, double, wide);
    defects lacks = {.stride = (size_t)PLACES * 12 * (size_t)x->n_bodies};
    lacks.list = DAL_NEW(&s->arena, double, (size_t)k *lacks.stride + 1);
    const dal_status status = find_defects(s, &lacks);
    if (status != DAL_OK)
        return status;
    scale_wrenches(s, &lacks);
    dal_qr(lacks.list, (int)lacks.stride, k, (int)lacks.stride, tau);
    for (int i = 0; i < k; i++)
        memcpy(L + wide * i, lacks.list + lacks.stride * (size_t)i, sizeof *L * (size_t)(i + 1));
    L[area - 1] = 1; /* an own dimension: no singular value is small because all are */
    const int rank = dal_rank_svd(L, wide, wide, wide, no_symmetry, sigma, NULL, kept, work);
    if (rank < 0)
        return DAL_NUMERICAL;
    x->k = wide - rank;
    combine_rows(s, x->k, k, kept, (size_t)x->n, x->basis);
    combine_rows(s, x->k, k, kept, (size_t)s->nv, x->V);
    leave_small_spins(s);
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
