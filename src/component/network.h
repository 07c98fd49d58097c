/* A network of components: a system in the form of the formulation `component`.
 *
 * Bodies and joints are opaque (port.h). The network has the connections, passes port variables along them, and solves for the multipliers.
 * Everything is laid out when a state is created; nothing is allocated afterwards.
 *
 * Explicitly: the residuals (23) are affine in all lambda. With r_0 those without joint wrenches, g_k,p the rows of a joint at a port
 * and Y the admittances of the bodies between their ports,
 *     S lambda = -r_0,    S_kl = sum over bodies, and over pairs of their ports (p, q), of g_k,p . Y_pq g_l,q
 * Implicitly: F(t, y, y', lambda) = 0 with
 *     q' - v = 0,   v' - (the body's acceleration from the wrenches at its ports) = 0,   f'' + 2 alpha f' + beta^2 f = 0 at (q, v, v')
 *     of joints, and of bodies that have an equation of their own
 *     and y' - f = 0 for states of the model and the work
 * of index 1, because (v', lambda) follow from (q, v).
 */
#ifndef DAL_COMPONENT_NETWORK_H
#define DAL_COMPONENT_NETWORK_H

#include "component/port.h"
#include "kinematics/family.h"
#include "math/sparse.h"
#include "base/arena.h"
#include "model/method.h"
#include "state/owner.h"

/* A side of a joint on a port of a body; body n_bodies is the ground. */
typedef struct dal_connection {
    int joint, side, body, port;
} dal_connection;

/* Inputs of a joint beside its ports: a time function of the system, or the reference of an angle. */
typedef struct dal_feed {
    int joint, local, global;
} dal_feed;

/* Ports c and d (connections) of one body: where the block (rows of the joint of c) x (rows of the joint of d) of S is. */
typedef struct dal_meeting {
    int c, d;
    size_t base, row_stride, column_stride;
} dal_meeting;

/* A block of dF/d(y, lambda): rows of one group, columns of another; entry (r, c) is start[first column + c] + offset + r. */
typedef struct dal_network_block {
    int row_group, column_group, offset;
} dal_network_block;

typedef struct dal_network_pattern {
    const dal_arena *arena;
    int n_groups, *first, *size; /* of groups: q of each body, v of each body, states, work, rows of each joint, own rows of each body */
    dal_network_block *block;    /* by column group, then row group */
    int n_blocks, *block_start;  /* of each column group, n_groups + 1 */
    int n_entries, *start, *row;
    bool *follows;          /* (n_bodies + 1)^2: sources of body j (or rates of states) that follow body i (or states), at i, j */
    int n_colours, *colour; /* of bodies and of the states: those of one colour have no source in common */
    struct dal_network_slopes *slopes;
    double *mobility;  /* of a body at the port of each connection: 6 x DAL_BODY_VELOCITIES */
    double *y, *slope; /* of the sources: a direction; 6 a body and the rates of states */
} dal_network_pattern;

typedef struct dal_network {
    const dal_arena *arena; /* owns everything here */
    int n_bodies, n_joints, n_connections, n_times, n_turns, n_meetings;
    int n_rows;                /* of all joints; the bodies' own come after them */
    int n_all;                 /* with those */
    dal_body_component **body; /* n_bodies, then the ground */
    dal_joint_component **joint;
    int *row;                   /* first row of each joint, n_joints + 1 */
    int *own_row;               /* of each body: the row that is its own, or -1 */
    dal_connection *connection; /* those of a joint side by side */
    int *of_joint;              /* first connection of each joint, n_joints + 1 */
    int *of_body, *at_port;     /* first port of each body and of the ground, n_bodies + 2; the connection at each port */
    dal_feed *times, *turns;
    dal_meeting *meeting;
    dal_port_wrench *wrench; /* a connection each */
    dal_real *residual;
    double *change, *scale;
    bool dense;
    int n_entries, *start, *pattern_row; /* of S by columns, where it is sparse */
    double *S;
    int *pivots;
    dal_sparse *sparse;
    bool *independent;             /* rows of the implicit form, n_all: those of its beginning */
    dal_network_pattern *implicit; /* NULL: not asked for yet */
} dal_network;

/* ---- network_build.c --------------------------------------------------------------- */

#ifndef DAL_SCALAR_VARIANT
/* joint_forms: the forms of each joint by themselves, or NULL. Returns NULL without memory. */
dal_network *dal_network_create(const dal_allocator *allocator, const dal_layout *layout, const dal_method *method, dal_program *const *joint_forms);
void dal_network_free(dal_network *network);
#endif

/* ---- network.c ------------------------------------------------------------------------ */

#define dal_network_begin DAL_K(dal_network_begin)
#define dal_network_residuals DAL_K(dal_network_residuals)
#define dal_network_wrenches DAL_K(dal_network_wrenches)
#define dal_network_hold DAL_K(dal_network_hold)
/* Bodies read their positions and sources from w, joints their signals; after position, velocity and loads. */
void dal_network_begin(dal_network *network, const dal_layout *layout, const dal_work *w);
/* Ports pass on their motion; residuals of all joints into network->residual. 0 or the table that a form left. */
int dal_network_residuals(dal_network *network, double t);
/* Joints pass on the wrenches of lambda. */
void dal_network_wrenches(dal_network *network, const dal_real *lambda);
/* Bodies read the multipliers of their own equations from lambda (n_all); or compute those that satisfy (23), and write them there. */
void dal_network_hold(dal_network *network, const dal_real *lambda);
#ifndef DAL_SCALAR_VARIANT
void dal_network_hold_themselves(dal_network *network, double *lambda);
/* (5), (9) of all bodies. */
void dal_network_accelerate(dal_network *network);
/* S of the present ports, after residuals, into network->S. */
void dal_network_assemble(dal_network *network);
double dal_network_entry(const dal_network *network, int i, int j); /* of S, after assemble */
/* The same, scaled to a unit diagonal and factored, with the rows of the mask. Returns the pivot ratio. */
double dal_network_factor(dal_network *network, const bool *independent);
/* After factor: -S^-1 residual on the rows of the mask, into network->change. */
void dal_network_correct(dal_network *network, const bool *independent);

/* ---- dynamics/component.c, network_implicit.c: of a state ------------------------------------------ */

extern const dal_owner dal_network_owner;
extern const dal_implicit_form dal_network_implicit;
#endif

#endif
