/* Cylindrical: a shaft in a long bearing.
 *
 *   x_i . z_j = 0,  y_i . z_j = 0                          the axes stay parallel
 *   x_i . (P_j - P_i) = 0,  y_i . (P_j - P_i) = 0          and in line
 *
 * Leaves the turn (`angle`) and the shift (`distance`) along z.
 */
#include "joint/joint.h"

static void forbid(dal_joint_builder *b)
{
    dal_forbid_tilt(b, 0, 2);
    dal_forbid_tilt(b, 1, 2);
    dal_forbid_shift(b, 0);
    dal_forbid_shift(b, 1);
}

static void measure(dal_joint_builder *b)
{
    dal_measure_turn(b);
    dal_measure_shift(b, 2);
}

const dal_joint_type dal_joint_cylindrical = {
    .name = "cylindrical",
    .title = "shaft in a bearing: turn about and shift along the axis stay free",
    .spaces = DAL_IN_SPACE,
    .axis_spatial = DAL_AXIS_ONE,
    .turns = true,
    .keys = "start zero drive drive-rate coordinate friction",
    .keeps = DAL_KEEPS_Z,
    .slides = DAL_SLIDES_BOTH,
    .motion_spatial = "Tz Rz",
    .coordinates_spatial = {"angle", "distance"},
    .forbid = forbid,
    .measure = measure,
};
