/* Report pages: what the file contains is what the run was, whatever the model is called and however long it runs. */
#include "place.h"
#include "check.h"
#include "json.h"
#include "ration.h"

#include "dalembert/dalembert.h"
#include "spec/mesh.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static const char viewer[] = "<html><body>viewer connect-src 'none'<!--DATA--></body></html>\n";

/* ---- models ---------------------------------------------------------------- */

typedef struct model {
    dal_spec *spec;
    dal_system *system;
} model;

static void fail_with(const dal_messages *messages)
{
    const dal_message *first = dal_messages_first(messages);
    fail_msg("%s", first ? first->text : "no message");
}

static model compile_text(place *here, const char *text)
{
    model m = {NULL, NULL};
    if (dal_spec_parse(NULL, "test.yaml", text, strlen(text), 0, NULL, here->messages, &m.spec))
        fail_with(here->messages);
    dal_spec_show(m.spec);
    if (dal_compile(NULL, m.spec, here->messages, &m.system))
        fail_with(here->messages);
    return m;
}

static void free_model(model *m)
{
    dal_system_free(m->system);
    dal_spec_free(m->spec);
}

/* Two bodies in space, of which the centres are not the origins, on a skew hinge and a ball. */
static const char chain[] = "dalembert: 1\nname: Chain\nspace: spatial\ngravity: [0.3, -0.2, -9.81]\nparameters: {a: 0.37}\n"
                            "ground: {points: {O: [0.1, 0.2, 0.3]}, shape: {type: plate, outline: [[-1, -1], [1, -1], [0, 1]], thickness: "
                            "0.05, at: [0, 0, -1.5]}}\n"
                            "bodies:\n"
                            "  arm: {mass: 1.3, inertia: [0.11, 0.17, 0.23], center: [0.12, -0.07, 0.05], position: [0.1, 0.2, 0.3], points: "
                            "{P: [0.61, 0.1, -0.2]},\n"
                            "        shape: [{type: box, size: [2*a, a, 0.1], at: [a, 0, 0], color: red},\n"
                            "                {type: cylinder, radius: 0.1, length: a, axis: [1, 0, 0], color: \"#12aB9f\"}]}\n"
                            "  bob: {mass: 0.7, inertia: [0.05, 0.06, 0.04], center: [0.02, 0.3, 0.01], position: [0.71, 0.3, 0.1]}\n"
                            "joints:\n"
                            "  A: {type: revolute, connect: [ground.O, arm], axis: [0.3, 0.8, 0.1]}\n"
                            "  B: {type: spherical, connect: [arm.P, bob]}\n"
                            "forces:\n"
                            "  spring: {type: spring-damper, connect: [ground, bob], stiffness: 12, length: 0.4}\n"
                            "simulate: {until: 0.5, step: 2e-3, integrator: rk4, coordinates: euler}\n"
                            "record: [A.angle]\n";

/* ---- reading a page ---------------------------------------------------------- */

typedef struct page {
    char *text;
    json_file file;
    const json *header;
    size_t size;
} page;

static char *element(char *text, const char *id, size_t *length)
{
    char mark[64];
    snprintf(mark, sizeof mark, "id=\"%s\">", id);
    char *at = strstr(text, mark);
    assert_non_null(at);
    at += strlen(mark);
    char *end = strstr(at, "</script>");
    assert_non_null(end);
    *length = (size_t)(end - at);
    return at;
}

static page open_page(const char *path)
{
    page p = {0};
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    p.size = (size_t)ftell(in);
    rewind(in);
    p.text = malloc(p.size + 1);
    assert_int_equal(fread(p.text, 1, p.size, in), p.size);
    p.text[p.size] = '\0';
    fclose(in);
    size_t length;
    const char *header = element(p.text, "dalembert", &length);
    p.file.text = malloc(length + 1);
    memcpy(p.file.text, header, length);
    p.file.text[length] = '\0';
    p.file.node = calloc(length / 2 + 2, sizeof *p.file.node);
    char *at = p.file.text;
    p.header = json_value(&p.file, &at);
    return p;
}

static void close_page(page *p)
{
    json_close(&p->file);
    free(p->text);
}

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    assert_true(at && c);
    return (int)(at - digits);
}

/* The numbers of a block as doubles; rows and columns as the header says. */
static double *block(page *p, const json *number, int *rows, int *columns)
{
    const json *about = json_at(json_get(p->header, "blocks"), (int)number->number);
    const bool wide = !strcmp(json_get(about, "type")->text, "float64"), whole = !strcmp(json_get(about, "type")->text, "uint32");
    char id[32];
    size_t length, n = 0;
    snprintf(id, sizeof id, "block-%d", (int)number->number);
    const char *text = element(p->text, id, &length);
    unsigned char *bytes = malloc(length);
    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        const int pad = (text[i + 3] == '=') + (text[i + 2] == '=');
        unsigned bits = (unsigned)digit(text[i]) << 18 | (unsigned)digit(text[i + 1]) << 12;
        bits |= pad < 2 ? (unsigned)digit(text[i + 2]) << 6 : 0;
        bits |= pad < 1 ? (unsigned)digit(text[i + 3]) : 0;
        for (int k = 0; k < 3 - pad; k++)
            bytes[n++] = (unsigned char)(bits >> (16 - 8 * k));
    }
    *rows = (int)json_get(about, "rows")->number;
    *columns = (int)json_get(about, "columns")->number;
    const size_t count = (size_t)*rows * (size_t)*columns, width = wide ? 8 : 4;
    assert_int_equal(n, count * width);
    double *out = malloc(count * sizeof *out + 1);
    for (size_t i = 0; i < count; i++) {
        float single;
        uint32_t integer;
        if (wide)
            memcpy(&out[i], bytes + 8 * i, 8);
        else if (whole)
            memcpy(&integer, bytes + 4 * i, 4), out[i] = integer;
        else
            memcpy(&single, bytes + 4 * i, 4), out[i] = (double)single;
    }
    free(bytes);
    return out;
}

/* ---- the run ---------------------------------------------------------------------- */

enum { MOST_ROWS = 400 };

typedef struct watcher {
    dal_series *series;
    const dal_system *system;
    int n;
    double time[MOST_ROWS], pose[MOST_ROWS][2][12], center[MOST_ROWS][2][3], force[MOST_ROWS][2][6], value[MOST_ROWS][40];
} watcher;

static dal_status watch(void *user, dal_state *state, int n, const double *values)
{
    static const double centers[2][3] = {{0.12, -0.07, 0.05}, {0.02, 0.3, 0.01}};
    watcher *w = user;
    const int i = w->n++;
    assert_true(i < MOST_ROWS && n <= 40);
    w->time[i] = dal_state_time(state);
    memcpy(w->value[i], values, sizeof *values * (size_t)n);
    for (int b = 0; b < 2; b++) {
        const dal_motion m = dal_state_body(state, b);
        memcpy(w->pose[i][b], m.position, sizeof m.position);
        memcpy(w->pose[i][b] + 3, m.rotation, sizeof m.rotation);
        double r[3];
        for (int k = 0; k < 3; k++)
            r[k] = m.rotation[3 * k] * centers[b][0] + m.rotation[3 * k + 1] * centers[b][1] + m.rotation[3 * k + 2] * centers[b][2];
        w->center[i][b][0] = m.velocity[0] + m.omega[1] * r[2] - m.omega[2] * r[1];
        w->center[i][b][1] = m.velocity[1] + m.omega[2] * r[0] - m.omega[0] * r[2];
        w->center[i][b][2] = m.velocity[2] + m.omega[0] * r[1] - m.omega[1] * r[0];
        dal_state_reaction(state, b, w->force[i][b], w->force[i][b] + 3);
    }
    return dal_series_frame(w->series, state, n, values);
}

