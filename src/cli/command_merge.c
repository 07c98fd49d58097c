/* dalembert merge: files of results from the journals of a study. */
#include "cli/study_results.h"

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
    dal_study_request study;
    const char *where;
} request;

static const dal_option options[] = {DAL_READ("output", 'o', dal_study_output),
                                     DAL_READ("motions", 0, dal_study_motions),
                                     DAL_FILE("model", 0, where),
                                     DAL_FLAG("quiet", 'q', study.outputs.quiet),
                                     {0}};

static int check_use(void *user)
{
    const request *wanted = user;
    if (!wanted->study.model.n_arguments)
        return dal_wrong_use("merge", "which journals?");
    return wanted->study.outputs.n ? DAL_OK : dal_wrong_use("merge", "where should the results go? Give -o FILE, as in -o study.csv");
}

static const dal_option_table table = {usage, options, NULL, DAL_ARGUMENT_ANY, check_use, NULL};

static int run_request(void *user)
{
    request *wanted = user;
    dal_messages *messages = wanted->study.model.messages;
    const char *const *journals = (const char *const *)wanted->study.model.arguments;
    char *command = NULL;
    dal_status status = dal_sweep_plan_of_journal(&wanted->study.sweep, journals[0], wanted->where, messages);
    if (status == DAL_OK)
        status = dal_study_prepare(&wanted->study, NULL, messages);
    if (status == DAL_OK)
        wanted->study.outputs.how.command = command = dal_sweep_plan_command(&wanted->study.sweep);
    if (status == DAL_OK)
        status = dal_study_outputs_write(&wanted->study.outputs, wanted->study.sweep.study, wanted->study.model.n_arguments, journals, messages);
    dal_report_end("merge", messages, DAL_WARNING, status);
    dal_sweep_plan_close(&wanted->study.sweep);
    free(command);
    return (int)status;
}

const dal_command dal_command_merge = DAL_COMMAND("merge", "write the results of a study from its journals", run_request);
