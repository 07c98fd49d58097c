/* Which rows of A are independent: all ranks that a run decides.
 *
 * A rank is decided on rows of unit norm, with the columns of the attitude divided by the model's length: it does not depend on units or
 * on multiples of rows. Dense systems: rank-revealing factorisation of the rows (math/rank.c). Sparse ones: first the smallest singular
 * value with all rows, and where it is too small QR of the sparse rows (math/sparse_rank.c).
 *
 * The choice is kept from one position to the next. dal_state_alarm watches the pivots of every factorisation that uses it.
 */
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "math/rank.h"
#include "math/sparse.h"
#include "math/sparse_rank.h"
#include "model/system.h"
#include "state/scale.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

/* ---- rows in units of the model ------------------------------------------------------------- */

/* An intrinsic row of a body that shares columns is a product of two unit vectors, each of which moves by its lever. */
static double weight_of_row(const dal_state *state, int i)
{
    if (i >= state->layout->n_extrinsic)
        return 2 / dal_turn_lever(state->system, state->layout->side[state->layout->row[i].side].body);
    return dal_row_weight(state, &state->system->mechanism.rows[state->system->layout.row[i].source]);
}

double dal_unit_of_shared_row(const dal_state *state, int i, double norm)
{
    const double weight = weight_of_row(state, i);
    return norm > state->system->method.rank_tolerance * weight ? 1 / weight : 0;
}

double dal_scale_of_row(const dal_state *state, int i, double unit)
{
    const double weight = unit > 0 ? 1 : weight_of_row(state, i);
    return unit > 0 ? unit : weight > 0 ? 1 / weight : 1;
}

void dal_scaled_rows(const dal_state *state, double *A, double *scale)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv;
    memset(A, 0, sizeof *A * (size_t)layout->n_rows * m);
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double *row = A + (size_t)i * m, sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            double value = state->work.A[k] * layout->units.column_unit[layout->column[k]];
            row[layout->column[k]] = value;
            sum += value * value;
        }
        double unit = dal_unit_of_row(state, layout, i, sqrt(sum));
        for (size_t j = 0; j < m; j++)
            row[j] *= unit;
        if (scale)
            scale[i] = dal_scale_of_row(state, i, unit);
    }
}

/* ---- ranking -------------------------------------------------------------------------------- */

/* All rows are independent if the smallest singular value sigma of the scaled rows is above this. K has an eigenvalue near -sigma^2 and is known to 1e-16
 * times its growth, so that sigma below 1e-7 cannot be seen. The estimate is too large by a factor of at most 2 (sparse_rank.c), and rows count as
 * dependent at 1e-10: the margin is five digits on one side, more than one on the other. */
static const double full_rank_for_sure = 1e-5;

static bool nonholonomic(const dal_layout *layout, int row)
{
    return row < layout->n_extrinsic && layout->mechanism->rows[layout->row[row].source].nonholonomic;
}

/* Prefer holonomic rows: nonholonomic ones do not constrain positions. A holonomic row d that was skipped is a linear combination of the chosen rows; it
 * replaces the nonholonomic row with the largest coefficient in it. */
static void prefer_holonomic(dal_state *state)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv, k = (size_t)state->rank->n;
    const double *A = state->rank->matrix;
    double *B = state->rank->exchange, *x = B + m * (size_t)layout->n_rows, *work = x + layout->n_rows;
    dal_scaled_rows(state, state->rank->matrix, NULL);
    for (int d = state->rank->n; d < layout->n_rows; d++) {
        int best = -1;
        if (nonholonomic(layout, state->rank->order[d]))
            continue;
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < m; j++)
                B[j * k + i] = A[(size_t)state->rank->order[i] * m + j];
        dal_rank_solve(B, (int)m, (int)k, (int)k, DAL_RANK_TOLERANCE, A + (size_t)state->rank->order[d] * m, x, work);
        for (int i = 0; i < state->rank->n; i++)
            if (nonholonomic(layout, state->rank->order[i]) && fabs(x[i]) > 1e-6 && (best < 0 || fabs(x[i]) > fabs(x[best])))
                best = i;
        if (best < 0)
            continue;
        int out = state->rank->order[best];
        state->rank->order[best] = state->rank->order[d];
        state->rank->order[d] = out;
        state->rank->independent[out] = false;
        state->rank->independent[state->rank->order[best]] = true;
    }
}

/* Are all rows surely independent? Factors K = [1 (c A U)^T; c A U 0], with U the units of the columns and c those of the rows, and estimates the smallest
 * singular value of c A U. K does not depend on the units of the model, nor do the pivots that later factorisations reuse. */
