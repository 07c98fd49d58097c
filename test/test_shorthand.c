/* What the reader writes out: counted points, definitions, columns and parts, expressions of several lines, prescribed poses, armatures, robots as
 * parts. Each is compared with the long way to say it. */
#include "gallery.h"
#include "text_runs.h"

#include <stdlib.h>
#include <unistd.h>

static void assert_same(const trajectory *a, const trajectory *b, double tolerance)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->rows, b->rows);
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < a->n; k++)
            if (!(fabs(at(a, i, k) - at(b, i, k)) <= tolerance * (1 + fabs(at(b, i, k)))))
                fail_msg("row %d, column %d: %.17g and %.17g", i, k, at(a, i, k), at(b, i, k));
}

static void same_runs(const char *brief, const char *full, const char *settings, double tolerance)
{
    trajectory a = run_text_well(brief, settings), b = run_text_well(full, settings);
    assert_same(&a, &b, tolerance);
    free(a.value);
    free(b.value);
}

/* ---- counting ------------------------------------------------------------------------------------------------- */

static void counted_points_definitions_and_columns_are_those_written_out(void **unused)
{
    (void)unused;
    same_runs("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {n: 3}\n"
              "define: {s: {repeat: {i: 1..n}, value: i*sin(t) + base}, base: 0.2*t}\n"
              "bodies: {bar: {mass: 1.3, inertia: 0.11, angle: 0.4, points: {P: {repeat: {i: 1..n}, at: [0.13*i, 0.01*i^2]}}}}\n"
              "joints: {A: {type: revolute, connect: [ground, bar.P.2]}}\nforces: {f: {type: force, body: bar.P.3, value: [s.2, s.3]}}\n"
              "simulate: {until: 0.3, every: 0.1}\nrecord: [bar.angle, {repeat: {i: 1..n}, value: \"bar.P.{i}.y + s.{i}\"}]\n",
              "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ndefine: {s1: sin(t) + 0.2*t, s2: 2*sin(t) + 0.2*t, s3: 3*sin(t) + 0.2*t}\n"
              "bodies: {bar: {mass: 1.3, inertia: 0.11, angle: 0.4, points: {P1: [0.13, 0.01], P2: [0.26, 0.04], P3: [0.39, 0.09]}}}\n"
              "joints: {A: {type: revolute, connect: [ground, bar.P2]}}\nforces: {f: {type: force, body: bar.P3, value: [s2, s3]}}\n"
              "simulate: {until: 0.3, every: 0.1}\nrecord: [bar.angle, bar.P1.y + s1, bar.P2.y + s2, bar.P3.y + s3]\n",
              "", 1e-13);
}

static void an_expression_may_have_several_lines(void **unused)
{
    (void)unused;
    const char *const rest = "bodies: {b: {mass: 1, position: [0, 0]}}\nforces: {f: {type: force, body: b, value: [a, c]}}\n"
                             "simulate: {until: 0.5, every: 0.1}\nrecord: [b.x, b.y]\n";
    char brief[900], full[900], bad[900];
    snprintf(brief, sizeof brief,
             "dalembert: 1\nspace: planar\ndefine:\n  a: \"sin(3*t)\n     + 2*t\"\n  c: |\n    if(t < 0.25,\n       t,\n       1 - t)\n  d: t\n    + "
             "1\n%s",
             rest);
    snprintf(full, sizeof full, "dalembert: 1\nspace: planar\ndefine:\n  a: sin(3*t) + 2*t\n  c: \"if(t < 0.25, t, 1 - t)\"\n  d: t + 1\n%s", rest);
    same_runs(brief, full, "", 0);
    /* a fault has its own line and column */
    snprintf(bad, sizeof bad, "dalembert: 1\nspace: planar\ndefine:\n  a: 1\n  c: |\n    if(t < 0.25,\n       t +* 2,\n       1 - t)\n%s", rest);
    refused_with(bad, 7, 11, "expected");
    snprintf(bad, sizeof bad, "dalembert: 1\nspace: planar\ndefine:\n  a: \"1\n     + nothing\"\n  c: 1\n%s", rest);
    refused_with(bad, 5, 8, "unknown name 'nothing'");
}

/* ---- a prescribed pose ------------------------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static const double driven_mass = 1.7, driven_inertia[3] = {0.31, 0.23, 0.4}, driven_center[3] = {0.1, -0.2, 0.05};

/* Newton and Euler, of a row of records p = a, alpha, omega, ex, ey, ez: F = m (a_c - g), and about the origin
 * T = I alpha + w x I w + c x F. */
