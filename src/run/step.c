/* The hooks of the step loop. The loop is make_step of integrate/drive.c, which knows only y' = f(t, y); here are its calls for a mechanism:
 *
 *     prepare   derivative, guards   slope and guards at (t, y)
 *     attempt   derivative           y' = f(t, y), at each Runge-Kutta stage
 *     events    guards               positive while the present pieces hold; the step is cut where one becomes negative
 *     project   project              y onto the constraints; surfaces that stick stay where they stuck
 *     record    output               one record, computed on the state `viewer`
 *     accept    accepted             measures and checks the accepted state; may ask for a restart
 *     restart   restart              at the start, after an event, after an input was set, or where `accepted` asked for it: new charts,
 *                                    speeds, switches, friction
 *     between   between              progress and checkpoints; the run may be stopped here
 */
#include "model/coordinate_names.h"
#include "model/system.h"
#include "run/run.h"
#include "kinematics/subsystems.h"
#include "math/finite.h"
#include "run/compiled.h"
#include "run/standing.h"
#include "dynamics/determined.h"
#include "dynamics/reactions.h"
#include "dynamics/singular.h"
#include "dynamics/speeds.h"
#include "integrate/stabilization.h"
#include "state/directions.h"
#include "state/report.h"
#include "state/scale.h"
#include "state/state.h"
#include "state/values.h"
#include "state/windings.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double chart_limit = 0.3;        /* |cos| or |sin| of the middle Euler angle below which another sequence is taken */
static const double chart_fixed_limit = 1e-3; /* where a sequence that the user fixed stops the run */
static const double progress_every = 0.05;    /* s of wall time: a run that is asked to stop continues no longer than a step and this */
static const double checkpoint_every = 1;     /* s of wall time, where the options do not say */
static const double checkpoint_share = 0.02;  /* of the wall time, at most, that checkpoints take */

/* ---- restart ------------------------------------------------------------------------------------------- */

int dal_switches(const dal_system *system)
{
    return system->actions.program ? dal_program_switches(system->actions.program) : 0;
}

void dal_switch_operands(const dal_system *system, const dal_state *state, int *op, double *a, double *b)
{
    if (system->actions.program)
        dal_program_operands(system->actions.program, state->values->registers, op, a, b);
}

const char *dal_switch_text(const dal_system *system, int i)
{
    return dal_program_switch_text(system->actions.program, i);
}

static void renew_charts(dal_state *state)
{
    const dal_layout *layout = state->layout;
    for (int b = 0; layout->family->condition && b < layout->mechanism->n_bodies; b++)
        if (!layout->sequence_fixed && layout->family->condition(layout, &state->work, b) < chart_limit) {
            layout->family->rechart(layout, &state->work, b);
            dal_state_moved(state);
            state->report->charts++;
        }
}

static void renew_speeds(dal_state *state)
{
    if (!state->system->method.formulation->chooses)
        return;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_speeds_choose(state);
}

/* Choose the active branch of every switching expression at the present values. */
static dal_flow renew_pieces(dal_state *state)
{
    const int n = dal_switches(state->system);
    state->values->frozen = false;
    dal_state_position(state);
    dal_state_velocity(state);
    dal_flow flow = (state->system->acting.n_frictions ? dal_state_loads : dal_state_push)(state);
    if (flow)
        return flow;
    if (n)
        dal_program_modes(state->system->actions.program, state->values->registers, state->values->modes);
    state->values->frozen = n > 0;
    state->stages &= ~(unsigned)DAL_STAGE_FORCES; /* the forces were computed without frozen modes */
    return 0;
}

/* Project y onto the constraints, then move sticking surfaces back to where they stuck. */
static dal_flow project_and_hold(dal_state *state, double t, double *y)
{
    dal_flow (*onto)(dal_state * state, double t, double *y) = state->system->method.stabilization->project;
    bool moved = false;
    dal_flow flow = onto ? onto(state, t, y) : 0;
    if (!flow && state->system->acting.n_frictions)
        flow = dal_friction_hold(state, t, y, &moved);
    return flow || !moved || !onto ? flow : onto(state, t, y);
}

/* Which surfaces stick. Where that changes, velocities keep the constraints, also where these drift otherwise. */
static dal_flow renew_friction(dal_state *state, double t, double *y, const bool *which)
{
    const bool drifts = dal_friction_guards(state->system) && !state->system->method.stabilization->project;
    dal_state_jacobian(state);
    dal_state_stabilise(state);
    dal_flow flow = dal_friction_restart(state, which);
    if (!flow && drifts)
        flow = dal_project_velocities(state, t, y);
    return flow ? flow : project_and_hold(state, t, y);
}

