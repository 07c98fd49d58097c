/* The accelerations of a formulation, refined where inertias differ so much that its sums lose the small ones.
 *
 * Each formulation forms sums over the bodies (W^T M W, P M, A M^-1 A^T, the pivots of a saddle matrix), in which an inertia that is R times
 * another one keeps R eps of relative error. The equations themselves,
 *     M v' + h = Q + A^T lambda,   A v' = gamma,
 * hold body by body and lose nothing. So their residuals
 *     f = Q + A^T lambda - h - M v',   b = gamma - A v'
 * go through the factors of the formulation once more (fixed-precision refinement; N. J. Higham, Accuracy and Stability of Numerical
 * Algorithms, chapter 12):
 *     M dv - A^T dlambda = f,   A dv = b,   v' += dv,   lambda += dlambda,
 * and each pass multiplies the error by R eps. The remaining error has two bounds: the last correction, and the effect on v', through the same
 * factors, of the rounding of f and b, eps times the sum of the sizes of their terms. The latter is computed at the first evaluation and every
 * PROBE_EVERY evaluations; no order of the computation avoids it. If the larger bound exceeds the tolerance of the integration, a run reports it;
 * if the corrections are of the size of v' itself, the evaluation fails.
 *
 * R is the ratio of the largest to the smallest inertia of the bodies, in metres, zeros aside; where bodies share coordinates, an entry
 * of M is a sum over bodies, and R is that of its diagonal, and the reciprocal of its least pivot at unit diagonal. Passes are made only where R eps
 * is more than a tenth of rtol.
 */
#include "dynamics/speeds.h"
#include "dynamics/refine.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/slopes.h"
#include "math/vec.h"
#include "model/coordinate_names.h"
#include "model/system.h"
#include "state/scale.h"
#include "state/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PASSES = 5, PROBE_EVERY = 100 };
static const double share = 0.1; /* of rtol, that the sums may lose unrefined */
static const double goal = 1e-2; /* of rtol: a correction below it was the last one */
static const double slow = 0.25; /* a pass that corrects more than this part of the one before gains nothing */
static const double rounding = 1e-15;
static const double nothing = 1e-2;  /* of v': an error as large as the acceleration itself */
static const double visible = 1e-30; /* of the largest inertia: less is none */

/* The least pivot of L L^T = D^-1/2 B D^-1/2, D the diagonal of the n x n block B, rows without inertia aside. */
static double least_pivot(const double *B, int n, double *L)
{
    double least = 1;
    for (int i = 0; i < n; i++) {
        double *row = L + (size_t)n * (size_t)i;
        for (int j = 0; j <= i; j++) {
            const double *other = L + (size_t)n * (size_t)j, scale = B[(n + 1) * i] * B[(n + 1) * j];
            double sum = scale > 0 ? B[n * i + j] / sqrt(scale) : 0;
            for (int k = 0; k < j; k++)
                sum -= row[k] * other[k];
            if (j == i && scale > 0)
                least = fmin(least, fmax(sum, DBL_EPSILON));
            row[j] = j < i ? (other[j] > 0 ? sum / other[j] : 0) : sqrt(fmax(sum, 0));
        }
    }
    return least;
}

typedef struct range {
    double least, most;
} range;

static void widen(range *r, double inertia)
{
    if (inertia > 0) {
        r->least = fmin(r->least, inertia);
        r->most = fmax(r->most, inertia);
    }
}

/* Do coordinates move several bodies, so that their inertia is an entry of M? */
static bool minimal(const dal_layout *layout)
{
    return layout->family->shares && !layout->reduction;
}

/* Masses, and moments over the lever squared: where each body has its own coordinates. (M in Euler parameters is singular by itself.) */
static range inertias_of_bodies(const dal_system *system)
{
    range r = {HUGE_VAL, 0};
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        const dal_body *body = &system->mechanism.bodies[b];
        const double L = dal_turn_lever(system, b);
        widen(&r, body->mass);
        for (int i = 0; i < 9 && !body->particle; i += 4)
            widen(&r, body->inertia[i] / (L * L));
    }
    return r;
}

/* The diagonal of M, in metres: where bodies share coordinates. */
static range inertias_of_coordinates(const dal_state *state)
{
    const dal_layout *layout = state->layout;
    const double *S = layout->units.column_scale;
    double most = 0;
    range r = {HUGE_VAL, 0};
    for (int pass = 0; pass < 2; pass++)
        for (int b = 0; b < layout->n_blocks; b++) {
            const dal_mass_block *at = &layout->block[b];
            for (int i = 0; i < at->n; i++) {
                const double m = state->work.M[at->value + (at->n + 1) * i] / (S[at->column + i] * S[at->column + i]);
                most = fmax(most, m);
                if (pass && m > visible * most)
                    widen(&r, m);
            }
        }
    return r;
}

