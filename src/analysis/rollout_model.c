/* dal_rollout_model_create: a model for rollouts. */
#include "analysis/rollout_parts.h"
#include "base/argument.h"
#include "model/system_parts.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <string.h>

typedef struct work {
    const dal_spec *from;
    const dal_rollout_options *options;
    dal_messages *messages;
    dal_arena arena;
    dal_rollout_model *model;
} work;

/* ---- its system --------------------------------------------------------------------------- */

static dal_status compile_as(work *w, const char *formulation, dal_messages *messages)
{
    dal_rollout_model *m = w->model;
    dal_spec_free(m->spec);
    m->spec = NULL;
    dal_status status = dal_spec_clone(&m->allocator, w->from, messages, &m->spec);
    if (status != DAL_OK)
        return status;
    if (!dal_spec_set(m->spec, "formulation", formulation, messages) ||
        (w->options->coordinates && !dal_spec_set(m->spec, "coordinates", w->options->coordinates, messages)))
        return DAL_BAD_COMMAND;
    return dal_compile(&m->allocator, m->spec, messages, &m->system);
}

/* The default: the recursion, if it supports the model. */
static bool compile_recursive(work *w)
{
    dal_rollout_model *m = w->model;
    if (compile_as(w, "recursive", NULL) != DAL_OK)
        return false;
    if (!dal_system_method(m->system)->stabilization->stabilises_gamma)
        return true;
    dal_system_free(m->system);
    m->system = NULL;
    return false;
}

static dal_status compile_model(work *w)
{
    dal_rollout_model *m = w->model;
    const char *asked = w->options->formulation;
    if (asked || !compile_recursive(w)) {
        const dal_status status = compile_as(w, asked ? asked : "lagrange", w->messages);
        if (status != DAL_OK)
            return status;
    }
    const dal_method *method = dal_system_method(m->system);
    if (method->formulation->unpack) {
        dal_error(w->messages, dal_nowhere, "rollouts integrate velocities, and '%s' has speeds of its own: lagrange gives the same motion",
                  method->formulation->name);
        return DAL_BAD_COMMAND;
    }
    if (dal_system_acting(m->system)->n_frictions) {
        dal_error(w->messages, dal_nowhere, "the model has dry friction, which sticks and slips at events: rollouts have none");
        return DAL_BAD_MODEL;
    }
    m->state = dal_state_create(&m->allocator, m->system);
    return m->state ? dal_state_evaluate(m->state, w->messages) : DAL_NO_MEMORY;
}

/* ---- names and memory --------------------------------------------------------------------- */

static int find_parameter(const dal_spec *spec, const char *name)
{
    for (int i = 0; i < spec->n_parameters && name; i++)
        if (!strcmp(spec->parameters[i].name.text, name))
            return i;
    return -1;
}

static dal_status name_parameters(work *w)
{
    dal_rollout_model *m = w->model;
    const int n = w->options->n_parameters;
    m->names = DAL_NEW(&w->arena, const char *, n);
    m->defaults = DAL_NEW(&w->arena, double, n);
    m->place = DAL_NEW(&w->arena, int, n);
    for (int i = 0; i < n; i++) {
        const char *name = w->options->parameters[i];
        const int found = find_parameter(m->spec, name);
        if (found < 0) {
            dal_error(w->messages, dal_nowhere, "the model has no parameter '%s'", name ? name : "");
            return DAL_BAD_COMMAND;
        }
        for (int k = 0; k < i; k++)
            if (!strcmp(m->names[k], name)) {
                dal_error(w->messages, dal_nowhere, "parameter '%s' is named twice", name);
                return DAL_BAD_COMMAND;
            }
        m->names[i] = dal_arena_copy(&w->arena, name, strlen(name));
        m->defaults[i] = m->spec->parameters[found].number;
    }
    return DAL_OK;
}

static const double *copy(dal_arena *arena, int n, const double *from)
{
    double *to = DAL_NEW(arena, double, n);
    if (n)
        memcpy(to, from, sizeof *to * (size_t)n);
    return to;
}

