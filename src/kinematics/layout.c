/* From a mechanism and a family to sizes, columns and the block pattern of A and M. The kernels read these lists and never search.
 */
#include "kinematics/layout.h"
#include "kinematics/gaps.h"
#include "joint/joint.h"

#include "joint/joint.h"

#include "kinematics/reduction.h"
#include "kinematics/placement.h"
#include "kinematics/subsystems.h"
#include "kinematics/tree.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

const dal_family *const dal_families[] = {&dal_family_angle, &dal_family_euler, &dal_family_natural, &dal_family_joint, &dal_family_user, NULL};

const dal_family *dal_family_numbered(int number)
{
    static const dal_family *const all[] = {&dal_family_angle, &dal_family_euler,           &dal_family_natural,
                                            &dal_family_joint, &dal_family_natural_reduced, &dal_family_user};
    return number < (int)(sizeof all / sizeof *all) ? all[number] : NULL;
}

#ifndef DAL_SCALAR_VARIANT

int dal_family_number(const dal_family *family)
{
    int k = 0;
    while (dal_family_numbered(k) && dal_family_numbered(k) != family)
        k++;
    return k;
}

/* Families that own columns: a body after the other. */
static void count_bodies(dal_layout *layout, dal_arena *arena)
{
    const dal_mechanism *m = layout->mechanism;
    layout->block = DAL_NEW(arena, dal_mass_block, m->n_bodies);
    layout->n_blocks = m->n_bodies;
    for (int b = 0; b < m->n_bodies; b++) {
        dal_body_layout *at = &layout->body[b];
        layout->family->count(m->space, m->bodies[b].particle, &at->nq, &at->nv, &at->n_intrinsic);
        at->q = layout->nq;
        at->v = at->column = layout->nv;
        at->n_columns = at->nv;
        at->n_rot = at->nv - (int)m->space;
        at->intrinsic = layout->n_extrinsic + layout->n_intrinsic;
        layout->block[b] = (dal_mass_block){layout->n_mass, at->v, at->nv};
        layout->nq += at->nq;
        layout->nv += at->nv;
        layout->n_mass += at->nv * at->nv;
        layout->n_intrinsic += at->n_intrinsic;
    }
    layout->n_body_columns = layout->nv;
    layout->body_column = DAL_NEW(arena, int, layout->nv);
    layout->angular = DAL_NEW(arena, int, layout->nv);
    for (int b = 0; b < m->n_bodies; b++)
        for (int k = 0; k < layout->body[b].nv; k++) {
            layout->body_column[layout->body[b].v + k] = layout->body[b].v + k;
            layout->angular[layout->body[b].v + k] = k >= (int)m->space;
        }
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
    at->n_values += layout->body[body].n_columns;
    return at->n_sides++;
}

static void connect_row(dal_layout *layout, dal_row_layout *at, const dal_row *row, size_t *capacity, dal_arena *arena)
{
    const dal_mechanism *m = layout->mechanism;
    at->side = layout->n_sides;
    at->value = layout->n_values;
    for (int k = row->term; k < row->term + row->n_terms; k++) {
        const dal_measure *measure = &m->measures[m->terms[k].measure];
        for (int j = 0; j < 4; j++) {
            int vector = measure->kind == DAL_MEASURE_COORDINATE ? -1 : measure->vector[j];
            int body = vector < 0 ? DAL_GROUND : m->vectors[vector].body;
            layout->term_side[4 * k + j] = body == DAL_GROUND ? -1 : find_side(layout, at, body, capacity, arena);
        }
    }
    layout->n_values += at->n_values;
}

