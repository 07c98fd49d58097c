/* A sink that writes a file: the type follows the extension, the data goes to NAME.part in the same folder, and only a finished file
 * takes the name that was asked for. */
#include "output/file.h"

#include "base/argument.h"
#include "base/message.h"
#include "output/replacement.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const dal_file_type *const types[] = {&dal_csv_type, &dal_hdf5_type};

struct dal_writer {
    dal_allocator allocator;
    dal_destination destination;
    dal_sink sink;
    const dal_file_type *type;
    void *file;
    dal_status status;     /* of the first trouble */
    int n;                 /* columns that were begun with; -1: not begun */
    long rows;             /* that it was given */
    char *name;            /* as given */
    dal_replacement place; /* empty for standard output */
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
    return writer->status = writer->type->begin(writer->file, info, n, columns);
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

static void release(dal_writer *writer)
{
    dal_allocator source = writer->allocator;
    if (writer->file)
        writer->type->release(writer->file);
    dal_replacement_release(&writer->place);
    source.release(source.user, writer->name);
    source.release(source.user, writer);
}

dal_status dal_writer_open(const dal_allocator *allocator, const char *path, bool units, dal_messages *messages, dal_writer **result)
{
    if (result)
        *result = NULL;
    if (!DAL_NEEDS(messages, path) || !dal_needs(messages, __func__, "writer", result) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    bool stream = !strcmp(path, "-");
    const dal_file_type *type = stream ? &dal_csv_type : find_type(path, messages);
    if (!type)
        return DAL_BAD_COMMAND;

    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_writer *writer = source.allocate(source.user, sizeof *writer);
    if (!writer)
        return DAL_NO_MEMORY;
    *writer = (dal_writer){.allocator = source, .type = type, .sink = {writer, begin_file, write_row}, .n = -1};
    writer->name = dal_copy_text(&source, stream ? "standard output" : path, 0);
    writer->destination = (dal_destination){&writer->allocator, messages, writer->name, NULL, units};

    dal_status status = writer->name ? DAL_OK : DAL_NO_MEMORY;
    if (status == DAL_OK && !stream)
        status = dal_replacement_begin(&writer->place, &writer->destination, path);
    if (status == DAL_OK && !stream)
        status = dal_replacement_make(&writer->place);
    writer->destination.path = writer->place.part;
    if (status == DAL_OK)
        status = type->open(&writer->destination, &writer->file);
    if (status != DAL_OK) {
        release(writer);
        return status;
    }
    *result = writer;
    return DAL_OK;
}

/* What could be written stays under the name of the part. */
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
    keep = keep && (writer->rows || !ending->incomplete); /* nothing does not replace a file */
    if (writer->status == DAL_OK && (keep || writer->rows))
        writer->status = writer->type->finish(writer->file, ending, keep && !ending->incomplete);
    const bool kept = writer->status == DAL_OK && keep;
    if (kept && !stream)
        writer->status = dal_replacement_finish(&writer->place);
    if (!(kept && writer->status == DAL_OK) && writer->rows && !stream)
        leave(writer);
    const dal_status status = writer->status;
    release(writer);
    return status;
}

/* The evidence in the words of `print`; NULL without memory. */
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
        release(writer);
}
