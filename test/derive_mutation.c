/* This program is linked with one file of derive/ that has a wrong term (cmake/mutate.cmake). It passes if the comparison with the kernels sees it: in
 * a block, in a step, or in the motion that the equations give. What is written with parameters for derivatives alone (`follow`) is compared with compiled
 * models by dal_parameter_derivatives: where they differ it has no exact answer. */
#include "dalembert/derivatives.h"
#include "derived_blocks.h"
#include "derived_motion.h"

static const char *const cases[][2] = {{"cart-two-bars.yaml", "user"},
                                       {"satellite-boom.yaml", "user"},
                                       {"floating-chain.yaml", "joint"},
                                       {"four-bar-spring.yaml", "joint"},
                                       {"double-pendulum-on-cart-spring.yaml", "joint"},
                                       {"universal-double-pendulum.yaml", "joint"},
                                       {"cart-pole-light.yaml", "joint"},
                                       {"spatial-slider-crank.yaml", "euler"},
                                       {"four-bar-spring.yaml", "natural"},
                                       {"heavy-top.yaml", "natural:eliminate=linear"},
                                       {"joints/constant-velocity.yaml", "angle"},
                                       {"joints/rolling-wheel.yaml", "euler"},
                                       {"../test/models/derive/pushed-back.yaml", "joint"},
                                       {"spring-pendulum-lagrangian.yaml", "user"},
                                       {"joined-oscillator.yaml", "user"}};

/* Equations whose solution is not that of the kernels. */
static int wrong_motions(const char *file, const char *family, const char *formulation)
{
    pair p;
    uint64_t seed = 19;
    int wrong = 0;
    if (open_pair(&p, file, NULL, family, formulation) && gallery_random_state(p.state, &seed, 0.13, 0.05, 1)) {
        put_on_sphere(&p);
        if (dal_state_evaluate(p.state, NULL) == DAL_OK && derive_pair(&p, formulation, false))
            wrong = !(compare_solution(&p, formulation) <= 1);
    }
    close_pair(&p);
    return wrong;
}

/* Parameters that axes, lengths and eliminated rows follow: their derivatives are exact (test_parameter_derivatives.c). */
static const char *const followed[][3] = {
    {"whipple-bicycle.yaml", "joint", "la"}, {"simple-pendulum.yaml", "angle", "L"}, {"quick-return.yaml", "natural:eliminate=linear", "lean"}};

/* Are the symbols of one refused? */
static int wrong_slopes(const char *file, const char *family, const char *parameter)
{
    char why[512];
    uint64_t seed = 3;
    dal_system *system = gallery_compile(file, family, "lagrange", why);
    dal_state *state = system ? dal_state_create(NULL, system) : NULL;
    dal_parameter_result out = {0};
    int wrong = 0;
    if (state && gallery_random_state(state, &seed, 0.1, 0.05, 1))
        wrong = dal_parameter_derivatives(state, parameter, &out, NULL) == DAL_OK && !out.exact;
    dal_state_free(state);
    dal_system_free(system);
    return wrong;
}

int main(void)
{
    tally t = {0};
    int motions = 0, slopes = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !t.wrong && !motions; i++)
        for (int f = 0; dal_derived_formulations[f] && !t.wrong && !motions; f++) {
            char file[512];
            snprintf(file, sizeof file, "%s/%s", DAL_MODELS, cases[i][0]);
            compare_choice(file, cases[i][1], dal_derived_formulations[f], 2, true, &t);
            motions += wrong_motions(file, cases[i][1], dal_derived_formulations[f]->name);
        }
    for (size_t i = 0; i < sizeof followed / sizeof *followed && !t.wrong && !motions && !slopes; i++) {
        char file[512];
        snprintf(file, sizeof file, "%s/%s", DAL_MODELS, followed[i][0]);
        slopes = wrong_slopes(file, followed[i][1], followed[i][2]);
    }
    printf("%d blocks and %d steps compared, %d are wrong; %d motions are wrong; %d derivatives are not exact\n", t.blocks, t.steps, t.wrong, motions,
           slopes);
    return t.wrong + motions + slopes > 0 ? 0 : 1;
}