/* Families that own columns: the blocks of a row's bodies are side by side. */
static void connect_rows(dal_layout *layout, dal_arena *arena)
{
    const dal_mechanism *m = layout->mechanism;
    size_t capacity = 0;
    for (int i = 0; i < layout->n_extrinsic; i++)
        connect_row(layout, &layout->row[i], &m->rows[layout->row[i].source], &capacity, arena);
    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < layout->body[b].n_intrinsic; i++) {
            dal_row_layout *at = &layout->row[layout->body[b].intrinsic + i];
            at->source = -1;
            at->side = layout->n_sides;
            at->value = layout->n_values;
            find_side(layout, at, b, &capacity, arena);
            layout->n_values += at->n_values;
        }
    for (int i = 0; i < layout->n_speeds; i++)
        connect_row(layout, &layout->row[layout->n_rows + i], &m->speeds[i], &capacity, arena);
    layout->column = DAL_NEW(arena, int, layout->n_values);
    for (int i = 0; i < layout->n_rows + layout->n_speeds; i++) {
        const dal_row_layout *at = &layout->row[i];
        for (int k = 0; k < at->n_sides; k++) {
            const dal_side *side = &layout->side[at->side + k];
            const dal_body_layout *body = &layout->body[side->body];
            for (int j = 0; j < body->nv; j++)
                layout->column[at->value + side->offset + j] = body->v + j;
        }
    }
}

/* Columns that a row has: `entry` of each, -1 where it has it not; `list` of those that it has. */
typedef struct column_set {
    int *entry, *list, n;
} column_set;

static void add_column(column_set *set, int column)
{
    if (set->entry[column] < 0) {
        set->entry[column] = 0;
        set->list[set->n++] = column;
    }
}

/* Ascending: the columns of a body ascend already, so that little has to move. */
static void sort_columns(column_set *set)
{
    for (int gap = set->n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < set->n; i++) {
            int value = set->list[i], k = i;
            for (; k >= gap && set->list[k - gap] > value; k -= gap)
                set->list[k] = set->list[k - gap];
            set->list[k] = value;
        }
}

/* Ascending, they become the entries of a row. */
static void number_columns(dal_layout *layout, dal_row_layout *at, size_t capacity[3], column_set *set, dal_arena *arena)
{
    sort_columns(set);
    for (int i = 0; i < set->n; i++) {
        set->entry[set->list[i]] = at->n_values++;
        *DAL_PUSH(arena, layout->column, layout->n_values, capacity[1]) = set->list[i];
    }
}

static void clear_columns(column_set *set)
{
    for (; set->n > 0; set->n--)
        set->entry[set->list[set->n - 1]] = -1;
}

/* Families that share columns: a row has the union of its bodies' columns and of the coordinates that it names. */
static void connect_shared_row(dal_layout *layout, dal_row_layout *at, const dal_row *row, size_t capacity[3], column_set *set, dal_arena *arena)
{
    const dal_mechanism *m = layout->mechanism;
    int n_sides = layout->n_sides, n_values = layout->n_values;
    connect_row(layout, at, row, &capacity[0], arena);
    layout->n_values = n_values;
    at->n_values = 0;
    for (int s = n_sides; s < layout->n_sides; s++) {
        const dal_body_layout *body = &layout->body[layout->side[s].body];
        for (int k = 0; k < body->n_columns; k++)
            add_column(set, layout->body_column[body->column + k]);
    }
    for (int k = row->term; k < row->term + row->n_terms; k++)
        if (m->measures[m->terms[k].measure].kind == DAL_MEASURE_COORDINATE)
            add_column(set, layout->own_v + m->measures[m->terms[k].measure].vector[0]);
    number_columns(layout, at, capacity, set, arena);
    for (int s = n_sides; s < layout->n_sides; s++) {
        const dal_body_layout *body = &layout->body[layout->side[s].body];
        layout->side[s].map = layout->n_map;
        for (int k = 0; k < body->n_columns; k++)
            *DAL_PUSH(arena, layout->map, layout->n_map, capacity[2]) = set->entry[layout->body_column[body->column + k]];
    }
    for (int k = row->term; k < row->term + row->n_terms; k++)
        if (m->measures[m->terms[k].measure].kind == DAL_MEASURE_COORDINATE)
            layout->term_entry[k] = set->entry[layout->own_v + m->measures[m->terms[k].measure].vector[0]];
    clear_columns(set);
}

