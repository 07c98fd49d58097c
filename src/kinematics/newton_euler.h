/* The Newton-Euler equations of one body, in world axes. The centre of mass is at rho = R s_c from r:
 *   momentum          P = m c',    H = I w                  about the centre of mass
 *   inertial wrench   F = m c'',   N = I w' + w x I w       its rate
 * The kernels that need a wrench at r add rho x P or rho x F.
 */
#ifndef DAL_KINEMATICS_NEWTON_EULER_H
#define DAL_KINEMATICS_NEWTON_EULER_H

#include "kinematics/family.h"
#include "math/vec.h"

/* F = m (r'' + R'' s_c) and N = I w' + w x I u, I in world axes. u is w; or, of a form that is linear in u, the direction that takes its
 * place. With the biases instead of r'', R'' and w' it is what remains for v' = 0. */
static inline void dal_inertial_wrench(const dal_body *body, const dal_real I[9], const dal_real rdd[3],
                                       const dal_real Rdd[9], const dal_real w[3], const dal_real u[3],
                                       const dal_real wd[3], dal_real F[3], dal_real N[3])
{
    dal_real spin[3];
    dal_turn(Rdd, body->center, F);
    for (int i = 0; i < 3; i++)
        F[i] = body->mass * (F[i] + rdd[i]);
    dal_mul3(I, u, spin);
    dal_mul3(I, wd, N);
    dal_add_cross(w, spin, N); /* the gyroscopic term w x I w */
}

/* The momentum of a body as a wrench at r: P = m (r' + R' s_c) and I w + rho x P. */
static inline void dal_momentum_wrench(const dal_body *body, const dal_kin *kin, dal_real P[3], dal_real H[3])
{
    dal_real rho[3], I[9];
    dal_turn(kin->R, body->center, rho);
    dal_turn(kin->Rd, body->center, P);
    for (int i = 0; i < 3; i++)
        P[i] = body->mass * (P[i] + kin->rd[i]);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    dal_add_cross(rho, P, H);
}

#endif