static void wrench_of(const double *p, double F[3], double T[3])
{
    const double *a = p, *alpha = p + 3, *w = p + 6;
    double c[3] = {0}, Iw[3] = {0}, Ia[3] = {0}, wc[3], wwc[3], ac[3], gyro[3], cF[3];
    for (int e = 0; e < 3; e++) {
        const double *axis = p + 9 + 3 * e;
        const double rate = axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2], change = axis[0] * alpha[0] + axis[1] * alpha[1] + axis[2] * alpha[2];
        for (int k = 0; k < 3; k++) {
            c[k] += axis[k] * driven_center[e];
            Iw[k] += axis[k] * driven_inertia[e] * rate;
            Ia[k] += axis[k] * driven_inertia[e] * change;
        }
    }
    cross(w, c, wc);
    cross(w, wc, wwc);
    cross(alpha, c, ac);
    cross(w, Iw, gyro);
    for (int k = 0; k < 3; k++)
        F[k] = driven_mass * (a[k] + ac[k] + wwc[k] + (k == 2 ? 9.81 : 0));
    cross(c, F, cF);
    for (int k = 0; k < 3; k++)
        T[k] = Ia[k] + gyro[k] + cF[k];
}

static void a_driven_pose_takes_the_wrench_of_newton_and_euler(void **unused)
{
    static const char *const attitude[] = {"{euler-zyx: [0.3*t, 0.2*sin(2*t), 0.4*t^2]}", "{rpy: [0.4*t^2, 0.2*sin(2*t), 0.3*t]}",
                                           "{axis: [1, 2, -2], angle: 0.7*t + 0.2}", "{quaternion: {w: 1, x: 0.3*t, y: 0.1, z: -0.2*t^2}}",
                                           "{y: [0.2*t, 1, 0], z: [0, 0.3*t, 1]}"};
    static const char *const settings[] = {"", "coordinates=natural", "coordinates=euler formulation=kane"};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        char text[1200], still[600];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], center: [%.17g, "
                 "%.17g, %.17g],\n  drive: {position: [0.1*sin(3*t), 0.2*t^2, 0.4], orientation: %s}}}\nsimulate: {until: 0.8, every: 0.2}\n"
                 "record: [b.drive.force, b.drive.torque, b.drive.power, b.acceleration, b.alpha, b.omega, b.ex, b.ey, b.ez, b.position, b.velocity, "
                 "energy.work, energy.balance]\n",
                 driven_mass, driven_inertia[0], driven_inertia[1], driven_inertia[2], driven_center[0], driven_center[1], driven_center[2],
                 attitude[i]);
        trajectory run = run_text_well(text, settings[i % 3]);
        for (int row = 0; row < run.rows; row++) {
            double F[3], T[3], power = 0;
            const double t = at(&run, row, 0), *p = run.value + (size_t)row * (size_t)run.n + 1;
            wrench_of(p + 7, F, T);
            for (int k = 0; k < 3; k++) {
                assert_true(fabs(p[k] - F[k]) < 1e-7 * 20 && fabs(p[3 + k] - T[k]) < 1e-7 * 20);
                power += F[k] * p[28 + k] + T[k] * p[13 + k];
            }
            assert_true(fabs(p[6] - power) < 1e-6 * 20);
            assert_true(fabs(p[25] - 0.1 * sin(3 * t)) < 1e-8 && fabs(p[26] - 0.2 * t * t) < 1e-8 && fabs(p[27] - 0.4) < 1e-8);
            assert_true(fabs(p[32] - at(&run, 0, 33)) < 1e-6 * 20); /* the drive's work is what energy gains */
        }
        /* the attitude is that of a body that is placed so, with the numbers of t = 0.8 in the place of t */
        char placed[200];
        size_t n = 0;
        for (const char *c = attitude[i]; *c; c++)
            n += (size_t)snprintf(placed + n, sizeof placed - n, *c == 't' && strchr("*+ [", c[-1]) ? "0.8" : "%c", *c);
        snprintf(still, sizeof still,
                 "dalembert: 1\nspace: spatial\nbodies: {b: {mass: 1, inertia: [1, 1, 1], orientation: %s}}\nsimulate: {until: 0.8, every: 0.8}\n"
                 "record: [b.ex, b.ey, b.ez]\n",
                 placed);
        trajectory rest = run_text_well(still, "");
        for (int k = 0; k < 9; k++)
            assert_true(fabs(last(&rest, 1 + k) - last(&run, 17 + k)) < 1e-8);
        free(rest.value);
        free(run.value);
    }
}

