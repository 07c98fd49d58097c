/* Simulations that somebody controls: inputs from C, control periods, steps in bounded time, starts. */
#include "counting.h"

#define run run_model /* run/run.h has a type of that name */
#include "text_runs.h"
#undef run
#include "model/system.h"
#include "run/run.h"

#include <glob.h>

#ifdef CHECK_WATCHED
enum { WATCHED = 1 };
#else
enum { WATCHED = 0 };
#endif

/* ---- systems ------------------------------------------------------------------------------------------- */

/* A model in words, with entries of `simulate:` as in set_all. */
static dal_system *system_of(const char *text, const char *settings)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    if (dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        set_all(spec, settings, messages);
        dal_compile(NULL, spec, messages, &system);
    }
    if (!system)
        fail_msg("%s: %s", settings, dal_messages_first(messages) ? dal_messages_first(messages)->text : "not compiled");
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

static dal_simulation *simulation_of(const dal_system *system, const dal_run_options *options, dal_messages *messages)
{
    dal_simulation *sim = NULL;
    const dal_status status = dal_simulation_create(system, options, messages, &sim);
    if (status != DAL_OK)
        fail_msg("a simulation was refused: %s", dal_messages_first(messages) ? dal_messages_first(messages)->text : dal_status_text(status));
    return sim;
}

/* Some message has these words. */
static bool was_said(const dal_messages *messages, const char *words)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (strstr(m->text, words))
            return true;
    return false;
}

static void must_have_said(const dal_messages *messages, const char *words)
{
    if (!was_said(messages, words))
        fail_msg("nobody said '%s'; first was '%s'", words, dal_messages_first(messages) ? dal_messages_first(messages)->text : "");
}

static void same_rows(const char *what, const trajectory *a, const trajectory *b)
{
    if (a->n != b->n || a->rows != b->rows)
        fail_msg("%s: %d rows of %d numbers instead of %d of %d", what, a->rows, a->n, b->rows, b->n);
    for (int i = 0; i < a->rows * a->n; i++)
        if (memcmp(a->value + i, b->value + i, sizeof *a->value))
            fail_msg("%s: row %d, column %d: %.17g instead of %.17g", what, i / a->n, i % a->n, a->value[i], b->value[i]);
}

/* A pendulum with a torque; %s is what the torque is, %s more of the model. */
#define PENDULUM(more, torque)                                                                                                                       \
    "dalembert: 1\n"                                                                                                                                 \
    "space: planar\n"                                                                                                                                \
    "gravity: [0, -9.81]\n" more "bodies:\n"                                                                                                         \
    "  rod: {mass: 1, inertia: 1/12, angle: -60*deg, points: {P: [-0.5, 0]}}\n"                                                                      \
    "joints:\n"                                                                                                                                      \
    "  pin: {type: revolute, connect: [ground, rod.P]}\n"                                                                                            \
    "forces:\n"                                                                                                                                      \
    "  push: {type: motor, joint: pin, value: " torque "}\n"                                                                                         \
    "simulate: {coordinates: joint, until: 2, every: 0.05}\n"                                                                                        \
    "record: [pin.angle, pin.angle', energy.balance]\n"

static const char with_input[] = PENDULUM("inputs: {u: 0}\n", "u");

/* ---- computed torque -------------------------------------------------------------------------------------- */

enum { JOINTS = 6, LOOKS = 10 };
static const double pace = 8; /* 1/s: e'' + 2 pace e' + pace^2 e = 0 */

static void wanted(int k, double t, double of[3])
{
    const double offset = 0.3 - 0.1 * k, amplitude = 0.4, rate = 1.5 + 0.2 * k;
    of[0] = offset + amplitude * sin(rate * t);
    of[1] = amplitude * rate * cos(rate * t);
    of[2] = -amplitude * rate * rate * sin(rate * t);
}

static double closed_form(int k, double t)
{
    double start[3];
    wanted(k, 0, start);
    return (start[0] + (start[1] + pace * start[0]) * t) * exp(-pace * t);
}

/* The accelerations that make the errors obey their equation. */
static void law(double t, const double *q, const double *v, double *a)
{
    for (int k = 0; k < JOINTS; k++) {
        double d[3];
        wanted(k, t, d);
        a[k] = d[2] + 2 * pace * (d[1] - v[k]) + pace * pace * (d[0] - q[k]);
    }
}

typedef struct computed_torque {
    double ahead; /* the torque is that of this time later: 0, or half a period */
    long calls;
} computed_torque;

static dal_status compute_torque(void *user, dal_simulation *sim)
{
    computed_torque *c = user;
    dal_state *state = dal_simulation_state(sim);
    const double t = dal_simulation_time(sim), h = c->ahead;
    double q[JOINTS], v[JOINTS], a[JOINTS], torque[JOINTS];
    c->calls++;
    if (!state)
        return DAL_NUMERICAL;
    memcpy(q, dal_state_y(state), sizeof q);
    memcpy(v, dal_state_y(state) + JOINTS, sizeof v);
    law(t, q, v, a);
    for (int k = 0; k < JOINTS && h > 0; k++) {
        q[k] += h * (v[k] + h / 2 * a[k]);
        v[k] += h * a[k];
    }
    if (h > 0)
        law(t + h, q, v, a);
    const dal_status status = dal_inverse_dynamics(state, q, v, a, NULL, torque);
    for (int k = 0; status == DAL_OK && k < JOINTS; k++)
        if (!dal_simulation_set_input_number(sim, k, torque[k]))
            return DAL_BAD_COMMAND;
    return status;
}

