/* The saddle matrix
 *     K = [ G  A^T ]      G = U M U / mu (mu the model's mass) or 1
 *         [ A   0  ]      A := R A U
 * with U what moves the bodies by a metre (1 / length for turns) and R such that rows are at unit norm: pivots do not depend on the units
 * of the model, and the least correction (G = 1) is least in metres. It is regular exactly if the chosen rows are
 * independent and rank [M; A] = m, whatever M is by itself. Rows that depend on
 * the others are replaced by identity rows, so that the size and the pattern stay
 * what compile made them.
 *
 * Small systems: LDL^T on the pattern, in the order of compile, where M is positive definite and no pivot loses digits (saddle_order.c); else
 * dense view, LDL^T with Bunch-Kaufman pivots. Large ones: sparse LU
 * on the pattern of compile, refactored in place. Formulation `recursive`: by elimination over the
 * links of the tree (recursive.c), where M has to be positive.
 */
#include "math/dense.h"
#include "dynamics/saddle.h"
#include "dynamics/saddle_order.h"
#include "dynamics/row_rank.h"
#include "dynamics/singular.h"
#include "dynamics/tree_state.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "model/system.h"
#include "state/report.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

/* ---- pattern ---------------------------------------------------------------- */

static int count_columns(const dal_layout *layout, int *count)
{
    int total = 0;
    for (int b = 0; b < layout->n_blocks; b++)
        for (int j = 0; j < layout->block[b].n; j++)
            count[layout->block[b].column + j] += layout->block[b].n;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = at->value; k < at->value + at->n_values; k++)
            count[layout->column[k]]++;
        count[layout->nv + i] += at->n_values + 1;
    }
    for (int j = 0; j < layout->nv + layout->n_rows; j++)
        total += count[j];
    return total;
}

/* Rows of a column have to ascend: columns of v get first their block of M, then the rows of A in order; the columns of a
 * row's own block may stand in any order of bodies, so they are sorted. */
static void sort_column(int *row, int *owner, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && row[k] < row[k - 1]; k--) {
            int r = row[k], o = owner[k];
            row[k] = row[k - 1], owner[k] = owner[k - 1];
            row[k - 1] = r, owner[k - 1] = o;
        }
}

void dal_saddle_pattern(dal_arena *arena, const dal_layout *layout, dal_saddle_slots *slots)
{
    const int n = layout->nv + layout->n_rows;
    int *fill = DAL_NEW(arena, int, n + 1), *start = DAL_NEW(arena, int, n + 1);
    int total = count_columns(layout, fill);
    int *row = DAL_NEW(arena, int, total), *owner = DAL_NEW(arena, int, total);
    for (int j = 0; j < n; j++)
        start[j + 1] = start[j] + fill[j];
    memcpy(fill, start, sizeof *fill * (size_t)n);
    /* owner: whose slot an entry is. 0 .. n_mass: M; then A below; then A to the right; then the diagonal */
    const int below = layout->n_mass, right = below + layout->n_values, diagonal = right + layout->n_values;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int j = 0; j < at->n; j++)
            for (int i = 0; i < at->n; i++) {
                owner[fill[at->column + j]] = at->value + at->n * i + j;
                row[fill[at->column + j]++] = at->column + i;
            }
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        const int column = layout->nv + i, first = fill[column];
        for (int k = at->value; k < at->value + at->n_values; k++) {
            owner[fill[layout->column[k]]] = below + k;
            row[fill[layout->column[k]]++] = column;
            owner[fill[column]] = right + k;
            row[fill[column]++] = layout->column[k];
        }
        owner[fill[column]] = diagonal + i;
        row[fill[column]++] = column;
        sort_column(row + first, owner + first, fill[column] - first);
    }
    slots->n = total;
    slots->start = start;
    slots->row = row;
    int *slot = DAL_NEW(arena, int, diagonal + layout->n_rows);
    for (int k = 0; k < total; k++)
        slot[owner[k]] = k;
    slots->mass = slot;
    slots->rows = slot + below;
    slots->diagonal = slot + diagonal;
}

/* ---- factor and solve --------------------------------------------------------- */

static void scale_rows(dal_state *state)
{
    const dal_layout *layout = state->layout;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            double value = state->work.A[k] * layout->units.column_unit[layout->column[k]];
            sum += value * value;
        }
        double unit = dal_unit_of_row(state, layout, i, sqrt(sum));
        state->saddle->row_scale[i] = dal_scale_of_row(state, i, unit);
    }
}

