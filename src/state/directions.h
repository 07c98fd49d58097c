/* Forces along the line through two points, where these coincide: directions.c. */
#ifndef DAL_STATE_DIRECTIONS_H
#define DAL_STATE_DIRECTIONS_H

#include "dalembert/system.h"

/* Is |p - q| less than rounding, and a negligible part of the model's length? */
bool dal_points_coincide(const double p[3], const double q[3], double length);
/* The size of such a force: that of a spring with the length zero. 0 if it is negligible. */
double dal_force_at_meeting(const dal_state *state, int force);
/* Does a force that is not zero act along the line through two points that coincide? After loads. *speed: with which they part. */
bool dal_force_undirected(const dal_state *state, int force, double *speed);
/* The name of the first spring or damper between points that coincide whose force has no derivative there, or NULL. After loads. */
const char *dal_force_without_derivative(const dal_state *state);

#endif
