#include "compile/memory.h"

#include <math.h>
#include <string.h>

/* ---- the log: what parsing uses ---------------------------------------------------------------------- */

static int count_messages(const dal_build *build)
{
    int n = 0;
    for (int severity = DAL_NOTE; build->messages && severity <= DAL_ERROR; severity++)
        n += dal_messages_count(build->messages, (dal_severity)severity);
    return n;
}

dal_log_place dal_log_begin(dal_build *build)
{
    if (!build->record)
        return (dal_log_place){0, 0, 0};
    build->log->depth++;
    return (dal_log_place){build->log->n_parameters, build->log->n_effects, count_messages(build)};
}

void dal_log_end(dal_build *build, dal_log_place place)
{
    (void)place;
    if (build->record && !--build->log->depth)
        build->log->n_parameters = build->log->n_effects = 0;
}

void dal_log_drop(dal_build *build, dal_log_place place)
{
    if (build->record)
        build->log->n_parameters = place.n_parameters;
}

void dal_note_parameter(dal_build *build, int index)
{
    struct dal_log *log = build->log;
    if (build->record && log->depth)
        *DAL_PUSH(build->arena, log->parameter, log->n_parameters, log->cap_parameters) = index;
}

void dal_note_effect(dal_build *build, const dal_effect *effect)
{
    struct dal_log *log = build->log;
    if (build->record && log->depth)
        *DAL_PUSH(build->arena, log->effect, log->n_effects, log->cap_effects) = *effect;
}

static const char *keep_text(dal_arena *arena, const char *text)
{
    return dal_arena_copy(arena, text, strlen(text));
}

dal_uses dal_log_keep(dal_build *build, dal_log_place place)
{
    dal_arena *arena = &build->record->arena;
    const struct dal_log *log = build->log;
    const int n = log->n_parameters - place.n_parameters;
    int *parameter = n ? DAL_NEW(arena, int, n) : NULL;
    dal_uses uses = {.n_effects = log->n_effects - place.n_effects, .parameter = parameter};
    for (int i = 0; i < n; i++) {
        bool known = false;
        for (int k = 0; k < uses.n_parameters && !known; k++)
            known = parameter[k] == log->parameter[place.n_parameters + i];
        if (!known)
            parameter[uses.n_parameters++] = log->parameter[place.n_parameters + i];
    }
    if (!uses.n_effects)
        return uses;
    dal_effect *effect = DAL_NEW(arena, dal_effect, uses.n_effects);
    memcpy(effect, log->effect + place.n_effects, sizeof *effect * (size_t)uses.n_effects);
    for (int i = 0; i < uses.n_effects; i++)
        if (effect[i].name)
            effect[i].name = keep_text(arena, effect[i].name);
    uses.effect = effect;
    return uses;
}

void dal_note_uses(dal_build *build, const dal_uses *uses)
{
    for (int i = 0; build->record && uses && i < uses->n_parameters; i++)
        dal_note_parameter(build, uses->parameter[i]);
}

/* ---- known texts ------------------------------------------------------------------------------------------ */

static size_t hash_text(const dal_binding *binding, const char *text, dal_reach reach)
{
    uint64_t h = ((uint64_t)(uintptr_t)text + (uint64_t)reach) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29) ^ (uint64_t)(uintptr_t)binding) * UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h ^ (h >> 32));
}

static int find_known(const dal_memory *memory, const dal_binding *binding, const char *text, dal_reach reach)
{
    if (!memory->n_slots)
        return -1;
    const size_t mask = (size_t)memory->n_slots - 1;
    for (size_t at = hash_text(binding, text, reach) & mask; memory->slot[at]; at = (at + 1) & mask) {
        const dal_known *known = &memory->known[memory->slot[at] - 1];
        if (known->text == text && known->binding == binding && known->reach == reach)
            return memory->slot[at] - 1;
    }
    return -1;
}

static void enter_address(dal_memory *memory, int number)
{
    const size_t mask = (size_t)memory->n_slots - 1;
    const dal_known *known = &memory->known[number];
    size_t at = hash_text(known->binding, known->text, known->reach) & mask;
    while (memory->slot[at])
        at = (at + 1) & mask;
    memory->slot[at] = number + 1;
}

static void add_known(dal_memory *memory, const dal_known *known)
{
    *DAL_PUSH(&memory->arena, memory->known, memory->n_known, memory->cap_known) = *known;
    if (2 * memory->n_known <= memory->n_slots) {
        enter_address(memory, memory->n_known - 1);
        return;
    }
    memory->n_slots = memory->n_slots ? 2 * memory->n_slots : 256;
    memory->slot = DAL_NEW(&memory->arena, int, memory->n_slots);
    for (int i = 0; i < memory->n_known; i++)
        enter_address(memory, i);
}

