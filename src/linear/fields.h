/* Motions that keep the shape of a mechanism: all bodies of an island shift or turn together, and each body turns about an axis of symmetry of its
 * own inertia. With constant coefficients c, body b has
 *
 *     w = sum c_i u_i,   r' = sum c_i (u_i x (r - p_i))   or   sum c_i u_i  (a shift)
 *     w' = sum c_i u_i',   r'' = sum c_i (u_i' x (r - p_i) + u_i x (r' - p_i'))
 *
 * where the axis (u_i, p_i) is fixed in the world, or moves with the body itself: u_i' = w x u_i, p_i' the velocity of its point.
 *
 * A field is admissible if the constraints allow it. Its momenta on the bodies, T^T J^T (m V) on the coordinates, are its components along T; these
 * have all of its kinetic energy if and only if it is admissible. */
#ifndef DAL_LINEAR_FIELDS_H
#define DAL_LINEAR_FIELDS_H

#include "start/point.h"

typedef struct dal_field {
    int island; /* whose bodies move; -1: one body */
    int body;   /* that one, which carries the axis */
    bool turn;
    double u[3], p[3]; /* in the world, or in axes of the body */
} dal_field;

/* Velocity and acceleration of a body. */
typedef struct dal_body_motion {
    double w[3], rd[3], alpha[3], rdd[3];
} dal_body_motion;

typedef struct dal_fields {
    int n, n_bodies;
    dal_field *list;
    int k;         /* dimension of the space of admissible fields */
    double *basis; /* k rows of n coefficients */
    double *V;     /* k rows of nv: their velocities. Some may be zero: a turn of the island less that of its bodies, which still accelerates */
    double *along; /* n rows of rows->p: components along T */
} dal_fields;

/* All fields of a mechanism. */
void dal_fields_list(dal_arena *arena, const dal_state *state, dal_fields *fields);
/* basis and V at the present position; `rows`: the velocities that the constraints allow. */
void dal_fields_admit(dal_arena *arena, dal_point *point, const dal_kept_rows *rows, dal_fields *fields);
/* The motion of the bodies with coefficients c. */
void dal_fields_move(const dal_state *state, const dal_fields *fields, const double *c, dal_body_motion *motion);
/* out (nv): the forces that this motion needs on the coordinates, J^T (m c'', I w' + w x I w). */
void dal_fields_inertia(const dal_state *state, const dal_body_motion *motion, double *out);
/* out (nv): the momenta of this motion on the coordinates. */
void dal_fields_momenta(const dal_state *state, const dal_body_motion *motion, double *out);

#endif
