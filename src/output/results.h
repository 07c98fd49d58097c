/* Reading files of results: what the types share. */
#ifndef DAL_OUTPUT_RESULTS_H
#define DAL_OUTPUT_RESULTS_H

#include "base/message.h"
#include "dalembert/results.h"

enum { DAL_RESULT_COLUMNS = 100000 };

/* One type of file. `open` fills columns, hash, options and `file`; memory comes from the arena, whose guard is set in all calls but `release`. */
typedef struct dal_result_type {
    const char *const *extensions;
    dal_status (*open)(dal_results *results);
    dal_status (*next)(dal_results *results, const double **row);
    void (*release)(dal_results *results);
} dal_result_type;

extern const dal_result_type dal_csv_results, dal_hdf5_results;

/* One choice of the run, as text. */
typedef struct dal_result_option {
    const char *name, *value;
} dal_result_option;

enum { DAL_RESULT_OPTIONS = 9 };

/* Warns, once for each file, that it is not complete. */
void dal_results_caution(dal_results *results, const char *format, ...) DAL_PRINTF(2, 3);

struct dal_results {
    dal_arena arena;
    dal_messages *messages;
    const char *path;
    const dal_result_type *type;
    void *file;
    int n_columns;
    dal_column *columns;
    const char *hash;
    int n_options; /* 0 if the file does not contain it */
    dal_result_option options[DAL_RESULT_OPTIONS];
    double time;        /* of the last row that dal_results_time saw */
    long rows;          /* so many */
    bool part;          /* NAME.part of a run that did not reach its end */
    bool incomplete;    /* the file says so, or is a part */
    const char *report; /* the evidence of the run, as on the terminal; NULL or "" if the file has none */
};

/* Checks a row of a motion: its time, the first column, must not decrease. DAL_BAD_FILE with a message. */
dal_status dal_results_time(dal_results *results, const double *row);

#endif
