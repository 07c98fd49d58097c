/* Lines that could be changed without any test noticing: each has a model here whose result depends on it. */
#include "place.h"
#include "text_runs.h"

enum { TEXT = 200000 };

static void free_run(trajectory *run)
{
    free(run->value);
}

/* ---- equations of joint types -------------------------------------------------------------------------- */

/* cross(N, M) = x_N y_M - y_N x_M, and its sign: a bead on a line beside the origin, which slides along it under its weight. */
static void a_product_with_a_fixed_point_has_its_sign(void **unused)
{
    (void)unused;
    trajectory run = run_text_well("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                   "joint-types:\n"
                                   "  beside: {equations: [\"cross(N, M) - 0.5\"]}\n"
                                   "ground: {points: {A: [0.8, 0.6]}}\n"
                                   "bodies:\n"
                                   "  bead: {mass: 0.6, position: [0.3, -0.4]}\n"
                                   "joints:\n"
                                   "  line: {type: beside, connect: [ground.A, bead]}\n"
                                   "simulate: {until: 0.4, every: 0.4}\n"
                                   "record: [bead.x, bead.y]\n",
                                   "coordinates=angle");
    const double slid = -0.5 * 9.81 * 0.6 * 0.4 * 0.4; /* along (0.8, 0.6) */
    check_close(at(&run, 0, 1), 0.3, 1e-9);
    check_close(at(&run, 0, 2), -0.4, 1e-9);
    check_close(last(&run, 1), 0.3 + 0.8 * slid, 1e-8);
    check_close(last(&run, 2), -0.4 + 0.6 * slid, 1e-8);
    free_run(&run);
}

/* Products of points that do not move are numbers: N is as far from M as from P. */
static void a_product_of_fixed_points_is_their_number(void **unused)
{
    (void)unused;
    trajectory run = run_text_well("dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                   "joint-types:\n"
                                   "  halfway: {equations: [\"dot(N, P - M) - 0.5*(dot(P, P) - dot(M, M))\"]}\n"
                                   "ground: {points: {A: [0.3, 0.4], B: [1.1, 1.0]}}\n"
                                   "bodies:\n"
                                   "  bead: {mass: 0.6, position: [0.6, 0.9]}\n"
                                   "joints:\n"
                                   "  line: {type: halfway, connect: [ground.A, bead, ground.B]}\n"
                                   "simulate: {until: 0.4, every: 0.1}\n"
                                   "record: [bead.x, bead.y]\n",
                                   "coordinates=angle");
    for (int i = 0; i < run.rows; i++)
        check_close(hypot(at(&run, i, 1) - 0.3, at(&run, i, 2) - 0.4), hypot(at(&run, i, 1) - 1.1, at(&run, i, 2) - 1.0), 1e-9);
    free_run(&run);
}

/* ---- start values of the model's own coordinates ---------------------------------------------------------- */

/* Given values move to the nearest point that the constraint allows: what they moved by is along its normal. */
static void given_coordinates_start_at_the_nearest_place(void **unused)
{
    static const struct {
        const char *constraint;
        double x, y, slope_x, slope_y; /* the given values; the gradient at (x, y) is (slope_x x, slope_y y) */
    } cases[] = {{"x^2 + 4*y^2 - 4", 2, 1.5, 2, 8}, {"3*x^2 + y^2 - 5", -1.7, 0.9, 6, 2}, {"x^2 - 2*y^2 - 1", 2.5, 0.4, 2, -4}};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: planar\ncoordinates: {x: {start: %g}, y: {start: %g}}\nbodies:\n  bead: {mass: 1, position: [x, y]}\n"
                 "constraints:\n  curve: {position: %s}\nsimulate: {until: 0.01, every: 0.01}\nrecord: [x, y]\n",
                 cases[i].x, cases[i].y, cases[i].constraint);
        trajectory run = run_text_well(text, "");
        const double x = at(&run, 0, 1), y = at(&run, 0, 2);
        check_close((cases[i].x - x) * cases[i].slope_y * y, (cases[i].y - y) * cases[i].slope_x * x, 1e-8);
        assert_true(hypot(cases[i].x - x, cases[i].y - y) > 0.1);
        free_run(&run);
    }
}

/* ---- pictures ------------------------------------------------------------------------------------------------ */