/* Report the guards that became negative to the user. */
static void report_events(run *r, double t, const bool *which)
{
    const int n = dal_switches(r->system);
    r->in_callback = true;
    for (int i = 0; r->options.event && which && i < r->ode.n_guards; i++)
        if (which[i])
            r->options.event(r->options.event_user, t,
                             i < n ? dal_program_switch_text(r->system->actions.program, i) : dal_friction_guard_name(r->system, i - n));
    r->in_callback = false;
}

static dal_flow restart(void *user, double t, double *y, const bool *which)
{
    run *r = user;
    dal_state *state = r->state;
    const int n = dal_switches(state->system);
    report_events(r, t, which);
    dal_flow flow = dal_state_unpack(state, t, y);
    if (flow)
        return flow;
    renew_charts(state);
    renew_speeds(state);
    if ((flow = dal_state_pack(state, y)))
        return flow;
    dal_state_units(state, r->unit);
    if (state->layout->curved) { /* a user may have started from another state */
        dal_state_position(state);
        dal_state_velocity(state);
        dal_roots_accepted(state);
    }
    if (n || state->system->acting.n_frictions)
        flow = renew_pieces(state);
    if (!flow && state->system->acting.n_frictions)
        flow = renew_friction(state, t, y, which ? which + n : NULL);
    dal_compiled_restart(r);
    return flow;
}

/* ---- prepare, attempt ------------------------------------------------------------------------------- */

/* A placement may be infinite or NaN where its derivatives are finite: log(1 - t). */
static dal_flow check_finite(dal_state *state, const dal_energy *energy)
{
    const int body = dal_state_not_finite(state);
    if (body >= 0)
        return dal_state_fail(state, "the place or the velocity of '%s' is not a finite number, or is too large for an energy",
                              state->mechanism->bodies[body].name);
    if (!dal_subsystems_have_energy(state->layout->systems)) /* there is none to check */
        return dal_all_finite(state->work.v, state->layout->nv) ? 0 : dal_state_fail(state, "a velocity is not a finite number");
    return isfinite(energy->kinetic + energy->potential) ? 0 : dal_state_fail(state, "the energy is not a finite number");
}

/* A mass matrix that is given may become indefinite on the way. */
static dal_flow check_masses(dal_state *state)
{
    int where = 0;
    const int system = dal_subsystems_indefinite(state->layout, &state->work, &where);
    if (system < 0)
        return 0;
    return dal_state_fail(
        state, "the mass matrix of '%s' became indefinite: there are rates, that of '%s' among them, at which the kinetic energy is negative",
        state->layout->systems->system[system].name, dal_own_coordinate(state->system, where));
}

static dal_flow derivative(void *user, double t, const double *y, double *dy)
{
    run *r = user;
    dal_state *state = r->state;
    if (dal_compiled_rates(r, t, y, dy))
        return 0;
    y = dal_passage_stage(r, t, y);
    dal_flow flow = dal_state_revisit(state, t, y);
    flow = dal_recoverable(flow ? flow : dal_state_slope(state, dy));
    const dal_flow avoid = flow ? 0 : dal_passage_avoid_stage(r);
    if (avoid)
        return avoid;
    if (!flow && r->system->layout.curved)
        flow = dal_recoverable(dal_roots_check(state));
    if (!flow)
        flow = dal_recoverable(dal_derived_check(state));
    if (r->system->layout.placement && (flow == 0 || dal_state_not_finite(state) >= 0)) {
        const dal_energy energy = dal_energy_now(state);
        flow = dal_recoverable(check_finite(state, &energy));
    }
    return flow ? flow : dal_state_turned(state);
}

/* Steps this small are not refined. */
static double least_step(void *user, double t, const double *y)
{
    (void)t;
    (void)y;
    return dal_singular_least_step(((const run *)user)->state);
}

/* ---- events ------------------------------------------------------------------------------------------- */

