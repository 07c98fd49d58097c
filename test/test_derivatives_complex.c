/* dal_forward_derivatives and dal_inverse_derivatives, entry by entry, against complex steps through a dense solution of the whole system. */
#include "gallery.h"
#include "dynamics/row_rank.h"
#include "dynamics/slopes.h"
#include "force/force.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <complex.h>

static const double h = 1e-30;

/* The equations on complex numbers. */
typedef struct complexity {
    const dal_system *system;
    dal_state *state;
    dal_layout layout;
    dal_work w;
    dal_loads loads;
    dal_real *memory, *variables, *registers, *expression, *effort, *qd, *K, *x;
    int *chart, n; /* equations */
    const double *v;
} complexity;

static const dal_family *variant_of(const dal_family *family)
{
    const dal_family *const all[] = {&dal_family_angle,           &dal_family_euler, &dal_family_natural,
                                     &dal_family_natural_reduced, &dal_family_joint, &dal_family_user};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i]->name, family->name) && all[i]->shares == family->shares)
            return all[i];
    return NULL;
}

static void open_complexity(complexity *c, dal_state *state)
{
    const dal_system *system = dal_system_of(state);
    *c = (complexity){.system = system, .state = state, .layout = system->layout};
    c->layout.family = variant_of(system->layout.family);
    assert_non_null(c->layout.family);
    const int most = system->actions.program ? dal_program_registers(system->actions.program) : 0;
    const int drives = system->drives.program ? dal_program_registers(system->drives.program) : 0;
    c->n = c->layout.nv + dal_rank_of(state)->n;
    const size_t work = dal_work_size(&c->layout), n = (size_t)c->n;
    c->memory = calloc(work + (size_t)(system->n_signals + most + drives + system->actions.n_outputs + system->acting.n_forces + c->layout.nq) +
                           n * n + 2 * n + 9,
                       sizeof *c->memory);
    c->chart = calloc((size_t)(3 * system->mechanism.n_bodies) + 1, sizeof *c->chart);
    dal_work_layout(&c->layout, c->memory, c->chart, &c->w);
    c->variables = c->memory + work;
    c->registers = c->variables + system->n_signals;
    c->expression = c->registers + most + drives;
    c->effort = c->expression + system->actions.n_outputs;
    c->qd = c->effort + system->acting.n_forces;
    c->K = c->qd + c->layout.nq;
    c->x = c->K + n * n;
    c->loads = (dal_loads){.layout = &c->layout, .work = &c->w, .expression = c->expression, .effort = c->effort};
}

static void run_complex(complexity *c, const dal_compiled *compiled, dal_real *out, const dal_real *z, const dal_real *inputs)
{
    for (int i = 0; compiled->program && i < compiled->n_needs; i++)
        c->variables[compiled->needs[i]] = dal_signal_value(&c->w, z, inputs, &c->system->signals[compiled->needs[i]]);
    if (compiled->program)
        assert_int_equal(dal_program_run(compiled->program, c->variables, NULL, c->registers, out), 0);
}

/* Frames, rows, M, h and Q with q moved along velocity j (of 2 nv: or v_j itself). */
static void move(complexity *c, int j)
{
    const dal_layout *layout = &c->layout;
    dal_real z[64], inputs[64];
    assert_true(c->system->n_states < 64 && c->system->n_inputs < 64);
    for (int k = 0; k < c->system->n_states; k++)
        z[k] = dal_values_of(c->state)->z[k];
    for (int k = 0; k < c->system->n_inputs; k++)
        inputs[k] = dal_values_of(c->state)->inputs[k];
    c->w.t = dal_state_time(c->state);
    memcpy(c->chart, dal_chart_of(c->state), sizeof *c->chart * 3 * (size_t)layout->mechanism->n_bodies);
    for (int k = 0; k < layout->mechanism->n_windings; k++)
        c->w.winding[k] = dal_winding_of(c->state)[k];
    for (int k = 0; k < layout->nq; k++)
        c->w.q[k] = dal_state_y(c->state)[k];
    run_complex(c, &c->system->drives, c->w.time, z, inputs);
    for (int sign = -1; j < layout->nv && sign <= 1; sign += 2) { /* q' = N e_j, less what q' is for v = 0 */
        layout->family->position(layout, &c->w);
        for (int k = 0; k < layout->nv; k++)
            c->w.v[k] = sign > 0 && k == j;
        layout->family->rates(layout, &c->w, c->qd);
        for (int k = 0; k < layout->nq; k++)
            c->w.q[k] += (double)sign * h * _Complex_I * c->qd[k];
    }
    for (int k = 0; k < layout->nv; k++)
        c->w.v[k] = c->v[k] + (k + layout->nv == j ? _Complex_I * h : 0);
    dal_layout_motion(layout, &c->w);
    run_complex(c, &c->system->actions, c->expression, z, inputs);
    dal_loads_apply(&c->loads, c->system->acting.n_groups, c->system->acting.groups);
    for (int i = 0; i < c->system->acting.n_laws; i++)
        dal_push_measure(&c->loads, c->system->acting.laws[i].measure, c->expression[c->system->acting.laws[i].expression], true);
    dal_inertia_and_forces(layout, &c->w);
}

