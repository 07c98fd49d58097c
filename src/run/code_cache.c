#include "run/code_cache.h"

#include "run/code_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- what is there already -------------------------------------------------------------------- */

static bool read_sum(const dal_code_work *w, char sum[65])
{
    char name[DAL_CODE_NAME];
    snprintf(name, sizeof name, "%s.sum", w->name);
    const int in = openat(w->at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const ssize_t n = in < 0 ? -1 : read(in, sum, 64);
    if (in >= 0)
        close(in);
    sum[n == 64 ? 64 : 0] = '\0';
    return n == 64;
}

void *dal_code_open_cached(const dal_code_work *w, char sum[65])
{
    char name[DAL_CODE_NAME], path[DAL_CODE_PATH + DAL_CODE_NAME], found[65];
    snprintf(name, sizeof name, "%s.so", w->name);
    if (!read_sum(w, sum) || !dal_code_digest_file(w->at, name, found) || strcmp(sum, found))
        return NULL;
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* ---- compiling ------------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until the compiler has ended; one that takes too long is killed. The processes that it starts are in its group, and are killed with it. */
static bool wait_for(dal_code_work *w, pid_t child)
{
    const double begin = now();
    const struct timespec pause = {0, 2000000};
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || dal_code_refuse(w, "the C compiler failed", w->compiler);
        if (ended < 0 && errno != EINTR)
            return dal_code_refuse(w, "the end of the C compiler is not known", strerror(errno));
        const bool slow = now() - begin > w->request->patience, stopped = w->request->go_on && !w->request->go_on(w->request->user);
        if (slow || stopped) {
            char text[80];
            kill(-child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
            snprintf(text, sizeof text, slow ? "the C compiler took more than %.3g s" : "the run was stopped", w->request->patience);
            return dal_code_refuse(w, text, NULL);
        }
        nanosleep(&pause, NULL);
    }
}

/* cc with its options, without a shell; it reads and prints nothing. */
static bool start_compiler(dal_code_work *w, const char *source, const char *object)
{
    const char *arguments[24] = {w->compiler};
    int n = 1;
    for (int i = 0; dal_code_options[i]; i++)
        arguments[n++] = dal_code_options[i];
    for (const char *const *option = dal_code_machine_options(); *option; option++)
        arguments[n++] = *option;
    arguments[n++] = "-o";
    arguments[n++] = object;
    arguments[n++] = source;
    arguments[n++] = "-lm";
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t child = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return dal_code_refuse(w, "the C compiler cannot be started", strerror(error));
    if (!(error = posix_spawnattr_init(&attributes))) {
        for (int k = 0; k < 3; k++)
            posix_spawn_file_actions_addopen(&actions, k, "/dev/null", k ? O_WRONLY : O_RDONLY, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        error = posix_spawn(&child, w->compiler, &actions, &attributes, (char *const *)(size_t)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error ? dal_code_refuse(w, "the C compiler cannot be started", strerror(error)) : wait_for(w, child);
}

/* Renames the finished files; the checksum comes last: an object without one is ignored. */
static void keep_object(const dal_code_work *w, char sum[65])
{
    char file[2 * DAL_CODE_NAME];
    snprintf(file, sizeof file, "%s/code.so", w->bench);
    if (!dal_code_digest_file(w->at, file, sum) || !dal_code_publish(w, "code.so", ".so"))
        return;
    snprintf(file, sizeof file, "%s/sum", w->bench);
    if (dal_code_write(w->at, file, sum, 64))
        dal_code_publish(w, "sum", ".sum");
}

static void *compile_on_bench(dal_code_work *w, char sum[65])
{
    char source[DAL_CODE_PATH + 2 * DAL_CODE_NAME], object[DAL_CODE_PATH + 2 * DAL_CODE_NAME], name[2 * DAL_CODE_NAME];
    snprintf(name, sizeof name, "%s/code.c", w->bench);
    snprintf(source, sizeof source, "%s/%s", w->folder, name);
    snprintf(object, sizeof object, "%s/%s/code.so", w->folder, w->bench);
    if (!dal_code_write(w->at, name, w->request->source, strlen(w->request->source))) {
        dal_code_refuse(w, "the cache folder cannot be written to", strerror(errno));
        return NULL;
    }
    if (!start_compiler(w, source, object))
        return NULL;
    chmod(object, 0600);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        keep_object(w, sum);
    else
        dal_code_refuse(w, "the compiled code cannot be loaded", dlerror());
    return handle;
}

bool dal_code_load(const dal_code_request *request, dal_loaded_code *code, char *why, size_t size)
{
    dal_code_work w = {.request = request, .why = why, .size = size};
    *code = (dal_loaded_code){0};
    if (dal_code_open(&w)) {
        dal_digest d = dal_code_identity(&w);
        dal_digest_add(&d, request->source, strlen(request->source));
        dal_digest_text(&d, w.name);
        memcpy(code->name, w.name, sizeof code->name);
        code->handle = dal_code_open_cached(&w, code->sum);
        code->cached = code->handle != NULL;
        if (!code->handle && dal_code_open_bench(&w)) {
            code->handle = compile_on_bench(&w, code->sum);
            dal_code_clear_bench(&w);
        }
    }
    dal_code_close(&w);
    return code->handle != NULL;
}

void *dal_code_function(const dal_loaded_code *code, const char *name)
{
    return code->handle ? dlsym(code->handle, name) : NULL;
}

void dal_code_unload(dal_loaded_code *code)
{
    if (code->handle)
        dlclose(code->handle);
    code->handle = NULL;
}
