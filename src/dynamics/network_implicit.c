/* A network as F(t, y, y', lambda) = 0, with its Jacobian assembled from the derivatives of the components.
 *
 *   rows           F                                  columns
 *   q of a body    q' - v                             c 1 by q, -1 by v
 *   v of a body    v' - a(q, v; wrenches, sources)    c 1 by v; -da by q and v; -W g^T by lambda; -W (d wrench) by q of all sides of its joints;
 *                                                     -W (d source) by whatever its sources follow
 *   states, work   y' - f                             c 1; rates of states by whatever they follow
 *   rows of a      f'' + 2 alpha f' + beta^2 f        by q of its sides, and by v, with v' at the rate c
 *   joint          (dependent rows: lambda)
 *   row of a body  the same, p.p - 1 = 0              by q and v of the body; its multiplier: -(own mobility) in v of the body
 *
 * W = d v' by a wrench at a port, g = the joint's rows there. What bodies and joints compute is differentiated through their ports, one coordinate or
 * velocity of one body at a time, and is exact (variation/network_slopes.h). The dependences of sources are
 * found once: the position of one body at a time is set to NaN, and the wrenches that become NaN depend on it. The slopes of sources are exact
 * (slopes.h), of many bodies at a time where they have no source in common. The work depends on everything, and nothing depends on it: its row has
 * only its diagonal, and is exact after one more iteration.
 */
#include "component/network.h"

#include "math/vec.h"
#include "dynamics/row_rank.h"
#include "dynamics/slopes.h"
#include "model/system.h"
#include "state/report.h"
#include "state/state.h"
#include "state/values.h"
#include "variation/network_slopes.h"

#include <math.h>
#include <string.h>

/* ---- what follows what ------------------------------------------------------------------- */

static bool expressions_follow(const dal_state *state)
{
    const dal_compiled *actions = &state->system->actions;
    bool follows = false;
    for (int i = 0; i < actions->n_needs; i++)
        follows |= isnan(dal_signal_value(&state->work, state->values->z, state->values->inputs, &state->system->signals[actions->needs[i]]));
    return follows;
}

/* Sources at a state in which something is NaN; expressions are not evaluated there: either all of them follow it, or none. */
static void push_poisoned(dal_state *state, bool expressions)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->actions.n_outputs; i++)
        state->values->expression[i] = expressions ? NAN : 0;
    dal_loads_apply(&state->loads, system->acting.n_groups, system->acting.groups);
    for (int i = 0; i < system->acting.n_laws; i++)
        dal_push_measure(&state->loads, system->acting.laws[i].measure, state->values->expression[system->acting.laws[i].expression], true);
}

static void find_followers_of(dal_state *state, dal_network_pattern *p, int c)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    const int n = system->mechanism.n_bodies;
    dal_state_unpack(state, state->work.t, p->y);
    for (int k = 0; c < n && k < layout->body[c].nv; k++)
        state->work.q[layout->body[c].q + k] = state->work.v[layout->body[c].v + k] = NAN;
    for (int k = 0; c == n && k < system->n_states; k++)
        state->values->z[k] = NAN;
    dal_state_position(state);
    dal_state_velocity(state);
    const bool expressions = expressions_follow(state);
    push_poisoned(state, expressions);
    for (int b = 0; b < n; b++) {
        bool follows = false;
        for (int k = 0; k < 6; k++)
            follows |= isnan(state->work.force[6 * b + k]);
        p->follows[c * (n + 1) + b] = follows;
    }
    p->follows[c * (n + 1) + n] = expressions && system->n_states;
}

static void colour_network(dal_network_pattern *p, int n)
{
    for (int c = 0; c < n; c++) {
        int own = 0;
        for (bool again = true; again;) {
            again = false;
            for (int r = 0; r < n && !again; r++)
                for (int d = 0; p->follows[c * n + r] && d < c && !again; d++)
                    again = p->follows[d * n + r] && p->colour[d] == own;
            own += again;
        }
        p->colour[c] = own;
        p->n_colours = p->n_colours > own + 1 ? p->n_colours : own + 1;
    }
}

enum { MOBILITY = 6 * DAL_BODY_VELOCITIES }; /* entries of W */

