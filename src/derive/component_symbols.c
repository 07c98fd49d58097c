/* Bodies and joints as components that exchange port variables only (planar-component-library).
 *
 *   a body   m c'' = F, ... from the wrenches at its ports (5), (9); publishes x (19), x' (25), x'' (27) of its ports
 *   a joint  f_k in the places and axes of its ports (13), f_k' (24), f_k'' (26); publishes F, T = sum of lambda_k d f_k'/d(x', w) (17); its
 *            multipliers are the implicit variables of  f_k'' + 2 alpha f_k' + beta^2 f_k = 0 (23)
 * Sides are called M, N, P, Q. A port has letters of its own: A.M.x, A.M.y, A.M.angle in the plane; A.M.x ... A.M.z, the axes A.M.xx ... A.M.zz (axis
 * after axis, in world axes) and A.M.wx ... in space. Joints are derived again with these letters; their points are the origins of the ports.
 */
#include "derive/written_joints.h"

#include "joint/joint.h"

#include <math.h>
#include <string.h>

/* The letters of a port, by number; -1: none. */
typedef struct port {
    int body; /* or DAL_GROUND, which has no letters */
    int x[3], xd[3], xdd[3], axis[9], angle, w[3], wd[3], force[3], torque[3];
    dal_derived_body frame; /* the port as a body: r, R, r', w in its letters */
} port;

typedef struct network {
    dal_derivation *d;
    int n_sides, *first; /* ports of each joint begin here */
    port *ports;
    int alpha, beta;        /* letters */
    dal_node *f, *fd, *fdd; /* of each row of the layout, letters; DAL_NO_NODE: a row of the model, which has no ports */
} network;

static const char side_names[] = "MNPQ";

/* ---- letters of ports --------------------------------------------------------------------- */

static int add_letter(dal_derivation *d, dal_role role, const char *name, dal_node means)
{
    const int letter = dal_letter_add(d, role, name, 0, 0);
    d->letters[letter].means = means;
    return letter;
}

/* Letters of x, x' and x'' with one name; `means` is x. Returns the letter of x; the others follow. */
static int add_moving(dal_derivation *d, const char *name, dal_node means, dal_node rate)
{
    dal_node second = dal_along_motion(d, rate);
    for (int k = 0; k < d->nv; k++)
        second = dal_n_add(d, second, dal_n_mul(d, dal_by_rate(d, rate, k), dal_n_var(d, d->a + k)));
    const int x = add_letter(d, DAL_ROLE_PORT, name, means);
    add_letter(d, DAL_ROLE_PORT_RATE, dal_arena_print(d->arena, "%s'", name), rate);
    add_letter(d, DAL_ROLE_PORT_ACCELERATION, dal_arena_print(d->arena, "%s''", name), second);
    d->letters[x].rate = dal_n_var(d, x + 1);
    d->letters[x + 1].rate = dal_n_var(d, x + 2);
    return x;
}

static const char *word(dal_derivation *d, const char *joint, int side, const char *what)
{
    return dal_arena_print(d->arena, "%s.%c.%s", joint, side_names[side], what);
}

static void name_place(network *n, const char *joint, int side, const dal_derived_side *at, const dal_derived_body *body, port *p)
{
    static const char *const axes[] = {"x", "y", "z"};
    dal_derivation *d = n->d;
    dal_node turn[3];
    dal_n_cross(d, body->w, at->lever, turn);
    for (int i = 0; i < (int)d->mechanism->space; i++) {
        p->x[i] = add_moving(d, word(d, joint, side, axes[i]), at->x[i], dal_n_add(d, body->rd[i], turn[i]));
        p->xd[i] = p->x[i] + 1;
        p->xdd[i] = p->x[i] + 2;
        p->frame.r[i] = dal_n_var(d, p->x[i]);
        p->frame.rd[i] = dal_n_var(d, p->xd[i]);
    }
}

