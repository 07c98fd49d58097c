/* Signals: the quantities of the mechanism that an expression may read. Each variable of a program is one signal.
 */
#ifndef DAL_FORCE_SIGNAL_H
#define DAL_FORCE_SIGNAL_H

#include "kinematics/family.h"

typedef enum dal_signal_kind {
    DAL_SIGNAL_TIME,
    DAL_SIGNAL_INPUT,           /* index */
    DAL_SIGNAL_STATE,           /* index: a state of the model; order 1: its rate (record only) */
    DAL_SIGNAL_MEASURE,         /* index; order 0, 1, 2; plus `zero` */
    DAL_SIGNAL_VECTOR,          /* index, component; order 0, 1, 2: a material point or direction */
    DAL_SIGNAL_OMEGA,           /* body, component; order 0 is the angular velocity, 1 its rate; world axes */
    DAL_SIGNAL_OMEGA_BODY,      /* the same in body axes */
    DAL_SIGNAL_KINDS_OF_MOTION, /* from here on results: they can be recorded, and forces cannot read them; some need v' and lambda */
    DAL_SIGNAL_ATTITUDE = DAL_SIGNAL_KINDS_OF_MOTION, /* body, component w x y z of the unit quaternion, continuous sign */
    DAL_SIGNAL_REACTION,  /* joint, component: force 0..2, torque 3..5 on the second body; 6 (k + 1) + these: on the body of its point k */
    DAL_SIGNAL_DRIVE,     /* joint: effort of its driven row */
    DAL_SIGNAL_EFFORT,    /* force: scalar force or torque of the element */
    DAL_SIGNAL_POWER,     /* force (component 0) or driven joint (component 1): its effort times the rate of what it acts on */
    DAL_SIGNAL_ENERGY,    /* index: 0 total, 1 kinetic, 2 potential, 3 work, 4 balance */
    DAL_SIGNAL_MOMENTUM,  /* component: linear 0..2, angular 3..5 */
    DAL_SIGNAL_RESIDUAL,  /* index: 0 position, 1 velocity */
    DAL_SIGNAL_SPEED,     /* index: a speed of the model */
    DAL_SIGNAL_FRICTION,  /* element of dry friction, component: force 0..2, torque 3..5 along its coordinates; 6: its power */
    DAL_SIGNAL_MULTIPLIER /* joint: multiplier of its first row */
} dal_signal_kind;

typedef struct dal_signal {
    dal_signal_kind kind;
    int index, component, order;
    double zero;
} dal_signal;

/* A program with the signals that it reads. */
typedef struct dal_compiled {
    dal_program *program; /* NULL: no outputs */
    int n_needs, *needs;  /* signals that have to be known first */
    int n_outputs;
    bool shared; /* both lie in the memory of the system's origin */
} dal_compiled;

/* Signals of motion up to velocity level, for programs of forces and states. */
#define dal_signal_value DAL_K(dal_signal_value)
dal_real dal_signal_value(const dal_work *work, const dal_real *states, const dal_real *inputs, const dal_signal *signal);

#endif
