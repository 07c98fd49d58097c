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

#define INCLINE                                                                                                                                      \
    "dalembert: 1\nspace: planar\nparameters: {a: %.17g, v: %g}\ngravity: [0, -9.81]\n"                                                              \
    "bodies: {block: {mass: 2.3, inertia: 0.1, position: [0, 0], angle: a, velocity: [v*cos(a), v*sin(a)]}}\n"                                       \
    "joints: {way: {type: prismatic, connect: [ground, block], axis: [cos(a), sin(a)], friction: {coefficient: 0.4, static: 0.5}}}\n"                \
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
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies: {disc: {mass: 2, inertia: [0.02, 0.02, 0.04]}}\n"
                               "joints: {pin: {type: revolute, connect: [ground, disc], axis: [0, 0, 1], start: {angle: 1, rate: 0}, friction: "
                               "{coefficient: 0.1, radius: 0.05}}}\n"
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
        "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.02, 0], position: [0, 0, 0], points: {B: [1, 0, 0]}, angular-velocity: [0, 0.7, "
        "0]}\n"
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
    static const char text[] = "dalembert: 1\nspace: planar\n"
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
                 "joints: {bearing: {type: revolute, connect: [ground, shaft], axis: [1, 0, 0]%s}}\nsimulate: {until: 1}\n",
                 extras[k]);
        dal_system *system = gallery_compile_text(text, "joint", "lagrange");
        assert_int_equal(system->layout.n_ignorable, k == 2);
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

/* ---- stick and slip against an independent solution ---------------------------------------------- */

/* One freedom: v' = accelerate(t, v, d) while it slides the way d, and a force `wanted` that holds it at rest as long as it is within `limit`. */
typedef struct freedom {
    double (*accelerate)(const struct freedom *f, double t, double v, int d);
    void (*hold)(const struct freedom *f, double t, double *wanted, double *limit);
    double m, N, P, w, mu, mu_s, v_s, c, r, I, slope; /* what these two need */
} freedom;

typedef struct path {
    double x, v;
    int switches;
} path;

static void advance(const freedom *f, double t, double h, int d, double *x, double *v)
{
    double k1 = f->accelerate(f, t, *v, d), k2 = f->accelerate(f, t + h / 2, *v + h / 2 * k1, d);
    double k3 = f->accelerate(f, t + h / 2, *v + h / 2 * k2, d), k4 = f->accelerate(f, t + h, *v + h * k3, d);
    *x += h * *v + h * h / 6 * (k1 + k2 + k3);
    *v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/* From rest to `until`: steps of RK4 with the switches bisected. */
static path slide_and_stick(const freedom *f, double until)
{
    path p = {0, 0, 0};
    const double h = 1e-4;
    int d = 0;
    for (double t = 0, wanted, limit; t < until;) {
        double step = fmin(h, until - t), low = 0, high = step, x = p.x, v = p.v;
        if (d)
            advance(f, t, step, d, &x, &v);
        f->hold(f, t + step, &wanted, &limit);
        if (d ? v * d > 0 : fabs(wanted) <= limit) {
            p.x = x, p.v = v;
            t = t + step >= until ? until : t + step;
            continue;
        }
        for (int i = 0; i < 60; i++) {
            const double middle = (low + high) / 2;
            x = p.x, v = p.v;
            if (d)
                advance(f, t, middle, d, &x, &v);
            f->hold(f, t + middle, &wanted, &limit);
            *((d ? v * d > 0 : fabs(wanted) <= limit) ? &low : &high) = middle;
        }
        x = p.x, v = p.v;
        if (d)
            advance(f, t, high, d, &x, &v);
        t += high;
        p.x = x, p.v = 0;
        p.switches++;
        f->hold(f, t, &wanted, &limit);
        d = d && fabs(wanted) <= limit ? 0 : wanted > 0 ? -1 : 1;
    }
    return p;
}

/* m v' = P sin(w t) - (mu(v) N + c |v|) d; P may grow. */
static double push(const freedom *f, double t)
{
    return f->P * sin(f->w * t);
}

static double block_accelerate(const freedom *f, double t, double v, int d)
{
    const double mu = f->v_s > 0 ? f->mu + (f->mu_s - f->mu) * exp(-v * v / (f->v_s * f->v_s)) : f->mu;
    return (push(f, t) - mu * f->N * d - f->c * v) / f->m;
}

static void block_hold(const freedom *f, double t, double *wanted, double *limit)
{
    *wanted = -push(f, t);
    *limit = f->mu_s * f->N;
}

/* Loads that grow beyond what holds, and fall again, on every joint whose freedom is then a single one: a sleigh, a shaft, a shaft in two bearings,
 * a rod in a sleeve that is drawn and turned in proportion, a ball that is turned about a skew axis. */
static void loads_that_come_and_go_stick_and_slip_as_computed_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *text; /* gravity across the axis; N = m g; the freedom has the mass m in terms of s */
        double m;
    } cases[] = {
        {"bodies: {rod: {mass: 2.3, inertia: [0.1, 0.2, 0.15], position: [0, 0, 0]}}\n"
         "joints: {J: {type: prismatic, connect: [ground, rod], axis: [1, 0, 0], friction: {%s}}}\n"
         "forces: {f: {type: force, body: rod, value: [\"9.7*sin(1.3*t)\", 0, 0]}}\nrecord: [J.distance, \"J.distance'\"]\n",
         2.3},
        {"bodies: {rod: {mass: 2.3, inertia: [0.005, 0.152, 0.15], position: [0, 0, 0]}}\n"
         "joints: {J: {type: revolute, connect: [ground, rod], axis: [1, 0, 0], friction: {%s, radius: 0.05}}}\n"
         "forces: {f: {type: torque, body: rod, value: [\"0.05*9.7*sin(1.3*t)\", 0, 0]}}\nrecord: [rod.omega.x]\n",
         2},
        {"bodies: {rod: {mass: 2.3, inertia: [0.005, 0.152, 0.15], position: [0, 0, 0], points: {A: [-0.4, 0, 0], B: [0.4, 0, 0]}}}\n"
         "ground: {points: {A: [-0.4, 0, 0], B: [0.4, 0, 0]}}\n"
         "joints:\n  J: {type: revolute, connect: [ground.A, rod.A], axis: [1, 0, 0], friction: {%s, radius: 0.05}}\n"
         "  K: {type: revolute, connect: [ground.B, rod.B], axis: [1, 0, 0], friction: {%s, radius: 0.05}}\n"
         "forces: {f: {type: torque, body: rod, value: [\"0.05*9.7*sin(1.3*t)\", 0, 0]}}\nrecord: [rod.omega.x]\n",
         2},
        {"bodies: {rod: {mass: 2.3, inertia: [0.00575, 0.152, 0.15], position: [0, 0, 0]}}\n"
         "joints: {J: {type: cylindrical, connect: [ground, rod], axis: [1, 0, 0], friction: {%s, radius: 0.05}}}\n"
         "forces: {f: {type: force, body: rod, value: [\"0.6*9.7*sin(1.3*t)\", 0, 0]}, g: {type: torque, body: rod, value: "
         "[\"0.8*0.05*9.7*sin(1.3*t)\", 0, 0]}}\n"
         "record: [J.distance, \"J.distance'\", J.angle, \"J.angle'\"]\n",
         2.3},
        {"bodies: {rod: {mass: 2.3, inertia: [0.005, 0.005, 0.005], position: [0, 0, 0]}}\n"
         "joints: {J: {type: spherical, connect: [ground, rod], friction: {%s, radius: 0.05}}}\n"
         "forces: {f: {type: torque, body: rod, value: [\"0.48*0.05*9.7*sin(1.3*t)\", \"-0.6*0.05*9.7*sin(1.3*t)\", \"0.64*0.05*9.7*sin(1.3*t)\"]}}\n"
         "record: [rod.omega]\n",
         2},
    };
    static const struct {
        const char *law;
        double mu, mu_s, v_s, c;
    } laws[] = {{"coefficient: 0.3", 0.3, 0.3, 0, 0},
                {"coefficient: 0.25, static: 0.37", 0.25, 0.37, 0, 0},
                {"coefficient: 0.2, static: 0.35, stribeck: 0.3, viscous: 0.7", 0.2, 0.35, 0.3, 0.7}};
    for (int c = 0; c < 5; c++)
        for (int l = 0; l < 3; l++) {
            if (!check_sampled(c + 2 * l, 3, 5))
                continue;
            const double until = 6.2, viscous = c == 2 ? 2 * laws[l].c : laws[l].c; /* two bearings: each has its own viscous part */
            const freedom f = {block_accelerate, block_hold,       .m = cases[c].m,      .N = 2.3 * 9.81,    .P = 9.7,
                               .w = 1.3,         .mu = laws[l].mu, .mu_s = laws[l].mu_s, .v_s = laws[l].v_s, .c = viscous};
            const path truth = slide_and_stick(&f, until);
            for (int k = c == 2 ? 3 * (l % 2) : (c + l) % 2; k < FAMILIES; k += c == 2 ? 3 : 2) { /* two bearings are redundant, and slow */
                char model[2000] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n", *end = model + strlen(model);
                end += snprintf(end, 1500, cases[c].text, laws[l].law, laws[l].law);
                snprintf(end, 300, "simulate: {until: %g, rtol: 1e-9, atol: 1e-11}\n", until);
                dal_evidence evidence;
                last_row row = run_to_end(model, families[k], l ? "lagrange" : "kane", &evidence);
                const double *x = row.value + 1;
                const double share = (double[]){1, 20, 20, 0.6, 0.48 / 0.05}[c]; /* of s in the recorded velocity */
                check_close(x[c == 0 || c == 3], share * truth.v, fmax(share, 1) * 1e-7);
                if (c == 0)
                    check_close(x[0], truth.x, 1e-7);
                if (c == 3) {
                    check_close(x[0], 0.6 * truth.x, 1e-7);
                    check_close(0.05 * x[2], 0.8 * truth.x, 1e-7);
                }
                static const double axis[3] = {0.48, -0.6, 0.64};
                for (int i = 0; i < 3 && c == 4; i++)
                    check_close(0.05 * x[i], axis[i] * truth.v, 1e-7);
                assert_true(truth.switches >= 5 && evidence.energy_drift < 1e-7);
                if (c < 2)
                    assert_int_equal(evidence.events, truth.switches);
            }
        }
}

