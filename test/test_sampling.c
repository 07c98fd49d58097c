/* Inputs that a model samples and holds: against the closed form of a sampled system, against the same control from C, in every formulation. */
#include "check.h"

#include "dalembert/dalembert.h"

#include <stdlib.h>

static dal_system *compile(const char *text, const char *settings, dal_messages *messages)
{
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    char words[300], *rest = words;
    snprintf(words, sizeof words, "%s", settings);
    if (dal_spec_parse(NULL, "m", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK) {
        for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
            char *value = strchr(word, '=');
            if (value) {
                *value++ = '\0';
                assert_true(dal_spec_set(spec, word, value, messages));
            }
        }
        dal_compile(NULL, spec, messages, &system);
    }
    dal_spec_free(spec);
    return system;
}

static const char *first_text(const dal_messages *messages)
{
    return dal_messages_first(messages) ? dal_messages_first(messages)->text : "";
}

/* The last row of a run. */
typedef struct last {
    double value[16];
    long rows;
} last;

static dal_status begin_last(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    return n <= 16 ? DAL_OK : DAL_NO_MEMORY;
}

static dal_status keep_last(void *user, int n, const double *values)
{
    last *l = user;
    memcpy(l->value, values, sizeof *values * (size_t)n);
    l->rows++;
    return DAL_OK;
}

static last run_to_last(const dal_system *system, const dal_run_options *more)
{
    last l = {.rows = 0};
    const dal_sink sink = {&l, begin_last, keep_last};
    dal_run_options options = more ? *more : (dal_run_options){0};
    dal_evidence evidence;
    options.sink = &sink;
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
    assert_true(!(evidence.energy_drift > 1e-6));
    return l;
}

/* A mass on a rail, m x'' = u, u_k = -k x_k - d v_k held for T:
 *     x_k+1 = x_k + T v_k + T^2 u_k / 2m,   v_k+1 = v_k + T u_k / m */
static const char rail[] = "dalembert: 1\n"
                           "space: planar\n"
                           "parameters: {T: 0.037, k: 30, d: 4, m: 1.7}\n"
                           "inputs: {u: {value: -k*rail.distance - d*rail.distance', period: T}}\n"
                           "bodies: {b: {mass: m, inertia: 1, position: [0.3, 0], angle: 0, velocity: [0.9, 0], fix: true}}\n"
                           "joints: {rail: {type: prismatic, connect: [ground, b], axis: [1, 0]}}\n"
                           "forces: {f: {type: force, joint: rail, value: u}}\n"
                           "record: [rail.distance, rail.distance', u]\n"
                           "simulate: {until: 40*T, every: 0.01, rtol: 1e-12, atol: 1e-14}\n";

