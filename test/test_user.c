/* Coordinates of the model's own: bodies placed by expressions move as the same bodies with joints do.
 *
 * Every model is written twice. The truth is the family `angle` with joints: other coordinates, other rows, other code. States are
 * random; the twin takes over the motion of the bodies, and accelerations, energies, reactions and powers have to agree.
 */
#include "gallery.h"
#include "dynamics/reactions.h"

/* Both solve linear systems of a condition below 1e4 for numbers of the size of one: eps times that, with a factor of 100. */
static const double agreement = 2e-10;

typedef struct bench {
    dal_messages *messages;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
} bench;

static bench read(const char *text, const char *formulation)
{
    bench b = {.messages = dal_messages_create(NULL)};
    if (dal_spec_parse(NULL, "model.yaml", text, strlen(text), 0, NULL, b.messages, &b.spec) == DAL_OK) {
        if (formulation)
            dal_spec_set(b.spec, "formulation", formulation, b.messages);
        dal_spec_set(b.spec, "stabilization", "direct-correction=1e-13", b.messages);
        if (dal_compile(NULL, b.spec, b.messages, &b.system) == DAL_OK)
            b.state = dal_state_create(NULL, b.system);
    }
    return b;
}

static void first_error(const bench *b, char why[512])
{
    snprintf(why, 512, "no message");
    for (const dal_message *m = dal_messages_first(b->messages); m; m = m->next)
        if (m->severity == DAL_ERROR) {
            dal_message_format(m, why, 512);
            return;
        }
}

static bench open_bench(const char *text, const char *formulation)
{
    bench b = read(text, formulation);
    if (!b.state) {
        char why[512];
        first_error(&b, why);
        fail_msg("%s", why);
    }
    return b;
}

static void close_bench(bench *b)
{
    dal_state_free(b->state);
    dal_system_free(b->system);
    dal_spec_free(b->spec);
    dal_messages_free(b->messages);
}

/* The frames and twists of `from`, in the family of `to`. */
static void follow(const dal_state *from, dal_state *to)
{
    const dal_layout *layout = &to->system->layout;
    dal_state_reset(to);
    dal_state_set_time(to, from->work.t);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        layout->family->place(layout, &to->work, b, from->work.kin[b].r, from->work.kin[b].R);
    layout->family->position(layout, &to->work);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        layout->family->move(layout, &to->work, b, from->work.kin[b].rd, from->work.kin[b].w);
    gallery_adopt(to);
}

/* Of all islands: bodies that time moves are none with those that stand on them. */
static double whole_power(dal_state *state)
{
    double power[8], sum = 0;
    assert_true(state->system->works <= 8);
    dal_state_powers(state, power);
    for (int i = 0; i < state->system->works; i++)
        sum += power[i];
    return sum;
}

static void same_motion(dal_state *a, dal_state *b)
{
    for (int i = 0; i < a->system->mechanism.n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            check_close(x.velocity[k], y.velocity[k], 1e-12);
            check_close(x.omega[k], y.omega[k], 1e-12);
            check_close(x.acceleration[k], y.acceleration[k], agreement * (1 + fabs(y.acceleration[k])));
            check_close(x.alpha[k], y.alpha[k], agreement * (1 + fabs(y.alpha[k])));
        }
    }
    dal_energy e = dal_state_energy(a), f = dal_state_energy(b);
    check_close(e.kinetic, f.kinetic, 1e-12 * (1 + f.kinetic));
    check_close(e.potential, f.potential, 1e-12 * (1 + fabs(f.potential)));
    double of_a = whole_power(a), of_b = whole_power(b);
    check_close(of_a, of_b, agreement * 100 * (1 + fabs(of_b)));
}

static void same_reaction(dal_state *a, dal_state *b, const char *name)
{
    double f[2][3], t[2][3];
    dal_state_reaction(a, dal_system_joint(a->system, name), f[0], t[0]);
    dal_state_reaction(b, dal_system_joint(b->system, name), f[1], t[1]);
    for (int k = 0; k < 3; k++) {
        check_close(f[0][k], f[1][k], agreement * 100 * (1 + fabs(f[1][k])));
        check_close(t[0][k], t[1][k], agreement * 100 * (1 + fabs(t[1][k])));
    }
}

