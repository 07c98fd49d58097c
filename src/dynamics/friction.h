/* Dry friction in joints: forces that depend on the reactions themselves. */
#ifndef DAL_DYNAMICS_FRICTION_H
#define DAL_DYNAMICS_FRICTION_H

#include "force/sliding.h"
#include "integrate/integrate.h"

typedef struct dal_state dal_state;
typedef struct dal_system dal_system;

/* Yields: at its limit, and at rest because others hold it. */
typedef enum dal_slip { DAL_SLIPS, DAL_STICKS, DAL_YIELDS } dal_slip;

/* ---- friction.c ---- */

size_t dal_friction_work(const dal_system *system); /* doubles of state->friction->work */
/* The formulation's solution with the friction that its own reactions cause. */
dal_flow dal_friction_accelerate(dal_state *state);
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
