/* Controllers, filters and sensors: the signals that they give are those of their equations, in closed form; what cannot be is refused
 * with a sentence at its place. */
#include "text_runs.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1.3, velocity: [0.7, 0]}}\n"
static const char tight[] = "until=1.7 every=0.085 rtol=1e-11 atol=1e-13";

/* ---- lag ---------------------------------------------------------------------------------------- */

/* T y' + y = K, y(0) = y0:  y = K + (y0 - K) exp(-t/T) */
static void a_lag_answers_a_step_with_one_minus_exp(void **unused)
{
    trajectory r = run_text_well(HEAD "blocks: {l: {type: lag, input: 1.37, time: 0.31, gain: -2.6, start: 0.4}}\nrecord: [l, l', l.input]\n", tight);
    (void)unused;
    assert_true(r.rows > 15);
    for (int i = 0; i < r.rows; i++) {
        double t = at(&r, i, 0), K = -2.6 * 1.37, y = K + (0.4 - K) * exp(-t / 0.31);
        check_close(at(&r, i, 1), y, 1e-9);
        check_close(at(&r, i, 2), (K - y) / 0.31, 1e-8);
        check_close(at(&r, i, 3), 1.37, 0);
    }
    free(r.value);
}

/* ---- transfer functions ------------------------------------------------------------------------- */

/* Step response of N(s) / prod (s + p_i), distinct p_i:  N(0)/prod p + sum of N(-p_i) exp(-p_i t) / (-p_i prod (p_j - p_i)) */
static double step_response(int n_numerator, const double *numerator, int n, const double *p, double t)
{
    double product = 1, sum;
    for (int i = 0; i < n; i++)
        product *= p[i];
    sum = numerator[n_numerator - 1] / product;
    for (int i = 0; i < n; i++) {
        double value = 0, below = -p[i];
        for (int k = 0; k < n_numerator; k++)
            value = value * -p[i] + numerator[k];
        for (int j = 0; j < n; j++)
            below *= j == i ? 1 : p[j] - p[i];
        sum += value / below * exp(-p[i] * t);
    }
    return sum;
}

/* Three poles over three decades; with and without feedthrough, leading zeros and a common factor in both. */
static void a_transfer_function_answers_a_step_as_its_partial_fractions_say(void **unused)
{
    static const double p[3] = {0.43, 13.7, 219}, numerators[][4] = {{0, 0, 3.1, 250}, {0, 1.9, -40, 800}, {2.2, 17, 300, 90}};
    char text[600];
    (void)unused;
    for (int k = 0; k < 3; k++) {
        const double *b = numerators[k], f = -3.7;
        snprintf(text, sizeof text,
                 HEAD "blocks: {g: {type: transfer-function, input: 1, numerator: [%.17g, %.17g, %.17g, %.17g],\n"
                      "  denominator: [0, 0, %.17g, %.17g, %.17g, %.17g]}}\nrecord: [g]\n",
                 f * b[0], f * b[1], f * b[2], f * b[3], f, f * (p[0] + p[1] + p[2]), f * (p[0] * p[1] + p[0] * p[2] + p[1] * p[2]),
                 f * p[0] * p[1] * p[2]);
        trajectory r = run_text_well(text, tight);
        for (int i = 0; i < r.rows; i++)
            check_close(at(&r, i, 1), step_response(4, b, 3, p, at(&r, i, 0)), 1e-8);
        free(r.value);
    }
}

