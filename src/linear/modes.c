/* Eigenvalues of A, computed along the directions xi of linear_matrix.c: with x = G xi, G^-1 F has the same eigenvalues, and its numbers are scaled
 * by the kinetic energy. With omega the size of the fastest motion, displacements count omega times and time 1 / omega, so that all numbers are near
 * one.
 *
 * Eigenvalues that are zero come in chains (a displacement stays, a velocity in it stays as well), and an eigenvalue solver spreads a chain of n
 * over a circle of radius eps^(1/n). They are removed first: with V_0 a basis of {x : W x = 0} and V_1 of the rest,
 *
 *     [V_1 V_0]^T W [V_1 V_0] = [ W_11 0 ]
 *                               [ W_01 0 ]
 *
 * and W_11 remains, from which zeros are removed again, until there are none. A vector y of W_11 with eigenvalue s belongs to
 * V_1 y + V_0 W_01 y / s of W.
 */
#include "linear/balance.h"
#include "linear/linear.h"
#include "linear/multiple.h"
#include "start/shares.h"

#include "base/argument.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "state/state_parts.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double nothing = 1e-13; /* a singular value over the largest that is rounding, for each row */
static const double nearly = 1e-6;   /* of the model's own rate: if all motions are slower, they count as zero */
static const double slowest = 1e-7;  /* of the fastest motion: the root of the rounding of a stiffness */

/* One step of the reduction: m x m becomes m1 x m1. */
typedef struct level {
    int m, m1;
    double *V;   /* rows: V_1, then V_0 */
    double *W01; /* (m - m1) x m1 */
} level;

typedef struct seeker {
    dal_linear *linear;
    dal_modes *out;
    int n;
    double omega, *scale; /* xi = x / scale */
    double *W, *core;     /* scaled; without zeros */
    double *left;         /* {y : W^T y = 0}, rows */
    int n_levels, n_core, n_null;
    level *levels;
    double *re, *im, *vectors;
} seeker;

/* ---- the matrix -------------------------------------------------------------------------------------------- */

/* G^-1 F, row-major. */
static bool divide(seeker *s, double *out)
{
    dal_linear *x = s->linear;
    const size_t n = (size_t)s->n;
    double *lu = DAL_NEW(&x->arena, double, n *n + 1), *column = DAL_NEW(&x->arena, double, n + 1);
    int *pivot = DAL_NEW(&x->arena, int, n + 1);
    memcpy(lu, x->G, sizeof *lu * n * n);
    if (!(dal_lu(lu, s->n, s->n, pivot) > 0))
        return false;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            column[i] = x->F[n * i + j];
        dal_lu_solve(lu, s->n, s->n, pivot, column);
        for (size_t i = 0; i < n; i++)
            out[n * i + j] = column[i];
    }
    return true;
}

static double largest(const double *W, int n, int row, int rows, int column, int columns)
{
    double most = 0;
    for (int i = row; i < row + rows; i++)
        for (int j = column; j < column + columns; j++)
            most = fmax(most, fabs(W[(size_t)n * (size_t)i + (size_t)j]));
    return most;
}

static void scale_matrix(seeker *s)
{
    const dal_linear *x = s->linear;
    const int p = x->point.positions.p, f = x->point.velocities.p, n = s->n, rest = n - p - f;
    double fast = fmax(sqrt(largest(s->W, n, p, f, 0, p)), fmax(largest(s->W, n, p, f, p, f), largest(s->W, n, p + f, rest, p + f, rest)));
    fast = fmax(fast, largest(s->W, n, 0, p, 0, p));
    const double unit = 1 / x->point.layout->units.time;
    fast = fast > nearly * unit ? fast : 0; /* rounding of stiffnesses that cancel */
    s->omega = fast > 0 ? exp2(round(log2(fast))) : exp2(round(-log2(x->point.layout->units.time)));
    for (int i = 0; i < n; i++)
        s->scale[i] = i < p ? s->omega : 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s->W[(size_t)n * (size_t)i + (size_t)j] *= s->scale[i] / s->scale[j] / s->omega;
    if (!rest)
        return;
    double *by = DAL_NEW(&s->linear->arena, double, n + 1); /* states of the model have units of their own */
    dal_balance(&s->linear->arena, n, p, f, s->W, by);
    for (int i = 0; i < n; i++)
        s->scale[i] /= by[i];
}