static void allocate_scratch(work *w)
{
    dal_rollout_model *m = w->model;
    const dal_system_info info = dal_system_describe(m->system);
    m->n_y = info.states;
    m->n_rows = dal_system_layout(m->system)->n_rows;
    m->info.system = m->system;
    m->info.coordinates = info.coordinates_count;
    m->info.velocities = info.velocities;
    m->info.states = dal_system_states(m->system, NULL);
    m->info.inputs = dal_system_inputs(m->system, NULL);
    m->info.parameters = w->options->n_parameters;
    m->start_states = copy(&w->arena, m->info.states, dal_own_states_of(m->state));
    m->start_inputs = copy(&w->arena, m->info.inputs, dal_values_of(m->state)->inputs);
    m->q = DAL_NEW(&w->arena, double, DAL_ROLLOUT_LANES *(m->info.coordinates + 1));
    m->v = DAL_NEW(&w->arena, double, DAL_ROLLOUT_LANES *(m->info.velocities + 1));
    m->inputs = DAL_NEW(&w->arena, double, DAL_ROLLOUT_LANES *(m->info.inputs + 1));
    m->parameters = DAL_NEW(&w->arena, double, DAL_ROLLOUT_LANES *(m->info.parameters + 1));
    double *engine = DAL_NEW(&w->arena, double, 4 * (m->n_y + 1));
    m->y = engine;
    m->at = engine + m->n_y;
    m->dy = engine + 2 * m->n_y;
    m->sum = engine + 3 * m->n_y;
}

/* ---- everything ---------------------------------------------------------------------------- */

static dal_status create(void *user)
{
    work *w = user;
    w->model = DAL_NEW(&w->arena, dal_rollout_model, 1);
    w->model->allocator = w->arena.allocator;
    w->model->info.why = "";
    dal_status status = compile_model(w);
    if (status == DAL_OK)
        status = name_parameters(w);
    if (status != DAL_OK)
        return status;
    allocate_scratch(w);
    status = dal_rollout_make_code(w->model, w->options, &w->arena);
    if (status == DAL_OK && !w->model->info.lanes && !w->options->engine)
        dal_say(w->messages, DAL_NOTE, dal_nowhere, "rollouts are not compiled, and the engine computes them: %s", w->model->info.why);
    return status;
}

static void release_parts(dal_rollout_model *m)
{
    dal_code_unload(&m->object);
    dal_state_free(m->state);
    dal_system_free(m->system);
    dal_spec_free(m->spec);
}

dal_status dal_rollout_model_create(const dal_allocator *allocator, const dal_spec *spec, const dal_rollout_options *options, dal_messages *messages,
                                    dal_rollout_model **model)
{
    static const dal_rollout_options defaults = {0};
    work w = {.from = spec, .options = options ? options : &defaults, .messages = messages};
    if (model)
        *model = NULL;
    if (!DAL_NEEDS(messages, spec) || !DAL_NEEDS(messages, model) || !DAL_NEEDS_ALLOCATOR(messages, allocator) ||
        !dal_needs_array(messages, __func__, "options->parameters", w.options->n_parameters, w.options->parameters))
        return DAL_BAD_COMMAND;
    if (w.options->lanes && w.options->lanes != 1 && w.options->lanes != DAL_ROLLOUT_LANES) {
        dal_error(messages, dal_nowhere, "there are 1 or 4 lanes, not %d", w.options->lanes);
        return DAL_BAD_COMMAND;
    }
    dal_arena_begin(&w.arena, allocator);
    const dal_status status = dal_arena_try(&w.arena, create, &w);
    if (w.model && status != DAL_OK)
        release_parts(w.model);
    return dal_arena_deliver(&w.arena, status == DAL_OK, status, w.model, offsetof(dal_rollout_model, memory), model);
}

void dal_rollout_model_free(dal_rollout_model *model)
{
    if (!model)
        return;
    release_parts(model);
    dal_arena_dispose(model->memory);
}

dal_rollout_info dal_rollout_describe(const dal_rollout_model *model)
{
    return model ? model->info : (dal_rollout_info){.why = ""};
}
