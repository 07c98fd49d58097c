/* Studies: what is varied, what is kept, and that neither threads, processes, shards nor kills are seen in the results. */
#include "program.h"

#include "dalembert/dalembert.h"
#include "study/sample.h"

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

static dal_spec *read_model(const char *text)
{
    dal_spec *spec;
    heard = heard ? heard : dal_messages_create(NULL);
    dal_messages_clear(heard);
    assert_int_equal(dal_spec_parse(NULL, "model", text, strlen(text), 0, NULL, heard, &spec), DAL_OK);
    return spec;
}

static dal_study *make_study(const char *model, const dal_study_plan *plan)
{
    dal_spec *spec = read_model(model);
    dal_study *study;
    if (dal_study_create(NULL, spec, plan, heard, &study) != DAL_OK)
        fail_msg("%s", dal_messages_first(heard)->text);
    dal_spec_free(spec);
    return study;
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__})

/* ---- samples ------------------------------------------------------------------------------------- */

static void sobol_points_are_the_published_ones(void **state)
{
    /* Points 1 to 4 and 1000 of dimensions 1, 2, 8 and 101, by SciPy 1.10. */
    static const int dimension[] = {0, 1, 7, 100}, point[] = {1, 2, 3, 4, 1000};
    static const double x[5][4] = {{0.5, 0.5, 0.5, 0.5},
                                   {0.75, 0.25, 0.75, 0.25},
                                   {0.25, 0.75, 0.25, 0.75},
                                   {0.375, 0.375, 0.875, 0.625},
                                   {0.2197265625, 0.0966796875, 0.8994140625, 0.7685546875}};
    (void)state;
    for (int p = 0; p < 5; p++)
        for (int d = 0; d < 4; d++)
            check_close(dal_sobol_point((uint64_t)point[p], dimension[d]), x[p][d], 0);
}

/* Any 2^k successive points from a multiple of 2^k on have one in each interval of length 2^-k, in every dimension: property of the sequence. */
static void sobol_points_fill_every_interval(void **state)
{
    (void)state;
    for (int d = 0; d < dal_sobol_dimensions(); d++) {
        bool seen[256] = {false};
        for (uint64_t i = 512; i < 768; i++)
            seen[(int)(256 * dal_sobol_point(i, d))] = true;
        for (int k = 0; k < 256; k++)
            assert_true(seen[k]);
    }
}

static void a_latin_hypercube_has_one_sample_in_each_stratum(void **state)
{
    const dal_samples s = {DAL_SAMPLING_LATIN, 77, 1000, 0};
    int moved = 0;
    (void)state;
    for (int d = 0; d < 5; d++) {
        bool seen[1000] = {false};
        for (uint64_t i = 0; i < 1000; i++) {
            const int stratum = (int)(1000 * dal_sample_unit(&s, i, d));
            assert_false(seen[stratum]);
            seen[stratum] = true;
            moved += stratum != (int)i;
        }
    }
    assert_true(moved > 4900);
}

/* Means of u, u^2 and of products of two dimensions, within four standard errors. */
static void random_numbers_are_uniform_and_independent(void **state)
{
    const dal_samples s = {DAL_SAMPLING_RANDOM, 3, 0, 0};
    double mean = 0, square = 0, product = 0, neighbour = 0;
    const int n = 40000;
    (void)state;
    for (int i = 0; i < n; i++) {
        const double u = dal_sample_unit(&s, (uint64_t)i, 0), v = dal_sample_unit(&s, (uint64_t)i, 1), w = dal_sample_unit(&s, (uint64_t)i + 1, 0);
        mean += u / n;
        square += u * u / n;
        product += (u - 0.5) * (v - 0.5) / n;
        neighbour += (u - 0.5) * (w - 0.5) / n;
    }
    check_close(mean, 1. / 2, 4 * sqrt(1. / 12 / n));
    check_close(square, 1. / 3, 4 * sqrt(4. / 45 / n));
    check_close(product, 0, 4 * (1. / 12) / sqrt(n));
    check_close(neighbour, 0, 4 * (1. / 12) / sqrt(n));
}

static void the_normal_quantile_inverts_the_distribution(void **state)
{
    (void)state;
    for (double p = 1e-300; p < 1; p = p < 0.01 ? p * 37 : p + 0.013) {
        const double x = dal_normal_quantile(p), q = 0.5 * erfc(-x / sqrt(2));
        check_close(q / p, 1, 4e-16 * (4 + x * x)); /* the relative derivative of the tail is about |x| */
    }
}

/* ---- what is varied ----------------------------------------------------------------------------------- */

