/* Factorisations against the matrix they came from: backward errors, refusals and repeatability. */
#include "check.h"

#include "math/dense.h"
#include "math/known_lu.h"

#include <float.h>
#include <stdlib.h>

enum { LARGEST = 40, LD = LARGEST + 3, SIZE = LARGEST * LD };

typedef double matrix[SIZE];

static double at(const double *a, int i, int j)
{
    return a[i * LD + j];
}

/* Backward stable elimination and reflection: |A x - b| <= c n^2 eps |A| |x|, the n^2 of the classical bounds
 * (Higham, Accuracy and Stability, theorems 9.3, 10.3, 11.3); in largest-row-sum norms. */
static double rounding(const double *a, int n, const double *x)
{
    double norm = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(at(a, i, j));
        norm = fmax(norm, sum);
        size = fmax(size, fabs(x[i]));
    }
    return (double)(n * n + 1) * DBL_EPSILON * norm * size;
}

static void check_solution(const double *a, int n, const double *x, const double *b)
{
    double limit = rounding(a, n, x);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += at(a, i, j) * x[j];
        check_close(sum, b[i], limit);
    }
}

static void fill(double *x, int n, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        x[i] = check_random(seed);
}

static void fill_symmetric(double *a, int n, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[i * LD + j] = a[j * LD + i] = check_random(seed);
}

/* a := scale * sum over k < rank of g_k g_k^T, added to what is there */
static void add_gram(double *a, int n, int rank, double scale, uint64_t *seed)
{
    double g[LARGEST];
    for (int k = 0; k < rank; k++) {
        fill(g, n, seed);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i * LD + j] += scale * g[i] * g[j];
    }
}

/* Copy of the lower triangle; everything else is not-a-number and must stay unread. */
static void copy_lower(double *to, const double *from, int n)
{
    for (int i = 0; i < SIZE; i++)
        to[i] = NAN;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            to[i * LD + j] = at(from, i, j);
}

static void check_upper_untouched(const double *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < LD; j++)
            assert_true(isnan(at(a, i, j)));
}

static void cholesky_solves_positive_definite_systems(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int n = 0; n <= LARGEST; n++) {
        matrix a = {0}, l;
        double b[LARGEST], x[LARGEST];
        int where = -1;
        add_gram(a, n, n + 2, 1.37, &seed);
        copy_lower(l, a, n);
        fill(b, LARGEST, &seed);
        memcpy(x, b, sizeof x);
        assert_true(dal_cholesky(l, n, LD, 0, &where));
        assert_int_equal(where, -1);
        dal_cholesky_solve(l, n, LD, x);
        check_solution(a, n, x, b);
        check_upper_untouched(l, n);
    }
}

static void cholesky_factor_times_its_transpose_is_the_matrix(void **state)
{
    (void)state;
    uint64_t seed = 12;
    int n = 23;
    matrix a = {0}, l;
    add_gram(a, n, n + 2, 0.618, &seed);
    copy_lower(l, a, n);
    assert_true(dal_cholesky(l, n, LD, 0, NULL));
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += at(l, i, k) * at(l, j, k);
            check_close(sum, at(a, i, j), 2 * n * DBL_EPSILON * sqrt(at(a, i, i) * at(a, j, j)));
        }
}

/* A = L D L^T with one bad d: the pivot of that row is d. */
static void cholesky_names_the_row_that_is_not_positive(void **state)
{
    (void)state;
    static const double bad[] = {-0.37, 0, 1e-12, -INFINITY, NAN};
    for (size_t kind = 0; kind < sizeof bad / sizeof *bad; kind++)
        for (int row = bad[kind] > 0; row < 9; row++) { /* a small first pivot is a unit like any other */
            uint64_t seed = 13;
            matrix l = {0}, a = {0};
            int n = 9, where = -1;
            for (int i = 0; i < n; i++) {
                fill(&l[i * LD], i, &seed);
                l[i * LD + i] = 1;
            }
            for (int i = 0; i < n; i++)
                for (int j = 0; j <= i; j++)
                    for (int k = 0; k <= j; k++)
                        a[i * LD + j] += at(l, i, k) * (k == row ? bad[kind] : 1.37 + 0.1 * k) * at(l, j, k);
            assert_false(dal_cholesky(a, n, LD, 1e-10, &where));
            assert_int_equal(where, row);
        }
}

