/* The table has a line for each summary, over all runs that have it. */
#include "cli/study_results.h"

#include "output/same_files.h"
#include "cli/pages.h"
#include "study/study_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int dal_study_output(void *request, char *path)
{
    dal_study_outputs *outputs = &((dal_study_request *)request)->outputs;
    if (outputs->n == DAL_STUDY_FILES)
        return dal_wrong_use(((dal_study_request *)request)->model.name, "more than %d files to write", DAL_STUDY_FILES);
    outputs->pages = outputs->pages || dal_is_page(path);
    outputs->path[outputs->n++] = path;
    return DAL_OK;
}

int dal_study_motions(void *request, char *text)
{
    dal_study_request *wanted = request;
    int n = 0;
    const int code = dal_read_range(wanted->model.name, "--motions", text, 0, 1000, &n);
    wanted->outputs.how.motions = n ? n : -1;
    return code;
}

/* A file in addition to the requested ones, which the caller frees; NULL: there is none of that index. */
static void name_beside(const dal_study_outputs *outputs, char *beside[DAL_STUDY_FILES])
{
    for (int i = 0; i < outputs->n; i++)
        beside[i] = outputs->channels ? dal_study_channels_path(outputs->path[i]) : NULL;
}

static dal_status check_outputs(const dal_study_outputs *outputs, const dal_spec *spec, const char *journal, dal_messages *messages)
{
    const char *paths[2 * DAL_STUDY_FILES + 1];
    char *beside[DAL_STUDY_FILES] = {NULL};
    int n = 0;
    for (int i = 0; i < outputs->n; i++) {
        if (!dal_study_file_known(outputs->path[i], messages))
            return DAL_BAD_COMMAND;
        paths[n++] = outputs->path[i];
    }
    if (outputs->pages && !dal_pages_possible(outputs->command, "a page"))
        return DAL_BAD_COMMAND;
    name_beside(outputs, beside);
    for (int i = 0; i < outputs->n; i++)
        if (beside[i])
            paths[n++] = beside[i];
    paths[n] = journal;
    const dal_status status = dal_outputs_check(n + (journal != NULL), paths, spec->n_files, spec->files, messages);
    for (int i = 0; i < outputs->n; i++)
        free(beside[i]);
    return status;
}

dal_status dal_study_prepare(dal_study_request *wanted, const char *journal, dal_messages *messages)
{
    dal_sweep_plan *sweep = &wanted->sweep;
    dal_status status = dal_sweep_plan_read(sweep, messages);
    wanted->outputs.command = wanted->model.name;
    wanted->outputs.channels = sweep->plan.n_channels > 0;
    if (status == DAL_OK)
        status = check_outputs(&wanted->outputs, sweep->spec, journal, messages);
    return status == DAL_OK ? dal_sweep_plan_make(sweep, messages) : status;
}

/* ---- the table ------------------------------------------------------------------------------ */

typedef struct column_sum {
    long n;
    double least, largest, mean, square; /* Welford's sums */
} column_sum;

static void add_value(column_sum *s, double x)
{
    if (isnan(x))
        return;
    s->n++;
    s->least = s->n == 1 || x < s->least ? x : s->least;
    s->largest = s->n == 1 || x > s->largest ? x : s->largest;
    const double change = x - s->mean;
    s->mean += change / (double)s->n;
    s->square += change * (x - s->mean);
}

static void print_sums(const dal_study *study, const column_sum *sums, const char *reason, long failed)
{
    const dal_study_info info = dal_study_describe(study);
    int n, width = 8;
    const dal_column *values = dal_study_values(study, &n);
    n -= info.compiled ? DAL_STUDY_EVIDENCE : DAL_STUDY_EVIDENCE - 1;
    for (int i = 0; i < n; i++)
        width = width > (int)strlen(values[i].name) ? width : (int)strlen(values[i].name);
    printf("%s: %ld runs, %ld failed\n\n", info.model, info.runs, failed);
    printf("%-*s %13s %13s %13s %13s\n", width, "", "mean", "deviation", "least", "largest");
    for (int i = 0; i < n; i++) {
        const column_sum *s = &sums[i];
        if (s->n)
            printf("%-*s %13.6g %13.6g %13.6g %13.6g  %s\n", width, values[i].name, s->mean, s->n > 1 ? sqrt(s->square / (double)(s->n - 1)) : 0,
                   s->least, s->largest, values[i].unit);
        else
            printf("%-*s          none\n", width, values[i].name);
    }
    if (failed)
        printf("\nthe first run that failed: %s\n", reason);
}

static dal_status print_table(const dal_study_outputs *outputs, const dal_study *study, int n_journals, const char *const *journals,
                              dal_messages *messages)
{
    const int n = dal_study_describe(study).values;
    dal_study_reader *reader = NULL;
    dal_study_row row;
    long failed = 0, done = 0;
    char reason[600] = "";
    column_sum *sums = calloc((size_t)n + 1, sizeof *sums);
    dal_status status = sums ? dal_study_open(study, n_journals, journals, messages, &reader) : DAL_NO_MEMORY;
    while (status == DAL_OK && dal_study_next(reader, &row, &status)) {
        done++;
        for (int i = 0; i < n; i++)
            add_value(&sums[i], row.values[i]);
        if (row.status != DAL_OK && !failed++)
            snprintf(reason, sizeof reason, "%s", row.reason);
    }
    if (status == DAL_OK && !outputs->quiet)
        print_sums(study, sums, reason, failed);
    if (status == DAL_OK && dal_study_missing(reader))
        fprintf(stderr, "dalembert %s: warning: %ld of %ld runs are missing\n", outputs->command, dal_study_missing(reader),
                dal_study_describe(study).runs);
    if (status == DAL_OK && failed && failed == done) {
        dal_error(messages, dal_nowhere, "every run failed; the first one: %s", reason);
        status = DAL_NUMERICAL;
    }
    dal_study_close(reader);
    free(sums);
    return status;
}

dal_status dal_study_outputs_write(const dal_study_outputs *outputs, const dal_study *study, int n, const char *const *journals,
                                   dal_messages *messages)
{
    dal_status status = DAL_OK;
    for (int i = 0; i < outputs->n && status == DAL_OK; i++) {
        dal_announce_output(outputs->path[i]);
        status = dal_study_write_with(study, n, journals, outputs->path[i], &outputs->how, messages);
    }
    return status == DAL_OK ? print_table(outputs, study, n, journals, messages) : status;
}
