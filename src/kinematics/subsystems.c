/* Terms of sub-systems with known equations in the equations of motion: subsystems.h. */
#include "kinematics/subsystems.h"
#include "math/dense.h"

#include <math.h>

#ifndef DAL_SCALAR_VARIANT

dal_subsystems *dal_subsystems_pack(dal_block *block, const dal_subsystems *from)
{
    dal_subsystems own = *from, *to = dal_block_copy(block, from, sizeof *from);
    DAL_PACK(block, own.system, from->n);
    DAL_PACK(block, own.coordinate, from->n_coordinates);
    DAL_PACK(block, own.need, 3 * from->n_needs);
    for (int i = 0; i < from->n; i++) {
        const char *name = dal_block_text(block, from->system[i].name);
        if (block->memory)
            own.system[i].name = name, own.system[i].mark.file = NULL;
    }
    dal_program *place = dal_block_copy(block, from->place, dal_program_bytes(from->place));
    dal_program *motion = dal_block_copy(block, from->motion, dal_program_bytes(from->motion));
    dal_program *skew = dal_block_copy(block, from->skew, dal_program_bytes(from->skew));
    if (to) {
        own.place = place;
        own.motion = motion;
        own.skew = skew;
        *to = own;
    }
    return to;
}

#endif

/* Coordinates (order 0) or rates (order 1) as they are now, then the program. */
static void run_program(const dal_layout *layout, dal_work *w, int order, const dal_program *program, dal_real *out)
{
    const dal_subsystems *s = layout->systems;
    for (int i = 0; i < s->n_needs; i++) {
        const int *need = s->need + 3 * i;
        if (need[2] == order)
            w->system_variables[need[0]] = need[1] < 0 ? w->t : order ? w->v[layout->own_v + need[1]] : w->q[layout->own_q + need[1]];
    }
    const int left = dal_program_run(program, w->system_variables, NULL, w->system_registers, out);
    w->table_exceeded = left ? left : w->table_exceeded;
}

void dal_subsystems_position(const dal_layout *layout, dal_work *w)
{
    if (layout->systems)
        run_program(layout, w, 0, layout->systems->place, w->system_place);
}

void dal_subsystems_velocity(const dal_layout *layout, dal_work *w)
{
    if (layout->systems)
        run_program(layout, w, 1, layout->systems->motion, w->system_motion);
}

/* Every system, with the columns of its coordinates. */
#define EACH_SYSTEM(s)                                                                                                                               \
    for (const dal_subsystem *s = layout->systems ? layout->systems->system : NULL, *end_ = s ? s + layout->systems->n : NULL; s < end_; s++)

static int column_of(const dal_layout *layout, const dal_subsystem *s, int k)
{
    return layout->own_v + layout->systems->coordinate[s->column + k];
}

/* y += X x with X symmetric, of which the lower triangle is given. */
static void add_product(const dal_layout *layout, const dal_subsystem *s, const dal_real *X, const dal_real *x, dal_real *y)
{
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j <= i; j++, X++) {
            const int a = column_of(layout, s, i), b = column_of(layout, s, j);
            y[a] += *X * x[b];
            if (i != j)
                y[b] += *X * x[a];
        }
}

static void add_vector(const dal_layout *layout, const dal_subsystem *s, const dal_real *values, dal_real factor, dal_real *out)
{
    for (int k = 0; k < s->n; k++)
        out[column_of(layout, s, k)] += factor * values[k];
}

void dal_subsystems_mass(const dal_layout *layout, const dal_work *w, const dal_real *x, dal_real *out)
{
    EACH_SYSTEM(s)
    add_product(layout, s, w->system_place + s->place, x, out);
}

void dal_subsystems_mass_rate(const dal_layout *layout, const dal_work *w, const dal_real *x, dal_real *out)
{
    EACH_SYSTEM(s)
    if (s->energy)
        add_product(layout, s, w->system_motion + s->motion, x, out);
}

void dal_subsystems_free(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    EACH_SYSTEM(s)
    if (s->energy)
        add_vector(layout, s, w->system_place + s->place + dal_triangle(s->n), 1, out);
}

void dal_subsystems_free_rate(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    EACH_SYSTEM(s)
    if (s->energy)
        add_vector(layout, s, w->system_motion + s->motion + dal_triangle(s->n), 1, out);
}

void dal_subsystems_momentum(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    dal_subsystems_mass(layout, w, w->v, out);
    dal_subsystems_free(layout, w, out);
}

void dal_subsystems_momentum_rate(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    dal_subsystems_mass_rate(layout, w, w->v, out);
    dal_subsystems_free_rate(layout, w, out);
}

static void add_slope(const dal_layout *layout, const dal_work *w, dal_real factor, dal_real *out)
{
    EACH_SYSTEM(s)
    if (s->energy)
        add_vector(layout, s, w->system_motion + s->motion + dal_triangle(s->n) + s->n, factor, out);
}

