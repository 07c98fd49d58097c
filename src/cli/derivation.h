/* Equations on pages: what `derive` and the pages of runs share. */
#ifndef DAL_CLI_DERIVATION_H
#define DAL_CLI_DERIVATION_H

#include "analysis/derive_model.h"
#include "cli/cli.h"

/* Sections in HTML become a page of their own. */
dal_status dal_equations_page(const char *title, dal_growing *out);

/* All formulations of the model as sections in HTML, that of the model first, within bounds on size; then what is not shown, why, and which command
 * derives it. `out` lies in an arena of its own. equation_sections.c */
dal_status dal_equations_of_model(const dal_spec *spec, dal_growing *out);

#endif
