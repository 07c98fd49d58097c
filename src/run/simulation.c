/* The simulation object: steps, looks, inputs, and reading between steps. Opening: opening.c; the hooks of a step: step.c; saving: saving.c. */
#include "model/system.h"
#include "run/run.h"
#include "base/argument.h"
#include "dynamics/reactions.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

/* ---- create and free ---------------------------------------------------------------------------------- */

dal_status dal_simulation_create(const dal_system *system, const dal_run_options *options, dal_messages *messages, dal_simulation **simulation)
{
    static const dal_run_options defaults = {0};
    dal_run_options o = options ? *options : defaults;
    o.final = NULL;
    if (simulation)
        *simulation = NULL;
    if (!DAL_NEEDS(messages, system) || !DAL_NEEDS(messages, simulation) || !DAL_NEEDS_ALLOCATOR(messages, o.allocator) ||
        !dal_simulation_accepts(system, &o, messages, __func__))
        return DAL_BAD_COMMAND;
    const dal_allocator allocator = o.allocator ? *o.allocator : dal_default_allocator();
    run *r = allocator.allocate(allocator.user, sizeof *r);
    if (!r)
        return DAL_NO_MEMORY;
    dal_status status = dal_simulation_open(r, system, &o, true, messages);
    if (status == DAL_OK)
        status = dal_simulation_begin(r);
    if (status == DAL_OK)
        status = dal_simulation_failure(r);
    if (status == DAL_OK) {
        *simulation = r;
        return DAL_OK;
    }
    dal_simulation_close(r);
    allocator.release(allocator.user, r);
    return status;
}

void dal_simulation_free(dal_simulation *r)
{
    if (!r || r->in_callback)
        return;
    const dal_allocator allocator = r->allocator;
    dal_simulation_close(r);
    allocator.release(allocator.user, r);
}

/* ---- steps -------------------------------------------------------------------------------------------- */

static double present_time(const run *r)
{
    return r->looking ? r->t_seen : r->driver.s.t;
}

/* Inputs that were set act from here on. */
static verdict apply_inputs(run *r)
{
    if (!r->jump || r->driver.verdict == STOP)
        return r->driver.verdict;
    r->jump = false;
    return dal_drive_jump(&r->driver);
}

verdict dal_simulation_go(run *r, double until)
{
    r->read = r->looking = false;
    while (r->driver.verdict != STOP && r->driver.s.t < until) {
        dal_call_controls(r);
        if (apply_inputs(r) != STOP)
            dal_drive_to(&r->driver, dal_next_control(r) < until - r->driver.slack ? dal_next_control(r) : until);
    }
    r->read = false; /* callbacks may have looked on the way */
    return r->driver.verdict;
}

/* The sentence about a motion that cannot continue, once; then its status. */
dal_status dal_simulation_failure(run *r)
{
    if (r->driver.verdict != STOP || r->status != DAL_OK)
        return r->status;
    const dal_drive_result result = dal_drive_so_far(&r->driver);
    return r->status = dal_explain_end(r, &result, r->messages);
}

/* May the simulation go to t? False with a message. */
static bool can_go(run *r, const char *function, const char *argument, double t)
{
    if (!r)
        return false;
    if (r->in_callback)
        dal_error(r->messages, dal_nowhere, "%s: a simulation cannot be stepped from its own callbacks", function);
    else if (!isfinite(t))
        dal_error(r->messages, dal_nowhere, "%s: `%s` is not a finite number", function, argument);
    return !r->in_callback && isfinite(t);
}

static bool is_ahead(run *r, const char *function, double t, double first)
{
    if (!(t < first))
        return true;
    dal_error(r->messages, dal_nowhere,
              "%s: the simulation is at t = %.9g and cannot go back to %.9g; dal_simulation_restore goes back to what was saved", function, first, t);
    return false;
}

dal_status dal_step(dal_simulation *r, double until)
{
    if (!can_go(r, __func__, "until", until) || !is_ahead(r, __func__, until, present_time(r)))
        return DAL_BAD_COMMAND;
    dal_simulation_go(r, until);
    return dal_simulation_failure(r);
}

/* Projects a state inside a step onto the constraints. The reader does it, so that rows do not depend on looks. */
static dal_status project_seen(run *r)
{
    dal_flow (*onto)(dal_state * state, double t, double *y) = r->system->method.stabilization->project;
    dal_state_copy(r->state, r->reader);
    if (!onto || !onto(r->reader, r->t_seen, r->seen))
        return DAL_OK;
    r->looking = false;
    dal_error(r->messages, dal_nowhere, "at t = %.9g: %s", r->t_seen,
              *dal_trouble_of(r->reader) ? dal_trouble_of(r->reader) : "the state inside a step cannot be put on the constraints");
    return DAL_NUMERICAL;
}

