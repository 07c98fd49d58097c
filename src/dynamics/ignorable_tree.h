/* What the search for ignorable coordinates asks of a joint tree, for all columns at once: ignorable_tree.c. */
#ifndef DAL_DYNAMICS_IGNORABLE_TREE_H
#define DAL_DYNAMICS_IGNORABLE_TREE_H

#include "dalembert/system.h"

/* Adds the generalized forces of what the bodies carry now to Q, and the size of the terms that they are made of to `size`. After
 * dal_state_velocity. */
void dal_tree_add_forces(dal_state *state, double *Q, double *size);
/* D_k T of the columns of shifts, turns and screws, and what it is compared with. After dal_state_velocity. */
void dal_tree_energy_slopes(dal_state *state, double *slope, double *size);

#endif
