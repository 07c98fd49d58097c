/* dalembert ports: a model as a network of components, as a table and as a picture. */
#include "cli/model_options.h"
#include "cli/outputs.h"
#include "cli/whole_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char usage[] =
    "dalembert ports MODEL [options]\n"
    "\n"
    "Show the model as a network of causal components: bodies, joints, couplings and force elements, their ports,\n"
    "and what flows through each of them in both directions. A body gives the motion of its ports and takes\n"
    "wrenches; a joint takes motion and gives wrenches. 'formulation: component' computes in this way.\n"
    "\n"
    "    -o, --output FILE.svg   draw the network; - is standard output, without the table\n"
    "    --json                  a JSON object instead of the table\n"
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
    "    --floating              the root link of a URDF file is a free body\n"
    "    -q, --quiet             no table, no messages but errors\n"
    "    -h, --help              this text\n"
    "\n"
    "The file appears under its name only when it is complete.\n";

static const char *const settings[] = {NULL};
enum { JSON = DAL_OPTION_OWN };

typedef struct request {
    dal_model_options model;
    const char *output;
    bool json, quiet;
} request;

static int take_option(void *user, int option, char *value)
{
    request *wanted = user;
    switch (option) {
    case JSON: wanted->json = true; break;
    case 'q': wanted->quiet = true; break;
    case 'o':
        if (wanted->output)
            return dal_wrong_use("ports", "one file at a time: -o was given twice");
        wanted->output = value;
        break;
    }
    return DAL_OK;
}

static const struct option others[] = {{"set", required_argument, NULL, DAL_OPTION_SET},
                                       {"output", required_argument, NULL, 'o'},
                                       {"json", no_argument, NULL, JSON},
                                       {"quiet", no_argument, NULL, 'q'},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
static const dal_option_table table = {usage, ":o:qh", others, settings, take_option};

static bool to_stream(const request *wanted)
{
    return wanted->output && !strcmp(wanted->output, "-");
}

static int check_output(const request *wanted)
{
    const char *dot = wanted->output ? strrchr(wanted->output, '.') : NULL;
    if (to_stream(wanted) && wanted->json)
        return dal_wrong_use("ports", "-o - and --json both want standard output: give the picture a file");
    if (!wanted->output || to_stream(wanted) || (dot && !strcasecmp(dot, ".svg")))
        return DAL_OK;
    return dal_wrong_use("ports", "the type of '%s' is not known: a picture is written as .svg", wanted->output);
}

static dal_status print_table(const request *wanted, const dal_ports *ports)
{
    int (*const print)(const dal_ports *, char *, size_t) = wanted->json ? dal_ports_json : dal_ports_text;
    const size_t size = (size_t)print(ports, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
        return DAL_NO_MEMORY;
    print(ports, text, size);
    fputs(text, stdout);
    free(text);
    return DAL_OK;
}

static dal_status draw(const request *wanted, const dal_ports *ports, dal_messages *messages)
{
    char *text = NULL;
    dal_status status = dal_ports_svg(NULL, ports, messages, &text);
    if (status == DAL_OK)
        status = dal_write_whole_file("ports", wanted->output, text);
    free(text);
    return status;
}

static dal_status show(const request *wanted, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_ports *ports = NULL;
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK && wanted->output)
        status = dal_output_check(wanted->output, spec, NULL, messages);
    if (status == DAL_OK)
        status = dal_ports_create(NULL, spec, messages, &ports);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK && !to_stream(wanted) && (wanted->json || !wanted->quiet))
        status = print_table(wanted, ports);
    if (status == DAL_OK && wanted->output)
        status = draw(wanted, ports, messages);
    dal_ports_free(ports);
    dal_spec_free(spec);
    return status;
}

static int run_request(const request *wanted)
{
    int wrong = check_output(wanted);
    if (wrong)
        return wrong;
    dal_messages *messages = dal_messages_create(NULL);
    dal_status status = messages ? show(wanted, messages) : DAL_NO_MEMORY;
    if (messages)
        dal_report(messages, wanted->quiet ? DAL_ERROR : DAL_NOTE);
    if (status != DAL_OK && status != DAL_BAD_FILE && !(messages && dal_messages_count(messages, DAL_ERROR)))
        fprintf(stderr, "dalembert ports: error: %s\n", dal_status_text(status));
    dal_messages_free(messages);
    return (int)status;
}

static int run(int argc, char **argv)
{
    request wanted = {0};
    int status = dal_model_options_read(&table, argc, argv, &wanted.model, &wanted);
    if (status == DAL_OK)
        status = run_request(&wanted);
    dal_model_options_free(&wanted.model);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_ports = {"ports", "show a model as a network of components and draw it", usage, run};
