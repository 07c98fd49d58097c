/* The inverse problem: forces of the actuators for wanted accelerations, with constraints.
 *
 * Wanted accelerations have to meet A v' = gamma. Those that were not named are found with the constraints, and are as small as these
 * allow: the least norm of S v' under [A; E] v' = [gamma; wanted], S = column_scale (what a unit of each velocity moves, in metres).
 *
 * Then M v' + h = Q + B tau + A^T lambda is to be solved for tau and lambda. On the motions Z that the constraints leave free (A Z = 0,
 * orthonormal in S v) the multipliers fall out,
 *     (Z^T B) tau = Z^T (M v' + h - Q) =: Z^T f,
 * p equations for the actuators: n_a columns of rank r.
 *   r = p            exact; of all tau (n_a > p) the one of least norm, in which a torque T counts as the force T / L (L the model's
 *                    length), and a force on a coordinate of the model's own as that force over what a unit of it moves
 *   r < p            some accelerations are out of reach. Taken is the tau whose motion is the nearest in the sense of Gauss: with
 *                    K = Z^T M Z, the motion misses y = K^-1 Z^T (f - B tau), and y^T K y is made least. That does not depend on
 *                    coordinates.
 * The result is checked by solving the forward problem with it. Friction in joints depends on the reactions, hence on tau: then the step is repeated
 * with M times the missing accelerations until none are missing.
 */
#include "analysis/evaluator.h"
#include "base/message.h"
#include "dynamics/equations.h"
#include "math/dense.h"
#include "math/rank.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double consistent = 1e-8; /* of the largest acceleration: rounding of a file with 9 digits */
static const double reached = 1e-9;    /* of the largest acceleration of the wanted and of the free motion */
enum { MOST_ROUNDS = 100 };            /* with friction */

typedef struct inverter {
    dal_arena *arena;
    dal_state *state;
    const char *const *rates;
    dal_messages *messages;
    dal_inverse *out;
    int m, p, n;      /* velocities, freedoms, actuators */
    double *Z;        /* p x m: rows z with A z / S = 0 */
    double *B;        /* n x m: generalized forces of a unit of each actuator */
    double *unit;     /* n: the units of the norm */
    double *reach;    /* p x n: Z^T B unit */
    double *weighted; /* the same over the Cholesky factor of K, where r < p; else NULL */
    double *K;
    double *given;    /* nv: state->values->given */
    dal_push *pushes; /* motors: the difference of their forces from `value`, in state->values->pushes */
    double *tau;      /* n */
} inverter;

/* ---- wanted accelerations ---------------------------------------------------------------- */

/* Row i of A over S, at unit norm; returns the divisor. */
static double scaled_row(const dal_state *state, int i, double *row)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_row_layout *at = &layout->row[i];
    double sum = 0;
    memset(row, 0, sizeof *row * (size_t)layout->nv);
    for (int k = at->value; k < at->value + at->n_values; k++)
        row[layout->column[k]] += dal_seen_work(state)->A[k] / layout->units.column_scale[layout->column[k]];
    for (int j = 0; j < layout->nv; j++)
        sum += row[j] * row[j];
    const double size = sum > 0 ? sqrt(sum) : 1;
    for (int j = 0; j < layout->nv; j++)
        row[j] /= size;
    return size;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* x += least change, in metres, towards rows x = b. x is S v'. */
static void meet_rows(dal_arena *arena, const dal_system *system, int rows, const double *matrix, const double *b, double *x)
{
    const int m = dal_system_layout(system)->nv;
    double *lack = DAL_NEW(arena, double, rows), *change = DAL_NEW(arena, double, m), *work = DAL_NEW(arena, double, dal_rank_work(rows, m));
    for (int pass = 0; pass < 2 && rows; pass++) { /* the second removes the rounding of the first */
        for (int i = 0; i < rows; i++)
            lack[i] = b[i] - dot(matrix + (size_t)i * (size_t)m, x, m);
        dal_rank_solve(matrix, rows, m, m, dal_system_method(system)->rank_tolerance, lack, change, work);
        for (int j = 0; j < m; j++)
            x[j] += change[j];
    }
}

/* The rows of A, scaled, with their right side; room for `more` rows after them. */
static double *scaled_rows_of(dal_arena *arena, const dal_state *state, int more, double **b)
{
    const dal_layout *layout = dal_layout_of(state);
    const size_t m = (size_t)layout->nv;
    double *matrix = DAL_NEW(arena, double, (size_t)(layout->n_rows + more) * m + 1);
    *b = DAL_NEW(arena, double, layout->n_rows + more + 1);
    for (int i = 0; i < layout->n_rows; i++)
        (*b)[i] = dal_seen_work(state)->gamma[i] / scaled_row(state, i, matrix + (size_t)i * m);
    return matrix;
}

