/* Static equilibrium: with v = v' = 0,
 *
 *     rho = T^T (h - Q) = 0,   phi = 0,   z' = 0
 *
 * by Newton's method on the constraints (T, T_h, D, r: start/point.h), with K = T^T D r T_h at the multipliers that balance best. Where the forces have a
 * potential, K is its second variation on the constraints, over the mass. This file has the search:
 *
 *     stand      the point at the present position, on the rows                                       settle_place.c
 *     step       along T_h and z, from rho, z' and K; down the potential where K is not positive      settle_step.c
 *     shorten    (in make_step) no body turns by more than half a radian, none shifts by more than half the extent of the model; twice as far after
 *                each step of Newton's that leads on
 *     go         q + step, back on the rows by the least change; where that fails or leads up, a quarter of the step, up to six times
 *     leave      where no part of a step can be taken because the position is singular                settle_singular.c
 *
 * Rows of velocities allow less than T_h. With them the first search goes along T, and K is square: an unbalanced disc rolls until its mass is below.
 *
 * The search ends after a step of at most 1e-9 (rad, or shift over the extent): Newton's next step would be rounding. Then the forces must balance, and the
 * states z must be at rest. If this fails and some forces have no potential, a second search takes Newton's steps alone, because a controller may hold the
 * model where no potential is least. Further searches omit limits of controllers (settle_limits.c).
 */
#include "start/settle_parts.h"

#include "dynamics/friction.h"
#include "dynamics/slopes.h"
#include "force/force.h"
#include "math/chance.h"
#include "math/sums.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 300,
    MOST_STEPS_EACH = 10, /* a freedom, if these are more */
    MOST_CALM = 4,        /* steps that do not move the bodies, while states of the model settle */
    MOST_PARTS = 6,
    SCATTERED = 40
};
static const double shortest = 1e-9;            /* a step after which one more is exact to rounding */
static const double far = 1e3;                  /* lengths: it runs away */
static const double moving = 1e-9;              /* lengths in the model's time: a velocity that is more than rounding */
static const double rounding_of_slopes = 1e-12; /* of the largest */
static const double inexact = 1e-15;            /* of the stiffest springs times the model's length: rounding of their forces */

/* Inputs that the model samples are held: their laws are no part of what is found. */
void dal_say_sampled(const dal_system *system, dal_messages *messages)
{
    const char *const *names;
    const int n = dal_system_inputs(system, &names);
    for (int i = 0; i < n; i++)
        if (dal_system_sample_period(system, i) > 0)
            dal_say(messages, DAL_WARNING, dal_nowhere,
                    "input '%s' is sampled every %g s, and is held at its present value here: what its law does is no part of the answer", names[i],
                    dal_system_sample_period(system, i));
}

void dal_say_ages(double t, dal_messages *messages)
{
    dal_say(messages, DAL_WARNING, dal_nowhere, "forces or constraints of the model change with time: what is found belongs to t = %g", t);
}

/* At rest: v = 0, v' = 0 with the forces of friction, z' = 0. */
bool dal_state_stays(dal_arena *arena, dal_state *state)
{
    if (dal_evaluate_whole(state, NULL) != DAL_OK)
        return false;
    const dal_layout *layout = dal_layout_of(state);
    const dal_units *units = &layout->units;
    const int n_z = dal_system_states(dal_system_of(state), NULL);
    const double fast = moving * units->length / units->time, *z = dal_own_states_of(state);
    double *rates = DAL_NEW(arena, double, n_z + 1), most = 0; /* rates may be rounding of the largest state */
    for (int k = 0; k < layout->nv; k++)
        if (fabs(dal_seen_work(state)->v[k]) * units->column_scale[k] > fast ||
            fabs(dal_rates_of(state)[k]) * units->column_scale[k] > 1e3 * fast / units->time)
            return false;
    dal_slopes_rates_of_states(state, rates);
    for (int k = 0; k < n_z; k++)
        most = fmax(most, fabs(z[k]) / units->time);
    for (int k = 0; k < n_z; k++)
        if (fabs(rates[k]) > fmax(1e3 * dal_settle_push * fabs(z[k]) / units->time, rounding_of_slopes * most))
            return false;
    return true;
}