/* R of (w, x, y, z), by the textbook. */
static void rotation(const double *p, double R[9])
{
    const double w = p[0], x = p[1], y = p[2], z = p[3];
    const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                           2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

static void run_to_page(place *here, const model *m, const char *path, watcher *w, dal_evidence *evidence)
{
    dal_page *out;
    const dal_page_options options = {.command = "dalembert run chain.yaml", .viewer = viewer, .viewer_length = sizeof viewer - 1};
    if (dal_page_open(path, m->spec, m->system, &options, here->messages, &out))
        fail_with(here->messages);
    assert_int_equal(dal_page_series(out, &(dal_series_options){.system = m->system}, &w->series), DAL_OK);
    w->system = m->system;
    if (dal_run(m->system, &(dal_run_options){.frame = watch, .frame_user = w}, here->messages, evidence))
        fail_with(here->messages);
    dal_page_evidence(out, evidence, DAL_OK);
    dal_page_messages(out, here->messages);
    assert_int_equal(dal_page_close(out, true), DAL_OK);
}

static void a_page_has_the_poses_velocities_reactions_and_channels_of_the_run(void **state)
{
    place *here = *state;
    model m = compile_text(here, chain);
    watcher *w = calloc(1, sizeof *w);
    dal_evidence evidence;
    run_to_page(here, &m, path_of(here, "a.html"), w, &evidence);
    page p = open_page(here->path);
    const json *series = json_at(json_get(p.header, "series"), 0), *channels = json_get(series, "channels");
    int rows, columns, all, recorded;
    assert_int_equal(w->n, 251);
    assert_int_equal(json_get(series, "frames")->number, w->n);
    assert_int_equal(json_get(series, "recorded")->number, w->n);
    double *time = block(&p, json_get(series, "time"), &rows, &columns);
    assert_true(rows == w->n && columns == 1);
    double *poses = block(&p, json_get(series, "poses"), &rows, &columns);
    assert_true(rows == w->n && columns == 14);
    double *velocities = block(&p, json_get(series, "velocities"), &rows, &columns);
    assert_true(rows == w->n && columns == 6);
    double *reactions = block(&p, json_get(series, "reactions"), &rows, &columns);
    assert_true(rows == w->n && columns == 12);
    double *values = block(&p, json_get(series, "values"), &rows, &columns);
    const dal_column *names = dal_system_columns(m.system, &recorded, &all);
    assert_int_equal(recorded, 2);
    assert_true(rows == w->n && columns == all - 1 && channels->n == columns);
    const double eps = 0x1p-24;
    for (int i = 0; i < w->n; i++) {
        assert_true(time[i] == w->time[i]);
        for (int b = 0; b < 2; b++) {
            double R[9];
            rotation(poses + 14 * i + 7 * b + 3, R);
            for (int k = 0; k < 3; k++) {
                check_close(poses[14 * i + 7 * b + k], w->pose[i][b][k], 2 * eps);
                check_close(velocities[6 * i + 3 * b + k], w->center[i][b][k], eps * (1 + fabs(w->center[i][b][k])));
            }
            for (int k = 0; k < 9; k++)
                check_close(R[k], w->pose[i][b][3 + k], 16 * eps);
            for (int k = 0; k < 6; k++)
                check_close(reactions[12 * i + 6 * b + k], w->force[i][b][k], eps * (1e-3 + fabs(w->force[i][b][k])));
        }
        for (int k = 1; k < all; k++)
            assert_true(values[columns * i + k - 1] == w->value[i][k]);
        for (int k = 0; k < 14 && i; k++) /* attitudes do not jump to the other sign */
            assert_true(fabs(poses[14 * i + k] - poses[14 * (i - 1) + k]) < 0.5);
    }
    for (int k = 1; k < all; k++) {
        assert_string_equal(json_get(json_at(channels, k - 1), "name")->text, names[k].name);
        assert_string_equal(json_get(json_at(channels, k - 1), "unit")->text, names[k].unit);
    }
    free(time), free(poses), free(velocities), free(reactions), free(values);
    close_page(&p);
    free_model(&m);
    free(w);
}

static void the_header_has_scene_evidence_and_options(void **state)
{
    place *here = *state;
    model m = compile_text(here, chain);
    watcher *w = calloc(1, sizeof *w);
    dal_evidence evidence;
    run_to_page(here, &m, path_of(here, "a.html"), w, &evidence);
    page p = open_page(here->path);
    assert_string_equal(json_get(p.header, "format")->text, "dalembert");
    assert_int_equal(json_get(p.header, "version")->number, 1);
    assert_string_equal(json_get(p.header, "kind")->text, "run");
    assert_string_equal(json_get(p.header, "title")->text, "Chain");
    assert_string_equal(json_get(p.header, "command")->text, "dalembert run chain.yaml");
    assert_string_equal(json_get(p.header, "program")->text, dal_version());
    assert_string_equal(json_get(json_get(p.header, "model"), "hash")->text, m.spec->hash);
    assert_non_null(strstr(json_get(json_get(p.header, "model"), "text")->text, "type: spherical"));
    const json *scene = json_get(p.header, "scene"), *arm = json_at(json_get(scene, "bodies"), 0), *shapes = json_get(arm, "shapes");
    assert_string_equal(json_get(scene, "space")->text, "spatial");
    assert_string_equal(json_get(arm, "name")->text, "arm");
    check_close(json_at(json_get(arm, "center"), 1)->number, -0.07, 0);
    check_close(json_at(json_get(json_at(json_get(arm, "points"), 0), "at"), 0)->number, 0.61, 0);
    assert_int_equal(shapes->n, 2);
    assert_string_equal(json_get(json_at(shapes, 0), "kind")->text, "box");
    check_close(json_at(json_get(json_at(shapes, 0), "size"), 0)->number, 0.74, 1e-15);
    assert_string_equal(json_get(json_at(shapes, 1), "color")->text, "#12aB9f");
    double R[9], q[4];
    for (int k = 0; k < 4; k++)
        q[k] = json_at(json_get(json_at(shapes, 1), "quaternion"), k)->number;
    rotation(q, R); /* z of the cylinder lies along x of the body */
    check_close(R[2], 1, 1e-15);
    assert_string_equal(json_get(json_at(json_get(json_get(scene, "ground"), "shapes"), 0), "kind")->text, "plate");
    const json *joint = json_at(json_get(scene, "joints"), 0), *side = json_at(json_get(joint, "sides"), 0);
    assert_string_equal(json_get(joint, "type")->text, "revolute");
    assert_string_equal(json_get(joint, "motion")->text, "Rz");
    assert_int_equal(json_get(side, "body")->number, -1);
    const double norm = sqrt(0.09 + 0.64 + 0.01), axis[3] = {0.3 / norm, 0.8 / norm, 0.1 / norm};
    for (int k = 0; k < 3; k++) /* x, y, z of the frame one after the other: z is the axis */
        check_close(json_at(json_get(side, "axes"), 6 + k)->number, axis[k], 1e-15);
    const json *spring = json_at(json_get(scene, "forces"), 0);
    assert_int_equal(json_get(spring, "ends")->n, 2);
    check_close(json_get(spring, "free")->number, 0.4, 0);
    /* the evidence begins with what a reader wants to know first; then comes the text of the terminal, line by line */
    char text[4096], line[4096];
    dal_evidence_text(&evidence, DAL_OK, text, sizeof text);
    const json *facts = json_get(p.header, "evidence");
    assert_string_equal(json_get(facts->first, "label")->text, "accuracy");
    snprintf(line, sizeof line, "constraints hold to %.1e m, energy to %.1e", evidence.position_residual, evidence.energy_drift);
    assert_ptr_equal(strstr(json_get(facts->first, "value")->text, line), json_get(facts->first, "value")->text);
    int n = 0;
    for (const json *fact = facts->first->next; fact; fact = fact->next, n++) {
        snprintf(line, sizeof line, n ? "  %-12s%s\n" : "%.0s%s\n", json_get(fact, "label")->text, json_get(fact, "value")->text);
        assert_non_null(strstr(text, line));
    }
    assert_true(n >= 8);
    close_page(&p);
    free_model(&m);
    free(w);
}

static void looking_does_not_change_the_motion(void **state)
{
    place *here = *state;
    model m = compile_text(here, chain);
    watcher *w = calloc(1, sizeof *w);
    dal_evidence with, without;
    run_to_page(here, &m, path_of(here, "a.html"), w, &with);
    assert_int_equal(dal_run(m.system, NULL, here->messages, &without), DAL_OK);
    assert_int_equal(with.steps, without.steps);
    assert_int_equal(with.evaluations, without.evaluations);
    assert_true(with.energy_end == without.energy_end);
    free_model(&m);
    free(w);
}

/* ---- many rows --------------------------------------------------------------------------- */

static dal_page *open_empty(place *here, const char *path, const dal_allocator *allocator)
{
    dal_page *out = NULL;
    const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1, .allocator = allocator, .title = "many"};
    dal_page_open(path, NULL, NULL, &options, here->messages, &out);
    return out;
}

