/* Udwadia and Kalaba, and Udwadia and Phohomsiri: the accelerations from M, Q - h, A and gamma, without multipliers.
 *
 *   v' = a + M^-1/2 (A M^-1/2)^+ (gamma - A a),  M a = Q - h             M regular
 *   v' = [(1 - A^+ A) M; A]^+ [Q - h; gamma]                              rank [M; A] = m  (udwadia-phohomsiri (2.15))
 * Pseudo-inverses are printed by name: no matrix is inverted in symbols.
 */
#include "derive/nodes.h"

/* M and Q - h completed by the intrinsic rows A_i of each body, which changes no acceleration: M + mu A_i^T A_i, Q - h + mu A_i^T gamma_i, with
 * mu = tr I + m c . c of the body. Euler parameters make M singular without them. */
static void complete_inertia(dal_derivation *d)
{
    for (int b = 0; b < d->mechanism->n_bodies && dal_places_by_parameters(d); b++) {
        const dal_derived_body *body = &d->bodies[b];
        const dal_node *I = body->inertia, trace = dal_n_add(d, dal_n_add(d, I[0], I[4]), I[8]);
        const dal_node mu = dal_n_add(d, trace, dal_n_mul(d, body->mass, dal_n_dot(d, body->center, body->center)));
        const dal_body_layout *at = &d->layout->body[b];
        for (int r = at->intrinsic; r < at->intrinsic + at->n_intrinsic; r++)
            for (int k = 0; k < d->nv; k++) {
                const dal_node part = dal_n_mul(d, mu, d->A[r * d->nv + k]);
                if (dal_n_is(d, part, 0))
                    continue;
                for (int l = 0; l < d->nv; l++)
                    d->M[k * d->nv + l] = dal_n_add(d, d->M[k * d->nv + l], dal_n_mul(d, part, d->A[r * d->nv + l]));
                d->h[k] = dal_n_sub(d, d->h[k], dal_n_mul(d, part, d->row[r].gamma));
            }
    }
}

static void derive_kalaba(dal_derivation *d)
{
    dal_derive_inertia(d);
    if (!d->options.whole_systems) /* the code solves for v' and multipliers, because M alone may be singular */
        complete_inertia(d);
    dal_add_saddle_blocks(d);
}

static void derive_udwadia(dal_derivation *d)
{
    dal_derive_inertia(d);
    dal_add_saddle_blocks(d);
}

const dal_derived_formulation dal_derived_udwadia_kalaba =
    DAL_DERIVED("udwadia-kalaba", "Udwadia and Kalaba", "v' = a + M^-1/2 (A M^-1/2)^+ (gamma - A a),  M a = Q - h", "udwadia-phohomsiri (4.24)",
                derive_kalaba, .solution = DAL_SOLVED_WITH_MULTIPLIERS,
                .latex = "\\dot{v} = a + M^{-1/2}\\left(A M^{-1/2}\\right)^{+}\\left(\\gamma - A a\\right), \\qquad M a = Q - h");
const dal_derived_formulation dal_derived_udwadia_phohomsiri =
    DAL_DERIVED("udwadia-phohomsiri", "Udwadia and Phohomsiri", "v' = [(1 - A^+ A) M; A]^+ [Q - h; gamma],  unique where rank [M; A] = m",
                "udwadia-phohomsiri (2.15)", derive_udwadia, .solution = DAL_SOLVED_WITH_MULTIPLIERS,
                .latex = "\\dot{v} = \\begin{bmatrix}(1 - A^{+}A)\\,M\\\\ A\\end{bmatrix}^{+}\\begin{bmatrix}Q - h\\\\ \\gamma\\end{bmatrix}, "
                         "\\qquad \\operatorname{rank}\\begin{bmatrix}M\\\\ A\\end{bmatrix} = m");
