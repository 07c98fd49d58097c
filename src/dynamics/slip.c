/* Which surfaces stick and which slip, and when that ends.
 *
 * At a restart the surfaces at rest are first taken to stick, all of them. Then, one at a time,
 *     a surface that no friction can hold (driven, or at a position where the linkage moves on without moving it: s' does not depend on e)
 *       slips the way in which it is moved, n = s' / |s'|;
 *     a surface that needs more than K_s + mu_s N slips; the worst first;
 *     a surface that was to slip from rest, but would be pushed back (s'.n < 0), sticks after all.
 * If this cycles, or a slipping surface has no solution, all combinations of sticking, slipping forth and slipping back are tried for the surfaces at
 * rest; the first consistent one is used.
 *
 * Guards. Sticking: K_s + mu_s N - |e|. Slipping: n.s, the turn of the sliding by a right angle, or its end. Both are known only to rounding: e to
 * that of s' over G_kk (`force_error`), and a surface that has just begun to slide has an s of rounding, of either sign; the tolerance for apparent
 * sliding back (`slack`) ends once the surface clearly slides. If it comes back before, the event is late by slack / |s'|, and the energy wrong by (K
 * + mu N) slack^2 / |s'|. A surface at rest that friction cannot move is not held: it slips as soon as it slides.
 */
#include "dynamics/friction_parts.h"

#include "math/sums.h"
#include "model/system.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

static const double resting_speed = 1e-9; /* of the extent in a unit of time: slower than that is at rest; the drift may be more */
static const double carried_speed = 1e-8; /* the same: what cannot be held and is faster slides */
static const double pushed_speed = 1e-6;  /* the same: a sticking surface that is faster was set in motion from outside */
static const double beyond_drift = 2;     /* multiples of the drifts of s and s': larger values are real */
static const double slack_of_extent = 1e-12, slack_of_speed = 1e-13;
static const double clear = 4;                               /* slacks: the sliding has clearly begun */
static const double share_rounding = 1e-9;                   /* of the terms that cancel in s' */
static const double blocked_mobility = 1e-8;                 /* of the mobility: the rest of it where others stick */
static const double force_rounding = 1e-3;                   /* of the rounding of s', which has a margin, over G: `force_error` */
static const double longest_look = 1e-5, look_of_run = 1e-6; /* of a unit of time, and of the run: how far ahead n looks while a surface starts */
enum { MOST_COMBINED = 6 };

int dal_friction_guards(const dal_system *system)
{
    int n = 0;
    for (int i = 0; i < system->acting.n_frictions; i++)
        n += dal_friction_switches(&system->acting.frictions[i]);
    return n;
}

const char *dal_friction_guard_name(const dal_system *system, int guard)
{
    int i = 0;
    while (!dal_friction_switches(&system->acting.frictions[i]) || guard-- > 0)
        i++;
    return system->mechanism.joints[system->acting.frictions[i].joint].name;
}

static double forward_slip(const dal_state *state, const dal_friction *f, const double *s)
{
    double sum = 0;
    for (int k = 0; k < f->n; k++)
        sum += state->friction->direction[f->first + k] * s[k];
    return sum;
}

/* Slower than that is at rest. */
static double rest_of(const dal_state *state, const dal_friction_parts *p, const dal_friction *f)
{
    return fmax(resting_speed, beyond_drift * p->drift) * dal_friction_pace(state->layout, f);
}

/* Margins of holding, and of rest without holding, in units of the model. */
static double guard_of_sticking(const dal_state *state, const dal_friction_parts *p, int i)
{
    const dal_friction *f = &state->friction->element[i];
    const double force = state->layout->units.mass * state->layout->units.length / (state->layout->units.time * state->layout->units.time),
                 pace = dal_friction_pace(state->layout, f);
    double guard = (dal_friction_holds(state, f, p->press[i]) - dal_norm(state->friction->force + f->first, f->n) + p->force_error[i]) / force;
    for (int k = f->first; k < f->first + f->n; k++)
        if (p->bound[k] > 0)
            guard = fmin(guard, carried_speed - fabs(p->slip[k]) / pace);
    return guard;
}

