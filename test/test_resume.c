/* Runs that are stopped or killed and gone on with: their files are those of a run that was left alone. */
#include "program.h"

#include "output/checkpoint.h"
#include "dalembert/dalembert.h"

/* Wall time, not the motion, is what runs are killed in: under the sanitizers a tenth of it takes as long. */
#ifdef CHECK_WATCHED
#define TENFOLD ""
#else
#define TENFOLD "0"
#endif

static const char every[] = "0.02"; /* s between checkpoints, for DALEMBERT_CHECKPOINT */
static uint64_t seed = 20;

static const char stick_slip[] = "dalembert: 1\n"
                                 "space: planar\n"
                                 "gravity: [0, -9.81]\n"
                                 "ground: {points: {A: [0, 0], R: {at: [0, 0], x: [1, 0]}}}\n"
                                 "bodies:\n"
                                 "  crank: {mass: 1, inertia: 0.01, angle: 0.6, points: {A: [-0.1, 0], B: [0.1, 0]}}\n"
                                 "  rod: {mass: 1.5, inertia: 0.05, points: {B: [-0.3, 0], C: [0.3, 0]}}\n"
                                 "  block: {mass: 2, inertia: 0.02, angle: 0, points: {C: [0, 0], P: {at: [0, 0], x: [1, 0]}}}\n"
                                 "joints:\n"
                                 "  A: {type: revolute, connect: [ground.A, crank.A]}\n"
                                 "  B: {type: revolute, connect: [crank.B, rod.B]}\n"
                                 "  C: {type: revolute, connect: [rod.C, block.C], friction: {coefficient: 0.7, radius: 0.03}}\n"
                                 "  G: {type: prismatic, connect: [ground.R, block.P], friction: {coefficient: 0.7, static: 0.91}}\n"
                                 "forces: {m: {type: motor, joint: A, value: 8*sin(3*t)}}\n"
                                 "simulate: {until: 1" TENFOLD ".2, every: 0.02, integrator: dopri5}\n";
static const char swinging[] = "dalembert: 1\n"
                               "space: planar\n"
                               "parameters: {k: 37}\n"
                               "bodies: {a: {mass: 1.37, position: [1.2, 0.3]}}\n"
                               "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: k, damping: 0, length: 0.7}}\n"
                               "record: [a.x, a.y, energy]\n"
                               "simulate: {until: 200" TENFOLD ", every: 0.1, integrator: dopri5}\n";

/* In memory where that can be: a disk that is slow makes checkpoints rare. */
static int enter_memory(void **state)
{
    place *here = calloc(1, sizeof *here);
    *state = here;
    strcpy(here->folder, "/dev/shm/test_resume.XXXXXX");
    if (mkdtemp(here->folder))
        return 0;
    free(here);
    return enter_folder(state);
}

static bool has_hdf5(void)
{
#ifdef DAL_HAVE_HDF5
    return true;
#else
    return false;
#endif
}

/* ---- files ------------------------------------------------------------------------------------- */

static void same_bytes(const place *here, const char *what, const char *a, const char *b)
{
    size_t n, m;
    char *x = get(here, a, &n), *y = get(here, b, &m);
    if (n != m || memcmp(x, y, n))
        fail_msg("%s: %s (%zu bytes) is not %s (%zu bytes)", what, a, n, b, m);
    free(x);
    free(y);
}

static void same_values(const place *here, const char *what, const char *a, const char *b)
{
    dal_results *x, *y;
    const double *p, *q;
    int n, m;
    long row = 0;
    assert_int_equal(dal_results_open(NULL, in_folder(here, a), NULL, &x), DAL_OK);
    assert_int_equal(dal_results_open(NULL, in_folder(here, b), NULL, &y), DAL_OK);
    dal_results_columns(x, &n);
    dal_results_columns(y, &m);
    assert_int_equal(n, m);
    for (;; row++) {
        assert_int_equal(dal_results_next(x, &p), DAL_OK);
        assert_int_equal(dal_results_next(y, &q), DAL_OK);
        if (!p || !q || memcmp(p, q, sizeof *p * (size_t)n))
            break;
    }
    if (p || q)
        fail_msg("%s: row %ld of %s and %s", what, row, a, b);
    assert_false(dal_results_incomplete(x));
    dal_results_close(x);
    dal_results_close(y);
}

