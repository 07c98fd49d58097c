/* The elimination of linear rows, when a model is compiled (reduction.h has the equations).
 *
 *     C q = d      rows that multiply material vectors by constant ones; bodies that they connect are a group, with one tableau each
 *     pivots       Gauss and Jordan; of the entries above a tenth of the largest of their row, the one with least (entries of the row - 1) (entries of
 *                  the column - 1) (Markowitz), shifts before axes; a row whose entries fell below 1e-3 stays a row
 *     q = B z + b  the solved rows; E^T, with which multipliers follow, is kept beside them
 */
#include "kinematics/reduction.h"

#include "kinematics/layout.h"

#include <math.h>
#include <string.h>

#ifndef DAL_SCALAR_VARIANT

enum {
    MOST_JOINED = 192, /* natural coordinates of the bodies of a group: 32 bodies in the plane, 16 in space */
    FEW_BODIES = 2     /* in a group of a model whose equations are solved as sparse ones */
};

static const double least_pivot = 1e-3; /* pivot threshold of a row of unit size: a row below it stays a row */
static const double fair_pivot = 0.1;   /* of the largest entry of its row: an entry above it may be a pivot */
static const double cancelled = 1e-15;  /* an entry that is only rounding, in units of the model's length */

/* ---- which rows are linear ----------------------------------------------------------------- */

/* A row as C q = d: coefficients of the natural coordinates of its bodies, side by side. */
typedef struct linear_row {
    int row, n_bodies, body[DAL_MAX_SIDES];
    double coef[DAL_MAX_SIDES][DAL_MOST_NATURAL], d;
} linear_row;

static bool is_constant(const dal_mechanism *m, int vector)
{
    return vector < 0 || m->vectors[vector].body == DAL_GROUND || (!m->vectors[vector].point && m->bodies[m->vectors[vector].body].particle);
}

/* x0 - x1 of vectors that are constant: the ground and particles have the axes of the world. */
static void constant_of(const dal_mechanism *m, const int pair[2], double out[3])
{
    dal_copy3(m->vectors[pair[0]].s, out);
    if (pair[1] >= 0)
        dal_sub3(out, m->vectors[pair[1]].s, out);
}

static double *coefs_of_body(linear_row *out, int body)
{
    int k = 0;
    while (k < out->n_bodies && out->body[k] != body)
        k++;
    if (k == out->n_bodies) {
        out->body[out->n_bodies++] = body;
        memset(out->coef[k], 0, sizeof out->coef[k]);
    }
    return out->coef[k];
}

/* Adds coef (x0 - x1) . g. A particle has no columns of R: of its points s is constant. */
static void add_linear(const dal_mechanism *m, const int pair[2], double coef, const double g[3], linear_row *out)
{
    for (int j = 0; j < 2; j++, coef = -coef) {
        if (pair[j] < 0)
            continue;
        const dal_vector *vector = &m->vectors[pair[j]];
        const bool fixed = vector->body == DAL_GROUND;
        if (fixed || m->bodies[vector->body].particle)
            out->d -= coef * dal_dot(vector->s, g);
        if (!fixed)
            dal_natural_scatter(vector, (int)m->space, !m->bodies[vector->body].particle, coef, g, coefs_of_body(out, vector->body));
    }
}

/* False: the row is not linear with constant coefficients, or is prescribed by time or by the model, and stays a row. */
static bool read_linear(const dal_mechanism *m, int number, linear_row *out)
{
    const dal_row *row = &m->rows[number];
    *out = (linear_row){.row = number, .d = row->constant};
    if (row->form >= 0 || row->time >= 0 || row->nonholonomic || m->joints[row->joint].drive == number)
        return false;
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const dal_measure *measure = &m->measures[m->terms[k].measure];
        const int *a = measure->vector, *b = measure->vector + 2;
        double g[3];
        if (measure->kind != DAL_MEASURE_DOT)
            return false;
        if (!is_constant(m, b[0]) || !is_constant(m, b[1])) {
            b = a;
            a = measure->vector + 2;
        }
        if (!is_constant(m, b[0]) || !is_constant(m, b[1]))
            return false;
        constant_of(m, b, g);
        add_linear(m, a, m->terms[k].coef, g, out);
    }
    return out->n_bodies > 0;
}

