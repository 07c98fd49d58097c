/* Ranks, null spaces, pseudo-inverse and symmetric eigenvalues through LAPACK.
 *
 * LAPACK stores by columns, so it sees a row-major r x m matrix A as the m x r matrix B = A^T. With
 *     B = U S V^T    (dgesvd)
 *   the rank is the number of s_i > tolerance * s_0,
 *   {x : A x = 0}   is spanned by the columns of U beyond the rank,
 *   {y : A^T y = 0} is spanned by the columns of V beyond the rank,
 *   A^+ b = U S^-1 V^T b over the s_i that count.
 * Independent rows of A are independent columns of B: B P = Q R with column pivoting (dgeqp3).
 *
 * Source: Golub and Van Loan, Matrix Computations, sections 5.4, 5.5.
 */
#include "math/rank.h"
#include "math/sums.h"

#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { BLOCK = 32 }; /* LAPACK's blocked algorithms want about this many columns of workspace */

/* Unit rows tie for the first pivot, and rounding would decide. Row i counts as 1 - TILT i / r long: ties go to the
 * row that stands first, whatever its scale. TILT is far above the error of dgeqp3's updated norms (sqrt eps), and far below the differences that
 * matter between pivots. */
static const double TILT = 1e-3;

static int smaller(int r, int m)
{
    return r < m ? r : m;
}

static size_t area(int rows, int columns)
{
    return (size_t)rows * (size_t)columns;
}

/* Doubles of LAPACK's own workspace: dgesvd, dgeqp3 and dsyev with their blocks. */
static int lapack_work(int r, int m)
{
    return (BLOCK + 5) * (r + m) + BLOCK + 8;
}

/* Copy of A, the two sets of singular vectors, tau or sigma, permutation, LAPACK's own. */
size_t dal_rank_work(int r, int m)
{
    return area(r, m) + area(r, r) + area(m, m) + 2 * ((size_t)r + (size_t)m) + (size_t)lapack_work(r, m);
}

static void copy_rows(const double *a, int r, int m, int ld, double *copy)
{
    for (int i = 0; i < r; i++)
        memcpy(copy + area(i, m), a + area(i, ld), (size_t)m * sizeof *copy);
}

static int is_finite(const double *a, int r, int m, int ld)
{
    for (int i = 0; i < r; i++)
        for (int j = 0; j < m; j++)
            if (!isfinite(a[area(i, ld) + (size_t)j]))
                return 0;
    return 1;
}

/* x := x * length / |x|, without overflow of the squares; a zero vector stays. */
static void set_length(double *x, int n, double length)
{
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    if (largest == 0)
        return;
    int exponent;
    frexp(largest, &exponent);
    for (int i = 0; i < n; i++) {
        x[i] = ldexp(x[i], -exponent); /* exact: below 1 */
        sum += x[i] * x[i];
    }
    double factor = length / sqrt(sum);
    for (int i = 0; i < n; i++)
        x[i] *= factor;
}

static void sort_ascending(int *list, int n)
{
    for (int i = 1; i < n; i++) {
        int value = list[i], j = i;
        for (; j > 0 && list[j - 1] > value; j--)
            list[j] = list[j - 1];
        list[j] = value;
    }
}

/* ---- rows that are independent for sure ------------------------------------------------------- */

/* With unit rows, G = B B^T = L L^T, and the smallest singular value of B is at least 1 / |L^-1|_F. A pivot of dgeqp3 is the distance of a row
 * from the span of others: none is smaller. Where this bound is far above every tolerance, and above the error sqrt(eps) of roots of G, all rows are
 * independent for every order of the pivots, and no factorisation is needed. */
static const double SURELY = 1e-5;

/* The columns [first, end) between which a row is not zero. */
typedef struct extent {
    int first, end;
} extent;

static extent extent_of(const double *row, int m)
{
    extent e = {0, m};
    while (e.first < m && row[e.first] == 0)
        e.first++;
    while (e.end > e.first && row[e.end - 1] == 0)
        e.end--;
    return e;
}