void dal_friction_guard(const dal_state *state, double *guard)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_system *system = state->system;
    const dal_friction_parts p = dal_friction_layout(state);
    for (int i = 0; i < system->acting.n_frictions; i++) {
        const dal_friction *f = &state->friction->element[i];
        if (!dal_friction_switches(f))
            continue;
        switch ((dal_slip)state->friction->mode[i]) {
        case DAL_SLIPS: *guard++ = forward_slip(state, f, p.slip + f->first) + p.slack[i]; break;
        case DAL_STICKS: *guard++ = guard_of_sticking(state, &p, i); break;
        case DAL_YIELDS: *guard++ = 1; break;
        }
    }
}

void dal_friction_accepted(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    const dal_system *system = state->system;
    const dal_friction_parts p = dal_friction_layout(state);
    for (int i = 0; i < system->acting.n_frictions; i++) {
        const dal_friction *f = &state->friction->element[i];
        double s[DAL_MAX_SLIP];
        if (!dal_friction_switches(f) || state->friction->mode[i] != DAL_SLIPS)
            continue;
        dal_friction_slip(state, f, s);
        const double speed = dal_norm(s, f->n), ahead = forward_slip(state, f, s);
        if (speed > clear * p.ahead[i] || speed < p.fastest[i])
            p.look[i] = 0;
        p.fastest[i] = fmax(speed, p.fastest[i]);
        if (!(ahead > clear * p.slack[i]))
            continue;
        p.slack[i] = 0;
        for (int k = 0; k < f->n; k++)
            state->friction->direction[f->first + k] = s[k] / speed;
    }
}

/* ---- at a restart ---------------------------------------------------------------------------- */

/* s' of a component by the yielding of soft rows under the present forces. */
static double softness_slip(const dal_friction_parts *p, int component)
{
    double force = 0;
    for (int i = 0; i < p->elements && p->soft > 0; i++)
        force = fmax(force, fmax(p->press[i], dal_norm(p->F + 3 * i, 3)));
    return p->soft * p->mobility[component] * force;
}

/* s' of an element under the present forces. False if it is only the rounding of terms that cancel. */
static bool starts_slip(const dal_state *state, const dal_friction_parts *p, int element, double *rate)
{
    const dal_friction *f = &state->friction->element[element];
    double size = 0, rounding = 0;
    for (int k = 0; k < f->n; k++) {
        rate[k] = p->rate[f->first + k];
        size = fmax(size, fabs(rate[k]));
        rounding = fmax(rounding, fmax(p->rounding[f->first + k], softness_slip(p, f->first + k)));
        for (int j = 0; j < p->n; j++) {
            double share = p->G[j * p->n + f->first + k] * p->e[j];
            rate[k] += share;
            size = fmax(size, fabs(share));
        }
    }
    return dal_norm(rate, f->n) > fmax(share_rounding * size, rounding);
}

static double time_ahead(const dal_system *system)
{
    const double longest = longest_look * system->layout.units.time;
    return system->info.until > 0 ? fmin(longest, look_of_run * system->info.until) : longest;
}

static void slip_along(dal_state *state, const dal_friction_parts *p, int element, const double *direction, double sign)
{
    const dal_friction *f = &state->friction->element[element];
    const double size = dal_norm(direction, f->n);
    state->friction->mode[element] = DAL_SLIPS;
    p->fresh[element] = 1;
    p->look[element] = f->n > 1 ? time_ahead(state->system) : 0;
    for (int k = 0; k < f->n; k++)
        state->friction->direction[f->first + k] = sign * direction[k] / size;
}

/* A surface that no friction can hold continues to slip in the direction of its motion. */
static bool release_carried(dal_state *state, const dal_friction_parts *p)
{
    for (int i = 0; i < p->elements; i++) {
        double rate[DAL_MAX_SLIP];
        if (state->friction->mode[i] == DAL_STICKS && starts_slip(state, p, i, rate)) {
            slip_along(state, p, i, rate, 1);
            return true;
        }
    }
    return false;
}

