/* The file of a page: the viewer, and before its end the header as JSON and the numbers as base64. viewer/FORMAT.md describes it. */
#include "output/page.h"
#include "output/stream.h"

#include <math.h>
#include <string.h>

/* ---- blocks ------------------------------------------------------------------------- */

typedef enum block_type { FLOAT64, FLOAT32, UINT32 } block_type;
static const char *const type_names[] = {"float64", "float32", "uint32"};

/* Rows of `columns` numbers, of a track (from its column `first` on) or of a mesh. */
typedef struct block {
    block_type type;
    int rows, columns, first;
    const dal_track *track;
    const float *vertices;
    const uint32_t *triangles;
} block;

typedef struct writing {
    dal_page *page;
    dal_stream *out;
    block *blocks;
    int n, room;
} writing;

/* Its number; -1 without memory. */
static int add_block(writing *w, block b)
{
    if (w->n == w->room) {
        const dal_allocator *a = &w->page->allocator;
        block *bigger = a->allocate(a->user, sizeof *bigger * (size_t)(2 * w->room + 32));
        if (!bigger) {
            w->page->status = DAL_NO_MEMORY;
            return -1;
        }
        if (w->n)
            memcpy(bigger, w->blocks, sizeof *bigger * (size_t)w->n);
        a->release(a->user, w->blocks);
        w->blocks = bigger;
        w->room = 2 * w->room + 32;
    }
    w->blocks[w->n] = b;
    return w->n++;
}

/* "key": number of a new block; null if there is nothing in it. */
static void put_block(writing *w, const char *key, block b)
{
    dal_stream_print(w->out, ", \"%s\": ", key);
    if (b.rows > 0 && b.columns > 0)
        dal_stream_print(w->out, "%d", add_block(w, b));
    else
        dal_stream_text(w->out, "null");
}

static void write_block(dal_stream *out, const block *b)
{
    const size_t numbers = (size_t)b->rows * (size_t)b->columns;
    for (size_t i = 0; b->vertices && i < numbers; i++)
        dal_stream_float32(out, b->vertices[i]);
    for (size_t i = 0; b->triangles && i < numbers; i++)
        dal_stream_uint32(out, b->triangles[i]);
    for (int i = 0; b->track && i < b->rows; i++) {
        const double *row = b->track->value + (size_t)b->track->columns * (size_t)i + b->first;
        for (int k = 0; k < b->columns; k++)
            if (b->type == FLOAT64)
                dal_stream_float64(out, row[k]);
            else
                dal_stream_float32(out, (float)row[k]);
    }
    dal_stream_end64(out);
}

/* ---- small things ---------------------------------------------------------------------- */

static void put_pair(dal_stream *out, const char *key, const char *text)
{
    dal_stream_print(out, "\"%s\": ", key);
    dal_stream_string(out, text);
}

static void put_facts(dal_stream *out, const char *key, const dal_page_fact *list)
{
    dal_stream_print(out, ",\n\"%s\": [", key);
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_stream_text(out, fact == list ? "{" : ", {");
        put_pair(out, "label", fact->name);
        dal_stream_text(out, ", ");
        put_pair(out, "value", fact->text);
        dal_stream_text(out, ", \"unit\": \"\"}");
    }
    dal_stream_text(out, "]");
}

static void put_messages(dal_stream *out, const char *key, const dal_page_fact *list)
{
    static const char *const words[] = {"note", "warning", "error"};
    dal_stream_print(out, ",\n\"%s\": [", key);
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_stream_print(out, "%s{\"severity\": \"%s\", ", fact == list ? "" : ", ", words[fact->severity]);
        put_pair(out, "text", fact->text);
        if (fact->line > 0)
            dal_stream_print(out, ", \"line\": %d, \"column\": %d", fact->line, fact->column);
        if (fact->code)
            dal_stream_print(out, ", \"code\": \"%s\"", fact->code);
        if (fact->code && isfinite(fact->number))
            dal_stream_print(out, ", \"number\": %.17g", fact->number);
        dal_stream_text(out, "}");
    }
    dal_stream_text(out, "]");
}

