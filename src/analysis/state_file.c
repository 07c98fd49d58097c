/* State files: {"q": , "rates": , "forces": , "accelerations": , "time": , "states": , "sequences": }, JSON, read as the YAML that it is; and written.
 *
 * Each of the first four is an object by name or an array in the order of the names. A missing name is zero; if all numbers of an attitude with more
 * numbers than freedoms are missing, it is no turn. The model's own states are an object by name; a missing one keeps its start value. "sequences" has
 * the axes of Euler angles of bodies, as "zyx", where they are not those of the start. Any other
 * irregularity is an error with its place; a file with several unknown keys is another kind of file, and has one error.
 */
#include "base/argument.h"
#include "base/json.h"
#include "analysis/evaluator.h"
#include "spec/document.h"
#include "spec/reader.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double nearly_unit = 1e-6; /* deviation of a quaternion from unit length that causes a note: six digits in a file */

typedef struct file_reader {
    dal_arena arena;
    dal_yaml *yaml;
    const dal_system *system;
    const char *file, *text; /* text == NULL: to be loaded */
    size_t length;
    dal_messages *messages, *heard; /* the reader's own; the caller's */
    dal_instant *instant;
    dal_labels coordinates, rates;
} file_reader;

/* ---- numbers ----------------------------------------------------------------------------- */

static bool read_number(file_reader *r, const dal_tree *node, const char *what, double *value)
{
    char *end = NULL;
    if (node->bad)
        return false;
    if (node->kind == DAL_SCALAR && node->quote == DAL_PLAIN && strspn(node->text, "+-.0123456789eE") == strlen(node->text))
        *value = strtod(node->text, &end);
    if (end && end != node->text && !*end && isfinite(*value))
        return true;
    dal_complain(r->messages, node->mark, "%s needs a number%s; %s%s was found", what, end && !*end ? " that a double can hold" : "",
                 node->kind == DAL_SCALAR && node->quote != DAL_PLAIN ? "the text " : "", dal_tree_found(&r->arena, node));
    return false;
}

/* ---- vectors by name or in order ----------------------------------------------------------- */

static void report_unknown(file_reader *r, const dal_tree *child, const char *key, const dal_labels *labels)
{
    char hint[96];
    dal_did_you_mean(child->key, labels->label, hint);
    dal_complain(r->messages, child->key_mark,
                 "'%.80s' in '%s' is not a %s of this model in its coordinates%s; 'dalembert eval MODEL --names' lists them", child->key, key,
                 labels->rates ? "rate" : "coordinate", hint);
}

static void read_object(file_reader *r, const dal_tree *node, const char *key, const dal_labels *labels, double *values, bool *given)
{
    for (const dal_tree *child = node->first; child; child = child->next) {
        const int k = dal_find_label(labels, child->key);
        if (k < 0) {
            report_unknown(r, child, key, labels);
        } else if (given[k]) {
            dal_complain(r->messages, child->key_mark, "'%s' in '%s' is given twice, here as '%.80s'", labels->label[k], key, child->key);
        } else {
            given[k] = true;
            read_number(r, child, dal_arena_print(&r->arena, "'%.80s' in '%s'", child->key, key), &values[k]);
        }
    }
}

static void read_array(file_reader *r, const dal_tree *node, const char *key, const dal_labels *labels, double *values, bool *given)
{
    int k = 0;
    if (node->n != labels->n) {
        dal_complain(r->messages, node->mark, "'%s' has %d number%s; this model has %d %s%s ('dalembert eval MODEL --names' lists them)", key,
                     node->n, node->n == 1 ? "" : "s", labels->n, labels->rates ? "rate" : "coordinate", labels->n == 1 ? "" : "s");
        return;
    }
    for (const dal_tree *child = node->first; child; child = child->next, k++) {
        given[k] = true;
        read_number(r, child, dal_arena_print(&r->arena, "number %d of '%s' (%s)", k + 1, key, labels->label[k]), &values[k]);
    }
}

static void read_vector(file_reader *r, const dal_tree *node, const char *key, const dal_labels *labels, double *values, bool *given)
{
    if (node->bad)
        return;
    if (node->kind == DAL_MAP)
        read_object(r, node, key, labels, values, given);
    else if (node->kind == DAL_SEQUENCE)
        read_array(r, node, key, labels, values, given);
    else
        dal_complain(r->messages, node->mark, "'%s' needs an object by name, as {\"%s\": 0.3}, or an array of numbers; %s was found", key,
                     labels->n ? labels->label[0] : "A.angle", dal_tree_found(&r->arena, node));
}

/* ---- attitudes ---------------------------------------------------------------------------------- */

