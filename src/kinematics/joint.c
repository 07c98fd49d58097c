/* Family `joint`. */
#include "kinematics/family.h"

const dal_family dal_family_joint = {
    .name = "joint",
    .title = "",
    .shares = true,
};