static void name_planar_turn(network *n, const char *joint, int side, const dal_derived_side *at, port *p)
{
    dal_derivation *d = n->d;
    const dal_node angle = dal_n_add(d, at->angle, dal_derive_number(d, fabs(at->constant) < 1e-15 ? 0 : at->constant));
    p->angle = add_moving(d, word(d, joint, side, "angle"), angle, at->w[2]);
    p->w[2] = p->angle + 1;
    p->wd[2] = p->angle + 2;
    p->frame.angle = dal_n_var(d, p->angle);
    p->frame.w[2] = dal_n_var(d, p->w[2]);
    dal_n_rotation(d, 2, p->frame.angle, p->frame.R);
}

/* Nine direction cosines, whose rates are w x e. */
static void name_turn(network *n, const char *joint, int side, const dal_derived_side *at, port *p)
{
    static const char *const axes[] = {"x", "y", "z"}, *const spins[] = {"wx", "wy", "wz"};
    dal_derivation *d = n->d;
    for (int i = 0; i < 3; i++) {
        p->w[i] = add_moving(d, word(d, joint, side, spins[i]), at->w[i], dal_along_motion(d, at->w[i]));
        /* only w and w' (the letter w'' is unused); w' with accelerations */
        dal_node rate = dal_along_motion(d, at->w[i]);
        for (int k = 0; k < d->nv; k++)
            rate = dal_n_add(d, rate, dal_n_mul(d, dal_by_rate(d, at->w[i], k), dal_n_var(d, d->a + k)));
        d->letters[p->w[i]].role = DAL_ROLE_PORT_RATE;
        d->letters[p->w[i] + 1].role = DAL_ROLE_PORT_ACCELERATION;
        d->letters[p->w[i] + 1].means = rate;
        p->wd[i] = p->w[i] + 1;
        p->frame.w[i] = dal_n_var(d, p->w[i]);
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            p->axis[3 * i + k] =
                add_letter(d, DAL_ROLE_PORT, word(d, joint, side, dal_arena_print(d->arena, "%s%s", axes[k], axes[i])), at->E[3 * i + k]);
            p->frame.R[3 * i + k] = dal_n_var(d, p->axis[3 * i + k]);
        }
    for (int k = 0; k < 3; k++) {
        const dal_node e[3] = {p->frame.R[k], p->frame.R[3 + k], p->frame.R[6 + k]};
        dal_node turn[3];
        dal_n_cross(d, p->frame.w, e, turn);
        for (int i = 0; i < 3; i++)
            d->letters[p->axis[3 * i + k]].rate = turn[i];
    }
}

static void name_port(network *n, int j, int side, const dal_derived_side *at, port *p)
{
    dal_derivation *d = n->d;
    const dal_joint *joint = &d->mechanism->joints[j];
    memset(p, 0xff, sizeof *p);
    p->body = joint->marker[side].body;
    if (p->body == DAL_GROUND)
        return;
    p->frame = (dal_derived_body){.angle = dal_n_const(d, 0)};
    dal_n_identity(d, p->frame.R);
    for (int i = 0; i < 3; i++)
        p->frame.r[i] = p->frame.rd[i] = p->frame.w[i] = dal_n_const(d, 0);
    name_place(n, joint->name, side, at, &d->bodies[p->body], p);
    if (!d->layout->body[p->body].n_rot)
        return;
    if (dal_n_planar(d))
        name_planar_turn(n, joint->name, side, at, p);
    else
        name_turn(n, joint->name, side, at, p);
}

/* Does this joint have ports? Couplings connect coordinates of other joints, and entries of `constraints:` connect the elements that they name. */
static bool has_ports(const dal_derivation *d, int j)
{
    return j < d->spec->n_joints && d->mechanism->joints[j].type->class == DAL_JOINT_PAIR;
}

