/* dalembert snapshots: the mechanism at several instants in one picture. */
#include "cli/apart.h"
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/picture_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "dalembert snapshots RESULT --model MODEL -o FILE [options]\n"
                            "\n"
                            "Draw the mechanism at several instants in one picture, from light to dark, as papers print them. RESULT (.csv, "
                            ".h5)\n"
                            "needs the places of the bodies: 'dalembert run --motion' records them.\n"
                            "\n"
                            "    -m, --model MODEL       the model that it was made from\n"
                            "    -o, --output FILE       .svg, or .png (through rsvg-convert); - is SVG on standard output\n"
                            "    --times T1,T2,...       instants, s: the nearest recorded rows are taken\n"
                            "    --count N               number of instants, evenly from the first row to the last; 5 if omitted\n"
                            "    --size WIDTHxHEIGHT     pixels; PNG files have twice as many\n"
                            "    --title TEXT            title of the picture\n"
                            "    --set NAME=VALUE        as for the run; may be repeated\n"
                            "    --floating              as for the run\n"
                            "    -q, --quiet             only warnings and errors\n"
                            "    -h, --help              this text\n";

enum { MOST = 50 }; /* instants */

typedef struct request {
    dal_model_options model;
    const char *output;
    dal_snapshot_options picture;
    double times[MOST];
    bool quiet;
} request;

static int read_times(void *user, char *text)
{
    request *wanted = user;
    const char *at = text;
    wanted->picture.n_times = 0;
    wanted->picture.times = wanted->times;
    for (;;) {
        char *end;
        const double t = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(t) || wanted->picture.n_times == MOST)
            return dal_wrong_use("snapshots", "--times needs up to %d instants in seconds, as in 0,0.5,1, not '%s'", MOST, text);
        wanted->times[wanted->picture.n_times++] = t;
        if (!*end)
            return DAL_OK;
        at = end + 1;
    }
}

static int read_count(void *user, char *text)
{
    request *wanted = user;
    char *end;
    const long n = strtol(text, &end, 10);
    if (*end || n < 1 || n > MOST)
        return dal_wrong_use("snapshots", "--count needs a number from 1 to %d, not '%s'", MOST, text);
    wanted->picture.count = (int)n;
    return DAL_OK;
}

static int check_type(void *user, char *path)
{
    (void)user;
    return dal_picture_type("snapshots", path);
}

static int read_size(void *user, char *text)
{
    request *wanted = user;
    return dal_picture_size("snapshots", text, &wanted->picture.width, &wanted->picture.height);
}

static const dal_option options[] = {DAL_TEXT("model", 'm', model.path),
                                     DAL_FILE("output", 'o', output, check_type),
                                     DAL_READ("times", 0, read_times),
                                     DAL_READ("count", 0, read_count),
                                     DAL_READ("size", 0, read_size),
                                     DAL_TEXT("title", 0, picture.title),
                                     DAL_SET,
                                     DAL_FLAG("quiet", 'q', quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->model.path)
        return dal_wrong_use("snapshots", "which model was it made from? give it with --model, as in --model four-bar.yaml");
    if (!wanted->output)
        return dal_wrong_use("snapshots", "where to? give a file with -o, as in -o frames.svg");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_RESULT, check_use};

static dal_status draw_snapshots(void *user, dal_messages *messages, char **svg)
{
    const request *wanted = user;
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK)
        status = dal_output_check(wanted->output, spec, wanted->model.result, messages);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    if (status == DAL_OK)
        status = dal_snapshots_svg(NULL, wanted->model.result, spec, system, &wanted->picture, messages, svg);
    dal_system_free(system);
    dal_spec_free(spec);
    return status;
}

static int run_request(void *user)
{
    const request *wanted = user;
    return dal_picture_command("snapshots", wanted->output, wanted->quiet, wanted->model.messages, draw_snapshots, user);
}

static int run_apart(void *user)
{
    request *wanted = user;
    return dal_work_apart("snapshots", wanted->model.result, run_request, wanted);
}

const dal_command dal_command_snapshots = DAL_COMMAND("snapshots", "draw the mechanism at several instants in one picture: SVG, PNG", run_apart);