/* The robot of a URDF file, with motors u1 ... u6 that are put into its description. NULL: no URDF here. */
static dal_system *robot_with_motors(const char *settings)
{
    static const char *const joints[JOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                               "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
    static const char *const inputs[JOINTS] = {"u1", "u2", "u3", "u4", "u5", "u6"}, *const motors[JOINTS] = {"m1", "m2", "m3", "m4", "m5", "m6"};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_pair pairs[JOINTS] = {0};
    dal_text values[JOINTS] = {0};
    dal_force_spec forces[20] = {0};
    const dal_status status = dal_spec_read(NULL, DAL_REFERENCE "/robots/ur5.urdf", 0, NULL, messages, &spec);
    if (status != DAL_OK) {
        const bool missing = was_said(messages, "libxml2");
        dal_messages_free(messages);
        if (!missing)
            fail_msg("the robot cannot be read");
        return NULL;
    }
    assert_true(spec->n_forces <= 14);
    set_all(spec, settings, messages);
    if (spec->n_forces)
        memcpy(forces, spec->forces, sizeof *forces * (size_t)spec->n_forces);
    spec->forces = forces;
    for (int k = 0; k < JOINTS; k++) {
        pairs[k].name.text = values[k].text = inputs[k];
        pairs[k].value.text = "0";
        forces[spec->n_forces++] =
            (dal_force_spec){.name.text = motors[k], .type.text = "motor", .joint.text = joints[k], .value = {.n = 1, .item = &values[k]}};
    }
    spec->inputs = pairs;
    spec->n_inputs = JOINTS;
    if (dal_compile(NULL, spec, messages, &system) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages)->text);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* The errors of the joints at LOOKS instants of one second. */
static void controlled_errors(const dal_system *system, double period, bool ahead, double error[LOOKS][JOINTS])
{
    dal_messages *messages = dal_messages_create(NULL);
    computed_torque c = {.ahead = ahead ? period / 2 : 0};
    const dal_run_options options = {.control = compute_torque, .control_user = &c, .period = period};
    dal_simulation *sim = simulation_of(system, &options, messages);
    for (int i = 0; i < LOOKS; i++) {
        const double t = (i + 1.0) / LOOKS;
        assert_int_equal(dal_step(sim, t), DAL_OK);
        assert_true(dal_simulation_time(sim) == t);
        const double *q = dal_state_y(dal_simulation_state(sim));
        for (int k = 0; k < JOINTS; k++) {
            double d[3];
            wanted(k, t, d);
            error[i][k] = d[0] - q[k];
        }
    }
    assert_true(labs(c.calls - lround(1 / period)) <= 1);
    dal_simulation_free(sim);
    dal_messages_free(messages);
}

/* The largest |x e1 + (1 - x) e2 - closed form|. */
static double miss_of(double x, double e1[LOOKS][JOINTS], double e2[LOOKS][JOINTS])
{
    double most = 0;
    for (int i = 0; i < LOOKS; i++)
        for (int k = 0; k < JOINTS; k++)
            most = fmax(most, fabs(x * e1[i][k] + (1 - x) * e2[i][k] - closed_form(k, (i + 1.0) / LOOKS)));
    return most;
}

/* Held torques act half a period late on average: the errors miss their closed form by c T + O(T^2). Two periods give c, and what is left without it is of
 * second order; so is a controller that computes its torques for the middle of the period. */
static void computed_torque_has_its_closed_form_as_the_period_goes_to_zero(void **state)
{
    (void)state;
    enum { PERIODS = WATCHED ? 3 : 4 };
    static double error[PERIODS][LOOKS][JOINTS], better[PERIODS][LOOKS][JOINTS];
    double first[PERIODS], second[PERIODS], ahead[PERIODS];
    dal_system *system = robot_with_motors("rtol=1e-10 atol=1e-12");
    if (!system)
        skip();
    for (int p = 0; p < PERIODS; p++) {
        const double period = 4e-3 / (1 << p);
        controlled_errors(system, period, false, error[p]);
        controlled_errors(system, period, true, better[p]);
        first[p] = miss_of(1, error[p], error[p]);
        second[p] = p ? miss_of(2, error[p], error[p - 1]) : NAN; /* 2 e(T) - e(2 T) */
        ahead[p] = miss_of(1, better[p], better[p]);
        print_message("period %.1f ms: %.3e rad from the closed form, extrapolated %.3e, half a period ahead %.3e\n", 1e3 * period, first[p],
                      second[p], ahead[p]);
        if (p) {
            check_close(first[p - 1] / first[p], 2, 0.05);
            check_close(ahead[p - 1] / ahead[p], 4, 0.2);
        }
        if (p > 1)
            check_close(second[p - 1] / second[p], 4, 0.4);
    }
    /* 1 ms is the third: what the order leaves of the first one, and 2 % */
    check_small(first[2], 1.02 * first[0] / 4);
    check_small(ahead[2], 1.1 * ahead[0] / 16);
    dal_system_free(system);
}

/* ---- a wave from C, and the same in the model ----------------------------------------------------------------- */

static const double half_wave = 0.17;
static double wave(long k)
{
    return k % 2 ? -1.5 : 2.5;
}

static const char with_wave[] = PENDULUM("", "'if(mod(t, 0.34) < 0.17, 2.5, -1.5)'");

static dal_status make_wave(void *user, dal_simulation *sim)
{
    long *k = user;
    return dal_simulation_set_input(sim, "u", wave((*k)++)) ? DAL_OK : DAL_BAD_COMMAND;
}

/* Set between steps; in a callback; by an expression. The first two have the same digits, the third has its switches located. */
static void a_wave_from_c_is_the_wave_of_the_model(void **state)
{
    (void)state;
    /* Fixed steps restart at the switches, so that all three take the same ones. Methods that choose their steps take others on the way to a switch that
     * they do not know of: what is left is their own error, and 1e-12 needs tolerances near rounding. */
    static const char *const methods[] = {"integrator=rk4 step=1e-3",
                                          "integrator=rk6 step=1e-3",
                                          "integrator=ab6 step=1e-3",
                                          "integrator=dopri5 rtol=1e-13 atol=1e-15",
                                          "integrator=cvode-adams rtol=1e-14 atol=1e-16",
                                          "integrator=cvode-bdf rtol=1e-14 atol=1e-16"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        char settings[200];
        snprintf(settings, sizeof settings, "event-tolerance=1e-15 %s", methods[m]);
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = system_of(with_input, settings);
        trajectory loop = {0}, callback = {0}, model = run_text(with_wave, settings);
        if (model.status == DAL_BAD_COMMAND && strstr(model.message, "cannot be used here")) {
            dal_system_free(system);
            dal_messages_free(messages);
            continue;
        }
        if (model.status != DAL_OK)
            fail_msg("%s: %s", settings, model.message);
        const dal_sink sink = {&loop, begin, keep_row};
        dal_simulation *sim = simulation_of(system, &(dal_run_options){.sink = &sink}, messages);
        for (long k = 0; dal_simulation_time(sim) < 2; k++) {
            assert_true(dal_simulation_set_input(sim, "u", wave(k)));
            assert_int_equal(dal_step(sim, fmin((double)(k + 1) * half_wave, 2)), DAL_OK);
        }
        long calls = 0;
        const dal_sink other = {&callback, begin, keep_row};
        const dal_run_options options = {.sink = &other, .control = make_wave, .control_user = &calls, .period = half_wave};
        assert_int_equal(dal_run(system, &options, messages, &callback.evidence), DAL_OK);
        same_rows(settings, &callback, &loop);
        double most = 0, size[2] = {0};
        assert_int_equal(model.rows, loop.rows);
        for (int i = 0; i < model.rows; i++)
            for (int c = 0; c < 2; c++)
                size[c] = fmax(size[c], fabs(at(&model, i, c + 1)));
        for (int i = 0; i < model.rows; i++)
            for (int c = 0; c < 2; c++)
                most = fmax(most, fabs(at(&model, i, c + 1) - at(&loop, i, c + 1)) / size[c]);
        print_message("%s: %.1e\n", settings, most);
        if (!(most <= 1e-12))
            fail_msg("%s: %.2e from the wave of the model", settings, most);
        dal_simulation_free(sim);
        dal_system_free(system);
        dal_messages_free(messages);
        free(loop.value);
        free(callback.value);
        free(model.value);
    }
}

/* ---- control periods --------------------------------------------------------------------------------------------- */

typedef struct visits {
    int n, stop_at;
    double time[100];
    dal_status answer;
} visits;

static dal_status visit(void *user, dal_simulation *sim)
{
    visits *v = user;
    assert_true(v->n < 100);
    v->time[v->n++] = dal_simulation_time(sim);
    assert_true(dal_simulation_value(sim, 0) == dal_simulation_time(sim));
    return v->n == v->stop_at ? v->answer : DAL_OK;
}

static void a_period_that_does_not_divide_the_end(void **state)
{
    (void)state;
    static const char *const methods[] = {"", "integrator=rk4 step=7e-3", "integrator=ab6 step=3e-3", "integrator=cvode-bdf"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        visits v = {0};
        dal_evidence evidence;
        dal_system *system = system_of(with_input, methods[m]);
        const dal_run_options options = {.control = visit, .control_user = &v, .period = 0.3};
        const dal_status status = dal_run(system, &options, NULL, &evidence);
        if (status != DAL_BAD_COMMAND) {
            assert_int_equal(status, DAL_OK);
            assert_int_equal(v.n, 7); /* 0, 0.3, ..., 1.8 */
            for (int k = 0; k < v.n; k++)
                assert_true(v.time[k] == k * 0.3);
            assert_true(evidence.time_end == 2);
        }
        dal_system_free(system);
    }
}

/* The controller gives up at its fourth call, t = 0.9: rows until then, and its status. */
static void a_controller_that_fails_ends_the_run(void **state)
{
    (void)state;
    visits v = {.stop_at = 4, .answer = DAL_BAD_FILE};
    trajectory rows = {0};
    dal_evidence evidence;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = system_of(with_input, "");
    const dal_sink sink = {&rows, begin, keep_row};
    const dal_run_options options = {.sink = &sink, .control = visit, .control_user = &v, .period = 0.3};
    assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_BAD_FILE);
    assert_int_equal(v.n, 4);
    assert_int_equal(rows.rows, 19); /* 0, 0.05, ..., 0.9 */
    check_close(last(&rows, 0), 0.9, 1e-12);
    check_close(evidence.time_end, 0.9, 1e-12);
    assert_true(evidence.incomplete);
    v = (visits){.stop_at = 1, .answer = DAL_NUMERICAL}; /* at once, and of a simulation: every further step answers the same */
    rows.rows = 0;
    dal_simulation *sim = simulation_of(system, &options, messages);
    assert_int_equal(dal_step(sim, 1), DAL_NUMERICAL);
    assert_int_equal(dal_step(sim, 1), DAL_NUMERICAL);
    assert_int_equal(dal_look(sim, 1), DAL_NUMERICAL);
    assert_int_equal(v.n, 1);
    assert_int_equal(rows.rows, 1);
    assert_true(dal_simulation_time(sim) == 0);
    dal_simulation_free(sim);
    dal_system_free(system);
    dal_messages_free(messages);
    free(rows.value);
}