/* 1/((s/a + 1)(s/b + 1)) and two lags; integrators; a constant; a block that starts at rest where it is told and stays there. */
static void transfer_functions_equal_what_they_are_made_of(void **unused)
{
    trajectory r = run_text_well(HEAD "parameters: {u: 3.1, w: 11}\n"
                                      "blocks:\n"
                                      "  one: {type: lag, input: sin(4*t), time: 1/u}\n"
                                      "  two: {type: lag, input: one, time: 1/w}\n"
                                      "  both: {type: transfer-function, input: sin(4*t), numerator: [1], denominator: [1/(u*w), 1/u + 1/w, 1]}\n"
                                      "  sum: {type: transfer-function, input: 2*t, numerator: [3], denominator: [1, 0], start: 0.6}\n"
                                      "  twice: {type: transfer-function, input: 1, numerator: [1], denominator: [1, 0, 0]}\n"
                                      "  plain: {type: transfer-function, input: t^2, numerator: [6], denominator: [4]}\n"
                                      "  rest: {type: transfer-function, input: 1.2, numerator: [2, 5, 7], denominator: [1, 3, 4], start: 1.2*7/4}\n"
                                      "record: [two, both, sum, twice, plain, rest]\n",
                                 tight);
    (void)unused;
    for (int i = 0; i < r.rows; i++) {
        double t = at(&r, i, 0);
        check_close(at(&r, i, 1), at(&r, i, 2), 1e-9);
        check_close(at(&r, i, 3), 0.6 + 3 * t * t, 1e-9);
        check_close(at(&r, i, 4), t * t / 2, 1e-9);
        check_close(at(&r, i, 5), 1.5 * t * t, 1e-12);
        check_close(at(&r, i, 6), 2.1, 1e-9);
    }
    free(r.value);
}

/* ---- pid ------------------------------------------------------------------------------------------ */

/* e = 1:  kp + ki t + kd/T exp(-t/T); exact rate of e = sin 3t:  kp e + ki (1 - cos 3t)/3 + 3 kd cos 3t */
static void a_pid_gives_its_three_terms(void **unused)
{
    trajectory r = run_text_well(HEAD "blocks:\n"
                                      "  c: {type: pid, input: 1, kp: 2.3, ki: 0.7, kd: 0.19, filter: 0.13, start: 0.25}\n"
                                      "  d: {type: pid, input: sin(3*t), kp: 2.3, ki: 0.7, kd: 0.19, filter: 0}\n"
                                      "  e: {type: pid, input: b.x - 0.7*t, kd: 1.1, filter: 0}\n"
                                      "  f: {type: pid, input: 1, kd: 0.19, filter: 0.13, filter-start: 1}\n"
                                      "record: [c, d, c.integral, c.filter, e, f]\n",
                                 tight);
    (void)unused;
    for (int i = 0; i < r.rows; i++) {
        double t = at(&r, i, 0), x = 1 - exp(-t / 0.13);
        check_close(at(&r, i, 1), 2.3 + 0.25 + 0.7 * t + 0.19 * (1 - x) / 0.13, 1e-8);
        check_close(at(&r, i, 2), 2.3 * sin(3 * t) + 0.7 * (1 - cos(3 * t)) / 3 + 0.57 * cos(3 * t), 1e-9);
        check_close(at(&r, i, 3), 0.25 + 0.7 * t, 1e-9);
        check_close(at(&r, i, 4), x, 1e-9);
        check_small(at(&r, i, 5), 1e-12);
        check_small(at(&r, i, 6), 1e-12); /* no kick */
    }
    free(r.value);
}

/* e = 1: the integral grows to h - kp at t1, then I' = ki - (kp + I - h)/T ends at h - kp + ki T instead of growing for ever; the
 * corner is an event. When the error turns round at t = 1 the output leaves the limit at once, because kp (-1) is at once subtracted. */
