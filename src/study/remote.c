/* Runs in other processes (remote.h). The first eight bytes of a message are its kind:
 *
 *     to the first process     ASK and the mark of its generated code; RECORD and the bytes of a record; DROPPED: a run that was stopped, or had no memory
 *     from it                  RUNS and their numbers, eight bytes each; without any: there is no more work
 */
#include "study/remote.h"

#include <stdlib.h>
#include <string.h>

enum { ASK, RECORD, DROPPED, RUNS, MOST_AT_ONCE = 32 };

/* ---- the first process ---------------------------------------------------------------------- */

void dal_remote_begin(dal_remote *r, const dal_transport *transport, dal_queue *queue)
{
    *r = (dal_remote){transport, queue, transport ? transport->size - 1 : 0};
}

/* Few runs at a time, and fewer towards the end, so that no process has many when the others are finished. */
static int portion(const dal_remote *r)
{
    const long left = r->queue->total - r->queue->finished, share = left / (8L * r->transport->size);
    return (int)(share < 1 ? 1 : share > MOST_AT_ONCE ? MOST_AT_ONCE : share);
}

static void hand_out(dal_remote *r, int to)
{
    int64_t message[1 + MOST_AT_ONCE] = {RUNS};
    const int most = portion(r);
    int n = 0;
    long run;
    while (n < most && dal_queue_next(r->queue, &run))
        message[1 + n++] = run;
    (void)r->transport->send(to, message, sizeof *message * (size_t)(1 + n));
    r->busy -= n == 0;
}

/* Does it have the same generated code as this process? Results with other rounding do not belong to this study. */
static bool same_code(dal_remote *r, int from, const void *bytes, size_t n)
{
    uint64_t mark = 0;
    if (n >= 2 * sizeof mark)
        memcpy(&mark, (const char *)bytes + sizeof mark, sizeof mark);
    if (mark != r->queue->code.mark) {
        pthread_mutex_lock(&r->queue->lock);
        r->queue->other_code = from;
        r->queue->status = r->queue->status == DAL_OK ? DAL_BAD_COMMAND : r->queue->status;
        r->queue->stop = true;
        pthread_mutex_unlock(&r->queue->lock);
    }
    return true; /* it gets no runs if the study was stopped */
}

static void answer(dal_remote *r, int from, const void *bytes, size_t n)
{
    int64_t kind = DROPPED;
    if (n >= sizeof kind)
        memcpy(&kind, bytes, sizeof kind);
    if (kind == ASK && same_code(r, from, bytes, n))
        hand_out(r, from);
    else if (kind == RECORD)
        dal_queue_put(r->queue, (const char *)bytes + sizeof kind, n - sizeof kind);
    else if (!dal_queue_stopped(r->queue))
        dal_queue_put(r->queue, NULL, 0);
}

void dal_remote_answer(dal_remote *r)
{
    void *bytes;
    size_t n;
    int from;
    while (r->busy && r->transport->receive(false, &from, &bytes, &n)) {
        answer(r, from, bytes, n);
        free(bytes);
    }
}

/* ---- the others ---------------------------------------------------------------------------------- */

static bool send_record(const dal_transport *t, const void *record, size_t size)
{
    const int64_t kind = record ? RECORD : DROPPED;
    char *message = malloc(sizeof kind + size);
    if (!message)
        return false;
    memcpy(message, &kind, sizeof kind);
    if (record)
        memcpy(message + sizeof kind, record, size);
    const bool sent = t->send(0, message, sizeof kind + (record ? size : 0));
    free(message);
    return sent;
}

/* Makes the runs of one message; false: there are none, or the first process does not answer any more. */
static bool make_portion(dal_worker *worker, uint64_t mark, const dal_transport *t, bool (*stop)(void *user), void *user)
{
    const int64_t ask[2] = {ASK, (int64_t)mark};
    void *bytes = NULL;
    size_t n = 0;
    int from;
    bool good = t->send(0, ask, sizeof ask) && t->receive(true, &from, &bytes, &n) && n > sizeof *ask && n % sizeof *ask == 0;
    for (size_t i = 1; good && i < n / sizeof *ask; i++) {
        int64_t run;
        size_t size = 0;
        memcpy(&run, (char *)bytes + i * sizeof run, sizeof run);
        const void *record = dal_worker_run(worker, (long)run, stop, user, &size);
        good = send_record(t, record, size);
    }
    free(bytes);
    return good;
}

dal_status dal_study_work(const dal_study *study, const dal_transport *transport, bool (*stop)(void *user), void *user)
{
    dal_study_code code;
    const bool made = dal_study_code_make(&code, study, NULL, NULL, NULL);
    dal_worker *worker = made ? dal_worker_create(study, &code) : NULL;
    if (!worker)
        (void)send_record(transport, NULL, 0);
    while (worker && make_portion(worker, code.mark, transport, stop, user))
        ;
    dal_worker_free(worker);
    dal_study_code_free(&code);
    return worker ? DAL_OK : DAL_NO_MEMORY;
}
