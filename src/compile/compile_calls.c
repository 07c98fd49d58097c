/* The ways into a compile: for runs, for evaluations, for checks, for analyses of models with faults, and with the memory of another compile.
 *
 *     spec ── `undetermined: derive`: once to derive the missing conditions (missing.h), then with these among its constraints
 *          └─ dal_build_system (compile.c) in one arena → the packed system, with the warnings about it and, to be varied, a copy of the spec
 */
#include "base/argument.h"
#include "compile/build.h"
#include "compile/memory.h"
#include "compile/missing.h"
#include "math/sparse.h"
#include "model/system.h"
#include "spec/sound.h"

#include <string.h>

typedef enum demand { RUN, CHECK, EVALUATION, ANYTHING } demand; /* what it is compiled for */

/* ---- one description -------------------------------------------------------------------------- */

/* The warnings about the text and those of compile stay with the system: every run's evidence has them. */
static bool keep_warnings(const dal_spec *spec, const dal_messages *own, dal_system *system)
{
    dal_arena arena;
    const dal_message *lists[2] = {spec->warnings, dal_messages_first(own)};
    int n = 0;
    bool whole = true;
    for (int i = 0; i < 2; i++)
        for (const dal_message *m = lists[i]; m; m = m->next)
            n += m->severity == DAL_WARNING;
    if (!n)
        return true;
    dal_arena_begin(&arena, &system->allocator);
    const dal_message **kept = DAL_NEW(&arena, const dal_message *, n);
    for (int i = 0; i < 2; i++)
        for (const dal_message *m = lists[i]; m && whole; m = m->next)
            if (m->severity == DAL_WARNING)
                whole = kept && (kept[system->n_warnings++] = dal_message_copy(&arena, m));
    system->warnings = kept;
    system->said = whole ? dal_arena_keep(&arena) : NULL;
    if (!system->said)
        dal_arena_release(&arena);
    return system->said;
}

/* Out of memory, all code below jumps back to here. */
static dal_status guarded(dal_build *build, dal_messages *own, dal_messages *messages)
{
    jmp_buf no_memory;
    if (setjmp(no_memory))
        return DAL_NO_MEMORY;
    build->arena->guard = build->start_arena.guard = build->graph_arena.guard = &no_memory;
    if (build->record) {
        build->record->arena.guard = &no_memory;
        build->kept = &build->record->arena;
        build->log = DAL_NEW(build->arena, struct dal_log, 1);
    }
    if (build->memory)
        dal_cache_begin(build);
    else
        build->graph = dal_graph_create(&build->graph_arena);
    dal_mechanism_begin(&build->mechanism, build->arena, build->spec->space);
    build->mechanism.n_coordinates = build->spec->n_coordinates;
    dal_cache_reserve(build);
    dal_status status = dal_build_system(build, DAL_NEW(build->arena, dal_system, 1));
    if (build->memory && status != DAL_OK)
        return status; /* what is wrong is reported by a compile without memory */
    return dal_messages_deliver(build->arena, build->spec->file, own, messages) ? status : DAL_NO_MEMORY;
}

/* Compiles one description. `for_system` gives the memory of the system, `allocator` that of everything on the way. */
static dal_status compile_one(const dal_allocator *for_system, const dal_allocator *allocator, const dal_spec *spec, demand what_for,
                              const dal_memory *memory, dal_memory *record, dal_derivation *derivation, dal_messages *messages, dal_system **system)
{
    dal_arena arena;
    dal_messages *own = dal_messages_create(allocator);
    if (!own)
        return DAL_NO_MEMORY;
    dal_arena_begin(&arena, allocator);
    dal_status status = DAL_NO_MEMORY;
    dal_build *build = DAL_NEW(&arena, dal_build, 1);
    if (build) {
        build->arena = &arena;
        dal_arena_begin(&build->start_arena, allocator);
        dal_arena_begin(&build->graph_arena, record ? &record->arena.allocator : allocator);
        build->allocator = for_system ? *for_system : dal_default_allocator();
        build->memory = memory;
        build->record = record;
        build->messages = own;
        build->spec = spec;
        build->anyway = what_for == ANYTHING;
        build->thorough = what_for == CHECK;
        build->undetermined = what_for == EVALUATION;
        build->derivation = derivation;
        status = guarded(build, own, messages);
        dal_state_free(build->first);
        dal_sparse_free(build->sparse);
        dal_arena_release(&build->start_arena);
        dal_arena_release(&build->graph_arena);
        if (status == DAL_OK && !keep_warnings(spec, own, build->packed))
            status = DAL_NO_MEMORY;
        if (status == DAL_OK)
            *system = build->packed;
        else
            dal_system_free(build->packed);
    }
    if (record)
        record->arena.guard = NULL;
    dal_arena_release(&arena);
    dal_messages_free(own);
    return status;
}

/* ---- with constraints that are derived --------------------------------------------------------- */

/* The description without parts that do not matter for directions without inertia. */
static dal_spec bare_spec(const dal_spec *spec)
{
    dal_spec bare = *spec;
    bare.simulate = (dal_simulate_spec){0};
    bare.n_speeds = bare.n_record = 0;
    bare.record_given = true;
    bare.motion = bare.shown = false;
    return bare;
}

