/* Equations of joint types and constraints that have no slope where they hold: refused from every start, in every unit, and nothing else is. */
#include "text_runs.h"

#define SENTENCE "has no slope where it is zero"

/* An error has these words in it: 1; refused for other reasons: -1; not refused: 0. */
static int is_refused(const char *text, const char *words)
{
    dal_messages *messages = dal_messages_create(NULL);
    dal_spec *spec = NULL;
    dal_system *system = NULL;
    dal_status status = dal_spec_parse(NULL, "text.yaml", text, strlen(text), 0, NULL, messages, &spec);
    if (status == DAL_OK)
        status = dal_compile(NULL, spec, messages, &system);
    int found = status == DAL_OK ? 0 : -1;
    for (const dal_message *m = dal_messages_first(messages); m && found < 0; m = m->next)
        if (m->severity == DAL_ERROR && strstr(m->text, words))
            found = 1;
    dal_system_free(system);
    dal_spec_free(spec);
    dal_messages_free(messages);
    return found;
}

/* ---- a rod that hangs on a joint of its own type ------------------------------------------------- */

enum { STARTS = 3, UNITS = 3 };
static const double units[UNITS] = {1, 1e-6, 1e3}; /* m: micrometres, kilometres */

static const char *planar_rod(const char *equations, int start, double unit)
{
    static char text[2000];
    static const double places[STARTS][3] = {{0.5, 0, 0}, {0.52, 0.01, 0}, {0.9, 0.4, 0.3}}; /* on N = M, beside it, far away */
    const double *p = places[start];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {u: %.17g}\njoint-types: {own: {equations: "
             "[%s]}}\n"
             "bodies: {rod: {mass: 1, inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, points: {A: [%.17g, 0]}}}\n"
             "joints: {J: {type: own, connect: [ground, rod.A]}}\nsimulate: {until: 0.5}\n",
             unit, equations, 0.1 * unit * unit, p[0] * unit, p[1] * unit, p[2], -0.5 * unit);
    return text;
}

static const char *spatial_rod(const char *equations, int start, double unit)
{
    static char text[2000];
    static const double places[STARTS][4] = {{0.5, 0, 0, 0}, {0.52, 0.01, 0.02, 0.1}, {0.6, 0.1, 0.2, 0.4}};
    const double *p = places[start], I = unit * unit;
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {u: %.17g}\njoint-types: {own: {equations: "
             "[%s]}}\n"
             "bodies: {rod: {mass: 1, inertia: [%.17g, %.17g, %.17g], position: [%.17g, %.17g, %.17g], orientation: {axis: "
             "[1, 2, 0.5], angle: %.17g}, "
             "points: {A: [%.17g, 0, 0]}}}\njoints: {J: {type: own, connect: [ground, rod.A]}}\nsimulate: {until: 0.5}\n",
             unit, equations, 0.1 * I, 0.2 * I, 0.25 * I, p[0] * unit, p[1] * unit, p[2] * unit, p[3], -0.5 * unit);
    return text;
}

typedef const char *(*rod)(const char *equations, int start, double unit);

static void expect(rod make, const char *const *equations, size_t n, bool refused)
{
    for (size_t i = 0; i < n; i++)
        for (int start = 0; start < STARTS; start++)
            for (int k = 0; k < UNITS; k++) {
                const int found = is_refused(make(equations[i], start, units[k]), SENTENCE);
                if (refused ? found != 1 : found == 1)
                    fail_msg("`%s` from start %d in units of %g m: %s", equations[i], start, units[k], refused ? "not refused" : "accused");
            }
}

#define LENGTH(list) (sizeof list / sizeof *list)

static void equations_that_touch_zero_are_refused_from_every_start_and_in_every_unit(void **unused)
{
    (void)unused;
    static const char *const flat[] = {"\"dot(N - M, N - M)\"",
                                       "norm(N - M)",
                                       "norm(N - M) - 0*u",
                                       "\"(norm(N - M) - 0.3*u)^2\"",
                                       "\"(dot(N - M, N - M) - 0.09*u^2)^4\"",
                                       "\"dot(N - M, xi)^2 + dot(N - M, yi)^2\"",
                                       "\"dot(N - M, xi)^6\"",
                                       "\"dot(N - M, xi)^3\"",
                                       "\"(norm(N - M) - 0.3*u)*(dot(N - M, N - M) - 0.09*u^2)\"",
                                       "\"1 - cos(angle)\"",
                                       "N - M, \"dot(xi, xj) - 1\""};
    static const char *const in_space[] = {"\"dot(zi, zj) - 1\"",
                                           "N - M, \"dot(zi, zj) - 1\"",
                                           "\"dot(N - M, N - M)\"",
                                           "\"norm(cross(zi, zj))\"",
                                           "\"dot(cross(zi, zj), cross(zi, zj))\"",
                                           "\"dot(xi, yj)^2 + dot(N - M, zi)^2/u^2\""};
    expect(planar_rod, flat, LENGTH(flat), true);
    expect(spatial_rod, in_space, LENGTH(in_space), true);
}

static void equations_that_cross_zero_are_not_accused(void **unused)
{
    (void)unused;
    static const char *const steep[] = {"N - M",
                                        "\"dot(N - M, xi)\"",
                                        "norm(N - M) - 0.3*u",
                                        "norm(N - M) - 0.001*u", /* a small circle */
                                        "\"dot(N - M, N - M) - 0.09*u^2\"",
                                        "\"dot(N - M, xi)*dot(N - M, yi)\"", /* two lines, and the start may be where they meet */
                                        "\"dot(N - M, xi)/u + 5*dot(N - M, yi)^2/u^2\"",
                                        "\"sin(angle)\""};
    static const char *const in_space[] = {"N - M, zi - zj", /* the third component has no slope, and nothing to hold */
                                           "\"cross(zi, zj)\"", "N - M, xi - xj, yi - yj", "norm(N - M) - 0.2*u", "\"dot(zi, zj)\""};
    expect(planar_rod, steep, LENGTH(steep), false);
    expect(spatial_rod, in_space, LENGTH(in_space), false);
}

static void what_was_meant_is_named(void **unused)
{
    (void)unused;
    static const char *const pairs[][2] = {{"\"dot(N - M, N - M)\"", "equation 1 `dot(N - M, N - M)` "},
                                           {"\"dot(N - M, N - M)\"", "; write `N - M`"},
                                           {"norm(N - M)", "; write `N - M`"},
                                           {"\"( norm(N - M) - 0.3 )^2\"", "; write `norm(N - M) - 0.3`"},
                                           {"\"norm(N - M)^4\"", "; write `N - M`"},
                                           {"\"dot(xi, xj) - 1\"", "; write `cross(xi, xj)`"},
                                           {"\"dot(N - M, xi)^2 + dot(N - M, yi)^2\"", "each part of a sum as an equation of its own"}};
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        const char *text = planar_rod(pairs[i][0], 1, 1);
        if (is_refused(text, pairs[i][1]) != 1)
            fail_msg("%s: '%s' is not said", pairs[i][0], pairs[i][1]);
    }
}

/* ---- constraints ------------------------------------------------------------------------------- */

static const char *constrained_rod(const char *position, bool on)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {rod: {mass: 1, inertia: 0.1, position: [%s], "
             "angle: 0, points: {A: [-0.5, 0]}}}\n"
             "constraints: {c: {position: \"%s\"}}\nsimulate: {until: 0.5}\n",
             on ? "0.5, 0" : "0.52, 0.01", position);
    return text;
}

static const char *own_coordinates(const char *position, double x, double y)
{
    static char text[1000];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\ncoordinates: {x: {start: %.17g}, y: {start: "
             "%.17g}}\nbodies: {bob: {mass: 1, position: [x, y]}}\n"
             "constraints: {c: {position: \"%s\"}}\nsimulate: {until: 0.5}\n",
             x, y, position);
    return text;
}

static void so_are_constraints_of_bodies_and_of_coordinates(void **unused)
{
    (void)unused;
    static const char *const flat[] = {"rod.A.x^2", "rod.A.x^2 + rod.A.y^2", "1 - cos(rod.angle)", "(rod.A.x - rod.A.y)^4"};
    static const char *const steep[] = {"rod.A.x", "rod.A.x - 0.1*sin(3*t)", "rod.A.x^2 + rod.A.y^2 - 0.09", "rod.A.x*rod.A.y"};
    static const char *const flat_own[] = {"(x^2 + y^2 - 1)^2", "(x - 0.5)^2", "(x^2 + y^2 - 1)*(sqrt(x^2 + y^2) - 1)"};
    static const char *const steep_own[] = {"x^2 + y^2 - 1", "x - 0.5", "x*y"};
    static const double places[][2] = {{0.6, 0.8}, {0.6, 0.1}, {1, 0}};
    for (int on = 0; on < 2; on++) {
        for (size_t i = 0; i < LENGTH(flat); i++)
            assert_int_equal(is_refused(constrained_rod(flat[i], on), SENTENCE), 1);
        for (size_t i = 0; i < LENGTH(steep); i++)
            assert_int_not_equal(is_refused(constrained_rod(steep[i], on), SENTENCE), 1);
    }
    for (size_t k = 0; k < LENGTH(places); k++) {
        for (size_t i = 0; i < LENGTH(flat_own); i++)
            assert_int_equal(is_refused(own_coordinates(flat_own[i], places[k][0], places[k][1]), SENTENCE), 1);
        for (size_t i = 0; i < LENGTH(steep_own); i++)
            assert_int_not_equal(is_refused(own_coordinates(steep_own[i], places[k][0], places[k][1]), SENTENCE), 1);
    }
    assert_int_equal(is_refused(own_coordinates("(x^2 + y^2 - 1)^2", 0.6, 0.1), "constraint 'c': `(x^2 + y^2 - 1)^2` "), 1);
    assert_int_equal(is_refused(own_coordinates("(x^2 + y^2 - 1)^2", 0.6, 0.1), "; write `x^2 + y^2 - 1`"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_that_touch_zero_are_refused_from_every_start_and_in_every_unit),
        cmocka_unit_test(equations_that_cross_zero_are_not_accused),
        cmocka_unit_test(what_was_meant_is_named),
        cmocka_unit_test(so_are_constraints_of_bodies_and_of_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
