/* dalembert gallery: a page for each of several models, and an index of them in which they all move. */
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] = "dalembert gallery MODEL ... -o FOLDER [options]\n"
                            "\n"
                            "Run each of the models as its 'simulate:' block says, write a report page for each into the folder\n"
                            "(crank.yaml becomes crank.html), and index.html, in which all of them move.\n"
                            "\n"
                            "    -o, --output FOLDER     folder of the pages; it is created if it does not exist\n"
                            "    --title TEXT            title of the index\n"
                            "    --open                  show the index in a browser\n"
                            "    --no-equations          pages without their tabs of equations, which take most of the time\n"
                            "    -q, --quiet             only errors\n"
                            "    -h, --help              this text\n"
                            "\n"
                            "A model that cannot be run is reported and skipped; the exit status is then that of the first such model.\n";

enum { THUMBNAIL_FRAMES = 150, MOST_TEXT = 160 };

typedef struct request {
    dal_model_options arguments;
    const char *folder, *title;
    bool open, quiet, no_equations;
    int n;
    char **models;
} request;

/* One model; all of them are kept until the index is closed, because it uses them. */
typedef struct exhibit {
    dal_spec *spec;
    dal_system *system;
    dal_series *thumbnail;
    dal_pages pages;
    char path[1024];
} exhibit;

static const dal_option options[] = {DAL_TEXT("output", 'o', folder),           DAL_TEXT("title", 0, title),   DAL_FLAG("open", 0, open),
                                     DAL_FLAG("no-equations", 0, no_equations), DAL_FLAG("quiet", 'q', quiet), {0}};

static int check_use(void *user)
{
    request *wanted = user;
    wanted->n = wanted->arguments.n_arguments;
    wanted->models = wanted->arguments.arguments;
    if (!wanted->n)
        return dal_wrong_use("gallery", "which models? give at least one");
    if (!wanted->folder)
        return dal_wrong_use("gallery", "where to? give a folder with -o");
    return dal_pages_possible("gallery", wanted->folder) ? DAL_OK : DAL_BAD_COMMAND;
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_ANY, check_use, NULL};

/* ---- names and texts ---------------------------------------------------------------- */

/* "crank.html" of "models/crank.yaml". */
static void name_page(const char *model, char *name, size_t size)
{
    const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model, *dot = strrchr(base, '.');
    snprintf(name, size, "%.*s.html", dot ? (int)(dot - base) : (int)strlen(base), base);
}

/* The first sentence of the comment at the head of the model: the text after "# " in consecutive lines, up to a full stop or colon outside
 * parentheses. */
static void read_sentence(const char *path, char text[MOST_TEXT + 4])
{
    FILE *file = fopen(path, "r");
    char line[400];
    bool inside = false, done = false;
    int open = 0; /* parentheses */
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; file && !done && i < 20 && fgets(line, sizeof line, file); i++) {
        const bool comment = !strncmp(line, "# ", 2) && strncmp(line, "# expect", 8);
        done = inside && !comment;
        for (const char *c = line + 2; comment && !done && *c && *c != '\n'; c++) {
            open += (*c == '(') - (*c == ')');
            done = open <= 0 && (*c == '.' || *c == ':') && (c[1] == ' ' || c[1] == '\n' || !c[1]);
            if (used < MOST_TEXT && !done)
                text[used++] = *c;
        }
        if (comment && !done && used < MOST_TEXT)
            text[used++] = ' ';
        inside |= comment;
    }
    if (file)
        fclose(file);
    while (used && text[used - 1] == ' ')
        used--;
    strcpy(text + used, used >= MOST_TEXT - 1 ? "..." : used ? "." : "");
}

/* ---- no output may be an input ----------------------------------------------------------- */

typedef struct files {
    int n;
    size_t room;
    const char **path;
    bool full; /* memory ran out */
} files;

static void add_path(files *list, const char *path)
{
    if ((size_t)list->n == list->room) {
        const char **more = realloc(list->path, (2 * list->room + 16) * sizeof *more);
        list->full |= !more;
        if (!more)
            return;
        list->path = more;
        list->room = 2 * list->room + 16;
    }
    char *copy = strdup(path);
    list->full |= !copy;
    if (copy)
        list->path[list->n++] = copy;
}

static void free_files(files *list)
{
    for (int i = 0; i < list->n; i++)
        free((char *)(size_t)list->path[i]);
    free(list->path);
}

static void path_of_page(const request *wanted, const char *model, char path[1024])
{
    char name[300];
    name_page(model, name, sizeof name);
    snprintf(path, 1024, "%s/%s", wanted->folder, name);
}

/* All models are read before the first page is written, because a page could overwrite a file of a later model. Models that cannot be read are
 * reported later. */
static dal_status check_files(const request *wanted, const char *index, dal_messages *messages)
{
    files out = {0}, in = {0};
    char path[1024];
    add_path(&out, index);
    for (int i = 0; i < wanted->n; i++) {
        dal_spec *spec = NULL;
        path_of_page(wanted, wanted->models[i], path);
        add_path(&out, path);
        dal_spec_read(NULL, wanted->models[i], 0, NULL, NULL, &spec);
        for (int k = 0; spec && k < spec->n_files; k++)
            add_path(&in, spec->files[k]);
        dal_spec_free(spec);
    }
    const dal_status status = out.full || in.full ? DAL_NO_MEMORY : dal_outputs_check(out.n, out.path, in.n, in.path, messages);
    free_files(&out);
    free_files(&in);
    return status;
}

