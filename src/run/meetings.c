/* Points that meet while a force acts along the line between them (a spring with a free length, driven through its anchor).
 *
 *     F = e u,  u = (P - Q) / |P - Q|
 * reverses at once where they meet: u changes to -u, and e is not zero there. The motion continues, in a straight line in the limit, but only the
 * error estimate of a step shows the corner, and a fixed step has none. Between two accepted steps u . u_before < 0 shows it.
 */
#include "model/system_parts.h"
#include "run/meetings.h"
#include "math/vec.h"
#include "state/directions.h"
#include "state/state_parts.h"
#include "state/values.h"

#include <math.h>
#include <string.h>

size_t dal_meetings_size(const dal_system *system)
{
    return 3 * (size_t)dal_system_acting(system)->n_forces;
}

void dal_meetings_watch(dal_meetings *m, const dal_state *state, double t)
{
    const dal_acting *acting = dal_system_acting(dal_system_of(state));
    const dal_mechanism *mechanism = dal_layout_of(state)->mechanism;
    for (int i = 0; i < acting->n_forces && m->force < 0; i++) {
        const int measure = acting->forces[i].measure;
        if (measure < 0 || !acting->forces[i].along || mechanism->measures[measure].kind != DAL_MEASURE_LENGTH)
            continue;
        double *before = m->direction + 3 * i;
        const double *u = dal_seen_work(state)->gradient + 12 * measure;
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
    const dal_acting *acting = dal_system_acting(dal_system_of(state));
    double speed;
    dal_need(state, DAL_STAGE_FORCES);
    for (int i = 0; i < acting->n_forces; i++)
        if (dal_force_undirected(state, i, &speed) && speed == 0)
            return dal_state_fail(state,
                                  "the force of '%s', %.3g N, has no direction, because its points coincide and are at "
                                  "rest: the motion is not "
                                  "determined",
                                  acting->forces[i].name, fabs(dal_values_of(state)->effort[i]));
    return 0;
}

void dal_meetings_warn(const dal_meetings *m, const dal_system *system, dal_messages *messages)
{
    if (m->force >= 0)
        dal_warn(messages, dal_nowhere, DAL_CODE_POINTS_MET, m->time,
                 "the points of '%s' met before t = %.6g, where its force of %.3g N reverses at once: what "
                 "follows is only as exact as the step "
                 "that went over it%s",
                 dal_system_acting(system)->forces[m->force].name, m->time, m->effort,
                 dal_system_method(system)->integrator->adaptive ? "" : "; an adaptive integrator makes that one short");
}
