/* dalembert check: an exact verdict on a model before it is run. */
#include "cli/check_report.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] = "dalembert check MODEL [options]\n"
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
                            "    --coordinates WORD      family of coordinates            (dalembert list coordinates)\n"
                            "    --formulation WORD      equations of motion              (dalembert list formulations)\n"
                            "    --stabilization WORD    how constraints are held         (dalembert list stabilizations)\n"
                            "    --integrator WORD       method of integration            (dalembert list integrators)\n"
                            "    --step H                step, or first step of an adaptive method, s\n"
                            "    --until T               end of the motion, s\n"
                            "    --set NAME=VALUE        another value for a parameter of the model; may be repeated\n"
                            "\n"
                            "    -q, --quiet             no progress, no messages but errors\n"
                            "    -h, --help              this text\n"
                            "\n"
                            "The exit status is 0 if the model is clean, 1 if there are warnings, 3 if it cannot be simulated, 4 if the\n"
                            "run of --along stopped early.\n";

enum { WARNINGS = 1 }; /* exit status */

/* Options that are entries of the model's simulate: block. */
static const char *const settings[] = {"coordinates", "formulation", "stabilization", "integrator", "step", "until"};
enum { SETTINGS = sizeof settings / sizeof *settings, SETTING = 1000, SET = 2000, ALONG, JSON };

typedef struct request {
    const char *model;
    const char *setting[SETTINGS]; /* NULL: not given */
    int n_overrides;
    dal_override *overrides;
    bool along, json, quiet;
} request;

/* name=value, cut at the first equals sign. */
static int add_override(request *wanted, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return dal_wrong_use("check", "--set wants NAME=VALUE, not '%s'", text);
    *equals = '\0';
    wanted->overrides[wanted->n_overrides++] = (dal_override){text, equals + 1};
    return DAL_OK;
}

/* 0: go on, -1: help was printed, otherwise the exit code. */
static int read_options(int argc, char **argv, request *wanted)
{
    struct option options[SETTINGS + 6] = {{"set", required_argument, NULL, SET},
                                           {"along", no_argument, NULL, ALONG},
                                           {"json", no_argument, NULL, JSON},
                                           {"quiet", no_argument, NULL, 'q'},
                                           {"help", no_argument, NULL, 'h'}};
    for (int i = 0; i < SETTINGS; i++)
        options[5 + i] = (struct option){settings[i], required_argument, NULL, SETTING + i};
    int option, status = DAL_OK;
    while (status == DAL_OK && (option = dal_next_option(argc, argv, ":qh", options)) != -1) {
        switch (option) {
        case SET: status = add_override(wanted, optarg); break;
        case ALONG: wanted->along = true; break;
        case JSON: wanted->json = true; break;
        case 'q': wanted->quiet = true; break;
        case 'h': fputs(usage, stdout); return -1;
        case '?': return DAL_BAD_COMMAND;
        default: wanted->setting[option - SETTING] = optarg; break;
        }
    }
    if (status != DAL_OK)
        return status;
    if (optind >= argc)
        return dal_wrong_use("check", "which model?");
    if (argc - optind > 1)
        return dal_wrong_use("check", "one model at a time: unexpected argument '%s'", argv[optind + 1]);
    wanted->model = argv[optind];
    return DAL_OK;
}

/* Every error is about a word of the command line: its place is "--set k=3" or the like instead of a file. */
static bool command_is_to_blame(const dal_messages *messages)
{
    for (const dal_message *message = dal_messages_first(messages); message; message = message->next) {
        const char *place = message->mark.file ? message->mark.file : "";
        if (message->severity == DAL_ERROR && strncmp(place, "--", 2) && strcmp(place, "command line"))
            return false;
    }
    return dal_messages_count(messages, DAL_ERROR) > 0;
}

static dal_status check(const request *wanted, dal_messages *messages, dal_spec **spec, dal_verdict **verdict)
{
    dal_status status = dal_spec_read(NULL, wanted->model, wanted->n_overrides, wanted->overrides, messages, spec);
    for (int i = 0; i < SETTINGS && *spec; i++)
        if (wanted->setting[i] && !dal_spec_set(*spec, settings[i], wanted->setting[i], messages))
            status = DAL_BAD_COMMAND;
    if (status == DAL_OK) {
        dal_progress progress = dal_progress_begin(wanted->quiet);
        dal_check_options options = {.along = wanted->along, .progress = dal_progress_show, .progress_user = &progress};
        status = dal_check(*spec, &options, messages, verdict);
        dal_progress_end(&progress);
    }
    return status == DAL_BAD_MODEL && !(*verdict && (*verdict)->known) && command_is_to_blame(messages) ? DAL_BAD_COMMAND : status;
}

static int run_request(const request *wanted)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_verdict *verdict = NULL;
    dal_catch_signals();
    int status = (int)check(wanted, messages, &spec, &verdict);
    dal_report(messages, DAL_ERROR); /* the others are in the verdict */
    if (verdict && wanted->json)
        dal_check_json(verdict);
    else if (verdict)
        dal_check_text(verdict);
    else if (status != DAL_OK && !dal_messages_count(messages, DAL_ERROR))
        fprintf(stderr, "dalembert check: error: %s\n", dal_status_text((dal_status)status));
    if (status == DAL_OK && verdict && verdict->n_warnings)
        status = WARNINGS;
    dal_verdict_free(verdict);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return dal_caught_signal() ? 128 + dal_caught_signal() : status;
}

static int run(int argc, char **argv)
{
    request wanted = {.overrides = calloc((size_t)argc, sizeof(dal_override))};
    if (!wanted.overrides)
        return DAL_NO_MEMORY;
    int status = read_options(argc, argv, &wanted);
    if (status == DAL_OK)
        status = run_request(&wanted);
    free(wanted.overrides);
    return status < 0 ? DAL_OK : status;
}

const dal_command dal_command_check = {"check", "say what is redundant, loose, singular or stiff in a model", usage, run};