/* The first number with the same words, or this one. */
static int find_same(dal_memory *memory, int number)
{
    const dal_known *known = &memory->known[number];
    unsigned hash = 2166136261u; /* FNV-1a */
    for (const char *c = known->text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    int *recent = &memory->recent[hash % DAL_RECENT];
    if (*recent && memory->known[*recent - 1].binding == known->binding && !strcmp(memory->known[*recent - 1].text, known->text))
        return *recent - 1;
    *recent = number + 1;
    return number;
}

/* A number was asked for. */
static void note_asked(dal_memory *memory, int number)
{
    const dal_known *known = &memory->known[number];
    *DAL_PUSH(&memory->arena, memory->asked, memory->n_asked, memory->cap_asked) = (dal_asked){known->text, known->binding, known->same};
}

/* Is there something to remember under this text, and is it not known yet? A number that is known was asked for once more. */
static bool is_new(const dal_build *build, dal_log_place place, const dal_binding *binding, const char *text, dal_reach reach)
{
    dal_memory *memory = build->record;
    if (!memory || place.messages != count_messages(build) || !dal_arena_holds(memory->texts, text))
        return false;
    const int before = find_known(memory, binding, text, reach);
    if (before >= 0 && reach == DAL_REACH_NUMBER)
        note_asked(memory, before);
    return before < 0;
}

void dal_remember(dal_build *build, dal_log_place place, const dal_binding *binding, const char *text, const dal_value *value)
{
    if (!is_new(build, place, binding, text, build->reach))
        return;
    const dal_known known = {.text = text, .binding = binding, .reach = build->reach, .value = *value, .uses = dal_log_keep(build, place)};
    add_known(build->record, &known);
}

static dal_constant_steps keep_steps(dal_arena *arena, const dal_constant_steps *steps)
{
    dal_constant_steps kept = {.n = 0};
    if (!steps || steps->too_high)
        return kept;
    kept.n = steps->n;
    kept.step = DAL_NEW(arena, dal_constant_step, steps->n);
    memcpy(kept.step, steps->step, sizeof *kept.step * (size_t)steps->n);
    return kept;
}

void dal_remember_number(dal_build *build, dal_log_place place, const dal_binding *binding, const char *text, const dal_constant_steps *steps,
                         double number)
{
    dal_memory *memory = build->record;
    if (!is_new(build, place, binding, text, DAL_REACH_NUMBER))
        return;
    const dal_known known = {.text = text,
                             .binding = binding,
                             .reach = DAL_REACH_NUMBER,
                             .number = number,
                             .steps = keep_steps(&memory->arena, steps),
                             .uses = dal_log_keep(build, place)};
    add_known(memory, &known);
    dal_known *kept = &memory->known[memory->n_known - 1];
    kept->same = find_same(memory, memory->n_known - 1);
    kept->asked = memory->n_asked;
    note_asked(memory, memory->n_known - 1);
}

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

/* ---- today's values ------------------------------------------------------------------------------------------ */

enum { UNSEEN, SAME, OTHER };

static bool uses_changed(const dal_build *build, const dal_uses *uses)
{
    for (int i = 0; i < uses->n_parameters; i++)
        if (build->today->changed[uses->parameter[i]])
            return true;
    return false;
}

/* The mechanism as parsing would have left it, with today's numbers. */
static bool repeat_effect(dal_build *build, const dal_effect *e)
{
    dal_mechanism *m = &build->mechanism;
    dal_marker marker;
    double s[3];
    switch (e->kind) {
    case DAL_EFFECT_VECTOR: return dal_add_vector(m, e->index, e->point, e->s) == e->result;
    case DAL_EFFECT_POINT: return dal_build_vector(build, e->binding, &e->at->at, s) && dal_add_vector(m, e->index, true, s) == e->result;
    case DAL_EFFECT_MARKER:
        return dal_build_marker(build, (dal_text){.text = e->name, .mark = dal_nowhere}, &marker, NULL) && dal_add_point(m, &marker) == e->result;
    case DAL_EFFECT_ANGLE: return dal_build_body_angle(build, e->index) == e->result;
    case DAL_EFFECT_COORDINATE: return dal_add_coordinate(m, e->index) == e->result;
    case DAL_EFFECT_WANTED:
        if (e->index >= m->n_measures)
            return false;
        m->measures[e->index].wanted = true;
        return true;
    case DAL_EFFECT_DEFINE:
    case DAL_EFFECT_RATE: {
        dal_named *named = &(e->kind == DAL_EFFECT_RATE ? build->rates : build->defines)[e->index];
        named->progress = DAL_NAMED_KNOWN;
        named->value = e->value;
        return true;
    }
    }
    return false;
}

static bool repeat_effects(dal_build *build, const dal_uses *uses)
{
    for (int i = 0; i < uses->n_effects; i++)
        if (!repeat_effect(build, &uses->effect[i]))
            build->strange = true;
    return !build->strange;
}

/* The one that was asked for at this place the last time, or elsewhere. */
static int find_number(const dal_build *build, const dal_binding *binding, const char *text)
{
    const dal_memory *memory = build->memory;
    struct dal_today *today = build->today;
    if (today->asked < memory->n_asked) {
        const dal_asked *next = &memory->asked[today->asked];
        if (next->text == text && next->binding == binding) {
            today->asked++;
            return next->same;
        }
    }
    const int number = find_known(memory, binding, text, DAL_REACH_NUMBER);
    if (number < 0)
        return -1;
    today->asked = memory->known[number].asked + 1;
    return memory->known[number].same;
}

bool dal_cached_number(dal_build *build, const dal_binding *binding, const char *text, double *number)
{
    const int i = build->memory ? find_number(build, binding, text) : -1;
    if (i < 0 || isnan(build->today->number[i]))
        return false;
    *number = build->today->number[i];
    return true;
}

void dal_keep_number(dal_build *build, const dal_binding *binding, const char *text, double number)
{
    const int i = build->memory ? find_known(build->memory, binding, text, DAL_REACH_NUMBER) : -1;
    if (i >= 0)
        build->today->number[build->memory->known[i].same] = number;
}

/* Those that depend on a parameter with another value follow by their steps, or are parsed when they are asked for. */
static void compute_numbers(dal_build *build)
{
    const dal_memory *memory = build->memory;
    double *number = build->today->number;
    memcpy(number, memory->number, sizeof *number * (size_t)memory->n_known);
    for (int k = 0; k < memory->n_dependent; k++) {
        const int i = memory->dependent[k];
        const dal_known *known = &memory->known[i];
        if (uses_changed(build, &known->uses) && !(known->steps.n && dal_constant_run(&known->steps, build->today->parameter, &number[i])))
            number[i] = NAN;
    }
}

static int find_today(dal_build *build, const dal_binding *binding, const char *text, dal_reach reach)
{
    const int number = find_known(build->memory, binding, text, reach);
    if (number >= 0 && build->today->state[number] == UNSEEN)
        build->today->state[number] = uses_changed(build, &build->memory->known[number].uses) ? OTHER : SAME;
    return number;
}

bool dal_cached_value(dal_build *build, const dal_binding *binding, const char *text, dal_value *value)
{
    const int i = build->memory ? find_today(build, binding, text, build->reach) : -1;
    if (i < 0 || build->today->state[i] != SAME)
        return false;
    *value = build->memory->known[i].value;
    return repeat_effects(build, &build->memory->known[i].uses);
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
        memory->columns[i] =
            (dal_column){.name = keep_text(&memory->arena, build->columns[i].name), .unit = keep_text(&memory->arena, build->columns[i].unit)};
}

bool dal_cached_columns(dal_build *build)
{
    const dal_memory *memory = build->memory;
    if (!memory || uses_changed(build, &memory->column_texts.uses))
        return false;
    repeat_effects(build, &memory->column_texts.uses);
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
            memory->symbols[i].name = keep_text(arena, memory->symbols[i].name);
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
    bool fits = !build->strange && m->n_bodies == known->n_bodies && m->n_vectors == known->n_vectors && m->n_measures == known->n_measures &&
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
    compute_numbers(build);
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

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

dal_memory *dal_memory_begin(const dal_allocator *allocator, const dal_arena *texts)
{
    dal_arena arena;
    dal_arena_begin(&arena, allocator);
    dal_memory *memory = DAL_NEW(&arena, dal_memory, 1);
    if (!memory)
        return NULL;
    memory->arena = arena;
    memory->texts = texts;
    atomic_init(&memory->spare, NULL);
    atomic_init(&memory->packed, 0);
    dal_decimal_prepare(&memory->decimal);
    return memory;
}

bool dal_memory_end(dal_memory *memory)
{
    memory->number = DAL_NEW(&memory->arena, double, memory->n_known);
    memory->dependent = DAL_NEW(&memory->arena, int, memory->n_known);
    if (!memory->number || !memory->dependent)
        return false;
    for (int i = 0; i < memory->n_known; i++) {
        const dal_known *known = &memory->known[i];
        memory->number[i] = known->number;
        if (known->reach == DAL_REACH_NUMBER && known->same == i && known->uses.n_parameters)
            memory->dependent[memory->n_dependent++] = i;
    }
    return true;
}

dal_workspace *dal_memory_borrow_workspace(dal_memory *memory)
{
    dal_workspace *spare = atomic_exchange(&memory->spare, NULL);
    return spare ? spare : dal_workspace_create(&memory->arena.allocator);
}

void dal_memory_return_workspace(dal_memory *memory, dal_workspace *workspace)
{
    dal_workspace *none = NULL;
    dal_workspace_close(workspace);
    if (!atomic_compare_exchange_strong(&memory->spare, &none, workspace))
        dal_workspace_free(workspace);
}

void dal_memory_free(dal_memory *memory)
{
    if (!memory)
        return;
    dal_arena arena = memory->arena; /* it lies in it */
    dal_workspace_free(atomic_load(&memory->spare));
    dal_arena_release(&memory->graph_arena);
    dal_arena_release(&arena);
}
