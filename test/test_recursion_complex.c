/* What the calls of tree.h say about rates, against complex steps of the generic kernels: f(q + i h N v) = f(q) + i h f' with h = 1e-30.
 *
 *   J'             columns of every body along the motion
 *   M' - 2 C       skew-symmetric, and C v + g = h   ((40) of `lagrange-to-kane`)
 *   theorem 1, (22): d w / d q_k = J_w' + w x J_w for w in body axes, which is R^T J_w' of world axes, where N = 1
 */
#include "dalembert/tree.h"
#include "tree_models.h"

static const double h = 1e-30;

typedef struct bench {
    dal_system *system;
    dal_state *state;
    dal_layout layout; /* with the family of this scalar */
    dal_work w;
    dal_real *memory;
    int *chart;
    double *q, *v;
    dal_real *qd;
} bench;

static bench begin(const char *text, uint64_t *seed)
{
    bench b = {.system = compile_text(text, "joint", "lagrange", NULL)};
    b.state = dal_state_create(NULL, b.system);
    b.layout = b.system->layout;
    b.layout.family = &dal_family_joint;
    b.memory = calloc(dal_work_size(&b.layout), sizeof *b.memory);
    b.chart = calloc((size_t)(3 * b.layout.mechanism->n_bodies), sizeof *b.chart);
    dal_work_layout(&b.layout, b.memory, b.chart, &b.w);
    b.q = calloc((size_t)b.layout.nq + 1, sizeof *b.q);
    b.v = calloc((size_t)b.layout.nv + 1, sizeof *b.v);
    b.qd = calloc((size_t)b.layout.nq + 1, sizeof *b.qd);
    for (int k = 0; k < b.layout.nq; k++)
        b.q[k] = 3 * check_random(seed);
    for (int k = 0; k < b.layout.nv; k++)
        b.v[k] = 2 * check_random(seed);
    for (int k = 0; k < b.layout.nq; k++)
        b.w.q[k] = b.q[k];
    for (int k = 0; k < b.layout.nv; k++)
        b.w.v[k] = b.v[k];
    b.layout.family->position(&b.layout, &b.w);
    b.layout.family->rates(&b.layout, &b.w, b.qd);
    return b;
}

static void end(bench *b)
{
    free(b->memory), free(b->chart), free(b->q), free(b->v), free(b->qd);
    dal_state_free(b->state);
    dal_system_free(b->system);
}

/* q moved by i h times a direction: positions, Jacobians, velocities and M there. */
static void step(bench *b, const dal_real *direction)
{
    for (int k = 0; k < b->layout.nq; k++)
        b->w.q[k] = b->q[k] + _Complex_I * h * direction[k];
    b->layout.family->position(&b->layout, &b->w);
    b->layout.family->velocity(&b->layout, &b->w);
    b->layout.family->inertia(&b->layout, &b->w);
}

static const double origin[3] = {0, 0, 0};

static void check_rates(const char *text, const char *name)
{
    uint64_t seed = 41;
    bench b = begin(text, &seed);
    const int nv = b.layout.nv;
    double *J = calloc((size_t)(6 * nv) + 1, sizeof *J);
    if (dal_system_has_tree(b.system)) {
        step(&b, b.qd);
        for (int body = 0; body < b.layout.mechanism->n_bodies; body++) {
            const dal_body_layout *at = &b.layout.body[body];
            assert_int_equal(dal_frame_jacobian_rate(b.state, b.q, b.v, body, origin, J), DAL_OK);
            for (int k = 0; k < at->n_columns; k++)
                for (int i = 0; i < 6; i++) {
                    const double rate = cimag(b.w.jacobian[6 * (at->jacobian + k) + i]) / h;
                    const double ours = J[nv * i + b.layout.body_column[at->column + k]];
                    if (i >= 3 && b.layout.mechanism->bodies[body].particle)
                        assert_true(ours == 0);
                    else if (!(fabs(rate - ours) < 1e-12 * (1 + 10 * fabs(rate))))
                        fail_msg("%s: J' of body %d, row %d, column %d is %.15g, and by a complex step %.15g", name, body, i, k, ours, rate);
                }
        }
    }
    free(J);
    end(&b);
}

