/* Files of results: which reader, its memory, its columns by name. */
#include "base/argument.h"
#include "base/printer.h"
#include "output/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const dal_result_type *const types[] = {&dal_csv_results, &dal_hdf5_results};

static const char part_name[] = ".part";

static bool is_part(const char *path)
{
    const size_t length = strlen(path), n = sizeof part_name - 1;
    return length > n && !strcmp(path + length - n, part_name);
}

/* By the extension; that of "result.h5.part" is .h5. */
static const dal_result_type *find_type(const char *path)
{
    const size_t length = strlen(path) - (is_part(path) ? sizeof part_name - 1 : 0);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (const char *const *extension = types[i]->extensions; *extension; extension++) {
            const size_t n = strlen(*extension);
            if (length >= n && !strncasecmp(path + length - n, *extension, n))
                return types[i];
        }
    return NULL;
}

void dal_results_caution(dal_results *r, const char *format, ...)
{
    char text[600];
    DAL_FORMAT(text, format);
    r->incomplete = true;
    for (const dal_message *m = dal_messages_first(r->messages); m; m = m->next)
        if (m->severity == DAL_WARNING && m->mark.file && !strcmp(m->mark.file, r->path) && !strcmp(m->text, text))
            return;
    dal_warn(r->messages, (dal_mark){r->path, 0, 0}, DAL_CODE_INCOMPLETE, NAN, "%s", text);
}

static dal_status open_file(void *user)
{
    dal_results *results = user;
    dal_status status = results->type->open(results);
    if (status == DAL_OK && results->n_columns < 2) {
        dal_error(results->messages, (dal_mark){results->path, 0, 0}, "has no columns but the time: there is nothing to show");
        return DAL_BAD_FILE;
    }
    return status;
}

dal_status dal_results_open(const dal_allocator *allocator, const char *path, dal_messages *messages, dal_results **out)
{
    if (out)
        *out = NULL;
    if (!DAL_NEEDS(messages, path) || !dal_needs(messages, __func__, "results", out) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    const dal_result_type *type = find_type(path);
    if (!type) {
        dal_error(messages, (dal_mark){path, 0, 0},
                  "the type of a file of results is its extension: .csv, .h5 or .hdf5 can be read, also as .csv.part, .h5.part or .hdf5.part");
        return DAL_BAD_COMMAND;
    }
    dal_arena arena;
    dal_arena_begin(&arena, allocator);
    dal_results *results = dal_arena_alloc(&arena, sizeof *results);
    if (!results) {
        dal_arena_release(&arena);
        return DAL_NO_MEMORY;
    }
    results->arena = arena;
    results->messages = messages;
    results->type = type;
    results->part = is_part(path);
    results->hash = "";
    results->path = dal_arena_copy(&results->arena, path, strlen(path));
    dal_status status = results->path ? dal_arena_try(&results->arena, open_file, results) : DAL_NO_MEMORY;
    if (status != DAL_OK) {
        dal_results_close(results);
        return status;
    }
    *out = results;
    return DAL_OK;
}

void dal_results_close(dal_results *results)
{
    if (!results)
        return;
    if (results->file)
        results->type->release(results);
    dal_arena arena = results->arena; /* results is inside the arena */
    dal_arena_release(&arena);
}

const dal_column *dal_results_columns(const dal_results *results, int *n)
{
    if (n)
        *n = results ? results->n_columns : 0;
    return results ? results->columns : NULL;
}

int dal_results_column(const dal_results *results, const char *name)
{
    for (int i = 0; results && name && i < results->n_columns; i++)
        if (!strcmp(results->columns[i].name, name))
            return i;
    return -1;
}

const char *dal_results_hash(const dal_results *results)
{
    return results ? results->hash : "";
}

bool dal_results_incomplete(const dal_results *results)
{
    return results && results->incomplete;
}

typedef struct step {
    dal_results *results;
    const double **row;
} step;

static dal_status read_step(void *user)
{
    const step *s = user;
    return s->results->type->next(s->results, s->row);
}

dal_status dal_results_next(dal_results *results, const double **row)
{
    step s = {results, row};
    if (row)
        *row = NULL;
    if (!results || !row)
        return DAL_BAD_COMMAND;
    return dal_arena_try(&results->arena, read_step, &s);
}

dal_status dal_results_time(dal_results *results, const double *row)
{
    const dal_mark mark = {results->path, 0, 0};
    results->rows++;
    if (!isfinite(row[0])) {
        dal_error(results->messages, mark, "row %ld has the time %.9g: a finite number is needed", results->rows, row[0]);
        return DAL_BAD_FILE;
    }
    if (results->rows > 1 && row[0] < results->time) {
        dal_error(results->messages, mark, "time runs backwards: row %ld has t = %.9g, and the one before it %.9g", results->rows, row[0],
                  results->time);
        return DAL_BAD_FILE;
    }
    results->time = row[0];
    return DAL_OK;
}
