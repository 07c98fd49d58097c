/* Maggi's equations: Lagrange's on the motions that the constraints leave free,  W^T (M v' + h - Q) = 0,  A v' = gamma. */
#include "derive/nodes.h"

static void derive_maggi(dal_derivation *d)
{
    static const char *const right_name[] = {"W^T (Q - h)"};
    const int n = d->nv, p = d->p;
    dal_node *left = DAL_NEW(d->arena, dal_node, p * n), *right = DAL_NEW(d->arena, dal_node, p);
    const char **names = DAL_NEW(d->arena, const char *, p);
    dal_derive_inertia(d);
    dal_add_saddle_blocks(d);
    for (int j = 0; j < p; j++) {
        names[j] = d->letters[d->u + j].name;
        right[j] = dal_n_const(d, 0);
        for (int k = 0; k < n; k++)
            right[j] = dal_n_add(d, right[j], dal_n_mul(d, d->W[k * p + j], dal_n_sub(d, d->Q[k], d->h[k])));
        for (int l = 0; l < n; l++) {
            left[j * n + l] = dal_n_const(d, 0);
            for (int k = 0; k < n; k++)
                left[j * n + l] = dal_n_add(d, left[j * n + l], dal_n_mul(d, d->W[k * p + j], d->M[k * n + l]));
        }
        dal_node zero = dal_n_neg(d, right[j]);
        for (int l = 0; l < n; l++)
            zero = dal_n_add(d, zero, dal_n_mul(d, left[j * n + l], dal_n_var(d, d->a + l)));
        dal_add_derived_equation(d, names[j], zero);
    }
    dal_add_derived_block(d, "W", "the velocities of a unit of each speed: v = W u + X", n, p, d->W, d->velocity_names, names);
    dal_add_derived_block(d, "W^T M", "Lagrange's equations on the motions that the constraints leave free", p, n, left, names, d->velocity_names);
    dal_add_derived_block(d, "W^T (Q - h)", "their right side", p, 1, right, names, right_name);
}

const dal_derived_formulation dal_derived_maggi =
    DAL_DERIVED("maggi", "Maggi's equations", "W^T (M v' + h - Q) = 0,  A v' = gamma", "", derive_maggi, .speeds = true,
                .solution = DAL_SOLVED_ON_FREE_MOTIONS, .latex = "W^{T}\\left(M\\,\\dot{v} + h - Q\\right) = 0, \\qquad A\\,\\dot{v} = \\gamma");
