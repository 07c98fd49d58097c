/* One mechanism, every family: the same accelerations and reactions at random states. What the formulations add to it is in
 * test_formulations.c. */
#include "gallery.h"

static const char *const formulations[] = {"lagrange", "udwadia-kalaba"};

/* What is refused, and why: a reviewed list, so that a hard case cannot be refused away. In every family. */
static const struct {
    const char *model, *formulation, *reason;
} refusals[] = {
    {"n-four-bar-spatial.yaml", "udwadia-kalaba", "'v.0' has a zero moment of inertia"}, /* thin rods */
    {"massless-node.yaml", "udwadia-kalaba", "'node' has no mass"},
    {"massless-slider.yaml", "udwadia-kalaba", "'slider' has no mass"},
    {"jansen-leg.yaml", "udwadia-kalaba", "'O.rotor' has no mass"},              /* an armature is an inertia alone */
    {"ur5-computed-torque.yaml", "udwadia-kalaba", "'arm.ee_link' has no mass"}, /* a flange of the URDF file is a frame alone */
};

static const char *expected_refusal(const char *file, const char *family, const char *formulation)
{
    if (!strcmp(family, "user"))
        return "family user needs `coordinates:`";
    if (!strcmp(family, "joint")) /* thin rods move with others */
        return !strncmp(strrchr(file, '/') + 1, "massless-", 9) && !strcmp(formulation, "udwadia-kalaba") ? "regular mass matrix" : NULL;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (!strcmp(strrchr(file, '/') + 1, refusals[i].model) && !strcmp(formulation, refusals[i].formulation))
            return refusals[i].reason;
    return NULL;
}

/* A model with coordinates of its own has one family, and nothing to compare here. */
static dal_system *reference_of(const char *file)
{
    char why[512];
    dal_system *reference = gallery_compile(file, "euler", "lagrange", why);
    if (!reference && !strstr(why, "placed by its own coordinates"))
        fail_msg("%s: %s", file, why);
    return reference;
}

/* Largest difference of accelerations and reactions, relative to the largest acceleration, that of free fall included, and reaction. */
static double compare(dal_state *a, dal_state *b, bool reactions)
{
    const dal_mechanism *m = &a->system->mechanism;
    double worst = 0, size = 0, force_worst = 0, force_size = 0, L = a->system->layout.units.length;
    for (int i = 0; i < m->n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), L * fabs(x.alpha[k] - y.alpha[k])));
            size = fmax(size, fmax(fabs(x.acceleration[k]), L * fabs(x.alpha[k])));
        }
    }
    for (int k = 0; k < 3; k++)
        size = fmax(size, fabs(a->system->acting.gravity[k])); /* weights may cancel, their rounding does not */
    for (int j = 0; j < m->n_joints && reactions; j++) {
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

/* Where coordinates move several bodies, the condition of M is that of their masses, and it multiplies rounding. */
static double tolerance_of(const dal_system *system)
{
    double heavy = 0, light = INFINITY;
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        double mass = system->mechanism.bodies[b].mass;
        heavy = fmax(heavy, mass);
        light = mass > 0 ? fmin(light, mass) : light;
    }
    return system->layout.family->shares && heavy > 1e4 * light ? 1e-8 : 1e-10;
}

static void agree(const char *file)
{
    char why[512];
    uint64_t seed = 20;
    dal_system *reference = reference_of(file);
    if (!reference)
        return;
    dal_state *state = dal_state_create(NULL, reference);
    double worst = 0;
    for (int f = 0; gallery_families[f]; f++)
        for (int k = 0; k < 2; k++) {
            dal_system *other = gallery_compile(file, gallery_families[f]->name, formulations[k], why);
            const char *refusal = expected_refusal(file, gallery_families[f]->name, formulations[k]);
            if (!other != !!refusal || (refusal && !strstr(why, refusal)))
                fail_msg("%s, %s, %s: %s, but expected %s", file, gallery_families[f]->name, formulations[k], other ? "runs" : why,
                         refusal ? refusal : "that it runs");
            if (!other)
                continue;
            dal_state *twin = dal_state_create(NULL, other);
            int compared = 0;
            for (int i = 0; i < 4; i++) {
                if (!gallery_random_state(state, &seed, 0.1 * i, i ? 0.05 : 0, 1))
                    continue; /* too far from the start to be assembled */
                assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
                gallery_copy_motion(state, twin);
                assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
                double difference = compare(state, twin, true);
                worst = fmax(worst, difference);
                if (!(difference < tolerance_of(other)))
                    fail_msg("%s, %s, %s: accelerations or reactions differ by %.3g (relative)", file, gallery_families[f]->name, formulations[k],
                             difference);
                compared++;
            }
            if (compared < 2)
                fail_msg("%s, %s, %s: only %d states were compared", file, gallery_families[f]->name, formulations[k], compared);
            dal_state_free(twin);
            dal_system_free(other);
        }
    print_message("  %-36s largest difference %.1e\n", strrchr(file, '/') + 1, worst);
    dal_state_free(state);
    dal_system_free(reference);
}

