/* Speeds: the matrix S = [Y; E; A_k], its factors, and what follows from them (speeds.h has the equations).
 *
 * S is scaled: rows at unit norm, columns divided by what a unit of the velocity moves. With D_r and D_c these scales,
 *   S_s = D_r S D_c^-1,   S x = b  <=>  S_s (D_c x) = D_r b,   S^T y = f  <=>  S_s^T (D_r^-1 y) = D_c^-1 f.
 * Automatic speeds are velocities, the columns c of S: their rows of S_s are rows of the unit matrix, and only the columns d that they
 * leave are solved for. With B = [B_c B_d] the other rows of S_s,
 *   S_s x = [b; b']  <=>  x_c = b,  B_d x_d = b' - B_c b,      S_s^T [y; y'] = f  <=>  B_d^T y' = f_d,  y = f_c - B_c^T y'
 * and B_d, which is the whole of S_s for speeds of the model, is what is factored.
 *
 * Its condition in the 1-norm, |S_s| |S_s^-1|, depends neither on units nor on multiples of rows. |S_s^-1| is estimated from
 * the factors: W. W. Hager, SIAM J. Sci. Stat. Comput. 5 (1984), 311-316.
 *
 * Automatic speeds are p of the velocities. QR with column pivoting of the scaled [E; A_k] (Golub and Van Loan, 5.4.2) takes the
 * columns that the rows determine best; the velocities that are left are the speeds.
 *
 * Baumgarte's stabilization (evaluate.c) asks for A_k v = beta_k - alpha phi_k.
 */
#include "dynamics/speeds.h"
#include "math/dense.h"
#include "dynamics/rank.h"
#include "dynamics/singular.h"
#include "state/momenta.h"
#include "state/scale.h"
#include "state/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double worse = 1e3;            /* growth of the condition since the rows were chosen that calls for other rows */
static const double tired = 2;              /* growth of the steepness since the speeds were chosen that calls for others, between steps */
static const double clearly = 1.5;          /* by how much another choice has to be less steep */
static const double singular_fixed = 1e6;   /* condition beyond which the model's speeds do not determine the velocities */
static const double singular_rows = 1e15;   /* the same for automatic ones: nothing is left but rounding */
static const double tie = 1e-9;             /* pivots that differ by less are equal: the first one is taken on every machine */
static const double no_inertia = 1e-14;     /* pivot of the inertia of the speeds, at unit diagonal */
enum { DENSE_MOST = 1500 };                 /* velocities */

#define TAKE(block, pointer, count) ((pointer) = dal_block_take((block), sizeof *(pointer) * (size_t)(count)))

int dal_speeds_count(const dal_system *system)
{
    return system->layout.nv - system->rank - (system->formulation->more ? system->n_ignorable : 0);
}

int dal_speeds_no_multipliers(const dal_system *system)
{
    (void)system;
    return 0;
}

bool dal_speeds_apply(const dal_system *system, const char *formulation, int p, dal_refusal *why)
{
    const dal_layout *layout = &system->layout;
    const int named = layout->n_speeds, ignored = layout->nv - system->rank - p;
    if (layout->nv > DENSE_MOST)
        dal_decline(why, DAL_REASON_OTHER, "%s works on dense matrices and takes up to %d velocities, and the model has %d in these coordinates; use lagrange",
                 formulation, DENSE_MOST, layout->nv);
    else if (named && named != p)
        dal_decline(why, DAL_REASON_SPEEDS, "the model names %d speed%s and has %d freedom%s%s: %s needs one speed for each of them, or no `speeds:` at all", named,
                 named == 1 ? "" : "s", p, p == 1 ? "" : "s", ignored ? " besides its ignorable coordinates" : "", formulation);
    else
        return true;
    return false;
}

static void lay_basis(dal_block *block, const dal_system *system, dal_speeds **out)
{
    const dal_layout *layout = &system->layout;
    const size_t n = (size_t)layout->nv, bodies = (size_t)layout->mechanism->n_bodies;
    dal_speeds shape, *s = dal_block_take(block, sizeof *s);
    *out = s;
    s = s ? s : &shape;
    s->n = layout->nv;
    s->s = system->formulation->more ? system->n_ignorable : 0;
    s->k = system->rank;
    s->p = s->n - s->s - s->k;
    s->fixed = layout->n_speeds && layout->n_speeds >= s->p;
    const size_t p = (size_t)s->p;
    TAKE(block, s->row, s->k);
    TAKE(block, s->pivot, n);
    TAKE(block, s->trial, n + 1);
    TAKE(block, s->dependent, n);
    TAKE(block, s->S, n * n);
    TAKE(block, s->lu, n * n);
    TAKE(block, s->row_scale, n);
    TAKE(block, s->weight, n);
    TAKE(block, s->E, (size_t)s->s * n);
    TAKE(block, s->e, s->s);
    TAKE(block, s->W, p * n);
    TAKE(block, s->Wd, p * n);
    TAKE(block, s->bias, n);
    TAKE(block, s->K, p * p);
    TAKE(block, s->f, p);
    TAKE(block, s->L, p * p);
    TAKE(block, s->bent, layout->n_rows + layout->n_speeds);
    TAKE(block, s->sides, p * n);
    TAKE(block, s->x, n);
    TAKE(block, s->b, n);
    TAKE(block, s->r, n);
    TAKE(block, s->T, p * bodies);
    TAKE(block, s->bend, p * bodies);
    TAKE(block, s->Td, p * bodies);
    TAKE(block, s->motion, bodies);
    TAKE(block, s->rate, bodies);
}

/* ---- S and its factors ------------------------------------------------------------ */

/* The row of speed j where the model names them. */
static int named(const dal_state *state, int j)
{
    return state->system->layout.n_rows + state->speeds->column[j];
}

