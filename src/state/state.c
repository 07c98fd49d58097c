/* A state: one block of memory beside the system, laid out part by part, and its owner. */
#include "model/system.h"
#include "state/state.h"

#include "base/argument.h"
#include "base/message.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- memory --------------------------------------------------------------------------------- */

/* One list for measuring and for laying out. */
static void layout_state(dal_block *block, const dal_system *system, dal_state *state)
{
    const dal_layout *layout = &system->layout;
    double *work;
    int *chart;
    DAL_LAYOUT_ROOM(block, work, dal_work_size(layout)); /* cleared below */
    DAL_LAYOUT(block, chart, 3 * system->mechanism.n_bodies);
    DAL_LAYOUT(block, state->y, system->n_y);
    DAL_LAYOUT(block, state->vd, layout->nv);
    DAL_LAYOUT(block, state->lambda, layout->n_rows);
    DAL_LAYOUT(block, state->gamma, layout->n_rows);
    for (const dal_owner *const *owner = system->owners; *owner; owner++)
        if ((*owner)->layout)
            (*owner)->layout(block, system, state);
    if (block->memory)
        dal_work_layout(layout, work, chart, &state->work);
}

/* Sanitizer builds fill uncleared memory with NaN, so that a read before a write shows up. */
static void forget_rooms(char *rooms, size_t bytes)
{
#if defined(__SANITIZE_ADDRESS__) || defined(DAL_FORGET)
    memset(rooms, 0xff, bytes);
#else
    (void)rooms, (void)bytes;
#endif
}

static void reset(dal_state *state);

dal_state *dal_state_create(const dal_allocator *allocator, const dal_system *system)
{
    if (!system || !dal_can_allocate(allocator))
        return NULL;
    dal_allocator source = allocator ? *allocator : dal_default_allocator();
    dal_state shape = {.system = system, .layout = &system->layout, .mechanism = &system->mechanism};
    dal_block block = {.used = sizeof(dal_state)};
    layout_state(&block, system, &shape);
    const size_t cleared = (block.used + DAL_BLOCK_ALIGNMENT - 1) / DAL_BLOCK_ALIGNMENT * DAL_BLOCK_ALIGNMENT;
    char *memory = source.allocate(source.user, cleared + block.room + DAL_BLOCK_ALIGNMENT);
    if (!memory)
        return NULL;
    char *aligned = memory + (DAL_BLOCK_ALIGNMENT - (size_t)memory % DAL_BLOCK_ALIGNMENT) % DAL_BLOCK_ALIGNMENT;
    memset(aligned, 0, cleared);
    forget_rooms(aligned + cleared, block.room);
    dal_state *state = (dal_state *)(void *)aligned;
    block = (dal_block){.memory = aligned, .used = sizeof(dal_state), .rooms = aligned + cleared};
    state->system = system;
    state->layout = &system->layout;
    state->mechanism = &system->mechanism;
    state->hold = (dal_hold){system->life, source, memory, NULL, system->owners};
    layout_state(&block, system, state);
    dal_life_join(state->hold.life);
    state->loads = (dal_loads){.layout = &system->layout,
                               .work = &state->work,
                               .expression = state->values->expression,
                               .effort = state->values->effort,
                               .islands = &system->acting.islands,
                               .island = state->values->island};
    for (const dal_owner *const *owner = system->owners; *owner; owner++)
        if ((*owner)->open && !(*owner)->open(state)) {
            dal_state_free(state);
            return NULL;
        }
    reset(state);
    return state;
}

void dal_state_free(dal_state *state)
{
    if (!state || !dal_state_own(state, __func__))
        return;
    for (const dal_owner *const *owner = state->hold.owners; *owner; owner++)
        if ((*owner)->close)
            (*owner)->close(state);
    dal_life_leave(state->hold.life);
    state->hold.allocator.release(state->hold.allocator.user, state->hold.memory);
}

/* ---- the start ------------------------------------------------------------------------------- */

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
    layout->family->frames(layout, &state->work);
    layout->family->move(layout, &state->work, -1, NULL, NULL);
}

