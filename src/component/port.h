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
 * For solvers of a whole network, each also gives its own derivatives, at its ports only: the body its admittance, d (x'', w')
 * of a port by (F, T) at another, and the joint its rows, d f_k'' by (x'', w') of a port, which are the wrench of a unit of lambda_k
 * there as well (17). `linearise` finds the derivatives by place and velocity.
 */
#ifndef DAL_COMPONENT_PORT_H
#define DAL_COMPONENT_PORT_H

#include "expr/expr.h"
#include "kinematics/family.h"

/* What a body publishes. Columns of R are the axes of the port. */
typedef struct dal_port_motion {
    double x[3], R[9];
    double xd[3], w[3];
    double xdd[3], wd[3];
} dal_port_motion;

/* What a joint publishes; torque about the port's point. */
typedef struct dal_port_wrench {
    double force[3], torque[3];
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
} dal_body_data;

enum { DAL_BODY_VELOCITIES = 7 }; /* at most */

/* A component in the arena. */
dal_body_component *dal_body_component_create(dal_arena *arena, const dal_body_data *data);
int dal_body_component_velocities(const dal_body_component *body); /* length of q, v and v' */
int dal_body_component_rows(const dal_body_component *body);       /* its own equations: 1 with Euler parameters, else 0 */

/* Its state; chart: the axes of the three Euler angles (0, 1, 2 = x, y, z), NULL: what they were. Forgets all wrenches and its multiplier. */
void dal_body_component_place(dal_body_component *body, const double *q, const double *v, const int *chart);
/* A wrench at a port, in the place of the one before; at the body's frame: what sources (gravity, springs, motors) exert; and forces
 * along its own coordinates. */
void dal_body_component_receive(dal_body_component *body, int port, const dal_port_wrench *wrench);
void dal_body_component_source(dal_body_component *body, const dal_port_wrench *wrench, const double *along_coordinates);
/* The multiplier of its own equation. */
void dal_body_component_hold(dal_body_component *body, double multiplier);
/* (5), (9): v' from all wrenches and the multiplier; or v' that an integrator gives. */
void dal_body_component_accelerate(dal_body_component *body);
void dal_body_component_set(dal_body_component *body, const double *vd);
const double *dal_body_component_acceleration(const dal_body_component *body); /* v' */
/* (19), (25), (27). */
void dal_body_component_publish(const dal_body_component *body, int port, dal_port_motion *motion);

/* (23) of its own equation at the present state and v'; and the multiplier with which what accelerate gives meets it. */
double dal_body_component_residual(const dal_body_component *body);
double dal_body_component_multiplier(const dal_body_component *body);

/* Y (6 x 6): d (x'', w') of port i by (F, T) at port j. */
void dal_body_component_admittance(const dal_body_component *body, int i, int j, double Y[36]);
/* W (n x 6): d v' by (F, T) at a port; port -1: at the body's frame, where sources act. */
void dal_body_component_mobility(const dal_body_component *body, int port, double *W);
/* W (n): d v' by its own multiplier. Returns d residual by it. No other component takes part in either, and no wrench in the residual. */
double dal_body_component_own_mobility(const dal_body_component *body, double *W);

/* Derivatives at the present state, wrenches and v'; found by linearise, in arrays that stay the body's. */
typedef struct dal_body_slopes {
    const double *own_q, *own_v;   /* n x n: of what accelerate computes, by q and v */
    const double *port_q, *port_v; /* 18 x n a port: of (x, turn; x', w; x'', w'), at the v' that it has */
    const double *port_a;          /* 6 x n a port: of (x'', w') by v'; the same as of (x, turn) by q and of (x', w) by v */
    const double *row_q, *row_v;   /* n: of the residual of its own equation */
    const double *row_a;           /* n: the same by v' */
} dal_body_slopes;
/* At the present state; the wrenches and v' as they were last. */
dal_body_slopes dal_body_component_linearise(dal_body_component *body);

/* ---- joints (joint_component.c) ------------------------------------------------------------ */

typedef struct dal_joint_component dal_joint_component;

/* What a joint is made of: a mechanism whose bodies are its ports, in port axes, with the rows of one joint. */
typedef struct dal_joint_data {
    const dal_mechanism *mechanism; /* copied; its arrays are not */
    int n_times;                    /* time functions that its driven rows name */
    dal_form_program forms;
    double alpha, beta; /* (23) */
    double length;      /* a length of the model: steps of differences are measured in it; 0: 1 */
} dal_joint_data;

/* A component in the arena. */
dal_joint_component *dal_joint_component_create(dal_arena *arena, const dal_joint_data *data);
int dal_joint_component_sides(const dal_joint_component *joint); /* its ports */
int dal_joint_component_rows(const dal_joint_component *joint);  /* its rows, as many as multipliers */

/* What a body publishes at the port of a side. */
void dal_joint_component_receive(dal_joint_component *joint, int side, const dal_port_motion *motion);
void dal_joint_component_signal(dal_joint_component *joint, int time, const double f[3]); /* f, f', f'' of a drive */
void dal_joint_component_turns(dal_joint_component *joint, int winding, double angle);    /* the value that an angle is to be near to */
/* (23) of all rows at what was received; 0, or the number (from 1) of a table that a form left. */
int dal_joint_component_residual(dal_joint_component *joint, double t, double *residual);
/* After residual: rows x 6, d residual by (x'', w') of a side. */
const double *dal_joint_component_gradient(const dal_joint_component *joint, int side);
/* After residual: (17). */
void dal_joint_component_publish(const dal_joint_component *joint, int side, const double *lambda, dal_port_wrench *wrench);

/* Derivatives at what was received; found by linearise, in arrays that stay the joint's. A port is displaced by a shift and a turn (6). */
typedef struct dal_joint_slopes {
    const double *row_x, *row_v; /* rows x (6 a side): of the residual by displacement and by (x', w) */
    const double *wrench_x;      /* (6 a side) x (6 a side): of all wrenches by displacements, at lambda */
} dal_joint_slopes;
/* By differences of the residual and of the wrenches. */
dal_joint_slopes dal_joint_component_linearise(dal_joint_component *joint, double t, const double *lambda);

#endif
