/* The files of a run that can be gone on with after it was stopped or killed: what `dalembert run -o FILE [--resume]` does.
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
 * Rows go into NAME.part (run.h). Beside the first of them, about once a second, NAME.part.state becomes what the run can be gone on from: the
 * simulation, and the number of rows that the files had. The finished files are those of a run that was never stopped: byte for byte (CSV) and value
 * for value (HDF5) with rk4, rk6, ab6 and dopri5. doc/decisions/resuming.md
 *
 * HDF5 files are written by a child process (fork), as its library does not survive that memory runs out. The child begins while no other thread uses
 * this library's HDF5; where one does for more than ten seconds, or the child does not answer, the file is refused with a sentence.
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
    bool resume; /* continue what a run left in these files: the same model and options */
    bool shown;  /* of a new run: its system was made after dal_spec_show, for a page; resumed runs tell (dal_run_files_shown) */
} dal_run_files_options;

/* Up to eight files, .csv or .h5; "-" is CSV on standard output, which cannot be resumed. With `resume`, what was saved is read and checked as a whole;
 * nothing changes yet. Options may be NULL. Everything that is to be said goes into the messages, which have to live as long. DAL_BAD_COMMAND: an
 * extension is not known; DAL_BAD_FILE: there is nothing to resume, or it is damaged, of another version or of other files. */
DAL_API dal_status dal_run_files_create(int n, const char *const *paths, const dal_run_files_options *options, dal_messages *messages,
                                        dal_run_files **files);
/* Has the system of this run to be made after dal_spec_show? */
DAL_API bool dal_run_files_shown(const dal_run_files *files);
/* Opens the parts, or takes those that were left. `spec`: none of the files that the model reads may be written; may be NULL. */
DAL_API dal_status dal_run_files_open(dal_run_files *files, const dal_spec *spec);
/* Sets sink, checkpoint and resume of these options; a sink that they have gets every row as well, of a resumed run those behind the saved ones. What
 * is resumed does not begin at `start`, which becomes NULL. */
DAL_API dal_status dal_run_files_join(dal_run_files *files, dal_run_options *options);
/* How a run ended. */
typedef struct dal_run_files_end {
    bool keep;    /* the files take their names whatever the status is, marked as incomplete */
    bool stopped; /* the caller stopped it (dal_run_options.progress) */
} dal_run_files_end;
/* The end of the run, which had this status. After DAL_OK the files take their names. Otherwise the rows stay in NAME.part, and what was saved stays,
 * unless the motion itself cannot continue (DAL_NUMERICAL, and it was not stopped). `evidence` may be NULL: the run did not begin. */
DAL_API dal_status dal_run_files_close(dal_run_files *files, dal_status status, dal_run_files_end how, const dal_evidence *evidence);
/* After the end: the time of the motion, s, from which `resume` continues. NAN: there is nothing to resume. */
DAL_API double dal_run_files_saved(const dal_run_files *files);
/* NULL is accepted. What was not closed is closed as after a failure. */
DAL_API void dal_run_files_free(dal_run_files *files);

#ifdef __cplusplus
}
#endif

#endif
