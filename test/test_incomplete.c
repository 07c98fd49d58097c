/* Good rows of runs that did not come to their end: where they are, how they are marked, and that they can be read. */
#include "program.h"

#include "dalembert/dalembert.h"

/* log(5 - t) ends the run at t = 5. */
static const char failing[] = "dalembert: 1\n"
                              "space: planar\n"
                              "bodies: {a: {mass: 1, position: [1, 0]}}\n"
                              "forces: {f: {type: force, body: a, value: [log(5 - t), 0]}}\n"
                              "simulate: {until: 10, every: 0.01}\n";
/* An endless oscillation. */
static const char swinging[] = "dalembert: 1\n"
                               "space: planar\n"
                               "bodies: {a: {mass: 1.37, position: [1.2, 0.3]}}\n"
                               "forces: {s: {type: spring-damper, connect: [ground, a], stiffness: 37, damping: 0, length: 0.7}}\n"
                               "simulate: {until: 1e6, every: 0.01}\n";

static bool has_hdf5(void)
{
#ifdef DAL_HAVE_HDF5
    return true;
#else
    return false;
#endif
}

/* Rows of a file, and its last time; the file is read without an error and says that it is not complete. */
static long read_incomplete(const place *here, const char *name, double *last)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_results *results;
    const double *row;
    long n = 0;
    const dal_status opened = dal_results_open(NULL, in_folder(here, name), messages, &results);
    if (opened != DAL_OK)
        fail_msg("%s: %s", name, dal_messages_first(messages) ? dal_messages_first(messages)->text : "?");
    dal_status status;
    while ((status = dal_results_next(results, &row)) == DAL_OK && row) {
        assert_true(n == 0 || row[0] > *last);
        *last = row[0];
        n++;
    }
    assert_int_equal(status, DAL_OK);
    assert_true(dal_results_incomplete(results));
    assert_int_equal(dal_messages_count(messages, DAL_WARNING), 1);
    dal_results_close(results);
    dal_messages_free(messages);
    return n;
}

static void expect_marked_page(const place *here, const char *name)
{
    char *text = get(here, name, NULL);
    expect(text, "incomplete: the run did not reach its end");
    expect(text, "the run ended at t = ");
    free(text);
}

/* ---- a run that fails ---------------------------------------------------------- */

static void a_failed_run_leaves_its_rows_beside_the_files_and_says_where(void **state)
{
    place *here = *state;
    double last = 0;
    put(here, "f.yaml", failing);
    put(here, "a.csv", "old");
    assert_int_equal(run(here, has_hdf5() ? "run @/f.yaml -o @/a.csv -o @/a.h5" : "run @/f.yaml -o @/a.csv"), DAL_NUMERICAL);
    expect(here->err, "a.csv: warning: was not written, as the run did not reach its end;");
    expect(here->err, " rows that it recorded are in '");
    expect(here->err, "a.csv.part'\n");
    expect(here->out, "incomplete  the run ended at t = 5 s of 10 s\n");
    char *old = get(here, "a.csv", NULL), *part = get(here, "a.csv.part", NULL);
    assert_string_equal(old, "old");
    expect(part, "\n# incomplete: the run ended at t = 5 s of 10 s\n");
    free(old), free(part);
    const long rows = read_incomplete(here, "a.csv.part", &last);
    assert_true(rows >= 500 && last >= 4.99); /* and perhaps one at 5 s itself, but for rounding */
    if (has_hdf5()) {
        assert_false(is_there(here, "a.h5"));
        assert_int_equal(read_incomplete(here, "a.h5.part", &last), rows);
    }
    assert_int_equal(run(here, "run @/f.yaml -q -o @/a.csv"), DAL_NUMERICAL);
    expect(here->err, "a.csv was not written; what was recorded is in ");
}

