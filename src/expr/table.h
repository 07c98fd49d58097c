/* Tables as piecewise cubics, and the search for the piece: shared by table.c and by the kernel evaluate.c.
 *
 *   y(x) = c0 + c1 d + c2 d^2 + c3 d^3,  d = x - x_i,  x_i <= x < x_{i+1}
 *
 * The search works on doubles (real parts): a piece is a decision, not a value.
 */
#ifndef DAL_EXPR_TABLE_H
#define DAL_EXPR_TABLE_H

#include "expr/expr.h"

#include <limits.h>

/* A view; the numbers live in the graph or in a program. */
typedef struct dal_table {
    const char *name;
    int n, smooth;
    dal_outside outside;
    const double *x; /* n knots */
    const double *c; /* 4 coefficients per interval, then y[n-1] */
} dal_table;

/* Doubles that a table needs: knots, coefficients, last value. */
static inline size_t dal_table_doubles(int n)
{
    return (size_t)n + 4 * ((size_t)n - 1) + 1;
}

/* The mode of a switch whose operand is NaN or too large for an int. */
enum { DAL_MODE_NONE = INT_MIN, DAL_MODE_MOST = 1000000000 };

/* A piece: interval -1 left of the table, 0 .. n-2 in it, n-1 right of it; `turns` periods to the right. */
typedef struct dal_piece {
    int interval;
    double turns;
} dal_piece;

/* Sums of time steps miss the end of a table by rounding: this fraction of its range still counts as inside. */
#define DAL_TABLE_SLACK 1e-12

/* The length of the table along x. */
static inline double dal_table_range(const dal_table *table)
{
    return table->x[table->n - 1] - table->x[0];
}

/* The largest i <= n-2 with x_i <= x, or 0. */
static inline int dal_find_interval(const dal_table *table, double x)
{
    int low = 0, high = table->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (table->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The piece at x. */
static inline dal_piece dal_find_piece(const dal_table *table, double x)
{
    double first = table->x[0], last = table->x[table->n - 1];
    if (table->outside == DAL_OUTSIDE_PERIODIC) {
        double turns = floor((x - first) / (last - first));
        return (dal_piece){dal_find_interval(table, x - turns * (last - first)), turns};
    }
    double slack = table->outside == DAL_OUTSIDE_ERROR ? DAL_TABLE_SLACK * (last - first) : 0;
    if (x < first - slack)
        return (dal_piece){-1, 0};
    if (x > last + slack)
        return (dal_piece){table->n - 1, 0};
    return (dal_piece){dal_find_interval(table, x), 0};
}

/* The pieces numbered along the axis. */
static inline int dal_piece_mode(const dal_table *table, dal_piece piece)
{
    double mode = piece.turns * (table->n - 1) + piece.interval;
    return fabs(mode) <= DAL_MODE_MOST ? (int)mode : DAL_MODE_NONE;
}

/* The piece of a mode: the inverse of the numbering above. */
static inline dal_piece dal_mode_piece(const dal_table *table, int mode)
{
    if (table->outside != DAL_OUTSIDE_PERIODIC)
        return (dal_piece){mode, 0};
    int n = table->n - 1;
    int turns = mode / n - (mode % n < 0);
    return (dal_piece){mode - turns * n, turns};
}

/* How often derivative `order` may be differentiated before it jumps. A held end is a corner. */
static inline int dal_table_smoothness(const dal_table *table, int order)
{
    int smooth = table->outside == DAL_OUTSIDE_HOLD ? 1 : table->smooth + 1;
    return smooth > order ? smooth - order : 0;
}

/* Which ends of pieces are switches when derivative `order` is used. */
typedef enum dal_knots {
    DAL_KNOTS_NONE, /* the derivative in use is continuous at every knot; higher ones may jump there, which costs a method of high
                       order some of it but moves no solution */
    DAL_KNOTS_ENDS, /* only the two held ends: modes -1, 0, 1 */
    DAL_KNOTS_ALL
} dal_knots;

/* Which knots are switches for the derivative of this order? */
static inline dal_knots dal_table_knots(const dal_table *table, int order)
{
    if (order >= table->smooth)
        return DAL_KNOTS_ALL;
    return table->outside == DAL_OUTSIDE_HOLD ? DAL_KNOTS_ENDS : DAL_KNOTS_NONE;
}

/* Coefficients from the data; false with a sentence. `numbers` has dal_table_doubles(n) places. */
bool dal_table_build(dal_arena *arena, int n, const double *x, const double *y, int smooth, dal_outside outside, double *numbers, const char **why);
/* Derivative of any order; false outside the range of a table that ends in an error. */
bool dal_table_value(const dal_table *table, int order, double x, double *value);

#endif
