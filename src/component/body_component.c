/* A body as a component: wrenches at its ports in, motion of its ports out.
 *
 * With F the sum of all forces and T that of all torques about the centre of mass c, d = port - c of each port, rho = c - r:
 *     m c'' = F,   I w' + w x I w = T,   T = sum of (torque + d x force)                (5), (9), in space with Euler's term
 *     r''  = c'' - w' x rho - w x (w x rho)
 *     v'   = (r'', J^-1 (w' - w_b))       its own coordinates: place of its frame, and angles
 * With Euler parameters p in the place of angles J is 3 x 4 (in the plane 1 x 2), J p = 0, J J^T = 4/n 1, n = p.p:
 *     v'   = (r'', n/4 J^T (w' - w_b) + s p)
 * s belongs to the body's own equation f = p.p - 1. No wrench acts along p, and no inertia resists: (23) alone determines s, and the balance along p,
 * p.g + 2 n mu = 0 with g the given forces along p, determines its multiplier mu. To have s as a function of mu, as (23) has f'' of lambda, the
 * missing inertia is completed by kappa times the square of the row, and its right side with it, which changes nothing where (23) holds:
 *     2 n s = b + (mu + p.g / 2n) / kappa,    b = -2 p'.p' - 2 alpha f' - beta^2 f,    residual = 2 p.p'' - b
 * Ports at x = r + a, a = R s:
 *     x' = r' + w x a                                                                   (25)
 *     x'' = r'' + w' x a + w x (w x a)                                                  (27)
 *
 * In the plane there are no forces along z and no torques but about it; a particle does not turn. Both are zeros in 1/m and I^-1.
 * Frames, angular velocities and w_b come from the family `angle` or `euler`, laid out for one body.
 */
#include "component/port.h"

#include "kinematics/layout.h"
#include "kinematics/newton_euler.h"
#include "math/vec.h"

#include <string.h>

struct dal_body_component {
    bool fixed;      /* the ground */
    bool parameters; /* Euler parameters: one equation of its own */
    const dal_family *family;
    double alpha, beta, kappa;
    dal_mechanism mechanism;
    dal_body body;
    const dal_layout *layout;
    dal_work work;
    int chart[3];
    int n, n_rot, space;
    int n_ports;
    dal_port_place *place;
    double light[3];   /* 1 / m, 0 in directions that do not exist */
    double inverse[9]; /* of the inertia about c, body axes */
    dal_port_wrench *wrench, source;
    dal_real along[DAL_BODY_VELOCITIES];  /* forces along its coordinates */
    dal_real mu;                          /* its own multiplier */
    dal_real rho[3], W[9], gyroscopic[3]; /* c - r; inverse of the inertia, world axes; w x I w */
    dal_real vd[DAL_BODY_VELOCITIES], rdd[3], wd[3];
};

/* Of a symmetric matrix, by its adjoint. */
static void invert(const double I[9], double out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[3 * i + j] = I[3 * a + c] * I[3 * b + d] - I[3 * a + d] * I[3 * b + c];
        }
    const double det = I[0] * out[0] + I[1] * out[3] + I[2] * out[6];
    for (int i = 0; i < 9; i++)
        out[i] /= det;
}

static void copy_mass(dal_body_component *c, const dal_body *body)
{
    for (int i = 0; i < c->space; i++)
        c->light[i] = 1 / body->mass;
    if (c->n_rot && c->space == DAL_PLANAR)
        c->inverse[8] = 1 / body->inertia[8];
    else if (c->n_rot)
        invert(body->inertia, c->inverse);
    c->kappa = dal_size_of_inertia(body);
}

static const dal_layout *layout_of(dal_body_component *c, dal_arena *arena, const dal_body_data *data)
{
#ifdef DAL_SCALAR_VARIANT
    dal_layout *layout = DAL_NEW(arena, dal_layout, 1);
    *layout = dal_layout_on_scalar(data->layout, c->family);
    return layout;
#else
    const dal_layout_parts none = {0};
    dal_mechanism_begin(&c->mechanism, arena, data->space);
    if (data->body) {
        c->mechanism.bodies = &c->body;
        c->mechanism.n_bodies = 1;
    }
    const dal_layout *layout = dal_layout_build(arena, &c->mechanism, c->family, &none);
    c->mechanism.arena = NULL;
    return layout;
#endif
}

