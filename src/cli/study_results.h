/* What comes of a study: files, and a table in the terminal. */
#ifndef DAL_CLI_STUDY_RESULTS_H
#define DAL_CLI_STUDY_RESULTS_H

#include "cli/cli.h"

enum { DAL_STUDY_FILES = 8 };

/* Files that `sweep` and `merge` are to write. */
typedef struct dal_study_outputs {
    const char *command;
    int n;
    const char *path[DAL_STUDY_FILES];
    bool quiet;
    bool channels; /* they are kept: a file .csv has another one beside it */
    bool pages;    /* at least one of them is a page */
    dal_study_write_options how;
} dal_study_outputs;

/* One more; DAL_OK, or the exit code after a complaint. */
int dal_study_outputs_add(dal_study_outputs *outputs, const char *path);
/* The value of --motions. */
int dal_study_outputs_motions(dal_study_outputs *outputs, const char *text);
/* Can they be written, and do they differ from what is read, and from the journal (which may be NULL)? */
dal_status dal_study_outputs_check(const dal_study_outputs *outputs, const dal_spec *spec, const char *journal, dal_messages *messages);
/* Writes the files from journals, and the table unless --quiet is set. DAL_NUMERICAL after a sentence: every run failed. */
dal_status dal_study_outputs_write(const dal_study_outputs *outputs, const dal_study *study, int n, const char *const *journals,
                                   dal_messages *messages);

#endif
