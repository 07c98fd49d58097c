/* Udwadia and Kalaba's equation, `udwadia-phohomsiri` (4.24). C, the forces of non-ideal joints, is among Q; the last term of (4.24) is then part of
 * the others, because A M^-1 = B M^-1/2:
 *     v' = a + M^-1/2 B^+ (gamma - A a),   a = M^-1 (Q - h),   B = A M^-1/2.
 * Any factor of M = L L^T serves for the square root: with B = A L^-T,
 *     v' = a + L^-T B^+ (gamma - A a),     B^+ = Q R^-T   from B^T = Q R on the independent rows,
 *     lambda = R^-1 R^-T (gamma - A a).
 * Small systems with a regular M: L is that of LDL^T on the pattern of compile (saddle_order.c), and B^+ = B^T (B B^T)^-1 with B B^T = A M^-1 A^T
 * factored behind it, as long as no pivot loses digits and no singular position is near; else by QR.
 * M is block diagonal, so L is factored block by block (a body, or a tree of joints). For the constant M of the
 * natural family this is (77) of `natural-absolute-coordinates`.
 *
 * M has to be regular. Where the attitude parameters of a body make it singular
 * (Euler parameters always, direction cosines of rods and symmetric tops), it is
 * completed by its intrinsic rows, which changes no acceleration:
 *     M + mu A_i^T A_i,   Q - h + mu A_i^T gamma_i,   mu from the inertia of the body.
 * A block that is still singular (a body without mass) is refused with its name.
 */
#include "dynamics/equations.h"
#include "kinematics/newton_euler.h"
#include "math/dense.h"
#include "model/coordinate_names.h"
#include "model/system_parts.h"
#include "state/state.h"
#include "kinematics/reduction.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "state/report.h"
#include "state/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Families whose M is regular wherever the motion is determined: it is not completed. */
static bool factored_as_it_is(const dal_layout *layout)
{
    return layout->family->shares && !layout->reduction;
}

static bool applies_udwadia_kalaba(const dal_system *system, dal_refusal *why)
{
    if (factored_as_it_is(dal_system_layout(system)))
        return true; /* bodies without mass may move with others: the factorisation decides */
    for (int b = 0; b < dal_system_mechanism(system)->n_bodies; b++) {
        const dal_body *body = &dal_system_mechanism(system)->bodies[b];
        const char *lack = dal_body_lacks(dal_system_mechanism(system), body);
        if (!lack)
            continue;
        dal_decline(why, DAL_REASON_OTHER,
                    "udwadia-kalaba needs a regular mass matrix, and '%s' has %s; use lagrange, which only needs the constraints to make "
                    "up for it",
                    body->name, lack);
        return false;
    }
    return true;
}

static size_t work_udwadia_kalaba(const dal_system *system)
{
    const size_t m = (size_t)dal_system_layout(system)->nv, r = (size_t)dal_system_layout(system)->n_rows;
    return (size_t)dal_system_layout(system)->n_mass + m * r + 2 * r + m;
}

/* The bodies whose intrinsic rows complete a block: its own, or those that share it. *body < 0 at first; false: no more of them. */
static bool next_body(const dal_layout *layout, int block, int *body)
{
    if (factored_as_it_is(layout) || (!layout->reduction && *body >= 0))
        return false;
    if (!layout->reduction)
        *body = block;
    else
        do
            ++*body;
        while (*body < layout->mechanism->n_bodies && layout->reduction->body_block[*body] != block);
    return *body < layout->mechanism->n_bodies;
}

/* M + mu A_i^T A_i of a block, if its family asks for it. */
void dal_complete_inertia(const dal_state *state, int b, double *L)
{
    const dal_layout *layout = state->layout;
    const int n = layout->block[b].n, first = layout->block[b].column;
    memcpy(L, state->work.M + layout->block[b].value, sizeof *L * (size_t)n * (size_t)n);
    for (int body = -1; next_body(layout, b, &body);) {
        const dal_body_layout *at = &layout->body[body];
        const double mu = dal_size_of_inertia(&state->mechanism->bodies[body]);
        for (int i = at->intrinsic; i < at->intrinsic + at->n_intrinsic; i++) {
            const double *row = state->work.A + layout->row[i].value;
            const int *column = layout->column + layout->row[i].value;
            for (int j = 0; j < layout->row[i].n_values; j++)
                for (int k = 0; k <= j; k++)
                    L[n * (column[j] - first) + column[k] - first] += mu * row[j] * row[k];
        }
    }
}

