/* Dry friction in joints: closed forms of sticking and slipping, and every formulation alike. */
#include "gallery.h"

#include <math.h>

typedef struct last_row {
    double value[16];
} last_row;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)columns;
    return n <= 16 ? DAL_OK : DAL_BAD_COMMAND;
}

static dal_status keep(void *user, int n, const double *values)
{
    memcpy(((last_row *)user)->value, values, sizeof *values * (size_t)n);
    return DAL_OK;
}

/* The last recorded row; `evidence` may be NULL. */
static last_row run_to_end(const char *text, const char *family, const char *formulation, dal_evidence *evidence)
{
    dal_system *system = gallery_compile_text(text, family, formulation);
    assert_non_null(system);
    last_row row = {{0}};
    dal_sink sink = {&row, begin, keep};
    dal_run_options options = {.sink = &sink};
    dal_evidence own;
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_run(system, &options, messages, evidence ? evidence : &own) != DAL_OK)
        fail_msg("%s, %s: %s", family, formulation, dal_messages_first(messages) ? dal_messages_first(messages)->text : "failed");
    dal_messages_free(messages);
    dal_system_free(system);
    return row;
}

static const char *const families[] = {"angle", "euler", "natural", "joint"};
static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra"};
enum { FAMILIES = 4, FORMULATIONS = 7 };

#define INCLINE                                                                                                                           \
    "dalembert: 1\nspace: planar\nparameters: {a: %.17g, v: %g}\ngravity: [0, -9.81]\n"                                                   \
    "bodies: {block: {mass: 2.3, inertia: 0.1, position: [0, 0], angle: a, velocity: [v*cos(a), v*sin(a)]}}\n"                            \
    "joints: {way: {type: prismatic, connect: [ground, block], axis: [cos(a), sin(a)], friction: {coefficient: 0.4, static: 0.5}}}\n"     \
    "record: [way.distance, \"way.distance'\", way.force, energy.balance]\nsimulate: {until: 1.5, rtol: 1e-10, atol: 1e-12}\n"

/* It holds up to the slope atan(mu_s), and then slides down with g (sin a - mu cos a). */
static void a_block_on_an_incline_slips_at_the_angle_of_friction(void **unused)
{
    (void)unused;
    const double critical = atan(0.5), g = 9.81, t = 1.5;
    for (int f = 0; f < FAMILIES; f++)
        for (int k = -1; k <= 1; k += 2) {
            char text[1000];
            double a = critical * (1 + 1e-6 * k);
            snprintf(text, sizeof text, INCLINE, a, 0.0);
            last_row row = run_to_end(text, families[f], "lagrange", NULL);
            double slide = k > 0 ? -g * (sin(a) - 0.4 * cos(a)) : 0;
            check_close(row.value[1], slide * t * t / 2, 1e-9);
            check_close(row.value[2], slide * t, 1e-9);
            check_close(row.value[3] * cos(a) + row.value[4] * sin(a), k > 0 ? 2.3 * g * 0.4 * cos(a) : 2.3 * g * sin(a), 1e-9); /* friction */
        }
}

/* Thrown up the slope it stops after v^2 / (2 g (sin a + mu cos a)) and stays: one event, exactly located. */
static void a_block_thrown_up_stops_where_it_should(void **unused)
{
    (void)unused;
    const double a = 0.3, g = 9.81, v = 3;
    char text[1000];
    snprintf(text, sizeof text, INCLINE, a, v);
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; k < FORMULATIONS; k++) {
            dal_evidence evidence;
            last_row row = run_to_end(text, families[f], formulations[k], &evidence);
            check_close(row.value[1], v * v / (2 * g * (sin(a) + 0.4 * cos(a))), 1e-9);
            check_close(row.value[2], 0, 1e-9);
            assert_int_equal(evidence.events, 1);
            assert_true(evidence.energy_drift < 1e-9);
        }
}

