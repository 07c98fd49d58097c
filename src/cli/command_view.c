/* dalembert view: a file of results as a page. */
#include "cli/options.h"
#include "cli/pages.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] = "dalembert view RESULT --model MODEL [options]\n"
                            "\n"
                            "Make a page from a file of results (.csv, .h5): the mechanism moves, the recorded channels are plotted. The file "
                            "needs\n"
                            "the places of the bodies: 'dalembert run --motion' records them.\n"
                            "\n"
                            "    -m, --model MODEL       the model that it was made from\n"
                            "    --set NAME=VALUE        as for the run; may be repeated\n"
                            "    --floating              as for the run\n"
                            "    -o, --output FILE       the page; the name of RESULT with .html if omitted\n"
                            "    --open                  show it in a browser\n"
                            "    --frames N              maximum number of frames (default 1000 to 20000, by the model's size)\n"
                            "    --no-equations          a page without its tab of equations, which takes most of the time of a short run\n"
                            "    -q, --quiet             only warnings and errors\n"
                            "    -h, --help              this text\n"
                            "\n"
                            "The file is read row by row: a large one needs no more memory than a small one.\n";

typedef struct request {
    dal_model_options model;
    dal_pages pages;
    bool quiet;
    char *output; /* derived from the name of the results */
} request;

static int read_page(void *user, char *path)
{
    request *wanted = user;
    if (!dal_is_page(path))
        return dal_wrong_use("view", "a page is an .html file, not '%s'", path);
    return dal_pages_add("view", &wanted->pages, path);
}

static int read_frames(void *user, char *text)
{
    return dal_pages_frames("view", text, &((request *)user)->pages.most_frames);
}

static const dal_option options[] = {DAL_TEXT("model", 'm', model.path), DAL_SET,
                                     DAL_READ("output", 'o', read_page), DAL_FLAG("open", 0, pages.show),
                                     DAL_READ("frames", 0, read_frames), DAL_FLAG("no-equations", 0, pages.no_equations),
                                     DAL_FLAG("quiet", 'q', quiet),      {0}};
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
    size_t length = strlen(wanted->model.result), stem = stem_of(wanted->model.result, length);
    if (!strcmp(wanted->model.result + stem, ".part"))
        stem = stem_of(wanted->model.result, stem);
    wanted->output = malloc(stem + sizeof ".html");
    if (!wanted->output)
        return DAL_NO_MEMORY;
    memcpy(wanted->output, wanted->model.result, stem);
    strcpy(wanted->output + stem, ".html");
    return read_page(wanted, wanted->output);
}

static int check_use(void *user)
{
    request *wanted = user;
    if (!wanted->model.path)
        return dal_wrong_use("view", "which model was it made from? give it with --model, as in --model four-bar.yaml");
    return wanted->pages.n ? DAL_OK : default_page(wanted);
}

static void release_request(void *user)
{
    free(((request *)user)->output);
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_RESULT, check_use, release_request};

static dal_status open_pages(request *wanted)
{
    dal_model_options *model = &wanted->model;
    const dal_page_options how = {.command = model->command};
    dal_status status = dal_model_load(model, NULL, NULL);
    if (status == DAL_OK)
        status = dal_pages_check(&wanted->pages, 0, NULL, model->spec, model->result, model->messages);
    if (status == DAL_OK) {
        dal_spec_show(model->spec);
        status = dal_compile(NULL, model->spec, model->messages, &model->system);
    }
    for (int i = 0; i < wanted->pages.n && status == DAL_OK; i++) {
        dal_announce_output(wanted->pages.path[i]);
        status = dal_page_open(wanted->pages.path[i], model->spec, model->system, &how, model->messages, &wanted->pages.page[i]);
    }
    return status;
}

/* The results, from their beginning, on page i. */
static dal_status fill_page(request *wanted, int i, dal_results *results)
{
    const dal_model_options *model = &wanted->model;
    dal_pages one = {.n = 1, .page = {wanted->pages.page[i]}};
    dal_status status = dal_page_results(wanted->pages.page[i], results, model->system, wanted->pages.most_frames);
    if (status == DAL_OK)
        status = dal_pages_close(&one, true, model->spec, NULL, DAL_OK, model->messages);
    else
        dal_pages_discard(&one);
    wanted->pages.page[i] = NULL;
    wanted->pages.kept[i] = one.kept[0];
    return status;
}

static dal_status view_result(request *wanted)
{
    dal_results *results = NULL;
    dal_status status = dal_results_open(NULL, wanted->model.result, wanted->model.messages, &results);
    if (status == DAL_OK)
        status = open_pages(wanted);
    for (int i = 0; i < wanted->pages.n && status == DAL_OK; i++) {
        if (i > 0) {
            dal_results_close(results);
            status = dal_results_open(NULL, wanted->model.result, wanted->model.messages, &results);
        }
        if (status == DAL_OK)
            status = fill_page(wanted, i, results);
    }
    dal_pages_discard(&wanted->pages); /* the pages that were not written */
    dal_results_close(results);
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    const dal_status status = view_result(wanted);
    dal_report_end("view", wanted->model.messages, wanted->quiet ? DAL_WARNING : DAL_NOTE, status);
    return (int)(status == DAL_OK ? dal_pages_show("view", &wanted->pages) : status);
}

const dal_command dal_command_view = DAL_COMMAND("view", "make a page from a file of results: the mechanism moves", run_request);
