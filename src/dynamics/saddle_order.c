/* Small saddle matrices
 *     K = [ G  A^T ]      of saddle.c, dense there
 *         [ A   0  ]
 * on their pattern: first the velocities, whose block G has to be positive definite, then the rows, which are left with -A G^-1 A^T (math/ldl.h).
 *
 * Compile: M and A are evaluated at random positions. An entry that is zero in all of them is assumed zero by structure (a bar measured from its
 * centre of mass has a diagonal M; the row of a pin along x has no entry of y). The other entries determine the order and the fill. Evaluation: the
 * entries assumed zero are checked, the others are stored, and one pass over lists factors them. Where an entry is not zero after all, or a pivot has
 * lost more than four digits against its own diagonal (rows that become dependent; a body without inertia), the result is not used, and saddle.c
 * factors the dense matrix with pivots. The choice depends on the position alone, not on what came before. Where bodies share coordinates a row may
 * vanish by itself in a singular position: its pivot is compared with that of a row of its weight (dal_unit_of_row) on free bodies of the model's
 * mass.
 */
#include "dynamics/saddle_order.h"
#include "kinematics/layout.h"
#include "math/chance.h"

#include <math.h>
#include <string.h>

enum { PROBES = 3 };
static const double light = 1e-8; /* of the largest inertia */

/* ---- compile -------------------------------------------------------------------------------- */

typedef struct probe {
    dal_arena *arena;
    const dal_layout *layout;
    dal_work work;
    bool *mass, *rows; /* of each entry of M and A: was it ever other than zero? */
    bool positive;     /* is M? */
} probe;

/* The start. */
static void place_start(probe *p, const dal_saddle_probe *at)
{
    const dal_layout *layout = p->layout;
    if (layout->placement) {
        memcpy(p->work.q, at->start_q, sizeof *p->work.q * (size_t)layout->nq);
        return;
    }
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_start *start = &at->start[b];
        memcpy(p->work.kin[b].r, start->r, sizeof start->r);
        memcpy(p->work.kin[b].R, start->R, sizeof start->R);
        if (!layout->family->shares)
            layout->family->place(layout, &p->work, b, start->r, start->R);
    }
    if (layout->family->shares)
        layout->family->place(layout, &p->work, -1, NULL, NULL);
}

/* Away from the start, each coordinate by up to the model's length; in space by other axes each time. */
static void place_probe(probe *p, int number, uint64_t *seed)
{
    static const int charts[PROBES][3] = {{2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
    const dal_layout *layout = p->layout;
    double *step = DAL_NEW(p->arena, double, layout->nv);
    for (int k = 0; k < layout->nv; k++) {
        step[k] = dal_chance(seed) * layout->units.length * layout->units.column_unit[k];
        p->work.v[k] = dal_chance(seed) * layout->units.length * layout->units.column_unit[k];
    }
    layout->family->add(layout, p->work.q, step);
    for (int k = 0; k < 3 * layout->mechanism->n_bodies && !layout->sequence_fixed; k++)
        p->work.chart[k] = charts[number][k % 3];
}

/* Is the block positive definite, with pivots that keep their digits and are not small beside those of other blocks? Bodies with nearly no inertia
 * need pivoting. U: units of its columns. */
static bool positive_block(const double *M, const double *U, int n, double *L, double *least, double *most)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = M[n * i + j];
            for (int k = 0; k < j; k++)
                sum -= L[n * i + k] * L[n * j + k] * L[n * k + k];
            if (i == j && !(sum > DAL_SADDLE_LEAST * M[n * i + i]))
                return false;
            L[n * i + j] = i == j ? sum : sum / L[n * j + j];
        }
    for (int i = 0; i < n; i++) {
        *least = fmin(*least, L[n * i + i] * U[i] * U[i]);
        *most = fmax(*most, L[n * i + i] * U[i] * U[i]);
    }
    return *least > light * *most;
}

static void probe_position(probe *p)
{
    const dal_layout *layout = p->layout;
    dal_layout_motion(layout, &p->work);
    dal_inertia(layout, &p->work);
    for (int k = 0; k < layout->n_mass; k++)
        p->mass[k] |= p->work.M[k] != 0;
    for (int k = 0; k < layout->n_values; k++)
        p->rows[k] |= p->work.A[k] != 0;
    double least = HUGE_VAL, most = 0;
    for (int b = 0; b < layout->n_blocks && p->positive; b++) {
        const dal_mass_block *at = &layout->block[b];
        p->positive = positive_block(p->work.M + at->value, layout->units.column_unit + at->column, at->n, DAL_NEW(p->arena, double, at->n * at->n),
                                     &least, &most);
    }
}

/* The pattern of K. False: a row has a column twice. */
static bool find_pattern(const probe *p, bool *pattern)
{
    const dal_layout *layout = p->layout;
    const int n = layout->nv + layout->n_rows;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < i; j++)
                pattern[n * (at->column + i) + at->column + j] = p->mass[at->value + at->n * i + j];
    }
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = at->value; k < at->value + at->n_values; k++) {
            bool *entry = &pattern[n * (layout->nv + i) + layout->column[k]];
            if (p->rows[k] && *entry)
                return false;
            *entry |= p->rows[k];
        }
    }
    return true;
}

