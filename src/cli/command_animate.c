/* dalembert animate: the mechanism at several instants in one picture. */
#include "cli/model_options.h"
#include "cli/apart.h"
#include "cli/outputs.h"
#include "cli/picture_file.h"
#include "cli/result_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "dalembert animate RESULT --model MODEL -o FILE [options]\n"
    "\n"
    "Draw the mechanism at several instants in one picture, from light to dark, as papers print them. RESULT (.csv, "
    ".h5)\n"
    "needs the places of the bodies: 'dalembert run --motion' records them beside what the model asks for.\n"
    "\n"
    "    -m, --model MODEL       the model that it was made from\n"
    "    -o, --output FILE       .svg, or .png (through rsvg-convert); - is SVG on standard output\n"
    "    --times T1,T2,...       instants, s: the nearest recorded rows are taken\n"
    "    --count N               so many, evenly from the first row to the last; 5 if omitted\n"
    "    --size WIDTHxHEIGHT     pixels; PNG files have twice as many\n"
    "    --title TEXT            above the picture\n"
    "    --set NAME=VALUE        as for the run; may be repeated\n"
    "    --floating              as for the run\n"
    "    -q, --quiet             no messages but errors\n"
    "    -h, --help              this text\n";

enum { TIMES = 1000, COUNT, SIZE, TITLE, SET, FLOATING, MOST = 50 };

typedef struct request {
    const char *result, *model, *output;
    dal_snapshot_options picture;
    double times[MOST];
    int n_overrides;
    dal_override *overrides;
    bool floating, quiet;
} request;

static const struct option options[] = {{"model", required_argument, NULL, 'm'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"times", required_argument, NULL, TIMES},
                                        {"count", required_argument, NULL, COUNT},
                                        {"size", required_argument, NULL, SIZE},
                                        {"title", required_argument, NULL, TITLE},
                                        {"set", required_argument, NULL, SET},
                                        {"floating", no_argument, NULL, FLOATING},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static int read_times(request *wanted, const char *text)
{
    const char *at = text;
    wanted->picture.n_times = 0;
    wanted->picture.times = wanted->times;
    for (;;) {
        char *end;
        const double t = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(t) || wanted->picture.n_times == MOST)
            return dal_wrong_use("animate", "--times wants up to %d instants in seconds, as in 0,0.5,1, not '%s'", MOST,
                                 text);
        wanted->times[wanted->picture.n_times++] = t;
        if (!*end)
            return DAL_OK;
        at = end + 1;
    }
}

static int read_count(request *wanted, const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (*end || n < 1 || n > MOST)
        return dal_wrong_use("animate", "--count wants a number from 1 to %d, not '%s'", MOST, text);
    wanted->picture.count = (int)n;
    return DAL_OK;
}

static int add_override(request *wanted, char *text)
{
    return dal_override_read("animate", text, &wanted->overrides[wanted->n_overrides++]);
}

static int take(void *user, int option)
{
    request *wanted = user;
    switch (option) {
    case 'm': wanted->model = optarg; break;
    case 'o':
        if (wanted->output)
            return dal_wrong_use("animate", "one file at a time: -o was given twice");
        wanted->output = optarg;
        return dal_picture_type("animate", optarg);
    case 'q': wanted->quiet = true; break;
    case TIMES: return read_times(wanted, optarg);
    case COUNT: return read_count(wanted, optarg);
    case SIZE: return dal_picture_size("animate", optarg, &wanted->picture.width, &wanted->picture.height);
    case TITLE: wanted->picture.title = optarg; break;
    case SET: return add_override(wanted, optarg);
    case FLOATING: wanted->floating = true; break;
    }
    return DAL_OK;
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
        return dal_wrong_use("animate",
                             "which model was it made from? give it by --model, as in --model four-bar.yaml");
    if (!wanted->output)
        return dal_wrong_use("animate", "where to? give a file by -o, as in -o frames.svg");
    return DAL_OK;
}

static dal_status draw(const request *wanted, dal_messages *messages, char **svg)
{
    const dal_read_options read = {
        .n_overrides = wanted->n_overrides, .overrides = wanted->overrides, .floating = wanted->floating};
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_status status = dal_spec_read_with(NULL, wanted->model, &read, messages, &spec);
    if (status == DAL_OK)
        status = dal_output_check(wanted->output, spec, wanted->result, messages);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    if (status == DAL_OK)
        status = dal_snapshots_svg(NULL, wanted->result, spec, system, &wanted->picture, messages, svg);
    dal_system_free(system);
    dal_spec_free(spec);
    return status;
}

static int run_request(void *user)
{
    const request *wanted = user;
    char *svg = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    dal_status status = messages ? draw(wanted, messages, &svg) : DAL_NO_MEMORY;
    if (messages)
        dal_report(messages, wanted->quiet ? DAL_ERROR : DAL_NOTE);
    if (status != DAL_OK && !(messages && dal_messages_count(messages, DAL_ERROR)))
        fprintf(stderr, "dalembert animate: error: %s\n", dal_status_text(status));
    if (status == DAL_OK)
        status = dal_write_picture("animate", wanted->output, svg);
    free(svg);
    dal_messages_free(messages);
    return (int)status;
}

static int run(int argc, char **argv)
{
    request wanted = {0};
    int status = read_options(argc, argv, &wanted);
    if (status == DAL_OK)
        status = dal_work_apart("animate", wanted.result, run_request, &wanted);
    free(wanted.overrides);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_animate = {"animate", "draw the mechanism at several instants in one picture: SVG, PNG",
                                         usage, run};
