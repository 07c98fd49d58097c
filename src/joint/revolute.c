/* Revolute: a pin in the plane, a hinge in space.
 *
 *   P_j - P_i = 0                        2 or 3 rows
 *   x_i . z_j = 0,  y_i . z_j = 0        in space: the axes z stay parallel
 *
 * Leaves the turn about z: coordinate `angle`, second relative to first.
 * In space five rows, six freedoms less five: one.
 */
#include "joint/joint.h"

static void forbid_revolute(dal_joint_builder *b)
{
    dal_forbid_gap(b);
    if (dal_joint_space(b) == DAL_SPATIAL)
        dal_forbid_skew(b);
}

const dal_joint_type dal_joint_revolute = {
    .name = "revolute",
    .title = "hinge: the points coincide, one turn about the axis stays free",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.motion = "Rz", .coordinates = {"angle"}},
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true, .motion = "Rz", .coordinates = {"angle"}},
    .keys = "start zero drive drive-rate friction",
    .keeps = DAL_KEEPS_Z,
    .slides = DAL_SLIDES_AROUND,
    .urdf = "continuous",
    .forbid = forbid_revolute,
    .measure = dal_measure_turn,
};