static void name_ports(network *n)
{
    dal_derivation *d = n->d;
    const int joints = d->mechanism->n_joints;
    n->first = DAL_NEW(d->arena, int, joints + 1);
    n->ports = DAL_NEW(d->arena, port, DAL_MOST_POINTS * joints);
    for (int j = 0; j < joints; j++) {
        n->first[j] = n->n_sides;
        if (!has_ports(d, j))
            continue;
        const dal_joint_scope scope = dal_derive_sides(d, j);
        for (int k = 0; k < scope.n_sides; k++)
            name_port(n, j, k, &scope.side[k], &n->ports[n->n_sides++]);
    }
    n->first[joints] = n->n_sides;
}

/* ---- a joint in the letters of its ports ----------------------------------------------------- */

/* B^T (s - s_marker) of a point, B^T s of a direction; values within rounding of integers become integers. */
static void in_port_axes(const dal_marker *marker, dal_vector *v)
{
    double local[3], turned[3];
    for (int i = 0; i < 3; i++)
        local[i] = v->s[i] - (v->point ? marker->s[i] : 0);
    for (int i = 0; i < 3; i++) {
        turned[i] = marker->B[i] * local[0] + marker->B[3 + i] * local[1] + marker->B[6 + i] * local[2];
        const double whole = floor(turned[i] + 0.5);
        turned[i] = fabs(turned[i] - whole) < 1e-15 ? whole : turned[i];
    }
    memcpy(v->s, turned, sizeof turned);
}

typedef struct exchange {
    const dal_mechanism *mechanism;
    dal_derived_body *bodies;
    dal_symbolic_marker *markers;
    dal_mechanism own;
} exchange;

/* Replaces the bodies of joint j by ports in the derivation, until `leave`. */
static void enter_ports(network *n, int j, exchange *e)
{
    dal_derivation *d = n->d;
    *e = (exchange){d->mechanism, d->bodies, d->markers, *d->mechanism};
    dal_mechanism *m = &e->own;
    m->vectors = DAL_NEW(d->arena, dal_vector, m->n_vectors);
    m->joints = DAL_NEW(d->arena, dal_joint, m->n_joints);
    memcpy(m->vectors, e->mechanism->vectors, sizeof *m->vectors * (size_t)m->n_vectors);
    memcpy(m->joints, e->mechanism->joints, sizeof *m->joints * (size_t)m->n_joints);
    d->bodies = DAL_NEW(d->arena, dal_derived_body, m->n_bodies);
    d->markers = DAL_NEW(d->arena, dal_symbolic_marker, 2 * m->n_joints);
    memcpy(d->bodies, e->bodies, sizeof *d->bodies * (size_t)m->n_bodies);
    memcpy(d->markers, e->markers, sizeof *d->markers * (size_t)(2 * m->n_joints));
    for (int k = n->first[j + 1] - n->first[j] - 1; k >= 0; k--) {
        const port *p = &n->ports[n->first[j] + k];
        const dal_marker marker = e->mechanism->joints[j].marker[k];
        dal_marker *own = &m->joints[j].marker[k];
        if (p->body == DAL_GROUND)
            continue;
        d->bodies[p->body] = p->frame;
        for (int v = 0; v < m->n_vectors; v++)
            if (m->vectors[v].body == p->body) {
                m->vectors[v] = e->mechanism->vectors[v];
                in_port_axes(&marker, &m->vectors[v]);
            }
        for (int i = 0; i < 9; i++)
            own->B[i] = i % 4 == 0;
        memset(own->s, 0, sizeof own->s);
        if (k < 2)
            dal_derive_marker(d, (dal_text){0}, own, &d->markers[2 * j + k]);
    }
    d->mechanism = m;
    d->in_ports = true;
}

static void leave(network *n, const exchange *e)
{
    n->d->mechanism = e->mechanism;
    n->d->bodies = e->bodies;
    n->d->markers = e->markers;
    n->d->in_ports = false;
}

