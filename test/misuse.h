/* Calls with one wrong argument: what a function of include/ is given, how each argument can be wrong, and what it answered.
 *
 * A call is a row: the function, and for each of its arguments where a good one comes from and of which kind it is. From the kind follow the
 * wrong ones. Each row runs in a child, so that a crash is a failure of its test and not its end; under the sanitizers, which stop at the
 * first fault themselves, it runs in the program itself. */
#ifndef DAL_TEST_MISUSE_H
#define DAL_TEST_MISUSE_H

#include "check.h"

#include "dalembert/dalembert.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef union value {
    void *p;
    int i;
    double d;
    size_t z;
} value;

typedef enum answer { ACCEPTED, REFUSED, QUIET } answer; /* QUIET: the function has no answer */

typedef enum kind {
    FREE,           /* anything goes: not changed here */
    NEEDED,         /* NULL is refused */
    PASSED,         /* NULL is accepted */
    MEASURED,       /* a buffer: NULL is measured for */
    NUMBERS,        /* an array: NULL and numbers that are not finite are refused */
    NUMBERS_OR_NOT, /* the same, where NULL is accepted */
    INDEX,          /* -1, n, INT_MAX, INT_MIN are refused */
    COUNT,          /* negative ones are refused */
    NUMBER,         /* what is not finite is refused */
    ALLOCATOR,      /* one without functions is refused, NULL is accepted */
    MEMBER,         /* of an enum: whatever stands there, there is an answer */
    SIZE,           /* 0 bytes: whatever the answer, nothing is written */
    ANY             /* of a number: whatever stands there, there is an answer */
} kind;

enum { MOST_ARGUMENTS = 8, MOST_WRONG = 12 };

/* Numbers behind a good argument: how many, or of how many an index chooses. */
typedef struct argument {
    int source;
    kind kind;
} argument;

typedef struct call {
    const char *name;
    answer (*make)(const value *x);
    argument argument[MOST_ARGUMENTS]; /* ends with source 0 */
} call;

/* What a wrong argument is, and what may be answered: ACCEPTED or REFUSED; QUIET: either. */
typedef struct wrong {
    value value;
    answer expected;
    const char *text;
    int element; /* of an array: this one is replaced by value.d; -1: the argument itself is */
} wrong;

static inline int wrong_ones(kind k, int n, wrong out[MOST_WRONG])
{
    static dal_allocator none[3];
    const dal_allocator whole = dal_default_allocator();
    const double odd[3] = {NAN, INFINITY, -INFINITY};
    int count = 0;
#define WRONG(field, number, answer, words) out[count++] = (wrong){.value = {.field = (number)}, .expected = (answer), .text = (words), .element = -1}
    none[1].allocate = whole.allocate;
    none[2].release = whole.release;
    switch (k) {
    case FREE: break;
    case NEEDED: WRONG(p, NULL, REFUSED, "NULL"); break;
    case PASSED:
    case MEASURED: WRONG(p, NULL, ACCEPTED, "NULL"); break;
    case NUMBERS:
    case NUMBERS_OR_NOT:
        WRONG(p, NULL, k == NUMBERS ? REFUSED : ACCEPTED, "NULL");
        for (int i = 0; i < 6 && n > 0; i++)
            out[count++] =
                (wrong){.value = {.d = odd[i / 2]}, .expected = REFUSED, .text = "a number that is not finite", .element = i % 2 ? n - 1 : 0};
        break;
    case INDEX: {
        const int bad[] = {-1, n, INT_MAX, INT_MIN, n + 99};
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
            WRONG(i, bad[i], REFUSED, "an index out of range");
        break;
    }
    case COUNT:
        WRONG(i, -1, REFUSED, "-1");
        WRONG(i, INT_MIN, REFUSED, "INT_MIN");
        break;
    case NUMBER:
        for (int i = 0; i < 3; i++)
            WRONG(d, odd[i], REFUSED, "a number that is not finite");
        break;
    case ALLOCATOR:
        WRONG(p, NULL, ACCEPTED, "NULL");
        for (int i = 0; i < 3; i++)
            WRONG(p, &none[i], REFUSED, "an allocator without functions");
        break;
    case MEMBER:
        WRONG(i, 99, QUIET, "99");
        WRONG(i, -1, QUIET, "-1");
        WRONG(i, INT_MIN, QUIET, "INT_MIN");
        break;
    case SIZE:
        WRONG(z, 0, QUIET, "0");
        WRONG(z, 1, QUIET, "1");
        break;
    case ANY:
        WRONG(i, INT_MIN, QUIET, "INT_MIN");
        WRONG(i, -1, QUIET, "-1");
        WRONG(i, 0, QUIET, "0");
        WRONG(i, 1000000, QUIET, "1000000");
        break;
    }
#undef WRONG
    return count;
}

/* Answers. */
static inline answer of_status(dal_status status)
{
    return status == DAL_OK ? ACCEPTED : REFUSED;
}

static inline answer of_bool(bool fine)
{
    return fine ? ACCEPTED : REFUSED;
}

static inline answer of_length(int n)
{
    return n >= 0 ? ACCEPTED : REFUSED;
}

static inline answer of_number(double x)
{
    return isnan(x) ? REFUSED : ACCEPTED;
}

/* ---- in a child ------------------------------------------------------------------------- */

/* cmocka's handlers would continue with the next test, in the child. */
static inline void leave_cmocka(void)
{
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
}

/* Runs `work`, which writes what it is about into `where` before each step: NULL, or what went wrong. */
static inline const char *in_a_child(void (*work)(void *user, char *where), void *user, char *report, size_t size)
{
    enum { ROOM = 400 };
#ifdef CHECK_WATCHED
    char where[ROOM] = "";
    (void)report, (void)size;
    work(user, where);
    return NULL;
#else
    char *where = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(where != MAP_FAILED);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        leave_cmocka();
        alarm(60);
        work(user, where);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool fine = WIFEXITED(status) && !WEXITSTATUS(status);
    if (!fine)
        snprintf(report, size, "%s: %s %d", where, WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    munmap(where, ROOM);
    return fine ? NULL : report;
#endif
}

/* In the child: not as it should be. */
static inline void misuse_failed(const char *where, const char *what)
{
#ifdef CHECK_WATCHED
    fail_msg("%s: %s", where, what);
#else
    fprintf(stderr, "%s: %s\n", where, what);
    _exit(3);
#endif
}

#endif
