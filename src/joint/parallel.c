/* Parallel axes: z_j stays parallel to z_i.
 *
 *   x_i . z_j = 0,  y_i . z_j = 0
 */
#include "joint/joint.h"

static void forbid_parallel(dal_joint_builder *b)
{
    dal_forbid_tilt(b, 0, 2);
    dal_forbid_tilt(b, 1, 2);
}

const dal_joint_type dal_joint_parallel = {
    .name = "parallel",
    .title = "an axis of the second body stays parallel to one of the first",
    .spaces = DAL_IN_SPACE,
    .axis_spatial = DAL_AXIS_ONE,
    .turns = true,
    .keys = "drive drive-rate",
    .motion_spatial = "Tx Ty Tz Rz",
    .coordinates_spatial = {"angle"},
    .forbid = forbid_parallel,
    .measure = dal_measure_turn,
};
