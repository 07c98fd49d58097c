/* What changes: one state a thread, beside the const system that it belongs to.
 *
 * A state is made of parts. Each is a struct that is declared, laid out, reset and handed over by its owner, in the owner's own
 * header and file; here are only the numbers that all of them read. What is known of the present (t, q, v) is told by stages:
 * whoever reads a number asks for its stage first (dal_need), and what changes q or v takes the stages back (dal_state_moved).
 */
#ifndef DAL_STATE_STATE_H
#define DAL_STATE_STATE_H

#include "model/system.h"
#include "base/keep.h"
#include "state/hold.h"

#include <assert.h>

/* What has been computed of the present (t, q, v), a bit each. Formulations on the joint tree reach ACCELERATION without the ones
 * between: they are filled in when somebody needs them. */
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
    DAL_STAGE_NO_LOADS = 8192,    /* the evaluation did without LOADS, and JACOBIAN: dal_need fills them in */
    DAL_STAGE_NO_FORCES = 16384,  /* the same for everything before ACCELERATION, but angles that wind */
} dal_stage;

/* Parts of a state, one a header; laid out, reset and copied in the order of system->owners. */
struct dal_state {
    const dal_system *system;
    dal_hold hold;                       /* its memory, and whose it is */
    unsigned stages;                     /* bits of dal_stage */
    dal_work work;                       /* t, q, v; frames, rows, M, h, Q: kinematics/layout.h */
    dal_loads loads;                     /* computed by dal_state_push */
    double *y;                           /* flat state: q, w, states, work */
    double *vd, *lambda;                 /* accelerations, multipliers of all rows: computed by the formulation */
    double *gamma;                       /* right side of the rows, stabilised: computed by dal_state_stabilise */
    struct dal_values *values;           /* signals, expressions, inputs: values.h */
    struct dal_scratch *scratch;         /* room of whoever needs some for a moment: scratch.h */
    struct dal_windings *turns;          /* whole turns: windings.h */
    struct dal_report *report;           /* counts, and what went wrong: report.h */
    struct dal_rank *rank;               /* which rows are independent: dynamics/rank.h */
    struct dal_singular *singular;       /* how near a singular position is: dynamics/singular.h */
    struct dal_saddle *saddle;           /* the saddle matrix: dynamics/saddle.h */
    struct dal_speed_choice *speeds;     /* speeds and their basis: dynamics/speeds.h */
    struct dal_friction_state *friction; /* of dry joints: dynamics/friction_parts.h */
    struct dal_refinement *refinement;   /* dynamics/refine.h */
    struct dal_reactions *reactions;     /* of joints, and accelerations of bodies: dynamics/reactions.h */
    struct dal_tree_state *tree;         /* links, loops, sweeps: dynamics/tree_state.h */
    struct dal_network *network;         /* formulation `component`: component/network.h */
    struct dal_partition *partition;     /* coordinate-partitioning: integrate/partition.h */
};

/* The part of a state that one file owns. What it does not need is NULL. */
typedef struct dal_owner {
    void (*layout)(dal_block *block, const dal_system *system, dal_state *state); /* called twice: to measure, then to lay out */
    bool (*open)(dal_state *state);                     /* memory of its own, after all are laid out; false: there is none */
    void (*reset)(dal_state *state);                    /* to the start of the system; before anything is evaluated */
    void (*start)(dal_state *state);                    /* a new start at work.q, work.v */
    void (*copy)(const dal_state *from, dal_state *to); /* what a run has learnt, to another state of the same system */
    void (*keep)(dal_state *state, dal_keep *keep);     /* all that later digits depend on, to a blob or from one */
    void (*close)(dal_state *state);                    /* memory of its own; the system may be gone */
} dal_owner;

/* Room for count of *pointer; for a part, which is a local one while the block is only measured. */
#define DAL_LAYOUT(block, pointer, count) ((pointer) = dal_block_take((block), sizeof *(pointer) * (size_t)(count)))
#define DAL_LAYOUT_PART(block, part, local) (DAL_LAYOUT(block, part, 1), (part) ? (part) : &(local))

/* ---- state.c: one block, and whose it is ------------------------------------------------------- */

/* Is there a state, and is its system still there? A state that is used after its system was freed is an error of the calling program:
 * an assertion where there are such. */
