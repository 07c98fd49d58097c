/* Zeros of one input and one output: the finite numbers s at which the pencil
 *
 *     P(s) = P - s N,   P = [A b; c d],   N = [1 0; 0 0]
 *
 * is singular (QZ algorithm, LAPACK). With the first r for which c A^(r-1) b is not zero (r = 0: d is not), there are n - r of them, and 1 + r of its
 * eigenvalues are infinite. Without damping, x'' = K x + k u and y = c x; then the pencil of K, k and c has half the size, and s^2 as its eigenvalues.
 *
 * Rounding of A, b, c, d and of QZ changes P by some e |P|, and with the left and right null vectors w and v of P(s), to first order,
 *
 *     |ds| <= e (|P| + |s|) |w| |v| / |w^H N v|.
 *
 * A long chain between input and output has a c A^(r-1) b that is small, and zeros that are badly conditioned. An infinite eigenvalue that rounding
 * made finite has a bound about as large as itself. So what has not three digits is no zero that is known, and is only counted.
 */
#include "linear/zeros.h"

#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rounding = 16 * DBL_EPSILON; /* of |P|: in A, b, c, d and by QZ */
static const double determined = 1e-3;           /* error of a zero, of its size */
static const double no_root = 1e-7;              /* of the fastest motion: size of a double zero at 0 after rounding */

/* A pencil in lambda = s, or in s^2. */
typedef struct pencil {
    int n; /* rows of A; b, c and d are one more */
    const double *A, *b, *c;
    double d, size; /* size: Frobenius norm of P */
    bool squared;
    dal_root *roots;
    int n_roots;
} pencil;

/* ---- relative degree -------------------------------------------------------------------------------- */

/* The first r for which c A^(r-1) b is more than its rounding; -1: none. doubtful: one was rounding, or less than that. */
static int relative_degree(dal_arena *arena, const dal_plant *x, bool *doubtful)
{
    const size_t n = (size_t)x->n;
    double *row = DAL_NEW(arena, double, n + 1), *error = DAL_NEW(arena, double, n + 1);
    double *next = DAL_NEW(arena, double, n + 1), *next_error = DAL_NEW(arena, double, n + 1);
    if (fabs(x->d) > rounding)
        return 0;
    for (size_t i = 0; i < n; i++) {
        row[i] = x->c[i];
        error[i] = rounding * fabs(row[i]);
    }
    for (int r = 1; r <= x->n; r++) {
        double product = 0, doubt = 0, most = 0;
        for (size_t i = 0; i < n; i++) {
            product += row[i] * x->b[i];
            doubt += (error[i] + rounding * fabs(row[i])) * fabs(x->b[i]);
        }
        if (fabs(product) > doubt)
            return r;
        *doubtful = *doubtful || product != 0;
        memset(next, 0, sizeof *next * n);
        memset(next_error, 0, sizeof *next * n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                next[j] += row[i] * x->A[n * i + j];
                next_error[j] += (error[i] + rounding * fabs(row[i])) * fabs(x->A[n * i + j]);
            }
        for (size_t i = 0; i < n; i++)
            most = fmax(most, fabs(next[i]));
        for (size_t i = 0; i < n && most > 0; i++) {
            row[i] = next[i] / most;
            error[i] = next_error[i] / most;
        }
        if (most == 0)
            return -1;
    }
    return -1;
}

/* ---- eigenvalues of the pencil -------------------------------------------------------------------------- */

static void add_root(pencil *x, double complex s, double error)
{
    x->roots[x->n_roots++] = (dal_root){creal(s), cimag(s), error};
}

/* Zeros of an eigenvalue with im >= 0 and its error, if they are determined. */
static void take(pencil *x, double complex lambda, double error)
{
    const double size = cabs(lambda), unit = x->squared ? no_root * no_root : no_root;
    const bool known = error <= determined * size;
    if (size < unit || (!known && size < 100 * unit)) { /* a double zero at 0 is moved that far */
        const double off = fmax(size, error);
        for (int k = 0; k < (x->squared ? 2 : 1) * (cimag(lambda) > 0 ? 2 : 1); k++)
            add_root(x, 0, x->squared ? sqrt(off) : off);
        return;
    }
    if (!known)
        return;
    if (!x->squared) {
        add_root(x, lambda, error);
        return;
    }
    const double complex s = csqrt(lambda);
    error /= 2 * cabs(s);
    if (cimag(lambda) == 0 && creal(lambda) < 0) {
        add_root(x, I * fabs(cimag(s)), error);
        return;
    }
    add_root(x, s, error);
    add_root(x, -conj(s), error);
}

/* |w| |v| / |w^H N v| */
static double condition(const pencil *x, const double *left, const double *right, bool pair)
{
    const size_t k = (size_t)x->n + 1;
    double complex product = 0;
    double w = 0, v = 0;
    for (size_t i = 0; i < k; i++) {
        const double complex a = left[i] + (pair ? I * left[k + i] : 0), b = right[i] + (pair ? I * right[k + i] : 0);
        w += creal(a * conj(a));
        v += creal(b * conj(b));
        if (i + 1 < k)
            product += conj(a) * b;
    }
    return sqrt(w * v) / cabs(product);
}

