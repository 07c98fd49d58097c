/* Rows that are independent because they are near rows that are: near_rows.c. */
#ifndef DAL_DYNAMICS_NEAR_ROWS_H
#define DAL_DYNAMICS_NEAR_ROWS_H

#include "base/arena.h"
#include "state/evaluate.h"

typedef struct dal_known_rows {
    int n;         /* 0: none are known */
    double *value; /* of the layout's entries: at unit norm */
    double least;  /* their smallest singular value */
} dal_known_rows;

/* The rows of the present state. n is 0 if some depend on others, or if there are too many. */
void dal_known_rows_build(dal_arena *arena, const dal_state *state, dal_known_rows *rows);
/* Of a state with the same layout. True: all of its rows are independent. False (also for NULL): not known. */
bool dal_rows_are_near(const dal_state *state, const dal_known_rows *rows);

#endif
