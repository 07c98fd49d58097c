/* Ranks, null spaces and least-norm solutions, through LAPACK. Used at compile,
 * on alarm and by analyses; never inside an ordinary step. Workspace comes from
 * the caller: dal_rank_work says how many doubles an r x m problem needs.
 *
 * One tolerance decides every rank: the caller scales rows to unit norm and
 * coordinates by the model's length first (doc/decisions/rank-and-rows.md).
 *
 * A matrix with an element that is not finite, or one whose iteration does not converge, has rank -1.
 */
#ifndef DAL_MATH_RANK_H
#define DAL_MATH_RANK_H

#include <stddef.h>

#define DAL_RANK_TOLERANCE 1e-10 /* smallest over largest singular value or pivot that still counts */

size_t dal_rank_work(int r, int m); /* doubles, enough for every function below on an r x m matrix; integers included */

/* Choose independent rows of the row-major r x m matrix A (row stride ld) by QR with column pivoting of A^T.
 * Rows are scaled to unit norm inside (zero rows are dependent). `order` (r entries) lists the rows, independent ones
 * first; returns the rank k. *ratio (may be NULL) is the last accepted pivot over the first. Each group is sorted ascending.
 * No more than `max_rank` rows are taken: the best ones. A is not changed. */
int dal_rank_rows(const double *a, int r, int m, int ld, double tolerance, int max_rank, int *order, double *ratio, double *work);

/* Singular values of the row-major r x m matrix A into sigma (min(r, m) entries, descending); if null_right != NULL, an
 * orthonormal basis of {x : A x = 0} as rows of null_right (m entries each, up to m rows); if null_left != NULL, of {y : A^T y = 0} as rows
 * (r entries each, up to r rows). Returns the rank; no scaling inside. */
int dal_rank_svd(const double *a, int r, int m, int ld, double tolerance, double *sigma, double *null_right, double *null_left, double *work);

/* Doubles of work that dal_rank_svd needs without null vectors. */
size_t dal_rank_values_work(int r, int m);
/* How many of n singular values count. */
int dal_rank_count(const double *sigma, int n, double tolerance);

/* x := A^+ b, b has r entries, x has m: least squares and least norm through the SVD, singular values below
 * tolerance * largest are dropped. Returns the rank used. */
int dal_rank_solve(const double *a, int r, int m, int ld, double tolerance, const double *b, double *x, double *work);

/* Eigenvalues (ascending) and, if vectors != NULL, eigenvectors (as rows) of a symmetric row-major n x n matrix. 0 if converged. */
int dal_symmetric_eigen(const double *a, int n, int ld, double *values, double *vectors, double *work);

#endif
