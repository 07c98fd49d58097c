/* State files: {"q": , "rates": , "forces": , "accelerations": , "time": }, JSON, read as the YAML that it is.
 *
 * Each of the first four is an object by name or an array in the order of the names. A missing name is zero; if all numbers of an attitude with more
 * numbers than freedoms are missing, it is no turn. Any other irregularity is an error with its place.
 */
#include "base/argument.h"
#include "analysis/evaluator.h"
#include "spec/document.h"
#include "spec/reader.h"
#include "model/coordinate_names.h"

#include <math.h>
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

/* ---- the file --------------------------------------------------------------------------------------- */

static void read_key(file_reader *r, const dal_tree *node)
{
    static const char *const keys[] = {"q", "rates", "forces", "accelerations", "time", NULL};
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
    else
        dal_complain(r->messages, node->key_mark, "'%.80s' is not a key of a state file%s; there are q, rates, forces, accelerations and time",
                     node->key, dal_did_you_mean(node->key, keys, hint));
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
    for (const dal_tree *child = root->kind == DAL_MAP ? root->first : NULL; child; child = child->next)
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
