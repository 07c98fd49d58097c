/* A motion that cannot go on ends with a sentence, at the instant at which it cannot: constraints that come to contradict each other,
 * that begin to act, or have a corner; places that stop being numbers. Nothing is carried on with lost energy or without a number. */
#include "check.h"
#include "dalembert/dalembert.h"

typedef struct ending {
    dal_status status;
    dal_evidence evidence;
    char text[512];
} ending;

/* Steps without end, or crumbs of them, would be a hang. */
static bool go_on(void *user, double t, double until, long steps, double wall_seconds)
{
    (void)user, (void)t, (void)until, (void)wall_seconds;
    return steps < 20000;
}

static ending run(const char *text, const char *family, const char *formulation)
{
    dal_messages *messages = dal_messages_create(NULL);
    const dal_run_options options = {.progress = go_on};
    dal_spec *spec;
    dal_system *system;
    ending end = {.text = ""};
    assert_int_equal(dal_spec_parse(NULL, "stop.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_true(!family || dal_spec_set(spec, "coordinates", family, messages));
    assert_true(dal_spec_set(spec, "formulation", formulation, messages));
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    end.status = dal_run(system, &options, messages, &end.evidence);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        if (m->severity == DAL_ERROR || (m->severity == DAL_WARNING && !*end.text))
            snprintf(end.text, sizeof end.text, "%s", m->text);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return end;
}

static const char *const formulations[] = {"lagrange", "maggi", "kane", "volterra", "udwadia-kalaba"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static void says(const ending *end, const char *words)
{
    assert_int_equal(end->status, DAL_NUMERICAL);
    if (!strstr(end->text, words))
        fail_msg("'%s' is not in '%s'", words, end->text);
    assert_true(isfinite(end->evidence.energy_end) && isfinite(end->evidence.energy_drift));
}

static void constraints_that_come_to_contradict_each_other_end_the_run(void **unused)
{
    static const char *const pairs[] = {"a: {position: b.x - 0.3 - t^2}, d: {position: b.x - 0.3 - t^3}",
                                        "a: {velocity: b.x' - 1 - t}, d: {velocity: b.x' - 1 - 2*t}"};
    char text[400];
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FORMULATIONS; f++) {
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                     "bodies: {b: {mass: 1.3, inertia: 0.7, position: [0.3, 0.2], velocity: [%d, 2]}}\n"
                     "constraints: {%s}\nsimulate: {until: 1}\n",
                     i, pairs[i]);
            ending end = run(text, "angle", formulations[f]);
            says(&end, "contradict each other");
            assert_true(end.evidence.time_end < 1e-4);
        }
}

/* (x - 0.3) (y - 0.2) = 0 has no derivative where both factors are zero, (x - 0.3) y' = 0 says nothing there: both would stop the body dead. */
static void a_constraint_that_begins_to_act_ends_the_run(void **unused)
{
    static const char *const constraints[] = {"{position: (b.x - 0.3)*(b.y - 0.2)}", "{velocity: (b.x - 0.3)*b.y'}"};
    char text[400];
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < FORMULATIONS; f++) {
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                     "bodies: {b: {mass: 1.3, inertia: 0.7, position: [0.3, 0.2], velocity: [1, 2]}}\n"
                     "constraints: {a: %s}\nsimulate: {until: 1}\n",
                     constraints[i]);
            ending end = run(text, "angle", formulations[f]);
            says(&end, f == 0 ? "is an impact, not a motion" : "at t = "); /* with speeds it is the change of rank that ends it */
            assert_true(end.evidence.time_end < 1e-4);
        }
}

/* A disc that is let go leaning, without spin, turns about the tangent at its lowest point, which stays where it is:
 *   (I + m r^2) a'' = -m g r cos a,   and it is flat after the integral of da / a' from 0 to a0.
 * With a = a0 - s^2 the integrand is smooth. */
static double time_to_fall(double a0, double m, double r, double I)
{
    const int n = 20000;
    double sum = 0, most = sqrt(a0);
    for (int i = 0; i < n; i++) {
        double s = most * (i + 0.5) / n, a = a0 - s * s;
        sum += 2 * s / sqrt(2 * m * 9.81 * r * (sin(a0) - sin(a)) / (I + m * r * r)) * most / n;
    }
    return sum;
}

