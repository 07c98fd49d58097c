/* The condition of S = [Y; E; A_k]: do the speeds determine the velocities here?
 *
 * The condition in the 1-norm, |S_s| |S_s^-1|, depends neither on units nor on multiples of rows. |S_s^-1| is estimated from the factors:
 * W. W. Hager, SIAM J. Sci. Stat. Comput. 5 (1984), 311-316; N. J. Higham, ACM Trans. Math. Softw. 14 (1988), 381-396. LAPACK's xGECON does the same;
 * here only the columns d of S are factored (speeds_matrix.c).
 *
 * Where it has grown, other rows A_k may be better; where it is beyond a limit, or det S has changed its sign since the last accepted step,
 * the evaluation fails.
 */
#include "math/dense.h"
#include "dynamics/speeds_matrix.h"
#include "dynamics/row_rank.h"
#include "dynamics/singular.h"
#include "model/system.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double row_growth = 1e3;     /* growth of the condition since the rows were chosen that calls for other rows */
static const double singular_named = 1e6; /* condition beyond which the model's speeds do not determine the velocities */

static double norm_1(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* Largest sum of a column of |S_s|. */
static double norm_of_S(const dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    double *sum = s->x, most = 0;
    memset(sum, 0, sizeof *sum * (size_t)s->n);
    for (int j = 0; j < dal_speeds_units(s); j++)
        sum[state->speeds->column[j]] = 1;
    for (int i = 0; i < s->n - dal_speeds_units(s); i++) {
        const double *row = dal_speeds_row(s, i);
        for (int j = 0; j < s->n; j++)
            sum[j] += fabs(row[j]);
    }
    for (int j = 0; j < s->n; j++)
        most = fmax(most, sum[j]);
    return most;
}

/* Hager's ascent: |S_s^-1| is the largest |S_s^-1 x| over |x| = 1, taken at a unit vector; a few steps find it nearly always. */
static double norm_of_S_inverse(const dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    const int n = s->n;
    double *x = s->x, *y = s->b, *z = s->r, *b = s->p ? s->sides : s->bias, norm = 0; /* scratch; without speeds there is only the bias */
    for (int i = 0; i < n; i++)
        x[i] = b[i] = 1.0 / n;
    for (int step = 0; step < 4; step++) {
        dal_speeds_solve_scaled(state, b, y);
        norm = fmax(norm, norm_1(y, n));
        double along = 0;
        int most = 0;
        for (int i = 0; i < n; i++)
            b[i] = y[i] < 0 ? -1 : 1;
        dal_speeds_solve_scaled_transposed(state, b, z);
        for (int i = 0; i < n; i++) {
            along += z[i] * x[i];
            most = fabs(z[i]) > fabs(z[most]) ? i : most;
        }
        if (!(fabs(z[most]) > along))
            break;
        memset(x, 0, sizeof *x * (size_t)n);
        memset(b, 0, sizeof *b * (size_t)n);
        x[most] = b[most] = 1;
    }
    for (int i = 0; i < n; i++) /* Higham's safeguard: a vector that has no part in accidental cancellations */
        b[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
    dal_speeds_solve_scaled(state, b, y);
    return fmax(norm, 2 * norm_1(y, n) / (3 * n));
}

/* The sign of det B_d, from its factors: it changes where S is singular. */
static int determinant_sign(const dal_speeds *s)
{
    return dal_speeds_negative(s) ? -1 : 1;
}

/* S at the present A and speeds; its condition, infinite if it is singular. Nothing but units: S_s is a permutation. Rows are at unit norm or,
 * speeds of the model, below it where they vanish: |S| counts as at least 1, so that such a row matters. */
static double find_condition(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    double condition = s->n == dal_speeds_units(s) ? 1 : s->ratio > 0 ? fmax(norm_of_S(state), 1) * norm_of_S_inverse(state) : INFINITY;
    return state->speeds->condition = condition > 0 ? fmax(condition, 1) : INFINITY; /* also for NaN */
}

static void factor_now(dal_state *state)
{
    dal_speeds *s = state->speeds->basis;
    dal_speeds_build(state);
    dal_speeds_factor_dependent(state);
    state->speeds->side = determinant_sign(s);
}

double dal_speeds_factor(dal_state *state)
{
    factor_now(state);
    return find_condition(state);
}

/* The condition decides where rows are chosen of more, and where pivots differ; elsewhere only accepted steps ask for
 * it (dal_speeds_estimate). */
static double factor_and_judge(dal_state *state)
{
    const dal_speeds *s = state->speeds->basis;
    factor_now(state);
    if (dal_speeds_good_pivots(s) && s->k == state->layout->n_rows && state->speeds->ranked > 0 && state->speeds->good > 0)
        return state->speeds->condition = 0;
    return find_condition(state);
}

static void remember_condition(dal_speed_choice *speeds)
{
    if (speeds->good == 0 || speeds->condition < speeds->good)
        speeds->good = speeds->condition;
    speeds->worst = fmax(speeds->worst, speeds->condition);
}

void dal_speeds_estimate(dal_state *state)
{
    if (state->speeds->basis && state->speeds->condition == 0) {
        find_condition(state);
        remember_condition(state->speeds);
    }
}

/* Where rows are redundant, those of one position may depend on each other in another: others are taken. */
static void factor_with_good_rows(dal_state *state)
{
    double condition = factor_and_judge(state);
    if (state->speeds->basis->k < state->layout->n_rows && condition > row_growth * state->speeds->ranked && state->speeds->ranked > 0) {
        dal_state_rank(state, state->system->rank);
        state->rank->changed++;
        state->speeds->ranked = condition = dal_speeds_factor(state);
    }
    if (state->speeds->ranked == 0)
        state->speeds->ranked = condition;
}

static dal_flow fail_speeds(dal_state *state)
{
    const dal_system *system = state->system;
    char names[120] = "";
    if (!state->speeds->basis->fixed)
        return dal_state_fail_for(state, DAL_REASON_SPEEDS,
                                  "the constraints are singular at this position: no choice of speeds determines the "
                                  "velocities (condition %.1e)",
                                  state->speeds->condition);
    for (int j = 0, at = 0; j < state->speeds->basis->p && at < (int)sizeof names; j++)
        at += snprintf(names + at, sizeof names - (size_t)at, "%s'%s'", j ? ", " : "", system->speed_names[state->speeds->column[j]]);
    return dal_state_fail_for(state, DAL_REASON_SPEEDS,
                              "the model's speeds %s do not determine the velocities here: [Y; A] is singular at this "
                              "position or close to it "
                              "(condition %.1e); take other speeds, or leave the choice to the program",
                              names, state->speeds->condition);
}

/* Singular, or singular somewhere since the last accepted step: the determinant has changed its sign. */
dal_flow dal_speeds_check(dal_state *state)
{
    bool passed = state->speeds->side_kept && state->speeds->side != state->speeds->side_kept && state->system->method.formulation->unpack &&
                  !state->singular->near;
    if (passed && !state->speeds->basis->fixed)
        return dal_state_fail_for(state, DAL_REASON_SPEEDS,
                                  "within one step the speeds pass a position where they do not determine the "
                                  "velocities%s: take smaller steps",
                                  state->layout->curved ? ", or two roots of a constraint that is not linear in the rates meet" : "");
    return passed || state->speeds->condition > (state->speeds->basis->fixed ? singular_named : DAL_SPEEDS_SINGULAR) ? fail_speeds(state) : 0;
}

dal_flow dal_speeds_prepare(dal_state *state)
{
    factor_with_good_rows(state);
    if (state->speeds->condition > 0)
        remember_condition(state->speeds);
    return dal_speeds_check(state);
}

dal_flow dal_speeds_ready(dal_state *state)
{
    return dal_has(state, DAL_STAGE_UNPACKED) && state->system->method.formulation->unpack ? dal_speeds_check(state) : dal_speeds_prepare(state);
}
