/* Stick and slip where velocities are not projected on the constraints: linkages by chance, with dry joints, move in every stabilisation as
 * they do in mass-projection. */
#include "text_runs.h"

#include <stdlib.h>

enum { MOST_WORDS = 4000, LINKAGES = 15 };

/* ---- linkages by chance ------------------------------------------------------------------------ */

typedef struct linkage {
    uint64_t seed;
    double unit; /* of lengths, m */
    char bodies[MOST_WORDS], joints[MOST_WORDS], ground[MOST_WORDS], text[4 * MOST_WORDS];
} linkage;

static double between(linkage *l, double low, double high)
{
    return low + (high - low) * (check_random(&l->seed) + 1) / 2;
}

static void say(char text[MOST_WORDS], const char *format, ...) DAL_PRINTF(2, 3);

static void say(char text[MOST_WORDS], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(text + used, MOST_WORDS - used, format, list);
    va_end(list);
    assert_true(n >= 0 && used + (size_t)n < MOST_WORDS);
}

/* ", friction: {...}" with more at rest than in motion, for most joints. */
static void say_friction(linkage *l, bool pin)
{
    const double sliding = between(l, 0.2, 0.8), resting = sliding * between(l, 1.05, 1.6), radius = between(l, 0.02, 0.05) * l->unit;
    if (between(l, 0, 1) > 0.75)
        return;
    say(l->joints, ", friction: {coefficient: %.17g, static: %.17g", sliding, resting);
    if (pin)
        say(l->joints, ", radius: %.17g", radius);
    say(l->joints, "}");
}

static void add_pin(linkage *l, const char *name, const char *first, const char *second)
{
    say(l->joints, "  %s: {type: revolute, connect: [%s, %s]", name, first, second);
    say_friction(l, true);
    say(l->joints, "}\n");
}

/* A rod from P to Q, with points P and Q at its ends. */
static void add_rod(linkage *l, const char *name, const double P[2], const double Q[2])
{
    const double length = hypot(Q[0] - P[0], Q[1] - P[1]), mass = between(l, 0.5, 2);
    say(l->bodies,
        "  %s: {mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, points: {P: [%.17g, 0], Q: "
        "[%.17g, 0]}}\n",
        name, mass, mass * length * length * between(l, 0.07, 0.12), (P[0] + Q[0]) / 2, (P[1] + Q[1]) / 2, atan2(Q[1] - P[1], Q[0] - P[0]),
        -length / 2, length / 2);
}

/* A rod from the crank's end B to a slider on a line through (0, 0) + offset, along x or y. */
static void add_slider(linkage *l, const double B[2], int axis)
{
    const double length = between(l, 0.4, 0.8) * l->unit, offset = between(l, -0.05, 0.05) * l->unit, across = B[1 - axis] - offset;
    double C[2];
    C[axis] = B[axis] + sqrt(length * length - across * across);
    C[1 - axis] = offset;
    char rod[16], slider[16], end[32];
    snprintf(rod, sizeof rod, "rod%d", axis);
    snprintf(slider, sizeof slider, "slider%d", axis);
    snprintf(end, sizeof end, "rod%d.P", axis);
    add_rod(l, rod, B, C);
    say(l->bodies, "  %s: {mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], angle: 0}\n", slider, between(l, 0.5, 3), 0.02 * l->unit * l->unit,
        C[0], C[1]);
    add_pin(l, axis ? "B1" : "B0", "crank.Q", end);
    snprintf(end, sizeof end, "rod%d.Q", axis);
    add_pin(l, axis ? "C1" : "C0", end, slider);
    say(l->ground, "%sG%d: [%.17g, %.17g]", *l->ground ? ", " : "", axis, axis ? offset : 0, axis ? 0 : offset);
    say(l->joints, "  guide%d: {type: prismatic, connect: [ground.G%d, %s], axis: [%d, %d]", axis, axis, slider, !axis, axis);
    say_friction(l, false);
    say(l->joints, "}\n");
}

