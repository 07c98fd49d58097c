/* Are rows independent because they are near others that are? independent_rows.c. */
#ifndef DAL_DYNAMICS_NEAR_ROWS_H
#define DAL_DYNAMICS_NEAR_ROWS_H

#include "base/arena.h"
#include "state/evaluate.h"

typedef struct dal_known_rows {
    int n;         /* 0: none are known */
    double *value; /* of the layout's entries: at unit norm */
    double least;  /* their smallest singular value */
} dal_known_rows;

/* Of the rows where the state is. None are known if some depend on others, or if they are too many. */
void dal_known_rows_build(dal_arena *arena, const dal_state *state, dal_known_rows *rows);
/* Of a state on the same layout. True: its rows are independent, all of them. False, also of NULL: perhaps not. */
bool dal_rows_are_near(const dal_state *state, const dal_known_rows *rows);

#endif