/* ---- zeros ------------------------------------------------------------------------------------------------- */

/* W = U S V^T by rows: LAPACK sees W^T by columns, whose left vectors are those of V. */
static bool decompose(seeker *s, const double *W, int m, double *sigma, double *V, double *Ut)
{
    dal_arena *arena = &s->linear->arena;
    const size_t area = (size_t)m * (size_t)m;
    double *copy = DAL_NEW(arena, double, area + 1), *u = DAL_NEW(arena, double, area + 1), *vt = DAL_NEW(arena, double, area + 1);
    const int room = 10 * m + 64;
    double *work = DAL_NEW(arena, double, room);
    memcpy(copy, W, sizeof *copy * area);
    if (LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, m, copy, m, sigma, u, m, vt, m, work, room))
        return false;
    memcpy(V, u, sizeof *u * area); /* columns of u by columns: rows */
    for (int i = 0; i < m && Ut; i++)
        for (int j = 0; j < m; j++)
            Ut[(size_t)m * (size_t)i + (size_t)j] = vt[(size_t)m * (size_t)j + (size_t)i];
    return true;
}

static double along(const double *a, const double *W, const double *b, int m)
{
    double sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            sum += a[i] * W[(size_t)m * (size_t)i + (size_t)j] * b[j];
    return sum;
}

static bool remove_zeros(seeker *s)
{
    dal_arena *arena = &s->linear->arena;
    s->levels = DAL_NEW(arena, level, s->n + 1);
    s->core = s->W;
    s->n_core = s->n;
    while (s->n_core) {
        const int m = s->n_core;
        level *l = &s->levels[s->n_levels];
        double *sigma = DAL_NEW(arena, double, m + 1), *Ut = DAL_NEW(arena, double, (size_t)m *(size_t)m + 1);
        l->m = m;
        l->V = DAL_NEW(arena, double, (size_t)m *(size_t)m + 1);
        if (!decompose(s, s->core, m, sigma, l->V, Ut))
            return false;
        while (l->m1 < m && sigma[l->m1] > nothing * m * fmax(sigma[0], s->n_levels ? 1 : 0))
            l->m1++;
        if (!s->n_levels) {
            s->n_null = m - l->m1;
            s->left = Ut + (size_t)m * (size_t)l->m1;
        }
        if (l->m1 == m)
            return true;
        double *W11 = DAL_NEW(arena, double, (size_t)l->m1 *(size_t)l->m1 + 1);
        l->W01 = DAL_NEW(arena, double, (size_t)(m - l->m1) * (size_t)l->m1 + 1);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < l->m1; j++) {
                const double value = along(l->V + (size_t)m * (size_t)i, s->core, l->V + (size_t)m * (size_t)j, m);
                if (i < l->m1)
                    W11[(size_t)l->m1 * (size_t)i + (size_t)j] = value;
                else
                    l->W01[(size_t)l->m1 * (size_t)(i - l->m1) + (size_t)j] = value;
            }
        s->core = W11;
        s->n_core = l->m1;
        s->n_levels++;
    }
    return true;
}

/* ---- eigenvectors ------------------------------------------------------------------------------------------- */

/* y of the core, n_core complex numbers (re, im), becomes a vector of W: n of them. */
static void lift(const seeker *s, double re, double im, double *y_re, double *y_im, double *work)
{
    const double size = re * re + im * im;
    for (int k = s->n_levels - 1; k >= 0; k--) {
        const level *l = &s->levels[k];
        double *x_re = work, *x_im = work + l->m;
        memset(work, 0, sizeof *work * 2 * (size_t)l->m);
        for (int i = 0; i < l->m; i++) {
            double a = i < l->m1 ? y_re[i] : 0, b = i < l->m1 ? y_im[i] : 0;
            if (i >= l->m1) {
                double c = 0, d = 0;
                for (int j = 0; j < l->m1; j++) {
                    c += l->W01[(size_t)l->m1 * (size_t)(i - l->m1) + (size_t)j] * y_re[j];
                    d += l->W01[(size_t)l->m1 * (size_t)(i - l->m1) + (size_t)j] * y_im[j];
                }
                a = (c * re + d * im) / size;
                b = (d * re - c * im) / size;
            }
            for (int j = 0; j < l->m; j++) {
                x_re[j] += a * l->V[(size_t)l->m * (size_t)i + (size_t)j];
                x_im[j] += b * l->V[(size_t)l->m * (size_t)i + (size_t)j];
            }
        }
        memcpy(y_re, x_re, sizeof *y_re * (size_t)l->m);
        memcpy(y_im, x_im, sizeof *y_im * (size_t)l->m);
    }
}