dal_status dal_look(dal_simulation *r, double t)
{
    if (!can_go(r, __func__, "t", t) || !is_ahead(r, __func__, t, r->driver.s.t))
        return DAL_BAD_COMMAND;
    if (r->jump) { /* at the time of the last look */
        dal_simulation_go(r, present_time(r));
        apply_inputs(r);
    }
    while (r->driver.verdict != STOP && t > r->driver.s.t && (dal_next_control(r) < t - r->driver.slack || dal_is_due(r, r->driver.s.t))) {
        dal_simulation_go(r, dal_next_control(r)); /* which changes inputs: steps end there anyway */
        if (dal_call_controls(r) != STOP)
            apply_inputs(r);
    }
    bool inside = false;
    r->read = false;
    const double next = dal_next_control(r), end = r->driver.options.t_end;
    const double stop = next < end - r->driver.slack || next > end + r->driver.slack ? next : end; /* as dal_simulation_go aims */
    dal_drive_result failed;
    r->looking = dal_drive_look(&r->driver, t, stop, r->seen, &inside, &failed) != STOP;
    r->t_seen = t;
    if (!r->looking && r->driver.verdict != STOP) /* the motion is where it was: only this look fails */
        return dal_explain_end(r, &failed, r->messages);
    return r->looking && inside ? project_seen(r) : dal_simulation_failure(r);
}

/* ---- real time ------------------------------------------------------------------------------------------- */

static void note_time(timing *t, double seconds)
{
    const double place = 16 * (log2(fmax(seconds, 1e-9)) + 30);
    t->calls++;
    t->longest = fmax(t->longest, seconds);
    t->bin[(int)fmin(fmax(place, 0), DAL_TIME_BINS - 1)]++;
}

static double median_time(const timing *t)
{
    long below = 0;
    int k = 0;
    while (k < DAL_TIME_BINS - 1 && 2 * (below += t->bin[k]) < t->calls)
        k++;
    return exp2((k + 0.5) / 16 - 30);
}

