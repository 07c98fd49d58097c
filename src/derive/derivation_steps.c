/* The steps of a derivation: positions, velocities, energies. Each velocity is found by propagation and, to check it, by differentiation; the kinetic
 * energy from the velocities and, where time does not move the bodies by itself, from M. */
#include "derive/nodes.h"

#include <string.h>

static const char *const axes[] = {"x", "y", "z"};

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
                             dal_arena_print(d->arena, "w.%s.%s", name, axes[i]), body->w_body[i], DAL_NO_NODE);
}

static bool time_moves(dal_derivation *d)
{
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            if (dal_depends(d->graph, d->bodies[b].c[i], d->time) || dal_depends(d->graph, d->bodies[b].w[i], d->time))
                return true;
    return false;
}

static dal_node half_of_square(dal_derivation *d)
{
    dal_node twice = dal_n_const(d, 0);
    for (int k = 0; k < d->nv; k++)
        for (int l = 0; l < d->nv; l++)
            twice = dal_n_add(d, twice, dal_n_mul(d, d->M[k * d->nv + l], dal_n_mul(d, dal_n_var(d, d->v + k), dal_n_var(d, d->v + l))));
    return dal_n_div(d, twice, dal_n_const(d, 2));
}

/* f (13), f' (24) and f'' (26) of planar-component-library. The rate of the rate is taken with accelerations, and by A v' - gamma. */
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
    dal_derived_step *own = d->step; /* of the formulation: they follow */
    const int n = d->n_steps;
    d->step = NULL;
    d->n_steps = 0;
    d->cap_steps = 0;
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        body_steps(d, b);
    for (int r = 0; r < d->n_rows && !d->formulation->ports; r++)
        row_steps(d, r);
    dal_add_derived_step(d, "The kinetic energy, the sum over the bodies of 1/2 m c'^2 + 1/2 w I w:", "T", d->T,
                         d->M && !time_moves(d) ? half_of_square(d) : DAL_NO_NODE);
    dal_add_derived_step(d, "The potential energy of gravity and springs:", "V", d->V, DAL_NO_NODE);
    d->n_general_steps = d->n_steps;
    for (int i = 0; i < n; i++)
        *DAL_PUSH(d->arena, d->step, d->n_steps, d->cap_steps) = own[i];
}
