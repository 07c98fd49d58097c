/* The file of a page: the viewer, and before its end the header as JSON and the numbers as base64. viewer/FORMAT.md describes it. */
#include "output/page_equations.h"
#include "output/stream.h"

#include <math.h>
#include <string.h>

/* ---- blocks ------------------------------------------------------------------------- */

typedef enum block_type { FLOAT64, FLOAT32, UINT32 } block_type;
static const char *const type_names[] = {"float64", "float32", "uint32"};

/* Rows of `columns` numbers, of a track (from its column `first` on), of a mesh or of an entry of the header. */
typedef struct block {
    block_type type;
    int rows, columns, first;
    const dal_track *track;
    const float *floats;
    const uint32_t *triangles;
    const double *doubles;
} block;

typedef struct writing {
    dal_page *page;
    dal_stream *out;
    dal_json json; /* into `out` */
    block *blocks;
    int n, room;
} writing;

/* Its number; -1: there is no memory. */
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

/* "key": number of a new block; null if the block is empty. */
static void put_block(writing *w, const char *key, block b)
{
    if (b.rows > 0 && b.columns > 0)
        dal_json_integer(&w->json, key, add_block(w, b));
    else
        dal_json_null(&w->json, key);
}

static void write_number(dal_stream *out, block_type type, double x)
{
    if (type == FLOAT64)
        dal_stream_float64(out, x);
    else
        dal_stream_float32(out, (float)x);
}

static void write_block(dal_stream *out, const block *b)
{
    const size_t numbers = (size_t)b->rows * (size_t)b->columns;
    for (size_t i = 0; b->floats && i < numbers; i++)
        dal_stream_float32(out, b->floats[i]);
    for (size_t i = 0; b->triangles && i < numbers; i++)
        dal_stream_uint32(out, b->triangles[i]);
    for (size_t i = 0; b->doubles && i < numbers; i++)
        write_number(out, b->type, b->doubles[i]);
    for (int i = 0; b->track && i < b->rows; i++) {
        const double *row = b->track->value + (size_t)b->track->columns * (size_t)i + b->first;
        for (int k = 0; k < b->columns; k++)
            write_number(out, b->type, row[k]);
    }
    dal_stream_end64(out);
}

/* ---- small things ---------------------------------------------------------------------- */

