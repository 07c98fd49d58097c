/* A study in memory: the varied values, the numbers that are kept, and the base systems of the runs.
 *
 *   plan.c      texts of `vary` to values; number of a run to its point
 *   sample.c    random numbers and samples
 *   summary.c   texts of `each` to parts (one pass over the rows) and a program that combines them
 *   study.c     dal_study_create: the whole study, and the compiled models
 *   read_study.c   a study from YAML
 *   one_run.c   one run and its record
 *   study_code.c   generated code for all runs
 *   journal.c   the file of records
 *   crew.c      threads that make the runs
 *   remote.c    runs in other processes
 *   study_rows.c  records in the order of the plan
 *   study_write.c               files of results from journals: study_csv.c, study_hdf5.c
 *   study_page.h                the page of a study, and its files
 */
#ifndef DAL_STUDY_PLAN_H
#define DAL_STUDY_PLAN_H

#include "base/arena.h"
#include "base/message.h"
#include "base/printer.h"
#include "dalembert/study.h"
#include "expr/expr.h"
#include "study/sample.h"

enum { DAL_MOST_RUNS = 1000 * 1000 * 1000 };

/* A text of a study while it is read, and whether it is valid. */
typedef struct dal_study_text {
    dal_messages *messages;
    const char *vary; /* the text of a factor; NULL: it is not a factor */
    const char *each; /* "each 'peak=max(A.angle)'", the place of a summary; NULL: it is not a summary */
    bool good;
} dal_study_text;
/* Reports an error, which makes the text invalid. Returns DAL_BAD_COMMAND. */
dal_status dal_study_refuse(dal_study_text *text, const char *format, ...) DAL_PRINTF(2, 3);

/* ---- varied values: plan.c --------------------------------------------------------------- */

typedef enum dal_distribution { DAL_LISTED, DAL_UNIFORM, DAL_NORMAL } dal_distribution;

typedef struct dal_planned {
    dal_study_variable factor; /* as callers see it */
    dal_distribution distribution;
    double a, b;   /* bounds; mean and standard deviation */
    int dimension; /* of the samples */
    long stride;   /* runs between one value and the next */
} dal_planned;

typedef struct dal_factors {
    int n, n_random, n_normal;
    dal_planned *item;
    long combinations; /* of the listed values */
} dal_factors;

/* False: at least one text cannot be used, and messages name it. Memory comes from the arena. */
bool dal_factors_read(dal_arena *arena, const dal_spec *spec, int n, const char *const *texts, dal_messages *messages, dal_factors *factors);
/* The value of a factor in a run; of a word, its index. */
double dal_factor_value(const dal_planned *planned, const dal_samples *samples, long run);

/* ---- summaries of a run: summary.c ----------------------------------------------------------- */

typedef enum dal_part_kind {
    DAL_PART_MAX,
    DAL_PART_MIN,
    DAL_PART_MEAN,
    DAL_PART_RMS,
    DAL_PART_INTEGRAL,
    DAL_PART_FIRST,
    DAL_PART_FINAL,
    DAL_PART_WHEN,
    DAL_PART_SETTLING
} dal_part_kind;

/* One number that is computed from a column: max(abs(A.force)). */
typedef struct dal_part {
    dal_part_kind kind;
    const char *text; /* of the recorded expression */
    int column;       /* of this expression; -1: not known yet */
    double band;      /* settling */
    bool strict;      /* when(x > y): false if they are equal */
} dal_part;

typedef struct dal_summaries {
    int n, n_parts;
    const char **name, **text; /* "peak", and its place for messages: "each 'peak=max(A.angle)'" */
    const char **unit;
    dal_part *part;
    const char **from;    /* of each part: the text of its summary, for messages */
    dal_program *program; /* summaries from parts */
} dal_summaries;

/* Returns as above. n = 0: the largest, the least and the final value of each recorded channel of the model; `columns` are these channels. */
bool dal_summaries_read(dal_arena *arena, int n, const char *const *texts, int n_columns, const dal_column *columns, dal_messages *messages,
                        dal_summaries *summaries);

/* A part during the pass over the rows. */
typedef struct dal_part_state {
    double value, sum; /* the largest, the least, the first, the last; the integral, or the time of the result */
} dal_part_state;

typedef struct dal_parts_run {
    const dal_summaries *summaries;
    dal_part_state *state;     /* one for each part */
    double *parts, *registers; /* scratch of the program */
    long n_rows;
    double start, time, *before; /* of the first row; of the last row, and its columns */
    int n_columns;
    long *n_series; /* of parts that need all values of their column */
    double **series;
    size_t *room;
    double *times;
    size_t times_room;
    bool no_memory;
} dal_parts_run;

/* Allocates memory that any number of runs can use; false: there is none. */
bool dal_parts_open(dal_parts_run *run, const dal_summaries *summaries, int n_columns);
void dal_parts_close(dal_parts_run *run);
/* Begin a run, add a row of columns, and find the summaries. */
void dal_parts_begin(dal_parts_run *run);
void dal_parts_row(dal_parts_run *run, const double *columns);
void dal_parts_end(dal_parts_run *run, double *summaries);

/* ---- the study: study.c ------------------------------------------------------------------------ */

/* The model with one combination of settings. */
typedef struct dal_study_base {
    dal_system *system; /* NULL: it is refused */
    dal_status status;
    const char *reason;
} dal_study_base;

/* The number of values of each run in addition to its summaries. */
enum { DAL_STUDY_EVIDENCE = 10 }; /* the last one in compiled studies only */

struct dal_study {
    void *memory;
    dal_allocator allocator;
    dal_factors factors;
    dal_samples samples;
    dal_summaries summaries;
    dal_study_info info;
    int n_bases, n_varied;
    dal_study_base *base;
    const char **varied; /* names of the factors that are not settings */
    dal_column *values, *channels;
    int *channel; /* columns of the channels among those of a system */
    int n_columns;
};

/* The index of the base of a run. */
int dal_study_base_of(const dal_study *study, long run);

/* Generated code that runs share: study_code.h. */
typedef struct dal_study_code dal_study_code;

/* ---- one run: one_run.c ----------------------------------------------------------------------------- */

/* The memory of a thread for its runs. */
typedef struct dal_worker dal_worker;
/* `code` may be NULL. */
dal_worker *dal_worker_create(const dal_study *study, const dal_study_code *code);
void dal_worker_free(dal_worker *worker);
/* The record of a run, in the worker's memory. NULL: it was stopped (`stop` returned true), or there is no memory. */
const void *dal_worker_run(dal_worker *worker, long run, bool (*stop)(void *user), void *user, size_t *size);

/* Reads a record; texts and numbers point into the record, which must stay. False: it is damaged. */
bool dal_record_read(const dal_study *study, const void *record, size_t size, dal_study_row *row);

#endif
