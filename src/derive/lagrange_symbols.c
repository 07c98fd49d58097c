/* Lagrange's equations with multipliers:  d/dt (dT/dv) - dT/dq + dV/dq = Q + A^T lambda,  A v' = gamma. */
#include "derive/nodes.h"

static void derive_lagrange(dal_derivation *d)
{
    dal_derive_inertia(d);
    dal_add_saddle_blocks(d);
    for (int k = 0; k < d->nv; k++) {
        dal_node zero = dal_n_sub(d, d->h[k], d->Q[k]);
        for (int l = 0; l < d->nv; l++)
            zero = dal_n_add(d, zero, dal_n_mul(d, d->M[k * d->nv + l], dal_n_var(d, d->a + l)));
        for (int r = 0; r < d->n_rows; r++)
            zero = dal_n_sub(d, zero, dal_n_mul(d, d->A[r * d->nv + k], dal_n_var(d, d->lambda + r)));
        dal_add_derived_equation(d, d->coordinate_names[d->nq == d->nv ? k : 0], zero);
    }
}

const dal_derived_formulation dal_derived_lagrange =
    DAL_DERIVED("lagrange", "Lagrange's equations with multipliers", "d/dt (dT/dv) - dT/dq + dV/dq = Q + A^T lambda,  A v' = gamma", "",
                derive_lagrange, .solution = DAL_SOLVED_WITH_MULTIPLIERS,
                .latex = "\\frac{d}{dt}\\frac{\\partial T}{\\partial v} - \\frac{\\partial T}{\\partial q} + "
                         "\\frac{\\partial V}{\\partial q} = Q + A^{T}\\lambda, \\qquad A\\,\\dot{v} = \\gamma");
