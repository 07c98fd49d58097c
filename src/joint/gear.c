/* Gear: two turning joints coupled by their angles.
 *
 *   (angle_B - angle_B(0)) - ratio (angle_A - angle_A(0)) = 0        radians
 *
 * `joints: [A, B]`; a pair of external gears has a negative ratio,
 * -teeth_A / teeth_B; a belt or an internal gear a positive one.
 */
#include "joint/joint.h"

static void forbid(dal_joint_builder *b)
{
    dal_forbid_ratio(b, "angle", &b->spec->ratio, "ratio", true);
}

const dal_joint_type dal_joint_gear = {
    .name = "gear",
    .title = "the angles of two joints turn in a fixed ratio",
    DAL_COUPLING("joints! ratio!", forbid),
    .couples_two = true,
};
