/* One run and its record:
 *
 *     run (8 bytes), status, values, reason, warnings, wall time, rows of the channels
 *
 * as dal_keep writes them: numbers in the order of the machine, texts with their length. */
#include "study/study_code.h"

#include "base/keep.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST_REASON = 600, LONGEST_WARNINGS = 300 };

struct dal_worker {
    const dal_study *study;
    const dal_study_code *code;
    dal_messages *messages;
    dal_parts_run parts;
    dal_status status;
    double *values;
    char reason[LONGEST_REASON], warnings[LONGEST_WARNINGS];
    double wall;
    double *rows; /* of the channels */
    long n_rows;
    size_t rows_room;
    unsigned char *record;
    size_t record_room;
    bool (*stop)(void *user);
    void *stop_user;
    bool stopped, no_memory;
};

dal_worker *dal_worker_create(const dal_study *study, const dal_study_code *code)
{
    dal_worker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->study = study;
    w->code = code;
    w->messages = dal_messages_create(NULL);
    w->values = calloc((size_t)study->info.values + 1, sizeof *w->values);
    const bool opened = dal_parts_open(&w->parts, &study->summaries, study->n_columns);
    if (w->messages && w->values && opened)
        return w;
    dal_worker_free(w);
    return NULL;
}

void dal_worker_free(dal_worker *w)
{
    if (!w)
        return;
    dal_parts_close(&w->parts);
    dal_messages_free(w->messages);
    free(w->values);
    free(w->rows);
    free(w->record);
    free(w);
}

/* ---- the run ---------------------------------------------------------------------------------- */

static dal_status begin_rows(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    dal_worker *w = user;
    (void)info, (void)n, (void)columns;
    dal_parts_begin(&w->parts);
    w->n_rows = 0;
    return DAL_OK;
}

static bool keep_channels(dal_worker *w, const double *values)
{
    const size_t n = (size_t)w->study->info.channels, used = (size_t)w->n_rows * n;
    if (used + n > w->rows_room) {
        const size_t more = 2 * w->rows_room + 64 * n;
        double *larger = realloc(w->rows, more * sizeof *larger);
        if (!larger)
            return false;
        w->rows = larger;
        w->rows_room = more;
    }
    for (size_t i = 0; i < n; i++)
        w->rows[used + i] = values[w->study->channel[i]];
    w->n_rows++;
    return true;
}

static dal_status add_row(void *user, int n, const double *values)
{
    dal_worker *w = user;
    (void)n;
    dal_parts_row(&w->parts, values);
    if (w->study->info.channels && !keep_channels(w, values))
        w->no_memory = true;
    w->no_memory = w->no_memory || w->parts.no_memory;
    return w->no_memory ? DAL_NO_MEMORY : DAL_OK;
}

static bool go_on(void *user, double t, double until, long steps, double wall)
{
    dal_worker *w = user;
    (void)t, (void)until, (void)steps, (void)wall;
    w->stopped = w->stopped || (w->stop && w->stop(w->stop_user));
    return !w->stopped;
}

/* In the order of the columns of study.c. */
static void keep_evidence(double *out, size_t n, const dal_evidence *e)
{
    const double numbers[DAL_STUDY_EVIDENCE] = {
        e->time_end,          (double)e->steps,     (double)e->rejected, (double)e->evaluations, (double)e->events,
        e->position_residual, e->velocity_residual, e->energy_drift,     (double)e->n_warnings,  (double)e->compiled_evaluations};
    memcpy(out, numbers, n * sizeof *numbers);
}

/* Kinds of warnings, each once. */
static void keep_warnings(dal_worker *w, const dal_evidence *e)
{
    size_t used = 0;
    for (int i = 0; i < e->n_warnings; i++) {
        const char *code = e->warnings[i]->code ? e->warnings[i]->code : "other";
        bool known = false;
        for (int k = 0; k < i; k++)
            known = known || !strcmp(code, e->warnings[k]->code ? e->warnings[k]->code : "other");
        if (known || used + strlen(code) + 3 > sizeof w->warnings)
            continue;
        used += (size_t)snprintf(w->warnings + used, sizeof w->warnings - used, "%s%s", used ? ", " : "", code);
    }
}