static void check_coriolis(const char *text, const char *name)
{
    uint64_t seed = 43;
    bench b = begin(text, &seed);
    const int nv = b.layout.nv;
    double *C = calloc((size_t)(nv * nv) + 1, sizeof *C), *Md = calloc((size_t)(nv * nv) + 1, sizeof *Md);
    double *g = calloc((size_t)nv + 1, sizeof *g), *bias = calloc((size_t)nv + 1, sizeof *bias), size = 1;
    if (dal_system_has_tree(b.system)) {
        step(&b, b.qd);
        for (int k = 0; k < b.layout.n_blocks; k++) {
            const dal_mass_block *block = &b.layout.block[k];
            for (int i = 0; i < block->n; i++)
                for (int j = 0; j < block->n; j++)
                    Md[nv * (block->column + i) + block->column + j] = cimag(b.w.M[block->value + block->n * i + j]) / h;
        }
        assert_int_equal(dal_coriolis_matrix(b.state, b.q, b.v, C), DAL_OK);
        dal_gravity_forces(b.state, b.q, g);
        dal_bias_forces(b.state, b.q, b.v, bias);
        for (int i = 0; i < nv * nv; i++)
            size = fmax(size, fabs(C[i]) + fabs(Md[i]));
        for (int i = 0; i < nv; i++) {
            double sum = g[i];
            for (int j = 0; j < nv; j++) {
                const double one = Md[nv * i + j] - 2 * C[nv * i + j], other = Md[nv * j + i] - 2 * C[nv * j + i];
                sum += C[nv * i + j] * b.v[j];
                if (!(fabs(one + other) < 1e-13 * size))
                    fail_msg("%s: M' - 2 C has %.15g at (%d, %d) and %.15g at (%d, %d), size %g", name, one, i, j, other, j, i, size);
            }
            if (!(fabs(sum - bias[i]) < 1e-12 * (size + fabs(bias[i]))))
                fail_msg("%s: C v + g is %.15g in row %d, and h %.15g", name, sum, i, bias[i]);
        }
    }
    free(C), free(Md), free(g), free(bias);
    end(&b);
}

static void check_theorem(const char *text, const char *name)
{
    uint64_t seed = 47;
    bench b = begin(text, &seed);
    const int nv = b.layout.nv;
    double *J = calloc((size_t)(6 * nv) + 1, sizeof *J);
    if (dal_system_has_tree(b.system) && b.layout.nq == nv)
        for (int k = 0; k < nv; k++) {
            dal_real unit[64] = {0};
            assert_true(nv <= 64);
            unit[k] = 1;
            step(&b, unit);
            for (int body = 0; body < b.layout.mechanism->n_bodies; body++) {
                const dal_kin *kin = &b.w.kin[body];
                if (b.layout.mechanism->bodies[body].particle)
                    continue;
                dal_frame_jacobian_rate(b.state, b.q, b.v, body, origin, J);
                for (int i = 0; i < 3; i++) {
                    dal_real w = 0, rate = 0;
                    for (int j = 0; j < 3; j++) {
                        w += kin->R[3 * j + i] * kin->w[j];
                        rate += kin->R[3 * j + i] * J[nv * (3 + j) + k];
                    }
                    if (!(fabs(cimag(w) / h - creal(rate)) < 1e-11))
                        fail_msg("%s: dw/dq of body %d, coordinate %d is %.15g, and by a complex step %.15g", name, body, k, creal(rate),
                                 cimag(w) / h);
                }
            }
        }
    free(J);
    end(&b);
}

static void rates_of_jacobians_agree_with_complex_steps(void **unused)
{
    (void)unused;
    every_pair(check_rates);
}

static void the_coriolis_matrix_makes_the_rate_of_the_mass_matrix_skew(void **unused)
{
    (void)unused;
    every_pair(check_coriolis);
}

static void theorem_1_holds(void **unused)
{
    (void)unused;
    every_pair(check_theorem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_jacobians_agree_with_complex_steps),
        cmocka_unit_test(the_coriolis_matrix_makes_the_rate_of_the_mass_matrix_skew),
        cmocka_unit_test(theorem_1_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
