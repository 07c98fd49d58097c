/* Ranks, null spaces, pseudo-inverse and eigenvalues on matrices whose answer is known by construction. */
#include "check.h"

#include "math/dense.h"
#include "math/rank.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

enum { LARGEST = 24, LD = LARGEST + 2, SIZE = LARGEST * LD };

typedef double matrix[SIZE];

static double *take_work(int r, int m)
{
    size_t count = dal_rank_work(r, m);
    double *work = malloc(count * sizeof *work); /* exactly: the sanitizer sees one element too many */
    assert_non_null(work);
    memset(work, 0xff, count * sizeof *work); /* not-a-number: nothing may be read before it is written */
    return work;
}

static void fill(double *x, int n, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        x[i] = check_random(seed);
}

/* The first `rank` rows are random, each later one is a random combination of them. */
static void fill_dependent(double *a, int r, int m, int rank, uint64_t *seed)
{
    memset(a, 0, sizeof(matrix));
    for (int i = 0; i < r; i++)
        if (i < rank)
            fill(a + i * LD, m, seed);
        else
            for (int k = 0; k < rank; k++) {
                double c = check_random(seed);
                for (int j = 0; j < m; j++)
                    a[i * LD + j] += c * a[k * LD + j];
            }
}

static double product(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static int rows(const double *a, int r, int m, int *order, double *ratio)
{
    double *work = take_work(r, m);
    int rank = dal_rank_rows(a, r, m, LD, DAL_RANK_TOLERANCE, r, order, ratio, work);
    free(work);
    return rank;
}

static void row_selection_finds_the_rank_and_independent_rows(void **state)
{
    (void)state;
    uint64_t seed = 31;
    for (int r = 0; r <= 20; r++)
        for (int m = 0; m <= 20; m += 1 + m / 3)
            for (int rank = 0; rank <= r && rank <= m; rank += 1 + rank / 2) {
                matrix a, chosen;
                int order[LARGEST], again[LARGEST], seen[LARGEST] = {0};
                double ratio;
                fill_dependent(a, r, m, rank, &seed);
                assert_int_equal(rows(a, r, m, order, &ratio), rank);
                assert_true(ratio > DAL_RANK_TOLERANCE && ratio <= 1);
                for (int i = 0; i < r; i++) {
                    assert_int_equal(seen[order[i]]++, 0);
                    if (i > 0 && i != rank)
                        assert_true(order[i - 1] < order[i]);
                }
                for (int i = 0; i < rank; i++)
                    memcpy(chosen + i * LD, a + order[i] * LD, (size_t)m * sizeof(double));
                assert_int_equal(rows(chosen, rank, m, again, NULL), rank);
            }
}

static void zero_rows_are_dependent(void **state)
{
    (void)state;
    uint64_t seed = 32;
    matrix a;
    int order[LARGEST];
    fill_dependent(a, 7, 9, 7, &seed);
    memset(a + 2 * LD, 0, 9 * sizeof(double));
    memset(a + 5 * LD, 0, 9 * sizeof(double));
    assert_int_equal(rows(a, 7, 9, order, NULL), 5);
    static const int expected[] = {0, 1, 3, 4, 6, 2, 5};
    assert_memory_equal(order, expected, sizeof expected);
}

/* Row i times +-10^-8 .. 10^8. */
static void row_selection_does_not_depend_on_multiples_of_rows(void **state)
{
    (void)state;
    uint64_t seed = 33;
    for (int repeat = 0; repeat < 200; repeat++) {
        int r = 3 + repeat % 15, m = 2 + repeat % 11, rank = 1 + repeat % (m < r ? m : r);
        matrix a, scaled = {0};
        int order[LARGEST], order_scaled[LARGEST];
        double ratio, ratio_scaled;
        fill_dependent(a, r, m, rank, &seed);
        for (int i = 0; i < r; i++) {
            double factor = copysign(pow(10, 8 * check_random(&seed)), check_random(&seed));
            for (int j = 0; j < m; j++)
                scaled[i * LD + j] = factor * a[i * LD + j];
        }
        assert_int_equal(rows(a, r, m, order, &ratio), rank);
        assert_int_equal(rows(scaled, r, m, order_scaled, &ratio_scaled), rank);
        assert_memory_equal(order, order_scaled, (size_t)r * sizeof *order);
        check_close(ratio, ratio_scaled, r * m * DBL_EPSILON);
    }
}

static void shuffle(int *list, int n, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        list[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = (int)((check_random(seed) + 1) / 2 * (i + 1)), keep = list[i];
        list[i] = list[j];
        list[j] = keep;
    }
}

/* Rows outside every dependency are chosen in any order of the rows, and the rank stays. */
static void a_permutation_keeps_the_rank_and_the_rows_that_are_needed(void **state)
{
    (void)state;
    uint64_t seed = 34;
    for (int repeat = 0; repeat < 200; repeat++) {
        enum { R = 14, M = 13, NEEDED = 5, FAMILY = 4 }; /* rows NEEDED .. R span a space of dimension FAMILY */
        matrix a, family, mixed;
        int to[R], order[LARGEST];
        bool chosen[R] = {false};
        fill_dependent(family, R - NEEDED, M, FAMILY, &seed);
        for (int i = 0; i < R; i++)
            if (i < NEEDED)
                fill(a + i * LD, M, &seed);
            else
                memcpy(a + i * LD, family + (i - NEEDED) * LD, M * sizeof(double));
        shuffle(to, R, &seed);
        for (int i = 0; i < R; i++)
            memcpy(mixed + to[i] * LD, a + i * LD, M * sizeof(double));
        assert_int_equal(rows(mixed, R, M, order, NULL), NEEDED + FAMILY);
        for (int i = 0; i < NEEDED + FAMILY; i++)
            chosen[order[i]] = true;
        for (int i = 0; i < NEEDED; i++)
            assert_true(chosen[to[i]]);
    }
}

/* Of copies the first is chosen: rounding does not decide. */
static void of_parallel_rows_the_first_is_chosen(void **state)
{
    (void)state;
    uint64_t seed = 35;
    for (int repeat = 0; repeat < 50; repeat++) {
        matrix a;
        int order[LARGEST];
        fill_dependent(a, 5, 8, 5, &seed);
        for (int i = 5; i < 20; i++) {
            double factor = exp(9 * check_random(&seed));
            for (int j = 0; j < 8; j++)
                a[i * LD + j] = -factor * a[(i % 5) * LD + j];
        }
        assert_int_equal(rows(a, 20, 8, order, NULL), 5);
        for (int i = 0; i < 20; i++)
            assert_int_equal(order[i], i);
    }
}

static void check_null_space(const double *a, bool transposed, int r, int m, const double *basis, int count, double limit)
{
    int n = transposed ? r : m;
    for (int k = 0; k < count; k++) {
        for (int l = 0; l < count; l++)
            check_close(product(basis + k * n, basis + l * n, n), k == l, n * n * DBL_EPSILON);
        for (int i = 0; i < (transposed ? m : r); i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += (transposed ? a[j * LD + i] : a[i * LD + j]) * basis[k * n + j];
            check_small(sum, limit);
        }
    }
}

static void null_spaces_are_orthonormal_and_annihilated(void **state)
{
    (void)state;
    uint64_t seed = 36;
    for (int r = 0; r <= 16; r += 1 + r / 4)
        for (int m = 0; m <= 16; m += 1 + m / 4)
            for (int rank = 0; rank <= r && rank <= m; rank++) {
                matrix a;
                double sigma[LARGEST] = {0}, right[LARGEST * LARGEST], left[LARGEST * LARGEST];
                double *work = take_work(r, m);
                fill_dependent(a, r, m, rank, &seed);
                assert_int_equal(dal_rank_svd(a, r, m, LD, DAL_RANK_TOLERANCE, sigma, right, left, work), rank);
                double limit = (r + m) * (r + m) * DBL_EPSILON * (1 + sigma[0]);
                check_null_space(a, false, r, m, right, m - rank, limit);
                check_null_space(a, true, r, m, left, r - rank, limit);

                double alone[LARGEST];
                assert_int_equal(dal_rank_svd(a, r, m, LD, DAL_RANK_TOLERANCE, alone, NULL, NULL, work), rank);
                for (int i = 0; i < r && i < m; i++)
                    check_close(alone[i], sigma[i], limit);
                free(work);
            }
}

/* sum s_i^2 = |A|_F^2, and the product of the s_i is |det A|. */
static void singular_values_have_the_right_sum_and_product(void **state)
{
    (void)state;
    uint64_t seed = 37;
    for (int n = 1; n <= 12; n++) {
        matrix a;
        double sigma[LARGEST], squares = 0, frobenius = 0, volume = 1, determinant = 1;
        int pivot[LARGEST];
        double *work = take_work(n, n);
        fill_dependent(a, n, n, n, &seed);
        assert_int_equal(dal_rank_svd(a, n, n, LD, 0, sigma, NULL, NULL, work), n);
        free(work);
        for (int i = 0; i < n; i++) {
            squares += sigma[i] * sigma[i];
            volume *= sigma[i];
            frobenius += product(a + i * LD, a + i * LD, n);
            if (i > 0)
                assert_true(sigma[i] <= sigma[i - 1]);
        }
        dal_lu(a, n, LD, pivot);
        for (int i = 0; i < n; i++)
            determinant *= a[i * LD + i];
        check_close(squares, frobenius, n * n * DBL_EPSILON * frobenius);
        check_close(volume, fabs(determinant), n * n * DBL_EPSILON * sigma[0] / sigma[n - 1] * volume);
    }
}

/* The singular values of a positive definite matrix are its eigenvalues. */
static void hilbert_matrices_lose_rank_where_their_condition_says(void **state)
{
    (void)state;
    static const double condition[] = {1, 19.28147006790397, 524.0567775860644, 15513.73873892924}; /* orders 1 .. 4 */
    double sigma[LARGEST], values[LARGEST];
    for (int n = 1; n <= 10; n++) {
        matrix a;
        double *work = take_work(n, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * LD + j] = 1.0 / (i + j + 1);
        int rank = dal_rank_svd(a, n, n, LD, DAL_RANK_TOLERANCE, sigma, NULL, NULL, work);
        assert_int_equal(dal_symmetric_eigen(a, n, LD, values, NULL, work), 0);
        int expected = 0;
        for (int i = 0; i < n; i++) {
            check_close(values[n - 1 - i], sigma[i], n * n * DBL_EPSILON * sigma[0]);
            expected += sigma[i] > DAL_RANK_TOLERANCE * sigma[0];
        }
        assert_int_equal(rank, expected);
        assert_int_equal(rank < n, n >= 8); /* conditions 4.8e8 (n = 7), 1.5e10 (n = 8) */
        if (n <= 4)
            check_close(sigma[0] / sigma[n - 1] / condition[n - 1], 1, n * n * DBL_EPSILON * condition[n - 1]);
        free(work);
    }
}

static void pseudo_inverse_fulfils_the_conditions_of_penrose(void **state)
{
    (void)state;
    uint64_t seed = 38;
    for (int repeat = 0; repeat < 100; repeat++) {
        int r = 1 + repeat % 13, m = 1 + repeat % 10, size = r < m ? r : m, rank = repeat % (size + 1);
        matrix a;
        double b[LARGEST], x[LARGEST], sigma[LARGEST], right[LARGEST * LARGEST], left[LARGEST * LARGEST];
        double *work = take_work(r, m);
        fill_dependent(a, r, m, rank, &seed);
        fill(b, r, &seed);
        assert_int_equal(dal_rank_solve(a, r, m, LD, DAL_RANK_TOLERANCE, b, x, work), rank);
        dal_rank_svd(a, r, m, LD, DAL_RANK_TOLERANCE, sigma, right, left, work);
        free(work);
        /* x is orthogonal to the null space; b - A x lies in the left null space. */
        double smallest = rank ? sigma[rank - 1] : 1, condition = rank ? sigma[0] / smallest : 1;
        double limit = (r + m) * (r + m) * DBL_EPSILON * condition * (1 + 1 / smallest);
        for (int k = 0; k < m - rank; k++)
            check_small(product(right + k * m, x, m), limit);
        double residual[LARGEST];
        for (int i = 0; i < r; i++)
            residual[i] = b[i] - product(a + i * LD, x, m);
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int i = 0; i < r; i++)
                sum += a[i * LD + j] * residual[i];
            check_small(sum, limit * (1 + sigma[0]));
        }
    }
}

