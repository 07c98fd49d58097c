/* Routh's equations: the velocities of the ignorable coordinates are eliminated through their constant momenta G.
 *
 * With v = (v_1, v_2), v_2 those of the ignorable coordinates, and T partitioned as in `volterra-reduced` (14)-(16), (22) gives
 *     v_2 = M22^-1 (G - N_2 - M21 v_1)
 * and the Routhian R(t, q, v_1) = T - V - G.v_2, with this v_2 put in, is
 *     R = 1/2 v_1.B v_1 + v_1.b + ...,   B = M11 - M12 M22^-1 M21,   b = N_1 + M12 M22^-1 (G - N_2)
 * Its derivatives, because dT/dv_2 = G (Routh's property: what comes through v_2 is (dT/dv_2 - G).dv_2 = 0):
 *     dR/dv_1 = B v_1 + b = dT/dv_1,    dR/dq_k = d(T - V)/dq_k at fixed v
 * The equations are Lagrange's with R in place of T - V, for the non-ignorable coordinates alone:
 *     d/dt (dR/dv_1) - dR/dq_1 - C_1 = (forces without potential) + A_1^T lambda,    A_1 v_1' = gamma
 * where the columns A_2 of the ignorable ones are zero; forces with a potential are counted with the others, in Q. In terms of v_1':
 *     d/dt (dR/dv_1) = B v_1' + (p_1' + M12 v_2')    with v_1' = 0 and v_2' = -M22^-1 p_2'
 *     p_k' = d/dt dT/dv_k for v' = 0 = sum over bodies of (P, H).d/dt(c'_k, w_k) + (P', H').(c'_k, w_k)
 * with the momenta P = m c', H = I w of a body and the velocities (c'_k, w_k) of a unit of v_k, in inertial components.
 *
 * C is the commutator, C_k = p.[v, e_k]: the velocities of a ball are components W in axes that turn with the body, where
 * [a, b] = a x b, and C = p x W of its three columns. It is zero for all others.
 */
#include "dynamics/equations.h"
#include "kinematics/subsystems.h"
#include "kinematics/tree.h"
#include "math/dense.h"
#include "math/vec.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/speeds.h"
#include "state/momenta.h"
#include "state/report.h"
#include "state/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct routhian {
    int n, s, size; /* of v_1, v_2; of the saddle matrix at most */
    int *first;     /* columns of v_1 */
    int *place;     /* of each column of v: its number in v_1, or -1 */
    int *pivot;
    double *rows;   /* [M21 M22], s x nv */
    double *free;   /* N_2 */
    double *M22;    /* its Cholesky factor */
    double *X;      /* M22^-1 M21: a column of s for each of v_1 */
    double *K, *x;  /* saddle matrix, right side and unknowns */
    double *scale;  /* of the rows of A_1 */
    double *p, *pd; /* dT/dv, and its rate for v' = 0: nv */
    double *slope;  /* D_k T: nv */
    double *rest;   /* s */
} routhian;

/* One list for measuring and for laying out. */
static size_t layout_routh(const dal_system *system, double *memory, routhian *r)
{
    const size_t m = (size_t)dal_system_layout(system)->nv, s = (size_t)dal_system_layout(system)->n_ignorable, n = m - s,
                 rows = (size_t)dal_system_layout(system)->n_rows;
    double **const parts[] = {&r->rows, &r->free, &r->M22, &r->X, &r->K, &r->x, &r->scale, &r->p, &r->pd, &r->slope, &r->rest};
    const size_t sizes[] = {s * m, s, s * s, s * n, (n + rows) * (n + rows), n + rows, rows, m, m, m, s};
    const size_t integers = (n + m + n + rows + 1) / 2;
    size_t used = integers;
    r->n = (int)n, r->s = (int)s, r->size = (int)(n + rows);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = memory ? memory + used : NULL;
        used += sizes[i];
    }
    r->first = memory ? (int *)(void *)memory : NULL;
    r->place = memory ? r->first + n : NULL;
    r->pivot = memory ? r->place + m : NULL;
    return used;
}

static routhian scratch_routh(const dal_state *state)
{
    routhian r;
    layout_routh(state->system, state->scratch->solver, &r);
    for (int k = 0, i = 0, j = 0; k < state->layout->nv; k++) {
        bool ignorable = i < r.s && state->layout->ignorable[i] == k;
        i += ignorable;
        r.place[k] = ignorable ? -1 : j;
        if (!ignorable)
            r.first[j++] = k;
    }
    return r;
}

static size_t work_routh(const dal_system *system)
{
    routhian r;
    return layout_routh(system, NULL, &r);
}

