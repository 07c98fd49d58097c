/* A state as it is given: made of zeros, drawn at random, entered.
 *
 * Entering moves nothing: q and v become those of the instant, whatever the constraints say. Angles that joints measure are known up to
 * whole turns only, so the coordinates go from the start to their values in small parts, and the counters of turns follow.
 *
 * A random state of a model without constraints is drawn at once. With constraints it is the start plus a random change, projected onto the
 * constraints by the least change; if the projection fails, with half of the random change.
 */
#include "analysis/evaluator.h"
#include "base/argument.h"
#include "kinematics/tree.h"
#include "math/chance.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "dynamics/row_rank.h"
#include "state/scale.h"
#include "state/state_parts.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <string.h>

static const double part_of_way = 0.5; /* rad or m at once */
static const double most_parts = 1e4;
enum { MOST_HALVINGS = 12 };

/* ---- attitudes ------------------------------------------------------------------------ */

/* Of the tree: its steps are in the order of q. */
static bool next_ball(const dal_tree *tree, int k, dal_turn_block *attitude)
{
    for (int s = 0; s < tree->n_steps; s++)
        if (tree->step[s].kind == DAL_STEP_BALL && tree->step[s].q + 4 > k && tree->step[s].q >= 0) {
            *attitude = (dal_turn_block){tree->step[s].q, 4, true};
            return true;
        }
    return false;
}

bool dal_next_attitude(const dal_system *system, int k, dal_turn_block *attitude)
{
    const dal_layout *layout = dal_system_layout(system);
    const int space = (int)layout->mechanism->space;
    if (layout->tree)
        return next_ball(layout->tree, k, attitude);
    for (int b = 0; b < layout->mechanism->n_bodies && !layout->family->shares; b++) {
        const dal_body_layout *at = &layout->body[b];
        if (at->n_intrinsic && at->q + at->nq > k) {
            *attitude = (dal_turn_block){at->q + space, at->nq - space, !layout->family->separated};
            return true;
        }
    }
    return false;
}

/* (1, 0, 0, 0), or the unit matrix. */
void dal_level(const dal_turn_block *attitude, double *q)
{
    const int side = attitude->n == 9 ? 3 : 2;
    for (int i = 0; i < attitude->n; i++)
        q[attitude->q + i] = attitude->unit ? i == 0 : i / side == i % side;
}

/* ---- making one -------------------------------------------------------------------------- */

typedef struct making {
    dal_arena arena;
    const dal_system *system;
    dal_instant *instant;
} making;

/* Are there Euler angles about axes that the program chooses? */
static bool has_charts(const dal_layout *layout)
{
    return layout->family->rechart && !layout->sequence_fixed && layout->mechanism->space == DAL_SPATIAL;
}

static dal_status make_instant(void *user)
{
    making *m = user;
    const int nq = dal_system_layout(m->system)->nq, nv = dal_system_layout(m->system)->nv;
    dal_turn_block attitude;
    dal_instant *instant = m->instant = DAL_NEW(&m->arena, dal_instant, 1);
    *instant = (dal_instant){.nq = nq, .nv = nv, .q = DAL_NEW(&m->arena, double, nq), .rates = DAL_NEW(&m->arena, double, nv)};
    instant->forces = DAL_NEW(&m->arena, double, nv);
    instant->accelerations = DAL_NEW(&m->arena, double, nv);
    instant->wanted = DAL_NEW(&m->arena, bool, nv);
    instant->n_axes = has_charts(dal_system_layout(m->system)) ? 3 * dal_system_mechanism(m->system)->n_bodies : 0;
    instant->axes = DAL_NEW(&m->arena, int, instant->n_axes);
    for (int k = 0; k < instant->n_axes; k++)
        instant->axes[k] = -1;
    instant->n_states = dal_system_states(m->system, NULL);
    instant->states = DAL_NEW(&m->arena, double, instant->n_states);
    instant->states_given = DAL_NEW(&m->arena, bool, instant->n_states);
    for (int k = 0; dal_next_attitude(m->system, k, &attitude); k = attitude.q + attitude.n)
        dal_level(&attitude, instant->q);
    return DAL_OK;
}

