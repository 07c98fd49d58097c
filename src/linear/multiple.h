/* Eigenvalues that coincide, and the condition of each (multiple.c). */
#ifndef DAL_LINEAR_MULTIPLE_H
#define DAL_LINEAR_MULTIPLE_H

#include "base/arena.h"

/* Of an m x m matrix, as LAPACK's dgeev leaves them: columns of right vectors, of a pair the real and then the imaginary part. */
typedef struct dal_spectrum {
    int m;
    double *re, *im, *vectors;
    double *condition;   /* 1 / |y . x| of the unit vectors; infinite where an eigenvalue is defective */
    int *times, *shapes; /* how often it occurs, and how many independent vectors it has: fewer where it is defective */
} dal_spectrum;

/* Row-major W, whose numbers are near one. False: it does not converge. */
bool dal_spectrum_find(dal_arena *arena, int m, const double *W, dal_spectrum *out);

#endif
