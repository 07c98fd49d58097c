/* An eigenvalue that occurs a times with g < a independent vectors is defective. Rounding of size eps spreads it over a circle of radius about
 * eps^(1/a), with vectors that are almost parallel, while the mean mu of these a eigenvalues is known to eps. So eigenvalues are merged
 *     if their vectors are parallel, and |s - mu|^a is rounding for all of them, and W - mu has singular values that are rounding: g of them.
 * Several such groups with the same mean are one eigenvalue with several vectors.
 * Each then is mu, and its vectors are those of the kernel of W - mu. Eigenvalues that are only close are not merged. The condition of a simple
 * eigenvalue is 1 / |y . x| with unit vectors x of W and y of its transpose: ds = y . dW x / y . x.
 */
#include "linear/multiple.h"

#include "math/dense.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

static const double ill = 1e5;        /* a condition above which an eigenvalue may be part of a defective one */
static const double parallel = 1e-2;  /* sine of the angle of two vectors */
static const double rounding = 1e-12; /* of a matrix whose numbers are near one, for each row */
static const double equal = 1e-10;    /* of the largest eigenvalue: one that occurs several times, with a vector each */

typedef struct grouping {
    dal_arena *arena;
    const double *W;
    dal_spectrum *s;
    double complex *x; /* rows: vectors of unit length */
    int *group;        /* of each eigenvalue; -1: none */
} grouping;

static double complex value_of(const dal_spectrum *s, int k)
{
    return s->re[k] + I * s->im[k];
}

/* Vector k of columns as dgeev has them. */
static void unpack(const dal_spectrum *s, const double *columns, int k, double complex *out)
{
    const size_t m = (size_t)s->m, first = s->im[k] < 0 ? (size_t)k - 1 : (size_t)k;
    for (size_t i = 0; i < m; i++)
        out[i] = columns[m * first + i] + (s->im[k] == 0 ? 0 : I * copysign(1, s->im[k]) * columns[m * (first + 1) + i]);
}

static double complex product(const double complex *a, const double complex *b, int m)
{
    double complex sum = 0;
    for (int i = 0; i < m; i++)
        sum += conj(a[i]) * b[i];
    return sum;
}

/* ---- groups ------------------------------------------------------------------------------------------------- */

/* Groups of eigenvalues whose vectors are parallel. */
static void gather_group(grouping *g, int k, int number)
{
    const dal_spectrum *s = g->s;
    const size_t m = (size_t)s->m;
    g->group[k] = number;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < s->m; i++)
            for (int j = 0; j < s->m && g->group[i] == number; j++)
                if (g->group[j] < 0 && s->condition[j] > ill &&
                    cabs(product(g->x + m * (size_t)i, g->x + m * (size_t)j, s->m)) > sqrt(1 - parallel * parallel)) {
                    g->group[j] = number;
                    more = true;
                }
    }
}

/* The kernel of W - mu: its dimension, and rows of `kernel`. */
static int find_kernel(grouping *g, double complex mu, double complex *kernel)
{
    const int m = g->s->m, room = 10 * m + 64;
    const size_t area = (size_t)m * (size_t)m;
    double complex *M = DAL_NEW(g->arena, double complex, area + 1), *vt = DAL_NEW(g->arena, double complex, area + 1);
    double complex *work = DAL_NEW(g->arena, double complex, room);
    double *sigma = DAL_NEW(g->arena, double, m + 1), *real = DAL_NEW(g->arena, double, 5 * m + 8);
    int n = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            M[(size_t)m * (size_t)j + (size_t)i] = g->W[(size_t)m * (size_t)i + (size_t)j] - (i == j ? mu : 0);
    if (LAPACKE_zgesvd_work(LAPACK_COL_MAJOR, 'N', 'A', m, m, M, m, sigma, NULL, 1, vt, m, work, room, real))
        return 0;
    for (int k = m - 1; k >= 0 && sigma[k] <= 10 * rounding * m * fmax(1, sigma[0]); k--, n++) {
        int at = 0;
        for (int i = 0; i < m; i++) {
            kernel[(size_t)m * (size_t)n + (size_t)i] = conj(vt[(size_t)m * (size_t)i + (size_t)k]);
            if (cabs(kernel[(size_t)m * (size_t)n + (size_t)i]) > cabs(kernel[(size_t)m * (size_t)n + (size_t)at]) * (1 + 1e-9))
                at = i;
        }
        const double complex turn = conj(kernel[(size_t)m * (size_t)n + (size_t)at]) / cabs(kernel[(size_t)m * (size_t)n + (size_t)at]);
        for (int i = 0; i < m; i++)
            kernel[(size_t)m * (size_t)n + (size_t)i] *= turn; /* real where W - mu is */
    }
    return n;
}

/* All of the group are mu; the j-th has the j-th vector of the kernel, or the last. */
static void unite(grouping *g, int number, int a, double complex mu, int shapes, const double complex *kernel)
{
    dal_spectrum *s = g->s;
    const size_t m = (size_t)s->m;
    const bool real = cimag(mu) == 0;
    for (int k = 0, j = 0; k < s->m; k++) {
        if (g->group[k] != number)
            continue;
        const double complex *vector = kernel + m * (size_t)(j < shapes ? j : shapes - 1);
        for (int twice = 0; twice < (real ? 1 : 2); twice++) {
            s->re[k + twice] = creal(mu);
            s->im[k + twice] = twice ? -cimag(mu) : cimag(mu);
            s->condition[k + twice] = INFINITY;
            s->times[k + twice] = a;
            s->shapes[k + twice] = shapes;
            for (size_t i = 0; i < m; i++)
                s->vectors[m * (size_t)(k + twice) + i] = twice ? cimag(vector[i]) : creal(vector[i]);
        }
        j++;
    }
}

