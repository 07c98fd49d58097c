/* K = T^T D r T_h, the second variation of the potential on the constraints, over the mass.
 *
 * Where every body has columns of its own, D r is sparse: the part of body i depends on bodies that rows or forces connect it with. Columns of bodies
 * that have no neighbour in common are then found by one complex step. Other connections of bodies (expressions of the model) are not searched: a
 * step along a random direction, D r d, must agree with the matrix. Where it does not, each column takes a step of its own.
 */
#include "start/point.h"

#include "math/chance.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum { FEW = 24 };                 /* bodies, up to which it is not worth while */
static const double agree = 1e-12; /* of the largest number of D r d, for each body */

typedef struct pattern {
    dal_point *x;
    int n;              /* blocks of columns, one a body */
    int *start, *near;  /* neighbours of each, with itself */
    int *block;         /* of each column */
    int *color, colors; /* of each block: those of one color have no neighbour in common */
    double *value;      /* of D r: for each column, in the order of the neighbours' columns */
    int *first;         /* of each column, in value */
} pattern;

/* ---- who is near ------------------------------------------------------------------------------------------ */

static bool has(const pattern *p, const bool *joined, int a, int b)
{
    return joined[(size_t)p->n * (size_t)a + (size_t)b];
}

static void join(pattern *p, bool *joined, const int *blocks, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            joined[(size_t)p->n * (size_t)blocks[i] + (size_t)blocks[j]] = true;
}

static void join_measure(pattern *p, bool *joined, int number)
{
    const dal_mechanism *m = p->x->layout->mechanism;
    int blocks[4], n = 0;
    for (int k = 0; number >= 0 && k < 4; k++) {
        const int vector = m->measures[number].kind == DAL_MEASURE_COORDINATE ? -1 : m->measures[number].vector[k];
        if (vector >= 0 && m->vectors[vector].body != DAL_GROUND)
            blocks[n++] = m->vectors[vector].body;
    }
    join(p, joined, blocks, n);
}

static void find_neighbours(pattern *p)
{
    const dal_layout *layout = p->x->layout;
    const dal_acting *acting = dal_system_acting(dal_system_of(p->x->state));
    bool *joined = DAL_NEW(p->x->arena, bool, (size_t)p->n *(size_t)p->n + 1);
    int *blocks = DAL_NEW(p->x->arena, int, p->x->nv + 1), count = 0;
    for (int b = 0; b < p->n; b++)
        joined[(size_t)(p->n + 1) * (size_t)b] = true;
    for (int i = 0; i < layout->n_rows; i++) {
        int n = 0;
        for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
            if (!n || blocks[n - 1] != p->block[layout->column[k]])
                blocks[n++] = p->block[layout->column[k]];
        join(p, joined, blocks, n);
    }
    for (int i = 0; i < acting->n_forces; i++)
        join_measure(p, joined, acting->forces[i].measure);
    for (int i = 0; i < acting->n_laws; i++)
        join_measure(p, joined, acting->laws[i].measure);
    p->start = DAL_NEW(p->x->arena, int, p->n + 2);
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (int a = 0; a < p->n; a++) {
            p->start[a] = count;
            for (int b = 0; b < p->n; b++)
                if (has(p, joined, a, b)) {
                    if (pass)
                        p->near[count] = b;
                    count++;
                }
        }
        p->start[p->n] = count;
        if (!pass)
            p->near = DAL_NEW(p->x->arena, int, count + 1);
    }
}

/* One after the other: the first color that no neighbour of a neighbour has. */
static void choose_colors(pattern *p)
{
    bool *taken = DAL_NEW(p->x->arena, bool, p->n + 1);
    p->color = DAL_NEW(p->x->arena, int, p->n + 1);
    for (int a = 0; a < p->n; a++) {
        memset(taken, 0, sizeof *taken * (size_t)(p->n + 1));
        for (int i = p->start[a]; i < p->start[a + 1]; i++)
            for (int j = p->start[p->near[i]]; j < p->start[p->near[i] + 1]; j++)
                if (p->near[j] < a)
                    taken[p->color[p->near[j]]] = true;
        while (taken[p->color[a]])
            p->color[a]++;
        p->colors = p->color[a] >= p->colors ? p->color[a] + 1 : p->colors;
    }
}

bool dal_owns_columns(const dal_layout *layout)
{
    return !layout->family->shares && !layout->tree && !layout->placement && !layout->reduction && !layout->systems &&
           layout->n_blocks == layout->mechanism->n_bodies;
}

/* ---- the matrix -------------------------------------------------------------------------------------------- */

static void differentiate_forces(const pattern *p, const double *dq, double *motion)
{
    dal_variation_along(p->x->variation, &p->x->at, &(dal_variation_direction){.q = dq}, &(dal_variation_result){.motion = motion});
}

static int find_widest(const pattern *p)
{
    int widest = 0;
    for (int b = 0; b < p->n; b++)
        widest = p->x->layout->block[b].n > widest ? p->x->layout->block[b].n : widest;
    return widest;
}

