/* A run: the integrator's hooks on one side, the state on the other, and the
 * evidence collected between them. Owns no physics.
 */
#include "check/checker.h"
#include "run/meetings.h"
#include "run/standing.h"
#include "base/argument.h"
#include "dalembert/run.h"
#include "integrate/stabilization.h"
#include "state/state.h"
#include "dynamics/rank.h"
#include "dynamics/reactions.h"
#include "dynamics/refine.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "integrate/partition.h"
#include "state/directions.h"
#include "state/momenta.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double chart_limit = 0.3; /* |cos| or |sin| of the middle Euler angle below which another sequence is taken */
static const double singular_stride = 1e-2; /* rad or lengths of the model a step, near a singular position */
static const double too_near = 1e-3; /* of the best pivot ratio: no step of an adaptive method ends there */
/* The same for stages: at a distance d the accelerations carry eps v^2 / d^2 of rounding, and the step h times that. */
static const double stage_too_near = 3e-4, stage_hopeless = 1e-5; /* first avoided, then, where the motion lingers, borne */
static const double close_to_singular = 0.1; /* of the best: worth a word where a run ends */
static const double jump_allowed = 1e-5; /* of the energy or of the largest velocity, over a step near a singular position */
static const double progress_every = 0.05; /* s of wall time: whoever asks a run to stop does not wait longer than a step and this */
static const double correction_allowed = 0.1; /* of the velocities in one step: a projection that changes more is an impact, not a correction */
static const double at_rest = 1e-6; /* lengths or rad in a unit of time that no correction is measured against */
static const double loss_allowed = 1e-3; /* of the energy in one step of an adaptive method, where no force does work */
static const double near_singular_speeds = 1e3; /* condition of [Y; A] above which speeds that the model fixes are worth a warning */
static const double chart_fixed_limit = 1e-3; /* where a sequence that the user fixed stops the run */

typedef struct run {
    const dal_system *system;
    const dal_run_options *options;
    dal_state *state;
    dal_state *viewer;         /* outputs and probes are computed here, so that looking does not change the motion */
    dal_evidence *evidence;
    double *row, *stage;
    double weight;             /* m g L + m (L / T)^2: the scale of energies */
    double balance_start, potential_start, work_last, energy_last;
    double kinetic_most, potential_most, balance_worst, work_path;
    double momentum_start[6], momentum_scale[2], momentum_worst[2];
    double *ignorable;         /* momenta of the ignorable coordinates: at the start, now, their sizes now, the largest, the worst drift */
    bool started;
    double clock_start, clock_last;
    dal_status sink_status;
    bool stopped;              /* by the progress hook */
    double *direction, *probe, *slope; /* of the stiffness estimate */
    long since_probe;
    double *v_last, t_last, balance_last, acceleration_most; /* of the step before: see check_passage */
    double fastest;            /* the largest velocity so far, in lengths and radians */
    double open;               /* the largest residual of a row so far, in its unit */
    double *unit;              /* of each component of y */
    bool near_last, passed_first;
    double *guard, *guard_most, missed_time; /* see look_for_missed_switch */
    int unsure; /* 1 + the joint whose friction follows a force that is not unique; 0: there is none */
    bool missed, singular_start;
    int missed_switch;
    int avoided, stages_avoided;
    long charts_last;
    double stiffest, stiffest_early;
    long probes, stiff_probes; /* of an adaptive method: looks at |lambda| h, those near the limit of stability, and the sum of these */
    double stiff_product;
    double speeds_worst, speeds_time; /* condition of [Y; A], and when */
    dal_meetings meetings;
    double *along;             /* see standing.h; NULL: no such joint */
    dal_implicit implicit;     /* the formulation's own equations, where the integrator takes them */
    dal_tenancy tenancy;       /* of `viewer` and options->final */
    bool rewritten;            /* a callback has changed y of the viewer */
    double rewritten_time;
} run;

static double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- hooks -------------------------------------------------------------------------- */

/* What fails at a trial state may succeed with a smaller step. */
static dal_flow recoverable(dal_flow flow)
{
    return flow < 0 ? 1 : flow;
}

/* What a placement gives may be no number although its derivatives are: log(1 - t). */
static dal_flow check_finite(dal_state *state)
{
    const dal_energy e = dal_energy_now(state);
    int body = dal_state_not_finite(state);
    if (body >= 0)
        return dal_state_fail(state, "the place or the velocity of '%s' is not a finite number, or is too large for an energy",
                              state->system->mechanism.bodies[body].name);
    return isfinite(e.kinetic + e.potential) ? 0 : dal_state_fail(state, "the energy is not a finite number");
}

/* Near a singular position the stages of a step, which lie beside the constraints by about h^2, would be seen through a nearly
 * singular A: errors grow like 1 / distance. There the right-hand side is taken at the projected stage, f(P(y)): the same
 * on the constraints, and smooth across the singularity. */
static dal_flow derivative(void *user, double t, const double *y, double *dy)
{
    run *r = user;
    if (r->state->singular->near && r->system->stabilization->project) {
        memcpy(r->stage, y, sizeof *y * (size_t)r->system->n_y);
        if (r->system->stabilization->project(r->state, t, r->stage) == 0)
            y = r->stage;
        r->state->report->trouble[0] = '\0';
    }
    dal_flow flow = recoverable(dal_state_derivative(r->state, t, y, dy));
    if (flow == 0 && r->system->integrator->adaptive && r->state->singular->nearness < (r->stages_avoided < 30 ? stage_too_near : stage_hopeless)) {
        dal_state_fail_for(r->state, DAL_REASON_SINGULAR_POSITION, "a stage fell on a singular position of the constraints");
        return r->stages_avoided++ < 30 ? DAL_FLOW_ELSEWHERE : 1;
    }
    if (r->system->layout.placement && (flow == 0 || dal_state_not_finite(r->state) >= 0))
        flow = recoverable(check_finite(r->state));
    return flow ? flow : dal_state_turned(r->state);
}

/* The formulation's own equations, for integrators that solve them as they stand. */

static dal_flow implicit_begin(void *user, double t, const double *y, double *yd, double *z)
{
    run *r = user;
    return recoverable(r->system->formulation->implicit->begin(r->state, t, y, yd, z));
}

static dal_flow implicit_residual(void *user, double t, const double *y, const double *yd, const double *z, double *F)
{
    run *r = user;
    dal_flow flow = recoverable(r->system->formulation->implicit->residual(r->state, t, y, yd, z, F));
    return flow ? flow : dal_state_turned(r->state);
}

static dal_flow implicit_jacobian(void *user, double t, double c, const double *y, const double *yd, const double *z, double *entries)
{
    run *r = user;
    dal_flow flow = r->system->formulation->implicit->jacobian(r->state, t, c, y, yd, z, entries);
    if (!(r->state->singular->nearness < too_near))
        return recoverable(flow);
    return dal_state_fail_for(r->state, DAL_REASON_SINGULAR_POSITION, "a singular position of the constraints is near, where multipliers grow without bound and the implicit equations "
                                    "have no solution; an integrator of accelerations (dopri5, cvode-bdf) passes it");
}

static dal_status offer_implicit(run *r, dal_ode *ode)
{
    const dal_implicit_form *form = r->system->formulation->implicit;
    bool offered = false;
    if (!form || r->system->integrator != &dal_ida)
        return DAL_OK;
    r->implicit = (dal_implicit){.begin = implicit_begin, .residual = implicit_residual, .jacobian = implicit_jacobian};
    dal_status status = form->ready(r->state, &r->implicit, &offered);
    if (offered && status == DAL_OK)
        ode->implicit = &r->implicit;
    else
        r->implicit = (dal_implicit){0};
    return status;
}