static inline bool dal_state_usable(const dal_state *state)
{
    assert(!state || !dal_life_is_over(state->hold.life));
    return state && !dal_life_is_over(state->hold.life);
}
/* The same, with a sentence. */
bool dal_needs_state(dal_messages *messages, const char *function, const dal_state *state);
/* The same, and may users change it? */
bool dal_needs_own(dal_messages *messages, const char *function, dal_state *state);
/* May users change it? Not while it belongs to a run, which then hears of it. */
bool dal_state_own(dal_state *state, const char *function);
/* Everything that a run has learnt goes to another state of the same system; nothing flows back. */
void dal_state_copy(const dal_state *from, dal_state *to);
/* Everything of a state that later evaluations depend on, to the last digit. After it was read nothing is known but t and y. */
void dal_state_keep(dal_state *state, dal_keep *keep);
/* A start at (t, q, v): its momenta become the constants, speeds are chosen for it, and y is what the integrator sees of it. The rows
 * that are independent stay those of the start. */
dal_flow dal_state_adopt(dal_state *state, double t, const double *q, const double *v);

/* ---- stage.c: one function a stage, up to the loads -------------------------------------------- */

static inline bool dal_has(const dal_state *state, unsigned stages)
{
    return (state->stages & stages) == stages;
}
/* y -> work->q, v; t. With speeds, v is known only where A is: then also POSITION and JACOBIAN. */
dal_flow dal_state_unpack(dal_state *state, double t, const double *y);
/* The same where (t, y) may be what the state holds already: what is known of it, up to the forces, stays known. Only if nothing else has changed
 * since: inputs, pieces of the forces. */
dal_flow dal_state_revisit(dal_state *state, double t, const double *y);
/* work.q, work.v -> y. */
dal_flow dal_state_pack(dal_state *state, double *y);
/* work.q, work.v or work.t was changed: nothing is known any more. */
void dal_state_moved(dal_state *state);
void dal_state_frames(dal_state *state);   /* where they are not known */
void dal_state_columns(dal_state *state);  /* where they are not known */
void dal_state_position(dal_state *state); /* unless they are those that the speeds were unpacked with; so is A */
void dal_state_jacobian(dal_state *state);
void dal_state_velocity(dal_state *state);
dal_flow dal_state_push(dal_state *state);                  /* forces on bodies and coordinates */
dal_flow dal_state_motion(dal_state *state, bool jacobian); /* what is missing up to the forces; A only if it is asked for */
void dal_state_pull(dal_state *state);                      /* Q from them */
void dal_state_inertia(dal_state *state);                   /* M, h, pull; after push */
dal_flow dal_state_loads(dal_state *state);                 /* push, then inertia */
void dal_state_stabilise(dal_state *state);                 /* gamma */
/* M, h, Q, A and gamma: motion, inertia, stabilise, from what is known of the motion, or anew. False: the formulation does without (dal_skips_columns). */
bool dal_state_equations(dal_state *state, bool anew, dal_flow *flow);
int dal_state_not_finite(const dal_state *state); /* a body whose place or kinetic energy is no number, -1: none; after velocity */
/* Fill in the signals that a program reads, then run it. 0, or the table that was left. */
int dal_state_run(dal_state *state, const dal_compiled *compiled, const int *modes, double *out);
/* Formulation `recursive`: nothing with the columns of bodies, as long as nobody asks for them. */
bool dal_skips_columns(const dal_system *system);
/* state->report: the sentence, and a reason where something is decided by it. */
dal_flow dal_state_fail_for(dal_state *state, dal_reason reason, const char *format, ...) DAL_PRINTF(3, 4);
#define dal_state_fail(state, ...) dal_state_fail_for(state, DAL_REASON_OTHER, __VA_ARGS__)

/* ---- dynamics/forward.c: the stages behind -------------------------------------------------------- */

/* Whatever is missing of a stage, after an evaluation. FORCES and LOADS where the formulation did without them; BODIES, REACTIONS. */
void dal_need(dal_state *state, dal_stage stage);
dal_flow dal_state_accelerate(dal_state *state);                                        /* all stages up to v', lambda */
dal_flow dal_state_derivative(dal_state *state, double t, const double *y, double *dy); /* take, then rates */
dal_flow dal_state_rates(dal_state *state, double *dy); /* y' after take or revisit: what is missing of the evaluation */
double dal_state_power(dal_state *state);               /* of non-potential forces and drives */

#endif
