/* A sink that writes a file: the type follows the extension, the data goes to a temporary file in the same folder, and
 * only a finished file takes the name that was asked for. */
#include "record/file.h"

#include "base/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const dal_file_type *const types[] = {&dal_csv_type, &dal_hdf5_type};

struct dal_writer {
    dal_allocator allocator;
    dal_destination destination;
    dal_sink sink;
    const dal_file_type *type;
    void *file;
    dal_status status;               /* of the first trouble */
    char *name, *target, *temporary; /* as given, with symbolic links followed, beside it; NULL for standard output */
};

dal_status dal_file_trouble(const dal_destination *destination, const char *doing, int error)
{
    char text[256];
    dal_error(destination->messages, (dal_mark){destination->name, 0, 0}, "cannot %s: %s", doing,
              strerror_r(error, text, sizeof text));
    return DAL_BAD_FILE;
}

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
    if (dot && dot[1])
        dal_error(messages, (dal_mark){path, 0, 0}, "unknown type of file '%s'; expected one of %s", dot, known);
    else
        dal_error(messages, (dal_mark){path, 0, 0},
                  "the type of a file of results is its extension, and this name has none; expected one of %s", known);
    return NULL;
}

/* ---- names -------------------------------------------------------------- */

static char *copy_text(const dal_allocator *allocator, const char *text, size_t room)
{
    size_t length = strlen(text) + 1;
    char *copy = allocator->allocate(allocator->user, length + room);
    return copy ? memcpy(copy, text, length) : NULL;
}

/* The file that will be replaced must be one that may be: regular and writable. */
static dal_status check_target(dal_writer *writer)
{
    struct stat old;
    if (stat(writer->target, &old))
        return errno == ENOENT ? DAL_OK : dal_file_trouble(&writer->destination, "be written", errno);
    if (S_ISDIR(old.st_mode))
        return dal_file_trouble(&writer->destination, "be written", EISDIR);
    if (!S_ISREG(old.st_mode)) {
        dal_error(writer->destination.messages, (dal_mark){writer->name, 0, 0},
                  "is not a regular file, and a finished file would take its place");
        return DAL_BAD_FILE;
    }
    return access(writer->target, W_OK) ? dal_file_trouble(&writer->destination, "be written", errno) : DAL_OK;
}

/* Make an empty file beside the target, under a name that nobody has. */
static dal_status make_temporary(dal_writer *writer)
{
    enum { ROOM = 40 };
    writer->temporary = copy_text(&writer->allocator, writer->target, ROOM);
    if (!writer->temporary)
        return DAL_NO_MEMORY;
    char *end = writer->temporary + strlen(writer->temporary);
    int fd = -1;
    for (int attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        snprintf(end, ROOM, ".part-%ld-%d", (long)getpid(), attempt);
        fd = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        dal_status status = dal_file_trouble(&writer->destination, "be created", errno);
        writer->allocator.release(writer->allocator.user, writer->temporary);
        writer->temporary = NULL;
        return status;
    }
    close(fd);
    return DAL_OK;
}

static dal_status prepare_names(dal_writer *writer, const char *path)
{
    char *real = realpath(path, NULL);
    writer->target = copy_text(&writer->allocator, real ? real : path, 0);
    free(real);
    if (!writer->target)
        return DAL_NO_MEMORY;
    dal_status status = check_target(writer);
    if (status == DAL_OK)
        status = make_temporary(writer);
    writer->destination.path = writer->temporary;
    return status;
}

/* ---- the sink ----------------------------------------------------------- */

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_writer *writer = user;
    return writer->status = writer->type->begin(writer->file, info, n, columns);
}

static dal_status row(void *user, int n, const double *values)
{
    dal_writer *writer = user;
    if (writer->status == DAL_OK)
        writer->status = writer->type->row(writer->file, n, values);
    return writer->status;
}

const dal_sink *dal_writer_sink(dal_writer *writer)
{
    return &writer->sink;
}

/* ---- open and close ----------------------------------------------------- */

static void release(dal_writer *writer)
{
    dal_allocator source = writer->allocator;
    if (writer->file)
        writer->type->release(writer->file);
    if (writer->temporary)
        unlink(writer->temporary); /* a kept one has another name by now */
    source.release(source.user, writer->temporary);
    source.release(source.user, writer->target);
    source.release(source.user, writer->name);
    source.release(source.user, writer);
}

dal_status dal_writer_open(const dal_allocator *allocator, const char *path, bool units, dal_messages *messages,
                           dal_writer **result)
{
    *result = NULL;
    bool stream = !strcmp(path, "-");
    const dal_file_type *type = stream ? &dal_csv_type : find_type(path, messages);
    if (!type)
        return DAL_BAD_COMMAND;

    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_writer *writer = source.allocate(source.user, sizeof *writer);
    if (!writer)
        return DAL_NO_MEMORY;
    *writer = (dal_writer){.allocator = source, .type = type, .sink = {writer, begin, row}};
    writer->name = copy_text(&source, stream ? "standard output" : path, 0);
    writer->destination = (dal_destination){&writer->allocator, messages, writer->name, NULL, units};

    dal_status status = writer->name ? DAL_OK : DAL_NO_MEMORY;
    if (status == DAL_OK && !stream)
        status = prepare_names(writer, path);
    if (status == DAL_OK)
        status = type->open(&writer->destination, &writer->file);
    if (status != DAL_OK) {
        release(writer);
        return status;
    }
    *result = writer;
    return DAL_OK;
}

dal_status dal_writer_close(dal_writer *writer, bool keep, const dal_evidence *evidence)
{
    if (!writer)
        return DAL_OK;
    dal_status status = writer->status;
    if (status == DAL_OK && keep)
        status = writer->type->finish(writer->file, evidence);
    if (status == DAL_OK && keep && writer->temporary && rename(writer->temporary, writer->target))
        status = dal_file_trouble(&writer->destination, "be written", errno);
    release(writer);
    return status;
}
