#include "cli/derivation.h"

#include "dynamics/speeds.h"
#include "output/page.h"
#include "state/state_parts.h"

#include <string.h>

/* ---- one formulation -------------------------------------------------------------- */

typedef struct work {
    const dal_derivation_request *request;
    dal_messages *messages;
    dal_growing *out;
    dal_arena arena, texts; /* texts: what is changed of the description */
    dal_spec spec;
    dal_system *system;
    dal_state *state; /* at the start: which velocities are speeds */
} work;

/* The model for this formulation: in the coordinates that were asked for; otherwise its own, and joint where it names none. */
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
        status = dal_state_evaluate(w.state, messages); /* which chooses speeds and rows */
    if (status == DAL_OK)
        status = dal_arena_try(&w.arena, derive_and_write, &w);
    out->arena->guard = outer;
    dal_state_free(w.state);
    dal_arena_release(&w.arena);
    dal_system_free(w.system);
    dal_arena_release(&w.texts);
    return status;
}

/* ---- a page of equations alone -------------------------------------------------------- */

/* Texts of the template, each of which it has once. */
static const char title_mark[] = "<!--TITLE-->", data_mark[] = "<!--DATA-->";

typedef struct page_text {
    const char *title;
    dal_growing *out;
} page_text;

static dal_status wrap_page(void *user)
{
    const page_text *text = user;
    dal_growing *out = text->out, whole = {.arena = out->arena};
    const char *page = (const char *)dal_equations_viewer, *end = page + dal_equations_viewer_size;
    const char *first = memmem(page, (size_t)(end - page), title_mark, strlen(title_mark));
    const char *second = memmem(page, (size_t)(end - page), data_mark, strlen(data_mark));
    if (!first || !second)
        return DAL_BAD_COMMAND;
    dal_grow(&whole, "%.*s%s", (int)(first - page), page, dal_html_escaped(out->arena, text->title));
    first += strlen(title_mark);
    dal_grow(&whole, "%.*s<div id=\"equations\">\n%s</div>\n", (int)(second - first), first, out->text);
    second += strlen(data_mark);
    dal_grow(&whole, "%.*s", (int)(end - second), second);
    *out = whole;
    return DAL_OK;
}

dal_status dal_equations_page(const char *title, dal_growing *out)
{
    page_text text = {title, out};
    return dal_arena_try(out->arena, wrap_page, &text);
}