static void triangular_solves_invert_products(void **state)
{
    (void)state;
    uint64_t seed = 14;
    int n = 31;
    matrix l;
    double x[LARGEST], lx[LARGEST] = {0}, ltx[LARGEST] = {0};
    for (int i = 0; i < SIZE; i++)
        l[i] = NAN;
    fill(x, n, &seed);
    for (int i = 0; i < n; i++) { /* diagonally dominant: condition below 5 */
        for (int j = 0; j < i; j++)
            l[i * LD + j] = check_random(&seed) / n;
        l[i * LD + i] = 1.37 + 0.5 * check_random(&seed);
        for (int j = 0; j <= i; j++) {
            lx[i] += at(l, i, j) * x[j];
            ltx[j] += at(l, i, j) * x[i];
        }
    }
    dal_lower_solve(l, n, LD, lx);
    dal_lower_transposed_solve(l, n, LD, ltx);
    for (int i = 0; i < n; i++) {
        check_close(lx[i], x[i], 8 * n * DBL_EPSILON);
        check_close(ltx[i], x[i], 8 * n * DBL_EPSILON);
    }
}

static double solve_symmetric(const double *a, int n, const double *b, double *x)
{
    matrix f;
    int pivot[LARGEST];
    copy_lower(f, a, n);
    memcpy(x, b, (size_t)n * sizeof *x);
    double ratio = dal_ldlt(f, n, LD, pivot);
    dal_ldlt_solve(f, n, LD, pivot, x);
    check_upper_untouched(f, n);
    return ratio;
}

static void ldlt_solves_indefinite_systems(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (int n = 0; n <= LARGEST; n++)
        for (int repeat = 0; repeat < 20; repeat++) {
            matrix a;
            double b[LARGEST], x[LARGEST];
            fill_symmetric(a, n, &seed);
            if (repeat % 2)
                for (int i = 0; i < n; i++)
                    a[i * LD + i] = n > 1 ? 0 : 1; /* only 2x2 pivots can begin */
            fill(b, n, &seed);
            assert_true(solve_symmetric(a, n, b, x) > 0);
            check_solution(a, n, x, b);
        }
}

/* [M A^T; A 0] of m coordinates and r rows, rank M = m - lost <= m, lost <= r: regular because [M; A] has full rank. */
static void make_saddle(double *k, int m, int r, int lost, double mass, uint64_t *seed)
{
    memset(k, 0, sizeof(matrix));
    add_gram(k, m, m - lost, mass, seed);
    for (int i = m; i < m + r; i++)
        for (int j = 0; j < m; j++)
            k[i * LD + j] = k[j * LD + i] = check_random(seed);
}

static void ldlt_solves_saddle_systems_with_a_singular_mass_matrix(void **state)
{
    (void)state;
    static const double masses[] = {1.37, 4.1e5, 2.3e-6};
    uint64_t seed = 16;
    for (size_t mass = 0; mass < 3; mass++)
        for (int m = 1; m <= 22; m++)
            for (int r = 1; r <= m && m + r <= LARGEST; r++)
                for (int lost = 0; lost <= r; lost += 1 + r / 3) {
                    matrix k;
                    double b[LARGEST], x[LARGEST];
                    make_saddle(k, m, r, lost, masses[mass], &seed);
                    fill(b, m + r, &seed);
                    assert_true(solve_symmetric(k, m + r, b, x) > 0);
                    check_solution(k, m + r, x, b);
                }
}

