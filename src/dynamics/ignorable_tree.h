/* Sums over a joint tree for the search for ignorable coordinates, for all columns at once: ignorable_tree.c. */
#ifndef DAL_DYNAMICS_IGNORABLE_TREE_H
#define DAL_DYNAMICS_IGNORABLE_TREE_H

#include "dalembert/system.h"

/* Adds the generalized forces of the present loads on the bodies to Q, and the sizes of their terms to `size`. After
 * dal_state_velocity. */
void dal_tree_add_forces(dal_state *state, double *Q, double *size);
/* D_k T of the columns of shifts, turns and screws, and its reference size. After dal_state_velocity. */
void dal_tree_energy_slopes(dal_state *state, double *slope, double *size);

#endif