static const dal_column three[] = {{"time", "s"}, {"a", "m"}, {"b", "N"}};

static void merged_frames_keep_every_peak_and_the_end(void **state)
{
    place *here = *state;
    enum { ROWS = 12345, FRAMES = 100 };
    static double row[ROWS][3];
    uint64_t seed = 7;
    dal_page *out = open_empty(here, path_of(here, "many.html"), NULL);
    dal_series *series;
    assert_int_equal(dal_page_series(out, &(dal_series_options){.n_columns = 3, .columns = three, .most_frames = FRAMES}, &series), DAL_OK);
    for (int i = 0; i < ROWS; i++) {
        row[i][0] = 1e-3 * i + 1e-4 * check_random(&seed);
        row[i][1] = check_random(&seed) + (i % 977 == 13 ? 50 : 0);
        row[i][2] = i % 1009 == 5 ? NAN : check_random(&seed);
        assert_int_equal(dal_series_add(series, &(dal_series_row){.values = row[i]}), DAL_OK);
    }
    assert_int_equal(dal_page_close(out, true), DAL_OK);
    page p = open_page(here->path);
    const json *about = json_at(json_get(p.header, "series"), 0);
    int n, columns;
    double *time = block(&p, json_get(about, "time"), &n, &columns), *values = block(&p, json_get(about, "values"), &n, &columns);
    double *least = block(&p, json_get(about, "least"), &n, &columns), *most = block(&p, json_get(about, "most"), &n, &columns);
    assert_int_equal(json_get(about, "recorded")->number, ROWS);
    assert_true(n <= FRAMES + 1 && n > FRAMES / 2);
    assert_true(time[n - 1] == row[ROWS - 1][0]);
    int at = 0;
    for (int f = 0; f < n; f++) { /* each frame is a row, and its extremes are those of the rows up to the next frame */
        double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
        assert_true(time[f] == row[at][0]);
        assert_true(values[2 * f] == row[at][1]);
        /* the last frame repeats the end of the one before it */
        const int last = f + 1 < n - 1 ? at + 128 : ROWS;
        for (int i = at; i < (f == n - 1 ? at + 1 : last); i++)
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], row[i][1 + k]);
                high[k] = fmax(high[k], row[i][1 + k]);
            }
        for (int k = 0; k < 2; k++)
            assert_true(least[2 * f + k] == low[k] && most[2 * f + k] == high[k]);
        at = f + 2 < n ? at + 128 : ROWS - 1;
    }
    free(time), free(values), free(least), free(most);
    close_page(&p);
}

typedef struct meter {
    size_t now, most;
} meter;

static void *take_metered(void *user, size_t bytes)
{
    meter *m = user;
    size_t *block_of = malloc(bytes + 16);
    *block_of = bytes;
    m->now += bytes;
    m->most = m->now > m->most ? m->now : m->most;
    return (char *)block_of + 16;
}

static void release_metered(void *user, void *memory)
{
    if (!memory)
        return;
    size_t *block_of = (size_t *)((char *)memory - 16);
    ((meter *)user)->now -= *block_of;
    free(block_of);
}

static size_t memory_for(place *here, long rows)
{
    meter m = {0, 0};
    const dal_allocator counting = {take_metered, release_metered, &m};
    dal_page *out = open_empty(here, path_of(here, "many.html"), &counting);
    dal_series *series;
    assert_int_equal(dal_page_series(out, &(dal_series_options){.n_columns = 3, .columns = three}, &series), DAL_OK);
    for (long i = 0; i < rows; i++)
        dal_series_add(series, &(dal_series_row){.values = (double[]){(double)i, 1.5, -0.5}});
    assert_int_equal(dal_page_close(out, true), DAL_OK);
    assert_int_equal(m.now, 0);
    return m.most;
}

static void memory_does_not_grow_with_the_rows(void **state)
{
    const size_t some = memory_for(*state, 60000), many = memory_for(*state, 1000000);
    assert_true(many <= some);
    assert_true(many < 4u << 20);
}

/* ---- hostile texts ---------------------------------------------------------------------------- */

static int count_of(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

static void hostile_texts_stay_texts(void **state)
{
    static const char nasty[] = "</script><img src=x onerror=alert(1)>\"'\\\n\t\x01<!--\xe2\x80\xa8&amp;\xff\xc0\xaf\xed\xa0\x80 "
                                "\xf0\x9f\x98\x80";
    place *here = *state;
    dal_page *out;
    dal_series *series;
    const dal_page_options options = {
        .viewer = viewer, .viewer_length = sizeof viewer - 1, .title = nasty, .command = nasty, .file = nasty, .text = nasty};
    const dal_column columns[] = {{"time", "s"}, {nasty, nasty}};
    assert_int_equal(dal_page_open(path_of(here, "n.html"), NULL, NULL, &options, here->messages, &out), DAL_OK);
    dal_page_option(out, nasty, nasty);
    dal_page_entry(out, nasty, "[\"a<b\"]");
    assert_int_equal(dal_page_series(out, &(dal_series_options){.name = nasty, .n_columns = 2, .columns = columns}, &series), DAL_OK);
    dal_series_failed(series, nasty);
    dal_series_add(series, &(dal_series_row){.values = (double[]){0, 1}});
    assert_int_equal(dal_page_close(out, true), DAL_OK);
    page p = open_page(here->path);
    assert_int_equal(count_of(p.text, "<script"), 3); /* the header and two blocks */
    assert_int_equal(count_of(p.text, "</script"), 3);
    assert_null(strstr(p.text, "<img"));
    assert_null(strstr(p.text, "\xe2\x80\xa8"));
    assert_null(strchr(p.text, '\x01'));
    /* two bytes that are half a character, two that would be a slash in disguise, three that are half a pair */
    const char *told = "\\u003c/script\\u003e\\u003cimg src=x "
                       "onerror=alert(1)\\u003e\\\"'\\\\\\u000a\\u0009\\u0001\\u003c!--\\u2028\\u0026amp;"
                       "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd \xf0\x9f\x98\x80";
    assert_string_equal(json_get(p.header, "title")->text, told);
    assert_string_equal(json_get(json_at(json_get(json_at(json_get(p.header, "series"), 0), "channels"), 0), "unit")->text, told);
    close_page(&p);
}

static void only_a_page_that_is_served_may_connect(void **state)
{
    place *here = *state;
    for (int live = 0; live < 2; live++) {
        dal_page *out;
        const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1, .live = live};
        assert_int_equal(dal_page_open(path_of(here, "n.html"), NULL, NULL, &options, here->messages, &out), DAL_OK);
        assert_int_equal(dal_page_close(out, true), DAL_OK);
        page p = open_page(here->path);
        assert_int_equal(count_of(p.text, "connect-src 'none'"), !live);
        assert_int_equal(count_of(p.text, "connect-src 'self'"), live);
        close_page(&p);
    }
}

/* ---- trouble -------------------------------------------------------------------------------------- */

static void a_page_without_rows_that_is_not_kept_leaves_nothing(void **state)
{
    place *here = *state;
    dal_page *out = open_empty(here, path_of(here, "n.html"), NULL);
    assert_int_equal(count_files(here->folder), 0);
    assert_int_equal(dal_page_close(out, false), DAL_OK);
    assert_int_equal(count_files(here->folder), 0);
    assert_null(open_empty(here, path_of(here, "nowhere/n.html"), NULL));
    assert_int_equal(dal_messages_count(here->messages, DAL_ERROR), 1);
}

