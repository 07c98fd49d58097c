/* The evidence of a run: measurements at every accepted step and every row, and their summary at the end.
 *
 *   residuals   max |phi|, max |phi'|
 *   balance     T + V - W, W the work of forces without a potential and of drives: constant along a motion
 *   momenta     those that the forces of the model conserve, and those of ignorable coordinates
 */
#include "model/system.h"
#include "run/compiled.h"
#include "run/run.h"
#include "dynamics/row_rank.h"
#include "dynamics/reactions.h"
#include "dynamics/refine.h"
#include "dynamics/speeds.h"
#include "kinematics/subsystems.h"
#include "integrate/partition.h"
#include "integrate/stabilization.h"
#include "state/momenta.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/state.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void weigh_body(dal_balance *b, const dal_system *system, const dal_body *body)
{
    b->mass = fmax(b->mass, body->mass);
    for (int k = 0; k < 3; k++)
        b->weight += body->mass * fabs(system->acting.gravity[k]) * system->layout.units.length;
}

static void weigh_motion(dal_balance *b, const dal_system *system)
{
    if (!(b->mass > 0))
        b->mass = system->layout.units.mass;
    b->pace = b->mass * (system->layout.units.length / system->layout.units.time) * (system->layout.units.length / system->layout.units.time);
}

void dal_measure_begin(run *r)
{
    const dal_system *system = r->system;
    const dal_islands *islands = &system->acting.islands;
    r->measured.moving_time = r->state->work.t;
    for (int b = 0; b < system->mechanism.n_bodies; b++) {
        weigh_body(&r->measured.whole, system, &system->mechanism.bodies[b]);
        if (r->measured.island)
            weigh_body(&r->measured.island[islands->of_body[b]], system, &system->mechanism.bodies[b]);
    }
    weigh_motion(&r->measured.whole, system);
    for (int i = 0; r->measured.island && i < islands->n; i++)
        weigh_motion(&r->measured.island[i], system);
}

/* ---- at a state ------------------------------------------------------------------------------------ */

static void measure_momentum(run *r, dal_state *state, const dal_energy *energy)
{
    double p[6], scale[2];
    if (!dal_conserved_momenta(state, energy, p, scale))
        return;
    for (int i = 0; i < 6; i++) {
        if (!r->measured.started)
            r->measured.momentum_start[i] = p[i];
        if (r->system->conserved >> i & 1u)
            r->measured.momentum_worst[i / 3] = fmax(r->measured.momentum_worst[i / 3], fabs(p[i] - r->measured.momentum_start[i]));
    }
    r->measured.momentum_scale[0] = fmax(r->measured.momentum_scale[0], scale[0]);
    r->measured.momentum_scale[1] = fmax(r->measured.momentum_scale[1], scale[1]);
}

static void measure_ignorable(run *r, dal_state *state)
{
    const int n = r->system->layout.n_ignorable;
    double *start = r->measured.ignorable, *now = start + n, *size = now + n, *most = size + n, *worst = most + n;
    dal_state_momenta(state, now, size);
    for (int i = 0; i < n; i++) {
        if (!r->measured.started)
            start[i] = now[i];
        most[i] = fmax(most[i], size[i]);
        worst[i] = fmax(worst[i], fabs(now[i] - start[i]));
    }
}

static void measure_balance(dal_balance *b, double kinetic, double potential, double work, bool started)
{
    const double now = kinetic + potential - work;
    if (!started) {
        b->start = now;
        b->potential_start = potential;
        b->work_last = work;
        b->moving_last = kinetic;
    }
    b->energy_last = kinetic + potential;
    b->kinetic_most = fmax(b->kinetic_most, kinetic);
    b->potential_most = fmax(b->potential_most, fabs(potential - b->potential_start));
    b->worst = fmax(b->worst, fabs(now - b->start));
    b->work_path += fabs(work - b->work_last);
    b->work_last = work;
    b->moving = kinetic + fabs(potential - b->potential_start);
}

static const double at_rest = 1e-2;

/* Rows on velocities alone (rolling, blades, constraints with rates): no position shows that they are open. A residual is divided by the
 * sizes of the row's terms, sum of |a_k m_k'|; where these vanish, by a hundredth of the row's unit in a unit of time. */
static void measure_rates(run *r, const dal_state *state)
{
    const dal_layout *layout = state->layout;
    const dal_work *w = &state->work;
    for (int i = 0; i < layout->n_extrinsic; i++) {
        const dal_row *row = &layout->mechanism->rows[layout->row[i].source];
        if (!row->nonholonomic)
            continue;
        double size = at_rest * layout->units.row_unit[i] / layout->units.time;
        for (int k = row->term; k < row->term + row->n_terms; k++)
            size += fabs(w->coef[k] * w->rate[layout->mechanism->terms[k].measure]);
        if (fabs(w->phid[i]) > r->measured.rates_open * size) {
            r->measured.rates_open = fabs(w->phid[i]) / size;
            r->measured.rates_miss = fabs(w->phid[i]);
            r->measured.rates_joint = 1 + row->joint;
        }
    }
}

