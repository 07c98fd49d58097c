/* The frequency response of the linearisation,
 *
 *     G(s) = C (s - A)^-1 B(s) + D(s),   s = i omega,   B(s) = B_0 + s B_1 + s^2 B_2
 *
 * where B_1 and B_2 belong to rates and accelerations of drives. A is balanced (balance.h) and becomes a Hessenberg matrix once, A = Q H Q^T (LAPACK).
 * Then each frequency costs one elimination of its subdiagonal, and for each input and each output some products with matrices: n^2 operations. Far from
 * the input x = (s - A)^-1 b may be smaller than the rounding of Q: refinement by r = b - (s - A) x gives every number of x its own digits (Skeel).
 * Rounding of A, B, C and D by a factor 1 + e changes G by at most
 *
 *     e (|z| (|A| |x| + |s x| + |b|) + |c| |x| + |d|),   z = (s - A)^-T c
 *
 * and where that leaves less than three digits of G, G is NaN.
 */
#include "linear/balance.h"
#include "linear/linear.h"

#include "base/argument.h"
#include "math/dense.h"

#include <complex.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef double complex number;

static const double rounding = 16 * DBL_EPSILON; /* of the numbers of A, B, C and D */
static const double residual = 8 * DBL_EPSILON;  /* of the terms of a row */
static const double determined = 1e-3;           /* error of G, of its size */
static const double nothing = 1e-120;            /* of the largest number of x: zero */
enum { PASSES = 12 };

typedef struct answerer {
    dal_linear linear;
    int n_frequencies;
    const double *omega;
    dal_response *out;
    int n, columns;       /* states; columns of B */
    double *A, *B, *C;    /* balanced, by rows */
    double *columns_of_A; /* the same by columns */
    double *H, *Q;        /* A = Q H Q^T, by columns */
    double *rows_of_Q;    /* the same by rows */
    double *doubt;        /* n x n by columns: where A has a number, the largest of its row */
    double size;          /* largest number of H */
    number *U, *factor;   /* of s - H: n x n, n */
    bool *swapped;        /* n: rows k and k + 1 */
    number *r, *y, *b;    /* n each */
    double *parts;        /* 6 n: of two vectors, real and imaginary parts and sizes */
    number *X, *Z;        /* n of each input, of each output */
    double *terms;        /* n of each input: |A| |x| + |s x| + |b| */
    double *re, *im;
    int *lost, *first_lost; /* of each output and input: frequencies without digits */
} answerer;

/* ---- preparation ------------------------------------------------------------------------------------ */

/* A drive is one input, although it has several columns. */
static void name_inputs(answerer *a)
{
    const dal_linearization *l = a->linear.out;
    const char **names = DAL_NEW(&a->linear.arena, const char *, l->n_inputs + 1);
    for (int j = 0; j < l->n_inputs; j++)
        if (!l->input_orders[j])
            names[a->out->n_inputs++] = l->inputs[j];
    a->out->inputs = names;
}

/* What rounding may be of each number of A: a number that is not zero may be rounding of the others in its row. */
static void find_doubt(answerer *a)
{
    const size_t n = (size_t)a->n;
    for (size_t i = 0; i < n; i++) {
        double most = 0;
        for (size_t j = 0; j < n; j++)
            most = fmax(most, fabs(a->A[n * i + j]));
        for (size_t j = 0; j < n; j++)
            a->doubt[n * j + i] = a->A[n * i + j] != 0 ? most : 0;
    }
}

