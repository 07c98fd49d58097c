/* The type of an entry of `constraints:`: one row, written as an expression, without points of its own. It is not in the list of joints. */
#include "joint/joint.h"

const dal_joint_type dal_joint_constraint = {
    .name = "constraint",
    .title = "an expression that is zero",
    DAL_COUPLING("", NULL),
    .expression = true,
};
