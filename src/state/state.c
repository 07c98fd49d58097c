/* A state: one block of memory beside the system, and what users may ask of it. */
#include "base/argument.h"
#include "math/rank.h"
#include "math/sparse.h"
#include "math/vec.h"
#include "state/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TAKE(block, pointer, count) ((pointer) = dal_block_take((block), sizeof *(pointer) * (size_t)(count)))

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int registers(const dal_compiled *compiled)
{
    return compiled->program ? dal_program_registers(compiled->program) : 0;
}

/* Entries of the largest block of M. */
static size_t largest_block(const dal_layout *layout)
{
    size_t most = 0;
    for (int b = 0; b < layout->n_blocks; b++) {
        const size_t n = (size_t)layout->block[b].n;
        most = n * n > most ? n * n : most;
    }
    return most;
}

/* One list for measuring and for laying out. */
static void lay(dal_block *block, const dal_system *system, dal_state *s, double **work, double **links, double **loops, double **sweep, int **chart)
{
    const dal_layout *layout = &system->layout;
    const int nv = layout->nv, r = layout->n_rows, bodies = system->mechanism.n_bodies;
    const size_t saddle = system->dense ? (size_t)(nv + r) * (size_t)(nv + r) : (size_t)system->n_kkt;
    int most_registers = registers(&system->drives);
    most_registers = (int)most((size_t)most_registers, (size_t)registers(&system->actions));
    most_registers = (int)most((size_t)most_registers, (size_t)registers(&system->records));
    TAKE(block, *work, dal_work_size(layout));
    TAKE(block, *chart, 3 * bodies);
    TAKE(block, *links, system->links ? dal_links_work_size(system->links) : 0);
    TAKE(block, *loops, system->loops ? dal_loops_work_size(system->loops) : 0);
    TAKE(block, *sweep, system->sweep ? dal_sweep_work_size(system->sweep) : 0);
    TAKE(block, s->y, system->n_y);
    TAKE(block, s->yd, system->n_y);
    TAKE(block, s->z, system->n_states + 1);
    TAKE(block, s->turning, system->mechanism.n_windings);
    TAKE(block, s->vd, nv);
    TAKE(block, s->vd_more, system->loops ? nv : 0);
    TAKE(block, s->lambda, r);
    TAKE(block, s->gamma, r);
    TAKE(block, s->variables, system->n_signals);
    TAKE(block, s->registers, most_registers);
    TAKE(block, s->expression, system->actions.n_outputs);
    TAKE(block, s->effort, system->n_forces);
    TAKE(block, s->inputs, system->n_inputs);
    TAKE(block, s->modes, system->actions.program ? dal_program_switches(system->actions.program) : 0);
    TAKE(block, s->order, r);
    TAKE(block, s->independent, r);
    TAKE(block, s->solver, system->formulation->work(system));
    const size_t projector = system->stabilization->work ? system->stabilization->work(system) : 0;
    TAKE(block, s->projector, most(projector, system->n_frictions ? (size_t)(nv + r) : 0));
    TAKE(block, s->saddle, saddle);
    TAKE(block, s->saddle_rhs, nv + r);
    TAKE(block, s->row_scale, r);
    TAKE(block, s->weakest, r);
    TAKE(block, s->pivots, nv + r + 1);
    if (system->small) {
        TAKE(block, s->rank_matrix, (size_t)r * (size_t)nv);
        TAKE(block, s->rank_work, dal_rank_work(r, nv));
    }
    for (int i = 0; i < system->mechanism.n_rows && system->small; i++)
        if (system->mechanism.rows[i].nonholonomic) {
            TAKE(block, s->exchange, (size_t)nv * (size_t)r + (size_t)r + dal_rank_work(nv, r));
            break;
        }
    if (system->rank < r && system->small)
        TAKE(block, s->redundancy, dal_redundancy_size(r, nv, system->mechanism.n_joints));
    TAKE(block, s->loose, 6 * system->mechanism.n_joints);
    TAKE(block, s->reaction, 6 * system->mechanism.n_joints);
    if (system->n_frictions) {
        const int slips = system->frictions[system->n_frictions - 1].first + system->frictions[system->n_frictions - 1].n;
        TAKE(block, s->friction, slips);
        TAKE(block, s->slip_direction, slips);
        TAKE(block, s->slip_pivots, slips);
        TAKE(block, s->slip_mode, system->n_frictions);
        TAKE(block, s->slip_broken, system->n_frictions);
        TAKE(block, s->friction_work, dal_friction_work(system));
    }
    TAKE(block, s->attitude, 4 * bodies);
    TAKE(block, s->still, nv);
    TAKE(block, s->tangents, 4 * bodies);
    TAKE(block, s->bends, bodies);
    if (system->formulation->correct && !system->minimum_norm && !system->stabilization->solve) {
        TAKE(block, s->refinement.f, nv);
        TAKE(block, s->refinement.b, r);
        TAKE(block, s->refinement.dv, nv);
        TAKE(block, s->refinement.dlambda, r);
        TAKE(block, s->refinement.wd, system->n_w);
        if (system->layout.family->shares)
            TAKE(block, s->refinement.block, largest_block(&system->layout));
    }
    TAKE(block, s->wd, system->n_w);
    TAKE(block, s->momenta, system->n_ignorable);
    TAKE(block, s->speeds, nv);
    TAKE(block, s->partition, nv);
    if (system->formulation->chooses)
        dal_speeds_lay(block, system, &s->basis);
    TAKE(block, s->acceleration, bodies);
}

