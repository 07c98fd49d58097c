/* Dry friction whose limit is a function of time, inputs, states and motion, against closed forms; the channels of friction. */
#include "gallery.h"

#include <math.h>

enum { MOST_ROWS = 64 };

typedef struct last {
    double value[16];
} last;

typedef struct table {
    int n;
    double row[MOST_ROWS][16];
} table;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    return n <= 16 ? DAL_OK : DAL_BAD_COMMAND;
}

static dal_status keep(void *user, int n, const double *values)
{
    table *t = user;
    assert_true(t->n < MOST_ROWS);
    memcpy(t->row[t->n++], values, sizeof *values * (size_t)n);
    return DAL_OK;
}

static table run_rows(const char *text, const char *family, const char *formulation, dal_evidence *evidence)
{
    dal_system *system = gallery_compile_text(text, family, formulation);
    assert_non_null(system);
    table rows = {0};
    dal_sink sink = {&rows, begin, keep};
    dal_run_options options = {.sink = &sink};
    dal_evidence own;
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_run(system, &options, messages, evidence ? evidence : &own) != DAL_OK)
        fail_msg("%s, %s: %s", family, formulation, dal_messages_first(messages) ? dal_messages_first(messages)->text : "failed");
    dal_messages_free(messages);
    dal_system_free(system);
    return rows;
}

static const char *const families[] = {"angle", "euler", "natural", "joint"};
static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra", "recursive"};
enum { FAMILIES = 4, FORMULATIONS = 8 };

/* ---- a flywheel with a motor and a brake ------------------------------------------------------------ */

/* I w' = M - T while it turns, T = 9 t up to t = 1 and 9 (2 - t) behind; below zero the brake is open. */
#define WHEEL                                                                                                                                        \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {T0: 9}\n"                                                                        \
    "define: {brake: \"if(t < 1, t, 2 - t)\"}\nstates: {closed: {start: 0, rate: \"if(t < 1, 1, -1)\"}}\n"                                           \
    "tables: {ramp: {x: [0, 1, 4], y: [0, 1, -2], smooth: 0}}\n"                                                                                     \
    "bodies: {wheel: {mass: 3, inertia: 0.4, center: [0, 0]}}\n"                                                                                     \
    "joints: {A: {type: revolute, connect: [ground, wheel], start: {angle: 0, rate: 3}, friction: {limit: \"%s\"}}}\n"                               \
    "forces: {drive: {type: motor, joint: A, value: 2}}\n"                                                                                           \
    "record: [A.angle, \"A.angle'\", A.friction, A.friction.power, A.torque, energy.balance]\n"                                                      \
    "simulate: {until: 2.5, every: 0.1, rtol: 1e-11, atol: 1e-13}\n"

typedef struct motion {
    double angle, rate, friction;
} motion;

/* Stops where 4.5 t^2 - 2 t - 1.2 = 0, comes loose where 9 (2 - t) = M. */
static motion wheel_at(double t)
{
    const double I = 0.4, M = 2, T0 = 9, w0 = 3, stop = (2 + sqrt(4 + 4 * 4.5 * I * w0)) / 9, loose = 2 - M / T0;
    const double held = w0 * stop + (M * stop * stop / 2 - T0 * stop * stop * stop / 6) / I;
    if (t < stop)
        return (motion){w0 * t + (M * t * t / 2 - T0 * t * t * t / 6) / I, w0 + (M * t - T0 * t * t / 2) / I, -T0 * t};
    if (t < loose)
        return (motion){held, 0, -M};
    const double s = fmin(t, 2) - loose, rate = T0 * s * s / 2 / I, angle = held + T0 * s * s * s / 6 / I, free = fmax(t - 2, 0);
    return (motion){angle + rate * free + M / I * free * free / 2, rate + M / I * free, -T0 * fmax(2 - t, 0)};
}

