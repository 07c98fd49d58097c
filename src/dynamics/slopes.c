/* Derivatives through the factors of the formulation: the equations are in slopes.h. */
#include "dynamics/slopes.h"

#include "dynamics/friction_parts.h"
#include "dynamics/friction_slopes.h"
#include "dynamics/least.h"
#include "dynamics/refine.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "dynamics/speeds_matrix.h"
#include "dynamics/tree_state.h"
#include "math/dense.h"
#include "model/system.h"
#include "state/report.h"
#include "state/values.h"

#include <string.h>

/* Whose factors are used. */
typedef enum solver { BY_FORMULATION, BY_SADDLE, ON_NULL_SPACE } solver;

struct dal_slopes {
    dal_variation *variation;
    dal_friction_slopes *friction; /* NULL: there is none */
    solver solver;
    double *motion, *phi, *phid, *phidd; /* D r; D of the rows */
    double *f, *b, *vd, *lambda;         /* right sides; where the caller wants no multipliers, and of the null space */
    double *rest, *gap, *more, *more_mu; /* of the second pass: nv, rows, nv, rows */
    double *v, *momenta;                 /* nv */
    double *speeds, *speed_rates;        /* of the model's own speeds */
    double *wd;                          /* n_w */
    double *power;
    /* accelerations that nothing determines: S^2 (v' - eta) = M a + A^T b; and those nearest to which they change */
    double *least_a, *least_b, *eta, *turned, *shifted_vd, *shifted_mu;
    dal_derivative_room room;
    double *M22; /* routh: the factor of the inertia of the ignorable coordinates */
};

/* ---- memory --------------------------------------------------------------------------------------- */

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static size_t layout_slopes(const dal_system *system, double *memory, dal_slopes *s)
{
    const dal_layout *layout = &system->layout;
    const int nv = layout->nv, rows = layout->n_rows, ignorable = layout->n_ignorable;
    const int open_nv = system->method.minimum_norm ? nv : 0, open_rows = system->method.minimum_norm ? rows : 0;
    struct {
        double **at;
        int n;
    } const parts[] = {{&s->motion, nv},
                       {&s->phi, rows},
                       {&s->phid, rows},
                       {&s->phidd, rows},
                       {&s->f, nv},
                       {&s->b, rows},
                       {&s->vd, nv},
                       {&s->lambda, rows},
                       {&s->rest, nv},
                       {&s->gap, rows},
                       {&s->more, nv},
                       {&s->more_mu, rows},
                       {&s->v, nv},
                       {&s->momenta, nv},
                       {&s->speeds, layout->n_speeds},
                       {&s->speed_rates, layout->n_speeds},
                       {&s->wd, system->n_w},
                       {&s->power, system->acting.islands.n},
                       {&s->least_a, open_nv},
                       {&s->least_b, open_rows},
                       {&s->eta, open_nv},
                       {&s->turned, open_nv},
                       {&s->shifted_vd, open_nv},
                       {&s->shifted_mu, open_rows},
                       {&s->room.unit, larger(nv, larger(system->n_states, system->n_inputs))},
                       {&s->room.vd, nv},
                       {&s->room.lambda, rows},
                       {&s->room.zd, system->n_states},
                       {&s->M22, ignorable * ignorable}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].at = memory ? memory + used : NULL;
        used += (size_t)parts[i].n;
    }
    return used;
}

static bool is_open(const dal_state *state)
{
    const dal_slopes *s = state->refinement->slopes;
    return s->variation && (s->friction || !state->friction);
}

bool dal_slopes_open(dal_state *state)
{
    const dal_allocator *from = &state->hold.allocator;
    dal_slopes local = {0}, *s = state->refinement->slopes;
    if (s)
        return is_open(state);
    if (!dal_state_widen(state))
        return false;
    const size_t numbers = layout_slopes(state->system, NULL, &local);
    s = from->allocate(from->user, sizeof *s + sizeof(double) * (numbers + 1));
    if (!s)
        return false;
    memset(s, 0, sizeof *s + sizeof(double) * numbers);
    layout_slopes(state->system, (double *)(void *)(s + 1), s);
    s->variation = dal_variation_create(from, state->system, dal_family_number(state->layout->family));
    if (state->friction)
        s->friction = dal_friction_slopes_create(from, state->system);
    state->refinement->slopes = s;
    return is_open(state);
}

dal_derivative_room dal_slopes_room(const dal_state *state)
{
    return state->refinement->slopes->room;
}