static void put_facts(dal_json *json, const dal_page_fact *list)
{
    dal_json_open(dal_json_line(json, "\n"), "evidence", '[');
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_json_open(json, NULL, '{');
        dal_json_string(json, "label", fact->name);
        dal_json_string(json, "value", fact->text);
        dal_json_string(json, "unit", "");
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void put_messages(dal_json *json, const char *key, const dal_page_fact *list)
{
    static const char *const words[] = {"note", "warning", "error"};
    dal_json_open(dal_json_line(json, "\n"), key, '[');
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_json_open(json, NULL, '{');
        dal_json_string(json, "severity", words[fact->severity]);
        dal_json_string(json, "text", fact->text);
        if (fact->line > 0) {
            dal_json_integer(json, "line", fact->line);
            dal_json_integer(json, "column", fact->column);
        }
        if (fact->code)
            dal_json_string(json, "code", fact->code);
        if (fact->code && isfinite(fact->number))
            dal_json_print(json, "number", "%.17g", fact->number);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void put_options(dal_json *json, const dal_page_fact *list)
{
    dal_json_open(dal_json_line(json, "\n"), "options", '[');
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        const char *const pair[] = {fact->name, fact->text};
        dal_json_strings(json, NULL, 2, pair);
    }
    dal_json_close(json, ']');
}

/* JSON from outside: < can only be inside its strings, where this escape is allowed. */
static void put_entries(writing *w, const dal_page_fact *list)
{
    for (const dal_page_fact *fact = list; fact; fact = fact->next) {
        dal_json_print(dal_json_line(&w->json, "\n"), fact->name, "%s", "");
        for (const char *c = fact->text ? fact->text : "null"; *c; c++)
            if (*c == '<')
                dal_stream_text(w->out, "\\u003c");
            else
                dal_stream_bytes(w->out, c, 1);
    }
}

/* ---- the scene ---------------------------------------------------------------------------- */

static void put_points(dal_json *json, const char *key, int columns, const dal_figure *f)
{
    dal_json_open(json, key, '[');
    for (int i = 0; i < f->n_points; i++)
        dal_json_numbers(json, NULL, columns, f->points + 3 * i);
    dal_json_close(json, ']');
}

static void put_figure(writing *w, const dal_figure *f)
{
    dal_json *json = &w->json;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "kind", dal_figure_names[f->kind]);
    dal_json_numbers(json, "at", 3, f->at);
    dal_json_numbers(json, "quaternion", 4, f->quaternion);
    dal_json_string(json, "color", *f->color ? f->color : NULL);
    switch (f->kind) {
    case DAL_FIGURE_BOX: dal_json_numbers(json, "size", 3, f->size); break;
    case DAL_FIGURE_SPHERE: dal_json_number(json, "radius", f->radius); break;
    case DAL_FIGURE_CYLINDER:
    case DAL_FIGURE_CAPSULE:
        dal_json_number(json, "radius", f->radius);
        dal_json_number(json, "length", f->length);
        break;
    case DAL_FIGURE_PLATE:
        put_points(json, "outline", 2, f);
        dal_json_number(json, "thickness", f->thickness);
        break;
    case DAL_FIGURE_POLYLINE:
        put_points(json, "points", 3, f);
        dal_json_number(json, "radius", f->radius);
        break;
    case DAL_FIGURE_MESH:
        put_block(w, "vertices", (block){.type = FLOAT32, .rows = f->mesh.n_vertices, .columns = 3, .doubles = f->mesh.vertices});
        put_block(w, "triangles", (block){.type = UINT32, .rows = f->mesh.n_triangles, .columns = 3, .triangles = f->mesh.triangles});
        break;
    }
    dal_json_close(json, '}');
}

static const dal_json_member of_point[] = {DAL_JSON_MEMBER(dal_scene_point, name), DAL_JSON_MEMBER(dal_scene_point, at), {0}};
static const dal_json_member of_end[] = {DAL_JSON_MEMBER(dal_scene_end, body), DAL_JSON_MEMBER(dal_scene_end, at), {0}};

static void put_points_and_shapes(writing *w, const dal_scene_body *body)
{
    dal_json *json = &w->json;
    dal_json_structs(json, "points", body->n_points, body->points, sizeof *body->points, of_point, NULL);
    dal_json_open(json, "shapes", '[');
    for (int i = 0; i < body->n_figures; i++)
        put_figure(w, &body->figures[i]);
    dal_json_close(json, ']');
}

static void put_body(writing *w, const dal_scene_body *body)
{
    dal_json *json = &w->json;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "name", body->name);
    dal_json_truth(json, "particle", body->particle);
    dal_json_number(json, "mass", body->mass);
    dal_json_numbers(json, "center", 3, body->center);
    dal_json_numbers(json, "inertia", 6, body->inertia);
    put_points_and_shapes(w, body);
    dal_json_close(json, '}');
}

static void put_side(dal_json *json, const void *of, int i)
{
    const dal_marker *m = &((const dal_scene_joint *)of)->marker[i];
    const double *B = m->B, axes[9] = {B[0], B[3], B[6], B[1], B[4], B[7], B[2], B[5], B[8]}; /* x, y, z one after the other */
    dal_json_integer(json, "body", m->body);
    dal_json_numbers(json, "at", 3, m->s);
    dal_json_numbers(json, "axes", 9, axes);
}

