/* Where a mechanism stands: static equilibrium (settle.c). */
#ifndef DAL_START_SETTLE_H
#define DAL_START_SETTLE_H

#include "start/point.h"

/* The state goes to an equilibrium near where it is, or near where chance brings it (seed; NULL: it begins here), and is evaluated there. */
dal_status dal_state_settle(dal_arena *arena, dal_state *state, const uint64_t *seed, dal_messages *messages);
/* A warning for each input that is sampled. */
void dal_say_sampled(const dal_system *system, dal_messages *messages);

#endif