/* Velocities (nv) of a vector xi: those along T, or, where it has none, its displacements. */
static double *velocities_of(seeker *s, const double *xi, bool displacement)
{
    const dal_point *p = &s->linear->point;
    double *v = DAL_NEW(&s->linear->arena, double, p->nv + 1);
    if (displacement)
        dal_kept_expand(p, &p->positions, 1, xi, v);
    else
        dal_kept_expand(p, &p->velocities, 1, xi + p->positions.p, v);
    return v;
}

static void times(const double *G, int n, const double *x, double *out)
{
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int j = 0; j < n; j++)
            out[i] += G[(size_t)n * (size_t)i + (size_t)j] * x[j];
    }
}

/* Turned and scaled so that the largest position is 1; where there is none, the largest number. */
static void normalise_mode(int n, int positions, double *re, double *im)
{
    int at = -1;
    double most = 0;
    for (int i = 0; i < n; i++)
        if ((i < positions || at < 0 || at >= positions) && hypot(re[i], im[i]) > most * (1 + 1e-9)) {
            most = hypot(re[i], im[i]);
            at = i;
        }
    if (at < 0)
        return;
    const double a = re[at] / (most * most), b = -im[at] / (most * most);
    for (int i = 0; i < n; i++) {
        const double c = re[i], d = im[i];
        re[i] = a * c - b * d;
        im[i] = a * d + b * c;
    }
}

/* The motions of the bodies along the displacements of xi: 6 numbers each. */
static double *bodies_along(seeker *s, const double *xi)
{
    dal_linear *x = s->linear;
    const dal_layout *layout = x->point.layout;
    const int bodies = layout->mechanism->n_bodies;
    dal_tangent *tangent = DAL_NEW(&x->arena, dal_tangent, bodies + 1);
    double *out = DAL_NEW(&x->arena, double, 6 * bodies + 1);
    dal_work *work = dal_work_of(x->state);
    layout->family->tangent(layout, work, &(dal_direction){velocities_of(s, xi, true), 0, tangent});
    for (int b = 0; b < bodies; b++) {
        for (int k = 0; k < 3; k++)
            out[6 * b + k] = tangent[b].rd[k] / layout->units.length;
        if (!layout->mechanism->bodies[b].particle)
            dal_spin_of(work->kin[b].R, tangent[b].Rd, out + 6 * b + 3);
    }
    return out;
}

static void keep_bodies(seeker *s, dal_mode *mode, const double *re, const double *im)
{
    const int n = 6 * s->linear->point.layout->mechanism->n_bodies;
    double *a = bodies_along(s, re), *b = bodies_along(s, im), most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, hypot(a[k], b[k]));
    for (int k = 0; k < n && most > 0; k++) {
        a[k] /= most;
        b[k] /= most;
    }
    mode->bodies_re = a;
    mode->bodies_im = b;
}

static const double rounding = 1e-13; /* of a damping ratio: a smaller one is zero */

static void keep_mode(seeker *s, dal_mode *mode, double re, double im, const double *y_re, const double *y_im)
{
    dal_linear *x = s->linear;
    const size_t n = (size_t)s->n;
    double *a = DAL_NEW(&x->arena, double, n + 1), *b = DAL_NEW(&x->arena, double, n + 1), *work = DAL_NEW(&x->arena, double, 2 * n + 1);
    double *shape_re = DAL_NEW(&x->arena, double, n + 1), *shape_im = DAL_NEW(&x->arena, double, n + 1);
    memcpy(a, y_re, sizeof *a * (size_t)s->n_core);
    if (y_im)
        memcpy(b, y_im, sizeof *b * (size_t)s->n_core);
    lift(s, re, im, a, b, work);
    for (size_t i = 0; i < n; i++) {
        a[i] /= s->scale[i];
        b[i] /= s->scale[i];
    }
    times(x->G, s->n, a, shape_re);
    times(x->G, s->n, b, shape_im);
    normalise_mode(s->n, x->point.positions.p, shape_re, shape_im);
    const double size = hypot(re, im);
    *mode = (dal_mode){.re = re * s->omega,
                       .im = im * s->omega,
                       .frequency = im * s->omega / (2 * M_PI),
                       .damping = fabs(re) <= rounding * size ? 0 : -re / size,
                       .shape_re = shape_re,
                       .shape_im = shape_im};
    keep_bodies(s, mode, a, b);
    mode->shifts_circle = dal_mode_shifts_circle(x, mode);
    /* Displacements grow with s, so that velocities are s times them. (xi of velocities is what comes on top of those that follow from a displacement, and
     * this depends on the family of coordinates.) */
    mode->n_shares = dal_find_shares(&x->point, velocities_of(s, a, true), velocities_of(s, b, true), &mode->shares);
}

