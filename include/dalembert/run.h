/* A run: integrate a system over its time, hand the recorded channels to a sink
 * and end with the evidence.
 */
#ifndef DALEMBERT_RUN_H
#define DALEMBERT_RUN_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A recorded column. */
typedef struct dal_column {
    const char *name; /* "time", "slider.x", or the text of an expression */
    const char *unit; /* "s", "m", "rad/s", "" if none is known */
} dal_column;

/* Where rows go. Each call returns DAL_OK or stops the run with its status (and a message of its own). */
typedef struct dal_sink {
    void *user;
    dal_status (*begin)(void *user, const dal_system_info *info, int n, const dal_column *columns);
    dal_status (*row)(void *user, int n, const double *values);
} dal_sink;

/* The columns of a system, time first: those that are recorded, and behind them those of dal_spec_show (page.h), up to `all`. Both numbers may be
 * NULL. */
DAL_API const dal_column *dal_system_columns(const dal_system *system, int *recorded, int *all);

/* What every run ends with. Numbers, not adjectives; NAN where a quantity does not exist. */
typedef struct dal_evidence {
    dal_system_info info;
    long steps, rejected, evaluations, events, restarts, charts;
    long matrices, products; /* of Newton's method (cvode-bdf, ida): matrices that were formed; products with one that was not */
    const char *slopes;      /* what these are made of: "exact derivatives", or "differences: ..." with the reason; "": the integrator has no such */
    long late_events;        /* that act at the end of a step, because dal_step_fixed bounds its work */
    long restored;           /* how often the motion was continued from a saved state (dal_simulation_restore, dal_run_options.resume) */
    long fixed_steps;        /* calls of dal_step_fixed, and the wall time that they took: the median to 3 %, the longest; NAN: none */
    double fixed_median, fixed_longest;
    long rows_recorded;
    double time_start, time_end; /* where it began, how far it came */
    double wall_seconds;
    double position_residual, velocity_residual; /* largest over every step and recorded row */
    double projection_tolerance; /* that positions were put back to after each step, over the model's length; NAN: the stabilization has none */
    double energy_start, energy_end;
    double energy_drift, energy_drift_absolute; /* relative (NAN if nothing moves), absolute */
    double momentum_drift;                      /* relative to sum m |v|; NAN if no momentum is conserved */
    const char *momentum;                       /* which: "linear x, y; angular" or "" */
    double ignorable_drift;    /* of the momenta of the ignorable coordinates, each relative to the sum of its bodies' shares; NAN: none */
    double speeds_condition;   /* worst condition of [Y; A] that was seen; NAN: the formulation has no speeds */
    long speeds_changed;       /* how often another set of speeds was taken */
    double partition_steepest; /* coordinate-partitioning: the farthest that a dependent coordinate moves with an independent one; NAN: none */
    long partition_changed;    /* how often other independent coordinates were taken */
    int rank_least, rank_most; /* seen along the motion */
    long rerankings;           /* changes of the independent rows */
    double acceleration_error; /* largest error of the accelerations by rounding, relative; NaN where inertias are alike */
    double condition_worst;    /* smallest reciprocal condition of the factored matrix that was seen */
    double stiffness;          /* estimate of |lambda| h of the explicit method, NAN if not estimated */
    char loose[256];           /* reactions that are not unique at the start, "A (force z), B (torque x, y)"; "" where all are */
    bool compliant;            /* they were distributed by the compliances of the joints */
    double gravity[3];
    int n_warnings;
    /* Those of the model, then those of the run. They live as long as the system and the messages that dal_run was given; without such
     * messages they are those of the model alone. */
    const dal_message *const *warnings;
    /* Of a run that was asked to be compiled: how many evaluations generated code made, and how many it left to the engine (near singular positions,
     * where a pivot falls, where angles turn far in a step); at how many states both were compared, and the largest difference of the rates there,
     * over the largest rate (NAN: none); why the engine runs instead, "": it does not. */
    bool compiled;
    long compiled_evaluations, compiled_fallbacks, compiled_checks;
    double compiled_difference;
    char compiled_why[256];
    bool incomplete; /* the run was stopped or failed: everything here is of the part that it came to */
} dal_evidence;

typedef struct dal_simulation dal_simulation; /* simulation.h */