/* Rows of S that are rows of the unit matrix: the first ones, or none. */
static int units(const dal_speeds *s)
{
    return s->fixed ? 0 : s->p;
}

/* The rows B of S_s that are not, n numbers each. */
static const double *row_of(const dal_speeds *s, int i)
{
    return s->S + (size_t)(units(s) + i) * (size_t)s->n;
}

/* Row i of A, the columns scaled. */
static void put_row(const dal_state *state, int i, double *out)
{
    const dal_layout *layout = &state->system->layout;
    const dal_row_layout *at = &layout->row[i];
    for (int k = at->value; k < at->value + at->n_values; k++)
        out[layout->column[k]] += state->work.A[k] / state->system->column_scale[layout->column[k]];
}

/* The square of what the row of speed i of the model may become when the position changes by about the size of the model: its factors, and
 * their slopes, on the bodies. Asked once. */
static double reach_of(const dal_state *state, int i)
{
    const dal_layout *layout = &state->system->layout;
    if (state->speeds->basis->weight[i] > 0)
        return 0;
    double reach = dal_row_reach(state, &layout->mechanism->speeds[layout->row[named(state, i)].source]);
    return reach * reach;
}

/* Row i of S is filled: it gets unit norm. */
static void scale_row(const dal_state *state, int i)
{
    dal_speeds *s = state->speeds->basis;
    double *row = s->S + (size_t)i * (size_t)s->n, sum = 0;
    for (int j = 0; j < s->n; j++)
        sum += row[j] * row[j];
    if (s->fixed && i < s->p) /* a speed that vanishes has to be seen to: it is measured by the most that it was */
        sum = s->weight[i] = fmax(s->weight[i], fmax(sum, reach_of(state, i)));
    s->row_scale[i] = sum > 0 ? 1 / sqrt(sum) : 1;
    for (int j = 0; j < s->n; j++)
        row[j] *= s->row_scale[i];
}

/* The columns that the speeds leave, ascending; all of them for speeds of the model. */
static void list_dependent(const dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    int *taken = s->pivot; /* the factors are not made yet */
    memset(taken, 0, sizeof *taken * (size_t)s->n);
    for (int j = 0; j < units(s); j++)
        taken[state->speeds->column[j]] = 1;
    for (int j = 0, at = 0; j < s->n; j++)
        if (!taken[j])
            s->dependent[at++] = j;
}

static void build(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n, first = (size_t)units(s);
    memset(s->S + first * n, 0, sizeof *s->S * (n - first) * n);
    for (int j = 0; j < s->p; j++)
        if (s->fixed)
            put_row(state, named(state, j), s->S + (size_t)j * n);
        else
            s->row_scale[j] = state->system->column_scale[state->speeds->column[j]];
    if (s->s)
        state->system->formulation->more->rows(state, s->E, s->e);
    for (size_t i = 0; i < (size_t)s->s; i++)
        for (size_t j = 0; j < n; j++)
            s->S[((size_t)s->p + i) * n + j] = s->E[i * n + j] / state->system->column_scale[j];
    for (int i = 0; i < s->k; i++) {
        s->row[i] = state->rank->order[i];
        put_row(state, s->row[i], s->S + (size_t)(s->p + s->s + i) * n);
    }
    for (int i = (int)first; i < s->n; i++)
        scale_row(state, i);
    list_dependent(state);
}

/* The factors of B_d. False where it is singular. */
static bool factor_dependent(dal_speeds *s)
{
    const int m = s->n - units(s);
    for (int i = 0; i < m; i++) {
        const double *row = row_of(s, i);
        for (int j = 0; j < m; j++)
            s->lu[(size_t)i * (size_t)m + (size_t)j] = row[s->dependent[j]];
    }
    return m == 0 || dal_lu(s->lu, m, m, s->pivot) > 0;
}

/* b := B_d^-T b. With P B_d = L U: B_d^T = U^T L^T P. */
static void lu_transposed_solve(const dal_speeds *s, double *b)
{
    const int n = s->n - units(s);
    for (int i = 0; i < n; i++) {
        const double *row = s->lu + (size_t)i * (size_t)n;
        b[i] /= row[i];
        for (int j = i + 1; j < n; j++)
            b[j] -= b[i] * row[j];
    }
    for (int i = n - 1; i > 0; i--) {
        const double *row = s->lu + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            b[j] -= b[i] * row[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        double keep = b[i];
        b[i] = b[s->pivot[i]];
        b[s->pivot[i]] = keep;
    }
}

/* x: S_s x = b. b is overwritten. */
static void solve_scaled(const dal_state *state, double *b, double *x)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = units(s), m = s->n - first;
    double *rest = b + first;
    for (int i = 0; i < m && first; i++) {
        const double *row = row_of(s, i);
        for (int j = 0; j < first; j++)
            rest[i] -= row[state->speeds->column[j]] * b[j];
    }
    dal_lu_solve(s->lu, m, m, s->pivot, rest);
    for (int j = 0; j < first; j++)
        x[state->speeds->column[j]] = b[j];
    for (int i = 0; i < m; i++)
        x[s->dependent[i]] = rest[i];
}

/* y: S_s^T y = f. f is another vector, and stays. */
static void solve_scaled_transposed(const dal_state *state, const double *f, double *y)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = units(s), m = s->n - first;
    for (int i = 0; i < m; i++)
        y[first + i] = f[s->dependent[i]];
    lu_transposed_solve(s, y + first);
    for (int j = 0; j < first; j++)
        y[j] = f[state->speeds->column[j]];
    for (int i = 0; i < m && first; i++) {
        const double *row = row_of(s, i);
        for (int j = 0; j < first; j++)
            y[j] -= row[state->speeds->column[j]] * y[first + i];
    }
}

