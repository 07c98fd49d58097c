/* Files of results of a study, one function for each type. study_write.c creates the file and renames it. */
#ifndef DAL_STUDY_STUDY_FILE_H
#define DAL_STUDY_STUDY_FILE_H

#include "output/file.h"
#include "study/plan.h"

/* "ok", "failed" (the motion could not be continued) or "refused" (the model with these values). */
const char *dal_study_status_word(dal_status status);

/* Fills destination->path, an existing empty file. */
typedef dal_status dal_study_file_writer(const dal_study *study, dal_study_reader *reader, const dal_destination *destination);
dal_study_file_writer dal_study_write_csv, dal_study_write_channels, dal_study_write_hdf5;

/* study_rows.c: the next run is again the first one. */
void dal_study_rewind(dal_study_reader *reader);

/* study_write.c: is the extension that of a type? Otherwise a message lists the types. */
bool dal_study_file_known(const char *path, dal_messages *messages);
/* The file of the channels beside study.csv, study.channels.csv, which the caller frees; NULL: the path is not that of comma-separated values. */
char *dal_study_channels_path(const char *path);

#endif