/* A row of a joint type of the model's own: its words refer to the ports. */
static void derive_written(network *n, int j, int number, dal_derived_row *out)
{
    dal_derivation *d = n->d;
    dal_joint_scope scope = dal_derive_sides(d, j);
    for (int k = 0; k < scope.n_sides; k++) {
        const port *p = &n->ports[n->first[j] + k];
        dal_derived_side *side = &scope.side[k];
        if (p->body == DAL_GROUND)
            continue;
        memcpy(side->x, p->frame.r, sizeof side->x);
        memcpy(side->E, p->frame.R, sizeof side->E);
        memcpy(side->w, p->frame.w, sizeof side->w);
        side->angle = p->frame.angle;
        side->constant = 0;
    }
    d->in_ports = true;
    const dal_node f = dal_derive_written_row(d, &scope, number);
    d->in_ports = false;
    const bool nonholonomic = d->mechanism->rows[number].nonholonomic;
    out->phi = nonholonomic ? DAL_NO_NODE : f;
    out->rate = nonholonomic ? f : dal_along_motion(d, f);
}

/* f, f', f'' of row r in the letters of the ports, as letters with these names. */
static void derive_row_in_ports(network *n, int r)
{
    dal_derivation *d = n->d;
    const int number = d->layout->row[r].source, j = d->mechanism->rows[number].joint;
    const char *title = d->mechanism->joints[j].name;
    exchange e;
    dal_derived_row own = {0};
    if (d->mechanism->rows[number].equation)
        derive_written(n, j, number, &own);
    else {
        enter_ports(n, j, &e);
        dal_derive_row_form(d, number, &own);
        leave(n, &e);
    }
    const dal_node second = dal_along_motion(d, own.rate);
    dal_node in_bodies = dal_n_neg(d, d->row[r].gamma);
    for (int k = 0; k < d->nv; k++)
        in_bodies = dal_n_add(d, in_bodies, dal_n_mul(d, d->A[r * d->nv + k], dal_n_var(d, d->a + k)));
    char *name = dal_arena_print(d->arena, "f.%s", d->row[r].name);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '.' : *c;
    const char *text[] = {dal_arena_print(d->arena, "Joint '%s', in the variables of its ports (13):", title),
                          "Its rate (24):", "Its acceleration (26):"};
    const dal_node value[] = {own.phi, own.rate, second}, check[] = {d->row[r].phi, d->row[r].rate, in_bodies};
    dal_node *letter[] = {&n->f[r], &n->fd[r], &n->fdd[r]};
    for (int i = 0; i < 3; i++) {
        const char *step = dal_arena_print(d->arena, "%s%.*s", name, i, "''");
        *letter[i] = DAL_NO_NODE;
        if (value[i] == DAL_NO_NODE)
            continue;
        *letter[i] = dal_n_var(d, add_letter(d, i == 0 ? DAL_ROLE_PORT : i == 1 ? DAL_ROLE_PORT_RATE : DAL_ROLE_PORT_ACCELERATION, step, value[i]));
        dal_add_derived_step(d, text[i], step, value[i], check[i]);
    }
    for (int k = n->first[j]; k < n->first[j + 1]; k++) /* (17) */
        for (int i = 0; i < 3; i++) {
            port *p = &n->ports[k];
            const dal_node lambda = dal_n_var(d, d->lambda + r);
            if (p->body == DAL_GROUND)
                continue;
            if (p->xd[i] >= 0)
                p->frame.c[i] = dal_n_add(d, p->frame.c[i], dal_n_mul(d, lambda, dal_diff(d->graph, own.rate, p->xd[i])));
            if (p->w[i] >= 0)
                p->frame.cd[i] = dal_n_add(d, p->frame.cd[i], dal_n_mul(d, lambda, dal_diff(d->graph, own.rate, p->w[i])));
        }
}