static double norm1(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* Largest sum of a column of |S_s|. */
static double norm_of_matrix(const dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    double *sum = s->x, most = 0;
    memset(sum, 0, sizeof *sum * (size_t)s->n);
    for (int j = 0; j < units(s); j++)
        sum[state->speeds->column[j]] = 1;
    for (int i = 0; i < s->n - units(s); i++) {
        const double *row = row_of(s, i);
        for (int j = 0; j < s->n; j++)
            sum[j] += fabs(row[j]);
    }
    for (int j = 0; j < s->n; j++)
        most = fmax(most, sum[j]);
    return most;
}

/* Hager's ascent: |S_s^-1| is the largest |S_s^-1 x| over |x| = 1, taken at a unit vector; a few steps find it nearly always. */
static double norm_of_inverse(const dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const int n = s->n;
    double *x = s->x, *y = s->b, *z = s->r, *b = s->bias, norm = 0; /* the bias is not known yet */
    for (int i = 0; i < n; i++)
        x[i] = 1.0 / n;
    for (int step = 0; step < 4; step++) {
        memcpy(b, x, sizeof *b * (size_t)n);
        solve_scaled(state, b, y);
        norm = fmax(norm, norm1(y, n));
        double along = 0;
        int most = 0;
        for (int i = 0; i < n; i++)
            b[i] = y[i] < 0 ? -1 : 1;
        solve_scaled_transposed(state, b, z);
        for (int i = 0; i < n; i++) {
            along += z[i] * x[i];
            most = fabs(z[i]) > fabs(z[most]) ? i : most;
        }
        if (!(fabs(z[most]) > along))
            break;
        memset(x, 0, sizeof *x * (size_t)n);
        x[most] = 1;
    }
    for (int i = 0; i < n; i++) /* Higham's safeguard: a vector that has no part in accidental cancellations */
        b[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
    solve_scaled(state, b, y);
    return fmax(norm, 2 * norm1(y, n) / (3 * n));
}

/* The sign of det B_d, from its factors: it changes where S is singular. */
static int side_of(const dal_speeds *s)
{
    const int m = s->n - units(s);
    int side = 1;
    for (int i = 0; i < m; i++) {
        side = s->lu[(size_t)i * (size_t)m + (size_t)i] < 0 ? -side : side;
        side = s->pivot[i] != i ? -side : side;
    }
    return side;
}

/* S at the present A and speeds; its condition, infinite if it is singular. Nothing but units: S_s is a permutation. Rows are at unit norm or,
 * speeds of the model, below it where they vanish: |S| is taken for 1 at least, so that such a row counts. */
static double factor(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    build(state);
    bool regular = factor_dependent(s);
    double condition = s->n == units(s) ? 1 : regular ? fmax(norm_of_matrix(state), 1) * norm_of_inverse(state) : INFINITY;
    state->speeds->side = side_of(s);
    return state->speeds->condition = condition > 0 ? fmax(condition, 1) : INFINITY; /* not-a-number as well */
}

/* Where rows are redundant, those of one position may depend on each other in another: others are taken. */
static void factor_with_good_rows(dal_state *state)
{
    double condition = factor(state);
    if (state->speeds->basis->k < state->system->layout.n_rows && condition > worse * state->speeds->ranked && state->speeds->ranked > 0) {
        dal_state_rank(state, state->system->rank);
        state->rank->changed++;
        state->speeds->ranked = condition = factor(state);
    }
    if (state->speeds->ranked == 0)
        state->speeds->ranked = condition;
}

static dal_flow fail(dal_state *state)
{
    const dal_system *system = state->system;
    char names[120] = "";
    if (!state->speeds->basis->fixed)
        return dal_state_fail_for(state, DAL_REASON_SPEEDS, "the constraints are singular at this position: no choice of speeds determines the velocities (condition %.1e)",
                              state->speeds->condition);
    for (int j = 0, at = 0; j < state->speeds->basis->p && at < (int)sizeof names; j++)
        at += snprintf(names + at, sizeof names - (size_t)at, "%s'%s'", j ? ", " : "", system->speed_names[state->speeds->column[j]]);
    return dal_state_fail_for(state, DAL_REASON_SPEEDS,
                          "the model's speeds %s do not determine the velocities here: [Y; A] is singular at this position or close to it "
                          "(condition %.1e); take other speeds, or leave the choice to the program",
                          names, state->speeds->condition);
}

/* Singular, or singular somewhere since the last accepted step: the determinant has changed its sign. */
static dal_flow check(dal_state *state)
{
    bool passed = state->speeds->side_kept && state->speeds->side != state->speeds->side_kept && state->system->formulation->unpack &&
                  !state->singular->near;
    if (passed && !state->speeds->basis->fixed)
        return dal_state_fail_for(state, DAL_REASON_SPEEDS, "within one step the speeds pass a position where they do not determine the velocities: take smaller steps");
    return passed || state->speeds->condition > (state->speeds->basis->fixed ? singular_fixed : singular_rows) ? fail(state) : 0;
}

static dal_flow prepare(dal_state *state)
{
    factor_with_good_rows(state);
    if (state->speeds->good == 0 || state->speeds->condition < state->speeds->good)
        state->speeds->good = state->speeds->condition;
    state->speeds->worst = fmax(state->speeds->worst, state->speeds->condition);
    return check(state);
}

dal_flow dal_speeds_ready(dal_state *state)
{
    return dal_has(state, DAL_STAGE_UNPACKED) && state->system->formulation->unpack ? check(state) : prepare(state);
}

/* out = b - S_s x */
static void remainder_of(const dal_state *state, const double *b, const double *x, double *out)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = units(s);
    for (int j = 0; j < first; j++)
        out[j] = b[j] - x[state->speeds->column[j]];
    for (int i = first; i < s->n; i++) {
        const double *row = s->S + (size_t)i * (size_t)s->n;
        out[i] = b[i];
        for (int j = 0; j < s->n; j++)
            out[i] -= row[j] * x[j];
    }
}

void dal_speeds_solve(const dal_state *state, double *x)
{
    const dal_speeds *s = state->speeds->basis;
    const int n = s->n;
    for (int i = 0; i < n; i++)
        s->x[i] = s->b[i] = s->row_scale[i] * x[i];
    solve_scaled(state, s->x, x);
    if (n > units(s)) { /* one step of refinement */
        remainder_of(state, s->b, x, s->r);
        solve_scaled(state, s->r, s->b);
        for (int j = 0; j < n; j++)
            x[j] += s->b[j];
    }
    for (int j = 0; j < n; j++)
        x[j] /= state->system->column_scale[j];
}

/* f := S^-T f. */
static void solve_transposed(const dal_state *state, double *f)
{
    const dal_speeds *s = state->speeds->basis;
    const int n = s->n, first = units(s);
    for (int j = 0; j < n; j++)
        f[j] /= state->system->column_scale[j];
    solve_scaled_transposed(state, f, s->b);
    for (int j = 0; j < first; j++) /* one step of refinement: f less S_s^T of what was found */
        f[state->speeds->column[j]] -= s->b[j];
    for (int i = first; i < n; i++) {
        const double *row = s->S + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++)
            f[j] -= row[j] * s->b[i];
    }
    solve_scaled_transposed(state, f, s->r);
    for (int i = 0; i < n; i++)
        f[i] = s->row_scale[i] * (s->b[i] + s->r[i]);
}