/* A nut under load, turned to and fro. With the normal force N of the thread, e the friction along it and psi its slope
 *   m z'' = N cos psi + e sin psi - W,   I theta'' = T - r N sin psi + r e cos psi,   z'' = r tan psi theta''. */
static double nut_accelerate(const freedom *f, double t, double v, int d)
{
    (void)v;
    const double C = cos(f->slope), S = sin(f->slope), up = C - f->mu * d * S, turn = -f->r * (S + f->mu * d * C), lead = f->r * tan(f->slope);
    const double N = (f->m * lead * push(f, t) / f->I + f->N) / (up - f->m * lead * turn / f->I);
    return (push(f, t) + turn * N) / f->I;
}

static void nut_hold(const freedom *f, double t, double *wanted, double *limit)
{
    const double C = cos(f->slope), S = sin(f->slope), T = push(f, t) / f->r;
    *wanted = f->N * S - T * C;
    *limit = f->mu_s * (f->N * C + T * S);
}

static void a_screw_that_is_turned_to_and_fro_sticks_and_slips(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\n"
        "bodies: {nut: {mass: 1.5, inertia: [1e-3, 1e-3, 2e-3], position: [0, 0, 0]}}\n"
        "joints: {thread: {type: screw, connect: [ground, nut], axis: [0, 0, 1], pitch: 0.005, friction: {coefficient: 0.15, static: 0.2, radius: "
        "0.01}}}\n"
        "forces: {weight: {type: force, body: nut, value: [0, 0, -100]}, hand: {type: torque, body: nut, value: [0, 0, \"0.37*sin(2.1*t)\"]}}\n"
        "record: [thread.angle, \"thread.angle'\"]\nsimulate: {until: 6.3, rtol: 1e-9, atol: 1e-11}\n";
    const double r = 0.01;
    const freedom f = {nut_accelerate,
                       nut_hold,
                       .m = 1.5,
                       .I = 2e-3,
                       .N = 100,
                       .P = 0.37,
                       .w = 2.1,
                       .mu = 0.15,
                       .mu_s = 0.2,
                       .r = r,
                       .slope = atan(0.005 / (2 * 3.141592653589793 * r))};
    const path truth = slide_and_stick(&f, 6.3);
    assert_true(truth.switches >= 6);
    for (int k = 0; k < FAMILIES; k++) {
        dal_evidence evidence;
        if (!check_sampled(k, 2, 3))
            continue;
        last_row row = run_to_end(text, families[k], "udwadia-kalaba", &evidence);
        check_close(row.value[1], truth.x, 1e-6 * fabs(truth.x));
        check_close(row.value[2], truth.v, 1e-6 * (1 + fabs(truth.v)));
        assert_int_equal(evidence.events, truth.switches);
        assert_true(evidence.energy_drift < 1e-7);
    }
}

/* Drawn and turned by constant loads, a rod leaves its rest in the direction n of its own acceleration, and keeps it: m s_1' = F - mu N n_1, (I / r^2) s_2' = T / r - mu N n_2,
 * s' parallel to n. */
