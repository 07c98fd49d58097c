/* Runs that start from an equilibrium, in every family and under every formulation; a hanging chain of 100 bars; eigenvalues that are defective. */
#include "check.h"
#include "dalembert/dalembert.h"

#include <math.h>
#include <stdlib.h>

static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint"};
static const char *const formulations[] = {
    "lagrange", "maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra", "udwadia-kalaba", "udwadia-phohomsiri", "recursive", "component"};
enum { FAMILIES = sizeof families / sizeof *families, FORMULATIONS = sizeof formulations / sizeof *formulations };

static dal_spec *parse(const char *text)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages)->text);
    dal_messages_free(messages);
    return spec;
}

/* NULL: the family or formulation does not apply. */
static dal_system *compile(const char *file, const char *family, const char *formulation, bool settles)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "coordinates", family, messages));
    assert_true(dal_spec_set(spec, "formulation", formulation, messages));
    assert_true(dal_spec_set(spec, "stabilization", "mass-projection", messages));
    assert_true(dal_spec_set(spec, "integrator", "dopri5", messages));
    assert_true(!settles || dal_spec_set(spec, "start", "equilibrium", messages));
    dal_compile(NULL, spec, messages, &system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return system;
}

/* At rest, without acceleration, and where the others are. */
static void check_start(const dal_system *system, int bodies, double *places, bool first, const char *what)
{
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    for (int b = 0; b < bodies; b++) {
        const dal_motion body = dal_state_body(state, b);
        for (int k = 0; k < 3; k++) {
            if (body.velocity[k] != 0 || body.omega[k] != 0 || !(fabs(body.acceleration[k]) < 1e-9) || !(fabs(body.alpha[k]) < 1e-8))
                fail_msg("%s: body %d moves, by %g, %g", what, b, body.acceleration[k], body.alpha[k]);
            if (first)
                places[3 * b + k] = body.position[k];
            check_close(body.position[k], places[3 * b + k], 1e-11);
        }
    }
    dal_state_free(state);
}

static void runs_start_where_the_forces_balance(void **unused)
{
    (void)unused;
    static const char *const models[] = {"four-bar-spring", "slider-crank-spring", "engine-mounts",
                                         "n-pendulum",      "quick-return-spring", "double-pendulum-on-cart-spring",
                                         "bricard"}; /* the rows that are independent at its start depend on each other in its equilibrium */
    int compared = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char file[400], what[500];
        double places[60];
        bool first = true;
        snprintf(file, sizeof file, "%s/%s.yaml", DAL_MODELS, models[m]);
        for (int f = 0; f < FAMILIES; f++)
            for (int g = 0; g < FORMULATIONS; g++) {
                dal_system *system = compile(file, families[f], formulations[g], true);
                snprintf(what, sizeof what, "%s, %s, %s", models[m], families[f], formulations[g]);
                if (!system) {
                    dal_system *given = compile(file, families[f], formulations[g], false);
                    if (given)
                        fail_msg("%s: applies at the given start, and not in the equilibrium", what);
                    continue;
                }
                const dal_system_info info = dal_system_describe(system);
                assert_true(info.start_settled && info.bodies <= 20);
                check_start(system, info.bodies, places, first, what);
                first = false;
                compared++;
                dal_system_free(system);
            }
    }
    print_message("  %d starts\n", compared);
    assert_true(compared > 250);
}

static void runs_stay_there_and_say_so(void **unused)
{
    (void)unused;
    char text[4000];
    dal_evidence evidence;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile(DAL_MODELS "/slider-crank-spring.yaml", "joint", "lagrange", true);
    dal_state *before = dal_state_create(NULL, system), *after = dal_state_create(NULL, system);
    assert_int_equal(dal_run(system, &(dal_run_options){.final = after}, messages, &evidence), DAL_OK);
    for (int i = 0; i < evidence.info.coordinates_count; i++)
        check_close(dal_state_y(before)[i], dal_state_y(after)[i], 1e-9);
    dal_evidence_text(&evidence, DAL_OK, text, sizeof text);
    assert_non_null(strstr(text, "at rest in the static equilibrium"));
    dal_evidence_json(&evidence, DAL_OK, text, sizeof text);
    assert_non_null(strstr(text, "\"start\": \"equilibrium\""));
    dal_state_free(before);
    dal_state_free(after);
    dal_system_free(system);
    dal_messages_free(messages);
}

static void expect_refusal(const char *simulate, const char *words)
{
    char text[600];
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = NULL;
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  stone: {mass: 1, inertia: [1, 1, 1]}\nsimulate: {until: 1, %s}\n",
             simulate);
    dal_spec *spec = parse(text);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_BAD_MODEL);
    assert_non_null(dal_messages_first(messages));
    if (!strstr(dal_messages_first(messages)->text, words))
        fail_msg("%s", dal_messages_first(messages)->text);
    assert_int_equal(dal_messages_first(messages)->mark.line, 6);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void what_falls_has_no_start(void **unused)
{
    (void)unused;
    expect_refusal("start: equilibrium", "'stone along z' runs away");
    expect_refusal("start: equilibrium, coordinates: joint, formulation: recursive", "'stone along z' runs away");
}

/* Three springs and two masses in one line, N = (3 - 3 l) / (1/k1 + 1/k2 + 1/k3), from a crooked start: seconds are divided by `time`. Without gravity and
 * without an end of the run nothing but the springs says how slow the model is. */
