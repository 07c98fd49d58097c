/* dalembert equilibrium: where a model stands, and whether it stays there. */
#include "cli/options.h"

static const char usage[] = "dalembert equilibrium MODEL [options]\n"
                            "\n"
                            "Find a static equilibrium near the start of the model, on the constraints: its coordinates, the reactions of the\n"
                            "joints, and whether it is stable. The way leads down the potential; a start that is an equilibrium stays.\n"
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
    bool json;
    int digits;
    dal_equilibrium *equilibrium;
} request;

static int read_digits(void *user, char *text)
{
    return dal_read_range("equilibrium", "--digits", text, 1, 17, &((request *)user)->digits);
}

static const dal_option options[] = {DAL_SET, DAL_READ("digits", 0, read_digits), DAL_FLAG("json", 0, json), {0}};
static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, NULL};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return wanted->json ? dal_equilibrium_json(wanted->equilibrium, buffer, size)
                        : dal_equilibrium_text(wanted->equilibrium, wanted->digits ? wanted->digits : 6, buffer, size);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_spec *spec = NULL;
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK)
        status = dal_equilibrium_find(NULL, spec, messages, &wanted->equilibrium);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK)
        status = dal_print_text(stdout, text_of, wanted);
    dal_report_end("equilibrium", messages, DAL_NOTE, status);
    dal_equilibrium_free(wanted->equilibrium);
    dal_spec_free(spec);
    return (int)status;
}

const dal_command dal_command_equilibrium = DAL_COMMAND("equilibrium", "find where a model stands, with reactions and stability", run_request);
