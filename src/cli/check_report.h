/* A verdict on standard output. */
#ifndef DAL_CLI_CHECK_REPORT_H
#define DAL_CLI_CHECK_REPORT_H

#include "cli/cli.h"

/* For people, up to 100 columns wide; the last line is the verdict. */
void dal_check_text(const dal_verdict *verdict);
/* The same as one JSON object. */
void dal_check_json(const dal_verdict *verdict);

#endif