/* R at the present M. */
static double unlikeness(const dal_state *state)
{
    const dal_layout *layout = state->layout;
    const range r = minimal(layout) ? inertias_of_coordinates(state) : inertias_of_bodies(state->system);
    double ratio = r.most > 0 ? r.most / r.least : 1;
    for (int b = 0; b < layout->n_blocks && state->refinement->block; b++)
        ratio = fmax(ratio, 1 / least_pivot(state->work.M + layout->block[b].value, layout->block[b].n, state->refinement->block));
    return ratio;
}

/* The largest entry in metres, and its column. */
static double size_of(const dal_state *state, const double *v, int *where)
{
    double most = 0;
    for (int j = 0; j < state->layout->nv; j++)
        if (!(fabs(v[j]) * state->layout->units.column_scale[j] <= most)) {
            most = fabs(v[j]) * state->layout->units.column_scale[j];
            *where = j;
        }
    return most;
}

/* The reference of accelerations: their own size, or that of M^-1 times the forces. Where forces balance, v' is rounding. */
static double size_of_accelerations(const dal_state *state)
{
    const dal_layout *layout = state->layout;
    const double *S = layout->units.column_scale;
    int where = 0;
    double size = fmax(size_of(state, state->vd, &where), DBL_MIN);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++) {
            const int j = at->column + i;
            const double m = state->work.M[at->value + (at->n + 1) * i];
            if (m > 0 && (minimal(layout) || !layout->n_intrinsic || layout->angular[j] == 0))
                size = fmax(size, (fabs(state->work.Q[j]) + fabs(state->work.h[j])) / m * S[j]);
        }
    }
    for (int b = 0; b < layout->mechanism->n_bodies && layout->reduction; b++) /* no position of it may be left */
        if (layout->mechanism->bodies[b].mass > 0)
            size = fmax(size, sqrt(dal_dot(state->work.force + 6 * b, state->work.force + 6 * b)) / layout->mechanism->bodies[b].mass);
    return size;
}

/* out_j = eps sum of |M_jk v'_k| over a block, of |A_ij lambda_i| over the rows, |Q_j| and |h_j|; and b_i = eps (sum of |A_ij v'_j| + |gamma_i|).
 * Signs alternate irregularly: no direction is favoured. */
static void find_rounding(dal_state *state, double *f, double *b)
{
    const dal_layout *layout = state->layout;
    for (int j = 0; j < layout->nv; j++)
        f[j] = fabs(state->work.Q[j]) + fabs(state->work.h[j]);
    for (int k = 0; k < layout->n_blocks; k++) {
        const dal_mass_block *at = &layout->block[k];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                f[at->column + i] += fabs(state->work.M[at->value + at->n * i + j] * state->vd[at->column + j]);
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        b[i] = fabs(state->gamma[i]);
        for (int k = at->value; k < at->value + at->n_values; k++) {
            b[i] += fabs(state->work.A[k] * state->vd[layout->column[k]]);
            f[layout->column[k]] += fabs(state->work.A[k] * state->lambda[i]);
        }
        b[i] *= i * i % 3 == 1 ? -DBL_EPSILON : DBL_EPSILON;
    }
    for (int j = 0; j < layout->nv; j++)
        f[j] *= j * j % 3 == 1 ? -DBL_EPSILON : DBL_EPSILON;
}

/* f = Q + A^T lambda - h - M v', b = gamma - A v' */
static void find_residuals(dal_state *state, double *f, double *b)
{
    const dal_layout *layout = state->layout;
    dal_rows_transposed(layout, state->work.A, state->lambda, f);
    dal_mass_times(layout, state->work.M, state->vd, state->refinement->dv);
    for (int j = 0; j < layout->nv; j++)
        f[j] = state->work.Q[j] - state->work.h[j] - state->refinement->dv[j] + f[j];
    dal_rows_times(layout, state->work.A, state->vd, b);
    for (int i = 0; i < layout->n_rows; i++)
        b[i] = state->gamma[i] - b[i];
}

static void add_corrections(dal_state *state)
{
    const dal_layout *layout = state->layout;
    for (int j = 0; j < layout->nv; j++)
        state->vd[j] += state->refinement->dv[j];
    for (int i = 0; i < layout->n_rows; i++)
        state->lambda[i] += state->refinement->dlambda[i];
}

static dal_flow fail_refine(dal_state *state, double error, int where)
{
    char name[100];
    dal_velocity_name(state->system, where, name, sizeof name);
    return dal_state_fail_for(
        state, DAL_REASON_ROUNDING,
        "the inertia of %s is lost in rounding beside that of the others (largest over smallest %.1e): formulation '%s' leaves an "
        "error of %.1g of the accelerations; give more of it, or none, or take `coordinates: joint`",
        name, state->refinement->ratio, state->system->method.formulation->name, error);
}