static void at_its_limit_the_integral_is_led_back(void **unused)
{
    const double kp = 1.3, ki = 2.9, h = 2.1, T = 0.17, t1 = (h - kp) / ki;
    char text[500];
    (void)unused;
    snprintf(text, sizeof text,
             HEAD "blocks: {c: {type: pid, input: 1, kp: %g, ki: %g, limit: [-1, %g], tracking: %g}}\nrecord: [c, "
                  "c.raw, c.integral]\n",
             kp, ki, h, T);
    trajectory r = run_text_well(text, tight);
    assert_true(r.evidence.events >= 1);
    for (int i = 0; i < r.rows; i++) {
        double t = at(&r, i, 0), I = t < t1 ? ki * t : h - kp + ki * T * (1 - exp(-(t - t1) / T));
        check_close(at(&r, i, 3), I, 1e-8);
        check_close(at(&r, i, 2), kp + I, 1e-8);
        check_close(at(&r, i, 1), fmin(h, kp + I), 1e-8);
    }
    free(r.value);
    snprintf(text, sizeof text, HEAD "blocks: {c: {type: pid, input: 1, kp: %g, ki: %g, limit: [-1, %g]}}\nrecord: [c.integral]\n", kp, ki, h);
    r = run_text_well(text, "until=9 rtol=1e-10 atol=1e-12");
    check_close(last(&r, 1), h - kp + kp, 1e-7); /* T is kp/ki where it is not given */
    free(r.value);
}

/* ---- a pendulum on its head ------------------------------------------------------------------------ */

typedef struct roots {
    double real, a, b; /* one real one, and a +- i b */
} roots;

/* J s^3 + d s^2 + c s + k, one real root */
static roots cubic(double J, double d, double c, double k)
{
    double low = -1e4, high = 0, s;
    for (int i = 0; i < 200; i++) {
        s = (low + high) / 2;
        *(((J * s + d) * s + c) * s + k < 0 ? &low : &high) = s;
    }
    double p = d / J + s, q = c / J + s * p; /* s^2 + p s + q is left */
    roots r = {s, -p / 2, sqrt(q - p * p / 4)};
    return r;
}

/* J x'' = m g l x - kp x - kd x' - I, I' = ki x, from x = A, x' = I = 0: x = C exp(rt) + exp(at) (D cos bt + E sin bt). What is left
 * out is (sin x - x) m g l, less than m g l A^3 / 6: below A^3 in x, because kp - m g l is larger than m g l. */
static void a_pid_held_pendulum_moves_and_settles_as_linear_theory_says(void **unused)
{
    const double m = 1.37, l = 0.41, J = 0.33, kp = 24, ki = 31, kd = 1.9, A = 1e-3, g = 9.81;
    const roots r = cubic(J, kd, kp - m * g * l, ki);
    char text[900];
    (void)unused;
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
             "blocks: {hold: {type: pid, input: -pivot.angle, kp: %g, ki: %g, kd: %g, filter: 0}}\n"
             "bodies: {rod: {mass: %g, inertia: %.17g, center: [0, %g]}}\n"
             "joints: {pivot: {type: revolute, connect: [ground, rod], start: {angle: %g, rate: 0}}}\n"
             "forces: {motor: {type: motor, joint: pivot, value: hold}}\nrecord: [pivot.angle, hold.integral, "
             "motor.torque]\n",
             kp, ki, kd, m, J - m * l * l, l, A);
    assert_true(r.real < 0 && r.a < 0 && r.b > 0); /* a stable oscillation */
    /* x(0) = A, x'(0) = 0, x''(0) = -(kp - m g l) A / J */
    const double a = r.a, b = r.b, x2 = -(kp - m * g * l) * A / J;
    const double C = (x2 + (a * a + b * b) * A) / ((r.real - a) * (r.real - a) + b * b), D = A - C, E = (-C * r.real - a * D) / b;
    trajectory run = run_text_well(text, "until=6 every=0.1 rtol=1e-11 atol=1e-14");
    for (int i = 0; i < run.rows; i++) {
        double t = at(&run, i, 0);
        check_close(at(&run, i, 1), C * exp(r.real * t) + exp(a * t) * (D * cos(b * t) + E * sin(b * t)), A * A * A);
    }
    free(run.value);
}

/* A weight beside the rod, a reference that is not zero, a filtered derivative, a lag in the amplifier: none of it changes where an
 * integral ends, at the reference, with the torque that holds the weights there. Not small: the balance is the exact one. */
