/* Drives, motors, end stops and play: the effort of a drive is what inverse dynamics and virtual work give, its power is the change of
 * energy; a stop gives back what it is told to, whatever hits it, in every family and formulation. */
#include "gallery.h"
#include "text_runs.h"

/* ---- the driven slider-crank --------------------------------------------------------------------------- */

/* r, l; masses and inertias of crank (centre at c on its x axis), rod (centre in its middle) and slider; k draws the slider to x = 0.1 */
static const double r = 0.061, l = 0.187, m1 = 1.13, J1 = 9.1e-4, c = 0.013, m2 = 0.71, J2 = 2.3e-3, m3 = 0.47, k = 830, g = 9.81;

static void slider_crank(char *text, size_t size, double angle, double rate, const char *joint, const char *more)
{
    const double x = r * cos(angle) + sqrt(l * l - r * r * sin(angle) * sin(angle));
    snprintf(text, size,
             "dalembert: 1\nspace: planar\ngravity: [0, %.17g]\nbodies:\n"
             "  crank: {mass: %.17g, inertia: %.17g, center: [%.17g, 0], points: {B: [%.17g, 0]}}\n"
             "  rod: {mass: %.17g, inertia: %.17g, between: [crank.B, slider], points: {B: [%.17g, 0], C: [%.17g, 0]}}\n"
             "  slider: {mass: %.17g, inertia: 3e-4, position: [%.17g, 0], angle: 0}\n"
             "joints:\n"
             "  A: {type: revolute, connect: [ground, crank], start: {angle: %.17g, rate: %.17g}%s}\n"
             "  B: {type: revolute, connect: [crank.B, rod.B]}\n  C: {type: revolute, connect: [rod.C, slider]}\n"
             "  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0]}\n"
             "forces: {spring: {type: spring-damper, joint: guide, stiffness: %.17g, free: 0.1}%s}\n",
             -g, m1, J1, c, r, m2, J2, -l / 2, l / 2, m3, x, angle, rate, joint, k, more);
}

/* A coordinate u of theta with its first and second derivative by theta. */
typedef struct jet {
    double u, d, dd;
} jet;

/* (m u'' u_theta), with u'' = dd w^2 + d a */
static double inertia_of(double m, jet u, double w, double a)
{
    return m * (u.dd * w * w + u.d * a) * u.d;
}

/* Virtual work: T = sum of m p'' . p_theta + J phi'' phi_theta - gravity and spring along p_theta. */
static double torque(double th, double w, double a)
{
    const double s = sin(th), co = cos(th), z = sqrt(l * l - r * r * s * s);
    const jet bx = {r * co, -r * s, -r * co}, by = {r * s, r * co, -r * s};
    const double zd = -r * r * s * co / z, zdd = -(r * r * (co * co - s * s) + zd * zd) / z;
    const jet x = {bx.u + z, bx.d + zd, bx.dd + zdd};
    const jet px = {(bx.u + x.u) / 2, (bx.d + x.d) / 2, (bx.dd + x.dd) / 2}, py = {by.u / 2, by.d / 2, by.dd / 2};
    const double cosine = z / l, phid = -r * co / (l * cosine); /* sin phi = -r sin th / l */
    const jet phi = {0, phid, (r * s / l + (-r * s / l) * phid * phid) / cosine};
    const jet cx = {c * co, -c * s, -c * co}, cy = {c * s, c * co, -c * s}, turn = {th, 1, 0};
    double T = inertia_of(m1, cx, w, a) + inertia_of(m1, cy, w, a) + inertia_of(J1, turn, w, a);
    T += inertia_of(m2, px, w, a) + inertia_of(m2, py, w, a) + inertia_of(J2, phi, w, a) + inertia_of(m3, x, w, a);
    return T + m1 * g * cy.d + m2 * g * py.d + k * (x.u - 0.1) * x.d;
}