/* ---- pattern ----------------------------------------------------------------------------- */

static int group_q(const dal_network *n, int b)
{
    (void)n;
    return b;
}

static int group_v(const dal_network *n, int b)
{
    return n->n_bodies + b;
}

static int group_states(const dal_network *n)
{
    return 2 * n->n_bodies;
}

static int group_work(const dal_network *n)
{
    return 2 * n->n_bodies + 1;
}

static int group_joint(const dal_network *n, int j)
{
    return 2 * n->n_bodies + 2 + j;
}

static int group_own(const dal_network *n, int b)
{
    return 2 * n->n_bodies + 2 + n->n_joints + b;
}

static void size_groups(const dal_system *system, const dal_network *n, dal_network_pattern *p)
{
    const dal_layout *layout = &system->layout;
    for (int b = 0; b < n->n_bodies; b++) {
        p->first[group_q(n, b)] = layout->body[b].q;
        p->first[group_v(n, b)] = layout->nq + layout->body[b].v;
        p->size[group_q(n, b)] = p->size[group_v(n, b)] = layout->body[b].nv;
        p->first[group_own(n, b)] = system->n_y + (n->own_row[b] >= 0 ? n->own_row[b] : n->n_all);
        p->size[group_own(n, b)] = n->own_row[b] >= 0;
    }
    p->first[group_states(n)] = layout->nq + layout->nv;
    p->size[group_states(n)] = system->n_states;
    p->first[group_work(n)] = layout->nq + layout->nv + system->n_states;
    p->size[group_work(n)] = system->works;
    for (int j = 0; j < n->n_joints; j++) {
        p->first[group_joint(n, j)] = system->n_y + n->row[j];
        p->size[group_joint(n, j)] = n->row[j + 1] - n->row[j];
    }
}

static void mark_joint_network(const dal_network *n, bool *mark, int groups, int j)
{
    const int own = group_joint(n, j);
    mark[own * groups + own] = true;
    for (int c = n->of_joint[j]; c < n->of_joint[j + 1]; c++) {
        const int a = n->connection[c].body;
        if (a == n->n_bodies)
            continue;
        mark[group_q(n, a) * groups + own] = mark[group_v(n, a) * groups + own] = mark[own * groups + group_v(n, a)] = true;
        for (int d = n->of_joint[j]; d < n->of_joint[j + 1]; d++)
            if (n->connection[d].body < n->n_bodies)
                mark[group_q(n, n->connection[d].body) * groups + group_v(n, a)] = true;
    }
}

/* mark[column group][row group] */
static void mark_blocks(const dal_network *n, const dal_network_pattern *p, bool *mark)
{
    const int groups = p->n_groups, bodies = n->n_bodies;
    mark[group_states(n) * groups + group_states(n)] = mark[group_work(n) * groups + group_work(n)] = true;
    for (int b = 0; b < bodies; b++) {
        const int q = group_q(n, b), v = group_v(n, b), own = group_own(n, b);
        mark[q * groups + q] = mark[v * groups + q] = mark[q * groups + v] = mark[v * groups + v] = true;
        if (n->own_row[b] >= 0)
            mark[q * groups + own] = mark[v * groups + own] = mark[own * groups + v] = mark[own * groups + own] = true;
    }
    for (int j = 0; j < n->n_joints; j++)
        mark_joint_network(n, mark, groups, j);
    for (int c = 0; c <= bodies; c++)
        for (int r = 0; r <= bodies; r++) {
            if (!p->follows[c * (bodies + 1) + r])
                continue;
            const int row = r < bodies ? group_v(n, r) : group_states(n);
            if (c == bodies)
                mark[group_states(n) * groups + row] = true;
            else
                mark[group_q(n, c) * groups + row] = mark[group_v(n, c) * groups + row] = true;
        }
}