static bool surely_full(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *U = layout->units.column_unit;
    double *K = state->saddle->matrix;
    memset(K, 0, sizeof *K * (size_t)system->slots.n);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            K[system->slots.mass[at->value + (at->n + 1) * i]] = 1;
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            double value = state->work.A[k] * U[layout->column[k]];
            sum += value * value;
        }
        const double unit = dal_unit_of_row(state, layout, i, sqrt(sum));
        for (int k = at->value; k < at->value + at->n_values; k++)
            K[system->slots.rows[k]] = K[system->slots.rows[layout->n_values + k]] = unit * state->work.A[k] * U[layout->column[k]];
    }
    return dal_sparse_factor(state->saddle->sparse, K, true) > 0 &&
           dal_sparse_least(state->saddle->sparse, layout->nv, layout->n_rows, state->saddle->rhs) > full_rank_for_sure;
}

/* Large systems: QR of the sparse rows. Independent rows have pivot[i] > 0; if there are more than `most`, those with the largest pivots
 * are kept. */
static int rank_sparse(dal_state *state, int most)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int r = layout->n_rows;
    int *start = state->saddle->pivots; /* nv + n_rows + 1 integers */
    double *value = state->saddle->matrix, *pivot = state->saddle->rhs;
    bool *late = state->rank->independent;
    for (int i = 0; i < r; i++) {
        const dal_row_layout *at = &layout->row[i];
        double sum = 0;
        start[i] = at->value;
        late[i] = nonholonomic(layout, i);
        for (int k = at->value; k < at->value + at->n_values; k++) {
            value[k] = state->work.A[k] / layout->units.column_scale[layout->column[k]];
            sum += value[k] * value[k];
        }
        if (dal_unit_of_row(state, layout, i, sqrt(sum)) == 0)
            memset(value + at->value, 0, sizeof *value * (size_t)at->n_values);
    }
    start[r] = r ? layout->row[r - 1].value + layout->row[r - 1].n_values : 0;
    const dal_sparse_matrix A = {r, layout->nv, start, layout->column, value};
    int rank = dal_sparse_rank(&state->hold.allocator, &A, system->method.rank_tolerance, late, pivot);
    while (rank > most) {
        int least = -1;
        for (int i = 0; i < r; i++)
            if (pivot[i] > 0 && (least < 0 || pivot[i] < pivot[least]))
                least = i;
        pivot[least] = 0;
        rank--;
    }
    for (int i = 0, in = 0, out = rank; i < r && rank >= 0; i++)
        state->rank->order[pivot[i] > 0 ? in++ : out++] = i;
    return rank;
}

static int rank_dense(dal_state *state, int most)
{
    const dal_layout *layout = state->layout;
    dal_scaled_rows(state, state->rank->matrix, NULL);
    return dal_rank_rows(state->rank->matrix, layout->n_rows, layout->nv, layout->nv, state->system->method.rank_tolerance, most, state->rank->order,
                         NULL, state->rank->work);
}

bool dal_rows_are_finite(const dal_state *state)
{
    double sum = 0;
    for (int k = 0; k < state->layout->n_values; k++)
        sum += state->work.A[k] * state->work.A[k];
    return isfinite(sum);
}

/* Large systems are first tried with all rows.
 *
 * `most` caps the rank because at Runge-Kutta stages constraints are slightly violated, and dependent rows may then seem independent. There, only the
 * choice of rows may change; their number is decided at states that satisfy the constraints. */
void dal_state_rank_near(dal_state *state, int most, const dal_known_rows *known)
{
    const int r = state->layout->n_rows;
    int rank = r;
    if (!dal_rows_are_finite(state))
        return; /* the caller's factorisation fails with a message; the choice of rows stays valid for other states */
    for (int i = 0; i < r; i++)
        state->rank->order[i] = i;
    if (r && !(most >= r && dal_rows_are_near(state, known)) && (state->layout->dense || most < r || !surely_full(state))) {
        rank = state->layout->small ? rank_dense(state, most) : rank_sparse(state, most);
        if (rank == DAL_RANK_NO_MEMORY || rank == DAL_RANK_TOO_WIDE) {
            dal_state_fail(state, DAL_RANK_UNDECIDED, r);
            rank = r;
        }
        if (rank < 0)
            rank = 0;
    }
    for (int i = 0; i < r; i++)
        state->rank->independent[state->rank->order[i]] = i < rank;
    state->rank->n = rank;
    if (state->rank->exchange && rank < r)
        prefer_holonomic(state);
    state->speeds->side = state->speeds->side_kept = 0;
    dal_state_forget(state, DAL_STAGE_SPEEDS);
    memset(state->rank->good_ratio, 0, sizeof state->rank->good_ratio);
    dal_singular_rows_changed(state);
    if (rank < state->rank->least)
        state->rank->least = rank;
    if (rank > state->rank->most)
        state->rank->most = rank;
}

