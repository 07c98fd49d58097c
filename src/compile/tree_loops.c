/* The rows of a tree as loops on its links: which links each row acts on, and whether it depends only on relative motions. Also whether a sweep
 * computes everything that an evaluation needs. */
#include "compile/build.h"
#include "model/system.h"

#include <string.h>

/* A product that does not change when everything is moved alike: differences of points, or directions, and nothing of the ground. */
static bool is_relative(const dal_mechanism *m, const dal_measure *measure)
{
    int lone[2] = {0, 0}; /* points that no other is taken from, of either factor */
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return false;
    for (int k = 0; k < 4; k++) {
        if (measure->vector[k] < 0)
            continue;
        const dal_vector *x = &m->vectors[measure->vector[k]];
        if (x->body == DAL_GROUND)
            return false;
        if (measure->kind == DAL_MEASURE_DOT && x->point)
            lone[k / 2] += k % 2 ? -1 : 1;
    }
    return lone[0] == 0 && lone[1] == 0;
}

/* One component of the gap between two points of bodies, (P - O) . e = 0 with an axis e of the ground. */
static bool is_gap(const dal_mechanism *m, const dal_row *row)
{
    const dal_measure *measure = &m->measures[m->terms[row->term].measure];
    if (row->n_terms != 1 || row->form >= 0 || row->time >= 0 || row->constant != 0 || measure->kind != DAL_MEASURE_DOT || measure->vector[1] < 0 ||
        measure->vector[2] < 0 || measure->vector[3] >= 0)
        return false;
    const dal_vector *P = &m->vectors[measure->vector[0]], *O = &m->vectors[measure->vector[1]], *e = &m->vectors[measure->vector[2]];
    return P->point && O->point && P->body != DAL_GROUND && O->body != DAL_GROUND && e->body == DAL_GROUND && !e->point;
}

/* A joint that closes the gap in all directions does not depend on the ground: moved with both bodies, P - O turns, but it is zero. As much as
 * is left of it, K . a of the link where the row is complete takes into account. */
static bool is_part_of_a_point(const dal_mechanism *m, const dal_row *row)
{
    if (row->joint < 0 || !is_gap(m, row))
        return false;
    const dal_joint *joint = &m->joints[row->joint];
    const int *points = m->measures[m->terms[row->term].measure].vector;
    int directions = 0;
    for (int i = joint->row; i < joint->row + joint->n_rows; i++)
        directions += is_gap(m, &m->rows[i]) && !memcmp(m->measures[m->terms[m->rows[i].term].measure].vector, points, 2 * sizeof *points);
    return directions == (m->space == DAL_PLANAR ? 2 : 3);
}

dal_loops *dal_build_loops(dal_arena *arena, const dal_system *system)
{
    const dal_layout *layout = &system->layout;
    const dal_mechanism *m = layout->mechanism;
    bool *relative = DAL_NEW(arena, bool, layout->n_rows);
    dal_loop_side *side = NULL;
    size_t capacity = 0;
    int n = 0;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        const dal_row *row = &m->rows[at->source];
        relative[i] = true;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            relative[i] &= is_relative(m, &m->measures[m->terms[k].measure]);
        relative[i] |= is_part_of_a_point(m, row);
        for (int k = 0; k < at->n_sides; k++) {
            const int link = system->links->seat[layout->side[at->side + k].body].link;
            if (link >= 0)
                *DAL_PUSH(arena, side, n, capacity) = (dal_loop_side){i, link};
            else
                relative[i] = false; /* a body that is part of the ground */
        }
    }
    return dal_loops_build(arena, system->links, layout->n_rows, relative, n, side);
}

/* Weight alone: what acts otherwise is a force on a body or a coordinate, which has to be known before anything is eliminated. */
static bool has_only_weight(const dal_system *system)
{
    return dal_weight_acts_alone(&system->acting) && !system->actions.program && !system->drives.program && !system->works;
}

dal_sweep *dal_build_sweep(dal_arena *arena, const dal_system *system)
{
    const dal_layout *layout = &system->layout;
    int *winding = DAL_NEW(arena, int, layout->n_measures), n = 0;
    if (!system->loops || system->method.stabilization->stabilises_gamma || !has_only_weight(system))
        return NULL;
    for (int k = 0; k < layout->n_busy_measures; k++) /* the others turn no faster than the bodies do (dal_turns_excluded) */
        if (layout->mechanism->measures[layout->measure[k]].winding >= 0)
            winding[n++] = layout->measure[k];
    return dal_sweep_build(arena, system->links, system->loops, layout, n, winding, DAL_SWEEP_ENOUGH);
}
