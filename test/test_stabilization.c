/* Ways of holding constraints: coordinate partitioning keeps the independent values to the last bit and meets the constraints; penalty is
 * Baumgarte's motion once its iteration has ended, and off by lambda / (a omega^2) where it has not begun. Both go where the others go.
 */
#include "dynamics/singular.h"
#include "gallery.h"
#include "dynamics/reactions.h"
#include "dynamics/row_rank.h"
#include "integrate/partition.h"
#include "state/report.h"

static const double random_shift = 1e-3; /* of the model's length: off the constraints */

typedef struct compiled {
    dal_messages *messages;
    dal_spec *spec;
    dal_system *system;
} compiled;

/* `settings`: "key=word key=word ...". What is refused leaves system NULL. */
static compiled compile_file(const char *file, const char *text, const char *settings)
{
    compiled c = {.messages = dal_messages_create(NULL)};
    dal_status status =
        text ? dal_spec_parse(NULL, file, text, strlen(text), 0, NULL, c.messages, &c.spec) : dal_spec_read(NULL, file, 0, NULL, c.messages, &c.spec);
    char words[400], *rest = words;
    snprintf(words, sizeof words, "%s", settings);
    for (char *word; status == DAL_OK && (word = strtok_r(rest, " ", &rest));) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        dal_spec_set(c.spec, word, value, c.messages);
    }
    if (status == DAL_OK)
        dal_compile(NULL, c.spec, c.messages, &c.system);
    return c;
}

static void let_go(compiled *c)
{
    dal_system_free(c->system);
    dal_spec_free(c->spec);
    dal_messages_free(c->messages);
}

static const char *first_error(const compiled *c)
{
    for (const dal_message *m = dal_messages_first(c->messages); m; m = m->next)
        if (m->severity == DAL_ERROR)
            return m->text;
    return "";
}

static compiled compile_well(const char *file, const char *text, const char *settings)
{
    compiled c = compile_file(file, text, settings);
    if (!c.system)
        fail_msg("%s, %s: %s", file, settings, first_error(&c));
    return c;
}

/* To the end; the state there is evaluated. */
static dal_state *run(const compiled *c, dal_evidence *evidence)
{
    dal_state *state = dal_state_create(NULL, c->system);
    const dal_run_options options = {.final = state};
    if (dal_run(c->system, &options, c->messages, evidence) != DAL_OK)
        fail_msg("%s", first_error(c));
    assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
    return state;
}

/* Largest difference of the places of the bodies: lengths, and entries of rotations times the model's length. */
static double apart(const dal_state *a, const dal_state *b)
{
    double most = 0;
    for (int i = 0; i < a->system->mechanism.n_bodies; i++) {
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(a->work.kin[i].r[k] - b->work.kin[i].r[k]));
        for (int k = 0; k < 9; k++)
            most = fmax(most, a->system->layout.units.length * fabs(a->work.kin[i].R[k] - b->work.kin[i].R[k]));
    }
    return most;
}

static bool depends(const dal_state *state, int column)
{
    for (int d = 0; d < state->partition->n; d++)
        if (state->partition->column[d] == column)
            return true;
    return false;
}

/* ---- coordinate partitioning ---------------------------------------------------------- */

/* Off the constraints, but near: every coordinate and every velocity is moved. */
static void disturb(dal_state *state, uint64_t *seed, double t)
{
    const dal_layout *layout = &state->system->layout;
    double *dv = calloc((size_t)layout->nv + 1, sizeof *dv);
    dal_state_reset(state);
    dal_state_set_time(state, t);
    for (int k = 0; k < layout->nv; k++)
        dv[k] = random_shift * check_random(seed) * state->system->layout.units.length / state->system->layout.units.column_scale[k];
    layout->family->add(layout, state->y, dv);
    for (int k = layout->nq; k < layout->nq + state->system->n_w; k++)
        state->y[k] += 0.37 * check_random(seed);
    free(dv);
}

/* Where a coordinate is its velocity's integral: everywhere but in ball joints. */
static bool plain(const dal_layout *layout)
{
    return layout->nq == layout->nv;
}

