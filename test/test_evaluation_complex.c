/* M' - 2 C is skew-symmetric in every family: C from the evaluation, M' by complex steps of the kernels that compute M.
 *
 * M(q + i h q', t + i h) = M + i h M' - O(h^2): with h = 1e-30 the imaginary part is the exact derivative to rounding.
 */
#include "kinematics/subsystems.h"
#include "gallery.h"

static const double h = 1e-30;

static const dal_family *variant_of(const char *name)
{
    for (int i = 0; gallery_families[i]; i++)
        if (!strcmp(gallery_families[i]->name, name))
            return gallery_families[i];
    return NULL;
}

/* M' of the motion, dense. */
static void rate_of_mass(const dal_layout *layout, const dal_evaluation *e, double *Md)
{
    dal_work w;
    dal_real *memory = calloc(dal_work_size(layout), sizeof *memory);
    int *chart = calloc((size_t)(3 * layout->mechanism->n_bodies), sizeof *chart);
    const size_t n = (size_t)e->nv;
    dal_work_layout(layout, memory, chart, &w);
    for (int k = 0; k < e->nq; k++)
        w.q[k] = e->q[k] + _Complex_I * h * e->qd[k];
    for (int k = 0; k < e->nv; k++)
        w.v[k] = e->v[k];
    w.t = e->time + _Complex_I * h;
    layout->family->position(layout, &w);
    dal_rows_position(layout, &w);
    layout->family->velocity(layout, &w);
    dal_rows_velocity(layout, &w);
    dal_inertia(layout, &w);
    memset(Md, 0, sizeof *Md * n * n);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                Md[(size_t)(at->column + i) * n + (size_t)(at->column + j)] = cimag(w.M[at->value + at->n * i + j]) / h;
    }
    free(memory), free(chart);
}

static void check_model(const char *file, const char *family, double *worst, int *checked)
{
    char why[512], choice[64];
    snprintf(choice, sizeof choice, "%s%s", family, !strcmp(family, "angle") ? ":sequence=zyx" : "");
    dal_system *system = gallery_compile(file, choice, "lagrange", why);
    if (!system)
        return;
    dal_state *state = dal_state_create(NULL, system);
    dal_layout layout = system->layout;
    layout.family = variant_of(family);
    for (uint64_t seed = 1; seed <= 3 && dal_subsystems_have_energy(layout.systems); seed++) { /* without T there is no C */
        dal_instant *instant = NULL;
        dal_evaluation *e = NULL;
        if (dal_instant_random(NULL, state, 1000 + seed, NULL, &instant) != DAL_OK || dal_evaluate(NULL, state, instant, NULL, NULL, &e) != DAL_OK)
            fail_msg("%s, %s: no random state", file, family);
        const size_t n = (size_t)e->nv;
        double *Md = calloc(n * n + 1, sizeof *Md), size = 1e-300, mass = 0, miss = 0;
        const double *S = system->layout.units.column_scale;
        rate_of_mass(&layout, e, Md);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                const double unit = 1 / (S[i] * S[j]);
                size = fmax(size, unit * fmax(fabs(Md[i * n + j]), fabs(2 * e->C[i * n + j])));
                mass = fmax(mass, unit * fabs(e->M[i * n + j]));
                miss = fmax(miss, unit * fabs(Md[i * n + j] + Md[j * n + i] - 2 * (e->C[i * n + j] + e->C[j * n + i])));
            }
        for (size_t k = 0; k < n; k++) /* where C is zero: what M times the rates would be, in metres of the model's length */
            size = fmax(size, mass * fabs(e->v[k]) * S[k] / system->layout.units.length);
        *worst = fmax(*worst, miss / size);
        if (!(miss <= 1e-13 * size))
            fail_msg("%s, %s: M' - 2 C misses skew symmetry by %.3g of its size", file, family, miss / size);
        free(Md);
        ++*checked;
        dal_evaluation_free(e);
        dal_instant_free(instant);
    }
    dal_state_free(state);
    dal_system_free(system);
}

static void the_rate_of_M_less_twice_C_is_skew_in_every_family(void **unused)
{
    (void)unused;
    static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint", "user"};
    gallery g = gallery_open();
    int checked = 0;
    for (size_t i = 0; i < g.n; i++) {
        double worst = 0;
        for (size_t f = 0; f < sizeof families / sizeof *families; f++)
            check_model(g.found.gl_pathv[i], families[f], &worst, &checked);
        print_message("  %-44s %.1e\n", strrchr(g.found.gl_pathv[i], '/') + 1, worst);
    }
    assert_true(checked > 300);
    gallery_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_rate_of_M_less_twice_C_is_skew_in_every_family)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