/* The absolute uncertainty of the force that holds an element, beside its relative rounding. */
static double find_force_error(const dal_state *state, const dal_friction_parts *p, int element)
{
    const dal_friction *f = &state->friction->element[element];
    double error = 0;
    for (int k = f->first; k < f->first + f->n; k++)
        if (!dal_friction_is_bound(p, k))
            error = fmax(error, force_rounding * p->rounding[k] / p->G[k * (p->n + 1)]);
    return error;
}

/* The ratio of the needed force of a sticking element to its limit: above 1 it slips. */
static double overload_slip(const dal_state *state, const dal_friction_parts *p, int i)
{
    const dal_friction *f = &state->friction->element[i];
    const double wanted = dal_norm(p->e + f->first, f->n), allowed = dal_friction_holds(state, f, p->press[i]), error = find_force_error(state, p, i);
    if (state->friction->broken[i])
        return wanted > (1 - 1e-6) * allowed - error ? 1 + wanted / (allowed + error) : 0;
    return wanted / (allowed + error) > 1 + 1e-10 ? wanted / (allowed + error) : 0;
}

static bool release_weakest(dal_state *state, const dal_friction_parts *p)
{
    int weakest = -1;
    double most = 0;
    for (int i = 0; i < p->elements; i++) {
        double over = state->friction->mode[i] == DAL_STICKS ? overload_slip(state, p, i) : 0;
        if (over > most) {
            weakest = i;
            most = over;
        }
    }
    const int first = weakest < 0 ? 0 : state->friction->element[weakest].first;
    if (weakest < 0 || !(dal_norm(p->e + first, state->friction->element[weakest].n) > 0))
        return false;
    slip_along(state, p, weakest, p->e + first, -1);
    return true;
}

/* A surface that slips from rest: 1 the way it should, 0 not at all, -1 back. */
static int departs_slip(const dal_state *state, const dal_friction_parts *p, int i)
{
    const dal_friction *f = &state->friction->element[i];
    double rate[DAL_MAX_SLIP];
    return !starts_slip(state, p, i, rate) ? 0 : forward_slip(state, f, rate) > 0 ? 1 : -1;
}

static bool catch_backward(dal_state *state, const dal_friction_parts *p)
{
    for (int i = 0; i < p->elements; i++)
        if (p->fresh[i] > 0 && state->friction->mode[i] == DAL_SLIPS && departs_slip(state, p, i) < 0) {
            state->friction->mode[i] = DAL_STICKS;
            state->friction->broken[i] = false;
            p->look[i] = 0;
            return true;
        }
    return false;
}

static bool is_consistent(const dal_state *state, const dal_friction_parts *p)
{
    for (int i = 0; i < p->elements; i++) {
        double rate[DAL_MAX_SLIP];
        if (!dal_friction_switches(&state->friction->element[i]))
            continue;
        if (state->friction->mode[i] == DAL_STICKS && (starts_slip(state, p, i, rate) || overload_slip(state, p, i) > 1))
            return false;
        if (state->friction->mode[i] == DAL_SLIPS && p->fresh[i] > 0 && departs_slip(state, p, i) < 0)
            return false;
    }
    return true;
}

/* All combinations of the elements at rest: digit 0 sticks, 1 slips forth, 2 back. */
static bool combine_slip(dal_state *state, dal_friction_parts *p, const int *list, int n)
{
    int all = 1;
    for (int i = 0; i < n; i++)
        all *= 3;
    for (int c = 0; c < all; c++) {
        for (int i = 0, digit = c; i < n; i++, digit /= 3) {
            const double unit[DAL_MAX_SLIP] = {1, 0, 0};
            p->fresh[list[i]] = p->look[list[i]] = 0;
            state->friction->broken[list[i]] = false;
            state->friction->mode[list[i]] = DAL_STICKS;
            if (digit % 3)
                slip_along(state, p, list[i], unit, digit % 3 == 1 ? 1 : -1);
        }
        if (dal_friction_balance(state, p) && is_consistent(state, p))
            return true;
    }
    return false;
}

