/* Dry friction in joints, whatever the formulation.
 *
 * The surfaces of a joint are pressed together by N, a part of the joint's own reaction, and slide with the velocity s. With n = s / |s|
 *     slipping   e = -(K(|s|) + mu(|s|) N + c |s|) n,   mu(|s|) = mu_d + (mu_s - mu_d) exp(-(|s| / v_s)^2)      Coulomb, Stribeck, viscous
 *     sticking   s' = 0,  |e| <= K_s + mu_s N
 *     smooth     the slipping law with n replaced by n tanh(|s| / v_r)
 * K is the constant part of the limit (a seal, a brake, gears; `friction` of URDF), K(|s|) = K_d + (K_s - K_d) exp(-(|s| / v_s)^2). It is
 * given as a force or torque T on the joint's coordinate x: with s = g x' the power T x' = K s makes K = T / g. T may be a function of time,
 * inputs, states, positions and velocities (a brake): known before the accelerations, it is a number in all that follows.
 * e does work, unlike the force of an ideal constraint: this is C of `udwadia-phohomsiri` (2.8) where it depends on the force itself.
 *
 * Accelerations and reactions are linear in applied forces at a given state. So the formulation is solved once without friction and once for each
 * component of e; then
 *     s'(e) = s'_0 + G e,   F(e) = F_0 + sum F_k e_k,   v'(e) = v'_0 + B e
 * are known, and e follows from the laws above (friction_balance.c). A last solution with e applied gives accelerations and
 * multipliers. Where nothing sticks and every mu is zero e is known from the motion alone, and that last solution is the only one. The formulations
 * themselves do not contain friction. Which surfaces stick is decided in slip.c, without the drift of the constraints (friction_drift.c); stick.c
 * keeps them where they stuck.
 *
 * G is symmetric and not negative: G = S M_c S^T with the constrained mobility M_c and s = S v + ... Where the joint is driven, or a
 * linkage passes a position in which its freedom does not move these surfaces, G_kk is zero: no friction can hold or move them. G_kk is compared with
 * the mobility g_k of the two bodies of the joint if they were free: with the wrench (f, t about the centre of mass) of a unit of e on them
 *     g_k = sum |f|^2 / m + |t|^2 / (t^ . I t^),   t^ = t / |t|
 * In the same way s' is known only to the rounding of its terms: (|f| + |t| / L) times the largest acceleration of the model.
 */
#include "dynamics/friction_parts.h"

#include "math/rank.h"
#include "math/sums.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "state/values.h"
#include "dynamics/reactions.h"
#include "dynamics/saddle.h"

#include <math.h>
#include <string.h>

static const double rate_rounding = 1e-10; /* of the accelerations: conditioning of the formulation times eps, with a margin */

static const double soft_margin = 100; /* masses differ, and a row acts on some of them */

/* ---- memory ------------------------------------------------------------------------------ */

static int components(const dal_system *system)
{
    return dal_sliding_components(system->acting.frictions, system->acting.n_frictions);
}

/* One pass of a penalty leaves the part 1 / factor of the residual of the rows, each further pass the same part of the rest; the iteration leaves its
 * tolerance. */
static double softness_friction(const dal_system *system)
{
    if (!system->method.stabilization->solve)
        return 0;
    const int passes = system->method.penalty_passes;
    return soft_margin * (passes ? pow(system->method.penalty, -passes) : system->method.tolerance);
}

