/* The machines of models/machines: each runs without a warning, moves alike in another family, and does what it says. */
#include "text_runs.h"

#include <glob.h>
#include <stdlib.h>

static trajectory run_machine(const char *file, const char *settings)
{
    trajectory result = {0};
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    result.status = dal_spec_read(NULL, file, 0, NULL, messages, &spec);
    if (result.status == DAL_OK)
        set_all(spec, settings, messages);
    result = run_spec(result, spec, messages);
    if (result.status != DAL_OK)
        fail_msg("%s, %s: %s", file, settings, result.message);
    return result;
}

/* The last rows agree to what the tolerances of both runs promise, with the factor by which a motion spreads errors. */
static void assert_alike(const char *file, const trajectory *a, const trajectory *b)
{
    assert_int_equal(a->n, b->n);
    for (int k = 1; k < a->n; k++) {
        double size = 0;
        for (int i = 0; i < a->rows; i++)
            size = fmax(size, fabs(at(a, i, k)));
        if (strstr(a->name[k], "balance"))
            continue; /* its error is the point of it */
        for (int i = 0; i < a->rows && i < b->rows; i++)
            if (!(fabs(at(a, i, k) - at(b, i, k)) <= 1e-4 * size + 1e-9))
                fail_msg("%s, %s, t = %g: %.12g and %.12g", file, a->name[k], at(a, i, 0), at(a, i, k), at(b, i, k));
    }
}

static void every_machine_runs_and_moves_alike_in_another_family(void **unused)
{
    static const struct {
        const char *name, *until, *other;
    } machines[] = {{"cart-pole-lqr", "1", "coordinates=angle"},
                    {"double-wishbone", "0.3", "coordinates=joint"},
                    {"four-cylinder", "0.01", "coordinates=natural formulation=udwadia-kalaba"},
                    {"geneva-drive", "0.6", "coordinates=natural"},
                    {"jansen-leg", "0.4", "coordinates=joint formulation=recursive"},
                    {"stewart-platform", "0.2", "coordinates=natural"},
                    {"ur5-computed-torque", "0.3", "coordinates=angle formulation=lagrange"}};
    glob_t found;
    (void)unused;
    assert_int_equal(glob(DAL_MODELS "/machines/*.yaml", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, sizeof machines / sizeof *machines);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char settings[200];
        assert_non_null(strstr(found.gl_pathv[i], machines[i].name));
        snprintf(settings, sizeof settings, "until=%s rtol=1e-8 atol=1e-10", machines[i].until);
        trajectory a = run_machine(found.gl_pathv[i], settings);
        snprintf(settings, sizeof settings, "until=%s rtol=1e-8 atol=1e-10 %s", machines[i].until, machines[i].other);
        trajectory b = run_machine(found.gl_pathv[i], settings);
        for (int k = 0; k < 16 && a.warned[k]; k++)
            if (strcmp(a.warned[k], "not-used") != 0) /* entries of a URDF file */
                fail_msg("%s: %s", machines[i].name, a.warned[k]);
        assert_true(a.rows > 10);
        assert_alike(machines[i].name, &a, &b);
        free(a.value);
        free(b.value);
    }
    globfree(&found);
}

static int column_of(const trajectory *r, const char *name)
{
    for (int k = 0; k < r->n; k++)
        if (!strcmp(r->name[k], name))
            return k;
    fail_msg("no column %s", name);
    return 0;
}

