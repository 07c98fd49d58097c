/* How a model starts: joint frames, start values of joints, assembly of positions and of velocities. */
#include "check.h"
#include "dalembert/dalembert.h"

enum { MOST = 24 };

/* The first row of a run, and what was said on the way. */
typedef struct outcome {
    bool ok;
    int n, rank, notes; /* notes and warnings */
    double value[MOST]; /* what `record:` lists */
    char text[2000];    /* every message */
} outcome;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)columns;
    outcome *o = user;
    assert_true(n - 1 <= MOST);
    o->n = n - 1;
    o->rank = info->rank;
    return DAL_OK;
}

static dal_status take(void *user, int n, const double *values)
{
    outcome *o = user;
    if (values[0] == 0) /* the first column is the time */
        memcpy(o->value, values + 1, sizeof *values * (size_t)(n - 1));
    return DAL_OK;
}

static outcome start(const char *space, const char *rest)
{
    outcome o = {0};
    char text[4000];
    snprintf(text, sizeof text, "dalembert: 1\nname: start\nspace: %s\nsimulate: {until: 1e-3}\n%s", space, rest);
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_evidence evidence;
    const dal_sink sink = {&o, begin, take};
    const dal_run_options options = {.sink = &sink};
    o.ok = dal_spec_parse(NULL, "start.yaml", text, strlen(text), 0, NULL, messages, &spec) == DAL_OK &&
           dal_compile(NULL, spec, messages, &system) == DAL_OK && dal_run(system, &options, messages, &evidence) == DAL_OK;
    for (const dal_message *m = dal_messages_first(messages); m; m = m->next) {
        char line[600];
        size_t used = strlen(o.text);
        o.notes += m->severity != DAL_ERROR;
        dal_message_format(m, line, sizeof line);
        snprintf(o.text + used, sizeof o.text - used, "%s\n", line);
    }
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return o;
}

/* It starts, and nothing had to be moved. */
static outcome start_quietly(const char *space, const char *rest)
{
    outcome o = start(space, rest);
    if (!o.ok || o.notes)
        fail_msg("%s", o.text);
    return o;
}

static outcome start_somehow(const char *space, const char *rest)
{
    outcome o = start(space, rest);
    if (!o.ok)
        fail_msg("%s", o.text);
    return o;
}

static void refused(const char *space, const char *rest, const char *words)
{
    outcome o = start(space, rest);
    if (o.ok || !strstr(o.text, words))
        fail_msg("expected '%s', heard: %s", words, o.text);
}

static const double pi = 3.14159265358979323846;
static const double exact = 1e-13; /* a few hundred roundings of values of order one; a closed start is good to 1e-14 */

/* ---- frames ------------------------------------------------------------------ */

static void a_planar_point_with_a_direction_stays_in_the_plane(void **unused)
{
    (void)unused;
    outcome o = start_quietly("planar", "ground: {points: {A: {at: [0, 0], x: [1, -1]}}}\n"
                                        "bodies: {s: {mass: 1.7, inertia: 0.31, position: [0.6, -0.6], angle: 0, velocity: [0.37, -0.37], rate: 0}}\n"
                                        "joints: {A: {type: prismatic, connect: [ground.A, s]}}\n"
                                        "record: [A.distance, A.distance', s.x', s.y']\n");
    assert_int_equal(o.rank, 2);
    check_close(o.value[0], 0.6 * sqrt(2), exact);
    check_close(o.value[1], 0.37 * sqrt(2), exact);
    check_close(o.value[2], 0.37, exact);
    check_close(o.value[3], -0.37, exact);
}

