/* The saddle matrix
 *     K = [ G  A^T ]      G = U M U / mu (mu the model's mass) or 1
 *         [ A   0  ]      A := R A U
 * with U what moves the bodies by a metre (1 / length for turns) and R such that rows are at unit norm: pivots do not depend on the units
 * of the model, and the least correction (G = 1) is least in metres. It is regular exactly if the chosen rows are
 * independent and rank [M; A] = m, whatever M is by itself. Rows that depend on
 * the others are replaced by identity rows, so that the size and the pattern stay
 * what compile made them.
 *
 * Small systems: dense view, LDL^T with Bunch-Kaufman pivots. Large ones: sparse LU
 * on the pattern of compile, refactored in place. Formulation `recursive`: by elimination over the
 * links of the tree (recursive.c), where M has to be positive.
 */
#include "math/dense.h"
#include "math/rank.h"
#include "math/sparse.h"
#include "math/sparse_rank.h"
#include "math/vec.h"
#include "state/state.h"
#include "dynamics/rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "dynamics/tree_state.h"
#include "state/report.h"
#include "state/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- pattern ---------------------------------------------------------------- */

static int count_columns(const dal_system *system, int *count)
{
    const dal_layout *layout = &system->layout;
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

void dal_saddle_pattern(dal_arena *arena, dal_system *system)
{
    const dal_layout *layout = &system->layout;
    const int n = layout->nv + layout->n_rows;
    int *fill = DAL_TAKE(arena, int, n + 1), *start = DAL_TAKE(arena, int, n + 1);
    int total = count_columns(system, fill);
    int *row = DAL_TAKE(arena, int, total), *owner = DAL_TAKE(arena, int, total);
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
    system->n_kkt = total;
    system->kkt_start = start;
    system->kkt_row = row;
    int *slot = DAL_TAKE(arena, int, diagonal + layout->n_rows);
    for (int k = 0; k < total; k++)
        slot[owner[k]] = k;
    system->kkt_mass = slot;
    system->kkt_rows = slot + below;
    system->kkt_diagonal = slot + diagonal;
}

/* ---- factor and solve --------------------------------------------------------- */

/* What row i is multiplied by to count as one of unit norm; `norm` is that of its entries. Where bodies share coordinates the row is
 * measured by its weight on the bodies instead: its entries are sums that may cancel. In a singular position they all do, and the row
 * has to be seen to vanish. Some cancel wherever the bodies are (rows across a plane mechanism in space): what is left is rounding,
 * which at unit norm would be a row like any other. 0: there is only rounding. */
static double unit_of_row(const dal_state *state, int i, double norm)
{
    const dal_system *system = state->system;
    if (!system->layout.family->shares)
        return norm > 0 ? 1 / norm : 1;
    double weight = dal_row_weight(state, &system->mechanism.rows[system->layout.row[i].source]);
    return norm > system->rank_tolerance * weight ? 1 / weight : 0;
}

static void scale_rows(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            double value = state->work.A[k] * state->system->column_unit[layout->column[k]];
            sum += value * value;
        }
        double unit = unit_of_row(state, i, sqrt(sum));
        state->saddle->row_scale[i] = unit > 0 ? unit : 1;
    }
}

/* Is row i an equation of the saddle matrix? */
static bool takes_part(const dal_state *state, int i)
{
    return state->saddle->soft || state->rank->independent[i];
}

static double factor_dense(dal_state *state, dal_metric metric, double softness)
{
    const dal_layout *layout = &state->system->layout;
    const int nv = layout->nv, n = nv + layout->n_rows;
    const double *U = state->system->column_unit;
    double *K = state->saddle->matrix, unit = 1 / state->system->mass;
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
        if (!takes_part(state, i)) {
            row[nv + i] = 1;
            continue;
        }
        row[nv + i] = -softness;
        for (int k = at->value; k < at->value + at->n_values; k++)
            row[layout->column[k]] += state->saddle->row_scale[i] * state->work.A[k] * U[layout->column[k]];
    }
    return dal_ldlt(K, n, n, state->saddle->pivots);
}

