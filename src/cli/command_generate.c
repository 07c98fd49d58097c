/* dalembert generate: C code of a model. */
#include "cli/options.h"
#include "output/same_files.h"
#include "cli/whole_file.h"
#include "dalembert/generate.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert generate MODEL [options]\n"
    "\n"
    "Write the equations of motion of a model as straight-line C11: one file and its header, which need nothing but libm, allocate\n"
    "nothing, and have no static variables. doc/generate.md describes the functions.\n"
    "\n"
    "    --formulation F         formulation (lagrange): recursive, kane, ... any that `derive` knows\n"
    "    --coordinates WORD      family of coordinates (the model's own; for recursive joint)\n"
    "    --parameters WORD       fixed: their values are part of the code (the default); struct: they are an argument\n"
    "    --lanes N               4 or 8: also write functions that compute 4 or 8 copies of the model at once\n"
    "    --jacobians             also write derivatives of the accelerations by coordinates and velocities\n"
    "    -o, --output FILE.c     the file (model.c); the header stands beside it, and names begin with the name of the file\n"
    DAL_USAGE_PARAMETERS
    "    -h, --help              this text\n"
    "\n"
    "The file tests itself: cc -DMODEL_TEST -O2 model.c -lm && ./a.out compares it with what the engine found at eight states.\n";
/* clang-format on */

typedef struct request {
    dal_model_options model;
    const char *output, *formulation, *coordinates, *parameters, *lanes;
    bool jacobians;
} request;

static const dal_option options[] = {DAL_TEXT("formulation", 0, formulation),
                                     DAL_TEXT("coordinates", 0, coordinates),
                                     DAL_TEXT("parameters", 0, parameters),
                                     DAL_TEXT("lanes", 0, lanes),
                                     DAL_FLAG("jacobians", 0, jacobians),
                                     DAL_FILE("output", 'o', output),
                                     DAL_SET,
                                     {0}};

static int check_options(void *user)
{
    const request *wanted = user;
    const size_t n = wanted->output ? strlen(wanted->output) : 0;
    if (wanted->output && (n < 3 || strcmp(wanted->output + n - 2, ".c")))
        return dal_wrong_use("generate", "'%s' does not end with .c: generated code is a C file", wanted->output);
    if (wanted->parameters && strcmp(wanted->parameters, "fixed") && strcmp(wanted->parameters, "struct"))
        return dal_wrong_use("generate", "--parameters needs fixed or struct, not '%s'", wanted->parameters);
    if (wanted->lanes && strcmp(wanted->lanes, "4") && strcmp(wanted->lanes, "8"))
        return dal_wrong_use("generate", "--lanes needs 4 or 8, not '%s'", wanted->lanes);
    return DAL_OK;
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_MODEL, check_options, NULL};

/* The name of the file without folder and ".c". */
static char *name_of_file(const char *output)
{
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output;
    return strndup(name, strlen(name) - 2);
}

static dal_status write_files(const char *path, const dal_c_code *code)
{
    char *header = strdup(path);
    if (!header)
        return DAL_NO_MEMORY;
    header[strlen(header) - 1] = 'h';
    dal_status status = dal_write_whole_file("generate", header, code->header);
    if (status == DAL_OK)
        status = dal_write_whole_file("generate", path, code->source);
    free(header);
    return status;
}

static dal_status generate(request *wanted, const char *path, dal_messages *messages, dal_c_code **code)
{
    char *name = name_of_file(path);
    dal_status status = name ? dal_model_load(&wanted->model, NULL, NULL) : DAL_NO_MEMORY;
    const dal_c_code_options how = {.name = name,
                                    .formulation = wanted->formulation,
                                    .coordinates = wanted->coordinates,
                                    .parameters = wanted->parameters && !strcmp(wanted->parameters, "struct"),
                                    .lanes = wanted->lanes ? atoi(wanted->lanes) : 0,
                                    .jacobians = wanted->jacobians};
    if (status == DAL_OK)
        status = dal_c_code_generate(NULL, wanted->model.spec, &how, messages, code);
    free(name);
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    const char *path = wanted->output ? wanted->output : "model.c";
    dal_messages *messages = wanted->model.messages;
    dal_c_code *code = NULL;
    dal_status status = generate(wanted, path, messages, &code);
    if (status == DAL_OK)
        status = write_files(path, code);
    status = dal_model_blame(status, messages);
    dal_report_end("generate", messages, DAL_NOTE, status);
    if (status == DAL_OK)
        printf("%s: %d coordinates, %d velocities, %d rows; %d operations\n", path, code->coordinates, code->velocities, code->rows,
               code->operations);
    dal_c_code_free(code);
    return dal_finish_output((int)status);
}

const dal_command dal_command_generate = DAL_COMMAND("generate", "write the equations of motion as C code", run_request);