static void by_keep_a_failed_run_leaves_marked_files_under_their_names(void **state)
{
    place *here = *state;
    double last = 0;
    put(here, "f.yaml", failing);
    assert_int_equal(run(here, "run @/f.yaml --keep --json -o @/a.csv"), DAL_NUMERICAL);
    expect(here->out, "\"complete\": false");
    const long rows = read_incomplete(here, "a.csv", &last);
    assert_true(rows >= 500);
    assert_int_equal(run(here, "plot @/a.csv -c a.x -o @/a.svg"), DAL_OK);
    expect(here->err, "a.csv: warning: is incomplete: the run ended at t = 5 s of 10 s\n");
    if (has_hdf5()) {
        assert_int_equal(run(here, "run @/f.yaml --keep -o @/a.h5"), DAL_NUMERICAL);
        assert_int_equal(read_incomplete(here, "a.h5", &last), rows);
        assert_int_equal(run(here, "animate @/a.h5 -m @/f.yaml -o @/b.svg"), DAL_OK);
        expect(here->err, "a.h5: warning: is incomplete");
    }
    assert_int_equal(count_files(here, ".part"), 0);
    assert_int_equal(run(here, "run @/f.yaml --keep --until 4 -q -o @/a.csv"), DAL_OK); /* and of one that ends, nothing is said */
    char *text = get(here, "a.csv", NULL);
    expect_not(text, "incomplete");
    free(text);
}

static void pages_of_incomplete_runs_say_so(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    put(here, "f.yaml", failing);
    assert_int_equal(run(here, "run @/f.yaml -o @/a.html"), DAL_NUMERICAL);
    assert_false(is_there(here, "a.html"));
    expect(here->err, "a page of what it recorded is in '");
    expect_marked_page(here, "a.html.part");
    assert_int_equal(run(here, "run @/f.yaml --keep -o @/a.html -o @/b.csv"), DAL_NUMERICAL);
    expect_marked_page(here, "a.html");
    assert_false(is_there(here, "a.html.part")); /* it was replaced, and took the name */
    assert_int_equal(run(here, "view @/b.csv -m @/f.yaml"), DAL_OK);
    char *text = get(here, "b.html", NULL);
    expect(text, "is incomplete: the run ended at t = 5 s of 10 s");
    free(text);
}

/* ---- one that is stopped or killed ----------------------------------------------- */

static pid_t start_long(place *here, const char *options)
{
    char line[400];
    put(here, "s.yaml", swinging);
    snprintf(line, sizeof line, "run @/s.yaml -q %s -o @/a.csv%s", options, has_hdf5() ? " -o @/a.h5" : "");
    const int out = open_scratch(), err = open_scratch();
    const pid_t child = start(here, line, out, err);
    close(out), close(err);
    return child;
}

/* More than a second after the first row: what was there has gone to the file. */
static void end_by(const place *here, pid_t child, int signal, int code)
{
    for (int i = 0; i < 1000 && !is_there(here, has_hdf5() ? "a.h5.part" : "a.csv.part"); i++)
        rest(10);
    rest(1400);
    kill(child, signal);
    assert_int_equal(wait_for_any(child), code);
}

static void a_killed_run_leaves_parts_that_can_be_read(void **state)
{
    place *here = *state;
    double last = 0;
    end_by(here, start_long(here, ""), SIGKILL, 1000 + SIGKILL);
    assert_false(is_there(here, "a.csv"));
    assert_true(read_incomplete(here, "a.csv.part", &last) > 100);
    assert_int_equal(run(here, "plot @/a.csv.part -c a.x -o @/a.svg"), DAL_OK);
    expect(here->err, "it was read up to its last whole line\n");
    if (!has_hdf5())
        return;
    assert_true(read_incomplete(here, "a.h5.part", &last) > 100);
    assert_int_equal(run(here, "plot @/a.h5.part -c a.x -o @/b.svg"), DAL_OK);
    expect(here->err, "it was read up to what was last written\n");
    if (dal_page_available()) {
        assert_int_equal(run(here, "view @/a.h5.part -m @/s.yaml"), DAL_OK);
        assert_true(is_there(here, "a.html"));
    }
}

static void a_part_that_ends_inside_a_row_is_read_up_to_the_row_before(void **state)
{
    place *here = *state;
    double last = 0;
    put(here, "k.csv.part", "time,x\n0,1\n0.1,2\n0.2,3.1");
    assert_int_equal(read_incomplete(here, "k.csv.part", &last), 2);
    put(here, "k.csv.part", "time,x\n0,1\n0.1,2\n0.2");
    assert_int_equal(read_incomplete(here, "k.csv.part", &last), 2);
    assert_true(last == 0.1);
}

static void a_stopped_run_with_keep_leaves_its_files_under_their_names(void **state)
{
    place *here = *state;
    double last = 0;
    end_by(here, start_long(here, "--keep"), SIGTERM, 128 + SIGTERM);
    assert_true(read_incomplete(here, "a.csv", &last) > 100);
    if (has_hdf5())
        assert_true(read_incomplete(here, "a.h5", &last) > 100);
    assert_int_equal(count_files(here, ".part"), 0);
}

