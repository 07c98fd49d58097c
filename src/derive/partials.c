#include "derive/partials.h"

dal_partials dal_derive_partial_velocities(dal_derivation *d)
{
    const int n = d->mechanism->n_bodies, p = d->p;
    dal_partials t = {DAL_NEW(d->arena, dal_node, 3 * n * p), DAL_NEW(d->arena, dal_node, 3 * n * p)};
    dal_derive_partials(d);
    for (int b = 0; b < n; b++)
        for (int j = 0; j < p; j++)
            for (int i = 0; i < 3; i++) {
                dal_node c = dal_n_const(d, 0), w = c;
                for (int k = 0; k < d->nv; k++) {
                    const int at = 3 * (b * d->nv + k) + i;
                    if (dal_n_is(d, d->W[k * p + j], 0))
                        continue;
                    c = dal_n_add(d, c, dal_n_mul(d, d->Jc[at], d->W[k * p + j]));
                    w = dal_n_add(d, w, dal_n_mul(d, d->Jw[at], d->W[k * p + j]));
                }
                t.c[3 * (b * p + j) + i] = c;
                t.w[3 * (b * p + j) + i] = w;
            }
    return t;
}

void dal_derive_accelerations(dal_derivation *d, int body, dal_node a[3], dal_node alpha[3])
{
    for (int i = 0; i < 3; i++) {
        a[i] = dal_along_bias(d, d->bodies[body].cd[i]);
        alpha[i] = dal_along_bias(d, d->bodies[body].w_body[i]);
    }
}

dal_node dal_derive_applied(dal_derivation *d, int j)
{
    dal_node sum = dal_n_const(d, 0);
    for (int k = 0; k < d->nv; k++)
        sum = dal_n_add(d, sum, dal_n_mul(d, d->W[k * d->p + j], d->Q[k]));
    return sum;
}

dal_node dal_derive_active(dal_derivation *d, const dal_partials *t, int j)
{
    const dal_node V = dal_n_sub(d, d->V, d->V_gravity);
    dal_node sum = dal_n_const(d, 0);
    for (int b = 0; b < d->mechanism->n_bodies; b++)
        sum = dal_n_add(d, sum, dal_n_mul(d, dal_derive_weight(d, b), dal_n_dot(d, d->gravity, t->c + 3 * (b * d->p + j))));
    for (int k = 0; k < d->nv; k++)
        if (!dal_n_is(d, d->W[k * d->p + j], 0))
            sum = dal_n_add(d, sum, dal_n_mul(d, d->W[k * d->p + j], dal_n_sub(d, d->Q_other[k], dal_along_column(d, V, k))));
    return sum;
}

void dal_derive_spin(dal_derivation *d, int body, const dal_node w[3], dal_node H[3])
{
    dal_n_turn(d, d->bodies[body].inertia, w, H);
}