/* ---- bodies that are connected -------------------------------------------------------------- */

static int root_of_group(int *parent, int body)
{
    while (parent[body] != body)
        body = parent[body] = parent[parent[body]];
    return body;
}

/* Joins the bodies of a row, unless there are too many coordinates then. */
static bool join_bodies(const linear_row *row, int most, int *parent, int *size)
{
    const int first = root_of_group(parent, row->body[0]);
    int total = size[first];
    for (int k = 1; k < row->n_bodies; k++) {
        const int other = root_of_group(parent, row->body[k]);
        bool counted = other == first;
        for (int l = 1; l < k; l++)
            counted |= root_of_group(parent, row->body[l]) == other;
        total += counted ? 0 : size[other];
    }
    if (total > most)
        return false;
    for (int k = 1; k < row->n_bodies; k++)
        parent[root_of_group(parent, row->body[k])] = first;
    size[first] = total;
    return true;
}

/* ---- one group ------------------------------------------------------------------------------ */

/* The rows of a group, in units in which lengths are divided by the model's: entries of C, then d, then what the rows are made of. */
typedef struct tableau {
    int n, m, width; /* rows, natural coordinates, numbers a row: m + 1 + n */
    double *a;
    int *coordinate; /* of each of the m: its number among all */
    int *row;        /* of each of the n: its row of the mechanism */
    int *pivot;      /* of each row: the column that it was solved for, or -1 */
    int *in_column;  /* entries of each column */
    bool *shift;     /* of each column: a position, not a direction */
    bool *solved;    /* of each column */
} tableau;

static double *row_of_tableau(const tableau *t, int i)
{
    return t->a + (size_t)i * (size_t)t->width;
}

/* Markowitz: the entry that makes the fewest others, among those that are large enough. Of equals a position rather than a direction, then
 * the larger one. -1: none is left. */
static int choose_pivot(const tableau *t, int *column)
{
    int best = -1;
    long least = 0;
    double largest = 0;
    for (int i = 0; i < t->n; i++) {
        const double *row = row_of_tableau(t, i);
        double most = 0;
        int entries = 0;
        for (int j = 0; j < t->m && t->pivot[i] < 0; j++) {
            most = fmax(most, fabs(row[j]));
            entries += row[j] != 0;
        }
        if (most < least_pivot)
            continue;
        for (int j = 0; j < t->m; j++) {
            const double size = fabs(row[j]);
            if (size < fair_pivot * most)
                continue;
            const long cost = 2L * (entries - 1) * (t->in_column[j] - 1) + !t->shift[j];
            if (best < 0 || cost < least || (cost == least && size > largest)) {
                best = i;
                *column = j;
                least = cost;
                largest = size;
            }
        }
    }
    return best;
}

/* Gauss and Jordan: row i is divided by its entry in the column, and the column is eliminated from all others. */
static void solve_row(const tableau *t, int i, int column)
{
    double *pivot = row_of_tableau(t, i);
    const double scale = 1 / pivot[column];
    for (int j = 0; j < t->width; j++)
        pivot[j] *= scale;
    pivot[column] = 1;
    t->pivot[i] = column;
    t->solved[column] = true;
    for (int k = 0; k < t->n; k++) {
        double *row = row_of_tableau(t, k);
        const double factor = row[column];
        if (k == i || factor == 0)
            continue;
        for (int j = 0; j < t->width; j++) {
            if (pivot[j] == 0)
                continue;
            const bool was = row[j] != 0;
            row[j] = j == column ? 0 : row[j] - factor * pivot[j];
            if (fabs(row[j]) < cancelled && j < t->m)
                row[j] = 0;
            if (j < t->m)
                t->in_column[j] += (row[j] != 0) - was;
        }
    }
}

