/* The explicit equation of Udwadia and Phohomsiri (`udwadia-phohomsiri` (2.15); C, the forces of non-ideal joints, is among Q):
 *     v' = [(1 - A^+ A) M; A]^+ [Q - h; gamma]
 * M may be singular: [(1 - A^+ A) M; A] has full rank exactly if [M; A] has (Lemma 3.1), and then v' is unique (Result 3). Neither missing masses nor
 * redundant attitude parameters need a completion of M.
 *
 * Solved for x = S v', S = column_scale (what a unit of each velocity moves, in metres), with forces over S, masses over the model's mass
 * and rows of A at unit norm:
 *     M_s = S^-1 M S^-1 / mu,   f = S^-1 (Q - h) / mu,   A_s = N A S^-1,   g = N gamma
 * on the independent rows. A_s^T = [Q1 Q2] [R; 0] gives the projector P = 1 - A_s^+ A_s = Q2 Q2^T, and a second QR the pseudo-inverse of
 * the stacked matrix, (m + k) x m:
 *     [P M_s; A_s] x = [P f; g]
 * P on the right side is (2.12). Without it the paper's right side is [f; g], and the pseudo-inverse is the same on both; but then the
 * equations miss by A_s^+ A_s f, a residual that least squares multiplies by the square of the condition, near singular positions 1/d^2.
 * As it stands the equations are consistent, and the error is eps/d.
 *
 * lambda follows from A^T lambda = M v' + h - Q: R lambda_s = Q1^T (M_s x - f), lambda = mu N lambda_s.
 *
 * Where rank [M; A] < m and the model asks for it (`undetermined: minimum-norm`), the pseudo-inverse K^+ of the stacked matrix comes from the singular
 * values, and x is the general solution (2.14),
 *     x = K^+ b + (1 - K^+ K) S eta = S eta + K^+ (b - K S eta)
 * of all v' that satisfy the equations the one with the least |S (v' - eta)|. eta is zero, or given by the model.
 */
#include "dynamics/equations.h"
#include "math/dense.h"
#include "math/rank.h"
#include "model/coordinate_names.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/determined.h"
#include "dynamics/least.h"
#include "dynamics/row_rank.h"
#include "state/report.h"
#include "state/scratch.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST = 600 };                /* velocities: the matrices are dense */
static const double singular = 1e-14;  /* pivot ratio of the stacked matrix that is only rounding */
static const double unbalanced = 1e-8; /* of the largest force: allowed imbalance along directions without inertia */

static bool applies_udwadia_phohomsiri(const dal_system *system, dal_refusal *why)
{
    if (system->layout.nv <= LARGEST)
        return true;
    dal_decline(why, DAL_REASON_OTHER,
                "udwadia-phohomsiri works on dense matrices and takes up to %d velocities; this model has %d in the family %s: "
                "use lagrange",
                LARGEST, system->layout.nv, system->layout.family->name);
    return false;
}

/* ---- work space ---------------------------------------------------------------- */

typedef struct parts {
    int m, k, ld;         /* ld: from column to column of the stacked matrix */
    double *rows, *tau;   /* A_s^T by columns and its QR; m x k, k */
    double *unit;         /* N: one a row of A */
    double *stack, *beta; /* [P M_s; A_s] by columns and its QR; (m + k) x m, m */
    double *b;            /* m + k */
    double *f, *x;        /* m */
    double *scaled;       /* A at unit norms; r x m */
    double *svd;          /* the stacked matrix by rows, and what its singular values need; with minimum-norm only */
} parts;

static size_t work_udwadia_phohomsiri(const dal_system *system)
{
    const size_t m = (size_t)system->layout.nv, r = (size_t)system->layout.n_rows;
    const size_t least = dal_rank_work((int)(m + r), (int)m), turned = dal_rank_work((int)m, (int)(m + r));
    const size_t values = system->method.minimum_norm ? 2 * (m + r) * m + (least > turned ? least : turned) : 0;
    return 2 * m * r + 2 * r + (m + r) * m + m + (m + r) + 2 * m + values;
}

