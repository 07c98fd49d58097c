/* Generated code in the place of the engine's right side: compiled.c. */
#ifndef DAL_RUN_COMPILED_H
#define DAL_RUN_COMPILED_H

#include "run/run.h"

/* Before the driver begins: prepares generated code if the options ask for it. If it is impossible, a note says why, and the engine runs. False: no
 * memory. */
bool dal_compiled_open(run *r);
void dal_compiled_close(run *r); /* also for a run that was never opened */
/* y' by generated code. False: the engine has to evaluate; that is counted. */
bool dal_compiled_rates(run *r, double t, const double *y, double *dy);
/* Charts, speeds and pieces may have changed. */
void dal_compiled_restart(run *r);
/* At a row: does it still agree with the engine? Uses the viewer, whose state changes. */
void dal_compiled_compare(run *r, double t, const double *y);
/* Its part of the evidence. */
void dal_compiled_measure(run *r);

#endif