static void check_wheel(const table *rows, double tolerance)
{
    assert_int_equal(rows->n, 26);
    for (int i = 0; i < rows->n; i++) {
        const double *row = rows->row[i];
        const motion want = wheel_at(row[0]);
        check_close(row[1], want.angle, tolerance);
        check_close(row[2], want.rate, 10 * tolerance);
        check_close(row[3], want.friction, 10 * tolerance);
        check_close(row[4], want.friction * want.rate, 100 * tolerance);
        check_close(row[5], want.friction, 10 * tolerance); /* the reaction has no other torque */
        check_close(row[6], rows->row[0][6], 1e-8);
    }
}

static void a_brake_stops_holds_and_releases_a_flywheel_at_the_analytic_times(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; k < FORMULATIONS; k++) {
            char text[2000];
            dal_evidence evidence;
            if (!strcmp(formulations[k], "recursive") != !strcmp(families[f], "joint") && !strcmp(formulations[k], "recursive"))
                continue;
            snprintf(text, sizeof text, WHEEL, "T0*brake");
            const table rows = run_rows(text, families[f], formulations[k], &evidence);
            check_wheel(&rows, 1e-8);
            assert_true(evidence.events >= 4 && evidence.events <= 6); /* stop, t = 1, loose, open */
        }
}

/* The same law by a table, by a state, and with what is a constant in it. */
static void the_limit_may_follow_tables_and_states(void **unused)
{
    (void)unused;
    static const char *const laws[] = {"T0*interp(ramp, t)", "T0*closed", "brake*9", "max(0, T0*brake)", "T0*brake + 0*A.angle + 0*wheel.omega"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char text[2000];
        snprintf(text, sizeof text, WHEEL, laws[i]);
        const table rows = run_rows(text, "joint", "kane", NULL);
        check_wheel(&rows, 1e-8);
    }
}

/* At rest it holds half as much again: 13.5 (2 - t) = 2. */
static void what_holds_at_rest_has_its_own_limit(void **unused)
{
    (void)unused;
    static const char *const laws[] = {"T0*brake\", static-limit: \"1.5*T0*brake", "T0*brake\", coefficient: 0.2, static: 0.3, radius: \"1e-9"};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FAMILIES; f++) {
            char text[2000];
            snprintf(text, sizeof text, WHEEL, laws[i]);
            const table rows = run_rows(text, families[f], "lagrange", NULL);
            const double loose = 2 - 2 / 13.5, I = 0.4, s = 2 - loose; /* I w' = 2 - 9 (2 - t) */
            const double rate = (2 * s - 4.5 * s * s) / I;
            check_close(rows.row[18][2], 0, 1e-9); /* t = 1.8: the other one has come loose */
            check_close(rows.row[25][2], rate + 2 * 0.5 / I, i ? 1e-6 : 1e-8);
        }
}

/* ---- limits that follow the motion ------------------------------------------------------------------- */

#define BLOCK                                                                                                                                        \
    "dalembert: 1\nspace: planar\nbodies: {block: {mass: 2, inertia: 0.1}}\n"                                                                        \
    "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], start: {distance: 0, rate: 1.3}, friction: {limit: \"%s\"}}}\n"         \
    "record: [way.distance, \"way.distance'\", way.friction]\nsimulate: {until: 2, every: 0.1, rtol: 1e-11, atol: 1e-13}\n"

/* A limit k x brakes like a spring and then holds; a limit c |v| is a damper, and 0.3 + c |v| both. */
static void a_limit_may_follow_position_and_velocity(void **unused)
{
    (void)unused;
    char text[1000];
    for (int f = 0; f < FAMILIES; f++) {
        snprintf(text, sizeof text, BLOCK, "18*way.distance");
        table rows = run_rows(text, families[f], "lagrange", NULL);
        for (int i = 0; i < rows.n; i++) {
            const double t = rows.row[i][0], quarter = 3.141592653589793 / 2 / 3, phase = fmin(3 * t, 3 * quarter);
            check_close(rows.row[i][1], 1.3 / 3 * sin(phase), 1e-8);
            check_close(rows.row[i][2], t < quarter ? 1.3 * cos(phase) : 0, 1e-7);
            check_close(rows.row[i][3], t < quarter ? -18 * rows.row[i][1] : 0, 1e-7);
        }
        snprintf(text, sizeof text, BLOCK, "0.3 + 1.1*abs(way.distance')");
        rows = run_rows(text, families[f], "lagrange", NULL);
        const double c = 1.1 / 2, v = 0.3 / 1.1, stop = log(1 + 1.3 / v) / c; /* v' = -c (v + 0.3/1.1) */
        assert_true(stop > 2);
        for (int i = 0; i < rows.n; i++)
            check_close(rows.row[i][2], (1.3 + v) * exp(-c * rows.row[i][0]) - v, 1e-8);
    }
}