/* ---- the choice ---------------------------------------------------------------------- */

static double square_below(const double *column, int from, int rows)
{
    double sum = 0;
    for (int i = from; i < rows; i++)
        sum += column[i] * column[i];
    return sum;
}

/* Householder reflection that takes v (n entries, not zero) to a multiple of e_1, applied to x. v holds its vector, v.v = 2 half. */
static void reflect(const double *v, double half, double *x, int n)
{
    double dot = 0;
    for (int i = 0; i < n; i++)
        dot += v[i] * x[i];
    for (int i = 0; i < n; i++)
        x[i] -= dot / half * v[i];
}

static bool is_ignorable(const dal_state *state, int column)
{
    for (int i = 0; i < state->system->n_ignorable; i++)
        if (state->system->ignorable[i] == column)
            return true;
    return false;
}

/* The speeds that the rows below Y leave, into `trial`, ascending. Works on the S that was built last, whatever its Y. More rows, if
 * there are any, take the velocities whose momenta they are: their block of M is regular at every position, and A has nothing there. */
static void pick(const dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const int n = s->n, m = s->s + s->k;
    double *B = s->lu; /* by columns of m entries */
    for (int j = 0; j < n; j++) {
        s->trial[j] = 1; /* not determined yet */
        for (int i = 0; i < m; i++)
            B[(size_t)j * (size_t)m + (size_t)i] = s->S[(size_t)(s->p + i) * (size_t)n + (size_t)j];
    }
    for (int t = 0; t < m; t++) {
        int best = -1;
        double most = -1;
        for (int j = 0; j < n; j++) {
            const bool open = s->trial[j] && (t >= s->s || is_ignorable(state, j));
            double size = open ? square_below(B + (size_t)j * (size_t)m, t, m) : -1;
            if (open && (best < 0 || size > (1 + tie) * most)) {
                best = j;
                most = size;
            }
        }
        double *v = B + (size_t)best * (size_t)m + t, norm = sqrt(most);
        s->trial[best] = 0;
        if (!(norm > 0))
            continue;
        v[0] += v[0] < 0 ? -norm : norm;
        double half = 0.5 * square_below(v, 0, m - t);
        for (int j = 0; j < n; j++)
            if (s->trial[j])
                reflect(v, half, B + (size_t)j * (size_t)m + t, m - t);
    }
    for (int j = 0, at = 0; j < n; j++)
        if (s->trial[j])
            s->trial[at++] = j;
}

static bool same(const dal_state *state)
{
    return !memcmp(state->speeds->column, state->speeds->basis->trial, sizeof *state->speeds->column * (size_t)state->speeds->basis->p);
}

static void exchange(const dal_state *state)
{
    for (int j = 0; j < state->speeds->basis->p; j++) {
        int keep = state->speeds->column[j];
        state->speeds->column[j] = state->speeds->basis->trial[j];
        state->speeds->basis->trial[j] = keep;
    }
}

/* Is a speed of the model the rate of an ignorable coordinate, which its momentum gives? */
static bool is_given(const dal_state *state, int speed)
{
    const dal_layout *layout = &state->system->layout;
    const dal_row_layout *at = &layout->row[layout->n_rows + speed];
    int entries = 0, column = -1;
    for (int k = at->value; k < at->value + at->n_values; k++)
        if (state->work.A[k] != 0) {
            entries++;
            column = layout->column[k];
        }
    return entries == 1 && is_ignorable(state, column);
}

/* x := x less its part along q, which has unit norm. */
static void take_out(const double *q, double *x, int n)
{
    double dot = 0;
    for (int i = 0; i < n; i++)
        dot += q[i] * x[i];
    for (int i = 0; i < n; i++)
        x[i] -= dot * q[i];
}

/* The longest row of S that is not flagged in `trial`, of `all`. */
static int longest(const dal_speeds *s, int all)
{
    int best = -1;
    double most = -1;
    for (int i = 0; i < all; i++) {
        double size = s->trial[i] ? -1 : square_below(s->S + (size_t)i * (size_t)s->n, 0, s->n);
        if (size > (1 + tie) * most) {
            best = i;
            most = size;
        }
    }
    return best;
}

/* Of the model's speeds those that the rows [E; A_k] determine least, into `trial` as flags: of the rows Y, at unit norm and cleared of
 * all rows taken so far (Gram and Schmidt), always the longest. The rows taken stand in lu, at unit norm. */
