/* Generated code for rollouts: made, compiled, loaded, and compared with the engine before it is used. Code that was made before is found by what it
 * follows from, and nothing is derived: the record beside the objects is that of compiled runs (run/code_memory.c). */
#include "analysis/rollout_parts.h"
#include "base/message.h"
#include "dynamics/row_rank.h"
#include "generate/generate.h"
#include "model/system_parts.h"
#include "run/known_code.h"
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
    const bool *fixed; /* of each parameter of the description: copies do not differ in it */
    const dal_generated *code;
    int n_arguments;
    const int *argument; /* of the code: parameters of the description */
    int n;
    dal_reference_state at[SAMPLES];
    char key[65]; /* digest of all that the code follows from */
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

/* What the code follows from: the model, its method and the parameters that are arguments; charts and rows of the start; the states, at the first of
 * which orders of elimination are chosen, with what the engine finds there. */
static void find_key(making *m)
{
    const dal_rollout_model *model = m->model;
    const dal_layout *layout = dal_system_layout(model->system);
    const dal_derive_options how = dal_derive_options_of(model->state);
    const int sizes[] = {model->info.coordinates, model->info.velocities, model->info.inputs, model->info.parameters, DAL_ROLLOUT_LANES, m->n};
    dal_digest d = dal_digest_begin();
    dal_digest_word(&d, "rollout");
    dal_digest_system(&d, model->system, dal_system_contents(model->system), m->fixed);
    dal_digest_counts(&d, (int)(sizeof sizes / sizeof *sizes), sizes);
    dal_digest_counts(&d, layout->family->condition ? 3 * layout->mechanism->n_bodies : 0, how.chart);
    dal_digest_counts(&d, how.rows ? dal_rank_of(model->state)->n : 0, how.rows);
    for (int i = 0; i < m->n; i++) {
        const dal_reference_state *at = &m->at[i];
        dal_digest_numbers(&d, 1, &at->t);
        dal_digest_numbers(&d, layout->nq, at->q);
        dal_digest_numbers(&d, layout->nv, at->v);
        dal_digest_numbers(&d, model->info.inputs, at->inputs);
        dal_digest_numbers(&d, layout->nv, at->vd);
    }
    dal_digest_text(&d, m->key);
}

/* States to compare with, and the key of the code. */
static dal_status look(void *user)
{
    making *m = user;
    m->fixed = fixed_parameters(m);
    m->n = sample(m);
    if (!m->n || !dal_state_reset(m->model->state) || dal_state_evaluate(m->model->state, NULL) != DAL_OK)
        return DAL_BAD_MODEL;
    find_key(m);
    return DAL_OK;
}

static dal_status generate(void *user)
{
    making *m = user;
    dal_rollout_model *model = m->model;
    const dal_method *method = dal_system_method(model->system);
    dal_derive_options how = dal_derive_options_of(model->state);
    how.formulation = method->formulation->name;
    dal_derivation *d = dal_derive_equations(&m->arena, model->spec, model->system, &how, m->messages);
    dal_generate_options *o = DAL_NEW(&m->arena, dal_generate_options, 1);
    *o =
        (dal_generate_options){.prefix = "dal_code", .rollout = true, .lanes = DAL_ROLLOUT_LANES, .struct_of_parameters = model->info.parameters > 0};
    o->fixed = m->fixed;
    if (method->stabilization->stabilises_gamma) {
        o->alpha = 2 * method->alpha;
        o->beta = method->beta * method->beta;
    }
    if (!d || !dal_generates(d, o, m->messages))
        return DAL_BAD_MODEL;
    m->code = dal_generate(d, o, 1, m->at);
    m->n_arguments = dal_listing_parameters(m->code->listing, &m->argument);
    return DAL_OK;
}

