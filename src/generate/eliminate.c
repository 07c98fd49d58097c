/* Linear systems as straight-line code. The order of elimination is chosen here, once: entries that are zero by structure need no operation.
 *
 *   symmetric   L D L^T, the unknown with the fewest entries first. In a saddle system an unknown of a later class waits until no unknown of an
 *               earlier class shares an entry with it: then its pivot is -a M^-1 a^T on a part of the system, which is negative while rows are
 *               independent. This is right at all positions, and loses digits where something light connects heavy things (below): there the
 *               solution is corrected
 *   otherwise   L U, the entry that makes the least fill among those that are large in their column at the reference
 *
 * Each pivot has a guard: against its value before elimination changed it, or against the other entries of its column.
 */
#include "generate/listing.h"

#include "math/chance.h"

#include <math.h>
#include <string.h>

#define SYMMETRIC_SHARE 1e-11 /* L D L^T of definite matrices is stable: a small pivot says that rows nearly depend on one another */
#define GENERAL_SHARE 1e-4    /* L U loses as many digits as a pivot is smaller than its column */
#define NEAR_SHARE 1e-3       /* of what a pivot is at the reference, in a run */
#define LARGE 0.25            /* of the largest in its column, at the reference */
#define LOST 1e-13            /* of the largest acceleration: an error of L D L^T that is corrected */
#define CORRECTED 0.1         /* of it, at most, is left by one correction */
#define BESIDE 0.3            /* of the largest coordinate: how far from the reference the error is measured */

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

/* x of L D L^T x = b, of which L^T x = D^-1 L^-1 b is left. */
static void substitute_back(const symmetric *s, const int *order, const dal_node *b, dal_node *x)
{
    for (int k = s->n - 1; k >= 0; k--) {
        const int p = order[k];
        dal_node rest = b[p];
        for (int l = k + 1; l < s->n; l++) /* the row of a pivot is not changed after it was taken */
            rest = dal_c_sub(s->c, rest, dal_c_mul(s->c, s->m[p * s->n + order[l]], x[order[l]]));
        x[p] = dal_c_mul(s->c, rest, s->inverse[p]);
    }
}

/* x + dx, K dx = b - K x, by the factors that exist. In exact numbers the residual is zero, and so it would be in the code: it is taken of x as it was
 * computed. */
static void correct(const symmetric *s, const int *order, const dal_node *matrix, const dal_node *right, dal_node *x)
{
    dal_listing *c = s->c;
    const int n = s->n;
    dal_node *rest = DAL_NEW(c->arena, dal_node, n), *dx = DAL_NEW(c->arena, dal_node, n);
    for (int i = 0; i < n; i++)
        x[i] = dal_unary(c->graph, DAL_OP_COPY, x[i]);
    for (int i = 0; i < n; i++) {
        rest[i] = right[i];
        for (int j = 0; j < n; j++)
            rest[i] = dal_c_sub(c, rest[i], dal_c_mul(c, matrix[i * n + j], x[j]));
    }
    for (int k = 0; k < n; k++)
        for (int l = k + 1; l < n; l++) {
            const int p = order[k], i = order[l];
            const dal_node factor = dal_c_mul(c, s->m[p * n + i], s->inverse[p]);
            rest[i] = dal_c_sub(c, rest[i], dal_c_mul(c, factor, rest[p]));
        }
    substitute_back(s, order, rest, dx);
    for (int i = 0; i < n; i++)
        x[i] = dal_c_add(c, x[i], dx[i]);
}

/* ---- the error of L D L^T -----------------------------------------------------------------
 *
 * M is eliminated before the rows, which gives A M^-1 A^T. Where a light coordinate connects two heavy ones, by a row to each, that is
 *
 *     1/m_heavy + 1/m_light     -1/m_light
 *     -1/m_light                1/m_light + 1/m_heavy
 *
 * and what determines the motion, 1/m_heavy, has lost m_heavy / m_light of its digits: the direction cosines of a thin rod in `natural`, whose moments
 * are 5e-6 and 0.5. The system itself is not to blame: its solution changes as little as its numbers do. One correction restores it. The loss is
 * measured, at the reference and beside it, because a rod along an axis of the world has zeros there that it has nowhere else. A position at which one
 * correction changes nothing is singular, or nearly. */

typedef struct trial {
    int n;
    const int *order, *later;
    double *m, *b;         /* the matrix; the right side */
    double *u, *left;      /* factors; scratch */
    double *x, *dx, *rest; /* of one solution */
    long double *exact;
} trial;

static void factor_trial(const trial *t)
{
    const int n = t->n;
    memcpy(t->u, t->m, sizeof *t->u * (size_t)(n * n));
    for (int k = 0; k < n; k++)
        for (int l = k + 1; l < n; l++) {
            const int p = t->order[k], i = t->order[l];
            const double factor = t->u[p * n + i] / t->u[p * n + p];
            for (int j = l; j < n && factor != 0; j++) {
                const int at = t->order[j];
                t->u[i * n + at] = t->u[at * n + i] = t->u[i * n + at] - factor * t->u[p * n + at];
            }
        }
}

