/* dalembert modes: frequencies, damping and shapes of small motions; over a parameter, Campbell's diagram. */
#include "base/message.h"
#include "cli/chart_page.h"
#include "cli/modes_page.h"
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/pages.h"
#include "cli/picture_file.h"
#include "cli/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert modes MODEL [options]\n"
    "\n"
    "Print the eigenvalues of the small motions about a point: frequencies, damping ratios, and the parts that carry the\n"
    "kinetic energy of each mode. Directions in which nothing holds the model are counted and named.\n"
    "\n"
    DAL_USAGE_PLACE
    "\n"
    "    --over NAME=FROM:TO:N   over N values of a parameter, or of the rate of --steady: modes are followed by their shapes\n"
    "    --orders K,K,...        draw lines of K times the parameter (rad/s) as well\n"
    "    -o, --output FILE       .html: the shapes move; with --over .csv, .svg, .png or .html\n"
    "    --size WIDTHxHEIGHT     pixels of the picture\n"
    "    --title TEXT            title of the picture\n"
    "\n"
    DAL_USAGE_EQUATIONS
    DAL_USAGE_PARAMETERS
    DAL_USAGE_DIGITS
    "    --json                  a JSON object with the shapes, every number in full\n"
    "    -h, --help              this text\n";
/* clang-format on */

enum { MOST_ORDERS = 64 };

typedef struct request {
    dal_model_options model;
    dal_steady_list where;
    dal_name_list orders;
    const char *output, *title;
    char *over; /* the name, cut from its range */
    char usual_title[300];
    double from, to;
    int n_values;
    dal_pixels size;
    bool json;
    int digits;
    dal_modes *modes;
    dal_campbell *campbell;
} request;

static int read_over(void *user, char *text)
{
    request *wanted = user;
    char *equals = strrchr(text, '='), end;
    if (!equals || equals == text || sscanf(equals + 1, "%lf:%lf:%d%c", &wanted->from, &wanted->to, &wanted->n_values, &end) != 3 ||
        !isfinite(wanted->from) || !isfinite(wanted->to) || wanted->n_values < 2 || wanted->n_values > 100000)
        return dal_wrong_use("modes", "--over needs NAME=FROM:TO:N with N from 2, as in spin=0:300:60, not '%s'", text);
    *equals = '\0';
    wanted->over = text;
    return DAL_OK;
}

static const dal_option options[] = {DAL_ONCE("at", where.at),
                                     DAL_STEADY(where),
                                     DAL_READ("over", 0, read_over),
                                     DAL_NAMES("orders", orders),
                                     DAL_FILE("output", 'o', output),
                                     DAL_SIZE(size),
                                     DAL_TEXT("title", 0, title),
                                     DAL_SET,
                                     DAL_DIGITS,
                                     DAL_FLAG("json", 0, json),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    static const char *const types[] = {".csv", ".svg", ".png", NULL};
    const int status = dal_steady_list_check(&wanted->where, "modes");
    char *end;
    if (status)
        return status;
    if (wanted->output && wanted->json)
        return dal_wrong_use("modes", "--json prints, and -o writes a file: one of them");
    for (int i = 0; i < wanted->orders.n; i++)
        if (!isfinite(strtod(wanted->orders.names[i], &end)) || *end)
            return dal_wrong_use("modes", "--orders needs numbers separated by commas, as in 1,2, not '%s'", wanted->orders.names[i]);
    if (wanted->orders.n > MOST_ORDERS)
        return dal_wrong_use("modes", "--orders takes %d numbers at most", MOST_ORDERS);
    if (wanted->over && wanted->json)
        return dal_wrong_use("modes", "--json and --over do not go together: write a .csv file with -o");
    if (wanted->orders.n && !wanted->over)
        return dal_wrong_use("modes", "--orders is for --over");
    if (!wanted->output || dal_is_page(wanted->output))
        return DAL_OK;
    if (!wanted->over)
        return dal_wrong_use("modes", "the type of '%s' is not known: shapes move on a page, .html", wanted->output);
    if (!dal_has_one_extension(wanted->output, types))
        return dal_wrong_use("modes", "the type of '%s' is not known: .csv, .svg, .png or .html", wanted->output);
    return DAL_OK;
}

static const dal_option_table table = {usage, options, dal_equation_settings, DAL_ARGUMENT_MODEL, check_use, NULL};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    if (wanted->campbell)
        return dal_campbell_text(wanted->campbell, wanted->digits, buffer, size);
    return wanted->json ? dal_modes_json(wanted->modes, buffer, size) : dal_modes_text(wanted->modes, wanted->digits, 100, buffer, size);
}

/* ---- over a parameter --------------------------------------------------------------------------------- */

static dal_steady *varied_rate(const request *wanted)
{
    for (int i = 0; i < wanted->where.n; i++)
        if (!strcmp(wanted->where.list[i].coordinate, wanted->over))
            return &wanted->where.list[i];
    return NULL;
}

