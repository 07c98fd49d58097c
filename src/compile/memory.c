/* The memory of a compile: numbers and values of texts, for later compiles of a description that differs in numbers only (memory.h).
 *
 *     recorded     of each text: its value, the parameters that it depends on, and the effects of parsing it on the mechanism
 *     looked up    if none of its parameters has changed since then, a text has the recorded value, and its effects are repeated; a number that
 *                  depends on a changed parameter is computed by its recorded steps, or parsed again
 *
 * The structure of the model: memory_structure.c.
 */
#include "compile/memory_parts.h"

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

const char *dal_memory_text(dal_arena *arena, const char *text)
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
            effect[i].name = dal_memory_text(arena, effect[i].name);
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

/* ---- today's values ------------------------------------------------------------------------------------------ */

enum { UNSEEN, SAME, OTHER };

bool dal_memory_changes(const dal_build *build, const dal_uses *uses)
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

bool dal_memory_repeat_effects(dal_build *build, const dal_uses *uses)
{
    for (int i = 0; i < uses->n_effects; i++)
        if (!repeat_effect(build, &uses->effect[i]))
            build->restructured = true;
    return !build->restructured;
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
void dal_memory_compute_numbers(dal_build *build)
{
    const dal_memory *memory = build->memory;
    double *number = build->today->number;
    memcpy(number, memory->number, sizeof *number * (size_t)memory->n_known);
    for (int k = 0; k < memory->n_dependent; k++) {
        const int i = memory->dependent[k];
        const dal_known *known = &memory->known[i];
        if (dal_memory_changes(build, &known->uses) && !(known->steps.n && dal_constant_run(&known->steps, build->today->parameter, &number[i])))
            number[i] = NAN;
    }
}

static int find_today(dal_build *build, const dal_binding *binding, const char *text, dal_reach reach)
{
    const int number = find_known(build->memory, binding, text, reach);
    if (number >= 0 && build->today->state[number] == UNSEEN)
        build->today->state[number] = dal_memory_changes(build, &build->memory->known[number].uses) ? OTHER : SAME;
    return number;
}

bool dal_cached_value(dal_build *build, const dal_binding *binding, const char *text, dal_value *value)
{
    const int i = build->memory ? find_today(build, binding, text, build->reach) : -1;
    if (i < 0 || build->today->state[i] != SAME)
        return false;
    *value = build->memory->known[i].value;
    return dal_memory_repeat_effects(build, &build->memory->known[i].uses);
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
