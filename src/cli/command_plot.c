/* dalembert plot: channels of a file of results as a picture. */
#include "cli/apart.h"
#include "cli/outputs.h"
#include "cli/picture_file.h"
#include "cli/result_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "dalembert plot RESULT --channels A,B,... -o FILE [options]\n"
    "\n"
    "Draw channels of a file of results (.csv, .h5) over time. Channels of one unit share a panel.\n"
    "\n"
    "    -c, --channels A,B,...  which columns\n"
    "    -o, --output FILE       .svg, or .png (through rsvg-convert); - is SVG on standard output\n"
    "    -x, --x CHANNEL         another horizontal axis than time: a phase plot\n"
    "    --log                   logarithmic vertical axes\n"
    "    --from T, --to T        part of the time, s\n"
    "    --size WIDTHxHEIGHT     pixels; PNG files have twice as many\n"
    "    --title TEXT            above the picture\n"
    "    -q, --quiet             no messages but errors\n"
    "    -h, --help              this text\n"
    "\n"
    "The file is read row by row; of many rows within a pixel the extremes are drawn, so that no peak is lost.\n";

enum { LOG = 1000, FROM, TO, SIZE, TITLE };

typedef struct request {
    const char *result, *output;
    char **channels;
    dal_plot_options plot;
    bool quiet;
} request;

static const struct option options[] = {{"channels", required_argument, NULL, 'c'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"x", required_argument, NULL, 'x'},
                                        {"log", no_argument, NULL, LOG},
                                        {"from", required_argument, NULL, FROM},
                                        {"to", required_argument, NULL, TO},
                                        {"size", required_argument, NULL, SIZE},
                                        {"title", required_argument, NULL, TITLE},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static int read_time(const char *option, const char *text, double *time)
{
    char *end;
    *time = strtod(text, &end);
    if (end == text || *end || !isfinite(*time))
        return dal_wrong_use("plot", "--%s wants a time in seconds, not '%s'", option, text);
    return DAL_OK;
}

static int take(void *user, int option)
{
    request *wanted = user;
    switch (option) {
    case 'c':
        free(wanted->channels);
        wanted->plot.n_channels = dal_split(optarg, &wanted->channels);
        wanted->plot.channels = (const char *const *)wanted->channels;
        break;
    case 'o':
        if (wanted->output)
            return dal_wrong_use("plot", "one file at a time: -o was given twice");
        wanted->output = optarg;
        return dal_picture_type("plot", optarg);
    case 'x': wanted->plot.x = optarg; break;
    case 'q': wanted->quiet = true; break;
    case LOG: wanted->plot.log = true; break;
    case FROM: return read_time("from", optarg, &wanted->plot.from);
    case TO: return read_time("to", optarg, &wanted->plot.to);
    case SIZE: return dal_picture_size("plot", optarg, &wanted->plot.width, &wanted->plot.height);
    case TITLE: wanted->plot.title = optarg; break;
    }
    return DAL_OK;
}

static const dal_result_options known = {usage, ":c:o:x:qh", options, take};

/* 0: go on, -1: help was printed, otherwise the exit code. */
static int read_options(int argc, char **argv, request *wanted)
{
    const int status = dal_result_options_read(&known, argc, argv, wanted, &wanted->result);
    if (status != DAL_OK)
        return status;
    if (!wanted->plot.n_channels)
        return dal_wrong_use("plot", "which channels? give them by --channels, as in --channels crank.angle,slider.x");
    if (!wanted->output)
        return dal_wrong_use("plot", "where to? give a file by -o, as in -o plot.svg");
    return DAL_OK;
}

static int run_request(void *user)
{
    const request *wanted = user;
    char *svg = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    dal_status status = messages ? dal_output_check(wanted->output, NULL, wanted->result, messages) : DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_plot_svg(NULL, wanted->result, &wanted->plot, messages, &svg);
    if (messages)
        dal_report(messages, wanted->quiet ? DAL_ERROR : DAL_NOTE);
    if (status != DAL_OK && !(messages && dal_messages_count(messages, DAL_ERROR)))
        fprintf(stderr, "dalembert plot: error: %s\n", dal_status_text(status));
    if (status == DAL_OK)
        status = dal_write_picture("plot", wanted->output, svg);
    free(svg);
    dal_messages_free(messages);
    return (int)status;
}

static int run(int argc, char **argv)
{
    request wanted = {.plot = {.from = NAN, .to = NAN}};
    int status = read_options(argc, argv, &wanted);
    if (status == DAL_OK)
        status = dal_work_apart("plot", wanted.result, run_request, &wanted);
    free(wanted.channels);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_plot = {"plot", "draw channels of a file of results: SVG, PNG", usage, run};