static void what_slides_two_ways_starts_in_the_direction_of_its_acceleration(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies: {rod: {mass: 2.3, inertia: [0.0017, 0.151, 0.15], position: [0, 0, 0]}}\n"
        "joints: {J: {type: cylindrical, connect: [ground, rod], axis: [1, 0, 0], friction: {coefficient: 0.31, static: 0.33, radius: 0.05}}}\n"
        "forces: {f: {type: force, body: rod, value: [6.1, 0, 0]}, g: {type: torque, body: rod, value: [0.29, 0, 0]}}\n"
        "record: [J.distance, J.angle, J.force.x, J.torque.x]\nsimulate: {until: 0.7, rtol: 1e-10, atol: 1e-12}\n";
    const double grip = 0.31 * 2.3 * 9.81, F[2] = {6.1, 0.29 / 0.05}, m[2] = {2.3, 0.0017 / 0.0025};
    double low = 0, high = 1.5707963267948966; /* of the angle of n: s' turns from above it to below */
    for (int i = 0; i < 60; i++) {
        const double a = (low + high) / 2, s1 = (F[0] - grip * cos(a)) / m[0], s2 = (F[1] - grip * sin(a)) / m[1];
        *(cos(a) * s2 - sin(a) * s1 > 0 ? &low : &high) = a;
    }
    for (int k = 0; k < FAMILIES; k++)
        for (int j = 0; j < FORMULATIONS; j++) {
            dal_evidence evidence;
            last_row row = run_to_end(text, families[k], formulations[j], &evidence);
            check_close(row.value[1], (F[0] - grip * cos(low)) / m[0] * 0.7 * 0.7 / 2, 1e-8);
            check_close(0.05 * row.value[2], (F[1] - grip * sin(low)) / m[1] * 0.7 * 0.7 / 2, 1e-8);
            check_close(row.value[3], -grip * cos(low), 1e-7);
            check_close(row.value[4], -0.05 * grip * sin(low), 1e-8);
            assert_int_equal(evidence.events, 0);
        }
}

/* ---- sliding that turns round where nothing can hold it ------------------------------------------- */

static const char *const three_families[] = {"angle", "natural", "joint"};
static const char *const three_formulations[] = {"lagrange", "kane", "udwadia-kalaba"};

/* Counts the changes of sign of a rate over the rows. */
typedef struct counter {
    double (*rate)(const double *values);
    double before;
    int changes;
} counter;

static dal_status count(void *user, int n, const double *values)
{
    counter *c = user;
    const double rate = c->rate(values);
    (void)n;
    c->changes += rate * c->before < 0;
    c->before = rate != 0 ? rate : c->before;
    return DAL_OK;
}

static int count_to_end(const char *text, const char *family, const char *formulation, double (*rate)(const double *values), dal_evidence *evidence)
{
    dal_system *system = gallery_compile_text(text, family, formulation);
    counter c = {rate, 0, 0};
    dal_sink sink = {&c, begin, count};
    dal_run_options options = {.sink = &sink};
    dal_messages *messages = dal_messages_create(NULL);
    if (dal_run(system, &options, messages, evidence) != DAL_OK)
        fail_msg("%s, %s: %s", family, formulation, dal_messages_first(messages) ? dal_messages_first(messages)->text : "failed");
    dal_messages_free(messages);
    dal_system_free(system);
    return c.changes;
}

/* The rod turns with -r cos(theta) theta' / sqrt(l^2 - r^2 sin^2 theta), which is zero where the crank stands upright, whatever its speed. */
static double rod_rate(const double *values)
{
    return -cos(values[1]) * values[2];
}

static void the_pin_of_a_slider_crank_slips_through_the_turns_of_its_rod(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\nparameters: {r: 4, l: 4*(1 + sqrt(3))}\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  crank: {mass: 2, inertia: 2.693, position: [r/2*cos(45*deg), r/2*sin(45*deg)], angle: 45*deg, points: {A: [-r/2, 0], B: [r/2, 0]}}\n"
        "  rod: {mass: 3, inertia: 29.896, position: [r*cos(45*deg) + l/2*cos(15*deg), r*sin(45*deg) - l/2*sin(15*deg)], angle: -15*deg,\n"
        "        points: {B: [-l/2, 0], C: [l/2, 0]}}\n"
        "  slider: {mass: 4, inertia: 1.667, position: [r*cos(45*deg) + l*cos(15*deg), 0], angle: 0}\n"
        "joints:\n"
        "  A: {type: revolute, connect: [ground, crank.A]}\n"
        "  B: {type: revolute, connect: [crank.B, rod.B]}\n"
        "  C: {type: revolute, connect: [rod.C, slider], friction: {coefficient: 0.2, radius: %g}}\n"
        "  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0]}\n"
        "record: [crank.angle, crank.angle']\nsimulate: {until: 9, every: 0.01, rtol: 1e-10, atol: 1e-12}\n";
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3; k++)
            for (double radius = 0.1; radius < 0.5; radius += 0.3) {
                char model[2000];
                dal_evidence evidence;
                if (!check_sampled(f + k + (radius > 0.2), 2, 5))
                    continue;
                snprintf(model, sizeof model, text, radius);
                const int turns = count_to_end(model, three_families[f], three_formulations[k], rod_rate, &evidence);
                assert_true(turns >= 4);
                assert_int_equal(evidence.events, turns);
                assert_true(evidence.energy_drift < 1e-7);
            }
}

/* Driven by a cos(2 t): the drive gives the inertia and the friction against the motion, and pays mu N for every metre of sliding. */
static void a_driven_joint_pays_for_its_friction_through_every_turn(void **unused)
{
    (void)unused;
    static const struct {
        const char *joint, *record;
        double mass, lever; /* of the coordinate; metres of sliding for a unit of it */
    } cases[] = {
        {"{type: prismatic, connect: [ground, rod], axis: [1, 0, 0], drive: \"0.4*cos(2*t)\", friction: {coefficient: 0.3}}", "J.drive", 2.3, 1},
        {"{type: revolute, connect: [ground, rod], axis: [1, 0, 0], drive: \"0.4*cos(2*t)\", friction: {coefficient: 0.3, static: 0.4, radius: "
         "0.05}}",
         "J.drive", 0.1, 0.05},
        {"{type: cylindrical, connect: [ground, rod], axis: [1, 0, 0], coordinate: distance, drive: \"0.4*cos(2*t)\", friction: {coefficient: 0.3, "
         "radius: 0.05}}",
         "J.drive", 2.3, 1},
    };
    const double pi = 3.141592653589793, until = 5.3, amplitude = 0.4;
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 3; f++)
            for (int k = 0; k < 3; k++) {
                char model[2000];
                dal_evidence evidence;
                snprintf(model, sizeof model,
                         "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                         "bodies: {rod: {mass: 2.3, inertia: [0.1, 0.2, 0.15], position: [0.4, 0, 0]}}\njoints: {J: %s}\n"
                         "record: [%s, energy.work]\nsimulate: {until: %g, rtol: 1e-10, atol: 1e-12}\n",
                         cases[c].joint, cases[c].record, until);
                last_row row = run_to_end(model, three_families[f], three_formulations[k], &evidence);
                const double rate = -2 * amplitude * sin(2 * until), acceleration = -4 * amplitude * cos(2 * until);
                const double friction = 0.3 * 2.3 * 9.81 * cases[c].lever;
                check_close(row.value[1], cases[c].mass * acceleration + (rate > 0 ? friction : -friction), 1e-7);
                check_close(row.value[2], cases[c].mass * rate * rate / 2, 1e-7);
                assert_int_equal(evidence.events, (int)(until / (pi / 2))); /* rest at the start, then each half period */
                assert_true(evidence.energy_drift < 1e-7);
            }
}

