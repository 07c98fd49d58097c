/* A ball that rolls on a surface without slip; in the plane, a disc on a line. The second point is its centre, the contact is C - r n:
 *   n . (C - O) - r = 0,   no slip with s_m = -r f_m . n       (rolling.c)
 */
#include "joint/joint.h"

static void forbid_rolling_ball(dal_joint_builder *b)
{
    dal_forbid_height(b);
    dal_forbid_slip_below(b, dal_joint_space(b));
}

const dal_joint_type dal_joint_rolling_ball = {
    .name = "rolling-ball",
    .title = "a ball rolls without slip on a plane of the first body; the point of the second body is its centre",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .planar = {.turns = true},
    .spatial = {.turns = true},
    .surface = true,
    .keys = "normal! radius!",
    .forbid = forbid_rolling_ball,
};