static void slow_springs_stand_where_fast_ones_do(void **unused)
{
    (void)unused;
    static const double times[] = {1e-9, 1, 1e6, 1e9};
    const double N = 1.5 / (1 / 100.0 + 1 / 200.0 + 1 / 300.0), a = 0.5 + N / 100, b = a + 0.5 + N / 200;
    double first = 0;
    for (int i = 0; i < 8; i++) {
        const double time = times[i % 4], k = 100 / (time * time);
        char text[800];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [%.17g, %g]}, b: {mass: 2, position: [%.17g, %g]}}\n"
                 "ground: {points: {Q: [3, 0]}}\nforces:\n  s1: {type: spring-damper, connect: [ground, a], stiffness: %.17g, length: 0.5}\n"
                 "  s2: {type: spring-damper, connect: [a, b], stiffness: %.17g, length: 0.5}\n"
                 "  s3: {type: spring-damper, connect: [b, ground.Q], stiffness: %.17g, length: 0.5}\n",
                 i < 4 ? 1.3 : a, i < 4 ? 0.2 : 0, i < 4 ? 2.1 : b, i < 4 ? -0.3 : 0, k, 2 * k, 3 * k);
        dal_spec *spec = parse(text);
        dal_equilibrium *e = NULL;
        assert_int_equal(dal_equilibrium_find(NULL, spec, NULL, &e), DAL_OK);
        assert_int_equal(e->stability, DAL_STABLE);
        assert_int_equal(e->n_coordinates, 4);
        check_close(e->values[0], a, 1e-12);
        check_close(e->values[1], 0, 1e-12);
        check_close(e->values[2], b, 1e-12);
        check_close(e->values[3], 0, 1e-12);
        first = i ? first : e->stiffnesses[0] * time * time;
        check_close(e->stiffnesses[0] * time * time, first, 1e-10 * first);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* ---- a chain ----------------------------------------------------------------------------------------------- */

/* From the horizontal, held at one end: each joint carries what hangs on it. */
static void long_chains_hang_down(void **unused)
{
    (void)unused;
    enum { BARS = 100 };
    const size_t room = 200 * (BARS + 2);
    char *text = malloc(room), *at = text;
    for (int joint = 0; joint < 2; joint++) {
        at = text;
        at +=
            snprintf(at, 200, "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nsimulate: {coordinates: %s}\nbodies:\n", joint ? "joint" : "angle");
        for (int i = 0; i < BARS; i++)
            at += snprintf(at, 200, "  b%d: {mass: 1, inertia: 0.01, position: [%g, 0], points: {A: [-0.5, 0], B: [0.5, 0]}}\n", i, i + 0.5);
        at += snprintf(at, 100, "joints:\n  j0: {type: revolute, connect: [ground, b0.A]}\n");
        for (int i = 1; i < BARS; i++)
            at += snprintf(at, 100, "  j%d: {type: revolute, connect: [b%d.B, b%d.A]}\n", i, i - 1, i);
        dal_spec *spec = parse(text);
        dal_equilibrium *e = NULL;
        dal_messages *messages = dal_messages_create(NULL);
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_OK);
        assert_int_equal(e->stability, DAL_STABLE);
        assert_int_equal(e->n_reactions, BARS);
        for (int i = 0; i < BARS; i++) {
            check_close(e->reactions[i].force[0], 0, 1e-8);
            check_close(e->reactions[i].force[1], 9.81 * (BARS - i), 1e-8);
        }
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
    free(text);
}

/* A chain of hinges in space whose axes are skew, and a slide in it: each joint still carries what hangs on it, and the rows are met. */
static void long_chains_in_space_hang_down(void **unused)
{
    (void)unused;
    enum { BARS = 30 };
    char *text = malloc(300 * (BARS + 2)), *at = text;
    at += snprintf(at, 300, "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 0; i < BARS; i++)
        at += snprintf(at, 300, "  b%d: {mass: 1.3, inertia: [0.01, 0.02, 0.03], position: [%g, 0, 0], points: {A: [-0.5, 0, 0], B: [0.5, 0, 0]}}\n",
                       i, i + 0.5);
    at += snprintf(at, 300, "joints:\n  j0: {type: revolute, connect: [ground, b0.A], axis: [0, 1, 0]}\n");
    for (int i = 1; i < BARS; i++)
        at += snprintf(at, 300, "  j%d: {type: %s, connect: [b%d.B, b%d.A], axis: [%s]}\n", i, i == 20 ? "prismatic" : "revolute", i - 1, i,
                       i == 20 ? "1, 0, 0"
                       : i % 2 ? "0.3, 0.618, 0.2"
                               : "0, 0.8, 0.6");
    at += snprintf(at, 300, "forces:\n  s: {type: spring-damper, joint: j20, stiffness: 900}\n");
    dal_spec *spec = parse(text);
    dal_equilibrium *e = NULL;
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_equilibrium_find(NULL, spec, messages, &e) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages)->text);
    assert_int_equal(e->stability, DAL_STABLE);
    for (int i = 0; i < BARS; i++)
        if (i != 20) {
            check_close(hypot(e->reactions[i].force[0], e->reactions[i].force[1]), 0, 1e-8);
            check_close(e->reactions[i].force[2], 1.3 * 9.81 * (BARS - i), 1e-8);
        }
    dal_equilibrium_free(e);
    dal_spec_free(spec);
    dal_messages_free(messages);
    free(text);
}

/* ---- verdicts ----------------------------------------------------------------------------------------------- */

static dal_equilibrium *stand(const char *file, const char *family, dal_messages *messages)
{
    char path[400];
    dal_spec *spec = NULL;
    dal_equilibrium *e = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", DAL_MODELS, file);
    assert_int_equal(dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    assert_true(!family || dal_spec_set(spec, "coordinates", family, messages));
    dal_equilibrium_find(NULL, spec, messages, &e);
    dal_spec_free(spec);
    return e;
}

static void expect_words(const dal_messages *messages, const char *words)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (strstr(m->text, words))
            return;
    fail_msg("no message has '%s'", words);
}

