/* dalembert sweep: one model, run many times with different values. */
#include "cli/study_results.h"
#include "cli/transport_open.h"
#include "study/remote.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "dalembert sweep MODEL --vary NAME=VALUES [options]\n"
    "dalembert sweep STUDY [options]\n"
    "\n"
    "Run the model once for each combination of values, on all cores, and keep some numbers of each run. A STUDY is a\n"
    "file that says all of this ('study: 1', see doc/sweep.md); options are added to it.\n"
    "\n"
    "    --vary k=10,20,50       these values; may be repeated\n"
    "    --vary k=10:1000:20     20 values from 10 to 1000; 10:1000:20log: with equal ratios between them\n"
    "    --vary 'm=uniform(1,2)' random, between 1 and 2; 'm=normal(1,0.1)': with mean 1 and standard deviation 0.1\n"
    "                            names are parameters, inputs and start values, as for 'run --set', or settings:\n"
    "                            formulation=kane,lagrange; rtol=1e-4:1e-10:7log\n"
    "    --random N              number of samples of the random values\n"
    "    --sampling WORD         random (this is the default), latin-hypercube or sobol\n"
    "    --seed N                seed of the random numbers (0)\n"
    "\n"
    "    --each NAME=EXPRESSION  a number of each run; may be repeated: 'peak=max(abs(A.force))'. There are max, min,\n"
    "                            mean, rms, integral, first, final of an expression, when(x > y) for the first time\n"
    "                            at which that holds, and settling(x, b) for the time after which x stays within b\n"
    "                            of its final value. Without --each: max, min and final of all recorded channels\n"
    "    --channels NAMES        channels and expressions that are kept at every recorded instant: in .h5 files, in a\n"
    "                            file NAME.channels.csv beside NAME.csv, as bands over time in a page\n"
    "\n"
    "    -o, --output FILE       where the results go; may be repeated. By the extension: .csv, a line for each run; .h5, the\n"
    "                            same as datasets; .html, a page with a table and plots, in which runs move\n"
    "    --motions N             maximum number of runs that move on a page (40); 0: none\n"
    "    --journal FILE          where finished runs are kept (by default the first output with .journal appended,\n"
    "                            which is removed when the study is complete)\n"
    "    --resume                continue a study that was stopped or killed: the same model and options\n"
    "    --jobs N                number of threads (the number of cores)\n"
    "    --shard I/N             only one part of N of the runs, for job arrays; journals of all parts are joined\n"
    "                            by 'dalembert merge'\n"
    "\n"
    "    --compiled              evaluate by code that is generated once for all runs and compiled by cc (doc/generate.md);\n"
    "                            runs without generated code are named, and the engine makes them\n"
    "    --coordinates WORD, --formulation WORD, --stabilization WORD, --integrator WORD, --step H, --rtol X,\n"
    "    --atol X, --until T, --every T, --max-step H, --event-tolerance T, --undetermined, --start WORD, --set NAME=VALUE,\n"
    "    --floating              as for 'run', for all runs\n"
    "    -q, --quiet             no progress, no table\n"
    "    -h, --help              this text\n"
    "\n"
    "A run that fails is a line with its reason, and the study continues. The files do not depend on the number of\n"
    "threads, or on how often the study was stopped and resumed.\n";

enum { MOST_TEXTS = 1000, MOST_RANDOM = 1000 * 1000 * 1000 };

typedef struct request {
    dal_study_request study;
    dal_study_plan plan;
    const char *vary[MOST_TEXTS], *each[MOST_TEXTS];
    dal_name_list channels;
    const char *sampling, *journal;
    int random, jobs, shard, shards;
    dal_count seed;
    bool resume, compiled;
    dal_progress progress;
    dal_transport *others; /* processes that mpirun started; NULL: none */
} request;

/* ---- the command line ------------------------------------------------------------------------ */

static int add_text(const char **texts, int *n, const char *option, char *text)
{
    if (*n == MOST_TEXTS)
        return dal_wrong_use("sweep", "more than %d options %s", MOST_TEXTS, option);
    texts[(*n)++] = text;
    return DAL_OK;
}

