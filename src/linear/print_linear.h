/* Common parts of the texts and JSON of linearisations, modes and equilibria. */
#ifndef DAL_LINEAR_PRINT_LINEAR_H
#define DAL_LINEAR_PRINT_LINEAR_H

#include "analysis/tables.h"
#include "base/json.h"
#include "dalembert/linear.h"

/* "92 % rotor about y, 8 % arm" */
void dal_print_shares(dal_printer *out, int n, const dal_mode_share *shares);
void dal_write_eigenvalues(dal_json *json, const char *key, int n, const dal_mode *modes);
void dal_write_shares(dal_json *json, const char *key, int n, const dal_mode_share *shares);
/* A line of the table of modes. */
void dal_print_mode(dal_tables *tables, const dal_mode *mode);
/* A number that is only rounding beside the largest becomes zero. */
double dal_without_rounding(const dal_tables *tables, double x, double largest);

#endif
