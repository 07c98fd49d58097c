/* Planar joint in space: a block on a plane through P_i with normal z_i.
 *
 *   z_i . (P_j - P_i) = 0,  x_i . z_j = 0,  y_i . z_j = 0
 */
#include "joint/joint.h"

static void forbid_planar(dal_joint_builder *b)
{
    dal_forbid_shift(b, 2);
    dal_forbid_skew(b);
}

const dal_joint_type dal_joint_planar = {
    .name = "planar",
    .title = "the second body slides on a plane of the first and turns about its normal",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true, .motion = "Tx Ty Rz"},
    .keys = "",
    .keeps = DAL_KEEPS_Z,
    .urdf = "planar",
    .forbid = forbid_planar,
};
