/* Whole runs against reference solutions, closed forms and one another.
 *
 * Tolerances. An adaptive run at tolerance tol misses by about C tol, one at 100 tol by 100 C tol, and their difference
 * bounds the error of the first; a fixed step of order p misses by C h^p, one of twice the step by 2^p of it. So every run is made
 * twice, and the reference has to lie within what the pair promises, plus the rounding of the steps.
 */
#include "trajectory.h"

#include <float.h>

static const char *const families[] = {"angle", "euler", "natural"};
static const char *const formulations[] = {"lagrange", "udwadia-kalaba"};

static const char tight[] = "integrator=dopri5 rtol=1e-12 atol=1e-14 stabilization=direct-correction=1e-14";
static const char loose[] = "integrator=dopri5 rtol=1e-10 atol=1e-12 stabilization=direct-correction=1e-14";

/* Does the column say where a body is? Rates, energies and residuals do not. */
static bool is_place(const char *name)
{
    return !strchr(name, '\'') && !strstr(name, "omega") && strncmp(name, "energy", 6) && strncmp(name, "constraint", 10);
}

/* Largest difference of two runs over every row; `what` is the name of its column. */
static double difference(const trajectory *a, const trajectory *b, bool places_only, const char **what)
{
    double worst = 0;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->rows, b->rows);
    for (int i = 0; i < a->rows; i++)
        for (int k = 1; k < a->n; k++) {
            double gap = fabs(a->value[i * a->n + k] - b->value[i * b->n + k]);
            if (!(gap <= worst) && (!places_only || is_place(a->name[k]))) {
                worst = gap;
                *what = a->name[k];
            }
        }
    return worst;
}

/* Samples until t_end: lists or numbers under some keys, then those of the first body under others. */
static void read_samples(reference *r, const json *root, double t_end, const char *const *keys, const char *const *of_body)
{
    r->n_times = 0;
    for (const json *s = json_get(root, "samples")->first; s && json_get(s, "t")->number <= t_end * (1 + 1e-9); s = s->next) {
        double *out = r->value[r->n_times];
        int n = 0;
        r->time[r->n_times++] = json_get(s, "t")->number;
        for (int k = 0; keys && keys[k]; k++) {
            const json *item = json_get(s, keys[k]);
            n = item->first ? append_list(out, n, item) : (out[n] = item->number, n + 1);
        }
        for (int k = 0; of_body && of_body[k]; k++)
            n = append_list(out, n, json_get(json_at(json_get(s, "bodies"), 0), of_body[k]));
        r->n = n;
    }
}

/* The same between two runs at the times of the reference. */
static double promise(const reference *r, const trajectory *fine, const trajectory *coarse)
{
    const char *what;
    double when;
    reference other = *r;
    for (int i = 0; i < r->n_times; i++)
        memcpy(other.value[i], row_at(coarse, r->time[i]) + 1, sizeof(double) * (size_t)r->n);
    return miss(&other, fine, &what, &when);
}

/* Every family and formulation follows the reference. `factor`: error of the finer run over the difference of the two. */
static void follow(const reference *r, const char *method, const char *fine, const char *coarse, double factor)
{
    for (int f = 0; f < 3; f++)
        for (int d = 0; d < 2; d++) {
            char settings[2][400];
            const char *what = "", *pair[2] = {fine, coarse};
            double when = 0;
            trajectory run[2];
            for (int k = 0; k < 2; k++) {
                snprintf(settings[k], sizeof settings[k], "coordinates=%s formulation=%s %s %s", families[f], formulations[d], r->settings, pair[k]);
                run[k] = run_well(r->model, r->parameter, r->channel, settings[k]);
            }
            double gap = miss(r, &run[0], &what, &when);
            double rounding = 10 * DBL_EPSILON * (double)run[0].evidence.steps * fmax(1, r->magnify);
            double allowed = factor * promise(r, &run[0], &run[1]) + rounding;
            if (r->limit > 0)
                allowed = fmin(allowed, r->limit);
            print_message("  %-16s %-8s %-15s %-7s misses by %.1e, %.1e allowed\n", r->model, families[f], formulations[d], method, gap, allowed);
            if (!(gap <= allowed))
                fail_msg("%s, %s: %s misses the reference by %.3g at t = %g, %.3g is allowed", r->model, settings[0], what, gap, when, allowed);
            free(run[0].value);
            free(run[1].value);
        }
}

