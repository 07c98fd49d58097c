/* Linear systems as straight-line code. The order of elimination is chosen here, once: entries that are zero by structure need no operation.
 *
 *   symmetric   L D L^T, the unknown with the fewest entries first. In a saddle system an unknown of a later class waits until no unknown of an
 *               earlier class shares an entry with it: then its pivot is -a M^-1 a^T on a part of the system, which is negative while rows are independent
 *   otherwise   L U, the entry that makes the least fill among those that are large in their column at the reference
 *
 * Each pivot has a guard: against its value before elimination changed it, or against the other entries of its column.
 */
#include "generate/listing.h"

#include <math.h>
#include <string.h>

#define SYMMETRIC_SHARE 1e-11 /* L D L^T of definite matrices is stable: a small pivot says that rows nearly depend on one another */
#define GENERAL_SHARE 1e-4    /* L U loses as many digits as a pivot is smaller than its column */
#define NEAR_SHARE 1e-3       /* of what a pivot is at the reference, in a run */
#define LARGE 0.25            /* of the largest in its column, at the reference */

void dal_listing_values(dal_listing *code, int n, const dal_node *nodes, double *values)
{
    dal_program *program = dal_program_build(code->arena, code->graph, code->first[DAL_ARRAY_COUNT], n, nodes);
    double *registers = DAL_NEW(code->arena, double, dal_program_registers(program));
    if (n && dal_program_run(program, code->reference, NULL, registers, values))
        for (int i = 0; i < n; i++)
            values[i] = NAN;
}

/* In a run the engine takes over where rows come near to depending on one another: pivots fall with the square of the distance to such a position,
 * and dynamics/singular.c begins to take care at 3 % of the usual distance. */
static double share_of_run(dal_listing *c, dal_node pivot, dal_node size, double share)
{
    const dal_node pair[2] = {pivot, size};
    double value[2];
    dal_listing_values(c, 2, pair, value);
    const double ratio = fabs(value[0] / value[1]);
    return isfinite(ratio) ? fmax(share, NEAR_SHARE * fmin(ratio, 1)) : share;
}

static void add_guard(dal_listing *c, dal_node pivot, dal_node size, double share)
{
    if (pivot == size || dal_is_const(c->graph, pivot, NULL) || size == DAL_NO_NODE)
        return;
    if (c->options->rates)
        share = share_of_run(c, pivot, size, share);
    *DAL_PUSH(c->arena, c->guards, c->n_guards, c->cap_guards) = (dal_guard_pair){pivot, size, share};
}

/* ---- L D L^T --------------------------------------------------------------------------- */

typedef struct symmetric {
    dal_listing *c;
    int n;
    dal_node *m, *b, *size; /* size: the first entry of each diagonal that is not zero */
    dal_node *inverse;
    const int *later;
    bool *done;
} symmetric;

static bool may_go(const symmetric *s, int i)
{
    if (s->done[i] || dal_c_is_zero(s->c, s->m[i * s->n + i]))
        return false;
    for (int j = 0; j < s->n && s->later; j++)
        if (!s->done[j] && s->later[j] < s->later[i] && !dal_c_is_zero(s->c, s->m[i * s->n + j]))
            return false;
    return true;
}

static int next_pivot(const symmetric *s)
{
    int best = -1, least = s->n + 1;
    for (int i = 0; i < s->n; i++) {
        int entries = 0;
        if (!may_go(s, i))
            continue;
        for (int j = 0; j < s->n; j++)
            entries += !s->done[j] && !dal_c_is_zero(s->c, s->m[i * s->n + j]);
        if (entries < least) {
            least = entries;
            best = i;
        }
    }
    return best;
}

