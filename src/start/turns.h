/* Whole turns of angles at the start: see turns.c. Shared by assemble.c and coordinate_start.c. */
#ifndef DAL_START_TURNS_H
#define DAL_START_TURNS_H

#include "compile/build.h"

/* What each angle is counted from, in work->winding: before assembly, with the drives in work->time. */
void dal_turns_begin(dal_build *build, dal_work *work);
/* The same once more. */
void dal_turns_again(const dal_build *build, dal_work *work);
/* When the measures are evaluated where the bodies were placed, and after each small step from there: angles follow without a jump. */
void dal_turns_follow(const dal_build *build, dal_work *work);
/* After assembly: every angle at the start; constants of couplings go along. */
void dal_turns_end(dal_build *build, const dal_work *work, double *winding);
/* The angle of a planar body with these turns; if no measure has it, with those that are written. */
double dal_turns_of_body(const dal_build *build, int body, double angle, const double *winding);

#endif
