/* The case studies of `volterra-reduced` and rolling bodies: every formulation against reference solutions and closed forms, and the
 * structure of the paper's tables. */
#include "trajectory.h"

#include <math.h>

#ifdef CHECK_WATCHED
static const char tight[] = "integrator=dopri5 rtol=1e-8 atol=1e-10";
static const double near = 1e-5;
#else
static const char tight[] = "integrator=dopri5 rtol=1e-12 atol=1e-14";
static const double near = 1e-9;
#endif

/* Does a formulation apply? What is refused is reviewed in test_formulations.c. */
static bool applies(const trajectory *run)
{
    return !strstr(run->message, "needs ignorable coordinates") && !strstr(run->message, "works over the joint tree") &&
           !strstr(run->message, "component needs `coordinates: angle`");
}

typedef struct counts {
    const char *formulation;
    int states, equations;
} counts;

/* Every formulation of the list in the model's own coordinates, to 1e-9 of the reference (1e-5 where every access is watched, with steps as coarse); coordinates, then their rates. */
static void follow(const char *model, const char *file, const char *every, const char *const *coordinates, const counts *tables)
{
    reference r = {.model = model};
    json_file source;
    json *root = open_reference(&source, file);
    static const char *const keys[] = {"q", "qdot", NULL};
    read_times(&r, root, keys);
    const int n = r.n / 2;
    for (int k = 0; k < 2 * n; k++) {
        snprintf(r.text[k], sizeof r.text[k], "%s%s", coordinates[k % n], k < n ? "" : "'");
        r.channel[k] = r.text[k];
    }
    const char *name, *title;
    for (int i = 0; dal_list_entry("formulation", i, &name, &title); i++) {
        char settings[200];
        const char *what = "";
        double when = 0;
        snprintf(settings, sizeof settings, "formulation=%s every=%s %s", name, every, tight);
        trajectory result = run(model, NULL, r.channel, settings);
        if (!applies(&result))
            continue;
        if (result.status != DAL_OK)
            fail_msg("%s, %s: %s", model, name, result.message);
        double gap = miss(&r, &result, &what, &when);
        const dal_system_info *info = &result.evidence.info;
        print_message("  %-18s %-17s %2d states, %d equations: misses by %.1e; energy %.1e, momenta %.1e\n", model, name, info->states,
                      info->equations, gap, result.evidence.energy_drift, result.evidence.ignorable_drift);
        if (!(gap < near))
            fail_msg("%s, %s: %s misses the reference by %.3g at t = %g", model, name, what, gap, when);
        for (const counts *c = tables; c && c->formulation; c++)
            if (!strcmp(c->formulation, name)) {
                assert_int_equal(info->states, c->states);
                assert_int_equal(info->equations, c->equations);
            }
        if (!strcmp(name, "volterra-reduced")) { /* by construction */
            assert_true(result.evidence.ignorable_drift < 1e-14);
            assert_true(result.evidence.velocity_residual < 1e-14);
        }
        free(result.value);
    }
    json_close(&source);
}

static void case_1_follows_the_reference_with_the_counts_of_table_3(void **unused)
{
    (void)unused;
    static const char *const q[] = {"th1", "th2", "x"};
    static const counts table[] = {
        {"lagrange", 6, 3},        {"maggi", 6, 3},    {"kane", 5, 2},           {"gibbs-appell", 5, 2}, {"volterra-reduced", 4, 1},
        {"boltzmann-hamel", 5, 2}, {"volterra", 5, 2}, {"udwadia-kalaba", 6, 3}, {"routh", 5, 2},        {NULL, 0, 0}};
    follow("cart-two-bars", "000_case1_bars", "0.5", q, table);
}

static void case_2_follows_the_reference_with_the_counts_of_table_6(void **unused)
{
    (void)unused;
    static const char *const q[] = {"psi", "theta", "phi", "gamma1", "gamma2", "X", "Y", "Z"};
    static const counts table[] = {{"lagrange", 16, 8},         {"maggi", 16, 8}, {"kane", 16, 8}, {"gibbs-appell", 16, 8},
                                   {"volterra-reduced", 13, 5}, {"routh", 13, 5}, {NULL, 0, 0}};
    follow("three-bodies", "000_case2_sada", "1", q, table);
}

static void case_3_follows_the_reference_with_the_counts_of_table_9(void **unused)
{
    (void)unused;
    static const char *const q[] = {"psi", "theta", "phi", "rho", "X", "Y", "Z"};
    static const counts table[] = {{"lagrange", 15, 7},         {"maggi", 15, 7}, {"kane", 15, 7}, {"gibbs-appell", 15, 7},
                                   {"volterra-reduced", 12, 4}, {"routh", 12, 4}, {NULL, 0, 0}};
    follow("satellite-boom", "000_case3", "1", q, table);
}