/* ---- one model --------------------------------------------------------------------------- */

static dal_status receive_frame(void *user, dal_state *state, int n, const double *values)
{
    exhibit *x = user;
    dal_status status = dal_pages_frame(&x->pages, state, n, values);
    return status == DAL_OK ? dal_series_frame(x->thumbnail, state, n, values) : status;
}

static dal_status open_exhibit(const request *wanted, const char *model, exhibit *x, dal_page *index, dal_messages *messages)
{
    static const char *const groups[] = {[DAL_PLANAR] = "In the plane", [DAL_SPATIAL] = "In space"};
    char name[300], text[MOST_TEXT + 4];
    name_page(model, name, sizeof name);
    path_of_page(wanted, model, x->path);
    x->pages.path[0] = x->path;
    dal_status status = dal_spec_read(NULL, model, 0, NULL, messages, &x->spec);
    if (status == DAL_OK) {
        dal_spec_show(x->spec);
        status = dal_compile(NULL, x->spec, messages, &x->system);
    }
    x->pages.n = status == DAL_OK;
    if (status == DAL_OK)
        status = dal_pages_open(&x->pages, x->spec, x->system, &(dal_series_options){.system = x->system}, messages);
    if (status != DAL_OK)
        return status;
    const dal_system_info info = dal_system_describe(x->system);
    read_sentence(model, text);
    status = dal_page_item(index, info.model, name, text, groups[info.space], x->spec, x->system);
    static const dal_column time = {"time", "s"};
    const dal_series_options thumbnail = {
        .n_columns = 1, .columns = &time, .no_velocities = true, .no_reactions = true, .most_frames = THUMBNAIL_FRAMES};
    return status == DAL_OK ? dal_page_series(index, &thumbnail, &x->thumbnail) : status;
}

static dal_status run_model(const request *wanted, const char *model, exhibit *x, dal_page *index)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_evidence evidence = {0};
    char command[1200];
    snprintf(command, sizeof command, "dalembert run %s", model);
    x->pages.command = command;
    x->pages.no_equations = wanted->no_equations;
    dal_progress progress = dal_progress_begin(wanted->quiet);
    dal_status status = open_exhibit(wanted, model, x, index, messages);
    if (status == DAL_OK) {
        const dal_run_options how = {.progress = dal_progress_show, .progress_user = &progress, .frame = receive_frame, .frame_user = x};
        status = dal_run(x->system, &how, messages, &evidence);
    }
    dal_progress_end(&progress);
    const bool keep = (status == DAL_OK || status == DAL_NUMERICAL) && !dal_caught_signal();
    dal_status closed = DAL_OK;
    if (keep)
        closed = dal_pages_close(&x->pages, true, x->spec, &evidence, status, messages);
    else
        dal_pages_discard(&x->pages);
    status = status == DAL_OK ? closed : status;
    if (!wanted->quiet && status == DAL_OK)
        printf("%-44s %6.2f s\n", x->path, evidence.wall_seconds);
    dal_report(messages, wanted->quiet || status == DAL_OK ? DAL_ERROR : DAL_NOTE);
    dal_messages_free(messages);
    return status;
}

/* ---- all of them ------------------------------------------------------------------------- */

static dal_status run_models(const request *wanted, exhibit *exhibits, dal_page *index)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < wanted->n && !dal_caught_signal(); i++) {
        const dal_status one = run_model(wanted, wanted->models[i], &exhibits[i], index);
        status = status == DAL_OK ? one : status;
    }
    return status;
}

static int make_gallery(void *user)
{
    const request *wanted = user;
    dal_messages *messages = wanted->arguments.messages;
    exhibit *exhibits = calloc((size_t)wanted->n, sizeof *exhibits);
    const dal_page_options how = {.kind = "gallery", .title = wanted->title ? wanted->title : "Models"};
    char path[1024];
    dal_page *index = NULL;
    snprintf(path, sizeof path, "%s/index.html", wanted->folder);
    dal_status status = exhibits ? DAL_OK : DAL_NO_MEMORY;
    if (status == DAL_OK && mkdir(wanted->folder, 0777) && errno != EEXIST) {
        fprintf(stderr, "dalembert gallery: error: the folder '%s' cannot be created: %s\n", wanted->folder, strerror(errno));
        status = DAL_BAD_FILE;
    }
    dal_catch_signals();
    dal_announce_output(path);
    if (status == DAL_OK)
        status = check_files(wanted, path, messages);
    if (status == DAL_OK)
        status = dal_page_open(path, NULL, NULL, &how, messages, &index);
    if (status == DAL_OK) {
        status = run_models(wanted, exhibits, index);
        dal_status closed = DAL_OK;
        if (dal_caught_signal())
            dal_page_discard(index);
        else
            closed = dal_page_close(index, true);
        status = status == DAL_OK ? closed : status;
        if (closed == DAL_OK && !dal_caught_signal() && !wanted->quiet)
            printf("%s\n", path);
        if (closed == DAL_OK && !dal_caught_signal() && wanted->open)
            dal_show_page("gallery", path);
    }
    dal_report(messages, DAL_NOTE);
    for (int i = 0; exhibits && i < wanted->n; i++) {
        dal_system_free(exhibits[i].system);
        dal_spec_free(exhibits[i].spec);
    }
    free(exhibits);
    return dal_caught_signal() ? 128 + dal_caught_signal() : (int)status;
}

const dal_command dal_command_gallery = DAL_COMMAND("gallery", "pages of several models, and an index in which they move", make_gallery);
