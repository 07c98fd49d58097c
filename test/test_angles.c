/* With which angle a joint starts: the principal value of the turn between its frames, whole turns only where they are written; in every
 * family of coordinates, for whatever measures an angle. */
#include "text_runs.h"

#include <stdlib.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;
static const double deg = 3.14159265358979323846 / 180;
static const double exact = 1e-13; /* a few hundred roundings of values of order one */

static const char *const families[] = {"angle", "euler", "natural", "joint", NULL};

/* In (-pi, pi]. */
static double principal(double angle)
{
    double rest = remainder(angle, 2 * pi);
    return rest <= -pi + 1e-9 ? rest + 2 * pi : rest;
}

/* The first row of a model in this family; its columns behind the time. */
static void start_in(const char *family, const char *text, int n, double *value)
{
    char settings[80];
    snprintf(settings, sizeof settings, "until=1e-3%s%s", family ? " coordinates=" : "", family ? family : "");
    trajectory run = run_text_well(text, settings);
    assert_int_equal(run.n, n + 1);
    for (int k = 0; k < n; k++)
        value[k] = at(&run, 0, k + 1);
    free(run.value);
}

/* A body at `turn` whose point has its x axis at `own`, on a point of the ground with its x axis at `first`; J connects them. */
static void pin_text(char *text, size_t size, double first, double turn, double own, const char *joint, const char *rest)
{
    snprintf(text, size,
             "dalembert: 1\nspace: planar\n"
             "ground: {points: {P: {at: [0, 0], x: [cos(%.17g), sin(%.17g)]}}}\n"
             "bodies: {b: {mass: 1, inertia: 2, position: [0, 0], angle: %.17g, rate: 0, points: {P: {at: [0, 0], x: [cos(%.17g), sin(%.17g)]}}}}\n"
             "%s%s",
             first, first, turn, own, own, joint, rest);
}

static const struct {
    double first, turn, own; /* degrees: on the ground, of the body, in the body */
} corners[] = {
    {170, -100, 270}, {170, 260, 270}, {0, 200, 160},    {0, -200, -160}, {-170, 170, 20}, {90, 45, 45},
    {179, 181, -2},   {0, 170, 170},   {-120, 150, 130}, {0, 90, 90},     {30, 720, 30},
};
enum { CORNERS = sizeof corners / sizeof *corners };

/* A spring of stiffness 3 turns 2 kg m2 back by 3 angle / 2. */
static void an_angle_between_frames_begins_within_half_a_turn(void **unused)
{
    static const struct {
        const char *joint, *rest;
    } kinds[] = {
        {"joints: {J: {type: revolute, connect: [ground.P, b.P]}}\nforces: {s: {type: torsional-spring-damper, joint: J, stiffness: 3}}\n",
         "record: [J.angle, s.torque, b.alpha]\n"},
        {"joints: {J: {type: pin-in-slot, connect: [ground.P, b.P]}}\nforces: {s: {type: spring-damper, joint: J, coordinate: angle, stiffness: "
         "3}}\n",
         "record: [J.angle, s.force, b.alpha]\n"},
        {"joint-types: {pin: {equations: [N - M], coordinates: {turn: angle}}}\n"
         "joints: {J: {type: pin, connect: [ground.P, b.P]}}\nforces: {s: {type: spring-damper, joint: J, stiffness: 3}}\n",
         "record: [J.turn, s.force, b.alpha]\n"},
    };
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < CORNERS; i++)
            for (int f = 0; families[f]; f++) {
                const double first = corners[i].first * deg, turn = corners[i].turn * deg, own = corners[i].own * deg;
                double value[3];
                char text[1000];
                pin_text(text, sizeof text, first, turn, own, kinds[k].joint, kinds[k].rest);
                start_in(families[f], text, 3, value);
                /* frames that lie alike in ground and body measure the angle of the body, as it is written */
                const bool alike = corners[i].first == corners[i].own;
                const double angle = alike ? turn : principal(turn + own - first);
                check_close(value[0], angle, exact);
                check_close(value[1], -3 * angle, 10 * exact);
                check_close(value[2], -1.5 * angle, 10 * exact);
            }
}