/* Residuals, energies and momenta at the present kinematics and loads. */
void dal_measure_motion(run *r, dal_state *state, const dal_energy *energy)
{
    double position, velocity;
    dal_residuals_now(state, &position, &velocity);
    r->evidence.position_residual = fmax(r->evidence.position_residual, position);
    int row = 0;
    r->measured.open = fmax(r->measured.open, dal_worst_row(state, state->work.phi, &row));
    r->evidence.velocity_residual = fmax(r->evidence.velocity_residual, velocity);
    measure_rates(r, state);
    measure_momentum(r, state, energy);
    measure_ignorable(r, state);
    measure_balance(&r->measured.whole, energy->kinetic, energy->potential, energy->work, r->measured.started);
    if (r->measured.island)
        dal_island_energies(state, r->measured.energies);
    for (int i = 0; r->measured.island && i < r->system->acting.islands.n; i++) {
        const double *e = r->measured.energies + 3 * i;
        measure_balance(&r->measured.island[i], e[0], e[1], e[2], r->measured.started);
    }
    if (!r->measured.started)
        r->evidence.energy_start = energy->kinetic + energy->potential;
    r->measured.started = true;
}

/* An average over time, by the trapezoidal rule over the steps: a short passage by a centre of attraction counts little. */
static void sum_moving(dal_balance *b, double dt)
{
    b->moving_sum += dt * (b->moving_last + b->moving) / 2;
    b->moving_last = b->moving;
}

void dal_measure_step(run *r, double t)
{
    measured *m = &r->measured;
    sum_moving(&m->whole, t - m->moving_time);
    for (int i = 0; m->island && i < r->system->acting.islands.n; i++)
        sum_moving(&m->island[i], t - m->moving_time);
    m->moving_time = t;
}

void dal_measure_speeds(run *r, double t)
{
    if (r->system->method.formulation->chooses)
        dal_speeds_estimate(r->state);
    if (!r->system->method.formulation->chooses || !(r->state->speeds->condition > r->measured.speeds_worst))
        return;
    r->measured.speeds_worst = r->state->speeds->condition;
    r->measured.speeds_time = t;
}

/* ---- at a row --------------------------------------------------------------------------------------- */

/* A recorded state on another piece than the integrated one: a switch changed and changed back inside a step, and was missed. */
void dal_measure_switches(run *r, double t)
{
    const dal_program *program = r->system->actions.program;
    if (!r->measured.guard || r->measured.missed || !r->viewer->values->frozen)
        return;
    dal_program_guards(program, r->viewer->values->registers, r->viewer->values->modes, r->measured.guard);
    for (int i = 0; i < dal_program_switches(program); i++)
        r->measured.guard_most[i] = fmax(r->measured.guard_most[i], fabs(r->measured.guard[i]));
    for (int i = 0; i < dal_program_switches(program) && !r->measured.missed; i++)
        if (r->measured.guard[i] < -1e-9 * r->measured.guard_most[i]) {
            r->measured.missed = true;
            r->measured.missed_switch = i;
            r->measured.missed_time = t;
        }
}

/* "A (force z), B (torque x, y)": what is not unique of the reactions at the start. */
void dal_measure_reactions(run *r)
{
    static const char *const axes[] = {"x", "y", "z"};
    const dal_mechanism *m = &r->system->mechanism;
    char *text = r->evidence.loose;
    const size_t size = sizeof r->evidence.loose;
    dal_state *state = r->viewer;
    if (r->system->rank == r->system->layout.n_rows || (r->system->layout.small && !state->reactions->redundancy))
        return;
    dal_need(state, DAL_STAGE_REACTIONS);
    r->evidence.compliant = r->system->method.compliant;
    for (int j = 0; j < m->n_joints; j++) {
        const bool *loose = state->reactions->loose + 6 * j;
        size_t used = strlen(text);
        bool first = true;
        for (int k = 0; k < 6; k++)
            if (loose[k]) {
                bool opens = k == 0 || k == 3 || (k < 3 ? !loose[0] && (k < 2 || !loose[1]) : !loose[3] && (k < 5 || !loose[4]));
                snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", first ? (used ? "), " : "") : ", ", first ? m->joints[j].name : "",
                         first   ? (k < 3 ? " (force " : " (torque ")
                         : opens ? (k < 3 ? "force " : "torque ")
                                 : "",
                         axes[k % 3]);
                first = false;
            }
    }
    for (int i = 0; i < r->system->acting.n_frictions && !r->system->method.compliant; i++) {
        const dal_friction *f = &r->system->acting.frictions[i];
        const bool *loose = state->reactions->loose + 6 * f->joint;
        if (dal_friction_presses(f) && (loose[0] || loose[1] || loose[2]) && !r->measured.shared_friction)
            r->measured.shared_friction = f->joint + 1;
    }
    if (strlen(text) + 1 == size)
        memcpy(text + size - 5, " ...", 5);
    else if (*text)
        snprintf(text + strlen(text), size - strlen(text), ")");
}

