#include "output/hdf5_gate.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* s */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static int users;

void dal_hdf5_begin_use(void)
{
    pthread_mutex_lock(&gate);
    users++;
    pthread_mutex_unlock(&gate);
}

void dal_hdf5_end_use(void)
{
    pthread_mutex_lock(&gate);
    users--;
    pthread_cond_broadcast(&left);
    pthread_mutex_unlock(&gate);
}

/* The child has one thread, and it holds the gate, as this one does. */
pid_t dal_hdf5_fork(void)
{
    struct timespec end;
    pid_t child = -1;
    int late = 0;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE;
    pthread_mutex_lock(&gate);
    while (users && !late)
        late = pthread_cond_timedwait(&left, &gate, &end);
    const int error = users ? EBUSY : (child = fork()) < 0 ? errno : 0;
    pthread_mutex_unlock(&gate);
    errno = error;
    return child;
}