static void put_joint(dal_json *json, const dal_scene_joint *joint)
{
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "name", joint->name);
    dal_json_string(json, "type", joint->type);
    dal_json_string(json, "motion", joint->motion);
    dal_json_objects(json, "sides", joint->pair ? 2 : 0, NULL, put_side, joint);
    dal_json_truth(json, "redundant", joint->redundant);
    if (!isnan(joint->radius))
        dal_json_number(json, "radius", joint->radius);
    if (joint->driven)
        dal_json_truth(json, "driven", true);
    if (joint->n_coupled)
        dal_json_integers(json, "joints", joint->n_coupled, joint->coupled);
    if (!isnan(joint->ratio))
        dal_json_number(json, "ratio", joint->ratio);
    dal_json_close(json, '}');
}

static void put_force(dal_json *json, const dal_scene_force *force)
{
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "name", force->name);
    dal_json_string(json, "type", force->type);
    dal_json_structs(json, "ends", force->n_ends, force->end, sizeof *force->end, of_end, NULL);
    dal_json_number(json, "free", force->free);
    if (force->joint >= 0)
        dal_json_integer(json, "joint", force->joint);
    dal_json_close(json, '}');
}

/* `view:` for the page; nothing if the model has no view. */
static void put_view(dal_json *json, const dal_scene *scene)
{
    const dal_view *v = &scene->view;
    if (!v->given)
        return;
    dal_json_open(dal_json_line(json, "\n  "), "view", '{');
    dal_json_open(json, "traces", '[');
    for (int i = 0; i < v->n_traces; i++)
        dal_json_print(json, NULL, "[%d, %d]", v->traces[i].body, v->traces[i].point);
    dal_json_close(json, ']');
    dal_json_integers(json, "hidden", v->n_hidden, v->hidden);
    dal_json_integers(json, "transparent", v->n_transparent, v->transparent);
    dal_json_open(json, "colors", '[');
    for (int b = 0; b < scene->n_bodies; b++)
        dal_json_string(json, NULL, *v->color[b] ? v->color[b] : NULL);
    dal_json_close(json, ']');
    dal_json_open(json, "plots", '[');
    for (int i = 0; i < v->n_plots; i++) {
        dal_json_open(json, NULL, '[');
        for (int k = 0; k < v->plots[i].n; k++)
            dal_json_string(json, NULL, v->plots[i].item[k].text);
        dal_json_close(json, ']');
    }
    dal_json_close(json, ']');
    if (v->camera[0] != 0 || v->camera[1] != 0 || v->camera[2] != 0)
        dal_json_numbers(json, "camera", 3, v->camera);
    if (!isnan(v->zoom))
        dal_json_number(json, "zoom", v->zoom);
    if (v->focus >= 0)
        dal_json_integer(json, "focus", v->focus);
    dal_json_close(json, '}');
}

static void put_scene(writing *w, const dal_scene *scene)
{
    dal_json *json = &w->json;
    if (!scene) {
        dal_json_null(json, "scene");
        return;
    }
    dal_json_open(json, "scene", '{');
    dal_json_string(json, "space", scene->space == DAL_PLANAR ? "planar" : "spatial");
    dal_json_numbers(json, "gravity", 3, scene->gravity);
    dal_json_open(dal_json_line(json, "\n  "), "bodies", '[');
    for (int b = 0; b < scene->n_bodies; b++) {
        dal_json_line(json, b ? "\n    " : NULL);
        put_body(w, &scene->bodies[b]);
    }
    dal_json_close(json, ']');
    dal_json_open(dal_json_line(json, "\n  "), "ground", '{');
    put_points_and_shapes(w, &scene->ground);
    dal_json_close(json, '}');
    dal_json_open(dal_json_line(json, "\n  "), "joints", '[');
    for (int j = 0; j < scene->n_joints; j++)
        put_joint(dal_json_line(json, j ? "\n    " : NULL), &scene->joints[j]);
    dal_json_close(json, ']');
    dal_json_open(dal_json_line(json, "\n  "), "forces", '[');
    for (int i = 0; i < scene->n_forces; i++)
        put_force(dal_json_line(json, i ? "\n    " : NULL), &scene->forces[i]);
    dal_json_close(json, ']');
    put_view(json, scene);
    dal_json_close(json, '}');
}

