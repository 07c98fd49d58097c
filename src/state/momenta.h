/* Momenta dT/dv: momenta.c. */
#ifndef DAL_STATE_MOMENTA_H
#define DAL_STATE_MOMENTA_H

#include "dalembert/system.h"
#include "kinematics/family.h"

/* Momenta of the whole model, linear and then angular about its centre of mass, and the references of their drift: sum m |v|, and sum m |v| L + I
 * |w|. After velocity. Which of them are conserved, as bits; where none is, all numbers are 0. */
unsigned dal_conserved_momenta(const dal_state *state, const dal_energy *energy, double p[6], double scale[2]);
/* dT/dv of the ignorable coordinates, from the bodies' velocities: after velocity. size (may be NULL): the sum of the bodies' shares. */
void dal_state_momenta(dal_state *state, double *momenta, double *size);
/* The same as rows: dT/dv = rows v + free, n_ignorable x nv and n_ignorable; after position. */
void dal_momentum_rows(dal_state *state, double *rows, double *free);
/* dT/dv of all velocities, and its rate for v' = 0; after velocity. */
void dal_momenta_rates(dal_state *state, double *p, double *pd);
/* Sum over bodies of (m c', I w).(D c', D w) for a bend D; with the tangents of its direction, D w as seen from the body: of the tangent
 * of (v, 1) it is then the derivative of T along that direction. */
double dal_momenta_along(const dal_state *state, const dal_bend *bends, const dal_tangent *turning);

#endif
