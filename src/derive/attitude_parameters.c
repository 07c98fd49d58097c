/* Bodies placed by more numbers than an attitude has: Euler parameters, direction cosines.
 *
 *   euler    p = (e0, e), in the plane (e0, e3);  n = p . p
 *            R = 1 + 2/n (e0 [e x] + [e x]^2),   w = 2/n (e0 e' - e0' e + e x e'),  in body axes 2/n (e0 e' - e0' e - e x e')
 *            one row a body:  n - 1 = 0
 *   natural  the columns R_k of R are coordinates;  w = 1/2 sum of R_k x R_k',  in body axes w_i = 1/2 (R_k . R_j' - R_j . R_k')
 *            rows:  R_a . R_c = 1 for a = c, else 0.  With linear rows eliminated, r and R are B z + b with numbers B and b
 *
 * R is that of p/|p|: derivatives by p see n. On the constraint n = 1 and n' = 2 p . p' = 0, so n and s = p . p' are letters with rules of
 * their own for derivatives (dn/dp_k = 2 p_k, ds/dp'_k = p_k, n' = 2 s, s' = p' . p'), and 1 and 0 replace them when everything is derived. Natural
 * coordinates are such letters, too, if linear rows were eliminated: B z + b replaces them.
 */
#include "derive/placed_bodies.h"

#include "kinematics/reduction.h"

#include <string.h>

bool dal_places_by_parameters(const dal_derivation *d)
{
    return d->layout->family->separated || d->layout->n_intrinsic > 0;
}

/* ---- Euler parameters ------------------------------------------------------------------ */

/* The letter of the first parameter of a body, among its coordinates or rates. */
static int first_parameter(const dal_derivation *d, int b)
{
    return d->layout->body[b].q + (int)d->mechanism->space;
}

static void read_parameters(dal_derivation *d, int first, dal_node p[4])
{
    for (int i = 0; i < 4; i++)
        p[i] = !dal_n_planar(d) ? dal_n_var(d, first + i) : i == 0 || i == 3 ? dal_n_var(d, first + (i == 3)) : dal_n_const(d, 0);
}

/* 2/n (e0 e' - e0' e + sign e x e') */
static void spin(dal_derivation *d, const dal_node p[4], const dal_node pd[4], dal_node k, bool own, dal_node w[3])
{
    dal_node turn[3];
    dal_n_cross(d, p + 1, pd + 1, turn);
    for (int i = 0; i < 3; i++) {
        const dal_node plain = dal_n_sub(d, dal_n_mul(d, p[0], pd[1 + i]), dal_n_mul(d, pd[0], p[1 + i]));
        w[i] = dal_n_mul(d, k, own ? dal_n_sub(d, plain, turn[i]) : dal_n_add(d, plain, turn[i]));
    }
}

static void place_by_euler(dal_derivation *d, int b)
{
    dal_derived_body *body = &d->bodies[b];
    dal_node p[4], pd[4];
    if (!d->layout->body[b].n_rot)
        return;
    d->norm[b] = dal_letter_add(d, DAL_ROLE_NORM, "n", b, 1);
    d->norm_rate[b] = dal_letter_add(d, DAL_ROLE_NORM_RATE, "n'", b, 0);
    const dal_node k = dal_n_div(d, dal_n_const(d, 2), dal_n_var(d, d->norm[b]));
    read_parameters(d, d->q + first_parameter(d, b), p);
    read_parameters(d, d->v + first_parameter(d, b), pd);
    dal_n_quaternion_rotation(d, p, k, body->R);
    spin(d, p, pd, k, false, body->w);
    spin(d, p, pd, k, true, body->w_body);
    if (dal_n_planar(d))
        body->angle = dal_n_mul(d, dal_n_const(d, 2), dal_binary(d->graph, DAL_OP_ATAN2, p[3], p[0]));
}

/* ---- direction cosines -------------------------------------------------------------------- */

