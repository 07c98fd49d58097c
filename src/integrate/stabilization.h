/* What the projections share: one a file, the same walk with another metric. */
#ifndef DAL_INTEGRATE_STABILIZATION_H
#define DAL_INTEGRATE_STABILIZATION_H

#include "system/system.h"

/* Least solutions x of A x = b on the independent rows, in some metric. */
typedef struct dal_projector {
    dal_flow (*factor)(dal_state *state);
    void (*solve)(dal_state *state, double *b, double *x); /* may destroy b */
} dal_projector;

/* state->projector: nv + n_rows doubles, then what the metric needs. */
dal_flow dal_project(dal_state *state, double t, double *y, const dal_projector *projector);
double dal_worst_row(const dal_state *state, const double *rows, int *where);

#endif
