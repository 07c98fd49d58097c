/* Sparse solves on a fixed pattern. The same file tests KLU and the dense fallback: compile it with and without
 * DAL_HAVE_KLU. */
#include "check.h"

#include "math/sparse.h"

#include <float.h>
#include <stdlib.h>

#ifdef DAL_HAVE_KLU
#include <suitesparse/SuiteSparse_config.h>
#endif

enum { LARGEST = 80, MOST = LARGEST * LARGEST };

typedef struct {
    int n, start[LARGEST + 1], row[MOST];
    double value[MOST];
} columns;

static void append(columns *k, int i, double value)
{
    k->row[k->start[k->n]] = i;
    k->value[k->start[k->n]++] = value;
}

/* A chain of m masses (tridiagonal M, the last `massless` of them zero) whose neighbours are coupled by r rows of A
 * with three elements each: [M A^T; A 0], the pattern of a mechanism. */
static void make_chain(columns *k, int m, int r, int massless, uint64_t *seed)
{
    static double full[LARGEST][LARGEST], keep[LARGEST][LARGEST];
    memset(full, 0, sizeof full);
    memset(keep, 0, sizeof keep); /* 1 where the pattern has an element, zero value or not */
    for (int i = 0; i < m; i++)
        for (int j = i; j <= i + 1 && j < m; j++) {
            keep[i][j] = keep[j][i] = 1;
            full[i][j] = full[j][i] = j < m - massless ? (i == j ? 2.37 : 0.5) + 0.3 * check_random(seed) : 0;
        }
    for (int i = 0; i < r; i++)
        for (int j = 0; j < 3; j++) {
            int column = m - 1 - (i + j * j) % m;
            keep[m + i][column] = keep[column][m + i] = 1;
            full[m + i][column] = full[column][m + i] = (j == 0 ? 1.37 : 0.4) + 0.3 * check_random(seed);
        }
    k->start[0] = 0;
    k->n = 0;
    for (int j = 0; j < m + r; j++) {
        k->start[j + 1] = k->start[j];
        k->n = j + 1;
        for (int i = 0; i < m + r; i++)
            if (keep[i][j] != 0)
                append(k, i, full[i][j]);
    }
}

/* Elimination with threshold pivots (0.1 of the column) that may grow stale by 100: |K x - b| <= 10^3 n^2 eps |K| |x|,
 * in largest-row-sum norms. */
static void check_solution(const columns *k, const double *x, const double *b)
{
    double sum[LARGEST] = {0}, size[LARGEST] = {0}, norm = 0, largest = 0;
    for (int j = 0; j < k->n; j++)
        for (int p = k->start[j]; p < k->start[j + 1]; p++) {
            sum[k->row[p]] += k->value[p] * x[j];
            size[k->row[p]] += fabs(k->value[p]);
        }
    for (int i = 0; i < k->n; i++) {
        norm = fmax(norm, size[i]);
        largest = fmax(largest, fabs(x[i]));
    }
    for (int i = 0; i < k->n; i++)
        check_close(sum[i], b[i], 1e3 * k->n * k->n * DBL_EPSILON * norm * largest);
}

static void solve_and_check(dal_sparse *sparse, const columns *k, uint64_t *seed)
{
    double b[LARGEST], x[LARGEST];
    for (int i = 0; i < k->n; i++)
        x[i] = b[i] = check_random(seed);
    dal_sparse_solve(sparse, x);
    check_solution(k, x, b);
}

static columns k; /* large: not on the stack */

static void saddle_systems_are_solved_whatever_their_size(void **state)
{
    (void)state;
    uint64_t seed = 51;
    for (int m = 3; m <= 45; m += 1 + m / 6)
        for (int r = 0; r < m && m + r <= LARGEST; r += 1 + m / 5) {
            make_chain(&k, m, r, r / 2, &seed);
            dal_sparse *sparse = dal_sparse_create(NULL, k.n, k.start, k.row);
            assert_non_null(sparse);
            double rcond = dal_sparse_factor(sparse, k.value, false);
            assert_true(rcond > 0 && rcond <= 1);
            solve_and_check(sparse, &k, &seed);
            dal_sparse_free(sparse);
        }
}

