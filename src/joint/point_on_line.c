/* Point on line: a ball in a tube along z_i.
 *
 *   x_i . (P_j - P_i) = 0,  y_i . (P_j - P_i) = 0
 */
#include "joint/joint.h"

static void forbid_point_on_line(dal_joint_builder *b)
{
    dal_forbid_shift(b, 0);
    dal_forbid_shift(b, 1);
}

static void measure_point_on_line(dal_joint_builder *b)
{
    dal_measure_shift(b, 2);
}

const dal_joint_type dal_joint_point_on_line = {
    .name = "point-on-line",
    .title = "a point of the second body stays on a line of the first",
    .spaces = DAL_IN_SPACE,
    .axis_spatial = DAL_AXIS_ONE,
    .keys = "drive drive-rate",
    .motion_spatial = "Tz Rx Ry Rz",
    .coordinates_spatial = {"distance"},
    .forbid = forbid_point_on_line,
    .measure = measure_point_on_line,
};
