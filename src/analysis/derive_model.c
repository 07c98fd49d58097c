/* dal_derivation_text: derivations of a model, one formulation after the other, as a text. */
#include "analysis/derive_model.h"
#include "base/argument.h"
#include "base/message.h"
#include "dynamics/speeds.h"
#include "state/state_parts.h"

#include <string.h>

/* ---- one formulation -------------------------------------------------------------- */

typedef struct work {
    const dal_derivation_request *request;
    dal_messages *messages;
    dal_growing *out;
    dal_arena arena, texts; /* texts: changes of the description */
    dal_spec spec;
    dal_system *system;
    dal_state *state; /* at the start: which velocities are speeds */
} work;

/* The model for this formulation, in the requested coordinates; otherwise in its own, or in joint coordinates if it names none. */
static dal_status compile_model(work *w)
{
    const dal_derivation_request *r = w->request;
    dal_spec *spec = &w->spec;
    const char *family = r->coordinates;
    *spec = *r->spec;
    spec->memory = &w->texts;
    if (!family && !spec->n_coordinates && !spec->simulate.coordinates.name.text)
        family = "joint";
    if (!dal_spec_set(spec, "formulation", r->formulation, w->messages) || (family && !dal_spec_set(spec, "coordinates", family, w->messages)))
        return DAL_BAD_COMMAND;
    return dal_compile(NULL, spec, w->messages, &w->system);
}

static dal_status derive_and_write(void *user)
{
    work *w = user;
    const dal_derivation_request *r = w->request;
    const dal_speed_choice *speeds = dal_speeds_of(w->state);
    const dal_derive_options how = {
        .formulation = r->formulation, .speeds = speeds->column, .rows = speeds->basis ? speeds->basis->row : NULL, .steps = r->steps};
    w->out->arena->guard = w->arena.guard;
    dal_derivation *d = dal_derive_equations(&w->arena, &w->spec, w->system, &how, w->messages);
    if (!d)
        return DAL_BAD_MODEL;
    dal_write_derivation(w->out, d, r->writing, r->steps, r->width, r->first, r->last);
    return DAL_OK;
}

/* Entries of M are sums over the bodies. */
static bool is_small(const dal_system *system, double most)
{
    const dal_system_info info = dal_system_describe(system);
    const double n = info.velocities;
    return n * n * info.bodies <= most;
}

dal_status dal_derive_into(const dal_derivation_request *request, dal_growing *out, dal_messages *messages)
{
    work w = {.request = request, .messages = messages, .out = out};
    jmp_buf *outer = out->arena->guard;
    if (!dal_derives(request->formulation, messages))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&w.texts, NULL);
    dal_arena_begin(&w.arena, NULL);
    dal_status status = compile_model(&w);
    if (status == DAL_OK && request->most_work > 0 && !is_small(w.system, request->most_work)) {
        dal_error(messages, dal_nowhere, "the model is too large for equations on this page");
        if (request->too_large)
            *request->too_large = true;
        status = DAL_BAD_MODEL;
    }
    if (status == DAL_OK && !(w.state = dal_state_create(NULL, w.system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_state_evaluate(w.state, messages); /* it chooses speeds and rows */
    if (status == DAL_OK)
        status = dal_arena_try(&w.arena, derive_and_write, &w);
    out->arena->guard = outer;
    dal_state_free(w.state);
    dal_arena_release(&w.arena);
    dal_system_free(w.system);
    dal_arena_release(&w.texts);
    return status;
}

/* ---- as a text ---------------------------------------------------------------------- */

static const struct {
    const char *word;
    dal_writing writing;
} forms[] = {{"txt", DAL_WRITE_TEXT}, {"md", DAL_WRITE_MARKDOWN}, {"tex", DAL_WRITE_LATEX}, {"json", DAL_WRITE_JSON}};

static bool find_form(const dal_derivation_options *o, dal_messages *messages, dal_writing *writing)
{
    const char *word = o->form ? o->form : forms[0].word;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (!strcmp(word, forms[i].word)) {
            *writing = forms[i].writing;
            return true;
        }
    dal_error(messages, dal_nowhere, "equations are written as txt, md, tex or json, not as '%s'", word);
    return false;
}

static bool can_derive(const dal_allocator *allocator, const dal_spec *spec, const dal_derivation_options *o, dal_messages *messages, char **text)
{
    bool fine = dal_needs(messages, "dal_derivation_text", "spec", spec) && dal_needs(messages, "dal_derivation_text", "text", text) &&
                dal_needs_allocator(messages, "dal_derivation_text", allocator) &&
                dal_needs_array(messages, "dal_derivation_text", "formulations", o->n_formulations, o->formulations);
    for (int i = 0; fine && i < o->n_formulations; i++)
        fine = dal_needs(messages, "dal_derivation_text", "formulations[]", o->formulations[i]);
    if (fine && o->width && o->width < 20) {
        dal_error(messages, dal_nowhere, "dal_derivation_text: a text of %d columns is too narrow: at least 20 are needed", o->width);
        fine = false;
    }
    return fine;
}

dal_status dal_derivation_text(const dal_allocator *allocator, const dal_spec *spec, const dal_derivation_options *options, dal_messages *messages,
                               char **text)
{
    static const dal_derivation_options defaults = {0};
    static const char *const usual[] = {"lagrange"};
    const dal_derivation_options *o = options ? options : &defaults;
    dal_derivation_request one = {.spec = spec, .coordinates = o->coordinates, .steps = o->steps, .width = o->width ? o->width : 100};
    if (text)
        *text = NULL;
    if (!can_derive(allocator, spec, o, messages, text) || !find_form(o, messages, &one.writing))
        return DAL_BAD_COMMAND;
    const dal_allocator from = allocator ? *allocator : dal_default_allocator();
    const int n = o->n_formulations ? o->n_formulations : 1;
    dal_arena arena;
    dal_growing out = {.arena = &arena};
    dal_status status = DAL_OK;
    dal_arena_begin(&arena, allocator);
    for (int i = 0; i < n && status == DAL_OK; i++) {
        one.formulation = (o->n_formulations ? o->formulations : usual)[i];
        one.first = i == 0;
        one.last = i == n - 1;
        status = dal_derive_into(&one, &out, messages);
    }
    if (status == DAL_OK && !(*text = from.allocate(from.user, (size_t)out.n + 1)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        memcpy(*text, out.text ? out.text : "", (size_t)out.n + 1);
    dal_arena_release(&arena);
    return status;
}
