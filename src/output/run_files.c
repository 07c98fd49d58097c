/* Every row is written to each file, and about once a second a checkpoint is saved beside the first of them. */
#include "output/run_files.h"

#include "base/argument.h"
#include "output/file.h"
#include "output/remote_file.h"
#include "output/same_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = DAL_CHECKPOINT_FILES };
typedef enum phase { CREATED, OPEN, CLOSED } phase;

struct dal_run_files {
    int n, opened;
    char *path[MOST_FILES];
    dal_writer *writer[MOST_FILES];      /* NULL once it is closed */
    dal_remote_file *remote[MOST_FILES]; /* instead of a writer */
    bool kept[MOST_FILES];
    phase phase;
    bool units, resumes, saves; /* continues from a checkpoint; writes checkpoints */
    dal_checkpoint checkpoint;  /* with the number of rows of each file */
    dal_sink sink;
    const dal_sink *other; /* the caller's sink, which also receives the rows; NULL: none */
    dal_messages *messages;
};

static const char *const *paths_of(const dal_run_files *files)
{
    return (const char *const *)files->path;
}

/* ---- rows ------------------------------------------------------------------------------ */

/* NULL: the file is complete already. */
static const dal_sink *sink_of(const dal_run_files *files, int i)
{
    return files->remote[i] ? dal_remote_sink(files->remote[i]) : dal_writer_sink(files->writer[i]);
}

static dal_status begin_files(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    const dal_run_files *files = user;
    dal_status status = files->other ? files->other->begin(files->other->user, info, n, columns) : DAL_OK;
    for (int i = 0; i < files->n && status == DAL_OK; i++) {
        const dal_sink *sink = sink_of(files, i);
        status = sink ? sink->begin(sink->user, info, n, columns) : DAL_OK;
    }
    if (status == DAL_OK && !files->resumes) /* the files are ours: data of their old parts are useless */
        dal_checkpoint_forget(files->n, paths_of(files));
    return status;
}

static dal_status add_row(void *user, int n, const double *values)
{
    dal_run_files *files = user;
    dal_status status = files->other ? files->other->row(files->other->user, n, values) : DAL_OK;
    for (int i = 0; i < files->n && status == DAL_OK; i++) {
        const dal_sink *sink = sink_of(files, i);
        status = sink ? sink->row(sink->user, n, values) : DAL_OK;
    }
    files->checkpoint.rows++;
    files->checkpoint.last = values[0];
    return status;
}

static dal_status flush_file(const dal_run_files *files, int i, bool to_disk)
{
    if (files->remote[i])
        return dal_remote_flush(files->remote[i], to_disk);
    return files->writer[i] ? dal_writer_flush(files->writer[i], to_disk) : DAL_OK;
}

static bool ends_at_once(const dal_run_files *files)
{
    const dal_run_files_watch *watch = files->checkpoint.watch;
    return watch && watch->ends_at_once && watch->ends_at_once();
}

/* First the rows, then the checkpoint that refers to them. At the end, and on request, without waiting for the disk. */
static dal_status save_run(void *user, const dal_simulation *simulation)
{
    dal_run_files *files = user;
    const dal_system_info info = dal_system_describe(dal_simulation_system(simulation));
    dal_status status = DAL_OK;
    files->checkpoint.done = dal_simulation_time(simulation) >= info.until;
    const bool to_disk = !ends_at_once(files) && !files->checkpoint.done;
    for (int i = 0; i < files->n && status == DAL_OK; i++)
        status = flush_file(files, i, to_disk);
    if (status == DAL_OK)
        dal_checkpoint_write(&files->checkpoint, simulation, to_disk, files->messages);
    return status;
}

/* ---- open ------------------------------------------------------------------------------- */

/* Opens a new file, or resumes from the checkpoint. */
static dal_status open_file(dal_run_files *files, int i)
{
    const long rows = files->resumes ? files->checkpoint.rows : 0;
    const double last = files->checkpoint.last;
    const char *path = files->path[i];
    const dal_run_files_watch *watch = files->checkpoint.watch;
    if (watch && watch->rows)
        watch->rows(path);
    if (rows && dal_checkpoint_finished(&files->checkpoint, path))
        return DAL_OK;
    if (dal_is_remote_file(path))
        return dal_remote_open(path, rows, last, watch, files->messages, &files->remote[i]);
    return rows ? dal_writer_resume(NULL, path, files->units, rows, last, files->messages, &files->writer[i])
                : dal_writer_open(NULL, path, files->units, files->messages, &files->writer[i]);
}

static dal_status check_use(const dal_run_files *files, dal_messages *messages)
{
    for (int i = 0; i < files->n; i++) {
        if (!dal_file_type_known(files->path[i], messages))
            return DAL_BAD_COMMAND;
        if (files->resumes && !strcmp(files->path[i], "-")) {
            dal_error(messages, dal_nowhere, "rows on standard output cannot be taken back: what is resumed is a file");
            return DAL_BAD_COMMAND;
        }
    }
    return DAL_OK;
}

static dal_status open_writers(dal_run_files *files, int n, const char *const *paths)
{
    for (; files->n < n; files->n++)
        if (!(files->path[files->n] = strdup(paths[files->n])))
            return DAL_NO_MEMORY;
    const dal_status status = check_use(files, files->messages);
    return status == DAL_OK && files->resumes ? dal_checkpoint_read(&files->checkpoint, n, paths, files->messages) : status;
}

