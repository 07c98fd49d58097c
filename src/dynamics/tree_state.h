/* The joint tree of a state: links, loops and sweeps (tree/), and the calls of dynamics/recursive.c on them. */
#ifndef DAL_DYNAMICS_TREE_STATE_H
#define DAL_DYNAMICS_TREE_STATE_H

#include "state/owner.h"
#include "tree/sweep.h"

typedef struct dal_tree_state {
    const dal_links *joint_tree;    /* of the system; NULL: none */
    const dal_recursion *recursion; /* of the system: kernels for this machine */
    dal_links_work links;           /* where the system has links: dal_tree_refresh, then the kernels of tree/ */
    dal_loops_work loops;           /* where it has loops: dal_tree_factor */
    dal_sweep_work sweep;           /* where it can be swept: the kernels of tree/sweep.c */
    double *vd_more;                /* what refinement adds to v': recursive.c */
    void *wide; /* of a layout without columns: memory of work.jacobian, work.M and work.body_column, allocated by dal_state_widen */
    dal_derivatives_work derivatives; /* of tree_derivatives.c, once a caller has asked for them */
    void *derivatives_memory;         /* allocated with them */
} dal_tree_state;

extern const dal_owner dal_tree_owner;

/* Call this before reading M or the columns of bodies, but never in a step: where the system was compiled without columns it
 * allocates room for them. False: there is no memory. */
bool dal_state_widen(dal_state *state);
/* Inertias of the links and the wrenches that their motion needs, at work.q, work.v. */
void dal_tree_refresh(dal_state *state);
/* Frames of the bodies and how they move, from the links at work.q, work.v. */
void dal_tree_motion(dal_state *state);
/* Factor and solve as dal_saddle_factor, on the links; without the scaling. */
double dal_tree_factor(dal_state *state);
void dal_tree_saddle(dal_state *state, double *f, double *b);

#endif
