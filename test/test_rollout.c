/* Rollouts: copies in fours, one by one and by the engine. */
#include "cache_folder.h"

#include <dalembert/dalembert.h>

#include <math.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

enum { COPIES = 7, MOST = 16 };

static const char arm[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {m: 1.37, k: 3.1}\ninputs: {push: 0.2}\n"
                          "bodies:\n"
                          "  upper: {mass: m, inertia: [0.11, 0.07, 0.09], position: [0.3, 0, 0], points: {O: [-0.3, 0, 0], E: [0.31, 0.02, 0]}}\n"
                          "  lower: {mass: 0.618, inertia: [0.02, 0.03, 0.04], position: [0.8, 0.02, 0], points: {O: [-0.19, 0, 0]}}\n"
                          "joints:\n"
                          "  shoulder: {type: universal, connect: [ground, upper.O], axis: [[0, 1, 0], [0, 0, 1]]}\n"
                          "  elbow: {type: revolute, connect: [upper.E, lower.O], axis: [0.6, 0.8, 0]}\n"
                          "forces:\n"
                          "  motor: {type: torque, joint: elbow, value: push - k*elbow.angle}\n"
                          "simulate: {coordinates: joint, until: 1}\n";
static const char spring[] = "dalembert: 1\nspace: planar\nparameters: {k: 4}\ncoordinates: {x: {start: 1}}\n"
                             "bodies: {b: {mass: 1, position: [x, 0]}}\nforces: {f: {type: force, coordinate: x, value: -k*x}}\n";

static dal_rollout_model *open_text(const char *text, const dal_rollout_options *options, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_rollout_model *model = NULL;
    if (dal_spec_parse(NULL, "model", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK ||
        dal_rollout_model_create(NULL, spec, options, messages, &model) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages) ? dal_messages_first(messages)->text : "?");
    dal_spec_free(spec);
    return model;
}

typedef struct batch {
    double q[COPIES * MOST], v[COPIES * MOST], inputs[COPIES], parameters[2 * COPIES];
    long done[COPIES];
} batch;

static void fill(batch *b, int nq, int nv)
{
    uint64_t seed = 41;
    for (int i = 0; i < COPIES * nq; i++)
        b->q[i] = 0.8 * check_random(&seed);
    for (int i = 0; i < COPIES * nv; i++)
        b->v[i] = 2 * check_random(&seed);
    for (int c = 0; c < COPIES; c++) {
        b->inputs[c] = check_random(&seed);
        b->parameters[2 * c] = 4 + check_random(&seed);       /* k */
        b->parameters[2 * c + 1] = 1.5 + check_random(&seed); /* m */
    }
}

static dal_rollout_outcome roll(dal_rollout_model *model, dal_rollout_method method, int first, int n, batch *b)
{
    const dal_rollout_info info = dal_rollout_describe(model);
    const dal_rollout_batch what = {.copies = n,
                                    .method = method,
                                    .t = 0.3,
                                    .step = 2e-3,
                                    .steps = 100,
                                    .q = b->q + first * info.coordinates,
                                    .v = b->v + first * info.velocities,
                                    .inputs = b->inputs + first,
                                    .parameters = b->parameters + 2 * first,
                                    .done = b->done + first};
    dal_rollout_outcome outcome;
    assert_int_equal(dal_rollout(model, &what, &outcome, NULL), DAL_OK);
    for (int c = first; c < first + n; c++)
        assert_int_equal(b->done[c], 100);
    assert_int_equal(outcome.failed, 0);
    return outcome;
}

/* Seven copies: four at once and three alone; all alone; in another order of calls. The engine makes the same steps, but for rounding. */
static void a_copy_has_the_same_bits_in_fours_and_alone(void **unused)
{
    static const char *const names[] = {"k", "m"};
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    const dal_rollout_options options = {.n_parameters = 2, .parameters = names};
    dal_rollout_options alone = options, engine = options;
    alone.lanes = 1;
    engine.engine = true;
    dal_rollout_model *four = open_text(arm, &options, messages), *one = open_text(arm, &alone, messages), *slow = open_text(arm, &engine, messages);
    const dal_rollout_info info = dal_rollout_describe(four);
    assert_int_equal(dal_messages_count(messages, DAL_NOTE), 0);
    assert_true(info.lanes == 4 && info.operations > 0 && !*info.why && info.coordinates == 3 && info.inputs == 1 && info.parameters == 2);
    assert_true(dal_rollout_describe(one).lanes == 1 && dal_rollout_describe(slow).lanes == 0);
    for (int method = DAL_ROLLOUT_EULER; method <= DAL_ROLLOUT_RK4; method++) {
        batch a = {0}, b, c, d;
        fill(&a, info.coordinates, info.velocities);
        b = c = d = a;
        dal_rollout_outcome outcome = roll(four, (dal_rollout_method)method, 0, COPIES, &a);
        assert_true(outcome.by_lanes == 4 && outcome.by_one == 3 && outcome.by_engine == 0);
        outcome = roll(one, (dal_rollout_method)method, 0, COPIES, &b);
        assert_true(outcome.by_lanes == 0 && outcome.by_one == COPIES);
        roll(four, (dal_rollout_method)method, 3, 4, &c);
        roll(four, (dal_rollout_method)method, 0, 3, &c);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(&a, &c, sizeof a);
        outcome = roll(slow, (dal_rollout_method)method, 0, COPIES, &d);
        assert_int_equal(outcome.by_engine, COPIES);
        for (int i = 0; i < COPIES * info.coordinates; i++) /* 100 steps of errors of 1e-16, which grow by e^0.2 L */
            assert_true(fabs(a.q[i] - d.q[i]) <= 1e-11 && fabs(a.v[i] - d.v[i]) <= 1e-10);
    }
    dal_rollout_model_free(four);
    dal_rollout_model_free(one);
    dal_rollout_model_free(slow);
    dal_messages_free(messages);
}

/* x'' = -k x: x = cos(sqrt(k) t). Errors of rk4 fall by 2^4 where steps are halved, those of Euler by 2; each copy has its k. */
static void methods_have_their_orders(void **unused)
{
    static const char *const names[] = {"k"};
    (void)unused;
    for (int by_engine = 0; by_engine < 2; by_engine++) {
        dal_rollout_model *model = open_text(spring, &(dal_rollout_options){.n_parameters = 1, .parameters = names, .engine = by_engine}, NULL);
        for (int method = DAL_ROLLOUT_EULER; method <= DAL_ROLLOUT_RK4; method++) {
            double error[2][5];
            for (int k = 0; k < 2; k++) {
                double q[5] = {1, 1, 1, 1, 1}, v[5] = {0}, parameters[5] = {1, 2.5, 4, 5.5, 7};
                const dal_rollout_batch what = {.copies = 5,
                                                .method = (dal_rollout_method)method,
                                                .step = 0.02 / (k + 1),
                                                .steps = 50 * (k + 1),
                                                .q = q,
                                                .v = v,
                                                .parameters = parameters};
                assert_int_equal(dal_rollout(model, &what, NULL, NULL), DAL_OK);
                for (int c = 0; c < 5; c++)
                    error[k][c] = hypot(q[c] - cos(sqrt(parameters[c])), v[c] + sqrt(parameters[c]) * sin(sqrt(parameters[c])));
            }
            for (int c = 0; c < 5; c++) {
                const double order = log2(error[0][c] / error[1][c]);
                assert_true(fabs(order - (method ? 4 : 1)) < 0.15);
            }
        }
        dal_rollout_model_free(model);
    }
}

/* Rows with Baumgarte's terms, against the engine; q' is not v with Euler parameters, where a step of Euler's method leaves p . p = 1, at which
 * alone the equations in symbols are those of the engine. */
static void rows_and_attitudes_are_those_of_the_engine(void **unused)
{
    static const char model[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  b: {mass: 1.37, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0], angular-velocity: [0, 1, 2], points: {O: [-0.5, 0, 0]}}\n"
        "joints: {pin: {type: spherical, connect: [ground, b.O]}}\n"
        "simulate: {stabilization: {baumgarte: {alpha: 5, beta: 5}}, until: 1}\n";
    static const char *const families[] = {"natural", "euler"};
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    for (int f = 0; f < 2; f++) {
        dal_rollout_model *code = open_text(model, &(dal_rollout_options){.coordinates = families[f]}, messages);
        dal_rollout_model *engine = open_text(model, &(dal_rollout_options){.coordinates = families[f], .engine = true}, messages);
        const dal_rollout_info info = dal_rollout_describe(code);
        if (*info.why)
            fail_msg("%s", info.why);
        double q[2][MOST], v[2][MOST];
        assert_true(info.coordinates <= MOST && info.velocities <= MOST);
        dal_state *state = dal_state_create(NULL, info.system);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        for (int method = f ? DAL_ROLLOUT_RK4 : DAL_ROLLOUT_EULER; method <= DAL_ROLLOUT_RK4; method++) {
            for (int k = 0; k < 2; k++) {
                memcpy(q[k], dal_state_coordinates(state, NULL), sizeof(double) * (size_t)info.coordinates);
                memcpy(v[k], dal_state_velocities(state, NULL), sizeof(double) * (size_t)info.velocities);
                const dal_rollout_batch what = {.copies = 1, .method = (dal_rollout_method)method, .step = 1e-3, .steps = 50, .q = q[k], .v = v[k]};
                assert_int_equal(dal_rollout(k ? engine : code, &what, NULL, messages), DAL_OK);
            }
            for (int i = 0; i < info.coordinates; i++)
                assert_true(fabs(q[0][i] - q[1][i]) <= 1e-10);
            for (int i = 0; i < info.velocities; i++)
                assert_true(fabs(v[0][i] - v[1][i]) <= 1e-9);
        }
        dal_state_free(state);
        dal_rollout_model_free(code);
        dal_rollout_model_free(engine);
    }
    dal_messages_free(messages);
}

/* ---- what was made before ------------------------------------------------------------------------------- */

static void empty_cache(void)
{
    char path[1100];
    cached_path(path, "");
    char *const clean[] = {"rm", "-rf", path, NULL};
    pid_t child;
    assert_int_equal(posix_spawnp(&child, "rm", NULL, NULL, clean, environ), 0);
    waitpid(child, NULL, 0);
}

/* The steps of seven copies by a model that is made now. `turned`: parameters are given in the other order. */
static batch roll_arm(bool turned, int *operations)
{
    static const char *const names[] = {"k", "m", "k"};
    batch b;
    fill(&b, 3, 3);
    for (int c = 0; c < COPIES && turned; c++) {
        const double k = b.parameters[2 * c];
        b.parameters[2 * c] = b.parameters[2 * c + 1];
        b.parameters[2 * c + 1] = k;
    }
    dal_rollout_model *model = open_text(arm, &(dal_rollout_options){.n_parameters = 2, .parameters = names + turned}, NULL);
    const dal_rollout_info info = dal_rollout_describe(model);
    assert_int_equal(info.lanes, 4);
    *operations = info.operations;
    assert_int_equal(roll(model, DAL_ROLLOUT_RK4, 0, COPIES, &b).by_engine, 0);
    dal_rollout_model_free(model);
    return b;
}

/* The object of the first model gets another name: a model that derived its equations would compile it again. Parameters in another order are other
 * columns of the same code. */
static void a_second_model_derives_nothing(void **unused)
{
    char name[300] = "", made[300] = "", other[70];
    int operations[3];
    (void)unused;
    empty_cache();
    const batch first = roll_arm(false, &operations[0]);
    assert_int_equal(count_objects(".so", name), 1);
    assert_int_equal(count_objects(".made", made), 1);
    rename_object(made, other);
    const batch second = roll_arm(false, &operations[1]);
    assert_int_equal(count_objects(".so", name), 1);
    assert_string_equal(name, other);
    assert_int_equal(operations[0], operations[1]);
    assert_memory_equal(first.q, second.q, sizeof(double) * 3 * COPIES);
    assert_memory_equal(first.v, second.v, sizeof(double) * 3 * COPIES);
    const batch third = roll_arm(true, &operations[2]);
    assert_int_equal(count_objects(".so", name), 1);
    assert_string_equal(name, other);
    assert_memory_equal(first.q, third.q, sizeof(double) * 3 * COPIES);
    empty_cache();
}

/* Whatever is in such a file, the code is that of the model. */
static void damaged_memories_are_not_used(void **unused)
{
    char made[300] = "", bytes[400], changed[400];
    int operations;
    (void)unused;
    empty_cache();
    const batch first = roll_arm(false, &operations);
    assert_int_equal(count_objects(".made", made), 1);
    const size_t n = get(made, bytes, sizeof bytes);
    for (int i = 0; i < 5; i++) {
        const int notes[][5] = {{2, 1, 1, 0, 0}, {2, -1, 0, 0, 0}, {2, 0, 99, 0, 0}, {4, 0, 1, 0, 1}, {1, 1, 0, 0, 0}};
        const size_t size = sizeof(int) * (size_t)(1 + notes[i][0]);
        memcpy(changed, bytes, n);
        memcpy(changed + NOTES_AT, notes[i], size);
        put_signed(made, changed, NOTES_AT + size + 64);
        const batch again = roll_arm(false, &operations);
        assert_memory_equal(first.q, again.q, sizeof(double) * 3 * COPIES);
        assert_int_equal(get(made, changed, sizeof changed), n); /* it was written anew */
        assert_memory_equal(changed, bytes, n);
    }
    empty_cache();
}

/* A copy that is no number fails alone; what is not generated is said, and computed by the engine. */
static void what_cannot_be_is_said(void **unused)
{
    static const char stepping[] = "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 1}}\nstates: {z: {start: 2, rate: -z}}\n"
                                   "bodies: {b: {mass: 1, position: [x, 0]}}\nforces: {f: {type: force, coordinate: x, value: z}}\n";
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_rollout_model *model = open_text(stepping, NULL, messages);
    assert_int_equal(dal_messages_count(messages, DAL_NOTE), 1);
    assert_string_equal(dal_rollout_describe(model).why, "the model has states of its own");
    double q[5] = {0}, v[5] = {0}, z[5] = {2, 1, 0, 3, 1};
    dal_rollout_batch what = {.copies = 5, .method = DAL_ROLLOUT_RK4, .step = 0.01, .steps = 100, .q = q, .v = v, .states = z};
    assert_int_equal(dal_rollout(model, &what, NULL, NULL), DAL_OK);
    assert_true(fabs(z[3] - 3 * exp(-1)) < 1e-9 && fabs(v[3] - 3 * (1 - exp(-1))) < 1e-9); /* h^4 */
    dal_rollout_model_free(model);

    model = open_text(spring, NULL, messages);
    double x[5] = {1, 1, NAN, 1, 1}, xd[5] = {0};
    long done[5];
    dal_rollout_outcome outcome;
    what = (dal_rollout_batch){.copies = 5, .step = 0.01, .steps = 10, .q = x, .v = xd, .done = done};
    assert_int_equal(dal_rollout(model, &what, &outcome, messages), DAL_NUMERICAL);
    assert_true(outcome.failed == 1 && outcome.by_engine == 1 && outcome.by_lanes == 3 && outcome.by_one == 1);
    assert_true(done[2] == 0 && done[0] == 10 && done[4] == 10 && x[0] == x[4] && x[0] < 1);
    what.method = (dal_rollout_method)7;
    assert_int_equal(dal_rollout(model, &what, NULL, NULL), DAL_BAD_COMMAND);
    dal_rollout_model_free(model);
    dal_messages_free(messages);
}

static void options_that_cannot_be_are_refused(void **unused)
{
    static const char *const none[] = {"nothing"}, *const twice[] = {"k", "k"};
    const dal_rollout_options wrong[] = {{.formulation = "kane"},
                                         {.formulation = "nonsense"},
                                         {.coordinates = "nonsense"},
                                         {.n_parameters = 1, .parameters = none},
                                         {.n_parameters = 2, .parameters = twice},
                                         {.n_parameters = -1, .parameters = none},
                                         {.n_parameters = 1},
                                         {.lanes = 3}};
    (void)unused;
    dal_spec *spec = NULL;
    assert_int_equal(dal_spec_parse(NULL, "arm", arm, strlen(arm), 0, NULL, NULL, &spec), DAL_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_rollout_model *model = (dal_rollout_model *)(size_t)1;
        const dal_status status = dal_rollout_model_create(NULL, spec, &wrong[i], messages, &model);
        assert_true(status == DAL_BAD_COMMAND || status == DAL_BAD_MODEL);
        assert_null(model);
        assert_true(dal_messages_count(messages, DAL_ERROR) > 0);
        dal_messages_free(messages);
    }
    dal_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_copy_has_the_same_bits_in_fours_and_alone),
                                       cmocka_unit_test(methods_have_their_orders),
                                       cmocka_unit_test(rows_and_attitudes_are_those_of_the_engine),
                                       cmocka_unit_test(what_cannot_be_is_said),
                                       cmocka_unit_test(options_that_cannot_be_are_refused),
                                       cmocka_unit_test(a_second_model_derives_nothing),
                                       cmocka_unit_test(damaged_memories_are_not_used)};
    char cache[] = "/tmp/test_rollout.XXXXXX";
    if (!mkdtemp(cache) || setenv("XDG_CACHE_HOME", cache, 1))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *const clean[] = {"rm", "-rf", cache, NULL};
    pid_t child;
    if (!posix_spawnp(&child, "rm", NULL, NULL, clean, environ))
        waitpid(child, NULL, 0);
    return failed;
}