static void solve_tableau(const tableau *t)
{
    int column = 0, i;
    memset(t->in_column, 0, sizeof *t->in_column * (size_t)t->m);
    for (int k = 0; k < t->n; k++)
        for (int j = 0; j < t->m; j++)
            t->in_column[j] += row_of_tableau(t, k)[j] != 0;
    while ((i = choose_pivot(t, &column)) >= 0)
        solve_row(t, i, column);
}

/* ---- building -------------------------------------------------------------------------------- */

/* Members of each group, side by side. */
typedef struct members {
    int *first, *list; /* of each group, and the end */
} members;

/* An entry of B or of E^T, while they are collected. */
typedef struct entry {
    int row, column;
    double value;
} entry;

typedef struct entries {
    entry *list;
    int n;
    size_t capacity;
} entries;

typedef struct building {
    dal_arena *arena;
    const dal_mechanism *m;
    double length; /* a power of two */
    int most;      /* natural coordinates of a group */
    dal_reduction *e;
    linear_row *linear;
    int n_linear;
    int *place; /* of each natural coordinate: its column in the tableau */
    int *body;  /* and its body */
    entries B, E;
} building;

/* The lever of a natural coordinate: a unit of a direction cosine moves a point at the model's length by as much. */
static double lever(const building *b, int coordinate)
{
    return coordinate - b->e->natural[b->body[coordinate]] < (int)b->m->space ? 1 : b->length;
}

static void number_coordinates(building *b)
{
    dal_reduction *e = b->e;
    const dal_mechanism *m = b->m;
    e->n_bodies = m->n_bodies;
    e->natural = DAL_NEW(b->arena, int, m->n_bodies + 1);
    for (int k = 0; k < m->n_bodies; k++)
        e->natural[k + 1] = e->natural[k] + dal_natural_count(m->space, m->bodies[k].particle);
    e->n_natural = e->natural[m->n_bodies];
    b->place = DAL_NEW(b->arena, int, e->n_natural);
    b->body = DAL_NEW(b->arena, int, e->n_natural);
    for (int k = 0; k < m->n_bodies; k++)
        for (int i = e->natural[k]; i < e->natural[k + 1]; i++)
            b->body[i] = k;
}

/* Linear rows, and groups of bodies in the order of their first ones. Of each row the group, or -1: it stays a row. */
static int *find_groups(building *b)
{
    dal_reduction *e = b->e;
    const int n = b->m->n_bodies;
    int *parent = DAL_NEW(b->arena, int, n), *size = DAL_NEW(b->arena, int, n), *number = DAL_NEW(b->arena, int, n);
    b->linear = DAL_NEW(b->arena, linear_row, b->m->n_rows);
    for (int i = 0; i < b->m->n_rows; i++)
        b->n_linear += read_linear(b->m, i, &b->linear[b->n_linear]);
    int *group = DAL_NEW(b->arena, int, b->n_linear);
    e->body_block = DAL_NEW(b->arena, int, n);
    for (int k = 0; k < n; k++) {
        parent[k] = k;
        number[k] = -1;
        size[k] = e->natural[k + 1] - e->natural[k];
    }
    for (int i = 0; i < b->n_linear; i++)
        group[i] = join_bodies(&b->linear[i], b->most, parent, size) ? 0 : -1;
    for (int k = 0; k < n; k++) {
        const int root = root_of_group(parent, k);
        if (number[root] < 0)
            number[root] = e->n_groups++;
        e->body_block[k] = number[root];
    }
    for (int i = 0; i < b->n_linear; i++)
        group[i] = group[i] < 0 ? -1 : e->body_block[b->linear[i].body[0]];
    return group;
}

static members gather_members(dal_arena *arena, int n_groups, const int *group, int n)
{
    members out = {DAL_NEW(arena, int, n_groups + 2), DAL_NEW(arena, int, n)};
    for (int i = 0; i < n; i++)
        if (group[i] >= 0)
            out.first[group[i] + 2]++;
    for (int g = 0; g < n_groups; g++)
        out.first[g + 2] += out.first[g + 1];
    for (int i = 0; i < n; i++)
        if (group[i] >= 0)
            out.list[out.first[group[i] + 1]++] = i;
    return out;
}