/* Where a constraint begins to hold that did not (its derivative was zero), or turns a corner, velocities would have to jump. */
static dal_flow check_correction(run *r, const double *before, const double *after)
{
    const dal_system *system = r->system;
    const double fastest = fmax(r->fastest, dal_fastest(system, before));
    char standing[200];
    double jump = 0, most = 0;
    for (int k = 0; k < system->layout.nv; k++) {
        const double change = fabs(after[k] - before[k]), size = change * system->column_scale[k] / system->length;
        most = size > jump ? change : most;
        jump = fmax(jump, size);
    }
    if (!(jump > correction_allowed * fastest + at_rest / system->time))
        return 0;
    const char *stands = dal_standing_text(r->state, standing, sizeof standing);
    dal_state_fail_for(r->state, *stands ? DAL_REASON_JOINT : DAL_REASON_OTHER, "the constraints would change the velocities by %.3g at once: one of them begins to act here or has a corner "
                             "(a disc that falls flat), which is an impact and no motion; or the step is too large for the method%s", most,
                   stands);
    return 1;
}

/* On the constraints, and then, where surfaces stick, to where they stuck. */
static dal_flow put_back(dal_state *state, double t, double *y)
{
    dal_flow (*onto)(dal_state *state, double t, double *y) = state->system->stabilization->project;
    bool moved = false;
    dal_flow flow = onto ? onto(state, t, y) : 0;
    if (!flow && state->system->n_frictions)
        flow = dal_friction_hold(state, t, y, &moved);
    return flow || !moved || !onto ? flow : onto(state, t, y);
}

/* Where surfaces come to stick or to slip, velocities keep the constraints, also where these drift otherwise. */
static dal_flow settle(dal_state *state, double t, double *y)
{
    const bool drifts = dal_friction_guards(state->system) && !state->system->stabilization->project;
    dal_flow flow = drifts ? dal_project_velocities(state, t, y) : 0;
    return flow ? flow : put_back(state, t, y);
}

static dal_flow project(void *user, double t, double *y)
{
    run *r = user;
    dal_state *state = r->state;
    const size_t nq = (size_t)r->system->layout.nq;
    if (!r->system->formulation->unpack)
        memcpy(r->stage, y, sizeof *y * (size_t)r->system->n_y);
    dal_flow flow = recoverable(put_back(state, t, y));
    if (flow == 0 && !r->system->formulation->unpack && !state->singular->near)
        flow = check_correction(r, r->stage + nq, y + nq);
    if (flow == 0 && state->system->integrator->adaptive && state->singular->nearness < too_near && r->avoided < 10) {
        r->avoided++;
        return DAL_FLOW_LONGER; /* a step that ends on the singularity itself would be all rounding: end it beyond */
    }
    return flow;
}

/* There the error estimate sees eps / d^2 of rounding, not the truncation of the method: steps that move the bodies by less than
 * this part of their size are not refined. */
static double least_step(void *user, double t, const double *y)
{
    const run *r = user;
    (void)t;
    (void)y;
    if (!r->state->singular->near)
        return 0;
    const double fastest = dal_fastest(r->system, r->state->work.v);
    return fastest > 0 ? singular_stride / fastest : 0;
}

static int switches(const dal_system *system)
{
    return system->actions.program ? dal_program_switches(system->actions.program) : 0;
}

