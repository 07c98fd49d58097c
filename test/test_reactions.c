/* Reactions that are not unique, and those that do work: distributions in closed form, and laws that belong to a joint. */
#include "dynamics/row_rank.h"
#include "gallery.h"
#include "dynamics/reactions.h"

#include <math.h>

static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint"};
enum { FAMILIES = 4 };

#define DOOR                                                                                                                                         \
    "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"                                                                                         \
    "ground: {points: {P: [0, 0, 0.2], Q: [0, 0, 1], R: [0, 0, 1.8]}}\n"                                                                             \
    "bodies: {door: {mass: 20, inertia: [8, 8, 2], center: [0.4, 0, 1], position: [0, 0, 0], points: {P: [0, 0, 0.2], Q: [0, 0, 1], R: [0, 0, "      \
    "1.8]}}}\n"                                                                                                                                      \
    "joints:\n"                                                                                                                                      \
    "  lower: {type: revolute, connect: [ground.P, door.P], axis: [0, 0, 1]%s}\n"                                                                    \
    "  middle: {type: revolute, connect: [ground.Q, door.Q], axis: [0, 0, 1]%s}\n"                                                                   \
    "  upper: {type: revolute, connect: [ground.R, door.R], axis: [0, 0, 1]%s}\n"                                                                    \
    "simulate: {until: 0.01}\n"

/* Hinges at the heights h from the middle share the weight W and its moment M = 0.4 W: sum h f + sum T = M. What is least is sum a f^2 + b T^2,
 * so that f = k h / a, T = k / b, k (sum h^2 / a + 3 / b) = M. */
static void door(const char *compliance, double a, double b)
{
    char text[1600];
    const double W = 20 * 9.81, M = 0.4 * W, k = M / (2 * 0.8 * 0.8 / a + 3 / b), height[3] = {-0.8, 0, 0.8};
    snprintf(text, sizeof text, DOOR, compliance, compliance, compliance);
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *system = gallery_compile_text(text, families[f], "lagrange");
        dal_state *state = dal_state_create(NULL, system);
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        for (int j = 0; j < 3; j++) {
            double F[3], T[3];
            dal_state_reaction(state, j, F, T);
            check_close(F[0], -k * height[j] / a, 1e-9 * W);
            check_close(F[1], 0, 1e-9 * W);
            check_close(F[2], W / 3, 1e-9 * W);
            check_close(T[1], -k / b, 1e-9 * W);
        }
        dal_state_free(state);
        dal_system_free(system);
    }
}

static void a_door_on_three_hinges_is_carried_as_the_norm_or_the_compliances_say(void **unused)
{
    (void)unused;
    const double L2 = 0.4 * 0.4 + 0.8 * 0.8; /* the largest lever: from the centre to the upper hinge */
    door("", 1, 1 / L2);
    door(", compliance: [1e-6, 1e-3]", 1e-6, 1e-3);
    door(", compliance: [2e-5, 1e-7]", 2e-5, 1e-7);
}