/* In every formulation, at random states of the first; `joints`: names whose reactions both have, ends with NULL. */
static void agree(const char *own, const char *with_joints, const char *const *joints)
{
    bench truth = open_bench(with_joints, NULL);
    int formulations = 0;
    for (int f = 0; dal_formulations[f]; f++) {
        bench b = read(own, dal_formulations[f]->name);
        uint64_t seed = 77;
        if (!b.state) { /* some formulations cannot be used with every model, and some in one family only */
            char why[512];
            first_error(&b, why);
            if (!strstr(why, "needs ignorable coordinates") && !strstr(why, "udwadia-kalaba needs a regular mass matrix") &&
                !strstr(why, "works over the joint tree") && !strstr(why, "component needs `coordinates: angle`"))
                fail_msg("%s: %s", dal_formulations[f]->name, why);
            close_bench(&b);
            continue;
        }
        formulations++;
        for (int i = 0; i < 8; i++) {
            assert_true(gallery_random_state(b.state, &seed, 0.37 * i, 0.4, 1.7));
            assert_int_equal(dal_state_evaluate(b.state, NULL), DAL_OK);
            follow(b.state, truth.state);
            assert_int_equal(dal_state_evaluate(truth.state, NULL), DAL_OK);
            same_motion(b.state, truth.state);
            for (int j = 0; joints && joints[j]; j++)
                same_reaction(b.state, truth.state, joints[j]);
        }
        close_bench(&b);
    }
    assert_true(formulations >= 2);
    close_bench(&truth);
}

/* ---- the same machine, written twice -------------------------------------------------- */

#define PLANAR "dalembert: 1\nspace: planar\ngravity: [0.7, -9.81]\n"
#define SPATIAL "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.8, -9.81]\n"
#define FIRST "  first: {mass: 1.37, inertia: 0.211, center: [0.11, 0.03], points: {A: [-0.45, 0.02], B: [0.43, -0.05], s: [0.2, 0.1]}"
#define SECOND "  second: {mass: 0.83, inertia: 0.132, center: [-0.04, 0.06], points: {B: [-0.3, 0.04]}"
#define SPRING "forces:\n  spring: {type: spring-damper, connect: [ground, second], stiffness: 31, damping: 1.7, length: 0.4}\n"

static const char double_pendulum[] = PLANAR
    "bodies:\n" FIRST ", position: [0.45*cos(0.7) + 0.02*sin(0.7), 0.45*sin(0.7) - 0.02*cos(0.7)], "
    "angle: 0.7}\n" SECOND "}\njoints:\n  A: {type: revolute, connect: [ground, first.A]}\n  B: {type: revolute, connect: [first.B, second.B], "
    "start: {angle: -0.4}}\n" SPRING;

static void a_double_pendulum_in_its_angles_moves_as_with_joints(void **unused)
{
    (void)unused;
    agree(PLANAR "coordinates: {a: 0.7, b: -0.4}\nbodies:\n" FIRST
                 ", position: [0.45*cos(a) + 0.02*sin(a), 0.45*sin(a) - 0.02*cos(a)], angle: a}\n" SECOND
                 ", from: first, position: [0.43 + 0.3*cos(b) + 0.04*sin(b), -0.05 + 0.3*sin(b) - 0.04*cos(b)], angle: b}\n" SPRING,
          double_pendulum, NULL);
}

static void absolute_coordinates_of_the_user_give_the_reactions_of_the_joints(void **unused)
{
    static const char *const joints[] = {"A", "B", NULL};
    (void)unused;
    agree(PLANAR "coordinates: {x1: 0.36, y1: 0.27, a: {start: 0.7, fix: true}, u: 0.3, v: 0.5, b: {start: 0.3, fix: true}}\nbodies:\n" FIRST
                 ", position: [x1, y1], angle: a}\n" SECOND ", position: [u + 0.3*v, v - 0.2*u^2], angle: b}\n"
                 "joints:\n  A: {type: revolute, connect: [ground, first.A]}\n  B: {type: revolute, connect: [first.B, second.B]}\n" SPRING,
          double_pendulum, joints);
}

static const char shaken[] =
    PLANAR "bodies:\n  block: {mass: 2.3, inertia: 0.4, position: [0, 0.05], points: {P: [0.1, 0.05]}}\n"
           "  bar: {mass: 1.1, inertia: 0.08, center: [0.02, 0.01], position: [0.1, -0.25], points: {P: [0, 0.35]}}\n"
           "joints:\n  guide: {type: prismatic, connect: [ground, block], axis: [1, 0], drive: 0.1*sin(3*t)}\n"
           "  P: {type: revolute, connect: [block.P, bar.P]}\nforces:\n  wind: {type: force, body: bar, value: [0.7*bar.y', 0.3*t]}\n";

