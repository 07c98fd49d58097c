/* Why a run ended before its time: a sentence with the time, the place and what may help. */
#include "model/coordinate_names.h"
#include "model/system.h"
#include "run/run.h"
#include "dynamics/singular.h"
#include "run/standing.h"
#include "state/report.h"
#include "state/state.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "x of 'crank'", for a component of y. */
static void name_component(const dal_system *system, int i, char *buffer, size_t size)
{
    const int nq = system->layout.nq, w = i - nq;
    if (i < nq)
        dal_coordinate_name(system, i, buffer, size);
    else if (w < system->n_w && !system->method.formulation->unpack)
        dal_velocity_name(system, w, buffer, size);
    else if (w < system->n_w)
        snprintf(buffer, size, "speed %d", w + 1);
    else if (w - system->n_w < system->n_states)
        snprintf(buffer, size, "state '%s'", system->state_names[w - system->n_w]);
    else if (i < system->n_y)
        snprintf(buffer, size, "the work integral");
    else if (i - system->n_y < dal_switches(system))
        snprintf(buffer, size, "the switch '%.150s'", dal_program_switch_text(system->actions.program, i - system->n_y));
    else
        snprintf(buffer, size, "the friction of joint '%s'", dal_friction_guard_name(system, i - system->n_y - dal_switches(system)));
}

/* "infinite" or "not a number". */
static const char *how_not_finite(double value)
{
    return isnan(value) ? "not a number" : "infinite";
}

/* The expression whose value was NaN at the last try, if there is one; the values are still stored. */
static bool explain_expression(run *r, const dal_drive_result *result, dal_messages *messages)
{
    const dal_system *system = r->system;
    const dal_state *state = r->state;
    for (int i = 0; i < system->actions.n_outputs; i++)
        if (!isfinite(state->values->expression[i])) {
            const bool rate = i >= system->n_expressions;
            dal_error(messages, system->action_texts[i].mark, "at t = %.9g: %s%s%s'%.150s' became %s (step %.3g)", result->t,
                      rate ? "the rate of state " : "", rate ? system->state_names[i - system->n_expressions] : "", rate ? ", " : "",
                      system->action_texts[i].text, how_not_finite(state->values->expression[i]), result->h);
            return true;
        }
    for (int i = 0; i < system->mechanism.n_rows; i++) {
        const dal_row *row = &system->mechanism.rows[i];
        for (int k = 0; row->time >= 0 && k < 3; k++)
            if (!isfinite(state->work.time[3 * row->time + k])) {
                dal_error(messages, system->mechanism.joints[row->joint].mark, "at t = %.9g: the drive of joint '%s'%s became %s (step %.3g)",
                          result->t, system->mechanism.joints[row->joint].name,
                          k == 0   ? ""
                          : k == 1 ? ", its rate,"
                                   : ", its acceleration,",
                          how_not_finite(state->work.time[3 * row->time + k]), result->h);
                return true;
            }
    }
    return false;
}

/* Steps without progress: their kind, the cause, and what may help. `what` is the component that changes fastest. */
static void explain_stall(run *r, const dal_drive_result *result, const char *what, const char *near, dal_messages *messages)
{
    const double t = result->t, h = result->pace;
    switch (result->stall) {
    case DAL_STALL_NONE:
    case DAL_STALL_SLOWING:
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: the steps become smaller and smaller (%.1e s on average at the last of "
                  "%ld), and the end at %.6g s would never be "
                  "reached; %s changes fastest%s. The motion may end here (something grows without bound, or faster "
                  "and faster); otherwise cvode-bdf, or larger "
                  "tolerances, may continue",
                  t, h, result->tries, r->system->info.until, what, near);
        break;
    case DAL_STALL_EVENTS: {
        const bool slips = result->component >= dal_switches(r->system);
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: %s'%s' switches every %.1e s, and %.0e steps would be needed until the "
                  "end; smooth it (tanh instead of sign, a "
                  "`velocity:` of friction), or give it a dead zone",
                  t, slips ? "the friction of joint " : "",
                  slips ? dal_friction_guard_name(r->system, result->component - dal_switches(r->system))
                        : dal_program_switch_text(r->system->actions.program, result->component),
                  h, result->tries_needed);
        break;
    }
    case DAL_STALL_REJECTED:
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: most of %ld steps were taken back by the error estimate, those of %.1e s "
                  "remain, and %.0e would be needed until the "
                  "end; %s changes fastest%s. Forces that are rough, or tolerances below their rounding, do this: "
                  "larger tolerances, or a fixed step, may help",
                  t, result->tries, h, result->tries_needed, what, near);
        break;
    case DAL_STALL_SMALL:
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: no progress: steps of %.1e s, and %.0e of them would be needed until the end; %s "
                  "changes fastest%s. If the motion is stiff, "
                  "cvode-bdf takes longer ones; otherwise a shorter `until:` is needed",
                  t, h, result->tries_needed, what, near);
        break;
    case DAL_STALL_REFUSED:
        dal_say_for(messages, DAL_ERROR, dal_reason_of(r->state), dal_nowhere,
                    "at t = %.9g: no progress: steps are %.1e s on average, and longer ones were refused %ld times: "
                    "%s%s. Another start, or another "
                    "formulation, may help",
                    t, h, result->tries, r->state->report->trouble[0] ? r->state->report->trouble : "the evaluation failed", near);
        break;
    }
}