static double *transposed(dal_arena *arena, size_t n, const double *M)
{
    double *copy = DAL_NEW(arena, double, n *n + 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            copy[n * j + i] = M[n * i + j];
    return copy;
}

/* A, B, C, balanced. */
static void balance_all(answerer *a)
{
    dal_arena *arena = &a->linear.arena;
    const dal_linearization *l = a->linear.out;
    const size_t n = (size_t)a->n, m = (size_t)a->columns;
    double *scale = DAL_NEW(arena, double, n + 1);
    a->A = DAL_NEW(arena, double, n *n + 1);
    a->B = DAL_NEW(arena, double, n *m + 1);
    a->C = DAL_NEW(arena, double, (size_t)l->n_outputs *n + 1);
    a->doubt = DAL_NEW(arena, double, n *n + 1);
    memcpy(a->A, l->A, sizeof *a->A * n * n);
    dal_balance(arena, a->n, l->n_positions, l->n_rates, a->A, scale);
    find_doubt(a);
    a->columns_of_A = transposed(arena, n, a->A);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            a->B[m * i + j] = l->B[m * i + j] / scale[i];
    for (size_t i = 0; i < (size_t)l->n_outputs; i++)
        for (size_t j = 0; j < n; j++)
            a->C[n * i + j] = l->C[n * i + j] * scale[j];
}

static bool reduce(answerer *a)
{
    dal_arena *arena = &a->linear.arena;
    const int n = a->n = a->linear.out->n_states, room = 64 * n + 64;
    const size_t width = (size_t)n, area = width * width;
    double *tau = DAL_NEW(arena, double, n + 1), *work = DAL_NEW(arena, double, room);
    a->columns = a->linear.out->n_inputs;
    balance_all(a);
    a->H = DAL_NEW(arena, double, area + 1);
    a->Q = DAL_NEW(arena, double, area + 1);
    memcpy(a->H, a->columns_of_A, sizeof *a->H * area);
    if (n > 1 && LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, a->H, n, tau, work, room))
        return false;
    memcpy(a->Q, a->H, sizeof *a->Q * area);
    if (n > 1 && LAPACKE_dorghr_work(LAPACK_COL_MAJOR, n, 1, n, a->Q, n, tau, work, room))
        return false;
    if (n == 1)
        a->Q[0] = 1;
    a->rows_of_Q = transposed(arena, width, a->Q);
    for (size_t i = 0; i < width; i++)
        for (size_t j = i > 0 ? i - 1 : 0; j < width; j++)
            a->size = fmax(a->size, fabs(a->H[width * j + i]));
    a->U = DAL_NEW(arena, number, area + 1);
    a->factor = DAL_NEW(arena, number, n + 1);
    a->swapped = DAL_NEW(arena, bool, n + 1);
    a->r = DAL_NEW(arena, number, n + 1);
    a->y = DAL_NEW(arena, number, n + 1);
    a->b = DAL_NEW(arena, number, n + 1);
    a->parts = DAL_NEW(arena, double, 6 * width + 1);
    a->X = DAL_NEW(arena, number, width * (size_t)a->out->n_inputs + 1);
    a->terms = DAL_NEW(arena, double, width *(size_t)a->out->n_inputs + 1);
    a->Z = DAL_NEW(arena, number, width * (size_t)a->linear.out->n_outputs + 1);
    return true;
}

/* ---- one frequency ------------------------------------------------------------------------------------ */

/* An entry of B(s) or D(s), of the input whose columns begin at `from`: the columns times powers of s. */
static number weigh(const answerer *a, const double *row, int stride, int from, number s)
{
    number sum = 0, power = 1;
    for (int j = from; j < a->columns && (j == from || a->linear.out->input_orders[j]); j++, power *= s)
        sum += power * row[(size_t)j * (size_t)stride];
    return sum;
}

/* The column with which each input begins. */
static int first_column(const answerer *a, int input)
{
    int j = -1;
    do
        j++;
    while (a->linear.out->input_orders[j] || input-- > 0);
    return j;
}

/* s - H = L U. False: an eigenvalue is there. */
static bool eliminate(answerer *a, number s)
{
    const size_t n = (size_t)a->n;
    number *U = a->U;
    const double least = 8e-16 * (double)n * fmax(cabs(s), a->size);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            U[n * i + j] = (i == j ? s : 0) - (j + 1 >= i ? a->H[n * j + i] : 0);
    for (size_t k = 0; k < n; k++) {
        number *row = U + n * k, *next = row + n;
        a->swapped[k] = k + 1 < n && cabs(next[k]) > cabs(row[k]);
        for (size_t j = k; j < n && a->swapped[k]; j++) {
            const number kept = row[j];
            row[j] = next[j];
            next[j] = kept;
        }
        a->factor[k] = k + 1 < n && row[k] != 0 ? next[k] / row[k] : 0;
        for (size_t j = k; j < n && a->factor[k] != 0; j++)
            next[j] -= a->factor[k] * row[j];
        if (!(cabs(row[k]) > least))
            return false;
    }
    return true;
}