/* Coordinates without any mass: zero rows and columns in M, held by the constraints alone. */
static void ldlt_solves_saddle_systems_with_massless_coordinates(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int m = 2; m <= 20; m++)
        for (int massless = 1; massless <= m; massless++) {
            matrix k;
            double b[LARGEST], x[LARGEST];
            int n = m + massless;
            make_saddle(k, m, massless, m, 1, &seed);
            for (int i = massless; i < m; i++)
                k[i * LD + i] = 1.37 + check_random(&seed);
            fill(b, n, &seed);
            assert_true(solve_symmetric(k, n, b, x) > 0);
            check_solution(k, n, x, b);
        }
}

/* Where one of the tests of Bunch and Kaufman alone keeps the elements from growing. */
static void ldlt_does_not_grow_where_a_simpler_choice_of_pivots_would(void **state)
{
    (void)state;
    static const double lower[][6] = {
        {1.37, 4.1, 2, 0.3, 1, 0.5},             /* the last two rows make a singular block */
        {1.37, 1.1, 1e-9, 0.5e-9, 1.3e-9, 0},    /* the middle diagonal is large in its column, small in its row */
        {1.37, 0.618, -2.1, 0.4, 0.71, 1.1e-12}, /* the last diagonal is small in its row */
    };
    for (int kind = 0; kind < 3; kind++) {
        matrix a;
        double x[3], b[3] = {0};
        for (int i = 0, p = 0; i < 3; i++)
            for (int j = 0; j <= i; j++, p++)
                a[i * LD + j] = a[j * LD + i] = lower[kind][p];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                b[i] += at(a, i, j) * (0.37 - 1.41 * j);
        assert_true(solve_symmetric(a, 3, b, x) > 0);
        check_solution(a, 3, x, b);
    }
}

static void ldlt_ratio_of_one_block_is_its_ratio_of_eigenvalues(void **state)
{
    (void)state;
    const double p = 0.137, b = 1.618, q = -0.271;
    double a[] = {p, NAN, b, q};
    int pivot[2];
    double mean = (p + q) / 2, radius = hypot((p - q) / 2, b); /* eigenvalues mean -+ radius */
    double ratio = dal_ldlt(a, 2, 2, pivot);
    check_close(ratio, (radius - fabs(mean)) / (radius + fabs(mean)), 8 * DBL_EPSILON);

    double diagonal[] = {-0.37, NAN, 0, 5.3};
    check_close(dal_ldlt(diagonal, 2, 2, pivot), 0.37 / 5.3, 4 * DBL_EPSILON);
}

static void lu_solves_general_systems(void **state)
{
    (void)state;
    uint64_t seed = 18;
    for (int n = 0; n <= LARGEST; n++)
        for (int repeat = 0; repeat < 10; repeat++) {
            matrix a, lu;
            double b[LARGEST], x[LARGEST];
            int pivot[LARGEST];
            fill(a, SIZE, &seed);
            if (repeat % 2 && n > 1)
                for (int i = 0; i < n; i++)
                    a[i * LD + i] = 0;
            memcpy(lu, a, sizeof lu);
            fill(b, LARGEST, &seed);
            memcpy(x, b, sizeof x);
            assert_true(dal_lu(lu, n, LD, pivot) > 0);
            dal_lu_solve(lu, n, LD, pivot, x);
            check_solution(a, n, x, b);
            for (int i = 0; i < n; i++)
                assert_memory_equal(&lu[i * LD + n], &a[i * LD + n], sizeof(double) * (size_t)(LD - n));
        }
}

static void a_zero_row_and_column_gives_ratio_zero(void **state)
{
    (void)state;
    uint64_t seed = 19;
    for (int n = 1; n <= 12; n++)
        for (int zero = 0; zero < n; zero++) {
            matrix a, f;
            int pivot[LARGEST];
            double tau[LARGEST];
            fill_symmetric(a, n, &seed);
            for (int i = 0; i < n; i++)
                a[i * LD + zero] = a[zero * LD + i] = 0;
            memcpy(f, a, sizeof f);
            assert_true(dal_ldlt(f, n, LD, pivot) == 0);
            memcpy(f, a, sizeof f);
            assert_true(dal_lu(f, n, LD, pivot) == 0);
            memcpy(f, a, sizeof f);
            assert_true(dal_qr(f, n, n, LD, tau) == 0);
        }
}

