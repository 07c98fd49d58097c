/* Steady motions and equilibria from many starts: against references of 30 digits and closed forms, in every family. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"
#include "model/choices.h"

#define LINEAR DAL_REFERENCE "/linear/"

static const char *const families[] = {"angle", "euler", "natural", "joint"};

static void say_all(const dal_messages *messages)
{
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        print_message("    %s\n", m->text);
}

static dal_spec *parse_spec(const char *text, const char *family)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    if (dal_spec_parse(NULL, "text", text, strlen(text), 0, NULL, messages, &spec) != DAL_OK)
        say_all(messages);
    assert_non_null(spec);
    if (family)
        assert_true(dal_spec_set(spec, "coordinates", family, messages));
    dal_messages_free(messages);
    return spec;
}

static dal_equilibrium *steady_of(const dal_spec *spec, int n, const dal_steady *given)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_equilibrium *e = NULL;
    if (dal_steady_find(NULL, spec, n, given, messages, &e) != DAL_OK)
        say_all(messages);
    dal_messages_free(messages);
    assert_non_null(e);
    assert_true(e->steady);
    return e;
}

static double number_of(const dal_equilibrium *e, const double *list, const char *channel)
{
    for (int i = 0; i < e->n_coordinates; i++)
        if (!strcmp(e->coordinates[i], channel))
            return list[i];
    fail_msg("no coordinate %s", channel);
    return NAN;
}

static const dal_evaluation_reaction *reaction_of(const dal_equilibrium *e, const char *joint)
{
    for (int i = 0; i < e->n_reactions; i++)
        if (!strcmp(e->reactions[i].joint, joint))
            return &e->reactions[i];
    fail_msg("no joint %s", joint);
    return NULL;
}

static void top_precesses_and_nutates_as_the_reference_says(void **unused)
{
    (void)unused;
    json_file file;
    const json *root = json_open(&file, LINEAR "1e_top_precession.json");
    int n = 0;
    for (const json *at = json_get(root, "solutions")->first; at; at = at->next)
        for (int f = 0; f < 4; f++, n++) {
            const dal_override value = {"Om", json_get(at, "precession")->text};
            const dal_steady given = {"atan2(top.ez.y, top.ez.x)", json_get(at, "precession")->number};
            dal_spec *spec = NULL;
            assert_int_equal(dal_spec_read(NULL, LINEAR "1e_top_precession.yaml", 1, &value, NULL, &spec), DAL_OK);
            assert_true(dal_spec_set(spec, "coordinates", families[f], NULL));
            dal_equilibrium *e = steady_of(spec, 1, &given);
            check_close(number_of(e, e->values, "top.ez.z"), 0.5, 1e-12);
            assert_int_equal(e->n_modes, 1); /* four zeros: precession and spin, and their rates */
            assert_int_equal(e->n_zeros, 4);
            check_close(e->modes[0].im, json_get(at, "nutation_omega")->number, 1e-11 * 5);
            assert_int_equal(e->stability, DAL_NOT_DECIDED);
            const dal_evaluation_reaction *tip = reaction_of(e, "tip");
            check_close(tip->force[2], json_get(at, "vertical_reaction")->number, 1e-12 * 500);
            check_close(hypot(tip->force[0], tip->force[1]), json_get(at, "horizontal_reaction_towards_axis")->number, 1e-12 * 500);
            dal_equilibrium_free(e);
            dal_spec_free(spec);
        }
    assert_int_equal(n, 8);
    json_close(&file);
}

static const char governor[] =
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  spindle: {mass: 3, inertia: [0.05, 0.05, 0.02], position: [0, 0, 0], points: {A: [0, 0, 0]}%s}\n"
    "  left: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.25, 0, -0.4330127018922193], points: {A: [-0.25, 0, 0.4330127018922193]}}\n"
    "  right: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [-0.25, 0, -0.4330127018922193], points: {A: [0.25, 0, 0.4330127018922193]}}\n"
    "joints:\n  spin: {type: revolute, connect: [ground, spindle.A], axis: [0, 0, 1]%s}\n"
    "  pl: {type: revolute, connect: [spindle.A, left.A], axis: [0, 1, 0]}\n"
    "  pr: {type: revolute, connect: [spindle.A, right.A], axis: [0, 1, 0]}\n";

