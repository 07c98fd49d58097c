/* Baumgarte's stabilisation: rows obey phi'' + 2 alpha phi' + beta^2 phi = 0 (see evaluate.c), so that errors decay
 * like exp(-alpha t). The gains obey the stability bound of the integrator as any other eigenvalue does. */
#include "model/choices.h"

static const char *const options[] = {"alpha", "beta", NULL};

const dal_stabilization dal_stabilize_baumgarte = {
    .name = "baumgarte",
    .title = "Baumgarte: errors decay by gains alpha and beta",
    .options = options,
    .stabilises_gamma = true,
};
