/* Shared by the files that place bodies: placed_bodies.c (angle, joint, user) and attitude_parameters.c (euler, natural). */
#ifndef DAL_DERIVE_PLACED_BODIES_H
#define DAL_DERIVE_PLACED_BODIES_H

#include "derive/nodes.h"

/* x := 0 */
void dal_zero_vector(dal_derivation *d, dal_node x[3]);
/* rate := d/dt x along the motion */
void dal_differentiate_vector(dal_derivation *d, const dal_node x[3], dal_node rate[3]);
/* Computes from r, R, r' and w the centre of mass and its velocity, by differentiation or from w. */
void dal_complete_body(dal_derivation *d, dal_derived_body *body, bool differentiated);
/* R = 1 + k (p0 [p x] + [p x]^2); with k = 2 the rotation of unit quaternions. */
void dal_n_quaternion_rotation(dal_derivation *d, const dal_node p[4], dal_node k, dal_node R[9]);
/* a a^T (1 - c) + c 1 + s [a x], with a of length one */
void dal_n_about_axis(dal_derivation *d, const dal_node axis[3], dal_node angle, dal_node R[9]);

#endif