static dal_flow guards(void *user, double t, const double *y, double *g)
{
    dal_state *state = ((run *)user)->state;
    dal_flow flow = dal_state_take(state, t, y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_velocity(state);
    const int n = switches(state->system);
    if (state->system->n_frictions) {
        dal_state_jacobian(state);
        flow = dal_state_accelerate(state);
    } else {
        flow = dal_state_push(state);
    }
    if (flow)
        return recoverable(flow);
    if (n)
        dal_program_guards(state->system->actions.program, state->values->registers, state->values->modes, g);
    if (state->system->n_frictions)
        dal_friction_guard(state, g + n);
    return 0;
}

/* Charts and speeds that went bad are changed, then the pieces of the switches are chosen anew. */
static dal_flow restart(void *user, double t, double *y, const bool *which)
{
    run *r = user;
    dal_state *state = r->state;
    const dal_layout *layout = &state->system->layout;
    const int n = switches(state->system);
    dal_flow flow = dal_state_take(state, t, y);
    if (flow)
        return flow;
    for (int b = 0; layout->family->condition && b < layout->mechanism->n_bodies; b++)
        if (!layout->sequence_fixed && layout->family->condition(layout, &state->work, b) < chart_limit) {
            layout->family->rechart(layout, &state->work, b);
            dal_state_moved(state);
            state->report->charts++;
        }
    if (state->system->formulation->chooses) {
        dal_state_position(state);
        dal_state_jacobian(state);
        dal_speeds_choose(state);
    }
    if ((flow = dal_state_put(state, y)))
        return flow;
    dal_state_units(state, r->unit);
    if (!n && !state->system->n_frictions)
        return 0;
    state->values->frozen = false;
    dal_state_position(state);
    dal_state_velocity(state);
    if ((flow = dal_state_loads(state)))
        return flow;
    if (n)
        dal_program_modes(state->system->actions.program, state->values->registers, state->values->modes);
    state->values->frozen = n > 0;
    if (!state->system->n_frictions)
        return 0;
    dal_state_jacobian(state);
    dal_state_stabilise(state);
    flow = dal_friction_restart(state, which ? which + n : NULL);
    return flow ? flow : settle(state, t, y);
}

static void look_on(run *r)
{
    dal_state_copy(r->state, r->viewer);
}

static dal_flow project_output(void *user, double t, double *y)
{
    run *r = user;
    look_on(r);
    return r->system->stabilization->project ? r->system->stabilization->project(r->viewer, t, y) : 0;
}

static void watch_momentum(run *r, dal_state *state)
{
    const dal_layout *layout = &r->system->layout;
    double p[6], center[3] = {0, 0, 0}, mass = 0, scale[2] = {0, 0};
    if (!r->system->conserved)
        return;
    dal_kinetic(layout, &state->work, p, p + 3);
    for (int b = 0; b < layout->mechanism->n_bodies; b++) {
        const dal_body *body = &layout->mechanism->bodies[b];
        const dal_kin *kin = &state->work.kin[b];
        double c[3], cd[3];
        for (int i = 0; i < 3; i++) {
            const double *R = kin->R + 3 * i, *Rd = kin->Rd + 3 * i, *s = body->center;
            c[i] = kin->r[i] + R[0] * s[0] + R[1] * s[1] + R[2] * s[2];
            cd[i] = kin->rd[i] + Rd[0] * s[0] + Rd[1] * s[1] + Rd[2] * s[2];
            center[i] += body->mass * c[i];
        }
        mass += body->mass;
        double speed = sqrt(cd[0] * cd[0] + cd[1] * cd[1] + cd[2] * cd[2]);
        double spin = sqrt(kin->w[0] * kin->w[0] + kin->w[1] * kin->w[1] + kin->w[2] * kin->w[2]);
        double inertia = fmax(body->inertia[0], fmax(body->inertia[4], body->inertia[8]));
        scale[0] += body->mass * speed;
        scale[1] += body->mass * speed * r->system->length + inertia * spin;
    }
    for (int i = 0; i < 3 && mass > 0; i++) { /* angular momentum about the centre of mass: L - c x P */
        int j = (i + 1) % 3, k = (i + 2) % 3;
        p[3 + i] -= (center[j] * p[k] - center[k] * p[j]) / mass;
    }
    for (int i = 0; i < 6; i++) {
        if (!r->started)
            r->momentum_start[i] = p[i];
        if (r->system->conserved >> i & 1u)
            r->momentum_worst[i / 3] = fmax(r->momentum_worst[i / 3], fabs(p[i] - r->momentum_start[i]));
    }
    r->momentum_scale[0] = fmax(r->momentum_scale[0], scale[0]);
    r->momentum_scale[1] = fmax(r->momentum_scale[1], scale[1]);
}

static void watch_ignorable(run *r, dal_state *state)
{
    const int n = r->system->n_ignorable;
    double *start = r->ignorable, *now = start + n, *size = now + n, *most = size + n, *worst = most + n;
    dal_state_momenta(state, now, size);
    for (int i = 0; i < n; i++) {
        if (!r->started)
            start[i] = now[i];
        most[i] = fmax(most[i], size[i]);
        worst[i] = fmax(worst[i], fabs(now[i] - start[i]));
    }
}

/* Residuals, energies and momenta at the present kinematics and loads. */
static void watch(run *r, dal_state *state)
{
    double position, velocity;
    dal_residuals_now(state, &position, &velocity);
    r->evidence->position_residual = fmax(r->evidence->position_residual, position);
    int row = 0;
    r->open = fmax(r->open, dal_worst_row(state, state->work.phi, &row));
    r->evidence->velocity_residual = fmax(r->evidence->velocity_residual, velocity);
    dal_energy e = dal_energy_now(state);
    double balance = e.kinetic + e.potential - e.work;
    watch_momentum(r, state);
    watch_ignorable(r, state);
    if (!r->started) {
        r->balance_start = balance;
        r->potential_start = e.potential;
        r->work_last = e.work;
        r->evidence->energy_start = e.kinetic + e.potential;
        r->started = true;
    }
    r->energy_last = e.kinetic + e.potential;
    r->kinetic_most = fmax(r->kinetic_most, e.kinetic);
    r->potential_most = fmax(r->potential_most, fabs(e.potential - r->potential_start));
    r->balance_worst = fmax(r->balance_worst, fabs(balance - r->balance_start));
    r->work_path += fabs(e.work - r->work_last);
    r->work_last = e.work;
}

enum { OFTEN = 50, SELDOM = 200 }; /* steps between two looks at the stiffness: of fixed steps, of adaptive ones */

/* |lambda| h of an adaptive step. Where accuracy chooses h it is far from what the method can bear. */
static void note_product(run *r, double product)
{
    r->probes++;
    if (product > 0.8 * r->system->integrator->real_stability) {
        r->stiff_probes++;
        r->stiff_product += product;
    }
}

/* |lambda| of the fastest eigenvalue, one step of a power iteration in a while: w := J w by a difference of slopes. Two
 * steps are looked at together, because an oscillating pair has no single direction. */
static void probe_stiffness(run *r, double t, const double *y)
{
    const int n = r->system->n_control;
    const double *unit = r->unit;
    const bool adaptive = r->system->integrator->adaptive;
    double norm = 0, size = 0;
    if (!r->direction || ((adaptive || r->since_probe >= 10) && (r->since_probe + 1) % (adaptive ? SELDOM : OFTEN))) {
        r->since_probe++;
        return;
    }
    r->since_probe++;
    bool first = r->since_probe == (adaptive ? SELDOM : 1);
    for (int i = 0; i < n; i++) {
        if (first)
            r->direction[i] = 1 + 0.37 * sin(12.9898 * (i + 1));
        norm += r->direction[i] * r->direction[i];
        size += y[i] / unit[i] * (y[i] / unit[i]);
    }
    double scale = 1e-7 * fmax(sqrt(size), 1e-3), growth = 1;
    norm = sqrt(norm);
    look_on(r);
    for (int pass = 0; pass < 2 && norm > 0; pass++) {
        memcpy(r->probe, y, sizeof *y * (size_t)r->system->n_y);
        if (dal_state_derivative(r->viewer, t, r->probe, r->slope))
            return;
        for (int i = 0; i < n; i++)
            r->probe[i] += scale * unit[i] * r->direction[i] / norm;
        memcpy(r->probe + r->system->n_y, r->slope, sizeof *y * (size_t)r->system->n_y);
        if (dal_state_derivative(r->viewer, t, r->probe, r->slope))
            return;
        double next = 0;
        for (int i = 0; i < n; i++) {
            r->direction[i] = (r->slope[i] - r->probe[r->system->n_y + i]) / (scale * unit[i]);
            next += r->direction[i] * r->direction[i];
        }
        norm = sqrt(next);
        growth *= norm;
    }
    if (adaptive) {
        if (growth < HUGE_VAL && r->since_probe > 4 * SELDOM)
            note_product(r, sqrt(growth) * (t - r->t_last));
        return;
    }
    if (growth < HUGE_VAL && r->since_probe > 150)
        r->stiffest = fmax(r->stiffest, sqrt(growth));
    else if (growth < HUGE_VAL)
        r->stiffest_early = sqrt(growth); /* the direction has not settled: only for runs that end before it does */
}

/* At a state that satisfies the constraints the rank is decided anew where it had fallen below what it was, or where rows that were
 * left out as dependent are not met any more (the start was singular). Near a singular position redundant rows are chosen anew
 * each time: right at it, those that depend always and those that depend only there cannot be told apart. */
static dal_flow reconsider_rank(run *r)
{
    dal_state *state = r->state;
    const int n = r->system->layout.n_rows;
    bool open = state->rank->n < state->rank->most || (state->rank->n < n && state->singular->near) ||
                (r->singular_start && state->rank->n <= r->system->rank && r->system->stabilization->project);
    for (int i = state->rank->n; i < n && !open; i++) {
        int row = state->rank->order[i];
        open = fabs(state->work.phi[row]) > 1e-8 * r->system->row_unit[row] ||
               fabs(state->work.phid[row]) > 1e-6 * r->system->row_unit[row] / r->system->time;
    }
    if (!open)
        return 0;
    dal_state_jacobian(state);
    dal_state_rank(state, n);
    state->rank->changed++;
    if (r->system->formulation->chooses && state->rank->n != r->system->rank)
        return dal_state_fail(state, "the rank of the constraints is %d here and was %d at the start, where the number of the speeds was decided: %s cannot "
                                     "go on; use lagrange, or start elsewhere", state->rank->n, r->system->rank, r->system->formulation->name);
    return 0;
}

/* What energies are worth where next to nothing has moved yet. */
static double energy_rounding(const run *r)
{
    return 1e-12 * (fabs(r->energy_last) + fabs(r->potential_start) + r->weight);
}

/* A singular position is passed on the branch on which it was reached: velocities and energy are continuous there. Where they
 * jump, rounding has decided, and the run ends instead of going on with an arbitrary motion. */
static dal_flow check_passage(run *r, double t)
{
    const dal_layout *layout = &r->system->layout;
    const double *v = r->state->work.v;
    double jump = 0, fastest = dal_fastest(r->system, v), dt = t - r->t_last, balance = r->energy_last - r->work_last;
    bool near = r->state->singular->near || r->near_last;
    for (int i = 0; i < layout->nv; i++)
        jump = fmax(jump, fabs(v[i] - r->v_last[i]) * r->system->column_scale[i] / r->system->length);
    r->fastest = fmax(r->fastest, fastest);
    bool same_chart = r->charts_last == r->state->report->charts, comparable = r->passed_first && same_chart && dt > 0;
    bool energy = fabs(balance - r->balance_last) > jump_allowed * (r->kinetic_most + r->potential_most) + energy_rounding(r);
    bool velocity = jump > 5 * r->acceleration_most * dt + jump_allowed * fastest;
    if (comparable && !near)
        r->acceleration_most = fmax(r->acceleration_most, jump / dt);
    if (comparable && near && (energy || velocity)) {
        const bool projects = r->system->stabilization->mass_metric;
        return dal_state_fail_for(r->state, DAL_REASON_SINGULAR_POSITION,
                              "the mechanism passed a singular position of its constraints and its %s jumped: which way it goes on there "
                              "cannot be decided to this accuracy (smaller tolerances%s another step%s may help)",
                              velocity ? "velocities" : "energy", projects ? " or" : ",", projects ? "" : " or mass-projection");
    }
    memcpy(r->v_last, v, sizeof *v * (size_t)layout->nv);
    r->t_last = t;
    r->balance_last = balance;
    r->near_last = r->state->singular->near;
    r->charts_last = r->state->report->charts;
    r->passed_first = true;
    r->avoided = r->stages_avoided = 0;
    return 0;
}

/* With speeds the velocities meet the constraints whatever these become, and a corner of one of them is passed without a trace but
 * this: energy is lost. */
static dal_flow check_loss(run *r, double balance_before)
{
    const dal_system *system = r->system;
    double lost = fabs(r->energy_last - r->work_last - balance_before), scale = r->kinetic_most + r->potential_most;
    /* methods with a past begin at order 1: from rest, what such a step loses is small against the tolerance, not against the little that moves yet */
    double begin = dal_paced(system->integrator) ? fabs(r->potential_start) + r->weight : 0;
    char standing[200];
    if (!system->formulation->unpack || !system->integrator->adaptive || system->works ||
        !(lost > fmax(loss_allowed, 100 * system->info.rtol) * scale + 100 * system->info.rtol * begin + energy_rounding(r)))
        return 0;
    const char *stands = dal_standing_text(r->state, standing, sizeof standing);
    return dal_state_fail_for(r->state, *stands ? DAL_REASON_JOINT : DAL_REASON_OTHER, "the energy changed by %.3g J in one step, and no force does work: a constraint begins to act here or has a "
                                    "corner (a disc that falls flat), which is an impact and no motion%s", lost,
                          stands);
}

/* Speeds that the program chose are changed before they become bad; those of the model end the run where they are singular. */
static dal_flow watch_speeds(run *r, double t, bool *ask_restart)
{
    bool change = false;
    if (!r->system->formulation->chooses)
        return 0;
    if (r->state->speeds->condition > r->speeds_worst) {
        r->speeds_worst = r->state->speeds->condition;
        r->speeds_time = t;
    }
    dal_flow flow = dal_speeds_watch(r->state, &change);
    *ask_restart |= change;
    return flow;
}

/* Points that are together and at rest where their force has no direction stay there for ever, and that is no motion. */
static dal_flow refuse_undirected(dal_state *state)
{
    double speed;
    dal_need(state, DAL_STAGE_FORCES);
    for (int i = 0; i < state->system->n_forces; i++)
        if (dal_force_undirected(state, i, &speed) && speed == 0)
            return dal_state_fail(state, "the force of '%s', %.3g N, has no direction, because its points coincide and are at rest: the motion is not "
                                         "determined", state->system->forces[i].name, fabs(state->values->effort[i]));
    return 0;
}

static dal_flow accepted(void *user, double t, const double *y, bool *ask_restart)
{
    run *r = user;
    dal_state *state = r->state;
    const dal_layout *layout = &r->system->layout;
    probe_stiffness(r, t, y);
    dal_flow flow = dal_state_take(state, t, y);
    if (flow)
        return flow;
    dal_state_position(state);
    if (layout->family->intrinsic)
        dal_state_jacobian(state); /* the residual of the intrinsic rows comes with their Jacobian */
    dal_state_velocity(state);
    if ((flow = (r->system->n_frictions ? dal_state_loads : dal_state_push)(state)) || (flow = dal_state_turned(state)))
        return flow;
    dal_state_unwind(state);
    if ((flow = check_finite(state)))
        return flow;
    watch(r, state);
    if ((flow = refuse_undirected(state)))
        return flow;
    dal_meetings_watch(&r->meetings, state, t);
    if (r->along && (flow = dal_standing_watch(state, r->along)))
        return flow;
    if (r->system->n_frictions)
        dal_friction_accepted(state);
    if ((flow = reconsider_rank(r)))
        return flow;
    const double balance_before = r->passed_first ? r->balance_last : r->energy_last - r->work_last;
    if ((flow = check_passage(r, t)) || (flow = watch_speeds(r, t, ask_restart)) || (flow = check_loss(r, balance_before)))
        return flow;
    *ask_restart |= r->implicit.residual && r->system->formulation->implicit->stale(state);
    for (int b = 0; layout->family->condition && b < layout->mechanism->n_bodies; b++) {
        double condition = layout->family->condition(layout, &state->work, b);
        if (condition < chart_limit && !layout->sequence_fixed)
            *ask_restart = true;
        if (condition < chart_fixed_limit && layout->sequence_fixed)
            return dal_state_fail(state, "'%s' reached a singular attitude of the Euler sequence that the model fixes; leave the choice to the program",
                                  layout->mechanism->bodies[b].name);
    }
    r->evidence->steps++;
    r->evidence->time_end = t;
    double now = clock_now();
    if (r->options->progress && now - r->clock_last > progress_every) {
        r->clock_last = now;
        if (!r->options->progress(r->options->progress_user, t, r->system->info.until, r->evidence->steps, now - r->clock_start)) {
            r->stopped = true;
            return -DAL_NUMERICAL;
        }
    }
    return 0;
}

/* A recorded state that lies on another piece than the one that was integrated: a switch changed and changed back inside a step,
 * and was not seen. */
static void look_for_missed_switch(run *r, double t)
{
    const dal_program *program = r->system->actions.program;
    if (!r->guard || r->missed || !r->viewer->values->frozen)
        return;
    dal_program_guards(program, r->viewer->values->registers, r->viewer->values->modes, r->guard);
    for (int i = 0; i < dal_program_switches(program); i++)
        r->guard_most[i] = fmax(r->guard_most[i], fabs(r->guard[i]));
    for (int i = 0; i < dal_program_switches(program) && !r->missed; i++)
        if (r->guard[i] < -1e-9 * r->guard_most[i]) {
            r->missed = true;
            r->missed_switch = i;
            r->missed_time = t;
        }
}

/* "A (force z), B (torque x, y)": what is not unique of the reactions at the start. */
static void list_loose(run *r)
{
    static const char *const axes[] = {"x", "y", "z"};
    const dal_mechanism *m = &r->system->mechanism;
    char *text = r->evidence->loose;
    const size_t size = sizeof r->evidence->loose;
    dal_state *state = r->viewer;
    if (r->system->rank == r->system->layout.n_rows || (r->system->small && !state->reactions->redundancy))
        return;
    dal_need(state, DAL_STAGE_REACTIONS);
    r->evidence->compliant = r->system->compliant;
    for (int j = 0; j < m->n_joints; j++) {
        const bool *loose = state->reactions->loose + 6 * j;
        size_t used = strlen(text);
        bool first = true;
        for (int k = 0; k < 6; k++)
            if (loose[k]) {
                bool opens = k == 0 || k == 3 || (k < 3 ? !loose[0] && (k < 2 || !loose[1]) : !loose[3] && (k < 5 || !loose[4]));
                snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", first ? (used ? "), " : "") : ", ", first ? m->joints[j].name : "",
                         first ? (k < 3 ? " (force " : " (torque ") : opens ? (k < 3 ? "force " : "torque ") : "", axes[k % 3]);
                first = false;
            }
    }
    for (int i = 0; i < r->system->n_frictions && !r->system->compliant; i++) {
        const dal_friction *f = &r->system->frictions[i];
        const bool *loose = state->reactions->loose + 6 * f->joint;
        if (dal_friction_presses(f) && (loose[0] || loose[1] || loose[2]) && !r->unsure)
            r->unsure = f->joint + 1;
    }
    if (strlen(text) + 1 == size)
        memcpy(text + size - 5, " ...", 5);
    else if (*text)
        snprintf(text + strlen(text), size - strlen(text), ")");
}