/* For each color and each column of its bodies a step. */
static void find_values(pattern *p)
{
    const dal_layout *layout = p->x->layout;
    double *dq = DAL_NEW(p->x->arena, double, p->x->nv + 1), *motion = DAL_NEW(p->x->arena, double, p->x->nv + 1);
    const int widest = find_widest(p);
    int used = 0;
    p->first = DAL_NEW(p->x->arena, int, p->x->nv + 1);
    for (int b = 0; b < p->n; b++)
        for (int d = 0; d < layout->block[b].n; d++) {
            p->first[layout->block[b].column + d] = used;
            for (int i = p->start[b]; i < p->start[b + 1]; i++)
                used += layout->block[p->near[i]].n;
        }
    p->value = DAL_NEW(p->x->arena, double, used + 1);
    for (int color = 0; color < p->colors; color++)
        for (int d = 0; d < widest; d++) {
            for (int b = 0; b < p->n; b++)
                if (p->color[b] == color && d < layout->block[b].n)
                    dq[layout->block[b].column + d] = 1;
            differentiate_forces(p, dq, motion);
            memset(dq, 0, sizeof *dq * (size_t)p->x->nv);
            for (int b = 0; b < p->n; b++) {
                if (p->color[b] != color || d >= layout->block[b].n)
                    continue;
                double *to = p->value + p->first[layout->block[b].column + d];
                for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                    const dal_mass_block *other = &layout->block[p->near[i]];
                    memcpy(to, motion + other->column, sizeof *to * (size_t)other->n);
                    to += other->n;
                }
            }
        }
}

/* out (nv rows of n) = D r X, X (nv rows of n) */
static void times(const pattern *p, int n, const double *X, double *out)
{
    const dal_layout *layout = p->x->layout;
    memset(out, 0, sizeof *out * (size_t)p->x->nv * (size_t)n);
    for (int b = 0; b < p->n; b++)
        for (int d = 0; d < layout->block[b].n; d++) {
            const int column = layout->block[b].column + d;
            const double *value = p->value + p->first[column], *from = X + (size_t)n * (size_t)column;
            for (int i = p->start[b]; i < p->start[b + 1]; i++)
                for (int k = 0; k < layout->block[p->near[i]].n; k++, value++) {
                    double *to = out + (size_t)n * (size_t)(layout->block[p->near[i]].column + k);
                    for (int j = 0; *value != 0 && j < n; j++)
                        to[j] += *value * from[j];
                }
        }
}

static bool is_whole(const pattern *p)
{
    const int nv = p->x->nv;
    double *d = DAL_NEW(p->x->arena, double, nv + 1), *whole = DAL_NEW(p->x->arena, double, nv + 1), *product = DAL_NEW(p->x->arena, double, nv + 1);
    const double *unit = p->x->layout->units.column_scale;
    double most = 0, apart = 0;
    uint64_t chance = 1;
    for (int k = 0; k < nv; k++)
        d[k] = dal_chance(&chance) / unit[k];
    differentiate_forces(p, d, whole);
    times(p, 1, d, product);
    for (int k = 0; k < nv; k++) {
        most = fmax(most, fabs(whole[k]) / unit[k]);
        apart = fmax(apart, fabs(whole[k] - product[k]) / unit[k]);
    }
    return apart <= agree * p->n * most;
}

static bool find_pattern(pattern *p)
{
    const dal_layout *layout = p->x->layout;
    if (layout->mechanism->n_bodies <= FEW || !dal_owns_columns(layout))
        return false;
    p->n = layout->n_blocks;
    p->block = DAL_NEW(p->x->arena, int, p->x->nv + 1);
    for (int b = 0; b < p->n; b++)
        for (int d = 0; d < layout->block[b].n; d++)
            p->block[layout->block[b].column + d] = b;
    find_neighbours(p);
    choose_colors(p);
    if (p->colors * find_widest(p) >= p->x->positions.p)
        return false;
    find_values(p);
    return is_whole(p);
}

/* ---- the call ------------------------------------------------------------------------------------------------- */

/* Rows of nv numbers become nv rows. */
static double *turned(dal_point *x, const dal_kept_rows *rows)
{
    double *out = DAL_NEW(x->arena, double, (size_t)x->nv *(size_t)rows->p + 1);
    for (int j = 0; j < rows->p; j++)
        for (int k = 0; k < x->nv; k++)
            out[(size_t)rows->p * (size_t)k + (size_t)j] = rows->T[(size_t)x->nv * (size_t)j + (size_t)k];
    return out;
}

void dal_point_stiffnesses(dal_point *x, const dal_kept_rows *along, double *K)
{
    const size_t columns = (size_t)along->p, rows = (size_t)x->velocities.p;
    pattern p = {.x = x};
    if (!find_pattern(&p)) {
        double *motion = DAL_NEW(x->arena, double, rows + 1);
        for (size_t j = 0; j < columns; j++) {
            dal_point_stiffness(x, &(dal_change){.q = along->T + (size_t)x->nv * j}, motion, NULL);
            for (size_t i = 0; i < rows; i++)
                K[columns * i + j] = motion[i];
        }
        return;
    }
    const double *left = turned(x, &x->velocities), *right = along == &x->velocities || along->T == x->velocities.T ? left : turned(x, along);
    double *product = DAL_NEW(x->arena, double, (size_t)x->nv *columns + 1);
    times(&p, (int)columns, right, product);
    memset(K, 0, sizeof *K * rows * columns);
    for (size_t k = 0; k < (size_t)x->nv; k++)
        for (size_t i = 0; i < rows; i++) {
            const double factor = left[rows * k + i], *from = product + columns * k;
            double *to = K + columns * i;
            for (size_t j = 0; factor != 0 && j < columns; j++)
                to[j] += factor * from[j];
        }
}
