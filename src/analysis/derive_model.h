/* A derivation of a model: compiled in the requested coordinates, evaluated once for its speeds and rows, derived, and written. */
#ifndef DAL_ANALYSIS_DERIVE_MODEL_H
#define DAL_ANALYSIS_DERIVE_MODEL_H

#include "dalembert/dalembert.h"
#include "derive/write.h"

typedef struct dal_derivation_request {
    const dal_spec *spec;
    const char *formulation;
    const char *coordinates; /* NULL: the model's own; joint where it names none */
    dal_writing writing;
    bool steps;
    int width;
    bool first, last; /* of several */
    double most_work; /* bodies times velocities squared; 0: no bound */
    bool *too_large;  /* set if that is larger; or NULL */
} dal_derivation_request;

/* Derives and appends the text to `out`, which has its own arena. */
dal_status dal_derive_into(const dal_derivation_request *request, dal_growing *out, dal_messages *messages);

#endif
