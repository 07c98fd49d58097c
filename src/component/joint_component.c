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
    dal_layout *layout;
    dal_work work;
    int n_sides, n_rows;
    double alpha, beta, length;
    dal_port_motion *motion; /* received */
    double *gradient;        /* 6 per row, rows per side */
    double *row_x, *row_v, *wrench_x;
    double *residual[2]; /* scratch of the differences */
    dal_port_wrench *wrench[2];
};

enum { MOST_PORTS = DAL_MAX_SIDES + 1 }; /* the ground is a port, too */

dal_joint_component *dal_joint_component_create(dal_arena *arena, const dal_joint_data *data)
{
    dal_joint_component *j = DAL_NEW(arena, dal_joint_component, 1);
    const dal_layout_parts parts = {.n_times = data->n_times, .forms = data->forms};
    j->mechanism = *data->mechanism;
    j->mechanism.arena = NULL;
    j->layout = dal_layout_build(arena, &j->mechanism, &dal_family_angle, &parts);
    dal_work_layout(j->layout, DAL_NEW(arena, double, dal_work_size(j->layout)), DAL_NEW(arena, int, 3 * j->mechanism.n_bodies), &j->work);
    const size_t s = (size_t)(j->n_sides = j->mechanism.n_bodies), r = (size_t)(j->n_rows = j->layout->n_rows);
    j->alpha = data->alpha;
    j->beta = data->beta;
    j->length = data->length > 0 ? data->length : 1;
    j->motion = DAL_NEW(arena, dal_port_motion, s);
    j->gradient = DAL_NEW(arena, double, 6 * r * s);
    j->row_x = DAL_NEW(arena, double, 6 * r * s);
    j->row_v = DAL_NEW(arena, double, 6 * r * s);
    j->wrench_x = DAL_NEW(arena, double, 36 * s * s);
    for (int k = 0; k < 2; k++) {
        j->residual[k] = DAL_NEW(arena, double, r);
        j->wrench[k] = DAL_NEW(arena, dal_port_wrench, s);
    }
    return j;
}

int dal_joint_component_sides(const dal_joint_component *joint)
{
    return joint->n_sides;
}

int dal_joint_component_rows(const dal_joint_component *joint)
{
    return joint->n_rows;
}

void dal_joint_component_receive(dal_joint_component *joint, int side, const dal_port_motion *motion)
{
    joint->motion[side] = *motion;
}

void dal_joint_component_signal(dal_joint_component *joint, int time, const double f[3])
{
    memcpy(joint->work.time + 3 * time, f, 3 * sizeof *f);
}

void dal_joint_component_turns(dal_joint_component *joint, int winding, double angle)
{
    joint->work.winding[winding] = angle;
}

/* A port in the place of a body, with its accelerations in the place of the biases. */
static void place_side(dal_joint_component *j, int side, const dal_port_motion *motion)
{
    dal_kin *kin = &j->work.kin[side];
    dal_copy3(motion->x, kin->r);
    memcpy(kin->R, motion->R, sizeof kin->R);
    dal_copy3(motion->xd, kin->rd);
    dal_copy3(motion->w, kin->w);
    dal_copy3(motion->xdd, kin->rb);
    dal_copy3(motion->wd, kin->wb);
    dal_orthonormal_bias(kin);
}

static void find_gradients(dal_joint_component *j)
{
    double f[MOST_PORTS][6];
    memset(j->gradient, 0, sizeof *j->gradient * 6 * (size_t)(j->n_rows * j->n_sides));
    for (int i = 0; i < j->n_rows; i++) {
        const dal_row_layout *at = &j->layout->row[i];
        dal_row_covectors(j->layout, &j->work, i, f);
        for (int k = 0; k < at->n_sides; k++)
            memcpy(j->gradient + 6 * (j->n_rows * j->layout->side[at->side + k].body + i), f[k], sizeof f[k]);
    }
}

/* (23) at the ports as they are placed. */
static int evaluate_rows(dal_joint_component *j, double t, double *residual)
{
    j->work.t = t;
    j->work.table_exceeded = 0;
    dal_rows_position(j->layout, &j->work);
    dal_rows_velocity(j->layout, &j->work);
    for (int i = 0; i < j->n_rows; i++)
        residual[i] = -j->work.gamma[i] + 2 * j->alpha * j->work.phid[i] + j->beta * j->beta * j->work.phi[i];
    return j->work.table_exceeded;
}

