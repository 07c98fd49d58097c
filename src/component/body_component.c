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
    dal_layout *layout;
    dal_work work;
    int chart[3];
    int n, n_rot, space;
    int n_ports;
    dal_port_place *place;
    double light[3];   /* 1 / m, 0 in directions that do not exist */
    double inverse[9]; /* of the inertia about c, body axes */
    dal_port_wrench *wrench, source;
    double along[DAL_BODY_VELOCITIES];  /* forces along its coordinates */
    double mu;                          /* its own multiplier */
    double rho[3], W[9], gyroscopic[3]; /* c - r; inverse of the inertia, world axes; w x I w */
    double vd[DAL_BODY_VELOCITIES], rdd[3], wd[3];
    double *own_q, *own_v, *port_q, *port_v, *port_a, *row_q, *row_v, *row_a;
    dal_port_motion *before, *after;
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

dal_body_component *dal_body_component_create(dal_arena *arena, const dal_body_data *data)
{
    dal_body_component *c = DAL_NEW(arena, dal_body_component, 1);
    const dal_layout_parts none = {0};
    const dal_body *body = data->body;
    c->fixed = !body;
    c->space = (int)data->space;
    c->parameters = body && data->parameters && !body->particle;
    c->family = c->parameters ? &dal_family_euler : &dal_family_angle;
    c->alpha = data->alpha;
    c->beta = data->beta;
    dal_mechanism_begin(&c->mechanism, arena, data->space);
    if (body) {
        c->body = *body;
        c->mechanism.bodies = &c->body;
        c->mechanism.n_bodies = 1;
    }
    c->layout = dal_layout_build(arena, &c->mechanism, c->family, &none);
    dal_work_layout(c->layout, DAL_NEW(arena, double, dal_work_size(c->layout)), c->chart, &c->work);
    c->n = c->layout->nv;
    c->n_rot = body ? c->layout->body[0].n_rot : 0;
    if (body)
        copy_mass(c, body);
    const size_t n = (size_t)c->n, p = (size_t)data->n_ports;
    c->n_ports = data->n_ports;
    c->place = DAL_NEW(arena, dal_port_place, p);
    if (p)
        memcpy(c->place, data->ports, sizeof *data->ports * p);
    c->wrench = DAL_NEW(arena, dal_port_wrench, p);
    c->own_q = DAL_NEW(arena, double, n *n);
    c->own_v = DAL_NEW(arena, double, n *n);
    c->port_q = DAL_NEW(arena, double, 18 * n * p);
    c->port_v = DAL_NEW(arena, double, 18 * n * p);
    c->port_a = DAL_NEW(arena, double, 6 * n * p);
    c->row_q = DAL_NEW(arena, double, n);
    c->row_v = DAL_NEW(arena, double, n);
    c->row_a = DAL_NEW(arena, double, n);
    c->before = DAL_NEW(arena, dal_port_motion, p);
    c->after = DAL_NEW(arena, dal_port_motion, p);
    c->mechanism.arena = NULL;
    return c;
}

int dal_body_component_velocities(const dal_body_component *body)
{
    return body->n;
}

int dal_body_component_rows(const dal_body_component *body)
{
    return body->parameters;
}

/* Frame, velocities and the terms of the balance, from work.q and work.v. */
static void move(dal_body_component *c)
{
    const dal_kin *kin = &c->work.kin[0];
    double I[9];
    c->family->position(c->layout, &c->work);
    c->family->velocity(c->layout, &c->work);
    dal_turn(kin->R, c->body.center, c->rho);
    dal_turn_inertia(kin->R, c->inverse, c->W);
    dal_turn_inertia(kin->R, c->body.inertia, I);
    dal_gyroscopic_moment(I, kin->w, c->gyroscopic);
}

void dal_body_component_place(dal_body_component *body, const double *q, const double *v, const int *chart)
{
    if (body->fixed)
        return;
    memcpy(body->work.q, q, sizeof *q * (size_t)body->n);
    memcpy(body->work.v, v, sizeof *v * (size_t)body->n);
    if (chart)
        memcpy(body->chart, chart, sizeof body->chart);
    move(body);
    memset(body->wrench, 0, sizeof *body->wrench * (size_t)body->n_ports);
    memset(&body->source, 0, sizeof body->source);
    memset(body->along, 0, sizeof body->along);
    body->mu = 0;
}

void dal_body_component_receive(dal_body_component *body, int port, const dal_port_wrench *wrench)
{
    body->wrench[port] = *wrench;
}

void dal_body_component_source(dal_body_component *body, const dal_port_wrench *wrench, const double *along_coordinates)
{
    body->source = *wrench;
    if (along_coordinates)
        memcpy(body->along, along_coordinates, sizeof *along_coordinates * (size_t)body->n);
}

void dal_body_component_hold(dal_body_component *body, double multiplier)
{
    body->mu = multiplier;
}

/* ---- attitude ---------------------------------------------------------------------------- */