/* Does the element begin as one at rest? Else the direction of its sliding is that of s. */
static bool is_at_rest(dal_state *state, const dal_friction_parts *p, int i, bool over)
{
    const dal_friction *f = &state->friction->element[i];
    const double *s = p->slip + f->first, speed = dal_norm(s, f->n), pace = dal_friction_pace(state->layout, f);
    bool carried = false;
    for (int k = f->first; k < f->first + f->n && over && state->friction->mode[i] == DAL_STICKS; k++)
        carried |= p->bound[k] > 0 && fabs(p->slip[k]) > carried_speed * pace / 2;
    if (carried)
        return false;
    return speed <= rest_of(state, p, f) || (over && f->n == 1 && state->friction->mode[i] == DAL_SLIPS) ||
           (state->friction->mode[i] != DAL_SLIPS && speed <= pushed_speed * pace);
}

/* How fast the model moves, as a velocity of sliding. */
static double slack_for(const dal_state *state, const dal_friction *f)
{
    double fastest = 0;
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        fastest = fmax(fastest, fmax(dal_norm(state->work.kin[b].rd, 3), state->layout->units.length * dal_norm(state->work.kin[b].w, 3)));
    return dal_friction_extent(state->layout, f) *
           (slack_of_extent / state->layout->units.time + slack_of_speed * fastest / state->layout->units.length);
}

/* Elements that stick leave this one no motion. It may be at rest for a moment without that: at its limit, while the load grows. */
static bool is_blocked(const dal_state *state, const dal_friction_parts *p, int i)
{
    const dal_friction *f = &state->friction->element[i];
    for (int k = f->first; k < f->first + f->n; k++)
        if (dal_friction_mobility(p, k) > fmax(blocked_mobility * p->G[k * (p->n + 1)], p->soft * p->mobility[k]))
            return false;
    return true;
}

/* Guards of the chosen modes; elements that are to slip but are held by others yield. The forces that hold the others have to include the stray. */
static void conclude_slip(dal_state *state, const dal_friction_parts *p)
{
    double *e = p->stray;
    dal_friction_solve(p, e); /* the factors are those of the last balance */
    for (int i = 0; i < p->elements; i++) {
        const dal_friction *f = &state->friction->element[i];
        const double ahead = forward_slip(state, f, p->slip + f->first);
        if (!dal_friction_switches(f))
            continue;
        if (state->friction->mode[i] == DAL_SLIPS && p->fresh[i] > 0 && departs_slip(state, p, i) == 0 && is_blocked(state, p, i))
            state->friction->mode[i] = DAL_YIELDS;
        p->slack[i] = p->fresh[i] > 0 ? fmax(slack_for(state, f), -2 * ahead) : 0;
        p->force_error[i] = find_force_error(state, p, i) + beyond_drift * dal_norm(e + f->first, f->n);
        for (int k = f->first; k < f->first + f->n; k++)
            p->bound[k] = dal_friction_is_bound(p, k);
    }
}

/* Has a surface that stuck come loose? Then others that are at their limits do not hold in its place: shares that are not unique would pass from one
 * to the next without end. */
static bool has_broken(const dal_state *state, const bool *ended)
{
    bool any = false;
    for (int i = 0, guard = 0; i < state->system->acting.n_frictions && ended; i++)
        if (dal_friction_switches(&state->friction->element[i]))
            any |= ended[guard++] && state->friction->mode[i] == DAL_STICKS;
    return any;
}

/* In coordinates of the model's own that keep a joint together by themselves its rows are empty, and its reaction is not known. */
static dal_flow check_reactions(dal_state *state)
{
    const dal_system *system = state->system;
    const dal_layout *layout = &system->layout;
    for (int i = 0; i < system->acting.n_frictions && layout->placement; i++) {
        const dal_joint *joint = &system->mechanism.joints[state->friction->element[i].joint];
        const int n_rows = dal_friction_presses(&state->friction->element[i]) ? joint->n_rows : 0;
        for (int j = joint->row; j < joint->row + n_rows; j++) {
            const int row = layout->row_at[j], first = row < 0 ? 0 : layout->row[row].value, n = row < 0 ? 0 : layout->row[row].n_values;
            double size = 0; /* what moving the bodies by a length does to the row, in its unit */
            for (int k = first; k < first + n; k++)
                size = fmax(size, fabs(state->work.A[k]) * layout->units.column_unit[layout->column[k]] * layout->units.length /
                                      layout->units.row_unit[row]);
            if (!(size > 1e-12))
                return dal_state_fail_for(state, DAL_REASON_JOINT,
                                          "the friction of joint '%s' needs the force of the joint, which the coordinates of the model keep "
                                          "together by themselves: take another family of coordinates, as angle or joint",
                                          joint->name);
        }
    }
    return 0;
}