/* A brake that is open for long, at rest and in motion: nothing chatters. */
static void an_open_brake_does_nothing(void **unused)
{
    (void)unused;
    static const char *const laws[] = {"max(0, 5*sin(t - 4))*(t > 4)", "if(t < 9, 0, 1)*3", "0*t"};
    for (int i = 0; i < 3; i++)
        for (int moves = 0; moves < 2; moves++) {
            char text[1000];
            dal_evidence evidence;
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nbodies: {wheel: {mass: 3, inertia: 0.4}}\n"
                     "joints: {A: {type: revolute, connect: [ground, wheel], start: {angle: 0, rate: %d}, friction: {limit: \"%s\"}}}\n"
                     "record: [A.angle]\nsimulate: {until: 4, every: 1}\n",
                     moves, laws[i]);
            const table rows = run_rows(text, "angle", "lagrange", &evidence);
            check_close(rows.row[4][1], 4 * moves, 1e-9);
            assert_true(evidence.events <= 4);
        }
}

/* ---- what a program sets ------------------------------------------------------------------------------- */

/* An input closes the brake at t = 1, and opens it again at t = 2. */
static void an_input_works_the_brake(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ninputs: {pedal: 0}\nbodies: {wheel: {mass: 3, inertia: 0.4}}\n"
                               "joints: {A: {type: revolute, connect: [ground, wheel], start: {angle: 0, rate: 2}, friction: {limit: 1.6*pedal}}}\n"
                               "forces: {drive: {type: motor, joint: A, value: 0.5}}\nrecord: [A.angle, \"A.angle'\"]\nsimulate: {until: 4}\n";
    dal_system *system = gallery_compile_text(text, "joint", "lagrange");
    dal_simulation *simulation = NULL;
    dal_run_options options = {0};
    double w = 2, t = 0;
    assert_int_equal(dal_simulation_create(system, &options, NULL, &simulation), DAL_OK);
    for (int k = 0; k < 3; k++) {
        const double until[] = {1, 3, 3.5}, change = until[k] - t, torque = k == 1 ? 0.5 - 1.6 : 0.5;
        assert_true(dal_simulation_set_input(simulation, "pedal", k == 1));
        w = k == 1 ? fmax(w + torque / 0.4 * change, 0) : w + torque / 0.4 * change;
        t = until[k];
        assert_int_equal(dal_step(simulation, t), DAL_OK);
        check_close(dal_state_body(dal_simulation_state(simulation), 0).omega[2], w, 1e-6);
    }
    dal_simulation_free(simulation);
    dal_system_free(system);
}

/* ---- channels --------------------------------------------------------------------------------------------- */

