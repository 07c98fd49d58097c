/* Interpolation tables: from knots to piecewise cubics.
 *
 * With h_i = x_{i+1} - x_i and the slopes of the chords s_i = (y_{i+1} - y_i) / h_i:
 *
 *   smooth 0   broken line: c1 = s_i
 *   smooth 1   cubic Hermite with slopes d_i: c1 = d_i, c2 = (3 s - 2 d_i - d_{i+1}) / h, c3 = (d_i + d_{i+1} - 2 s) / h^2.
 *              Inner slopes by Fritsch and Butland (SIAM J. Sci. Stat. Comput. 5, 1984): zero at extrema, otherwise
 *                d_i = 3 (h_{i-1} + h_i) / ((2 h_i + h_{i-1}) / s_{i-1} + (h_i + 2 h_{i-1}) / s_i),
 *              so that monotone data give a monotone curve; ends by the limited parabola through three points.
 *   smooth 2   cubic spline with second derivatives m_i:
 *                h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}),
 *              natural ends m_0 = m_{n-1} = 0, or m_0 = m_{n-1} and one more such equation when periodic (a cyclic
 *              tridiagonal system, reduced to two tridiagonal ones by Sherman and Morrison).
 */
#include "expr/graph.h"

static void hermite(int intervals, const double *h, const double *s, const double *d, double *c)
{
    for (int i = 0; i < intervals; i++, c += 4) {
        c[1] = d[i];
        c[2] = (3 * s[i] - 2 * d[i] - d[i + 1]) / h[i];
        c[3] = (d[i] + d[i + 1] - 2 * s[i]) / (h[i] * h[i]);
    }
}

/* Slope between two chords: a weighted harmonic mean, zero where they differ in sign. */
static double limited_slope(double h0, double h1, double s0, double s1)
{
    if (!((s0 > 0 && s1 > 0) || (s0 < 0 && s1 < 0)))
        return 0;
    return 3 * (h0 + h1) / ((2 * h1 + h0) / s0 + (h1 + 2 * h0) / s1);
}

/* Slope at an end with the chord s0 beside it and s1 behind that. */
static double end_slope(double h0, double h1, double s0, double s1)
{
    double d = ((2 * h0 + h1) * s0 - h0 * s1) / (h0 + h1);
    if ((d > 0) != (s0 > 0) || s0 == 0)
        return 0;
    if ((s0 > 0) != (s1 > 0) && fabs(d) > fabs(3 * s0))
        return 3 * s0;
    return d;
}

static void monotone_slopes(int n, const double *h, const double *s, bool periodic, double *d)
{
    int last = n - 2;
    for (int i = 1; i <= last; i++)
        d[i] = limited_slope(h[i - 1], h[i], s[i - 1], s[i]);
    if (periodic) {
        d[0] = d[n - 1] = limited_slope(h[last], h[0], s[last], s[0]);
    } else if (n == 2) {
        d[0] = d[1] = s[0];
    } else {
        d[0] = end_slope(h[0], h[1], s[0], s[1]);
        d[n - 1] = end_slope(h[last], h[last - 1], s[last], s[last - 1]);
    }
}

/* Gauss without pivoting for a diagonally dominant tridiagonal matrix with off-diagonals e[i] between i and i+1;
 * the right-hand side b becomes the solution, `diagonal` is destroyed. */
