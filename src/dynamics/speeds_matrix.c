/* The matrix S = [Y; E; A_k] of the speeds: filled, scaled, factored and solved (its purpose: speeds.h).
 *
 * S is scaled: rows at unit norm, columns divided by the displacement of a unit of the velocity. With D_r and D_c these scales,
 *   S_s = D_r S D_c^-1,   S x = b  <=>  S_s (D_c x) = D_r b,   S^T y = f  <=>  S_s^T (D_r^-1 y) = D_c^-1 f.
 * Automatic speeds are velocities, the columns c of S: their rows of S_s are rows of the unit matrix, and only the columns d that they
 * leave are solved for. With B = [B_c B_d] the other rows of S_s,
 *   S_s x = [b; b']  <=>  x_c = b,  B_d x_d = b' - B_c b,      S_s^T [y; y'] = f  <=>  B_d^T y' = f_d,  y = f_c - B_c^T y'
 * and B_d, which is the whole of S_s for speeds of the model, is what is factored: P B_d = L U. Single solutions get one step of iterative
 * refinement where the pivots differ.
 */
#include "dynamics/speeds_matrix.h"
#include "dynamics/row_rank.h"
#include "math/dense.h"
#include "state/scale.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

/* ---- S and its factors ------------------------------------------------------------ */

/* Row i of A, the columns scaled. */
void dal_speeds_scatter_row(const dal_state *state, int i, double *out)
{
    const dal_layout *layout = state->layout;
    const dal_row_layout *at = &layout->row[i];
    for (int k = at->value; k < at->value + at->n_values; k++)
        out[layout->column[k]] += state->work.A[k] / layout->units.column_scale[layout->column[k]];
}

/* The square of what the row of speed i of the model may become when the position changes by about the size of the model: its factors, and
 * their slopes, on the bodies. Asked once. */
static double reach_of(const dal_state *state, int i)
{
    const dal_layout *layout = state->layout;
    if (state->speeds->basis->weight[i] > 0)
        return 0;
    double reach = dal_row_reach(state, &layout->mechanism->speeds[layout->row[dal_speeds_named_row(state, i)].source]);
    return reach * reach;
}

/* Row i of S is filled: it gets unit norm. */
void dal_speeds_scale_row(const dal_state *state, int i)
{
    dal_speeds *s = state->speeds->basis;
    double *row = s->S + (size_t)i * (size_t)s->n, sum = 0;
    for (int j = 0; j < s->n; j++)
        sum += row[j] * row[j];
    if (s->fixed && i < s->p) /* a speed that vanishes must be detected: it is divided by its largest norm so far */
        sum = s->weight[i] = fmax(s->weight[i], fmax(sum, reach_of(state, i)));
    s->row_scale[i] = sum > 0 ? 1 / sqrt(sum) : 1;
    for (int j = 0; j < s->n; j++)
        row[j] *= s->row_scale[i];
}

/* The columns that the speeds leave, ascending; all of them for speeds of the model. */
static void list_dependent_columns(const dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    int *taken = s->pivot; /* the factors are not made yet */
    memset(taken, 0, sizeof *taken * (size_t)s->n);
    for (int j = 0; j < dal_speeds_units(s); j++)
        taken[state->speeds->column[j]] = 1;
    for (int j = 0, at = 0; j < s->n; j++)
        if (!taken[j])
            s->dependent[at++] = j;
}

/* Row i of A becomes row `at` of S, at unit norm: only its entries are read. */
static void put_row(const dal_state *state, int i, int at)
{
    const dal_layout *layout = state->layout;
    const dal_row_layout *in = &layout->row[i];
    const int *column = layout->column + in->value, entries = in->n_values;
    const double *A = state->work.A + in->value, *scale = layout->units.column_scale;
    dal_speeds *s = state->speeds->basis;
    double *row = s->S + (size_t)at * (size_t)s->n, sum = 0;
    for (int k = 0; k < entries; k++) {
        const double value = A[k] / scale[column[k]];
        row[column[k]] = value;
        sum += value * value;
    }
    s->row_scale[at] = sum > 0 ? 1 / sqrt(sum) : 1;
    for (int k = 0; k < entries; k++)
        row[column[k]] *= s->row_scale[at];
}

/* Other rows, or other speeds: other entries of S are zero. */
static void set_shape(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n, first = (size_t)dal_speeds_units(s);
    if (first < n) /* there are rows that are stored */
        memset(s->S + first * n, 0, sizeof *s->S * (n - first) * n);
    for (int i = 0; i < s->k; i++)
        s->row[i] = state->rank->order[i];
    memcpy(s->shape, state->speeds->column, sizeof *s->shape * (size_t)s->p);
    list_dependent_columns(state);
    dal_known_lu_forget(&s->known);
    s->shaped = true;
}

static bool has_shape(const dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    return s->shaped && !memcmp(s->row, state->rank->order, sizeof *s->row * (size_t)s->k) &&
           !memcmp(s->shape, state->speeds->column, sizeof *s->shape * (size_t)s->p);
}