dal_status dal_instant_create(const dal_allocator *allocator, const dal_system *system, dal_instant **instant)
{
    making m = {.system = system};
    if (instant)
        *instant = NULL;
    if (!system || !instant || !dal_can_allocate(allocator))
        return DAL_BAD_COMMAND;
    dal_arena_begin(&m.arena, allocator);
    const dal_status status = dal_arena_try(&m.arena, make_instant, &m);
    return dal_arena_deliver(&m.arena, status == DAL_OK, status, m.instant, offsetof(dal_instant, memory), instant);
}

dal_status dal_instant_of(const dal_allocator *allocator, dal_state *state, dal_messages *messages, dal_instant **instant)
{
    if (instant)
        *instant = NULL;
    if (!DAL_NEEDS(messages, instant) || !dal_needs_state(messages, __func__, state) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    dal_status status = dal_state_evaluate(state, messages);
    if (status == DAL_OK)
        status = dal_instant_create(allocator, dal_system_of(state), instant);
    if (status != DAL_OK)
        return status;
    dal_instant *made = *instant;
    const dal_work *work = dal_seen_work(state);
    made->time = work->t;
    memcpy(made->q, work->q, sizeof *made->q * (size_t)made->nq);
    memcpy(made->rates, work->v, sizeof *made->rates * (size_t)made->nv);
    if (made->n_axes)
        memcpy(made->axes, work->chart, sizeof *made->axes * (size_t)made->n_axes);
    for (int k = 0; k < made->n_states; k++) {
        made->states[k] = dal_own_states_of(state)[k];
        made->states_given[k] = true;
    }
    return DAL_OK;
}

void dal_instant_free(dal_instant *instant)
{
    if (instant)
        dal_arena_dispose(instant->memory);
}

/* ---- entering it --------------------------------------------------------------------------- */

/* Attitudes are set in one step. state->y still has the start. */
static void go_part(dal_state *state, const dal_instant *instant, double part)
{
    dal_work *work = dal_work_of(state);
    dal_turn_block attitude;
    for (int k = 0; k < instant->nq; k++)
        work->q[k] = part < 1 ? dal_state_y(state)[k] + part * (instant->q[k] - dal_state_y(state)[k]) : instant->q[k];
    for (int k = 0; dal_next_attitude(dal_system_of(state), k, &attitude); k = attitude.q + attitude.n)
        memcpy(work->q + attitude.q, instant->q + attitude.q, sizeof *instant->q * (size_t)attitude.n);
    dal_state_moved(state);
    dal_state_position(state);
}

/* The only term of a row that counts turns, or NULL. */
static const dal_term *turning_term(const dal_mechanism *m, const dal_row *row)
{
    const dal_term *found = NULL;
    int n = 0;
    for (int k = row->term; k < row->term + row->n_terms && row->form < 0; k++)
        if (m->measures[m->terms[k].measure].winding >= 0) {
            found = &m->terms[k];
            n++;
        }
    return n == 1 ? found : NULL;
}

/* Attitudes of bodies in space, and parameters of attitudes, do not count whole turns. For a row with one such angle (a drive, a screw) the turn
 * with the smallest error of the row is used. */
static void count_turns(dal_state *state)
{
    dal_work *work = dal_work_of(state);
    const dal_system *system = dal_system_of(state);
    const dal_layout *layout = dal_layout_of(state);
    dal_turn_block attitude;
    if (layout->family->shares || (layout->mechanism->space == DAL_PLANAR && !dal_next_attitude(system, 0, &attitude)))
        return;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_term *term = turning_term(layout->mechanism, &layout->mechanism->rows[layout->row[i].source]);
        if (term)
            work->winding[layout->mechanism->measures[term->measure].winding] = work->value[term->measure] - work->phi[i] / term->coef;
    }
    dal_state_moved(state);
    dal_state_position(state);
}

/* True: some axes are not those of the start, whose angles are then no way to the given ones. */
static bool take_axes(dal_work *work, const dal_instant *instant)
{
    bool others = false;
    for (int k = 0; k < instant->n_axes; k++) {
        others = others || (instant->axes[k] >= 0 && instant->axes[k] != work->chart[k]);
        work->chart[k] = instant->axes[k] >= 0 ? instant->axes[k] : work->chart[k];
    }
    return others;
}