/* It sticks from here on, unless it did so before. */
static void stop_slip(dal_state *state, const dal_friction_parts *p, int i)
{
    if (state->friction->mode[i] != DAL_STICKS)
        dal_friction_mark(state, p, i);
    state->friction->mode[i] = DAL_STICKS;
}

/* All surfaces at rest stick; the others slip in the direction of their motion. */
static void begin_modes(dal_state *state, const dal_friction_parts *p, const bool *ended)
{
    const bool broken = has_broken(state, ended);
    for (int i = 0, guard = 0; i < p->elements; i++) {
        const dal_friction *f = &state->friction->element[i];
        p->fresh[i] = p->look[i] = p->fastest[i] = 0;
        if (!dal_friction_switches(f))
            continue;
        const bool over = ended && ended[guard++];
        state->friction->broken[i] = broken;
        if (is_at_rest(state, p, i, over)) {
            stop_slip(state, p, i);
        } else {
            slip_along(state, p, i, p->slip + f->first, 1);
            p->fresh[i] = p->look[i] = 0;
        }
    }
}

/* A surface that stops also stops those that can only move together with it: the others keep s + G c with G_ss c = -s of the sticking ones. True: one
 * more has stopped. */
static bool stop_with_others(dal_state *state, dal_friction_parts *p)
{
    double *c = p->e; /* not known yet */
    memcpy(c, p->slip, sizeof *c * (size_t)p->n);
    dal_friction_factor(state, p);
    dal_friction_solve(p, c);
    for (int i = 0; i < p->elements && p->n_sticking; i++) {
        const dal_friction *f = &state->friction->element[i];
        double left[DAL_MAX_SLIP];
        for (int k = 0; k < f->n; k++) {
            left[k] = p->slip[f->first + k];
            for (int j = 0; j < p->n; j++)
                left[k] -= p->G[j * p->n + f->first + k] * c[j];
        }
        if (dal_friction_switches(f) && state->friction->mode[i] != DAL_STICKS && dal_norm(left, f->n) <= rest_of(state, p, f)) {
            stop_slip(state, p, i);
            return true;
        }
    }
    return false;
}

/* The elements that stick, up to MOST_COMBINED of them; returns how many there are. */
static int list_sticking(const dal_state *state, const dal_friction_parts *p, int *list)
{
    int n = 0;
    for (int i = 0; i < p->elements; i++)
        if (dal_friction_switches(&state->friction->element[i]) && state->friction->mode[i] == DAL_STICKS) {
            if (n < MOST_COMBINED)
                list[n] = i;
            n++;
        }
    return n;
}

dal_flow dal_friction_restart(dal_state *state, const bool *ended)
{
    dal_friction_parts p = dal_friction_begin(state);
    int list[MOST_COMBINED];
    dal_flow flow = check_reactions(state);
    if (flow || (flow = dal_friction_respond(state, &p)) || (flow = dal_friction_find_drift(state, &p)))
        return flow;
    begin_modes(state, &p, ended);
    while (stop_with_others(state, &p))
        ;
    const int n_list = list_sticking(state, &p, list);
    bool found = false, solved = true;
    for (int round = 0; !found && solved && round <= 4 * p.elements + 4; round++) {
        solved = dal_friction_balance(state, &p);
        found = solved && !release_carried(state, &p) && !release_weakest(state, &p) && !catch_backward(state, &p);
    }
    if (!found && (n_list > MOST_COMBINED || !combine_slip(state, &p, list, n_list)))
        return dal_friction_jams(state, p.worst);
    conclude_slip(state, &p);
    return 0;
}