static int speeds_routh(const dal_system *system)
{
    return dal_system_layout(system)->nv - dal_system_layout(system)->n_ignorable;
}

/* ---- v_2 from G -------------------------------------------------------------------- */

static dal_flow factor_momenta(dal_state *state, routhian *r)
{
    const size_t m = (size_t)state->layout->nv;
    int where;
    dal_momentum_rows(state, r->rows, r->free);
    for (int i = 0; i < r->s; i++)
        for (int j = 0; j < r->s; j++)
            r->M22[i * r->s + j] = r->rows[(size_t)i * m + (size_t)state->layout->ignorable[j]];
    if (dal_cholesky(r->M22, r->s, r->s, 1e-15, &where))
        return 0;
    char name[80];
    dal_velocity_name(state->system, state->layout->ignorable[where], name, sizeof name);
    return dal_state_fail(state, "the inertia that belongs to the ignorable coordinates became singular at %s", name);
}

/* M22 v_2 = G - N_2 - M21 v_1; the second pass takes the rounding of the first out of the momenta. */
static dal_flow unpack_routh(dal_state *state, const double *w)
{
    const int m = state->layout->nv;
    routhian r = scratch_routh(state);
    double *v = state->work.v;
    dal_flow flow = factor_momenta(state, &r);
    for (int j = 0; j < r.n; j++)
        v[r.first[j]] = w[j];
    for (int i = 0; i < r.s; i++)
        v[state->layout->ignorable[i]] = 0;
    for (int pass = 0; pass < 2 && !flow; pass++) {
        for (int i = 0; i < r.s; i++) {
            double sum = state->speeds->momenta[i] - r.free[i];
            for (int j = 0; j < m; j++)
                sum -= r.rows[(size_t)i * (size_t)m + (size_t)j] * v[j];
            r.rest[i] = sum;
        }
        dal_cholesky_solve(r.M22, r.s, r.s, r.rest);
        for (int i = 0; i < r.s; i++)
            v[state->layout->ignorable[i]] += r.rest[i];
    }
    return flow;
}

static double unit_routh(const dal_state *state, int k)
{
    for (int i = 0; i < state->layout->n_ignorable && state->layout->ignorable[i] <= k; i++)
        k++; /* both ascend */
    return state->layout->units.length / state->layout->units.column_scale[k];
}

static dal_flow pack_routh(dal_state *state, double *w)
{
    routhian r = scratch_routh(state);
    for (int j = 0; j < r.n; j++)
        w[j] = state->work.v[r.first[j]];
    return 0;
}

/* ---- derivatives of T ------------------------------------------------------------------ */

/* slope := D_k T of the coordinates that are not ignorable. */
static void differentiate_routh(dal_state *state, routhian *r)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    const dal_direction motion = {w->v, 1, state->scratch->tangents},
                        unit = {state->scratch->still, 0, state->scratch->tangents + layout->mechanism->n_bodies};
    memset(state->scratch->still, 0, sizeof *state->scratch->still * (size_t)layout->nv);
    memset(r->slope, 0, sizeof *r->slope * (size_t)layout->nv);
    layout->family->tangent(layout, w, &motion);
    for (int j = 0; j < r->n; j++) {
        const int k = r->first[j];
        state->scratch->still[k] = 1;
        layout->family->tangent(layout, w, &unit);
        layout->family->bend(layout, w, &unit, &motion, state->scratch->bends);
        r->slope[k] = dal_momenta_along(state, state->scratch->bends, unit.tangent);
        state->scratch->still[k] = 0;
    }
    dal_subsystems_slope(layout, w, r->slope);
}

/* C = p x W of each ball, added to the slopes. */
static void commute_routh(dal_state *state, routhian *r)
{
    const dal_tree *tree = state->layout->tree;
    for (int i = 0; tree && i < tree->n_steps; i++)
        if (tree->step[i].kind == DAL_STEP_BALL) {
            int k = tree->step[i].v;
            double C[3];
            dal_cross(r->p + k, state->work.v + k, C);
            for (int j = 0; j < 3; j++)
                r->slope[k + j] += C[j];
        }
}

/* ---- the equations ------------------------------------------------------------------------ */

