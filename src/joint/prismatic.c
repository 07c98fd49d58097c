/* Prismatic: a slider.
 *
 * In the plane the axis is x of the frames:
 *   y_i . (P_j - P_i) = 0                the point stays on the line
 *   y_i . x_j = 0                        no turn
 * (`planar-component-library` (21) writes the second row with P_j - P_i and
 * loses rank where the points meet; this form does not.)
 * In space the axis is z:
 *   x_i . (P_j - P_i) = 0,  y_i . (P_j - P_i) = 0,  and the three rows against turning.
 *
 * Leaves the shift along the axis: coordinate `distance` = e_i . (P_j - P_i).
 */
#include "joint/joint.h"

static void forbid_prismatic(dal_joint_builder *b)
{
    if (dal_joint_space(b) == DAL_SPATIAL)
        dal_forbid_shift(b, 0);
    dal_forbid_shift(b, 1);
    dal_forbid_turn(b);
}

static void measure_prismatic(dal_joint_builder *b)
{
    dal_measure_shift(b, dal_joint_space(b) == DAL_SPATIAL ? 2 : 0);
}

const dal_joint_type dal_joint_prismatic = {
    .name = "prismatic",
    .title = "slider: one shift along the axis stays free, no turn",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.axis = DAL_AXIS_ONE, .turns = true, .particle = "pin-in-slot", .motion = "Tx", .coordinates = {"distance"}},
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true, .particle = "point-on-line", .motion = "Tz", .coordinates = {"distance"}},
    .keys = "start zero drive drive-rate friction",
    .keeps = DAL_KEEPS_ALL_AXES,
    .slides = DAL_SLIDES_ALONG,
    .urdf = "prismatic",
    .forbid = forbid_prismatic,
    .measure = measure_prismatic,
};
