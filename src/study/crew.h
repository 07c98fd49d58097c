/* The workers: threads of this process, and remote ones that take runs from the queue and put records into it (mpi/). */
#ifndef DAL_STUDY_CREW_H
#define DAL_STUDY_CREW_H

#include "study/journal.h"
#include "study/study_code.h"

#include <pthread.h>

typedef struct dal_queue {
    const dal_study *study;
    dal_study_code code;
    pthread_mutex_t lock;
    dal_journal journal;
    unsigned char *done; /* a bit for each run */
    long next;           /* the first run that was not handed out yet */
    int shard, shards;   /* runs i with i mod shards = shard; shards at least 1 */
    long total, finished, failed, here;
    double start, synced;
    bool stop;         /* no more runs are handed out */
    dal_status status; /* the reason, after an error */
    int error;         /* errno of the journal */
    int other_code;    /* a process that has other generated code; 0: none */
} dal_queue;

/* The next run; false: there are no more, or it was stopped. */
bool dal_queue_next(dal_queue *queue, long *run);
/* Accepts the record of a run that was handed out; NULL: there was no memory for it. */
void dal_queue_put(dal_queue *queue, const void *record, size_t size);
/* Was the study stopped? For runs under way. */
bool dal_queue_stopped(dal_queue *queue);
/* Reports the progress; false: `progress` of the options requests a stop. */
bool dal_queue_show(dal_queue *queue, const dal_study_options *options);

#endif
