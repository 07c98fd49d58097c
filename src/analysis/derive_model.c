/* dal_derivation_text: derivations of a model, one formulation after the other, as a text. */
#include "dalembert/derive.h"
#include "base/argument.h"
#include "base/message.h"
#include "derive/write.h"
#include "dynamics/speeds.h"
#include "state/state_parts.h"

#include <string.h>

static const struct {
    const char *word;
    dal_writing writing;
} forms[] = {{"txt", DAL_WRITE_TEXT}, {"md", DAL_WRITE_MARKDOWN}, {"tex", DAL_WRITE_LATEX}, {"json", DAL_WRITE_JSON}};

typedef struct work {
    const dal_spec *from;
    const dal_derivation_options *options;
    dal_writing writing;
    dal_messages *messages;
    dal_growing out; /* in an arena of its own */
    dal_arena arena; /* of one derivation */
    dal_spec *spec;
    dal_system *system;
    dal_state *state; /* at the start: which velocities are speeds */
    const char *formulation;
    bool first, last;
} work;

/* In the coordinates that were asked for; otherwise in its own, and in those of the joints where it names none. */
static dal_status compile_model(work *w)
{
    const char *family = w->options->coordinates;
    dal_status status = dal_spec_clone(NULL, w->from, w->messages, &w->spec);
    if (status != DAL_OK)
        return status;
    if (!family && !w->spec->n_coordinates && !w->spec->simulate.coordinates.name.text)
        family = "joint";
    if (!dal_spec_set(w->spec, "formulation", w->formulation, w->messages) || (family && !dal_spec_set(w->spec, "coordinates", family, w->messages)))
        return DAL_BAD_COMMAND;
    return dal_compile(NULL, w->spec, w->messages, &w->system);
}

static dal_status derive_and_write(void *user)
{
    work *w = user;
    const dal_derivation_options *o = w->options;
    const dal_speed_choice *speeds = dal_speeds_of(w->state);
    const dal_derive_options how = {
        .formulation = w->formulation, .speeds = speeds->column, .rows = speeds->basis ? speeds->basis->row : NULL, .steps = o->steps};
    w->out.arena->guard = w->arena.guard;
    dal_derivation *d = dal_derive_equations(&w->arena, w->spec, w->system, &how, w->messages);
    if (!d)
        return DAL_BAD_MODEL;
    dal_write_derivation(&w->out, d, w->writing, o->steps, o->width ? o->width : 100, w->first, w->last);
    return DAL_OK;
}

static dal_status derive_one(work *w)
{
    if (!dal_derives(w->formulation, w->messages))
        return DAL_BAD_COMMAND;
    dal_status status = compile_model(w);
    dal_arena_begin(&w->arena, NULL);
    if (status == DAL_OK && !(w->state = dal_state_create(NULL, w->system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_state_evaluate(w->state, w->messages); /* which chooses speeds and rows */
    if (status == DAL_OK)
        status = dal_arena_try(&w->arena, derive_and_write, w);
    dal_state_free(w->state);
    dal_arena_release(&w->arena);
    dal_system_free(w->system);
    dal_spec_free(w->spec);
    w->state = NULL;
    w->system = NULL;
    w->spec = NULL;
    return status;
}

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
    dal_arena arena;
    work w = {.from = spec, .options = o, .messages = messages, .out = {.arena = &arena}};
    if (text)
        *text = NULL;
    if (!can_derive(allocator, spec, o, messages, text) || !find_form(o, messages, &w.writing))
        return DAL_BAD_COMMAND;
    const dal_allocator from = allocator ? *allocator : dal_default_allocator();
    const int n = o->n_formulations ? o->n_formulations : 1;
    dal_status status = DAL_OK;
    dal_arena_begin(&arena, allocator);
    for (int i = 0; i < n && status == DAL_OK; i++) {
        w.formulation = (o->n_formulations ? o->formulations : usual)[i];
        w.first = i == 0;
        w.last = i == n - 1;
        status = derive_one(&w);
    }
    if (status == DAL_OK && !(*text = from.allocate(from.user, (size_t)w.out.n + 1)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        memcpy(*text, w.out.text ? w.out.text : "", (size_t)w.out.n + 1);
    dal_arena_release(&arena);
    return status;
}