/* A bushing measures the turn between two points, without a joint. */
static void a_bushing_between_frames_that_coincide_pulls_nothing(void **unused)
{
    (void)unused;
    for (int f = 0; families[f]; f++) {
        double value[3];
        char text[1000];
        pin_text(text, sizeof text, 170 * deg, -100 * deg, 270 * deg,
                 "forces: {s: {type: bushing, connect: [ground.P, b.P], stiffness: [1, 1, 3]}}\n", "record: [b.alpha, b.x'', b.y'']\n");
        start_in(families[f], text, 3, value);
        for (int k = 0; k < 3; k++)
            check_small(value[k], exact);
    }
}

/* The stop would push with 100 (2 pi - 1). */
static void an_end_stop_does_not_push_where_frames_coincide(void **unused)
{
    (void)unused;
    for (int f = 0; families[f]; f++) {
        double value[2];
        char text[1000];
        pin_text(text, sizeof text, 170 * deg, -100 * deg, 270 * deg,
                 "joints: {J: {type: revolute, connect: [ground.P, b.P]}}\n"
                 "forces: {s: {type: end-stop, joint: J, lower: -1, upper: 1, stiffness: 100}}\n",
                 "record: [s.torque, b.alpha]\n");
        start_in(families[f], text, 2, value);
        check_small(value[0], 0);
        check_small(value[1], 0);
    }
}

/* The plane in space: the hinge of the same frames has the same angle. */
static void a_pin_begins_as_the_hinge_in_space_does(void **unused)
{
    (void)unused;
    for (int i = 0; i < CORNERS; i++) {
        const double first = corners[i].first * deg, turn = corners[i].turn * deg, own = corners[i].own * deg;
        double pin, hinge;
        char text[1000];
        if (corners[i].first == corners[i].own)
            continue;
        pin_text(text, sizeof text, first, turn, own, "joints: {J: {type: revolute, connect: [ground.P, b.P]}}\n", "record: [J.angle]\n");
        start_in("angle", text, 1, &pin);
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\n"
                 "ground: {points: {P: {at: [0, 0, 0], x: [cos(%.17g), sin(%.17g), 0], z: [0, 0, 1]}}}\n"
                 "bodies: {b: {mass: 1, inertia: [2, 2, 2], position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: %.17g},"
                 " points: {P: {at: [0, 0, 0], x: [cos(%.17g), sin(%.17g), 0], z: [0, 0, 1]}}}}\n"
                 "joints: {J: {type: revolute, connect: [ground.P, b.P]}}\nrecord: [J.angle]\n",
                 first, first, turn, own, own);
        start_in("euler", text, 1, &hinge);
        check_close(pin, hinge, exact);
    }
}

/* Coordinates of the model's own: the body's angle is an expression, its frame turned in it. */
static void an_angle_begins_alike_in_coordinates_of_the_models_own(void **unused)
{
    (void)unused;
    for (int i = 0; i < CORNERS; i++) {
        const double first = corners[i].first * deg, turn = corners[i].turn * deg, own = corners[i].own * deg;
        double value[2];
        char text[1000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ncoordinates: {a: {start: %.17g, rate: 0}}\n"
                 "ground: {points: {P: {at: [0, 0], x: [cos(%.17g), sin(%.17g)]}}}\n"
                 "bodies: {b: {mass: 1, inertia: 2, position: [0, 0], angle: a, points: {P: {at: [0, 0], x: [cos(%.17g), sin(%.17g)]}}}}\n"
                 "joints: {J: {type: revolute, connect: [ground.P, b.P]}}\n"
                 "forces: {s: {type: torsional-spring-damper, joint: J, stiffness: 3}}\nrecord: [J.angle, a'']\n",
                 turn, first, first, own, own);
        start_in(NULL, text, 2, value);
        const double angle = corners[i].first == corners[i].own ? turn : principal(turn + own - first);
        check_close(value[0], angle, exact);
        check_close(value[1], -1.5 * angle, 10 * exact);
    }
}

