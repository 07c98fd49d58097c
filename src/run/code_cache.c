#include "run/code_cache.h"

#include "base/digest.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PATH_ROOM = 1024, NAME_ROOM = 80 };

typedef struct work {
    const dal_code_request *request;
    char compiler[PATH_ROOM]; /* the file behind cc */
    char folder[PATH_ROOM];
    int at; /* the folder, open; -1: not yet */
    char name[65];
    char bench[NAME_ROOM]; /* the folder of this compilation, in the folder; "": none */
    char *why;
    size_t size;
} work;

static bool refuse(work *w, const char *what, const char *detail)
{
    snprintf(w->why, w->size, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
    return false;
}

/* ---- the compiler -------------------------------------------------------------------------- */

/* The first cc of the PATH that can be started. Empty entries, which mean the present folder, are passed over. */
static bool find_compiler(work *w)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        const size_t n = strcspn(at, ":");
        char candidate[PATH_ROOM];
        if (n && *at == '/' && n + 4 < sizeof candidate) {
            snprintf(candidate, sizeof candidate, "%.*s/cc", (int)n, at);
            if (!access(candidate, X_OK)) {
                char *real = realpath(candidate, NULL);
                const bool fits = real && strlen(real) < sizeof w->compiler;
                if (fits)
                    strcpy(w->compiler, candidate);
                free(real);
                return fits || refuse(w, "the path of cc cannot be read", NULL);
            }
        }
        at += n + (at[n] == ':');
    }
    return refuse(w, "there is no C compiler: cc is not in the PATH (Debian's package gcc provides it)", NULL);
}

/* Instructions beside those that every machine of this kind has. They are named, and part of the key: a folder may be shared by several machines. */
static const char *const *machine_options(void)
{
    static const char *const none[] = {NULL};
#if defined(__x86_64__) && defined(__GNUC__)
    static const char *const wide[] = {"-mavx2", "-mfma", NULL}, *const many[] = {"-mavx2", "-mfma", "-mavx512f", "-mavx512vl", NULL};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) /* avx512vl: 32 registers instead of 16 */
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? many : wide;
#endif
    return none;
}

/* gnu11: compilers fuse products and sums, which gcc does not in c11. */
static const char *const usual_options[] = {"-std=gnu11", "-O2", "-w", "-fPIC", "-shared", "-fvisibility=default", NULL};

/* The name of the object: a digest of all inputs. */
static void choose_name(work *w)
{
    dal_digest d = dal_digest_begin();
    struct stat compiler = {0};
    char text[200];
    const int ignored = stat(w->compiler, &compiler);
    (void)ignored;
    const int n = snprintf(text, sizeof text, "%s %lld %lld %lld\n", w->request->version, (long long)compiler.st_size, (long long)compiler.st_mtime,
                           (long long)compiler.st_ino);
    dal_digest_add(&d, text, (size_t)n);
    dal_digest_add(&d, w->compiler, strlen(w->compiler) + 1);
    for (int i = 0; usual_options[i]; i++)
        dal_digest_add(&d, usual_options[i], strlen(usual_options[i]) + 1);
    for (const char *const *option = machine_options(); *option; option++)
        dal_digest_add(&d, *option, strlen(*option) + 1);
    dal_digest_add(&d, w->request->source, strlen(w->request->source));
    dal_digest_text(&d, w->name);
}

/* ---- the folder ------------------------------------------------------------------------------- */

static bool find_base(work *w, char base[PATH_ROOM])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/' && strlen(cache) < PATH_ROOM - 200)
        strcpy(base, cache);
    else if (home && *home == '/' && strlen(home) < PATH_ROOM - 200)
        snprintf(base, PATH_ROOM, "%s/.cache", home);
    else
        return refuse(w, "there is no cache folder: neither XDG_CACHE_HOME nor HOME names one", NULL);
    return true;
}