int dal_joint_component_residual(dal_joint_component *joint, double t, double *residual)
{
    for (int s = 0; s < joint->n_sides; s++)
        place_side(joint, s, &joint->motion[s]);
    int left = evaluate_rows(joint, t, residual);
    find_gradients(joint);
    return left;
}

const double *dal_joint_component_gradient(const dal_joint_component *joint, int side)
{
    return joint->gradient + 6 * joint->n_rows * side;
}

void dal_joint_component_publish(const dal_joint_component *joint, int side, const double *lambda, dal_port_wrench *wrench)
{
    const double *g = dal_joint_component_gradient(joint, side);
    memset(wrench, 0, sizeof *wrench);
    for (int i = 0; i < joint->n_rows; i++, g += 6) {
        dal_axpy3(lambda[i], g, wrench->force);
        dal_axpy3(lambda[i], g + 3, wrench->torque);
    }
}

/* ---- derivatives ------------------------------------------------------------------------ */

static const double step = 6e-6;   /* rad, or lengths: the cube root of rounding, where central differences err least */
static const double rate_step = 1; /* f' and f'' are linear and quadratic in the velocities: central differences are exact */

/* Shifted by h along axis k, or turned by h about axis k - 3: exact for every h. */
static void displace(const dal_port_motion *from, int k, double h, dal_port_motion *to)
{
    *to = *from;
    if (k < 3) {
        to->x[k] += h;
        return;
    }
    const int a = (k - 2) % 3, b = (k - 1) % 3;
    const double c = cos(h), s = sin(h);
    for (int i = 0; i < 3; i++) {
        to->R[3 * a + i] = c * from->R[3 * a + i] - s * from->R[3 * b + i];
        to->R[3 * b + i] = s * from->R[3 * a + i] + c * from->R[3 * b + i];
    }
}

static void add_rate(const dal_port_motion *from, int k, double h, dal_port_motion *to)
{
    *to = *from;
    (k < 3 ? to->xd : to->w)[k % 3] += h;
}

/* Column 6 side + k of what the displacement, or the velocity, of a port changes. */
static void differ(dal_joint_component *j, double t, const double *lambda, int side, int k, bool velocity)
{
    const double h = velocity ? rate_step : k < 3 ? step * j->length : step;
    const size_t all = 6 * (size_t)j->n_sides, column = 6 * (size_t)side + (size_t)k;
    double *rows = velocity ? j->row_v : j->row_x;
    dal_port_motion moved;
    for (int end = 0; end < 2; end++) {
        (velocity ? add_rate : displace)(&j->motion[side], k, end ? h : -h, &moved);
        place_side(j, side, &moved);
        evaluate_rows(j, t, j->residual[end]);
        if (velocity)
            continue;
        find_gradients(j);
        for (int s = 0; s < j->n_sides; s++)
            dal_joint_component_publish(j, s, lambda, &j->wrench[end][s]);
    }
    place_side(j, side, &j->motion[side]);
    for (int i = 0; i < j->n_rows; i++)
        rows[(size_t)i * all + column] = (j->residual[1][i] - j->residual[0][i]) / (2 * h);
    for (int s = 0; s < j->n_sides && !velocity; s++)
        for (size_t i = 0; i < 3; i++) {
            const dal_port_wrench *a = &j->wrench[0][s], *b = &j->wrench[1][s];
            j->wrench_x[(6 * (size_t)s + i) * all + column] = (b->force[i] - a->force[i]) / (2 * h);
            j->wrench_x[(6 * (size_t)s + 3 + i) * all + column] = (b->torque[i] - a->torque[i]) / (2 * h);
        }
}

dal_joint_slopes dal_joint_component_linearise(dal_joint_component *joint, double t, const double *lambda)
{
    const bool planar = joint->mechanism.space == DAL_PLANAR;
    for (int s = 0; s < joint->n_sides; s++)
        for (int k = 0; k < 6; k++)
            if (!planar || k < 2 || k == 5) {
                differ(joint, t, lambda, s, k, false);
                differ(joint, t, lambda, s, k, true);
            }
    evaluate_rows(joint, t, joint->residual[0]);
    find_gradients(joint);
    return (dal_joint_slopes){joint->row_x, joint->row_v, joint->wrench_x};
}
