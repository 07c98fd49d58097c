/* From the parts of a description to the fields of a system, when the start is known: coordinates, tree, units, states, solvers.
 *
 *     y = (q, w, z, works)     w: what the integrator sees of the velocities, v or speeds; works: one for each island, where forces do work
 *     units                    length: own_length.c; mass: of the heaviest body; time: the end of the run, until it is known better (state/scale.c)
 *     column_scale             what a unit of v_k moves, in metres: 1, or for an angular one the lever of its body
 *
 * nv + n_rows decides whether matrices are dense or sparse.
 */
#include "compile/build.h"
#include "compile/memory.h"
#include "compile/owners.h"
#include "dynamics/saddle_order.h"
#include "kinematics/reduction.h"
#include "kinematics/tree.h"
#include "math/rank.h"
#include "model/system.h"
#include "state/scale.h"

#include <math.h>
#include <string.h>

enum {
    FEW_BODIES = 16,     /* up to which M of an open tree is formed */
    CAREFUL_LIMIT = 300, /* velocities up to which dense factorisations are taken near singular positions */
    SMALL_LIMIT = 600    /* velocities, and rows, up to which a rank is decided on dense matrices */
};

void dal_count_states(dal_system *system)
{
    system->n_control = system->layout.nq + system->n_w + system->n_states;
    system->n_y = system->n_control + system->works;
}

/* The tree of the family `joint`, without the joints that the model cuts. */
static dal_tree *build_tree(dal_build *build)
{
    bool *cut = DAL_NEW(build->arena, bool, build->mechanism.n_joints);
    for (int j = 0; j < build->spec->n_joints; j++)
        cut[j] = build->spec->joints[j].cut;
    return dal_tree_build(build->arena, &build->mechanism, cut);
}

/* Measures and vectors that a program of forces or drives reads are computed at every evaluation. */
static void read_always(dal_build *build, const dal_compiled *program)
{
    for (int i = 0; i < program->n_needs; i++) {
        const dal_signal *s = &build->signals[program->needs[i]];
        if (s->kind == DAL_SIGNAL_MEASURE)
            build->mechanism.measures[s->index].busy = true;
        if (s->kind == DAL_SIGNAL_VECTOR)
            build->mechanism.vectors[s->index].busy = true;
    }
}

/* May the formulation work on the links, without M and the columns of the bodies, and is it worth it? The stabilization must not solve for itself. Whether
 * the tree is open, the layout decides. */
static bool goes_on_tree(dal_build *build, const dal_system *system)
{
    return system->method.formulation->on_tree && build->parts.tree && build->mechanism.n_bodies > FEW_BODIES &&
           !system->method.stabilization->solve && !system->method.minimum_norm &&
           dal_links_build(build->arena, &build->mechanism, build->parts.tree, build->gravity);
}

/* Coordinates, the tree and what recursion and components need of it. */
static void layout_coordinates(dal_build *build, dal_system *system)
{
    bool fixed = system->layout.sequence_fixed;
    int sequence[3];
    memcpy(sequence, system->layout.sequence, sizeof sequence);
    read_always(build, &system->actions);
    read_always(build, &system->drives);
    system->mechanism = build->mechanism;
    build->parts.n_times = build->n_times;
    if (build->family->over_tree)
        build->parts.tree = build_tree(build);
    build->parts.recursive = (system->method.formulation->recursive || goes_on_tree(build, system)) && !build->n_frictions;
    build->parts.length = dal_build_length(build);
    build->parts.lazy = true;
    system->layout = *dal_layout_build(build->arena, &build->mechanism, build->family, &build->parts);
    dal_remember_layouts(build, &system->layout);
    system->layout.sequence_fixed = fixed;
    memcpy(system->layout.sequence, sequence, sizeof sequence);
    system->links = system->layout.tree ? dal_links_build(build->arena, &build->mechanism, system->layout.tree, build->gravity) : NULL;
    system->recursion = dal_recursion_choose();
    if (system->links && (system->method.formulation->recursive || system->layout.columnless)) /* M is factored over the tree */
        system->loops = dal_build_loops(build->arena, system);
    if (system->method.formulation->components)
        dal_build_joint_programs(build, system);
}

/* Where the bodies start, and the model's mass. */
static void copy_start(dal_build *build, dal_system *system)
{
    system->start = DAL_NEW(build->arena, dal_start, build->spec->n_bodies);
    for (int b = 0; b < build->spec->n_bodies; b++) {
        const dal_body_start *s = &build->start[b];
        dal_start *out = &system->start[b];
        memcpy(out->r, s->r, sizeof out->r);
        memcpy(out->R, s->R, sizeof out->R);
        memcpy(out->rd, s->rd, sizeof out->rd);
        memcpy(out->w, s->w, sizeof out->w);
        out->angle = s->angle;
        out->change = s->change;
        system->layout.units.mass = fmax(system->layout.units.mass, build->mechanism.bodies[b].mass);
    }
    if (!(system->layout.units.mass > 0))
        system->layout.units.mass = build->own_mass > 0 ? build->own_mass : 1;
    system->start_q = build->start_q;
    system->start_v = build->start_v;
    system->start_change = build->start_change;
}