double dal_nearest_accelerations(dal_arena *arena, const dal_state *state, double *x)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    const int m = layout->nv;
    double *b, *matrix = scaled_rows_of(arena, state, 0, &b), *before = DAL_NEW(arena, double, m), most = 0;
    memcpy(before, x, sizeof *x * (size_t)m);
    for (int j = 0; j < m; j++)
        x[j] *= layout->units.column_scale[j];
    meet_rows(arena, system, layout->n_rows, matrix, b, x);
    for (int j = 0; j < m; j++) {
        x[j] /= layout->units.column_scale[j];
        most = fmax(most, fabs(x[j] - before[j]));
    }
    return most;
}

int dal_rank_of_rows(dal_arena *arena, const dal_state *state, double tolerance)
{
    const dal_layout *layout = dal_layout_of(state);
    const int m = layout->nv, r = layout->n_rows;
    double *b, *matrix = scaled_rows_of(arena, state, 0, &b), *sigma = DAL_NEW(arena, double, r < m ? r : m);
    return dal_rank_svd(matrix, r, m, m, tolerance, sigma, NULL, NULL, DAL_NEW(arena, double, dal_rank_work(r, m)));
}

/* The row with the largest error of x, relative to the size of the accelerations; -1: none is significant. */
static int worst_row(const dal_state *state, const double *matrix, const double *b, const double *x, double size)
{
    const dal_layout *layout = dal_layout_of(state);
    double worst = consistent * size;
    int found = -1;
    for (int i = 0; i < layout->n_rows; i++) {
        const double lack = fabs(dot(matrix + (size_t)i * (size_t)layout->nv, x, layout->nv) - b[i]);
        if (!(lack <= worst)) {
            worst = lack;
            found = i;
        }
    }
    return found;
}

/* The wanted accelerations are kept as well as a weight can, so that the contradiction appears in the rows. */
static dal_status refuse_wanted(const inverter *v, int rows, double *matrix, double *b, double *x)
{
    const dal_layout *layout = dal_layout_of(v->state);
    const double weight = 1e6;
    char name[256];
    for (int i = layout->n_rows; i < rows; i++) {
        b[i] *= weight;
        for (int j = 0; j < v->m; j++)
            matrix[(size_t)i * (size_t)v->m + (size_t)j] *= weight;
    }
    meet_rows(v->arena, dal_system_of(v->state), rows, matrix, b, x);
    const int worst = worst_row(v->state, matrix, b, x, 0);
    dal_row_name(v->state, worst < 0 ? 0 : worst, name, sizeof name);
    dal_error(v->messages, dal_nowhere,
              "the wanted accelerations contradict the constraints: row '%s' is missed by %.3g m/s^2; drop those that follow from the others, or ask "
              "for the nearest ones (--nearest)",
              name, worst < 0 ? 0 : fabs(dot(matrix + (size_t)worst * (size_t)v->m, x, v->m) - b[worst]));
    return DAL_BAD_MODEL;
}

/* The wanted accelerations, completed; or the nearest possible ones. */
static dal_status complete(inverter *v, const dal_instant *instant, bool nearest, double *wanted)
{
    const dal_state *state = v->state;
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    const double *S = layout->units.column_scale;
    int rows = layout->n_rows, more = 0;
    double size = 0, *b;
    memcpy(wanted, instant->accelerations, sizeof *wanted * (size_t)v->m);
    if (!rows)
        return DAL_OK;
    for (int j = 0; j < v->m; j++)
        more += instant->wanted[j];
    double *matrix = scaled_rows_of(v->arena, state, more, &b), *x = DAL_NEW(v->arena, double, v->m);
    for (int j = 0; j < v->m; j++)
        if (instant->wanted[j]) {
            matrix[(size_t)rows * (size_t)v->m + (size_t)j] = 1;
            b[rows++] = instant->accelerations[j] * S[j];
        }
    meet_rows(v->arena, system, rows, matrix, b, x);
    for (int i = 0; i < rows; i++)
        size = fmax(size, fabs(b[i]));
    for (int j = 0; j < v->m; j++)
        size = fmax(size, fabs(x[j]));
    const bool bad = worst_row(state, matrix, b, x, size) >= 0;
    if (bad && !nearest)
        return refuse_wanted(v, rows, matrix, b, x);
    for (int j = 0; j < v->m; j++)
        wanted[j] = bad && instant->wanted[j] ? instant->accelerations[j] : x[j] / S[j];
    if (!bad)
        return DAL_OK;
    dal_nearest_accelerations(v->arena, state, wanted);
    for (int j = 0; j < v->m; j++)
        if (instant->wanted[j])
            v->out->moved = fmax(v->out->moved, fabs(wanted[j] - instant->accelerations[j]));
    dal_warn(v->messages, dal_nowhere, DAL_CODE_ACCELERATIONS_MOVED, v->out->moved,
             "the wanted accelerations contradict the constraints: the nearest that do not were taken, moved by up to %.3g", v->out->moved);
    return DAL_OK;
}