/* f + mu A_i^T gamma_i of the same block. */
void dal_complete_force(const dal_state *state, int b, const double *gamma, double *force)
{
    const dal_layout *layout = state->layout;
    for (int body = -1; next_body(layout, b, &body);) {
        const dal_body_layout *at = &layout->body[body];
        const double mu = dal_size_of_inertia(&state->mechanism->bodies[body]);
        for (int i = at->intrinsic; i < at->intrinsic + at->n_intrinsic; i++)
            for (int k = layout->row[i].value; k < layout->row[i].value + layout->row[i].n_values; k++)
                force[layout->column[k] - layout->block[b].column] += mu * state->work.A[k] * gamma[i];
    }
}

/* Row i of A, with its zeros. */
static void spread_row(const dal_state *state, int i, double *dense)
{
    const dal_layout *layout = state->layout;
    const dal_row_layout *at = &layout->row[i];
    memset(dense, 0, sizeof *dense * (size_t)layout->nv);
    for (int k = at->value; k < at->value + at->n_values; k++)
        dense[layout->column[k]] = state->work.A[k];
}

static bool touches(const dal_layout *layout, int i, int block)
{
    const dal_row_layout *at = &layout->row[i];
    bool found = layout->family->shares;
    for (int k = 0; k < at->n_sides && !found; k++)
        found = layout->side[at->side + k].body == block;
    return found;
}

enum { TOGETHER = 8 }; /* rows whose divisions do not wait for each other */

/* rows := rows L^-T, block by block: solve L y = row for each block that a row touches. */
static void divide_rows(const dal_state *state, int n, const int *rows, const double *L, double *B)
{
    const dal_layout *layout = state->layout;
    const size_t nv = (size_t)layout->nv;
    assert(n <= TOGETHER);
    for (int i = 0; i < n; i++)
        spread_row(state, rows[i], B + (size_t)i * nv);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *block = &layout->block[b];
        double *sides[TOGETHER];
        int k = 0;
        for (int i = 0; i < n; i++)
            if (touches(layout, rows[i], b))
                sides[k++] = B + (size_t)i * nv + block->column;
        dal_lower_solve_several(L + block->value, block->n, block->n, k, sides);
    }
}

typedef struct parts {
    double *L;       /* the blocks of the completed M: L L^T */
    double *B, *tau; /* B^T by columns and its QR */
    double *epsilon; /* n_rows */
    double *x;       /* nv */
} parts;

static parts layout_udwadia_kalaba(const dal_state *state)
{
    const dal_layout *layout = state->layout;
    parts w = {.L = state->scratch->solver};
    w.B = w.L + layout->n_mass;
    w.tau = w.B + (size_t)layout->nv * (size_t)layout->n_rows;
    w.epsilon = w.tau + layout->n_rows;
    w.x = w.epsilon + layout->n_rows;
    return w;
}

static dal_flow factor_mass(dal_state *state, const parts *w)
{
    const dal_layout *layout = state->layout;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        int where;
        dal_complete_inertia(state, b, w->L + at->value);
        if (!dal_cholesky(w->L + at->value, at->n, at->n, factored_as_it_is(layout) ? 1e-15 : 0, &where)) { /* by structure: was refused */
            char name[80];
            dal_velocity_name(state->system, at->column + where, name, sizeof name);
            return dal_state_fail(state, "udwadia-kalaba needs a regular mass matrix, and here it is singular at %s; use lagrange", name);
        }
    }
    return 0;
}

/* B^T = Q R on the independent rows. The pivot ratio. */
static double factor_rows_udwadia_kalaba(dal_state *state, const parts *w)
{
    const int m = state->layout->nv;
    for (int i = 0; i < state->rank->n; i += TOGETHER)
        divide_rows(state, state->rank->n - i < TOGETHER ? state->rank->n - i : TOGETHER, state->rank->order + i, w->L, w->B + (size_t)i * (size_t)m);
    return dal_qr(w->B, m, state->rank->n, m, w->tau);
}

