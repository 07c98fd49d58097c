/* dalembert run: read a model, integrate it, write the recorded channels, end with the evidence. */
#include "cli/options.h"
#include "cli/pages.h"
#include "model/system_parts.h"
#include "output/replacement.h"
#include "output/run_files.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* clang-format off */
static const char usage[] =
    "dalembert run MODEL... [options]\n"
    "\n"
    "Integrate the model over its time and print the evidence: sizes, steps, residuals, energy balance.\n"
    "Settings without an option are taken from the model's 'simulate:' block. A MODEL of - is read from standard input.\n"
    "\n"
    DAL_USAGE_EQUATIONS
    "    --stabilization WORD    how constraints are held         (dalembert list stabilizations)\n"
    "    --integrator WORD       method of integration            (dalembert list integrators)\n"
    "                            a WORD may carry a number or options: direct-correction=1e-12,\n"
    "                            baumgarte:alpha=10,beta=10\n"
    "    --step H                step, or first step of an adaptive method, s\n"
    "    --rtol X, --atol X      relative and absolute tolerance of an adaptive method; atol is in units\n"
    "                            of the model, of its length for lengths\n"
    "    --until T               end of the motion, s\n"
    "    --every T               time between recorded rows, s\n"
    "    --max-step H            longest step of an adaptive method, s\n"
    "    --event-tolerance T     how exactly switches are located, s\n"
    "    --start WORD            given, or equilibrium: at rest where the forces balance\n"
    "    --undetermined WORD     accelerations that nothing determines: refuse, derive or minimum-norm\n"
    "    --compiled              evaluate by code that is generated for the model, compiled by cc and\n"
    "                            compared with the engine; if that is not possible, the engine runs and the reason is reported\n"
    DAL_USAGE_VALUES
    "\n"
    "    -o, --output FILE       write the recorded channels: .csv or .h5 by the extension, - is CSV\n"
    "                            on standard output (the evidence then goes to standard error);\n"
    "                            .html is a page in which the mechanism moves; may be repeated\n"
    "    --keep                  a run that fails or is stopped leaves its files under their names, marked as\n"
    "                            incomplete\n"
    "    --resume                continue a run that was stopped or killed: give the same model, options and files\n"
    "    --motion                record the motion of all bodies, energies and residuals, and the channels of\n"
    "                            the model: 'view' and 'snapshots' need it\n"
    "    --open                  show the page in a browser\n"
    "    --frames N              maximum number of frames of a page (default 1000 to 20000, by the model's size)\n"
    "    --no-equations          a page without its tab of equations, which takes most of the time of a short run\n"
    "    --units                 a second header line with units (CSV)\n"
    "    --json                  the evidence as a JSON object\n"
    "    --record A,B            record these channels instead of those of the model; may be repeated\n"
    "    -v, --verbose           every note, and the whole evidence: pivot ratios, ranks\n"
    "    -q, --quiet             only warnings and errors\n"
    "    -h, --help              this text\n"
    "\n"
    "A file is written as FILE.part and gets its name when it is complete. If a run fails or is stopped, its rows\n"
    "so far stay in FILE.part, which 'plot', 'view' and 'snapshots' read. If it is killed, its rows up to the last\n"
    "second stay there (no pages). --resume continues from FILE.part.state, which is beside the first file; the finished\n"
    "files are then the same as those of a run that was never stopped.\n";
/* clang-format on */

enum { MOST_FILES = DAL_CHECKPOINT_FILES, MOST_RECORDED = 1000 };

typedef struct request {
    dal_model_options model;
    int n_files, n_record;
    const char *path[MOST_FILES];
    const char *record[MOST_RECORDED];
    dal_pages pages;
    bool keep, resume, motion, units, json, quiet, compiled, stream; /* stream: one of the files is standard output */
} request;

/* ---- the command line ---------------------------------------------------- */

static int read_file(void *user, char *path)
{
    request *wanted = user;
    if (dal_is_page(path))
        return dal_pages_add("run", &wanted->pages, path);
    if (wanted->n_files == MOST_FILES)
        return dal_wrong_use("run", "more than %d files to write", MOST_FILES);
    bool stream = !strcmp(path, "-");
    if (stream && wanted->stream)
        return dal_wrong_use("run", "-o - was given twice");
    wanted->stream = wanted->stream || stream;
    wanted->path[wanted->n_files++] = path;
    return DAL_OK;
}

/* a,b */
static int read_record(void *user, char *list)
{
    request *wanted = user;
    for (char *item; (item = dal_cut_list(&list));) {
        if (!*item || wanted->n_record == MOST_RECORDED)
            return dal_wrong_use("run", *item ? "--record has more than %d channels" : "--record needs channels, as in --record a.x,b.y",
                                 MOST_RECORDED);
        wanted->record[wanted->n_record++] = item;
    }
    return DAL_OK;
}

