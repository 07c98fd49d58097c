/* From a mechanism and a family to sizes, columns and the block pattern of A and
 * M: everything that the kernels need to know and never have to search for.
 */
#include "kinematics/layout.h"

#include "math/vec.h"

#include <string.h>

#ifndef DAL_SCALAR_VARIANT

const dal_family *const dal_families[] = {&dal_family_angle, &dal_family_euler, &dal_family_natural, NULL};

static void count_bodies(dal_layout *layout)
{
    const dal_mechanism *m = layout->mechanism;
    for (int b = 0; b < m->n_bodies; b++) {
        dal_body_layout *at = &layout->body[b];
        layout->family->count(m->space, m->bodies[b].particle, &at->nq, &at->nv, &at->n_intrinsic);
        at->q = layout->nq;
        at->v = layout->nv;
        at->n_rot = at->nv - (int)m->space;
        at->mass = layout->n_mass;
        at->intrinsic = layout->n_extrinsic + layout->n_intrinsic;
        layout->nq += at->nq;
        layout->nv += at->nv;
        layout->n_mass += at->nv * at->nv;
        layout->n_intrinsic += at->n_intrinsic;
    }
    layout->n_rows = layout->n_extrinsic + layout->n_intrinsic;
}

/* The side of a body in a row, added if it is new. */
static int find_side(dal_layout *layout, dal_row_layout *at, int body, size_t *capacity, dal_arena *arena)
{
    for (int k = 0; k < at->n_sides; k++)
        if (layout->side[at->side + k].body == body)
            return k;
    dal_side *side = DAL_PUSH(arena, layout->side, layout->n_sides, *capacity);
    side->body = body;
    side->offset = at->n_values;
    at->n_values += layout->body[body].nv;
    return at->n_sides++;
}

static void connect_rows(dal_layout *layout, dal_arena *arena)
{
    const dal_mechanism *m = layout->mechanism;
    size_t capacity = 0;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        dal_row_layout *at = &layout->row[i];
        at->side = layout->n_sides;
        at->value = layout->n_values;
        for (int k = m->rows[i].term; k < m->rows[i].term + m->rows[i].n_terms; k++)
            for (int j = 0; j < 4; j++) {
                int vector = m->measures[m->terms[k].measure].vector[j];
                int body = vector < 0 ? DAL_GROUND : m->vectors[vector].body;
                layout->term_side[4 * k + j] = body == DAL_GROUND ? -1 : find_side(layout, at, body, &capacity, arena);
            }
        layout->n_values += at->n_values;
    }
    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < layout->body[b].n_intrinsic; i++) {
            dal_row_layout *at = &layout->row[layout->body[b].intrinsic + i];
            at->side = layout->n_sides;
            at->value = layout->n_values;
            find_side(layout, at, b, &capacity, arena);
            layout->n_values += at->n_values;
        }
}

static void number_columns(dal_layout *layout)
{
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = 0; k < at->n_sides; k++) {
            const dal_side *side = &layout->side[at->side + k];
            const dal_body_layout *body = &layout->body[side->body];
            for (int j = 0; j < body->nv; j++)
                layout->column[at->value + side->offset + j] = body->v + j;
        }
    }
}

/* (55)-(57) of `natural-absolute-coordinates`, corrected. */
static void fill_constant_mass(dal_layout *layout)
{
    const dal_mechanism *m = layout->mechanism;
    const int space = (int)m->space;
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body *body = &m->bodies[b];
        const dal_body_layout *at = &layout->body[b];
        const double *I = body->inertia, *c = body->center;
        double *M = layout->constant_mass + at->mass, trace = I[0] + I[4] + I[8];
        for (int i = 0; i < space; i++)
            M[at->nv * i + i] = body->mass;
        if (!at->n_rot)
            continue;
        for (int k = 0; k < space; k++)
            for (int i = 0; i < space; i++) {
                int column = space + space * k + i;
                M[at->nv * i + column] = M[at->nv * column + i] = body->mass * c[k];
                for (int l = 0; l < space; l++) {
                    double J = space == DAL_PLANAR ? (k == l) * I[8] / 2 : (k == l) * trace / 2 - I[3 * k + l];
                    M[at->nv * column + space + space * l + i] = J + body->mass * c[k] * c[l];
                }
            }
    }
}

dal_layout *dal_layout_build(dal_arena *arena, const dal_mechanism *mechanism, const dal_family *family, int n_times)
{
    dal_layout *layout = DAL_TAKE(arena, dal_layout, 1);
    layout->mechanism = mechanism;
    layout->family = family;
    layout->n_times = n_times;
    layout->n_extrinsic = mechanism->n_rows;
    layout->body = DAL_TAKE(arena, dal_body_layout, mechanism->n_bodies);
    count_bodies(layout);
    layout->row = DAL_TAKE(arena, dal_row_layout, layout->n_rows);
    layout->term_side = DAL_TAKE(arena, int, 4 * mechanism->n_terms);
    connect_rows(layout, arena);
    layout->column = DAL_TAKE(arena, int, layout->n_values);
    number_columns(layout);
    layout->constant_mass = DAL_TAKE(arena, double, layout->n_mass);
    if (family->separated)
        fill_constant_mass(layout);
    return layout;
}