static void the_angle_of_a_pin_grows_with_the_rate_of_its_second_body(void **unused)
{
    (void)unused;
    static const struct {
        const char *letter;
        double x, y;
    } side[] = {{"x", 0, 1}, {"x", -1, 0}, {"x", 1, 1}, {"y", -0.3, 0.8}, {"y", 0.7, 0.2}};
    const int n = sizeof side / sizeof *side;
    for (int i = 0; i < n * n; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "ground: {points: {A: {at: [0.2, 0.1], %s: [%g, %g]}}}\n"
                 "bodies: {b: {mass: 1.1, inertia: 0.2, position: [0.2, 0.1], angle: 0.4, rate: 1.3, points: {B: {at: [0, 0], %s: [%g, %g]}}}}\n"
                 "joints: {A: {type: revolute, connect: [ground.A, b.B]}}\nrecord: [A.angle, A.angle']\n",
                 side[i / n].letter, side[i / n].x, side[i / n].y, side[i % n].letter, side[i % n].x, side[i % n].y);
        outcome o = start_quietly("planar", text);
        double turn[2];
        for (int k = 0; k < 2; k++) {
            int at = k ? i % n : i / n;
            turn[k] = atan2(side[at].y, side[at].x) - (side[at].letter[0] == 'y' ? pi / 2 : 0);
        }
        check_small(remainder(o.value[0] - (0.4 + turn[1] - turn[0]), 2 * pi), exact);
        check_close(o.value[1], 1.3, exact);
    }
}

static void an_axis_on_both_sides_leaves_a_body_turned_as_it_is(void **unused)
{
    (void)unused;
    static const char *const types[] = {"prismatic", "screw, pitch: 0.1", "revolute", "cylindrical"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "bodies: {s: {mass: 2.3, inertia: [1, 1.3, 0.8], position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 0.5}}}\n"
                 "joints: {A: {type: %s, connect: [ground, s], axis: [[0, 0, 1], [0, 0, 1]]}}\nrecord: [s.qw, s.qz]\n",
                 types[i]);
        outcome o = start_quietly("spatial", text);
        check_close(o.value[0], cos(0.25), exact);
        check_close(o.value[1], sin(0.25), exact);
    }
}

static void an_axis_on_both_sides_and_a_start_angle_agree(void **unused)
{
    (void)unused;
    outcome o =
        start_quietly("spatial", "bodies: {s: {mass: 2.3, inertia: [1, 1.3, 0.8]}}\n"
                                 "joints: {A: {type: revolute, connect: [ground, s], axis: [[0.2, 0.3, 1], [1, -0.4, 0.1]], start: {angle: 0.7}}}\n"
                                 "record: [A.angle]\n");
    check_close(o.value[0], 0.7, exact);
}

/* ---- start values of joints ---------------------------------------------------- */

static void a_start_counts_from_the_first_side_to_the_second(void **unused)
{
    (void)unused;
    static const struct {
        const char *space, *type, *axis, *coordinate;
    } joint[] = {{"planar", "revolute", "", "angle"},
                 {"planar", "prismatic", "axis: [0.6, 0.7], ", "distance"},
                 {"spatial", "revolute", "axis: [0.6, 0.7, -0.2], ", "angle"},
                 {"spatial", "prismatic", "axis: [0.6, 0.7, -0.2], ", "distance"},
                 {"spatial", "cylindrical", "axis: [0.6, 0.7, -0.2], ", "angle"},
                 {"spatial", "cylindrical", "axis: [0.6, 0.7, -0.2], ", "distance"},
                 {"spatial", "screw", "pitch: 0.3, axis: [0.6, 0.7, -0.2], ", "angle"},
                 {"spatial", "screw", "pitch: 0.3, axis: [0.6, 0.7, -0.2], ", "distance"}};
    static const char *const connect[] = {"ground.O, p.A", "p.A, ground.O", "base.O, p.A", "p.A, base.O"};
    for (size_t i = 0; i < sizeof joint / sizeof *joint; i++)
        for (size_t k = 0; k < sizeof connect / sizeof *connect; k++) {
            const bool flat = joint[i].space[0] == 'p';
            char text[1200];
            snprintf(text, sizeof text,
                     "ground: {points: {O: [0.4, -0.3%s]}}\n"
                     "bodies:\n"
                     "  base: {mass: 3.1, inertia: %s, points: {O: [0.5, 0.1%s]}}\n"
                     "  p: {mass: 1.4, inertia: %s, points: {A: [-0.3, 0.2%s]}}\n"
                     "joints:\n  Z: {type: revolute, connect: [ground, base], %sstart: {angle: 0.9}}\n"
                     "  A: {type: %s, connect: [%s], %sstart: {%s: 0.53}}\nrecord: [A.%s]\n",
                     flat ? "" : ", 0.7", flat ? "0.4" : "[1, 1.3, 0.8]", flat ? "" : ", -0.2", flat ? "0.2" : "[0.5, 0.4, 0.6]", flat ? "" : ", 0.1",
                     flat ? "" : "axis: [0.1, 0.4, 1], ", joint[i].type, connect[k], joint[i].axis, joint[i].coordinate, joint[i].coordinate);
            outcome o = start_quietly(joint[i].space, text);
            check_close(o.value[0], 0.53, exact);
        }
}