static size_t layout_friction_parts(const dal_system *system, double *memory, dal_friction_parts *p)
{
    const size_t n = (size_t)components(system), m = (size_t)system->acting.n_frictions, nv = (size_t)system->layout.nv;
    const size_t r = (size_t)system->layout.n_rows;
    const struct {
        double **field;
        size_t size;
    } all[] = {
        {&p->force, 6 * (size_t)system->mechanism.n_bodies},
        {&p->direct, nv},
        {&p->slip, n},
        {&p->rate, n},
        {&p->G, n * n},
        {&p->F, 3 * m},
        {&p->F_e, 3 * m * n},
        {&p->vd, nv},
        {&p->B, nv * n},
        {&p->mobility, n},
        {&p->rounding, n},
        {&p->change, nv},
        {&p->kept, nv},
        {&p->missed, r},
        {&p->stray, n},
        {&p->e, n},
        {&p->press, m},
        {&p->base, n},
        {&p->E, n * m},
        {&p->a, 3 * m},
        {&p->b, 3 * m * m},
        {&p->J, m * m},
        {&p->step, m},
        {&p->N, m},
        {&p->path, m},
        {&p->H, n * n},
        {&p->H_plain, n * n},
        {&p->x, 2 * n},
        {&p->rank_work, dal_rank_work((int)n, (int)n)},
        {&p->sticking, n},
        {&p->fresh, m},
        {&p->slack, m},
        {&p->force_error, m},
        {&p->bound, n},
        {&p->place, 9 * m},
        {&p->look, m},
        {&p->ahead, m},
        {&p->fastest, m},
        {&p->jam, 2},
    };
    size_t used = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].field = memory ? memory + used : NULL;
        used += all[i].size;
    }
    p->n = (int)n;
    p->elements = (int)m;
    p->n_sticking = p->worst = 0;
    p->drift = 0;
    p->soft = softness_friction(system);
    p->shared = false;
    return used;
}

const dal_friction_state *dal_friction_of(const dal_state *state)
{
    return state->friction;
}

dal_friction_parts dal_friction_layout(const dal_state *state)
{
    dal_friction_parts p;
    layout_friction_parts(state->system, state->friction->work, &p);
    return p;
}

/* ---- one element ----------------------------------------------------------------- */

double dal_friction_extent(const dal_layout *layout, const dal_friction *f)
{
    return f->shifts ? layout->units.length : f->lever[0];
}

double dal_friction_pace(const dal_layout *layout, const dal_friction *f)
{
    return dal_friction_extent(layout, f) / layout->units.time;
}

/* The part of what holds at rest beyond sliding that is left. */
static double at_rest_still(const dal_friction *f, double speed)
{
    return f->stribeck > 0 ? exp(-speed * speed / (f->stribeck * f->stribeck)) : 0;
}

double dal_friction_coefficient(const dal_friction *f, double speed)
{
    return f->sliding + (f->resting - f->sliding) * at_rest_still(f, speed);
}

static double times_expression(const dal_state *state, double factor, int expression)
{
    return expression < 0 ? factor : factor * state->values->expression[expression];
}

/* K_s is at least K_d, whatever the two expressions say. */
static double limit_at_rest(const dal_state *state, const dal_friction *f, double sliding)
{
    return fmax(times_expression(state, f->resting_limit, f->resting_limit_of), sliding);
}

double dal_friction_limit(const dal_state *state, const dal_friction *f, double speed)
{
    const double K = times_expression(state, f->limit, f->limit_of), still = at_rest_still(f, speed);
    return still > 0 ? K + (limit_at_rest(state, f, K) - K) * still : K;
}

double dal_friction_holds(const dal_state *state, const dal_friction *f, double N)
{
    return limit_at_rest(state, f, times_expression(state, f->limit, f->limit_of)) + f->resting * N;
}

void dal_friction_slip(const dal_state *state, const dal_friction *f, double *s)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    dal_sliding_velocity(state->mechanism, &state->work, f, s);
}

