/* Derivatives of the kernels against complex steps: the same source, compiled for complex numbers.
 *
 * f(q + i h w) = f(q) + i h D_w f - O(h^2): with h = 1e-30 the imaginary part is the exact derivative to rounding.
 */
#include "kinematics/subsystems.h"
#include "force/force.h"
#include "gallery.h"
#include "kinematics/placement.h"

static const double h = 1e-30;

typedef struct bench {
    dal_system *system;
    dal_state *state;  /* of the double library: only handed on */
    dal_layout layout; /* with the family of this scalar */
    dal_work w;
    dal_real *memory;
    int *chart;
    const double *y;
} bench;

static const dal_family *variant_of(const char *name)
{
    for (int i = 0; gallery_families[i]; i++)
        if (!strcmp(gallery_families[i]->name, name))
            return gallery_families[i];
    return NULL;
}

/* False: the model cannot be written in this family (it has coordinates of its own, or it has none). */
static bool open_bench(bench *b, const char *file, const char *family, uint64_t *seed, double shift)
{
    char why[512], choice[64];
    snprintf(choice, sizeof choice, "%s%s", family, !strcmp(family, "angle") ? ":sequence=zyx" : "");
    b->system = gallery_compile(file, strstr(file, "planar") || *family != 'a' ? family : choice, "lagrange", why);
    if (!b->system && strstr(why, "coordinates"))
        return false;
    if (!b->system)
        fail_msg("%s: %s", file, why);
    b->state = dal_state_create(NULL, b->system);
    b->layout = b->system->layout;
    b->layout.family = variant_of(family);
    b->memory = calloc(dal_work_size(&b->layout), sizeof *b->memory);
    b->chart = calloc((size_t)(3 * b->layout.mechanism->n_bodies), sizeof *b->chart);
    dal_work_layout(&b->layout, b->memory, b->chart, &b->w);
    double *y = dal_state_y(b->state);
    int missed = 1;
    for (int attempt = 0; attempt < 6 && missed; attempt++, shift /= 2) { /* a shift may lead too far off to be assembled */
        dal_state_reset(b->state);
        for (int k = 0; k < b->layout.nq; k++)
            y[k] += shift * check_random(seed);
        for (int k = 0; k < b->layout.nv; k++)
            y[b->layout.nq + k] = 1.7 * check_random(seed);
        missed = b->system->method.stabilization->project(b->state, 0, y);
    }
    assert_int_equal(missed, 0);
    b->y = y;
    for (int i = 0; i < b->layout.mechanism->n_windings; i++)
        b->w.winding[i] = b->system->start_winding[i];
    return true;
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
    b->w.t = t;
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
    dal_inertia(&b->layout, &b->w);
}

static double *randoms(uint64_t *seed, int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int k = 0; k < n; k++)
        x[k] = check_random(seed);
    return x;
}

static bool nonholonomic(const dal_layout *layout, int row)
{
    return row < layout->n_extrinsic && layout->mechanism->rows[layout->row[row].source].nonholonomic;
}

/* A is the derivative of phi along any direction, and gamma what d/dt (A v - beta) leaves for v' = 0. */
static void rows_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 5;
    if (!open_bench(&b, file, family, &seed, 0.02))
        return;
    const int r = b.layout.n_rows, m = b.layout.nv;
    double *w = randoms(&seed, m), scale = 10 * (1 + b.system->layout.units.length) * (1 + b.system->layout.units.length);
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
        if (!nonholonomic(&b.layout, i))
            check_close(cimag(b.w.phi[i]) / h, creal(Aw[i]), 1e-13 * scale);
    set(&b, b.y + b.layout.nq, 1); /* along the motion: q' = v in these families, t' = 1 */
    evaluate(&b);
    for (int i = 0; i < r; i++)
        check_close(-cimag(b.w.phid[i]) / h, creal(gamma[i]), 1e-12 * scale);
    for (int i = 0; i < b.layout.n_extrinsic; i++) { /* and phi' along the motion is A v - beta */
        if (!nonholonomic(&b.layout, i))
            check_close(cimag(b.w.phi[i]) / h, creal(b.w.phid[i]), 1e-12 * scale);
    }
    free(w), free(Aw), free(wc), free(gamma);
    close_bench(&b);
}

