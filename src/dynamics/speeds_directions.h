/* The directions of the speeds, of a state: for the formulations that need their bends. */
#ifndef DAL_DYNAMICS_SPEEDS_DIRECTIONS_H
#define DAL_DYNAMICS_SPEEDS_DIRECTIONS_H

#include "dynamics/speeds.h"
#include "state/state.h"

/* Row j of K = W^T M W up to the diagonal ((47) of `volterra-reduced`); MW: M W_j. */
static inline void dal_speeds_inertia_row(const dal_state *state, int j, double *MW)
{
    const dal_speeds *s = state->speeds->basis;
    const size_t n = (size_t)s->n;
    dal_mass_times(state->layout, state->work.M, s->W + (size_t)j * n, MW);
    for (int l = 0; l <= j; l++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += MW[i] * s->W[(size_t)l * n + i];
        s->K[(size_t)j * (size_t)s->p + (size_t)l] = sum;
    }
}
/* The directions (W_j, 0) and (v, 1) with their tangents, after columns and after rates. */
static inline dal_direction dal_speeds_column(const dal_state *state, int j)
{
    const dal_speeds *s = state->speeds->basis;
    return (dal_direction){s->W + (size_t)j * (size_t)s->n, 0, s->T + (size_t)j * (size_t)state->mechanism->n_bodies};
}
static inline dal_direction dal_speeds_motion(const dal_state *state)
{
    return (dal_direction){state->work.v, 1, state->speeds->basis->motion};
}
/* The bends of the tangents of W_j along the motion, one per body. */
static inline dal_bend *dal_speeds_column_bend(const dal_state *state, int j)
{
    return state->speeds->basis->bend + (size_t)j * (size_t)state->mechanism->n_bodies;
}
/* Automatic speeds of a model without rows: W is constant, W' is zero. */
static inline bool dal_speeds_constant(const dal_state *state)
{
    return !state->speeds->basis->fixed && state->speeds->basis->n == state->speeds->basis->p;
}

#endif
