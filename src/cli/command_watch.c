/* dalembert watch: run a model again whenever it changes, and serve its page to a browser on this machine. */
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/serve.h"
#include "cli/sliders.h"
#include "base/json.h"
#include "compile/again.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* clang-format off */
static const char usage[] =
    "dalembert watch MODEL [options]\n"
    "\n"
    "Run the model, serve its report page at an address of this machine, and do both again whenever the model\n"
    "or a file that it reads (models, tables, meshes) changes. A browser that shows the page loads the new one by\n"
    "itself; errors of the model appear on it at their lines. Parameters have sliders on the page: the model runs\n"
    "again with what they say, and the plots keep the last runs. Ctrl-C ends it.\n"
    "\n"
    "The address is printed. It contains a random word, so that other users of this machine cannot read the\n"
    "page.\n"
    "\n"
    "    --port N                port of 127.0.0.1 to serve at; default 8137, or any free port if that is taken\n"
    "    --open                  open the page in the browser\n"
    "\n"
    "Otherwise as in 'dalembert run':\n"
    "\n"
    "    --coordinates, --formulation, --stabilization, --integrator WORD\n"
    "    --step, --rtol, --atol, --until, --every, --max-step, --event-tolerance NUMBER\n"
    "    --undetermined, --start WORD\n"
    DAL_USAGE_VALUES
    "    -q, --quiet             no messages\n"
    "    -h, --help              this text\n";
/* clang-format on */

enum { USUAL_PORT = 8137, REST = 200 }; /* milliseconds between two checks of the files */

typedef struct request {
    dal_model_options model;
    int port; /* -1: not given */
    bool open, quiet;
    const char *command;
} request;

static int read_port(void *user, char *value)
{
    request *wanted = user;
    char *end;
    const long port = strtol(value, &end, 10);
    if (end == value || *end || port < 0 || port > 65535)
        return dal_wrong_use("watch", "--port needs a number from 0 (any that is free) to 65535, not '%s'", value);
    wanted->port = (int)port;
    return DAL_OK;
}

static const dal_option options[] = {DAL_SET, DAL_READ("port", 0, read_port), DAL_FLAG("open", 0, open), DAL_FLAG("quiet", 'q', quiet), {0}};

static int check_pages(void *user)
{
    (void)user;
    return dal_pages_possible("watch", "a page") ? DAL_OK : DAL_BAD_COMMAND;
}

static const dal_option_table table = {usage, options, dal_run_settings, DAL_ARGUMENT_MODEL, check_pages, NULL};

/* ---- changes of files --------------------------------------------------------------- */

/* The state of a file of the model when it was read; it may have been missing. */
typedef struct watched {
    char *path;
    struct stat seen; /* all zero: it was missing */
} watched;

typedef struct files {
    int n;
    size_t room;
    watched *item;
} files;

static struct stat state_of_file(const char *path)
{
    struct stat found;
    return stat(path, &found) ? (struct stat){0} : found;
}

static bool differ(const struct stat *a, const struct stat *b)
{
    return a->st_dev != b->st_dev || a->st_ino != b->st_ino || a->st_mode != b->st_mode || a->st_size != b->st_size ||
           memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) || memcmp(&a->st_ctim, &b->st_ctim, sizeof a->st_ctim);
}

/* The reader calls it before it reads the file. */
static void watch_file(void *user, const char *path)
{
    files *list = user;
    if ((size_t)list->n == list->room) {
        watched *more = realloc(list->item, (2 * list->room + 16) * sizeof *more);
        if (!more)
            return;
        list->item = more;
        list->room = 2 * list->room + 16;
    }
    char *copy = strdup(path);
    if (copy)
        list->item[list->n++] = (watched){copy, state_of_file(path)};
}

static void forget_files(files *list)
{
    for (int i = 0; i < list->n; i++)
        free(list->item[i].path);
    free(list->item);
    *list = (files){0};
}

static bool have_changed(const files *list)
{
    for (int i = 0; i < list->n; i++) {
        const struct stat now = state_of_file(list->item[i].path);
        if (differ(&now, &list->item[i].seen))
            return true;
    }
    return false;
}

/* ---- one run --------------------------------------------------------------------------- */

typedef struct watch {
    request *wanted;
    dal_server *server;
    char page[512]; /* the file that a run writes */
    files files;    /* of the present run */
    bool changed;   /* while it ran */
    dal_sliders sliders;
    bool shown;       /* a page that moves is being served */
    dal_system *base; /* the last compiled system: models that differ only in values of parameters are varied from it; NULL: none */
} watch;

static bool keep_serving(void *user, double t, double until, long steps, double wall_seconds)
{
    watch *w = user;
    (void)t, (void)until, (void)steps, (void)wall_seconds;
    dal_server_turn(w->server, 0);
    w->changed = w->sliders.asked || have_changed(&w->files);
    return !w->changed && !dal_caught_signal();
}