static void an_element_that_is_not_finite_gives_ratio_zero(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < 5; i++)
            for (int j = 0; j <= i; j++) {
                uint64_t seed = 20;
                matrix a, f;
                int pivot[LARGEST];
                double tau[LARGEST];
                fill_symmetric(a, 5, &seed);
                a[i * LD + j] = a[j * LD + i] = bad[kind];
                memcpy(f, a, sizeof f);
                assert_true(dal_ldlt(f, 5, LD, pivot) == 0);
                memcpy(f, a, sizeof f);
                assert_true(dal_lu(f, 5, LD, pivot) == 0);
                memcpy(f, a, sizeof f);
                assert_true(dal_qr(f, 5, 5, LD, tau) == 0);
            }
}

/* The ratio of a matrix of rank n - 1 is rounding, that of a regular one is not. */
static void dependent_rows_show_in_the_ratio(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (int n = 2; n <= LARGEST; n++) {
        matrix a = {0}, f;
        int pivot[LARGEST];
        double tau[LARGEST], limit = n * n * DBL_EPSILON;
        add_gram(a, n, n - 1, 1, &seed);
        memcpy(f, a, sizeof f);
        assert_true(dal_ldlt(f, n, LD, pivot) <= limit);
        memcpy(f, a, sizeof f);
        assert_true(dal_lu(f, n, LD, pivot) <= limit);
        memcpy(f, a, sizeof f);
        assert_true(dal_qr(f, n, n, LD, tau) <= limit);
        for (int i = 0; i < n; i++)
            a[i * LD + i] += 0.3 * n;
        assert_true(dal_ldlt(a, n, LD, pivot) > 1e-3);
    }
}

static void fill_hilbert(double *a, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i * LD + j] = 1.0 / (i + j + 1);
}

/* Condition 1e13 at n = 10: solutions are far off, residuals are not. */
static void hilbert_matrices_keep_their_backward_error(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (int n = 1; n <= 10; n++) {
        matrix a, f;
        double b[LARGEST], x[LARGEST], y[LARGEST];
        fill_hilbert(a, n);
        fill(b, LARGEST, &seed);
        copy_lower(f, a, n);
        memcpy(x, b, sizeof x);
        assert_true(dal_cholesky(f, n, LD, 0, NULL));
        dal_cholesky_solve(f, n, LD, x);
        check_solution(a, n, x, b);
        solve_symmetric(a, n, b, y);
        check_solution(a, n, y, b);
    }
    matrix large;
    int where = -1;
    fill_hilbert(large, 20);
    assert_false(dal_cholesky(large, 20, LD, 20 * DBL_EPSILON, &where));
    assert_true(where >= 10 && where < 15); /* condition 1 / (n eps) is passed between orders 11 and 13 */
}

/* Column j of the m x n matrix starts at a + j LD. */
static void qr_product_is_the_matrix_and_q_is_orthogonal(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (int m = 0; m <= LARGEST; m += 1 + m / 9)
        for (int n = 0; n <= m; n += 1 + n / 5) {
            matrix a, qr;
            double tau[LARGEST], x[LARGEST], y[LARGEST];
            fill(a, SIZE, &seed);
            memcpy(qr, a, sizeof qr);
            assert_true(dal_qr(qr, m, n, LD, tau) > 0);
            double limit = (double)(m * (n + 1)) * DBL_EPSILON;
            for (int j = 0; j < n; j++) {
                memset(x, 0, sizeof x);
                memcpy(x, &qr[j * LD], sizeof(double) * (size_t)(j + 1)); /* column j of R */
                dal_qr_q_times(qr, m, n, LD, tau, x);
                for (int i = 0; i < m; i++)
                    check_close(x[i], at(a, j, i), limit * sqrt(m));
            }
            fill(x, LARGEST, &seed);
            memcpy(y, x, sizeof y);
            dal_qr_qt_times(qr, m, n, LD, tau, y);
            double before = 0, after = 0;
            for (int i = 0; i < m; i++) {
                before += x[i] * x[i];
                after += y[i] * y[i];
            }
            check_close(before, after, limit * m);
            dal_qr_q_times(qr, m, n, LD, tau, y);
            for (int i = 0; i < m; i++)
                check_close(x[i], y[i], limit * sqrt(m));
        }
}

