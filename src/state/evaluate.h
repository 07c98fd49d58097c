/* Calls on a state, and the stages of an evaluation; what a state is made of is in state.h. */
#ifndef DAL_STATE_EVALUATE_H
#define DAL_STATE_EVALUATE_H

#include "base/keep.h"
#include "base/message.h"
#include "base/reason.h"
#include "dalembert/system.h"
#include "force/signal.h"
#include "integrate/integrate.h"

/* What has been computed of the present (t, q, v), a bit each. Formulations on the joint tree reach ACCELERATION without the ones
 * between: dal_need computes them. */
typedef enum dal_stage {
    DAL_STAGE_FRAMES = 1,         /* work.kin: r, R of the bodies */
    DAL_STAGE_COLUMNS = 2,        /* work.jacobian, and what else the family's `position` leaves */
    DAL_STAGE_POSITION = 4,       /* work.phi, gradients of the measures */
    DAL_STAGE_JACOBIAN = 8,       /* work.A */
    DAL_STAGE_VELOCITY = 16,      /* rates of bodies and measures, work.phid, work.gamma */
    DAL_STAGE_FORCES = 32,        /* loads, forces on bodies and coordinates; gamma stabilised */
    DAL_STAGE_LOADS = 64,         /* work.M, h, Q */
    DAL_STAGE_ACCELERATION = 128, /* vd, lambda; wd of formulations with speeds. The evaluation succeeded: users may read */
    DAL_STAGE_FRICTION = 256,     /* the forces of dry friction belong to these */
    DAL_STAGE_BODIES = 512,       /* accelerations of the bodies */
    DAL_STAGE_REACTIONS = 1024,   /* reactions of the joints */
    DAL_STAGE_LINKS = 2048,       /* the joint tree: inertias and wrenches of its links, not yet eliminated */
    DAL_STAGE_UNPACKED = 4096,    /* POSITION and JACOBIAN, from unpacking the speeds: they are not computed again */
    DAL_STAGE_NO_LOADS = 8192,    /* the evaluation skipped LOADS and JACOBIAN: dal_need fills them in */
    DAL_STAGE_MEASURES = 32768,   /* vectors and measures that only records read, and angles that count turns */
    DAL_STAGE_NO_MULTIPLIERS =
        65536,                   /* the evaluation found the rates of the speeds alone: dal_need finds lambda, and LOADS where they were skipped */
    DAL_STAGE_SPEEDS = 131072,   /* v was found from values->w, with the present choice of speeds and rows */
    DAL_STAGE_NO_FORCES = 16384, /* the evaluation skipped all stages before ACCELERATION, except angles that count turns: dal_need fills them in */
} dal_stage;

/* ---- state.c: one block, and whose it is ------------------------------------------------------- */

/* Is there a state, and is its system still there? With a sentence if not. */
bool dal_needs_state(dal_messages *messages, const char *function, const dal_state *state);
/* The same, and may users change it? */
bool dal_needs_own(dal_messages *messages, const char *function, dal_state *state);
/* May users change it? Not while it belongs to a run: the attempt is reported to the run. */
bool dal_state_own(dal_state *state, const char *function);
/* Copies everything that a run has found to another state of the same system. */
void dal_state_copy(const dal_state *from, dal_state *to);
/* Everything of a state that later evaluations depend on, to the last digit. After it was read nothing is known but t and y. */
void dal_state_keep(dal_state *state, dal_keep *keep);
/* A start at (t, q, v): its momenta become the constants, speeds are chosen for it, and y is what the integrator sees of it. The rows
 * that are independent stay those of the start. */
dal_flow dal_state_adopt(dal_state *state, double t, const double *q, const double *v);

/* ---- stage.c: one function per quantity, up to the loads ---------------------------------------- */

/* y -> work->q, v; t. With speeds, v is known only where A is: then also POSITION and JACOBIAN. */
dal_flow dal_state_unpack(dal_state *state, double t, const double *y);
/* The same if (t, y) may equal the present ones: the stages up to the forces then stay valid. Only if nothing else has changed
 * since: inputs, pieces of the forces. */
dal_flow dal_state_revisit(dal_state *state, double t, const double *y);
/* work.q, work.v -> y. */
dal_flow dal_state_pack(dal_state *state, double *y);
/* work.q, work.v or work.t was changed: clears all stages. */
void dal_state_moved(dal_state *state);
/* Clears these stages. */
void dal_state_forget(dal_state *state, unsigned stages);
void dal_state_frames(dal_state *state);   /* where they are not known */
void dal_state_columns(dal_state *state);  /* where they are not known */
void dal_state_position(dal_state *state); /* unless they are those that the speeds were unpacked with; so is A */
void dal_state_jacobian(dal_state *state);
void dal_state_velocity(dal_state *state);
void dal_state_measures(dal_state *state);                  /* where they are not known; after velocity */
dal_flow dal_state_push(dal_state *state);                  /* forces on bodies and coordinates */
dal_flow dal_state_motion(dal_state *state, bool jacobian); /* what is missing up to the forces; A only if it is asked for */
void dal_state_pull(dal_state *state);                      /* Q from them */
void dal_state_inertia(dal_state *state);                   /* M, h, pull; after push */
dal_flow dal_state_loads(dal_state *state);                 /* push, then inertia */
void dal_state_stabilise(dal_state *state);                 /* gamma */
/* M, h, Q, A and gamma: motion, inertia, stabilise, from the known stages of the motion, or all computed again. False: the formulation does without
 * (dal_skips_columns). */
bool dal_state_equations(dal_state *state, bool refresh, dal_flow *flow);
int dal_state_not_finite(const dal_state *state); /* a body whose place or kinetic energy is not finite, -1: none; after velocity */
/* Fill in the signals that a program reads, then run it. 0, or the number of a table whose range was exceeded. */
int dal_state_run(dal_state *state, const dal_compiled *compiled, const int *modes, double *out);
/* Formulation `recursive`: the columns of the bodies are skipped until they are needed. */
bool dal_skips_columns(const dal_system *system);
/* state->report: the sentence, and a reason where something is decided by it. */
dal_flow dal_state_fail_for(dal_state *state, dal_reason reason, const char *format, ...) DAL_PRINTF(3, 4);
#define dal_state_fail(state, ...) dal_state_fail_for(state, DAL_REASON_OTHER, __VA_ARGS__)
dal_flow dal_state_left_table(dal_state *state, int number); /* `number` from 1 */

/* ---- dynamics/state_calls.c ------------------------------------------------------------------------- */

/* dal_state_evaluate, with A, M, h and Q also where the formulation does without. */
dal_status dal_evaluate_whole(dal_state *state, dal_messages *messages);

/* ---- dynamics/forward.c: the stages behind -------------------------------------------------------- */

/* After an evaluation: compute a stage that is missing. FORCES and LOADS, if the formulation skipped them; BODIES, REACTIONS. */
void dal_need(dal_state *state, dal_stage stage);
dal_flow dal_state_accelerate(dal_state *state);                                        /* all stages up to v', lambda */
dal_flow dal_state_accelerate_on(dal_state *state);                                     /* those that are not known yet */
dal_flow dal_state_derivative(dal_state *state, double t, const double *y, double *dy); /* unpack, then rates */
dal_flow dal_state_rates(dal_state *state, double *dy); /* y' after unpack or revisit: what is missing of the evaluation */
dal_flow dal_state_slope(dal_state *state, double *dy); /* the same; dal_need computes what y' does not need */
void dal_state_powers(dal_state *state, double *power); /* of non-potential forces and drives: one of each island, system->works */

#endif
