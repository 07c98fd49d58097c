/* Reactions of joints and accelerations of bodies: reactions.c. */
#ifndef DAL_DYNAMICS_REACTIONS_H
#define DAL_DYNAMICS_REACTIONS_H

#include "kinematics/wrenches.h"
#include "state/evaluate.h"
#include "state/owner.h"

typedef struct dal_reactions {
    dal_acceleration *body; /* of each: DAL_STAGE_BODIES, computed by dal_need */
    double *wrench;         /* 6 a joint: DAL_STAGE_REACTIONS, computed by dal_find_reactions, as is all that follows */
    bool *loose;            /* 6 a joint: components of its reaction that are not unique */
    double *held;           /* multipliers of the eliminated rows of natural coordinates, beside wrench */
    double *balance;        /* and scratch of their equations */
    double *redundancy;     /* scratch of the distribution of redundant reactions; NULL where no row is redundant */
} dal_reactions;

extern const dal_owner dal_reactions_owner;

/* Adds the wrench of a force along a measure on the second body of a joint, at its point. */
void dal_add_measure(const dal_state *state, int joint, int measure, double effort, double wrench[6]);
/* Adds the power of the forces that hold bodies on a path that time gives (V_t of the family `user`), by islands. */
void dal_placement_powers(dal_state *state, double *power);
/* The multiplier of a row of the mechanism that is a row or was eliminated, zero where it was derived: it is no force. After DAL_STAGE_REACTIONS. */
double dal_multiplier_of(const dal_state *state, int row);
/* Of redundant rows: how many null vectors A^T Z = 0 there are among which reactions are chosen, and the vectors, one behind the other. They stay until
 * other reactions are found. */
int dal_free_multipliers(dal_state *state, const double **Z);
/* The weight of a component of a joint's wrench in the sum that the choice minimises. */
double dal_weight_of_reaction(const dal_system *system, int component);
/* The wrenches: for dal_need(state, DAL_STAGE_REACTIONS). */
void dal_find_reactions(dal_state *state);
/* Of a joint of the model's own, after that: force and torque (component 0..5) on the body of its point `side`, at that point. */
double dal_side_reaction(const dal_state *state, int joint, int side, int component);

/* ---- channel_values.c -------------------------------------------------------------------------- */

/* Signals of motion and results, after accelerate. */
double dal_state_signal(dal_state *state, const dal_signal *signal);
dal_flow dal_state_record(dal_state *state, double *row);    /* the recorded columns at the present evaluation */
dal_flow dal_state_sample(dal_state *state, double *values); /* the inputs that are sampled and held, there */

/* ---- state_calls.c ------------------------------------------------------------------------------ */

dal_energy dal_energy_now(const dal_state *state); /* at the present kinematics and loads */
double dal_work_now(const dal_state *state);       /* of all islands */
/* T, V and W of each island of several, three numbers each, at the present kinematics and loads. */
void dal_island_energies(const dal_state *state, double *energy);
void dal_residuals_now(const dal_state *state, double *position, double *velocity);

#endif