static void pick_named(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const int n = s->n, more = s->s + s->k, all = state->system->layout.n_speeds;
    build(state);
    memcpy(s->lu, s->S + (size_t)s->p * (size_t)n, sizeof *s->S * (size_t)more * (size_t)n);
    memset(s->S, 0, sizeof *s->S * (size_t)all * (size_t)n);
    memset(s->trial, 0, sizeof *s->trial * (size_t)all);
    for (int i = 0; i < all; i++) {
        put_row(state, state->system->layout.n_rows + i, s->S + (size_t)i * (size_t)n);
        scale_row(state, i);
    }
    for (int t = 0; t < n; t++) {
        double *row = s->lu + (size_t)t * (size_t)n;
        if (t >= more) {
            int best = longest(s, all);
            memcpy(row, s->S + (size_t)best * (size_t)n, sizeof *row * (size_t)n);
            s->trial[best] = 1;
        }
        for (int i = 0; i < t; i++)
            take_out(s->lu + (size_t)i * (size_t)n, row, n);
        double norm = sqrt(square_below(row, 0, n));
        for (int i = 0; i < n && norm > 0; i++)
            row[i] /= norm;
        for (int i = 0; i < all; i++)
            take_out(row, s->S + (size_t)i * (size_t)n, n);
    }
}

/* The model names a speed for every freedom. Where the momenta take some of these away, the speeds that they give are left out; where
 * that is not the right number, those that go best with the momenta are taken, at the start and for good. */
static void take_named(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const int all = state->system->layout.n_speeds;
    int kept = 0;
    for (int i = 0; i < all; i++)
        kept += s->trial[i] = all == s->p || !is_given(state, i);
    for (int j = 0; j < s->p; j++)
        state->speeds->column[j] = j;
    if (kept != s->p)
        pick_named(state);
    for (int i = 0, at = 0; i < all && at < s->p; i++)
        if (s->trial[i])
            state->speeds->column[at++] = i;
}

/* The steepness of the choice: the largest |D_c W D_c^-1|, how fast a velocity becomes at most with a speed. In the columns
 * that suit best it is about 1, and it grows without bound where the speeds cease to determine the velocities: u' and W
 * there change so fast that a step of given length misses them, by 1/steepness to the power of the order. The condition of S
 * does not see it in time: it is that of the rows A as well, and may be a thousand without any speed. */
static double steepest(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const double *scale = state->system->column_scale;
    double most = 1;
    dal_speeds_basis(state);
    for (int j = 0; j < s->p; j++)
        for (int i = 0; i < s->n; i++)
            most = fmax(most, fabs(s->W[(size_t)j * (size_t)s->n + (size_t)i]) * scale[i] / scale[state->speeds->column[j]]);
    return most;
}

void dal_speeds_choose(dal_state *state)
{
    if (!state->speeds->basis)
        return;
    if (state->speeds->basis->fixed) {
        if (state->speeds->good == 0)
            take_named(state);
        if (state->speeds->good == 0)
            memset(state->speeds->basis->weight, 0, sizeof *state->speeds->basis->weight * (size_t)state->speeds->basis->n);
        return;
    }
    const bool first = state->speeds->good == 0;
    state->speeds->side_kept = 0;
    bool regular = factor(state) < singular_rows;
    double before = regular ? steepest(state) : INFINITY;
    pick(state);
    bool other = !same(state);
    if (other) {
        exchange(state);
        regular = factor(state) < singular_rows;
        if (!first && !(regular && before > clearly * steepest(state))) { /* not worth it */
            exchange(state);
            other = false;
        }
    }
    state->speeds->good = factor(state);
    state->speeds->steepness = state->speeds->good < singular_rows ? steepest(state) : 1;
    state->speeds->changed += other && !first;
}

dal_flow dal_speeds_watch(dal_state *state, bool *change)
{
    *change = false;
    if (!state->speeds->basis)
        return 0;
    dal_flow flow = state->speeds->basis->fixed ? check(state) : 0; /* automatic ones are changed */
    state->speeds->side_kept = state->speeds->side;
    if (flow || state->speeds->basis->fixed)
        return flow;
    const double now = steepest(state);
    state->speeds->steepness = fmin(state->speeds->steepness, now);
    if (!(now > tired * state->speeds->steepness))
        return 0;
    pick(state); /* spoils the factors: they are made again */
    factor_dependent(state->speeds->basis);
    *change = !same(state);
    if (!*change)
        state->speeds->steepness = now; /* it is the rows: nothing better is to be had */
    return 0;
}

/* ---- velocities ------------------------------------------------------------------------ */

/* Z of speed j. */
static double offset(const dal_state *state, int j)
{
    const dal_layout *layout = &state->system->layout;
    return state->speeds->basis->fixed ? dal_row_free(layout, &state->work, &layout->mechanism->speeds[layout->row[named(state, j)].source]) : 0;
}

/* beta of a row, less alpha phi. */
static double drive(const dal_state *state, int row)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double beta = row < layout->n_extrinsic ? -dal_row_free(layout, &state->work, &layout->mechanism->rows[layout->row[row].source]) : 0;
    return system->stabilization->stabilises_gamma ? beta - system->alpha * state->work.phi[row] : beta;
}

dal_flow dal_speeds_unpack(dal_state *state, const double *u)
{
    dal_speeds *s = state->speeds->basis;
    double *v = state->work.v;
    dal_flow flow = prepare(state);
    if (flow)
        return flow;
    for (int j = 0; j < s->p; j++)
        v[j] = u[j] - offset(state, j);
    for (int i = 0; i < s->s; i++)
        v[s->p + i] = s->e[i];
    for (int i = 0; i < s->k; i++)
        v[s->p + s->s + i] = drive(state, s->row[i]);
    dal_speeds_solve(state, v);
    return 0;
}

