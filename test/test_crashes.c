/* Trouble from outside ends with a sentence and an exit code, never with a signal: memory that runs out at any allocation, files that may
 * not grow, files of results that are damaged.
 *
 *   test_crashes          a sample of each
 *   test_crashes long     the first allocation of every chain of callers, and a thousand damaged files of each type
 *   test_crashes full     every allocation: hours, because equations are derived with 250,000 of them
 */
#include "program.h"

#include "dalembert/dalembert.h"

static bool thorough, full;
static long starts; /* of the program */

/* Does the machine's heap belong to a sanitizer? It has another one in its place. */
static bool is_watched(void)
{
#ifdef __SANITIZE_ADDRESS__
    return true;
#else
    return false;
#endif
}

static bool has(const char *what)
{
#ifdef DAL_HAVE_HDF5
    if (!strcmp(what, "hdf5"))
        return true;
#endif
#ifdef DAL_HAVE_SUNDIALS
    if (!strcmp(what, "sundials"))
        return true;
#endif
    return !*what || (!strcmp(what, "page") && dal_page_available());
}

static const char stiff[] = "dalembert: 1\n"
                            "space: planar\n"
                            "bodies: {a: {mass: 1, position: [1, 0]}}\n"
                            "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: 1e10, damping: 1e7, length: 0.9}}\n"
                            "simulate: {until: 0.01, every: 0.001}\n";
static const char four_bar[] = "dalembert: 1\n"
                               "space: planar\n"
                               "gravity: [0, -9.81]\n"
                               "parameters: {l: 0.7}\n"
                               "ground: {points: {P: [1.1, 0]}}\n"
                               "bodies:\n"
                               "  crank: {mass: 1.3, inertia: 0.1, position: [0, l/2], angle: pi/2, points: {O: [-l/2, 0], A: [l/2, 0]}}\n"
                               "  rod: {mass: 2.1, inertia: 0.3, position: [0.55, l], points: {A: [-0.55, 0], B: [0.55, 0]}}\n"
                               "  arm: {mass: 1.1, inertia: 0.1, position: [1.1, l/2], angle: pi/2, points: {O: [-l/2, 0], B: [l/2, 0]}}\n"
                               "joints:\n"
                               "  a: {type: revolute, connect: [ground, crank.O]}\n"
                               "  b: {type: revolute, connect: [crank.A, rod.A]}\n"
                               "  c: {type: revolute, connect: [rod.B, arm.B]}\n"
                               "  d: {type: revolute, connect: [ground.P, arm.O]}\n"
                               "simulate: {until: 0.05, every: 0.005}\n";

/* For pages: their equations are derived in no time. */
static const char thrown[] = "dalembert: 1\n"
                             "space: planar\n"
                             "gravity: [0, -9.81]\n"
                             "bodies: {a: {mass: 1.3, position: [1, 0], velocity: [0.3, 0.7]}}\n"
                             "record: [a.x, a.y]\n"
                             "simulate: {until: 0.05, every: 0.005}\n";

static int enter(void **state)
{
    if (enter_folder(state))
        return -1;
    place *here = *state;
    put(here, "stiff.yaml", stiff);
    put(here, "four.yaml", four_bar);
    put(here, "thrown.yaml", thrown);
    put(here, "r.urdf",
        "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1.3'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint></robot>\n");
    return 0;
}

static unsigned long long random_(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return *seed >> 33;
}

static void expect_no_crash(const place *here, const char *line, const char *what, long number)
{
    starts++;
    if (here->code >= 1000)
        fail_msg("%s: %s %ld: signal %d; %s", line, what, number, here->code - 1000, here->err);
}

/* ---- memory ---------------------------------------------------------------------- */

enum { SAMPLE = 14, MOST_CHAINS = 1 << 14 };