/* ---- series --------------------------------------------------------------------------------- */

/* Single precision resolves a ten thousandth of the model, unless the model is far from the origin. */
static block_type precision(const dal_series *s, const dal_scene *scene)
{
    return scene && s->far * 0x1p-24 > 1e-4 * scene->length ? FLOAT64 : FLOAT32;
}

/* Column 0 is time. */
static void put_channel(dal_json *json, const void *of, int i)
{
    const dal_column *c = &((const dal_series *)of)->columns[i + 1];
    dal_json_string(json, "name", c->name);
    dal_json_string(json, "unit", c->unit ? c->unit : "");
    dal_json_truth(json, "log", !strncmp(c->name, "constraint.", 11) || !strncmp(c->name, "error.", 6));
    dal_json_integer(json, "column", i);
}

/* All columns of a track from `first` on, `rows` of them. */
static void put_track(writing *w, const char *key, block_type type, const dal_series *s, int track, int rows, int first)
{
    const dal_track *t = &s->track[track];
    put_block(w, key, (block){.type = type, .rows = rows, .columns = t->columns - first, .first = first, .track = t});
}

static void put_series(writing *w, const dal_series *s, const dal_scene *scene)
{
    dal_json *json = &w->json;
    const int n = s->n, merged = dal_series_merged(s) ? n : 0;
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "name", s->name);
    dal_json_integer(json, "frames", n);
    dal_json_integer(json, "recorded", s->rows);
    put_block(w, "time", (block){.type = FLOAT64, .rows = n, .columns = 1, .track = &s->track[DAL_TRACK_VALUES]});
    put_track(w, "poses", precision(s, scene), s, DAL_TRACK_POSES, n, 0);
    dal_json_objects(dal_json_line(json, "\n    "), "channels", s->n_columns > 1 ? s->n_columns - 1 : 0, NULL, put_channel, s);
    if (s->n_asked)
        dal_json_integer(json, "asked", s->n_asked);
    put_track(w, "values", FLOAT64, s, DAL_TRACK_VALUES, n, 1);
    put_track(w, "least", FLOAT64, s, DAL_TRACK_LEAST, merged, 1);
    put_track(w, "most", FLOAT64, s, DAL_TRACK_MOST, merged, 1);
    put_track(w, "reactions", FLOAT32, s, DAL_TRACK_REACTIONS, n, 0);
    put_track(w, "velocities", FLOAT32, s, DAL_TRACK_VELOCITIES, n, 0);
    put_track(w, "error", FLOAT64, s, DAL_TRACK_ERROR, n, 0);
    if (s->facts)
        put_facts(json, s->facts);
    if (s->failed)
        dal_json_string(json, "failed", s->failed);
    dal_json_close(json, '}');
}

static void put_all_series(writing *w, const dal_page_part *part)
{
    dal_json_open(dal_json_line(&w->json, "\n"), "series", '[');
    for (const dal_series *s = part->series; s; s = s->next) {
        dal_json_line(&w->json, s == part->series ? NULL : "\n  ");
        put_series(w, s, part->scene);
    }
    dal_json_close(&w->json, ']');
}

