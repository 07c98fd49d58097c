/* The results of a study: files, and a table in the terminal. */
#ifndef DAL_CLI_STUDY_RESULTS_H
#define DAL_CLI_STUDY_RESULTS_H

#include "cli/sweep_plan.h"

enum { DAL_STUDY_FILES = 8 };

/* The files that `sweep` and `merge` write. */
typedef struct dal_study_outputs {
    const char *command;
    int n;
    const char *path[DAL_STUDY_FILES];
    bool quiet;
    bool channels; /* they are kept: a file .csv has another one beside it */
    bool pages;    /* at least one of them is a page */
    dal_study_write_options how;
} dal_study_outputs;

/* The first members of the requests of both. */
typedef struct dal_study_request {
    dal_model_options model;
    dal_study_outputs outputs;
    dal_sweep_plan sweep;
} dal_study_request;

/* Options of such a request: one more output, and the value of --motions. DAL_OK, or the exit code after an error message. */
int dal_study_output(void *request, char *path);
int dal_study_motions(void *request, char *text);
/* Makes the model and the study of a plan. Can the files be written, and do they differ from the files that are read, and from the journal (which
 * may be NULL)? */
dal_status dal_study_prepare(dal_study_request *request, const char *journal, dal_messages *messages);
/* Writes the files from journals, and prints the table unless --quiet is set. DAL_NUMERICAL after a message: every run failed. */
dal_status dal_study_outputs_write(const dal_study_outputs *outputs, const dal_study *study, int n, const char *const *journals,
                                   dal_messages *messages);

#endif
