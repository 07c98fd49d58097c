/* Screw: a cylindrical joint whose shift follows its turn.
 *
 *   the four rows of the cylindrical joint, and
 *   distance - pitch / (2 pi) angle = constant             metres; pitch per turn, right-handed if positive
 *
 * The angle is unwrapped, so that the nut keeps its place over many turns.
 * Leaves one freedom: the turn (`angle`), with the shift (`distance`).
 */
#include "joint/joint.h"

static const double two_pi = 6.283185307179586476925287;

static void forbid_screw(dal_joint_builder *b)
{
    dal_forbid_skew(b);
    dal_forbid_offset(b);
    dal_measure_turn(b);
    dal_measure_shift_z(b);
    const dal_term terms[2] = {{b->joint->coordinate[1], 1}, {b->joint->coordinate[0], -b->pitch / two_pi}};
    dal_add_row(b->mechanism, 2, terms, 0, -1, false); /* the constant is set from the start */
}

const dal_joint_type dal_joint_screw = {
    .name = "screw",
    .title = "nut on a thread: the shift along the axis is pitch times the turns",
    .spaces = DAL_IN_SPACE,
    .spatial = {.axis = DAL_AXIS_ONE, .turns = true, .motion = "Pz", .coordinates = {"angle", "distance"}},
    .keys = "pitch! start zero drive drive-rate coordinate friction",
    .constant_from_start = true,
    .keeps = DAL_KEEPS_Z,
    .slides = DAL_SLIDES_ON_THREAD,
    .forbid = forbid_screw,
};
