/* Mass, centre and inertia from shapes: closed forms, shapes made of others, meshes, and the motion with the same numbers written out. */
#include "gallery.h"
#include "math/rotation.h"
#include "model/system.h"
#include "text_runs.h"

#include <stdlib.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

/* The body of a text that has one, compiled. */
static dal_body body_of(const char *space, const char *keys)
{
    char text[6000];
    snprintf(text, sizeof text, "dalembert: 1\nspace: %s\nparameters: {rho: 2710, a: 0.31}\nbodies: {b: {%s, velocity: [%s]}}\n", space, keys,
             !strcmp(space, "planar") ? "1, 0" : "1, 0, 0");
    dal_system *system = gallery_compile_text(text, "angle", "lagrange");
    const dal_body body = system->mechanism.bodies[0];
    dal_system_free(system);
    return body;
}

static void assert_near(double a, double b, double size)
{
    if (!(fabs(a - b) <= 1e-13 * size))
        fail_msg("%.17g is not %.17g", a, b);
}

static void assert_body(const dal_body *b, double mass, const double c[3], const double inertia[9])
{
    const double size = fabs(inertia[0]) + fabs(inertia[4]) + fabs(inertia[8]);
    assert_near(b->mass, mass, mass);
    for (int i = 0; i < 3; i++)
        assert_near(b->center[i], c[i], 1);
    for (int i = 0; i < 9; i++)
        assert_near(b->inertia[i], inertia[i], size);
}

/* ---- single shapes: the formulas of handbooks ------------------------------------------------------------ */

static void a_shape_has_the_inertia_of_the_handbook(void **unused)
{
    (void)unused;
    const double rho = 2710, a = 0.31, zero[3] = {0};
    double m = rho * a * 0.17 * 0.083;
    dal_body b = body_of("spatial", "density: rho, shape: {type: box, size: [a, 0.17, 0.083]}");
    assert_body(
        &b, m, zero,
        (double[9]){m * (0.17 * 0.17 + 0.083 * 0.083) / 12, 0, 0, 0, m * (a * a + 0.083 * 0.083) / 12, 0, 0, 0, m * (a * a + 0.17 * 0.17) / 12});
    m = rho * 4 / 3 * pi * a * a * a;
    b = body_of("spatial", "density: rho, shape: {sphere: a}");
    assert_body(&b, m, zero, (double[9]){0.4 * m * a * a, 0, 0, 0, 0.4 * m * a * a, 0, 0, 0, 0.4 * m * a * a});
    m = rho * pi * 0.071 * 0.071 * a; /* along y */
    b = body_of("spatial", "density: rho, shape: {cylinder: [0.071, a], axis: [0, 3, 0]}");
    const double side = m * (3 * 0.071 * 0.071 + a * a) / 12;
    assert_body(&b, m, zero, (double[9]){side, 0, 0, 0, m * 0.071 * 0.071 / 2, 0, 0, 0, side});
    const double r = 0.071, mc = rho * pi * r * r * a,
                 ms = rho * 4 / 3 * pi * r * r * r; /* two half spheres, each 83/320 m r^2 about its own centre */
    const double across = mc * (a * a / 12 + r * r / 4) + 2 * (83.0 / 320 * ms / 2 * r * r + ms / 2 * (a / 2 + 3 * r / 8) * (a / 2 + 3 * r / 8));
    b = body_of("spatial", "density: rho, shape: {capsule: [0.071, a]}");
    assert_body(&b, mc + ms, zero, (double[9]){across, 0, 0, 0, across, 0, 0, 0, mc * r * r / 2 + 0.4 * ms * r * r});
    m = rho * 0.012 * 0.4 * 0.25 / 2; /* a right triangle, its corners in the other sense */
    b = body_of("spatial", "density: rho, shape: {type: plate, thickness: 0.012, outline: [[0, 0], [0, 0.25], [0.4, 0]]}");
    const double t = 0.012 * 0.012 / 12;
    assert_body(&b, m, (double[3]){0.4 / 3, 0.25 / 3, 0},
                (double[9]){m * (0.25 * 0.25 / 18 + t), m * 0.4 * 0.25 / 36, 0, m * 0.4 * 0.25 / 36, m * (0.4 * 0.4 / 18 + t), 0, 0, 0,
                            m * (0.25 * 0.25 + 0.4 * 0.4) / 18});
}

/* ---- sums ---------------------------------------------------------------------------------------------------- */

