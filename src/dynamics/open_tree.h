/* Formulations on a large open joint tree, in work that grows with its bodies: recursive.c. */
#ifndef DAL_DYNAMICS_OPEN_TREE_H
#define DAL_DYNAMICS_OPEN_TREE_H

#include "state/state.h"

/* A force at r and a moment about it on each body, in scratch that the calls below leave alone. */
typedef double dal_body_wrench[6];
dal_body_wrench *dal_open_wrenches(const dal_state *state);

/* out = sum over bodies of the wrenches on the partial velocities of each v_k. */
void dal_open_project(dal_state *state, dal_body_wrench *wrench, double *out);
/* x = M^-1 f, by the articulated inertias. */
dal_flow dal_open_solve(dal_state *state, const double *f, double *x);

/* Formulations with speeds, all of them velocities: the accelerations of the bodies for u' = 0. */
void dal_open_rates(dal_state *state);
/* K u' = f with the wrenches of the formulation, which hold all of f but the forces given on coordinates: wd, vd. */
dal_flow dal_open_finish(dal_state *state);
/* The same, with f given completely. */
dal_flow dal_open_finish_with(dal_state *state, const double *f);

/* Rows of M of the ignorable coordinates, n_ignorable x nv: after dal_state_position. */
void dal_open_momentum_rows(dal_state *state, double *rows);

#endif
