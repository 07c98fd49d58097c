/* LU on a known pattern, row by row:
 *
 *     for k in L_r, ascending:   l_rk = b_rk / u_kk,   b_rj -= l_rk u_kj   (j in U_k)
 *
 * These are the operations of dal_lu (dense.c) on each entry, in the same order, without the operations on zeros.
 */
#include "math/known_lu.h"

#include <math.h>
#include <string.h>

/* Maximum number of products in the lists: a matrix with more is not sparse. */
static size_t most_products(int n)
{
    return 8 * (size_t)n * (size_t)n;
}

void dal_known_lu_layout(dal_block *block, dal_known_lu *lu, int rows)
{
    const size_t n = rows <= DAL_KNOWN_LU_MOST ? (size_t)rows : 0;
    *lu = (dal_known_lu){.n = (int)n};
    lu->seen = dal_block_room(block, sizeof *lu->seen * n * n);
    lu->row = dal_block_room(block, sizeof *lu->row * n);
    lu->start = dal_block_room(block, sizeof *lu->start * (n + 1));
    lu->diagonal = dal_block_room(block, sizeof *lu->diagonal * n);
    lu->column = dal_block_room(block, sizeof *lu->column * n * n);
    lu->first = dal_block_room(block, sizeof *lu->first * n * n);
    lu->target = dal_block_room(block, sizeof *lu->target * most_products((int)n));
    lu->from = dal_block_room(block, sizeof *lu->from * n * n);
    lu->to = dal_block_room(block, sizeof *lu->to * n * n);
    lu->zero = dal_block_room(block, sizeof *lu->zero * n * n);
    lu->value = dal_block_room(block, sizeof *lu->value * (n * n + n));
}

void dal_known_lu_forget(dal_known_lu *lu)
{
    lu->known = false;
    memset(lu->seen, 0, sizeof *lu->seen * (size_t)lu->n * (size_t)lu->n);
}

/* ---- symbolic ------------------------------------------------------------------------------- */

/* lu->row, and lu->first of entry r, k as a matrix in `first`: the order of rows before each exchange. */
static void follow_exchanges(dal_known_lu *lu, const int *pivot, bool *first)
{
    const int n = lu->n;
    int *place = lu->start, *now = lu->diagonal; /* of a row of B, and the row in a place; both are not lists yet */
    lu->odd = false;
    for (int r = 0; r < n; r++)
        lu->row[r] = r;
    for (int k = 0; k < n; k++) {
        const int p = pivot[k], keep = lu->row[k];
        lu->odd ^= p != k;
        lu->row[k] = lu->row[p];
        lu->row[p] = keep;
    }
    for (int r = 0; r < n; r++)
        now[r] = place[r] = r;
    for (int k = 0; k < n; k++) {
        for (int r = k + 1; r < n; r++)
            first[n * r + k] = place[lu->row[r]] < pivot[k];
        const int a = now[k], b = now[pivot[k]];
        now[k] = b, now[pivot[k]] = a;
        place[b] = k, place[a] = pivot[k];
    }
}

/* The pattern of P B in `full`, then that of L U. */
static void fill_pattern(const dal_known_lu *lu, bool *full)
{
    const int n = lu->n;
    for (int r = 0; r < n; r++) {
        memcpy(full + n * r, lu->seen + n * lu->row[r], sizeof *full * (size_t)n);
        full[n * r + r] = true;
    }
    for (int r = 0; r < n; r++)
        for (int k = 0; k < r; k++)
            for (int j = k + 1; j < n && full[n * r + k]; j++)
                full[n * r + j] |= full[n * k + j];
}

/* start, diagonal, column, first. `place` gets the entry of each r, j, -1: none. */
static void list_entries(dal_known_lu *lu, const bool *full, const bool *first, int *place)
{
    const int n = lu->n;
    int count = 0;
    for (int r = 0; r < n; r++) {
        lu->start[r] = count;
        for (int j = 0; j < n; j++) {
            place[n * r + j] = full[n * r + j] ? count : -1;
            if (!full[n * r + j])
                continue;
            if (j == r)
                lu->diagonal[r] = count;
            lu->column[count] = j;
            lu->first[count++] = j < r && first[n * r + j];
        }
    }
    lu->start[n] = count;
}

static bool list_products(dal_known_lu *lu, const int *place)
{
    const int n = lu->n;
    size_t count = 0;
    for (int r = 0; r < n; r++)
        for (int e = lu->start[r]; e < lu->diagonal[r]; e++) {
            const int k = lu->column[e];
            if (count + (size_t)(lu->start[k + 1] - lu->diagonal[k]) > most_products(n))
                return false;
            for (int u = lu->diagonal[k] + 1; u < lu->start[k + 1]; u++)
                lu->target[count++] = place[n * r + lu->column[u]];
        }
    return true;
}

