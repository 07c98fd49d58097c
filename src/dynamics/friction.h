/* Dry friction in joints: forces that depend on the reactions themselves. */
#ifndef DAL_DYNAMICS_FRICTION_H
#define DAL_DYNAMICS_FRICTION_H

#include "integrate/integrate.h"

typedef struct dal_state dal_state;
typedef struct dal_system dal_system;

enum { DAL_MAX_SLIP = 3 };

/* The surfaces slide with the velocity s of n components: levers times the rates of measures, or (turn) radius times the relative
 * angular velocity. The friction force e acts on the second body along s. Where an angle has no radius its lever is 1: s is in rad/s, e a
 * torque. */
typedef struct dal_friction {
    int joint, n, first; /* first: of its components among all */
    bool turn;           /* spherical: s = radius w */
    bool shifts;         /* s has a distance in it: its size is that of the model, else that of the radius */
    /* The part of the joint's force F that presses the surfaces together; `axis` in world axes. */
    void (*press)(const double axis[3], const double F[3], double out[3]);
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

/* Yields: at its limit, and at rest because others hold it. */
typedef enum dal_slip { DAL_SLIPS, DAL_STICKS, DAL_YIELDS } dal_slip;

/* ---- friction.c ---- */

size_t dal_friction_work(const dal_system *system); /* doubles of state->friction->work */
/* The formulation's solution with the friction that its own reactions cause. */
dal_flow dal_friction_accelerate(dal_state *state);
/* The force e of one element on its two bodies, onto the loads. */
void dal_friction_push(dal_state *state, const dal_friction *friction, const double *e);
/* Adds the friction to the reactions of the joints. */
void dal_friction_reactions(dal_state *state);
/* Of the last evaluation: component k of the force or torque along the coordinates of the joint (a ball: in world axes), on the second body. */
double dal_friction_effort(const dal_state *state, int element, int k);
double dal_friction_power(const dal_state *state, int element);

/* ---- friction_balance.c ---- */

/* The joint whose friction had no solution at about the time t, or grows beyond bounds in the last evaluation; or NULL. */
const char *dal_friction_jammed(const dal_state *state, double t);

/* ---- slip.c ---- */

/* Which surfaces stick at the present state; `ended`: of the elements that stick and slip, those whose mode has ended, or NULL. */
dal_flow dal_friction_restart(dal_state *state, const bool *ended);
/* Positive while the modes hold; one an element that sticks and slips. After accelerate. */
int dal_friction_guards(const dal_system *system);
void dal_friction_guard(const dal_state *state, double *guard);
const char *dal_friction_guard_name(const dal_system *system, int guard); /* the joint */
void dal_friction_accepted(dal_state *state);                             /* the directions of sliding follow the motion */

/* ---- stick.c ---- */

/* Moves sticking surfaces back to where they stuck, at rest; *moved: y has changed. */
dal_flow dal_friction_hold(dal_state *state, double t, double *y, bool *moved);

#endif
