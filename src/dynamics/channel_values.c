/* Values of channels at the present evaluation. dal_state_signal: one signal. dal_state_record: all recorded columns. dal_state_sample: the inputs that
 * are sampled. */
#include "math/rotation.h"
#include "math/vec.h"
#include "model/system.h"
#include "state/state.h"
#include "state/state_parts.h"
#include "dynamics/friction.h"
#include "dynamics/reactions.h"
#include "state/values.h"
#include "state/windings.h"

#include <string.h>

/* The part of x'' that is linear in v'. */
static void vector_acceleration(dal_state *state, int number, double out[3])
{
    const dal_vector *vector = &state->mechanism->vectors[number];
    memset(out, 0, 3 * sizeof *out);
    if (vector->body == DAL_GROUND)
        return;
    const dal_acceleration *a = &state->reactions->body[vector->body];
    dal_turn(a->R_v, vector->s, out);
    if (vector->point)
        dal_axpy3(1, a->r_v, out);
}

static double second_derivative(dal_state *state, const dal_signal *s)
{
    const dal_work *w = &state->work;
    double xdd[3];
    dal_need(state, DAL_STAGE_BODIES);
    if (s->kind == DAL_SIGNAL_VECTOR) {
        vector_acceleration(state, s->index, xdd);
        return xdd[s->component] + w->xb[3 * s->index + s->component];
    }
    double sum = w->bias[s->index];
    const dal_measure *measure = &state->mechanism->measures[s->index];
    if (measure->kind == DAL_MEASURE_COORDINATE)
        return state->vd[state->layout->own_v + measure->vector[0]];
    for (int k = 0; k < 4; k++)
        if (measure->vector[k] >= 0) {
            vector_acceleration(state, measure->vector[k], xdd);
            sum += dal_dot(w->gradient + 12 * s->index + 3 * k, xdd);
        }
    return sum;
}

static double spin_rate(dal_state *state, const dal_signal *s)
{
    dal_need(state, DAL_STAGE_BODIES);
    const double *alpha = state->reactions->body[s->index].alpha;
    if (s->kind == DAL_SIGNAL_OMEGA)
        return alpha[s->component];
    double body[3]; /* d/dt (R^T w) = R^T w' because w x w = 0 */
    dal_mulT3(state->work.kin[s->index].R, alpha, body);
    return body[s->component];
}

static double energy(const dal_state *state, int which)
{
    double linear[3], angular[3], T = dal_kinetic(state->layout, &state->work, linear, angular);
    double V = state->loads.potential, W = dal_work_now(state);
    const double values[5] = {T + V, T, V, W, T + V - W};
    return values[which];
}

/* The sign of the quaternion nearest to the last one that was computed: continuous along a motion. */
static double attitude_channel(dal_state *state, const dal_signal *s)
{
    double p[4], *last = state->turns->attitude + 4 * s->index, dot = 0;
    dal_quaternion_of(state->work.kin[s->index].R, p);
    for (int i = 0; i < 4; i++)
        dot += p[i] * last[i];
    for (int i = 0; i < 4; i++)
        last[i] = dot < 0 ? -p[i] : p[i];
    return last[s->component];
}

/* Effort times the rate of the coordinate or length that it acts along. */
static double power_of(dal_state *state, const dal_signal *s)
{
    const dal_system *system = state->system;
    if (!s->component)
        return state->values->effort[s->index] * state->work.rate[system->acting.forces[s->index].measure];
    const dal_joint *joint = &system->mechanism.joints[s->index];
    dal_need(state, DAL_STAGE_REACTIONS);
    return state->lambda[system->layout.row_at[joint->drive]] * state->work.rate[joint->coordinate[joint->drive_coordinate]];
}

double dal_state_signal(dal_state *state, const dal_signal *s)
{
    const dal_system *system = state->system;
    double linear[3], angular[3], residual[2];
    dal_need(state, DAL_STAGE_FORCES);
    dal_state_measures(state);
    switch (s->kind) {
    case DAL_SIGNAL_MEASURE:
    case DAL_SIGNAL_VECTOR:
        if (s->order == 2)
            return second_derivative(state, s);
        break;
    case DAL_SIGNAL_OMEGA:
    case DAL_SIGNAL_OMEGA_BODY:
        if (s->order == 1)
            return spin_rate(state, s);
        break;
    case DAL_SIGNAL_STATE:
        if (s->order == 1)
            return state->values->expression[system->n_expressions + s->index];
        break;
    case DAL_SIGNAL_ATTITUDE: return attitude_channel(state, s);
    case DAL_SIGNAL_REACTION:
        dal_need(state, DAL_STAGE_REACTIONS);
        return s->component < 6 ? state->reactions->wrench[6 * s->index + s->component]
                                : dal_side_reaction(state, s->index, s->component / 6 - 1, s->component % 6);
    case DAL_SIGNAL_DRIVE: dal_need(state, DAL_STAGE_REACTIONS); return dal_multiplier_of(state, system->mechanism.joints[s->index].drive);
    case DAL_SIGNAL_EFFORT: return state->values->effort[s->index];
    case DAL_SIGNAL_POWER: return power_of(state, s);
    case DAL_SIGNAL_FRICTION:
        dal_need(state, DAL_STAGE_REACTIONS);
        return s->component == 6 ? dal_friction_power(state, s->index) : dal_friction_effort(state, s->index, s->component % 3);
    case DAL_SIGNAL_ENERGY: return energy(state, s->index);
    case DAL_SIGNAL_MOMENTUM:
        dal_kinetic(&system->layout, &state->work, linear, angular);
        return s->component < 3 ? linear[s->component] : angular[s->component - 3];
    case DAL_SIGNAL_RESIDUAL: dal_residuals_now(state, &residual[0], &residual[1]); return residual[s->index];
    case DAL_SIGNAL_SPEED: return state->work.phid[system->layout.n_rows + s->index];
    case DAL_SIGNAL_MULTIPLIER: dal_need(state, DAL_STAGE_REACTIONS); return dal_multiplier_of(state, system->mechanism.joints[s->index].row);
    default: break;
    }
    return dal_signal_value(&state->work, state->values->z, state->values->inputs, s);
}

/* Run a program whose signals may be results. `what` names it in messages. */
static dal_flow run_on_results(dal_state *state, const dal_compiled *compiled, const char *what, double *out)
{
    for (int i = 0; i < compiled->n_needs; i++)
        state->values->variables[compiled->needs[i]] = dal_state_signal(state, &state->system->signals[compiled->needs[i]]);
    int left = dal_program_run(compiled->program, state->values->variables, NULL, state->values->registers, out);
    return left ? dal_state_fail(state, "%s leaves table '%s', and its `outside:` is error", what, state->system->table_names[left - 1]) : 0;
}

dal_flow dal_state_record(dal_state *state, double *row)
{
    return run_on_results(state, &state->system->records, "a recorded column", row);
}

dal_flow dal_state_sample(dal_state *state, double *values)
{
    return run_on_results(state, &state->system->samples, "an input", values);
}