static void publish_wrenches(network *n, int j)
{
    static const char *const forces[] = {"Fx", "Fy", "Fz"}, *const torques[] = {"Tx", "Ty", "Tz"};
    dal_derivation *d = n->d;
    const char *joint = d->mechanism->joints[j].name;
    for (int k = n->first[j]; k < n->first[j + 1]; k++) {
        port *p = &n->ports[k];
        const int side = k - n->first[j];
        const char *text = dal_arena_print(d->arena, "What joint '%s' does to '%s' at %c (17):", joint,
                                           p->body == DAL_GROUND ? "the ground" : d->mechanism->bodies[p->body].name, side_names[side]);
        if (p->body == DAL_GROUND)
            continue;
        for (int i = 0; i < 6; i++) {
            const bool turn = i >= 3;
            const dal_node means = (turn ? p->frame.cd : p->frame.c)[i % 3];
            if ((turn ? p->w : p->xd)[i % 3] < 0 || dal_n_is(d, means, 0))
                continue;
            const char *name = word(d, joint, side, turn ? dal_n_planar(d) ? "T" : torques[i % 3] : forces[i % 3]);
            (turn ? p->torque : p->force)[i % 3] = add_letter(d, DAL_ROLE_WRENCH, name, means);
            dal_add_derived_step(d, text, name, means, DAL_NO_NODE);
            text = "";
        }
    }
}

static void derive_joints(network *n)
{
    dal_derivation *d = n->d;
    n->f = DAL_NEW(d->arena, dal_node, d->n_rows);
    n->fd = DAL_NEW(d->arena, dal_node, d->n_rows);
    n->fdd = DAL_NEW(d->arena, dal_node, d->n_rows);
    for (int k = 0; k < n->n_sides; k++)
        for (int i = 0; i < 3; i++)
            n->ports[k].frame.c[i] = n->ports[k].frame.cd[i] = dal_n_const(d, 0); /* the wrenches */
    for (int r = 0; r < d->n_rows; r++)
        n->f[r] = n->fd[r] = n->fdd[r] = DAL_NO_NODE;
    for (int j = 0; j < d->mechanism->n_joints; j++) {
        for (int r = 0; r < d->layout->n_extrinsic; r++)
            if (has_ports(d, j) && d->mechanism->rows[d->layout->row[r].source].joint == j)
                derive_row_in_ports(n, r);
        publish_wrenches(n, j);
    }
}

/* ---- bodies ------------------------------------------------------------------------------------- */

/* (19), (25), (27) of the ports of a body. */
static void publish_motion(network *n, int b)
{
    dal_derivation *d = n->d;
    for (int k = 0; k < n->n_sides; k++) {
        const port *p = &n->ports[k];
        const char *text = dal_arena_print(d->arena, "'%s' publishes (19), (25), (27):", d->mechanism->bodies[b].name);
        if (p->body != b)
            continue;
        for (int order = 0; order < 3; order++) {
            int letters[15], m = 0;
            for (int i = 0; i < 3; i++)
                letters[m++] = order == 0 ? p->x[i] : order == 1 ? p->xd[i] : p->xdd[i];
            letters[m++] = order == 0 ? p->angle : -1;
            for (int i = 0; i < 9; i++)
                letters[m++] = order == 0 ? p->axis[i] : -1;
            for (int i = 0; i < 3; i++)
                if (order > 0 && m < 15)
                    letters[m++] = order == 1 ? p->w[i] : p->wd[i];
            if (order > 0)
                letters[3] = p->angle >= 0 ? -1 : letters[3];
            for (int i = 0; i < m; i++)
                if (letters[i] >= 0) {
                    dal_add_derived_step(d, text, d->letters[letters[i]].name, d->letters[letters[i]].means, DAL_NO_NODE);
                    text = "";
                }
        }
    }
}