static void a_start_angle_counts_from_the_axes_of_planar_points(void **unused)
{
    (void)unused;
    static const char *const connect[] = {"ground.A, b.B", "b.B, ground.A"};
    for (int k = 0; k < 2; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "ground: {points: {A: {at: [0.2, 0.1], x: [0, 1]}}}\n"
                 "bodies: {b: {mass: 1.1, inertia: 0.2, points: {B: {at: [0.3, 0], x: [1, 1]}}}}\n"
                 "joints: {A: {type: revolute, connect: [%s], start: {angle: 7.5}}}\nrecord: [A.angle, b.angle]\n",
                 connect[k]);
        outcome o = start_quietly("planar", text);
        check_close(o.value[0], 7.5, exact);
        check_close(o.value[1], k ? pi / 2 - 7.5 - pi / 4 : pi / 2 + 7.5 - pi / 4, exact);
    }
}

static void a_body_is_not_placed_or_turned_twice(void **unused)
{
    (void)unused;
    refused("planar", "bodies: {p: {mass: 1, inertia: 0.3, angle: 0.2}}\njoints: {A: {type: revolute, connect: [ground, p], start: {angle: 0.5}}}\n",
            "'p' is turned twice");
    refused("planar", "bodies: {p: {mass: 1, inertia: 0.3, angle: 0.2}}\njoints: {A: {type: revolute, connect: [p, ground], start: {angle: 0.5}}}\n",
            "'p' is turned twice");
    refused("spatial",
            "bodies: {p: {mass: 1, inertia: [0.3, 0.4, 0.5], orientation: {axis: [1, 2, 3], angle: 0.7}}}\n"
            "joints: {A: {type: revolute, axis: [0, 0, 1], connect: [ground, p], start: {angle: 0.5}}}\n",
            "'p' is turned twice");
    refused("planar",
            "bodies: {p: {mass: 1, inertia: 0.3, position: [0, 0]}}\njoints: {A: {type: revolute, connect: [p, ground], start: {angle: 0.5}}}\n",
            "'p' is placed twice");
}

static void a_drive_may_start_beyond_half_a_turn(void **unused)
{
    (void)unused;
    static const char *const joints[] = {
        "  A: {type: revolute, %sconnect: [ground, p], drive: 7 + 0.6*t}\n",
        "  A: {type: revolute, %sconnect: [ground, p]}\n  L: {type: lock, joint: A, value: 7}\n",
        "  A: {type: revolute, %sconnect: [ground, p], zero: 0.4}\n  L: {type: driven, joint: A, value: 7 + sin(t)}\n",
        "  A: {type: revolute, %sconnect: [p, ground], drive: 7}\n"};
    for (int flat = 0; flat < 2; flat++)
        for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
            char text[800], joint[400];
            snprintf(joint, sizeof joint, joints[i], flat ? "" : "axis: [0.2, 0.3, 1], ");
            snprintf(text, sizeof text, "bodies: {p: {mass: 1.2, inertia: %s}}\njoints:\n%srecord: [A.angle, p.%s]\n",
                     flat ? "0.3" : "[0.3, 0.4, 0.5]", joint, flat ? "angle" : "qw");
            outcome o = start_somehow(flat ? "planar" : "spatial", text);
            const double turn = i == 2 ? 6.6 : i == 3 ? -7 : 7; /* of p */
            check_close(o.value[0], 7, exact);
            if (flat)
                check_small(remainder(o.value[1] - turn, 2 * pi), exact);
            else
                check_close(fabs(o.value[1]), fabs(cos(turn / 2)), exact);
        }
}