/* Of what its coordinates for the attitude are: sum of a_k b_k. */
static double along_attitude(const dal_body_component *c, const double *a, const double *b)
{
    double sum = 0;
    for (int k = c->space; k < c->n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* p.p */
static double square(const dal_body_component *c)
{
    return along_attitude(c, c->work.q, c->work.q);
}

/* b = -2 p'.p' - 2 alpha f' - beta^2 f: what (23) asks of 2 p.p''. */
static double asked(const dal_body_component *c)
{
    const double *q = c->work.q, *v = c->work.v;
    return -2 * along_attitude(c, v, v) - 4 * c->alpha * along_attitude(c, q, v) - c->beta * c->beta * (square(c) - 1);
}

double dal_body_component_residual(const dal_body_component *body)
{
    return body->parameters ? 2 * along_attitude(body, body->work.q, body->vd) - asked(body) : 0;
}

double dal_body_component_multiplier(const dal_body_component *body)
{
    return body->parameters ? -along_attitude(body, body->work.q, body->along) / (2 * square(body)) : 0;
}

/* 2 n s = b + (mu - the multiplier that meets (23)) / kappa */
static double stretch(const dal_body_component *c)
{
    return (asked(c) + (c->mu - dal_body_component_multiplier(c)) / c->kappa) / (2 * square(c));
}

double dal_body_component_own_mobility(const dal_body_component *body, double *W)
{
    const double size = body->parameters ? 1 / body->kappa : 0;
    for (int i = 0; i < body->n; i++)
        W[i] = size && i >= body->space ? size * body->work.q[i] / (2 * square(body)) : 0;
    return size;
}

/* Directions e_k with J_i . e_k = 1 where i = k, else 0: Cramer's rule. */
static void reciprocal_axes(const dal_kin *kin, double e[3][3])
{
    for (int k = 0; k < 3; k++)
        dal_cross(kin->J[(k + 1) % 3], kin->J[(k + 2) % 3], e[k]);
    const double det = dal_dot(e[2], kin->J[2]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            e[k][i] /= det;
}

/* Rates x of angles with sum of J_k x_k = w, and the torque T with J_k . T = g_k. Of parameters: n/4 J^T w, orthogonal to p, and n/4 J g. */
static void rates_of_turn(const dal_body_component *c, const double w[3], double *x)
{
    double e[3][3];
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

static void add_torque_along(const dal_body_component *c, const double *g, double T[3])
{
    double e[3][3];
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
static void arm_of(const dal_body_component *c, int port, double arm[3], double d[3])
{
    dal_zero3(arm);
    if (port >= 0)
        dal_turn(c->work.kin[0].R, c->place[port].s, arm);
    dal_sub3(arm, c->rho, d);
}

/* (9): force and torque about the centre of mass. */
static void sum_wrenches(const dal_body_component *c, double F[3], double T[3])
{
    double arm[3], d[3];
    dal_zero3(F);
    dal_zero3(T);
    for (int p = -1; p < c->n_ports; p++) {
        const dal_port_wrench *wrench = p < 0 ? &c->source : &c->wrench[p];
        arm_of(c, p, arm, d);
        dal_axpy3(1, wrench->force, F);
        dal_axpy3(1, wrench->torque, T);
        dal_add_cross(d, wrench->force, T);
    }
    double along[3] = {0};
    memcpy(along, c->along, sizeof *along * (size_t)c->space);
    dal_axpy3(1, along, F);
    arm_of(c, -1, arm, d);
    dal_add_cross(d, along, T);
    add_torque_along(c, c->along + c->space, T);
}

/* The part of (r'', w') that is linear in a force at the centre of mass and a torque. */
static void respond(const dal_body_component *c, const double F[3], const double T[3], double rdd[3], double wd[3])
{
    double turn[3];
    dal_mul3(c->W, T, wd);
    dal_cross(wd, c->rho, turn);
    for (int i = 0; i < 3; i++)
        rdd[i] = c->light[i] * F[i] - turn[i];
}

void dal_body_component_accelerate(dal_body_component *body)
{
    dal_body_component *c = body;
    const dal_kin *kin = &c->work.kin[0];
    double F[3], T[3], spin[3], inward[3], left[3];
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
    const double s = c->parameters ? stretch(c) : 0;
    for (int k = c->space; c->parameters && k < c->n; k++)
        c->vd[k] += s * c->work.q[k];
}

void dal_body_component_set(dal_body_component *body, const double *vd)
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

const double *dal_body_component_acceleration(const dal_body_component *body)
{
    return body->vd;
}

static void publish_ground(const dal_port_place *place, dal_port_motion *motion)
{
    memset(motion, 0, sizeof *motion);
    memcpy(motion->x, place->s, sizeof motion->x);
    memcpy(motion->R, place->B, sizeof motion->R);
}

void dal_body_component_publish(const dal_body_component *body, int port, dal_port_motion *motion)
{
    const dal_kin *kin = &body->work.kin[0];
    const dal_port_place *place = &body->place[port];
    double arm[3], turn[3];
    if (body->fixed) {
        publish_ground(place, motion);
        return;
    }
    dal_turn(kin->R, place->s, arm);
    for (int i = 0; i < 3; i++)
        motion->x[i] = kin->r[i] + arm[i];
    dal_mul33(kin->R, place->B, motion->R);
    dal_cross(kin->w, arm, turn);
    for (int i = 0; i < 3; i++)
        motion->xd[i] = kin->rd[i] + turn[i];
    dal_copy3(kin->w, motion->w);
    dal_copy3(body->rdd, motion->xdd);
    dal_add_cross(body->wd, arm, motion->xdd);
    dal_add_cross(kin->w, turn, motion->xdd);
    dal_copy3(body->wd, motion->wd);
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

/* ---- derivatives ------------------------------------------------------------------------ */

static const double turn_step = 6e-6; /* rad, or of parameters: the cube root of rounding, where central differences err least */
static const double rate_step = 1;    /* everything is quadratic in the velocities: central differences are exact */

/* Motions of all ports at the present work.q, work.v and v', and what accelerate gives there. */
static void probe(dal_body_component *c, const double *vd, double *own, dal_port_motion *motion)
{
    move(c);
    dal_body_component_accelerate(c);
    memcpy(own, c->vd, sizeof *own * (size_t)c->n);
    dal_body_component_set(c, vd);
    for (int p = 0; p < c->n_ports; p++)
        dal_body_component_publish(c, p, &motion[p]);
}

/* Column `column` of d (x', w; x'', w'); the displacement is known without differences. */
static void difference(dal_body_component *c, double *slopes, int column, double step)
{
    for (int p = 0; p < c->n_ports; p++) {
        const dal_port_motion *a = &c->before[p], *b = &c->after[p];
        const double *const from[4] = {a->xd, a->w, a->xdd, a->wd}, *const to[4] = {b->xd, b->w, b->xdd, b->wd};
        double *out = slopes + 18 * c->n * p + 6 * c->n + column;
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++)
                out[c->n * (3 * k + i)] = (to[k][i] - from[k][i]) / (2 * step);
    }
}

/* d (x'', w') by v', which is linear. */
static void slopes_by_acceleration(dal_body_component *c)
{
    const dal_kin *kin = &c->work.kin[0];
    for (int p = 0; p < c->n_ports; p++) {
        double *out = c->port_a + 6 * c->n * p, arm[3], turn[3];
        dal_turn(kin->R, c->place[p].s, arm);
        for (int k = 0; k < c->n; k++) {
            const double *J = k < c->space ? NULL : kin->J[k - c->space];
            if (J)
                dal_cross(J, arm, turn);
            for (int i = 0; i < 3; i++) {
                out[c->n * i + k] = J ? turn[i] : i == k;
                out[c->n * (3 + i) + k] = J ? J[i] : 0;
            }
        }
    }
}

/* The place of the frame moves the ports and nothing else, and its velocity theirs: exact. The attitude: by differences. */
static void slopes_of(dal_body_component *c, double *z, bool velocity, const double *vd, double *own, double *ports)
{
    const int n = c->n;
    double a[DAL_BODY_VELOCITIES], b[DAL_BODY_VELOCITIES], step = velocity ? rate_step : turn_step;
    memset(own, 0, sizeof *own * (size_t)(n * n));
    memset(ports, 0, sizeof *ports * (size_t)(18 * n * c->n_ports));
    for (int k = c->space; k < n; k++) {
        const double here = z[k];
        z[k] = here - step;
        probe(c, vd, a, c->before);
        z[k] = here + step;
        probe(c, vd, b, c->after);
        z[k] = here;
        for (int i = 0; i < n; i++)
            own[n * i + k] = (b[i] - a[i]) / (2 * step);
        difference(c, ports, k, step);
    }
    for (int p = 0; p < c->n_ports; p++) /* the displacement of a port, or its velocity: as its acceleration by v' */
        for (int i = 0; i < 6; i++)
            memcpy(ports + 18 * n * p + n * ((velocity ? 6 : 0) + i), c->port_a + 6 * n * p + n * i, sizeof *ports * (size_t)n);
}

/* 2 p.p'' + 2 p'.p' + 4 alpha p.p' + beta^2 (p.p - 1) by p, p' and p''. */
static void slopes_of_own_row(dal_body_component *c, const double *vd)
{
    const double *q = c->work.q, *v = c->work.v;
    for (int k = c->space; c->parameters && k < c->n; k++) {
        c->row_q[k] = 2 * vd[k] + 4 * c->alpha * v[k] + 2 * c->beta * c->beta * q[k];
        c->row_v[k] = 4 * v[k] + 4 * c->alpha * q[k];
        c->row_a[k] = 2 * q[k];
    }
}

dal_body_slopes dal_body_component_linearise(dal_body_component *body)
{
    double vd[DAL_BODY_VELOCITIES];
    if (!body->fixed) {
        memcpy(vd, body->vd, sizeof vd);
        slopes_by_acceleration(body);
        slopes_of_own_row(body, vd);
        slopes_of(body, body->work.q, false, vd, body->own_q, body->port_q);
        slopes_of(body, body->work.v, true, vd, body->own_v, body->port_v);
        move(body);
        dal_body_component_set(body, vd);
    }
    return (dal_body_slopes){body->own_q, body->own_v, body->port_q, body->port_v, body->port_a, body->row_q, body->row_v, body->row_a};
}
