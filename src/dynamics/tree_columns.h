/* Columns of a tree, one at a time: the motion of the subtree for a unit of velocity k, and its rate. Plain code for calls
 * that are not made in the inner loop. */
#ifndef DAL_DYNAMICS_TREE_COLUMNS_H
#define DAL_DYNAMICS_TREE_COLUMNS_H

#include "dalembert/tree.h"
#include "state/evaluate.h"
#include "tree/kernels.h"

/* A unit of the velocity turns about `axis` through the origin r of its link and shifts along `direction`; world axes. The rates are
 * those along the motion. */
typedef struct dal_column_motion {
    double axis[3], direction[3], origin[3];
    double axis_rate[3], direction_rate[3], origin_rate[3];
} dal_column_motion;

/* Weight as an acceleration of the ground, for the calls of users: before rnea_forward and aba_velocity. */
void dal_tree_weigh(dal_state *state);
/* After the kernel `kinematics` (or more). */
void dal_tree_column(const dal_links *links, const dal_links_work *work, int column, dal_column_motion *out);
/* After rnea_forward. */
void dal_tree_column_rate(const dal_links *links, const dal_links_work *work, int column, dal_column_motion *out);

/* The check of arguments of the calls of users: a state whose system has a tree, and finite numbers of q, and of v, vd or tau, and wrenches where
 * they are given (NULL: not). */
dal_status dal_tree_accepts(const dal_state *state, const double *q, const double *v, const double *other, const dal_wrench *wrenches);

/* Subtracts wrenches on bodies, moved to the origins of their links, from those that the links need. After rnea_forward or aba_velocity. */
void dal_tree_load(const dal_links *links, dal_links_work *work, const dal_wrench *wrenches);

/* Where a body is: r, and R row-major. */
void dal_tree_place(const dal_links *links, const dal_links_work *work, int body, double r[3], double R[9]);

#endif