/* The error is in proportion to the tolerance: the difference is 99 times the error. Three times that is allowed. */
static void follow_adaptively(const reference *r)
{
    follow(r, "dopri5", tight, loose, 3.0 / 99);
}

/* Order 6: the difference to twice the step is 63 times the error. Three times that is allowed. */
static void follow_as_the_paper(const reference *r)
{
    follow(r, "ab6", "integrator=ab6 step=1e-3 stabilization=direct-correction=1e-12",
           "integrator=ab6 step=2e-3 stabilization=direct-correction=1e-12", 3.0 / 63);
}

static const char *const planar_channels[] = {"x", "y", "angle"};

/* x, y, angle of three bodies, then their rates. */
static void name_three_bodies(reference *r, const char *const names[3])
{
    for (int k = 0; k < 18; k++) {
        snprintf(r->text[k], sizeof r->text[k], "%s.%s%s", names[k % 9 / 3], planar_channels[k % 3], k < 9 ? "" : "'");
        r->channel[k] = r->text[k];
    }
}

static void check_start_reactions(const json *root, const char *model, const char *parameter, const char *const *channels)
{
    const json *expected = json_get(json_get(root, "reactions_t0"), "values");
    for (int f = 0; f < 3; f++)
        for (int d = 0; d < 2; d++) {
            char settings[200];
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s integrator=dopri5 until=1e-3 every=1e-3", families[f],
                     formulations[d]);
            trajectory start = run_well(model, parameter, channels, settings);
            for (int k = 0; k < expected->n; k++) /* 1e4 eps of the weight of everything, about 100 N */
                check_close(start.value[1 + k], json_at(expected, k)->number, 1e4 * DBL_EPSILON * 100);
            free(start.value);
        }
}

static void four_bar_follows_the_reference(void **unused)
{
    static const char *const reactions[] = {"A.force.x", "A.force.y", "B.force.x", "B.force.y", "C.force.x",
                                            "C.force.y", "D.force.x", "D.force.y", NULL};
    static reference r = {.model = "four-bar", .settings = "until=5 every=0.25"};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "003_fourbar_free");
    read_times(&r, root, (const char *const[]){"absolute_q", "absolute_qdot", NULL});
    name_three_bodies(&r, (const char *const[]){"bar1", "bar2", "bar3"});
    follow_adaptively(&r);
    follow_as_the_paper(&r);
    check_start_reactions(root, r.model, NULL, reactions);
    json_close(&file);
}

static void slider_crank_follows_the_reference(void **unused)
{
    static const char *const reactions[] = {"A.force.x", "A.force.y",     "B.force.x",    "B.force.y", "C.force.x",
                                            "C.force.y", "guide.force.y", "guide.torque", NULL};
    static reference r = {.model = "slider-crank", .settings = "until=5 every=0.25"};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "003_slidercrank_free");
    read_times(&r, root, (const char *const[]){"absolute_q", "absolute_qdot", NULL});
    name_three_bodies(&r, (const char *const[]){"crank", "rod", "slider"});
    follow_adaptively(&r);
    follow_as_the_paper(&r);
    check_start_reactions(root, r.model, NULL, reactions);
    json_close(&file);
}

static void chain_follows(int n, const char *name, const char *settings)
{
    static reference r;
    json_file file;
    char parameter[8], force[20][24];
    const char *reactions[21] = {NULL};
    json *root = open_reference(&file, name);
    snprintf(parameter, sizeof parameter, "N=%d", n);
    r = (reference){.model = "n-pendulum", .parameter = parameter, .settings = settings};
    read_times(&r, root, (const char *const[]){"q", "qdot", NULL});
    for (int k = 0; k < 2 * n; k++) {
        snprintf(r.text[k], sizeof r.text[k], k < n ? "rod.%d.angle + pi/2" : "rod.%d.angle'", k % n + 1);
        r.channel[k] = r.text[k];
        if (k < 2)
            snprintf(force[k], sizeof force[k], "root.force.%c", 'x' + k);
        else
            snprintf(force[k], sizeof force[k], "link.%d.force.%c", k / 2 + 1, 'x' + k % 2);
        reactions[k] = force[k];
    }
    follow_adaptively(&r);
    check_start_reactions(root, r.model, parameter, reactions);
    json_close(&file);
}