static void exchange(number *y, size_t k)
{
    const number kept = y[k];
    y[k] = y[k + 1];
    y[k + 1] = kept;
}

/* y := (s - H)^-1 y, or (s - H)^-T y. */
static void substitute(const answerer *a, bool transposed, number *y)
{
    const size_t n = (size_t)a->n;
    const number *U = a->U;
    if (transposed) {
        for (size_t k = 0; k < n; k++) {
            y[k] /= U[n * k + k];
            for (size_t j = k + 1; j < n; j++)
                y[j] -= U[n * k + j] * y[k];
        }
        for (size_t k = n; k-- > 0;) {
            if (k + 1 < n)
                y[k] -= a->factor[k] * y[k + 1];
            if (a->swapped[k])
                exchange(y, k);
        }
        return;
    }
    for (size_t k = 0; k < n; k++) {
        if (a->swapped[k])
            exchange(y, k);
        if (k + 1 < n)
            y[k + 1] -= a->factor[k] * y[k];
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            y[k] -= U[n * k + j] * y[j];
        y[k] /= U[n * k + k];
    }
}

/* x in parts: re and im, and |x| if `sizes`; beside them, zeros. */
static void take_apart(const answerer *a, const number *x, bool sizes)
{
    const size_t n = (size_t)a->n;
    memset(a->parts, 0, sizeof *a->parts * 6 * n);
    for (size_t i = 0; i < n; i++) {
        a->parts[i] = creal(x[i]);
        a->parts[n + i] = cimag(x[i]);
        a->parts[2 * n + i] = sizes ? cabs(x[i]) : 0;
    }
}

/* a->y = M x, M by columns */
static void multiply(answerer *a, const double *M, const number *x)
{
    const size_t n = (size_t)a->n;
    take_apart(a, x, false);
    dal_add_product(a->n, M, a->parts, a->parts + 3 * n);
    dal_add_product(a->n, M, a->parts + n, a->parts + 4 * n);
    for (size_t i = 0; i < n; i++)
        a->y[i] = a->parts[3 * n + i] + I * a->parts[4 * n + i];
}

/* x += Q (s - H)^-1 Q^T r */
static void correct(answerer *a, bool transposed, const number *r, number *x)
{
    multiply(a, a->rows_of_Q, r);
    substitute(a, transposed, a->y);
    multiply(a, a->Q, a->y);
    for (int i = 0; i < a->n; i++)
        x[i] += a->y[i];
}

/* a->r = b - (s - A) x, but 0 where only rounding is left: the correction of a large number would disturb the small ones. Is all of it zero? */
static bool find_residual(answerer *a, number s, bool transposed, const number *b, const number *x)
{
    const size_t n = (size_t)a->n;
    const double *M = transposed ? a->A : a->columns_of_A, *re = a->parts + 3 * n, *im = re + n, *size = im + n;
    bool good = true;
    take_apart(a, x, true);
    dal_add_product(a->n, M, a->parts, a->parts + 3 * n);
    dal_add_product(a->n, M, a->parts + n, a->parts + 4 * n);
    dal_add_product_of_sizes(a->n, M, a->parts + 2 * n, a->parts + 5 * n);
    for (size_t i = 0; i < n; i++) {
        const number sum = b[i] - s * x[i] + re[i] + I * im[i];
        a->r[i] = cabs(sum) <= residual * (cabs(b[i]) + cabs(s * x[i]) + size[i]) ? 0 : sum;
        good = good && a->r[i] == 0;
    }
    return good;
}

/* x = (s - A)^-1 b, or (s - A)^-T b, each number to its own digits. */
static void refine(answerer *a, number s, bool transposed, const number *b, number *x)
{
    double most = 0;
    memset(x, 0, sizeof *x * (size_t)a->n);
    memcpy(a->r, b, sizeof *b * (size_t)a->n);
    for (int pass = 0; pass < PASSES; pass++) {
        correct(a, transposed, a->r, x);
        if (find_residual(a, s, transposed, b, x))
            break;
    }
    for (int i = 0; i < a->n; i++)
        most = fmax(most, cabs(x[i]));
    for (int i = 0; i < a->n; i++)
        x[i] = cabs(x[i]) <= nothing * most ? 0 : x[i];
}