/* The place in the code of each parameter of the options, of n arguments that are these parameters of the description. */
static bool find_places(making *m, int n, const int *which)
{
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

/* Functions of the loaded object. What it says of its arrays has to be what they will be. */
static bool find_functions(making *m, int n_arguments)
{
    dal_rollout_model *model = m->model;
    const int wanted[] = {model->info.coordinates, model->info.velocities, model->info.inputs, n_arguments, model->n_rows};
    const int *sizes = dal_code_function(&model->object, "dal_code_sizes");
    if (!sizes || memcmp(sizes, wanted, sizeof wanted) != 0)
        return refuse_code(m, "the compiled code is that of another model");
    model->info.operations = sizes[sizeof wanted / sizeof *wanted];
    return find_function(m, "dal_code_accelerations", &model->accelerations, sizeof model->accelerations) &&
           find_function(m, "dal_code_euler", &model->one[DAL_ROLLOUT_EULER], sizeof *model->one) &&
           find_function(m, "dal_code_rk4", &model->one[DAL_ROLLOUT_RK4], sizeof *model->one) &&
           find_function(m, "dal_code_euler_lanes", &model->four[DAL_ROLLOUT_EULER], sizeof *model->four) &&
           find_function(m, "dal_code_rk4_lanes", &model->four[DAL_ROLLOUT_RK4], sizeof *model->four);
}

static dal_code_request request_for(const making *m, const char *source)
{
    dal_code_request request = {.source = source, .version = dal_system_describe(m->model->system).version, .patience = patience};
    memcpy(request.model, m->key, sizeof request.model);
    return request;
}

static bool load(making *m)
{
    const dal_code_request request = request_for(m, m->code->source);
    if (m->code->operations > MOST_OPERATIONS) {
        snprintf(m->why, sizeof m->why, "its code would have %d operations, more than %d", m->code->operations, MOST_OPERATIONS);
        return false;
    }
    return dal_code_load(&request, &m->model->object, m->why, sizeof m->why) && find_functions(m, m->n_arguments);
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

/* Code that was made before of the same model, without deriving anything. It is trusted no more than that which is new. */
static bool load_known(making *m)
{
    const dal_code_request request = request_for(m, NULL);
    const int most = m->model->spec->n_parameters;
    dal_code_notes notes;
    if (!dal_code_load_known(&request, &m->model->object, &notes))
        return false;
    bool fit = notes.n <= m->model->info.parameters;
    for (int i = 0; i < notes.n && fit; i++)
        fit = notes.number[i] >= 0 && notes.number[i] < most;
    if (fit && find_places(m, notes.n, notes.number) && find_functions(m, notes.n) && dal_arena_try(&m->arena, verify, m) == DAL_OK)
        return true;
    dal_code_unload(&m->model->object);
    return false;
}

static void remember(const making *m)
{
    const dal_code_request request = request_for(m, NULL);
    dal_code_notes notes = {.n = m->n_arguments};
    if (m->n_arguments > DAL_CODE_NOTES)
        return;
    memcpy(notes.number, m->argument, sizeof *m->argument * (size_t)m->n_arguments);
    dal_code_remember(&request, &m->model->object, &notes);
}

static dal_status generate_and_load(making *m)
{
    dal_status status = dal_arena_try(&m->arena, generate, m);
    if (status != DAL_OK) {
        set_reason(m);
        return status;
    }
    if (!find_places(m, m->n_arguments, m->argument) || !load(m))
        return DAL_BAD_MODEL;
    status = dal_arena_try(&m->arena, verify, m);
    if (status == DAL_OK)
        remember(m);
    return status;
}

static dal_status make(making *m)
{
    const char *why = m->options->engine ? "that was asked for" : obstacle(m->model);
    if (why) {
        refuse_code(m, why);
        return DAL_BAD_MODEL;
    }
    const dal_status status = dal_arena_try(&m->arena, look, m);
    if (status != DAL_OK) {
        set_reason(m);
        return status;
    }
    return load_known(m) ? DAL_OK : generate_and_load(m);
}

dal_status dal_rollout_make_code(dal_rollout_model *model, const dal_rollout_options *options, dal_arena *arena)
{
    making m = {.model = model, .options = options, .messages = dal_messages_create(&model->allocator)};
    dal_status status = m.messages ? DAL_OK : DAL_NO_MEMORY;
    dal_arena_begin(&m.arena, &model->allocator);
    if (status == DAL_OK)
        status = make(&m);
    if (status == DAL_OK)
        model->info.lanes = options->lanes ? options->lanes : DAL_ROLLOUT_LANES;
    else {
        model->info.operations = 0;
        dal_code_unload(&model->object);
    }
    dal_messages_free(m.messages);
    dal_arena_release(&m.arena);
    if (status == DAL_NO_MEMORY)
        return status;
    model->info.why = dal_arena_print(arena, "%s", status == DAL_OK ? "" : m.why);
    return DAL_OK;
}
