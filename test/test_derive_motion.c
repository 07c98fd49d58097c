/* The motion that derived equations give: they are solved for accelerations and multipliers at random states, and compared with what the kernels
 * find, over every model, family and formulation whose equations are written in symbols.
 *
 *   test_derive_motion          a sample
 *   test_derive_motion long     everything
 */
#include "derived_motion.h"

static bool everything;

static void derived_equations_give_the_motion_of_the_kernels(void **unused)
{
    static const char *const families[] = {"angle", "joint", "user", "euler", "natural", "natural:eliminate=linear"};
    (void)unused;
    int wrong = 0;
    gallery g = gallery_open();
    assert_int_equal(glob(DAL_MODELS "/joints/*.yaml", GLOB_APPEND, NULL, &g.found), 0);
    for (int f = 0; dal_derived_formulations[f]; f++) {
        const char *formulation = dal_derived_formulations[f]->name;
        int solved = 0;
        double worst = 0;
        for (size_t i = 0; i < g.found.gl_pathc; i++)
            for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
                pair p;
                char label[256];
                uint64_t seed = 19;
                if (!everything && (i + k + (size_t)f) % 6)
                    continue;
                snprintf(label, sizeof label, "%s, %s, %s", strrchr(g.found.gl_pathv[i], '/') + 1, families[k], formulation);
                if (open_pair(&p, g.found.gl_pathv[i], NULL, families[k], formulation) && gallery_random_state(p.state, &seed, 0.13, 0.05, 1)) {
                    put_on_sphere(&p);
                    for (int j = 0; j < p.spec->n_inputs; j++)
                        assert_true(dal_state_set_input(p.state, p.spec->inputs[j].name.text, 0.7 + 0.1 * j));
                    if (dal_state_evaluate(p.state, NULL) == DAL_OK && derive_pair(&p, formulation, false)) {
                        worst = fmax(worst, compare_solution(&p, label));
                        solved++;
                    }
                }
                close_pair(&p);
            }
        wrong += worst > 1;
        print_message("  %-20s %3d models and families, worst %.2g of the bound\n", formulation, solved, worst);
    }
    gallery_close(&g);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derived_equations_give_the_motion_of_the_kernels)};
    everything = argc > 1 && !strcmp(argv[1], "long");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