/* Forces, signals and columns as they were built. */
static void copy_parts(dal_build *build, dal_system *system)
{
    system->owners = dal_owners;
    system->acting.n_groups = build->n_groups;
    system->acting.groups = build->groups;
    system->acting.n_forces = build->spec->n_forces;
    system->acting.forces = build->forces;
    system->n_signals = build->n_signals;
    system->signals = build->signals;
    system->action_texts = build->action_texts;
    system->n_columns = build->n_columns;
    system->n_recorded = build->n_recorded;
    system->columns = build->columns;
    system->columns_stay = build->memory && build->columns == build->memory->columns;
    system->names_stay = build->memory;
    system->records_reactions = build->records_results;
    for (int j = 0; j < build->mechanism.n_joints; j++)
        system->method.compliant |= build->mechanism.joints[j].compliance[0] > 0 || build->mechanism.joints[j].compliance[1] > 0;
    system->acting.n_laws = build->n_laws;
    system->acting.laws = build->laws;
    system->acting.n_frictions = build->n_frictions;
    system->acting.frictions = build->frictions;
    if (!(system->layout.shared && dal_cached_islands(build, &system->acting.islands)))
        dal_build_islands(build, &system->acting.islands);
    dal_remember_islands(build, &system->acting.islands);
    system->works = dal_does_work(build, system->n_expressions) || build->n_frictions > 0 ? system->acting.islands.n : 0;
    system->idle = dal_idle_expressions(build, system->n_expressions);
    system->conserved = dal_build_conserved(build);
    memcpy(system->acting.gravity, build->gravity, sizeof system->acting.gravity);
    system->plain_names = build->spec->plain_names;
    system->coordinate_names = DAL_NEW(build->arena, const char *, build->spec->n_coordinates);
    for (int i = 0; i < build->spec->n_coordinates; i++)
        system->coordinate_names[i] = build->spec->coordinates[i].name.text;
}

/* When the layout and the length are known. */
static void scale_columns(const dal_build *build, dal_system *system)
{
    const dal_layout *layout = &system->layout;
    for (int j = 0; j < layout->nv; j++)
        system->layout.units.column_scale[j] = build->column_scale      ? build->column_scale[j]
                                               : layout->angular[j] > 0 ? system->layout.units.length
                                                                        : 1;
    for (int b = 0; b < layout->mechanism->n_bodies && !layout->family->shares; b++) {
        const double lever = dal_turn_lever(system, b);
        for (int k = 0; k < layout->body[b].nv; k++)
            if (layout->angular[layout->body[b].v + k] > 0)
                system->layout.units.column_scale[layout->body[b].v + k] = lever;
    }
    for (int j = 0; j < layout->nv && layout->reduction; j++)
        if (layout->angular[j] > 0)
            system->layout.units.column_scale[j] = dal_turn_lever(system, layout->reduction->left_body[j]);
    for (int j = 0; j < layout->nv; j++)
        system->layout.units.column_unit[j] = 1 / system->layout.units.column_scale[j];
}

/* The model's units, and those of its states, rows and columns. */
static void choose_units(dal_build *build, dal_system *system)
{
    system->layout.units.time = system->info.until > 0 ? system->info.until : 1; /* until it is known better */
    system->layout.units.length = dal_build_length(build);
    system->state_scale = DAL_NEW(build->arena, double, system->n_states);
    system->layout.units.row_unit = DAL_NEW(build->arena, double, system->layout.n_rows);
    system->layout.units.column_scale = DAL_NEW(build->arena, double, system->layout.nv);
    system->layout.units.column_unit = DAL_NEW(build->arena, double, system->layout.nv);
    scale_columns(build, system);
}

/* The order in which the saddle matrix is factored; that of an earlier system on the same layout. */
static void find_order(dal_build *build, dal_system *system)
{
    if (system->layout.shared && build->memory) {
        system->order = build->memory->order;
        system->order.unit = 1 / system->layout.units.mass;
        return;
    }
    const dal_saddle_probe probe = {&system->layout, system->start, system->start_q, system->start_winding};
    dal_saddle_order_build(build->arena, &probe, &system->order);
    if (build->record && build->record->layout)
        dal_saddle_order_keep(&build->record->arena, &system->order, system->layout.n_rows, &build->record->order);
}

/* Dense or sparse; rows are all independent until their rank is known. */
static void choose_solvers(dal_build *build, dal_system *system)
{
    system->method.rank_tolerance = DAL_RANK_TOLERANCE;
    system->rank = 0;
    system->start_order = DAL_NEW(build->arena, int, system->layout.n_rows);
    for (int i = 0; i < system->layout.n_rows; i++)
        system->start_order[i] = i;
    system->layout.dense = system->layout.nv + system->layout.n_rows <= DAL_DENSE_LIMIT || !dal_sparse_available();
    system->layout.small = (system->layout.nv <= SMALL_LIMIT && system->layout.n_rows <= SMALL_LIMIT) || !dal_sparse_available();
    system->layout.careful = system->layout.small && system->layout.nv <= CAREFUL_LIMIT;
    if (!system->layout.dense && !system->layout.columnless)
        dal_saddle_pattern(build->arena, &system->layout, &system->slots);
    if (system->layout.dense && !system->layout.columnless)
        find_order(build, system);
}

void dal_layout_system(dal_build *build, dal_system *system)
{
    layout_coordinates(build, system);
    copy_start(build, system);
    copy_parts(build, system);
    choose_units(build, system);
    system->n_w = system->layout.nv;
    dal_count_states(system);
    choose_solvers(build, system);
    system->sweep = dal_build_sweep(build->arena, system);
}
