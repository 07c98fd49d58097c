/* Pages and channels of studies, as far as no browser is needed: viewer/test/study.mjs opens them. */
#include "program.h"

#include "dalembert/dalembert.h"
#include "study/study_page.h"

/* x = a cos 3 t at t = 0, 0.07, ... 0.7. */
static const char oscillator[] = "dalembert: 1\n"
                                 "space: planar\n"
                                 "parameters: {w: 3, a: 1}\n"
                                 "ground: {points: {O: {at: [0, 0], x: [1, 0]}}}\n"
                                 "bodies: {m: {mass: 1.3, inertia: 0.1, points: {P: {at: [0, 0], x: [1, 0]}}}}\n"
                                 "joints: {A: {type: prismatic, connect: [ground.O, m.P], start: {distance: a}}}\n"
                                 "forces: {k: {type: motor, joint: A, value: -1.3*w^2*A.distance}}\n"
                                 "record: [A.distance]\n"
                                 "simulate: {until: 0.7, every: 0.07, coordinates: joint, formulation: recursive, rtol: 1e-10, atol: 1e-12}\n";

static dal_messages *heard;

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})

static dal_study *make_study(const dal_study_plan *plan)
{
    dal_spec *spec;
    dal_study *study;
    heard = heard ? heard : dal_messages_create(NULL);
    dal_messages_clear(heard);
    assert_int_equal(dal_spec_parse(NULL, "model", oscillator, sizeof oscillator - 1, 0, NULL, heard, &spec), DAL_OK);
    if (dal_study_create(NULL, spec, plan, heard, &study) != DAL_OK)
        fail_msg("%s", dal_messages_first(heard)->text);
    dal_spec_free(spec);
    return study;
}

/* A study that has run, and its journal, open. */
static dal_study_reader *made(const dal_study *study, const char *journal)
{
    dal_study_reader *reader;
    unlink(journal);
    if (dal_study_run(study, &(dal_study_options){.journal = journal, .jobs = 2}, heard, NULL) != DAL_OK)
        fail_msg("%s", dal_messages_first(heard)->text);
    assert_int_equal(dal_study_open(study, 1, &journal, heard, &reader), DAL_OK);
    return reader;
}

/* ---- columns -------------------------------------------------------------------------------------- */

