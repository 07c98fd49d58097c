/* The block computed-torque: the joints of a robot have the accelerations that are wanted, in every family, whatever else acts on them; errors die
 * away as their equation says; what it cannot know is refused or warned of. */
#include "text_runs.h"

#include <stdlib.h>

/* Revolute and prismatic joints with oblique axes, one of them by axes of points, branches, a weld, a geared rotor, springs and forces. */
static const char robot[] =
    "dalembert: 1\nspace: spatial\ngravity: [0.4, -0.3, -9.81]\n"
    "parameters: {m: 1.7, kp: 11}\n"
    "ground: {points: {O: [0.1, -0.2, 0.3]}}\n"
    "bodies:\n"
    "  base: {mass: 3, inertia: [0.1, 0.12, 0.09], position: [0.1, -0.2, 0.3], points: {A: [0.05, 0.02, 0.2]}}\n"
    "  upper: {mass: m, center: [0.15, 0.02, -0.01], inertia: [0.02, 0.05, 0.04, 0.003, -0.002, 0.001], points: {A: [-0.1, 0, 0.02], B: [0.3, 0.01, "
    "0],\n"
    "    S: {at: [0.1, 0.05, 0], z: [0.2, 1, 0.3], x: [1, 0, 0.1]}}}\n"
    "  fore: {mass: m/2, center: [0.1, 0, 0.03], inertia: [0.01, 0.02, 0.02, 0, 0.001, 0]}\n"
    "  tool: {mass: 0.3, inertia: [0.002, 0.003, 0.004], points: {P: [0, 0.02, 0.05], T: [0.1, 0, 0]}}\n"
    "  slide: {mass: 0.6, center: [0.02, 0.01, 0], inertia: [0.004, 0.003, 0.002], points: {S: {at: [0.01, 0, 0.02], z: [0, 1, 0.4], x: [1, 0.2, "
    "0]}}}\n"
    "joints:\n"
    "  foot: {type: rigid, connect: [ground.O, base]}\n"
    "  A: {type: revolute, connect: [base.A, upper.A], axis: [0.2, 0.3, 1], start: {angle: 0.3, rate: 0.4}, armature: {inertia: 1e-4, ratio: 40}}\n"
    "  B: {type: revolute, connect: [upper.B, fore], axis: [[0.1, 1, 0], [0, 1, 0.2]], start: {angle: -0.5, rate: 0.7}}\n"
    "  weld: {type: rigid, connect: [fore, tool.P]}\n"
    "  S: {type: prismatic, connect: [upper.S, slide.S], start: {distance: 0.1, rate: -0.3}}\n"
    "forces:\n"
    "  spring: {type: torsional-spring-damper, joint: B, stiffness: 3, damping: 0.2, free: 0.4}\n"
    "  damper: {type: spring-damper, joint: S, damping: 5}\n"
    "  push: {type: force, body: tool.T, value: [\"sin(t)\", 2, \"0.5*fore.x\"]}\n"
    "  jet: {type: force, body: slide.S, axes: body, value: [1, 0, 2]}\n"
    "  twist: {type: torque, body: fore, value: [0.1, -0.2, 0.3]}\n"
    "blocks:\n"
    "  c: {type: computed-torque, joints: [S, A, B],\n"
    "      acceleration: [\"sin(3*t) - S.distance' - 4*S.distance\", \"0.8*cos(2*t) - kp*A.angle\", \"B.angle*A.angle' - 2*B.angle'\"]}\n"
    "simulate: {until: 0.6, every: 0.1}\n"
    "record: [\"S.distance''\", c.wanted.1, \"A.angle''\", c.wanted.2, \"B.angle''\", c.wanted.3, c.2, c.motor.2.torque, A.shaft.angle, A.angle]\n";

