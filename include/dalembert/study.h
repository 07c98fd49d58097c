/* A study: one model, run many times with different values.
 *
 *     const char *vary[] = {"k=10:1000:20log", "l=0.2,0.3"}, *each[] = {"peak=max(abs(A.force))"}, *journal = "study.journal";
 *     const dal_study_plan plan = {.n_vary = 2, .vary = vary, .n_each = 1, .each = each};
 *     dal_study *study;
 *     dal_study_create(NULL, spec, &plan, messages, &study);
 *     dal_study_run(study, &(dal_study_options){.journal = journal, .jobs = 2}, messages, &outcome);
 *     dal_study_write(study, 1, &journal, "study.csv", messages);
 *     dal_study_free(study);
 *
 * The plan defines the values of the runs: run i has the same values, and the same results bit for bit, for any number of threads, processes and
 * interruptions. Each finished run is one record of the journal, a file that can be continued. Result files are written from a journal, in the order
 * of the plan. A run that fails is a row with its reason.
 */
#ifndef DALEMBERT_STUDY_H
#define DALEMBERT_STUDY_H

#include "dalembert/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_study dal_study;

/* The varied values, and the numbers that are kept of each run. Texts are those of `dalembert sweep`.
 *
 *   vary       "NAME=a,b,c"           these values
 *              "NAME=a:b:n"           n values from a to b; "a:b:nlog": with equal ratios between them
 *              "NAME=uniform(a,b)"    at random, between a and b
 *              "NAME=normal(m,s)"     at random, with mean m and standard deviation s
 *              NAME: as in dal_system_vary (a parameter, an input, a start value), or a setting of `simulate:` (formulation, coordinates,
 *              integrator, rtol, ...), which takes words or numbers, but not random ones. Numbers may be expressions in the model's parameters.
 *   each       "NAME=EXPRESSION": a number for each run. max(x), min(x), mean(x), rms(x), integral(x), first(x), final(x) of an expression x of
 *              channels; when(x > y): the first time at which x > y; settling(x, b): the time after which x stays within b of its final
 *              value. They may be parts of an expression; a channel outside of them has its final value. Values are those of the recorded rows
 *              (`every:`): when() interpolates between two rows, mean, rms and integral use the trapezoidal rule. NAN: there is no such value.
 *   channels   expressions whose values at every row are kept
 *   random     the number of samples of the random values. Each sample is combined with each combination of the other values
 *   sampling   "random" (NULL), "latin-hypercube" or "sobol" (Joe and Kuo's direction numbers; with a normal value the sequence begins with its
 *              second point, as the first one is at minus infinity)
 *   seed       of the random numbers: sample i of a seed is always the same; Sobol's points do not depend on it
 *   compiled   1: runs evaluate by generated code (doc/generate.md), which is made once for all runs that differ in values of parameters; -1: by the
 *              engine; 0: as `simulate: {compile: true}` of the model says. If code cannot be generated, dal_study_run warns, and the engine runs.
 *              The values of a run then include the number of evaluations by generated code
 */
typedef struct dal_study_plan {
    int n_vary, n_each, n_channels;
    const char *const *vary, *const *each, *const *channels;
    long random;
    const char *sampling;
    unsigned long long seed;
    int compiled;
} dal_study_plan;

/* A study file:
 *
 *     study: 1
 *     model: slider-crank.yaml           # beside the study
 *     vary:
 *       k: 10:1000:20log                 # as above
 *       l: [0.2, 0.3]
 *       m: normal(1, 0.1)
 *     random: 500
 *     sampling: sobol
 *     seed: 7
 *     each: {peak: max(abs(A.force))}
 *     channels: [A.angle]
 *     set: {damping: 0.3}                # other values for all runs, as `--set`
 *     simulate: {until: 5}               # other settings for all runs
 *     floating: true                     # the root of a URDF file is free
 *     compiled: true                     # as above
 *
 * Only `study` and `model` are needed. */