/* ---- velocities ----------------------------------------------------------------- */

/* Nothing would be left of it: that is refused, whatever carries the value. */
static void a_given_motion_that_the_joints_forbid_is_refused(void **unused)
{
    (void)unused;
    refused("spatial",
            "bodies: {s: {mass: 2, inertia: [1, 1.3, 0.8], position: [0, 0, 0], orientation: {axis: [1, 2, 3], angle: 0.7},\n"
            "             angular-velocity: [0, 0, 0.5]}}\n"
            "joints: {A: {type: prismatic, connect: [ground, s], axis: [0, 0.1, 1]}}\n",
            "the start angular velocity of 's' cannot be kept: 0.5 rad/s are given");
    refused("planar", "bodies: {s: {mass: 2, inertia: 1, velocity: [0.3, 0.4]}}\njoints: {A: {type: revolute, connect: [ground, s]}}\n",
            "the start velocity of 's' cannot be kept: 0.5 m/s are given");
    refused("planar",
            "bodies: {s: {mass: 2, inertia: 1}}\njoints:\n  A: {type: revolute, connect: [ground, s], start: {angle: 0.1, rate: 2}}\n"
            "  B: {type: rigid, connect: [ground, s]}\n",
            "the start rate of joint 'A' cannot be kept: 2 is given");
}

/* Two bodies that push each other round, beside a slider whose spin is given as zero, or not at all. */
static void a_given_rest_does_not_disturb_other_bodies(void **unused)
{
    (void)unused;
    static const char *const spin[] = {"", ", angular-velocity: [0, 0, 0]"};
    outcome o[2];
    for (int k = 0; k < 2; k++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  s: {mass: 2, inertia: [1, 1.3, 0.8], position: [0, 0, 0], orientation: {axis: [1, 2, 3], angle: 0.7}%s}\n"
                 "  w: {mass: 0.9, inertia: [0.2, 0.3, 0.4], position: [0.3, 0.4, 0.5], points: {C: [0.4, 0.1, 0.2]}}\n"
                 "  u: {mass: 0.7, inertia: [0.3, 0.3, 0.4], position: [0.7, 0.5, 0.7], center: [0.2, 0.1, -0.3]}\n"
                 "joints:\n"
                 "  A: {type: prismatic, connect: [ground, s], axis: [0, 0.1, 1]}\n"
                 "  C: {type: revolute, connect: [w.C, u], axis: [0.1, 0.5, 0.2], drive: 1.7*t}\n"
                 "record: [s.velocity, w.velocity, w.omega, u.velocity, u.omega]\n",
                 spin[k]);
        o[k] = start_somehow("spatial", text);
    }
    assert_int_equal(o[0].n, 15);
    for (int i = 0; i < o[0].n; i++)
        check_close(o[0].value[i], o[1].value[i], exact);
    assert_true(fabs(o[0].value[6]) + fabs(o[0].value[7]) > 1e-3); /* w moves */
}

/* A pendulum of length 0.8 at the angle 0.6, with a motion of the centre that its pin forbids; the frame in its centre, in its pin,
 * or anywhere. */