static void held_values_give_the_motion_of_the_sampled_system(void **state)
{
    (void)state;
    static const char *const methods[] = {"coordinates=joint",
                                          "integrator=rk4 step=0.005",
                                          "integrator=rk6 step=0.013",
                                          "integrator=ab6 step=0.0037",
                                          "coordinates=natural formulation=kane",
                                          "coordinates=joint formulation=recursive",
                                          "integrator=cvode-bdf",
                                          "integrator=cvode-adams",
                                          "formulation=component"};
    double x = 0.3, v = 0.9, u = 0;
    for (int k = 0; k < 40; k++) {
        u = -30 * x - 4 * v;
        x += 0.037 * v + 0.037 * 0.037 * u / (2 * 1.7);
        v += 0.037 * u / 1.7;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = compile(rail, methods[i], messages);
        if (!system)
            fail_msg("%s: %s", methods[i], first_text(messages));
        const last l = run_to_last(system, NULL);
        const double tolerance = strstr(methods[i], "cvode") ? 1e-9 : 1e-12;
        if (!(fabs(l.value[1] - x) < tolerance && fabs(l.value[2] - v) < 10 * tolerance && fabs(l.value[3] - u) < 30 * tolerance))
            fail_msg("%s: %.15g, %.15g, %.15g instead of %.15g, %.15g, %.15g", methods[i], l.value[1], l.value[2], l.value[3], x, v, u);
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

/* The same law from C gives the same digits. */
static const char from_c[] = "dalembert: 1\n"
                             "space: planar\n"
                             "parameters: {T: 0.037, k: 30, d: 4, m: 1.7}\n"
                             "inputs: {u: 0}\n"
                             "bodies: {b: {mass: m, inertia: 1, position: [0.3, 0], angle: 0, velocity: [0.9, 0], fix: true}}\n"
                             "joints: {rail: {type: prismatic, connect: [ground, b], axis: [1, 0]}}\n"
                             "forces: {f: {type: force, joint: rail, value: u}}\n"
                             "record: [rail.distance, rail.distance', u]\n"
                             "simulate: {until: 40*T, every: 0.01, rtol: 1e-12, atol: 1e-14}\n";

static dal_status law(void *user, dal_simulation *sim)
{
    (void)user;
    const double *row = dal_simulation_values(sim, NULL);
    return row && dal_simulation_set_input(sim, "u", -30 * row[1] - 4 * row[2]) ? DAL_OK : DAL_NUMERICAL;
}

static void the_same_law_from_c_gives_the_same_digits(void **state)
{
    (void)state;
    static const char *const methods[] = {"coordinates=joint", "integrator=rk4 step=0.005", "integrator=ab6 step=0.0037"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *a = compile(rail, methods[i], messages), *b = compile(from_c, methods[i], messages);
        assert_non_null(a);
        assert_non_null(b);
        const last one = run_to_last(a, NULL);
        const last two = run_to_last(b, &(dal_run_options){.control = law, .period = 0.037});
        assert_memory_equal(one.value, two.value, sizeof(double) * 4);
        assert_int_equal(one.rows, two.rows);
        dal_system_free(a);
        dal_system_free(b);
        dal_messages_free(messages);
    }
}

/* Two periods whose multiples differ by rounding only; an input that sees another; a table; a reaction. */
static const char cascade[] = "dalembert: 1\n"
                              "space: planar\n"
                              "gravity: [0, -9.81]\n"
                              "tables: {target: {x: [0, 1, 2], y: [1.2, 1.2, 1.8], smooth: 0, outside: hold}}\n"
                              "inputs:\n"
                              "  goal: {value: 'interp(target, t)', period: 0.1}\n"
                              "  torque: {value: 25*(goal - pin.angle) - 4*pin.angle', period: 0.02}\n"
                              "  load: {value: pin.force.y, period: 0.1}\n"
                              "bodies: {rod: {mass: 1, inertia: 1/12, angle: 1, points: {O: [-0.5, 0]}}}\n"
                              "joints: {pin: {type: revolute, connect: [ground, rod.O]}}\n"
                              "forces: {motor: {type: motor, joint: pin, value: torque}}\n"
                              "record: [pin.angle, torque, goal, load]\n"
                              "simulate: {until: 3, every: 0.01, rtol: 1e-10, atol: 1e-12}\n";

static void periods_that_meet_are_sampled_together_in_their_order(void **state)
{
    (void)state;
    static const char *const methods[] = {"", "coordinates=joint formulation=recursive", "coordinates=natural formulation=volterra",
                                          "integrator=rk6 step=1e-3", "formulation=udwadia-kalaba"};
    double reference = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        dal_messages *messages = dal_messages_create(NULL);
        dal_system *system = compile(cascade, methods[i], messages);
        if (!system)
            fail_msg("%s: %s", methods[i], first_text(messages));
        dal_simulation *sim = NULL;
        assert_int_equal(dal_simulation_create(system, NULL, messages, &sim), DAL_OK);
        check_close(dal_simulation_input(sim, 1), 25 * (1.2 - 1), 1e-12); /* at the start: torque has seen the goal */
        assert_int_equal(dal_step(sim, 3), DAL_OK);
        assert_false(dal_simulation_set_input(sim, "torque", 1));
        check_close(dal_simulation_input(sim, 0), 1.8, 1e-12);
        const double angle = dal_simulation_value(sim, 1);
        if (i == 0)
            reference = angle;
        check_close(angle, reference, 1e-8);
        dal_simulation_free(sim);
        dal_system_free(system);
        dal_messages_free(messages);
    }
}

static void refused(const char *inputs, const char *words)
{
    char text[1000];
    dal_messages *messages = dal_messages_create(NULL);
    snprintf(text, sizeof text, "dalembert: 1\nspace: planar\ninputs: %s\nbodies: {b: {mass: 1, inertia: 1}}\nsimulate: {until: 1}\n", inputs);
    assert_null(compile(text, "", messages));
    if (!strstr(first_text(messages), words))
        fail_msg("%s: '%s' does not say '%s'", inputs, first_text(messages), words);
    dal_messages_free(messages);
}

static void wrong_inputs_are_refused_with_a_sentence(void **state)
{
    (void)state;
    refused("{u: {value: b.x, period: 0}}", "greater than zero");
    refused("{u: {value: b.x, period: -0.1}}", "greater than zero");
    refused("{u: {period: 0.1}}", "value");
    refused("{u: {value: b.position, period: 0.1}}", "a vector of 2");
    refused("{u: {value: b.q, period: 0.1}}", "'q'");
    refused("{u: {value: t, period: b.x}}", "b.x");
    refused("{u: {value: t}}", "t");
    refused("{u: {value: 1, perod: 0.1}}", "perod");
}

/* A value that is no number ends the run with its name. */
static void a_sample_that_is_not_a_number_ends_the_run(void **state)
{
    (void)state;
    dal_messages *messages = dal_messages_create(NULL);
    dal_system *system = compile("dalembert: 1\nspace: planar\ninputs: {u: {value: log(0.5 - t), period: 0.1}}\nbodies: {b: {mass: 1, inertia: 1}}\n"
                                 "forces: {f: {type: force, body: b, value: [u, 0]}}\nsimulate: {until: 1}\n",
                                 "", messages);
    assert_non_null(system);
    dal_evidence evidence;
    assert_int_equal(dal_run(system, NULL, messages, &evidence), DAL_NUMERICAL);
    const dal_message *m = dal_messages_first(messages);
    while (m->next)
        m = m->next;
    assert_non_null(strstr(m->text, "input 'u'"));
    check_close(evidence.time_end, 0.5, 1e-9);
    dal_system_free(system);
    dal_messages_free(messages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_values_give_the_motion_of_the_sampled_system),
        cmocka_unit_test(the_same_law_from_c_gives_the_same_digits),
        cmocka_unit_test(periods_that_meet_are_sampled_together_in_their_order),
        cmocka_unit_test(wrong_inputs_are_refused_with_a_sentence),
        cmocka_unit_test(a_sample_that_is_not_a_number_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