static void a_disc_that_falls_flat_ends_the_run_there(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  b: {mass: 1.3, inertia: [0.0025, 0.0025, 0.005], position: [0, 0, 0.1*sin(60*deg)],\n"
                               "    orientation: {axis: [1, 0, 0], angle: 60*deg}}\n"
                               "joints: {roll: {type: rolling-disc, connect: [ground, b], normal: [0, 0, 1], axis: [0, 0, 1], radius: 0.1}}\n"
                               "simulate: {until: 1, rtol: 1e-9, atol: 1e-11}\n";
    static const char *const families[] = {"angle", "euler", "natural", "joint"};
    const double when = time_to_fall(M_PI / 3, 1.3, 0.1, 0.0025);
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int f = 0; f < FORMULATIONS; f++) {
            ending end = run(text, families[k], formulations[f]);
            assert_int_equal(end.status, DAL_NUMERICAL);
            assert_true(*end.text != '\0');
            if (!(fabs(end.evidence.time_end - when) < 1e-6))
                fail_msg("%s, %s: %.9g s instead of %.9g s", families[k], formulations[f], end.evidence.time_end, when);
        }
}

/* The first steps of a method with a past are of order 1: what they lose of the little energy that moves is no impact. */
static void a_start_from_rest_is_no_impact(void **unused)
{
    static const char *const integrators[] = {"dopri5", "cvode-adams", "cvode-bdf", "ida"};
    char text[400];
    (void)unused;
    for (int i = 0; i < 4; i++)
        for (int f = 0; f < FORMULATIONS; f++) {
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                     "bodies: {b: {mass: 13, inertia: 0.7, center: [0.3, 0.1]}}\n"
                     "joints: {hinge: {type: revolute, connect: [ground, b], start: {angle: 0.2}}}\n"
                     "simulate: {until: 0.5, step: 1e-3, every: 0.1, integrator: %s}\n",
                     integrators[i]);
            ending end = run(text, "angle", formulations[f]);
            if (strstr(end.text, "cannot be used here"))
                continue; /* a library that is not there */
            if (end.status != DAL_OK)
                fail_msg("%s, %s: %s", integrators[i], formulations[f], end.text);
        }
}

/* A pendulum by fixed steps that are much too long, and nothing that holds its length: the run ends, but not silently. */
static void joints_that_came_open_are_told(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: {b: {mass: 1.3, inertia: 0.7, position: [1, 0], points: {O: [-1, 0]}}}\n"
                               "joints: {hinge: {type: revolute, connect: [ground, b.O]}}\n"
                               "simulate: {until: 4, step: 0.2, every: 1, integrator: rk4, stabilization: %s}\n";
    static const char *const stabilizations[] = {"none", "mass-projection"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char whole[600];
        snprintf(whole, sizeof whole, text, stabilizations[i]);
        ending end = run(whole, "angle", "lagrange");
        assert_int_equal(end.status, DAL_OK);
        assert_int_equal(strstr(end.text, "not the motion of this mechanism") != NULL, i == 0);
    }
}

static void a_place_that_stops_being_a_number_ends_the_run(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ncoordinates: {x: {start: 1, rate: -3}}\n"
                               "bodies: {b: {mass: 1.3, inertia: 0.7, position: [x, log(0.55 - t)]}}\nsimulate: {until: 1}\n";
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        ending end = run(text, NULL, formulations[f]);
        says(&end, f == 0 ? "'b' is not a finite number" : "at t = 0.55: "); /* some solve, and fail, before anything is looked at */
        assert_true(end.evidence.time_end <= 0.55);
    }
}