static double factor_dense(dal_state *state, dal_metric metric, double softness)
{
    const dal_layout *layout = state->layout;
    const int nv = layout->nv, n = nv + layout->n_rows;
    const double *U = layout->units.column_unit;
    double *K = state->saddle->matrix, unit = 1 / layout->units.mass;
    memset(K, 0, sizeof *K * (size_t)n * (size_t)n);
    if (metric == DAL_METRIC_UNIT)
        for (int i = 0; i < nv; i++)
            K[i * n + i] = 1;
    for (int b = 0; b < layout->n_blocks && metric == DAL_METRIC_MASS; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j <= i; j++)
                K[(at->column + i) * n + at->column + j] = unit * U[at->column + i] * U[at->column + j] * state->work.M[at->value + at->n * i + j];
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double *row = K + (size_t)(nv + i) * (size_t)n;
        if (!dal_saddle_has_row(state->saddle, state->rank, i)) {
            row[nv + i] = 1;
            continue;
        }
        const double scale = state->saddle->row_scale[i];
        row[nv + i] = -softness;
        for (int k = at->value; k < at->value + at->n_values; k++)
            row[layout->column[k]] += scale * state->work.A[k] * U[layout->column[k]];
    }
    return dal_ldlt(K, n, n, state->saddle->pivots);
}

static double factor_sparse(dal_state *state, dal_metric metric, double softness)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *U = layout->units.column_unit;
    double *K = state->saddle->matrix, unit = 1 / layout->units.mass;
    memset(K, 0, sizeof *K * (size_t)system->slots.n);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n * at->n; i++)
            K[system->slots.mass[at->value + i]] = metric == DAL_METRIC_MASS
                                                       ? unit * U[at->column + i / at->n] * U[at->column + i % at->n] * state->work.M[at->value + i]
                                                       : i % (at->n + 1) == 0;
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        if (!dal_saddle_has_row(state->saddle, state->rank, i)) {
            K[system->slots.diagonal[i]] = 1;
            continue;
        }
        K[system->slots.diagonal[i]] = -softness;
        for (int k = at->value; k < at->value + at->n_values; k++)
            K[system->slots.rows[k]] = K[system->slots.rows[layout->n_values + k]] =
                state->saddle->row_scale[i] * state->work.A[k] * U[layout->column[k]];
    }
    return dal_sparse_factor(state->saddle->sparse, K, false);
}

/* ---- in the order of compile ------------------------------------------------------------------------------- */

static bool are_zero(const double *restrict value, const int *restrict which, int n)
{
    bool other = false;
    for (int k = 0; k < n; k++)
        other |= value[which[k]] != 0;
    return !other;
}

/* The diagonal of A M^-1 A^T at the full weight of the rows on the bodies, if these were free and of the model's mass: the
 * square of that weight. The weight of a gap is its coefficient. */
static void weigh_rows(dal_state *state, const dal_saddle_order *order, double *full)
{
    const dal_layout *layout = state->layout;
    const int *place = order->place + layout->nv, nv = layout->nv;
    for (int n = 0; n < layout->n_gaps; n++) {
        const double scale = 1 / state->work.coef[layout->gap[n].term];
        full[place[layout->gap[n].row] - nv] = 1 / (scale * scale);
    }
    for (int n = 0; n < layout->n_others; n++)
        if (layout->other[n] < layout->n_extrinsic) {
            const double scale = dal_scale_of_row(state, layout->other[n], 0);
            full[place[layout->other[n]] - nv] = 1 / (scale * scale);
        }
    for (int i = layout->n_extrinsic; i < layout->n_rows; i++) {
        const double scale = dal_scale_of_row(state, i, 0);
        full[place[i] - nv] = 1 / (scale * scale);
    }
}

static void drop_row(dal_state *state, const dal_saddle_order *order, int i)
{
    double *K = state->saddle->factor;
    K[order->place[state->layout->nv + i]] = 1;
    for (int k = order->row_start[i]; k < order->row_start[i + 1]; k++)
        K[order->rows[k].to] = 0;
}

/* K, in order, as it is: ratios of pivots to what they were do not depend on scales. */
static void store_matrix(dal_state *state, const dal_saddle_order *order, dal_metric metric)
{
    const dal_layout *layout = state->layout;
    const double *restrict M = state->work.M, *restrict A = state->work.A, *S = layout->units.column_scale;
    double *restrict K = state->saddle->factor;
    const int n = order->ldl.n, nv = layout->nv;
    for (int k = 0; k < order->n_fill; k++)
        K[order->fill[k]] = 0;
    for (int k = nv; k < n; k++)
        K[k] = 0;
    if (metric == DAL_METRIC_MASS)
        for (int k = 0; k < order->n_mass; k++)
            K[order->mass[k].to] = M[order->mass[k].from] * order->unit;
    else {
        for (int k = 0; k < order->n_mass; k++)
            K[order->mass[k].to] = 0;
        for (int k = 0; k < nv; k++)
            K[order->place[k]] = S[k] * S[k];
    }
    for (int k = 0; k < order->n_rows; k++)
        K[order->rows[k].to] = A[order->rows[k].from];
}