static const char planar_robot[] =
    "dalembert: 1\nspace: planar\ngravity: [1.2, -9.81]\n"
    "bodies:\n"
    "  cart: {mass: 3, inertia: 0.2, points: {P: [0.1, 0.2]}}\n"
    "  arm: {mass: 1.3, center: [0.2, 0.03], inertia: 0.06, points: {A: [-0.1, 0], B: [0.5, 0.02]}}\n"
    "  boom: {mass: 0.7, center: [0.1, -0.02], inertia: 0.02, points: {T: [0.2, 0.1]}}\n"
    "joints:\n"
    "  X: {type: prismatic, connect: [ground, cart], axis: [1, 0.2], start: {distance: 0.3, rate: 0.4}}\n"
    "  A: {type: revolute, connect: [cart.P, arm.A], start: {angle: 0.6, rate: -0.8}}\n"
    "  S: {type: prismatic, connect: [arm.B, boom], axis: [0.3, 1], start: {distance: 0.2, rate: 0.5}}\n"
    "forces:\n"
    "  drag: {type: spring-damper, joint: X, damping: 2, stiffness: 30, free: 0.1}\n"
    "  wind: {type: force, body: boom.T, axes: body, value: [2, \"-arm.y'\"]}\n"
    "  turn: {type: torque, body: arm, value: 0.4*t}\n"
    "blocks: {c: {type: computed-torque, joints: [X, A, S], acceleration: [\"1 - X.distance\", \"sin(t) - A.angle'\", \"0.3 - 2*S.distance\"]}}\n"
    "simulate: {until: 0.6, every: 0.1}\n"
    "record: [\"X.distance''\", c.wanted.1, \"A.angle''\", c.wanted.2, \"S.distance''\", c.wanted.3]\n";

/* Mass, centre and inertia follow from shapes: by densities, by a mass, and of a part without mass. */
static const char shaped_robot[] =
    "dalembert: 1\nspace: spatial\ngravity: [0.4, -0.3, -9.81]\nparameters: {rho: 2700, a: 0.3}\n"
    "bodies:\n"
    "  upper: {density: rho, shape: [{box: [a, 0.05, 0.04], at: [0.12, 0.02, 0.01], orientation: {axis: [1, 2, 1], angle: 0.3}}, {sphere: 0.04, at: "
    "[a, "
    "0, 0], density: 800}], points: {B: [0.3, 0.01, 0], S: {at: [0.1, 0.05, 0], z: [0.2, 1, 0.3], x: [1, 0, 0.1]}}}\n"
    "  fore: {mass: 0.8, shape: {capsule: [0.02, 0.2], axis: [1, 0.1, 0], at: [0.1, 0, 0.02]}}\n"
    "  slide: {mass: 0.6, center: [0.02, 0.01, 0], inertia: [0.004, 0.003, 0.002], points: {S: {at: [0.01, 0, 0.02], z: [0, 1, 0.4], x: [1, 0.2, "
    "0]}}}\n"
    "joints:\n"
    "  A: {type: revolute, connect: [ground, upper], axis: [0.2, 0.3, 1], start: {angle: 0.3, rate: 0.4}}\n"
    "  B: {type: revolute, connect: [upper.B, fore], axis: [[0.1, 1, 0], [0, 1, 0.2]], start: {angle: -0.5, rate: 0.7}}\n"
    "  S: {type: prismatic, connect: [upper.S, slide.S], start: {distance: 0.1, rate: -0.3}}\n"
    "blocks:\n"
    "  c: {type: computed-torque, joints: [S, A, B],\n"
    "      acceleration: [\"sin(3*t) - S.distance' - 4*S.distance\", \"0.8*cos(2*t) - 11*A.angle\", \"B.angle*A.angle' - 2*B.angle'\"]}\n"
    "simulate: {until: 0.6, every: 0.1}\n"
    "record: [\"S.distance''\", c.wanted.1, \"A.angle''\", c.wanted.2, \"B.angle''\", c.wanted.3, c.2, c.motor.2.torque]\n";

static const char planar_shapes[] =
    "dalembert: 1\nspace: planar\ngravity: [1.2, -9.81]\n"
    "bodies:\n"
    "  arm: {density: 7850, shape: [{box: [0.5, 0.04, 0.02], at: [0.2, 0.03], angle: 0.2}, {cylinder: [0.03, 0.05], at: [0.4, 0, 0]}], points: {A: "
    "[-0.1, "
    "0], B: [0.5, 0.02]}}\n"
    "  boom: {mass: 0.7, shape: {type: plate, outline: [[0, 0], [0.3, 0], [0, 0.1]], thickness: 0.01}}\n"
    "joints:\n"
    "  A: {type: revolute, connect: [ground, arm.A], start: {angle: 0.6, rate: -0.8}}\n"
    "  S: {type: prismatic, connect: [arm.B, boom], axis: [0.3, 1], start: {distance: 0.2, rate: 0.5}}\n"
    "blocks: {c: {type: computed-torque, joints: [A, S], acceleration: [\"sin(t) - A.angle'\", \"0.3 - 2*S.distance\"]}}\n"
    "simulate: {until: 0.6, every: 0.1}\n"
    "record: [\"A.angle''\", c.wanted.1, \"S.distance''\", c.wanted.2]\n";

