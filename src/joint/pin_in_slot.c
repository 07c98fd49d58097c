/* Pin in slot, planar: a pin of the second body slides in a straight slot of the first.
 *
 *   y_i . (P_j - P_i) = 0,  x_i along the slot
 *
 * Leaves the shift along the slot (`distance`) and the turn (`angle`).
 */
#include "joint/joint.h"

static void forbid_pin_in_slot(dal_joint_builder *b)
{
    dal_forbid_shift(b, 1);
}

static void measure_pin_in_slot(dal_joint_builder *b)
{
    dal_measure_shift(b, 0);
    dal_measure_turn(b);
}

const dal_joint_type dal_joint_pin_in_slot = {
    .name = "pin-in-slot",
    .title = "a pin of the second body slides in a straight slot of the first and turns freely",
    .spaces = DAL_IN_PLANE,
    .planar = {.axis = DAL_AXIS_ONE, .motion = "Tx Rz", .coordinates = {"distance", "angle"}},
    .keys = "start zero drive drive-rate coordinate",
    .forbid = forbid_pin_in_slot,
    .measure = measure_pin_in_slot,
};
