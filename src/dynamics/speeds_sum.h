/* Formulations that sum K and f of K u' = f over the bodies (kane.c, gibbs_appell.c). They begin with K = 0, put their own f_j there, and then add each
 * body, and sub-systems. */
#ifndef DAL_DYNAMICS_SPEEDS_SUM_H
#define DAL_DYNAMICS_SPEEDS_SUM_H

#include "dynamics/speeds.h"
#include "state/state.h"

#include <string.h>

/* W and what follows from it; K = 0. */
static inline dal_flow dal_speeds_begin_sum(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY) && (dal_has(state, DAL_STAGE_FORCES) || dal_has(state, DAL_STAGE_LOADS)));
    const dal_speeds *s = state->speeds->basis;
    const dal_flow flow = dal_speeds_begin(state, false);
    if (!flow)
        memset(s->K, 0, sizeof *s->K * (size_t)s->p * (size_t)s->p);
    return flow;
}

/* All bodies, then the sub-systems; u' = K^-1 f. */
static inline dal_flow dal_speeds_sum(dal_state *state, void (*add_body)(dal_state *state, int body))
{
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        add_body(state, b);
    dal_speeds_add_subsystems(state);
    return dal_speeds_finish(state);
}

#endif
