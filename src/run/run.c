/* A run: options, memory, the loop, the end. What a step does is in step.c; run.h has the list of the files. Owns no physics. */
#include "model/system.h"
#include "run/run.h"
#include "base/argument.h"
#include "base/block.h"
#include "check/checker.h"
#include "run/standing.h"
#include "state/owner.h"
#include "state/scale.h"
#include "state/state.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- what users gave ------------------------------------------------------------------------------- */

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

/* Has the run an end, and is its integrator there? */
static bool can_begin(const dal_system *system, dal_messages *messages)
{
    char why[300];
    if (!(system->info.until > 0)) {
        dal_error(messages, dal_nowhere, "the run has no end: give `until:` in `simulate:`, or --until");
        return false;
    }
    if (system->method.integrator->available && !system->method.integrator->available(why, sizeof why)) {
        dal_error(messages, dal_nowhere, "integrator '%s' cannot be used here: %s", system->method.integrator->name, why);
        return false;
    }
    return true;
}

/* ---- open and close ----------------------------------------------------------------------------------- */

static void layout_run(dal_block *block, const dal_ode *ode, run *r)
{
    const dal_system *system = r->system;
    const int n = system->n_y, nv = system->layout.nv;
    DAL_LAYOUT(block, r->drive, dal_drive_work(system->method.integrator, ode));
    DAL_LAYOUT(block, r->row, system->n_columns);
    DAL_LAYOUT(block, r->y, n);
    DAL_LAYOUT(block, r->stage, n);
    DAL_LAYOUT(block, r->unit, n);
    DAL_LAYOUT(block, r->passage.v, nv);
    DAL_LAYOUT(block, r->measured.ignorable, 5 * system->layout.n_ignorable);
    DAL_LAYOUT(block, r->meetings.direction, dal_meetings_size(system));
    if (dal_switches(system)) {
        DAL_LAYOUT(block, r->measured.guard, dal_switches(system));
        DAL_LAYOUT(block, r->measured.guard_most, dal_switches(system));
    }
    if (dal_standing_size(system))
        DAL_LAYOUT(block, r->along, dal_standing_size(system));
    if (system->method.integrator->real_stability < HUGE_VAL) {
        DAL_LAYOUT(block, r->stiffness.direction, n);
        DAL_LAYOUT(block, r->stiffness.probe, 2 * n);
        DAL_LAYOUT(block, r->stiffness.slope, n);
    }
}

/* States and memory; the start of y. NULL: there is none. */
static char *open_run(run *r, const dal_allocator *allocator, dal_ode *ode)
{
    const dal_system *system = r->system;
    r->state = dal_state_create(allocator, system);
    r->implicit.unit = system->layout.units.mass * system->layout.units.length / (system->layout.units.time * system->layout.units.time);
    r->viewer = r->state && dal_offer_implicit(r, ode) == DAL_OK ? dal_state_create(allocator, system) : NULL;
    dal_block block = {NULL, 0};
    layout_run(&block, ode, r);
    char *memory = r->viewer ? allocator->allocate(allocator->user, block.used) : NULL;
    if (!memory)
        return NULL;
    memset(memory, 0, block.used);
    block = (dal_block){memory, 0};
    layout_run(&block, ode, r);
    memcpy(r->y, r->state->y, sizeof *r->y * (size_t)system->n_y);
    dal_state_units(r->state, r->unit);
    ode->unit = r->unit;
    r->meetings.force = -1;
    return memory;
}

/* The viewer and `final` belong to the run as long as it lasts, and the system has to stay. */
static void claim_states(run *r, bool begin)
{
    if (r->callbacks.lent != begin)
        atomic_fetch_add(&r->system->life->runs, begin ? 1 : -1);
    r->callbacks.lent = begin;
    r->viewer->hold.tenancy = begin ? &r->callbacks.tenancy : NULL;
    if (r->options->final)
        r->options->final->hold.tenancy = begin ? &r->callbacks.tenancy : NULL;
}

/* The last state of the run becomes the user's. */
static void hand_over_final(const run *r, double t)
{
    dal_state *final = r->options->final;
    if (!final)
        return;
    final->stages = 0;
    dal_state_copy(r->state, final);
    memcpy(final->y, r->y, sizeof *r->y * (size_t)r->system->n_y);
    dal_state_set_time(final, t);
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

/* ---- the loop ------------------------------------------------------------------------------------------- */

/* Switches are searched at some places of a step: long steps are not taken where there are any. */
static double longest_step(const dal_system *system, const dal_ode *ode)
{
    const double longest = ode->n_guards ? system->info.until / 100 : 0;
    return system->method.max_step > 0 && !(longest > 0 && longest < system->method.max_step) ? system->method.max_step : longest;
}

/* From the start to the end, then what there is to say about it. */
static dal_status integrate(run *r, const dal_ode *ode, dal_messages *messages)
{
    const dal_system *system = r->system;
    const dal_drive_options drive = {.t_end = system->info.until,
                                     .step = system->info.step,
                                     .rtol = system->info.rtol,
                                     .atol = system->info.atol,
                                     .max_step = longest_step(system, ode),
                                     .every = system->info.every,
                                     .event_tolerance = system->method.event_tolerance,
                                     .unit_time = system->layout.units.time};
    const dal_drive_result result = dal_drive(system->method.integrator, ode, &drive, r->y, r->drive);
    claim_states(r, false);
    hand_over_final(r, result.t);
    dal_measure_end(r, &result);
    dal_status status = dal_explain_end(r, &result, messages);
    return dal_warn_after_run(r, status, messages);
}

static dal_status run_opened(run *r, const dal_allocator *allocator, const dal_ode *ode, dal_messages *messages)
{
    const dal_system *system = r->system;
    const dal_sink *sink = r->options->sink;
    dal_measure_begin(r);
    r->passage.singular_start = dal_check_before_run(system, r->viewer, allocator, messages);
    r->callbacks.clock_start = r->callbacks.clock_last = dal_clock();
    claim_states(r, true);
    dal_status status = sink ? sink->begin(sink->user, &system->info, system->n_recorded, system->columns) : DAL_OK;
    return status == DAL_OK ? integrate(r, ode, messages) : status;
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
    dal_warn_of_inputs(&r, messages);
    evidence->info = system->info;
    evidence->incomplete = true;
    memcpy(evidence->gravity, system->acting.gravity, sizeof evidence->gravity);
    if (!can_begin(system, messages))
        return DAL_BAD_COMMAND;
    const dal_allocator allocator = r.options->allocator ? *r.options->allocator : dal_default_allocator();
    dal_ode ode = dal_step_hooks(&r);
    char *memory = open_run(&r, &allocator, &ode);
    const dal_status status = memory ? run_opened(&r, &allocator, &ode, messages) : DAL_NO_MEMORY;
    if (memory)
        claim_states(&r, false);
    allocator.release(allocator.user, memory);
    dal_state_free(r.state);
    dal_state_free(r.viewer);
    gather_warnings(system, messages, before, evidence);
    evidence->incomplete = status != DAL_OK;
    return status;
}
