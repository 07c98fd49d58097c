/* dalembert plot: channels of a file of results as a picture. */
#include "cli/apart.h"
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/picture_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "dalembert plot RESULT --channels A,B,... -o FILE [options]\n"
                            "\n"
                            "Draw channels of a file of results (.csv, .h5) over time. Channels of one unit share a panel. Units are those of the\n"
                            "file (`run --units`, HDF5), then those of the model, then those of common names.\n"
                            "\n"
                            "    -c, --channels A,B,...  which columns\n"
                            "    -o, --output FILE       .svg, or .png (through rsvg-convert); - is SVG on standard output\n"
                            "    -x, --x CHANNEL         another horizontal axis than time: a phase plot\n"
                            "    -m, --model MODEL       the model of the run: units of columns for which the file has none\n"
                            "    --log                   logarithmic vertical axes\n"
                            "    --from T, --to T        part of the time, s\n"
                            "    --size WIDTHxHEIGHT     pixels; PNG files have twice as many\n"
                            "    --title TEXT            title of the picture\n"
                            "    -q, --quiet             only warnings and errors\n"
                            "    -h, --help              this text\n"
                            "\n"
                            "The file is read row by row; of many rows within a pixel the extremes are drawn, so that no peak is lost.\n";

typedef struct request {
    dal_model_options arguments;
    const char *output;
    char **channels;
    dal_plot_options plot;
    bool quiet;
} request;

static int read_time(const char *option, const char *text, double *time)
{
    char *end;
    *time = strtod(text, &end);
    if (end == text || *end || !isfinite(*time))
        return dal_wrong_use("plot", "--%s needs a time in seconds, not '%s'", option, text);
    return DAL_OK;
}

static int read_from(void *user, char *text)
{
    return read_time("from", text, &((request *)user)->plot.from);
}

static int read_to(void *user, char *text)
{
    return read_time("to", text, &((request *)user)->plot.to);
}

static int read_channels(void *user, char *text)
{
    request *wanted = user;
    free(wanted->channels);
    wanted->plot.n_channels = dal_split(text, &wanted->channels);
    wanted->plot.channels = (const char *const *)wanted->channels;
    return DAL_OK;
}

static int check_type(void *user, char *path)
{
    (void)user;
    return dal_picture_type("plot", path);
}

static int read_size(void *user, char *text)
{
    request *wanted = user;
    return dal_picture_size("plot", text, &wanted->plot.width, &wanted->plot.height);
}

static const dal_option options[] = {DAL_READ("channels", 'c', read_channels),
                                     DAL_FILE("output", 'o', output, check_type),
                                     DAL_TEXT("x", 'x', plot.x),
                                     DAL_TEXT("model", 'm', arguments.path),
                                     DAL_FLAG("log", 0, plot.log),
                                     DAL_READ("from", 0, read_from),
                                     DAL_READ("to", 0, read_to),
                                     DAL_READ("size", 0, read_size),
                                     DAL_TEXT("title", 0, plot.title),
                                     DAL_FLAG("quiet", 'q', quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->plot.n_channels)
        return dal_wrong_use("plot", "which channels? give them with --channels, as in --channels crank.angle,slider.x");
    if (!wanted->output)
        return dal_wrong_use("plot", "where to? give a file with -o, as in -o plot.svg");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_RESULT, check_use};

static dal_status draw_plot(void *user, dal_messages *messages, char **svg)
{
    const request *wanted = user;
    dal_plot_options plot = wanted->plot;
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    int recorded;
    dal_status status = wanted->arguments.path ? dal_model_read(&wanted->arguments, messages, &spec) : DAL_OK;
    if (status == DAL_OK)
        status = dal_output_check(wanted->output, spec, wanted->arguments.result, messages);
    if (status == DAL_OK && spec) {
        dal_spec_show(spec);
        status = dal_compile(NULL, spec, messages, &system);
    }
    if (status == DAL_OK && system)
        plot.units = dal_system_columns(system, &recorded, &plot.n_units);
    if (status == DAL_OK)
        status = dal_plot_svg(NULL, wanted->arguments.result, &plot, messages, svg);
    dal_system_free(system);
    dal_spec_free(spec);
    return status;
}

static int run_request(void *user)
{
    const request *wanted = user;
    return dal_picture_command("plot", wanted->output, wanted->quiet, wanted->arguments.messages, draw_plot, user);
}

static int run_apart(void *user)
{
    request *wanted = user;
    return dal_work_apart("plot", wanted->arguments.result, run_request, wanted);
}

static int run_plot(int argc, char **argv)
{
    request wanted = {.plot = {.from = NAN, .to = NAN}};
    const int status = dal_run_command(&table, argc, argv, &wanted.arguments, &wanted, run_apart);
    free(wanted.channels);
    return status;
}

const dal_command dal_command_plot = {"plot", "draw channels of a file of results: SVG, PNG", usage, run_plot, NULL, 0, NULL};
