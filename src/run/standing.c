/* With n the normal of the plane and a the axis of the disc, or of the blade,
 *     w = |a - (a . n) n|
 * is the sine of the angle between them. The rows of both joints hold 1/w (rolling_disc.c, skate.c): at w = 0 there is no lowest point of the
 * rim, and no direction along the plane. Beyond it a - (a . n) n points the other way. The velocities of a disc would have to jump there,
 * which is an impact in every formulation; a blade that passes close to it turns round in nearly no time.
 */
#include "model/system_parts.h"
#include "run/standing.h"
#include "joint/joint.h"
#include "math/vec.h"
#include "state/state_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double close_to = 0.02; /* w: near enough to be the reason for a failure */

static bool can_stand(const dal_mechanism *m, const dal_joint *joint)
{
    return m->space == DAL_SPATIAL && joint->type && joint->type->edge != DAL_NO_EDGE;
}

size_t dal_standing_size(const dal_system *system)
{
    const dal_mechanism *m = dal_system_mechanism(system);
    for (int j = 0; j < m->n_joints; j++)
        if (can_stand(m, &m->joints[j]))
            return 3 * (size_t)m->n_joints;
    return 0;
}

/* The third axis of a frame on a body, in world axes. */
static void third_axis(const dal_state *state, const dal_marker *marker, double axis[3])
{
    const double *B = marker->B, own[3] = {B[2], B[5], B[8]};
    dal_turn(dal_seen_work(state)->kin[marker->body].R, own, axis);
}

/* a - (a . n) n; returns its length. */
static double part_along(const dal_state *state, const dal_joint *joint, double along[3])
{
    double n[3], a[3];
    third_axis(state, &joint->marker[0], n);
    third_axis(state, &joint->marker[1], a);
    const double upright = dal_dot(a, n);
    for (int i = 0; i < 3; i++)
        along[i] = a[i] - upright * n[i];
    return sqrt(dal_dot(along, along));
}

dal_flow dal_standing_watch(dal_state *state, double *along)
{
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    for (int j = 0; j < m->n_joints; j++) {
        const dal_joint *joint = &m->joints[j];
        double now[3], *before = along + 3 * j;
        if (!can_stand(m, joint))
            continue;
        part_along(state, joint, now);
        if (dal_dot(before, now) < 0)
            return dal_state_fail_for(
                state, DAL_REASON_JOINT,
                joint->type->edge == DAL_EDGE_OF_BLADE
                    ? "the blade of joint '%s' stood on end within the last step: there it has no direction along its plane, "
                      "and the motion beyond is not determined"
                    : "the disc of joint '%s' lay flat within the last step: there it has no point of contact, which is an impact, not a motion",
                joint->name);
        dal_copy3(now, before);
    }
    return 0;
}

const char *dal_standing_text(const dal_state *state, char *buffer, size_t size)
{
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    double along[3];
    buffer[0] = '\0';
    for (int j = 0; j < m->n_joints && !buffer[0]; j++) {
        const dal_joint *joint = &m->joints[j];
        if (can_stand(m, joint) && part_along(state, joint, along) < close_to)
            snprintf(buffer, size,
                     joint->type->edge == DAL_EDGE_OF_BLADE ? "; the blade of joint '%s' stands on end here, and has no direction along its plane"
                                                            : "; the disc of joint '%s' lies flat here, and has no point of contact",
                     joint->name);
    }
    return buffer;
}
