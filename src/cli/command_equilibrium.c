/* dalembert equilibrium: an equilibrium of a model, and its stability. */
#include "cli/options.h"

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
    bool json;
    int digits, starts;
    dal_equilibrium *equilibrium;
    dal_equilibria *equilibria;
} request;

static const dal_option options[] = {
    DAL_WHOLE("starts", starts, 1, 1000000), DAL_COUNT("seed", seed), DAL_STEADY(steady), DAL_SET, DAL_DIGITS, DAL_FLAG("json", 0, json), {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (wanted->starts && wanted->steady.n)
        return dal_wrong_use("equilibrium",
                             "--starts and --steady do not go together: the search for a steady motion begins at the start of the model");
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

static int run_request(void *user)
{
    static const dal_finding how = {find_equilibrium, text_of, NULL};
    request *wanted = user;
    const int code = dal_find_and_print(&how, wanted, NULL, NULL);
    dal_equilibrium_free(wanted->equilibrium);
    dal_equilibria_free(wanted->equilibria);
    return code;
}

const dal_command dal_command_equilibrium =
    DAL_COMMAND("equilibrium", "find where a model stands or moves steadily, with reactions and stability", run_request);