/* What stiffnesses that cancel leave is rounding: a table that is pushed by nothing stays, and can be shifted. */
static void a_table_stands_where_it_is(void **unused)
{
    (void)unused;
    static const char *const space[] = {"angle", "euler", "natural", "joint"};
    for (size_t f = 0; f < sizeof space / sizeof *space; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = stand("verdicts/table", space[f], messages);
        double sum = 0;
        assert_non_null(e);
        assert_int_equal(e->stability, DAL_INDIFFERENT);
        assert_int_equal(e->n_free, 3);
        for (int i = 0; i < e->n_coordinates; i++)
            check_close(e->values[i], strstr(e->coordinates[i], "ex.x") || strstr(e->coordinates[i], "ey.y") || strstr(e->coordinates[i], "ez.z"),
                        1e-12);
        for (int i = 0; i < e->n_reactions; i++) {
            assert_false(e->reactions[i].unique);
            sum += e->reactions[i].force[2];
        }
        check_close(sum, 12 * 9.81, 1e-10);
        dal_equilibrium_free(e);
        dal_messages_free(messages);
    }
}

/* A regulator holds the pole up, where its potential is greatest. */
static void what_a_regulator_holds_is_found(void **unused)
{
    (void)unused;
    static const char *const plane[] = {"angle", "natural", "joint"};
    for (size_t f = 0; f < sizeof plane / sizeof *plane; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = stand("machines/cart-pole-lqr", plane[f], messages);
        assert_non_null(e);
        assert_int_equal(e->stability, DAL_STABLE);
        assert_true(e->by_eigenvalues);
        assert_null(dal_messages_first(messages));
        for (int i = 0; i < e->n_coordinates; i++)
            if (!strcmp(e->coordinates[i], "pin.angle") || !strcmp(e->coordinates[i], "track.distance"))
                check_close(e->values[i], 0, 1e-12);
        dal_equilibrium_free(e);
        dal_messages_free(messages);
    }
}