/* The platform is where it is wanted, and each leg has the force that it has where its length is written by hand. */
static void leg_forces_are_those_of_kinematics_by_hand(void **unused)
{
    static const char hand[] =
        "dalembert: 1\nspace: spatial\n"
        "parameters: {rb: 0.8, rp: 0.5, h: 1.0, w: 2*pi*0.5, L0: sqrt(rb^2 + rp^2 - 2*rb*rp*cos(36*deg) + h^2)}\n"
        "define: {X: 0.10*sin(w*t), Y: 0.06*sin(2*w*t), Z: h + 0.08*(1 - cos(w*t)), rol: 8*deg*sin(w*t), pit: 6*deg*sin(w*t)}\n"
        "gravity: [0, 0, -9.81]\n"
        "ground: {points: {B: {repeat: {i: 1..6}, at: [\"rb*cos((60*i - 12 - 36*mod(i, 2))*deg)\", \"rb*sin((60*i - 12 - 36*mod(i, 2))*deg)\", "
        "0]}}}\n"
        "bodies:\n"
        "  platform: {mass: 40, position: [0, 0, h], shape: {type: cylinder, radius: 0.52, length: 0.04},\n"
        "    points: {P: {repeat: {i: 1..6}, at: [\"rp*cos((60*i - 48 + 36*mod(i, 2))*deg)\", \"rp*sin((60*i - 48 + 36*mod(i, 2))*deg)\", 0]}}}\n"
        "  cyl: {repeat: {i: 1..6}, mass: 3, between: [\"ground.B.{i}\", \"platform.P.{i}\"], points: {B: [-L0/2, 0, 0]},\n"
        "    shape: {type: cylinder, radius: 0.03, length: 0.7, axis: [1, 0, 0], at: [0.35 - L0/2, 0, 0]}}\n"
        "  rod: {repeat: {i: 1..6}, mass: 1.5, between: [\"ground.B.{i}\", \"platform.P.{i}\"], points: {P: [L0/2, 0, 0]},\n"
        "    shape: {type: cylinder, radius: 0.015, length: 0.7, axis: [1, 0, 0], at: [L0/2 - 0.35, 0, 0]}}\n"
        "joints:\n"
        "  hooke: {repeat: {i: 1..6}, type: universal, connect: [\"ground.B.{i}\", \"cyl.{i}.B\"], axis: [[0, 0, 1], [0, 1, 0]]}\n"
        "  slide: {repeat: {i: 1..6}, type: prismatic, connect: [\"cyl.{i}\", \"rod.{i}\"], axis: [[1, 0, 0], [1, 0, 0]], zero: L0,\n"
        "    drive: \"norm([X + cos(pit)*rp*cos((60*i - 48 + 36*mod(i,2))*deg) + sin(pit)*sin(rol)*rp*sin((60*i - 48 + 36*mod(i,2))*deg)\n"
        "      - rb*cos((60*i - 12 - 36*mod(i,2))*deg), Y + cos(rol)*rp*sin((60*i - 48 + 36*mod(i,2))*deg) - rb*sin((60*i - 12 - 36*mod(i,2))*deg),\n"
        "      Z - sin(pit)*rp*cos((60*i - 48 + 36*mod(i,2))*deg) + cos(pit)*sin(rol)*rp*sin((60*i - 48 + 36*mod(i,2))*deg)])\"}\n"
        "  ball: {repeat: {i: 1..6}, type: spherical, connect: [\"rod.{i}.P\", \"platform.P.{i}\"]}\n"
        "simulate: {until: 0.2, every: 0.02}\n"
        "record: [platform.position, X, Y, Z, {repeat: {i: 1..6}, value: \"slide.{i}.drive\"}]\n";
    trajectory a = run_machine(DAL_MODELS "/machines/stewart-platform.yaml", "until=0.2"), b = run_text_well(hand, "");
    (void)unused;
    for (int i = 0; i < a.rows; i++)
        for (int k = 0; k < 3; k++) {
            check_close(at(&a, i, 1 + k), at(&b, i, 4 + k), 1e-8);
            check_close(at(&b, i, 1 + k), at(&b, i, 4 + k), 1e-8);
        }
    for (int leg = 1; leg <= 6; leg++) {
        char name[40];
        snprintf(name, sizeof name, "slide.%d.drive", leg);
        const int k = column_of(&a, name), m = column_of(&b, name);
        for (int i = 0; i < a.rows; i++)
            check_close(at(&a, i, k), at(&b, i, m), 1e-5);
        assert_true(fabs(at(&a, 0, k) - last(&a, k)) > 5);
    }
    free(a.value);
    free(b.value);
}

