/* Zeros of a linearisation (zeros.c). */
#ifndef DAL_LINEAR_ZEROS_H
#define DAL_LINEAR_ZEROS_H

#include "base/arena.h"
#include "dalembert/linear.h"

/* One input and one output, balanced, with time in units of 1 / omega: n states, A row-major, b and c of length one or zero. */
typedef struct dal_plant {
    int n, positions, rates;
    const double *A, *b, *c;
    double d, omega;
} dal_plant;

/* zeros->relative_degree, roots, n_undetermined. */
void dal_find_zeros(dal_arena *arena, const dal_plant *plant, dal_zeros *zeros);

#endif
