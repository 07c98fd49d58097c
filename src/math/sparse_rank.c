/* Independent rows of a sparse A, in time and memory that grow with the rows as long as they are connected like a chain, a grid of
 * loops, a tree.
 *
 * QR of B = A^T, a column of B (a row of A) at a time, in an order that keeps the fill small. Column k enters a front: the rows of B
 * that begin in it, and what the fronts below left over. One reflection turns the column of the front into R_kk e_1, and
 *     |R_kk| = distance of column k from the span of the columns before it
 * because a reflection changes no lengths. Columns have unit norm: a column with |R_kk| <= tolerance depends on the others. It is dropped, and no row
 * of the front is eliminated (Heath's rule). The remaining rows of the front go to the front of their first other column, reduced by a QR of their
 * own to no more rows than columns, so that fronts stay small.
 *
 * A column that is nearly parallel to those before it makes the span uncertain by eps / |R_kk|, so that columns which depend on it seem independent.
 * Several columns that are slightly parallel have the same effect together. Therefore a column with a small R_kk is deferred: it stays in the front,
 * moves with it to the next one, and is tested again after other columns were accepted. Most dependent columns become zero within a few fronts. The
 * rest is accepted after PATIENCE fronts, or when no other columns remain but late ones.
 *
 * The dense decision takes the largest of all remaining columns as the next one. Here the order is given, so that accepted rows may still depend on
 * each other. They are checked once more (`correct`).
 *
 * The smallest singular value. With K = [G A^T; A 0] and K (x, mu) = (0, b):
 *     mu = -(A G^-1 A^T)^-1 b
 * so that each solution is a step of inverse iteration, and |mu| / |b| approaches 1 / sigma^2 from below. A random b has a part of the
 * order of 1 / sqrt(r) along the vector that is searched. The growths of n steps multiply to |(A G^-1 A^T)^-n b|, at least that part
 * times sigma^-2n, and the last is the largest: sigma is overestimated by a factor of about r^(1/(4 n)) at most, less than 2 for
 * n = 6 and ten million rows. The iteration is repeated from STARTS vectors b, because one b may have nearly no part along it.
 *
 * Sources: Heath, SIAM J. Sci. Stat. Comput. 3 (1982), section 4 (dependent columns); Davis, ACM Trans. Math. Software 38 (2011),
 * algorithm 915 (fronts); Golub and Van Loan, Matrix Computations, 8.2 (inverse iteration).
 */
#include "math/sparse_rank.h"

#include "base/arena.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    PATIENCE = 30, /* fronts to which a column is deferred */
    STARTS = 3,
    STEPS = 6,
    MOST_CORRECTIONS = 100,
    MOST_PAIRS = 20000000,         /* of rows that share a column */
    MOST_VISITS = 20 * MOST_PAIRS, /* the same, each as often as they share one */
    MOST_VALUES = 40000000         /* of what the fronts leave over */
};
static const double SUSPICIOUS = 1e-5; /* singular value below which the rows are checked once more */
static const double SEEN = 1e-6;       /* component of a row along a free motion, above rounding errors */
static const double DOUBTFUL = 1e-3;   /* |R_kk| below which a column is deferred */

/* What a front leaves for another: rows of values in some columns of B. */
typedef struct piece {
    struct piece *next;
    int n_rows, n_columns;
    int *column;   /* their places in the order */
    double *value; /* row by row */
} piece;

typedef struct elimination {
    dal_arena *arena;
    const dal_sparse_matrix *a;
    int *start, *row; /* B by rows: its row j has the entries start[j] ... start[j + 1] */
    double *value;    /* columns at unit norm */
    int *order;       /* the row of A at each place */
    int n_early;      /* places of rows that are not late */
    piece **waiting;  /* for each place */
    int *off;         /* of each place: how often its column was deferred */
    int *seat, *list; /* of a place in the front, -1: not in it; the places in the front */
    double *front;
    size_t room, kept;
} elimination;

/* ---- order ----------------------------------------------------------------------- */

