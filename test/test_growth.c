/* Time and memory of reading, compile, assembly, check and the first step grow in proportion to the bodies of a tree.
 *
 * Programs of their own are measured: processor time and the largest memory, both of which the system counts for each. Four times the links
 * may take six times as long (twice the room between 4 and 16, where time grew with the square), and the best of three counts: other
 * programs on the same machine can only make a run slower.
 */
#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { MEASURED = 0 }; /* shadow memory and slower code would be measured */
#else
enum { MEASURED = 1 };
#endif

enum { FEW = 1000, MANY = 4000, ALL = 10000 };

typedef struct cost {
    double time;   /* s */
    double memory; /* MB */
} cost;

/* Spatial rods, hinged end to end about axes that differ. */
#define CHAIN                                                                                                                                        \
    "dalembert: 1\nname: chain\nspace: spatial\nparameters: {N: 5, m: 0.37, l: 0.21}\ngravity: [0, 0, -9.81]\n"                                      \
    "bodies:\n"                                                                                                                                      \
    "  rod: {repeat: {i: 1..N}, mass: m, inertia: [m*l^2/90, m*l^2/12, m*l^2/12], position: [(i - 1/2)*l, 0, 0], "                                   \
    "points: {a: [-l/2, 0, 0], b: [l/2, 0, 0]}}\n"                                                                                                   \
    "joints:\n"                                                                                                                                      \
    "  root: {type: revolute, connect: [ground, rod.1.a], axis: [0, 1, 0]}\n"                                                                        \
    "  link: {repeat: {i: 2..N}, type: revolute, connect: [\"rod.{i-1}.b\", \"rod.{i}.a\"], axis: [0, 1, i/N]}\n"                                    \
    "simulate: {until: 1e-4, every: 1e-4}\n"
static const char chain[] = CHAIN "record: [rod.1.z]\n";
static const char channels[] = CHAIN; /* all of them: 13 of every body */

/* The same as a comb: every second rod hangs at the side. A path to the ground leads through half of the bodies, past all the others. */
static const char comb[] = "dalembert: 1\nname: comb\nspace: spatial\nparameters: {N: 6, n: N/2, m: 0.37, l: 0.21}\ngravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  rod: {repeat: {i: 1..n}, mass: m, inertia: [m*l^2/90, m*l^2/12, m*l^2/12], position: [(i - 1/2)*l, 0, 0], "
                           "points: {a: [-l/2, 0, 0], b: [l/2, 0, 0]}}\n"
                           "  tooth: {repeat: {i: 1..n}, mass: m, inertia: [m*l^2/12, m*l^2/12, m*l^2/90], position: [i*l, 0, -l/2], "
                           "points: {a: [0, 0, l/2]}}\n"
                           "joints:\n"
                           "  root: {type: revolute, connect: [ground, rod.1.a], axis: [0, 1, 0]}\n"
                           "  side: {repeat: {i: 1..n}, type: revolute, connect: [\"rod.{i}.b\", \"tooth.{i}.a\"], axis: [1, 0, 0]}\n"
                           "  link: {repeat: {i: 2..n}, type: revolute, connect: [\"rod.{i-1}.b\", \"rod.{i}.a\"], axis: [0, 1, i/N]}\n"
                           "simulate: {until: 1e-4, every: 1e-4}\nrecord: [rod.1.z]\n";

static char folder[] = "/tmp/test_growth_XXXXXX";

static const char *path_of(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **unused)
{
    (void)unused;
    if (!mkdtemp(folder))
        return 1;
    write_text("chain.yaml", chain);
    write_text("channels.yaml", channels);
    write_text("comb.yaml", comb);
    return 0;
}

static int remove_folder(void **unused)
{
    static const char *const files[] = {"chain.yaml", "channels.yaml", "comb.yaml", "out.csv"};
    (void)unused;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(path_of(files[i]));
    return rmdir(folder);
}

/* `dalembert command model --set N=n ...`; `fine`: the largest exit code that is none of a failure. */
static cost cost_of(const char *command, const char *model, int n, const char *coordinates, const char *formulation, int fine)
{
    char number[32], file[100], out[100];
    snprintf(number, sizeof number, "N=%d", n);
    snprintf(file, sizeof file, "%s/%s", folder, model);
    snprintf(out, sizeof out, "%s/out.csv", folder);
    const bool run = !strcmp(command, "run");
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(100);
        execl(DAL_PROGRAM, DAL_PROGRAM, command, file, "--set", number, "--coordinates", coordinates, "--formulation", formulation, run ? "-q" : NULL,
              "--integrator", "rk4", "--step", "1e-4", "-o", out, (char *)NULL);
        _exit(100);
    }
    int status = 0;
    struct rusage used;
    assert_true(wait4(child, &status, 0, &used) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= fine);
    const double user = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
    const double system = (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
#ifdef __APPLE__
    return (cost){user + system, (double)used.ru_maxrss / 1048576};
#else
    return (cost){user + system, (double)used.ru_maxrss / 1024};
#endif
}