static parts layout_udwadia_phohomsiri(const dal_state *state)
{
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)layout->nv, r = (size_t)layout->n_rows;
    parts w = {.m = layout->nv, .k = state->rank->n, .ld = layout->nv + layout->n_rows, .rows = state->scratch->solver};
    w.tau = w.rows + m * r;
    w.unit = w.tau + r;
    w.stack = w.unit + r;
    w.beta = w.stack + (m + r) * m;
    w.b = w.beta + m;
    w.f = w.b + m + r;
    w.x = w.f + m;
    w.scaled = w.x + m;
    w.svd = w.scaled + m * r;
    return w;
}

/* ---- the stacked matrix ----------------------------------------------------------- */

/* A_s^T = [Q1 Q2] [R; 0] on the independent rows; A_s also goes to the lower part of the stack. Returns the pivot ratio. */
static double factor_rows_udwadia_phohomsiri(dal_state *state, const parts *w)
{
    const size_t m = (size_t)w->m, ld = (size_t)w->ld;
    dal_scaled_rows(state, w->scaled, w->unit);
    for (int i = 0; i < w->k; i++) {
        const double *row = w->scaled + (size_t)state->rank->order[i] * m;
        memcpy(w->rows + (size_t)i * m, row, sizeof *row * m);
        for (size_t j = 0; j < m; j++)
            w->stack[j * ld + m + (size_t)i] = row[j];
        w->b[w->m + i] = w->unit[state->rank->order[i]] * state->gamma[state->rank->order[i]];
    }
    return w->k ? dal_qr(w->rows, w->m, w->k, w->m, w->tau) : 1;
}

/* x := P x = Q [0 0; 0 1] Q^T x. */
static void project_udwadia_phohomsiri(const parts *w, double *x)
{
    if (!w->k)
        return;
    dal_qr_qt_times(w->rows, w->m, w->k, w->m, w->tau, x);
    memset(x, 0, sizeof *x * (size_t)w->k);
    dal_qr_q_times(w->rows, w->m, w->k, w->m, w->tau, x);
}

/* The upper part of the stack, P M_s, and of the right side, P f. */
static void fill_motion(dal_state *state, const parts *w)
{
    const dal_layout *layout = state->layout;
    const double *S = layout->units.column_scale, unit = 1 / layout->units.mass;
    for (int j = 0; j < w->m; j++) {
        memset(w->stack + (size_t)j * (size_t)w->ld, 0, sizeof *w->stack * (size_t)w->m);
        w->f[j] = unit / S[j] * (state->work.Q[j] - state->work.h[j]);
    }
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        const double *M = state->work.M + at->value, *scale = S + at->column;
        for (int j = 0; j < at->n; j++) {
            double *column = w->stack + (size_t)(at->column + j) * (size_t)w->ld;
            for (int i = 0; i < at->n; i++)
                column[at->column + i] = unit * M[at->n * i + j] / (scale[i] * scale[j]);
            project_udwadia_phohomsiri(w, column);
        }
    }
    memcpy(w->b, w->f, sizeof *w->b * (size_t)w->m);
    project_udwadia_phohomsiri(w, w->b);
}

/* ---- its pseudo-inverse ----------------------------------------------------------- */

/* x from b, by the factors of the stack. */
static void solve_factored(const parts *w)
{
    dal_qr_qt_times(w->stack, w->m + w->k, w->m, w->ld, w->beta, w->b);
    dal_qr_r_solve(w->stack, w->m, w->ld, w->b);
    memcpy(w->x, w->b, sizeof *w->x * (size_t)w->m);
}

/* x from the QR of the stack, whose rank is m. */
static dal_flow solve_unique(dal_state *state, const parts *w)
{
    double ratio = dal_qr(w->stack, w->m + w->k, w->m, w->ld, w->beta);
    if (!(ratio > singular))
        return dal_fail_undetermined(state);
    if (ratio < state->report->condition_worst)
        state->report->condition_worst = ratio;
    solve_factored(w);
    return 0;
}