static void keep_reason(dal_worker *w)
{
    const dal_message *m = dal_messages_first(w->messages);
    while (m && m->severity != DAL_ERROR)
        m = m->next;
    snprintf(w->reason, sizeof w->reason, "%s", m ? m->text : dal_status_text(w->status));
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void make_run(dal_worker *w, long run)
{
    const dal_study *s = w->study;
    const dal_sink sink = {w, begin_rows, add_row};
    const dal_shared_code *code = dal_study_code_of(w->code, s, run);
    const dal_run_options options = {.sink = &sink, .progress = go_on, .progress_user = w, .compiled = code ? 1 : -1, .code = code};
    dal_system *system = NULL;
    dal_evidence evidence;
    const double start = seconds();
    for (int i = 0; i < s->info.values; i++)
        w->values[i] = NAN;
    w->reason[0] = w->warnings[0] = '\0';
    w->n_rows = 0;
    w->stopped = w->no_memory = false;
    dal_messages_clear(w->messages);
    w->status = dal_study_system(s, run, w->messages, &system);
    if (w->status == DAL_OK) {
        w->status = dal_run(system, &options, w->messages, &evidence);
        keep_evidence(w->values + s->summaries.n, (size_t)(s->info.values - s->summaries.n), &evidence);
        keep_warnings(w, &evidence);
        if (w->status == DAL_OK)
            dal_parts_end(&w->parts, w->values);
    }
    if (w->status != DAL_OK)
        keep_reason(w);
    dal_system_free(system);
    w->wall = seconds() - start;
}

/* ---- the record ----------------------------------------------------------------------------------- */

/* The fixed part of a record. The texts and rows follow, with these sizes. */
typedef struct head {
    int64_t run, n_rows;
    int32_t status;
    uint32_t reason, warnings; /* bytes, with the final zero */
    uint32_t values;
    double wall;
} head;

const void *dal_worker_run(dal_worker *w, long run, bool (*stop)(void *user), void *user, size_t *size)
{
    w->stop = stop;
    w->stop_user = user;
    make_run(w, run);
    if (w->stopped || w->no_memory || w->status == DAL_NO_MEMORY)
        return NULL;
    const dal_study_info *info = &w->study->info;
    const head h = {.run = run,
                    .n_rows = w->n_rows,
                    .status = (int32_t)w->status,
                    .reason = (uint32_t)strlen(w->reason) + 1,
                    .warnings = (uint32_t)strlen(w->warnings) + 1,
                    .values = (uint32_t)info->values,
                    .wall = w->wall};
    const size_t values = sizeof(double) * (size_t)info->values, rows = sizeof(double) * (size_t)w->n_rows * (size_t)info->channels;
    *size = sizeof h + values + rows + h.reason + h.warnings;
    if (*size > w->record_room) {
        unsigned char *larger = realloc(w->record, 2 * *size);
        if (!larger)
            return NULL;
        w->record = larger;
        w->record_room = 2 * *size;
    }
    unsigned char *p = w->record;
    memcpy(p, &h, sizeof h);
    memcpy(p += sizeof h, w->values, values);
    p += values;
    if (rows)
        memcpy(p, w->rows, rows);
    memcpy(p += rows, w->reason, h.reason);
    memcpy(p + h.reason, w->warnings, h.warnings);
    return w->record;
}

/* A text of this many bytes that ends with its only zero. */
static bool is_text(const char *text, size_t size)
{
    return size > 0 && memchr(text, 0, size) == text + size - 1;
}

bool dal_record_read(const dal_study *study, const void *record, size_t size, dal_study_row *row)
{
    const dal_study_info *info = &study->info;
    const size_t values = sizeof(double) * (size_t)info->values, columns = sizeof(double) * (size_t)info->channels;
    const unsigned char *p = record;
    head h;
    if (size < sizeof h + values)
        return false;
    memcpy(&h, p, sizeof h);
    size_t rest = size - sizeof h - values;
    if (h.run < 0 || h.run >= info->runs || h.values != (uint32_t)info->values || h.n_rows < 0 || (h.n_rows && !columns) ||
        (columns && (uint64_t)h.n_rows > rest / columns))
        return false;
    const size_t rows = columns * (size_t)h.n_rows;
    rest -= rows;
    if (rest != (size_t)h.reason + h.warnings)
        return false;
    const char *reason = (const char *)p + sizeof h + values + rows, *warnings = reason + h.reason;
    if (!is_text(reason, h.reason) || !is_text(warnings, h.warnings))
        return false;
    *row = (dal_study_row){.run = (long)h.run,
                           .status = (dal_status)h.status,
                           .values = (const double *)(const void *)(p + sizeof h),
                           .rows = (const double *)(const void *)(p + sizeof h + values),
                           .n_rows = (long)h.n_rows,
                           .reason = reason,
                           .warnings = warnings,
                           .wall_seconds = h.wall};
    return true;
}