/* a = M^-1 f, v' = a + L^-T Q R^-T epsilon, lambda = R^-1 R^-T epsilon, epsilon = gamma - A a; f is in vd. */
static void solve_for(dal_state *state, const parts *w, const double *gamma, double *vd, double *lambda)
{
    const dal_layout *layout = state->layout;
    const int m = layout->nv, k = state->rank->n;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        dal_complete_force(state, b, gamma, vd + at->column);
        dal_cholesky_solve(w->L + at->value, at->n, at->n, vd + at->column);
    }
    dal_rows_times(layout, state->work.A, vd, lambda);
    for (int i = 0; i < k; i++)
        w->epsilon[i] = gamma[state->rank->order[i]] - lambda[state->rank->order[i]];
    dal_qr_rt_solve(w->B, k, m, w->epsilon);
    memcpy(w->x, w->epsilon, sizeof *w->x * (size_t)k);
    memset(w->x + k, 0, sizeof *w->x * (size_t)(m - k));
    dal_qr_q_times(w->B, m, k, m, w->tau, w->x);
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        dal_lower_transposed_solve(w->L + at->value, at->n, at->n, w->x + at->column);
    }
    for (int i = 0; i < m; i++)
        vd[i] += w->x[i];
    dal_qr_r_solve(w->B, k, m, w->epsilon);
    memset(lambda, 0, sizeof *lambda * (size_t)layout->n_rows);
    for (int i = 0; i < k; i++)
        lambda[state->rank->order[i]] = w->epsilon[i];
}

/* The same with the factors in the order of compile: M^-1 from its own block, M^-1 A^T (A M^-1 A^T)^-1 epsilon and -lambda from all of it. f is in vd. */
static void solve_in_order_for(dal_state *state, const double *gamma, double *vd, double *lambda)
{
    const dal_layout *layout = state->layout;
    const double mass = layout->units.mass;
    double *x = layout_udwadia_kalaba(state).x;
    for (int i = 0; i < layout->nv; i++)
        vd[i] /= mass;
    dal_saddle_solve_mass(state, vd);
    dal_rows_times(layout, state->work.A, vd, lambda);
    for (int i = 0; i < layout->n_rows; i++)
        lambda[i] = gamma[i] - lambda[i];
    memset(x, 0, sizeof *x * (size_t)layout->nv);
    dal_saddle_solve(state, x, lambda);
    for (int i = 0; i < layout->nv; i++)
        vd[i] += x[i];
    for (int i = 0; i < layout->n_rows; i++)
        lambda[i] *= -mass;
}

/* False: QR is needed. */
static bool factor_udwadia_in_order(dal_state *state)
{
    double ratio;
    if (!dal_saddle_factor_ordered(state, &ratio))
        return false;
    state->saddle->in_order = !dal_state_alarm(state, DAL_FACTOR_SADDLE, ratio) && !state->singular->near;
    if (state->saddle->in_order && ratio < state->report->condition_worst)
        state->report->condition_worst = ratio;
    return state->saddle->in_order;
}

static dal_flow solve_udwadia_kalaba(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    parts w = layout_udwadia_kalaba(state);
    const bool ordered = factor_udwadia_in_order(state);
    for (int i = 0; i < state->layout->nv; i++)
        state->vd[i] = state->work.Q[i] - state->work.h[i];
    if (ordered) {
        solve_in_order_for(state, state->gamma, state->vd, state->lambda);
        return 0;
    }
    dal_flow flow = factor_mass(state, &w);
    if (flow)
        return flow;
    double ratio = factor_rows_udwadia_kalaba(state, &w);
    if (dal_state_alarm(state, DAL_FACTOR_QR, ratio)) {
        ratio = factor_rows_udwadia_kalaba(state, &w);
        if (!(ratio > 0))
            return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
    }
    if (ratio < state->report->condition_worst)
        state->report->condition_worst = ratio;
    solve_for(state, &w, state->gamma, state->vd, state->lambda);
    return 0;
}

static void correct_udwadia_kalaba(dal_state *state, const double *f, const double *b, double *dv, double *dlambda)
{
    const parts w = layout_udwadia_kalaba(state);
    memcpy(dv, f, sizeof *f * (size_t)state->layout->nv);
    if (state->saddle->in_order)
        solve_in_order_for(state, b, dv, dlambda);
    else
        solve_for(state, &w, b, dv, dlambda);
}