static void chain_of_two_follows_the_reference(void **unused)
{
    (void)unused;
    chain_follows(2, "extra_pendulum_N2", "until=5 every=0.5");
}

static void chain_of_five_follows_the_reference(void **unused)
{
    (void)unused;
    chain_follows(5, "extra_pendulum_N5", "until=3 every=0.25");
}

static void free_body_follows_the_closed_form(void **unused)
{
    static reference r = {.model = "free-body",
                          .settings = "until=30 every=1",
                          .channel = {"racket.ex.x", "racket.ey.x", "racket.ez.x", "racket.ex.y", "racket.ey.y", "racket.ez.y", "racket.ex.z",
                                      "racket.ey.z", "racket.ez.z", "racket.omega.body.x", "racket.omega.body.y", "racket.omega.body.z"}};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "extra_free_rigid_body");
    read_times(&r, root, (const char *const[]){"rotation_matrix", "qdot", NULL});
    follow_adaptively(&r);
    json_close(&file);
}

static void heavy_top_follows_the_reference(void **unused)
{
    static reference r = {.model = "heavy-top",
                          .settings = "until=1 every=0.05",
                          .channel = {"top.omega.body.x", "top.omega.body.y", "top.omega.body.z", "top.G.x", "top.G.y", "top.G.z", "top.G.x'",
                                      "top.G.y'", "top.G.z'", "top.omega.x", "top.omega.y", "top.omega.z"}};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "heavy_top");
    read_samples(&r, root, 1, (const char *const[]){"w_body", NULL}, (const char *const[]){"r", "v", "w", NULL});
    follow_adaptively(&r);
    json_close(&file);
}

static void simple_pendulum_follows_the_closed_form(void **unused)
{
    static reference r = {.model = "simple-pendulum",
                          .settings = "until=10 every=0.05",
                          .channel = {"-rod.force.x*bob.x - rod.force.y*bob.y", "bob.x", "bob.y", "0", "bob.x'", "bob.y'", "0.0"}};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "A01");
    read_samples(&r, root, 10, (const char *const[]){"rod_tension", NULL}, (const char *const[]){"r", "v", NULL});
    follow_adaptively(&r);
    json_close(&file);
}

/* ---- Andrews' mechanism ---------------------------------------------------------- */

#define ANDREWS_ANGLES                                                                                                                               \
    "K1.angle", "K2.angle - K1.angle", "K3.angle + pi/2", "K4.angle - K5.angle + pi/2", "K5.angle", "K6.angle - K7.angle - pi/2", "K7.angle + pi/2"

static void andrews_mechanism_follows_the_reference_from_the_iftomm_start(void **unused)
{
    static reference r = {.model = "andrews", .settings = "until=0.03 every=2.5e-4", .limit = 1e-9, .channel = {ANDREWS_ANGLES}};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "A03_iftomm");
    read_samples(&r, root, 0.03, (const char *const[]){"q", NULL}, NULL);
    follow_adaptively(&r);
    json_close(&file);
}

/* Angles and rates at t = 0.03, known to 22 digits. There Phi'' = 5.7e5 rad/s^2 while beta' = 1140 rad/s: a rounding of beta by
 * 1 eps moves Phi' by 5.7e5 / 1140 = 500 eps. */
static void andrews_mechanism_reaches_the_test_set_s_end(void **unused)
{
    static reference r = {.model = "andrews",
                          .parameter = "bari=1",
                          .settings = "until=0.03 every=0.03",
                          .limit = 1e-9,
                          .magnify = 500,
                          .channel = {ANDREWS_ANGLES, "K1.angle'", "K2.angle' - K1.angle'", "K3.angle'", "K4.angle' - K5.angle'", "K5.angle'",
                                      "K6.angle' - K7.angle'", "K7.angle'"}};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "A03_bari_t003_mp");
    r.n_times = 1;
    r.time[0] = 0.03;
    r.n = 14;
    for (int k = 0; k < 14; k++)
        r.value[0][k] = json_at(json_get(root, "y"), k)->number;
    follow_adaptively(&r);
    json_close(&file);
}

/* ---- singular positions ------------------------------------------------------------ */