/* The callback sees y as the run has it; what it writes there is not taken over. */
static dal_status show_frame(run *r, double t, const double *y)
{
    dal_state *state = r->viewer;
    const size_t bytes = sizeof *y * (size_t)r->system->n_y;
    memcpy(state->y, y, bytes);
    state->stages |= DAL_STAGE_ACCELERATION;
    r->tenancy.y = y;
    dal_status status = r->options->frame(r->options->frame_user, state, r->system->n_columns, r->row);
    r->tenancy.y = NULL;
    if (!r->rewritten && memcmp(state->y, y, bytes)) {
        r->rewritten = true;
        r->rewritten_time = t;
    }
    return status;
}

static dal_flow output(void *user, double t, const double *y)
{
    run *r = user;
    dal_state *state = r->viewer;
    const bool wanted = r->options->sink || r->options->frame;
    if (!wanted && r->started && !r->system->integrator->adaptive)
        return 0; /* rows are steps, which were watched already */
    look_on(r);
    dal_flow flow = dal_state_take(state, t, y);
    if (flow)
        return dal_share_trouble(r->state, state), flow;
    const bool first = !r->started;
    if (r->system->records_reactions || r->options->frame || first) {
        flow = dal_state_accelerate(state);
        if (!flow && first)
            list_loose(r);
        if (!flow && first)
            flow = refuse_undirected(state);
    } else {
        dal_state_position(state);
        if (r->system->layout.family->intrinsic)
            dal_state_jacobian(state);
        dal_state_velocity(state);
        flow = dal_state_push(state);
    }
    if (flow)
        return dal_share_trouble(r->state, state), flow;
    watch(r, state);
    look_for_missed_switch(r, t);
    if (!wanted)
        return 0;
    if ((flow = dal_state_record(state, r->row)))
        return dal_share_trouble(r->state, state), flow;
    r->evidence->rows_recorded++;
    if (r->options->sink)
        r->sink_status = r->options->sink->row(r->options->sink->user, r->system->n_recorded, r->row);
    if (r->options->frame && r->sink_status == DAL_OK)
        r->sink_status = show_frame(r, t, y);
    return r->sink_status == DAL_OK ? 0 : -(int)r->sink_status;
}

