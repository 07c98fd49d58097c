/* Bodies follow the joints that carry them.
 *
 * A step along velocities turns every body of a long chain at once, and the points that its joints hold together part by the sum of all
 * second-order errors before them. Rows are linear in the positions of the bodies, so that they are closed from the ground outwards:
 *
 *     r_body += P_parent - P_body        where the points of the joint coincide: turns only
 *     r_body += what its parent shifts   where it slides
 *
 * What is left are loops, the axes of hinges and slides, for the correction of all rows. Large models only, whose bodies own their columns: in small
 * ones that correction costs nothing.
 */
#ifndef DAL_START_ALONG_TREE_H
#define DAL_START_ALONG_TREE_H

#include "kinematics/family.h"

typedef struct dal_tree dal_tree;

/* The tree that bodies follow; NULL: they do not. */
const dal_tree *dal_tree_to_follow(dal_arena *arena, const dal_layout *layout);
/* q: the positions of the bodies are moved; kin: the frames at q. shift: 3 a body, what each was moved by. */
void dal_follow_tree(const dal_tree *tree, const dal_layout *layout, const dal_kin *kin, double *q, double *shift);

#endif
