/* A sink that writes a file: the extension decides the type, the data are written to NAME.part in the same folder, and only a finished file gets
 * the requested name. */
#include "output/file.h"

#include "base/argument.h"
#include "base/message.h"
#include "output/replacement.h"
#include "output/results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const dal_file_type *const types[] = {&dal_csv_type, &dal_hdf5_type};

struct dal_writer {
    dal_allocator allocator;
    dal_destination destination;
    dal_sink sink;
    const dal_file_type *type;
    void *file;
    dal_status status;     /* of the first error */
    int n;                 /* number of columns; -1: not begun */
    long rows;             /* rows received */
    char *name;            /* as given */
    dal_replacement place; /* empty for standard output */
    bool resumes;          /* rows to keep in the part of an earlier run; the time of the last one */
    long rows_before;
    double last;
};

/* ---- which type --------------------------------------------------------- */

static const dal_file_type *find_type(const char *path, dal_messages *messages)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    char known[64] = "";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (const char *const *extension = types[i]->extensions; *extension; extension++) {
            if (dot && !strcasecmp(dot, *extension))
                return types[i];
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", *extension);
        }
    }
    if (dot && !strcasecmp(dot, ".html"))
        dal_error(messages, (dal_mark){path, 0, 0}, "a page shows the model as well: dal_page_open (page.h) writes it");
    else if (dot && dot[1])
        dal_error(messages, (dal_mark){path, 0, 0}, "unknown type of file '%s'; expected one of %s", dot, known);
    else
        dal_error(messages, (dal_mark){path, 0, 0}, "the type of a file of results is its extension, and this name has none; expected one of %s",
                  known);
    return NULL;
}

bool dal_file_type_known(const char *path, dal_messages *messages)
{
    return !strcmp(path, "-") || find_type(path, messages);
}

/* ---- rows of an earlier run, rewritten ------------------------------------ */

static bool same_columns(const dal_results *old, int n, const dal_column *columns)
{
    bool same = old->n_columns == n;
    for (int i = 0; i < n && same; i++)
        same = !strcmp(old->columns[i].name, columns[i].name) && !strcmp(old->columns[i].unit, columns[i].unit ? columns[i].unit : "");
    return same;
}

static dal_status copy_rows(dal_writer *writer, dal_results *old, int n)
{
    const double *row = NULL;
    for (long i = 0; i < writer->rows_before; i++) {
        dal_status status = dal_results_next(old, &row);
        if (status == DAL_OK && !row)
            return dal_file_unresumed(&writer->destination, writer->place.part, "has fewer rows than the saved state beside it");
        if (status == DAL_OK && i + 1 == writer->rows_before && row[0] != writer->last)
            return dal_file_unresumed(&writer->destination, writer->place.part, "has other rows than the saved state beside it");
        if (status == DAL_OK)
            status = writer->type->row(writer->file, n, row);
        if (status != DAL_OK)
            return status;
    }
    return writer->type->flush(writer->file);
}

/* Messages of the reader: its errors become errors of the writer. */
static void pass_on(const dal_writer *writer, const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            dal_file_unresumed(&writer->destination, writer->place.part, m->text);
}

static dal_status fill_anew(dal_writer *writer, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_messages *messages = dal_messages_create(&writer->allocator);
    dal_results *old = NULL;
    dal_status status = messages ? dal_results_open(&writer->allocator, writer->place.part, messages, &old) : DAL_NO_MEMORY;
    if (status == DAL_OK && !same_columns(old, n, columns))
        status = dal_file_unresumed(&writer->destination, writer->place.part, "has other columns than this run writes");
    if (status == DAL_OK)
        status = writer->type->open(&writer->destination, &writer->file);
    if (status == DAL_OK)
        status = writer->type->begin(writer->file, info, n, columns);
    if (status == DAL_OK)
        status = copy_rows(writer, old, n);
    dal_results_close(old);
    pass_on(writer, messages);
    dal_messages_free(messages);
    return status;
}

