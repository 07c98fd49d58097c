/* Generated code for rollouts: made, compiled, loaded, and compared with the engine before it is used. */
#include "analysis/rollout_parts.h"
#include "base/message.h"
#include "generate/generate.h"
#include "model/system_parts.h"
#include "run/sample_states.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 6, MOST_OPERATIONS = 30000 };

static const double agreement = 1e-10; /* of the largest acceleration */
static const double patience = 30;     /* time limit of the compiler, s */

typedef struct making {
    dal_rollout_model *model;
    const dal_rollout_options *options;
    dal_arena arena; /* of what is not needed afterwards */
    dal_messages *messages;
    const dal_generated *code;
    int n;
    dal_reference_state at[SAMPLES];
    char why[300];
} making;

static bool refuse_code(making *m, const char *why)
{
    snprintf(m->why, sizeof m->why, "%s", why);
    return false;
}

/* Features that the code lacks, for any equations. */
static const char *obstacle(const dal_rollout_model *model)
{
    const dal_method *method = dal_system_method(model->system);
    const dal_layout *layout = dal_system_layout(model->system);
    if (model->info.states)
        return "the model has states of its own";
    const char *size = dal_code_obstacle(layout, method->formulation->recursive);
    if (size)
        return size;
    if (method->minimum_norm || layout->derived)
        return "its accelerations are not determined by inertia and constraints alone";
    if (method->stabilization->solve)
        return "the stabilization has accelerations of its own";
    if (method->stabilization->stabilises_gamma && method->formulation->recursive)
        return "the stabilization is not written for this formulation";
    return NULL;
}

/* ---- the code --------------------------------------------------------------------------------- */

/* All parameters are fixed except those in which copies differ. */
static const bool *fixed_parameters(making *m)
{
    const dal_spec *spec = m->model->spec;
    bool *fixed = DAL_NEW(&m->arena, bool, spec->n_parameters);
    for (int i = 0; i < spec->n_parameters; i++) {
        fixed[i] = true;
        for (int k = 0; k < m->model->info.parameters; k++)
            fixed[i] = fixed[i] && strcmp(spec->parameters[i].name.text, m->model->names[k]);
    }
    return fixed;
}

/* States on the constraints, with the results of the engine there. A stabilization that does not project cannot find them: another one is used. */
static int sample(making *m)
{
    dal_rollout_model *model = m->model;
    if (dal_system_method(model->system)->stabilization->project || !model->n_rows)
        return dal_sample_states(model->state, SAMPLES, &m->arena, m->at);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_state *state = NULL;
    int n = 0, found = 0;
    if (dal_spec_clone(&model->allocator, model->spec, NULL, &spec) == DAL_OK && dal_spec_set(spec, "stabilization", "mass-projection", NULL) &&
        dal_compile(&model->allocator, spec, NULL, &system) == DAL_OK && (state = dal_state_create(&model->allocator, system)))
        n = dal_sample_states(state, SAMPLES, &m->arena, m->at);
    for (int i = 0; i < n; i++) {
        double *y = dal_state_reset(model->state) ? dal_state_y(model->state) : model->y;
        memcpy(y, m->at[i].q, sizeof *y * (size_t)model->info.coordinates);
        memcpy(y + model->info.coordinates, m->at[i].v, sizeof *y * (size_t)model->info.velocities);
        memcpy(dal_values_of(model->state)->inputs, m->at[i].inputs, sizeof *y * (size_t)model->info.inputs);
        if (dal_state_evaluate(model->state, NULL) == DAL_OK)
            m->at[found++] = dal_reference_of(model->state, &m->arena);
    }
    dal_state_free(state);
    dal_system_free(system);
    dal_spec_free(spec);
    return found;
}

static dal_status generate(void *user)
{
    making *m = user;
    dal_rollout_model *model = m->model;
    const dal_method *method = dal_system_method(model->system);
    dal_derive_options how = dal_derive_options_of(model->state);
    how.formulation = method->formulation->name;
    dal_derivation *d = dal_derive_equations(&m->arena, model->spec, model->system, &how, m->messages);
    m->n = d ? sample(m) : 0;
    dal_generate_options *o = DAL_NEW(&m->arena, dal_generate_options, 1);
    *o =
        (dal_generate_options){.prefix = "dal_code", .rollout = true, .lanes = DAL_ROLLOUT_LANES, .struct_of_parameters = model->info.parameters > 0};
    o->fixed = fixed_parameters(m);
    if (method->stabilization->stabilises_gamma) {
        o->alpha = 2 * method->alpha;
        o->beta = method->beta * method->beta;
    }
    if (!d || !m->n || !dal_generates(d, o, m->messages))
        return DAL_BAD_MODEL;
    m->code = dal_generate(d, o, 1, m->at);
    return DAL_OK;
}

/* The place in the code of each parameter of the options. */
static bool find_places(making *m)
{
    const int *which, n = dal_listing_parameters(m->code->listing, &which);
    for (int i = 0; i < m->model->info.parameters; i++) {
        m->model->place[i] = -1;
        for (int k = 0; k < n; k++)
            if (!strcmp(m->model->spec->parameters[which[k]].name.text, m->model->names[i]))
                m->model->place[i] = k;
        if (m->model->place[i] < 0) {
            snprintf(m->why, sizeof m->why, "parameter '%.100s' shapes the model", m->model->names[i]);
            return false;
        }
    }
    return true;
}

