/* Universal (Hooke's, Cardan's) joint: a cross between two forks.
 *
 *   P_j - P_i = 0                        3 rows
 *   z_i . x_j = 0                        the arms of the cross are at right angles:
 *                                        z_i in the first body, x_j in the second
 *
 * Leaves a turn about z_i (`angle`: of x_j, seen in the first frame) and one
 * about x_j (`angle2`: of z_i seen in the second frame, from z_j).
 */
#include "joint/joint.h"

static void forbid_universal(dal_joint_builder *b)
{
    dal_forbid_gap(b);
    dal_forbid_tilt(b, 2, 0);
}

/* Rz(a) Rx(b): z_i . z_j = cos b, z_i . y_j = sin b. */
static void measure_universal(dal_joint_builder *b)
{
    const dal_marker *first = &b->joint->marker[0], *second = &b->joint->marker[1];
    dal_measure_turn(b);
    int z_j = dal_add_axis(b->mechanism, second, 2), y_j = dal_add_axis(b->mechanism, second, 1);
    int z_i = dal_add_axis(b->mechanism, first, 2);
    b->joint->coordinate[b->joint->n_coordinates++] = dal_add_angle_of(b->mechanism, z_j, y_j, z_i);
}

const dal_joint_type dal_joint_universal = {
    .name = "universal",
    .title = "Hooke's joint: two turns about crossed axes, one fixed in each body",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_TWO, .turns = true, .motion = "Rz Rx", .coordinates = {"angle", "angle2"}},
    .keys = "drive drive-rate coordinate",
    .forbid = forbid_universal,
    .measure = measure_universal,
};
