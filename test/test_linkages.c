/* Any number of four-bar linkages in a row (models/n-four-bar.yaml) passes the positions where all bars are in one line, twice a turn, on the branch
 * of the parallelogram, or stops and says where. There
 *     phi'' = -g cos phi ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
 * which is integrated here beside it. Systems of every size are among them: factored as dense matrices (N = 2), sparse with dense work near the
 * position (up to 300 velocities), and too large for that. tools/singular-table makes the whole table. */
#include "check.h"
#include "trajectory.h"

static double angle_at(int N, double until)
{
    const int n = 40000;
    const double h = until / n, c = -9.81 * ((N + 1) / 2.0 + N) / ((N + 1) / 3.0 + N);
    double phi = M_PI / 2, w = -1;
    for (int i = 0; i < n; i++) { /* Runge-Kutta of order 4: an error below 1e-12 */
        double k1 = c * cos(phi), k2 = c * cos(phi + h / 2 * w), k3 = c * cos(phi + h / 2 * w + h * h / 4 * k1),
               k4 = c * cos(phi + h * w + h * h / 2 * k2);
        phi += h * w + h * h / 6 * (k1 + k2 + k3);
        w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return phi;
}

static void linkages_of_any_number_stay_on_their_branch(void **unused)
{
    static const struct {
        int N;
        double until;
        const char *settings;
    } runs[] = {
        {2, 10, "coordinates=natural"},
        {15, 1, "coordinates=natural"},
        {17, 4, "coordinates=angle"},
        {17, 1, "coordinates=angle formulation=udwadia-kalaba"},
        {17, 1, "coordinates=joint formulation=udwadia-phohomsiri"},
        {20, 1, "coordinates=euler"},
        {20, 1, "coordinates=angle formulation=maggi"},
        {20, 1, "coordinates=angle formulation=component"},
        {40, 1.5, "coordinates=angle"},
        {40, 1, "coordinates=euler stabilization=direct-correction=1e-10"},
        {50, 1, "coordinates=natural"},
        {60, 1, "coordinates=angle"},
        {100, 0.9, "coordinates=angle"},
    };
    static const char *const channels[] = {"v.0.angle", "h.1.angle", NULL};
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char parameter[20], settings[200];
        snprintf(parameter, sizeof parameter, "N=%d", runs[i].N);
        snprintf(settings, sizeof settings, "%.100s until=%g every=%g", runs[i].settings, runs[i].until, runs[i].until);
        trajectory t = run_well("n-four-bar", parameter, channels, settings);
        const double *end = t.value + (size_t)(t.rows - 1) * (size_t)t.n;
        /* rtol 1e-10; rounding at each of the positions adds its part (eps v^2 / d^2, d >= 3e-4), enlarged by the motion that follows */
        check_close(end[1], angle_at(runs[i].N, runs[i].until), 1e-6);
        check_small(end[2], 1e-6);
        check_small(t.evidence.energy_drift, 1e-7);
        free(t.value);
    }
}

/* The same machine with its feet on hinges, and tolerances near rounding. */
static void hinges_and_tight_tolerances_change_nothing(void **unused)
{
    static const char *const channels[] = {"v.0.angle", NULL};
    static const char *const numbers[] = {"N=20", "N=40", "N=400"}, *const ways[] = {"coordinates=angle rtol=1e-12 atol=1e-13",
                                                                                     "coordinates=angle rtol=1e-12 atol=1e-13",
                                                                                     "coordinates=joint formulation=recursive"};
    static const int number[] = {20, 40, 400};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        char settings[200];
        snprintf(settings, sizeof settings, "until=1 every=1 %s", ways[i]);
        trajectory t = run_well("n-four-bar-tree", numbers[i], channels, settings);
        check_close(t.value[(size_t)(t.rows - 1) * (size_t)t.n + 1], angle_at(number[i], 1), 1e-7);
        free(t.value);
    }
}

/* A method that cannot be led across says at once where it is, and who is concerned. */
static void what_does_not_pass_says_the_time_the_rank_and_a_joint(void **unused)
{
    static const char *const channels[] = {"v.0.angle", NULL};
    static const char *const numbers[] = {"N=2", "N=20", "N=60"};
    static const char *const rank[] = {"14", "122", "362"};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        trajectory t = run("n-four-bar", numbers[i], channels, "integrator=cvode-bdf until=1");
        if (strstr(t.message, "cannot be used here"))
            skip();
        assert_int_equal(t.status, DAL_NUMERICAL);
        if (!strstr(t.message, "at t = 0.7") || !strstr(t.message, "rank of the constraints") || !strstr(t.message, rank[i]) ||
            !strstr(t.message, "joint '"))
            fail_msg("%s", t.message);
        assert_true(t.evidence.evaluations < 20000);
        free(t.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linkages_of_any_number_stay_on_their_branch),
        cmocka_unit_test(hinges_and_tight_tolerances_change_nothing),
        cmocka_unit_test(what_does_not_pass_says_the_time_the_rank_and_a_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
