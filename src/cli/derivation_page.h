/* Equations on pages, for `derive` and the pages of runs. */
#ifndef DAL_CLI_DERIVATION_PAGE_H
#define DAL_CLI_DERIVATION_PAGE_H

#include "analysis/derive_model.h"
#include "cli/cli.h"

/* Makes a page from sections in HTML. */
dal_status dal_equations_page(const char *title, dal_growing *out);

/* All formulations of the model as sections in HTML, that of the model first, within bounds on size; then a list of the missing ones, with the
 * reason and the command that derives them. `out` has its own arena. equation_sections.c */
dal_status dal_equations_of_model(const dal_spec *spec, dal_growing *out);

#endif
