/* The files of a run that can be continued after it was stopped or killed. `dalembert run -o FILE [--resume]` uses this.
 *
 *     const char *path = "result.csv";
 *     dal_run_files *files;
 *     dal_run_options options = {0};
 *     dal_run_files_create(1, &path, &(dal_run_files_options){.resume = again}, messages, &files);
 *     dal_run_files_open(files, spec);
 *     dal_run_files_join(files, &options);
 *     status = dal_run(system, &options, messages, &evidence);
 *     dal_run_files_close(files, status, (dal_run_files_end){0}, &evidence);
 *     dal_run_files_free(files);
 *
 * Rows are written into NAME.part (run.h). About once a second NAME.part.state, beside the first of these files, is replaced: it contains the saved
 * simulation and the number of rows in the files at that time, from which the run can be continued. The finished files are equal to those of a run
 * that was never stopped: byte for byte (CSV) and value for value (HDF5) with rk4, rk6, ab6 and dopri5. See doc/decisions/resuming.md.
 *
 * A child process (fork) writes HDF5 files, because the HDF5 library crashes when memory runs out. The child is started while no other thread of
 * this library uses HDF5; if one does for more than ten seconds, or if the child does not answer, the file is refused with a message.
 */
#ifndef DALEMBERT_RUN_FILES_H
#define DALEMBERT_RUN_FILES_H

#include "dalembert/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_run_files dal_run_files;

typedef struct dal_run_files_options {
    bool units;  /* a second line of names in CSV */
    bool resume; /* continue the stopped run of these files, with the same model and options */
    bool shown;  /* of a new run: its system was made after dal_spec_show, for a page; for a resumed run see dal_run_files_shown */
} dal_run_files_options;

/* Up to eight files, .csv or .h5; "-" is CSV on standard output, which cannot be resumed. With `resume`, the saved data are read and checked
 * completely; no file changes yet. Options may be NULL. All messages go into `messages`, which must live as long as the files. DAL_BAD_COMMAND: an
 * extension is not known; DAL_BAD_FILE: there is nothing to resume, or the saved data are damaged, of another version or of other files. */
DAL_API dal_status dal_run_files_create(int n, const char *const *paths, const dal_run_files_options *options, dal_messages *messages,
                                        dal_run_files **files);
/* Must the system of this run be made after dal_spec_show? */
DAL_API bool dal_run_files_shown(const dal_run_files *files);
/* Opens the parts: new ones, or those of the run to be resumed. `spec` may be NULL; with it, a file that the model reads is refused as an output. */
DAL_API dal_status dal_run_files_open(dal_run_files *files, const dal_spec *spec);
/* Sets sink, checkpoint and resume of these options; a sink that is already set gets every row as well, in a resumed run only those after the saved
 * rows. A resumed run does not begin at `start`, which becomes NULL. */
DAL_API dal_status dal_run_files_join(dal_run_files *files, dal_run_options *options);
/* How a run ended. */
typedef struct dal_run_files_end {
    bool keep;    /* the files get their names for any status, marked as incomplete */
    bool stopped; /* the caller stopped it (dal_run_options.progress) */
} dal_run_files_end;
/* Ends the files of a run with this status. After DAL_OK the files get their names. Otherwise the rows stay in NAME.part, and the saved data stay,
 * unless the motion itself cannot continue (DAL_NUMERICAL, and it was not stopped). `evidence` may be NULL: the run did not begin. */
DAL_API dal_status dal_run_files_close(dal_run_files *files, dal_status status, dal_run_files_end how, const dal_evidence *evidence);
/* After the end: the time of the motion, s, from which `resume` continues. NAN: there is nothing to resume. */
DAL_API double dal_run_files_saved(const dal_run_files *files);
/* NULL is accepted. Files that are still open are closed as after a failure. */
DAL_API void dal_run_files_free(dal_run_files *files);

#ifdef __cplusplus
}
#endif

#endif