int dal_instant_enter(dal_state *state, const dal_instant *instant)
{
    dal_work *work = dal_work_of(state);
    double way = 0;
    dal_state_reset(state);
    const bool jumps = take_axes(work, instant);
    work->t = instant->time;
    for (int k = 0; k < instant->nq && dal_layout_of(state)->mechanism->n_windings; k++)
        way = fmax(way, fabs(instant->q[k] - dal_state_y(state)[k]));
    const int parts = jumps ? 1 : (int)fmin(most_parts, ceil(way / part_of_way));
    for (int i = 1; i < parts; i++) {
        go_part(state, instant, (double)i / parts);
        dal_state_unwind(state);
    }
    go_part(state, instant, 1);
    count_turns(state);
    memcpy(work->v, instant->rates, sizeof *instant->rates * (size_t)instant->nv);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    dal_state_unwind(state);
    dal_state_rank(state, dal_system_rank(dal_system_of(state)));
    dal_values_of(state)->frozen = false;
    const dal_flow flow = dal_state_adopt(state, instant->time, instant->q, instant->rates);
    for (int k = 0; k < instant->n_states && !flow; k++)
        if (instant->states_given[k])
            dal_own_states_of(state)[k] = instant->states[k];
    return flow;
}

/* ---- at random -------------------------------------------------------------------------------- */

static double normal(uint64_t *seed) /* Box and Muller */
{
    const double u = 0.5 * (dal_chance(seed) + 1), angle = M_PI * dal_chance(seed);
    return sqrt(-2 * log(u)) * cos(angle);
}

/* A change of the model's length, as a change of velocity k. */
static double size_of(const dal_system *system, int k)
{
    const dal_layout *layout = dal_system_layout(system);
    return layout->units.length / layout->units.column_scale[k];
}

static void draw_rates(const dal_system *system, uint64_t *seed, double *rates)
{
    const dal_layout *layout = dal_system_layout(system);
    for (int k = 0; k < layout->nv; k++)
        rates[k] = (layout->angular[k] == 1 ? 1 : size_of(system, k)) * normal(seed);
}

static void draw_change(const dal_system *system, uint64_t *seed, double *change)
{
    const dal_layout *layout = dal_system_layout(system);
    for (int k = 0; k < layout->nv; k++)
        change[k] = (layout->angular[k] == 1 ? M_PI : size_of(system, k)) * dal_chance(seed);
}

static void normalise_attitude(const dal_turn_block *attitude, double *q)
{
    double sum = 0;
    for (int i = 0; i < attitude->n; i++)
        sum += q[attitude->q + i] * q[attitude->q + i];
    for (int i = 0; i < attitude->n; i++)
        q[attitude->q + i] /= sqrt(sum);
}

/* Without constraints: a coordinate has the number of its velocity, except for attitudes. */
static void draw_free(const dal_system *system, uint64_t *seed, const double *change, double *q)
{
    const dal_layout *layout = dal_system_layout(system);
    dal_turn_block attitude;
    memset(q, 0, sizeof *q * (size_t)layout->nq);
    layout->family->add(layout, q, change);
    for (int k = 0; dal_next_attitude(system, k, &attitude); k = attitude.q + attitude.n) {
        for (int i = 0; i < attitude.n; i++)
            q[attitude.q + i] = normal(seed);
        normalise_attitude(&attitude, q);
    }
}

static const double far = 1e-5; /* singular values of the rows: nearer to a singular position, accelerations lose more than ten digits */

/* Angles that are a chart of an attitude are not near the end of the chart, or at least half as far from it as at the start; matrices are not
 * reflections; the constraints have the rank of the start, with a margin. */
static bool is_sound(dal_arena *arena, const dal_state *state, const double *start)
{
    const dal_rank *rank = dal_rank_of(state);
    const dal_work *work = dal_seen_work(state);
    const dal_layout *layout = dal_layout_of(state);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const double *R = work->kin[b].R;
        const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]}, z[3] = {R[2], R[5], R[8]};
        double across[3];
        dal_cross(x, y, across);
        if (dal_dot(across, z) < 0.5)
            return false;
        if (layout->family->condition && layout->body[b].n_rot && layout->family->condition(layout, work, b) < start[b])
            return false;
    }
    return rank->n == dal_system_rank(dal_system_of(state)) && dal_rank_of_rows(arena, state, far) == rank->n;
}

/* The required distance of the attitude of each body from the end of its chart. */
static void limit_charts(dal_state *state, double *least)
{
    const dal_layout *layout = dal_layout_of(state);
    dal_state_position(state);
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        least[b] = layout->family->condition && layout->body[b].n_rot ? fmin(0.4, 0.5 * layout->family->condition(layout, dal_work_of(state), b)) : 0;
}

