/* Linear systems of nodes.
 *
 * Unknowns whose pivot is a number are eliminated, which only adds terms to sums. The rest decomposes into blocks that share no unknown. A block
 * is solved by Cramer's rule up to three unknowns; a larger one stays a system, with names for its unknowns: x is the solution of `matrix x = right`,
 * and no matrix is inverted in symbols. The rate of such an x solves the same matrix, x' from matrix x' = right' - matrix' x.
 */
#include "derive/nodes.h"

#include <math.h>
#include <string.h>

enum { CRAMER = 3 };

typedef struct table {
    dal_derivation *d;
    int n, columns, width; /* width = n + columns */
    dal_node *entry;
    int *pivot_row; /* of each unknown: the row that is solved for it, or -1 */
    bool *used;     /* rows that are */
} table;

static bool is_zero(const table *t, int i, int j)
{
    return dal_n_is(t->d, t->entry[i * t->width + j], 0);
}

/* Number of entries in a row and in a column that are not yet solved. */
static long cost(const table *t, int row, int column)
{
    long in_row = 0, in_column = 0;
    for (int j = 0; j < t->n; j++)
        in_row += t->pivot_row[j] < 0 && !is_zero(t, row, j);
    for (int i = 0; i < t->n; i++)
        in_column += !t->used[i] && !is_zero(t, i, column);
    return (in_row - 1) * (in_column - 1);
}

/* The numeric pivot with the least fill; 1 and -1 first. */
static bool find_pivot(const table *t, int *row, int *column)
{
    long least = -1;
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->n && !t->used[i]; j++) {
            double value;
            if (t->pivot_row[j] >= 0 || !dal_is_const(t->d->graph, t->entry[i * t->width + j], &value) || fabs(value) != 1)
                continue;
            const long price = cost(t, i, j);
            if (least < 0 || price < least) {
                least = price;
                *row = i;
                *column = j;
            }
            if (price == 0)
                return true;
        }
    return least >= 0;
}

/* Divides row `row` by its pivot and subtracts it from every other row that has the unknown. */
static void eliminate_unknown(table *t, int row, int column)
{
    dal_derivation *d = t->d;
    dal_node *pivot = t->entry + row * t->width;
    const bool negative = dal_n_is(d, pivot[column], -1);
    for (int j = 0; j < t->width; j++)
        pivot[j] = negative ? dal_n_neg(d, pivot[j]) : pivot[j];
    t->pivot_row[column] = row;
    t->used[row] = true;
    for (int i = 0; i < t->n; i++) {
        dal_node *other = t->entry + i * t->width;
        const dal_node factor = other[column];
        if (i == row || t->used[i] || dal_n_is(d, factor, 0)) /* solved rows are completed by substitution */
            continue;
        for (int j = 0; j < t->width; j++)
            if (!dal_n_is(d, pivot[j], 0))
                other[j] = dal_n_sub(d, other[j], dal_n_mul(d, factor, pivot[j]));
    }
}

/* ---- the rest ------------------------------------------------------------------------ */

static dal_node determinant(dal_derivation *d, int n, const dal_node *m, int width)
{
    dal_node sum = dal_n_const(d, 0), minor[CRAMER * CRAMER];
    if (n == 1)
        return m[0];
    for (int j = 0; j < n; j++) {
        for (int i = 1; i < n; i++)
            for (int k = 0, c = 0; k < n; k++)
                if (k != j)
                    minor[(i - 1) * (n - 1) + c++] = m[i * width + k];
        const dal_node part = dal_n_mul(d, m[j], determinant(d, n - 1, minor, n - 1));
        sum = j % 2 ? dal_n_sub(d, sum, part) : dal_n_add(d, sum, part);
    }
    return sum;
}

/* Cramer's rule, with the cofactors that all right sides share: x = adjugate b / determinant */
static void cramer(dal_derivation *d, int n, const dal_node *m, const dal_node *b, dal_node *x)
{
    const dal_node whole = determinant(d, n, m, n);
    for (int j = 0; j < n; j++) {
        dal_node sum = dal_n_const(d, 0), minor[CRAMER * CRAMER];
        for (int i = 0; i < n; i++) { /* the minor without row i and column j */
            for (int r = 0, at = 0; r < n; r++)
                for (int c = 0; c < n; c++)
                    if (r != i && c != j)
                        minor[at++] = m[r * n + c];
            const dal_node part = n == 1 ? b[i] : dal_n_mul(d, determinant(d, n - 1, minor, n - 1), b[i]);
            sum = (i + j) % 2 ? dal_n_sub(d, sum, part) : dal_n_add(d, sum, part);
        }
        x[j] = dal_n_div(d, sum, whole);
    }
}

