/* Spherical: a ball in a socket.
 *
 *   P_j - P_i = 0                        3 rows, the attitude stays free
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_spherical = {
    .name = "spherical",
    .title = "ball and socket: the points coincide, every turn stays free",
    .spaces = DAL_IN_SPACE,
    .spatial = {.motion = "Rx Ry Rz"},
    .keys = "friction",
    .slides = DAL_SLIDES_ANY_WAY,
    .forbid = dal_forbid_gap,
};
