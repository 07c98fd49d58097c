/* Small dense factorisations and their solves.
 *
 *   Cholesky        A = L L^T, column by column:  l_ij = (a_ij - sum_k l_ik l_jk) / l_jj
 *   Bunch-Kaufman   A = P L D L^T P^T with 1x1 and 2x2 blocks in D
 *   LU              P A = L U, partial pivoting
 *   Householder QR  A = Q R,  Q = H_0 H_1 ...,  H_k = 1 - tau_k v_k v_k^T,  v_k = (0 .. 0, 1, v)
 *
 * Sources: Bunch and Kaufman, Math. Comp. 31 (1977), algorithm A; Golub and Van Loan, Matrix Computations,
 * sections 3.4, 4.2, 4.4, 5.2. Conventions for pivots and reflectors follow LAPACK (dsytf2, dgetf2, dgeqr2).
 *
 * Departure from the sources: `dal_ldlt` eliminates from the last row to the first. In a row-major lower triangle the
 * part of row k left of the diagonal lies together in memory, so search, update and both solves run along rows. The
 * reversal of the order is part of P.
 *
 * All sums of products go through `dot`, which adds in one fixed order of four partial sums: that vectorises under
 * strict IEEE arithmetic and gives the same bits whatever the width of the vectors.
 */
#include "math/dense.h"

#include <assert.h>
#include <float.h>
#include <math.h>

/* Smallest and largest magnitude of pivot seen so far. */
typedef struct {
    double smallest, largest;
} spread;

static const spread no_pivot = {INFINITY, 0};

static void see_pivot(spread *seen, double smallest, double largest)
{
    if (!(smallest > 0))
        seen->smallest = 0; /* also for NaN */
    else if (smallest < seen->smallest)
        seen->smallest = smallest;
    if (largest > seen->largest)
        seen->largest = largest;
}

/* smallest / largest; 1 of an empty matrix, 0 of a singular one or one that is not finite. */
static double spread_ratio(const spread *seen, int n)
{
    if (n == 0)
        return 1;
    double ratio = seen->smallest / seen->largest;
    return ratio > 0 ? ratio : 0; /* 0 / 0 and infinite / infinite are NaN */
}

static inline double dot(const double *restrict x, const double *restrict y, int n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += x[i] * y[i];
        s1 += x[i + 1] * y[i + 1];
        s2 += x[i + 2] * y[i + 2];
        s3 += x[i + 3] * y[i + 3];
    }
    double rest = 0;
    for (; i < n; i++)
        rest += x[i] * y[i];
    return ((s0 + s2) + (s1 + s3)) + rest;
}

/* y -= s x */
static inline void subtract(double *restrict y, double s, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] -= s * x[i];
}

/* y -= s x + t z */
static inline void subtract_two(double *restrict y, double s, const double *restrict x, double t, const double *restrict z, int n)
{
    for (int i = 0; i < n; i++)
        y[i] -= s * x[i] + t * z[i];
}

static inline void swap(double *x, double *y)
{
    double keep = *x;
    *x = *y;
    *y = keep;
}

static inline const double *row_of(const double *a, int ld, int i)
{
    return a + (ptrdiff_t)i * ld;
}

static inline double *row_at(double *a, int ld, int i)
{
    return a + (ptrdiff_t)i * ld;
}

/* ---- Cholesky ---- */

bool dal_cholesky(double *a, int n, int ld, double tolerance, int *where)
{
    for (int j = 0; j < n; j++) { /* column by column: the elements of a column do not wait for each other */
        double *row = row_at(a, ld, j);
        double pivot = row[j] - dot(row, row, j);
        if (!(pivot > tolerance * row[j]) || isinf(pivot)) { /* NaN as well */
            if (where)
                *where = j;
            return false;
        }
        row[j] = sqrt(pivot);
        for (int i = j + 1; i < n; i++) {
            double *below = row_at(a, ld, i);
            below[j] = (below[j] - dot(below, row, j)) / row[j];
        }
    }
    return true;
}

bool dal_diagonal_counts(const double *a, int n, int ld, double tolerance)
{
    double largest = 0, least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, row_of(a, ld, i)[i]);
        least = fmin(least, row_of(a, ld, i)[i]);
    }
    return n == 0 || least > tolerance * largest;
}

void dal_lower_solve(const double *l, int n, int ld, double *b)
{
    for (int i = 0; i < n; i++) {
        const double *row = row_of(l, ld, i);
        b[i] = (b[i] - dot(row, b, i)) / row[i];
    }
}

