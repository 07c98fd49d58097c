/* Error against CPU time: one model under many settings.
 *
 *   bench_work_precision MODEL COLUMN KNOWN,KNOWN,... [NAME=VALUE ...] < settings
 *
 * The values known are those of the recorded columns COLUMN, COLUMN + 1, ... (time is column 1) at the end of the run; NAME=VALUE sets parameters of the
 * model. A line of the settings is a label and words key=value of `simulate:`; for each,
 *
 *   label seconds error steps evaluations position-residual energy-drift
 *
 * is printed, or the label, `-` and the reason why not. The error is the largest of the columns. Seconds are CPU time of the thread for one run, without reading and compiling
 * the model, the best of several: at least three, and as many as take half a second together (LEAST_SECONDS in the environment: that long).
 */
#include "dalembert/dalembert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_VALUES = 64, MOST_PARAMETERS = 16, LEAST_RUNS = 3, MOST_RUNS = 2000 };

typedef struct task {
    const char *model;
    int column, n;
    double known[MOST_VALUES], error;
    int n_parameters;
    dal_override parameters[MOST_PARAMETERS];
    double least_seconds;
    dal_messages *messages;
} task;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    const task *t = user;
    (void)info, (void)columns;
    return t->column - 1 + t->n <= n ? DAL_OK : DAL_BAD_COMMAND;
}

/* The error of the last row is the one that stays. */
static dal_status take(void *user, int n, const double *row)
{
    task *t = user;
    (void)n;
    t->error = 0;
    for (int i = 0; i < t->n; i++)
        t->error = fmax(t->error, fabs(row[t->column - 1 + i] - t->known[i]));
    return DAL_OK;
}

static const char *first_error(const task *t)
{
    for (const dal_message *m = dal_messages_first(t->messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            return m->text;
    return "it failed";
}

/* Words key=value; those that are refused leave a message. */
static void set(task *t, dal_spec *spec, char *words)
{
    for (char *rest = words, *word; (word = strtok_r(rest, " \n", &rest));) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value++ = '\0';
        dal_spec_set(spec, word, value, t->messages);
    }
}

/* Seconds of the fastest run; negative where one fails. */
static double fastest(const task *t, const dal_system *system)
{
    dal_evidence evidence;
    double best = HUGE_VAL, total = 0;
    for (int i = 0; i < MOST_RUNS && (i < LEAST_RUNS || total < t->least_seconds); i++) {
        double start = now();
        if (dal_run(system, NULL, t->messages, &evidence) != DAL_OK)
            return -1;
        double taken = now() - start;
        total += taken;
        best = fmin(best, taken);
    }
    return best;
}

static bool measure(task *t, const char *label, const dal_system *system)
{
    const dal_sink sink = {.user = t, .begin = begin, .row = take};
    const dal_run_options options = {.sink = &sink};
    dal_evidence evidence;
    if (dal_run(system, &options, t->messages, &evidence) != DAL_OK)
        return false;
    const double seconds = fastest(t, system);
    if (seconds < 0)
        return false;
    printf("%s %.3e %.3e %ld %ld %.2e %.2e\n", label, seconds, t->error, evidence.steps, evidence.evaluations, evidence.position_residual,
           evidence.energy_drift);
    return true;
}

static void run_line(task *t, char *line)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char *rest = line, *label = strtok_r(line, " \n", &rest);
    if (!label)
        return;
    t->messages = dal_messages_create(NULL);
    bool good = dal_spec_read(NULL, t->model, t->n_parameters, t->parameters, t->messages, &spec) == DAL_OK;
    if (good)
        set(t, spec, rest);
    good = good && dal_compile(NULL, spec, t->messages, &system) == DAL_OK && measure(t, label, system);
    if (!good)
        printf("%s - %s\n", label, first_error(t));
    fflush(stdout);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(t->messages);
}

int main(int argc, char **argv)
{
    char line[1000];
    if (argc < 4) {
        fprintf(stderr, "usage: %s MODEL COLUMN KNOWN,KNOWN,... [NAME=VALUE ...] < settings\n", argv[0]);
        return 2;
    }
    task t = {.model = argv[1], .column = atoi(argv[2]), .least_seconds = 0.5};
    if (getenv("LEAST_SECONDS"))
        t.least_seconds = atof(getenv("LEAST_SECONDS"));
    for (char *rest = argv[3], *word; t.n < MOST_VALUES && (word = strtok_r(rest, ",", &rest));)
        t.known[t.n++] = atof(word);
    for (int i = 4; i < argc && t.n_parameters < MOST_PARAMETERS; i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            continue;
        *value++ = '\0';
        t.parameters[t.n_parameters++] = (dal_override){argv[i], value};
    }
    while (fgets(line, sizeof line, stdin))
        run_line(&t, line);
    return 0;
}
