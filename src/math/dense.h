/* Small dense linear algebra for the step loop: row-major, in place, no
 * allocation, no LAPACK (its call overhead dominates below n = 30).
 *
 * Every function works on n x n matrices with leading dimension `ld` given in
 * elements. Loops are in outer-product (axpy) form, so that strict IEEE
 * arithmetic still vectorises. Results are repeatable bit for bit.
 */
#ifndef DAL_MATH_DENSE_H
#define DAL_MATH_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* A = L L^T in place (lower triangle). False, with the row in *where, where A is not positive definite:
 * a pivot <= tolerance * its own diagonal element, so that the scales of rows and columns do not matter. */
bool dal_cholesky(double *a, int n, int ld, double tolerance, int *where);
/* Is every diagonal element above tolerance * the largest? For matrices whose rows have one unit: smaller elements are rounding errors. */
bool dal_diagonal_counts(const double *a, int n, int ld, double tolerance);
void dal_cholesky_solve(const double *l, int n, int ld, double *b);                        /* b := A^-1 b */
void dal_lower_solve(const double *l, int n, int ld, double *b);                           /* b := L^-1 b */
void dal_lower_solve_several(const double *l, int n, int ld, int count, double *const *b); /* the same bits as one solve each, but faster */
void dal_lower_transposed_solve(const double *l, int n, int ld, double *b);                /* b := L^-T b */

/* Symmetric indefinite A = P L D L^T P^T, Bunch-Kaufman pivots (1x1 and 2x2), reads and writes the lower triangle.
 * `pivot` has n entries. Returns the smallest |eigenvalue of a pivot block| over the largest: 0 if singular.  */
double dal_ldlt(double *a, int n, int ld, int *pivot);
void dal_ldlt_solve(const double *ld_factor, int n, int ld, const int *pivot, double *b);

/* LU with partial pivoting; returns min |u_ii| / max |u_ii|, 0 if singular. */
double dal_lu(double *a, int n, int ld, int *pivot);
/* Is the determinant of the factored matrix negative? */
bool dal_lu_negative(const double *lu, int n, int ld, const int *pivot);
/* b := A^-1 b */
void dal_lu_solve(const double *lu, int n, int ld, const int *pivot, double *b);

/* y += M x and y += |M| x, M n x n by columns: the columns of zeros in x cost nothing. */
void dal_add_product(int n, const double *M, const double *x, double *y);
void dal_add_product_of_sizes(int n, const double *M, const double *x, double *y);

/* Householder QR of an m x n matrix (m >= n) stored by columns: column j starts at a + j * ld. `tau` has n entries.
 * Stored by columns because its users factor A^T, whose columns are the constraint rows.
 * Returns min |r_jj| / max |r_jj|, 0 if rank deficient. */
double dal_qr(double *a, int m, int n, int ld, double *tau);
void dal_qr_q_times(const double *qr, int m, int n, int ld, const double *tau, double *x);  /* x (m) := Q x */
void dal_qr_qt_times(const double *qr, int m, int n, int ld, const double *tau, double *x); /* x (m) := Q^T x */
/* R by columns is the transpose of a lower triangle by rows. */
static inline void dal_qr_r_solve(const double *qr, int n, int ld, double *b) /* b (n) := R^-1 b */
{
    dal_lower_transposed_solve(qr, n, ld, b);
}
static inline void dal_qr_rt_solve(const double *qr, int n, int ld, double *b) /* b (n) := R^-T b */
{
    dal_lower_solve(qr, n, ld, b);
}
/* With QR of A^T (A is n x m, full row rank): x := A^+ b, the least-norm solution of A x = b. x has m entries. */
void dal_qr_least_norm(const double *qr, int m, int n, int ld, const double *tau, const double *b, double *x);

/* Is a symmetric row-major n x n matrix positive semidefinite? By symmetric elimination at unit diagonal, the largest pivot first. When no pivot is
 * above the tolerance, the remaining block has to be zero. S: n x n scratch. *where: a row that violates it. */
bool dal_semidefinite(const double *M, int n, double tolerance, double *S, int *where);

#endif