#define BLOCK "  block: {mass: 2.3, inertia: 0.4, position: [0.1*sin(3*t), 0.05], points: {P: [0.1, 0.05]}}\n"
#define BAR "  bar: {mass: 1.1, inertia: 0.08, center: [0.02, 0.01], points: {P: [0, 0.35]}"
#define WIND "forces:\n  wind: {type: force, body: bar, value: [0.7*bar.y', 0.3*t]}\n"

static const char shaken_own[] =
    PLANAR "coordinates: {th: {start: 0.8, rate: -0.4}}\nbodies:\n" BLOCK BAR
           ", from: block, position: [0.1 + 0.35*sin(th), 0.05 - 0.35*cos(th)], angle: th}\n" WIND "simulate: {until: 3, rtol: 1e-11, atol: 1e-12}\n";

static const char shaken_jointed[] = PLANAR "coordinates: {x: 0.3, y: -0.2, th: {start: 0.8, rate: -0.4}}\nbodies:\n" BLOCK BAR
                                            ", position: [x, y], angle: th}\njoints:\n  P: {type: revolute, connect: [block.P, bar.P]}\n" WIND
                                            "simulate: {until: 3, rtol: 1e-11, atol: 1e-12}\n";

static void a_body_that_time_moves_is_a_driven_one(void **unused)
{
    static const char *const joints[] = {"P", NULL};
    (void)unused;
    agree(shaken_own, shaken, NULL);
    agree(shaken_jointed, shaken, joints);
}

/* The work of what moves the block is counted: the balance is kept to the tolerance of the run. */
static void a_shaken_model_keeps_its_energy_balance(void **unused)
{
    static const char *const models[] = {shaken_own, shaken_jointed};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        bench b = open_bench(models[i], NULL);
        dal_evidence evidence;
        dal_run_options options = {0};
        assert_int_equal(dal_run(b.system, &options, b.messages, &evidence), DAL_OK);
        assert_true(fabs(evidence.energy_end - evidence.energy_start) > 0.1);
        check_small(evidence.energy_drift, 1e-8);
        close_bench(&b);
    }
}

#define TOP "  top: {mass: 1.7, inertia: [0.11, 0.13, 0.07, 0.01, -0.008, 0.012], center: [0.02, -0.03, 0.4], points: {O: [0.01, 0.02, -0.05]}"

static const char top[] = SPATIAL "bodies:\n" TOP ", position: [0, 0, 0]}\njoints:\n  O: {type: spherical, connect: [ground, top.O]}\n";

static void a_top_in_euler_angles_is_a_top_on_a_ball(void **unused)
{
    (void)unused;
    agree(SPATIAL
          "coordinates: {psi: 0.4, th: 0.9, phi: -0.3}\ndefine: {c: cos(th), s: sin(th), u: 0.01*cos(phi) - 0.02*sin(phi), v: 0.01*sin(phi) + "
          "0.02*cos(phi), w: c*v + 0.05*s}\nbodies:\n" TOP ", position: [sin(psi)*w - cos(psi)*u, -sin(psi)*u - cos(psi)*w, 0.05*c - s*v], "
          "orientation: {euler-zxz: [psi, th, phi]}}\n",
          top, NULL);
}

