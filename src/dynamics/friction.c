/* Dry friction in joints, whatever the formulation.
 *
 * The surfaces of a joint are pressed together by N, a part of the joint's own reaction, and slide with the velocity s. With n = s / |s|
 *     slipping   e = -(mu(|s|) N + c |s|) n,   mu(|s|) = mu_d + (mu_s - mu_d) exp(-(|s| / v_s)^2)      Coulomb, Stribeck, viscous
 *     sticking   s' = 0,  |e| <= mu_s N
 *     smooth     the slipping law with n replaced by n tanh(|s| / v_r)
 * e does work, unlike the force of an ideal constraint: this is C of `udwadia-phohomsiri` (2.8) where it depends on the force itself.
 *
 * Accelerations and reactions are linear in applied forces at a given state. So the formulation is asked once without friction and once
 * for each component of e; then
 *     s'(e) = s'_0 + G e,   F(e) = F_0 + sum F_k e_k
 * are known, and e follows from the laws above: a linear system for what sticks, a fixed point of N -> e -> F(e) -> N for what
 * slips. Where that does not converge the friction is stronger than the geometry can bear (a jammed drawer) and the run ends with a sentence.
 * A last solution with e applied gives accelerations and multipliers. No formulation knows of it.
 */
#include "dynamics/friction.h"

#include "math/dense.h"
#include "math/rank.h"
#include "math/vec.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 400 };
static const double resting_speed = 1e-9; /* of the model's length a second: slower than that is at rest */
static const double settled = 1e-15; /* relative change of e that ends the iteration */

/* state->friction_work, part by part. */
typedef struct parts {
    double *force, *direct;   /* without friction: 6 a body, nv */
    double *rate, *G;         /* s'_0, d s'/d e by columns */
    double *F, *F_e;          /* 3 an element; the same for every component */
    double *e, *slip;         /* of the present solution */
    double *K, *b;            /* linear system of what sticks */
    double *before_K, *rank_work;
    double *press;            /* N of every element */
    double *before;
} parts;

static int components(const dal_system *system)
{
    const dal_friction *last = &system->frictions[system->n_frictions - 1];
    return last->first + last->n;
}

static size_t lay(const dal_system *system, double *memory, parts *p)
{
    const size_t n = (size_t)components(system), elements = (size_t)system->n_frictions;
    const size_t sizes[] = {6 * (size_t)system->mechanism.n_bodies, (size_t)system->layout.nv, n, n * n, 3 * elements, 3 * elements * n, n, n,
                            n * n, n, n * n, dal_rank_work((int)n, (int)n), elements, n};
    double **fields[] = {&p->force, &p->direct, &p->rate, &p->G, &p->F, &p->F_e, &p->e, &p->slip, &p->K, &p->b, &p->before_K, &p->rank_work, &p->press, &p->before};
    size_t used = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *fields[i] = memory ? memory + used : NULL;
        used += sizes[i];
    }
    return used;
}

size_t dal_friction_work(const dal_system *system)
{
    parts none;
    return system->n_frictions ? lay(system, NULL, &none) : 0;
}

/* ---- one element ----------------------------------------------------------------- */

/* Second relative to first. */
static void relative(const double *second, const double *first, double radius, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = radius * (second[i] - first[i]);
}

static void find_slip(const dal_state *state, const dal_friction *f, double *s)
{
    const dal_work *w = &state->work;
    const dal_joint *joint = &state->system->mechanism.joints[f->joint];
    if (f->turn) {
        relative(w->kin[joint->marker[1].body].w, w->kin[joint->marker[0].body].w, f->lever[0], s);
        return;
    }
    for (int k = 0; k < f->n; k++) {
        s[k] = 0;
        for (int i = 0; i < f->terms; i++)
            s[k] += f->lever[k + i] * w->rate[f->measure[k + i]];
    }
}

