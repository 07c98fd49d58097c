/* What a study costs beside a loop in C that does the same: n runs of a model, each by dal_system_vary and dal_run, with one summary.
 *
 *     bench_study MODEL NAME FROM TO CHANNEL N [JOBS [JOURNAL]]
 *
 * prints the CPU and the wall time of the loop (JOBS 0) or of the study with so many threads, for each run in microseconds. bench/study.sh runs it. */
#include "dalembert/dalembert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void fail(const dal_messages *messages, const char *what)
{
    const dal_message *m = dal_messages_first(messages);
    fprintf(stderr, "bench_study: %s: %s\n", what, m ? m->text : "failed");
    exit(1);
}

/* The largest value of the second column. */
static double peak;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    peak = -INFINITY;
    return DAL_OK;
}

static dal_status row(void *user, int n, const double *values)
{
    (void)user, (void)n;
    peak = values[1] > peak ? values[1] : peak;
    return DAL_OK;
}

static double loop(const dal_spec *spec, const char *name, double from, double to, long n, dal_messages *messages)
{
    const dal_sink sink = {NULL, begin, row};
    dal_system *base, *system;
    dal_evidence evidence;
    double sum = 0;
    if (dal_compile(NULL, spec, messages, &base) != DAL_OK)
        fail(messages, "compile");
    for (long i = 0; i < n; i++) {
        const double value = from + (to - from) * (double)i / (double)(n - 1);
        if (dal_system_vary(NULL, base, 1, &name, &value, messages, &system) != DAL_OK ||
            dal_run(system, &(dal_run_options){.sink = &sink}, messages, &evidence) != DAL_OK)
            fail(messages, "run");
        sum += peak;
        dal_system_free(system);
    }
    dal_system_free(base);
    return sum;
}

static double study_of(const dal_spec *spec, const char *name, double from, double to, const char *channel, long n, int jobs, const char *journal,
                       dal_messages *messages)
{
    char vary[200], each[200];
    const char *varied = vary, *kept = each;
    snprintf(vary, sizeof vary, "%s=%.17g:%.17g:%ld", name, from, to, n);
    snprintf(each, sizeof each, "peak=max(%s)", channel);
    dal_study *study;
    dal_study_reader *reader;
    dal_study_row r;
    double sum = 0;
    unlink(journal);
    if (dal_study_create(NULL, spec, &(dal_study_plan){.n_vary = 1, .vary = &varied, .n_each = 1, .each = &kept}, messages, &study) != DAL_OK)
        fail(messages, "study");
    if (dal_study_run(study, &(dal_study_options){.journal = journal, .jobs = jobs}, messages, NULL) != DAL_OK ||
        dal_study_open(study, 1, &journal, messages, &reader) != DAL_OK)
        fail(messages, "study");
    while (dal_study_next(reader, &r, NULL))
        sum += r.values[0];
    dal_study_close(reader);
    dal_study_free(study);
    unlink(journal);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "bench_study MODEL NAME FROM TO CHANNEL N [JOBS [JOURNAL]]\n");
        return 2;
    }
    const double from = atof(argv[3]), to = atof(argv[4]);
    const long n = atol(argv[6]);
    const int jobs = argc > 7 ? atoi(argv[7]) : 0;
    const char *journal = argc > 8 ? argv[8] : "bench_study.journal";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec;
    if (dal_spec_read(NULL, argv[1], 0, NULL, messages, &spec) != DAL_OK)
        fail(messages, argv[1]);
    if (!dal_spec_set(spec, "until", "1", messages))
        fail(messages, "until");
    const double at = wall(), used = cpu();
    const double sum = jobs ? study_of(spec, argv[2], from, to, argv[5], n, jobs, journal, messages) : loop(spec, argv[2], from, to, n, messages);
    printf("%-8s %8.2f us CPU %8.2f us wall  sum %.17g\n",
           jobs == 0   ? "loop"
           : jobs == 1 ? "study 1"
                       : "study n",
           1e6 * (cpu() - used) / (double)n, 1e6 * (wall() - at) / (double)n, sum);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return 0;
}
