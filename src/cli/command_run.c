/* dalembert run: read a model, integrate it, write what was recorded, end with the evidence. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "dalembert run MODEL [options]\n"
    "\n"
    "Integrate the model over its time and print the evidence: sizes, steps, residuals, energy balance.\n"
    "What the options do not say is taken from the model's 'simulate:' block.\n"
    "\n"
    "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
    "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
    "    --stabilization WORD    how constraints are held         (dalembert list stabilizations)\n"
    "    --integrator WORD       method of integration            (dalembert list integrators)\n"
    "                            a WORD may carry a number or options: direct-correction=1e-12,\n"
    "                            baumgarte:alpha=10,beta=10\n"
    "    --step H                step, or first step of an adaptive method, s\n"
    "    --rtol X, --atol X      relative and absolute tolerance of an adaptive method\n"
    "    --until T               end of the motion, s\n"
    "    --every T               time between recorded rows, s\n"
    "    --max-step H            longest step of an adaptive method, s\n"
    "    --event-tolerance T     how exactly switches are located, s\n"
    "    --undetermined WORD     accelerations that nothing determines: refuse or minimum-norm\n"
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
    "\n"
    "    -o, --output FILE       write the recorded channels: .csv or .h5 by the extension, - is CSV\n"
    "                            on standard output (the evidence then goes to standard error);\n"
    "                            may be repeated\n"
    "    --units                 a second header line with units (CSV)\n"
    "    --json                  the evidence as a JSON object\n"
    "    -q, --quiet             no evidence, no progress, no warnings\n"
    "    -h, --help              this text\n"
    "\n"
    "A file appears under its name only when it is complete; a run that fails or is stopped leaves none.\n";

enum { MOST_FILES = 8 };

/* Options that are entries of the model's simulate: block. */
static const char *const settings[] = {"coordinates", "formulation", "stabilization", "integrator", "step",
                                       "rtol",        "atol",        "until",         "every",      "max-step", "event-tolerance",
                                       "undetermined"};
enum { SETTINGS = sizeof settings / sizeof *settings, SETTING = 1000, SET = 2000, UNITS, JSON };

typedef struct request {
    const char *model;
    const char *setting[SETTINGS]; /* NULL: not given */
    int n_overrides, n_files;
    dal_override *overrides;
    const char *path[MOST_FILES];
    bool units, json, quiet, stream; /* stream: one of the files is standard output */
} request;

/* ---- the command line ---------------------------------------------------- */

/* name=value, cut at the first equals sign. */
static int add_override(request *wanted, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return dal_wrong_use("run", "--set wants NAME=VALUE, not '%s'", text);
    *equals = '\0';
    wanted->overrides[wanted->n_overrides++] = (dal_override){text, equals + 1};
    return DAL_OK;
}

static int add_file(request *wanted, const char *path)
{
    if (wanted->n_files == MOST_FILES)
        return dal_wrong_use("run", "more than %d files to write", MOST_FILES);
    bool stream = !strcmp(path, "-");
    if (stream && wanted->stream)
        return dal_wrong_use("run", "-o - was given twice");
    wanted->stream = wanted->stream || stream;
    wanted->path[wanted->n_files++] = path;
    return DAL_OK;
}

/* 0: go on, -1: help was printed, otherwise the exit code. */
static int read_options(int argc, char **argv, request *wanted)
{
    struct option options[SETTINGS + 8] = {
        {"set", required_argument, NULL, SET}, {"output", required_argument, NULL, 'o'},
        {"units", no_argument, NULL, UNITS},   {"json", no_argument, NULL, JSON},
        {"quiet", no_argument, NULL, 'q'},     {"help", no_argument, NULL, 'h'}};
    for (int i = 0; i < SETTINGS; i++)
        options[6 + i] = (struct option){settings[i], required_argument, NULL, SETTING + i};
    int option, status = DAL_OK;
    while (status == DAL_OK && (option = dal_next_option(argc, argv, ":o:qh", options)) != -1) {
        switch (option) {
        case SET: status = add_override(wanted, optarg); break;
        case 'o': status = add_file(wanted, optarg); break;
        case UNITS: wanted->units = true; break;
        case JSON: wanted->json = true; break;
        case 'q': wanted->quiet = true; break;
        case 'h': fputs(usage, stdout); return -1;
        case '?': return DAL_BAD_COMMAND;
        default: wanted->setting[option - SETTING] = optarg; break;
        }
    }
    if (status != DAL_OK)
        return status;
    if (optind >= argc)
        return dal_wrong_use("run", "which model?");
    if (argc - optind > 1)
        return dal_wrong_use("run", "one model at a time: unexpected argument '%s'", argv[optind + 1]);
    wanted->model = argv[optind];
    if (wanted->json && wanted->stream)
        return dal_wrong_use("run", "--json and -o - both want standard output");
    return DAL_OK;
}

/* ---- files: every row goes to each of them -------------------------------- */

typedef struct files {
    int n;
    dal_writer *writer[MOST_FILES]; /* NULL once it is closed */
    bool kept[MOST_FILES];
} files;

static dal_status begin_files(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    const files *open = user;
    dal_status status = DAL_OK;
    for (int i = 0; i < open->n && status == DAL_OK; i++) {
        const dal_sink *sink = dal_writer_sink(open->writer[i]);
        status = sink->begin(sink->user, info, n, columns);
    }
    return status;
}