static double factor_sparse(dal_state *state, dal_metric metric, double softness)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *U = system->column_unit;
    double *K = state->saddle->matrix, unit = 1 / system->mass;
    memset(K, 0, sizeof *K * (size_t)system->n_kkt);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n * at->n; i++)
            K[system->kkt_mass[at->value + i]] =
                metric == DAL_METRIC_MASS ? unit * U[at->column + i / at->n] * U[at->column + i % at->n] * state->work.M[at->value + i]
                                          : i % (at->n + 1) == 0;
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        if (!takes_part(state, i)) {
            K[system->kkt_diagonal[i]] = 1;
            continue;
        }
        K[system->kkt_diagonal[i]] = -softness;
        for (int k = at->value; k < at->value + at->n_values; k++)
            K[system->kkt_rows[k]] = K[system->kkt_rows[layout->n_values + k]] = state->saddle->row_scale[i] * state->work.A[k] * U[layout->column[k]];
    }
    return dal_sparse_factor(state->saddle->sparse, K, false);
}

double dal_saddle_factor(dal_state *state, dal_metric metric)
{
    state->saddle->soft = false;
    state->saddle->on_tree = state->system->loops && metric == DAL_METRIC_MASS;
    if (state->saddle->on_tree)
        return state->saddle->ratio = dal_tree_factor(state);
    scale_rows(state);
    state->saddle->ratio = (state->system->dense ? factor_dense : factor_sparse)(state, metric, 0);
    return state->saddle->ratio;
}

double dal_saddle_soften(dal_state *state, double softness)
{
    state->saddle->soft = true;
    state->saddle->on_tree = false;
    scale_rows(state);
    state->saddle->ratio = (state->system->dense ? factor_dense : factor_sparse)(state, DAL_METRIC_MASS, softness);
    return state->saddle->ratio;
}

void dal_saddle_solve(dal_state *state, double *f, double *b)
{
    const dal_layout *layout = &state->system->layout;
    const int nv = layout->nv, n = nv + layout->n_rows;
    const double *U = state->system->column_unit;
    double *x = state->saddle->rhs;
    if (state->saddle->on_tree) {
        dal_tree_saddle(state, f, b);
        return;
    }
    for (int k = 0; k < nv; k++)
        x[k] = U[k] * f[k];
    for (int i = 0; i < layout->n_rows; i++)
        x[nv + i] = takes_part(state, i) ? state->saddle->row_scale[i] * b[i] : 0;
    if (state->system->dense)
        dal_ldlt_solve(state->saddle->matrix, n, n, state->saddle->pivots, x);
    else
        dal_sparse_solve(state->saddle->sparse, x);
    for (int k = 0; k < nv; k++)
        f[k] = U[k] * x[k];
    for (int i = 0; i < layout->n_rows; i++)
        b[i] = state->saddle->row_scale[i] * x[nv + i];
}

/* ---- independent rows ------------------------------------------------------------ */

/* The dense A with columns divided by what a unit of the velocity moves (the model's length for turns) and rows at unit norm;
 * `scale` (may be NULL) is what each row was multiplied by. Ranks taken of it do not depend on units or on multiples of rows. */
void dal_scaled_rows(const dal_state *state, double *A, double *scale)
{
    const dal_layout *layout = &state->system->layout;
    const size_t m = (size_t)layout->nv;
    memset(A, 0, sizeof *A * (size_t)layout->n_rows * m);
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double *row = A + (size_t)i * m, sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            double value = state->work.A[k] * state->system->column_unit[layout->column[k]];
            row[layout->column[k]] = value;
            sum += value * value;
        }
        double unit = unit_of_row(state, i, sqrt(sum));
        for (size_t j = 0; j < m; j++)
            row[j] *= unit;
        if (scale)
            scale[i] = unit > 0 ? unit : 1;
    }
}

/* Smallest singular value of the scaled rows above which all of them are independent. K has the eigenvalue -sigma^2 for a small one, and
 * is known to 1e-16 times its growth: below 1e-7 sigma is not seen. The estimate is too large by a factor of 2 at the most (sparse_rank.c),
 * and what counts as dependent lies at 1e-10: five digits of margin on one side, more than one on the other. */
static const double full_rank_for_sure = 1e-5;

