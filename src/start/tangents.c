/* Rows that are kept, factored; what they leave free.
 *
 * A basis of the null space comes from the Householder factors of the rows. In large models, whose rows have few entries, it comes from elimination:
 * each row is solved for its largest entry, which is eliminated from all others; the remaining columns are free.
 */
#include "start/point.h"

#include "dynamics/row_rank.h"
#include "math/dense.h"
#include "math/rank.h"
#include "math/sums.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { LARGE = 90 };                   /* velocities from which on the zeros of the rows are used */
static const double good_pivot = 1e-4; /* of a row of unit length: else by Householder */
static const double met = 1e-12;       /* how well the rows hold on a basis whose largest number is one */
static const double massless = 1e-14;  /* of its own diagonal element: a pivot of T^T M T that is rounding */

/* ---- rows ------------------------------------------------------------------------------------ */

bool dal_row_of_velocities(const dal_layout *layout, int row)
{
    const int source = layout->row[row].source;
    return source >= 0 && layout->mechanism->rows[source].nonholonomic;
}

bool dal_row_of_one_rate(const dal_layout *layout, int row)
{
    if (!dal_row_of_velocities(layout, row))
        return false;
    const dal_row *r = &layout->mechanism->rows[layout->row[row].source];
    return r->n_terms == 1 && !r->curved;
}

/* Does the row leave displacements to detours? */
static bool permits_detours(const dal_point *x, int row)
{
    return dal_row_of_velocities(x->layout, row) && !(x->standing && dal_row_of_one_rate(x->layout, row));
}

void dal_kept_choose(dal_point *x, const double *A, const double *scale, bool all, const bool *skipped, dal_kept_rows *out)
{
    const size_t nv = (size_t)x->nv, rows = (size_t)x->n_rows;
    double *some = DAL_NEW(x->arena, double, rows *nv + 1), *work = DAL_NEW(x->arena, double, dal_rank_work(x->n_rows, x->nv) + 1);
    int *number = DAL_NEW(x->arena, int, rows + 1), *order = DAL_NEW(x->arena, int, rows + 1), n = 0;
    for (int i = 0; i < x->n_rows; i++) {
        if ((!all && permits_detours(x, i)) || (skipped && skipped[i]))
            continue;
        memcpy(some + nv * (size_t)n, A + nv * (size_t)i, sizeof *some * nv);
        number[n++] = i;
    }
    *out = (dal_kept_rows){0};
    out->n = n ? dal_rank_rows(some, n, x->nv, x->nv, DAL_RANK_TOLERANCE, n < x->nv ? n : x->nv, order, NULL, work) : 0;
    out->row = DAL_NEW(x->arena, int, out->n + 1);
    out->scale = DAL_NEW(x->arena, double, out->n + 1);
    out->qr = DAL_NEW(x->arena, double, (size_t)(out->n + 1) * nv);
    out->tau = DAL_NEW(x->arena, double, out->n + 1);
    for (int j = 0; j < out->n; j++) {
        out->row[j] = number[order[j]];
        out->scale[j] = scale[out->row[j]];
        memcpy(out->qr + nv * (size_t)j, some + nv * (size_t)order[j], sizeof *some * nv);
    }
    if (x->nv >= LARGE) {
        out->rows = DAL_NEW(x->arena, double, (size_t)(out->n + 1) * nv);
        memcpy(out->rows, out->qr, sizeof *out->rows * (size_t)out->n * nv);
    }
    if (out->n)
        dal_qr(out->qr, x->nv, out->n, x->nv, out->tau);
    out->p = x->nv - out->n;
}

/* ---- the null space ---------------------------------------------------------------------------- */

/* Indices of the numbers of a row that are not zero. */
static int find_entries(const double *row, int n, int *entry)
{
    int count = 0;
    for (int k = 0; k < n; k++)
        if (row[k] != 0)
            entry[count++] = k;
    return count;
}

/* Row r, solved for its largest entry, is taken out of the others; false: it has none that counts. */
static bool eliminate_row(double *rows, int n, int nv, int r, int *pivot, int *entry)
{
    double *own = rows + (size_t)nv * (size_t)r;
    const int entries = find_entries(own, nv, entry);
    int at = -1;
    for (int e = 0; e < entries; e++)
        if (at < 0 || fabs(own[entry[e]]) > fabs(own[at]))
            at = entry[e];
    if (at < 0 || fabs(own[at]) < good_pivot)
        return false;
    const double by = own[at];
    for (int e = 0; e < entries; e++)
        own[entry[e]] /= by;
    pivot[r] = at;
    for (int i = 0; i < n; i++) {
        double *other = rows + (size_t)nv * (size_t)i;
        const double factor = other[at];
        if (i == r || factor == 0)
            continue;
        for (int e = 0; e < entries; e++)
            other[entry[e]] -= factor * own[entry[e]];
        other[at] = 0;
    }
    return true;
}

static bool rows_hold(const dal_kept_rows *kept, int nv, const double *raw, int *entry)
{
    for (int i = 0; i < kept->n; i++) {
        const double *row = kept->rows + (size_t)nv * (size_t)i;
        const int entries = find_entries(row, nv, entry);
        for (int j = 0; j < kept->p; j++) {
            const double *column = raw + (size_t)nv * (size_t)j;
            double sum = 0, most = 0;
            for (int e = 0; e < entries; e++) {
                sum += row[entry[e]] * column[entry[e]];
                most = fmax(most, fabs(column[entry[e]]));
            }
            if (!(fabs(sum) <= met * fmax(1, most)))
                return false;
        }
    }
    return true;
}