/* Five turns, ten passages through positions where the constraints lose rank. Rounding is magnified there: at a distance d the
 * accelerations carry eps v^2 / d^2, and a stage of a step h = 2e-3 s may come as near as d = 1e-4: the speed 5 m/s changes by up
 * to 4e-16 x 25 / 1e-8 x 2e-3 = 2e-9 m/s times the rows that see it, 14. Ten such changes, all the same way, shift the end
 * of 10 s by 10 x 14 x 2e-9 x 10 = 3e-6 m. */
static const double after_ten_passages = 3e-6;

static void four_bars_pass_their_singular_positions_on_the_right_branch(void **unused)
{
    static const char *const methods[] = {tight, "integrator=ab6 step=1e-3"};
    static reference r = {.channel = {"v.0.B.x", "v.0.B.y", "v.0.B.x'", "v.0.B.y'"}};
    json_file file;
    (void)unused;
    json *root = open_reference(&file, "A02_N2");
    read_samples(&r, root, 10, (const char *const[]){"B0", "B0_velocity", NULL}, NULL);
    r.time[0] = r.time[r.n_times - 1]; /* the end of the run */
    memcpy(r.value[0], r.value[r.n_times - 1], sizeof r.value[0]);
    r.n_times = 1;
    for (int f = 0; f < 3; f++)
        for (int d = 0; d < 2; d++)
            for (int k = 0; k < 2; k++) {
                char settings[300];
                const char *what = "";
                double when = 0;
                snprintf(settings, sizeof settings, "coordinates=%s formulation=%s %s every=0.5", families[f], formulations[d], methods[k]);
                trajectory turns = run_well("n-four-bar", NULL, r.channel, settings);
                double gap = miss(&r, &turns, &what, &when);
                print_message("  %-8s %-15s %-6s misses by %.1e after ten passages\n", families[f], formulations[d], turns.evidence.info.integrator,
                              gap);
                if (!(gap <= after_ten_passages))
                    fail_msg("%s: %s misses by %.3g at t = %g", settings, what, gap, when);
                free(turns.value);
            }
    json_close(&file);
}

/* Off the parallelogram the rods are not parallel: whatever the method and its tolerance, the run stays on it or stops. */
static void four_bars_never_leave_the_parallelogram(void **unused)
{
    static const struct {
        const char *model, *settings;
    } runs[] = {
        {"n-four-bar", "rtol=1e-4 atol=1e-6"},
        {"n-four-bar", "rtol=1e-6 atol=1e-8"},
        {"n-four-bar", "rtol=1e-8 atol=1e-10 formulation=udwadia-kalaba"},
        {"n-four-bar", "integrator=rk4 step=0.01"},
        {"n-four-bar", "integrator=rk6 step=5e-3 coordinates=natural"},
        {"n-four-bar", "integrator=ab6 step=2e-3 coordinates=euler formulation=udwadia-kalaba"},
        {"n-four-bar", "integrator=rk6 step=5e-3 stabilization=mass-projection"},
        {"n-four-bar", "integrator=rk4 step=1e-3 stabilization=baumgarte"},
        {"n-four-bar", "integrator=rk4 step=1e-3 stabilization=none"},
        {"n-four-bar-spatial", "coordinates=angle"},
        {"n-four-bar-spatial", "coordinates=euler"},
        {"n-four-bar-spatial", "coordinates=natural"},
        {"n-four-bar-spatial", "coordinates=angle integrator=rk6 step=2e-3"},
    };
    static const char *const across[] = {"v.0.ey.x", "v.0.ey.y", "v.1.ey.x", "v.1.ey.y", "v.2.ey.x", "v.2.ey.y", "h.2.ex.y", NULL};
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char settings[200];
        snprintf(settings, sizeof settings, "until=5 every=0.05 %s", runs[i].settings);
        trajectory turns = run(runs[i].model, NULL, across, settings);
        double worst = 0;
        for (int k = 0; k < turns.rows; k++) {
            const double *row = turns.value + k * turns.n;
            for (int j = 1; j <= 4; j++)
                worst = fmax(worst, fabs(row[j] - row[j + 2]));
            worst = fmax(worst, fabs(row[7]));
        }
        print_message("  %-20s %-72s %.1e off, %s\n", runs[i].model, runs[i].settings, worst, turns.status == DAL_OK ? "to the end" : turns.message);
        if (turns.status != DAL_OK && !strstr(turns.message, "singular position"))
            fail_msg("%s stopped without a reason: %s", settings, turns.message);
        check_small(worst, 1e-6); /* 1e-10 in the joints, one row within 0.01 of a singular position */
        free(turns.value);
    }
}