static int add_system(dal_derivation *d, const char *name, int n, const dal_node *matrix, const dal_node *right)
{
    const int first = d->n_letters, number = d->n_systems;
    for (int i = 0; i < n; i++)
        dal_letter_add(d, DAL_ROLE_NAMED, dal_arena_print(d->arena, "%s.%d", name, i + 1), number, 0);
    *DAL_PUSH(d->arena, d->systems, d->n_systems, d->cap_systems) = (dal_named_system){name, n, matrix, right, first};
    return number;
}

static bool all_zero(dal_derivation *d, int n, const dal_node *nodes)
{
    for (int i = 0; i < n; i++)
        if (!dal_n_is(d, nodes[i], 0))
            return false;
    return true;
}

static void solve_rest(dal_derivation *d, const char *name, int n, const dal_node *matrix, const dal_node *right, dal_node *x)
{
    if (all_zero(d, n, right)) {
        memcpy(x, right, sizeof *x * (size_t)n);
        return;
    }
    if (n <= CRAMER && !d->options.whole_systems) {
        cramer(d, n, matrix, right, x);
        return;
    }
    const int system = add_system(d, dal_arena_print(d->arena, "%s%d", name, d->n_systems + 1), n, matrix, right);
    for (int i = 0; i < n; i++)
        x[i] = dal_n_var(d, d->systems[system].first + i);
}

/* ---- everything ------------------------------------------------------------------------ */

static table begin_table(dal_derivation *d, int n, const dal_node *matrix, int columns, const dal_node *right)
{
    table t = {d, n, columns, n + columns, DAL_NEW(d->arena, dal_node, n * (n + columns)), DAL_NEW(d->arena, int, n), DAL_NEW(d->arena, bool, n)};
    for (int i = 0; i < n; i++) {
        memcpy(t.entry + i * t.width, matrix + i * n, sizeof *matrix * (size_t)n);
        memcpy(t.entry + i * t.width + n, right + i * columns, sizeof *right * (size_t)columns);
        t.pivot_row[i] = -1;
    }
    return t;
}

/* Rows and unknowns without a numeric pivot. */
typedef struct rest {
    int n, *row, *column; /* in a block: as many rows as unknowns */
} rest;

static rest begin_rest(const table *t)
{
    rest r = {0, DAL_NEW(t->d->arena, int, t->n), DAL_NEW(t->d->arena, int, t->n)};
    for (int i = 0, m = 0; i < t->n; i++) {
        if (!t->used[i])
            r.row[r.n++] = i;
        if (t->pivot_row[i] < 0)
            r.column[m++] = i;
    }
    return r;
}

static void solve_block(table *t, const char *name, const rest *r, dal_node *X)
{
    dal_derivation *d = t->d;
    const int n = r->n;
    dal_node *block = DAL_NEW(d->arena, dal_node, n * n), *x = DAL_NEW(d->arena, dal_node, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            block[i * n + j] = t->entry[r->row[i] * t->width + r->column[j]];
    for (int c = 0; c < t->columns && n; c++) {
        dal_node *b = DAL_NEW(d->arena, dal_node, n);
        for (int i = 0; i < n; i++)
            b[i] = t->entry[r->row[i] * t->width + t->n + c];
        solve_rest(d, name, n, block, b, x);
        for (int i = 0; i < n; i++)
            X[r->column[i] * t->columns + c] = x[i];
    }
}

/* The number of the block of each row and each unknown of the rest: rows that share an unknown, directly or through others, are in one block. */
static void number_blocks(const table *t, const rest *r, int *of_row, int *of_column)
{
    for (int i = 0; i < r->n; i++) {
        of_row[i] = i;
        of_column[i] = r->n + i;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < r->n; i++)
            for (int j = 0; j < r->n; j++) {
                if (of_row[i] == of_column[j] || is_zero(t, r->row[i], r->column[j]))
                    continue;
                const int least = of_row[i] < of_column[j] ? of_row[i] : of_column[j];
                of_row[i] = of_column[j] = least;
                changed = true;
            }
    }
}

/* Block by block. If a block is not square it is singular: then the whole rest stays one system. */
static void finish_rest(table *t, const char *name, dal_node *X)
{
    const rest all = begin_rest(t);
    int *of_row = DAL_NEW(t->d->arena, int, all.n), *of_column = DAL_NEW(t->d->arena, int, all.n);
    number_blocks(t, &all, of_row, of_column);
    bool square = true;
    for (int pass = 0; pass < 2 && square; pass++)
        for (int k = 0; k < all.n && square; k++) {
            rest r = {0, DAL_NEW(t->d->arena, int, all.n), DAL_NEW(t->d->arena, int, all.n)};
            int m = 0;
            for (int i = 0; i < all.n; i++) {
                if (of_row[i] == k)
                    r.row[r.n++] = all.row[i];
                if (of_column[i] == k)
                    r.column[m++] = all.column[i];
            }
            if (pass)
                solve_block(t, name, &r, X);
            else
                square = m == r.n && of_column[k] < all.n;
        }
    if (!square)
        solve_block(t, name, &all, X);
}

