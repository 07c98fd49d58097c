/* Point on line: a ball in a tube along z_i.
 *
 *   x_i . (P_j - P_i) = 0,  y_i . (P_j - P_i) = 0
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_point_on_line = {
    .name = "point-on-line",
    .title = "a point of the second body stays on a line of the first",
    .spaces = DAL_IN_SPACE,
    .in_plane = "pin-in-slot",
    .spatial = {.axis = DAL_AXIS_ONE, .motion = "Tz Rx Ry Rz", .coordinates = {"distance"}},
    .keys = "drive drive-rate",
    .forbid = dal_forbid_offset,
    .measure = dal_measure_shift_z,
};
