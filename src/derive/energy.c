/* Kinetic energy, partial velocities, and M and h by Lagrange's definition.
 *
 *   T = sum of 1/2 m c' . c' + 1/2 w . I w                                  (lagrange-to-kane (26))
 *   M_kl = d2T / dv_k dv_l,   h_k = d/dt (dT/dv_k) - D_k T, for v' = 0
 * D_k is the derivative along column k of N. Where v are not rates of coordinates (a ball joint: the angular velocity w of its body against the
 * parent, in its own axes) D_j D_k is not D_k D_j, and h gains w x dT/dw (Poincare's equations).
 */
#include "derive/nodes.h"

#include "kinematics/tree.h"

#include <string.h>

void dal_derive_energy(dal_derivation *d)
{
    dal_node twice = dal_n_const(d, 0), Iw[3];
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const dal_derived_body *body = &d->bodies[b];
        twice = dal_n_add(d, twice, dal_n_mul(d, body->mass, dal_n_dot(d, body->cd, body->cd)));
        if (d->layout->family->separated) {
            twice = dal_n_add(d, twice, dal_twice_natural_energy(d, b));
            continue;
        }
        dal_n_turn(d, body->inertia, body->w_body, Iw);
        twice = dal_n_add(d, twice, dal_n_dot(d, body->w_body, Iw));
    }
    d->T = dal_n_div(d, twice, dal_n_const(d, 2));
    dal_derive_subsystem_energy(d);
}

void dal_derive_partials(dal_derivation *d)
{
    const int n = d->mechanism->n_bodies;
    if (d->Jc)
        return;
    d->Jc = DAL_NEW(d->arena, dal_node, 3 * n * d->nv);
    d->Jw = DAL_NEW(d->arena, dal_node, 3 * n * d->nv);
    for (int b = 0; b < n; b++)
        for (int k = 0; k < d->nv; k++)
            for (int i = 0; i < 3; i++) {
                d->Jc[3 * (b * d->nv + k) + i] = dal_by_rate(d, d->bodies[b].cd[i], k);
                d->Jw[3 * (b * d->nv + k) + i] = dal_by_rate(d, d->bodies[b].w_body[i], k);
            }
}

/* d2T / dv_k dv_l: velocities are linear in v. */
static dal_node second_derivative(dal_derivation *d, int k, int l)
{
    dal_node sum = dal_subsystem_mass(d, k, l), Iw[3];
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const dal_node *c_k = d->Jc + 3 * (b * d->nv + k), *c_l = d->Jc + 3 * (b * d->nv + l);
        const dal_node *w_k = d->Jw + 3 * (b * d->nv + k), *w_l = d->Jw + 3 * (b * d->nv + l);
        sum = dal_n_add(d, sum, dal_n_mul(d, d->bodies[b].mass, dal_n_dot(d, c_k, c_l)));
        dal_n_turn(d, d->bodies[b].inertia, w_l, Iw);
        sum = dal_n_add(d, sum, dal_n_dot(d, w_k, Iw));
    }
    return sum;
}

void dal_add_ball_turns(dal_derivation *d, const dal_node *p, dal_node *out)
{
    const dal_tree *tree = d->layout->tree;
    dal_node w[3], turn[3];
    for (int i = 0; tree && i < tree->n_steps; i++) {
        const int v = tree->step[i].v;
        if (tree->step[i].kind != DAL_STEP_BALL)
            continue;
        for (int k = 0; k < 3; k++)
            w[k] = dal_n_var(d, d->v + v + k);
        dal_n_cross(d, w, p + v, turn);
        dal_n_sum(d, out + v, turn, out + v);
    }
}

void dal_derive_inertia(dal_derivation *d)
{
    d->M = DAL_NEW(d->arena, dal_node, d->nv * d->nv);
    d->h = DAL_NEW(d->arena, dal_node, d->nv);
    dal_node *p = DAL_NEW(d->arena, dal_node, d->nv);
    dal_derive_partials(d);
    for (int k = 0; k < d->nv; k++) {
        p[k] = dal_by_rate(d, d->T, k);
        for (int l = 0; l <= k; l++)
            d->M[k * d->nv + l] = d->M[l * d->nv + k] = d->layout->family->separated ? dal_by_rate(d, p[k], l) : second_derivative(d, k, l);
        d->h[k] = dal_n_sub(d, dal_along_motion(d, p[k]), dal_along_column(d, d->T, k));
    }
    dal_add_ball_turns(d, p, d->h);
}
