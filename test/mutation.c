/* Does the agreement of the formulations have teeth? This program is linked with one formulation whose file has a wrong term
 * (cmake/mutate.cmake), DAL_MUTANT by name: exactly that one must fall out of agreement. */
#include "gallery.h"

enum { MOST = 16 };

/* Models with velocity terms, constraints and ignorable coordinates, so that every formulation applies to one of them. */
static const struct {
    const char *model, *family;
} cases[] = {
    {"cart-two-bars.yaml", "user"},
    {"satellite-boom.yaml", "user"},
    {"floating-chain.yaml", "joint"},
    {"four-bar.yaml", "joint"},
    {"universal-double-pendulum.yaml", "angle"},
};

static double difference(dal_state *a, dal_state *b)
{
    double worst = 0, size = 0, L = a->system->layout.units.length;
    for (int i = 0; i < a->system->mechanism.n_bodies; i++) {
        dal_motion x = dal_state_body(a, i), y = dal_state_body(b, i);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fmax(fabs(x.acceleration[k] - y.acceleration[k]), L * fabs(x.alpha[k] - y.alpha[k])));
            size = fmax(size, fmax(fabs(x.acceleration[k]), L * fabs(x.alpha[k])));
        }
    }
    return size > 0 ? worst / size : 0;
}

/* Those that agree with fewer than half of the others fall out. Returns whether the mutant did. */
static bool falls_out(const char *model, const char *family, uint64_t *seed)
{
    char path[300], why[512];
    dal_system *system[MOST];
    dal_state *state[MOST];
    int n = 0;
    bool found = false;
    snprintf(path, sizeof path, DAL_MODELS "/%s", model);
    for (int k = 0; dal_formulations[k]; k++)
        if ((system[n] = gallery_compile(path, family, dal_formulations[k]->name, why)))
            state[n] = dal_state_create(NULL, system[n]), n++;
    assert_true(n >= 6);
    assert_true(gallery_random_state(state[0], seed, 0.2, 0.05, 3));
    assert_int_equal(dal_state_evaluate(state[0], NULL), DAL_OK);
    for (int k = 1; k < n; k++) {
        gallery_copy_motion(state[0], state[k]);
        assert_int_equal(dal_state_evaluate(state[k], NULL), DAL_OK);
    }
    for (int i = 0; i < n; i++) {
        const char *name = system[i]->method.formulation->name;
        int friends = 0;
        for (int k = 0; k < n; k++)
            friends += k != i && difference(state[i], state[k]) < 1e-9;
        bool out = 2 * friends < n - 1, mutant = !strcmp(name, DAL_MUTANT);
        if (out && !mutant)
            fail_msg("%s, %s: %s falls out, but the wrong term is in %s", model, family, name, DAL_MUTANT);
        found |= out;
    }
    for (int i = 0; i < n; i++) {
        dal_state_free(state[i]);
        dal_system_free(system[i]);
    }
    return found;
}

static void exactly_the_mutant_falls_out_of_agreement(void **unused)
{
    (void)unused;
    uint64_t seed = 77;
    int seen = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        seen += falls_out(cases[i].model, cases[i].family, &seed);
    print_message("  a wrong term in %s is seen in %d of %zu models\n", DAL_MUTANT, seen, sizeof cases / sizeof *cases);
    assert_true(seen > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exactly_the_mutant_falls_out_of_agreement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
