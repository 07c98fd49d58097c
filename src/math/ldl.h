/* LDL^T of a symmetric matrix on a pattern that is known beforehand: the order and the places of all entries are found once (dal_ldl_build), and a
 * factorisation is one pass over lists of entries, without search, zeros or pivoting.
 *
 * The unknowns come in two groups. Those of the first form a positive definite block and are eliminated first; the matrix that they leave on the
 * second is negative definite, or has a positive diagonal element by itself. This is a saddle matrix [[G, A^T], [A, 0]] with G > 0 and independent rows A: the second group is left with
 * -A G^-1 A^T. Each pivot is compared with what it was before the unknowns of its own group were eliminated: the ratio is 1 minus the square of
 * the cosine between the unknown and those before it, does not depend on scales, and bounds the loss of digits.
 */
#ifndef DAL_MATH_LDL_H
#define DAL_MATH_LDL_H

#include "base/arena.h"
#include "base/block.h"

#include <stdbool.h>

typedef struct dal_ldl {
    int n, n_first; /* unknowns; of the first group */
    int n_entries;  /* below the diagonal of L */
    int n_products; /* that a factorisation subtracts from them */
    int *order;     /* n: the unknown that is eliminated k-th */
    int *start;     /* n + 1: entries start[k] ... of column k, rows ascending */
    int *row;       /* of each entry: its row, as a place in the order */
    int *column;    /* and its column */
    int *target;    /* for each column, of each entry, and of each one behind it: the entry that their product is subtracted from */
} dal_ldl;

/* The pattern after elimination, in an order of small degree. pattern: n x n, row-major; its lower triangle is read. */
void dal_ldl_build(dal_arena *arena, int n, int n_first, const bool *pattern, dal_ldl *out);
/* A copy in the block of a system. */
void dal_ldl_pack(dal_block *block, const dal_ldl *from, dal_ldl *to);
/* The entry of L at a pair of unknowns, one below the other; -1: none. */
int dal_ldl_entry(const dal_ldl *ldl, const int *place, int a, int b);

/* In place: d has the diagonal, in order, and gets the inverse pivots; l has the entries and gets L. before: n, scratch. Returns the least ratio of a
 * pivot to what it was; in the second group to `full` of it, where it was less (NULL: none). Stops where that is not above `least`, and returns it:
 * negative or zero if the matrix is not as described above, NaN if it is not finite. */
double dal_ldl_factor(const dal_ldl *ldl, double *d, double *l, double *before, const double *full, double least);
/* x := G^-1 x, G the block of the first group alone: n_first numbers. */
void dal_ldl_solve_first(const dal_ldl *ldl, const double *d, const double *l, double *x);
/* x := K^-1 x, in order. */
void dal_ldl_solve(const dal_ldl *ldl, const double *d, const double *l, double *x);

#endif