static void reset(dal_state *state);

dal_state *dal_state_create(const dal_allocator *allocator, const dal_system *system)
{
    if (!system || !dal_can_allocate(allocator))
        return NULL;
    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_state shape = {0};
    dal_block block = {NULL, sizeof(dal_state)};
    double *work, *links, *loops, *sweep;
    int *chart;
    lay(&block, system, &shape, &work, &links, &loops, &sweep, &chart);
    char *memory = source.allocate(source.user, block.used + DAL_BLOCK_ALIGNMENT);
    if (!memory)
        return NULL;
    memset(memory, 0, block.used + DAL_BLOCK_ALIGNMENT);
    char *aligned = memory + (DAL_BLOCK_ALIGNMENT - (size_t)memory % DAL_BLOCK_ALIGNMENT) % DAL_BLOCK_ALIGNMENT;
    dal_state *state = (dal_state *)(void *)aligned;
    block = (dal_block){aligned, sizeof(dal_state)};
    lay(&block, system, state, &work, &links, &loops, &sweep, &chart);
    state->system = system;
    state->life = system->life;
    dal_life_join(state->life);
    state->allocator = source;
    state->memory = memory;
    dal_work_lay(&system->layout, work, chart, &state->work);
    if (system->links)
        dal_links_work_lay(system->links, links, &state->links);
    if (system->loops)
        dal_loops_work_lay(system->loops, loops, &state->loops);
    if (system->sweep)
        dal_sweep_work_lay(system->sweep, sweep, &state->sweep);
    state->loads = (dal_loads){&system->layout, &state->work, state->expression, state->effort, 0, 0};
    if (!system->dense) {
        state->sparse = dal_sparse_create(&source, system->layout.nv + system->layout.n_rows, system->kkt_start, system->kkt_row);
        if (!state->sparse) {
            dal_state_free(state);
            return NULL;
        }
    }
    if (system->formulation->components && !(state->network = dal_network_create(&source, system))) {
        dal_state_free(state);
        return NULL;
    }
    reset(state);
    return state;
}

void dal_state_free(dal_state *state)
{
    if (!state)
        return;
    dal_sparse_free(state->sparse);
    dal_network_free(state->network);
    dal_life_leave(state->life);
    state->allocator.release(state->allocator.user, state->memory);
}

