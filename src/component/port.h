/* Ports: the whole interface between a body and a joint.
 *
 * A port is a frame fixed in a body. Through it
 *   the body publishes   x, R      place of its point, axes                         (19), (20)
 *                        x', w     velocity, angular velocity                        (25)
 *                        x'', w'   acceleration, angular acceleration                (27)
 *   the joint publishes  F, T      force on the body, torque about the port's point  (6), (17)
 * in world axes. Numbers are those of `planar-component-library`, written for space; a plane model has z = 0.
 *
 * A body owns its mass, its inertia and its state; from the wrenches at its ports it computes its acceleration, (5), (9). A joint
 * owns its equations f_k = 0; it receives the motion of its ports and has multipliers lambda_k that are the implicit variables of
 *     f_k'' + 2 alpha f_k' + beta^2 f_k = 0                                            (23)
 * A body whose attitude is given by Euler parameters (section 4) owns one such equation as well, p.p - 1 = 0, and its multiplier.
 * Neither sees the other: both types are opaque, and everything that they exchange is in this header.
 *
 * For solvers of a whole network, each also gives what is linear in it, at its ports only: the body its admittance, d (x'', w')
 * of a port by (F, T) at another, and the joint its rows, d f_k'' by (x'', w') of a port, which are the wrench of a unit of lambda_k
 * there as well (17). Components are kernels on dal_real: derivatives by place and velocity come from complex port variables
 * (variation/network_slopes.h).
 */
#ifndef DAL_COMPONENT_PORT_H
#define DAL_COMPONENT_PORT_H

#include "expr/expr.h"
#include "kinematics/family.h"

/* What a body publishes. Columns of R are the axes of the port. */
typedef struct dal_port_motion {
    dal_real x[3], R[9];
    dal_real xd[3], w[3];
    dal_real xdd[3], wd[3];
} dal_port_motion;

/* What a joint publishes; torque about the port's point. */
typedef struct dal_port_wrench {
    dal_real force[3], torque[3];
} dal_port_wrench;

/* Where a port is in its body: point, and axes as columns. */
typedef struct dal_port_place {
    double s[3], B[9];
} dal_port_place;

/* ---- bodies (body_component.c) -------------------------------------------------------- */

typedef struct dal_body_component dal_body_component;

/* What a body is made of. Its state is the place of its frame and, beside particles, its attitude. */
typedef struct dal_body_data {
    dal_space space;
    const dal_body *body; /* a rigid body or a particle, of positive mass and inertia; NULL: the ground, whose ports do not move */
    bool parameters;      /* attitude: two Euler parameters in the plane, four in space; else one angle, or three Euler angles */
    double alpha, beta;   /* (23), of its own equation */
    int n_ports;
    const dal_port_place *ports;
    const dal_layout *layout; /* on other scalars: that of the component on doubles */
} dal_body_data;

enum { DAL_BODY_VELOCITIES = 7 }; /* at most */

#define dal_body_component_create DAL_K(dal_body_component_create)
#define dal_body_component_place DAL_K(dal_body_component_place)
#define dal_body_component_move DAL_K(dal_body_component_move)
#define dal_body_component_receive DAL_K(dal_body_component_receive)
#define dal_body_component_source DAL_K(dal_body_component_source)
#define dal_body_component_hold DAL_K(dal_body_component_hold)
#define dal_body_component_accelerate DAL_K(dal_body_component_accelerate)
#define dal_body_component_set DAL_K(dal_body_component_set)
#define dal_body_component_acceleration DAL_K(dal_body_component_acceleration)
#define dal_body_component_publish DAL_K(dal_body_component_publish)
#define dal_body_component_residual DAL_K(dal_body_component_residual)
#define dal_body_component_multiplier DAL_K(dal_body_component_multiplier)
/* A component in the arena. */
dal_body_component *dal_body_component_create(dal_arena *arena, const dal_body_data *data);

/* Its state; chart: the axes of the three Euler angles (0, 1, 2 = x, y, z), NULL: what they were. Forgets all wrenches and its multiplier. */
void dal_body_component_place(dal_body_component *body, const dal_real *q, const dal_real *v, const int *chart);
/* The same, and forgets nothing. */
void dal_body_component_move(dal_body_component *body, const dal_real *q, const dal_real *v);
/* A wrench at a port, in the place of the one before; at the body's frame: what sources (gravity, springs, motors) exert; and forces
 * along its own coordinates. */