/* Where v' is not unique it may not exist: P M_s x = P f requires balance along the directions without inertia. */
static dal_flow check_balance(dal_state *state, const parts *w)
{
    double force = 0, worst = 0;
    int at = 0;
    char name[100];
    for (int i = 0; i < w->m; i++) {
        double miss = w->b[i];
        for (int j = 0; j < w->m; j++)
            miss -= w->stack[(size_t)j * (size_t)w->ld + (size_t)i] * w->x[j];
        force = fmax(force, fabs(w->f[i]));
        if (fabs(miss) > worst) {
            worst = fabs(miss);
            at = i;
        }
    }
    if (!(worst > unbalanced * force))
        return 0;
    dal_velocity_name(state->system, at, name, sizeof name);
    return dal_state_fail(state, "no acceleration satisfies the equations: along %s nothing resists, and the forces there do not balance", name);
}

/* b += factor K S eta */
static void add_eta(const dal_state *state, const parts *w, double factor)
{
    const double *eta = state->values->expression + state->system->method.eta, *S = state->layout->units.column_scale;
    for (int i = 0; i < w->m + w->k; i++)
        for (int j = 0; j < w->m; j++)
            w->b[i] += factor * w->stack[(size_t)j * (size_t)w->ld + (size_t)i] * S[j] * eta[j];
}

/* (2.14). The rank is that of the start: where it changes, so do the directions that are free, and v' would jump. */
static dal_flow solve_least_udwadia_phohomsiri(dal_state *state, const parts *w)
{
    const size_t m = (size_t)w->m;
    const int n = w->m + w->k, expected = state->system->determined;
    double *K = w->svd;
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * m + j] = w->stack[j * (size_t)w->ld + i];
    if (state->system->method.n_eta)
        add_eta(state, w, -1);
    state->rank->determined = dal_rank_solve(K, n, w->m, w->m, state->system->method.rank_tolerance, w->b, w->x, K + (size_t)n * m);
    if (state->system->method.n_eta) {
        add_eta(state, w, 1);
        for (int j = 0; j < w->m; j++)
            w->x[j] += state->layout->units.column_scale[j] * state->values->expression[state->system->method.eta + j];
    }
    if (state->rank->determined < 0)
        return dal_state_fail(state, "the equations of motion hold values that are not finite");
    if (expected >= 0 && state->rank->determined != expected)
        return dal_state_fail(state,
                              "rank [M; A] was %d at the start and is %d here: other accelerations have become undetermined, and "
                              "the least ones jump",
                              expected, state->rank->determined);
    return state->rank->determined < w->m ? check_balance(state, w) : 0;
}

/* From x and f: v' and R lambda_s = Q1^T (M_s x - f). */
static void finish_udwadia_phohomsiri(dal_state *state, const parts *w, double *vd, double *lambda)
{
    const double *S = state->layout->units.column_scale, unit = 1 / state->layout->units.mass;
    double *residual = w->b;
    for (int j = 0; j < w->m; j++)
        vd[j] = w->x[j] / S[j];
    memset(lambda, 0, sizeof *lambda * (size_t)state->layout->n_rows);
    if (!w->k)
        return;
    dal_mass_times(state->layout, state->work.M, vd, residual);
    for (int j = 0; j < w->m; j++)
        residual[j] = unit / S[j] * residual[j] - w->f[j];
    dal_qr_qt_times(w->rows, w->m, w->k, w->m, w->tau, residual);
    dal_qr_r_solve(w->rows, w->k, w->m, residual);
    for (int i = 0; i < w->k; i++)
        lambda[state->rank->order[i]] = state->layout->units.mass * w->unit[state->rank->order[i]] * residual[i];
}

static dal_flow solve_udwadia_phohomsiri(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    parts w = layout_udwadia_phohomsiri(state);
    double ratio = factor_rows_udwadia_phohomsiri(state, &w);
    if (dal_state_alarm(state, DAL_FACTOR_QR, ratio)) {
        w = layout_udwadia_phohomsiri(state);
        ratio = factor_rows_udwadia_phohomsiri(state, &w);
        if (!(ratio > 0))
            return dal_state_fail(state, "the constraints became dependent and no independent rows were found");
    }
    if (state->system->method.minimum_norm && ratio < state->report->condition_worst)
        state->report->condition_worst = ratio; /* of the rows: the stacked matrix has no least pivot then */
    fill_motion(state, &w);
    dal_flow flow = state->system->method.minimum_norm ? solve_least_udwadia_phohomsiri(state, &w) : solve_unique(state, &w);
    if (flow == 0)
        finish_udwadia_phohomsiri(state, &w, state->vd, state->lambda);
    return flow;
}

