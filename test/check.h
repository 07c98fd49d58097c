/* What every test program includes: cmocka, and comparisons of doubles that say what they saw.
 * (cmocka's own assert_float_equal compares as float.) */
#ifndef DAL_TEST_CHECK_H
#define DAL_TEST_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

/* A program that passed, but skipped a test, ends with CHECK_SKIPPED: ctest lists it as skipped. */
enum { CHECK_SKIPPED = 77 };
static int check_skips;

/* CPU time of this process and of those that it started and waited for, in seconds. */
static inline double check_cpu_seconds(void)
{
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage used;
        if (!getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &used))
            seconds += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return seconds;
}

static inline int check_outcome(int failed)
{
    print_message("%.1f s of CPU time\n", check_cpu_seconds());
    return failed ? 1 : check_skips ? CHECK_SKIPPED : 0;
}

#undef skip
#define skip() (check_skips++, _skip(__FILE__, __LINE__))
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                                                                               \
    check_outcome(_cmocka_run_group_tests(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown))

/* Long runs are shorter where every access is watched: what they claim is claimed by the plain build. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECK_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(CHECK_WATCHED)
#define CHECK_WATCHED 1
#endif

/* Of many runs of the same code, is number `run` made? All are in the plain build; where every access is watched, each `every`-th is. */
static inline bool check_chosen(int run, int every)
{
#ifdef CHECK_WATCHED
    return run % every == 0;
#else
    return run >= 0 && every > 0;
#endif
}

/* Of a product of many cases, is number `run` made? All with the argument `long` (make check-long); otherwise each `plain`-th, and where every access
 * is watched each `watched`-th. Add up the indices of the product: every pair of them is met at some value of the others. */
static bool check_everything;

static inline bool check_sampled(int run, int plain, int watched)
{
    (void)plain, (void)watched;
#ifdef CHECK_WATCHED
    return check_everything || run % watched == 0;
#else
    (void)watched;
    return check_everything || run % plain == 0;
#endif
}

/* For main: what the argument `long` asks for. */
static inline void check_arguments(int argc, char **argv)
{
    check_everything = argc > 1 && !strcmp(argv[1], "long");
}

/* |a - b| <= tolerance; NaN never passes. */
#define check_close(a, b, tolerance)                                                                                                                 \
    do {                                                                                                                                             \
        double check_a = (a), check_b = (b), check_t = (tolerance);                                                                                  \
        if (!(fabs(check_a - check_b) <= check_t))                                                                                                   \
            fail_msg("%s = %.17g, %s = %.17g, difference %.3g > %.3g", #a, check_a, #b, check_b, fabs(check_a - check_b), check_t);                  \
    } while (0)

/* |a| <= limit */
#define check_small(a, limit)                                                                                                                        \
    do {                                                                                                                                             \
        double check_a = (a), check_t = (limit);                                                                                                     \
        if (!(fabs(check_a) <= check_t))                                                                                                             \
            fail_msg("|%s| = %.3g > %.3g", #a, fabs(check_a), check_t);                                                                              \
    } while (0)

/* Repeatable numbers in [-1, 1): high entropy, no zeros and ones. */
static inline double check_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

#endif
