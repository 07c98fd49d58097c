#include "base/bytes.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

typedef struct guard {
    sigset_t before;
    bool waiting; /* a signal was pending before: it is not ours */
} guard;

static void hold(guard *g)
{
    sigset_t limit, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    sigpending(&pending);
    g->waiting = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &limit, &g->before);
}

/* The kernel sends the signal of an error EFBIG to the thread that wrote; this thread removes it. */
static void let_go(const guard *g, int error)
{
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    if (error == EFBIG && !g->waiting)
        sigtimedwait(&limit, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &g->before, NULL);
}

int dal_write_bytes(int fd, const void *bytes, size_t n, off_t place, size_t *done)
{
    guard g;
    size_t arrived = 0;
    int error = 0;
    hold(&g);
    while (!error && arrived < n) {
        const char *from = (const char *)bytes + arrived;
        ssize_t put = place < 0 ? write(fd, from, n - arrived) : pwrite(fd, from, n - arrived, place + (off_t)arrived);
        if (put >= 0)
            arrived += (size_t)put;
        else if (errno != EINTR)
            error = errno;
    }
    let_go(&g, error);
    if (done)
        *done = arrived;
    return error;
}

int dal_resize_file(int fd, off_t size)
{
    guard g;
    hold(&g);
    int error = ftruncate(fd, size) ? errno : 0;
    let_go(&g, error);
    return error;
}