static bool keeps_what_is_independent(dal_state *state, uint64_t *seed, const char *what)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    double *before = calloc((size_t)system->n_y, sizeof *before), position, velocity;
    disturb(state, seed, 0.017);
    memcpy(before, state->y, sizeof *before * (size_t)system->n_y);
    bool met = system->method.stabilization->project(state, 0.017, state->y) == 0;
    for (int k = 0; k < layout->nv && met; k++) {
        if (depends(state, k))
            continue;
        if (plain(layout) && state->y[k] != before[k])
            fail_msg("%s: independent coordinate %d was moved by %.3g", what, k, state->y[k] - before[k]);
        if (!system->method.formulation->unpack && state->y[layout->nq + k] != before[layout->nq + k])
            fail_msg("%s: independent velocity %d was moved", what, k);
    }
    for (int k = layout->nq; k < layout->nq + system->n_w && met && system->method.formulation->unpack; k++)
        if (state->y[k] != before[k])
            fail_msg("%s: a speed was moved", what);
    if (met) {
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        dal_state_residuals(state, &position, &velocity);
        double unit = fmax(1, system->layout.units.length); /* it is relative to the length, and to the unit of a row in newtons */
        for (int i = 0; i < layout->n_rows; i++)
            unit = fmax(unit, system->layout.units.row_unit[i]);
        check_small(position, system->method.tolerance * unit);
        double fastest = 1;
        for (int k = 0; k < layout->nv; k++)
            fastest = fmax(fastest, fabs(state->work.v[k]));
        check_small(velocity, 1e-10 * fastest * fmax(1, system->layout.units.length));
        assert_int_equal(state->partition->n, state->rank->n);
    }
    free(before);
    return met;
}

static void partitioning_meets_the_constraints_and_keeps_independent_values_to_the_last_bit(void **unused)
{
    gallery g = gallery_open();
    uint64_t seed = 20261;
    int tried = 0, met = 0, moved = 0;
    (void)unused;
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++) {
            char settings[100], what[300];
            snprintf(settings, sizeof settings, "coordinates=%s stabilization=coordinate-partitioning=1e-11", gallery_families[f]->name);
            compiled c = compile_file(g.found.gl_pathv[i], NULL, settings);
            if (c.system && c.system->layout.n_rows) {
                dal_state *state = dal_state_create(NULL, c.system);
                snprintf(what, sizeof what, "%s, %s", g.found.gl_pathv[i], gallery_families[f]->name);
                const bool good = keeps_what_is_independent(state, &seed, what);
                tried++;
                met += good;
                moved += state->rank->n > 0;
                if (!good)
                    print_message("  %s: %s\n", what, state->report->trouble);
                dal_state_free(state);
            }
            let_go(&c);
        }
    gallery_close(&g);
    print_message("  %d of %d disturbed states were met\n", met, tried);
    assert_true(moved > 60);
    assert_true(met >= tried - tried / 50); /* a disturbed state may have no solution nearby */
}

static void partitioning_leaves_the_speeds_of_every_formulation_alone(void **unused)
{
    uint64_t seed = 77;
    (void)unused;
    for (int k = 0; dal_formulations[k]; k++) {
        char settings[120];
        snprintf(settings, sizeof settings, "formulation=%s stabilization=coordinate-partitioning", dal_formulations[k]->name);
        compiled c = compile_file(DAL_MODELS "/four-bar.yaml", NULL, settings);
        if (c.system) {
            dal_state *state = dal_state_create(NULL, c.system);
            assert_true(keeps_what_is_independent(state, &seed, settings));
            dal_state_free(state);
        }
        let_go(&c);
    }
}

/* A swinging pendulum in direction cosines: the cosine that depends has to change while it turns. */
static const char pendulum[] = "dalembert: 1\n"
                               "space: planar\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  rod: {mass: 1.37, inertia: 0.21, center: [0.618, 0], position: [0.3, -0.2], angle: "
                               "-90*deg + 2.1, points: {O: [0, 0]}}\n"
                               "joints: {pin: {type: revolute, connect: [ground.O, rod.O]}}\n"
                               "ground: {points: {O: [0.3, -0.2]}}\n"
                               "simulate: {until: 1, rtol: 1e-11, atol: 1e-12, every: 10}\n";