static void shapes_that_fill_a_box_are_the_box(void **unused)
{
    (void)unused;
    const char *const turned = "at: [0.3, -0.2, 0.5], orientation: {euler-zyx: [0.7, -0.4, 1.1]}";
    char whole[400], halves[1200];
    double R[9];
    const int axes[3] = {2, 1, 0};
    dal_rotation_euler(axes, (const double[3]){0.7, -0.4, 1.1}, R);
    snprintf(whole, sizeof whole, "density: rho, shape: {type: box, size: [0.4, 0.2, 0.1], %s}", turned);
    double p[2][3];
    for (int side = 0; side < 2; side++) /* cut at x = 0.06 of the box: pieces of 0.26 and 0.14 */
        for (int i = 0; i < 3; i++)
            p[side][i] = (const double[3]){0.3, -0.2, 0.5}[i] + R[3 * i] * (side ? 0.13 : -0.07);
    snprintf(halves, sizeof halves,
             "density: rho, shape: [{box: [0.26, 0.2, 0.1], at: [%.17g, %.17g, %.17g], orientation: {euler-zyx: [0.7, -0.4, 1.1]}}, "
             "{box: [0.14, 0.2, 0.1], at: [%.17g, %.17g, %.17g], orientation: {euler-zyx: [0.7, -0.4, 1.1]}}, "
             "{box: [9, 9, 9], density: 0}, {type: polyline, points: [[0, 0, 0], [1, 1, 1]]}]",
             p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2]);
    const dal_body a = body_of("spatial", whole), b = body_of("spatial", halves);
    assert_body(&b, a.mass, a.center, a.inertia);
    assert_true(fabs(a.inertia[1]) > 0.01 * a.inertia[0]);
}

static void a_mass_scales_the_shapes(void **unused)
{
    (void)unused;
    const dal_body a =
        body_of("spatial", "density: rho, shape: [{box: [0.3, 0.04, 0.02]}, {cylinder: [0.02, 0.1], at: [0.15, 0, 0.05], density: 3*rho}]");
    dal_body b = body_of("spatial", "mass: 1.37, angular-velocity: [1, 0, 0], "
                                    "shape: [{box: [0.3, 0.04, 0.02], density: 5}, {cylinder: [0.02, 0.1], at: [0.15, 0, 0.05], density: 15}]");
    double inertia[9];
    for (int i = 0; i < 9; i++)
        inertia[i] = a.inertia[i] * 1.37 / a.mass;
    assert_body(&b, 1.37, a.center, inertia);
    /* in the plane: about z alone, and the depth of one box does not matter */
    b = body_of("planar", "mass: 2, rate: 1, shape: {type: box, size: [0.3, 0.1], at: [0.2, 0.1]}");
    assert_body(&b, 2, (double[3]){0.2, 0.1, 0}, (double[9]){[8] = 2 * (0.09 + 0.01) / 12});
    /* a ball that nothing turns is a particle with a picture, as before */
    b = body_of("planar", "mass: 2, shape: {sphere: 0.1}");
    assert_true(b.particle);
}

/* A box of triangles, as OBJ, turned and shifted: the same as the box, also where single precision does not have its edges. Without one triangle
 * it is refused. */
static void a_closed_mesh_is_weighed_and_an_open_one_refused(void **unused)
{
    (void)unused;
    static const int face[12][3] = {{1, 3, 2}, {2, 3, 4}, {5, 6, 7}, {6, 8, 7}, {1, 2, 5}, {2, 6, 5},
                                    {3, 7, 4}, {4, 7, 8}, {1, 5, 3}, {3, 5, 7}, {2, 4, 6}, {4, 8, 6}};
    char folder[] = "/tmp/dalembert-mesh-XXXXXX", path[2][100], model[100], text[600];
    assert_non_null(mkdtemp(folder));
    for (int open = 0; open < 2; open++) {
        snprintf(path[open], sizeof path[open], "%s/%s.obj", folder, open ? "open" : "closed");
        FILE *f = fopen(path[open], "w");
        for (int i = 0; i < 8; i++)
            fprintf(f, "v %g %g %g\n", i & 1 ? 0.7 : -0.3, i & 2 ? 0.49 : 0, i & 4 ? 0.137 : 0);
        for (int i = open; i < 12; i++)
            fprintf(f, "f %d %d %d\n", face[i][0], face[i][open ? 1 : 2], face[i][open ? 2 : 1]); /* the closed one seen from inside */
        fclose(f);
    }
    const dal_body box = body_of("spatial", "density: rho, shape: {box: [2, 0.98, 0.274], at: [0.4, 0.49, 0.137]}");
    snprintf(model, sizeof model, "%s/m.yaml", folder);
    for (int open = 0; open < 2; open++) {
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\nbodies: {b: {density: 2710, shape: {type: mesh, file: %s.obj, scale: 2}, velocity: [1, 0, 0]}}\n",
                 open ? "open" : "closed");
        FILE *f = fopen(model, "w");
        fputs(text, f);
        fclose(f);
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        assert_int_equal(dal_spec_read(NULL, model, 0, NULL, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), open ? DAL_BAD_MODEL : DAL_OK);
        if (open)
            assert_non_null(strstr(dal_messages_first(messages)->text, "its surface is not closed"));
        else
            assert_body(&system->mechanism.bodies[0], box.mass, box.center, box.inertia);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
        remove(model);
    }
    remove(path[0]);
    remove(path[1]);
    rmdir(folder);
}

