/* dalembert snapshots: the mechanism at several instants in one picture. */
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
    dal_picture_request picture;
    dal_snapshot_options snapshots;
    double times[MOST];
} request;

static int read_times(void *user, char *text)
{
    request *wanted = user;
    const char *at = text;
    wanted->snapshots.n_times = 0;
    wanted->snapshots.times = wanted->times;
    for (;;) {
        char *end;
        const double t = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(t) || wanted->snapshots.n_times == MOST)
            return dal_wrong_use("snapshots", "--times needs up to %d instants in seconds, as in 0,0.5,1, not '%s'", MOST, text);
        wanted->times[wanted->snapshots.n_times++] = t;
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
    wanted->snapshots.count = (int)n;
    return DAL_OK;
}

static const dal_option options[] = {DAL_TEXT("model", 'm', picture.model.path),
                                     DAL_PICTURE(picture.output),
                                     DAL_READ("times", 0, read_times),
                                     DAL_READ("count", 0, read_count),
                                     DAL_SIZE(picture.size),
                                     DAL_TEXT("title", 0, picture.title),
                                     DAL_SET,
                                     DAL_FLAG("quiet", 'q', picture.quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->picture.model.path)
        return dal_wrong_use("snapshots", "which model was it made from? give it with --model, as in --model four-bar.yaml");
    if (!wanted->picture.output)
        return dal_wrong_use("snapshots", "where to? give a file with -o, as in -o frames.svg");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_RESULT, check_use, NULL};

static dal_status draw_snapshots(void *user, const dal_spec *spec, const dal_system *system, dal_messages *messages, char **svg)
{
    const request *wanted = user;
    dal_snapshot_options snapshots = wanted->snapshots;
    snapshots.title = wanted->picture.title;
    snapshots.width = wanted->picture.size.width;
    snapshots.height = wanted->picture.size.height;
    return dal_snapshots_svg(NULL, wanted->picture.model.result, spec, system, &snapshots, messages, svg);
}

static int run_request(void *user)
{
    return dal_picture_command(user, draw_snapshots);
}

const dal_command dal_command_snapshots = DAL_COMMAND("snapshots", "draw the mechanism at several instants in one picture: SVG, PNG", run_request);