/* A shaft across gravity: the torque mu r m g stops it after I w / (mu r m g). */
static void a_shaft_in_a_dry_bearing_stops_at_the_analytic_time(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies: {shaft: {mass: 3, inertia: [0.02, 0.02, 0.006], position: [0, 0, 0], orientation: {axis: [0, 1, 0], angle: pi/2},\n"
        "                 angular-velocity: [5, 0, 0]}}\n"
        "joints: {bearing: {type: revolute, connect: [ground, shaft], axis: [1, 0, 0], friction: {coefficient: 0.15, radius: 0.02}}}\n"
        "record: [bearing.angle, \"bearing.angle'\"]\nsimulate: {until: %.17g, rtol: 1e-10, atol: 1e-12}\n";
    const double rate = 0.15 * 0.02 * 3 * 9.81 / 0.006, stop = 5 / rate;
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; k < 2; k++) {
            char model[1000];
            double t = k ? 2 * stop : 0.7 * stop, turned = k ? 25 / (2 * rate) : 5 * t - rate * t * t / 2;
            snprintf(model, sizeof model, text, t);
            last_row row = run_to_end(model, families[f], "lagrange", NULL);
            check_close(row.value[1], turned, 1e-8);
            check_close(row.value[2], k ? 0 : 5 - rate * t, 1e-8);
        }
}

/* A torsion pendulum about the vertical: the torque is mu r m g, each half swing loses 2 mu r m g / k of the amplitude, and it stays where the
 * spring is weaker than that. */
static void a_pendulum_with_dry_friction_loses_the_analytic_energy_per_swing(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies: {disc: {mass: 2, inertia: [0.02, 0.02, 0.04]}}\n"
        "joints: {pin: {type: revolute, connect: [ground, disc], axis: [0, 0, 1], start: {angle: 1, rate: 0}, friction: {coefficient: 0.1, radius: 0.05}}}\n"
        "forces: {spring: {type: torsional-spring-damper, joint: pin, stiffness: 1.3, free: 0}}\n"
        "record: [pin.angle, \"pin.angle'\", energy]\nsimulate: {until: %.17g, rtol: 1e-11, atol: 1e-13}\n";
    const double k = 1.3, torque = 0.1 * 0.05 * 2 * 9.81, half = 3.141592653589793 / sqrt(k / 0.04);
    for (int swings = 1; swings <= 3; swings++) {
        char model[1000];
        snprintf(model, sizeof model, text, swings * half);
        last_row row = run_to_end(model, "joint", "lagrange", NULL);
        double amplitude = 1 - swings * 2 * torque / k;
        check_close(fabs(row.value[1]), amplitude, 1e-9);
        check_close(row.value[3], k * amplitude * amplitude / 2, 1e-9); /* lost: torque times the way, swing by swing */
    }
    char model[1000];
    snprintf(model, sizeof model, text, 20 * half);
    last_row row = run_to_end(model, "joint", "kane", NULL);
    double amplitude = 1; /* it stops at the first turning point where k A < torque */
    while (k * amplitude > torque)
        amplitude = fabs(amplitude - 2 * torque / k);
    check_close(fabs(row.value[1]), amplitude, 1e-8);
    check_close(row.value[2], 0, 1e-9);
}

/* A nut under load turns back on its thread only if tan psi > mu. Then with the normal force N on the thread
 *   W - N (cos psi + mu sin psi) = m z'',   N r (sin psi - mu cos psi) = I theta'',   z'' = r tan psi theta''. */
static void a_self_locking_screw_does_not_turn_back(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\nparameters: {mu: %.17g}\n"
        "bodies: {nut: {mass: 1.5, inertia: [1e-3, 1e-3, 2e-3], position: [0, 0, 0]}}\n"
        "joints: {thread: {type: screw, connect: [ground, nut], axis: [0, 0, 1], pitch: 0.005, friction: {coefficient: mu, radius: 0.01}}}\n"
        "forces: {weight: {type: force, body: nut, value: [0, 0, -100]}}\n"
        "record: [thread.angle, thread.distance, thread.force.z]\nsimulate: {until: 0.5, rtol: 1e-10, atol: 1e-12}\n";
    const double r = 0.01, slope = atan(0.005 / (2 * 3.141592653589793 * r)), W = 100, m = 1.5, I = 2e-3;
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; k < 3; k++) {
            const double mu = (double[]){1.001 * tan(slope), 0.999 * tan(slope), 0.3 * tan(slope)}[k];
            char model[1000];
            snprintf(model, sizeof model, text, mu);
            last_row row = run_to_end(model, families[f], "lagrange", NULL);
            /* N from both equations: theta'' = N r (sin - mu cos) / I, and W - N (cos + mu sin) = m r tan theta'' */
            double push = r * (sin(slope) - mu * cos(slope)) / I, N = W / (cos(slope) + mu * sin(slope) + m * r * tan(slope) * push);
            double turn = k ? -N * push * 0.5 * 0.5 / 2 : 0;
            check_close(row.value[1], turn, 1e-7 * (1 + fabs(turn)));
            check_close(row.value[2], turn * 0.005 / (2 * 3.141592653589793), 1e-9);
        }
}