static void settle_attitude(file_reader *r, const dal_tree *node, const dal_turn_block *attitude, const bool *given)
{
    double *q = r->instant->q + attitude->q, sum = 0;
    bool any = false;
    for (int i = 0; i < attitude->n; i++) {
        any = any || given[attitude->q + i];
        sum += q[i] * q[i];
    }
    if (!any)
        dal_level(attitude, r->instant->q);
    if (!any || !attitude->unit)
        return;
    if (!(sum > 0) || !isfinite(sum)) {
        dal_complain(r->messages, node->mark, "the quaternion '%s', ... has the length %.3g: it is not an attitude",
                     r->coordinates.label[attitude->q], sqrt(sum));
        return;
    }
    for (int i = 0; i < attitude->n; i++)
        q[i] /= sqrt(sum);
    if (fabs(sqrt(sum) - 1) > nearly_unit)
        dal_say(r->messages, DAL_NOTE, node->mark, "the quaternion '%s', ... had the length %.9g: it was made one of length 1",
                r->coordinates.label[attitude->q], sqrt(sum));
}

static void read_coordinates(file_reader *r, const dal_tree *node)
{
    bool *given = DAL_NEW(&r->arena, bool, r->instant->nq + 1);
    dal_turn_block attitude;
    const int before = dal_messages_count(r->messages, DAL_ERROR);
    for (int k = 0; k < r->instant->nq; k++)
        r->instant->q[k] = 0;
    read_vector(r, node, "q", &r->coordinates, r->instant->q, given);
    if (dal_messages_count(r->messages, DAL_ERROR) == before)
        for (int k = 0; dal_next_attitude(r->system, k, &attitude); k = attitude.q + attitude.n)
            settle_attitude(r, node, &attitude, given);
}

/* ---- states of the model ------------------------------------------------------------------------------ */

static void read_states(file_reader *r, const dal_tree *node)
{
    const char *const *names;
    const int n = dal_system_states(r->system, &names);
    dal_instant *instant = r->instant;
    if (node->kind != DAL_MAP)
        dal_complain(r->messages, node->mark, "'states' needs an object by name, as {\"%s\": 0.3}; %s was found", n ? names[0] : "z",
                     dal_tree_found(&r->arena, node));
    for (const dal_tree *child = node->kind == DAL_MAP ? node->first : NULL; child; child = child->next) {
        int k = 0;
        while (k < n && strcmp(names[k], child->key))
            k++;
        if (k == n) {
            dal_complain(r->messages, child->key_mark, "'%.80s' in 'states' is not a state of the model", child->key);
        } else {
            instant->states_given[k] = true;
            read_number(r, child, dal_arena_print(&r->arena, "'%.80s' in 'states'", child->key), &instant->states[k]);
        }
    }
}

/* ---- axes of Euler angles ------------------------------------------------------------------------------ */

static bool read_axes(const char *text, int axis[3])
{
    for (int k = 0; k < 3; k++) {
        if (text[k] < 'x' || text[k] > 'z')
            return false;
        axis[k] = text[k] - 'x';
    }
    return !text[3] && axis[0] != axis[1] && axis[1] != axis[2];
}

static void read_sequences(file_reader *r, const dal_tree *node)
{
    const dal_mechanism *m = dal_system_mechanism(r->system);
    if (node->kind != DAL_MAP)
        dal_complain(r->messages, node->mark, "'sequences' needs an object by name, as {\"%s\": \"zyx\"}; %s was found",
                     m->n_bodies ? m->bodies[0].name : "body", dal_tree_found(&r->arena, node));
    for (const dal_tree *child = node->kind == DAL_MAP ? node->first : NULL; child; child = child->next) {
        int b = 0, axis[3];
        while (3 * b < r->instant->n_axes && strcmp(m->bodies[b].name, child->key))
            b++;
        if (3 * b >= r->instant->n_axes)
            dal_complain(r->messages, child->key_mark, "'%.80s' in 'sequences' has no Euler angles about axes that the program chooses", child->key);
        else if (child->kind != DAL_SCALAR || !read_axes(child->text, axis))
            dal_complain(r->messages, child->mark, "'%.80s' in 'sequences' needs three axes, as \"zyx\"; %s was found", child->key,
                         dal_tree_found(&r->arena, child));
        else
            memcpy(r->instant->axes + 3 * b, axis, sizeof axis);
    }
}

/* ---- the file --------------------------------------------------------------------------------------- */

static const char *const keys[] = {"q", "rates", "forces", "accelerations", "time", "states", "sequences", NULL};

static bool is_key(const char *name)
{
    for (int i = 0; keys[i]; i++)
        if (!strcmp(keys[i], name))
            return true;
    return false;
}