static bool draw_held(dal_arena *arena, dal_state *state, const double *change, const double *charts, double part, dal_instant *instant)
{
    dal_work *work = dal_work_of(state);
    const dal_layout *layout = dal_layout_of(state);
    dal_turn_block attitude;
    int row = 0;
    dal_state_reset(state);
    memcpy(instant->q, work->q, sizeof *instant->q * (size_t)layout->nq);
    for (int k = 0; k < layout->nv && layout->curved; k++) /* rows that are not linear in the rates do not always have a root */
        instant->rates[k] = work->v[k] + part * (instant->rates[k] - work->v[k]);
    for (int k = 0; k < layout->nv; k++)
        instant->forces[k] = part * change[k]; /* scratch */
    layout->family->add(layout, instant->q, instant->forces);
    memset(instant->forces, 0, sizeof *instant->forces * (size_t)layout->nv);
    for (int k = 0; dal_next_attitude(dal_system_of(state), k, &attitude); k = attitude.q + attitude.n)
        if (attitude.unit)
            normalise_attitude(&attitude, instant->q);
    if (dal_instant_enter(state, instant) || dal_state_assign(state, 0, NULL, NULL, NULL) != DAL_OK)
        return false;
    const double position = dal_worst_row(state, work->phi, &row), velocity = dal_worst_row(state, work->phid, &row);
    if (!(position <= 1e-10) || !(velocity <= 1e-9 * fmax(1 / layout->units.time, dal_fastest(dal_system_of(state), work->v))) ||
        !is_sound(arena, state, charts))
        return false;
    memcpy(instant->q, work->q, sizeof *instant->q * (size_t)layout->nq);
    memcpy(instant->rates, work->v, sizeof *instant->rates * (size_t)layout->nv);
    return true;
}

typedef struct drawing {
    dal_arena arena;
    dal_state *state;
    uint64_t seed;
    dal_messages *messages;
    dal_instant *instant;
} drawing;

static dal_status draw_instant(void *user)
{
    drawing *d = user;
    dal_state *state = d->state;
    const dal_layout *layout = dal_layout_of(state);
    dal_instant *instant = d->instant;
    const dal_system *system = dal_system_of(state);
    const size_t nv = (size_t)layout->nv;
    double *change = DAL_NEW(&d->arena, double, nv), *rates = DAL_NEW(&d->arena, double, nv);
    double part = layout->family->shares ? 1 : 0.25; /* joints cannot be closed if every body moves arbitrarily */
    dal_state_reset(state);
    instant->time = dal_work_of(state)->t;
    double *charts = DAL_NEW(&d->arena, double, layout->mechanism->n_bodies);
    limit_charts(state, charts);
    draw_change(system, &d->seed, change);
    draw_rates(system, &d->seed, rates);
    memcpy(instant->rates, rates, sizeof *rates * nv);
    if (!layout->n_rows)
        draw_free(system, &d->seed, change, instant->q);
    for (int i = 0; layout->n_rows && !draw_held(&d->arena, state, change, charts, part, instant); i++, part /= 2) {
        memcpy(instant->rates, rates, sizeof *rates * nv);
        if (i < MOST_HALVINGS)
            continue;
        dal_error(d->messages, dal_nowhere, "no random state was found that meets the constraints: give one by `--state`");
        return DAL_NUMERICAL;
    }
    draw_rates(system, &d->seed, instant->accelerations);
    memset(instant->wanted, 1, sizeof *instant->wanted * nv);
    if (layout->n_rows)
        dal_nearest_accelerations(&d->arena, state, instant->accelerations);
    return DAL_OK;
}

dal_status dal_instant_random(const dal_allocator *allocator, dal_state *state, uint64_t seed, dal_messages *messages, dal_instant **instant)
{
    if (instant)
        *instant = NULL;
    if (!DAL_NEEDS(messages, instant) || !dal_needs_own(messages, __func__, state) || !DAL_NEEDS_ALLOCATOR(messages, allocator))
        return DAL_BAD_COMMAND;
    dal_status status = dal_instant_create(allocator, dal_system_of(state), instant);
    if (status != DAL_OK)
        return status;
    drawing d = {.state = state, .seed = seed, .messages = messages, .instant = *instant};
    dal_arena_begin(&d.arena, allocator);
    status = dal_arena_try(&d.arena, draw_instant, &d);
    dal_arena_release(&d.arena);
    if (status != DAL_OK) {
        dal_instant_free(*instant);
        *instant = NULL;
    }
    return status;
}
