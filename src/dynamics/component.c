/* Bodies and joints as components that exchange port variables and nothing else (`planar-component-library`): each body integrates its own
 * place and attitude from the wrenches at its ports, (5), (9); each joint's multipliers are the implicit variables of
 *     f'' + 2 alpha f' + beta^2 f = 0                                                     (23)
 * So is the multiplier of p.p - 1 = 0 of a body with Euler parameters; no other depends on it, and the body finds it alone. Here S lambda = -r_0 is
 * solved (component/network.h); integrators that solve F(t, y, y', lambda) = 0 get the network itself. Without another choice the stabilisation is
 * Baumgarte's; with another one alpha = beta = 0.
 */
#include "component/network.h"
#include "dynamics/equations.h"
#include "math/dense.h"
#include "dynamics/determined.h"
#include "dynamics/row_rank.h"
#include "dynamics/saddle.h"
#include "dynamics/singular.h"
#include "model/system.h"
#include "state/report.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool applies_component(const dal_system *system, dal_refusal *why)
{
    const dal_mechanism *m = &system->mechanism;
    if (system->layout.family->attitude == DAL_OWN_NONE) {
        dal_decline(why, DAL_REASON_OTHER,
                    "component needs `coordinates: angle` or `euler`: each body integrates its own place and attitude, and the family %s has "
                    "other coordinates",
                    system->layout.family->name);
        return false;
    }
    for (int b = 0; b < m->n_bodies; b++) {
        const char *lack = dal_body_lacks(m, &m->bodies[b]);
        if (!lack)
            continue;
        dal_decline(why, DAL_REASON_OTHER,
                    "component needs bodies that can be accelerated by themselves, and '%s' has %s; use lagrange, which "
                    "only needs the "
                    "constraints to make up for it",
                    m->bodies[b].name, lack);
        return false;
    }
    return true;
}

static dal_flow fail_at_table(dal_state *state, int table)
{
    return dal_state_left_table(state, table);
}

/* S at the ports as they are, with rows that are independent of each other. */
static dal_flow factor_component(dal_state *state)
{
    double ratio = dal_network_factor(state->network, state->rank->independent);
    if (dal_state_alarm(state, DAL_FACTOR_NETWORK, ratio))
        ratio = dal_network_factor(state->network, state->rank->independent);
    if (!(ratio > 0))
        return dal_state_fail(state, "the multipliers of the joints cannot be found: their equations depend on each other, and no independent "
                                     "ones were found");
    state->report->condition_worst = fmin(state->report->condition_worst, ratio);
    return 0;
}

enum { PASSES = 2 }; /* S has the square of the condition of the rows: the second pass removes the rounding of the first */

/* Without the joints' wrenches the joints miss (23) by r_0; lambda = -S^-1 r_0, and the bodies move with the wrenches of it. */
static dal_flow solve_component(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY | DAL_STAGE_FORCES));
    dal_network *network = state->network;
    const dal_layout *layout = state->layout;
    dal_flow flow = 0;
    memset(state->lambda, 0, sizeof *state->lambda * (size_t)network->n_rows);
    dal_network_begin(network, layout, &state->work);
    dal_network_hold_themselves(network, state->lambda);
    dal_network_accelerate(network);
    for (int pass = 0; pass < PASSES && network->n_rows; pass++) {
        const int left = dal_network_residuals(network, state->work.t);
        if (left)
            return fail_at_table(state, left);
        if (pass == 0 && (flow = factor_component(state)))
            return flow;
        if (state->singular->near) /* S has the square of the condition of the rows */
            return dal_lagrange_solve(state);
        dal_network_correct(network, state->rank->independent);
        for (int i = 0; i < network->n_rows; i++)
            state->lambda[i] += network->change[i];
        dal_network_wrenches(network, state->lambda);
        dal_network_accelerate(network);
    }
    for (int b = 0; b < network->n_bodies; b++)
        memcpy(state->vd + layout->body[b].v, dal_body_component_acceleration(network->body[b]), sizeof *state->vd * (size_t)layout->body[b].nv);
    return 0;
}

/* x := M^-1 x, body by body; M completed by the bodies' own rows. */
static void divide_by_inertia(const dal_state *state, double *x)
{
    const dal_layout *layout = state->layout;
    for (int b = 0; b < layout->n_blocks; b++) {
        const dal_mass_block *at = &layout->block[b];
        double L[DAL_BODY_VELOCITIES * DAL_BODY_VELOCITIES];
        int where;
        dal_complete_inertia(state, b, L);
        if (dal_cholesky(L, at->n, at->n, 0, &where))
            dal_cholesky_solve(L, at->n, at->n, x + at->column);
    }
}

