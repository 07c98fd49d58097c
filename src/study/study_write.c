/* Files of results from journals: written beside the target and renamed when they are complete. */
#include "study/study_file.h"

#include "base/argument.h"
#include "output/replacement.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *extension;
    dal_study_file_writer *write;
} types[] = {{".csv", dal_study_write_csv}, {".h5", dal_study_write_hdf5}, {".hdf5", dal_study_write_hdf5}};

static dal_study_file_writer *writer_of(const char *path, dal_messages *messages)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (dot && !strcasecmp(dot, types[i].extension))
            return types[i].write;
    dal_error(messages, (dal_mark){path, 0, 0}, "the type is not known: results of a study are written as .csv or .h5");
    return NULL;
}

bool dal_study_file_known(const char *path, dal_messages *messages)
{
    return writer_of(path, messages) != NULL;
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

dal_status dal_study_write(const dal_study *study, int n, const char *const *journals, const char *path, dal_messages *messages)
{
    if (!DAL_NEEDS(messages, study) || !DAL_NEEDS(messages, path) || !DAL_NEEDS_ARRAY(messages, n, journals))
        return DAL_BAD_COMMAND;
    dal_study_file_writer *write = writer_of(path, messages);
    dal_study_reader *reader = NULL;
    if (!write)
        return DAL_BAD_COMMAND;
    dal_status status = dal_study_open(study, n, journals, messages, &reader);
    if (status == DAL_OK)
        status = write_file(study, reader, write, path, messages);
    dal_study_close(reader);
    return status;
}