/* Everything but the wall time and how often it was gone on with. */
static char *evidence_of(const char *json)
{
    static const char *const passed[] = {"\"wall_seconds\":", "\"restored\":"};
    char *text = strdup(json);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        char *from = strstr(text, passed[i]);
        if (from) {
            const char *end = from + strcspn(from, ",") + 1;
            while (*end == ' ' || *end == '\n')
                end++;
            memmove(from, end, strlen(end) + 1);
        }
    }
    return text;
}

/* ---- killing ------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool has_ended(pid_t child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* When the checkpoint was written, s; 0: there is none. */
static double written(const place *here)
{
    struct stat found;
    return stat(in_folder(here, "a.csv.part.state"), &found) ? 0 : (double)found.st_mtim.tv_sec + 1e-9 * (double)found.st_mtim.tv_nsec;
}

/* Some time after there is a checkpoint; of one that is resumed and killed, after it was started. False: the run came to its end before. */
static bool end_by(place *here, const char *line, double seconds, int signal)
{
    const int out = open_scratch(), err = open_scratch();
    const double old = written(here);
    const pid_t child = start(here, line, out, err);
    for (int i = 0; i < 20000 && written(here) == old && !(old > 0 && signal == SIGKILL) && !has_ended(child); i++)
        rest(1);
    rest((int)(1000 * seconds));
    kill(child, signal);
    here->code = wait_for_any(child);
    read_text(out, here->out);
    read_text(err, here->err);
    assert_true(here->code == 0 || here->code == (signal == SIGKILL ? 1000 + signal : 128 + signal));
    return here->code != 0;
}

/* "run MODEL OPTIONS -o @/NAME.csv -o @/NAME.h5 MORE"; valid until the second call after this one. */
static const char *line_of(const char *what, const char *name, const char *more)
{
    static char lines[2][600];
    static int next;
    char *line = lines[next++ % 2], hdf5[40] = "";
    if (has_hdf5())
        snprintf(hdf5, sizeof hdf5, "-o @/%s.h5", name);
    snprintf(line, sizeof lines[0], "run %s -o @/%s.csv %s %s", what, name, hdf5, more);
    return line;
}

/* The run as it is, then killed up to three times and resumed. How often it was. */
static int kill_and_resume(place *here, const char *what)
{
    const double begin = now();
    int killed = 0;
    assert_int_equal(run(here, line_of(what, "ref", "--json")), DAL_OK);
    const double whole = now() - begin;
    char *expected = evidence_of(here->out);
    while (killed < 3 && end_by(here, line_of(what, "a", killed ? "-q --resume" : "-q"), 0.3 * whole * (0.5 + 0.5 * check_random(&seed)), SIGKILL))
        killed++;
    if (killed == 3)
        assert_int_equal(run(here, line_of(what, "a", "--resume --json")), DAL_OK);
    if (killed == 3) {
        const char *restored = strstr(here->out, "\"restored\": ");
        char *evidence = evidence_of(here->out);
        assert_true(restored && atoi(restored + 12) >= 1 &&
                    atoi(restored + 12) <= killed); /* those that were killed before they saved anything are gone */
        assert_string_equal(evidence, expected);
        free(evidence);
    }
    same_bytes(here, what, "a.csv", "ref.csv");
    if (has_hdf5())
        same_values(here, what, "a.h5", "ref.h5");
    assert_int_equal(count_files(here, ".part"), 0);
    free(expected);
    return killed;
}

static void a_killed_run_that_is_resumed_makes_the_files_of_one_that_was_not(void **state)
{
    place *here = *state;
    int killed = 0;
    put(here, "stick.yaml", stick_slip);
    killed += kill_and_resume(here, DAL_MODELS "/four-bar.yaml --until 6" TENFOLD " --every 0.01");
    killed += kill_and_resume(here, "@/stick.yaml");
    killed += kill_and_resume(here, DAL_MODELS "/n-four-bar.yaml --until 6" TENFOLD " --coordinates angle");
    killed += kill_and_resume(here, DAL_MODELS "/bricard.yaml --until 1" TENFOLD " --integrator rk4 --step 2e-3");
    assert_true(killed >= 4);
}