/* A rod that spins in a sleeve slides more easily: the friction has the direction of the whole sliding velocity. With I = m r^2 both of its
 * parts fall in proportion, and it stops after |s| / (mu g). */
static void friction_acts_along_the_whole_sliding_velocity(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies: {rod: {mass: 2, inertia: [0.0032, 0.0032, 0.0032], position: [0, 0, 0], velocity: [0.9, 0, 0], angular-velocity: [30, 0, 0]}}\n"
        "joints: {sleeve: {type: cylindrical, connect: [ground, rod], axis: [1, 0, 0], friction: {coefficient: 0.25, radius: 0.04}}}\n"
        "record: [sleeve.distance, sleeve.angle]\nsimulate: {until: 2, rtol: 1e-10, atol: 1e-12}\n";
    const double s[2] = {0.9, 0.04 * 30}, speed = hypot(s[0], s[1]), way = speed * speed / (2 * 0.25 * 9.81);
    for (int f = 0; f < FAMILIES; f++) {
        last_row row = run_to_end(text, families[f], "lagrange", NULL);
        check_close(row.value[1], way * s[0] / speed, 1e-7);
        check_close(row.value[2] * 0.04, way * s[1] / speed, 1e-7);
    }
}

/* Where it is made smooth, the motion goes to the exact one with the velocity over which it is. */
static void smooth_friction_goes_to_the_exact_one(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: {block: {mass: 2, inertia: 1, position: [0, 0], velocity: [2, 0]}}\n"
        "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], friction: {coefficient: 0.3, velocity: %g}}}\n"
        "record: [way.distance]\nsimulate: {until: 0.5, rtol: 1e-10, atol: 1e-12}\n";
    double before = INFINITY;
    for (double v = 0.1; v > 1e-3; v /= 10) {
        char model[800];
        snprintf(model, sizeof model, text, v);
        double miss = fabs(run_to_end(model, "angle", "lagrange", NULL).value[1] - (2 * 0.5 - 0.3 * 9.81 * 0.25 / 2));
        assert_true(miss < 0.2 * before);
        before = miss;
    }
    assert_true(before < 1e-4);
}

/* Two joints with friction in a loop that is redundant in space, and a ball: every formulation and family, the same accelerations, reactions and
 * friction at random states. */
static void every_formulation_gives_the_same_friction(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.2, -9.81]\n"
        "bodies:\n"
        "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.02, 0], position: [0, 0, 0], points: {B: [1, 0, 0]}, angular-velocity: [0, 0.7, 0]}\n"
        "  bob: {mass: 1, inertia: [0.05, 0.03, 0.04], center: [0.2, 0, 0.1], position: [1, 0, 0], angular-velocity: [1.2, 0.3, -0.8]}\n"
        "joints:\n"
        "  A: {type: revolute, connect: [ground, arm], axis: [0, 1, 0], friction: {coefficient: 0.2, static: 0.3, stribeck: 0.01, radius: 0.05}}\n"
        "  B: {type: spherical, connect: [arm.B, bob], friction: {coefficient: 0.15, radius: 0.03, viscous: 0.4}}\n"
        "simulate: {until: 1}\n";
    dal_system *reference = gallery_compile_text(text, "euler", "lagrange");
    dal_state *state = dal_state_create(NULL, reference);
    uint64_t seed = 11;
    for (int i = 0; i < 3; i++) {
        assert_true(gallery_random_state(state, &seed, 0, 0.3, 2));
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        for (int f = 0; f < FAMILIES; f++)
            for (int k = 0; k < FORMULATIONS; k++) {
                dal_system *other = gallery_compile_text(text, families[f], formulations[k]);
                dal_state *twin = dal_state_create(NULL, other);
                gallery_copy_motion(state, twin);
                assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
                for (int b = 0; b < 2; b++) {
                    dal_motion x = dal_state_body(state, b), y = dal_state_body(twin, b);
                    double u[2][3], v[2][3];
                    dal_state_reaction(state, b, u[0], u[1]);
                    dal_state_reaction(twin, b, v[0], v[1]);
                    for (int c = 0; c < 3; c++) {
                        check_close(x.acceleration[c], y.acceleration[c], 1e-9 * 30);
                        check_close(x.alpha[c], y.alpha[c], 1e-9 * 100);
                        check_close(u[0][c], v[0][c], 1e-9 * 100);
                        check_close(u[1][c], v[1][c], 1e-9 * 100);
                    }
                }
                dal_state_free(twin);
                dal_system_free(other);
            }
    }
    dal_state_free(state);
    dal_system_free(reference);
}