/* A speed whose own factor vanishes determines nothing there: seen before the velocities are lost, not after. */
static void a_speed_that_vanishes_ends_the_run(void **unused)
{
    static const char *const speeds[] = {"(1 + cos(A.angle))*A.angle'", "rod.y'"};
    char text[600];
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 2; f++) {
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\n"
                     "bodies: {rod: {mass: 1, inertia: 0.2, position: [0.5, 0], angle: 0, rate: 1, velocity: [0, 0.5], points: {P: [-0.5, 0]}}}\n"
                     "joints: {A: {type: revolute, connect: [ground, rod.P]}}\nspeeds: {u: \"%s\"}\nsimulate: {until: 6, rtol: 1e-9, atol: 1e-11}\n",
                     speeds[i]);
            ending end = run(text, f ? "angle" : "joint", "kane");
            says(&end, "do not determine the velocities");
            check_close(end.evidence.time_end, i ? 3.141592653589793 / 2 : 3.141592653589793, 1e-2);
            assert_true(end.evidence.energy_drift < 1e-4);
        }
}

/* Flat at the start, a parallelogram has one row less than everywhere else: a number of speeds that was decided there is wrong. */
static void a_rank_that_changes_ends_formulations_with_speeds(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], angle: 0, rate: 1, points: {l: [-0.5, 0], r: [0.5, 0]}}\n"
                               "  b: {mass: 1, inertia: 0.3, position: [2, 0], angle: 0, points: {l: [-1, 0], r: [1, 0]}, velocity: [0, 1]}\n"
                               "  c: {mass: 1, inertia: 0.1, position: [2.5, 0], angle: 0, rate: 1, points: {l: [-0.5, 0], r: [0.5, 0]}}\n"
                               "ground: {points: {O: [0, 0], P: [2, 0]}}\n"
                               "joints:\n"
                               "  A: {type: revolute, connect: [ground.O, a.l]}\n  B: {type: revolute, connect: [a.r, b.l]}\n"
                               "  C: {type: revolute, connect: [b.r, c.r]}\n  E: {type: revolute, connect: [ground.P, c.l]}\n"
                               "simulate: {until: 0.5, stabilization: none, integrator: rk4, step: 0.002}\n";
    (void)unused;
    for (int k = 0; k < 2; k++) {
        ending end = run(text, "angle", k ? "kane" : "maggi");
        says(&end, "the rank of the constraints is 8 here and was 7 at the start");
    }
    ending end = run(text, "angle", "lagrange");
    assert_int_equal(end.status, DAL_OK);
    assert_true(end.evidence.position_residual < 1e-5); /* the row that was dependent is taken up when it opens at 1e-6 a unit of time */
}

/* Rolling in the plane can be written at position level as well. Whichever rows are taken, positions are held by those that know them. */
static void rows_of_velocities_do_not_hide_rows_of_positions(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [1, -9.81]\n"
        "bodies: {w: {mass: 1, inertia: 0.02, position: [0, 0.2], angle: 0, center: [0.03, 0.01], velocity: [1, 0], rate: -5}}\n"
        "joints: {R: {type: rolling-disc, connect: [ground, w], normal: [0, 1], radius: 0.2}}\n"
        "constraints: {same: {position: \"w.x + 0.2*w.angle\"}}\nsimulate: {until: 3}\n";
    static const char *const families[] = {"angle", "euler", "natural", "joint"};
    (void)unused;
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < FORMULATIONS; k++) {
            ending end = run(text, families[f], formulations[k]);
            if (end.status != DAL_OK)
                fail_msg("%s, %s: %s", families[f], formulations[k], end.text);
            assert_true(end.evidence.position_residual < 1e-9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_that_come_to_contradict_each_other_end_the_run),
        cmocka_unit_test(a_constraint_that_begins_to_act_ends_the_run),
        cmocka_unit_test(a_disc_that_falls_flat_ends_the_run_there),
        cmocka_unit_test(a_start_from_rest_is_no_impact),
        cmocka_unit_test(joints_that_came_open_are_told),
        cmocka_unit_test(a_place_that_stops_being_a_number_ends_the_run),
        cmocka_unit_test(a_speed_that_vanishes_ends_the_run),
        cmocka_unit_test(a_rank_that_changes_ends_formulations_with_speeds),
        cmocka_unit_test(rows_of_velocities_do_not_hide_rows_of_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