/* Families that share columns are placed as a whole; the model's own coordinates are start values themselves. */
static void place_all(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    if (layout->placement) {
        memcpy(state->work.q, system->start_q, sizeof *system->start_q * (size_t)layout->nq);
        memcpy(state->work.v, system->start_v, sizeof *system->start_v * (size_t)layout->nv);
        layout->family->position(layout, &state->work);
        return;
    }
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        memcpy(state->work.kin[b].r, system->start[b].r, sizeof system->start[b].r);
        memcpy(state->work.kin[b].R, system->start[b].R, sizeof system->start[b].R);
        memcpy(state->work.kin[b].rd, system->start[b].rd, sizeof system->start[b].rd);
        memcpy(state->work.kin[b].w, system->start[b].w, sizeof system->start[b].w);
    }
    layout->family->place(layout, &state->work, -1, NULL, NULL);
    layout->family->position(layout, &state->work);
    layout->family->move(layout, &state->work, -1, NULL, NULL);
}

static void place(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    static const int zyx[3] = {2, 1, 0};
    if (layout->family->shares) {
        place_all(state);
        return;
    }
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        const dal_start *start = &system->start[b];
        memcpy(state->work.chart + 3 * b, layout->sequence_fixed ? layout->sequence : zyx, sizeof zyx);
        layout->family->place(layout, &state->work, b, start->r, start->R);
        if (layout->body[b].n_rot == 1)
            state->work.q[layout->body[b].q + 2] = start->angle; /* as many turns as were written */
    }
    layout->family->position(layout, &state->work);
    for (int b = 0; b < system->mechanism.n_bodies; b++)
        layout->family->move(layout, &state->work, b, system->start[b].rd, system->start[b].w);
}

/* Attitudes near a singularity of their chart start in the other one. */
static void choose_charts(dal_state *state)
{
    const dal_layout *layout = &state->system->layout;
    if (!layout->family->condition || layout->sequence_fixed)
        return;
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        if (layout->family->condition(layout, &state->work, b) < 0.5) {
            layout->family->rechart(layout, &state->work, b);
            layout->family->position(layout, &state->work);
            layout->family->move(layout, &state->work, b, state->system->start[b].rd, state->system->start[b].w);
        }
}

/* (26): G = M' v + N_2 at the start, in other words the momenta of the ignorable coordinates. */
static void start_momenta(dal_state *state)
{
    if (!state->system->formulation->ignores)
        return;
    dal_state_position(state);
    dal_state_velocity(state);
    dal_state_momenta(state, state->momenta, NULL);
}

/* Automatic speeds that suit this position; those of the model that go with the momenta. */
static void start_speeds(dal_state *state)
{
    if (!state->system->formulation->chooses)
        return;
    state->speeds_good = state->speeds_ranked = 0;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_speeds_choose(state);
}

static void reset(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    memcpy(state->work.winding, system->start_winding, sizeof *system->start_winding * (size_t)system->mechanism.n_windings);
    place(state);
    choose_charts(state);
    if (system->n_inputs)
        memcpy(state->inputs, system->inputs, sizeof *state->inputs * (size_t)system->n_inputs);
    memset(state->attitude, 0, sizeof *state->attitude * 4 * (size_t)system->mechanism.n_bodies);
    memset(state->turning, 0, sizeof *state->turning * (size_t)system->mechanism.n_windings);
    state->work.t = state->unwound = 0;
    state->known = false;
    state->rank = system->rank;
    for (int i = 0; i < layout->n_rows; i++) {
        state->order[i] = system->start_order[i];
        state->independent[system->start_order[i]] = i < system->rank;
    }
    state->evaluations = state->rerankings = state->charts = 0;
    state->rank_least = state->rank_most = system->rank;
    state->condition_worst = 1;
    state->refinement.ratio = state->refinement.worst = 0;
    state->refinement.since = 0;
    state->near_singular = state->attentive = false;
    state->nearness = 1;
    state->asked_at = -HUGE_VAL;
    for (int i = 0; i < layout->n_rows; i++)
        state->weakest[i] = sin(1 + 2.4 * i) / sqrt(fmax(1, layout->n_rows)); /* near to no combination in particular */
    memset(state->good_ratio, 0, sizeof state->good_ratio);
    memset(state->best_ratio, 0, sizeof state->best_ratio);
    state->frozen = state->placed = state->friction_known = false;
    if (system->n_frictions)
        memset(state->slip_mode, 0, sizeof *state->slip_mode * (size_t)system->n_frictions);
    state->trouble[0] = '\0';
    state->speeds_changed = state->partition_changed = 0;
    state->n_partition = 0;
    state->partition_steepest = 0;
    state->speeds_side_kept = 0;
    state->speeds_condition = state->speeds_worst = state->speeds_steepness = 1;
    state->speeds_good = state->speeds_ranked = 0;
    if (system->start_speeds)
        memcpy(state->speeds, system->start_speeds, sizeof *state->speeds * (size_t)(layout->nv - system->rank));
    memcpy(state->y + layout->nq + system->n_w, system->states, sizeof *state->y * (size_t)system->n_states);
    if (system->works)
        state->y[system->n_y - 1] = 0;
    start_momenta(state);
    start_speeds(state);
    dal_state_put(state, state->y); /* a failure shows again at the first evaluation */
}

