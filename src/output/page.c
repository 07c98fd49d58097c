/* Collects the parts of a page: texts, messages, scenes, motions. */
#include "output/page.h"

#include "base/argument.h"
#include "run/accuracy.h"
#include "spec/sound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool dal_page_available(void)
{
    return dal_viewer_size > 0;
}

void dal_spec_show(dal_spec *spec)
{
    if (spec)
        spec->shown = true;
}

void dal_spec_record_motion(dal_spec *spec)
{
    if (spec)
        spec->motion = true;
}

/* ---- texts ------------------------------------------------------------------------ */

static const char *keep_text(dal_page *page, const char *text, size_t length)
{
    char *copy = text ? dal_arena_alloc(&page->arena, length + 1) : NULL;
    if (text && !copy)
        page->status = DAL_NO_MEMORY;
    return copy ? memcpy(copy, text, length) : NULL;
}

static const char *copy_text(dal_page *page, const char *text)
{
    return keep_text(page, text, text ? strlen(text) : 0);
}

/* Appends to a list. */
static dal_page_fact *add_fact(dal_page *page, dal_page_fact **list)
{
    dal_page_fact *fact = dal_arena_alloc(&page->arena, sizeof *fact);
    if (!fact) {
        page->status = DAL_NO_MEMORY;
        return NULL;
    }
    while (*list)
        list = &(*list)->next;
    return *list = fact;
}

static void add_pair(dal_page *page, dal_page_fact **list, const char *name, const char *text)
{
    dal_page_fact *fact = add_fact(page, list);
    if (fact) {
        fact->name = copy_text(page, name);
        fact->text = copy_text(page, text);
    }
}

static void add_message(dal_page *page, dal_page_fact **list, const dal_message *message)
{
    dal_page_fact *fact = add_fact(page, list);
    const dal_mark mark = message->mark;
    const char *text = message->text;
    if (!fact)
        return;
    fact->severity = message->severity;
    fact->code = message->code;
    fact->number = message->number;
    /* a line of another file than the model needs the name of the file */
    if (mark.file && page->file && strcmp(mark.file, page->file)) {
        char place[400];
        snprintf(place, sizeof place, mark.line > 0 ? "%.300s:%d: " : "%.300s: ", mark.file, mark.line);
        char *whole = dal_arena_alloc(&page->arena, strlen(place) + strlen(text) + 1);
        if (whole)
            strcpy(stpcpy(whole, place), text);
        fact->text = whole;
        return;
    }
    fact->line = mark.line;
    fact->column = mark.column;
    fact->text = copy_text(page, text);
}

/* A line of the verdict. */
static void add_sentence(dal_page *page, dal_severity severity, const char *text)
{
    add_message(page, &page->verdict, &(dal_message){.severity = severity, .text = text});
}

/* These calls return nothing. An argument that they cannot use is an error of the page, which dal_page_close returns. */
static bool takes(dal_page *page, const char *function, const char *argument, const void *pointer)
{
    if (!page)
        return false;
    if (dal_needs(page->destination.messages, function, argument, pointer))
        return true;
    page->status = DAL_BAD_COMMAND;
    return false;
}

void dal_page_option(dal_page *page, const char *name, const char *value)
{
    if (!takes(page, __func__, "name", name) || !takes(page, __func__, "value", value))
        return;
    add_pair(page, &page->options, name, value);
}

void dal_page_entry(dal_page *page, const char *key, const char *json)
{
    if (!takes(page, __func__, "key", key) || !takes(page, __func__, "json", json))
        return;
    add_pair(page, &page->entries, key, json);
}

void dal_page_equations(dal_page *page, const char *html)
{
    if (page)
        page->equations = copy_text(page, html);
}

int dal_page_block(dal_page *page, const dal_page_numbers *numbers)
{
    dal_page_numbers *kept = dal_arena_alloc(&page->arena, sizeof *kept), **link = &page->numbers;
    if (!kept) {
        page->status = DAL_NO_MEMORY;
        return -1;
    }
    while (*link)
        link = &(*link)->next;
    *kept = *numbers;
    kept->next = NULL;
    *link = kept;
    return page->n_numbers++;
}

void dal_page_messages(dal_page *page, const dal_messages *messages)
{
    if (!page)
        return;
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next)
        add_message(page, &page->messages, message);
}