/* The CSV file has its name already, the HDF5 file does not. */
static void one_that_is_killed_while_its_files_take_their_names_is_resumed(void **state)
{
    place *here = *state;
    int halved = 0;
    if (!has_hdf5())
        skip();
    put(here, "s.yaml", swinging);
    assert_int_equal(run(here, line_of("@/s.yaml", "ref", "-q")), DAL_OK);
    for (int i = 0; i < 6 && !halved; i++) {
        const int out = open_scratch(), err = open_scratch();
        const pid_t child = start(here, line_of("@/s.yaml", "a", "-q"), out, err);
        while (!is_there(here, "a.csv") && !has_ended(child))
            nanosleep(&(struct timespec){0, 50000}, NULL);
        kill(child, SIGKILL);
        wait_for_any(child);
        close(out), close(err);
        halved += is_there(here, "a.h5.part");
        if (is_there(here, "a.csv.part.state"))
            if (run(here, line_of("@/s.yaml", "a", "-q --resume")) != DAL_OK)
                fail_msg("%s", here->err);
        same_bytes(here, "halved", "a.csv", "ref.csv");
        same_values(here, "halved", "a.h5", "ref.h5");
        assert_int_equal(count_files(here, ".part"), 0);
        unlink(in_folder(here, "a.csv"));
    }
}

/* Their past is not saved: they begin anew at the same state, to their tolerance. */
static void integrators_that_cannot_be_saved_start_anew_and_say_so(void **state)
{
    place *here = *state;
    const char *what = DAL_MODELS "/four-bar.yaml --until=15" TENFOLD " --every=0.01 --integrator=cvode-bdf --rtol=1e-10 --atol=1e-12";
    dal_results *x, *y;
    const double *p, *q;
    double worst = 0;
    if (run(here, line_of(what, "ref", "-q")) != DAL_OK) {
        expect(here->err, "cannot be used here"); /* a build without them */
        skip();
    }
    assert_true(end_by(here, line_of(what, "a", "-q"), 0.05, SIGKILL));
    assert_int_equal(run(here, line_of(what, "a", "--resume")), DAL_OK);
    expect(here->out, "  resumed     the motion was continued from a saved state, once\n");
    assert_int_equal(dal_results_open(NULL, in_folder(here, "a.csv"), NULL, &x), DAL_OK);
    assert_int_equal(dal_results_open(NULL, in_folder(here, "ref.csv"), NULL, &y), DAL_OK);
    int n;
    dal_results_columns(x, &n);
    while (dal_results_next(x, &p) == DAL_OK && dal_results_next(y, &q) == DAL_OK && p && q)
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(p[i] - q[i]) / (1 + fabs(q[i])));
    assert_true(!p && !q && worst < 1e-5);
    dal_results_close(x);
    dal_results_close(y);
}

static void a_stopped_run_says_how_to_go_on_and_does(void **state)
{
    place *here = *state;
    put(here, "s.yaml", swinging);
    assert_int_equal(run(here, line_of("@/s.yaml", "ref", "-q")), DAL_OK);
    for (int number = SIGINT; number <= SIGTERM; number += SIGTERM - SIGINT) {
        assert_true(end_by(here, line_of("@/s.yaml", "a", number == SIGINT ? "" : "-q"), 0.02, number));
        expect(here->err, "dalembert run: with --resume the run continues from t = ");
        assert_true(is_there(here, "a.csv.part"));
        assert_int_equal(run(here, line_of("@/s.yaml", "a", "--resume")), DAL_OK);
        same_bytes(here, "stopped", "a.csv", "ref.csv");
        if (has_hdf5())
            same_values(here, "stopped", "a.h5", "ref.h5");
        assert_int_equal(count_files(here, ".part"), 0);
    }
}