static int read_vary(void *user, char *text)
{
    request *wanted = user;
    return add_text(wanted->vary, &wanted->plan.n_vary, "--vary", text);
}

static int read_each(void *user, char *text)
{
    request *wanted = user;
    return add_text(wanted->each, &wanted->plan.n_each, "--each", text);
}

static int read_shard(void *user, char *text)
{
    request *wanted = user;
    char *slash = strchr(text, '/');
    if (!slash)
        return dal_wrong_use("sweep", "--shard needs I/N, as in 2/5, not '%s'", text);
    *slash = '\0';
    const int code = dal_read_range("sweep", "--shard", slash + 1, 1, INT_MAX, &wanted->shards);
    return code != DAL_OK ? code : dal_read_range("sweep", "--shard", text, 1, wanted->shards, &wanted->shard);
}

static const dal_option options[] = {DAL_READ("vary", 0, read_vary),
                                     DAL_WHOLE("random", random, 1, MOST_RANDOM),
                                     DAL_TEXT("sampling", 0, sampling),
                                     DAL_COUNT("seed", seed),
                                     DAL_READ("each", 0, read_each),
                                     DAL_NAMES("channels", channels),
                                     DAL_READ("output", 'o', dal_study_output),
                                     DAL_READ("motions", 0, dal_study_motions),
                                     DAL_FILE("journal", 0, journal),
                                     DAL_FLAG("resume", 0, resume),
                                     DAL_WHOLE("jobs", jobs, 1, 1024),
                                     DAL_READ("shard", 0, read_shard),
                                     DAL_FLAG("compiled", 0, compiled),
                                     DAL_SET,
                                     DAL_FLAG("quiet", 'q', study.outputs.quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->study.outputs.n && !wanted->journal)
        return dal_wrong_use("sweep", "where should the results go? Give -o FILE, as in -o study.csv");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, dal_run_settings, DAL_ARGUMENT_MODEL, check_use, NULL};

/* ---- progress and the table ---------------------------------------------------------------------- */

static bool show_progress(void *user, const dal_study_progress *p)
{
    request *wanted = user;
    if (wanted->progress.wanted && p->seconds > 1) {
        const double rate = (double)p->here / p->seconds, left = rate > 0 ? (double)(p->runs - p->done) / rate : INFINITY;
        fprintf(stderr, "\r\033[K%ld of %ld runs  %.3g a second", p->done, p->runs, rate);
        if (left < 1e7)
            fprintf(stderr, "  %.0f s left", left);
        if (p->failed)
            fprintf(stderr, "  %ld failed", p->failed);
        fflush(stderr);
        wanted->progress.shown = true;
    }
    return !dal_caught_signal();
}

/* ---- the study --------------------------------------------------------------------------------------- */

static bool not_stopped(void *user)
{
    (void)user;
    return !dal_caught_signal();
}

static dal_status write_results(request *wanted, const char *journal, dal_messages *messages)
{
    char *command = dal_sweep_plan_command(&wanted->study.sweep);
    wanted->study.outputs.how =
        (dal_study_write_options){.motions = wanted->study.outputs.how.motions, .jobs = wanted->jobs, .command = command, .go_on = not_stopped};
    const dal_status status = dal_study_outputs_write(&wanted->study.outputs, wanted->study.sweep.study, 1, &journal, messages);
    if (status == DAL_BAD_FILE && dal_caught_signal())
        fprintf(stderr, "dalembert sweep: all runs are in '%s'; --resume writes the results\n", journal);
    free(command);
    return status;
}

/* The outcome of the study. */
static dal_status finish_study(request *wanted, const char *journal, const dal_study_outcome *outcome, dal_messages *messages)
{
    if (outcome->stopped)
        fprintf(stderr, "dalembert sweep: stopped after %ld of %ld runs; --resume continues\n", outcome->progress.done, outcome->progress.runs);
    if (outcome->stopped || wanted->shards)
        return DAL_OK;
    const dal_status status = write_results(wanted, journal, messages);
    if ((status == DAL_OK || status == DAL_NUMERICAL) && !wanted->journal)
        unlink(journal);
    return status;
}