static void find_slip_rate(dal_state *state, const dal_friction *f, double *sd)
{
    static const double still[3] = {0, 0, 0};
    const dal_joint *joint = &state->system->mechanism.joints[f->joint];
    dal_state_accelerations(state);
    if (f->turn) {
        const int first = joint->marker[0].body, second = joint->marker[1].body;
        relative(second == DAL_GROUND ? still : state->acceleration[second].alpha, first == DAL_GROUND ? still : state->acceleration[first].alpha,
                 f->lever[0], sd);
        return;
    }
    for (int k = 0; k < f->n; k++) {
        sd[k] = 0;
        for (int i = 0; i < f->terms; i++) {
            const dal_signal second = {DAL_SIGNAL_MEASURE, f->measure[k + i], 0, 2, 0};
            sd[k] += f->lever[k + i] * dal_state_signal(state, &second);
        }
    }
}

void dal_friction_push(dal_state *state, const dal_friction *f, const double *e)
{
    const dal_joint *joint = &state->system->mechanism.joints[f->joint];
    if (f->turn) {
        double moment[3], back[3];
        for (int i = 0; i < 3; i++) {
            moment[i] = f->lever[0] * e[i];
            back[i] = -moment[i];
        }
        dal_push_moment(&state->loads, joint->marker[1].body, moment, false);
        dal_push_moment(&state->loads, joint->marker[0].body, back, false);
        return;
    }
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < f->terms; i++)
            dal_push_measure(&state->loads, f->measure[k + i], f->lever[k + i] * e[k], false);
}

/* N of the joint's force F. */
static double pressing(const dal_state *state, const dal_friction *f, const double F[3])
{
    const dal_marker *marker = &state->system->mechanism.joints[f->joint].marker[0];
    const int column = state->system->mechanism.space == DAL_PLANAR ? 0 : 2;
    const double axis[3] = {marker->B[column], marker->B[3 + column], marker->B[6 + column]};
    double a[3], across[3];
    dal_turn(state->work.kin[marker->body].R, axis, a);
    const double along = dal_dot(F, a);
    for (int i = 0; i < 3; i++)
        across[i] = F[i] - along * a[i];
    switch (f->press) {
    case DAL_PRESS_ACROSS: return f->share * sqrt(dal_dot(across, across));
    case DAL_PRESS_ALONG: return f->share * fabs(along);
    case DAL_PRESS_WHOLE: break;
    }
    return f->share * sqrt(dal_dot(F, F));
}

