/* Warnings about a run that succeeded: one function for each subject. */
#include "model/coordinate_names.h"
#include "model/system.h"
#include "run/run.h"
#include "dynamics/refine.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <stdio.h>

static const double joints_open = 1e-2;         /* of the model's length, of the terms of a row: no error of integration any more */
static const double near_singular_speeds = 1e3; /* condition of [Y; A] above which speeds that the model fixes are worth a warning */
/* Of the energy that moved, kinetic and potential added: where all of it is lost, the drift is a half. */
static const double drift_worth_warning = 1e-2, drift_lost = 0.495;
static const double drift_noticed = 1e-10; /* of m g L, m (L / T)^2 and the potential energy: less is what a model at rest may do */

/* Errors that refinement cannot remove: the data themselves are rounded. */
static void warn_of_inertias(const run *r, dal_messages *messages)
{
    const dal_system *system = r->system;
    const double error = r->evidence.acceleration_error, rtol = system->info.rtol;
    char name[100];
    if (!(error > rtol))
        return;
    dal_velocity_name(system, dal_refinement_of(r->state)->column, name, sizeof name);
    dal_warn(messages, dal_nowhere, DAL_CODE_ACCELERATIONS_INEXACT, error,
             "the inertias differ by a factor of %.1e, and rounding leaves an error of %.1e in the accelerations, most "
             "in %s, while rtol asks for %.1e: "
             "the motion is not known to that; %s",
             dal_refinement_of(r->state)->ratio, error, name, rtol,
             system->layout.tree || system->layout.placement
                 ? "`coordinates: angle` may keep more digits, or give the small part more inertia, or none"
                 : "`coordinates: joint` may keep more digits, or give the small part more inertia, or none");
}

/* Open joints are another mechanism. */
static void warn_of_open_joints(const run *r, dal_messages *messages)
{
    const double open = r->evidence.position_residual;
    if (r->measured.open > joints_open)
        dal_warn(messages, dal_nowhere, DAL_CODE_JOINTS_OPEN, open,
                 "the constraints were open by %.3g (m or rad), while the model's length is %.3g m: what was computed "
                 "is not the motion of this "
                 "mechanism; stabilization '%s' does not hold it (mass-projection does, or says where it cannot)",
                 open, r->system->layout.units.length, r->system->method.stabilization->name);
    if (r->measured.rates_open > joints_open)
        dal_warn(messages, dal_nowhere, DAL_CODE_JOINTS_OPEN, r->measured.rates_miss,
                 "the velocities missed '%s' by %.3g, %.2g of the sizes of its terms: what was computed is not the motion of this mechanism; "
                 "stabilization '%s' does not hold it (mass-projection does, or says where it cannot)",
                 r->system->mechanism.joints[r->measured.rates_joint - 1].name, r->measured.rates_miss, r->measured.rates_open,
                 r->system->method.stabilization->name);
}

/* The drift, relative to the most energy that moved, or to twice what moved on average, which is as much in an oscillation. 0: nothing to judge. */
static double relative_drift(const run *r, const dal_balance *b)
{
    const double span = r->measured.moving_time - r->driver.options.t_start, most = dal_balance_drift(r, b);
    const double average = span > 0 ? b->moving_sum / span + b->work_path : 0;
    if (!(most >= 0 && b->worst > dal_balance_rest(r, b, drift_noticed)))
        return 0;
    return average > 0 ? fmax(most, b->worst / (2 * average)) : most;
}

/* "of 'rod' and 'bob', which nothing connects with the rest, " */
static const char *name_island(const run *r, int island, char *text, size_t size)
{
    const dal_mechanism *m = &r->system->mechanism;
    const int *of_body = r->system->acting.islands.of_body;
    int n = 0, named = 0;
    size_t used = 0;
    for (int b = 0; b < m->n_bodies; b++)
        n += of_body[b] == island;
    for (int b = 0; b < m->n_bodies && named < 3; b++)
        if (of_body[b] == island && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s'%s'", !named ? " of " : named == n - 1 ? " and " : ", ", m->bodies[b].name);
            named++;
        }
    if (used < size)
        snprintf(text + used, size - used,
                 n > named ? " and %d more bodies, which nothing connects with the rest," : ", which nothing connects with the rest,", n - named);
    return text;
}

/* Where the balance is lost, the computed motion is wrong. Islands are judged by their own energy: a small one must not hide behind a
 * heavy one. */
