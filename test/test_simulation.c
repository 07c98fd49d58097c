/* The simulation object: stepped, looked at, saved and restored, it makes the motion of a run. Public calls only. */
#include "check.h"

#include "dalembert/dalembert.h"

#include <glob.h>
#include <stdlib.h>

/* ---- rows ------------------------------------------------------------------------------------------ */

typedef struct rows {
    int columns;
    long n, room;
    double *value;
    dal_sink sink; /* has to live as long as the simulation */
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

/* "key=value key=value" */
static void apply_settings(dal_spec *spec, char *words)
{
    for (char *word = strsep(&words, " "); word; word = strsep(&words, " ")) {
        char *value = strchr(word, '=');
        if (value) {
            *value++ = '\0';
            assert_true(dal_spec_set(spec, word, value, NULL));
        }
    }
}

/* A model with some settings; NULL: refused. */
static dal_system *compile_file(const char *file, const char *settings)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char words[600];
    snprintf(words, sizeof words, "%s", settings);
    if (dal_spec_read(NULL, file, 0, NULL, NULL, &spec) != DAL_OK)
        return NULL;
    apply_settings(spec, words);
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
    dal_simulation *sim = NULL;
    if (r)
        r->sink = sink_to(r);
    const dal_run_options options = {.sink = r ? &r->sink : NULL};
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

static bool every_model; /* the long test */

/* Every model, or one of `part` of them, for a part of its time, by a claim. */
static void for_models(const char *settings, int part, int first, void (*claim)(const char *name, const dal_system *system, uint64_t *seed))
{
    static const char *const folders[] = {DAL_MODELS "/*.yaml", DAL_MODELS "/joints/*.yaml"};
    uint64_t seed = 20;
    int claimed = 0, candidates = 0;
    for (size_t k = 0; k < 2; k++) {
        glob_t found;
        assert_int_equal(glob(folders[k], 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *slash = strrchr(found.gl_pathv[i], '/');
            char words[500], name[500];
            snprintf(words, sizeof words, "until=0.3 every=0.01 %s", settings);
            snprintf(name, sizeof name, "%s %s", slash + 1, settings);
            if (((int)i + first) % part || !check_chosen(candidates++, 6) || (getenv("DAL_ONLY") && !strstr(slash, getenv("DAL_ONLY"))))
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
    assert_true(claimed > 0 || !check_chosen(1, 2)); /* a sample may have none to which the settings apply */
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
    if (!isnan(first.energy_drift_absolute) || !isnan(second.energy_drift_absolute)) /* both are where an energy is not known */
        check_close(first.energy_drift_absolute, second.energy_drift_absolute, 0);
    dal_simulation_free(sim);
    dal_messages_free(messages);
    free(a.value);
    free(b.value);
}

static void one_step_to_the_end_is_a_run(void **state)
{
    (void)state;
    for_models("", every_model ? 1 : 2, 0, claim_one_step);
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
    static const char *const some[] = {"", "integrator=cvode-bdf", "integrator=rk4 step=1.7e-3", "formulation=kane"};
    for (int i = 0; i < 4; i++)
        for_models(some[i], every_model ? 1 : 4, i, claim_looks);
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
    for_models("", every_model ? 1 : 2, 1, claim_values);
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
                                      "stabilization=baumgarte",
                                      "coordinates=natural:eliminate=linear"};
enum { METHODS = sizeof methods / sizeof *methods };

/* One method of every model; the long test runs each by all of them. */
static void what_was_saved_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for_models(methods[i], every_model ? 1 : METHODS, i + 5, claim_saved);
}

/* What the gallery does not have in its first moments: pivots of KLU, singular positions, surfaces that stick. */
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
                                 "simulate: {until: 2, every: 0.02}\n";

static dal_system *compile_set(const char *file, const char *name, const char *value, const char *settings)
{
    const dal_override set = {name, value};
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char words[200];
    snprintf(words, sizeof words, "%s", settings);
    assert_int_equal(dal_spec_read(NULL, file, 1, &set, NULL, &spec), DAL_OK);
    apply_settings(spec, words);
    dal_compile(NULL, spec, NULL, &system);
    dal_spec_free(spec);
    assert_non_null(system);
    return system;
}

static void saved_near_singular_positions_and_while_sticking(void **state)
{
    (void)state;
    uint64_t seed = 7;
    static const char *const linkages[][2] = {{"2", "until=3 every=0.05 coordinates=angle"},
                                              {"2", "until=3 every=0.05 coordinates=natural"},
                                              {"2", "until=3 every=0.05 coordinates=natural:eliminate=linear"},
                                              {"2", "until=3 every=0.05 coordinates=joint formulation=recursive"},
                                              {"40", "until=0.2 every=0.01 coordinates=angle"},
                                              {"40", "until=0.2 every=0.01 coordinates=angle formulation=component"},
                                              {"40", "until=0.5 every=0.01 coordinates=joint formulation=recursive"}};
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++) {
        if (!check_chosen((int)i, 2))
            continue;
        dal_system *system = compile_set(DAL_MODELS "/n-four-bar.yaml", "N", linkages[i][0], linkages[i][1]);
        claim_saved(linkages[i][1], system, &seed);
        dal_system_free(system);
    }
    dal_system *system = compile_text(stick_slip);
    for (int i = 0; i < 4; i++)
        if (check_chosen(i, 4))
            claim_saved("stick and slip", system, &seed);
    dal_system_free(system);
}

/* ---- blobs that do not fit -------------------------------------------------------------------------------------- */

static const char pendulum[] = "dalembert: 1\n"
                               "space: planar\n"
                               "gravity: [0, -9.81]\n"
                               "inputs: {push: 0}\n"
                               "bodies: {rod: {mass: 1.37, inertia: 0.2, angle: 0.6, points: {O: [-0.6, 0]}}}\n"
                               "joints: {pin: {type: revolute, connect: [ground, rod.O]}}\n"
                               "forces: {m: {type: motor, joint: pin, value: 'push + if(pin.angle > 0, 1, 0)'}}\n"
                               "record: [pin.angle, pin.angle']\n"
                               "simulate: {until: 2, every: 0.1}\n";

static uint64_t sum_of(const unsigned char *bytes, size_t n)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static const char *last_text(const dal_messages *messages)
{
    const dal_message *m = dal_messages_first(messages);
    while (m && m->next)
        m = m->next;
    return m ? m->text : "";
}

static void refuses(dal_simulation *sim, const void *blob, size_t size, dal_messages *messages, const char *words)
{
    const double t = dal_simulation_time(sim), angle = dal_simulation_value(sim, 1);
    assert_int_equal(dal_simulation_restore(sim, blob, size), DAL_BAD_FILE);
    if (!strstr(last_text(messages), words))
        fail_msg("'%s' does not say '%s'", last_text(messages), words);
    assert_true(dal_simulation_time(sim) == t && dal_simulation_value(sim, 1) == angle);
}

static void a_blob_that_does_not_fit_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile_text(pendulum);
    dal_simulation *sim = open_simulation(system, NULL, messages);
    assert_int_equal(dal_step(sim, 0.7), DAL_OK);
    const size_t size = dal_simulation_save(sim, NULL, 0);
    unsigned char *blob = malloc(size), *copy = malloc(size);
    dal_simulation_save(sim, blob, size);
    for (size_t n = 0; n < size; n++)
        refuses(sim, blob, n, messages, "what was given");
    refuses(sim, "hello", 5, messages, "is not a saved simulation");
    uint64_t seed = 3;
    for (int i = 0; i < 300; i++) {
        memcpy(copy, blob, size);
        copy[(size_t)(0.5 * (1 + check_random(&seed)) * (double)(size - 1))] ^= (unsigned char)(1 << i % 8);
        refuses(sim, copy, size, messages, "what was given");
    }
    static const char *const others[][3] = {{"mass: 1.37", "mass: 1.38", "another model"},
                                            {"until: 2,", "until: 3,", "another model"}, /* the text is another one, too */
                                            {"simulate: {", "simulate: {coordinates: natural, ", "another model"}};
    for (size_t i = 0; i < 3; i++) {
        char text[2000];
        const char *at = strstr(pendulum, others[i][0]);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - pendulum), pendulum, others[i][1], at + strlen(others[i][0]));
        dal_system *other = compile_text(text);
        dal_simulation *theirs = open_simulation(other, NULL, messages);
        refuses(theirs, blob, size, messages, others[i][2]);
        dal_simulation_free(theirs);
        dal_system_free(other);
    }
    static const char *const choices[] = {"integrator=rk4 step=1e-3", "coordinates=natural", "formulation=kane", "rtol=1e-7"};
    for (size_t i = 0; i < 4; i++) {
        dal_spec *spec = NULL;
        dal_system *other = NULL;
        char words[100];
        snprintf(words, sizeof words, "%s", choices[i]);
        assert_int_equal(dal_spec_parse(NULL, "m", pendulum, strlen(pendulum), 0, NULL, NULL, &spec), DAL_OK);
        apply_settings(spec, words);
        assert_int_equal(dal_compile(NULL, spec, NULL, &other), DAL_OK);
        dal_simulation *theirs = open_simulation(other, NULL, messages);
        refuses(theirs, blob, size, messages, "was saved with other");
        dal_simulation_free(theirs);
        dal_system_free(other);
        dal_spec_free(spec);
    }
    free(blob);
    free(copy);
    dal_simulation_free(sim);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* A description that was made or changed by hand: its hash is that of nothing, or of another text. */
