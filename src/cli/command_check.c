/* dalembert check: an exact verdict on a model before it is run. */
#include "cli/options.h"

/* clang-format off */
static const char usage[] =
    "dalembert check MODEL... [options]\n"
    "\n"
    "Say what there is to know about a model before it is run: freedoms by rank and by counting, which joints\n"
    "are redundant and which of their rows, whether the accelerations are unique and what is loose if not,\n"
    "whether the start is a singular position or near one, how far assembly moved the start values, ignorable\n"
    "coordinates, scales, and how fast the motion is against the step. The last line is the verdict.\n"
    "\n"
    "    --along                 run the model too, and look at its rank along the motion\n"
    "    --json                  everything as a JSON object\n"
    "\n"
    "Otherwise from the model's 'simulate:' block, as in 'dalembert run':\n"
    "\n"
    DAL_USAGE_EQUATIONS
    "    --stabilization WORD    how constraints are held         (dalembert list stabilizations)\n"
    "    --integrator WORD       method of integration            (dalembert list integrators)\n"
    "    --step H                step, or first step of an adaptive method, s\n"
    "    --until T               end of the motion, s\n"
    DAL_USAGE_VALUES
    "\n"
    "    -v, --verbose           every note of the assembly\n"
    "    -q, --quiet             no progress; only warnings and errors\n"
    "    -h, --help              this text\n"
    "\n"
    "The exit status is 0 if the model is clean, 1 if there are warnings, 3 if it cannot be simulated, 4 if the\n"
    "run of --along stopped early.\n";
/* clang-format on */

enum { WARNINGS = 1 }; /* exit status */

/* Entries of the model's simulate: block. */
static const char *const settings[] = {"coordinates", "formulation", "stabilization", "integrator", "step", "until", NULL};

typedef struct request {
    dal_model_options model;
    bool along, json, quiet;
} request;

static const dal_option options[] = {DAL_SET, DAL_FLAG("along", 0, along), DAL_FLAG("json", 0, json), DAL_FLAG("quiet", 'q', quiet), {0}};
static const dal_option_table table = {usage, options, settings, DAL_ARGUMENT_MODELS, NULL, NULL};

static dal_status check_model(request *wanted, dal_messages *messages, dal_verdict **verdict)
{
    dal_status status = dal_model_load(&wanted->model, NULL, NULL);
    if (status == DAL_OK) {
        dal_report(messages, wanted->quiet ? DAL_WARNING : DAL_NOTE); /* unused parts of the file are not part of the verdict */
        dal_messages_clear(messages);
        dal_progress progress = dal_progress_begin(wanted->quiet);
        dal_check_options how = {.along = wanted->along, .progress = dal_progress_show, .progress_user = &progress};
        status = dal_check(wanted->model.spec, &how, messages, verdict);
        dal_progress_end(&progress);
    }
    return *verdict && (*verdict)->known ? status : dal_model_blame(status, messages);
}

static int verdict_text(const void *of, char *buffer, size_t size)
{
    return dal_verdict_text(of, buffer, size);
}

static int verdict_json(const void *of, char *buffer, size_t size)
{
    return dal_verdict_json(of, buffer, size);
}

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    dal_verdict *verdict = NULL;
    dal_catch_signals();
    int status = (int)check_model(wanted, messages, &verdict);
    dal_report_end("check", messages, DAL_ERROR, verdict ? DAL_OK : (dal_status)status); /* the others are in the verdict */
    if (verdict)
        dal_print_text(stdout, wanted->json ? verdict_json : verdict_text, verdict);
    if (status == DAL_OK && verdict && verdict->n_warnings)
        status = WARNINGS;
    dal_verdict_free(verdict);
    return dal_caught_signal() ? 128 + dal_caught_signal() : status;
}

const dal_command dal_command_check = DAL_COMMAND("check", "say what is redundant, loose, singular or stiff in a model", run_request);