static void a_full_disk_is_told_and_leaves_the_old_page(void **state)
{
    place *here = *state;
    write_file(path_of(here, "n.html"), "old", 3);
    dal_page *out = open_empty(here, here->path, NULL);
    dal_series *series;
    assert_int_equal(dal_page_series(out, &(dal_series_options){.n_columns = 3, .columns = three}, &series), DAL_OK);
    for (int i = 0; i < 9000; i++)
        dal_series_add(series, &(dal_series_row){.values = (double[]){i, 1, 2}});
    struct rlimit old, small = {100000, 100000};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &small); /* its signal, SIGXFSZ, does not arrive */
    dal_status status = dal_page_close(out, true);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(status, DAL_BAD_FILE);
    assert_int_equal(count_files(here->folder), 1);
    struct stat found;
    assert_int_equal(stat(here->path, &found), 0);
    assert_int_equal(found.st_size, 3);
}

static void every_failing_allocation_ends_cleanly(void **state)
{
    place *here = *state;
    model m = compile_text(here, chain);
    bool done = false;
    int tried = 0;
    for (; !done && tried < 2000; tried++) {
        ration r = {tried, 0};
        const dal_allocator rationed = {take_rationed, release_rationed, &r};
        const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1, .allocator = &rationed};
        dal_page *out = NULL;
        dal_series *series;
        dal_evidence evidence = {.momentum = "", .info = dal_system_describe(m.system)};
        dal_status status = dal_page_open(path_of(here, "r.html"), m.spec, m.system, &options, here->messages, &out);
        if (status == DAL_OK) {
            status = dal_page_series(out, &(dal_series_options){.system = m.system}, &series);
            for (int i = 0; i < 300 && status == DAL_OK; i++)
                status = dal_series_add(series, &(dal_series_row){.values = (double[40]){i}, .poses = (double[14]){0}});
            dal_page_evidence(out, &evidence, DAL_OK);
            const dal_status closed = dal_page_close(out, status == DAL_OK);
            status = status == DAL_OK ? closed : status;
        }
        assert_true(status == DAL_OK || status == DAL_NO_MEMORY);
        assert_int_equal(r.taken, 0);
        done = status == DAL_OK;
        assert_int_equal(count_files(here->folder), done);
    }
    assert_true(done && tried > 10);
    free_model(&m);
}

/* ---- shapes ----------------------------------------------------------------------------------------- */

static const char tetrahedron_obj[] = "# four corners\nv 0 0 0\nv 1 0 0\nv 0 1.5 0\nv 0 0 2e0\nvn 0 0 1\nf 1 3 2\nf "
                                      "1/1 2/2 4/3\nf -4//1 -1//1 -2//1\nf 2 3 4\n";

static size_t tetrahedron_stl(char *out, bool binary)
{
    static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1.5f, 0}, {0, 0, 2}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    size_t n = 0;
    if (binary) {
        memset(out, 'x', 80);
        memcpy(out, "solid", 5); /* some programs write so */
        memcpy(out + 80, (uint32_t[]){4}, 4);
        n = 84;
    } else {
        n += (size_t)sprintf(out, "solid t\n");
    }
    for (int f = 0; f < 4; f++) {
        if (binary) {
            memset(out + n, 0, 50);
            for (int k = 0; k < 3; k++)
                memcpy(out + n + 12 + 12 * k, corner[face[f][k]], 12);
            n += 50;
            continue;
        }
        n += (size_t)sprintf(out + n, "  facet normal 0 0 0\n    outer loop\n");
        for (int k = 0; k < 3; k++)
            n += (size_t)sprintf(out + n, "      vertex %g %g %g\n", (double)corner[face[f][k]][0], (double)corner[face[f][k]][1],
                                 (double)corner[face[f][k]][2]);
        n += (size_t)sprintf(out + n, "    endloop\n  endfacet\n");
    }
    if (!binary)
        n += (size_t)sprintf(out + n, "endsolid t\n");
    return n;
}

static bool parse_mesh(place *here, const char *path, const char *text, size_t n, dal_arena *arena, dal_mesh *mesh)
{
    jmp_buf jump;
    dal_arena_begin(arena, NULL);
    if (setjmp(jump))
        fail_msg("no memory");
    arena->guard = &jump;
    return dal_mesh_parse(arena, here->messages, path, text, n, mesh);
}

static void meshes_of_all_kinds_are_the_same(void **state)
{
    place *here = *state;
    char stl[2][4096];
    const size_t size[3] = {tetrahedron_stl(stl[0], true), tetrahedron_stl(stl[1], false), sizeof tetrahedron_obj - 1};
    const char *const text[3] = {stl[0], stl[1], tetrahedron_obj}, *const names[3] = {"a.stl", "b.STL", "c.obj"};
    for (int i = 0; i < 3; i++) {
        dal_arena arena;
        dal_mesh mesh;
        if (!parse_mesh(here, names[i], text[i], size[i], &arena, &mesh))
            fail_with(here->messages);
        assert_int_equal(mesh.n_vertices, 4);
        assert_int_equal(mesh.n_triangles, 4);
        double volume = 0; /* sum of a . (b x c) / 6: that of the tetrahedron, and outward */
        for (int t = 0; t < 4; t++) {
            const double *a = mesh.vertices + 3 * mesh.triangles[3 * t], *b = mesh.vertices + 3 * mesh.triangles[3 * t + 1],
                         *c = mesh.vertices + 3 * mesh.triangles[3 * t + 2];
            volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
        }
        check_close(volume, 0.5, 1e-6);
        dal_arena_release(&arena);
    }
}

static void wrong_meshes_are_told_with_their_line(void **state)
{
    static const struct {
        const char *name, *text, *told;
        int line;
    } wrong[] = {{"a.obj", "v 0 0 0\nv 1 0\n", "three numbers are needed here; 'the end of the line' was found", 2},
                 {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n", "'7' is not a vertex: there are 3 so far, counted from 1", 4},
                 {"a.obj", "v 0 0 0\nf 1 1\n", "a face needs three vertices or more", 2},
                 {"a.obj", "v 0 0 1e99\n", "a coordinate of the mesh is not a finite number", 1},
                 {"a.obj", "mesh 1\n", "'mesh' is not known in an .obj file: vertices (v) and faces (f) are read", 1},
                 {"a.obj", "v 0 0 0\n", "the mesh has no triangles", 0},
                 {"a.stl", "solid\nfacet normal 0 0 1\nvertex 0 0 0\n", "'outer' is needed here; 'vertex' was found", 3},
                 {"a.stl", "solid\nfacet normal 0 0 1\n", "the file ends within a facet", 2},
                 {"a.dae", "x", "a mesh is an .stl or an .obj file", 0}};
    place *here = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dal_arena arena;
        dal_mesh mesh;
        dal_messages_clear(here->messages);
        assert_false(parse_mesh(here, wrong[i].name, wrong[i].text, strlen(wrong[i].text), &arena, &mesh));
        assert_string_equal(dal_messages_first(here->messages)->text, wrong[i].told);
        assert_int_equal(dal_messages_first(here->messages)->mark.line, wrong[i].line);
        dal_arena_release(&arena);
    }
}

static void damaged_meshes_never_crash(void **state)
{
    place *here = *state;
    char stl[2][4096], text[4096];
    const size_t size[3] = {tetrahedron_stl(stl[0], true), tetrahedron_stl(stl[1], false), sizeof tetrahedron_obj - 1};
    const char *const from[3] = {stl[0], stl[1], tetrahedron_obj}, *const names[3] = {"a.stl", "b.stl", "c.obj"};
    uint64_t seed = 99;
    int accepted = 0;
    for (int i = 0; i < 3000; i++) {
        const int kind = i % 3;
        size_t n = size[kind];
        memcpy(text, from[kind], n);
        for (int k = 0; k < 1 + i % 4; k++)
            text[(size_t)((check_random(&seed) + 1) / 2 * (double)n)] = (char)(256 * check_random(&seed));
        if (i % 5 == 0)
            n = (size_t)((check_random(&seed) + 1) / 2 * (double)n);
        dal_arena arena;
        dal_mesh mesh;
        if (parse_mesh(here, names[kind], text, n, &arena, &mesh)) {
            accepted++;
            for (int t = 0; t < 3 * mesh.n_triangles; t++)
                assert_true(mesh.triangles[t] < (uint32_t)mesh.n_vertices);
            for (int v = 0; v < 3 * mesh.n_vertices; v++)
                assert_true(isfinite(mesh.vertices[v]));
            dal_mesh_reduce(&arena, &mesh, i % 4);
            assert_true(mesh.n_triangles <= i % 4);
            for (int t = 0; t < 3 * mesh.n_triangles; t++)
                assert_true(mesh.triangles[t] < (uint32_t)mesh.n_vertices);
            for (int v = 0; v < 3 * mesh.n_vertices; v++)
                assert_true(isfinite(mesh.vertices[v]));
        }
        dal_arena_release(&arena);
        dal_messages_clear(here->messages);
    }
    assert_true(accepted > 100 && accepted < 2900);
}

