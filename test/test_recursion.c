/* The recursions over the links against the generic path of the family `joint`, at any q and v: every joint both ways, and the gallery.
 * Nothing of one is used by the other: there, M and h come from explicit Jacobians and composite bodies in body frames. */
#include "dalembert/tree.h"
#include "math/vec.h"
#include "tree_models.h"
#include "dynamics/reactions.h"
#include "dynamics/tree_state.h"

typedef struct numbers {
    double *q, *v, *x, *y, *z, *M, *N;
    dal_wrench *wrench;
} numbers;

static double *vector(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

static numbers numbers_for(const dal_system *system)
{
    const int nq = system->layout.nq, nv = system->layout.nv;
    return (numbers){vector(nq), vector(nv),      vector(nv),      vector(nv),
                     vector(nv), vector(nv * nv), vector(nv * nv), calloc((size_t)system->mechanism.n_bodies + 1, sizeof(dal_wrench))};
}

static void release(numbers *n)
{
    free(n->q), free(n->v), free(n->x), free(n->y), free(n->z), free(n->M), free(n->N), free(n->wrench);
}

static void random_vector(uint64_t *seed, int n, double size, double *out)
{
    for (int k = 0; k < n; k++)
        out[k] = size * check_random(seed);
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

/* `least`: what the numbers are made of is at least of that size. */
static void check_vectors(const char *name, const char *what, int n, const double *a, const double *b, double least, double tolerance)
{
    const double size = fmax(least, fmax(largest(n, a), largest(n, b)));
    for (int k = 0; k < n; k++)
        if (!(fabs(a[k] - b[k]) <= tolerance * size))
            fail_msg("%s: %s: number %d of %d is %.15g and %.15g (difference %.3g of the largest)", name, what, k, n, a[k], b[k],
                     fabs(a[k] - b[k]) / size);
}

/* Any q and v, in the work space of the generic path, too: frames, Jacobians, M, h. */
static void random_state(dal_state *state, uint64_t *seed, double turns, numbers *n)
{
    const dal_layout *layout = &state->system->layout;
    dal_state_reset(state);
    for (int k = 0; k < layout->nv; k++)
        n->x[k] = turns * check_random(seed) * (layout->angular[k] ? 1 : 0.3);
    layout->family->add(layout, state->work.q, n->x);
    random_vector(seed, layout->nv, 2, state->work.v);
    memcpy(n->q, state->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(n->v, state->work.v, sizeof(double) * (size_t)layout->nv);
    dal_state_moved(state);
    layout->family->position(layout, &state->work);
    layout->family->velocity(layout, &state->work);
    layout->family->inertia(layout, &state->work);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        random_vector(seed, 3, 5, n->wrench[b].force);
        random_vector(seed, 3, layout->mechanism->bodies[b].particle ? 0 : 5, n->wrench[b].torque);
        if (layout->mechanism->space == DAL_PLANAR)
            n->wrench[b].force[2] = n->wrench[b].torque[0] = n->wrench[b].torque[1] = 0;
    }
}

/* J^T of all wrenches, by the explicit Jacobians. */
static void pulled(const dal_state *state, const dal_wrench *wrench, double *out)
{
    const dal_layout *layout = &state->system->layout;
    memset(out, 0, sizeof *out * (size_t)layout->nv);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        dal_pull_body(layout, &state->work, b, wrench[b].force, wrench[b].torque, out);
}

/* The weights of the bodies as wrenches at their origins. */
static void weights(const dal_state *state, dal_wrench *out)
{
    for (int b = 0; b < state->system->mechanism.n_bodies; b++) {
        const dal_body *body = &state->system->mechanism.bodies[b];
        double c[3];
        dal_mul3(state->work.kin[b].R, body->center, c);
        memset(&out[b], 0, sizeof out[b]);
        dal_axpy3(body->mass, state->system->acting.gravity, out[b].force);
        if (!body->particle)
            dal_cross(c, out[b].force, out[b].torque);
    }
}

static void dense_mass(const dal_state *state, double *M)
{
    const dal_layout *layout = &state->system->layout;
    memset(M, 0, sizeof *M * (size_t)layout->nv * (size_t)layout->nv);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *block = &layout->block[b];
        for (int i = 0; i < block->n; i++)
            for (int j = 0; j <= i; j++)
                M[layout->nv * (block->column + i) + block->column + j] = state->work.M[block->value + block->n * i + j];
    }
}

static const double tolerance = 2e-12; /* of sums of products of numbers of the size of one along chains of ten */

static void check_system(const dal_system *system, const char *name)
{
    if (!dal_system_has_tree(system))
        return;
    uint64_t seed = 77;
    dal_state *state = dal_state_create(NULL, system);
    const int nv = system->layout.nv, nb = system->mechanism.n_bodies;
    numbers n = numbers_for(system);
    dal_wrench *weight = calloc((size_t)nb + 1, sizeof *weight);
    for (int round = 0; round < 4; round++) {
        random_state(state, &seed, round == 3 ? 300 : 3, &n);
        dense_mass(state, n.N);
        const double inertia = largest(nv * nv, n.N);
        /* h without gravity, gravity, wrenches */
        assert_int_equal(dal_bias_forces(state, n.q, n.v, n.x), DAL_OK);
        assert_int_equal(dal_gravity_forces(state, n.q, n.y), DAL_OK);
        weights(state, weight);
        pulled(state, weight, n.z);
        for (int k = 0; k < nv; k++) {
            n.x[k] -= n.y[k];
            n.z[k] = -n.z[k];
        }
        check_vectors(name, "gravity", nv, n.y, n.z, 1e-3 * inertia, tolerance);
        check_vectors(name, "h", nv, n.x, state->work.h, inertia * (4 + largest(nv, n.y)) * 10, tolerance);
        assert_int_equal(dal_inverse_dynamics(state, n.q, NULL, NULL, n.wrench, n.x), DAL_OK);
        pulled(state, n.wrench, n.z);
        for (int k = 0; k < nv; k++)
            n.x[k] = n.y[k] - n.x[k];
        check_vectors(name, "wrenches", nv, n.x, n.z, largest(nv, n.y) + 1, tolerance);
        /* M, by composites, by unit accelerations, and generic */
        assert_int_equal(dal_mass_matrix(state, n.q, n.M), DAL_OK);
        check_vectors(name, "M", nv * nv, n.M, n.N, 0, tolerance);
        for (int k = 0; k < nv; k++) {
            memset(n.x, 0, sizeof(double) * (size_t)nv);
            n.x[k] = 1;
            dal_inverse_dynamics(state, n.q, NULL, n.x, NULL, n.z);
            for (int i = k; i < nv; i++)
                check_close(n.z[i] - n.y[i], n.M[nv * i + k], tolerance * (largest(nv * nv, n.M) + largest(nv, n.y)));
        }
        /* forward of inverse, with everything that there is */
        random_vector(&seed, nv, 3, n.x);
        assert_int_equal(dal_inverse_dynamics(state, n.q, n.v, n.x, n.wrench, n.y), DAL_OK);
        dal_status status = dal_forward_dynamics(state, n.q, n.v, n.y, n.wrench, n.z);
        if (status == DAL_OK) { /* backwards: however badly M is conditioned, the torques of the answer are those that were given */
            dal_inverse_dynamics(state, n.q, n.v, n.z, n.wrench, n.x);
            check_vectors(name, "torques of the accelerations", nv, n.x, n.y, inertia * (1 + largest(nv, n.z)), tolerance);
        } else if (system->info.equations) /* the inertia does not determine all: then M is singular, too */
            assert_int_equal(dal_mass_factor(system, n.M), DAL_NUMERICAL);
        /* M x = b by the sparse factor */
        if (status == DAL_OK) {
            random_vector(&seed, nv, 3, n.y);
            memcpy(n.x, n.y, sizeof(double) * (size_t)nv);
            assert_int_equal(dal_mass_factor(system, n.M), DAL_OK);
            dal_mass_solve(system, n.M, n.x);
            for (int i = 0; i < nv; i++) {
                n.z[i] = 0;
                for (int j = 0; j < nv; j++)
                    n.z[i] += n.N[i > j ? nv * i + j : nv * j + i] * n.x[j];
            }
            check_vectors(name, "product with the solution by the factor", nv, n.y, n.z, inertia * largest(nv, n.x), tolerance);
        }
    }
    free(weight);
    release(&n);
    dal_state_free(state);
}

/* Frames: the body's own motion, Jacobian, momentum; what the joints carry adds up to tau. */
static void check_frames(const dal_system *system, const char *name)
{
    if (!dal_system_has_tree(system))
        return;
    uint64_t seed = 99;
    dal_state *state = dal_state_create(NULL, system);
    const int nv = system->layout.nv, nb = system->mechanism.n_bodies;
    numbers n = numbers_for(system);
    double *J = vector(6 * nv), *Jd = vector(6 * nv), *A = vector(6 * nv);
    dal_wrench *carried = calloc((size_t)nb + 1, sizeof *carried);
    random_state(state, &seed, 3, &n);
    random_vector(&seed, nv, 3, n.x);
    memcpy(state->vd, n.x, sizeof(double) * (size_t)nv);
    dal_need(state, DAL_STAGE_BODIES);
    dal_centroid whole;
    double p[3] = {0}, L[3] = {0}, center[3] = {0}, mass = 0, size = 0;
    assert_int_equal(dal_centroidal_momentum(state, n.q, n.v, &whole, A), DAL_OK);
    for (int b = 0; b < nb; b++) {
        static const double none[3] = {0, 0, 0};
        const dal_body *body = &system->mechanism.bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        const double point[3] = {0.3, -0.2, system->mechanism.space == DAL_PLANAR ? 0 : 0.5};
        const double *s = body->particle ? none : point;
        dal_motion m;
        assert_int_equal(dal_frame_motion(state, n.q, n.v, n.x, b, s, &m), DAL_OK);
        double P[3], V[3], W[3], a[3], spin[3];
        dal_mul3(kin->R, s, P), dal_mul3(kin->Rd, s, V);
        dal_axpy3(1, kin->r, P), dal_axpy3(1, kin->rd, V);
        check_vectors(name, "place", 3, m.position, P, 1, tolerance);
        check_vectors(name, "attitude", 9, m.rotation, kin->R, 1, tolerance);
        check_vectors(name, "velocity", 3, m.velocity, V, 1, tolerance);
        check_vectors(name, "angular velocity", 3, m.omega, kin->w, 1, tolerance);
        dal_frame_motion(state, n.q, n.v, n.x, b, none, &m);
        check_vectors(name, "acceleration", 3, m.acceleration, state->reactions->body[b].rdd, 1, tolerance);
        check_vectors(name, "angular acceleration", 3, m.alpha, state->reactions->body[b].alpha, 1, tolerance);
        /* J v, and J v' + J' v */
        assert_int_equal(dal_frame_jacobian(state, n.q, b, s, J), DAL_OK);
        assert_int_equal(dal_frame_jacobian_rate(state, n.q, n.v, b, s, Jd), DAL_OK);
        dal_frame_motion(state, n.q, n.v, n.x, b, s, &m);
        for (int i = 0; i < 6; i++) {
            double rate = 0, rise = 0, at = i < 3 ? m.velocity[i] : m.omega[i - 3], wanted = i < 3 ? m.acceleration[i] : m.alpha[i - 3];
            for (int k = 0; k < nv; k++) {
                rate += J[nv * i + k] * n.v[k];
                rise += J[nv * i + k] * n.x[k] + Jd[nv * i + k] * n.v[k];
            }
            check_close(rate, at, 1e-12 * (1 + largest(3, m.velocity)));
            check_close(rise, wanted, 1e-11 * (1 + largest(3, m.acceleration) + largest(3, m.alpha)));
        }
        /* momentum of the body, about the centre of the whole */
        dal_mul3(kin->R, body->center, P), dal_mul3(kin->Rd, body->center, V);
        dal_axpy3(1, kin->r, P), dal_axpy3(1, kin->rd, V);
        dal_axpy3(body->mass, V, p);
        dal_sub3(P, whole.center, a);
        for (int i = 0; i < 3; i++)
            V[i] *= body->mass;
        dal_add_cross(a, V, L);
        if (!body->particle) {
            dal_mulT3(kin->R, kin->w, W);
            dal_mul3(body->inertia, W, spin);
            dal_mul3(kin->R, spin, W);
            dal_axpy3(1, W, L);
        }
        size = fmax(size, fmax(largest(3, p), largest(3, L)));
        mass += body->mass;
        dal_axpy3(body->mass, P, center);
    }
    check_close(mass, whole.mass, 1e-14 * mass);
    for (int i = 0; i < 3; i++) {
        double linear = 0, angular = 0;
        for (int k = 0; k < nv; k++) {
            linear += A[nv * i + k] * n.v[k];
            angular += A[nv * (i + 3) + k] * n.v[k];
        }
        check_close(center[i], whole.mass * whole.center[i], 1e-12 * (1 + fabs(center[i])));
        check_close(linear, whole.linear[i], 1e-11 * (1 + size));
        check_close(angular, whole.angular[i], 1e-11 * (1 + size));
        check_close(p[i], whole.linear[i], 1e-11 * (1 + size));
        check_close(L[i], whole.angular[i], 1e-11 * (1 + size));
    }
    /* what the joints carry, along the columns of the bodies that they carry, is tau */
    assert_int_equal(dal_joint_wrenches(state, n.q, n.v, n.x, n.wrench, carried), DAL_OK);
    dal_inverse_dynamics(state, n.q, n.v, n.x, n.wrench, n.y);
    for (int b = 0; b < nb; b++) {
        const dal_carrier *c = &system->layout.tree->carrier[system->layout.tree->carrier_of[b]];
        const dal_body_layout *at = &system->layout.body[b];
        const int own = at->n_columns - (c->parent == DAL_GROUND ? 0 : system->layout.body[c->parent].n_columns);
        for (int k = at->n_columns - own; k < at->n_columns; k++) {
            const double *column = state->work.jacobian + 6 * (at->jacobian + k);
            check_close(dal_dot(column, carried[b].force) + (c->particle ? 0 : dal_dot(column + 3, carried[b].torque)),
                        n.y[system->layout.body_column[at->column + k]], 1e-10 * (1 + largest(nv, n.y)));
        }
    }
    free(J), free(Jd), free(A), free(carried);
    release(&n);
    dal_state_free(state);
}

static void check_all(const dal_system *system, const char *name)
{
    check_system(system, name);
    check_frames(system, name);
}

static void check_pair(const char *text, const char *name)
{
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    check_all(system, name);
    dal_system_free(system);
}

static void the_recursions_agree_with_the_generic_path_for_every_joint(void **unused)
{
    (void)unused;
    every_pair(check_pair);
}

static void the_recursions_agree_with_the_generic_path_on_the_gallery(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    int trees = 0;
    for (size_t i = 0; i < g.n; i++) {
        char why[512];
        dal_system *system = gallery_compile(g.found.gl_pathv[i], "joint", "lagrange", why);
        if (!system)
            continue;
        trees += dal_system_has_tree(system);
        check_all(system, g.found.gl_pathv[i]);
        dal_system_free(system);
    }
    assert_true(trees > 25);
    gallery_close(&g);
}

/* Both sets of kernels; angles beyond the reach of the fast sine, too. */
static void every_instruction_set_gives_the_same(void **unused)
{
    (void)unused;
    char why[512];
    dal_system *system = gallery_compile(DAL_MODELS "/floating-chain.yaml", "joint", "lagrange", why);
    assert_non_null(system);
    dal_state *state = dal_state_create(NULL, system);
    uint64_t seed = 5;
    numbers n = numbers_for(system);
    const int nv = system->layout.nv;
    for (int round = 0; round < 3; round++) {
        random_state(state, &seed, round == 2 ? 1e7 : 3, &n);
        const dal_recursion *best = dal_recursion_choose(), *plain = &dal_recursion_baseline;
        best->aba_velocity(system->links, &state->tree->links, n.q, n.v);
        assert_true(best->aba_solve(system->links, &state->tree->links, NULL, n.x));
        plain->aba_velocity(system->links, &state->tree->links, n.q, n.v);
        assert_true(plain->aba_solve(system->links, &state->tree->links, NULL, n.y));
        check_vectors(best->name, "accelerations", nv, n.x, n.y, 0, 1e-12);
    }
    release(&n);
    dal_state_free(state);
    dal_system_free(system);
}

/* Columns of M refer to one origin for the whole tree, so that an arm of a link is as long as the chain: rounding errors of an entry are below some
 * eps * (extent of the tree / length of a link) of sqrt(M_ii M_jj). Here the chain is two hundred links long. Without gravity the forces of unit
 * accelerations are the columns of M. */
static void mass_matrices_of_long_chains_keep_their_digits(void **unused)
{
    (void)unused;
    enum { N = 200, ROOM = 200 * N };
    static const char *const axes[] = {"[0, 0, 1]", "[0.6, 0.8, 0]", "[0.36, 0.48, 0.8]"};
    char *text = malloc(ROOM), *at = text;
    at += sprintf(at, "dalembert: 1\nspace: spatial\nbodies:\n");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "  b%d: {mass: 1.3, inertia: [0.02, 0.03, 0.04], position: [%g, 0, 0], points: {A: [-0.25, 0, 0], B: [0.25, 0, 0]}}\n", i,
                      0.25 + 0.5 * i);
    at += sprintf(at, "joints:\n  j0: {type: revolute, connect: [ground, b0.A], axis: [0, 0, 1]}\n");
    for (int i = 1; i < N; i++)
        at += sprintf(at, "  j%d: {type: revolute, connect: [b%d.B, b%d.A], axis: %s}\n", i, i - 1, i, axes[i % 3]);
    dal_system *system = compile_text(text, "joint", "recursive", NULL);
    dal_state *state = dal_state_create(NULL, system);
    numbers n = numbers_for(system);
    uint64_t seed = 19;
    double worst = 0;
    assert_int_equal(system->layout.nv, N);
    random_vector(&seed, N, 0.2, n.q);
    assert_int_equal(dal_mass_matrix(state, n.q, n.M), DAL_OK);
    for (int k = 0; k < N; k++) {
        memset(n.x, 0, sizeof(double) * N);
        n.x[k] = 1;
        assert_int_equal(dal_inverse_dynamics(state, n.q, NULL, n.x, NULL, n.z), DAL_OK);
        for (int i = k; i < N; i++)
            worst = fmax(worst, fabs(n.z[i] - n.M[N * i + k]) / sqrt(n.M[N * i + i] * n.M[N * k + k]));
    }
    print_message("%d links: %.1e of sqrt(M_ii M_jj)\n", N, worst);
    check_small(worst, 4 * N * 2.2e-16);
    release(&n);
    dal_state_free(state);
    dal_system_free(system);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recursions_agree_with_the_generic_path_for_every_joint),
        cmocka_unit_test(the_recursions_agree_with_the_generic_path_on_the_gallery),
        cmocka_unit_test(every_instruction_set_gives_the_same),
        cmocka_unit_test(mass_matrices_of_long_chains_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
