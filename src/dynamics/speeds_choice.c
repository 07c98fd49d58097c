/* The choice of speeds: which velocities, or which of the model's speeds, become u.
 *
 * Automatic speeds are p of the velocities. QR with column pivoting of the scaled [E; A_k] (Golub and Van Loan, Matrix Computations, 5.4.2)
 * finds the columns that the rows determine best; the velocities that are left are the speeds. They are chosen again between steps, where
 * their steepness max |D_c W D_c^-1| has grown.
 *
 * Speeds of the model are fixed. Where momenta of ignorable coordinates replace some of them, those that [E; A_k] determine least are kept.
 */
#include "dynamics/speeds_matrix.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

static const double steepness_growth = 2; /* growth of the steepness since the speeds were chosen that calls for others, between steps */
static const double steepness_gain = 1.5; /* by how much another choice has to be less steep */
static const double tie_tolerance = 1e-9; /* pivots that differ by less are equal: the first one is chosen on every machine */

static double squared_norm_below(const double *column, int from, int rows)
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
    for (int i = 0; i < state->layout->n_ignorable; i++)
        if (state->layout->ignorable[i] == column)
            return true;
    return false;
}

/* The speeds that the rows below Y leave, into `trial`, ascending. Works on the S that was built last, whatever its Y. More rows, if
 * there are any, take the velocities whose momenta they are: their block of M is regular at every position, and A has nothing there. */
static void choose_automatic(const dal_state *state)
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
            double size = open ? squared_norm_below(B + (size_t)j * (size_t)m, t, m) : -1;
            if (open && (best < 0 || size > (1 + tie_tolerance) * most)) {
                best = j;
                most = size;
            }
        }
        double *v = B + (size_t)best * (size_t)m + t, norm = sqrt(most);
        s->trial[best] = 0;
        if (!(norm > 0))
            continue;
        v[0] += v[0] < 0 ? -norm : norm;
        double half = 0.5 * squared_norm_below(v, 0, m - t);
        for (int j = 0; j < n; j++)
            if (s->trial[j])
                reflect(v, half, B + (size_t)j * (size_t)m + t, m - t);
    }
    for (int j = 0, at = 0; j < n; j++)
        if (s->trial[j])
            s->trial[at++] = j;
}

static bool is_present_choice(const dal_state *state)
{
    return !memcmp(state->speeds->column, state->speeds->basis->trial, sizeof *state->speeds->column * (size_t)state->speeds->basis->p);
}

static void swap_choice(const dal_state *state)
{
    for (int j = 0; j < state->speeds->basis->p; j++) {
        int keep = state->speeds->column[j];
        state->speeds->column[j] = state->speeds->basis->trial[j];
        state->speeds->basis->trial[j] = keep;
    }
}