static bool moved_by_time(const dal_layout *layout)
{
    for (int b = 0; layout->placement && b < layout->mechanism->n_bodies; b++)
        if (layout->placement->body[b].timed)
            return true;
    return false;
}

/* h = M' v - dT/dq for v = q': the kernels' h against complex steps of M and T = 1/2 v M v. Where time moves bodies by itself, T is not
 * that, and test_user.c says the rest. */
static void inertia_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 6;
    if (!open_bench(&b, file, family, &seed, 0.02))
        return;
    if (moved_by_time(&b.layout) || !dal_subsystems_have_energy(b.layout.systems)) { /* or there is no T */
        close_bench(&b);
        return;
    }
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

/* q' = N a: how the coordinates move along velocities a. */
static void along(bench *b, const double *a, double *qd)
{
    dal_real *rates = calloc((size_t)b->layout.nq + 1, sizeof *rates), *v = calloc((size_t)b->layout.nv + 1, sizeof *v), *own = b->w.v;
    for (int k = 0; k < b->layout.nv; k++)
        v[k] = a[k];
    b->w.v = v;
    b->layout.family->rates(&b->layout, &b->w, rates);
    b->w.v = own;
    for (int k = 0; k < b->layout.nq; k++)
        qd[k] = creal(rates[k]);
    free(rates), free(v);
}

static void check_tangent(const dal_tangent *stepped, const dal_bend *bend, double size)
{
    for (int i = 0; i < 3; i++) {
        check_close(cimag(stepped->rd[i]) / h, creal(bend->rb[i]), 1e-12 * size);
        check_close(cimag(stepped->w[i]) / h, creal(bend->wb[i]), 1e-12 * size);
    }
    for (int i = 0; i < 9; i++)
        check_close(cimag(stepped->Rd[i]) / h, creal(bend->Rb[i]), 1e-12 * size);
}

/* The bend is the derivative of the tangent, of the rows' rates and of the speeds along another direction, time included; and a tangent
 * is the derivative of the frames. */
static void bends_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 9;
    if (!open_bench(&b, file, family, &seed, 0.02))
        return;
    const int m = b.layout.nv, n = b.layout.mechanism->n_bodies, r = b.layout.n_rows + b.layout.n_speeds;
    double *x = randoms(&seed, m), *y = randoms(&seed, m), *qd = calloc((size_t)b.layout.nq + 1, sizeof *qd);
    double dx = check_random(&seed), dy = check_random(&seed), reach = 1 + b.system->layout.units.length, size = 100 * reach * reach;
    dal_real *xc = calloc((size_t)m + 1, sizeof *xc), *yc = calloc((size_t)m + 1, sizeof *yc);
    dal_real *rows = calloc((size_t)r + 1, sizeof *rows), *beta = calloc((size_t)r + 1, sizeof *beta);
    dal_tangent *ta = calloc((size_t)n, sizeof *ta), *tb = calloc((size_t)n, sizeof *tb);
    dal_bend *bend = calloc((size_t)n, sizeof *bend);
    for (int k = 0; k < m; k++)
        xc[k] = x[k], yc[k] = y[k];
    const dal_direction a = {xc, dx, ta}, c = {yc, dy, tb};
    set(&b, NULL, 0);
    evaluate(&b);
    b.layout.family->tangent(&b.layout, &b.w, &a);
    b.layout.family->tangent(&b.layout, &b.w, &c);
    b.layout.family->bend(&b.layout, &b.w, &a, &c, bend);
    dal_rows_bend(&b.layout, &b.w, &a, &c, bend, rows);
    along(&b, x, qd);
    set(&b, qd, dx);
    evaluate(&b);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) /* frames move along the tangent of a */
            check_close(cimag(b.w.kin[i].r[k]) / h, creal(ta[i].rd[k]), 1e-12 * size);
    b.layout.family->tangent(&b.layout, &b.w, &c);
    for (int i = 0; i < n; i++)
        check_tangent(&tb[i], &bend[i], size);
    dal_rows_free(&b.layout, &b.w, beta);
    for (int i = 0; i < r; i++) {
        const dal_row_layout *at = &b.layout.row[i];
        dal_real rate = beta[i] * dy;
        for (int k = at->value; k < at->value + at->n_values; k++)
            rate += b.w.A[k] * yc[b.layout.column[k]];
        check_close(cimag(rate) / h, creal(rows[i]), 1e-12 * size);
    }
    free(x), free(y), free(qd), free(xc), free(yc), free(rows), free(beta), free(ta), free(tb), free(bend);
    close_bench(&b);
}