/* Arms of l = 0.5 stand where l W^2 cos a = g, and pull with m l sin a W^2. Free, from rest (W is given); or driven. */
static void governor_lifts_its_arms(void **unused)
{
    (void)unused;
    const double W = 6, c = 9.81 / (0.5 * W * W), s = sqrt(1 - c * c);
    for (int f = 0; f < 8; f++) {
        char text[1500];
        snprintf(text, sizeof text, governor, f < 4 ? ", angular-velocity: [0, 0, 5], velocity: [0, 0, 0]" : "", f < 4 ? "" : ", drive: 6*t");
        dal_spec *spec = parse_spec(text, families[f % 4]);
        const dal_steady given = {"spin.angle", W};
        dal_equilibrium *e = steady_of(spec, 1, &given);
        check_close(number_of(e, e->values, "left.z"), -0.5 * c, 1e-12);
        check_close(hypot(number_of(e, e->values, "right.x"), number_of(e, e->values, "right.y")), 0.5 * s, 1e-12);
        check_close(number_of(e, e->rates, "spin.angle"), W, 1e-12);
        const dal_evaluation_reaction *hinge = reaction_of(e, "pl");
        check_close(hypot(hinge->force[0], hinge->force[1]), 2 * 0.5 * s * W * W, 1e-11 * 36);
        check_close(hinge->force[2], 2 * 9.81, 1e-11 * 36);
        assert_int_equal(e->stability, DAL_NOT_DECIDED);
        if (f >= 4) { /* at a given rate each arm swings with (m l^2 + I) w^2 = m l^2 W^2 s^2 + I W^2 (0): I is round */
            assert_int_equal(e->n_modes, 2);
            for (int k = 0; k < 2; k++)
                check_close(e->modes[k].im, sqrt(2 * 0.25 * W * W * s * s / (2 * 0.25 + 0.01)), 1e-10);
        }
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* Where a pendulum of 2 kg and l = 1 m turns steadily about the vertical with W = 4 1/s: (m l^2 + A - C) W^2 cos a = m g l. It swings about that, at a constant
 * momentum and without A and C, with w^2 = W^2 (1 + 3 cos^2 a). */
static void check_pendulum(const char *text, const char *family, const char *height, const char *given_by, double A_less_C, double z_of_height,
                           bool spins)
{
    const double c = 2 * 9.81 / ((2 + A_less_C) * 16);
    const dal_steady given[] = {{given_by, 4},
                                {"bob.omega.body.z", 4 * c}}; /* without a spin of its own, which is free where two moments are equal */
    dal_spec *spec = parse_spec(text, family);
    dal_equilibrium *e = steady_of(spec, spins ? 2 : 1, given);
    check_close(number_of(e, e->values, height), z_of_height * c, 1e-12);
    check_close(reaction_of(e, "top")->force[2], 2 * 9.81, 1e-11 * 20);
    if (z_of_height < 0) {
        assert_int_equal(e->n_modes, 1);
        check_close(e->modes[0].im, 4 * sqrt(1 + 3 * c * c), 1e-10);
    }
    dal_equilibrium_free(e);
    dal_spec_free(spec);
}

/* The constraints allow every velocity along the sphere, but only turns about the vertical keep the shape. All from rest; far away, too. */
static void spherical_pendulums_turn_steadily(void **unused)
{
    (void)unused;
    static const double away[] = {0.05, 0.5, 0.77, 0.99};
    static const double inertia[][3] = {{0.1, 0.1, 0.1}, {0.2, 0.2, 0.1}, {0.2, 0.1, 0.15}};
    static const double start[] = {5, 30, 80};
    char text[600];
    for (int f = 0; f < 4; f++) {
        for (int i = 0; i < 4; i++) {
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  bob: {mass: 2, position: [%.17g, 0, %.17g]}\n"
                     "joints: {top: {type: distance, connect: [ground, bob], length: 1}}\n",
                     away[i], -sqrt(1 - away[i] * away[i]));
            check_pendulum(text, families[f], "bob.z", "atan2(bob.y, bob.x)", 0, -1, false);
        }
        for (int i = 0; i < 9; i++) {
            const double *I = inertia[i / 3];
            for (int universal = 0; universal < 2; universal++) {
                snprintf(
                    text, sizeof text,
                    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  bob: {mass: 2, center: [0, 0, -1], inertia: [%g, %g, %g],\n"
                    "    orientation: {axis: [0, 1, 0], angle: -%g*deg}, points: {G: [0, 0, -1]}}\njoints: {top: {%s, connect: [ground, bob]}}\n",
                    I[0], I[1], I[2], start[i % 3], universal ? "type: universal, axis: [[0, 0, 1], [0, 1, 0]]" : "type: spherical");
                check_pendulum(text, families[f], "bob.ez.z", "atan2(bob.G.y, bob.G.x)", I[0] - I[2], 1, !universal && I[0] == I[1]);
            }
        }
    }
}

/* A mass on a spring along a spoke, x = k l / (k - m W^2); slow or fast, in metres or in micrometres. */
static void slow_motions_are_found(void **unused)
{
    (void)unused;
    static const double rates[] = {1e-9, 7.3e-5, 3};
    for (int small = 0; small < 2; small++)
        for (int i = 0; i < 3; i++) {
            const double l = small ? 1e-6 : 0.4, m = 0.7, k = 50, W = rates[i];
            char text[1000];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nbodies:\n  disc: {mass: 1, inertia: %g}\n"
                     "  bead: {mass: %g, inertia: %g, position: [%g, 0]}\njoints:\n  hub: {type: revolute, connect: [ground, disc]}\n"
                     "  spoke: {type: prismatic, connect: [disc, bead], axis: [1, 0]}\n"
                     "forces: {s: {type: spring-damper, joint: spoke, stiffness: %g, free: %g}}\n",
                     l * l, m, 0.1 * l * l, l, k, l);
            dal_spec *spec = parse_spec(text, "joint");
            dal_equilibrium *e = steady_of(spec, 1, &(dal_steady){"hub.angle", W});
            check_close(number_of(e, e->values, "spoke.distance"), k * l / (k - m * W * W), 1e-12 * l);
            dal_equilibrium_free(e);
            dal_spec_free(spec);
        }
}

/* r^3 W^2 = mu, and small motions have the rate W: hours, a month, a year. Without an end of the run, or with one of a second. */
static void orbits_are_circles_however_slow(void **unused)
{
    (void)unused;
    static const struct {
        double mu, r, W;
    } orbits[] = {{1, 1, 1.1}, {3.986e14, 7e6, 1e-3}, {3.986e14, 4.2e7, 7.27e-5}, {3.986e14, 3.8e8, 2.66e-6}, {1.327e20, 1.5e11, 1.99e-7}};
    for (int i = 0; i < 10; i++)
        for (int f = 0; f < 4; f += 2) {
            const double mu = orbits[i % 5].mu, W = orbits[i % 5].W;
            char text[600];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nbodies: {s: {mass: 100, position: [%g, 0], velocity: [0, %g]}}\n"
                     "forces: {e: {type: central-gravity, mu: %g}}\n%s",
                     orbits[i % 5].r, 1.02 * W * orbits[i % 5].r, mu, i < 5 ? "" : "simulate: {until: 1}\n");
            dal_spec *spec = parse_spec(text, families[f]);
            dal_equilibrium *e = steady_of(spec, 1, &(dal_steady){"atan2(s.y, s.x)", W});
            check_close(hypot(number_of(e, e->values, "s.x"), number_of(e, e->values, "s.y")) / cbrt(mu / (W * W)), 1, 1e-12);
            assert_int_equal(e->stability, DAL_NOT_DECIDED);
            assert_int_equal(e->n_modes, 1);
            assert_int_equal(e->n_zeros, 2);
            check_close(e->modes[0].im / W, 1, 1e-12);
            dal_equilibrium_free(e);
            dal_spec_free(spec);
        }
}