/* ---- actuators ------------------------------------------------------------------------------- */

static const dal_force_group *motors_of(const dal_system *system)
{
    const dal_acting *acting = dal_system_acting(system);
    for (int i = 0; i < acting->n_groups; i++)
        if (dal_force_types[acting->groups[i].type]->motor && acting->groups[i].n)
            return &acting->groups[i];
    return NULL;
}

static double unit_of_measure(const dal_system *system, const dal_measure *measure)
{
    const dal_layout *layout = dal_system_layout(system);
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return layout->units.column_scale[layout->own_v + measure->vector[0]];
    return measure->kind == DAL_MEASURE_ANGLE ? layout->units.length : 1;
}

/* A motor acts on the bodies: finds the generalized force of a unit of it. The force of its own `value` is subtracted. */
static void collect_motors(inverter *v, const dal_force_group *motors)
{
    dal_state *state = v->state;
    dal_values *values = dal_values_of(state);
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    const char **names = DAL_NEW(v->arena, const char *, motors->n + 1);
    v->n = motors->n;
    v->B = DAL_NEW(v->arena, double, (size_t)v->n *(size_t)v->m);
    v->unit = DAL_NEW(v->arena, double, v->n);
    v->pushes = DAL_NEW(v->arena, dal_push, v->n);
    for (int i = 0; i < v->n; i++) {
        int force, measure;
        double *column = v->B + (size_t)i * (size_t)v->m;
        dal_motor_of(motors, i, &force, &measure);
        names[i] = dal_system_acting(system)->forces[force].name;
        v->unit[i] = unit_of_measure(system, &layout->mechanism->measures[measure]);
        memset(work->force, 0, sizeof *work->force * 6 * (size_t)layout->mechanism->n_bodies);
        memset(work->direct, 0, sizeof *work->direct * (size_t)v->m);
        dal_push_measure(dal_loads_of(state), measure, 1, false);
        dal_state_pull(state);
        memcpy(column, work->Q, sizeof *column * (size_t)v->m);
        v->pushes[i] = (dal_push){measure, -values->effort[force]};
    }
    v->out->actuators.names = names;
    values->pushes = v->pushes;
    values->n_pushes = v->n;
}

/* An actuator on every velocity: B = 1 is not stored. */
static void actuate_rates(inverter *v)
{
    v->n = v->m;
    v->unit = dal_layout_of(v->state)->units.column_scale;
    v->out->actuators.names = v->rates;
}

/* B^T z */
static double push_along(const inverter *v, int actuator, const double *z)
{
    return v->B ? dot(v->B + (size_t)actuator * (size_t)v->m, z, v->m) : z[actuator];
}

/* ---- the free motions ---------------------------------------------------------------------------- */

/* Rows of Z: velocities, S z of unit norm. */
static void find_free(inverter *v)
{
    const dal_state *state = v->state;
    const dal_layout *layout = dal_layout_of(state);
    const dal_system *system = dal_system_of(state);
    const int m = v->m, r = layout->n_rows;
    const size_t size = (size_t)m;
    double *b, *A = scaled_rows_of(v->arena, state, 0, &b), *sigma = DAL_NEW(v->arena, double, r + m);
    v->Z = DAL_NEW(v->arena, double, size *size + 1);
    int k = r ? dal_rank_svd(A, r, m, m, dal_system_method(system)->rank_tolerance, sigma, v->Z, NULL, DAL_NEW(v->arena, double, dal_rank_work(r, m)))
              : 0;
    for (size_t j = 0; j < size && !r; j++)
        v->Z[j * size + j] = 1;
    v->p = m - (k > 0 ? k : 0);
    for (size_t i = 0; i < (size_t)v->p; i++)
        for (size_t j = 0; j < size; j++)
            v->Z[i * size + j] /= layout->units.column_scale[j];
}

