/* No stabilisation: constraints hold at acceleration level only and drift; the evidence shows how far. */
#include "model/choices.h"

const dal_stabilization dal_stabilize_none = {
    .name = "none",
    .title = "none: constraints drift, the evidence shows how far",
};