/* The same in coordinates of the model: a particle of 0.7 kg on a spring of 50 N/m and 0.4 m. */
static void own_coordinates_move_steadily(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ncoordinates: {r: {start: 0.4}, th: {start: 0.2}}\n"
                               "bodies: {bead: {mass: 0.7, inertia: 0.01, position: [r*cos(th), r*sin(th)], angle: th}}\n"
                               "forces: {s: {type: spring-damper, connect: [ground, bead], stiffness: 50, length: 0.4}}\n";
    dal_spec *spec = parse_spec(text, NULL);
    dal_equilibrium *e = steady_of(spec, 1, &(dal_steady){"th", 3});
    check_close(number_of(e, e->values, "r"), 50 * 0.4 / (50 - 0.7 * 9), 1e-12);
    check_close(number_of(e, e->rates, "bead.angle"), 3, 1e-12);
    dal_equilibrium_free(e);
    dal_spec_free(spec);
}

/* Blades under a car with its axles L apart: v = r L / tan d at the rear axle; the hub holds a wheel on the circle. */
static void car_with_blades_goes_round(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\nparameters: {L: 2.6, d: 0.1, u: 5}\nbodies:\n"
                               "  car: {mass: 1000, inertia: 1500, position: [1.3, 0], angle: 0, velocity: [u, 1.3*u*tan(d)/L], rate: u*tan(d)/L,\n"
                               "    points: {F: [1.3, 0], R: [-1.3, 0]}}\n"
                               "  wheel: {mass: 10, inertia: 0.5, position: [0, 0], velocity: [u, 0], rate: 3}\n"
                               "joints: {hub: {type: revolute, connect: [car.R, wheel]}}\nconstraints:\n"
                               "  rear: {velocity: \"car.R.y'*car.ex.x - car.R.x'*car.ex.y\"}\n"
                               "  front: {velocity: \"car.F.y'*(car.ex.x - tan(d)*car.ex.y) - car.F.x'*(car.ex.y + tan(d)*car.ex.x)\"}\n";
    const dal_steady given = {"car.angle", 0.25};
    const double radius = 2.6 / tan(0.1);
    for (int f = 0; f < 3; f++) {
        dal_spec *spec = parse_spec(text, families[f]);
        dal_equilibrium *e = steady_of(spec, 1, &given);
        check_close(number_of(e, e->values, "car.x"), 1.3, 1e-12);
        check_close(number_of(e, e->rates, "wheel.x"), 0.25 * radius, 1e-11 * 10);
        check_close(number_of(e, e->rates, "car.y"), 0.25 * 1.3, 1e-11);
        check_close(reaction_of(e, "hub")->force[1], 10 * 0.25 * 0.25 * radius, 1e-10);
        assert_int_equal(e->n_choices, 1); /* the wheel may spin as it likes */
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* A car on tyres whose side forces grow with the slip v_y/u: at rest they have no value. With L = a + b its forces balance where
 *     r (L + m u^2/L (b/Cf - a/Cr)) = u d,   w = b r - a m u^2 r/(L Cr),   5000 (v - u) + m w r = 0 */
static const char car_on_tyres[] =
    "dalembert: 1\nspace: planar\nparameters: {a: 1.2, b: 1.4, m: 1200, I: 1800, Cf: 8e4, Cr: 9e4, d: 0.03, v: 15}\nbodies:\n"
    "  car: {mass: m, inertia: I, position: [0, 0], velocity: [v, 0], points: {F: [a, 0], R: [-b, 0]}}\ndefine:\n"
    "  u: \"car.x'*cos(car.angle) + car.y'*sin(car.angle)\"\n  w: \"car.y'*cos(car.angle) - car.x'*sin(car.angle)\"\n"
    "forces:\n  f: {type: force, body: car.F, axes: body, value: [0, \"Cf*(d - (w + a*car.angle')/u)\"]}\n"
    "  r: {type: force, body: car.R, axes: body, value: [0, \"-Cr*(w - b*car.angle')/u\"]}\n"
    "  drive: {type: force, body: car, axes: body, value: [5000*(v - u), 0]}\n";

static double turning_of_car_on_tyres(double *u, double *w)
{
    double r = 0;
    *u = 15;
    for (int i = 0; i < 50; i++) {
        r = *u * 0.03 / (2.6 + 1200 * *u * *u / 2.6 * (1.4 / 8e4 - 1.2 / 9e4));
        *w = 1.4 * r - 1.2 * 1200 * *u * *u * r / (2.6 * 9e4);
        *u = 15 + 1200 * *w * r / 5000;
    }
    return r;
}

static void car_on_tyres_goes_round(void **unused)
{
    (void)unused;
    double u, w;
    const dal_steady given = {"car.angle", turning_of_car_on_tyres(&u, &w)};
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec(car_on_tyres, families[f]);
        dal_equilibrium *e = steady_of(spec, 1, &given);
        check_close(number_of(e, e->values, "car.angle"), 0, 1e-12);
        check_close(number_of(e, e->rates, "car.angle"), given.rate, 1e-7 * 0.15); /* 1e-7 of the forces may be left over */
        check_close(number_of(e, e->rates, "car.x"), u, 1e-7 * 15);
        check_close(number_of(e, e->rates, "car.y"), w, 1e-7 * 15);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* Hands-free turns of a bicycle begin at its capsize speed, 6.024262 m/s (Meijaard et al. 2007), and change with the square of the turning rate. The start
 * is at 5 m/s. */
static void bicycle_turns_at_its_capsize_speed(void **unused)
{
    (void)unused;
    static const dal_override value = {"dphi", "0"};
    static const double turns[] = {0.01, 0.1};
    for (int i = 0; i < 2; i++) {
        dal_spec *spec = NULL;
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/whipple-bicycle.yaml", 1, &value, NULL, &spec), DAL_OK);
        const dal_steady given = {"atan2(-frame.ex.y, frame.ex.x)", turns[i]};
        dal_equilibrium *e = steady_of(spec, 1, &given);
        check_close(0.3 * number_of(e, e->rates, "R.angle"), -6.024262, 2 * turns[i] * turns[i]);
        assert_int_equal(e->n_choices, 0);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* Where nothing holds the centre of a circle, a shift of it is seen from the turning frame with the rate of the turn. Other motions have this rate, too:
 * on a Kepler orbit, an ellipse of small eccentricity; a pair that flies freely has a second pair of these eigenvalues, without a shape of its own. */
static void shifts_of_a_circle_are_told_from_oscillations(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        double rate;
        int shifts, others; /* modes that oscillate */
    } cases[] = {
        {"dalembert: 1\nspace: planar\ndefine: {u: \"c.x'*cos(c.angle) + c.y'*sin(c.angle)\", w: \"c.y'*cos(c.angle) - c.x'*sin(c.angle)\"}\n"
         "bodies: {c: {mass: 1200, inertia: 1800, position: [0, 0], velocity: [15, 0], points: {F: [1.2, 0], R: [-1.4, 0]}}}\nforces:\n"
         "  f: {type: force, body: c.F, axes: body, value: [0, \"8e4*(-0.03 - (w + 1.2*c.angle')/u)\"]}\n"
         "  r: {type: force, body: c.R, axes: body, value: [0, \"-9e4*(w - 1.4*c.angle')/u\"]}\n"
         "  e: {type: force, body: c, axes: body, value: [5000*(15 - u), 0]}\n",
         0.148383579948, 1, 1},
        {"dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [1, 0], velocity: [0, 1]}}\nforces: {g: {type: central-gravity, mu: 1}}\n", 1,
         0, 1},
        {"dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, position: [1, 0], velocity: [0, 1]}, b: {mass: 2, position: [-0.5, 0], velocity: [0, "
         "-0.5]}}\n"
         "forces: {s: {type: spring-damper, connect: [a, b], stiffness: 3, length: 1.5 - 1/3}}\n",
         1, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int f = 0; f < 4; f++) {
            dal_spec *spec = parse_spec(cases[i].model, families[f]);
            dal_messages *messages = dal_messages_create(NULL);
            dal_modes *m = NULL;
            int shifts = 0, others = 0;
            assert_int_equal(dal_modes_find(NULL, spec, &(dal_linear_options){.at = "steady"}, messages, &m), DAL_OK);
            for (int k = 0; k < m->n_modes; k++) {
                if (m->modes[k].shifts_circle)
                    check_close(m->modes[k].im, cases[i].rate, 1e-10);
                shifts += m->modes[k].shifts_circle;
                others += !m->modes[k].shifts_circle && m->modes[k].im > 0;
            }
            assert_int_equal(shifts, cases[i].shifts);
            assert_int_equal(others, cases[i].others);
            dal_modes_free(m);
            dal_spec_free(spec);
            dal_messages_free(messages);
        }
}

/* A torque of 2 - 0.5 W about a hinge leaves one rate, 4; that the body turns about its own middle as well is no second one. */
static void torque_determines_the_rate(void **unused)
{
    (void)unused;
    for (int f = 0; f < 4; f++) {
        dal_spec *spec = parse_spec("dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, rate: 1}}\n"
                                    "joints: {s: {type: revolute, connect: [ground, b]}}\n"
                                    "forces: {m: {type: motor, joint: s, value: \"2 - 0.5*s.angle'\"}}\n",
                                    families[f]);
        dal_equilibrium *e = steady_of(spec, 1, &(dal_steady){"s.angle", 4});
        assert_int_equal(e->n_choices, 0);
        assert_int_equal(e->stability, DAL_STABLE);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* The same disc, given by the azimuth of its middle, which is near the axis: a rate of 10 at 0.25 mm is regular. */
static void azimuths_near_the_axis_are_rates(void **unused)
{
    (void)unused;
    static const double starts[] = {1e-5, 1e-4, 1e-3};
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < 3; i++) {
            char text[400];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nbodies: {disc: {mass: 2, inertia: 0.1, center: [1e-3, 0], position: [%g, 0], rate: 10}}\n"
                     "forces: {P: {type: spring-damper, connect: [ground, disc], stiffness: 1000, length: 0}}\n",
                     starts[i]);
            dal_spec *spec = parse_spec(text, families[f]);
            dal_equilibrium *e = steady_of(spec, 1, &(dal_steady){"atan2(disc.y, disc.x)", 10});
            check_close(hypot(number_of(e, e->values, "disc.x"), number_of(e, e->values, "disc.y")), 2.5e-4, 1e-10);
            dal_equilibrium_free(e);
            dal_spec_free(spec);
        }
}

/* Tops of m g l = 0.981 with A = 0.02 about the tip and C = 0.004 precess where C W w - A W^2 cos a = m g l. The start leans by 0.6 rad and spins at any
 * rate, with or without the precession: the spin is not given and changes, the top does not rise to where an azimuth means nothing. */
static void tops_keep_their_lean(void **unused)
{
    (void)unused;
    static const double spins[] = {60, 94, 95, 100}, rates[] = {3, 3.2};
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < 16; i++) {
            const double W = rates[i % 2], spin = spins[i / 2 % 4], c = cos(0.6);
            char text[900];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  top: {mass: 1, inertia: [0.01, 0.01, 0.004], points: {O: [0, "
                     "0, -0.1]},\n"
                     "    position: [%.17g, 0, %.17g], orientation: {axis: [0, 1, 0], angle: 0.6}, angular-velocity: {body: [%.17g, 0, %g]}}\n"
                     "joints: {O: {type: spherical, connect: [ground, top.O]}}\n",
                     0.1 * sin(0.6), 0.1 * c, i < 8 ? 0 : -W * sin(0.6), spin);
            dal_spec *spec = parse_spec(text, families[f]);
            dal_equilibrium *found = steady_of(spec, 1, &(dal_steady){"atan2(top.ez.y, top.ez.x)", W});
            check_close(number_of(found, found->values, "top.ez.z"), c, 1e-9);
            double w = 0;
            for (int k = 0; k < 3; k++) { /* e_y . e_x' */
                const char *ex[] = {"top.ex.x", "top.ex.y", "top.ex.z"}, *ey[] = {"top.ey.x", "top.ey.y", "top.ey.z"};
                w += number_of(found, found->values, ey[k]) * number_of(found, found->rates, ex[k]);
            }
            check_close(w, (0.981 + 0.02 * W * W * c) / (0.004 * W), 1e-7);
            dal_equilibrium_free(found);
            dal_spec_free(spec);
        }
}

/* A disc with its centre of mass e beside its middle, on a spring there: the middle goes round, x = e m W^2 / (k - m W^2). It does not turn freely about
 * its centre of mass, however small e is. Planar; a rotor on two springs. */
static void unbalanced_rotors_whirl(void **unused)
{
    (void)unused;
    static const double beside[] = {1e-6, 1e-5, 1e-3, 5e-3};
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < 8; i++) {
            const bool spatial = i >= 4;
            const double e = beside[i % 4], m = spatial ? 20 : 2, k = spatial ? 2e6 : 1000, W = spatial ? 100 : 10,
                         x = e * m * W * W / (k - m * W * W);
            char text[1200];
            if (spatial)
                snprintf(text, sizeof text,
                         "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  disc: {mass: 20, inertia: [0.8, 0.8, 0.5], center: "
                         "[%.17g, 0, 0],\n"
                         "    angular-velocity: {body: [0, 0, 100]}, points: {P: [0, 0, -0.3], Q: [0, 0, 0.3]}}\n"
                         "joints: {axial: {type: lock, body: disc, coordinate: z}}\nforces:\n"
                         "  P: {type: force, body: disc.P, value: [-1e6*disc.P.x, -1e6*disc.P.y, 0]}\n"
                         "  Q: {type: force, body: disc.Q, value: [-1e6*disc.Q.x, -1e6*disc.Q.y, 0]}\n",
                         e);
            else
                snprintf(text, sizeof text,
                         "dalembert: 1\nspace: planar\nbodies: {disc: {mass: 2, inertia: 0.1, center: [%.17g, 0], rate: 10}}\n"
                         "forces: {P: {type: spring-damper, connect: [ground, disc], stiffness: 1000, length: 0}}\n",
                         e);
            dal_spec *spec = parse_spec(text, families[f]);
            dal_equilibrium *found = steady_of(spec, 1, &(dal_steady){spatial ? "disc.omega.z" : "disc.angle", W});
            check_close(hypot(number_of(found, found->values, "disc.x"), number_of(found, found->values, "disc.y")), x, 1e-6 * x);
            check_close(hypot(number_of(found, found->rates, "disc.x"), number_of(found, found->rates, "disc.y")), W * x, 1e-6 * W * x);
            assert_int_equal(found->n_choices, 0); /* nothing is free */
            assert_int_equal(found->stability, DAL_NOT_DECIDED);
            dal_equilibrium_free(found);
            dal_spec_free(spec);
        }
}

static void expect(const char *text, int n, const dal_steady *given, const char *sentence)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = parse_spec(text, NULL);
    dal_equilibrium *e = NULL;
    bool said = false;
    const dal_status status = n ? dal_steady_find(NULL, spec, n, given, messages, &e) : dal_equilibrium_find(NULL, spec, messages, &e);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        said = said || strstr(m->text, sentence);
    if (!said || status == DAL_OK) {
        say_all(messages);
        fail_msg("nothing says '%s'", sentence);
    }
    dal_equilibrium_free(e);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

static void what_does_not_move_steadily_is_refused(void **unused)
{
    (void)unused;
    static const char pendulum[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                   "bodies: {bob: {mass: 1, inertia: 0.1, position: [1, 0], rate: 2, points: {A: [-1, 0]}}}\n"
                                   "joints: {A: {type: revolute, connect: [ground, bob.A]}}\n";
    static const char faller[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {b: {mass: 1, position: [0, 0], velocity: [1, 0]}}\n";
    static const char sleigh[] = /* v' = a w^2: it does not turn steadily, and stands on its edge for an instant */
        "dalembert: 1\nspace: planar\nbodies: {sleigh: {mass: 1.2, inertia: 0.15, position: [0.4, 0], rate: 1.5, velocity: [-0.7, 0.6]}}\n"
        "constraints: {blade: {velocity: \"-sin(sleigh.angle)*sleigh.x' + cos(sleigh.angle)*sleigh.y' - 0.4*sleigh.angle'\"}}\n";
    static const char own[] = "dalembert: 1\nspace: planar\ncoordinates: {x: {start: 0.4, rate: -0.7}, y: {rate: 0.6}, th: {rate: 1.5}}\n"
                              "bodies: {sleigh: {mass: 1.2, inertia: 0.15, position: [x, y], angle: th}}\n"
                              "constraints: {blade: {velocity: \"-sin(th)*x' + cos(th)*y' - 0.4*th'\"}}\n";
    static const char hanging[] = /* slower than sqrt(g/l): only straight down, where the azimuth means nothing */
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {b: {mass: 2, position: [0.6, 0, -0.8]}}\n"
        "joints: {top: {type: distance, connect: [ground, b], length: 1}}\n";
    static const char upright[] = "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {b: {mass: 2, inertia: [1, 1, 0.5], center: [0, 0, "
                                  "1], angular-velocity: [0, 0, 9]}}\n"
                                  "joints: {top: {type: spherical, connect: [ground, b]}}\n";
    static const char driven[] =
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, position: [0, 0]}, c: {mass: 1, inertia: 1, position: [0, 0]}}\n"
        "joints: {A: {type: revolute, connect: [ground, b], drive: 3*t}, B: {type: revolute, connect: [b, c]}}\n";
    static const char accelerated[] = /* from rest: only its acceleration says that it is a drive that moves */
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, position: [0, 0]}, c: {mass: 1, inertia: 1, position: [0, 0]}}\n"
        "joints: {A: {type: revolute, connect: [ground, b], drive: 3*t^2}, B: {type: revolute, connect: [b, c]}}\n";
    static const char faster[] =
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, position: [0, 0]}, c: {mass: 1, inertia: 1, position: [0, 0]}}\n"
        "joints: {A: {type: revolute, connect: [ground, b], drive: 2*t + 3*t^2}, B: {type: revolute, connect: [b, c]}}\n";
    static const char faster_rate[] =
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, position: [0, 0]}, c: {mass: 1, inertia: 1, position: [0, 0]}}\n"
        "joints: {A: {type: revolute, connect: [ground, b], drive-rate: 2 + 6*t}, B: {type: revolute, connect: [b, c]}}\n";
    static const char lying[] = /* its weight turns with it */
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  r: {mass: 1, inertia: [0.1, 0.1, 0.2], center: [0.01, 0, 0], orientation: {axis: [1, 0, 0], angle: 90*deg}}\n"
        "joints: {A: {type: revolute, connect: [ground, r], axis: [0, 1, 0]}}\n";
    static const char turned[] = "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, rate: 1}}\n"
                                 "joints: {s: {type: revolute, connect: [ground, b]}}\n"
                                 "forces: {m: {type: motor, joint: s, value: \"2 - 0.5*s.angle'\"}}\n";
    static const char free_turn[] = "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, rate: 1}}\n"
                                    "joints: {s: {type: revolute, connect: [ground, b]}}\n";
    const dal_steady twice[] = {{"s.angle", 2}, {"s.angle", 3}}, both[] = {{"s.angle", 2}, {"b.angle", 3}}, same[] = {{"s.angle", 2}, {"s.angle", 2}};
    expect(turned, 1, &(dal_steady){"s.angle", 3}, "if the rate of 's.angle' is left open, one is found in which it is 4");
    expect(driven, 1, &(dal_steady){"A.angle", 2}, "a drive or a constraint prescribes the rate of 'A.angle', 3, not 2");
    expect(accelerated, 1, &(dal_steady){"B.angle", 0}, "constraint 'A drive' accelerates at t = 0");
    expect(faster, 1, &(dal_steady){"B.angle", 0}, "constraint 'A drive' accelerates at t = 0");
    expect(faster_rate, 1, &(dal_steady){"B.angle", 0}, "constraint 'A drive' accelerates at t = 0");
    expect(lying, 1, &(dal_steady){"A.angle", 50}, "forces or rates are left over, first on 'r about y'");
    expect(free_turn, 2, twice, "the rate of 's.angle' is given twice: 2 and 3");
    expect(free_turn, 2, both, "if the rate of 's.angle' is left open, one is found in which it is 3");
    expect(car_on_tyres, 1, &(dal_steady){"car.angle", 0.15}, "if the rate of 'car.angle' is left open, one is found in which it is 0.1483835799");
    dal_spec *spec = parse_spec(free_turn, NULL);
    dal_equilibrium_free(steady_of(spec, 2, same));
    dal_spec_free(spec);
    expect(pendulum, 1, &(dal_steady){"A.angle", 2}, "there is no steady motion near the start");
    expect(sleigh, 1, &(dal_steady){"sleigh.angle", 0.1}, "do not allow the motion that was found for more than an instant");
    expect(own, 1, &(dal_steady){"th", 0.1}, "do not allow the motion that was found for more than an instant");
    expect(hanging, 1, &(dal_steady){"atan2(b.y, b.x)", 2}, "there is no steady motion near the start");
    expect(upright, 1, &(dal_steady){"atan2(b.ez.y, b.ez.x)", 3}, "has no rate at the start, as an azimuth on its axis");
    expect(pendulum, 1, &(dal_steady){"A.angles", 2}, "has no channel 'angles'");
    expect(pendulum, 1, &(dal_steady){"t", 1}, "'t' does not change as the model moves");
    expect(faller, 0, NULL, "a steady motion is found with --steady");
    expect(driven, 0, NULL, "a steady motion is found with --steady");
}

