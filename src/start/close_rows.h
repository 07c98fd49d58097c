/* All rows of positions, closed from any position. */
#ifndef DAL_START_CLOSE_ROWS_H
#define DAL_START_CLOSE_ROWS_H

#include "base/arena.h"
#include "state/evaluate.h"

/* q (nq) moves onto the rows by small changes of least size. Which rows are independent is decided again at each step, so that it may begin at a singular
 * position. Returns the largest gap that is left, in the units of the rows. The state is at q afterwards; its velocities are invalid. */
double dal_close_rows(dal_arena *arena, dal_state *state, double *q);

#endif
