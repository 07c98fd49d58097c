/* For LD_PRELOAD: the FAIL_AT-th allocation of the process finds no memory. FAIL_COUNT names a file that gets, when the process ends, the number of
 * allocations, and behind it the number of the first one of each chain of callers. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long made, fails = -1;

/* dlsym itself may ask for cleared memory before it has found anything. */
static char first[4096];
static size_t first_used;

/* ---- who asked ------------------------------------------------------------------ */

enum { DEPTH = 24, CHAINS = 1 << 14 };
static uint64_t seen[CHAINS];
static long number[CHAINS], chains;
static bool counts;
/* Of what asks itself. The model of access that allocates nothing: a library that is loaded later must not be waited for inside malloc. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

/* Callers of malloc, realloc, calloc. */
static uint64_t chain_of_callers(void)
{
    void *at[DEPTH];
    uint64_t hash = 14695981039346656037u;
    const int n = backtrace(at, DEPTH);
    for (int i = 2; i < n; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)at[i]) * 1099511628211u;
    return hash ? hash : 1;
}

static void note_chain(void)
{
    inside = true;
    const uint64_t hash = chain_of_callers();
    size_t slot = hash % CHAINS;
    while (seen[slot] && seen[slot] != hash)
        slot = (slot + 1) % CHAINS;
    if (!seen[slot] && chains < CHAINS / 2) {
        seen[slot] = hash;
        number[chains++] = made;
    }
    inside = false;
}

static bool finds_nothing(void)
{
    if (inside)
        return false;
    if (fails < 0) {
        const char *text = getenv("FAIL_AT");
        fails = text ? atol(text) : 0;
        counts = getenv("FAIL_COUNT");
    }
    ++made;
    if (counts)
        note_chain();
    if (made != fails)
        return false;
    errno = ENOMEM;
    return true;
}

static void *(*real_malloc)(size_t), *(*real_realloc)(void *, size_t), *(*real_calloc)(size_t, size_t);

/* All three at once, at the first call: dlsym forgets what dlerror is about to say, so it must not be called from inside that. */
static void find_real(void)
{
    static bool looking;
    if (real_calloc || looking)
        return;
    looking = true;
    *(void **)&real_malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&real_realloc = dlsym(RTLD_NEXT, "realloc");
    *(void **)&real_calloc = dlsym(RTLD_NEXT, "calloc");
}

void *malloc(size_t size)
{
    find_real();
    return finds_nothing() ? NULL : real_malloc(size);
}

void *realloc(void *old, size_t size)
{
    find_real();
    return finds_nothing() ? NULL : real_realloc(old, size);
}

void *calloc(size_t n, size_t size)
{
    find_real();
    if (!real_calloc) { /* dlsym itself asks */
        void *place = first + first_used;
        first_used += (n * size + 15) & ~(size_t)15;
        return first_used <= sizeof first ? place : NULL;
    }
    return finds_nothing() ? NULL : real_calloc(n, size);
}

__attribute__((destructor)) static void say_how_many(void)
{
    const char *path = counts ? getenv("FAIL_COUNT") : NULL;
    inside = true;
    FILE *out = path ? fopen(path, "w") : NULL;
    if (!out)
        return;
    fprintf(out, "%ld\n", made);
    for (long i = 0; i < chains; i++)
        fprintf(out, "%ld\n", number[i]);
    fclose(out);
}