void dal_derive_solve(dal_derivation *d, const char *name, int n, const dal_node *matrix, int columns, const dal_node *right, dal_node *X)
{
    table t = begin_table(d, n, matrix, columns, right);
    int row = 0, column = 0, *order = DAL_NEW(d->arena, int, n), n_order = 0;
    while (find_pivot(&t, &row, &column)) {
        eliminate_unknown(&t, row, column);
        order[n_order++] = column;
    }
    finish_rest(&t, name, X);
    for (int k = n_order - 1; k >= 0; k--) { /* in reverse order: every other unknown of the row is known */
        const dal_node *solved = t.entry + t.pivot_row[order[k]] * t.width;
        for (int c = 0; c < columns; c++) {
            dal_node x = solved[n + c];
            for (int j = 0; j < n; j++)
                if (j != order[k] && !dal_n_is(d, solved[j], 0))
                    x = dal_n_sub(d, x, dal_n_mul(d, solved[j], X[j * columns + c]));
            X[order[k] * columns + c] = x;
        }
    }
}

static int find_rate(const dal_derivation *d, int of)
{
    for (int i = 0; i < d->n_rates; i++)
        if (d->rates[i].of == of && d->rates[i].direction == d->direction)
            return d->rates[i].system;
    return -1;
}

/* matrix x' = right' - matrix' x */
static int add_rate(dal_derivation *d, int of)
{
    const dal_named_system s = d->systems[of];
    dal_node *right = DAL_NEW(d->arena, dal_node, s.n);
    for (int i = 0; i < s.n; i++) {
        right[i] = dal_along(d, s.right[i]);
        for (int j = 0; j < s.n; j++)
            right[i] = dal_n_sub(d, right[i], dal_n_mul(d, dal_along(d, s.matrix[i * s.n + j]), dal_n_var(d, s.first + j)));
    }
    const char *name = d->direction == DAL_ALONG_MOTION ? dal_arena_print(d->arena, "%s.rate", s.name)
                                                        : dal_arena_print(d->arena, "%s.along%d", s.name, d->direction + 1);
    const int system = add_system(d, name, s.n, s.matrix, right);
    *DAL_PUSH(d->arena, d->rates, d->n_rates, d->cap_rates) = (dal_named_rate){of, d->direction, system};
    return system;
}

dal_node dal_rate_of_named(dal_derivation *d, int letter)
{
    const int of = d->letters[letter].index, known = find_rate(d, of);
    const int system = known >= 0 ? known : add_rate(d, of);
    return dal_n_var(d, d->systems[system].first + letter - d->systems[of].first);
}

/* ---- values ------------------------------------------------------------------------------ */

/* Gauss with row pivots. */
static bool solve_numbers(int n, double *m, double *b)
{
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            best = fabs(m[i * n + c]) > fabs(m[best * n + c]) ? i : best;
        if (!(fabs(m[best * n + c]) > 0))
            return false;
        for (int j = 0; j < n && best != c; j++) {
            const double swap = m[c * n + j];
            m[c * n + j] = m[best * n + j];
            m[best * n + j] = swap;
        }
        const double swap = b[c];
        b[c] = b[best];
        b[best] = swap;
        for (int i = c + 1; i < n; i++) {
            const double factor = m[i * n + c] / m[c * n + c];
            for (int j = c; j < n && factor != 0; j++)
                m[i * n + j] -= factor * m[c * n + j];
            b[i] -= factor * b[c];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= m[i * n + j] * b[j];
        b[i] /= m[i * n + i];
    }
    return true;
}

static bool run(dal_derivation *d, const double *letters, int n, const dal_node *nodes, double *values)
{
    if (!n)
        return true;
    dal_program *program = dal_program_build(d->arena, d->graph, d->n_letters, n, nodes);
    double *registers = DAL_NEW(d->arena, double, dal_program_registers(program));
    return dal_program_run(program, letters, NULL, registers, values) == 0;
}

bool dal_derivation_evaluate(dal_derivation *d, double *letters, int n, const dal_node *nodes, double *values)
{
    for (int s = 0; s < d->n_systems; s++) {
        const dal_named_system *system = &d->systems[s];
        double *m = DAL_NEW(d->arena, double, system->n * system->n), *b = letters + system->first;
        if (!run(d, letters, system->n * system->n, system->matrix, m) || !run(d, letters, system->n, system->right, b) ||
            !solve_numbers(system->n, m, b))
            return false;
    }
    return run(d, letters, n, nodes, values);
}