/* With every integrator, and with no help of the stabilisation. */
static void every_integrator_passes_the_turns_of_a_drive(void **unused)
{
    (void)unused;
    static const char *const settings[] = {"integrator: rk4, step: 1e-3",
                                           "integrator: ab6, step: 1e-3",
                                           "integrator: rk6, step: 1e-3",
                                           "integrator: dopri5",
                                           "integrator: dopri5, stabilization: none",
                                           "integrator: dopri5, stabilization: {baumgarte: {alpha: 5, beta: 5}}"};
    for (int i = 0; i < 6; i++)
        for (int f = 0; f < 3; f++) {
            char model[1000];
            dal_evidence evidence;
            snprintf(
                model, sizeof model,
                "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {block: {mass: 2, inertia: 1, position: [0, 0]}}\n"
                "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], drive: \"0.4*cos(2*t)\", friction: {coefficient: 0.3}}}\n"
                "record: [way.drive]\nsimulate: {until: 4, %s}\n",
                settings[i]);
            last_row row = run_to_end(model, three_families[f], "lagrange", &evidence);
            check_close(row.value[1], -2 * 1.6 * cos(8.0) + (sin(8.0) < 0 ? 0.3 : -0.3) * 2 * 9.81, 1e-5);
            assert_int_equal(evidence.events, 2);
        }
}

/* A motion that begins with no acceleration at all (x = t^3) has no direction at first, and friction all the same as soon as it slides. */
static void a_drive_that_starts_gently_meets_friction(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {block: {mass: 2, inertia: 1, position: [0, 0]}}\n"
        "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], drive: \"0.3*t^3\", friction: {coefficient: 0.3}}}\n"
        "record: [way.drive]\nsimulate: {until: 1.7, rtol: 1e-10, atol: 1e-12}\n";
    for (int f = 0; f < 3; f++)
        for (int k = 0; k < 3; k++) {
            last_row row = run_to_end(text, three_families[f], three_formulations[k], NULL);
            check_close(row.value[1], 2 * 1.8 * 1.7 + 0.3 * 2 * 9.81, 1e-7);
        }
}

/* ---- the normal force that friction itself changes -------------------------------------------------- */

/* A block on a horizontal way, held by a rod to another one on a vertical way. With the tension S of the rod, its slope b and the reaction R of the way
 *   m x'' = -S cos b - mu |R| d,   R = m g - S sin b,   M y'' = -S sin b - M g,   x x'' + x'^2 + y y'' + y'^2 = 0:
 * for each sign of R linear. Returns how many solutions there are, the one with the smaller |R| in *acceleration and *normal. */
static int solve_trammel(double mu, double slope, double speed, double *acceleration, double *normal)
{
    const double m = 0.4, M = 21, g = 9.81, L = 1.7, C = cos(slope), S = sin(slope), x = L * C, y = L * S, yd = -x * speed / y;
    int found = 0;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const double k = mu * sign * (speed > 0 ? 1 : -1); /* friction -k R */
        /* x'' = (-k m g + T (k S - C)) / m, y'' = -T S / M - g: for the tension T the last equation is a0 + a1 T = 0 */
        const double a0 = -x * k * g + speed * speed - y * g + yd * yd, a1 = x * (k * S - C) / m - y * S / M, T = -a0 / a1, R = m * g - T * S;
        if (R * sign < 0 || (found++ && fabs(R) > *normal))
            continue;
        *normal = fabs(R);
        *acceleration = (-k * m * g + T * (k * S - C)) / m;
    }
    return found;
}

/* Also where the friction changes the normal force by more than itself; and where there is no such motion that is said. */
static void friction_is_found_wherever_there_is_a_solution(void **unused)
{
    (void)unused;
    int solved = 0, steep = 0, refused = 0;
    for (int i = 0; i < 400; i++) {
        static uint64_t seed = 5;
        const double mu = 0.9 + 0.8 * check_random(&seed), slope = 0.85 + 0.65 * check_random(&seed), speed = 1.5 * check_random(&seed);
        double acceleration = 0, normal = HUGE_VAL;
        const int solutions = solve_trammel(mu, slope, speed, &acceleration, &normal);
        char model[1500];
        snprintf(model, sizeof model,
                 "dalembert: 1\nspace: planar\nparameters: {b: %.17g, v: %.17g}\ngravity: [0, -9.81]\n"
                 "bodies:\n  A: {mass: 0.4, inertia: 0.1, position: [1.7*cos(b), 0], velocity: [v, 0]}\n"
                 "  B: {mass: 21, inertia: 0.1, position: [0, 1.7*sin(b)], velocity: [0, -v/tan(b)]}\n"
                 "joints:\n  way: {type: prismatic, connect: [ground, A], axis: [1, 0], friction: {coefficient: %.17g}}\n"
                 "  up: {type: prismatic, connect: [ground, B], axis: [0, 1]}\n  rod: {type: distance, connect: [A, B]}\nsimulate: {until: 1}\n",
                 slope, speed, mu);
        dal_system *system = gallery_compile_text(model, three_families[i % 3], three_formulations[i / 3 % 3]);
        dal_state *state = dal_state_create(NULL, system);
        dal_messages *messages = dal_messages_create(NULL);
        const bool fine = dal_state_evaluate(state, messages) == DAL_OK;
        assert_int_equal(fine, solutions > 0);
        if (fine) {
            const dal_motion A = dal_state_body(state, 0);
            check_close(A.acceleration[0], acceleration, 1e-9 * (1 + fabs(acceleration)));
            solved++;
            steep += solutions == 2;
        } else {
            assert_non_null(strstr(dal_messages_first(messages)->text, "way"));
            refused++;
        }
        dal_messages_free(messages);
        dal_state_free(state);
        dal_system_free(system);
    }
    assert_true(solved > 100 && steep > 20 && refused > 20);
}

/* Nothing presses: no friction, and nothing divided by it. */
static void without_a_normal_force_there_is_no_friction(void **unused)
{
    (void)unused;
    static const char *const joints[] = {"revolute, axis: [0, 0, 1]", "cylindrical, axis: [0, 0, 1]", "spherical", "prismatic, axis: [0, 0, 1]"};
    for (int j = 0; j < 4; j++)
        for (int moves = 0; moves < 2; moves++)
            for (int f = 0; f < FAMILIES; f++) {
                char model[1000];
                snprintf(model, sizeof model,
                         "dalembert: 1\nspace: spatial\nbodies: {shaft: {mass: 3, inertia: [0.006, 0.006, 0.006], position: [0, 0, 0]}}\n"
                         "joints: {J: {type: %s, connect: [ground, shaft], friction: {coefficient: 0.15%s}}}\n"
                         "forces: {twist: {type: %s, body: shaft, value: [0, 0, \"%g*sin(2*t)\"]}}\nrecord: [shaft.omega.z, shaft.z]\n"
                         "simulate: {until: 3, rtol: 1e-10, atol: 1e-12}\n",
                         joints[j], j == 3 ? "" : ", radius: 0.02", j == 3 ? "force" : "torque", 0.03 * moves);
                last_row row = run_to_end(model, families[f], "lagrange", NULL);
                check_close(row.value[1], j == 3 ? 0 : moves * 0.03 / 0.006 / 2 * (1 - cos(6.0)), 1e-7);
                check_close(row.value[2], j == 3 ? moves * 0.03 / 3 / 2 * (3 - sin(6.0) / 2) : 0, 1e-7);
            }
}

