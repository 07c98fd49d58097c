/* Perpendicular axes: the axis x_j of the second body stays across z_i of the first.
 *
 *   z_i . x_j = 0
 */
#include "joint/joint.h"

static void forbid_perpendicular(dal_joint_builder *b)
{
    dal_forbid_tilt(b, 2, 0);
}

const dal_joint_type dal_joint_perpendicular = {
    .name = "perpendicular",
    .title = "an axis of the second body stays at right angles to one of the first",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_TWO, .turns = true, .motion = "Tx Ty Tz Rz Rx"},
    .keys = "",
    .forbid = forbid_perpendicular,
};
