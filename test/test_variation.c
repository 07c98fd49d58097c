/* Exact derivatives of the equations (src/variation): along the motion rows turn into their rates; along any direction the
 * equations of motion follow differences of the kernels on doubles. */
#include "gallery.h"
#include "state/values.h"
#include "variation/variation.h"

static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint", "user"};

typedef struct subject {
    dal_system *system;
    dal_state *state;
    dal_variation *variation;
    dal_variation_point at;
    int nv, n_rows, n_states;
    double *q, *v, *vd, *lambda, *motion, *phi, *phid, *phidd, *states; /* the point; what changes */
} subject;

static double *numbers(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static bool open_subject(subject *s, const char *file, const char *family, uint64_t *seed)
{
    char why[512];
    *s = (subject){.system = gallery_compile(file, family, "lagrange", why)};
    if (!s->system || s->system->acting.n_frictions) {
        dal_system_free(s->system);
        return false;
    }
    s->state = dal_state_create(NULL, s->system);
    const dal_layout *layout = &s->system->layout;
    s->variation = dal_variation_create(&s->system->allocator, s->system, dal_family_number(layout->family));
    assert_non_null(s->variation);
    s->nv = layout->nv;
    s->n_rows = layout->n_rows;
    s->n_states = s->system->n_states;
    dal_instant *instant = NULL;
    dal_evaluation *e = NULL;
    if (dal_instant_random(NULL, s->state, ++*seed, NULL, &instant) != DAL_OK || dal_evaluate(NULL, s->state, instant, NULL, NULL, &e) != DAL_OK)
        fail_msg("%s, %s: no random state", file, family);
    dal_evaluation_free(e);
    dal_instant_free(instant);
    s->state->work.t += 0.137; /* tables have corners at their ends; what follows holds off the constraints as well */
    dal_state_moved(s->state);
    assert_int_equal(dal_state_motion(s->state, true), 0);
    dal_state_unwind(s->state); /* angles count from here */
    s->q = numbers(layout->nq), s->v = numbers(s->nv), s->vd = numbers(s->nv), s->lambda = numbers(s->n_rows);
    s->motion = numbers(s->nv), s->phi = numbers(s->n_rows), s->phid = numbers(s->n_rows), s->phidd = numbers(s->n_rows),
    s->states = numbers(s->n_states);
    memcpy(s->q, s->state->work.q, sizeof(double) * (size_t)layout->nq);
    memcpy(s->v, s->state->work.v, sizeof(double) * (size_t)s->nv);
    memcpy(s->vd, s->state->vd, sizeof(double) * (size_t)s->nv);
    memcpy(s->lambda, s->state->lambda, sizeof(double) * (size_t)s->n_rows);
    s->at = (dal_variation_point){.t = s->state->work.t,
                                  .q = s->q,
                                  .v = s->v,
                                  .z = s->state->values->z,
                                  .inputs = s->state->values->inputs,
                                  .vd = s->vd,
                                  .lambda = s->lambda,
                                  .winding = s->state->work.winding,
                                  .chart = s->state->work.chart};
    return true;
}

static void close_subject(subject *s)
{
    free(s->q), free(s->v), free(s->vd), free(s->lambda), free(s->motion), free(s->phi), free(s->phid), free(s->phidd), free(s->states);
    dal_variation_free(s->variation);
    dal_state_free(s->state);
    dal_system_free(s->system);
}

static int vary(subject *s, const dal_variation_direction *along)
{
    const dal_variation_result out = {.motion = s->motion, .phi = s->phi, .phid = s->phid, .phidd = s->phidd, .states = s->states};
    return dal_variation_along(s->variation, &s->at, along, &out);
}

/* phi' = d/dt phi, phi'' = d/dt phi': with the signs and terms of time in them. */
static void check_rows(subject *s, const char *file, const char *family, uint64_t *seed)
{
    (void)seed;
    const dal_variation_direction motion = {.t = 1, .q = s->v, .v = s->vd};
    assert_int_equal(vary(s, &motion), 0);
    for (int i = 0; i < s->n_rows; i++) {
        double terms = 0, size = 0;
        const dal_row_layout *row = &s->system->layout.row[i];
        for (int k = row->value; k < row->value + row->n_values; k++) {
            terms += fabs(s->state->work.A[k] * s->v[s->system->layout.column[k]]);
            size += fabs(s->state->work.A[k] * s->vd[s->system->layout.column[k]]);
        }
        size += terms + fabs(s->state->work.gamma[i]);
        const bool position = row->source < 0 || !s->system->mechanism.rows[row->source].nonholonomic;
        if (position && !(fabs(s->phi[i] - s->state->work.phid[i]) <= 1e-11 * (terms + 1e-3)))
            fail_msg("%s, %s: row %d changes by %.15g, and its rate is %.15g", file, family, i, s->phi[i], s->state->work.phid[i]);
        double residual = -s->state->work.gamma[i];
        for (int k = row->value; k < row->value + row->n_values; k++)
            residual += s->state->work.A[k] * s->vd[s->system->layout.column[k]];
        if (!(fabs(s->phid[i] - residual) <= 1e-10 * (size + 1e-3)))
            fail_msg("%s, %s: the rate of row %d changes by %.15g, and its acceleration is %.15g", file, family, i, s->phid[i], residual);
    }
}

/* r and z' on doubles at a point that is moved by `step` along a direction; the sizes of what r is summed from. */
static void equations_at(subject *s, const dal_variation_direction *along, double step, double *r, double *zd, double *size)
{
    dal_state *state = s->state;
    const dal_layout *layout = &s->system->layout;
    double *moved = numbers(s->nv);
    dal_work *w = &state->work;
    for (int k = 0; k < s->nv; k++)
        moved[k] = step * along->q[k];
    memcpy(w->q, s->q, sizeof *s->q * (size_t)layout->nq);
    layout->family->add(layout, w->q, moved);
    for (int k = 0; k < s->nv; k++)
        w->v[k] = s->v[k] + step * along->v[k];
    w->t = s->at.t + step * along->t;
    dal_state_moved(state);
    assert_int_equal(dal_state_motion(state, true), 0);
    dal_state_inertia(state);
    dal_mass_times(layout, w->M, s->vd, r);
    dal_rows_transposed(layout, w->A, s->lambda, moved);
    for (int k = 0; k < s->nv; k++) {
        size[k] = fabs(r[k]) + fabs(w->h[k]) + fabs(w->Q[k]) + fabs(moved[k]);
        r[k] += w->h[k] - w->Q[k] - moved[k];
    }
    for (int k = 0; k < s->n_states; k++)
        zd[k] = state->values->expression[s->system->n_expressions + k];
    free(moved);
}

/* Differences of sixth order. */
static void differences(subject *s, const dal_variation_direction *along, double step, double *r, double *zd, double *size)
{
    static const double weight[7] = {-1.0 / 60, 9.0 / 60, -45.0 / 60, 0, 45.0 / 60, -9.0 / 60, 1.0 / 60};
    double *one = numbers(s->nv), *rates = numbers(s->n_states), *terms = numbers(s->nv);
    memset(r, 0, sizeof *r * (size_t)s->nv);
    memset(zd, 0, sizeof *zd * (size_t)s->n_states);
    memset(size, 0, sizeof *size * (size_t)s->nv);
    for (int i = 0; i < 7; i++) {
        if (i == 3)
            continue;
        equations_at(s, along, step * (i - 3), one, rates, terms);
        for (int k = 0; k < s->nv; k++) {
            r[k] += weight[i] * one[k] / step;
            size[k] = fmax(size[k], terms[k]);
        }
        for (int k = 0; k < s->n_states; k++)
            zd[k] += weight[i] * rates[k] / step;
    }
    free(one), free(rates), free(terms);
}

static int smooth_ones;

static void check_equations(subject *s, const char *file, const char *family, uint64_t *seed)
{
    const double *scale = s->system->layout.units.column_scale, reach = s->system->layout.units.length;
    double *dq = numbers(s->nv), *dv = numbers(s->nv), *r = numbers(s->nv), *finer = numbers(s->nv), *size = numbers(s->nv);
    double *zd = numbers(s->n_states), *coarser = numbers(s->n_states);
    for (int k = 0; k < s->nv; k++) {
        dq[k] = check_random(seed) * reach / scale[k];
        dv[k] = check_random(seed) * reach / scale[k];
    }
    const dal_variation_direction along = {.t = 0.37, .q = dq, .v = dv};
    assert_int_equal(vary(s, &along), 0);
    differences(s, &along, 1e-3, r, coarser, size);
    differences(s, &along, 5e-4, finer, zd, size);
    double most = 0, apart = 0;
    for (int k = 0; k < s->nv; k++)
        most = fmax(most, size[k] * reach / scale[k]); /* as work */
    for (int k = 0; k < s->nv; k++)
        apart = fmax(apart, fabs(r[k] - finer[k]) / (size[k] + most * scale[k] / reach));
    for (int k = 0; k < s->n_states; k++)
        apart = fmax(apart, fabs(zd[k] - coarser[k]) / (1 + fabs(zd[k])));
    /* Where the two differ there is a corner, or a spring of almost no length, within the differences: another state would do. */
    for (int k = 0; apart < 1e-9 && k < s->nv; k++)
        if (!(fabs(finer[k] - s->motion[k]) <= 1e-9 * (size[k] + most * scale[k] / reach)))
            fail_msg("%s, %s: equation %d changes by %.15g, and by differences %.15g (size %g)", file, family, k, s->motion[k], finer[k], size[k]);
    for (int k = 0; apart < 1e-9 && k < s->n_states; k++)
        if (!(fabs(zd[k] - s->states[k]) <= 1e-9 * (1 + fabs(s->states[k]))))
            fail_msg("%s, %s: the rate of state %d changes by %.15g, and by differences %.15g", file, family, k, s->states[k], zd[k]);
    smooth_ones += apart < 1e-9;
    free(dq), free(dv), free(r), free(finer), free(size), free(zd), free(coarser);
}

static void over_the_gallery(void (*check)(subject *s, const char *file, const char *family, uint64_t *seed))
{
    gallery g = gallery_open();
    uint64_t seed = 500;
    int checked = 0;
    for (size_t i = 0; i < g.n; i++)
        for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
            subject s;
            if (!open_subject(&s, g.found.gl_pathv[i], families[f], &seed))
                continue;
            check(&s, g.found.gl_pathv[i], families[f], &seed);
            checked++;
            close_subject(&s);
        }
    print_message("  %d models and families\n", checked);
    assert_true(checked > 150);
    gallery_close(&g);
}

static void equations_of_motion_follow_differences(void **unused)
{
    (void)unused;
    over_the_gallery(check_equations);
    print_message("  %d of them smooth\n", smooth_ones);
    assert_true(smooth_ones > 150);
}

static void rows_turn_into_their_rates_along_the_motion(void **unused)
{
    (void)unused;
    over_the_gallery(check_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_turn_into_their_rates_along_the_motion),
        cmocka_unit_test(equations_of_motion_follow_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
