/* A system that was varied is the system of the model read with these values: every digit of its run, its evidence and its hash. */
#include "check.h"
#include "compile/again.h"
#include "dalembert/dalembert.h"
#include "ration.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* ---- runs as bytes -------------------------------------------------------------------------------- */

typedef struct text {
    char *at;
    size_t n, room;
} text;

static void append(text *t, const void *bytes, size_t n)
{
    if (t->n + n > t->room) {
        t->room = 2 * (t->n + n) + 1024;
        t->at = realloc(t->at, t->room);
        assert_non_null(t->at);
    }
    memcpy(t->at + t->n, bytes, n);
    t->n += n;
}

static dal_status begin_run(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info;
    for (int i = 0; i < n; i++) {
        append(user, columns[i].name, strlen(columns[i].name) + 1);
        append(user, columns[i].unit, strlen(columns[i].unit) + 1);
    }
    return DAL_OK;
}

static dal_status keep_row(void *user, int n, const double *values)
{
    append(user, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

/* Columns, rows and evidence, without the time that it took. */
static text run_of(const dal_system *system)
{
    text run = {0};
    const dal_sink sink = {&run, begin_run, keep_row};
    const dal_run_options options = {.sink = &sink};
    dal_messages *messages = dal_messages_create(NULL);
    dal_evidence evidence;
    const dal_status status = dal_run(system, &options, messages, &evidence);
    evidence.wall_seconds = 0;
    const int n = dal_evidence_json(&evidence, status, NULL, 0);
    char *json = malloc((size_t)n + 1);
    dal_evidence_json(&evidence, status, json, (size_t)n + 1);
    append(&run, json, (size_t)n);
    free(json);
    dal_messages_free(messages);
    return run;
}

static void assert_same_run(const dal_system *one, const dal_system *other, const char *what)
{
    text a = run_of(one), b = run_of(other);
    size_t k = 0;
    while (k < a.n && k < b.n && a.at[k] == b.at[k])
        k++;
    if (a.n != b.n || k < a.n)
        fail_msg("%s: byte %zu of %zu and %zu differs", what, k, a.n, b.n);
    free(a.at);
    free(b.at);
}

/* ---- models ------------------------------------------------------------------------------------------ */

/* A short part of the motion is enough: what differs at the start differs in it. */
static void shorten(dal_spec *spec, dal_messages *messages, double until)
{
    char number[32];
    snprintf(number, sizeof number, "%.17g", until);
    assert_true(dal_spec_set(spec, "until", number, messages));
}

/* As short as it can be: so it enters the hash. */
static void print_shortest(double value, char number[32])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, 32, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            return;
    }
}

static dal_status compile_with(const char *file, const char *name, double value, double until, dal_system **system)
{
    dal_messages *messages = dal_messages_create(NULL);
    char number[32];
    print_shortest(value, number);
    const dal_override set = {name, number};
    dal_spec *spec = NULL;
    *system = NULL;
    dal_status status = dal_spec_read(NULL, file, name ? 1 : 0, &set, messages, &spec);
    if (status == DAL_OK && until > 0)
        shorten(spec, messages, until);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return status;
}

static dal_status vary(const dal_system *base, const char *name, double value, dal_system **system)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_status status = dal_system_vary(NULL, base, 1, &name, &value, messages, system);
    assert_true(status == DAL_OK || status == DAL_NO_MEMORY || dal_messages_count(messages, DAL_ERROR));
    dal_messages_free(messages);
    return status;
}

static dal_system *compile_text(const char *text_of_model, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, NULL, text_of_model, strlen(text_of_model), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    dal_spec_free(spec);
    return system;
}

/* ---- claims --------------------------------------------------------------------------------------------- */

static int compared, refused;

static void compare_parameter(const dal_system *base, const char *file, const char *name, double value, double until)
{
    dal_system *varied = NULL, *anew = NULL;
    char what[400];
    snprintf(what, sizeof what, "%s, %s = %.17g", file, name, value);
    const dal_status expected = compile_with(file, name, value, until, &anew), status = vary(base, name, value, &varied);
    if (!anew != !varied)
        fail_msg("%s: %d instead of %d", what, status, expected);
    if (varied) {
        assert_same_run(varied, anew, what);
        compared++;
    } else {
        refused++;
    }
    dal_system_free(varied);
    dal_system_free(anew);
}