static double product_within(const double *x, extent of_x, const double *y, extent of_y)
{
    const int first = of_x.first > of_y.first ? of_x.first : of_y.first, end = of_x.end < of_y.end ? of_x.end : of_y.end;
    return first < end ? dal_inner_by_four(x + first, y + first, end - first) : 0;
}

/* Row i of L, from column `first` on, with its diagonal inverted; x: 1 / |a_i|. False: the row may depend on those before it. */
static bool factor_row(const double *a, int m, int ld, int r, int i, double *L, double *x, extent *of_row, extent *of_L)
{
    const double *own = a + area(i, ld);
    double *row = L + area(i, r);
    of_row[i] = extent_of(own, m);
    const double square = product_within(own, of_row[i], own, of_row[i]);
    if (!(square > 1e-200 && square < 1e200))
        return false;
    x[i] = 1 / sqrt(square);
    of_L[i] = (extent){i, i};
    for (int k = 0; k < i; k++) {
        const double *above = L + area(k, r);
        const double g = product_within(own, of_row[i], a + area(k, ld), of_row[k]) * x[i] * x[k];
        if (g != 0 && of_L[i].first == i)
            of_L[i].first = k;
        of_L[i].end = k;
        row[k] = of_L[i].first < i ? (g - product_within(row, of_L[i], above, of_L[k])) * above[k] : 0;
    }
    of_L[i].end = i;
    const double pivot = 1 - product_within(row, of_L[i], row, of_L[i]);
    row[i] = 1 / sqrt(pivot);
    return pivot > SURELY * SURELY;
}

/* False: perhaps not. `work`: r^2 + 3 r. */
static bool surely_independent(const double *a, int r, int m, int ld, double *work)
{
    double *L = work, *x = L + area(r, r), sum = 0, most = 0;
    extent *of_row = (extent *)(void *)(x + r), *of_L = of_row + r;
    for (int i = 0; i < r; i++)
        if (!factor_row(a, m, ld, r, i, L, x, of_row, of_L))
            return false;
    for (int i = 0; i < r; i++) { /* first by |L^-1| <= M^-1, M with the diagonal of L and -|L| below it */
        const double *row = L + area(i, r);
        double length = 1;
        for (int k = of_L[i].first; k < i; k++)
            length += fabs(row[k]) * x[k];
        x[i] = length * row[i];
        most = fmax(most, x[i]);
    }
    if (most * most * r * SURELY * SURELY < 1)
        return true;
    for (int j = 0; j < r; j++) /* column j of L^-1 */
        for (int i = j; i < r; i++) {
            const double *row = L + area(i, r);
            x[i] = ((i == j) - dal_inner_by_four(row + j, x + j, i - j)) * row[i];
            sum += x[i] * x[i];
        }
    return sum * SURELY * SURELY < 1;
}

int dal_rank_rows(const double *a, int r, int m, int ld, double tolerance, int max_rank, int *order, double *ratio, double *work)
{
    int size = smaller(r, m), rank = 0;
    for (int i = 0; i < r; i++)
        order[i] = i;
    if (ratio)
        *ratio = 1;
    if (!ratio && size && r <= m && max_rank >= r && 1000 * tolerance < SURELY && surely_independent(a, r, m, ld, work))
        return r; /* the squares of its rows are finite */
    if (!is_finite(a, r, m, ld))
        return -1;
    if (size == 0)
        return 0;

    double *b = work, *tau = b + area(r, m), *rest = tau + size;
    copy_rows(a, r, m, ld, b);
    for (int i = 0; i < r; i++)
        set_length(b + area(i, m), m, 1 - TILT * i / r);

    lapack_int *pivot = (lapack_int *)rest; /* r integers in r doubles */
    memset(pivot, 0, (size_t)r * sizeof *pivot);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, r, b, m, pivot, tau, rest + r, lapack_work(r, m));

    double first = fabs(b[0]);
    while (rank < size && rank < max_rank && fabs(b[area(rank, m) + (size_t)rank]) > tolerance * first)
        rank++;
    if (ratio && rank > 0)
        *ratio = fabs(b[area(rank - 1, m) + (size_t)(rank - 1)]) / first;
    for (int i = 0; i < r; i++)
        order[i] = (int)pivot[i] - 1;
    sort_ascending(order, rank);
    sort_ascending(order + rank, r - rank);
    return rank;
}

