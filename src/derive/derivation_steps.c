/* The steps of a derivation: positions, velocities, energies. Each velocity is found by propagation and, to check it, by differentiation; the kinetic
 * energy from the velocities and from M. */
#include "derive/nodes.h"

#include <string.h>

static const char *const axes[] = {"x", "y", "z"};

/* w_i = e_k . d/dt e_j, (i, j, k) cyclic: the angular velocity in body axes from the rates of the axes e, which are the columns of R. */
static dal_node turn_of_axes(dal_derivation *d, const dal_derived_body *body, int i)
{
    if (d->layout->family->separated) /* natural: the axes are orthonormal only to the tolerance of the rows */
        return DAL_NO_NODE;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    dal_node sum = dal_n_const(d, 0);
    for (int r = 0; r < 3; r++)
        sum = dal_n_add(d, sum, dal_n_mul(d, body->R[3 * r + k], dal_along_motion(d, body->R[3 * r + j])));
    return sum;
}

static void body_steps(dal_derivation *d, int b)
{
    const dal_derived_body *body = &d->bodies[b];
    const char *name = d->mechanism->bodies[b].name;
    for (int i = 0; i < (int)d->mechanism->space; i++) {
        const char *c = dal_arena_print(d->arena, "c.%s.%s", name, axes[i]);
        dal_add_derived_step(d, i ? "" : dal_arena_print(d->arena, "The centre of mass of '%s':", name), c, body->c[i], DAL_NO_NODE);
    }
    for (int i = 0; i < (int)d->mechanism->space; i++) {
        const char *c = dal_arena_print(d->arena, "c.%s.%s'", name, axes[i]);
        dal_add_derived_step(d, i ? "" : "Its velocity:", c, body->cd[i], dal_along_motion(d, body->c[i]));
    }
    for (int i = dal_n_planar(d) ? 2 : 0; i < 3 && !d->mechanism->bodies[b].particle; i++)
        dal_add_derived_step(d, i == 0 || dal_n_planar(d) ? "Its angular velocity, in its own axes:" : "",
                             dal_arena_print(d->arena, "w.%s.%s", name, axes[i]), body->w_body[i], turn_of_axes(d, body, i));
}

static dal_node at_rest(void *user, dal_graph *graph, int variable)
{
    const dal_derivation *d = user;
    const dal_role role = d->letters[variable].role;
    return role == DAL_ROLE_RATE || role == DAL_ROLE_NORM_RATE ? dal_const(graph, 0) : DAL_NO_NODE;
}

/* 1/2 v . M v + v . N + T_0 with N = dT/dv and T_0 = T at v = 0. N and T_0 are present if a body moves with time or a Lagrangian has them. */
static dal_node energy_of_matrix(dal_derivation *d)
{
    dal_node T = dal_substitute(d->graph, d->T, at_rest, d), half = dal_n_const(d, 0.5);
    for (int k = 0; k < d->nv; k++) {
        dal_node sum = dal_substitute(d->graph, dal_by_rate(d, d->T, k), at_rest, d);
        for (int l = 0; l < d->nv; l++)
            sum = dal_n_add(d, sum, dal_n_mul(d, half, dal_n_mul(d, d->M[k * d->nv + l], dal_n_var(d, d->v + l))));
        T = dal_n_add(d, T, dal_n_mul(d, sum, dal_n_var(d, d->v + k)));
    }
    return T;
}

/* f (13), f' (24) and f'' (26) of planar-component-library. f'' is found as the rate of f' with accelerations, and as A v' - gamma. */
static void row_steps(dal_derivation *d, int r)
{
    const dal_derived_row *row = &d->row[r];
    char *name = dal_arena_print(d->arena, "f.%s", row->name);
    dal_node second = dal_along_motion(d, row->rate), by_rows = dal_n_neg(d, row->gamma);
    for (int k = 0; k < d->nv; k++) {
        second = dal_n_add(d, second, dal_n_mul(d, dal_n_var(d, d->a + k), dal_by_rate(d, row->rate, k)));
        by_rows = dal_n_add(d, by_rows, dal_n_mul(d, d->A[r * d->nv + k], dal_n_var(d, d->a + k)));
    }
    for (char *c = strchr(name, ' '); c; c = strchr(c, ' '))
        *c = '.';
    if (row->phi != DAL_NO_NODE)
        dal_add_derived_step(d, dal_arena_print(d->arena, "The constraint '%s', which is zero:", row->name), name, row->phi, DAL_NO_NODE);
    dal_add_derived_step(
        d, row->phi == DAL_NO_NODE ? dal_arena_print(d->arena, "The condition '%s' on velocities, which is zero:", row->name) : "Its rate:",
        dal_arena_print(d->arena, "%s'", name), row->rate, row->phi == DAL_NO_NODE ? DAL_NO_NODE : dal_along_motion(d, row->phi));
    dal_add_derived_step(d, "Its acceleration:", dal_arena_print(d->arena, "%s''", name), second, by_rows);
}

void dal_derive_steps(dal_derivation *d)
{
    dal_derived_step *own = d->step; /* steps of the formulation, which follow */
    const int n = d->n_steps;
    d->step = NULL;
    d->n_steps = 0;
    d->cap_steps = 0;
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        body_steps(d, b);
    for (int r = 0; r < d->n_rows && !d->formulation->ports; r++)
        row_steps(d, r);
    dal_add_derived_step(d, "The kinetic energy, the sum over the bodies of 1/2 m c'^2 + 1/2 w I w:", "T", d->T,
                         d->M ? energy_of_matrix(d) : DAL_NO_NODE);
    dal_add_derived_step(d, "The potential energy of gravity and springs:", "V", d->V, DAL_NO_NODE);
    d->n_general_steps = d->n_steps;
    for (int i = 0; i < n; i++)
        *DAL_PUSH(d->arena, d->step, d->n_steps, d->cap_steps) = own[i];
}