/* |A| |x| + |s x| + |b| of one input */
static void find_terms(answerer *a, number s, int input)
{
    const size_t n = (size_t)a->n;
    const number *x = a->X + n * (size_t)input;
    double *terms = a->terms + n * (size_t)input;
    take_apart(a, x, true);
    for (size_t i = 0; i < n; i++)
        terms[i] = cabs(s * x[i]) + cabs(a->b[i]);
    dal_add_product_of_sizes(a->n, a->doubt, a->parts + 2 * n, terms);
}

/* G of one output and one input, and its error. */
static number answer_pair(const answerer *a, number s, int output, int input, double *error)
{
    const size_t n = (size_t)a->n;
    const double *D = a->linear.out->D + (size_t)output * (size_t)a->columns, *c = a->C + n * (size_t)output;
    const number *x = a->X + n * (size_t)input, *z = a->Z + n * (size_t)output;
    const double *of = a->terms + n * (size_t)input;
    number sum = weigh(a, D, 1, first_column(a, input), s);
    double terms = cabs(sum);
    for (size_t i = 0; i < n; i++) {
        sum += c[i] * x[i];
        terms += fabs(c[i]) * cabs(x[i]) + cabs(z[i]) * of[i];
    }
    *error = rounding * terms;
    return sum;
}

static void keep_answer(answerer *a, int f, int output, int input, number G, double error)
{
    const int inputs = a->out->n_inputs, pair = output * inputs + input;
    const size_t at = (size_t)f * (size_t)a->linear.out->n_outputs * (size_t)inputs + (size_t)pair;
    const bool lost = G != 0 && !(error <= determined * cabs(G));
    a->re[at] = lost ? NAN : creal(G);
    a->im[at] = lost ? NAN : cimag(G);
    if (lost && !a->lost[pair]++)
        a->first_lost[pair] = f;
}

/* Grows the set along the numbers of A that are not zero: to what its states move, or (seen) to what moves them. */
static void spread(const answerer *a, bool seen, bool *set)
{
    const size_t n = (size_t)a->n;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n && !set[i]; k++)
                if (set[k] && a->A[seen ? n * k + i : n * i + k] != 0)
                    more = set[i] = true;
    }
}

/* The states that the input moves and the output sees; their number. */
static size_t find_between(answerer *a, int output, size_t from, size_t *list)
{
    const size_t n = (size_t)a->n;
    const double *C = a->C + n * (size_t)output;
    bool *moved = DAL_NEW(&a->linear.arena, bool, n + 1), *seen = DAL_NEW(&a->linear.arena, bool, n + 1);
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = from; k < (size_t)a->columns && (k == from || a->linear.out->input_orders[k]); k++)
            moved[i] = moved[i] || a->B[(size_t)a->columns * i + k] != 0;
        seen[i] = C[i] != 0;
    }
    spread(a, false, moved);
    spread(a, true, seen);
    for (size_t i = 0; i < n; i++)
        if (moved[i] && seen[i])
            list[m++] = i;
    return m;
}

/* m equations, rows [matrix, right side]; the solution takes the place of the right side. The smallest pivot; 0: it is not above `zero`. */
static double solve_rows(size_t m, number *E, double zero)
{
    const size_t width = m + 1;
    double least = HUGE_VAL;
    for (size_t k = 0; k < m; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < m; i++)
            pivot = cabs(E[width * i + k]) > cabs(E[width * pivot + k]) ? i : pivot;
        for (size_t j = 0; j < width; j++) {
            const number kept = E[width * k + j];
            E[width * k + j] = E[width * pivot + j];
            E[width * pivot + j] = kept;
        }
        least = fmin(least, cabs(E[width * k + k]));
        if (!(least > zero))
            return 0;
        for (size_t i = k + 1; i < m; i++) {
            const number factor = E[width * i + k] / E[width * k + k];
            for (size_t j = k; j < width; j++)
                E[width * i + j] -= factor * E[width * k + j];
        }
    }
    for (size_t k = m; k-- > 0;) {
        for (size_t j = k + 1; j < m; j++)
            E[width * k + m] -= E[width * k + j] * E[width * j + m];
        E[width * k + m] /= E[width * k + k];
    }
    return least;
}

