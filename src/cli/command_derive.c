/* dalembert derive: the equations of motion in symbols. */
#include "cli/options.h"
#include "cli/outputs.h"
#include "cli/whole_file.h"
#include "derive/write.h"
#include "dynamics/speeds.h"
#include "state/state_parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char usage[] =
    "dalembert derive MODEL [options]\n"
    "\n"
    "Derive the equations of motion in symbols: parameters, coordinates and speeds by the names of the model, numbers exact. Every\n"
    "formulation in its own form. Several formulations stand one after the other.\n"
    "\n"
    "    --formulation F[,G...]  whose equations (lagrange): lagrange, maggi, kane, gibbs-appell, volterra, volterra-reduced,\n"
    "                            boltzmann-hamel, routh, udwadia-kalaba, udwadia-phohomsiri\n"
    "    --coordinates WORD      family of coordinates: angle, joint or user (the model's own where it is one of these, otherwise joint)\n"
    "    --steps                 positions, velocities and matrices as well\n"
    "    -o, --output FILE       .txt, .md (Markdown), .tex (LaTeX) or .json; - is standard output (text)\n"
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
    "    --floating              the root link of a URDF file is a free body\n"
    "    --width N               columns of the text (those of the terminal, or 100)\n"
    "    -h, --help              this text\n"
    "\n"
    "What is too large for a normal form is printed as it was derived, with names for what is used more than once. A linear system of\n"
    "more than three equations stays a system.\n";

typedef struct request {
    dal_model_options model;
    const char *output, *formulations, *coordinates;
    bool steps;
    int width;
} request;

static int read_width(void *user, char *text)
{
    char *end;
    const long width = strtol(text, &end, 10);
    if (end == text || *end || width < 20 || width > 10000)
        return dal_wrong_use("derive", "--width wants a whole number from 20 to 10000, not '%s'", text);
    ((request *)user)->width = (int)width;
    return DAL_OK;
}

static const dal_option options[] = {DAL_SET,
                                     DAL_FILE("output", 'o', output, NULL),
                                     DAL_TEXT("formulation", 0, formulations),
                                     DAL_TEXT("coordinates", 0, coordinates),
                                     DAL_FLAG("steps", 0, steps),
                                     DAL_READ("width", 0, read_width),
                                     {0}};

/* ---- the type of the file ---------------------------------------------------------- */

static const struct {
    const char *extension;
    dal_writing writing;
} types[] = {{".txt", DAL_WRITE_TEXT}, {".md", DAL_WRITE_MARKDOWN}, {".tex", DAL_WRITE_LATEX}, {".json", DAL_WRITE_JSON}};

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
        return DAL_OK;
    return dal_wrong_use("derive", "the type of '%s' is not known: equations are written as .txt, .md, .tex or .json", wanted->output);
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_MODEL, check_output};

/* ---- one formulation ------------------------------------------------------------------ */

/* The model for this formulation: in the coordinates that were asked for; otherwise its own where they are written in symbols, and joint. */
static dal_status compile_model(const request *wanted, const char *formulation, dal_messages *messages, dal_spec **spec, dal_system **system)
{
    dal_status status = dal_model_read(&wanted->model, messages, spec);
    if (status != DAL_OK)
        return status;
    if (!dal_spec_set(*spec, "formulation", formulation, messages) ||
        (wanted->coordinates && !dal_spec_set(*spec, "coordinates", wanted->coordinates, messages)))
        return DAL_BAD_COMMAND;
    if (!wanted->coordinates && !(*spec)->n_coordinates && !dal_family_is_derived((*spec)->simulate.coordinates.name.text) &&
        !dal_spec_set(*spec, "coordinates", "joint", messages))
        return DAL_BAD_COMMAND;
    return dal_compile(NULL, *spec, messages, system);
}

typedef struct work {
    const request *wanted;
    dal_messages *messages;
    dal_growing out; /* in an arena of its own */
    dal_arena arena; /* of one derivation */
    dal_spec *spec;
    dal_system *system;
    dal_state *state; /* at the start: which velocities are speeds */
    const char *formulation;
    bool first, last;
} work;

static dal_status derive_and_write(void *user)
{
    work *w = user;
    dal_writing writing;
    const dal_speed_choice *speeds = dal_speeds_of(w->state);
    const dal_derive_options how = {
        .formulation = w->formulation, .speeds = speeds->column, .rows = speeds->basis ? speeds->basis->row : NULL, .steps = w->wanted->steps};
    w->out.arena->guard = w->arena.guard;
    dal_derivation *d = dal_derive_equations(&w->arena, w->spec, w->system, &how, w->messages);
    if (!d)
        return DAL_BAD_MODEL;
    find_writing(w->wanted->output, &writing);
    dal_write_derivation(&w->out, d, writing, w->wanted->steps, dal_output_width(w->wanted->width), w->first, w->last);
    return DAL_OK;
}

static dal_status derive_one(work *w)
{
    if (!dal_derives(w->formulation, w->messages))
        return DAL_BAD_COMMAND;
    dal_status status = compile_model(w->wanted, w->formulation, w->messages, &w->spec, &w->system);
    dal_arena_begin(&w->arena, NULL);
    if (status == DAL_OK && !(w->state = dal_state_create(NULL, w->system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_state_evaluate(w->state, w->messages); /* which chooses speeds and rows */
    if (status == DAL_OK)
        status = dal_arena_try(&w->arena, derive_and_write, w);
    dal_state_free(w->state);
    w->state = NULL;
    dal_arena_release(&w->arena);
    dal_system_free(w->system);
    dal_spec_free(w->spec);
    w->system = NULL;
    w->spec = NULL;
    return status;
}

static dal_status write_output(const request *wanted, const char *text)
{
    if (wanted->output && strcmp(wanted->output, "-"))
        return dal_write_whole_file("derive", wanted->output, text);
    fputs(text, stdout);
    return DAL_OK;
}

static int run_request(void *user)
{
    const request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_arena text;
    char list[256], *rest = NULL;
    work w = {.wanted = wanted, .messages = messages, .out = {.arena = &text}, .first = true};
    dal_status status = DAL_OK;
    dal_arena_begin(&text, NULL);
    snprintf(list, sizeof list, "%s", wanted->formulations ? wanted->formulations : "lagrange");
    for (char *name = strtok_r(list, ",", &rest); name && status == DAL_OK;) {
        char *next = strtok_r(NULL, ",", &rest);
        w.formulation = name;
        w.last = !next;
        status = derive_one(&w);
        w.first = false;
        name = next;
    }
    if (status == DAL_OK && w.out.text)
        status = write_output(wanted, w.out.text);
    status = dal_model_blame(status, messages);
    dal_report_end("derive", messages, DAL_NOTE, status);
    dal_arena_release(&text);
    return dal_finish_output((int)status);
}

const dal_command dal_command_derive = DAL_COMMAND("derive", "derive the equations of motion in symbols", run_request);
