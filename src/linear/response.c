/* The frequency response of the linearisation,
 *
 *     G(s) = C (s - A)^-1 B(s) + D(s),   s = i omega,   B(s) = B_0 + s B_1 + s^2 B_2
 *
 * where B_1 and B_2 belong to rates and accelerations of drives. A is balanced (balance.h) and becomes a Hessenberg matrix once, A = S Q H Q^T S^-1 (LAPACK);
 * each frequency costs one elimination of its subdiagonal then, n^2 operations.
 */
#include "linear/balance.h"
#include "linear/linear.h"

#include "base/argument.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef double complex number;

typedef struct answerer {
    dal_linear linear;
    int n_frequencies;
    const double *omega;
    dal_response *out;
    int n, columns;    /* states; columns of B */
    double *H, *B, *C; /* Hessenberg; Q^T S^-1 B; C S Q: rows */
    double size;       /* largest number of H */
    number *U, *X;     /* n x n; n x n_inputs */
    double *re, *im;
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

static bool reduce(answerer *a)
{
    dal_arena *arena = &a->linear.arena;
    const dal_linearization *l = a->linear.out;
    const int n = a->n = l->n_states, room = 64 * n + 64;
    const size_t area = (size_t)n * (size_t)n;
    double *scale = DAL_NEW(arena, double, n + 1), *tau = DAL_NEW(arena, double, n + 1), *work = DAL_NEW(arena, double, room);
    a->columns = l->n_inputs;
    a->H = DAL_NEW(arena, double, area + 1);
    a->B = DAL_NEW(arena, double, (size_t)n *(size_t)a->columns + 1);
    a->C = DAL_NEW(arena, double, (size_t)l->n_outputs *(size_t)n + 1);
    double *A = DAL_NEW(arena, double, area + 1);
    memcpy(A, l->A, sizeof *A * area);
    dal_balance(arena, n, l->n_positions, l->n_rates, A, scale);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a->H[(size_t)n * (size_t)j + (size_t)i] = A[(size_t)n * (size_t)i + (size_t)j]; /* by columns */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < a->columns; j++)
            a->B[(size_t)n * (size_t)j + (size_t)i] = l->B[(size_t)a->columns * (size_t)i + (size_t)j] / scale[i]; /* by columns */
    for (int i = 0; i < l->n_outputs; i++)
        for (int j = 0; j < n; j++)
            a->C[(size_t)n * (size_t)i + (size_t)j] = l->C[(size_t)n * (size_t)i + (size_t)j] * scale[j]; /* C^T by columns */
    if (n > 1 && (LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, a->H, n, tau, work, room) ||
                  LAPACKE_dormhr_work(LAPACK_COL_MAJOR, 'L', 'T', n, a->columns, 1, n, a->H, n, tau, a->B, n, work, room) ||
                  LAPACKE_dormhr_work(LAPACK_COL_MAJOR, 'L', 'T', n, l->n_outputs, 1, n, a->H, n, tau, a->C, n, work, room)))
        return false;
    for (int i = 0; i < n; i++)
        for (int j = i > 0 ? i - 1 : 0; j < n; j++)
            a->size = fmax(a->size, fabs(a->H[(size_t)n * (size_t)j + (size_t)i]));
    a->U = DAL_NEW(arena, number, area + 1);
    a->X = DAL_NEW(arena, number, (size_t)n * (size_t)(a->out->n_inputs + 1) + 1);
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

/* X := (s - H)^-1 X. False: an eigenvalue is there. */
static bool solve(answerer *a, number s)
{
    const size_t n = (size_t)a->n, m = (size_t)a->out->n_inputs;
    number *U = a->U, *X = a->X;
    const double least = 8e-16 * (double)n * fmax(cabs(s), a->size);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            U[n * i + j] = (i == j ? s : 0) - (j + 1 >= i ? a->H[n * j + i] : 0);
    for (size_t k = 0; k < n; k++) {
        if (k + 1 < n) {
            if (cabs(U[n * (k + 1) + k]) > cabs(U[n * k + k])) { /* rows k and k + 1 are exchanged */
                for (size_t j = k; j < n; j++) {
                    const number kept = U[n * k + j];
                    U[n * k + j] = U[n * (k + 1) + j];
                    U[n * (k + 1) + j] = kept;
                }
                for (size_t j = 0; j < m; j++) {
                    const number kept = X[m * k + j];
                    X[m * k + j] = X[m * (k + 1) + j];
                    X[m * (k + 1) + j] = kept;
                }
            }
            if (U[n * k + k] != 0) {
                const number factor = U[n * (k + 1) + k] / U[n * k + k];
                for (size_t j = k; j < n; j++)
                    U[n * (k + 1) + j] -= factor * U[n * k + j];
                for (size_t j = 0; j < m; j++)
                    X[m * (k + 1) + j] -= factor * X[m * k + j];
            }
        }
        if (!(cabs(U[n * k + k]) > least))
            return false;
    }
    for (size_t k = n; k-- > 0;)
        for (size_t j = 0; j < m; j++) {
            for (size_t i = k + 1; i < n; i++)
                X[m * k + j] -= U[n * k + i] * X[m * i + j];
            X[m * k + j] /= U[n * k + k];
        }
    return true;
}

static void answer_one(answerer *a, int f)
{
    const dal_linearization *l = a->linear.out;
    const int inputs = a->out->n_inputs, n = a->n;
    const number s = I * a->omega[f];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < inputs; j++)
            a->X[(size_t)inputs * (size_t)i + (size_t)j] = weigh(a, a->B + i, n, first_column(a, j), s);
    const bool finite = solve(a, s);
    for (int i = 0; i < l->n_outputs; i++)
        for (int j = 0; j < inputs; j++) {
            number sum = weigh(a, l->D + (size_t)i * (size_t)a->columns, 1, first_column(a, j), s);
            for (int k = 0; k < n; k++)
                sum += a->C[(size_t)n * (size_t)i + (size_t)k] * a->X[(size_t)inputs * (size_t)k + (size_t)j];
            const size_t at = ((size_t)f * (size_t)l->n_outputs + (size_t)i) * (size_t)inputs + (size_t)j;
            a->re[at] = finite ? creal(sum) : INFINITY;
            a->im[at] = finite ? cimag(sum) : INFINITY;
        }
    if (!finite) {
        if (!a->out->n_infinite++)
            dal_say(a->linear.messages, DAL_WARNING, dal_nowhere,
                    "at %.9g Hz the response is infinite: an eigenvalue is there that nothing damps, and no digits are left",
                    a->omega[f] / (2 * M_PI));
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

static dal_status answer(void *user)
{
    answerer *a = user;
    dal_arena *arena = &a->linear.arena;
    const dal_linearization *l = a->linear.out;
    a->out = DAL_NEW(arena, dal_response, 1);
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
    for (int f = 0; f < a->n_frequencies; f++)
        answer_one(a, f);
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