dal_status dal_run_files_watched(int n, const char *const *paths, const dal_run_files_options *options, const dal_run_files_watch *watch,
                                 dal_messages *messages, dal_run_files **result)
{
    static const dal_run_files_options usual;
    const dal_run_files_options *how = options ? options : &usual;
    dal_run_files *files = calloc(1, sizeof *files);
    if (!files)
        return DAL_NO_MEMORY;
    *files = (dal_run_files){
        .units = how->units, .resumes = how->resume, .messages = messages, .checkpoint = {.shown = how->shown, .time = NAN, .watch = watch}};
    const dal_status status = open_writers(files, n, paths);
    if (status == DAL_OK)
        *result = files;
    else
        dal_run_files_free(files);
    return status;
}

dal_status dal_run_files_create(int n, const char *const *paths, const dal_run_files_options *options, dal_messages *messages, dal_run_files **files)
{
    if (files)
        *files = NULL;
    if (!DAL_NEEDS(messages, files) || !DAL_NEEDS(messages, paths))
        return DAL_BAD_COMMAND;
    if (n < 1 || n > MOST_FILES) {
        dal_error(messages, dal_nowhere, "%s: a run writes one to %d files, not %d", __func__, MOST_FILES, n);
        return DAL_BAD_COMMAND;
    }
    for (int i = 0; i < n; i++)
        if (!dal_needs(messages, __func__, "paths[i]", paths[i]))
            return DAL_BAD_COMMAND;
    return dal_run_files_watched(n, paths, options, NULL, messages, files);
}

bool dal_run_files_shown(const dal_run_files *files)
{
    return files && files->checkpoint.shown;
}

static dal_status refuse_phase(const dal_run_files *files, const char *function)
{
    dal_error(files->messages, dal_nowhere, "%s: these files were %s already: they are for one run", function,
              files->phase == CLOSED ? "closed" : "opened");
    return DAL_BAD_COMMAND;
}

dal_status dal_run_files_open(dal_run_files *files, const dal_spec *spec)
{
    if (!files)
        return DAL_BAD_COMMAND;
    if (files->phase != CREATED)
        return refuse_phase(files, __func__);
    files->phase = OPEN;
    dal_status status =
        spec ? dal_outputs_check(files->n, paths_of(files), spec->n_files, (const char *const *)spec->files, files->messages) : DAL_OK;
    for (; files->opened < files->n && status == DAL_OK; files->opened += status == DAL_OK)
        status = open_file(files, files->opened);
    if (status == DAL_OK)
        files->saves = files->resumes || dal_checkpoint_begin(&files->checkpoint, files->n, paths_of(files));
    return status;
}

dal_status dal_run_files_join(dal_run_files *files, dal_run_options *options)
{
    if (!files || !DAL_NEEDS(files->messages, options))
        return DAL_BAD_COMMAND;
    if (files->phase != OPEN || files->opened != files->n || files->sink.begin) {
        dal_error(files->messages, dal_nowhere, "%s: these files are not open, or have a run already", __func__);
        return DAL_BAD_COMMAND;
    }
    files->other = options->sink;
    files->sink = (dal_sink){files, begin_files, add_row};
    options->sink = &files->sink;
    if (files->saves) {
        options->checkpoint = save_run;
        options->checkpoint_user = files;
        options->checkpoint_every = dal_checkpoint_every();
    }
    if (files->resumes) {
        options->start = NULL;
        options->resume = files->checkpoint.blob;
        options->resume_size = files->checkpoint.blob_size;
        options->resume_name = files->checkpoint.path;
    }
    return DAL_OK;
}

/* ---- close -------------------------------------------------------------------------------- */

/* keep false: the records stay in NAME.part. */
static dal_status close_each(dal_run_files *files, bool keep, const dal_evidence *evidence)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < files->opened; i++) {
        const bool whole = !sink_of(files, i);
        const dal_status one =
            files->remote[i] ? dal_remote_close(files->remote[i], keep, evidence) : dal_writer_close(files->writer[i], keep, evidence);
        files->writer[i] = NULL;
        files->remote[i] = NULL;
        files->kept[i] = whole || (keep && one == DAL_OK);
        status = status == DAL_OK ? one : status;
    }
    return status;
}

/* If a motion cannot continue it would fail again; a run that was stopped, or whose files could not be written, can be resumed. */
static void settle(dal_run_files *files, dal_status status, bool stopped)
{
    bool kept = files->opened == files->n;
    for (int i = 0; i < files->n; i++)
        kept = kept && files->kept[i];
    if (files->saves && (kept || (status == DAL_NUMERICAL && !stopped))) {
        dal_checkpoint_forget(files->n, paths_of(files));
        files->checkpoint.time = NAN;
    }
}

dal_status dal_run_files_close(dal_run_files *files, dal_status status, dal_run_files_end how, const dal_evidence *evidence)
{
    if (!files)
        return DAL_BAD_COMMAND;
    if (files->phase == CLOSED)
        return refuse_phase(files, __func__);
    files->phase = CLOSED;
    const dal_status closed = close_each(files, status == DAL_OK || (how.keep && evidence && evidence->rows_recorded), evidence);
    settle(files, status == DAL_OK ? closed : status, how.stopped);
    return closed;
}

double dal_run_files_saved(const dal_run_files *files)
{
    return files ? files->checkpoint.time : NAN;
}

bool dal_run_files_kept(const dal_run_files *files, int i)
{
    return files->kept[i];
}

void dal_run_files_free(dal_run_files *files)
{
    if (!files)
        return;
    if (files->phase != CLOSED)
        close_each(files, false, NULL);
    dal_checkpoint_end(&files->checkpoint);
    for (int i = 0; i < files->n; i++)
        free(files->path[i]);
    free(files);
}
