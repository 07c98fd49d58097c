/* dal_system_vary: a system that differs from another one in numbers.
 *
 * The description of the base is kept (model/origin.h) and gets the new values (spec/varied.c). Then the same compile runs as for a description that
 * was read, with what it remembers (memory.h): so every digit is that of a model read with these values.
 */
#include "base/argument.h"
#include "compile/again.h"
#include "compile/memory.h"
#include "model/system.h"
#include "spec/edited.h"
#include "spec/varied.h"

#include <math.h>
#include <string.h>

/* The reader itself used a value. */
static dal_status compile_anew(const dal_allocator *allocator, const dal_system *base, const dal_value_changes *v, dal_system **system)
{
    dal_arena scratch;
    dal_spec *spec = NULL;
    dal_status status = dal_spec_vary_text(allocator, base->origin->spec, v, &scratch, &spec);
    if (status == DAL_OK)
        status = (base->origin->for_evaluation ? dal_compile_for_evaluation : dal_compile)(allocator, spec, v->messages, system);
    if (status == DAL_OK)
        dal_say(v->messages, DAL_NOTE, dal_nowhere,
                "the reader itself uses '%.100s', in counts, tables, blocks or included models: the model was read and compiled again", v->shape);
    dal_spec_free(spec);
    dal_arena_release(&scratch);
    return status;
}

/* ---- compiled with memory ------------------------------------------------------------------------------------- */

/* The first one records what the others take. Of two threads that are first, one keeps it. */
static dal_status compile_first(const dal_allocator *allocator, dal_origin *origin, const dal_value_changes *v, dal_system **system)
{
    dal_memory *memory = dal_memory_begin(&origin->arena.allocator, &origin->arena), *none = NULL;
    if (!memory)
        return DAL_NO_MEMORY;
    const dal_status status = dal_compile_varied(allocator, allocator, v->spec, origin->for_evaluation, NULL, memory, v->messages, system);
    if (status != DAL_OK || !dal_memory_end(memory) || !atomic_compare_exchange_strong(&origin->memory, &none, memory))
        dal_memory_free(memory);
    return status;
}

/* With the memory. Any other answer than DAL_OK and DAL_NO_MEMORY: the memory does not fit. */
static dal_status compile_known(const dal_allocator *allocator, const dal_origin *origin, dal_memory *memory, const dal_value_changes *v,
                                dal_system **system)
{
    dal_workspace *workspace = dal_memory_borrow_workspace(memory);
    if (!workspace)
        return DAL_NO_MEMORY;
    const dal_allocator scratch = dal_workspace_open(workspace);
    const dal_status status = dal_compile_varied(allocator, &scratch, v->spec, origin->for_evaluation, memory, NULL, v->messages, system);
    dal_memory_return_workspace(memory, workspace);
    return status;
}

static dal_status compile_next(const dal_allocator *allocator, dal_origin *origin, const dal_value_changes *v, dal_system **system)
{
    dal_memory *memory = atomic_load(&origin->memory);
    if (!memory)
        return compile_first(allocator, origin, v, system);
    dal_status status = compile_known(allocator, origin, memory, v, system);
    if (status == DAL_OK || status == DAL_NO_MEMORY)
        return status;
    status = dal_compile_varied(allocator, allocator, v->spec, origin->for_evaluation, NULL, NULL, v->messages, system);
    if (status == DAL_OK)
        dal_say(v->messages, DAL_NOTE, dal_nowhere, "with these values the model has another structure: it was compiled again");
    return status;
}

static dal_status compile(const dal_allocator *allocator, const dal_system *base, dal_value_changes *v, dal_system **system)
{
    if (v->shape)
        return compile_anew(allocator, base, v, system);
    const dal_status status = compile_next(allocator, base->origin, v, system);
    if (status != DAL_OK)
        return status;
    dal_layer *own = dal_layer_begin(&v->arena, base->own);
    if (!own) {
        dal_system_free(*system);
        *system = NULL;
        return DAL_NO_MEMORY;
    }
    dal_origin_join(base->origin);
    (*system)->origin = base->origin;
    (*system)->spec = v->spec;
    (*system)->own = own;
    return DAL_OK;
}

/* ---- a text that was edited ---------------------------------------------------------------------------------------- */

typedef struct edit {
    int n;
    const char **names;
    double *values;
    dal_arena arena;
    const dal_spec *then, *now;
} edit;

