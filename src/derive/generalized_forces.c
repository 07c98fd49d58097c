/* Potential energy and generalized forces of the force elements.
 *
 *   gravity            V = -sum m g . c
 *   spring, damper     V = 1/2 k (l - l0)^2,   Q_k = (-c l' + value) dl/dq_k
 *   force, torque      Q_k = F . dv/dv_k,   Q_k = tau . dw/dv_k;   an effort on a measure l: Q_k = effort dl/dq_k
 *   end-stop, clearance, bushing   in elastic_elements.c
 *   central gravity    V = -mu m / rho - mu / (2 rho^3) tr I + 3 mu / (2 rho^5) d . I d
 * and Q = -dV/dq + the others.
 */
#include "derive/force_elements.h"

#include "joint/joint.h"

#include <string.h>

typedef dal_derived_force element;

/* ---- texts -------------------------------------------------------------------------- */

dal_node dal_force_read(const element *e, dal_text text)
{
    dal_value value;
    if (text.text && dal_derive_text(e->d, e->spec->binding, text, &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(e->d, "force '%s': '%.80s' cannot be written in symbols", e->spec->name.text, text.text ? text.text : "");
    return dal_n_const(e->d, 0);
}

dal_node dal_force_read_item(const element *e, const dal_list *list, int i)
{
    return i < list->n ? dal_force_read(e, list->item[i]) : dal_n_const(e->d, 0);
}

/* ---- what a force acts on ---------------------------------------------------------------- */

dal_node dal_force_length(const element *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    const dal_force_name *force = &dal_system_acting(d->system)->forces[e->number];
    const char *rest;
    int j;
    if (force->measure < 0)
        return DAL_NO_NODE;
    if (e->spec->joint.text && dal_find_element(d, NULL, e->spec->joint.text, &j, &rest) == DAL_ELEMENT_JOINT) {
        const dal_joint *joint = &d->mechanism->joints[j];
        for (int k = 0; k < joint->n_coordinates; k++)
            if (joint->coordinate[k] == force->measure)
                return dal_derive_joint_coordinate(d, j, k);
    }
    if (e->spec->connect.n == 2 && type->acts != DAL_ACTS_BY_TORQUE) {
        const dal_measure *measure = &d->mechanism->measures[force->measure];
        dal_symbolic_marker near[2];
        for (int i = 0; i < 2; i++) {
            const dal_vector *v = &d->mechanism->vectors[measure->vector[1 - i]];
            const dal_marker compiled = {.body = v->body, .s = {v->s[0], v->s[1], v->s[2]}, .B = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            dal_derive_marker(d, e->spec->connect.item[i], &compiled, &near[i]);
        }
        return dal_derive_measure(d, force->measure, 2, near);
    }
    return dal_derive_measure(d, force->measure, 0, NULL);
}

static void add_other(dal_derivation *d, int k, dal_node force)
{
    d->Q_other[k] = dal_n_add(d, d->Q_other[k], force);
}

void dal_force_push(dal_derivation *d, dal_node measure, dal_node effort)
{
    if (d->layout->family->separated)
        dal_push_natural(d, measure, effort, d->Q_other);
    for (int k = 0; k < d->nv && !d->layout->family->separated; k++)
        add_other(d, k, dal_n_mul(d, effort, dal_along_column(d, measure, k)));
}

/* A force, or a torque, on a point or body with this velocity. */
static void push_velocity(dal_derivation *d, const dal_node velocity[3], const dal_node force[3])
{
    for (int k = 0; k < d->nv; k++)
        for (int i = 0; i < 3; i++)
            add_other(d, k, dal_n_mul(d, force[i], dal_by_rate(d, velocity[i], k)));
}

/* ---- the elements ---------------------------------------------------------------------------- */

dal_node dal_derive_weight(const dal_derivation *d, int body)
{
    return d->weights ? d->weights[body] : d->bodies[body].mass;
}

static void derive_gravity(dal_derivation *d)
{
    const double *compiled = dal_system_acting(d->system)->gravity;
    const dal_text none = {0};
    dal_node g[3];
    for (int i = 0; i < 3; i++)
        g[i] = dal_derive_constant(d, NULL, i < d->spec->gravity.n ? d->spec->gravity.item[i] : none, compiled[i]);
    memcpy(d->gravity, g, sizeof d->gravity);
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        d->V = dal_n_sub(d, d->V, dal_n_mul(d, dal_derive_weight(d, b), dal_n_dot(d, g, d->bodies[b].c)));
    d->V_gravity = d->V;
}

static void derive_spring(const element *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    const dal_node length = dal_force_length(e, type);
    if (length == DAL_NO_NODE)
        return;
    if (e->spec->stiffness.n) {
        const dal_text free = e->spec->free.text ? e->spec->free : e->spec->length;
        const dal_node stretch = free.text ? dal_n_sub(d, length, dal_force_read(e, free)) : length;
        const dal_node energy = dal_n_mul(d, dal_force_read_item(e, &e->spec->stiffness, 0), dal_n_mul(d, stretch, stretch));
        d->V = dal_n_add(d, d->V, dal_n_div(d, energy, dal_n_const(d, 2)));
    }
    dal_node effort = dal_n_const(d, 0);
    if (e->spec->damping.n)
        effort = dal_n_neg(d, dal_n_mul(d, dal_force_read_item(e, &e->spec->damping, 0), dal_along_motion(d, length)));
    if (e->spec->value.n == 1)
        effort = dal_n_add(d, effort, dal_force_read_item(e, &e->spec->value, 0));
    dal_force_push(d, length, effort);
}

/* Component i of the value. An effort of one number may have limits. */
static dal_node value_of(const element *e, int i)
{
    dal_graph *graph = e->d->graph;
    dal_node value = dal_force_read_item(e, &e->spec->value, i);
    if (e->spec->limit.n != 2)
        return value;
    value = dal_binary(graph, DAL_OP_MIN, dal_force_read_item(e, &e->spec->limit, 1), value);
    return dal_binary(graph, DAL_OP_MAX, dal_force_read_item(e, &e->spec->limit, 0), value);
}

/* Components in world axes. */
static void world_components(const element *e, int body, dal_node f[3])
{
    const char *axes = e->spec->axes.text;
    for (int i = 0; i < 3; i++)
        f[i] = value_of(e, i);
    if (dal_n_planar(e->d) && e->spec->value.n == 1) { /* a torque in the plane */
        f[2] = f[0];
        f[0] = dal_n_const(e->d, 0);
    }
    if (axes && !strcmp(axes, "body") && body != DAL_GROUND)
        dal_n_turn(e->d, e->d->bodies[body].R, f, f);
}

/* The body of a name, or -1: the ground; *point is the place in it. */
static int body_of(const element *e, dal_text name, dal_node point[3])
{
    dal_derivation *d = e->d;
    const char *rest;
    int b;
    for (int i = 0; i < 3; i++)
        point[i] = dal_n_const(d, 0);
    if (!strcmp(name.text, "ground") || !strncmp(name.text, "ground.", 7))
        return DAL_GROUND;
    if (dal_find_element(d, NULL, name.text, &b, &rest) != DAL_ELEMENT_BODY) {
        dal_derive_refuse(d, "force '%s' acts on '%s', which is not written in symbols here", e->spec->name.text, name.text);
        return DAL_GROUND;
    }
    const dal_body_spec *spec = &d->spec->bodies[b];
    for (int k = 0; k < spec->points.n && rest[0] == '.'; k++)
        if (!strcmp(spec->points.item[k].name.text, rest + 1))
            for (int i = 0; i < 3 && i < spec->points.item[k].at.n; i++) {
                dal_value value;
                const dal_point_spec *p = &spec->points.item[k];
                if (dal_derive_text(d, p->binding ? p->binding : spec->binding, p->at.item[i], &value) && value.n == 1)
                    point[i] = value.node[0];
                else
                    dal_derive_refuse(d, "point '%s' cannot be written in symbols", name.text);
            }
    return b;
}

static void derive_force(const element *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    dal_node s[3], f[3], x[3], turn[3];
    const dal_node length = dal_force_length(e, type);
    if (length != DAL_NO_NODE) {
        dal_force_push(d, length, value_of(e, 0));
        return;
    }
    const int body = body_of(e, e->spec->body, s);
    if (body == DAL_GROUND)
        return;
    world_components(e, body, f);
    dal_n_turn(d, d->bodies[body].R, s, x);
    dal_n_cross(d, d->bodies[body].w, x, turn);
    dal_n_sum(d, d->bodies[body].rd, turn, x);
    push_velocity(d, x, f);
}

static void derive_torque(const element *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    dal_node s[3], f[3], back[3];
    int body[2] = {DAL_GROUND, DAL_GROUND};
    if (e->spec->joint.text || (e->spec->coordinate.text && !e->spec->connect.n && !e->spec->body.text)) {
        dal_force_push(d, dal_force_length(e, type), value_of(e, 0));
        return;
    }
    if (e->spec->connect.n == 2) { /* on the second, and reversed on the first */
        body[0] = body_of(e, e->spec->connect.item[1], s);
        body[1] = body_of(e, e->spec->connect.item[0], s);
    } else
        body[0] = body_of(e, e->spec->body, s);
    world_components(e, e->spec->connect.n == 2 ? body[1] : body[0], f);
    for (int i = 0; i < 3; i++)
        back[i] = dal_n_neg(d, f[i]);
    if (body[0] != DAL_GROUND)
        push_velocity(d, d->bodies[body[0]].w, f);
    if (body[1] != DAL_GROUND)
        push_velocity(d, d->bodies[body[1]].w, back);
}

static void derive_motor(const element *e, const dal_force_type *type)
{
    dal_force_push(e->d, dal_force_length(e, type), value_of(e, 0));
}

/* The potential of one body; with `gradient`, its second-order part. */
static void attract(const element *e, int b, dal_node mu, bool gradient)
{
    dal_derivation *d = e->d;
    const dal_derived_body *body = &d->bodies[b];
    dal_node x[3], local[3], Ix[3];
    for (int i = 0; i < 3; i++)
        x[i] = dal_n_sub(d, body->c[i], dal_force_read_item(e, &e->spec->center, i));
    const dal_node square = dal_n_dot(d, x, x), rho = dal_unary(d->graph, DAL_OP_SQRT, square), cube = dal_n_mul(d, square, rho);
    d->V = dal_n_sub(d, d->V, dal_n_div(d, dal_n_mul(d, mu, dal_derive_weight(d, b)), rho));
    if (!gradient)
        return;
    dal_n_turn_back(d, body->R, x, local);
    dal_n_turn(d, body->inertia, local, Ix);
    const dal_node trace = dal_n_add(d, body->inertia[0], dal_n_add(d, body->inertia[4], body->inertia[8])), two = dal_n_const(d, 2);
    const dal_node first = dal_n_div(d, dal_n_mul(d, mu, trace), dal_n_mul(d, two, cube));
    const dal_node second =
        dal_n_div(d, dal_n_mul(d, dal_n_mul(d, dal_n_const(d, 3), mu), dal_n_dot(d, local, Ix)), dal_n_mul(d, two, dal_n_mul(d, cube, square)));
    d->V = dal_n_add(d, d->V, dal_n_sub(d, second, first));
}

static void derive_central(const element *e, const dal_force_type *type)
{
    dal_derivation *d = e->d;
    const bool gradient = e->spec->gradient.text && !strcmp(e->spec->gradient.text, "true");
    const dal_node mu = dal_force_read(e, e->spec->mu);
    dal_node s[3];
    (void)type;
    const int only = e->spec->body.text ? body_of(e, e->spec->body, s) : DAL_GROUND;
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        if (only == DAL_GROUND || only == b)
            attract(e, b, mu, gradient);
}

/* A type, and its function; types that are not listed are refused by name. */
static const struct {
    const dal_force_type *type;
    void (*derive)(const element *e, const dal_force_type *type);
} written[] = {{&dal_force_spring_damper, derive_spring}, {&dal_force_torsional, derive_spring},      {&dal_force_point, derive_force},
               {&dal_force_torque, derive_torque},        {&dal_force_motor, derive_motor},           {&dal_force_coordinate, derive_motor},
               {&dal_force_central, derive_central},      {&dal_force_end_stop, dal_derive_end_stop}, {&dal_force_clearance, dal_derive_clearance},
               {&dal_force_bushing, dal_derive_bushing}};

static void derive_element(dal_derivation *d, int i)
{
    const element e = {d, &d->spec->forces[i], i};
    const dal_force_type *type = dal_force_type_find(e.spec->type.text);
    for (size_t k = 0; k < sizeof written / sizeof *written; k++)
        if (written[k].type == type) {
            written[k].derive(&e, type);
            return;
        }
    dal_derive_refuse(d, "force '%s' of type %s is not written in symbols yet", e.spec->name.text, e.spec->type.text);
}

/* The same, with the markers of the element (origins.c) before its potential and before its other forces. */
static void derive_marked_element(dal_derivation *d, int i)
{
    const int marker = d->first_source + 2 * (d->mechanism->n_bodies + i);
    const dal_node V = d->V, zero = dal_n_const(d, 0);
    dal_node *Q = d->Q_other;
    d->V = zero;
    d->Q_other = DAL_NEW(d->arena, dal_node, d->nv);
    for (int k = 0; k < d->nv; k++)
        d->Q_other[k] = zero;
    derive_element(d, i);
    d->V = dal_n_add(d, V, dal_n_mul(d, dal_n_var(d, marker), d->V));
    for (int k = 0; k < d->nv; k++)
        Q[k] = dal_n_add(d, Q[k], dal_n_mul(d, dal_n_var(d, marker + 1), d->Q_other[k]));
    d->Q_other = Q;
}

/* ---- joints and constraints that are not ideal ----------------------------------------------- */

static dal_node read_law(dal_derivation *d, const char *name, const dal_binding *binding, dal_text text)
{
    dal_value value;
    if (dal_derive_text(d, binding, text, &value) && value.n == 1)
        return value.node[0];
    dal_derive_refuse(d, "`non-ideal` of '%s': '%.80s' cannot be written in symbols", name, text.text);
    return dal_n_const(d, 0);
}

/* The channel along which a law acts: a coordinate of the joint by its short name, or any channel of position. */
static dal_node channel_of_law(dal_derivation *d, int number, const char *name, const dal_pair *pair)
{
    const dal_joint *joint = &d->mechanism->joints[number];
    const dal_joint_variant *variant = number < d->spec->n_joints ? dal_joint_in(joint->type, d->mechanism->space) : NULL;
    for (int k = 0; variant && k < joint->n_coordinates && k < DAL_MAX_COORDINATES; k++)
        if (variant->coordinates[k] && !strcmp(variant->coordinates[k], pair->name.text))
            return dal_derive_joint_coordinate(d, number, k);
    return read_law(d, name, pair->binding, pair->name);
}

/* `non-ideal`: forces along channels. They belong to a reaction and act like applied forces (compile/laws.c). */
static void derive_laws(dal_derivation *d, int number, const char *name, const dal_law_spec *law)
{
    for (int i = 0; i < law->n && !d->failed; i++)
        dal_force_push(d, channel_of_law(d, number, name, &law->item[i]), read_law(d, name, law->item[i].binding, law->item[i].value));
}

/* Elements, laws and sub-systems: their parts of V and Q_other. */
static void derive_elements(dal_derivation *d)
{
    for (int i = 0; i < d->spec->n_forces && !d->failed; i++)
        (d->first_source ? derive_marked_element : derive_element)(d, i);
    for (int j = 0; j < d->spec->n_joints; j++)
        derive_laws(d, j, d->spec->joints[j].name.text, &d->spec->joints[j].law);
    for (int i = 0; i < d->spec->n_constraints; i++)
        derive_laws(d, d->spec->n_joints + i, d->spec->constraints[i].name.text, &d->spec->constraints[i].law);
    dal_derive_subsystem_forces(d);
}

void dal_derive_forces(dal_derivation *d)
{
    const dal_acting *acting = dal_system_acting(d->system);
    d->Q = DAL_NEW(d->arena, dal_node, d->nv);
    d->Q_other = DAL_NEW(d->arena, dal_node, d->nv);
    d->V = dal_n_const(d, 0);
    for (int k = 0; k < d->nv; k++)
        d->Q_other[k] = dal_n_const(d, 0);
    if (acting->n_frictions)
        dal_derive_refuse(d,
                          "the model has dry friction, whose equations change with what slides and sticks: they are not written in symbols; a force "
                          "without jumps is, as -mu*N*max(-1, min(1, v/v0)) with a small v0");
    derive_gravity(d);
    dal_node V = d->V;
    if (d->formulation->weightless)
        d->V = dal_n_const(d, 0);
    derive_elements(d);
    if (d->formulation->weightless) {
        const dal_node rest = d->V;
        d->V = dal_n_add(d, V, rest);
        V = rest;
    } else
        V = d->V;
    for (int k = 0; k < d->nv; k++)
        d->Q[k] = d->layout->family->separated ? d->Q_other[k] : dal_n_sub(d, d->Q_other[k], dal_along_column(d, V, k));
    if (d->layout->family->separated)
        dal_push_natural(d, d->V, dal_n_const(d, -1), d->Q);
}
