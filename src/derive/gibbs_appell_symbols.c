/* The equations of Gibbs and Appell: dG/du' = U with the energy of acceleration
 *
 *   G = sum of 1/2 m a . a + 1/2 alpha . I alpha + alpha . (w x I w)
 * as a function of u'; a and alpha are linear in u'.
 */
#include "derive/partials.h"

/* a = sum of c_j u_j' + a_0 */
static void with_speed_rates(dal_derivation *d, const dal_node *partial, dal_node a[3])
{
    for (int j = 0; j < d->p; j++)
        for (int i = 0; i < 3; i++)
            a[i] = dal_n_add(d, a[i], dal_n_mul(d, partial[3 * j + i], dal_n_var(d, d->ud + j)));
}

static dal_node energy_of_acceleration(dal_derivation *d, const dal_partials *t)
{
    dal_node G = dal_subsystem_energy_of_acceleration(d), half = dal_n_const(d, 0.5), a[3], alpha[3], H[3], turn[3];
    for (int b = 0; b < d->mechanism->n_bodies; b++) {
        const dal_derived_body *body = &d->bodies[b];
        dal_derive_accelerations(d, b, a, alpha);
        with_speed_rates(d, t->c + 3 * b * d->p, a);
        with_speed_rates(d, t->w + 3 * b * d->p, alpha);
        G = dal_n_add(d, G, dal_n_mul(d, half, dal_n_mul(d, body->mass, dal_n_dot(d, a, a))));
        dal_derive_spin(d, b, alpha, H);
        G = dal_n_add(d, G, dal_n_mul(d, half, dal_n_dot(d, alpha, H)));
        dal_derive_spin(d, b, body->w_body, H);
        dal_n_cross(d, body->w_body, H, turn);
        G = dal_n_add(d, G, dal_n_dot(d, alpha, turn));
    }
    return G;
}

static dal_node at_rest(void *user, dal_graph *graph, int variable)
{
    const dal_derivation *d = user;
    return d->letters[variable].role == DAL_ROLE_SPEED_RATE ? dal_const(graph, 0) : DAL_NO_NODE;
}

static void derive_gibbs_appell(dal_derivation *d)
{
    const int p = d->p;
    dal_node *K = DAL_NEW(d->arena, dal_node, p * p), *f = DAL_NEW(d->arena, dal_node, p);
    const dal_partials t = dal_derive_partial_velocities(d);
    const dal_node G = energy_of_acceleration(d, &t);
    dal_add_derived_step(d, "The energy of acceleration as a function of the rates of the speeds:", "G", dal_in_speeds(d, G), DAL_NO_NODE);
    for (int j = 0; j < p; j++) {
        const dal_node slope = dal_diff(d->graph, G, d->ud + j);
        for (int l = 0; l < p; l++)
            K[j * p + l] = dal_diff(d->graph, slope, d->ud + l);
        f[j] = dal_n_sub(d, dal_derive_applied(d, j), dal_substitute(d->graph, slope, at_rest, d));
    }
    dal_add_speed_equations(d, "K", "second derivatives of the energy of acceleration G by u'", K, "f", "the applied forces U less dG/du' for u' = 0",
                            f);
}

const dal_derived_formulation dal_derived_gibbs_appell =
    DAL_DERIVED("gibbs-appell", "the equations of Gibbs and Appell", "dG/du' = U, or K u' = f", "", derive_gibbs_appell, .speeds = true,
                .solution = DAL_SOLVED_WITH_SPEEDS, .latex = "\\frac{\\partial G}{\\partial\\dot{u}} = U, \\qquad K\\,\\dot{u} = f");
