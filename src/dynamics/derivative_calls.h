/* Shared by the calls of dalembert/derivatives.h: derivative_calls.c. */
#ifndef DAL_DYNAMICS_DERIVATIVE_CALLS_H
#define DAL_DYNAMICS_DERIVATIVE_CALLS_H

#include "base/message.h"
#include "dynamics/slopes.h"

/* The state is evaluated and its factors are ready; else a sentence. */
dal_status dal_derivatives_begin(dal_state *state, const char *function, dal_messages *messages);

/* Has the model derivatives of its equations at given accelerations and multipliers? Else a sentence. */
dal_status dal_derivatives_held(const dal_state *state, dal_messages *messages);

#endif
