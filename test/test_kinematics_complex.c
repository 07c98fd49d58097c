/* Derivatives of the kernels against complex steps: the same source, compiled for complex numbers.
 *
 * f(q + i h w) = f(q) + i h D_w f - O(h^2): with h = 1e-30 the imaginary part is the exact derivative to rounding.
 */
#include "force/force.h"
#include "gallery.h"

static const double h = 1e-30;

typedef struct bench {
    dal_system *system;
    dal_state *state; /* of the double library: only handed on */
    dal_layout layout; /* with the family of this scalar */
    dal_work w;
    dal_real *memory;
    int *chart;
    const double *y;
} bench;

static const dal_family *variant_of(const char *name)
{
    return !strcmp(name, "angle") ? &dal_family_angle : !strcmp(name, "euler") ? &dal_family_euler : &dal_family_natural;
}

static void open_bench(bench *b, const char *file, const char *family, uint64_t *seed, double shift)
{
    char why[512], choice[64];
    snprintf(choice, sizeof choice, "%s%s", family, !strcmp(family, "angle") ? ":sequence=zyx" : "");
    b->system = gallery_compile(file, strstr(file, "planar") || *family != 'a' ? family : choice, "lagrange", why);
    if (!b->system)
        fail_msg("%s: %s", file, why);
    b->state = dal_state_create(NULL, b->system);
    b->layout = b->system->layout;
    b->layout.family = variant_of(family);
    b->memory = calloc(dal_work_size(&b->layout), sizeof *b->memory);
    b->chart = calloc((size_t)(3 * b->layout.mechanism->n_bodies), sizeof *b->chart);
    dal_work_lay(&b->layout, b->memory, b->chart, &b->w);
    double *y = dal_state_y(b->state);
    for (int k = 0; k < b->layout.nq; k++)
        y[k] += shift * check_random(seed);
    for (int k = 0; k < b->layout.nv; k++)
        y[b->layout.nq + k] = 1.7 * check_random(seed);
    assert_int_equal(b->system->stabilization->project(b->state, 0, y), 0);
    b->y = y;
    for (int i = 0; i < b->layout.mechanism->n_windings; i++)
        b->w.winding[i] = b->system->start_winding[i];
}

static void close_bench(bench *b)
{
    free(b->memory);
    free(b->chart);
    dal_state_free(b->state);
    dal_system_free(b->system);
}

/* q + i h dq, v, t + i h dt; time functions are t-polynomials by hand: f = 0.3 + 0.2 t + 0.1 t^2. */
static void set(bench *b, const double *dq, double dt)
{
    for (int k = 0; k < b->layout.nq; k++)
        b->w.q[k] = b->y[k] + (dq ? _Complex_I * h * dq[k] : 0);
    for (int k = 0; k < b->layout.nv; k++)
        b->w.v[k] = b->y[b->layout.nq + k];
    dal_real t = _Complex_I * h * dt;
    for (int i = 0; i < b->layout.n_times; i++) {
        b->w.time[3 * i] = 0.3 + 0.2 * t + 0.1 * t * t;
        b->w.time[3 * i + 1] = 0.2 + 0.2 * t;
        b->w.time[3 * i + 2] = 0.2;
    }
}

static void evaluate(bench *b)
{
    b->layout.family->position(&b->layout, &b->w);
    dal_rows_position(&b->layout, &b->w);
    dal_rows_jacobian(&b->layout, &b->w);
    b->layout.family->velocity(&b->layout, &b->w);
    dal_rows_velocity(&b->layout, &b->w);
    b->layout.family->inertia(&b->layout, &b->w);
}

static double *randoms(uint64_t *seed, int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int k = 0; k < n; k++)
        x[k] = check_random(seed);
    return x;
}

/* A is the derivative of phi along any direction, and gamma what d/dt (A v - beta) leaves for v' = 0. */
static void rows_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 5;
    open_bench(&b, file, family, &seed, 0.02);
    const int r = b.layout.n_rows, m = b.layout.nv;
    double *w = randoms(&seed, m), scale = 10 * (1 + b.system->length) * (1 + b.system->length);
    dal_real *Aw = calloc((size_t)r + 1, sizeof *Aw), *wc = calloc((size_t)m + 1, sizeof *wc), *gamma = calloc((size_t)r + 1, sizeof *gamma);
    for (int k = 0; k < m; k++)
        wc[k] = w[k];
    set(&b, NULL, 0);
    evaluate(&b);
    dal_rows_times(&b.layout, b.w.A, wc, Aw);
    for (int i = 0; i < r; i++)
        gamma[i] = b.w.gamma[i];
    set(&b, w, 0);
    evaluate(&b);
    for (int i = 0; i < r; i++)
        check_close(cimag(b.w.phi[i]) / h, creal(Aw[i]), 1e-13 * scale);
    set(&b, b.y + b.layout.nq, 1); /* along the motion: q' = v in these families, t' = 1 */
    evaluate(&b);
    for (int i = 0; i < r; i++)
        check_close(-cimag(b.w.phid[i]) / h, creal(gamma[i]), 1e-12 * scale);
    for (int i = 0; i < b.layout.n_extrinsic; i++) { /* and phi' along the motion is A v - beta */
        check_close(cimag(b.w.phi[i]) / h, creal(b.w.phid[i]), 1e-12 * scale);
    }
    free(w), free(Aw), free(wc), free(gamma);
    close_bench(&b);
}