/* 2 pi / agm(w, w cos(theta_0 / 2)), w^2 = m g l / I: from the complete elliptic integral. */
static double period(void)
{
    double w = sqrt(1.37 * 9.81 * 0.618 / (0.21 + 1.37 * 0.618 * 0.618)), a = w, b = w * cos(2.1 / 2);
    for (int i = 0; i < 8; i++) {
        double mean = sqrt(a * b);
        a = (a + b) / 2;
        b = mean;
    }
    return 2 * M_PI / a;
}

static void a_pendulum_comes_back_after_its_period(void **unused)
{
    static const char *const ways[] = {"coordinate-partitioning=1e-12", "penalty:omega=30", "mass-projection=1e-12"};
    (void)unused;
    for (int f = 0; f < 4; f++)
        for (int w = 0; w < 3; w++) {
            char settings[200];
            dal_evidence evidence;
            snprintf(settings, sizeof settings, "coordinates=%s stabilization=%s until=%.17g", gallery_families[f]->name, ways[w], period());
            compiled c = compile_well("pendulum.yaml", pendulum, settings);
            dal_state *state = run(&c, &evidence);
            const dal_motion m = dal_state_body(state, 0);
            check_close(atan2(m.rotation[3], m.rotation[0]), 2.1 - M_PI / 2, 1e-8);
            check_small(m.omega[2], 1e-7);
            check_small(evidence.energy_drift, 1e-9);
            if (w == 0 && !strcmp(gallery_families[f]->name, "natural"))
                assert_true(evidence.partition_changed >= 2); /* through the lowest point, there and back */
            if (w != 0)
                assert_true(isnan(evidence.partition_steepest));
            dal_state_free(state);
            let_go(&c);
        }
}

/* ---- penalty ----------------------------------------------------------------------------- */

/* Hanging at rest, a row that carries m g stays open by m g / (a omega^2) = g / (factor omega^2): critically damped, it comes there
 * without an overshoot. */
static void a_plain_penalty_gives_way_by_the_force_over_its_stiffness(void **unused)
{
    static const char hanging[] = "dalembert: 1\n"
                                  "space: planar\n"
                                  "gravity: [0, -9.81]\n"
                                  "bodies: {rod: {mass: 1.37, inertia: 0.21, position: [0, 0], angle: -90*deg, points: {O: [-0.618, 0]}}}\n"
                                  "joints: {pin: {type: revolute, connect: [ground.O, rod.O]}}\n"
                                  "ground: {points: {O: [0, 0.618]}}\n"
                                  "simulate: {until: 1.5, rtol: 1e-10, atol: 1e-13, every: 10}\n";
    (void)unused;
    for (int i = 0; i < 3; i++) {
        const double factor = pow(10, 3 + i);
        char settings[200];
        dal_evidence evidence;
        snprintf(settings, sizeof settings, "stabilization=penalty:factor=%g,omega=20,iterations=1", factor);
        compiled c = compile_well("hanging.yaml", hanging, settings);
        dal_state *state = run(&c, &evidence);
        const double open = 9.81 / (factor * 400);
        check_close(evidence.position_residual, open, 1e-5 * open);
        check_close(dal_state_body(state, 0).position[1], -open, 1e-5 * open);
        dal_state_free(state);
        let_go(&c);
    }
}

