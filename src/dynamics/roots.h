/* Rows that are not linear in the rates, phi(q, v, t) = 0: which of their roots a run is on (roots.c). Nothing where there are none. */
#ifndef DAL_DYNAMICS_ROOTS_H
#define DAL_DYNAMICS_ROOTS_H

#include "base/block.h"
#include "base/keep.h"
#include "kinematics/family.h"
#include "state/evaluate.h"

/* A part of dal_singular. */
typedef struct dal_roots {
    double *heading; /* of the terms of all rows: their coefficients at the last accepted step or the start; of a curved row dphi/dm' */
    double t;        /* the time of it */
    double *most;    /* of each row: the square of the largest norm that they had lately */
    double *v;       /* the velocities there: Newton's method begins with them where v has to be found from speeds */
} dal_roots;

/* An accepted state: after velocity. */
void dal_roots_accepted(dal_state *state);
/* Is the present state on the same roots? A failure that shorter steps may mend: somewhere between roots meet. After velocity. */
dal_flow dal_roots_check(dal_state *state);

/* For the owner of dal_singular. */
void dal_roots_layout(dal_block *block, const dal_layout *layout, dal_roots *roots);
void dal_roots_start(dal_state *state);
void dal_roots_copy(const dal_layout *layout, const dal_roots *from, dal_roots *to);
void dal_roots_keep(const dal_layout *layout, dal_roots *roots, dal_keep *keep);

#endif