dal_body_component *dal_body_component_create(dal_arena *arena, const dal_body_data *data)
{
    dal_body_component *c = DAL_NEW(arena, dal_body_component, 1);
    const dal_body *body = data->body;
    c->fixed = !body;
    c->space = (int)data->space;
    c->parameters = body && data->parameters && !body->particle;
    c->family = c->parameters ? &dal_family_euler : &dal_family_angle;
    c->alpha = data->alpha;
    c->beta = data->beta;
    if (body)
        c->body = *body;
    c->layout = layout_of(c, arena, data);
    dal_work_layout(c->layout, DAL_NEW(arena, dal_real, dal_work_size(c->layout)), c->chart, &c->work);
    c->n = c->layout->nv;
    c->n_rot = body ? c->layout->body[0].n_rot : 0;
    if (body)
        copy_mass(c, body);
    const size_t p = (size_t)data->n_ports;
    c->n_ports = data->n_ports;
    c->place = DAL_NEW(arena, dal_port_place, p);
    if (p)
        memcpy(c->place, data->ports, sizeof *data->ports * p);
    c->wrench = DAL_NEW(arena, dal_port_wrench, p);
    return c;
}

/* Frame, velocities and the terms of the balance. */
void dal_body_component_move(dal_body_component *body, const dal_real *q, const dal_real *v)
{
    dal_body_component *c = body;
    const dal_kin *kin = &c->work.kin[0];
    dal_real I[9];
    memcpy(c->work.q, q, sizeof *q * (size_t)c->n);
    memcpy(c->work.v, v, sizeof *v * (size_t)c->n);
    c->family->position(c->layout, &c->work);
    c->family->velocity(c->layout, &c->work);
    dal_turn(kin->R, c->body.center, c->rho);
    dal_turn_inertia(kin->R, c->inverse, c->W);
    dal_turn_inertia(kin->R, c->body.inertia, I);
    dal_gyroscopic_moment(I, kin->w, c->gyroscopic);
}

void dal_body_component_place(dal_body_component *body, const dal_real *q, const dal_real *v, const int *chart)
{
    if (body->fixed)
        return;
    if (chart)
        memcpy(body->chart, chart, sizeof body->chart);
    dal_body_component_move(body, q, v);
    memset(body->wrench, 0, sizeof *body->wrench * (size_t)body->n_ports);
    memset(&body->source, 0, sizeof body->source);
    memset(body->along, 0, sizeof body->along);
    body->mu = 0;
}

void dal_body_component_receive(dal_body_component *body, int port, const dal_port_wrench *wrench)
{
    body->wrench[port] = *wrench;
}

void dal_body_component_source(dal_body_component *body, const dal_port_wrench *wrench, const dal_real *along_coordinates)
{
    body->source = *wrench;
    if (along_coordinates)
        memcpy(body->along, along_coordinates, sizeof *along_coordinates * (size_t)body->n);
}

void dal_body_component_hold(dal_body_component *body, dal_real multiplier)
{
    body->mu = multiplier;
}

/* ---- attitude ---------------------------------------------------------------------------- */