/* G where s is an eigenvalue of A, from the states S alone that the input moves and the output sees: they may not have it.
 *
 *     (s - A_SS) x = B_S,   G = C_S x + D
 * The smallest pivot says how many digits are left. */
static number answer_apart(answerer *a, number s, int output, int input, double *error)
{
    const size_t n = (size_t)a->n, from = (size_t)first_column(a, input);
    const double *C = a->C + n * (size_t)output, size = fmax(cabs(s), a->size);
    size_t *list = DAL_NEW(&a->linear.arena, size_t, n + 1);
    const size_t m = find_between(a, output, from, list), width = m + 1;
    number *E = DAL_NEW(&a->linear.arena, number, m * width + 1);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++)
            E[width * i + j] = (i == j ? s : 0) - a->A[n * list[i] + list[j]];
        E[width * i + m] = weigh(a, a->B + (size_t)a->columns * list[i], 1, (int)from, s);
    }
    const double least = solve_rows(m, E, 8e-16 * (double)n * size);
    if (least == 0)
        return INFINITY;
    number sum = weigh(a, a->linear.out->D + (size_t)output * (size_t)a->columns, 1, (int)from, s);
    double terms = cabs(sum);
    for (size_t k = 0; k < m; k++) {
        sum += C[list[k]] * E[width * k + m];
        terms += cabs(C[list[k]] * E[width * k + m]);
    }
    *error = rounding * terms * fmax(1, size / least);
    return sum;
}

static void answer_one(answerer *a, int f)
{
    const dal_linearization *l = a->linear.out;
    const int inputs = a->out->n_inputs, n = a->n;
    const number s = I * a->omega[f];
    const bool finite = eliminate(a, s);
    bool infinite = false;
    for (int j = 0; j < inputs && finite; j++) {
        for (int i = 0; i < n; i++)
            a->b[i] = weigh(a, a->B + (size_t)a->columns * (size_t)i, 1, first_column(a, j), s);
        refine(a, s, false, a->b, a->X + (size_t)n * (size_t)j);
        find_terms(a, s, j);
    }
    for (int i = 0; i < l->n_outputs; i++) {
        for (int k = 0; k < n; k++)
            a->b[k] = a->C[(size_t)n * (size_t)i + (size_t)k];
        if (finite)
            refine(a, s, true, a->b, a->Z + (size_t)n * (size_t)i);
        for (int j = 0; j < inputs; j++) {
            double error = 0;
            const number G = finite ? answer_pair(a, s, i, j, &error) : answer_apart(a, s, i, j, &error);
            infinite = infinite || !isfinite(creal(G));
            keep_answer(a, f, i, j, G, error);
        }
    }
    if (infinite) {
        if (!a->out->n_infinite++)
            dal_say(a->linear.messages, DAL_WARNING, dal_nowhere,
                    "at %.9g Hz the response is infinite: an eigenvalue is there that nothing damps, and no digits are left",
                    a->omega[f] / (2 * M_PI));
    }
}

static void say_lost(const answerer *a)
{
    const dal_linearization *l = a->linear.out;
    for (int i = 0; i < l->n_outputs; i++)
        for (int j = 0; j < a->out->n_inputs; j++) {
            const int pair = i * a->out->n_inputs + j;
            if (a->lost[pair])
                dal_say(
                    a->linear.messages, DAL_WARNING, dal_nowhere,
                    "'%s' by '%s' is zero, or so small that rounding leaves less than three digits, at %d of %d frequencies (%.6g Hz the first): no "
                    "number is given there",
                    l->outputs[i], a->out->inputs[j], a->lost[pair], a->n_frequencies, a->omega[a->first_lost[pair]] / (2 * M_PI));
        }
}