static void store_refine(dal_refinement *r, double error, int where)
{
    if (error > r->worst) {
        r->worst = error;
        r->column = where;
    }
}

/* The error of v' by rounding of the terms of the equations. Nothing is changed. */
static void probe_refine(dal_state *state)
{
    dal_refinement *r = state->refinement;
    const size_t n = (size_t)state->system->n_w;
    int where = 0;
    find_rounding(state, r->f, r->b);
    memcpy(r->wd, state->speeds->wd, sizeof *r->wd * n);
    state->system->method.formulation->correct(state, r->f, r->b, r->dv, r->dlambda);
    memcpy(state->speeds->wd, r->wd, sizeof *r->wd * n);
    store_refine(r, size_of(state, r->dv, &where) / size_of_accelerations(state), where);
}

static dal_flow refine(dal_state *state)
{
    const double rtol = state->system->info.rtol;
    dal_refinement *r = state->refinement;
    double before = HUGE_VAL, error = HUGE_VAL;
    int where = 0;
    for (int pass = 0; pass < PASSES && error > fmax(goal * rtol, rounding) && (pass < 2 || error < slow * before); pass++) {
        before = error;
        find_residuals(state, r->f, r->b);
        state->system->method.formulation->correct(state, r->f, r->b, r->dv, r->dlambda);
        add_corrections(state);
        error = size_of(state, r->dv, &where) / size_of_accelerations(state);
        if (!(error < HUGE_VAL))
            break;
    }
    if (!(error < nothing))
        return fail_refine(state, error, where);
    if (state->speeds->basis)
        dal_speeds_combine(state); /* as W and bias are printed: the residuals of the rows were rounding */
    store_refine(r, error, where);
    if (r->since++ % PROBE_EVERY == 0)
        probe_refine(state);
    return 0;
}

bool dal_refines(const dal_state *state)
{
    const dal_refinement *r = state->refinement;
    return r->f && (!(r->ratio > 0) || r->ratio * DBL_EPSILON > share * state->system->info.rtol);
}

dal_flow dal_state_solve(dal_state *state)
{
    const dal_system *system = state->system;
    dal_refinement *r = state->refinement;
    dal_flow flow = system->method.formulation->solve(state);
    if (flow || !r->f || state->singular->near)
        return flow;
    if (!(r->ratio > 0))
        r->ratio = unlikeness(state);
    return r->ratio * DBL_EPSILON > share * system->info.rtol ? refine(state) : 0;
}

/* ---- the part of a state ------------------------------------------------------------------------ */

/* Entries of the largest block of M. */
static size_t largest_block(const dal_layout *layout)
{
    size_t most = 0;
    for (int b = 0; b < layout->n_blocks; b++) {
        const size_t n = (size_t)layout->block[b].n;
        most = n * n > most ? n * n : most;
    }
    return most;
}

static void layout_refinement(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_refinement local, *refinement = DAL_LAYOUT_PART(block, state->refinement, local);
    const dal_layout *layout = &system->layout;
    if (!system->method.formulation->correct || system->method.minimum_norm || system->method.stabilization->solve)
        return;
    DAL_LAYOUT(block, refinement->f, layout->nv);
    DAL_LAYOUT(block, refinement->b, layout->n_rows);
    DAL_LAYOUT(block, refinement->dv, layout->nv);
    DAL_LAYOUT(block, refinement->dlambda, layout->n_rows);
    DAL_LAYOUT(block, refinement->wd, system->n_w);
    if (minimal(layout) && !layout->columnless) /* there M is not computed: nothing is refined */
        DAL_LAYOUT(block, refinement->block, largest_block(layout));
}

static void reset_refinement(dal_state *state)
{
    state->refinement->ratio = state->refinement->worst = 0;
    state->refinement->since = 0;
}

static void keep_refinement(dal_state *state, dal_keep *keep)
{
    dal_refinement *part = state->refinement;
    dal_keep_counts(keep, &part->since, 1);
    dal_keep_numbers(keep, &part->ratio, 1);
    dal_keep_numbers(keep, &part->worst, 1);
    dal_keep_integers(keep, &part->column, 1, 0, state->system->layout.nv ? state->system->layout.nv - 1 : 0);
}

static void close_refinement(dal_state *state)
{
    dal_slopes_close(state, state->refinement->slopes);
    if (state->refinement->kept)
        state->refinement->forget(&state->hold.allocator, state->refinement->kept);
}

const dal_owner dal_refinement_owner = {.layout = layout_refinement, .reset = reset_refinement, .keep = keep_refinement, .close = close_refinement};