/* Of what its coordinates for the attitude are: sum of a_k b_k. */
static dal_real along_attitude(const dal_body_component *c, const dal_real *a, const dal_real *b)
{
    dal_real sum = 0;
    for (int k = c->space; k < c->n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* p.p */
static dal_real square(const dal_body_component *c)
{
    return along_attitude(c, c->work.q, c->work.q);
}

/* b = -2 p'.p' - 2 alpha f' - beta^2 f: what (23) asks of 2 p.p''. */
static dal_real asked(const dal_body_component *c)
{
    const dal_real *q = c->work.q, *v = c->work.v;
    return -2 * along_attitude(c, v, v) - 4 * c->alpha * along_attitude(c, q, v) - c->beta * c->beta * (square(c) - 1);
}

dal_real dal_body_component_residual(const dal_body_component *body)
{
    return body->parameters ? 2 * along_attitude(body, body->work.q, body->vd) - asked(body) : 0;
}

dal_real dal_body_component_multiplier(const dal_body_component *body)
{
    return body->parameters ? -along_attitude(body, body->work.q, body->along) / (2 * square(body)) : 0;
}

/* 2 n s = b + (mu - the multiplier that meets (23)) / kappa */
static dal_real stretch(const dal_body_component *c)
{
    return (asked(c) + (c->mu - dal_body_component_multiplier(c)) / c->kappa) / (2 * square(c));
}

/* Directions e_k with J_i . e_k = 1 where i = k, else 0: Cramer's rule. */
static void reciprocal_axes(const dal_kin *kin, dal_real e[3][3])
{
    for (int k = 0; k < 3; k++)
        dal_cross(kin->J[(k + 1) % 3], kin->J[(k + 2) % 3], e[k]);
    const dal_real det = dal_dot(e[2], kin->J[2]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[k][i] /= det;
}

/* Rates x of angles with sum of J_k x_k = w, and the torque T with J_k . T = g_k. Of parameters: n/4 J^T w, orthogonal to p, and n/4 J g. */
static void rates_of_turn(const dal_body_component *c, const dal_real w[3], dal_real *x)
{
    dal_real e[3][3];
    if (c->n_rot == 1)
        x[0] = w[2];
    for (int k = 0; c->parameters && k < c->n_rot; k++)
        x[k] = square(c) / 4 * dal_dot(c->work.kin[0].J[k], w);
    if (c->n_rot != 3)
        return;
    reciprocal_axes(&c->work.kin[0], e);
    for (int k = 0; k < 3; k++)
        x[k] = dal_dot(e[k], w);
}

static void add_torque_along(const dal_body_component *c, const dal_real *g, dal_real T[3])
{
    dal_real e[3][3];
    if (c->n_rot == 1)
        T[2] += g[0];
    for (int k = 0; c->parameters && k < c->n_rot; k++)
        dal_axpy3(square(c) / 4 * g[k], c->work.kin[0].J[k], T);
    if (c->n_rot != 3)
        return;
    reciprocal_axes(&c->work.kin[0], e);
    for (int k = 0; k < 3; k++)
        dal_axpy3(g[k], e[k], T);
}

/* From the frame to a port, and from the centre of mass to it; port -1: the frame itself. */
static void arm_of(const dal_body_component *c, int port, dal_real arm[3], dal_real d[3])
{
    dal_zero3(arm);
    if (port >= 0)
        dal_turn(c->work.kin[0].R, c->place[port].s, arm);
    dal_sub3(arm, c->rho, d);
}

/* (9): force and torque about the centre of mass. */
static void sum_wrenches(const dal_body_component *c, dal_real F[3], dal_real T[3])
{
    dal_real arm[3], d[3];
    dal_zero3(F);
    dal_zero3(T);
    for (int p = -1; p < c->n_ports; p++) {
        const dal_port_wrench *wrench = p < 0 ? &c->source : &c->wrench[p];
        arm_of(c, p, arm, d);
        dal_axpy3(1, wrench->force, F);
        dal_axpy3(1, wrench->torque, T);
        dal_add_cross(d, wrench->force, T);
    }
    dal_real along[3] = {0};
    memcpy(along, c->along, sizeof *along * (size_t)c->space);
    dal_axpy3(1, along, F);
    arm_of(c, -1, arm, d);
    dal_add_cross(d, along, T);
    add_torque_along(c, c->along + c->space, T);
}

/* The part of (r'', w') that is linear in a force at the centre of mass and a torque. */
static void respond(const dal_body_component *c, const dal_real F[3], const dal_real T[3], dal_real rdd[3], dal_real wd[3])
{
    dal_real turn[3];
    dal_mul3(c->W, T, wd);
    dal_cross(wd, c->rho, turn);
    for (int i = 0; i < 3; i++)
        rdd[i] = c->light[i] * F[i] - turn[i];
}

void dal_body_component_accelerate(dal_body_component *body)
{
    dal_body_component *c = body;
    const dal_kin *kin = &c->work.kin[0];
    dal_real F[3], T[3], spin[3], inward[3], left[3];
    if (c->fixed)
        return;
    sum_wrenches(c, F, T);
    dal_axpy3(-1, c->gyroscopic, T);
    respond(c, F, T, c->rdd, c->wd);
    dal_cross(kin->w, c->rho, spin);
    dal_cross(kin->w, spin, inward);
    dal_axpy3(-1, inward, c->rdd);
    dal_sub3(c->wd, kin->wb, left);
    memcpy(c->vd, c->rdd, sizeof *c->vd * (size_t)c->space);
    rates_of_turn(c, left, c->vd + c->space);
    const dal_real s = c->parameters ? stretch(c) : 0;
    for (int k = c->space; c->parameters && k < c->n; k++)
        c->vd[k] += s * c->work.q[k];
}

void dal_body_component_set(dal_body_component *body, const dal_real *vd)
{
    const dal_kin *kin = &body->work.kin[0];
    if (body->fixed)
        return;
    memcpy(body->vd, vd, sizeof *vd * (size_t)body->n);
    dal_zero3(body->rdd);
    memcpy(body->rdd, vd, sizeof *vd * (size_t)body->space);
    dal_copy3(kin->wb, body->wd);
    for (int k = 0; k < body->n_rot; k++)
        dal_axpy3(vd[body->space + k], kin->J[k], body->wd);
}

const dal_real *dal_body_component_acceleration(const dal_body_component *body)
{
    return body->vd;
}

static void publish_ground(const dal_port_place *place, dal_port_motion *motion)
{
    memset(motion, 0, sizeof *motion);
    for (int i = 0; i < 3; i++)
        motion->x[i] = place->s[i];
    for (int i = 0; i < 9; i++)
        motion->R[i] = place->B[i];
}

void dal_body_component_publish(const dal_body_component *body, int port, dal_port_motion *motion)
{
    const dal_kin *kin = &body->work.kin[0];
    const dal_port_place *place = &body->place[port];
    dal_real arm[3], turn[3], B[9];
    if (body->fixed) {
        publish_ground(place, motion);
        return;
    }
    dal_turn(kin->R, place->s, arm);
    for (int i = 0; i < 3; i++)
        motion->x[i] = kin->r[i] + arm[i];
    for (int i = 0; i < 9; i++)
        B[i] = place->B[i];
    dal_mul33(kin->R, B, motion->R);
    dal_cross(kin->w, arm, turn);
    for (int i = 0; i < 3; i++)
        motion->xd[i] = kin->rd[i] + turn[i];
    dal_copy3(kin->w, motion->w);
    dal_copy3(body->rdd, motion->xdd);
    dal_add_cross(body->wd, arm, motion->xdd);
    dal_add_cross(kin->w, turn, motion->xdd);
    dal_copy3(body->wd, motion->wd);
}

#ifndef DAL_SCALAR_VARIANT

int dal_body_component_velocities(const dal_body_component *body)
{
    return body->n;
}

int dal_body_component_rows(const dal_body_component *body)
{
    return body->parameters;
}

dal_body_data dal_body_component_data(const dal_body_component *body)
{
    return (dal_body_data){.space = (dal_space)body->space,
                           .body = body->fixed ? NULL : &body->body,
                           .parameters = body->parameters,
                           .alpha = body->alpha,
                           .beta = body->beta,
                           .n_ports = body->n_ports,
                           .ports = body->place,
                           .layout = body->layout};
}

double dal_body_component_own_mobility(const dal_body_component *body, double *W)
{
    const double size = body->parameters ? 1 / body->kappa : 0;
    for (int i = 0; i < body->n; i++)
        W[i] = size > 0 && i >= body->space ? size * body->work.q[i] / (2 * square(body)) : 0;
    return size;
}

/* (r'', w') of a unit of component k of a wrench at a port. */
static void respond_to_unit(const dal_body_component *c, int port, int k, double rdd[3], double wd[3])
{
    double F[3] = {0}, T[3] = {0}, arm[3], d[3];
    if (k < 3) {
        arm_of(c, port, arm, d);
        F[k] = 1;
        dal_cross(d, F, T);
    } else {
        T[k - 3] = 1;
    }
    respond(c, F, T, rdd, wd);
}

void dal_body_component_admittance(const dal_body_component *body, int i, int j, double Y[36])
{
    double rdd[3], wd[3], arm[3], d[3];
    memset(Y, 0, 36 * sizeof *Y);
    if (body->fixed)
        return;
    arm_of(body, i, arm, d);
    for (int k = 0; k < 6; k++) {
        respond_to_unit(body, j, k, rdd, wd);
        dal_add_cross(wd, arm, rdd);
        for (int l = 0; l < 3; l++) {
            Y[6 * l + k] = rdd[l];
            Y[6 * (3 + l) + k] = wd[l];
        }
    }
}

void dal_body_component_mobility(const dal_body_component *body, int port, double *W)
{
    double rdd[3], wd[3], rates[4] = {0};
    for (int k = 0; k < 6 && !body->fixed; k++) {
        respond_to_unit(body, port, k, rdd, wd);
        rates_of_turn(body, wd, rates);
        for (int i = 0; i < body->n; i++)
            W[6 * i + k] = i < body->space ? rdd[i] : rates[i - body->space];
    }
}

#endif
