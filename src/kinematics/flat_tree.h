/* The joint tree of a planar model: flat_tree.c. */
#ifndef DAL_KINEMATICS_FLAT_TREE_H
#define DAL_KINEMATICS_FLAT_TREE_H

#include "kinematics/tree.h"

#define dal_flat_frames DAL_K(dal_flat_frames)
#define dal_flat_columns DAL_K(dal_flat_columns)
#define dal_flat_velocity DAL_K(dal_flat_velocity)
#define dal_flat_motion DAL_K(dal_flat_motion)
#define dal_flat_tangent DAL_K(dal_flat_tangent)
#define dal_flat_inertia DAL_K(dal_flat_inertia)
void dal_flat_frames(const dal_layout *layout, dal_work *work);   /* r, R; axes and shifts of the steps */
void dal_flat_columns(const dal_layout *layout, dal_work *work);  /* work->jacobian, after the frames */
void dal_flat_velocity(const dal_layout *layout, dal_work *work); /* r', w, biases */
void dal_flat_motion(const dal_layout *layout, dal_work *work);   /* all of these, body by body */
void dal_flat_tangent(const dal_layout *layout, const dal_work *work, const dal_direction *direction);
void dal_flat_inertia(const dal_layout *layout, dal_work *work); /* M, h */

#ifndef DAL_SCALAR_VARIANT
/* Do these apply? All markers and steps lie in the plane z = 0. */
bool dal_tree_is_flat(const dal_tree *tree, const dal_mechanism *mechanism);
/* Which of its carriers are hinges, and is it made of chains? */
void dal_flat_hinges(dal_tree *tree);
#endif

#endif