/* ---- the end -------------------------------------------------------------------------- */

/* "x of 'crank'", for a component of y. */
static void name_component(const dal_system *system, int i, char *buffer, size_t size)
{
    const int nq = system->layout.nq, w = i - nq;
    if (i < nq)
        dal_coordinate_name(system, i, buffer, size);
    else if (w < system->n_w && !system->formulation->unpack)
        dal_velocity_name(system, w, buffer, size);
    else if (w < system->n_w)
        snprintf(buffer, size, "speed %d", w + 1);
    else if (w - system->n_w < system->n_states)
        snprintf(buffer, size, "state '%s'", system->state_names[w - system->n_w]);
    else if (i < system->n_y)
        snprintf(buffer, size, "the work integral");
    else if (i - system->n_y < switches(system))
        snprintf(buffer, size, "the switch '%.150s'", dal_program_switch_text(system->actions.program, i - system->n_y));
    else
        snprintf(buffer, size, "the friction of joint '%s'", dal_friction_guard_name(system, i - system->n_y - switches(system)));
}

/* "infinite" or "not a number". */
static const char *how_not_finite(double value)
{
    return isnan(value) ? "not a number" : "infinite";
}

/* The expression, if there is one, whose value was no number at the last try; the values are still there. */
static bool explain_expression(run *r, const dal_drive_result *result, dal_messages *messages)
{
    const dal_system *system = r->system;
    const dal_state *state = r->state;
    for (int i = 0; i < system->actions.n_outputs; i++)
        if (!isfinite(state->values->expression[i])) {
            const bool rate = i >= system->n_expressions;
            dal_error(messages, system->action_texts[i].mark, "at t = %.9g: %s%s%s'%.150s' became %s (step %.3g)", result->t,
                      rate ? "the rate of state " : "", rate ? system->state_names[i - system->n_expressions] : "", rate ? ", " : "", system->action_texts[i].text,
                      how_not_finite(state->values->expression[i]), result->h);
            return true;
        }
    for (int i = 0; i < system->mechanism.n_rows; i++) {
        const dal_row *row = &system->mechanism.rows[i];
        for (int k = 0; row->time >= 0 && k < 3; k++)
            if (!isfinite(state->work.time[3 * row->time + k])) {
                dal_error(messages, system->mechanism.joints[row->joint].mark, "at t = %.9g: the drive of joint '%s'%s became %s (step %.3g)", result->t,
                          system->mechanism.joints[row->joint].name, k == 0 ? "" : k == 1 ? ", its rate," : ", its acceleration,",
                          how_not_finite(state->work.time[3 * row->time + k]), result->h);
                return true;
            }
    }
    return false;
}

/* Of a run that ended near a singular position: which one. A run that began in one is told so. */
static const char *singular_here(run *r, char *buffer, size_t size)
{
    char where[200] = "";
    buffer[0] = '\0';
    if (r->singular_start && r->state->rank->least < r->system->layout.n_rows)
        snprintf(buffer, size, "; the start is a singular position, of rank %d, from which more than one motion may begin, or none: start elsewhere",
                 r->system->rank);
    else if (r->state->singular->nearness < close_to_singular || dal_failed_for(r->state, DAL_REASON_SINGULAR_POSITION))
        snprintf(buffer, size, "%s", dal_singular_text(r->state, where, sizeof where));
    return buffer;
}

/* Steps that lead nowhere: what they are like, why, and what may help. `what` is the component that changes fastest. */
static void explain_stall(run *r, const dal_drive_result *result, const char *what, const char *near, dal_messages *messages)
{
    const double t = result->t, h = result->pace;
    switch (result->stall) {
    case DAL_STALL_NONE:
    case DAL_STALL_SLOWING:
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: the steps become smaller and smaller (%.1e s on average at the last of %ld), and the end at %.6g s would never be "
                  "reached; %s changes fastest%s. The motion may end here (something grows without bound, or faster and faster); otherwise cvode-bdf, or larger "
                  "tolerances, may go on",
                  t, h, result->tries, r->system->info.until, what, near);
        break;
    case DAL_STALL_EVENTS: {
        const bool slips = result->component >= switches(r->system);
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: %s'%s' switches every %.1e s, and %.0e steps would be needed until the end; smooth it (tanh instead of sign, a "
                  "`velocity:` of friction), or give it a dead zone",
                  t, slips ? "the friction of joint " : "",
                  slips ? dal_friction_guard_name(r->system, result->component - switches(r->system))
                        : dal_program_switch_text(r->system->actions.program, result->component),
                  h, result->tries_needed);
        break;
    }
    case DAL_STALL_REJECTED:
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: most of %ld steps were taken back by the error estimate, those of %.1e s remain, and %.0e would be needed until the "
                  "end; %s changes fastest%s. Forces that are rough, or tolerances below their rounding, do this: larger tolerances, or a fixed step, may help",
                  t, result->tries, h, result->tries_needed, what, near);
        break;
    case DAL_STALL_SMALL:
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: steps of %.1e s, and %.0e of them would be needed until the end; %s changes fastest%s. If the motion is stiff, "
                  "cvode-bdf takes longer ones; otherwise a shorter `until:` is needed",
                  t, h, result->tries_needed, what, near);
        break;
    case DAL_STALL_REFUSED:
        dal_say_for(messages, DAL_ERROR, dal_reason_of(r->state), dal_nowhere,
                  "at t = %.9g: no progress: steps are %.1e s on average, and longer ones were refused %ld times: %s%s. Another start, or another "
                  "formulation, may help", t, h, result->tries, r->state->report->trouble[0] ? r->state->report->trouble : "the evaluation failed", near);
        break;
    }
}