static dal_status find_modes(request *wanted, dal_messages *messages, dal_modes **modes)
{
    dal_spec *spec = NULL;
    const dal_linear_options asked = dal_steady_options(&wanted->where, NULL, NULL);
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK && wanted->output)
        status = dal_output_check(wanted->output, spec, wanted->where.at, messages);
    if (status == DAL_OK)
        status = dal_modes_find(NULL, spec, &asked, messages, modes);
    if (status == DAL_OK && wanted->output && !wanted->over)
        status = dal_modes_page(wanted->output, spec, *modes, wanted->title, messages);
    dal_spec_free(spec);
    return status;
}

/* A message about --set is one about --over here. */
static void pass_message(const request *wanted, const dal_message *m)
{
    const char *file = m->mark.file;
    if (file && !strncmp(file, "--set ", 6) && !strncmp(file + 6, wanted->over, strlen(wanted->over)) && file[6 + strlen(wanted->over)] == '=')
        dal_say(wanted->model.messages, m->severity, (dal_mark){"--over", 0, 0}, "%s%s", m->text,
                strchr(wanted->over, '.') ? "; the rate of a coordinate needs --steady with the same name" : "");
    else
        dal_pass_on(wanted->model.messages, m);
}

/* One value; messages of the first value are not repeated. */
static dal_status find_at(request *wanted, double value, bool first, dal_modes **modes)
{
    char text[40];
    dal_steady *rate = varied_rate(wanted);
    dal_model_options *model = &wanted->model;
    dal_messages *heard = dal_messages_create(NULL);
    snprintf(text, sizeof text, "%.17g", value);
    if (rate)
        rate->rate = value;
    else
        model->overrides[model->n_overrides++] = (dal_override){wanted->over, text};
    const dal_status status = find_modes(wanted, heard, modes);
    if (!rate)
        model->n_overrides--;
    for (const dal_message *m = heard && first ? dal_messages_first(heard) : NULL; m; m = m->next)
        pass_message(wanted, m);
    for (const dal_message *m = dal_messages_first(heard); !first && status != DAL_OK && m; m = m->next)
        fprintf(stderr, "dalembert modes: at %s = %s: %s\n", wanted->over, text, m->text);
    dal_messages_free(heard);
    return status;
}

static dal_status find_campbell(request *wanted)
{
    const int n = wanted->n_values;
    dal_modes **modes = calloc((size_t)n, sizeof *modes);
    double *values = calloc((size_t)n, sizeof *values);
    dal_status status = modes && values ? DAL_OK : DAL_NO_MEMORY;
    for (int i = 0; i < n && status == DAL_OK; i++) {
        values[i] = wanted->from + (wanted->to - wanted->from) * i / (n - 1);
        status = find_at(wanted, values[i], i == 0, &modes[i]);
    }
    if (status == DAL_OK)
        status = dal_campbell_track(NULL, wanted->over, n, values, (const dal_modes *const *)modes, wanted->model.messages, &wanted->campbell);
    if (status == DAL_OK)
        snprintf(wanted->usual_title, sizeof wanted->usual_title, "%s: modes over %s", modes[0]->linearization->info.model, wanted->over);
    if (status == DAL_OK && wanted->output && !wanted->campbell->n_lines)
        dal_say(wanted->model.messages, DAL_WARNING, dal_nowhere, "no mode oscillates at any of these values: '%s' has no lines", wanted->output);
    for (int i = 0; modes && i < n; i++)
        dal_modes_free(modes[i]);
    free(modes);
    free(values);
    return status;
}

static int table_of(const void *user, char *buffer, size_t size)
{
    return dal_campbell_csv(((const request *)user)->campbell, buffer, size);
}

static dal_status write_diagram(const request *wanted)
{
    char *svg = NULL, *page = NULL;
    double orders[MOST_ORDERS];
    int n = 0;
    if (dal_has_extension(wanted->output, ".csv"))
        return dal_write_printed_file("modes", wanted->output, table_of, wanted);
    for (int i = 0; i < wanted->orders.n; i++)
        orders[n++] = strtod(wanted->orders.names[i], NULL);
    dal_status status = dal_campbell_svg(NULL, wanted->campbell, n, orders, wanted->size.width, wanted->size.height,
                                         wanted->title ? wanted->title : wanted->usual_title, wanted->model.messages, &svg);
    if (status == DAL_OK && dal_is_page(wanted->output)) {
        page = dal_chart_page(wanted->title ? wanted->title : wanted->usual_title, 1, (const char *const *)&svg);
        status = page ? dal_write_whole_file("modes", wanted->output, page) : DAL_NO_MEMORY;
    } else if (status == DAL_OK)
        status = dal_write_picture("modes", wanted->output, svg);
    free(page);
    free(svg);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------------------- */

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_status status = wanted->over ? find_campbell(wanted) : find_modes(wanted, messages, &wanted->modes);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK && wanted->output && wanted->over)
        status = write_diagram(wanted);
    else if (status == DAL_OK && !wanted->output)
        status = dal_print_text(stdout, text_of, wanted);
    dal_report_end("modes", messages, DAL_NOTE, status);
    dal_modes_free(wanted->modes);
    dal_campbell_free(wanted->campbell);
    return (int)status;
}

const dal_command dal_command_modes = DAL_COMMAND("modes", "print frequencies, damping and shapes of small motions", run_request);