static void place_parts(dal_state *state)
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
    const dal_layout *layout = state->layout;
    if (!layout->family->condition || layout->sequence_fixed)
        return;
    for (int b = 0; b < layout->mechanism->n_bodies; b++)
        if (layout->family->condition(layout, &state->work, b) < 0.5) {
            layout->family->rechart(layout, &state->work, b);
            layout->family->position(layout, &state->work);
            layout->family->move(layout, &state->work, b, state->system->start[b].rd, state->system->start[b].w);
        }
}

static void start_owners(dal_state *state)
{
    for (const dal_owner *const *owner = state->system->owners; *owner; owner++)
        if ((*owner)->start)
            (*owner)->start(state);
}

static void reset(dal_state *state)
{
    const dal_system *system = state->system;
    for (const dal_owner *const *owner = system->owners; *owner; owner++)
        if ((*owner)->reset)
            (*owner)->reset(state);
    memcpy(state->work.winding, system->start_winding, sizeof *system->start_winding * (size_t)system->mechanism.n_windings);
    place_parts(state);
    choose_charts(state);
    state->work.t = 0;
    dal_state_moved(state);
    memcpy(state->y + system->layout.nq + system->n_w, system->states, sizeof *state->y * (size_t)system->n_states);
    for (int i = 0; i < system->works; i++)
        state->y[system->n_control + i] = 0;
    start_owners(state);
    dal_state_pack(state, state->y); /* a failure shows again at the first evaluation */
}

dal_flow dal_state_adopt(dal_state *state, double t, const double *q, const double *v)
{
    const dal_layout *layout = state->layout;
    state->work.t = t;
    memcpy(state->work.q, q, sizeof *q * (size_t)layout->nq);
    memcpy(state->work.v, v, sizeof *v * (size_t)layout->nv);
    dal_state_moved(state);
    start_owners(state);
    dal_flow flow = dal_state_pack(state, state->y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_velocity(state);
    dal_state_unwind(state);
    return 0;
}

void dal_state_copy(const dal_state *from, dal_state *to)
{
    const dal_mechanism *m = from->mechanism;
    memcpy(to->work.chart, from->work.chart, sizeof *to->work.chart * 3 * (size_t)m->n_bodies);
    memcpy(to->work.winding, from->work.winding, sizeof *to->work.winding * (size_t)m->n_windings);
    for (const dal_owner *const *owner = from->system->owners; *owner; owner++)
        if ((*owner)->copy)
            (*owner)->copy(from, to);
}

/* Axes of Euler sequences: no two neighbours are the same. */
static void keep_charts(dal_state *state, dal_keep *keep)
{
    int *chart = state->work.chart;
    for (int b = 0; b < state->system->mechanism.n_bodies; b++) {
        const size_t begin = keep->used;
        int axis[3];
        dal_keep_integers(keep, chart + 3 * b, 3, 0, 2);
        if (keep->mode != DAL_KEEP_CHECK || keep->bad)
            continue;
        memcpy(axis, keep->from + begin, sizeof axis);
        keep->bad = memcmp(axis, chart + 3 * b, sizeof axis) != 0 && (axis[0] == axis[1] || axis[1] == axis[2]);
    }
}

void dal_state_keep(dal_state *state, dal_keep *keep)
{
    const dal_system *system = state->system;
    dal_keep_numbers(keep, &state->work.t, 1);
    dal_keep_numbers(keep, state->y, (size_t)system->n_y);
    dal_keep_numbers(keep, state->vd, (size_t)system->layout.nv);
    dal_keep_numbers(keep, state->lambda, (size_t)system->layout.n_rows);
    keep_charts(state, keep);
    dal_keep_numbers(keep, state->work.winding, (size_t)system->mechanism.n_windings);
    for (const dal_owner *const *owner = system->owners; *owner; owner++)
        if ((*owner)->keep)
            (*owner)->keep(state, keep);
    if (keep->mode == DAL_KEEP_READ)
        dal_state_moved(state);
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
    dal_tenancy *run = state->hold.tenancy;
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
    state->work.t = t; /* a time that is NaN stays NaN: no evaluation at another time */
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
            state->values->inputs[i] = value;
            return true;
        }
        if (state->hold.tenancy->refused == 1) {
            snprintf(state->hold.tenancy->input, sizeof state->hold.tenancy->input, "%s", name);
            state->hold.tenancy->value = value;
            state->hold.tenancy->kept = state->values->inputs[i];
        }
        return false;
    }
    return false;
}