/* (5), (9): M v' + h = Q plus the wrenches at the ports; rows without ports act on the coordinates themselves. */
static void add_body_equations(network *n, int b)
{
    dal_derivation *d = n->d;
    const dal_body_layout *at = &d->layout->body[b];
    for (int k = at->v; k < at->v + at->nv; k++) {
        dal_node zero = dal_n_sub(d, d->h[k], d->Q[k]);
        for (int l = at->v; l < at->v + at->nv; l++)
            zero = dal_n_add(d, zero, dal_n_mul(d, d->M[k * d->nv + l], dal_n_var(d, d->a + l)));
        for (int s = 0; s < n->n_sides; s++) {
            const port *p = &n->ports[s];
            for (int i = 0; i < 3 && p->body == b; i++) {
                if (p->force[i] >= 0)
                    zero = dal_n_sub(d, zero, dal_n_mul(d, dal_n_var(d, p->force[i]), dal_by_rate(d, d->letters[p->xd[i]].means, k)));
                if (p->torque[i] >= 0)
                    zero = dal_n_sub(d, zero, dal_n_mul(d, dal_n_var(d, p->torque[i]), dal_by_rate(d, d->letters[p->w[i]].means, k)));
            }
        }
        for (int r = 0; r < d->n_rows; r++)
            if (n->fdd[r] == DAL_NO_NODE)
                zero = dal_n_sub(d, zero, dal_n_mul(d, d->A[r * d->nv + k], dal_n_var(d, d->lambda + r)));
        dal_add_derived_equation(d, d->velocity_names[k], zero);
    }
}

/* (23) */
static void add_joint_equations(network *n)
{
    dal_derivation *d = n->d;
    const dal_node two_alpha = dal_n_mul(d, dal_n_const(d, 2), dal_n_var(d, n->alpha));
    const dal_node beta = dal_n_mul(d, dal_n_var(d, n->beta), dal_n_var(d, n->beta));
    for (int r = 0; r < d->n_rows; r++) {
        dal_node second = n->fdd[r], rate = n->fd[r], phi = n->f[r];
        if (second == DAL_NO_NODE) {
            second = dal_n_neg(d, d->row[r].gamma);
            for (int k = 0; k < d->nv; k++)
                second = dal_n_add(d, second, dal_n_mul(d, d->A[r * d->nv + k], dal_n_var(d, d->a + k)));
            rate = d->row[r].rate;
            phi = d->row[r].phi;
        }
        dal_node zero = dal_n_add(d, second, dal_n_mul(d, two_alpha, rate));
        if (phi != DAL_NO_NODE) /* otherwise a condition on velocities */
            zero = dal_n_add(d, zero, dal_n_mul(d, beta, phi));
        dal_add_derived_equation(d, d->row[r].name, zero);
    }
}

/* alpha, or baumgarte.alpha if the model has its own alpha. */
static int add_constant(dal_derivation *d, const char *name, double value)
{
    const char *rest;
    int i;
    const bool taken = dal_find_element(d, NULL, name, &i, &rest) != DAL_ELEMENT_NONE;
    return dal_letter_add(d, DAL_ROLE_PARAMETER, taken ? dal_arena_print(d->arena, "baumgarte.%s", name) : name, -1, value);
}

static void derive_component(dal_derivation *d)
{
    network n = {.d = d};
    const dal_method *method = dal_system_method(d->system);
    const bool stabilised = method->stabilization->stabilises_gamma;
    n.alpha = add_constant(d, "alpha", stabilised ? method->alpha : 0);
    n.beta = add_constant(d, "beta", stabilised ? method->beta : 0);
    dal_derive_inertia(d);
    name_ports(&n);
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        publish_motion(&n, b);
    derive_joints(&n);
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        add_body_equations(&n, b);
    add_joint_equations(&n);
    dal_add_saddle_blocks(d);
}

const dal_derived_formulation dal_derived_component =
    DAL_DERIVED("component", "bodies and joints that exchange port variables",
                "bodies: M v' + h = Q + wrenches at the ports;  joints: f'' + 2 alpha f' + beta^2 f = 0",
                "planar-component-library (5), (9), (13), (17), (19)-(27)", derive_component, .ports = true, .solution = DAL_SOLVED_BY_PORTS,
                .latex = "M\\,\\dot{v} + h = Q + \\sum w, \\qquad \\ddot{f} + 2\\alpha\\dot{f} + \\beta^{2} f = 0");
