/* Formulation `recursive` against `lagrange` in the same coordinates, which forms M and A and solves both at once: nothing of the one is used
 * by the other. And random joints, to make models of. */
#ifndef DAL_TEST_LOOPS_AGREE_H
#define DAL_TEST_LOOPS_AGREE_H

#include "state/report.h"
#include "dynamics/row_rank.h"
#include "chance.h"
#include "gallery.h"

#include <float.h>

/* ---- random joints ----------------------------------------------------------------------- */

/* A joint type, the freedoms that it leaves and the rows that it forbids. */
typedef struct kind {
    const char *type;
    int free;
    enum { NO_AXIS, ONE_AXIS, SAME_AXES, CROSSED_AXES } axes;
} kind;

static const kind in_space[] = {{"revolute", 1, SAME_AXES},      {"prismatic", 1, SAME_AXES},   {"spherical", 3, NO_AXIS},
                                {"universal", 2, CROSSED_AXES},  {"cylindrical", 2, SAME_AXES}, {"screw", 1, SAME_AXES},
                                {"planar", 3, SAME_AXES},        {"rigid", 0, NO_AXIS},         {"point-on-line", 4, ONE_AXIS},
                                {"point-on-plane", 5, ONE_AXIS}, {"distance", 5, NO_AXIS}};
static const kind in_the_plane[] = {
    {"revolute", 1, NO_AXIS}, {"prismatic", 1, ONE_AXIS}, {"pin-in-slot", 2, ONE_AXIS}, {"rigid", 0, NO_AXIS}, {"distance", 2, NO_AXIS}};
enum { IN_SPACE = sizeof in_space / sizeof *in_space, IN_THE_PLANE = sizeof in_the_plane / sizeof *in_the_plane };

/* What has been made: `turning`, `sliding`: joints of the tree by their numbers. */
typedef struct made {
    maker m;
    bool parallel; /* in space, and all axes are parallel: loops are redundant */
    double common[3];
    int bodies, freedoms, loops, n_turning, n_sliding, drives, couplings, constraints, blades;
    int turning[MOST_BODIES], sliding[MOST_BODIES];
    char forces[MOST_TEXT], rules[MOST_TEXT];
} made;

static inline void random_point(maker *m, double at[3])
{
    for (int i = 0; i < 3; i++)
        at[i] = m->flat && i == 2 ? 0 : number(m);
}

/* A unit vector at right angles to u. */
static inline void across(maker *m, const double u[3], double out[3])
{
    double dot = 0, size = 0;
    random_unit(m, out);
    for (int i = 0; i < 3; i++)
        dot += out[i] * u[i];
    for (int i = 0; i < 3; i++) {
        out[i] -= dot * u[i];
        size += out[i] * out[i];
    }
    for (int i = 0; i < 3; i++)
        out[i] /= sqrt(size);
}

static inline void join(made *x, const kind *k, int a, int b, const char *more)
{
    maker *m = &x->m;
    double at[3], other[3], axis[3], second[3];
    random_point(m, at);
    random_point(m, other);
    if (x->parallel && !strcmp(k->type, "prismatic"))
        across(m, x->common, axis);
    else if (x->parallel)
        memcpy(axis, x->common, sizeof axis);
    else
        random_unit(m, axis);
    across(m, axis, second);
    char keys[200];
    snprintf(keys, sizeof keys, "%s%s", more, strcmp(k->type, "screw") ? "" : ", pitch: 0.83");
    add_axes_joint(m, k->type, a, b, at, strcmp(k->type, "distance") ? at : other, k->axes == NO_AXIS ? NULL : axis,
                   k->axes == SAME_AXES      ? axis
                   : k->axes == CROSSED_AXES ? second
                                             : NULL,
                   keys);
}

/* ---- recursive against lagrange ------------------------------------------------------------------- */

/* M and A of a state as dense matrices, and how well they determine the answer. */
typedef struct dense {
    int n, r;
    double *M, *A;
} dense;

static inline dense dense_of(const dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const int n = layout->nv, r = layout->n_rows;
    dense d = {n, r, calloc((size_t)(n * n + 1), sizeof(double)), calloc((size_t)(n * r + 1), sizeof(double))};
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *block = &layout->block[b];
        for (int i = 0; i < block->n; i++)
            for (int j = 0; j <= i; j++)
                d.M[n * (block->column + i) + block->column + j] = d.M[n * (block->column + j) + block->column + i] =
                    state->work.M[block->value + block->n * i + j];
    }
    for (int i = 0; i < r; i++)
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            d.A[n * i + layout->column[k]] = state->work.A[k];
    return d;
}

