/* All formulations. */
#include "system/system.h"

extern const dal_formulation dal_lagrange, dal_udwadia_kalaba;

const dal_formulation *const dal_formulations[] = {&dal_lagrange, &dal_udwadia_kalaba, NULL};