/* Its first checkpoint is the one at the stop. */
static void a_run_that_is_stopped_in_its_first_second_can_be_resumed(void **state)
{
    place *here = *state;
    put(here, "s.yaml", swinging);
    assert_int_equal(run(here, "run @/s.yaml -q -o @/ref.csv"), DAL_OK);
    setenv("DALEMBERT_CHECKPOINT", "1000", 1);
    const int out = open_scratch(), err = open_scratch();
    const pid_t child = start(here, "run @/s.yaml -o @/a.csv", out, err);
    for (int i = 0; i < 1000 && !is_there(here, "a.csv.part"); i++)
        rest(1);
    rest(100);
    assert_false(is_there(here, "a.csv.part.state"));
    kill(child, SIGINT);
    const int code = wait_for_any(child);
    read_text(out, here->out);
    read_text(err, here->err);
    setenv("DALEMBERT_CHECKPOINT", every, 1);
    if (code == DAL_OK)
        skip(); /* a fast machine */
    assert_int_equal(code, 130);
    expect(here->err, "with --resume the run continues from t = ");
    assert_int_equal(run(here, "run @/s.yaml -q -o @/a.csv --resume"), DAL_OK);
    same_bytes(here, "stopped soon", "a.csv", "ref.csv");
}

/* ---- what is left, and what is not ----------------------------------------------------------------- */

/* A killed run of the oscillation, in a.csv (and a.h5). */
static void leave_killed(place *here, const char *more)
{
    put(here, "s.yaml", swinging);
    assert_true(end_by(here, line_of("@/s.yaml", "a", more), 0.05, SIGKILL));
}

static void nothing_is_left_where_nothing_can_be_resumed(void **state)
{
    place *here = *state;
    leave_killed(here, "-q");
    assert_true(is_there(here, "a.csv.part.state"));
    put(here, "f.yaml",
        "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [1, 0]}}\n"
        "forces: {f: {type: force, body: a, value: [log(5 - t), 0]}}\nsimulate: {until: 10, every: 0.01, max-step: 1e-3}\n");
    assert_int_equal(run(here, "run @/f.yaml -q -o @/a.csv"), DAL_NUMERICAL); /* it would fail there again */
    assert_false(is_there(here, "a.csv.part.state"));
    assert_true(is_there(here, "a.csv.part"));
    expect_not(here->err, "--resume");
    leave_killed(here, "-q --keep");
    assert_true(end_by(here, line_of("@/s.yaml", "a", "-q --keep --resume"), 0, SIGTERM)); /* the files have their names */
    assert_int_equal(count_files(here, ".part"), 0);
    expect_not(here->err, "--resume");
    leave_killed(here, "-q");
    assert_int_equal(run(here, "run @/s.yaml -q --until 1 -o @/a.csv"), DAL_OK); /* anew: what was saved is of no use any more */
    assert_int_equal(count_files(here, "a.csv.part"), 0);
}

static void a_full_disk_is_no_end(void **state)
{
    place *here = *state;
    struct stat found;
    put(here, "s.yaml", swinging);
    assert_int_equal(run(here, line_of("@/s.yaml", "ref", "-q")), DAL_OK);
    assert_int_equal(stat(in_folder(here, "ref.csv"), &found), 0);
    here->largest = (rlim_t)found.st_size * 2 / 3;
    assert_int_equal(run(here, line_of("@/s.yaml", "a", "-q")), DAL_BAD_FILE);
    here->largest = 0;
    if (!is_there(here, "a.csv.part.state"))
        skip(); /* a fast machine */
    expect(here->err, "with --resume the run continues from t = ");
    assert_int_equal(run(here, line_of("@/s.yaml", "a", "-q --resume")), DAL_OK);
    same_bytes(here, "full", "a.csv", "ref.csv");
    if (has_hdf5())
        same_values(here, "full", "a.h5", "ref.h5");
}

static void what_a_page_was_made_of_is_resumed_without_it(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    put(here, "s.yaml", swinging);
    assert_int_equal(run(here, "run @/s.yaml -q --motion -o @/ref.csv"), DAL_OK);
    assert_true(end_by(here, "run @/s.yaml --motion -o @/a.html -o @/a.csv", 0.02, SIGINT));
    expect(here->err, "with --resume, without the page, the run continues from t = ");
    assert_int_equal(run(here, "run @/s.yaml --motion -o @/a.csv -o @/a.html --resume"), DAL_BAD_COMMAND);
    expect(here->err, "a page cannot be resumed: drop it, and make it from the finished file with 'dalembert view'\n");
    assert_int_equal(run(here, "run @/s.yaml -q --motion -o @/a.csv --resume"), DAL_OK);
    same_bytes(here, "page", "a.csv", "ref.csv");
    assert_int_equal(run(here, "view @/a.csv -m @/s.yaml -q"), DAL_OK);
}