/* Values near that of the model; whole numbers, which may be counts, also by one. Of a model with many parameters, each third; all with `long`. */
static void compare_parameters(const char *file, uint64_t *seed)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *base = NULL;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    if (spec->n_parameters && dal_compile(NULL, spec, messages, &base) == DAL_OK) {
        const dal_system_info info = dal_system_describe(base);
        const double until = 10 * (info.every > 0 ? info.every : info.until / 100);
        dal_system_free(base);
        shorten(spec, messages, until);
        assert_int_equal(dal_compile(NULL, spec, messages, &base), DAL_OK);
        text before = run_of(base);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < spec->n_parameters; i++) {
                if (!check_sampled(i + pass, spec->n_parameters > 3 ? 3 : 1, spec->n_parameters > 3 ? 3 : 1))
                    continue;
                const double number = spec->parameters[i].number;
                const bool count = pass && number == floor(number) && number >= 2 && number <= 12;
                const double value = count ? number + 1 : number * (1 + 0.01 * check_random(seed));
                compare_parameter(base, file, spec->parameters[i].name.text, value, until);
            }
        text after = run_of(base);
        assert_int_equal(before.n, after.n);
        assert_memory_equal(before.at, after.at, before.n);
        free(before.at);
        free(after.at);
        dal_system_free(base);
    }
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void varied_parameters_are_those_of_a_model_read_with_them(void **unused)
{
    glob_t found;
    uint64_t seed = 41;
    (void)unused;
    assert_int_equal(glob(DAL_MODELS "/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (check_chosen((int)i, 4))
            compare_parameters(found.gl_pathv[i], &seed);
    globfree(&found);
    print_message("%d systems compared, %d refused by both\n", compared, refused);
    assert_true(compared > (check_chosen(1, 2) ? 200 : 40));
}

/* One parameter of a model, in every family and formulation that takes the model. */
static void compare_choice(const char *file, const char *name, double value, const char *family, const char *formulation)
{
    char what[400], number[32];
    snprintf(what, sizeof what, "%s, %s, %s", file, family, formulation);
    snprintf(number, sizeof number, "%.15g", value);
    const dal_override set = {name, number};
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *base = NULL, *wanted = NULL;
    for (int k = 0; k < 2; k++) {
        dal_spec *spec = NULL;
        assert_int_equal(dal_spec_read(NULL, file, k, &set, messages, &spec), DAL_OK);
        assert_true(dal_spec_set(spec, "coordinates", family, messages) && dal_spec_set(spec, "formulation", formulation, messages));
        assert_true(dal_spec_set(spec, "stabilization", "none", messages) && dal_spec_set(spec, "integrator", "dopri5", messages));
        shorten(spec, messages, 0.02);
        dal_compile(NULL, spec, messages, k ? &wanted : &base);
        dal_spec_free(spec);
    }
    for (int again = 0; again < 2 && base && wanted; again++) {
        dal_system *varied = NULL;
        assert_int_equal(vary(base, name, value, &varied), DAL_OK);
        assert_same_run(varied, wanted, what);
        compared++;
        dal_system_free(varied);
    }
    dal_system_free(base);
    dal_system_free(wanted);
    dal_messages_free(messages);
}

static void they_are_so_in_every_family_and_formulation(void **unused)
{
    static const struct {
        const char *file, *name;
        double value;
    } cases[] = {{DAL_MODELS "/four-bar-spring.yaml", "L", 4.1},
                 {DAL_MODELS "/slider-crank-spring.yaml", "l", 10.1},
                 {DAL_MODELS "/universal-double-pendulum.yaml", "L1", 0.51},
                 {DAL_MODELS "/pivot-pid.yaml", "kp", 31}};
    const char *family, *formulation;
    (void)unused;
    compared = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; dal_list_entry("formulation", k, &formulation, NULL); k++) {
            for (int f = 0; dal_list_entry("coordinates", f, &family, NULL); f++)
                compare_choice(cases[i].file, cases[i].name, cases[i].value, family, formulation);
            compare_choice(cases[i].file, cases[i].name, cases[i].value, "natural:eliminate=linear", formulation);
        }
    print_message("%d systems compared\n", compared);
    assert_true(compared > 100);
}

/* ---- every kind of name ----------------------------------------------------------------------------------- */

/* A model with one of its numbers as a blank, read with it filled in. */
static dal_system *fill_in(const char *format, const char *number)
{
    char model[2000];
    dal_messages *messages = dal_messages_create(NULL);
    assert_true(snprintf(model, sizeof model, format, number) < (int)sizeof model);
    dal_system *system = compile_text(model, messages);
    dal_messages_free(messages);
    return system;
}

/* Columns and rows; the hash is that of another text. */
static text rows_of(const dal_system *system)
{
    text rows = {0};
    const dal_sink sink = {&rows, begin_run, keep_row};
    const dal_run_options options = {.sink = &sink};
    dal_evidence evidence;
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
    return rows;
}

static void assert_same_rows(const dal_system *one, const dal_system *other)
{
    text a = rows_of(one), b = rows_of(other);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.at, b.at, a.n);
    free(a.at);
    free(b.at);
}

#define PLANAR "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
#define TIMES "simulate: {until: 0.05, every: 0.01}\n"