/* A^T = U S V^T. `job` 'A': all singular vectors, 'S': the first min(r, m), 'N': none; u is m x . and vt is . x r by
 * columns. `work` holds a copy of A and LAPACK's own. */
static int decompose(const double *a, int r, int m, int ld, char job_u, char job_vt, double *sigma, double *u, double *vt, double *work)
{
    if (!is_finite(a, r, m, ld))
        return -1;
    double *b = work;
    copy_rows(a, r, m, ld, b);
    int rows_vt = job_vt == 'S' ? smaller(r, m) : r;
    return (int)LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job_u, job_vt, m, r, b, m, sigma, u, m, vt, rows_vt, b + area(r, m), lapack_work(r, m));
}

size_t dal_rank_values_work(int r, int m)
{
    return area(r, m) + 2 * ((size_t)r + (size_t)m) + (size_t)lapack_work(r, m);
}

int dal_rank_count(const double *sigma, int n, double tolerance)
{
    int rank = 0;
    while (rank < n && sigma[rank] > tolerance * sigma[0])
        rank++;
    return rank;
}

static void set_identity(double *a, int n)
{
    memset(a, 0, area(n, n) * sizeof *a);
    for (int i = 0; i < n; i++)
        a[area(i, n) + (size_t)i] = 1;
}

int dal_rank_svd(const double *a, int r, int m, int ld, double tolerance, double *sigma, double *null_right, double *null_left, double *work)
{
    const bool vectors = null_right || null_left;
    double *u = work, *vt = u + (vectors ? area(m, m) : 0), *rest = vt + (vectors ? area(r, r) : 0);
    int rank = 0;
    if (smaller(r, m) == 0) {
        if (vectors) {
            set_identity(u, m);
            set_identity(vt, r);
        }
    } else {
        if (decompose(a, r, m, ld, null_right ? 'A' : 'N', null_left ? 'A' : 'N', sigma, u, vt, rest) != 0)
            return -1;
        rank = dal_rank_count(sigma, smaller(r, m), tolerance);
    }
    if (null_right)
        memcpy(null_right, u + area(rank, m), area(m - rank, m) * sizeof *u);
    if (null_left)
        for (int k = rank; k < r; k++)
            for (int i = 0; i < r; i++)
                null_left[area(k - rank, r) + (size_t)i] = vt[area(i, r) + (size_t)k];
    return rank;
}

int dal_rank_solve(const double *a, int r, int m, int ld, double tolerance, const double *b, double *x, double *work)
{
    int size = smaller(r, m);
    for (int j = 0; j < m; j++)
        x[j] = 0;
    if (size == 0)
        return 0;
    double *u = work, *vt = u + area(size, m), *sigma = vt + area(size, r), *rest = sigma + size;
    if (decompose(a, r, m, ld, 'S', 'S', sigma, u, vt, rest) != 0)
        return -1;
    int rank = dal_rank_count(sigma, size, tolerance);
    for (int k = 0; k < rank; k++) { /* x += u_k (v_k . b) / s_k */
        double c = 0;
        for (int i = 0; i < r; i++)
            c += vt[area(i, size) + (size_t)k] * b[i];
        c /= sigma[k];
        for (int j = 0; j < m; j++)
            x[j] += u[area(k, m) + (size_t)j] * c;
    }
    return rank;
}

int dal_symmetric_eigen(const double *a, int n, int ld, double *values, double *vectors, double *work)
{
    if (n == 0)
        return 0;
    if (!is_finite(a, n, n, ld))
        return -1;
    double *q = vectors ? vectors : work; /* eigenvectors by columns there are rows here */
    copy_rows(a, n, n, ld, q);
    return (int)LAPACKE_dsyev_work(LAPACK_COL_MAJOR, vectors ? 'V' : 'N', 'U', n, q, n, values, work + area(n, n), lapack_work(n, n));
}