/* Groups stand in the order of their first rows, so that rows ascend within a column. */
static void layout_columns(dal_arena *arena, dal_network_pattern *p, const bool *mark, int n_columns)
{
    size_t cap_blocks = 0, cap_rows = 0;
    p->block_start = DAL_NEW(arena, int, p->n_groups + 1);
    p->start = DAL_NEW(arena, int, n_columns + 1);
    for (int g = 0; g < p->n_groups; g++) {
        int offset = 0;
        p->block_start[g] = p->n_blocks;
        for (int r = 0; r < p->n_groups; r++)
            if (mark[g * p->n_groups + r]) {
                *DAL_PUSH(arena, p->block, p->n_blocks, cap_blocks) = (dal_network_block){r, g, offset};
                offset += p->size[r];
            }
        for (int c = 0; c < p->size[g]; c++) {
            p->start[p->first[g] + c] = p->n_entries;
            for (int k = p->block_start[g]; k < p->n_blocks; k++)
                for (int i = 0; i < p->size[p->block[k].row_group]; i++)
                    *DAL_PUSH(arena, p->row, p->n_entries, cap_rows) = p->first[p->block[k].row_group] + i;
        }
    }
    p->block_start[p->n_groups] = p->n_blocks;
    p->start[n_columns] = p->n_entries;
}

typedef struct layer {
    dal_arena *arena;
    dal_state *state;
    dal_network_pattern *pattern;
} layer;

static dal_status layout_network(void *user)
{
    layer *l = user;
    dal_state *state = l->state;
    const dal_system *system = state->system;
    const dal_network *n = state->network;
    dal_network_pattern *p = l->pattern = DAL_NEW(l->arena, dal_network_pattern, 1);
    const int bodies = n->n_bodies;
    p->n_groups = 3 * bodies + 2 + n->n_joints;
    p->first = DAL_NEW(l->arena, int, p->n_groups);
    p->size = DAL_NEW(l->arena, int, p->n_groups);
    p->follows = DAL_NEW(l->arena, bool, (size_t)(bodies + 1) * (size_t)(bodies + 1));
    p->colour = DAL_NEW(l->arena, int, bodies + 1);
    p->slopes = dal_network_slopes_create(l->arena, &system->layout, n);
    p->mobility = DAL_NEW(l->arena, double, MOBILITY * n->n_connections);
    p->y = DAL_NEW(l->arena, double, system->n_y);
    p->slope = DAL_NEW(l->arena, double, 6 * bodies + system->n_states);
    bool *mark = DAL_NEW(l->arena, bool, (size_t)p->n_groups *(size_t)p->n_groups);
    memcpy(p->y, state->y, sizeof *p->y * (size_t)system->n_y);
    for (int c = 0; c <= bodies; c++)
        find_followers_of(state, p, c);
    dal_state_unpack(state, state->work.t, state->y);
    colour_network(p, bodies + 1);
    size_groups(system, n, p);
    mark_blocks(n, p, mark);
    layout_columns(l->arena, p, mark, system->n_y + n->n_all);
    return DAL_OK;
}

/* Friction depends on all multipliers at once and is not an equation of one joint: it is not supported here. */
static dal_status ready_network(dal_state *state, dal_implicit *form, bool *offered)
{
    dal_network *n = state->network;
    *offered = state->system->acting.n_frictions == 0 && !state->layout->curved; /* wrenches that depend on velocities are not differentiated */
    if (!*offered)
        return DAL_OK;
    if (!dal_slopes_open(state))
        return DAL_NO_MEMORY;
    if (!n->implicit) {
        dal_arena arena;
        layer l = {&arena, state, NULL};
        dal_arena_begin(&arena, &state->hold.allocator);
        if (dal_arena_try(&arena, layout_network, &l) != DAL_OK || !(l.pattern->arena = dal_arena_keep(&arena))) {
            dal_arena_release(&arena);
            return DAL_NO_MEMORY;
        }
        n->implicit = l.pattern;
    }
    form->n_algebraic = n->n_all;
    form->n_entries = n->implicit->n_entries;
    form->start = n->implicit->start;
    form->row = n->implicit->row;
    return DAL_OK;
}

/* ---- F ----------------------------------------------------------------------------------- */