/* A table in the drive of a planar body, and a start that the model gives itself. */
static void a_planar_pose_follows_tables_and_its_torque_is_that_of_the_angle(void **unused)
{
    (void)unused;
    trajectory run =
        run_text_well("dalembert: 1\nspace: planar\ntables: {lift: {x: [0, 0.5, 1, 1.5, 2], y: [0.2, 0.3, 0.25, 0.1, 0]}}\n"
                      "bodies: {b: {mass: 1.3, inertia: 0.2, position: [0.2, 0], drive: {position: [\"interp(lift, t)\", 0], angle: 3*t^2}}}\n"
                      "simulate: {until: 2, every: 0.5}\nrecord: [\"b.x - interp(lift, t)\", b.angle, b.drive.torque, b.drive.x.multiplier]\n",
                      "");
    for (int i = 0; i < run.rows; i++) {
        assert_true(fabs(at(&run, i, 1)) < 1e-8 && fabs(at(&run, i, 2) - 3 * pow(at(&run, i, 0), 2)) < 1e-8);
        assert_true(fabs(at(&run, i, 3) - 0.2 * 6) < 1e-6);
    }
    free(run.value);
}

/* ---- armature -------------------------------------------------------------------------------------------------------- */

/* On the ground the rotor adds J N^2 to the joint. */
static void an_armature_adds_its_inertia_times_the_square_of_the_ratio(void **unused)
{
    static const char *const settings[] = {"", "coordinates=joint formulation=recursive", "coordinates=natural",
                                           "coordinates=joint formulation=kane"};
    (void)unused;
    for (int i = 0; i < 4; i++)
        same_runs("dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {arm: {mass: 1.3, inertia: [0.01, 0.11, 0.12], points: {A: [-0.4, "
                  "0, 0.1]}}}\n"
                  "joints: {A: {type: revolute, connect: [ground, arm.A], axis: [0.6, 0.8, 0], start: {angle: 0.3, rate: 0.2}, armature: {inertia: "
                  "2e-3, ratio: -7}}}\n"
                  "simulate: {until: 1, every: 0.1, rtol: 1e-10, atol: 1e-12}\nrecord: [A.angle, \"A.angle'\", \"A.angle''\"]\n",
                  "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {arm: {mass: 1.3, points: {A: [-0.4, 0, 0.1]},\n"
                  "  inertia: {xx: 0.01 + 0.098*0.36, yy: 0.11 + 0.098*0.64, zz: 0.12, xy: 0.098*0.48}, inertia-check: warn}}\n" /* J N^2 a a^T */
                  "joints: {A: {type: revolute, connect: [ground, arm.A], axis: [0.6, 0.8, 0], start: {angle: 0.3, rate: 0.2}}}\n"
                  "simulate: {until: 1, every: 0.1, rtol: 1e-10, atol: 1e-12}\nrecord: [A.angle, \"A.angle'\", \"A.angle''\"]\n",
                  settings[i], 1e-6);
}

/* On a moving body: as a rotor that is a body of the model, with its shaft and gear. On a slide: J N^2 is a mass. */
static void an_armature_is_a_rotor_on_the_first_body(void **unused)
{
    (void)unused;
#define ARMS                                                                                                                                         \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  one: {mass: 1.3, inertia: 0.11, points: {A: [-0.4, 0], B: [0.4, 0.1]}}\n"          \
    "  two: {mass: 0.7, inertia: 0.05, points: {B: [-0.3, 0]}}\n"
    same_runs(ARMS "joints:\n  A: {type: revolute, connect: [ground, one.A], start: {angle: 0.3, rate: 1}}\n"
                   "  B: {type: revolute, connect: [one.B, two.B], start: {angle: 0.5, rate: 2}, armature: {inertia: 3e-3, ratio: 5}}\n"
                   "simulate: {until: 1, every: 0.1, rtol: 1e-10, atol: 1e-12}\nrecord: [A.angle, B.angle, energy]\n",
              ARMS "  rotor: {mass: 0, inertia: 3e-3}\njoints:\n  A: {type: revolute, connect: [ground, one.A], start: {angle: 0.3, rate: 1}}\n"
                   "  B: {type: revolute, connect: [one.B, two.B], start: {angle: 0.5, rate: 2}}\n"
                   "  S: {type: revolute, connect: [one.B, rotor]}\n  G: {type: gear, joints: [B, S], ratio: 5}\n"
                   "simulate: {until: 1, every: 0.1, rtol: 1e-10, atol: 1e-12}\nrecord: [A.angle, B.angle, energy]\n",
              "", 1e-7);
    same_runs(
        "dalembert: 1\nspace: planar\nbodies: {cart: {mass: 2, inertia: 1}}\n"
        "joints: {A: {type: prismatic, connect: [ground, cart], axis: [1, 0], start: {distance: 0, rate: 0}, armature: {inertia: 2e-4, ratio: 80}}}\n"
        "forces: {f: {type: force, joint: A, value: 3*cos(t)}}\nsimulate: {until: 1, every: 0.1, rtol: 1e-10, atol: 1e-12}\nrecord: [A.distance]\n",
        "dalembert: 1\nspace: planar\nbodies: {cart: {mass: 2 + 2e-4*6400, inertia: 1}}\n"
        "joints: {A: {type: prismatic, connect: [ground, cart], axis: [1, 0], start: {distance: 0, rate: 0}}}\n"
        "forces: {f: {type: force, joint: A, value: 3*cos(t)}}\nsimulate: {until: 1, every: 0.1, rtol: 1e-10, atol: 1e-12}\nrecord: [A.distance]\n",
        "", 1e-8);
}

