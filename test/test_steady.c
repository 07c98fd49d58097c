/* Steady motions and equilibria from many starts: against references of 30 digits and closed forms, in every family. */
#include "check.h"
#include "dalembert/dalembert.h"
#include "json.h"

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
    static const char driven[] =
        "dalembert: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1, position: [0, 0]}, c: {mass: 1, inertia: 1, position: [0, 0]}}\n"
        "joints: {A: {type: revolute, connect: [ground, b], drive: 3*t}, B: {type: revolute, connect: [b, c]}}\n";
    expect(pendulum, 1, &(dal_steady){"A.angle", 2}, "there is no steady motion near the start");
    expect(pendulum, 1, &(dal_steady){"A.angles", 2}, "has no channel 'angles'");
    expect(faller, 0, NULL, "a steady motion is found with --steady");
    expect(driven, 0, NULL, "a steady motion is found with --steady");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_precesses_and_nutates_as_the_reference_says),
        cmocka_unit_test(governor_lifts_its_arms),
        cmocka_unit_test(spherical_pendulums_turn_steadily),
        cmocka_unit_test(slow_motions_are_found),
        cmocka_unit_test(car_with_blades_goes_round),
        cmocka_unit_test(what_does_not_move_steadily_is_refused),
        cmocka_unit_test(starts_find_what_the_seed_says),
        cmocka_unit_test(starts_of_an_indifferent_model_are_one_family),
        cmocka_unit_test(sticking_friction_makes_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