/* In other units of length, mass and time: an azimuth that ends on its axis, and a torque that leaves one rate to a body of large inertia. */
static void units_change_no_refusal(void **unused)
{
    (void)unused;
    static const double scales[][3] = {{1e-9, 1, 1}, {1e6, 1, 1}, {1e9, 1, 1}, {1, 1e9, 1}, {1, 1, 1e-9}, {1, 1, 1e9}, {1e9, 1e-9, 1e-9}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        const double L = scales[i][0], M = scales[i][1], T = scales[i][2];
        char text[800];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\ngravity: [0, 0, %.17g]\nbodies: {b: {mass: %.17g, position: [%.17g, 0, %.17g]}}\n"
                 "joints: {top: {type: distance, connect: [ground, b], length: %.17g}}\nsimulate: {until: %.17g}\n",
                 -9.81 * L / (T * T), 2 * M, 0.6 * L, -0.8 * L, L, T);
        expect(text, 1, &(dal_steady){"atan2(b.y, b.x)", 2 / T}, "there is no steady motion near the start");
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nbodies: {b: {mass: %.17g, inertia: %.17g, rate: %.17g, points: {a: [%.17g, 0]}}}\n"
                 "joints: {s: {type: revolute, connect: [ground, b]}}\n"
                 "forces: {m: {type: motor, joint: s, value: \"%.17g - %.17g*s.angle'\"}}\nsimulate: {until: %.17g}\n",
                 M, 100 * M * L * L, 1 / T, L, 2 * M * L * L / (T * T), 0.5 * M * L * L / T, T);
        expect(text, 1, &(dal_steady){"s.angle", 3 / T}, "if the rate of 's.angle' is left open, one is found in which it is");
    }
}