typedef struct dal_study_file {
    const char *model; /* its path, relative to the current folder, as the path of the file is */
    dal_study_plan plan;
    int n_overrides, n_settings;
    const dal_override *overrides, *settings;
    bool floating;
    void *memory;
} dal_study_file;
/* DAL_BAD_FILE: it cannot be read; DAL_BAD_MODEL with messages that have line and column: something in it is wrong. */
DAL_API dal_status dal_study_read(const dal_allocator *allocator, const char *path, dal_messages *messages, dal_study_file **file);
/* The same for a text; `path` is its name in messages, and `model` is relative to its folder. */
DAL_API dal_status dal_study_parse(const dal_allocator *allocator, const char *path, const char *text, size_t length, dal_messages *messages,
                                   dal_study_file **file);
DAL_API void dal_study_file_free(dal_study_file *file);
/* Does a text begin like a study rather than like a model? */
DAL_API bool dal_is_study(const char *path);

/* Checks the plan and compiles the model, once for each combination of settings. The spec may be freed afterwards. DAL_BAD_COMMAND with a message
 * about every text of the plan that cannot be used; DAL_BAD_MODEL: the model itself is refused with all settings. */
DAL_API dal_status dal_study_create(const dal_allocator *allocator, const dal_spec *spec, const dal_study_plan *plan, dal_messages *messages,
                                    dal_study **study);
/* Must not be called while it runs. NULL is accepted. */
DAL_API void dal_study_free(dal_study *study);

/* One of the varied values. */
typedef struct dal_study_variable {
    const char *name, *text; /* "k", and its values as in the plan: "10:1000:20log" */
    const char *unit;        /* "" where it is not known */
    bool setting;            /* of `simulate:` */
    bool random;
    int n;                    /* number of values, 0 for a random one */
    const double *values;     /* NULL: words or random */
    const char *const *words; /* of a setting that has words; NULL: numbers */
} dal_study_variable;

typedef struct dal_study_info {
    const char *model, *model_hash, *version;
    char hash[17];       /* of the plan, the model and the version: journals with another hash are refused */
    long runs, samples;  /* all runs; random samples, 1 without any */
    int factors, values; /* varied values; numbers that are kept of each run */
    int channels;        /* columns that are kept of each row, time first; 0: none */
    bool compiled;       /* runs use generated code where it is available */
} dal_study_info;
/* Of NULL: zeros and empty texts. */
DAL_API dal_study_info dal_study_describe(const dal_study *study);
/* NULL: there is no factor of that number. It lives as long as the study. */
DAL_API const dal_study_variable *dal_study_variable_at(const dal_study *study, int factor);
/* Names and units of the numbers that are kept of each run: the summaries of `each`, then evidence (time_end, steps, ...). `n` may be NULL. */
DAL_API const dal_column *dal_study_values(const dal_study *study, int *n);
/* Names and units of the channels. */
DAL_API const dal_column *dal_study_channels(const dal_study *study, int *n);
/* The varied values of a run: a number for each factor; of a setting with words the index of the word. False: there is no such run. */
DAL_API bool dal_study_point(const dal_study *study, long run, double *values);
/* The system of a run, which the caller frees: dal_run on it repeats this run of the study. DAL_BAD_COMMAND, or the status by which the run is
 * refused, with its messages. */
DAL_API dal_status dal_study_system(const dal_study *study, long run, dal_messages *messages, dal_system **system);

/* ---- running -------------------------------------------------------------------- */

typedef struct dal_study_progress {
    long done, failed, runs; /* of this shard; `done` counts those that failed and those of an earlier start */
    double seconds;          /* since this start */
    long here;               /* runs that were finished in it */
} dal_study_progress;