/* Pulled at 45 degrees from its way with mu = 2, a slide stops and stays: the pull presses harder than it pulls. */
static void what_is_pulled_too_steeply_sticks(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\n"
        "bodies: {wedge: {mass: 1, inertia: 1, position: [0, 0], velocity: [-1, 0]}}\n"
        "joints: {way: {type: prismatic, connect: [ground, wedge], axis: [1, 0], friction: {coefficient: 2}}}\n"
        "forces: {pull: {type: spring-damper, connect: [wedge, ground.P], stiffness: 50, length: 0}}\n"
        "ground: {points: {P: [3, 3]}}\n"
        "record: [way.distance]\nsimulate: {until: 1}\n";
    last_row row = run_to_end(text, "joint", "lagrange", NULL);
    assert_true(row.value[1] < 0 && row.value[1] > -0.5);
}

/* What friction or a law acts along is not ignorable, however small it is now; without them it is. */
static void friction_takes_a_coordinate_out_of_the_ignorable_ones(void **unused)
{
    (void)unused;
    static const char *const extras[] = {", friction: {coefficient: 0.15, radius: 0.02}", ", non-ideal: {angle: \"-0.01*bearing.angle'\"}", ""};
    for (int k = 0; k < 3; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                 "bodies: {shaft: {mass: 3, inertia: [0.006, 0.02, 0.02], position: [0, 0, 0], angular-velocity: [5, 0, 0]}}\n"
                 "joints: {bearing: {type: revolute, connect: [ground, shaft], axis: [1, 0, 0]%s}}\nsimulate: {until: 1}\n", extras[k]);
        dal_system *system = gallery_compile_text(text, "joint", "lagrange");
        assert_int_equal(system->n_ignorable, k == 2);
        dal_system_free(system);
    }
}

/* A joint that is driven to and fro slips on at every turning point: friction cannot hold what is prescribed, and the drive pays for it. */
static void a_driven_joint_slips_on_where_it_turns(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies: {block: {mass: 2, inertia: 1, position: [0, 0]}}\n"
        "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], drive: \"0.4*sin(2*t)\", friction: {coefficient: 0.3}}}\n"
        "record: [energy.work, way.drive]\nsimulate: {until: 2, rtol: 1e-10, atol: 1e-12, max-step: 0.01}\n";
    for (int f = 0; f < FAMILIES; f++) {
        dal_evidence evidence;
        last_row row = run_to_end(text, families[f], "lagrange", &evidence);
        double rate = 0.8 * cos(4), acceleration = -1.6 * sin(4);
        /* what the drive gives at the end: inertia, and friction against the motion */
        check_close(row.value[2], 2 * acceleration + (rate > 0 ? 1 : -1) * 0.3 * 2 * 9.81, 1e-8);
        assert_true(evidence.energy_drift < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_an_incline_slips_at_the_angle_of_friction),
        cmocka_unit_test(a_block_thrown_up_stops_where_it_should),
        cmocka_unit_test(a_shaft_in_a_dry_bearing_stops_at_the_analytic_time),
        cmocka_unit_test(a_pendulum_with_dry_friction_loses_the_analytic_energy_per_swing),
        cmocka_unit_test(a_self_locking_screw_does_not_turn_back),
        cmocka_unit_test(friction_acts_along_the_whole_sliding_velocity),
        cmocka_unit_test(smooth_friction_goes_to_the_exact_one),
        cmocka_unit_test(every_formulation_gives_the_same_friction),
        cmocka_unit_test(what_is_pulled_too_steeply_sticks),
        cmocka_unit_test(friction_takes_a_coordinate_out_of_the_ignorable_ones),
        cmocka_unit_test(a_driven_joint_slips_on_where_it_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
