/* Distance: a massless rod with ball ends.
 *
 *   (|P_j - P_i|^2 - L^2) / (2 L) = 0,  L > 0: near the surface this is the gap in metres,
 * and unlike |P_j - P_i| - L it is a polynomial with no root to differentiate.
 */
#include "joint/joint.h"

static void forbid_distance(dal_joint_builder *b)
{
    dal_forbid_stretch(b, b->length);
}

const dal_joint_type dal_joint_distance = {
    .name = "distance",
    .title = "rod: the distance of two points is constant: `length`, or what it is in the start values as written",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.motion = "Rz Lx Rz"},
    .spatial = {.motion = "Rz Ry Lx Rx Ry Rz"},
    .keys = "length",
    .rod = true,
    .forbid = forbid_distance,
};
