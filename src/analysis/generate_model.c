/* dal_c_code_generate: C code of a model, from its description. */
#include "dalembert/generate.h"
#include "base/argument.h"
#include "base/message.h"
#include "generate/generate.h"
#include "run/sample_states.h"

#include <math.h>
#include <string.h>

enum { REFERENCES = 8 };

typedef struct work {
    const dal_c_code_options *options;
    dal_messages *messages;
    dal_arena arena;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    dal_c_code *code;
} work;

/* The model in the requested coordinates; otherwise in its own, and for the recursion in joint coordinates. */
static dal_status compile_model(work *w, const dal_spec *from)
{
    const char *formulation = w->options->formulation ? w->options->formulation : "lagrange", *family = w->options->coordinates;
    dal_status status = dal_spec_clone(NULL, from, w->messages, &w->spec);
    if (status != DAL_OK)
        return status;
    if (!dal_derives(formulation, w->messages) || !dal_spec_set(w->spec, "formulation", formulation, w->messages))
        return DAL_BAD_COMMAND;
    if (!family && !w->spec->n_coordinates && dal_find_derived_formulation(formulation)->tree)
        family = "joint";
    if (family && !dal_spec_set(w->spec, "coordinates", family, w->messages))
        return DAL_BAD_COMMAND;
    status = dal_compile(NULL, w->spec, w->messages, &w->system);
    if (status == DAL_OK && !(w->state = dal_state_create(NULL, w->system)))
        status = DAL_NO_MEMORY;
    return status == DAL_OK ? dal_state_evaluate(w->state, w->messages) : status;
}

/* ---- parameters -------------------------------------------------------------------------- */

/* Does the code give the right accelerations for another value of the parameter? A parameter that became a number when the model was compiled (a
 * frame, a constant start value) is a number in the code. */
static bool follows(work *w, dal_listing *listing, int place, int parameter, double *values)
{
    const char *name = w->spec->parameters[parameter].name.text;
    const double kept = values[place], other = kept != 0 ? 1.03 * kept : 0.03;
    dal_system *varied = NULL;
    dal_state *state = NULL;
    bool good = false;
    if (dal_system_vary(NULL, w->system, 1, &name, &other, NULL, &varied) == DAL_OK && (state = dal_state_create(NULL, varied)) &&
        dal_state_evaluate(state, NULL) == DAL_OK) {
        const dal_reference_state at = dal_reference_of(state, &w->arena);
        const int nv = dal_system_describe(varied).velocities;
        double *vd = DAL_NEW(&w->arena, double, nv);
        values[place] = other;
        good = nv == dal_system_describe(w->system).velocities && dal_listing_accelerations(listing, &at, values, vd);
        for (int k = 0; good && k < nv; k++)
            good = fabs(vd[k] - at.vd[k]) <= 1e-9 * at.scale;
        values[place] = kept;
    }
    dal_state_free(state);
    dal_system_free(varied);
    return good;
}

/* Parameters for which it does not are fixed, and named. */
static void fix_parameters(work *w, dal_derivation *d, const dal_reference_state *reference, dal_generate_options *choice)
{
    const int *which;
    dal_listing *listing = dal_listing_build(d, choice, reference);
    const int n = dal_listing_parameters(listing, &which);
    double *values = DAL_NEW(&w->arena, double, n);
    bool *fixed = DAL_NEW(&w->arena, bool, w->spec->n_parameters);
    for (int i = 0; i < n; i++)
        values[i] = w->spec->parameters[which[i]].number;
    for (int i = 0; i < n; i++)
        if (!follows(w, listing, i, which[i], values)) {
            const dal_text *name = &w->spec->parameters[which[i]].name;
            fixed[which[i]] = true;
            dal_say(w->messages, DAL_NOTE, name->mark, "'%s' is fixed: the code does not follow another value of it", name->text);
        }
    choice->fixed = fixed;
}

/* ---- everything ---------------------------------------------------------------------------- */

static dal_status generate(void *user)
{
    work *w = user;
    const dal_c_code_options *wanted = w->options;
    dal_derive_options how = dal_derive_options_of(w->state);
    how.formulation = wanted->formulation;
    dal_derivation *d = dal_derive_equations(&w->arena, w->spec, w->system, &how, w->messages);
    if (!d)
        return DAL_BAD_MODEL;
    dal_reference_state references[REFERENCES];
    const int n = dal_sample_states(w->state, REFERENCES, &w->arena, references);
    if (!n)
        return DAL_NUMERICAL;
    dal_generate_options *o = DAL_NEW(&w->arena, dal_generate_options, 1);
    *o = (dal_generate_options){.prefix = dal_c_identifier(&w->arena, wanted->name ? wanted->name : "model", 0, NULL),
                                .struct_of_parameters = wanted->parameters,
                                .lanes = wanted->lanes,
                                .jacobians = wanted->jacobians};
    if (!dal_generates(d, o, w->messages))
        return DAL_BAD_MODEL;
    if (o->struct_of_parameters)
        fix_parameters(w, d, &references[0], o);
    const dal_generated *made = dal_generate(d, o, n, references);
    w->code = DAL_NEW(&w->arena, dal_c_code, 1);
    *w->code = (dal_c_code){.source = made->source,
                            .header = made->header,
                            .coordinates = made->nq,
                            .velocities = made->nv,
                            .rows = made->n_rows,
                            .operations = made->operations};
    return DAL_OK;
}

static bool can_generate(const dal_allocator *allocator, const dal_spec *spec, const dal_c_code_options *o, dal_messages *messages, dal_c_code **code)
{
    if (!dal_needs(messages, "dal_c_code_generate", "spec", spec) || !dal_needs(messages, "dal_c_code_generate", "code", code) ||
        !dal_needs_allocator(messages, "dal_c_code_generate", allocator))
        return false;
    if (o->lanes && o->lanes != 4 && o->lanes != 8) {
        dal_error(messages, dal_nowhere, "there are 4 or 8 lanes, not %d", o->lanes);
        return false;
    }
    return true;
}

dal_status dal_c_code_generate(const dal_allocator *allocator, const dal_spec *spec, const dal_c_code_options *options, dal_messages *messages,
                               dal_c_code **code)
{
    static const dal_c_code_options defaults = {0};
    work w = {.options = options ? options : &defaults, .messages = messages};
    if (code)
        *code = NULL;
    if (!can_generate(allocator, spec, w.options, messages, code))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&w.arena, allocator);
    dal_status status = compile_model(&w, spec);
    if (status == DAL_OK)
        status = dal_arena_try(&w.arena, generate, &w);
    dal_state_free(w.state);
    dal_system_free(w.system);
    dal_spec_free(w.spec);
    return dal_arena_deliver(&w.arena, status == DAL_OK, status, w.code, offsetof(dal_c_code, memory), code);
}

void dal_c_code_free(dal_c_code *code)
{
    if (code)
        dal_arena_dispose(code->memory);
}