/* ---- evidence: the lines of the terminal, "  label       text" --------------------------- */

enum { INDENT = 2, LABEL = 12 };

static void add_line(dal_page *page, dal_page_fact **list, const char *line, size_t length)
{
    const bool first = length < INDENT || strncmp(line, "  ", INDENT); /* it has no label */
    const char *text = first || length < INDENT + LABEL ? line : line + INDENT + LABEL;
    dal_page_fact *fact = add_fact(page, list);
    if (!fact)
        return;
    size_t label = first ? 0 : strcspn(line + INDENT, " \n");
    fact->name = first ? "mechanism" : keep_text(page, line + INDENT, label < LABEL ? label : LABEL);
    fact->text = keep_text(page, text, length - (size_t)(text - line));
}

static void add_lines(dal_page *page, dal_page_fact **list, const char *text)
{
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        add_line(page, list, line, length);
        line += length + (line[length] == '\n');
    }
}

static void add_evidence(dal_page *page, dal_page_fact **list, const dal_evidence *evidence, dal_status status)
{
    const size_t size = (size_t)dal_evidence_text(evidence, status, NULL, 0) + 1;
    char *text = page->allocator.allocate(page->allocator.user, size);
    if (!text) {
        page->status = DAL_NO_MEMORY;
        return;
    }
    dal_evidence_text(evidence, status, text, size);
    add_lines(page, list, text);
    page->allocator.release(page->allocator.user, text);
}

void dal_page_evidence(dal_page *page, const dal_evidence *evidence, dal_status status)
{
    if (!takes(page, __func__, "evidence", evidence))
        return;
    char accuracy[200];
    dal_print_accuracy(&(dal_printer){accuracy, sizeof accuracy, 0}, evidence);
    add_lines(page, &page->evidence, accuracy); /* what a reader wants to know first */
    add_evidence(page, &page->evidence, evidence, status);
    page->incomplete |= evidence->incomplete;
}

void dal_page_report(dal_page *page, const char *text)
{
    add_lines(page, &page->evidence, text);
}

void dal_series_evidence(dal_series *series, const dal_evidence *evidence, dal_status status)
{
    if (series && takes(series->page, __func__, "evidence", evidence))
        add_evidence(series->page, &series->facts, evidence, status);
}

void dal_series_failed(dal_series *series, const char *reason)
{
    if (series && takes(series->page, __func__, "reason", reason))
        series->failed = copy_text(series->page, reason);
}

void dal_series_fact(dal_series *series, const char *label, const char *value)
{
    if (series && takes(series->page, __func__, "label", label) && takes(series->page, __func__, "value", value))
        add_pair(series->page, &series->facts, label, value);
}

/* ---- the verdict --------------------------------------------------------------------------- */

static void add_counts(dal_page *page, const dal_verdict *v)
{
    char text[400];
    snprintf(text, sizeof text, "%d freedom%s: %d %s, %d constraint row%s of rank %d; by counting (Gruebler): %d - %d = %d%s", v->freedoms,
             v->freedoms == 1 ? "" : "s", v->velocities, v->own_coordinates ? "coordinates" : "velocities of the bodies", v->rows,
             v->rows == 1 ? "" : "s", v->rank, v->velocities, v->rows, v->counted,
             v->counted == v->freedoms ? ", which is right" : ", which is wrong here: rows depend on one another");
    add_sentence(page, DAL_NOTE, text);
    if (v->redundant) {
        snprintf(text, sizeof text, "%d of the rows %s redundant%s", v->redundant, v->redundant == 1 ? "is" : "are",
                 v->consistent ? ", and agree with the others" : "");
        add_sentence(page, DAL_NOTE, text);
    }
}

void dal_page_verdict(dal_page *page, const dal_verdict *v)
{
    if (!takes(page, __func__, "verdict", v))
        return;
    if (v->known)
        add_counts(page, v);
    if (v->reason)
        add_sentence(page, DAL_ERROR, v->reason);
    for (int i = 0; i < v->n_moved; i++)
        add_sentence(page, DAL_NOTE, v->moved[i]);
    for (int i = 0; i < v->n_warnings; i++)
        add_message(page, &page->verdict, v->warnings[i]);
    if (v->status == DAL_OK && !v->n_warnings)
        add_sentence(page, DAL_NOTE, "no warnings");
}