/* lambda and v' of the explicit solution; its rows are the ones that count from now on. */
static dal_flow begin_network(dal_state *state, double t, const double *y, double *yd, double *z)
{
    dal_network *n = state->network;
    dal_flow flow = dal_state_derivative(state, t, y, yd);
    if (flow)
        return flow;
    memcpy(n->independent, state->rank->independent, sizeof *n->independent * (size_t)n->n_all);
    for (int i = 0; i < n->n_all; i++)
        z[i] = n->independent[i] ? state->lambda[i] : 0;
    return 0;
}

/* Sources of all bodies, and rates of states. */
static dal_flow sources_at(dal_state *state, double t, const double *y)
{
    dal_flow flow = dal_state_unpack(state, t, y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_velocity(state);
    return dal_state_push(state);
}

/* Every component at (t, y, y', lambda): bodies move with y', and have all wrenches; joints have seen their ports. */
static dal_flow visit_network(dal_state *state, double t, const double *y, const double *yd, const double *z)
{
    dal_network *n = state->network;
    const dal_layout *layout = state->layout;
    dal_flow flow = sources_at(state, t, y);
    if (flow)
        return flow;
    dal_network_begin(n, layout, &state->work);
    for (int b = 0; b < n->n_bodies; b++)
        dal_body_component_set(n->body[b], yd + layout->nq + layout->body[b].v);
    const int left = dal_network_residuals(n, state->work.t);
    if (left)
        return dal_state_left_table(state, left);
    dal_network_wrenches(n, z);
    dal_network_hold(n, z);
    return 0;
}

/* Where rows are redundant, the independent ones of one position may depend on each other in another: others are chosen in time, and
 * the run begins again with them (`stale`). Near a singular position the state's `nearness` shows it. */
static void watch_rows(dal_state *state)
{
    dal_network *n = state->network;
    if (!n->n_rows)
        return;
    dal_state_jacobian(state);
    dal_state_alarm(state, DAL_FACTOR_NETWORK, dal_network_factor(n, n->independent));
}

static dal_flow residual_network(dal_state *state, double t, const double *y, const double *yd, const double *z, double *F)
{
    dal_network *n = state->network;
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    dal_flow flow = visit_network(state, t, y, yd, z);
    if (flow)
        return flow;
    const int nq = layout->nq, nv = layout->nv;
    state->report->evaluations++;
    for (int k = 0; k < nq; k++)
        F[k] = yd[k] - y[nq + k];
    for (int b = 0; b < n->n_bodies; b++) {
        const int first = nq + layout->body[b].v, own = n->own_row[b];
        if (own >= 0)
            F[system->n_y + own] = n->independent[own] ? dal_body_component_residual(n->body[b]) : z[own];
        dal_body_component_accelerate(n->body[b]);
        for (int k = 0; k < layout->body[b].nv; k++)
            F[first + k] = yd[first + k] - dal_body_component_acceleration(n->body[b])[k];
    }
    for (int k = 0; k < system->n_states; k++)
        F[nq + nv + k] = yd[nq + nv + k] - state->values->expression[system->n_expressions + k];
    memcpy(state->lambda, z, sizeof *z * (size_t)n->n_all);
    if (system->works)
        dal_state_powers(state, F + system->n_control);
    for (int k = system->n_control; k < system->n_y; k++)
        F[k] = yd[k] - F[k];
    for (int i = 0; i < n->n_rows; i++)
        F[system->n_y + i] = n->independent[i] ? n->residual[i] : z[i];
    return 0;
}

/* ---- its Jacobian --------------------------------------------------------------------------- */

typedef struct filler {
    dal_state *state;
    const dal_network *network;
    const dal_network_pattern *pattern;
    double c;
    double *entries;
} filler;

/* The first row of a block in one of its columns. */
static double *at_network(const filler *f, int row_group, int column_group, int column)
{
    const dal_network_pattern *p = f->pattern;
    int k = p->block_start[column_group];
    while (p->block[k].row_group != row_group)
        k++;
    return f->entries + p->start[p->first[column_group] + column] + p->block[k].offset;
}

/* A row of 6 of W times a wrench. */
static double times(const double *row, const double *wrench)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += row[i] * wrench[i];
    return sum;
}

