/* The structure of A, B, C and D: poles, zeros, and poles that inputs do not move or outputs do not see.
 *
 * Poles are the eigenvalues of modes.c. Pole s is controllable if [s - A, B] has full rank, observable if [s - A; C] has full rank (Popov, Belevitch,
 * Hautus), by singular values. Of equal poles, the vectors that belong to singular values of zero tell which motion is hidden. A is balanced and time
 * counted in its fastest motion, and columns of B and rows of C have length one. Zeros: zeros.c.
 */
#include "linear/balance.h"
#include "linear/linear.h"
#include "linear/zeros.h"

#include "math/dense.h"
#include "start/shares.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 80, MOST_PAIRS = 64 }; /* larger models: only poles */
static const double no_rank = 1e-9;         /* a singular value that is zero */
static const double same = 1e-9;            /* poles that are equal, over the largest number of A */

typedef struct studied {
    dal_linear *linear;
    dal_modes *modes;
    int n, m, p;
    double *A, *B, *C;            /* balanced, over omega; rows; columns of B and rows of C of length one */
    double *by, *b_size, *c_size; /* by: x = by times what A, B and C are for */
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
    double *by = s->by = DAL_NEW(arena, double, n + 1);
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

/* How many vectors w there are with w^H [z - A, B] = 0, or v with [z - A; C] v = 0: columns of `null` (n x n), if that is not NULL. */
static int count_hidden(studied *s, double complex z, bool seen, double complex *null)
{
    dal_arena *arena = &s->linear->arena;
    const int n = s->n, more = seen ? s->p : s->m, columns = n + more, room = 8 * (n + columns) + 64;
    double complex *M = DAL_NEW(arena, double complex, (size_t)n *(size_t)columns + 1), *work = DAL_NEW(arena, double complex, room);
    double *sigma = DAL_NEW(arena, double, n + 1), *real = DAL_NEW(arena, double, 5 * n + 8);
    int hidden = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            M[(size_t)n * (size_t)j + (size_t)i] = (i == j ? z : 0) - (seen ? s->A[n * j + i] : s->A[n * i + j]);
        for (int j = 0; j < more; j++)
            M[(size_t)n * (size_t)(n + j) + (size_t)i] = seen ? s->C[n * j + i] : s->B[s->m * i + j];
    }
    if (LAPACKE_zgesvd_work(LAPACK_COL_MAJOR, null ? 'A' : 'N', 'N', n, columns, M, n, sigma, null, n, NULL, 1, work, room, real))
        return 0;
    while (hidden < n && sigma[n - 1 - hidden] <= no_rank * fmax(1, sigma[0]))
        hidden++;
    for (int k = 0; null && k < n * hidden; k++) /* the last ones; of [z - A; C] the transposed was decomposed */
        null[k] = seen ? conj(null[n * (n - hidden) + k]) : null[n * (n - hidden) + k];
    return hidden;
}

/* ---- shapes that are hidden -------------------------------------------------------------------------------- */

/* xi = G^-1 x, rates over omega: its length is that of the energy. */
static void measure_by_energy(studied *s, const double complex *x, double complex *xi)
{
    dal_linear *linear = s->linear;
    const int n = s->n;
    double *lu = DAL_NEW(&linear->arena, double, n *n + 1), *part = DAL_NEW(&linear->arena, double, n + 1);
    int *pivot = DAL_NEW(&linear->arena, int, n + 1);
    memcpy(lu, linear->G, sizeof *lu * (size_t)n * (size_t)n);
    dal_lu(lu, n, n, pivot);
    for (int imaginary = 0; imaginary < 2; imaginary++) {
        for (int i = 0; i < n; i++)
            part[i] = imaginary ? cimag(x[i]) : creal(x[i]);
        dal_lu_solve(lu, n, n, pivot, part);
        for (int i = 0; i < n; i++)
            xi[i] = imaginary ? xi[i] + I * part[i] : part[i];
    }
    for (int i = linear->out->n_positions; i < linear->out->n_positions + linear->out->n_rates && s->omega > 0; i++)
        xi[i] /= s->omega;
}

/* Of several shapes with one pole, and of one left vector w: the motion that no input moves, sum_k V_k conj(w^H V_k) with V orthonormal in energy. The
 * motions that are moved have w^H V c = 0, and no energy in common with it. */
static void find_unmoved(studied *s, int shapes, const int *group, const double complex *w, double complex *x)
{
    dal_arena *arena = &s->linear->arena;
    const size_t n = (size_t)s->n;
    double complex *V = DAL_NEW(arena, double complex, n *(size_t)shapes + 1), *E = DAL_NEW(arena, double complex, n *(size_t)shapes + 1);
    memset(x, 0, sizeof *x * n);
    for (int k = 0; k < shapes; k++) {
        const dal_mode *mode = &s->modes->modes[group[k]];
        double complex *v = V + n * (size_t)k, *e = E + n * (size_t)k, product = 0;
        double length = 0;
        for (size_t i = 0; i < n; i++)
            v[i] = mode->shape_re[i] + I * mode->shape_im[i];
        measure_by_energy(s, v, e);
        for (int pass = 0; pass < 2 * k; pass++) {
            const double complex *u = V + n * (size_t)(pass % k), *f = E + n * (size_t)(pass % k);
            double complex along = 0;
            for (size_t i = 0; i < n; i++)
                along += conj(f[i]) * e[i];
            for (size_t i = 0; i < n; i++) {
                e[i] -= along * f[i];
                v[i] -= along * u[i];
            }
        }
        for (size_t i = 0; i < n; i++)
            length += creal(e[i] * conj(e[i]));
        for (size_t i = 0; i < n; i++) {
            e[i] /= sqrt(length);
            v[i] /= sqrt(length);
            product += conj(w[i]) * v[i] / s->by[i];
        }
        for (size_t i = 0; i < n; i++)
            x[i] += conj(product) * v[i];
    }
}