/* natural with linear rows eliminated: an intrinsic row of a body has the columns of the two directions that it multiplies. */
static void connect_intrinsic_row(dal_layout *layout, int body, int i, size_t capacity[3], column_set *set, dal_arena *arena)
{
    const dal_reduction *e = layout->reduction;
    const dal_body_layout *of = &layout->body[body];
    const int space = (int)layout->mechanism->space;
    dal_row_layout *at = &layout->row[of->intrinsic + i];
    *at = (dal_row_layout){.source = -1, .side = layout->n_sides, .value = layout->n_values, .n_sides = 1};
    for (int k = 0; k < 2; k++) {
        const int first = e->natural[body] + space * (1 + dal_natural_pairs[i][k]);
        for (int j = e->first[first]; j < e->first[first + space]; j++)
            add_column(set, e->column[j]);
    }
    number_columns(layout, at, capacity, set, arena);
    *DAL_PUSH(arena, layout->side, layout->n_sides, capacity[0]) = (dal_side){.body = body, .map = layout->n_map};
    for (int k = 0; k < of->n_columns; k++) {
        const int entry = set->entry[layout->body_column[of->column + k]];
        *DAL_PUSH(arena, layout->map, layout->n_map, capacity[2]) = entry < 0 ? 0 : entry; /* of others the gradient is zero */
    }
    clear_columns(set);
}

static void connect_shared_rows(dal_layout *layout, dal_arena *arena)
{
    size_t capacity[3] = {0, 0, 0};
    column_set set = {DAL_NEW(arena, int, layout->nv), DAL_NEW(arena, int, layout->nv), 0};
    for (int j = 0; j < layout->nv; j++)
        set.entry[j] = -1;
    for (int i = 0; i < layout->n_extrinsic; i++)
        connect_shared_row(layout, &layout->row[i], &layout->mechanism->rows[layout->row[i].source], capacity, &set, arena);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        for (int i = 0; i < layout->body[b].n_intrinsic; i++)
            connect_intrinsic_row(layout, b, i, capacity, &set, arena);
    for (int i = 0; i < layout->n_speeds; i++)
        connect_shared_row(layout, &layout->row[layout->n_rows + i], &layout->mechanism->speeds[i], capacity, &set, arena);
}

/* Which rows of the mechanism are rows of the layout: all but those of the joints of the tree (their drives stay) and eliminated ones. */
static void choose_rows(dal_layout *layout, dal_arena *arena)
{
    const dal_mechanism *m = layout->mechanism;
    layout->row_at = DAL_NEW(arena, int, m->n_rows);
    for (int i = 0; i < m->n_rows; i++)
        layout->row_at[i] = (layout->tree && dal_tree_holds(layout->tree, m, i)) || (layout->reduction && layout->reduction->held_at[i] >= 0)
                                ? -1
                                : layout->n_extrinsic++;
}

static void fill_sources(dal_layout *layout)
{
    for (int i = 0; i < layout->mechanism->n_rows; i++)
        if (layout->row_at[i] >= 0)
            layout->row[layout->row_at[i]].source = i;
    for (int i = 0; i < layout->n_speeds; i++)
        layout->row[layout->n_rows + i].source = i;
}

/* Vectors and measures that are evaluated, and which of them every evaluation reads. */
typedef struct reading {
    bool *measure, *vector, *busy_measure, *busy_vector;
} reading;

/* May the angle turn no faster than the bodies do? In the plane, and where a joint keeps its axes parallel. Then turns are counted without it
 * (dal_state_turned). */
static bool follows_bodies(const dal_mechanism *m, int measure)
{
    if (m->space == DAL_PLANAR || m->measures[measure].kind != DAL_MEASURE_ANGLE)
        return true;
    for (int j = 0; j < m->n_joints; j++)
        for (int k = 0; k < m->joints[j].n_coordinates; k++)
            if (m->joints[j].coordinate[k] == measure)
                return m->joints[j].type && m->joints[j].type->keeps != DAL_KEEPS_NO_AXIS && k == 0;
    return false;
}

static void read_rows(const dal_layout *layout, bool *measure)
{
    const dal_mechanism *m = layout->mechanism;
    for (int i = 0; i < layout->n_rows + layout->n_speeds; i++) {
        const int source = layout->row[i].source;
        if (i >= layout->n_extrinsic && i < layout->n_rows)
            continue;
        const dal_row *row = i < layout->n_rows ? &m->rows[source] : &m->speeds[source];
        for (int k = row->term; k < row->term + row->n_terms; k++)
            measure[m->terms[k].measure] = true;
    }
    for (int i = 0; i < layout->forms.n_needs; i++)
        if (layout->forms.need[2 * i + 1] >= 0)
            measure[layout->forms.need[2 * i + 1]] = true;
}