/* The effect of a wrench at a connection on its body, if that moves, in one column. */
static void add_wrench(const filler *f, int c, const double *wrench, int column_group, int column)
{
    const int b = f->network->connection[c].body;
    if (b == f->network->n_bodies)
        return;
    const double *W = f->pattern->mobility + MOBILITY * c;
    double *out = at_network(f, group_v(f->network, b), column_group, column);
    for (int i = 0; i < f->pattern->size[group_v(f->network, b)]; i++)
        out[i] -= times(W + 6 * i, wrench);
}

/* Everything of a body and its joints by coordinate k of the body, or by velocity k. */
static void fill_column(const filler *f, int b, int k, bool velocity)
{
    const dal_network *n = f->network;
    const int group = velocity ? group_v(n, b) : group_q(n, b), own = n->own_row[b];
    const dal_network_direction along = {.body = b, .k = k, .q = !velocity, .v = velocity, .vd = velocity ? f->c : 0};
    const dal_network_change *change = dal_network_slopes_along(f->pattern->slopes, &along);
    double *out = at_network(f, group_v(n, b), group, k);
    at_network(f, group_q(n, b), group, k)[k] += velocity ? -1 : f->c;
    out[k] += along.vd;
    for (int i = 0; i < f->pattern->size[group]; i++)
        out[i] -= change->vd[i];
    if (own >= 0 && n->independent[own])
        *at_network(f, group_own(n, b), group, k) = change->own;
    for (int port = n->of_body[b]; port < n->of_body[b + 1]; port++) {
        const int j = n->connection[n->at_port[port]].joint;
        double *rows = at_network(f, group_joint(n, j), group, k);
        for (int i = n->row[j]; i < n->row[j + 1]; i++)
            rows[i - n->row[j]] = n->independent[i] ? change->residual[i] : 0;
        for (int c = n->of_joint[j]; c < n->of_joint[j + 1] && !velocity; c++)
            add_wrench(f, c, change->wrench + 6 * c, group, k);
    }
}

static void fill_body(const filler *f, int b)
{
    for (int k = 0; k < f->pattern->size[group_q(f->network, b)]; k++) {
        fill_column(f, b, k, false);
        fill_column(f, b, k, true);
    }
}

/* By the multiplier of its equation. */
static void fill_own(const filler *f, int b)
{
    const dal_network *n = f->network;
    const int row = n->own_row[b], own = group_own(n, b), v = group_v(n, b);
    double W[DAL_BODY_VELOCITIES];
    if (row < 0)
        return;
    *at_network(f, own, own, 0) = n->independent[row] ? 0 : 1;
    dal_body_component_own_mobility(n->body[b], W);
    for (int k = 0; k < f->pattern->size[v]; k++)
        at_network(f, v, own, 0)[k] = -W[k];
}

/* By the multipliers of its rows. */
static void fill_joint(const filler *f, int j)
{
    const dal_network *n = f->network;
    const int own = group_joint(n, j);
    for (int i = 0; i < f->pattern->size[own]; i++) {
        at_network(f, own, own, i)[i] = n->independent[n->row[j] + i] ? 0 : 1;
        for (int c = n->of_joint[j]; c < n->of_joint[j + 1]; c++)
            add_wrench(f, c, dal_joint_component_gradient(n->joint[j], n->connection[c].side) + 6 * i, own, i);
    }
}

/* Component k of group c (a body, or the states): is there one? Then its group of columns. */
static bool has_component(const filler *f, int c, int k, bool velocity, int *group)
{
    const dal_network *n = f->network;
    *group = c == n->n_bodies ? group_states(n) : velocity ? group_v(n, c) : group_q(n, c);
    return k < f->pattern->size[*group] && !(c == n->n_bodies && velocity);
}

/* p->slope: how wrenches and rates of states change with components k of all groups of a colour. */
static dal_flow sources_along(const filler *f, int colour_now, int k, bool velocity)
{
    const dal_network *n = f->network;
    const dal_network_pattern *p = f->pattern;
    const dal_system *system = f->state->system;
    const dal_layout *layout = &system->layout;
    int group;
    memset(p->y, 0, sizeof *p->y * (size_t)system->n_y);
    for (int c = 0; c <= n->n_bodies; c++)
        if (p->colour[c] == colour_now && has_component(f, c, k, velocity, &group))
            p->y[p->first[group] + k] = 1;
    const dal_variation_direction along = {.coordinates = p->y, .v = p->y + layout->nq, .z = p->y + layout->nq + layout->nv};
    return dal_slopes_of_forces(f->state, &along, p->slope, p->slope + 6 * n->n_bodies);
}