/* K x = b after solve_least, which left K by rows and work space behind it. */
static void solve_with_values(const dal_state *state, const parts *w, const double *b, double *x)
{
    const size_t n = (size_t)(w->m + w->k);
    dal_rank_solve(w->svd, (int)n, w->m, w->m, state->system->method.rank_tolerance, b, x, w->svd + n * (size_t)w->m);
}

/* [P M_s; A_s] x = [P f_s; b_s], f_s = S^-1 f / mu; where it is not unique, the least x */
static void correct_udwadia_phohomsiri(dal_state *state, const double *f, const double *b, double *dv, double *dlambda)
{
    const parts w = layout_udwadia_phohomsiri(state);
    for (int j = 0; j < w.m; j++)
        w.b[j] = w.f[j] = f[j] / (state->layout->units.mass * state->layout->units.column_scale[j]);
    project_udwadia_phohomsiri(&w, w.b);
    for (int i = 0; i < w.k; i++)
        w.b[w.m + i] = w.unit[state->rank->order[i]] * b[state->rank->order[i]];
    if (state->system->method.minimum_norm)
        solve_with_values(state, &w, w.b, w.x);
    else
        solve_factored(&w);
    finish_udwadia_phohomsiri(state, &w, dv, dlambda);
}

/* x - S eta = K^T c, and K^T c = S^-1 (M a + A^T b) with a = S^-1 P c_1 / mu, b = N c_2. */
void dal_least_combination(dal_state *state, double *a, double *b)
{
    const parts w = layout_udwadia_phohomsiri(state);
    const dal_layout *layout = state->layout;
    const size_t m = (size_t)w.m, n = m + (size_t)w.k;
    const double *S = layout->units.column_scale, *eta = state->system->method.n_eta ? state->values->expression + state->system->method.eta : NULL;
    double *turned = w.svd + n * m, *c = w.b, *work = turned + n * m;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            turned[j * n + i] = w.svd[i * m + j];
    for (size_t j = 0; j < m; j++)
        w.x[j] = S[j] * (state->vd[j] - (eta ? eta[j] : 0));
    dal_rank_solve(turned, w.m, (int)n, (int)n, state->system->method.rank_tolerance, w.x, c, work);
    project_udwadia_phohomsiri(&w, c);
    for (size_t j = 0; j < m; j++)
        a[j] = c[j] / (S[j] * layout->units.mass);
    memset(b, 0, sizeof *b * (size_t)layout->n_rows);
    for (int i = 0; i < w.k; i++)
        b[state->rank->order[i]] = w.unit[state->rank->order[i]] * c[w.m + i];
}

/* ---- equations --------------------------------------------------------------------- */

/* Column i of the pseudo-inverse of the scaled stack. */
static void inverse_column(const dal_state *state, const parts *w, size_t i, double *unit, double *x)
{
    const size_t n = (size_t)(w->m + w->k);
    memset(unit, 0, sizeof *unit * n);
    unit[i] = 1;
    if (state->system->method.minimum_norm) {
        solve_with_values(state, w, unit, x);
        return;
    }
    dal_qr_qt_times(w->stack, (int)n, w->m, w->ld, w->beta, unit);
    dal_qr_r_solve(w->stack, w->m, w->ld, unit);
    memcpy(x, unit, sizeof *x * (size_t)w->m);
}