/* Rows of A at unit norm, as columns of B by rows. False: not finite. */
static bool transpose(elimination *e)
{
    const dal_sparse_matrix *a = e->a;
    int *fill = DAL_NEW(e->arena, int, a->m + 1);
    e->start = DAL_NEW(e->arena, int, a->m + 1);
    e->row = DAL_NEW(e->arena, int, a->start[a->r]);
    e->value = DAL_NEW(e->arena, double, a->start[a->r]);
    for (int k = 0; k < a->start[a->r]; k++)
        e->start[a->column[k] + 1]++;
    for (int j = 0; j < a->m; j++)
        fill[j + 1] = e->start[j + 1] += e->start[j];
    for (int i = 0; i < a->r; i++) {
        double largest = 0, sum = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            if (!isfinite(a->value[k]))
                return false;
            largest = fmax(largest, fabs(a->value[k]));
        }
        for (int k = a->start[i]; k < a->start[i + 1] && largest > 0; k++)
            sum += a->value[k] / largest * (a->value[k] / largest);
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            const int at = fill[a->column[k]]++;
            e->row[at] = i;
            e->value[at] = largest > 0 ? a->value[k] / largest / sqrt(sum) : 0;
        }
    }
    return true;
}

static void sort_ascending(int *list, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int value = list[i], j = i;
            for (; j >= gap && list[j - gap] > value; j -= gap)
                list[j] = list[j - gap];
            list[j] = value;
        }
}

/* The rows that share a column with row i, itself first, into `other` unless it is NULL; returns how many. `seen` has no entry i + 1 yet. */
static int list_neighbours(const elimination *e, int i, int *seen, int *other)
{
    const dal_sparse_matrix *a = e->a;
    int n = 0;
    seen[i] = i + 1;
    if (other)
        other[n] = i;
    n++;
    for (int k = a->start[i]; k < a->start[i + 1]; k++)
        for (int p = e->start[a->column[k]]; p < e->start[a->column[k] + 1]; p++)
            if (seen[e->row[p]] != i + 1) {
                seen[e->row[p]] = i + 1;
                if (other)
                    other[n] = e->row[p];
                n++;
            }
    return n;
}

/* The pattern of A A^T: rows that share a column. Counted, then listed. False: there are too many pairs. */
static bool find_neighbours(elimination *e, int **first, int **other)
{
    const dal_sparse_matrix *a = e->a;
    size_t visits = (size_t)a->r, pairs = 0;
    for (int j = 0; j < a->m; j++)
        visits += (size_t)(e->start[j + 1] - e->start[j]) * (size_t)(e->start[j + 1] - e->start[j]);
    if (visits > MOST_VISITS)
        return false;
    int *seen = DAL_NEW(e->arena, int, a->r);
    for (int i = 0; i < a->r; i++)
        pairs += (size_t)list_neighbours(e, i, seen, NULL);
    if (pairs > MOST_PAIRS)
        return false;
    memset(seen, 0, sizeof *seen * (size_t)a->r);
    *first = DAL_NEW(e->arena, int, a->r + 1);
    *other = DAL_NEW(e->arena, int, pairs);
    for (int i = 0; i < a->r; i++) {
        const int at = (*first)[i], n = list_neighbours(e, i, seen, *other + at);
        sort_ascending(*other + at, n);
        (*first)[i + 1] = at + n;
    }
    return true;
}

/* A row of B waits for the first of its columns that is not deferred; there is always one. */
static void enqueue(elimination *e, piece *p)
{
    int least = e->a->r;
    for (int k = 0; k < p->n_columns; k++)
        least = !e->off[p->column[k]] && p->column[k] < least ? p->column[k] : least;
    p->next = e->waiting[least];
    e->waiting[least] = p;
}

static bool find_order(elimination *e, const bool *late)
{
    const dal_sparse_matrix *a = e->a;
    int *first, *other, n = 0, *chosen = DAL_NEW(e->arena, int, a->r), *place = DAL_NEW(e->arena, int, a->r);
    if (!find_neighbours(e, &first, &other) || !dal_sparse_order(a->r, first, other, chosen))
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < a->r; i++)
            if ((late && late[chosen[i]]) == (pass == 1))
                e->order[n++] = chosen[i];
    for (int i = 0; i < a->r; i++) {
        place[e->order[i]] = i;
        e->n_early += !(late && late[i]);
    }
    for (int j = 0; j < a->m; j++) {
        const int count = e->start[j + 1] - e->start[j];
        if (!count)
            continue;
        piece *p = DAL_NEW(e->arena, piece, 1);
        *p = (piece){NULL, 1, count, e->row + e->start[j], e->value + e->start[j]};
        for (int k = 0; k < count; k++)
            p->column[k] = place[p->column[k]];
        enqueue(e, p);
    }
    return true;
}