/* The mean of a group; 0, or its number of eigenvalues if all differ from the mean by rounding. Conjugates are in it, or are a group of their own. */
static int find_mean(const grouping *g, int number, double complex *mean)
{
    const dal_spectrum *s = g->s;
    double complex mu = 0;
    double spread = 0;
    bool above = true;
    int a = 0;
    for (int k = 0; k < s->m; k++)
        if (g->group[k] == number) {
            mu += value_of(s, k);
            above = above && s->im[k] > 0;
            a++;
        }
    mu /= a > 0 ? a : 1;
    bool below = a > 0;
    for (int k = 0; k < s->m; k++)
        below = below && (g->group[k] != number || s->im[k] < 0);
    *mean = mu = above || below ? mu : creal(mu);
    for (int k = 0; k < s->m; k++)
        if (g->group[k] == number)
            spread = fmax(spread, cabs(value_of(s, k) - mu));
    return pow(spread, a) <= 10 * rounding * s->m ? a : 0;
}

/* The same eigenvalue may occur in several groups, each with its own vector, and alone. All become one group. */
static int absorb(grouping *g, int number, double complex mu)
{
    const dal_spectrum *s = g->s;
    int n = 0;
    for (int other = 0; other < s->m; other++) {
        double complex mean;
        if (other == number || !find_mean(g, other, &mean) || cabs(mean - mu) > equal * fmax(1, cabs(mu)))
            continue;
        for (int k = 0; k < s->m; k++)
            g->group[k] = g->group[k] == other ? number : g->group[k];
    }
    for (int k = 0; k < s->m; k++) {
        if (g->group[k] < 0 && cabs(value_of(s, k) - mu) <= equal * fmax(1, cabs(mu)))
            g->group[k] = number;
        n += g->group[k] == number;
    }
    return n;
}

/* Is a group one eigenvalue? */
static void judge(grouping *g, int number)
{
    const dal_spectrum *s = g->s;
    double complex mu;
    if (find_mean(g, number, &mu) < 2 || cimag(mu) < 0)
        return; /* nothing, or with its conjugates */
    const int a = absorb(g, number, mu);
    find_mean(g, number, &mu);
    double complex *kernel = DAL_NEW(g->arena, double complex, (size_t)s->m *(size_t)s->m + 1);
    const int shapes = find_kernel(g, mu, kernel);
    if (shapes && shapes < a)
        unite(g, number, a, mu, shapes, kernel);
}

/* Those that occur several times, with a vector each. */
static void count_equal(dal_spectrum *s)
{
    double most = 0;
    for (int k = 0; k < s->m; k++)
        most = fmax(most, cabs(value_of(s, k)));
    for (int k = 0; k < s->m; k++) {
        if (s->times[k])
            continue;
        for (int j = 0; j < s->m; j++)
            s->times[k] += cabs(value_of(s, k) - value_of(s, j)) <= equal * most;
        s->shapes[k] = s->times[k];
    }
}

/* ---- the call ------------------------------------------------------------------------------------------------- */

static void find_conditions(dal_arena *arena, dal_spectrum *s, const double *left)
{
    double complex *x = DAL_NEW(arena, double complex, s->m + 1), *y = DAL_NEW(arena, double complex, s->m + 1);
    for (int k = 0; k < s->m; k++) {
        unpack(s, s->vectors, k, x);
        unpack(s, left, k, y);
        const double size = sqrt(creal(product(x, x, s->m)) * creal(product(y, y, s->m)));
        s->condition[k] = size / cabs(product(y, x, s->m));
    }
}

static void group(dal_arena *arena, const double *W, dal_spectrum *s)
{
    const size_t m = (size_t)s->m;
    grouping g = {.arena = arena, .W = W, .s = s};
    bool any = false;
    for (int k = 0; k < s->m; k++)
        any = any || s->condition[k] > ill;
    if (any) {
        g.x = DAL_NEW(arena, double complex, m *m + 1);
        g.group = DAL_NEW(arena, int, m + 1);
        for (int k = 0; k < s->m; k++) {
            g.group[k] = -1;
            unpack(s, s->vectors, k, g.x + m * (size_t)k);
            const double size = sqrt(creal(product(g.x + m * (size_t)k, g.x + m * (size_t)k, s->m)));
            for (size_t i = 0; i < m; i++)
                g.x[m * (size_t)k + i] /= size;
        }
        int groups = 0;
        for (int k = 0; k < s->m; k++)
            if (g.group[k] < 0 && s->condition[k] > ill)
                gather_group(&g, k, groups++);
        for (int number = 0; number < groups; number++)
            judge(&g, number);
    }
    count_equal(s);
}

bool dal_spectrum_find(dal_arena *arena, int m, const double *W, dal_spectrum *s)
{
    const size_t area = (size_t)m * (size_t)m;
    const int room = 8 * m + 64;
    double *copy = DAL_NEW(arena, double, area + 1), *left = DAL_NEW(arena, double, area + 1), *work = DAL_NEW(arena, double, room);
    *s = (dal_spectrum){.m = m, .re = DAL_NEW(arena, double, m + 1), .im = DAL_NEW(arena, double, m + 1)};
    s->vectors = DAL_NEW(arena, double, area + 1);
    s->condition = DAL_NEW(arena, double, m + 1);
    s->times = DAL_NEW(arena, int, m + 1);
    s->shapes = DAL_NEW(arena, int, m + 1);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            copy[(size_t)m * (size_t)j + (size_t)i] = W[(size_t)m * (size_t)i + (size_t)j];
    if (m && LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'V', 'V', m, copy, m, s->re, s->im, left, m, s->vectors, m, work, room))
        return false;
    find_conditions(arena, s, left);
    group(arena, W, s);
    return true;
}