/* A coupler and a rocker to a pin on the ground. */
static void add_rocker(linkage *l, const double B[2])
{
    const double coupler = between(l, 0.45, 0.6) * l->unit, rocker = between(l, 0.5, 0.6) * l->unit, D[2] = {0.6 * l->unit, 0};
    const double dx = D[0] - B[0], dy = D[1] - B[1], R = hypot(dx, dy), x = (coupler * coupler - rocker * rocker + R * R) / (2 * R);
    const double y = sqrt(coupler * coupler - x * x), C[2] = {B[0] + (x * dx - y * dy) / R, B[1] + (x * dy + y * dx) / R};
    add_rod(l, "coupler", B, C);
    add_rod(l, "rocker", C, D);
    add_pin(l, "B", "crank.Q", "coupler.P");
    add_pin(l, "C", "coupler.Q", "rocker.P");
    say(l->ground, "D: [%.17g, 0]", D[0]);
    add_pin(l, "D", "rocker.Q", "ground.D");
}

/* A slider-crank, one with two sliders, or a four-bar; its crank is driven to and fro. */
static const char *make_linkage(linkage *l, int number, double unit)
{
    *l = (linkage){.seed = 1000 + (uint64_t)number, .unit = unit};
    check_random(&l->seed);
    const double crank = between(l, 0.1, 0.25) * unit, angle = between(l, -3, 3), mass = between(l, 0.5, 2);
    const double B[2] = {crank * cos(angle), crank * sin(angle)}, time = sqrt(unit); /* under the same weight */
    say(l->bodies, "  crank: {mass: %.17g, inertia: %.17g, points: {P: [%.17g, 0], Q: [%.17g, 0]}}\n", mass, mass * crank * crank / 10, -crank / 2,
        crank / 2);
    say(l->joints, "  A: {type: revolute, connect: [ground, crank.P], start: {angle: %.17g, rate: %.17g, fix: true}", angle,
        between(l, -4, 4) / time);
    say_friction(l, true);
    say(l->joints, "}\n");
    if (number % 3 == 2) {
        add_rocker(l, B);
    } else {
        add_slider(l, B, 0);
        if (number % 3 == 1)
            add_slider(l, B, 1);
    }
    snprintf(l->text, sizeof l->text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {%s}}\nbodies:\n%sjoints:\n%sforces: "
             "{T: {type: motor, joint: A, value: "
             "\"%.17g*sin(%.17g*t + %.17g)\"}}\nsimulate: {until: %.17g, every: %.17g, rtol: 1e-8, atol: "
             "1e-8}\nrecord: [crank.angle, crank.omega, A.force, A.torque%s]\n",
             l->ground, l->bodies, l->joints, between(l, 2, 8) * unit, between(l, 3, 8) / time, between(l, 0, 6), 0.8 * time, 0.01 * time,
             number % 3 == 2 ? ", C.force, D.torque" : ", C0.force, guide0.force");
    return l->text;
}

/* ---- comparisons ------------------------------------------------------------------------------ */

/* Angles over the run, and reactions in rows where both stand still; `exact` relative to a radian and to the largest reaction. */
static void same_motion(const trajectory *one, const trajectory *other, const char *settings, const char *text, double exact)
{
    double angle = 0, fastest = 0, largest = 0, reaction = 0;
    assert_int_equal(one->rows, other->rows);
    for (int i = 0; i < one->rows; i++) {
        angle = fmax(angle, fabs(at(one, i, 1) - at(other, i, 1)));
        fastest = fmax(fastest, fabs(at(one, i, 2)));
        for (int k = 3; k < one->n; k++)
            largest = fmax(largest, fabs(at(one, i, k)));
    }
    for (int i = 0; i < one->rows; i++)
        for (int k = 3; k < one->n && fmax(fabs(at(one, i, 2)), fabs(at(other, i, 2))) < 1e-8 * fastest; k++)
            reaction = fmax(reaction, fabs(at(one, i, k) - at(other, i, k)));
    if (!(angle <= exact) || !(reaction <= exact * largest))
        fail_msg("%s: the crank is off by %.3g rad, reactions at rest by %.3g of %.3g\n%s", settings, angle, reaction, largest, text);
}

/* Rows in which the crank stands still. */
static int resting_rows(const trajectory *run)
{
    int n = 0;
    for (int i = 1; i < run->rows; i++)
        n += fabs(at(run, i, 2)) < 1e-8 * fabs(at(run, 0, 2));
    return n;
}

static void same_as_projected(const char *text, const char *common, const char *settings, const trajectory *projected, double exact)
{
    char all[200];
    snprintf(all, sizeof all, "%s %s", settings, common);
    trajectory run = run_text_well(text, all);
    same_motion(projected, &run, all, text, exact);
    free(run.value);
}

