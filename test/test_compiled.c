/* Compiled runs against those of the engine: the same motion, events and ends; what is kept in the cache; what is said where there is no code. */
#include "cache_folder.h"

#include "dalembert/dalembert.h"
#include "run/code_cache.h"

#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char folder[] = "compiled_XXXXXX", home[600];

/* ---- runs ------------------------------------------------------------------------------------- */

enum { COLUMNS = 64, ROWS = 6000 };

typedef struct outcome {
    dal_status status;
    dal_evidence evidence;
    int n, rows;
    double *value; /* COLUMNS a row */
    char note[400];
    char events[2000];
    char json[8000], text[4000]; /* of the evidence */
} outcome;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)info, (void)columns;
    ((outcome *)user)->n = n;
    return n <= COLUMNS ? DAL_OK : DAL_NO_MEMORY;
}

static dal_status add(void *user, int n, const double *values)
{
    outcome *o = user;
    if (o->rows < ROWS)
        memcpy(o->value + COLUMNS * o->rows++, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static void hear(void *user, double t, const char *what)
{
    outcome *o = user;
    const size_t used = strlen(o->events);
    snprintf(o->events + used, sizeof o->events - used, "%.6f %s\n", t, what);
}

/* The model, with settings "key=value key=value", run as `compiled` says. */
static outcome run_model(const char *file, const char *text, const char *settings, int compiled)
{
    outcome o = {.value = calloc((size_t)COLUMNS * ROWS, sizeof *o.value)};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char path[600], words[300], *rest = words;
    snprintf(path, sizeof path, "%s/%s.yaml", DAL_MODELS, file);
    snprintf(words, sizeof words, "%s", settings);
    assert_int_equal(
        text ? dal_spec_parse(NULL, "m", text, strlen(text), 0, NULL, messages, &spec) : dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    for (char *word = strsep(&rest, " "); word && *word; word = strsep(&rest, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_true(dal_spec_set(spec, word, value, messages));
    }
    if (dal_compile(NULL, spec, messages, &system) != DAL_OK)
        fail_msg("%s %s: %s", file, settings, dal_messages_first(messages)->text);
    const dal_sink sink = {&o, begin, add};
    const dal_run_options options = {.sink = &sink, .compiled = compiled, .event = hear, .event_user = &o};
    o.status = dal_run(system, &options, messages, &o.evidence);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_NOTE)
            snprintf(o.note, sizeof o.note, "%s", m->text);
    dal_evidence_json(&o.evidence, o.status, o.json, sizeof o.json);
    dal_evidence_text(&o.evidence, o.status, o.text, sizeof o.text);
    dal_messages_free(messages);
    dal_system_free(system);
    dal_spec_free(spec);
    return o;
}

/* Of all columns, over the largest value of each; columns of rounding are not compared. */
static double largest_difference(const outcome *a, const outcome *b)
{
    double worst = 0, most = 0;
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < a->n; k++)
            most = fmax(most, fabs(a->value[COLUMNS * i + k]));
    for (int k = 0; k < a->n; k++) {
        double size = 1e-3 * most, off = 0;
        for (int i = 0; i < a->rows; i++) {
            size = fmax(size, fabs(a->value[COLUMNS * i + k]));
            off = fmax(off, fabs(a->value[COLUMNS * i + k] - b->value[COLUMNS * i + k]));
        }
        worst = fmax(worst, off / size);
    }
    return worst;
}

/* ---- the motion --------------------------------------------------------------------------------- */

typedef struct comparison {
    const char *model, *settings;
    double bound; /* of the motion: what its sensitivity makes of rounding */
    bool falls;   /* the engine has to help */
} comparison;

static const comparison comparisons[] = {
    {"four-bar", "until=1", 1e-11, false},
    {"four-bar", "until=1 coordinates=joint formulation=recursive", 1e-11, false},
    {"four-bar", "until=1 coordinates=natural formulation=kane", 1e-11, false},
    {"four-bar", "until=1 stabilization=baumgarte:alpha=10,beta=10", 1e-11, false},
    {"slider-crank", "until=1 coordinates=angle formulation=volterra", 1e-11, false},
    {"floating-chain", "until=1 formulation=volterra-reduced", 1e-10, false},
    {"heavy-top", "until=0.5 coordinates=euler", 1e-6,
     false}, /* equations in symbols hold where p . p = 1, which stages leave: the error of the method */
    {"andrews", "", 1e-10, false},
    {"driven-crank", "", 1e-10, false},
    {"digital-pendulum", "", 1e-11, false},
    {"rack-and-pinion", "", 1e-11, true},
    {"two-arms", "formulation=maggi", 1e-11, false},
    {"bricard", "until=1.5", 1e-8, false}, /* its independent rows change at 1.2 s; projections end at 1e-10 */
    {"bumper", "", 1e-11, false},          /* these have pieces, and events where they change */
    {"held-cart", "", 1e-10, false},
    {"pivot-pid", "", 1e-10, false},
    {"screw-press", "", 1e-10, false},
    {"bouncing-door", "", 1e-9, false},
};

/* Both make the same steps, and evaluate as often. One decision may differ: the slope at the end of a step is that of the next step, unless the
 * projection moved y there by more than four roundings (project, integrate/drive.c), and in a motion that comes to rest projections do come down to
 * that. So a step may cost one evaluation more or less; the engine itself makes 3032 to 3036 on digital-pendulum if the angle at the start changes by
 * one to five units in its last place. Without projections there is no such decision, and counts are equal. */
static void check_work(const comparison *c, const outcome *engine, const outcome *code)
{
    char settings[300];
    assert_int_equal(engine->evidence.steps, code->evidence.steps);
    assert_int_equal(engine->evidence.rejected, code->evidence.rejected);
    if (engine->evidence.evaluations == code->evidence.evaluations)
        return;
    assert_true(labs(engine->evidence.evaluations - code->evidence.evaluations) <= engine->evidence.steps);
    snprintf(settings, sizeof settings, "%s%sstabilization=none", c->settings, *c->settings ? " " : "");
    outcome a = run_model(c->model, NULL, settings, -1), b = run_model(c->model, NULL, settings, 1);
    assert_true(b.evidence.compiled_evaluations > 0);
    assert_int_equal(a.evidence.steps, b.evidence.steps);
    assert_int_equal(a.evidence.rejected, b.evidence.rejected);
    assert_int_equal(a.evidence.evaluations, b.evidence.evaluations);
    free(a.value);
    free(b.value);
}

static void a_compiled_run_is_the_run_of_the_engine(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        const comparison *c = &comparisons[i];
        outcome engine = run_model(c->model, NULL, c->settings, -1), code = run_model(c->model, NULL, c->settings, 1);
        const double off = largest_difference(&engine, &code);
        if (*code.evidence.compiled_why || !code.evidence.compiled_evaluations)
            fail_msg("%s %s: %s", c->model, c->settings, code.evidence.compiled_why);
        if (!(off <= c->bound))
            fail_msg("%s %s: %.1e", c->model, c->settings, off);
        assert_int_equal(engine.status, code.status);
        assert_string_equal(engine.events, code.events);
        if (c->bound < 1e-8)
            check_work(c, &engine, &code);
        assert_true(!c->falls || code.evidence.compiled_fallbacks > 0);
        assert_true(code.evidence.compiled_checks >= 2 && code.evidence.compiled_difference <= 1e-10);
        assert_false(engine.evidence.compiled);
        free(engine.value);
        free(code.value);
    }
}

/* At the change points of two linkages pivots fail: the engine helps, and the mechanism stays on its branch, which is that of the closed form: the
 * coupler of a parallelogram does not turn. */
static void change_points_are_left_to_the_engine(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const char *model = i ? "n-four-bar-tree" : "n-four-bar";
        outcome engine = run_model(model, NULL, "until=4", -1), code = run_model(model, NULL, "until=4", 1);
        assert_int_equal(code.status, DAL_OK);
        assert_true(code.evidence.compiled_fallbacks > 0 && code.evidence.compiled_evaluations > code.evidence.compiled_fallbacks);
        assert_string_equal(code.evidence.compiled_why, "");
        assert_true(largest_difference(&engine, &code) <= 1e-6);
        free(engine.value);
        free(code.value);
    }
}