static void solve_tridiagonal(int n, double *diagonal, const double *e, double *b)
{
    for (int i = 1; i < n; i++) {
        double factor = e[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * e[i - 1];
        b[i] -= factor * b[i - 1];
    }
    b[n - 1] /= diagonal[n - 1];
    for (int i = n - 2; i >= 0; i--)
        b[i] = (b[i] - e[i] * b[i + 1]) / diagonal[i];
}

static void natural_moments(dal_arena *arena, int n, const double *h, const double *s, double *m)
{
    double *diagonal = DAL_NEW(arena, double, n);
    for (int i = 1; i < n - 1; i++) {
        diagonal[i] = 2 * (h[i - 1] + h[i]);
        m[i] = 6 * (s[i] - s[i - 1]);
    }
    solve_tridiagonal(n - 2, diagonal + 1, h + 1, m + 1);
    m[0] = m[n - 1] = 0;
}

/* Unknowns m_0 .. m_{k-1}, k = n - 1, with the corner entry w = h_{k-1} between m_0 and m_{k-1}:
 * (T + u v^T) m = b with u = (g, 0 .. 0, w), v = (1, 0 .. 0, w / g), g = -T_00; then m = p - q (v p) / (1 + v q). */
static void periodic_moments(dal_arena *arena, int n, const double *h, const double *s, double *m)
{
    int k = n - 1;
    double *diagonal = DAL_NEW(arena, double, k), *again = DAL_NEW(arena, double, k), *q = DAL_NEW(arena, double, k);
    double w = h[k - 1];
    for (int i = 0; i < k; i++) {
        double before = h[i ? i - 1 : k - 1];
        diagonal[i] = 2 * (before + h[i]);
        m[i] = 6 * (s[i] - s[i ? i - 1 : k - 1]);
    }
    double g = -diagonal[0];
    diagonal[0] -= g;
    diagonal[k - 1] -= w * w / g;
    q[0] = g;
    q[k - 1] = w;
    memcpy(again, diagonal, (size_t)k * sizeof *again);
    solve_tridiagonal(k, diagonal, h, m);
    solve_tridiagonal(k, again, h, q);
    double factor = (m[0] + w / g * m[k - 1]) / (1 + q[0] + w / g * q[k - 1]);
    for (int i = 0; i < k; i++)
        m[i] -= factor * q[i];
    m[n - 1] = m[0];
}

static void spline(int intervals, const double *h, const double *s, const double *m, double *c)
{
    for (int i = 0; i < intervals; i++, c += 4) {
        c[1] = s[i] - h[i] * (2 * m[i] + m[i + 1]) / 6;
        c[2] = m[i] / 2;
        c[3] = (m[i + 1] - m[i]) / (6 * h[i]);
    }
}

static const char *refuse_table(int n, const double *x, const double *y, int smooth, dal_outside outside)
{
    if (smooth < 0 || smooth > 2)
        return "smooth is 0 (broken line), 1 (continuous slope) or 2 (continuous curvature)";
    if (n < 2)
        return "a table needs at least two points";
    if (smooth == 2 && n < 4)
        return "a table with smooth: 2 needs at least four points";
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return "a table holds finite numbers only";
    for (int i = 1; i < n; i++)
        if (!(x[i] > x[i - 1]))
            return "the x of a table have to increase strictly";
    if (outside == DAL_OUTSIDE_PERIODIC && y[0] != y[n - 1])
        return "a periodic table ends with the y it begins with";
    return NULL;
}

bool dal_table_build(dal_arena *arena, int n, const double *x, const double *y, int smooth, dal_outside outside, double *numbers, const char **why)
{
    *why = refuse_table(n, x, y, smooth, outside);
    if (*why)
        return false;
    double *c = numbers + n;
    double *h = DAL_NEW(arena, double, n), *s = DAL_NEW(arena, double, n), *d = DAL_NEW(arena, double, n);
    bool periodic = outside == DAL_OUTSIDE_PERIODIC;
    memcpy(numbers, x, (size_t)n * sizeof *x);
    for (int i = 0; i < n - 1; i++) {
        h[i] = x[i + 1] - x[i];
        s[i] = (y[i + 1] - y[i]) / h[i];
        c[4 * i] = y[i];
        c[4 * i + 1] = s[i];
        c[4 * i + 2] = c[4 * i + 3] = 0;
    }
    c[4 * (n - 1)] = y[n - 1];
    if (smooth == 1) {
        monotone_slopes(n, h, s, periodic, d);
        hermite(n - 1, h, s, d, c);
    } else if (smooth == 2) {
        if (periodic)
            periodic_moments(arena, n, h, s, d);
        else
            natural_moments(arena, n, h, s, d);
        spline(n - 1, h, s, d, c);
    }
    bool finite = isfinite(x[n - 1] - x[0]);
    for (size_t i = 0; i < dal_table_doubles(n); i++)
        finite = finite && isfinite(numbers[i]);
    if (!finite)
        *why = "the numbers of the table lie too far apart or too close together";
    return finite;
}

bool dal_table_value(const dal_table *table, int order, double x, double *value)
{
    dal_piece piece = dal_find_piece(table, x);
    if (piece.interval < 0 || piece.interval > table->n - 2) {
        if (table->outside == DAL_OUTSIDE_ERROR)
            return false;
        *value = order ? 0 : table->c[piece.interval < 0 ? 0 : 4 * (table->n - 1)];
        return true;
    }
    const double *c = table->c + 4 * piece.interval;
    double d = x - (table->x[piece.interval] + piece.turns * dal_table_range(table));
    switch (order) {
    case 0: *value = c[0] + d * (c[1] + d * (c[2] + d * c[3])); break;
    case 1: *value = c[1] + d * (2 * c[2] + d * (3 * c[3])); break;
    case 2: *value = 2 * c[2] + d * (6 * c[3]); break;
    case 3: *value = 6 * c[3]; break;
    default: *value = 0;
    }
    return true;
}

int dal_graph_add_table(dal_graph *graph, const char *name, int n, const double *x, const double *y, int smooth, dal_outside outside,
                        const char **why)
{
    if (dal_graph_find_table(graph, name) >= 0) {
        *why = "a table of this name exists already";
        return -1;
    }
    double *numbers = DAL_NEW(graph->arena, double, dal_table_doubles(n < 2 ? 2 : n));
    if (!dal_table_build(graph->arena, n, x, y, smooth, outside, numbers, why))
        return -1;
    dal_table *table = DAL_PUSH(graph->arena, graph->tables, graph->n_tables, graph->table_capacity);
    *table = (dal_table){dal_arena_copy(graph->arena, name, strlen(name)), n, smooth, outside, numbers, numbers + n};
    return graph->n_tables - 1;
}

const char *dal_graph_table_prefix(dal_graph *graph, const char *prefix)
{
    const char *before = graph->table_prefix;
    graph->table_prefix = prefix;
    return before;
}

int dal_graph_find_table(const dal_graph *graph, const char *name)
{
    for (int i = 0; i < graph->n_tables; i++)
        if (strcmp(graph->tables[i].name, name) == 0)
            return i;
    return -1;
}

int dal_graph_tables(const dal_graph *graph)
{
    return graph->n_tables;
}

const struct dal_table *dal_graph_table(const dal_graph *graph, int i)
{
    return &graph->tables[i];
}

void dal_graph_share_tables(dal_graph *graph, const dal_graph *from)
{
    for (int i = 0; i < from->n_tables; i++)
        *DAL_PUSH(graph->arena, graph->tables, graph->n_tables, graph->table_capacity) = from->tables[i];
}
