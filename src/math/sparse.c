/* Sparse K x = b on a fixed pattern: KLU, or the dense LU of dense.c where KLU was not built in.
 *
 * KLU orders once (block triangular form, then minimum degree) and chooses pivots at a fresh factorisation. Later
 * values reuse ordering, pivots and memory: a refactorisation. That is as good as fresh pivots as long as
 *     growth = min_j max_i |k_ij| / max_i |u_ij|
 * stays near what it was with fresh pivots; when it falls below STALE times that, new pivots are chosen. The
 * condition is estimated by rcond = min |u_jj| / max |u_jj|.
 *
 * Source: Davis and Palamadai Natarajan, ACM Trans. Math. Software 37 (2010), algorithm 907.
 *
 * KLU calls malloc for its own memory; everything else comes from `allocator`.
 */
#include "math/sparse.h"

#include <math.h>
#include <string.h>

#ifdef DAL_HAVE_KLU
#include <suitesparse/klu.h>
#else
#include "math/dense.h"
#endif

struct dal_sparse {
    dal_allocator allocator;
    int n;
    int *start, *row; /* n + 1, start[n] */
    bool singular;    /* nothing to solve with */
    double *fresh;    /* the values of the last fresh factorisation: they decided the pivots */
    bool has_fresh;
#ifdef DAL_HAVE_KLU
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth; /* of the last fresh factorisation */
#else
    double *lu; /* n x n */
    int *pivot; /* n */
#endif
};

static void *allocate_sparse(dal_sparse *sparse, size_t count, size_t element)
{
    if (count > (size_t)-1 / element)
        return NULL;
    return sparse->allocator.allocate(sparse->allocator.user, count ? count * element : 1);
}

static int *copy_integers(dal_sparse *sparse, const int *list, int count)
{
    int *copy = allocate_sparse(sparse, (size_t)count, sizeof *copy);
    if (copy && count)
        memcpy(copy, list, (size_t)count * sizeof *copy);
    return copy;
}

#ifdef DAL_HAVE_KLU

bool dal_sparse_available(void)
{
    return true;
}

static const double STALE = 1e-2;    /* at most two digits are lost to old pivots */
static const double THRESHOLD = 0.1; /* a diagonal pivot above this part of its column is taken to save fill; KLU's
                                        own 1e-3 may lose three digits */

static bool prepare(dal_sparse *sparse)
{
    klu_defaults(&sparse->common);
    sparse->common.tol = THRESHOLD;
    if (sparse->n > 0) /* KLU refuses an empty matrix */
        sparse->symbolic = klu_analyze(sparse->n, sparse->start, sparse->row, &sparse->common);
    return sparse->n == 0 || sparse->symbolic;
}

static void forget(dal_sparse *sparse)
{
    klu_free_numeric(&sparse->numeric, &sparse->common);
    klu_free_symbolic(&sparse->symbolic, &sparse->common);
}

/* Growth into *growth; returns rcond, 0 if singular or not finite. */
static double measure(dal_sparse *sparse, double *values, double *growth)
{
    klu_common *common = &sparse->common;
    if (!klu_rgrowth(sparse->start, sparse->row, values, sparse->symbolic, sparse->numeric, common) ||
        !klu_rcond(sparse->symbolic, sparse->numeric, common))
        return 0;
    *growth = common->rgrowth;
    return *growth > 0 && common->rcond > 0 ? common->rcond : 0;
}

static double refactor(dal_sparse *sparse, double *values)
{
    double growth, rcond;
    if (!klu_refactor(sparse->start, sparse->row, values, sparse->symbolic, sparse->numeric, &sparse->common))
        return 0;
    rcond = measure(sparse, values, &growth);
    return rcond > 0 && growth >= STALE * sparse->growth ? rcond : 0;
}

static double factor(dal_sparse *sparse, double *values, bool fresh)
{
    double rcond = fresh || sparse->singular ? 0 : refactor(sparse, values);
    if (rcond > 0)
        return rcond;
    klu_free_numeric(&sparse->numeric, &sparse->common);
    sparse->numeric = klu_factor(sparse->start, sparse->row, values, sparse->symbolic, &sparse->common);
    if (values != sparse->fresh)
        memcpy(sparse->fresh, values, sizeof *values * (size_t)sparse->start[sparse->n]);
    sparse->has_fresh = true;
    if (sparse->numeric)
        rcond = measure(sparse, values, &sparse->growth);
    sparse->singular = rcond == 0;
    return rcond;
}

static void solve_factored(dal_sparse *sparse, double *b)
{
    klu_solve(sparse->symbolic, sparse->numeric, sparse->n, 1, b, &sparse->common);
}