/* ---- open ------------------------------------------------------------------------------------ */

static void add_number(dal_page *page, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    if (value > 0)
        dal_page_option(page, name, text);
}

static void add_options(dal_page *page, const dal_system *system)
{
    const dal_system_info info = dal_system_describe(system);
    dal_page_option(page, "coordinates", info.coordinates);
    dal_page_option(page, "formulation", info.formulation);
    dal_page_option(page, "stabilization", info.stabilization);
    dal_page_option(page, "integrator", info.integrator);
    add_number(page, "step", info.step);
    add_number(page, "rtol", info.rtol);
    add_number(page, "atol", info.atol);
    add_number(page, "until", info.until);
    add_number(page, "every", info.every);
}

static void describe_model(dal_page *page, const dal_spec *spec, const dal_system *system, const dal_page_options *options)
{
    const char *title = options->title ? options->title : spec && spec->name.text ? spec->name.text : spec ? spec->file : options->file;
    page->kind = copy_text(page, options->kind ? options->kind : "run");
    page->title = copy_text(page, title ? title : "");
    page->command = copy_text(page, options->command ? options->command : "");
    page->file = copy_text(page, spec ? spec->file : options->file);
    page->text = copy_text(page, spec ? spec->text : options->text);
    page->hash = copy_text(page, spec ? spec->hash : "");
    page->version = dal_version();
    page->viewer = options->viewer ? options->viewer : (const char *)dal_viewer;
    page->viewer_length = options->viewer ? options->viewer_length : dal_viewer_size;
    page->live = options->live;
    if (system)
        add_options(page, system);
}

static dal_status prepare(dal_page *page, const char *path, const dal_spec *spec, const dal_system *system, const dal_page_options *options)
{
    page->destination.name = copy_text(page, path);
    describe_model(page, spec, system, options);
    if (page->status != DAL_OK)
        return page->status;
    if (!page->viewer_length) {
        dal_error(page->destination.messages, (dal_mark){page->destination.name, 0, 0},
                  "cannot be written: this build has no report page; install node and npm (Debian's "
                  "packages nodejs and npm) and build "
                  "again, or write .csv or .h5");
        return DAL_BAD_COMMAND;
    }
    dal_status status = spec && system ? dal_scene_create(&page->allocator, spec, system, page->destination.messages, &page->own.scene) : DAL_OK;
    if (status == DAL_OK)
        status = dal_replacement_begin(&page->place, &page->destination, path);
    page->destination.path = page->place.part;
    return status;
}

dal_status dal_page_open(const char *path, const dal_spec *spec, const dal_system *system, const dal_page_options *options, dal_messages *messages,
                         dal_page **result)
{
    static const dal_page_options defaults = {0};
    const dal_page_options *o = options ? options : &defaults;
    if (result)
        *result = NULL;
    if (!DAL_NEEDS(messages, path) || !dal_needs(messages, __func__, "page", result) || !DAL_NEEDS_ALLOCATOR(messages, o->allocator) ||
        (spec && !dal_spec_sound(spec, messages)))
        return DAL_BAD_COMMAND;
    const dal_allocator allocator = o->allocator ? *o->allocator : dal_default_allocator();
    dal_page *page = allocator.allocate(allocator.user, sizeof *page);
    if (!page)
        return DAL_NO_MEMORY;
    *page = (dal_page){.allocator = allocator, .destination = {.messages = messages}};
    page->destination.allocator = &page->allocator;
    page->last = &page->own;
    dal_arena_begin(&page->arena, &allocator);
    dal_status status = prepare(page, path, spec, system, o);
    if (status != DAL_OK) {
        dal_page_discard(page);
        return status;
    }
    *result = page;
    return DAL_OK;
}

dal_status dal_page_item(dal_page *page, const char *title, const char *href, const char *text, const char *group, const dal_spec *spec,
                         const dal_system *system)
{
    if (!takes(page, __func__, "title", title) || !takes(page, __func__, "spec", spec) || !takes(page, __func__, "system", system))
        return DAL_BAD_COMMAND;
    dal_page_part *part = dal_arena_alloc(&page->arena, sizeof *part);
    if (!part)
        return page->status = DAL_NO_MEMORY;
    *part = (dal_page_part){
        .title = copy_text(page, title), .href = copy_text(page, href), .text = copy_text(page, text), .group = copy_text(page, group)};
    dal_status status = dal_scene_create(&page->allocator, spec, system, page->destination.messages, &part->scene);
    page->last = page->last->next = part;
    return status == DAL_OK ? page->status : status;
}