/* Is a speed of the model the rate of an ignorable coordinate, which its momentum gives? */
static bool is_rate_of_ignorable(const dal_state *state, int speed)
{
    const dal_layout *layout = state->layout;
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
static void orthogonalize(const double *q, double *x, int n)
{
    double dot = 0;
    for (int i = 0; i < n; i++)
        dot += q[i] * x[i];
    for (int i = 0; i < n; i++)
        x[i] -= dot * q[i];
}

/* The longest row of S that is not flagged in `trial`, of `all`. */
static int longest_row(const dal_speeds *s, int all)
{
    int best = -1;
    double most = -1;
    for (int i = 0; i < all; i++) {
        double size = s->trial[i] ? -1 : squared_norm_below(s->S + (size_t)i * (size_t)s->n, 0, s->n);
        if (size > (1 + tie_tolerance) * most) {
            best = i;
            most = size;
        }
    }
    return best;
}

/* Of the model's speeds those that the rows [E; A_k] determine least, into `trial` as flags: of the rows Y, at unit norm and cleared of
 * all rows taken so far (Gram and Schmidt), always the longest. The rows taken stand in lu, at unit norm. */
static void choose_named(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    const int n = s->n, more = s->s + s->k, all = state->layout->n_speeds;
    dal_speeds_build(state);
    memcpy(s->lu, s->S + (size_t)s->p * (size_t)n, sizeof *s->S * (size_t)more * (size_t)n);
    s->shaped = false;
    memset(s->S, 0, sizeof *s->S * (size_t)all * (size_t)n);
    memset(s->trial, 0, sizeof *s->trial * (size_t)all);
    for (int i = 0; i < all; i++) {
        dal_speeds_scatter_row(state, state->layout->n_rows + i, s->S + (size_t)i * (size_t)n);
        dal_speeds_scale_row(state, i);
    }
    for (int t = 0; t < n; t++) {
        double *row = s->lu + (size_t)t * (size_t)n;
        if (t >= more) {
            int best = longest_row(s, all);
            memcpy(row, s->S + (size_t)best * (size_t)n, sizeof *row * (size_t)n);
            s->trial[best] = 1;
        }
        for (int i = 0; i < t; i++)
            orthogonalize(s->lu + (size_t)i * (size_t)n, row, n);
        double norm = sqrt(squared_norm_below(row, 0, n));
        for (int i = 0; i < n && norm > 0; i++)
            row[i] /= norm;
        for (int i = 0; i < all; i++)
            orthogonalize(row, s->S + (size_t)i * (size_t)n, n);
    }
}

/* The model names a speed for every freedom. The momenta replace some of these: speeds that they determine are omitted. If the number is still wrong,
 * those that are most independent of the momenta are chosen once, at the start. */
static void select_named(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const int all = state->layout->n_speeds;
    int kept = 0;
    for (int i = 0; i < all; i++)
        kept += s->trial[i] = all == s->p || !is_rate_of_ignorable(state, i);
    for (int j = 0; j < s->p; j++)
        state->speeds->column[j] = j;
    if (kept != s->p)
        choose_named(state);
    for (int i = 0, at = 0; i < all && at < s->p; i++)
        if (s->trial[i])
            state->speeds->column[at++] = i;
}

/* The steepness of the choice: the largest |D_c W D_c^-1|, the largest velocity per unit of a speed. With the best columns it is about 1; it grows
 * without bound where the speeds cease to determine the velocities: u' and W there change so fast that a step of given length misses them, by
 * 1/steepness to the power of the order. The condition of S shows it too late: it includes that of the rows A, which alone may be a thousand. */
static double steepness_by_rows(dal_state *state) /* row d of W, a velocity that is no speed: S^-T of its unit */
{
    dal_speeds *s = state->speeds->basis;
    const double *scale = state->layout->units.column_scale;
    double most = 1, *row = s->sides;
    for (int i = 0; i < s->n - s->p; i++) {
        const int d = s->dependent[i];
        memset(row, 0, sizeof *row * (size_t)s->n);
        row[d] = 1;
        dal_speeds_solve_transposed(state, row);
        for (int j = 0; j < s->p; j++)
            most = fmax(most, fabs(row[j]) * scale[d] / scale[state->speeds->column[j]]);
    }
    return most;
}

static double steepness_of(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const double *scale = state->layout->units.column_scale;
    double most = 1;
    if (s->n == s->p && !s->fixed) /* W = 1 */
        return 1;
    if (!s->fixed && s->n - s->p < s->p)
        return steepness_by_rows(state);
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
    dal_state_forget(state, DAL_STAGE_SPEEDS);
    if (state->speeds->basis->fixed) {
        if (state->speeds->good == 0)
            select_named(state);
        if (state->speeds->good == 0)
            memset(state->speeds->basis->weight, 0, sizeof *state->speeds->basis->weight * (size_t)state->speeds->basis->n);
        return;
    }
    const bool first = state->speeds->good == 0;
    state->speeds->side_kept = 0;
    bool regular = dal_speeds_factor(state) < DAL_SPEEDS_SINGULAR;
    double before = regular ? steepness_of(state) : INFINITY;
    choose_automatic(state);
    bool other = !is_present_choice(state);
    if (other) {
        swap_choice(state);
        regular = dal_speeds_factor(state) < DAL_SPEEDS_SINGULAR;
        if (!first && !(regular && before > steepness_gain * steepness_of(state))) { /* not worth it */
            swap_choice(state);
            other = false;
        }
    }
    state->speeds->good = dal_speeds_factor(state);
    state->speeds->steepness = state->speeds->good < DAL_SPEEDS_SINGULAR ? steepness_of(state) : 1;
    state->speeds->changed += other && !first;
}

dal_flow dal_speeds_watch(dal_state *state, bool *change)
{
    *change = false;
    if (!state->speeds->basis)
        return 0;
    dal_flow flow = state->speeds->basis->fixed ? dal_speeds_check(state) : 0; /* automatic ones are changed */
    state->speeds->side_kept = state->speeds->side;
    if (flow || state->speeds->basis->fixed)
        return flow;
    const double now = steepness_of(state);
    state->speeds->steepness = fmin(state->speeds->steepness, now);
    if (!(now > steepness_growth * state->speeds->steepness))
        return 0;
    choose_automatic(state); /* spoils the factors: they are made again */
    dal_speeds_factor_dependent(state);
    *change = !is_present_choice(state);
    if (!*change)
        state->speeds->steepness = now; /* the rows are the cause: no other choice is better */
    return 0;
}
