#include "cli/apart.h"

#include "cli/cli.h"
#include "cli/ending.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

/* result.h5, result.hdf5, and the same with .part after it */
static bool is_hdf5(const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5", ".h5.part", ".hdf5.part"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t n = strlen(endings[i]);
        if (length > n && !strcasecmp(path + length - n, endings[i]))
            return true;
    }
    return false;
}

/* The child ends with its parent, leaves no core file, and skips the exit handlers of the library. */
static _Noreturn void be_the_child(int (*work)(void *user), void *user)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    const int code = dal_finish_output(work(user));
    _exit(code);
}

static int judge_child(const char *command, const char *result, int how)
{
    if (WIFEXITED(how))
        return WEXITSTATUS(how);
    const int number = WTERMSIG(how);
    if (number == SIGINT || number == SIGTERM || number == SIGKILL || number == SIGPIPE) {
        fprintf(stderr, "dalembert %s: stopped (%s)\n", command, strsignal(number));
        return 128 + number;
    }
    fprintf(stderr, "%s: error: cannot be read: it is damaged, and HDF5's library crashed on it (%s)\n", result, strsignal(number));
    return DAL_BAD_FILE;
}

int dal_work_apart(const char *command, const char *result, int (*work)(void *user), void *user)
{
    int how = 0;
    if (!is_hdf5(result))
        return work(user);
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0)
        be_the_child(work, user);
    if (child < 0) {
        fprintf(stderr, "%s: error: cannot be read: no process could be started: %s\n", result, strerror(errno));
        return DAL_BAD_FILE;
    }
    dal_announce_child(child);
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    dal_announce_child(0);
    return judge_child(command, result, how);
}