/* P M and the two parts of the pseudo-inverse, without the scaling. The stack is filled and factored as in solve. */
static void show_stack(dal_state *state, dal_equations *equations)
{
    const parts w = layout_udwadia_phohomsiri(state);
    const double *S = state->layout->units.column_scale, mu = state->layout->units.mass;
    const size_t m = (size_t)w.m, k = (size_t)w.k, n = m + k;
    const dal_names v = dal_names_velocities(equations, state), vd = dal_names_accelerations(equations, state);
    double *PM = dal_show_matrix(equations, "P M", "the mass matrix, less what the constraints take: P = 1 - A^+ A, all in metres", v, v);
    factor_rows_udwadia_phohomsiri(state, &w);
    fill_motion(state, &w);
    double *Pf = dal_show_vector(equations, "P (Q - h)", "the forces, less what the constraints take", v);
    for (size_t i = 0; i < m; i++) {
        Pf[i] = mu * S[i] * w.b[i];
        for (size_t j = 0; j < m; j++)
            PM[i * m + j] = mu * S[i] * S[j] * w.stack[j * (size_t)w.ld + i];
    }
    (void)(state->system->method.minimum_norm ? solve_least_udwadia_phohomsiri(state, &w)
                                              : solve_unique(state, &w)); /* has succeeded at this state */
    double *unit = dal_show_scratch(equations, n), *x = dal_show_scratch(equations, m);
    double *G = dal_show_matrix(equations, "G", "what forces bring: the columns of [P M; A]^+ that belong to P M", vd, v);
    double *H = dal_show_matrix(equations, "H", "what the constraints bring: the columns of [P M; A]^+ that belong to A", vd,
                                dal_names_rows(equations, state));
    for (size_t i = 0; i < n; i++) {
        inverse_column(state, &w, i, unit, x);
        for (size_t j = 0; j < m; j++)
            if (i < m)
                G[j * m + i] = x[j] / (mu * S[i] * S[j]);
            else
                H[j * k + i - m] = x[j] * w.unit[state->rank->order[i - m]] / S[j];
    }
}

/* (1 - [P M; A]^+ [P M; A]) eta of (2.14), without the scaling. After show_stack. */
static void show_eta(dal_state *state, dal_equations *equations)
{
    const parts w = layout_udwadia_phohomsiri(state);
    const double *S = state->layout->units.column_scale;
    const size_t m = (size_t)w.m, n = m + (size_t)w.k;
    const dal_names vd = dal_names_accelerations(equations, state);
    double *column = dal_show_scratch(equations, n), *x = dal_show_scratch(equations, m);
    double *N = dal_show_matrix(equations, "1 - K^+ K", "what the equations leave open, K = [P M; A]", vd, vd);
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < n; i++)
            column[i] = w.svd[i * m + j];
        dal_rank_solve(w.svd, (int)n, w.m, w.m, state->system->method.rank_tolerance, column, x, w.svd + n * m);
        for (size_t i = 0; i < m; i++)
            N[i * m + j] = ((i == j) - x[i]) * S[j] / S[i];
    }
    memcpy(dal_show_vector(equations, "eta", "the accelerations that are as good as any other", vd),
           state->values->expression + state->system->method.eta, sizeof(double) * m);
    dal_show_product(equations, equations->n_blocks - 2, equations->n_blocks - 1, 0);
}

/* (2.15) with the right side of (2.12): v' = [P M; A]^+ [P (Q - h); gamma]; explicit. */
static void show_udwadia_phohomsiri(dal_state *state, dal_equations *equations)
{
    dal_show_equation(equations, "v' = [P M; A]^+ [P (Q - h); gamma] = G P (Q - h) + H gamma,  P = 1 - A^+ A",
                      "`udwadia-phohomsiri` (2.15) with the right side of (2.12), C among Q");
    dal_show_mass(equations, state);
    dal_show_force(equations, state);
    dal_show_constraints(equations, state);
    const int gamma = dal_show_gamma(equations, state);
    show_stack(state, equations);
    dal_show_product(equations, equations->n_blocks - 2, equations->n_blocks - 3, 0);
    dal_show_product(equations, equations->n_blocks - 1, gamma, 0);
    if (state->system->method.n_eta)
        show_eta(state, equations);
    dal_show_dependent(equations, state);
    dal_show_unknowns(equations, dal_names_accelerations(equations, state), state->vd);
}

const dal_formulation dal_udwadia_phohomsiri = {
    .name = "udwadia-phohomsiri",
    .title = "the explicit equation of Udwadia and Phohomsiri, through the pseudo-inverse of [(1 - A^+ A) M; A]; the mass matrix may be "
             "singular",
    DAL_FORMULATION(applies_udwadia_phohomsiri, work_udwadia_phohomsiri, solve_udwadia_phohomsiri, correct_udwadia_phohomsiri,
                    show_udwadia_phohomsiri),
    .least_norm = true,
};
