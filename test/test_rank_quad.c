/* Ranks in quadruple precision: the kernels compiled for __float128 say how many rows are independent, at states that satisfy
 * the constraints to thirty digits, and the double library has to agree. */
#include "gallery.h"

typedef struct bench {
    dal_system *system;
    dal_state *state;
    dal_layout layout;
    dal_work w;
    dal_real *memory, *A;
    int *chart, *order;
} bench;

static const dal_family *variant_of(const char *name)
{
    return !strcmp(name, "angle")   ? &dal_family_angle
           : !strcmp(name, "euler") ? &dal_family_euler
           : !strcmp(name, "user")  ? &dal_family_user
                                    : &dal_family_natural;
}

static dal_real magnitude(dal_real x)
{
    return x < 0 ? -x : x;
}

static void evaluate(bench *b)
{
    b->layout.family->position(&b->layout, &b->w);
    dal_rows_position(&b->layout, &b->w);
    dal_rows_jacobian(&b->layout, &b->w);
    for (int i = 0; i < b->layout.n_rows; i++) {
        dal_real *row = b->A + (size_t)i * (size_t)b->layout.nv;
        for (int k = 0; k < b->layout.nv; k++)
            row[k] = 0;
        for (int k = b->layout.row[i].value; k < b->layout.row[i].value + b->layout.row[i].n_values; k++)
            row[b->layout.column[k]] += b->w.A[k];
    }
}

/* Gram-Schmidt with pivoting on rows of unit norm, twice for orthogonality: the number of rows whose rest exceeds `small`. If
 * `correction` is given, it becomes the least solution of A x = -phi on those rows. */
static int orthogonalise(bench *b, dal_real small, dal_real *correction)
{
    const int r = b->layout.n_rows, m = b->layout.nv;
    dal_real *phi = calloc((size_t)r + 1, sizeof *phi);
    bool *used = calloc((size_t)r + 1, sizeof *used);
    int rank = 0;
    for (int i = 0; i < r; i++) {
        dal_real *row = b->A + (size_t)i * (size_t)m, norm = 0;
        for (int k = 0; k < m; k++)
            norm += row[k] * row[k];
        norm = dal_sqrt(norm);
        phi[i] = norm > 0 ? b->w.phi[i] / norm : 0;
        for (int k = 0; k < m && norm > 0; k++)
            row[k] /= norm;
    }
    for (int k = 0; k < m && correction; k++)
        correction[k] = 0;
    for (;;) {
        int best = -1;
        dal_real most = small;
        for (int i = 0; i < r; i++) {
            const dal_real *row = b->A + (size_t)i * (size_t)m;
            dal_real norm = 0;
            for (int k = 0; k < m; k++)
                norm += row[k] * row[k];
            norm = dal_sqrt(norm);
            if (!used[i] && norm > most)
                most = norm, best = i;
        }
        if (best < 0)
            break;
        dal_real *e = b->A + (size_t)best * (size_t)m;
        for (int k = 0; k < m; k++)
            e[k] /= most;
        dal_real step = -phi[best] / most;
        for (int k = 0; k < m && correction; k++)
            correction[k] += step * e[k];
        used[best] = true;
        rank++;
        for (int i = 0; i < r; i++) {
            dal_real *row = b->A + (size_t)i * (size_t)m, dot = 0;
            if (used[i])
                continue;
            for (int k = 0; k < m; k++)
                dot += row[k] * e[k];
            for (int k = 0; k < m; k++)
                row[k] -= dot * e[k];
            phi[i] += dot * step; /* the part of this row's residual that the step takes care of */
        }
    }
    free(phi);
    free(used);
    return rank;
}

static void agree(const char *file, const char *family)
{
    char why[512];
    uint64_t seed = 17;
    bench b = {.system = gallery_compile(file, family, "lagrange", why)};
    if (!b.system && strstr(why, "coordinates"))
        return; /* it has coordinates of its own, or none for the family user */
    if (!b.system)
        fail_msg("%s: %s", file, why);
    b.state = dal_state_create(NULL, b.system);
    b.layout = b.system->layout;
    b.layout.family = variant_of(family);
    b.memory = calloc(dal_work_size(&b.layout), sizeof *b.memory);
    b.chart = calloc((size_t)(3 * b.layout.mechanism->n_bodies), sizeof *b.chart);
    b.A = calloc((size_t)b.layout.n_rows * (size_t)b.layout.nv + 1, sizeof *b.A);
    dal_real *x = calloc((size_t)b.layout.nv + 1, sizeof *x);
    dal_work_layout(&b.layout, b.memory, b.chart, &b.w);
    for (int i = 0; i < b.layout.mechanism->n_windings; i++)
        b.w.winding[i] = b.system->start_winding[i];
    double *y = dal_state_y(b.state);
    for (int k = 0; k < b.layout.nq; k++)
        y[k] += 0.01 * check_random(&seed);
    bool here = b.system->method.stabilization->project(b.state, 0, y) == 0 && b.layout.n_times == 0;
    for (int k = 0; k < b.layout.nq; k++)
        b.w.q[k] = y[k];
    for (int k = 0; k < b.layout.nv && b.layout.curved; k++) /* A depends on them */
        b.w.v[k] = y[b.layout.nq + k];
    dal_real worst = 1;
    for (int i = 0; here && i < 12 && worst > 1e-31; i++) { /* Newton in quadruple precision */
        evaluate(&b);
        worst = 0;
        for (int k = 0; k < b.layout.n_rows; k++)
            worst = magnitude(b.w.phi[k]) > worst ? magnitude(b.w.phi[k]) : worst;
        orthogonalise(&b, 1e-10, x);
        for (int k = 0; k < b.layout.nv; k++)
            b.w.q[k] += x[k];
    }
    if (here) {
        if (!(worst < 1e-28))
            fail_msg("%s (%s): the constraints were not met in quadruple precision: %g", file, family, (double)worst);
        evaluate(&b);
        /* what is independent to 1e-10 here is independent to 1e-20 too: the verdict is not a matter of tolerance */
        int rank = orthogonalise(&b, 1e-10, NULL);
        evaluate(&b);
        assert_int_equal(rank, orthogonalise(&b, 1e-20, NULL));
        if (rank != b.system->rank)
            fail_msg("%s (%s): rank %d in quadruple, %d in double precision", file, family, rank, b.system->rank);
    }
    free(x);
    free(b.A);
    free(b.memory);
    free(b.chart);
    dal_state_free(b.state);
    dal_system_free(b.system);
}

static void ranks_agree_with_quadruple_precision(void **unused)
{
    static const char *const families[] = {"angle", "euler", "natural", "user"};
    (void)unused;
    gallery g = gallery_open();
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; f < 4; f++)
            agree(g.found.gl_pathv[i], families[f]);
    gallery_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_agree_with_quadruple_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