/* The letter of natural coordinate i of a body: one of q; if linear rows were eliminated, a letter that B z + b replaces at the end. */
static int natural_letter(const dal_derivation *d, int b, int i)
{
    return d->layout->reduction ? d->natural + d->layout->reduction->natural[b] + i : d->q + d->layout->body[b].q + i;
}

/* The load of a gradient on a body: the force -d/dr and the moment sum of R_k x (-d/dR_k) about r, which does work on w. The rest of -d/dR_k strains
 * the body, which the intrinsic rows forbid. */
void dal_push_natural(dal_derivation *d, dal_node potential, dal_node factor, dal_node *Q)
{
    const int space = (int)d->mechanism->space;
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const dal_derived_body *body = &d->bodies[b];
        dal_node force[3], moment[3], column[3], slope[3], turn[3];
        dal_zero_vector(d, force);
        dal_zero_vector(d, moment);
        for (int i = 0; i < space; i++)
            force[i] = dal_n_mul(d, factor, dal_diff(d->graph, potential, natural_letter(d, b, i)));
        for (int k = 0; k < space && d->layout->body[b].n_rot; k++) {
            dal_zero_vector(d, column);
            dal_zero_vector(d, slope);
            for (int i = 0; i < space; i++) {
                column[i] = body->R[3 * i + k];
                slope[i] = dal_n_mul(d, factor, dal_diff(d->graph, potential, natural_letter(d, b, space + space * k + i)));
            }
            dal_n_cross(d, column, slope, turn);
            dal_n_sum(d, moment, turn, moment);
        }
        for (int k = 0; k < d->nv; k++)
            for (int i = 0; i < 3; i++) {
                Q[k] = dal_n_add(d, Q[k], dal_n_mul(d, force[i], dal_by_rate(d, body->rd[i], k)));
                if (!dal_n_is(d, moment[i], 0))
                    Q[k] = dal_n_add(d, Q[k], dal_n_mul(d, moment[i], dal_by_rate(d, body->w[i], k)));
            }
    }
}

static void column_of(const dal_node R[9], int k, dal_node out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i + k];
}

/* r and R as letters. */
void dal_place_natural(dal_derivation *d, int b)
{
    dal_derived_body *body = &d->bodies[b];
    const int space = (int)d->mechanism->space;
    dal_zero_vector(d, body->r);
    dal_n_identity(d, body->R);
    for (int i = 0; i < space; i++)
        body->r[i] = dal_n_var(d, natural_letter(d, b, i));
    for (int k = 0; k < space && d->layout->body[b].n_rot; k++)
        for (int i = 0; i < space; i++)
            body->R[3 * i + k] = dal_n_var(d, natural_letter(d, b, space + space * k + i));
}

static void place_by_cosines(dal_derivation *d, int b)
{
    dal_derived_body *body = &d->bodies[b];
    const int space = (int)d->mechanism->space;
    dal_node Rd[9], half = dal_n_div(d, dal_n_const(d, 1), dal_n_const(d, 2)), column[3], rate[3], turn[3];
    dal_place_natural(d, b);
    if (!d->layout->body[b].n_rot)
        return;
    for (int i = 0; i < 9; i++)
        Rd[i] = dal_along_motion(d, body->R[i]);
    for (int k = 0; k < space; k++) {
        column_of(body->R, k, column);
        column_of(Rd, k, rate);
        dal_n_cross(d, column, rate, turn);
        dal_n_sum(d, body->w, turn, body->w);
    }
    for (int i = 0; i < 3; i++)
        body->w[i] = dal_n_mul(d, half, body->w[i]);
    for (int i = space == 2 ? 2 : 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        dal_node R_j[3], R_k[3], Rd_j[3], Rd_k[3];
        column_of(body->R, j, R_j);
        column_of(body->R, k, R_k);
        column_of(Rd, j, Rd_j);
        column_of(Rd, k, Rd_k);
        body->w_body[i] = dal_n_mul(d, half, dal_n_sub(d, dal_n_dot(d, R_k, Rd_j), dal_n_dot(d, R_j, Rd_k)));
    }
    if (space == 2)
        body->angle = dal_binary(d->graph, DAL_OP_ATAN2, body->R[3], body->R[0]);
}