/* Entries of one column: what component k of group c changes of all that follows it. */
static void fill_followers(const filler *f, int c, int k, bool velocity)
{
    const dal_network *n = f->network;
    const dal_network_pattern *p = f->pattern;
    double W[MOBILITY];
    int column;
    if (!has_component(f, c, k, velocity, &column))
        return;
    for (int b = 0; b < n->n_bodies; b++) {
        if (!p->follows[c * (n->n_bodies + 1) + b])
            continue;
        double *out = at_network(f, group_v(n, b), column, k);
        dal_body_component_mobility(n->body[b], -1, W);
        for (int i = 0; i < p->size[group_v(n, b)]; i++)
            out[i] -= times(W + 6 * i, p->slope + 6 * b);
    }
    for (int s = 0; p->follows[c * (n->n_bodies + 1) + n->n_bodies] && s < p->size[group_states(n)]; s++)
        at_network(f, group_states(n), column, k)[s] -= p->slope[6 * n->n_bodies + s];
}

static dal_flow fill_sources_network(const filler *f)
{
    const dal_network_pattern *p = f->pattern;
    int most = p->size[group_states(f->network)];
    for (int b = 0; b < f->network->n_bodies; b++)
        most = most > p->size[b] ? most : p->size[b];
    for (int now = 0; now < p->n_colours; now++)
        for (int k = 0; k < most; k++)
            for (int velocity = 0; velocity < 2; velocity++) {
                const dal_flow flow = sources_along(f, now, k, velocity);
                if (flow)
                    return flow;
                for (int c = 0; c <= f->network->n_bodies; c++)
                    if (p->colour[c] == now)
                        fill_followers(f, c, k, velocity);
            }
    return 0;
}

/* Components on complex numbers, and mobilities, at the place that was visited. */
static void place_slopes(const filler *f, const double *yd, const double *z)
{
    const dal_network *n = f->network;
    const dal_work *w = &f->state->work;
    dal_network_slopes_at(f->pattern->slopes, &(dal_network_point){.t = w->t,
                                                                   .q = w->q,
                                                                   .v = w->v,
                                                                   .vd = yd + f->state->layout->nq,
                                                                   .lambda = z,
                                                                   .force = w->force,
                                                                   .direct = w->direct,
                                                                   .time = w->time,
                                                                   .winding = w->winding,
                                                                   .chart = w->chart});
    for (int c = 0; c < n->n_connections; c++)
        dal_body_component_mobility(n->body[n->connection[c].body], n->connection[c].port, f->pattern->mobility + MOBILITY * c);
}

static dal_flow jacobian_network(dal_state *state, double t, double c, const double *y, const double *yd, const double *z, double *entries)
{
    dal_network *n = state->network;
    const filler f = {state, n, n->implicit, c, entries};
    dal_flow flow = visit_network(state, t, y, yd, z);
    if (flow)
        return flow;
    place_slopes(&f, yd, z);
    watch_rows(state);
    memset(entries, 0, sizeof *entries * (size_t)n->implicit->n_entries);
    for (int b = 0; b < n->n_bodies; b++) {
        fill_body(&f, b);
        fill_own(&f, b);
    }
    for (int j = 0; j < n->n_joints; j++)
        fill_joint(&f, j);
    for (int k = 0; k < state->system->n_states; k++)
        at_network(&f, group_states(n), group_states(n), k)[k] += c;
    for (int k = 0; k < state->system->works; k++)
        at_network(&f, group_work(n), group_work(n), k)[k] = c;
    return fill_sources_network(&f);
}

static bool stale_network(const dal_state *state)
{
    return memcmp(state->network->independent, state->rank->independent, sizeof *state->rank->independent * (size_t)state->network->n_all) != 0;
}

const dal_implicit_form dal_network_implicit = {ready_network, begin_network, residual_network, jacobian_network, stale_network};
