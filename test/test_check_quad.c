/* The ranks of a verdict against quadruple precision: 200 mechanisms made by chance, with loops, with rows that are redundant by
 * construction and with bodies that have no mass. The kernels compiled for __float128 say at the start how many rows of A and of [M; A] are
 * independent. The mechanisms are written down with 16 digits, so that what is redundant by construction is so to about 1e-15: the rank at
 * 1e-10 has to be that at 1e-13, otherwise it would be a matter of tolerance. */
#include "chance.h"
#include "dalembert/dalembert.h"
#include "model/system.h"
#include "state/state.h"

#include <stdlib.h>

/* From system/build.h, which has no variants. */
dal_status dal_compile_anyway(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);

/* ---- mechanisms by chance ---------------------------------------------------------------- */

enum { SOME_BODIES = 6 };

/* A tree, loops at random points, and twins of joints of the tree: shifted along their axes they forbid the same. */
static void make(maker *m, int number_of)
{
    static const char *const types[] = {"revolute", "prismatic", "cylindrical", "spherical"};
    memset(m, 0, sizeof *m);
    m->seed = 1000 + (uint64_t)number_of;
    int bodies = 2 + pick(m, SOME_BODIES - 1);
    for (int b = 0; b < bodies; b++)
        place_body(m);
    double common[3];
    random_unit(m, common);
    bool planar = chance(m, 0.3);
    for (int b = 0; b < bodies; b++) {
        double at[3] = {number(m), number(m), number(m)}, axis[3], along[3], far = 1.3 + number(m);
        random_unit(m, axis);
        const double *u = planar ? common : axis;
        int parent = pick(m, b + 1) - 1, kind = planar ? 0 : pick(m, 4);
        add_joint(m, types[kind], parent, b, at, at, kind < 3 ? u : NULL);
        for (int i = 0; i < 3; i++)
            along[i] = at[i] + far * u[i];
        if (kind < 3 && chance(m, 0.3)) /* a twin */
            add_joint(m, types[kind], parent, b, along, along, u);
    }
    for (int loops = pick(m, 3); loops > 0; loops--) {
        double at[3] = {number(m), number(m), number(m)}, other[3] = {number(m), number(m), number(m)}, axis[3];
        int a = pick(m, bodies + 1) - 1, b = pick(m, bodies);
        random_unit(m, axis);
        if (a == b)
            continue;
        if (planar)
            add_joint(m, "revolute", a, b, at, at, common);
        else if (chance(m, 0.5))
            add_joint(m, "distance", a, b, at, other, NULL);
        else if (chance(m, 0.5))
            add_joint(m, "point-on-plane", a, b, at, at, axis);
        else
            add_joint(m, "spherical", a, b, at, at, NULL);
    }
    say(m->text, "dalembert: 1\nspace: spatial\nground: {points: {%s}}\nbodies:\n", m->points[0]);
    for (int b = 0; b < bodies; b++)
        say_body(m, b);
    say(m->text, "joints:\n%ssimulate: {until: 1, coordinates: euler, formulation: lagrange}\n", m->list);
}

/* ---- ranks in quadruple precision -------------------------------------------------------------- */

typedef struct bench {
    dal_layout layout;
    dal_work w;
    dal_real *K; /* (m + r) x m: M, then A */
    int m, r;
} bench;

static dal_real magnitude(dal_real x)
{
    return x < 0 ? -x : x;
}

static void evaluate(bench *b)
{
    const size_t m = (size_t)b->m;
    b->layout.family->position(&b->layout, &b->w);
    dal_rows_position(&b->layout, &b->w);
    dal_rows_jacobian(&b->layout, &b->w);
    b->layout.family->velocity(&b->layout, &b->w);
    b->layout.family->inertia(&b->layout, &b->w);
    for (size_t i = 0; i < (m + (size_t)b->r) * m; i++)
        b->K[i] = 0;
    for (int k = 0; k < b->layout.n_blocks; k++) {
        const dal_mass_block *at = &b->layout.block[k];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                b->K[(size_t)(at->column + i) * m + (size_t)(at->column + j)] = b->w.M[at->value + at->n * i + j];
    }
    for (int i = 0; i < b->r; i++)
        for (int k = b->layout.row[i].value; k < b->layout.row[i].value + b->layout.row[i].n_values; k++)
            b->K[(m + (size_t)i) * m + (size_t)b->layout.column[k]] += b->w.A[k];
}