/* ---- what cannot be resumed -------------------------------------------------------------------------- */

static void expect_refused(place *here, const char *line, int code, const char *sentence)
{
    if (run(here, line) != code)
        fail_msg("%s: %d instead of %d: %s", line, here->code, code, here->err);
    expect(here->err, sentence);
}

static void options_that_do_not_go_together_are_refused(void **state)
{
    place *here = *state;
    put(here, "s.yaml", swinging);
    expect_refused(here, "run @/s.yaml --resume", DAL_BAD_COMMAND, "--resume continues the files of a run: name them with -o");
    expect_refused(here, "run @/s.yaml --resume -o - -o @/a.csv", DAL_BAD_COMMAND, "rows on standard output cannot be taken back");
    expect_refused(here, "run @/s.yaml --resume -o @/a.html", DAL_BAD_COMMAND, "a page cannot be resumed");
    expect_refused(here, "run @/s.yaml --resume -o @/a.csv", DAL_BAD_FILE, "a.csv: error: there is nothing to resume: '");
}

static void what_does_not_belong_is_refused_and_left_alone(void **state)
{
    place *here = *state;
    size_t n, m;
    leave_killed(here, "-q");
    char *part = get(here, "a.csv.part", &n), *checkpoint = get(here, "a.csv.part.state", &m);
    static const char *const wrong[][2] = {
        {"--set k=38", "belongs to another model, or to other values of its parameters"},
        {"--rtol 1e-7", "was saved with other coordinates"},
        {"--until 2222", "was saved with other coordinates"},
        {"--event-tolerance 1e-7", "was saved with other coordinates"},
        {"--integrator rk4 --step 0.001", "was saved with other coordinates"},
        {"--motion", "was saved with other coordinates"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char more[60];
        snprintf(more, sizeof more, "--resume %s", wrong[i][0]);
        expect_refused(here, line_of("@/s.yaml", "a", more), DAL_BAD_FILE, wrong[i][1]);
        expect(here->err, "a.csv.part.state: error: ");
        size_t now_n;
        char *now_part = get(here, "a.csv.part", &now_n);
        assert_true(now_n == n && !memcmp(part, now_part, n));
        free(now_part);
        same_bytes(here, "left alone", "a.csv.part.state", "a.csv.part.state");
    }
    expect_refused(here, line_of("@/s.yaml", "a", "--resume --units"), DAL_BAD_FILE, "begins with other headings than this run writes");
    expect_refused(here, "run @/s.yaml --resume -o @/a.csv -o @/b.csv", DAL_BAD_FILE, "is of a run that wrote a.csv");
    if (has_hdf5())
        expect_refused(here, "run @/s.yaml --resume -o @/a.csv", DAL_BAD_FILE, "is of a run that wrote a.csv, a.h5: name the same files with -o");
    put(here, "s.yaml", "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1}}\nsimulate: {until: 1}\n");
    expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "belongs to another model");
    put(here, "s.yaml", swinging);
    assert_int_equal(run(here, line_of("@/s.yaml", "a", "-q --resume")), DAL_OK); /* after all that */
    free(part);
    free(checkpoint);
}

static void files_may_be_named_in_another_order(void **state)
{
    place *here = *state;
    if (!has_hdf5())
        skip();
    leave_killed(here, "-q");
    assert_int_equal(run(here, "run @/s.yaml -q --resume -o @/a.h5 -o @/a.csv"), DAL_OK);
    assert_int_equal(run(here, "run @/s.yaml -q -o @/ref.csv"), DAL_OK);
    same_bytes(here, "order", "a.csv", "ref.csv");
    assert_int_equal(count_files(here, ".part"), 0);
}