static void put_options(dal_stream *out, const dal_page_fact *list)
{
    dal_stream_text(out, ",\n\"options\": [");
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_stream_text(out, fact == list ? "[" : ", [");
        dal_stream_string(out, fact->name);
        dal_stream_text(out, ", ");
        dal_stream_string(out, fact->text);
        dal_stream_text(out, "]");
    }
    dal_stream_text(out, "]");
}

/* JSON of somebody else's: < can only stand inside its strings, where it may be written so. */
static void put_entries(dal_stream *out, const dal_page_fact *list)
{
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_stream_text(out, ",\n");
        dal_stream_string(out, fact->name);
        dal_stream_text(out, ": ");
        for (const char *c = fact->text ? fact->text : "null"; *c; c++)
            if (*c == '<')
                dal_stream_text(out, "\\u003c");
            else
                dal_stream_bytes(out, c, 1);
    }
}

/* ---- the scene ---------------------------------------------------------------------------- */

static void put_vector(dal_stream *out, const char *key, int n, const double *x)
{
    dal_stream_print(out, "\"%s\": ", key);
    dal_stream_vector(out, n, x);
}

static void put_number(dal_stream *out, const char *key, double x)
{
    dal_stream_print(out, ", \"%s\": ", key);
    dal_stream_number(out, x);
}

static void put_list_of_points(dal_stream *out, const char *key, int columns, const dal_figure *f)
{
    dal_stream_print(out, ", \"%s\": [", key);
    for (int i = 0; i < f->n_points; i++) {
        dal_stream_text(out, i ? ", " : "");
        dal_stream_vector(out, columns, f->points + 3 * i);
    }
    dal_stream_text(out, "]");
}

static void put_figure(writing *w, const dal_figure *f)
{
    dal_stream *out = w->out;
    dal_stream_print(out, "{\"kind\": \"%s\", ", dal_figure_names[f->kind]);
    put_vector(out, "at", 3, f->at);
    dal_stream_text(out, ", ");
    put_vector(out, "quaternion", 4, f->quaternion);
    dal_stream_text(out, ", ");
    put_pair(out, "color", *f->color ? f->color : NULL);
    switch (f->kind) {
    case DAL_FIGURE_BOX:
        dal_stream_text(out, ", ");
        put_vector(out, "size", 3, f->size);
        break;
    case DAL_FIGURE_SPHERE: put_number(out, "radius", f->radius); break;
    case DAL_FIGURE_CYLINDER:
    case DAL_FIGURE_CAPSULE:
        put_number(out, "radius", f->radius);
        put_number(out, "length", f->length);
        break;
    case DAL_FIGURE_PLATE:
        put_list_of_points(out, "outline", 2, f);
        put_number(out, "thickness", f->thickness);
        break;
    case DAL_FIGURE_POLYLINE:
        put_list_of_points(out, "points", 3, f);
        put_number(out, "radius", f->radius);
        break;
    case DAL_FIGURE_MESH:
        put_block(w, "vertices",
                  (block){.type = FLOAT32, .rows = f->mesh.n_vertices, .columns = 3, .vertices = f->mesh.vertices});
        put_block(w, "triangles",
                  (block){.type = UINT32, .rows = f->mesh.n_triangles, .columns = 3, .triangles = f->mesh.triangles});
        break;
    }
    dal_stream_text(out, "}");
}

static void put_points_and_shapes(writing *w, const dal_scene_body *body)
{
    dal_stream *out = w->out;
    dal_stream_text(out, "\"points\": [");
    for (int i = 0; i < body->n_points; i++) {
        dal_stream_text(out, i ? ", {" : "{");
        put_pair(out, "name", body->points[i].name);
        dal_stream_text(out, ", ");
        put_vector(out, "at", 3, body->points[i].at);
        dal_stream_text(out, "}");
    }
    dal_stream_text(out, "], \"shapes\": [");
    for (int i = 0; i < body->n_figures; i++) {
        dal_stream_text(out, i ? ", " : "");
        put_figure(w, &body->figures[i]);
    }
    dal_stream_text(out, "]");
}

