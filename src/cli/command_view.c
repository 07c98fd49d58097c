/* dalembert view: a file of results as a page. */
#include "cli/apart.h"
#include "cli/model_options.h"
#include "cli/pages.h"
#include "cli/result_options.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "dalembert view RESULT --model MODEL [options]\n"
    "\n"
    "Make a page from a file of results (.csv, .h5): the mechanism moves, the recorded channels are plotted. The file "
    "needs\n"
    "the places of the bodies: 'dalembert run --motion' records them beside what the model asks for.\n"
    "\n"
    "    -m, --model MODEL       the model that it was made from\n"
    "    --set NAME=VALUE        as for the run; may be repeated\n"
    "    --floating              as for the run\n"
    "    -o, --output FILE       the page; the name of RESULT with .html if omitted\n"
    "    --open                  show it in a browser\n"
    "    --frames N              most frames (usually 1000 to 20000, by the model's size)\n"
    "    -q, --quiet             no warnings\n"
    "    -h, --help              this text\n"
    "\n"
    "The file is read row by row: a large one needs no more memory than a small one.\n";

enum { SET = 1000, FLOATING, OPEN, FRAMES };

typedef struct request {
    const char *result, *model;
    dal_pages pages;
    int n_overrides;
    dal_override *overrides;
    bool floating, quiet;
    char *output; /* made up */
} request;

static const struct option options[] = {{"model", required_argument, NULL, 'm'},
                                        {"set", required_argument, NULL, SET},
                                        {"floating", no_argument, NULL, FLOATING},
                                        {"output", required_argument, NULL, 'o'},
                                        {"open", no_argument, NULL, OPEN},
                                        {"frames", required_argument, NULL, FRAMES},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static int add_override(request *wanted, char *text)
{
    return dal_override_read("view", text, &wanted->overrides[wanted->n_overrides++]);
}

static int add_page(request *wanted, const char *path)
{
    if (!dal_is_page(path))
        return dal_wrong_use("view", "a page is an .html file, not '%s'", path);
    return dal_pages_add("view", &wanted->pages, path);
}

static int take(void *user, int option)
{
    request *wanted = user;
    switch (option) {
    case 'm': wanted->model = optarg; break;
    case 'o': return add_page(wanted, optarg);
    case 'q': wanted->quiet = true; break;
    case SET: return add_override(wanted, optarg);
    case FLOATING: wanted->floating = true; break;
    case OPEN: wanted->pages.show = true; break;
    case FRAMES: return dal_pages_frames("view", optarg, &wanted->pages.most_frames);
    }
    return DAL_OK;
}

/* The length of a name without its last extension. */
static size_t stem_of(const char *name, size_t length)
{
    for (size_t i = length; i > 0 && name[i - 1] != '/'; i--)
        if (name[i - 1] == '.')
            return i - 1;
    return length;
}

/* result.h5 -> result.html, also of result.h5.part */
static int default_page(request *wanted)
{
    size_t length = strlen(wanted->result), stem = stem_of(wanted->result, length);
    if (!strcmp(wanted->result + stem, ".part"))
        stem = stem_of(wanted->result, stem);
    wanted->output = malloc(stem + sizeof ".html");
    if (!wanted->output)
        return DAL_NO_MEMORY;
    memcpy(wanted->output, wanted->result, stem);
    strcpy(wanted->output + stem, ".html");
    return add_page(wanted, wanted->output);
}

static const dal_result_options known = {usage, ":m:o:qh", options, take};

/* 0: go on, -1: help was printed, otherwise the exit code. */
static int read_options(int argc, char **argv, request *wanted)
{
    wanted->overrides = calloc((size_t)argc, sizeof *wanted->overrides);
    if (!wanted->overrides)
        return DAL_NO_MEMORY;
    const int status = dal_result_options_read(&known, argc, argv, wanted, &wanted->result);
    if (status != DAL_OK)
        return status;
    if (!wanted->model)
        return dal_wrong_use("view", "which model was it made from? give it by --model, as in --model four-bar.yaml");
    return wanted->pages.n ? DAL_OK : default_page(wanted);
}

static dal_status view(request *wanted, dal_messages *messages)
{
    const dal_read_options read = {
        .n_overrides = wanted->n_overrides, .overrides = wanted->overrides, .floating = wanted->floating};
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_results *results = NULL;
    dal_status status = dal_results_open(NULL, wanted->result, messages, &results);
    if (status == DAL_OK)
        status = dal_spec_read_with(NULL, wanted->model, &read, messages, &spec);
    if (status == DAL_OK)
        status = dal_pages_check(&wanted->pages, 0, NULL, spec, wanted->result, messages);
    if (status == DAL_OK) {
        dal_spec_show(spec);
        status = dal_compile(NULL, spec, messages, &system);
    }
    for (int i = 0; i < wanted->pages.n && status == DAL_OK; i++) {
        dal_announce_output(wanted->pages.path[i]);
        status = dal_page_open(wanted->pages.path[i], spec, system,
                               &(dal_page_options){.command = wanted->pages.command}, messages, &wanted->pages.page[i]);
    }
    for (int i = 0; i < wanted->pages.n && status == DAL_OK; i++) {
        if (i > 0) { /* from the beginning again */
            dal_results_close(results);
            status = dal_results_open(NULL, wanted->result, messages, &results);
        }
        if (status == DAL_OK)
            status = dal_page_results(wanted->pages.page[i], results, system, wanted->pages.most_frames);
        dal_pages one = {.n = 1, .page = {wanted->pages.page[i]}};
        dal_status closed = DAL_OK;
        if (status == DAL_OK)
            closed = dal_pages_close(&one, true, spec, NULL, DAL_OK, messages);
        else
            dal_pages_discard(&one);
        wanted->pages.page[i] = NULL;
        wanted->pages.kept[i] = one.kept[0];
        status = status == DAL_OK ? closed : status;
    }
    dal_pages_discard(&wanted->pages); /* those that were not reached */
    dal_results_close(results);
    dal_system_free(system);
    dal_spec_free(spec);
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = dal_messages_create(NULL);
    dal_status status = messages ? view(wanted, messages) : DAL_NO_MEMORY;
    if (messages)
        dal_report(messages, wanted->quiet ? DAL_ERROR : DAL_NOTE);
    if (status != DAL_OK && !(messages && dal_messages_count(messages, DAL_ERROR)))
        fprintf(stderr, "dalembert view: error: %s\n", dal_status_text(status));
    dal_messages_free(messages);
    return status == DAL_OK ? (int)dal_pages_show("view", &wanted->pages) : (int)status;
}

static int run(int argc, char **argv)
{
    char *command = dal_command_text(argc, argv);
    request wanted = {.pages.command = command};
    int status = read_options(argc, argv, &wanted);
    if (status == DAL_OK)
        status = dal_work_apart("view", wanted.result, run_request, &wanted);
    free(wanted.overrides);
    free(wanted.output);
    free(command);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_view = {"view", "make a page from a file of results: the mechanism moves", usage, run};
