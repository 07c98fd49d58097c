/* A run: a simulation that is stepped once, from its start to its end. */
#include "model/system.h"
#include "run/run.h"
#include "base/argument.h"
#include "state/state.h"

#include <string.h>

static bool can_run(const dal_system *system, const dal_run_options *o, dal_messages *messages, const dal_evidence *evidence)
{
    static const char function[] = "dal_run";
    if (!dal_needs(messages, function, "system", system) || !dal_needs(messages, function, "evidence", evidence))
        return false;
    if (!o->final)
        return true;
    if (!dal_needs_state(messages, function, o->final))
        return false;
    if (o->final->system != system || o->final->hold.tenancy)
        dal_error(messages, dal_nowhere, "%s: `final` is a state of another %s", function, o->final->hold.tenancy ? "run" : "system");
    return o->final->system == system && !o->final->hold.tenancy;
}

static bool has_end(const dal_system *system, const dal_run_options *o, dal_messages *messages)
{
    const double until = system->info.until, start = o->start ? dal_state_time(o->start) : 0;
    if (!(until > 0))
        dal_error(messages, dal_nowhere, "the run has no end: give `until:` in `simulate:`, or --until");
    else if (!(until > start))
        dal_error(messages, dal_nowhere, "dal_run: the state `start` is at t = %.9g, and the run ends at %.9g", start, until);
    return until > 0 && until > start;
}

/* The last state of the run becomes the user's. */
static void hand_over_final(const run *r)
{
    dal_state *final = r->options.final;
    if (!final)
        return;
    final->stages = 0;
    dal_state_copy(r->state, final);
    memcpy(final->y, r->y, sizeof *r->y * (size_t)r->system->n_y);
    dal_state_set_time(final, r->driver.s.t);
}

/* From the start to the end, then the evidence and warnings. */
static dal_status run_to_end(run *r)
{
    dal_status status = dal_simulation_begin(r);
    if (status != DAL_OK)
        return status;
    dal_simulation_go(r, r->system->info.until);
    dal_simulation_claim(r, false);
    hand_over_final(r);
    return dal_simulation_judge(r, r->messages);
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
    const dal_run_options *o = options ? options : &defaults;
    if (evidence)
        memset(evidence, 0, sizeof *evidence);
    if (!can_run(system, o, messages, evidence) || !DAL_NEEDS_ALLOCATOR(messages, o->allocator) ||
        !dal_simulation_accepts(system, o, messages, __func__))
        return DAL_BAD_COMMAND;
    const dal_message *before = last_message(messages);
    const dal_allocator allocator = o->allocator ? *o->allocator : dal_default_allocator();
    run *r = allocator.allocate(allocator.user, sizeof *r);
    if (!r) {
        evidence->info = system->info; /* names and sizes are there, whatever happens */
        evidence->incomplete = true;
        return DAL_NO_MEMORY;
    }
    dal_status status = dal_simulation_open(r, system, o, o->control != NULL, messages);
    if (status == DAL_OK)
        status = has_end(system, o, messages) ? run_to_end(r) : DAL_BAD_COMMAND;
    *evidence = r->evidence;
    dal_gather_warnings(system, messages, before, evidence);
    evidence->incomplete = status != DAL_OK;
    dal_simulation_close(r);
    allocator.release(allocator.user, r);
    return status;
}