static void refusals_name_what_is_pushed_and_where(void **unused)
{
    (void)unused;
    static const struct {
        const char *file, *words;
    } refused[] = {{"joints/tendon", "nothing balances the forces on 'heavy along y'"},
                   {"joints/rolling-wheel", "'wheel' runs away"},
                   {"spring-pendulum-lagrangian", "no mass moves along \"ph'\""},
                   {"spring-pendulum-lagrangian", "on the way to an equilibrium, at r = 1.159"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        assert_null(stand(refused[i].file, NULL, messages));
        expect_words(messages, refused[i].words);
        dal_messages_free(messages);
    }
}

/* A disc of radius r with its mass e beside the axle, on a line that falls by `slope`: its centre of mass is above the contact, e cos(angle) = -r sin(slope)
 * in axes of the world, and lowest. The axle moves as the disc rolls. m g e sin(a) = (I + m d^2) w^2, with d from the contact to the mass. */
static void rolling_discs_stand_with_their_mass_below(void **unused)
{
    (void)unused;
    static const char *const ways[] = {"lagrange", "maggi", "kane", "udwadia-kalaba"};
    const double r = 0.5, e = 0.1, m = 2, I = 0.3;
    for (int i = 0; i < 32; i++) {
        const double slope = i < 16 ? 0 : 0.1, last = -M_PI / 2 - asin(r * sin(slope) / e);
        char text[700];
        snprintf(
            text, sizeof text,
            "dalembert: 1\nspace: planar\ngravity: [%.17g, %.17g]\nbodies: {b: {mass: 2, inertia: 0.3, center: [0.1, 0], position: [0, 0.5]}}\n"
            "joints: {J: {type: rolling-disc, connect: [ground, b], normal: [0, 1], radius: 0.5}}\nsimulate: {coordinates: %s, formulation: %s}\n",
            9.81 * sin(slope), -9.81 * cos(slope), families[i % 4 + (i % 4 == 3)], ways[i / 4 % 4]);
        dal_spec *spec = parse(text);
        dal_equilibrium *out = NULL;
        assert_int_equal(dal_equilibrium_find(NULL, spec, NULL, &out), DAL_OK);
        assert_int_equal(out->n_coordinates, 3);
        check_close(out->values[2], last + slope, 1e-12);
        check_close(out->values[0], -r * out->values[2], 1e-12);
        check_close(out->values[1], r, 1e-12);
        check_close(out->reactions[0].force[1], m * 9.81 * cos(slope), 1e-10);
        const double d2 = r * r + e * e + 2 * r * e * sin(out->values[2]), a = last;
        check_close(out->stiffnesses[0], -m * 9.81 * e * sin(a) / (I + m * d2), 1e-10);
        assert_int_equal(out->stability, DAL_STABLE);
        assert_int_equal(out->n_detours, 1);
        dal_equilibrium_free(out);
        dal_spec_free(spec);
    }
}

/* A ball rolls until its mass is below its middle; about the vertical it can be turned. */
static void rolling_balls_stand_with_their_mass_below(void **unused)
{
    (void)unused;
    static const char *const space[] = {"angle", "euler", "natural", "joint"};
    for (int f = 0; f < 4; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = parse("dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], center: [0.02, 0.03, 0.06], position: [0, 0, 0.5]}}\n"
                               "joints: {J: {type: rolling-ball, connect: [ground, b], normal: [0, 0, 1], radius: 0.5}}\n");
        dal_equilibrium *e = NULL;
        assert_true(dal_spec_set(spec, "coordinates", space[f], messages));
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_OK);
        assert_int_equal(e->stability, DAL_INDIFFERENT);
        assert_int_equal(e->n_free, 1);
        assert_string_equal(e->free[0], "b about z");
        const char *const down[] = {"b.ex.z", "b.ey.z", "b.ez.z"};
        const double c[] = {0.02, 0.03, 0.06};
        for (int i = 0; i < e->n_coordinates; i++)
            for (int k = 0; k < 3; k++)
                if (!strcmp(e->coordinates[i], down[k]))
                    check_close(e->values[i], -c[k] / 0.07, 1e-12);
        check_close(e->stiffnesses[1], 2 * 9.81 * 0.07 / (0.1 + 2 * 0.43 * 0.43), 1e-10);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A blade across the slope of an incline stands, and turns as it likes. Turned by d it slides down, s'' = g sin(slope) d: all eigenvalues are zero, and
 * it is gone. On a plane nothing drives it. */
static void blades_across_a_slope_slide_away(void **unused)
{
    (void)unused;
    static const char *const plane[] = {"angle", "natural", "joint"};
    for (int i = 0; i < 6; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\n%sbodies: {b: {mass: 2, inertia: 1}}\n"
                 "joints: {s: {type: skate, connect: [ground, b], axis: [1, 0]}}\nsimulate: {coordinates: %s}\n",
                 i < 3 ? "gravity: [0, -1.7]\n" : "", plane[i % 3]);
        dal_spec *spec = parse(text);
        dal_equilibrium *e = NULL;
        assert_int_equal(dal_equilibrium_find(NULL, spec, NULL, &e), DAL_OK);
        assert_int_equal(e->stability, i < 3 ? DAL_UNSTABLE : DAL_INDIFFERENT);
        assert_int_equal(e->drifts, i < 3);
        assert_int_equal(e->n_zeros, i < 3 ? 5 : 0);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* What a controller holds is not called free, although no potential holds it: m y'' = -c, 0.1 c' = 300 y - c. */
static void what_a_controller_holds_is_not_free(void **unused)
{
    (void)unused;
    dal_spec *spec = parse("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, position: [0.4, 0]}}\n"
                           "blocks: {c: {type: lag, input: b.y, time: 0.1, gain: -300}}\n"
                           "forces: {s: {type: force, body: b, value: [\"-50*b.x - b.x'\", \"c - 60*b.y'\"]}}\n");
    dal_equilibrium *e = NULL;
    assert_int_equal(dal_equilibrium_find(NULL, spec, NULL, &e), DAL_OK);
    assert_int_equal(e->stability, DAL_STABLE);
    assert_int_equal(e->n_free, 0);
    check_close(e->values[1], -2 * 9.81 / 300, 1e-12);
    dal_equilibrium_free(e);
    dal_spec_free(spec);
}

/* An arm begins level, where its weight has the largest moment, and the motor is at its limit of 5 N m: it sinks until 0.8 g cos(a) = 5, whatever the
 * integral asks for. Nothing that moves changes the moment at the start to first order. */
static void arms_sink_from_the_largest_moment(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec =
            parse("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                  "bodies: {b: {mass: 2, inertia: 0.02, position: [0.4, 0], points: {A: [-0.4, 0]}}}\n"
                  "joints: {A: {type: revolute, connect: [ground, b.A]}}\n"
                  "blocks: {c: {type: pid, input: 0.5 - A.angle, kp: 100, ki: 50, kd: 10, filter: 0.01, filter-start: 0.5, limit: [-5, 5]}}\n"
                  "forces: {s: {type: motor, joint: A, value: c}}\n");
        dal_equilibrium *e = NULL;
        assert_true(dal_spec_set(spec, "coordinates", families[f], messages));
        if (dal_equilibrium_find(NULL, spec, messages, &e) != DAL_OK)
            fail_msg("%s", dal_messages_first(messages)->text);
        check_close(e->values[0], -acos(5 / (0.8 * 9.81)), 1e-12);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A weight of 2 kg begins beside its anchor, and sinks by m g / k = 3.924 m on a soft spring: hundreds or thousands of times the length of the model, which
 * is what the spring spans at the start. The same by a force that has no potential, and away from 0, which is unstable: x^3 = 4 x. */
static void weights_sink_far_on_soft_springs(void **unused)
{
    (void)unused;
    static const struct {
        const char *gravity, *force;
        double x, start;
    } cases[] = {{"[9.81, 0]", "{type: spring-damper, joint: J, stiffness: 5, free: 0}", 3.924, 0.01},
                 {"[9.81, 0]", "{type: spring-damper, joint: J, stiffness: 5, free: 0}", 3.924, 1e-3},
                 {"[9.81, 0]", "{type: motor, joint: J, value: -5*J.distance}", 3.924, 0.01},
                 {"[0, -9.81]", "{type: motor, joint: J, value: 4*b.x - b.x^3}", 2, 0.01}};
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        char text[500];
        dal_messages *messages = dal_messages_create(NULL);
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: %s\nbodies: {b: {mass: 2, inertia: 1, position: [%g, 0]}}\n"
                 "joints: {J: {type: prismatic, connect: [ground, b], axis: [1, 0]}}\nforces: {f: %s}\nsimulate: {coordinates: %s}\n",
                 cases[i / 4].gravity, cases[i / 4].start, cases[i / 4].force, families[i % 4 + (i % 4 == 3)]);
        dal_spec *spec = parse(text);
        dal_equilibrium *e = NULL;
        if (dal_equilibrium_find(NULL, spec, messages, &e) != DAL_OK)
            fail_msg("%s", dal_messages_first(messages)->text);
        assert_string_equal(e->coordinates[1], "b.x");
        check_close(e->values[1], cases[i / 4].x, 1e-12 * cases[i / 4].x);
        assert_int_equal(e->stability, DAL_STABLE);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A body with play begins beside its anchor, swings down, and hangs by the gap and m g / k. */
static void bodies_with_play_swing_down(void **unused)
{
    (void)unused;
    static const char *const plane[] = {"angle", "natural", "joint"};
    for (int f = 0; f < 3; f++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = parse("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: {b: {mass: 2, inertia: 0.1, position: [0.5, 0], points: {A: [-0.5, 0]}}}\n"
                               "forces: {s: {type: clearance, connect: [ground, b.A], gap: 0.01, stiffness: 5e4}}\n");
        dal_equilibrium *e = NULL;
        assert_true(dal_spec_set(spec, "coordinates", plane[f], messages));
        if (dal_equilibrium_find(NULL, spec, messages, &e) != DAL_OK)
            fail_msg("%s", dal_messages_first(messages)->text);
        check_close(e->values[1], -0.5 - 0.01 - 2 * 9.81 / 5e4, 1e-12);
        assert_int_equal(e->stability, DAL_STABLE);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* ---- what a search that finds nothing says ------------------------------------------------------------------- */

/* A pinned chain cannot run away. Almost upright it goes a long way and hangs down at last: each joint carries what hangs on it. */
static void a_pinned_chain_never_runs_away(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = parse("dalembert: 1\nspace: planar\nparameters: {n: 100, L: 0.1}\ngravity: [0, -9.81]\nsimulate: {coordinates: joint}\nbodies:\n"
                           "  link: {repeat: {i: 1..n}, mass: 0.3, inertia: 0.3*L^2/12, position: [1e-6*i, (i-0.5)*L], angle: 90*deg-1e-3*i,\n"
                           "         points: {A: [-L/2, 0], B: [L/2, 0]}}\n"
                           "joints:\n  top: {type: revolute, connect: [ground, link.1.A]}\n"
                           "  pin: {repeat: {i: 2..n}, type: revolute, connect: [\"link.{i-1}.B\", \"link.{i}.A\"]}\n");
    dal_equilibrium *e = NULL;
    if (dal_equilibrium_find(NULL, spec, messages, &e) != DAL_OK)
        fail_msg("%s", dal_messages_first(messages)->text);
    assert_int_equal(e->stability, DAL_STABLE);
    for (int k = 0; k < 100; k++)
        check_close(e->reactions[k].force[1], 0.3 * 9.81 * (100 - k), 1e-8);
    dal_equilibrium_free(e);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* A torque turns the crank of a four-bar linkage for ever: its coupler stays within a metre. */
static void a_crank_that_turns_is_named(void **unused)
{
    (void)unused;
    static const char *const plane[] = {"angle", "natural", "joint"};
    for (int i = 0; i < 3; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec =
            parse("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {D: [0.8, 0]}}\nbodies:\n"
                  "  crank: {mass: 0.6, inertia: 0.0045, angle: 60*deg, points: {A: [-0.15, 0], B: [0.15, 0]}}\n"
                  "  coupler: {mass: 1.4, inertia: 0.0945, points: {B: [-0.45, 0], C: [0.45, 0]}}\n"
                  "  rocker: {mass: 1.1, inertia: 0.0449, points: {D: [-0.35, 0], C: [0.35, 0]}}\n"
                  "joints:\n  C: {type: revolute, connect: [coupler.C, rocker.C]}\n  B: {type: revolute, connect: [crank.B, coupler.B]}\n"
                  "  A: {type: revolute, connect: [ground, crank.A]}\n  D: {type: revolute, connect: [ground.D, rocker.D]}\n"
                  "forces: {motor: {type: motor, joint: A, value: 20}}\n");
        dal_equilibrium *e = NULL;
        assert_true(dal_spec_set(spec, "coordinates", plane[i], messages));
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_BAD_MODEL);
        expect_words(messages, "there is no equilibrium near the start: 'crank' turns and turns at joint 'A'");
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A rotor on springs that has no joint. */
static void a_free_rotor_that_turns_is_named(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_equilibrium *e = NULL;
    dal_spec *spec = parse("dalembert: 1\nspace: planar\nbodies: {rotor: {mass: 2, inertia: 0.1}}\n"
                           "forces:\n  f: {type: force, body: rotor, value: [-30*rotor.x, -30*rotor.y]}\n"
                           "  spin: {type: torque, body: rotor, value: 3}\n");
    assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_BAD_MODEL);
    expect_words(messages, "there is no equilibrium near the start: 'rotor' turns and turns, by");
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* The spring holds the body at -0.3924 m, where the rate of a state that only counts is not zero. */
static void a_state_that_cannot_rest_is_named(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_equilibrium *e = NULL;
    dal_spec *spec = parse("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nstates: {y: {start: 2, rate: \"b.y - 0.5\"}}\n"
                           "bodies: {b: {mass: 2, inertia: 0.1}}\njoints: {s: {type: prismatic, connect: [ground, b], axis: [0, 1]}}\n"
                           "forces: {k: {type: spring-damper, joint: s, stiffness: 50}}\n");
    assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_BAD_MODEL);
    expect_words(messages, "state 'y' of the model cannot rest");
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* Controllers whose limits are reached on the way, one or two of them, with and without states of their own; m g = 19.62 N. Where the limit is less than the
 * weight, nothing holds the body. */
static void a_limit_on_the_way_hides_no_equilibrium(void **unused)
{
    (void)unused;
    static const double start[] = {0, 0.5, 2, -3};
    static const struct {
        const char *block, *value;
        double y; /* NAN: none */
    } law[] = {{"kp: 100, ki: 50, kd: 20, filter: 0.01, limit: [-1000, 1000]", "c", 1},
               {"kp: 100, ki: 50, kd: 20, filter: 0.01, limit: [-10, 10]", "c", NAN},
               {"kp: 1", "max(-30, min(30, 100*(1 - b.y)))", 1 - 0.1962},
               {"kp: 1", "max(-15, min(15, 100*(1 - b.y)))", NAN}};
    for (int i = 0; i < 16; i++) {
        char text[900];
        const double y = law[i / 4].y;
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, inertia: 0.1}, e: {mass: 1, inertia: 0.1}}\n"
                 "joints:\n  s: {type: prismatic, connect: [ground, b], axis: [0, 1], start: {distance: %g}}\n"
                 "  r: {type: prismatic, connect: [ground, e], axis: [0, 1], start: {distance: 0}}\n"
                 "blocks:\n  c: {type: pid, input: 1 - b.y, %s}\n"
                 "  d: {type: pid, input: 2 - e.y, kp: 100, ki: 50, kd: 20, filter: 0.01, limit: [-100, 100]}\n"
                 "forces: {f: {type: motor, joint: s, value: \"%s\"}, g: {type: motor, joint: r, value: d}}\n",
                 start[i % 4], law[i / 4].block, law[i / 4].value);
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = NULL;
        dal_spec *spec = parse(text);
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), isnan(y) ? DAL_BAD_MODEL : DAL_OK);
        if (e) {
            check_close(e->values[0], y, 1e-9);
            check_close(e->values[1], 2, 1e-9);
        }
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* In other units of length, mass, time and of states the same is found: a controller lifts a body to 1, and a state that cannot rest is named. A clock, y' =
 * 0.3, does not rest beside a pressure of 1e9. */
static void units_change_no_equilibrium(void **unused)
{
    (void)unused;
    static const double scales[][3] = {{1, 1, 1},    {1e-9, 1, 1}, {1e9, 1, 1},        {1, 1e9, 1},      {1, 1e-9, 1},
                                       {1, 1, 1e-9}, {1, 1, 1e9},  {1e-9, 1e-9, 1e-9}, {1e9, 1e-9, 1e-9}};
    for (size_t i = 0; i < 3 * sizeof scales / sizeof *scales; i++) {
        const double L = scales[i / 3][0], M = scales[i / 3][1], T = scales[i / 3][2], k = M / (T * T);
        char text[900];
        size_t n = (size_t)snprintf(text, sizeof text,
                                    "dalembert: 1\nspace: planar\ngravity: [0, %.17g]\nsimulate: {until: %.17g}\n"
                                    "bodies: {b: {mass: %.17g, inertia: %.17g}}\n"
                                    "joints: {s: {type: prismatic, connect: [ground, b], axis: [0, 1], start: {distance: %.17g}}}\n",
                                    -9.81 * L / (T * T), T, 2 * M, 0.1 * M * L * L, i % 3 ? 0 : 2 * L);
        if (i % 3 == 0)
            snprintf(text + n, sizeof text - n,
                     "blocks: {c: {type: pid, input: %.17g - b.y, kp: %.17g, ki: %.17g, kd: %.17g, filter: %.17g, limit: [%.17g, %.17g]}}\n"
                     "forces: {f: {type: motor, joint: s, value: c}}\n",
                     L, 100 * k, 50 * k / T, 20 * k * T, 0.01 * T, -1000 * k * L, 1000 * k * L);
        else if (i % 3 == 1)
            snprintf(text + n, sizeof text - n,
                     "states: {y: {start: %.17g, rate: \"b.y - %.17g\"}}\nforces: {k: {type: spring-damper, joint: s, stiffness: %.17g}}\n",
                     2 * L * T, 0.5 * L, 50 * k);
        else
            snprintf(
                text + n, sizeof text - n,
                "states: {p: {start: 1e9, rate: 0}, y: {start: 2, rate: %.17g}}\nforces: {k: {type: spring-damper, joint: s, stiffness: %.17g}}\n",
                0.3 / T, 50 * k);
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = NULL;
        dal_spec *spec = parse(text);
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), i % 3 ? DAL_BAD_MODEL : DAL_OK);
        if (e)
            check_close(e->values[0] / L, 1, 1e-9);
        else
            expect_words(messages, "state 'y' of the model ");
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

typedef struct counter {
    long taken, fail_at; /* fail_at 0: never */
} counter;

static void *take_counted(void *user, size_t bytes)
{
    counter *c = user;
    return ++c->taken == c->fail_at ? NULL : malloc(bytes ? bytes : 1);
}

static void release_counted(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* The first search ends at a limit of the controller, another one finds the equilibrium: without memory for it nothing is said of equilibria. */
static void a_search_without_memory_is_no_verdict(void **unused)
{
    (void)unused;
    dal_spec *spec = parse("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 2, inertia: 0.1}}\n"
                           "joints: {s: {type: prismatic, connect: [ground, b], axis: [0, 1], start: {distance: 2}}}\n"
                           "blocks: {c: {type: pid, input: 1 - b.y, kp: 100, ki: 50, kd: 20, filter: 0.01, limit: [-1000, 1000]}}\n"
                           "forces: {f: {type: motor, joint: s, value: c}}\n");
    counter c = {0, 0};
    const dal_allocator allocator = {take_counted, release_counted, &c};
    long all = 0;
    for (; c.fail_at <= all; c.fail_at++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = NULL;
        c.taken = 0;
        const dal_status status = dal_equilibrium_find(&allocator, spec, messages, &e);
        all = c.fail_at ? all : c.taken;
        if (status != DAL_OK && status != DAL_NO_MEMORY)
            fail_msg("allocation %ld: %s", c.fail_at, dal_messages_first(messages)->text);
        dal_equilibrium_free(e);
        dal_messages_free(messages);
    }
    dal_spec_free(spec);
}

/* ---- dry friction ------------------------------------------------------------------------------------------- */

static dal_spec *incline(double friction, const char *family, const char *more)
{
    char text[700];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [9.81*sin(10*deg), -9.81*cos(10*deg)]\nbodies: {b: {mass: 2, inertia: 1}}\n"
             "joints: {s: {type: prismatic, connect: [ground, b], axis: [1, 0], friction: {coefficient: %g}%s}}\n"
             "simulate: {until: 1, coordinates: %s}\n",
             friction, more, family);
    return parse(text);
}

/* It stays if mu > tan 10 deg = 0.1763, with N = m g cos 10 deg and the friction m g sin 10 deg; else nothing holds it, and friction is named. */
static void friction_that_sticks_holds_a_start(void **unused)
{
    (void)unused;
    static const char *const plane[] = {"angle", "natural", "joint"};
    static const double coefficient[] = {0.3, 0.177, 0.175, 0.3};
    for (int i = 0; i < 12; i++) {
        const bool moves = i % 4 == 3, holds = i % 4 < 2;
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = NULL;
        dal_system *system = NULL;
        dal_spec *spec = incline(coefficient[i % 4], plane[i / 4], moves ? ", start: {rate: 0.1}" : "");
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), holds ? DAL_OK : DAL_BAD_MODEL);
        if (holds) {
            assert_true(e->held && e->stability == DAL_NOT_DECIDED);
            assert_int_equal(e->n_frictions, 1);
            assert_string_equal(e->frictions[0], "s");
            check_close(e->values[0], 0, 1e-12);
            check_close(e->reactions[0].force[0], -2 * 9.81 * sin(M_PI / 18), 1e-9);
            check_close(e->reactions[0].force[1], 2 * 9.81 * cos(M_PI / 18), 1e-9);
            assert_null(dal_messages_first(messages));
        } else {
            expect_words(messages, "the search omits dry friction ('s')");
        }
        assert_true(dal_spec_set(spec, "start", "equilibrium", messages));
        assert_int_equal(dal_compile(NULL, spec, messages, &system), holds ? DAL_OK : DAL_BAD_MODEL);
        dal_equilibrium_free(e);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* Two bars in a line between fixed points can move to first order, and not at all. */
static void singular_positions_are_refused_by_name(void **unused)
{
    (void)unused;
    static const char *const at[] = {"start", "equilibrium"};
    static const char *const plane[] = {"angle", "natural", "joint"};
    for (int i = 0; i < 6; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_modes *modes = NULL;
        dal_spec *spec = parse("dalembert: 1\nspace: planar\nground: {points: {D: [2, 0]}}\nbodies:\n"
                               "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {P: [-0.5, 0], Q: [0.5, 0]}}\n"
                               "  b: {mass: 1, inertia: 0.1, position: [1.5, 0], points: {P: [-0.5, 0], Q: [0.5, 0]}}\n"
                               "joints: {A: {type: revolute, connect: [ground, a.P]}, B: {type: revolute, connect: [a.Q, b.P]},\n"
                               "         C: {type: revolute, connect: [b.Q, ground.D]}}\n");
        assert_true(dal_spec_set(spec, "coordinates", plane[i / 2], messages));
        assert_int_equal(dal_modes_find(NULL, spec, &(dal_linear_options){.at = at[i % 2]}, messages, &modes), DAL_BAD_MODEL);
        expect_words(messages, "the position is singular: constraint '");
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

static void sampled_inputs_are_held_with_a_warning(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_equilibrium *e = stand("digital-pendulum", NULL, messages);
    char text[3000];
    assert_non_null(e);
    expect_words(messages, "input 'torque' is sampled every 0.02 s, and is held");
    assert_true(dal_equilibrium_json(e, text, sizeof text) > 0);
    assert_non_null(strstr(text, "\"family\": \"angle\""));
    const char *first = strstr(text, "\"coordinates\":");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\"coordinates\":")); /* a key occurs once */
    dal_equilibrium_free(e);
    dal_messages_free(messages);
}

/* A run starts there without its law: the run says so as well. */
static void runs_with_sampled_inputs_say_so(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/digital-pendulum.yaml", 0, NULL, messages, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "start", "equilibrium", messages));
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    expect_words(messages, "input 'torque' is sampled every 0.02 s, and is held");
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* A drive of rate zero holds its coordinate where it starts. Two bars of mass 1, length 1 and 1, at a fixed angle d of 0.7 rad, hang with their centre of
 * mass below the hinge: 1.5 e(a) + 0.5 e(a + d) points down. */
static void drives_of_rate_zero_hold_the_start(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n  a: {mass: 1, inertia: 0.1, points: {P: [-0.5, 0], Q: [0.5, 0]}}\n  b: {mass: 1, inertia: 0.1, points: {P: [-0.5, 0]}}\n"
        "joints:\n  A: {type: revolute, connect: [ground, a.P], start: {angle: 0.3}}\n"
        "  B: {type: revolute, connect: [a.Q, b.P], drive-rate: %s, start: {angle: 0.7}}\n",
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  a: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {P: [-0.5, 0, 0], Q: [0.5, "
        "0, 0]}}\n"
        "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {P: [-0.5, 0, 0]}}\n"
        "joints:\n  A: {type: revolute, connect: [ground, a.P], axis: [0, -1, 0], start: {angle: 0.3}}\n"
        "  B: {type: revolute, connect: [a.Q, b.P], axis: [0, -1, 0], drive-rate: %s, start: {angle: 0.7}}\n"};
    const double d = 0.7, a = -M_PI / 2 - atan2(0.5 * sin(d), 1.5 + 0.5 * cos(d));
    for (int i = 0; i < 2 * FAMILIES; i++) {
        char text[900];
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibria *all = NULL;
        snprintf(text, sizeof text, texts[i / FAMILIES], i % 2 ? "0" : "t^2");
        dal_spec *spec = parse(text);
        assert_true(dal_spec_set(spec, "coordinates", families[i % FAMILIES], messages));
        assert_int_equal(dal_equilibria_find(NULL, spec, 4, 1, messages, &all), DAL_OK);
        assert_int_equal(all->n, 1);
        const dal_equilibrium *e = all->list[0];
        for (int k = 0; k < e->n_coordinates; k++)
            if (!strcmp(e->coordinates[k], "A.angle"))
                check_close(remainder(e->values[k] - a, 2 * M_PI), 0, 1e-12);
            else if (!strcmp(e->coordinates[k], "B.angle"))
                check_close(e->values[k], d, 1e-12);
        assert_int_equal(e->stability, DAL_STABLE);
        assert_int_equal(e->n_detours, 0);
        dal_equilibria_free(all);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* A filter that measures an angle changes nothing: two bars hang down, and are not found upright. Nor does one that acts: of the moment -6 z of a filter
 * z -> a the arm is held where 6 a + 4.905 cos a = 0. */
static void filters_change_no_equilibrium(void **unused)
{
    (void)unused;
    static const char *const acts[] = {"", "forces: {m: {type: motor, joint: A, value: -6*z}}\n"};
    for (int i = 0; i < 2 * FAMILIES; i++) {
        char text[700];
        dal_messages *messages = dal_messages_create(NULL);
        dal_equilibrium *e = NULL;
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {a: {mass: 1, inertia: 0.1, points: {P: [-0.5, 0]}}}\n"
                 "joints: {A: {type: revolute, connect: [ground, a.P], start: {angle: 0.9}}}\nstates: {z: {start: 4, rate: 3*(A.angle - z)}}\n%s",
                 acts[i / FAMILIES]);
        dal_spec *spec = parse(text);
        assert_true(dal_spec_set(spec, "coordinates", families[i % FAMILIES], messages));
        assert_int_equal(dal_equilibrium_find(NULL, spec, messages, &e), DAL_OK);
        double a = i / FAMILIES ? -0.6 : -M_PI / 2;
        for (int k = 0; k < 20 && i / FAMILIES; k++)
            a -= (6 * a + 4.905 * cos(a)) / (6 - 4.905 * sin(a));
        check_close(e->values[0], a, 1e-12);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* ---- defective ---------------------------------------------------------------------------------------------- */

static dal_modes *modes_of(double damping, const char *states, const char *push)
{
    char text[900];
    dal_messages *messages = dal_messages_create(NULL);
    dal_modes *modes = NULL;
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, 0]\nbodies:\n  m: {mass: 1, inertia: 1, position: [1, 0]}\njoints:\n"
             "  g: {type: prismatic, connect: [ground, m], axis: [1, 0]}\nforces:\n"
             "  s: {type: spring-damper, connect: [ground, m], stiffness: 9, damping: %.17g, length: 1}\n%s%s",
             damping, push, states);
    dal_spec *spec = parse(text);
    assert_int_equal(dal_modes_find(NULL, spec, NULL, messages, &modes), DAL_OK);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return modes;
}

static void expect_defective(dal_modes *modes, int times)
{
    char text[3000];
    assert_int_equal(modes->n_modes, times);
    for (int i = 0; i < times; i++) {
        check_close(modes->modes[i].re, -3, 1e-12);
        assert_true(modes->modes[i].im == 0 && modes->modes[i].times == times && modes->modes[i].shapes == 1 && isinf(modes->modes[i].condition));
    }
    dal_modes_text(modes, 6, 0, text, sizeof text);
    assert_non_null(strstr(text, "eigenvalue -3 1/s occurs"));
    assert_non_null(strstr(text, "and has 1 shape: it is defective"));
    dal_modes_free(modes);
}

static void defective_eigenvalues_are_named(void **unused)
{
    (void)unused;
    expect_defective(modes_of(6, "", ""), 2);
    expect_defective(modes_of(6, "states:\n  z: {start: 0, rate: \"3*(w - z)\"}\n  w: {start: 0, rate: \"-3*w\"}\n",
                              "  f: {type: force, body: m, value: [z, 0]}\n"),
                     4);
    dal_modes *modes = modes_of(6 * (1 + 1e-8), "", ""); /* close, and not the same: 3 (1 +- sqrt(2e-8)) */
    assert_int_equal(modes->n_modes, 2);
    assert_int_equal(modes->modes[0].times, 1);
    check_close(fabs(modes->modes[0].re - modes->modes[1].re), 6 * sqrt(2e-8), 1e-8);
    dal_modes_free(modes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_start_where_the_forces_balance),
        cmocka_unit_test(runs_stay_there_and_say_so),
        cmocka_unit_test(what_falls_has_no_start),
        cmocka_unit_test(slow_springs_stand_where_fast_ones_do),
        cmocka_unit_test(long_chains_hang_down),
        cmocka_unit_test(long_chains_in_space_hang_down),
        cmocka_unit_test(a_table_stands_where_it_is),
        cmocka_unit_test(what_a_regulator_holds_is_found),
        cmocka_unit_test(a_pinned_chain_never_runs_away),
        cmocka_unit_test(a_crank_that_turns_is_named),
        cmocka_unit_test(a_free_rotor_that_turns_is_named),
        cmocka_unit_test(a_state_that_cannot_rest_is_named),
        cmocka_unit_test(a_limit_on_the_way_hides_no_equilibrium),
        cmocka_unit_test(units_change_no_equilibrium),
        cmocka_unit_test(a_search_without_memory_is_no_verdict),
        cmocka_unit_test(friction_that_sticks_holds_a_start),
        cmocka_unit_test(rolling_discs_stand_with_their_mass_below),
        cmocka_unit_test(rolling_balls_stand_with_their_mass_below),
        cmocka_unit_test(blades_across_a_slope_slide_away),
        cmocka_unit_test(what_a_controller_holds_is_not_free),
        cmocka_unit_test(arms_sink_from_the_largest_moment),
        cmocka_unit_test(weights_sink_far_on_soft_springs),
        cmocka_unit_test(bodies_with_play_swing_down),
        cmocka_unit_test(refusals_name_what_is_pushed_and_where),
        cmocka_unit_test(singular_positions_are_refused_by_name),
        cmocka_unit_test(sampled_inputs_are_held_with_a_warning),
        cmocka_unit_test(runs_with_sampled_inputs_say_so),
        cmocka_unit_test(drives_of_rate_zero_hold_the_start),
        cmocka_unit_test(filters_change_no_equilibrium),
        cmocka_unit_test(defective_eigenvalues_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