/* ---- the paper -------------------------------------------------------------------- */

static const struct {
    const char *model;
    bool sharp; /* its turning points are so sharp that ab6 at 1e-3 s misses 1e-7; half the step meets it */
} paper[] = {
    {"four-bar", false},
    {"four-bar-spring", false},
    {"slider-crank", false},
    {"slider-crank-spring", false},
    {"double-pendulum-on-cart", false},
    {"double-pendulum-on-cart-spring", false},
    {"quick-return", true},
    {"quick-return-spring", true},
};

/* Table 11 of `natural-absolute-coordinates`, and figures 6 to 9: the families overlap. */
static void mechanisms_of_the_paper_keep_their_constraints_in_every_family(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof paper / sizeof *paper; i++) {
        char settings[200];
        const char *what = "";
        trajectory exact = run_well(paper[i].model, NULL, NULL, "coordinates=angle every=0.05 integrator=dopri5 rtol=1e-12 atol=1e-14");
        for (int f = 0; f < 3; f++) {
            snprintf(settings, sizeof settings, "coordinates=%s every=0.05", families[f]);
            trajectory as_printed = run_well(paper[i].model, NULL, NULL, settings);
            snprintf(settings, sizeof settings, "coordinates=%s every=0.05 step=5e-4", families[f]);
            trajectory half = run_well(paper[i].model, NULL, NULL, settings);
            double gap = difference(&as_printed, &exact, true, &what), fine = difference(&half, &exact, true, &what);
            print_message("  %-32s %-8s residuals %.1e, %.1e; misses by %.1e, with half the step by %.1e\n", paper[i].model, families[f],
                          as_printed.evidence.position_residual, as_printed.evidence.velocity_residual, gap, fine);
            assert_string_equal(as_printed.evidence.info.integrator, "ab6");
            assert_int_equal(as_printed.evidence.steps, 5000);
            check_small(as_printed.evidence.position_residual, 1e-12 * as_printed.evidence.info.length);
            check_small(as_printed.evidence.velocity_residual, 1e-13);
            check_small(paper[i].sharp ? fine : gap, 1e-7);
            if (gap > 1e-7) /* it is the truncation of order 6, nothing else: 64, where h^7 is not yet negligible more */
                check_small(fine, gap / 48);
            free(as_printed.value);
            free(half.value);
        }
        free(exact.value);
    }
}

/* ---- space ------------------------------------------------------------------------- */

static const struct {
    const char *model, *parameter;
} spatial[] = {
    {"free-body", NULL},
    {"heavy-top", NULL},
    {"bricard", NULL},
    {"spatial-slider-crank", NULL},
    {"flyball-governor", "soft=0.005"},
    {"universal-double-pendulum", NULL},
};

static void spatial_mechanisms_move_alike_in_every_family(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof spatial / sizeof *spatial; i++) {
        trajectory first = {0};
        for (int f = 0; f < 3; f++) {
            char settings[300];
            const char *what = "";
            snprintf(settings, sizeof settings, "coordinates=%s until=1 every=0.05 %s", families[f], tight);
            trajectory next = run_well(spatial[i].model, spatial[i].parameter, NULL, settings);
            if (f == 0) {
                first = next;
                continue;
            }
            double gap = difference(&first, &next, true, &what);
            print_message("  %-28s angle and %-8s differ by %.1e (%s)\n", spatial[i].model, families[f], gap, what);
            check_small(gap, 1e-7);
            free(next.value);
        }
        free(first.value);
    }
}