static void where_the_frame_lies_does_not_matter_for_velocities(void **unused)
{
    (void)unused;
    outcome o[3];
    const double frame[3][2] = {{0, 0}, {-0.8, 0}, {0.3, -0.5}}; /* from the centre, body axes */
    for (int k = 0; k < 3; k++) {
        char text[1200];
        const double c = cos(0.6), s = sin(0.6), dx = c * frame[k][0] - s * frame[k][1], dy = s * frame[k][0] + c * frame[k][1];
        snprintf(text, sizeof text,
                 "bodies: {p: {mass: 1.3, inertia: 0.21, center: [%.17g, %.17g], position: [%.17g, %.17g], angle: 0.6,\n"
                 "             velocity: [%.17g, %.17g], rate: 0.9, points: {A: [%.17g, %.17g]}}}\n"
                 "joints: {A: {type: revolute, connect: [ground, p.A]}}\nrecord: [p.angle']\n",
                 -frame[k][0], -frame[k][1], 0.8 * c + dx, 0.8 * s + dy, 0.31 - 0.9 * dy, 1.7 + 0.9 * dx, -0.8 - frame[k][0], -frame[k][1]);
        o[k] = start_somehow("planar", text);
        assert_int_equal(o[k].notes, 2); /* of the velocity and of the spin */
    }
    /* least m |dc'|^2 + J dw^2 with c' = w 0.8 (-s, c) */
    const double along = -0.31 * sin(0.6) + 1.7 * cos(0.6), w = (1.3 * 0.8 * along + 0.21 * 0.9) / (1.3 * 0.64 + 0.21);
    for (int k = 0; k < 3; k++)
        check_close(o[k].value[0], w, exact);
}

static void where_the_frame_lies_does_not_matter_for_velocities_in_space(void **unused)
{
    (void)unused;
    outcome o[2];
    for (int k = 0; k < 2; k++) {
        /* the centre at (0.2, 0.3, 0.4) moves with (0.5, -0.7, 0.9), the spin is (1.1, 0.6, -0.4); v = c' + w x (r - c) */
        const double d[3] = {k * 0.7, k * -0.2, k * 0.6}, w[3] = {1.1, 0.6, -0.4};
        char text[1200];
        snprintf(text, sizeof text,
                 "bodies: {p: {mass: 1.3, inertia: [0.3, 0.4, 0.5], center: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g],\n"
                 "             velocity: [%.17g, %.17g, %.17g], angular-velocity: [1.1, 0.6, -0.4], points: {A: [%.17g, %.17g, %.17g]}}}\n"
                 "joints: {A: {type: revolute, connect: [ground, p.A], axis: [0.3, -0.5, 0.7]}}\nrecord: [p.omega]\n",
                 -d[0], -d[1], -d[2], 0.2 + d[0], 0.3 + d[1], 0.4 + d[2], 0.5 + w[1] * d[2] - w[2] * d[1], -0.7 + w[2] * d[0] - w[0] * d[2],
                 0.9 + w[0] * d[1] - w[1] * d[0], -0.2 - d[0], -0.3 - d[1], -0.4 - d[2]);
        o[k] = start_somehow("spatial", text);
    }
    for (int i = 0; i < 3; i++)
        check_close(o[0].value[i], o[1].value[i], exact);
}

/* What is omitted starts with the least kinetic energy: m |v + w x rho|^2 + J w^2, whatever else is in the model. */
static void an_omitted_value_does_not_depend_on_other_bodies(void **unused)
{
    (void)unused;
    static const char *const other[] = {"", "  d: {mass: 0.8, inertia: 0.1}\n"};
    static const char *const joint[] = {"", "joints: {A: {type: revolute, connect: [ground, d], drive: 2.3*t}}\n"};
    for (int k = 0; k < 2; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "bodies:\n  b: {mass: 1.7, inertia: 0.17, center: [0.9, 0.2], position: [2, 3], velocity: [0, 1.1]}\n"
                 "  c: {mass: 1.7, inertia: 0.17, center: [0.9, 0.2], position: [5, 3], rate: 1.3}\n%s%srecord: [b.angle', b.x', b.y', c.angle', "
                 "c.x', c.y']\n",
                 other[k], joint[k]);
        outcome o = start_quietly("planar", text);
        check_close(o.value[0], -1.7 * 0.9 * 1.1 / (1.7 * 0.85 + 0.17), exact);
        check_small(o.value[1], exact);
        check_close(o.value[2], 1.1, exact);
        check_close(o.value[3], 1.3, exact);
        check_close(o.value[4], 1.3 * 0.2, exact); /* the centre of mass rests */
        check_close(o.value[5], -1.3 * 0.9, exact);
    }
}