/* In the plane: three legs, the angle too; and legs that are none. */
static void legs_move_a_planar_body_and_others_are_refused(void **unused)
{
    static const char head[] =
        "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
        "ground: {points: {B: {repeat: {i: 1..3}, at: [0.6*(i - 2), 0]}}}\n"
        "bodies:\n"
        "  table: {mass: 5, inertia: 0.3, points: {P: {repeat: {i: 1..3}, at: [0.35*(i - 2) + 0.15*(i - 1)*(3 - i), \"0.1*mod(i, 2)\"]}},\n"
        "    drive: {position: [\"0.1*sin(2*t)\", \"0.8 + 0.05*sin(3*t)\"], angle: \"0.2*sin(t)\", by: [slide]}}\n";
    char text[4000], bad[6000];
    int n = snprintf(text, sizeof text, "%s", head);
    (void)unused;
    for (int i = 1; i <= 3; i++) {
        const double half = hypot(0.35 * (i - 2) + 0.15 * (i - 1) * (3 - i) - 0.6 * (i - 2), 0.8 + 0.1 * (i % 2)) / 2;
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  foot%d: {mass: 0.5, inertia: 0.01, between: [ground.B.%d, table.P.%d], points: {A: [%.17g, 0]}}\n"
                      "  rod%d: {mass: 0.5, inertia: 0.01, between: [ground.B.%d, table.P.%d], points: {A: [%.17g, 0]}}\n",
                      i, i, i, -half, i, i, i, half);
    }
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "joints:\n  slide: {repeat: {i: 1..3}, type: prismatic, connect: [foot1, rod1], axis: [[1, 0], [1, 0]]}\n");
    snprintf(bad, sizeof bad, "%s", text);
    refused_with(bad, 7, 5, "'table' cannot be driven by joint 'slide.1': neither of its bodies is held at a point of the ground");
    *strstr(text, "joints:") = '\0';
    snprintf(bad, sizeof bad, "%sjoints: {slide: {type: rigid, connect: [foot1, rod1]}}\n", text);
    refused_with(bad, 7, 5, "a leg is a prismatic joint");
    snprintf(bad, sizeof bad, "%sjoints: {glide: {type: rigid, connect: [foot1, rod1]}}\n", text);
    refused_with(bad, 0, 0, "'table' is driven by 'slide': there is no such joint");
    n = snprintf(bad, sizeof bad, "%sjoints:\n", text);
    for (int i = 1; i <= 3; i++)
        n += snprintf(bad + n, sizeof bad - (size_t)n,
                      "  slide%d: {type: prismatic, connect: [foot%d, rod%d], axis: [[1, 0], [1, 0]]}\n"
                      "  pin%d: {type: revolute, connect: [ground.B.%d, foot%d.A]}\n  head%d: {type: revolute, connect: [rod%d.A, table.P.%d]}\n",
                      i, i, i, i, i, i, i, i, i);
    snprintf(
        bad + n, sizeof bad - (size_t)n,
        "simulate: {until: 0.5, every: 0.1, rtol: 1e-9, atol: 1e-11}\n"
        "record: [table.x, table.y, table.angle, \"slide1.drive*slide1.distance' + slide2.drive*slide2.distance' + slide3.drive*slide3.distance'\", "
        "energy, energy.balance]\n");
    char *by = strstr(bad, "by: [slide]"), whole[6400];
    snprintf(whole, sizeof whole, "%.*sby: [slide1, slide2, slide3]%s", (int)(by - bad), bad, by + strlen("by: [slide]"));
    trajectory r = run_text_well(whole, "");
    double moved = 0;
    for (int i = 0; i < r.rows; i++) {
        const double t = at(&r, i, 0);
        check_close(at(&r, i, 1), 0.1 * sin(2 * t), 1e-8);
        check_close(at(&r, i, 2), 0.8 + 0.05 * sin(3 * t), 1e-8);
        check_close(at(&r, i, 3), 0.2 * sin(t), 1e-8);
        check_close(at(&r, i, 6), at(&r, 0, 6), 1e-6); /* the legs alone do work */
        moved = fmax(moved, fabs(at(&r, i, 5) - at(&r, 0, 5)));
    }
    assert_true(moved > 0.1);
    free(r.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_machine_runs_and_moves_alike_in_another_family),
        cmocka_unit_test(leg_forces_are_those_of_kinematics_by_hand),
        cmocka_unit_test(legs_move_a_planar_body_and_others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