static void the_residual_falls_with_the_factor_and_the_iteration_takes_it_away(void **unused)
{
    static const char *const ways[] = {"penalty:factor=1e4,iterations=1", "penalty:factor=1e5,iterations=1", "penalty:factor=1e4,iterations=2",
                                       "penalty:factor=1e4"};
    double residual[4];
    (void)unused;
    for (int w = 0; w < 4; w++) {
        char settings[200];
        dal_evidence evidence;
        snprintf(settings, sizeof settings, "formulation=lagrange stabilization=%s until=1 rtol=1e-11 atol=1e-12", ways[w]);
        compiled c = compile_well(DAL_MODELS "/four-bar.yaml", NULL, settings);
        dal_state_free(run(&c, &evidence));
        residual[w] = evidence.position_residual;
        let_go(&c);
    }
    print_message("  open by %.2e, %.2e (ten times the factor), %.2e (twice), %.2e (to the end)\n", residual[0], residual[1], residual[2],
                  residual[3]);
    check_close(residual[0] / residual[1], 10, 0.1); /* 1 + O(1 / factor) */
    assert_true(residual[2] < 1e-2 * residual[0]);   /* 1 / (1 + a s) */
    assert_true(residual[3] < 1e-9);
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The accelerations and the reactions of two systems at one state. */
static void same_answer(dal_state *a, dal_state *b, double tolerance, const char *what)
{
    const int nv = a->system->layout.nv;
    const double *scale = a->system->layout.units.column_scale;
    double size = 0;
    assert_int_equal(dal_state_evaluate(a, NULL), DAL_OK);
    if (dal_state_evaluate(b, NULL) != DAL_OK)
        fail_msg("%s: %s", what, b->report->trouble);
    for (int k = 0; k < nv; k++)
        size = fmax(size, scale[k] * fabs(a->vd[k]));
    for (int k = 0; k < nv; k++)
        if (!(scale[k] * fabs(a->vd[k] - b->vd[k]) <= tolerance * fmax(size, 1)))
            fail_msg("%s: acceleration %d is %.17g, not %.17g", what, k, b->vd[k], a->vd[k]);
    dal_need(a, DAL_STAGE_REACTIONS);
    dal_need(b, DAL_STAGE_REACTIONS);
    const int n = 6 * a->system->mechanism.n_joints;
    const double force = fmax(largest(a->reactions->wrench, n), a->system->layout.units.mass * fmax(size, 1));
    for (int k = 0; k < n; k++)
        if (!(fabs(a->reactions->wrench[k] - b->reactions->wrench[k]) <= 100 * tolerance * force * fmax(1, a->system->layout.units.length)))
            fail_msg("%s: reaction %d is %.17g, not %.17g", what, k, b->reactions->wrench[k], a->reactions->wrench[k]);
}

/* On the constraints: Lagrange's own answer, redundant rows and singular mass matrices included. Off them: Baumgarte's with alpha = xi omega. */
static void the_iteration_ends_at_the_accelerations_and_reactions_of_lagrange(void **unused)
{
    gallery g = gallery_open();
    uint64_t seed = 5150;
    int on_them = 0, redundant = 0, off = 0;
    (void)unused;
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; gallery_families[f]; f++) {
            char settings[200], what[300];
            snprintf(settings, sizeof settings, "formulation=lagrange coordinates=%s stabilization=direct-correction=1e-13",
                     gallery_families[f]->name);
            compiled on = compile_file(g.found.gl_pathv[i], NULL, settings);
            snprintf(settings, sizeof settings, "formulation=lagrange coordinates=%s stabilization=baumgarte:alpha=12,beta=8",
                     gallery_families[f]->name);
            compiled exact = compile_file(g.found.gl_pathv[i], NULL, settings);
            snprintf(settings, sizeof settings, "formulation=lagrange coordinates=%s stabilization=penalty:omega=8,xi=1.5",
                     gallery_families[f]->name);
            compiled soft = compile_file(g.found.gl_pathv[i], NULL, settings);
            if (on.system && !soft.system)
                fail_msg("%s, %s: %s", g.found.gl_pathv[i], gallery_families[f]->name, first_error(&soft));
            if (soft.system && soft.system->layout.n_rows && !soft.system->acting.n_frictions) {
                dal_state *a = dal_state_create(NULL, exact.system), *b = dal_state_create(NULL, soft.system),
                          *start = dal_state_create(NULL, on.system);
                const size_t n = (size_t)on.system->n_y;
                snprintf(what, sizeof what, "%s, %s", g.found.gl_pathv[i], gallery_families[f]->name);
                if (gallery_random_state(start, &seed, 0.017, 0.02, 0.5) && start->singular->nearness > 0.1) {
                    for (int k = 0; k < 2; k++)
                        memcpy((k ? a : b)->y, start->y, sizeof *start->y * n), dal_state_set_time(k ? a : b, 0.017);
                    same_answer(a, b, 1e-8, what);
                    on_them++;
                    redundant += start->rank->n < on.system->layout.n_rows;
                }
                if (on.system->rank == on.system->layout.n_rows) {
                    disturb(a, &seed, 0.017);
                    memcpy(b->y, a->y, sizeof *a->y * n);
                    dal_state_set_time(b, 0.017);
                    same_answer(a, b, 1e-8, what);
                    off++;
                }
                dal_state_free(a);
                dal_state_free(b);
                dal_state_free(start);
            }
            let_go(&on);
            let_go(&exact);
            let_go(&soft);
        }
    gallery_close(&g);
    print_message("  %d models with redundant rows, %d off the constraints\n", redundant, off);
    assert_true(redundant >= 4 && off > 40 && on_them > 40);
}

