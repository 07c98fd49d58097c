/* The simulation object: stepped, looked at, saved and restored, it makes the motion of a run. Public calls only. */
#include "check.h"

#include "dalembert/dalembert.h"

#include <glob.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef struct rows {
    int columns;
    long n, room;
    double *value;
} rows;

static dal_status begin_rows(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info, (void)columns;
    ((rows *)user)->columns = n;
    return DAL_OK;
}

static dal_status add_row(void *user, int n, const double *values)
{
    rows *r = user;
    if (r->n == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->value = realloc(r->value, sizeof *r->value * (size_t)(r->room * n));
    }
    memcpy(r->value + r->n++ * n, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static dal_sink sink_to(rows *r)
{
    return (dal_sink){r, begin_rows, add_row};
}

/* `a` are the last rows of `b`. */
static void same_rows(const char *what, const rows *a, const rows *b)
{
    if (a->columns != b->columns || a->n > b->n)
        fail_msg("%s: %ld rows of %d numbers instead of %ld of %d", what, a->n, a->columns, b->n, b->columns);
    const double *other = b->value + (b->n - a->n) * b->columns;
    for (long i = 0; i < a->n * a->columns; i++)
        if (memcmp(a->value + i, other + i, sizeof *other))
            fail_msg("%s: row %ld of the last %ld, column %ld: %.17g instead of %.17g", what, i / a->columns, a->n, i % a->columns, a->value[i],
                     other[i]);
}

/* ---- models ------------------------------------------------------------------------------------------ */

/* A model with some settings, "key=value key=value"; NULL: refused. */
static dal_system *compile_file(const char *file, const char *settings)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char words[600], *rest = words;
    snprintf(words, sizeof words, "%s", settings);
    if (dal_spec_read(NULL, file, 0, NULL, NULL, &spec) != DAL_OK)
        return NULL;
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
            assert_true(dal_spec_set(spec, word, value, NULL));
        }
    }
    dal_compile(NULL, spec, NULL, &system);
    dal_spec_free(spec);
    return system;
}