static dal_simulation *by_hand(const dal_spec *spec, bool hashed, dal_messages *messages, dal_system **system)
{
    dal_spec made = *spec;
    if (!hashed)
        made.hash[0] = '\0';
    assert_int_equal(dal_compile(NULL, &made, messages, system), DAL_OK);
    return open_simulation(*system, NULL, messages);
}

static void blobs_of_models_made_by_hand_are_told_apart_by_what_they_consist_of(void **state)
{
    (void)state;
    for (int hashed = 0; hashed < 2; hashed++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL, *other = NULL;
        assert_int_equal(dal_spec_parse(NULL, "m", pendulum, strlen(pendulum), 0, NULL, messages, &spec), DAL_OK);
        dal_simulation *sim = by_hand(spec, hashed, messages, &system);
        assert_int_equal(dal_step(sim, 0.7), DAL_OK);
        const size_t size = dal_simulation_save(sim, NULL, 0);
        unsigned char *blob = malloc(size);
        dal_simulation_save(sim, blob, size);
        dal_simulation *same = by_hand(spec, hashed, messages, &other);
        assert_int_equal(dal_simulation_restore(same, blob, size), DAL_OK);
        assert_true(dal_simulation_value(same, 1) == dal_simulation_value(sim, 1));
        dal_simulation_free(same);
        dal_system_free(other);
        dal_text *const words[] = {&spec->bodies[0].mass,  &spec->bodies[0].angle,         &spec->bodies[0].points.item[0].at.item[0],
                                   &spec->gravity.item[1], &spec->forces[0].value.item[0], &spec->inputs[0].value};
        static const char *const values[] = {"1.38", "0.61", "-0.61", "-9.82", "push + if(pin.angle > 0, 1.5, 0)", "0.1"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            const char *before = words[i]->text;
            words[i]->text = values[i];
            dal_simulation *theirs = by_hand(spec, hashed, messages, &other);
            words[i]->text = before;
            refuses(theirs, blob, size, messages, "another model");
            dal_simulation_free(theirs);
            dal_system_free(other);
        }
        free(blob);
        dal_simulation_free(sim);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A blob that was changed on purpose, checksum and all: whatever it does, it neither crashes nor reads outside. */
static void a_forged_blob_does_no_harm(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile_text(stick_slip);
    dal_simulation *sim = open_simulation(system, NULL, messages);
    assert_int_equal(dal_step(sim, 0.7), DAL_OK);
    const size_t size = dal_simulation_save(sim, NULL, 0), body = size - sizeof(uint64_t);
    unsigned char *blob = malloc(size), *copy = malloc(size);
    dal_simulation_save(sim, blob, size);
    uint64_t seed = 5;
    int accepted = 0;
    for (int i = 0; i < 400; i++) {
        memcpy(copy, blob, size);
        for (int k = 0; k <= i % 3; k++)
            copy[(size_t)(0.5 * (1 + check_random(&seed)) * (double)(body - 1))] ^= (unsigned char)(1 << (i + k) % 8);
        const uint64_t sum = sum_of(copy, body);
        memcpy(copy + body, &sum, sizeof sum);
        if (dal_simulation_restore(sim, copy, size) == DAL_OK) {
            const double t = dal_simulation_time(sim);
            dal_step(sim, t + 1e-3);
            dal_simulation_values(sim, NULL);
            accepted++;
        }
        dal_messages_clear(messages);
        assert_int_equal(dal_simulation_restore(sim, blob, size), DAL_OK);
    }
    assert_true(accepted > 0);
    free(blob);
    free(copy);
    dal_simulation_free(sim);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* SUNDIALS starts anew: near, not the same, and the evidence says so. */
static void cvode_starts_anew_from_what_was_saved(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile_file(DAL_MODELS "/four-bar-spring.yaml", "until=1 every=0.05 integrator=cvode-bdf rtol=1e-9 atol=1e-11");
    rows b = {0}, rest = {0};
    dal_evidence evidence;
    if (!system)
        skip();
    if (reference_run(system, &b, &evidence) != DAL_OK)
        skip();
    dal_simulation *sim = open_simulation(system, NULL, messages);
    assert_int_equal(dal_look(sim, 0.43), DAL_OK);
    const size_t size = dal_simulation_save(sim, NULL, 0);
    void *blob = malloc(size);
    dal_simulation_save(sim, blob, size);
    dal_simulation *other = open_simulation(system, &rest, messages);
    rest.n = 0;
    assert_int_equal(dal_simulation_restore(other, blob, size), DAL_OK);
    assert_true(dal_simulation_time(other) == 0.43);
    assert_int_equal(dal_step(other, 1), DAL_OK);
    assert_int_equal(rest.n, 12);
    for (long i = 0; i < rest.n * rest.columns; i++) {
        const double is = rest.value[i], was = b.value[(b.n - rest.n) * b.columns + i];
        assert_true(fabs(is - was) <= 1e-5 * (1 + fabs(was)));
    }
    assert_int_equal(dal_simulation_evidence(other, &evidence), DAL_OK);
    assert_int_equal(evidence.restored, 1);
    dal_simulation_free(sim);
    dal_simulation_free(other);
    dal_system_free(system);
    dal_messages_free(messages);
    free(blob);
    free(b.value);
    free(rest.value);
}

/* ---- bad steps ------------------------------------------------------------------------------------------------------ */

static void a_simulation_does_not_go_back(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile_text(pendulum);
    dal_simulation *sim = open_simulation(system, NULL, messages);
    assert_int_equal(dal_step(sim, 0.5), DAL_OK);
    assert_true(dal_simulation_time(sim) == 0.5);
    assert_int_equal(dal_step(sim, 0.4), DAL_BAD_COMMAND);
    assert_non_null(strstr(last_text(messages), "cannot go back"));
    assert_int_equal(dal_look(sim, 0.6), DAL_OK);
    assert_int_equal(dal_step(sim, 0.55), DAL_BAD_COMMAND);
    assert_int_equal(dal_step(sim, NAN), DAL_BAD_COMMAND);
    assert_int_equal(dal_step(sim, 0.6), DAL_OK);
    assert_true(dal_simulation_time(sim) == 0.6);
    assert_false(dal_simulation_set_input(sim, "pull", 1));
    assert_non_null(strstr(last_text(messages), "'pull'"));
    assert_int_equal(dal_step_fixed(sim, 1e-3, 0), DAL_BAD_COMMAND);
    assert_non_null(strstr(last_text(messages), "rk4"));
    assert_int_equal(dal_step(sim, 7), DAL_OK); /* behind `until:` */
    assert_true(dal_simulation_time(sim) == 7);
    dal_simulation_free(sim);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* ---- looks that fail ------------------------------------------------------------------------------------------------ */

/* The table ends at t = 1, and no step gets beyond it. */
static const char bounded_table[] = "dalembert: 1\n"
                                    "space: planar\n"
                                    "gravity: [0, -9.81]\n"
                                    "tables: {u: {x: [0, 0.3, 0.7, 1], y: [0, 1, 0.8, 0.3]}}\n"
                                    "bodies: {rod: {mass: 1.37, inertia: 0.2, angle: 0.6, points: {O: [-0.6, 0]}}}\n"
                                    "joints: {pin: {type: revolute, connect: [ground, rod.O]}}\n"
                                    "forces: {m: {type: motor, joint: pin, value: \"interp(u, t)\"}}\n"
                                    "record: [pin.angle, pin.angle']\n"
                                    "simulate: {until: 2, every: 0.1}\n";

static dal_simulation *open_with(const char *text, const char *settings, dal_messages *messages, dal_system **system)
{
    dal_spec *spec = NULL;
    char words[100];
    snprintf(words, sizeof words, "%s", settings);
    assert_int_equal(dal_spec_parse(NULL, "m", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    apply_settings(spec, words);
    assert_int_equal(dal_compile(NULL, spec, messages, system), DAL_OK);
    dal_spec_free(spec);
    return open_simulation(*system, NULL, messages);
}

static void a_look_that_fails_fails_alone(void **state)
{
    (void)state;
    static const char *const settings[] = {"integrator=rk4 step=0.07", "integrator=rk6 step=0.07", "integrator=dopri5", "integrator=cvode-adams"};
    for (size_t m = 0; m < sizeof settings / sizeof *settings; m++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = NULL, *other = NULL;
        dal_simulation *sim = open_with(bounded_table, settings[m], messages, &system),
                       *never = open_with(bounded_table, settings[m], messages, &other);
        assert_int_equal(dal_step(sim, 0.9), DAL_OK);
        assert_int_equal(dal_step(never, 0.9), DAL_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(dal_look(sim, 1.5), DAL_NUMERICAL);
            assert_non_null(strstr(last_text(messages), "table 'u' was left"));
        }
        const double t = dal_simulation_time(sim), next = t + (1 - t) / 4;
        assert_true(t >= 0.9 && t <= 1 + 1e-6);
        dal_evidence evidence;
        assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
        const size_t size = dal_simulation_save(sim, NULL, 0);
        assert_true(size > 0);
        if (next > t) {
            assert_int_equal(dal_step(sim, next), DAL_OK);
            assert_int_equal(dal_step(never, next), DAL_OK);
            assert_true(dal_simulation_time(sim) == next);
            assert_true(fabs(dal_simulation_value(sim, 1) - dal_simulation_value(never, 1)) < 1e-6);
            if (t == 0.9 && m < 3) /* nothing was accepted on the way: the same steps */
                assert_true(dal_simulation_value(sim, 1) == dal_simulation_value(never, 1));
        }
        assert_int_equal(dal_step(sim, 1.5), DAL_NUMERICAL); /* a step is another matter */
        assert_true(dal_simulation_time(sim) <= 1 + 1e-6);
        dal_simulation_free(sim);
        dal_simulation_free(never);
        dal_system_free(system);
        dal_system_free(other);
        dal_messages_free(messages);
    }
}

/* ---- the evidence of a simulation ------------------------------------------------------------------------------------- */

static void the_evidence_says_where_it_began_and_what_fixed_steps_took(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = NULL;
    dal_simulation *first = open_with(pendulum, "integrator=rk4 step=1e-3", messages, &system), *second = NULL;
    dal_evidence evidence;
    char text[4000], json[8000];
    assert_int_equal(dal_step(first, 0.75), DAL_OK);
    assert_int_equal(dal_simulation_evidence(first, &evidence), DAL_OK);
    assert_true(evidence.time_start == 0 && evidence.time_end == 0.75);
    dal_evidence_text(&evidence, DAL_OK, text, sizeof text);
    dal_evidence_json(&evidence, DAL_OK, json, sizeof json);
    assert_non_null(strstr(text, "run         0 to 0.75 s (so far): "));
    assert_null(strstr(text, "real time"));
    assert_null(strstr(json, "fixed_steps"));
    assert_int_equal(dal_simulation_create(system, &(dal_run_options){.start = dal_simulation_state(first)}, messages, &second), DAL_OK);
    for (int k = 0; k < 250; k++)
        assert_int_equal(dal_step_fixed(second, 1e-3, 1), DAL_OK);
    assert_int_equal(dal_simulation_evidence(second, &evidence), DAL_OK);
    assert_true(evidence.time_start == 0.75);
    dal_evidence_text(&evidence, DAL_OK, text, sizeof text);
    dal_evidence_json(&evidence, DAL_OK, json, sizeof json);
    assert_non_null(strstr(text, "run         0.75 to 1 s (so far): 25"));
    assert_non_null(strstr(text, "real time   250 fixed steps: median "));
    assert_non_null(strstr(json, "\"time_start\": 0.75,"));
    assert_non_null(strstr(json, "\"fixed_steps\": 250,"));
    assert_non_null(strstr(json, "\"fixed_median\": "));
    assert_non_null(strstr(json, "\"fixed_longest\": "));
    char late[60];
    snprintf(late, sizeof late, "\"late_events\": %ld,", evidence.late_events);
    assert_non_null(strstr(json, late));
    dal_simulation_free(first);
    dal_simulation_free(second);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

typedef struct heard {
    int n;
    double t[8];
    char what[8][60];
} heard;

static void hear(void *user, double t, const char *what)
{
    heard *h = user;
    if (h->n < 8) {
        h->t[h->n] = t;
        snprintf(h->what[h->n], sizeof h->what[0], "%s", what);
    }
    h->n++;
}

static void events_are_reported_with_their_time_and_their_text(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile_text("dalembert: 1\nspace: planar\nbodies: {b: {mass: 2, inertia: 1, position: [0, 0], velocity: [3, 0]}}\n"
                                      "forces: {f: {type: force, body: b, value: ['if(b.x > 0.75, -1, 0)', 0]}}\nsimulate: {until: 1}\n");
    heard h = {0};
    const dal_run_options options = {.event = hear, .event_user = &h};
    dal_simulation *sim = NULL;
    dal_evidence evidence;
    assert_int_equal(dal_simulation_create(system, &options, messages, &sim), DAL_OK);
    assert_int_equal(dal_step(sim, 0.1), DAL_OK);
    assert_int_equal(h.n, 0);
    assert_int_equal(dal_step(sim, 1), DAL_OK);
    assert_int_equal(h.n, 1);
    check_close(h.t[0], 0.25, 1e-11);
    assert_non_null(strstr(h.what[0], "0.75"));
    dal_simulation_evidence(sim, &evidence);
    assert_int_equal(evidence.events, 1);
    dal_simulation_free(sim);
    dal_system_free(system);
    system = compile_text(stick_slip);
    h = (heard){0};
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
    assert_int_equal(h.n >= evidence.events, 1);
    assert_true(evidence.events > 0);
    assert_true(!strcmp(h.what[0], "C") || !strcmp(h.what[0], "G"));
    dal_system_free(system);
    dal_messages_free(messages);
}

int main(int argc, char **argv)
{
    (void)argv;
    every_model = argc > 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_to_the_end_is_a_run),
        cmocka_unit_test(looking_does_not_change_the_motion),
        cmocka_unit_test(a_look_sees_what_a_row_shows),
        cmocka_unit_test(what_was_saved_goes_on_bit_for_bit),
        cmocka_unit_test(saved_near_singular_positions_and_while_sticking),
        cmocka_unit_test(a_blob_that_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(blobs_of_models_made_by_hand_are_told_apart_by_what_they_consist_of),
        cmocka_unit_test(a_forged_blob_does_no_harm),
        cmocka_unit_test(cvode_starts_anew_from_what_was_saved),
        cmocka_unit_test(a_simulation_does_not_go_back),
        cmocka_unit_test(a_look_that_fails_fails_alone),
        cmocka_unit_test(the_evidence_says_where_it_began_and_what_fixed_steps_took),
        cmocka_unit_test(events_are_reported_with_their_time_and_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