/* One error for a file of another kind. */
static bool refuse_foreign(file_reader *r, const dal_tree *root)
{
    const dal_tree *first = NULL;
    const char *list = "";
    int n = 0;
    for (const dal_tree *child = root->first; child; child = child->next) {
        if (is_key(child->key))
            continue;
        first = first ? first : child;
        if (++n <= 3)
            list = dal_arena_print(&r->arena, "%s%s'%.40s'", list, n > 1 ? ", " : "", child->key);
    }
    if (n < 2)
        return false;
    dal_complain(r->messages, first->key_mark,
                 "this is not a state file: %d of its keys are unknown (%s%s); there are q, rates, forces, accelerations, time, states and "
                 "sequences. 'dalembert "
                 "equilibrium MODEL -o FILE' writes one",
                 n, list, n > 3 ? ", ..." : "");
    return true;
}

static void read_key(file_reader *r, const dal_tree *node)
{
    bool *given = DAL_NEW(&r->arena, bool, r->instant->nv + 1);
    char hint[96];
    if (!strcmp(node->key, "q"))
        read_coordinates(r, node);
    else if (!strcmp(node->key, "rates"))
        read_vector(r, node, node->key, &r->rates, r->instant->rates, given);
    else if (!strcmp(node->key, "forces"))
        read_vector(r, node, node->key, &r->rates, r->instant->forces, given);
    else if (!strcmp(node->key, "accelerations"))
        read_vector(r, node, node->key, &r->rates, r->instant->accelerations, r->instant->wanted);
    else if (!strcmp(node->key, "time"))
        read_number(r, node, "'time'", &r->instant->time);
    else if (!strcmp(node->key, "states"))
        read_states(r, node);
    else if (!strcmp(node->key, "sequences"))
        read_sequences(r, node);
    else
        dal_complain(r->messages, node->key_mark,
                     "'%.80s' is not a key of a state file%s; there are q, rates, forces, accelerations, time, states and sequences", node->key,
                     dal_did_you_mean(node->key, keys, hint));
}

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r\n", text[i]) || !text[i])
            return false;
    return true;
}

static dal_status read_state(void *user)
{
    file_reader *r = user;
    const char *why = NULL;
    bool no_memory = false;
    if (!r->text && !(r->text = dal_load_file(&r->arena, r->file, &r->length, &why))) {
        dal_error(r->messages, dal_nowhere, "state file '%s' cannot be read: %s", r->file, why);
        return DAL_BAD_FILE;
    }
    const dal_mark begin = {r->file, 1, 1};
    if (is_blank(r->text, r->length)) {
        dal_error(r->messages, begin, "the state file is empty: at least {} is needed");
        return DAL_BAD_MODEL;
    }
    r->yaml = dal_yaml_open(&r->arena);
    dal_tree *root = dal_document_read(r->yaml, &r->arena, &r->arena, r->file, r->text, r->length, r->messages, &no_memory);
    if (no_memory)
        return DAL_NO_MEMORY;
    if (!root)
        return DAL_BAD_MODEL;
    r->coordinates = dal_make_labels(&r->arena, r->system, false);
    r->rates = dal_make_labels(&r->arena, r->system, true);
    if (root->kind != DAL_MAP)
        dal_complain(r->messages, root->mark, "a state file is an object, as {\"q\": {...}, \"rates\": {...}}; %s was found",
                     dal_tree_found(&r->arena, root));
    const bool foreign = root->kind == DAL_MAP && refuse_foreign(r, root);
    for (const dal_tree *child = root->kind == DAL_MAP && !foreign ? root->first : NULL; child; child = child->next)
        read_key(r, child);
    return dal_messages_count(r->messages, DAL_ERROR) ? DAL_BAD_MODEL : DAL_OK;
}

static dal_status deliver(void *user)
{
    file_reader *r = user;
    return dal_messages_deliver(&r->arena, r->file, r->messages, r->heard) ? DAL_OK : DAL_NO_MEMORY;
}

static bool can_read(const char *function, const dal_allocator *allocator, const dal_system *system, const char *file, dal_messages *messages,
                     dal_instant **instant)
{
    if (instant)
        *instant = NULL;
    return dal_needs(messages, function, "system", system) && dal_needs(messages, function, "file", file) &&
           dal_needs(messages, function, "instant", instant) && dal_needs_allocator(messages, function, allocator);
}