/* q hangs in a point of the axis about which p is driven: it stays where it is, up to rounding. */
static void rounding_is_not_reported(void **unused)
{
    (void)unused;
    outcome o = start_quietly("spatial", "ground: {points: {P: [0.3, 0.4, 0.5]}}\n"
                                         "bodies:\n"
                                         "  p: {mass: 1.2, inertia: [0.3, 0.4, 0.5], position: [0.3, 0.4, 0.5], points: {Q: [0.1, 0.15, 0.5]}}\n"
                                         "  q: {mass: 0.9, inertia: [0.2, 0.3, 0.4], position: [0.4, 0.55, 1], velocity: [0, 0, 0]}\n"
                                         "joints:\n"
                                         "  A: {type: revolute, connect: [ground.P, p], axis: [0.2, 0.3, 1], drive: 0.37*t}\n"
                                         "  B: {type: spherical, connect: [p.Q, q]}\n"
                                         "record: [q.velocity, p.omega]\n");
    for (int i = 0; i < 3; i++)
        check_small(o.value[i], exact);
    check_close(o.value[5], 0.37 / sqrt(1.13), exact);
}

/* What is welded stands where the weld says, whatever joint comes first in the file: a ball, walked backward through a hinge that is
 * mounted upside down, would have the base turned over. */
static void a_weld_places_its_body_before_anything_is_guessed(void **unused)
{
    (void)unused;
    static const char *const joints[] = {"  ball: {type: spherical, connect: [ground.far, tip]}\n",
                                         "  sleeve: {type: cylindrical, connect: [base.B, tip.B], start: {angle: 0}}\n",
                                         "  weld: {type: rigid, connect: [ground.O, base.O]}\n"};
    for (int order = 0; order < 3; order++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "ground: {points: {O: {at: [0, 0, 0], z: [0, 0, 1], x: [1, 0, 0]}, far: [0.5, 0, 0.3]}}\n"
                 "bodies:\n  tip: {mass: 1, inertia: [0.1, 0.12, 0.13], points: {B: {at: [0, 0, 0], z: [0, 0, -1], x: [1, 0, 0]}}}\n"
                 "  base: {mass: 1, inertia: [0.1, 0.12, 0.13], points: {O: {at: [0, 0, 0], z: [0, 0, 1], x: [1, 0, 0]}, "
                 "B: {at: [0.5, 0, 0], z: [0, 0, 1], x: [1, 0, 0]}}}\njoints:\n%s%s%s"
                 "record: [base.qw, tip.qw, tip.position]\n",
                 joints[order], joints[(order + 1) % 3], joints[(order + 2) % 3]);
        outcome o = start_somehow("spatial", text);
        check_close(fabs(o.value[0]), 1, exact);
        check_close(o.value[1], 0, exact);
        check_close(o.value[4], 0.3, exact);
    }
}

/* The rows of a joint also vanish half a turn away. That is no position of the joint. */
static void a_joint_that_closes_turned_over_is_refused(void **unused)
{
    (void)unused;
    static const char *const types[] = {"rigid", "prismatic", "revolute", "cylindrical", "planar", "screw"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int over = 0; over < 2; over++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "ground: {points: {O: {at: [0, 0, 0], z: [0, 0, 1], x: [1, 0, 0]}}}\nbodies:\n"
                     "  part: {mass: 1, inertia: [0.1, 0.12, 0.13], position: [0, 0, 0], orientation: {axis: [1, 0, 0], angle: %s}, "
                     "points: {O: {at: [0, 0, 0], z: [0, 0, 1], x: [1, 0, 0]}}}\n"
                     "joints:\n  hold: {type: %s, connect: [ground.O, part.O]%s}\nrecord: [part.qw]\n",
                     over ? "pi" : "0", types[i], strcmp(types[i], "screw") ? "" : ", pitch: 0.1");
            if (over)
                refused("spatial", text, "joint 'hold' closes from these start values only with one of its bodies turned over");
            else
                check_close(start_quietly("spatial", text).value[0], 1, exact);
        }
}

