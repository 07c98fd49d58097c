/* Bodies and joints of a network, one of whose numbers has an imaginary part: network_slopes.h. Compiled for complex numbers only (CMakeLists.txt). */
#include "variation/network_slopes.h"

#include <string.h>

static const double h = 1e-30;

struct dal_network_slopes {
    const dal_layout *layout;
    dal_network network; /* on complex numbers; all its numbers of rows, ports and connections are those of the one on doubles */
    dal_work work;       /* what components receive of a state */
    double t;
    dal_real *vd, *lambda;
    int moved; /* the body whose numbers, and those at its ports, may have imaginary parts; -1: none */
    dal_network_change change;
};

dal_network_slopes *dal_network_slopes_create(dal_arena *arena, const dal_layout *layout, const dal_network *network)
{
    dal_network_slopes *s = DAL_NEW(arena, dal_network_slopes, 1);
    dal_network *n = &s->network;
    const size_t bodies = (size_t)network->n_bodies;
    s->layout = layout;
    *n = *network;
    n->body = DAL_NEW(arena, dal_body_component *, bodies + 1);
    n->joint = DAL_NEW(arena, dal_joint_component *, n->n_joints);
    n->wrench = DAL_NEW(arena, dal_port_wrench, n->n_connections);
    n->residual = DAL_NEW(arena, dal_real, n->n_rows);
    for (int b = 0; b <= n->n_bodies; b++) {
        const dal_body_data data = dal_body_component_data(network->body[b]);
        n->body[b] = dal_body_component_create(arena, &data);
    }
    for (int j = 0; j < n->n_joints; j++) {
        const dal_joint_data data = dal_joint_component_data(network->joint[j]);
        n->joint[j] = dal_joint_component_create(arena, &data);
    }
    s->work.q = DAL_NEW(arena, dal_real, layout->nq);
    s->work.v = DAL_NEW(arena, dal_real, layout->nv);
    s->work.force = DAL_NEW(arena, dal_real, 6 * bodies);
    s->work.direct = DAL_NEW(arena, dal_real, layout->nv);
    s->work.time = DAL_NEW(arena, dal_real, 3 * layout->n_times);
    s->work.winding = DAL_NEW(arena, dal_real, layout->mechanism->n_windings);
    s->work.chart = DAL_NEW(arena, int, 3 * bodies);
    s->vd = DAL_NEW(arena, dal_real, layout->nv);
    s->lambda = DAL_NEW(arena, dal_real, n->n_all);
    s->change.residual = DAL_NEW(arena, double, n->n_rows);
    s->change.wrench = DAL_NEW(arena, double, 6 * n->n_connections);
    return s;
}

static void set_reals(dal_real *to, int n, const double *from)
{
    for (int k = 0; k < n; k++)
        to[k] = from[k];
}

static void keep_parts(double *to, int n, const dal_real *from)
{
    for (int k = 0; k < n; k++)
        to[k] = cimag(from[k]) / h;
}

void dal_network_slopes_at(dal_network_slopes *s, const dal_network_point *at)
{
    const dal_layout *layout = s->layout;
    dal_network *n = &s->network;
    s->t = at->t;
    set_reals(s->work.q, layout->nq, at->q);
    set_reals(s->work.v, layout->nv, at->v);
    set_reals(s->vd, layout->nv, at->vd);
    set_reals(s->lambda, n->n_all, at->lambda);
    set_reals(s->work.force, 6 * n->n_bodies, at->force);
    set_reals(s->work.direct, layout->nv, at->direct);
    set_reals(s->work.time, 3 * layout->n_times, at->time);
    set_reals(s->work.winding, layout->mechanism->n_windings, at->winding);
    memcpy(s->work.chart, at->chart, sizeof *at->chart * 3 * (size_t)n->n_bodies);
    dal_network_begin(n, layout, &s->work);
    for (int b = 0; b < n->n_bodies; b++)
        dal_body_component_set(n->body[b], s->vd + layout->body[b].v);
    dal_network_residuals(n, s->t);
    dal_network_wrenches(n, s->lambda);
    dal_network_hold(n, s->lambda);
    s->moved = -1;
}

static void add_imaginary(dal_network_slopes *s, const dal_network_direction *along, double step)
{
    const dal_body_layout *at = &s->layout->body[along->body];
    s->work.q[at->q + along->k] += _Complex_I * step * along->q;
    s->work.v[at->v + along->k] += _Complex_I * step * along->v;
    s->vd[at->v + along->k] += _Complex_I * step * along->vd;
}

/* The body moves with v', and the joints at its ports receive that. */
static void pass_on(dal_network_slopes *s, int b)
{
    const dal_network *n = &s->network;
    dal_body_component_set(n->body[b], s->vd + s->layout->body[b].v);
    for (int at = n->of_body[b]; at < n->of_body[b + 1]; at++) {
        const dal_connection *c = &n->connection[n->at_port[at]];
        dal_port_motion motion;
        dal_body_component_publish(n->body[b], c->port, &motion);
        dal_joint_component_receive(n->joint[c->joint], c->side, &motion);
    }
}

static void move(dal_network_slopes *s, int b)
{
    const dal_body_layout *at = &s->layout->body[b];
    dal_body_component_move(s->network.body[b], s->work.q + at->q, s->work.v + at->v);
}

static void keep_joint(dal_network_slopes *s, int j)
{
    const dal_network *n = &s->network;
    dal_joint_component_residual(n->joint[j], s->t, n->residual + n->row[j]);
    keep_parts(s->change.residual + n->row[j], n->row[j + 1] - n->row[j], n->residual + n->row[j]);
    for (int c = n->of_joint[j]; c < n->of_joint[j + 1]; c++) {
        dal_port_wrench wrench;
        dal_joint_component_publish(n->joint[j], n->connection[c].side, s->lambda + n->row[j], &wrench);
        keep_parts(s->change.wrench + 6 * c, 3, wrench.force);
        keep_parts(s->change.wrench + 6 * c + 3, 3, wrench.torque);
    }
}

const dal_network_change *dal_network_slopes_along(dal_network_slopes *s, const dal_network_direction *along)
{
    const dal_network *n = &s->network;
    const int b = along->body;
    if (s->moved >= 0 && s->moved != b) {
        move(s, s->moved);
        pass_on(s, s->moved);
    }
    s->moved = b;
    add_imaginary(s, along, h);
    move(s, b);
    dal_body_component_accelerate(n->body[b]);
    keep_parts(s->change.vd, s->layout->body[b].nv, dal_body_component_acceleration(n->body[b]));
    pass_on(s, b);
    const dal_real own = dal_body_component_residual(n->body[b]);
    keep_parts(&s->change.own, 1, &own);
    for (int at = n->of_body[b]; at < n->of_body[b + 1]; at++)
        keep_joint(s, n->connection[n->at_port[at]].joint);
    add_imaginary(s, along, -h);
    return &s->change;
}
