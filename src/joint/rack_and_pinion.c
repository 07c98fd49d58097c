/* Rack and pinion: a turning joint coupled to a sliding one.
 *
 *   (distance_B - distance_B(0)) - radius (angle_A - angle_A(0)) = 0     metres
 *
 * `joints: [pinion, rack]`; a negative radius reverses the sense.
 */
#include "joint/joint.h"

static void forbid(dal_joint_builder *b)
{
    dal_forbid_ratio(b, "distance", &b->spec->radius, "radius", false);
}

const dal_joint_type dal_joint_rack_and_pinion = {
    .name = "rack-and-pinion",
    .title = "the distance of one joint follows the angle of another",
    DAL_COUPLING("joints! radius!", forbid),
    .couples_two = true,
};