static void an_integral_ends_at_its_reference_with_the_torque_of_the_load(void **unused)
{
    trajectory r = run_text_well("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {ref: 0.37, m: 1.37, l: 0.41, e: 0.06}\n"
                                 "sensors: {lean: {type: angle, joint: pivot, lag: 0.002}}\n"
                                 "blocks:\n"
                                 "  hold: {type: pid, input: ref - lean, kp: 34, ki: 45, kd: 5, filter: 0.004, limit: [-8, 8]}\n"
                                 "  amplifier: {type: lag, input: hold, time: 0.003}\n"
                                 "bodies: {rod: {mass: m, inertia: 0.1, center: [e, l]}}\n"
                                 "joints: {pivot: {type: revolute, connect: [ground, rod], start: {angle: 0, rate: 0}}}\n"
                                 "forces: {motor: {type: motor, joint: pivot, value: amplifier}}\n"
                                 "record: [pivot.angle, pivot.angle', hold.integral, motor.torque, motor.power, energy.balance]\n",
                                 "until=20 rtol=1e-10 atol=1e-12");
    const double load = 1.37 * 9.81 * (0.06 * cos(0.37) - 0.41 * sin(0.37));
    (void)unused;
    check_close(last(&r, 1), 0.37, 1e-9);
    check_small(last(&r, 2), 1e-9);
    check_close(last(&r, 3), load, 1e-8);
    check_close(last(&r, 4), load, 1e-8);
    check_close(at(&r, 0, 6), last(&r, 6), 1e-8);
    free(r.value);
}

/* ---- sensors ---------------------------------------------------------------------------------------- */

static void sensors_read_the_channels_that_they_stand_for(void **unused)
{
    trajectory r = run_text_well("dalembert: 1\nspace: spatial\ngravity: [0.3, -0.4, -9.81]\nground: {points: {A: [0.2, 0.1, 0]}}\n"
                                 "bodies: {arm: {mass: 1.3, inertia: [0.1, 0.2, 0.3], center: [0.2, 0.1, 0.05], points: {P: [0.4, 0.3, 0.1]}}}\n"
                                 "joints: {pin: {type: revolute, connect: [ground.A, arm], axis: [0.3, 1, 0.2], start: {angle: 0.4, rate: "
                                 "1.1}}}\n"
                                 "forces: {motor: {type: motor, joint: pin, value: 0.3*speed - 0.2*turn + 0.1*clipped}}\n"
                                 "sensors:\n"
                                 "  turn: {type: angle, joint: pin}\n"
                                 "  place: {type: position, body: arm.P, component: y}\n"
                                 "  speed: {type: velocity, body: arm.P, component: x}\n"
                                 "  gyro: {type: angular-velocity, body: arm}\n"
                                 "  jerk: {type: acceleration, body: arm.P}\n"
                                 "  away: {type: distance, connect: [ground.A, arm.P]}\n"
                                 "  load: {type: force, joint: pin, component: z}\n"
                                 "  moment: {type: torque, joint: pin}\n"
                                 "  pull: {type: torque, force: motor}\n"
                                 "  watt: {type: power, force: motor}\n"
                                 "  clipped: {type: angle, joint: pin, range: [0.3, 0.5]}\n"
                                 "  late: {type: position, body: arm.P, component: y, lag: 1e-4, start: 0.3}\n"
                                 "record: [turn - pin.angle, place - arm.P.y, speed - arm.P.velocity.x, gyro - arm.omega.body, jerk - "
                                 "arm.P.acceleration,\n"
                                 "  away - norm(arm.P.position - ground.A.position), load - pin.force.z, moment - pin.torque, pull - "
                                 "motor.torque,\n"
                                 "  watt - motor.torque*pin.angle', \"clipped - max(0.3, min(0.5, pin.angle))\", late - arm.P.y + 1e-4*late']\n",
                                 "until=0.6 every=0.05 rtol=1e-8 atol=1e-10");
    (void)unused;
    assert_true(r.evidence.events >= 1); /* of the range */
    for (int i = 0; i < r.rows; i++)
        for (int k = 1; k < r.n; k++)
            if (!(fabs(at(&r, i, k)) < 1e-9))
                fail_msg("%s = %g at t = %g", r.name[k], at(&r, i, k), at(&r, i, 0));
    free(r.value);
}

