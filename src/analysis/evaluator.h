/* What the parts of an evaluation share: the attitudes in q, a state that is entered as it is given, C, the inverse problem. */
#ifndef DAL_ANALYSIS_EVALUATOR_H
#define DAL_ANALYSIS_EVALUATOR_H

#include "base/arena.h"
#include "dalembert/evaluation.h"

/* ---- instant.c ----------------------------------------------------------------------- */

/* Numbers q ... q + n that are an attitude and more than its freedoms: of unit length (quaternions), or a matrix. */
typedef struct dal_turn_block {
    int q, n;
    bool unit;
} dal_turn_block;

/* The attitude with or after coordinate k of q; false: there is none. */
bool dal_next_attitude(const dal_system *system, int k, dal_turn_block *attitude);
/* Writes "no turn" into an attitude. */
void dal_level(const dal_turn_block *attitude, double *q);

/* The state becomes the instant, not moved; 0, or what stopped it, in state->report->trouble. */
int dal_instant_enter(dal_state *state, const dal_instant *instant);

/* ---- coriolis.c ------------------------------------------------------------------------ */

/* C, nv x nv; after velocity. */
void dal_coriolis(dal_state *state, double *C);

/* ---- inverse.c --------------------------------------------------------------------------- */

/* x, nv: the nearest accelerations that meet A x = gamma, in metres; returns the largest change. After velocity. */
double dal_nearest_accelerations(dal_arena *arena, const dal_state *state, double *x);
/* The rank of A at this tolerance, in metres, rows at unit norm. After velocity. */
int dal_rank_of_rows(dal_arena *arena, const dal_state *state, double tolerance);

/* Finds the forces and leaves the state evaluated with them. `given`, nv, is what state->values->given points to: in it are the forces of the
 * instant, and those of actuators on coordinates are added. Motors are in state->values->pushes. */
dal_status dal_solve_inverse(dal_arena *arena, dal_state *state, const dal_instant *instant, bool nearest, const char *const *rates, double *given,
                             dal_messages *messages, dal_inverse *inverse);

#endif
