/* Exact derivatives of a network of components (component/network.h): its bodies and joints once more on complex numbers, which exchange complex port
 * variables. One coordinate, velocity or acceleration of one body at a time has the imaginary part h = 1e-30; then
 *
 *     v'                    that the body computes from the wrenches that it has
 *     its own residual      p.p - 1 = 0 in the form (23)
 *     residuals (23)        of the joints that receive its ports
 *     wrenches              that these joints publish, on all their sides, at given lambda
 *
 * have imaginary parts h times their derivatives, to rounding, and nothing else of the network has one. At a corner of a row they are one-sided, as in
 * variation.h.
 */
#ifndef DAL_VARIATION_NETWORK_SLOPES_H
#define DAL_VARIATION_NETWORK_SLOPES_H

#include "component/network.h"

typedef struct dal_network_slopes dal_network_slopes;

/* Where: what bodies and joints receive of a state; v' and lambda. */
typedef struct dal_network_point {
    double t;
    const double *q, *v, *vd, *lambda;
    const double *force, *direct, *time, *winding; /* as in dal_work */
    const int *chart;
} dal_network_point;

/* Whereto: rates of coordinate k of a body, of its velocity and of its acceleration. */
typedef struct dal_network_direction {
    int body, k;
    double q, v, vd;
} dal_network_direction;

typedef struct dal_network_change {
    double vd[DAL_BODY_VELOCITIES], own;
    double *residual; /* n_rows: those of the joints of the body are set */
    double *wrench;   /* 6 a connection: on sides of these joints */
} dal_network_change;

/* In the arena; the network has to outlive it. */
dal_network_slopes *dal_network_slopes_create(dal_arena *arena, const dal_layout *layout, const dal_network *network);
void dal_network_slopes_at(dal_network_slopes *slopes, const dal_network_point *at);
/* Stays until the next call. */
const dal_network_change *dal_network_slopes_along(dal_network_slopes *slopes, const dal_network_direction *along);

#endif
