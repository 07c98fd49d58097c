/* A system is one block of memory: measured, then filled, by the same list. */
#include "compile/build.h"
#include "dynamics/saddle_order.h"
#include "model/system.h"

#include <assert.h>
#include <string.h>

static void pack_joint_forms(dal_block *block, const dal_system *from, dal_system *to)
{
    if (!from->joint_forms)
        return;
    DAL_PACK(block, to->joint_forms, from->mechanism.n_joints);
    for (int j = 0; j < from->mechanism.n_joints; j++) {
        void *copy = from->joint_forms[j] ? dal_block_copy(block, from->joint_forms[j], dal_program_bytes(from->joint_forms[j])) : NULL;
        if (copy)
            to->joint_forms[j] = copy;
    }
}

static void pack_program(dal_block *block, dal_compiled *c)
{
    if (c->shared)
        return;
    DAL_PACK(block, c->needs, c->n_needs);
    if (c->program) {
        void *copy = dal_block_copy(block, c->program, dal_program_bytes(c->program));
        if (copy)
            c->program = copy;
    }
}

static void pack_names(dal_block *block, int n, const char **from, const char ***to)
{
    DAL_PACK(block, *to, n);
    for (int i = 0; i < n; i++) {
        const char *name = dal_block_text(block, from[i]);
        if (block->memory)
            (*to)[i] = name;
    }
}

static void pack_texts(dal_block *block, int n, const dal_text *from, dal_text **to)
{
    DAL_PACK(block, *to, n);
    for (int i = 0; i < n; i++) {
        const char *text = dal_block_text(block, from[i].text), *file = from[i].mark.file ? dal_block_text(block, from[i].mark.file) : NULL;
        if (!block->memory)
            continue;
        (*to)[i].text = text;
        (*to)[i].mark.file = file;
    }
}

static dal_sweep *pack_sweep(dal_block *block, const dal_sweep *from)
{
    dal_sweep *to = DAL_PACKED(block, from, dal_sweep_arrays);
    dal_planar *planar = from ? DAL_PACKED(block, from->planar, dal_planar_arrays) : NULL;
    if (to)
        to->planar = planar;
    return to;
}

static void pack_system(dal_block *block, const dal_system *from, dal_system *to)
{
    *to = *from;
    dal_mechanism_pack(block, &from->mechanism, &to->mechanism);
    dal_layout_pack(block, &from->layout, block->memory ? &to->mechanism : &from->mechanism, &to->layout);
    to->links = DAL_PACKED(block, from->links, dal_links_arrays);
    to->loops = DAL_PACKED(block, from->loops, dal_loops_arrays);
    to->sweep = pack_sweep(block, from->sweep);
    DAL_PACK(block, to->acting.groups, from->acting.n_groups);
    for (int i = 0; i < from->acting.n_groups; i++) {
        void *copy = dal_block_copy(block, from->acting.groups[i].elements,
                                    dal_force_types[from->acting.groups[i].type]->size * (size_t)from->acting.groups[i].n);
        if (copy)
            to->acting.groups[i].elements = copy;
    }
    DAL_PACK(block, to->acting.forces, from->acting.n_forces);
    pack_names(block, from->n_inputs, from->input_names, &to->input_names);
    pack_names(block, from->n_tables, from->table_names, &to->table_names);
    pack_names(block, from->n_states, from->state_names, &to->state_names);
    pack_texts(block, from->actions.n_outputs, from->action_texts, &to->action_texts);
    if (!from->columns_stay)
        DAL_PACK(block, to->columns, from->n_columns);
    for (int i = 0; i < from->acting.n_forces; i++) {
        const char *name = dal_block_text(block, from->acting.forces[i].name);
        if (block->memory)
            to->acting.forces[i].name = name;
    }
    for (int i = 0; i < from->n_columns && !from->columns_stay; i++) {
        const char *name = dal_block_text(block, from->columns[i].name), *unit = dal_block_text(block, from->columns[i].unit);
        if (block->memory) {
            to->columns[i].name = name;
            to->columns[i].unit = unit;
        }
    }
    to->info.model = dal_block_text(block, from->info.model);
    to->info.model_hash = dal_block_text(block, from->info.model_hash);
    to->info.ignorable_names = dal_block_text(block, from->info.ignorable_names);
    DAL_PACK(block, to->signals, from->n_signals);
    pack_program(block, &to->drives);
    pack_program(block, &to->actions);
    pack_program(block, &to->records);
    pack_program(block, &to->samples);
    DAL_PACK(block, to->sample_input, from->samples.n_outputs);
    DAL_PACK(block, to->sample_period, from->samples.n_outputs);
    pack_joint_forms(block, from, to);
    DAL_PACK(block, to->inputs, from->n_inputs);
    DAL_PACK(block, to->states, from->n_states);
    DAL_PACK(block, to->state_scale, from->n_states);
    DAL_PACK(block, to->idle, from->n_expressions);
    DAL_PACK(block, to->acting.frictions, from->acting.n_frictions);
    DAL_PACK(block, to->acting.laws, from->acting.n_laws);
    if (from->acting.islands.n > 1) {
        DAL_PACK(block, to->acting.islands.of_body, from->mechanism.n_bodies + from->mechanism.n_coordinates);
        DAL_PACK(block, to->acting.islands.of_measure, from->mechanism.n_measures);
        DAL_PACK(block, to->acting.islands.of_joint, from->mechanism.n_joints);
        DAL_PACK(block, to->acting.islands.of_row, from->mechanism.n_rows);
    }
    DAL_PACK(block, to->layout.units.column_scale, from->layout.nv);
    DAL_PACK(block, to->layout.units.column_unit, from->layout.nv);
    DAL_PACK(block, to->layout.units.row_unit, from->layout.n_rows);
    DAL_PACK(block, to->layout.ignorable, from->layout.n_ignorable);
    if (from->start_speeds)
        DAL_PACK(block, to->start_speeds, from->layout.nv);
    if (from->start_q) {
        DAL_PACK(block, to->start_q, from->layout.nq);
        DAL_PACK(block, to->start_v, from->layout.nv);
        DAL_PACK(block, to->start_change, 2 * from->layout.nv);
    }
    pack_names(block, from->mechanism.n_coordinates, from->coordinate_names, &to->coordinate_names);
    pack_names(block, from->mechanism.n_speeds, from->speed_names, &to->speed_names);
    DAL_PACK(block, to->start, from->mechanism.n_bodies);
    DAL_PACK(block, to->start_winding, from->mechanism.n_windings);
    DAL_PACK(block, to->start_order, from->layout.n_rows);
    if (!from->layout.dense && !from->layout.columnless) {
        DAL_PACK(block, to->slots.start, from->layout.nv + from->layout.n_rows + 1);
        DAL_PACK(block, to->slots.row, from->slots.n);
        DAL_PACK(block, to->slots.mass, from->layout.n_mass);
        DAL_PACK(block, to->slots.rows, 2 * from->layout.n_values);
        DAL_PACK(block, to->slots.diagonal, from->layout.n_rows);
    }
    dal_saddle_order_pack(block, &from->order, from->layout.n_rows, &to->order);
}