static const double worse = 1e-3;     /* loss of the pivot ratio since the last ranking that calls for another choice of rows */
static const double tired = 0.1;      /* the same for A alone, near a singular position */
static const double near = 0.03;      /* of the best pivot ratio of the run: a singular position is near */
static const double stroll = 0.1;     /* rad or lengths: from a position that is not doubtful, no singular one is that near */
static const double doubtful = 0.3;   /* of what is known without it: A itself is asked early */
static const double singular = 1e-17; /* pivot ratio that is only rounding, even where it falls with the square of the distance */

enum { SETTLE = 30 };                 /* steps of inverse iteration until the weakest combination of rows is known */

/* Pivot ratio of A alone, columns in units of the model, rows at unit norm: without the masses, whose own spread says nothing about the position. */
static double ratio_of_rows(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const size_t m = (size_t)layout->nv;
    const double *U = state->system->column_unit;
    double *A = state->rank->matrix, *tau = state->rank->work;
    memset(A, 0, sizeof *A * m * (size_t)state->rank->n);
    for (int i = 0; i < state->rank->n; i++) {
        const dal_row_layout *at = &layout->row[state->rank->order[i]];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            const double value = state->work.A[k] * U[layout->column[k]];
            sum += value * value;
        }
        double unit = unit_of_row(state, state->rank->order[i], sqrt(sum));
        for (int k = at->value; k < at->value + at->n_values; k++)
            A[(size_t)i * m + (size_t)layout->column[k]] += state->work.A[k] * U[layout->column[k]] * unit;
    }
    return dal_qr(A, layout->nv, state->rank->n, layout->nv, tau);
}

static void choose_again(dal_state *state)
{
    dal_state_rank(state, state->rank->n);
    state->rank->changed++;
}

/* Does the last factorisation answer by inverse iteration? Sparse LU takes its pivots for the sake of the pattern: they fall late near a
 * singular position (at a thousandth of the distance at which A does), and elsewhere for other reasons. */
static bool asks_factor(const dal_state *state, dal_factor kind)
{
    return (kind == DAL_FACTOR_SADDLE || kind == DAL_FACTOR_UNIT) && !state->system->dense && !state->saddle->on_tree;
}

/* sigma, the smallest singular value of the independent rows C = c A G^(-1/2), by one step of inverse iteration on the factor of K:
 *     K (x, mu) = (0, z),  |z| = 1,   so that  C C^T mu = -z  and  sigma^2 <= 1 / |mu|
 * with equality for the weakest combination z of the rows, which is kept from one call to the next: it turns slowly. */
static double least_singular_value(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    double *x = state->saddle->rhs, *mu = x + layout->nv, sum = 0;
    memset(x, 0, sizeof *x * (size_t)layout->nv);
    for (int i = 0; i < layout->n_rows; i++)
        mu[i] = takes_part(state, i) ? state->singular->weakest[i] : 0;
    dal_sparse_solve(state->saddle->sparse, x);
    for (int i = 0; i < layout->n_rows; i++)
        sum += mu[i] * mu[i];
    if (!(sum > 0) || !(sum < HUGE_VAL))
        return 0;
    for (int i = 0; i < layout->n_rows; i++)
        if (takes_part(state, i))
            state->singular->weakest[i] = mu[i] / sqrt(sum);
    return 1 / sqrt(sqrt(sum));
}

/* A number that falls like the distance to a singular position, over the best of the run. */
static double distance_at_hand(dal_state *state, dal_factor kind, double ratio)
{
    if (asks_factor(state, kind)) {
        double *best = &state->rank->best_ratio[kind == DAL_FACTOR_SADDLE ? DAL_FACTOR_LEAST : DAL_FACTOR_LEAST_UNIT];
        for (int i = 0; i < SETTLE && *best == 0; i++)
            least_singular_value(state);
        double sigma = least_singular_value(state);
        *best = fmax(*best, sigma);
        return *best > 0 ? sigma / *best : 1;
    }
    double nearness = ratio / state->rank->best_ratio[kind];
    return kind < DAL_FACTOR_QR ? sqrt(nearness) : nearness; /* symmetric pivots fall with the square of the distance */
}