/* X = M22^-1 M21, and K := B, lower triangle, over the model's mass. */
static void fill_mass(dal_state *state, routhian *r)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv;
    const double unit = 1 / layout->units.mass;
    for (int j = 0; j < r->n; j++) {
        double *X = r->X + (size_t)j * (size_t)r->s;
        for (int i = 0; i < r->s; i++)
            X[i] = r->rows[(size_t)i * m + (size_t)r->first[j]];
        dal_cholesky_solve(r->M22, r->s, r->s, X);
    }
    memset(r->K, 0, sizeof *r->K * (size_t)r->size * (size_t)r->size);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j <= i; j++) {
                int row = r->place[at->column + i], column = r->place[at->column + j];
                if (row >= 0 && column >= 0)
                    r->K[(size_t)row * (size_t)r->size + (size_t)column] = unit * state->work.M[at->value + at->n * i + j];
            }
    }
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int l = 0; l < r->s; l++)
                sum += r->rows[(size_t)l * m + (size_t)r->first[i]] * r->X[(size_t)j * (size_t)r->s + (size_t)l];
            r->K[(size_t)i * (size_t)r->size + (size_t)j] -= unit * sum;
        }
}

/* B in units of the model, as the saddle matrix of lagrange: U B U. */
static void scale_mass(const dal_state *state, routhian *r)
{
    const double *U = state->layout->units.column_unit;
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j <= i; j++)
            r->K[(size_t)i * (size_t)r->size + (size_t)j] *= U[r->first[i]] * U[r->first[j]];
}

/* Below it the independent rows of A_1 U, at unit norm. */
static void fill_rows_routh(dal_state *state, routhian *r)
{
    const dal_layout *layout = state->layout;
    const double *U = layout->units.column_unit;
    for (int i = 0; i < state->rank->n; i++) {
        const dal_row_layout *at = &layout->row[state->rank->order[i]];
        double *row = r->K + (size_t)(r->n + i) * (size_t)r->size, sum = 0;
        memset(row, 0, sizeof *row * (size_t)r->size);
        for (int k = at->value; k < at->value + at->n_values; k++)
            if (r->place[layout->column[k]] >= 0)
                row[r->place[layout->column[k]]] += state->work.A[k] * U[layout->column[k]];
        for (int j = 0; j < r->n; j++)
            sum += row[j] * row[j];
        r->scale[i] = sum > 0 ? 1 / sqrt(sum) : 1;
        for (int j = 0; j < r->n; j++)
            row[j] *= r->scale[i];
    }
}

static double factor_routh(dal_state *state, routhian *r)
{
    fill_mass(state, r);
    scale_mass(state, r);
    fill_rows_routh(state, r);
    return r->n ? dal_ldlt(r->K, r->n + state->rank->n, r->size, r->pivot) : 1;
}

/* Q - (p_1' + M12 v_2') + slope, gamma; rest := v_2' for v_1' = 0. */
static void fill_right(dal_state *state, routhian *r)
{
    const double unit = 1 / state->layout->units.mass;
    for (int i = 0; i < r->s; i++)
        r->rest[i] = -r->pd[state->layout->ignorable[i]];
    dal_cholesky_solve(r->M22, r->s, r->s, r->rest);
    for (int j = 0; j < r->n; j++) {
        int k = r->first[j];
        double sum = state->work.Q[k] - r->pd[k] + r->slope[k];
        for (int i = 0; i < r->s; i++)
            sum -= r->rows[(size_t)i * (size_t)state->layout->nv + (size_t)k] * r->rest[i];
        r->x[j] = unit * state->layout->units.column_unit[k] * sum;
    }
    for (int i = 0; i < state->rank->n; i++)
        r->x[r->n + i] = r->scale[i] * state->gamma[state->rank->order[i]];
}

/* v_1' and lambda from the saddle system, v_2' = rest - X v_1'. */
static void copy_solution(dal_state *state, routhian *r, double *vd, double *lambda)
{
    dal_ldlt_solve(r->K, r->n + state->rank->n, r->size, r->pivot, r->x);
    for (int j = 0; j < r->n; j++)
        r->x[j] *= state->layout->units.column_unit[r->first[j]];
    for (int i = 0; i < r->s; i++) {
        double sum = r->rest[i];
        for (int j = 0; j < r->n; j++)
            sum -= r->X[(size_t)j * (size_t)r->s + (size_t)i] * r->x[j];
        vd[state->layout->ignorable[i]] = sum;
    }
    for (int j = 0; j < r->n; j++)
        vd[r->first[j]] = r->x[j];
    memset(lambda, 0, sizeof *lambda * (size_t)state->layout->n_rows);
    for (int i = 0; i < state->rank->n; i++)
        lambda[state->rank->order[i]] = -state->layout->units.mass * r->scale[i] * r->x[r->n + i];
}

