/* The joint tree: which joint carries which body, and the elementary motions from the ground outwards.
 *
 * Every body has one parent (another body or the ground) and one carrier: a joint of the model, or nothing (then it is free
 * against the ground). A carrier is a sequence of steps from the parent's marker to the body's marker:
 *   T  a shift along an axis, R a turn about it, L a constant shift, P a turn with a shift in proportion (screw), Q any turn
 *      (quaternion; its velocity is the angular velocity against the parent, in the axes behind the step).
 * q is the coordinate of the joint as channels and files have it, its `zero:` included: the markers take the zero, and no step has to
 * subtract it.
 * A joint may be walked from its second body to its first. Its steps then stand in reverse order with the sign -1, so that the
 * coordinate is that of the second body relative to the first, as the joint measures it. A ball is always the body relative to its
 * parent.
 * Bodies are ordered so that parents come first, tree by tree and branch by branch: the columns of a tree with its root at the ground are contiguous.
 */
#ifndef DAL_KINEMATICS_TREE_H
#define DAL_KINEMATICS_TREE_H

#include "base/block.h"
#include "kinematics/family.h"

typedef enum dal_step_kind { DAL_STEP_SHIFT, DAL_STEP_TURN, DAL_STEP_CONSTANT, DAL_STEP_SCREW, DAL_STEP_BALL } dal_step_kind;

typedef struct dal_motion_step {
    dal_step_kind kind;
    int axis;       /* 0, 1, 2 */
    double sign;    /* -1 where a joint is walked from its second body to its first */
    double length;  /* CONSTANT: the shift; SCREW: shift a radian */
    double offset;  /* SCREW: the shift where the angle is zero */
    int q, v;       /* its coordinate(s) and velocity(ies); CONSTANT: -1 */
    int coordinate; /* which coordinate of its joint it is, or -1 */
    int winding;    /* TURN, SCREW: the counter of whole turns of its measure, or -1 */
    double zero;    /* its coordinate is that measure + zero; the markers of its carrier include it */
} dal_motion_step;

typedef struct dal_carrier {
    int body, parent;    /* parent DAL_GROUND: the ground */
    int joint;           /* of the mechanism; -1: free against the ground */
    int marker_parent;   /* which marker of the joint is the parent's: 0 or 1 */
    bool particle;       /* the body has no attitude: its axes are the world's */
    bool hinge;          /* in the plane: one turn, and the axes of both markers are those of their bodies */
    dal_marker from, to; /* on the parent, on the body; moved by the joint's `zero:`, so that they coincide where q = 0 */
    int step, n_steps;
    int first, n_own; /* its own velocities: the first of them, 0 where there are none, and how many */
    int tree;         /* number of the tree with its root at the ground: its block of M */
} dal_carrier;

enum { DAL_STEP_NUMBERS = 12 }; /* of each step in work->scratch: axes (9; only the ball has three, see flat_tree.c), shift (3), world axes */

struct dal_tree {
    int n_bodies, n_steps, n_joints, nq, nv, n_trees;
    dal_carrier *carrier; /* in the order of the tree */
    int *carrier_of;      /* of each body */
    dal_motion_step *step;
    bool flat;    /* all of it lies in the plane: flat_tree.c */
    bool chains;  /* flat, and no body carries two others */
    int *carries; /* of each joint of the mechanism: the body that it carries, or -1: it is cut */
};

/* How many numbers of q and of v a step has. */
static inline int dal_step_coordinates(const dal_motion_step *step)
{
    return step->kind == DAL_STEP_CONSTANT ? 0 : step->kind == DAL_STEP_BALL ? 4 : 1;
}

/* How many numbers of v a step has. */
static inline int dal_step_velocities(const dal_motion_step *step)
{
    return step->kind == DAL_STEP_CONSTANT ? 0 : step->kind == DAL_STEP_BALL ? 3 : 1;
}

/* The columns of all bodies, n_jacobian of them: those of the parent, then the body's own. */
void dal_tree_list_columns(const dal_layout *layout, int *list);

#ifndef DAL_SCALAR_VARIANT
/* The spanning tree with the fewest freedoms: joints that leave little motion are taken first. `cut` (a flag a joint, or NULL) keeps
 * joints out of it. */
dal_tree *dal_tree_build(dal_arena *arena, const dal_mechanism *mechanism, const bool *cut);
/* Does a row of the mechanism hold by construction? Rows of joints in the tree, but not their drives. */
bool dal_tree_holds(const dal_tree *tree, const dal_mechanism *mechanism, int row);
/* Sizes, columns of bodies, blocks of M of a layout with layout->tree: nq, nv, body[], block, body_column, angular, n_jacobian. Without
 * columns the sizes are those that they would have; n_jacobian is -1 where these are too large to be numbered. */
void dal_tree_columns(dal_arena *arena, dal_layout *layout);
/* Column k of v in the Jacobians of all bodies, 6 a body, as family->position has it; zero where it does not move the body. After
 * family->frames. */
void dal_tree_jacobian_column(const dal_layout *layout, const dal_work *work, int k, double *J);
extern const dal_block_array dal_tree_arrays[];
/* "A.angle" ...: what coordinate k of q (or velocity k of v) is called. plain: see dal_spec.plain_names. */
void dal_tree_name(const dal_tree *tree, const dal_mechanism *mechanism, bool plain, bool velocity, int k, char *buffer, size_t size);
#endif

#endif
