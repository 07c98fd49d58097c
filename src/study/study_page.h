/* A study as a page (viewer/FORMAT.md, "A study"):
 *
 *   study_columns.c   the runs in the page, and their values column by column
 *   study_bands.c     quantiles of the kept channels over time
 *   study_motions.c   some runs repeated, with their motion
 *   study_page.c      the entry of the header, and the file
 */
#ifndef DAL_STUDY_STUDY_PAGE_H
#define DAL_STUDY_STUDY_PAGE_H

#include "output/page.h"
#include "study/study_file.h"

/* ---- study_columns.c ------------------------------------------------------------------- */

enum { DAL_PAGE_REASONS = 1000 };

/* One column: numbers, in double precision if there are few rows; or the common value of all rows. */
typedef struct dal_study_column {
    double *doubles;
    float *floats;
    double first; /* of the first row */
    bool varies;
} dal_study_column;

typedef struct dal_study_failure {
    long run;
    dal_status status;
    char *reason;
} dal_study_failure;

typedef struct dal_study_table {
    long there, failed;        /* runs that the journals have */
    long rows;                 /* of them in the page */
    bool some;                 /* not every run of the plan is a row: `numbers` says which */
    uint32_t *numbers;         /* of the runs */
    uint32_t *status;          /* of each row: 0 it reached its end, 1 failed, 2 refused; NULL: all reached it */
    int n_values, n_factors;   /* values: summaries, and evidence where there is room */
    dal_study_column *values;  /* of the summaries and the evidence */
    dal_study_column *factors; /* of the random factors */
    long *extremes;            /* runs with the least and the largest value of each summary; -1: there is none */
    int n_extremes;
    int n_failures; /* the first runs that failed */
    dal_study_failure *failures;
} dal_study_table;

/* Two passes over the runs; at most `most` rows, 0: a million. It must be freed in any case. */
dal_status dal_study_table_read(dal_study_table *table, const dal_study *study, dal_study_reader *reader, long most);
void dal_study_table_free(dal_study_table *table);

/* ---- study_bands.c --------------------------------------------------------------------- */

enum { DAL_BAND_LEVELS = 7 };
extern const double dal_band_levels[DAL_BAND_LEVELS]; /* 0, 0.05, ... 1 */

/* Quantiles of each channel at each instant, of all runs and of each combination of the listed values. */
typedef struct dal_study_bands {
    int n_times, n_channels, n_groups; /* channels without the time; groups: 1, or 1 and the combinations */
    long runs;                         /* number of runs that were used */
    double *times;
    double *levels; /* n_groups x n_channels x n_times x DAL_BAND_LEVELS; NAN: no run has a value there */
} dal_study_bands;

/* n_times 0: no channels were kept, or no run has rows. It must be freed in any case. */
dal_status dal_study_bands_find(dal_study_bands *bands, const dal_study *study, dal_study_reader *reader);
void dal_study_bands_free(dal_study_bands *bands);

/* ---- study_motions.c ------------------------------------------------------------------- */

typedef struct dal_study_motions {
    int n;
    long *runs;
    dal_system **systems;
    dal_series **series;
} dal_study_motions;

/* Runs that move in the page: each is an item of it. It must be freed in any case, after the page was closed. The status is DAL_OK even if some of
 * these runs fail. */
dal_status dal_study_motions_make(dal_study_motions *motions, const dal_study *study, const dal_study_table *table,
                                  const dal_study_write_options *options, dal_page *page, dal_messages *messages);
void dal_study_motions_free(dal_study_motions *motions);

/* ---- study_page.c ------------------------------------------------------------------------ */

/* Writes the page of a study to `path`. */
dal_status dal_study_write_page(const dal_study *study, dal_study_reader *reader, const char *path, const dal_study_write_options *options,
                                dal_messages *messages);

#endif