static void read_vectors(const dal_mechanism *m, const bool *measure, bool *vector)
{
    for (int i = 0; i < m->n_measures; i++)
        for (int k = 0; k < 4 && measure[i] && m->measures[i].kind != DAL_MEASURE_COORDINATE; k++)
            if (m->measures[i].vector[k] >= 0)
                vector[m->measures[i].vector[k]] = true;
}

/* Measures of the rows here, of their coefficients, and those that others want; then the vectors of these. Where no joint holds by
 * construction that is all of them: angles are measured for the sake of their whole turns. */
static void choose_vectors(dal_layout *layout, dal_arena *arena, reading *r)
{
    const dal_mechanism *m = layout->mechanism;
    const bool held = layout->tree || layout->reduction; /* joints hold by construction */
    r->measure = DAL_NEW(arena, bool, m->n_measures), r->vector = DAL_NEW(arena, bool, m->n_vectors);
    r->busy_measure = DAL_NEW(arena, bool, m->n_measures), r->busy_vector = DAL_NEW(arena, bool, m->n_vectors);
    for (int i = 0; i < m->n_measures; i++) {
        r->measure[i] = !held || m->measures[i].wanted || (layout->reduction && m->measures[i].kind != DAL_MEASURE_DOT);
        r->busy_measure[i] = !layout->lazy || m->measures[i].busy || !follows_bodies(m, i);
    }
    read_rows(layout, r->measure);
    read_rows(layout, r->busy_measure);
    for (int i = 0; i < m->n_measures; i++)
        r->busy_measure[i] &= r->measure[i];
    for (int i = 0; i < m->n_vectors; i++) {
        r->vector[i] = !held || m->vectors[i].wanted;
        r->busy_vector[i] = r->vector[i] && (!layout->lazy || m->vectors[i].busy);
    }
    read_vectors(m, r->measure, r->vector);
    read_vectors(m, r->busy_measure, r->busy_vector);
}

/* The lists, what is busy first. Measures of gaps are taken with their rows. */
static void list_vectors(dal_layout *layout, dal_arena *arena, const reading *r)
{
    const dal_mechanism *m = layout->mechanism;
    layout->measure = DAL_NEW(arena, int, m->n_measures);
    layout->vector = DAL_NEW(arena, int, m->n_vectors);
    layout->flat = m->space == DAL_PLANAR;
    for (int i = 0; i < layout->n_gaps; i++)
        r->measure[layout->gap[i].measure] = false;
    for (int idle = 0; idle < 2; idle++) {
        for (int i = 0; i < m->n_measures; i++)
            if (r->measure[i] && r->busy_measure[i] != (bool)idle)
                layout->measure[layout->n_measures++] = i;
        for (int i = 0; i < m->n_vectors; i++)
            if (r->vector[i] && r->busy_vector[i] != (bool)idle && m->vectors[i].body != DAL_GROUND) {
                layout->vector[layout->n_vectors++] = i;
                layout->flat &= m->vectors[i].s[2] == 0;
            }
        if (!idle) {
            layout->n_busy_measures = layout->n_measures;
            layout->n_busy_vectors = layout->n_vectors;
        }
    }
}

static void fill_constant_mass(dal_layout *layout)
{
    const dal_mechanism *m = layout->mechanism;
    const int space = (int)m->space;
    for (int b = 0; b < m->n_bodies; b++) {
        const dal_body_layout *at = &layout->body[b];
        double *M = layout->constant_mass + layout->block[b].value, mu[16];
        dal_natural_moments(m->space, &m->bodies[b], mu);
        for (int k = 0; k < at->nv / space; k++)
            for (int l = 0; l < at->nv / space; l++)
                for (int i = 0; i < space; i++)
                    M[at->nv * (space * k + i) + space * l + i] = mu[(1 + space) * k + l];
    }
}

