/* Exact derivatives of the equations of motion of a model, in any family: every kernel between (t, q, v) and
 *
 *     r   = M v' + h - Q - A^T lambda          equations of motion, at given v' and lambda
 *     phi,   phi' = A v - beta,   phi'' = A v' - gamma       rows
 *     z'                                       rates of the model's own states
 *     recorded columns                         as far as they are made of the motion: up to accelerations
 *
 * is written on dal_real and compiled for complex numbers as well. f(x + i h dx) = f(x) + i h df - O(h^2): with h = 1e-30 the imaginary part is df to
 * rounding. A direction moves q along velocities (q' = N dq, as in dalembert/tree.h), and v, v', t, z and the inputs by themselves; lambda stays.
 *
 * Switches keep the pieces that hold at the point: at a corner the derivative is one-sided. Dry friction is not among the forces here.
 */
#ifndef DAL_VARIATION_VARIATION_H
#define DAL_VARIATION_VARIATION_H

#include "dalembert/system.h"

typedef struct dal_variation dal_variation;

/* Where: all of a state. NULL: zero. */
typedef struct dal_variation_point {
    double t;
    const double *q, *v, *z, *inputs; /* of the state */
    const double *vd, *lambda;        /* accelerations, multipliers */
    const double *winding;
    const int *chart;
    const int *modes; /* of the actions */
} dal_variation_point;

/* Whereto; NULL: zero. */
typedef struct dal_variation_direction {
    double t;
    const double *q, *v, *vd; /* nv each */
    const double *z, *inputs;
} dal_variation_direction;

/* What changes; NULL: not wanted. */
typedef struct dal_variation_result {
    double *motion;             /* nv: r */
    double *phi, *phid, *phidd; /* n_rows */
    double *states;             /* z' */
    double *columns;            /* of the system; NAN where one needs more than the motion (reactions, energies) */
    double *values, *rates;     /* and what they are: the columns, z' */
} dal_variation_result;

/* `family`: dal_family_number of the layout's. NULL: no memory, or a layout without columns. The system has to outlive it. */
dal_variation *dal_variation_create(const dal_allocator *allocator, const dal_system *system, int family);
void dal_variation_free(dal_variation *variation);
/* 0, or the number from 1 of a table whose range was exceeded. */
int dal_variation_along(dal_variation *variation, const dal_variation_point *at, const dal_variation_direction *along,
                        const dal_variation_result *out);

/* How many switches of the forces and states are exactly at a corner: the derivatives above are one-sided there. */
int dal_variation_corners(dal_variation *variation, const dal_variation_point *at);

#endif
