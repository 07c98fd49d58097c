/* A rhombus turns over through its change points, where all bars are in line, the rank drops and other branches cross: it
 * stays a parallelogram. On that branch it has one coordinate and a small equation of its own,
 *     J phi'' = -2 m g L cos phi,   J = 2 (I + m L^2 / 4) + m L^2,
 * which is integrated here beside it. */
#include "check.h"
#include "dalembert/dalembert.h"

static const char text[] =
    "dalembert: 1\nname: rhombus\nspace: planar\nparameters: {L: 4, m: 3, I: 4.04, w: 4, a: -45*deg}\ngravity: [0, -9.81]\n"
    "ground: {points: {A: [0, 0], D: [L, 0]}}\nbodies:\n"
    "  b1: {mass: m, inertia: I, position: [L/2*cos(a), L/2*sin(a)], angle: a, rate: w, points: {A: [-L/2, 0], B: [L/2, 0]}}\n"
    "  b2: {mass: m, inertia: I, position: [L*cos(a) + L/2, L*sin(a)], angle: 0, rate: 0, points: {B: [-L/2, 0], C: [L/2, 0]}}\n"
    "  b3: {mass: m, inertia: I, position: [L + L/2*cos(a), L/2*sin(a)], angle: a, rate: w, points: {D: [-L/2, 0], C: [L/2, 0]}}\n"
    "joints:\n  A: {type: revolute, connect: [ground.A, b1.A]}\n  B: {type: revolute, connect: [b1.B, b2.B]}\n"
    "  C: {type: revolute, connect: [b2.C, b3.C]}\n  D: {type: revolute, connect: [ground.D, b3.D]}\n"
    "simulate: {until: 5, rtol: 1e-10, atol: 1e-12, every: 0.5}\nrecord: [b1.angle, b2.angle, b3.angle]\n";

typedef struct last {
    double value[4], worst_tilt;
} last;

static dal_status begin(void *user, const dal_system_info *info, int n, const dal_column *columns)
{
    (void)user, (void)info, (void)n, (void)columns;
    return DAL_OK;
}

static dal_status take(void *user, int n, const double *values)
{
    last *l = user;
    memcpy(l->value, values, sizeof *values * (size_t)n);
    l->worst_tilt = fmax(l->worst_tilt, fmax(fabs(values[2]), fabs(values[1] - values[3])));
    return DAL_OK;
}

static double acceleration(double phi)
{
    const double L = 4, m = 3, I = 4.04, J = 2 * (I + m * L * L / 4) + m * L * L;
    return -2 * m * 9.81 * L * cos(phi) / J;
}

/* Runge-Kutta of order 4 with steps of 20 microseconds: an error near 1e-13. */
static double reference(double until)
{
    const int n = 250000;
    const double h = until / n;
    double phi = -M_PI / 4, w = 4;
    for (int i = 0; i < n; i++) {
        double k1 = acceleration(phi), k2 = acceleration(phi + h / 2 * w), k3 = acceleration(phi + h / 2 * w + h * h / 4 * k1),
               k4 = acceleration(phi + h * w + h * h / 2 * k2);
        phi += h * w + h * h / 6 * (k1 + k2 + k3);
        w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return phi;
}

static void a_rhombus_turns_through_its_change_points_and_stays_a_parallelogram(void **unused)
{
    static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint"},
                             *const formulations[] = {"lagrange", "udwadia-kalaba", "udwadia-phohomsiri", "recursive"},
                             *const stabilizations[] = {"mass-projection=1e-10", "direct-correction=1e-10"};
    (void)unused;
    double phi = reference(5);
    assert_true(phi > 2 * M_PI); /* it does turn over */
    for (int f = 0; f < 5; f++)
        for (int k = 0; k < (strcmp(families[f], "joint") ? 3 : 4); k++) /* the last one needs the tree */
            for (int s = 0; s < 2; s++) {
                dal_messages *messages = dal_messages_create(NULL);
                dal_spec *spec;
                dal_system *system;
                dal_evidence evidence;
                last l = {{0}, 0};
                const dal_sink sink = {&l, begin, take};
                const dal_run_options options = {.sink = &sink};
                assert_int_equal(dal_spec_parse(NULL, "rhombus.yaml", text, strlen(text), 0, NULL, messages, &spec), DAL_OK);
                dal_spec_set(spec, "coordinates", families[f], messages);
                dal_spec_set(spec, "formulation", formulations[k], messages);
                dal_spec_set(spec, "stabilization", stabilizations[s], messages);
                assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
                assert_int_equal(dal_run(system, &options, messages, &evidence), DAL_OK);
                /* rtol 1e-10 over two turns; rounding at each of the four change points adds eps v^2 / d^2 with v = 6, d >= 3e-4: 9e-8.
                 * That is 1.5e-8 of v, twice as much of the kinetic energy, four times. */
                check_small(l.worst_tilt, 4e-7);
                check_close(l.value[1], phi, 4e-7);
                check_small(evidence.energy_drift, 1.2e-7);
                dal_system_free(system);
                dal_spec_free(spec);
                dal_messages_free(messages);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rhombus_turns_through_its_change_points_and_stays_a_parallelogram)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