static char *with_shape(const char *shape)
{
    static char text[4000];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {a: 0.5}\nbodies:\n  rod: {mass: 1.2, "
             "inertia: 0.1, position: [a, 0]%s%s}\n"
             "joints: {A: {type: revolute, connect: [ground, rod.A]}}\nsimulate: {until: 1, step: 1e-2}\n",
             ", points: {A: [-a, 0]}", shape);
    return text;
}

static void shapes_change_no_number_of_the_motion(void **state)
{
    place *here = *state;
    double end[2];
    for (int i = 0; i < 2; i++) {
        model m = compile_text(here, with_shape(i ? ", shape: [{type: box, size: [2*a, 0.1]}, {type: sphere, radius: a/3, at: [a, 0]}]" : ""));
        dal_evidence evidence;
        dal_state *final = dal_state_create(NULL, m.system);
        assert_int_equal(dal_run(m.system, &(dal_run_options){.final = final}, here->messages, &evidence), DAL_OK);
        end[i] = dal_state_y(final)[2];
        dal_state_free(final);
        free_model(&m);
    }
    assert_true(end[0] == end[1]);
}

static void wrong_shapes_are_told(void **state)
{
    static const char *const wrong[][2] = {
        {"{type: bax, size: [1, 1]}", "a 'shape': there is no type 'bax' (did you mean 'box'?)"},
        {"{type: box}", "a 'shape' of type box needs the key 'size'"},
        {"{type: box, size: [1]}", "'size' of a shape: 2 or 3 numbers are needed, 1 given"},
        {"{type: box, size: [1, -a]}", "the edges of a box have to be positive; one is -0.5"},
        {"{type: sphere, radius: 0}", "'radius' of a shape has to be positive; it is 0"},
        {"{type: sphere, radius: 1, size: [1, 1]}", "a 'shape' of type sphere has no key 'size': it knows type, radius, at, angle, orientation"},
        {"{type: cylinder, radius: 1, length: 2, axis: [0, 0, 0]}", "the axis of a shape has length zero"},
        {"{type: plate, outline: [[0, 0], [1, 0]], thickness: 1}", "the outline of a plate needs 3 points or more; 2 given"},
        {"{type: plate, outline: [[0, 0, 1], [1, 0], [1, 1]], thickness: 1}", "a point of an outline has two numbers, [x, y]; 3 given"},
        {"{type: sphere, radius: 1, color: mauve}",
         "'mauve' is not a color: write \"#rrggbb\" in quotes, or black, white, gray, red, green, blue, yellow, orange, "
         "brown, purple, cyan or magenta"},
        {"{type: mesh, file: ../a.stl}", "the file '../a.stl' of a shape cannot be read: a model that does not come from a file cannot name one"},
        {"{type: sphere, radius: t}", NULL}};
    place *here = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char shape[300];
        snprintf(shape, sizeof shape, ", shape: %s", wrong[i][0]);
        const char *text = with_shape(shape);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        dal_messages_clear(here->messages);
        if (dal_spec_parse(NULL, "t.yaml", text, strlen(text), 0, NULL, here->messages, &spec) == DAL_OK)
            assert_int_equal(dal_compile(NULL, spec, here->messages, &system), DAL_BAD_MODEL);
        const dal_message *message = dal_messages_first(here->messages);
        assert_non_null(message);
        assert_int_equal(message->mark.line, 6);
        if (wrong[i][1])
            assert_string_equal(message->text, wrong[i][1]);
        dal_spec_free(spec);
    }
}

static void a_mesh_of_a_model_stands_in_its_page(void **state)
{
    place *here = *state;
    char stl[4096], model_path[160];
    write_file(path_of(here, "part.stl"), stl, tetrahedron_stl(stl, true));
    const char *text = with_shape(", shape: {type: mesh, file: part.stl, scale: 0.5}");
    write_file(path_of(here, "m.yaml"), text, strlen(text));
    strcpy(model_path, here->path);
    model m = {NULL, NULL};
    dal_page *out;
    if (dal_spec_read(NULL, model_path, 0, NULL, here->messages, &m.spec) || dal_compile(NULL, m.spec, here->messages, &m.system))
        fail_with(here->messages);
    const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1};
    assert_int_equal(dal_page_open(path_of(here, "m.html"), m.spec, m.system, &options, here->messages, &out), DAL_OK);
    assert_int_equal(dal_page_close(out, true), DAL_OK);
    page p = open_page(here->path);
    const json *shape = json_at(json_get(json_at(json_get(json_get(p.header, "scene"), "bodies"), 0), "shapes"), 0);
    int rows, columns;
    double *vertices = block(&p, json_get(shape, "vertices"), &rows, &columns), most = 0;
    assert_true(rows == 4 && columns == 3);
    for (int i = 0; i < 12; i++)
        most = fmax(most, vertices[i]);
    check_close(most, 1, 0); /* half of 2 */
    double *triangles = block(&p, json_get(shape, "triangles"), &rows, &columns);
    assert_true(rows == 4 && columns == 3);
    free(vertices), free(triangles);
    close_page(&p);
    unlink(path_of(here, "part.stl"));
    assert_int_equal(dal_page_open(path_of(here, "m.html"), m.spec, m.system, &options, here->messages, &out), DAL_BAD_MODEL);
    assert_non_null(strstr(dal_messages_first(here->messages)->text, "part.stl' cannot be read: No such file"));
    assert_int_equal(dal_messages_first(here->messages)->mark.line, 6);
    free_model(&m);
}

/* Points of a sphere, 2 n by n, and the volume inside it by the divergence theorem. */
static void make_sphere(dal_arena *arena, int n, dal_mesh *mesh)
{
    const double pi = acos(-1);
    *mesh = (dal_mesh){.vertices = dal_arena_alloc(arena, sizeof *mesh->vertices * 3 * 2 * (size_t)n * ((size_t)n + 1)),
                       .triangles = dal_arena_alloc(arena, sizeof(uint32_t) * 3 * 4 * (size_t)n * (size_t)n)};
    for (int i = 0; i <= n; i++)
        for (int k = 0; k < 2 * n; k++) {
            const double polar = pi * i / n, around = pi * k / n, x[3] = {sin(polar) * cos(around), sin(polar) * sin(around), cos(polar)};
            for (int c = 0; c < 3; c++)
                mesh->vertices[3 * mesh->n_vertices + c] = x[c];
            mesh->n_vertices++;
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2 * n; k++) {
            const uint32_t a = (uint32_t)(2 * n * i + k), b = (uint32_t)(2 * n * i + (k + 1) % (2 * n)), down = (uint32_t)(2 * n);
            const uint32_t corner[6] = {a, a + down, b, b, a + down, b + down};
            memcpy(mesh->triangles + 3 * mesh->n_triangles, corner, sizeof corner);
            mesh->n_triangles += 2;
        }
}

