/* Public functions on a state: an evaluation, and its results. */
#include "base/argument.h"
#include "model/system.h"
#include "state/state.h"
#include "dynamics/reactions.h"
#include "dynamics/tree_state.h"
#include "state/report.h"
#include "state/scratch.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

/* Which surfaces stick at the present y. */
static dal_flow settle_state(dal_state *state)
{
    if (!state->system->acting.n_frictions)
        return 0;
    dal_flow flow = dal_state_unpack(state, state->work.t, state->y);
    if (flow)
        return flow;
    dal_state_position(state);
    dal_state_jacobian(state);
    dal_state_velocity(state);
    if ((flow = dal_state_loads(state)))
        return flow;
    dal_state_stabilise(state);
    return dal_friction_restart(state, NULL);
}

/* The time, and y component by component. */
static bool check_given(const dal_state *state, dal_messages *messages)
{
    if (!isfinite(state->work.t)) {
        dal_error(messages, dal_nowhere, "the time of the state is %g: a finite number is needed", state->work.t);
        return false;
    }
    for (int i = 0; i < state->system->n_y; i++)
        if (!isfinite(state->y[i])) {
            dal_error(messages, dal_nowhere, "at t = %.9g: number %d of y is %g: finite numbers are needed", state->work.t, i, state->y[i]);
            return false;
        }
    return true;
}

/* In a callback of a run the state is evaluated already. */
static dal_status evaluated_by_run(dal_state *state, dal_messages *messages)
{
    const double *y = state->hold.tenancy->y;
    if (dal_has(state, DAL_STAGE_ACCELERATION) && y && !memcmp(y, state->y, sizeof *y * (size_t)state->system->n_y))
        return DAL_OK;
    dal_state_own(state, "dal_state_evaluate");
    dal_error(messages, dal_nowhere, "dal_state_evaluate: the state belongs to a run, which does not take another y; make a state of your own");
    return DAL_BAD_COMMAND;
}

static dal_status evaluate_state(dal_state *state, dal_messages *messages)
{
    if (!check_given(state, messages))
        return DAL_NUMERICAL;
    dal_flow flow = settle_state(state);
    if (!flow)
        flow = dal_state_derivative(state, state->work.t, state->y, state->scratch->yd);
    if (flow) {
        dal_error(messages, dal_nowhere, "at t = %.9g: %s", state->work.t, state->report->trouble);
        return DAL_NUMERICAL;
    }
    bool finite = dal_has(state, DAL_STAGE_NO_FORCES) ? isfinite(state->tree->sweep.size) : dal_state_not_finite(state) < 0;
    for (int k = 0; k < state->layout->nv; k++)
        finite = finite && isfinite(state->vd[k]);
    if (finite)
        return DAL_OK;
    dal_error(messages, dal_nowhere, "at t = %.9g: places, velocities or accelerations are not finite numbers, or are too large for an energy",
              state->work.t);
    return DAL_NUMERICAL;
}

dal_status dal_state_evaluate(dal_state *state, dal_messages *messages)
{
    if (!dal_needs_state(messages, __func__, state))
        return DAL_BAD_COMMAND;
    if (state->hold.tenancy)
        return evaluated_by_run(state, messages);
    dal_status status = evaluate_state(state, messages);
    if (status != DAL_OK)
        state->stages &= ~(unsigned)DAL_STAGE_ACCELERATION;
    return status;
}

dal_status dal_evaluate_whole(dal_state *state, dal_messages *messages)
{
    dal_status status = dal_state_evaluate(state, messages);
    if (status == DAL_OK)
        dal_need(state, DAL_STAGE_LOADS);
    return status;
}

/* May it be read? */
static bool is_known_state(const dal_state *state)
{
    return dal_state_usable(state) && dal_has(state, DAL_STAGE_ACCELERATION);
}

static void fill_nan(double *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *numbers; i++)
        numbers[i] = NAN;
}