/* The angle of a body is one number in y and in its channel, also where assembly turned it all the way round: a four-bar whose coupler
 * and rocker are given anywhere, or not at all, in either branch. */
static void the_angle_of_a_body_is_one_number(void **unused)
{
    static const char *const given[] = {"", "angle: 170*deg,", "angle: -175*deg,", "angle: 700*deg,"}, *const branches[] = {
                                                                                                           "", ", start: {branch: other}"};
    (void)unused;
    for (int i = 0; i < 32; i++) {
        char text[1500], label[80];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\nground: {points: {D: [1.2, 0]}}\nbodies:\n  crank: {mass: 1, inertia: 0.01, points: {A: [0, 0], B: "
                 "[0.3, 0]}}\n"
                 "  coupler: {mass: 1, inertia: 0.1, %s points: {B: [0, 0], C: [1, 0]}}\n  rocker: {mass: 1, inertia: 0.1, %s points: {D: [0, 0], C: "
                 "[0.8, 0]}}\njoints:\n"
                 "  A: {type: revolute, connect: [ground, crank.A], start: {angle: 800*deg, rate: 0, fix: true}}\n  B: {type: revolute, connect: "
                 "[crank.B, coupler.B]}\n"
                 "  C: {type: revolute, connect: [coupler.C, rocker.C]%s}\n  D: {type: revolute, connect: [ground.D, rocker.D]}\n"
                 "record: [%s]\nsimulate: {until: 1e-3, coordinates: angle}\n",
                 given[i % 4], given[i / 4 % 4], branches[i / 16], i % 3 ? "crank.angle, coupler.angle, rocker.angle" : "A.angle, D.angle");
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
        if (dal_compile(NULL, spec, messages, &system) != DAL_OK)
            fail_msg("%s\n%s", dal_messages_first(messages)->text, text);
        dal_state *state = dal_state_create(NULL, system);
        trajectory run = run_text_well(text, "");
        for (int k = 0; dal_coordinate_label(system, k, label, sizeof label); k++)
            for (int c = 1; c < run.n; c++)
                if (!strcmp(run.name[c], label) || (!strcmp(run.name[c], "D.angle") && !strcmp(label, "rocker.angle")) ||
                    (!strcmp(run.name[c], "A.angle") && !strcmp(label, "crank.angle")))
                    check_close(dal_state_y(state)[k], at(&run, 0, c), 1e-12);
        free(run.value);
        dal_state_free(state);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

/* ---- written turns ------------------------------------------------------------------------ */

/* Without axes on its points a pin measures the angles of its bodies: against the ground as they are written, between two bodies within
 * half a turn unless they are written more than a turn apart. */
static void a_pin_without_axes_counts_the_turns_of_its_bodies(void **unused)
{
    static const struct {
        double first, second, angle; /* of the bodies; of the pin between them */
    } pairs[] = {{170, -170, 20}, {-170, 170, -20}, {190, 170, -20}, {10, 20, 10},
                 {260, -90, 10},  {20, 800, 780},   {0, -725, -725}, {45, 45 + 350, -10}};
    (void)unused;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int f = 0; families[f]; f++) {
            double value[4];
            char text[1000];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nbodies:\n"
                     "  a: {mass: 1, inertia: 1, position: [0, 0], angle: %.17g, rate: 0}\n  b: {mass: 1, inertia: 1, position: [0, 0], angle: "
                     "%.17g, rate: 0}\n"
                     "joints: {A: {type: revolute, connect: [ground, a]}, B: {type: revolute, connect: [a, b]}}\nrecord: [a.angle, b.angle, A.angle, "
                     "B.angle]\n",
                     pairs[i].first * deg, pairs[i].second * deg);
            start_in(families[f], text, 4, value);
            check_close(value[0], pairs[i].first * deg, 10 * exact);
            check_close(value[1], pairs[i].second * deg, 10 * exact);
            check_close(value[2], pairs[i].first * deg, 10 * exact);
            check_close(value[3], pairs[i].angle * deg, 10 * exact);
        }
}

/* What the joint itself says stays: a start of three turns, a drive of 7 rad, with axes that wrap. */
static void turns_that_a_joint_writes_stay(void **unused)
{
    static const struct {
        const char *joint;
        bool placed;
        double angle, turn; /* turn: angle - zero */
    } kinds[] = {
        {"{type: revolute, connect: [ground.P, b.P], start: {angle: 20, rate: 0}}", true, 20, 20},
        {"{type: revolute, connect: [ground.P, b.P], start: {angle: 0, rate: 0}}", true, 0, 0},
        {"{type: revolute, connect: [ground.P, b.P], start: {angle: -6.5, rate: 0}, zero: 1.5}", true, -6.5, -8},
        {"{type: revolute, connect: [ground.P, b.P], drive: 7 + 0.1*t}", false, 7, 7},
        {"{type: revolute, connect: [ground.P, b.P], drive: -12 + 0.1*t, zero: 3}", false, -12, -15},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int f = 0; families[f]; f++) {
            double value[2];
            char text[1000];
            snprintf(text, sizeof text,
                     "dalembert: 1\nspace: planar\nground: {points: {P: {at: [0, 0], x: [cos(170*deg), sin(170*deg)]}}}\n"
                     "bodies: {b: {mass: 1, inertia: 2, %s points: {P: {at: [0, 0], x: [cos(270*deg), sin(270*deg)]}}}}\njoints:\n  J: %s\nrecord: "
                     "[J.angle, b.angle]\n",
                     kinds[i].placed ? "" : "position: [0, 0], angle: -80*deg,", kinds[i].joint);
            start_in(families[f], text, 2, value);
            check_close(value[0], kinds[i].angle, 10 * exact);
            if (kinds[i].placed) /* 170 - 270 degrees between the frames, and the turn of the joint */
                check_close(value[1], kinds[i].turn - 100 * deg, 10 * exact);
        }
}

/* `zero:` is added to the turn between the frames, behind the choice of its whole turns. */
static void a_zero_is_added_to_the_turn_between_the_frames(void **unused)
{
    (void)unused;
    for (int f = 0; families[f]; f++) {
        double value[2];
        char text[1000];
        pin_text(text, sizeof text, 170 * deg, -100 * deg, 275 * deg,
                 "joints: {J: {type: revolute, connect: [ground.P, b.P], zero: 200*deg}}\n"
                 "forces: {s: {type: torsional-spring-damper, joint: J, stiffness: 2, free: 200*deg}}\n",
                 "record: [J.angle, b.alpha]\n");
        start_in(families[f], text, 2, value);
        check_close(value[0], 205 * deg, 10 * exact);
        check_close(value[1], -5 * deg, 10 * exact);
    }
}

/* A coupling keeps the constant that it has at the start, whatever the turns: nothing moves at first. */
static void a_gear_between_pins_with_axes_starts_at_rest(void **unused)
{
    (void)unused;
    for (int f = 0; families[f]; f++) {
        double value[3];
        start_in(
            families[f],
            "dalembert: 1\nspace: planar\n"
            "ground: {points: {P: {at: [0, 0], x: [cos(170*deg), sin(170*deg)]}, Q: {at: [1, 0], x: [cos(-140*deg), sin(-140*deg)]}}}\nbodies:\n"
            "  b: {mass: 1, inertia: 1, position: [0, 0], angle: -100*deg, rate: 0, points: {P: {at: [0, 0], x: [cos(270*deg), sin(270*deg)]}}}\n"
            "  c: {mass: 1, inertia: 2, position: [1, 0], angle: 110*deg, rate: 0, points: {P: {at: [0, 0], x: [cos(120*deg), sin(120*deg)]}}}\n"
            "joints:\n  J: {type: revolute, connect: [ground.P, b.P]}\n  K: {type: revolute, connect: [ground.Q, c.P]}\n"
            "  G: {type: gear, joints: [J, K], ratio: -2}\nforces: {s: {type: torsional-spring-damper, joint: K, stiffness: 3}}\n"
            "record: [J.angle, K.angle, c.alpha]\n",
            3, value);
        check_small(value[0], exact);
        check_close(value[1], 10 * deg, exact);
        check_close(value[2], -3 * 10 * deg / (2 + 0.25), 10 * exact); /* 2 c'' - lambda, and b'' = c''/-2: (2 + 1/4) c'' */
    }
}

/* Assembly turns b from 174 to 184 degrees in its pin: that is -176, with a gear on it and without. */
static void an_angle_that_assembly_turns_over_half_a_turn_begins_within_it(void **unused)
{
    (void)unused;
    for (int f = 0; families[f]; f++)
        for (int geared = 0; geared < 2; geared++) {
            double value[4];
            char text[1500];
            snprintf(
                text, sizeof text,
                "dalembert: 1\nspace: planar\nground: {points: {P: {at: [0, 0], x: [cos(1*deg), sin(1*deg)]}, Q: [3, 0]}}\nbodies:\n"
                "  b: {mass: 1, inertia: 1, position: [0, 0], angle: 175*deg, points: {P: {at: [0, 0], x: [1, 0]}, W: {at: [1, 0], x: [0, 1]}}}\n"
                "  c: {mass: 1, inertia: 1, angle: {value: 185*deg, fix: true}, rate: 0, points: {W: {at: [0, 0], x: [0, 1]}}}\n"
                "  d: {mass: 1, inertia: 2, position: [3, 0], angle: 0}\njoints:\n  J: {type: revolute, connect: [ground.P, b.P]}\n"
                "  W: {type: rigid, connect: [b.W, c.W]}\n  K: {type: revolute, connect: [ground.Q, d]}\n%s"
                "record: [J.angle, K.angle, b.angle, c.angle]\n",
                geared ? "  G: {type: gear, joints: [J, K], ratio: -2}\n" : "");
            start_in(families[f], text, 4, value);
            check_close(value[0], -176 * deg, 1e-9);
            check_close(value[1], geared ? -20 * deg : 0, 1e-9); /* turned along by the gear, and no turn more */
            check_close(value[2], 185 * deg, 1e-9);
            check_close(value[3], 185 * deg, 1e-9);
        }
}

/* Inside a part that stands anywhere the pin has the angle that it has alone; a mount at 170 degrees. */
static void a_pin_in_an_included_model_begins_as_alone(void **unused)
{
    static const double angles[] = {170, 260, -100, 573};
    char folder[] = "/tmp/angles-XXXXXX", part[64], whole[64];
    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/part.yaml", folder);
    snprintf(whole, sizeof whole, "%s/whole.yaml", folder);
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++)
        for (int moving = 0; moving < 2; moving++) {
            FILE *file = fopen(part, "w");
            fprintf(file,
                    "dalembert: 1\nspace: planar\nground: {points: {P: {at: [0, 0], x: [cos(170*deg), sin(170*deg)]}}}\nbodies:\n"
                    "  b: {mass: 1, inertia: 1, position: [0, 0], angle: %.17g*deg, rate: 0, points: {P: {at: [0, 0], x: [cos(270*deg), "
                    "sin(270*deg)]}}}\n"
                    "joints: {J: {type: revolute, connect: [ground.P, b.P]}, K: {type: revolute, connect: [ground, b], compliance: [0, 0]}}\n",
                    angles[i]);
            fclose(file);
            file = fopen(whole, "w");
            fprintf(file,
                    "dalembert: 1\nspace: planar\nbodies: {host: {mass: 1, inertia: 1, position: [1, 0], angle: 150*deg, velocity: [0, 0], rate: 0,"
                    " points: {M: {at: [0, 0], x: [cos(170*deg), sin(170*deg)]}}}}\nground: {points: {M: {at: [2, 0], x: [cos(170*deg), "
                    "sin(170*deg)]}}}\n"
                    "models: {p: {file: ./part.yaml, ground: %s}}\nrecord: [p.J.angle, p.K.angle]\nsimulate: {until: 1e-3}\n",
                    moving ? "host.M" : "ground.M");
            fclose(file);
            dal_messages *messages = dal_messages_create(NULL);
            dal_spec *spec = NULL;
            trajectory run = {.status = dal_spec_read(NULL, whole, 0, NULL, messages, &spec)};
            run = run_spec(run, spec, messages);
            if (run.status != DAL_OK)
                fail_msg("%s", run.message);
            check_close(at(&run, 0, 1), principal((angles[i] + 270 - 170) * deg), 10 * exact);
            check_close(at(&run, 0, 2), angles[i] * deg, 10 * exact);
            free(run.value);
        }
    remove(part);
    remove(whole);
    rmdir(folder);
}

