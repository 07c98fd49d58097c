/* Every integrator, in the order in which they are listed. */
#include "integrate/integrate.h"

const dal_integrator *const dal_integrators[] = {&dal_rk4, &dal_rk6, &dal_ab6, &dal_dopri5, &dal_cvode_adams, &dal_cvode_bdf, &dal_ida, NULL};