/* A controller with a state w of any unit U: w' = U (1 - W/2) leaves one rate, W = 2, where w = U/3. */
static void units_of_states_change_no_rate(void **unused)
{
    (void)unused;
    static const double units[] = {1, 1e-12, 1e-6, 1e12}, starts[] = {0, 0.1};
    for (int i = 0; i < 8; i++) {
        const double U = units[i / 2];
        char text[600];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nstates: {w: {start: %.17g, rate: \"%.17g - %.17g*s.angle'\"}}\n"
                 "bodies: {b: {mass: 1, inertia: 1, rate: 2}}\njoints: {s: {type: revolute, connect: [ground, b]}}\n"
                 "forces: {m: {type: motor, joint: s, value: \"%.17g*w - 0.5*s.angle'\"}}\nsimulate: {until: 1}\n",
                 starts[i % 2] * U, U, U / 2, 3 / U);
        expect(text, 1, &(dal_steady){"s.angle", 3}, "if the rate of 's.angle' is left open, one is found in which it is 2");
        dal_spec *spec = parse_spec(text, NULL);
        dal_equilibrium *e = steady_of(spec, 1, &(dal_steady){"s.angle", 2});
        assert_int_equal(e->stability, DAL_STABLE);
        dal_equilibrium_free(e);
        dal_spec_free(spec);
    }
}

/* A double pendulum of two bars: four equilibria, of which one is stable. */
static void starts_find_what_the_seed_says(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {O: [0, 0]}}\nbodies:\n"
                               "  a: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {P: [-0.5, 0]}}\n"
                               "joints: {A: {type: revolute, connect: [ground.O, a.P]}}\n"
                               "forces: {s: {type: motor, joint: A, value: -12*sin(2*A.angle)}}\n";
    dal_equilibria *all = NULL, *again = NULL;
    dal_spec *spec = parse_spec(text, NULL);
    /* potential 0.5 * 9.81 sin a - 6 cos 2a: level where cos a = 0 or sin a = -0.5 * 9.81/24; stable ones are at the latter */
    const double low = -asin(0.5 * 9.81 / 24);
    assert_int_equal(dal_equilibria_find(NULL, spec, 40, 7, NULL, &all), DAL_OK);
    assert_int_equal(dal_equilibria_find(NULL, spec, 40, 7, NULL, &again), DAL_OK);
    assert_int_equal(all->n, 2);
    assert_int_equal(again->n, all->n);
    for (int i = 0; i < all->n; i++) {
        check_close(sin(number_of(all->list[i], all->list[i]->values, "A.angle")), sin(low), 1e-12);
        assert_int_equal(all->list[i]->stability, DAL_STABLE);
        check_close(number_of(all->list[i], all->list[i]->values, "A.angle"), number_of(again->list[i], again->list[i]->values, "A.angle"), 0);
        assert_int_equal(all->times[i], again->times[i]);
    }
    assert_int_equal(all->times[0] + all->times[1] + all->failed, 40);
    dal_equilibria_free(all);
    dal_equilibria_free(again);
    dal_spec_free(spec);
}

