/* Mirrored parts: a model and its mirror image move as mirror images, whatever they are made of; a mirrored body is the one written by hand. */
#include "place.h"
#include "text_runs.h"

#include "joint/joint.h"

#include <stdlib.h>

static void put_file(place *here, const char *name, const char *text)
{
    FILE *f = fopen(path_of(here, name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static trajectory run_file(place *here, const char *name)
{
    trajectory result = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    result.status = dal_spec_read(NULL, path_of(here, name), 0, NULL, messages, &spec);
    result = run_spec(result, spec, messages);
    if (result.status != DAL_OK)
        fail_msg("%s: %s", name, result.message);
    return result;
}

/* Joints of every kind with oblique axes, attitudes of every kind, laws in components, on a crooked ground frame. */
static const char machine[] =
    "dalembert: 1\nspace: spatial\n"
    "parameters: {k: 31}\n"
    "ground: {points: {O: [0.1, 0.2, 0.3], Q: {at: [0.5, -0.2, 0.1], z: [0.3, 0.2, 1], x: [1, 0.4, -0.2]}}}\n"
    "define:\n"
    "  tilt: \"asin(arm.ey.z) + 0.3*arm.ez.x*arm.ex.y\"\n"
    "  swing: \"dot(arm.omega, cross(arm.P.velocity, arm.ex)) + arm.omega.body.y - 0.2*fore.omega.z\"\n"
    "  place: 0.7*arm.x + arm.P.y*fore.position.z - 0.1*arm.x'\n"
    "bodies:\n"
    "  arm: {mass: 1.3, center: [0.21, 0.02, -0.03], inertia: [0.03, 0.05, 0.06, 0.003, -0.002, 0.004], points: {P: [0.4, 0.03, 0.05]}}\n"
    "  fore: {mass: 0.8, inertia: {xx: 0.01, yy: 0.02, zz: 0.02, xy: 0.001}, points: {P: [-0.2, 0.01, 0], Q: [0.2, 0, 0.03]}}\n"
    "  hand: {mass: 0.3, shape: [{box: [0.1, 0.06, 0.03], at: [0.01, 0.02, 0], orientation: {rpy: [0.2, 0.1, -0.3]}}, {type: capsule, radius: "
    "0.01, length: 0.1, axis: [0.1, 0.2, 1]}]}\n"
    "  slide: {mass: 0.5, inertia: [0.02, 0.022, 0.03, 0.001, 0.002, 0.003], points: {A: {at: [0.02, 0.1, 0], z: [0.1, 1, 0.2], x: [1, 0, 0.1]}}}\n"
    "  nut: {mass: 0.4, inertia: [0.002, 0.003, 0.002], center: [0.01, 0.02, 0.03]}\n"
    "  tube: {mass: 0.2, inertia: [0.002, 0.003, 0.002], center: [0.01, 0.02, 0.03]}\n"
    "  free: {mass: 0.6, inertia: [0.02, 0.03, 0.025, 0.001, 0, 0.002], position: [0.9, 0.8, 0.7], orientation: {euler-zxy: [0.3, -0.4, 0.5]},\n"
    "         velocity: {body: [0.1, 0.2, 0.3]}, angular-velocity: [0.5, -0.6, 0.7]}\n"
    "  turned: {mass: 0.6, inertia: [0.02, 0.03, 0.025], position: [0.1, -0.8, 0.7], orientation: {axis: [1, 2, 3], angle: 0.6}, velocity: [0.3, "
    "0.1, -0.2]}\n"
    "  named: {mass: 0.6, inertia: [0.02, 0.03, 0.025], position: [0.6, -0.8, 0.7], orientation: {z: [0.1, 0.2, 1], x: [1, 0.3, 0]}, "
    "angular-velocity: {body: [1, 2, 3]}}\n"
    "  spun: {mass: 0.6, inertia: [0.02, 0.03, 0.025], position: [0.6, 0.8, -0.7], orientation: {quaternion: {w: 0.8, x: 0.3, y: -0.4, z: 0.2}}}\n"
    "  link: {mass: 0.2, inertia: [0.011, 0.012, 0.02, 0, 0.001, 0], between: [turned, named]}\n"
    "joints:\n"
    "  A: {type: revolute, connect: [ground.O, arm], axis: [0.3, 0.8, 0.4], start: {angle: 0.4, rate: 0.7}, zero: 0.1}\n"
    "  B: {type: universal, connect: [arm.P, fore.P], axis: [[0.2, 1, 0], [0, 0.1, 1]]}\n"
    "  C: {type: spherical, connect: [fore.Q, hand]}\n"
    "  S: {type: prismatic, connect: [ground.Q, slide.A], start: {distance: 0.2, rate: 0.3}}\n"
    "  N: {type: screw, connect: [ground.O, nut], axis: [0.1, 0.9, 0.2], pitch: 0.2, start: {angle: 0.2, rate: 1.5}}\n"
    "  T: {type: cylindrical, connect: [slide, tube], axis: [0.5, 0.2, 0.7]}\n"
    "  Z: {type: prismatic, connect: [ground, spun], axis: [0.2, 0.1, 0.5]}\n"
    "  gear: {type: gear, joints: [A, N], ratio: -0.3}\n"
    "  rack: {type: rack-and-pinion, joints: [A, S], radius: 0.2}\n"
    "forces:\n"
    "  spring: {type: torsional-spring-damper, joint: A, stiffness: 3, damping: 0.1, free: 0.2}\n"
    "  rod: {type: spring-damper, connect: [ground.Q, hand], stiffness: k, damping: 0.4, length: 0.5}\n"
    "  stop: {type: end-stop, joint: T, coordinate: distance, stiffness: 200, lower: -0.05, upper: 0.02, restitution: 0.5}\n"
    "  wind: {type: force, body: fore.Q, value: [\"0.3 + fore.x\", \"-2*fore.velocity.y + sin(3*t)\", \"0.5*arm.ey.x\"]}\n"
    "  jet: {type: force, body: free, axes: body, value: [1, 2*free.omega.body.y, 3]}\n"
    "  twist: {type: torque, body: free, axes: body, value: [0.1, 0.2, -0.3*t]}\n"
    "  couple: {type: torque, connect: [turned, spun], value: [\"0.2*turned.y\", 0.1, 0.3]}\n"
    "  push: {type: motor, joint: T, coordinate: distance, value: \"2 - T.distance\", limit: [-0.4, 1.9]}\n"
    "  mount: {type: bushing, connect: [named, link], stiffness: [50, 60, 70, 2, 3, 4], damping: [1, 1, 1, 0.1, 0.1, 0.1]}\n"
    "  tie: {type: spring-damper, connect: [turned, link], stiffness: 20, length: 0.2}\n"
    "states: {e: {start: 0.1, rate: place - e}}\n"
    "simulate: {until: 1}\n";

/* left at its place, right as its mirror image in the world's plane: the same numbers but for their signs. */
static void compare_halves(const trajectory *r, int axis, int first, int behind)
{
    double moved = 0;
    for (int i = 0; i < r->rows; i++) {
        for (int b = first; b < behind; b++)
            for (int k = 0; k < 6; k++) {
                const int column = 1 + 12 * (b - first) + k;
                const bool odd = k < 3 ? k == axis : k - 3 != axis;
                const double a = at(r, i, column), c = at(r, i, column + 6);
                moved = fmax(moved, fabs(a - at(r, 0, column)));
                if (!(fabs(a - (odd ? -c : c)) <= 1e-8 * (1 + fabs(a))))
                    fail_msg("mirror %c, row %d, %s: %.12g and %.12g", 'x' + axis, i, r->name[column], a, c);
            }
        for (int k = 1 + 12 * (behind - first); k < r->n; k += 2)
            if (!(fabs(at(r, i, k) - at(r, i, k + 1)) <= 1e-8 * (1 + fabs(at(r, i, k)))))
                fail_msg("mirror %c, row %d, %s: %.12g and %.12g", 'x' + axis, i, r->name[k], at(r, i, k), at(r, i, k + 1));
    }
    assert_true(moved > 0.1);
}

/* left at its place, right as its mirror image in the world's plane: the same numbers but for their signs. */
static void a_model_and_its_mirror_image_move_as_mirror_images(void **state)
{
    static const char *const bodies[] = {"arm", "fore", "hand", "slide", "nut", "tube", "free", "turned", "named", "spun", "link"};
    static const double frame[3] = {0.3, -0.4, 0.2}, g[3] = {1.1, -2.3, -7.9};
    enum { BODIES = sizeof bodies / sizeof *bodies };
    char text[6000];
    put_file(*state, "machine.yaml", machine);
    for (int half = 0; half < 6; half++) { /* as many columns as a trajectory holds */
        const int axis = half / 2, first = half % 2 ? 6 : 0, behind = half % 2 ? BODIES : 6;
        double other[3], gravity[3];
        for (int i = 0; i < 3; i++) {
            other[i] = i == axis ? -frame[i] : frame[i];
            gravity[i] = i == axis ? 0 : g[i];
        }
        int n = snprintf(text, sizeof text,
                         "dalembert: 1\nspace: spatial\ngravity: [%g, %g, %g]\nground: {points: {L: [%g, %g, %g], R: [%g, %g, %g]}}\n"
                         "models: {left: {file: machine.yaml, ground: ground.L}, right: {file: machine.yaml, ground: ground.R, mirror: %c}}\n"
                         "simulate: {until: 0.5, every: 0.05, rtol: 1e-10, atol: 1e-12}\nrecord: [",
                         gravity[0], gravity[1], gravity[2], frame[0], frame[1], frame[2], other[0], other[1], other[2], 'x' + axis);
        for (int b = first; b < behind; b++)
            n += snprintf(text + n, sizeof text - (size_t)n, "left.%s.position, left.%s.omega, right.%s.position, right.%s.omega, ", bodies[b],
                          bodies[b], bodies[b], bodies[b]);
        snprintf(text + n, sizeof text - (size_t)n, "left.tilt, right.tilt, left.swing, right.swing, left.e, right.e]\n");
        put_file(*state, "both.yaml", text);
        trajectory r = run_file(*state, "both.yaml");
        assert_true(r.rows == 11);
        compare_halves(&r, axis, first, behind);
        free(r.value);
    }
}

static const char flat[] =
    "dalembert: 1\nspace: planar\nground: {points: {O: [0.1, 0.2], Q: {at: [-0.3, 0.1], x: [0.6, 0.5]}}}\n"
    "define: {lean: \"sin(rod.angle) + 0.2*rod.omega - rod.P.x\"}\n"
    "bodies:\n"
    "  rod: {density: 900, shape: [{type: plate, outline: [[0, 0], [0.4, 0.05], [0.2, 0.1]], thickness: 0.01}, {box: [0.1, 0.02, 0.01], at: [0.3, "
    "0.05], angle: 0.4}], points: {P: [0.4, 0.05]}}\n"
    "  bob: {mass: 0.7, inertia: 0.01, angle: 0.3, rate: 0.4, points: {A: [-0.1, 0.02]}}\n"
    "  block: {mass: 0.4, inertia: 0.02}\n"
    "  bar: {mass: 0.2, inertia: 0.003, between: [rod.P, block], points: {E: [0.05, 0.02]}}\n"
    "joints:\n"
    "  O: {type: revolute, connect: [ground.O, rod], start: {angle: 0.5, rate: 0.3}, drive: 0.5 + 0.3*t + 0.2*t^3}\n"
    "  A: {type: revolute, connect: [rod.P, bob.A]}\n"
    "  S: {type: prismatic, connect: [ground.Q, block], start: {distance: 0.4, rate: -0.2}}\n"
    "  L: {type: pin-in-slot, connect: [block, bar.E], axis: [0.3, 1]}\n"
    "forces:\n"
    "  spring: {type: torsional-spring-damper, joint: A, stiffness: 2, free: 0.4, damping: 0.05}\n"
    "  stop: {type: end-stop, joint: A, stiffness: 30, lower: -0.4, upper: 0.05}\n"
    "  push: {type: force, body: block, value: [\"1 - block.x\", \"block.y'\"]}\n"
    "  turn: {type: torque, body: bar, value: 0.02 + 0.1*bar.angle}\n"
    "  twist: {type: torque, connect: [rod, bob], value: \"0.1*bob.omega - 0.2\"}\n"
    "simulate: {until: 1}\n";

static void a_planar_model_and_its_mirror_image_too(void **state)
{
    put_file(*state, "flat.yaml", flat);
    for (int axis = 0; axis < 2; axis++) {
        char text[3000];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ngravity: [%g, %g]\nground: {points: {L: [0.3, 0.2], R: [%g, %g]}}\n"
                 "models: {left: {file: flat.yaml, ground: ground.L}, right: {file: flat.yaml, ground: ground.R, mirror: %c}}\n"
                 "simulate: {until: 0.6, every: 0.05, rtol: 1e-10, atol: 1e-12}\n"
                 "record: [left.bob.x, right.bob.x, left.bob.y, right.bob.y, left.bob.angle, right.bob.angle, left.bar.x, right.bar.x, left.bar.y,\n"
                 "  right.bar.y, left.bar.angle, right.bar.angle, left.lean, right.lean, left.S.distance, right.S.distance, left.O.angle,\n"
                 "  right.O.angle, left.O.drive, right.O.drive]\n",
                 axis ? 5.1 : 0.0, axis ? 0.0 : -9.81, axis ? 0.3 : -0.3, axis ? -0.2 : 0.2, 'x' + axis);
        put_file(*state, "both.yaml", text);
        trajectory r = run_file(*state, "both.yaml");
        const bool odd[] = {axis == 0, axis == 1, true, axis == 0, axis == 1, true, false, false, true, true};
        for (int i = 0; i < r.rows; i++)
            for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
                const double a = at(&r, i, 1 + 2 * (int)k), b = at(&r, i, 2 + 2 * (int)k);
                if (!(fabs(a - (odd[k] ? -b : b)) <= 1e-9 * (1 + fabs(a))))
                    fail_msg("mirror %c, row %d, %s: %.12g and %.12g", 'x' + axis, i, r.name[1 + 2 * (int)k], a, b);
            }
        assert_true(fabs(last(&r, 5) - at(&r, 0, 5)) > 0.1);
        free(r.value);
    }
}

/* A mirror image of a mirror image is the model; models inside a mirrored model stand on mirrored frames. */
static void parts_inside_mirrored_parts_are_mirrored(void **state)
{
    put_file(
        *state, "foot.yaml",
        "dalembert: 1\nspace: spatial\nbodies: {toe: {mass: 0.2, inertia: [0.001, 0.002, 0.003, 0.0002, 0, 0.0001], center: [0.1, 0.02, 0.03]}}\n"
        "joints: {ankle: {type: revolute, connect: [ground, toe], axis: [0.2, 1, 0.1], start: {angle: 0.3, rate: 2}}}\n"
        "define: {lift: toe.z + toe.omega.body.x}\n");
    put_file(*state, "leg.yaml",
             "dalembert: 1\nspace: spatial\nbodies: {shin: {mass: 1, inertia: [0.02, 0.03, 0.01], points: {F: {at: [0.1, 0, -0.4], z: [0.1, 0.3, 1], "
             "x: [1, 0.2, 0]}, G: [0, 0.1, -0.4]}}}\n"
             "joints: {knee: {type: revolute, connect: [ground, shin], axis: [0.1, 1, 0], start: {angle: 0.2, rate: 1}}}\n"
             "models: {foot: {file: foot.yaml, ground: shin.F}, heel: {file: foot.yaml, ground: shin.G, mirror: y}}\n");
    put_file(*state, "both.yaml",
             "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
             "models: {left: {file: leg.yaml}, right: {file: leg.yaml, mirror: y}, again: {file: twice.yaml, mirror: x}}\n"
             "simulate: {until: 0.5, every: 0.05, rtol: 1e-10, atol: 1e-12}\n"
             "record: [left.foot.toe.position, right.foot.toe.position, left.heel.toe.position, right.heel.toe.position, left.foot.lift,\n"
             "  right.foot.lift, left.heel.lift, right.heel.lift, again.leg.foot.toe.position, again.leg.heel.toe.position]\n");
    put_file(*state, "twice.yaml", "dalembert: 1\nspace: spatial\nmodels: {leg: {file: leg.yaml, mirror: x}}\n");
    trajectory r = run_file(*state, "both.yaml");
    for (int i = 0; i < r.rows; i++) {
        for (int k = 0; k < 12; k++) {
            const int a = 1 + k % 3 + 6 * (k / 6), b = a + 3;
            assert_true(fabs(at(&r, i, a) - (k % 3 == 1 ? -1 : 1) * at(&r, i, b)) < 1e-9);
        }
        assert_true(fabs(at(&r, i, 13) - at(&r, i, 14)) < 1e-9 && fabs(at(&r, i, 15) - at(&r, i, 16)) < 1e-9);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(at(&r, i, 1 + k) - at(&r, i, 17 + k)) < 1e-9);
            assert_true(fabs(at(&r, i, 7 + k) - at(&r, i, 20 + k)) < 1e-9);
        }
    }
    assert_true(fabs(last(&r, 13) - at(&r, 0, 13)) > 0.1);
    free(r.value);
}