/* The same for the right side (f_1 - X^T f_2, b), rest = M22^-1 f_2: M12 M22^-1 = X^T. */
static void correct_routh(dal_state *state, const double *f, const double *b, double *dv, double *dlambda)
{
    routhian r = scratch_routh(state);
    for (int i = 0; i < r.s; i++)
        r.rest[i] = f[state->layout->ignorable[i]];
    for (int j = 0; j < r.n; j++) {
        double sum = f[r.first[j]];
        for (int i = 0; i < r.s; i++)
            sum -= r.X[(size_t)j * (size_t)r.s + (size_t)i] * r.rest[i];
        r.x[j] = state->layout->units.column_unit[r.first[j]] * sum / state->layout->units.mass;
    }
    dal_cholesky_solve(r.M22, r.s, r.s, r.rest);
    for (int i = 0; i < state->rank->n; i++)
        r.x[r.n + i] = r.scale[i] * b[state->rank->order[i]];
    copy_solution(state, &r, dv, dlambda);
    for (int j = 0; j < r.n; j++)
        state->speeds->wd[j] += dv[r.first[j]];
}

static dal_flow solve_routh(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    routhian r = scratch_routh(state);
    double ratio = factor_routh(state, &r);
    if (dal_state_alarm(state, DAL_FACTOR_SADDLE, ratio)) {
        ratio = factor_routh(state, &r);
        if (!(ratio > 0))
            return dal_state_fail(state, "Routh's equations are singular: the inertia and the constraints do not determine the "
                                         "accelerations");
    }
    if (ratio < state->report->condition_worst)
        state->report->condition_worst = ratio;
    dal_momenta_rates(state, r.p, r.pd);
    differentiate_routh(state, &r);
    commute_routh(state, &r);
    fill_right(state, &r);
    copy_solution(state, &r, state->vd, state->lambda);
    for (int j = 0; j < r.n; j++)
        state->speeds->wd[j] = state->vd[r.first[j]];
    return 0;
}

/* ---- what is shown ---------------------------------------------------------------------------- */

/* [B A_1^T; A_1 0] [v_1'; -lambda] = [f; gamma], without the scaling of its factorisation; solve has left all but K and x. */
static void show_routh(dal_state *state, dal_equations *equations)
{
    routhian r = scratch_routh(state);
    const dal_names v = dal_names_velocities(equations, state), rows = dal_names_rows(equations, state);
    const dal_names first = dal_names_part(equations, v, r.n, r.first), second = dal_names_part(equations, v, r.s, state->layout->ignorable);
    const size_t n = (size_t)r.n, s = (size_t)r.s;
    fill_mass(state, &r);
    fill_rows_routh(state, &r);
    fill_right(state, &r);
    dal_show_equation(equations, "[B A_1^T; A_1 0] [v_1'; -lambda] = [f; gamma],  v_2' = c - X v_1'", "Routh's equations, R = T - V - G.v_2");
    double *B = dal_show_matrix(equations, "B", "second derivatives of the Routhian by v_1: M11 - M12 M22^-1 M21", first, first);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            B[i * n + j] = state->layout->units.mass * r.K[(i > j ? i : j) * (size_t)r.size + (i > j ? j : i)];
    dal_show_place(equations, 0, 0, false, 1);
    double *f = dal_show_vector(equations, "f", "Q_1 with dR/dq_1 less d/dt (dR/dv_1) for v_1' = 0", first);
    for (size_t j = 0; j < n; j++)
        f[j] = state->layout->units.mass * r.x[j] / state->layout->units.column_unit[r.first[j]];
    dal_show_right(equations, 0);
    double *A = dal_show_matrix(equations, "A_1", "independent rows of the constraints; their columns of v_2 are zero", rows, first);
    for (size_t i = 0; i < (size_t)state->rank->n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = r.K[(n + i) * (size_t)r.size + j] / (r.scale[i] * state->layout->units.column_unit[r.first[j]]);
    dal_show_place(equations, r.n, 0, false, 1);
    dal_show_place(equations, 0, r.n, true, 1);
    dal_show_gamma(equations, state);
    dal_show_right(equations, r.n);
    double *X = dal_show_matrix(equations, "X", "M22^-1 M21: v_2' = c - X v_1', v_2 those of the ignorable coordinates", second, first);
    for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j < n; j++)
            X[i * n + j] = r.X[j * s + i];
    memcpy(dal_show_vector(equations, "c", "v_2' for v_1' = 0", second), r.rest, sizeof *r.rest * s);
    dal_show_unknowns(equations, dal_names_part(equations, dal_names_accelerations(equations, state), r.n, r.first), state->speeds->wd);
    dal_show_multipliers(equations, state, "-");
}

const dal_formulation dal_routh = {
    .name = "routh",
    .title = "Routh's equations: the velocities of the ignorable coordinates follow from their constant momenta",
    DAL_FORMULATION(dal_ignorable_applies, work_routh, solve_routh, correct_routh, show_routh),
    DAL_FORMULATION_SPEEDS(speeds_routh, unpack_routh, pack_routh, unit_routh),
    .multiplies = true,
    .ignores = true,
};
