/* Wrenches of joints from multipliers, and where joints of a tree have none from the balance of the bodies behind them (wrenches.c). */
#ifndef DAL_KINEMATICS_WRENCHES_H
#define DAL_KINEMATICS_WRENCHES_H

#include "kinematics/family.h"

/* Accelerations of a body: the part linear in v', and the whole. */
typedef struct dal_acceleration {
    dal_real r_v[3], R_v[9];
    dal_real rdd[3], alpha[3];
} dal_acceleration;

/* What the wrenches are made of, beside frames, measures, rows and applied forces. */
typedef struct dal_wrench_parts {
    const dal_real *vd;
    const dal_acceleration *body; /* of each, along v' */
    dal_tangent *tangent;         /* scratch, one a body */
    dal_real *balance, *held;     /* eliminated rows: scratch of their equations, their multipliers; NULL where none are */
} dal_wrench_parts;

/* r'' = (part linear in v') + bias, for every body, from the tangents along v'. */
#define dal_accelerations_of DAL_K(dal_accelerations_of)
void dal_accelerations_of(const dal_layout *layout, const dal_work *work, const dal_tangent *tangent, dal_acceleration *out);

/* A force along a measure acts on each of its vectors with the gradient there: adds the wrench on a body, at P. */
#define dal_add_measure_wrench DAL_K(dal_add_measure_wrench)
void dal_add_measure_wrench(const dal_layout *layout, const dal_work *work, int measure, dal_real effort, int body, const dal_real P[3],
                            dal_real force[3], dal_real moment[3]);
/* Adds the wrench of a row of the mechanism with unit multiplier, times lambda, on a body, reduced to the point P. */
#define dal_add_row_wrench DAL_K(dal_add_row_wrench)
void dal_add_row_wrench(const dal_layout *layout, const dal_work *work, int row, dal_real lambda, int body, const dal_real P[3], dal_real force[3],
                        dal_real moment[3]);
/* The point of a joint on its body `side`, 0 or 1, in world axes. */
#define dal_joint_point DAL_K(dal_joint_point)
void dal_joint_point(const dal_layout *layout, const dal_work *work, int joint, int side, dal_real P[3]);
/* Of body b, a force at r and a moment about it: m c'' and I alpha + w x I w, taken to r. */
#define dal_inertia_wrench DAL_K(dal_inertia_wrench)
void dal_inertia_wrench(const dal_layout *layout, const dal_work *work, const dal_acceleration *a, int b, dal_real force[3], dal_real moment[3]);
/* The wrenches of all joints on their second bodies: out has 6 a joint. `moving`: with inertia and applied forces; else only the part that is linear in
 * the multipliers. Forces of `non-ideal:` and friction are not among them. */
#define dal_wrenches_of_joints DAL_K(dal_wrenches_of_joints)
void dal_wrenches_of_joints(const dal_layout *layout, dal_work *work, const dal_wrench_parts *parts, const dal_real *lambda, bool moving,
                            dal_real *out);

#endif