static void masses_may_come_from_shapes(void **unused)
{
    static const char *const ways[] = {"coordinates=joint formulation=recursive", "coordinates=angle", "coordinates=natural"};
    (void)unused;
    for (int k = 0; k < 6; k++) {
        trajectory r = run_text_well(k < 3 ? shaped_robot : planar_shapes, ways[k % 3]);
        assert_true(r.rows == 7);
        for (int i = 0; i < r.rows; i++) {
            for (int c = 1; c < (k < 3 ? 7 : 5); c += 2)
                check_close(at(&r, i, c), at(&r, i, c + 1), 1e-8 * (1 + fabs(at(&r, i, c + 1))));
            if (k < 3)
                check_close(at(&r, i, 7), at(&r, i, 8), 0);
        }
        free(r.value);
    }
}

/* The channels are the numbers that a box has, and follow its parameters. */
static void mass_centre_and_inertia_are_channels(void **unused)
{
    static const char text[] =
        "dalembert: 1\nspace: spatial\nparameters: {rho: 500, a: 0.2}\n"
        "bodies: {box: {density: rho, shape: {box: [a, 0.3, 0.4], at: [0.1, -0.2, a], orientation: {axis: [0, 0, 1], angle: 0.5}}}}\n"
        "record: [box.inertial.mass, box.inertial.center, box.inertial.xx, box.inertial.yy, box.inertial.zz, box.inertial.xy, box.inertial.xz, "
        "\"box.inertial.mass'\"]\nsimulate: {until: 0.1, every: 0.1}\n";
    const double m = 500 * 0.2 * 0.3 * 0.4, x = m * (0.09 + 0.16) / 12, y = m * (0.04 + 0.16) / 12, z = m * (0.04 + 0.09) / 12, c = cos(0.5),
                 s = sin(0.5);
    const double want[] = {m, 0.1, -0.2, 0.2, c * c * x + s * s * y, s * s * x + c * c * y, z, c * s * (x - y), 0, 0};
    trajectory r = run_text_well(text, "");
    (void)unused;
    for (int k = 0; k < 10; k++)
        check_close(at(&r, 0, 1 + k), want[k], 1e-13);
    free(r.value);
}

static void joints_have_the_wanted_accelerations(void **unused)
{
    static const char *const ways[] = {"coordinates=joint formulation=recursive", "coordinates=joint formulation=kane", "coordinates=angle",
                                       "coordinates=natural", "coordinates=euler"};
    (void)unused;
    for (int k = 0; k < 9; k++) {
        const bool flat = k > 4;
        trajectory r = run_text_well(flat ? planar_robot : robot, k == 8 ? "coordinates=natural formulation=udwadia-kalaba" : ways[k % 5]);
        assert_true(r.rows == 7);
        for (int i = 0; i < r.rows; i++) {
            for (int c = 1; c < 7; c += 2)
                if (!(fabs(at(&r, i, c) - at(&r, i, c + 1)) <= 1e-8 * (1 + fabs(at(&r, i, c + 1)))))
                    fail_msg("%s, row %d, %s: %.12g, wanted %.12g", ways[k % 5], i, r.name[c], at(&r, i, c), at(&r, i, c + 1));
            if (!flat) {
                check_close(at(&r, i, 7), at(&r, i, 8), 0); /* the motor gives what the block computes */
                check_close(at(&r, i, 9) - at(&r, 0, 9), 40 * (at(&r, i, 10) - at(&r, 0, 10)), 1e-7);
            }
        }
        free(r.value);
    }
}

/* e'' + 2 z w e' + w^2 e = 0: e = exp(-z w t) (e0 cos(wd t) + (e0' + z w e0)/wd sin(wd t)) */
static void the_error_dies_away_as_its_equation_says(void **unused)
{
    const double w = 9, z = 0.6, wd = w * sqrt(1 - z * z);
    char text[sizeof robot + 400];
    (void)unused;
    snprintf(text, sizeof text,
             "%.*sblocks:\n  c: {type: computed-torque, joints: [A, S, B], reference: [0.4*t, \"0.2*sin(t)\", 0.3], frequency: 9, damping: 0.6}\n"
             "simulate: {until: 0.6, every: 0.1, rtol: 1e-11, atol: 1e-13, coordinates: joint}\n"
             "record: [c.reference.1 - A.angle, c.reference.2 - S.distance, c.reference.3 - B.angle]\n",
             (int)(strstr(robot, "blocks:") - robot), robot);
    trajectory r = run_text_well(text, "");
    const double e0[3] = {-0.3, -0.1, 0.8}, e1[3] = {0, 0.5, -0.7};
    for (int i = 0; i < r.rows; i++)
        for (int k = 0; k < 3; k++) {
            const double t = at(&r, i, 0);
            check_close(at(&r, i, 1 + k), exp(-z * w * t) * (e0[k] * cos(wd * t) + (e1[k] + z * w * e0[k]) / wd * sin(wd * t)), 1e-9);
        }
    free(r.value);
}