static void qr_triangular_solves_invert_r(void **state)
{
    (void)state;
    uint64_t seed = 24;
    int m = 29, n = 26;
    matrix qr;
    double tau[LARGEST], x[LARGEST], rx[LARGEST] = {0}, rtx[LARGEST] = {0};
    fill(qr, SIZE, &seed);
    for (int j = 0; j < n; j++)
        qr[j * LD + j] += 7.3; /* condition below 10 */
    dal_qr(qr, m, n, LD, tau);
    fill(x, n, &seed);
    for (int j = 0; j < n; j++)
        for (int i = 0; i <= j; i++) {
            rx[i] += at(qr, j, i) * x[j];
            rtx[j] += at(qr, j, i) * x[i];
        }
    dal_qr_r_solve(qr, n, LD, rx);
    dal_qr_rt_solve(qr, n, LD, rtx);
    for (int i = 0; i < n; i++) {
        check_close(rx[i], x[i], 20 * n * DBL_EPSILON);
        check_close(rtx[i], x[i], 20 * n * DBL_EPSILON);
    }
}

/* A x = b, and x = A^T y for the y of the normal equations of a well conditioned A: no part of x is wasted. */
static void qr_least_norm_solves_and_lies_in_the_row_space(void **state)
{
    (void)state;
    uint64_t seed = 25;
    for (int n = 1; n <= 17; n++) {
        int m = n + n / 2 + 1;
        matrix a, qr, gram = {0};
        double tau[LARGEST], b[LARGEST], x[LARGEST], y[LARGEST];
        fill(a, SIZE, &seed); /* row j of A = column j of A^T */
        for (int j = 0; j < n; j++)
            a[j * LD + j] += 5.1;
        memcpy(qr, a, sizeof qr);
        fill(b, LARGEST, &seed);
        dal_qr(qr, m, n, LD, tau);
        dal_qr_least_norm(qr, m, n, LD, tau, b, x);
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < m; i++)
                sum += at(a, j, i) * x[i];
            check_close(sum, b[j], 30 * m * DBL_EPSILON);
            for (int k = 0; k < n; k++)
                for (int i = 0; i < m; i++)
                    gram[j * LD + k] += at(a, j, i) * at(a, k, i);
        }
        memcpy(y, b, sizeof y);
        assert_true(dal_cholesky(gram, n, LD, 0, NULL));
        dal_cholesky_solve(gram, n, LD, y);
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += at(a, j, i) * y[j];
            check_close(sum, x[i], 100 * m * DBL_EPSILON); /* condition of A A^T below 100 */
        }
    }
}

/* Scaling by a power of two changes no digit, also where squares overflow or vanish. */
static void qr_does_not_depend_on_the_scale(void **state)
{
    (void)state;
    static const double scales[] = {0x1p-700, 0x1p-520, 0x1p+520, 0x1p+900};
    uint64_t seed = 26;
    matrix a, plain;
    double tau[LARGEST], tau_scaled[LARGEST];
    int m = 18, n = 17;
    fill(a, SIZE, &seed);
    memcpy(plain, a, sizeof plain);
    double ratio = dal_qr(plain, m, n, LD, tau);
    for (int s = 0; s < 4; s++) {
        matrix scaled;
        for (int i = 0; i < SIZE; i++)
            scaled[i] = a[i] * scales[s];
        check_close(dal_qr(scaled, m, n, LD, tau_scaled), ratio, m * n * DBL_EPSILON);
        for (int j = 0; j < n; j++)
            check_close(at(scaled, j, j) / scales[s], at(plain, j, j), m * n * DBL_EPSILON);
    }
}

