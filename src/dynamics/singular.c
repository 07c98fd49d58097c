/* Singular positions: where the rank of the constraints drops.
 *
 * There the branches of a mechanism meet (a parallelogram that folds flat). Reactions grow without bound near one, like 1 / d with d the
 * distance, while the motion along a branch stays smooth. So no row is dropped and nothing is smoothed: each part of the solution takes more care.
 *
 *   nearness    d over its best value in the run, from what a factorisation left (pivots, inverse iteration) and, where that is doubtful,
 *               from QR of A itself: dal_singular_observe, called by dal_state_alarm (independent_rows.c) after each factorisation
 *   solvers     nearness < 3 %: solve on the null space of A (null_space.c) instead of the saddle matrix; no refinement, no sweep
 *   projection  down to rounding: a residual phi leaves phi / d of freedom across the branch, and the right-hand side enlarges it
 *   steps       do not end at the position, nor have a stage there, where an adaptive method can avoid it; the right-hand side is taken
 *               at projected stages; steps are not refined below a stride. The run does that: run/singular_passage.c
 */
#include "dynamics/singular.h"
#include "dynamics/saddle.h"
#include "math/dense.h"
#include "math/rank.h"
#include "math/sparse.h"
#include "model/system.h"
#include "state/scale.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- thresholds of nearness --------------------------------------------------------------------- */

static const double doubtful = 0.3;          /* A itself is measured */
static const double close_to_singular = 0.1; /* mentioned where a run ends */
static const double near = 0.03;             /* solvers and projections take care */
static const double end_too_near = 1e-3;     /* no step of an adaptive method ends there */
/* The same for stages: at a distance d the accelerations carry eps v^2 / d^2 of rounding, and the step h times that. */
static const double stage_too_near = 3e-4, stage_least = 1e-5; /* first avoided; then accepted, if the motion stays there */

static const double stride = 1e-2;    /* rad or lengths of the model in a step near a singular position: shorter steps are not asked for */
static const double rounding = 2e-16; /* the residual that a projection reaches */

/* ---- how near ------------------------------------------------------------------------------------ */

static const double degraded = 0.1; /* loss of the pivot ratio of A since the last ranking that calls for other rows */
static const double travel = 0.1;   /* rad or lengths: from a position that is not doubtful, no singular one is that near */

enum { SETTLED = 30 }; /* steps of inverse iteration until the weakest combination of rows is known */

/* Pivot ratio of A alone, columns in units of the model, rows at unit norm: without the masses, whose spread does not depend on the position. */
static double ratio_of_rows(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv;
    const double *U = layout->units.column_unit;
    double *A = state->rank->matrix, *tau = state->rank->work;
    memset(A, 0, sizeof *A * m * (size_t)state->rank->n);
    for (int i = 0; i < state->rank->n; i++) {
        const dal_row_layout *at = &layout->row[state->rank->order[i]];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            const double value = state->work.A[k] * U[layout->column[k]];
            sum += value * value;
        }
        double unit = dal_unit_of_row(state, layout, state->rank->order[i], sqrt(sum));
        for (int k = at->value; k < at->value + at->n_values; k++)
            A[(size_t)i * m + (size_t)layout->column[k]] += state->work.A[k] * U[layout->column[k]] * unit;
    }
    return dal_qr(A, layout->nv, state->rank->n, layout->nv, tau);
}

/* Is nearness found by inverse iteration on the last factorisation? Sparse LU chooses its pivots for the pattern: they fall late near a
 * singular position (at a thousandth of the distance at which A does), and elsewhere for other reasons. */
static bool has_inverse_iteration(const dal_state *state, dal_factor kind)
{
    return (kind == DAL_FACTOR_SADDLE || kind == DAL_FACTOR_UNIT) && !state->layout->dense && !state->saddle->on_tree;
}

/* sigma, the smallest singular value of the independent rows C = c A G^(-1/2), by one step of inverse iteration on the factor of K:
 *     K (x, mu) = (0, z),  |z| = 1,   so that  C C^T mu = -z  and  sigma^2 <= 1 / |mu|
 * with equality for the weakest combination z of the rows, which is kept from one call to the next: it turns slowly. */
static double least_singular_value(dal_state *state)
{
    const dal_layout *layout = state->layout;
    double *x = state->saddle->rhs, *mu = x + layout->nv, sum = 0;
    memset(x, 0, sizeof *x * (size_t)layout->nv);
    for (int i = 0; i < layout->n_rows; i++)
        mu[i] = dal_saddle_has_row(state->saddle, state->rank, i) ? state->singular->weakest[i] : 0;
    dal_sparse_solve(state->saddle->sparse, x);
    for (int i = 0; i < layout->n_rows; i++)
        sum += mu[i] * mu[i];
    if (!(sum > 0) || !(sum < HUGE_VAL))
        return 0;
    for (int i = 0; i < layout->n_rows; i++)
        if (dal_saddle_has_row(state->saddle, state->rank, i))
            state->singular->weakest[i] = mu[i] / sqrt(sum);
    return 1 / sqrt(sqrt(sum));
}

