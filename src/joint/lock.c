/* Lock: a coordinate of a joint or of a body keeps a constant value, its start
 * value unless `value:` says otherwise: the generalized constraint (26) of
 * `natural-absolute-coordinates`, in every family.
 */
#include "joint/joint.h"

const dal_joint_type dal_joint_lock = {
    .name = "lock",
    .title = "a coordinate of a joint or a body keeps its value",
    .spaces = DAL_IN_PLANE | DAL_IN_SPACE,
    .class = DAL_JOINT_COUPLING,
    .keys = "joint body coordinate value",
};