static void inputs_and_start_values_are_those_of_a_model_that_writes_them(void **unused)
{
    static const struct {
        const char *name, *model, *before, *after;
    } cases[] = {
        {"u",
         PLANAR "inputs: {u: %s}\nbodies: {b: {mass: 1.3, inertia: 0.2, position: [0, 0]}}\n"
                "forces: {f: {type: force, body: b, value: [u, 2*u]}}\n" TIMES,
         "0.3", "1.37"},
        {"z",
         PLANAR "states: {z: {start: %s, rate: -z + 0.3}}\nbodies: {b: {mass: 1.3, inertia: 0.2, position: [0, 0]}}\n"
                "forces: {f: {type: force, body: b, value: [z, 0]}}\nrecord: [b.x, z]\n" TIMES,
         "0.3", "-0.618"},
        {"th",
         PLANAR "coordinates: {th: {start: %s, rate: 0.4}}\nbodies: {b: {mass: 1.3, inertia: 0.2, position: [sin(th), -cos(th)], angle: th}}\n" TIMES,
         "0.3", "1.37"},
        {"th'",
         PLANAR "coordinates: {th: {start: 0.2, rate: %s}}\nbodies: {b: {mass: 1.3, inertia: 0.2, position: [sin(th), -cos(th)], angle: th}}\n" TIMES,
         "0.3", "1.37"},
        {"b.y", PLANAR "bodies: {b: {mass: 1.3, inertia: 0.2, position: [0.1, %s], velocity: [0.4, 0.7]}}\n" TIMES, "0.3", "1.37"},
        {"b.x'", PLANAR "bodies: {b: {mass: 1.3, inertia: 0.2, position: [0.1, 0.2], velocity: [%s, 0.7]}}\n" TIMES, "0.3", "1.37"},
        {"b.angle",
         PLANAR
         "bodies: {b: {mass: 1.3, inertia: 0.2, angle: %s, points: {P: [-0.4, 0]}}}\njoints: {A: {type: revolute, connect: [ground, b.P]}}\n" TIMES,
         "0.3", "1.37"},
        {"b.angle'", PLANAR "bodies: {b: {mass: 1.3, inertia: 0.2, position: [0, 0], rate: %s}}\n" TIMES, "0.3", "-1.37"},
        {"A.angle",
         PLANAR "bodies: {b: {mass: 1.3, inertia: 0.2, points: {P: [-0.4, 0]}}}\n"
                "joints: {A: {type: revolute, connect: [ground, b.P], start: {angle: %s, rate: 0.3}}}\n" TIMES,
         "0.3", "1.37"},
        {"A.angle'",
         PLANAR "bodies: {b: {mass: 1.3, inertia: 0.2, points: {P: [-0.4, 0]}}}\n"
                "joints: {A: {type: revolute, connect: [ground, b.P], start: {angle: 0.4, rate: %s}}}\n" TIMES,
         "0.3", "1.37"},
        {"A.distance",
         PLANAR "bodies: {b: {mass: 1.3, inertia: 0.2}}\n"
                "joints: {A: {type: prismatic, connect: [ground, b], axis: [1, -1], start: {distance: %s}}}\n" TIMES,
         "0.3", "1.37"},
        {"b.omega.y",
         "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1.3, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0], angular-velocity: [0.3, %s, "
         "1.1]}}\n" TIMES,
         "0.3", "1.37"},
        {"b.z",
         "dalembert: 1\nspace: spatial\ngravity: [0, 0, -1]\nbodies: {b: {mass: 1.3, inertia: [0.1, 0.2, 0.25], position: [0, 0, %s]}}\n" TIMES,
         "0.3", "1.37"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dal_system *base = fill_in(cases[i].model, cases[i].before), *wanted = fill_in(cases[i].model, cases[i].after), *varied;
        for (int again = 0; again < 2; again++) { /* the second time from memory */
            assert_int_equal(vary(base, cases[i].name, strtod(cases[i].after, NULL), &varied), DAL_OK);
            assert_same_rows(varied, wanted);
            dal_system_free(varied);
        }
        dal_system_free(base);
        dal_system_free(wanted);
    }
}

static const char chained[] = PLANAR "parameters: {L: 0.8, half: L/2, m: 1.2, I: m*L^2/12, big: 3*half}\n"
                                     "define: {stretch: k0*(A.angle - 0.1), k0: 2*m}\n"
                                     "inputs: {u: 0.1}\n"
                                     "bodies: {b: {mass: m, inertia: I, angle: 0.4, points: {P: [-half, 0], Q: [big/3, 0.1]}}}\n"
                                     "joints: {A: {type: revolute, connect: [ground, b.P]}}\n"
                                     "forces: {f: {type: torque, joint: A, value: u - stretch}}\n"
                                     "record: [b.Q.x, b.Q.y', A.angle, stretch, L*A.angle]\n" TIMES;

static dal_system *read_chained(int n, const dal_override *overrides)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, NULL, chained, strlen(chained), n, overrides, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static void what_follows_from_a_parameter_changes_with_it_and_several_may_change_at_once(void **unused)
{
    static const char *const names[] = {"L", "m", "half"};
    static const dal_override both[] = {{"L", "0.9"}, {"m", "1.37"}}, all[] = {{"L", "0.9"}, {"m", "1.37"}, {"half", "0.5"}};
    const double values[] = {0.9, 1.37, 0.5};
    (void)unused;
    dal_system *base = read_chained(0, NULL), *two = read_chained(2, both), *three = read_chained(3, all), *varied;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(dal_system_vary(NULL, base, 2, names, values, NULL, &varied), DAL_OK);
        assert_same_run(varied, two, "L, m");
        dal_system_free(varied);
        assert_int_equal(dal_system_vary(NULL, base, 3, names, values, NULL, &varied), DAL_OK);
        assert_same_run(varied, three, "L, m, half");
        dal_system_free(varied);
    }
    dal_system_free(base);
    dal_system_free(two);
    dal_system_free(three);
}

