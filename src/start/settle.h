/* Static equilibrium of a mechanism (settle.c). */
#ifndef DAL_START_SETTLE_H
#define DAL_START_SETTLE_H

#include "start/point.h"

/* Moves the state to an equilibrium near it, or near a random position (seed; NULL: start from the present one), and evaluates it there. */
dal_status dal_state_settle(dal_arena *arena, dal_state *state, const uint64_t *seed, dal_messages *messages);
/* Is the model at rest at the start of the state, and does it stay? Dry friction acts, and may stick. The state is evaluated. */
bool dal_state_stays(dal_arena *arena, dal_state *state);
/* Does dry friction act, of one element or of any? Of an evaluated state. */
bool dal_friction_rubs(const dal_state *state, int element);
bool dal_state_rubs(const dal_state *state);
/* A note, after a search that failed: which dry friction it omitted. */
void dal_say_friction_omitted(const dal_system *system, dal_messages *messages);
/* A warning for each input that is sampled. */
void dal_say_sampled(const dal_system *system, dal_messages *messages);
/* A warning that what is found belongs to time t. */
void dal_say_ages(double t, dal_messages *messages);

#endif