#define HEAD                                                                                                                                         \
    "dalembert: 1\nspace: planar\nground: {points: {Q: [1, 0]}}\nbodies:\n  a: {mass: 1, inertia: 1, points: {P: [1, 0]}}\n  b: {mass: 1, inertia: " \
    "1, points: {P: [1, 0]}}\n"                                                                                                                      \
    "joints:\n  A: {type: revolute, connect: [ground, a]}\n  B: {type: revolute, connect: [a.P, b]}\n"

static void what_it_cannot_know_is_refused_by_name(void **unused)
{
    (void)unused;
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A, B], acceleration: [0, \"A.angle''\"]}\n", 0, 0,
                 "an algebraic loop: 'c.1' of block 'c' depends on");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A], acceleration: [0]}\n", 9, 3,
                 "joint 'B' connects 'a' of the robot with something");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [B], acceleration: [0]}\n", 11, 39, "the accelerations there are not given");
    refused_with(HEAD
                 "  C: {type: revolute, connect: [b.P, ground.Q]}\nblocks:\n  c: {type: computed-torque, joints: [A, B], acceleration: [0, 0]}\n",
                 10, 3, "joint 'C' connects 'b' of the robot");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A, B], acceleration: [0]}\n", 11, 60,
                 "one entry for each of its 2 joints; 1 given");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A, B]}\n", 11, 3, "either 'acceleration' or 'reference'");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A, B], reference: [0, 0]}\n", 11, 3, "needs the 'frequency'");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A, X], acceleration: [0, 0]}\n", 11, 42, "there is no joint 'X'");
    refused_with(HEAD
                 "constraints: {k: {position: A.angle + B.angle}}\nblocks:\n  c: {type: computed-torque, joints: [A, B], acceleration: [0, 0]}\n",
                 10, 15, "the constraint 'k' holds");
    refused_with(HEAD "blocks:\n  c: {type: computed-torque, joints: [A, B], acceleration: [0, 0], limit: [1]}\n", 11, 75, "largest effort of each");
}

/* A stop has no text that a controller could know: the model runs, with a warning. */
static void forces_that_it_does_not_know_are_named(void **unused)
{
    static const char text[] = HEAD "forces:\n  stop: {type: end-stop, joint: A, stiffness: 10, upper: 0.1}\n"
                                    "  band: {type: spring-damper, connect: [ground.Q, b.P], stiffness: 2, length: 1}\n"
                                    "blocks:\n  c: {type: computed-torque, joints: [A, B], acceleration: [1, 0]}\n";
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    int n = 0;
    (void)unused;
    assert_int_equal(dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
        n += m->severity == DAL_WARNING && strstr(m->text, "does not know the force") && !strcmp(m->code, "not-compensated");
    assert_int_equal(n, 2);
    dal_spec_free(spec);
    dal_messages_free(messages);
}

/* With limits the motors give what they can. */
static void limits_cut_the_efforts_off(void **unused)
{
    trajectory r = run_text_well(
        HEAD "gravity: [0, -9.81]\nblocks:\n  c: {type: computed-torque, joints: [A, B], reference: [1, 1], frequency: 5, limit: [12, 3]}\n"
             "simulate: {until: 0.5, every: 0.01}\nrecord: [c.1, c.motor.1.torque, c.2, c.motor.2.torque]\n",
        "");
    bool cut = false;
    (void)unused;
    for (int i = 0; i < r.rows; i++)
        for (int k = 0; k < 2; k++) {
            const double want = at(&r, i, 1 + 2 * k), most = k ? 3 : 12;
            check_close(at(&r, i, 2 + 2 * k), fmax(-most, fmin(most, want)), 1e-12);
            cut |= fabs(want) > most;
        }
    assert_true(cut);
    free(r.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_have_the_wanted_accelerations),
        cmocka_unit_test(masses_may_come_from_shapes),
        cmocka_unit_test(mass_centre_and_inertia_are_channels),
        cmocka_unit_test(the_error_dies_away_as_its_equation_says),
        cmocka_unit_test(what_it_cannot_know_is_refused_by_name),
        cmocka_unit_test(forces_that_it_does_not_know_are_named),
        cmocka_unit_test(limits_cut_the_efforts_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