/* "100 % body along y": who moves along x. */
static const char *part_that_moves(studied *s, const double complex *x)
{
    dal_linear *linear = s->linear;
    dal_point *p = &linear->point;
    double complex *xi = DAL_NEW(&linear->arena, double complex, s->n + 1);
    double *re = DAL_NEW(&linear->arena, double, p->nv + 1), *im = DAL_NEW(&linear->arena, double, p->nv + 1);
    double *along = DAL_NEW(&linear->arena, double, s->n + 1);
    const dal_mode_share *shares;
    measure_by_energy(s, x, xi);
    for (int i = 0; i < p->positions.p; i++)
        along[i] = creal(xi[i]);
    dal_kept_expand(p, &p->positions, 1, along, re);
    for (int i = 0; i < p->positions.p; i++)
        along[i] = cimag(xi[i]);
    dal_kept_expand(p, &p->positions, 1, along, im);
    const int n = dal_find_shares(p, re, im, &shares);
    return n ? dal_arena_print(&linear->arena, " (%.0f %% %s)", 100 * shares[0].share, shares[0].part) : "";
}

static const char *name_pole(studied *s, const dal_mode *mode, const char *part)
{
    dal_arena *arena = &s->linear->arena;
    return mode->im > 0 ? dal_arena_print(arena, "%.6g Hz%s", mode->frequency, part) : dal_arena_print(arena, "%.6g 1/s%s", mode->re, part);
}

static const char *part_of_mode(studied *s, const dal_mode *mode)
{
    return mode->n_shares ? dal_arena_print(&s->linear->arena, " (%.0f %% %s)", 100 * mode->shares[0].share, mode->shares[0].part) : "";
}

/* The modes with the pole of one of them, from this one on; 0: they were found with one before it. */
static int group_of(const studied *s, int i, int *group)
{
    const dal_mode *list = s->modes->modes;
    int n = 0;
    for (int k = 0; k < s->modes->n_modes; k++)
        if (hypot(list[k].re - list[i].re, list[k].im - list[i].im) <= same * s->omega) {
            if (k < i)
                return 0;
            group[n++] = k;
        }
    return n;
}

/* The names of what is hidden among modes with one pole. */
static int name_hidden(studied *s, bool seen, const int *group, int n, const char **names)
{
    const dal_mode *mode = &s->modes->modes[group[0]];
    const double complex z = (mode->re + I * mode->im) / s->omega;
    int hidden = count_hidden(s, z, seen, NULL);
    if (!hidden)
        return 0;
    if (hidden >= n || mode->shapes < mode->times) {
        for (int k = 0; k < n; k++)
            names[k] = name_pole(s, mode, part_of_mode(s, &s->modes->modes[group[k]]));
        return n;
    }
    dal_arena *arena = &s->linear->arena;
    double complex *null = DAL_NEW(arena, double complex, (size_t)s->n *(size_t)s->n + 1), *x = DAL_NEW(arena, double complex, s->n + 1);
    hidden = count_hidden(s, z, seen, null);
    for (int k = 0; k < hidden; k++) {
        const double complex *of = null + (size_t)s->n * (size_t)k;
        for (int i = 0; seen && i < s->n; i++)
            x[i] = s->by[i] * of[i];
        if (!seen)
            find_unmoved(s, n, group, of, x);
        names[k] = name_pole(s, mode, part_that_moves(s, x));
    }
    return hidden;
}

/* The coordinate that has most of a vector, or whose rate has. */
static const char *state_of(const studied *s, const double complex *x)
{
    const dal_linearization *out = s->linear->out;
    int most = 0;
    for (int i = 0; i < s->n; i++)
        if (cabs(x[i]) > cabs(x[most]) * (1 + 1e-9))
            most = i;
    for (int i = 0; i < out->n_positions; i++)
        if (s->linear->moving[i] >= 0 && most == out->n_positions + s->linear->moving[i])
            return out->states[i];
    return out->states[most];
}

/* "0 (m.x, ...)": what is hidden of the directions that nothing holds; NULL: nothing is. */
static const char *name_zero(studied *s, bool seen)
{
    dal_arena *arena = &s->linear->arena;
    const dal_modes *modes = s->modes;
    int hidden = modes->n_zeros ? count_hidden(s, 0, seen, NULL) : 0;
    if (!hidden)
        return NULL;
    const char *state = modes->n_free ? modes->free[0].state : NULL;
    if (hidden < modes->n_free) {
        double complex *null = DAL_NEW(arena, double complex, (size_t)s->n *(size_t)s->n + 1);
        hidden = count_hidden(s, 0, seen, null);
        state = hidden ? state_of(s, null) : NULL;
    }
    return state ? dal_arena_print(arena, "0 (%s%s)", state, hidden > 1 ? ", ..." : "") : "0";
}

/* The uncontrollable poles, or the unobservable ones: "1.05 Hz (100 % body along y)". */
static int list_hidden(studied *s, bool seen, const char *const **list)
{
    dal_arena *arena = &s->linear->arena;
    const dal_modes *modes = s->modes;
    const char **names = DAL_NEW(arena, const char *, modes->n_modes + modes->n_free + 2);
    int *group = DAL_NEW(arena, int, modes->n_modes + 1), n = 0;
    if ((names[n] = name_zero(s, seen)))
        n++;
    for (int i = 0; i < modes->n_modes; i++) {
        const int equal = group_of(s, i, group);
        n += equal ? name_hidden(s, seen, group, equal, names + n) : 0;
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