/* raw: p columns of nv. False: the pivots are too small, and nothing is written. */
static bool eliminate_rows(dal_point *x, const dal_kept_rows *kept, double *raw)
{
    const size_t nv = (size_t)x->nv;
    double *rows = DAL_NEW(x->arena, double, nv *(size_t)(kept->n + 1));
    int *pivot = DAL_NEW(x->arena, int, kept->n + 1), *entry = DAL_NEW(x->arena, int, nv + 1), column = 0;
    bool *bound = DAL_NEW(x->arena, bool, nv + 1);
    memcpy(rows, kept->rows, sizeof *rows * nv * (size_t)kept->n);
    for (int r = 0; r < kept->n; r++) {
        if (!eliminate_row(rows, kept->n, x->nv, r, pivot, entry))
            return false;
        bound[pivot[r]] = true;
    }
    for (size_t k = 0; k < nv; k++)
        if (!bound[k]) {
            raw[nv * (size_t)column + k] = 1;
            for (int r = 0; r < kept->n; r++)
                raw[nv * (size_t)column + (size_t)pivot[r]] = -rows[nv * (size_t)r + k];
            column++;
        }
    if (rows_hold(kept, x->nv, raw, entry))
        return true;
    memset(raw, 0, sizeof *raw * nv * (size_t)kept->p);
    return false;
}

/* Some basis, over the units of the columns. */
static double *find_basis(dal_point *x, const dal_kept_rows *kept)
{
    const size_t nv = (size_t)x->nv, p = (size_t)kept->p;
    const double *unit = x->layout->units.column_scale;
    double *raw = DAL_NEW(x->arena, double, nv *p + 1);
    if (!kept->rows || !eliminate_rows(x, kept, raw))
        for (size_t j = 0; j < p; j++) {
            raw[nv * j + (size_t)kept->n + j] = 1;
            if (kept->n)
                dal_qr_q_times(kept->qr, x->nv, kept->n, x->nv, kept->tau, raw + nv * j);
        }
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < nv; k++)
            raw[nv * j + k] /= unit[k];
    return raw;
}

/* The null space, with T^T M T = L L^T = 1. False: a direction has no mass. */
bool dal_kept_span(dal_point *x, dal_kept_rows *out)
{
    const size_t nv = (size_t)x->nv, p = (size_t)out->p;
    double *raw = find_basis(x, out), *K = DAL_NEW(x->arena, double, p *p + 1), *row = DAL_NEW(x->arena, double, p + 1);
    int where;
    for (size_t j = 0; j < p; j++) {
        dal_mass_times(x->layout, dal_seen_work(x->state)->M, raw + nv * j, x->w);
        for (size_t i = 0; i <= j; i++)
            K[p * i + j] = K[p * j + i] = dal_inner_by_four(raw + nv * i, x->w, x->nv);
    }
    if (p && (!dal_cholesky(K, (int)p, (int)p, massless, &where) || !dal_diagonal_counts(K, (int)p, (int)p, massless)))
        return false;
    out->T = DAL_NEW(x->arena, double, nv *p + 1);
    for (size_t k = 0; k < nv; k++) {
        for (size_t j = 0; j < p; j++)
            row[j] = raw[nv * j + k];
        if (p)
            dal_lower_solve(K, (int)p, (int)p, row);
        for (size_t j = 0; j < p; j++)
            out->T[nv * j + k] = row[j];
    }
    return true;
}

/* ---- along it ---------------------------------------------------------------------------------- */

void dal_kept_reach(const dal_point *x, const dal_kept_rows *rows, const double *b, double *out)
{
    double *right = x->motion;
    memset(out, 0, sizeof *out * (size_t)x->nv);
    if (!rows->n)
        return;
    for (int j = 0; j < rows->n; j++)
        right[j] = rows->scale[j] * b[rows->row[j]];
    dal_qr_least_norm(rows->qr, x->nv, rows->n, x->nv, rows->tau, right, out);
    for (int k = 0; k < x->nv; k++)
        out[k] /= x->layout->units.column_scale[k];
}

void dal_kept_project(const dal_point *x, const dal_kept_rows *rows, const double *f, double *out)
{
    for (int j = 0; j < rows->p; j++)
        out[j] = dal_inner_by_four(rows->T + (size_t)x->nv * (size_t)j, f, x->nv);
}

void dal_kept_expand(const dal_point *x, const dal_kept_rows *rows, double factor, const double *y, double *out)
{
    for (int j = 0; j < rows->p; j++)
        for (int k = 0; k < x->nv; k++)
            out[k] += factor * y[j] * rows->T[(size_t)x->nv * (size_t)j + (size_t)k];
}

bool dal_point_span(dal_point *x, const bool *skipped, dal_kept_rows *out)
{
    double *A = DAL_NEW(x->arena, double, (size_t)x->n_rows *(size_t)x->nv + 1), *scale = DAL_NEW(x->arena, double, x->n_rows + 1);
    if (x->n_rows)
        dal_scaled_rows(x->state, A, scale);
    dal_kept_choose(x, A, scale, true, skipped, out);
    return dal_kept_span(x, out);
}

void dal_point_balance(const dal_point *x, double *f, double *lambda)
{
    const dal_kept_rows *rows = &x->velocities;
    memset(lambda, 0, sizeof *lambda * (size_t)x->n_rows);
    for (int k = 0; k < x->nv; k++)
        f[k] /= x->layout->units.column_scale[k];
    if (!rows->n)
        return;
    dal_qr_qt_times(rows->qr, x->nv, rows->n, x->nv, rows->tau, f);
    dal_qr_r_solve(rows->qr, rows->n, x->nv, f);
    for (int j = 0; j < rows->n; j++)
        lambda[rows->row[j]] = rows->scale[j] * f[j];
}
