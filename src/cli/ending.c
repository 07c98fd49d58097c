#include "cli/ending.h"

#include "output/replacement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const long patience = 120000000;     /* nanoseconds for a command to notice a signal: the program then ends within 0.2 s */
static const long closing_time = 200000000; /* for a command that has noticed it, to print its results and to close its files */

/* One file: its folder and its name there. The list only grows. */
typedef enum kind { WHOLE, ROWS, TEMPORARY } kind;

typedef struct announced {
    char *folder, *name;
    kind kind;
    struct announced *next;
} announced;

static struct {
    const char *command;
    sem_t asked;            /* posted once for each signal */
    sem_t ready;            /* the thread has started */
    atomic_bool cooperates; /* the command checks `caught` */
    atomic_bool noticed;    /* the command has seen the signal */
    atomic_bool well;       /* a signal is the normal end of the command */
    atomic_bool saved;      /* --resume continues from the saved state */
    _Atomic(announced *) files;
    _Atomic(pid_t) child;
} ending;
static volatile sig_atomic_t caught; /* the only type that a signal handler may write */

/* ---- unfinished files ----------------------------------------------------------------- */

static void announce(const char *path, kind kind_)
{
    announced *file = malloc(sizeof *file);
    char *real = dal_real_path(path), *copy = real ? real : strdup(path); /* links are followed, as the writer does */
    if (!file || !copy || !strcmp(path, "-")) {
        free(file);
        free(copy);
        return;
    }
    char *slash = strrchr(copy, '/');
    *file = (announced){.folder = slash ? strndup(copy, slash == copy ? 1 : (size_t)(slash - copy)) : strdup("."),
                        .name = strdup(slash ? slash + 1 : copy),
                        .kind = kind_,
                        .next = atomic_load(&ending.files)};
    free(copy);
    if (file->folder && file->name)
        atomic_store(&ending.files, file);
}

void dal_announce_output(const char *path)
{
    announce(path, WHOLE);
}

void dal_announce_rows(const char *path)
{
    announce(path, ROWS);
}

void dal_announce_temporary(const char *path)
{
    announce(path, TEMPORARY);
}

void dal_announce_child(pid_t child)
{
    atomic_store(&ending.child, child);
}

void dal_announce_checkpoint(void)
{
    atomic_store(&ending.saved, true);
}

/* Is the part locked (replacement.h)? Then the lock is our own, because the writer could open the file. A part without a lock is from an earlier
 * run. */
static bool is_locked(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES);
}

static void remove_part(const announced *file)
{
    char path[PATH_MAX];
    struct stat found;
    const int n = snprintf(path, sizeof path, "%s/%s.part", file->folder, file->name);
    const int fd = n < (int)sizeof path ? open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd >= 0 && !fstat(fd, &found) && is_locked(fd) && (file->kind != ROWS || found.st_size == 0))
        unlink(path);
    if (file->kind == TEMPORARY && snprintf(path, sizeof path, "%s/%s", file->folder, file->name) < (int)sizeof path)
        unlink(path);
}

/* ---- the end -------------------------------------------------------------------------- */

static int exit_code(void)
{
    return atomic_load(&ending.well) ? 0 : 128 + caught;
}

static void end_now(void)
{
    char text[200];
    const pid_t child = atomic_load(&ending.child);
    if (child > 0)
        kill(child, SIGKILL);
    for (const announced *file = atomic_load(&ending.files); file; file = file->next)
        remove_part(file);
    const int n = snprintf(text, sizeof text, "%sdalembert %s: stopped before it was done%s\n",
                           isatty(STDERR_FILENO) ? "\r\033[K" : "", /* clears a progress line */
                           ending.command, atomic_load(&ending.saved) ? "; --resume continues from the last saved state" : "");
    if (!atomic_load(&ending.well) && write(STDERR_FILENO, text, (size_t)n) < 0)
        _exit(exit_code());
    _exit(exit_code());
}

/* False: a second signal came meanwhile. */
static bool let_pass(long nanoseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += nanoseconds;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    int failed;
    while ((failed = sem_timedwait(&ending.asked, &end)) && errno == EINTR)
        continue;
    return failed;
}

static void *stand_by(void *unused)
{
    (void)unused;
    sem_post(&ending.ready);
    while (sem_wait(&ending.asked))
        continue;
    if (atomic_load(&ending.cooperates) && let_pass(patience) && atomic_load(&ending.noticed))
        let_pass(closing_time);
    end_now();
    return NULL;
}

static void catch (int number)
{
    const int saved = errno;
    caught = number;
    sem_post(&ending.asked);
    errno = saved;
}

void dal_ending_begin(const char *command)
{
    sigset_t all, old;
    pthread_t thread;
    ending.command = command;
    if (sem_init(&ending.asked, 0, 0) || sem_init(&ending.ready, 0, 0))
        return; /* signals then end the program as usual */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* the thread inherits this mask: signals are delivered to the others */
    const bool stands_by = !pthread_create(&thread, NULL, stand_by, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!stands_by)
        return;
    while (sem_wait(&ending.ready)) /* a fork while a thread starts may copy a lock that the thread holds, and the child would wait for ever */
        continue;
    pthread_detach(thread);
    struct sigaction action = {.sa_handler = catch, .sa_flags = (int)SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void dal_catch_signals(void)
{
    atomic_store(&ending.cooperates, true);
}

void dal_catch_signals_well(void)
{
    atomic_store(&ending.well, true);
    dal_catch_signals();
}

int dal_caught_signal(void)
{
    if (caught)
        atomic_store(&ending.noticed, true);
    return caught;
}