static void find_slip_rate(dal_state *state, const dal_friction *f, double *sd)
{
    static const double still[3] = {0, 0, 0};
    const dal_joint *joint = &state->mechanism->joints[f->joint];
    dal_need(state, DAL_STAGE_BODIES);
    if (f->turn) {
        const int first = joint->marker[0].body, second = joint->marker[1].body;
        dal_sliding_turn(f, second == DAL_GROUND ? still : state->reactions->body[second].alpha,
                         first == DAL_GROUND ? still : state->reactions->body[first].alpha, sd);
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

/* ---- the formulation, asked again and again ------------------------------------------- */

static dal_flow solve_with(dal_state *state, const dal_friction_parts *p, const double *e)
{
    const dal_system *system = state->system;
    memcpy(state->work.force, p->force, sizeof *p->force * 6 * (size_t)system->mechanism.n_bodies);
    memcpy(state->work.direct, p->direct, sizeof *p->direct * (size_t)system->layout.nv);
    for (int i = 0; i < system->acting.n_frictions && e; i++)
        dal_sliding_push(&state->loads, &system->acting.frictions[i], e + system->acting.frictions[i].first);
    dal_state_pull(state);
    state->stages &= ~(unsigned)(DAL_STAGE_REACTIONS | DAL_STAGE_BODIES | DAL_STAGE_FRICTION);
    return dal_state_solve(state);
}

/* s' and F of all elements, into columns. */
static void observe_friction(dal_state *state, double *rate, double *F)
{
    const dal_system *system = state->system;
    dal_need(state, DAL_STAGE_REACTIONS);
    for (int i = 0; i < system->acting.n_frictions; i++) {
        const dal_friction *f = &system->acting.frictions[i];
        find_slip_rate(state, f, rate + f->first);
        memcpy(F + 3 * i, state->reactions->wrench + 6 * f->joint, 3 * sizeof *F);
    }
}

/* The largest acceleration in the model, of its motion and of its loads. */
static double largest_acceleration(dal_state *state, const dal_friction_parts *p)
{
    const double L = state->layout->units.length;
    double most = 0;
    dal_need(state, DAL_STAGE_BODIES);
    for (int b = 0; b < state->mechanism->n_bodies; b++) {
        const dal_body *body = &state->mechanism->bodies[b];
        const dal_acceleration *a = &state->reactions->body[b];
        const double *force = p->force + 6 * b, spin = dal_norm(state->work.kin[b].w, 3);
        const double inertia = fmax(body->inertia[0], fmax(body->inertia[4], body->inertia[8]));
        most = fmax(most, fmax(dal_norm(a->rdd, 3), L * fmax(dal_norm(a->alpha, 3), spin * spin)));
        if (body->mass > 0)
            most = fmax(most, dal_norm(force, 3) / body->mass);
        if (inertia > 0)
            most = fmax(most, L * dal_norm(force + 3, 3) / inertia);
    }
    return most;
}

/* |f|^2 / m + |t|^2 / (t^ . I t^) of a force f and a moment t about r. */
static double free_mobility(const dal_state *state, int b, const double f[3], const double about_r[3])
{
    const dal_body *body = &state->mechanism->bodies[b];
    const dal_kin *kin = &state->work.kin[b];
    double rho[3], arm[3], t[3], own[3], I_t[3];
    dal_turn(kin->R, body->center, rho);
    dal_cross(rho, f, arm);
    dal_sub3(about_r, arm, t);
    dal_mulT3(kin->R, t, own);
    dal_turn(body->inertia, own, I_t);
    const double square = dal_dot(own, own), weighted = dal_dot(own, I_t);
    return (body->mass > 0 ? dal_dot(f, f) / body->mass : 0) + (weighted > 0 ? square * (square / weighted) : 0);
}

/* g_k and the rounding of s'_k, while the loads carry `unit` of e_k. */
static void weigh_friction(const dal_state *state, const dal_friction_parts *p, const dal_friction *f, int k, double unit, double most)
{
    const dal_joint *joint = &state->mechanism->joints[f->joint];
    double reach = 0;
    p->mobility[k] = 0;
    for (int side = 0; side < 2; side++) {
        const int b = joint->marker[side].body;
        double wrench[6];
        if (b == DAL_GROUND)
            continue;
        for (int i = 0; i < 6; i++)
            wrench[i] = (state->work.force[6 * b + i] - p->force[6 * b + i]) / unit;
        p->mobility[k] += free_mobility(state, b, wrench, wrench + 3);
        reach += dal_norm(wrench, 3) + dal_norm(wrench + 3, 3) / state->layout->units.length;
    }
    if (!(p->mobility[k] > 0)) /* bodies without inertia: use the mobility itself */
        p->mobility[k] = fabs(p->G[(size_t)k * (size_t)(p->n + 1)]);
    p->rounding[k] = rate_rounding * reach * most;
}

dal_flow dal_friction_respond(dal_state *state, const dal_friction_parts *p)
{
    const dal_system *system = state->system;
    const size_t n = (size_t)p->n, m = (size_t)p->elements, nv = (size_t)system->layout.nv;
    dal_flow flow = solve_with(state, p, NULL);
    if (flow)
        return flow;
    observe_friction(state, p->rate, p->F);
    memcpy(p->vd, state->vd, sizeof *p->vd * nv);
    const double most = largest_acceleration(state, p);
    double force = system->layout.units.mass * system->layout.units.length /
                   (system->layout.units.time * system->layout.units.time); /* relative to the present loads, so that differences keep their digits */
    for (size_t i = 0; i < 3 * m; i++)
        force = fmax(force, fabs(p->F[i]));
    for (size_t j = 0, k = 0; j < m; j++) {
        const double unit = force * system->layout.units.length / dal_friction_extent(&system->layout, &system->acting.frictions[j]);
        for (const size_t end = k + (size_t)system->acting.frictions[j].n; k < end; k++) {
            double *G = p->G + k * n, *F = p->F_e + 3 * k * m, *B = p->B + k * nv;
            memset(p->e, 0, sizeof *p->e * n);
            p->e[k] = unit;
            if ((flow = solve_with(state, p, p->e)))
                return flow;
            observe_friction(state, G, F);
            for (size_t i = 0; i < n; i++)
                G[i] = (G[i] - p->rate[i]) / unit;
            for (size_t i = 0; i < 3 * m; i++)
                F[i] = (F[i] - p->F[i]) / unit;
            for (size_t i = 0; i < nv; i++)
                B[i] = (state->vd[i] - p->vd[i]) / unit;
            weigh_friction(state, p, &system->acting.frictions[j], (int)k, unit, most);
        }
    }
    return 0;
}

dal_friction_parts dal_friction_begin(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    const dal_system *system = state->system;
    dal_friction_parts p = dal_friction_layout(state);
    memcpy(p.force, state->work.force, sizeof *p.force * 6 * (size_t)system->mechanism.n_bodies);
    memcpy(p.direct, state->work.direct, sizeof *p.direct * (size_t)system->layout.nv);
    for (int i = 0; i < system->acting.n_frictions; i++)
        dal_friction_slip(state, &system->acting.frictions[i], p.slip + system->acting.frictions[i].first);
    return p;
}

dal_flow dal_friction_accelerate(dal_state *state)
{
    assert(dal_has(state, DAL_STAGE_JACOBIAN | DAL_STAGE_VELOCITY | DAL_STAGE_LOADS));
    dal_friction_parts p = dal_friction_begin(state);
    const bool given = dal_friction_given(state, &p);
    dal_flow flow = given ? 0 : dal_friction_respond(state, &p);
    if (flow)
        return flow;
    if (!given && !dal_friction_balance(state, &p))
        return dal_friction_jams(state, p.worst);
    if ((flow = solve_with(state, &p, p.e)))
        return flow;
    memcpy(state->friction->force, p.e, sizeof *p.e * (size_t)p.n);
    state->stages |= DAL_STAGE_FRICTION;
    for (int k = 0; k < p.n; k++)
        state->loads.power += p.e[k] * p.slip[k];
    for (int i = 0; state->loads.island && i < state->system->acting.n_frictions; i++) {
        const dal_friction *f = &state->system->acting.frictions[i];
        for (int k = f->first; k < f->first + f->n; k++)
            state->loads.island[2 * state->loads.islands->of_joint[f->joint] + 1] += p.e[k] * p.slip[k];
    }
    return 0;
}

/* ---- results ---------------------------------------------------------------------------- */

void dal_friction_reactions(dal_state *state)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->acting.n_frictions && dal_has(state, DAL_STAGE_FRICTION); i++) {
        const dal_friction *f = &system->acting.frictions[i];
        const double *e = state->friction->force + f->first;
        double *wrench = state->reactions->wrench + 6 * f->joint;
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

/* s = g x', or with two coordinates s_k = g_k x_k': the effort on x_k is g_k e_k. */
double dal_friction_effort(const dal_state *state, int element, int k)
{
    const dal_friction *f = &state->system->acting.frictions[element];
    return dal_has(state, DAL_STAGE_FRICTION) ? 0 + (f->n == 2 ? f->lever[k] : f->gear) * state->friction->force[f->first + k] : 0; /* no -0 */
}

double dal_friction_power(const dal_state *state, int element)
{
    const dal_friction *f = &state->system->acting.frictions[element];
    double s[DAL_MAX_SLIP], power = 0;
    dal_friction_slip(state, f, s);
    for (int k = 0; k < f->n && dal_has(state, DAL_STAGE_FRICTION); k++)
        power += state->friction->force[f->first + k] * s[k];
    return power;
}

/* ---- the part of a state ------------------------------------------------------------------------ */

static void layout_friction(dal_block *block, const dal_system *system, dal_state *state)
{
    const int n = system->acting.n_frictions;
    if (!n)
        return;
    dal_friction_state local, *friction = DAL_LAYOUT_PART(block, state->friction, local);
    dal_friction_parts parts;
    friction->element = system->acting.frictions;
    DAL_LAYOUT(block, friction->force, components(system));
    DAL_LAYOUT(block, friction->direction, components(system));
    DAL_LAYOUT(block, friction->pivots, components(system));
    DAL_LAYOUT(block, friction->mode, n);
    DAL_LAYOUT(block, friction->broken, n);
    DAL_LAYOUT(block, friction->work, layout_friction_parts(system, NULL, &parts));
}

static void reset_friction(dal_state *state)
{
    if (state->friction)
        memset(state->friction->mode, 0, sizeof *state->friction->mode * (size_t)state->system->acting.n_frictions);
}

static void copy_friction(const dal_state *from, dal_state *to)
{
    const dal_system *system = from->system;
    if (!from->friction)
        return;
    memcpy(to->friction->mode, from->friction->mode, sizeof *to->friction->mode * (size_t)system->acting.n_frictions);
    memcpy(to->friction->direction, from->friction->direction, sizeof *to->friction->direction * (size_t)components(system));
}

static void keep_friction(dal_state *state, dal_keep *keep)
{
    const dal_system *system = state->system;
    dal_friction_state *friction = state->friction;
    if (!friction)
        return;
    dal_friction_parts parts;
    const size_t n = (size_t)components(system), m = (size_t)system->acting.n_frictions, size = layout_friction_parts(system, friction->work, &parts);
    dal_keep_numbers(keep, friction->force, n);
    dal_keep_numbers(keep, friction->direction, n);
    dal_keep_integers(keep, friction->mode, m, DAL_SLIPS, DAL_YIELDS);
    dal_keep_flags(keep, friction->broken, m);
    dal_keep_within(keep, parts.jam, 1, 0, (double)m); /* an element */
    double jammed = parts.jam[0];
    dal_keep_numbers(keep, friction->work, size);
    if (keep->mode == DAL_KEEP_READ)
        parts.jam[0] = jammed; /* as it was checked */
}

const dal_owner dal_friction_owner = {.layout = layout_friction, .reset = reset_friction, .copy = copy_friction, .keep = keep_friction};
