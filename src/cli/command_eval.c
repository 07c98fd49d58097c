/* dalembert eval: everything at one state, and the forces that wanted accelerations take. */
#include "cli/model_options.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char usage[] =
    "dalembert eval MODEL --state FILE [options]\n"
    "dalembert eval MODEL --random SEED [options]\n"
    "dalembert eval MODEL --names [options]\n"
    "\n"
    "Print everything at one state: q', accelerations, mass matrix, bias, Coriolis matrix, gravity terms, energies, momenta,\n"
    "constraint rows and reactions.\n"
    "\n"
    "    --state FILE            the state, as JSON: {\"q\": , \"rates\": , \"forces\": , \"accelerations\": , \"time\": }, each of the "
    "first\n"
    "                            four an object by name (missing names are zero) or an array in the order of --names\n"
    "    --random SEED           a random state that meets the constraints, the same for the same number\n"
    "    --names                 print the names of q and of the rates, in their order\n"
    "\n"
    "    --inverse               the forces of the actuators that give the wanted accelerations; the model's motors, or one on\n"
    "                            every coordinate. Accelerations that are not named are as small as the constraints allow\n"
    "    --nearest               wanted accelerations that the constraints forbid: take the nearest, instead of a refusal\n"
    "\n"
    "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
    "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
    "    --stabilization WORD    baumgarte changes the right side (dalembert list stabilizations)\n"
    "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
    "    --floating              the root link of a URDF file is a free body\n"
    "\n"
    "    --digits N              digits of the numbers, 1 to 17 (6)\n"
    "    --width N               columns of the text (those of the terminal, or 100)\n"
    "    --whole                 matrices of any size\n"
    "    --json                  a JSON object, every number in full\n"
    "    -h, --help              this text\n"
    "\n"
    "The exit status is 3 if the actuators cannot give the wanted accelerations, and what is missing is printed; or if the\n"
    "accelerations are not determined, and the rest is printed with the verdict.\n";

/* Entries of the model's simulate: block. */
static const char *const settings[] = {"coordinates", "formulation", "stabilization", NULL};
enum { STATE = DAL_OPTION_OWN, RANDOM, NAMES, INVERSE, NEAREST, DIGITS, WIDTH, WHOLE, JSON };

typedef struct request {
    dal_model_options model;
    dal_evaluation_options options;
    const char *file;
    bool random, names, whole, json;
    uint64_t seed;
    int digits, width;
} request;

/* ---- the command line ---------------------------------------------------- */