static double size_of(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double coefficient(const dal_friction *f, double speed)
{
    return f->stribeck > 0 ? f->sliding + (f->resting - f->sliding) * exp(-speed * speed / (f->stribeck * f->stribeck)) : f->sliding;
}

/* The law of slipping. `direction`: where the motion itself has none yet. */
static void slide(const dal_friction *f, const double *s, const double *direction, double N, double *e)
{
    double speed = size_of(s, f->n), force = coefficient(f, speed) * N;
    for (int k = 0; k < f->n; k++) {
        double along = f->regular > 0 ? (speed > 0 ? tanh(speed / f->regular) * s[k] / speed : 0) : f->n == 1 || !(speed > 0) ? direction[k] : s[k] / speed;
        e[k] = -force * along - f->viscous * s[k];
    }
}

/* ---- the formulation, asked again and again ------------------------------------------- */

static dal_flow solve_with(dal_state *state, const parts *p, const double *e)
{
    const dal_system *system = state->system;
    memcpy(state->work.force, p->force, sizeof *p->force * 6 * (size_t)system->mechanism.n_bodies);
    memcpy(state->work.direct, p->direct, sizeof *p->direct * (size_t)system->layout.nv);
    for (int i = 0; i < system->n_frictions && e; i++)
        dal_friction_push(state, &system->frictions[i], e + system->frictions[i].first);
    dal_state_pull(state);
    state->reactions_known = state->accelerations_known = state->friction_known = false;
    return system->formulation->solve(state);
}

/* s' and F of all elements, into columns. */
static void observe(dal_state *state, double *rate, double *F)
{
    const dal_system *system = state->system;
    dal_state_reactions(state);
    for (int i = 0; i < system->n_frictions; i++) {
        const dal_friction *f = &system->frictions[i];
        find_slip_rate(state, f, rate + f->first);
        memcpy(F + 3 * i, state->reaction + 6 * f->joint, 3 * sizeof *F);
    }
}

static dal_flow respond(dal_state *state, parts *p)
{
    const dal_system *system = state->system;
    const int n = components(system), elements = system->n_frictions;
    dal_flow flow = solve_with(state, p, NULL);
    if (flow)
        return flow;
    observe(state, p->rate, p->F);
    double unit = 1; /* of the size of what is there, so that differences keep their digits */
    for (int i = 0; i < 3 * elements; i++)
        unit = fmax(unit, fabs(p->F[i]));
    for (int k = 0; k < n; k++) {
        double *G = p->G + (size_t)k * (size_t)n, *F = p->F_e + 3 * (size_t)k * (size_t)elements;
        memset(p->e, 0, sizeof *p->e * (size_t)n);
        p->e[k] = unit;
        if ((flow = solve_with(state, p, p->e)))
            return flow;
        observe(state, G, F);
        for (int i = 0; i < n; i++)
            G[i] = (G[i] - p->rate[i]) / unit;
        for (int i = 0; i < 3 * elements; i++)
            F[i] = (F[i] - p->F[i]) / unit;
    }
    return 0;
}

static void find_press(dal_state *state, const parts *p)
{
    const dal_system *system = state->system;
    const int n = components(system), elements = system->n_frictions;
    for (int i = 0; i < elements; i++) {
        double F[3];
        for (int c = 0; c < 3; c++) {
            F[c] = p->F[3 * i + c];
            for (int k = 0; k < n; k++)
                F[c] += p->F_e[3 * (size_t)k * (size_t)elements + (size_t)(3 * i + c)] * p->e[k];
        }
        p->press[i] = pressing(state, &system->frictions[i], F);
    }
}

/* G_ss e_s = -(s'_0 + G e of the rest) over what sticks; the others are equations e = e. */
static void hold(const dal_state *state, const parts *p)
{
    const dal_system *system = state->system;
    const int n = components(system);
    bool any = false;
    memset(p->K, 0, sizeof *p->K * (size_t)n * (size_t)n);
    for (int i = 0; i < system->n_frictions; i++) {
        const dal_friction *f = &system->frictions[i];
        const bool sticks = state->slip_mode[i] == DAL_STICKS;
        any |= sticks;
        for (int k = f->first; k < f->first + f->n; k++) {
            for (int j = 0; j < n && sticks; j++)
                p->K[k * n + j] = p->G[j * n + k];
            if (!sticks)
                p->K[k * n + k] = 1;
            p->b[k] = sticks ? -p->rate[k] : p->e[k];
        }
    }
    if (!any)
        return;
    int *pivot = state->slip_pivots;
    memcpy(p->before_K, p->K, sizeof *p->K * (size_t)n * (size_t)n);
    if (dal_lu(p->K, n, n, pivot) > 1e-12) {
        dal_lu_solve(p->K, n, n, pivot, p->b);
        memcpy(p->e, p->b, sizeof *p->e * (size_t)n);
    } else { /* surfaces that hold each other: the least of the forces that do */
        dal_rank_solve(p->before_K, n, n, n, 1e-10, p->b, p->e, p->rank_work);
    }
}

static dal_flow fail_at(dal_state *state, int element, const char *what)
{
    const dal_system *system = state->system;
    return dal_state_fail(state, "the friction of joint '%s' %s", system->mechanism.joints[system->frictions[element].joint].name, what);
}

/* e for the present modes. */
static dal_flow balance(dal_state *state, const parts *p)
{
    const dal_system *system = state->system;
    const int n = components(system);
    int worst = 0;
    memset(p->e, 0, sizeof *p->e * (size_t)n);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double change = 0, size = 0;
        memcpy(p->before, p->e, sizeof *p->e * (size_t)n);
        find_press(state, p);
        for (int i = 0; i < system->n_frictions; i++) {
            const dal_friction *f = &system->frictions[i];
            if (state->slip_mode[i] != DAL_STICKS)
                slide(f, p->slip + f->first, state->slip_direction + f->first, p->press[i], p->e + f->first);
        }
        hold(state, p);
        for (int i = 0; i < system->n_frictions; i++)
            for (int k = system->frictions[i].first; k < system->frictions[i].first + system->frictions[i].n; k++) {
                size = fmax(size, fabs(p->e[k]));
                if (fabs(p->e[k] - p->before[k]) > change) {
                    change = fabs(p->e[k] - p->before[k]);
                    worst = i;
                }
            }
        if (change <= settled * size || (round > 50 && change <= 1e-13 * size))
            return 0;
    }
    return fail_at(state, worst, "has no solution: it grows with the very force that it causes (the joint jams); a smaller coefficient, or another "
                                 "geometry, is needed");
}