/* Forces with a potential are its negative gradient along every motion that keeps the attitudes attitudes. */
static void loads_of(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 8;
    if (!open_bench(&b, file, family, &seed, 0.02))
        return;
    const dal_system *s = b.system;
    const int m = b.layout.nv;
    dal_real *expression = calloc((size_t)s->actions.n_outputs + 1, sizeof *expression),
             *effort = calloc((size_t)s->acting.n_forces + 1, sizeof *effort);
    double force = 0, size = 1;
    /* v is tangent, so D_v V = -Q_potential . v; everything that is not potential is counted in `power` */
    for (int pass = 0; pass < 2; pass++) {
        set(&b, pass ? b.y + b.layout.nq : NULL, 0);
        evaluate(&b);
        dal_loads loads = {.layout = &b.layout, .work = &b.w, .expression = expression, .effort = effort};
        dal_loads_apply(&loads, s->acting.n_groups, s->acting.groups);
        if (pass) {
            check_close(cimag(loads.potential) / h, -force, 1e-11 * size);
            break;
        }
        for (int k = 0; k < m; k++)
            b.w.Q[k] = 0;
        for (int k = 0; k < b.layout.mechanism->n_bodies; k++)
            dal_pull_body(&b.layout, &b.w, k, b.w.force + 6 * k, b.w.force + 6 * k + 3, b.w.Q);
        for (int k = 0; k < m; k++) {
            force += creal(b.w.Q[k]) * b.y[b.layout.nq + k];
            size += fabs(creal(b.w.Q[k]) * b.y[b.layout.nq + k]);
        }
        force -= creal(loads.power);
    }
    free(expression), free(effort);
    close_bench(&b);
}

/* ---- theorem 2 of `lagrange-to-kane` ----------------------------------------------------------- */

/* A virtual change: x less its part along the rows of A, by Gram and Schmidt, twice. */
static void make_virtual(const bench *b, double *x)
{
    const int r = b->layout.n_rows, m = b->layout.nv;
    double *rows = calloc((size_t)r * (size_t)m + 1, sizeof *rows);
    for (int i = 0; i < r; i++) {
        const dal_row_layout *at = &b->layout.row[i];
        double *row = rows + (size_t)i * (size_t)m, size = 0, left = 0;
        for (int k = at->value; k < at->value + at->n_values; k++)
            size += pow(row[b->layout.column[k]] = creal(b->w.A[k]), 2);
        for (int j = 0; j < 2 * i; j++) {
            const double *other = rows + (size_t)(j % i) * (size_t)m;
            double along_it = 0;
            for (int k = 0; k < m; k++)
                along_it += row[k] * other[k];
            for (int k = 0; k < m; k++)
                row[k] -= along_it * other[k];
        }
        for (int k = 0; k < m; k++)
            left += row[k] * row[k];
        for (int k = 0; k < m; k++) /* rows that depend on others are dropped */
            row[k] = left > 1e-20 * size ? row[k] / sqrt(left) : 0;
    }
    for (int j = 0; j < 2 * r; j++) {
        const double *row = rows + (size_t)(j % r) * (size_t)m;
        double along_it = 0;
        for (int k = 0; k < m; k++)
            along_it += row[k] * x[k];
        for (int k = 0; k < m; k++)
            x[k] -= along_it * row[k];
    }
    free(rows);
}

/* R^T w: in body axes. */
static void in_body_axes(const dal_real R[9], const dal_real w[3], dal_real out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[i] * w[0] + R[3 + i] * w[1] + R[6 + i] * w[2];
}

/* (44): (dw/dq) dq = (J_w' + [w x] J_w) dq, w and J_w in body axes. The left side is a complex step of the velocities along dq; the right
 * side one of the tangents of dq along the motion, time included. Returns the largest difference, over w^2 + 1. */
