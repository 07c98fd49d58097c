/* What the program sees of the files of a run beside include/dalembert/run_files.h. */
#ifndef DAL_OUTPUT_RUN_FILES_H
#define DAL_OUTPUT_RUN_FILES_H

#include "dalembert/run_files.h"
#include "output/checkpoint.h"

/* As dal_run_files_create; the watch may be NULL, and lives as long as the files. */
dal_status dal_run_files_watched(int n, const char *const *paths, const dal_run_files_options *options, const dal_run_files_watch *watch,
                                 dal_messages *messages, dal_run_files **files);
/* After the end: has this one its name? */
bool dal_run_files_kept(const dal_run_files *files, int i);

#endif