/* What a controller may not do is refused, and the run goes on. */
static dal_status misbehave(void *user, dal_simulation *sim)
{
    const void *blob = user;
    assert_false(dal_simulation_set_input(sim, "v", 1));
    assert_false(dal_simulation_set_input(sim, NULL, 1));
    assert_false(dal_simulation_set_input(sim, "u", NAN));
    assert_false(dal_simulation_set_input(sim, "u", INFINITY));
    assert_false(dal_simulation_set_input_number(sim, 1, 0));
    assert_false(dal_simulation_set_input_number(sim, -1, 0));
    assert_int_equal(dal_step(sim, 1), DAL_BAD_COMMAND);
    assert_int_equal(dal_look(sim, 1), DAL_BAD_COMMAND);
    assert_int_equal(dal_step_fixed(sim, 1e-3, 0), DAL_BAD_COMMAND);
    assert_int_equal(dal_simulation_restore(sim, blob, 20), DAL_BAD_COMMAND);
    dal_simulation_free(sim);
    assert_false(dal_state_set_input(dal_simulation_state(sim), "u", 3));
    assert_false(dal_state_set_time(dal_simulation_state(sim), 3));
    assert_true(dal_simulation_input(sim, 0) == 0);
    return DAL_OK;
}

static void what_a_controller_may_not_do_changes_nothing(void **state)
{
    (void)state;
    char blob[20] = "dalembert";
    trajectory with = {0}, without = run_text_well(with_input, "");
    dal_messages *messages = dal_messages_create(NULL);
    dal_evidence evidence;
    dal_system *system = system_of(with_input, "");
    const dal_sink sink = {&with, begin, keep_row};
    const dal_run_options options = {.sink = &sink, .control = misbehave, .control_user = blob, .period = 10};
    assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
    same_rows("a controller that is refused", &with, &without);
    must_have_said(messages, "no input 'v'");
    must_have_said(messages, "not finite");
    must_have_said(messages, "no input 1; the model has 1");
    must_have_said(messages, "cannot be stepped from its own callbacks");
    must_have_said(messages, "cannot be restored from its own callbacks");
    dal_run_options wrong = {.control = visit, .period = 0};
    dal_simulation *sim = NULL;
    assert_int_equal(dal_simulation_create(system, &wrong, messages, &sim), DAL_BAD_COMMAND);
    assert_null(sim);
    wrong.period = NAN;
    assert_int_equal(dal_run(system, &wrong, messages, &evidence), DAL_BAD_COMMAND);
    must_have_said(messages, "needs a `period`");
    dal_system_free(system);
    dal_messages_free(messages);
    free(with.value);
    free(without.value);
}

