/* From a spec to a system: names, bodies, joints, forces, programs, assembly, layout. Everything is then packed into one block, on which
 * the rank is found and the first evaluation made (first_evaluation.c). The function `compile` has the order.
 */
#include "base/argument.h"
#include "kinematics/placement.h"
#include "kinematics/tree.h"
#include "math/rank.h"
#include "math/sparse.h"
#include "compile/missing.h"
#include "compile/memory.h"
#include "compile/owners.h"
#include "model/coordinate_names.h"
#include "model/system.h"
#include "spec/sound.h"
#include "compile/scene.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle_order.h"
#include "dynamics/speeds.h"
#include "state/scale.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables, states, programs ------------------------------------------------------- */

static void mark_need(void *user, int variable)
{
    ((bool *)user)[variable] = true;
}

static void compile_program(dal_build *build, const dal_expressions *list, dal_compiled *out)
{
    if (dal_cached_program(build, list, out))
        return;
    bool *needed = DAL_NEW(build->arena, bool, build->n_signals);
    out->n_outputs = list->n;
    if (!list->n)
        return;
    for (int i = 0; i < list->n; i++)
        dal_each_var(build->graph, list->node[i], mark_need, needed);
    out->needs = DAL_NEW(build->arena, int, build->n_signals);
    for (int i = 0; i < build->n_signals; i++)
        if (needed[i])
            out->needs[out->n_needs++] = i;
    out->program = dal_program_build(build->arena, build->graph, build->n_signals, list->n, list->node);
    dal_remember_program(build, list, out);
}

/* ---- the orchestrator ----------------------------------------------------------------------- */

static void compile_description(dal_build *build, dal_system *system)
{
    dal_symbols_fill(build);
    dal_build_tables(build);
    dal_build_coordinates(build);
    dal_build_names(build);
    dal_build_bodies(build);
    if (!build->spec->n_bodies && !build->spec->n_systems)
        dal_error(build->messages, build->spec->space_mark, "the model has no bodies: describe at least one in `bodies:`");
    dal_check_figures(build);
    dal_build_placement(build);
    if (!build->spec->n_coordinates)
        dal_build_place(build);
    dal_build_joints(build);
    dal_build_inertias(build);
    dal_build_forces(build);
    dal_build_constraints(build, system);
    for (int i = 0; i < build->spec->n_joints; i++)
        if (build->mechanism.joints[i].type)
            dal_build_laws(build, i, &build->spec->joints[i].law);
    dal_build_friction_limits(build);
    for (int i = 0; i < build->spec->n_constraints; i++)
        dal_build_laws(build, build->spec->n_joints + i, &build->spec->constraints[i].law);
    dal_build_systems(build);
    dal_build_states(build, system);
    dal_mechanism_settle(&build->mechanism);
    dal_build_records(build);
    dal_choose_family(build, system);
    dal_choose_method(build, system);
    dal_choose_times(build, system);
}

/* All programs are built. */
static void let_graph_go(dal_build *build)
{
    if (build->record) {
        build->record->graph = build->graph;
        build->record->graph_arena = build->graph_arena;
        build->graph_arena.chunks = NULL;
    }
    dal_arena_release(&build->graph_arena);
    build->graph = NULL;
}

/* Systems of one memory that share the layout are of one size, but for what programs of their own take. */
static void pack(dal_build *build, const dal_system *draft)
{
    const bool alike = build->memory && draft->layout.shared;
    size_t bytes;
    build->packed = dal_pack_system(build->arena, &build->allocator, draft, alike ? dal_cached_size(build) : 0, &bytes);
    if (alike)
        dal_keep_size(build, bytes);
}

static dal_status compile(dal_build *build, dal_system *draft)
{
    compile_description(build, draft);
    if (dal_messages_count(build->messages, DAL_ERROR))
        return DAL_BAD_MODEL;
    dal_remember_description(build);
    if (build->memory && !dal_cache_fits(build))
        return DAL_BAD_MODEL; /* it is compiled without memory */
    compile_program(build, &build->drives, &draft->drives);
    draft->start_winding = DAL_NEW(build->arena, double, build->mechanism.n_windings);
    dal_build_length(build);
    const bool closed = (build->parts.placement ? dal_start_coordinates : dal_build_assemble)(build, &draft->drives, draft->start_winding);
    dal_sparse_free(build->sparse);
    build->sparse = NULL;
    dal_arena_release(&build->start_arena);
    if (!closed) {
        if (dal_build_written_identities(build, NULL) && dal_build_slopes(build, NULL))
            dal_build_written_ranks(build, NULL);
        return DAL_BAD_MODEL;
    }
    if (!dal_build_written_identities(build, draft->start_winding) || (!build->anyway && !dal_build_slopes(build, draft->start_winding)))
        return DAL_BAD_MODEL;
    dal_build_written_ranks(build, draft->start_winding);
    compile_program(build, &build->actions, &draft->actions);
    compile_program(build, &build->records, &draft->records);
    compile_program(build, &build->samples, &draft->samples);
    dal_layout_system(build, draft);
    if (!build->derivation)
        let_graph_go(build);
    if (dal_draft_refuse_curved_friction(build) || !dal_draft_eta_fits(build, draft))
        return DAL_BAD_MODEL;
    if ((draft->method.formulation->chooses || draft->method.formulation->unpack || draft->method.formulation->ignores ||
         (draft->layout.family->shares && !draft->layout.reduction)) &&
        !dal_draft_prepare(build, draft))
        return DAL_BAD_MODEL;
    dal_draft_info(build, draft);
    dal_refusal why;
    if (draft->method.formulation->applies && !draft->method.formulation->applies(draft, &why)) {
        const bool speeds = build->spec->n_speeds && why.reason == DAL_REASON_SPEEDS;
        dal_error(build->messages, speeds ? build->spec->speeds[0].name.mark : build->spec->simulate.formulation.name.mark, "%s", why.text);
        return DAL_BAD_MODEL;
    }
    if (draft->method.stabilization->applies && !draft->method.stabilization->applies(draft, &why)) {
        dal_error(build->messages, build->spec->simulate.stabilization.name.mark, "%s", why.text);
        return DAL_BAD_MODEL;
    }
    pack(build, draft);
    build->first = dal_state_create(&build->arena->allocator, build->packed);
    if (!build->first)
        longjmp(*build->arena->guard, 1);
    const bool settles = build->spec->simulate.start.text && !strcmp(build->spec->simulate.start.text, "equilibrium") && !build->anyway;
    if (!(settles ? dal_build_settled : dal_build_first)(build, build->packed, build->first))
        return DAL_BAD_MODEL;
    dal_remember_rows(build, build->first);
    if (!settles)
        build->packed->layout.units.time = build->packed->info.time = dal_system_time(build->first);
    dal_state_scales(build->first, build->packed->state_scale);
    dal_system_info *info = &build->packed->info;
    info->rank = build->packed->rank;
    info->freedoms = info->velocities - info->rank;
    if (build->derivation)
        dal_build_derive(build, build->first);
    return DAL_OK;
}

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

/* All code that may longjmp on out-of-memory. */
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
    dal_status status = compile(build, DAL_NEW(build->arena, dal_system, 1));
    if (build->memory && status != DAL_OK)
        return status; /* what is wrong is reported by a compile without memory */
    return dal_messages_deliver(build->arena, build->spec->file, own, messages) ? status : DAL_NO_MEMORY;
}

typedef enum demand { RUN, CHECK, EVALUATION, ANYTHING } demand;

/* Of one description. The system comes from one allocator, and everything that is needed on the way from the other. */
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

/* ---- with constraints that are derived ---------------------------------------------------------------- */

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
