/* Driven: a coordinate of a joint or of a body is a given function of time.
 *
 *   coordinate - f(t) = 0,   velocity level  = f'(t),   acceleration level  = f''(t)
 *
 * `joint: A` (with `coordinate:` where the joint has several) or `body: crank`
 * with `coordinate: x | y | z | angle`. The effort that it takes is the channel
 * `NAME.drive`; its power enters the energy balance. A joint's own key `drive:`
 * makes the same row.
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_driven = {
    .name = "driven",
    .title = "a coordinate of a joint or a body is a given function of time",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .class = DAL_JOINT_COUPLING,
    .keys = "joint body coordinate value!",
};