void dal_slopes_close(dal_state *state, dal_slopes *s)
{
    if (!s)
        return;
    dal_variation_free(s->variation);
    dal_friction_slopes_free(&state->hold.allocator, s->friction);
    state->hold.allocator.release(state->hold.allocator.user, s);
}

/* ---- what has none ---------------------------------------------------------------------------------- */

bool dal_slopes_refuse(const dal_system *system, dal_refusal *why)
{
    if (!system->layout.columnless || system->layout.n_jacobian >= 0)
        return false;
    dal_decline(why, DAL_REASON_OTHER, "the tree is too large for matrices of its derivatives: the calls of dalembert/tree.h take it");
    return true;
}

bool dal_slopes_refuse_held(const dal_system *system, dal_refusal *why)
{
    const dal_acting *acting = &system->acting;
    if (acting->n_frictions)
        dal_decline(why, DAL_REASON_OTHER, "joint '%s' has dry friction, which follows from accelerations and multipliers that are held here",
                    system->mechanism.joints[acting->frictions[0].joint].name);
    else if (system->method.minimum_norm)
        dal_decline(
            why, DAL_REASON_OTHER,
            "the model takes the least accelerations where none are determined (minimum-norm): they follow from more than the equations that are "
            "held here");
    else
        return dal_slopes_refuse(system, why);
    return true;
}

bool dal_weight_on_tree(const dal_system *system)
{
    return system->links && !system->layout.n_rows && !system->layout.systems && dal_weight_acts_alone(&system->acting);
}

/* ---- factors ---------------------------------------------------------------------------------------- */

/* The inertia M22 of the ignorable coordinates, from columns of M. */
static bool factor_ignorable(dal_state *state, dal_slopes *s)
{
    const dal_layout *layout = state->layout;
    const int n = layout->n_ignorable;
    int where;
    memset(s->v, 0, sizeof *s->v * (size_t)layout->nv);
    for (int j = 0; j < n; j++) {
        s->v[layout->ignorable[j]] = 1;
        dal_mass_times(layout, state->work.M, s->v, s->f);
        s->v[layout->ignorable[j]] = 0;
        for (int i = 0; i < n; i++)
            s->M22[i * n + j] = s->f[layout->ignorable[i]];
    }
    return !n || dal_cholesky(s->M22, n, n, 1e-15, &where);
}

/* Speeds that are neither named nor chosen: routh, whose states are the velocities that are not ignorable. */
static bool in_velocities(const dal_system *system)
{
    return system->method.formulation->unpack && !system->method.formulation->chooses;
}

/* Which factors, and these. */
static dal_flow factor(dal_state *state)
{
    const dal_method *method = &state->system->method;
    dal_slopes *s = state->refinement->slopes;
    if (state->singular->near && state->layout->careful && !method->minimum_norm) {
        s->solver = ON_NULL_SPACE;
        return 0;
    }
    if (!method->formulation->correct || method->stabilization->solve) {
        s->solver = BY_SADDLE;
        return dal_saddle_ready(state, DAL_METRIC_MASS);
    }
    s->solver = BY_FORMULATION; /* computed again: reactions and projections use the same memory */
    const dal_flow flow = dal_state_solve(state);
    if (!flow && state->singular->near && state->layout->careful && !method->minimum_norm)
        s->solver = ON_NULL_SPACE;
    return flow;
}

/* Reactions are found, and the multipliers are left as they were. */
static dal_flow read_friction(dal_state *state)
{
    dal_slopes *s = state->refinement->slopes;
    const size_t size = sizeof *s->lambda * (size_t)state->layout->n_rows;
    memcpy(s->lambda, state->lambda, size);
    if (!dal_has(state, DAL_STAGE_FRICTION))
        return dal_state_fail(state, "the forces of friction are not known here");
    dal_friction_slopes_read(state, s->friction);
    memcpy(state->lambda, s->lambda, size);
    return 0;
}