dal_motion dal_state_body(const dal_state *state, int body)
{
    dal_motion motion;
    fill_nan((double *)(void *)&motion, sizeof motion);
    if (!is_known_state(state) || body < 0 || body >= state->mechanism->n_bodies)
        return motion;
    /* the accelerations are found on demand, in scratch that belongs to the state */
    dal_need((dal_state *)(size_t)state, DAL_STAGE_BODIES);
    const dal_kin *kin = &state->work.kin[body];
    memcpy(motion.position, kin->r, sizeof motion.position);
    memcpy(motion.rotation, kin->R, sizeof motion.rotation);
    memcpy(motion.velocity, kin->rd, sizeof motion.velocity);
    memcpy(motion.omega, kin->w, sizeof motion.omega);
    memcpy(motion.acceleration, state->reactions->body[body].rdd, sizeof motion.acceleration);
    memcpy(motion.alpha, state->reactions->body[body].alpha, sizeof motion.alpha);
    return motion;
}

bool dal_state_reaction(dal_state *state, int joint, double force[3], double torque[3])
{
    const bool fine = is_known_state(state) && joint >= 0 && joint < state->mechanism->n_joints;
    if (fine)
        dal_need(state, DAL_STAGE_REACTIONS);
    for (int k = 0; k < 3; k++) {
        if (force)
            force[k] = fine ? state->reactions->wrench[6 * joint + k] : NAN;
        if (torque)
            torque[k] = fine ? state->reactions->wrench[6 * joint + 3 + k] : NAN;
    }
    return fine;
}

double dal_work_now(const dal_state *state)
{
    double work = 0;
    for (int i = 0; i < state->system->works; i++)
        work += state->values->z[state->system->n_states + i];
    return work;
}

dal_energy dal_energy_now(const dal_state *state)
{
    dal_energy e;
    dal_need((dal_state *)(size_t)state, DAL_STAGE_FORCES); /* found on demand */
    assert(dal_has(state, DAL_STAGE_VELOCITY | DAL_STAGE_FORCES));
    e.kinetic = dal_kinetic(state->layout, &state->work, e.linear, e.angular);
    e.potential = state->loads.potential;
    e.work = dal_work_now(state);
    return e;
}

void dal_island_energies(const dal_state *state, double *energy)
{
    const dal_islands *islands = &state->system->acting.islands;
    double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0};
    assert(dal_has(state, DAL_STAGE_VELOCITY | DAL_STAGE_FORCES));
    for (int i = 0; i < islands->n; i++) {
        energy[3 * i] = 0;
        energy[3 * i + 1] = state->loads.island[2 * i];
        energy[3 * i + 2] = state->system->works ? state->values->z[state->system->n_states + i] : 0;
    }
    for (int b = 0; b < state->mechanism->n_bodies; b++)
        energy[3 * islands->of_body[b]] += dal_body_kinetic(state->layout, &state->work, b, linear, angular);
}

dal_energy dal_state_energy(const dal_state *state)
{
    dal_energy e;
    fill_nan((double *)(void *)&e, sizeof e);
    return is_known_state(state) ? dal_energy_now(state) : e;
}

void dal_residuals_now(const dal_state *state, double *position, double *velocity)
{
    *position = *velocity = 0;
    dal_need((dal_state *)(size_t)state, DAL_STAGE_FORCES); /* found on demand */
    assert(dal_has(state, DAL_STAGE_VELOCITY));
    for (int i = 0; i < state->layout->n_rows; i++) {
        *position = fmax(*position, fabs(state->work.phi[i]));
        *velocity = fmax(*velocity, fabs(state->work.phid[i]));
    }
}

bool dal_state_residuals(const dal_state *state, double *position, double *velocity)
{
    double found[2] = {NAN, NAN};
    const bool fine = is_known_state(state);
    if (fine)
        dal_residuals_now(state, &found[0], &found[1]);
    if (position)
        *position = found[0];
    if (velocity)
        *velocity = found[1];
    return fine;
}

const double *dal_state_coordinates(const dal_state *state, int *n)
{
    const bool fine = is_known_state(state);
    if (n)
        *n = fine ? state->layout->nq : 0;
    return fine ? state->work.q : NULL;
}

const double *dal_state_velocities(const dal_state *state, int *n)
{
    const bool fine = is_known_state(state);
    if (n)
        *n = fine ? state->layout->nv : 0;
    return fine ? state->work.v : NULL;
}

const double *dal_state_accelerations(const dal_state *state, int *n)
{
    const bool fine = is_known_state(state);
    if (n)
        *n = fine ? state->layout->nv : 0;
    return fine ? state->vd : NULL;
}
