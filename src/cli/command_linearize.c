/* dalembert linearize: the state matrices of small motions. */
#include "cli/name_list.h"
#include "cli/npz_file.h"
#include "cli/options.h"
#include "cli/steady_list.h"
#include "output/same_files.h"
#include "cli/whole_file.h"

#include <string.h>

static const char usage[] =
    "dalembert linearize MODEL [options]\n"
    "\n"
    "Print A, B, C and D of the small motions x' = A x + B u, y = C x + D u about a point. x are deviations of independent\n"
    "coordinates, of their rates, and of the model's own states. The matrices are exact, and the same in all coordinates and\n"
    "formulations.\n"
    "\n"
    "    --at start              at the start of the model (this is the default)\n"
    "    --at equilibrium        at the equilibrium that 'dalembert equilibrium' finds\n"
    "    --at steady             in the steady motion that 'dalembert equilibrium --steady' finds\n"
    "    --steady COORDINATE=RATE  its rates; may be repeated\n"
    "    --at FILE               at a state, as 'dalembert eval --state FILE' reads it\n"
    "\n"
    "    --states NAMES          channels of position, separated by commas (A.angle,cart.x); the missing ones are\n"
    "                            chosen automatically\n"
    "    --inputs NAMES          some of the model's inputs (all)\n"
    "    --outputs NAMES         channels and expressions of channels, as in record:\n"
    "\n"
    "    -o, --output FILE       write the matrices: .json, .csv or .npz (NumPy) by the extension\n"
    "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
    "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
    "    --floating              the root link of a URDF file is a free body\n"
    "    --digits N              digits of the numbers, 1 to 17 (6)\n"
    "    --width N               columns of the text (those of the terminal, or 100)\n"
    "    --json                  a JSON object, every number in full\n"
    "    -h, --help              this text\n";

static const char *const settings[] = {"coordinates", "formulation", NULL};

typedef struct request {
    dal_model_options model;
    dal_steady_list steady;
    const char *at, *output;
    dal_name_list states, inputs, outputs;
    bool json;
    int digits, width;
    dal_linearization *linearization;
} request;

static int read_states(void *user, char *text)
{
    return dal_name_list_add(&((request *)user)->states, "linearize", "--states", text);
}

static int read_inputs(void *user, char *text)
{
    return dal_name_list_add(&((request *)user)->inputs, "linearize", "--inputs", text);
}

static int read_outputs(void *user, char *text)
{
    return dal_name_list_add(&((request *)user)->outputs, "linearize", "--outputs", text);
}

static int read_steady(void *user, char *text)
{
    return dal_steady_list_add(&((request *)user)->steady, "linearize", text);
}

static const dal_option options[] = {DAL_SET,
                                     DAL_TEXT("at", 0, at),
                                     DAL_READ("steady", 0, read_steady),
                                     DAL_READ("states", 0, read_states),
                                     DAL_READ("inputs", 0, read_inputs),
                                     DAL_READ("outputs", 0, read_outputs),
                                     DAL_FILE("output", 'o', output, NULL),
                                     DAL_DIGITS,
                                     DAL_WHOLE("width", width, 20, 10000),
                                     DAL_FLAG("json", 0, json),
                                     {0}};

static int check_output(void *user)
{
    const request *wanted = user;
    if (!wanted->output || dal_has_extension(wanted->output, ".csv") || dal_has_extension(wanted->output, ".json") ||
        dal_has_extension(wanted->output, ".npz"))
        return DAL_OK;
    return dal_wrong_use("linearize", "the type of '%s' is not known: matrices are written as .json, .csv or .npz", wanted->output);
}

static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, check_output};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return wanted->json
               ? dal_linearization_json(wanted->linearization, buffer, size)
               : dal_linearization_text(wanted->linearization, wanted->digits ? wanted->digits : 6, dal_output_width(wanted->width), buffer, size);
}

/* As numpy.load reads it: l['A'], ... */
static dal_status write_arrays(const request *wanted)
{
    const dal_linearization *l = wanted->linearization;
    const dal_npz_array arrays[] = {
        {"A", l->n_states, l->n_states, l->A, NULL},  {"B", l->n_states, l->n_inputs, l->B, NULL},  {"C", l->n_outputs, l->n_states, l->C, NULL},
        {"D", l->n_outputs, l->n_inputs, l->D, NULL}, {"at", l->n_states, -1, l->at, NULL},         {"output_values", l->n_outputs, -1, l->y, NULL},
        {"states", l->n_states, -1, NULL, l->states}, {"inputs", l->n_inputs, -1, NULL, l->inputs}, {"outputs", l->n_outputs, -1, NULL, l->outputs}};
    return dal_write_npz("linearize", wanted->output, (int)(sizeof arrays / sizeof *arrays), arrays);
}

static int file_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return dal_has_extension(wanted->output, ".csv") ? dal_linearization_csv(wanted->linearization, buffer, size)
                                                     : dal_linearization_json(wanted->linearization, buffer, size);
}

static dal_status write_file(const request *wanted)
{
    if (dal_has_extension(wanted->output, ".npz"))
        return write_arrays(wanted);
    return dal_write_printed_file("linearize", wanted->output, file_of, wanted);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_spec *spec = NULL;
    const dal_linear_options asked = {.at = dal_steady_place(&wanted->steady, wanted->at),
                                      .n_steady = wanted->steady.n,
                                      .steady = wanted->steady.list,
                                      .n_states = wanted->states.n,
                                      .states = wanted->states.names,
                                      .n_inputs = wanted->inputs.n,
                                      .inputs = wanted->inputs.names,
                                      .n_outputs = wanted->outputs.n,
                                      .outputs = wanted->outputs.names};
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK && wanted->output)
        status = dal_output_check(wanted->output, spec, wanted->at, messages);
    if (status == DAL_OK)
        status = dal_linearize(NULL, spec, &asked, messages, &wanted->linearization);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK && wanted->output)
        status = write_file(wanted);
    else if (status == DAL_OK)
        status = dal_print_text(stdout, text_of, wanted);
    dal_report_end("linearize", messages, DAL_NOTE, status);
    dal_linearization_free(wanted->linearization);
    dal_spec_free(spec);
    dal_name_list_free(&wanted->states);
    dal_name_list_free(&wanted->inputs);
    dal_name_list_free(&wanted->outputs);
    dal_steady_list_free(&wanted->steady);
    return (int)status;
}

const dal_command dal_command_linearize = DAL_COMMAND("linearize", "print the state matrices of small motions", run_request);