/* Is it one of the rows that the formulation takes for independent? */
static bool counts(const complexity *c, int i)
{
    const dal_speeds *basis = dal_speeds_of(c->state)->basis;
    bool found = !basis && dal_rank_of(c->state)->independent[i];
    for (int k = 0; basis && k < basis->k; k++)
        found = found || basis->row[k] == i;
    return found;
}

/* [M -A^T; A 0] [v'; lambda] = [Q - h; gamma], on the independent rows; columns over their scale. */
static void solve(complexity *c)
{
    const dal_layout *layout = &c->layout;
    const size_t n = (size_t)c->n, nv = (size_t)layout->nv;
    const double *S = c->system->layout.units.column_scale, mass = c->system->layout.units.mass;
    dal_real *K = c->K, *x = c->x;
    memset(K, 0, sizeof *K * n * n);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                K[(size_t)(at->column + i) * n + (size_t)(at->column + j)] =
                    c->w.M[at->value + at->n * i + j] / (mass * S[at->column + i] * S[at->column + j]);
    }
    for (size_t k = 0; k < nv; k++)
        x[k] = (c->w.Q[k] - c->w.h[k]) / (mass * S[k]);
    for (int i = 0, r = 0; i < layout->n_rows; i++) {
        const dal_row_layout *row = &layout->row[i];
        double most = 1e-300;
        if (!counts(c, i))
            continue;
        for (int k = row->value; k < row->value + row->n_values; k++)
            most = fmax(most, cabs(c->w.A[k]) / S[layout->column[k]]);
        for (int k = row->value; k < row->value + row->n_values; k++) {
            const size_t column = (size_t)layout->column[k];
            K[(nv + (size_t)r) * n + column] += c->w.A[k] / (S[column] * most);
            K[column * n + nv + (size_t)r] -= c->w.A[k] / (S[column] * most);
        }
        x[nv + (size_t)r++] = c->w.gamma[i] / most;
    }
    for (size_t k = 0; k < n; k++) { /* elimination with row pivots */
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            p = cabs(K[i * n + k]) > cabs(K[p * n + k]) ? i : p;
        for (size_t j = 0; j < n && p != k; j++) {
            const dal_real kept = K[k * n + j];
            K[k * n + j] = K[p * n + j], K[p * n + j] = kept;
        }
        const dal_real kept = x[k];
        x[k] = x[p], x[p] = kept;
        for (size_t i = k + 1; i < n; i++) {
            const dal_real factor = K[i * n + k] / K[k * n + k];
            for (size_t j = k; factor != 0 && j < n; j++)
                K[i * n + j] -= factor * K[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= K[k * n + j] * x[j];
        x[k] /= K[k * n + k];
    }
    for (size_t k = 0; k < nv; k++)
        x[k] /= S[k];
}

/* r = M v' + h - Q - A^T lambda at the v' and lambda of the state. */
static dal_real balance(const complexity *c, const double *vd, const double *lambda, int k)
{
    const dal_layout *layout = &c->layout;
    dal_real sum = c->w.h[k] - c->w.Q[k];
    for (int b = 0; b < layout->n_blocks; b++)
        for (int j = 0; k >= layout->block[b].column && k < layout->block[b].column + layout->block[b].n && j < layout->block[b].n; j++)
            sum += c->w.M[layout->block[b].value + layout->block[b].n * (k - layout->block[b].column) + j] * vd[layout->block[b].column + j];
    for (int i = 0; i < layout->n_rows; i++)
        for (int e = layout->row[i].value; e < layout->row[i].value + layout->row[i].n_values; e++)
            if (layout->column[e] == k)
                sum -= c->w.A[e] * lambda[i];
    return sum;
}

static bool whole_product; /* else every thirteenth of models, families and formulations */
static double worst_forward, worst_inverse;
static char worst_at[200];

/* `least`: what a derivative is measured by where its own entries are small beside what they are solved from, or rounding. */
static void compare(const char *what, const char *name, int nv, const double *S, double least, bool inverse, const double *exact, const double *given)
{
    double most = least, apart = 0, *worst = inverse ? &worst_inverse : &worst_forward;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) { /* as if all were metres */
            const double unit = inverse ? 1 / (S[i] * S[j]) : S[i] / S[j];
            most = fmax(most, unit * fabs(exact[i * nv + j]));
            apart = fmax(apart, unit * fabs(exact[i * nv + j] - given[i * nv + j]));
        }
    if (!(apart <= 1e-11 * most))
        fail_msg("%s, %s: an entry misses by %.3g of the largest", name, what, apart / most);
    if (most > 0 && apart / most > *worst) {
        *worst = apart / most;
        if (!inverse)
            snprintf(worst_at, sizeof worst_at, "%s, %s", name, what);
    }
}