/* The next one above a length; 1 where it is not known. */
static double power_of_two(double length)
{
    int exponent = 0;
    if (length > 0)
        frexp(length, &exponent);
    return ldexp(1, exponent);
}

/* ---- layouts that share their arrays ---------------------------------------------------------------------- */

static bool rows_alike(int n, const dal_row *a, const dal_row *b)
{
    for (int i = 0; i < n; i++)
        if (a[i].term != b[i].term || a[i].n_terms != b[i].n_terms || a[i].curved != b[i].curved || (a[i].form < 0) != (b[i].form < 0) ||
            (a[i].time < 0) != (b[i].time < 0))
            return false;
    return true;
}

static bool same_ends(const dal_measure *a, const dal_measure *b)
{
    return a->vector[0] == b->vector[0] && a->vector[1] == b->vector[1] && a->vector[2] == b->vector[2] && a->vector[3] == b->vector[3];
}

/* The inputs of a layout without tree and placement. */
static bool numbered_alike(const dal_mechanism *a, const dal_mechanism *b)
{
    if (a->space != b->space || a->n_bodies != b->n_bodies || a->n_vectors != b->n_vectors || a->n_measures != b->n_measures ||
        a->n_terms != b->n_terms || a->n_rows != b->n_rows || a->n_speeds != b->n_speeds)
        return false;
    for (int i = 0; i < a->n_bodies; i++)
        if (a->bodies[i].particle != b->bodies[i].particle)
            return false;
    for (int i = 0; i < a->n_vectors; i++) {
        const dal_vector *x = &a->vectors[i], *y = &b->vectors[i];
        if (x->body != y->body || x->point != y->point || x->busy != y->busy || (x->s[2] == 0) != (y->s[2] == 0))
            return false;
    }
    for (int i = 0; i < a->n_measures; i++)
        if (a->measures[i].kind != b->measures[i].kind || !same_ends(&a->measures[i], &b->measures[i]) ||
            a->measures[i].busy != b->measures[i].busy || (a->space == DAL_SPATIAL && follows_bodies(a, i) != follows_bodies(b, i)))
            return false;
    for (int i = 0; i < a->n_terms; i++)
        if (a->terms[i].measure != b->terms[i].measure)
            return false;
    return rows_alike(a->n_rows, a->rows, b->rows) && rows_alike(a->n_speeds, a->speeds, b->speeds);
}

static bool can_share(const dal_layout *like, const dal_mechanism *mechanism, const dal_family *family, const dal_layout_parts *parts)
{
    return like && like->family == family && like->lazy == parts->lazy && !parts->tree && !parts->placement &&
           numbered_alike(like->mechanism, mechanism);
}

static void copy_parts(dal_layout *layout, const dal_mechanism *mechanism, const dal_family *family, const dal_layout_parts *parts)
{
    layout->mechanism = mechanism;
    layout->family = family;
    layout->lazy = parts->lazy;
    layout->n_times = parts->n_times;
    layout->tree = parts->tree;
    layout->length = power_of_two(parts->length);
    layout->placement = parts->placement;
    layout->systems = parts->systems;
    layout->forms = parts->forms;
}

static void layout_mass(dal_layout *layout, dal_arena *arena)
{
    layout->constant_mass = DAL_NEW(arena, double, layout->family->separated ? layout->n_mass : 0);
    if (layout->reduction)
        dal_reduction_mass(layout);
    else if (layout->family->separated)
        fill_constant_mass(layout);
}