void dal_body_component_receive(dal_body_component *body, int port, const dal_port_wrench *wrench);
void dal_body_component_source(dal_body_component *body, const dal_port_wrench *wrench, const dal_real *along_coordinates);
/* The multiplier of its own equation. */
void dal_body_component_hold(dal_body_component *body, dal_real multiplier);
/* (5), (9): v' from all wrenches and the multiplier; or v' that an integrator gives. */
void dal_body_component_accelerate(dal_body_component *body);
void dal_body_component_set(dal_body_component *body, const dal_real *vd);
const dal_real *dal_body_component_acceleration(const dal_body_component *body); /* v' */
/* (19), (25), (27). */
void dal_body_component_publish(const dal_body_component *body, int port, dal_port_motion *motion);

/* (23) of its own equation at the present state and v'; and the multiplier with which what accelerate gives meets it. */
dal_real dal_body_component_residual(const dal_body_component *body);
dal_real dal_body_component_multiplier(const dal_body_component *body);

#ifndef DAL_SCALAR_VARIANT
int dal_body_component_velocities(const dal_body_component *body); /* length of q, v and v' */
int dal_body_component_rows(const dal_body_component *body);       /* its own equations: 1 with Euler parameters, else 0 */
/* Y (6 x 6): d (x'', w') of port i by (F, T) at port j. */
void dal_body_component_admittance(const dal_body_component *body, int i, int j, double Y[36]);
/* W (n x 6): d v' by (F, T) at a port; port -1: at the body's frame, where sources act. */
void dal_body_component_mobility(const dal_body_component *body, int port, double *W);
/* W (n): d v' by its own multiplier. Returns d residual by it. No other component takes part in either, and no wrench in the residual. */
double dal_body_component_own_mobility(const dal_body_component *body, double *W);
#endif
/* What the component on doubles was made of, with its layout. */
dal_body_data dal_body_component_data(const dal_body_component *body);

/* ---- joints (joint_component.c) ------------------------------------------------------------ */

typedef struct dal_joint_component dal_joint_component;

/* What a joint is made of: a mechanism whose bodies are its ports, in port axes, with the rows of one joint. */
typedef struct dal_joint_data {
    const dal_mechanism *mechanism; /* copied; its arrays are not */
    int n_times;                    /* time functions that its driven rows name */
    dal_form_program forms;
    double alpha, beta;       /* (23) */
    const dal_layout *layout; /* on other scalars: that of the component on doubles */
} dal_joint_data;

#define dal_joint_component_create DAL_K(dal_joint_component_create)
#define dal_joint_component_receive DAL_K(dal_joint_component_receive)
#define dal_joint_component_signal DAL_K(dal_joint_component_signal)
#define dal_joint_component_turns DAL_K(dal_joint_component_turns)
#define dal_joint_component_residual DAL_K(dal_joint_component_residual)
#define dal_joint_component_gradient DAL_K(dal_joint_component_gradient)
#define dal_joint_component_publish DAL_K(dal_joint_component_publish)
/* A component in the arena. */
dal_joint_component *dal_joint_component_create(dal_arena *arena, const dal_joint_data *data);

/* What a body publishes at the port of a side. */
void dal_joint_component_receive(dal_joint_component *joint, int side, const dal_port_motion *motion);
void dal_joint_component_signal(dal_joint_component *joint, int time, const dal_real f[3]); /* f, f', f'' of a drive */
void dal_joint_component_turns(dal_joint_component *joint, int winding, dal_real angle);    /* the value that an angle is to be near to */
/* (23) of all rows at what was received; 0, or the number (from 1) of a table that a form left. */
int dal_joint_component_residual(dal_joint_component *joint, double t, dal_real *residual);
/* After residual: rows x 6, d residual by (x'', w') of a side. */
const dal_real *dal_joint_component_gradient(const dal_joint_component *joint, int side);
/* After residual: (17). */
void dal_joint_component_publish(const dal_joint_component *joint, int side, const dal_real *lambda, dal_port_wrench *wrench);

#ifndef DAL_SCALAR_VARIANT
int dal_joint_component_sides(const dal_joint_component *joint); /* its ports */
int dal_joint_component_rows(const dal_joint_component *joint);  /* its rows, as many as multipliers */
#endif
/* What the component on doubles was made of, with its layout. */
dal_joint_data dal_joint_component_data(const dal_joint_component *joint);

#endif