static void eliminate_pivot(symmetric *s, int p)
{
    dal_listing *c = s->c;
    const int n = s->n;
    dal_node *row = s->m + p * n;
    add_guard(c, row[p], s->size[p], SYMMETRIC_SHARE);
    s->inverse[p] = dal_binary(c->graph, DAL_OP_DIV, dal_const(c->graph, 1), row[p]);
    s->done[p] = true;
    for (int i = 0; i < n; i++) {
        if (s->done[i] || dal_c_is_zero(c, row[i]))
            continue;
        const dal_node factor = dal_c_mul(c, row[i], s->inverse[p]);
        for (int j = i; j < n; j++) {
            if (s->done[j] || dal_c_is_zero(c, row[j]))
                continue;
            s->m[i * n + j] = s->m[j * n + i] = dal_c_sub(c, s->m[i * n + j], dal_c_mul(c, factor, row[j]));
        }
        if (s->size[i] == DAL_NO_NODE)
            s->size[i] = s->m[i * n + i];
        s->b[i] = dal_c_sub(c, s->b[i], dal_c_mul(c, factor, s->b[p]));
    }
}

static bool solve_symmetric(dal_listing *c, int n, const dal_node *matrix, const dal_node *right, const int *later, dal_node *x)
{
    symmetric s = {c,
                   n,
                   DAL_NEW(c->arena, dal_node, n * n),
                   DAL_NEW(c->arena, dal_node, n),
                   DAL_NEW(c->arena, dal_node, n),
                   DAL_NEW(c->arena, dal_node, n),
                   later,
                   DAL_NEW(c->arena, bool, n)};
    int *order = DAL_NEW(c->arena, int, n);
    const int guards = c->n_guards;
    memcpy(s.m, matrix, sizeof *s.m * (size_t)(n * n));
    memcpy(s.b, right, sizeof *s.b * (size_t)n);
    for (int i = 0; i < n; i++)
        s.size[i] = dal_c_is_zero(c, s.m[i * n + i]) ? DAL_NO_NODE : s.m[i * n + i];
    for (int k = 0; k < n; k++) {
        order[k] = next_pivot(&s);
        if (order[k] < 0) {
            c->n_guards = guards;
            return false;
        }
        eliminate_pivot(&s, order[k]);
    }
    for (int k = n - 1; k >= 0; k--) {
        const int p = order[k];
        dal_node rest = s.b[p];
        for (int l = k + 1; l < n; l++) /* the row of a pivot is not changed after it was taken */
            rest = dal_c_sub(c, rest, dal_c_mul(c, s.m[p * n + order[l]], x[order[l]]));
        x[p] = dal_c_mul(c, rest, s.inverse[p]);
    }
    return true;
}

/* ---- L U ----------------------------------------------------------------------------------- */

typedef struct general {
    dal_listing *c;
    int n;
    dal_node *m, *b;
    double *value; /* of m, at the reference */
    bool *row_done, *column_done;
} general;

static long count_fill(const general *g, int row, int column)
{
    long in_row = 0, in_column = 0;
    for (int k = 0; k < g->n; k++) {
        in_row += !g->column_done[k] && !dal_c_is_zero(g->c, g->m[row * g->n + k]);
        in_column += !g->row_done[k] && !dal_c_is_zero(g->c, g->m[k * g->n + column]);
    }
    return (in_row - 1) * (in_column - 1);
}

static double largest_in_column(const general *g, int column)
{
    double most = 0;
    for (int i = 0; i < g->n; i++)
        most = g->row_done[i] ? most : fmax(most, fabs(g->value[i * g->n + column]));
    return most;
}

static bool find_entry(const general *g, int *row, int *column)
{
    long least = -1;
    for (int j = 0; j < g->n; j++) {
        const double most = g->column_done[j] ? 0 : largest_in_column(g, j);
        for (int i = 0; i < g->n && !g->column_done[j]; i++) {
            if (g->row_done[i] || dal_c_is_zero(g->c, g->m[i * g->n + j]) || (most > 0 && fabs(g->value[i * g->n + j]) < LARGE * most))
                continue;
            const long price = count_fill(g, i, j);
            if (least < 0 || price < least) {
                least = price;
                *row = i;
                *column = j;
            }
        }
    }
    return least >= 0;
}