static void bad_shorthand_is_refused_with_sentences(void **unused)
{
    (void)unused;
#define BODY "dalembert: 1\nspace: planar\nbodies:\n  b: {mass: 1, inertia: 1"
    refused_with(BODY ", drive: 3}\n", 0, 0, "needs named entries");
    refused_with(BODY ", drive: {}}\n", 0, 0, "needs 'position', 'angle' or both");
    refused_with(BODY ", drive: {orientation: {axis: [0, 0, 1], angle: t}}}\n", 0, 0, "write 'angle' in a planar one");
    refused_with(BODY ", drive: {position: [t, nothing]}}\n", 4, 50, "unknown name 'nothing'");
    refused_with("dalembert: 1\nspace: planar\ncoordinates: {x: 0}\nbodies: {b: {mass: 1, position: [x, 0], drive: {position: [t, 0]}}}\n", 0, 0,
                 "placed by coordinates of the model's own");
    refused_with(BODY "}\njoints: {A: {type: rigid, connect: [ground, b], armature: 2}}\n", 0, 0,
                 "'armature' belongs to revolute and prismatic joints");
    refused_with(BODY "}\njoints: {A: {type: prismatic, connect: [ground, b], axis: [1, 0], armature: 2}}\n", 0, 0, "needs a 'ratio'");
    refused_with(BODY "}\njoints: {A: {type: revolute, connect: [ground, b], armature: {ratio: 2}}}\n", 0, 0, "has no 'inertia'");
    refused_with(BODY ", points: {P: {repeat: {i: 1..2}}}}\n", 0, 0, "has no 'at'");
    refused_with(BODY "}\nrecord: [{repeat: {i: 1..2}}]\n", 0, 0, "has no 'value'");
    refused_with(BODY "}\ndefine: {s: {repeat: {i: 1..2}, value: i, more: 3}}\n", 0, 0, "has no key 'more'");
}

/* ---- parts of parts --------------------------------------------------------------------------------------------------- */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static trajectory run_file_well(const char *folder, const char *name)
{
    char path[200];
    trajectory result = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    result.status = dal_spec_read(NULL, path, 0, NULL, messages, &spec);
    result = run_spec(result, spec, messages);
    if (result.status != DAL_OK)
        fail_msg("%s: %s", name, result.message);
    return result;
}

static const char robot[] =
    "<robot name=\"r\">\n<link name=\"base\"/>\n"
    "<link name=\"arm\"><inertial><origin xyz=\"0.2 0 0\"/><mass value=\"1.3\"/><inertia ixx=\"0.01\" iyy=\"0.05\" izz=\"0.05\" "
    "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
    "<joint name=\"hinge\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/><origin xyz=\"0 0 0.5\"/>"
    "<axis xyz=\"0 1 0\"/><limit lower=\"-0.5\" upper=\"0.7\" effort=\"20\" velocity=\"3\"/></joint>\n</robot>\n";

