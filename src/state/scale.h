/* The model's own units, on a state: scale.c. */
#ifndef DAL_STATE_SCALE_H
#define DAL_STATE_SCALE_H

#include "dalembert/system.h"
#include "joint/mechanism.h"

/* The unit of each component of y, at the present choice of speeds: what absolute tolerances are multiples of. */
void dal_state_units(const dal_state *state, double *unit);
/* Those of the states of the model alone. */
void dal_state_own_units(const dal_state *state, double *unit);
/* The largest of numbers that belong to the rows, in the units of these, and which row it is. */
double dal_worst_row(const dal_state *state, const double *rows, int *where);
/* The lever of a turn of a body, in metres. */
double dal_turn_lever(const dal_system *system, int body);
/* The largest velocity, in lengths and radians. */
double dal_fastest(const dal_system *system, const double *v);
/* The weight of a row on the bodies, before multiplication by their columns; and its upper bound there, with its coefficients and their slopes. */
double dal_row_weight(const dal_state *state, const dal_row *row);
double dal_row_reach(const dal_state *state, const dal_row *row);
/* The scales of the residuals of the rows, when A is known; of one row of a built-in joint, NAN: it is an equation of the model's own. */
void dal_row_units(const dal_state *state, double *unit);
double dal_row_unit(const dal_row *row, double length);
/* The model's time and the scales of its states, after the first evaluation, with the rate of its start, 1/s. */
double dal_start_rate(const dal_state *state);
double dal_system_time(const dal_system *system);
/* For an analysis, which has no end: a model that is slower than the end of its run, or than a second, has the time of its start, but no longer one than
 * that of its springs or of a rate that is known, 1/s. Forces and rates would count as rounding otherwise. */
void dal_system_slow_down(dal_system *system, double rate);
void dal_state_scales(const dal_state *state, double *unit);

#endif