/* Of every joint with friction: its part of the reaction, and the power. */
static void friction_is_a_channel_of_every_joint_that_has_it(void **unused)
{
    (void)unused;
    static const char *const joints[] = {
        "type: revolute, axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, radius: 0.03, limit: 0.1, viscous: 0.4}",
        "type: prismatic, axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, limit: \"0.3 + 0.1*t\"}",
        "type: cylindrical, axis: [0, 0.6, 0.8], friction: {coefficient: 0.2, radius: 0.03, limit: 0.2}",
        "type: spherical, friction: {coefficient: 0.2, radius: 0.03}",
        "type: screw, axis: [0, 0.6, 0.8], pitch: 0.02, friction: {coefficient: 0.2, radius: 0.03, limit: \"0.1*(1 + t)\"}",
        "type: screw, axis: [0, 0.6, 0.8], pitch: 0.02, friction: {limit: 0.1}"};
    static const char *const records[] = {
        "J.friction, J.friction.power, J.friction*J.angle', 0.6*J.torque.y + 0.8*J.torque.z",
        "J.friction, J.friction.power, J.friction*J.distance', 0.6*J.force.y + 0.8*J.force.z",
        "J.friction.force, J.friction.power, J.friction.force*J.distance' + J.friction.torque*J.angle', 0.6*J.force.y + 0.8*J.force.z, "
        "J.friction.torque, 0.6*J.torque.y + 0.8*J.torque.z",
        "J.friction.x, J.friction.power, \"dot(J.friction, body.omega)\", J.torque.x, norm(J.friction), 0.2*0.03*norm(J.force)",
        "J.friction, J.friction.power, J.friction*J.angle'",
        "J.friction, J.friction.power, J.friction*J.angle'"};
    for (size_t j = 0; j < sizeof joints / sizeof *joints; j++)
        for (int f = 0; f < FAMILIES; f++) {
            char text[2000];
            const char *const start = j == 3 ? "" : j == 1 ? ", start: {distance: 0.1, rate: 0.7}" : j == 2 ? "" : ", start: {angle: 0.2, rate: 5}";
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: spatial\ngravity: [0.4, -0.3, -9.81]\n"
                     "bodies: {body: {mass: 1.7, inertia: [0.02, 0.03, 0.025], center: [0.02, 0.01, -0.03]%s}}\n"
                     "joints: {J: {connect: [ground, body], %s%s}}\nrecord: [%s]\nsimulate: {until: 0.05, every: 0.01, rtol: 1e-9, atol: 1e-12}\n",
                     j == 3   ? ", position: [0, 0, 0], orientation: {axis: [1, 0, 0], angle: 0.3}, angular-velocity: [3, 2, 4]"
                     : j == 2 ? ", position: [0, 0, 0], velocity: [0, 0.6, 0.8], angular-velocity: [0, 3, 4]"
                              : "",
                     joints[j], start, records[j]);
            const table rows = run_rows(text, families[f], "lagrange", NULL);
            for (int i = 0; i < rows.n; i++) {
                const double *row = rows.row[i];
                assert_true(row[2] < -1e-4); /* it takes power */
                check_close(row[2], row[3], 1e-9);
                if (j < 4)
                    check_close(row[1], row[4], 1e-8);
                if (j == 2 || j == 3)
                    check_close(row[5], row[6], 1e-8);
            }
        }
}

/* The power of a nut's friction is what its energy loses. */
static void the_power_of_friction_is_what_the_energy_loses(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0.4, -0.3, -9.81]\n"
        "bodies: {nut: {mass: 1.7, inertia: [0.02, 0.03, 0.025]}}\n"
        "joints: {J: {type: screw, connect: [ground, nut], axis: [0, 0, 1], pitch: 0.05, start: {angle: 0, rate: 40}, friction: {coefficient: 0.1, "
        "radius: "
        "0.03, limit: \"0.2*(1 + t)\"}}}\nrecord: [energy, J.friction.power]\nsimulate: {until: 0.4, every: 0.0125, rtol: 1e-11, atol: 1e-13}\n";
    const table rows = run_rows(text, "joint", "lagrange", NULL);
    double work = 0;
    for (int i = 0; i + 2 < rows.n; i += 2) /* Simpson */
        work += 0.0125 / 3 * (rows.row[i][2] + 4 * rows.row[i + 1][2] + rows.row[i + 2][2]);
    assert_true(work < -0.1);
    check_close(rows.row[rows.n - 1][1] - rows.row[0][1], work, 1e-7);
}

/* ---- parameters ---------------------------------------------------------------------------------------------- */

static last row_at_end(const dal_system *system)
{
    table rows = {0};
    dal_sink sink = {&rows, begin, keep};
    dal_run_options options = {.sink = &sink};
    dal_evidence evidence;
    assert_int_equal(dal_run(system, &options, NULL, &evidence), DAL_OK);
    last end;
    memcpy(end.value, rows.row[rows.n - 1], sizeof end.value);
    return end;
}

