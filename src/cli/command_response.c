/* dalembert response: amplitudes and phases over the frequency. */
#include "cli/chart_page.h"
#include "cli/options.h"
#include "cli/pages.h"
#include "cli/picture_file.h"
#include "cli/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert response MODEL --input NAME --output NAME --from F --to F [options]\n"
    "\n"
    "Print the frequency response of small motions about a point, from the exact linearisation: amplitude and phase of the\n"
    "outputs over those of the inputs. Without a file, the ends of the range and the largest amplitude are printed.\n"
    "\n"
    "    --input NAMES           inputs of the model, motors (an effort added to their own), drives; may be repeated\n"
    "    --output NAMES          channels and expressions of channels, as in record:; may be repeated\n"
    "    --from F, --to F        frequencies, Hz\n"
    "    --points N              how many between them, evenly on a logarithmic scale (400; 4000 for a picture)\n"
    "    --frequencies F,F,...   these instead, Hz\n"
    "    --omega                 all frequencies above are in rad/s\n"
    "\n"
    "    -o, --file FILE         .csv or .json: the numbers; .svg or .png: a picture; .html: Bode's and Nyquist's diagrams\n"
    "    --nyquist               draw the curve in the complex plane, not Bode's diagram\n"
    "    --size WIDTHxHEIGHT     pixels of the picture\n"
    "    --title TEXT            title of the picture\n"
    "\n"
    "    --at start|equilibrium|steady|FILE  where (start): as 'dalembert linearize'\n"
    "    --steady COORDINATE=RATE  rates of a steady motion; may be repeated\n"
    DAL_USAGE_EQUATIONS
    DAL_USAGE_PARAMETERS
    DAL_USAGE_DIGITS
    DAL_USAGE_JSON
    "    -h, --help              this text\n";
/* clang-format on */

typedef struct request {
    dal_model_options model;
    dal_steady_list where;
    const char *file, *from, *to;
    dal_name_list inputs, outputs, frequencies;
    bool omega, json;
    int points, digits;
    dal_pixels size;
    dal_response_drawing drawing;
    int n;
    double *list; /* rad/s */
    dal_response *response;
} request;

static const dal_option options[] = {DAL_NAMES("input", inputs),
                                     DAL_NAMES("output", outputs),
                                     DAL_ONCE("from", from),
                                     DAL_ONCE("to", to),
                                     DAL_WHOLE("points", points, 2, 1000000),
                                     DAL_NAMES("frequencies", frequencies),
                                     DAL_FLAG("omega", 0, omega),
                                     DAL_FILE("file", 'o', file),
                                     DAL_FLAG("nyquist", 0, drawing.nyquist),
                                     DAL_SIZE(size),
                                     DAL_TEXT("title", 0, drawing.title),
                                     DAL_ONCE("at", where.at),
                                     DAL_STEADY(where),
                                     DAL_SET,
                                     DAL_DIGITS,
                                     DAL_FLAG("json", 0, json),
                                     {0}};

/* ---- frequencies ---------------------------------------------------------------------------------- */

static int read_frequency(const char *option, const char *text, double least, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || !(*value >= least))
        return dal_wrong_use("response", least > 0 ? "--%s needs a frequency above 0, not '%s'" : "--%s needs frequencies from 0, not '%s'", option,
                             text);
    return DAL_OK;
}

static bool draws(const request *wanted)
{
    static const char *const tables[] = {".csv", ".json", NULL};
    return wanted->file && !dal_has_one_extension(wanted->file, tables);
}

static int list_frequencies(request *wanted)
{
    const double unit = wanted->omega ? 1 : 2 * M_PI;
    double from = 0, to = 0;
    wanted->n = wanted->frequencies.n ? wanted->frequencies.n : wanted->points ? wanted->points : draws(wanted) ? 4000 : 400;
    wanted->list = malloc(sizeof *wanted->list * (size_t)wanted->n);
    if (!wanted->list)
        return DAL_NO_MEMORY;
    for (int i = 0; i < wanted->frequencies.n; i++) {
        const int status = read_frequency("frequencies", wanted->frequencies.names[i], 0, &wanted->list[i]);
        if (status)
            return status;
        wanted->list[i] *= unit;
    }
    if (wanted->frequencies.n)
        return DAL_OK;
    if (!wanted->from || !wanted->to)
        return dal_wrong_use("response", "which frequencies? give --from and --to, or --frequencies");
    int status = read_frequency("from", wanted->from, 1e-300, &from);
    if (!status)
        status = read_frequency("to", wanted->to, 1e-300, &to);
    if (!status && !(to > from))
        status = dal_wrong_use("response", "--to %s is not above --from %s", wanted->to, wanted->from);
    for (int i = 0; i < wanted->n && !status; i++)
        wanted->list[i] = unit * (i == 0 ? from : i == wanted->n - 1 ? to : from * pow(to / from, i / (wanted->n - 1.0)));
    return status;
}

