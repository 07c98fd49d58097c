/* The structure of a compiled model in a memory: what later compiles take as it is, while the description differs in numbers only.
 *
 *     places      name of a point → body and number
 *     columns     names and units
 *     programs    of a list of expressions, where its nodes are the same
 *     layouts     with islands, rows at the start, and the size of the packed system
 *     the whole   symbols, signals and how the mechanism is numbered: if this has changed, the memory does not fit
 */
#include "compile/memory_parts.h"

#include <string.h>

/* ---- places -------------------------------------------------------------------------------------------------- */

static dal_known_place *place_of(const dal_memory *memory, const char *name)
{
    const uint64_t h = (uint64_t)(uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15);
    return (dal_known_place *)(size_t)&memory->place[h >> 56];
}

void dal_remember_place(dal_build *build, const char *name, int body, int point)
{
    dal_memory *memory = build->record;
    if (memory && dal_arena_holds(memory->texts, name))
        *place_of(memory, name) = (dal_known_place){name, body, point};
}

bool dal_cached_place(const dal_build *build, const char *name, int *body, int *point)
{
    const dal_known_place *place = build->memory ? place_of(build->memory, name) : NULL;
    if (!place || place->name != name)
        return false;
    *body = place->body;
    *point = place->point;
    return true;
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

void dal_remember_columns(dal_build *build, dal_log_place place)
{
    dal_memory *memory = build->record;
    if (!memory)
        return;
    memory->column_texts.uses = dal_log_keep(build, place);
    memory->n_recorded = build->n_recorded;
    memory->n_columns = build->n_columns;
    memory->records_results = build->records_results;
    memory->columns = DAL_NEW(&memory->arena, dal_column, build->n_columns);
    for (int i = 0; i < build->n_columns; i++)
        memory->columns[i] = (dal_column){.name = dal_memory_text(&memory->arena, build->columns[i].name),
                                          .unit = dal_memory_text(&memory->arena, build->columns[i].unit)};
}

bool dal_cached_columns(dal_build *build)
{
    const dal_memory *memory = build->memory;
    if (!memory || dal_memory_changes(build, &memory->column_texts.uses))
        return false;
    dal_memory_repeat_effects(build, &memory->column_texts.uses);
    build->n_recorded = memory->n_recorded;
    build->n_columns = memory->n_columns;
    build->records_results = memory->records_results;
    build->columns = memory->columns;
    build->records = memory->records;
    return true;
}

/* ---- programs -------------------------------------------------------------------------------------------------------- */

static dal_expressions *list_in(dal_memory *memory, const dal_build *build, const dal_expressions *list)
{
    return list == &build->drives    ? &memory->drives
           : list == &build->actions ? &memory->actions
           : list == &build->records ? &memory->records
                                     : &memory->samples;
}

static dal_compiled *program_in(dal_memory *memory, const dal_build *build, const dal_expressions *list)
{
    return list == &build->drives    ? &memory->drive_program
           : list == &build->actions ? &memory->action_program
           : list == &build->records ? &memory->record_program
                                     : &memory->sample_program;
}

static void *keep_bytes(dal_arena *arena, const void *from, size_t bytes)
{
    void *to = dal_arena_alloc(arena, bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

void dal_remember_program(dal_build *build, const dal_expressions *list, const dal_compiled *compiled)
{
    dal_memory *memory = build->record;
    if (!memory)
        return;
    dal_expressions *nodes = list_in(memory, build, list);
    dal_compiled *program = program_in(memory, build, list);
    *nodes = (dal_expressions){.n = list->n, .node = keep_bytes(&memory->arena, list->node, sizeof *list->node * (size_t)list->n)};
    *program = *compiled;
    program->shared = true;
    if (!compiled->program)
        return;
    program->needs = keep_bytes(&memory->arena, compiled->needs, sizeof *compiled->needs * (size_t)compiled->n_needs);
    program->program = keep_bytes(&memory->arena, compiled->program, dal_program_bytes(compiled->program));
}

bool dal_cached_program(dal_build *build, const dal_expressions *list, dal_compiled *out)
{
    dal_memory *memory = (dal_memory *)(size_t)build->memory;
    if (!memory)
        return false;
    const dal_expressions *nodes = list_in(memory, build, list);
    if (nodes->n != list->n || (list->n && memcmp(nodes->node, list->node, sizeof *list->node * (size_t)list->n)))
        return false;
    *out = *program_in(memory, build, list);
    return true;
}

/* ---- layouts --------------------------------------------------------------------------------------------------------- */

void dal_remember_layouts(dal_build *build, const dal_layout *layout)
{
    if (!build->record)
        return;
    build->record->layout = dal_layout_keep(&build->record->arena, layout);
    build->record->start_layout = build->start_layout;
}

/* Everything that connects bodies is numbered alike where the layout is shared: layout.c, numbered_alike. */
void dal_remember_islands(dal_build *build, const dal_islands *islands)
{
    if (!build->record)
        return;
    dal_arena *arena = &build->record->arena;
    dal_islands *kept = &build->record->islands;
    const dal_mechanism *m = &build->mechanism;
    *kept = *islands;
    if (islands->n == 1)
        return;
    kept->of_body = keep_bytes(arena, islands->of_body, sizeof *kept->of_body * (size_t)(m->n_bodies + m->n_coordinates));
    kept->of_measure = keep_bytes(arena, islands->of_measure, sizeof *kept->of_measure * (size_t)m->n_measures);
    kept->of_joint = keep_bytes(arena, islands->of_joint, sizeof *kept->of_joint * (size_t)m->n_joints);
    kept->of_row = keep_bytes(arena, islands->of_row, sizeof *kept->of_row * (size_t)m->n_rows);
}

bool dal_cached_islands(const dal_build *build, dal_islands *islands)
{
    if (build->memory)
        *islands = build->memory->islands;
    return build->memory;
}

void dal_remember_rows(dal_build *build, const dal_state *state)
{
    if (build->record && build->record->layout)
        dal_known_rows_build(&build->record->arena, state, &build->record->rows);
}

const dal_known_rows *dal_cached_rows(const dal_build *build)
{
    return build->memory ? &build->memory->rows : NULL;
}

size_t dal_cached_size(const dal_build *build)
{
    return atomic_load_explicit(&build->memory->packed, memory_order_relaxed);
}

void dal_keep_size(const dal_build *build, size_t bytes)
{
    dal_memory *memory = (dal_memory *)(size_t)build->memory;
    if (dal_cached_size(build) != bytes)
        atomic_store_explicit(&memory->packed, bytes, memory_order_relaxed);
}

/* ---- the description as a whole ---------------------------------------------------------------------------------------- */

static int count_zeros(const dal_build *build)
{
    return DAL_MAX_COORDINATES * build->mechanism.n_joints + build->spec->n_forces;
}

static double zero_of(const dal_build *build, int i)
{
    const int joints = DAL_MAX_COORDINATES * build->mechanism.n_joints;
    return i < joints ? build->mechanism.joints[i / DAL_MAX_COORDINATES].zero[i % DAL_MAX_COORDINATES] : build->forces[i - joints].zero;
}

void dal_remember_description(dal_build *build)
{
    dal_memory *memory = build->record;
    if (!memory)
        return;
    dal_arena *arena = &memory->arena;
    const dal_mechanism *m = &build->mechanism;
    const dal_spec *spec = build->spec;
    memory->n_symbols = build->n_symbols;
    memory->symbols = keep_bytes(arena, build->symbols, sizeof *build->symbols * (size_t)build->n_symbols);
    for (int i = 0; i < memory->n_symbols; i++)
        if (memory->symbols[i].name)
            memory->symbols[i].name = dal_memory_text(arena, memory->symbols[i].name);
    memory->n_signals = build->n_signals;
    memory->signals = keep_bytes(arena, build->signals, sizeof *build->signals * (size_t)build->n_signals);
    memory->n_signal_table = build->n_signal_table;
    memory->signal_table = keep_bytes(arena, build->signal_table, sizeof *build->signal_table * (size_t)build->n_signal_table);
    memory->mechanism = *m;
    memory->mechanism.bodies = keep_bytes(arena, m->bodies, sizeof *m->bodies * (size_t)m->n_bodies);
    memory->mechanism.vectors = keep_bytes(arena, m->vectors, sizeof *m->vectors * (size_t)m->n_vectors);
    memory->mechanism.measures = keep_bytes(arena, m->measures, sizeof *m->measures * (size_t)m->n_measures);
    memory->zero = DAL_NEW(arena, double, count_zeros(build));
    for (int i = 0; i < count_zeros(build); i++)
        memory->zero[i] = zero_of(build, i);
    memory->parameter = DAL_NEW(arena, double, spec->n_parameters);
    for (int i = 0; i < spec->n_parameters; i++)
        memory->parameter[i] = spec->parameters[i].number;
}

bool dal_cache_fits(const dal_build *build)
{
    const dal_memory *memory = build->memory;
    const dal_mechanism *m = &build->mechanism, *known = &memory->mechanism;
    bool fits = !build->restructured && m->n_bodies == known->n_bodies && m->n_vectors == known->n_vectors && m->n_measures == known->n_measures &&
                m->n_rows == known->n_rows && m->n_terms == known->n_terms && m->n_windings == known->n_windings && m->n_joints == known->n_joints;
    for (int i = 0; fits && i < m->n_bodies; i++)
        fits = m->bodies[i].particle == known->bodies[i].particle;
    for (int i = 0; fits && i < m->n_vectors; i++)
        fits = m->vectors[i].body == known->vectors[i].body && m->vectors[i].point == known->vectors[i].point;
    for (int i = 0; fits && i < m->n_measures; i++)
        fits = m->measures[i].kind == known->measures[i].kind &&
               !memcmp(m->measures[i].vector, known->measures[i].vector, sizeof known->measures->vector);
    for (int i = 0; fits && i < count_zeros(build); i++)
        fits = zero_of(build, i) == memory->zero[i];
    return fits;
}

void dal_cache_begin(dal_build *build)
{
    const dal_memory *memory = build->memory;
    dal_arena *arena = build->arena;
    const int n = build->spec->n_parameters;
    build->graph = dal_graph_copy(&build->graph_arena, memory->graph);
    build->n_symbols = memory->n_symbols;
    build->symbols = memory->symbols;
    build->n_signals = memory->n_signals;
    build->cap_signals = (size_t)memory->n_signals;
    build->signals = keep_bytes(arena, memory->signals, sizeof *memory->signals * (size_t)memory->n_signals);
    build->n_signal_table = memory->n_signal_table;
    build->signal_table = keep_bytes(arena, memory->signal_table, sizeof *memory->signal_table * (size_t)memory->n_signal_table);
    build->parts.like = memory->layout;
    build->start_layout = memory->start_layout;
    build->today = DAL_NEW(arena, struct dal_today, 1);
    build->today->changed = DAL_NEW(arena, bool, n);
    build->today->parameter = DAL_NEW(arena, double, n);
    build->today->state = DAL_NEW(arena, unsigned char, memory->n_known);
    build->today->number = dal_arena_room(arena, sizeof(double) * (size_t)memory->n_known);
    for (int i = 0; i < n; i++) {
        build->today->parameter[i] = build->spec->parameters[i].number;
        build->today->changed[i] = memcmp(&memory->parameter[i], &build->today->parameter[i], sizeof *memory->parameter) != 0;
    }
    dal_memory_compute_numbers(build);
}

void dal_cache_reserve(dal_build *build)
{
    dal_mechanism *m = &build->mechanism;
    if (!build->memory)
        return;
    const dal_mechanism *known = &build->memory->mechanism;
    DAL_RESERVE(m->arena, m->vectors, m->n_vectors, m->cap_vectors, known->n_vectors - m->n_vectors);
    DAL_RESERVE(m->arena, m->measures, m->n_measures, m->cap_measures, known->n_measures);
    DAL_RESERVE(m->arena, m->terms, m->n_terms, m->cap_terms, known->n_terms);
    DAL_RESERVE(m->arena, m->rows, m->n_rows, m->cap_rows, known->n_rows);
}