static void a_robot_is_a_part_and_its_limits_are_stops(void **unused)
{
    char folder[] = "/tmp/dalembert-part-XXXXXX";
    (void)unused;
    assert_non_null(mkdtemp(folder));
    write_file(folder, "robot.urdf", robot);
#define WHOLE "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    write_file(folder, "free.yaml",
               WHOLE "models: {r: {repeat: {i: 1..2}, file: robot.urdf}}\nsimulate: {until: 1, every: 0.05, rtol: 1e-9, atol: 1e-11}\n"
                     "record: [r.1.hinge.angle, \"r.{2}.arm.position\", energy.balance]\n");
    write_file(folder, "stop.yaml",
               WHOLE "models: {r: {file: robot.urdf, limits: true}}\nsimulate: {until: 1, every: 0.01}\nrecord: [r.hinge.angle, energy.balance]\n");
    write_file(folder, "hand.yaml",
               WHOLE "bodies: {arm: {mass: 1.3, center: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}}\nground: {points: {O: [0, 0, 0.5]}}\n"
                     "joints: {hinge: {type: revolute, connect: [ground.O, arm], axis: [0, 1, 0], start: {angle: 0, rate: 0}}}\n"
                     "simulate: {until: 1, every: 0.05, rtol: 1e-9, atol: 1e-11}\nrecord: [hinge.angle, arm.position, energy.balance]\n");
    trajectory part = run_file_well(folder, "free.yaml"), hand = run_file_well(folder, "hand.yaml"), stop = run_file_well(folder, "stop.yaml");
    double largest = 0;
    for (int i = 0; i < part.rows; i++)
        assert_true(fabs(at(&part, i, 1) - at(&hand, i, 1)) < 1e-6);
    for (int i = 0; i < stop.rows; i++)
        largest = fmax(largest, at(&stop, i, 1));
    assert_true(last(&part, 1) > 1); /* it fell through */
    assert_string_equal(part.warned[0], "limit-left");
    assert_string_equal(part.warned[1], "limit-left");
    assert_null(stop.warned[0]);
    assert_true(largest > 0.7 && largest < 0.8);
    free(part.value);
    free(hand.value);
    free(stop.value);
    const char *const names[] = {"robot.urdf", "free.yaml", "stop.yaml", "hand.yaml"};
    for (int i = 0; i < 4; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

/* Three planets between a sun and a ring that is held. Willis: (w_s - w_c) / (0 - w_c) = -rr / rs. */
#define PLANETS                                                                                                                                      \
    "dalembert: 1\nspace: planar\nparameters: {rs: 0.03, rp: 0.02, rr: rs + 2*rp}\n"                                                                 \
    "bodies:\n  sun: {mass: 0.4, inertia: 2e-4}\n  carrier: {mass: 1, inertia: 3e-4, points: {P: {repeat: {i: 1..3}, at: ["                          \
    "\"(rs + rp)*cos(i*120*deg)\", \"(rs + rp)*sin(i*120*deg)\"]}}}\n"                                                                               \
    "  planet: {repeat: {i: 1..3}, mass: 0.2, inertia: 4e-5}\n"                                                                                      \
    "joints:\n  s: {type: revolute, connect: [ground, sun], start: {angle: 0, rate: 0}}\n"                                                           \
    "  c: {type: revolute, connect: [ground, carrier], start: {angle: 0}}\n"                                                                         \
    "  p: {repeat: {i: 1..3}, type: revolute, connect: [\"carrier.P.{i}\", \"planet.{i}\"], start: {angle: 0}}\n"                                    \
    "forces: {motor: {type: motor, joint: s, value: \"0.5 - 1e-3*s.angle'\"}}\nsimulate: {until: 0.3, every: 0.1}\n"                                 \
    "record: [s.angle', c.angle', inner.2.multiplier, outer.3.multiplier]\nconstraints:\n"

static void counted_constraints_couple_every_planet(void **unused)
{
    (void)unused;
    trajectory counted = run_text_well(PLANETS "  inner: {repeat: {i: 1..3}, position: \"rs*(s.angle - c.angle) + rp*p.{i}.angle\"}\n"
                                               "  outer: {repeat: {i: 1..3}, position: \"-rr*c.angle - rp*p.{i}.angle\"}\n",
                                       "");
    assert_int_equal(counted.n, 5);
    for (int i = 1; i < counted.rows; i++)
        check_close(at(&counted, i, 2), at(&counted, i, 1) * 0.03 / (0.03 + 0.07), 1e-9 * at(&counted, i, 1));
    free(counted.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_points_definitions_and_columns_are_those_written_out),
        cmocka_unit_test(counted_constraints_couple_every_planet),
        cmocka_unit_test(an_expression_may_have_several_lines),
        cmocka_unit_test(a_driven_pose_takes_the_wrench_of_newton_and_euler),
        cmocka_unit_test(a_planar_pose_follows_tables_and_its_torque_is_that_of_the_angle),
        cmocka_unit_test(an_armature_adds_its_inertia_times_the_square_of_the_ratio),
        cmocka_unit_test(an_armature_is_a_rotor_on_the_first_body),
        cmocka_unit_test(bad_shorthand_is_refused_with_sentences),
        cmocka_unit_test(a_robot_is_a_part_and_its_limits_are_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