/* To the digit: the same expressions with the same signs. */
static void a_mirrored_body_is_the_one_written_by_hand(void **unused)
{
    static const char head[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {a: 0.31, w: 0.7}\n"
        "bodies:\n"
        "  left: {mass: 1.2, inertia: [0.02, 0.03, 0.04, 0.003, 0.002, -0.001], center: [0.02, a/10, 0.03], position: [0.2, a, 0.1],\n"
        "         orientation: {rpy: [0.1, w/2, 0.3]}, velocity: [0.3, 0.2, 0.1], angular-velocity: [w, 2, 3], points: {P: [0.2, a/2, 0.05]}}\n";
    static const char tail[] = "forces: {s: {type: spring-damper, connect: [left.P, right.P], stiffness: 40, damping: 0.3, length: 0.1}}\n"
                               "simulate: {until: 0.4, every: 0.1}\nrecord: [right.position, right.omega, right.P.velocity, energy]\n";
    char brief[2000], full[2000];
    (void)unused;
    snprintf(brief, sizeof brief, "%s  right: {of: left, mirror: y, velocity: [0.25, -0.2, 0.1]}\n%s", head, tail);
    snprintf(full, sizeof full,
             "%s  right: {mass: 1.2, inertia: [0.02, 0.03, 0.04, -0.003, 0.002, 0.001], center: [0.02, -(a/10), 0.03], position: [0.2, -(a), 0.1],\n"
             "          orientation: {rpy: [-0.1, w/2, -0.3]}, velocity: [0.25, -0.2, 0.1], angular-velocity: [-(w), 2, -3],\n"
             "          points: {P: [0.2, -(a/2), 0.05]}}\n%s",
             head, tail);
    trajectory a = run_text_well(brief, ""), b = run_text_well(full, "");
    assert_int_equal(a.rows, b.rows);
    for (int i = 0; i < a.rows; i++)
        for (int k = 0; k < a.n; k++)
            assert_true(at(&a, i, k) == at(&b, i, k));
    free(a.value);
    free(b.value);
}

/* What stands beside `of:` replaces only what it gives: a position leaves the attitude, an attitude leaves the position. */
static void a_place_of_its_own_leaves_the_rest_mirrored(void **unused)
{
    static const char head[] = "dalembert: 1\nspace: planar\nbodies:\n"
                               "  a: {mass: 1, inertia: 0.1, position: [1, 0.2], angle: 0.7, velocity: [0.3, 0.4], rate: 2}\n";
    static const char tail[] = "simulate: {until: 0.1, every: 0.1}\nrecord: [b.x, b.y, b.angle, b.x', b.angle', c.x, c.y, c.angle]\n";
    static const double expected[] = {-2, 0.5, -0.7, -0.3, -2, -1, 0.2, 0.9};
    char text[1000];
    (void)unused;
    snprintf(text, sizeof text, "%s  b: {of: a, mirror: x, position: [-2, 0.5]}\n  c: {of: a, mirror: x, angle: 0.9}\n%s", head, tail);
    trajectory r = run_text_well(text, "");
    for (int k = 0; k < 8; k++)
        assert_true(fabs(at(&r, 0, 1 + k) - expected[k]) < 1e-15);
    free(r.value);
    snprintf(
        text, sizeof text,
        "dalembert: 1\nspace: planar\nground: {points: {P: [0, 0], Q: [1, 1]}}\nbodies:\n  a: {mass: 1, inertia: 1, between: [ground.P, ground.Q]}\n"
        "  b: {of: a, mirror: x, position: [-2, 0.5]}\n");
    refused_with(text, 6, 3, "which two points place: beside `mirror:`, give `angle:` or `orientation:` as well, or neither");
}

static void what_has_no_mirror_image_is_refused_by_name(void **state)
{
    static const char flat_head[] = "dalembert: 1\nspace: planar\nbodies:\n  a: {mass: 1, inertia: 1}\n";
    char text[1000];
    snprintf(text, sizeof text, "%s  b: {of: a, mirror: z}\n", flat_head);
    refused_with(text, 5, 22, "body 'b' cannot be mirrored along z: the model is planar");
    snprintf(text, sizeof text, "%s  b: {of: a, mirror: w}\n", flat_head);
    refused_with(text, 5, 22, "body 'b' is mirrored along x, y or z, not 'w'");
    snprintf(text, sizeof text, "%s  b: {of: c, mirror: x}\n", flat_head);
    refused_with(text, 5, 11, "there is no such body above it");
    snprintf(text, sizeof text, "%s  b: {mass: 1, mirror: x}\n", flat_head);
    refused_with(text, 5, 16, "'mirror' and no 'of'");
    snprintf(text, sizeof text, "%s  b: {of: a}\n", flat_head);
    refused_with(text, 5, 7, "'of' and no 'mirror'");
    put_file(*state, "part.yaml",
             "dalembert: 1\nspace: planar\nbodies: {a: {mass: 1, inertia: 1}}\njoint-types: {own: {equations: [\"dot(N - M, yi)\"]}}\n"
             "joints:\n  J: {type: own, connect: [ground, a]}\n");
    put_file(*state, "whole.yaml", "dalembert: 1\nspace: planar\nmodels: {p: {file: part.yaml, mirror: x}}\n");
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    assert_int_equal(dal_spec_read(NULL, path_of(*state, "whole.yaml"), 0, NULL, messages, &spec), DAL_BAD_MODEL);
    assert_non_null(strstr(dal_messages_first(messages)->text, "joint 'J' cannot be mirrored: its type is the model's own"));
    dal_messages_free(messages);
}

/* A type that the reader does not know would be refused as one of the model's own. What else is wrong with such a joint, compile says later. */
static void no_built_in_type_of_joint_is_taken_for_the_models_own(void **state)
{
    static const char *const heads[] = {"space: planar\nbodies: {a: {mass: 1, inertia: 1}}\n",
                                        "space: spatial\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"};
    int checked = 0;
    for (int i = 0; dal_joint_types[i]; i++)
        for (int k = 0; k < 2; k++, checked++) {
            char text[400];
            snprintf(text, sizeof text, "dalembert: 1\n%sjoints:\n  J: {type: %s, connect: [ground, a]}\n", heads[k], dal_joint_types[i]->name);
            put_file(*state, "part.yaml", text);
            snprintf(text, sizeof text, "dalembert: 1\nspace: %s\nmodels: {p: {file: part.yaml, mirror: x}}\n", k ? "spatial" : "planar");
            put_file(*state, "whole.yaml", text);
            dal_messages *messages = dal_messages_create(NULL);
            dal_spec *spec = NULL;
            if (dal_spec_read(NULL, path_of(*state, "whole.yaml"), 0, NULL, messages, &spec) != DAL_OK)
                fail_msg("%s: %s", dal_joint_types[i]->name, dal_messages_first(messages)->text);
            dal_spec_free(spec);
            dal_messages_free(messages);
        }
    assert_true(checked > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_model_and_its_mirror_image_move_as_mirror_images, enter_place, leave_place),
        cmocka_unit_test_setup_teardown(a_planar_model_and_its_mirror_image_too, enter_place, leave_place),
        cmocka_unit_test_setup_teardown(parts_inside_mirrored_parts_are_mirrored, enter_place, leave_place),
        cmocka_unit_test(a_mirrored_body_is_the_one_written_by_hand),
        cmocka_unit_test(a_place_of_its_own_leaves_the_rest_mirrored),
        cmocka_unit_test_setup_teardown(what_has_no_mirror_image_is_refused_by_name, enter_place, leave_place),
        cmocka_unit_test_setup_teardown(no_built_in_type_of_joint_is_taken_for_the_models_own, enter_place, leave_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