static void every_family_and_formulation_gives_the_same_accelerations_and_reactions(void **unused)
{
    (void)unused;
    gallery g = gallery_open_with_machines();
    for (size_t i = 0; i < g.n; i++)
        agree(g.found.gl_pathv[i]);
    gallery_close(&g);
}

/* Carrying a motion into a family and back loses nothing but rounding. */
static void every_family_holds_the_same_motion(void **unused)
{
    (void)unused;
    gallery g = gallery_open_with_machines();
    for (size_t i = 0; i < g.n; i++) {
        char why[512];
        uint64_t seed = 7;
        dal_system *reference = reference_of(g.found.gl_pathv[i]);
        if (!reference)
            continue;
        dal_state *state = dal_state_create(NULL, reference);
        assert_true(gallery_random_state(state, &seed, 0, 0.05, 2));
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        for (int f = 0; gallery_families[f]; f++) {
            if (!strcmp(gallery_families[f]->name, "user"))
                continue;
            dal_system *other = gallery_compile(g.found.gl_pathv[i], gallery_families[f]->name, "lagrange", why);
            dal_state *twin = dal_state_create(NULL, other);
            gallery_copy_motion(state, twin);
            assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
            for (int b = 0; b < reference->mechanism.n_bodies; b++) {
                dal_motion x = dal_state_body(state, b), y = dal_state_body(twin, b);
                for (int k = 0; k < 3; k++) {
                    check_close(x.velocity[k], y.velocity[k], 1e-12 * (1 + fabs(x.velocity[k])));
                    check_close(x.omega[k], y.omega[k], 1e-12 * (1 + fabs(x.omega[k])));
                }
                for (int k = 0; k < 9; k++)
                    check_close(x.rotation[k], y.rotation[k], 1e-14 * 100);
            }
            double T = dal_state_energy(state).kinetic;
            check_close(T, dal_state_energy(twin).kinetic, 1e-12 * T);
            dal_state_free(twin);
            dal_system_free(other);
        }
        dal_state_free(state);
        dal_system_free(reference);
    }
    gallery_close(&g);
}

/* A planar body has one inertia; any split of it over the two second moments gives the same motion. */
static void any_split_of_a_planar_inertia_gives_the_same_acceleration(void **unused)
{
    (void)unused;
    char why[512];
    uint64_t seed = 3;
    dal_system *system = gallery_compile(DAL_MODELS "/four-bar.yaml", "natural", "lagrange", why);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system), *twin = dal_state_create(NULL, system);
    for (int i = 0; i < 5; i++) {
        assert_true(gallery_random_state(state, &seed, 0, 0.1, 3));
        assert_int_equal(dal_state_evaluate(state, NULL), DAL_OK);
        gallery_copy_motion(state, twin);
        for (int b = 0; b < 3; b++) { /* all of it along the bar */
            const dal_body_layout *at = &system->layout.body[b];
            double *M = system->layout.constant_mass + system->layout.block[b].value;
            for (int k = 0; k < 2; k++) {
                M[at->nv * (2 + k) + 2 + k] += 0.45 * 4.04;
                M[at->nv * (4 + k) + 4 + k] -= 0.45 * 4.04;
            }
        }
        assert_int_equal(dal_state_evaluate(twin, NULL), DAL_OK);
        assert_true(compare(state, twin, true) < 1e-11);
        for (int b = 0; b < 3; b++) {
            const dal_body_layout *at = &system->layout.body[b];
            double *M = system->layout.constant_mass + system->layout.block[b].value;
            for (int k = 0; k < 2; k++) {
                M[at->nv * (2 + k) + 2 + k] -= 0.45 * 4.04;
                M[at->nv * (4 + k) + 4 + k] += 0.45 * 4.04;
            }
        }
    }
    dal_state_free(twin);
    dal_state_free(state);
    dal_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_and_formulation_gives_the_same_accelerations_and_reactions),
        cmocka_unit_test(every_family_holds_the_same_motion),
        cmocka_unit_test(any_split_of_a_planar_inertia_gives_the_same_acceleration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
