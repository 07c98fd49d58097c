/* dalembert plot: channels of a file of results as a picture. */
#include "cli/picture_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "dalembert plot RESULT -o FILE [options]\n"
                            "\n"
                            "Draw channels of a file of results (.csv, .h5) over time. Channels of one unit share a panel. Units are those of the\n"
                            "file (`run --units`, HDF5), then those of the model, then those of common names.\n"
                            "\n"
                            "    -c, --channels A,B,...  which columns; all of them (at most 40) if omitted\n"
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

typedef struct moment {
    bool given;
    double time;
} moment;

typedef struct request {
    dal_picture_request picture;
    char **channels;
    dal_plot_options plot;
    moment from, to;
} request;

static int read_time(const char *option, const char *text, moment *read)
{
    char *end;
    *read = (moment){true, strtod(text, &end)};
    if (end == text || *end || !isfinite(read->time))
        return dal_wrong_use("plot", "--%s needs a time in seconds, not '%s'", option, text);
    return DAL_OK;
}

static int read_from(void *user, char *text)
{
    return read_time("from", text, &((request *)user)->from);
}

static int read_to(void *user, char *text)
{
    return read_time("to", text, &((request *)user)->to);
}

static int read_channels(void *user, char *text)
{
    request *wanted = user;
    free(wanted->channels);
    wanted->plot.n_channels = dal_split(text, &wanted->channels);
    wanted->plot.channels = (const char *const *)wanted->channels;
    return wanted->channels ? DAL_OK : DAL_NO_MEMORY;
}

static const dal_option options[] = {DAL_READ("channels", 'c', read_channels),
                                     DAL_PICTURE(picture.output),
                                     DAL_TEXT("x", 'x', plot.x),
                                     DAL_TEXT("model", 'm', picture.model.path),
                                     DAL_FLAG("log", 0, plot.log),
                                     DAL_READ("from", 0, read_from),
                                     DAL_READ("to", 0, read_to),
                                     DAL_SIZE(picture.size),
                                     DAL_TEXT("title", 0, picture.title),
                                     DAL_FLAG("quiet", 'q', picture.quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->picture.output)
        return dal_wrong_use("plot", "where to? give a file with -o, as in -o plot.svg");
    return DAL_OK;
}

static void release_request(void *user)
{
    free(((request *)user)->channels);
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_RESULT, check_use, release_request};

static dal_status draw_plot(void *user, const dal_spec *spec, const dal_system *system, dal_messages *messages, char **svg)
{
    const request *wanted = user;
    dal_plot_options plot = wanted->plot;
    int recorded;
    (void)spec;
    plot.from = wanted->from.given ? wanted->from.time : NAN;
    plot.to = wanted->to.given ? wanted->to.time : NAN;
    plot.title = wanted->picture.title;
    plot.width = wanted->picture.size.width;
    plot.height = wanted->picture.size.height;
    if (system)
        plot.units = dal_system_columns(system, &recorded, &plot.n_units);
    return dal_plot_svg(NULL, wanted->picture.model.result, &plot, messages, svg);
}

static int run_request(void *user)
{
    return dal_picture_command(user, draw_plot);
}

const dal_command dal_command_plot = DAL_COMMAND("plot", "draw channels of a file of results: SVG, PNG", run_request);