static void chaplygin_s_sleigh_follows_its_closed_form(void **unused)
{
    (void)unused;
    static const char *const q[] = {"x", "y", "th"};
    follow("chaplygin-sleigh", "extra_chaplygin_sleigh", "0.5", q, NULL);
}

/* A solid ball on a plate that turns at W: a = 2/7 W x v, so that the centre runs round a circle at 2/7 W. */
static void a_ball_on_a_turntable_runs_round_at_two_sevenths(void **unused)
{
    (void)unused;
    static const char *const families[] = {"angle", "euler", "natural", "joint"}, *const channels[] = {"ball.x", "ball.y", NULL};
    const double rate = 2.0 / 7 * 3.5, v[2] = {0.2, -0.1};
    /* c' = v at the start, c'' = rate e_z x c': the middle of the circle is c + (-v_y, v_x) / rate */
    const double middle[2] = {0.3 - v[1] / rate, 0.1 + v[0] / rate}, arm[2] = {v[1] / rate, -v[0] / rate};
    const char *name, *title;
    for (int f = 0; f < 4; f++)
        for (int i = 0; dal_list_entry("formulation", i, &name, &title); i++) {
            char settings[200];
            if (!check_chosen(f + i, 4))
                continue;
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s until=2 every=0.25 integrator=dopri5 rtol=1e-10 atol=1e-12",
                     families[f], name);
            trajectory result = run("ball-on-turntable", NULL, channels, settings);
            if (!applies(&result))
                continue;
            if (result.status != DAL_OK)
                fail_msg("%s: %s", settings, result.message);
            for (int k = 0; k < result.rows; k++) {
                const double *row = result.value + 3 * k, c = cos(rate * row[0]), s = sin(rate * row[0]);
                check_close(row[1], middle[0] + c * arm[0] - s * arm[1], 1e-8);
                check_close(row[2], middle[1] + s * arm[0] + c * arm[1], 1e-8);
            }
            free(result.value);
        }
}

/* Speeds that become singular: the model's own end the run with a sentence, the program's are changed and the run goes on. */
static void speeds_that_become_singular_are_told_or_changed(void **unused)
{
    (void)unused;
    static const char text[] = "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\n"
                               "bodies: {bob: {mass: 1, position: [0.6, -0.8]}}\n"
                               "constraints: {rod: {position: (bob.x^2 + bob.y^2 - 1)/2}}\n%s"
                               "record: [bob.x, bob.y]\nsimulate: {until: 3, formulation: kane, rtol: 1e-10, atol: 1e-12}\n";
    for (int fixed = 0; fixed < 2; fixed++) { /* u = x': singular where the rod is level, which a pendulum with this rate passes */
        char model[600];
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        dal_evidence evidence;
        snprintf(model, sizeof model, text, fixed ? "speeds: {u: bob.x'}\n" : "");
        char *at = strstr(model, "[0.6, -0.8]");
        memcpy(at, "[0.6, +0.8]", 11); /* it falls from above, through the level */
        assert_int_equal(dal_spec_parse(NULL, "pendulum", model, strlen(model), 0, NULL, messages, &spec), DAL_OK);
        assert_int_equal(dal_compile(NULL, spec, messages, &system), DAL_OK);
        dal_status status = dal_run(system, NULL, messages, &evidence);
        char all[2000] = "";
        for (const dal_message *m = dal_messages_first(messages); m; m = m->next)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s\n", m->text);
        print_message("  %s: %ld changes; %s\n", fixed ? "fixed" : "automatic", evidence.speeds_changed, all);
        assert_int_equal(status, fixed ? DAL_NUMERICAL : DAL_OK);
        if (fixed) {
            assert_non_null(strstr(all, "u"));
            assert_non_null(strstr(all, "t = "));
        } else {
            assert_true(evidence.speeds_changed > 0);
            assert_true(evidence.energy_drift < 1e-8);
            assert_true(evidence.speeds_condition < 100);
        }
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_1_follows_the_reference_with_the_counts_of_table_3),
        cmocka_unit_test(case_2_follows_the_reference_with_the_counts_of_table_6),
        cmocka_unit_test(case_3_follows_the_reference_with_the_counts_of_table_9),
        cmocka_unit_test(chaplygin_s_sleigh_follows_its_closed_form),
        cmocka_unit_test(a_ball_on_a_turntable_runs_round_at_two_sevenths),
        cmocka_unit_test(speeds_that_become_singular_are_told_or_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