/* The force of a surface that only touches is rounding. */
bool dal_friction_rubs(const dal_state *state, int i)
{
    const dal_units *units = &dal_layout_of(state)->units;
    const double unit = units->mass * units->length / (units->time * units->time);
    bool rubs = false;
    for (int k = 0; k < dal_system_acting(dal_system_of(state))->frictions[i].n; k++)
        rubs = rubs || fabs(dal_friction_effort(state, i, k)) > 1e3 * dal_settle_push * unit * fmin(1, units->length);
    return rubs;
}

bool dal_state_rubs(const dal_state *state)
{
    bool rubs = false;
    for (int i = 0; i < dal_system_acting(dal_system_of(state))->n_frictions; i++)
        rubs = rubs || dal_friction_rubs(state, i);
    return rubs;
}

void dal_say_friction_omitted(const dal_system *system, dal_messages *messages)
{
    const dal_acting *acting = dal_system_acting(system);
    if (acting->n_frictions)
        dal_say(messages, DAL_NOTE, dal_nowhere,
                "the search omits dry friction ('%s'%s), and at the start it does not hold the model: where it sticks, it may hold it elsewhere",
                dal_system_mechanism(system)->joints[acting->frictions[0].joint].name, acting->n_frictions > 1 ? " and others" : "");
}

/* The start may be a steady motion. */
static void hint_at_motion(const dal_settler *s)
{
    if (s->moved)
        dal_say(s->messages, DAL_NOTE, dal_nowhere,
                "the start of the model moves, and an equilibrium is at rest: a steady motion is found with --steady COORDINATE=RATE");
}

/* That leave displacements to detours. */
static bool has_rows_of_velocities(const dal_state *state)
{
    bool has = false;
    for (int i = 0; i < dal_layout_of(state)->n_rows; i++)
        has = has || (dal_row_of_velocities(dal_layout_of(state), i) && !dal_row_of_one_rate(dal_layout_of(state), i));
    return has;
}

/* Do all forces have a potential? Then steps lead down, along motions that are allowed. */
static bool has_potential(const dal_state *state)
{
    const dal_system *system = dal_system_of(state);
    const dal_acting *acting = dal_system_acting(system);
    bool has = !acting->n_laws && !dal_layout_of(state)->systems && !dal_system_states(system, NULL);
    for (int g = 0; g < acting->n_groups; g++)
        has = has && dal_force_types[acting->groups[g].type]->potential;
    return has;
}

/* Has the part of a step led up? Changes below the rounding of the potential are ignored. */
static bool leads_up(const dal_settler *s, double before, double part)
{
    const double now = dal_loads_of(s->state)->potential;
    double gain = 0;
    for (int i = 0; i < s->point.velocities.p; i++)
        gain -= part * s->rho[i] * s->step[i];
    return s->downhill && gain > 1e-10 * (fabs(before) + fabs(now)) && now > before;
}

/* A part of the step, or less of it where the constraints cannot be kept or it would lead up. */
static dal_status go(dal_settler *s, const double *dq, double part)
{
    dal_messages *messages = s->messages;
    const dal_layout *layout = s->point.layout;
    const int nq = layout->nq, n_z = s->point.n_z;
    double *base = DAL_NEW(&s->arena, double, nq + 1), *some = DAL_NEW(&s->arena, double, layout->nv + 1);
    const double potential = dal_loads_of(s->state)->potential;
    double *z = DAL_NEW(&s->arena, double, n_z + 1);
    memcpy(base, s->q, sizeof *base * (size_t)nq);
    memcpy(z, s->z, sizeof *z * (size_t)n_z);
    s->n_freedoms = dal_settle_ways(s)->p;
    for (int i = 0;; i++, part *= 0.25) {
        dal_messages *heard = dal_messages_create(dal_allocator_of(s->state));
        if (!heard)
            return DAL_NO_MEMORY;
        s->messages = heard;
        for (int k = 0; k < layout->nv; k++)
            some[k] = part * dq[k];
        layout->family->add(layout, s->q, some);
        for (int k = 0; k < n_z; k++)
            s->z[k] = z[k] + part * s->step[s->n_freedoms + k];
        dal_status status = layout->n_rows ? dal_settle_correct(s) : dal_settle_rest(s);
        s->messages = messages;
        if ((status == DAL_NUMERICAL || (status == DAL_OK && leads_up(s, potential, part))) && i < MOST_PARTS) {
            memcpy(s->q, base, sizeof *base * (size_t)nq);
            s->radius = 0.25 * fmin(s->radius, s->size * part);
            dal_messages_free(heard);
            continue;
        }
        if (status == DAL_NUMERICAL && layout->n_rows)
            status = dal_settle_leave_singular(s, base);
        if (status == DAL_NUMERICAL)
            dal_pass_all(messages, heard);
        dal_messages_free(heard);
        return status;
    }
}