static void a_varied_system_is_varied_again_and_outlives_its_base(void **unused)
{
    static const dal_override both[] = {{"L", "0.9"}, {"m", "1.37"}};
    (void)unused;
    dal_system *base = read_chained(0, NULL), *wanted = read_chained(2, both), *once, *twice, *same;
    assert_int_equal(vary(base, "L", 0.9, &once), DAL_OK);
    dal_system_free(base);
    assert_int_equal(vary(once, "m", 1.37, &twice), DAL_OK);
    assert_int_equal(dal_system_vary(NULL, once, 0, NULL, NULL, NULL, &same), DAL_OK);
    assert_same_run(same, once, "nothing varied");
    dal_system_free(same);
    dal_system_free(once);
    assert_same_run(twice, wanted, "L, then m");
    static const dal_override all[] = {{"L", "0.9"}, {"m", "1.37"}, {"half", "0.41"}};
    dal_system *thrice, *third = read_chained(3, all);
    assert_int_equal(vary(twice, "half", 0.41, &thrice), DAL_OK); /* L is that of a system that is gone */
    dal_system_free(twice);
    assert_same_run(thrice, third, "L, then m, then half");
    dal_system_free(thrice);
    dal_system_free(third);
    dal_system_free(wanted);
}

/* ---- structure -------------------------------------------------------------------------------------------- */

static const char repeated[] = PLANAR "parameters: {N: 3, l: 0.5, m: 1}\ninputs: {u: 0}\n"
                                      "bodies:\n  rod: {repeat: {i: 1..N}, mass: m, inertia: m*l^2/12, position: [(i - 1/2)*l, 0], angle: 0, "
                                      "points: {a: [-l/2, 0], b: [l/2, 0]}}\n"
                                      "joints:\n  root: {type: revolute, connect: [ground, rod.1.a]}\n"
                                      "  link: {repeat: {i: 2..N}, type: revolute, connect: [\"rod.{i-1}.b\", \"rod.{i}.a\"]}\n"
                                      "forces: {f: {type: torque, joint: root, value: u}}\nrecord: [rod.1.y, energy]\n" TIMES;

static void another_count_is_read_again_with_all_that_was_varied_and_set(void **unused)
{
    static const char *const names[] = {"l", "u"};
    static const double values[] = {0.55, 0.3};
    static const dal_override set[] = {{"l", "0.55"}, {"N", "5"}};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *base = NULL, *moved = NULL, *varied = NULL, *plain = NULL, *wanted = NULL;
    (void)unused;
    assert_int_equal(dal_spec_parse(NULL, NULL, repeated, strlen(repeated), 0, NULL, messages, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "integrator", "rk4", messages) && dal_spec_set(spec, "step", "0.001", messages));
    assert_int_equal(dal_compile(NULL, spec, messages, &base), DAL_OK);
    dal_spec_free(spec);
    assert_int_equal(dal_system_vary(NULL, base, 2, names, values, messages, &moved), DAL_OK);
    assert_int_equal(dal_messages_count(messages, DAL_NOTE), 0);
    const char *n = "N";
    assert_int_equal(dal_system_vary(NULL, moved, 1, &n, &(double){5}, messages, &varied), DAL_OK);
    assert_int_equal(dal_messages_count(messages, DAL_NOTE), 1);
    assert_int_equal(dal_system_describe(varied).bodies, 5);
    assert_string_equal(dal_system_describe(varied).integrator, "rk4");
    assert_int_equal(dal_spec_parse(NULL, NULL, repeated, strlen(repeated), 2, set, messages, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "integrator", "rk4", messages) && dal_spec_set(spec, "step", "0.001", messages));
    assert_int_equal(dal_compile(NULL, spec, messages, &plain), DAL_OK);
    assert_int_equal(vary(plain, "u", 0.3, &wanted), DAL_OK);
    assert_same_rows(varied, wanted);
    dal_spec_free(spec);
    dal_system_free(base);
    dal_system_free(moved);
    dal_system_free(varied);
    dal_system_free(plain);
    dal_system_free(wanted);
    dal_messages_free(messages);
}

static void what_was_changed_by_hand_is_not_forgotten_when_the_text_is_read_again(void **unused)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *base = NULL, *varied = NULL;
    const char *n = "N";
    (void)unused;
    assert_int_equal(dal_spec_parse(NULL, NULL, repeated, strlen(repeated), 0, NULL, messages, &spec), DAL_OK);
    spec->bodies[1].mass.text = "2*m";
    assert_int_equal(dal_compile(NULL, spec, messages, &base), DAL_OK);
    dal_spec_free(spec);
    assert_int_equal(dal_system_vary(NULL, base, 1, &n, &(double){5}, messages, &varied), DAL_BAD_COMMAND);
    assert_non_null(strstr(dal_messages_first(messages)->text, "changed after it was read"));
    assert_int_equal(vary(base, "m", 1.1, &varied), DAL_OK);
    dal_system_free(varied);
    dal_system_free(base);
    dal_messages_free(messages);
}