/* Rewrites into a file beside the part, which then replaces it: at any instant the part has the rows. */
static dal_status write_anew(dal_writer *writer, const dal_system_info *info, int n, const dal_column *columns)
{
    char *path = NULL;
    int fd = -1;
    dal_status status = dal_replacement_renew(&writer->place, &path, &fd);
    writer->destination.path = path;
    if (status == DAL_OK)
        status = fill_anew(writer, info, n, columns);
    if (status != DAL_OK && writer->file) {
        writer->type->release(writer->file);
        writer->file = NULL;
    }
    writer->destination.path = writer->place.part;
    const dal_status swapped = dal_replacement_swap(&writer->place, status == DAL_OK, path, fd);
    return status == DAL_OK ? swapped : status;
}

static dal_status resume_file(dal_writer *writer, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_status status =
        writer->type->cut ? writer->type->cut(writer->file, n, columns, writer->rows_before, writer->last) : write_anew(writer, info, n, columns);
    writer->rows = status == DAL_OK ? writer->rows_before : 0;
    return status;
}

/* ---- the sink ----------------------------------------------------------- */

static dal_status begin_file(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_writer *writer = user;
    if (!writer || !info || n < 0 || (n && !columns))
        return DAL_BAD_COMMAND;
    if (writer->n >= 0) {
        dal_error(writer->destination.messages, (dal_mark){writer->name, 0, 0}, "was begun already: a writer is for one run");
        return DAL_BAD_COMMAND;
    }
    for (int k = 0; k < n; k++)
        if (!columns[k].name)
            return DAL_BAD_COMMAND;
    writer->n = n;
    return writer->status = (writer->resumes ? resume_file(writer, info, n, columns) : writer->type->begin(writer->file, info, n, columns));
}

static dal_status write_row(void *user, int n, const double *values)
{
    dal_writer *writer = user;
    if (!writer || n != writer->n || (n && !values))
        return DAL_BAD_COMMAND;
    if (writer->status == DAL_OK)
        writer->status = writer->type->row(writer->file, n, values);
    writer->rows += writer->status == DAL_OK;
    return writer->status;
}

const dal_sink *dal_writer_sink(dal_writer *writer)
{
    return writer ? &writer->sink : NULL;
}

/* ---- open and close ----------------------------------------------------- */

static void release_writer(dal_writer *writer)
{
    dal_allocator source = writer->allocator;
    if (writer->file)
        writer->type->release(writer->file);
    dal_replacement_release(&writer->place);
    source.release(source.user, writer->name);
    source.release(source.user, writer);
}

/* Makes the part, or opens the one of an earlier run. */
static dal_status open_place(dal_writer *writer, const char *path)
{
    dal_status status = dal_replacement_begin(&writer->place, &writer->destination, path);
    if (status == DAL_OK)
        status = (writer->resumes ? dal_replacement_open : dal_replacement_make)(&writer->place);
    writer->destination.path = writer->place.part;
    writer->destination.resumes = writer->resumes && writer->type->cut;
    return status;
}

/* `like`: units, and how it is resumed. */
static dal_status open_writer(const dal_allocator *allocator, const char *path, const dal_writer *like, dal_messages *messages, dal_writer **result)
{
    const bool stream = !strcmp(path, "-");
    const dal_file_type *type = stream ? &dal_csv_type : find_type(path, messages);
    if (!type)
        return DAL_BAD_COMMAND;
    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_writer *writer = source.allocate(source.user, sizeof *writer);
    if (!writer)
        return DAL_NO_MEMORY;
    *writer = *like;
    writer->allocator = source;
    writer->type = type;
    writer->sink = (dal_sink){writer, begin_file, write_row};
    writer->n = -1;
    writer->name = dal_copy_text(&source, stream ? "standard output" : path, 0);
    writer->destination.allocator = &writer->allocator;
    writer->destination.messages = messages;
    writer->destination.name = writer->name;
    dal_status status = writer->name ? DAL_OK : DAL_NO_MEMORY;
    if (status == DAL_OK && !stream)
        status = open_place(writer, path);
    if (status == DAL_OK && !(writer->resumes && !type->cut))
        status = type->open(&writer->destination, &writer->file);
    if (status != DAL_OK) {
        release_writer(writer);
        return status;
    }
    *result = writer;
    return DAL_OK;
}