typedef struct dal_study_options {
    const char *journal;                   /* the file of the journal; it may not exist yet, unless `resume` is true */
    bool resume;                           /* continue it */
    int jobs;                              /* threads; 0: as many as the machine has cores */
    int shard, shards;                     /* only the runs i with i mod shards = shard - 1: shard from 1 to shards; 0, 0: all */
    const struct dal_transport *transport; /* other processes that make runs, for the program under MPI; NULL: none */
    const void *note;                      /* kept in a new journal, for dal_study_note; may be NULL */
    size_t note_size;
    /* Called about thirty times a second; may be NULL. Returns false to stop: runs under way are dropped, and `resume` makes them again. */
    bool (*progress)(void *user, const dal_study_progress *progress);
    void *progress_user;
} dal_study_options;

typedef struct dal_study_outcome {
    dal_study_progress progress;
    bool stopped; /* by `progress` */
} dal_study_outcome;

/* Make the runs that the journal does not have. The status is DAL_OK even if runs failed (outcome->progress.failed) or it was stopped. DAL_BAD_FILE:
 * the journal cannot be written, is that of another study, or another process is writing it. `outcome` may be NULL. */
DAL_API dal_status dal_study_run(const dal_study *study, const dal_study_options *options, dal_messages *messages, dal_study_outcome *outcome);

/* The `note` with which the journal was begun: free *note with free(); a zero follows its bytes. */
DAL_API dal_status dal_study_note(const char *journal, dal_messages *messages, char **note, size_t *size);

/* ---- results --------------------------------------------------------------------- */

/* One run, as the journal has it. */
typedef struct dal_study_row {
    long run;
    dal_status status;
    const double *values; /* as many as dal_study_values says; NAN where a run that failed has none */
    const char *reason;   /* why it failed, in a sentence; "" */
    const char *warnings; /* codes of its warnings, "joints-open, stiff"; "" */
    long n_rows;          /* of the channels */
    const double *rows;   /* n_rows times the channels */
    double wall_seconds;  /* in the journal only: it differs between repetitions */
} dal_study_row;

/* Reads a journal in the order of the plan. */
typedef struct dal_study_reader dal_study_reader;
/* Journals of shards are read together. DAL_BAD_FILE: a file is not a journal of this study. A truncated journal is read up to its last complete
 * run. */
DAL_API dal_status dal_study_open(const dal_study *study, int n, const char *const *journals, dal_messages *messages, dal_study_reader **reader);
/* The next run in the journals. False: there are no more, or it cannot be read (*status). The row is valid until the next call. */
DAL_API bool dal_study_next(dal_study_reader *reader, dal_study_row *row, dal_status *status);
/* Runs that the journals do not have. */
DAL_API long dal_study_missing(const dal_study_reader *reader);
DAL_API void dal_study_close(dal_study_reader *reader);

/* Write a file of results from journals; the type is the extension: .csv, .h5 or .html. The file gets its name when it is complete. The same runs
 * produce the same bytes.
 *
 *   .csv    a line for each run. Channels are a file beside it: study.csv has them in study.channels.csv, a line for each instant of each run
 *   .h5     the same numbers as datasets, with the channels
 *   .html   a page with a table and plots, in which some of the runs move: see dal_study_write_options */
DAL_API dal_status dal_study_write(const dal_study *study, int n, const char *const *journals, const char *path, dal_messages *messages);

/* How a page is written. Runs can be repeated exactly: the moving ones are run again while the page is written. */
typedef struct dal_study_write_options {
    int motions;               /* maximum number of runs that move in it, up to 1000; 0: 40; -1: none */
    long rows;                 /* maximum number of runs whose values it has; 0: a million. Of more runs it has a sample */
    int jobs;                  /* threads; 0: as many as the machine has cores */
    const char *command;       /* command line of a single run, "dalembert run m.yaml": the page adds the varied values. NULL: none is shown */
    bool (*go_on)(void *user); /* called often, by several threads; may be NULL. Returns false to stop: DAL_BAD_FILE, and there is no page */
    void *user;
} dal_study_write_options;
/* The same; options may be NULL. */
DAL_API dal_status dal_study_write_with(const dal_study *study, int n, const char *const *journals, const char *path,
                                        const dal_study_write_options *options, dal_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