static bool solve_pencil(dal_arena *arena, pencil *x)
{
    const int k = x->n + 1, room = 16 * k + 64;
    const size_t n = (size_t)x->n, width = (size_t)k, area = width * width;
    double *P = DAL_NEW(arena, double, area), *N = DAL_NEW(arena, double, area), *left = DAL_NEW(arena, double, area);
    double *right = DAL_NEW(arena, double, area), *re = DAL_NEW(arena, double, width), *im = DAL_NEW(arena, double, width);
    double *beta = DAL_NEW(arena, double, width), *work = DAL_NEW(arena, double, room);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            P[width * j + i] = x->A[n * i + j];
        P[width * n + i] = x->b[i];
        P[width * i + n] = x->c[i];
        N[width * i + i] = 1;
    }
    P[area - 1] = x->d;
    for (size_t i = 0; i < area; i++)
        x->size += P[i] * P[i];
    x->size = sqrt(x->size);
    if (LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'V', 'V', k, P, k, N, k, re, im, beta, left, k, right, k, work, room))
        return false;
    for (size_t i = 0; i < width; i++) {
        const double complex lambda = beta[i] > 0 ? (re[i] + I * im[i]) / beta[i] : INFINITY;
        if (im[i] < 0 || !isfinite(creal(lambda)) || !isfinite(cimag(lambda)))
            continue;
        const double error = rounding * (x->size + cabs(lambda)) * condition(x, left + width * i, right + width * i, im[i] > 0);
        take(x, lambda, isfinite(error) ? error : INFINITY);
    }
    return true;
}

/* ---- without damping ---------------------------------------------------------------------------------------- */

/* Does x'' depend on positions only, and y on positions or on rates only? K, k and c of it, and how many zeros at 0 a rate adds: 0 or 1; -1: no. */
static int halve(dal_arena *arena, const dal_plant *x, pencil *half)
{
    const size_t n = (size_t)x->n, h = (size_t)x->positions;
    double *K = DAL_NEW(arena, double, h *h + 1), *k = DAL_NEW(arena, double, h + 1), *c = DAL_NEW(arena, double, h + 1);
    bool place = true, rate = x->d == 0;
    if (x->positions != x->rates || 2 * h != n)
        return -1;
    for (size_t i = 0; i < h; i++) {
        for (size_t j = 0; j < h; j++)
            if (x->A[n * i + j] != 0 || fabs(x->A[n * (h + i) + h + j]) > DBL_EPSILON)
                return -1;
        if (x->b[i] != 0)
            return -1;
        place = place && x->c[h + i] == 0;
        rate = rate && x->c[i] == 0;
    }
    if (!place && !rate)
        return -1;
    for (size_t i = 0; i < h; i++)
        for (size_t l = 0; l < h; l++) {
            const double unit = x->A[n * i + h + l]; /* a position has one rate */
            if (unit == 0)
                continue;
            for (size_t j = 0; j < h; j++)
                K[h * i + j] = unit * x->A[n * (h + l) + j];
            k[i] = unit * x->b[h + l];
            c[i] = place ? x->c[i] : x->c[h + l] / unit; /* of y = c x': all but a factor s */
        }
    *half = (pencil){.n = (int)h, .A = K, .b = k, .c = c, .d = x->d, .squared = true};
    return place ? 0 : 1;
}

/* ---- all ------------------------------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const dal_root *x = a, *y = b;
    const double p = hypot(x->re, x->im), q = hypot(y->re, y->im);
    return p < q ? -1 : p > q ? 1 : x->im < y->im ? -1 : x->im > y->im;
}

void dal_find_zeros(dal_arena *arena, const dal_plant *x, dal_zeros *out)
{
    pencil all;
    int more, known = 0;
    bool doubtful = false;
    out->relative_degree = relative_degree(arena, x, &doubtful);
    if (out->relative_degree < 0) {
        out->n_undetermined = doubtful ? x->n : 0;
        return;
    }
    if ((more = halve(arena, x, &all)) < 0)
        all = (pencil){.n = x->n, .A = x->A, .b = x->b, .c = x->c, .d = x->d};
    all.roots = DAL_NEW(arena, dal_root, 2 * x->n + 4);
    if (more == 1)
        add_root(&all, 0, 0);
    if (!solve_pencil(arena, &all))
        all.n_roots = 0;
    qsort(all.roots, (size_t)all.n_roots, sizeof *all.roots, by_value);
    for (int i = 0; i < all.n_roots; i++) {
        dal_root *root = &all.roots[i];
        known += root->im > 0 ? 2 : 1;
        *root = (dal_root){fabs(root->re) < 1e-12 ? 0 : root->re * x->omega, root->im * x->omega, root->error * x->omega};
    }
    if (known > x->n - out->relative_degree)
        out->relative_degree = x->n - known;
    out->n = all.n_roots;
    out->n_undetermined = x->n - out->relative_degree - known;
    out->roots = all.roots;
}