dal_status dal_writer_open(const dal_allocator *allocator, const char *path, bool units, dal_messages *messages, dal_writer **writer)
{
    if (writer)
        *writer = NULL;
    if (!DAL_NEEDS(messages, path) || !DAL_NEEDS(messages, writer) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    return open_writer(allocator, path, &(dal_writer){.destination.units = units}, messages, writer);
}

dal_status dal_writer_resume(const dal_allocator *allocator, const char *path, bool units, long rows, double last, dal_messages *messages,
                             dal_writer **writer)
{
    if (writer)
        *writer = NULL;
    if (!DAL_NEEDS(messages, path) || !DAL_NEEDS(messages, writer) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    if (rows < 1 || !isfinite(last) || !strcmp(path, "-")) {
        dal_error(messages, dal_nowhere,
                  rows < 1          ? "%s: `rows` is less than 1"
                  : !isfinite(last) ? "%s: `last` is not a finite number"
                                    : "%s: rows on standard output cannot be taken back",
                  __func__);
        return DAL_BAD_COMMAND;
    }
    const dal_writer like = {.destination.units = units, .resumes = true, .rows_before = rows, .last = last};
    return open_writer(allocator, path, &like, messages, writer);
}

dal_status dal_writer_flush(dal_writer *writer, bool to_disk)
{
    if (!writer || writer->n < 0)
        return DAL_BAD_COMMAND;
    if (writer->status == DAL_OK)
        writer->status = writer->type->flush(writer->file);
    if (writer->status == DAL_OK && to_disk && writer->place.fd >= 0 && writer->destination.path && fdatasync(writer->place.fd) && errno != EINVAL)
        writer->status = dal_file_trouble(&writer->destination, "be written", errno);
    return writer->status;
}

/* The rows that were written stay in the part. */
static void leave(dal_writer *writer)
{
    char what[80];
    snprintf(what, sizeof what, writer->rows == 1 ? "the row that it recorded is" : "the %ld rows that it recorded are", writer->rows);
    writer->type->release(writer->file);
    writer->file = NULL;
    dal_replacement_leave(&writer->place, writer->status == DAL_OK ? what : "what could be written of it is");
}

dal_status dal_writer_end(dal_writer *writer, bool keep, const dal_ending *ending)
{
    const bool stream = !writer->destination.path;
    keep = keep && (writer->rows || !ending->incomplete) && !(writer->resumes && writer->n < 0); /* an empty result does not replace a file */
    if (writer->status == DAL_OK && (keep || writer->rows))
        writer->status = writer->type->finish(writer->file, ending, keep && !ending->incomplete);
    const bool kept = writer->status == DAL_OK && keep;
    if (kept && !stream)
        writer->status = dal_replacement_finish(&writer->place);
    if (!(kept && writer->status == DAL_OK) && writer->rows && !stream)
        leave(writer);
    const dal_status status = writer->status;
    release_writer(writer);
    return status;
}

/* The evidence as text of `print`; NULL: there is no memory. */
static char *print_evidence(const dal_writer *writer, const dal_evidence *evidence, int (*print)(const dal_evidence *, dal_status, char *, size_t))
{
    const dal_status status = evidence->incomplete ? DAL_NUMERICAL : DAL_OK;
    const size_t size = (size_t)print(evidence, status, NULL, 0) + 1;
    char *text = writer->allocator.allocate(writer->allocator.user, size);
    if (text)
        print(evidence, status, text, size);
    return text;
}

dal_status dal_writer_close(dal_writer *writer, bool keep, const dal_evidence *evidence)
{
    if (!writer)
        return DAL_OK;
    const dal_allocator source = writer->allocator;
    char *json = NULL, *text = NULL;
    dal_ending ending = {.known = evidence != NULL};
    if (evidence) {
        ending.incomplete = evidence->incomplete;
        ending.time_end = evidence->time_end;
        ending.until = evidence->info.until;
    }
    if (evidence && writer->type->keeps_evidence) {
        ending.json = json = print_evidence(writer, evidence, dal_evidence_json);
        ending.text = text = print_evidence(writer, evidence, dal_evidence_text);
        if (writer->status == DAL_OK && (!json || !text))
            writer->status = DAL_NO_MEMORY;
    }
    const dal_status status = dal_writer_end(writer, keep, &ending);
    source.release(source.user, json);
    source.release(source.user, text);
    return status;
}

void dal_writer_discard(dal_writer *writer)
{
    if (writer)
        release_writer(writer);
}