/* One joint alone gives way: the others, taken for rigid, carry what they can without it. */
static void joints_without_compliance_are_rigid(void **unused)
{
    (void)unused;
    char text[1600];
    snprintf(text, sizeof text, DOOR, "", ", compliance: [1e-6, 1e-6]", "");
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    dal_state *state = dal_state_create(NULL, system);
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    double F[3], T[3];
    dal_state_reaction(state, 1, F, T);
    for (int i = 0; i < 3; i++) {
        check_close(F[i], 0, 1e-6);
        check_close(T[i], 0, 1e-6);
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void the_evidence_names_what_is_not_unique(void **unused)
{
    (void)unused;
    static const char planar_in_space[] =
        "dalembert: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nground: {points: {D: [3, 0, 0]}}\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.01, 0.1, 0.1], between: [ground, b.l], points: {l: [-0.5, 0, 0], r: [0.5, 0, 0]}}\n"
        "  b: {mass: 1, inertia: [0.01, 0.3, 0.3], position: [1.5, 1, 0], points: {l: [-1.5, 0, 0], r: [1.5, 0, 0]}}\n"
        "  c: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [3, 0.5, 0], orientation: {axis: [0, 0, 1], angle: pi/2}, points: {l: [-0.5, 0, 0], r: "
        "[0.5, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, connect: [ground, a.l], axis: [0, 0, 1]}\n  B: {type: revolute, connect: [a.r, b.l], axis: [0, 0, 1]}\n"
        "  C: {type: revolute, connect: [b.r, c.r], axis: [0, 0, 1]}\n  E: {type: revolute, connect: [c.l, ground.D], axis: [0, 0, 1]}\n"
        "simulate: {until: 0.01}\n";
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *system = gallery_compile_text(planar_in_space, families[f], "lagrange");
        dal_evidence evidence;
        assert_int_equal(dal_run(system, NULL, NULL, &evidence), DAL_OK);
        assert_string_equal(evidence.loose, "A (force z, torque x, y), B (force z, torque x, y), C (force z, torque x, y), E (force z, torque x, y)");
        dal_system_free(system);
    }
    dal_system *system = gallery_compile_text("dalembert: 1\nspace: planar\nbodies: {rod: {mass: 1, inertia: 1, position: [1, 0]}}\n"
                                              "joints: {A: {type: revolute, connect: [ground, rod]}}\nsimulate: {until: 0.01}\n",
                                              "angle", "lagrange");
    dal_evidence evidence;
    assert_int_equal(dal_run(system, NULL, NULL, &evidence), DAL_OK);
    assert_string_equal(evidence.loose, "");
    dal_system_free(system);
}

/* A law moves bodies like an applied force (4.24 of `udwadia-phohomsiri`), and is part of the joint's reaction. */
static void a_law_of_a_joint_is_a_force_that_belongs_to_it(void **unused)
{
    (void)unused;
    static const char *const formulations[] = {"lagrange", "udwadia-kalaba", "udwadia-phohomsiri", "maggi", "kane", "volterra"};
#define ROD                                                                                                                                          \
    "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"                                                                                             \
    "bodies: {rod: {mass: 2, inertia: 0.3, center: [0.1, 0.05], position: [0.5, 0], rate: 1.3, points: {P: [-0.5, 0]}}}\n"
    static const char with_law[] =
        ROD "joints: {A: {type: revolute, connect: [ground, rod.P], non-ideal: {angle: \"-0.4*A.angle' + 0.1*t\", rod.x: 0.3}}}\n"
            "simulate: {until: 1}\n";
    static const char with_forces[] =
        ROD "joints: {A: {type: revolute, connect: [ground, rod.P]}}\n"
            "forces: {d: {type: motor, joint: A, value: \"-0.4*A.angle' + 0.1*t\"}, f: {type: force, body: rod, value: [0.3, 0]}}\n"
            "simulate: {until: 1}\n";
    for (int f = 0; f < FAMILIES; f++)
        for (int k = 0; k < 6; k++) {
            dal_system *law = gallery_compile_text(with_law, families[f], formulations[k]),
                       *force = gallery_compile_text(with_forces, families[f], formulations[k]);
            dal_state *a = dal_state_create(NULL, law), *b = dal_state_create(NULL, force);
            uint64_t seed = 3;
            assert_true(gallery_random_state(a, &seed, 0.4, 0.5, 2));
            assert_int_equal(dal_state_evaluate(a, NULL), DAL_OK);
            gallery_copy_motion(a, b);
            assert_int_equal(dal_state_evaluate(b, NULL), DAL_OK);
            dal_motion x = dal_state_body(a, 0), y = dal_state_body(b, 0);
            double F[2][3], T[2][3], torque = -0.4 * x.omega[2] + 0.1 * 0.4;
            dal_state_reaction(a, 0, F[0], T[0]);
            dal_state_reaction(b, 0, F[1], T[1]);
            check_close(x.alpha[2], y.alpha[2], 1e-10 * 100);
            check_close(F[0][0] - F[1][0], 0.3, 1e-10 * 100);
            check_close(F[0][1] - F[1][1], 0, 1e-10 * 100);
            /* the torque of the law, and of the force 0.3 at the rod's origin, about the pin */
            check_close(T[0][2] - T[1][2], torque - 0.3 * (x.position[1] - 0), 1e-10 * 100);
            dal_state_free(a), dal_state_free(b);
            dal_system_free(law), dal_system_free(force);
        }
}

#define BARS                                                                                                                                         \
    "dalembert: 1\nspace: planar\ngravity: [0.4, -9.81]\nbodies:\n"                                                                                  \
    "  a: {mass: 1.3, inertia: 0.11, points: {A: [-0.5, 0], B: [0.5, 0]}}\n"                                                                         \
    "  b: {mass: 0.7, inertia: 0.07, points: {B: [-0.4, 0], C: [0.4, 0]}}\n  c: {mass: 0.9, inertia: 0.1, points: {C: [-0.3, 0]}}\n"                 \
    "joints:\n  A: {type: revolute, connect: [ground, a.A], start: {angle: 0.3, rate: 1.7}}\n"                                                       \
    "  B: {type: revolute, connect: [a.B, b.B], start: {angle: 0.5}}\n  C: {type: revolute, connect: [b.C, c.C], start: {angle: -0.8, rate: 2.3}}\n" \
    "constraints:\n  once: {velocity: \"A.angle' - (0.8 + 0.3*sin(B.angle))*B.angle'\"}\n"

/* A constraint that is said twice is shared in no unique way, but what the joints carry is. */
static void a_constraint_said_twice_leaves_the_reactions_of_the_joints_alone(void **unused)
{
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        dal_system *once = gallery_compile_text(BARS, families[f], "lagrange");
        dal_system *twice =
            gallery_compile_text(BARS "  again: {velocity: \"A.angle' - (0.8 + 0.3*sin(B.angle))*B.angle'\"}\n", families[f], "lagrange");
        dal_state *a = dal_state_create(NULL, once), *b = dal_state_create(NULL, twice);
        assert_int_equal(dal_state_evaluate(a, NULL), DAL_OK);
        assert_int_equal(dal_state_evaluate(b, NULL), DAL_OK);
        assert_true(b->rank->n < twice->layout.n_rows);
        for (int j = 0; j < 3; j++) {
            double F[2][3], T[2][3];
            dal_state_reaction(a, j, F[0], T[0]);
            dal_state_reaction(b, j, F[1], T[1]);
            for (int k = 0; k < 3; k++) {
                check_close(F[0][k], F[1][k], 1e-11 * 9.81);
                check_close(T[0][k], T[1][k], 1e-11 * 9.81);
            }
            for (int k = 0; k < 6; k++)
                assert_false(b->reactions->loose[6 * j + k]);
        }
        dal_state_free(a), dal_state_free(b);
        dal_system_free(once), dal_system_free(twice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constraint_said_twice_leaves_the_reactions_of_the_joints_alone),
        cmocka_unit_test(a_door_on_three_hinges_is_carried_as_the_norm_or_the_compliances_say),
        cmocka_unit_test(joints_without_compliance_are_rigid),
        cmocka_unit_test(the_evidence_names_what_is_not_unique),
        cmocka_unit_test(a_law_of_a_joint_is_a_force_that_belongs_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