/* ---- fronts ------------------------------------------------------------------------ */

/* The columns of what waits for place k, k itself first; returns their number, and that of the rows. */
static int gather_columns(elimination *e, int k, int *n_rows)
{
    int n = 0;
    *n_rows = 0;
    e->seat[k] = n;
    e->list[n++] = k;
    for (const piece *p = e->waiting[k]; p; p = p->next) {
        *n_rows += p->n_rows;
        for (int c = 0; c < p->n_columns; c++)
            if (e->seat[p->column[c]] < 0) {
                e->seat[p->column[c]] = n;
                e->list[n++] = p->column[c];
            }
    }
    return n;
}

/* The front, column by column: n_rows x n. */
static bool gather_values(elimination *e, int k, int n_rows, int n)
{
    const size_t size = (size_t)n_rows * (size_t)n;
    if (size > MOST_VALUES)
        return false;
    if (size > e->room) {
        e->room = 2 * size;
        e->front = DAL_NEW(e->arena, double, e->room);
    }
    if (size)
        memset(e->front, 0, sizeof *e->front * size);
    int row = 0;
    for (const piece *p = e->waiting[k]; p; row += p->n_rows, p = p->next)
        for (int i = 0; i < p->n_rows; i++)
            for (int c = 0; c < p->n_columns; c++)
                e->front[(size_t)e->seat[p->column[c]] * (size_t)n_rows + (size_t)(row + i)] = p->value[(size_t)i * (size_t)p->n_columns + (size_t)c];
    return true;
}

/* Reflects x = (x_0, ...) of n numbers into (-+ norm, 0, ...) and the columns behind it along; returns the norm. */
static double reflect(double *x, int n, int ld, int n_columns)
{
    double norm = 0;
    for (int i = 0; i < n; i++)
        norm += x[i] * x[i];
    norm = sqrt(norm);
    if (norm == 0)
        return 0;
    const double alpha = x[0] > 0 ? -norm : norm, head = x[0] - alpha; /* v = x - alpha e_1, v.v = -2 alpha head */
    x[0] = head;
    for (int c = 1; c <= n_columns; c++) {
        double *y = x + (size_t)c * (size_t)ld, sum = 0;
        for (int i = 0; i < n; i++)
            sum += x[i] * y[i];
        sum /= -alpha * head;
        for (int i = 0; i < n; i++)
            y[i] -= sum * x[i];
    }
    x[0] = alpha;
    memset(x + 1, 0, sizeof *x * (size_t)(n - 1));
    return norm;
}

/* ---- elimination ------------------------------------------------------------------------ */

/* The front while it is worked on: columns `done` ... n are left, in rows `used` ... n_rows. */
typedef struct front {
    int n_rows, n, done, used;
} front;

static double *column_at(const elimination *e, const front *f, int c)
{
    return e->front + (size_t)c * (size_t)f->n_rows + f->used;
}