static int read_frames(void *user, char *value)
{
    return dal_pages_frames("run", value, &((request *)user)->pages.most_frames);
}

static const dal_option options[] = {DAL_FLAG("compiled", 0, compiled),
                                     DAL_SET,
                                     DAL_READ("output", 'o', read_file),
                                     DAL_FLAG("keep", 0, keep),
                                     DAL_FLAG("resume", 0, resume),
                                     DAL_FLAG("motion", 0, motion),
                                     DAL_FLAG("open", 0, pages.show),
                                     DAL_READ("frames", 0, read_frames),
                                     DAL_FLAG("no-equations", 0, pages.no_equations),
                                     DAL_FLAG("units", 0, units),
                                     DAL_FLAG("json", 0, json),
                                     DAL_READ("record", 0, read_record),
                                     DAL_FLAG("quiet", 'q', quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (wanted->model.n_arguments > 1 && (wanted->n_files || wanted->pages.n))
        return dal_wrong_use("run", "-o takes the result of one model; %d models are given", wanted->model.n_arguments);
    if (wanted->json && wanted->stream)
        return dal_wrong_use("run", "--json and -o - both need standard output");
    if (wanted->resume && wanted->pages.n)
        return dal_wrong_use("run", "a page cannot be resumed: drop it, and make it from the finished file with 'dalembert view'");
    if (wanted->resume && wanted->stream)
        return dal_wrong_use("run", "--resume continues files: rows on standard output cannot be taken back");
    if (wanted->resume && !wanted->n_files)
        return dal_wrong_use("run", "--resume continues the files of a run: name them with -o");
    if (wanted->pages.show && !wanted->pages.n)
        return dal_wrong_use("run", "--open shows a page: which one? give its name with -o, as in -o result.html");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, dal_run_settings, DAL_ARGUMENT_MODELS, check_use, NULL};

/* ---- files -------------------------------------------------------------------- */

static bool ends_at_once(void)
{
    return dal_caught_signal();
}

static const dal_run_files_watch watch = {dal_announce_rows, dal_announce_temporary, dal_announce_checkpoint, ends_at_once};

/* ---- the run --------------------------------------------------------------- */

/* NULL: there are no files to write. */
static dal_status create_files(const request *wanted, dal_messages *messages, dal_run_files **files)
{
    const dal_run_files_options how = {.units = wanted->units, .resume = wanted->resume, .shown = wanted->pages.n};
    *files = NULL;
    return wanted->n_files ? dal_run_files_watched(wanted->n_files, wanted->path, &how, &watch, messages, files) : DAL_OK;
}

/* Reads the model, and checks that no output is a file that the model reads. `shown`: with the channels that a page needs. */
static dal_status read_model(request *wanted, bool shown, dal_messages *messages)
{
    dal_status status = dal_model_load(&wanted->model, NULL, NULL);
    dal_spec *spec = wanted->model.spec;
    if (status == DAL_OK && (wanted->n_files || wanted->pages.n))
        status = dal_pages_check(&wanted->pages, wanted->n_files, wanted->path, spec, NULL, messages);
    if (status == DAL_OK && wanted->n_record)
        status = dal_spec_record(spec, wanted->n_record, wanted->record, messages);
    if (status == DAL_OK && shown)
        dal_spec_show(spec);
    if (status == DAL_OK && wanted->motion)
        dal_spec_record_motion(spec);
    return dal_model_blame(status, messages);
}

/* The system has its own copy of the description: the spec is freed to save memory in large models. */
static dal_status compile_model(dal_model_options *model)
{
    const dal_status status = dal_compile(NULL, model->spec, model->messages, &model->system);
    if (status == DAL_OK) {
        dal_spec_free(model->spec);
        model->spec = NULL;
    }
    return dal_model_blame(status, model->messages);
}

/* In the words of `print`, which is dal_evidence_json or dal_evidence_text. */
static void print_evidence(FILE *out, int (*print)(const dal_evidence *, dal_status, char *, size_t), const dal_evidence *evidence, dal_status status)
{
    int length = print(evidence, status, NULL, 0);
    char *text = malloc((size_t)length + 1);
    if (!text)
        return;
    print(evidence, status, text, (size_t)length + 1);
    fprintf(out, "%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    free(text);
}

/* A warning, which --quiet drops, has already reported the rest. */
static void report_file(const request *wanted, const char *path, long rows)
{
    char part[PATH_MAX + 8];
    if (!strcmp(path, "-"))
        return;
    char *real = dal_real_path(path);
    snprintf(part, sizeof part, "%s.part", real ? real : path);
    free(real);
    if (!rows || access(part, F_OK))
        fprintf(stderr, "dalembert run: %s was not written\n", path);
    else if (wanted->quiet)
        fprintf(stderr, "dalembert run: %s was not written; what was recorded is in %s\n", path, part);
}

static void report_unwritten(const request *wanted, const dal_run_files *closed, const dal_evidence *evidence)
{
    for (int i = 0; i < wanted->n_files; i++)
        if (!dal_run_files_kept(closed, i))
            report_file(wanted, wanted->path[i], evidence->rows_recorded);
    for (int i = 0; i < wanted->pages.n; i++)
        if (!wanted->pages.kept[i])
            report_file(wanted, wanted->pages.path[i], evidence->rows_recorded);
}

static void report_resume(const request *wanted, const dal_run_files *closed)
{
    const double saved = dal_run_files_saved(closed);
    if (!isnan(saved))
        fprintf(stderr, "dalembert run: with --resume%s the run continues from t = %.9g s\n", wanted->pages.n ? ", without the page," : "", saved);
}

/* Integrate, finish the files and print the evidence; the messages so far are printed first. */
static int run_system(request *wanted, const dal_system *system, dal_messages *messages, dal_run_files *files)
{
    dal_progress progress = dal_progress_begin(wanted->quiet);
    dal_run_options how = {.progress = dal_progress_show, .progress_user = &progress, .compiled = wanted->compiled};
    dal_evidence evidence = {0};
    if (files)
        dal_run_files_join(files, &how);
    if (wanted->pages.n) {
        how.frame = dal_pages_frame;
        how.frame_user = &wanted->pages;
    }
    dal_status status = dal_run(system, &how, messages, &evidence);
    dal_progress_end(&progress);

    bool stopped = dal_caught_signal() && !(evidence.time_end >= evidence.info.until);
    const bool keep = status == DAL_OK || (wanted->keep && evidence.rows_recorded);
    dal_status closed = files ? dal_run_files_close(files, status, (dal_run_files_end){wanted->keep, stopped}, &evidence) : DAL_OK;
    status = status == DAL_OK ? closed : status;
    closed = dal_pages_close(&wanted->pages, keep, dal_system_spec(system), &evidence, status, messages);
    status = status == DAL_OK ? closed : status;
    dal_report_end("run", messages, wanted->quiet ? DAL_WARNING : DAL_NOTE, stopped ? DAL_OK : status);
    report_unwritten(wanted, files, &evidence);
    report_resume(wanted, files);

    bool began = status == DAL_OK || evidence.steps > 0;
    if (began && wanted->json)
        print_evidence(stdout, dal_evidence_json, &evidence, status);
    else if (began && !wanted->quiet)
        print_evidence(wanted->stream ? stderr : stdout, dal_reports_all() ? dal_evidence_text : dal_evidence_summary, &evidence, status);
    if (status == DAL_OK)
        status = dal_pages_show("run", &wanted->pages);
    return stopped ? 128 + dal_caught_signal() : (int)status;
}

static dal_status open_pages(request *wanted, dal_messages *messages)
{
    const dal_system *system = wanted->model.system;
    return dal_pages_open(&wanted->pages, dal_system_spec(system), system, &(dal_series_options){.system = system}, messages);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_run_files *files = NULL;
    dal_catch_signals();
    wanted->pages.command = wanted->model.command;
    dal_status status = create_files(wanted, messages, &files);
    const bool known = status != DAL_BAD_COMMAND;
    if (status == DAL_OK)
        status = read_model(wanted, wanted->pages.n || dal_run_files_shown(files), messages);
    if (status == DAL_OK && files)
        status = dal_run_files_open(files, NULL); /* read_model has compared them with the files that the model reads */
    if (status == DAL_OK)
        status = compile_model(&wanted->model);
    if (status == DAL_OK)
        status = open_pages(wanted, messages);
    int code = (int)status;
    if (status == DAL_OK) {
        code = run_system(wanted, wanted->model.system, messages, files);
    } else {
        dal_report(messages, wanted->quiet ? DAL_WARNING : DAL_NOTE);
        if (!known)
            fprintf(stderr, "dalembert run: -o takes results as .csv, .h5 or .hdf5, and the report page as .html\n");
        if (!dal_messages_count(messages, DAL_ERROR))
            fprintf(stderr, "dalembert run: error: %s\n", dal_status_text(status));
        dal_pages_discard(&wanted->pages);
    }
    dal_run_files_free(files);
    return code;
}

const dal_command dal_command_run = DAL_COMMAND("run", "integrate a model and write what was recorded", run_request);
