/* dalembert eval: everything at one state, and the forces that produce wanted accelerations. */
#include "cli/options.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char usage[] =
    "dalembert eval MODEL --state FILE [options]\n"
    "dalembert eval MODEL --random SEED [options]\n"
    "dalembert eval MODEL --names [options]\n"
    "\n"
    "Print everything at one state: q', accelerations, mass matrix, bias, Coriolis matrix, gravity terms, energies, momenta,\n"
    "constraint rows and reactions.\n"
    "\n"
    "    --state FILE            the state, as JSON: {\"q\": , \"rates\": , \"forces\": , \"accelerations\": , \"time\": , \"states\": }, each\n"
    "                            of the first four an object by name (missing names are zero) or an array in the order of --names;\n"
    "                            states of the model by name (missing ones have their start values). 'dalembert equilibrium -o'\n"
    "                            writes such a file, with the axes of Euler angles under \"sequences\"\n"
    "    --random SEED           a random state that meets the constraints, the same for the same number\n"
    "    --names                 print the names of q and of the rates, in their order\n"
    "\n"
    "    --inverse               the forces of the actuators that give the wanted accelerations; the model's motors, or one on\n"
    "                            every coordinate. Accelerations that are not named are as small as the constraints allow\n"
    "    --nearest               wanted accelerations that the constraints forbid: take the nearest, instead of a refusal\n"
    "\n"
    DAL_USAGE_EQUATIONS
    "    --stabilization WORD    baumgarte changes the right side (dalembert list stabilizations)\n"
    DAL_USAGE_VALUES
    "\n"
    DAL_USAGE_DIGITS
    DAL_USAGE_WIDTH
    "    --whole                 matrices of any size\n"
    DAL_USAGE_JSON
    "    -h, --help              this text\n"
    "\n"
    "The exit status is 3 if the actuators cannot give the wanted accelerations, and what is missing is printed; or if the\n"
    "accelerations are not determined, and the rest is printed with the verdict.\n";
/* clang-format on */

/* Entries of the model's simulate: block. */
static const char *const settings[] = {"coordinates", "formulation", "stabilization", NULL};

typedef struct request {
    dal_model_options model;
    dal_evaluation_options options;
    const char *file;
    bool names, whole, json;
    dal_count random; /* the seed */
    int digits, width;
    dal_evaluation *evaluation; /* to print */
} request;

/* ---- the command line ---------------------------------------------------- */

static const dal_option options[] = {DAL_TEXT("state", 0, file),
                                     DAL_COUNT("random", random),
                                     DAL_FLAG("names", 0, names),
                                     DAL_FLAG("inverse", 0, options.inverse),
                                     DAL_FLAG("nearest", 0, options.nearest),
                                     DAL_SET,
                                     DAL_DIGITS,
                                     DAL_WIDTH,
                                     DAL_FLAG("whole", 0, whole),
                                     DAL_FLAG("json", 0, json),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    const int ways = (wanted->file != NULL) + wanted->random.given + wanted->names;
    if (ways != 1)
        return dal_wrong_use("eval",
                             ways ? "one of --state, --random and --names is enough" : "which state? --state FILE, --random SEED, or --names");
    if (wanted->options.nearest && !wanted->options.inverse)
        return dal_wrong_use("eval", "--nearest belongs to --inverse");
    return DAL_OK;
}

static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODEL, check_use, NULL};

/* ---- output -------------------------------------------------------------------- */

typedef bool label(const dal_system *system, int k, char *text, size_t size);

static void print_labels(const dal_system *system, const char *title, label *label_of)
{
    char text[256];
    printf("%s\n", title);
    for (int k = 0; label_of(system, k, text, sizeof text); k++)
        printf("  %d  %s\n", k + 1, text);
}

static void write_labels(dal_json *json, const dal_system *system, const char *key, label *label_of)
{
    char text[256];
    dal_json_open(json, key, '[');
    for (int k = 0; label_of(system, k, text, sizeof text); k++)
        dal_json_string(json, NULL, text);
    dal_json_close(json, ']');
}

static dal_status print_names(const request *wanted, const dal_system *system)
{
    dal_json json = dal_json_to_file(stdout);
    if (wanted->json) {
        dal_json_open(&json, NULL, '{');
        write_labels(&json, system, "q", dal_coordinate_label);
        write_labels(&json, system, "rates", dal_rate_label);
        dal_json_close(&json, '}');
        putchar('\n');
    } else {
        print_labels(system, "q", dal_coordinate_label);
        print_labels(system, "rates", dal_rate_label);
    }
    return DAL_OK;
}

static int evaluation_text(const void *user, char *buffer, size_t size)
{
    const request *wanted = user;
    const dal_evaluation *e = wanted->evaluation;
    return wanted->json ? dal_evaluation_json(e, buffer, size)
                        : dal_evaluation_text(e, wanted->digits, dal_output_width(wanted->width), wanted->whole, buffer, size);
}

static dal_status print_evaluation(const request *wanted)
{
    const dal_evaluation *e = wanted->evaluation;
    const dal_status status = dal_print_text(stdout, evaluation_text, wanted);
    const bool achieved = (!e->inverse || e->inverse->achieved) && e->determined;
    return status == DAL_OK && !achieved ? DAL_BAD_MODEL : status;
}

/* ---- the command ---------------------------------------------------------------------- */

/* The file has accelerations, but the inverse problem was not requested: the printed accelerations are different ones. */
static void note_unused(const request *wanted, const dal_system *system, const dal_instant *instant)
{
    for (int k = 0; wanted->file && !wanted->options.inverse && k < dal_system_describe(system).velocities; k++)
        if (instant->wanted[k]) {
            fprintf(stderr,
                    "%s: note: the accelerations of this file are used by --inverse alone; those printed are the ones that the forces "
                    "give\n",
                    wanted->file);
            return;
        }
}

static dal_status evaluate_instant(request *wanted, const dal_system *system, dal_messages *messages, bool *printed)
{
    dal_state *state = dal_state_create(NULL, system);
    dal_instant *instant = NULL;
    dal_status status = !state                 ? DAL_NO_MEMORY
                        : wanted->random.given ? dal_instant_random(NULL, state, wanted->random.value, messages, &instant)
                                               : dal_instant_read(NULL, system, wanted->file, messages, &instant);
    if (status == DAL_OK)
        note_unused(wanted, system, instant);
    if (status == DAL_OK)
        status = dal_evaluate(NULL, state, instant, &wanted->options, messages, &wanted->evaluation);
    if (status == DAL_OK) {
        status = print_evaluation(wanted);
        *printed = true;
    }
    dal_evaluation_free(wanted->evaluation);
    dal_instant_free(instant);
    dal_state_free(state);
    return status;
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_model_options *model = &wanted->model;
    bool printed = false;
    dal_status status = dal_model_load(model, NULL, NULL);
    if (status == DAL_OK)
        status = dal_compile_for_evaluation(NULL, model->spec, model->messages, &model->system);
    status = dal_model_blame(status, model->messages);
    if (status == DAL_OK)
        status = wanted->names ? print_names(wanted, model->system) : evaluate_instant(wanted, model->system, model->messages, &printed);
    dal_report_end("eval", model->messages, DAL_NOTE, printed ? DAL_OK : status);
    return (int)status;
}

const dal_command dal_command_eval = DAL_COMMAND("eval", "print everything at one state; inverse dynamics", run_request);