/* What says one thing twice, or two things. */
static int check_choices(const request *wanted)
{
    int status = dal_steady_list_check(&wanted->where, "response");
    if (!status)
        status = dal_name_list_check(&wanted->inputs, "response", "--input");
    if (!status)
        status = dal_name_list_check(&wanted->outputs, "response", "--output");
    if (status)
        return status;
    if (wanted->frequencies.n && (wanted->from || wanted->to || wanted->points))
        return dal_wrong_use("response", "--frequencies lists them, and --from, --to and --points make a range: one of them");
    if (wanted->file && wanted->json)
        return dal_wrong_use("response", "--json prints, and -o writes a file: one of them");
    if (wanted->drawing.nyquist && !draws(wanted))
        return dal_wrong_use("response", "--nyquist is for a picture: -o FILE.svg or -o FILE.png");
    return DAL_OK;
}

static int check_use(void *user)
{
    static const char *const types[] = {".csv", ".json", ".svg", ".png", NULL};
    request *wanted = user;
    const char *file = wanted->file;
    if (!wanted->inputs.n)
        return dal_wrong_use("response", "the response to what? give --input: an input of the model, a motor or a drive");
    if (!wanted->outputs.n)
        return dal_wrong_use("response", "the response of what? give --output: a channel, as in --output body.y");
    if (file && !dal_has_one_extension(file, types) && !dal_is_page(file))
        return dal_wrong_use("response", "the type of '%s' is not known: .csv, .json, .svg, .png or .html", file);
    int status = check_choices(wanted);
    if (status)
        return status;
    wanted->drawing.width = wanted->size.width;
    wanted->drawing.height = wanted->size.height;
    return list_frequencies(wanted);
}

static void release_request(void *user)
{
    request *wanted = user;
    dal_response_free(wanted->response);
    free(wanted->list);
}

static const dal_option_table table = {usage, options, dal_equation_settings, DAL_ARGUMENT_MODEL, check_use, release_request};

/* ---- output ------------------------------------------------------------------------------------------ */

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return wanted->json ? dal_response_json(wanted->response, buffer, size) : dal_response_text(wanted->response, wanted->digits, buffer, size);
}

static int file_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return dal_has_extension(wanted->file, ".csv") ? dal_response_csv(wanted->response, buffer, size)
                                                   : dal_response_json(wanted->response, buffer, size);
}

static dal_status write_page(const request *wanted, dal_messages *messages)
{
    dal_response_drawing drawing = wanted->drawing;
    char *svgs[2] = {NULL, NULL}, *page = NULL;
    drawing.nyquist = false;
    dal_status status = dal_response_svg(NULL, wanted->response, &drawing, messages, &svgs[0]);
    drawing.nyquist = true;
    if (status == DAL_OK)
        status = dal_response_svg(NULL, wanted->response, &drawing, messages, &svgs[1]);
    if (status == DAL_OK &&
        !(page = dal_chart_page(wanted->drawing.title ? wanted->drawing.title : "frequency response", 2, (const char *const *)svgs)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_write_whole_file("response", wanted->file, page);
    free(page);
    free(svgs[0]);
    free(svgs[1]);
    return status;
}

static dal_status write_file(void *user, dal_messages *messages)
{
    const request *wanted = user;
    char *svg = NULL;
    if (!draws(wanted))
        return dal_write_printed_file("response", wanted->file, file_of, wanted);
    if (dal_is_page(wanted->file))
        return write_page(wanted, messages);
    dal_status status = dal_response_svg(NULL, wanted->response, &wanted->drawing, messages, &svg);
    if (status == DAL_OK)
        status = dal_write_picture("response", wanted->file, svg);
    free(svg);
    return status;
}

static dal_status find_response(void *user, const dal_spec *spec, dal_messages *messages)
{
    request *wanted = user;
    const dal_linear_options asked = dal_steady_options(&wanted->where, &wanted->inputs, &wanted->outputs);
    return dal_response_find(NULL, spec, &asked, wanted->n, wanted->list, messages, &wanted->response);
}

static int run_request(void *user)
{
    static const dal_finding how = {find_response, text_of, write_file};
    const request *wanted = user;
    return dal_find_and_print(&how, user, wanted->file, wanted->where.at);
}

const dal_command dal_command_response = DAL_COMMAND("response", "print or draw the frequency response of small motions", run_request);