static void put_body(writing *w, const dal_scene_body *body)
{
    dal_stream *out = w->out;
    dal_stream_text(out, "{");
    put_pair(out, "name", body->name);
    dal_stream_print(out, ", \"particle\": %s", body->particle ? "true" : "false");
    put_number(out, "mass", body->mass);
    dal_stream_text(out, ", ");
    put_vector(out, "center", 3, body->center);
    dal_stream_text(out, ", ");
    put_vector(out, "inertia", 6, body->inertia);
    dal_stream_text(out, ", ");
    put_points_and_shapes(w, body);
    dal_stream_text(out, "}");
}

static void put_joint(dal_stream *out, const dal_scene_joint *joint)
{
    dal_stream_text(out, "{");
    put_pair(out, "name", joint->name);
    dal_stream_text(out, ", ");
    put_pair(out, "type", joint->type);
    dal_stream_text(out, ", ");
    put_pair(out, "motion", joint->motion);
    dal_stream_text(out, ", \"sides\": [");
    for (int i = 0; joint->pair && i < 2; i++) {
        const dal_marker *m = &joint->marker[i];
        const double *B = m->B,
                     axes[9] = {B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]}; /* x, y, z one after the other */
        dal_stream_print(out, "%s{\"body\": %d, ", i ? ", " : "", m->body);
        put_vector(out, "at", 3, m->s);
        dal_stream_text(out, ", ");
        put_vector(out, "axes", 9, axes);
        dal_stream_text(out, "}");
    }
    dal_stream_print(out, "], \"redundant\": %s", joint->redundant ? "true" : "false");
    if (!isnan(joint->radius))
        put_number(out, "radius", joint->radius);
    dal_stream_text(out, "}");
}

static void put_force(dal_stream *out, const dal_scene_force *force)
{
    dal_stream_text(out, "{");
    put_pair(out, "name", force->name);
    dal_stream_text(out, ", ");
    put_pair(out, "type", force->type);
    dal_stream_text(out, ", \"ends\": [");
    for (int i = 0; i < force->n_ends; i++) {
        dal_stream_print(out, "%s{\"body\": %d, ", i ? ", " : "", force->end[i].body);
        put_vector(out, "at", 3, force->end[i].at);
        dal_stream_text(out, "}");
    }
    dal_stream_text(out, "]");
    put_number(out, "free", force->free);
    dal_stream_text(out, "}");
}

static void put_scene(writing *w, const dal_scene *scene)
{
    dal_stream *out = w->out;
    dal_stream_text(out, "\"scene\": ");
    if (!scene) {
        dal_stream_text(out, "null");
        return;
    }
    dal_stream_print(out, "{\"space\": \"%s\", ", scene->space == DAL_PLANAR ? "planar" : "spatial");
    put_vector(out, "gravity", 3, scene->gravity);
    dal_stream_text(out, ",\n  \"bodies\": [");
    for (int b = 0; b < scene->n_bodies; b++) {
        dal_stream_text(out, b ? ",\n    " : "");
        put_body(w, &scene->bodies[b]);
    }
    dal_stream_text(out, "],\n  \"ground\": {");
    put_points_and_shapes(w, &scene->ground);
    dal_stream_text(out, "},\n  \"joints\": [");
    for (int j = 0; j < scene->n_joints; j++) {
        dal_stream_text(out, j ? ",\n    " : "");
        put_joint(out, &scene->joints[j]);
    }
    dal_stream_text(out, "],\n  \"forces\": [");
    for (int i = 0; i < scene->n_forces; i++) {
        dal_stream_text(out, i ? ",\n    " : "");
        put_force(out, &scene->forces[i]);
    }
    dal_stream_text(out, "]}");
}

/* ---- series --------------------------------------------------------------------------------- */