dal_flow dal_state_adopt(dal_state *state, double t, const double *q, const double *v)
{
    const dal_layout *layout = &state->system->layout;
    state->work.t = t;
    state->known = false;
    memcpy(state->work.q, q, sizeof *q * (size_t)layout->nq);
    memcpy(state->work.v, v, sizeof *v * (size_t)layout->nv);
    dal_state_moved(state);
    start_momenta(state);
    start_speeds(state);
    dal_flow flow = dal_state_put(state, state->y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_velocity(state);
    dal_state_unwind(state);
    return 0;
}

/* ---- what users may do with it ------------------------------------------------------------ */

bool dal_needs_state(dal_messages *messages, const char *function, const dal_state *state)
{
    if (!dal_needs(messages, function, "state", state))
        return false;
    if (dal_state_usable(state))
        return true;
    dal_error(messages, dal_nowhere, "%s: the system of this state was freed before it", function);
    return false;
}

bool dal_state_own(dal_state *state, const char *function)
{
    dal_tenancy *run = state->tenancy;
    if (!run)
        return true;
    if (!run->refused++) {
        run->function = function;
        run->time = state->work.t;
    }
    return false;
}

bool dal_needs_own(dal_messages *messages, const char *function, dal_state *state)
{
    if (!dal_needs_state(messages, function, state))
        return false;
    if (dal_state_own(state, function))
        return true;
    dal_error(messages, dal_nowhere, "%s: the state belongs to a run, which cannot be changed from its callbacks", function);
    return false;
}

bool dal_state_reset(dal_state *state)
{
    if (!dal_state_usable(state) || !dal_state_own(state, __func__))
        return false;
    reset(state);
    return true;
}

double *dal_state_y(dal_state *state)
{
    return dal_state_usable(state) ? state->y : NULL;
}

double dal_state_time(const dal_state *state)
{
    return dal_state_usable(state) ? state->work.t : NAN;
}

bool dal_state_set_time(dal_state *state, double t)
{
    if (!dal_state_usable(state) || !dal_state_own(state, __func__))
        return false;
    state->work.t = t; /* one that is no number stays, so that nothing is evaluated at another time than was wanted */
    return isfinite(t);
}

bool dal_state_set_input(dal_state *state, const char *name, double value)
{
    if (!dal_state_usable(state) || !name)
        return false;
    for (int i = 0; i < state->system->n_inputs; i++) {
        if (strcmp(state->system->input_names[i], name))
            continue;
        if (!isfinite(value))
            return false;
        if (dal_state_own(state, __func__)) {
            state->inputs[i] = value;
            return true;
        }
        if (state->tenancy->refused == 1) {
            snprintf(state->tenancy->input, sizeof state->tenancy->input, "%s", name);
            state->tenancy->value = value;
            state->tenancy->kept = state->inputs[i];
        }
        return false;
    }
    return false;
}
