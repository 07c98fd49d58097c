/* Shared by the parts of an evaluation: the attitudes in q, entering a given state, C, the inverse problem. */
#ifndef DAL_ANALYSIS_EVALUATOR_H
#define DAL_ANALYSIS_EVALUATOR_H

#include "base/arena.h"
#include "dalembert/evaluation.h"

/* ---- instant.c ----------------------------------------------------------------------- */

/* Numbers q ... q + n of an attitude with more numbers than freedoms: of unit length (quaternions), or a matrix. */
typedef struct dal_turn_block {
    int q, n;
    bool unit;
} dal_turn_block;

/* The attitude that contains or follows coordinate k of q; false: there is none. */
bool dal_next_attitude(const dal_system *system, int k, dal_turn_block *attitude);
/* Writes "no turn" into an attitude. */
void dal_level(const dal_turn_block *attitude, double *q);

/* Enters the instant without correcting it; returns 0, or the reason of a failure in state->report->trouble. */
int dal_instant_enter(dal_state *state, const dal_instant *instant);

/* ---- coriolis.c ------------------------------------------------------------------------ */

/* C, nv x nv; needs the stage velocity. */
void dal_coriolis(dal_state *state, double *C);

/* ---- inverse.c --------------------------------------------------------------------------- */

/* x, nv: the nearest accelerations that meet A x = gamma, in metres; returns the largest change. Needs the stage velocity. */
double dal_nearest_accelerations(dal_arena *arena, const dal_state *state, double *x);
/* The rank of A at this tolerance, in metres, rows at unit norm. Needs the stage velocity. */
int dal_rank_of_rows(dal_arena *arena, const dal_state *state, double tolerance);

/* Finds the forces and evaluates the state with them. `given`, nv, is the array of state->values->given: it has the forces of the instant, and
 * forces of actuators on coordinates are added to it. Motors are in state->values->pushes. */
dal_status dal_solve_inverse(dal_arena *arena, dal_state *state, const dal_instant *instant, bool nearest, const char *const *rates, double *given,
                             dal_messages *messages, dal_inverse *inverse);

#endif
