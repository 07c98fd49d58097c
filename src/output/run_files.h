/* Calls of the program on the files of a run, in addition to include/dalembert/run_files.h. */
#ifndef DAL_OUTPUT_RUN_FILES_H
#define DAL_OUTPUT_RUN_FILES_H

#include "dalembert/run_files.h"
#include "output/checkpoint.h"

/* Like dal_run_files_create; the watch may be NULL, and must outlive the files. */
dal_status dal_run_files_watched(int n, const char *const *paths, const dal_run_files_options *options, const dal_run_files_watch *watch,
                                 dal_messages *messages, dal_run_files **files);
/* After the end: is this file renamed? */
bool dal_run_files_kept(const dal_run_files *files, int i);

#endif