/* A particle has no attitude that a joint with surfaces could guide: refused with a sentence that names both. */
static void a_particle_in_a_joint_with_friction_is_refused(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\nbodies: {bead: {mass: 1, position: [0, 0, 0]}}\n"
        "joints: {wire: {type: prismatic, connect: [ground, bead], axis: [1, 0, 0], friction: {coefficient: 0.3}}}\nsimulate: {until: 1}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_not_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    assert_null(system);
    assert_non_null(strstr(dal_messages_first(messages)->text, "wire"));
    assert_non_null(strstr(dal_messages_first(messages)->text, "bead"));
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- what sticks stays ---------------------------------------------------------------------------- */

/* A block that holds on its slope, and a ball in its socket, shaken for 40 s by a bob that swings on them (`long`: 100 s). */
static void what_sticks_does_not_creep(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {a: 0.3}\n"
        "bodies:\n  block: {mass: 5, inertia: 0.1, position: [0.2, 0.2*tan(a)], angle: a}\n"
        "  bob: {mass: 0.7, inertia: 0.01, position: [0.5, 0.2*tan(a) - 0.2], points: {P: [-0.3, 0.2]}}\n"
        "joints:\n  way: {type: prismatic, connect: [ground, block], axis: [cos(a), sin(a)], friction: {coefficient: 0.6, static: 0.9}}\n"
        "  pin: {type: revolute, connect: [block, bob.P]}\n"
        "record: [block.x, block.y]\nsimulate: {until: %g, rtol: 1e-5, atol: 1e-7}\n",
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies:\n  arm: {mass: 5, inertia: [0.1, 0.12, 0.09], position: [0, 0, 0], center: [0.01, 0.005, -0.02], points: {E: [0.1, 0.05, -0.3]}}\n"
        "  bob: {mass: 0.2, inertia: [0.01, 0.012, 0.013], position: [0.1, 0.05, -0.3], center: [0.05, 0, -0.1]}\n"
        "joints:\n  ball: {type: spherical, connect: [ground, arm], friction: {coefficient: 0.5, static: 0.6, radius: 0.1}}\n"
        "  pin: {type: revolute, connect: [arm.E, bob], axis: [0, 1, 0]}\n"
        "record: [arm.E.x, arm.E.y, arm.E.z]\nsimulate: {until: %g, rtol: 1e-5, atol: 1e-7}\n"};
    for (int m = 0; m < 2; m++)
        for (int f = 2 * m; f < FAMILIES; f++) {
            dal_evidence evidence;
            char model[1000];
            snprintf(model, sizeof model, texts[m], check_everything ? 100.0 : check_chosen(1, 2) ? 40.0 : 8.0);
            last_row row = run_to_end(model, families[f], f % 2 ? "kane" : "lagrange", &evidence);
            assert_int_equal(evidence.events, 0);
            const double place[2][3] = {{0.2, 0.2 * tan(0.3), 0}, {0.1, 0.05, -0.3}};
            for (int i = 0; i < 2 + m; i++)
                check_close(row.value[1 + i], place[m][i], 3e-10);
        }
}

/* ---- a constant limit ------------------------------------------------------------------------------ */

static const struct choice {
    const char *family, *formulation;
} choices[] = {{"angle", "lagrange"}, {"angle", "kane"}, {"joint", "lagrange"}, {"joint", "kane"}, {"joint", "recursive"}};
enum { CHOICES = 5 };

/* A wheel under the torque T: it holds for T <= c, and else turns with (T - c) / I, whatever its bearing carries. */
static void a_constant_limit_holds_what_is_within_it(void **unused)
{
    (void)unused;
    const double c = 0.7, I = 0.31, t = 1.3;
    const double torques[] = {0.3 * c, c * (1 - 1e-9), c, c * (1 + 1e-6), 1.9 * c, -0.9 * c, -2.3 * c};
    for (int k = 0; k < CHOICES; k++)
        for (size_t i = 0; i < sizeof torques / sizeof *torques; i++) {
            char model[1000];
            dal_evidence evidence;
            snprintf(model, sizeof model,
                     "dalembert: 1\nspace: planar\ngravity: [2.3, -9.81]\nbodies: {wheel: {mass: 5, inertia: %g, position: [0.4, 0.1]}}\n"
                     "ground: {points: {O: [0.4, 0.1]}}\njoints: {pin: {type: revolute, connect: [ground.O, wheel], friction: {limit: %g}}}\n"
                     "forces: {push: {type: torque, body: wheel, value: %.17g}}\nrecord: [pin.angle, \"pin.angle'\", pin.torque]\n"
                     "simulate: {until: %g, rtol: 1e-10, atol: 1e-12}\n",
                     I, c, torques[i], t);
            last_row row = run_to_end(model, choices[k].family, choices[k].formulation, &evidence);
            const double T = torques[i], free = fabs(T) > c ? (T - copysign(c, T)) / I : 0;
            check_close(row.value[1], free * t * t / 2, 1e-10);
            check_close(row.value[2], free * t, 1e-10);
            check_close(row.value[3], fabs(T) > c ? -copysign(c, T) : -T, 1e-10);
            assert_int_equal(evidence.events, 0);
        }
}

/* A block that the force c alone resists stops after m v / c, and stays. */
static void a_constant_force_stops_a_block_at_the_analytic_time(void **unused)
{
    (void)unused;
    const double m = 2.3, v = 1.7, c = 3.1, stop = m * v / c;
    for (int k = 0; k < CHOICES; k++)
        for (int late = 0; late < 2; late++) {
            const double t = (late ? 3 : 0.999999) * stop;
            char model[1000];
            dal_evidence evidence;
            snprintf(
                model, sizeof model,
                "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {block: {mass: %g, inertia: 0.1, position: [0, 0], velocity: [%g, 0]}}\n"
                "joints: {way: {type: prismatic, connect: [ground, block], axis: [1, 0], friction: {limit: %g}}}\n"
                "record: [way.distance, \"way.distance'\"]\nsimulate: {until: %.17g, rtol: 1e-10, atol: 1e-12}\n",
                m, v, c, t);
            last_row row = run_to_end(model, choices[k].family, choices[k].formulation, &evidence);
            check_close(row.value[1], late ? m * v * v / (2 * c) : v * t - c / m * t * t / 2, 1e-9);
            check_close(row.value[2], late ? 0 : v - c / m * t, 1e-9);
            assert_int_equal(evidence.events, late);
            assert_true(evidence.energy_drift < 1e-9);
        }
}

/* From A to the other side: m g l (cos B - cos A) = c (A + B), B < A; the left side falls with B where it is still moving. */
static double other_side(double weight, double c, double A)
{
    double low = -A, high = A;
    for (int i = 0; i < 200; i++) {
        const double B = low + (high - low) / 2;
        *(weight * (cos(B) - cos(A)) - c * (A + B) > 0 ? &low : &high) = B;
    }
    return low;
}