static dal_status explain(run *r, const dal_drive_result *result, dal_messages *messages)
{
    dal_state *state = r->state;
    char name[200], standing[200], singular[400];
    const char *stands = dal_standing_text(state, standing, sizeof standing);
    const char *here = result->end == DAL_END_REACHED || r->stopped ? "" : singular_here(r, singular, sizeof singular);
    name_component(r->system, result->component < 0 ? 0 : result->component, name, sizeof name);
    const char *trouble = state->report->trouble[0]        ? state->report->trouble
                          : state->singular->near ? "no step gets past the singular position of the constraints that is near; other formulations may "
                                                   "(lagrange, udwadia-kalaba)"
                                                 : "the evaluation failed";
    const bool ends_there = result->end == DAL_END_STEP_COLLAPSE || result->end == DAL_END_DERIVATIVE || result->end == DAL_END_PROJECT;
    if (dal_paced(r->system->integrator) && state->singular->near && ends_there) {
        dal_error(messages, dal_nowhere, "at t = %.9g: '%s' does not get past the singular position of the constraints that is near; use dopri5, which is "
                                         "led across it%s", result->t, r->system->integrator->name, here);
        return DAL_NUMERICAL;
    }
    if (result->stall && !r->stopped && result->flow >= 0) {
        explain_stall(r, result, name, here, messages);
        return DAL_NUMERICAL;
    }
    switch (result->end) {
    case DAL_END_NO_PROGRESS: return DAL_NUMERICAL;
    case DAL_END_REACHED: return DAL_OK;
    case DAL_END_NOT_FINITE:
        if (explain_expression(r, result, messages))
            break;
        dal_error(messages, dal_nowhere, "at t = %.9g: %s became infinite or not a number (step %.3g)", result->t, name, result->h);
        break;
    case DAL_END_STEP_COLLAPSE:
        if (dal_friction_jammed(state, result->t)) {
            dal_error(messages, dal_nowhere, "at t = %.9g: the friction of joint '%s' comes to a position beyond which it has no solution while it slides "
                                             "(the joint jams); a smaller coefficient, or another geometry, is needed", result->t,
                      dal_friction_jammed(state, result->t));
            break;
        }
        dal_error(messages, dal_nowhere, "at t = %.9g: the step size collapsed to %.3g; the motion cannot be continued to this tolerance%s%s%s%s", result->t,
                  result->h, result->component < 0 ? "" : " (", result->component < 0 ? "" : name, result->component < 0 ? "" : " changes fastest)",
                  *stands ? stands : here);
        break;
    case DAL_END_CHATTER:
        if (result->component >= switches(r->system)) {
            dal_error(messages, dal_nowhere, "at t = %.9g: the friction of joint '%s' sticks and slips without end; give it a `velocity:` over which it is "
                                             "made smooth", result->t, dal_friction_guard_name(r->system, result->component - switches(r->system)));
            break;
        }
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: '%s' switches without end; smooth it (tanh instead of sign), or give the contact some softness", result->t,
                  dal_program_switch_text(r->system->actions.program, result->component));
        break;
    case DAL_END_UNOPENED:
        if (result->flow == -DAL_NO_MEMORY)
            return DAL_NO_MEMORY;
        dal_error(messages, dal_nowhere, "integrator '%s' could not be opened", r->system->integrator->name);
        return DAL_BAD_COMMAND;
    case DAL_END_MAX_STEPS: dal_error(messages, dal_nowhere, "at t = %.9g: too many steps", result->t); break;
    case DAL_END_DERIVATIVE:
    case DAL_END_PROJECT:
    case DAL_END_STOPPED:
        if (r->stopped)
            dal_warn(messages, dal_nowhere, DAL_CODE_STOPPED, result->t, "stopped at t = %.9g", result->t);
        else if (r->sink_status != DAL_OK)
            return r->sink_status;
        else
            dal_say_for(messages, DAL_ERROR, dal_reason_of(state), dal_nowhere, "at t = %.9g: %s%s%s", result->t, trouble,
                        dal_failed_for(state, DAL_REASON_JOINT) ? "" : stands, here);
        break;
    }
    return DAL_NUMERICAL;
}

static const char *momentum_text(unsigned kept)
{
    if (!kept)
        return "";
    return (kept & 7u) && (kept & 56u) ? "linear where gravity does not act, angular about the centre of mass" : kept & 7u ? "linear" : "angular about the centre of mass";
}

static void finish(run *r, const dal_drive_result *result)
{
    dal_evidence *e = r->evidence;
    double scale = r->kinetic_most + r->potential_most + r->work_path;
    e->steps = result->steps;
    e->rejected = result->rejected;
    e->evaluations = r->state->report->evaluations;
    e->events = result->events;
    e->restarts = result->restarts;
    e->charts = r->state->report->charts;
    e->time_end = result->t;
    e->wall_seconds = clock_now() - r->clock_start;
    e->energy_end = r->energy_last;
    e->energy_drift_absolute = r->balance_worst;
    /* nothing moved but rounding, or less than the tolerances see: a relative drift would be rounding over rounding */
    const double unseen = fmax(1e-13, r->system->integrator->adaptive ? r->system->info.atol : 0) * r->system->length / r->system->time;
    e->energy_drift = scale > 1e-13 * (fabs(r->potential_start) + r->weight) + r->system->mass * unseen * unseen ? r->balance_worst / scale : NAN;
    e->momentum = momentum_text(r->system->conserved);
    e->momentum_drift = NAN;
    /* bodies that only turn have no speed but rounding: nothing to compare a linear momentum with */
    const double least[2] = {1e-12 * r->momentum_scale[1] / r->system->length, 0};
    for (int k = 0; k < 2; k++)
        if (r->system->conserved >> (3 * k) & 7u && r->momentum_scale[k] > least[k])
            e->momentum_drift = fmax(isnan(e->momentum_drift) ? 0 : e->momentum_drift, r->momentum_worst[k] / r->momentum_scale[k]);
    e->ignorable_drift = NAN;
    const int n = r->system->n_ignorable;
    for (int i = 0; i < n; i++)
        if (r->ignorable[3 * n + i] > 0)
            e->ignorable_drift = fmax(isnan(e->ignorable_drift) ? 0 : e->ignorable_drift, r->ignorable[4 * n + i] / r->ignorable[3 * n + i]);
    e->speeds_condition = r->system->formulation->chooses ? r->speeds_worst : NAN;
    e->speeds_changed = r->state->speeds->changed;
    e->partition_steepest = r->state->partition->n ? r->state->partition->steepest : NAN;
    e->partition_changed = r->state->partition->changed;
    e->rank_least = r->state->rank->least;
    e->rank_most = r->state->rank->most;
    e->rerankings = r->state->rank->changed;
    e->projection_tolerance = r->system->stabilization->project ? dal_projection_tolerance(r->system) : NAN;
    e->acceleration_error = r->state->refinement->since ? r->state->refinement->worst : NAN;
    e->condition_worst = r->state->report->condition_worst;
    double fastest = r->stiffest > 0 ? r->stiffest : r->stiffest_early;
    e->stiffness = r->direction && !r->system->integrator->adaptive && fastest > 0 ? fastest * r->system->info.step : NAN;
}