static int by_size(const void *first, const void *second)
{
    const dal_mode *a = first, *b = second;
    const double x = hypot(a->re, a->im), y = hypot(b->re, b->im);
    if ((a->im > 0) != (b->im > 0))
        return a->im > 0 ? -1 : 1;
    if (a->im > 0 && a->im != b->im)
        return a->im < b->im ? -1 : 1;
    return x < y ? -1 : x > y ? 1 : a->re < b->re ? -1 : a->re > b->re;
}

static bool find_modes(seeker *s)
{
    const int m = s->n_core;
    dal_spectrum found;
    dal_mode *modes = DAL_NEW(&s->linear->arena, dal_mode, m + 1);
    s->out->modes = modes;
    s->out->n_zeros = s->n - m;
    if (!dal_spectrum_find(&s->linear->arena, m, s->core, &found))
        return false;
    for (int k = 0; k < m; k++) {
        const double *vector = found.vectors + (size_t)m * (size_t)k;
        if (hypot(found.re[k], found.im[k]) < slowest) {
            s->out->n_zeros++;
            continue;
        }
        if (found.im[k] < 0)
            continue;
        dal_mode *mode = &modes[s->out->n_modes++];
        keep_mode(s, mode, found.re[k], found.im[k], vector, found.im[k] > 0 ? vector + m : NULL);
        mode->condition = found.condition[k];
        mode->times = found.times[k];
        mode->shapes = found.shapes[k];
    }
    qsort(modes, (size_t)s->out->n_modes, sizeof *modes, by_size);
    return true;
}

/* ---- directions without a restoring force ----------------------------------------------------------------------- */

/* Rows of x by Gauss and Jordan, each with a position of its own where it can: simple directions out of a basis. */
static void simplify(double *x, int rows, int n, int *pivot)
{
    for (int r = 0; r < rows; r++) {
        int row = -1, column = -1;
        for (int j = 0; j < n && row < 0; j++) {
            double most = 0, all = 0;
            for (int i = 0; i < rows; i++)
                for (int k = 0; k < n; k++)
                    all = i >= r ? fmax(all, fabs(x[(size_t)n * (size_t)i + (size_t)k])) : all;
            for (int i = r; i < rows; i++)
                if (fabs(x[(size_t)n * (size_t)i + (size_t)j]) > fmax(most, 1e-6 * all)) {
                    most = fabs(x[(size_t)n * (size_t)i + (size_t)j]);
                    row = i;
                    column = j;
                }
        }
        pivot[r] = column;
        if (row < 0)
            return;
        for (int k = 0; k < n; k++) {
            const double kept = x[(size_t)n * (size_t)r + (size_t)k];
            x[(size_t)n * (size_t)r + (size_t)k] = x[(size_t)n * (size_t)row + (size_t)k];
            x[(size_t)n * (size_t)row + (size_t)k] = kept;
        }
        const double by = x[(size_t)n * (size_t)r + (size_t)column];
        for (int k = 0; k < n; k++)
            x[(size_t)n * (size_t)r + (size_t)k] /= by;
        for (int i = 0; i < rows; i++) {
            const double factor = x[(size_t)n * (size_t)i + (size_t)column];
            for (int k = 0; k < n && i != r; k++)
                x[(size_t)n * (size_t)i + (size_t)k] -= factor * x[(size_t)n * (size_t)r + (size_t)k];
        }
    }
}

/* Does a constant velocity lead along the direction? Then the direction is W y of some y. */
static bool is_reached(const seeker *s, const double *xi)
{
    double across = 0, size = 0;
    for (int k = 0; k < s->n_null; k++) {
        double dot = 0;
        for (int i = 0; i < s->n; i++)
            dot += s->left[(size_t)s->n * (size_t)k + (size_t)i] * xi[i] * s->scale[i];
        across += dot * dot;
    }
    for (int i = 0; i < s->n; i++)
        size += xi[i] * xi[i] * s->scale[i] * s->scale[i];
    return across < 1e-12 * size;
}

