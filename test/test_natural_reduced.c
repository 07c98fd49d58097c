/* Natural coordinates with linear rows eliminated: the same mechanism in fewer unknowns. What is common to all families is in the tests that run
 * over gallery_families (gallery.h). */
#include "gallery.h"
#include "dynamics/reactions.h"
#include "kinematics/reduction.h"
#include "model/coordinate_names.h"

static const char reduced[] = "natural:eliminate=linear";

/* ---- sizes ----------------------------------------------------------------------------------- */

static void the_four_bar_has_ten_unknowns(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        int natural, left, rows;
    } cases[] = {{"four-bar.yaml", 18, 10, 9}, {"slider-crank.yaml", 18, 10, 9}, {"andrews.yaml", 42, 22, 21}, {"free-body.yaml", 12, 12, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[512], file[500];
        snprintf(file, sizeof file, DAL_MODELS "/%s", cases[i].model);
        dal_system *whole = gallery_compile(file, "natural", "lagrange", why), *less = gallery_compile(file, reduced, "lagrange", why);
        assert_int_equal(whole->info.coordinates_count, cases[i].natural);
        assert_int_equal(less->info.coordinates_count, cases[i].left);
        assert_int_equal(less->info.constraints, cases[i].rows);
        assert_int_equal(less->info.rank, cases[i].rows);
        assert_int_equal(less->info.freedoms, whole->info.freedoms);
        dal_system_free(whole);
        dal_system_free(less);
    }
}

/* Names are those of the family natural. */
static void what_is_left_keeps_its_name(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int compared = 0;
    for (size_t i = 0; i < g.n; i++) {
        char why[512], name[DAL_LABEL], other[DAL_LABEL];
        dal_system *whole = gallery_compile(g.found.gl_pathv[i], "natural", "lagrange", why),
                   *less = gallery_compile(g.found.gl_pathv[i], reduced, "lagrange", why);
        assert_true(!whole == !less);
        for (int k = 0; less && k < less->layout.nq; k++) {
            assert_true(dal_coordinate_label(less, k, name, sizeof name));
            assert_true(dal_coordinate_label(whole, less->layout.reduction->left[k], other, sizeof other));
            assert_string_equal(name, other);
            compared++;
        }
        dal_system_free(whole);
        dal_system_free(less);
    }
    assert_true(compared > 500);
    gallery_close(&g);
}

/* ---- the same equations ------------------------------------------------------------------------ */

static void whatever_applies_to_natural_applies_here(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int both = 0;
    for (size_t i = 0; i < g.n; i++)
        for (int k = 0; dal_formulations[k]; k++) {
            char why[512], reason[512];
            dal_system *whole = gallery_compile(g.found.gl_pathv[i], "natural", dal_formulations[k]->name, why),
                       *less = gallery_compile(g.found.gl_pathv[i], reduced, dal_formulations[k]->name, reason);
            if (!whole != !less)
                fail_msg("%s, %s: %s%s", g.found.gl_pathv[i], dal_formulations[k]->name, why, reason);
            both += whole != NULL;
            dal_system_free(whole);
            dal_system_free(less);
        }
    assert_true(both > 200);
    gallery_close(&g);
}

/* |B z + b| satisfies the eliminated rows for every z, constraints or none. */
static double worst_held_row(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    const dal_mechanism *m = layout->mechanism;
    double worst = 0;
    for (int i = 0; i < layout->reduction->n_held; i++) {
        const dal_row *row = &m->rows[layout->reduction->held[i]];
        double gap = -row->constant, size = fabs(gap);
        for (int k = row->term; k < row->term + row->n_terms; k++) {
            dal_rows_measure(layout, &state->work, m->terms[k].measure);
            gap += m->terms[k].coef * state->work.value[m->terms[k].measure];
        }
        for (int b = 0; b < m->n_bodies; b++)
            size = fmax(size, sqrt(dal_dot(state->work.kin[b].r, state->work.kin[b].r)));
        worst = fmax(worst, fabs(gap) / fmax(size, layout->units.length));
    }
    return worst;
}