static double norm_of(const elimination *e, const front *f, int c)
{
    const double *x = column_at(e, f, c);
    double sum = 0;
    for (int i = 0; i < f->n_rows - f->used; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Column c becomes the first of those that are left. */
static void bring_forward(elimination *e, front *f, int c)
{
    double *x = e->front + (size_t)c * (size_t)f->n_rows, *y = e->front + (size_t)f->done * (size_t)f->n_rows;
    const int place = e->list[c];
    e->list[c] = e->list[f->done];
    e->list[f->done] = place;
    for (int i = 0; i < f->n_rows; i++) {
        const double value = x[i];
        x[i] = y[i];
        y[i] = value;
    }
}

static void leave_out(elimination *e, front *f, int c, double *pivot)
{
    bring_forward(e, f, c);
    pivot[e->order[e->list[f->done++]]] = 0;
}

static void accept_column(elimination *e, front *f, int c, double *pivot)
{
    bring_forward(e, f, c);
    pivot[e->order[e->list[f->done]]] = reflect(column_at(e, f, f->done), f->n_rows - f->used, f->n_rows, f->n - f->done - 1);
    f->done++;
    f->used++;
}

/* The rest of the front, reduced to no more rows than columns, goes to the front of its first column that is not deferred. */
static bool pass_on(elimination *e, front *f)
{
    int rows = f->n_rows - f->used, columns = f->n - f->done;
    if (rows <= 0 || columns <= 0)
        return true;
    if (rows > columns)
        for (int c = 0; c < columns; c++)
            reflect(column_at(e, f, f->done + c) + c, rows - c, f->n_rows, columns - 1 - c);
    rows = rows > columns ? columns : rows;
    if ((e->kept += (size_t)rows * (size_t)columns) > MOST_VALUES)
        return false;
    piece *p = DAL_NEW(e->arena, piece, 1);
    *p = (piece){NULL, rows, columns, DAL_NEW(e->arena, int, columns), DAL_NEW(e->arena, double, (size_t)rows *(size_t)columns)};
    memcpy(p->column, e->list + f->done, sizeof *p->column * (size_t)columns);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < columns; c++)
            p->value[(size_t)i * (size_t)columns + (size_t)c] = column_at(e, f, f->done + c)[i];
    enqueue(e, p);
    return true;
}

/* Deferred columns: those that became zero are dependent; those that were deferred often enough are accepted. Returns whether only deferred columns
 * remain. */
static bool test_deferred(elimination *e, front *f, double tolerance, double *pivot)
{
    bool only = true;
    for (int c = f->done; c < f->n; c++)
        if (!e->off[e->list[c]])
            only = false;
        else if (norm_of(e, f, c) <= tolerance)
            leave_out(e, f, c, pivot);
        else if (++e->off[e->list[c]] > PATIENCE)
            accept_column(e, f, c, pivot);
    return only;
}

/* Accepts the deferred columns before place `end`, the largest first. */
static void accept_deferred(elimination *e, front *f, int end, double tolerance, double *pivot)
{
    for (;;) {
        int best = -1;
        double largest = -1;
        for (int c = f->done; c < f->n; c++)
            if (e->off[e->list[c]] && e->list[c] < end && norm_of(e, f, c) > largest)
                largest = norm_of(e, f, best = c);
        if (best < 0)
            return;
        if (largest > tolerance)
            accept_column(e, f, best, pivot);
        else
            leave_out(e, f, best, pivot);
    }
}

static int position_of(const elimination *e, const front *f, int place)
{
    int c = f->done;
    while (e->list[c] != place)
        c++;
    return c;
}

static bool eliminate_front(elimination *e, int k, double tolerance, double *pivot)
{
    front f = {0};
    f.n = gather_columns(e, k, &f.n_rows);
    const bool fits = gather_values(e, k, f.n_rows, f.n);
    for (int c = 0; c < f.n; c++)
        e->seat[e->list[c]] = -1;
    if (!fits)
        return false;
    if (k >= e->n_early)
        accept_deferred(e, &f, e->n_early, tolerance, pivot);
    const int at = position_of(e, &f, k);
    const double norm = norm_of(e, &f, at);
    e->off[k] = norm > tolerance && norm <= DOUBTFUL;
    if (norm <= tolerance)
        leave_out(e, &f, at, pivot);
    else if (!e->off[k])
        accept_column(e, &f, at, pivot);
    if (test_deferred(e, &f, tolerance, pivot))
        accept_deferred(e, &f, e->a->r, tolerance, pivot);
    return pass_on(e, &f);
}

/* ---- the smallest singular value ------------------------------------------------------ */

/* Repeatable numbers in [-1, 1): splitmix64. */
static double random_number(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* b := b / |b|; returns |b|. */
static double normalise_vector(double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i] * b[i];
    sum = sqrt(sum);
    for (int i = 0; i < n; i++)
        b[i] /= sum;
    return sum;
}

double dal_sparse_least(dal_sparse *sparse, int m, int r, double *x)
{
    double largest = 0;
    uint64_t seed = 1829;
    for (int start = 0; start < STARTS; start++) {
        for (int i = 0; i < r; i++)
            x[m + i] = random_number(&seed);
        normalise_vector(x + m, r);
        for (int step = 0; step < STEPS; step++) {
            memset(x, 0, sizeof *x * (size_t)m);
            dal_sparse_solve(sparse, x);
            const double growth = normalise_vector(x + m, r);
            if (!(growth < HUGE_VAL))
                return 0;
            largest = fmax(largest, growth);
        }
    }
    return largest > 0 ? 1 / sqrt(largest) : 0;
}

/* ---- correction ---------------------------------------------------------------------------- */

/* Accepted rows may still depend on each other although each is far from the span of those before it. The left singular vector mu of the smallest
 * singular value of the accepted rows shows it: mu comes from inverse iteration, and sigma = |A^T mu| from A itself, exact to rounding. The row with
 * the largest component in mu then depends on the others, up to sigma over that component. SHIFT, which changes no singular vector, keeps the matrix
 * regular. */
static const double SHIFT = 1e-13;

typedef struct saddle {
    int n, *start, *row, *next;
    double *value, *x;
    dal_sparse *sparse;
} saddle;

static void begin_saddle(elimination *e, saddle *s)
{
    const int entries = e->a->start[e->a->r];
    s->n = e->a->m + e->a->r;
    s->next = DAL_NEW(e->arena, int, s->n);
    s->start = DAL_NEW(e->arena, int, s->n + 1);
    s->row = DAL_NEW(e->arena, int, 2 * entries + s->n);
    s->value = DAL_NEW(e->arena, double, 2 * entries + s->n);
    s->x = DAL_NEW(e->arena, double, s->n);
}

/* [1 A^T; A -SHIFT], rows at unit norm; rows that were skipped are those of the unit matrix. */
static void fill_saddle(elimination *e, const double *pivot, saddle *s)
{
    const dal_sparse_matrix *a = e->a;
    const int m = a->m, entries = a->start[a->r];
    int *next = s->next;
    memset(s->start, 0, sizeof *s->start * (size_t)(s->n + 1));
    for (int k = 0; k < entries; k++)
        s->start[a->column[k] + 1]++;
    for (int i = 0; i < a->r; i++)
        s->start[m + i + 1] = a->start[i + 1] - a->start[i];
    for (int j = 0; j < s->n; j++)
        s->start[j + 1] += s->start[j] + 1; /* and the diagonal */
    for (int j = 0; j < m; j++) {
        next[j] = s->start[j];
        s->row[next[j]] = j;
        s->value[next[j]++] = 1;
    }
    for (int i = 0; i < a->r; i++) {
        double sum = 0;
        next[m + i] = s->start[m + i];
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            sum += a->value[k] * a->value[k];
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            s->row[next[a->column[k]]] = m + i;
            s->value[next[a->column[k]]++] = pivot[i] > 0 ? a->value[k] / sqrt(sum) : 0;
        }
    }
    for (int j = 0; j < m; j++) /* the same to the right of the diagonal */
        for (int k = s->start[j] + 1; k < s->start[j + 1]; k++) {
            s->row[next[s->row[k]]] = j;
            s->value[next[s->row[k]]++] = s->value[k];
        }
    for (int i = 0; i < a->r; i++) {
        s->row[next[m + i]] = m + i;
        s->value[next[m + i]] = pivot[i] > 0 ? -SHIFT : 1;
    }
}

