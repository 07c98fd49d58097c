/* Independent rows of a large sparse matrix. rank.h decides small ones; both give the same rank.
 *
 * Not a part of an ordinary step: it takes memory from the allocator and gives it back.
 */
#ifndef DAL_MATH_SPARSE_RANK_H
#define DAL_MATH_SPARSE_RANK_H

#include "math/sparse.h"

/* r rows of m columns: row i has the entries start[i] ... start[i + 1] of column and value, no column twice. */
typedef struct dal_sparse_matrix {
    int r, m;
    const int *start, *column;
    const double *value;
} dal_sparse_matrix;

/* Message if no rank was found; its argument is the number of rows. */
#define DAL_RANK_UNDECIDED                                                                                                                           \
    "%d constraints are dependent or nearly so, and they are connected in too many ways to find out which of them can be removed: "                  \
    "remove redundant joints, or take a smaller model"

enum { DAL_RANK_NOT_FINITE = -1, DAL_RANK_NO_MEMORY = -2, DAL_RANK_TOO_WIDE = -3 };

/* pivot[i] := the distance of row i, at unit norm, from the span of the independent rows before it; 0: it depends on them. Rows with late[i] (may be
 * NULL) are tested after all others. Returns the rank, or one of the above. A matrix is too wide if its rows are connected so densely that the method
 * needs more memory than a dense matrix of some thousand rows. */
int dal_sparse_rank(const dal_allocator *allocator, const dal_sparse_matrix *a, double tolerance, const bool *late, double *pivot);

/* `sparse` is a factor of [G A^T; A 0], m + r unknowns: an estimate of the smallest singular value of A G^(-1/2). x: scratch, m + r. */
double dal_sparse_least(dal_sparse *sparse, int m, int r, double *x);

#endif