static void warn_of_stiffness(const run *r, dal_messages *messages)
{
    const dal_integrator *method = r->system->integrator;
    double limit = fmax(method->real_stability, method->imaginary_stability), seen = r->evidence->stiffness;
    if (r->probes > 4 && 3 * r->stiff_probes > r->probes)
        dal_warn(messages, dal_nowhere, DAL_CODE_STIFF, (double)r->evidence->steps,
                 "the motion is stiff: stability, not accuracy, held %s to its %ld steps (|lambda| h is about %.2g, and %.2g is what it bears on the real "
                 "axis); cvode-bdf has no such limit",
                 method->name, r->evidence->steps, r->stiff_product / (double)r->stiff_probes, method->real_stability);
    if (seen > limit)
        dal_warn(messages, dal_nowhere, DAL_CODE_STEP_TOO_LONG, seen,
                 "%s is stable up to |lambda| h = %.3g on the real and %.3g on the imaginary axis, and the motion has about %.3g: take a step below "
                 "%.2g, or cvode-bdf, which has no such limit",
                 method->name, method->real_stability, method->imaginary_stability, seen,
                 r->system->info.step * fmax(fmin(method->real_stability, method->imaginary_stability), 1e-3) / seen);
}

/* What refinement cannot bring back: the data themselves are rounded. */
static void warn_of_inertias(const run *r, dal_messages *messages)
{
    const dal_system *system = r->system;
    const double error = r->evidence->acceleration_error, rtol = system->info.rtol;
    char name[100];
    if (!(error > rtol))
        return;
    dal_velocity_name(system, r->state->refinement->column, name, sizeof name);
    dal_warn(messages, dal_nowhere, DAL_CODE_ACCELERATIONS_INEXACT, error,
             "the inertias differ by a factor of %.1e, and rounding leaves an error of %.1e in the accelerations, most in %s, while rtol asks for %.1e: "
             "the motion is not known to that; %s", r->state->refinement->ratio, error, name, rtol,
             system->layout.family->shares ? "`coordinates: angle` may keep more digits, or give the small part more inertia, or none"
                                           : "`coordinates: joint` may keep more digits, or give the small part more inertia, or none");
}

/* Open joints are another mechanism: a hundredth of its length is no error of integration any more. */
static void warn_of_open_joints(const run *r, dal_messages *messages)
{
    const double open = r->evidence->position_residual;
    if (r->open > 1e-2)
        dal_warn(messages, dal_nowhere, DAL_CODE_JOINTS_OPEN, open,
                 "the constraints were open by %.3g (m or rad), while the model's length is %.3g m: what was computed is not the motion of this "
                 "mechanism; stabilization '%s' does not hold it (mass-projection does, or says where it cannot)",
                 open, r->system->length, r->system->stabilization->name);
}

/* Of the energy that moved, kinetic and potential added: where all of it is lost, the drift is a half. */
static const double drift_worth_warning = 1e-2, drift_lost = 0.495;
static const double drift_noticed = 1e-10; /* of m g L, m (L / T)^2 and the potential energy: less is what a model at rest may do */

/* Where the balance is lost, what was computed is some other motion. */
static dal_status judge_balance(const run *r, dal_status status, dal_messages *messages)
{
    const dal_evidence *e = r->evidence;
    const double rest = fabs(r->potential_start) + r->weight;
    if (!(e->energy_drift > drift_worth_warning && e->energy_drift_absolute > drift_noticed * rest))
        return status;
    const char *remedy = r->system->integrator->adaptive ? "smaller tolerances (--rtol, --atol)" : "a smaller step";
    if (!(e->energy_drift > drift_lost) || r->system->stabilization->solve) { /* a penalty gives way: what its springs hold is in no balance */
        dal_warn(messages, dal_nowhere, DAL_CODE_BALANCE_DRIFT, e->energy_drift,
                 "the energy balance drifted by %.3g of the energy that moved (%.3g J): the motion is no more accurate than that; use %s", e->energy_drift,
                 e->energy_drift_absolute, remedy);
        return status;
    }
    dal_error(messages, dal_nowhere,
              "the energy balance drifted by %.3g of the energy that moved (%.3g J): what was computed is not the motion of this mechanism; use %s", e->energy_drift,
              e->energy_drift_absolute, remedy);
    return status == DAL_OK ? DAL_NUMERICAL : status;
}

/* Friction makes the motion depend on how redundant joints share a load. */
static void warn_of_shares(const run *r, dal_messages *messages)
{
    dal_warn(messages, dal_nowhere, DAL_CODE_FRICTION_NOT_UNIQUE, NAN,
             "the friction of joint '%s' follows its force, which is not unique: with redundant joints the motion depends on how they "
             "share the load, and the least forces were taken; give the joints a `compliance:`, or leave out the rows that 'dalembert check' lists",
             r->system->mechanism.joints[r->unsure - 1].name);
}

static void warn_of_speeds(const run *r, dal_messages *messages)
{
    if (r->system->layout.n_speeds && r->speeds_worst > near_singular_speeds)
        dal_warn(messages, dal_nowhere, DAL_CODE_SPEEDS_SINGULAR, r->speeds_worst,
                 "the speeds of the model come near a position where they do not determine the velocities: the condition of [Y; A] reaches %.2g at "
                 "t = %.6g, and so much accuracy is lost there; other speeds, or none in the model, avoid it",
                 r->speeds_worst, r->speeds_time);
}

/* A run has states of its own, which begin with the start values of `inputs:`. */
static void warn_of_inputs(const run *r, dal_messages *messages)
{
    const dal_state *final = r->options->final;
    for (int i = 0; final && i < r->system->n_inputs; i++)
        if (final->values->inputs[i] != r->system->inputs[i])
            dal_warn(messages, dal_nowhere, DAL_CODE_INPUT_NOT_USED, final->values->inputs[i],
                     "input '%s' of the state `final` is %.9g, and the run does not use it: it has the value of `inputs:`, %.9g; set that before "
                     "dal_compile",
                     r->system->input_names[i], final->values->inputs[i], r->system->inputs[i]);
}

/* What callbacks tried to change. */
static void warn_of_callbacks(const run *r, dal_messages *messages)
{
    const dal_tenancy *t = &r->tenancy;
    if (*t->input)
        dal_warn(messages, dal_nowhere, DAL_CODE_INPUT_NOT_USED, t->value,
                 "at t = %.9g: a callback of the run set input '%s' to %.9g: inputs cannot be changed during a run, and it keeps the value %.9g", t->time,
                 t->input, t->value, t->kept);
    if (t->refused)
        dal_warn(messages, dal_nowhere, DAL_CODE_STATE_OF_RUN, (double)t->refused,
                 "at t = %.9g: %s was called on a state that belongs to the run and was refused, as were all such calls (%ld): callbacks may read the "
                 "state, and not change it",
                 t->time, t->function, t->refused);
    if (r->rewritten)
        dal_warn(messages, dal_nowhere, DAL_CODE_STATE_OF_RUN, 1,
                 "at t = %.9g: a callback of the run changed y of its state: the run does not take it over, and goes on with its own", r->rewritten_time);
}

/* `final` belongs to the run as long as it lasts. */
static void lend(run *r, bool begin)
{
    r->viewer->hold.tenancy = begin ? &r->tenancy : NULL;
    if (r->options->final)
        r->options->final->hold.tenancy = begin ? &r->tenancy : NULL;
}

static bool can_run(const dal_system *system, const dal_run_options *o, dal_messages *messages, const dal_evidence *evidence)
{
    static const char function[] = "dal_run";
    if (!dal_needs(messages, function, "system", system) || !dal_needs(messages, function, "evidence", evidence) ||
        !dal_needs_allocator(messages, function, o->allocator))
        return false;
    if (o->sink && (!dal_needs(messages, function, "sink->begin", (const void *)(size_t)o->sink->begin) ||
                    !dal_needs(messages, function, "sink->row", (const void *)(size_t)o->sink->row)))
        return false;
    if (!o->final)
        return true;
    if (!dal_needs_state(messages, function, o->final))
        return false;
    if (o->final->system != system || o->final->hold.tenancy)
        dal_error(messages, dal_nowhere, "%s: `final` is a state of another %s", function, o->final->hold.tenancy ? "run" : "system");
    return o->final->system == system && !o->final->hold.tenancy;
}

