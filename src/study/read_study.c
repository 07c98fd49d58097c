/* Reads a study from a YAML file: study.h has an example with every key. */
#include "study/plan.h"

#include "base/argument.h"
#include "spec/document.h"
#include "spec/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct reading {
    dal_arena arena;
    const char *path, *text;
    size_t length;
    dal_messages *messages;
    dal_yaml *yaml;
    dal_study_file *file;
    bool no_memory, good;
} reading;

static void refuse_text(reading *r, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);
static void refuse_text(reading *r, dal_mark mark, const char *format, ...)
{
    char sentence[400];
    DAL_FORMAT(sentence, format);
    dal_error(r->messages, mark, "%s", sentence);
    r->good = false;
}

/* ---- kinds of values -------------------------------------------------------------------------- */

static const char *scalar_of(reading *r, const dal_tree *tree, const char *what)
{
    if (tree->kind == DAL_SCALAR && *tree->text)
        return tree->text;
    refuse_text(r, tree->mark, "expected %s, but found %s", what, dal_tree_found(&r->arena, tree));
    return "";
}

/* "a,b,c" of a list, the text of a scalar. */
static const char *joined(reading *r, const dal_tree *tree)
{
    if (tree->kind != DAL_SEQUENCE)
        return scalar_of(r, tree, "values: a list, from:to:number or a distribution");
    const char *text = "";
    for (const dal_tree *item = tree->first; item; item = item->next)
        text = dal_arena_print(&r->arena, "%s%s%s", text, *text ? "," : "", scalar_of(r, item, "a value"));
    return text;
}

static bool is_kind(reading *r, const dal_tree *tree, dal_tree_kind kind, const char *what)
{
    if (tree->kind != kind)
        refuse_text(r, tree->mark, "expected %s, but found %s", what, dal_tree_found(&r->arena, tree));
    return tree->kind == kind;
}

/* {name: value} as "name=value" */
static void read_texts(reading *r, const dal_tree *tree, int *n, const char *const **texts)
{
    if (!is_kind(r, tree, DAL_MAP, "entries NAME: VALUE"))
        return;
    const char **made = DAL_NEW(&r->arena, const char *, tree->n);
    for (const dal_tree *item = tree->first; item; item = item->next)
        made[(*n)++] = dal_arena_print(&r->arena, "%s=%s", item->key, joined(r, item));
    *texts = made;
}

static void read_pairs(reading *r, const dal_tree *tree, int *n, const dal_override **pairs)
{
    if (!is_kind(r, tree, DAL_MAP, "entries NAME: VALUE"))
        return;
    dal_override *made = DAL_NEW(&r->arena, dal_override, tree->n);
    for (const dal_tree *item = tree->first; item; item = item->next)
        made[(*n)++] = (dal_override){item->key, scalar_of(r, item, "a value")};
    *pairs = made;
}

