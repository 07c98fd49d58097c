/* How exact a run was, in one plain line. */
#ifndef DAL_RUN_ACCURACY_H
#define DAL_RUN_ACCURACY_H

#include "base/printer.h"
#include "dalembert/run.h"

/* "  accuracy    constraints hold to 4.5e-11 m, energy to 1.4e-07 (4.3e-06 J)": evidence.c. */
void dal_print_accuracy(dal_printer *p, const dal_evidence *e);

#endif