static void find_reach(inverter *v)
{
    const size_t n = (size_t)v->n;
    v->reach = DAL_NEW(v->arena, double, (size_t)v->p *n + 1);
    for (int i = 0; i < v->p; i++)
        for (int a = 0; a < v->n; a++)
            v->reach[(size_t)i * n + (size_t)a] = push_along(v, a, v->Z + (size_t)i * (size_t)v->m) * v->unit[a];
    double *sigma = DAL_NEW(v->arena, double, v->p + v->n), *work = DAL_NEW(v->arena, double, dal_rank_work(v->p, v->n));
    v->out->rank = v->p && v->n
                       ? dal_rank_svd(v->reach, v->p, v->n, v->n, dal_system_method(dal_system_of(v->state))->rank_tolerance, sigma, NULL, NULL, work)
                       : 0;
}

/* Gauss: K = Z^T M Z = L L^T, and the columns of the actuators over L. If K is singular every motion has the same weight. */
static void weigh(inverter *v)
{
    const dal_layout *layout = dal_layout_of(v->state);
    const size_t m = (size_t)v->m, p = (size_t)v->p, n = (size_t)v->n;
    double *Mz = DAL_NEW(v->arena, double, m), *column = DAL_NEW(v->arena, double, p);
    int where;
    v->K = DAL_NEW(v->arena, double, p *p);
    for (size_t i = 0; i < p; i++) {
        dal_mass_times(layout, dal_work_of(v->state)->M, v->Z + i * m, Mz);
        for (size_t j = 0; j < p; j++)
            v->K[j * p + i] = dot(v->Z + j * m, Mz, v->m);
    }
    if (!dal_diagonal_counts(v->K, v->p, v->p, 1e-14) || !dal_cholesky(v->K, v->p, v->p, 1e-14, &where))
        return;
    v->weighted = DAL_NEW(v->arena, double, p *n + 1);
    for (size_t a = 0; a < n; a++) {
        for (size_t i = 0; i < p; i++)
            column[i] = v->reach[i * n + a];
        dal_lower_solve(v->K, v->p, v->p, column);
        for (size_t i = 0; i < p; i++)
            v->weighted[i * n + a] = column[i];
    }
}

/* ---- forces --------------------------------------------------------------------------------------- */

/* Adds to tau, and to the forces of the state, the part for the generalized force f. */
static void push(inverter *v, const double *f)
{
    const size_t m = (size_t)v->m;
    double *side = DAL_NEW(v->arena, double, v->p), *x = DAL_NEW(v->arena, double, v->n);
    if (!v->B && !dal_layout_of(v->state)->n_rows) {
        for (size_t j = 0; j < m; j++) {
            v->tau[j] += f[j];
            v->given[j] += f[j];
        }
        return;
    }
    for (int i = 0; i < v->p; i++)
        side[i] = dot(v->Z + (size_t)i * m, f, v->m);
    if (v->weighted)
        dal_lower_solve(v->K, v->p, v->p, side);
    if (v->p && v->n)
        dal_rank_solve(v->weighted ? v->weighted : v->reach, v->p, v->n, v->n, dal_system_method(dal_system_of(v->state))->rank_tolerance, side, x,
                       DAL_NEW(v->arena, double, dal_rank_work(v->p, v->n)));
    for (int a = 0; a < v->n; a++) {
        const double more = x[a] * v->unit[a];
        v->tau[a] += more;
        *(v->B ? &v->pushes[a].effort : &v->given[a]) += more;
    }
}

/* Largest difference and size of accelerations, in metres. */
static double distance(const inverter *v, const double *a, const double *b, double *size)
{
    double most = 0;
    for (int j = 0; j < v->m; j++) {
        const double S = dal_layout_of(v->state)->units.column_scale[j];
        most = fmax(most, S * fabs(a[j] - b[j]));
        *size = fmax(*size, S * fmax(fabs(a[j]), fabs(b[j])));
    }
    return most;
}