static dal_status make_step(dal_settler *s)
{
    const dal_status status = dal_settle_refuse_drives(s);
    if (status != DAL_OK)
        return status;
    dal_point *p = &s->point;
    double *dq = DAL_NEW(&s->arena, double, p->nv + 1);
    dal_settle_system(s);
    for (int k = 0; k < p->n_z && !(s->last < INFINITY); k++)
        s->first[k] = fabs(s->rho[p->velocities.p + k]);
    const bool newton = dal_settle_step(s);
    const double size = dal_norm(s->rho, p->velocities.p);
    /* half of it if Newton's last step made rho larger and no potential tells the way; else up to twice as large */
    s->radius = size > s->last && s->last_newton && !s->downhill ? 0.5 * s->radius : fmin(dal_settle_longest, 2 * s->radius);
    /* Newton's steps that were shortened and lead on may shift twice as far each time: the length of the model may say little */
    const bool leads = newton && s->last_newton && s->cut && (s->downhill || size < s->last) && !p->layout->systems;
    s->stride = leads ? 2 * s->stride : 1;
    s->last = size;
    s->last_newton = newton;
    dal_kept_expand(p, dal_settle_ways(s), 1, s->step, dq);
    const double most = s->size = dal_settle_size(s, dq, s->stride);
    if (!isfinite(most)) {
        dal_error(s->messages, dal_nowhere, "on the way to an equilibrium numbers are not finite");
        return DAL_NUMERICAL;
    }
    const double part = most > s->radius ? s->radius / most : 1;
    s->cut = part < 1;
    s->stiffest = 0;
    for (int i = 0; i < p->velocities.p * dal_settle_ways(s)->p && !p->n_z && !s->cut; i++)
        s->stiffest = fmax(s->stiffest, fabs(s->K[i]));
    s->calm = part == 1 && s->stride * most <= shortest ? s->calm + 1 : 0;
    s->done = s->calm > (p->n_z ? MOST_CALM : 0);
    dal_settle_name_direction(s, dal_settle_ways(s), s->step);
    const dal_settle_places before = dal_settle_places_now(s);
    const dal_status gone = go(s, dq, part);
    if (gone == DAL_OK)
        dal_settle_track(s, &before);
    return gone;
}

/* Is the rate of state k more than rounding? Of its value in the model's time, of its rate at the start, and of the terms of the rate, by its slopes K along
 * positions and states. */
static bool is_restless(const dal_settler *s, int k, double rate)
{
    const dal_point *p = &s->point;
    const dal_units *units = &p->layout->units;
    const double *row = s->K + (size_t)(p->positions.p + p->n_z) * (size_t)(p->velocities.p + k);
    double most = fmax(fabs(s->z[k]) / units->time, s->first[k]);
    for (int j = 0; j < p->positions.p; j++)
        most = fmax(most, fabs(row[j]) * sqrt(units->mass) * units->length);
    for (int l = 0; l < p->n_z; l++)
        most = fmax(most, fabs(row[p->positions.p + l] * s->z[l]));
    return fabs(rate) > 1e3 * dal_settle_push * most;
}