static void eliminated_rows_hold_wherever_the_coordinates_are(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int rows = 0;
    uint64_t seed = 3;
    for (size_t i = 0; i < g.n; i++) {
        char why[512];
        dal_system *system = gallery_compile(g.found.gl_pathv[i], reduced, "lagrange", why);
        if (!system)
            continue;
        dal_state *state = dal_state_create(NULL, system);
        for (int k = 0; k < system->layout.nq; k++)
            state->work.q[k] += check_random(&seed) * system->layout.units.length / system->layout.units.column_scale[k];
        system->layout.family->position(&system->layout, &state->work);
        const double worst = worst_held_row(state);
        if (!(worst < 1e-14))
            fail_msg("%s: open by %.2g lengths", g.found.gl_pathv[i], worst);
        rows += system->layout.reduction->n_held;
        dal_state_free(state);
        dal_system_free(system);
    }
    assert_true(rows > 150);
    gallery_close(&g);
}

/* Accelerations and reactions of two states, relative to the largest. */
static double difference_of(dal_state *a, dal_state *b)
{
    const dal_mechanism *m = &a->system->mechanism;
    const double L = a->system->layout.units.length;
    double worst = 0, size = 0, force_worst = 0, force_size = 0;
    for (int i = 0; i < m->n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), L * fabs(x.alpha[k] - y.alpha[k])));
            size = fmax(size, fmax(fabs(a->system->acting.gravity[k]), fmax(fabs(x.acceleration[k]), L * fabs(x.alpha[k]))));
        }
    }
    for (int j = 0; j < m->n_joints; j++) {
        double f[2][3], t[2][3];
        dal_state_reaction(a, j, f[0], t[0]);
        dal_state_reaction(b, j, f[1], t[1]);
        for (int k = 0; k < 3; k++) {
            force_worst = fmax(force_worst, fmax(fabs(f[0][k] - f[1][k]), fabs(t[0][k] - t[1][k]) / L));
            force_size = fmax(force_size, fmax(fabs(f[0][k]), fabs(t[0][k]) / L));
        }
    }
    return fmax(size > 0 ? worst / size : 0, force_size > 0 ? force_worst / force_size : 0);
}

/* At random states; the number of them that were compared. */
static int compare_systems(const char *what, const dal_system *whole, const dal_system *less, int states, double tolerance)
{
    dal_state *a = dal_state_create(NULL, whole), *b = dal_state_create(NULL, less);
    uint64_t seed = 41;
    int compared = 0;
    for (int i = 0; i < states; i++) {
        if (!gallery_random_state(a, &seed, 0.07 * i, i ? 0.05 : 0, 1.3))
            continue;
        assert_int_equal(dal_state_evaluate(a, NULL), DAL_OK);
        gallery_copy_motion(a, b);
        assert_int_equal(dal_state_evaluate(b, NULL), DAL_OK);
        const double difference = difference_of(a, b);
        if (!(difference < tolerance))
            fail_msg("%s: accelerations or reactions differ by %.3g (relative) at state %d", what, difference, i);
        compared++;
    }
    dal_state_free(a);
    dal_state_free(b);
    return compared;
}

/* Where masses differ by many powers of ten both lose as many digits. */
static double tolerance_of(const dal_system *system)
{
    double heavy = 0, light = INFINITY;
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        const double mass = system->mechanism.bodies[b].mass;
        heavy = fmax(heavy, mass);
        light = mass > 0 ? fmin(light, mass) : light;
    }
    return heavy > 1e4 * light ? 1e-8 : 1e-11;
}

static void accelerations_and_reactions_are_those_of_natural(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int models = 0;
    for (size_t i = 0; i < g.n; i++) {
        char why[512];
        dal_system *whole = gallery_compile(g.found.gl_pathv[i], "natural", "lagrange", why),
                   *less = gallery_compile(g.found.gl_pathv[i], reduced, "lagrange", why);
        if (whole) {
            assert_true(compare_systems(strrchr(g.found.gl_pathv[i], '/') + 1, whole, less, 6, tolerance_of(whole)) >= 2);
            models++;
        }
        dal_system_free(whole);
        dal_system_free(less);
    }
    assert_true(models > 40);
    gallery_close(&g);
}

/* ---- redundant rows ---------------------------------------------------------------------------- */