static dal_status judge_balance(const run *r, dal_status status, dal_messages *messages)
{
    const dal_balance *b = &r->measured.whole;
    double drift = relative_drift(r, b);
    int island = -1;
    char name[300] = "";
    for (int i = 0; r->measured.island && i < r->system->acting.islands.n; i++)
        if (relative_drift(r, &r->measured.island[i]) > drift) {
            island = i;
            b = &r->measured.island[i];
            drift = relative_drift(r, b);
        }
    if (!(drift > drift_worth_warning))
        return status;
    if (island >= 0)
        name_island(r, island, name, sizeof name);
    const char *moved = drift > dal_balance_drift(r, b) ? "twice the energy that moved on average" : "the energy that moved";
    const char *remedy = r->system->method.integrator->adaptive ? "smaller tolerances (--rtol, --atol)" : "a smaller step";
    if (!(drift > drift_lost) || r->system->method.stabilization->solve) { /* a penalty yields: what its springs hold is in no balance */
        dal_warn(messages, dal_nowhere, DAL_CODE_BALANCE_DRIFT, drift,
                 "the energy balance%s drifted by %.3g of %s (%.3g J): the motion is no more accurate than that; use %s", name, drift, moved,
                 b->worst, remedy);
        return status;
    }
    dal_error(messages, dal_nowhere,
              "the energy balance%s drifted by %.3g of %s (%.3g J): what was computed is not the motion of this mechanism; use %s", name, drift,
              moved, b->worst, remedy);
    return status == DAL_OK ? DAL_NUMERICAL : status;
}

/* Friction makes the motion depend on how redundant joints share a load. */
static void warn_of_shares(const run *r, dal_messages *messages)
{
    dal_warn(messages, dal_nowhere, DAL_CODE_FRICTION_NOT_UNIQUE, NAN,
             "the friction of joint '%s' follows its force, which is not unique: with redundant joints the motion "
             "depends on how they "
             "share the load, and the least forces were taken; give the joints a `compliance:`, or remove the rows that 'dalembert check' lists",
             r->system->mechanism.joints[r->measured.shared_friction - 1].name);
}

static void warn_of_speeds(const run *r, dal_messages *messages)
{
    if (r->system->layout.n_speeds && r->measured.speeds_worst > near_singular_speeds)
        dal_warn(messages, dal_nowhere, DAL_CODE_SPEEDS_SINGULAR, r->measured.speeds_worst,
                 "the speeds of the model come near a position where they do not determine the velocities: the "
                 "condition of [Y; A] reaches %.2g at "
                 "t = %.6g, and so much accuracy is lost there; other speeds, or none in the model, avoid it",
                 r->measured.speeds_worst, r->measured.speeds_time);
}

/* A run has states of its own, which begin with the start values of `inputs:`. */
void dal_warn_of_inputs(const run *r, dal_messages *messages)
{
    const dal_state *final = r->options.final;
    const double *inputs = final ? dal_values_of(final)->inputs : NULL;
    for (int i = 0; final && i < r->system->n_inputs; i++)
        if (inputs[i] != r->system->inputs[i])
            dal_warn(messages, dal_nowhere, DAL_CODE_INPUT_NOT_USED, inputs[i],
                     "input '%s' of the state `final` is %.9g, and the run does not use it: it has the value of "
                     "`inputs:`, %.9g; set that before "
                     "dal_compile",
                     r->system->input_names[i], inputs[i], r->system->inputs[i]);
}

/* What callbacks tried to change. */
static void warn_of_callbacks(const run *r, dal_messages *messages)
{
    const dal_tenancy *t = &r->callbacks.tenancy;
    if (*t->input)
        dal_warn(messages, dal_nowhere, DAL_CODE_INPUT_NOT_USED, t->value,
                 "at t = %.9g: a callback of the run set input '%s' to %.9g: inputs cannot be changed during a run, "
                 "and it keeps the value %.9g",
                 t->time, t->input, t->value, t->kept);
    if (t->refused)
        dal_warn(messages, dal_nowhere, DAL_CODE_STATE_OF_RUN, (double)t->refused,
                 "at t = %.9g: %s was called on a state that belongs to the run and was refused, as were all such "
                 "calls (%ld): callbacks may read the "
                 "state, and not change it",
                 t->time, t->function, t->refused);
    if (r->callbacks.rewritten)
        dal_warn(messages, dal_nowhere, DAL_CODE_STATE_OF_RUN, 1,
                 "at t = %.9g: a callback of the run changed y of its state: the run does not take it over, and continues with its own",
                 r->callbacks.rewritten_time);
}

/* A switch that was not located. */
static void warn_of_missed_switch(const run *r, dal_messages *messages)
{
    dal_warn(messages, dal_nowhere, DAL_CODE_SWITCH_MISSED, r->measured.missed_time,
             "near t = %.6g '%s' changed and changed back within one step and was missed: the motion is not to be "
             "trusted after "
             "that; set a `max-step:` below the duration of the shortest pulse",
             r->measured.missed_time, dal_program_switch_text(r->system->actions.program, r->measured.missed_switch));
}

dal_status dal_warn_after_run(const run *r, dal_status status, dal_messages *messages)
{
    warn_of_callbacks(r, messages);
    dal_stiffness_warn(r, messages);
    warn_of_inertias(r, messages);
    warn_of_open_joints(r, messages);
    status = judge_balance(r, status, messages);
    if (r->measured.shared_friction)
        warn_of_shares(r, messages);
    if (status == DAL_OK)
        warn_of_speeds(r, messages);
    dal_meetings_warn(&r->meetings, r->system, messages);
    dal_travel_warn(&r->travel, r->system, messages);
    if (r->measured.missed)
        warn_of_missed_switch(r, messages);
    return status;
}