/* Gram-Schmidt with pivoting on rows first ... n of K at unit norm: how many have a rest above `small`. */
static int orthogonalise(bench *b, int first, dal_real small)
{
    const int n = b->m + b->r, m = b->m;
    bool used[400] = {false};
    int rank = 0;
    assert_true(n < 400);
    for (int i = first; i < n; i++) {
        dal_real *row = b->K + (size_t)i * (size_t)m, norm = 0, most = 0;
        for (int k = 0; k < m; k++) {
            norm += row[k] * row[k];
            most = magnitude(row[k]) > most ? magnitude(row[k]) : most;
        }
        norm = dal_sqrt(norm);
        bool zero = most < 1e-25; /* rounding of what cancels */
        for (int k = 0; k < m; k++)
            row[k] = zero ? 0 : row[k] / norm;
    }
    for (;;) {
        int best = -1;
        dal_real most = small;
        for (int i = first; i < n; i++) {
            dal_real norm = 0;
            for (int k = 0; k < m && !used[i]; k++)
                norm += b->K[(size_t)i * (size_t)m + (size_t)k] * b->K[(size_t)i * (size_t)m + (size_t)k];
            norm = dal_sqrt(norm);
            if (norm > most)
                most = norm, best = i;
        }
        if (best < 0)
            return rank;
        dal_real *e = b->K + (size_t)best * (size_t)m;
        for (int k = 0; k < m; k++)
            e[k] /= most;
        used[best] = true;
        rank++;
        for (int twice = 0; twice < 2; twice++)
            for (int i = first; i < n; i++) {
                dal_real *row = b->K + (size_t)i * (size_t)m, dot = 0;
                for (int k = 0; k < m && !used[i]; k++)
                    dot += row[k] * e[k];
                for (int k = 0; k < m && !used[i]; k++)
                    row[k] -= dot * e[k];
            }
    }
}

/* Ranks of A and of [M; A] without the intrinsic rows, one a body, of Euler parameters; false: they are a matter of tolerance. */
static bool quad_ranks(const dal_system *system, int *rank, int *stacked)
{
    bench b = {.layout = system->layout, .m = system->layout.nv, .r = system->layout.n_rows};
    dal_state *state = dal_state_create(NULL, system);
    b.layout.family = &dal_family_euler;
    dal_real *memory = calloc(dal_work_size(&b.layout), sizeof *memory);
    int *chart = calloc((size_t)(3 * system->mechanism.n_bodies), sizeof *chart);
    b.K = calloc((size_t)(b.m + b.r) * (size_t)b.m, sizeof *b.K);
    dal_work_layout(&b.layout, memory, chart, &b.w);
    for (int i = 0; i < system->mechanism.n_windings; i++)
        b.w.winding[i] = system->start_winding[i];
    const double *y = dal_state_y(state);
    for (int k = 0; k < b.layout.nq; k++)
        b.w.q[k] = y[k];
    evaluate(&b);
    *rank = orthogonalise(&b, b.m, 1e-10);
    evaluate(&b);
    bool clear = *rank == orthogonalise(&b, b.m, 1e-13);
    evaluate(&b);
    *stacked = orthogonalise(&b, 0, 1e-10);
    evaluate(&b);
    clear = clear && *stacked == orthogonalise(&b, 0, 1e-13);
    *rank -= b.layout.n_intrinsic;
    *stacked -= b.layout.n_intrinsic;
    dal_state_free(state);
    free(b.K);
    free(chart);
    free(memory);
    return clear;
}

static void ranks_of_random_mechanisms_agree_with_quadruple_precision(void **unused)
{
    (void)unused;
    maker *m = calloc(1, sizeof *m);
    int seen = 0, redundant = 0, loose = 0;
    for (int i = 0; i < 200; i++) {
        make(m, i);
        dal_messages *messages = dal_messages_create(NULL);
        dal_spec *spec = NULL;
        dal_system *system = NULL;
        dal_verdict *verdict = NULL;
        if (dal_spec_parse(NULL, "model.yaml", m->text, strlen(m->text), 0, NULL, messages, &spec) != DAL_OK)
            fail_msg("%d: %s\n%s", i, dal_messages_first(messages)->text, m->text);
        dal_check(spec, NULL, messages, &verdict);
        dal_messages_clear(messages);
        if (dal_compile_anyway(NULL, spec, messages, &system) != DAL_OK)
            fail_msg("%d: %s\n%s", i, dal_messages_first(messages)->text, m->text);
        int rank, stacked;
        assert_true(verdict && verdict->known);
        if (quad_ranks(system, &rank, &stacked)) {
            if (rank != verdict->rank || stacked != verdict->rank_stacked)
                fail_msg("%d: ranks %d and %d, in quadruple precision %d and %d\n%s", i, verdict->rank, verdict->rank_stacked, rank, stacked,
                         m->text);
            int sum = 0;
            for (int g = 0; g < verdict->n_groups; g++)
                sum += verdict->groups[g].redundant;
            assert_int_equal(sum, verdict->redundant);
            assert_int_equal(verdict->determined, stacked == verdict->velocities);
            assert_true(verdict->determined == (verdict->n_loose == 0));
            if (verdict->singular || verdict->near_singular || verdict->isolated || !verdict->consistent) /* a position by chance is not */
                fail_msg("%d: singular %d, near %d, isolated %d, consistent %d\n%s", i, verdict->singular, verdict->near_singular, verdict->isolated,
                         verdict->consistent, m->text);
            seen++;
            redundant += rank < verdict->rows;
            loose += !verdict->determined;
        }
        dal_verdict_free(verdict);
        dal_system_free(system);
        dal_spec_free(spec);
        dal_messages_free(messages);
    }
    if (!(seen >= 190 && redundant >= 40 && loose >= 20 && redundant <= 170 && loose <= 150))
        fail_msg("of 200 mechanisms %d were clear, %d redundant, %d loose: not enough of each", seen, redundant, loose);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_of_random_mechanisms_agree_with_quadruple_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
