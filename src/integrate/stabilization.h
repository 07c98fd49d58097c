/* Projections: same Newton iteration, different norm of the correction. One projection per file. */
#ifndef DAL_INTEGRATE_STABILIZATION_H
#define DAL_INTEGRATE_STABILIZATION_H

#include "model/choices.h"

/* A solution x of A x = b on the independent rows: the least one in some metric, or one of some of the columns. */
typedef struct dal_projector {
    dal_flow (*begin)(dal_state *state); /* before the first correction, A is known; NULL: nothing to do */
    dal_flow (*factor)(dal_state *state);
    void (*solve)(dal_state *state, double *b, double *x); /* may destroy b */
    bool keeps_speeds; /* where the integrator has speeds, they are left as they are: v follows from them at the corrected q */
} dal_projector;

extern const char *const dal_tolerance_alone[]; /* the options of a projection */
/* For the table of a projection. */
#define DAL_PROJECTION(project_, work_) .options = dal_tolerance_alone, .project = project_, .work = work_

/* The tolerance of projections on positions, relative as in dal_worst_row: that of the model, or one derived from rtol. */
double dal_projection_tolerance(const dal_system *system);
/* state->scratch->projector: nv + n_rows doubles, then what the metric needs. */
dal_flow dal_project(dal_state *state, double t, double *y, const dal_projector *projector);
/* The velocities alone, at the positions as they are, by the least change in the metric of the mass matrix; for stabilisations that do not project. */
dal_flow dal_project_velocities(dal_state *state, double t, double *y);

#endif
