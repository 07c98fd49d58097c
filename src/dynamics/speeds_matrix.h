/* The matrix S = [Y; E; A_k] of the speeds, private to the files speeds*.c. Its equations: speeds_matrix.c. */
#ifndef DAL_DYNAMICS_SPEEDS_MATRIX_H
#define DAL_DYNAMICS_SPEEDS_MATRIX_H

#include "dynamics/speeds.h"
#include "state/state.h"

#define DAL_SPEEDS_SINGULAR 1e15 /* condition beyond which automatic speeds do not determine the velocities: nothing is left but rounding */

/* The row of speed j where the model names them. */
static inline int dal_speeds_named_row(const dal_state *state, int j)
{
    return state->layout->n_rows + state->speeds->column[j];
}

/* Rows of S that are rows of the unit matrix: the first ones, or none. */
static inline int dal_speeds_units(const dal_speeds *s)
{
    return s->fixed ? 0 : s->p;
}

/* The rows B of S_s that are not, n numbers each. */
static inline const double *dal_speeds_row(const dal_speeds *s, int i)
{
    return s->S + (size_t)(dal_speeds_units(s) + i) * (size_t)s->n;
}

/* Do the pivots differ so little that no digits are lost to them? */
static inline bool dal_speeds_good_pivots(const dal_speeds *s)
{
    return s->ratio > 0.05;
}

/* ---- speeds_matrix.c ---------------------------------------------------------------------- */

/* out += row i of A (of the speeds behind them), the columns scaled. */
void dal_speeds_scatter_row(const dal_state *state, int i, double *out);
/* Row i of S is filled: it gets unit norm. */
void dal_speeds_scale_row(const dal_state *state, int i);
/* S_s at the present A and speeds, and the list of dependent columns. */
void dal_speeds_build(dal_state *state);
/* The sign of det B_d, from its factors. */
bool dal_speeds_negative(const dal_speeds *s);
/* The factors of B_d. False where it is singular. */
bool dal_speeds_factor_dependent(const dal_state *state);
/* x: S_s x = b. b is overwritten. */
void dal_speeds_solve_scaled(const dal_state *state, double *b, double *x);
/* y: S_s^T y = f. f is another vector, and stays. */
void dal_speeds_solve_scaled_transposed(const dal_state *state, const double *f, double *y);
/* f := S^-T f, refined. */
void dal_speeds_solve_transposed(const dal_state *state, double *f);

/* ---- speeds_condition.c ------------------------------------------------------------------- */

/* S at the present A and speeds, and its factors. Returns its condition, infinite where it is singular. */
double dal_speeds_factor(dal_state *state);
/* The same with better rows A_k where the present ones have become bad; then dal_speeds_check. */
dal_flow dal_speeds_prepare(dal_state *state);
/* A failure where S is singular, or was since the last accepted step. */
dal_flow dal_speeds_check(dal_state *state);

#endif