/* A nut that its drive puts turns away from where it is placed: it gets there on its thread, in assembly as in motion. The drive's start is what a turn
 * about the axis does to nothing else: no warning. */
static void a_screw_is_put_turns_away_by_its_drive(void **unused)
{
    (void)unused;
    static const double shifts[] = {0.001, 0.0024, 0.003, -0.0075, 0.035, -0.1, 1};
    for (int i = 0; i < 7; i++)
        for (int f = 1; families[f]; f++) {
            char text[900], settings[80];
            snprintf(
                text, sizeof text,
                "dalembert: 1\nspace: spatial\nbodies: {nut: {mass: 1, inertia: [0.1, 0.1, 0.1], points: {P: [0.2, 0, 0]}}}\n"
                "joints: {S: {type: screw, connect: [ground, nut], axis: [0, 0, 1], pitch: 0.005, coordinate: distance, drive: %.17g + 0.01*t}}\n"
                "simulate: {until: 1, every: 1}\nrecord: [S.angle, S.distance, nut.P.x, nut.P.y]\n",
                shifts[i]);
            snprintf(settings, sizeof settings, "coordinates=%s", families[f]);
            trajectory run = run_text_well(text, settings);
            const double turn = 2 * pi / 0.005 * shifts[i];
            check_close(at(&run, 0, 1), principal(turn), 1e-9);
            check_close(at(&run, 0, 2), shifts[i], 1e-12);
            check_close(last(&run, 1) - at(&run, 0, 1), 4 * pi, 1e-7);
            check_close(last(&run, 3), 0.2 * cos(turn), 1e-8);
            check_close(last(&run, 4), 0.2 * sin(turn), 1e-8);
            assert_int_equal(run.evidence.n_warnings, 0);
            free(run.value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_angle_between_frames_begins_within_half_a_turn),
        cmocka_unit_test(a_bushing_between_frames_that_coincide_pulls_nothing),
        cmocka_unit_test(an_end_stop_does_not_push_where_frames_coincide),
        cmocka_unit_test(a_pin_begins_as_the_hinge_in_space_does),
        cmocka_unit_test(an_angle_begins_alike_in_coordinates_of_the_models_own),
        cmocka_unit_test(the_angle_of_a_body_is_one_number),
        cmocka_unit_test(a_pin_without_axes_counts_the_turns_of_its_bodies),
        cmocka_unit_test(turns_that_a_joint_writes_stay),
        cmocka_unit_test(a_screw_is_put_turns_away_by_its_drive),
        cmocka_unit_test(a_zero_is_added_to_the_turn_between_the_frames),
        cmocka_unit_test(a_gear_between_pins_with_axes_starts_at_rest),
        cmocka_unit_test(an_angle_that_assembly_turns_over_half_a_turn_begins_within_it),
        cmocka_unit_test(a_pin_in_an_included_model_begins_as_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