/* Points that coincide are one vector of the mechanism; a body without mass is no particle. */
static void values_that_give_another_structure_are_compiled_anew(void **unused)
{
    static const char model[] =
        PLANAR "parameters: {a: 0.3, b: 0.3, m: 1}\n"
               "bodies: {c: {mass: 1, inertia: 0.1, angle: 0.2, points: {P: [a, 0], Q: [b, 0]}}, p: {mass: m, position: [1, 1]}}\n"
               "joints: {J: {type: revolute, connect: [ground, c.P]}, K: {type: distance, connect: [c.Q, p]}}\n"
               "record: [c.P.x, c.Q.x, p.x]\n" TIMES;
    static const struct {
        const char *name;
        double value;
    } cases[] = {{"m", 1.1}, {"a", 0.4}, {"b", 0.2}, {"a", 0.3}};
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *base = compile_text(model, messages), *varied, *wanted;
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char number[32];
        snprintf(number, sizeof number, "%.15g", cases[i].value);
        const dal_override set = {cases[i].name, number};
        dal_spec *spec = NULL;
        assert_int_equal(dal_spec_parse(NULL, NULL, model, strlen(model), 1, &set, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &wanted), DAL_OK);
        assert_int_equal(vary(base, cases[i].name, cases[i].value, &varied), DAL_OK);
        assert_same_run(varied, wanted, cases[i].name);
        dal_spec_free(spec);
        dal_system_free(varied);
        dal_system_free(wanted);
    }
    assert_int_equal(vary(base, "m", -1, &varied), DAL_BAD_MODEL);
    assert_null(varied);
    dal_system_free(base);
    dal_messages_free(messages);
}

/* ---- what is refused --------------------------------------------------------------------------------------- */

static void refuse(const dal_system *base, int n, const char *const *names, const double *values, const char *words)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *varied = (dal_system *)(size_t)base;
    assert_int_equal(dal_system_vary(NULL, base, n, names, values, messages, &varied), DAL_BAD_COMMAND);
    assert_null(varied);
    assert_int_equal(dal_messages_count(messages, DAL_ERROR), 1);
    if (!strstr(dal_messages_first(messages)->text, words))
        fail_msg("'%s' is not in '%s'", words, dal_messages_first(messages)->text);
    dal_messages_free(messages);
}

static void names_and_values_that_mean_nothing_are_refused_with_a_sentence(void **unused)
{
    static const char *const names[] = {"half", "half", "hlaf", "b.anlge", "b.x", "A.angle", NULL};
    const double values[] = {1, 1, 1, NAN, INFINITY};
    (void)unused;
    dal_system *base = read_chained(0, NULL);
    refuse(base, 2, names, values, "'half' is given twice");
    refuse(base, 1, names + 2, values, "(did you mean 'half'?)");
    refuse(base, 1, names + 3, values, "'b.anlge' is neither a parameter nor an input of the model, nor a start value of it");
    refuse(base, 1, names + 4, values, "the model gives no position of this body");
    refuse(base, 1, names + 5, values, "the model gives no such start of this joint");
    refuse(base, 1, names + 6, values, "names[]");
    refuse(base, 1, names, values + 3, "the value of 'half' is nan");
    refuse(base, 1, names, values + 4, "the value of 'half' is inf");
    refuse(base, -1, names, values, "n");
    dal_system_free(base);
}

/* ---- memory and threads --------------------------------------------------------------------------------------- */

/* The n-th allocation of all that is varied fails, for every n: of the first, which records, of the next, and of one that is read again. */
static void without_memory_nothing_is_left(void **unused)
{
    static const char *const names[] = {"m", "m", "l", "N"};
    const double values[] = {1.1, 1.2, 0.4, 4};
    (void)unused;
    for (int n = 1, whole = 0; !whole; n++) {
        ration r = {1000000, 0};
        dal_allocator allocator = {take_rationed, release_rationed, &r};
        dal_spec *spec = NULL;
        dal_system *base = NULL, *varied[4] = {0};
        assert_int_equal(dal_spec_parse(&allocator, NULL, repeated, strlen(repeated), 0, NULL, NULL, &spec), DAL_OK);
        assert_int_equal(dal_compile(&allocator, spec, NULL, &base), DAL_OK);
        dal_spec_free(spec);
        r.left = n;
        whole = 1;
        for (int i = 0; i < 4; i++) {
            const dal_status status = dal_system_vary(&allocator, base, 1, &names[i], &values[i], NULL, &varied[i]);
            assert_true(status == DAL_OK || status == DAL_NO_MEMORY);
            assert_true((status == DAL_OK) == (varied[i] != NULL));
            whole &= status == DAL_OK;
        }
        for (int i = 0; i < 4; i++)
            dal_system_free(varied[i]);
        dal_system_free(base);
        assert_int_equal(r.taken, 0);
        assert_true(n < 1000);
    }
}

enum { BARS = 200, THREADS = 2 };

typedef struct sweep {
    const dal_system *base;
    int first, step;
    text *run; /* of each bar */
} sweep;

static void *run_bars(void *user)
{
    const sweep *s = user;
    for (int i = s->first; i < BARS; i += s->step) {
        const char *name = i % 3 ? "L" : "m";
        const double value = (i % 3 ? 4 : 3) * (1 + 0.001 * i);
        dal_system *varied = NULL;
        if (dal_system_vary(NULL, s->base, 1, &name, &value, NULL, &varied) == DAL_OK)
            s->run[i] = run_of(varied);
        dal_system_free(varied);
    }
    return NULL;
}