static trajectory project(const char *text, const char *common)
{
    char all[200];
    snprintf(all, sizeof all, "stabilization=mass-projection %s", common);
    return run_text_well(text, all);
}

static const char *const unprojected[] = {"stabilization=none", "stabilization=baumgarte", "formulation=component", "stabilization=penalty"};
static const char *const others[] = {"stabilization=coordinate-partitioning", "stabilization=direct-correction",
                                     "formulation=kane stabilization=none", "coordinates=natural stabilization=none",
                                     "coordinates=joint formulation=recursive stabilization=baumgarte"};
enum { UNPROJECTED = sizeof unprojected / sizeof *unprojected, OTHERS = sizeof others / sizeof *others };

/* A pin beside a guide that has stopped holds with what is wanted of it, not with its limit: 13.440 rad, not 13.380. */
static void a_pin_at_rest_beside_a_dry_guide_does_not_push(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                               "  crank: {mass: 1, inertia: 0.01, points: {A: [-0.1, 0], B: [0.1, 0]}}\n"
                               "  rod: {mass: 1.5, inertia: 0.05, between: [crank.B, slider], points: {B: [-0.3, 0], C: [0.3, 0]}}\n"
                               "  slider: {mass: 2, inertia: 0.02, position: [0.75026, 0.05], angle: 0}\njoints:\n"
                               "  A: {type: revolute, connect: [ground, crank.A], start: {angle: -0.55, rate: 4, fix: true}}\n"
                               "  B: {type: revolute, connect: [crank.B, rod.B]}\n"
                               "  C: {type: revolute, connect: [rod.C, slider], friction: {coefficient: 0.7, radius: 0.03}}\n"
                               "  guide: {type: prismatic, connect: [ground, slider], axis: [1, 0], friction: {coefficient: 0.7, static: "
                               "0.91}}\n"
                               "forces: {T: {type: motor, joint: A, value: \"8*sin(3*t)\"}}\n"
                               "simulate: {until: 2, every: 0.01, rtol: 1e-9, atol: 1e-9}\nrecord: [crank.angle, crank.omega, C.torque, "
                               "guide.force]\n";
    trajectory projected = project(text, "");
    check_close(last(&projected, 1), 13.440, 1e-3);
    for (int k = 0; k < UNPROJECTED; k++)
        same_as_projected(text, "", unprojected[k], &projected, 1e-4);
    free(projected.value);
}

static void linkages_with_dry_joints_move_alike_in_every_stabilization(void **unused)
{
    (void)unused;
    static linkage l;
    int rest = 0;
    for (int number = 0; number < LINKAGES; number++) {
        const char *text = make_linkage(&l, number, 1);
        trajectory projected = project(text, "");
        const bool rests = resting_rows(&projected) > 0; /* nothing to get wrong where it does not */
        for (int k = 0; k < UNPROJECTED && rests; k++)
            same_as_projected(text, "", unprojected[k], &projected, 1e-4);
        if (rests)
            same_as_projected(text, "", others[rest++ % OTHERS], &projected, 1e-4);
        free(projected.value);
    }
    assert_true(rest >= OTHERS);
}

static void so_do_they_with_other_integrators(void **unused)
{
    (void)unused;
    static const char *const integrators[] = {"integrator=rk4 step=5e-4", "integrator=ab6 step=5e-4", "integrator=cvode-adams",
                                              "integrator=cvode-bdf"};
    static const int numbers[] = {3, 14};
    static linkage l;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *text = make_linkage(&l, numbers[i], 1);
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
            trajectory projected = project(text, integrators[k]);
            for (int n = 0; n < 2; n++)
                same_as_projected(text, integrators[k], unprojected[n], &projected, 1e-3);
            free(projected.value);
        }
    }
}

static void so_do_they_in_small_and_in_large_units(void **unused)
{
    (void)unused;
    static const double units[] = {1e-4, 1e3};
    static linkage l;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const char *text = make_linkage(&l, 3, units[i]);
        trajectory projected = project(text, "");
        assert_true(resting_rows(&projected) > 0);
        for (int n = 0; n < 2; n++)
            same_as_projected(text, "", unprojected[n], &projected, 1e-3);
        free(projected.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pin_at_rest_beside_a_dry_guide_does_not_push),
        cmocka_unit_test(linkages_with_dry_joints_move_alike_in_every_stabilization),
        cmocka_unit_test(so_do_they_with_other_integrators),
        cmocka_unit_test(so_do_they_in_small_and_in_large_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
