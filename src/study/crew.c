/* Each thread takes the next run from the queue, makes it and adds its record to the journal. The record does not depend on the thread, and the
 * files of results do not depend on the order of the records. */
#include "study/crew.h"
#include "study/remote.h"

#include "base/argument.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 1024 };
static const double sync_every = 1;        /* s */
static const double shown_every = 0.03;    /* s */
static const double answered_every = 2e-4; /* s: longest wait of another process for an answer */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the queue --------------------------------------------------------------------------------- */

static bool is_done(const dal_queue *q, long run)
{
    return q->done[run / 8] >> (run % 8) & 1;
}

static void mark_done(dal_queue *q, long run)
{
    q->done[run / 8] = (unsigned char)(q->done[run / 8] | 1 << (run % 8));
}

bool dal_queue_next(dal_queue *q, long *run)
{
    pthread_mutex_lock(&q->lock);
    while (q->next < q->study->info.runs && is_done(q, q->next))
        q->next += q->shards;
    const bool found = !q->stop && q->next < q->study->info.runs;
    *run = q->next;
    q->next += found ? q->shards : 0;
    pthread_mutex_unlock(&q->lock);
    return found;
}

/* A run that occurs twice (two shards, a record that was read) counts once. */
static void count_run(dal_queue *q, const dal_study_row *row)
{
    q->finished += !is_done(q, row->run);
    q->failed += !is_done(q, row->run) && row->status != DAL_OK;
    mark_done(q, row->run);
}

static void put_record(dal_queue *q, const void *record, size_t size)
{
    dal_study_row row;
    if (!record || !dal_record_read(q->study, record, size, &row)) {
        q->stop = true;
        q->status = DAL_NO_MEMORY;
        return;
    }
    if (!dal_journal_add(&q->journal, record, size, &q->error)) {
        q->stop = true;
        q->status = DAL_BAD_FILE;
        return;
    }
    count_run(q, &row);
    q->here++;
}

void dal_queue_put(dal_queue *q, const void *record, size_t size)
{
    pthread_mutex_lock(&q->lock);
    if (q->status == DAL_OK)
        put_record(q, record, size);
    pthread_mutex_unlock(&q->lock);
}

bool dal_queue_stopped(dal_queue *q)
{
    pthread_mutex_lock(&q->lock);
    const bool stop = q->stop;
    pthread_mutex_unlock(&q->lock);
    return stop;
}

static dal_study_progress progress_of(const dal_queue *q)
{
    return (dal_study_progress){q->finished, q->failed, q->total, seconds() - q->start, q->here};
}

bool dal_queue_show(dal_queue *q, const dal_study_options *options)
{
    pthread_mutex_lock(&q->lock);
    const dal_study_progress progress = progress_of(q);
    const double now = seconds();
    const bool sync = now - q->synced > sync_every && q->status == DAL_OK;
    q->synced = sync ? now : q->synced;
    pthread_mutex_unlock(&q->lock);
    if (sync)
        (void)dal_journal_sync(&q->journal); /* threads continue meanwhile */
    const bool on = !options->progress || options->progress(options->progress_user, &progress);
    if (!on) {
        pthread_mutex_lock(&q->lock);
        q->stop = true;
        pthread_mutex_unlock(&q->lock);
    }
    return on;
}

/* ---- threads ------------------------------------------------------------------------------------- */

typedef struct crew {
    dal_queue *queue;
    int n;
    pthread_t thread[MOST_JOBS];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int working;
} crew;

static bool stopped(void *user)
{
    return dal_queue_stopped(user);
}

static void *make_runs(void *user)
{
    crew *c = user;
    dal_worker *worker = dal_worker_create(c->queue->study, &c->queue->code);
    long run;
    if (!worker)
        dal_queue_put(c->queue, NULL, 0);
    while (worker && dal_queue_next(c->queue, &run)) {
        size_t size = 0;
        const void *record = dal_worker_run(worker, run, stopped, c->queue, &size);
        if (record || !dal_queue_stopped(c->queue))
            dal_queue_put(c->queue, record, size);
    }
    dal_worker_free(worker);
    pthread_mutex_lock(&c->lock);
    c->working--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* Waits until the last thread has ended, at most this many seconds. Returns whether threads are still working. */
static bool wait_for(crew *c, double at_most)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const long nanoseconds = until.tv_nsec + (long)(1e9 * at_most);
    until.tv_sec += nanoseconds / 1000000000;
    until.tv_nsec = nanoseconds % 1000000000;
    pthread_mutex_lock(&c->lock);
    int failed = 0;
    while (c->working && !failed)
        failed = pthread_cond_timedwait(&c->changed, &c->lock, &until);
    const bool working = c->working > 0;
    pthread_mutex_unlock(&c->lock);
    return working;
}

/* Until all runs are made, here and by others. */
static void wait_for_all(crew *c, const dal_study_options *options)
{
    dal_remote remote;
    double shown = seconds();
    bool on = true, working = true;
    dal_remote_begin(&remote, options->transport, c->queue);
    while (working || (remote.busy && on)) { /* the other processes get the same signal to stop */
        if (!working)
            nanosleep(&(struct timespec){0, (long)(1e9 * answered_every)}, NULL);
        working = working && wait_for(c, remote.busy ? answered_every : shown_every);
        dal_remote_answer(&remote);
        if (on && (working || remote.busy) && seconds() - shown > shown_every) {
            on = dal_queue_show(c->queue, options);
            shown = seconds();
        }
    }
}

