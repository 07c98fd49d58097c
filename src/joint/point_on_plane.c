/* Point on plane: the plane passes through P_i with normal z_i.
 *
 *   z_i . (P_j - P_i) = 0
 */
#include "joint/joint.h"

static void forbid_point_on_plane(dal_joint_builder *b)
{
    dal_forbid_shift(b, 2);
}

const dal_joint_type dal_joint_point_on_plane = {
    .name = "point-on-plane",
    .title = "a point of the second body stays on a plane of the first (the axis is its normal)",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_ONE, .motion = "Tx Ty Rx Ry Rz"},
    .keys = "",
    .forbid = forbid_point_on_plane,
};