/* Has the choice of rows, where there is one, to be made anew? A itself is looked at, and whether other rows do better; true if they do. */
static bool ask_rows(dal_state *state)
{
    double *best = &state->rank->best_ratio[DAL_FACTOR_ROWS], *good = &state->rank->good_ratio[DAL_FACTOR_ROWS];
    bool choice = state->rank->n < state->system->layout.n_rows, changed = false;
    dal_need(state, DAL_STAGE_LOADS);
    double own = ratio_of_rows(state);
    if (choice && own < near * *best && (*good == 0 || own < tired * *good)) {
        choose_again(state);
        own = ratio_of_rows(state);
        changed = true;
    }
    if (*good == 0)
        *good = own;
    *best = fmax(*best, own);
    state->singular->nearness = *best > 0 ? own / *best : 1;
    return changed;
}

/* How far, in radians or lengths of the model, the fastest coordinate has gone since A was asked. */
static double way_since_asked(const dal_state *state)
{
    const dal_system *system = state->system;
    double fastest = 0;
    for (int k = 0; k < system->layout.nv; k++)
        fastest = fmax(fastest, fabs(state->work.v[k]) * system->column_scale[k] / system->length);
    return fastest * fabs(state->work.t - state->singular->asked_at);
}

/* Where some rows were chosen of more, their smallest singular value falls also because the choice has become a bad one. Only A tells the
 * two apart. It is asked all the time near a singular position, and elsewhere before the mechanism can have come near one. */
static bool ask_of_many_rows(dal_state *state)
{
    if (way_since_asked(state) <= stroll && !(state->singular->nearness < doubtful))
        return false;
    bool changed = ask_rows(state);
    state->singular->asked_at = state->work.t;
    return changed;
}

/* How near is a singular position? What is at hand gives a first answer; only if it is bad, or good for nothing, A itself is looked at. Far
 * from one the stages of a step are not asked: what the last projection found is good enough. True if other rows were taken: what was
 * factored is out of date. */
static bool look_out(dal_state *state, dal_factor kind, double ratio)
{
    const dal_system *system = state->system;
    const bool choice = state->rank->n < system->layout.n_rows;
    bool changed = false;
    if (!state->rank->n) {
        state->singular->nearness = 1;
    } else if (asks_factor(state, kind)) {
        if (!state->singular->attentive && !(state->singular->nearness < doubtful) && system->stabilization->project)
            return false;
        if (choice && system->careful)
            changed = ask_of_many_rows(state);
        else
            state->singular->nearness = distance_at_hand(state, kind, ratio);
    } else if (system->careful || system->formulation->recursive || kind == DAL_FACTOR_NETWORK) {
        state->singular->nearness = distance_at_hand(state, kind, ratio);
        if (system->careful && (state->rank->best_ratio[DAL_FACTOR_ROWS] == 0 || state->singular->nearness < doubtful))
            changed = ask_rows(state);
    }
    state->singular->near = state->singular->nearness < near;
    return changed;
}

/* Two things let the pivots fall. Where rows are redundant, the independent ones of one position may depend on each other in
 * another, although the rank is the same: other rows are chosen, long before the pivots vanish. And a singular position may
 * be near, where the rank itself drops. Reactions grow there without bound while the motion stays smooth, so that no row may
 * be left out: what helps is to solve with care (`near_singular`). */
bool dal_state_alarm(dal_state *state, dal_factor kind, double ratio)
{
    double *good = &state->rank->good_ratio[kind], *best = &state->rank->best_ratio[kind];
    bool choice = state->rank->n < state->system->layout.n_rows, changed = false;
    if (*good == 0 && ratio > singular)
        *good = ratio;
    if (ratio > *best)
        *best = ratio;
    if (!(ratio > singular) || (choice && ratio < worse * *good)) {
        dal_need(state, DAL_STAGE_LOADS);
        choose_again(state);
        changed = true;
    }
    return look_out(state, kind, ratio) || changed;
}

static bool nonholonomic(const dal_layout *layout, int row)
{
    return row < layout->n_extrinsic && layout->mechanism->rows[layout->row[row].source].nonholonomic;
}

/* Rows that exist at velocity level only say nothing about positions. Where one of them depends on rows that do, these are kept: row d
 * that was left out is a sum of the chosen ones, and changes places with a nonholonomic one that takes part in it. */