/* ---- what is said ----------------------------------------------------------------------------------- */

static void what_cannot_be_compiled_is_named_and_the_engine_runs(void **unused)
{
    static const struct {
        const char *model, *word;
    } cases[] = {{"bead-on-hoop", "sub-systems"},

                 {"appell-hamel", "not linear"},
                 {"kapitza-pendulum", "placed by time"}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome engine = run_model(cases[i].model, NULL, "", 0), code = run_model(cases[i].model, NULL, "", 1);
        if (!strstr(code.note, cases[i].word) || !strstr(code.evidence.compiled_why, cases[i].word))
            fail_msg("%s: %s", cases[i].model, code.note);
        assert_true(largest_difference(&engine, &code) == 0);
        assert_int_equal(code.evidence.compiled_evaluations, 0);
        assert_string_equal(engine.events, code.events);
        free(engine.value);
        free(code.value);
    }
}

static const char oscillator[] = "dalembert: 1\nname: oscillator\nspace: planar\ncoordinates: {x: {start: 0.1, rate: 0}}\n"
                                 "bodies: {b: {mass: 2, position: [x, 0]}}\nforces: {f: {type: force, coordinate: x, value: -50*x - 0.3*x'}}\n"
                                 "record: [x]\nsimulate: {until: 2, compile: %s}\n";