/* th1 = th3 = th5, th2 = th4, sin th1 + sin th2 + sin th1 sin th2 = 0, and rest again after one period. */
static void bricard_s_mechanism_keeps_its_loop_and_its_period(void **unused)
{
    static const char *const channels[] = {"th1.angle", "th2.angle", "th3.angle", "th4.angle", "th5.angle", "th1.angle'", "th1.angle''", NULL};
    const double period = 4.991711513688724, rtol = 1e-10;
    (void)unused;
    for (int d = 0; d < 2; d++) {
        char settings[200];
        snprintf(settings, sizeof settings, "coordinates=euler formulation=%s until=%.17g every=%.17g rtol=%g atol=1e-12", formulations[d], period,
                 period / 64, rtol);
        trajectory swing = run_well("bricard", NULL, channels, settings);
        double swung = 0, slip = rtol * (double)swing.evidence.steps; /* what the steps may add up to */
        for (int i = 0; i < swing.rows; i++) {
            const double *row = swing.value + i * swing.n, *th = row; /* th[1] .. th[5] */
            double s1 = sin(th[1]), s2 = sin(th[2]);
            check_close(th[3], th[1], 1e-8); /* the rows hold to 1e-10, and 1 / 100 of it is the least pivot of the loop */
            check_close(th[5], th[1], 1e-8);
            check_close(th[4], th[2], 1e-8);
            check_small(s1 + s2 + s1 * s2, 1e-8);
            swung = fmax(swung, th[1]);
        }
        const double *start = swing.value, *end = swing.value + (swing.rows - 1) * swing.n;
        double late = end[6] / start[7]; /* rate over acceleration: how far from the moment of rest */
        print_message("  %-15s rest %.1e s from the period, %ld steps, rank %d to %d\n", formulations[d], late, swing.evidence.steps,
                      swing.evidence.rank_least, swing.evidence.rank_most);
        check_close(swung, 3.14159265358979324, 10 * slip);
        check_small(late, 10 * slip);
        assert_int_equal(swing.evidence.info.rank, swing.evidence.info.constraints - 1);
        assert_int_equal(swing.evidence.rank_least, swing.evidence.info.rank);
        assert_int_equal(swing.evidence.rank_most, swing.evidence.info.rank);
        free(swing.value);
    }
}

/* ---- turns ------------------------------------------------------------------------ */

/* Constant acceleration g / (1 + J / (m r^2)): the error control of the family `angle` would take the 8 turns of the pinion in a few
 * steps, and the coupling must not lose one of them. */
static void turns_are_counted_however_large_the_steps_could_be(void **unused)
{
    static const char *const channels[] = {"rack.y", "pinion.angle", NULL};
    const double m = 2, J = 0.05, r = 0.08, rtol = 1e-6, fallen = -0.5 * 9.81 / (1 + J / (m * r * r)) * 2 * 2;
    (void)unused;
    for (int f = 0; f < 3; f++)
        for (int d = 0; d < 2; d++) {
            char settings[200];
            snprintf(settings, sizeof settings, "coordinates=%s formulation=%s until=2 every=2 rtol=%g atol=1e-9", families[f], formulations[d],
                     rtol);
            trajectory fall = run_well("rack-and-pinion", NULL, channels, settings);
            double allowed = rtol * (double)fall.evidence.steps;
            check_close(row_at(&fall, 2)[1], fallen, allowed * fabs(fallen));
            check_close(row_at(&fall, 2)[2], fallen / r, allowed * fabs(fallen / r));
            free(fall.value);
        }
    trajectory coarse = run("rack-and-pinion", NULL, channels, "integrator=rk4 step=0.1 until=2");
    assert_int_equal(coarse.status, DAL_NUMERICAL);
    assert_non_null(strstr(coarse.message, "half a turn in one step"));
    free(coarse.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_bar_follows_the_reference),
        cmocka_unit_test(slider_crank_follows_the_reference),
        cmocka_unit_test(chain_of_two_follows_the_reference),
        cmocka_unit_test(chain_of_five_follows_the_reference),
        cmocka_unit_test(free_body_follows_the_closed_form),
        cmocka_unit_test(heavy_top_follows_the_reference),
        cmocka_unit_test(simple_pendulum_follows_the_closed_form),
        cmocka_unit_test(andrews_mechanism_follows_the_reference_from_the_iftomm_start),
        cmocka_unit_test(andrews_mechanism_reaches_the_test_set_s_end),
        cmocka_unit_test(four_bars_pass_their_singular_positions_on_the_right_branch),
        cmocka_unit_test(four_bars_never_leave_the_parallelogram),
        cmocka_unit_test(mechanisms_of_the_paper_keep_their_constraints_in_every_family),
        cmocka_unit_test(spatial_mechanisms_move_alike_in_every_family),
        cmocka_unit_test(bricard_s_mechanism_keeps_its_loop_and_its_period),
        cmocka_unit_test(turns_are_counted_however_large_the_steps_could_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
