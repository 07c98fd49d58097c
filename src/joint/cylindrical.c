/* Cylindrical: a shaft in a long bearing.
 *
 *   x_i . z_j = 0,  y_i . z_j = 0                          the axes stay parallel
 *   x_i . (P_j - P_i) = 0,  y_i . (P_j - P_i) = 0          and in line
 *
 * Leaves the turn (`angle`) and the shift (`distance`) along z.
 */
#include "joint/joint.h"

static void forbid_cylindrical(dal_joint_builder *b)
{
    dal_forbid_skew(b);
    dal_forbid_offset(b);
}

static void measure_cylindrical(dal_joint_builder *b)
{
    dal_measure_turn(b);
    dal_measure_shift_z(b);
}

const dal_joint_type dal_joint_cylindrical = {
    .name = "cylindrical",
    .title = "shaft in a bearing: turn about and shift along the axis stay free",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true, .particle = "point-on-line", .motion = "Tz Rz", .coordinates = {"angle", "distance"}},
    .keys = "start zero drive drive-rate coordinate friction",
    .keeps = DAL_KEEPS_Z,
    .slides = DAL_SLIDES_BOTH,
    .forbid = forbid_cylindrical,
    .measure = measure_cylindrical,
};
