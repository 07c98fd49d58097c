/* Accelerations that nothing determines: the least ones (udwadia_phohomsiri.c). */
#ifndef DAL_DYNAMICS_LEAST_H
#define DAL_DYNAMICS_LEAST_H

#include "state/evaluate.h"

/* Of all v' that satisfy the equations, |S (v' - eta)| is least where S^2 (v' - eta) = M a + A^T b: a (nv) and b (rows), after the formulation's solve. */
void dal_least_combination(dal_state *state, double *a, double *b);

#endif