/* The angular rate as rows have it: in the plane the rate of the angle of R_1; otherwise R_j' . R_k, which differs from w off the rows of R. */
void dal_derive_row_spin(dal_derivation *d, int b, bool own, dal_node w[3])
{
    const dal_derived_body *body = &d->bodies[b];
    memcpy(w, own ? body->w_body : body->w, 3 * sizeof *w);
    if (!d->layout->family->separated || !d->layout->body[b].n_rot)
        return;
    if (dal_n_planar(d))
        w[2] = dal_along_motion(d, body->angle);
    for (int i = 0; i < 3 && own && !dal_n_planar(d); i++) {
        dal_node column[3], rate[3];
        column_of(body->R, (i + 1) % 3, column);
        dal_differentiate_vector(d, column, rate);
        column_of(body->R, (i + 2) % 3, column);
        w[i] = dal_n_dot(d, rate, column);
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

void dal_place_by_parameters(dal_derivation *d, int b)
{
    dal_derived_body *body = &d->bodies[b];
    const bool cosines = d->layout->family->separated;
    dal_zero_vector(d, body->r);
    dal_zero_vector(d, body->w);
    dal_zero_vector(d, body->w_body);
    body->angle = dal_n_const(d, 0);
    dal_n_identity(d, body->R);
    for (int i = 0; i < (int)d->mechanism->space && !cosines; i++)
        body->r[i] = dal_n_var(d, d->q + d->layout->body[b].q + i);
    if (cosines)
        place_by_cosines(d, b);
    else
        place_by_euler(d, b);
    dal_differentiate_vector(d, body->r, body->rd);
    dal_complete_body(d, body, cosines);
}

/* T = 1/2 m c' . c' + 1/2 sum of J_kl R_k' . R_l',  J = 1/2 tr(I) 1 - I  (natural-absolute-coordinates (55)-(57)): a constant mass matrix. Returns
 * twice the second sum. */
dal_node dal_twice_natural_energy(dal_derivation *d, int b)
{
    const dal_derived_body *body = &d->bodies[b];
    const int space = (int)d->mechanism->space;
    const dal_node *I = body->inertia, two = dal_n_const(d, 2);
    const dal_node trace = space == 2 ? I[8] : dal_n_add(d, dal_n_add(d, I[0], I[4]), I[8]), half = dal_n_div(d, trace, two);
    dal_node sum = dal_n_const(d, 0), Rd[9];
    for (int i = 0; i < 9; i++)
        Rd[i] = dal_along_motion(d, body->R[i]);
    for (int k = 0; k < space && d->layout->body[b].n_rot; k++)
        for (int l = 0; l < space; l++) {
            dal_node J = k == l ? half : dal_n_const(d, 0), column[3], other[3];
            if (space == 3)
                J = dal_n_sub(d, J, I[3 * k + l]);
            column_of(Rd, k, column);
            column_of(Rd, l, other);
            sum = dal_n_add(d, sum, dal_n_mul(d, J, dal_n_dot(d, column, other)));
        }
    return sum;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* The body of an intrinsic row of the layout, and which of its rows it is. */
static int body_of_row(const dal_derivation *d, int row, int *which)
{
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &d->layout->body[b];
        *which = row - at->intrinsic;
        if (*which >= 0 && *which < at->n_intrinsic)
            return b;
    }
    return -1;
}

void dal_derive_intrinsic_row(dal_derivation *d, int r, dal_derived_row *out)
{
    int which = 0;
    const int b = body_of_row(d, r, &which);
    const char *name = d->mechanism->bodies[b].name;
    dal_node p[4], column[3], other[3];
    if (d->layout->family->separated) {
        const int i = dal_natural_pairs[which][0], k = dal_natural_pairs[which][1];
        column_of(d->bodies[b].R, i, column);
        column_of(d->bodies[b].R, k, other);
        out->phi = dal_n_sub(d, dal_n_dot(d, column, other), dal_n_const(d, i == k));
        out->name = dal_arena_print(d->arena, "%s orthonormal %d", name, which + 1);
    } else {
        dal_node square = dal_n_const(d, 0);
        read_parameters(d, d->q + first_parameter(d, b), p);
        for (int i = 0; i < 4; i++)
            square = dal_n_add(d, square, dal_n_mul(d, p[i], p[i]));
        out->phi = dal_n_sub(d, square, dal_n_const(d, 1));
        out->name = dal_arena_print(d->arena, "%s unit length", name);
    }
    out->rate = dal_along_motion(d, out->phi);
}

/* ---- the letters n and s ------------------------------------------------------------------------ */

/* The body of which velocity k is the rate of an Euler parameter, and which parameter; -1: none. */
static int body_of_velocity(const dal_derivation *d, int k)
{
    for (int b = 0; d->norm && b < d->mechanism->n_bodies; b++) {
        const dal_body_layout *at = &d->layout->body[b];
        if (d->norm[b] >= 0 && k >= at->v + (int)d->mechanism->space && k < at->v + at->nv)
            return b;
    }
    return -1;
}

dal_node dal_norm_along_column(dal_derivation *d, dal_node node, int k)
{
    const int b = body_of_velocity(d, k);
    if (b < 0)
        return dal_n_const(d, 0);
    const dal_node twice = dal_n_mul(d, dal_n_const(d, 2), dal_n_var(d, d->q + k));
    return dal_n_add(d, dal_n_mul(d, twice, dal_diff(d->graph, node, d->norm[b])),
                     dal_n_mul(d, dal_n_var(d, d->v + k), dal_diff(d->graph, node, d->norm_rate[b])));
}

dal_node dal_norm_by_rate(dal_derivation *d, dal_node node, int k)
{
    const int b = body_of_velocity(d, k);
    return b < 0 ? dal_n_const(d, 0) : dal_n_mul(d, dal_n_var(d, d->q + k), dal_diff(d->graph, node, d->norm_rate[b]));
}

dal_node dal_rate_of_norm(dal_derivation *d, const dal_letter *letter, bool accelerated)
{
    dal_node pd[4], square = dal_n_const(d, 0);
    if (d->direction != DAL_ALONG_MOTION) /* motions that the constraints allow keep n and s */
        return DAL_NO_NODE;
    if (letter->role == DAL_ROLE_NORM)
        return dal_n_mul(d, dal_n_const(d, 2), dal_n_var(d, d->norm_rate[letter->index]));
    if (accelerated)
        return DAL_NO_NODE;
    read_parameters(d, d->v + first_parameter(d, letter->index), pd);
    for (int i = 0; i < 4; i++)
        square = dal_n_add(d, square, dal_n_mul(d, pd[i], pd[i]));
    return square;
}

/* ---- the end: n = 1, s = 0, natural coordinates B z + b -------------------------------------------------------------------------- */

static dal_node on_sphere(void *user, dal_graph *graph, int variable)
{
    dal_derivation *d = user;
    const dal_role role = d->letters[variable].role;
    if (role == DAL_ROLE_NATURAL)
        return dal_natural_in_coordinates(d, d->letters[variable].index);
    return role == DAL_ROLE_NORM ? dal_const(graph, 1) : role == DAL_ROLE_NORM_RATE ? dal_const(graph, 0) : DAL_NO_NODE;
}

dal_node dal_in_coordinates(dal_derivation *d, dal_node node)
{
    return node == DAL_NO_NODE || (!d->norm && !d->layout->reduction) ? node : dal_substitute(d->graph, node, on_sphere, d);
}

static void put_parameters(dal_derivation *d, dal_node *node)
{
    *node = dal_in_coordinates(d, *node);
}

static const dal_node *put_list(dal_derivation *d, int n, const dal_node *from)
{
    dal_node *to = DAL_NEW(d->arena, dal_node, n);
    memcpy(to, from, sizeof *to * (size_t)n);
    for (int i = 0; i < n; i++)
        put_parameters(d, &to[i]);
    return to;
}

/* Copies of the replaced nodes. */
#define COPY(list, n)                                                                                                                                \
    do {                                                                                                                                             \
        if (list)                                                                                                                                    \
            (list) = memcpy(dal_arena_alloc(d->arena, sizeof *(list) * (size_t)((n) + 1)), (list), sizeof *(list) * (size_t)(n));                    \
    } while (0)

dal_derivation *dal_derivation_copy(const dal_derivation *d)
{
    dal_derivation *copy = DAL_NEW(d->arena, dal_derivation, 1);
    *copy = *d;
    COPY(copy->letters, d->n_letters);
    COPY(copy->row, d->n_rows);
    COPY(copy->systems, d->n_systems);
    COPY(copy->W, d->nv * d->p);
    COPY(copy->X, d->nv);
    COPY(copy->bias, d->nv);
    COPY(copy->speeds, d->p);
    COPY(copy->Q, d->nv);
    COPY(copy->A, d->n_rows * d->nv);
    COPY(copy->M, d->nv * d->nv);
    COPY(copy->h, d->nv);
    copy->cap_letters = (size_t)d->n_letters; /* the next one goes elsewhere */
    copy->cap_systems = (size_t)d->n_systems;
    copy->cap_rates = (size_t)d->n_rates;
    return copy;
}

void dal_put_parameters(dal_derivation *d)
{
    if (!d->norm && !d->layout->reduction)
        return;
    d->before = dal_derivation_copy(d);
    put_parameters(d, &d->T);
    put_parameters(d, &d->V);
    for (int i = 0; i < d->n_blocks; i++)
        d->blocks[i].values = put_list(d, d->blocks[i].rows * d->blocks[i].columns, d->blocks[i].values);
    for (int i = 0; i < d->n_equations; i++)
        put_parameters(d, &d->equations[i].zero);
    for (int i = 0; i < d->n_steps; i++) {
        put_parameters(d, &d->step[i].value);
        put_parameters(d, &d->step[i].check);
    }
    for (int i = 0; i < d->n_letters; i++)
        put_parameters(d, &d->letters[i].means);
    for (int i = 0; i < d->n_rows; i++) {
        put_parameters(d, &d->row[i].phi);
        put_parameters(d, &d->row[i].rate);
        put_parameters(d, &d->row[i].gamma);
    }
    for (int i = 0; i < d->n_systems; i++) {
        d->systems[i].matrix = put_list(d, d->systems[i].n * d->systems[i].n, d->systems[i].matrix);
        d->systems[i].right = put_list(d, d->systems[i].n, d->systems[i].right);
    }
    for (int k = 0; k < d->nv * d->p && d->W; k++)
        put_parameters(d, &d->W[k]);
    for (int k = 0; k < d->nv && d->W; k++) {
        put_parameters(d, &d->X[k]);
        put_parameters(d, &d->bias[k]);
    }
    for (int j = 0; j < d->p && d->speeds; j++)
        put_parameters(d, &d->speeds[j]);
    if (d->K) {
        d->K = put_list(d, d->p * d->p, d->K);
        d->f = put_list(d, d->p, d->f);
    }
    for (int k = 0; k < d->nv; k++)
        put_parameters(d, &d->Q[k]);
    for (int k = 0; k < d->n_rows * d->nv; k++)
        put_parameters(d, &d->A[k]);
    for (int k = 0; k < d->nv * d->nv && d->M; k++)
        put_parameters(d, &d->M[k]);
    for (int k = 0; k < d->nv && d->M; k++)
        put_parameters(d, &d->h[k]);
}