/* ---- the same motion ------------------------------------------------------------------------ */

/* Closed loops, redundant rows, rolling, drives, space. */
static const struct {
    const char *model, *until;
} motions[] = {
    {"four-bar", "0.6"},         {"bricard", "0.25"}, {"rolling-disc", "0.4"}, {"driven-slider-crank", "0.3"}, {"spatial-slider-crank", "0.2"},
    {"ball-on-turntable", "0.3"}};
enum { MOTIONS = sizeof motions / sizeof *motions };

static void both_give_the_motion_of_mass_projection_in_every_family(void **unused)
{
    static const char *const ways[] = {"mass-projection=1e-12", "coordinate-partitioning=1e-12", "penalty"};
    (void)unused;
#ifdef CHECK_WATCHED
    const int n = 3;
#else
    const int n = MOTIONS;
#endif
    for (int i = 0; i < n; i++)
        for (int f = 0; gallery_families[f]; f++) {
            char file[200], settings[300];
            dal_state *end[3] = {NULL};
            compiled c[3];
            snprintf(file, sizeof file, DAL_MODELS "/%s.yaml", motions[i].model);
            for (int w = 0; w < 3; w++) {
                dal_evidence evidence;
                snprintf(settings, sizeof settings,
                         "coordinates=%s formulation=lagrange integrator=dopri5 rtol=1e-10 atol=1e-12 until=%s "
                         "every=10 stabilization=%s",
                         gallery_families[f]->name, motions[i].until, ways[w]);
                c[w] = compile_file(file, NULL, settings);
                if (c[w].system)
                    end[w] = run(&c[w], &evidence);
                if (end[0] && !end[w])
                    fail_msg("%s, %s: %s", motions[i].model, settings, first_error(&c[w]));
                if (w && end[w] && !(apart(end[0], end[w]) <= 1e-7 * end[0]->system->layout.units.length)) /* global error of rtol 1e-10, both runs */
                    fail_msg("%s, %s: %.2e apart", motions[i].model, settings, apart(end[0], end[w]));
            }
            for (int w = 0; w < 3; w++) {
                dal_state_free(end[w]);
                let_go(&c[w]);
            }
        }
}

/* A rhombus that turns over: twice a turn its bars lie in one line and the rows lose rank. The motion of a parallelogram is known from a run
 * with another projection, whose change points test_singular.c checks. */
static const char rhombus[] = "dalembert: 1\n"
                              "space: planar\n"
                              "parameters: {L: 4, m: 3, I: 4.04, w: 4, a: -45*deg}\n"
                              "gravity: [0, -9.81]\n"
                              "ground: {points: {A: [0, 0], D: [L, 0]}}\n"
                              "bodies:\n"
                              "  b1: {mass: m, inertia: I, position: [L/2*cos(a), L/2*sin(a)], angle: a, rate: w, "
                              "points: {A: [-L/2, 0], B: [L/2, 0]}}\n"
                              "  b2: {mass: m, inertia: I, position: [L*cos(a) + L/2, L*sin(a)], angle: 0, rate: 0, "
                              "points: {B: [-L/2, 0], C: [L/2, 0]}}\n"
                              "  b3: {mass: m, inertia: I, position: [L + L/2*cos(a), L/2*sin(a)], angle: a, rate: w, "
                              "points: {D: [-L/2, 0], C: [L/2, 0]}}\n"
                              "joints:\n"
                              "  A: {type: revolute, connect: [ground.A, b1.A]}\n"
                              "  B: {type: revolute, connect: [b1.B, b2.B]}\n"
                              "  C: {type: revolute, connect: [b2.C, b3.C]}\n"
                              "  D: {type: revolute, connect: [ground.D, b3.D]}\n"
                              "simulate: {until: 2.5, rtol: 1e-10, atol: 1e-12, every: 10}\n";