static void runs_have_the_values_of_the_plan(void **state)
{
    const dal_study_plan plan = {
        .n_vary = 3, .vary = TEXTS("w=1:16:5log", "a=uniform(2,4)", "formulation=recursive,lagrange"), .random = 3, .seed = 9};
    dal_study *study = make_study(oscillator, &plan);
    double v[3], first[3];
    (void)state;
    assert_int_equal(dal_study_describe(study).runs, 5 * 2 * 3);
    for (long run = 0; run < 30; run++) {
        assert_true(dal_study_point(study, run, v));
        check_close(v[0], pow(2, (double)(run / 6)), 1e-14 * v[0]);
        check_close(v[2], (double)(run / 3 % 2), 0);
        assert_true(v[1] > 2 && v[1] < 4);
        assert_true(dal_study_point(study, run % 3, first));
        check_close(v[1], first[1], 0); /* the same samples for every combination */
    }
    assert_false(dal_study_point(study, 30, v));
    dal_study_free(study);
}

static void a_plan_that_cannot_be_used_gets_a_sentence(void **state)
{
    static const struct {
        const char *vary, *each;
        long random;
        const char *sampling, *says;
    } wrong[] = {{"w", NULL, 0, NULL, "expected NAME=VALUES"},
                 {"q=1,2", NULL, 0, NULL, "'q' is neither a parameter nor an input"},
                 {"w=", NULL, 0, NULL, "expected values behind '='"},
                 {"w=1,,2", NULL, 0, NULL, "expected a number"},
                 {"w=1:2", NULL, 0, NULL, "expected from:to:number"},
                 {"w=1:2:0", NULL, 0, NULL, "expected from:to:number"},
                 {"w=1:2:2.5", NULL, 0, NULL, "expected from:to:number"},
                 {"w=-1:2:5log", NULL, 0, NULL, "cannot contain zero"},
                 {"w=1:2:1", NULL, 0, NULL, "a range of one value"},
                 {"w=1:2:99999999", NULL, 0, NULL, "too many"},
                 {"w=uniform(2,1)", NULL, 5, NULL, "below the largest"},
                 {"w=uniform(2)", NULL, 5, NULL, "two numbers"},
                 {"w=normal(2,0)", NULL, 5, NULL, "standard deviation has to be positive"},
                 {"w=normal(2,1)", NULL, 0, NULL, "number of samples is missing"},
                 {"w=1,2", NULL, 5, NULL, "nothing that is varied is random"},
                 {"w=normal(2,1)", NULL, 5, "sobo", "did you mean 'sobol'"},
                 {"rtol=uniform(1,2)", NULL, 5, NULL, "cannot be random"},
                 {"w=1,2", "peak", 0, NULL, "expected NAME=EXPRESSION"},
                 {"w=1,2", "p=max(A.distanc)", 0, NULL, "did you mean 'distance'"},
                 {"w=1,2", "p=max(m.velocity)", 0, NULL, "is a vector"},
                 {"w=1,2", "p=max(mean(A.distance))", 0, NULL, "stands inside"},
                 {"w=1,2", "p=mean(A.distance, 2)", 0, NULL, "one argument"},
                 {"w=1,2", "p=when(A.distance)", 0, NULL, "takes a comparison"},
                 {"w=1,2", "p=settling(A.distance, -1)", 0, NULL, "positive number"},
                 {"w=1,2", "p=max(A.distance) +", 0, NULL, "expected"}};
    dal_spec *spec = read_model(oscillator);
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const dal_study_plan plan = {.n_vary = 1,
                                     .vary = &wrong[i].vary,
                                     .n_each = wrong[i].each != NULL,
                                     .each = &wrong[i].each,
                                     .random = wrong[i].random,
                                     .sampling = wrong[i].sampling};
        dal_study *study;
        dal_messages_clear(heard);
        assert_int_equal(dal_study_create(NULL, spec, &plan, heard, &study), DAL_BAD_COMMAND);
        assert_null(study);
        if (!strstr(dal_messages_first(heard)->text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].vary, dal_messages_first(heard)->text);
    }
    dal_spec_free(spec);
}

/* ---- what is kept ---------------------------------------------------------------------------------------- */

/* A run of all, and its values. */
static void run_all(const dal_study *study, const char *journal, int jobs)
{
    unlink(journal);
    const dal_study_options how = {.journal = journal, .jobs = jobs};
    if (dal_study_run(study, &how, heard, NULL) != DAL_OK)
        fail_msg("%s", dal_messages_first(heard)->text);
}