dal_layout *dal_layout_build(dal_arena *arena, const dal_mechanism *mechanism, const dal_family *family, const dal_layout_parts *parts)
{
    dal_layout *layout = DAL_NEW(arena, dal_layout, 1);
    if (can_share(parts->like, mechanism, family, parts)) {
        *layout = *parts->like;
        copy_parts(layout, mechanism, family, parts);
        layout_mass(layout, arena);
        return layout;
    }
    copy_parts(layout, mechanism, family, parts);
    layout->body = DAL_NEW(arena, dal_body_layout, mechanism->n_bodies);
    if (family->eliminates)
        layout->reduction = dal_reduction_build(arena, mechanism, layout->length);
    choose_rows(layout, arena);
    layout->columnless = parts->recursive && layout->tree && !layout->n_extrinsic && !mechanism->n_speeds;
    if (layout->tree)
        dal_tree_columns(arena, layout);
    else if (layout->placement)
        dal_placement_columns(arena, layout);
    else if (layout->reduction)
        dal_reduction_columns(arena, layout);
    else
        count_bodies(layout, arena);
    layout->n_rows = layout->n_extrinsic + layout->n_intrinsic;
    layout->n_speeds = mechanism->n_speeds;
    layout->row = DAL_NEW(arena, dal_row_layout, layout->n_rows + layout->n_speeds);
    fill_sources(layout);
    for (int i = 0; i < layout->n_extrinsic; i++) {
        layout->curved |= mechanism->rows[layout->row[i].source].curved;
        layout->derived |= mechanism->rows[layout->row[i].source].derived;
    }
    reading r;
    choose_vectors(layout, arena, &r);
    layout->term_side = DAL_NEW(arena, int, 4 * mechanism->n_terms);
    layout->term_entry = DAL_NEW(arena, int, mechanism->n_terms);
    if (family->shares)
        connect_shared_rows(layout, arena);
    else
        connect_rows(layout, arena);
    dal_gaps_find(arena, layout);
    list_vectors(layout, arena, &r);
    layout_mass(layout, arena);
    return layout;
}

static void pack_forms(dal_block *block, dal_layout *to)
{
    DAL_PACK(block, to->forms.need, 2 * to->forms.n_needs);
    DAL_PACK(block, to->forms.rate, 2 * to->forms.n_rates);
    if (to->forms.program) {
        void *copy = dal_block_copy(block, to->forms.program, dal_program_bytes(to->forms.program));
        if (copy)
            to->forms.program = copy;
    }
}

void dal_layout_pack(dal_block *block, const dal_layout *from, const dal_mechanism *mechanism, dal_layout *to)
{
    *to = *from;
    to->mechanism = mechanism;
    DAL_PACK(block, to->constant_mass, from->family->separated ? from->n_mass : 0);
    pack_forms(block, to);
    to->tree = DAL_PACKED(block, from->tree, dal_tree_arrays);
    if (from->placement)
        to->placement = dal_placement_pack(block, from->placement);
    if (from->systems)
        to->systems = dal_subsystems_pack(block, from->systems);
    to->reduction = DAL_PACKED(block, from->reduction, dal_reduction_arrays);
    if (from->shared)
        return;
    DAL_PACK(block, to->body, mechanism->n_bodies);
    DAL_PACK(block, to->block, from->n_blocks);
    DAL_PACK(block, to->row, from->n_rows + from->n_speeds);
    DAL_PACK(block, to->row_at, mechanism->n_rows);
    DAL_PACK(block, to->measure, from->n_measures);
    DAL_PACK(block, to->vector, from->n_vectors);
    DAL_PACK(block, to->gap, from->n_gaps);
    DAL_PACK(block, to->other, from->n_others);
    DAL_PACK(block, to->side, from->n_sides);
    DAL_PACK(block, to->term_side, 4 * mechanism->n_terms);
    DAL_PACK(block, to->term_entry, mechanism->n_terms);
    DAL_PACK(block, to->map, from->n_map);
    DAL_PACK(block, to->body_column, from->n_body_columns);
    DAL_PACK(block, to->column, from->n_values);
    DAL_PACK(block, to->angular, from->nv);
}

/* A type of the model's own lives as long as the model. */
static void pack_type(dal_block *block, const dal_joint_type *from, const dal_joint_type **to)
{
    dal_joint_type *type = dal_block_copy(block, from, sizeof *from);
    const char *name = dal_block_text(block, from->name);
    if (type)
        type->name = name;
    for (int k = 0; k < DAL_MAX_COORDINATES && from->planar.coordinates[k]; k++) {
        const char *coordinate = dal_block_text(block, from->planar.coordinates[k]);
        if (type)
            type->planar.coordinates[k] = type->spatial.coordinates[k] = coordinate;
    }
    if (type)
        *to = type;
}