static double miss_of_theorem_2(bench *b, const double *change)
{
    const int m = b->layout.nv, n = b->layout.mechanism->n_bodies;
    double worst = 0;
    dal_real *x = calloc((size_t)m + 1, sizeof *x), *left = calloc(3 * (size_t)n, sizeof *left), body[3], spin[3];
    dal_tangent *tangent = calloc((size_t)n, sizeof *tangent);
    for (int k = 0; k < m; k++)
        x[k] = change[k];
    const dal_direction d = {x, 0, tangent};
    set(b, change, 0); /* q + i h dq, the velocities as they are */
    evaluate(b);
    for (int i = 0; i < n; i++)
        in_body_axes(b->w.kin[i].R, b->w.kin[i].w, left + 3 * i);
    set(b, b->y + b->layout.nq, 1); /* along the motion */
    evaluate(b);
    b->layout.family->tangent(&b->layout, &b->w, &d);
    for (int i = 0; i < n; i++) {
        if (b->layout.mechanism->bodies[i].particle)
            continue;
        in_body_axes(b->w.kin[i].R, tangent[i].w, body); /* J_w dq, and its rate */
        in_body_axes(b->w.kin[i].R, b->w.kin[i].w, spin);
        double square = 1;
        for (int k = 0; k < 3; k++)
            square += creal(spin[k]) * creal(spin[k]) + creal(body[k]) * creal(body[k]);
        for (int k = 0; k < 3; k++) {
            const int p = (k + 1) % 3, q = (k + 2) % 3;
            const double right = cimag(body[k]) / h + creal(spin[p]) * creal(body[q]) - creal(spin[q]) * creal(body[p]);
            worst = fmax(worst, fabs(cimag(left[3 * i + k]) / h - right) / square);
        }
    }
    free(x), free(left), free(tangent);
    return worst;
}

static double virtual_worst, other_worst;
static int virtual_changes;

static void theorem_2_in(const char *file, const char *family)
{
    bench b;
    uint64_t seed = 10;
    if (!open_bench(&b, file, family, &seed, 0.02))
        return;
    for (int i = 0; i < 3 && b.layout.nq == b.layout.nv; i++) {
        double *x = randoms(&seed, b.layout.nv);
        set(&b, NULL, 0);
        evaluate(&b);
        other_worst = fmax(other_worst, miss_of_theorem_2(&b, x));
        set(&b, NULL, 0);
        evaluate(&b);
        make_virtual(&b, x);
        const double miss = miss_of_theorem_2(&b, x);
        virtual_worst = fmax(virtual_worst, miss);
        virtual_changes++;
        if (!(miss < 1e-12)) /* what is left of the constraints after the projection, times w^2 */
            fail_msg("%s, %s: the two sides of (44) differ by %.3g", file, family, miss);
        free(x);
    }
    close_bench(&b);
}

/* The first n of the families; those before `joint` have q' = v. */
static void over_the_gallery(void (*check)(const char *file, const char *family), int n)
{
    static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "user", "joint"};
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; f < n; f++)
            check(g.found.gl_pathv[i], families[f]);
    gallery_close(&g);
}

static void rows_and_their_rates_agree_with_complex_steps(void **unused)
{
    (void)unused;
    over_the_gallery(rows_of, 5);
}

static void inertia_terms_agree_with_complex_steps(void **unused)
{
    (void)unused;
    over_the_gallery(inertia_of, 5);
}

static void bends_agree_with_complex_steps(void **unused)
{
    (void)unused;
    over_the_gallery(bends_of, 6);
}

static void potential_forces_are_gradients(void **unused)
{
    (void)unused;
    over_the_gallery(loads_of, 5);
}

/* Coordinates that depend on each other: loops, rolling, Euler parameters, direction cosines. Along changes that the constraints do not
 * allow (a matrix of direction cosines that is no rotation any more) it does not hold: the theorem needs its condition. */
static void theorem_2_of_lagrange_to_kane_holds_for_virtual_changes_and_for_no_others(void **unused)
{
    (void)unused;
    over_the_gallery(theorem_2_in, 6);
    assert_true(virtual_changes > 300);
    print_message("  %d virtual changes: the sides differ by %.1e; along any change by up to %.1e\n", virtual_changes, virtual_worst, other_worst);
    assert_true(other_worst > 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theorem_2_of_lagrange_to_kane_holds_for_virtual_changes_and_for_no_others),
        cmocka_unit_test(rows_and_their_rates_agree_with_complex_steps),
        cmocka_unit_test(inertia_terms_agree_with_complex_steps),
        cmocka_unit_test(bends_agree_with_complex_steps),
        cmocka_unit_test(potential_forces_are_gradients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