/* The entries of M, and their zeros. Every diagonal element counts. */
static void list_mass(const probe *p, bool *filled, dal_saddle_order *out)
{
    const dal_layout *layout = p->layout;
    const int n = out->ldl.n;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j <= i; j++) {
                const int from = at->value + at->n * i + j, row = at->column + i, column = at->column + j;
                if (i > j && !p->mass[from]) {
                    out->zero_mass[out->n_zero_mass++] = from;
                    continue;
                }
                const int to = i == j ? out->place[row] : n + dal_ldl_entry(&out->ldl, out->place, row, column);
                filled[to] = true;
                out->mass[out->n_mass++] = (dal_saddle_entry){from, to};
            }
    }
}

static void list_rows(const probe *p, bool *filled, dal_saddle_order *out)
{
    const dal_layout *layout = p->layout;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        out->row_start[i] = out->n_rows;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            const int column = layout->column[k];
            if (!p->rows[k]) {
                out->zero_rows[out->n_zero_rows++] = k;
                continue;
            }
            const int to = out->ldl.n + dal_ldl_entry(&out->ldl, out->place, layout->nv + i, column);
            filled[to] = true;
            out->rows[out->n_rows++] = (dal_saddle_entry){k, to};
        }
    }
    out->row_start[layout->n_rows] = out->n_rows;
}

static void list_all(const probe *p, dal_saddle_order *out)
{
    const dal_layout *layout = p->layout;
    const int n = out->ldl.n;
    bool *filled = DAL_NEW(p->arena, bool, n + out->ldl.n_entries);
    out->unit = 1 / layout->units.mass;
    out->place = DAL_NEW(p->arena, int, n);
    for (int k = 0; k < n; k++)
        out->place[out->ldl.order[k]] = k;
    out->mass = DAL_NEW(p->arena, dal_saddle_entry, layout->n_mass);
    out->zero_mass = DAL_NEW(p->arena, int, layout->n_mass);
    out->rows = DAL_NEW(p->arena, dal_saddle_entry, layout->n_values);
    out->zero_rows = DAL_NEW(p->arena, int, layout->n_values);
    out->row_start = DAL_NEW(p->arena, int, layout->n_rows + 1);
    out->fill = DAL_NEW(p->arena, int, out->ldl.n_entries);
    list_mass(p, filled, out);
    list_rows(p, filled, out);
    for (int k = n; k < n + out->ldl.n_entries; k++)
        if (!filled[k])
            out->fill[out->n_fill++] = k;
}

/* A dense factorisation takes n^3 / 6 products, and four of them in the time of one here. */
static bool worth_it(const dal_ldl *ldl)
{
    const double n = ldl->n;
    return ldl->n_products < 8 * n + n * n * n / 24;
}

void dal_saddle_order_build(dal_arena *arena, const dal_saddle_probe *at, dal_saddle_order *out)
{
    const dal_layout *layout = at->layout;
    const size_t n = (size_t)(layout->nv + layout->n_rows);
    uint64_t seed = 18;
    probe p = {arena, layout, .positive = true};
    *out = (dal_saddle_order){0};
    dal_work_layout(layout, DAL_NEW(arena, dal_real, dal_work_size(layout)), DAL_NEW(arena, int, 3 * layout->mechanism->n_bodies), &p.work);
    p.mass = DAL_NEW(arena, bool, layout->n_mass);
    p.rows = DAL_NEW(arena, bool, layout->n_values);
    memcpy(p.work.winding, at->start_winding, sizeof *p.work.winding * (size_t)layout->mechanism->n_windings);
    place_start(&p, at);
    for (int number = 0; number < PROBES && p.positive; number++) {
        place_probe(&p, number, &seed);
        probe_position(&p);
    }
    bool *pattern = DAL_NEW(arena, bool, n *n);
    if (!p.positive || !find_pattern(&p, pattern))
        return;
    dal_ldl_build(arena, (int)n, layout->nv, pattern, &out->ldl);
    if (worth_it(&out->ldl))
        list_all(&p, out);
    else
        out->ldl = (dal_ldl){0};
}

void dal_saddle_order_pack(dal_block *block, const dal_saddle_order *from, int n_rows, dal_saddle_order *to)
{
    *to = *from;
    if (!from->ldl.n || from->shared)
        return;
    dal_ldl_pack(block, &from->ldl, &to->ldl);
    DAL_PACK(block, to->mass, from->n_mass);
    DAL_PACK(block, to->rows, from->n_rows);
    DAL_PACK(block, to->row_start, n_rows + 1);
    DAL_PACK(block, to->fill, from->n_fill);
    DAL_PACK(block, to->zero_mass, from->n_zero_mass);
    DAL_PACK(block, to->zero_rows, from->n_zero_rows);
    DAL_PACK(block, to->place, from->ldl.n);
}

void dal_saddle_order_keep(dal_arena *arena, const dal_saddle_order *from, int n_rows, dal_saddle_order *to)
{
    dal_saddle_order shape;
    dal_block block = {0};
    dal_saddle_order_pack(&block, from, n_rows, &shape);
    block = (dal_block){.memory = dal_arena_alloc(arena, block.used + 1)};
    dal_saddle_order_pack(&block, from, n_rows, to);
    to->shared = true;
}