typedef struct dal_run_options {
    const dal_sink *sink; /* may be NULL */
    /* Called about twenty times a second; may be NULL. Returns false to stop the run. */
    bool (*progress)(void *user, double t, double until, long steps, double wall_seconds);
    void *progress_user;
    const dal_allocator *allocator;
    dal_state *final; /* may be NULL; a state of the same system that becomes what the run ended with. Nothing of it goes into the run */
    /* Called at each recorded row, after the sink; may be NULL. The state is evaluated there: dal_state_y, dal_state_body, dal_state_reaction and
     * their like may be asked, and the calls of tree.h. It belongs to the run, as `final` does meanwhile: dal_state_set_input, dal_state_set_time,
     * dal_state_reset, dal_state_assign, dal_evaluate and dal_instant_random refuse it, what is written into y is not taken over, and a warning at
     * the end of the run says so. `values` are the recorded columns and, behind them, those of dal_spec_show. Returns as a sink does. */
    dal_status (*frame)(void *user, dal_state *state, int n, const double *values);
    void *frame_user;
    /* Where it begins: time, y and inputs of a state of the same system, which has to satisfy the constraints. NULL: the start values of the system. */
    const dal_state *start;
    /* A controller: called at the beginning and then every `period` seconds, exactly, with the simulation at that time. It may read
     * (dal_simulation_value, dal_simulation_state) and set inputs, which hold until they are set again; it may not step, restore or free. Any status but
     * DAL_OK ends the run with it. NULL: none. */
    dal_status (*control)(void *user, dal_simulation *simulation);
    void *control_user;
    double period;
    /* Called at every event, after it was located: a switch of an expression (its text), or the friction of a joint (its name) that begins or ends to
     * stick. NULL: none. */
    void (*event)(void *user, double t, const char *what);
    void *event_user;
    /* What dal_simulation_save wrote: the run continues from there, and its rows are those behind that time. NULL: none. */
    const void *resume;
    size_t resume_size;
    const char *resume_name; /* of the file that it comes from, for messages; may be NULL */
    /* Called between steps about every `checkpoint_every` seconds of wall time (0: 1), for the first time after so many, and so rarely that it takes no
     * more than a fiftieth of the time; once where `progress` stops the run; and at the end of one that it was called in, or that was resumed. There dal_simulation_save has what `resume` continues from; the rows up
     * to it have gone to the sink. It may read dal_simulation_time, and nothing else of the simulation. Any status but DAL_OK ends the run with it.
     * NULL: none. */
    dal_status (*checkpoint)(void *user, const dal_simulation *simulation);
    void *checkpoint_user;
    double checkpoint_every;
    /* The right side by code that is generated for the model, compiled by the machine's cc and compared with the engine: 1. By the engine: -1. As
     * `simulate: {compile: true}` of the model says: 0. Where there is no compiler, or the model cannot be written so, a note names why, and the engine
     * runs. doc/generate.md. */
    int compiled;
    const struct dal_shared_code *code; /* of a study, whose runs share it; NULL: none */
} dal_run_options;

/* A run has states of its own: it begins at the start values of the system, with the values that `inputs:` gives, or at options->start, or continues from
 * options->resume (one of the two). options may be NULL.
 * On failure the evidence describes the part of the run that was good, and a message says what, when and where. DAL_BAD_COMMAND with all of it 0:
 * an argument cannot be used; a sink without functions, a `final` of another system. */
DAL_API dal_status dal_run(const dal_system *system, const dal_run_options *options, dal_messages *messages, dal_evidence *evidence);

/* The evidence as one JSON object (no newline inside strings), as snprintf does: returns the length needed; a buffer that is NULL is only measured for;
 * -1 where the evidence is NULL. */
DAL_API int dal_evidence_json(const dal_evidence *evidence, dal_status status, char *buffer, size_t size);
/* As text for people, several lines. */
DAL_API int dal_evidence_text(const dal_evidence *evidence, dal_status status, char *buffer, size_t size);

/* ---- files ------------------------------------------------------------- */

/* A sink that writes a file; its type is the extension (.csv, .h5), "-" is CSV on standard output. It is written beside the target as
 * NAME.part and takes its name only when it is closed, so that half a file never appears under that name unless it is wanted. Rows are
 * on the disk after about a second: of a process that is killed, dal_results_open (results.h) reads NAME.part up to the last whole row.
 * The messages have to live as long as the writer. Rows have as many values as columns were begun with. A writer is for one run: to begin
 * a second time is DAL_BAD_COMMAND. */
typedef struct dal_writer dal_writer;
DAL_API dal_status dal_writer_open(const dal_allocator *allocator, const char *path, bool units, dal_messages *messages, dal_writer **writer);
/* The same in NAME.part, which a run left that was stopped or killed: when it begins, the first `rows` rows of it stay, the last of which has the time
 * `last`, and those behind them go; until then it is left alone. DAL_BAD_FILE: there is no part, another process is writing it, it has other columns
 * or not these rows. For dal_run_options.resume; not for "-". Of an HDF5 file the rows are read (dal_results_open says what that means) and written
 * again. */
DAL_API dal_status dal_writer_resume(const dal_allocator *allocator, const char *path, bool units, long rows, double last, dal_messages *messages,
                                     dal_writer **writer);
DAL_API const dal_sink *dal_writer_sink(dal_writer *writer);
/* Every row so far is in NAME.part, also if this process is killed; `to_disk`: and if the machine stops. DAL_BAD_COMMAND before it has begun. */
DAL_API dal_status dal_writer_flush(dal_writer *writer, bool to_disk);
/* Frees the writer. The evidence goes into the file where its type has a place for it; may be NULL.
 *
 *   keep true    the file takes its name. If evidence->incomplete is set, it is marked: the last line of a CSV file is the comment
 *                `# incomplete: ...`, the attribute `complete` of an HDF5 file is 0.
 *   keep false   the rows so far stay in NAME.part, marked in the same way, and a warning says so. Without any row nothing is left.
 *
 * Where writing fails, what could be written stays in NAME.part, and the status is DAL_BAD_FILE. */
DAL_API dal_status dal_writer_close(dal_writer *writer, bool keep, const dal_evidence *evidence);
/* Frees the writer, and leaves nothing except the part that was resumed. */
DAL_API void dal_writer_discard(dal_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