static void a_page_has_every_run_where_there_is_room(void **state)
{
    const dal_study_plan plan = {
        .n_vary = 2, .vary = TEXTS("w=1,2,3", "a=uniform(1,2)"), .random = 5, .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    dal_study *study = make_study(&plan);
    dal_study_reader *reader = made(study, in_folder(*state, "a.journal"));
    dal_study_table t;
    double point[2];
    assert_int_equal(dal_study_table_read(&t, study, reader, 0), DAL_OK);
    assert_int_equal(t.rows, 15);
    assert_false(t.some);
    assert_null(t.status);
    for (int i = 0; i < 15; i++) {
        assert_true(dal_study_point(study, i, point));
        check_close(t.factors[1].doubles[i], point[1], 0);
        check_close(t.values[0].doubles[i], point[1] * cos(0.7 * point[0]), 1e-8);
    }
    dal_study_table_free(&t);
    dal_study_close(reader);
    dal_study_free(study);
}

/* Of 600 runs 60: about that many, in order, none twice, each with its own value, and those with the least and the largest value among them. The number
 * of a sample has a deviation of sqrt(60 0.9) = 7.3. */
static void more_runs_are_sampled_and_the_extremes_are_kept(void **state)
{
    const dal_study_plan plan = {.n_vary = 2, .vary = TEXTS("w=1:3:20", "a=1:2:30"), .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    dal_study *study = make_study(&plan);
    dal_study_reader *reader = made(study, in_folder(*state, "a.journal"));
    dal_study_table t;
    double point[2];
    assert_int_equal(dal_study_table_read(&t, study, reader, 60), DAL_OK);
    assert_true(t.some && t.there == 600);
    assert_in_range(t.rows, 30, 90);
    bool least = false, largest = false;
    int steps[31] = {0}, kinds = 0;
    for (long i = 0; i < t.rows; i++) {
        assert_true(!i || t.numbers[i] > t.numbers[i - 1]);
        assert_true(dal_study_point(study, t.numbers[i], point));
        check_close(t.values[0].doubles[i], point[1] * cos(0.7 * point[0]), 1e-8);
        least = least || t.numbers[i] == 599;    /* w = 3, a = 2 */
        largest = largest || t.numbers[i] == 29; /* w = 1, a = 2 */
        if (i)
            steps[t.numbers[i] - t.numbers[i - 1] < 30 ? t.numbers[i] - t.numbers[i - 1] : 30] = 1;
    }
    for (int i = 0; i < 31; i++)
        kinds += steps[i];
    assert_true(least && largest);
    assert_true(kinds > 10); /* no regular steps, which could meet those of the grid */
    dal_study_table_free(&t);
    dal_study_close(reader);
    dal_study_free(study);
}

/* ---- bands ------------------------------------------------------------------------------------------ */

/* a uniform on [1, 2], one sample in each of n strata: the quantile p of a cos w t is (1 + p) cos w t, of negative cosines (2 - p) cos w t, to two strata. */
static void bands_are_the_quantiles_of_the_closed_form(void **state)
{
    const int n = 200;
    const dal_study_plan plan = {.n_vary = 2,
                                 .vary = TEXTS("a=uniform(1,2)", "w=2,4"),
                                 .random = n,
                                 .sampling = "latin-hypercube",
                                 .n_channels = 1,
                                 .channels = TEXTS("A.distance")};
    dal_study *study = make_study(&plan);
    dal_study_reader *reader = made(study, in_folder(*state, "a.journal"));
    dal_study_bands b;
    assert_int_equal(dal_study_bands_find(&b, study, reader), DAL_OK);
    assert_int_equal(b.n_times, 11);
    assert_int_equal(b.n_groups, 3);
    assert_int_equal(b.runs, 2 * n);
    for (int g = 1; g < 3; g++)
        for (int k = 0; k < 11; k++)
            for (int level = 0; level < DAL_BAND_LEVELS; level++) {
                const double c = cos(2 * g * b.times[k]), p = dal_band_levels[level];
                check_close(b.levels[(g * 11 + k) * DAL_BAND_LEVELS + level], c * (c >= 0 ? 1 + p : 2 - p), 2.5 / n);
            }
    /* of all runs the least is the least of both */
    for (int k = 0; k < 11; k++)
        check_close(b.levels[k * DAL_BAND_LEVELS], fmin(b.levels[(11 + k) * DAL_BAND_LEVELS], b.levels[(22 + k) * DAL_BAND_LEVELS]), 0);
    dal_study_bands_free(&b);
    dal_study_close(reader);
    dal_study_free(study);
}

/* Runs of other lengths and other rows: at 0.3 s only those count that came so far, each at its own value between two rows. */
static void bands_know_runs_of_other_lengths(void **state)
{
    const dal_study_plan plan = {.n_vary = 2, .vary = TEXTS("until=0.2,0.7", "a=1,3"), .n_channels = 1, .channels = TEXTS("A.distance")};
    dal_study *study = make_study(&plan);
    dal_study_reader *reader = made(study, in_folder(*state, "a.journal"));
    dal_study_bands b;
    assert_int_equal(dal_study_bands_find(&b, study, reader), DAL_OK);
    assert_int_equal(b.n_times, 11);
    for (int k = 0; k < 11; k++) {
        const double c = cos(3 * b.times[k]);
        check_close(b.levels[k * DAL_BAND_LEVELS], fmin(c, 3 * c), 0.02 * (b.times[k] < 0.2) + 1e-7);
        check_close(b.levels[k * DAL_BAND_LEVELS + 6], fmax(c, 3 * c), 0.02 * (b.times[k] < 0.2) + 1e-7);
    }
    dal_study_bands_free(&b);
    dal_study_close(reader);
    dal_study_free(study);
}

/* ---- the program ---------------------------------------------------------------------------------------- */

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        n++;
    return n;
}

static void channels_are_a_file_beside_comma_separated_values(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,2 --each x=final(A.distance) --channels A.distance -o @/s.csv -q"), 0);
    char *text = get(here, "s.channels.csv", NULL);
    const char *line = text;
    assert_int_equal(strncmp(text, "run,time,A.distance\n", 20), 0);
    for (int i = 0; i < 22; i++) {
        int number;
        double t, x;
        line = strchr(line, '\n') + 1;
        assert_int_equal(sscanf(line, "%d,%lf,%lf", &number, &t, &x), 3);
        assert_int_equal(number, i / 11);
        check_close(t, 0.07 * (i % 11), 1e-12);
        check_close(x, (1 + i / 11) * cos(3 * t), 1e-8);
    }
    assert_string_equal(strchr(line, '\n'), "\n");
    free(text);
    /* it is no file that another output may be */
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,2 --channels A.distance -o @/s.csv -o @/s.channels.csv"), DAL_BAD_COMMAND);
}

static void a_page_of_a_study_has_its_rows_and_some_motions(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1:3:50 --vary w=2,3 --each x=final(A.distance) -o @/s.html --motions 4 --until 0.7 -q"), 0);
    char *page = get(here, "s.html", NULL);
    assert_int_equal(count(page, "\"title\": \"run "), 4);
    assert_non_null(strstr(page, "\"kind\": \"study\""));
    assert_non_null(strstr(page, "\"runs\": 100"));
    assert_non_null(strstr(page, "\"command\": \"dalembert run m.yaml --until 0.7\""));
    assert_non_null(strstr(page, "\"title\": \"run 98\"")); /* a = 3, w = 2: the largest x */
    assert_non_null(strstr(page, "\"title\": \"run 99\"")); /* a = 3, w = 3: the least */
    free(page);
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1:3:5 -o @/none.html --motions 0 -q"), 0);
    page = get(here, "none.html", NULL);
    assert_int_equal(count(page, "\"title\": \"run "), 0);
    free(page);
}

static void a_page_of_runs_that_all_fail_has_their_reasons(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, "sweep @/m.yaml --vary w=1e20,2e20 --each x=final(A.distance) -o @/s.html -o @/s.csv"), DAL_NUMERICAL);
    assert_non_null(strstr(here->err, "every run failed"));
    char *page = get(here, "s.html", NULL);
    assert_non_null(strstr(page, "\"failed\": 2"));
    assert_int_equal(count(page, "\"reason\":"), 2);
    free(page);
}

