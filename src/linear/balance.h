/* Units in which the numbers of A are alike (balance.c). */
#ifndef DAL_LINEAR_BALANCE_H
#define DAL_LINEAR_BALANCE_H

#include "base/arena.h"

/* A, row-major, becomes D^-1 A D; by: D. The first rows are positions, then come rates. */
void dal_balance(dal_arena *arena, int n, int positions, int rates, double *A, double *by);

#endif