static bool read_count(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int read_range(const char *option, const char *text, int least, int most, int *value)
{
    uint64_t number;
    if (!read_count(text, &number) || number < (uint64_t)least || number > (uint64_t)most)
        return dal_wrong_use("eval", "%s wants a number from %d to %d, not '%s'", option, least, most, text);
    *value = (int)number;
    return DAL_OK;
}

static int take_option(void *user, int option, char *value)
{
    request *wanted = user;
    switch (option) {
    case STATE: wanted->file = value; break;
    case RANDOM:
        wanted->random = true;
        if (!read_count(value, &wanted->seed))
            return dal_wrong_use("eval", "--random wants a whole number from 0, not '%s'", value);
        break;
    case NAMES: wanted->names = true; break;
    case INVERSE: wanted->options.inverse = true; break;
    case NEAREST: wanted->options.nearest = true; break;
    case DIGITS: return read_range("--digits", value, 1, 17, &wanted->digits);
    case WIDTH: return read_range("--width", value, 20, 10000, &wanted->width);
    case WHOLE: wanted->whole = true; break;
    case JSON: wanted->json = true; break;
    }
    return DAL_OK;
}

static const struct option others[] = {{"set", required_argument, NULL, DAL_OPTION_SET},
                                       {"state", required_argument, NULL, STATE},
                                       {"random", required_argument, NULL, RANDOM},
                                       {"names", no_argument, NULL, NAMES},
                                       {"inverse", no_argument, NULL, INVERSE},
                                       {"nearest", no_argument, NULL, NEAREST},
                                       {"digits", required_argument, NULL, DIGITS},
                                       {"width", required_argument, NULL, WIDTH},
                                       {"whole", no_argument, NULL, WHOLE},
                                       {"json", no_argument, NULL, JSON},
                                       {"help", no_argument, NULL, 'h'},
                                       {NULL, 0, NULL, 0}};
static const dal_option_table table = {usage, ":h", others, settings, take_option};

/* ---- what is printed ----------------------------------------------------------- */

/* As wide as the terminal; 100 columns elsewhere. */
static int width_of_output(const request *wanted)
{
    struct winsize window;
    if (wanted->width)
        return wanted->width;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col >= 20 ? window.ws_col : 100;
}

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

static int render(const request *wanted, const dal_evaluation *evaluation, char *buffer, size_t size)
{
    return wanted->json ? dal_evaluation_json(evaluation, buffer, size)
                        : dal_evaluation_text(evaluation, wanted->digits, width_of_output(wanted), wanted->whole, buffer, size);
}

static dal_status print_evaluation(const request *wanted, const dal_evaluation *evaluation)
{
    size_t size = (size_t)render(wanted, evaluation, NULL, 0) + 1;
    char *text = malloc(size);
    if (!text)
        return DAL_NO_MEMORY;
    render(wanted, evaluation, text, size);
    fputs(text, stdout);
    free(text);
    return (evaluation->inverse && !evaluation->inverse->achieved) || !evaluation->determined ? DAL_BAD_MODEL : DAL_OK;
}

/* ---- the road ------------------------------------------------------------------------ */

/* Accelerations in the file, and nobody asked for the inverse problem: those that are printed are others. */
static void tell_unused(const request *wanted, const dal_system *system, const dal_instant *instant)
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

static dal_status evaluate(const request *wanted, const dal_system *system, dal_messages *messages, bool *printed)
{
    dal_state *state = dal_state_create(NULL, system);
    dal_instant *instant = NULL;
    dal_evaluation *evaluation = NULL;
    dal_status status = !state           ? DAL_NO_MEMORY
                        : wanted->random ? dal_instant_random(NULL, state, wanted->seed, messages, &instant)
                                         : dal_instant_read(NULL, system, wanted->file, messages, &instant);
    if (status == DAL_OK)
        tell_unused(wanted, system, instant);
    if (status == DAL_OK)
        status = dal_evaluate(NULL, state, instant, &wanted->options, messages, &evaluation);
    if (status == DAL_OK) {
        status = print_evaluation(wanted, evaluation);
        *printed = true;
    }
    dal_evaluation_free(evaluation);
    dal_instant_free(instant);
    dal_state_free(state);
    return status;
}

static int answer(const request *wanted)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    bool printed = false;
    dal_status status = dal_model_read(&wanted->model, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile_for_evaluation(NULL, spec, messages, &system);
    status = dal_model_blame(status, messages);
    if (status == DAL_OK)
        status = wanted->names ? print_names(wanted, system) : evaluate(wanted, system, messages, &printed);
    dal_report(messages, DAL_NOTE);
    if (status != DAL_OK && !printed && !dal_messages_count(messages, DAL_ERROR))
        fprintf(stderr, "dalembert eval: error: %s\n", dal_status_text(status));
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return (int)status;
}

static int check_use(const request *wanted)
{
    const int ways = (wanted->file != NULL) + wanted->random + wanted->names;
    if (ways != 1)
        return dal_wrong_use("eval", ways ? "one of --state, --random and --names is enough"
                                          : "which state? --state FILE, --random SEED, or --names");
    if (wanted->options.nearest && !wanted->options.inverse)
        return dal_wrong_use("eval", "--nearest belongs to --inverse");
    return DAL_OK;
}

static int run(int argc, char **argv)
{
    request wanted = {.digits = 6};
    int status = dal_model_options_read(&table, argc, argv, &wanted.model, &wanted);
    if (status == DAL_OK)
        status = check_use(&wanted);
    if (status == DAL_OK)
        status = answer(&wanted);
    dal_model_options_free(&wanted.model);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_eval = {"eval", "print everything at one state; inverse dynamics", usage, run};