dal_flow dal_speeds_pack(dal_state *state, double *u)
{
    const dal_layout *layout = &state->system->layout;
    const dal_speeds *s = state->speeds->basis;
    for (int j = 0; j < s->p; j++) {
        if (!s->fixed) {
            u[j] = state->work.v[state->speeds->column[j]];
            continue;
        }
        const dal_row_layout *at = &layout->row[named(state, j)];
        u[j] = offset(state, j);
        for (int k = at->value; k < at->value + at->n_values; k++)
            u[j] += state->work.A[k] * state->work.v[layout->column[k]];
    }
    return 0;
}

/* |Y_jk| times the unit of v_k, the largest. */
double dal_speeds_unit(const dal_state *state, int j)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    if (!state->speeds->basis->fixed)
        return system->length / system->column_scale[state->speeds->column[j]];
    const dal_row_layout *at = &layout->row[named(state, j)];
    double unit = 0;
    for (int k = at->value; k < at->value + at->n_values; k++)
        unit = fmax(unit, fabs(state->work.A[k]) * system->length / system->column_scale[layout->column[k]]);
    return unit > 0 && isfinite(unit) ? unit : 1;
}

/* ---- W, W', bias ------------------------------------------------------------------------- */

dal_direction dal_speeds_column(const dal_state *state, int j)
{
    const dal_speeds *s = state->speeds->basis;
    return (dal_direction){s->W + (size_t)j * (size_t)s->n, 0, s->T + (size_t)j * (size_t)state->system->mechanism.n_bodies};
}

/* to -= factor * row, p numbers. */
static void subtract_row(double *to, double factor, const double *row, int p)
{
    for (int k = 0; k < p; k++)
        to[k] -= factor * row[k];
}

/* sides := B_d^-1 sides, p right sides at a time, by rows. B_d is sparse, and so are its factors: zeros are left out. */
static void solve_sides(const dal_speeds *s)
{
    const int m = s->n - units(s), p = s->p;
    for (int i = 0; i < m; i++) { /* exchange rows */
        double *row = s->sides + (size_t)i * (size_t)p, *other = s->sides + (size_t)s->pivot[i] * (size_t)p;
        for (int k = 0; k < p && other != row; k++) {
            double keep = row[k];
            row[k] = other[k];
            other[k] = keep;
        }
    }
    for (int i = 1; i < m; i++) { /* L^-1 */
        const double *L = s->lu + (size_t)i * (size_t)m;
        for (int j = 0; j < i; j++)
            if (L[j] != 0)
                subtract_row(s->sides + (size_t)i * (size_t)p, L[j], s->sides + (size_t)j * (size_t)p, p);
    }
    for (int i = m - 1; i >= 0; i--) { /* U^-1 */
        const double *U = s->lu + (size_t)i * (size_t)m;
        double *row = s->sides + (size_t)i * (size_t)p;
        for (int j = i + 1; j < m; j++)
            if (U[j] != 0)
                subtract_row(row, U[j], s->sides + (size_t)j * (size_t)p, p);
        for (int k = 0; k < p; k++)
            row[k] /= U[i];
    }
}

/* Column j becomes right side j: b in the columns c, and b' - B_c b. */
static void take_side(const dal_state *state, int j, double *column)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = units(s), m = s->n - first;
    const size_t p = (size_t)s->p;
    double *side = s->sides + j;
    for (int i = 0; i < m; i++)
        side[(size_t)i * p] = s->row_scale[first + i] * column[first + i];
    memcpy(s->x, column, sizeof *column * (size_t)first);
    memset(column, 0, sizeof *column * (size_t)s->n);
    for (int l = 0; l < first; l++) {
        const int c = state->speeds->column[l];
        column[c] = s->x[l];
        for (int i = 0; i < m && s->x[l] != 0; i++)
            side[(size_t)i * p] -= row_of(s, i)[c] * s->row_scale[l] * s->x[l];
    }
}

void dal_speeds_solve_columns(const dal_state *state, double *columns)
{
    const dal_speeds *s = state->speeds->basis;
    for (int j = 0; j < s->p; j++)
        take_side(state, j, columns + (size_t)j * (size_t)s->n);
    solve_sides(s);
    for (int i = 0; i < s->n - units(s); i++) {
        const int at = s->dependent[i];
        const double *side = s->sides + (size_t)i * (size_t)s->p;
        for (int j = 0; j < s->p; j++)
            columns[(size_t)j * (size_t)s->n + (size_t)at] = side[j] / state->system->column_scale[at];
    }
}

/* S W = [1; 0; 0] */
void dal_speeds_basis(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    memset(s->W, 0, sizeof *s->W * (size_t)s->p * (size_t)s->n);
    for (int j = 0; j < s->p; j++)
        s->W[(size_t)j * (size_t)s->n + (size_t)j] = 1;
    dal_speeds_solve_columns(state, s->W);
}

void dal_speeds_columns(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_speeds_basis(state);
    for (int j = 0; j < state->speeds->basis->p; j++) {
        dal_direction along = dal_speeds_column(state, j);
        layout->family->tangent(layout, &state->work, &along);
    }
}

bool dal_speeds_constant(const dal_state *state)
{
    return state->speeds->basis->n == units(state->speeds->basis);
}

void dal_speeds_bend(dal_state *state, const dal_direction *a, const dal_direction *b, const dal_bend *bend, double *out)
{
    const dal_layout *layout = &state->system->layout;
    dal_speeds *s = state->speeds->basis;
    if (dal_speeds_constant(state)) {
        memset(out, 0, sizeof *out * (size_t)s->n);
        return;
    }
    dal_rows_bend(layout, &state->work, a, b, bend, s->bent);
    for (int j = 0; j < s->p; j++)
        out[j] = s->fixed ? s->bent[named(state, j)] : 0;
    if (s->s)
        state->system->formulation->more->bend(state, a, b, bend, out + s->p);
    for (int i = 0; i < s->k; i++)
        out[s->p + s->s + i] = s->bent[s->row[i]];
}

