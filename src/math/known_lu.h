/* P B = L U with partial pivoting, on the pattern and in the order of the factorisation before.
 *
 * From one evaluation to the next a matrix keeps its zeros, and nearly always its pivots. So the places of all entries of L and U are found once for an
 * order of pivots (dal_known_lu_make), and a factorisation is one pass over lists. Each entry of a column is compared with the pivot on the way: where
 * partial pivoting would take another one, or where an entry is not zero that was thought to be, dal_known_lu_factor says so, and the caller finds the
 * pivots anew. The factors are those of partial pivoting in any case, digit for digit: nothing depends on what was factored before.
 */
#ifndef DAL_MATH_KNOWN_LU_H
#define DAL_MATH_KNOWN_LU_H

#include "base/block.h"

#include <stdbool.h>

enum { DAL_KNOWN_LU_MOST = 64 }; /* rows: the lists of larger matrices would take more memory than these */

typedef struct dal_known_lu {
    int n;
    bool known, odd;       /* there are lists; the exchanges of rows are odd in number */
    bool *seen;            /* n x n: entries that were not zero since the matrix has its shape */
    int *row;              /* n: the row of B in place r */
    int *start, *diagonal; /* n + 1, n: entries of place r, columns ascending: those of L, the pivot, those of U */
    int *column;           /* of an entry */
    bool *first;           /* of an entry of L: its row came before that of the pivot, which has to be larger, not equal */
    int *target;           /* of each entry of L in turn, and each of U in its pivot's row: the entry that their product is subtracted from */
    int n_loads, n_zeros;
    int *from, *to; /* entries of B that may not be zero, and their entries in the lists */
    int *zero;      /* entries of B that are taken for zero */
    double *value;  /* of an entry; n * n + n: the last ones are the reciprocals of the pivots */
    double ratio;   /* least over largest pivot */
} dal_known_lu;

/* Room for n rows; none where they are too many (lu->n is 0). */
void dal_known_lu_layout(dal_block *block, dal_known_lu *lu, int n);
/* The matrix has another shape: other entries of it may be zero. */
void dal_known_lu_forget(dal_known_lu *lu);
/* The lists for these pivots (as dal_lu leaves them) and for the entries that are not zero now, or were. at[i * n + j]: where entry i, j stands in B,
 * -1: it is always zero. */
void dal_known_lu_make(dal_known_lu *lu, const double *B, const int *at, const int *pivot);
/* False: other pivots have to be found. */
bool dal_known_lu_factor(dal_known_lu *lu, const double *B);
bool dal_known_lu_negative(const dal_known_lu *lu); /* the determinant */
/* x := B^-1 x, and x := B^-T x. scratch: n. */
void dal_known_lu_solve(const dal_known_lu *lu, double *restrict x, double *restrict scratch);
void dal_known_lu_solve_transposed(const dal_known_lu *lu, double *restrict x, double *restrict scratch);

#endif
