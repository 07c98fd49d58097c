/* Generated code in the place of the engine's right side: compiled.c. */
#ifndef DAL_RUN_COMPILED_H
#define DAL_RUN_COMPILED_H

#include "run/run.h"

/* Before the driver begins: is it asked for, and can it be? What cannot is said once, as a note, and the engine runs. False: no memory. */
bool dal_compiled_open(run *r);
void dal_compiled_close(run *r); /* accepts what was never opened */
/* y' by generated code. False: the engine has to evaluate; that is counted. */
bool dal_compiled_rates(run *r, double t, const double *y, double *dy);
/* Charts, speeds and pieces may be others now. */
void dal_compiled_restart(run *r);
/* At a row: is it still what the engine finds? On the viewer, which is left anywhere. */
void dal_compiled_look(run *r, double t, const double *y);
/* Its part of the evidence. */
void dal_compiled_measure(run *r);

#endif