/* Single precision shows a ten thousandth of the model, unless it is far away. */
static block_type precision(const dal_series *s, const dal_scene *scene)
{
    return scene && s->far * 0x1p-24 > 1e-4 * scene->length ? FLOAT64 : FLOAT32;
}

static void put_channels(dal_stream *out, const dal_series *s)
{
    dal_stream_text(out, ",\n    \"channels\": [");
    for (int i = 1; i < s->n_columns; i++) {
        const dal_column *c = &s->columns[i];
        dal_stream_text(out, i > 1 ? ", {" : "{");
        put_pair(out, "name", c->name);
        dal_stream_text(out, ", ");
        put_pair(out, "unit", c->unit ? c->unit : "");
        dal_stream_print(out, ", \"log\": %s, \"column\": %d}", strncmp(c->name, "constraint.", 11) ? "false" : "true",
                         i - 1);
    }
    dal_stream_text(out, "]");
}

static void put_series(writing *w, const dal_series *s, const dal_scene *scene)
{
    dal_stream *out = w->out;
    const dal_track *t = s->track;
    const int n = s->n, channels = s->n_columns - 1, merged = dal_series_merged(s) ? n : 0;
    dal_stream_text(out, "{");
    put_pair(out, "name", s->name);
    dal_stream_print(out, ", \"frames\": %d, \"recorded\": %ld", n, s->rows);
    put_block(w, "time", (block){.type = FLOAT64, .rows = n, .columns = 1, .track = &t[DAL_TRACK_VALUES]});
    put_block(w, "poses",
              (block){.type = precision(s, scene),
                      .rows = n,
                      .columns = t[DAL_TRACK_POSES].columns,
                      .track = &t[DAL_TRACK_POSES]});
    put_channels(out, s);
    put_block(w, "values",
              (block){.type = FLOAT64, .rows = n, .columns = channels, .first = 1, .track = &t[DAL_TRACK_VALUES]});
    put_block(w, "least",
              (block){.type = FLOAT64, .rows = merged, .columns = channels, .first = 1, .track = &t[DAL_TRACK_LEAST]});
    put_block(w, "most",
              (block){.type = FLOAT64, .rows = merged, .columns = channels, .first = 1, .track = &t[DAL_TRACK_MOST]});
    put_block(
        w, "reactions",
        (block){
            .type = FLOAT32, .rows = n, .columns = t[DAL_TRACK_REACTIONS].columns, .track = &t[DAL_TRACK_REACTIONS]});
    put_block(
        w, "velocities",
        (block){
            .type = FLOAT32, .rows = n, .columns = t[DAL_TRACK_VELOCITIES].columns, .track = &t[DAL_TRACK_VELOCITIES]});
    put_block(w, "error",
              (block){.type = FLOAT64, .rows = n, .columns = t[DAL_TRACK_ERROR].columns, .track = &t[DAL_TRACK_ERROR]});
    if (s->facts)
        put_facts(out, "evidence", s->facts);
    if (s->failed) {
        dal_stream_text(out, ", ");
        put_pair(out, "failed", s->failed);
    }
    dal_stream_text(out, "}");
}

static void put_all_series(writing *w, const dal_page_part *part)
{
    dal_stream_text(w->out, ",\n\"series\": [");
    for (const dal_series *s = part->series; s; s = s->next) {
        dal_stream_text(w->out, s == part->series ? "" : ",\n  ");
        put_series(w, s, part->scene);
    }
    dal_stream_text(w->out, "]");
}

