/* dalembert merge: files of results from the journals of a study. */
#include "cli/study_results.h"
#include "cli/sweep_plan.h"

#include <stdlib.h>

static const char usage[] = "dalembert merge JOURNAL... -o FILE [options]\n"
                            "\n"
                            "Write the results of a study from its journals: those of the shards of 'dalembert sweep --shard', or one that was\n"
                            "kept. The result is the same as that of one process.\n"
                            "\n"
                            "    -o, --output FILE       .csv, .h5 or .html, as for 'dalembert sweep'; may be repeated\n"
                            "    --motions N             maximum number of runs that move on a page (40); 0: none\n"
                            "    --model FILE            where the model is now; journals remember where it was\n"
                            "    -q, --quiet             no table\n"
                            "    -h, --help              this text\n"
                            "\n"
                            "Runs that no journal has are reported and skipped.\n";

typedef struct request {
    dal_model_options model;
    const char *where;
    dal_study_outputs outputs;
    dal_sweep_plan sweep;
} request;

static int read_output(void *user, char *path)
{
    request *wanted = user;
    wanted->outputs.command = "merge";
    return dal_study_outputs_add(&wanted->outputs, path);
}

static int read_motions(void *user, char *text)
{
    request *wanted = user;
    wanted->outputs.command = "merge";
    return dal_study_outputs_motions(&wanted->outputs, text);
}

static const dal_option options[] = {DAL_READ("output", 'o', read_output),
                                     DAL_READ("motions", 0, read_motions),
                                     DAL_FILE("model", 0, where, NULL),
                                     DAL_FLAG("quiet", 'q', outputs.quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->model.n_arguments)
        return dal_wrong_use("merge", "which journals?");
    return wanted->outputs.n ? DAL_OK : dal_wrong_use("merge", "where should the results go? Give -o FILE, as in -o study.csv");
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_ANY, check_use};

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->model.messages;
    const char *const *journals = (const char *const *)wanted->model.arguments;
    char *command = NULL;
    dal_status status = dal_sweep_plan_recall(&wanted->sweep, journals[0], wanted->where, messages);
    if (status == DAL_OK)
        status = dal_sweep_plan_read(&wanted->sweep, messages);
    wanted->outputs.channels = wanted->sweep.plan.n_channels > 0;
    if (status == DAL_OK)
        status = dal_study_outputs_check(&wanted->outputs, wanted->sweep.spec, NULL, messages);
    if (status == DAL_OK)
        status = dal_sweep_plan_make(&wanted->sweep, messages);
    if (status == DAL_OK)
        wanted->outputs.how.command = command = dal_sweep_plan_command(&wanted->sweep);
    if (status == DAL_OK)
        status = dal_study_outputs_write(&wanted->outputs, wanted->sweep.study, wanted->model.n_arguments, journals, messages);
    dal_report_end("merge", messages, DAL_WARNING, status);
    dal_sweep_plan_close(&wanted->sweep);
    free(command);
    return (int)status;
}

const dal_command dal_command_merge = DAL_COMMAND("merge", "write the results of a study from its journals", run_request);
