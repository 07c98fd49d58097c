/* A thin wheel that rolls on a plane without slip and stays upright: its axis a, z of the second frame, is parallel to the plane.
 *   n . (C - O) - r = 0,   a . n = 0,   no slip with s_m = -r f_m . n, f_m in the plane of the wheel      (rolling.c)
 */
#include "joint/joint.h"

static void forbid_rolling_wheel(dal_joint_builder *b)
{
    dal_forbid_height(b);
    dal_forbid_tilt(b, 2, 2);
    dal_forbid_slip_below(b, 2);
}

const dal_joint_type dal_joint_rolling_wheel = {
    .name = "rolling-wheel",
    .title = "a wheel rolls upright and without slip on a plane of the first body; point and axis of the second body are its own",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true},
    .surface = true,
    .keys = "normal! radius!",
    .forbid = forbid_rolling_wheel,
};