/* The diagonal is full, so that the blocks are the parts that are not connected, and each is ordered by minimum degree. */
bool dal_sparse_order(int n, const int *start, const int *row, int *order)
{
    klu_common common;
    klu_defaults(&common);
    if (n == 0)
        return true;
    klu_symbolic *symbolic = klu_analyze(n, (int *)start, (int *)row, &common); /* it only reads */
    if (!symbolic)
        return false;
    memcpy(order, symbolic->Q, sizeof *order * (size_t)n);
    klu_free_symbolic(&symbolic, &common);
    return true;
}

#else

bool dal_sparse_available(void)
{
    return false;
}

static bool prepare(dal_sparse *sparse)
{
    size_t n = (size_t)sparse->n;
    sparse->lu = allocate_sparse(sparse, n * n, sizeof *sparse->lu);
    sparse->pivot = allocate_sparse(sparse, n, sizeof *sparse->pivot);
    return sparse->lu && sparse->pivot;
}

static void forget(dal_sparse *sparse)
{
    sparse->allocator.release(sparse->allocator.user, sparse->lu);
    sparse->allocator.release(sparse->allocator.user, sparse->pivot);
}

static double factor(dal_sparse *sparse, double *values, bool fresh)
{
    (void)fresh; /* pivots are always fresh */
    size_t n = (size_t)sparse->n;
    memset(sparse->lu, 0, n * n * sizeof *sparse->lu);
    for (size_t j = 0; j < n; j++)
        for (int p = sparse->start[j]; p < sparse->start[j + 1]; p++)
            sparse->lu[(size_t)sparse->row[p] * n + j] = values[p];
    double ratio = dal_lu(sparse->lu, sparse->n, sparse->n, sparse->pivot);
    sparse->singular = ratio == 0;
    return ratio;
}

static void solve_factored(dal_sparse *sparse, double *b)
{
    dal_lu_solve(sparse->lu, sparse->n, sparse->n, sparse->pivot, b);
}

bool dal_sparse_order(int n, const int *start, const int *row, int *order)
{
    (void)start, (void)row;
    for (int i = 0; i < n; i++)
        order[i] = i;
    return true;
}

#endif

dal_sparse *dal_sparse_create(const dal_allocator *allocator, int n, const int *start, const int *row)
{
    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_sparse *sparse = source.allocate(source.user, sizeof *sparse);
    if (!sparse)
        return NULL;
    *sparse = (dal_sparse){.allocator = source, .n = n, .singular = true};
    sparse->start = copy_integers(sparse, start, n + 1);
    sparse->row = copy_integers(sparse, row, start[n]);
    sparse->fresh = allocate_sparse(sparse, (size_t)start[n], sizeof *sparse->fresh);
    if (!sparse->start || !sparse->row || !sparse->fresh || !prepare(sparse)) {
        dal_sparse_free(sparse);
        return NULL;
    }
    return sparse;
}

void dal_sparse_free(dal_sparse *sparse)
{
    if (!sparse)
        return;
    forget(sparse);
    sparse->allocator.release(sparse->allocator.user, sparse->start);
    sparse->allocator.release(sparse->allocator.user, sparse->row);
    sparse->allocator.release(sparse->allocator.user, sparse->fresh);
    sparse->allocator.release(sparse->allocator.user, sparse);
}

double dal_sparse_factor(dal_sparse *sparse, const double *values, bool fresh)
{
    if (sparse->n == 0)
        return 1;
    return factor(sparse, (double *)values, fresh); /* KLU's interface lacks the const; it only reads */
}

/* A singular matrix has no solution: the result is NaN. */
void dal_sparse_solve(dal_sparse *sparse, double *b)
{
    if (sparse->n == 0)
        return;
    if (!sparse->singular)
        solve_factored(sparse, b);
    else
        for (int i = 0; i < sparse->n; i++)
            b[i] = NAN;
}

/* The pivots follow from the matrix that decided them: a factorisation of it brings them back. */
void dal_sparse_keep(dal_sparse *sparse, dal_keep *keep)
{
    const size_t n = (size_t)sparse->start[sparse->n];
    if (!sparse->has_fresh)
        memset(sparse->fresh, 0, sizeof *sparse->fresh * n);
    dal_keep_flags(keep, &sparse->has_fresh, 1);
    dal_keep_numbers(keep, sparse->fresh, n);
    if (keep->mode != DAL_KEEP_READ || sparse->n == 0)
        return;
    sparse->singular = true;
    if (sparse->has_fresh)
        factor(sparse, sparse->fresh, true);
}