/* x = cos 3 t at t = 0, 0.07, ... 0.7. */
static void summaries_are_those_of_the_rows(void **state)
{
    const place *here = *state;
    const dal_study_plan plan = {.n_vary = 1,
                                 .vary = TEXTS("a=1"),
                                 .n_each = 9,
                                 .each = TEXTS("max=max(abs(A.distance))", "min=min(A.distance)", "mean=mean(A.distance)", "rms=rms(A.distance)",
                                               "area=integral(A.distance)", "swing=(max(A.distance) - min(A.distance))/2*w",
                                               "when=when(A.distance < 0.5)", "settled=settling(A.distance, 0.4)", "never=when(A.distance > 2)")};
    dal_study *study = make_study(oscillator, &plan);
    const char *journal = in_folder(here, "a.journal");
    dal_study_reader *reader;
    dal_study_row row;
    dal_status status;
    double x[11], area = 0, square = 0, when = 0, settled = 0;
    run_all(study, journal, 1);
    for (int k = 0; k <= 10; k++)
        x[k] = cos(3 * 0.07 * k);
    for (int k = 1; k <= 10; k++) {
        area += 0.07 * (x[k] + x[k - 1]) / 2;
        square += 0.07 * (x[k] * x[k] + x[k - 1] * x[k - 1]) / 2;
        if (x[k - 1] > 0.5 && x[k] <= 0.5)
            when = 0.07 * (k - 1 + (x[k - 1] - 0.5) / (x[k - 1] - x[k]));
        if (fabs(x[k - 1] - x[10]) > 0.4)
            settled = 0.07 * k;
    }
    assert_int_equal(dal_study_open(study, 1, &journal, heard, &reader), DAL_OK);
    assert_true(dal_study_next(reader, &row, &status));
    const double wanted[] = {1, x[10], area / 0.7, sqrt(square / 0.7), area, (1 - x[10]) / 2 * 3, when, settled};
    for (int i = 0; i < 8; i++)
        check_close(row.values[i], wanted[i], 1e-8);
    assert_true(isnan(row.values[8]));
    assert_false(dal_study_next(reader, &row, &status));
    dal_study_close(reader);
    dal_study_free(study);
}

/* x(T) = a cos w T: a normal with mean 1, deviation 0.2; w uniform on [2, 4]. The mean is that of cos w T; the mean square is
 * (1 + 0.04) times that of cos^2. Samples: four standard errors. */
static void mean_and_variance_of_an_oscillator_are_those_of_the_closed_form(void **state)
{
    const place *here = *state;
    const dal_study_plan plan = {.n_vary = 2,
                                 .vary = TEXTS("a=normal(1,0.2)", "w=uniform(2,4)"),
                                 .n_each = 1,
                                 .each = TEXTS("x=final(A.distance)"),
                                 .random = 1000,
                                 .seed = 4,
                                 .sampling = "latin-hypercube"};
    const double T = 0.7, c = (sin(4 * T) - sin(2 * T)) / (2 * T), s = 0.5 + (sin(8 * T) - sin(4 * T)) / (8 * T);
    dal_study *study = make_study(oscillator, &plan);
    const char *journal = in_folder(here, "a.journal");
    dal_study_reader *reader;
    dal_study_row row;
    dal_status status;
    double mean = 0, square = 0;
    run_all(study, journal, 2);
    assert_int_equal(dal_study_open(study, 1, &journal, heard, &reader), DAL_OK);
    while (dal_study_next(reader, &row, &status)) {
        mean += row.values[0] / 1000;
        square += row.values[0] * row.values[0] / 1000;
    }
    const double variance = 1.04 * s - c * c;
    check_close(mean, c, 4 * sqrt(variance / 1000));
    check_close(square - mean * mean, variance, 4 * variance * sqrt(2. / 1000));
    dal_study_close(reader);
    dal_study_free(study);
}

/* ---- who makes the runs ------------------------------------------------------------------------------------ */

#define ARGUMENTS                                                                                                                                    \
    "--vary a=normal(1,0.2) --random 40 --vary formulation=recursive,kane,volterra-reduced --each x=final(A.distance) --channels A.distance -q"