static void an_empty_system_is_regular(void **state)
{
    (void)state;
    const int start[] = {0}, row[] = {0};
    dal_sparse *sparse = dal_sparse_create(NULL, 0, start, row);
    assert_non_null(sparse);
    assert_true(dal_sparse_factor(sparse, NULL, false) == 1);
    dal_sparse_solve(sparse, NULL);
    dal_sparse_free(sparse);
}

static void one_equation_is_a_division(void **state)
{
    (void)state;
    const int start[] = {0, 1}, row[] = {0};
    const double value = 0.618;
    double b = 1.37;
    dal_sparse *sparse = dal_sparse_create(NULL, 1, start, row);
    assert_non_null(sparse);
    assert_true(dal_sparse_factor(sparse, &value, true) > 0);
    dal_sparse_solve(sparse, &b);
    check_close(b, 1.37 / 0.618, 4 * DBL_EPSILON);
    dal_sparse_free(sparse);
}

/* Pivots chosen for one set of values, used for many others. */
static void new_values_on_the_old_pattern_are_solved(void **state)
{
    (void)state;
    uint64_t seed = 52;
    make_chain(&k, 40, 25, 10, &seed);
    dal_sparse *sparse = dal_sparse_create(NULL, k.n, k.start, k.row);
    assert_non_null(sparse);
    for (int step = 0; step < 50; step++) {
        make_chain(&k, 40, 25, 10, &seed);
        assert_true(dal_sparse_factor(sparse, k.value, step % 20 == 10) > 0);
        solve_and_check(sparse, &k, &seed);
    }
    dal_sparse_free(sparse);
}

/* A block of [p b; b q] repeated: first p, q dominate, then they almost vanish, so that pivots on the diagonal would
 * lose all digits (growth 10^20). */
static void pivots_that_went_bad_are_replaced(void **state)
{
    (void)state;
    uint64_t seed = 53;
    make_chain(&k, 50, 0, 0, &seed);
    dal_sparse *sparse = dal_sparse_create(NULL, k.n, k.start, k.row);
    assert_non_null(sparse);
    assert_true(dal_sparse_factor(sparse, k.value, false) > 0.01);
    for (int step = 0; step < 20; step++) {
        double small = pow(10, -step - 1);
        for (int j = 0; j < k.n; j++)
            for (int p = k.start[j]; p < k.start[j + 1]; p++) {
                int i = k.row[p];
                double value = 1.37 + 0.6 * check_random(&seed);
                k.value[p] = i == j || i / 2 != j / 2 ? small * value : value;
            }
        /* Blocks near [0 b; c 0], b and c in 0.77 .. 1.97: with threshold 0.1 pivots span 0.07 .. 30, stale ones
         * 100 times as much; those of the first step would give 10^-40 in the end. */
        assert_true(dal_sparse_factor(sparse, k.value, false) > 1e-5);
        solve_and_check(sparse, &k, &seed);
    }
    dal_sparse_free(sparse);
}

static void a_singular_matrix_is_told_and_left_behind(void **state)
{
    (void)state;
    uint64_t seed = 54;
    make_chain(&k, 12, 5, 2, &seed);
    static columns bad;
    bad = k;
    dal_sparse *sparse = dal_sparse_create(NULL, k.n, k.start, k.row);
    assert_non_null(sparse);
    double x[LARGEST] = {1.37};
    dal_sparse_solve(sparse, x); /* before any factorisation */
    assert_true(isnan(x[0]));
    for (int kind = 0; kind < 3; kind++) {
        static const double values[] = {0, NAN, INFINITY};
        for (int p = bad.start[4]; p < bad.start[5]; p++) /* column 4 */
            bad.value[p] = values[kind];
        assert_true(dal_sparse_factor(sparse, bad.value, false) == 0);
        x[0] = 1.37;
        dal_sparse_solve(sparse, x);
        assert_true(isnan(x[0]));
        assert_true(dal_sparse_factor(sparse, k.value, false) > 0);
        solve_and_check(sparse, &k, &seed);
    }
    dal_sparse_free(sparse);
}

