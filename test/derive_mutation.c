/* This program is linked with one file of derive/ that has a wrong term (cmake/mutate.cmake). It passes if the comparison with the kernels sees it: in
 * a block, in a step, or in the motion that the equations give. */
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

int main(void)
{
    tally t = {0};
    int motions = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !t.wrong && !motions; i++)
        for (int f = 0; dal_derived_formulations[f] && !t.wrong && !motions; f++) {
            char file[512];
            snprintf(file, sizeof file, "%s/%s", DAL_MODELS, cases[i][0]);
            compare_choice(file, cases[i][1], dal_derived_formulations[f], 2, true, &t);
            motions += wrong_motions(file, cases[i][1], dal_derived_formulations[f]->name);
        }
    printf("%d blocks and %d steps compared, %d are wrong; %d motions are wrong\n", t.blocks, t.steps, t.wrong, motions);
    return t.wrong + motions > 0 ? 0 : 1;
}