/* A power of two that makes the largest entry about one. */
static double unit_of(const double *a, int n)
{
    double most = 0;
    int exponent = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    if (most > 0 && isfinite(most))
        frexp(most, &exponent);
    return ldexp(1, -exponent);
}

static void fill_row(const building *b, const linear_row *from, const tableau *t, int i)
{
    double *row = row_of_tableau(t, i);
    memset(row, 0, sizeof *row * (size_t)t->width);
    for (int k = 0; k < from->n_bodies; k++)
        for (int j = b->e->natural[from->body[k]]; j < b->e->natural[from->body[k] + 1]; j++)
            row[b->place[j]] += from->coef[k][j - b->e->natural[from->body[k]]] / lever(b, j);
    const double unit = unit_of(row, t->m);
    for (int j = 0; j < t->m; j++)
        row[j] *= unit;
    row[t->m] = from->d * unit;
    row[t->m + 1 + i] = unit;
    t->row[i] = from->row;
    t->pivot[i] = -1;
}

static void fill_tableau(const building *b, const int *bodies, int n_bodies, const int *rows, int n_rows, tableau *t)
{
    t->n = n_rows;
    t->m = 0;
    for (int k = 0; k < n_bodies; k++)
        for (int i = b->e->natural[bodies[k]]; i < b->e->natural[bodies[k] + 1]; i++) {
            t->coordinate[t->m] = i;
            t->shift[t->m] = i - b->e->natural[bodies[k]] < (int)b->m->space;
            t->solved[t->m] = false;
            b->place[i] = t->m++;
        }
    t->width = t->m + 1 + t->n;
    for (int i = 0; i < n_rows; i++)
        fill_row(b, &b->linear[rows[i]], t, i);
}

static void put_entry(dal_arena *arena, entries *to, int row, int column, double value)
{
    if (value != 0)
        *DAL_PUSH(arena, to->list, to->n, to->capacity) = (entry){row, column, value};
}

/* Coordinates of a solved group that are left become columns; the others are entries of B and of E. */
static void keep_tableau(building *b, const tableau *t)
{
    dal_reduction *e = b->e;
    int *column = DAL_NEW(b->arena, int, t->m);
    for (int j = 0; j < t->m; j++)
        if (!t->solved[j]) {
            column[j] = e->n_left;
            put_entry(b->arena, &b->B, t->coordinate[j], e->n_left, 1);
            e->left_body[e->n_left] = b->body[t->coordinate[j]];
            e->left[e->n_left++] = t->coordinate[j];
        }
    for (int i = 0; i < t->n; i++) {
        if (t->pivot[i] < 0)
            continue;
        const double *row = row_of_tableau(t, i);
        const int solved = t->coordinate[t->pivot[i]];
        const double unit = 1 / lever(b, solved);
        for (int j = 0; j < t->m; j++)
            if (!t->solved[j])
                put_entry(b->arena, &b->B, solved, column[j], -row[j] * lever(b, t->coordinate[j]) * unit);
        e->constant[solved] = row[t->m] * unit;
        e->held_at[t->row[i]] = e->n_held;
        e->solved[e->n_held] = solved;
        e->held[e->n_held++] = t->row[i];
        for (int k = 0; k < t->n; k++) /* rows are named by the mechanism until all are numbered */
            if (t->pivot[k] >= 0)
                put_entry(b->arena, &b->E, t->row[k], e->n_held - 1, row[t->m + 1 + k] * unit);
    }
}

/* Rows of entries, in the order in which they came. */
static int *sort_entries(dal_arena *arena, const entries *from, int n, int *column, double *value)
{
    int *first = DAL_NEW(arena, int, n + 2);
    for (int i = 0; i < from->n; i++)
        first[from->list[i].row + 2]++;
    for (int i = 0; i < n; i++)
        first[i + 2] += first[i + 1];
    for (int i = 0; i < from->n; i++) {
        const int at = first[from->list[i].row + 1]++;
        column[at] = from->list[i].column;
        value[at] = from->list[i].value;
    }
    return first;
}

