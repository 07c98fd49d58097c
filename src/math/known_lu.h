/* P B = L U with partial pivoting, on the pattern and in the order of the factorisation before.
 *
 * From one evaluation to the next a matrix keeps its zeros, and nearly always its pivots. So the places of all entries of L and U are found once for an
 * order of pivots (dal_known_lu_make), and a factorisation is one pass over lists. Each entry of a column is compared with the pivot on the way: if
 * partial pivoting would choose another one, or if an entry assumed zero is not zero, dal_known_lu_factor returns false, and the caller finds new
 * pivots. The factors always equal those of partial pivoting bit for bit: they do not depend on earlier factorisations.
 */
#ifndef DAL_MATH_KNOWN_LU_H
#define DAL_MATH_KNOWN_LU_H

#include "base/block.h"

#include <stdbool.h>

enum { DAL_KNOWN_LU_MOST = 64 }; /* maximum number of rows: the lists of larger matrices would need too much memory */

typedef struct dal_known_lu {
    int n;
    bool known, odd;       /* there are lists; the exchanges of rows are odd in number */
    bool *seen;            /* n x n: entries that were nonzero at least once since the last change of shape */
    int *row;              /* n: the row of B in place r */
    int *start, *diagonal; /* n + 1, n: entries of place r, columns ascending: those of L, the pivot, those of U */
    int *column;           /* of an entry */
    bool *first;           /* of an entry of L: its row precedes that of the pivot, so that the pivot has to be larger, not equal */
    int *target;           /* of each entry of L in turn, and each of U in its pivot's row: the entry that their product is subtracted from */
    int n_loads, n_zeros;
    int *from, *to; /* entries of B that may not be zero, and their entries in the lists */
    int *zero;      /* entries of B that are assumed zero */
    double *value;  /* of an entry; n * n + n: the last ones are the reciprocals of the pivots */
    double ratio;   /* least over largest pivot */
} dal_known_lu;

/* Allocates for n rows; nothing if there are too many (lu->n is 0). */
void dal_known_lu_layout(dal_block *block, dal_known_lu *lu, int n);
/* The matrix has a new shape: other entries may be zero. */
void dal_known_lu_forget(dal_known_lu *lu);
/* The lists for these pivots (as dal_lu leaves them) and for the entries that are not zero now, or were. at[i * n + j]: the place of entry i, j in B,
 * -1: it is always zero. */
void dal_known_lu_make(dal_known_lu *lu, const double *B, const int *at, const int *pivot);
/* False: other pivots have to be found. */
bool dal_known_lu_factor(dal_known_lu *lu, const double *B);
bool dal_known_lu_negative(const dal_known_lu *lu); /* the determinant */
/* x := B^-1 x, and x := B^-T x. scratch: n. */
void dal_known_lu_solve(const dal_known_lu *lu, double *restrict x, double *restrict scratch);
void dal_known_lu_solve_transposed(const dal_known_lu *lu, double *restrict x, double *restrict scratch);

#endif
