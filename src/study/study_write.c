/* Files of results from journals: they are written beside the target and renamed when they are complete. */
#include "study/study_page.h"

#include "base/argument.h"
#include "output/replacement.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *extension;
    dal_study_file_writer *write; /* NULL: a page */
} types[] = {{".csv", dal_study_write_csv}, {".h5", dal_study_write_hdf5}, {".hdf5", dal_study_write_hdf5}, {".html", NULL}, {".htm", NULL}};
enum { N_TYPES = sizeof types / sizeof *types };

/* The index of its type; -1 after a message. */
static int type_of(const char *path, dal_messages *messages)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < N_TYPES; i++)
        if (dot && !strcasecmp(dot, types[i].extension))
            return i;
    dal_error(messages, (dal_mark){path, 0, 0}, "the type is not known: results of a study are written as .csv, .h5 or .html");
    return -1;
}

bool dal_study_file_known(const char *path, dal_messages *messages)
{
    return type_of(path, messages) >= 0;
}

char *dal_study_channels_path(const char *path)
{
    const char *dot = strrchr(path, '.');
    char *beside = dot && !strcasecmp(dot, ".csv") ? malloc(strlen(path) + sizeof ".channels") : NULL;
    if (beside) {
        memcpy(beside, path, (size_t)(dot - path));
        strcpy(stpcpy(beside + (dot - path), ".channels"), dot);
    }
    return beside;
}

static dal_status write_file(const dal_study *study, dal_study_reader *reader, dal_study_file_writer *write, const char *path, dal_messages *messages)
{
    dal_destination destination = {.allocator = &study->allocator, .messages = messages, .name = path};
    dal_replacement place;
    dal_status status = dal_replacement_begin(&place, &destination, path);
    if (status == DAL_OK)
        status = dal_replacement_make(&place);
    destination.path = place.part;
    if (status == DAL_OK)
        status = write(study, reader, &destination);
    if (status == DAL_OK)
        status = dal_replacement_finish(&place);
    dal_replacement_release(&place);
    return status;
}

/* The channels of a study that is written as comma-separated values. */
static dal_status write_channels(const dal_study *study, dal_study_reader *reader, const char *path, dal_messages *messages)
{
    char *beside = dal_study_channels_path(path);
    dal_study_rewind(reader);
    const dal_status status = beside ? write_file(study, reader, dal_study_write_channels, beside, messages) : DAL_NO_MEMORY;
    free(beside);
    return status;
}

static dal_status write_type(const dal_study *study, dal_study_reader *reader, int type, const char *path, const dal_study_write_options *options,
                             dal_messages *messages)
{
    if (!types[type].write)
        return dal_study_write_page(study, reader, path, options, messages);
    const dal_status status = write_file(study, reader, types[type].write, path, messages);
    const bool beside = types[type].write == dal_study_write_csv && study->info.channels;
    return status == DAL_OK && beside ? write_channels(study, reader, path, messages) : status;
}

dal_status dal_study_write_with(const dal_study *study, int n, const char *const *journals, const char *path, const dal_study_write_options *options,
                                dal_messages *messages)
{
    static const dal_study_write_options usual = {0};
    if (!DAL_NEEDS(messages, study) || !DAL_NEEDS(messages, path) || !DAL_NEEDS_ARRAY(messages, n, journals))
        return DAL_BAD_COMMAND;
    const int type = type_of(path, messages);
    dal_study_reader *reader = NULL;
    if (type < 0)
        return DAL_BAD_COMMAND;
    dal_status status = dal_study_open(study, n, journals, messages, &reader);
    if (status == DAL_OK)
        status = write_type(study, reader, type, path, options ? options : &usual, messages);
    dal_study_close(reader);
    return status;
}

dal_status dal_study_write(const dal_study *study, int n, const char *const *journals, const char *path, dal_messages *messages)
{
    return dal_study_write_with(study, n, journals, path, NULL, messages);
}