void dal_lower_solve_several(const double *l, int n, int ld, int count, double *const *b)
{
    for (int i = 0; i < n; i++) {
        const double *row = row_of(l, ld, i);
        for (int k = 0; k < count; k++)
            b[k][i] = (b[k][i] - dot(row, b[k], i)) / row[i];
    }
}

void dal_lower_transposed_solve(const double *l, int n, int ld, double *b)
{
    for (int i = n - 1; i >= 0; i--) {
        const double *row = row_of(l, ld, i);
        b[i] /= row[i];
        subtract(b, b[i], row, i);
    }
}

void dal_cholesky_solve(const double *l, int n, int ld, double *b)
{
    dal_lower_solve(l, n, ld, b);
    dal_lower_transposed_solve(l, n, ld, b);
}

/* ---- Bunch-Kaufman ---- */

/* Index of the largest |x_i|, i < n (n > 0). */
static int index_of_largest(const double *x, int n)
{
    int best = 0;
    double largest = fabs(x[0]);
    for (int i = 1; i < n; i++) {
        double size = fabs(x[i]);
        best = size > largest ? i : best;
        largest = size > largest ? size : largest;
    }
    return best;
}

/* Largest off-diagonal |a_ri| of the leading block of order k + 1. */
static double largest_in_row(const double *a, int ld, int r, int k)
{
    const double *row = row_of(a, ld, r);
    double largest = 0;
    for (int i = 0; i < r; i++)
        largest = fabs(row[i]) > largest ? fabs(row[i]) : largest;
    for (int i = r + 1; i <= k; i++) {
        double size = fabs(row_of(a, ld, i)[r]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Exchange rows and columns p < q of the leading symmetric block of order q + 1. */
static void exchange(double *a, int ld, int p, int q)
{
    double *row_p = row_at(a, ld, p), *row_q = row_at(a, ld, q);
    for (int i = 0; i < p; i++)
        swap(&row_p[i], &row_q[i]);
    for (int i = p + 1; i < q; i++)
        swap(&row_at(a, ld, i)[p], &row_q[i]);
    swap(&row_p[p], &row_q[q]);
}

/* Choose the pivot of the leading block of order k + 1: its size (1 or 2), and in *with the row to exchange. */
static int choose_pivot(const double *a, int ld, int k, int *with)
{
    const double alpha = 0.6403882032022076; /* (1 + sqrt 17) / 8 balances the growth of one 2x2 and two 1x1 steps */
    const double *row = row_of(a, ld, k);
    *with = k;
    if (k == 0)
        return 1;
    int r = index_of_largest(row, k);
    double own = fabs(row[k]), lambda = fabs(row[r]);
    if (own >= alpha * lambda)
        return 1;
    double sigma = largest_in_row(a, ld, r, k);
    if (own >= alpha * lambda * (lambda / sigma))
        return 1;
    *with = r;
    return fabs(row_of(a, ld, r)[r]) >= alpha * sigma ? 1 : 2;
}

/* Block (d): A' = A - c c^T / d for the rows above k, l = c / d into row k. */
static void eliminate_one(double *a, int ld, int k, spread *seen)
{
    double *row = row_at(a, ld, k);
    double d = row[k];
    see_pivot(seen, fabs(d), fabs(d));
    if (d == 0)
        return; /* the whole row is zero: nothing to subtract */
    double inverse = 1 / d;
    for (int i = k - 1; i >= 0; i--) {
        double l = row[i] * inverse;
        subtract(row_at(a, ld, i), l, row, i + 1);
        row[i] = l; /* rows above i read row[0 .. i) only */
    }
}

/* Block D = [p b; b q] of rows k - 1 and k: A' = A - C D^-1 C^T, (l_k-1, l_k) = C D^-1 into the two rows.
 * Scaled by b, which the choice of the pivot made the dominant element: D / b = [p 1; 1 q], p q - 1 <= alpha^2 - 1. */
static void eliminate_two(double *a, int ld, int k, spread *seen)
{
    double *upper = row_at(a, ld, k - 1), *lower = row_at(a, ld, k);
    double b = lower[k - 1], p = upper[k - 1] / b, q = lower[k] / b;
    double determinant = p * q - 1;
    double half = 0.5 * (p - q);
    double large = 0.5 * fabs(p + q) + sqrt(half * half + 1); /* larger |eigenvalue| of D / b */
    see_pivot(seen, fabs(b) * fabs(determinant) / large, fabs(b) * large);

    double scale = 1 / (b * determinant);
    for (int i = k - 2; i >= 0; i--) {
        double s = scale * (q * upper[i] - lower[i]);
        double t = scale * (p * lower[i] - upper[i]);
        subtract_two(row_at(a, ld, i), s, upper, t, lower, i + 1);
        upper[i] = s;
        lower[i] = t;
    }
}

double dal_ldlt(double *a, int n, int ld, int *pivot)
{
    spread seen = no_pivot;
    for (int k = n - 1; k >= 0;) {
        int with, size = choose_pivot(a, ld, k, &with);
        int target = k - size + 1;
        if (with < target) {
            exchange(a, ld, with, target);
            if (size == 2)
                swap(&row_at(a, ld, k)[target], &row_at(a, ld, k)[with]);
        }
        if (size == 1) {
            pivot[k] = with;
            eliminate_one(a, ld, k, &seen);
        } else {
            pivot[k] = pivot[k - 1] = ~with; /* negative: block of two */
            eliminate_two(a, ld, k, &seen);
        }
        k -= size;
    }
    return spread_ratio(&seen, n);
}

/* (x, y) := D^-1 (x, y) */
static void solve_two(double *x, double *y, double upper, double b, double lower)
{
    double p = upper / b, q = lower / b, u = *x / b, v = *y / b;
    double determinant = p * q - 1;
    *x = (q * u - v) / determinant;
    *y = (p * v - u) / determinant;
}

void dal_ldlt_solve(const double *ld_factor, int n, int ld, const int *pivot, double *b)
{
    for (int k = n - 1; k >= 0;) { /* b := D^-1 L^-1 P^T b */
        const double *row = row_of(ld_factor, ld, k);
        if (pivot[k] >= 0) {
            swap(&b[k], &b[pivot[k]]);
            subtract(b, b[k], row, k);
            b[k] /= row[k];
            k -= 1;
        } else {
            const double *upper = row_of(ld_factor, ld, k - 1);
            swap(&b[k - 1], &b[~pivot[k]]);
            subtract_two(b, b[k - 1], upper, b[k], row, k - 1);
            solve_two(&b[k - 1], &b[k], upper[k - 1], row[k - 1], row[k]);
            k -= 2;
        }
    }
    for (int k = 0; k < n;) { /* b := P L^-T b */
        const double *row = row_of(ld_factor, ld, k);
        if (pivot[k] >= 0) {
            b[k] -= dot(row, b, k);
            swap(&b[k], &b[pivot[k]]);
            k += 1;
        } else {
            b[k] -= dot(row, b, k);
            b[k + 1] -= dot(row_of(ld_factor, ld, k + 1), b, k);
            swap(&b[k], &b[~pivot[k]]);
            k += 2;
        }
    }
}

/* ---- LU ---- */

static int largest_in_column(const double *a, int n, int ld, int k)
{
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(row_of(a, ld, i)[k]) > fabs(row_of(a, ld, best)[k]))
            best = i;
    return best;
}

double dal_lu(double *a, int n, int ld, int *pivot)
{
    spread seen = no_pivot;
    for (int k = 0; k < n; k++) {
        int p = pivot[k] = largest_in_column(a, n, ld, k);
        double *row = row_at(a, ld, k), *other = row_at(a, ld, p);
        if (p != k)
            for (int j = 0; j < n; j++)
                swap(&row[j], &other[j]);
        see_pivot(&seen, fabs(row[k]), fabs(row[k]));
        if (row[k] == 0)
            continue; /* the rest of the column is zero as well: L is the identity there */
        double inverse = 1 / row[k];
        for (int i = k + 1; i < n; i++) {
            double *below = row_at(a, ld, i);
            if (below[k] == 0)
                continue; /* sparse rows stay cheap */
            below[k] *= inverse;
            subtract(below + k + 1, below[k], row + k + 1, n - k - 1);
        }
    }
    return spread_ratio(&seen, n);
}

bool dal_lu_negative(const double *lu, int n, int ld, const int *pivot)
{
    bool negative = false;
    for (int i = 0; i < n; i++)
        negative ^= (row_of(lu, ld, i)[i] < 0) ^ (pivot[i] != i);
    return negative;
}

void dal_lu_solve(const double *lu, int n, int ld, const int *pivot, double *b)
{
    for (int i = 0; i < n; i++) /* b := P b */
        swap(&b[i], &b[pivot[i]]);
    for (int i = 1; i < n; i++) /* b := L^-1 b */
        b[i] -= dot(row_of(lu, ld, i), b, i);
    for (int i = n - 1; i >= 0; i--) { /* b := U^-1 b */
        const double *row = row_of(lu, ld, i);
        b[i] = (b[i] - dot(row + i + 1, b + i + 1, n - i - 1)) / row[i];
    }
}

/* ---- Householder QR, by columns ---- */

/* |x| without overflow or underflow of the squares. */
static double norm(const double *x, int n)
{
    double sum = dot(x, x, n);
    if (sum > 0x1p-900 && sum < 0x1p+1000) /* squares that underflow are below eps * sum */
        return sqrt(sum);
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    if (!(largest > 0 && largest <= DBL_MAX))
        return sum; /* 0, infinite or NaN */
    sum = 0;
    for (int i = 0; i < n; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

/* H x = (beta, 0 .. 0), |beta| = |x|: x becomes (beta, v). Returns tau = (beta - x_0) / beta; 0, H = 1, for x = 0. */
static double make_reflector(double *x, int n)
{
    double beta = -copysign(norm(x, n), x[0]);
    if (beta == 0)
        return 0;
    double tau = (beta - x[0]) / beta;
    double divisor = x[0] - beta;
    for (int i = 1; i < n; i++)
        x[i] /= divisor;
    x[0] = beta;
    return tau;
}

/* The used length of v, one more than a multiple of four: zeros at its end change no bit of a product, because `dot` adds in groups of four. Sparse columns stay
 * cheap. */
static inline int reach(const double *v, int n)
{
    int end = n;
    while (end > 1 && v[end - 1] == 0)
        end--;
    end = 1 + (end + 2) / 4 * 4;
    return end < n ? end : n;
}

/* x := H x with v = (1, v[1 .. n)) */
static inline void reflect(const double *v, double tau, double *x, int n)
{
    double s = tau * (x[0] + dot(v + 1, x + 1, n - 1));
    if (s == 0)
        return;
    x[0] -= s;
    subtract(x + 1, s, v + 1, n - 1);
}

double dal_qr(double *a, int m, int n, int ld, double *tau)
{
    assert(m >= n);
    spread seen = no_pivot;
    for (int k = 0; k < n; k++) {
        double *v = row_at(a, ld, k) + k; /* column k from its diagonal down */
        tau[k] = make_reflector(v, m - k);
        const int length = reach(v, m - k);
        for (int j = k + 1; j < n; j++)
            reflect(v, tau[k], row_at(a, ld, j) + k, length);
        see_pivot(&seen, fabs(v[0]), fabs(v[0]));
    }
    return spread_ratio(&seen, n);
}

void dal_qr_q_times(const double *qr, int m, int n, int ld, const double *tau, double *x)
{
    for (int k = n - 1; k >= 0; k--)
        reflect(row_of(qr, ld, k) + k, tau[k], x + k, reach(row_of(qr, ld, k) + k, m - k));
}

void dal_qr_qt_times(const double *qr, int m, int n, int ld, const double *tau, double *x)
{
    for (int k = 0; k < n; k++)
        reflect(row_of(qr, ld, k) + k, tau[k], x + k, reach(row_of(qr, ld, k) + k, m - k));
}

void dal_qr_least_norm(const double *qr, int m, int n, int ld, const double *tau, const double *b, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = b[i];
    for (int i = n; i < m; i++)
        x[i] = 0;
    dal_qr_rt_solve(qr, n, ld, x);        /* A = R^T Q^T: R^T y = b */
    dal_qr_q_times(qr, m, n, ld, tau, x); /* x = Q (y, 0) */
}

bool dal_semidefinite(const double *M, int n, double tolerance, double *S, int *where)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double a = M[i * n + i], b = M[j * n + j], scale = sqrt(a) * sqrt(b);
            *where = i;
            if (!(a >= 0) || (!(scale > 0) && M[i * n + j] != 0 && b >= 0))
                return false;
            S[i * n + j] = scale > 0 ? M[i * n + j] / scale : 0;
        }
    for (int step = 0; step < n; step++) {
        int p = 0;
        for (int i = 1; i < n; i++)
            p = S[i * n + i] > S[p * n + p] ? i : p;
        const double pivot = S[p * n + p];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                *where = i;
                if (S[i * n + i] < -tolerance || (!(pivot > tolerance) && fabs(S[i * n + j]) > tolerance))
                    return false;
            }
        if (!(pivot > tolerance))
            return true;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (i != p && j != p)
                    S[i * n + j] -= S[i * n + p] * S[p * n + j] / pivot;
        for (int i = 0; i < n; i++)
            S[i * n + p] = S[p * n + i] = 0;
    }
    return true;
}

void dal_add_product(int n, const double *M, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        if (x[j] != 0) {
            const double by = x[j], *column = M + (size_t)n * (size_t)j;
            for (int i = 0; i < n; i++)
                y[i] += column[i] * by;
        }
}

void dal_add_product_of_sizes(int n, const double *M, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        if (x[j] != 0) {
            const double by = x[j], *column = M + (size_t)n * (size_t)j;
            for (int i = 0; i < n; i++)
                y[i] += fabs(column[i]) * by;
        }
}