/* Every way of writing an attitude, with the ball as a joint: rows on frames that expressions turn. */
static void every_orientation_by_expressions_is_a_rotation_with_exact_derivatives(void **unused)
{
    static const char *const ways[] = {"coordinates: {x: 0, y: 0, z: 0, a: 0.3, b: 0.5, c: -0.2}\nbodies:\n" TOP
                                       ", position: [x, y, z], orientation: {rpy: [a, b, c]}}\n",
                                       "coordinates: {x: 0, y: 0, z: 0, a: 0.3, b: 0.5, c: -0.2}\nbodies:\n" TOP
                                       ", position: [x, y, z], orientation: {euler-yxz: [a + 0.2*b, b, c]}}\n",
                                       "coordinates: {x: 0, y: 0, z: 0, a: 0.3, b: 0.5, c: -0.2}\nbodies:\n" TOP
                                       ", position: [x, y, z], orientation: {x: [1, a, b], y: [c, 1, 0.2*a]}}\n",
                                       "coordinates: {x: 0, y: 0, z: 0, a: 0.3, b: 0.5, c: -0.2}\nbodies:\n" TOP
                                       ", position: [x, y, z], orientation: {z: [b, a, 1], y: [0.3, 1, c]}}\n",
                                       "coordinates: {x: 0, y: 0, z: 0, a: 0.3, b: 0.5, c: -0.2}\nbodies:\n" TOP
                                       ", position: [x, y, z], orientation: {quaternion: {w: 1, x: a, y: b, z: c}}}\n",
                                       "coordinates: {x: 0, y: 0, z: 0, e: {start: 1.1, fix: true}, a: 0.3, b: 0.5, c: -0.2}\nbodies:\n" TOP
                                       ", position: [x, y, z], orientation: {quaternion: {w: e, x: a, y: b, z: c}}}\nconstraints: {size: {position: "
                                       "e^2 + a^2 + b^2 + c^2 - 1.7}}\n"};
    (void)unused;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char text[2000];
        static const char *const joints[] = {"O", NULL};
        snprintf(text, sizeof text, "%s%sjoints:\n  O: {type: spherical, connect: [ground, top.O]}\n", SPATIAL, ways[i]);
        agree(text, top, joints);
    }
}

static void a_hinge_about_a_skew_axis_turns_about_it(void **unused)
{
    (void)unused;
    agree(SPATIAL "coordinates: {a: 0.6}\nbodies:\n" TOP
                  ", position: [0.3, 0.1, -0.2], orientation: {axis: [0.3, -1.2, 0.7], angle: 2*a + 0.3*a^2}}\n",
          SPATIAL "bodies:\n" TOP ", position: [0.3, 0.1, -0.2]}\njoints:\n  H: {type: revolute, connect: [ground.H, top], axis: [0.3, -1.2, 0.7]}\n"
                  "ground: {points: {H: [0.3, 0.1, -0.2]}}\n",
          NULL);
}

/* ---- start values ------------------------------------------------------------------------ */

#define CRANK PLANAR "bodies:\n  a: {mass: 1, inertia: 0.1, position: [x, y], angle: th, points: {P: [1, 0]}}\n"

static void omitted_start_values_meet_the_constraints_and_given_ones_stay(void **unused)
{
    (void)unused;
    bench b =
        open_bench(CRANK "coordinates: {x: {}, y: {}, th: {start: 0.5, rate: 2}}\njoints:\n  O: {type: revolute, connect: [ground, a.P]}\n", NULL);
    const double *y = dal_state_y(b.state);
    check_close(y[0], -cos(0.5), 1e-14);
    check_close(y[1], -sin(0.5), 1e-14);
    check_close(y[2], 0.5, 0);
    check_close(y[3], 2 * sin(0.5), 1e-14);
    check_close(y[4], -2 * cos(0.5), 1e-14);
    check_close(y[5], 2, 0);
    for (const dal_message *m = dal_messages_first(b.messages); m; m = m->next)
        fail_msg("%s", m->text);
    close_bench(&b);
}

/* x^2 + y^2 = 1 from (2, 1): the nearest point is on the ray, if both have the same scale. */
static void given_start_values_that_contradict_move_the_least_way(void **unused)
{
    (void)unused;
    bench b = open_bench(PLANAR "coordinates: {x: {start: 2, rate: 1}, y: {start: 1, rate: 1}}\nbodies:\n  p: {mass: 1, position: [x, y]}\n"
                                "constraints: {circle: {position: x^2 + y^2 - 1}}\n",
                         NULL);
    const double *y = dal_state_y(b.state);
    check_close(y[0], 2 / sqrt(5), 1e-12);
    check_close(y[1], 1 / sqrt(5), 1e-12);
    check_close(y[2], 1 - 1.2, 1e-12); /* (1, 1) less its part along (2, 1) / sqrt 5 */
    check_close(y[3], 1 - 0.6, 1e-12);
    int notes = 0;
    for (const dal_message *m = dal_messages_first(b.messages); m; m = m->next)
        notes += strstr(m->text, "assembly moved ") || strstr(m->text, "assembly changed the start rate of coordinate");
    assert_int_equal(notes, 4);
    close_bench(&b);
    b = open_bench(PLANAR "coordinates: {x: {start: 0.6, fix: true}, y: {start: 1}}\nbodies:\n  p: {mass: 1, position: [x, y]}\n"
                          "constraints: {circle: {position: x^2 + y^2 - 1}}\n",
                   NULL);
    check_close(dal_state_y(b.state)[0], 0.6, 0);
    check_close(dal_state_y(b.state)[1], 0.8, 1e-14);
    close_bench(&b);
}

