/* Spherical: a ball in a socket.
 *
 *   P_j - P_i = 0                        3 rows, the attitude stays free
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_spherical = {
    .name = "spherical",
    .title = "ball and socket: the points coincide, every turn stays free",
    .spaces = DAL_IN_SPACE,
    .axis_spatial = DAL_AXIS_NONE,
    .keys = "friction",
    .slides = DAL_SLIDES_ANY_WAY,
    .motion_spatial = "Rx Ry Rz",
    .forbid = dal_forbid_gap,
};