dal_direction dal_speeds_motion(const dal_state *state)
{
    return (dal_direction){state->work.v, 1, state->speeds->basis->motion};
}

static dal_direction find_motion(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_direction along = dal_speeds_motion(state);
    layout->family->tangent(layout, &state->work, &along);
    return along;
}

/* S W_j' = -D_v [S W_j] */
void dal_speeds_rates(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_speeds *s = state->speeds->basis;
    dal_direction a = find_motion(state);
    for (int j = 0; j < s->p; j++) {
        double *Wd = s->Wd + (size_t)j * (size_t)s->n;
        dal_direction b = dal_speeds_column(state, j);
        dal_bend *bend = dal_speeds_column_bend(state, j);
        layout->family->bend(layout, &state->work, &a, &b, bend);
        dal_speeds_bend(state, &a, &b, bend, Wd);
        for (int i = 0; i < s->n; i++)
            Wd[i] = -Wd[i];
    }
    if (dal_speeds_constant(state))
        return;
    dal_speeds_solve_columns(state, s->Wd);
    for (int j = 0; j < s->p; j++) {
        dal_direction Wd = {s->Wd + (size_t)j * (size_t)s->n, 0, s->Td + (size_t)j * (size_t)layout->mechanism->n_bodies};
        layout->family->tangent(layout, &state->work, &Wd);
    }
}

/* What the bias does to the bodies: c'' and w' for u' = 0. */
static void rates_of_bodies(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const dal_direction along = {state->speeds->basis->bias, 0, state->scratch->tangents};
    layout->family->tangent(layout, &state->work, &along);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        struct dal_body_rate *rate = &state->speeds->basis->rate[b];
        double bias[3];
        dal_center_along(body, &along.tangent[b], rate->c);
        dal_turn(kin->Rb, body->center, bias);
        for (int i = 0; i < 3; i++) {
            rate->c[i] += bias[i] + kin->rb[i];
            rate->w[i] = along.tangent[b].w[i] + kin->wb[i];
        }
    }
}

void dal_speeds_held(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    dal_speeds *s = state->speeds->basis;
    if (s->s) {
        dal_direction a = find_motion(state);
        layout->family->bend(layout, &state->work, &a, &a, state->scratch->bends);
        state->system->formulation->more->bend(state, &a, &a, state->scratch->bends, s->bias + s->p);
    }
    for (int j = 0; j < s->p; j++)
        s->bias[j] = s->fixed ? state->work.gamma[named(state, j)] : 0;
    for (int i = 0; i < s->s; i++)
        s->bias[s->p + i] = -s->bias[s->p + i];
    for (int i = 0; i < s->k; i++)
        s->bias[s->p + s->s + i] = state->gamma[s->row[i]];
    dal_speeds_solve(state, s->bias);
}

void dal_speeds_bias(dal_state *state)
{
    dal_speeds_held(state);
    rates_of_bodies(state);
}

void dal_speeds_partials(const dal_state *state, int body, double *c, double *w)
{
    const dal_mechanism *m = &state->system->mechanism;
    for (int j = 0; j < state->speeds->basis->p; j++) {
        const dal_tangent *T = &state->speeds->basis->T[(size_t)j * (size_t)m->n_bodies + (size_t)body];
        dal_center_along(&m->bodies[body], T, c + 3 * j);
        dal_copy3(T->w, w + 3 * j);
    }
}