static double volume_of(const dal_mesh *mesh)
{
    double sum = 0;
    for (int t = 0; t < mesh->n_triangles; t++) {
        const double *a = mesh->vertices + 3 * mesh->triangles[3 * t], *b = mesh->vertices + 3 * mesh->triangles[3 * t + 1],
                     *c = mesh->vertices + 3 * mesh->triangles[3 * t + 2];
        sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    return sum;
}

/* What is left of a sphere is a sphere: inside the box, near the surface, closed, of nearly the same volume. */
static void large_meshes_are_reduced_and_keep_their_form(void **state)
{
    (void)state;
    dal_arena arena;
    dal_mesh mesh;
    jmp_buf jump;
    dal_arena_begin(&arena, NULL);
    if (setjmp(jump))
        fail_msg("no memory");
    arena.guard = &jump;
    make_sphere(&arena, 150, &mesh);
    const dal_mesh whole = mesh;
    dal_mesh_reduce(&arena, &mesh, whole.n_triangles);
    assert_ptr_equal(mesh.triangles, whole.triangles); /* no more than are wanted: as it is */
    dal_mesh_reduce(&arena, &mesh, DAL_TRIANGLES_SHOWN);
    assert_true(mesh.n_triangles <= DAL_TRIANGLES_SHOWN && mesh.n_triangles > DAL_TRIANGLES_SHOWN / 4);
    for (int v = 0; v < mesh.n_vertices; v++) {
        const double *x = mesh.vertices + 3 * v;
        const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        assert_true(r < 1 + 1e-6 && r > 0.98); /* means of points of a cell lie below the surface by its cap, (2\/20)^2 at most */
    }
    check_close(volume_of(&mesh), 4 * acos(-1) / 3, 0.03 * 4);
    dal_arena_release(&arena);
}

static const json *first_shape(const page *p, int *n)
{
    const json *shapes = json_get(json_at(json_get(json_get(p->header, "scene"), "bodies"), 0), "shapes");
    *n = 0;
    while (json_at(shapes, *n))
        ++*n;
    return json_at(shapes, 0);
}

/* The page of robot/urdf/r.urdf with one mesh: how many shapes are drawn; largest and least x, and the volume, of the first. */
static int draw_robot(place *here, const char *visual, double range[2], double *volume)
{
    char robot[2000], path[160];
    const int length = snprintf(robot, sizeof robot,
                                "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" "
                                "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><visual>%s</visual></link><joint name=\"j\" "
                                "type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/></joint></robot>",
                                visual);
    strcpy(path, path_of(here, "robot/urdf/r.urdf"));
    write_file(path, robot, (size_t)length);
    model m = {NULL, NULL};
    dal_page *out;
    if (dal_spec_read(NULL, path, 0, NULL, here->messages, &m.spec) || dal_compile(NULL, m.spec, here->messages, &m.system))
        fail_with(here->messages);
    const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1};
    if (dal_page_open(path_of(here, "r.html"), m.spec, m.system, &options, here->messages, &out) || dal_page_close(out, true))
        fail_with(here->messages);
    assert_null(dal_messages_first(here->messages));
    page p = open_page(here->path);
    int n, rows, columns, n_triangles;
    const json *shape = first_shape(&p, &n);
    if (n) {
        double *x = block(&p, json_get(shape, "vertices"), &rows, &columns), *t = block(&p, json_get(shape, "triangles"), &n_triangles, &columns);
        range[0] = range[1] = x[0];
        for (int i = 0; i < rows; i++) {
            range[0] = fmin(range[0], x[3 * i]);
            range[1] = fmax(range[1], x[3 * i]);
        }
        *volume = 0;
        for (int i = 0; i < n_triangles; i++) {
            const double *a = x + 3 * (int)t[3 * i], *b = x + 3 * (int)t[3 * i + 1], *c = x + 3 * (int)t[3 * i + 2];
            *volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
        }
        free(x), free(t);
    }
    close_page(&p);
    free_model(&m);
    return n;
}

/* Meshes of a package are drawn; what is missing, damaged, of another kind or outside is not, and nothing is said. */
static void meshes_of_a_robot_come_from_its_package_only(void **state)
{
#ifndef DAL_HAVE_URDF
    skip();
#endif
    static const struct {
        const char *file, *scale;
        bool package, drawn;
    } cases[] = {{"package://robot/meshes/part.stl", "", true, true},
                 {"package://another_name/meshes/part.stl", "", true, true},
                 {"../meshes/part.stl", "", true, true},
                 {"../meshes/part.obj", "", true, true},
                 {"near.stl", "", true, true},
                 {"near.stl", "", false, true},
                 {"package://robot/near.stl", "", false, true},
                 {"package://meshes/inner.stl", "", false, true},
                 {"near.stl", "scale=\"2 2 2\"", true, true},
                 {"near.stl", "scale=\"-2 1 1\"", true, true},
                 {"near.stl", "scale=\"0 1 1\"", true, false},
                 {"near.stl", "scale=\"1 1\"", true, false},
                 {"near.stl", "scale=\"1e39 1e39 1e39\"", true, false},
                 {"../meshes/part.stl", "", false, false},
                 {"package://robot/meshes/part.stl", "", false, false},
                 {"package://robot/../outside.stl", "", true, false},
                 {"../../outside.stl", "", true, false},
                 {"link.stl", "", true, false},
                 {"package://robot/urdf/link.stl", "", true, false},
                 {"missing.stl", "", true, false},
                 {"damaged.stl", "", true, false},
                 {"near.dae", "", true, false},
                 {"", "", true, false},
                 {"package://", "", true, false},
                 {"package:///near.stl", "", true, false},
                 {"file:near.stl", "", true, false}};
    place *here = *state;
    char stl[4096], visual[600], target[160];
    const size_t size = tetrahedron_stl(stl, true);
    static const char *const folders[] = {"robot", "robot/urdf", "robot/meshes", "robot/urdf/meshes"};
    static const char *const copies[] = {"robot/meshes/part.stl", "robot/urdf/near.stl", "robot/urdf/near.dae", "robot/urdf/meshes/inner.stl",
                                         "outside.stl"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(path_of(here, folders[i]), 0777);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        write_file(path_of(here, copies[i]), stl, size);
    write_file(path_of(here, "robot/meshes/part.obj"), tetrahedron_obj, sizeof tetrahedron_obj - 1);
    write_file(path_of(here, "robot/urdf/damaged.stl"), stl, size - 20);
    strcpy(target, path_of(here, "outside.stl"));
    assert_int_equal(symlink(target, path_of(here, "robot/urdf/link.stl")), 0);
    double plain[2] = {0}, plain_volume = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double range[2], volume = 0;
        if (cases[i].package)
            write_file(path_of(here, "robot/package.xml"), "<package/>", 10);
        else
            unlink(path_of(here, "robot/package.xml"));
        snprintf(visual, sizeof visual, "<origin xyz=\"1 0 0\"/><geometry><mesh filename=\"%s\" %s/></geometry>", cases[i].file, cases[i].scale);
        if (draw_robot(here, visual, range, &volume) != cases[i].drawn)
            fail_msg("'%s' %s is %sdrawn", cases[i].file, cases[i].scale, cases[i].drawn ? "not " : "");
        if (!i) {
            memcpy(plain, range, sizeof plain);
            plain_volume = volume;
        }
        const double grown = *cases[i].scale ? range[1] - range[0] : 0;
        if (cases[i].drawn && *cases[i].scale) {
            check_close(grown, 2 * (plain[1] - plain[0]), 1e-6);
            check_close(volume, cases[i].scale[7] == '-' ? 2 * plain_volume : 8 * plain_volume, 1e-6); /* mirrored, and still outwards */
        }
    }
}