static void angles_of_the_bodies_count_the_turns_that_were_written(void **unused)
{
    (void)unused;
    bench b = open_bench(PLANAR "coordinates: {a: 7, b: 13}\nbodies:\n" FIRST ", position: [a, 0], angle: a}\n" SECOND
                                ", from: first, position: [0.1, 0], angle: b}\nrecord: [first.angle, second.angle]\n",
                         NULL);
    double row[3];
    assert_int_equal(dal_state_evaluate(b.state, NULL), DAL_OK);
    assert_int_equal(dal_state_record(b.state, row), 0);
    check_close(row[1], 7, 1e-14);
    check_close(row[2], 20, 1e-14);
    close_bench(&b);
}

/* ---- what is refused ----------------------------------------------------------------------- */

static void wrong_models_are_refused_with_a_sentence(void **unused)
{
    static const struct {
        const char *text, *sentence;
    } wrong[] = {
        {"bodies: {p: {mass: 1, position: [1, 2]}}\nsimulate: {coordinates: user}\n", "family user needs `coordinates:`"},
        {"bodies: {p: {mass: 1, position: [1, 2]}, s: {mass: 1, from: p, position: [1, 2]}}\n", "needs `coordinates:` in the model"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [x, 2]}}\nsimulate: {coordinates: natural}\n", "only the family user applies"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [x, 2]}, s: {mass: 1}}\n", "'s' has no `position`"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [x, 2]}, s: {mass: 1, position: [1, 2]}}\n",
         "moved neither by a coordinate nor by time"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [abs(x), 2]}}\n", "has corners"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [x', 2]}}\n", "a body is placed by the coordinates of the model"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [x, 2]}, s: {mass: 1, position: [p.x, 2]}}\n",
         "a body is placed by the coordinates of the model"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [x, 2], velocity: [1, 0]}}\n", "has no `velocity`"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, inertia: 1, position: [x, 2], rate: 2}}\n", "has no `rate`"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, from: q, position: [x, 2]}, q: {mass: 1, from: p, position: [x, 2]}}\n",
         "which is placed from it"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, from: p, position: [x, 2]}}\n", "which is placed from it"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, from: pp, position: [x, 2]}}\n", "which is not a body"},
        {"coordinates: {x: 1, y: 2}\nbodies: {p: {mass: 1, position: [x, 2]}}\n", "accelerations of y' are not determined"},
        {"coordinates: {x: 1}\nbodies: {p: {mass: 1, position: [1/(x - 1), 2]}}\n", "is not a finite number"},
        {"coordinates: {x: {start: 2, fix: true}}\nbodies: {p: {mass: 1, position: [x, 2]}}\nconstraints: {c: {position: x - 1}}\n",
         "constraint 'c' stays open by 1; fixed, and perhaps against it: the start of 'x'"},
        {"coordinates: {x: {start: 1, rate: {value: 2, fix: true}}}\nbodies: {p: {mass: 1, position: [x, 2]}}\nconstraints: {c: {position: x - 1}}\n",
         "the start velocities contradict the constraints"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1000], why[512];
        snprintf(text, sizeof text, "dalembert: 1\nspace: planar\n%s", wrong[i].text);
        bench b = read(text, NULL);
        first_error(&b, why);
        if (b.system || !strstr(why, wrong[i].sentence))
            fail_msg("%s: %s, but expected: %s", wrong[i].text, b.system ? "runs" : why, wrong[i].sentence);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_in_its_angles_moves_as_with_joints),
        cmocka_unit_test(absolute_coordinates_of_the_user_give_the_reactions_of_the_joints),
        cmocka_unit_test(a_body_that_time_moves_is_a_driven_one),
        cmocka_unit_test(a_shaken_model_keeps_its_energy_balance),
        cmocka_unit_test(a_top_in_euler_angles_is_a_top_on_a_ball),
        cmocka_unit_test(every_orientation_by_expressions_is_a_rotation_with_exact_derivatives),
        cmocka_unit_test(a_hinge_about_a_skew_axis_turns_about_it),
        cmocka_unit_test(omitted_start_values_meet_the_constraints_and_given_ones_stay),
        cmocka_unit_test(given_start_values_that_contradict_move_the_least_way),
        cmocka_unit_test(angles_of_the_bodies_count_the_turns_that_were_written),
        cmocka_unit_test(wrong_models_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