/* The errors of the multipliers of the bodies' own rows A_i. M v is zero along A_i: 0 = A_i f + A_i A_i^T dlambda_i. */
static void correct_own(const dal_state *state, const double *f, double *dlambda)
{
    const dal_layout *layout = state->layout;
    for (int i = layout->n_extrinsic; i < layout->n_rows; i++) {
        const dal_row_layout *at = &layout->row[i];
        double along = 0, square = 0;
        for (int k = at->value; k < at->value + at->n_values; k++) {
            along += state->work.A[k] * f[layout->column[k]];
            square += state->work.A[k] * state->work.A[k];
        }
        dlambda[i] = -along / square;
    }
}

/* S dlambda = b - A M^-1 f of the joints, dv = M^-1 (f + A^T dlambda) of the bodies: a correction added to v' keeps digits that a sum of wrenches,
 * each many times as large, would lose. With own rows M and f are completed by them. */
static void correct_component(dal_state *state, const double *f, const double *b, double *dv, double *dlambda)
{
    dal_network *network = state->network;
    const dal_layout *layout = state->layout;
    memcpy(dv, f, sizeof *f * (size_t)layout->nv);
    for (int k = 0; k < layout->n_blocks; k++)
        dal_complete_force(state, k, b, dv + layout->block[k].column);
    divide_by_inertia(state, dv);
    dal_rows_times(layout, state->work.A, dv, dlambda);
    for (int i = 0; i < network->n_rows; i++)
        network->residual[i] = dlambda[i] - b[i];
    if (network->n_rows)
        dal_network_correct(network, state->rank->independent);
    for (int i = 0; i < network->n_rows; i++)
        dlambda[i] = state->rank->independent[i] ? network->change[i] : 0;
    correct_own(state, f, dlambda);
    dal_rows_transposed(layout, state->work.A, dlambda, dv);
    for (int j = 0; j < layout->nv; j++)
        dv[j] += f[j];
    for (int k = 0; k < layout->n_blocks; k++)
        dal_complete_force(state, k, b, dv + layout->block[k].column);
    divide_by_inertia(state, dv);
}

/* The body whose own row it is; -1: a joint's. */
static int owner_of(const dal_network *network, int row)
{
    int b = row < network->n_rows ? -1 : network->n_bodies - 1;
    while (b >= 0 && network->own_row[b] != row)
        b--;
    return b;
}

/* a: accelerations of the bodies without the joints; r_0: residuals of the joints then. Leaves the ports at lambda = 0. */
static void show_free(dal_state *state, double *a, double *r)
{
    dal_network *network = state->network;
    const dal_layout *layout = state->layout;
    dal_network_begin(network, layout, &state->work);
    for (int b = 0; b < network->n_bodies; b++) {
        dal_body_component_accelerate(network->body[b]);
        memcpy(a + layout->body[b].v, dal_body_component_acceleration(network->body[b]), sizeof *a * (size_t)layout->body[b].nv);
    }
    dal_network_residuals(network, state->work.t);
    for (int i = 0; i < state->rank->n; i++) {
        const int row = state->rank->order[i], body = owner_of(network, row);
        double W[DAL_BODY_VELOCITIES];
        if (body < 0)
            r[i] = -network->residual[row];
        else /* the same; as a difference of accelerations it would be rounding */
            r[i] = dal_body_component_own_mobility(network->body[body], W) * dal_body_component_multiplier(network->body[body]);
    }
}