static void visuals_of_a_robot_are_shapes_and_odd_ones_are_passed_over(void **state)
{
#ifndef DAL_HAVE_URDF
    skip();
#endif
    static const char robot[] = "<robot name=\"r\"><link name=\"base\"><visual><geometry><box size=\"1 2 "
                                "0.5\"/></geometry></visual></link><link name=\"arm\">"
                                "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
                                "<visual><origin xyz=\"0.1 0 0\" rpy=\"0 1.5 0\"/><geometry><cylinder radius=\"0.1\" "
                                "length=\"0.7\"/></geometry>"
                                "<material name=\"m\"><color rgba=\"1 0.5 0 1\"/></material></visual>"
                                "<visual><geometry><sphere radius=\"0\"/></geometry></visual><visual><geometry><box size=\"1 "
                                "2\"/></geometry></visual>"
                                "<visual><geometry><mesh filename=\"package://a.dae\"/></geometry></visual><visual/></link>"
                                "<joint name=\"j\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><axis xyz=\"0 1 0\"/><limit "
                                "lower=\"-1\" upper=\"1\" "
                                "effort=\"1\" velocity=\"1\"/></joint></robot>";
    place *here = *state;
    dal_spec *spec, *again;
    dal_system *system;
    char *yaml;
    write_file(path_of(here, "r.urdf"), robot, sizeof robot - 1);
    if (dal_spec_read(NULL, here->path, 0, NULL, here->messages, &spec))
        fail_with(here->messages);
    assert_int_equal(spec->ground_shape.n, 1);
    assert_string_equal(spec->ground_shape.item[0].size.item[1].text, "2");
    if (dal_to_yaml(NULL, spec, here->messages, &yaml) || dal_spec_parse(NULL, "r.yaml", yaml, strlen(yaml), 0, NULL, here->messages, &again) ||
        dal_compile(NULL, again, here->messages, &system))
        fail_with(here->messages);
    const dal_figures *const shapes[] = {&spec->bodies[0].shape, &again->bodies[0].shape};
    for (int i = 0; i < 2; i++) { /* also after they were written as YAML */
        assert_int_equal(shapes[i]->n, 1);
        assert_string_equal(shapes[i]->item[0].type.text, "cylinder");
        assert_string_equal(shapes[i]->item[0].length.text, "0.7");
        assert_string_equal(shapes[i]->item[0].orientation.first.item[1].text, "1.5");
        assert_string_equal(shapes[i]->item[0].color.text, "#ff8000");
    }
    assert_int_equal(again->ground_shape.n, 1);
    free(yaml);
    if (dal_to_urdf(NULL, again, here->messages, &yaml))
        fail_with(here->messages);
    assert_non_null(strstr(yaml, "<origin xyz=\"0.1 0 0\" rpy=\"0 1.5 0\"/>\n      <geometry><cylinder radius=\"0.1\" "
                                 "length=\"0.7\"/></geometry>\n"));
    assert_non_null(strstr(yaml, "<color rgba=\"1 0.501961 0 1\"/>"));
    free(yaml);
    dal_system_free(system);
    dal_spec_free(again);
    dal_spec_free(spec);
}

/* ---- files of results ------------------------------------------------------------------------------------ */

static void run_to_file(place *here, const model *m, const char *path)
{
    dal_writer *writer;
    dal_evidence evidence;
    assert_int_equal(dal_writer_open(NULL, path, false, here->messages, &writer), DAL_OK);
    assert_int_equal(dal_run(m->system, &(dal_run_options){.sink = dal_writer_sink(writer)}, here->messages, &evidence), DAL_OK);
    assert_int_equal(dal_writer_close(writer, true, &evidence), DAL_OK);
}

static model compile_with_motion(place *here)
{
    model m = {NULL, NULL};
    assert_int_equal(dal_spec_parse(NULL, "test.yaml", chain, sizeof chain - 1, 0, NULL, here->messages, &m.spec), DAL_OK);
    dal_spec_record_motion(m.spec);
    assert_int_equal(dal_compile(NULL, m.spec, here->messages, &m.system), DAL_OK);
    return m;
}

/* The run was made in other ways than the model says: HDF5 files know in which, CSV files do not, and none says what the model says. */
static void a_page_from_a_file_states_the_options_of_its_run_and_not_of_the_model(void **state)
{
    static const char *const names[] = {"o.csv", "o.h5"};
    place *here = *state;
    model m = compile_text(here, chain), other = {NULL, NULL};
    assert_int_equal(dal_spec_parse(NULL, "test.yaml", chain, sizeof chain - 1, 0, NULL, here->messages, &other.spec), DAL_OK);
    dal_spec_record_motion(other.spec);
    assert_true(dal_spec_set(other.spec, "integrator", "rk6", here->messages));
    assert_int_equal(dal_compile(NULL, other.spec, here->messages, &other.system), DAL_OK);
    for (int i = 0; i < 2; i++) {
        dal_page *out;
        dal_results *results;
        const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1};
#ifndef DAL_HAVE_HDF5
        if (i)
            continue;
#endif
        run_to_file(here, &other, path_of(here, names[i]));
        assert_int_equal(dal_results_open(NULL, here->path, here->messages, &results), DAL_OK);
        assert_int_equal(dal_page_open(path_of(here, "o.html"), m.spec, m.system, &options, here->messages, &out), DAL_OK);
        assert_int_equal(dal_page_results(out, results, m.system, 0), DAL_OK);
        assert_int_equal(dal_page_close(out, true), DAL_OK);
        dal_results_close(results);
        page p = open_page(path_of(here, "o.html"));
        const json *told = json_get(p.header, "options");
        if (i) {
            assert_string_equal(json_at(json_at(told, 3), 0)->text, "integrator");
            assert_string_equal(json_at(json_at(told, 3), 1)->text, "rk6");
            assert_string_equal(json_at(json_at(told, 4), 0)->text, "step");
            assert_string_equal(json_at(json_at(told, 4), 1)->text, "0.002");
            const json *evidence = json_get(p.header, "evidence");
            assert_string_equal(json_get(json_at(evidence, 0), "label")->text, "mechanism");
            assert_non_null(json_at(evidence, 5));
        } else {
            assert_null(json_at(told, 0));
            assert_null(json_at(json_get(p.header, "evidence"), 0));
        }
        close_page(&p);
    }
    free_model(&m), free_model(&other);
}

static void a_page_from_a_file_has_the_poses_of_the_run(void **state)
{
    static const char *const names[] = {"r.csv", "r.h5"};
    place *here = *state;
    model m = compile_text(here, chain), with = compile_with_motion(here);
    watcher *w = calloc(1, sizeof *w);
    dal_evidence evidence;
    run_to_page(here, &m, path_of(here, "a.html"), w, &evidence);
    page direct = open_page(here->path);
    const json *wanted = json_at(json_get(direct.header, "series"), 0);
    int rows, columns, n, k;
    double *poses = block(&direct, json_get(wanted, "poses"), &rows, &columns), *velocities = block(&direct, json_get(wanted, "velocities"), &n, &k);
    for (int i = 0; i < 2; i++) {
        dal_page *out;
        dal_results *results;
        const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1};
#ifndef DAL_HAVE_HDF5
        if (i)
            continue;
#endif
        run_to_file(here, &with, path_of(here, names[i]));
        assert_int_equal(dal_results_open(NULL, here->path, here->messages, &results), DAL_OK);
        assert_string_equal(dal_results_hash(results), i ? m.spec->hash : "");
        assert_int_equal(dal_page_open(path_of(here, "b.html"), m.spec, m.system, &options, here->messages, &out), DAL_OK);
        if (dal_page_results(out, results, m.system, 0))
            fail_with(here->messages);
        assert_int_equal(dal_page_close(out, true), DAL_OK);
        dal_results_close(results);
        page p = open_page(path_of(here, "b.html"));
        const json *series = json_at(json_get(p.header, "series"), 0);
        double *again = block(&p, json_get(series, "poses"), &n, &k), *moving = block(&p, json_get(series, "velocities"), &n, &k);
        assert_int_equal(n, rows);
        for (int c = 0; c < rows * columns; c++)
            check_close(again[c], poses[c], 1e-7);
        for (int c = 0; c < rows * 6; c++)
            check_close(moving[c], velocities[c], 1e-6);
        assert_string_equal(json_get(json_at(json_get(series, "channels"), 0), "unit")->text, "rad");
        free(again), free(moving);
        close_page(&p);
    }
    assert_int_equal(dal_messages_count(here->messages, DAL_WARNING), 0);
    free(poses), free(velocities);
    close_page(&direct);
    free_model(&m), free_model(&with);
    free(w);
}

static void a_file_without_poses_is_refused_with_what_is_missing(void **state)
{
    place *here = *state;
    model m = compile_text(here, chain);
    dal_results *results;
    dal_page *out;
    run_to_file(here, &m, path_of(here, "r.csv"));
    assert_int_equal(dal_results_open(NULL, here->path, here->messages, &results), DAL_OK);
    const dal_page_options options = {.viewer = viewer, .viewer_length = sizeof viewer - 1};
    assert_int_equal(dal_page_open(path_of(here, "b.html"), m.spec, m.system, &options, here->messages, &out), DAL_OK);
    assert_int_equal(dal_page_results(out, results, m.system, 0), DAL_BAD_FILE);
    assert_string_equal(dal_messages_first(here->messages)->text,
                        "does not say where 'arm' is: it needs the columns arm.x, arm.y, arm.z, arm.qw, arm.qx, "
                        "arm.qy, arm.qz of every body; 'dalembert run "
                        "--motion' records them");
    dal_page_close(out, false);
    dal_results_close(results);
    free_model(&m);
}