static void parts_that_lost_rows_are_refused(void **state)
{
    place *here = *state;
    size_t n;
    leave_killed(here, "-q");
    char *part = get(here, "a.csv.part", &n);
    const char *head = strchr(part, '\n') + 1;
    assert_int_equal(truncate(in_folder(here, "a.csv.part"), head - part), 0);
    expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "a.csv.part' has fewer rows than the saved state beside it");
    FILE *file = fopen(in_folder(here, "a.csv.part"), "w");
    fwrite(part, 1, (size_t)(head - part), file);
    for (int i = 0; i < 30000; i++)
        fputs("1,2,3,4\n", file);
    fclose(file);
    expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "a.csv.part' has other rows than the saved state beside it");
    unlink(in_folder(here, "a.csv.part"));
    expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "cannot be resumed: '");
    expect(here->err, "a.csv.part' is missing");
    if (has_hdf5()) {
        FILE *back = fopen(in_folder(here, "a.csv.part"), "w");
        fwrite(part, 1, n, back);
        fclose(back);
        assert_int_equal(truncate(in_folder(here, "a.h5.part"), 3000), 0);
        expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "a.h5: error: cannot be ");
        unlink(in_folder(here, "a.h5.part"));
        expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "a.h5.part' is missing");
        for (int i = 0; i < 5000 && count_files(here, ".new"); i++) /* the process that wrote it goes after the program */
            rest(1);
        assert_int_equal(count_files(here, ".new"), 0);
    }
    free(part);
}

static void a_run_that_is_still_going_cannot_be_resumed(void **state)
{
    place *here = *state;
    put(here, "s.yaml", swinging);
    const int out = open_scratch(), err = open_scratch();
    const pid_t child = start(here, "run @/s.yaml --until 1e6 -q -o @/a.csv", out, err);
    close(out), close(err);
    for (int i = 0; i < 5000 && !is_there(here, "a.csv.part.state"); i++)
        rest(1);
    expect_refused(here, "run @/s.yaml --until 1e6 -q -o @/a.csv --resume", DAL_BAD_FILE, "is being written by another run");
    kill(child, SIGKILL);
    wait_for_any(child);
}

/* ---- what comes from anywhere --------------------------------------------------------------------------- */

static bool is_accepted(const place *here, const char *bytes, size_t n, bool same)
{
    FILE *file = fopen(in_folder(here, "a.csv.part.state"), "wb");
    fwrite(bytes, 1, n, file);
    fclose(file);
    const char *paths[] = {in_folder(here, "a.csv"), in_folder(here, "a.h5")};
    dal_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    dal_messages *messages = dal_messages_create(NULL);
    const dal_status status = dal_checkpoint_read(checkpoint, has_hdf5() ? 2 : 1, paths, messages);
    if (status != DAL_OK && !dal_messages_count(messages, DAL_ERROR))
        fail_msg("%zu bytes are refused without a word", n);
    assert_true(status == DAL_OK || status == DAL_BAD_FILE);
    assert_true(status != DAL_OK || same);
    dal_checkpoint_end(checkpoint);
    dal_messages_free(messages);
    free(checkpoint);
    return status == DAL_OK;
}

static void a_damaged_checkpoint_is_refused(void **state)
{
    place *here = *state;
    size_t n;
    leave_killed(here, "-q");
    char *bytes = get(here, "a.csv.part.state", &n);
    assert_true(is_accepted(here, bytes, n, true));
    for (size_t k = 0; k < n; k++)
        assert_false(is_accepted(here, bytes, k, false));
    for (int i = 0; i < 300; i++) {
        const size_t place_ = (size_t)((double)n * (0.5 + 0.4999 * check_random(&seed)));
        const char bit = (char)(1 << i % 8);
        bytes[place_] ^= bit;
        assert_false(is_accepted(here, bytes, n, false));
        if (i % 30 == 0) { /* and by the program */
            expect_refused(here, line_of("@/s.yaml", "a", "--resume"), DAL_BAD_FILE, "a.csv.part.state: error: is ");
            expect(here->err, "damaged: the run cannot be resumed from it");
        }
        bytes[place_] ^= bit;
    }
    assert_true(is_accepted(here, bytes, n, true));
    assert_int_equal(run(here, line_of("@/s.yaml", "a", "-q --resume")), DAL_OK);
    free(bytes);
}