static int jobs_of(const dal_study_options *options)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long wanted = options->jobs > 0 ? options->jobs : cores > 0 && !options->transport ? cores : 1;
    return (int)(wanted < MOST_JOBS ? wanted : MOST_JOBS);
}

/* False: no thread could be started. */
static bool run_crew(dal_queue *q, const dal_study_options *options)
{
    crew *c = calloc(1, sizeof *c);
    const int wanted = jobs_of(options);
    if (!c)
        return false;
    c->queue = q;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    for (; c->n < wanted; c->n++) {
        pthread_mutex_lock(&c->lock);
        c->working++;
        pthread_mutex_unlock(&c->lock);
        if (pthread_create(&c->thread[c->n], NULL, make_runs, c)) {
            pthread_mutex_lock(&c->lock);
            c->working--;
            pthread_mutex_unlock(&c->lock);
            break;
        }
    }
    wait_for_all(c, options);
    for (int i = 0; i < c->n; i++)
        pthread_join(c->thread[i], NULL);
    const bool good = c->n > 0;
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    free(c);
    return good;
}

/* ---- a study runs ----------------------------------------------------------------------------------- */

static bool note_record(void *user, off_t place, const void *record, size_t size)
{
    dal_queue *q = user;
    dal_study_row row;
    (void)place;
    if (!dal_record_read(q->study, record, size, &row) || row.run % q->shards != q->shard)
        return false;
    count_run(q, &row);
    return true;
}

static bool options_are_sound(const dal_study *study, const dal_study_options *o, dal_messages *messages)
{
    if (!dal_needs(messages, "dal_study_run", "study", study) || !dal_needs(messages, "dal_study_run", "options", o) ||
        !dal_needs(messages, "dal_study_run", "options->journal", o->journal))
        return false;
    const bool whole = o->shard == 0 && o->shards == 0;
    if (!whole && (o->shards < 1 || o->shard < 1 || o->shard > o->shards)) {
        dal_error(messages, dal_nowhere, "there is no shard %d/%d: shards are numbered from 1 to their number", o->shard, o->shards);
        return false;
    }
    if (o->jobs < 0 || o->jobs > MOST_JOBS) {
        dal_error(messages, dal_nowhere, "a study cannot have %d threads: 1 to %d", o->jobs, MOST_JOBS);
        return false;
    }
    return true;
}

static dal_status finish_journal(dal_queue *q, const char *path, dal_messages *messages)
{
    if (q->status == DAL_OK && !dal_journal_sync(&q->journal)) {
        q->status = DAL_BAD_FILE;
        q->error = errno;
    }
    if (q->other_code)
        dal_error(messages, dal_nowhere,
                  "process %d has other generated code than the first one, and its results would be rounded otherwise: their compilers or processors "
                  "differ. Drop --compiled, or use machines of one kind",
                  q->other_code);
    if (q->status == DAL_BAD_FILE)
        dal_error(messages, (dal_mark){path, 0, 0}, "cannot be written: %s. The runs so far are in it, and the study can be resumed",
                  strerror(q->error));
    return q->status;
}

typedef struct asking {
    dal_queue *queue;
    const dal_study_options *options;
} asking;

/* Called while code is generated: the user may stop it. */
static bool may_go_on(void *user)
{
    const asking *a = user;
    const dal_study_progress progress = progress_of(a->queue);
    if (!a->queue->stop && a->options->progress && !a->options->progress(a->options->progress_user, &progress))
        a->queue->stop = true;
    return !a->queue->stop;
}

dal_status dal_study_run(const dal_study *study, const dal_study_options *options, dal_messages *messages, dal_study_outcome *outcome)
{
    if (outcome)
        *outcome = (dal_study_outcome){0};
    if (!options_are_sound(study, options, messages))
        return DAL_BAD_COMMAND;
    dal_queue q = {.study = study, .shard = options->shards ? options->shard - 1 : 0, .shards = options->shards ? options->shards : 1};
    q.done = calloc((size_t)(study->info.runs / 8 + 1), 1);
    q.next = q.shard;
    q.total = (study->info.runs - q.shard + q.shards - 1) / q.shards;
    q.start = q.synced = seconds();
    if (!q.done)
        return DAL_NO_MEMORY;
    pthread_mutex_init(&q.lock, NULL);
    q.journal.fd = -1;
    asking ask = {&q, options};
    dal_status status = dal_study_code_make(&q.code, study, may_go_on, &ask, messages) ? DAL_OK : DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = dal_journal_open(&q.journal, study, q.code.mark, options, note_record, &q, messages);
    if (status == DAL_OK && (q.finished < q.total || options->transport) && !run_crew(&q, options))
        status = DAL_NO_MEMORY;
    if (status == DAL_OK)
        status = finish_journal(&q, options->journal, messages);
    if (status == DAL_OK)
        (void)dal_queue_show(&q, options);
    if (outcome)
        *outcome = (dal_study_outcome){progress_of(&q), q.stop && q.status == DAL_OK && q.finished < q.total};
    dal_journal_close(&q.journal);
    dal_study_code_free(&q.code);
    pthread_mutex_destroy(&q.lock);
    free(q.done);
    return status;
}