/* Forward with the forces so far; with friction repeated, until the error is zero or stops decreasing. */
static dal_status settle_wanted(inverter *v, const double *wanted, double size)
{
    dal_state *state = v->state;
    const dal_layout *layout = dal_layout_of(state);
    double *lack = DAL_NEW(v->arena, double, v->m), *f = DAL_NEW(v->arena, double, v->m), before = HUGE_VAL;
    for (int round = 0;; round++) {
        dal_status status = dal_evaluate_whole(state, v->messages);
        if (status != DAL_OK)
            return status;
        const double miss = distance(v, dal_rates_of(state), wanted, &size);
        v->out->achieved = miss <= reached * size;
        if (v->out->achieved || !dal_system_acting(dal_system_of(state))->n_frictions || round == MOST_ROUNDS ||
            (round > 10 && miss > 0.999 * before))
            return DAL_OK;
        before = miss;
        for (int j = 0; j < v->m; j++)
            lack[j] = wanted[j] - dal_rates_of(state)[j];
        dal_mass_times(layout, dal_work_of(state)->M, lack, f);
        push(v, f);
    }
}

/* ---- the verdict ------------------------------------------------------------------------------------ */

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

static void judge_actuators(inverter *v)
{
    dal_inverse *out = v->out;
    const char *what = out->motors ? "motor" : "actuator", *of_all = out->motors ? "" : " (one on every coordinate: the model declares no motors)";
    char head[200];
    snprintf(head, sizeof head, "%d %s%s%s for %d freedom%s", v->n, what, plural(v->n), of_all, v->p, plural(v->p));
    out->verdict = out->rank < v->p ? DAL_INVERSE_TOO_FEW : v->n > v->p ? DAL_INVERSE_LEAST_NORM : DAL_INVERSE_UNIQUE;
    if (out->verdict == DAL_INVERSE_UNIQUE)
        out->text = dal_arena_print(v->arena, "%s: the torques are unique%s", head,
                                    out->achieved ? "" : ", but friction keeps them from giving these accelerations");
    else if (out->verdict == DAL_INVERSE_LEAST_NORM)
        out->text = dal_arena_print(v->arena, "%s: the torques of least norm, a torque T counted as the force T/L with L = %.6g m%s", head,
                                    out->length, out->achieved ? "" : "; friction keeps them from giving these accelerations");
    else
        out->text = dal_arena_print(v->arena, "%s, of which %d can be driven: too few for any accelerations; %s", head, out->rank,
                                    out->achieved ? "these they give" : "they do not give these accelerations; the missing part is listed");
}

dal_status dal_solve_inverse(dal_arena *arena, dal_state *state, const dal_instant *instant, bool nearest, const char *const *rates, double *given,
                             dal_messages *messages, dal_inverse *inverse)
{
    dal_work *work = dal_work_of(state);
    const dal_system *system = dal_system_of(state);
    const dal_layout *layout = dal_layout_of(state);
    inverter v = {.arena = arena, .state = state, .rates = rates, .messages = messages, .out = inverse, .m = layout->nv, .given = given};
    const dal_force_group *motors = motors_of(system);
    double *wanted = DAL_NEW(arena, double, v.m), *f = DAL_NEW(arena, double, v.m), *missing = DAL_NEW(arena, double, v.m);
    double *torques = DAL_NEW(arena, double, v.m), size = 0;
    *inverse = (dal_inverse){.motors = motors, .length = layout->units.length, .wanted = wanted, .torques = torques, .missing = missing};
    dal_status status = complete(&v, instant, nearest, wanted);
    if (status != DAL_OK)
        return status;
    if (motors)
        collect_motors(&v, motors);
    else
        actuate_rates(&v);
    v.tau = DAL_NEW(arena, double, v.n);
    if ((status = dal_evaluate_whole(state, messages)) != DAL_OK)
        return status;
    distance(&v, dal_rates_of(state), wanted, &size);
    v.p = v.m;
    inverse->rank = v.n;
    if (v.B || layout->n_rows) {
        find_free(&v);
        find_reach(&v);
        if (inverse->rank < v.p)
            weigh(&v);
    }
    /* f = M v' + h - Q */
    dal_mass_times(layout, work->M, wanted, f);
    for (int j = 0; j < v.m; j++)
        f[j] += work->h[j] - work->Q[j];
    push(&v, f);
    if ((status = settle_wanted(&v, wanted, size)) != DAL_OK)
        return status;
    for (int j = 0; j < v.m; j++) {
        torques[j] = v.B ? 0 : v.tau[j];
        for (int a = 0; a < v.n && v.B; a++)
            torques[j] += v.B[(size_t)a * (size_t)v.m + (size_t)j] * v.tau[a];
        missing[j] = dal_rates_of(state)[j] - wanted[j];
    }
    inverse->n_actuators = v.n;
    inverse->freedoms = v.p;
    inverse->actuators.n = v.n;
    inverse->actuators.values = v.tau;
    judge_actuators(&v);
    return DAL_OK;
}
