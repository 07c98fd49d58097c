/* Runs in other processes. The first process has the queue and the journal; the others request runs from it and send it their records. */
#ifndef DAL_STUDY_REMOTE_H
#define DAL_STUDY_REMOTE_H

#include "study/crew.h"
#include "study/transport.h"

typedef struct dal_remote {
    const dal_transport *transport; /* NULL: there are no other processes */
    dal_queue *queue;
    int busy; /* processes that have not yet received the message that there is no more work */
} dal_remote;

/* In the first process. */
void dal_remote_begin(dal_remote *remote, const dal_transport *transport, dal_queue *queue);
/* Answers every message that has arrived. */
void dal_remote_answer(dal_remote *remote);

/* In the other processes: makes runs until there are no more. `stop` as for dal_worker_run. */
dal_status dal_study_work(const dal_study *study, const dal_transport *transport, bool (*stop)(void *user), void *user);

#endif