static void least_norm_of_qr_equals_that_of_svd(void **state)
{
    (void)state;
    uint64_t seed = 39;
    for (int r = 1; r <= 18; r++)
        for (int m = r; m <= LARGEST; m += 3) {
            matrix a, qr;
            double b[LARGEST], x[LARGEST], y[LARGEST], tau[LARGEST], sigma[LARGEST], size = 0;
            double *work = take_work(r, m);
            fill_dependent(a, r, m, r, &seed);
            fill(b, r, &seed);
            assert_int_equal(dal_rank_solve(a, r, m, LD, DAL_RANK_TOLERANCE, b, x, work), r);
            dal_rank_svd(a, r, m, LD, DAL_RANK_TOLERANCE, sigma, NULL, NULL, work);
            free(work);
            memcpy(qr, a, sizeof qr); /* rows of A are columns of A^T */
            dal_qr(qr, m, r, LD, tau);
            dal_qr_least_norm(qr, m, r, LD, tau, b, y);
            for (int j = 0; j < m; j++)
                size = fmax(size, fabs(x[j]));
            for (int j = 0; j < m; j++)
                check_close(x[j], y[j], m * r * DBL_EPSILON * sigma[0] / sigma[r - 1] * size);
        }
}

static void eigenvectors_are_orthonormal_and_diagonalise(void **state)
{
    (void)state;
    uint64_t seed = 40;
    for (int n = 0; n <= LARGEST; n++) {
        matrix a;
        double values[LARGEST], vectors[LARGEST * LARGEST], alone[LARGEST], limit = n * n * DBL_EPSILON * n;
        double *work = take_work(n, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                a[i * LD + j] = a[j * LD + i] = check_random(&seed);
        assert_int_equal(dal_symmetric_eigen(a, n, LD, values, vectors, work), 0);
        assert_int_equal(dal_symmetric_eigen(a, n, LD, alone, NULL, work), 0);
        free(work);
        for (int k = 0; k < n; k++) {
            const double *v = vectors + k * n;
            check_close(alone[k], values[k], limit);
            if (k > 0)
                assert_true(values[k - 1] <= values[k]);
            for (int l = 0; l < n; l++)
                check_close(product(v, vectors + l * n, n), k == l, n * n * DBL_EPSILON);
            for (int i = 0; i < n; i++)
                check_close(product(a + i * LD, v, n), values[k] * v[i], limit);
        }
    }
}

static void a_matrix_that_is_not_finite_has_no_rank(void **state)
{
    (void)state;
    uint64_t seed = 41;
    matrix a;
    double sigma[LARGEST], x[LARGEST], b[LARGEST], values[LARGEST];
    int order[LARGEST];
    double *work = take_work(6, 6);
    fill_dependent(a, 6, 6, 6, &seed);
    fill(b, 6, &seed);
    a[3 * LD + 4] = NAN;
    assert_int_equal(dal_rank_rows(a, 6, 6, LD, 1e-10, 6, order, NULL, work), -1);
    a[3 * LD + 4] = INFINITY;
    assert_int_equal(dal_rank_svd(a, 6, 6, LD, 1e-10, sigma, NULL, NULL, work), -1);
    assert_int_equal(dal_rank_solve(a, 6, 6, LD, 1e-10, b, x, work), -1);
    assert_int_not_equal(dal_symmetric_eigen(a, 6, LD, values, NULL, work), 0);
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_selection_finds_the_rank_and_independent_rows),
        cmocka_unit_test(zero_rows_are_dependent),
        cmocka_unit_test(row_selection_does_not_depend_on_multiples_of_rows),
        cmocka_unit_test(a_permutation_keeps_the_rank_and_the_rows_that_are_needed),
        cmocka_unit_test(of_parallel_rows_the_first_is_chosen),
        cmocka_unit_test(null_spaces_are_orthonormal_and_annihilated),
        cmocka_unit_test(singular_values_have_the_right_sum_and_product),
        cmocka_unit_test(hilbert_matrices_lose_rank_where_their_condition_says),
        cmocka_unit_test(pseudo_inverse_fulfils_the_conditions_of_penrose),
        cmocka_unit_test(least_norm_of_qr_equals_that_of_svd),
        cmocka_unit_test(eigenvectors_are_orthonormal_and_diagonalise),
        cmocka_unit_test(a_matrix_that_is_not_finite_has_no_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