/* With a checksum that fits: numbers may be anything, and the program does not fall over them. */
static void a_forged_checkpoint_does_not_crash_the_program(void **state)
{
    place *here = *state;
    size_t n;
    leave_killed(here, "-q");
    char *bytes = get(here, "a.csv.part.state", &n), *part = get(here, "a.csv.part", NULL);
    free(part);
    for (int i = 0; i < 40; i++) {
        uint64_t sum = 14695981039346656037u;
        const size_t place_ = (size_t)((double)(i < 20 ? 120 : n - 9) * (0.5 + 0.4999 * check_random(&seed)));
        bytes[place_] ^= (char)(1 << i % 8);
        for (size_t k = 0; k + 8 < n; k++)
            sum = (sum ^ (unsigned char)bytes[k]) * 1099511628211u;
        memcpy(bytes + n - 8, &sum, 8);
        FILE *file = fopen(in_folder(here, "a.csv.part.state"), "wb");
        fwrite(bytes, 1, n, file);
        fclose(file);
        run(here, line_of("@/s.yaml", "a", "-q --resume")); /* not ended by a signal */
        if (here->code == DAL_OK)
            break; /* what it changed was of no importance, and the files are there */
        expect(here->err, "error: ");
        bytes[place_] ^= (char)(1 << i % 8);
    }
    free(bytes);
}

/* ---- the public calls ------------------------------------------------------------------------------------- */

typedef struct keeper {
    dal_writer *writer;
    dal_sink sink;
    long rows;
    double last;
    int calls, stop_after;
    dal_status answer;
    void *blob;
    size_t size;
    long saved_rows;
    double saved_last;
} keeper;

static dal_status begin_kept(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    const dal_sink *sink = dal_writer_sink(((keeper *)user)->writer);
    return sink->begin(sink->user, info, n, columns);
}

static dal_status row_kept(void *user, int n, const double *values)
{
    keeper *k = user;
    const dal_sink *sink = dal_writer_sink(k->writer);
    k->rows++;
    k->last = values[0];
    return sink->row(sink->user, n, values);
}

static dal_status checkpoint_kept(void *user, const dal_simulation *simulation)
{
    keeper *k = user;
    assert_int_equal(dal_writer_flush(k->writer, true), DAL_OK);
    k->size = dal_simulation_save(simulation, NULL, 0);
    k->blob = k->blob ? k->blob : malloc(k->size);
    assert_int_equal(dal_simulation_save(simulation, k->blob, k->size), k->size);
    assert_true(dal_simulation_time(simulation) >= k->last);
    k->saved_rows = k->rows;
    k->saved_last = k->last;
    return ++k->calls == k->stop_after ? k->answer : DAL_OK;
}

static dal_system *compile_swinging(double until)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char text[40];
    snprintf(text, sizeof text, "%g", until);
    assert_int_equal(dal_spec_parse(NULL, "m", swinging, strlen(swinging), 0, NULL, NULL, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "until", text, NULL));
    assert_int_equal(dal_compile(NULL, spec, NULL, &system), DAL_OK);
    dal_spec_free(spec);
    return system;
}