/* Columns of mobility: v' of a unit of each multiplier, through the ports of its joint. */
static void show_mobility(dal_state *state, double *W)
{
    const dal_network *network = state->network;
    const dal_layout *layout = state->layout;
    for (int c = 0; c < network->n_connections; c++) {
        const dal_connection *at = &network->connection[c];
        double own[6 * DAL_BODY_VELOCITIES];
        const double *g = dal_joint_component_gradient(network->joint[at->joint], at->side);
        if (at->body == network->n_bodies)
            continue;
        dal_body_component_mobility(network->body[at->body], at->port, own);
        for (int i = 0; i < state->rank->n; i++) {
            const int row = state->rank->order[i] - network->row[at->joint];
            if (row < 0 || state->rank->order[i] >= network->row[at->joint + 1])
                continue;
            for (int k = 0; k < layout->body[at->body].nv; k++)
                for (int l = 0; l < 6; l++)
                    W[(size_t)(layout->body[at->body].v + k) * (size_t)state->rank->n + (size_t)i] += own[6 * k + l] * g[6 * row + l];
        }
    }
    for (int i = 0; i < state->rank->n; i++) {
        const int b = owner_of(network, state->rank->order[i]);
        double own[DAL_BODY_VELOCITIES];
        if (b < 0)
            continue;
        dal_body_component_own_mobility(network->body[b], own);
        for (int k = 0; k < layout->body[b].nv; k++)
            W[(size_t)(layout->body[b].v + k) * (size_t)state->rank->n + (size_t)i] = own[k];
    }
}

/* f'' of row i by the multiplier of row j. Those of the bodies' own rows stand alone. */
static double admittance_between(const dal_network *network, int i, int j)
{
    double W[DAL_BODY_VELOCITIES];
    const int b = owner_of(network, i);
    if (i < network->n_rows && j < network->n_rows)
        return dal_network_entry(network, i, j);
    return i == j ? dal_body_component_own_mobility(network->body[b], W) : 0;
}

/* v' = a + W lambda of the bodies, S lambda = -r_0 of the joints. */
static void show_component(dal_state *state, dal_equations *equations)
{
    dal_network *network = state->network;
    const int m = state->layout->nv, k = state->rank->n;
    const bool own = state->layout->n_intrinsic > 0;
    dal_show_equation(equations, "[1 -W; 0 S] [v'; lambda] = [a; -r_0]",
                      "`planar-component-library` (5), (9), (17), (23), solved for the multipliers");
    const dal_names rates = dal_names_accelerations(equations, state), rows = dal_names_rows(equations, state);
    double *one = dal_show_matrix(equations, "1", "each body has its own acceleration", rates, rates);
    for (int i = 0; i < m; i++)
        one[(size_t)i * (size_t)m + (size_t)i] = 1;
    dal_show_place(equations, 0, 0, false, 1);
    double *a = dal_show_vector(equations, "a", "accelerations of the bodies without the joints", rates);
    dal_show_right(equations, 0);
    double *r = dal_show_vector(equations, "-r_0",
                                own ? "-(f'' + 2 alpha f' + beta^2 f) of the joints, and of the bodies' own rows, at these accelerations"
                                    : "-(f'' + 2 alpha f' + beta^2 f) of the joints at these accelerations",
                                rows);
    dal_show_right(equations, m);
    show_free(state, a, r);
    double *W = dal_show_matrix(equations, "W", "accelerations of the bodies by the multipliers", rates, rows);
    dal_show_place(equations, 0, m, false, -1);
    show_mobility(state, W);
    double *S = dal_show_matrix(equations, "S",
                                own ? "admittance of the network: f'' of the joints, and of the bodies' own rows, by their multipliers"
                                    : "admittance of the network: f'' of the joints by their multipliers",
                                rows, rows);
    dal_show_place(equations, m, m, false, 1);
    dal_network_assemble(network);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++)
            S[(size_t)i * (size_t)k + (size_t)j] = admittance_between(network, state->rank->order[i], state->rank->order[j]);
    dal_show_dependent(equations, state);
    dal_show_unknowns(equations, rates, state->vd);
    dal_show_multipliers(equations, state, "");
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static bool open_network(dal_state *state)
{
    const dal_system *system = state->system;
    if (!system->method.formulation->components)
        return true;
    state->network = dal_network_create(&state->hold.allocator, &system->layout, &system->method, system->joint_forms);
    return state->network;
}

static void close_network(dal_state *state)
{
    dal_network_free(state->network);
}

static void keep_network(dal_state *state, dal_keep *keep)
{
    if (state->network && state->network->sparse)
        dal_sparse_keep(state->network->sparse, keep);
}

const dal_owner dal_network_owner = {.open = open_network, .close = close_network, .keep = keep_network};

const dal_formulation dal_component = {
    .name = "component",
    .title = "bodies and joints as components that exchange port variables; multipliers from Baumgarte's equation of each joint",
    DAL_FORMULATION_WITH_MULTIPLIERS(applies_component, solve_component, correct_component, show_component),
    .components = true,
    .stabilization = "baumgarte",
    .implicit = &dal_network_implicit,
};