/* `near`: what it is near to, or "". */
static void explain_collapse(run *r, const dal_drive_result *result, const char *name, const char *near, dal_messages *messages)
{
    if (dal_friction_jammed(r->state, result->t)) {
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: the friction of joint '%s' comes to a position beyond which it has no solution "
                  "while it slides "
                  "(the joint jams); a smaller coefficient, or another geometry, is needed",
                  result->t, dal_friction_jammed(r->state, result->t));
        return;
    }
    dal_error(messages, dal_nowhere, "at t = %.9g: the step size collapsed to %.3g; the motion cannot be continued to this tolerance%s%s%s%s",
              result->t, result->h, result->component < 0 ? "" : " (", result->component < 0 ? "" : name,
              result->component < 0 ? "" : " changes fastest)", near);
}

static void explain_chatter(run *r, const dal_drive_result *result, dal_messages *messages)
{
    if (result->component >= dal_switches(r->system)) {
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: the friction of joint '%s' sticks and slips without end; give it a `velocity:` "
                  "over which it is "
                  "made smooth",
                  result->t, dal_friction_guard_name(r->system, result->component - dal_switches(r->system)));
        return;
    }
    dal_error(messages, dal_nowhere,
              "at t = %.9g: '%s' switches without end; smooth it (tanh instead of sign), or give the contact some "
              "softness",
              result->t, dal_program_switch_text(r->system->actions.program, result->component));
}

dal_status dal_explain_end(run *r, const dal_drive_result *result, dal_messages *messages)
{
    dal_state *state = r->state;
    char name[200], standing[200], singular[400];
    const char *stands = dal_standing_text(state, standing, sizeof standing);
    const char *here = result->end == DAL_END_REACHED || r->callbacks.stopped ? "" : dal_passage_text(r, singular, sizeof singular);
    name_component(r->system, result->component < 0 ? 0 : result->component, name, sizeof name);
    const char *trouble = state->report->trouble[0] ? state->report->trouble
                          : state->singular->near ? "no step gets past the singular position of the constraints that is near; other formulations may "
                                                    "(lagrange, udwadia-kalaba)"
                                                  : "the evaluation failed";
    const bool ends_there = result->end == DAL_END_STEP_COLLAPSE || result->end == DAL_END_DERIVATIVE || result->end == DAL_END_PROJECT;
    if (dal_paced(r->system->method.integrator) && state->singular->near && ends_there) {
        dal_error(messages, dal_nowhere,
                  "at t = %.9g: '%s' does not get past the singular position of the constraints that is near; use "
                  "dopri5, which is "
                  "led across it%s",
                  result->t, r->system->method.integrator->name, here);
        return DAL_NUMERICAL;
    }
    if (result->stall && !r->callbacks.stopped && result->flow >= 0) {
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
    case DAL_END_STEP_COLLAPSE: explain_collapse(r, result, name, *stands ? stands : here, messages); break;
    case DAL_END_CHATTER: explain_chatter(r, result, messages); break;
    case DAL_END_UNOPENED:
        if (result->flow == -DAL_NO_MEMORY)
            return DAL_NO_MEMORY;
        dal_error(messages, dal_nowhere, "integrator '%s' could not be opened", r->system->method.integrator->name);
        return DAL_BAD_COMMAND;
    case DAL_END_MAX_STEPS: dal_error(messages, dal_nowhere, "at t = %.9g: too many steps", result->t); break;
    case DAL_END_DERIVATIVE:
    case DAL_END_PROJECT:
    case DAL_END_STOPPED:
        if (r->callbacks.stopped)
            dal_warn(messages, dal_nowhere, DAL_CODE_STOPPED, result->t, "stopped at t = %.9g", result->t);
        else if (r->callbacks.sink_status != DAL_OK)
            return r->callbacks.sink_status;
        else
            dal_say_for(messages, DAL_ERROR, dal_reason_of(state), dal_nowhere, "at t = %.9g: %s%s%s", result->t, trouble,
                        dal_failed_for(state, DAL_REASON_JOINT) ? "" : stands, here);
        break;
    }
    return DAL_NUMERICAL;
}