/* |A^T mu| of the accepted rows, with mu = x + m at unit norm. */
static double weakness(const dal_sparse_matrix *a, const saddle *s, const double *pivot)
{
    double *mu = s->x + a->m, sum = 0;
    for (int i = 0; i < a->r; i++)
        mu[i] = pivot[i] > 0 ? mu[i] : 0;
    normalise_vector(mu, a->r);
    for (int j = 0; j < a->m; j++) {
        double part = 0;
        for (int k = s->start[j] + 1; k < s->start[j + 1]; k++)
            part += s->value[k] * mu[s->row[k] - a->m];
        sum += part * part;
    }
    return sqrt(sum);
}

/* The row with the largest component in mu; late rows first if they have one. */
static int weakest(const dal_sparse_matrix *a, const double *mu, const bool *late)
{
    int worst = -1;
    for (int pass = late ? 0 : 1; pass < 2 && worst < 0; pass++)
        for (int i = 0; i < a->r; i++)
            if ((pass == 1 || (late[i] && fabs(mu[i]) > 1e-6)) && (worst < 0 || fabs(mu[i]) > fabs(mu[worst])))
                worst = i;
    return worst;
}

/* x := a motion in the null space of the accepted rows, of any size. A skipped row with a component along x is independent of them. Returns the row
 * with the largest component, and its size; -1: there is none. */
