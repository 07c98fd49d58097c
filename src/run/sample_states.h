/* Random states of a system on its constraints, with the results of the engine: references for generated code. */
#ifndef DAL_RUN_SAMPLE_STATES_H
#define DAL_RUN_SAMPLE_STATES_H

#include "generate/generate.h"

/* The start, then n - 1 others near it; those where the engine finds nothing are skipped. Arena memory. Returns how many there are; 0: not even the
 * start can be evaluated. The state is left at the last one. */
int dal_sample_states(dal_state *state, int n, dal_arena *arena, dal_reference_state *references);
/* What a state holds now, after an evaluation. */
dal_reference_state dal_reference_of(dal_state *state, dal_arena *arena);
/* What no generated code has, by the sizes and rows of the coordinates; NULL: nothing is in its way. */
const char *dal_code_obstacle(const dal_layout *layout, bool recursive);
/* How the equations have to be derived so that they are those that the state solves now: its charts, speeds and rows. */
dal_derive_options dal_derive_options_of(const dal_state *state);

#endif