/* Turning alone, which was left open, brings P to 1.414 - 0.374 = 1.04 m and no nearer. */
static void given_values_give_way_where_omitted_ones_are_not_enough(void **unused)
{
    (void)unused;
    outcome o = start("spatial", "bodies: {b: {mass: 1.5, inertia: [0.2, 0.3, 0.25], position: [1, 1, 0], points: {P: [0.1, 0.2, 0.3]}}}\n"
                                 "joints: {w: {type: distance, connect: [ground, b.P], length: 0.9}}\n"
                                 "record: [b.P.x, b.P.y, b.P.z, b.x, b.y, b.z]\n");
    if (!o.ok)
        fail_msg("refused: %s", o.text);
    check_close(sqrt(o.value[0] * o.value[0] + o.value[1] * o.value[1] + o.value[2] * o.value[2]), 0.9, 1e-9);
    const double moved = sqrt((o.value[3] - 1) * (o.value[3] - 1) + (o.value[4] - 1) * (o.value[4] - 1) + o.value[5] * o.value[5]);
    assert_true(moved > sqrt(2) - sqrt(0.14) - 0.9 - 1e-9 && moved < 0.3);
}

/* A drive has the last word on the rate of its joint, and a start rate that gives way to it is told. */
static void a_start_rate_that_a_drive_overrules_is_told(void **unused)
{
    static const char *const drives[] = {"drive-rate: 1", "drive: 0.2 + t"};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int contradicts = 0; contradicts < 2; contradicts++) {
            char text[400];
            snprintf(text, sizeof text,
                     "bodies: {arm: {mass: 1, inertia: 1, points: {A: [-1, 0]}}}\n"
                     "joints: {A: {type: revolute, connect: [ground, arm.A], %s, start: {angle: 0.2, rate: %s}}}\nrecord: [\"A.angle'\"]\n",
                     drives[i], contradicts ? "5" : "1");
            const outcome o = start("planar", text);
            assert_true(o.ok);
            check_close(o.value[0], 1, 1e-12);
            assert_int_equal(strstr(o.text, "start rate of joint 'A' from 5 to 1") != NULL, contradicts);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planar_point_with_a_direction_stays_in_the_plane),
        cmocka_unit_test(the_angle_of_a_pin_grows_with_the_rate_of_its_second_body),
        cmocka_unit_test(an_axis_on_both_sides_leaves_a_body_turned_as_it_is),
        cmocka_unit_test(an_axis_on_both_sides_and_a_start_angle_agree),
        cmocka_unit_test(a_start_counts_from_the_first_side_to_the_second),
        cmocka_unit_test(a_start_angle_counts_from_the_axes_of_planar_points),
        cmocka_unit_test(a_body_is_not_placed_or_turned_twice),
        cmocka_unit_test(a_drive_may_start_beyond_half_a_turn),
        cmocka_unit_test(a_given_motion_that_the_joints_forbid_is_refused),
        cmocka_unit_test(a_given_rest_does_not_disturb_other_bodies),
        cmocka_unit_test(where_the_frame_lies_does_not_matter_for_velocities),
        cmocka_unit_test(where_the_frame_lies_does_not_matter_for_velocities_in_space),
        cmocka_unit_test(an_omitted_value_does_not_depend_on_other_bodies),
        cmocka_unit_test(rounding_is_not_reported),
        cmocka_unit_test(a_weld_places_its_body_before_anything_is_guessed),
        cmocka_unit_test(a_joint_that_closes_turned_over_is_refused),
        cmocka_unit_test(a_start_rate_that_a_drive_overrules_is_told),
        cmocka_unit_test(given_values_give_way_where_omitted_ones_are_not_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
