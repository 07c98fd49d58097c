/* dalembert convert: a robot from URDF to YAML, a model from YAML to URDF. */
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/whole_file.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert convert MODEL -o FILE [options]\n"
    "\n"
    "Write the model as a file of another type, by the extension of FILE: .yaml from a URDF file, .urdf from a\n"
    "YAML model. Numbers stay the same to the last digit. What the other type does not have is listed.\n"
    "\n"
    "    -o, --output FILE       what to write; - is standard output, with the other type than that of MODEL\n"
    "    --floating              the root link of a URDF file is a free body\n"
    "    --set NAME=VALUE        another value for a parameter of a YAML model; may be repeated\n"
    "    -q, --quiet             only warnings and errors\n"
    "    -h, --help              this text\n"
    DAL_USAGE_WHOLE_FILE;
/* clang-format on */

typedef struct request {
    dal_model_options model;
    const char *output;
    bool quiet;
} request;

static const dal_option options[] = {DAL_SET, DAL_FILE("output", 'o', output), DAL_FLAG("quiet", 'q', quiet), {0}};
static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_MODEL, NULL, NULL};

/* Is the output URDF? 0, 1; -1 after an error message. */
static int choose_type(const request *wanted)
{
    const bool from_urdf = dal_has_extension(wanted->model.path, ".urdf"), stream = !strcmp(wanted->output, "-");
    const bool to_urdf = stream ? !from_urdf : dal_has_extension(wanted->output, ".urdf");
    if (!to_urdf && !stream && !dal_has_extension(wanted->output, ".yaml") && !dal_has_extension(wanted->output, ".yml"))
        dal_wrong_use("convert", "the type of '%s' is not known: a model is written as .yaml or .urdf", wanted->output);
    else if (to_urdf == from_urdf)
        dal_wrong_use("convert", "'%s' and '%s' are of the same type: there is nothing to convert", wanted->model.path, wanted->output);
    else
        return to_urdf;
    return -1;
}

static dal_status convert_model(request *wanted, bool to_urdf, dal_messages *messages, char **text)
{
    dal_status status = dal_model_load(&wanted->model, wanted->output, NULL);
    if (status == DAL_OK)
        status = (to_urdf ? dal_to_urdf : dal_to_yaml)(NULL, wanted->model.spec, messages, text);
    return dal_model_blame(status, messages);
}

static int run_request(void *user)
{
    request *wanted = user;
    char *text = NULL;
    if (!wanted->output)
        return dal_wrong_use("convert", "where to? give a file with -o, as in -o robot.yaml");
    const int to_urdf = choose_type(wanted);
    if (to_urdf < 0)
        return DAL_BAD_COMMAND;
    dal_messages *messages = wanted->model.messages;
    dal_status status = convert_model(wanted, to_urdf, messages, &text);
    dal_report_end("convert", messages, wanted->quiet ? DAL_WARNING : DAL_NOTE, status);
    if (status == DAL_OK)
        status = dal_write_whole_file("convert", wanted->output, text);
    free(text);
    return (int)status;
}

const dal_command dal_command_convert = DAL_COMMAND("convert", "write a model as a file of another type: URDF, YAML", run_request);
