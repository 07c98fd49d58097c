/* The Newton-Euler wrench of a body: the force and the moment about its centre of mass that its motion needs.
 *
 *     force  = m c''
 *     moment = d/dt (I w) = I alpha + w x I w              w x I w is the gyroscopic term
 *
 * In world axes I = R I' R^T; in the body's axes the same expression holds with the constant I' and w, alpha in these axes. All code outside tree/
 * and derive/ uses these functions: mass matrices and h of the families, formulations on bodies, reactions, power, components.
 */
#ifndef DAL_KINEMATICS_NEWTON_EULER_H
#define DAL_KINEMATICS_NEWTON_EULER_H

#include "kinematics/family.h"
#include "math/vec.h"

/* out = I alpha + w x H, H the angular momentum: I w. All of them in the same axes. */
static inline void dal_euler_moment(const dal_real I[9], const dal_real w[3], const dal_real alpha[3], const dal_real H[3], dal_real out[3])
{
    dal_mul3(I, alpha, out);
    dal_add_cross(w, H, out);
}

/* out = w x I w */
static inline void dal_gyroscopic_moment(const dal_real I[9], const dal_real w[3], dal_real out[3])
{
    dal_real H[3];
    dal_mul3(I, w, H);
    dal_cross(w, H, out);
}

/* A moment of inertia that is never small beside the others: the trace, about the body's own point. */
static inline double dal_size_of_inertia(const dal_body *body)
{
    const double *I = body->inertia, *c = body->center;
    return I[0] + I[4] + I[8] + body->mass * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
}

/* Momenta of a body in world axes, P = m c' and H = I w about the centre of mass, and their rates: the wrench. */
typedef struct dal_body_momenta {
    dal_real P[3], H[3], Pd[3], Hd[3];
} dal_body_momenta;

/* On entry of->P holds the velocity c' of the centre of mass; cdd is its acceleration. On return *of is complete, and I is the inertia in world
 * axes. */
static inline void dal_momenta_of(const dal_body *body, const dal_kin *kin, const dal_real cdd[3], const dal_real alpha[3], dal_real I[9],
                                  dal_body_momenta *of)
{
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, of->H);
    dal_euler_moment(I, kin->w, alpha, of->H, of->Hd);
    for (int i = 0; i < 3; i++) {
        of->P[i] *= body->mass;
        of->Pd[i] = body->mass * cdd[i];
    }
}

/* m times the velocity of the centre of mass, or its rate: m (R_b c + r_b). */
static inline void dal_mass_times_center(const dal_body *body, const dal_real Rb[9], const dal_real rb[3], dal_real out[3])
{
    dal_turn(Rb, body->center, out);
    for (int i = 0; i < 3; i++)
        out[i] = body->mass * (out[i] + rb[i]);
}

/* The wrench while v' = 0: m (R_b c + r_b) and I w_b + w x I w, from the biases of the family. I as above. */
static inline void dal_bias_wrench(const dal_body *body, const dal_kin *kin, dal_real I[9], dal_real force[3], dal_real moment[3])
{
    dal_real H[3];
    dal_mass_times_center(body, kin->Rb, kin->rb, force);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    dal_euler_moment(I, kin->w, kin->wb, H, moment);
}

/* The momentum of a body as a wrench at r: P = m c', H = I w + rho x P. */
static inline void dal_momentum_wrench(const dal_body *body, const dal_kin *kin, dal_real P[3], dal_real H[3])
{
    dal_real rho[3], I[9];
    dal_turn(kin->R, body->center, rho);
    dal_mass_times_center(body, kin->Rd, kin->rd, P);
    dal_turn_inertia(kin->R, body->inertia, I);
    dal_mul3(I, kin->w, H);
    dal_add_cross(rho, P, H);
}

#endif