static void the_public_calls_do_the_same(void **state)
{
    place *here = *state;
    dal_system *system = compile_swinging(100);
    dal_evidence evidence;
    for (int type = 0; type < (has_hdf5() ? 2 : 1); type++) {
        const char *name = type ? "a.h5" : "a.csv", *ref = type ? "ref.h5" : "ref.csv";
        keeper k = {.stop_after = 1, .answer = DAL_NO_MEMORY}, whole = {0};
        const dal_sink sink = {&k, begin_kept, row_kept}, other = {&whole, begin_kept, row_kept};
        dal_run_options options = {.sink = &other, .checkpoint = checkpoint_kept, .checkpoint_user = &whole, .checkpoint_every = 1e6};
        assert_int_equal(dal_writer_open(NULL, in_folder(here, ref), false, NULL, &whole.writer), DAL_OK);
        assert_int_equal(dal_writer_flush(whole.writer, true), DAL_BAD_COMMAND); /* it has not begun */
        assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
        assert_int_equal(whole.calls, 0); /* it was too short */
        assert_int_equal(dal_writer_close(whole.writer, true, NULL), DAL_OK);
        const long steps = evidence.steps;

        options = (dal_run_options){.sink = &sink, .checkpoint = checkpoint_kept, .checkpoint_user = &k, .checkpoint_every = 1e-4};
        assert_int_equal(dal_writer_open(NULL, in_folder(here, name), false, NULL, &k.writer), DAL_OK);
        assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_NO_MEMORY);
        assert_true(evidence.incomplete && k.calls == 1);
        assert_int_equal(dal_writer_close(k.writer, false, &evidence), DAL_OK);

        options.resume = k.blob;
        options.resume_size = k.size;
        k.stop_after = 0;
        assert_int_equal(dal_writer_resume(NULL, in_folder(here, name), false, 0, 0, NULL, &k.writer), DAL_BAD_COMMAND);
        assert_int_equal(dal_writer_resume(NULL, "-", false, 1, 0, NULL, &k.writer), DAL_BAD_COMMAND);
        assert_int_equal(dal_writer_resume(NULL, in_folder(here, "none.csv"), false, 1, 0, NULL, &k.writer), DAL_BAD_FILE);
        assert_int_equal(dal_writer_resume(NULL, in_folder(here, name), false, k.saved_rows, k.saved_last, NULL, &k.writer), DAL_OK);
        dal_writer_discard(k.writer); /* and it is still there */
        assert_int_equal(dal_writer_resume(NULL, in_folder(here, name), false, k.saved_rows, k.saved_last, NULL, &k.writer), DAL_OK);
        assert_int_equal(dal_writer_close(k.writer, true, NULL), DAL_OK);
        assert_int_equal(dal_writer_resume(NULL, in_folder(here, name), false, k.saved_rows, k.saved_last, NULL, &k.writer), DAL_OK);
        assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
        assert_int_equal(evidence.restored, 1);
        assert_int_equal(evidence.steps, steps);
        assert_int_equal(evidence.rows_recorded, whole.rows);
        assert_int_equal(dal_writer_close(k.writer, true, &evidence), DAL_OK);
        same_values(here, "calls", name, ref);
        free(k.blob);
    }
    dal_system_free(system);
}

static bool stop_at_once(void *user, double t, double until, long steps, double wall_seconds)
{
    (void)user, (void)t, (void)until, (void)steps, (void)wall_seconds;
    return false;
}

static void a_stop_by_progress_has_a_checkpoint(void **state)
{
    place *here = *state;
    dal_system *system = compile_swinging(1e6);
    dal_evidence evidence;
    keeper k = {0};
    const dal_sink sink = {&k, begin_kept, row_kept};
    const dal_run_options options = {
        .sink = &sink, .progress = stop_at_once, .checkpoint = checkpoint_kept, .checkpoint_user = &k, .checkpoint_every = 1e6};
    assert_int_equal(dal_writer_open(NULL, in_folder(here, "a.csv"), false, NULL, &k.writer), DAL_OK);
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_NUMERICAL);
    assert_int_equal(k.calls, 1);
    assert_int_equal(k.rows, k.saved_rows);
    dal_writer_discard(k.writer);
    free(k.blob);
    dal_system_free(system);
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter_memory, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_place(a_killed_run_that_is_resumed_makes_the_files_of_one_that_was_not),
        in_place(one_that_is_killed_while_its_files_take_their_names_is_resumed),
        in_place(integrators_that_cannot_be_saved_start_anew_and_say_so),
        in_place(a_stopped_run_says_how_to_go_on_and_does),
        in_place(a_run_that_is_stopped_in_its_first_second_can_be_resumed),
        in_place(nothing_is_left_where_nothing_can_be_resumed),
        in_place(a_full_disk_is_no_end),
        in_place(what_a_page_was_made_of_is_resumed_without_it),
        in_place(options_that_do_not_go_together_are_refused),
        in_place(what_does_not_belong_is_refused_and_left_alone),
        in_place(files_may_be_named_in_another_order),
        in_place(parts_that_lost_rows_are_refused),
        in_place(a_run_that_is_still_going_cannot_be_resumed),
        in_place(a_damaged_checkpoint_is_refused),
        in_place(a_forged_checkpoint_does_not_crash_the_program),
        in_place(the_public_calls_do_the_same),
        in_place(a_stop_by_progress_has_a_checkpoint),
    };
    setenv("DALEMBERT_CHECKPOINT", every, 1);
    cmocka_set_test_filter(getenv("DAL_ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