static void tables_of_others_are_read_and_faults_have_their_line(void **state)
{
    static const struct {
        const char *text, *told;
        int line;
    } tables[] = {{"\xef\xbb\xbftime,\"a,\"\"b\"\"\"\r\ns,m\r\n0,1\r\n\r\n1,-2e-3", NULL, 0},
                  {"t,a\n0,1\n1,x\n", "a number is needed here; 'x' was found", 3},
                  {"t,a\n0,1\n1\n", "this row has 1 numbers, and the first line 2 names", 3},
                  {"t,a\n0,1,2\n", "this row has more numbers than there are names in the first line", 2},
                  {"t\n0\n", "has no columns but the time: there is nothing to show", 0},
                  {"", "is empty", 0}};
    place *here = *state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        dal_results *results;
        const double *row;
        int n;
        dal_messages_clear(here->messages);
        write_file(path_of(here, "t.csv"), tables[i].text, strlen(tables[i].text));
        dal_status status = dal_results_open(NULL, here->path, here->messages, &results);
        if (status == DAL_OK && !tables[i].told) {
            const dal_column *columns = dal_results_columns(results, &n);
            assert_true(n == 2 && dal_results_column(results, "a,\"b\"") == 1);
            assert_string_equal(columns[1].unit, "m");
            assert_true(dal_results_next(results, &row) == DAL_OK && row && row[0] == 0 && row[1] == 1);
            assert_true(dal_results_next(results, &row) == DAL_OK && row && row[0] == 1 && row[1] == -2e-3);
            assert_true(dal_results_next(results, &row) == DAL_OK && !row);
        }
        while (status == DAL_OK && tables[i].told && (status = dal_results_next(results, &row)) == DAL_OK)
            assert_non_null(row);
        assert_int_equal(status, tables[i].told ? DAL_BAD_FILE : DAL_OK);
        if (tables[i].told) {
            assert_string_equal(dal_messages_first(here->messages)->text, tables[i].told);
            assert_int_equal(dal_messages_first(here->messages)->mark.line, tables[i].line);
        }
        dal_results_close(results);
    }
}

static void five_seconds_of_four_bar_are_less_than_1600_kilobytes(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    model m = {NULL, NULL};
    dal_page *out;
    dal_series *series;
    dal_evidence evidence;
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/four-bar.yaml", 0, NULL, here->messages, &m.spec), DAL_OK);
    dal_spec_show(m.spec);
    assert_int_equal(dal_compile(NULL, m.spec, here->messages, &m.system), DAL_OK);
    assert_int_equal(dal_page_open(path_of(here, "f.html"), m.spec, m.system, NULL, here->messages, &out), DAL_OK);
    assert_int_equal(dal_page_series(out, &(dal_series_options){.system = m.system}, &series), DAL_OK);
    assert_int_equal(dal_run(m.system, &(dal_run_options){.frame = dal_series_frame, .frame_user = series}, here->messages, &evidence), DAL_OK);
    assert_int_equal(dal_page_close(out, true), DAL_OK);
    check_close(evidence.time_end, 5, 1e-9);
    page p = open_page(here->path);
    print_message("four-bar.yaml, 5 s: %zu bytes, the viewer included\n", p.size);
    assert_true(p.size < 1600000);
    close_page(&p);
    free_model(&m);
}

/* ---- comparisons --------------------------------------------------------------------------------- */

/* The page that the program writes has the errors that dal_compare measures: for each method and instant. */
static void a_comparison_has_the_errors_of_every_method_over_time(void **state)
{
    static const char *const names[] = {"error.energy", "error.position", "error.velocity", "error.momentum", "error.ignorable"};
    static const char *const formulations[] = {"lagrange", "kane", "recursive"};
    place *here = *state;
    char model_path[160], command[800];
    if (!dal_page_available())
        skip();
    snprintf(model_path, sizeof model_path, "%s/chain.yaml", here->folder);
    snprintf(here->path, sizeof here->path, "%s/compare.html", here->folder);
    write_file(model_path, chain, strlen(chain));
    snprintf(command, sizeof command, "'%s' compare %s --formulations lagrange,kane,recursive --no-equations -q -o %s > /dev/null", DAL_PROGRAM,
             model_path, here->path);
    assert_int_equal(system(command), 0);
    model m = compile_text(here, chain);
    dal_comparison *c;
    const dal_compare_options options = {.n_formulations = 3, .formulations = formulations};
    assert_int_equal(dal_compare(m.spec, &options, here->messages, &c), DAL_OK);
    page p = open_page(here->path);
    const json *agreement = json_get(p.header, "agreement"), *series = json_get(p.header, "series");
    double difference;
    int methods;
    dal_comparison_agrees(c, &methods, &difference);
    assert_string_equal(json_get(p.header, "kind")->text, "compare");
    assert_int_equal((int)json_get(agreement, "methods")->number, methods);
    check_close(json_get(agreement, "difference")->number, difference, 0.01 * difference);
    check_close(json_get(agreement, "limit")->number, DAL_COMPARE_AGREEMENT, 0);
    assert_int_equal(series->n, 4); /* the reference first; `recursive` does not apply, and says why */
    assert_non_null(json_get(json_at(series, 3), "failed"));
    for (int i = 0; i < 3; i++) {
        const json *s = json_at(series, i), *channels = json_get(s, "channels");
        const dal_compare_row *row = i ? &c->rows[i - 1] : &c->reference;
        int rows, columns;
        double *values = block(&p, json_get(s, "values"), &rows, &columns), *error = block(&p, json_get(s, "error"), &rows, &(int){0});
        assert_int_equal(columns, 5);
        assert_int_equal(rows, row->n_instants);
        for (int k = 0; k < 5; k++)
            assert_string_equal(json_get(json_at(channels, k), "name")->text, names[k]);
        for (int k = 0; k < rows; k++) {
            const dal_compare_instant *at = &row->instants[k];
            check_close(values[5 * k], at->energy, 0);
            check_close(values[5 * k + 1], at->position, 0);
            check_close(values[5 * k + 2], at->velocity, 0);
            assert_true(isnan(values[5 * k + 3]) && isnan(values[5 * k + 4])); /* nothing is conserved, and NaN is kept */
            check_close(error[k], at->difference, 0);
        }
        free(values);
        free(error);
    }
    close_page(&p);
    dal_comparison_free(c);
    free_model(&m);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_place, leave_place)
    const struct CMUnitTest tests[] = {
        TEST(a_page_has_the_poses_velocities_reactions_and_channels_of_the_run),
        TEST(the_header_has_scene_evidence_and_options),
        TEST(looking_does_not_change_the_motion),
        TEST(merged_frames_keep_every_peak_and_the_end),
        TEST(memory_does_not_grow_with_the_rows),
        TEST(hostile_texts_stay_texts),
        TEST(only_a_page_that_is_served_may_connect),
        TEST(a_page_without_rows_that_is_not_kept_leaves_nothing),
        TEST(a_full_disk_is_told_and_leaves_the_old_page),
        TEST(every_failing_allocation_ends_cleanly),
        TEST(meshes_of_all_kinds_are_the_same),
        TEST(wrong_meshes_are_told_with_their_line),
        TEST(damaged_meshes_never_crash),
        TEST(shapes_change_no_number_of_the_motion),
        TEST(wrong_shapes_are_told),
        TEST(a_mesh_of_a_model_stands_in_its_page),
        TEST(large_meshes_are_reduced_and_keep_their_form),
        TEST(meshes_of_a_robot_come_from_its_package_only),
        TEST(visuals_of_a_robot_are_shapes_and_odd_ones_are_passed_over),
        TEST(a_page_from_a_file_has_the_poses_of_the_run),
        TEST(a_page_from_a_file_states_the_options_of_its_run_and_not_of_the_model),
        TEST(a_file_without_poses_is_refused_with_what_is_missing),
        TEST(tables_of_others_are_read_and_faults_have_their_line),
        TEST(five_seconds_of_four_bar_are_less_than_1600_kilobytes),
        TEST(a_comparison_has_the_errors_of_every_method_over_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