/* Which outputs does each input reach, along numbers of A, B, C and D that are not zero? */
static const bool *find_reach(answerer *a)
{
    const dal_linearization *l = a->linear.out;
    const size_t n = (size_t)l->n_states, m = (size_t)l->n_inputs;
    bool *reached = DAL_NEW(&a->linear.arena, bool, l->n_outputs * a->out->n_inputs + 1), *moved = DAL_NEW(&a->linear.arena, bool, n + 1);
    for (int j = 0; j < a->out->n_inputs; j++) {
        const size_t from = (size_t)first_column(a, j);
        size_t to = from + 1;
        bool more = true;
        while (to < m && l->input_orders[to])
            to++;
        for (size_t i = 0; i < n; i++) {
            moved[i] = false;
            for (size_t k = from; k < to; k++)
                moved[i] = moved[i] || l->B[m * i + k] != 0;
        }
        while (more) {
            more = false;
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < n && !moved[i]; k++)
                    if (moved[k] && l->A[n * i + k] != 0)
                        more = moved[i] = true;
        }
        for (int o = 0; o < l->n_outputs; o++) {
            bool *at = &reached[o * a->out->n_inputs + j];
            for (size_t k = from; k < to; k++)
                *at = *at || l->D[m * (size_t)o + k] != 0;
            for (size_t k = 0; k < n; k++)
                *at = *at || (moved[k] && l->C[n * (size_t)o + k] != 0);
        }
    }
    return reached;
}

/* Away from an equilibrium nothing oscillates about the point. */
static void say_motion(const answerer *a)
{
    if (a->linear.out->kind == DAL_LINEAR_MOTION)
        dal_say(a->linear.messages, DAL_WARNING, dal_nowhere,
                "the point is one instant of a motion, which is not an equilibrium: A and B change along it, and what is found is no response of the "
                "model");
}

static dal_status answer(void *user)
{
    answerer *a = user;
    dal_arena *arena = &a->linear.arena;
    const dal_linearization *l = a->linear.out;
    a->out = DAL_NEW(arena, dal_response, 1);
    say_motion(a);
    name_inputs(a);
    const size_t all = (size_t)a->n_frequencies * (size_t)l->n_outputs * (size_t)a->out->n_inputs;
    double *omega = DAL_NEW(arena, double, a->n_frequencies + 1);
    memcpy(omega, a->omega, sizeof *omega * (size_t)a->n_frequencies);
    a->re = DAL_NEW(arena, double, all + 1);
    a->im = DAL_NEW(arena, double, all + 1);
    if (!reduce(a)) {
        dal_error(a->linear.messages, dal_nowhere, "the matrix of the linearisation has no Hessenberg form: numbers are not finite");
        return DAL_NUMERICAL;
    }
    a->lost = DAL_NEW(arena, int, l->n_outputs * a->out->n_inputs + 1);
    a->first_lost = DAL_NEW(arena, int, l->n_outputs * a->out->n_inputs + 1);
    for (int f = 0; f < a->n_frequencies; f++)
        answer_one(a, f);
    say_lost(a);
    a->out->reached = find_reach(a);
    a->out->linearization = l;
    a->out->n_outputs = l->n_outputs;
    a->out->outputs = l->outputs;
    a->out->n_frequencies = a->n_frequencies;
    a->out->omega = omega;
    a->out->re = a->re;
    a->out->im = a->im;
    return DAL_OK;
}

/* ---- the call --------------------------------------------------------------------------------------- */

static bool are_frequencies(dal_messages *messages, int n, const double *omega)
{
    for (int f = 0; f < n; f++)
        if (!isfinite(omega[f]) || omega[f] < 0) {
            dal_error(messages, (dal_mark){"command line", 0, 0}, "a frequency is a number from 0, not %g", omega[f]);
            return false;
        }
    return true;
}

dal_status dal_response_find(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, int n_frequencies,
                             const double *omega, dal_messages *messages, dal_response **response)
{
    answerer a = {.linear = {.spec = spec, .options = options, .messages = messages}, .n_frequencies = n_frequencies, .omega = omega};
    dal_status status;
    if (response)
        *response = NULL;
    if (!DAL_NEEDS(messages, response) || !dal_needs_array(messages, __func__, "omega", n_frequencies, omega))
        return DAL_BAD_COMMAND;
    if (!dal_linear_needs(__func__, allocator, spec, options, messages, &status))
        return status;
    if (!are_frequencies(messages, n_frequencies, omega))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&a.linear.arena, allocator);
    status = dal_linear_make(&a.linear, false);
    if (status == DAL_OK)
        status = dal_arena_try(&a.linear.arena, answer, &a);
    dal_linear_end(&a.linear);
    return dal_arena_deliver(&a.linear.arena, status == DAL_OK, status, a.out, offsetof(dal_response, memory), response);
}

void dal_response_free(dal_response *response)
{
    if (response)
        dal_arena_dispose(response->memory);
}
