/* dalembert derive: the equations of motion in symbols. */
#include "cli/derivation_page.h"
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/pages.h"
#include "cli/whole_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const char usage[] =
    "dalembert derive MODEL [options]\n"
    "\n"
    "Derive the equations of motion in symbols: parameters, coordinates and speeds by the names of the model, numbers exact. Each\n"
    "formulation is printed in its own form; several are printed one after the other.\n"
    "\n"
    "    --formulation F[,G...]  formulations (lagrange): lagrange, maggi, kane, gibbs-appell, volterra, volterra-reduced,\n"
    "                            boltzmann-hamel, routh, udwadia-kalaba, udwadia-phohomsiri, component,\n"
    "                            recursive\n"
    "    --coordinates WORD      family of coordinates: angle, euler, natural, joint or user (that of the model; joint if it has none)\n"
    "    --steps                 print positions, velocities and matrices, too\n"
    "    -o, --output FILE       .txt, .md (Markdown), .tex (LaTeX), .html (a page with formulas) or .json; - is standard output (text)\n"
    DAL_USAGE_PARAMETERS
    DAL_USAGE_WIDTH
    "    -h, --help              this text\n"
    "\n"
    "An expression that is too large for a normal form is printed as it was derived, with names for shared parts. A linear system of\n"
    "more than three equations stays a system.\n";
/* clang-format on */

typedef struct request {
    dal_model_options model;
    const char *output, *formulations, *coordinates;
    bool steps;
    int width;
} request;

static const dal_option options[] = {DAL_TEXT("formulation", 0, formulations),
                                     DAL_TEXT("coordinates", 0, coordinates),
                                     DAL_FLAG("steps", 0, steps),
                                     DAL_FILE("output", 'o', output),
                                     DAL_SET,
                                     DAL_WIDTH,
                                     {0}};

/* ---- the type of the file ---------------------------------------------------------- */

static const struct {
    const char *extension;
    dal_writing writing;
} types[] = {{".txt", DAL_WRITE_TEXT}, {".md", DAL_WRITE_MARKDOWN}, {".tex", DAL_WRITE_LATEX}, {".html", DAL_WRITE_HTML}, {".json", DAL_WRITE_JSON}};

static bool find_writing(const char *path, dal_writing *writing)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    *writing = DAL_WRITE_TEXT;
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(dot, types[i].extension)) {
            *writing = types[i].writing;
            return true;
        }
    return !path || !strcmp(path, "-");
}

static int check_output(void *user)
{
    dal_writing writing;
    const request *wanted = user;
    if (find_writing(wanted->output, &writing))
        return writing != DAL_WRITE_HTML || dal_pages_possible("derive", wanted->output) ? DAL_OK : DAL_BAD_COMMAND;
    return dal_wrong_use("derive", "the type of '%s' is not known: equations are written as .txt, .md, .tex, .html or .json", wanted->output);
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_MODEL, check_output, NULL};

/* ---- all formulations ------------------------------------------------------------------ */

static dal_status write_output(const request *wanted, const char *text)
{
    if (wanted->output && strcmp(wanted->output, "-"))
        return dal_write_whole_file("derive", wanted->output, text);
    fputs(text, stdout);
    return DAL_OK;
}

/* One after the other into `out`. */
static dal_status derive_all(const request *wanted, dal_growing *out, dal_messages *messages)
{
    char list[256], *rest = NULL;
    dal_derivation_request one = {.spec = wanted->model.spec, .coordinates = wanted->coordinates, .steps = wanted->steps, .first = true};
    dal_status status = DAL_OK;
    find_writing(wanted->output, &one.writing);
    one.width = dal_output_width(wanted->width);
    snprintf(list, sizeof list, "%s", wanted->formulations ? wanted->formulations : "lagrange");
    for (char *name = strtok_r(list, ",", &rest); name && status == DAL_OK;) {
        char *next = strtok_r(NULL, ",", &rest);
        one.formulation = name;
        one.last = !next;
        status = dal_derive_into(&one, out, messages);
        one.first = false;
        name = next;
    }
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_arena text;
    dal_growing out = {.arena = &text};
    dal_writing writing;
    dal_arena_begin(&text, NULL);
    dal_status status = dal_model_load(&wanted->model, NULL, NULL);
    const dal_spec *spec = wanted->model.spec;
    if (status == DAL_OK)
        status = derive_all(wanted, &out, messages);
    find_writing(wanted->output, &writing);
    if (status == DAL_OK && writing == DAL_WRITE_HTML)
        status = dal_equations_page(spec->name.text ? spec->name.text : spec->file, &out);
    if (status == DAL_OK && out.text)
        status = write_output(wanted, out.text);
    status = dal_model_blame(status, messages);
    dal_report_end("derive", messages, DAL_NOTE, status);
    dal_arena_release(&text);
    return dal_finish_output((int)status);
}

const dal_command dal_command_derive = DAL_COMMAND("derive", "derive the equations of motion in symbols", run_request);
