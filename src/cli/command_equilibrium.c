/* dalembert equilibrium: an equilibrium of a model, and its stability. */
#include "cli/options.h"
#include "cli/whole_file.h"

/* clang-format off */
static const char usage[] =
    "dalembert equilibrium MODEL [options]\n"
    "\n"
    "Find a static equilibrium near the start of the model, on the constraints: its coordinates, the reactions of the\n"
    "joints, and whether it is stable. The search goes down the potential; a start that is an equilibrium is kept.\n"
    "\n"
    "    --starts N              search from the start of the model and from N - 1 random starts; more equilibria may exist\n"
    "    --seed S                seed of the random starts, a whole number (1)\n"
    "    --steady COORDINATE=RATE  a steady motion instead, in which the coordinate has this rate; may be repeated\n"
    "\n"
    "    -o, --output FILE       also write the equilibrium as a state file, which --at FILE and 'dalembert eval --state FILE' read\n"
    DAL_USAGE_EQUATIONS
    DAL_USAGE_PARAMETERS
    DAL_USAGE_DIGITS
    DAL_USAGE_JSON
    "    -h, --help              this text\n"
    "\n"
    "The exit status is 3 if no equilibrium was found; the message names what runs away.\n";
/* clang-format on */

typedef struct request {
    dal_model_options model;
    dal_steady_list steady;
    dal_count seed;
    const char *output;
    bool json;
    int digits, starts;
    dal_equilibrium *equilibrium;
    dal_equilibria *equilibria;
} request;

static const dal_option options[] = {DAL_WHOLE("starts", starts, 1, 1000000),
                                     DAL_COUNT("seed", seed),
                                     DAL_STEADY(steady),
                                     DAL_FILE("output", 'o', output),
                                     DAL_SET,
                                     DAL_DIGITS,
                                     DAL_FLAG("json", 0, json),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (wanted->starts && wanted->steady.n)
        return dal_wrong_use("equilibrium",
                             "--starts and --steady do not go together: the search for a steady motion begins at the start of the model");
    if (wanted->output && (wanted->starts || wanted->steady.n))
        return dal_wrong_use("equilibrium",
                             "--output writes the one equilibrium near the start of the model: it does not go with --starts or --steady");
    if (wanted->output && !dal_has_extension(wanted->output, ".json"))
        return dal_wrong_use("equilibrium", "the type of '%s' is not known: a state file is written as .json", wanted->output);
    if (wanted->seed.given && !wanted->starts)
        return dal_wrong_use("equilibrium", "--seed is for --starts");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, dal_equation_settings, DAL_ARGUMENT_MODEL, check_use, NULL};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    if (wanted->equilibria)
        return wanted->json ? dal_equilibria_json(wanted->equilibria, buffer, size)
                            : dal_equilibria_text(wanted->equilibria, wanted->digits, buffer, size);
    return wanted->json ? dal_equilibrium_json(wanted->equilibrium, buffer, size)
                        : dal_equilibrium_text(wanted->equilibrium, wanted->digits, buffer, size);
}

static dal_status find_equilibrium(void *user, const dal_spec *spec, dal_messages *messages)
{
    request *wanted = user;
    if (wanted->steady.n)
        return dal_steady_find(NULL, spec, wanted->steady.n, wanted->steady.list, messages, &wanted->equilibrium);
    if (wanted->starts)
        return dal_equilibria_find(NULL, spec, wanted->starts, wanted->seed.given ? wanted->seed.value : 1, messages, &wanted->equilibria);
    return dal_equilibrium_find(NULL, spec, messages, &wanted->equilibrium);
}

typedef struct standing {
    const dal_system *system;
    dal_instant *instant;
} standing;

static int state_of(const void *user, char *buffer, size_t size)
{
    const standing *s = user;
    return dal_instant_json(s->system, s->instant, buffer, size);
}

/* In the coordinates of the model, which are not always those of the search. */
static dal_status write_state(request *wanted)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = NULL;
    dal_state *state = NULL;
    standing s = {0};
    dal_status status = messages && dal_spec_set(wanted->model.spec, "start", "equilibrium", messages) ? DAL_OK : DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_compile(NULL, wanted->model.spec, messages, &system);
    if (status == DAL_OK && !(state = dal_state_create(NULL, system)))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_instant_of(NULL, state, messages, &s.instant);
    if (status != DAL_OK)
        dal_report_end("equilibrium", messages, DAL_ERROR, status);
    s.system = system;
    if (status == DAL_OK)
        status = dal_write_printed_file("equilibrium", wanted->output, state_of, &s);
    dal_instant_free(s.instant);
    dal_state_free(state);
    dal_system_free(system);
    dal_messages_free(messages);
    return status;
}

static int run_request(void *user)
{
    static const dal_finding how = {find_equilibrium, text_of, NULL};
    request *wanted = user;
    int code = dal_find_and_print(&how, wanted, NULL, NULL);
    if (code == DAL_OK && wanted->output)
        code = write_state(wanted);
    dal_equilibrium_free(wanted->equilibrium);
    dal_equilibria_free(wanted->equilibria);
    return code;
}

const dal_command dal_command_equilibrium =
    DAL_COMMAND("equilibrium", "find where a model stands or moves steadily, with reactions and stability", run_request);