/* A number that falls like the distance to a singular position, over the best of the run. */
static double estimate_nearness(dal_state *state, dal_factor kind, double ratio)
{
    if (has_inverse_iteration(state, kind)) {
        double *best = &state->rank->best_ratio[kind == DAL_FACTOR_SADDLE ? DAL_FACTOR_LEAST : DAL_FACTOR_LEAST_UNIT];
        for (int i = 0; i < SETTLED && *best == 0; i++)
            least_singular_value(state);
        double sigma = least_singular_value(state);
        *best = fmax(*best, sigma);
        return *best > 0 ? sigma / *best : 1;
    }
    double nearness = ratio / state->rank->best_ratio[kind];
    return kind < DAL_FACTOR_QR ? sqrt(nearness) : nearness; /* symmetric pivots fall with the square of the distance */
}

/* Nearness from A itself. Where rows are redundant and the chosen ones have become bad, others are chosen; true if so. */
static bool measure_rows(dal_state *state)
{
    double *best = &state->rank->best_ratio[DAL_FACTOR_ROWS], *good = &state->rank->good_ratio[DAL_FACTOR_ROWS];
    bool choice = state->rank->n < state->layout->n_rows, changed = false;
    dal_need(state, DAL_STAGE_LOADS);
    double own = ratio_of_rows(state);
    if (choice && own < near * *best && (*good == 0 || own < degraded * *good)) {
        dal_rank_choose_again(state);
        own = ratio_of_rows(state);
        changed = true;
    }
    if (*good == 0)
        *good = own;
    *best = fmax(*best, own);
    state->singular->nearness = *best > 0 ? own / *best : 1;
    return changed;
}

/* How far, in radians or lengths of the model, the fastest coordinate has gone since A was measured. */
static double travel_since_measured(const dal_state *state)
{
    double fastest = 0;
    for (int k = 0; k < state->layout->nv; k++)
        fastest = fmax(fastest, fabs(state->work.v[k]) * state->layout->units.column_scale[k] / state->layout->units.length);
    return fastest * fabs(state->work.t - state->singular->measured_at);
}

/* Where some rows were chosen of more, their smallest singular value falls also because the choice has become a bad one. Only A distinguishes the
 * two. Near a singular position A is measured after every factorisation, and elsewhere before the mechanism can have come near
 * one. */
static bool measure_redundant_rows(dal_state *state)
{
    if (travel_since_measured(state) <= travel && !(state->singular->nearness < doubtful))
        return false;
    bool changed = measure_rows(state);
    state->singular->measured_at = state->work.t;
    return changed;
}

/* How near is a singular position? The factorisation gives a first estimate; only if it is doubtful, or useless, A itself is measured. Far from one
 * the stages of a step are not measured: the estimate of the last projection is sufficient. True if other rows were chosen: the factors are then out
 * of date. */
bool dal_singular_observe(dal_state *state, dal_factor kind, double ratio)
{
    const dal_system *system = state->system;
    const bool choice = state->rank->n < system->layout.n_rows;
    bool changed = false;
    if (!state->rank->n) {
        state->singular->nearness = 1;
    } else if (has_inverse_iteration(state, kind)) {
        if (!state->singular->observe && !(state->singular->nearness < doubtful) && system->method.stabilization->project)
            return false;
        if (choice && system->layout.careful)
            changed = measure_redundant_rows(state);
        else
            state->singular->nearness = estimate_nearness(state, kind, ratio);
    } else if (system->layout.careful || system->method.formulation->recursive || kind == DAL_FACTOR_NETWORK) {
        state->singular->nearness = estimate_nearness(state, kind, ratio);
        const bool first = state->rank->best_ratio[DAL_FACTOR_ROWS] == 0, careful = system->layout.careful;
        if (careful && first && state->singular->once)
            state->singular->nearness = 1;
        else if (careful && (first || state->singular->nearness < doubtful))
            changed = measure_rows(state);
    }
    state->singular->near = state->singular->nearness < near;
    return changed;
}

void dal_singular_rows_changed(dal_state *state)
{
    state->singular->measured_at = -HUGE_VAL;
}

/* ---- what to do near one -------------------------------------------------------------------------- */

bool dal_singular_on_null_space(const dal_state *state)
{
    return state->singular->near && state->layout->careful;
}

