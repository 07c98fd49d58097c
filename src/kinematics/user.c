/* Family `user`. */
#include "kinematics/family.h"

const dal_family dal_family_user = {
    .name = "user",
    .title = "",
    .shares = true,
};
