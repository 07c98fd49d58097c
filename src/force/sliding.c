/* Sliding surfaces of joints: sliding.h. */
#include "force/sliding.h"

#include "math/vec.h"

void dal_sliding_velocity(const dal_mechanism *mechanism, const dal_work *work, const dal_friction *f, dal_real *s)
{
    const dal_joint *joint = &mechanism->joints[f->joint];
    if (f->turn) {
        dal_sliding_turn(f, work->kin[joint->marker[1].body].w, work->kin[joint->marker[0].body].w, s);
        return;
    }
    for (int k = 0; k < f->n; k++) {
        s[k] = 0;
        for (int i = 0; i < f->terms; i++)
            s[k] += f->lever[k + i] * work->rate[f->measure[k + i]];
    }
}

void dal_sliding_push(dal_loads *loads, const dal_friction *f, const dal_real *e)
{
    const dal_joint *joint = &loads->layout->mechanism->joints[f->joint];
    if (f->turn) {
        dal_real moment[3], back[3];
        for (int i = 0; i < 3; i++) {
            moment[i] = f->lever[0] * e[i];
            back[i] = -moment[i];
        }
        dal_push_moment(loads, joint->marker[1].body, moment, false);
        dal_push_moment(loads, joint->marker[0].body, back, false);
        return;
    }
    for (int k = 0; k < f->n; k++)
        for (int i = 0; i < f->terms; i++)
            dal_push_measure(loads, f->measure[k + i], f->lever[k + i] * e[k], false);
}

void dal_sliding_press(const dal_mechanism *mechanism, const dal_work *work, const dal_friction *f, const dal_real F[3], dal_real out[3])
{
    dal_real axis[3];
    dal_turn(work->kin[mechanism->joints[f->joint].marker[0].body].R, f->axis, axis);
    const dal_real along = f->along * dal_dot(F, axis);
    for (int i = 0; i < 3; i++)
        out[i] = f->share * (f->whole * F[i] + along * axis[i]);
}
