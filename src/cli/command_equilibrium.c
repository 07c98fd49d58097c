/* dalembert equilibrium: where a model stands, and whether it stays there. */
#include "cli/options.h"
#include "cli/steady_list.h"

#include <stdint.h>

static const char usage[] = "dalembert equilibrium MODEL [options]\n"
                            "\n"
                            "Find a static equilibrium near the start of the model, on the constraints: its coordinates, the reactions of the\n"
                            "joints, and whether it is stable. The search goes down the potential; a start that is an equilibrium is kept.\n"
                            "\n"
                            "    --starts N              search from the start of the model and from N - 1 random starts; more equilibria may exist\n"
                            "    --seed S                seed of the random starts, a whole number (1)\n"
                            "    --steady COORDINATE=RATE  a steady motion instead, in which the coordinate has this rate; may be repeated\n"
                            "\n"
                            "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
                            "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
                            "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
                            "    --floating              the root link of a URDF file is a free body\n"
                            "    --digits N              digits of the numbers, 1 to 17 (6)\n"
                            "    --json                  a JSON object, every number in full\n"
                            "    -h, --help              this text\n"
                            "\n"
                            "The exit status is 3 if no equilibrium was found; the message names what runs away.\n";

static const char *const settings[] = {"coordinates", "formulation", NULL};

typedef struct request {
    dal_model_options model;
    dal_steady_list steady;
    uint64_t seed;
    bool json, seeded;
    int digits, starts;
    dal_equilibrium *equilibrium;
    dal_equilibria *equilibria;
} request;

static int read_steady(void *user, char *text)
{
    return dal_steady_list_add(&((request *)user)->steady, "equilibrium", text);
}

static int read_seed(void *user, char *text)
{
    request *wanted = user;
    wanted->seeded = true;
    return dal_read_count(text, &wanted->seed) ? DAL_OK : dal_wrong_use("equilibrium", "--seed needs a whole number from 0, not '%s'", text);
}

static const dal_option options[] = {DAL_SET,
                                     DAL_WHOLE("starts", starts, 1, 1000000),
                                     DAL_READ("seed", 0, read_seed),
                                     DAL_READ("steady", 0, read_steady),
                                     DAL_DIGITS,
                                     DAL_FLAG("json", 0, json),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (wanted->starts && wanted->steady.n)
        return dal_wrong_use("equilibrium",
                             "--starts and --steady do not go together: the search for a steady motion begins at the start of the model");
    if (wanted->seeded && !wanted->starts)
        return dal_wrong_use("equilibrium", "--seed is for --starts");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, check_use};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    if (wanted->equilibria)
        return wanted->json ? dal_equilibria_json(wanted->equilibria, buffer, size)
                            : dal_equilibria_text(wanted->equilibria, wanted->digits ? wanted->digits : 6, buffer, size);
    return wanted->json ? dal_equilibrium_json(wanted->equilibrium, buffer, size)
                        : dal_equilibrium_text(wanted->equilibrium, wanted->digits ? wanted->digits : 6, buffer, size);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_spec *spec = NULL;
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK && wanted->steady.n)
        status = dal_steady_find(NULL, spec, wanted->steady.n, wanted->steady.list, messages, &wanted->equilibrium);
    else if (status == DAL_OK && wanted->starts)
        status = dal_equilibria_find(NULL, spec, wanted->starts, wanted->seeded ? wanted->seed : 1, messages, &wanted->equilibria);
    else if (status == DAL_OK)
        status = dal_equilibrium_find(NULL, spec, messages, &wanted->equilibrium);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK)
        status = dal_print_text(stdout, text_of, wanted);
    dal_report_end("equilibrium", messages, DAL_NOTE, status);
    dal_equilibrium_free(wanted->equilibrium);
    dal_equilibria_free(wanted->equilibria);
    dal_spec_free(spec);
    return (int)status;
}

static int run_equilibrium(int argc, char **argv)
{
    request wanted = {.digits = 0};
    const int status = dal_run_command(&table, argc, argv, &wanted.model, &wanted, run_request);
    dal_steady_list_free(&wanted.steady);
    return status;
}

const dal_command dal_command_equilibrium = {
    "equilibrium", "find where a model stands or moves steadily, with reactions and stability", usage, run_equilibrium, NULL, 0, NULL};
