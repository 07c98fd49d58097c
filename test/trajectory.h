/* Whole runs of models, and reference solutions to hold them against. The references are trajectories of high precision in DAL_REFERENCE
 * (test/reference/). */
#ifndef DAL_TEST_TRAJECTORY_H
#define DAL_TEST_TRAJECTORY_H

#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"

enum { MOST_CHANNELS = 80 };

/* ---- runs ------------------------------------------------------------------ */

typedef struct trajectory {
    int n, rows, capacity; /* columns, the first one is time */
    char name[MOST_CHANNELS][48];
    double *value;
    dal_status status;
    char message[400];
    dal_evidence evidence;
    const char *warned[16]; /* the codes of its warnings */
} trajectory;

static inline dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    trajectory *run = user;
    (void)info;
    assert_true(n <= MOST_CHANNELS);
    run->n = n;
    for (int i = 0; i < n; i++)
        snprintf(run->name[i], sizeof run->name[i], "%s", columns[i].name);
    return DAL_OK;
}

static inline dal_status keep_row(void *user, int n, const double *values)
{
    trajectory *run = user;
    if (run->rows == run->capacity) {
        run->capacity = 2 * run->capacity + 64;
        run->value = realloc(run->value, sizeof *values * (size_t)run->capacity * (size_t)n);
    }
    memcpy(run->value + (size_t)run->rows++ * (size_t)n, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

/* "integrator=ab6 step=1e-3": each word is an entry of `simulate:`. */
static inline void set_all(dal_spec *spec, const char *settings, dal_messages *messages)
{
    char text[400], *rest = text, *word;
    snprintf(text, sizeof text, "%s", settings);
    while ((word = strsep(&rest, " "))) {
        char *equals = strchr(word, '=');
        if (!equals)
            continue;
        *equals = '\0';
        assert_true(dal_spec_set(spec, word, equals + 1, messages));
    }
}

/* Compile and run a spec that was read with result.status, and end with it and the messages. */
static inline trajectory run_spec(trajectory result, dal_spec *spec, dal_messages *messages)
{
    dal_system *system = NULL;
    if (result.status == DAL_OK)
        result.status = dal_compile(NULL, spec, messages, &system);
    if (result.status == DAL_OK) {
        dal_sink sink = {&result, begin, keep_row};
        dal_run_options options = {.sink = &sink};
        result.status = dal_run(system, &options, messages, &result.evidence);
    }
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR && !result.message[0])
            dal_message_format(m, result.message, sizeof result.message);
    for (int i = 0; i < result.evidence.n_warnings && i < 16; i++)
        result.warned[i] = result.evidence.warnings[i]->code;
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return result;
}

/* Runs models/NAME.yaml with `parameter` (N=2, or NULL) and settings; records `channels` (a list that ends with NULL), or the
 * usual ones. */
static inline trajectory run(const char *model, const char *parameter, const char *const *channels, const char *settings)
{
    trajectory result = {0};
    char path[300], name[40] = "";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_record_spec record[MOST_CHANNELS] = {0};
    snprintf(path, sizeof path, DAL_MODELS "/%s.yaml", model);
    if (parameter)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(parameter, "="), parameter);
    dal_override override = {name, parameter ? parameter + strlen(name) + 1 : NULL};
    result.status = dal_spec_read(NULL, path, parameter != NULL, &override, messages, &spec);
    if (result.status == DAL_OK) {
        set_all(spec, settings, messages);
        spec->record_given = channels != NULL;
        spec->record = record;
        for (spec->n_record = 0; channels && channels[spec->n_record]; spec->n_record++)
            record[spec->n_record].value.text = channels[spec->n_record];
    }
    return run_spec(result, spec, messages);
}

static inline trajectory run_well(const char *model, const char *parameter, const char *const *channels, const char *settings)
{
    trajectory result = run(model, parameter, channels, settings);
    if (result.status != DAL_OK)
        fail_msg("%s, %s: %s", model, settings, result.message);
    return result;
}

/* The row at time t, which has to be on the grid. */
static inline const double *row_at(const trajectory *run, double t)
{
    for (int i = 0; i < run->rows; i++) {
        const double *row = run->value + (size_t)i * (size_t)run->n;
        if (fabs(row[0] - t) <= 1e-9 * (1 + fabs(t)))
            return row;
    }
    fail_msg("no row at t = %.17g", t);
    return NULL;
}

/* ---- references -------------------------------------------------------------- */

enum { MOST_TIMES = 210 };

/* What the channels of a run have to be at some times. */
typedef struct reference {
    const char *model, *parameter, *settings;
    const char *channel[MOST_CHANNELS]; /* ends with NULL */
    int n_times, n;
    double time[MOST_TIMES], value[MOST_TIMES][MOST_CHANNELS];
    double limit;                 /* no miss may be larger, whatever a run promises; 0: none */
    double magnify;               /* how much the channels magnify the rounding of a step; 0: 1 */
    char text[MOST_CHANNELS][48]; /* for channels with numbers in their names */
} reference;

static inline json *open_reference(json_file *file, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, DAL_REFERENCE "/%s.json", name);
    json *root = json_open(file, path);
    if (!root)
        fail_msg("there is no reference solution %s", path);
    return root;
}

static inline int append_list(double *out, int n, const json *list)
{
    for (const json *item = list->first; item; item = item->next)
        n = item->first ? append_list(out, n, item) : (out[n] = item->number, n + 1);
    return n;
}

/* Lists by time under several keys, one behind the other. */
static inline void read_times(reference *r, const json *root, const char *const *keys)
{
    r->n_times = append_list(r->time, 0, json_get(root, "times"));
    for (int i = 0; i < r->n_times; i++) {
        int n = 0;
        for (int k = 0; keys[k]; k++)
            n = append_list(r->value[i], n, json_at(json_get(root, keys[k]), i));
        r->n = n;
    }
}

/* Largest miss of a run over the reference, each channel relative to its largest value (at least 1). */
static inline double miss(const reference *r, const trajectory *run, const char **what, double *when)
{
    double worst = 0;
    for (int i = 0; i < r->n_times; i++) {
        const double *row = row_at(run, r->time[i]);
        for (int k = 0; k < r->n; k++) {
            double size = 1;
            for (int j = 0; j < r->n_times; j++)
                size = fmax(size, fabs(r->value[j][k]));
            double gap = fabs(row[k + 1] - r->value[i][k]) / size;
            if (!(gap <= worst)) {
                worst = gap;
                *what = r->channel[k];
                *when = r->time[i];
            }
        }
    }
    return worst;
}

#endif