/* How many there are; with `first`, the number of the first one of each chain of callers, and how many chains there are. */
static long count_allocations(place *here, const char *line, long *first, long *chains)
{
    here->preload = DAL_FAIL_ALLOCATION;
    here->fail_at = 0;
    setenv("FAIL_COUNT", in_folder(here, "count"), 1);
    const int code = run(here, line);
    unsetenv("FAIL_COUNT");
    if (code > 1)
        fail_msg("%s: %d, %s", line, code, here->err);
    char *text = get(here, "count", NULL), *at = text;
    const long n = strtol(at, &at, 10);
    for (*chains = 0; *chains < MOST_CHAINS && strspn(at, "\n") < strlen(at); ++*chains)
        first[*chains] = strtol(at, &at, 10);
    free(text);
    assert_true(n > 20 && *chains > 10 && *chains < MOST_CHAINS / 2); /* half of the table of fail_allocation.c */
    return n;
}

/* `result` is what a run that says that it went well has to leave; NULL: it contains times. */
static void sweep(place *here, const char *line, const char *result)
{
    long *first = malloc(MOST_CHAINS * sizeof *first), chains;
    const long n = count_allocations(here, line, first, &chains), samples = full ? n : thorough ? chains : SAMPLE;
    char *expected = result ? get(here, result, NULL) : NULL;
    unsigned long long seed = 20261 + (unsigned long long)n;
    for (long i = 0; i < samples; i++) {
        here->fail_at = (int)(full ? i + 1 : thorough ? first[i] : 1 + (long)(random_(&seed) % (unsigned long long)n));
        if (result)
            unlink(in_folder(here, result));
        run_any(here, line);
        expect_no_crash(here, line, "allocation", here->fail_at);
        if (here->code || !result)
            continue;
        char *text = get(here, result, NULL);
        if (strcmp(text, expected))
            fail_msg("%s: allocation %d: another result, and not a word: %s", line, here->fail_at, here->err);
        free(text);
    }
    free(first);
    free(expected);
    here->preload = NULL;
}

static void want_of_memory_crashes_no_run(void **state)
{
    static const struct {
        const char *needs, *line, *result;
    } runs[] = {
        {"", "run @/four.yaml -q -o @/r.csv", "r.csv"},
        {"hdf5", "run @/four.yaml -q -o @/r.h5", NULL},
        {"page", "run @/thrown.yaml -q -o @/r.html", NULL},
        {"", "run @/four.yaml -q --keep --json", NULL},
        {"sundials", "run @/stiff.yaml -q --integrator cvode-bdf -o @/r.csv", "r.csv"},
        {"sundials", "run @/four.yaml -q --integrator cvode-adams -o @/r.csv", "r.csv"},
        {"sundials", "run @/stiff.yaml -q --integrator ida -o @/r.csv", "r.csv"},
        {"sundials", "run @/four.yaml -q --integrator ida --formulation component -o @/r.csv", "r.csv"},
    };
    if (is_watched())
        skip();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (has(runs[i].needs))
            sweep(*state, runs[i].line, runs[i].result);
}

static void want_of_memory_crashes_no_other_command(void **state)
{
    place *here = *state;
    static const struct {
        const char *needs, *line, *result;
    } commands[] = {
        {"", "check @/four.yaml", NULL},
        {"", "check @/stiff.yaml --json", NULL},
        {"", "compare @/four.yaml -q --formulations lagrange,kane", NULL},
        {"page", "compare @/thrown.yaml -q --formulations lagrange,kane --no-equations -o @/c.html", NULL},
        {"", "equations @/four.yaml", NULL},
        {"", "eval @/four.yaml --random 3", NULL},
        {"", "ports @/four.yaml -q -o @/p.svg", "p.svg"},
        {"", "convert @/r.urdf -q -o @/p.yaml", "p.yaml"},
        {"page", "gallery @/thrown.yaml -q --no-equations -o @/g", NULL},
        {"", "plot @/a.csv -c crank.angle -o @/a.svg", "a.svg"},
        {"hdf5", "plot @/a.h5 -c crank.angle -o @/a.svg", "a.svg"},
        {"", "animate @/a.csv -m @/four.yaml -o @/b.svg", "b.svg"},
        {"page", "view @/b.csv -m @/thrown.yaml -q --no-equations", NULL},
    };
    if (is_watched())
        skip();
    assert_int_equal(run(here, has("hdf5") ? "run @/four.yaml -q --motion -o @/a.csv -o @/a.h5" : "run @/four.yaml -q --motion -o @/a.csv"), DAL_OK);
    assert_int_equal(run(here, "run @/thrown.yaml -q --motion -o @/b.csv"), DAL_OK);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (has(commands[i].needs))
            sweep(here, commands[i].line, commands[i].result);
}