static parts begin(dal_state *state)
{
    const dal_system *system = state->system;
    parts p;
    lay(system, state->friction_work, &p);
    memcpy(p.force, state->work.force, sizeof *p.force * 6 * (size_t)system->mechanism.n_bodies);
    memcpy(p.direct, state->work.direct, sizeof *p.direct * (size_t)system->layout.nv);
    for (int i = 0; i < system->n_frictions; i++)
        find_slip(state, &system->frictions[i], p.slip + system->frictions[i].first);
    return p;
}

dal_flow dal_friction_accelerate(dal_state *state)
{
    parts p = begin(state);
    const int n = components(state->system);
    dal_flow flow = respond(state, &p);
    if (flow || (flow = balance(state, &p)))
        return flow;
    find_press(state, &p);
    if ((flow = solve_with(state, &p, p.e)))
        return flow;
    memcpy(state->friction, p.e, sizeof *p.e * (size_t)n);
    state->friction_known = true;
    for (int k = 0; k < n; k++)
        state->loads.power += p.e[k] * p.slip[k];
    return 0;
}

/* ---- sticking and slipping ------------------------------------------------------------- */

static bool switches(const dal_friction *f)
{
    return !(f->regular > 0);
}

int dal_friction_guards(const dal_system *system)
{
    int n = 0;
    for (int i = 0; i < system->n_frictions; i++)
        n += switches(&system->frictions[i]);
    return n;
}

void dal_friction_guard(const dal_state *state, double *guard)
{
    const dal_system *system = state->system;
    parts p;
    lay(system, state->friction_work, &p);
    for (int i = 0; i < system->n_frictions; i++) {
        const dal_friction *f = &system->frictions[i];
        if (!switches(f))
            continue;
        double forward = 0;
        for (int k = 0; k < f->n; k++)
            forward += state->slip_direction[f->first + k] * p.slip[f->first + k];
        *guard++ = state->slip_mode[i] == DAL_YIELDS ? 1 : state->slip_mode[i] == DAL_SLIPS ? forward : f->resting * p.press[i] - size_of(state->friction + f->first, f->n);
    }
}

/* s' of an element under the present forces. False where it is nothing but the rounding of what cancels. */
static bool starts(const dal_state *state, const parts *p, int element, double *rate)
{
    const dal_friction *f = &state->system->frictions[element];
    const int n = components(state->system);
    double size = 0;
    for (int k = 0; k < f->n; k++) {
        rate[k] = p->rate[f->first + k];
        size = fmax(size, fabs(rate[k]));
        for (int j = 0; j < n; j++) {
            double share = p->G[j * n + f->first + k] * p->e[j];
            rate[k] += share;
            size = fmax(size, fabs(share));
        }
    }
    return size_of(rate, f->n) > 1e-9 * size;
}

/* A surface that slips from rest and does not start: what sticks elsewhere holds it. */
static bool stays(const dal_state *state, const parts *p, int element)
{
    const dal_friction *f = &state->system->frictions[element];
    double rate[DAL_MAX_SLIP];
    return state->slip_mode[element] == DAL_SLIPS && size_of(p->slip + f->first, f->n) <= resting_speed * state->system->length &&
           !starts(state, p, element, rate);
}