/* M and Q - h as they are factored: completed by the intrinsic rows where there are any. */
static void show_completed(dal_state *state, dal_equations *equations)
{
    const dal_layout *layout = state->layout;
    const dal_names v = dal_names_velocities(equations, state);
    const size_t m = (size_t)layout->nv;
    bool completed = !factored_as_it_is(layout) && layout->n_intrinsic;
    const char *const inertia = completed ? "the mass matrix, completed by mu A_i^T A_i of the intrinsic rows of each body" : "the mass matrix";
    const char *const force = completed ? "the applied forces less h, completed by mu A_i^T gamma_i"
                                        : "the applied forces Q less h, the inertia forces that hold no accelerations";
    double *M = dal_show_matrix(equations, "M", inertia, v, v), *f = dal_show_vector(equations, "Q - h", force, v);
    double *a = dal_show_vector(equations, "a", "accelerations without the constraints: M a = Q - h", v), *L = state->scratch->solver;
    for (size_t i = 0; i < m; i++)
        f[i] = state->work.Q[i] - state->work.h[i];
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        double *block = dal_show_scratch(equations, (size_t)at->n * (size_t)at->n);
        dal_complete_inertia(state, b, block);
        dal_complete_force(state, b, state->gamma, f + at->column);
        for (int i = 0; i < at->n; i++)
            for (int j = 0; j < at->n; j++)
                M[(size_t)(at->column + i) * m + (size_t)(at->column + j)] = block[at->n * (i > j ? i : j) + (i > j ? j : i)];
        memcpy(a + at->column, f + at->column, sizeof *a * (size_t)at->n);
        dal_cholesky_solve(L + at->value, at->n, at->n, a + at->column);
    }
    dal_show_right(equations, 0);
}

/* G = L^-T B^+ column by column, from the factors of solve. */
static void show_gain(dal_state *state, dal_equations *equations)
{
    const dal_layout *layout = state->layout;
    const int m = layout->nv, k = state->rank->n;
    const double *L = state->scratch->solver, *B = L + layout->n_mass, *tau = B + (size_t)m * (size_t)layout->n_rows;
    double *G = dal_show_matrix(equations, "G", "what brings the accelerations of the constraints in: G = M^-1/2 B^+, B = A M^-1/2",
                                dal_names_accelerations(equations, state), dal_names_rows(equations, state));
    double *unit = dal_show_scratch(equations, (size_t)k), *x = dal_show_scratch(equations, (size_t)m);
    for (int i = 0; i < k; i++) {
        memset(unit, 0, sizeof *unit * (size_t)k);
        unit[i] = 1;
        dal_qr_least_norm(B, m, k, m, tau, unit, x);
        for (int b = 0; b < layout->n_blocks; b++)
            dal_lower_transposed_solve(L + layout->block[b].value, layout->block[b].n, layout->block[b].n, x + layout->block[b].column);
        for (int j = 0; j < m; j++)
            G[(size_t)j * (size_t)k + (size_t)i] = x[j];
    }
}

/* (4.24): v' = a + G (gamma - A a); explicit. */
static void show_udwadia_kalaba(dal_state *state, dal_equations *equations)
{
    const size_t m = (size_t)state->layout->nv;
    const parts w = layout_udwadia_kalaba(state);
    if (factor_mass(state, &w)) /* the solution may have come from other factors */
        return;
    factor_rows_udwadia_kalaba(state, &w);
    dal_show_equation(equations, "v' = a + G (gamma - A a),  a = M^-1 (Q - h),  G = M^-1/2 (A M^-1/2)^+", "`udwadia-phohomsiri` (4.24), C among Q");
    show_completed(state, equations);
    const double *a = equations->blocks[equations->n_blocks - 1].values;
    const double *A = equations->blocks[dal_show_constraints(equations, state)].values;
    const double *gamma = equations->blocks[dal_show_gamma(equations, state)].values;
    double *epsilon = dal_show_vector(equations, "gamma - A a", "by how much a misses the constraints", dal_names_rows(equations, state));
    for (int i = 0; i < state->rank->n; i++) {
        epsilon[i] = gamma[i];
        for (size_t j = 0; j < m; j++)
            epsilon[i] -= A[(size_t)i * m + j] * a[j];
    }
    show_gain(state, equations);
    dal_show_product(equations, equations->n_blocks - 1, equations->n_blocks - 2, 0);
    dal_show_dependent(equations, state);
    dal_show_unknowns(equations, dal_names_accelerations(equations, state), state->vd);
}

const dal_formulation dal_udwadia_kalaba = {
    .name = "udwadia-kalaba",
    .title = "the explicit equation of Udwadia and Kalaba, through the pseudo-inverse of A M^-1/2; needs a regular mass matrix",
    DAL_FORMULATION(applies_udwadia_kalaba, work_udwadia_kalaba, solve_udwadia_kalaba, correct_udwadia_kalaba, show_udwadia_kalaba),
};
