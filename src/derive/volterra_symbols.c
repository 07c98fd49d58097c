/* Volterra's equations (volterra-reduced (2)):
 *
 *   d/dt (dT/du_j) - sum of P . d/dt (dv/du_j) + H . d/dt (dw/du_j) = U_j
 * with the momenta P = m c' and H = I w of every body, all components in world axes: in body axes H . d/dt (dw/du) would gain a term w x.
 */
#include "derive/partials.h"

/* dT/du_j, d/dt of it and the second sum, each for u' = 0. */
static dal_node left_side(dal_derivation *d, const dal_partials *t, int j)
{
    dal_node slope = dal_n_const(d, 0), rest = slope, H[3], w[3];
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const dal_derived_body *body = &d->bodies[b];
        const dal_node *c = t->c + 3 * (b * d->p + j);
        dal_derive_spin(d, b, body->w_body, H);
        dal_n_turn(d, body->R, H, H);
        dal_n_turn(d, body->R, t->w + 3 * (b * d->p + j), w);
        for (int i = 0; i < 3; i++) {
            const dal_node P = dal_n_mul(d, body->mass, body->cd[i]);
            slope = dal_n_add(d, slope, dal_n_add(d, dal_n_mul(d, P, c[i]), dal_n_mul(d, H[i], w[i])));
            rest = dal_n_add(d, rest, dal_n_mul(d, P, dal_along_bias(d, c[i])));
            rest = dal_n_add(d, rest, dal_n_mul(d, H[i], dal_along_bias(d, w[i])));
        }
    }
    dal_subsystem_momentum(d, j, &slope, &rest);
    return dal_n_sub(d, dal_along_bias(d, slope), rest);
}

static dal_node inertia(dal_derivation *d, const dal_partials *t, int j, int l)
{
    dal_node sum = dal_subsystem_inertia(d, j, l), H[3];
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const int one = 3 * (b * d->p + j), other = 3 * (b * d->p + l);
        sum = dal_n_add(d, sum, dal_n_mul(d, d->bodies[b].mass, dal_n_dot(d, t->c + one, t->c + other)));
        dal_derive_spin(d, b, t->w + other, H);
        sum = dal_n_add(d, sum, dal_n_dot(d, t->w + one, H));
    }
    return sum;
}

static void derive_volterra(dal_derivation *d)
{
    const int p = d->p;
    dal_node *B = DAL_NEW(d->arena, dal_node, p * p), *f = DAL_NEW(d->arena, dal_node, p);
    const dal_partials t = dal_derive_partial_velocities(d);
    for (int j = 0; j < p; j++) {
        for (int l = 0; l < p; l++)
            B[j * p + l] = inertia(d, &t, j, l);
        f[j] = dal_n_sub(d, dal_derive_applied(d, j), left_side(d, &t, j));
    }
    dal_add_speed_equations(d, "B", "the inertia of the speeds, second derivatives of T by u (47)", B, "U + K - A",
                            "applied forces, K of the partial velocities (63), A the rate of dT/du for u' = 0 (52)", f);
}

const dal_derived_formulation dal_derived_volterra =
    DAL_DERIVED("volterra", "Volterra's equations", "d/dt (dT/du) - sum of [P . d/dt (dv/du) + H . d/dt (dw/du)] = U, or B u' = U + K - A",
                "volterra-reduced (2)", derive_volterra, .speeds = true, .solution = DAL_SOLVED_WITH_SPEEDS,
                .latex = "\\frac{d}{dt}\\frac{\\partial T}{\\partial u} - \\sum\\left(P\\cdot\\frac{d}{dt}\\frac{\\partial v}{\\partial u} + "
                         "H\\cdot\\frac{d}{dt}\\frac{\\partial\\omega}{\\partial u}\\right) = U, \\qquad B\\,\\dot{u} = U + K - A");

/* The reduced equations (44): momenta of ignorable coordinates are rows of S (25), and the number of equations falls by the same number. */
static void derive_reduced(dal_derivation *d)
{
    static const char *const right_name[] = {"G - N_2"};
    const int s = d->layout->n_ignorable, n = d->nv;
    dal_node *rows = DAL_NEW(d->arena, dal_node, s * n), *right = DAL_NEW(d->arena, dal_node, s);
    const char **names = DAL_NEW(d->arena, const char *, s);
    for (int i = 0; i < s; i++) {
        const dal_node momentum = dal_by_rate(d, d->T, d->layout->ignorable[i]);
        names[i] = d->velocity_names[d->layout->ignorable[i]];
        right[i] = dal_n_var(d, d->G + i);
        dal_node rest = momentum;
        for (int k = 0; k < n; k++) {
            rows[i * n + k] = dal_by_rate(d, momentum, k);
            rest = dal_n_sub(d, rest, dal_n_mul(d, rows[i * n + k], dal_n_var(d, d->v + k)));
        }
        right[i] = dal_n_sub(d, right[i], rest);
    }
    dal_add_derived_block(d, "M'", "rows of M of the ignorable coordinates: their momenta are constant, M' v = G - N_2 (25)", s, n, rows, names,
                          d->velocity_names);
    dal_add_derived_block(d, "G - N_2", "these momenta, less what is there for v = 0", s, 1, right, names, right_name);
    derive_volterra(d);
}

const dal_derived_formulation dal_derived_volterra_reduced =
    DAL_DERIVED("volterra-reduced", "Volterra's equations, reduced by constant momenta",
                "d/dt (dT/du) - sum of [P . d/dt (dv/du) + H . d/dt (dw/du)] = U, with M' v = G - N_2", "volterra-reduced (2), (25), (44)",
                derive_reduced, .speeds = true, .ignores = true, .solution = DAL_SOLVED_WITH_SPEEDS,
                .latex = "\\frac{d}{dt}\\frac{\\partial T}{\\partial u} - \\sum\\left(P\\cdot\\frac{d}{dt}\\frac{\\partial v}{\\partial u} + "
                         "H\\cdot\\frac{d}{dt}\\frac{\\partial\\omega}{\\partial u}\\right) = U, \\qquad M' v = G - N_2");
