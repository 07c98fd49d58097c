/* The family `joint` against complex steps: tangents are derivatives of frames, bends of tangents, for every joint and both ways of
 * walking it, at any q.
 *
 * f(q + i h N a) = f(q) + i h D_a f - O(h^2): with h = 1e-30 the imaginary part is the exact derivative to rounding.
 */
#include "kinematics/tree.h"
#include "tree_models.h"

static const double h = 1e-30;

/* Coordinates and velocities of the size of one, shifts and angles of several turns among them. */
static dal_real *randoms(uint64_t *seed, int n, double size)
{
    dal_real *x = calloc((size_t)n + 1, sizeof *x);
    for (int k = 0; k < n; k++)
        x[k] = size * check_random(seed);
    return x;
}

static void check3(const char *name, const char *what, int n, const dal_real *stepped, const dal_real *value)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(cimag(stepped[i]) / h - creal(value[i])) < 1e-11))
            fail_msg("%s: %s is %.15g, and by a complex step %.15g", name, what, creal(value[i]), cimag(stepped[i]) / h);
}

static void check_kernels(const char *text, const char *name)
{
    uint64_t seed = 31;
    dal_system *system = compile_text(text, "joint", "lagrange", NULL);
    dal_layout layout = system->layout;
    layout.family = &dal_family_joint; /* of this scalar */
    const int n = layout.mechanism->n_bodies;
    dal_work w;
    dal_real *memory = calloc(dal_work_size(&layout), sizeof *memory);
    int *chart = calloc((size_t)(3 * n), sizeof *chart);
    dal_work_layout(&layout, memory, chart, &w);
    dal_real *q = randoms(&seed, layout.nq, 3), *a = randoms(&seed, layout.nv, 1), *b = randoms(&seed, layout.nv, 1);
    dal_real *qd = calloc((size_t)layout.nq + 1, sizeof *qd);
    dal_tangent *ta = calloc((size_t)n, sizeof *ta), *tb = calloc((size_t)n, sizeof *tb), *stepped = calloc((size_t)n, sizeof *stepped);
    dal_bend *bend = calloc((size_t)n, sizeof *bend), *own = calloc((size_t)n, sizeof *own);
    const dal_direction along_a = {a, 0, ta}, along_b = {b, 0, tb}, again = {b, 0, stepped};
    for (int k = 0; k < layout.nq; k++)
        w.q[k] = q[k];
    for (int k = 0; k < layout.nv; k++)
        w.v[k] = a[k];
    layout.family->position(&layout, &w);
    layout.family->velocity(&layout, &w);
    layout.family->rates(&layout, &w, qd); /* N a */
    layout.family->tangent(&layout, &w, &along_a);
    layout.family->tangent(&layout, &w, &along_b);
    layout.family->bend(&layout, &w, &along_a, &along_b, bend);
    layout.family->bend(&layout, &w, &along_a, &along_a, own);
    for (int i = 0; i < n; i++) {
        const dal_kin *kin = &w.kin[i];
        const dal_body_layout *at = &layout.body[i];
        dal_real twist[6] = {0};
        for (int k = 0; k < at->n_columns; k++)
            for (int c = 0; c < 6; c++)
                twist[c] += w.jacobian[6 * (at->jacobian + k) + c] * a[layout.body_column[at->column + k]];
        for (int k = 0; k < 3; k++) { /* three ways to the same velocity, two to the same bias */
            check_close(creal(twist[k]), creal(ta[i].rd[k]), 1e-12);
            check_close(creal(twist[3 + k]), creal(ta[i].w[k]), 1e-12);
            check_close(creal(kin->rd[k]), creal(ta[i].rd[k]), 1e-12);
            check_close(creal(kin->w[k]), creal(ta[i].w[k]), 1e-12);
            check_close(creal(kin->rb[k]), creal(own[i].rb[k]), 1e-12);
            check_close(creal(kin->wb[k]), creal(own[i].wb[k]), 1e-12);
        }
    }
    for (int k = 0; k < layout.nq; k++)
        w.q[k] = q[k] + _Complex_I * h * qd[k];
    layout.family->position(&layout, &w);
    layout.family->tangent(&layout, &w, &again);
    for (int i = 0; i < n; i++) {
        check3(name, "a velocity", 3, w.kin[i].r, ta[i].rd);
        check3(name, "a rate of the attitude", 9, w.kin[i].R, ta[i].Rd);
        check3(name, "a bend", 3, stepped[i].rd, bend[i].rb);
        check3(name, "a bend of the attitude", 9, stepped[i].Rd, bend[i].Rb);
        check3(name, "a bend of the angular velocity", 3, stepped[i].w, bend[i].wb);
    }
    free(q), free(a), free(b), free(qd), free(ta), free(tb), free(stepped), free(bend), free(own), free(memory), free(chart);
    dal_system_free(system);
}

static void tangents_and_bends_of_every_joint_agree_with_complex_steps(void **unused)
{
    (void)unused;
    every_pair(check_kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_and_bends_of_every_joint_agree_with_complex_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