/* The motor's torque for a wanted acceleration of the crank, by dal_evaluate. */
static double inverse_torque(double angle, double rate, double acceleration)
{
    char text[2000], label[100];
    double answer = NAN;
    slider_crank(text, sizeof text, angle, rate, "", ", motor: {type: motor, joint: A, value: 0.4}");
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    dal_messages *messages = dal_messages_create(NULL);
    const dal_evaluation_options options = {.inverse = true};
    dal_instant *instant;
    dal_evaluation *evaluation;
    assert_int_equal(dal_instant_create(NULL, system, &instant), DAL_OK);
    assert_int_equal(dal_state_unpack(state, 0, state->y), 0);
    memcpy(instant->q, state->work.q, sizeof *instant->q * (size_t)instant->nq);
    memcpy(instant->rates, state->work.v, sizeof *instant->rates * (size_t)instant->nv);
    for (int i = 0; dal_rate_label(system, i, label, sizeof label); i++)
        if (!strcmp(label, "crank.angle"))
            instant->accelerations[i] = acceleration, instant->wanted[i] = true;
    assert_int_equal(dal_evaluate(NULL, state, instant, &options, messages, &evaluation), DAL_OK);
    assert_true(evaluation->inverse->motors && evaluation->inverse->achieved && evaluation->inverse->n_actuators == 1);
    answer = evaluation->inverse->actuators.values[0];
    dal_evaluation_free(evaluation);
    dal_instant_free(instant);
    dal_messages_free(messages);
    dal_state_free(state);
    dal_system_free(system);
    return answer;
}

/* At random angles, rates and accelerations, driven by position, by velocity, and by a `driven` joint of either kind. */
static void a_drive_takes_the_torque_of_inverse_dynamics_and_virtual_work(void **unused)
{
    uint64_t seed = 17;
    char text[2400], joint[300];
    (void)unused;
    for (int i = 0; i < 12; i++) {
        const double th = 3.1 * check_random(&seed), w = 30 * check_random(&seed), a = 500 * check_random(&seed);
        const double wanted = torque(th, w, a), size = 1e-10 * (1 + fabs(torque(th, w, 0)) + fabs(torque(th, 0, a)) + fabs(torque(th, 0, 0)));
        check_close(inverse_torque(th, w, a), wanted, size);
        for (int way = 0; way < 4; way++) {
            const char *form = way == 0   ? ", drive: %.17g + %.17g*t + %.17g*t^2/2"
                               : way == 1 ? ", drive-rate: %.17g*0 + %.17g + %.17g*t"
                               : way == 2 ? "}\n  D: {type: driven, joint: A, value: %.17g + %.17g*t + %.17g*t^2/2"
                                          : "}\n  D: {type: driven, joint: A, drive-rate: %.17g*0 + %.17g + %.17g*t";
            snprintf(joint, sizeof joint, form, th, w, a);
            slider_crank(text, sizeof text, th, w, joint, "");
            snprintf(text + strlen(text), sizeof text - strlen(text), "record: [%s.drive, A.angle, A.angle', A.angle'', %s.drive.power]\n",
                     way < 2 ? "A" : "D", way < 2 ? "A" : "D");
            trajectory run = run_text_well(text, "until=1e-9");
            check_close(at(&run, 0, 1), wanted, size);
            check_close(at(&run, 0, 2), th, 1e-12);
            check_close(at(&run, 0, 3), w, 1e-11);
            check_close(at(&run, 0, 4), a, 1e-9);
            check_close(at(&run, 0, 5), wanted * w, 31 * size);
            free(run.value);
        }
    }
}

/* Every family and formulation that takes the model: same effort at the start; same motion and effort after a while. */
static void every_formulation_gives_a_velocity_drive_the_same_effort(void **unused)
{
    char text[2400], settings[200];
    const char *family, *formulation, *title;
    int ran = 0;
    (void)unused;
    slider_crank(text, sizeof text, 0.7, 11, ", drive-rate: 11 + 90*t", "");
    strcat(text, "record: [A.drive, A.angle]\n");
    for (int f = 0; dal_list_entry("coordinates", f, &family, &title); f++)
        for (int j = 0; dal_list_entry("formulation", j, &formulation, &title); j++) {
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s until=0.03 every=0.03 rtol=1e-9 atol=1e-11", family, formulation);
            trajectory run = run_text(text, settings);
            if (run.status == DAL_BAD_MODEL)
                continue;
            if (run.status != DAL_OK)
                fail_msg("%s: %s", settings, run.message);
            const double th = 0.7 + 11 * 0.03 + 45 * 0.03 * 0.03, size = fabs(torque(0.7, 11, 0)) + fabs(torque(0.7, 0, 90));
            check_close(at(&run, 0, 1), torque(0.7, 11, 90), 1e-10 * (1 + size));
            check_close(last(&run, 2), th, 1e-9);
            check_close(last(&run, 1), torque(th, 11 + 90 * 0.03, 90), 1e-6 * (1 + size));
            ran++;
            free(run.value);
        }
    assert_true(ran >= 20);
}