static void keep_entries(building *b)
{
    dal_reduction *e = b->e;
    e->n_entries = b->B.n;
    e->column = DAL_NEW(b->arena, int, b->B.n);
    e->coef = DAL_NEW(b->arena, double, b->B.n);
    e->first = sort_entries(b->arena, &b->B, e->n_natural, e->column, e->coef);
    for (int i = 0; i < b->E.n; i++)
        b->E.list[i].row = e->held_at[b->E.list[i].row];
    e->n_forces = b->E.n;
    e->force_from = DAL_NEW(b->arena, int, b->E.n);
    e->force = DAL_NEW(b->arena, double, b->E.n);
    e->force_first = sort_entries(b->arena, &b->E, e->n_held, e->force_from, e->force);
}

static tableau make_tableau(dal_arena *arena, const members *rows, int n_groups)
{
    int most = 0;
    for (int g = 0; g < n_groups; g++)
        most = rows->first[g + 1] - rows->first[g] > most ? rows->first[g + 1] - rows->first[g] : most;
    const size_t n = (size_t)most, m = MOST_JOINED;
    return (tableau){.a = DAL_NEW(arena, double, n *(m + 1 + n)),
                     .coordinate = DAL_NEW(arena, int, m),
                     .row = DAL_NEW(arena, int, n),
                     .pivot = DAL_NEW(arena, int, n),
                     .in_column = DAL_NEW(arena, int, m),
                     .shift = DAL_NEW(arena, bool, m),
                     .solved = DAL_NEW(arena, bool, m)};
}

/* With at most so many natural coordinates in a group. */
static dal_reduction *reduce(dal_arena *arena, const dal_mechanism *mechanism, double length, int most)
{
    building b = {.arena = arena, .m = mechanism, .length = length, .most = most, .e = DAL_NEW(arena, dal_reduction, 1)};
    dal_reduction *e = b.e;
    number_coordinates(&b);
    const int *group = find_groups(&b);
    const members bodies = gather_members(arena, e->n_groups, e->body_block, e->n_bodies),
                  rows = gather_members(arena, e->n_groups, group, b.n_linear);
    tableau t = make_tableau(arena, &rows, e->n_groups);
    e->left = DAL_NEW(arena, int, e->n_natural);
    e->left_body = DAL_NEW(arena, int, e->n_natural);
    e->constant = DAL_NEW(arena, double, e->n_natural);
    e->group = DAL_NEW(arena, int, e->n_groups + 1);
    e->held = DAL_NEW(arena, int, b.n_linear);
    e->solved = DAL_NEW(arena, int, b.n_linear);
    e->n_rows = mechanism->n_rows;
    e->held_at = DAL_NEW(arena, int, e->n_rows);
    for (int i = 0; i < mechanism->n_rows; i++)
        e->held_at[i] = -1;
    for (int g = 0; g < e->n_groups; g++) {
        e->group[g] = e->n_left;
        fill_tableau(&b, bodies.list + bodies.first[g], bodies.first[g + 1] - bodies.first[g], rows.list + rows.first[g],
                     rows.first[g + 1] - rows.first[g], &t);
        solve_tableau(&t);
        keep_tableau(&b, &t);
    }
    e->group[e->n_groups] = e->n_left;
    keep_entries(&b);
    e->moments = dal_arena_alloc(arena, sizeof *e->moments * (size_t)e->n_bodies);
    for (int k = 0; k < e->n_bodies; k++)
        dal_natural_moments(mechanism->space, &mechanism->bodies[k], e->moments[k]);
    return e;
}

dal_reduction *dal_reduction_build(dal_arena *arena, const dal_mechanism *mechanism, double length)
{
    dal_reduction *whole = reduce(arena, mechanism, length, MOST_JOINED);
    int rows = mechanism->n_rows - whole->n_held;
    for (int b = 0; b < mechanism->n_bodies; b++)
        rows += dal_natural_rows(mechanism->space, mechanism->bodies[b].particle);
    return whole->n_left + rows <= DAL_DENSE_LIMIT ? whole
                                                   : reduce(arena, mechanism, length, FEW_BODIES * dal_natural_count(mechanism->space, false));
}

#endif