static const dal_block_array mechanism_arrays[] = {DAL_ARRAY(dal_mechanism, bodies, n_bodies),     DAL_ARRAY(dal_mechanism, vectors, n_vectors),
                                                   DAL_ARRAY(dal_mechanism, measures, n_measures), DAL_ARRAY(dal_mechanism, terms, n_terms),
                                                   DAL_ARRAY(dal_mechanism, rows, n_rows),         DAL_ARRAY(dal_mechanism, speeds, n_speeds),
                                                   DAL_ARRAY(dal_mechanism, joints, n_joints),     {0}};

void dal_mechanism_pack(dal_block *block, const dal_mechanism *from, dal_mechanism *to)
{
    *to = *from;
    to->arena = NULL;
    dal_block_arrays(block, mechanism_arrays, from, to);
    for (int i = 0; i < from->n_bodies; i++) {
        const char *name = dal_block_name(block, from->bodies[i].name);
        if (block->memory)
            to->bodies[i].name = name, to->bodies[i].mark.file = NULL;
    }
    for (int i = 0; i < from->n_joints; i++) {
        const char *file = from->joints[i].mark.file ? dal_block_name(block, from->joints[i].mark.file) : NULL;
        const char *name = dal_block_name(block, from->joints[i].name);
        if (block->memory)
            to->joints[i].name = name, to->joints[i].mark.file = file;
        if (from->joints[i].label && (name = dal_block_name(block, from->joints[i].label)))
            to->joints[i].label = name;
        if (from->joints[i].derived && (name = dal_block_text(block, from->joints[i].derived)))
            to->joints[i].derived = name;
        if (from->joints[i].derived_text && (name = dal_block_text(block, from->joints[i].derived_text)))
            to->joints[i].derived_text = name;
        if (from->joints[i].type && from->joints[i].type->written)
            pack_type(block, from->joints[i].type, &to->joints[i].type);
    }
}

const dal_layout *dal_layout_keep(dal_arena *arena, const dal_layout *layout)
{
    dal_layout *kept = NULL, local;
    dal_mechanism *mechanism = NULL, its;
    if (layout->tree || layout->placement || layout->systems || layout->reduction) /* the values of a model are in these */
        return NULL;
    for (dal_block block = {0};; block.used = 0) { /* measured, then filled */
        mechanism = dal_block_alloc(&block, sizeof *mechanism);
        kept = dal_block_alloc(&block, sizeof *kept);
        dal_mechanism_pack(&block, layout->mechanism, mechanism ? mechanism : &its);
        dal_layout_pack(&block, layout, mechanism ? mechanism : layout->mechanism, kept ? kept : &local);
        if (kept)
            break;
        block.memory = dal_arena_alloc(arena, block.used);
    }
    kept->shared = true;
    return kept;
}

#endif

enum { REALS_IN_KIN = sizeof(dal_kin) / sizeof(dal_real) };

/* One list for measuring and laying out: `take` hands out `n` reals, or counts them while memory is NULL. */
static dal_real *reserve_reals(dal_real *memory, size_t *used, size_t n)
{
    dal_real *at = memory ? memory + *used : NULL;
    *used += n;
    return at;
}

