/* The directions of the speeds, of a state: for the formulations that need their bends. */
#ifndef DAL_DYNAMICS_SPEEDS_DIRECTIONS_H
#define DAL_DYNAMICS_SPEEDS_DIRECTIONS_H

#include "dynamics/speeds.h"
#include "state/state.h"

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
