/* dalembert linearize: the state matrices of small motions. */
#include "cli/npz_file.h"
#include "cli/options.h"
#include "cli/whole_file.h"

#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert linearize MODEL [options]\n"
    "\n"
    "Print A, B, C and D of the small motions x' = A x + B u, y = C x + D u about a point. x are deviations of independent\n"
    "coordinates, of their rates, and of the model's own states. The matrices are exact, and the same in all coordinates and\n"
    "formulations.\n"
    "\n"
    DAL_USAGE_PLACE
    "\n"
    "    --states NAMES          channels of position, separated by commas (A.angle,cart.x); the missing ones are\n"
    "                            chosen automatically\n"
    "    --inputs NAMES          some of the model's inputs (all)\n"
    "    --outputs NAMES         channels and expressions of channels, as in record:\n"
    "\n"
    "    -o, --output FILE       write the matrices: .json, .csv or .npz (NumPy) by the extension\n"
    DAL_USAGE_EQUATIONS
    DAL_USAGE_PARAMETERS
    DAL_USAGE_DIGITS
    DAL_USAGE_WIDTH
    DAL_USAGE_JSON
    "    -h, --help              this text\n";
/* clang-format on */

typedef struct request {
    dal_model_options model;
    dal_steady_list where;
    const char *output;
    dal_name_list states, inputs, outputs;
    bool json;
    int digits, width;
    dal_linearization *linearization;
} request;

static const dal_option options[] = {DAL_ONCE("at", where.at),
                                     DAL_STEADY(where),
                                     DAL_NAMES("states", states),
                                     DAL_NAMES("inputs", inputs),
                                     DAL_NAMES("outputs", outputs),
                                     DAL_FILE("output", 'o', output),
                                     DAL_SET,
                                     DAL_DIGITS,
                                     DAL_WIDTH,
                                     DAL_FLAG("json", 0, json),
                                     {0}};

static int check_output(void *user)
{
    static const char *const types[] = {".csv", ".json", ".npz", NULL};
    const request *wanted = user;
    const char *output = wanted->output;
    int status = dal_steady_list_check(&wanted->where, "linearize");
    if (!status)
        status = dal_name_list_check(&wanted->states, "linearize", "--states");
    if (!status)
        status = dal_name_list_check(&wanted->inputs, "linearize", "--inputs");
    if (!status)
        status = dal_name_list_check(&wanted->outputs, "linearize", "--outputs");
    if (status)
        return status;
    if (output && wanted->json)
        return dal_wrong_use("linearize", "--json prints, and -o writes a file: one of them");
    if (output && !dal_has_one_extension(output, types))
        return dal_wrong_use("linearize", "the type of '%s' is not known: matrices are written as .json, .csv or .npz", output);
    return DAL_OK;
}

static void release_request(void *user)
{
    dal_linearization_free(((request *)user)->linearization);
}

static const dal_option_table table = {usage, options, dal_equation_settings, DAL_ARGUMENT_MODEL, check_output, release_request};

static int text_of(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    return wanted->json ? dal_linearization_json(wanted->linearization, buffer, size)
                        : dal_linearization_text(wanted->linearization, wanted->digits, dal_output_width(wanted->width), buffer, size);
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

static dal_status write_file(void *user, dal_messages *messages)
{
    const request *wanted = user;
    (void)messages;
    if (dal_has_extension(wanted->output, ".npz"))
        return write_arrays(wanted);
    return dal_write_printed_file("linearize", wanted->output, file_of, wanted);
}

static dal_status find_linearization(void *user, const dal_spec *spec, dal_messages *messages)
{
    request *wanted = user;
    dal_linear_options asked = dal_steady_options(&wanted->where, &wanted->inputs, &wanted->outputs);
    asked.n_states = wanted->states.n;
    asked.states = wanted->states.names;
    return dal_linearize(NULL, spec, &asked, messages, &wanted->linearization);
}

static int run_request(void *user)
{
    static const dal_finding how = {find_linearization, text_of, write_file};
    const request *wanted = user;
    return dal_find_and_print(&how, user, wanted->output, wanted->where.at);
}

const dal_command dal_command_linearize = DAL_COMMAND("linearize", "print the state matrices of small motions", run_request);