/* Where no friction can hold a surface (its coordinate is prescribed, or the mechanism passes a dead centre), it slips on, the way it is moved. */
static bool is_carried(dal_state *state, const parts *p)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->n_frictions; i++) {
        const dal_friction *f = &system->frictions[i];
        double rate[DAL_MAX_SLIP];
        if (state->slip_mode[i] != DAL_STICKS || !starts(state, p, i, rate))
            continue;
        state->slip_mode[i] = DAL_SLIPS;
        for (int k = 0; k < f->n; k++)
            state->slip_direction[f->first + k] = rate[k] / size_of(rate, f->n);
        return true;
    }
    return false;
}


/* Surfaces at rest are first taken to stick, all of them; those that cannot hold slip, against the force that was wanted of them. */
dal_flow dal_friction_restart(dal_state *state, const bool *ended)
{
    const dal_system *system = state->system;
    parts p = begin(state);
    const double rest = resting_speed * system->length;
    for (int i = 0, guard = 0; i < system->n_frictions; i++) {
        const dal_friction *f = &system->frictions[i];
        const double *s = p.slip + f->first, speed = size_of(s, f->n);
        if (!switches(f))
            continue;
        const bool over = ended && ended[guard++], stopped = f->n == 1 && over && state->slip_mode[i] == DAL_SLIPS;
        state->slip_broken[i] = over && state->slip_mode[i] == DAL_STICKS;
        if (stopped || speed <= rest || state->slip_mode[i] != DAL_SLIPS) {
            state->slip_mode[i] = DAL_STICKS;
            continue;
        }
        state->slip_mode[i] = DAL_SLIPS;
        for (int k = 0; k < f->n; k++)
            state->slip_direction[f->first + k] = s[k] / speed;
    }
    dal_flow flow = respond(state, &p);
    for (int round = 0; !flow && round <= 2 * system->n_frictions; round++) {
        int weakest = -1;
        double most = 0;
        if ((flow = balance(state, &p)))
            break;
        if (is_carried(state, &p))
            continue;
        find_press(state, &p);
        for (int i = 0; i < system->n_frictions; i++) {
            const dal_friction *f = &system->frictions[i];
            double wanted = size_of(p.e + f->first, f->n), allowed = f->resting * p.press[i];
            double ratio = allowed > 0 ? wanted / allowed : wanted > 0 ? HUGE_VAL : 0, limit = state->slip_broken[i] ? 1 - 1e-6 : 1 + 1e-10;
            if (switches(f) && state->slip_mode[i] == DAL_STICKS && ratio > fmax(limit, most)) {
                weakest = i;
                most = ratio;
            }
        }
        if (weakest < 0)
            break;
        const dal_friction *f = &system->frictions[weakest];
        double wanted = size_of(p.e + f->first, f->n);
        state->slip_mode[weakest] = DAL_SLIPS;
        for (int k = 0; k < f->n; k++)
            state->slip_direction[f->first + k] = -p.e[f->first + k] / wanted;
    }
    for (int i = 0; i < system->n_frictions && !flow; i++)
        if (switches(&system->frictions[i]) && stays(state, &p, i))
            state->slip_mode[i] = DAL_YIELDS;
    return flow;
}

void dal_friction_accepted(dal_state *state)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->n_frictions; i++) {
        const dal_friction *f = &system->frictions[i];
        double s[DAL_MAX_SLIP], speed;
        find_slip(state, f, s);
        if (f->n == 1 || !switches(f) || state->slip_mode[i] == DAL_STICKS || !((speed = size_of(s, f->n)) > 0))
            continue;
        for (int k = 0; k < f->n; k++)
            state->slip_direction[f->first + k] = s[k] / speed;
    }
}

/* ---- results ---------------------------------------------------------------------------- */

void dal_friction_reactions(dal_state *state)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->n_frictions && state->friction_known; i++) {
        const dal_friction *f = &system->frictions[i];
        const double *e = state->friction + f->first;
        double *wrench = state->reaction + 6 * f->joint;
        if (f->turn) {
            for (int k = 0; k < 3; k++)
                wrench[3 + k] += f->lever[0] * e[k];
            continue;
        }
        for (int k = 0; k < f->n; k++)
            for (int j = 0; j < f->terms; j++)
                dal_add_measure(state, f->joint, f->measure[k + j], f->lever[k + j] * e[k], wrench);
    }
}
