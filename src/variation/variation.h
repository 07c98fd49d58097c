/* Exact derivatives of the equations of motion of a model, in any family: every kernel between (t, q, v) and
 *
 *     r   = M v' + h - Q - A^T lambda          equations of motion, at given v' and lambda
 *     phi,   phi' = A v - beta,   phi'' = A v' - gamma       rows
 *     z'                                       rates of the model's own states
 *
 * is written on dal_real and compiled for complex numbers as well. f(x + i h dx) = f(x) + i h df - O(h^2): with h = 1e-30 the imaginary part is df to
 * rounding. A direction moves q along velocities (q' = N dq, as in dalembert/tree.h), and v, t, z and the inputs by themselves; v' and lambda stay.
 *
 * Switches keep the pieces that hold at the point: at a corner the derivative is one-sided. Dry friction is not among the forces here.
 */
#ifndef DAL_VARIATION_VARIATION_H
#define DAL_VARIATION_VARIATION_H

#include "model/system.h"

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
    const double *q, *v; /* nv each */
    const double *z, *inputs;
} dal_variation_direction;

/* What changes; NULL: not wanted. */
typedef struct dal_variation_result {
    double *motion;             /* nv: r */
    double *phi, *phid, *phidd; /* n_rows */
    double *states;             /* z' */
} dal_variation_result;

/* `family`: its number in dal_families. NULL: no memory, or a layout without columns. The system has to outlive it. */
dal_variation *dal_variation_create(const dal_allocator *allocator, const dal_system *system, int family);
void dal_variation_free(dal_variation *variation);
/* 0, or the number from 1 of a table whose range was exceeded. */
int dal_variation_along(dal_variation *variation, const dal_variation_point *at, const dal_variation_direction *along,
                        const dal_variation_result *out);

#endif