static dal_status make_study(request *wanted, const char *journal, dal_messages *messages)
{
    wanted->plan.random = wanted->random;
    wanted->plan.seed = wanted->seed.value;
    wanted->plan.vary = wanted->vary;
    wanted->plan.each = wanted->each;
    wanted->plan.n_channels = wanted->channels.n;
    wanted->plan.channels = wanted->channels.names;
    wanted->plan.sampling = wanted->sampling;
    wanted->plan.compiled = wanted->compiled;
    dal_status status = dal_sweep_plan_of_options(&wanted->study.sweep, &wanted->study.model, &wanted->plan, wanted->seed.given, messages);
    if (status == DAL_OK && !wanted->study.sweep.plan.n_vary)
        return (dal_status)dal_wrong_use("sweep", "what should be varied? Give --vary NAME=VALUES");
    return status == DAL_OK ? dal_study_prepare(&wanted->study, journal, messages) : status;
}

static dal_status run_study(request *wanted, const char *journal, dal_messages *messages)
{
    dal_study_outcome outcome;
    char *note = dal_sweep_plan_note(&wanted->study.sweep);
    if (!note)
        return DAL_NO_MEMORY;
    const dal_study_options how = {.journal = journal,
                                   .resume = wanted->resume,
                                   .jobs = wanted->jobs,
                                   .shard = wanted->shard,
                                   .shards = wanted->shards,
                                   .transport = wanted->others,
                                   .note = note,
                                   .note_size = strlen(note),
                                   .progress = show_progress,
                                   .progress_user = wanted};
    dal_catch_signals();
    dal_announce_checkpoint();
    wanted->progress = dal_progress_begin(wanted->study.outputs.quiet);
    const dal_status status = dal_study_run(wanted->study.sweep.study, &how, messages, &outcome);
    dal_progress_end(&wanted->progress);
    free(note);
    return status == DAL_OK ? finish_study(wanted, journal, &outcome, messages) : status;
}

/* The path of the journal: beside the first output; for a shard with its number. */
static void name_journal(const request *wanted, char *name, size_t size)
{
    const char *first = wanted->study.outputs.path[0];
    if (wanted->journal)
        snprintf(name, size, "%s", wanted->journal);
    else if (wanted->shards)
        snprintf(name, size, "%s.journal.%d-of-%d", first, wanted->shard, wanted->shards);
    else
        snprintf(name, size, "%s.journal", first);
}

static bool is_stopped(void *user)
{
    (void)user;
    return dal_caught_signal();
}

/* One of the other processes, which make runs for the first. They print nothing: the first prints everything. */
static dal_status help_study(request *wanted)
{
    dal_catch_signals();
    return dal_study_work(wanted->study.sweep.study, wanted->others, is_stopped, NULL);
}

static dal_status do_sweep(request *wanted, dal_messages *messages)
{
    char journal[PATH_MAX];
    name_journal(wanted, journal, sizeof journal);
    dal_status status = make_study(wanted, journal, messages);
    if (status != DAL_OK)
        return status;
    return wanted->others && wanted->others->rank ? help_study(wanted) : run_study(wanted, journal, messages);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->study.model.messages;
    dal_transport others;
    dal_status status = DAL_OK;
    if (dal_started_together()) {
        status = dal_open_transport(&others, messages);
        wanted->others = status == DAL_OK ? &others : NULL;
    }
    if (status == DAL_OK)
        status = do_sweep(wanted, messages);
    if (!wanted->others || !wanted->others->rank)
        dal_report_end("sweep", messages, DAL_WARNING, status);
    if (wanted->others && !dal_caught_signal()) /* a process that was stopped does not wait for others */
        others.end();
    dal_sweep_plan_close(&wanted->study.sweep);
    const int signal = dal_caught_signal();
    return signal ? 128 + signal : (int)status;
}

const dal_command dal_command_sweep = DAL_COMMAND("sweep", "run a model many times with other values", run_request);