/* It is ended when it serves, or has ended itself. */
static void want_of_memory_does_not_crash_watch(void **state)
{
    place *here = *state;
    unsigned long long seed = 7;
    if (is_watched() || !has("page"))
        skip();
    here->preload = DAL_FAIL_ALLOCATION;
    for (int i = 0; i < (full ? 700 : thorough ? 100 : 5); i++) {
        const int out = open_scratch(), err = open_scratch();
        here->fail_at = full ? i + 1 : thorough ? 7 * i + 1 : 1 + (int)(random_(&seed) % 600);
        const pid_t child = start(here, "watch @/thrown.yaml --port 0 -q", out, err);
        rest(thorough ? 150 : 300);
        kill(child, SIGTERM);
        here->code = wait_for_any(child);
        read_text(out, here->out), read_text(err, here->err);
        if (here->code == 1000 + SIGTERM) /* it was ended before it could listen to that */
            starts++;
        else
            expect_no_crash(here, "watch", "allocation", here->fail_at);
    }
    here->preload = NULL;
}

/* ---- files that may not grow ---------------------------------------------------------- */

static void a_limit_on_the_size_of_files_is_an_error(void **state)
{
    place *here = *state;
    static const rlim_t limits[] = {1, 600, 2048, 5000, 16384, 40960, 65536, 100000};
    static const struct {
        const char *needs, *line;
    } commands[] = {{"", "run @/four.yaml -q --motion --every 1e-5 -o @/r.csv"},
                    {"hdf5", "run @/four.yaml -q --motion --every 1e-5 -o @/r.h5"},
                    {"page", "run @/thrown.yaml -q --motion -o @/r.html"}};
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits && has(commands[c].needs); i++) {
            here->largest = limits[i];
            run_any(here, commands[c].line);
            if (here->code != DAL_BAD_FILE && limits[i] > 600) /* below that the words themselves do not fit */
                fail_msg("%s: %ld bytes: %d, %s", commands[c].line, (long)limits[i], here->code, here->err);
            expect_no_crash(here, commands[c].line, "limit", (long)limits[i]);
            if (limits[i] > 600)
                expect(here->err, "cannot be written: File too large");
        }
    here->largest = 0;
    assert_int_equal(count_files(here, "r.csv.part") + count_files(here, "r.h5.part"), 1 + has("hdf5")); /* what did fit can be read */
    assert_int_equal(run(here, "plot @/r.csv.part -c crank.angle -o @/a.svg"), DAL_OK);
    if (has("hdf5"))
        assert_int_equal(run(here, "plot @/r.h5.part -c crank.angle -o @/a.svg"), DAL_OK);
    here->largest = 1000;
    assert_int_equal(run(here, "ports @/four.yaml -q -o @/p.svg"), DAL_BAD_FILE);
    assert_int_equal(run(here, "plot @/r.csv.part -c crank.angle -o @/b.svg"), DAL_BAD_FILE);
    assert_int_equal(run(here, "plot @/r.csv.part -c crank.angle -o -"), DAL_BAD_FILE);
    here->largest = 0;
    assert_int_equal(count_files(here, "p.svg") + count_files(here, "b.svg"), 0);
}

/* A caller of the library who has not thought of the signal is not ended by it, and does not see it afterwards. */
static void write_beyond_the_limit(const char *path)
{
    static const dal_system_info info = {.model = "m",
                                         .model_hash = "",
                                         .version = "",
                                         .coordinates = "",
                                         .formulation = "",
                                         .stabilization = "",
                                         .integrator = "",
                                         .until = 1,
                                         .space = DAL_PLANAR};
    dal_writer *writer;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){20000, 20000});
    dal_status status = dal_writer_open(NULL, path, false, NULL, &writer);
    if (status != DAL_OK)
        _exit(90);
    const dal_sink *sink = dal_writer_sink(writer);
    status = sink->begin(sink->user, &info, 2, (dal_column[]){{"time", "s"}, {"x", "m"}});
    for (int i = 0; i < 100000 && status == DAL_OK; i++)
        status = sink->row(sink->user, 2, (double[]){i, 0.1 * i});
    if (dal_writer_close(writer, true, NULL) != DAL_BAD_FILE)
        _exit(91);
    sigset_t waiting;
    sigpending(&waiting);
    _exit(sigismember(&waiting, SIGXFSZ) ? 92 : (int)status);
}