static bool serve_file(watch *w)
{
    FILE *file = fopen(w->page, "rb");
    char *text = NULL;
    size_t length = 0;
    if (file && !fseek(file, 0, SEEK_END)) {
        const long size = ftell(file);
        rewind(file);
        text = size > 0 ? malloc((size_t)size) : NULL;
        length = text ? fread(text, 1, (size_t)size, file) : 0;
    }
    if (file)
        fclose(file);
    if (!text || !length) {
        free(text);
        return false;
    }
    dal_server_show(w->server, text, length);
    return true;
}

/* The present text of the model, from malloc; NULL: it cannot be read, or is not a regular file (reading a pipe could block). */
static char *read_model(const char *path)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) ? fdopen(fd, "rb") : NULL;
    char *text = NULL;
    size_t room = 0;
    if (!file && fd >= 0)
        close(fd);
    if (file && getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

static void write_message(dal_json *json, const dal_message *m)
{
    static const char *const severities[] = {[DAL_NOTE] = "note", [DAL_WARNING] = "warning", [DAL_ERROR] = "error"};
    dal_json_open(json, NULL, '{');
    dal_json_string(json, "severity", severities[m->severity]);
    dal_json_integer(json, "line", m->mark.line);
    dal_json_integer(json, "column", m->mark.column);
    dal_json_string(json, "text", m->text);
    dal_json_close(json, '}');
}

/* The errors, in one line of JSON: see "A live page" of viewer/FORMAT.md. */
static void report_problem(watch *w, const char *event, const dal_messages *messages, const char *text)
{
    char *data = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&data, &length);
    if (!out)
        return;
    dal_json json = dal_json_to_file(out);
    dal_json_open(&json, NULL, '{');
    dal_json_open(&json, "messages", '[');
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        write_message(&json, m);
    dal_json_close(&json, ']');
    dal_json_string(&json, "text", text ? text : "");
    dal_json_close(&json, '}');
    fclose(out);
    dal_server_send(w->server, event, data, text != NULL);
    free(data);
}

/* The page of a model that could not be compiled: its text and its errors. */
static dal_status write_problem(watch *w, const char *text, dal_messages *messages)
{
    const dal_page_options page_options = {.command = w->wanted->command, .live = true, .file = w->wanted->model.path, .text = text ? text : ""};
    dal_page *page = NULL;
    dal_status status = dal_page_open(w->page, NULL, NULL, &page_options, messages, &page);
    if (status != DAL_OK)
        return status;
    dal_page_messages(page, messages);
    return dal_page_close(page, true);
}

/* The motion, as far as it could be computed, with the verdict on the model. */
static dal_status write_motion(watch *w, const dal_spec *spec, const dal_system *system, dal_messages *messages)
{
    char *command = dal_sliders_command(&w->sliders, w->wanted->command), *entry = NULL;
    dal_pages pages = {.n = 1, .path = {w->page}, .command = command ? command : w->wanted->command, .live = true};
    dal_evidence evidence = {0};
    dal_status status = dal_pages_open(&pages, spec, system, &(dal_series_options){.system = system}, messages);
    if (status == DAL_OK) {
        const dal_run_options run_options = {.progress = keep_serving, .progress_user = w, .frame = dal_pages_frame, .frame_user = &pages};
        status = dal_run(system, &run_options, messages, &evidence);
    }
    const bool keep = (status == DAL_OK || status == DAL_NUMERICAL) && !w->changed;
    dal_status closed = DAL_OK;
    if (keep && status == DAL_OK)
        dal_sliders_shown(&w->sliders, spec);
    if (keep && (entry = dal_sliders_entry(&w->sliders)))
        dal_page_entry(pages.page[0], "sliders", entry);
    if (keep)
        closed = dal_pages_close(&pages, true, spec, &evidence, status, messages);
    else
        dal_pages_discard(&pages);
    free(command);
    free(entry);
    return status == DAL_OK ? closed : status;
}

/* The model with the values of the sliders. */
static dal_status read_spec(watch *w, dal_messages *messages, dal_spec **spec)
{
    dal_model_options model = w->wanted->model;
    model.file = watch_file;
    model.file_user = &w->files;
    model.overrides = dal_sliders_overrides(&w->sliders, &w->wanted->model, &model.n_overrides);
    const dal_status status = model.overrides ? dal_model_read(&model, messages, spec) : DAL_NO_MEMORY;
    free(model.overrides);
    return status;
}

/* After a failed run with other values: its messages are shown, and the page is not changed. */
static void refuse_values(watch *w, const dal_messages *messages)
{
    dal_sliders_back(&w->sliders);
    report_problem(w, "refused", messages, NULL);
}

