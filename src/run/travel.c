/* Joints that leave the limits of their file. URDF gives them; a model that does not make them end stops (`limits: true`) runs through them.
 *
 * The coordinate is found from the frames of the two bodies: the distance along the axis, or the angle about it, which continues over whole turns
 * because a step turns a joint by less than half of one.
 */
#include "run/travel.h"
#include "base/message.h"
#include "math/vec.h"
#include "model/system_parts.h"
#include "state/state_parts.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.283185307179586, nothing = 1e-9; /* of the travel: rounding */

static bool is_stop(const dal_force_spec *force)
{
    return force->joint.text && force->type.text && !strcmp(force->type.text, "end-stop");
}

static bool has_stop(const dal_spec *spec, const char *joint)
{
    for (int i = 0; i < spec->n_forces; i++)
        if (is_stop(&spec->forces[i]) && !strcmp(spec->forces[i].joint.text, joint))
            return true;
    return false;
}

int dal_travel_joints(const dal_system *system, int *index)
{
    const dal_spec *spec = dal_system_spec(system);
    bool stops = false;
    int n = 0;
    for (int i = 0; spec && i < spec->n_forces && !stops; i++)
        stops = is_stop(&spec->forces[i]);
    for (int i = 0; spec && i < spec->n_joints; i++)
        if (spec->joints[i].limited && !(stops && has_stop(spec, spec->joints[i].name.text))) {
            if (index)
                index[n] = i;
            n++;
        }
    return n;
}

/* Axis `k` of a frame on a body, in space. */
static void turn_out(const dal_kin *kin, const dal_marker *marker, int k, double out[3])
{
    const double axis[3] = {marker->B[k], marker->B[3 + k], marker->B[6 + k]};
    memset(out, 0, 3 * sizeof *out);
    dal_add_turned(kin[marker->body].R, axis, out);
}

static bool turns(const dal_joint_spec *joint)
{
    return joint->type.text && !strcmp(joint->type.text, "revolute");
}

static double coordinate_of(const dal_kin *kin, const dal_joint *joint, bool angular, double before, bool started)
{
    double x[3], y[3], z[3], other[3], apart[3];
    turn_out(kin, &joint->marker[0], 0, x);
    turn_out(kin, &joint->marker[0], 1, y);
    turn_out(kin, &joint->marker[0], 2, z);
    turn_out(kin, &joint->marker[1], 0, other);
    if (!angular) {
        for (int i = 0; i < 3; i++)
            apart[i] = kin[joint->marker[1].body].r[i] - kin[joint->marker[0].body].r[i];
        double s[2][3] = {{0}};
        for (int k = 0; k < 2; k++)
            dal_add_turned(kin[joint->marker[k].body].R, joint->marker[k].s, s[k]);
        for (int i = 0; i < 3; i++)
            apart[i] += s[1][i] - s[0][i];
        return dal_dot(apart, z) + joint->zero[0];
    }
    const double angle = atan2(dal_dot(y, other), dal_dot(x, other)) + joint->zero[0];
    return started ? angle + two_pi * round((before - angle) / two_pi) : angle;
}

void dal_travel_watch(dal_travel *travel, const dal_state *state, double t)
{
    if (!travel->n)
        return;
    const dal_joint_spec *joints = dal_system_spec(dal_system_of(state))->joints;
    const dal_mechanism *m = dal_layout_of(state)->mechanism;
    const dal_kin *kin = dal_seen_work(state)->kin;
    for (int k = 0; k < travel->n; k++) {
        const dal_joint_spec *joint = &joints[travel->index[k]];
        double *at = travel->joint + 3 * k;
        at[0] = coordinate_of(kin, &m->joints[travel->index[k]], turns(joint), at[0], travel->started);
        if (!travel->started)
            at[2] = -1;
        const double beyond = fmax(joint->limit[0] - at[0], at[0] - joint->limit[1]);
        if (beyond > nothing * (joint->limit[1] - joint->limit[0]) && at[2] < 0)
            at[2] = t;
        at[1] = fmax(at[1], beyond);
    }
    travel->started = true;
}

void dal_travel_warn(const dal_travel *travel, const dal_system *system, dal_messages *messages)
{
    for (int k = 0; k < travel->n && travel->started; k++) {
        const dal_joint_spec *joint = &dal_system_spec(system)->joints[travel->index[k]];
        const double *at = travel->joint + 3 * k;
        const char *unit = turns(joint) ? "rad" : "m";
        if (at[2] >= 0)
            dal_warn(
                messages, joint->name.mark, DAL_CODE_LIMIT_LEFT, at[1],
                "joint '%s' leaves its limits, %.4g to %.4g %s, at t = %.4g s, by %.3g %s at most; nothing enforces them: `limits: true` of a part "
                "makes them end stops",
                joint->name.text, joint->limit[0], joint->limit[1], unit, at[2], at[1], unit);
    }
}