static void nor_does_it_end_a_caller_of_the_library(void **state)
{
    place *here = *state;
    static const char *const names[] = {"w.csv", "w.h5"};
    for (int i = 0; i < 1 + has("hdf5"); i++) {
        const pid_t child = fork();
        if (child == 0)
            write_beyond_the_limit(in_folder(here, names[i]));
        assert_int_equal(wait_for_any(child), DAL_BAD_FILE);
    }
}

/* ---- damaged files ----------------------------------------------------------------------- */

/* Some bits of the text are turned: half of them at its beginning, where HDF5 keeps its structure. */
static void damage(char *bytes, size_t n, unsigned long long *seed)
{
    static const int counts[] = {1, 1, 2, 8, 40};
    for (int k = counts[random_(seed) % 5]; k > 0; k--) {
        const size_t most = random_(seed) % 2 && n > 8000 ? 8000 : n;
        bytes[random_(seed) % most] ^= (char)(1 << random_(seed) % 8);
    }
}

static void read_damaged(place *here, const char *name, const char *const *lines)
{
    size_t n;
    char *whole = get(here, name, &n), *copy = malloc(n), damaged[40];
    unsigned long long seed = 37 + n;
    snprintf(damaged, sizeof damaged, "damaged%s", strrchr(name, '.'));
    for (int i = 0; i < (thorough ? 1000 : 40); i++) {
        memcpy(copy, whole, n);
        damage(copy, n, &seed);
        FILE *file = fopen(in_folder(here, damaged), "wb");
        assert_int_equal(fwrite(copy, 1, n, file), n);
        fclose(file);
        const char *line = lines[i % 10 == 9 ? 2 : i % 10 == 8 ? 1 : 0];
        run_any(here, line);
        expect_no_crash(here, line, "damage", i);
        if (here->code != DAL_OK && here->code != DAL_BAD_FILE && here->code != DAL_BAD_COMMAND && here->code != DAL_NO_MEMORY)
            fail_msg("%s: damage %d: code %d, %s", line, i, here->code, here->err);
        if (here->code)
            assert_true(strlen(here->err) > 10);
    }
    free(whole), free(copy);
}

static void damaged_results_crash_nothing(void **state)
{
    place *here = *state;
    static const char *const csv[] = {"plot @/damaged.csv -c crank.angle -o @/d.svg", "animate @/damaged.csv -m @/four.yaml -q -o @/d.svg",
                                      "plot @/damaged.csv -c rod.x -x time --log -o @/d.svg"};
    static const char *const hdf5[] = {"plot @/damaged.h5 -c crank.angle -o @/d.svg", "animate @/damaged.h5 -m @/four.yaml -q -o @/d.svg",
                                       "view @/damaged.h5 -m @/four.yaml -q --no-equations -o @/d.html"};
    assert_int_equal(run(here, "run @/four.yaml -q --motion -o @/a.csv"), DAL_OK);
    read_damaged(here, "a.csv", csv);
    if (!has("hdf5") || is_watched()) /* a sanitizer reports the crash of the child in its own way */
        return;
    assert_int_equal(run(here, "run @/four.yaml -q --motion -o @/a.h5"), DAL_OK);
    read_damaged(here, "a.h5", hdf5);
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter, leave_folder)

int main(int argc, char **argv)
{
    full = argc > 1 && !strcmp(argv[1], "full");
    thorough = full || (argc > 1 && !strcmp(argv[1], "long"));
    const struct CMUnitTest tests[] = {
        in_place(want_of_memory_crashes_no_run),           in_place(want_of_memory_crashes_no_other_command),
        in_place(want_of_memory_does_not_crash_watch),     in_place(a_limit_on_the_size_of_files_is_an_error),
        in_place(nor_does_it_end_a_caller_of_the_library), in_place(damaged_results_crash_nothing),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    print_message("%ld starts of the program\n", starts);
    return failed;
}