/* The parameters whose texts have changed; parameters that are expressions in these change with them. */
static dal_status list_values(void *user)
{
    edit *e = user;
    e->names = DAL_NEW(&e->arena, const char *, e->now->n_parameters);
    e->values = DAL_NEW(&e->arena, double, e->now->n_parameters);
    for (int i = 0; i < e->now->n_parameters; i++) {
        const dal_pair *p = &e->then->parameters[i], *q = &e->now->parameters[i];
        if (!strcmp(p->value.text, q->value.text))
            continue;
        e->names[e->n] = q->name.text;
        e->values[e->n++] = q->number;
    }
    return DAL_OK;
}

static bool same_numbers(const dal_spec *a, const dal_spec *b)
{
    for (int i = 0; i < a->n_parameters; i++)
        if (memcmp(&a->parameters[i].number, &b->parameters[i].number, sizeof a->parameters->number))
            return false;
    return true;
}

/* It is the description that was read, with its hash and the warnings about its text. */
static dal_status compile_edited(const dal_allocator *allocator, const dal_system *before, const dal_spec *spec, dal_value_changes *v,
                                 dal_system **system)
{
    memcpy(v->spec->hash, spec->hash, sizeof spec->hash);
    v->spec->warnings = spec->warnings;
    const dal_status status = compile(allocator, before, v, system);
    v->spec->warnings = v->from->warnings; /* those of `spec` go with it */
    return status;
}

dal_status dal_compile_again(const dal_allocator *allocator, const dal_system *before, const dal_spec *spec, dal_messages *messages,
                             dal_system **system, bool *compiled)
{
    edit e = {.then = before && before->origin ? before->origin->spec : NULL, .now = spec};
    *system = NULL;
    *compiled = !e.then || before->origin->for_evaluation || !dal_spec_only_values(e.then, spec);
    if (*compiled)
        return dal_compile(allocator, spec, messages, system);
    dal_arena_begin(&e.arena, allocator);
    dal_status status = dal_arena_try(&e.arena, list_values, &e);
    dal_value_changes v = {.from = e.then, .n = e.n, .names = e.names, .values = e.values, .messages = messages};
    if (status == DAL_OK) {
        status = dal_spec_vary(allocator, &v);
        *compiled = status == DAL_OK && (v.shape || !same_numbers(v.spec, spec));
        if (status == DAL_OK && !*compiled)
            status = compile_edited(allocator, before, spec, &v, system);
        dal_arena_release(&v.arena);
    }
    dal_arena_release(&e.arena);
    return *compiled ? dal_compile(allocator, spec, messages, system) : status;
}

/* ---- what callers give ------------------------------------------------------------------------------------------ */

static bool check_values(const char *function, int n, const char *const *names, const double *values, dal_messages *messages)
{
    for (int i = 0; i < n; i++) {
        if (!dal_needs(messages, function, "names[]", names[i]))
            return false;
        if (!isfinite(values[i])) {
            dal_error(messages, dal_nowhere, "the value of '%.100s' is %g: a finite number is needed", names[i], values[i]);
            return false;
        }
        for (int k = 0; k < i; k++)
            if (!strcmp(names[k], names[i])) {
                dal_error(messages, dal_nowhere, "'%.100s' is given twice", names[i]);
                return false;
            }
    }
    return true;
}

dal_status dal_system_vary(const dal_allocator *allocator, const dal_system *base, int n, const char *const *names, const double *values,
                           dal_messages *messages, dal_system **system)
{
    if (system)
        *system = NULL;
    if (!DAL_NEEDS(messages, base) || !DAL_NEEDS(messages, system) || !DAL_NEEDS_ALLOCATOR(messages, allocator) ||
        !DAL_NEEDS_ARRAY(messages, n, names) || !DAL_NEEDS_ARRAY(messages, n, values) || !check_values(__func__, n, names, values, messages))
        return DAL_BAD_COMMAND;
    const dal_memory *memory = atomic_load(&base->origin->memory);
    dal_value_changes v = {
        .from = base->spec, .n = n, .names = names, .values = values, .messages = messages, .decimal = memory ? &memory->decimal : NULL};
    dal_status status = dal_spec_vary(allocator, &v);
    if (status == DAL_OK)
        status = compile(allocator, base, &v, system);
    dal_arena_release(&v.arena);
    return status;
}
