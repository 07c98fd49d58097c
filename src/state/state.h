/* A state: all that changes, one per thread, beside the const system that it belongs to.
 *
 * A state is made of parts. Each is a struct that its owner declares, lays out, resets and copies, in the owner's own header and file;
 * here are only the numbers that all of them read. The bits of `stages` say what is known of the present (t, q, v): call dal_need before
 * reading a number, and dal_state_moved after changing q or v.
 *
 * The fields are for the step loop. Other files call (evaluate.h), or take the part that they need (state_parts.h).
 */
#ifndef DAL_STATE_STATE_H
#define DAL_STATE_STATE_H

#include "force/force.h"
#include "kinematics/family.h"
#include "state/evaluate.h"
#include "state/hold.h"

#include <assert.h>

/* Parts of a state, one per header; laid out, reset and copied in the order of system->owners. */
struct dal_state {
    const dal_system *system;
    const dal_layout *layout; /* of the system, as is the mechanism: most files read nothing else of it */
    const dal_mechanism *mechanism;
    dal_hold hold;                       /* its memory, and whose it is */
    unsigned stages;                     /* bits of dal_stage */
    dal_work work;                       /* t, q, v; frames, rows, M, h, Q: kinematics/family.h */
    dal_loads loads;                     /* computed by dal_state_push */
    double *y;                           /* flat state: q, w, states, work */
    double *vd, *lambda;                 /* accelerations, multipliers of all rows: computed by the formulation */
    double *gamma;                       /* right side of the rows, stabilised: computed by dal_state_stabilise */
    struct dal_values *values;           /* signals, expressions, inputs: values.h */
    struct dal_scratch *scratch;         /* work space for the duration of a call: scratch.h */
    struct dal_windings *turns;          /* whole turns: windings.h */
    struct dal_report *report;           /* counts, and what went wrong: report.h */
    struct dal_rank *rank;               /* which rows are independent: dynamics/row_rank.h */
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

/* Is there a state, and is its system still there? A state that is used after its system was freed is an error of the calling program: an assertion
 * fails in debug builds. */
static inline bool dal_state_usable(const dal_state *state)
{
    assert(!state || !dal_life_is_over(state->hold.life));
    return state && !dal_life_is_over(state->hold.life);
}
/* Are all these stages known? */
static inline bool dal_has(const dal_state *state, unsigned stages)
{
    return (state->stages & stages) == stages;
}

#endif