static void exchange(double *a, double *b, int n)
{
    for (int i = 0; i < n; i++) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* The same equations as those of v' with h = 0, Q = f, gamma = b. */
static dal_flow solve_on_null_space(dal_state *state, double *f, double *b, double *x, double *mu)
{
    const dal_layout *layout = state->layout;
    dal_work *w = &state->work;
    for (int i = 0; i < layout->nv; i++)
        f[i] += w->h[i];
    memcpy(x, state->vd, sizeof *x * (size_t)layout->nv);
    memcpy(mu, state->lambda, sizeof *mu * (size_t)layout->n_rows);
    exchange(w->Q, f, layout->nv);
    exchange(state->gamma, b, layout->n_rows);
    dal_flow flow = dal_null_space_solve(state);
    exchange(w->Q, f, layout->nv);
    exchange(state->gamma, b, layout->n_rows);
    exchange(state->vd, x, layout->nv);
    exchange(state->lambda, mu, layout->n_rows);
    return flow;
}

/* Once through the factors. */
static dal_flow solve_once(dal_state *state, double *f, double *b, double *x, double *mu)
{
    dal_slopes *s = state->refinement->slopes;
    const size_t n = sizeof *s->wd * (size_t)state->system->n_w;
    switch (s->solver) {
    case BY_SADDLE: dal_saddle_correct(state, f, b, x, mu); return 0;
    case ON_NULL_SPACE: return solve_on_null_space(state, f, b, x, mu);
    default: /* `correct` adds to the rates of the speeds */
        memcpy(s->wd, state->speeds->wd, n);
        state->system->method.formulation->correct(state, f, b, x, mu);
        memcpy(state->speeds->wd, s->wd, n);
        return 0;
    }
}

/* Twice: the second solution is for the residuals of the first, f - M x + A^T mu and b - A x. */
dal_flow dal_slopes_solve(dal_state *state, double *f, double *b, double *x, double *mu)
{
    const dal_layout *layout = state->layout;
    dal_slopes *s = state->refinement->slopes;
    const dal_flow flow = solve_once(state, f, b, x, mu);
    if (flow || s->solver == ON_NULL_SPACE)
        return flow;
    dal_mass_times(layout, state->work.M, x, s->rest);
    dal_rows_transposed(layout, state->work.A, mu, s->more);
    for (int k = 0; k < layout->nv; k++)
        s->rest[k] = f[k] - s->rest[k] + s->more[k];
    dal_rows_times(layout, state->work.A, x, s->gap);
    for (int i = 0; i < layout->n_rows; i++)
        s->gap[i] = b[i] - s->gap[i];
    solve_once(state, s->rest, s->gap, s->more, s->more_mu);
    for (int k = 0; k < layout->nv; k++)
        x[k] += s->more[k];
    for (int i = 0; i < layout->n_rows; i++)
        mu[i] += s->more_mu[i];
    return 0;
}

/* ---- along a direction ---------------------------------------------------------------------------- */

static dal_variation_point point_of(const dal_state *state)
{
    return (dal_variation_point){.t = state->work.t,
                                 .q = state->work.q,
                                 .v = state->work.v,
                                 .z = state->values->z,
                                 .inputs = state->values->inputs,
                                 .vd = state->vd,
                                 .lambda = state->lambda,
                                 .winding = state->work.winding,
                                 .chart = state->work.chart,
                                 .modes = state->values->frozen ? state->values->modes : NULL,
                                 .friction = dal_friction_slopes_forces(state->refinement->slopes->friction)};
}

static dal_flow vary(dal_state *state, const dal_variation_point *at, const dal_variation_direction *along, const dal_variation_result *out)
{
    const int exceeded = dal_variation_along(state->refinement->slopes->variation, at, along, out);
    return exceeded ? dal_state_left_table(state, exceeded) : 0;
}

/* As dal_state_stabilise. */
void dal_slopes_stabilisation(const dal_system *system, double *a, double *b)
{
    const dal_method *method = &system->method;
    const bool speeds = method->formulation->unpack && method->formulation->chooses;
    const bool pulls = method->stabilization->stabilises_gamma;
    *a = !pulls ? 0 : speeds ? method->alpha : 2 * method->alpha;
    *b = !pulls || speeds ? 0 : method->beta * method->beta;
}

/* ---- accelerations that nothing determines ----
 *
 * v' is that of the solutions of M v' - A^T lambda = Q - h, A v' = gamma for which |S (v' - eta)| is least:
 *     S^2 (v' - eta) = M a + A^T b                     with some a, b (dal_least_combination)
 * Its derivative, S^2 (dv' - deta) = M da + A^T db + D (M a + A^T b) with D at given a and b, says that dv' is the solution nearest to
 *     e = deta + S^-2 D (M a + A^T b)
 * with free da and db: dv' = e + x, x the least solution of the same equations less M e and A e. The rank is constant along a run. */

/* D (M a + A^T b) = D r at (v' + a, lambda - b), less D r. */
static dal_flow find_nearest(dal_state *state, const dal_variation_direction *along, const double *motion)
{
    dal_slopes *s = state->refinement->slopes;
    const dal_layout *layout = state->layout;
    dal_variation_point at = point_of(state);
    for (int k = 0; k < layout->nv; k++)
        s->shifted_vd[k] = state->vd[k] + s->least_a[k];
    for (int i = 0; i < layout->n_rows; i++)
        s->shifted_mu[i] = state->lambda[i] - s->least_b[i];
    at.vd = s->shifted_vd, at.lambda = s->shifted_mu;
    const dal_flow flow = vary(state, &at, along, &(dal_variation_result){.motion = s->turned, .eta = s->eta});
    for (int k = 0; k < layout->nv; k++)
        s->eta[k] += (s->turned[k] - motion[k]) / (layout->units.column_scale[k] * layout->units.column_scale[k]);
    return flow;
}

/* f and b less M e and A e; x: scratch, nv and rows. */
static void move_to_nearest(dal_state *state, double *f, double *b)
{
    dal_slopes *s = state->refinement->slopes;
    const dal_layout *layout = state->layout;
    dal_mass_times(layout, state->work.M, s->eta, s->turned);
    dal_rows_times(layout, state->work.A, s->eta, s->shifted_mu);
    for (int k = 0; k < layout->nv; k++)
        f[k] -= s->turned[k];
    for (int i = 0; i < layout->n_rows; i++)
        b[i] -= s->shifted_mu[i];
}

/* ---- dry friction ---- */

static dal_flow solve_for_friction(void *user, double *f, double *b, double *x, double *mu)
{
    return dal_slopes_solve(user, f, b, x, mu);
}

static dal_friction_solver solver_of(dal_state *state)
{
    return (dal_friction_solver){state, solve_for_friction, state->refinement->slopes->variation, point_of(state)};
}

static dal_flow respond_to_friction(dal_state *state)
{
    const dal_friction_solver by = solver_of(state);
    return dal_friction_slopes_ready(state, state->refinement->slopes->friction, &by);
}

/* What friction adds to v' and lambda. */
static dal_flow follow_friction(dal_state *state, const dal_variation_direction *along, double *vd, double *lambda)
{
    dal_slopes *s = state->refinement->slopes;
    const dal_friction_solver by = solver_of(state);
    return dal_friction_slopes_follow(state, s->friction, &by, along, s->motion, s->phidd, vd, lambda);
}

/* ---- all of it ---- */

dal_flow dal_slopes_ready(dal_state *state)
{
    const dal_system *system = state->system;
    dal_refusal why = {0};
    if (dal_slopes_refuse(system, &why))
        return dal_state_fail(state, "%s", why.text);
    if (!dal_slopes_open(state))
        return -DAL_NO_MEMORY;
    dal_slopes *s = state->refinement->slopes;
    dal_need(state, DAL_STAGE_LOADS);
    dal_flow flow = s->friction ? read_friction(state) : 0;
    if (!flow)
        flow = factor(state);
    if (!flow && system->method.minimum_norm)
        dal_least_combination(state, s->least_a, s->least_b);
    if (!flow && in_velocities(system) && !factor_ignorable(state, s))
        flow = dal_state_fail(state, "the inertia that belongs to the ignorable coordinates became singular");
    return flow || !s->friction ? flow : respond_to_friction(state);
}

dal_flow dal_slopes_along(dal_state *state, const dal_variation_direction *along, const dal_variation_result *more, double *vd, double *lambda)
{
    dal_slopes *s = state->refinement->slopes;
    const dal_layout *layout = state->layout;
    const bool least = state->system->method.minimum_norm;
    dal_variation_result out = more ? *more : (dal_variation_result){0};
    const dal_variation_point at = point_of(state);
    double a, b;
    lambda = lambda ? lambda : s->lambda;
    dal_slopes_stabilisation(state->system, &a, &b);
    out.motion = s->motion, out.phi = s->phi, out.phid = s->phid, out.phidd = s->phidd;
    out.slip = dal_friction_slopes_slip(s->friction);
    out.limits = dal_friction_slopes_limits(s->friction);
    dal_flow flow = vary(state, &at, along, &out);
    if (!flow && least)
        flow = find_nearest(state, along, s->motion);
    if (flow)
        return flow;
    for (int k = 0; k < layout->nv; k++)
        s->f[k] = -s->motion[k];
    for (int i = 0; i < layout->n_rows; i++)
        s->b[i] = -(s->phidd[i] + a * s->phid[i] + b * s->phi[i]);
    if (s->friction)
        dal_friction_slopes_push(s->friction, s->f);
    if (least)
        move_to_nearest(state, s->f, s->b);
    flow = dal_slopes_solve(state, s->f, s->b, vd, lambda);
    for (int k = 0; k < layout->nv && least; k++)
        vd[k] += s->eta[k];
    return flow || !s->friction ? flow : follow_friction(state, along, vd, lambda);
}

dal_flow dal_slopes_by_force(dal_state *state, const double *tau, double *vd, double *lambda)
{
    dal_slopes *s = state->refinement->slopes;
    lambda = lambda ? lambda : s->lambda;
    memcpy(s->f, tau, sizeof *tau * (size_t)state->layout->nv);
    memset(s->b, 0, sizeof *s->b * (size_t)state->layout->n_rows);
    const dal_flow flow = dal_slopes_solve(state, s->f, s->b, vd, lambda);
    return flow || !s->friction ? flow : follow_friction(state, NULL, vd, lambda);
}

dal_flow dal_slopes_of_motion(dal_state *state, const dal_variation_direction *along, const double *vd, const double *lambda, double *motion)
{
    dal_variation_point at = point_of(state);
    at.vd = vd ? vd : at.vd;
    at.lambda = lambda ? lambda : at.lambda;
    return vary(state, &at, along, &(dal_variation_result){.motion = motion});
}

dal_flow dal_slopes_of_forces(dal_state *state, const dal_variation_direction *along, double *force, double *states)
{
    const dal_variation_point at = point_of(state);
    return vary(state, &at, along, &(dal_variation_result){.force = force, .states = states});
}

dal_flow dal_slopes_of_rows(dal_state *state, const dal_variation_direction *along, double *phid)
{
    const dal_variation_point at = point_of(state);
    return vary(state, &at, along, &(dal_variation_result){.phid = phid});
}

void dal_slopes_rates_of_states(const dal_state *state, double *out)
{
    const dal_system *system = state->system;
    if (system->n_states)
        memcpy(out, state->values->expression + system->n_expressions, sizeof *out * (size_t)system->n_states);
}

/* ---- of y ------------------------------------------------------------------------------------------- */

/* S dv = [dw - D u; -D p; -(D phi' + a D phi)], after D. */
static void follow_speeds(dal_state *state, const double *dw, double *dv)
{
    const dal_slopes *s = state->refinement->slopes;
    const dal_speeds *basis = state->speeds->basis;
    const dal_method *method = &state->system->method;
    const double a = method->stabilization->stabilises_gamma ? method->alpha : 0;
    for (int j = 0; j < basis->p; j++)
        dv[j] = dw[j] - (basis->fixed ? s->speeds[state->speeds->column[j]] : 0);
    for (int i = 0; i < basis->s; i++)
        dv[basis->p + i] = -s->momenta[state->layout->ignorable[i]];
    for (int i = 0; i < basis->k; i++)
        dv[basis->p + basis->s + i] = -(s->phid[basis->row[i]] + a * s->phi[basis->row[i]]);
    dal_speeds_solve(state, dv);
}

/* dv_1 = dw, M22 dv_2 = -D p_2 - M21 dv_1, after D. */
static void follow_velocities(dal_state *state, const double *dw, double *dv)
{
    const dal_slopes *s = state->refinement->slopes;
    const dal_layout *layout = state->layout;
    const int n = layout->n_ignorable;
    double *rest = s->f;
    for (int k = 0, i = 0; k < layout->nv; k++) {
        const bool ignorable = i < n && layout->ignorable[i] == k;
        dv[k] = ignorable ? 0 : *dw++;
        i += ignorable;
    }
    dal_mass_times(layout, state->work.M, dv, s->motion);
    for (int i = 0; i < n; i++)
        rest[i] = -s->momenta[layout->ignorable[i]] - s->motion[layout->ignorable[i]];
    if (n)
        dal_cholesky_solve(s->M22, n, n, rest);
    for (int i = 0; i < n; i++)
        dv[layout->ignorable[i]] = rest[i];
}

/* dv that goes with (dq, dw). */
static dal_flow follow(dal_state *state, const double *dq, const double *dw, double *dv)
{
    dal_slopes *s = state->refinement->slopes;
    const dal_variation_point at = point_of(state);
    const dal_variation_direction along = {.coordinates = dq};
    const bool momenta = state->layout->n_ignorable && state->system->method.formulation->ignores;
    const dal_flow flow = vary(state, &at, &along,
                               &(dal_variation_result){.phi = s->phi, .phid = s->phid, .speeds = s->speeds, .momenta = momenta ? s->momenta : NULL});
    if (!flow)
        (in_velocities(state->system) ? follow_velocities : follow_speeds)(state, dw, dv);
    return flow;
}

/* dw' from dv', and D u'. */
static void rates_of_speeds(const dal_state *state, const double *vd, double *out)
{
    const dal_slopes *s = state->refinement->slopes;
    const dal_layout *layout = state->layout;
    const dal_speeds *basis = state->speeds->basis;
    for (int k = 0, i = 0; k < layout->nv && in_velocities(state->system); k++) {
        const bool ignorable = i < layout->n_ignorable && layout->ignorable[i] == k;
        if (!ignorable)
            *out++ = vd[k];
        i += ignorable;
    }
    for (int j = 0; !in_velocities(state->system) && j < basis->p; j++) {
        const int column = state->speeds->column[j];
        out[j] = basis->fixed ? s->speed_rates[column] : vd[column];
        const dal_row_layout *row = basis->fixed ? &layout->row[dal_speeds_named_row(state, j)] : NULL;
        for (int k = 0; row && k < row->n_values; k++)
            out[j] += state->work.A[row->value + k] * vd[layout->column[row->value + k]];
    }
}

/* Of the rows that time drives: D of lambda times their rate. */
static void add_powers(const dal_state *state, const double *dlambda, double *out)
{
    const dal_layout *layout = state->layout;
    for (int i = 0; !layout->placement && i < layout->n_extrinsic; i++) {
        const int source = layout->row[i].source;
        const dal_row *row = &state->mechanism->rows[source];
        const double rate = row->time >= 0   ? state->work.time[3 * row->time + 1]
                            : row->form >= 0 ? -state->work.form[row->form + 1 + row->n_terms]
                                             : 0;
        if (!row->derived)
            out[dal_island(state->system->acting.islands.of_row, source)] += dlambda[i] * rate;
    }
}

dal_flow dal_slopes_rates(dal_state *state, const double *x, double *out)
{
    dal_slopes *s = state->refinement->slopes;
    const dal_system *system = state->system;
    const int nq = system->layout.nq, n_w = system->n_w;
    const bool speeds = system->method.formulation->unpack != NULL;
    const double *dw = x + nq, *dz = dw + n_w;
    dal_flow flow = speeds ? follow(state, x, dw, s->v) : 0;
    if (flow)
        return flow;
    const dal_variation_direction along = {.coordinates = x, .v = speeds ? s->v : dw, .z = dz};
    const dal_variation_result more = {.qd = out, .states = out + nq + n_w, .speed_rates = s->speed_rates, .power = system->works ? s->power : NULL};
    flow = dal_slopes_along(state, &along, &more, s->vd, s->lambda);
    if (flow)
        return flow;
    if (speeds)
        rates_of_speeds(state, s->vd, out + nq);
    else
        memcpy(out + nq, s->vd, sizeof *out * (size_t)n_w);
    if (system->works) {
        add_powers(state, s->lambda, s->power);
        if (s->friction)
            dal_friction_slopes_power(state, s->friction, s->power);
        memcpy(out + nq + n_w + system->n_states, s->power, sizeof *out * (size_t)system->works);
    }
    return 0;
}

const char *dal_slopes_corner(dal_state *state, int n)
{
    const dal_variation_point at = point_of(state);
    int found = -1;
    for (int i = 0; i <= n; i++)
        if ((found = dal_variation_corner(state->refinement->slopes->variation, &at, found)) < 0)
            return NULL;
    return dal_program_switch_text(state->system->actions.program, found);
}

const double *dal_slopes_of_friction(const dal_state *state)
{
    return dal_friction_slopes_change(state->refinement->slopes->friction);
}

const char *dal_slopes_at_rest(const dal_state *state)
{
    const int i = state->friction ? dal_friction_at_rest(state) : -1;
    return i < 0 ? NULL : state->mechanism->joints[state->friction->element[i].joint].name;
}