static void two_threads_that_vary_one_base_give_the_digits_of_one(void **unused)
{
    dal_system *base, *other;
    text alone[BARS] = {{0}}, together[BARS] = {{0}};
    pthread_t thread[THREADS];
    sweep part[THREADS];
    (void)unused;
    assert_int_equal(compile_with(DAL_MODELS "/four-bar.yaml", NULL, 0, 0.02, &base), DAL_OK);
    assert_int_equal(compile_with(DAL_MODELS "/four-bar.yaml", NULL, 0, 0.02, &other), DAL_OK);
    run_bars(&(sweep){base, 0, 1, alone});
    for (int t = 0; t < THREADS; t++) { /* nothing was varied from `other`: both threads are the first */
        part[t] = (sweep){other, t, THREADS, together};
        assert_int_equal(pthread_create(&thread[t], NULL, run_bars, &part[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int i = 0; i < BARS; i++) {
        assert_true(alone[i].n > 0 && alone[i].n == together[i].n);
        assert_memory_equal(alone[i].at, together[i].at, alone[i].n);
        free(alone[i].at);
        free(together[i].at);
    }
    dal_system_free(base);
    dal_system_free(other);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* A rhombus that is closed flat at a = 0, where one row depends on the others: the rank is never taken over from a system that is not near enough. */
static const char rhombus[] =
    PLANAR "parameters: {L: 1.5, a: 0.8}\nground: {points: {A: [0, 0], D: [L, 0]}}\n"
           "bodies: {b1: {mass: 2, inertia: 0.3, position: [L/2*cos(a), L/2*sin(a)], angle: a, points: {A: [-L/2, 0], B: [L/2, 0]}},\n"
           "         b2: {mass: 2, inertia: 0.3, position: [L*cos(a) + L/2, L*sin(a)], angle: 0, points: {B: [-L/2, 0], C: [L/2, 0]}},\n"
           "         b3: {mass: 2, inertia: 0.3, position: [L + L/2*cos(a), L/2*sin(a)], angle: a, points: {C: [L/2, 0], D: [-L/2, 0]}}}\n"
           "joints: {A: {type: revolute, connect: [ground.A, b1.A]}, B: {type: revolute, connect: [b1.B, b2.B]},\n"
           "         C: {type: revolute, connect: [b2.C, b3.C]}, D: {type: revolute, connect: [ground.D, b3.D]}}\n"
           "simulate: {until: 0.002, step: 1e-3, coordinates: %s, formulation: lagrange, integrator: rk4}\n";

static int ranks_of_rhombus(const char *family)
{
    static const double angles[] = {0.8, 0.79, 0.6, 1.5707963267948966, 0.1, 1e-3, 1e-6, 1e-9, 1e-12, 0, -0.4, 0.8};
    const char *name = "a";
    char model[2000];
    int least = 100, most = 0;
    assert_true(snprintf(model, sizeof model, rhombus, family) < (int)sizeof model);
    dal_system *base = compile_text(model, NULL);
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        char number[32];
        print_shortest(angles[i], number);
        const dal_override override = {name, number};
        dal_spec *spec = NULL;
        dal_system *set = NULL, *varied = NULL;
        assert_int_equal(dal_spec_parse(NULL, NULL, model, strlen(model), 1, &override, NULL, &spec), DAL_OK);
        const dal_status expected = dal_compile(NULL, spec, NULL, &set);
        assert_int_equal(dal_system_vary(NULL, base, 1, &name, &angles[i], NULL, &varied), expected);
        if (set) {
            const int rank = dal_system_describe(set).rank;
            assert_int_equal(dal_system_describe(varied).rank, rank);
            assert_same_run(varied, set, number);
            least = rank < least ? rank : least;
            most = rank > most ? rank : most;
        }
        dal_system_free(set);
        dal_system_free(varied);
        dal_spec_free(spec);
    }
    dal_system_free(base);
    return most - least;
}

static void the_rank_is_that_of_the_values_also_where_rows_become_dependent(void **unused)
{
    (void)unused;
    assert_int_equal(ranks_of_rhombus("natural"), 1);
    assert_int_equal(ranks_of_rhombus("angle"), 1);
    assert_int_equal(ranks_of_rhombus("joint"), 1);
}

/* ---- names of --set ------------------------------------------------------------------------------------------------ */

static const char named[] =
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {L: 1.2}\ninputs: {u: 0.5}\n"
    "states: {z: {start: 0.1, rate: -z + pin.angle}}\n"
    "bodies: {rod: {mass: 3, inertia: 0.4, position: [0, 0.1], velocity: [0.2, 0], angle: 0.3, rate: 0.7, points: {P: [-L/2, 0]}},\n"
    "         bob: {mass: 1, inertia: 0.2, position: [2, 1]}, arm: {mass: 1, inertia: 0.2, points: {P: [0.3, 0]}}}\n"
    "joints: {pin: {type: revolute, connect: [ground, rod.P]}, hub: {type: revolute, connect: [bob, arm.P], start: {angle: 0.35}}}\n"
    "forces: {m: {type: motor, joint: pin, value: u + z}}\nsimulate: {until: 0.02}\n";

/* --set takes the names of dal_system_vary, and gives the same bytes. */
static void overrides_have_the_same_names_and_give_the_same_bytes(void **unused)
{
    static const char *const names[] = {"L", "u", "z", "bob.x", "bob.y", "rod.angle", "rod.angle'", "rod.x'", "hub.angle"};
    (void)unused;
    dal_system *base = compile_text(named, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *set = NULL, *varied = NULL;
        const dal_override override = {names[i], "0.45"};
        assert_int_equal(dal_spec_parse(NULL, NULL, named, strlen(named), 1, &override, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &set), DAL_OK);
        assert_int_equal(vary(base, names[i], 0.45, &varied), DAL_OK);
        assert_same_run(set, varied, names[i]);
        text was = run_of(base), is = run_of(set);
        assert_true(was.n != is.n || memcmp(was.at, is.at, was.n) != 0);
        free(was.at);
        free(is.at);
        dal_system_free(set);
        dal_system_free(varied);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
    static const char *const wrong[][3] = {{"bob.angle", "1", "the model gives no angle of this body"},
                                           {"rod.mass", "1", "the model has no parameter 'rod.mass'"},
                                           {"v", "1", "the model has no parameter 'v'"},
                                           {"rod.z", "1", "the model gives no position of this body"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        const dal_override override = {wrong[i][0], wrong[i][1]};
        assert_int_equal(dal_spec_parse(NULL, NULL, named, strlen(named), 1, &override, messages, &spec), DAL_BAD_MODEL);
        const dal_message *m = dal_messages_first(messages);
        assert_non_null(m);
        if (!strstr(m->text, wrong[i][2]) || strncmp(m->mark.file, "--set ", 6))
            fail_msg("%s: %s", m->mark.file, m->text);
        dal_messages_free(messages);
    }
    dal_system_free(base);
}

/* ---- texts that were edited ----------------------------------------------------------------------------------------- */

static dal_spec *parse(const char *text_of_model)
{
    dal_spec *spec = NULL;
    dal_spec_parse(NULL, "m.yaml", text_of_model, strlen(text_of_model), 0, NULL, NULL, &spec);
    return spec;
}

/* The text with another value of parameter p, and something put before that line; NULL: its value is not a plain number. */
static char *edit_value(const dal_spec *spec, int p, double factor, const char *before)
{
    const dal_text *value = &spec->parameters[p].value;
    char *end, number[40];
    const double old = strtod(value->text, &end);
    const char *line = spec->text;
    if (*end || end == value->text)
        return NULL;
    for (int i = 1; i < value->mark.line; i++)
        line = strchr(line, '\n') + 1;
    const char *at = line + value->mark.column - 1;
    snprintf(number, sizeof number, "%.9g", factor * old);
    const size_t room = strlen(spec->text) + strlen(before) + sizeof number;
    char *edited = malloc(room);
    snprintf(edited, room, "%.*s%s%.*s%s%s", (int)(line - spec->text), spec->text, before, (int)(at - line), line, number, at + strlen(value->text));
    return edited;
}

/* Anew, or varied: the same bytes. Returns whether it was varied. */
static bool follow(const char *file, const dal_system *base, const char *edited)
{
    dal_messages *said[2] = {dal_messages_create(NULL), dal_messages_create(NULL)};
    dal_spec *spec = parse(edited);
    bool anew = true;
    if (spec) {
        dal_system *follows = NULL, *compiled = NULL;
        shorten(spec, said[0], 0.02);
        const dal_status expected = dal_compile(NULL, spec, said[0], &compiled);
        const dal_status status = dal_compile_again(NULL, base, spec, said[1], &follows, &anew);
        if (status != expected)
            fail_msg("%s: %d instead of %d", file, status, expected);
        if (follows) {
            assert_same_run(compiled, follows, file);
            assert_int_equal(dal_messages_count(said[0], DAL_WARNING), dal_messages_count(said[1], DAL_WARNING));
        }
        dal_spec_free(spec); /* the system keeps nothing of it */
        dal_system_free(compiled);
        dal_system_free(follows);
    }
    dal_messages_free(said[0]);
    dal_messages_free(said[1]);
    return !anew;
}

static void a_text_with_other_values_is_followed_bit_for_bit_and_another_one_is_compiled_anew(void **unused)
{
    int varied = 0, anew = 0;
    glob_t found;
    (void)unused;
    assert_int_equal(glob(DAL_MODELS "/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += 1 + (i % 3)) {
        dal_spec *read = NULL, *spec = NULL;
        dal_system *base = NULL;
        if (dal_spec_read(NULL, found.gl_pathv[i], 0, NULL, NULL, &read) == DAL_OK && (spec = parse(read->text))) {
            shorten(spec, NULL, 0.02);
            dal_compile(NULL, spec, NULL, &base);
        }
        for (int p = 0; base && p < spec->n_parameters && p < 3; p++)
            for (int k = 0; k < 3; k++) {
                char *edited = edit_value(spec, p, k ? 1.03 : 1.0001, k == 2 ? "# a line more\n" : "");
                if (!edited)
                    continue;
                const bool followed = follow(found.gl_pathv[i], base, edited);
                assert_false(followed && k == 2); /* its marks are others */
                assert_false(followed && spec->parameters[p].shapes);
                varied += followed;
                anew += !followed;
                free(edited);
            }
        dal_system_free(base);
        dal_spec_free(spec);
        dal_spec_free(read);
    }
    globfree(&found);
    print_message("%d followed, %d compiled anew\n", varied, anew);
    assert_true(varied > 40 && anew > 20);
}

/* Whatever else was edited is seen. */
static void an_edit_beside_the_values_is_compiled_anew(void **unused)
{
    static const char model[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {L: 1.2, m: 3}\n"
                                "bodies: {rod: {mass: m, inertia: 0.4, angle: 0.3, points: {P: [-L/2, 0]}}}\n"
                                "joints: {pin: {type: revolute, connect: [ground, rod.P]}}\nsimulate: {until: 0.1}\n";
    static const char *const edits[][3] = {{"L: 1.2", "L: 1.4", "y"},
                                           {"L: 1.2, m: 3", "L: 2*0.7, m: 2.5", "y"},
                                           {"inertia: 0.4", "inertia: 0.5", ""},
                                           {"angle: 0.3", "angle: 0.4", ""},
                                           {"rod", "bar", ""},
                                           {"until: 0.1", "until: 0.2", ""},
                                           {"-9.81", "-9.8", ""},
                                           {"L: 1.2, m: 3", "m: 3, L: 1.2", ""},
                                           {"L: 1.2", "L: '1.4'", ""},
                                           {"L: 1.2", "L: 1.4 ", ""},
                                           {"m: 3}", "m: 3, k: 2}", ""}};
    (void)unused;
    dal_system *base = compile_text(model, NULL);
    dal_spec *spec = parse(model);
    dal_system_free(base);
    shorten(spec, NULL, 0.02);
    assert_int_equal(dal_compile(NULL, spec, NULL, &base), DAL_OK);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char edited[1000], *at = edited;
        const char *from = model, *hit;
        for (; (hit = strstr(from, edits[i][0])); from = hit + strlen(edits[i][0]))
            at += sprintf(at, "%.*s%s", (int)(hit - from), from, edits[i][1]);
        strcpy(at, from);
        if (follow(edits[i][1], base, edited) != (*edits[i][2] != '\0'))
            if (i != 5) /* `until` is set by `follow` */
                fail_msg("'%s' for '%s' was %s", edits[i][1], edits[i][0], *edits[i][2] ? "compiled anew" : "followed");
    }
    dal_system_free(base);
    dal_spec_free(spec);
}

/* ---- how long it takes ------------------------------------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The best of several tries counts: other programs on the same machine can only make one slower. */
static void a_thousand_four_bars_are_prepared_in_a_fraction_of_the_time(void **unused)
{
    enum { TRIES = 5, MANY = 1000 };
    double read = HUGE_VAL, varied = HUGE_VAL;
    dal_system *base, *system;
    const char *name = "L";
    (void)unused;
    assert_int_equal(compile_with(DAL_MODELS "/four-bar.yaml", NULL, 0, 0, &base), DAL_OK);
    for (int try = 0; try < TRIES; try++) {
        const double start = seconds();
        for (int i = 0; i < MANY / TRIES; i++) {
            assert_int_equal(compile_with(DAL_MODELS "/four-bar.yaml", name, 4 + 1e-3 * i, 0, &system), DAL_OK);
            dal_system_free(system);
        }
        const double middle = seconds();
        for (int i = 0; i < MANY / TRIES; i++) {
            assert_int_equal(vary(base, name, 4 + 1e-3 * i, &system), DAL_OK);
            dal_system_free(system);
        }
        read = fmin(read, middle - start);
        varied = fmin(varied, seconds() - middle);
    }
    print_message("a four-bar: %.1f us read and compiled, %.1f us varied: %.1f times as fast\n", 1e6 * read * TRIES / MANY,
                  1e6 * varied * TRIES / MANY, read / varied);
#if !defined(CHECK_WATCHED) && defined(NDEBUG)
    assert_true(read > 4 * varied);
#endif
    dal_system_free(base);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varied_parameters_are_those_of_a_model_read_with_them),
        cmocka_unit_test(they_are_so_in_every_family_and_formulation),
        cmocka_unit_test(inputs_and_start_values_are_those_of_a_model_that_writes_them),
        cmocka_unit_test(what_follows_from_a_parameter_changes_with_it_and_several_may_change_at_once),
        cmocka_unit_test(a_varied_system_is_varied_again_and_outlives_its_base),
        cmocka_unit_test(another_count_is_read_again_with_all_that_was_varied_and_set),
        cmocka_unit_test(what_was_changed_by_hand_is_not_forgotten_when_the_text_is_read_again),
        cmocka_unit_test(values_that_give_another_structure_are_compiled_anew),
        cmocka_unit_test(names_and_values_that_mean_nothing_are_refused_with_a_sentence),
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(two_threads_that_vary_one_base_give_the_digits_of_one),
        cmocka_unit_test(the_rank_is_that_of_the_values_also_where_rows_become_dependent),
        cmocka_unit_test(overrides_have_the_same_names_and_give_the_same_bytes),
        cmocka_unit_test(a_text_with_other_values_is_followed_bit_for_bit_and_another_one_is_compiled_anew),
        cmocka_unit_test(an_edit_beside_the_values_is_compiled_anew),
        cmocka_unit_test(a_thousand_four_bars_are_prepared_in_a_fraction_of_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