/* A state of the model that acts on nothing, its own rate included, and whose rate is not zero; -1: none. */
static int restless_state(dal_settler *s, const double *rates)
{
    const dal_point *p = &s->point;
    const int columns = p->positions.p + p->n_z, rows = p->velocities.p + p->n_z;
    double *row = DAL_NEW(&s->arena, double, rows + 1), *column = DAL_NEW(&s->arena, double, columns + 1), most = 0;
    dal_settle_units(s, row, column);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            most = fmax(most, fabs(s->K[columns * i + j]) / row[i] * column[j]);
    for (int k = 0; k < p->n_z; k++) {
        double acts = 0;
        for (int i = 0; i < rows; i++)
            acts = fmax(acts, fabs(s->K[columns * i + p->positions.p + k]) / row[i] * column[p->positions.p + k]);
        if (!(acts > rounding_of_slopes * most) && is_restless(s, k, rates[k]))
            return k;
    }
    return -1;
}

/* The last position: on the rows, evaluated. How large are the unbalanced forces, and the rates of the model's states? */
static dal_status finish_search(dal_settler *s)
{
    dal_point *p = &s->point;
    const dal_units *units = &p->layout->units;
    double *rates = DAL_NEW(&s->arena, double, p->n_z + 1);
    if (p->n_z)
        dal_settle_system(s);
    s->rho = DAL_NEW(&s->arena, double, p->velocities.p + 1);
    dal_point_unbalance(p, s->rho);
    dal_point_values(p, NULL, rates);
    const double rounding = inexact * s->stiffest * sqrt(units->mass) * units->length;
    if (dal_norm(s->rho, p->velocities.p) > 1e3 * fmax(dal_settle_push * dal_settle_force_unit(s), rounding)) {
        const char *const *names;
        const int restless = p->n_z ? restless_state(s, rates) : -1;
        dal_settle_name_direction(s, &p->velocities, s->rho);
        dal_system_states(dal_system_of(s->state), &names);
        if (restless >= 0)
            dal_error(
                s->messages, dal_nowhere,
                "there is no equilibrium near the start: state '%s' of the model cannot rest. It acts on nothing, and no position near the start "
                "balances the forces where its rate is zero",
                names[restless]);
        else
            dal_error(s->messages, dal_nowhere, "there is no equilibrium near the start: where the search ends, nothing balances the forces on '%s'",
                      s->runs ? s->runs : "the model");
        hint_at_motion(s);
        return DAL_BAD_MODEL;
    }
    for (int k = 0; k < p->n_z; k++)
        if (is_restless(s, k, rates[k])) {
            const char *const *names;
            dal_system_states(dal_system_of(s->state), &names);
            dal_error(s->messages, dal_nowhere, "there is no equilibrium near the start: state '%s' of the model does not settle", names[k]);
            return DAL_BAD_MODEL;
        }
    return DAL_OK;
}

/* What is done at a position, once the state stands there. */
typedef struct task {
    dal_settler *s;
    dal_status (*work)(dal_settler *s);
} task;

static dal_status stand_and_work(void *user)
{
    const task *e = user;
    const dal_status status = dal_settle_stand(e->s);
    return status == DAL_OK ? e->work(e->s) : status;
}

static dal_status in_own_memory(dal_settler *s, dal_status (*work)(dal_settler *s))
{
    task e = {s, work};
    dal_arena_rewind(&s->arena);
    const dal_status status = dal_arena_try(&s->arena, stand_and_work, &e);
    dal_point_close(&s->point);
    return status;
}

/* A random step of maximum length along the constraints. */
static dal_status scatter(dal_settler *s)
{
    dal_point *p = &s->point;
    double *dq = DAL_NEW(&s->arena, double, p->nv + 1), *xi = DAL_NEW(&s->arena, double, p->positions.p + 1), most = 0;
    for (int j = 0; j < p->positions.p; j++)
        xi[j] = dal_chance(&s->chance);
    dal_kept_expand(p, &p->positions, 1, xi, dq);
    for (int k = 0; k < p->nv; k++)
        most = fmax(most, fabs(dq[k]) * p->layout->units.column_scale[k] / p->layout->units.length);
    for (int k = 0; k < p->nv; k++)
        dq[k] *= most > 0 ? 0.5 * dal_settle_longest / most : 0;
    p->layout->family->add(p->layout, s->q, dq);
    return dal_settle_rest(s);
}