/* Ends of steps, and control periods, that are a rounding apart: 3 * 0.1 and 0.3. */
static void stops_a_rounding_apart_are_one(void **state)
{
    (void)state;
    static const char *const methods[] = {"",
                                          "integrator=rk4 step=1e-3",
                                          "integrator=rk6 step=1e-2",
                                          "integrator=ab6 step=1e-3",
                                          "integrator=cvode-bdf",
                                          "integrator=cvode-adams",
                                          "integrator=ida"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        long calls = 0;
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = system_of(with_input, methods[m]);
        dal_run_options options = {.control = make_wave, .control_user = &calls, .period = 0.1};
        dal_simulation *sim = NULL;
        if (dal_simulation_create(system, &options, messages, &sim) == DAL_OK) {
            for (double t = 0.1; t < 3; t += 0.1) { /* sums of tenths, beyond `until` */
                const dal_status status = dal_step(sim, t);
                if (status != DAL_OK)
                    fail_msg("%s: %s", methods[m], dal_messages_first(messages)->text);
                assert_true(dal_simulation_time(sim) == t);
                assert_int_equal(dal_step(sim, nextafter(t, 9)), DAL_OK);
                assert_true(dal_simulation_time(sim) == nextafter(t, 9));
                t = nextafter(t, 9);
            }
            assert_int_equal(calls, 30);
            dal_evidence evidence;
            assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
            if (!strncmp(methods[m], "integrator=rk4", 14))
                assert_true(evidence.steps <= 3010);
        }
        dal_simulation_free(sim);
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

/* Beyond `until:` a look has no step to end at. What is the same time does not become coarser for it: a thousand steps of a nanosecond are a microsecond. */
static void steps_may_be_short_after_a_look_beyond_the_end(void **state)
{
    (void)state;
    static const char *const methods[] = {"", "integrator=rk4 step=1e-3", "integrator=ab6 step=1e-3"};
    for (size_t m = 0; m < 3; m++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = system_of(with_input, methods[m]);
        dal_simulation *a = simulation_of(system, NULL, messages), *b = simulation_of(system, NULL, messages);
        assert_int_equal(dal_look(a, 2.5), DAL_OK);
        assert_int_equal(dal_step(a, 2.5), DAL_OK);
        assert_int_equal(dal_step(b, 2.5), DAL_OK);
        for (int k = 1; k <= 1000; k++)
            assert_int_equal(dal_step(a, 2.5 + 1e-9 * k), DAL_OK);
        const double before = dal_simulation_value(b, 1), rate = dal_simulation_value(b, 2);
        assert_int_equal(dal_step(b, 2.5 + 1e-6), DAL_OK);
        check_close(dal_simulation_value(a, 1), dal_simulation_value(b, 1), 2e-8); /* the tolerance: other steps until 2.5 */
        check_close(dal_simulation_value(a, 2), dal_simulation_value(b, 2), 2e-7);
        check_close(dal_simulation_value(b, 1) - before, 1e-6 * rate, 1e-11);
        dal_simulation_free(a);
        dal_simulation_free(b);
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

/* ---- fixed steps --------------------------------------------------------------------------------------------------- */

static const char smooth[] = PENDULUM("", "sin(3*t) - 0.1*pin.angle'");

static void fixed_steps_are_those_of_a_run(void **state)
{
    (void)state;
    static const char *const methods[] = {"integrator=rk4 step=2^-9", "integrator=rk6 step=2^-7", "integrator=ab6 step=2^-9",
                                          "integrator=rk4 step=1e-3"};
    static const double h[] = {0x1p-9, 0x1p-7, 0x1p-9, 1e-3};
    static const long steps[] = {1024, 256, 1024, 2000};
    for (size_t m = 0; m < 4; m++) {
        char settings[100];
        snprintf(settings, sizeof settings, m < 3 ? "%s every=2^-5" : "%s", methods[m]);
        trajectory stepped = {0}, model = run_text_well(smooth, settings);
        dal_system *system = system_of(smooth, settings);
        dal_messages *messages = dal_messages_create(NULL);
        const dal_sink sink = {&stepped, begin, keep_row};
        dal_simulation *sim = simulation_of(system, &(dal_run_options){.sink = &sink}, messages);
        for (long k = 0; k < steps[m]; k++)
            assert_int_equal(dal_step_fixed(sim, h[m], 0), DAL_OK);
        check_close(dal_simulation_time(sim), 2, 4e-15);
        same_rows(settings, &stepped, &model);
        dal_evidence evidence;
        assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
        assert_int_equal(evidence.steps, model.evidence.steps);
        assert_int_equal(evidence.evaluations, model.evidence.evaluations);
        assert_int_equal(evidence.fixed_steps, steps[m]);
        assert_int_equal(evidence.late_events, 0);
        assert_true(evidence.fixed_median > 0 && evidence.fixed_median <= evidence.fixed_longest * 1.05);
        dal_simulation_free(sim);
        dal_messages_free(messages);
        dal_system_free(system);
        free(stepped.value);
        free(model.value);
    }
}

/* ---- bounded work -------------------------------------------------------------------------------------------------- */

/* Evaluations of the equations and of guards so far. */
static long work_of(const dal_simulation *sim)
{
    return sim->driver.s.evaluations + sim->driver.guard_evaluations;
}

/* `calls` steps of h: none of them does more than `work` and two plain steps, each with the guards at both ends. Returns the late events; *most: the largest work
 * of a call. A motion that ends early is fine. */
static long bounded(const char *what, const dal_system *system, double h, long work, int calls, long *most)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_simulation *sim = NULL;
    dal_evidence evidence = {0};
    *most = 0;
    if (dal_simulation_create(system, NULL, messages, &sim) == DAL_OK) {
        const int stages = system->method.integrator->order == 4 ? 4 : 7; /* rk4; rk6, which ab6 restarts with */
        for (int k = 0; k < calls; k++) {
            const long before = work_of(sim);
            const dal_status status = dal_step_fixed(sim, h, work);
            const long done = work_of(sim) - before;
            *most = done > *most ? done : *most;
            if (done > work + 2 * (stages + 2))
                fail_msg("%s: %ld evaluations in a step at t = %.9g, bounded by %ld", what, done, dal_simulation_time(sim), work);
            if (status != DAL_OK)
                break;
        }
        dal_simulation_evidence(sim, &evidence);
    }
    dal_simulation_free(sim);
    dal_messages_free(messages);
    return evidence.late_events;
}

/* The work of fixed steps is bounded, and events that cannot be located for it are counted. */
static void bounded_steps_keep_their_bound(void **state)
{
    (void)state;
    static const char *const methods[] = {"integrator=rk4 step=2e-3", "integrator=rk6 step=2e-3", "integrator=ab6 step=2e-3"};
    for (size_t m = 0; m < 3; m++) {
        long most = 0;
        dal_system *system = system_of(with_wave, methods[m]);
        const long late = bounded(methods[m], system, 7.3e-3, 1, 270, &most);
        assert_int_equal(late, 11); /* every switch of the wave until 1.97 s */
        assert_int_equal(bounded(methods[m], system, 7.3e-3, 1000, 270, &most), 0);
        dal_system_free(system);
    }
    /* sliding along a switch, sticking and slipping, several switches at once */
    static const char *const hard[] = {PENDULUM("", "\"-8*sign(pin.angle' + 3*(pin.angle + 1))\""),
                                       PENDULUM("", "\"if(mod(t, 0.01) < 0.004, 2, -2) - sign(pin.angle') + if(mod(t, 0.01) < 0.004, 1, 3)\""),
                                       PENDULUM("", "\"-20*sign(pin.angle + 1)*if(pin.angle' > 0, 1, 0.5) - 3*sign(pin.angle')\""),
                                       "dalembert: 1\n"
                                       "space: planar\n"
                                       "gravity: [0, -9.81]\n"
                                       "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, position: [0, 1], rate: 3}}\n"
                                       "joints:\n"
                                       "  way: {type: prismatic, connect: [ground, a], axis: [1, 0], friction: {coefficient: 0.3, static: 0.4}}\n"
                                       "  hub: {type: revolute, connect: [a, b], friction: {limit: 0.8, static-limit: 0.9}}\n"
                                       "forces:\n"
                                       "  push: {type: force, joint: way, value: 9*sin(20*t)}\n"
                                       "  turn: {type: motor, joint: hub, value: 2*sin(31*t)}\n"
                                       "simulate: {until: 2}\n"};
    for (size_t k = 0; k < sizeof hard / sizeof *hard; k++)
        for (size_t m = 0; m < 3; m++) {
            dal_system *system = system_of(hard[k], methods[m]);
            long most = 0, late = 0;
            for (long work = 1; work < 100; work *= 3)
                late += bounded(methods[m], system, 7.3e-3, work, 270, &most);
            print_message("hard %zu, %s: %ld late events\n", k, methods[m], late);
            assert_true(late > 5);
            dal_system_free(system);
        }
    long late = 0, located = 0, models = 0;
    glob_t found;
    assert_int_equal(glob(DAL_MODELS "/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        for (size_t m = 0; m < (WATCHED ? 1 : 3); m++) {
            dal_spec *spec = NULL;
            dal_system *system = NULL;
            if (dal_spec_read(NULL, found.gl_pathv[i], 0, NULL, NULL, &spec) == DAL_OK) {
                set_all(spec, methods[m], NULL);
                dal_compile(NULL, spec, NULL, &system);
            }
            if (system && (dal_switches(system) || system->acting.n_frictions)) {
                long most = 0;
                const double h = fmin(system->info.until / 200, 5e-3);
                char what[400];
                snprintf(what, sizeof what, "%s %s", strrchr(found.gl_pathv[i], '/') + 1, methods[m]);
                late += bounded(what, system, h, 1, 200, &most);
                late += bounded(what, system, h, 30, 200, &most);
                located += bounded(what, system, h, 100000, 200, &most) == 0;
                models++;
            }
            dal_system_free(system);
            dal_spec_free(spec);
        }
    globfree(&found);
    print_message("%ld models with events: %ld late\n", models, late);
    assert_true(models > 5 && late > 5);
    assert_int_equal(located, models);
}

static dal_status push_at_random(void *user, dal_simulation *sim)
{
    return dal_simulation_set_input_number(sim, 0, check_random(user)) ? DAL_OK : DAL_BAD_COMMAND;
}

/* A controller that is called n times inside a step divides it: at most `work` and 2 (n + 1) plain steps. With a period that is a multiple of the step it costs
 * nothing beyond them. */
static void control_instants_inside_a_step_keep_their_bound(void **state)
{
    (void)state;
    static const char *const methods[] = {"integrator=rk4 step=2e-3", "integrator=rk6 step=2e-3", "integrator=ab6 step=2e-3"};
    static const char text[] = PENDULUM("inputs: {u: 0}\n", "\"u - 3*sign(pin.angle') + if(mod(t, 0.3) < 0.1, 2, -2)\"");
    static const double parts[] = {0.23, 0.5, 0.7, 1, 2};
    for (size_t m = 0; m < 3; m++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            for (long work = 1; work < 200; work *= 10) {
                const double h = 7.3e-3, period = parts[k] * h;
                const long inside = (long)ceil(1 / parts[k] - 1e-9);
                uint64_t seed = 5;
                dal_messages *messages = dal_messages_create(NULL);
                dal_system *system = system_of(text, methods[m]);
                dal_simulation *sim =
                    simulation_of(system, &(dal_run_options){.control = push_at_random, .control_user = &seed, .period = period}, messages);
                const long stages = system->method.integrator->order == 4 ? 4 : 7;
                const long bound = work + 2 * ((parts[k] < 1 ? inside : 0) + 1) * (stages + 2);
                for (int i = 0; i < 200; i++) {
                    const long before = work_of(sim);
                    assert_int_equal(dal_step_fixed(sim, h, work), DAL_OK);
                    if (work_of(sim) - before > bound)
                        fail_msg("%s, %g instants: %ld evaluations, bounded by %ld", methods[m], 1 / parts[k], work_of(sim) - before, bound);
                }
                dal_simulation_free(sim);
                dal_system_free(system);
                dal_messages_free(messages);
            }
}

/* A late event acts at the end of its step: the motion is off by that, and no more. */
static void late_events_act_at_the_end_of_the_step(void **state)
{
    (void)state;
    dal_system *system = system_of(with_wave, "integrator=rk4 step=1e-3"), *exact = system_of(with_wave, "rtol=1e-11 atol=1e-12");
    dal_messages *messages = dal_messages_create(NULL);
    double off[3];
    dal_simulation *right = simulation_of(exact, NULL, messages);
    assert_int_equal(dal_step(right, 2), DAL_OK);
    for (int p = 0; p < 3; p++) {
        dal_simulation *sim = simulation_of(system, NULL, messages);
        const int n = 2000 << p;
        for (int k = 0; k < n; k++)
            assert_int_equal(dal_step_fixed(sim, 2.0 / n, 1), DAL_OK);
        dal_evidence evidence;
        assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
        off[p] = fabs(dal_simulation_value(sim, 1) - dal_simulation_value(right, 1));
        print_message("%d steps: %ld late events, off by %.2e rad\n", n, evidence.late_events, off[p]);
        check_small(off[p], 12 * 4.0 * 2.0 / n); /* jumps of 4 N m, acting on 1/3 kg m^2 for 2 s, each less than a step late */
        dal_simulation_free(sim);
    }
    dal_simulation_free(right);
    dal_system_free(system);
    dal_system_free(exact);
    dal_messages_free(messages);
}

/* ---- memory and time --------------------------------------------------------------------------------------------------- */

static dal_status ignore_begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static dal_status ignore_row(void *user, int n, const double *values)
{
    (void)n, (void)values;
    ++*(long *)user;
    return DAL_OK;
}

static dal_status busy_control(void *user, dal_simulation *sim)
{
    dal_simulation_set_input_number(sim, 0, 0.1 * sin(40 * dal_simulation_time(sim)) * ++*(int *)user);
    return dal_simulation_values(sim, NULL) && dal_simulation_state(sim) ? DAL_OK : DAL_NUMERICAL;
}

static void take_memory(const char *what, const dal_system *system)
{
    long rows = 0, before;
    int calls = 0;
    const dal_sink sink = {&rows, ignore_begin, ignore_row};
    const dal_run_options options = {.sink = &sink, .control = busy_control, .control_user = &calls, .period = 0.013};
    dal_messages *messages = dal_messages_create(NULL);
    dal_simulation *sim = simulation_of(system, &options, messages);
    const size_t size = dal_simulation_save(sim, NULL, 0);
    void *blob = malloc(size);
    before = taken;
    dal_status status = DAL_OK;
    for (int k = 1; k <= 40 && status == DAL_OK; k++) {
        status = dal_step(sim, 0.01 * k);
        if (status == DAL_OK && k % 3 == 0)
            status = dal_look(sim, 0.01 * k + 3e-3);
        if (status == DAL_OK && k % 5 == 0 && !system->method.integrator->adaptive)
            status = dal_step_fixed(sim, 1e-4, k % 2 ? 5 : 0);
        if (!dal_simulation_values(sim, NULL) || !dal_simulation_state(sim) || !isfinite(dal_simulation_value(sim, 1)))
            status = DAL_NUMERICAL;
        if (k == 20)
            dal_simulation_save(sim, blob, size);
    }
    if (status == DAL_OK)
        status = dal_simulation_restore(sim, blob, size);
    const long blocks = taken - before;
    if (status != DAL_OK || blocks)
        fail_msg("%s: status %d, %ld blocks of memory were taken", what, (int)status, blocks);
    assert_true(calls > 20 && rows > 5);
    free(blob);
    dal_simulation_free(sim);
    dal_messages_free(messages);
}

static void steps_and_looks_take_no_memory(void **state)
{
    (void)state;
    static const char *const methods[] = {"",
                                          "integrator=rk4 step=1e-3",
                                          "integrator=rk6 step=1e-3",
                                          "integrator=ab6 step=1e-3",
                                          "coordinates=natural",
                                          "coordinates=euler",
                                          "coordinates=angle formulation=kane",
                                          "formulation=recursive",
                                          "formulation=udwadia-kalaba",
                                          "coordinates=angle stabilization=coordinate-partitioning"};
    static const char *const texts[] = {with_input, PENDULUM("inputs: {u: 0}\n", "'u + if(mod(t, 0.34) < 0.17, 2.5, -1.5)'")};
    if (!COUNTING)
        skip();
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t k = 0; k < 2; k++) {
            dal_system *system = system_of(texts[k], methods[m]);
            take_memory(methods[m], system);
            dal_system_free(system);
        }
    dal_system *robot = robot_with_motors("integrator=rk4 step=1e-3");
    if (robot)
        take_memory("a robot", robot);
    dal_system_free(robot);
}

/* The times of dal_step_fixed are there, and make sense beside the clock. */
static void the_times_of_fixed_steps_are_measured(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = system_of(smooth, "integrator=rk4 step=1e-3");
    dal_simulation *sim = simulation_of(system, NULL, messages);
    dal_evidence evidence;
    assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
    assert_int_equal(evidence.fixed_steps, 0);
    assert_true(isnan(evidence.fixed_median) && isnan(evidence.fixed_longest));
    const double begun = dal_clock();
    for (int k = 0; k < 1000; k++)
        assert_int_equal(dal_step_fixed(sim, 1e-3, 0), DAL_OK);
    const double whole = dal_clock() - begun;
    assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
    print_message("median %.2e s, longest %.2e s, all %.2e s\n", evidence.fixed_median, evidence.fixed_longest, whole);
    assert_int_equal(evidence.fixed_steps, 1000);
    assert_true(evidence.fixed_median > 0 && evidence.fixed_longest <= whole);
    assert_true(500 * evidence.fixed_median <= 1.03 * whole); /* half of them took that, or longer */
    assert_true(evidence.fixed_median <= 1.03 * evidence.fixed_longest);
    dal_simulation_free(sim);
    dal_system_free(system);
    dal_messages_free(messages);
}

static void fixed_steps_are_refused_where_they_make_no_sense(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *fixed = system_of(smooth, "integrator=rk4 step=1e-3"), *adaptive = system_of(smooth, "");
    dal_simulation *a = simulation_of(fixed, NULL, messages), *b = simulation_of(adaptive, NULL, messages);
    assert_int_equal(dal_step_fixed(a, 0, 0), DAL_BAD_COMMAND);
    assert_int_equal(dal_step_fixed(a, -1e-3, 0), DAL_BAD_COMMAND);
    assert_int_equal(dal_step_fixed(a, NAN, 0), DAL_BAD_COMMAND);
    assert_int_equal(dal_step_fixed(a, 1e-3, -1), DAL_BAD_COMMAND);
    assert_int_equal(dal_step_fixed(b, 1e-3, 0), DAL_BAD_COMMAND);
    assert_int_equal(dal_step_fixed(NULL, 1e-3, 0), DAL_BAD_COMMAND);
    must_have_said(messages, "`h` is not greater than zero");
    must_have_said(messages, "`h` is not a finite number");
    must_have_said(messages, "`work` is negative");
    must_have_said(messages, "'dopri5' chooses its own steps");
    assert_true(dal_simulation_time(a) == 0 && dal_simulation_time(b) == 0);
    assert_int_equal(dal_step(a, -1), DAL_BAD_COMMAND);
    assert_int_equal(dal_step(a, INFINITY), DAL_BAD_COMMAND);
    assert_int_equal(dal_step(a, 1), DAL_OK);
    assert_int_equal(dal_step(a, 1), DAL_OK); /* there already */
    assert_int_equal(dal_step(a, 0.5), DAL_BAD_COMMAND);
    must_have_said(messages, "cannot go back to 0.5");
    dal_simulation_free(a);
    dal_simulation_free(b);
    dal_system_free(fixed);
    dal_system_free(adaptive);
    dal_messages_free(messages);
}

/* The largest |lambda| h is that of the steps that were made, not of the model's `step:`. */
static void the_evidence_knows_the_steps_that_were_made(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = system_of(smooth, "integrator=rk4 step=1e-3");
    double seen[2];
    for (int p = 0; p < 2; p++) {
        dal_simulation *sim = simulation_of(system, NULL, messages);
        dal_evidence evidence;
        for (int k = 0; k < 400; k++)
            assert_int_equal(dal_step_fixed(sim, p ? 4e-3 : 1e-3, 0), DAL_OK);
        assert_int_equal(dal_simulation_evidence(sim, &evidence), DAL_OK);
        seen[p] = evidence.stiffness;
        dal_simulation_free(sim);
    }
    check_close(seen[1] / seen[0], 4, 1);
    dal_system_free(system);
    dal_messages_free(messages);
}

/* ---- starts ---------------------------------------------------------------------------------------------------------------- */

static const char four_bar[] = DAL_MODELS "/four-bar-spring.yaml";

static dal_system *system_in(const char *file, const char *settings)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, NULL, &spec), DAL_OK);
    set_all(spec, settings, NULL);
    assert_int_equal(dal_compile(NULL, spec, NULL, &system), DAL_OK);
    dal_spec_free(spec);
    return system;
}

/* A run to 1 s, and a simulation from its final state to 2 s: what a run to 2 s comes to. */
static void a_simulation_goes_on_from_the_end_of_a_run(void **state)
{
    (void)state;
    static const char *const families[] = {"coordinates=angle", "coordinates=joint", "coordinates=natural", "coordinates=joint formulation=kane"};
    for (size_t f = 0; f < 4; f++) {
        char settings[200];
        dal_messages *messages = dal_messages_create(NULL);
        dal_evidence evidence;
        snprintf(settings, sizeof settings, "until=1 rtol=1e-11 atol=1e-12 %s", families[f]);
        dal_system *system = system_in(four_bar, settings);
        dal_state *final = dal_state_create(NULL, system);
        assert_int_equal(dal_run(system, &(dal_run_options){.final = final}, messages, &evidence), DAL_OK);
        assert_true(dal_state_time(final) == 1);
        dal_simulation *on = simulation_of(system, &(dal_run_options){.start = final}, messages), *whole = simulation_of(system, NULL, messages);
        assert_true(dal_simulation_time(on) == 1);
        dal_state_free(final); /* it was copied */
        assert_int_equal(dal_step(on, 2), DAL_OK);
        assert_int_equal(dal_step(whole, 2), DAL_OK);
        int n;
        const double *a = dal_simulation_values(on, &n), *b = dal_simulation_values(whole, NULL);
        for (int k = 0; k < n; k++)
            if (!(fabs(a[k] - b[k]) <= 1e-7 * (1 + fabs(b[k]))))
                fail_msg("%s, column %d: %.12g instead of %.12g", families[f], k, a[k], b[k]);
        /* a third one, from the state of the first, which is lent; and a run, which has no time left */
        dal_simulation *third = simulation_of(system, &(dal_run_options){.start = dal_simulation_state(on)}, messages);
        assert_true(dal_simulation_time(third) == 2);
        const double *c = dal_simulation_values(third, NULL);
        a = dal_simulation_values(on, NULL);
        for (int k = 0; k < n; k++)
            check_close(c[k], a[k], 1e-9 * (1 + fabs(a[k])));
        assert_int_equal(dal_run(system, &(dal_run_options){.start = dal_simulation_state(on)}, messages, &evidence), DAL_BAD_COMMAND);
        must_have_said(messages, "the run ends at 1");
        dal_simulation_free(third);
        dal_simulation_free(whole);
        dal_simulation_free(on);
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

/* The inputs of the start are taken over. */
static void a_start_brings_its_inputs(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = system_of(with_input, "");
    dal_state *start = dal_state_create(NULL, system);
    assert_true(dal_state_set_input(start, "u", 3));
    assert_true(dal_state_set_time(start, 0.5));
    dal_simulation *a = simulation_of(system, &(dal_run_options){.start = start}, messages), *b = simulation_of(system, NULL, messages);
    assert_true(dal_simulation_input(a, 0) == 3 && dal_simulation_input(b, 0) == 0);
    assert_true(dal_simulation_set_input(b, "u", 3));
    assert_int_equal(dal_step(a, 1.5), DAL_OK);
    assert_int_equal(dal_step(b, 1), DAL_OK);
    check_close(dal_simulation_value(a, 1), dal_simulation_value(b, 1), 1e-7);
    dal_simulation_free(a);
    dal_simulation_free(b);
    dal_state_free(start);
    dal_system_free(system);
    dal_messages_free(messages);
}

static void refuse_start(const dal_system *system, const dal_state *start, const char *words)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_simulation *sim = (dal_simulation *)&messages;
    dal_evidence evidence;
    assert_int_equal(dal_simulation_create(system, &(dal_run_options){.start = start}, messages, &sim), DAL_BAD_COMMAND);
    assert_null(sim);
    must_have_said(messages, words);
    dal_messages_clear(messages);
    assert_int_equal(dal_run(system, &(dal_run_options){.start = start}, messages, &evidence), DAL_BAD_COMMAND);
    must_have_said(messages, words);
    dal_messages_free(messages);
}

static void wrong_starts_are_refused(void **state)
{
    (void)state;
    dal_system *system = system_in(four_bar, "coordinates=angle"), *other = system_in(four_bar, "coordinates=angle");
    dal_state *start = dal_state_create(NULL, system), *strange = dal_state_create(NULL, other);
    refuse_start(system, strange, "a state of another system");
    dal_state_y(start)[0] += 1e-3;
    refuse_start(system, start, "does not satisfy the constraints");
    assert_true(dal_state_reset(start));
    dal_state_y(start)[system->layout.nq + 1] += 1e-2;
    refuse_start(system, start, "does not satisfy the constraints");
    assert_true(dal_state_reset(start));
    dal_state_y(start)[1] = NAN;
    refuse_start(system, start, "cannot be evaluated");
    assert_true(dal_state_reset(start));
    dal_state_y(start)[system->n_y - 1] = INFINITY;
    refuse_start(system, start, "cannot be evaluated");
    assert_true(dal_state_reset(start));
    dal_messages *messages = dal_messages_create(NULL);
    dal_simulation *sim = simulation_of(system, &(dal_run_options){.start = start}, messages);
    assert_int_equal(dal_step(sim, 0.1), DAL_OK);
    dal_simulation_free(sim);
    dal_messages_free(messages);
    dal_state_free(start);
    dal_state_free(strange);
    dal_system_free(system);
    dal_system_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_torque_has_its_closed_form_as_the_period_goes_to_zero),
        cmocka_unit_test(a_wave_from_c_is_the_wave_of_the_model),
        cmocka_unit_test(a_period_that_does_not_divide_the_end),
        cmocka_unit_test(a_controller_that_fails_ends_the_run),
        cmocka_unit_test(what_a_controller_may_not_do_changes_nothing),
        cmocka_unit_test(stops_a_rounding_apart_are_one),
        cmocka_unit_test(steps_may_be_short_after_a_look_beyond_the_end),
        cmocka_unit_test(fixed_steps_are_those_of_a_run),
        cmocka_unit_test(bounded_steps_keep_their_bound),
        cmocka_unit_test(control_instants_inside_a_step_keep_their_bound),
        cmocka_unit_test(late_events_act_at_the_end_of_the_step),
        cmocka_unit_test(steps_and_looks_take_no_memory),
        cmocka_unit_test(the_times_of_fixed_steps_are_measured),
        cmocka_unit_test(fixed_steps_are_refused_where_they_make_no_sense),
        cmocka_unit_test(the_evidence_knows_the_steps_that_were_made),
        cmocka_unit_test(a_simulation_goes_on_from_the_end_of_a_run),
        cmocka_unit_test(a_start_brings_its_inputs),
        cmocka_unit_test(wrong_starts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