/* The least ratio of a pivot to what it was (math/ldl.h). At or below DAL_SADDLE_LEAST the factor cannot be used; -1: an entry is not zero that was
 * thought to be. */
static double factor_in_order(dal_state *state, dal_metric metric)
{
    const dal_saddle_order *order = &state->system->order;
    const int n = order->ldl.n, rows = state->layout->n_rows;
    double *K = state->saddle->factor, *full = state->layout->family->shares ? state->saddle->row_scale : NULL;
    if (!are_zero(state->work.A, order->zero_rows, order->n_zero_rows) ||
        (metric == DAL_METRIC_MASS && !are_zero(state->work.M, order->zero_mass, order->n_zero_mass)))
        return -1;
    store_matrix(state, order, metric);
    if (full)
        weigh_rows(state, order, full);
    for (int i = 0; i < rows && state->rank->n < rows; i++)
        if (!state->rank->independent[i])
            drop_row(state, order, i);
    return dal_ldl_factor(&order->ldl, K, K + n, state->saddle->rhs, full, DAL_SADDLE_LEAST);
}

static void solve_in_order(dal_state *state, double *f, double *b)
{
    const dal_layout *layout = state->layout;
    const dal_saddle_order *order = &state->system->order;
    const double *K = state->saddle->factor;
    const int nv = layout->nv, rows = layout->n_rows, *place = order->place;
    double *x = state->saddle->rhs;
    for (int k = 0; k < nv; k++)
        x[place[k]] = f[k];
    for (int i = 0; i < rows; i++)
        x[place[nv + i]] = b[i];
    for (int i = 0; i < rows && state->rank->n < rows; i++)
        if (!state->rank->independent[i])
            x[place[nv + i]] = 0;
    dal_ldl_solve(&order->ldl, K, K + order->ldl.n, x);
    for (int k = 0; k < nv; k++)
        f[k] = x[place[k]];
    for (int i = 0; i < rows; i++)
        b[i] = x[place[nv + i]];
}

/* Dense or sparse, with pivots. */
static double factor_large(dal_state *state, dal_metric metric, double softness)
{
    state->saddle->in_order = false;
    scale_rows(state);
    return (state->layout->dense ? factor_dense : factor_sparse)(state, metric, softness);
}

/* In the order of compile, where that loses no digits. Ratios stay comparable if it does: they are those in order, 0 if the matrix is singular, and
 * of the size of rounding if the elimination in order ends there. */
static double factor_small(dal_state *state, dal_metric metric)
{
    static const double rounding = 1e-16, singular = 1e-17;
    const double ordered = state->system->order.ldl.n ? factor_in_order(state, metric) : -1;
    if (ordered > DAL_SADDLE_LEAST) {
        state->saddle->in_order = true;
        return ordered;
    }
    const double ratio = factor_large(state, metric, 0);
    return ordered == -1 || !(ratio > singular) ? ratio : ordered > rounding ? ordered : rounding;
}

bool dal_saddle_factor_ordered(dal_state *state, double *ratio)
{
    state->saddle->soft = state->saddle->on_tree = false;
    *ratio = state->system->order.ldl.n ? factor_in_order(state, DAL_METRIC_MASS) : -1;
    state->saddle->in_order = *ratio > DAL_SADDLE_LEAST;
    if (state->saddle->in_order)
        state->saddle->ratio = *ratio;
    return state->saddle->in_order;
}

void dal_saddle_solve_mass(dal_state *state, double *f)
{
    const dal_saddle_order *order = &state->system->order;
    const double *K = state->saddle->factor;
    const int nv = state->layout->nv, *place = order->place;
    double *x = state->saddle->rhs;
    for (int k = 0; k < nv; k++)
        x[place[k]] = f[k];
    dal_ldl_solve_first(&order->ldl, K, K + order->ldl.n, x);
    for (int k = 0; k < nv; k++)
        f[k] = x[place[k]];
}

double dal_saddle_factor(dal_state *state, dal_metric metric)
{
    state->saddle->soft = false;
    state->saddle->on_tree = state->system->loops && metric == DAL_METRIC_MASS;
    if (state->saddle->on_tree)
        return state->saddle->ratio = dal_tree_factor(state);
    return state->saddle->ratio = state->layout->dense ? factor_small(state, metric) : factor_large(state, metric, 0);
}