/* A pendulum in the field of gravity, held by the torque c: its amplitudes from half swing to half swing follow from the energy. It stays at the
 * first turning point where its weight is weaker than c. Each turning point is one event. */
static void a_pendulum_loses_the_constant_torque_times_its_way(void **unused)
{
    (void)unused;
    const double m = 1.3, l = 0.6, g = 9.81, c = 0.9, weight = m * g * l;
    for (int k = 0; k < CHOICES; k++)
        for (double start = 0.2; start < 2.8; start += 0.43) {
            char model[1000];
            dal_evidence evidence;
            snprintf(model, sizeof model,
                     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {rod: {mass: %g, inertia: 0.05, points: {P: [0, %g]}}}\n"
                     "joints: {pin: {type: revolute, connect: [ground, rod.P], start: {angle: %.17g, rate: 0}, friction: {limit: %g}}}\n"
                     "record: [pin.angle, \"pin.angle'\", energy.work]\nsimulate: {until: 25, rtol: 1e-11, atol: 1e-13}\n",
                     m, l, start, c);
            last_row row = run_to_end(model, choices[k].family, choices[k].formulation, &evidence);
            double A = start, way = 0;
            int swings = 0, sign = 1;
            for (; weight * sin(fabs(A)) > c; swings++, sign = -sign) {
                const double B = other_side(weight, c, A);
                way += A + B;
                A = B;
            }
            check_close(row.value[1], sign * A, 1e-8);
            check_close(row.value[2], 0, 1e-9);
            check_close(row.value[3], -c * way, 1e-7);
            assert_int_equal(evidence.events, swings);
        }
}

/* A shaft that rests in its bearing with mu r m g and c together: at rest both count static / coefficient times, or c by its own `static-limit`;
 * and with Stribeck's velocity the torque falls from the one to the other. */
static void the_constant_limit_adds_to_that_of_the_normal_force(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies: {shaft: {mass: 3, inertia: [0.006, 0.02, 0.02], position: [0, 0, 0]}}\n"
                               "joints: {bearing: {type: revolute, connect: [ground, shaft], axis: [1, 0, 0], friction: {%s}}}\n"
                               "forces: {push: {type: torque, body: shaft, value: [%.17g, 0, 0]}}\n"
                               "record: [\"bearing.angle'\", bearing.angle]\nsimulate: {until: 0.4, rtol: 1e-10, atol: 1e-12}\n";
    const double press = 0.02 * 3 * 9.81, I = 0.006, t = 0.4;
    const struct {
        const char *keys;
        double sliding, resting;
    } laws[] = {{"coefficient: 0.15, radius: 0.02, limit: 0.06", 0.15 * press + 0.06, 0.15 * press + 0.06},
                {"coefficient: 0.15, static: 0.21, radius: 0.02, limit: 0.06", 0.15 * press + 0.06, 1.4 * (0.15 * press + 0.06)},
                {"coefficient: 0.15, static: 0.21, radius: 0.02, limit: 0.06, static-limit: 0.07", 0.15 * press + 0.06, 0.21 * press + 0.07},
                {"limit: 0.06, static-limit: 0.09", 0.06, 0.09},
                {"limit: 0.06, static-limit: 0.09, radius: 0.02", 0.06, 0.09},
                {"coefficient: 0, limit: 0.06", 0.06, 0.06},
                {"static: 0.1, radius: 0.02, limit: 0.06", 0.06, 0.1 * press + 0.06}};
    for (int k = 0; k < CHOICES; k++)
        for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
            for (int over = 0; over < 2; over++) {
                char model[1000];
                const double T = laws[i].resting * (over ? 1 + 1e-6 : 1 - 1e-6);
                snprintf(model, sizeof model, text, laws[i].keys, T);
                last_row row = run_to_end(model, choices[k].family, choices[k].formulation, NULL);
                check_close(row.value[1], over ? (T - laws[i].sliding) / I * t : 0, 1e-8);
            }
    /* w' = (T - c - (c_s - c) exp(-(w / v)^2)) / I, with v in rad/s where there is no radius, in m/s where there is one */
    static const char *const units[] = {"limit: 0.06, static-limit: 0.09, stribeck: 1.5",
                                        "limit: 0.06, static-limit: 0.09, stribeck: 0.03, radius: 0.02"};
    double w = 0, h = 1e-5;
    for (int i = 0; i < 40000; i++) { /* midpoint rule: h^2 */
        const double half = w + h / 2 * (0.1 - 0.06 - 0.03 * exp(-w * w / 2.25)) / I;
        w += h * (0.1 - 0.06 - 0.03 * exp(-half * half / 2.25)) / I;
    }
    for (int i = 0; i < 2; i++) {
        char model[1000];
        snprintf(model, sizeof model, text, units[i], 0.1);
        check_close(run_to_end(model, "joint", "recursive", NULL).value[1], w, 1e-8);
    }
}

/* Made smooth, m s' = -c tanh(s / v) has the solution sinh(s / v) = sinh(s_0 / v) exp(-c t / (m v)). */
static void a_smooth_constant_limit_has_its_closed_form(void **unused)
{
    (void)unused;
    const double c = 0.8, I = 0.4, v = 0.3, start = 2, t = 1.4;
    for (int k = 0; k < CHOICES; k++)
        for (int r = 0; r < 2; r++) {
            char model[1000];
            snprintf(
                model, sizeof model,
                "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {wheel: {mass: 5, inertia: %g}}\n"
                "joints: {pin: {type: revolute, connect: [ground, wheel], start: {angle: 0, rate: %g}, friction: {limit: %g, velocity: %.17g%s}}}\n"
                "record: [\"pin.angle'\"]\nsimulate: {until: %g, rtol: 1e-11, atol: 1e-13}\n",
                I, start, c, r ? 0.05 * v : v, r ? ", radius: 0.05" : "", t);
            last_row row = run_to_end(model, choices[k].family, choices[k].formulation, NULL);
            check_close(row.value[1], v * asinh(sinh(start / v) * exp(-c * t / (I * v))), 1e-9);
        }
}

