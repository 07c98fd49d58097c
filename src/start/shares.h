/* Which bodies move along a direction: shares of the kinetic energy. */
#ifndef DAL_START_SHARES_H
#define DAL_START_SHARES_H

#include "start/point.h"

/* Of the velocities re + i im (nv each; im may be NULL), averaged over a period; shares below a hundredth are not listed. */
int dal_find_shares(dal_point *point, const double *re, const double *im, const dal_mode_share **shares);

/* w of R' = [w x] R */
void dal_spin_of(const double R[9], const double Rd[9], double w[3]);

#endif