/* A disc on a table stands everywhere: what is found are points of one family. */
static void starts_of_an_indifferent_model_are_one_family(void **unused)
{
    (void)unused;
    static char text[20000];
    dal_equilibria *all = NULL;
    dal_spec *spec = parse_spec("dalembert: 1\nspace: planar\nbodies: {disc: {mass: 1, inertia: 0.1}}\n", NULL);
    assert_int_equal(dal_equilibria_find(NULL, spec, 4, 7, NULL, &all), DAL_OK);
    assert_int_equal(all->n, 4);
    assert_true(dal_equilibria_text(all, 6, text, sizeof text) < (int)sizeof text);
    assert_non_null(strstr(text, "each is a point of a family of equilibria"));
    dal_equilibria_free(all);
    dal_spec_free(spec);
}

/* Friction that sticks holds more positions; the one that needs none is found, and the joint is named. */
static void sticking_friction_makes_a_set(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: {bob: {mass: 1, inertia: 0.1, position: [0.6, -0.8], points: {A: [-0.6, 0.8]}}}\n"
                               "joints: {A: {type: revolute, connect: [ground, bob.A], friction: {coefficient: 0.2, radius: 0.05}}}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = parse_spec(text, NULL);
    dal_equilibrium *e = NULL;
    if (dal_equilibrium_find(NULL, spec, messages, &e) != DAL_OK)
        say_all(messages);
    assert_non_null(e);
    assert_int_equal(e->n_frictions, 1);
    assert_string_equal(e->frictions[0], "A");
    check_close(number_of(e, e->values, "bob.x"), 0, 1e-12);
    check_close(number_of(e, e->values, "bob.y"), -1, 1e-12);
    char line[4000];
    assert_true(dal_equilibrium_text(e, 6, line, sizeof line) < (int)sizeof line);
    assert_non_null(strstr(line, "the positions around it are equilibria as well: A"));
    dal_equilibrium_free(e);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* ---- under every formulation -------------------------------------------------------------------- */

typedef struct closed_form {
    const char *channel;
    bool rate;
    double value;
} closed_form;

typedef struct driven_model {
    const char *text;
    dal_steady given[2];
    int n_given, n_forms;
    closed_form forms[3];
    void (*check)(const dal_equilibrium *motion); /* more, or NULL */
} driven_model;

/* In every family and under every formulation that can be compiled. Returns the number of motions that were found. */
static int check_formulations(const driven_model *m)
{
    int found = 0;
    for (int f = 0; f < 4; f++)
        for (int j = 0; dal_formulations[j]; j++) {
            dal_spec *spec = parse_spec(m->text, families[f]);
            dal_system *system = NULL;
            assert_true(dal_spec_set(spec, "formulation", dal_formulations[j]->name, NULL));
            if (dal_compile(NULL, spec, NULL, &system) == DAL_OK) {
                dal_equilibrium *e = steady_of(spec, m->n_given, m->given);
                for (int i = 0; i < m->n_forms; i++)
                    check_close(number_of(e, m->forms[i].rate ? e->rates : e->values, m->forms[i].channel), m->forms[i].value,
                                1e-10 * fmax(1, fabs(m->forms[i].value)));
                if (m->check)
                    m->check(e);
                dal_equilibrium_free(e);
                found++;
            }
            dal_system_free(system);
            dal_spec_free(spec);
        }
    return found;
}

/* A bead on a driven arm: x = k free/(k - m W^2). */
static void driven_bead_moves_out_under_every_formulation(void **unused)
{
    (void)unused;
    static const driven_model bead = {
        "dalembert: 1\nspace: planar\nbodies: {arm: {mass: 5, inertia: 1}, bead: {mass: 1, inertia: 0.1, position: [1, 0]}}\njoints:\n"
        "  axle: {type: revolute, connect: [ground, arm], drive: 3*t}\n  slot: {type: prismatic, connect: [arm, bead], axis: [1, 0]}\n"
        "forces: {k: {type: spring-damper, joint: slot, stiffness: 100, free: 0.5}}\n",
        {{"axle.angle", 3}},
        1,
        2,
        {{"slot.distance", false, 50.0 / 91}, {"axle.angle", true, 3}},
        NULL};
    assert_true(check_formulations(&bead) >= 30);
}

static void driven_governor_lifts_its_arms_under_every_formulation(void **unused)
{
    (void)unused;
    char text[1500];
    snprintf(text, sizeof text, governor, "", ", drive: 6*t");
    const driven_model model = {text, {{"spin.angle", 6}}, 1, 2, {{"left.z", false, -9.81 / 36}, {"right.z", false, -9.81 / 36}}, NULL};
    assert_true(check_formulations(&model) >= 30);
}

/* A cart that a belt carries at 1 m/s, and a bob behind it on a rod of 0.9 m: tan a = drag/(m g) = 0.5/(0.7 * 9.81). */
static void bob_trails_a_cart_on_a_belt_under_every_formulation(void **unused)
{
    (void)unused;
    const double a = atan(0.5 / (0.7 * 9.81));
    const driven_model belt = {
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  cart: {mass: 2, inertia: 1, position: [0, 0], velocity: [1, 0]}\n"
        "  bob: {mass: 0.7, position: [0, -0.9]}\njoints:\n  rail: {type: prismatic, connect: [ground, cart], axis: [1, 0]}\n"
        "  rod: {type: distance, connect: [cart, bob], length: 0.9}\nconstraints: {belt: {velocity: \"cart.x' - 1\"}}\n"
        "forces: {drag: {type: force, body: bob, value: [\"-0.5*bob.x'\", 0]}}\n",
        {{"cart.x", 1}},
        1,
        2,
        {{"bob.y", false, -0.9 * cos(a)}, {"bob.x", true, 1}},
        NULL};
    assert_true(check_formulations(&belt) >= 30);
}

/* A car on two skates, the front one turned by d: it goes round a point on the line of its rear axle, (a + b)/tan d away. */
static void car_on_skates_goes_round_under_every_formulation(void **unused)
{
    (void)unused;
    const double W = 0.25, radius = 2.5 / tan(0.2);
    const driven_model skates = {
        "dalembert: 1\nspace: planar\nparameters: {d: 0.2, a: 1.2, b: 1.3}\nbodies:\n"
        "  car: {mass: 1000, inertia: 1500, position: [0, 0], angle: 0, velocity: [5, 0], points: {F: [a, 0], R: [-b, 0]}}\njoints:\n"
        "  front: {type: skate, connect: [ground, car.F], axis: [cos(d), sin(d)]}\n  rear: {type: skate, connect: [ground, car.R], axis: [1, 0]}\n",
        {{"car.angle", W}},
        1,
        2,
        {{"car.x", true, W * radius}, {"car.y", true, W * 1.3}},
        NULL};
    assert_true(check_formulations(&skates) >= 30);
}

/* A thin disc of radius r that rolls in a circle. With the angle a of its axis above the horizontal, its precession W and its spin w about the axis,
 *     3/2 r w W cos a - 1/4 r W^2 sin a cos a + g sin a = 0 */
static void check_disc(const dal_equilibrium *e)
{
    const double s = number_of(e, e->values, "disc.ez.z"), c = sqrt(1 - s * s), W = -0.4;
    check_close(1.5 * 0.3 * 10 * W * c - 0.25 * 0.3 * W * W * s * c + 9.81 * s, 0, 1e-10 * 9.81);
}

static void disc_rolls_in_a_circle_under_every_formulation(void **unused)
{
    (void)unused;
    static const driven_model disc = {
        "dalembert: 1\nspace: spatial\nparameters: {r: 0.3, m: 2, lean: 80*deg, w: 10}\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  disc: {mass: m, inertia: [m*r^2/4, m*r^2/4, m*r^2/2], position: [0, 0, r*sin(lean)],\n"
        "    orientation: {axis: [1, 0, 0], angle: lean}, angular-velocity: {body: [0, 0, w]}}\njoints:\n"
        "  table: {type: rolling-disc, connect: [ground, disc], normal: [0, 0, 1], axis: [0, 0, 1], radius: r}\n",
        {{"atan2(disc.ez.y, disc.ez.x)", -0.4}, {"disc.omega.body.z", 10}},
        2,
        0,
        {{NULL, false, 0}},
        check_disc};
    assert_true(check_formulations(&disc) >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_precesses_and_nutates_as_the_reference_says),
        cmocka_unit_test(governor_lifts_its_arms),
        cmocka_unit_test(spherical_pendulums_turn_steadily),
        cmocka_unit_test(slow_motions_are_found),
        cmocka_unit_test(orbits_are_circles_however_slow),
        cmocka_unit_test(own_coordinates_move_steadily),
        cmocka_unit_test(car_with_blades_goes_round),
        cmocka_unit_test(azimuths_near_the_axis_are_rates),
        cmocka_unit_test(tops_keep_their_lean),
        cmocka_unit_test(unbalanced_rotors_whirl),
        cmocka_unit_test(car_on_tyres_goes_round),
        cmocka_unit_test(shifts_of_a_circle_are_told_from_oscillations),
        cmocka_unit_test(torque_determines_the_rate),
        cmocka_unit_test(bicycle_turns_at_its_capsize_speed),
        cmocka_unit_test(driven_bead_moves_out_under_every_formulation),
        cmocka_unit_test(driven_governor_lifts_its_arms_under_every_formulation),
        cmocka_unit_test(bob_trails_a_cart_on_a_belt_under_every_formulation),
        cmocka_unit_test(car_on_skates_goes_round_under_every_formulation),
        cmocka_unit_test(disc_rolls_in_a_circle_under_every_formulation),
        cmocka_unit_test(what_does_not_move_steadily_is_refused),
        cmocka_unit_test(units_change_no_refusal),
        cmocka_unit_test(units_of_states_change_no_rate),
        cmocka_unit_test(starts_find_what_the_seed_says),
        cmocka_unit_test(starts_of_an_indifferent_model_are_one_family),
        cmocka_unit_test(sticking_friction_makes_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
