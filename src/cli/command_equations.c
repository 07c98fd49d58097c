/* dalembert equations: the matrices that a formulation solves at one state, with names. */
#include "cli/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert equations MODEL [options]\n"
    "\n"
    "Print the equations of motion as numbers: the matrices that the formulation solves at one state, named by\n"
    "coordinate, speed and joint, and the solution. The state is the assembled start, unless the options say otherwise.\n"
    "\n"
    "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
    "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
    "    --stabilization WORD    baumgarte changes the right side (dalembert list stabilizations)\n"
    "    --time T                run the model to T first, s\n"
    "    --state NAME=VALUE,...  other values of coordinates and rates: rod.angle=0.3,rod.angle'=1.5; all others move as\n"
    "                            little as the constraints allow; may be repeated\n"
    DAL_USAGE_VALUES
    "\n"
    DAL_USAGE_DIGITS
    DAL_USAGE_WIDTH
    DAL_USAGE_JSON
    "    -h, --help              this text\n"
    "\n"
    "A dot is a zero, up to rounding: less than 1e-12 of the largest number of its matrix.\n";
/* clang-format on */

/* Entries of the model's simulate: block. */
static const char *const settings[] = {"coordinates", "formulation", "stabilization", NULL};

typedef struct request {
    dal_model_options model;
    int n_given;
    dal_given *given;
    double time;
    const char *until; /* the text of the time; NULL: no run */
    int digits, width;
    bool json;
    dal_equations *equations; /* to print */
} request;

/* ---- the command line ---------------------------------------------------- */

static int wrong_use(const char *option, const char *wants, const char *text)
{
    return dal_wrong_use("equations", "%s needs %s, not '%s'", option, wants, text);
}

/* name=number,name=number: each comma can add one entry. */
static int read_state(void *user, char *text)
{
    request *wanted = user;
    size_t more = 1;
    for (const char *c = text; *c; c++)
        more += *c == ',';
    dal_given *grown = realloc(wanted->given, sizeof *grown * ((size_t)wanted->n_given + more));
    if (!grown)
        return DAL_NO_MEMORY;
    wanted->given = grown;
    const int before = wanted->n_given;
    for (char *rest = NULL, *entry = strtok_r(text, ",", &rest); entry; entry = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(entry, '='), *end = NULL;
        double value = equals ? strtod(equals + 1, &end) : 0;
        if (!equals || equals == entry || end == equals + 1 || *end || !isfinite(value))
            return wrong_use("--state", "NAME=NUMBER", entry);
        *equals = '\0';
        wanted->given[wanted->n_given++] = (dal_given){entry, value};
    }
    return wanted->n_given > before ? DAL_OK : wrong_use("--state", "NAME=NUMBER", "");
}

static int read_time(void *user, char *text)
{
    request *wanted = user;
    char *end;
    wanted->time = strtod(text, &end);
    if (end == text || *end || strpbrk(text, "xX") || !(wanted->time >= 0) || !isfinite(wanted->time))
        return wrong_use("--time", "a time from 0 on, in seconds", text);
    if (wanted->time > 0)
        wanted->until = text;
    return DAL_OK;
}

static const dal_option options[] = {
    DAL_READ("time", 0, read_time), DAL_READ("state", 0, read_state), DAL_SET, DAL_DIGITS, DAL_WIDTH, DAL_FLAG("json", 0, json), {0}};

static void release_request(void *user)
{
    free(((request *)user)->given);
}

static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, NULL, release_request};

/* ---- the state --------------------------------------------------------------- */

/* Is a choice, "word", "word=number" or "word:options", one that exists? */
static bool is_known(const char *kind, const char *choice)
{
    const char *name, *title;
    size_t length = choice ? strcspn(choice, "=:") : 0;
    for (int i = 0; choice && dal_list_entry(kind, i, &name, &title); i++)
        if (strlen(name) == length && !strncmp(name, choice, length))
            return true;
    return !choice;
}

/* A wrong word or parameter is an error of the command; a formulation that cannot be applied is an error of the model. */
static bool command_is_to_blame(const request *wanted, const dal_messages *messages)
{
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next)
        if (message->severity == DAL_ERROR && message->mark.file && !strncmp(message->mark.file, "--", 2))
            return true;
    bool known = true;
    for (int i = 0; settings[i]; i++)
        known = known && is_known(settings[i], wanted->model.setting[i]);
    return !known;
}

static dal_status compile_model(request *wanted, dal_messages *messages)
{
    dal_model_options *model = &wanted->model;
    dal_status status = dal_model_load(model, NULL, NULL);
    if (model->spec && wanted->until && !dal_spec_set(model->spec, "until", wanted->until, messages))
        status = DAL_BAD_COMMAND;
    if (status == DAL_OK)
        status = dal_compile(NULL, model->spec, messages, &model->system);
    return status == DAL_BAD_MODEL && command_is_to_blame(wanted, messages) ? DAL_BAD_COMMAND : status;
}

static dal_status run_to_time(const request *wanted, const dal_system *system, dal_state *state, dal_messages *messages)
{
    dal_progress progress = dal_progress_begin(false);
    dal_run_options how = {.progress = dal_progress_show, .progress_user = &progress, .final = state};
    dal_evidence evidence;
    if (!(wanted->time > 0))
        return DAL_OK;
    dal_status status = dal_run(system, &how, messages, &evidence);
    dal_progress_end(&progress);
    return status;
}

static dal_status set_state(const request *wanted, dal_state *state, dal_messages *messages)
{
    double moved = 0;
    if (!wanted->n_given)
        return DAL_OK;
    dal_status status = dal_state_assign(state, wanted->n_given, wanted->given, messages, &moved);
    if (status == DAL_OK && moved > 0)
        fprintf(stderr, "dalembert equations: warning: the constraints contradict the given values: they were moved by up to %.3g\n", moved);
    return status;
}

/* ---- output -------------------------------------------------------------------- */

static int equations_text(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return wanted->json ? dal_equations_json(wanted->equations, buffer, size)
                        : dal_equations_text(wanted->equations, wanted->digits, dal_output_width(wanted->width), buffer, size);
}

static dal_status print_equations(request *wanted, dal_state *state, dal_messages *messages)
{
    dal_status status = dal_equations_create(NULL, state, messages, &wanted->equations);
    if (status == DAL_OK)
        status = dal_print_text(stdout, equations_text, wanted);
    dal_equations_free(wanted->equations);
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_state *state = NULL;
    dal_catch_signals();
    dal_status status = compile_model(wanted, messages);
    if (status == DAL_OK && !(state = dal_state_create(NULL, wanted->model.system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = run_to_time(wanted, wanted->model.system, state, messages);
    if (status == DAL_OK)
        status = set_state(wanted, state, messages);
    if (status == DAL_OK)
        status = print_equations(wanted, state, messages);
    dal_report_end("equations", messages, DAL_NOTE, dal_caught_signal() ? DAL_OK : status);
    dal_state_free(state);
    return dal_caught_signal() ? 128 + dal_caught_signal() : (int)status;
}

const dal_command dal_command_equations = DAL_COMMAND("equations", "print the matrices that a formulation solves", run_request);