/* Both drives for two turns and a half: same motion and effort; the integral of the power (Simpson) is the change of energy, as
 * energy.work counts it. */
static void position_and_velocity_drives_agree_and_their_power_is_the_change_of_energy(void **unused)
{
    char text[2][2400];
    (void)unused;
    slider_crank(text[0], sizeof text[0], 0.7, 32, ", drive: 0.7 + 20*t + 12/7*sin(7*t)", "");
    slider_crank(text[1], sizeof text[1], 0.7, 32, ", drive-rate: 20 + 12*cos(7*t)", "");
    trajectory run[2];
    for (int i = 0; i < 2; i++) {
        strcat(text[i], "record: [A.angle, A.drive, A.drive.power, energy, energy.work]\n");
        run[i] = run_text_well(text[i], "until=0.8 every=0.0005 rtol=1e-10 atol=1e-12");
        double sum = 0;
        assert_int_equal(run[i].rows, 1601);
        for (int n = 0; n < run[i].rows; n++)
            sum += at(&run[i], n, 3) * (n == 0 || n == 1600 ? 1 : n % 2 ? 4 : 2) * 0.0005 / 3;
        check_close(sum, last(&run[i], 4) - at(&run[i], 0, 4), 2e-6);
        check_close(last(&run[i], 5), last(&run[i], 4) - at(&run[i], 0, 4), 1e-7);
    }
    for (int n = 0; n < run[0].rows; n++) {
        check_close(at(&run[0], n, 1), at(&run[1], n, 1), 1e-8);
        check_close(at(&run[0], n, 2), at(&run[1], n, 2), 1e-5);
    }
    free(run[0].value);
    free(run[1].value);
}

/* What slides in the joint is paid by the drive: J a + limit sign(w). */
static void a_velocity_drive_pays_for_friction(void **unused)
{
    trajectory run = run_text_well("dalembert: 1\nspace: planar\nbodies: {disc: {mass: 2, inertia: 0.37}}\n"
                                   "joints: {A: {type: revolute, connect: [ground, disc], start: {angle: 0}, "
                                   "drive-rate: 3 + 2*t, friction: {limit: 0.7}}}\n"
                                   "record: [A.drive, A.drive.power, energy.balance]\n",
                                   "until=1 every=0.1");
    (void)unused;
    for (int i = 0; i < run.rows; i++) {
        check_close(at(&run, i, 1), 0.37 * 2 + 0.7, 1e-9);
        check_close(at(&run, i, 2), (0.37 * 2 + 0.7) * (3 + 2 * at(&run, i, 0)), 1e-8);
        check_close(at(&run, i, 3), 0.5 * 0.37 * 9, 1e-7);
    }
    free(run.value);
}

/* ---- motors ---------------------------------------------------------------------------------------------- */

static void a_motor_is_cut_off_at_its_limits_and_its_power_is_the_change_of_energy(void **unused)
{
    trajectory run = run_text_well("dalembert: 1\nspace: planar\nbodies: {disc: {mass: 2, inertia: 0.37}}\n"
                                   "joints: {A: {type: revolute, connect: [ground, disc], start: {angle: 0, rate: 1.1}}}\n"
                                   "forces: {motor: {type: motor, joint: A, value: 5*sin(7*t), limit: [-2, 3.1]},\n"
                                   "  brake: {type: spring-damper, joint: A, damping: 0.2, stiffness: 1.3, free: 0.4}}\n"
                                   "record: [motor.torque, motor.power - motor.torque*A.angle', brake.power - "
                                   "brake.torque*A.angle', energy.kinetic,\n"
                                   "  motor.power + brake.power - 0.37*A.angle'*A.angle'']\n",
                                   "until=2 every=0.01 rtol=1e-9 atol=1e-11");
    (void)unused;
    assert_true(run.evidence.events >= 8);
    for (int i = 0; i < run.rows; i++) {
        check_close(at(&run, i, 1), fmax(-2, fmin(3.1, 5 * sin(7 * at(&run, i, 0)))), 1e-12);
        for (int n = 2; n < 6; n++)
            if (n != 4)
                check_small(at(&run, i, n), 1e-12);
    }
    free(run.value);
}

