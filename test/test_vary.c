/* A system that was varied is the system of the model read with these values: every digit of its run, its evidence and its hash. */
#include "check.h"
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

static dal_status compile_with(const char *file, const char *name, double value, double until, dal_system **system)
{
    dal_messages *messages = dal_messages_create(NULL);
    char number[32];
    snprintf(number, sizeof number, "%.17g", value);
    for (int digits = 15; digits <= 17; digits++) { /* as short as it can be: so it enters the hash */
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
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

/* Values near that of the model; whole numbers, which may be counts, also by one. */
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
        compare_parameters(found.gl_pathv[i], &seed);
    globfree(&found);
    print_message("%d systems compared, %d refused by both\n", compared, refused);
    assert_true(compared > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(varied_parameters_are_those_of_a_model_read_with_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