static void list_loads(dal_known_lu *lu, const int *at, const int *place)
{
    const int n = lu->n;
    lu->n_loads = lu->n_zeros = 0;
    for (int r = 0; r < n; r++)
        for (int j = 0; j < n; j++) {
            const int entry = at[n * lu->row[r] + j];
            if (entry < 0)
                continue;
            if (lu->seen[n * lu->row[r] + j]) {
                lu->from[lu->n_loads] = entry;
                lu->to[lu->n_loads++] = place[n * r + j];
            } else
                lu->zero[lu->n_zeros++] = entry;
        }
}

void dal_known_lu_make(dal_known_lu *lu, const double *B, const int *at, const int *pivot)
{
    enum { MOST = DAL_KNOWN_LU_MOST };
    const int n = lu->n;
    bool full[MOST * MOST], first[MOST * MOST];
    int place[MOST * MOST];
    for (int i = 0; i < n * n; i++)
        lu->seen[i] |= at[i] >= 0 && B[at[i]] != 0;
    follow_exchanges(lu, pivot, first);
    fill_pattern(lu, full);
    list_entries(lu, full, first, place);
    lu->known = list_products(lu, place);
    list_loads(lu, at, place);
}

/* ---- numeric -------------------------------------------------------------------------------- */

static bool load_entries(dal_known_lu *lu, const double *restrict B)
{
    double *restrict value = lu->value;
    bool other = false;
    for (int k = 0; k < lu->n_zeros; k++)
        other |= B[lu->zero[k]] != 0;
    memset(value, 0, sizeof *value * (size_t)lu->start[lu->n]);
    for (int k = 0; k < lu->n_loads; k++)
        value[lu->to[k]] = B[lu->from[k]];
    return !other;
}

bool dal_known_lu_factor(dal_known_lu *lu, const double *B)
{
    const int n = lu->n, *target = lu->target, *column = lu->column, *start = lu->start, *diagonal = lu->diagonal;
    double *value = lu->value, *inverse = value + (size_t)n * (size_t)n, least = HUGE_VAL, most = 0;
    if (!lu->known || !load_entries(lu, B))
        return false;
    for (int r = 0; r < n; r++) {
        for (int e = start[r]; e < diagonal[r]; e++) {
            const int k = column[e], u = diagonal[k];
            const double entry = fabs(value[e]), pivot = fabs(value[u]);
            if (!(lu->first[e] ? entry < pivot : entry <= pivot))
                return false;
            const double l = value[e] * inverse[k];
            value[e] = l;
            for (const double *of = value + u + 1, *end = value + start[k + 1]; of < end; of++)
                value[*target++] -= l * *of;
        }
        const double pivot = value[diagonal[r]], size = fabs(pivot);
        if (!(size > 0))
            return false;
        inverse[r] = 1 / pivot;
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    lu->ratio = n ? least / most : 1;
    return lu->ratio > 0;
}

bool dal_known_lu_negative(const dal_known_lu *lu)
{
    bool negative = lu->odd;
    for (int r = 0; r < lu->n; r++)
        negative ^= lu->value[lu->diagonal[r]] < 0;
    return negative;
}

void dal_known_lu_solve(const dal_known_lu *lu, double *restrict x, double *restrict scratch)
{
    const int n = lu->n, *restrict column = lu->column, *restrict start = lu->start, *restrict diagonal = lu->diagonal;
    const double *restrict value = lu->value;
    for (int r = 0; r < n; r++) { /* L^-1 P x */
        double sum = 0;
        for (int e = start[r]; e < diagonal[r]; e++)
            sum += value[e] * scratch[column[e]];
        scratch[r] = x[lu->row[r]] - sum;
    }
    for (int r = n - 1; r >= 0; r--) { /* U^-1 */
        double sum = 0;
        for (int e = diagonal[r] + 1; e < start[r + 1]; e++)
            sum += value[e] * x[column[e]];
        x[r] = (scratch[r] - sum) / value[diagonal[r]];
    }
}

void dal_known_lu_solve_transposed(const dal_known_lu *lu, double *restrict x, double *restrict scratch)
{
    const int n = lu->n, *restrict column = lu->column, *restrict start = lu->start, *restrict diagonal = lu->diagonal;
    const double *restrict value = lu->value;
    for (int r = 0; r < n; r++) { /* U^-T x */
        const double y = x[r] / value[diagonal[r]];
        scratch[r] = y;
        for (int e = diagonal[r] + 1; e < start[r + 1]; e++)
            x[column[e]] -= y * value[e];
    }
    for (int r = n - 1; r >= 0; r--) { /* P^T L^-T */
        const double y = scratch[r];
        x[lu->row[r]] = y;
        for (int e = start[r]; e < diagonal[r]; e++)
            scratch[column[e]] -= y * value[e];
    }
}