static void put_items(writing *w, const dal_page_part *first)
{
    dal_json *json = &w->json;
    dal_json_open(dal_json_line(json, "\n"), "items", '[');
    for (const dal_page_part *part = first; part; part = part->next) {
        dal_json_open(dal_json_line(json, part == first ? NULL : "\n"), NULL, '{');
        dal_json_string(json, "title", part->title);
        dal_json_string(json, "href", part->href);
        dal_json_string(json, "text", part->text);
        dal_json_string(json, "group", part->group);
        put_scene(w, part->scene);
        put_all_series(w, part);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void put_model(dal_json *json, const dal_page *page)
{
    const char *slash = page->file ? strrchr(page->file, '/') : NULL;
    dal_json_open(dal_json_line(json, "\n"), "model", '{');
    dal_json_string(json, "file", slash ? slash + 1 : page->file ? page->file : "");
    dal_json_string(json, "hash", page->hash);
    dal_json_string(json, "text", page->text ? page->text : "");
    dal_json_close(json, '}');
}

static void put_blocks(writing *w)
{
    dal_json *json = &w->json;
    dal_json_open(dal_json_line(json, "\n"), "blocks", '[');
    for (int i = 0; i < w->n; i++) {
        dal_json_open(json, NULL, '{');
        dal_json_string(json, "type", type_names[w->blocks[i].type]);
        dal_json_integer(json, "rows", w->blocks[i].rows);
        dal_json_integer(json, "columns", w->blocks[i].columns);
        dal_json_close(json, '}');
    }
    dal_json_close(json, ']');
}

static void put_header(writing *w)
{
    const dal_page *page = w->page;
    dal_json *json = &w->json;
    dal_stream_text(w->out, "<script type=\"application/json\" id=\"dalembert\">");
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "format", "dalembert");
    dal_json_integer(json, "version", 1);
    dal_json_string(json, "kind", page->kind);
    dal_json_string(json, "title", page->title);
    dal_json_string(dal_json_line(json, "\n"), "program", page->version);
    dal_json_string(json, "command", page->command);
    put_model(json, page);
    put_options(json, page->options);
    put_facts(json, page->evidence);
    put_messages(json, "verdict", page->verdict);
    put_messages(json, "messages", page->messages);
    put_entries(w, page->entries);
    dal_json_line(json, "\n");
    put_scene(w, page->own.scene);
    put_all_series(w, &page->own);
    if (page->own.next)
        put_items(w, page->own.next);
    put_blocks(w);
    dal_json_truth(dal_json_line(json, "\n"), "live", page->live);
    dal_json_close(json, '}');
    dal_stream_text(w->out, "</script>\n");
}

/* Places in the viewer's text. */
static const char data_mark[] = "<!--DATA-->", no_connections[] = "connect-src 'none'", connections[] = "connect-src 'self'";

static size_t find_word(const char *text, size_t length, const char *word)
{
    const char *at = memmem(text, length, word, strlen(word));
    return at ? (size_t)(at - text) : length;
}

/* A page that is served may connect to its server. */
static void put_viewer(writing *w, const char *text, size_t length)
{
    const size_t at = w->page->live ? find_word(text, length, no_connections) : length;
    dal_stream_bytes(w->out, text, at);
    if (at == length)
        return;
    dal_stream_text(w->out, connections);
    dal_stream_bytes(w->out, text + at + strlen(no_connections), length - at - strlen(no_connections));
}

/* Blocks of entries come first: their numbers are known before the header is written. */
static void add_numbers(writing *w)
{
    for (const dal_page_numbers *n = w->page->numbers; n; n = n->next)
        add_block(w, (block){.type = n->doubles  ? FLOAT64
                                     : n->floats ? FLOAT32
                                                 : UINT32,
                             .rows = n->rows,
                             .columns = n->columns,
                             .doubles = n->doubles,
                             .floats = n->floats,
                             .triangles = n->whole});
}

static void write_all(writing *w)
{
    const char *viewer = w->page->viewer;
    const size_t length = w->page->viewer_length, place = find_word(viewer, length, data_mark),
                 rest = place < length ? place + strlen(data_mark) : length;
    add_numbers(w);
    put_viewer(w, viewer, place);
    put_header(w);
    for (int i = 0; i < w->n; i++) {
        dal_stream_print(w->out, "<script type=\"application/octet-stream\" id=\"block-%d\">", i);
        write_block(w->out, &w->blocks[i]);
        dal_stream_text(w->out, "</script>\n");
    }
    dal_page_put_equations(w->out, w->page);
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
        w.json = dal_stream_json(w.out);
        write_all(&w);
        status = dal_stream_close(w.out);
    }
    a->release(a->user, w.blocks);
    a->release(a->user, w.out);
    return status == DAL_OK ? page->status : status;
}