void dal_speeds_build(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n, first = (size_t)dal_speeds_units(s);
    s->has_W = false;
    if (!has_shape(state))
        set_shape(state);
    if (s->fixed)
        memset(s->S, 0, sizeof *s->S * (size_t)s->p * n);
    for (int j = 0; j < s->p; j++)
        if (s->fixed)
            dal_speeds_scatter_row(state, dal_speeds_named_row(state, j), s->S + (size_t)j * n);
        else
            s->row_scale[j] = state->layout->units.column_scale[state->speeds->column[j]];
    if (s->s)
        s->more->rows(state, s->E, s->e);
    for (size_t i = 0; i < (size_t)s->s; i++)
        for (size_t j = 0; j < n; j++)
            s->S[((size_t)s->p + i) * n + j] = s->E[i * n + j] / state->layout->units.column_scale[j];
    for (int i = (int)first; i < s->p + s->s; i++)
        dal_speeds_scale_row(state, i);
    for (int i = 0; i < s->k; i++)
        put_row(state, s->row[i], s->p + s->s + i);
}

/* Where entry i, j of B_d stands in S. Entries beside those of the rows of A are zero: -1. */
static void list_places(const dal_state *state, int *at)
{
    const dal_layout *layout = state->layout;
    const dal_speeds *s = state->speeds->basis;
    const int first = dal_speeds_units(s), m = s->n - first;
    for (int i = 0; i < m; i++) {
        const dal_row_layout *in = first + i < s->p + s->s ? NULL : &layout->row[s->row[first + i - s->p - s->s]];
        for (int j = 0; j < m; j++) {
            bool there = !in;
            for (int k = 0; in && k < in->n_values; k++)
                there |= layout->column[in->value + k] == s->dependent[j];
            at[m * i + j] = there ? s->n * (first + i) + s->dependent[j] : -1;
        }
    }
}

static bool factor_in_lists(dal_speeds *s)
{
    s->listed = dal_known_lu_factor(&s->known, s->S);
    if (s->listed)
        s->ratio = s->known.ratio;
    return s->listed;
}

/* The factors of B_d. False where it is singular. */
bool dal_speeds_factor_dependent(const dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const int m = s->n - dal_speeds_units(s);
    int at[DAL_KNOWN_LU_MOST * DAL_KNOWN_LU_MOST];
    if (factor_in_lists(s))
        return true;
    for (int i = 0; i < m; i++) {
        const double *row = dal_speeds_row(s, i);
        for (int j = 0; j < m; j++)
            s->lu[(size_t)i * (size_t)m + (size_t)j] = row[s->dependent[j]];
    }
    s->ratio = m == 0 ? 1 : dal_lu(s->lu, m, m, s->pivot);
    if (!(s->ratio > 0) || !s->known.n)
        return s->ratio > 0;
    list_places(state, at);
    dal_known_lu_make(&s->known, s->S, at, s->pivot);
    factor_in_lists(s);
    return true;
}

bool dal_speeds_negative(const dal_speeds *s)
{
    const int m = s->n - dal_speeds_units(s);
    return s->listed ? dal_known_lu_negative(&s->known) : dal_lu_negative(s->lu, m, m, s->pivot);
}

/* ---- solutions with the factors of B_d ---------------------------------------------- */

/* b := B_d^-1 b */
static void solve_lu(const dal_speeds *s, double *b)
{
    const int m = s->n - dal_speeds_units(s);
    if (s->listed)
        dal_known_lu_solve(&s->known, b, s->lu);
    else
        dal_lu_solve(s->lu, m, m, s->pivot, b);
}

/* b := B_d^-T b. With P B_d = L U: B_d^T = U^T L^T P. */
static void solve_lu_transposed(const dal_speeds *s, double *b)
{
    const int n = s->n - dal_speeds_units(s);
    if (s->listed) {
        dal_known_lu_solve_transposed(&s->known, b, s->lu);
        return;
    }
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
void dal_speeds_solve_scaled(const dal_state *state, double *b, double *x)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = dal_speeds_units(s), m = s->n - first;
    double *rest = b + first;
    for (int j = 0; j < (m ? first : 0); j++) {
        const double *entry = dal_speeds_row(s, 0) + state->speeds->column[j], by = b[j];
        for (int i = 0; i < m && by != 0; i++, entry += s->n)
            rest[i] -= *entry * by;
    }
    solve_lu(s, rest);
    for (int j = 0; j < first; j++)
        x[state->speeds->column[j]] = b[j];
    for (int i = 0; i < m; i++)
        x[s->dependent[i]] = rest[i];
}

