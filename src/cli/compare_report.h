/* A comparison on standard output. */
#ifndef DAL_CLI_COMPARE_REPORT_H
#define DAL_CLI_COMPARE_REPORT_H

#include "cli/cli.h"

/* Tables for people, up to 100 columns wide; `bodies`: also the differences of each body. */
void dal_compare_text(const dal_comparison *comparison, bool bodies);
/* The same as one JSON object. */
void dal_compare_json(const dal_comparison *comparison);

#endif