static void both_pass_singular_positions(void **unused)
{
    static const char *const ways[] = {"mass-projection=1e-10", "coordinate-partitioning=1e-10", "penalty:iterations=3"};
    (void)unused;
    for (int f = 0; f < 3; f++) { /* angle, euler, natural */
        dal_state *end[3];
        compiled c[3];
        for (int w = 0; w < 3; w++) {
            dal_evidence evidence;
            char settings[200];
            snprintf(settings, sizeof settings, "coordinates=%s stabilization=%s", gallery_families[f]->name, ways[w]);
            c[w] = compile_well("rhombus.yaml", rhombus, settings);
            end[w] = run(&c[w], &evidence);
            check_small(evidence.energy_drift, 1e-8);
            check_small(evidence.position_residual, 1e-9);
            if (!(apart(end[0], end[w]) <= 1e-7 * end[0]->system->layout.units.length))
                fail_msg("%s: %.2e apart", settings, apart(end[0], end[w]));
        }
        for (int w = 0; w < 3; w++) {
            dal_state_free(end[w]);
            let_go(&c[w]);
        }
    }
}

/* To convergence the iteration does not get there: it says so instead of going on with what it has. */
static void penalty_to_the_end_stops_near_a_singular_position_and_says_why(void **unused)
{
    compiled c = compile_well("rhombus.yaml", rhombus, "coordinates=angle stabilization=penalty");
    dal_evidence evidence;
    (void)unused;
    assert_int_equal(dal_run(c.system, NULL, c.messages, &evidence), DAL_NUMERICAL);
    assert_non_null(strstr(first_error(&c), "a number of `iterations:` takes what they give"));
    check_small(evidence.energy_drift, 1e-8);
    let_go(&c);
}

static void both_work_with_every_integrator(void **unused)
{
    static const char *const ways[] = {"mass-projection=1e-12", "coordinate-partitioning=1e-12", "penalty"};
    (void)unused;
    for (int k = 0; dal_integrators[k]; k++) {
        dal_state *end[3];
        compiled c[3];
        for (int w = 0; w < 3; w++) {
            dal_evidence evidence;
            char settings[300];
            snprintf(settings, sizeof settings,
                     "formulation=lagrange integrator=%s step=1e-4 rtol=1e-10 atol=1e-12 until=0.1 every=10 "
                     "stabilization=%s",
                     dal_integrators[k]->name, ways[w]);
            c[w] = compile_well(DAL_MODELS "/four-bar.yaml", NULL, settings);
            end[w] = run(&c[w], &evidence);
            if (!(apart(end[0], end[w]) <= 1e-7 * end[0]->system->layout.units.length))
                fail_msg("%s: %.2e apart", settings, apart(end[0], end[w]));
        }
        for (int w = 0; w < 3; w++) {
            dal_state_free(end[w]);
            let_go(&c[w]);
        }
    }
}

/* Andrews' mechanism at t = 0.03, start of the Bari test set: angles of K1 ... K7 from the high-precision beta, Theta, gamma, Phi, delta,
 * Omega, epsilon. */
static void andrews_mechanism_comes_to_the_known_angles(void **unused)
{
    static const char *const ways[] = {"coordinate-partitioning=1e-13", "penalty:omega=200", "penalty:omega=200,factor=1e5"};
    const double beta = 15.81077119515370709712, Theta = -15.75637105841183946973, gamma = 0.04082224011964580485828, Phi = -0.5347301163420795937702,
                 delta = 0.5244099658799540693717, Omega = 0.5347301163420795937702, epsilon = 1.048080741041937873069;
    const double angle[7] = {beta, beta + Theta, gamma - M_PI / 2, Phi + delta - M_PI / 2, delta, Omega + epsilon, epsilon - M_PI / 2};
    (void)unused;
    for (int w = 0; w < 3; w++) {
        dal_messages *messages = dal_messages_create(NULL);
        const dal_override bari = {"bari", "1"};
        dal_spec *spec = NULL;
        compiled c = {.messages = messages};
        dal_evidence evidence;
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/andrews.yaml", 1, &bari, messages, &spec), DAL_OK);
        c.spec = spec;
        const char *const set[][2] = {{"until", "0.03"}, {"rtol", "1e-12"}, {"atol", "1e-13"}, {"every", "1"}, {"stabilization", ways[w]}};
        for (int i = 0; i < 5; i++)
            assert_true(dal_spec_set(spec, set[i][0], set[i][1], messages));
        assert_int_equal(dal_compile(NULL, spec, messages, &c.system), DAL_OK);
        dal_state *state = run(&c, &evidence);
        for (int b = 0; b < 7; b++) {
            const double *R = state->work.kin[b].R;
            check_small(remainder(atan2(R[3], R[0]) - angle[b], 2 * M_PI), 1e-9);
        }
        dal_state_free(state);
        let_go(&c);
    }
}

