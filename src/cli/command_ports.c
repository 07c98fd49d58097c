/* dalembert ports: a model as a network of components, as a table and as a picture. */
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/whole_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const char usage[] =
    "dalembert ports MODEL [options]\n"
    "\n"
    "Show the model as a network of causal components: bodies, joints, couplings and force elements, their ports,\n"
    "and what flows through each of them in both directions. A body gives the motion of its ports and takes\n"
    "wrenches; a joint takes motion and gives wrenches. 'formulation: component' computes in this way.\n"
    "\n"
    "    -o, --output FILE.svg   draw the network; - is standard output, without the table\n"
    "    --json                  a JSON object instead of the table\n"
    "    --coordinates WORD      euler: bodies are turned by Euler parameters, with one equation each of their own;\n"
    "                            others: by angles\n"
    DAL_USAGE_VALUES
    "    -q, --quiet             no table, only warnings and errors\n"
    "    -h, --help              this text\n"
    DAL_USAGE_WHOLE_FILE;
/* clang-format on */

typedef struct request {
    dal_model_options model;
    const char *output;
    bool json, quiet;
} request;

static const dal_option options[] = {DAL_SET, DAL_FILE("output", 'o', output), DAL_FLAG("json", 0, json), DAL_FLAG("quiet", 'q', quiet), {0}};

static bool to_stream(const request *wanted)
{
    return wanted->output && !strcmp(wanted->output, "-");
}

static int check_output(void *user)
{
    const request *wanted = user;
    const char *dot = wanted->output ? strrchr(wanted->output, '.') : NULL;
    if (to_stream(wanted) && wanted->json)
        return dal_wrong_use("ports", "-o - and --json both need standard output: give the picture a file");
    if (!wanted->output || to_stream(wanted) || (dot && !strcasecmp(dot, ".svg")))
        return DAL_OK;
    return dal_wrong_use("ports", "the type of '%s' is not known: a picture is written as .svg", wanted->output);
}

static const char *const settings[] = {"coordinates", NULL}; /* entries of the model's simulate: block */
static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, check_output, NULL};

static int ports_text(const void *ports, char *buffer, size_t size)
{
    return dal_ports_text(ports, buffer, size);
}

static int ports_json(const void *ports, char *buffer, size_t size)
{
    return dal_ports_json(ports, buffer, size);
}

static dal_status draw_ports(const request *wanted, const dal_ports *ports, dal_messages *messages)
{
    char *text = NULL;
    dal_status status = dal_ports_svg(NULL, ports, messages, &text);
    if (status == DAL_OK)
        status = dal_write_whole_file("ports", wanted->output, text);
    free(text);
    return status;
}

static dal_status show_ports(request *wanted, dal_messages *messages)
{
    dal_ports *ports = NULL;
    dal_status status = dal_model_load(&wanted->model, wanted->output, NULL);
    if (status == DAL_OK)
        status = dal_ports_create(NULL, wanted->model.spec, messages, &ports);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK && !to_stream(wanted) && (wanted->json || !wanted->quiet))
        status = dal_print_text(stdout, wanted->json ? ports_json : ports_text, ports);
    if (status == DAL_OK && wanted->output)
        status = draw_ports(wanted, ports, messages);
    dal_ports_free(ports);
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_status status = show_ports(wanted, messages);
    dal_report_end("ports", messages, wanted->quiet ? DAL_WARNING : DAL_NOTE, status == DAL_BAD_FILE ? DAL_OK : status);
    return (int)status;
}

const dal_command dal_command_ports = DAL_COMMAND("ports", "show a model as a network of components and draw it", run_request);
