/* A run: integrate a system over its time, pass the recorded channels to a sink, and end with the evidence.
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

/* The receiver of rows. Each call returns DAL_OK, or another status, which stops the run (with a message of the sink's own). */
typedef struct dal_sink {
    void *user;
    dal_status (*begin)(void *user, const dal_system_info *info, int n, const dal_column *columns);
    dal_status (*row)(void *user, int n, const double *values);
} dal_sink;

/* The columns of a system, time first: `recorded` of them are recorded; those of dal_spec_show (page.h) follow, `all` columns in total. Both numbers
 * may be NULL. */
DAL_API const dal_column *dal_system_columns(const dal_system *system, int *recorded, int *all);

/* The result of every run, as numbers; NAN: the quantity does not exist. */
typedef struct dal_evidence {
    dal_system_info info;
    long steps, rejected, evaluations, events, restarts, charts;
    long matrices, products; /* of Newton's method (cvode-bdf, ida): matrices that were formed; products with one that was not */
    const char *slopes;      /* what these are made of: "exact derivatives"; "": the integrator has no such */
    long late_events;        /* that act at the end of a step, because dal_step_fixed bounds its work */
    long restored;           /* how often the motion was continued from a saved state (dal_simulation_restore, dal_run_options.resume) */
    long fixed_steps;        /* calls of dal_step_fixed, and the wall time that they took: the median to 3 %, the longest; NAN: none */
    double fixed_median, fixed_longest;
    long rows_recorded;
    double time_start, time_end; /* where it began, how far it came */
    double wall_seconds;
    double position_residual, velocity_residual; /* largest over every step and recorded row */
    double projection_tolerance; /* of the positions after each projection, over the model's length; NAN: the stabilization has none */
    double energy_start, energy_end;
    double energy_drift, energy_drift_absolute; /* relative (NAN if nothing moves), absolute */
    double momentum_drift;                      /* relative to sum m |v|; NAN if no momentum is conserved */
    const char *momentum;                       /* which: "linear x, y; angular" or "" */
    double ignorable_drift;    /* of the momenta of the ignorable coordinates, each relative to the sum of its bodies' shares; NAN: none */
    double speeds_condition;   /* worst condition of [Y; A] that was seen; NAN: the formulation has no speeds */
    long speeds_changed;       /* how often another set of speeds was chosen */
    double partition_steepest; /* coordinate-partitioning: the farthest that a dependent coordinate moves with an independent one; NAN: none */
    long partition_changed;    /* how often other independent coordinates were chosen */
    int rank_least, rank_most; /* seen along the motion */
    long rerankings;           /* changes of the independent rows */
    double acceleration_error; /* largest error of the accelerations by rounding, relative; NaN where inertias are alike */
    double condition_worst;    /* smallest reciprocal condition of the factored matrix that was seen */
    double stiffness;          /* estimate of |lambda| h of the explicit method, NAN if not estimated */
    char loose[256];           /* reactions that are not unique at the start, "A (force z), B (torque x, y)"; "" where all are */
    bool compliant;            /* they were distributed by the compliances of the joints */
    double gravity[3];
    int n_warnings;
    /* Those of the model, then those of the run. They live as long as the system and the `messages` of dal_run; if these are NULL, there are only
     * those of the model. */
    const dal_message *const *warnings;
    /* If a compiled run was requested: the number of evaluations by generated code, and of those by the engine instead (near singular positions,
     * where a pivot becomes small, where angles turn far in a step); the number of states where both were compared, and the largest difference of
     * the rates there, over the largest rate (NAN: none); the reason why the engine makes the whole run, "": it does not. */
    bool compiled;
    long compiled_evaluations, compiled_fallbacks, compiled_checks;
    double compiled_difference;
    char compiled_why[256];
    bool incomplete; /* the run was stopped or failed: everything here describes the part before that */
} dal_evidence;

typedef struct dal_simulation dal_simulation; /* simulation.h */