/* Every effort of one number: the same motion as with the corners written out. */
static void efforts_of_one_number_have_limits(void **unused)
{
    static const char *const efforts[] = {"type: torque, joint: A",
                                          "type: torque, body: arm",
                                          "type: torque, connect: [ground, arm]",
                                          "type: force, joint: S",
                                          "type: force, connect: [ground.P, slide]",
                                          "type: coordinate-force, body: slide, coordinate: x",
                                          "type: motor, joint: S"};
    (void)unused;
    for (size_t way = 0; way < sizeof efforts / sizeof *efforts; way++) {
        trajectory run[2];
        for (int i = 0; i < 2; i++) {
            char text[1200];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {P: [-1, 0.3]}}\n"
                     "bodies: {arm: {mass: 2, inertia: 0.37, points: {B: [0.4, 0]}}, slide: {mass: 0.7, inertia: 0.1, points: {C: [-0.2, 0]}}}\n"
                     "joints: {A: {type: revolute, connect: [ground, arm], start: {angle: 0.3, rate: 1.1}},\n"
                     "  S: {type: prismatic, connect: [arm.B, slide.C], axis: [1, 0.2], start: {distance: 0.3, rate: 0.2}}}\n"
                     "forces: {f: {%s, value: %s}, hold: {type: spring-damper, joint: S, stiffness: 60, damping: 1}}\n"
                     "record: [%s, A.angle, S.distance, energy.balance]\n",
                     efforts[way], i ? "5*sin(7*t), limit: [-2, 3.1]" : "\"max(-2, min(3.1, 5*sin(7*t)))\"",
                     strstr(efforts[way], "torque") ? "f.torque" : "f.force");
            run[i] = run_text_well(text, "until=1 every=0.05 rtol=1e-9 atol=1e-11");
        }
        assert_true(run[1].evidence.events >= 4 && run[1].rows == 21);
        for (int i = 0; i < run[1].rows; i++) {
            check_close(at(&run[1], i, 1), fmax(-2, fmin(3.1, 5 * sin(7 * at(&run[1], i, 0)))), 1e-12);
            for (int n = 2; n < 5; n++)
                check_close(at(&run[0], i, n), at(&run[1], i, n), 1e-12);
        }
        free(run[0].value);
        free(run[1].value);
    }
}

/* ---- end stops -------------------------------------------------------------------------------------------- */

/* Up and down between a stop below and one above, a hundred impacts. */
static void a_stop_without_loss_conserves_energy_over_many_bounces(void **unused)
{
    trajectory run = run_text_well("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                   "bodies: {ram: {mass: 1.7, inertia: 0.3, position: [0, 0.13], angle: 0, velocity: [0, 2.3]}}\n"
                                   "joints: {guide: {type: prismatic, connect: [ground, ram], axis: [0, 1]}}\n"
                                   "forces: {stop: {type: end-stop, joint: guide, lower: 0, upper: 0.3, stiffness: 4e4}}\n"
                                   "record: [energy, energy.work, guide.distance, stop.force]\n",
                                   "until=17 every=0.02 rtol=1e-12 atol=1e-14");
    double lowest = 1, highest = 0;
    (void)unused;
    assert_true(run.evidence.events >= 200);
    for (int i = 0; i < run.rows; i++) {
        check_close(at(&run, i, 1), at(&run, 0, 1), 1e-9 * fabs(at(&run, 0, 1)));
        check_small(at(&run, i, 2), 1e-12);
        lowest = fmin(lowest, at(&run, i, 3));
        highest = fmax(highest, at(&run, i, 3));
        const double x = at(&run, i, 3), push = x < 0 ? -4e4 * x : x > 0.3 ? -4e4 * (x - 0.3) : 0;
        check_close(at(&run, i, 4), push, 1e-9 * (1 + fabs(push)));
    }
    assert_true(lowest < 0 && highest > 0.3);
    free(run.value);
}

/* The bound that the head of force/stop.c derives. */
static double restitution_miss(double e, double velocity, double v)
{
    const double e2 = e * e;
    return M_PI * M_PI / 12 * (velocity / v) * (velocity / v) * ((1 - e2) / (1 + e2) + (1 - e2) / (2 * e2));
}