static dal_status add_row(void *user, int n, const double *values)
{
    const files *open = user;
    dal_status status = DAL_OK;
    for (int i = 0; i < open->n && status == DAL_OK; i++) {
        const dal_sink *sink = dal_writer_sink(open->writer[i]);
        status = sink->row(sink->user, n, values);
    }
    return status;
}

static dal_status open_files(const request *wanted, dal_messages *messages, files *open)
{
    dal_status status = DAL_OK;
    for (; open->n < wanted->n_files && status == DAL_OK; open->n += status == DAL_OK)
        status = dal_writer_open(NULL, wanted->path[open->n], wanted->units, messages, &open->writer[open->n]);
    return status;
}

static dal_status close_files(files *open, bool keep, const dal_evidence *evidence)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < open->n; i++) {
        dal_status one = dal_writer_close(open->writer[i], keep && status == DAL_OK, evidence);
        open->writer[i] = NULL;
        open->kept[i] = keep && status == DAL_OK && one == DAL_OK;
        status = status == DAL_OK ? one : status;
    }
    return status;
}

/* ---- the run --------------------------------------------------------------- */

/* Every error is about a word of the command line: its place is "--set k=3" or the like instead of a file. */
static bool command_is_to_blame(const dal_messages *messages)
{
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next) {
        const char *place = message->mark.file ? message->mark.file : "";
        if (message->severity == DAL_ERROR && strncmp(place, "--", 2) && strcmp(place, "command line"))
            return false;
    }
    return dal_messages_count(messages, DAL_ERROR) > 0;
}

static dal_status compile(const request *wanted, dal_messages *messages, dal_spec **spec, dal_system **system)
{
    dal_status status = dal_spec_read(NULL, wanted->model, wanted->n_overrides, wanted->overrides, messages, spec);
    for (int i = 0; i < SETTINGS && *spec; i++)
        if (wanted->setting[i] && !dal_spec_set(*spec, settings[i], wanted->setting[i], messages))
            status = DAL_BAD_COMMAND;
    if (status == DAL_OK)
        status = dal_compile(NULL, *spec, messages, system);
    return status == DAL_BAD_MODEL && command_is_to_blame(messages) ? DAL_BAD_COMMAND : status;
}

/* In the words of `print`, which is dal_evidence_json or dal_evidence_text. */
static void print_evidence(FILE *out, int (*print)(const dal_evidence *, dal_status, char *, size_t),
                           const dal_evidence *evidence, dal_status status)
{
    int length = print(evidence, status, NULL, 0);
    char *text = malloc((size_t)length + 1);
    if (!text)
        return;
    print(evidence, status, text, (size_t)length + 1);
    fprintf(out, "%s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
    free(text);
}

static void say_what_was_not_written(const request *wanted, const files *closed)
{
    for (int i = 0; i < closed->n; i++)
        if (!closed->kept[i] && strcmp(wanted->path[i], "-"))
            fprintf(stderr, "dalembert run: %s was not written\n", wanted->path[i]);
}

/* Integrate, finish the files and print the evidence; what was said so far is reported first. */
static int run_system(const request *wanted, const dal_system *system, dal_messages *messages, files *open)
{
    dal_sink sink = {open, begin_files, add_row};
    dal_progress progress = dal_progress_begin(wanted->quiet);
    dal_run_options options = {
        .sink = open->n ? &sink : NULL, .progress = dal_progress_show, .progress_user = &progress};
    dal_evidence evidence = {0};
    dal_status status = dal_run(system, &options, messages, &evidence);
    dal_progress_end(&progress);

    bool stopped = dal_caught_signal() && !(evidence.time_end >= evidence.info.until);
    dal_status closed = close_files(open, status == DAL_OK && !stopped, &evidence);
    status = status == DAL_OK ? closed : status;
    dal_report(messages, wanted->quiet ? DAL_ERROR : DAL_NOTE);
    if (status != DAL_OK && !stopped && !dal_messages_count(messages, DAL_ERROR))
        fprintf(stderr, "dalembert run: error: %s\n", dal_status_text(status));
    say_what_was_not_written(wanted, open);

    bool began = status == DAL_OK || evidence.steps > 0;
    if (began && wanted->json)
        print_evidence(stdout, dal_evidence_json, &evidence, status);
    else if (began && !wanted->quiet)
        print_evidence(wanted->stream ? stderr : stdout, dal_evidence_text, &evidence, status);
    return stopped ? 128 + dal_caught_signal() : (int)status;
}

static int run_request(const request *wanted)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    files open = {0};
    dal_catch_signals();
    dal_status status = open_files(wanted, messages, &open);
    if (status == DAL_OK)
        status = compile(wanted, messages, &spec, &system);
    int code = (int)status;
    if (status == DAL_OK) {
        code = run_system(wanted, system, messages, &open);
    } else {
        dal_report(messages, wanted->quiet ? DAL_ERROR : DAL_NOTE);
        if (!dal_messages_count(messages, DAL_ERROR))
            fprintf(stderr, "dalembert run: error: %s\n", dal_status_text(status));
        close_files(&open, false, NULL);
    }
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return code;
}

static int run(int argc, char **argv)
{
    request wanted = {.overrides = calloc((size_t)argc, sizeof(dal_override))};
    if (!wanted.overrides)
        return DAL_NO_MEMORY;
    int status = read_options(argc, argv, &wanted);
    if (status == DAL_OK)
        status = run_request(&wanted);
    free(wanted.overrides);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_run = {"run", "integrate a model and write what was recorded", usage, run};