typedef struct dal_run_options {
    const dal_sink *sink; /* may be NULL */
    /* Called about twenty times a second; may be NULL. Returns false to stop the run. */
    bool (*progress)(void *user, double t, double until, long steps, double wall_seconds);
    void *progress_user;
    const dal_allocator *allocator;
    dal_state *final; /* may be NULL; a state of the same system that becomes the last state of the run. It does not affect the run */
    /* Called at each recorded row, after the sink; may be NULL. The state is evaluated there: dal_state_y, dal_state_body, dal_state_reaction,
     * similar functions and the calls of tree.h may be used on it. It belongs to the run, as `final` does during the run: dal_state_set_input,
     * dal_state_set_time, dal_state_reset, dal_state_assign, dal_evaluate and dal_instant_random refuse it; changes of y have no effect, and a
     * warning at the end of the run says so. `values` are the recorded columns, followed by those of dal_spec_show. Returns as a sink does. */
    dal_status (*frame)(void *user, dal_state *state, int n, const double *values);
    void *frame_user;
    /* The run begins at the time, y and inputs of this state of the same system, which has to satisfy the constraints. NULL: the start values of the
     * system. */
    const dal_state *start;
    /* A controller: called at the beginning and then every `period` seconds, exactly, with the simulation at that time. It may read
     * (dal_simulation_value, dal_simulation_state) and set inputs, which hold until they are set again; it may not step, restore or free. Any status but
     * DAL_OK ends the run with it. NULL: none. */
    dal_status (*control)(void *user, dal_simulation *simulation);
    void *control_user;
    double period;
    /* Called at every event, after it was located: an expression switches (`what` is its text), or the friction of a joint (`what` is its name)
     * begins or stops sticking. NULL: none. */
    void (*event)(void *user, double t, const char *what);
    void *event_user;
    /* The bytes of dal_simulation_save: the run continues from there, and its rows are those after that time. NULL: none. */
    const void *resume;
    size_t resume_size;
    const char *resume_name; /* of the file that it comes from, for messages; may be NULL */
    /* Called between steps about every `checkpoint_every` seconds of wall time (0: 1), the first time after that interval; the interval grows if the
     * calls would take more than a fiftieth of the time. Also called when `progress` stops the run; and at the end of the run if there was an
     * earlier call or the run was resumed. dal_simulation_save, called here, saves the data for `resume`; the sink already has the rows up to this
     * time. It may read dal_simulation_time, and nothing else of the simulation. Any status but DAL_OK ends the run with it. NULL: none. */
    dal_status (*checkpoint)(void *user, const dal_simulation *simulation);
    void *checkpoint_user;
    double checkpoint_every;
    /* 1: the right side is evaluated by code that is generated for the model, compiled by the machine's cc and compared with the engine. -1: by the
     * engine. 0: as `simulate: {compile: true}` of the model says. If there is no compiler, or code for the model cannot be generated, a note has
     * the reason, and the engine runs. See doc/generate.md. */
    int compiled;
    const struct dal_shared_code *code; /* of a study, whose runs share it; NULL: none */
} dal_run_options;

/* A run has states of its own: it begins at the start values of the system, with the values of `inputs:`, or at options->start, or continues from
 * options->resume (not both). options may be NULL. On failure the evidence describes the good part of the run, and a message says what failed, when
 * and where. DAL_BAD_COMMAND, with evidence that is all 0: an argument cannot be used, as a sink without functions or a `final` of another
 * system. */
DAL_API dal_status dal_run(const dal_system *system, const dal_run_options *options, dal_messages *messages, dal_evidence *evidence);

/* The evidence as one JSON object (no newline inside strings), as snprintf does: returns the length needed; if the buffer is NULL, only the length
 * is computed; -1: the evidence is NULL. */
DAL_API int dal_evidence_json(const dal_evidence *evidence, dal_status status, char *buffer, size_t size);
/* As text for people, several lines. */
DAL_API int dal_evidence_text(const dal_evidence *evidence, dal_status status, char *buffer, size_t size);

/* ---- files ------------------------------------------------------------- */

/* A sink that writes a file; its type is the extension (.csv, .h5), "-" is CSV on standard output. It is written as NAME.part in the same folder and
 * renamed only when it is closed, so that an incomplete file never has the name of the target unless the caller wants it. Rows are on the disk after
 * about a second: if the process is killed, dal_results_open (results.h) reads NAME.part up to the last whole row. The messages must live as long as
 * the writer. Every row has one value per column of `begin`. A writer is for one run: a second `begin` returns DAL_BAD_COMMAND. */
typedef struct dal_writer dal_writer;
DAL_API dal_status dal_writer_open(const dal_allocator *allocator, const char *path, bool units, dal_messages *messages, dal_writer **writer);
/* Continues NAME.part of a run that was stopped or killed, for dal_run_options.resume; not for "-". When the run begins, the first `rows` rows are
 * kept, the last of which has the time `last`, and the rows after them are removed; until then the file is not changed. DAL_BAD_FILE: there is no
 * such file, another process is writing it, it has other columns, or it does not have these rows. The rows of an HDF5 file are read (see the warning
 * at dal_results_open) and written again. */
DAL_API dal_status dal_writer_resume(const dal_allocator *allocator, const char *path, bool units, long rows, double last, dal_messages *messages,
                                     dal_writer **writer);
DAL_API const dal_sink *dal_writer_sink(dal_writer *writer);
/* Writes every row so far into NAME.part, so that it survives if this process is killed; with `to_disk`, also if the machine stops. DAL_BAD_COMMAND:
 * the writer has not begun. */
DAL_API dal_status dal_writer_flush(dal_writer *writer, bool to_disk);
/* Frees the writer. The evidence is written into files of a type that has a place for it; it may be NULL.
 *
 *   keep true    the file gets its name. If evidence->incomplete is set, it is marked: the last line of a CSV file is the comment
 *                `# incomplete: ...`, the attribute `complete` of an HDF5 file is 0.
 *   keep false   the rows so far stay in NAME.part, marked in the same way, and a warning says so. Without any row no file stays.
 *
 * If writing fails, the rows that could be written stay in NAME.part, and the status is DAL_BAD_FILE. */
DAL_API dal_status dal_writer_close(dal_writer *writer, bool keep, const dal_evidence *evidence);
/* Frees the writer and removes its file, unless it is a part that was resumed. */
DAL_API void dal_writer_discard(dal_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
