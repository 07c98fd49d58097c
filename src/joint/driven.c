/* Driven: a coordinate of a joint or of a body is a given function of time.
 *
 *   value:       coordinate - f(t) = 0,   velocity level  = f'(t),   acceleration level  = f''(t)
 *   drive-rate:  rate - f(t) = 0, at velocity level only: the position follows from the start
 *
 * `joint: A` (with `coordinate:` where the joint has several) or `body: crank`
 * with `coordinate: x | y | z | angle`. The effort that it takes is the channel
 * `NAME.drive`, its power `NAME.drive.power`, which enters the energy balance. A joint's own keys `drive:` and `drive-rate:`
 * make the same rows.
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_driven = {
    .name = "driven",
    .title = "a coordinate of a joint or a body or its rate is a given function of time",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .class = DAL_JOINT_COUPLING,
    .keys = "joint body coordinate value drive-rate",
};