static dal_system *compile_text(const char *text)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_spec_parse(NULL, "m", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK)
        dal_compile(NULL, spec, messages, &system);
    for (const dal_message *m = dal_messages_first(messages); m && !system; m = m->next)
        fail_msg("%s", m->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static dal_simulation *open_simulation(const dal_system *system, rows *r, dal_messages *messages)
{
    static dal_sink sink; /* copied? the options are, what they point to is not */
    dal_simulation *sim = NULL;
    sink = sink_to(r);
    const dal_run_options options = {.sink = r ? &sink : NULL};
    const dal_status status = dal_simulation_create(system, &options, messages, &sim);
    if (status != DAL_OK)
        fail_msg("a simulation was refused: %s", dal_messages_first(messages) ? dal_messages_first(messages)->text : dal_status_text(status));
    return sim;
}

static dal_status reference_run(const dal_system *system, rows *r, dal_evidence *evidence)
{
    const dal_sink sink = sink_to(r);
    const dal_run_options options = {.sink = &sink};
    return dal_run(system, &options, NULL, evidence);
}

/* Every model, for a part of its time, by a claim. */
static void for_models(const char *settings, void (*claim)(const char *name, const dal_system *system, uint64_t *seed))
{
    static const char *const folders[] = {DAL_MODELS "/*.yaml", DAL_MODELS "/joints/*.yaml"};
    uint64_t seed = 20;
    int claimed = 0;
    for (size_t k = 0; k < 2; k++) {
        glob_t found;
        assert_int_equal(glob(folders[k], 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *slash = strrchr(found.gl_pathv[i], '/');
            char words[500], name[500];
            snprintf(words, sizeof words, "until=0.3 every=0.01 %s", settings);
            snprintf(name, sizeof name, "%s %s", slash + 1, settings);
            if (getenv("DAL_ONLY") && !strstr(slash, getenv("DAL_ONLY")))
                continue;
            dal_system *system = compile_file(found.gl_pathv[i], words);
            if (system) {
                claim(name, system, &seed);
                claimed++;
            }
            dal_system_free(system);
        }
        globfree(&found);
    }
    assert_true(claimed > 0);
}

/* ---- steps and looks -------------------------------------------------------------------------------------- */

static void claim_one_step(const char *name, const dal_system *system, uint64_t *seed)
{
    (void)seed;
    rows a = {0}, b = {0};
    dal_evidence first, second;
    dal_messages *messages = dal_messages_create(NULL);
    const dal_status status = reference_run(system, &b, &first);
    dal_simulation *sim = open_simulation(system, &a, messages);
    const dal_status stepped = dal_step(sim, first.info.until);
    const dal_status judged = dal_simulation_evidence(sim, &second);
    if (stepped != status && judged != status)
        fail_msg("%s: status %d instead of %d", name, judged, status);
    same_rows(name, &a, &b);
    assert_int_equal(a.n, b.n);
    assert_int_equal(first.steps, second.steps);
    assert_int_equal(first.evaluations, second.evaluations);
    assert_int_equal(first.n_warnings, second.n_warnings);
    check_close(first.energy_drift_absolute, second.energy_drift_absolute, 0);
    dal_simulation_free(sim);
    dal_messages_free(messages);
    free(a.value);
    free(b.value);
}

static void one_step_to_the_end_is_a_run(void **state)
{
    (void)state;
    for_models("", claim_one_step);
}

/* Looked at in random places, in order and back inside the present step. */
static void claim_looks(const char *name, const dal_system *system, uint64_t *seed)
{
    rows a = {0}, b = {0};
    dal_evidence first, second;
    dal_messages *messages = dal_messages_create(NULL);
    if (reference_run(system, &b, &first) == DAL_OK) {
        dal_simulation *sim = open_simulation(system, &a, messages);
        for (double t = 0; t < first.info.until; t += first.info.until * 0.03 * (1 + check_random(seed))) {
            assert_int_equal(dal_look(sim, t), DAL_OK);
            assert_true(dal_simulation_time(sim) == t);
            check_close(dal_simulation_value(sim, 0), t, 0);
        }
        assert_int_equal(dal_look(sim, first.info.until), DAL_OK);
        assert_int_equal(dal_step(sim, first.info.until), DAL_OK);
        dal_simulation_evidence(sim, &second);
        same_rows(name, &a, &b);
        assert_int_equal(a.n, b.n);
        assert_int_equal(first.steps, second.steps);
        dal_simulation_free(sim);
    }
    dal_messages_free(messages);
    free(a.value);
    free(b.value);
}

static void looking_does_not_change_the_motion(void **state)
{
    (void)state;
    for_models("", claim_looks);
    for_models("integrator=cvode-bdf", claim_looks);
    for_models("integrator=rk4 step=1.7e-3", claim_looks);
    for_models("formulation=kane", claim_looks);
}

/* The value that a look finds is that of a row at the same time. */
static void claim_values(const char *name, const dal_system *system, uint64_t *seed)
{
    (void)seed;
    rows b = {0};
    dal_evidence evidence;
    dal_messages *messages = dal_messages_create(NULL);
    if (reference_run(system, &b, &evidence) == DAL_OK) {
        dal_simulation *sim = open_simulation(system, NULL, messages);
        for (long i = 0; i < b.n; i += 3) {
            const double *row = b.value + i * b.columns;
            assert_int_equal(dal_look(sim, row[0]), DAL_OK);
            const double *values = dal_simulation_values(sim, NULL);
            assert_non_null(values);
            for (int k = 0; k < b.columns; k++)
                if (!(fabs(values[k] - row[k]) <= 1e-9 * (1 + fabs(row[k]))))
                    fail_msg("%s: at t = %.9g, column %d: %.17g instead of %.17g", name, row[0], k, values[k], row[k]);
        }
        dal_simulation_free(sim);
    }
    dal_messages_free(messages);
    free(b.value);
}

static void a_look_sees_what_a_row_shows(void **state)
{
    (void)state;
    for_models("", claim_values);
}

/* ---- save and restore ------------------------------------------------------------------------------------------ */

/* Integrators of SUNDIALS have a past that cannot be saved. */
static bool starts_anew(const dal_system *system)
{
    const char *name = dal_system_describe(system).integrator;
    return !strncmp(name, "cvode", 5) || !strcmp(name, "ida");
}

/* Saved at random instants inside steps, restored into another simulation, which goes on: the rows behind are those of the run. */
static void claim_saved(const char *name, const dal_system *system, uint64_t *seed)
{
    rows b = {0};
    dal_evidence evidence;
    dal_messages *messages = dal_messages_create(NULL);
    if (!starts_anew(system) && reference_run(system, &b, &evidence) == DAL_OK) {
        rows first = {0};
        dal_simulation *sim = open_simulation(system, &first, messages);
        const size_t size = dal_simulation_save(sim, NULL, 0);
        void *blob = malloc(size);
        for (int k = 0; k < 3; k++) {
            const double t = evidence.info.until * (k + 0.5 + 0.5 * check_random(seed)) / 3;
            assert_int_equal(dal_look(sim, t), DAL_OK);
            assert_int_equal(dal_simulation_save(sim, blob, size), size);
            rows rest = {0};
            dal_simulation *other = open_simulation(system, &rest, messages);
            rest.n = 0; /* the row of its own start */
            assert_int_equal(dal_simulation_restore(other, blob, size), DAL_OK);
            assert_true(dal_simulation_time(other) == t);
            assert_int_equal(dal_look(other, evidence.info.until), DAL_OK);
            assert_int_equal(dal_step(other, evidence.info.until), DAL_OK);
            assert_true(rest.n > 0);
            same_rows(name, &rest, &b);
            dal_simulation_free(other);
            free(rest.value);
        }
        free(blob);
        free(first.value);
        dal_simulation_free(sim);
    }
    dal_messages_free(messages);
    free(b.value);
}

static void what_was_saved_goes_on_bit_for_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"",
                                          "integrator=rk4 step=1.3e-3",
                                          "integrator=rk6 step=1.7e-3",
                                          "integrator=ab6 step=1e-3",
                                          "coordinates=joint",
                                          "coordinates=natural",
                                          "coordinates=euler",
                                          "coordinates=joint formulation=recursive",
                                          "formulation=kane",
                                          "formulation=component",
                                          "formulation=volterra-reduced coordinates=joint",
                                          "formulation=udwadia-phohomsiri",
                                          "stabilization=coordinate-partitioning",
                                          "stabilization=baumgarte"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for_models(methods[i], claim_saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_to_the_end_is_a_run),
        cmocka_unit_test(looking_does_not_change_the_motion),
        cmocka_unit_test(a_look_sees_what_a_row_shows),
        cmocka_unit_test(what_was_saved_goes_on_bit_for_bit),
    };
    (void)compile_text;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