/* ---- what is refused ---------------------------------------------------------------------------- */

static void expect_refusal(const char *settings, const char *text)
{
    compiled c = compile_file(DAL_MODELS "/four-bar.yaml", NULL, settings);
    assert_null(c.system);
    if (!strstr(first_error(&c), text))
        fail_msg("%s: '%s' instead of '%s'", settings, first_error(&c), text);
    let_go(&c);
}

static void refusals_say_why(void **unused)
{
    (void)unused;
    for (int k = 0; dal_formulations[k]; k++) {
        char settings[100], file[] = DAL_MODELS "/double-pendulum-on-cart.yaml";
        const char *name = dal_formulations[k]->name;
        snprintf(settings, sizeof settings, "formulation=%s", name);
        compiled plain_one = compile_file(file, NULL, settings);
        snprintf(settings, sizeof settings, "formulation=%s stabilization=penalty", name);
        compiled c = compile_file(file, NULL, settings);
        if (plain_one.system) {
            assert_int_equal(c.system != NULL, !strcmp(name, "lagrange"));
            assert_true(c.system || strstr(first_error(&c), "use penalty with lagrange"));
        }
        let_go(&plain_one);
        let_go(&c);
    }
    expect_refusal("stabilization=penalty=0", "the factor of penalty has to be positive, not 0");
    expect_refusal("stabilization=penalty:omega=-1", "the omega of penalty cannot be negative, not -1");
    expect_refusal("stabilization=penalty:iterations=0", "the iterations of penalty are a whole number from 1 to 1000");
    expect_refusal("stabilization=penalty:iterations=1.5", "the iterations of penalty are a whole number from 1 to 1000");
    expect_refusal("stabilization=penalty:alpha=3", "'penalty' has no option 'alpha'");
    expect_refusal("stabilization=coordinate-partitioning=-1e-9", "the tolerance of coordinate-partitioning has to be positive");
}

static void partitioning_refuses_models_that_are_too_large_for_dense_matrices(void **unused)
{
    const dal_override many = {"N", "200"};
    compiled c = {.messages = dal_messages_create(NULL)};
    (void)unused;
    assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-four-bar.yaml", 1, &many, c.messages, &c.spec), DAL_OK);
    dal_spec_set(c.spec, "stabilization", "coordinate-partitioning", c.messages);
    assert_int_equal(dal_compile(NULL, c.spec, c.messages, &c.system), DAL_BAD_MODEL);
    assert_non_null(strstr(first_error(&c), "coordinate-partitioning works on dense matrices"));
    let_go(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitioning_meets_the_constraints_and_keeps_independent_values_to_the_last_bit),
        cmocka_unit_test(partitioning_leaves_the_speeds_of_every_formulation_alone),
        cmocka_unit_test(a_pendulum_comes_back_after_its_period),
        cmocka_unit_test(a_plain_penalty_gives_way_by_the_force_over_its_stiffness),
        cmocka_unit_test(the_residual_falls_with_the_factor_and_the_iteration_takes_it_away),
        cmocka_unit_test(the_iteration_ends_at_the_accelerations_and_reactions_of_lagrange),
        cmocka_unit_test(both_give_the_motion_of_mass_projection_in_every_family),
        cmocka_unit_test(both_pass_singular_positions),
        cmocka_unit_test(penalty_to_the_end_stops_near_a_singular_position_and_says_why),
        cmocka_unit_test(both_work_with_every_integrator),
        cmocka_unit_test(andrews_mechanism_comes_to_the_known_angles),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(partitioning_refuses_models_that_are_too_large_for_dense_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