/* ---- repeat, sub-models -------------------------------------------------------------------------------- */

static void blocks_repeat(void **unused)
{
    trajectory r = run_text_well(HEAD "blocks:\n"
                                      "  c: {repeat: {i: 1..3}, type: lag, input: i*t, time: i/10}\n"
                                      "  g: {repeat: {i: 1..3}, type: transfer-function, input: \"c.{i}\", numerator: [i], denominator: [1, 1]}\n"
                                      "record: [c.3, g.2, g.2.x1, g.2.input - c.2]\n",
                                 tight);
    (void)unused;
    for (int i = 0; i < r.rows; i++) {
        double t = at(&r, i, 0), T = 0.3;
        check_close(at(&r, i, 1), 3 * (t - T * (1 - exp(-t / T))), 1e-9);
        check_close(at(&r, i, 2), 2 * at(&r, i, 3), 1e-12);
        check_small(at(&r, i, 4), 1e-15);
    }
    check_close(at(&r, r.rows - 1, 2), 2 * (2 * (last(&r, 0) - 1.2 + 1.25 * exp(-last(&r, 0)) - 0.05 * exp(-5 * last(&r, 0)))), 1e-8);
    free(r.value);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The same servo twice inside another model, and once beside it. */
static void blocks_stand_in_included_models(void **unused)
{
    char folder[] = "/tmp/dalembert-blocks-XXXXXX", path[300];
    static const char servo[] = "dalembert: 1\nspace: planar\nparameters: {ref: 0.4}\n"
                                "bodies: {arm: {mass: 0.7, inertia: 0.03, center: [0.2, 0]}}\n"
                                "joints: {pin: {type: revolute, connect: [ground, arm], start: {angle: 0.1, rate: 0}}}\n"
                                "sensors: {seen: {type: angle, joint: pin, lag: 0.01}}\n"
                                "blocks: {law: {type: pid, input: ref - seen, kp: 9, ki: 3, kd: 0.8, filter: 0.02, limit: [-1.5, 1.5]}}\n"
                                "forces: {motor: {type: motor, joint: pin, value: law}}\n";
    (void)unused;
    assert_non_null(mkdtemp(folder));
    write_file(folder, "servo.yaml", servo);
    write_file(folder, "whole.yaml",
               "dalembert: 1\nspace: planar\nground: {points: {L: [1, 0.5]}}\n"
               "bodies: {dummy: {mass: 1}}\n"
               "models: {left: {file: servo.yaml, ground: ground.L}, right: {file: servo.yaml, set: {ref: -0.3}}}\n"
               "record: [left.pin.angle, right.pin.angle, left.law, left.law.integral, right.seen, left.seen.lag]\n");
    snprintf(path, sizeof path, "%s/whole.yaml", folder);
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    trajectory both = {0};
    dal_sink sink = {&both, begin, keep_row};
    dal_run_options options = {.sink = &sink};
    assert_int_equal(dal_spec_read(NULL, path, 0, NULL, messages, &spec), DAL_OK);
    set_all(spec, "until=1.5 every=0.1 rtol=1e-10 atol=1e-12", messages);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    assert_int_equal(dal_run(system, &options, messages, &both.evidence), DAL_OK);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    char text[900];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%srecord: [pin.angle, law, law.integral, seen]\n", servo);
        char *ref = strstr(text, "0.4}");
        if (k)
            memcpy(ref, "-.3", 3);
        trajectory one = run_text_well(text, "until=1.5 every=0.1 rtol=1e-10 atol=1e-12");
        for (int i = 0; i < one.rows; i++) {
            check_close(at(&both, i, 1 + k), at(&one, i, 1), 1e-8);
            check_close(at(&both, i, k ? 5 : 6), at(&one, i, 4), 1e-8);
            if (!k)
                check_close(at(&both, i, 4), at(&one, i, 3), 1e-8);
        }
        free(one.value);
    }
    free(both.value);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "whole.yaml" : "servo.yaml");
        unlink(path);
    }
    rmdir(folder);
}