/* ---- the files ---------------------------------------------------------------------- */

static void two_runs_do_not_mix_in_one_part(void **state)
{
    place *here = *state;
    const pid_t first = start_long(here, "");
    for (int i = 0; i < 500 && !is_there(here, "a.csv.part"); i++)
        rest(10);
    rest(100);
    assert_int_equal(run(here, "run @/s.yaml --until 1 -o @/a.csv"), DAL_BAD_FILE);
    expect(here->err, "is being written by another run\n");
    kill(first, SIGKILL);
    wait_for_any(first);
    assert_int_equal(run(here, "run @/s.yaml --until 1 -q -o @/a.csv"), DAL_OK); /* what a dead one left is in nobody's way */
    assert_false(is_there(here, "a.csv.part"));
}

static void a_file_keeps_its_permissions(void **state)
{
    place *here = *state;
    struct stat found;
    put(here, "s.yaml", swinging);
    put(here, "a.csv", "old");
    put(here, "a.svg", "old");
    assert_int_equal(chmod(in_folder(here, "a.csv"), 0600), 0);
    assert_int_equal(chmod(in_folder(here, "a.svg"), 0640), 0);
    assert_int_equal(run(here, "run @/s.yaml --until 1 -q -o @/a.csv"), DAL_OK);
    assert_int_equal(stat(in_folder(here, "a.csv"), &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(run(here, "plot @/a.csv -c a.x -o @/a.svg"), DAL_OK);
    assert_int_equal(stat(in_folder(here, "a.svg"), &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
}

static void a_table_that_is_incomplete_is_read_with_a_warning(void **state)
{
    place *here = *state;
    put(here, "t.yaml",
        "dalembert: 1\nspace: planar\ntables: {a: {file: tab.csv, outside: hold, smooth: 1}}\n"
        "bodies: {rod: {mass: 1, position: [0, 0]}}\nforces: {f: {type: force, body: rod, value: [\"interp(a, t)\", 0]}}\n"
        "simulate: {until: 1, every: 0.1}\n");
    put(here, "tab.csv", "time,x\n0,0\n1,1\n2,0\n# incomplete: the run ended at t = 2 s of 10 s\n");
    assert_int_equal(run(here, "run @/t.yaml"), DAL_OK);
    expect(here->err, "tab.csv:5: warning: the table is incomplete: the run ended at t = 2 s of 10 s");
}

/* ---- the public calls ------------------------------------------------------------------ */

static void the_public_calls_follow_the_same_rule(void **state)
{
    place *here = *state;
    static const dal_system_info info = {.model = "m",
                                         .model_hash = "",
                                         .version = "",
                                         .coordinates = "",
                                         .formulation = "",
                                         .stabilization = "",
                                         .integrator = "",
                                         .until = 3.7,
                                         .space = DAL_PLANAR};
    static const dal_column columns[] = {{"time", "s"}, {"x", "m"}};
    dal_evidence evidence = {.info = info, .momentum = "", .time_end = 1.5, .incomplete = true};
    for (int type = 0; type < (has_hdf5() ? 2 : 1); type++)
        for (int keep = 0; keep < 2; keep++) {
            char name[20];
            double last = 0;
            dal_messages *messages = dal_messages_create(NULL);
            dal_writer *writer;
            snprintf(name, sizeof name, "%d.%s", keep, type ? "h5" : "csv");
            assert_int_equal(dal_writer_open(NULL, in_folder(here, name), false, messages, &writer), DAL_OK);
            const dal_sink *sink = dal_writer_sink(writer);
            assert_int_equal(sink->begin(sink->user, &info, 2, columns), DAL_OK);
            for (int i = 0; i < 700; i++)
                assert_int_equal(sink->row(sink->user, 2, (double[]){0.01 * i, i}), DAL_OK);
            assert_int_equal(dal_writer_close(writer, keep, &evidence), DAL_OK);
            assert_int_equal(dal_messages_count(messages, DAL_WARNING), !keep);
            assert_int_equal(is_there(here, name), keep);
            strcat(name, keep ? "" : ".part");
            assert_int_equal(read_incomplete(here, name, &last), 700);
            dal_messages_free(messages);
        }
}

/* A second run would put its headings among the numbers of the first. */
static void a_writer_is_for_one_run(void **state)
{
    place *here = *state;
    static const dal_system_info info = {.model = "m",
                                         .model_hash = "",
                                         .version = "",
                                         .coordinates = "",
                                         .formulation = "",
                                         .stabilization = "",
                                         .integrator = "",
                                         .until = 1,
                                         .space = DAL_PLANAR};
    static const dal_column columns[] = {{"time", "s"}, {"x", "m"}}, nameless[] = {{"time", "s"}, {NULL, "m"}};
    for (int type = 0; type < (has_hdf5() ? 2 : 1); type++) {
        const char *name = type ? "twice.h5" : "twice.csv";
        dal_messages *messages = dal_messages_create(NULL);
        dal_writer *writer;
        dal_results *results = NULL;
        const double *row = NULL;
        int rows = 0;
        assert_int_equal(dal_writer_open(NULL, in_folder(here, name), false, messages, &writer), DAL_OK);
        const dal_sink *sink = dal_writer_sink(writer);
        assert_int_equal(sink->begin(sink->user, &info, 2, nameless), DAL_BAD_COMMAND);
        assert_int_equal(sink->begin(sink->user, &info, 2, columns), DAL_OK);
        assert_int_equal(sink->row(sink->user, 2, (double[]){0, 1}), DAL_OK);
        assert_int_equal(sink->begin(sink->user, &info, 2, columns), DAL_BAD_COMMAND);
        assert_int_equal(dal_messages_count(messages, DAL_ERROR), 1);
        assert_int_equal(sink->row(sink->user, 2, (double[]){1, 2}), DAL_OK);
        assert_int_equal(dal_writer_close(writer, true, NULL), DAL_OK);
        assert_int_equal(dal_results_open(NULL, in_folder(here, name), messages, &results), DAL_OK);
        while (dal_results_next(results, &row) == DAL_OK && row)
            rows++;
        assert_int_equal(rows, 2);
        dal_results_close(results);
        dal_messages_free(messages);
    }
}

static void without_a_row_nothing_is_left_and_nothing_replaced(void **state)
{
    place *here = *state;
    static const dal_column columns[] = {{"time", "s"}, {"x", "m"}};
    const dal_evidence evidence = {.momentum = "", .incomplete = true};
    const dal_system_info info = {.model = "m", .until = 3.7, .space = DAL_PLANAR};
    dal_writer *writer;
    put(here, "old.csv", "old");
    for (int keep = 0; keep < 2; keep++) {
        assert_int_equal(dal_writer_open(NULL, in_folder(here, "old.csv"), false, NULL, &writer), DAL_OK);
        const dal_sink *sink = dal_writer_sink(writer);
        assert_int_equal(sink->begin(sink->user, &info, 2, columns), DAL_OK);
        assert_int_equal(dal_writer_close(writer, keep, &evidence), DAL_OK);
        char *old = get(here, "old.csv", NULL);
        assert_string_equal(old, "old");
        free(old);
        assert_int_equal(count_files(here, ".part"), 0);
    }
    assert_int_equal(dal_writer_open(NULL, in_folder(here, "gone.csv"), false, NULL, &writer), DAL_OK);
    const dal_sink *sink = dal_writer_sink(writer);
    assert_int_equal(sink->begin(sink->user, &info, 2, columns), DAL_OK);
    assert_int_equal(sink->row(sink->user, 2, (double[]){0, 1}), DAL_OK);
    dal_writer_discard(writer);
    assert_int_equal(count_files(here, "gone"), 0);
}

#define in_place(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_place(a_failed_run_leaves_its_rows_beside_the_files_and_says_where),
        in_place(by_keep_a_failed_run_leaves_marked_files_under_their_names),
        in_place(pages_of_incomplete_runs_say_so),
        in_place(a_killed_run_leaves_parts_that_can_be_read),
        in_place(a_part_that_ends_inside_a_row_is_read_up_to_the_row_before),
        in_place(a_stopped_run_with_keep_leaves_its_files_under_their_names),
        in_place(two_runs_do_not_mix_in_one_part),
        in_place(a_file_keeps_its_permissions),
        in_place(a_table_that_is_incomplete_is_read_with_a_warning),
        in_place(the_public_calls_follow_the_same_rule),
        in_place(a_writer_is_for_one_run),
        in_place(without_a_row_nothing_is_left_and_nothing_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