static void same_file(place *here, const char *one, const char *other)
{
    size_t n, m;
    char *a = get(here, one, &n), *b = get(here, other, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

static void same_files(place *here, const char *name)
{
    static const char *const ends[] = {"csv", "h5", "channels.csv", "html"};
    for (int i = 0; i < 3 + dal_page_available(); i++) {
        char one[32], other[32];
        snprintf(one, sizeof one, "one.%s", ends[i]);
        snprintf(other, sizeof other, "%s.%s", name, ends[i]);
        same_file(here, one, other);
    }
}

static void sweep(place *here, const char *name, const char *more)
{
    char line[500], page[80] = "";
    if (dal_page_available())
        snprintf(page, sizeof page, "-o @/%s.html --motions 3", name);
    snprintf(line, sizeof line, "sweep @/m.yaml " ARGUMENTS " -o @/%s.csv -o @/%s.h5 %s %s", name, name, page, more);
    if (run(here, line))
        fail_msg("%s", here->err);
}

static void files_do_not_depend_on_threads_and_shards(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    sweep(here, "one", "--jobs 1");
    sweep(here, "two", "--jobs 2");
    same_files(here, "two");
    for (int i = 1; i <= 5; i++) {
        char shard[20];
        snprintf(shard, sizeof shard, "--shard %d/5", i);
        sweep(here, "part", shard);
    }
    assert_int_equal(run(here, "merge @/part.csv.journal.1-of-5 @/part.csv.journal.2-of-5 @/part.csv.journal.3-of-5 @/part.csv.journal.4-of-5 "
                               "@/part.csv.journal.5-of-5 -o @/part.csv -o @/part.h5 -q"),
                     0);
    if (dal_page_available())
        assert_int_equal(run(here, "merge @/part.csv.journal.1-of-5 @/part.csv.journal.2-of-5 @/part.csv.journal.3-of-5 "
                                   "@/part.csv.journal.4-of-5 @/part.csv.journal.5-of-5 -o @/part.html --motions 3 -q"),
                         0);
    same_files(here, "part");
    /* with a shard missing */
    assert_int_equal(run(here, "merge @/part.csv.journal.1-of-5 @/part.csv.journal.3-of-5 -o @/less.csv"), 0);
    assert_non_null(strstr(here->err, "72 of 120 runs are missing"));
}

/* Digits that a double has, and sizes that a parameter may have. */
static void listed_numbers_are_read_to_the_last_digit(void **state)
{
    const dal_study_plan plan = {.n_vary = 1, .vary = TEXTS("a=0.10000000000000001,2.2250738585072014e-308,1e40,w*2,-3")};
    dal_study *study = make_study(oscillator, &plan);
    static const double wanted[] = {0.1, 2.2250738585072014e-308, 1e40, 6, -3};
    (void)state;
    for (int i = 0; i < 5; i++) {
        double value;
        assert_true(dal_study_point(study, i, &value));
        check_close(value, wanted[i], 0);
    }
    dal_study_free(study);
}

static void files_that_cannot_be_written_get_a_sentence(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,2 -o @/nowhere/x.csv"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "nowhere/x.csv.journal: error: cannot be written: No such file or directory"));
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,2 -o @/x.txt"), DAL_BAD_COMMAND);
    assert_non_null(strstr(here->err, "are written as .csv, .h5 or .html"));
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,2 --journal @/j -q"), 0);
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,2 --journal @/j -q"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "j: error: exists already: resume the study (--resume), or remove the file"));
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1,3 --journal @/j --resume -q"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "j: error: is the journal of another study"));
    put(here, "m.yaml", "dalembert: 1\n");
    assert_int_equal(run(here, "merge @/m.yaml -o @/x.csv"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "m.yaml: error: is not a journal of a study"));
}

/* Every row has its reason, and the exit code is that of a failure. */
static void a_study_of_which_all_runs_fail_is_a_failure_with_a_table(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, "sweep @/m.yaml --vary w=1e20,2e20 -o @/x.csv"), DAL_NUMERICAL);
    assert_non_null(strstr(here->err, "error: every run failed; the first one: at t ="));
    assert_null(strstr(here->err, "the motion could not be continued"));
    char *text = get(here, "x.csv", NULL);
    assert_non_null(strstr(text, "failed,\"at t = "));
    free(text);
}

static void runs_that_fail_are_rows_with_their_reason(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    sweep(here, "one", "");
    char *text = get(here, "one.csv", NULL);
    int refused = 0;
    for (const char *at = text; (at = strstr(at, "volterra-reduced needs ignorable coordinates")); at++)
        refused++;
    assert_int_equal(refused, 40);
    free(text);
    assert_int_equal(run(here, "sweep @/m.yaml --vary formulation=volterra-reduced -o @/x.csv"), DAL_BAD_COMMAND);
    assert_non_null(strstr(here->err, "needs ignorable coordinates"));
}

/* Killed at ten instants, each a little later than the one before; what is left is continued. */
static void a_study_that_is_killed_is_continued(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    sweep(here, "one", "");
    for (int k = 0; k < 10; k++) {
        const int out = open_scratch();
        const pid_t child = start(here,
                                  k ? "sweep @/m.yaml " ARGUMENTS " -o @/k.csv -o @/k.h5 --jobs 2 --resume"
                                    : "sweep @/m.yaml " ARGUMENTS " -o @/k.csv -o @/k.h5 --jobs 2",
                                  out, out);
        rest(5 + 3 * k);
        kill(child, SIGKILL);
        wait_for_any(child);
        close(out);
    }
    sweep(here, "k", "--resume");
    same_files(here, "k");
    assert_false(is_there(here, "k.csv.journal"));
}