/* ---- what is refused -------------------------------------------------------------------------------- */

static void algebraic_loops_are_refused_and_named(void **unused)
{
    (void)unused;
    refused_with(HEAD "blocks:\n"
                      "  c: {type: pid, input: 1 - g, kp: 2}\n"
                      "  g: {type: transfer-function, input: 3*c, numerator: [1, 2], denominator: [1, 3]}\n",
                 6, 41,
                 "an algebraic loop: the output of 'c' is needed for its own input, c -> c.input -> g -> g.input -> c; "
                 "put a lag into the loop");
    refused_with(HEAD "define: {u: 2*c}\nblocks: {c: {type: pid, input: u, kp: 2}}\n", 0, 0, "u -> c -> c.input -> u");
    /* with a state between there is none */
    trajectory r = run_text_well(HEAD "blocks:\n"
                                      "  c: {type: pid, input: 1 - g, kp: 2}\n"
                                      "  g: {type: transfer-function, input: 3*c, numerator: [2], denominator: [1, 3]}\nrecord: [g]\n",
                                 "until=5 rtol=1e-10 atol=1e-12");
    check_close(last(&r, 1), 12.0 / 15, 1e-8); /* g' = 12 - 12 g - 3 g */
    free(r.value);
}

#define BLOCK(text) HEAD "blocks: {c: {" text "}}\n"
#define SENSOR(text) HEAD "sensors: {s: {" text "}}\n"
static void bad_blocks_and_sensors_are_refused_with_a_sentence(void **unused)
{
    static const struct {
        const char *text, *words;
    } faults[] = {
        {BLOCK("type: pdi, input: 1"), "pid"},
        {BLOCK("input: 1, kp: 1"), "type"},
        {BLOCK("type: lag, time: 1"), "block 'c' of type lag needs the key 'input'"},
        {BLOCK("type: lag, input: 1"), "block 'c' of type lag needs the key 'time'"},
        {BLOCK("type: lag, input: 1, time: 0"), "'time' of block 'c' has to be positive, not 0"},
        {BLOCK("type: lag, input: 1, time: t"), "'t'"},
        {BLOCK("type: lag, input: 1, time: 1, kp: 2"), "block 'c' of type lag has no key 'kp': it knows type, input, time, gain, start"},
        {BLOCK("type: lag, input: b.xx, time: 1"), "has no channel 'xx'"},
        {BLOCK("type: lag, input: b.acceleration.x, time: 1"), "forces and states cannot use it"},
        {BLOCK("type: lag, input: b.position, time: 1"), "vector"},
        {BLOCK("type: pid, input: 1"), "needs one of 'kp', 'ki' and 'kd'"},
        {BLOCK("type: pid, input: 1, kd: 2"), "has a 'kd' but no 'filter'"},
        {BLOCK("type: pid, input: 1, kd: 2, filter: -1"), "negative 'filter'"},
        {BLOCK("type: pid, input: 1, kp: 2, filter-start: 1"), "no filter with a time"},
        {BLOCK("type: pid, input: 1, kp: 2, start: 1"), "no 'ki'"},
        {BLOCK("type: pid, input: 1, kp: 2, tracking: 1"), "give 'ki' and 'limit'"},
        {BLOCK("type: pid, input: 1, ki: 2, limit: [0, 1]"), "kp/ki is not positive"},
        {BLOCK("type: pid, input: 1, ki: 2, limit: [0, 1], tracking: 0"), "positive 'tracking'"},
        {BLOCK("type: pid, input: 1, kp: 2, limit: [1, 0]"), "the lowest value stands first"},
        {BLOCK("type: pid, input: 1, kp: 2, limit: [1]"), "two numbers"},
        {BLOCK("type: transfer-function, input: 1, numerator: [1, 0, 0], denominator: [1, 1]"), "it would differentiate"},
        {BLOCK("type: transfer-function, input: 1, numerator: [1], denominator: [0, 0]"), "the denominator of block 'c' is zero"},
        {BLOCK("type: transfer-function, input: 1, numerator: [1, 0], denominator: [1, 1], start: 2"), "cannot start at 2"},
        {BLOCK("type: transfer-function, input: 1, numerator: [1], denominator: [1, q]"), "'q'"},
        {BLOCK("type: transfer-function, input: 1, numerator: [1], denominator: [1e-300, 1, 1e300]"), "too far apart"},
        {HEAD "blocks: {c: {type: lag, input: 1, time: 1}}\nrecord: [c.inptu]\n", "c"},
        {HEAD "blocks: {c: {type: pid, input: 1, ki: 1}}\nrecord: [c.integrl]\n", "'c' has no part 'integrl' (did you mean 'integral'?): it has"},
        {HEAD "blocks: {b: {type: pid, input: 1, ki: 1}}\n", "already the name of the body"},
        {HEAD "blocks: {c: {type: pid, input: b.x', kd: 1, filter: 0}}\nforces: {f: {type: force, body: b, value: [c, "
              "0]}}\n",
         "an acceleration"},
        {HEAD "blocks: 3\n", "blocks"},
        {SENSOR("type: velocity, body: b, component: x") "record: [s.x]\n", "'s' is one signal: nothing stands behind its name, not 'x'"},
        {SENSOR("type: height, body: b"), "distance"},
        {SENSOR("type: position"), "none is named"},
        {SENSOR("type: position, joint: b"), "it is put on 'body'; another element is named"},
        {SENSOR("type: distance, joint: b, connect: [b, b]"), "one of them is named"},
        {SENSOR("type: distance, connect: [ground, b]"), "name a point of the ground"},
        {SENSOR("type: position, body: b, component: x, lag: 0"), "positive lag"},
        {SENSOR("type: position, body: b, lag: 1"), "needs one 'component'"},
        {SENSOR("type: position, body: b, range: [0, 1]"), "needs one 'component'"},
        {SENSOR("type: position, body: b, start: 1"), "belongs to a lag"},
        {SENSOR("type: acceleration, body: b, component: y, lag: 1"), "known after the forces"},
        {SENSOR("type: velocity, body: b, component: x, range: [2, 1]"), "the lowest value stands first"},
        {SENSOR("type: angle, body: b, component: x"), "it has no 'component'"},
        {SENSOR("type: position, body: nobody"), "nobody"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        refused_with(faults[i].text, 0, 0, faults[i].words);
    refused_with(SENSOR("type: velocity, body: bb, component: x"), 4, 37, "bb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lag_answers_a_step_with_one_minus_exp),
        cmocka_unit_test(a_transfer_function_answers_a_step_as_its_partial_fractions_say),
        cmocka_unit_test(transfer_functions_equal_what_they_are_made_of),
        cmocka_unit_test(a_pid_gives_its_three_terms),
        cmocka_unit_test(at_its_limit_the_integral_is_led_back),
        cmocka_unit_test(a_pid_held_pendulum_moves_and_settles_as_linear_theory_says),
        cmocka_unit_test(an_integral_ends_at_its_reference_with_the_torque_of_the_load),
        cmocka_unit_test(sensors_read_the_channels_that_they_stand_for),
        cmocka_unit_test(blocks_repeat),
        cmocka_unit_test(blocks_stand_in_included_models),
        cmocka_unit_test(algebraic_loops_are_refused_and_named),
        cmocka_unit_test(bad_blocks_and_sensors_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