/* One free impact on a coordinate, an angle and the distance of two points, for three masses and two restitutions. */
static void an_impact_gives_back_the_square_of_the_restitution_whatever_the_mass(void **unused)
{
    static const char *const models[] = {"bodies: {b: {mass: %g, inertia: 0.4, position: [0.4, 0], angle: 0, velocity: [-2, 0]}}\n"
                                         "joints: {J: {type: prismatic, connect: [ground, b], axis: [1, 0]}}\n"
                                         "forces: {stop: {type: end-stop, joint: J, lower: 0.1, stiffness: 3e4, restitution: %g}}\n",
                                         "bodies: {b: {mass: 3, inertia: %g}}\n"
                                         "joints: {J: {type: revolute, connect: [ground, b], start: {angle: 0.2, rate: 2}, zero: 0.1}}\n"
                                         "forces: {stop: {type: end-stop, joint: J, upper: 0.5, stiffness: 3e4, restitution: %g}}\n",
                                         "ground: {points: {P: [0, 0]}}\nbodies: {b: {mass: %g, position: [0.4, 0.3], velocity: [1.6, 1.2]}}\n"
                                         "forces: {stop: {type: end-stop, connect: [ground.P, b], upper: 0.8, stiffness: 3e4, restitution: %g}}\n"};
    static const double masses[] = {0.31, 2.7, 19}, restitutions[] = {0.5, 0.83};
    char text[600];
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int n = 0; n < 2; n++) {
                const double e = restitutions[n];
                int written = snprintf(text, sizeof text, "dalembert: 1\nspace: planar\n");
                snprintf(text + written, sizeof text - (size_t)written, models[i], masses[j], e);
                strcat(text, "record: [energy, stop.force, energy.balance, stop.length']\n");
                trajectory run = run_text_well(text, "until=0.4 rtol=1e-10 atol=1e-13");
                check_close(last(&run, 1) / at(&run, 0, 1), e * e, restitution_miss(e, 1e-3, 2) + 1e-8);
                check_small(last(&run, 2), 0); /* it has left the stop */
                check_close(last(&run, 4), -e * at(&run, 0, 4), 2 * restitution_miss(e, 1e-3, 2) + 1e-7);
                check_close(last(&run, 3), at(&run, 0, 3), 1e-8 * at(&run, 0, 3));
                assert_int_equal(run.evidence.events, 2); /* one contact: its begin and its end */
                free(run.value);
            }
}

/* F = max(0, k d + c d'), free impact: d = v/wd exp(-z w t) sin(wd t), until d'' = 0; there d' is what it leaves with. */
static void a_damped_stop_rebounds_as_the_damped_oscillator_does_until_it_would_pull(void **unused)
{
    const double m = 1.9, stiff = 3e4, damp = 90, v = 2, w = sqrt(stiff / m), z = damp / (2 * sqrt(stiff * m)), wd = w * sqrt(1 - z * z);
    const double t = atan2(2 * z * sqrt(1 - z * z), 2 * z * z - 1) / wd;
    const double leaves = v * exp(-z * w * t) * (cos(wd * t) - z * w / wd * sin(wd * t));
    char text[600];
    (void)unused;
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\nbodies: {b: {mass: %g, position: [0.4, 0], velocity: [%g, 0]}}\n"
             "joints: {y: {type: lock, body: b, coordinate: y}}\nground: {points: {P: [-3, 0]}}\n"
             "forces: {stop: {type: end-stop, connect: [ground.P, b], lower: 3.1, upper: 4, stiffness: %g, damping: %g}}\n"
             "record: [b.x', stop.force, energy.balance]\n",
             m, -v, stiff, damp);
    trajectory run = run_text_well(text, "until=0.5 every=0.001 rtol=1e-11 atol=1e-13");
    assert_true(leaves < 0);
    check_close(last(&run, 1), -leaves, 1e-7);
    for (int i = 0; i < run.rows; i++) {
        assert_true(at(&run, i, 2) >= 0); /* it never pulls */
        check_close(at(&run, i, 3), 0.5 * m * v * v, 1e-7);
    }
    free(run.value);
}