/* ---- at the end ------------------------------------------------------------------------------------- */

static const char *momentum_text(unsigned kept)
{
    if (!kept)
        return "";
    return (kept & 7u) && (kept & 56u) ? "linear where gravity does not act, angular about the centre of mass"
           : kept & 7u                 ? "linear"
                                       : "angular about the centre of mass";
}

/* An energy below which nothing moves: it is `rounding` of the energies of a model at rest, of its weight, and of motions at the model's speed. An
 * island may be smaller or slower than the model: its motion counts from the absolute tolerance on. */
double dal_balance_rest(const run *r, const dal_balance *b, double rounding)
{
    const bool island = b != &r->measured.whole;
    const double unseen = fmax(1e-13, r->system->method.integrator->adaptive ? r->system->info.atol : 0);
    return rounding * (fabs(b->potential_start) + b->weight + (island ? 0 : b->pace)) + b->pace * unseen * unseen;
}

/* An island that starts at rest up to rounding, and that no force moves: its motion is noise. */
static bool is_left_alone(const run *r, const dal_balance *b)
{
    const double given = fabs(b->start - b->potential_start) + fabs(b->potential_start) + b->weight + b->work_path;
    return b != &r->measured.whole && given <= 1e-24 * b->pace;
}

/* The drift relative to the energy that moved. NAN: nothing moved, or less than the tolerances see; the quotient would be rounding over rounding. */
double dal_balance_drift(const run *r, const dal_balance *b)
{
    const double scale = b->kinetic_most + b->potential_most + b->work_path;
    return scale > dal_balance_rest(r, b, 1e-13) && !is_left_alone(r, b) ? b->worst / scale : NAN;
}

void dal_measure_end(run *r, const dal_drive_result *result)
{
    dal_evidence *e = &r->evidence;
    e->steps = result->steps;
    e->rejected = result->rejected;
    e->evaluations = r->state->report->evaluations;
    e->events = result->events;
    e->matrices = result->matrices;
    e->products = result->products;
    e->slopes = dal_slopes_kind(r);
    dal_compiled_measure(r);
    e->restarts = result->restarts;
    e->late_events = result->late_events;
    e->charts = r->state->report->charts;
    e->time_start = r->driver.options.t_start;
    e->time_end = result->t;
    e->wall_seconds = dal_clock() - r->callbacks.clock_start;
    e->energy_end = r->measured.whole.energy_last;
    e->energy_drift_absolute = r->measured.whole.worst;
    e->energy_drift = dal_balance_drift(r, &r->measured.whole);
    if (!dal_subsystems_have_energy(r->system->layout.systems))
        e->energy_start = e->energy_end = e->energy_drift = e->energy_drift_absolute = NAN;
    e->momentum = momentum_text(r->system->conserved);
    e->momentum_drift = NAN;
    /* bodies that only turn have no speed but rounding: nothing to compare a linear momentum with */
    const double least[2] = {1e-12 * r->measured.momentum_scale[1] / r->system->layout.units.length, 0};
    for (int k = 0; k < 2; k++)
        if (r->system->conserved >> (3 * k) & 7u && r->measured.momentum_scale[k] > least[k])
            e->momentum_drift = fmax(isnan(e->momentum_drift) ? 0 : e->momentum_drift, r->measured.momentum_worst[k] / r->measured.momentum_scale[k]);
    e->ignorable_drift = NAN;
    const int n = r->system->layout.n_ignorable;
    for (int i = 0; i < n; i++)
        if (r->measured.ignorable[3 * n + i] > 0)
            e->ignorable_drift =
                fmax(isnan(e->ignorable_drift) ? 0 : e->ignorable_drift, r->measured.ignorable[4 * n + i] / r->measured.ignorable[3 * n + i]);
    e->speeds_condition = r->system->method.formulation->chooses ? r->measured.speeds_worst : NAN;
    e->speeds_changed = r->state->speeds->changed;
    e->partition_steepest = r->state->partition->n ? r->state->partition->steepest : NAN;
    e->partition_changed = r->state->partition->changed;
    e->rank_least = r->state->rank->least;
    e->rank_most = r->state->rank->most;
    e->rerankings = r->state->rank->changed;
    e->projection_tolerance = r->system->method.stabilization->project ? dal_projection_tolerance(r->system) : NAN;
    e->acceleration_error = r->state->refinement->since ? r->state->refinement->worst : NAN;
    e->condition_worst = r->state->report->condition_worst;
    e->stiffness = dal_stiffness_found(r);
}
