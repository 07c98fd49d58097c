/* Parallel axes: z_j stays parallel to z_i.
 *
 *   x_i . z_j = 0,  y_i . z_j = 0
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_parallel = {
    .name = "parallel",
    .title = "an axis of the second body stays parallel to one of the first",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true, .motion = "Tx Ty Tz Rz", .coordinates = {"angle"}},
    .keys = "drive drive-rate",
    .forbid = dal_forbid_skew,
    .measure = dal_measure_turn,
};