static void the_model_may_ask_for_it(void **unused)
{
    char yes[500], no[500];
    (void)unused;
    snprintf(yes, sizeof yes, oscillator, "true");
    snprintf(no, sizeof no, oscillator, "false");
    outcome a = run_model("", yes, "", 0), b = run_model("", yes, "", -1), c = run_model("", no, "", 0), d = run_model("", no, "", 1);
    assert_true(a.evidence.compiled_evaluations > 0 && d.evidence.compiled_evaluations > 0);
    assert_true(!b.evidence.compiled && !c.evidence.compiled);
    assert_non_null(strstr(a.json, "\"compiled\""));
    assert_non_null(strstr(a.json, "\"fallbacks\""));
    assert_non_null(strstr(a.text, "by generated code, 0 left to the engine"));
    assert_null(strstr(b.json, "\"compiled\""));
    free(a.value), free(b.value), free(c.value), free(d.value);
}

/* ---- the folder ----------------------------------------------------------------------------------------- */

static void empty_cache(void)
{
    char path[700];
    snprintf(path, sizeof path, "%s/dalembert", home);
    char *const clean[] = {"rm", "-rf", path, NULL};
    pid_t child;
    assert_int_equal(posix_spawnp(&child, "rm", NULL, NULL, clean, environ), 0);
    waitpid(child, NULL, 0);
}

static outcome run_oscillator(int compiled)
{
    char text[500];
    snprintf(text, sizeof text, oscillator, "false");
    return run_model("", text, "", compiled);
}