/* Dropped on a stop: the bounces become smaller and end; the stop carries the weight with k d (1 + e^2)/2. */
static void a_load_settles_on_a_stop_without_chatter(void **unused)
{
    static const char *const laws[] = {"restitution: 0.5, velocity: 0.01", "damping: 300"};
    const double rest[] = {1.7 * 9.81 / (4e4 * 0.625), 1.7 * 9.81 / 4e4};
    char text[700];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {ram: {mass: 1.7, inertia: [0.3, 0.2, "
                 "0.1], position: [0, 0, 0.13]}}\n"
                 "joints: {guide: {type: cylindrical, connect: [ground, ram], axis: [0, 0, 1]}}\n"
                 "forces: {stop: {type: end-stop, joint: guide, coordinate: distance, lower: 0, stiffness: 4e4, %s}}\n"
                 "record: [guide.distance, guide.distance', stop.force, energy.balance]\n",
                 laws[i]);
        trajectory run = run_text_well(text, "until=4 every=0.1 rtol=1e-9 atol=1e-11");
        check_close(last(&run, 1), -rest[i], 1e-8);
        check_small(last(&run, 2), 1e-7);
        check_close(last(&run, 3), 1.7 * 9.81, 1e-3);
        check_close(last(&run, 4), at(&run, 0, 4), 1e-7);
        assert_true(run.evidence.events >= 2 && run.evidence.events < 40);
        free(run.value);
    }
}

/* A pendulum between two stops of different restitution: the same motion, impacts and all, wherever it is computed. */
static void stops_give_the_same_motion_in_every_family_and_formulation(void **unused)
{
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: {rod: {mass: 1.3, inertia: 0.05, center: [0.3, 0.02]}}\n"
                               "joints: {A: {type: revolute, connect: [ground, rod], start: {angle: -0.6, rate: -1}}}\n"
                               "forces: {stop: {type: end-stop, joint: A, lower: -2.1, upper: -0.9, stiffness: 900, "
                               "restitution: 0.7, velocity: 0.05}}\n"
                               "record: [A.angle, A.angle', energy.balance]\n";
    char settings[200];
    const char *family, *formulation, *title;
    double angle = NAN, rate = NAN;
    int ran = 0;
    (void)unused;
    for (int f = 0; dal_list_entry("coordinates", f, &family, &title); f++)
        for (int j = 0; dal_list_entry("formulation", j, &formulation, &title); j++) {
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s until=1.5 every=1.5 rtol=1e-9 atol=1e-11", family, formulation);
            trajectory run = run_text(text, settings);
            if (run.status == DAL_BAD_MODEL)
                continue;
            if (run.status != DAL_OK)
                fail_msg("%s: %s", settings, run.message);
            if (!ran++)
                angle = last(&run, 1), rate = last(&run, 2);
            assert_true(run.evidence.events >= 4);
            check_close(last(&run, 1), angle, 1e-6);
            check_close(last(&run, 2), rate, 1e-5);
            check_close(last(&run, 3), at(&run, 0, 3), 1e-6);
            free(run.value);
        }
    assert_true(ran >= 20);
}

/* ---- play --------------------------------------------------------------------------------------------------- */

/* Two free bodies joined with play: within the gap they fly as if nothing were there, and never does the pair act on itself. */
static void play_leaves_free_flight_exact_and_conserves_momenta(void **unused)
{
    trajectory run = run_text_well("dalembert: 1\nspace: spatial\nbodies:\n"
                                   "  a: {mass: 1.3, inertia: [0.02, 0.03, 0.04], position: [0.1, 0, 0], velocity: "
                                   "[0.1, 0.4, -0.2], angular-velocity: [3, -1, 2], points: {P: [0.1, 0.05, 0]}}\n"
                                   "  b: {mass: 0.4, inertia: [0.01, 0.03, 0.025], position: [0.3, 0.05, 0], velocity: "
                                   "[0.7, -0.3, 0.5], angular-velocity: [1, 2, -2], points: {Q: [-0.1, 0, 0]}}\n"
                                   "forces: {play: {type: clearance, connect: [a.P, b.Q], gap: 0.03, stiffness: 2e3}}\n"
                                   "record: [play.length, play.force, a.x, b.z, energy]\n",
                                   "until=3 every=0.001 rtol=1e-10 atol=1e-12");
    bool free_flight = true;
    (void)unused;
    assert_true(run.evidence.events >= 10);
    for (int i = 0; i < run.rows; i++) {
        const double t = at(&run, i, 0), beyond = at(&run, i, 1) - 0.03;
        free_flight = free_flight && beyond <= 0;
        if (free_flight) {
            check_close(at(&run, i, 3), 0.1 + 0.1 * t, 1e-13);
            check_close(at(&run, i, 4), 0.5 * t, 1e-13);
        }
        check_close(at(&run, i, 2), beyond > 0 ? -2e3 * beyond : 0, 1e-9);
        check_close(at(&run, i, 5), at(&run, 0, 5), 1e-8);
    }
    assert_false(free_flight);
    check_small(run.evidence.momentum_drift, 1e-9);
    free(run.value);
}

/* A pendulum that hangs in a bearing with play, let go from the side: with the gap, its motion tends to that of the revolute joint. */
static void play_tends_to_the_revolute_joint_with_its_gap(void **unused)
{
    static const char hung[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\n"
                               "bodies: {rod: {mass: 1.3, inertia: 0.05, position: [%.17g, %.17g], angle: -0.5, points: {E: [-0.3, 0]}}}\n"
                               "%s: {pin: {type: %s, connect: [ground.O, rod.E]%s}}\nrecord: [rod.angle, energy.balance]\n";
    char text[800], force[200];
    double miss[3];
    (void)unused;
    snprintf(text, sizeof text, hung, 0.3 * cos(-0.5), 0.3 * sin(-0.5), "joints", "revolute", "");
    trajectory ideal = run_text_well(text, "until=0.6 every=0.02 rtol=1e-10 atol=1e-12");
    for (int i = 0; i < 3; i++) {
        const double gap = i == 0 ? 4e-3 : i == 1 ? 1e-3 : 2.5e-4;
        snprintf(force, sizeof force, ", gap: %g, stiffness: %g, restitution: 0.3, velocity: 0.05", gap, 40 / gap);
        snprintf(text, sizeof text, hung, 0.3 * cos(-0.5), 0.3 * sin(-0.5) - gap, "forces", "clearance", force);
        trajectory run = run_text_well(text, "until=0.6 every=0.02 rtol=1e-8 atol=1e-10");
        miss[i] = 0;
        for (int n = 0; n < run.rows; n++) {
            miss[i] = fmax(miss[i], fabs(at(&run, n, 1) - at(&ideal, n, 1)));
            check_close(at(&run, n, 2), at(&run, 0, 2), 1e-6);
        }
        free(run.value);
    }
    for (int i = 0; i < 2; i++) /* first order: a quarter of the gap, a quarter of the miss */
        if (!(miss[i + 1] < miss[i] / 2.5))
            fail_msg("%.3g, %.3g, %.3g", miss[0], miss[1], miss[2]);
    free(ideal.value);
}

/* ---- what is refused ------------------------------------------------------------------------------------------ */

#define HEAD                                                                                                                                         \
    "dalembert: 1\nspace: planar\nground: {points: {P: [3, 0]}}\nbodies: {b: {mass: 1, inertia: 1}, d: {mass: 1, "                                   \
    "inertia: 2}}\n"                                                                                                                                 \
    "joints:\n  A: {type: revolute, connect: [ground, b]}\n  B: {type: revolute, connect: [b, d]"
#define FORCE(text) HEAD "}\nforces: {f: {" text "}}\n"
static void bad_drives_stops_and_motors_are_refused_with_a_sentence(void **unused)
{
    static const struct {
        const char *text, *words;
    } faults[] = {
        {HEAD ", drive: t, drive-rate: 1}\n", "prescribes both its coordinate (`drive:`) and its rate (`drive-rate:`)"},
        {HEAD ", drive-rate: abs(t - 1)}\n", "a prescribed rate needs one continuous derivative; this one has corners"},
        {HEAD ", drive-rate: \"if(t < 1, 0, 1)\"}\n", "may jump"},
        {HEAD ", drive-rate: b.angle}\n", "a prescribed motion is made of time"},
        {HEAD ", drive-rate: 1}\n  D: {type: driven, joint: B, value: t}\n", "prescribes already"},
        {HEAD "}\n  D: {type: driven, joint: B}\n", "needs `value:`, or `drive-rate:`"},
        {HEAD "}\n  D: {type: driven, joint: B, value: t, drive-rate: 1}\n", "both its coordinate (`value:`)"},
        {HEAD "}\n  D: {type: lock, joint: B, drive-rate: 1}\n", "has no key 'drive-rate'"},
        {HEAD "}\nrecord: [B.drive.power]\n", "joint 'B' is not driven and has no channel 'drive.power'"},
        {FORCE("type: torque, connect: [b, d], value: 1") "record: [f.power]\n", "force 'f' has no channel 'power': it has length, force, torque"},
        {FORCE("type: bushing, connect: [b, d], stiffness: [1, 1, 1]") "record: [f.force]\n", "force 'f' has no channel 'force': it has length"},
        {FORCE("type: motor, joint: A, value: f.power"), "is a power"},
        {FORCE("type: motor, joint: A, value: 1, limit: [1, 0]"), "the lowest effort stands first"},
        {FORCE("type: motor, joint: A, value: 1, limit: [1, 2, 3]"), "two numbers"},
        {FORCE("type: motor, joint: A, value: 1, limit: [0, t]"), "a constant is needed here"},
        {FORCE("type: torque, joint: A, value: 1, limit: [1, 0]"), "the limit of torque 'f' runs from 1 to 0"},
        {FORCE("type: force, body: b, value: [1, 2], limit: [0, 1]"), "an effort of one number, and force 'f' has 2 components"},
        {FORCE("type: spring-damper, joint: A, value: 1, limit: [0, 1]"), "has no key 'limit'"},
        {HEAD ", drive: t, limit: [0, 1]}\n", "a drive takes whatever effort its motion needs"},
        {HEAD ", lower: 0}\n", "type: end-stop"},
        {HEAD ", damping: 0.1}\n", "type: spring-damper"},
        {FORCE("type: end-stop, joint: A, stiffness: 1"), "neither `lower:` nor `upper:`"},
        {FORCE("type: end-stop, joint: A, lower: 1, upper: 0, stiffness: 1"), "leaves no room"},
        {FORCE("type: end-stop, joint: A, lower: 1"), "needs the key 'stiffness'"},
        {FORCE("type: end-stop, joint: A, lower: 1, stiffness: 0"), "needs a positive stiffness"},
        {FORCE("type: end-stop, joint: A, lower: 1, stiffness: [1, 2, 3]"), "takes one stiffness"},
        {FORCE("type: end-stop, joint: A, lower: t, stiffness: 1"), "a constant is needed here"},
        {FORCE("type: end-stop, joint: A, lower: 0, stiffness: 1, damping: 1, restitution: 1"), "given by one of them"},
        {FORCE("type: end-stop, joint: A, lower: 0, stiffness: 1, damping: -1"), "it would give energy"},
        {FORCE("type: end-stop, joint: A, lower: 0, stiffness: 1, restitution: 1.1"), "outside of 0"},
        {FORCE("type: end-stop, joint: A, lower: 0, stiffness: 1, velocity: 1"), "belongs to `restitution:`"},
        {FORCE("type: end-stop, joint: A, lower: 0, stiffness: 1, restitution: 0.5, velocity: 0"), "positive `velocity:`"},
        {FORCE("type: end-stop, lower: 0, stiffness: 1"), "none is given"},
        {FORCE("type: end-stop, joint: A, connect: [ground.P, b], lower: 0, stiffness: 1"), "both are given"},
        {FORCE("type: end-stop, connect: [ground.P, b], coordinate: angle, lower: 0, stiffness: 1"), "belongs to `joint:`"},
        {FORCE("type: end-stop, joint: Q, lower: 0, stiffness: 1"), "there is no joint 'Q'"},
        {FORCE("type: clearance, connect: [ground.P, b], gap: 0, stiffness: 1"), "needs a positive gap"},
        {FORCE("type: clearance, connect: [ground.P, b], stiffness: 1"), "needs the key 'gap'"},
        {FORCE("type: clearance, connect: [b, b], gap: 1, stiffness: 1"), "with itself"},
        {FORCE("type: clearance, connect: [ground.P, b], gap: 1, stiffness: 1, lower: 1"), "has no key 'lower'"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        refused_with(faults[i].text, 0, 0, faults[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drive_takes_the_torque_of_inverse_dynamics_and_virtual_work),
        cmocka_unit_test(every_formulation_gives_a_velocity_drive_the_same_effort),
        cmocka_unit_test(position_and_velocity_drives_agree_and_their_power_is_the_change_of_energy),
        cmocka_unit_test(a_velocity_drive_pays_for_friction),
        cmocka_unit_test(a_motor_is_cut_off_at_its_limits_and_its_power_is_the_change_of_energy),
        cmocka_unit_test(efforts_of_one_number_have_limits),
        cmocka_unit_test(a_stop_without_loss_conserves_energy_over_many_bounces),
        cmocka_unit_test(an_impact_gives_back_the_square_of_the_restitution_whatever_the_mass),
        cmocka_unit_test(a_damped_stop_rebounds_as_the_damped_oscillator_does_until_it_would_pull),
        cmocka_unit_test(a_load_settles_on_a_stop_without_chatter),
        cmocka_unit_test(stops_give_the_same_motion_in_every_family_and_formulation),
        cmocka_unit_test(play_leaves_free_flight_exact_and_conserves_momenta),
        cmocka_unit_test(play_tends_to_the_revolute_joint_with_its_gap),
        cmocka_unit_test(bad_drives_stops_and_motors_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