static bool never(void *user)
{
    (void)user;
    return false;
}

/* From C: on one thread and on three the same bytes; stopped, no page at all. */
static void the_library_writes_the_same_page_on_any_number_of_threads(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    const dal_study_plan plan = {.n_vary = 2,
                                 .vary = TEXTS("a=uniform(1,2)", "w=2,4,1e20"),
                                 .random = 6,
                                 .n_each = 1,
                                 .each = TEXTS("x=final(A.distance)"),
                                 .n_channels = 1,
                                 .channels = TEXTS("A.distance")};
    dal_study *study = make_study(&plan);
    char journal[100], paths[3][100];
    const char *const one = journal;
    snprintf(journal, sizeof journal, "%s", in_folder(here, "a.journal"));
    dal_study_close(made(study, journal));
    for (int i = 0; i < 3; i++) {
        const dal_study_write_options how = {
            .motions = 9, .rows = 10, .jobs = 1 + 2 * i, .command = "dalembert run m.yaml", .go_on = i == 2 ? never : NULL};
        snprintf(paths[i], sizeof paths[i], "%s/page%d.html", here->folder, i);
        dal_messages_clear(heard);
        assert_int_equal(dal_study_write_with(study, 1, &one, paths[i], &how, heard), i == 2 ? DAL_BAD_FILE : DAL_OK);
    }
    size_t n, m;
    char *a = get(here, "page0.html", &n), *b = get(here, "page1.html", &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
    assert_false(is_there(here, "page2.html"));
    dal_study_free(study);
}

/* The page goes where it may go, or nowhere. */
static void a_page_that_cannot_be_written_loses_no_run(void **state)
{
    place *here = *state;
    if (!dal_page_available())
        skip();
    put(here, "m.yaml", oscillator);
    here->largest = 100000; /* the journal fits */
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1:2:20 --each x=final(A.distance) -o @/s.html"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "s.html: error: cannot be written"));
    assert_false(is_there(here, "s.html"));
    assert_true(is_there(here, "s.html.journal"));
    here->largest = 0;
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1:2:20 --each x=final(A.distance) -o @/s.html --resume -q"), 0);
    assert_true(is_there(here, "s.html"));
    assert_false(is_there(here, "s.html.journal"));
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_page_has_every_run_where_there_is_room),          IN_FOLDER(more_runs_are_sampled_and_the_extremes_are_kept),
        IN_FOLDER(bands_are_the_quantiles_of_the_closed_form),        IN_FOLDER(bands_know_runs_of_other_lengths),
        IN_FOLDER(channels_are_a_file_beside_comma_separated_values), IN_FOLDER(a_page_of_a_study_has_its_rows_and_some_motions),
        IN_FOLDER(a_page_of_runs_that_all_fail_has_their_reasons),    IN_FOLDER(the_library_writes_the_same_page_on_any_number_of_threads),
        IN_FOLDER(a_page_that_cannot_be_written_loses_no_run)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dal_messages_free(heard);
    return failed;
}
