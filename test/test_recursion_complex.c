/* What the calls of tree.h say about rates, against complex steps of the generic kernels: f(q + i h N v) = f(q) + i h f' with h = 1e-30.
 *
 *   J'             columns of every body along the motion
 *   M' - 2 C       skew-symmetric, and C v + g = h   ((40) of `lagrange-to-kane`)
 *   d tau/dq, d tau/dv   of inverse dynamics, along every velocity; then those of forward dynamics, M^-1 times these
 *   theorem 1, (22): d w / d q_k = J_w' + w x J_w for w in body axes, which is R^T J_w' of world axes, where N = 1
 */
#include "dalembert/tree.h"
#include "math/vec.h"
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

/* Not solved by recursion, which leaves out the matrices of many bodies. */
static bench begin(const char *text, uint64_t *seed)
{
    bench b = {.system = compile_text(text, "joint", "maggi", NULL)};
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

/* tau = M vd + h - sum of J^T (weight and wrench), by the generic kernels at the stepped q and v. */
static void inverse_dynamics(const bench *b, const double *vd, const dal_wrench *wrench, dal_real *tau)
{
    const dal_layout *layout = &b->layout;
    const int nv = layout->nv;
    for (int i = 0; i < nv; i++)
        tau[i] = b->w.h[i];
    for (int k = 0; k < layout->n_blocks; k++) {
        const dal_mass_block *block = &layout->block[k];
        for (int i = 0; i < block->n; i++)
            for (int j = 0; j < block->n; j++) {
                const int row = i > j ? i : j, column = i > j ? j : i; /* the lower triangle */
                tau[block->column + i] += b->w.M[block->value + block->n * row + column] * vd[block->column + j];
            }
    }
    for (int body = 0; body < layout->mechanism->n_bodies; body++) {
        const dal_body *of = &layout->mechanism->bodies[body];
        const dal_body_layout *at = &layout->body[body];
        dal_real force[3], torque[3] = {0}, arm[3];
        dal_turn(b->w.kin[body].R, of->center, arm);
        for (int k = 0; k < 3; k++)
            force[k] = of->mass * b->system->acting.gravity[k];
        if (!of->particle)
            dal_add_cross(arm, force, torque);
        for (int k = 0; k < 3; k++) {
            force[k] += wrench[body].force[k];
            torque[k] += wrench[body].torque[k];
        }
        for (int k = 0; k < at->n_columns; k++)
            for (int i = 0; i < 3; i++)
                tau[layout->body_column[at->column + k]] -=
                    b->w.jacobian[6 * (at->jacobian + k) + i] * force[i] + b->w.jacobian[6 * (at->jacobian + k) + 3 + i] * torque[i];
    }
}

/* Column j of what `ours` says against a complex step; sizes are relative to the largest entry of both matrices. */
static void check_derivative_column(const char *name, const char *what, int nv, int j, const dal_real *stepped, const double *ours, double size)
{
    for (int i = 0; i < nv; i++)
        if (!(fabs(cimag(stepped[i]) / h - ours[nv * i + j]) < 1e-13 * size))
            fail_msg("%s: %s at (%d, %d) is %.15g, and by a complex step %.15g (size %g)", name, what, i, j, ours[nv * i + j], cimag(stepped[i]) / h,
                     size);
}

static double largest_of(int n, const double *x, double size)
{
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* M X + Y = 0, or M X = 1: with the mass matrix of both triangles; what is left is relative to the largest sum of terms. */
static void check_solved(const char *name, const char *what, int nv, const double *M, const double *X, const double *Y)
{
    double left = 0, size = 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            double sum = Y ? Y[nv * i + j] : i == j ? -1 : 0, terms = fabs(sum);
            for (int k = 0; k < nv; k++) {
                const double term = M[i > k ? nv * i + k : nv * k + i] * X[nv * k + j];
                sum += term;
                terms += fabs(term);
            }
            left = fmax(left, fabs(sum));
            size = fmax(size, terms);
        }
    if (!(left <= 1e-13 * size))
        fail_msg("%s: %s: %.3g of %.3g is left", name, what, left, size);
}

static void check_derivatives_at(bench *b, const char *name, uint64_t *seed, bool wrenches)
{
    const int nv = b->layout.nv, bodies = b->layout.mechanism->n_bodies;
    const size_t square = (size_t)(nv * nv) + 1;
    double *dq = calloc(square, sizeof *dq), *dv = calloc(square, sizeof *dv), *M = calloc(square, sizeof *M), *X = calloc(square, sizeof *X);
    double *Y = calloc(square, sizeof *Y), *Z = calloc(square, sizeof *Z), *vd = calloc((size_t)nv + 1, sizeof *vd),
           *tau = calloc((size_t)nv + 1, sizeof *tau);
    double *again = calloc((size_t)nv + 1, sizeof *again);
    dal_real *stepped = calloc((size_t)nv + 1, sizeof *stepped), *direction = calloc((size_t)b->layout.nq + 1, sizeof *direction);
    dal_wrench *wrench = calloc((size_t)bodies + 1, sizeof *wrench);
    for (int k = 0; k < nv; k++)
        vd[k] = 3 * check_random(seed);
    for (int body = 0; wrenches && body < bodies; body++)
        for (int k = 0; k < 3; k++) {
            const bool in_plane = b->layout.mechanism->space == DAL_PLANAR;
            wrench[body].force[k] = in_plane && k == 2 ? 0 : 5 * check_random(seed);
            wrench[body].torque[k] = (in_plane && k < 2) || b->layout.mechanism->bodies[body].particle ? 0 : 5 * check_random(seed);
        }
    assert_int_equal(dal_tree_inverse_derivatives(b->state, b->q, b->v, vd, wrenches ? wrench : NULL, dq, dv), DAL_OK);
    const double size = largest_of(nv * nv, dv, largest_of(nv * nv, dq, 1));
    for (int j = 0; j < nv; j++) {
        for (int k = 0; k < nv; k++)
            b->w.v[k] = k == j;
        for (int k = 0; k < b->layout.nq; k++)
            b->w.q[k] = b->q[k];
        b->layout.family->position(&b->layout, &b->w);
        b->layout.family->rates(&b->layout, &b->w, direction); /* N e_j */
        for (int k = 0; k < nv; k++)
            b->w.v[k] = b->v[k];
        step(b, direction);
        inverse_dynamics(b, vd, wrench, stepped);
        check_derivative_column(name, "d tau/dq", nv, j, stepped, dq, size);
        for (int k = 0; k < nv; k++)
            b->w.v[k] = b->v[k] + (k == j ? _Complex_I * h : 0);
        memset(direction, 0, sizeof *direction * (size_t)b->layout.nq);
        step(b, direction);
        inverse_dynamics(b, vd, wrench, stepped);
        check_derivative_column(name, "d tau/dv", nv, j, stepped, dv, size);
    }
    /* Forward dynamics at the same motion. */
    assert_int_equal(dal_mass_matrix(b->state, b->q, M), DAL_OK);
    assert_int_equal(dal_inverse_dynamics(b->state, b->q, b->v, vd, wrenches ? wrench : NULL, tau), DAL_OK);
    const dal_status status = dal_tree_forward_derivatives(b->state, b->q, b->v, tau, wrenches ? wrench : NULL, again, X, Y);
    if (status == DAL_OK && nv > 0) {
        assert_int_equal(dal_mass_inverse(b->state, b->q, Z), DAL_OK);
        check_solved(name, "M M^-1", nv, M, Z, NULL);
        check_solved(name, "dv'/dv", nv, M, Y, dv);
        assert_int_equal(dal_tree_inverse_derivatives(b->state, b->q, b->v, again, wrenches ? wrench : NULL, dq, dv), DAL_OK);
        check_solved(name, "dv'/dq", nv, M, X, dq);
    } else
        assert_int_equal(status, DAL_NUMERICAL); /* a joint that moves no inertia */
    free(dq), free(dv), free(M), free(X), free(Y), free(Z), free(vd), free(tau), free(again), free(stepped), free(direction), free(wrench);
}

static int n_derivatives, n_deep;

/* A machine that lacks the larger sets of kernels takes a smaller one. */
static void check_derivatives_by(const char *set, const char *text, const char *name)
{
    uint64_t seed = 53;
    setenv("DAL_ISA", set, 1);
    bench b = begin(text, &seed);
    unsetenv("DAL_ISA");
    if (dal_system_has_tree(b.system)) {
        char title[160];
        snprintf(title, sizeof title, "%s (%s)", name, b.system->recursion->name);
        check_derivatives_at(&b, title, &seed, false);
        check_derivatives_at(&b, title, &seed, true);
        n_derivatives++;
        n_deep += !b.system->links->shallow;
    }
    end(&b);
}

static const char *const sets[] = {"baseline", "avx2", "avx512"};
enum { SETS = sizeof sets / sizeof *sets };

/* The sets in turn. */
static void check_derivatives(const char *text, const char *name)
{
    check_derivatives_by(sets[n_derivatives % SETS], text, name);
}

/* Limbs on a free trunk. Bodies are written in turns, so that the columns of a limb are not side by side; joints of one, two and three coordinates. */
static char *limbs_model(int limbs, int length)
{
    static const char *const joints[] = {"revolute, axis: [0.3, -0.5, 0.9]",
                                         "spherical",
                                         "prismatic, axis: [0.2, 0.1, -0.9]",
                                         "screw, axis: [0.9, 0.2, 0.3], pitch: 0.4",
                                         "universal, axis: [[0.6, 0.8, 0.1], [-0.8, 0.6, 0]]",
                                         "revolute, axis: [-0.7, 0.2, 0.1]"};
    const size_t room = 1000 + (size_t)(limbs * length) * 400;
    char *text = malloc(room);
    size_t n = (size_t)snprintf(text, room,
                                "dalembert: 1\nspace: spatial\ngravity: [0.3, -0.7, -9.81]\nbodies:\n"
                                "  trunk: {mass: 7.3, center: [0.02, -0.03, 0.05], inertia: [0.3, 0.41, 0.52, 0.02, -0.03, 0.04]}\n");
    for (int k = 0; k < length; k++)
        for (int l = 0; l < limbs; l++)
            n += (size_t)snprintf(text + n, room - n,
                                  "  b%d_%d: {mass: %g, center: [0.02, 0.01, -0.1], inertia: [0.02, 0.03, 0.025], position: [%g, %g, %g]}\n", l, k,
                                  0.4 + 0.1 * l + 1.0 / (1 + k), 0.3 * l, 0.1 * k, -0.2 * (k + 1));
    n += (size_t)snprintf(text + n, room - n, "joints:\n");
    for (int k = 0; k < length; k++)
        for (int l = 0; l < limbs; l++) {
            char before[40] = "trunk";
            if (k > 0)
                snprintf(before, sizeof before, "b%d_%d", l, k - 1);
            n += (size_t)snprintf(text + n, room - n, "  j%d_%d: {connect: [%s, b%d_%d], type: %s}\n", l, k, before, l, k, joints[(l + 2 * k) % 6]);
        }
    snprintf(text + n, room - n, "simulate: {until: 1}\n");
    return text;
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

static void derivatives_of_dynamics_agree_with_complex_steps(void **unused)
{
    (void)unused;
    every_pair(check_derivatives);
    check_derivatives(branching_tree, "branching tree");
    static const struct {
        int limbs, length;
    } trees[] = {{1, 8}, {3, 7}, {26, 1}, {1, 36}};
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++) {
        char name[40], *text = limbs_model(trees[k].limbs, trees[k].length);
        snprintf(name, sizeof name, "%d limbs of %d bodies", trees[k].limbs, trees[k].length);
        for (int set = 0; set < SETS; set++)
            check_derivatives_by(sets[set], text, name);
        free(text);
    }
    assert_true(n_derivatives > 60 && n_deep == SETS);
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
        cmocka_unit_test(derivatives_of_dynamics_agree_with_complex_steps),
        cmocka_unit_test(theorem_1_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
