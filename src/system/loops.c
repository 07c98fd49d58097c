/* The rows of a tree as loops on its links: which links each row acts on, and whether it knows only relative motions. */
#include "system/build.h"

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

dal_loops *dal_build_loops(dal_arena *arena, const dal_system *system)
{
    const dal_layout *layout = &system->layout;
    const dal_mechanism *m = layout->mechanism;
    bool *relative = DAL_TAKE(arena, bool, layout->n_rows);
    dal_loop_side *side = NULL;
    size_t capacity = 0;
    int n = 0;
    for (int i = 0; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        const dal_row *row = &m->rows[at->source];
        relative[i] = true;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            relative[i] &= is_relative(m, &m->measures[m->terms[k].measure]);
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