static inline void dense_free(dense *d)
{
    free(d->M), free(d->A);
}

/* Largest sum of |entries| of a row. */
static inline double norm(int n, const double *K)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(K[n * i + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* K := K^-1 by Gauss and Jordan, rows exchanged. */
static inline bool invert(int n, double *K)
{
    double *X = calloc((size_t)(n * n), sizeof *X);
    bool fine = true;
    for (int i = 0; i < n; i++)
        X[n * i + i] = 1;
    for (int p = 0; p < n && fine; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            best = fabs(K[n * i + p]) > fabs(K[n * best + p]) ? i : best;
        fine = fabs(K[n * best + p]) > 0;
        for (int j = 0; j < n && fine; j++) {
            double t = K[n * p + j];
            K[n * p + j] = K[n * best + j], K[n * best + j] = t;
            t = X[n * p + j];
            X[n * p + j] = X[n * best + j], X[n * best + j] = t;
        }
        for (int i = 0; i < n && fine; i++) {
            const double l = K[n * i + p] / K[n * p + p];
            for (int j = 0; j < n && i != p; j++) {
                K[n * i + j] -= l * K[n * p + j];
                X[n * i + j] -= l * X[n * p + j];
            }
        }
    }
    for (int i = 0; i < n && fine; i++)
        for (int j = 0; j < n; j++)
            X[n * i + j] /= K[n * i + i];
    memcpy(K, X, sizeof *K * (size_t)(n * n));
    free(X);
    return fine;
}

/* Condition of [M A^T; A 0] with the independent rows, at unit diagonal of M and unit rows of A. */
static inline double condition(const dense *d, const bool *independent)
{
    const int n = d->n;
    int size = n;
    for (int i = 0; i < d->r; i++)
        size += independent[i];
    double *K = calloc((size_t)(size * size + 1), sizeof *K), *s = calloc((size_t)n + 1, sizeof *s);
    for (int i = 0; i < n; i++)
        s[i] = 1 / sqrt(d->M[n * i + i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            K[size * i + j] = s[i] * d->M[n * i + j] * s[j];
    for (int i = 0, at = n; i < d->r; i++) {
        double sum = 0;
        if (!independent[i])
            continue;
        for (int j = 0; j < n; j++)
            sum += d->A[n * i + j] * s[j] * d->A[n * i + j] * s[j];
        for (int j = 0; j < n; j++)
            K[size * at + j] = K[size * j + at] = d->A[n * i + j] * s[j] / sqrt(sum);
        at++;
    }
    const double before = norm(size, K);
    const double result = invert(size, K) ? before * norm(size, K) : INFINITY;
    free(K), free(s);
    return result;
}

/* The residual of M v' + h = Q + A^T lambda, relative to the largest sum of the sizes that one of its lines is made of, and of A v' = gamma,
 * relative to |v'|, for rows of unit norm; both with M at unit diagonal. */
static inline double defect(const dense *d, const dal_state *truth, const double *vd, const double *lambda)
{
    double worst[2] = {0, 0}, most[2] = {0, 0};
    for (int j = 0; j < d->n; j++)
        most[1] += d->M[d->n * j + j] * vd[j] * vd[j];
    most[1] = sqrt(most[1]);
    for (int i = 0; i < d->n; i++) {
        double sum = truth->work.h[i] - truth->work.Q[i], size = fabs(truth->work.h[i]) + fabs(truth->work.Q[i]);
        const double unit = 1 / sqrt(d->M[d->n * i + i]);
        for (int j = 0; j < d->n; j++) {
            sum += d->M[d->n * i + j] * vd[j];
            size += fabs(d->M[d->n * i + j] * vd[j]);
        }
        for (int k = 0; k < d->r; k++) {
            sum -= d->A[d->n * k + i] * lambda[k];
            size += fabs(d->A[d->n * k + i] * lambda[k]);
        }
        worst[0] = fmax(worst[0], unit * fabs(sum));
        most[0] = fmax(most[0], unit * size);
    }
    for (int k = 0; k < d->r; k++) {
        double sum = -truth->gamma[k], square = 0;
        for (int j = 0; j < d->n; j++) {
            sum += d->A[d->n * k + j] * vd[j];
            square += d->A[d->n * k + j] * d->A[d->n * k + j] / d->M[d->n * j + j];
        }
        worst[1] = fmax(worst[1], truth->rank->independent[k] ? fabs(sum) / sqrt(square) : 0);
    }
    return fmax(worst[0] / fmax(most[0], DBL_MIN), worst[1] / fmax(most[1], DBL_MIN));
}

/* Largest difference relative to the largest number. */
static inline double difference(int n, const double *a, const double *b)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return INFINITY;
    }
    return size > 0 ? worst / size : 0;
}

/* Accelerations of all bodies and reactions of all joints, as numbers. */
static inline double difference_of_bodies(dal_state *a, dal_state *b)
{
    const dal_mechanism *m = &a->system->mechanism;
    const int n = 6 * (m->n_bodies > m->n_joints ? m->n_bodies : m->n_joints);
    double *x[2] = {calloc((size_t)n, sizeof(double)), calloc((size_t)n, sizeof(double))}, worst;
    dal_state *state[2] = {a, b};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < m->n_bodies; i++) {
            const dal_motion motion = dal_state_body(state[s], i);
            for (int k = 0; k < 3; k++) {
                x[s][6 * i + k] = motion.acceleration[k];
                x[s][6 * i + 3 + k] = motion.alpha[k] * a->system->layout.units.length;
            }
        }
    worst = difference(6 * m->n_bodies, x[0], x[1]);
    for (int s = 0; s < 2; s++)
        for (int j = 0; j < m->n_joints; j++) {
            dal_state_reaction(state[s], j, x[s] + 6 * j, x[s] + 6 * j + 3);
            for (int k = 0; k < 3; k++)
                x[s][6 * j + 3 + k] /= a->system->layout.units.length;
        }
    worst = fmax(worst, difference(6 * m->n_joints, x[0], x[1]));
    free(x[0]), free(x[1]);
    return worst;
}

/* The same q, v, turns and t. */
static inline void copy_state(const dal_state *from, dal_state *to)
{
    const dal_layout *layout = &from->system->layout;
    dal_state_reset(to);
    dal_state_set_time(to, from->work.t);
    memcpy(to->work.q, from->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(to->work.v, from->work.v, sizeof(double) * (size_t)layout->nv);
    memcpy(to->work.winding, from->work.winding, sizeof(double) * (size_t)layout->mechanism->n_windings);
    gallery_adopt(to);
}

typedef struct tally {
    int mechanisms, states, deep, grounded, shared, redundant, nonholonomic, rheonomic, ill;
    double worst, worst_defect, worst_condition, worst_kernels, worst_passes;
    double tolerance; /* at the present state */
} tally;

/* The tolerance is 1e-10 until rounding times the condition passes it: then the data themselves do not say more. */
static inline double tolerance_at(double cond)
{
    return fmax(1e-10, 10 * DBL_EPSILON * cond);
}

static inline void compare_at(const char *name, const char *text, dal_state *lagrange, dal_state *recursive, tally *all)
{
    const int nv = lagrange->system->layout.nv, r = lagrange->system->layout.n_rows;
    if (dal_state_evaluate(lagrange, NULL) || dal_state_evaluate(recursive, NULL))
        fail_msg("%s: %s%s\n%s", name, lagrange->report->trouble, recursive->report->trouble, text);
    dense d = dense_of(lagrange);
    const double cond = condition(&d, lagrange->rank->independent), tolerance = all->tolerance = tolerance_at(cond);
    const double left = defect(&d, lagrange, recursive->vd, recursive->lambda);
    double found = fmax(difference(nv, lagrange->vd, recursive->vd), difference_of_bodies(lagrange, recursive));
    if (!memcmp(lagrange->rank->independent, recursive->rank->independent, sizeof(bool) * (size_t)r))
        found = fmax(found, difference(r, lagrange->lambda, recursive->lambda));
    if (!(found < tolerance) || !(left < 1e-12))
        fail_msg("%s: they differ by %.3g (relative; defect %.3g, condition %.3g)\n%s", name, found, left, cond, text);
    all->states++;
    all->ill += tolerance > 1e-10;
    all->worst = fmax(all->worst, tolerance > 1e-10 ? 0 : found);
    all->worst_defect = fmax(all->worst_defect, left);
    all->worst_condition = fmax(all->worst_condition, cond);
    dense_free(&d);
}

/* A state that was at others before, and evaluates only what it has to: reactions of redundant joints as of a fresh one. */
static inline void compare_worn(const char *name, dal_state *lagrange, dal_state *worn, tally *all)
{
    const dal_layout *layout = &worn->system->layout;
    dal_state_set_time(worn, lagrange->work.t);
    memcpy(worn->y, lagrange->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(worn->y + layout->nq, lagrange->work.v, sizeof(double) * (size_t)layout->nv);
    memcpy(worn->work.winding, lagrange->work.winding, sizeof(double) * (size_t)layout->mechanism->n_windings);
    if (dal_state_evaluate(worn, NULL))
        fail_msg("%s, worn: %s", name, worn->report->trouble);
    const double found = difference_of_bodies(lagrange, worn);
    if (!(found < all->tolerance))
        fail_msg("%s: a state that was at others before differs by %.3g", name, found);
    all->worst = fmax(all->worst, all->tolerance > 1e-10 ? 0 : found);
}

/* The plain kernels at the same state. */
static inline void compare_instruction_sets(const char *name, dal_system *system, dal_state *state, tally *all)
{
    const size_t nv = (size_t)system->layout.nv, r = (size_t)system->layout.n_rows;
    const dal_recursion *best = system->recursion;
    double *vd = calloc(nv + r + 1, sizeof *vd), *lambda = vd + nv;
    dal_state *plain = dal_state_create(NULL, system);
    dal_state *each[2] = {state, plain};
    const dal_recursion *run[2] = {best, &dal_recursion_baseline};
    copy_state(state, plain);
    for (int k = 0; k < 2; k++) {
        system->recursion = run[k];
        assert_int_equal(dal_state_evaluate(each[k], NULL), DAL_OK);
        if (k == 0) { /* before reactions are distributed */
            memcpy(vd, state->vd, sizeof *vd * nv);
            memcpy(lambda, state->lambda, sizeof *vd * r);
        }
    }
    system->recursion = best;
    const double found = fmax(difference((int)nv, vd, plain->vd), difference((int)r, lambda, plain->lambda));
    if (!(found < all->tolerance))
        fail_msg("%s: kernels for %s and plain ones differ by %.3g", name, best->name, found);
    all->worst_kernels = fmax(all->worst_kernels, all->tolerance > 1e-10 ? 0 : found);
    free(vd);
    dal_state_free(plain);
}

/* NULL where random loops hold what a drive moves; nothing else may be refused. */
static inline dal_system *compile_or_refuse(const char *text, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    dal_spec_set(spec, "coordinates", "joint", messages);
    dal_spec_set(spec, "formulation", formulation, messages);
    dal_compile(NULL, spec, messages, &system);
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        if (m->severity == DAL_ERROR && !strstr(m->text, "the start velocities contradict the constraints"))
            fail_msg("%s\n%s", m->text, text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* Both at some random states near the start; `more` (may be NULL) checks each. Returns how many there were. */
static inline int visit(const char *name, const char *text, dal_system *const systems[2], uint64_t seed, int states, tally *all,
                        void (*more)(const char *name, dal_state *recursive, tally *all))
{
    dal_state *lagrange = dal_state_create(NULL, systems[0]), *recursive = dal_state_create(NULL, systems[1]),
              *worn = dal_state_create(NULL, systems[1]);
    int seen = 0;
    for (int i = 0; i < states; i++) {
        if (!gallery_random_state(lagrange, &seed, 0.11 * i, i ? 0.04 : 0, 1))
            continue; /* too far from the start to be assembled */
        copy_state(lagrange, recursive);
        compare_at(name, text, lagrange, recursive, all);
        compare_instruction_sets(name, systems[1], recursive, all);
        compare_worn(name, lagrange, worn, all);
        if (more)
            more(name, recursive, all);
        seen++;
    }
    all->mechanisms += seen > 0;
    dal_state_free(lagrange), dal_state_free(recursive), dal_state_free(worn);
    return seen;
}

#endif