static void objects_are_kept_and_only_whole_ones_are_loaded(void **unused)
{
    char path[1100], name[300] = "", ignored[300];
    struct stat before, after;
    (void)unused;
    empty_cache();
    outcome first = run_oscillator(1);
    assert_true(first.evidence.compiled_evaluations > 0);
    assert_int_equal(count_objects(".so", name), 1);
    assert_int_equal(count_objects(".sum", ignored), 1);
    snprintf(path, sizeof path, "%s/dalembert", home);
    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(before.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/dalembert/%s", home, name);
    assert_int_equal(stat(path, &before), 0);
    outcome again = run_oscillator(1);
    assert_int_equal(stat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino); /* it was not made anew */
    assert_true(largest_difference(&first, &again) == 0);
    put(name, "half an object", 14);
    outcome mended = run_oscillator(1);
    assert_true(mended.evidence.compiled_evaluations > 0);
    assert_true(largest_difference(&first, &mended) == 0);
    assert_int_equal(count_objects(".so", ignored), 1);
    free(first.value), free(again.value), free(mended.value);
}

/* An object that is whole and gives other rates: it is not trusted. */
static void code_that_differs_from_the_engine_is_not_trusted(void **unused)
{
    static const char source[] =
        "const int dal_code_sizes[] = {1, 1, 0, 0, 0, 0, 1};\n"
        "int dal_code_rates(double t, const double *q, const double *w, const double *i, const void *s, const int *m, double *wd, double *qd, "
        "double *zd, double *p) { wd[0] = -25 * q[0] - 0.1500001 * w[0]; qd[0] = w[0]; p[0] = -0.3 * w[0] * w[0]; return 0; }\n";
    char name[300] = "", made[700], text[700], sum[65];
    (void)unused;
    empty_cache();
    outcome engine = run_oscillator(-1), first = run_oscillator(1);
    assert_int_equal(count_objects(".so", name), 1);
    put("wrong.c", source, sizeof source - 1);
    snprintf(text, sizeof text, "%s/dalembert/wrong.c", home);
    snprintf(made, sizeof made, "%s/dalembert/wrong.o", home);
    char *const compile[] = {"cc", "-shared", "-fPIC", "-w", "-o", made, text, NULL};
    pid_t child;
    int status = -1;
    assert_int_equal(posix_spawnp(&child, "cc", NULL, NULL, compile, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char *bytes = malloc(1 << 20);
    FILE *in = fopen(made, "r");
    const size_t n = fread(bytes, 1, 1 << 20, in);
    fclose(in);
    dal_digest d = dal_digest_begin();
    dal_digest_add(&d, bytes, n);
    dal_digest_text(&d, sum);
    put(name, bytes, n);
    snprintf(strrchr(name, '.'), 5, ".sum");
    put(name, sum, 64);
    outcome wrong = run_oscillator(1);
    if (!strstr(wrong.note, "differs from the engine"))
        fail_msg("it is trusted: %s", wrong.note);
    assert_int_equal(wrong.evidence.compiled_evaluations, 0);
    assert_true(largest_difference(&engine, &wrong) == 0);
    free(bytes);
    free(engine.value), free(first.value), free(wrong.value);
    empty_cache();
}

/* ---- what was made before ------------------------------------------------------------------------------- */

/* The object of the first run gets another name: a run that derived its equations would compile it again. */
static void a_second_run_derives_nothing(void **unused)
{
    char name[300] = "", made[300] = "", other[70];
    (void)unused;
    empty_cache();
    outcome first = run_oscillator(1);
    assert_int_equal(count_objects(".so", name), 1);
    assert_int_equal(count_objects(".made", made), 1);
    rename_object(made, other);
    outcome second = run_oscillator(1);
    assert_int_equal(count_objects(".so", name), 1);
    assert_string_equal(name, other);
    assert_true(second.evidence.compiled_evaluations == first.evidence.compiled_evaluations && second.evidence.compiled_checks >= 8);
    assert_true(largest_difference(&first, &second) == 0);
    free(first.value), free(second.value);
}

/* Whatever is in such a file, the run is compiled and that of the engine. */
static void damaged_memories_are_not_used(void **unused)
{
    char made[300] = "", ignored[300], bytes[400], changed[400], path[1100], aside[1100];
    (void)unused;
    empty_cache();
    outcome first = run_oscillator(1);
    assert_int_equal(count_objects(".made", made), 1);
    const size_t n = get(made, bytes, sizeof bytes);
    snprintf(path, sizeof path, "%s/dalembert/%s", home, made);
    snprintf(aside, sizeof aside, "%s/dalembert/aside", home);
    for (int i = 0; i < 8; i++) {
        const int many = 1 << 30, piece[] = {4, 1, 0, 0, 0};
        memcpy(changed, bytes, n);
        switch (i) {
        case 0: put(made, changed, n / 2); break;
        case 1: changed[NOTES_AT + 5] ^= 1, put(made, changed, n); break; /* not what its digest says */
        case 2: memcpy(changed + OBJECT_AT, "../../../../tmp/x", 17), put_signed(made, changed, n); break;
        case 3: memcpy(changed + NOTES_AT, &many, sizeof many), put_signed(made, changed, n); break;
        case 4: memcpy(changed + NOTES_AT, piece, sizeof piece), put_signed(made, changed, NOTES_AT + sizeof piece + 64); break; /* one piece */
        case 5: put(made, "", 0); break;
        case 6: assert_int_equal(chmod(path, 0644), 0); break;
        default: rename_in_cache(made, "aside"), assert_int_equal(symlink(aside, path), 0); break;
        }
        outcome again = run_oscillator(1);
        assert_true(again.evidence.compiled_evaluations == first.evidence.compiled_evaluations);
        assert_true(largest_difference(&first, &again) == 0);
        assert_int_equal(count_objects(".made", ignored), 1);
        assert_int_equal(get(made, changed, sizeof changed), n); /* it was written anew */
        assert_memory_equal(changed, bytes, n);
        free(again.value);
    }
    free(first.value);
}

/* A model that differs in one number, in a piece that does not hold, in the start, or by a setting, is not the one that was compiled. */
static void a_changed_model_is_made_anew(void **unused)
{
    static const char model[] =
        "dalembert: 1\nname: oscillator\nspace: planar\nparameters: {k: %s}\ncoordinates: {x: {start: %s, rate: 0}}\n"
        "bodies: {b: {mass: %s, position: [x, 0]}}\nforces: {f: {type: force, coordinate: x, value: \"if(x < %s, 0, -k*x)\"}}\n"
        "record: [x]\nsimulate: {until: 0.3}\n";
    static const struct {
        const char *k, *start, *mass, *bound, *settings;
    } cases[] = {{"50", "0.1", "2", "-9", ""},
                 {"51", "0.1", "2", "-9", ""},
                 {"50", "0.1", "2.01", "-9", ""},
                 {"50", "0.1", "2", "-8", ""},
                 {"50", "0.2", "2", "-9", ""},
                 {"50", "0.1", "2", "-9", "until=0.2 stabilization=none"},
                 {"50", "0.1", "2", "-9", "formulation=kane"},
                 {"50", "0.1", "2", "0.05", ""}};
    char text[700], name[300];
    (void)unused;
    empty_cache();
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof text, model, cases[i].k, cases[i].start, cases[i].mass, cases[i].bound);
        outcome engine = run_model("", text, cases[i].settings, -1), code = run_model("", text, cases[i].settings, 1);
        assert_string_equal(code.evidence.compiled_why, "");
        assert_true(code.evidence.compiled_evaluations > 0 && code.evidence.compiled_checks >= 8);
        assert_true(largest_difference(&engine, &code) <= 1e-11);
        assert_string_equal(engine.events, code.events);
        assert_int_equal(count_objects(".made", name), i + 1);
        free(engine.value), free(code.value);
        outcome again = run_model("", text, cases[i].settings, 1);
        assert_int_equal(count_objects(".made", name), i + 1);
        free(again.value);
    }
    empty_cache();
}

/* Another version of the library, another model: there is nothing to recall. */
static void versions_do_not_share_what_they_made(void **unused)
{
    char why[300];
    dal_loaded_code code, again;
    static dal_code_notes notes = {2, {7, -3}}, found;
    (void)unused;
    dal_code_request request = {.source = "const int answer = 42;\n", .version = "1", .patience = 60};
    memset(request.model, 'a', 64);
    assert_false(dal_code_load_known(&request, &again, &found));
    assert_true(dal_code_load(&request, &code, why, sizeof why));
    dal_code_remember(&request, &code, &notes);
    assert_true(dal_code_load_known(&request, &again, &found));
    assert_int_equal(*(const int *)dal_code_function(&again, "answer"), 42);
    assert_string_equal(again.sum, code.sum);
    assert_int_equal(found.n, 2);
    assert_memory_equal(found.number, notes.number, 2 * sizeof(int));
    dal_code_unload(&again);
    dal_code_unload(&code);
    request.version = "2";
    assert_false(dal_code_load_known(&request, &again, &found));
    request.version = "1";
    request.model[63] = 'b';
    assert_false(dal_code_load_known(&request, &again, &found));
    empty_cache();
}

static void folders_that_others_may_write_to_are_refused(void **unused)
{
    (void)unused;
    assert_int_equal(chmod(home, 0777), 0);
    outcome o = run_oscillator(1);
    assert_int_equal(chmod(home, 0700), 0);
    assert_int_equal(o.status, DAL_OK);
    assert_non_null(strstr(o.note, "others may write"));
    assert_int_equal(o.evidence.compiled_evaluations, 0);
    free(o.value);
}

/* ---- the compiler ------------------------------------------------------------------------------------------ */

static void without_a_compiler_the_engine_runs(void **unused)
{
    char *kept = strdup(getenv("PATH"));
    (void)unused;
    outcome engine = run_oscillator(-1);
    setenv("PATH", home, 1);
    outcome o = run_oscillator(1);
    setenv("PATH", kept, 1);
    free(kept);
    assert_non_null(strstr(o.note, "no C compiler"));
    assert_true(largest_difference(&engine, &o) == 0);
    free(engine.value), free(o.value);
}

/* A cc that does not end: it and what it started are ended; one that fails: its failure is the sentence. */
static void a_compiler_that_does_not_end_is_ended(void **unused)
{
    static const char endless[] = "#!/bin/sh\nsleep 1000\n", failing[] = "#!/bin/sh\nexit 3\n";
    char *kept = strdup(getenv("PATH")), path[2000], file[700], why[300];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%s/cc", home);
        FILE *out = fopen(file, "w");
        fputs(i ? failing : endless, out);
        fclose(out);
        chmod(file, 0700);
        snprintf(path, sizeof path, "%s:%s", home, kept);
        setenv("PATH", path, 1);
        dal_loaded_code code;
        const dal_code_request request = {.source = "int x;\n", .version = "1", .patience = 0.05};
        assert_false(dal_code_load(&request, &code, why, sizeof why));
        assert_non_null(strstr(why, i ? "failed" : "took more than 0.05 s"));
        assert_null(code.handle);
        setenv("PATH", kept, 1);
        remove(file);
    }
    free(kept);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

static void *run_in_thread(void *user)
{
    *(outcome *)user = run_oscillator(1);
    return NULL;
}

static void two_simulations_share_an_object(void **unused)
{
    outcome one = run_oscillator(1), both[2];
    pthread_t thread[2];
    (void)unused;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, &both[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_true(both[i].evidence.compiled_evaluations > 0);
        assert_true(largest_difference(&one, &both[i]) == 0);
        free(both[i].value);
    }
    free(one.value);
}

/* The three examples of FIPS 180-4's supplement. */
static void digests_are_those_of_the_standard(void **unused)
{
    static const char *const cases[][2] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        char text[65];
        dal_digest d = dal_digest_begin();
        dal_digest_add(&d, cases[i][0], strlen(cases[i][0]));
        dal_digest_text(&d, text);
        assert_string_equal(text, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_standard),
        cmocka_unit_test(a_compiled_run_is_the_run_of_the_engine),
        cmocka_unit_test(change_points_are_left_to_the_engine),
        cmocka_unit_test(what_cannot_be_compiled_is_named_and_the_engine_runs),
        cmocka_unit_test(the_model_may_ask_for_it),
        cmocka_unit_test(objects_are_kept_and_only_whole_ones_are_loaded),
        cmocka_unit_test(code_that_differs_from_the_engine_is_not_trusted),
        cmocka_unit_test(a_second_run_derives_nothing),
        cmocka_unit_test(damaged_memories_are_not_used),
        cmocka_unit_test(a_changed_model_is_made_anew),
        cmocka_unit_test(versions_do_not_share_what_they_made),
        cmocka_unit_test(folders_that_others_may_write_to_are_refused),
        cmocka_unit_test(without_a_compiler_the_engine_runs),
        cmocka_unit_test(a_compiler_that_does_not_end_is_ended),
        cmocka_unit_test(two_simulations_share_an_object),
    };
    char here[400];
    if (!mkdtemp(folder) || !getcwd(here, sizeof here))
        return 1;
    snprintf(home, sizeof home, "%s/%s", here, folder);
    setenv("XDG_CACHE_HOME", home, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *const clean[] = {"rm", "-rf", home, NULL};
    pid_t child;
    if (!posix_spawnp(&child, "rm", NULL, NULL, clean, environ))
        waitpid(child, NULL, 0);
    return failed;
}