static unsigned long long read_count(reading *r, const dal_tree *tree, unsigned long long least)
{
    const char *text = scalar_of(r, tree, "a whole number");
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (r->good && (*text < '0' || *text > '9' || *end || errno || number < least))
        refuse_text(r, tree->mark, "expected a whole number from %llu, but found '%.60s'", least, text);
    return number;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

static void read_version(reading *r, const dal_tree *tree)
{
    if (strcmp(scalar_of(r, tree, "1"), "1") && r->good)
        refuse_text(r, tree->mark, "expected study: 1, the version of the format, but found '%.60s'", tree->text);
}

/* The path is relative to the folder of the study, unless it begins with a slash. */
static void read_model(reading *r, const dal_tree *tree)
{
    const char *text = scalar_of(r, tree, "the file of a model");
    r->file->model = *text == '/' ? text : dal_arena_print(&r->arena, "%s%s", dal_folder_of(&r->arena, r->path), text);
}

static void read_vary(reading *r, const dal_tree *tree)
{
    read_texts(r, tree, &r->file->plan.n_vary, &r->file->plan.vary);
}

static void read_each(reading *r, const dal_tree *tree)
{
    read_texts(r, tree, &r->file->plan.n_each, &r->file->plan.each);
}

static void read_channels(reading *r, const dal_tree *tree)
{
    if (!is_kind(r, tree, DAL_SEQUENCE, "a list of channels"))
        return;
    const char **made = DAL_NEW(&r->arena, const char *, tree->n);
    for (const dal_tree *item = tree->first; item; item = item->next)
        made[r->file->plan.n_channels++] = scalar_of(r, item, "a channel or an expression");
    r->file->plan.channels = made;
}

static void read_random(reading *r, const dal_tree *tree)
{
    const unsigned long long n = read_count(r, tree, 1);
    if (n > DAL_MOST_RUNS)
        refuse_text(r, tree->mark, "%llu samples are too many: %d at most", n, DAL_MOST_RUNS);
    r->file->plan.random = (long)(n > DAL_MOST_RUNS ? 0 : n);
}

static void read_sampling(reading *r, const dal_tree *tree)
{
    r->file->plan.sampling = scalar_of(r, tree, "random, latin-hypercube or sobol");
}

static void read_seed(reading *r, const dal_tree *tree)
{
    r->file->plan.seed = read_count(r, tree, 0);
}

static void read_set(reading *r, const dal_tree *tree)
{
    read_pairs(r, tree, &r->file->n_overrides, &r->file->overrides);
}

static void read_simulate(reading *r, const dal_tree *tree)
{
    read_pairs(r, tree, &r->file->n_settings, &r->file->settings);
}

static bool read_flag(reading *r, const dal_tree *tree)
{
    const char *text = scalar_of(r, tree, "true or false");
    if (r->good && strcmp(text, "true") && strcmp(text, "false"))
        refuse_text(r, tree->mark, "expected true or false, but found '%.60s'", text);
    return !strcmp(text, "true");
}

static void read_floating(reading *r, const dal_tree *tree)
{
    r->file->floating = read_flag(r, tree);
}

static void read_compiled(reading *r, const dal_tree *tree)
{
    r->file->plan.compiled = read_flag(r, tree) ? 1 : -1;
}

static const struct {
    const char *key;
    void (*read)(reading *r, const dal_tree *tree);
} keys[] = {{"study", read_version},     {"model", read_model},       {"vary", read_vary},         {"each", read_each},
            {"channels", read_channels}, {"random", read_random},     {"sampling", read_sampling}, {"seed", read_seed},
            {"set", read_set},           {"simulate", read_simulate}, {"floating", read_floating}, {"compiled", read_compiled}};
enum { N_KEYS = sizeof keys / sizeof *keys };

static void read_key(reading *r, const dal_tree *tree)
{
    const char *names[N_KEYS + 1] = {NULL};
    char hint[96];
    for (int i = 0; i < N_KEYS; i++) {
        names[i] = keys[i].key;
        if (!strcmp(keys[i].key, tree->key)) {
            keys[i].read(r, tree);
            return;
        }
    }
    refuse_text(r, tree->key_mark, "a study has no key '%.60s'%s", tree->key, dal_did_you_mean(tree->key, names, hint));
}

/* ---- the file --------------------------------------------------------------------------------------- */

static dal_status read_all(void *user)
{
    reading *r = user;
    const char *why;
    r->good = true;
    r->path = dal_arena_copy(&r->arena, r->path, strlen(r->path));
    r->file = DAL_NEW(&r->arena, dal_study_file, 1);
    if (!r->text && !(r->text = dal_load_file(&r->arena, r->path, &r->length, &why))) {
        refuse_text(r, (dal_mark){r->path, 0, 0}, "the study cannot be read: %s", why);
        return DAL_BAD_FILE;
    }
    r->yaml = dal_yaml_open(&r->arena);
    const dal_tree *root = dal_document_read(r->yaml, &r->arena, &r->arena, r->path, r->text, r->length, r->messages, &r->no_memory);
    if (!root)
        return r->no_memory ? DAL_NO_MEMORY : DAL_BAD_MODEL;
    bool version = false;
    if (is_kind(r, root, DAL_MAP, "the keys of a study"))
        for (const dal_tree *item = root->first; item; item = item->next) {
            version = version || !strcmp(item->key, "study");
            read_key(r, item);
        }
    if (r->good && !version)
        refuse_text(r, root->mark, "a study begins with study: 1");
    if (r->good && !r->file->model)
        refuse_text(r, root->mark, "the study does not say which model it is about: model: FILE is missing");
    return r->good && !dal_messages_count(r->messages, DAL_ERROR) ? DAL_OK : DAL_BAD_MODEL;
}

static dal_status read_study(const dal_allocator *allocator, reading *r, dal_study_file **file)
{
    dal_messages *messages = r->messages;
    r->messages = dal_messages_create(allocator);
    dal_arena_begin(&r->arena, allocator);
    dal_status status = r->messages ? dal_arena_try(&r->arena, read_all, r) : DAL_NO_MEMORY;
    dal_yaml_close(r->yaml);
    dal_pass_all(messages, r->messages);
    dal_messages_free(r->messages);
    return dal_arena_deliver(&r->arena, status == DAL_OK, status, r->file, offsetof(dal_study_file, memory), file);
}

dal_status dal_study_read(const dal_allocator *allocator, const char *path, dal_messages *messages, dal_study_file **file)
{
    reading r = {.path = path, .messages = messages};
    if (file)
        *file = NULL;
    if (!DAL_NEEDS(messages, file) || !DAL_NEEDS(messages, path) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    return read_study(allocator, &r, file);
}

dal_status dal_study_parse(const dal_allocator *allocator, const char *path, const char *text, size_t length, dal_messages *messages,
                           dal_study_file **file)
{
    reading r = {.path = path ? path : "study", .text = text, .length = length, .messages = messages};
    if (file)
        *file = NULL;
    if (!DAL_NEEDS(messages, file) || !DAL_NEEDS(messages, text) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    return read_study(allocator, &r, file);
}

void dal_study_file_free(dal_study_file *file)
{
    if (file)
        dal_arena_dispose(file->memory);
}

/* A line `study:` that is not indented, before any line `dalembert:`. */
bool dal_is_study(const char *path)
{
    char text[4097];
    const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (const char *line = text; line && *line; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
        if (!strncmp(line, "dalembert:", 10))
            return false;
        if (!strncmp(line, "study:", 6))
            return true;
    }
    return false;
}