static int missed(const dal_sparse_matrix *a, saddle *s, const double *pivot, double *part)
{
    uint64_t seed = 1717;
    int best = -1;
    *part = SEEN;
    for (int j = 0; j < s->n; j++)
        s->x[j] = j < a->m ? random_number(&seed) : 0;
    dal_sparse_solve(s->sparse, s->x);
    normalise_vector(s->x, a->m);
    for (int i = 0; i < a->r; i++) {
        double sum = 0, norm = 0;
        for (int k = a->start[i]; k < a->start[i + 1] && pivot[i] == 0; k++) {
            sum += a->value[k] * s->x[a->column[k]];
            norm += a->value[k] * a->value[k];
        }
        if (norm > 0 && fabs(sum) > *part * sqrt(norm)) {
            *part = fabs(sum) / sqrt(norm);
            best = i;
        }
    }
    return best;
}

/* Exchanges rows until the accepted ones are independent and span all rows. False without memory. */
static bool correct(elimination *e, double tolerance, const bool *late, double *pivot)
{
    const dal_sparse_matrix *a = e->a;
    saddle s = {0};
    begin_saddle(e, &s);
    fill_saddle(e, pivot, &s);
    s.sparse = dal_sparse_create(&e->arena->allocator, s.n, s.start, s.row);
    for (int i = 0; i < MOST_CORRECTIONS && s.sparse && dal_sparse_factor(s.sparse, s.value, true) > 0; i++) {
        double part = 0;
        int row = -1;
        if (dal_sparse_least(s.sparse, a->m, a->r, s.x) < SUSPICIOUS && weakness(a, &s, pivot) <= tolerance)
            row = weakest(a, s.x + a->m, late);
        else
            row = missed(a, &s, pivot, &part);
        if (row < 0)
            break;
        pivot[row] = part;
        fill_saddle(e, pivot, &s);
    }
    const bool fine = s.sparse;
    dal_sparse_free(s.sparse);
    return fine;
}

static int rank_of(elimination *e, double tolerance, const bool *late, double *pivot)
{
    const int r = e->a->r;
    jmp_buf no_memory;
    if (setjmp(no_memory))
        return DAL_RANK_NO_MEMORY;
    e->arena->guard = &no_memory;
    e->order = DAL_NEW(e->arena, int, r);
    e->list = DAL_NEW(e->arena, int, r);
    e->seat = DAL_NEW(e->arena, int, r);
    e->waiting = DAL_NEW(e->arena, piece *, r);
    e->off = DAL_NEW(e->arena, int, r);
    for (int i = 0; i < r; i++)
        e->seat[i] = -1;
    if (!transpose(e))
        return DAL_RANK_NOT_FINITE;
    if (!find_order(e, late))
        return DAL_RANK_TOO_WIDE;
    for (int k = 0; k < r; k++)
        if (!eliminate_front(e, k, tolerance, pivot))
            return DAL_RANK_TOO_WIDE;
    if (!correct(e, tolerance, late, pivot))
        return DAL_RANK_NO_MEMORY;
    int rank = 0;
    for (int i = 0; i < r; i++)
        rank += pivot[i] > 0;
    return rank;
}

int dal_sparse_rank(const dal_allocator *allocator, const dal_sparse_matrix *a, double tolerance, const bool *late, double *pivot)
{
    dal_arena arena;
    dal_arena_begin(&arena, allocator);
    elimination e = {.arena = &arena, .a = a};
    int rank = rank_of(&e, tolerance, late, pivot);
    dal_arena_release(&arena);
    return rank;
}