double dal_singular_projection_goal(const dal_state *state, double tolerance)
{
    return state->singular->near ? rounding : tolerance;
}

bool dal_singular_avoid_end(const dal_state *state)
{
    return state->singular->nearness < end_too_near;
}

bool dal_singular_avoid_stage(const dal_state *state, bool stays)
{
    return state->singular->nearness < (stays ? stage_least : stage_too_near);
}

/* There the error estimate sees eps / d^2 of rounding, not the truncation of the method. */
double dal_singular_least_step(const dal_state *state)
{
    const double fastest = state->singular->near ? dal_fastest(state->system, state->work.v) : 0;
    return fastest > 0 ? stride / fastest : 0;
}

bool dal_singular_close(const dal_state *state)
{
    return state->singular->nearness < close_to_singular;
}

/* ---- which one ------------------------------------------------------------------------------------- */

static const double lost = 3e-3; /* of the largest pivot of rows at unit norm: near a singular position, rows below it are being lost */

/* The joint that row i belongs to, "" of a row within a body. */
static const char *joint_of_row(const dal_state *state, int i)
{
    const dal_layout *layout = state->layout;
    return i < layout->n_extrinsic ? layout->mechanism->joints[layout->mechanism->rows[layout->row[i].source].joint].name : "";
}

const char *dal_singular_text(dal_state *state, char *buffer, size_t size)
{
    const dal_layout *layout = state->layout;
    int *order = state->saddle->pivots, row = -1, rank = -1;
    buffer[0] = '\0';
    dal_state_position(state);
    dal_state_jacobian(state);
    if (!layout->n_rows || !dal_rows_are_finite(state))
        return buffer;
    if (layout->small) { /* those that are being lost, or else the weakest one */
        dal_scaled_rows(state, state->rank->matrix, NULL);
        rank = dal_rank_rows(state->rank->matrix, layout->n_rows, layout->nv, layout->nv, lost, state->rank->most, order, NULL, state->rank->work);
        if (rank == state->rank->most) {
            dal_rank_rows(state->rank->matrix, layout->n_rows, layout->nv, layout->nv, lost, rank - 1, order, NULL, state->rank->work);
            rank = -1;
        }
        for (int i = rank < 0 ? state->rank->most - 1 : rank; i < layout->n_rows && row < 0; i++)
            row = order[i] < layout->n_extrinsic ? order[i] : -1;
    } else {
        for (int i = 0; i < layout->n_extrinsic; i++)
            row = row < 0 || fabs(state->singular->weakest[i]) > fabs(state->singular->weakest[row]) ? i : row;
    }
    if (row >= 0 && rank >= 0)
        snprintf(buffer, size, "; the rank of the constraints falls there from %d to %d, of joint '%s' among others", state->rank->most, rank,
                 joint_of_row(state, row));
    else if (row >= 0 && rank < 0)
        snprintf(buffer, size, "; the rank of the constraints is %d and falls there, of joint '%s' among others", state->rank->most,
                 joint_of_row(state, row));
    return buffer;
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_singular(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_singular local, *part = DAL_LAYOUT_PART(block, state->singular, local);
    DAL_LAYOUT(block, part->weakest, system->layout.n_rows);
    dal_roots_layout(block, &system->layout, &part->roots);
}

static void reset_singular(dal_state *state)
{
    const int r = state->layout->n_rows;
    dal_singular *part = state->singular;
    part->nearness = 1;
    part->near = part->observe = false;
    part->measured_at = -HUGE_VAL;
    for (int i = 0; i < r && !state->layout->dense; i++)        /* for inverse iteration */
        part->weakest[i] = sin(1 + 2.4 * i) / sqrt(fmax(1, r)); /* near to no combination in particular */
}

static void copy_singular(const dal_state *from, dal_state *to)
{
    to->singular->nearness = from->singular->nearness;
    to->singular->near = from->singular->near;
    dal_roots_copy(from->layout, &from->singular->roots, &to->singular->roots);
}

static void keep_singular(dal_state *state, dal_keep *keep)
{
    dal_singular *part = state->singular;
    dal_keep_numbers(keep, &part->nearness, 1);
    dal_keep_flags(keep, &part->near, 1);
    dal_keep_numbers(keep, &part->measured_at, 1);
    dal_keep_flags(keep, &part->observe, 1);
    dal_keep_numbers(keep, part->weakest, (size_t)state->system->layout.n_rows);
    dal_roots_keep(state->layout, &part->roots, keep);
}

const dal_owner dal_singular_owner = {
    .layout = layout_singular, .reset = reset_singular, .start = dal_roots_start, .copy = copy_singular, .keep = keep_singular};
