/* Points that meet while a force acts along the line between them (a spring with a free length, driven through its anchor).
 *
 *     F = e u,  u = (P - Q) / |P - Q|
 * reverses at once where they meet: u changes to -u, and e is not zero there. The motion continues, in a straight line in the limit, but only the
 * error estimate of a step shows the corner, and a fixed step has none. Between two accepted steps u . u_before < 0 shows it.
 */
#include "model/system.h"
#include "run/meetings.h"
#include "math/vec.h"
#include "state/directions.h"
#include "state/state.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

size_t dal_meetings_size(const dal_system *system)
{
    return 3 * (size_t)system->acting.n_forces;
}

void dal_meetings_watch(dal_meetings *m, const dal_state *state, double t)
{
    const dal_system *system = state->system;
    for (int i = 0; i < system->acting.n_forces && m->force < 0; i++) {
        const int measure = system->acting.forces[i].measure;
        if (measure < 0 || !system->acting.forces[i].along || system->mechanism.measures[measure].kind != DAL_MEASURE_LENGTH)
            continue;
        double *before = m->direction + 3 * i;
        const double *u = state->work.gradient + 12 * measure;
        if (dal_dot(before, u) < 0 && dal_force_at_meeting(state, i) > 0) {
            m->force = i;
            m->time = t;
            m->effort = dal_force_at_meeting(state, i);
        }
        memcpy(before, u, 3 * sizeof *u);
    }
}

dal_flow dal_meetings_refuse(dal_state *state)
{
    double speed;
    dal_need(state, DAL_STAGE_FORCES);
    for (int i = 0; i < state->system->acting.n_forces; i++)
        if (dal_force_undirected(state, i, &speed) && speed == 0)
            return dal_state_fail(state,
                                  "the force of '%s', %.3g N, has no direction, because its points coincide and are at "
                                  "rest: the motion is not "
                                  "determined",
                                  state->system->acting.forces[i].name, fabs(state->values->effort[i]));
    return 0;
}

void dal_meetings_warn(const dal_meetings *m, const dal_system *system, dal_messages *messages)
{
    if (m->force >= 0)
        dal_warn(messages, dal_nowhere, DAL_CODE_POINTS_MET, m->time,
                 "the points of '%s' met before t = %.6g, where its force of %.3g N reverses at once: what "
                 "follows is only as exact as the step "
                 "that went over it%s",
                 system->acting.forces[m->force].name, m->time, m->effort,
                 system->method.integrator->adaptive ? "" : "; an adaptive integrator makes that one short");
}