static void solve_trial(const trial *t, const double *b, double *x)
{
    const int n = t->n;
    memcpy(t->left, b, sizeof *b * (size_t)n);
    for (int k = 0; k < n; k++)
        for (int l = k + 1; l < n; l++) {
            const int p = t->order[k], i = t->order[l];
            t->left[i] -= t->u[p * n + i] / t->u[p * n + p] * t->left[p];
        }
    for (int k = n - 1; k >= 0; k--) {
        const int p = t->order[k];
        double rest = t->left[p];
        for (int l = k + 1; l < n; l++)
            rest -= t->u[p * n + t->order[l]] * x[t->order[l]];
        x[p] = rest / t->u[p * n + p];
    }
}

/* The true solution, by corrections with a long residual. */
static void solve_exactly(const trial *t)
{
    enum { CORRECTIONS = 4 };
    const int n = t->n;
    for (int i = 0; i < n; i++)
        t->exact[i] = t->x[i];
    for (int pass = 0; pass < CORRECTIONS; pass++) {
        for (int i = 0; i < n; i++) {
            long double sum = t->b[i];
            for (int j = 0; j < n; j++)
                sum -= (long double)t->m[i * n + j] * t->exact[j];
            t->rest[i] = (double)sum;
        }
        solve_trial(t, t->rest, t->dx);
        for (int i = 0; i < n; i++)
            t->exact[i] += t->dx[i];
    }
}

/* Of the accelerations, over the largest of them. */
static double error_of_trial(const trial *t)
{
    double worst = 0, most = 0;
    for (int i = 0; i < t->n; i++)
        if (!t->later[i]) {
            worst = fmax(worst, fabs((double)(t->x[i] - t->exact[i])));
            most = fmax(most, fabs((double)t->exact[i]));
        }
    return most > 0 ? worst / most : 0;
}

/* For this right side: is the solution wrong, and does one correction repair it? */
static bool is_corrected(const trial *t)
{
    const int n = t->n;
    solve_trial(t, t->b, t->x);
    solve_exactly(t);
    const double before = error_of_trial(t);
    if (!(before > LOST))
        return false;
    for (int i = 0; i < n; i++) {
        t->rest[i] = t->b[i];
        for (int j = 0; j < n; j++)
            t->rest[i] -= t->m[i * n + j] * t->x[j];
    }
    solve_trial(t, t->rest, t->dx);
    for (int i = 0; i < n; i++)
        t->x[i] += t->dx[i];
    return error_of_trial(t) < CORRECTED * before;
}

/* (M y, A z): bodies that alone would have accelerations y, and rows that ask for those of z, both random. Multipliers carry forces then. */
static void find_right_side(const trial *t, uint64_t *seed)
{
    memset(t->b, 0, sizeof *t->b * (size_t)t->n);
    for (int j = 0; j < t->n; j++) {
        const double y = dal_chance(seed), z = dal_chance(seed);
        for (int i = 0; i < t->n && !t->later[j]; i++)
            t->b[i] += t->m[i * t->n + j] * (t->later[i] ? z : y);
    }
}

static bool loses_digits(dal_listing *c, int n, const int *order, const int *later, const dal_node *matrix)
{
    enum { PLACES = 4 };
    const int n_x = c->first[DAL_ARRAY_COUNT], q = c->first[DAL_ARRAY_Q], n_q = c->first[DAL_ARRAY_Q + 1] - q;
    double *numbers = DAL_NEW(c->arena, double, 2 * n * n + 5 * n), *x = DAL_NEW(c->arena, double, n_x + 1), *at = numbers + 2 * n * n, most = 0;
    const trial t = {n, order, later, numbers, at, numbers + n * n, at + n, at + 2 * n, at + 3 * n, at + 4 * n, DAL_NEW(c->arena, long double, n)};
    dal_program *program = dal_program_build(c->arena, c->graph, n_x, n * n, matrix);
    double *registers = DAL_NEW(c->arena, double, dal_program_registers(program));
    uint64_t seed = 31;
    bool loses = false;
    for (int k = 0; k < n_q; k++)
        most = fmax(most, fabs(c->reference[q + k]));
    for (int place = 0; place < PLACES && !loses; place++) {
        memcpy(x, c->reference, sizeof *x * (size_t)n_x);
        for (int k = 0; k < n_q && place; k++)
            x[q + k] += BESIDE * most * dal_chance(&seed);
        if (dal_program_run(program, x, NULL, registers, t.m))
            continue;
        factor_trial(&t);
        find_right_side(&t, &seed);
        loses = is_corrected(&t);
    }
    return loses;
}

static bool has_rows(int n, const int *later)
{
    for (int i = 0; i < n && later; i++)
        if (later[i])
            return true;
    return false;
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
    substitute_back(&s, order, s.b, x);
    if (has_rows(n, later) && loses_digits(c, n, order, later, matrix))
        correct(&s, order, matrix, right, x);
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
