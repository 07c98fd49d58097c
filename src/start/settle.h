/* Static equilibrium of a mechanism (settle.c). */
#ifndef DAL_START_SETTLE_H
#define DAL_START_SETTLE_H

#include "start/point.h"

/* Moves the state to an equilibrium near it, or near a random position (seed; NULL: start from the present one), and evaluates it there. */
dal_status dal_state_settle(dal_arena *arena, dal_state *state, const uint64_t *seed, dal_messages *messages);
/* A warning for each input that is sampled. */
void dal_say_sampled(const dal_system *system, dal_messages *messages);
/* A warning that what is found belongs to time t. */
void dal_say_ages(double t, dal_messages *messages);

#endif
