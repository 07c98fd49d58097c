/* Are the accelerations determined (determined.c), and which coordinates are ignorable (ignorable.c)? */
#ifndef DAL_DYNAMICS_DETERMINED_H
#define DAL_DYNAMICS_DETERMINED_H

#include "base/arena.h"
#include "state/evaluate.h"

/* Did the last evaluation stop at a singular matrix of the equations of motion? M, A, h and Q are known nevertheless. */
bool dal_state_singular(dal_state *state);
/* The failure of a formulation that meets one. */
dal_flow dal_fail_undetermined(dal_state *state);
typedef struct dal_determined {
    int rank;          /* of [M; A]; -1: not finite, or too large to be asked */
    char names[400];   /* of the velocities, or bodies, whose accelerations are open */
    char text[800];    /* the verdict as a sentence; "" where it is not finite */
    dal_reason reason; /* of the verdict: ROUNDING, or OTHER */
    int first, body;   /* one of them */
} dal_determined;
enum { DAL_LARGEST_DETERMINED = 1500 }; /* velocities up to which that can be asked */
/* After accelerations were found: does the factorisation leave a doubt that they are determined? The tolerance of the rank that decides; 0: none.
 * A small pivot may be the rounding of a zero, or a small inertia: then only what vanishes to rounding counts as zero. */
double dal_state_doubt(const dal_state *state);
/* Is rank [M; A] = nv at the state that was evaluated? */
bool dal_state_determined(dal_arena *arena, const dal_state *state, double tolerance, dal_determined *out);

/* The null space of [M; A] at the state that was evaluated: rows of velocities, each times its column scale. `stack`: [M; A], `rows` of them, in
 * the same scale. Returns how many; -1: not finite, or too large to be asked. */
int dal_state_null(dal_arena *arena, const dal_state *state, double **null, double **stack, int *rows);

/* Derived rows have no force. If their multipliers are of the size of the other forces, the derived rows no longer express the balance of forces: the
 * check fails. After an evaluation. */
dal_flow dal_derived_check(dal_state *state);

/* Why a body alone cannot be accelerated: "no mass", "a zero moment of inertia"; NULL: it can. */
const char *dal_body_lacks(const dal_mechanism *mechanism, const dal_body *body);

/* M + mu A_i^T A_i of a block, into L, and f + mu A_i^T gamma_i of the same block, with the intrinsic rows A_i of its body
 * (udwadia_kalaba.c): M is then regular, and the accelerations are the same. After M and A. */
void dal_complete_inertia(const dal_state *state, int block, double *L);
void dal_complete_force(const dal_state *state, int block, const double *gamma, double *force);

/* Columns of v that are ignorable coordinates, ascending; returns their number. */
int dal_find_ignorable(dal_state *state, int *columns);
/* The message of formulations that need the kinetic energy of every sub-system, if one has none. */
bool dal_energy_applies(const dal_system *system, dal_refusal *why);
/* The message of formulations that need ignorable coordinates, if there are none. */
bool dal_ignorable_applies(const dal_system *system, dal_refusal *why);

#endif