static void prefer_holonomic(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
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

/* K = [S^2 (c A)^T; c A 0] with S the scales of the columns and c those of the rows: (c A) S^-2 (c A)^T is that of the scaled rows. */
static bool surely_full(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const double *S = system->column_scale;
    double *K = state->saddle->matrix;
    memset(K, 0, sizeof *K * (size_t)system->n_kkt);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            K[system->kkt_mass[at->value + (at->n + 1) * i]] = S[at->column + i] * S[at->column + i];
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double sum = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            double value = state->work.A[k] / S[layout->column[k]];
            sum += value * value;
        }
        const double unit = unit_of_row(state, i, sqrt(sum));
        for (int k = at->value; k < at->value + at->n_values; k++)
            K[system->kkt_rows[k]] = K[system->kkt_rows[layout->n_values + k]] = unit * state->work.A[k];
    }
    return dal_sparse_factor(state->saddle->sparse, K, true) > 0 && dal_sparse_least(state->saddle->sparse, layout->nv, layout->n_rows, state->saddle->rhs) > full_rank_for_sure;
}

/* Of large systems: QR of the sparse rows. Where rows depend on each other, those that stay have pivot[i] > 0; of more than `most` of
 * them the ones with the largest pivots are kept. */
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
            value[k] = state->work.A[k] / system->column_scale[layout->column[k]];
            sum += value[k] * value[k];
        }
        if (unit_of_row(state, i, sqrt(sum)) == 0)
            memset(value + at->value, 0, sizeof *value * (size_t)at->n_values);
    }
    start[r] = r ? layout->row[r - 1].value + layout->row[r - 1].n_values : 0;
    const dal_sparse_matrix A = {r, layout->nv, start, layout->column, value};
    int rank = dal_sparse_rank(&state->hold.allocator, &A, system->rank_tolerance, late, pivot);
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
    const dal_layout *layout = &state->system->layout;
    dal_scaled_rows(state, state->rank->matrix, NULL);
    return dal_rank_rows(state->rank->matrix, layout->n_rows, layout->nv, layout->nv, state->system->rank_tolerance, most, state->rank->order, NULL,
                         state->rank->work);
}

static bool rows_are_numbers(const dal_state *state)
{
    double sum = 0;
    for (int k = 0; k < state->system->layout.n_values; k++)
        sum += state->work.A[k] * state->work.A[k];
    return isfinite(sum);
}

/* Rank is decided on rows of unit norm, with the columns of the attitude divided by the model's length: it does not depend
 * on units or on multiples of rows. Large systems are first tried with all rows.
 *
 * `most` keeps the rank down: the stages of a step lie beside the constraints, where rows that depend on each other seem not
 * to. There, only the choice of rows may change; how many there are is decided at states that satisfy the constraints. */
