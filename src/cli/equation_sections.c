/* The tab "Equations" of a page. The bounds on its derivations depend only on the model, so that a page is the same every time. */
#include "cli/derivation_page.h"
#include "output/page.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_BODIES = 40,
    MOST_WORK = 20000,     /* bodies times velocities squared */
    STEPS_WORK = 400,      /* the same, with all steps */
    STEPS_BYTES = 150000,  /* of all sections so far, with all steps */
    MOST_BYTES = 24000000, /* of all sections; in the page their size is about a thirtieth of this */
};

typedef struct sections {
    const dal_spec *spec;
    dal_growing *out;
    dal_growing undone;      /* formulations that are not shown, with the reason */
    const char *coordinates; /* other than those of the model; NULL: those */
    int written, too_long;
    bool only_large; /* the command derives a formulation that is not shown */
} sections;

/* One attempt; `why`: the text of the first error. */
static dal_status derive_once(sections *s, const char *formulation, bool steps, size_t size, char *why)
{
    dal_messages *aside = dal_messages_create(NULL);
    const dal_derivation_request request = {.spec = s->spec,
                                            .formulation = formulation,
                                            .coordinates = s->coordinates,
                                            .writing = DAL_WRITE_HTML,
                                            .steps = steps,
                                            .most_work = steps ? STEPS_WORK : MOST_WORK,
                                            .too_large = steps ? NULL : &s->only_large,
                                            .first = true,
                                            .last = true};
    const dal_status status = aside ? dal_derive_into(&request, s->out, aside) : DAL_NO_MEMORY;
    for (const dal_message *m = dal_messages_first(aside); m && !*why; m = m->next)
        if (m->severity == DAL_ERROR)
            snprintf(why, size, "%s", m->text);
    dal_messages_free(aside);
    return status;
}

static void note_undone(sections *s, const char *formulation, const char *why)
{
    dal_grow(&s->undone, "<p>%s: %s</p>\n", formulation, dal_html_escaped(s->out->arena, why));
}

static void remove_text(const sections *s, int before)
{
    s->out->n = before;
    s->out->text[before] = '\0';
}

/* The derivation with all its steps, instead of the text after `before`, if both are short. */
static void add_steps(sections *s, const char *formulation, int before)
{
    char why[400] = "";
    const int short_one = s->out->n - before;
    if (before + 2 * short_one > STEPS_BYTES)
        return;
    const char *kept = dal_arena_print(s->out->arena, "%s", s->out->text + before);
    remove_text(s, before);
    if (derive_once(s, formulation, true, sizeof why, why) == DAL_OK && s->out->n <= STEPS_BYTES)
        return;
    remove_text(s, before);
    dal_grow(s->out, "%s", kept);
}

/* In the coordinates of the model. Components integrate the positions of the bodies: if the model has other coordinates, they are shown in
 * `angle`. */
static dal_status derive_short(sections *s, const char *formulation, size_t size, char *why)
{
    s->coordinates = NULL;
    dal_status status = derive_once(s, formulation, false, size, why);
    if (status != DAL_OK && dal_find_derived_formulation(formulation)->ports && !s->spec->n_coordinates) {
        s->coordinates = "angle";
        *why = '\0';
        status = derive_once(s, formulation, false, size, why);
    }
    return status;
}

/* A text that is too long is removed again. */
static void derive_section(sections *s, const char *formulation)
{
    const int before = s->out->n;
    char why[400] = "";
    if (s->too_long >= 2) {
        note_undone(s, formulation, "not derived for this page, because the equations of others are too long for it");
        s->only_large = true;
        return;
    }
    const dal_status status = derive_short(s, formulation, sizeof why, why);
    if (status == DAL_OK && s->out->n <= MOST_BYTES) {
        add_steps(s, formulation, before);
        dal_grow(s->out, "%s", DAL_BETWEEN_SECTIONS);
        s->written++;
        return;
    }
    remove_text(s, before);
    s->too_long += status == DAL_OK;
    s->only_large |= status == DAL_OK;
    note_undone(s, formulation, status == DAL_OK ? "the equations are too long for this page" : *why ? why : dal_status_text(status));
}

static void derive_sections(sections *s)
{
    const char *name = s->spec->simulate.formulation.name.text;
    const dal_derived_formulation *own = name ? dal_find_derived_formulation(name) : NULL;
    if (own)
        derive_section(s, own->name);
    for (int i = 0; dal_derived_formulations[i]; i++)
        if (dal_derived_formulations[i] != own)
            derive_section(s, dal_derived_formulations[i]->name);
}

static void list_undone(sections *s)
{
    const char *file = s->spec->file ? dal_html_escaped(s->out->arena, s->spec->file) : "MODEL";
    if (!s->undone.n)
        return;
    dal_grow(s->out, "<details class=\"undone\"><summary>%s</summary>\n%s", s->written ? "Formulations that are not shown" : "No equations are shown",
             s->undone.text);
    if (s->only_large)
        dal_grow(s->out,
                 "<p>The command derives what is too large for a page: <code>dalembert derive %s --formulation NAME -o equations.html</code></p>\n",
                 file);
    dal_grow(s->out, "</details>\n");
}

static void note_too_large(sections *s)
{
    note_undone(s, "all formulations",
                dal_arena_print(s->out->arena,
                                "the model is too large for equations on this page: it has %d bodies, and a page shows those of %d at most",
                                s->spec->n_bodies, MOST_BODIES));
    s->only_large = true;
}

static dal_status write_sections(void *user)
{
    sections *s = user;
    dal_grow(s->out, "%s", "");
    if (s->spec->n_bodies > MOST_BODIES)
        note_too_large(s);
    else
        derive_sections(s);
    list_undone(s);
    return DAL_OK;
}

dal_status dal_equations_of_model(const dal_spec *spec, dal_growing *out)
{
    sections s = {.spec = spec, .out = out, .undone = {.arena = out->arena}};
    return dal_arena_try(out->arena, write_sections, &s);
}