/* Another leading dimension and another alignment: every bit the same. */
static void results_repeat_bit_for_bit(void **state)
{
    (void)state;
    uint64_t seed = 27;
    enum { N = 35, WIDE = N + 2 };
    static double one[N * N], two[N * WIDE + 1];
    double *shifted = two + 1, x[N], y[N], tau[N], tau_shifted[N];
    int pivot[N], pivot_shifted[N];
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                double value = check_random(&seed);
                one[i * N + j] = one[j * N + i] = shifted[i * WIDE + j] = shifted[j * WIDE + i] = value;
            }
        fill(x, N, &seed);
        memcpy(y, x, sizeof y);
        if (kind == 0) {
            assert_true(dal_ldlt(one, N, N, pivot) == dal_ldlt(shifted, N, WIDE, pivot_shifted));
            dal_ldlt_solve(one, N, N, pivot, x);
            dal_ldlt_solve(shifted, N, WIDE, pivot_shifted, y);
        } else if (kind == 1) {
            assert_true(dal_lu(one, N, N, pivot) == dal_lu(shifted, N, WIDE, pivot_shifted));
            dal_lu_solve(one, N, N, pivot, x);
            dal_lu_solve(shifted, N, WIDE, pivot_shifted, y);
        } else {
            assert_true(dal_qr(one, N, N, N, tau) == dal_qr(shifted, N, N, WIDE, tau_shifted));
            dal_qr_qt_times(one, N, N, N, tau, x);
            dal_qr_qt_times(shifted, N, N, WIDE, tau_shifted, y);
        }
        assert_memory_equal(x, y, sizeof x);
    }
}

/* ---- LU on a known pattern ---- */

typedef struct known_case {
    int n;
    dal_known_lu lu;
    char *memory;
    matrix a; /* n x n */
    int at[LARGEST * LARGEST];
} known_case;

static void begin_known(known_case *c, int n)
{
    dal_block measured = {0};
    dal_known_lu_layout(&measured, &c->lu, n);
    c->memory = calloc(measured.room + 1, 1);
    dal_block block = {.rooms = c->memory};
    dal_known_lu_layout(&block, &c->lu, n);
    dal_known_lu_forget(&c->lu);
    c->n = n;
    for (int i = 0; i < n * n; i++)
        c->at[i] = i;
}

/* Sparse rows of small integers, so that pivots are often equal; some entries change from time to time, some vanish. */
static void fill_sparse(double *a, int n, bool whole, uint64_t *seed)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i == (j + 1) % n || (3 * i + 5 * j) % 7 == 0)
                a[n * i + j] = whole ? floor(3 * check_random(seed)) : check_random(seed);
}

/* Factors as a step does: with the lists that are there, or with the pivots of dal_lu. True: the lists served. */
static bool factor_known(known_case *c, double *lu, int *pivot)
{
    const int n = c->n;
    const bool served = dal_known_lu_factor(&c->lu, c->a);
    memcpy(lu, c->a, sizeof *lu * (size_t)n * (size_t)n);
    const double ratio = dal_lu(lu, n, n, pivot);
    if (!served && ratio > 0) {
        dal_known_lu_make(&c->lu, c->a, c->at, pivot);
        assert_true(dal_known_lu_factor(&c->lu, c->a));
    }
    if (ratio > 0)
        assert_true(c->lu.ratio == ratio);
    else
        assert_false(served);
    return served;
}