static dal_status read_instant(const dal_allocator *allocator, const dal_system *system, const char *file, const char *text, size_t length,
                               dal_messages *messages, dal_instant **instant)
{
    file_reader r = {.system = system, .file = file, .text = text, .length = length, .heard = messages};
    dal_status status = dal_instant_create(allocator, system, &r.instant);
    *instant = NULL;
    if (status != DAL_OK)
        return status;
    dal_arena_begin(&r.arena, allocator);
    r.messages = dal_messages_create(allocator);
    status = r.messages ? dal_arena_try(&r.arena, read_state, &r) : DAL_NO_MEMORY;
    if (r.yaml)
        dal_yaml_close(r.yaml);
    if (r.messages && dal_arena_try(&r.arena, deliver, &r) != DAL_OK)
        status = DAL_NO_MEMORY;
    dal_messages_free(r.messages);
    dal_arena_release(&r.arena);
    if (status == DAL_OK)
        *instant = r.instant;
    else
        dal_instant_free(r.instant);
    return status;
}

dal_status dal_instant_read(const dal_allocator *allocator, const dal_system *system, const char *path, dal_messages *messages, dal_instant **instant)
{
    if (!can_read(__func__, allocator, system, path, messages, instant))
        return DAL_BAD_COMMAND;
    return read_instant(allocator, system, path, NULL, 0, messages, instant);
}

dal_status dal_instant_parse(const dal_allocator *allocator, const dal_system *system, const char *file, const char *text, size_t length,
                             dal_messages *messages, dal_instant **instant)
{
    if (!can_read(__func__, allocator, system, file, messages, instant) || !DAL_NEEDS(messages, text))
        return DAL_BAD_COMMAND;
    return read_instant(allocator, system, file, text, length, messages, instant);
}

/* ---- writing -------------------------------------------------------------------------------------------- */

typedef struct written_state {
    const dal_system *system;
    const dal_instant *instant;
} written_state;

typedef bool label(const dal_system *system, int k, char *text, size_t size);

/* `only`: these of the numbers; NULL: all. */
static void write_numbers(dal_json *json, const written_state *w, const char *key, label *label_of, const double *values, const bool *only)
{
    char text[DAL_LABEL];
    dal_json_open(dal_json_line(json, "\n "), key, '{');
    for (int k = 0; label_of(w->system, k, text, sizeof text); k++)
        if (!only || only[k])
            dal_json_number(json, text, values[k]);
    dal_json_close(json, '}');
}

static bool any_number(int n, const double *values)
{
    for (int k = 0; k < n; k++)
        if (values[k] != 0)
            return true;
    return false;
}

static bool state_label(const dal_system *system, int k, char *text, size_t size)
{
    const char *const *names;
    return k < dal_system_states(system, &names) && (size_t)snprintf(text, size, "%s", names[k]) < size;
}

static void write_sequences(dal_json *json, const written_state *w)
{
    const dal_mechanism *m = dal_system_mechanism(w->system);
    const int *axis = w->instant->axes;
    dal_json_open(dal_json_line(json, "\n "), "sequences", '{');
    for (int b = 0; b < m->n_bodies; b++, axis += 3)
        if (axis[0] >= 0 && !m->bodies[b].particle)
            dal_json_string(json, m->bodies[b].name, (char[]){(char)('x' + axis[0]), (char)('x' + axis[1]), (char)('x' + axis[2]), '\0'});
    dal_json_close(json, '}');
}

static void write_state(dal_json *json, const void *of)
{
    const written_state *w = of;
    const dal_instant *i = w->instant;
    bool wants = false;
    for (int k = 0; k < i->nv; k++)
        wants = wants || i->wanted[k];
    dal_json_open(json, NULL, '{');
    dal_json_number(json, "time", i->time);
    write_numbers(json, w, "q", dal_coordinate_label, i->q, NULL);
    write_numbers(json, w, "rates", dal_rate_label, i->rates, NULL);
    if (any_number(i->nv, i->forces))
        write_numbers(json, w, "forces", dal_rate_label, i->forces, NULL);
    if (wants)
        write_numbers(json, w, "accelerations", dal_rate_label, i->accelerations, i->wanted);
    if (i->n_states)
        write_numbers(json, w, "states", state_label, i->states, i->states_given);
    if (i->n_axes)
        write_sequences(json, w);
    dal_json_close(json, '}');
}

int dal_instant_json(const dal_system *system, const dal_instant *instant, char *buffer, size_t size)
{
    const written_state w = {system, instant};
    const dal_layout *layout = system ? dal_system_layout(system) : NULL;
    const bool fits = layout && instant && instant->nq == layout->nq && instant->nv == layout->nv &&
                      (!instant->n_states || instant->n_states == dal_system_states(system, NULL)) &&
                      (!instant->n_axes || instant->n_axes == 3 * layout->mechanism->n_bodies);
    return fits ? dal_json_text(buffer, size, write_state, &w) : -1;
}