static void name_free(seeker *s)
{
    dal_linear *x = s->linear;
    const size_t n = (size_t)s->n;
    const int rows = s->n_null, p = x->point.positions.p;
    dal_free_mode *list = DAL_NEW(&x->arena, dal_free_mode, rows + 1);
    double *named = DAL_NEW(&x->arena, double, n *(size_t)rows + 1), *lu = DAL_NEW(&x->arena, double, n *n + 1),
           *xi = DAL_NEW(&x->arena, double, n + 1);
    int *pivot = DAL_NEW(&x->arena, int, n + 1), *first = DAL_NEW(&x->arena, int, rows + 1);
    s->out->free = list;
    s->out->n_free = rows;
    for (int r = 0; r < rows; r++) {
        const level *l = &s->levels[0];
        for (size_t i = 0; i < n; i++)
            xi[i] = l->V[n * (size_t)(l->m1 + r) + i] / s->scale[i];
        times(x->G, s->n, xi, named + n * (size_t)r);
    }
    simplify(named, rows, s->n, first);
    memcpy(lu, x->G, sizeof *lu * n * n);
    dal_lu(lu, s->n, s->n, pivot);
    for (int r = 0; r < rows; r++) {
        memcpy(xi, named + n * (size_t)r, sizeof *xi * n);
        dal_lu_solve(lu, s->n, s->n, pivot, xi);
        list[r].state = first[r] >= 0 ? x->out->states[first[r]] : NULL;
        list[r].drifts = is_reached(s, xi);
        list[r].n_shares = dal_find_shares(&x->point, velocities_of(s, xi, first[r] < p), NULL, &list[r].shares);
    }
}

/* ---- the call ----------------------------------------------------------------------------------------------------- */

static void keep_poses(seeker *s)
{
    dal_linear *x = s->linear;
    const int bodies = x->point.layout->mechanism->n_bodies;
    double *poses = DAL_NEW(&x->arena, double, 7 * bodies + 1);
    for (int b = 0; b < bodies; b++) {
        const dal_kin *kin = &dal_seen_work(x->state)->kin[b];
        memcpy(poses + 7 * b, kin->r, sizeof kin->r);
        dal_quaternion_of(kin->R, poses + 7 * b + 3);
    }
    s->out->n_bodies = bodies;
    s->out->poses = poses;
}

static dal_status seek(void *user)
{
    seeker *s = user;
    dal_linear *x = s->linear;
    s->n = x->n_x;
    s->out = DAL_NEW(&x->arena, dal_modes, 1);
    s->out->linearization = x->out;
    keep_poses(s);
    s->W = DAL_NEW(&x->arena, double, (size_t)s->n *(size_t)s->n + 1);
    s->scale = DAL_NEW(&x->arena, double, s->n + 1);
    if (!divide(s, s->W))
        return DAL_NUMERICAL;
    scale_matrix(s);
    if (!remove_zeros(s) || !find_modes(s)) {
        dal_error(x->messages, dal_nowhere, "the eigenvalues do not converge");
        return DAL_NUMERICAL;
    }
    name_free(s);
    return DAL_OK;
}

dal_status dal_linear_modes(dal_linear *linear, dal_modes **modes)
{
    seeker s = {.linear = linear};
    const dal_status status = dal_arena_try(&linear->arena, seek, &s);
    *modes = s.out;
    return status;
}

static dal_status seek_modes(dal_linear *x, void **found)
{
    dal_modes *modes = NULL;
    const dal_status status = dal_linear_modes(x, &modes);
    *found = modes;
    return status;
}

dal_status dal_modes_find(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                          dal_modes **modes)
{
    dal_linear x = {.spec = spec, .options = options, .messages = messages};
    if (modes)
        *modes = NULL;
    return DAL_NEEDS(messages, modes) ? dal_linear_find(&x, __func__, allocator, seek_modes, offsetof(dal_modes, memory), modes) : DAL_BAD_COMMAND;
}

void dal_modes_free(dal_modes *modes)
{
    if (modes)
        dal_arena_dispose(modes->memory);
}