/* The entries of L and U, in the rows where partial pivoting leaves them, are the same numbers. */
static void compare_known(const known_case *c, const double *lu, const int *pivot)
{
    const int n = c->n;
    for (int r = 0; r < n; r++) {
        int e = c->lu.start[r];
        for (int j = 0; j < n; j++) {
            const bool listed = e < c->lu.start[r + 1] && c->lu.column[e] == j;
            assert_true(lu[n * r + j] == (listed ? c->lu.value[e] : 0));
            e += listed;
        }
    }
    assert_true(dal_known_lu_negative(&c->lu) == dal_lu_negative(lu, n, n, pivot));
}

static void solve_known(const known_case *c, uint64_t *seed)
{
    const int n = c->n;
    double b[LARGEST], x[LARGEST], scratch[LARGEST], limit = 0, size = 0;
    for (int transposed = 0; transposed < 2; transposed++) {
        fill(b, n, seed);
        memcpy(x, b, sizeof x);
        (transposed ? dal_known_lu_solve_transposed : dal_known_lu_solve)(&c->lu, x, scratch);
        for (int i = 0; i < n; i++)
            size = fmax(size, fabs(x[i]));
        limit = 10 * n * n * DBL_EPSILON * size * 3;
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += (transposed ? c->a[n * j + i] : c->a[n * i + j]) * x[j];
            check_close(sum, b[i], limit);
        }
    }
}

static void known_lu_has_the_factors_of_partial_pivoting(void **unused)
{
    (void)unused;
    static known_case c;
    static matrix lu;
    int pivot[LARGEST], served = 0, made = 0;
    uint64_t seed = 91;
    for (int n = 1; n <= 24; n++) {
        memset(&c, 0, sizeof c);
        begin_known(&c, n);
        for (int trial = 0; trial < 60; trial++) {
            if (trial % 15 == 0)
                fill_sparse(c.a, n, trial % 2, &seed);
            for (int i = 0; i < n * n; i++) /* a motion: small changes, and now and then an entry that comes or goes */
                c.a[i] *= trial % 30 < 15 && c.a[i] != 0 ? 1 + 1e-3 * check_random(&seed) : 1;
            if (trial % 7 == 3)
                c.a[(trial * 5) % (n * n)] = trial % 2 ? 0 : 1;
            const bool known = factor_known(&c, lu, pivot);
            served += known;
            made += !known;
            if (!(dal_known_lu_factor(&c.lu, c.a)))
                continue; /* singular */
            compare_known(&c, lu, pivot);
            solve_known(&c, &seed);
        }
        free(c.memory);
    }
    assert_true(served > 300 && made > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cholesky_solves_positive_definite_systems),
        cmocka_unit_test(cholesky_factor_times_its_transpose_is_the_matrix),
        cmocka_unit_test(cholesky_names_the_row_that_is_not_positive),
        cmocka_unit_test(triangular_solves_invert_products),
        cmocka_unit_test(ldlt_solves_indefinite_systems),
        cmocka_unit_test(ldlt_solves_saddle_systems_with_a_singular_mass_matrix),
        cmocka_unit_test(ldlt_solves_saddle_systems_with_massless_coordinates),
        cmocka_unit_test(ldlt_does_not_grow_where_a_simpler_choice_of_pivots_would),
        cmocka_unit_test(ldlt_ratio_of_one_block_is_its_ratio_of_eigenvalues),
        cmocka_unit_test(lu_solves_general_systems),
        cmocka_unit_test(a_zero_row_and_column_gives_ratio_zero),
        cmocka_unit_test(an_element_that_is_not_finite_gives_ratio_zero),
        cmocka_unit_test(dependent_rows_show_in_the_ratio),
        cmocka_unit_test(hilbert_matrices_keep_their_backward_error),
        cmocka_unit_test(qr_product_is_the_matrix_and_q_is_orthogonal),
        cmocka_unit_test(qr_triangular_solves_invert_r),
        cmocka_unit_test(qr_least_norm_solves_and_lies_in_the_row_space),
        cmocka_unit_test(qr_does_not_depend_on_the_scale),
        cmocka_unit_test(results_repeat_bit_for_bit),
        cmocka_unit_test(known_lu_has_the_factors_of_partial_pivoting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
