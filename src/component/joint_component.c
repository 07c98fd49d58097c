/* A joint as a component: motion of its ports in, wrenches on them out.
 *
 * Its rows are those of the mechanism (kinematics/rows.c), evaluated on the ports in the place of bodies. Where a port moves with
 * (x, R; x', w; x'', w'), a vector fixed in it has
 *     R'  = [w x] R,   R'' = [w' x] R + [w x] R'
 * and the rows' A v' - gamma, with these whole accelerations in the place of the biases, are f'' (26). So
 *     residual = f'' + 2 alpha f' + beta^2 f                                           (23)
 * and d f_k'' by (x'', w') of a port is a force and a torque about its point, g_k: the wrench is the sum of lambda_k g_k (17).
 */
#include "component/port.h"

#include "kinematics/layout.h"
#include "math/vec.h"

#include <string.h>

struct dal_joint_component {
    dal_mechanism mechanism;
    const dal_layout *layout;
    dal_work work;
    int n_sides, n_rows;
    double alpha, beta;
    dal_real *gradient; /* 6 per row, rows per side */
};

enum { MOST_PORTS = DAL_MAX_SIDES + 1 }; /* the ground is a port, too */

static const dal_layout *layout_of(dal_joint_component *j, dal_arena *arena, const dal_joint_data *data)
{
#ifdef DAL_SCALAR_VARIANT
    (void)j;
    dal_layout *layout = DAL_NEW(arena, dal_layout, 1);
    *layout = dal_layout_on_scalar(data->layout, &dal_family_angle);
    return layout;
#else
    const dal_layout_parts parts = {.n_times = data->n_times, .forms = data->forms};
    return dal_layout_build(arena, &j->mechanism, &dal_family_angle, &parts);
#endif
}

dal_joint_component *dal_joint_component_create(dal_arena *arena, const dal_joint_data *data)
{
    dal_joint_component *j = DAL_NEW(arena, dal_joint_component, 1);
    j->mechanism = *data->mechanism;
    j->mechanism.arena = NULL;
    j->layout = layout_of(j, arena, data);
    dal_work_layout(j->layout, DAL_NEW(arena, dal_real, dal_work_size(j->layout)), DAL_NEW(arena, int, 3 * j->mechanism.n_bodies), &j->work);
    const size_t s = (size_t)(j->n_sides = j->mechanism.n_bodies), r = (size_t)(j->n_rows = j->layout->n_rows);
    j->alpha = data->alpha;
    j->beta = data->beta;
    j->gradient = DAL_NEW(arena, dal_real, 6 * r * s);
    return j;
}

/* A port in the place of a body, with its accelerations in the place of the biases. */
void dal_joint_component_receive(dal_joint_component *joint, int side, const dal_port_motion *motion)
{
    dal_kin *kin = &joint->work.kin[side];
    dal_copy3(motion->x, kin->r);
    memcpy(kin->R, motion->R, sizeof kin->R);
    dal_copy3(motion->xd, kin->rd);
    dal_copy3(motion->w, kin->w);
    dal_copy3(motion->xdd, kin->rb);
    dal_copy3(motion->wd, kin->wb);
    dal_orthonormal_bias(kin);
}

void dal_joint_component_signal(dal_joint_component *joint, int time, const dal_real f[3])
{
    memcpy(joint->work.time + 3 * time, f, 3 * sizeof *f);
}

void dal_joint_component_turns(dal_joint_component *joint, int winding, dal_real angle)
{
    joint->work.winding[winding] = angle;
}

static void find_gradients(dal_joint_component *j)
{
    dal_real f[MOST_PORTS][6];
    memset(j->gradient, 0, sizeof *j->gradient * 6 * (size_t)(j->n_rows * j->n_sides));
    for (int i = 0; i < j->n_rows; i++) {
        const dal_row_layout *at = &j->layout->row[i];
        dal_row_covectors(j->layout, &j->work, i, f);
        for (int k = 0; k < at->n_sides; k++)
            memcpy(j->gradient + 6 * (j->n_rows * j->layout->side[at->side + k].body + i), f[k], sizeof f[k]);
    }
}

int dal_joint_component_residual(dal_joint_component *joint, double t, dal_real *residual)
{
    dal_joint_component *j = joint;
    j->work.t = t;
    j->work.table_exceeded = 0;
    dal_rows_position(j->layout, &j->work);
    dal_rows_velocity(j->layout, &j->work);
    for (int i = 0; i < j->n_rows; i++)
        residual[i] = -j->work.gamma[i] + 2 * j->alpha * j->work.phid[i] + j->beta * j->beta * j->work.phi[i];
    find_gradients(j);
    return j->work.table_exceeded;
}

const dal_real *dal_joint_component_gradient(const dal_joint_component *joint, int side)
{
    return joint->gradient + 6 * joint->n_rows * side;
}

void dal_joint_component_publish(const dal_joint_component *joint, int side, const dal_real *lambda, dal_port_wrench *wrench)
{
    const dal_real *g = dal_joint_component_gradient(joint, side);
    memset(wrench, 0, sizeof *wrench);
    for (int i = 0; i < joint->n_rows; i++, g += 6) {
        dal_axpy3(lambda[i], g, wrench->force);
        dal_axpy3(lambda[i], g + 3, wrench->torque);
    }
}

#ifndef DAL_SCALAR_VARIANT

int dal_joint_component_sides(const dal_joint_component *joint)
{
    return joint->n_sides;
}

int dal_joint_component_rows(const dal_joint_component *joint)
{
    return joint->n_rows;
}

dal_joint_data dal_joint_component_data(const dal_joint_component *joint)
{
    return (dal_joint_data){.mechanism = &joint->mechanism,
                            .n_times = joint->layout->n_times,
                            .forms = joint->layout->forms,
                            .alpha = joint->alpha,
                            .beta = joint->beta,
                            .layout = joint->layout};
}

#endif
