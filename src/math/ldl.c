/* LDL^T on a known pattern: right-looking, column by column.
 *
 *     d_k = a_kk,   l_ik = a_ik / d_k,   a_ij -= l_jk a_ik   (i >= j > k)
 *
 * Symbolic phase: the least degree first (W. Tinney, J. Walker, 1967), within each group; eliminating k joins all of its neighbours. Eliminating the
 * groups in order causes no extra fill: an unknown of the second group without remaining neighbours in the first has the same row whenever it is
 * eliminated.
 */
#include "math/ldl.h"

#include <math.h>
#include <string.h>

/* ---- symbolic ------------------------------------------------------------------------------- */

typedef struct graph {
    int n;
    bool *joined; /* n x n, symmetric */
    bool *gone;
} graph;

static int degree_of(const graph *g, int a)
{
    int degree = 0;
    for (int b = 0; b < g->n; b++)
        degree += g->joined[g->n * a + b] && !g->gone[b];
    return degree;
}

static int least_degree(const graph *g, int first, int end)
{
    int best = -1, least = 0;
    for (int a = first; a < end; a++) {
        if (g->gone[a])
            continue;
        const int degree = degree_of(g, a);
        if (best < 0 || degree < least) {
            best = a;
            least = degree;
        }
    }
    return best;
}

static void eliminate_node(const graph *g, int a)
{
    const int n = g->n;
    g->gone[a] = true;
    for (int b = 0; b < n; b++)
        for (int c = 0; c < b && g->joined[n * a + b] && !g->gone[b]; c++)
            if (g->joined[n * a + c] && !g->gone[c])
                g->joined[n * b + c] = g->joined[n * c + b] = true;
}

static void find_order(const graph *g, int n_first, int *order)
{
    for (int k = 0; k < g->n; k++) {
        order[k] = k < n_first ? least_degree(g, 0, n_first) : least_degree(g, n_first, g->n);
        eliminate_node(g, order[k]);
    }
}

/* g->joined now has the fill. */
static void list_entries(dal_arena *arena, const graph *g, dal_ldl *out)
{
    const int n = g->n;
    out->start = DAL_NEW(arena, int, n + 1);
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int k = 0; k < n; k++) {
            out->start[k] = count;
            for (int i = k + 1; i < n; i++)
                if (g->joined[n * out->order[k] + out->order[i]]) {
                    if (pass) {
                        out->row[count] = i;
                        out->column[count] = k;
                    }
                    count++;
                }
        }
        out->start[n] = out->n_entries = count;
        if (!pass) {
            out->row = DAL_NEW(arena, int, count);
            out->column = DAL_NEW(arena, int, count);
        }
    }
}

static int entry_at(const dal_ldl *ldl, int row, int column)
{
    for (int k = ldl->start[column]; k < ldl->start[column + 1]; k++)
        if (ldl->row[k] == row)
            return k;
    return -1;
}

static void list_targets(dal_arena *arena, dal_ldl *out)
{
    int count = 0;
    for (int k = 0; k < out->n; k++) {
        const int n = out->start[k + 1] - out->start[k];
        count += n * (n - 1) / 2;
    }
    out->n_products = count;
    out->target = DAL_NEW(arena, int, count);
    count = 0;
    for (int k = 0; k < out->n; k++)
        for (int j = out->start[k]; j < out->start[k + 1]; j++)
            for (int i = j + 1; i < out->start[k + 1]; i++)
                out->target[count++] = entry_at(out, out->row[i], out->row[j]);
}

void dal_ldl_build(dal_arena *arena, int n, int n_first, const bool *pattern, dal_ldl *out)
{
    const size_t size = (size_t)n;
    graph g = {n, DAL_NEW(arena, bool, size *size), DAL_NEW(arena, bool, size)};
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++)
            g.joined[n * a + b] = g.joined[n * b + a] = pattern[n * a + b];
    *out = (dal_ldl){.n = n, .n_first = n_first, .order = DAL_NEW(arena, int, n)};
    find_order(&g, n_first, out->order);
    list_entries(arena, &g, out);
    list_targets(arena, out);
}

