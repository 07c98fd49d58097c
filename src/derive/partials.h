/* Partial velocities of the speeds, and the motion of the bodies for u' = 0: the formulations kane, gibbs-appell and volterra use them. */
#ifndef DAL_DERIVE_PARTIALS_H
#define DAL_DERIVE_PARTIALS_H

#include "derive/nodes.h"

typedef struct dal_partials {
    dal_node *c, *w; /* 3 (bodies x p): of the centre in world axes; angular, body axes */
} dal_partials;

/* T_i = J_i W */
dal_partials dal_derive_partial_velocities(dal_derivation *d);
/* Accelerations of a body for u' = 0: of its centre, world axes; angular, body axes. */
void dal_derive_accelerations(dal_derivation *d, int body, dal_node a[3], dal_node alpha[3]);
/* U_j = sum over k of W_kj Q_k */
dal_node dal_derive_applied(dal_derivation *d, int j);
/* The same by partial velocities: weights at the centres of mass, then the other forces. */
dal_node dal_derive_active(dal_derivation *d, const dal_partials *t, int j);
/* I w of a body, body axes */
void dal_derive_spin(dal_derivation *d, int body, const dal_node w[3], dal_node H[3]);

#endif