int dal_speeds_moving(int p, const double *c, const double *w, int *moving)
{
    int n = 0;
    for (int j = 0; j < p; j++, c += 3, w += 3)
        if (c[0] != 0 || c[1] != 0 || c[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0)
            moving[n++] = j;
    return n;
}

void dal_speeds_partial_rates(const dal_state *state, int j, int body, double cd[3], double wd[3])
{
    const dal_mechanism *m = &state->system->mechanism;
    const dal_bend *held = &dal_speeds_column_bend(state, j)[body];
    dal_center_bend(&m->bodies[body], held, cd);
    dal_copy3(held->wb, wd);
    if (dal_speeds_constant(state))
        return;
    const dal_tangent *Td = &state->speeds->basis->Td[(size_t)j * (size_t)m->n_bodies + (size_t)body];
    double by_W[3];
    dal_center_along(&m->bodies[body], Td, by_W);
    dal_axpy3(1, by_W, cd);
    dal_axpy3(1, Td->w, wd);
}

/* ---- forces, the end of every formulation ------------------------------------------------- */

/* (9) of `volterra-reduced`, with each body's wrench at r and the forces given on coordinates. */
double dal_speeds_force(const dal_state *state, int j)
{
    const dal_speeds *s = state->speeds->basis;
    const dal_direction along = dal_speeds_column(state, j);
    double U = 0;
    for (int b = 0; b < state->system->mechanism.n_bodies; b++)
        U += dal_dot(state->work.force + 6 * b, along.tangent[b].rd) + dal_dot(state->work.force + 6 * b + 3, along.tangent[b].w);
    for (int i = 0; i < s->n; i++)
        U += state->work.direct[i] * along.a[i];
    return U;
}

/* lambda of S^T [mu; lambda] = f; f is overwritten. */
static void take_multipliers(dal_state *state, double *f, double *lambda)
{
    const dal_speeds *s = state->speeds->basis;
    memset(lambda, 0, sizeof *lambda * (size_t)state->system->layout.n_rows);
    if (!s->k)
        return;
    solve_transposed(state, f);
    for (int i = 0; i < s->k; i++)
        lambda[s->row[i]] = f[s->p + s->s + i];
}

void dal_speeds_multipliers(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    double *f = s->x;
    dal_mass_times(&state->system->layout, state->work.M, state->vd, f);
    for (int i = 0; i < s->n; i++)
        f[i] += state->work.h[i] - state->work.Q[i];
    take_multipliers(state, f, state->lambda);
}

static dal_flow fail_inertia(dal_state *state, int j)
{
    char name[100];
    if (state->speeds->basis->fixed)
        snprintf(name, sizeof name, "'%s'", state->system->speed_names[state->speeds->column[j]]);
    else
        dal_velocity_name(state->system, state->speeds->column[j], name, sizeof name);
    return dal_state_fail_for(state, DAL_REASON_SINGULAR_EQUATIONS, "the equations of motion are singular: no inertia resists the motion of the speed %s that the constraints leave free", name);
}

/* x := K^-1 x, by the factor at unit diagonal. */
static void divide_by_inertia(const dal_speeds *s, double *x)
{
    const size_t p = (size_t)s->p;
    for (size_t i = 0; i < p; i++)
        x[i] /= sqrt(s->K[i * p + i]);
    dal_cholesky_solve(s->L, s->p, s->p, x);
    for (size_t i = 0; i < p; i++)
        x[i] /= sqrt(s->K[i * p + i]);
}

/* K u' = f, at unit diagonal: whether K is singular does not depend on units. */
static dal_flow solve_inertia(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const size_t p = (size_t)s->p;
    double *scale = s->x;
    int where;
    for (size_t i = 0; i < p; i++) {
        double diagonal = s->K[i * p + i];
        if (!(diagonal > 0))
            return fail_inertia(state, (int)i);
        scale[i] = 1 / sqrt(diagonal);
        for (size_t j = 0; j <= i; j++)
            s->L[i * p + j] = scale[i] * scale[j] * s->K[i * p + j];
    }
    if (!dal_cholesky(s->L, s->p, s->p, no_inertia, &where))
        return fail_inertia(state, where);
    memcpy(state->speeds->wd, s->f, sizeof *s->f * p);
    divide_by_inertia(s, state->speeds->wd);
    return 0;
}

void dal_speeds_combine(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    memcpy(state->vd, s->bias, sizeof *s->bias * (size_t)s->n);
    for (int j = 0; j < s->p; j++)
        for (int i = 0; i < s->n; i++)
            state->vd[i] += state->speeds->wd[j] * s->W[(size_t)j * (size_t)s->n + (size_t)i];
}

dal_flow dal_speeds_finish(dal_state *state)
{
    dal_flow flow = solve_inertia(state);
    if (flow)
        return flow;
    dal_speeds_combine(state);
    dal_speeds_multipliers(state);
    return 0;
}

/* dv = W du + c,   S c = [0; f of the ignorable coordinates, whose momenta E = M' are; b],   K du = W^T (f - M c). */
void dal_speeds_correct(dal_state *state, const double *f, const double *b, double *dv, double *dlambda)
{
    const dal_system *system = state->system;
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n;
    double *du = s->sides, *rest = s->r;
    memset(dv, 0, sizeof *dv * n);
    for (int i = 0; i < s->s; i++)
        dv[s->p + i] = f[system->ignorable[i]];
    for (int i = 0; i < s->k; i++)
        dv[s->p + s->s + i] = b[s->row[i]];
    dal_speeds_solve(state, dv);
    dal_mass_times(&system->layout, state->work.M, dv, rest);
    for (int j = 0; j < s->p; j++) {
        du[j] = 0;
        for (size_t i = 0; i < n; i++)
            du[j] += s->W[(size_t)j * n + i] * (f[i] - rest[i]);
    }
    divide_by_inertia(s, du);
    for (int j = 0; j < s->p; j++) {
        state->speeds->wd[j] += du[j];
        for (size_t i = 0; i < n; i++)
            dv[i] += du[j] * s->W[(size_t)j * n + i];
    }
    dal_mass_times(&system->layout, state->work.M, dv, s->x);
    for (size_t i = 0; i < n; i++)
        s->x[i] -= f[i];
    take_multipliers(state, s->x, dlambda);
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void lay_speeds(dal_block *block, const dal_system *system, dal_state *state)
{
    dal_speed_choice local, *speeds = DAL_LAY_PART(block, state->speeds, local);
    DAL_LAY(block, speeds->column, system->layout.nv);
    DAL_LAY(block, speeds->wd, system->n_w);
    DAL_LAY(block, speeds->momenta, system->n_ignorable);
    if (system->formulation->chooses)
        lay_basis(block, system, &speeds->basis);
}

static void reset_speeds(dal_state *state)
{
    const dal_system *system = state->system;
    dal_speed_choice *speeds = state->speeds;
    speeds->changed = 0;
    speeds->side_kept = 0;
    speeds->condition = speeds->worst = speeds->steepness = 1;
    speeds->good = speeds->ranked = 0;
    if (system->start_speeds)
        memcpy(speeds->column, system->start_speeds, sizeof *speeds->column * (size_t)(system->layout.nv - system->rank));
}

/* (26): G = M' v + N_2 at the start, in other words the momenta of the ignorable coordinates; then automatic speeds that suit this
 * position, those of the model that go with the momenta. */
static void start_speeds(dal_state *state)
{
    if (state->system->formulation->ignores) {
        dal_state_position(state);
        dal_state_velocity(state);
        dal_state_momenta(state, state->speeds->momenta, NULL);
    }
    if (!state->system->formulation->chooses)
        return;
    state->speeds->good = state->speeds->ranked = 0;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_speeds_choose(state);
}

static void copy_speeds(const dal_state *from, dal_state *to)
{
    const dal_system *system = from->system;
    memcpy(to->speeds->column, from->speeds->column, sizeof *to->speeds->column * (size_t)system->layout.nv);
    memcpy(to->speeds->momenta, from->speeds->momenta, sizeof *to->speeds->momenta * (size_t)system->n_ignorable);
}

const dal_owner dal_speeds_owner = {.lay = lay_speeds, .reset = reset_speeds, .start = start_speeds, .copy = copy_speeds};
