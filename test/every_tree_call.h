/* Every call of dalembert/tree.h at one state, its results in one row of numbers. */
#ifndef DAL_TEST_EVERY_TREE_CALL_H
#define DAL_TEST_EVERY_TREE_CALL_H

#include "tree_models.h"

#include "dalembert/tree.h"

typedef struct tree_calls {
    const dal_system *system;
    dal_state *state;
    int nq, nv, bodies;
    double *q, *v, *tau, *wanted; /* what is given */
    dal_wrench *wrenches;
    size_t n_out;
    double *out; /* what came out, call after call */
} tree_calls;

enum { NUMBERS_OF_MOTION = sizeof(dal_motion) / sizeof(double), NUMBERS_OF_CENTROID = sizeof(dal_centroid) / sizeof(double) };

static inline double *tree_numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline tree_calls tree_calls_create(const dal_system *system)
{
    dal_system_info info = dal_system_describe(system);
    size_t nq = (size_t)info.coordinates_count, nv = (size_t)info.velocities, bodies = (size_t)info.bodies;
    tree_calls c = {.system = system, .state = dal_state_create(NULL, system), .nq = (int)nq, .nv = (int)nv, .bodies = (int)bodies};
    assert_non_null(c.state);
    c.q = tree_numbers(nq), c.v = tree_numbers(nv), c.tau = tree_numbers(nv), c.wanted = tree_numbers(nv);
    c.wrenches = calloc(bodies + 1, sizeof *c.wrenches);
    assert_non_null(c.wrenches);
    c.n_out = 6 * nv + 8 * nv * nv + 18 * nv + NUMBERS_OF_MOTION + NUMBERS_OF_CENTROID + 6 * bodies;
    c.out = tree_numbers(c.n_out);
    return c;
}

static inline void tree_calls_free(tree_calls *c)
{
    dal_state_free(c->state);
    free(c->q), free(c->v), free(c->tau), free(c->wanted), free(c->wrenches), free(c->out);
}

/* Any q and v of a tree are a state. */
static inline void tree_calls_random(tree_calls *c, uint64_t *seed)
{
    const dal_layout *layout = &c->system->layout;
    double *dv = tree_numbers((size_t)c->nv);
    dal_state_reset(c->state);
    memcpy(c->q, dal_state_y(c->state), (size_t)c->nq * sizeof(double));
    for (int k = 0; k < c->nv; k++) {
        dv[k] = check_random(seed);
        c->v[k] = 2 * check_random(seed), c->tau[k] = 3 * check_random(seed), c->wanted[k] = 5 * check_random(seed);
    }
    layout->family->add(layout, c->q, dv);
    for (int b = 0; b < c->bodies; b++)
        for (int k = 0; k < 3; k++)
            c->wrenches[b].force[k] = check_random(seed), c->wrenches[b].torque[k] = check_random(seed);
    free(dv);
}

/* 0, or the status of a call that failed. */
static inline int tree_calls_make(tree_calls *c)
{
    const double point[3] = {0.13, -0.71, c->system->mechanism.space == DAL_PLANAR ? 0 : 0.37};
    const size_t nv = (size_t)c->nv;
    const int last = c->bodies - 1;
    double *o = c->out, *M = o + 4 * nv, *factor = M + nv * nv, *x = factor + nv * nv, *C = x + nv, *J = C + nv * nv, *Jd = J + 6 * nv;
    double *A_G = Jd + 6 * nv, *rest = A_G + 6 * nv;
    dal_wrench *carried = (dal_wrench *)(rest + NUMBERS_OF_MOTION + NUMBERS_OF_CENTROID);
    unsigned status = 0;
    status |= dal_forward_dynamics(c->state, c->q, c->v, c->tau, c->wrenches, o);
    status |= dal_inverse_dynamics(c->state, c->q, c->v, c->wanted, c->wrenches, o + nv);
    status |= dal_bias_forces(c->state, c->q, c->v, o + 2 * nv);
    status |= dal_gravity_forces(c->state, c->q, o + 3 * nv);
    status |= dal_mass_matrix(c->state, c->q, M);
    memcpy(factor, M, nv * nv * sizeof(double));
    status |= dal_mass_factor(c->system, factor);
    memcpy(x, c->tau, nv * sizeof(double));
    dal_mass_solve(c->system, factor, x);
    status |= dal_coriolis_matrix(c->state, c->q, c->v, C);
    status |= dal_frame_jacobian(c->state, c->q, last, point, J);
    status |= dal_frame_jacobian_rate(c->state, c->q, c->v, last, point, Jd);
    status |= dal_frame_motion(c->state, c->q, c->v, c->wanted, last, point, (dal_motion *)rest);
    status |= dal_centroidal_momentum(c->state, c->q, c->v, (dal_centroid *)(rest + NUMBERS_OF_MOTION), A_G);
    status |= dal_joint_wrenches(c->state, c->q, c->v, c->wanted, c->wrenches, carried);
    double *derivative = (double *)(carried + c->bodies);
    status |= dal_tree_inverse_derivatives(c->state, c->q, c->v, c->wanted, c->wrenches, derivative, derivative + nv * nv);
    status |= dal_mass_inverse(c->state, c->q, derivative + 2 * nv * nv);
    status |= dal_tree_forward_derivatives(c->state, c->q, c->v, c->tau, c->wrenches, derivative + 5 * nv * nv, derivative + 3 * nv * nv,
                                           derivative + 4 * nv * nv);
    return (int)status;
}

#endif