/* Ten thousand runs, and the kills anywhere in them: at instants that are random over what they need. Every start goes on where the one before was ended. */
static void ten_thousand_runs_killed_at_random_instants_are_the_same(void **state)
{
    static const char all[] =
        "sweep @/m.yaml --vary a=normal(1,0.2) --random 5000 --vary w=2,3 --each x=final(A.distance) -q --jobs 2 -o @/one.csv -o @/one.h5";
    static const char part[] =
        "sweep @/m.yaml --vary a=normal(1,0.2) --random 5000 --vary w=2,3 --each x=final(A.distance) -q --jobs 2 -o @/k.csv -o @/k.h5 --resume";
    place *here = *state;
    uint64_t seed = 31;
    struct timespec begin, end;
    put(here, "m.yaml", oscillator);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(run(here, all), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double needed = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    for (int k = 0; k < 10; k++) {
        const int out = open_scratch();
        const pid_t child = start(here, part, out, out);
        rest((int)(1e3 * needed * (check_random(&seed) + 1) / 2 / 5)); /* two of ten reach the end of the runs, about */
        kill(child, SIGKILL);
        wait_for_any(child);
        close(out);
    }
    assert_int_equal(run(here, part), 0);
    same_file(here, "one.csv", "k.csv");
    same_file(here, "one.h5", "k.h5");
    assert_false(is_there(here, "k.csv.journal"));
}

static void the_processes_of_mpi_give_the_same_files(void **state)
{
    place *here = *state;
    char line[1024];
    if (system("command -v mpirun >/dev/null 2>&1") || access(DAL_PLUG_IN, R_OK)) {
        print_message("MPI is not there\n");
        skip();
    }
    put(here, "m.yaml", oscillator);
    sweep(here, "one", "");
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* those of MPI */
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    snprintf(line, sizeof line,
             "mpirun --oversubscribe -n 3 " DAL_PROGRAM " sweep %s/m.yaml --vary 'a=normal(1,0.2)' --random 40 "
             "--vary formulation=recursive,kane,volterra-reduced --each 'x=final(A.distance)' --channels A.distance -q -o %s/mpi.csv "
             "-o %s/mpi.h5 %s%s%s >%s/out 2>&1",
             here->folder, here->folder, here->folder, dal_page_available() ? "--motions 3 -o " : "", dal_page_available() ? here->folder : "",
             dal_page_available() ? "/mpi.html" : "", here->folder);
    if (system(line))
        fail_msg("%s", get(here, "out", NULL));
    same_files(here, "mpi");
}

/* A line for the shell, with the program first in the path, in the folder. */
static void shell(place *here, const char *format, ...) DAL_PRINTF(2, 3);
static void shell(place *here, const char *format, ...)
{
    char line[1024], whole[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    snprintf(whole, sizeof whole, "cd %s && PATH=%s/bin:$PATH && %s >out 2>&1", here->folder, here->folder, line);
    if (system(whole))
        fail_msg("%s: %s", line, get(here, "out", NULL));
}

/* examples/cluster as SLURM would start it. */
static void the_scripts_for_clusters_give_the_same_files(void **state)
{
    static const char scripts[] = DAL_MODELS "/../examples/cluster";
    place *here = *state;
    put(here, "m.yaml", oscillator);
    put(here, "study.yaml", "study: 1\nmodel: m.yaml\nvary: {a: '1:2:7'}\neach: {x: final(A.distance)}\n");
    shell(here, "mkdir bin && ln -s " DAL_PROGRAM " bin/dalembert && dalembert sweep study.yaml -o one.csv -o one.h5 -q");
    for (int i = 3; i >= 1; i--)
        shell(here, "SLURM_ARRAY_TASK_ID=%d PARTS=3 sh %s/sweep-array.sh", i, scripts);
    shell(here, "PARTS=3 sh %s/sweep-array.sh merge", scripts);
    same_file(here, "one.csv", "study.csv");
    same_file(here, "one.h5", "study.h5");
    shell(here, "NAME=mpi LAUNCHER=env sh %s/sweep-mpi.sh", scripts);
    same_file(here, "one.csv", "mpi.csv");
}

/* ---- journals -------------------------------------------------------------------------------------------------- */

static bool stop_soon(void *user, const dal_study_progress *progress)
{
    (void)user;
    return progress->here < 3;
}

static void a_journal_of_another_study_is_refused(void **state)
{
    const place *here = *state;
    const dal_study_plan plan = {.n_vary = 1, .vary = TEXTS("a=1,2,3"), .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    const dal_study_plan other = {.n_vary = 1, .vary = TEXTS("a=1,2,4"), .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    dal_study *study = make_study(oscillator, &plan), *another = make_study(oscillator, &other);
    const char *journal = in_folder(here, "a.journal");
    run_all(study, journal, 1);
    const dal_study_options again = {.journal = journal}, resume = {.journal = journal, .resume = true};
    assert_int_equal(dal_study_run(study, &again, heard, NULL), DAL_BAD_FILE);
    assert_int_equal(dal_study_run(study, &resume, heard, NULL), DAL_OK);
    dal_messages_clear(heard);
    assert_int_equal(dal_study_run(another, &resume, heard, NULL), DAL_BAD_FILE);
    assert_non_null(strstr(dal_messages_first(heard)->text, "another study"));
    const dal_study_options shard = {.journal = journal, .resume = true, .shard = 1, .shards = 2};
    assert_int_equal(dal_study_run(study, &shard, heard, NULL), DAL_BAD_FILE);
    FILE *file = fopen(journal, "w+");
    char notes[8] = "";
    fputs("notes", file);
    fflush(file);
    assert_int_equal(dal_study_run(study, &resume, heard, NULL), DAL_BAD_FILE); /* shorter than the beginning of a journal, and no part of one */
    rewind(file);
    assert_int_equal(fread(notes, 1, sizeof notes, file), 5);
    fclose(file);
    assert_string_equal(notes, "notes");
    dal_study_free(study);
    dal_study_free(another);
}

static dal_status nested_status;
static const dal_study *nested_study;

static bool run_nested(void *user, const dal_study_progress *progress)
{
    (void)progress;
    nested_status = dal_study_run(nested_study, &(dal_study_options){.journal = user, .resume = true}, heard, NULL);
    return true;
}

static void two_writers_of_one_journal_do_not_mix(void **state)
{
    const place *here = *state;
    const dal_study_plan plan = {.n_vary = 1, .vary = TEXTS("a=1:2:20"), .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    dal_study *study = make_study(oscillator, &plan);
    char journal[400];
    snprintf(journal, sizeof journal, "%s", in_folder(here, "a.journal"));
    nested_study = study;
    dal_messages_clear(heard);
    assert_int_equal(dal_study_run(study, &(dal_study_options){.journal = journal, .progress = run_nested, .progress_user = journal}, heard, NULL),
                     DAL_OK);
    assert_int_equal(nested_status, DAL_BAD_FILE);
    assert_non_null(strstr(dal_messages_first(heard)->text, "another process"));
    dal_study_free(study);
}

/* A journal is locked by the process that writes it: another one is refused, and the first does not notice. It is held up meanwhile, so that it cannot be
 * finished before. */
static void two_programs_of_one_journal_do_not_mix(void **state)
{
    static const char first[] = "sweep @/m.yaml --vary a=1:2:400 --each x=final(A.distance) -q --jobs 1 -o @/k.csv";
    place *here = *state;
    struct stat journal = {0};
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, "sweep @/m.yaml --vary a=1:2:400 --each x=final(A.distance) -q -o @/one.csv"), 0);
    const int out = open_scratch();
    const pid_t child = start(here, first, out, out);
    for (int k = 0; k < 20000 && (stat(in_folder(here, "k.csv.journal"), &journal) || !journal.st_size); k++)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    kill(child, SIGSTOP);
    assert_true(journal.st_size > 0);
    const int code = run(here, "sweep @/m.yaml --vary a=1:2:400 --each x=final(A.distance) -q --jobs 1 -o @/k.csv --resume");
    const bool named = strstr(here->err, "k.csv.journal: error: is being written by another process") != NULL;
    const int anew = run(here, first);
    const bool there = strstr(here->err, "exists already") != NULL;
    kill(child, SIGCONT);
    const int ended = wait_for_any(child);
    close(out);
    assert_int_equal(code, DAL_BAD_FILE);
    assert_true(named);
    assert_int_equal(anew, DAL_BAD_FILE);
    assert_true(there);
    assert_int_equal(ended, 0);
    same_file(here, "one.csv", "k.csv");
    assert_false(is_there(here, "k.csv.journal"));
}

/* ---- generated code ------------------------------------------------------------------------------------------------- */

#define BY_CODE "sweep @/m.yaml --vary w=uniform(2,4) --vary a=1,1.5 --random 20 --each x=final(A.distance) -q "

static int count_objects(const place *here)
{
    char line[700];
    snprintf(line, sizeof line, "exit $(ls %s/cache/dalembert/*.so | wc -l)", here->folder);
    const int status = system(line);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* x = a cos(w t), by code whose parameters are arguments; and every evaluation is made by it. */
static void check_closed_form(place *here, const char *name)
{
    char *text = get(here, name, NULL), *line = strchr(text, '\n') + 1;
    int n = 0;
    for (; *line; line = strchr(line, '\n') + 1, n++) {
        double w, a, x, evaluations, by_code;
        assert_int_equal(sscanf(line, "%*d,%lf,%lf,%lf,%*f,%*f,%*f,%lf,%*f,%*f,%*f,%*f,%*f,%lf", &w, &a, &x, &evaluations, &by_code), 5);
        check_close(x, a * cos(0.7 * w), 1e-8);
        assert_true(by_code > 0 && by_code == evaluations);
    }
    assert_int_equal(n, 40);
    free(text);
}

static void compiled_runs_share_one_code(void **state)
{
    place *here = *state;
    if (system("command -v cc >/dev/null 2>&1")) {
        print_message("there is no compiler\n");
        skip();
    }
    setenv("XDG_CACHE_HOME", in_folder(here, "cache"), 1);
    put(here, "m.yaml", oscillator);
    assert_int_equal(run(here, BY_CODE "--compiled --jobs 1 -o @/one.csv"), 0);
    assert_string_equal(here->err, "");
    assert_int_equal(count_objects(here), 1);
    check_closed_form(here, "one.csv");
    assert_int_equal(run(here, BY_CODE "--compiled --jobs 2 --journal @/two.journal -o @/two.csv"), 0);
    same_file(here, "one.csv", "two.csv");
    for (int i = 1; i <= 2; i++)
        assert_int_equal(run(here, i == 1 ? BY_CODE "--compiled --shard 1/2 -o @/part.csv" : BY_CODE "--compiled --shard 2/2 -o @/part.csv"), 0);
    assert_int_equal(run(here, "merge @/part.csv.journal.1-of-2 @/part.csv.journal.2-of-2 -q -o @/part.csv"), 0);
    same_file(here, "one.csv", "part.csv");
    /* rows of both kinds do not mix */
    assert_int_equal(run(here, BY_CODE "--journal @/two.journal --resume -o @/two.csv"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "has runs by compiled code"));
    assert_int_equal(run(here, BY_CODE "--journal @/engine.journal -o @/two.csv"), 0);
    assert_int_equal(run(here, BY_CODE "--compiled --journal @/engine.journal --resume -o @/two.csv"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "has runs by the engine"));
    assert_int_equal(count_objects(here), 1);
    unsetenv("XDG_CACHE_HOME");
}

/* Whatever a journal is damaged by, what is written from it are rows of the study. */
static void a_damaged_journal_gives_no_wrong_rows(void **state)
{
    const place *here = *state;
    const dal_study_plan plan = {.n_vary = 1, .vary = TEXTS("a=1:2:12"), .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    dal_study *study = make_study(oscillator, &plan);
    char journal[400], damaged[400];
    const char *const one = damaged;
    size_t size;
    uint64_t seed = 5;
    double right[12];
    dal_study_reader *reader;
    dal_study_row row;
    dal_status status;
    snprintf(journal, sizeof journal, "%s", in_folder(here, "a.journal"));
    snprintf(damaged, sizeof damaged, "%s", in_folder(here, "b.journal"));
    run_all(study, journal, 1);
    assert_int_equal(dal_study_open(study, 1, &(const char *){journal}, heard, &reader), DAL_OK);
    for (int i = 0; i < 12 && dal_study_next(reader, &row, &status); i++)
        right[i] = row.values[0];
    dal_study_close(reader);
    char *bytes = get(here, "a.journal", &size);
    for (int k = 0; k < 300; k++) {
        const size_t at = (size_t)((check_random(&seed) + 1) / 2 * (double)(size - 1)), length = k % 2 ? at : size;
        bytes[at] ^= k % 2 ? 0 : (char)(1 << (k / 2 % 8));
        FILE *file = fopen(damaged, "wb");
        assert_int_equal(fwrite(bytes, 1, length, file), length);
        fclose(file);
        bytes[at] ^= k % 2 ? 0 : (char)(1 << (k / 2 % 8));
        dal_messages_clear(heard);
        if (dal_study_open(study, 1, &one, heard, &reader) != DAL_OK)
            continue;
        while (dal_study_next(reader, &row, &status))
            check_close(row.values[0], right[row.run], 0);
        dal_study_close(reader);
    }
    free(bytes);
    dal_study_free(study);
}

static void a_study_that_is_stopped_says_so(void **state)
{
    const place *here = *state;
    const dal_study_plan plan = {.n_vary = 1, .vary = TEXTS("a=1:2:2000"), .n_each = 1, .each = TEXTS("x=final(A.distance)")};
    dal_study *study = make_study(oscillator, &plan);
    dal_study_outcome outcome;
    const char *journal = in_folder(here, "a.journal");
    assert_int_equal(dal_study_run(study, &(dal_study_options){.journal = journal, .progress = stop_soon, .jobs = 2}, heard, &outcome), DAL_OK);
    assert_true(outcome.stopped && outcome.progress.done < 2000 && outcome.progress.done >= 3);
    dal_study_free(study);
}

static void a_full_disk_loses_no_finished_run(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    sweep(here, "one", "");
    here->largest = 5000;
    assert_int_equal(run(here, "sweep @/m.yaml " ARGUMENTS " -o @/f.csv -o @/f.h5"), DAL_BAD_FILE);
    assert_non_null(strstr(here->err, "cannot be written"));
    here->largest = 0;
    sweep(here, "f", "--resume");
    same_files(here, "f");
}

/* ---- study files -------------------------------------------------------------------------------------------------- */

static void a_study_file_is_the_same_study(void **state)
{
    place *here = *state;
    put(here, "m.yaml", oscillator);
    put(here, "s.yaml",
        "study: 1\n"
        "model: m.yaml\n"
        "vary:\n"
        "  a: normal(1, 0.2)\n"
        "  formulation: [recursive, kane, volterra-reduced]\n"
        "random: 40\n"
        "each: {x: final(A.distance)}\n"
        "channels: [A.distance]\n");
    sweep(here, "one", "");
    assert_int_equal(run(here, "sweep @/s.yaml -q -o @/s.csv -o @/s.h5"), 0);
    char *a = get(here, "one.csv", NULL), *b = get(here, "s.csv", NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
    put(here, "s.yaml", "study: 1\nmodel: m.yaml\nvari: {a: 1}\n");
    assert_int_equal(run(here, "sweep @/s.yaml -q -o @/s.csv"), DAL_BAD_MODEL);
    assert_non_null(strstr(here->err, "s.yaml:3:1"));
    assert_non_null(strstr(here->err, "did you mean 'vary'"));
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {cmocka_unit_test(sobol_points_are_the_published_ones),
                                       cmocka_unit_test(sobol_points_fill_every_interval),
                                       cmocka_unit_test(a_latin_hypercube_has_one_sample_in_each_stratum),
                                       cmocka_unit_test(random_numbers_are_uniform_and_independent),
                                       cmocka_unit_test(the_normal_quantile_inverts_the_distribution),
                                       cmocka_unit_test(runs_have_the_values_of_the_plan),
                                       cmocka_unit_test(a_plan_that_cannot_be_used_gets_a_sentence),
                                       IN_FOLDER(summaries_are_those_of_the_rows),
                                       IN_FOLDER(mean_and_variance_of_an_oscillator_are_those_of_the_closed_form),
                                       IN_FOLDER(files_do_not_depend_on_threads_and_shards),
                                       IN_FOLDER(runs_that_fail_are_rows_with_their_reason),
                                       cmocka_unit_test(listed_numbers_are_read_to_the_last_digit),
                                       IN_FOLDER(files_that_cannot_be_written_get_a_sentence),
                                       IN_FOLDER(a_study_of_which_all_runs_fail_is_a_failure_with_a_table),
                                       IN_FOLDER(a_study_that_is_killed_is_continued),
                                       IN_FOLDER(the_processes_of_mpi_give_the_same_files),
                                       IN_FOLDER(the_scripts_for_clusters_give_the_same_files),
                                       IN_FOLDER(a_journal_of_another_study_is_refused),
                                       IN_FOLDER(two_writers_of_one_journal_do_not_mix),
                                       IN_FOLDER(two_programs_of_one_journal_do_not_mix),
                                       IN_FOLDER(compiled_runs_share_one_code),
                                       IN_FOLDER(a_damaged_journal_gives_no_wrong_rows),
                                       IN_FOLDER(a_study_that_is_stopped_says_so),
                                       IN_FOLDER(a_full_disk_loses_no_finished_run),
                                       IN_FOLDER(a_study_file_is_the_same_study)};
    const struct CMUnitTest long_tests[] = {IN_FOLDER(ten_thousand_runs_killed_at_random_instants_are_the_same)};
    const int failed = check_everything ? cmocka_run_group_tests(long_tests, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
    dal_messages_free(heard);
    return failed;
}