static bool find_function(making *m, const char *name, void *to, size_t size)
{
    void *found = dal_code_function(&m->model->object, name);
    memcpy(to, &found, size);
    return found || refuse_code(m, "the compiled code is not complete");
}

static bool load(making *m)
{
    dal_rollout_model *model = m->model;
    const dal_code_request request = {.source = m->code->source, .version = dal_system_describe(model->system).version, .patience = patience};
    if (m->code->operations > MOST_OPERATIONS) {
        snprintf(m->why, sizeof m->why, "its code would have %d operations, more than %d", m->code->operations, MOST_OPERATIONS);
        return false;
    }
    return dal_code_load(&request, &model->object, m->why, sizeof m->why) &&
           find_function(m, "dal_code_accelerations", &model->accelerations, sizeof model->accelerations) &&
           find_function(m, "dal_code_euler", &model->one[DAL_ROLLOUT_EULER], sizeof *model->one) &&
           find_function(m, "dal_code_rk4", &model->one[DAL_ROLLOUT_RK4], sizeof *model->one) &&
           find_function(m, "dal_code_euler_lanes", &model->four[DAL_ROLLOUT_EULER], sizeof *model->four) &&
           find_function(m, "dal_code_rk4_lanes", &model->four[DAL_ROLLOUT_RK4], sizeof *model->four);
}

/* ---- before it is used ------------------------------------------------------------------------- */

static bool agrees(making *m, const dal_reference_state *at, const double *parameters)
{
    const dal_rollout_model *model = m->model;
    double *vd = DAL_NEW(&m->arena, double, model->info.velocities), *lambda = DAL_NEW(&m->arena, double, model->n_rows);
    if (model->accelerations(at->t, at->q, at->v, at->inputs, parameters, vd, lambda))
        return false;
    for (int k = 0; k < model->info.velocities; k++)
        if (!(fabs(vd[k] - at->vd[k]) <= agreement * at->scale))
            return false;
    return true;
}

/* Compares with another value of a parameter, at the start of the model for that value. A parameter that became a number when the model was
 * compiled is a number in the code. */
static bool follows(making *m, int i, double *values)
{
    const dal_rollout_model *model = m->model;
    const double kept = values[model->place[i]], other = kept != 0 ? 1.03 * kept : 0.03;
    dal_system *varied = NULL;
    dal_state *state = NULL;
    bool good = false;
    if (dal_system_vary(&model->allocator, model->system, 1, &model->names[i], &other, NULL, &varied) == DAL_OK &&
        (state = dal_state_create(&model->allocator, varied)) && dal_state_evaluate(state, NULL) == DAL_OK &&
        dal_system_describe(varied).velocities == model->info.velocities) {
        const dal_reference_state at = dal_reference_of(state, &m->arena);
        values[model->place[i]] = other;
        good = agrees(m, &at, values);
        values[model->place[i]] = kept;
    }
    dal_state_free(state);
    dal_system_free(varied);
    return good;
}

static dal_status verify(void *user)
{
    making *m = user;
    const dal_rollout_model *model = m->model;
    double *values = DAL_NEW(&m->arena, double, model->info.parameters + 1);
    for (int i = 0; i < model->info.parameters; i++)
        values[model->place[i]] = model->defaults[i];
    for (int i = 0; i < m->n; i++)
        if (!agrees(m, &m->at[i], values)) {
            refuse_code(m, "generated code differs from the engine");
            return DAL_BAD_MODEL;
        }
    for (int i = 0; i < model->info.parameters; i++)
        if (!follows(m, i, values)) {
            snprintf(m->why, sizeof m->why, "the code does not follow another value of '%.100s'", model->names[i]);
            return DAL_BAD_MODEL;
        }
    return DAL_OK;
}

/* ---- everything ---------------------------------------------------------------------------- */

static void set_reason(making *m)
{
    const dal_message *last = NULL;
    for (const dal_message *message = dal_messages_first(m->messages); message; message = message->next)
        last = message->severity == DAL_ERROR ? message : last;
    refuse_code(m, last ? last->text : "no state of the model can be evaluated");
}

static dal_status make(making *m)
{
    const char *why = m->options->engine ? "that was asked for" : obstacle(m->model);
    if (why) {
        refuse_code(m, why);
        return DAL_BAD_MODEL;
    }
    dal_status status = dal_arena_try(&m->arena, generate, m);
    if (status != DAL_OK)
        set_reason(m);
    else if (!find_places(m) || !load(m))
        status = DAL_BAD_MODEL;
    return status == DAL_OK ? dal_arena_try(&m->arena, verify, m) : status;
}

dal_status dal_rollout_make_code(dal_rollout_model *model, const dal_rollout_options *options, dal_arena *arena)
{
    making m = {.model = model, .options = options, .messages = dal_messages_create(&model->allocator)};
    dal_status status = m.messages ? DAL_OK : DAL_NO_MEMORY;
    dal_arena_begin(&m.arena, &model->allocator);
    if (status == DAL_OK)
        status = make(&m);
    if (status == DAL_OK) {
        model->info.lanes = options->lanes ? options->lanes : DAL_ROLLOUT_LANES;
        model->info.operations = m.code->operations;
    } else
        dal_code_unload(&model->object);
    dal_messages_free(m.messages);
    dal_arena_release(&m.arena);
    if (status == DAL_NO_MEMORY)
        return status;
    model->info.why = dal_arena_print(arena, "%s", status == DAL_OK ? "" : m.why);
    return DAL_OK;
}
