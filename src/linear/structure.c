/* The structure of A, B, C and D: poles, zeros, and poles that inputs do not move or outputs do not see.
 *
 * Poles are the eigenvalues of modes.c. Pole s is controllable if [s - A, B] has full rank, observable if [s - A; C] has full rank (Popov,
 * Belevitch, Hautus), by the smallest singular value; equal poles are tested together. A is balanced and time counted in its fastest motion, and
 * columns of B and rows of C have length one. Zeros: zeros.c.
 */
#include "linear/balance.h"
#include "linear/linear.h"
#include "linear/zeros.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 80, MOST_PAIRS = 64 }; /* larger models: only poles */
static const double no_rank = 1e-9;         /* a singular value that is zero */

typedef struct studied {
    dal_linear *linear;
    dal_modes *modes;
    int n, m, p;
    double *A, *B, *C; /* balanced, over omega; rows; columns of B and rows of C of length one */
    double *b_size, *c_size;
    double omega;
} studied;

/* ---- scales ----------------------------------------------------------------------------------------- */

static double size_of(const double *x, int n, int stride)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[(size_t)stride * (size_t)i] * x[(size_t)stride * (size_t)i];
    return sqrt(sum);
}

static void scale_all(studied *s)
{
    dal_arena *arena = &s->linear->arena;
    const dal_linearization *l = s->linear->out;
    const int n = s->n, m = s->m, p = s->p;
    double *by = DAL_NEW(arena, double, n + 1);
    s->A = DAL_NEW(arena, double, (size_t)n *(size_t)n + 1);
    s->B = DAL_NEW(arena, double, (size_t)n *(size_t)m + 1);
    s->C = DAL_NEW(arena, double, (size_t)n *(size_t)p + 1);
    s->b_size = DAL_NEW(arena, double, m + 1);
    s->c_size = DAL_NEW(arena, double, p + 1);
    memcpy(s->A, l->A, sizeof *s->A * (size_t)n * (size_t)n);
    dal_balance(arena, n, l->n_positions, l->n_rates, s->A, by);
    for (int i = 0; i < n * n; i++)
        s->omega = fmax(s->omega, fabs(s->A[i]));
    for (int i = 0; i < n * n && s->omega > 0; i++)
        s->A[i] /= s->omega;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s->B[m * i + j] = l->B[m * i + j] / by[i];
    for (int i = 0; i < p; i++)
        for (int j = 0; j < n; j++)
            s->C[n * i + j] = l->C[n * i + j] * by[j];
    for (int j = 0; j < m; j++) {
        s->b_size[j] = size_of(s->B + j, n, m);
        for (int i = 0; i < n && s->b_size[j] > 0; i++)
            s->B[m * i + j] /= s->b_size[j];
    }
    for (int i = 0; i < p; i++) {
        s->c_size[i] = size_of(s->C + n * i, n, 1);
        for (int j = 0; j < n && s->c_size[i] > 0; j++)
            s->C[n * i + j] /= s->c_size[i];
    }
}

/* ---- ranks ---------------------------------------------------------------------------------------------- */

/* Is [z - A, B] (or, of the transposed, [z - A; C]) of full rank? */
static bool is_reached(studied *s, double complex z, bool seen)
{
    dal_arena *arena = &s->linear->arena;
    const int n = s->n, more = seen ? s->p : s->m, columns = n + more, room = 8 * (n + columns) + 64;
    double complex *M = DAL_NEW(arena, double complex, (size_t)n *(size_t)columns + 1), *work = DAL_NEW(arena, double complex, room);
    double *sigma = DAL_NEW(arena, double, n + 1), *real = DAL_NEW(arena, double, 5 * n + 8);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            M[(size_t)n * (size_t)j + (size_t)i] = (i == j ? z : 0) - (seen ? s->A[n * j + i] : s->A[n * i + j]);
        for (int j = 0; j < more; j++)
            M[(size_t)n * (size_t)(n + j) + (size_t)i] = seen ? s->C[n * j + i] : s->B[s->m * i + j];
    }
    if (LAPACKE_zgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', n, columns, M, n, sigma, NULL, 1, NULL, 1, work, room, real))
        return true;
    return sigma[n - 1] > no_rank * fmax(1, sigma[0]);
}