/* Of `bytes`, which may be a guess; NULL: it is too small, and *needed has the size. */
static dal_system *fill_system(dal_arena *arena, const dal_allocator *allocator, const dal_system *from, size_t bytes, size_t *needed)
{
    char *memory = allocator->allocate(allocator->user, bytes + DAL_BLOCK_ALIGNMENT);
    if (!memory)
        longjmp(*arena->guard, 1);
    char *aligned = memory + (DAL_BLOCK_ALIGNMENT - (size_t)memory % DAL_BLOCK_ALIGNMENT) % DAL_BLOCK_ALIGNMENT;
    dal_system *system = (dal_system *)(void *)aligned;
    dal_block block = {.memory = aligned, .used = sizeof(dal_system), .limit = bytes, .names_stay = from->names_stay};
    pack_system(&block, from, system);
    *needed = block.used;
    if (block.memory) {
        system->memory = memory;
        system->allocator = *allocator;
        return system;
    }
    allocator->release(allocator->user, memory);
    return NULL;
}

dal_system *dal_pack_system(dal_arena *arena, const dal_allocator *allocator, const dal_system *from, size_t guess, size_t *bytes)
{
    dal_system *system = guess > sizeof *system ? fill_system(arena, allocator, from, guess, bytes) : NULL;
    if (!system) {
        dal_system shape;
        dal_block block = {.used = sizeof(dal_system), .names_stay = from->names_stay};
        pack_system(&block, from, &shape);
        system = fill_system(arena, allocator, from, block.used, bytes);
    }
    system->life = dal_life_begin(allocator);
    if (!system->life) {
        allocator->release(allocator->user, system->memory);
        longjmp(*arena->guard, 1);
    }
    return system;
}

void dal_system_free(dal_system *system)
{
    if (!system)
        return;
    const bool free_to_go = !atomic_load(&system->life->runs);
    assert(free_to_go && "a system was freed by a callback of its run");
    if (!free_to_go)
        return;
    if (system->said)
        dal_arena_dispose(system->said);
    dal_layer_leave(system->own);
    dal_origin_leave(system->origin);
    dal_life_end(system->life);
    system->allocator.release(system->allocator.user, system->memory);
}