static cost least_cost(const char *command, const char *model, int n, const char *coordinates, const char *formulation, int fine)
{
    cost best = {HUGE_VAL, HUGE_VAL};
    for (int i = 0; i < 3; i++) {
        const cost one = cost_of(command, model, n, coordinates, formulation, fine);
        best = (cost){fmin(best.time, one.time), fmin(best.memory, one.memory)};
    }
    return best;
}

/* Beside what any run takes. */
static void check_growth(const char *command, const char *model, const char *coordinates, const char *formulation, int fine)
{
    const cost none = least_cost(command, model, 4, coordinates, formulation, 1);
    const cost few = least_cost(command, model, FEW, coordinates, formulation, fine),
               many = least_cost(command, model, MANY, coordinates, formulation, fine);
    const double ratio = MANY / (double)FEW;
    print_message("  %-5s %-10s %-5s %-9s  %.3f s, %.0f MB; %d: %.3f s, %.0f MB; %d: %.3f s, %.0f MB\n", command, model, coordinates, formulation,
                  none.time, none.memory, FEW, few.time, few.memory, MANY, many.time, many.memory);
    assert_true(many.time < 1.5 * ratio * fmax(few.time, 0.02));
    assert_true(many.memory - none.memory < 1.25 * ratio * (few.memory - none.memory) + 5);
}

static void a_run_of_a_tree_begins_in_proportion_to_its_bodies(void **unused)
{
    (void)unused;
    if (!MEASURED)
        skip();
    check_growth("run", "chain.yaml", "joint", "recursive", 0);
    check_growth("run", "comb.yaml", "joint", "recursive", 0);
    check_growth("run", "chain.yaml", "joint", "lagrange", 0); /* works on the links, too */
    check_growth("run", "chain.yaml", "angle", "lagrange", 0);
}

/* From the size on at which ranks are not looked at: exit code 1, a warning. */
static void a_check_of_a_tree_grows_in_proportion_to_its_bodies(void **unused)
{
    (void)unused;
    if (!MEASURED)
        skip();
    const cost few = least_cost("check", "chain.yaml", MANY / 2, "joint", "recursive", 1);
    const cost many = least_cost("check", "chain.yaml", 2 * MANY, "joint", "recursive", 1);
    print_message("  check chain: %d: %.3f s, %.0f MB; %d: %.3f s, %.0f MB\n", MANY / 2, few.time, few.memory, 2 * MANY, many.time, many.memory);
    assert_true(many.time < 6 * fmax(few.time, 0.02));
    assert_true(many.memory < 5 * few.memory);
    const cost angle = cost_of("check", "chain.yaml", MANY, "angle", "lagrange", 1);
    print_message("  check chain, angle: %d: %.3f s, %.0f MB\n", MANY, angle.time, angle.memory);
    assert_true(angle.memory < 300);
}

/* kane takes up to 1500 velocities, for which its matrices have 1.8 GB in two states: none is read where it works on the links. */
static void kane_on_a_tree_begins_without_its_matrices(void **unused)
{
    (void)unused;
    if (!MEASURED)
        skip();
    const cost kane = cost_of("run", "chain.yaml", 1400, "joint", "kane", 0), recursive = cost_of("run", "chain.yaml", 1400, "joint", "recursive", 0);
    print_message("  1400 links: kane %.3f s, %.0f MB; recursive %.3f s, %.0f MB\n", kane.time, kane.memory, recursive.time, recursive.memory);
    assert_true(kane.memory < 2 * recursive.memory);
}

static void ten_thousand_links_begin_in_less_than_200_megabytes(void **unused)
{
    (void)unused;
    if (!MEASURED)
        skip();
    const cost all = least_cost("run", "chain.yaml", ALL, "joint", "recursive", 0);
    print_message("  %d links: %.2f s, %.0f MB\n", ALL, all.time, all.memory);
    assert_true(all.memory < 200);
    assert_true(all.time < 4); /* 0.8 s where nothing else runs */
    const cost recorded = cost_of("run", "channels.yaml", ALL, "joint", "recursive", 0);
    print_message("  %d links, 130,000 channels: %.2f s, %.0f MB\n", ALL, recorded.time, recorded.memory);
    assert_true(recorded.memory < 190.7); /* of 2^20 bytes: 200 million bytes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_a_tree_begins_in_proportion_to_its_bodies),
        cmocka_unit_test(a_check_of_a_tree_grows_in_proportion_to_its_bodies),
        cmocka_unit_test(kane_on_a_tree_begins_without_its_matrices),
        cmocka_unit_test(ten_thousand_links_begin_in_less_than_200_megabytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