/* A folder that only the user can write to. */
static bool is_own(int folder)
{
    struct stat s;
    return !fstat(folder, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

static bool open_folder(work *w)
{
    char base[PATH_ROOM];
    if (!find_base(w, base))
        return false;
    for (char *slash = strchr(base + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(base, 0700); /* as far as it is missing */
        *slash = '/';
    }
    mkdir(base, 0700);
    const int parent = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return refuse(w, "the cache folder cannot be opened", base);
    const bool safe = is_own(parent);
    if (safe)
        mkdirat(parent, "dalembert", 0700);
    w->at = safe ? openat(parent, "dalembert", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    close(parent);
    snprintf(w->folder, sizeof w->folder, "%.*s/dalembert", PATH_ROOM - 100, base);
    if (!safe)
        return refuse(w, "others may write to the cache folder, and code is not kept there", base);
    if (w->at < 0 || !is_own(w->at) || fchmod(w->at, 0700))
        return refuse(w, "the cache folder is not the user's own", w->folder);
    return true;
}

/* ---- what is there already -------------------------------------------------------------------- */

/* The digest of a file of the user's own; false: there is none. */
static bool digest_of_file(int folder, const char *name, char text[65])
{
    const int in = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat s;
    if (in < 0)
        return false;
    bool fine = !fstat(in, &s) && S_ISREG(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IRWXG | S_IRWXO));
    dal_digest d = dal_digest_begin();
    char buffer[4096];
    for (ssize_t n = 1; fine && n;) {
        n = read(in, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            n = 1;
        else if (n < 0)
            fine = false;
        else
            dal_digest_add(&d, buffer, (size_t)n);
    }
    close(in);
    dal_digest_text(&d, text);
    return fine;
}

static bool read_sum(const work *w, char sum[65])
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s.sum", w->name);
    const int in = openat(w->at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const ssize_t n = in < 0 ? -1 : read(in, sum, 64);
    if (in >= 0)
        close(in);
    sum[n == 64 ? 64 : 0] = '\0';
    return n == 64;
}

/* The object of this name, where it is whole. */
static void *open_cached(const work *w, char sum[65])
{
    char name[NAME_ROOM], path[PATH_ROOM + NAME_ROOM], found[65];
    snprintf(name, sizeof name, "%s.so", w->name);
    if (!read_sum(w, sum) || !digest_of_file(w->at, name, found) || strcmp(sum, found))
        return NULL;
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* ---- compiling ------------------------------------------------------------------------------------ */

static bool write_file(int folder, const char *name, const char *text, size_t n)
{
    const int out = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool fine = out >= 0;
    while (fine && n) {
        const ssize_t k = write(out, text, n);
        fine = k > 0 || (k < 0 && errno == EINTR);
        text += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    if (out >= 0 && close(out))
        fine = false;
    return fine;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for its end or for the time limit. The compiler starts others: they form one process group, which is ended as a whole. */
static bool wait_for(work *w, pid_t child)
{
    const double begin = now();
    const struct timespec pause = {0, 2000000};
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || refuse(w, "the C compiler failed", w->compiler);
        if (ended < 0 && errno != EINTR)
            return refuse(w, "the end of the C compiler is not known", strerror(errno));
        const bool slow = now() - begin > w->request->patience, stopped = w->request->go_on && !w->request->go_on(w->request->user);
        if (slow || stopped) {
            char text[80];
            kill(-child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
            snprintf(text, sizeof text, slow ? "the C compiler took more than %.3g s" : "the run was stopped", w->request->patience);
            return refuse(w, text, NULL);
        }
        nanosleep(&pause, NULL);
    }
}

/* cc with its options, without a shell; it reads and prints nothing. */
static bool start_compiler(work *w, const char *source, const char *object)
{
    const char *arguments[24] = {w->compiler};
    int n = 1;
    for (int i = 0; usual_options[i]; i++)
        arguments[n++] = usual_options[i];
    for (const char *const *option = machine_options(); *option; option++)
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
        return refuse(w, "the C compiler cannot be started", strerror(error));
    if (!(error = posix_spawnattr_init(&attributes))) {
        for (int k = 0; k < 3; k++)
            posix_spawn_file_actions_addopen(&actions, k, "/dev/null", k ? O_WRONLY : O_RDONLY, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        error = posix_spawn(&child, w->compiler, &actions, &attributes, (char *const *)(size_t)arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error ? refuse(w, "the C compiler cannot be started", strerror(error)) : wait_for(w, child);
}

static bool open_bench(work *w)
{
    char path[PATH_ROOM + NAME_ROOM];
    snprintf(path, sizeof path, "%s/new-XXXXXX", w->folder);
    if (!mkdtemp(path))
        return refuse(w, "the cache folder cannot be written to", w->folder);
    snprintf(w->bench, sizeof w->bench, "%s", path + strlen(w->folder) + 1);
    return true;
}

static void clear_bench(const work *w)
{
    static const char *const files[] = {"code.c", "code.so", "sum"};
    char name[2 * NAME_ROOM];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s/%s", w->bench, files[i]);
        unlinkat(w->at, name, 0);
    }
    unlinkat(w->at, w->bench, AT_REMOVEDIR);
}

/* Renames the finished files; the checksum comes last: an object without one is ignored. */
static void keep(const work *w, char sum[65])
{
    char from[2 * NAME_ROOM], to[NAME_ROOM];
    snprintf(from, sizeof from, "%s/code.so", w->bench);
    snprintf(to, sizeof to, "%s.so", w->name);
    if (!digest_of_file(w->at, from, sum) || renameat(w->at, from, w->at, to))
        return;
    snprintf(from, sizeof from, "%s/sum", w->bench);
    snprintf(to, sizeof to, "%s.sum", w->name);
    if (write_file(w->at, from, sum, 64))
        renameat(w->at, from, w->at, to);
}

static void *compile_on_bench(work *w, char sum[65])
{
    char source[PATH_ROOM + 2 * NAME_ROOM], object[PATH_ROOM + 2 * NAME_ROOM], name[2 * NAME_ROOM];
    snprintf(name, sizeof name, "%s/code.c", w->bench);
    snprintf(source, sizeof source, "%s/%s", w->folder, name);
    snprintf(object, sizeof object, "%s/%s/code.so", w->folder, w->bench);
    if (!write_file(w->at, name, w->request->source, strlen(w->request->source))) {
        refuse(w, "the cache folder cannot be written to", strerror(errno));
        return NULL;
    }
    if (!start_compiler(w, source, object))
        return NULL;
    chmod(object, 0600);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        keep(w, sum);
    else
        refuse(w, "the compiled code cannot be loaded", dlerror());
    return handle;
}

bool dal_code_load(const dal_code_request *request, dal_loaded_code *code, char *why, size_t size)
{
    work w = {.request = request, .at = -1, .why = why, .size = size};
    *code = (dal_loaded_code){0};
    why[0] = '\0';
    if (find_compiler(&w) && open_folder(&w)) {
        choose_name(&w);
        code->handle = open_cached(&w, code->sum);
        code->cached = code->handle != NULL;
        if (!code->handle && open_bench(&w)) {
            code->handle = compile_on_bench(&w, code->sum);
            clear_bench(&w);
        }
    }
    if (w.at >= 0)
        close(w.at);
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
