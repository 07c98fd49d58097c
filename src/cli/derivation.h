/* Derivations of a model, one formulation after the other: what `derive` and the pages of runs share. */
#ifndef DAL_CLI_DERIVATION_H
#define DAL_CLI_DERIVATION_H

#include "cli/cli.h"
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
    bool *too_large;  /* set where that is more; or NULL */
} dal_derivation_request;

/* Derived and written behind what `out` has, which lies in an arena of its own. */
dal_status dal_derive_into(const dal_derivation_request *request, dal_growing *out, dal_messages *messages);

/* Sections in HTML become a page of their own. */
dal_status dal_equations_page(const char *title, dal_growing *out);

/* All formulations of the model as sections in HTML, that of the model first, within bounds on size; then what is not shown, why, and which command
 * derives it. `out` lies in an arena of its own. equation_sections.c */
dal_status dal_equations_of_model(const dal_spec *spec, dal_growing *out);

#endif