/* Many freedoms need many steps; what runs away or turns and turns needs no more. */
static bool is_lost(const dal_settler *s, int steps)
{
    if (dal_settle_gone(s) >= far && !(s->last_newton && s->stride > 1))
        return true;
    return steps >= MOST_STEPS && (steps >= MOST_STEPS_EACH * s->n_freedoms || dal_settle_gone(s) > 0 || dal_settle_turning(s).body);
}

/* From where the state is. */
static dal_status search(dal_settler *s, const uint64_t *seed)
{
    dal_status status = dal_settle_rest(s);
    s->chance = seed ? *seed : 0;
    if (status == DAL_OK)
        dal_settle_keep(s);
    for (int i = 0; i < SCATTERED && seed && status == DAL_OK; i++)
        status = in_own_memory(s, scatter);
    if (status == DAL_OK)
        dal_settle_set_out(s);
    for (int i = 0; status == DAL_OK && !s->done; i++) {
        status = in_own_memory(s, make_step);
        if (status == DAL_OK && !s->done && is_lost(s, i + 1)) {
            status = dal_settle_refuse_lost(s, i + 1);
            hint_at_motion(s);
        }
        s->runs = NULL;
    }
    return status == DAL_OK ? in_own_memory(s, finish_search) : status;
}

/* Where a search begins, with the charts and the whole turns that q is read with. */
typedef struct beginning {
    double *q, *z, *winding;
    int *chart;
} beginning;

static double *copy_of(dal_arena *arena, const double *from, int n)
{
    double *copy = DAL_NEW(arena, double, n + 1);
    if (n)
        memcpy(copy, from, sizeof *copy * (size_t)n);
    return copy;
}

static beginning begin(dal_arena *arena, dal_state *state)
{
    const dal_layout *layout = dal_layout_of(state);
    const dal_work *work = dal_seen_work(state);
    const int charts = 3 * layout->mechanism->n_bodies;
    beginning b = {.q = copy_of(arena, work->q, layout->nq),
                   .z = copy_of(arena, dal_own_states_of(state), dal_system_states(dal_system_of(state), NULL)),
                   .winding = copy_of(arena, work->winding, layout->mechanism->n_windings),
                   .chart = DAL_NEW(arena, int, charts + 1)};
    if (charts)
        memcpy(b.chart, work->chart, sizeof *b.chart * (size_t)charts);
    return b;
}

static void go_back(dal_settler *s, const beginning *from)
{
    const dal_layout *layout = dal_layout_of(s->state);
    dal_work *work = dal_work_of(s->state);
    memcpy(s->q, from->q, sizeof *s->q * (size_t)layout->nq);
    memcpy(s->z, from->z, sizeof *s->z * (size_t)dal_system_states(dal_system_of(s->state), NULL));
    if (layout->mechanism->n_bodies)
        memcpy(work->chart, from->chart, sizeof *work->chart * 3 * (size_t)layout->mechanism->n_bodies);
    if (layout->mechanism->n_windings)
        memcpy(work->winding, from->winding, sizeof *work->winding * (size_t)layout->mechanism->n_windings);
}

/* Another search from the same start. Its messages are not passed on. modes: the pieces of switches that it uses everywhere; what it finds has to be an
 * equilibrium in the pieces that hold there. NULL: those that hold. */
static dal_status search_again(const dal_settler *first, const beginning *from, const uint64_t *seed, const int *modes)
{
    dal_settler s = *first;
    s.messages = dal_messages_create(dal_allocator_of(s.state));
    if (!s.messages)
        return DAL_NO_MEMORY;
    s.done = s.last_newton = false;
    memset(s.first, 0, sizeof *s.first * (size_t)dal_system_states(dal_system_of(s.state), NULL));
    s.calm = s.pushes = 0;
    s.radius = dal_settle_longest;
    s.last = INFINITY;
    s.stride = 1;
    s.cut = false;
    go_back(&s, from);
    dal_settle_hold_pieces(&s, modes);
    dal_arena_begin(&s.arena, dal_allocator_of(s.state));
    dal_status status = search(&s, seed);
    dal_settle_hold_pieces(&s, NULL);
    if (modes && status == DAL_OK)
        status = dal_settle_rest(&s);
    if (modes && status == DAL_OK)
        status = in_own_memory(&s, finish_search);
    dal_arena_release(&s.arena);
    dal_messages_free(s.messages);
    return status;
}

