/* dalembert modes: frequencies, damping and shapes of small motions. */
#include "cli/options.h"

static const char usage[] = "dalembert modes MODEL [options]\n"
                            "\n"
                            "Print the eigenvalues of the small motions about a point: frequencies, damping ratios, and the parts that carry the\n"
                            "kinetic energy of each mode. Directions in which nothing holds the model are counted and named.\n"
                            "\n"
                            "    --at start              at the start of the model (this is the default)\n"
                            "    --at equilibrium        at the equilibrium that 'dalembert equilibrium' finds\n"
                            "    --at FILE               at a state, as 'dalembert eval --state FILE' reads it\n"
                            "\n"
                            "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
                            "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
                            "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
                            "    --floating              the root link of a URDF file is a free body\n"
                            "    --digits N              digits of the numbers, 1 to 17 (6)\n"
                            "    --json                  a JSON object with the shapes, every number in full\n"
                            "    -h, --help              this text\n";

static const char *const settings[] = {"coordinates", "formulation", NULL};

typedef struct request {
    dal_model_options model;
    const char *at;
    bool json;
    int digits;
    dal_modes *modes;
} request;

static int read_digits(void *user, char *text)
{
    return dal_read_range("modes", "--digits", text, 1, 17, &((request *)user)->digits);
}

static const dal_option options[] = {DAL_SET, DAL_TEXT("at", 0, at), DAL_READ("digits", 0, read_digits), DAL_FLAG("json", 0, json), {0}};
static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, NULL};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return wanted->json ? dal_modes_json(wanted->modes, buffer, size)
                        : dal_modes_text(wanted->modes, wanted->digits ? wanted->digits : 6, 100, buffer, size);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_spec *spec = NULL;
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK)
        status = dal_modes_find(NULL, spec, &(dal_linear_options){.at = wanted->at}, messages, &wanted->modes);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK)
        status = dal_print_text(stdout, text_of, wanted);
    dal_report_end("modes", messages, DAL_NOTE, status);
    dal_modes_free(wanted->modes);
    dal_spec_free(spec);
    return (int)status;
}

const dal_command dal_command_modes = DAL_COMMAND("modes", "print frequencies, damping and shapes of small motions", run_request);
