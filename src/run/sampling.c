/* Control periods: inputs that the model samples and holds, and the controller of the user.
 *
 *     u(t) = value at t_k,   t_k <= t < t_k+1,   t_k = t_start + k period
 *
 * Steps end exactly at every t_k. The motion, its accelerations and reactions are those before the inputs change. Inputs that are due together are
 * computed in their order; later ones read the new values of earlier ones, as in a controller's program. Then the integrator restarts.
 */
#include "model/system.h"
#include "run/run.h"
#include "dynamics/reactions.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>

static double next_sample(const run *r, double t_start, int k)
{
    return t_start + (double)r->samples[k] * r->system->sample_period[k];
}

/* Is t_k due? Times of several periods that are equal up to rounding are due together. */
static bool is_due(const run *r, double t_k, double t)
{
    return t_k <= t + r->driver.slack;
}

static double next_call(const run *r)
{
    return r->options.control ? r->driver.options.t_start + (double)r->controls * r->options.period : HUGE_VAL;
}

double dal_next_control(const run *r)
{
    double next = next_call(r);
    for (int k = 0; k < r->system->samples.n_outputs; k++)
        next = fmin(next, next_sample(r, r->driver.options.t_start, k));
    return next;
}

bool dal_is_due(const run *r, double t)
{
    return is_due(r, dal_next_control(r), t);
}

dal_flow dal_sample_inputs(run *r, double t, double t_start, const double *y)
{
    dal_state *state = r->state;
    bool due = false;
    for (int k = 0; k < r->system->samples.n_outputs; k++)
        due |= is_due(r, next_sample(r, t_start, k), t);
    if (!due)
        return 0;
    dal_flow flow = dal_state_unpack(state, t, y);
    if (flow || (flow = dal_state_accelerate(state)))
        return flow;
    for (int k = 0; k < r->system->samples.n_outputs; k++) {
        double *input = &dal_values_of(state)->inputs[r->system->sample_input[k]];
        if (!is_due(r, next_sample(r, t_start, k), t))
            continue;
        r->samples[k]++;
        if ((flow = dal_state_sample(state, r->sampled)))
            return flow;
        if (!isfinite(r->sampled[k]))
            return dal_state_fail(state, "the value of input '%s' is not a finite number", r->system->input_names[r->system->sample_input[k]]);
        r->jump |= *input != r->sampled[k];
        *input = r->sampled[k];
    }
    return 0;
}

/* The controller of the user, where its time has come. */
static verdict call_user(run *r)
{
    if (!is_due(r, next_call(r), r->driver.s.t))
        return GOOD;
    r->controls++;
    r->in_callback = r->controlling = true;
    const dal_status status = r->options.control(r->options.control_user, r);
    r->in_callback = r->controlling = false;
    if (status == DAL_OK)
        return GOOD;
    r->callbacks.sink_status = status;
    return dal_drive_stop(&r->driver, DAL_END_STOPPED, -(int)status, -1);
}

verdict dal_call_controls(run *r)
{
    driver *d = &r->driver;
    if (d->verdict == STOP || !is_due(r, dal_next_control(r), d->s.t))
        return d->verdict;
    r->read = false;
    const dal_flow flow = dal_sample_inputs(r, d->s.t, d->options.t_start, d->s.y);
    d->verdict = flow ? dal_drive_stop(d, DAL_END_STOPPED, flow < 0 ? flow : -DAL_NUMERICAL, -1) : call_user(r);
    r->read = false;
    return d->verdict;
}