/* y: S_s^T y = f. f is another vector, and stays. */
void dal_speeds_solve_scaled_transposed(const dal_state *state, const double *f, double *y)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = dal_speeds_units(s), m = s->n - first;
    for (int i = 0; i < m; i++)
        y[first + i] = f[s->dependent[i]];
    solve_lu_transposed(s, y + first);
    for (int j = 0; j < first; j++)
        y[j] = f[state->speeds->column[j]];
    const double *row = m ? dal_speeds_row(s, 0) : NULL;
    for (int i = 0; i < m && first; i++, row += s->n)
        for (int j = 0; j < first; j++)
            y[j] -= row[state->speeds->column[j]] * y[first + i];
}

/* ---- solutions with S ----------------------------------------------------------------- */

/* out = b - S_s x */
static void residual_of(const dal_state *state, const double *b, const double *x, double *out)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = dal_speeds_units(s);
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
    dal_speeds_solve_scaled(state, s->x, x);
    if (n > dal_speeds_units(s) && !dal_speeds_good_pivots(s)) { /* one step of refinement */
        residual_of(state, s->b, x, s->r);
        dal_speeds_solve_scaled(state, s->r, s->b);
        for (int j = 0; j < n; j++)
            x[j] += s->b[j];
    }
    for (int j = 0; j < n; j++)
        x[j] /= state->layout->units.column_scale[j];
}

/* f := S^-T f. */
void dal_speeds_solve_transposed(const dal_state *state, double *f)
{
    const dal_speeds *s = state->speeds->basis;
    const int n = s->n, first = dal_speeds_units(s);
    for (int j = 0; j < n; j++)
        f[j] /= state->layout->units.column_scale[j];
    dal_speeds_solve_scaled_transposed(state, f, s->b);
    if (dal_speeds_good_pivots(s)) {
        for (int i = 0; i < n; i++)
            f[i] = s->row_scale[i] * s->b[i];
        return;
    }
    for (int j = 0; j < first; j++) /* one step of refinement: f less S_s^T of what was found */
        f[state->speeds->column[j]] -= s->b[j];
    for (int i = first; i < n; i++) {
        const double *row = s->S + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++)
            f[j] -= row[j] * s->b[i];
    }
    dal_speeds_solve_scaled_transposed(state, f, s->r);
    for (int i = 0; i < n; i++)
        f[i] = s->row_scale[i] * (s->b[i] + s->r[i]);
}

/* ---- p solutions at once ---------------------------------------------------------------- */

/* to -= factor * row, p numbers. */
static void subtract_row(double *to, double factor, const double *row, int p)
{
    for (int k = 0; k < p; k++)
        to[k] -= factor * row[k];
}

/* sides := B_d^-1 sides, p right sides at a time, by rows. B_d is sparse, and so are its factors: zeros are skipped. */
static void solve_right_sides(const dal_speeds *s)
{
    const int m = s->n - dal_speeds_units(s), p = s->p;
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

/* The same with the factors in lists. */
static void solve_in_lists(const dal_speeds *s)
{
    const dal_known_lu *lu = &s->known;
    const int p = s->p;
    double *x = s->sides, *y = s->lu;
    for (int r = 0; r < lu->n; r++) { /* y = L^-1 P x */
        double *to = y + (size_t)r * (size_t)p;
        memcpy(to, x + (size_t)lu->row[r] * (size_t)p, sizeof *to * (size_t)p);
        for (int e = lu->start[r]; e < lu->diagonal[r]; e++)
            subtract_row(to, lu->value[e], y + (size_t)lu->column[e] * (size_t)p, p);
    }
    for (int r = lu->n - 1; r >= 0; r--) { /* x = U^-1 y */
        double *to = x + (size_t)r * (size_t)p;
        memcpy(to, y + (size_t)r * (size_t)p, sizeof *to * (size_t)p);
        for (int e = lu->diagonal[r] + 1; e < lu->start[r + 1]; e++)
            subtract_row(to, lu->value[e], x + (size_t)lu->column[e] * (size_t)p, p);
        for (int k = 0; k < p; k++)
            to[k] /= lu->value[lu->diagonal[r]];
    }
}

/* Column j becomes right side j: b in the columns c, and b' - B_c b. */
static void set_right_side(const dal_state *state, int j, double *column)
{
    const dal_speeds *s = state->speeds->basis;
    const int first = dal_speeds_units(s), m = s->n - first;
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
            side[(size_t)i * p] -= dal_speeds_row(s, i)[c] * s->row_scale[l] * s->x[l];
    }
}

void dal_speeds_solve_columns(const dal_state *state, double *columns)
{
    const dal_speeds *s = state->speeds->basis;
    for (int j = 0; j < s->p; j++)
        set_right_side(state, j, columns + (size_t)j * (size_t)s->n);
    if (s->p == 1)
        solve_lu(s, s->sides);
    else
        (s->listed ? solve_in_lists : solve_right_sides)(s);
    for (int i = 0; i < s->n - dal_speeds_units(s); i++) {
        const int at = s->dependent[i];
        const double *side = s->sides + (size_t)i * (size_t)s->p;
        for (int j = 0; j < s->p; j++)
            columns[(size_t)j * (size_t)s->n + (size_t)at] = side[j] / state->layout->units.column_scale[at];
    }
}