dal_status dal_step_fixed(dal_simulation *r, double h, long work)
{
    if (!can_go(r, __func__, "h", h))
        return DAL_BAD_COMMAND;
    const double begun = dal_clock(), t = present_time(r);
    driver *d = &r->driver;
    if (!(h > 2 * d->slack) || work < 0 || r->system->method.integrator->adaptive) {
        dal_error(r->messages, dal_nowhere,
                  r->system->method.integrator->adaptive ? "%s: integrator '%s' chooses its own steps; use rk4, rk6 or ab6"
                  : work < 0                             ? "%s: `work` is negative"
                  : h > 0                                ? "%s: `h` is below what the time can resolve"
                                                         : "%s: `h` is not greater than zero",
                  __func__, r->system->method.integrator->name);
        return DAL_BAD_COMMAND;
    }
    d->work_limit = work > 0 ? d->s.evaluations + d->guard_evaluations + work : 0;
    if (r->looking)
        dal_simulation_go(r, t);
    if (d->options.step != h) {
        d->options.step = h;
        d->t_base = d->s.t;
        d->steps_since = 0;
    }
    dal_simulation_go(r, d->t_base + (double)(d->steps_since + 1) * h);
    d->work_limit = 0;
    note_time(&r->timing, dal_clock() - begun);
    return dal_simulation_failure(r);
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

double dal_simulation_time(const dal_simulation *r)
{
    return r ? present_time(r) : NAN;
}

const dal_system *dal_simulation_system(const dal_simulation *r)
{
    return r ? r->system : NULL;
}

/* The reader at the present state, evaluated, and the columns there. */
static bool read_state(run *r)
{
    dal_state *state = r->reader;
    const double *y = r->looking ? r->seen : r->y, t = present_time(r);
    if (r->read)
        return true;
    dal_state_copy(r->state, state);
    dal_flow flow = dal_state_unpack(state, t, y);
    if (!flow)
        flow = dal_state_accelerate(state);
    if (!flow)
        flow = dal_state_record(state, r->seen_row);
    if (flow) {
        dal_error(r->messages, dal_nowhere, "at t = %.9g: the state cannot be evaluated%s%s", t, *dal_trouble_of(state) ? ": " : "",
                  dal_trouble_of(state));
        return false;
    }
    r->callbacks.tenancy.y = dal_show_state(state, y);
    return r->read = true;
}

const double *dal_simulation_values(dal_simulation *r, int *n)
{
    if (n)
        *n = r ? r->system->n_columns : 0;
    return r && read_state(r) ? r->seen_row : NULL;
}

double dal_simulation_value(dal_simulation *r, int column)
{
    return r && column >= 0 && column < r->system->n_columns && read_state(r) ? r->seen_row[column] : NAN;
}

dal_state *dal_simulation_state(dal_simulation *r)
{
    return r && read_state(r) ? r->reader : NULL;
}

/* ---- inputs --------------------------------------------------------------------------------------------------- */

bool dal_simulation_set_input_number(dal_simulation *r, int input, double value)
{
    if (!r)
        return false;
    if (input < 0 || input >= r->system->n_inputs) {
        dal_error(r->messages, dal_nowhere, "%s: there is no input %d; the model has %d", __func__, input, r->system->n_inputs);
        return false;
    }
    if (!isfinite(value)) {
        dal_error(r->messages, dal_nowhere, "%s: the value of input '%s' is not finite", __func__, r->system->input_names[input]);
        return false;
    }
    if (r->in_callback && !r->controlling) {
        dal_error(r->messages, dal_nowhere, "%s: inputs can be set between steps and by `control`, not from other callbacks", __func__);
        return false;
    }
    for (int k = 0; k < r->system->samples.n_outputs; k++)
        if (r->system->sample_input[k] == input) {
            dal_error(r->messages, dal_nowhere, "%s: the model gives input '%s' by an expression with a period", __func__,
                      r->system->input_names[input]);
            return false;
        }
    if (dal_values_of(r->state)->inputs[input] == value)
        return true;
    if (r->looking) /* the step that was looked into ends here */
        dal_simulation_go(r, present_time(r));
    dal_values_of(r->state)->inputs[input] = value;
    r->jump = true;
    r->read = false;
    return true;
}

bool dal_simulation_set_input(dal_simulation *r, const char *name, double value)
{
    if (!r || !DAL_NEEDS(r->messages, name))
        return false;
    const int input = dal_system_input(r->system, name);
    if (input < 0) {
        dal_error(r->messages, dal_nowhere, "%s: the model has no input '%s'", __func__, name);
        return false;
    }
    return dal_simulation_set_input_number(r, input, value);
}

double dal_simulation_input(const dal_simulation *r, int input)
{
    return r && input >= 0 && input < r->system->n_inputs ? dal_values_of(r->state)->inputs[input] : NAN;
}

/* ---- the evidence ----------------------------------------------------------------------------------------------- */

void dal_gather_warnings(const dal_system *system, dal_messages *messages, const dal_message *before, dal_evidence *evidence)
{
    const dal_message *first = before ? before->next : dal_messages_first(messages);
    int n = system->n_warnings;
    evidence->n_warnings = n;
    evidence->warnings = system->warnings;
    for (const dal_message *m = first; m; m = m->next)
        n += m->severity == DAL_WARNING;
    const dal_message **all = n > system->n_warnings ? dal_messages_alloc(messages, sizeof *all * (size_t)n) : NULL;
    if (!all)
        return;
    for (int i = 0; i < system->n_warnings; i++)
        all[i] = system->warnings[i];
    for (const dal_message *m = first; m; m = m->next)
        if (m->severity == DAL_WARNING)
            all[evidence->n_warnings++] = m;
    evidence->warnings = all;
}

dal_status dal_simulation_judge(run *r, dal_messages *messages)
{
    const dal_drive_result result = dal_drive_so_far(&r->driver);
    dal_measure_end(r, &result);
    r->evidence.fixed_steps = r->timing.calls;
    r->evidence.fixed_median = r->timing.calls ? median_time(&r->timing) : NAN;
    r->evidence.fixed_longest = r->timing.calls ? r->timing.longest : NAN;
    dal_status status = dal_explain_end(r, &result, messages);
    return dal_warn_after_run(r, status, messages);
}

dal_status dal_simulation_evidence(dal_simulation *r, dal_evidence *evidence)
{
    if (!r || !DAL_NEEDS(r->messages, evidence))
        return DAL_BAD_COMMAND;
    dal_messages_free(r->judged);
    r->judged = dal_messages_create(&r->allocator);
    const dal_status status = dal_simulation_judge(r, r->judged);
    *evidence = r->evidence;
    dal_gather_warnings(r->system, r->judged, NULL, evidence);
    evidence->incomplete = status != DAL_OK;
    return r->judged ? status : DAL_NO_MEMORY;
}
