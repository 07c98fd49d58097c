/* Surfaces of a joint that slide on each other: what dry friction acts along, and what presses them together. The laws are in dynamics/friction.c. */
#ifndef DAL_FORCE_SLIDING_H
#define DAL_FORCE_SLIDING_H

#include "force/force.h"

enum { DAL_MAX_SLIP = 3 };

/* The surfaces slide with the velocity s of n components: levers times the rates of measures, or (turn) radius times the relative
 * angular velocity. The friction force e acts on the second body along s. Where an angle has no radius its lever is 1: s is in rad/s, e a
 * torque. */
typedef struct dal_friction {
    int joint, n, first; /* first: of its components among all */
    bool turn;           /* spherical: s = radius w */
    bool shifts;         /* s has a distance in it: its size is that of the model, else that of the radius */
    /* The part of the joint's force F that presses the surfaces together: whole F + along (F . a) a, a the axis of the joint. */
    double whole, along;
    double axis[3]; /* of the joint, in the axes of its first body */
    double share;   /* the normal force is share times the pressing one (threads) */
    int terms;      /* measures a component: 1, screw 2 */
    int measure[DAL_MAX_SLIP];
    double lever[DAL_MAX_SLIP];
    double sliding, resting, stribeck, viscous; /* coefficients of friction, Stribeck's velocity, N s/m */
    double limit, resting_limit;                /* the part of |e| that does not depend on the normal force: sliding, at rest */
    int limit_of, resting_limit_of;             /* expressions that these are multiplied by, as a brake has them; -1: constant */
    double gear;                                /* s over the rate of the coordinate that a limit acts on */
    double regular;                             /* velocity over which the force is made smooth; 0: it sticks and slips */
} dal_friction;

/* Is its limit a function of time and motion? */
static inline bool dal_friction_varies(const dal_friction *f)
{
    return f->limit_of >= 0 || f->resting_limit_of >= 0;
}

/* Does it depend on the normal force at all? */
static inline bool dal_friction_presses(const dal_friction *f)
{
    return f->sliding > 0 || f->resting > 0;
}

/* Does the element stick and slip, so that it has a guard? */
static inline bool dal_friction_switches(const dal_friction *f)
{
    return !(f->regular > 0);
}

/* How many components n elements have. */
static inline int dal_sliding_components(const dal_friction *list, int n)
{
    return n ? list[n - 1].first + list[n - 1].n : 0;
}

/* s, at the rates of measures or the angular velocities of the bodies. */
#define dal_sliding_velocity DAL_K(dal_sliding_velocity)
void dal_sliding_velocity(const dal_mechanism *mechanism, const dal_work *work, const dal_friction *f, dal_real *s);
/* out = radius (second - first) */
static inline void dal_sliding_turn(const dal_friction *f, const dal_real *second, const dal_real *first, dal_real out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = f->lever[0] * (second[i] - first[i]);
}
/* The force e of one element on its two bodies, onto the loads. Its power is not counted. */
#define dal_sliding_push DAL_K(dal_sliding_push)
void dal_sliding_push(dal_loads *loads, const dal_friction *f, const dal_real *e);
/* share times the pressing part of a force F of the joint: its length is the normal force. */
#define dal_sliding_press DAL_K(dal_sliding_press)
void dal_sliding_press(const dal_mechanism *mechanism, const dal_work *work, const dal_friction *f, const dal_real F[3], dal_real out[3]);

#endif