/* Newton's method: a controller may hold the model where no potential is least. Displacements count that are reached by detours only, as those across
 * a blade. */
static dal_status search_straight(const dal_settler *first, const beginning *from, const uint64_t *seed)
{
    dal_settler s = *first;
    s.straight = true;
    s.rolls = s.downhill = false;
    return search_again(&s, from, seed, NULL);
}

/* Where a controller is at its limit nothing that it could do is seen. The search is made as if some limits were not there. */
static dal_status search_past_limits(dal_arena *arena, dal_settler *s, const beginning *from, const uint64_t *seed)
{
    dal_settle_limits limits;
    dal_status status = DAL_BAD_MODEL;
    if (!dal_settle_compare(arena, s, &limits, false))
        return status;
    go_back(s, from);
    if (!dal_settle_compare(arena, s, &limits, true))
        return status;
    for (int choice = 1; choice < 1 << limits.n && status != DAL_OK && status != DAL_NO_MEMORY; choice++)
        status = search_again(s, from, seed, dal_settle_pieces(&limits, choice));
    return status;
}

dal_status dal_state_settle(dal_arena *arena, dal_state *state, const uint64_t *seed, dal_messages *messages)
{
    const dal_layout *layout = dal_layout_of(state);
    const int n_z = dal_system_states(dal_system_of(state), NULL);
    dal_settler s = {.state = state, .radius = dal_settle_longest, .last = INFINITY, .stride = 1, .point = {.layout = layout, .nv = layout->nv}};
    s.rolls = !n_z && has_rows_of_velocities(state);
    s.downhill = has_potential(state) && (s.rolls || !has_rows_of_velocities(state));
    const beginning from = begin(arena, state);
    s.q = copy_of(arena, from.q, layout->nq);
    s.z = copy_of(arena, from.z, n_z);
    s.first = DAL_NEW(arena, double, n_z + 1);
    s.rest = DAL_NEW(arena, double, layout->nv + 1);
    s.kept = DAL_NEW(arena, double, layout->n_rows + 1);
    s.first_places = dal_settle_make_places(arena, layout);
    s.turned = DAL_NEW(arena, double, 3 * layout->mechanism->n_bodies + 1);
    s.tree = dal_tree_to_follow(arena, layout);
    for (int k = 0; k < layout->nv; k++)
        s.moved = s.moved || fabs(dal_seen_work(state)->v[k]) * layout->units.column_scale[k] > moving * layout->units.length / layout->units.time;
    dal_messages *heard = s.messages = dal_messages_create(dal_allocator_of(state));
    if (!heard)
        return DAL_NO_MEMORY;
    dal_arena_begin(&s.arena, dal_allocator_of(state));
    dal_status status = search(&s, seed);
    dal_arena_release(&s.arena);
    dal_status again = status;
    if (status != DAL_OK && status != DAL_NO_MEMORY && (s.rolls || !s.downhill) && s.n_freedoms > 0)
        again = search_straight(&s, &from, seed);
    if (again != DAL_OK && again != DAL_NO_MEMORY && !s.downhill && s.n_freedoms > 0)
        again = search_past_limits(arena, &s, &from, seed);
    if (again != DAL_NO_MEMORY && (again != DAL_OK || status == DAL_OK))
        dal_pass_all(messages, heard);
    dal_messages_free(heard);
    if (again == DAL_NO_MEMORY)
        return again;
    dal_say_sampled(dal_system_of(state), messages);
    if (dal_system_ages(dal_system_of(state), true))
        dal_say_ages(dal_seen_work(state)->t, messages);
    return again == DAL_OK ? DAL_OK : status;
}