/* The motion is that of the same body with its numbers written out, in other families and formulations. */
static void a_shaped_pendulum_swings_like_one_in_numbers(void **unused)
{
    (void)unused;
    const dal_body b = body_of("spatial", "density: rho, shape: [{box: [a, 0.04, 0.02]}, {sphere: 0.05, at: [a/2, 0.01, 0]}]");
    char shaped[900], plain[900];
    const char *const rest = "}\njoints: {A: {type: universal, connect: [ground, b], axis: [[0, 1, 0], [0.6, 0, 0.8]]}}\n"
                             "simulate: {until: 0.7, every: 0.1}\nrecord: [b.position, b.omega, A.force, energy]\n";
    const char *const start = "position: [0, 0, 0], orientation: {x: [1, 0, 0], y: [0, 1, 0]}, angular-velocity: [0.3, 0.7, -0.2]";
    snprintf(shaped, sizeof shaped,
             "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {rho: 2710, a: 0.31}\nbodies: {b: {density: rho, %s, shape: "
             "[{box: [a, 0.04, 0.02]}, {sphere: 0.05, at: [a/2, 0.01, 0]}]}%s",
             start, rest);
    snprintf(
        plain, sizeof plain,
        "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies: {b: {mass: %.17g, center: [%.17g, %.17g, %.17g], %s, inertia: {xx: %.17g, "
        "yy: %.17g, zz: %.17g, xy: %.17g, xz: %.17g, yz: %.17g}}%s",
        b.mass, b.center[0], b.center[1], b.center[2], start, b.inertia[0], b.inertia[4], b.inertia[8], b.inertia[1], b.inertia[2], b.inertia[5],
        rest);
    static const char *const settings[][2] = {{"angle", "kane"}, {"natural", "lagrange"}, {"joint", "recursive"}};
    for (int i = 0; i < 3; i++) {
        char words[100];
        snprintf(words, sizeof words, "coordinates=%s formulation=%s rtol=1e-10 atol=1e-12", settings[i][0], settings[i][1]);
        trajectory one = run_text_well(shaped, words), other = run_text_well(plain, "coordinates=euler formulation=maggi rtol=1e-10 atol=1e-12");
        for (int k = 0; k < one.n; k++)
            assert_true(fabs(last(&one, k) - last(&other, k)) <= 1e-6 * (1 + fabs(last(&other, k))));
        free(one.value);
        free(other.value);
    }
}

#define HEAD "dalembert: 1\nspace: spatial\nbodies:\n  b: "

static void bad_shapes_are_refused_with_sentences(void **unused)
{
    (void)unused;
    refused_with(HEAD "{density: 7850}\n", 4, 16, "'b' has a density and no `shape`");
    refused_with(HEAD "{density: 7850, shape: {type: polyline, points: [[0, 0, 0], [1, 0, 0]]}}\n", 4, 16, "no shape with a volume");
    refused_with(HEAD "{density: -1, shape: {sphere: 0.1}}\n", 4, 16, "cannot be negative");
    refused_with(HEAD "{density: 1, mass: 2, shape: {sphere: 0.1}}\n", 4, 25, "'b' has its mass from `density` and `shape`: drop `mass`");
    refused_with(HEAD "{density: 1, inertia: [1, 1, 1], shape: {sphere: 0.1}}\n", 0, 0, "drop `inertia`");
    refused_with(HEAD "{mass: 1, center: [0, 0, 1], angular-velocity: [1, 0, 0], shape: {sphere: 0.1}}\n", 0, 0, "drop `center`, or give `inertia`");
    refused_with(HEAD "{density: 1, shape: {type: plate, thickness: 0.1, outline: [[0, 0], [1, 1], [1, 0], [0, 1]]}}\n", 0, 0,
                 "its outline crosses itself");
    refused_with(HEAD "{density: 1, shape: {box: [1, 1, 1], size: [1, 1, 1]}}\n", 0, 0, "drop 'type', 'size', 'radius' and 'length'");
    refused_with(HEAD "{density: 1, shape: {cylinder: 3}}\n", 0, 0, "needs a list");
    refused_with(HEAD "{mass: 1, angular-velocity: [1, 0, 0], shape: [{sphere: 0.1}, {sphere: 0.1, density: 3}]}\n", 0, 0,
                 "give all of them a density, or none");
    refused_with(HEAD "{shape: {sphere: 0.1}}\n", 4, 3, "has no 'mass'");
    refused_with("dalembert: 1\nspace: planar\nbodies: {b: {density: 1, shape: {box: [1, 1]}}}\n", 0, 0, "give its depth too");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_has_the_inertia_of_the_handbook),
        cmocka_unit_test(shapes_that_fill_a_box_are_the_box),
        cmocka_unit_test(a_mass_scales_the_shapes),
        cmocka_unit_test(a_closed_mesh_is_weighed_and_an_open_one_refused),
        cmocka_unit_test(a_shaped_pendulum_swings_like_one_in_numbers),
        cmocka_unit_test(bad_shapes_are_refused_with_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