/* The warnings of the model, then what the run added to `messages` behind `before` (NULL: from the first one on). */
static void gather_warnings(const dal_system *system, dal_messages *messages, const dal_message *before, dal_evidence *evidence)
{
    const dal_message *first = before ? before->next : dal_messages_first(messages);
    int n = system->n_warnings;
    evidence->n_warnings = n;
    evidence->warnings = system->warnings;
    for (const dal_message *m = first; m; m = m->next)
        n += m->severity == DAL_WARNING;
    const dal_message **all = n > system->n_warnings ? dal_messages_take(messages, sizeof *all * (size_t)n) : NULL;
    if (!all)
        return;
    for (int i = 0; i < system->n_warnings; i++)
        all[i] = system->warnings[i];
    for (const dal_message *m = first; m; m = m->next)
        if (m->severity == DAL_WARNING)
            all[evidence->n_warnings++] = m;
    evidence->warnings = all;
}

static const dal_message *last_message(const dal_messages *messages)
{
    const dal_message *last = dal_messages_first(messages);
    while (last && last->next)
        last = last->next;
    return last;
}

dal_status dal_run(const dal_system *system, const dal_run_options *options, dal_messages *messages, dal_evidence *evidence)
{
    static const dal_run_options defaults = {0};
    run r = {.system = system, .options = options ? options : &defaults, .evidence = evidence};
    if (evidence)
        memset(evidence, 0, sizeof *evidence);
    if (!can_run(system, r.options, messages, evidence))
        return DAL_BAD_COMMAND;
    const dal_message *before = last_message(messages);
    warn_of_inputs(&r, messages);
    evidence->info = system->info;
    evidence->incomplete = true;
    memcpy(evidence->gravity, system->gravity, sizeof evidence->gravity);
    if (!(system->info.until > 0)) {
        dal_error(messages, dal_nowhere, "the run has no end: give `until:` in `simulate:`, or --until");
        return DAL_BAD_COMMAND;
    }
    char why[300];
    if (system->integrator->available && !system->integrator->available(why, sizeof why)) {
        dal_error(messages, dal_nowhere, "integrator '%s' cannot be used here: %s", system->integrator->name, why);
        return DAL_BAD_COMMAND;
    }
    dal_allocator allocator = r.options->allocator ? *r.options->allocator : dal_default_allocator();
    bool probes = system->integrator->real_stability < HUGE_VAL;
    dal_ode ode = {.n = system->n_y, .n_control = system->n_control, .user = &r, .derivative = derivative, .restart = restart,
                   .accepted = accepted, .output = output, .least_step = least_step};
    ode.n_guards = switches(system) + dal_friction_guards(system);
    if (ode.n_guards)
        ode.guards = guards;
    if (system->stabilization->project || dal_friction_guards(system)) {
        ode.project = project;
        ode.project_output = project_output;
    }
    r.state = dal_state_create(&allocator, system);
    r.implicit.unit = system->mass * system->length / (system->time * system->time);
    r.viewer = r.state && offer_implicit(&r, &ode) == DAL_OK ? dal_state_create(&allocator, system) : NULL;
    size_t work = dal_drive_work(system->integrator, &ode), n = (size_t)system->n_y;
    double *memory = allocator.allocate(allocator.user, sizeof *memory * (work + (size_t)system->n_columns + 9 * n + (size_t)system->layout.nv + 2 * (size_t)ode.n_guards + 5 * (size_t)system->n_ignorable + dal_meetings_size(system) + dal_standing_size(system)));
    dal_status status = DAL_NO_MEMORY;
    if (r.viewer && memory) {
        double *y = memory + work + system->n_columns;
        r.row = memory + work;
        r.stage = y + 6 * n;
        r.v_last = y + 7 * n;
        memset(r.v_last, 0, sizeof *r.v_last * (size_t)system->layout.nv);
        r.unit = y + 8 * n + system->layout.nv;
        r.ignorable = r.unit + n;
        memset(r.ignorable, 0, sizeof *r.ignorable * 5 * (size_t)system->n_ignorable);
        r.guard = switches(system) ? r.ignorable + 5 * system->n_ignorable : NULL;
        r.guard_most = r.ignorable + 5 * system->n_ignorable + ode.n_guards;
        memset(r.guard_most, 0, sizeof *r.guard_most * (size_t)ode.n_guards);
        dal_state_units(r.state, r.unit);
        ode.unit = r.unit;
        r.meetings = (dal_meetings){.direction = r.ignorable + 5 * system->n_ignorable + 2 * ode.n_guards, .force = -1};
        memset(r.meetings.direction, 0, sizeof *r.meetings.direction * dal_meetings_size(system));
        if (dal_standing_size(system)) {
            r.along = r.meetings.direction + dal_meetings_size(system);
            memset(r.along, 0, sizeof *r.along * dal_standing_size(system));
        }
        if (probes) {
            r.direction = y + n;
            r.probe = r.direction + n;
            r.slope = r.probe + 2 * n;
        }
        memcpy(y, r.state->y, sizeof *y * n);
        for (int b = 0; b < system->mechanism.n_bodies; b++)
            for (int k = 0; k < 3; k++)
                r.weight += system->mechanism.bodies[b].mass * fabs(system->gravity[k]) * system->length;
        r.weight += system->mass * (system->length / system->time) * (system->length / system->time);
        r.singular_start = dal_check_before_run(system, r.viewer, &allocator, messages);
        r.clock_start = r.clock_last = clock_now();
        lend(&r, true);
        status = r.options->sink ? r.options->sink->begin(r.options->sink->user, &system->info, system->n_recorded, system->columns) : DAL_OK;
        if (status == DAL_OK) {
            /* switches are looked for at some places of a step: long steps are not taken where there are any */
            double longest = ode.n_guards ? system->info.until / 100 : 0;
            if (system->max_step > 0 && !(longest > 0 && longest < system->max_step))
                longest = system->max_step;
            const dal_drive_options drive = {.t_end = system->info.until, .step = system->info.step, .rtol = system->info.rtol,
                                             .atol = system->info.atol, .max_step = longest, .every = system->info.every,
                                             .event_tolerance = system->event_tolerance, .unit_time = system->time};
            dal_drive_result result = dal_drive(system->integrator, &ode, &drive, y, memory);
            lend(&r, false);
            if (r.options->final) {
                r.options->final->stages = 0;
                dal_state_copy(r.state, r.options->final);
                memcpy(r.options->final->y, y, sizeof *y * n);
                dal_state_set_time(r.options->final, result.t);
            }
            finish(&r, &result);
            status = explain(&r, &result, messages);
            warn_of_callbacks(&r, messages);
            warn_of_stiffness(&r, messages);
            warn_of_inertias(&r, messages);
            warn_of_open_joints(&r, messages);
            status = judge_balance(&r, status, messages);
            if (r.unsure)
                warn_of_shares(&r, messages);
            if (status == DAL_OK)
                warn_of_speeds(&r, messages);
            dal_meetings_warn(&r.meetings, system, messages);
            if (r.missed)
                dal_warn(messages, dal_nowhere, DAL_CODE_SWITCH_MISSED, r.missed_time,
                         "near t = %.6g '%s' changed and changed back within one step and was missed: the motion is not to be trusted after "
                         "that; set a `max-step:` below the duration of the shortest pulse",
                         r.missed_time, dal_program_switch_text(system->actions.program, r.missed_switch));
        }
    }
    if (r.viewer)
        lend(&r, false);
    allocator.release(allocator.user, memory);
    dal_state_free(r.state);
    dal_state_free(r.viewer);
    gather_warnings(system, messages, before, evidence);
    evidence->incomplete = status != DAL_OK;
    return status;
}