/* The uncontrollable poles, or the unobservable ones: "1.05 Hz (100 % body along y)". */
static int list_hidden(studied *s, bool seen, const char *const **list)
{
    dal_arena *arena = &s->linear->arena;
    const dal_modes *modes = s->modes;
    const char **names = DAL_NEW(arena, const char *, modes->n_modes + modes->n_free + 2);
    int n = 0;
    if (modes->n_zeros && !is_reached(s, 0, seen))
        names[n++] =
            modes->n_free && modes->free[0].state ? dal_arena_print(arena, "0 (%s%s)", modes->free[0].state, modes->n_free > 1 ? ", ..." : "") : "0";
    for (int i = 0; i < modes->n_modes; i++) {
        const dal_mode *mode = &modes->modes[i];
        if (is_reached(s, (mode->re + I * mode->im) / s->omega, seen))
            continue;
        const char *part = mode->n_shares ? dal_arena_print(arena, " (%.0f %% %s)", 100 * mode->shares[0].share, mode->shares[0].part) : "";
        names[n++] = mode->im > 0 ? dal_arena_print(arena, "%.6g Hz%s", mode->frequency, part) : dal_arena_print(arena, "%.6g 1/s%s", mode->re, part);
    }
    *list = names;
    return n;
}

/* ---- zeros ---------------------------------------------------------------------------------------------- */

static void find_zeros(studied *s, int i, int j, dal_zeros *out)
{
    const dal_linearization *l = s->linear->out;
    const double size = s->b_size[j] * s->c_size[i];
    double *b = DAL_NEW(&s->linear->arena, double, s->n + 1);
    for (int k = 0; k < s->n; k++)
        b[k] = s->B[s->m * k + j];
    const double d = l->D[s->m * i + j] * s->omega / (size > 0 ? size : 1);
    const dal_plant plant = {s->n, l->n_positions, l->n_rates, s->A, b, s->C + s->n * i, d, s->omega};
    *out = (dal_zeros){.output = l->outputs[i], .input = l->inputs[j]};
    dal_find_zeros(&s->linear->arena, &plant, out);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

static dal_status study(void *user)
{
    studied *s = user;
    dal_linearization *out = s->linear->out;
    const int pairs = s->m * s->p;
    out->n_poles = s->modes->n_modes;
    out->poles = s->modes->modes;
    out->n_zero_poles = s->modes->n_zeros;
    if (s->n > MOST_STATES || !s->n)
        return DAL_OK;
    out->studied = true;
    scale_all(s);
    if (s->m)
        out->n_uncontrollable = list_hidden(s, false, &out->uncontrollable);
    if (s->p)
        out->n_unobservable = list_hidden(s, true, &out->unobservable);
    dal_zeros *zeros = DAL_NEW(&s->linear->arena, dal_zeros, pairs + 1);
    out->zeros = zeros;
    bool driven = false;
    for (int j = 0; j < s->m; j++)
        driven = driven || out->input_orders[j];
    for (int k = 0; k < pairs && pairs <= MOST_PAIRS && !driven; k++)
        find_zeros(s, k / s->m, k % s->m, &zeros[out->n_pairs++]);
    return DAL_OK;
}

dal_status dal_linear_study(dal_linear *linear)
{
    studied s = {.linear = linear, .n = linear->out->n_states, .m = linear->out->n_inputs, .p = linear->out->n_outputs};
    const dal_status status = dal_linear_modes(linear, &s.modes);
    return status == DAL_OK ? dal_arena_try(&linear->arena, study, &s) : status;
}