/* Of the changes of the forces, as if all were metres. */
static double largest(int nv, const double *S, const double *tau)
{
    double most = 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            most = fmax(most, fabs(tau[i * nv + j]) / (S[i] * S[j]));
    return most;
}

static double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void check(dal_state *state, const char *name)
{
    const int nv = dal_layout_of(state)->nv;
    const size_t n = (size_t)nv, rows = (size_t)dal_layout_of(state)->n_rows;
    double *dq = numbers(n * n), *dv = numbers(n * n), *tq = numbers(n * n), *tv = numbers(n * n), *v = numbers(n), *vd = numbers(n),
           *lambda = numbers(rows);
    double *exact = numbers(2 * n * n), *balanced = numbers(2 * n * n);
    assert_int_equal(dal_forward_derivatives(state, &(dal_derivatives){.dq = dq, .dv = dv, .v = v, .vd = vd, .lambda = lambda}, NULL), DAL_OK);
    assert_int_equal(dal_inverse_derivatives(state, NULL, NULL, &(dal_inverse_result){.dq = tq, .dv = tv}, NULL), DAL_OK);
    complexity c;
    open_complexity(&c, state);
    c.v = v;
    for (int j = 0; j < 2 * nv; j++) {
        move(&c, j);
        for (int k = 0; k < nv; k++)
            balanced[(j < nv ? 0 : n * n) + (size_t)(k * nv + j % nv)] = cimag(balance(&c, vd, lambda, k)) / h;
        solve(&c);
        for (int k = 0; k < nv; k++)
            exact[(j < nv ? 0 : n * n) + (size_t)(k * nv + j % nv)] = cimag(c.x[k]) / h;
    }
    const dal_units *units = &dal_layout_of(state)->units;
    const double rate = 1 / units->time, *S = units->column_scale;
    compare("tau by q", name, nv, S, 1e-2 * units->mass * rate * rate, true, balanced, tq);
    compare("tau by v", name, nv, S, 1e-2 * units->mass * rate, true, balanced + n * n, tv);
    compare("v' by q", name, nv, S, fmax(1e-2 * rate * rate, largest(nv, S, balanced) / units->mass), false, exact, dq);
    compare("v' by v", name, nv, S, fmax(1e-2 * rate, largest(nv, S, balanced + n * n) / units->mass), false, exact + n * n, dv);
    free(dq), free(dv), free(tq), free(tv), free(v), free(vd), free(lambda), free(exact), free(balanced), free(c.memory), free(c.chart);
}

static void every_entry_is_that_of_a_complex_step(void **unused)
{
    (void)unused;
    gallery g = gallery_open();
    uint64_t seed = 40;
    int turn = 0, checked = 0;
    for (size_t i = 0; i < g.n; i++)
        for (int f = 0; f < 6; f++)
            for (int j = 0; dal_formulations[j]; j++) {
                static const char *const families[] = {"angle", "euler", "natural", "natural:eliminate=linear", "joint", "user"};
                char why[512], name[300];
                dal_refusal no = {0};
                if (++turn % 13 && !whole_product)
                    continue;
                dal_system *system = gallery_compile(g.found.gl_pathv[i], families[f], dal_formulations[j]->name, why);
                if (!system || dal_slopes_refuse(system, &no) || system->layout.columnless || system->layout.nv > 60) {
                    dal_system_free(system);
                    continue;
                }
                snprintf(name, sizeof name, "%s, %s, %s", strrchr(g.found.gl_pathv[i], '/') + 1, families[f], dal_formulations[j]->name);
                dal_state *state = dal_state_create(NULL, system);
                dal_instant *instant = NULL;
                dal_evaluation *e = NULL;
                if (dal_instant_random(NULL, state, ++seed, NULL, &instant) != DAL_OK || dal_evaluate(NULL, state, instant, NULL, NULL, &e) != DAL_OK)
                    fail_msg("%s: no random state", name);
                dal_evaluation_free(e);
                dal_instant_free(instant);
                check(state, name);
                checked++;
                dal_state_free(state);
                dal_system_free(system);
            }
    print_message("  %d of models, families and formulations: forward %.1e (%s), inverse %.1e\n", checked, worst_forward, worst_at, worst_inverse);
    assert_true(checked > (whole_product ? 1500 : 100));
    gallery_close(&g);
}

int main(int argc, char **argv)
{
    whole_product = argc > 1 && !strcmp(argv[1], "long");
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_entry_is_that_of_a_complex_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