void dal_state_rank(dal_state *state, int most)
{
    dal_state_rank_near(state, most, NULL);
}

/* ---- watched pivots ------------------------------------------------------------------------ */

static const double worse = 1e-3;     /* loss of the pivot ratio since the last ranking that calls for another choice of rows */
static const double singular = 1e-17; /* pivot ratio that is only rounding, even where it falls with the square of the distance */

void dal_rank_choose_again(dal_state *state)
{
    dal_state_rank(state, state->rank->n);
    state->rank->changed++;
}

/* Pivots fall for two reasons. If rows are redundant, rows that are independent in one position may be dependent in another, although the rank is
 * the same: other rows are chosen, long before the pivots vanish. Or a singular position is near, where the rank itself drops. Reactions grow
 * there without bound while the motion stays smooth, so that no row may be skipped: the remedy is to solve on the null space
 * (dal_singular_on_null_space). */
bool dal_state_alarm(dal_state *state, dal_factor kind, double ratio)
{
    double *good = &state->rank->good_ratio[kind], *best = &state->rank->best_ratio[kind];
    bool choice = state->rank->n < state->layout->n_rows, changed = false;
    if (*good == 0 && ratio > singular)
        *good = ratio;
    if (ratio > *best)
        *best = ratio;
    if (!(ratio > singular) || (choice && ratio < worse * *good)) {
        dal_need(state, DAL_STAGE_LOADS);
        dal_rank_choose_again(state);
        changed = true;
        state->singular->once = false; /* it is factored again */
    }
    return dal_singular_observe(state, kind, ratio) || changed;
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_rank(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_rank local, *rank = DAL_LAYOUT_PART(block, state->rank, local);
    const int nv = system->layout.nv, r = system->layout.n_rows;
    rank->matrix = rank->work = rank->exchange = NULL;
    DAL_LAYOUT(block, rank->order, r);
    DAL_LAYOUT(block, rank->independent, r);
    if (!system->layout.small)
        return;
    DAL_LAYOUT_ROOM(block, rank->matrix, (size_t)r * (size_t)nv);
    DAL_LAYOUT_ROOM(block, rank->work, dal_rank_work(r, nv));
    for (int i = 0; i < system->mechanism.n_rows; i++)
        if (system->mechanism.rows[i].nonholonomic) {
            DAL_LAYOUT_ROOM(block, rank->exchange, (size_t)nv * (size_t)r + (size_t)r + dal_rank_work(nv, r));
            return;
        }
}

static void reset_rank(dal_state *state)
{
    const dal_system *system = state->system;
    dal_rank *rank = state->rank;
    rank->n = rank->least = rank->most = system->rank;
    for (int i = 0; i < system->layout.n_rows; i++) {
        rank->order[i] = system->start_order[i];
        rank->independent[system->start_order[i]] = i < system->rank;
    }
    rank->changed = 0;
    memset(rank->good_ratio, 0, sizeof rank->good_ratio);
    memset(rank->best_ratio, 0, sizeof rank->best_ratio);
}

static void copy_rank(const dal_state *from, dal_state *to)
{
    const size_t rows = (size_t)from->layout->n_rows;
    const dal_rank *rank = from->rank;
    to->rank->n = rank->n;
    memcpy(to->rank->order, rank->order, sizeof *rank->order * rows);
    memcpy(to->rank->independent, rank->independent, sizeof *rank->independent * rows);
    memcpy(to->rank->best_ratio, rank->best_ratio, sizeof rank->best_ratio);
    memcpy(to->rank->good_ratio, rank->good_ratio, sizeof rank->good_ratio);
}

static void keep_rank(dal_state *state, dal_keep *keep)
{
    dal_rank *rank = state->rank;
    const int rows = state->system->layout.n_rows;
    dal_keep_integers(keep, &rank->n, 1, 0, rows < state->layout->nv ? rows : state->layout->nv);
    dal_keep_integers(keep, rank->order, (size_t)rows, 0, rows - 1);
    dal_keep_flags(keep, rank->independent, (size_t)rows);
    dal_keep_integers(keep, &rank->least, 1, 0, rows);
    dal_keep_integers(keep, &rank->most, 1, 0, rows);
    dal_keep_counts(keep, &rank->changed, 1);
    dal_keep_numbers(keep, rank->best_ratio, DAL_FACTORS);
    dal_keep_numbers(keep, rank->good_ratio, DAL_FACTORS);
    dal_keep_integers(keep, &rank->determined, 1, -1, state->system->layout.nv);
}

const dal_owner dal_rank_owner = {.layout = layout_rank, .reset = reset_rank, .copy = copy_rank, .keep = keep_rank};