static void write_text(place *here, const char *name, const char *text)
{
    FILE *file = fopen(path_of(here, name), "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A point of the ground of an included model stands on the body that carries the model, in the axes of its mount. */
static void points_of_an_included_model_stand_where_it_is_mounted(void **state)
{
    place *here = *state;
    char command[400], *page = calloc(1, 4000000), *found;
    double x, y;
    write_text(here, "fin.yaml",
               "dalembert: 1\nspace: planar\nground: {points: {tip: [0.3, 0.1]}}\n"
               "bodies:\n  fin: {mass: 1, inertia: 0.1, position: [0.3, 0.1]}\n"
               "joints:\n  A: {type: revolute, connect: [ground.tip, fin]}\n");
    write_text(here, "whole.yaml",
               "dalembert: 1\nspace: planar\n"
               "bodies:\n  trunk: {mass: 1, inertia: 1, position: [5, 0], points: {L: {at: [1, 2], x: [0, 1]}}}\n"
               "models:\n  left: {file: fin.yaml, ground: trunk.L}\n"
               "simulate: {until: 0.1, every: 0.1}\n");
    snprintf(command, sizeof command, "%s run -q %s/whole.yaml -o %s/page.html", DAL_PROGRAM, here->folder, here->folder);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path_of(here, "page.html"), "r");
    assert_non_null(file);
    assert_true(fread(page, 1, 3999999, file) > 0);
    fclose(file);
    found = strstr(page, "\"name\": \"left.tip\", \"at\": [");
    assert_non_null(found);
    assert_int_equal(sscanf(strchr(found, '['), "[%lf, %lf", &x, &y), 2);
    check_close(x, 1 - 0.1, 1e-12); /* the mount turns by a quarter: (0.3, 0.1) becomes (-0.1, 0.3) */
    check_close(y, 2 + 0.3, 1e-12);
    free(page);
}

/* ---- Euler angles ----------------------------------------------------------------------------------------------- */

/* The slopes of Euler angles grow by 1 / |cos| of the middle one, the errors of a method of order 4 by its fifth power. Another sequence is
 * taken at 0.3, so that they stay below 0.3^-5, some hundreds, times those of Euler parameters, by constants of order ten; and none is
 * taken where the present one is good: there are two singular places in a turn. */
static void euler_angles_are_changed_before_they_cost_digits_and_not_more_often(void **unused)
{
    static const char *const spins[] = {"[0.1, 3, 0.2]", "[0.3, 2.8, -0.5]", "[-0.2, 3.1, 0.1]"};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "dalembert: 1\nspace: spatial\nbodies:\n  a: {mass: 1, inertia: [1, 2, 2.5], angular-velocity: {body: %s}}\n"
                 "simulate: {until: 4, every: 4, integrator: rk4, step: 4e-3}\nrecord: [a.omega]\n",
                 spins[i]);
        trajectory angles = run_text_well(text, "coordinates=angle"), parameters = run_text_well(text, "coordinates=euler");
        const double drift = angles.evidence.energy_drift, even = parameters.evidence.energy_drift;
        if (!(drift < 1e5 * even))
            fail_msg("%s: the energy drifts by %.2e, with Euler parameters by %.2e", spins[i], drift, even);
        if (angles.evidence.charts < 1 || angles.evidence.charts > 8)
            fail_msg("%s: %ld changes of chart in two turns", spins[i], angles.evidence.charts);
        free_run(&angles), free_run(&parameters);
    }
}

/* ---- ranks of large models ---------------------------------------------------------------------------------------- */

/* A chain of N plates. Between neighbours there are rods: "p", "q", "r" from points of one to the point a of the next (two of them nearly parallel, at
 * an angle e), or "u", "v", "w", of which the last repeats the first. The foot is held twice. */
static char *write_chain(int n, double e, const char *rods)
{
    char *text = malloc(TEXT), *to = text;
    to += sprintf(to, "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < n; i++)
        to += sprintf(to,
                      "  b%d: {mass: 1, inertia: 0.1, position: [%d, 0], points: {a: [-0.3, 0.1], c: [-0.3, %.17g], p: [0.3, 0.1], q: [0.3, %.17g], "
                      "r: [0.7, -0.3], s: [0.3, %.17g]}}\n",
                      i, i, 0.1 + e, 0.1 + 0.4 * e, 0.1 + 2 * e);
    to += sprintf(to, "joints:\n");
    for (int i = 1; i < n; i++)
        for (const char *rod = rods; *rod; rod++) {
            const bool own = strchr("pqr", *rod);
            to += sprintf(to, "  %c%d: {type: distance, connect: [b%d.%c, b%d.%c]}\n", *rod, i, i - 1,
                          own           ? *rod
                          : *rod == 'v' ? 's'
                                        : 'p',
                          i, *rod == 'v' ? 'c' : 'a');
            assert_true(to - text < TEXT - 1000);
        }
    sprintf(to, "  h: {type: revolute, connect: [ground, b0]}\n  k: {type: revolute, connect: [ground, b0]}\n"
                "simulate: {until: 1e-3, every: 1e-3, integrator: rk4, step: 1e-3, coordinates: angle}\nrecord: [b0.angle]\n");
    return text;
}

/* Of three rods through one point two count, whatever their order, also where two are nearly parallel; and rods that are nearly parallel for good do
 * not pile up. */
static void rows_that_are_nearly_parallel_are_ranked_in_large_chains(void **unused)
{
    enum { N = 300 };
    static const struct {
        const char *rods;
        double angle;
    } cases[] = {{"rqp", 1e-6}, {"rqp", 1e-8}, {"pqr", 1e-6}, {"uvw", 1e-5}, {"uvw", 1e-6}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = write_chain(N, cases[i].angle, cases[i].rods);
        trajectory run = run_text(text, "");
        if (run.status != DAL_OK)
            fail_msg("%s at %g: %s", cases[i].rods, cases[i].angle, run.message);
        assert_int_equal(run.evidence.info.rank, 2 * N);
        assert_int_equal(run.evidence.rank_least, 2 * N);
        free_run(&run);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_with_a_fixed_point_has_its_sign),
        cmocka_unit_test(a_product_of_fixed_points_is_their_number),
        cmocka_unit_test(given_coordinates_start_at_the_nearest_place),
        cmocka_unit_test_setup_teardown(points_of_an_included_model_stand_where_it_is_mounted, enter_place, leave_place),
        cmocka_unit_test(euler_angles_are_changed_before_they_cost_digits_and_not_more_often),
        cmocka_unit_test(rows_that_are_nearly_parallel_are_ranked_in_large_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
