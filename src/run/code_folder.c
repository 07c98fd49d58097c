#include "run/code_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dal_code_refuse(dal_code_work *w, const char *what, const char *detail)
{
    snprintf(w->why, w->size, "%s%s%s", what, detail ? ": " : "", detail ? detail : "");
    return false;
}

/* ---- the compiler -------------------------------------------------------------------------- */

/* The first cc of the PATH that can be started. Empty entries, which mean the present folder, are passed over. */
static bool find_compiler(dal_code_work *w)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at;) {
        const size_t n = strcspn(at, ":");
        char candidate[DAL_CODE_PATH];
        if (n && *at == '/' && n + 4 < sizeof candidate) {
            snprintf(candidate, sizeof candidate, "%.*s/cc", (int)n, at);
            if (!access(candidate, X_OK)) {
                char *real = realpath(candidate, NULL);
                const bool fits = real && strlen(real) < sizeof w->compiler;
                if (fits)
                    strcpy(w->compiler, candidate);
                free(real);
                return fits || dal_code_refuse(w, "the path of cc cannot be read", NULL);
            }
        }
        at += n + (at[n] == ':');
    }
    return dal_code_refuse(w, "there is no C compiler: cc is not in the PATH (Debian's package gcc provides it)", NULL);
}

/* Instructions beside those that every machine of this kind has. They are named, and part of the key: a folder may be shared by several machines. */
const char *const *dal_code_machine_options(void)
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
const char *const dal_code_options[] = {"-std=gnu11", "-O2", "-w", "-fPIC", "-shared", "-fvisibility=default", NULL};

dal_digest dal_code_identity(const dal_code_work *w)
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
    for (int i = 0; dal_code_options[i]; i++)
        dal_digest_add(&d, dal_code_options[i], strlen(dal_code_options[i]) + 1);
    for (const char *const *option = dal_code_machine_options(); *option; option++)
        dal_digest_add(&d, *option, strlen(*option) + 1);
    return d;
}

/* ---- the folder ------------------------------------------------------------------------------- */

static bool find_base(dal_code_work *w, char base[DAL_CODE_PATH])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/' && strlen(cache) < DAL_CODE_PATH - 200)
        strcpy(base, cache);
    else if (home && *home == '/' && strlen(home) < DAL_CODE_PATH - 200)
        snprintf(base, DAL_CODE_PATH, "%s/.cache", home);
    else
        return dal_code_refuse(w, "there is no cache folder: neither XDG_CACHE_HOME nor HOME names one", NULL);
    return true;
}

/* A folder that only the user can write to. */
static bool is_own(int folder)
{
    struct stat s;
    return !fstat(folder, &s) && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

static bool open_folder(dal_code_work *w)
{
    char base[DAL_CODE_PATH];
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
        return dal_code_refuse(w, "the cache folder cannot be opened", base);
    const bool safe = is_own(parent);
    if (safe)
        mkdirat(parent, "dalembert", 0700);
    w->at = safe ? openat(parent, "dalembert", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    close(parent);
    snprintf(w->folder, sizeof w->folder, "%.*s/dalembert", DAL_CODE_PATH - 100, base);
    if (!safe)
        return dal_code_refuse(w, "others may write to the cache folder, and code is not kept there", base);
    if (w->at < 0 || !is_own(w->at) || fchmod(w->at, 0700))
        return dal_code_refuse(w, "the cache folder is not the user's own", w->folder);
    return true;
}

bool dal_code_open(dal_code_work *w)
{
    w->at = -1;
    w->why[0] = '\0';
    return find_compiler(w) && open_folder(w);
}

void dal_code_close(dal_code_work *w)
{
    if (w->at >= 0)
        close(w->at);
    w->at = -1;
}

/* ---- files -------------------------------------------------------------------------------------- */

int dal_code_open_own(int folder, const char *name)
{
    const int in = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat s;
    if (in >= 0 && (fstat(in, &s) || !S_ISREG(s.st_mode) || s.st_uid != geteuid() || s.st_mode & (S_IRWXG | S_IRWXO))) {
        close(in);
        return -1;
    }
    return in;
}

bool dal_code_digest_file(int folder, const char *name, char text[65])
{
    const int in = dal_code_open_own(folder, name);
    if (in < 0)
        return false;
    bool fine = true;
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

bool dal_code_write(int folder, const char *name, const char *bytes, size_t n)
{
    const int out = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool fine = out >= 0;
    while (fine && n) {
        const ssize_t k = write(out, bytes, n);
        fine = k > 0 || (k < 0 && errno == EINTR);
        bytes += k > 0 ? k : 0;
        n -= k > 0 ? (size_t)k : 0;
    }
    if (out >= 0 && close(out))
        fine = false;
    return fine;
}

/* ---- what is not complete yet ------------------------------------------------------------------- */

bool dal_code_open_bench(dal_code_work *w)
{
    char path[DAL_CODE_PATH + DAL_CODE_NAME];
    snprintf(path, sizeof path, "%s/new-XXXXXX", w->folder);
    if (!mkdtemp(path))
        return dal_code_refuse(w, "the cache folder cannot be written to", w->folder);
    snprintf(w->bench, sizeof w->bench, "%s", path + strlen(w->folder) + 1);
    return true;
}

void dal_code_clear_bench(const dal_code_work *w)
{
    static const char *const files[] = {"code.c", "code.so", "sum", "made"};
    char name[2 * DAL_CODE_NAME];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s/%s", w->bench, files[i]);
        unlinkat(w->at, name, 0);
    }
    unlinkat(w->at, w->bench, AT_REMOVEDIR);
}

bool dal_code_publish(const dal_code_work *w, const char *file, const char *end)
{
    char from[2 * DAL_CODE_NAME], to[DAL_CODE_NAME];
    snprintf(from, sizeof from, "%s/%s", w->bench, file);
    snprintf(to, sizeof to, "%s%s", w->name, end);
    return !renameat(w->at, from, w->at, to);
}