static size_t layout_work(const dal_layout *layout, dal_real *memory, dal_work *w)
{
    const dal_mechanism *m = layout->mechanism;
    const size_t vectors = (size_t)m->n_vectors, measures = (size_t)m->n_measures, rows = (size_t)(layout->n_rows + layout->n_speeds);
    size_t used = 0;
    w->q = reserve_reals(memory, &used, (size_t)layout->nq);
    w->v = reserve_reals(memory, &used, (size_t)layout->nv);
    w->kin = (dal_kin *)(void *)reserve_reals(memory, &used, REALS_IN_KIN * ((size_t)m->n_bodies + 1));
    if (memory)
        w->kin++; /* kin[-1] is the ground */
    w->x = reserve_reals(memory, &used, 3 * vectors);
    w->xd = reserve_reals(memory, &used, 3 * vectors);
    w->xb = reserve_reals(memory, &used, 3 * vectors);
    w->value = reserve_reals(memory, &used, measures);
    w->rate = reserve_reals(memory, &used, measures);
    w->bias = reserve_reals(memory, &used, measures);
    w->gradient = reserve_reals(memory, &used, 12 * measures);
    w->winding = reserve_reals(memory, &used, (size_t)m->n_windings);
    w->coef = reserve_reals(memory, &used, (size_t)m->n_terms);
    w->along = reserve_reals(memory, &used, measures);
    w->across = reserve_reals(memory, &used, measures);
    w->second = reserve_reals(memory, &used, measures);
    if (layout->forms.program) {
        w->form = reserve_reals(memory, &used, (size_t)dal_program_outputs(layout->forms.program));
        w->form_registers = reserve_reals(memory, &used, (size_t)dal_program_registers(layout->forms.program));
        w->form_variables = reserve_reals(memory, &used, (size_t)layout->forms.n_variables);
    }
    if (layout->systems) {
        const dal_program *const programs[] = {layout->systems->place, layout->systems->motion, layout->systems->skew};
        size_t most = 0;
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
            most = (size_t)dal_program_registers(programs[i]) > most ? (size_t)dal_program_registers(programs[i]) : most;
        w->system_place = reserve_reals(memory, &used, (size_t)dal_program_outputs(layout->systems->place));
        w->system_motion = reserve_reals(memory, &used, (size_t)dal_program_outputs(layout->systems->motion));
        w->system_registers = reserve_reals(memory, &used, most);
        w->system_variables = reserve_reals(memory, &used, (size_t)layout->systems->n_variables);
        w->system_skew = reserve_reals(memory, &used, (size_t)dal_program_outputs(layout->systems->skew));
        w->system_square = reserve_reals(memory, &used, 2 * (size_t)(layout->systems->n_coordinates * layout->systems->n_coordinates));
    }
    w->body_column = layout->body_column;
    w->jacobian = layout->columnless ? NULL : reserve_reals(memory, &used, 6 * (size_t)layout->n_jacobian);
    w->phi = reserve_reals(memory, &used, rows);
    w->phid = reserve_reals(memory, &used, rows);
    w->A = reserve_reals(memory, &used, (size_t)layout->n_values);
    w->gamma = reserve_reals(memory, &used, rows);
    w->M = layout->columnless ? NULL : reserve_reals(memory, &used, (size_t)layout->n_mass);
    w->h = reserve_reals(memory, &used, (size_t)layout->nv);
    w->Q = reserve_reals(memory, &used, (size_t)layout->nv);
    w->direct = reserve_reals(memory, &used, (size_t)layout->nv);
    w->scratch = reserve_reals(memory, &used, layout->family->scratch ? layout->family->scratch(layout) : 0);
    w->force = reserve_reals(memory, &used, 6 * (size_t)m->n_bodies);
    w->time = reserve_reals(memory, &used, 3 * (size_t)layout->n_times);
    return used;
}

size_t dal_work_size(const dal_layout *layout)
{
    dal_work none;
    return layout_work(layout, NULL, &none);
}

void dal_work_layout(const dal_layout *layout, dal_real *memory, int *chart, dal_work *w)
{
    static const int zyx[3] = {2, 1, 0};
    size_t n = layout_work(layout, memory, w);
    for (size_t i = 0; i < n; i++)
        memory[i] = 0;
    w->t = 0;
    w->table_exceeded = 0;
    w->chart = chart;
    for (int k = 0; k < layout->mechanism->n_terms; k++)
        w->coef[k] = layout->mechanism->terms[k].coef;
    for (int b = -1; b < layout->mechanism->n_bodies; b++) {
        for (int i = 0; i < 9; i++)
            w->kin[b].R[i] = i % 4 == 0;
        if (layout->mechanism->space == DAL_PLANAR)
            w->kin[b].J[0][2] = 1; /* the only turn there is */
        if (b >= 0)
            for (int i = 0; i < 3; i++)
                chart[3 * b + i] = layout->sequence_fixed ? layout->sequence[i] : zyx[i];
    }
    for (int i = 0; i < layout->mechanism->n_vectors; i++) /* those of the ground stay where they are */
        for (int k = 0; k < 3 && layout->mechanism->vectors[i].body == DAL_GROUND; k++)
            w->x[3 * i + k] = layout->mechanism->vectors[i].s[k];
    dal_gaps_begin(layout, w);
}