double dal_saddle_soften(dal_state *state, double softness)
{
    state->saddle->soft = true;
    state->saddle->on_tree = false;
    return state->saddle->ratio = factor_large(state, DAL_METRIC_MASS, softness);
}

void dal_saddle_solve(dal_state *state, double *f, double *b)
{
    const dal_layout *layout = state->layout;
    const int nv = layout->nv, n = nv + layout->n_rows;
    const double *U = layout->units.column_unit;
    double *x = state->saddle->rhs;
    if (state->saddle->on_tree) {
        dal_tree_saddle(state, f, b);
        return;
    }
    if (state->saddle->in_order) {
        solve_in_order(state, f, b);
        return;
    }
    for (int k = 0; k < nv; k++)
        x[k] = U[k] * f[k];
    for (int i = 0; i < layout->n_rows; i++)
        x[nv + i] = dal_saddle_has_row(state->saddle, state->rank, i) ? state->saddle->row_scale[i] * b[i] : 0;
    if (layout->dense)
        dal_ldlt_solve(state->saddle->matrix, n, n, state->saddle->pivots, x);
    else
        dal_sparse_solve(state->saddle->sparse, x);
    for (int k = 0; k < nv; k++)
        f[k] = U[k] * x[k];
    for (int i = 0; i < layout->n_rows; i++)
        b[i] = state->saddle->row_scale[i] * x[nv + i];
}

void dal_saddle_correct(dal_state *state, const double *f, const double *b, double *x, double *mu)
{
    const dal_layout *layout = state->layout;
    for (int i = 0; i < layout->nv; i++)
        x[i] = f[i] / layout->units.mass;
    memcpy(mu, b, sizeof *b * (size_t)layout->n_rows);
    dal_saddle_solve(state, x, mu);
    for (int i = 0; i < layout->n_rows; i++)
        mu[i] *= -layout->units.mass;
}

dal_flow dal_saddle_ready(dal_state *state, dal_metric metric)
{
    dal_factor kind = metric == DAL_METRIC_MASS ? DAL_FACTOR_SADDLE : DAL_FACTOR_UNIT;
    state->singular->observe = true;
    bool changed = dal_state_alarm(state, kind, dal_saddle_factor(state, metric));
    state->singular->observe = false;
    if (!changed || dal_saddle_factor(state, metric) > 0)
        return 0;
    return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
}

dal_flow dal_saddle_least(dal_state *state)
{
    const dal_layout *layout = state->layout;
    if (!state->system->loops) /* the links have their own */
        dal_inertia(layout, &state->work);
    const dal_flow flow = dal_saddle_ready(state, DAL_METRIC_MASS);
    if (!flow || layout->columnless) /* without rows there is nothing that another metric could solve */
        return flow;
    state->report->trouble[0] = '\0';
    return dal_saddle_ready(state, DAL_METRIC_UNIT);
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_saddle(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_saddle local, *saddle = DAL_LAYOUT_PART(block, state->saddle, local);
    const int n = system->layout.nv + system->layout.n_rows;
    DAL_LAYOUT_ROOM(block, saddle->matrix, system->layout.dense ? (size_t)n * (size_t)n : (size_t)system->slots.n);
    DAL_LAYOUT_ROOM(block, saddle->factor, system->order.ldl.n + system->order.ldl.n_entries);
    DAL_LAYOUT(block, saddle->rhs, n);
    DAL_LAYOUT(block, saddle->row_scale, system->layout.n_rows);
    DAL_LAYOUT(block, saddle->pivots, n + 1);
}

static bool open_saddle(dal_state *state)
{
    const dal_system *system = state->system;
    if (system->layout.dense || system->layout.columnless)
        return true;
    state->saddle->sparse =
        dal_sparse_create(&state->hold.allocator, system->layout.nv + system->layout.n_rows, system->slots.start, system->slots.row);
    return state->saddle->sparse;
}

static void close_saddle(dal_state *state)
{
    dal_sparse_free(state->saddle->sparse);
}

static void keep_saddle(dal_state *state, dal_keep *keep)
{
    dal_saddle *part = state->saddle;
    dal_keep_numbers(keep, &part->ratio, 1);
    dal_keep_flags(keep, &part->on_tree, 1);
    dal_keep_flags(keep, &part->soft, 1);
    if (part->sparse)
        dal_sparse_keep(part->sparse, keep);
}

const dal_owner dal_saddle_owner = {.layout = layout_saddle, .open = open_saddle, .close = close_saddle, .keep = keep_saddle};