void dal_subsystems_slope(const dal_layout *layout, const dal_work *w, dal_real *out)
{
    add_slope(layout, w, 1, out);
}

/* The block of M that a column lies in. */
static const dal_mass_block *block_at(const dal_layout *layout, int column)
{
    const dal_mass_block *block = layout->block;
    while (column < block->column || column >= block->column + block->n)
        block++;
    return block;
}

/* All columns of a system lie in one block. */
static void add_mass(const dal_layout *layout, const dal_subsystem *s, const dal_real *X, dal_real *M)
{
    const dal_mass_block *block = block_at(layout, column_of(layout, s, 0));
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j <= i; j++, X++) {
            const int a = column_of(layout, s, i) - block->column, b = column_of(layout, s, j) - block->column;
            M[block->value + block->n * a + b] += *X;
            if (i != j)
                M[block->value + block->n * b + a] += *X;
        }
}

void dal_subsystems_inertia(const dal_layout *layout, dal_work *w)
{
    EACH_SYSTEM(s)
    add_mass(layout, s, w->system_place + s->place, w->M);
    dal_subsystems_momentum_rate(layout, w, w->h);
    add_slope(layout, w, -1, w->h);
}

dal_real dal_subsystems_kinetic(const dal_layout *layout, const dal_work *w)
{
    dal_real energy = 0;
    EACH_SYSTEM(s)
    {
        const dal_real *X = w->system_place + s->place;
        if (!s->energy)
            return NAN;
        for (int i = 0; i < s->n; i++)
            for (int j = 0; j <= i; j++, X++)
                energy += (i == j ? 0.5 : 1) * *X * w->v[column_of(layout, s, i)] * w->v[column_of(layout, s, j)];
    }
    return energy;
}

#ifndef DAL_SCALAR_VARIANT

/* Its place among the coordinates of a system, or -1. */
static int place_in(const dal_layout *layout, const dal_subsystem *s, int column)
{
    for (int k = 0; k < s->n; k++)
        if (column_of(layout, s, k) == column)
            return k;
    return -1;
}

static double entry_of(const dal_work *w, const dal_subsystem *s, int i, int j)
{
    return w->system_place[s->place + (i > j ? dal_triangle(i) + j : dal_triangle(j) + i)];
}

double dal_subsystems_row(const dal_layout *layout, const dal_work *w, int column, double *row)
{
    EACH_SYSTEM(s)
    {
        const int i = place_in(layout, s, column);
        for (int k = 0; k < s->n && i >= 0; k++)
            row[column_of(layout, s, k)] += entry_of(w, s, i, k);
        if (i >= 0)
            return s->energy ? w->system_place[s->place + dal_triangle(s->n) + i] : 0;
    }
    return 0;
}

void dal_subsystems_momentum_of(const dal_layout *layout, const dal_work *w, int column, double *momentum, double *size)
{
    EACH_SYSTEM(s)
    {
        const int i = place_in(layout, s, column);
        for (int k = 0; k <= s->n && i >= 0; k++) {
            const double part = k < s->n    ? entry_of(w, s, i, k) * w->v[column_of(layout, s, k)]
                                : s->energy ? w->system_place[s->place + dal_triangle(s->n) + i]
                                            : 0;
            *momentum += part;
            if (size)
                *size += fabs(part);
        }
    }
}

static const double indefinite = 1e-9; /* of the diagonal: less than zero by more */

int dal_subsystems_indefinite(const dal_layout *layout, dal_work *w, int *where)
{
    EACH_SYSTEM(s)
    {
        double *M = w->system_square, *S = M + s->n * s->n;
        for (int i = 0; i < s->n; i++)
            for (int j = 0; j < s->n; j++)
                M[i * s->n + j] = entry_of(w, s, i, j);
        if (dal_semidefinite(M, s->n, indefinite, S, where))
            continue;
        *where = layout->systems->coordinate[s->column + *where];
        return (int)(s - layout->systems->system);
    }
    return -1;
}

void dal_subsystems_coriolis(const dal_layout *layout, dal_work *w, double *C)
{
    const size_t n = (size_t)layout->nv;
    if (!layout->systems)
        return;
    dal_program_run(layout->systems->skew, w->system_variables, NULL, w->system_registers, w->system_skew);
    EACH_SYSTEM(s)
    {
        const double *rate = w->system_motion + s->motion, *skew = w->system_skew + s->skew;
        for (int i = 0; i < s->n && s->energy; i++)
            for (int j = 0; j <= i; j++, rate++) {
                const size_t a = (size_t)column_of(layout, s, i), b = (size_t)column_of(layout, s, j);
                const double turn = i == j ? 0 : *skew++;
                C[a * n + b] += *rate / 2 + turn;
                if (i != j)
                    C[b * n + a] += *rate / 2 - turn;
            }
    }
}

#endif