static dal_flow guards(void *user, double t, const double *y, double *g)
{
    dal_state *state = ((run *)user)->state;
    const int n = dal_switches(state->system);
    dal_flow flow = dal_state_unpack(state, t, y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_velocity(state);
    if (state->system->acting.n_frictions) {
        dal_state_jacobian(state);
        flow = dal_state_accelerate(state);
    } else {
        flow = dal_state_push(state);
    }
    if (flow)
        return dal_recoverable(flow);
    if (n)
        dal_program_guards(state->system->actions.program, state->values->registers, state->values->modes, g);
    if (state->system->acting.n_frictions)
        dal_friction_guard(state, g + n);
    return 0;
}

/* ---- project ------------------------------------------------------------------------------------------- */

static dal_flow project(void *user, double t, double *y)
{
    run *r = user;
    const size_t nq = (size_t)r->system->layout.nq;
    const bool velocities = !r->system->method.formulation->unpack; /* y holds v, not speeds */
    if (velocities)
        memcpy(r->stage, y, sizeof *y * (size_t)r->system->n_y);
    dal_flow flow = dal_recoverable(project_and_hold(r->state, t, y));
    if (!flow && velocities && !r->state->singular->near)
        flow = dal_check_correction(r, r->stage + nq, y + nq);
    return flow ? flow : dal_passage_avoid_end(r);
}

/* The same for a state inside a step, which is recorded but not integrated further. */
static dal_flow project_output(void *user, double t, double *y)
{
    run *r = user;
    dal_update_viewer(r);
    return r->system->method.stabilization->project ? r->system->method.stabilization->project(r->viewer, t, y) : 0;
}

/* ---- record ------------------------------------------------------------------------------------------- */

/* Frames, rates, rows and forces, as far as they are not known. The residual of the intrinsic rows comes with their Jacobian. */
static dal_flow evaluate_motion(dal_state *state)
{
    return dal_state_motion(state, state->layout->family->intrinsic != NULL || state->layout->curved);
}

static dal_flow evaluate_row(run *r, double t, const double *y)
{
    dal_state *state = r->viewer;
    const bool first = !r->measured.started;
    dal_flow flow = dal_state_unpack(state, t, y);
    if (flow)
        return flow;
    if (!r->system->records_reactions && !r->options.frame && !first)
        return evaluate_motion(state);
    flow = dal_state_accelerate(state);
    if (flow || !first)
        return flow;
    dal_measure_reactions(r);
    return dal_meetings_refuse(state);
}

const double *dal_show_state(dal_state *state, const double *y)
{
    memcpy(state->y, y, sizeof *y * (size_t)state->system->n_y);
    state->stages |= DAL_STAGE_ACCELERATION;
    return state->y;
}

/* The callback sees a copy of y; changes that it makes there are ignored. */
static dal_status show_frame(run *r, double t, const double *y)
{
    dal_state *state = r->viewer;
    const double *shown = dal_show_state(state, y);
    r->callbacks.tenancy.y = y;
    dal_status status = r->options.frame(r->options.frame_user, state, r->system->n_columns, r->row);
    r->callbacks.tenancy.y = NULL;
    if (!r->callbacks.rewritten && memcmp(shown, y, sizeof *y * (size_t)r->system->n_y)) {
        r->callbacks.rewritten = true;
        r->callbacks.rewritten_time = t;
    }
    return status;
}

/* A row to the sink, then the state to the callback. */
static dal_flow deliver_row(run *r, double t, const double *y)
{
    dal_status *status = &r->callbacks.sink_status;
    r->evidence.rows_recorded++;
    r->in_callback = true;
    if (r->options.sink)
        *status = r->options.sink->row(r->options.sink->user, r->system->n_recorded, r->row);
    if (r->options.frame && *status == DAL_OK)
        *status = show_frame(r, t, y);
    r->in_callback = false;
    return *status == DAL_OK ? 0 : -(int)*status;
}

static dal_flow output(void *user, double t, const double *y)
{
    run *r = user;
    const bool wanted = r->options.sink || r->options.frame;
    if (!wanted && r->measured.started && !r->system->method.integrator->adaptive)
        return 0; /* rows are steps, which are measured when they are accepted */
    dal_update_viewer(r);
    dal_flow flow = evaluate_row(r, t, y);
    if (!flow) {
        const dal_energy energy = dal_energy_now(r->viewer);
        dal_measure_motion(r, r->viewer, &energy);
        dal_measure_switches(r, t);
        flow = wanted ? dal_state_record(r->viewer, r->row) : 0;
    }
    if (flow)
        dal_share_trouble(r->state, r->viewer);
    if (!flow && wanted)
        flow = deliver_row(r, t, y);
    if (!flow)
        dal_compiled_compare(r, t, y);
    return flow;
}

/* ---- accept ------------------------------------------------------------------------------------------- */

/* Speeds that the program chose are changed before they become bad; those of the model end the run where they are singular. */
static dal_flow check_speeds(run *r, double t, bool *ask_restart)
{
    bool change = false;
    if (!r->system->method.formulation->chooses)
        return 0;
    dal_measure_speeds(r, t);
    dal_flow flow = dal_speeds_watch(r->state, &change);
    *ask_restart |= change;
    return flow;
}

static dal_flow check_charts(run *r, bool *ask_restart)
{
    dal_state *state = r->state;
    const dal_layout *layout = &r->system->layout;
    for (int b = 0; layout->family->condition && b < layout->mechanism->n_bodies; b++) {
        const double condition = layout->family->condition(layout, &state->work, b);
        if (condition < chart_limit && !layout->sequence_fixed)
            *ask_restart = true;
        if (condition < chart_fixed_limit && layout->sequence_fixed)
            return dal_state_fail(state,
                                  "'%s' reached a singular attitude of the Euler sequence that the model fixes; leave "
                                  "the choice to the program",
                                  layout->mechanism->bodies[b].name);
    }
    return 0;
}

/* The motion at the accepted (t, y), and checks that it is finite. */
static dal_flow measure_motion(run *r, double t, const double *y)
{
    dal_state *state = r->state;
    dal_flow flow = dal_state_revisit(state, t, y);
    if (flow || (flow = evaluate_motion(state)))
        return flow;
    if (state->system->acting.n_frictions)
        dal_state_inertia(state);
    if ((flow = dal_state_turned(state)))
        return flow;
    dal_state_unwind_step(state);
    const dal_energy energy = dal_energy_now(state);
    if ((flow = check_finite(state, &energy)))
        return flow;
    if ((flow = check_masses(state)))
        return flow;
    dal_measure_motion(r, state, &energy);
    dal_measure_step(r, t);
    return 0;
}

static dal_flow accepted(void *user, double t, const double *y, bool *ask_restart)
{
    run *r = user;
    dal_state *state = r->state;
    dal_flow flow;
    dal_stiffness_probe(r, t, y);
    if ((flow = measure_motion(r, t, y)) || (flow = dal_meetings_refuse(state)))
        return flow;
    dal_meetings_watch(&r->meetings, state, t);
    dal_travel_watch(&r->travel, state, t);
    if (r->along && (flow = dal_standing_watch(state, r->along)))
        return flow;
    if (r->system->acting.n_frictions)
        dal_friction_accepted(state);
    if (r->system->layout.curved && (flow = dal_roots_check(state)))
        return flow;
    dal_roots_accepted(state);
    if ((flow = dal_passage_rank(r)) || (flow = dal_passage_check(r, t)))
        return flow;
    if ((flow = check_speeds(r, t, ask_restart)) || (flow = dal_check_loss(r)))
        return flow;
    *ask_restart |= r->implicit.residual && r->system->method.formulation->implicit->stale(state);
    if ((flow = check_charts(r, ask_restart)))
        return flow;
    r->evidence.steps++;
    r->evidence.time_end = t;
    return 0;
}

/* ---- between ------------------------------------------------------------------------------------------ */

double dal_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static dal_flow report_progress(run *r, double t, double now)
{
    const dal_run_options *o = &r->options;
    callbacks *c = &r->callbacks;
    if (!o->progress || !(now - c->clock_last > progress_every))
        return 0;
    c->clock_last = now;
    r->in_callback = true;
    c->stopped = !o->progress(o->progress_user, t, r->system->info.until, r->evidence.steps, now - c->clock_start);
    r->in_callback = false;
    return c->stopped ? -DAL_NUMERICAL : 0;
}

/* Checkpoints become rare if they take long (large models, slow disks). */
static dal_flow make_checkpoint(run *r, double now)
{
    const dal_run_options *o = &r->options;
    callbacks *c = &r->callbacks;
    r->in_callback = true;
    const dal_status status = o->checkpoint(o->checkpoint_user, r);
    r->in_callback = false;
    c->checkpointed = true;
    const double end = dal_clock(), every = o->checkpoint_every > 0 ? o->checkpoint_every : checkpoint_every;
    c->clock_checkpoint = end + fmax(every, (end - now) / checkpoint_share);
    if (status != DAL_OK)
        c->sink_status = status;
    return status == DAL_OK ? 0 : -(int)status;
}

static dal_flow between(void *user, double t)
{
    run *r = user;
    callbacks *c = &r->callbacks;
    const double now = dal_clock();
    const dal_flow stop = report_progress(r, t, now);
    if (!r->options.checkpoint)
        return stop;
    if (!(c->clock_checkpoint > 0)) /* the first step */
        c->clock_checkpoint = c->clock_start + (r->options.checkpoint_every > 0 ? r->options.checkpoint_every : checkpoint_every);
    const bool last = t == r->system->info.until && (c->checkpointed || r->options.resume);
    const dal_flow flow = stop || last || now >= c->clock_checkpoint ? make_checkpoint(r, now) : 0;
    return stop ? stop : flow;
}

/* ---- the hooks together ----------------------------------------------------------------------------------- */

dal_ode dal_step_hooks(run *r)
{
    const dal_system *system = r->system;
    const int n_guards = dal_switches(system) + dal_friction_guards(system);
    const bool projects = (system->method.stabilization->project && system->layout.n_rows) || dal_friction_guards(system);
    return (dal_ode){
        .n = system->n_y,
        .n_control = system->n_control,
        .n_guards = n_guards,
        .user = r,
        .restart = restart,
        .derivative = derivative,
        .least_step = least_step,
        .guards = n_guards ? guards : NULL,
        .project = projects ? project : NULL,
        .project_output = projects ? project_output : NULL,
        .output = output,
        .accepted = accepted,
        .between = between,
    };
}