static void put_items(writing *w, const dal_page_part *first)
{
    dal_stream *out = w->out;
    dal_stream_text(out, ",\n\"items\": [");
    for (const dal_page_part *part = first; part; part = part->next) {
        dal_stream_text(out, part == first ? "{" : ",\n{");
        put_pair(out, "title", part->title);
        dal_stream_text(out, ", ");
        put_pair(out, "href", part->href);
        dal_stream_text(out, ", ");
        put_pair(out, "text", part->text);
        dal_stream_text(out, ", ");
        put_pair(out, "group", part->group);
        dal_stream_text(out, ", ");
        put_scene(w, part->scene);
        put_all_series(w, part);
        dal_stream_text(out, "}");
    }
    dal_stream_text(out, "]");
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void put_model(dal_stream *out, const dal_page *page)
{
    const char *slash = page->file ? strrchr(page->file, '/') : NULL;
    dal_stream_text(out, ",\n\"model\": {");
    put_pair(out, "file", slash ? slash + 1 : page->file ? page->file : "");
    dal_stream_text(out, ", ");
    put_pair(out, "hash", page->hash);
    dal_stream_text(out, ", ");
    put_pair(out, "text", page->text ? page->text : "");
    dal_stream_text(out, "}");
}

static void put_header(writing *w)
{
    const dal_page *page = w->page;
    dal_stream *out = w->out;
    dal_stream_text(out,
                    "<script type=\"application/json\" id=\"dalembert\">{\"format\": \"dalembert\", \"version\": 1, ");
    put_pair(out, "kind", page->kind);
    dal_stream_text(out, ", ");
    put_pair(out, "title", page->title);
    dal_stream_text(out, ",\n");
    put_pair(out, "program", page->version);
    dal_stream_text(out, ", ");
    put_pair(out, "command", page->command);
    put_model(out, page);
    put_options(out, page->options);
    put_facts(out, "evidence", page->evidence);
    put_messages(out, "verdict", page->verdict);
    put_messages(out, "messages", page->messages);
    put_entries(out, page->entries);
    dal_stream_text(out, ",\n");
    put_scene(w, page->own.scene);
    put_all_series(w, &page->own);
    if (page->own.next)
        put_items(w, page->own.next);
    dal_stream_text(out, ",\n\"blocks\": [");
    for (int i = 0; i < w->n; i++)
        dal_stream_print(out, "%s{\"type\": \"%s\", \"rows\": %d, \"columns\": %d}", i ? ", " : "",
                         type_names[w->blocks[i].type], w->blocks[i].rows, w->blocks[i].columns);
    dal_stream_print(out, "],\n\"live\": %s}</script>\n", page->live ? "true" : "false");
}

/* Places in the viewer's text. */
static const char data_mark[] = "<!--DATA-->", no_connections[] = "connect-src 'none'",
                  connections[] = "connect-src 'self'";

static size_t find(const char *text, size_t length, const char *word)
{
    const char *at = memmem(text, length, word, strlen(word));
    return at ? (size_t)(at - text) : length;
}

/* A page that is served may speak with whoever serves it. */
static void put_viewer(writing *w, const char *text, size_t length)
{
    const size_t at = w->page->live ? find(text, length, no_connections) : length;
    dal_stream_bytes(w->out, text, at);
    if (at == length)
        return;
    dal_stream_text(w->out, connections);
    dal_stream_bytes(w->out, text + at + strlen(no_connections), length - at - strlen(no_connections));
}

static void write_all(writing *w)
{
    const char *viewer = w->page->viewer;
    const size_t length = w->page->viewer_length, place = find(viewer, length, data_mark),
                 rest = place < length ? place + strlen(data_mark) : length;
    put_viewer(w, viewer, place);
    put_header(w);
    for (int i = 0; i < w->n; i++) {
        dal_stream_print(w->out, "<script type=\"application/octet-stream\" id=\"block-%d\">", i);
        write_block(w->out, &w->blocks[i]);
        dal_stream_text(w->out, "</script>\n");
    }
    put_viewer(w, viewer + rest, length - rest);
}

dal_status dal_page_write(dal_page *page)
{
    const dal_allocator *a = &page->allocator;
    writing w = {.page = page, .out = a->allocate(a->user, sizeof(dal_stream))};
    if (!w.out)
        return DAL_NO_MEMORY;
    dal_status status = dal_stream_open(w.out, &page->destination);
    if (status == DAL_OK) {
        write_all(&w);
        status = dal_stream_close(w.out);
    }
    a->release(a->user, w.blocks);
    a->release(a->user, w.out);
    return status == DAL_OK ? page->status : status;
}