static void eliminate_entry(general *g, int row, int column)
{
    dal_listing *c = g->c;
    const int n = g->n;
    const dal_node *pivot = g->m + row * n;
    const dal_node inverse = dal_binary(c->graph, DAL_OP_DIV, dal_const(c->graph, 1), pivot[column]);
    g->row_done[row] = g->column_done[column] = true;
    for (int i = 0; i < n; i++) {
        if (g->row_done[i] || dal_c_is_zero(c, g->m[i * n + column]))
            continue;
        const dal_node factor = dal_c_mul(c, g->m[i * n + column], inverse);
        const double share = g->value[i * n + column] / g->value[row * n + column];
        add_guard(c, pivot[column], g->m[i * n + column], GENERAL_SHARE);
        for (int j = 0; j < n; j++) {
            if (g->column_done[j] || dal_c_is_zero(c, pivot[j]))
                continue;
            g->m[i * n + j] = dal_c_sub(c, g->m[i * n + j], dal_c_mul(c, factor, pivot[j]));
            g->value[i * n + j] -= share * g->value[row * n + j];
        }
        g->b[i] = dal_c_sub(c, g->b[i], dal_c_mul(c, factor, g->b[row]));
    }
}

static void solve_general(dal_listing *c, int n, const dal_node *matrix, const dal_node *right, dal_node *x)
{
    general g = {c,
                 n,
                 DAL_NEW(c->arena, dal_node, n * n),
                 DAL_NEW(c->arena, dal_node, n),
                 DAL_NEW(c->arena, double, n *n),
                 DAL_NEW(c->arena, bool, n),
                 DAL_NEW(c->arena, bool, n)};
    int *row = DAL_NEW(c->arena, int, n), *column = DAL_NEW(c->arena, int, n), k = 0;
    memcpy(g.m, matrix, sizeof *g.m * (size_t)(n * n));
    memcpy(g.b, right, sizeof *g.b * (size_t)n);
    dal_listing_values(c, n * n, matrix, g.value);
    while (k < n && find_entry(&g, &row[k], &column[k])) {
        eliminate_entry(&g, row[k], column[k]);
        k++;
    }
    for (int i = 0; i < n; i++) /* singular by structure: NaN */
        x[i] = dal_binary(c->graph, DAL_OP_DIV, dal_const(c->graph, 1), dal_const(c->graph, 0));
    for (int i = k - 1; i >= 0 && k == n; i--) {
        const dal_node *pivot = g.m + row[i] * n;
        dal_node rest = g.b[row[i]];
        for (int l = i + 1; l < n; l++)
            rest = dal_c_sub(c, rest, dal_c_mul(c, pivot[column[l]], x[column[l]]));
        x[column[i]] = dal_binary(c->graph, DAL_OP_MUL, rest, dal_binary(c->graph, DAL_OP_DIV, dal_const(c->graph, 1), pivot[column[i]]));
    }
}

/* ---- either ----------------------------------------------------------------------------------- */

static bool is_symmetric(int n, const dal_node *m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (m[i * n + j] != m[j * n + i])
                return false;
    return true;
}

/* Definite at the reference, of either sign: all pivots of a symmetric elimination keep it. */
static bool is_definite(dal_listing *c, int n, const dal_node *matrix)
{
    double *m = DAL_NEW(c->arena, double, n *n);
    dal_listing_values(c, n * n, matrix, m);
    const double sign = m[0] < 0 ? -1 : 1;
    for (int k = 0; k < n; k++) {
        if (!(sign * m[k * n + k] > 0))
            return false;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                m[i * n + j] -= m[i * n + k] * m[k * n + j] / m[k * n + k];
    }
    return true;
}

void dal_eliminate(dal_listing *code, int n, const dal_node *matrix, const dal_node *right, const int *later, dal_node *x)
{
    if (is_symmetric(n, matrix) && (later || is_definite(code, n, matrix)) && solve_symmetric(code, n, matrix, right, later, x))
        return;
    solve_general(code, n, matrix, right, x);
}