dal_status dal_derive(const dal_allocator *allocator, const dal_spec *spec, dal_derivation *out)
{
    const dal_spec bare = bare_spec(spec);
    dal_messages *unheard = dal_messages_create(allocator);
    dal_system *system = NULL;
    *out = (dal_derivation){.n = 0};
    dal_arena_begin(&out->arena, allocator);
    if (!unheard)
        return DAL_NO_MEMORY;
    const dal_status status = compile_one(allocator, allocator, &bare, EVALUATION, NULL, NULL, out, unheard, &system);
    dal_system_free(system);
    dal_messages_free(unheard);
    if (status == DAL_OK || status == DAL_NO_MEMORY)
        return status;
    out->n = 0; /* the model has faults of its own */
    out->verdict = NULL;
    return DAL_OK;
}

/* The description with the conditions that were derived among its constraints. */
static bool extend_spec(const dal_spec *spec, dal_derivation *d, dal_messages *messages, dal_spec *out)
{
    *out = *spec;
    out->constraints = DAL_NEW(&d->arena, dal_constraint_spec, spec->n_constraints + d->n);
    if (!out->constraints)
        return false;
    if (spec->n_constraints)
        memcpy(out->constraints, spec->constraints, sizeof *spec->constraints * (size_t)spec->n_constraints);
    for (int i = 0; i < d->n; i++) {
        const dal_condition *c = &d->condition[i];
        const dal_mark mark = spec->simulate.undetermined.word.mark;
        dal_constraint_spec *to = &out->constraints[out->n_constraints++];
        to->name = (dal_text){.text = c->name, .mark = mark};
        *(c->rates ? &to->velocity : &to->position) = (dal_text){.text = c->text, .mark = mark};
        to->derived = c->equation;
        dal_say(messages, DAL_NOTE, mark, "derived: '%s', the balance of the forces along a direction without inertia: %s", c->name, c->equation);
    }
    return true;
}

static dal_status compile_derived(const dal_allocator *for_system, const dal_allocator *allocator, const dal_spec *spec, demand what_for,
                                  dal_messages *messages, dal_system **system)
{
    dal_derivation d;
    dal_spec extended;
    dal_status status = dal_derive(allocator, spec, &d);
    if (status == DAL_OK && d.verdict && what_for != ANYTHING) {
        dal_error(messages, d.mark, "%s", d.verdict);
        status = DAL_BAD_MODEL;
    } else if (status == DAL_OK)
        status = extend_spec(spec, &d, messages, &extended)
                     ? compile_one(for_system, allocator, &extended, what_for, NULL, NULL, NULL, messages, system)
                     : DAL_NO_MEMORY;
    dal_derivation_release(&d);
    return status;
}

/* ---- the calls ----------------------------------------------------------------------------------- */

static dal_status compile_spec(const dal_allocator *for_system, const dal_allocator *allocator, const dal_spec *spec, demand what_for,
                               const dal_memory *memory, dal_memory *record, dal_messages *messages, dal_system **system)
{
    if (dal_spec_derives(spec))
        return memory ? DAL_BAD_MODEL : compile_derived(for_system, allocator, spec, what_for, messages, system);
    return compile_one(for_system, allocator, spec, what_for, memory, record, NULL, messages, system);
}

/* The system keeps a copy of its description, to be varied. */
static dal_status compile_base(const dal_allocator *allocator, const dal_spec *spec, demand what_for, dal_messages *messages, dal_system **system)
{
    if (!dal_spec_sound(spec, messages))
        return DAL_BAD_MODEL;
    dal_status status = compile_spec(allocator, allocator, spec, what_for, NULL, NULL, messages, system);
    if (status != DAL_OK || what_for == ANYTHING)
        return status;
    dal_origin *origin = dal_origin_begin(allocator, spec, what_for == EVALUATION);
    if (!origin) {
        dal_system_free(*system);
        *system = NULL;
        return DAL_NO_MEMORY;
    }
    origin->forget = dal_memory_free;
    (*system)->origin = origin;
    (*system)->spec = origin->spec;
    return DAL_OK;
}

dal_status dal_compile_varied(const dal_allocator *allocator, const dal_allocator *scratch, const dal_spec *spec, bool for_evaluation,
                              const dal_memory *memory, dal_memory *record, dal_messages *messages, dal_system **system)
{
    return compile_spec(allocator, scratch, spec, for_evaluation ? EVALUATION : RUN, memory, record, messages, system);
}

dal_status dal_compile(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system)
{
    if (system)
        *system = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, system) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    return compile_base(allocator, spec, RUN, messages, system);
}

dal_status dal_compile_for_evaluation(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system)
{
    if (system)
        *system = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, system) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    return compile_base(allocator, spec, EVALUATION, messages, system);
}

dal_status dal_compile_thoroughly(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system)
{
    *system = NULL;
    return compile_base(allocator, spec, CHECK, messages, system);
}

dal_status dal_compile_anyway(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system)
{
    *system = NULL;
    return compile_base(allocator, spec, ANYTHING, messages, system);
}
