/* Rigid: two parts welded together. The two points coincide; assembly brings them together. The relative attitude is that of the start, unless the
 * second point has axes: then the two joint frames coincide.
 *
 *   P_j - P_i = 0, and the rows against turning: 3 rows in the plane, 6 in space.
 */
#include "joint/joint.h"

static void forbid_rigid(dal_joint_builder *b)
{
    dal_forbid_gap(b);
    dal_forbid_turn(b);
}

const dal_joint_type dal_joint_rigid = {
    .name = "rigid",
    .title = "weld: no relative motion",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.turns = true, .motion = ""},
    .spatial = {.turns = true, .motion = ""},
    .keys = "",
    .welds = true,
    .keeps = DAL_KEEPS_ALL_AXES,
    .urdf = "fixed",
    .forbid = forbid_rigid,
};
