/* Sparse symmetric-pattern systems K x = b on a pattern that compile fixed: KLU
 * where it was built in, dense LU where not. Created once (allocates), factored
 * numerically every step without allocation as long as the pivots stay good.
 */
#ifndef DAL_MATH_SPARSE_H
#define DAL_MATH_SPARSE_H

#include "base/keep.h"
#include "dalembert/base.h"

typedef struct dal_sparse dal_sparse;

bool dal_sparse_available(void); /* KLU was built in */

/* Compressed columns: column j has rows row[start[j] .. start[j+1]) ascending. NULL without memory. */
dal_sparse *dal_sparse_create(const dal_allocator *allocator, int n, const int *start, const int *row);
void dal_sparse_free(dal_sparse *sparse);
/* Numeric factorisation of the values in the order of the pattern. Returns an estimate of the reciprocal condition,
 * 0 if singular. Refactors with the old pivots (no allocation) while they are good; `fresh` forces new pivots. */
double dal_sparse_factor(dal_sparse *sparse, const double *values, bool fresh);
void dal_sparse_solve(dal_sparse *sparse, double *b); /* b := K^-1 b, no allocation */
/* Writes the data on which later factorisations depend to a blob, or reads them. */
void dal_sparse_keep(dal_sparse *sparse, dal_keep *keep);

/* An order of elimination that keeps the fill of a symmetric pattern small: order[0] first. Without KLU the order as it is. False without
 * memory. */
bool dal_sparse_order(int n, const int *start, const int *row, int *order);

#endif