/* The loads that come and go again, with a constant limit in place of the normal force N or beside it; in rad/s and N m where there is no radius. */
static void a_constant_limit_sticks_and_slips_as_computed_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        const char *joints, *force, *torque; /* of the load */
        double m, mu, mu_s, v_s, c, share;
    } cases[] = {
        {"J: {type: prismatic, connect: [ground, rod], axis: [1, 0, 0], friction: {limit: 0.25*N, static-limit: 0.37*N}}", "1", "0", 2.3, 0.25, 0.37,
         0, 0, 1},
        {"J: {type: prismatic, connect: [ground, rod], axis: [1, 0, 0], friction: {limit: 0.15*N, coefficient: 0.1, static: 0.14}}", "1", "0", 2.3,
         0.25, 0.35, 0, 0, 1},
        {"J: {type: revolute, connect: [ground, rod], axis: [1, 0, 0], friction: {limit: 0.2*N*r, static-limit: 0.35*N*r, stribeck: 0.3/r, viscous: "
         "0.7*r^2}}",
         "0", "r", 2, 0.2, 0.35, 0.3, 0.7, 20},
        {"J: {type: revolute, connect: [ground, rod], axis: [1, 0, 0], friction: {limit: 0.2*N*r, static-limit: 0.35*N*r, stribeck: 0.3, viscous: "
         "0.7, radius: r}}",
         "0", "r", 2, 0.2, 0.35, 0.3, 0.7, 20},
        {"J: {type: cylindrical, connect: [ground, rod], axis: [1, 0, 0], friction: {limit: 0.25*N, static-limit: 0.37*N, radius: r}}", "0.6",
         "0.8*r", 2.3, 0.25, 0.37, 0, 0, 0.6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool turns = cases[i].share > 1;
        const freedom f = {block_accelerate, block_hold,        .m = cases[i].m,       .N = 2.3 * 9.81,     .P = 9.7,
                           .w = 1.3,         .mu = cases[i].mu, .mu_s = cases[i].mu_s, .v_s = cases[i].v_s, .c = cases[i].c};
        const path truth = slide_and_stick(&f, 6.2);
        assert_true(truth.switches >= 5);
        for (int k = 2; k < CHOICES; k++) {
            char model[2000];
            dal_evidence evidence;
            snprintf(model, sizeof model,
                     "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {r: 0.05, N: 2.3*9.81}\n"
                     "bodies: {rod: {mass: 2.3, inertia: [%g, 0.152, 0.15], position: [0, 0, 0]}}\njoints: {%s}\n"
                     "forces: {f: {type: force, body: rod, value: [\"9.7*sin(1.3*t)*%s\", 0, 0]}, g: {type: torque, body: rod, value: "
                     "[\"9.7*sin(1.3*t)*%s\", 0, 0]}}\n"
                     "record: [rod.velocity.x, rod.omega.x, rod.x]\nsimulate: {until: 6.2, rtol: 1e-9, atol: 1e-11}\n",
                     turns ? 0.005 : 0.00575, cases[i].joints, cases[i].force, cases[i].torque);
            last_row row = run_to_end(model, choices[k].family, choices[k].formulation, &evidence);
            check_close(row.value[turns ? 2 : 1], cases[i].share * truth.v, fmax(cases[i].share, 1) * 1e-7);
            if (!turns)
                check_close(row.value[3], cases[i].share * truth.x, 1e-7);
            assert_int_equal(evidence.events, truth.switches);
            assert_true(evidence.energy_drift < 1e-7);
        }
    }
}

/* In a sleeve the limit is on the whole sliding: with I = m r^2 both parts fall in proportion, and it stops after m |s| / c. On a thread it is a torque:
 * it stops the nut after (I + m (p / 2 pi)^2) w / c, with a radius or without. */