#define BARS                                                                                                                                         \
    "bodies:\n"                                                                                                                                      \
    "  a: {mass: 1, inertia: 0.1, position: [%g, %g], angle: 50*deg, rate: 2, points: {A: [-0.5, 0], B: [0.5, 0], M: [0, 0]}}\n"                     \
    "  b: {mass: 2, inertia: 0.3, angle: 0, points: {B: [-1, 0], C: [1, 0], M: [0, 0]}}\n"                                                           \
    "  c: {mass: 1.5, inertia: 0.12, angle: 50*deg, points: {D: [-0.5, 0], C: [0.5, 0]}}\n"                                                          \
    "  d: {mass: 0.7, inertia: 0.05, angle: 50*deg, points: {E: [-0.5, 0], M: [0.5, 0]}}\n"

/* A parallelogram with a third crank: one row of its pins is redundant, and one that pins a bar twice makes two more. All of them are linear. */
static void redundant_linear_rows_stay_rows_and_reactions_are_distributed_alike(void **unused)
{
    (void)unused;
    char text[2000];
    snprintf(text, sizeof text,
             "dalembert: 1\nspace: planar\ngravity: [0, -9.81]\nground: {points: {A: [0, 0], D: [2, 0], E: [1, 0]}}\n" BARS "joints:\n"
             "  A: {type: revolute, connect: [ground.A, a.A]}\n  A2: {type: revolute, connect: [ground.A, a.A]}\n"
             "  B: {type: revolute, connect: [a.B, b.B]}\n  C: {type: revolute, connect: [b.C, c.C]}\n"
             "  D: {type: revolute, connect: [ground.D, c.D]}\n  E: {type: revolute, connect: [ground.E, d.E]}\n"
             "  M: {type: revolute, connect: [b.M, d.M]}\nsimulate: {until: 0.5}\n",
             0.5 * cos(50 * M_PI / 180), 0.5 * sin(50 * M_PI / 180));
    dal_system *whole = gallery_compile_text(text, "natural", "lagrange"), *less = gallery_compile_text(text, reduced, "lagrange");
    assert_int_equal(whole->info.constraints - whole->info.rank, less->info.constraints - less->info.rank);
    assert_int_equal(less->info.constraints - less->info.rank, 3);
    assert_int_equal(less->layout.reduction->n_held, 12); /* of 14 rows, those that repeat others are left */
    assert_int_equal(less->info.freedoms, 1);
    /* no random shift: positions off the start do not close */
    dal_state *a = dal_state_create(NULL, whole), *b = dal_state_create(NULL, less);
    assert_int_equal(dal_state_evaluate(a, NULL), DAL_OK);
    assert_int_equal(dal_state_evaluate(b, NULL), DAL_OK);
    assert_true(difference_of(a, b) < 1e-11);
    for (int k = 0; k < 6 * whole->mechanism.n_joints; k++)
        assert_true(a->reactions->loose[k] == b->reactions->loose[k]);
    dal_state_free(a);
    dal_state_free(b);
    dal_system_free(whole);
    dal_system_free(less);
}

/* ---- large models -------------------------------------------------------------------------------- */

/* Not all rows of a long chain are eliminated: blocks of M' have a largest size, and the rest stays as it was. */
static void a_long_chain_is_eliminated_in_parts(void **unused)
{
    (void)unused;
    const dal_override set = {"N", "90"};
    dal_system *system[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        dal_spec *spec = NULL;
        assert_int_equal(dal_spec_read(NULL, DAL_MODELS "/n-pendulum.yaml", 1, &set, NULL, &spec), DAL_OK);
        assert_true(dal_spec_set(spec, "coordinates", i ? reduced : "natural", NULL));
        assert_true(dal_spec_set(spec, "stabilization", "direct-correction=1e-12", NULL));
        assert_int_equal(dal_compile(NULL, spec, NULL, &system[i]), DAL_OK);
        dal_spec_free(spec);
    }
    const dal_layout *layout = &system[1]->layout;
    assert_true(layout->n_blocks > 1 && layout->n_extrinsic > 0 && layout->n_extrinsic < layout->reduction->n_held);
    assert_int_equal(layout->n_extrinsic + layout->reduction->n_held, system[0]->layout.n_extrinsic);
    assert_int_equal(system[0]->info.freedoms, system[1]->info.freedoms);
    assert_true(compare_systems("n-pendulum of 90", system[0], system[1], 2, 1e-9) >= 1);
    dal_system_free(system[0]);
    dal_system_free(system[1]);
}