/* Shows the result of a run. */
static void show_run(watch *w, dal_status status, bool moves, const char *text, dal_messages *messages)
{
    if ((moves || (!w->shown && write_problem(w, text, messages) == DAL_OK)) && serve_file(w))
        dal_server_send(w->server, "reload", "{}", false);
    if (!moves)
        report_problem(w, "problem", messages, text ? text : "");
    w->shown |= moves;
    w->sliders.open = moves && status == DAL_OK;
}

/* `values`: only the values of the sliders have changed. */
static void run_once(watch *w, bool values)
{
    const request *wanted = w->wanted;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    const bool first = !w->base;
    bool compiled = true;
    if (!values)
        dal_sliders_free(&w->sliders);
    w->sliders.asked = false;
    forget_files(&w->files);
    watch_file(&w->files, wanted->model.path);
    w->changed = false;
    char *text = read_model(wanted->model.path);
    dal_status status = read_spec(w, messages, &spec);
    if (status == DAL_OK) {
        dal_spec_show(spec);
        status = dal_compile_again(NULL, w->base, spec, messages, &system, &compiled);
    }
    if (status == DAL_OK && !values) {
        dal_sliders_begin(&w->sliders, spec);
        w->sliders.open = false; /* until this run is shown */
    }
    if (status == DAL_OK)
        status = write_motion(w, spec, system, messages);
    if (!w->changed && !dal_caught_signal()) {
        if (values && status != DAL_OK)
            refuse_values(w, messages);
        else
            show_run(w, status, system && (status == DAL_OK || status == DAL_NUMERICAL), text, messages);
        if (!wanted->quiet) {
            dal_report(messages, DAL_WARNING);
            fprintf(stderr, "%s: %s%s\n", wanted->model.path, status == DAL_OK ? "page updated" : dal_status_text(status),
                    status != DAL_OK || first ? ""
                    : compiled                ? "; the model was compiled again"
                                              : "; only values of parameters have changed");
        }
    }
    free(text);
    if (system && compiled) { /* later ones are varied from it */
        dal_system_free(w->base);
        w->base = system;
    } else {
        dal_system_free(system);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static dal_server *open_server(const request *wanted)
{
    if (wanted->port >= 0)
        return dal_server_open("watch", wanted->port);
    dal_server *usual = dal_server_open(NULL, USUAL_PORT);
    return usual ? usual : dal_server_open("watch", 0);
}

static int watch_model(void *user)
{
    request *wanted = user;
    watch w = {.wanted = wanted};
    const char *folder = getenv("TMPDIR");
    snprintf(w.page, sizeof w.page, "%s/dalembert-XXXXXX.html", folder && *folder ? folder : "/tmp");
    const int file = mkstemps(w.page, 5);
    if (file < 0 || !(w.server = open_server(wanted))) {
        if (file < 0)
            fprintf(stderr, "dalembert watch: error: no temporary file can be made as %s\n", w.page);
        return DAL_BAD_FILE;
    }
    close(file);
    dal_announce_temporary(w.page);
    char address[128];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", dal_server_port(w.server), dal_server_token(w.server));
    printf("%s\n", address);
    fflush(stdout);
    dal_catch_signals_well();
    dal_server_receive(w.server, dal_sliders_request, &w.sliders);
    run_once(&w, false);
    if (wanted->open)
        dal_show_page("watch", address);
    while (!dal_caught_signal()) {
        dal_server_turn(w.server, REST);
        if (have_changed(&w.files))
            run_once(&w, false);
        else if (w.sliders.asked)
            run_once(&w, true);
    }
    forget_files(&w.files);
    dal_sliders_free(&w.sliders);
    dal_system_free(w.base);
    dal_server_close(w.server);
    unlink(w.page);
    return DAL_OK;
}

/* The command of the run that the page shows: the same words without the options of `watch` itself. */
static char *run_command(int argc, char **argv)
{
    char **words = calloc((size_t)argc + 1, sizeof *words), run_word[] = "run";
    int n = 0;
    for (int i = 1; words && i < argc; i++) {
        const bool port = !strcmp(argv[i], "--port");
        if (!port && strncmp(argv[i], "--port=", 7) && strcmp(argv[i], "--open"))
            words[++n] = argv[i];
        i += port;
    }
    if (words)
        words[0] = run_word;
    char *text = words ? dal_command_text(n + 1, words) : NULL;
    free(words);
    return text;
}

static int run_watch(int argc, char **argv)
{
    char *command = run_command(argc, argv); /* before the options are parsed, which changes argv */
    request wanted = {.port = -1, .command = command};
    const int status = dal_run_command(&table, argc, argv, &wanted.model, &wanted, watch_model);
    free(command);
    return status;
}

const dal_command dal_command_watch = {"watch", "run a model again when it changes, with its page in the browser", usage, run_watch, NULL, 0, NULL};