/* The motion belongs to the bodies and joints of the scene. */
static dal_status check_series(dal_page *page, const dal_series_options *o)
{
    const dal_scene *scene = page->last->scene;
    dal_messages *messages = page->destination.messages;
    bool fine = o->system || dal_needs_array(messages, "dal_page_series", "columns", o->n_columns, o->columns);
    for (int i = 0; fine && !o->system && i < o->n_columns; i++)
        fine = dal_needs(messages, "dal_page_series", "columns[].name", o->columns[i].name) &&
               dal_needs(messages, "dal_page_series", "columns[].unit", o->columns[i].unit);
    const dal_system_info info = dal_system_describe(o->system);
    if (fine && o->system && scene && (info.bodies != scene->n_bodies || info.joints > scene->n_joints)) {
        dal_error(messages, dal_nowhere, "dal_page_series: the system has %d bodies and %d joints, and the page shows %d and %d", info.bodies,
                  info.joints, scene->n_bodies, scene->n_joints);
        fine = false;
    }
    if (fine && o->most_frames < 0) {
        dal_error(messages, dal_nowhere, "dal_page_series: %d frames cannot be kept", o->most_frames);
        fine = false;
    }
    return fine ? DAL_OK : DAL_BAD_COMMAND;
}

dal_status dal_page_series(dal_page *page, const dal_series_options *options, dal_series **result)
{
    if (result)
        *result = NULL;
    if (!takes(page, __func__, "options", options) || !takes(page, __func__, "series", result) || check_series(page, options) != DAL_OK)
        return DAL_BAD_COMMAND;
    dal_series *series = dal_series_create(&page->allocator, page->last->scene, options), **link = &page->last->series;
    *result = series;
    if (!series)
        return page->status = DAL_NO_MEMORY;
    series->page = page;
    while (*link)
        link = &(*link)->next;
    *link = series;
    return DAL_OK;
}

/* ---- close ------------------------------------------------------------------------------------- */

static void release_page(dal_page *page)
{
    const dal_allocator allocator = page->allocator;
    for (dal_page_part *part = &page->own; part; part = part->next) {
        for (dal_series *series = part->series, *next; series; series = next) {
            next = series->next;
            dal_series_free(series);
        }
        dal_scene_free(part->scene);
    }
    dal_replacement_release(&page->place);
    dal_arena_release(&page->arena);
    allocator.release(allocator.user, page);
}

/* Writes everything into the part. */
static dal_status write_part(dal_page *page)
{
    dal_status status = page->status;
    for (dal_page_part *part = &page->own; part; part = part->next)
        for (dal_series *series = part->series; series && status == DAL_OK; series = series->next)
            status = dal_series_finish(series);
    if (status == DAL_OK)
        status = dal_replacement_make(&page->place);
    return status == DAL_OK ? dal_page_write(page) : status;
}

static bool has_rows(const dal_page *page)
{
    for (const dal_page_part *part = &page->own; part; part = part->next)
        for (const dal_series *series = part->series; series; series = series->next)
            if (series->rows)
                return true;
    return false;
}

dal_status dal_page_close(dal_page *page, bool keep_it)
{
    if (!page)
        return DAL_OK;
    dal_status status = DAL_OK;
    if (!keep_it || page->incomplete)
        add_message(page, &page->messages,
                    &(dal_message){.severity = DAL_WARNING,
                                   .code = dal_code_name(DAL_CODE_INCOMPLETE),
                                   .number = NAN,
                                   .text = "incomplete: the run did not reach its end, and this page shows what it recorded"});
    if (keep_it || has_rows(page))
        status = write_part(page);
    if (status == DAL_OK && keep_it)
        status = dal_replacement_finish(&page->place);
    else if (status == DAL_OK && has_rows(page))
        dal_replacement_leave(&page->place, "a page of what it recorded is");
    release_page(page);
    return status;
}

void dal_page_discard(dal_page *page)
{
    if (page)
        release_page(page);
}