/* ---- motion ---------------------------------------------------------------------------------------- */

static dal_simulation *run_there(const char *file, const char *family, double until, dal_messages *messages, dal_evidence *evidence,
                                 dal_system **system)
{
    dal_spec *spec = NULL;
    dal_simulation *simulation = NULL;
    assert_int_equal(dal_spec_read(NULL, file, 0, NULL, messages, &spec), DAL_OK);
    assert_true(dal_spec_set(spec, "coordinates", family, messages) && dal_spec_set(spec, "integrator", "dopri5", messages));
    assert_true(dal_spec_set(spec, "rtol", "1e-11", messages) && dal_spec_set(spec, "atol", "1e-12", messages));
    assert_int_equal(dal_compile(NULL, spec, messages, system), DAL_OK);
    assert_int_equal(dal_simulation_create(*system, NULL, messages, &simulation), DAL_OK);
    assert_int_equal(dal_step(simulation, until), DAL_OK);
    assert_int_equal(dal_simulation_evidence(simulation, evidence), DAL_OK);
    dal_spec_free(spec);
    return simulation;
}

static void motions_and_energies_are_those_of_natural(void **unused)
{
    (void)unused;
    dal_messages *messages = dal_messages_create(NULL);
    static const char *const models[] = {"four-bar.yaml", "spatial-slider-crank.yaml", "bricard.yaml", "andrews.yaml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char file[500];
        dal_system *system[2];
        dal_evidence evidence[2];
        dal_simulation *simulation[2];
        snprintf(file, sizeof file, DAL_MODELS "/%s", models[i]);
        const double until = strcmp(models[i], "andrews.yaml") ? 0.5 : 0.02;
        for (int k = 0; k < 2; k++)
            simulation[k] = run_there(file, k ? reduced : "natural", until, messages, &evidence[k], &system[k]);
        assert_true(evidence[1].energy_drift < 1e-8);
        for (int b = 0; b < system[0]->mechanism.n_bodies; b++) {
            const dal_motion x = dal_state_body(dal_simulation_state(simulation[0]), b), y = dal_state_body(dal_simulation_state(simulation[1]), b);
            for (int k = 0; k < 3; k++)
                if (!(fabs(x.position[k] - y.position[k]) < 1e-8 * system[0]->layout.units.length))
                    fail_msg("%s: '%s' is elsewhere by %.2g", models[i], system[0]->mechanism.bodies[b].name, fabs(x.position[k] - y.position[k]));
        }
        for (int k = 0; k < 2; k++) {
            dal_simulation_free(simulation[k]);
            dal_system_free(system[k]);
        }
    }
    dal_messages_free(messages);
}

/* ---- what is refused -------------------------------------------------------------------------------- */

static void refused(const char *coordinates, const char *expected)
{
    char why[512];
    dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", coordinates, "lagrange", why);
    if (system || !strstr(why, expected))
        fail_msg("%s: '%s', but expected '%s'", coordinates, system ? "runs" : why, expected);
}

static void other_words_are_refused(void **unused)
{
    (void)unused;
    refused("natural:eliminate=all", "`eliminate` is linear, not 'all'");
    refused("natural:reduce=linear", "'natural' has no option 'reduce'");
    refused("euler:eliminate=linear", "'euler' has no option 'eliminate'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_four_bar_has_ten_unknowns),
        cmocka_unit_test(what_is_left_keeps_its_name),
        cmocka_unit_test(whatever_applies_to_natural_applies_here),
        cmocka_unit_test(eliminated_rows_hold_wherever_the_coordinates_are),
        cmocka_unit_test(accelerations_and_reactions_are_those_of_natural),
        cmocka_unit_test(redundant_linear_rows_stay_rows_and_reactions_are_distributed_alike),
        cmocka_unit_test(a_long_chain_is_eliminated_in_parts),
        cmocka_unit_test(motions_and_energies_are_those_of_natural),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