/* A limit, and the mass of shapes in a force, are what a model compiled with these values has. */
static void limits_and_masses_follow_the_parameters(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {T0: %.17g, rho: %.17g, a: 0.1}\n"
        "bodies: {arm: {density: rho, shape: {box: [0.4, a, 0.02], at: [0.2, 0]}}}\n"
        "joints: {A: {type: revolute, connect: [ground, arm], start: {angle: 0.3, rate: 1}, friction: {limit: \"T0*(1 + sin(t))\"}}}\n"
        "forces: {hold: {type: motor, joint: A, value: 0.9*9.81*arm.inertial.mass*arm.inertial.center.x*cos(A.angle)}}\n"
        "record: [A.angle, A.friction, arm.inertial.zz, hold.torque]\nsimulate: {until: 0.7, every: 0.7}\n";
    char model[1500];
    snprintf(model, sizeof model, text, 0.2, 2700.0);
    dal_system *base = gallery_compile_text(model, "joint", "lagrange");
    for (int i = 0; i < 4; i++) { /* the second time from what the first has recorded */
        const char *const names[] = {"T0", "rho"};
        const double values[] = {0.05 * (i + 1), 1000 + 500 * i};
        dal_system *varied;
        assert_int_equal(dal_system_vary(NULL, base, 2, names, values, NULL, &varied), DAL_OK);
        snprintf(model, sizeof model, text, values[0], values[1]);
        dal_system *anew = gallery_compile_text(model, "joint", "lagrange");
        const last a = row_at_end(varied), b = row_at_end(anew);
        for (int k = 0; k < 5; k++)
            check_close(a.value[k], b.value[k], 0);
        check_close(b.value[3], values[1] * 0.4 * 0.1 * 0.02 * (0.16 + 0.01) / 12, 1e-12);
        dal_system_free(varied);
        dal_system_free(anew);
    }
    dal_system_free(base);
}

/* ---- what is refused ---------------------------------------------------------------------------------------- */

static void expect_refusal(const char *text, const char *words)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_status status = dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    assert_int_not_equal(status, DAL_OK);
    if (!strstr(dal_messages_first(messages)->text, words))
        fail_msg("'%s' is not in: %s", words, dal_messages_first(messages)->text);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void a_limit_that_follows_a_reaction_is_refused(void **unused)
{
    (void)unused;
    char text[2000];
    static const char *const laws[][2] = {{"0.3*norm(A.force)", "written as 'coefficient'"},
                                          {"0.1*A.torque", "algebraic loop"},
                                          {"A.friction", "dry friction"},
                                          {"drive.torque", "the effort of a force"},
                                          {"wheel.position", "is a vector of 2"},
                                          {"T1*brake", "T1"},
                                          {"-3", "has to be zero or positive"},
                                          {"T0*brake\", static-limit: \"energy", "an energy"}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        snprintf(text, sizeof text, WHEEL, laws[i][0]);
        expect_refusal(text, laws[i][1]);
    }
    snprintf(text, sizeof text, WHEEL, "T0*brake");
    memcpy(strstr(text, "A.friction,"), "B.friction,", 11);
    expect_refusal(text, "B");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brake_stops_holds_and_releases_a_flywheel_at_the_analytic_times),
        cmocka_unit_test(the_limit_may_follow_tables_and_states),
        cmocka_unit_test(what_holds_at_rest_has_its_own_limit),
        cmocka_unit_test(a_limit_may_follow_position_and_velocity),
        cmocka_unit_test(an_open_brake_does_nothing),
        cmocka_unit_test(an_input_works_the_brake),
        cmocka_unit_test(friction_is_a_channel_of_every_joint_that_has_it),
        cmocka_unit_test(the_power_of_friction_is_what_the_energy_loses),
        cmocka_unit_test(limits_and_masses_follow_the_parameters),
        cmocka_unit_test(a_limit_that_follows_a_reaction_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