int dal_ldl_entry(const dal_ldl *ldl, const int *place, int a, int b)
{
    return place[a] > place[b] ? entry_at(ldl, place[a], place[b]) : entry_at(ldl, place[b], place[a]);
}

void dal_ldl_pack(dal_block *block, const dal_ldl *from, dal_ldl *to)
{
    *to = *from;
    DAL_PACK(block, to->order, from->n);
    DAL_PACK(block, to->start, from->n + 1);
    DAL_PACK(block, to->column, from->n_entries);
    DAL_PACK(block, to->row, from->n_entries);
    DAL_PACK(block, to->target, from->n_products);
}

/* ---- numeric -------------------------------------------------------------------------------- */

/* One column with n entries: l, row and target at its first ones. Called with constants it is unrolled. */
static inline void eliminate_column(int n, double inverse, double *restrict d, double *restrict all, double *restrict l, const int *restrict row,
                                    const int *restrict target)
{
    for (int j = 0; j < n; j++) {
        const double a = l[j], scaled = a * inverse;
        d[row[j]] -= scaled * a;
        for (int i = j + 1; i < n; i++)
            all[*target++] -= scaled * l[i];
        l[j] = scaled;
    }
}

static inline int eliminate_any(int n, double inverse, double *d, double *all, double *l, const int *row, const int *target)
{
    switch (n) {
    case 0: break;
    case 1: eliminate_column(1, inverse, d, all, l, row, target); break;
    case 2: eliminate_column(2, inverse, d, all, l, row, target); break;
    case 3: eliminate_column(3, inverse, d, all, l, row, target); break;
    case 4: eliminate_column(4, inverse, d, all, l, row, target); break;
    default: eliminate_column(n, inverse, d, all, l, row, target); break;
    }
    return n * (n - 1) / 2;
}

double dal_ldl_factor(const dal_ldl *ldl, double *d, double *l, double *before, const double *full, double least)
{
    const int *target = ldl->target, *row = ldl->row, *start = ldl->start;
    const int size = ldl->n, n_first = ldl->n_first;
    double worst = 1;
    for (int k = 0; k < n_first; k++)
        before[k] = d[k];
    for (int k = 0; k < size; k++) {
        if (k == n_first)
            for (int i = k; i < size; i++)
                before[i] = !full || d[i] > 0 || d[i] < -full[i - k] ? d[i] : -full[i - k];
        const double pivot = d[k], ratio = pivot / before[k];
        if (!(ratio > least))
            return ratio;
        worst = ratio < worst ? ratio : worst;
        d[k] = 1 / pivot;
        target += eliminate_any(start[k + 1] - start[k], d[k], d, l, l + start[k], row + start[k], target);
    }
    return worst;
}

/* One loop over all entries of L, forward, then of L^T: columns are short, and a loop for each would be most of the work. */
void dal_ldl_solve(const dal_ldl *ldl, const double *restrict d, const double *restrict l, double *restrict x)
{
    const int *restrict row = ldl->row, *restrict column = ldl->column;
    const int n = ldl->n, entries = ldl->n_entries;
    for (int j = 0; j < entries; j++)
        x[row[j]] -= l[j] * x[column[j]];
    for (int k = 0; k < n; k++)
        x[k] *= d[k];
    for (int j = entries - 1; j >= 0; j--)
        x[column[j]] -= l[j] * x[row[j]];
}

void dal_ldl_solve_first(const dal_ldl *ldl, const double *restrict d, const double *restrict l, double *restrict x)
{
    const int *restrict row = ldl->row, *restrict column = ldl->column;
    const int n = ldl->n_first, entries = ldl->start[n];
    for (int j = 0; j < entries; j++)
        if (row[j] < n)
            x[row[j]] -= l[j] * x[column[j]];
    for (int k = 0; k < n; k++)
        x[k] *= d[k];
    for (int j = entries - 1; j >= 0; j--)
        if (row[j] < n)
            x[column[j]] -= l[j] * x[row[j]];
}