static void a_sleeve_and_a_nut_have_constant_limits(void **unused)
{
    (void)unused;
    static const char sleeve[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
        "bodies: {rod: {mass: 2, inertia: [0.0032, 0.0032, 0.0032], position: [0, 0, 0], velocity: [0.9, 0, 0], angular-velocity: [30, 0, 0]}}\n"
        "joints: {sleeve: {type: cylindrical, connect: [ground, rod], axis: [1, 0, 0], friction: {limit: 4, radius: 0.04}}}\n"
        "record: [sleeve.distance, sleeve.angle]\nsimulate: {until: 2, rtol: 1e-10, atol: 1e-12}\n";
    static const char nut[] =
        "dalembert: 1\nspace: spatial\n"
        "bodies: {nut: {mass: 1.5, inertia: [1e-3, 1e-3, 2e-3]}}\n"
        "joints: {thread: {type: screw, connect: [ground, nut], axis: [0, 0, 1], pitch: %g, start: {angle: 0, rate: 7}, friction: {limit: 0.03%s}}}\n"
        "record: [thread.angle, thread.distance, \"thread.angle'\"]\nsimulate: {until: 5, rtol: 1e-10, atol: 1e-12}\n";
    const double s[2] = {0.9, 0.04 * 30}, speed = hypot(s[0], s[1]), way = speed * speed * 2 / (2 * 4);
    for (int f = 0; f < FAMILIES; f++) {
        last_row row = run_to_end(sleeve, families[f], "lagrange", NULL);
        check_close(row.value[1], way * s[0] / speed, 1e-7);
        check_close(row.value[2] * 0.04, way * s[1] / speed, 1e-7);
        for (int k = 0; k < 4; k++) {
            const double pitch = k % 2 ? 0.1 : -0.04, lead = pitch / (2 * 3.141592653589793), inertia = 2e-3 + 1.5 * lead * lead,
                         turn = inertia * 49 / (2 * 0.03);
            char model[1000];
            snprintf(model, sizeof model, nut, pitch, k / 2 ? ", radius: 0.01" : "");
            row = run_to_end(model, families[f], "lagrange", NULL);
            check_close(row.value[1], turn, 1e-8);
            check_close(row.value[2], turn * lead, 1e-9);
            check_close(row.value[3], 0, 1e-9);
        }
    }
}

/* What does not follow from the normal force needs none: it works in coordinates of the model's own that keep the joint together by themselves. */
static void a_constant_limit_needs_no_reaction(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ncoordinates: {th: {start: 0, rate: 2}}\n"
                               "bodies: {rod: {mass: 1.5, inertia: 0.2, position: [0.3*sin(th), -0.3*cos(th)], angle: th, points: {P: [0, 0.3]}}}\n"
                               "joints: {pin: {type: revolute, connect: [ground, rod.P], friction: {limit: 0.5}}}\n"
                               "record: [th]\nsimulate: {until: 3, rtol: 1e-10, atol: 1e-12}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    assert_int_equal(dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
    last_row row = {{0}};
    dal_sink sink = {&row, begin, keep};
    dal_run_options options = {.sink = &sink};
    dal_evidence evidence;
    assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
    check_close(row.value[1], (0.2 + 1.5 * 0.09) * 4 / (2 * 0.5), 1e-8);
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* Joints with limits, with coefficients and with both, at random states: one solution in every formulation, `recursive` among them. */
static void every_formulation_gives_the_same_constant_friction(void **unused)
{
    (void)unused;
    static const char text[] =
        "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.2, -9.81]\n"
        "bodies:\n"
        "  arm: {mass: 2, inertia: [0.1, 0.2, 0.15], center: [0.1, 0.02, 0], points: {B: [1, 0, 0]}}\n"
        "  slide: {mass: 1, inertia: [0.05, 0.03, 0.04], center: [0.2, 0, 0.1], points: {C: [0.1, 0.2, -0.1]}}\n"
        "  hand: {mass: 0.7, inertia: [0.02, 0.03, 0.01], center: [0.1, 0.2, 0]}\n"
        "joints:\n"
        "  A: {type: revolute, connect: [ground, arm], axis: [0, 1, 0], start: {angle: 0.1, rate: 0.7}, friction: {limit: 0.8}}\n"
        "  B: {type: prismatic, connect: [arm.B, slide], axis: [0, 0.6, 0.8], start: {distance: 0.2, rate: -0.4}, friction: {limit: 1.1, "
        "coefficient: 0.1}}\n"
        "  C: {type: revolute, connect: [slide.C, hand], axis: [1, 0, 0], start: {angle: 0.3, rate: 1.2}, friction: {%s}}\n"
        "simulate: {until: 1}\n";
    static const char *const last[] = {"limit: 0.4, velocity: 0.2", "coefficient: 0.2, radius: 0.05",
                                       "limit: 0.2, coefficient: 0.2, radius: 0.05, viscous: 0.3"};
    static const char *const all[] = {"recursive", "udwadia-kalaba", "maggi", "kane", "gibbs-appell", "boltzmann-hamel", "volterra", "lagrange"};
    for (int law = 0; law < 3; law++) {
        char model[2000];
        snprintf(model, sizeof model, text, last[law]);
        dal_system *reference = gallery_compile_text(model, "euler", "lagrange");
        dal_state *state = dal_state_create(NULL, reference);
        uint64_t seed = 23;
        for (int i = 0; i < 3; i++) {
            assert_true(gallery_random_state(state, &seed, 0, 0.3, 2));
            assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
            for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
                dal_system *other = gallery_compile_text(model, "joint", all[k]);
                dal_state *twin = dal_state_create(NULL, other);
                gallery_copy_motion(state, twin);
                assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
                for (int b = 0; b < 3; b++) {
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
}

/* A shaft of weight W that hangs over, in two bearings at -d and d, its centre at c > d. Each could carry it alone: only compliances say
 * what they carry. With F_A + F_B = W, F_B - F_A = x and the moments of both together W c - d x, the energy c_F (W^2 + x^2)/2 +
 * c_T (W c - d x)^2/2 is least at x = (W c/d)/(1 + c_F/(c_T d^2)). For c_F = c_T d^2 and c = 3 d that is F_A = -W/4, F_B = 5 W/4: the
 * friction is mu r 3 W/2. Without compliances it is another one, and there is a warning. */
static void redundant_bearings_rub_as_their_compliances_say(void **unused)
{
    (void)unused;
    static const char form[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nground: {points: {A: [-0.2, 0, 0], B: [0.2, 0, 0]}}\nbodies:\n"
        "  shaft: {mass: 3, inertia: [0.02, 0.02, 0.02], center: [0.6, 0, 0], points: {A: [-0.2, 0, 0], B: [0.2, 0, 0]}}\njoints:\n"
        "  a: {type: revolute, connect: [ground.A, shaft.A], axis: [1, 0, 0], %s friction: {coefficient: 0.1, radius: 0.02}, "
        "start: {angle: 0, rate: 30}}\n"
        "  b: {type: revolute, connect: [ground.B, shaft.B], axis: [1, 0, 0], %s friction: {coefficient: 0.1, radius: 0.02}}\n"
        "simulate: {until: 2, every: 2}\nrecord: [\"a.angle'\", a.force, b.force]\n";
    const double W = 3 * 9.81;
    for (int compliant = 0; compliant < 2; compliant++)
        for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
            const char *word = compliant ? "compliance: [0.04, 1]," : "";
            char text[1000];
            if (!check_sampled(compliant + (int)f, 2, 6))
                continue;
            snprintf(text, sizeof text, form, word, word);
            dal_system *system = gallery_compile_text(text, families[f], "lagrange");
            assert_non_null(system);
            last_row row = {{0}};
            dal_sink sink = {&row, begin, keep};
            dal_messages *messages = dal_messages_create(NULL);
            dal_evidence evidence;
            assert_int_equal(dal_run(system, &(dal_run_options){.sink = &sink}, messages, &evidence), DAL_OK);
            const dal_message *first = dal_messages_first(messages);
            assert_true((first && strstr(first->text, "the friction of joint 'a' follows its force, which is not unique")) == !compliant);
            if (compliant) {
                check_close(row.value[1], 30 - 0.1 * 0.02 * 1.5 * W / 0.02 * 2, 1e-7 * 30);
                check_close(row.value[4], -W / 4, 1e-9 * W);
                check_close(row.value[7], 5 * W / 4, 1e-9 * W);
            }
            dal_messages_free(messages);
            dal_system_free(system);
        }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_an_incline_slips_at_the_angle_of_friction),
        cmocka_unit_test(a_block_thrown_up_stops_where_it_should),
        cmocka_unit_test(a_shaft_in_a_dry_bearing_stops_at_the_analytic_time),
        cmocka_unit_test(a_pendulum_with_dry_friction_loses_the_analytic_energy_per_swing),
        cmocka_unit_test(a_self_locking_screw_does_not_turn_back),
        cmocka_unit_test(friction_acts_along_the_whole_sliding_velocity),
        cmocka_unit_test(smooth_friction_goes_to_the_exact_one),
        cmocka_unit_test(every_formulation_gives_the_same_friction),
        cmocka_unit_test(redundant_bearings_rub_as_their_compliances_say),
        cmocka_unit_test(what_is_pulled_too_steeply_sticks),
        cmocka_unit_test(friction_takes_a_coordinate_out_of_the_ignorable_ones),
        cmocka_unit_test(a_driven_joint_slips_on_where_it_turns),
        cmocka_unit_test(loads_that_come_and_go_stick_and_slip_as_computed_by_hand),
        cmocka_unit_test(a_screw_that_is_turned_to_and_fro_sticks_and_slips),
        cmocka_unit_test(what_slides_two_ways_starts_in_the_direction_of_its_acceleration),
        cmocka_unit_test(the_pin_of_a_slider_crank_slips_through_the_turns_of_its_rod),
        cmocka_unit_test(a_driven_joint_pays_for_its_friction_through_every_turn),
        cmocka_unit_test(every_integrator_passes_the_turns_of_a_drive),
        cmocka_unit_test(a_drive_that_starts_gently_meets_friction),
        cmocka_unit_test(friction_is_found_wherever_there_is_a_solution),
        cmocka_unit_test(without_a_normal_force_there_is_no_friction),
        cmocka_unit_test(a_particle_in_a_joint_with_friction_is_refused),
        cmocka_unit_test(what_sticks_does_not_creep),
        cmocka_unit_test(a_constant_limit_holds_what_is_within_it),
        cmocka_unit_test(a_constant_force_stops_a_block_at_the_analytic_time),
        cmocka_unit_test(a_pendulum_loses_the_constant_torque_times_its_way),
        cmocka_unit_test(the_constant_limit_adds_to_that_of_the_normal_force),
        cmocka_unit_test(a_smooth_constant_limit_has_its_closed_form),
        cmocka_unit_test(a_constant_limit_sticks_and_slips_as_computed_by_hand),
        cmocka_unit_test(a_sleeve_and_a_nut_have_constant_limits),
        cmocka_unit_test(a_constant_limit_needs_no_reaction),
        cmocka_unit_test(every_formulation_gives_the_same_constant_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