void dal_state_rank(dal_state *state, int most)
{
    const dal_system *system = state->system;
    const int r = system->layout.n_rows;
    int rank = r;
    if (!rows_are_numbers(state))
        return; /* the caller's factorisation fails and says so; at other states the rows that were independent are so still */
    for (int i = 0; i < r; i++)
        state->rank->order[i] = i;
    if (r && (system->dense || most < r || !surely_full(state))) {
        rank = system->small ? rank_dense(state, most) : rank_sparse(state, most);
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
    memset(state->rank->good_ratio, 0, sizeof state->rank->good_ratio);
    state->singular->asked_at = -HUGE_VAL; /* of other rows */
    if (rank < state->rank->least)
        state->rank->least = rank;
    if (rank > state->rank->most)
        state->rank->most = rank;
}

static const double lost = 3e-3; /* of the largest pivot of rows at unit norm: near a singular position, those that are going */

/* The joint that row i belongs to, "" of a row within a body. */
static const char *joint_of_row(const dal_state *state, int i)
{
    const dal_layout *layout = &state->system->layout;
    return i < layout->n_extrinsic ? layout->mechanism->joints[layout->mechanism->rows[layout->row[i].source].joint].name : "";
}

const char *dal_singular_text(dal_state *state, char *buffer, size_t size)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    int *order = state->saddle->pivots, row = -1, rank = -1;
    buffer[0] = '\0';
    dal_state_position(state);
    dal_state_jacobian(state);
    if (!layout->n_rows || !rows_are_numbers(state))
        return buffer;
    if (system->small) { /* those that are going, or else the weakest one */
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
        snprintf(buffer, size, "; the rank of the constraints is %d and falls there, of joint '%s' among others", state->rank->most, joint_of_row(state, row));
    return buffer;
}

dal_flow dal_saddle_ready(dal_state *state, dal_metric metric)
{
    dal_factor kind = metric == DAL_METRIC_MASS ? DAL_FACTOR_SADDLE : DAL_FACTOR_UNIT;
    state->singular->attentive = true;
    bool changed = dal_state_alarm(state, kind, dal_saddle_factor(state, metric));
    state->singular->attentive = false;
    if (!changed || dal_saddle_factor(state, metric) > 0)
        return 0;
    return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
}

dal_flow dal_saddle_least(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (!state->system->loops) /* the links have their own */
        layout->family->inertia(layout, &state->work);
    if (!dal_saddle_ready(state, DAL_METRIC_MASS))
        return 0;
    state->report->trouble[0] = '\0';
    return dal_saddle_ready(state, DAL_METRIC_UNIT);
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void lay_saddle(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_saddle local, *saddle = DAL_LAY_PART(block, state->saddle, local);
    const int n = system->layout.nv + system->layout.n_rows;
    DAL_LAY(block, saddle->matrix, system->dense ? (size_t)n * (size_t)n : (size_t)system->n_kkt);
    DAL_LAY(block, saddle->rhs, n);
    DAL_LAY(block, saddle->row_scale, system->layout.n_rows);
    DAL_LAY(block, saddle->pivots, n + 1);
}

static bool open_saddle(dal_state *state)
{
    const dal_system *system = state->system;
    if (system->dense || system->layout.columnless)
        return true;
    state->saddle->sparse = dal_sparse_create(&state->hold.allocator, system->layout.nv + system->layout.n_rows, system->kkt_start, system->kkt_row);
    return state->saddle->sparse;
}

static void close_saddle(dal_state *state)
{
    dal_sparse_free(state->saddle->sparse);
}

const dal_owner dal_saddle_owner = {.lay = lay_saddle, .open = open_saddle, .close = close_saddle};

static void lay_rank(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_rank local, *rank = DAL_LAY_PART(block, state->rank, local);
    const int nv = system->layout.nv, r = system->layout.n_rows;
    rank->matrix = rank->work = rank->exchange = NULL;
    DAL_LAY(block, rank->order, r);
    DAL_LAY(block, rank->independent, r);
    if (!system->small)
        return;
    DAL_LAY(block, rank->matrix, (size_t)r * (size_t)nv);
    DAL_LAY(block, rank->work, dal_rank_work(r, nv));
    for (int i = 0; i < system->mechanism.n_rows; i++)
        if (system->mechanism.rows[i].nonholonomic) {
            DAL_LAY(block, rank->exchange, (size_t)nv * (size_t)r + (size_t)r + dal_rank_work(nv, r));
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
    const size_t rows = (size_t)from->system->layout.n_rows;
    const dal_rank *rank = from->rank;
    to->rank->n = rank->n;
    memcpy(to->rank->order, rank->order, sizeof *rank->order * rows);
    memcpy(to->rank->independent, rank->independent, sizeof *rank->independent * rows);
    memcpy(to->rank->best_ratio, rank->best_ratio, sizeof rank->best_ratio);
    memcpy(to->rank->good_ratio, rank->good_ratio, sizeof rank->good_ratio);
}

const dal_owner dal_rank_owner = {.lay = lay_rank, .reset = reset_rank, .copy = copy_rank};

static void lay_singular(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_singular local, *part = DAL_LAY_PART(block, state->singular, local);
    DAL_LAY(block, part->weakest, system->layout.n_rows);
}

static void reset_singular(dal_state *state)
{
    const int r = state->system->layout.n_rows;
    dal_singular *part = state->singular;
    part->nearness = 1;
    part->near = part->attentive = false;
    part->asked_at = -HUGE_VAL;
    for (int i = 0; i < r; i++)
        part->weakest[i] = sin(1 + 2.4 * i) / sqrt(fmax(1, r)); /* near to no combination in particular */
}

static void copy_singular(const dal_state *from, dal_state *to)
{
    to->singular->nearness = from->singular->nearness;
    to->singular->near = from->singular->near;
}

const dal_owner dal_singular_owner = {.lay = lay_singular, .reset = reset_singular, .copy = copy_singular};