/* h = M' v - dT/dq for v = q': the kernels' h against complex steps of M and T = 1/2 v M v. */
static void inertia_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 6;
    open_bench(&b, file, family, &seed, 0.02);
    const int m = b.layout.nv;
    dal_real *p = calloc((size_t)m + 1, sizeof *p), linear[3], angular[3];
    double *bias = calloc((size_t)m + 1, sizeof *bias), *want = calloc((size_t)m + 1, sizeof *want), *e = calloc((size_t)m + 1, sizeof *e);
    set(&b, NULL, 0);
    evaluate(&b);
    double T = creal(dal_kinetic(&b.layout, &b.w, linear, angular)), twice = 0, size = 1 + T;
    dal_mass_times(&b.layout, b.w.M, b.w.v, p);
    for (int k = 0; k < m; k++) {
        twice += creal(p[k]) * b.y[b.layout.nq + k];
        bias[k] = creal(b.w.h[k]);
        size += fabs(bias[k]);
    }
    check_close(twice / 2, T, 1e-12 * size);
    set(&b, b.y + b.layout.nq, 0);
    evaluate(&b);
    dal_mass_times(&b.layout, b.w.M, b.w.v, p);
    for (int k = 0; k < m; k++)
        want[k] = cimag(p[k]) / h;
    for (int k = 0; k < m; k++) {
        e[k] = 1;
        set(&b, e, 0);
        evaluate(&b);
        dal_mass_times(&b.layout, b.w.M, b.w.v, p);
        for (int j = 0; j < m; j++)
            want[k] -= 0.5 * cimag(p[j]) / h * b.y[b.layout.nq + j];
        e[k] = 0;
    }
    for (int k = 0; k < m; k++)
        check_close(bias[k], want[k], 1e-11 * size);
    free(p), free(bias), free(want), free(e);
    close_bench(&b);
}

/* Forces with a potential are its negative gradient along every motion that keeps the attitudes attitudes. */
static void loads_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 8;
    open_bench(&b, file, family, &seed, 0.02);
    const dal_system *s = b.system;
    const int m = b.layout.nv;
    dal_real *expression = calloc((size_t)s->actions.n_outputs + 1, sizeof *expression), *effort = calloc((size_t)s->n_forces + 1, sizeof *effort);
    double force = 0, size = 1;
    /* v is tangent, so D_v V = -Q_potential . v; everything that is not potential is counted in `power` */
    for (int pass = 0; pass < 2; pass++) {
        set(&b, pass ? b.y + b.layout.nq : NULL, 0);
        evaluate(&b);
        dal_loads loads = {&b.layout, &b.w, expression, effort, 0, 0};
        dal_loads_apply(&loads, s->n_groups, s->groups);
        if (pass) {
            check_close(cimag(loads.potential) / h, -force, 1e-11 * size);
            break;
        }
        for (int k = 0; k < m; k++)
            b.w.Q[k] = 0;
        for (int k = 0; k < b.layout.mechanism->n_bodies; k++)
            b.layout.family->pull(&b.layout, &b.w, k, b.w.force + 6 * k, b.w.force + 6 * k + 3, b.w.Q + b.layout.body[k].v);
        for (int k = 0; k < m; k++) {
            force += creal(b.w.Q[k]) * b.y[b.layout.nq + k];
            size += fabs(creal(b.w.Q[k]) * b.y[b.layout.nq + k]);
        }
        force -= creal(loads.power);
    }
    free(expression), free(effort);
    close_bench(&b);
}

static void over_the_gallery(void (*check)(const char *file, const char *family))
{
    static const char *const families[] = {"angle", "euler", "natural"};
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; f < 3; f++)
            check(g.found.gl_pathv[i], families[f]);
    gallery_close(&g);
}

static void rows_and_their_rates_agree_with_complex_steps(void **unused)
{
    (void)unused;
    over_the_gallery(rows_of);
}

static void inertia_terms_agree_with_complex_steps(void **unused)
{
    (void)unused;
    over_the_gallery(inertia_of);
}

static void potential_forces_are_gradients(void **unused)
{
    (void)unused;
    over_the_gallery(loads_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_their_rates_agree_with_complex_steps),
        cmocka_unit_test(inertia_terms_agree_with_complex_steps),
        cmocka_unit_test(potential_forces_are_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