/* Two columns with all their elements in one row. */
static void a_structurally_singular_pattern_is_singular(void **state)
{
    (void)state;
    const int start[] = {0, 3, 4, 5}, row[] = {0, 1, 2, 0, 0};
    const double value[] = {1.37, 0.618, 2.71, 0.37, 1.41};
    dal_sparse *sparse = dal_sparse_create(NULL, 3, start, row);
    assert_non_null(sparse);
    assert_true(dal_sparse_factor(sparse, value, false) == 0);
    dal_sparse_free(sparse);
}

typedef struct {
    int given, open, fail_at; /* the allocation number fail_at gives nothing */
} account;

static void *count_allocate(void *user, size_t bytes)
{
    account *book = user;
    if (++book->given == book->fail_at)
        return NULL;
    book->open++;
    return malloc(bytes);
}

static void count_release(void *user, void *memory)
{
    account *book = user;
    book->open -= memory != NULL;
    free(memory);
}

static void create_without_memory_gives_null_and_leaves_nothing(void **state)
{
    (void)state;
    uint64_t seed = 55;
    make_chain(&k, 12, 5, 2, &seed);
    bool done = false;
    for (int fail_at = 1; !done; fail_at++) {
        account book = {.fail_at = fail_at};
        dal_allocator allocator = {count_allocate, count_release, &book};
        dal_sparse *sparse = dal_sparse_create(&allocator, k.n, k.start, k.row);
        done = book.given < fail_at;
        assert_int_equal(sparse != NULL, done);
        dal_sparse_free(sparse);
        assert_int_equal(book.open, 0);
        assert_true(fail_at < 20);
    }
}

#ifdef DAL_HAVE_KLU

static int klu_allocations;

static void *count_malloc(size_t bytes)
{
    klu_allocations++;
    return malloc(bytes);
}

static void *count_calloc(size_t count, size_t element)
{
    klu_allocations++;
    return calloc(count, element);
}

static void *count_realloc(void *memory, size_t bytes)
{
    klu_allocations++;
    return realloc(memory, bytes);
}

static void good_pivots_are_reused_without_allocation(void **state)
{
    (void)state;
    uint64_t seed = 56;
    SuiteSparse_config.malloc_func = count_malloc;
    SuiteSparse_config.calloc_func = count_calloc;
    SuiteSparse_config.realloc_func = count_realloc;
    make_chain(&k, 40, 25, 0, &seed);
    dal_sparse *sparse = dal_sparse_create(NULL, k.n, k.start, k.row);
    assert_non_null(sparse);
    assert_true(dal_sparse_factor(sparse, k.value, false) > 0);
    int before = klu_allocations;
    assert_true(before > 0);
    for (int step = 0; step < 20; step++) {
        for (int p = 0; p < k.start[k.n]; p++)
            k.value[p] *= 1 + 0.01 * check_random(&seed);
        assert_true(dal_sparse_factor(sparse, k.value, false) > 0);
        solve_and_check(sparse, &k, &seed);
    }
    assert_int_equal(klu_allocations, before);
    dal_sparse_factor(sparse, k.value, true);
    assert_true(klu_allocations > before);
    dal_sparse_free(sparse);
    SuiteSparse_config.malloc_func = malloc;
    SuiteSparse_config.calloc_func = calloc;
    SuiteSparse_config.realloc_func = realloc;
}

#endif

static void the_build_says_which_solver_it_has(void **state)
{
    (void)state;
#ifdef DAL_HAVE_KLU
    assert_true(dal_sparse_available());
#else
    assert_false(dal_sparse_available());
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saddle_systems_are_solved_whatever_their_size),
        cmocka_unit_test(an_empty_system_is_regular),
        cmocka_unit_test(one_equation_is_a_division),
        cmocka_unit_test(new_values_on_the_old_pattern_are_solved),
        cmocka_unit_test(pivots_that_went_bad_are_replaced),
        cmocka_unit_test(a_singular_matrix_is_told_and_left_behind),
        cmocka_unit_test(a_structurally_singular_pattern_is_singular),
        cmocka_unit_test(create_without_memory_gives_null_and_leaves_nothing),
#ifdef DAL_HAVE_KLU
        cmocka_unit_test(good_pivots_are_reused_without_allocation),
#endif
        cmocka_unit_test(the_build_says_which_solver_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