void dal_layout_pack(dal_block *block, const dal_layout *from, const dal_mechanism *mechanism, dal_layout *to)
{
    *to = *from;
    to->mechanism = mechanism;
    DAL_PACK(block, to->body, mechanism->n_bodies);
    DAL_PACK(block, to->row, from->n_rows);
    DAL_PACK(block, to->side, from->n_sides);
    DAL_PACK(block, to->term_side, 4 * mechanism->n_terms);
    DAL_PACK(block, to->column, from->n_values);
    DAL_PACK(block, to->constant_mass, from->n_mass);
}

void dal_mechanism_pack(dal_block *block, const dal_mechanism *from, dal_mechanism *to)
{
    *to = *from;
    to->arena = NULL;
    DAL_PACK(block, to->bodies, from->n_bodies);
    DAL_PACK(block, to->vectors, from->n_vectors);
    DAL_PACK(block, to->measures, from->n_measures);
    DAL_PACK(block, to->terms, from->n_terms);
    DAL_PACK(block, to->rows, from->n_rows);
    DAL_PACK(block, to->joints, from->n_joints);
    for (int i = 0; i < from->n_bodies; i++) {
        const char *name = dal_block_text(block, from->bodies[i].name);
        if (block->memory)
            to->bodies[i].name = name, to->bodies[i].mark.file = NULL;
    }
    for (int i = 0; i < from->n_joints; i++) {
        const char *name = dal_block_text(block, from->joints[i].name);
        if (block->memory)
            to->joints[i].name = name, to->joints[i].mark.file = NULL;
    }
}

#endif

enum { REALS_IN_KIN = sizeof(dal_kin) / sizeof(dal_real) };

/* One list for measuring and laying out: `take` hands out `n` reals, or counts them while memory is NULL. */
static dal_real *take(dal_real *memory, size_t *used, size_t n)
{
    dal_real *at = memory ? memory + *used : NULL;
    *used += n;
    return at;
}

static size_t lay(const dal_layout *layout, dal_real *memory, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    const size_t vectors = (size_t)m->n_vectors, measures = (size_t)m->n_measures, rows = (size_t)layout->n_rows;
    size_t used = 0;
    w->q = take(memory, &used, (size_t)layout->nq);
    w->v = take(memory, &used, (size_t)layout->nv);
    w->kin = (dal_kin *)(void *)take(memory, &used, REALS_IN_KIN * ((size_t)m->n_bodies + 1));
    if (memory)
        w->kin++; /* kin[-1] is the ground */
    w->x = take(memory, &used, 3 * vectors);
    w->xd = take(memory, &used, 3 * vectors);
    w->xb = take(memory, &used, 3 * vectors);
    w->value = take(memory, &used, measures);
    w->rate = take(memory, &used, measures);
    w->bias = take(memory, &used, measures);
    w->gradient = take(memory, &used, 12 * measures);
    w->winding = take(memory, &used, (size_t)m->n_windings);
    w->phi = take(memory, &used, rows);
    w->phid = take(memory, &used, rows);
    w->A = take(memory, &used, (size_t)layout->n_values);
    w->gamma = take(memory, &used, rows);
    w->M = take(memory, &used, (size_t)layout->n_mass);
    w->h = take(memory, &used, (size_t)layout->nv);
    w->Q = take(memory, &used, (size_t)layout->nv);
    w->force = take(memory, &used, 6 * (size_t)m->n_bodies);
    w->time = take(memory, &used, 3 * (size_t)layout->n_times);
    return used;
}

size_t dal_work_size(const dal_layout *layout)
{
    dal_work none;
    return lay(layout, NULL, &none);
}

void dal_work_lay(const dal_layout *layout, dal_real *memory, int *chart, dal_work *w)
{
    static const int zyx[3] = {2, 1, 0};
    size_t n = lay(layout, memory, w);
    for (size_t i = 0; i < n; i++)
        memory[i] = 0;
    w->t = 0;
    w->chart = chart;
    for (int b = -1; b < layout->mechanism->n_bodies; b++) {
        for (int i = 0; i < 9; i++)
            w->kin[b].R[i] = i % 4 == 0;
        if (layout->mechanism->space == DAL_PLANAR)
            w->kin[b].J[0][2] = 1; /* the only turn there is */
        if (b >= 0)
            for (int i = 0; i < 3; i++)
                chart[3 * b + i] = layout->sequence_fixed ? layout->sequence[i] : zyx[i];
    }
}
