/* Udwadia and Kalaba, and Udwadia and Phohomsiri: the accelerations from M, Q - h, A and gamma, without multipliers.
 *
 *   v' = a + M^-1/2 (A M^-1/2)^+ (gamma - A a),  M a = Q - h             M regular
 *   v' = [(1 - A^+ A) M; A]^+ [Q - h; gamma]                              rank [M; A] = m  (udwadia-phohomsiri (2.15))
 * The pseudo-inverses stay what they are called: nothing is inverted in symbols.
 */
#include "derive/nodes.h"

static void derive_udwadia(dal_derivation *d)
{
    dal_derive_inertia(d);
    dal_add_saddle_blocks(d);
}

const dal_derived_formulation dal_derived_udwadia_kalaba = {.name = "udwadia-kalaba",
                                                            .title = "Udwadia and Kalaba",
                                                            .equation = "v' = a + M^-1/2 (A M^-1/2)^+ (gamma - A a),  M a = Q - h",
                                                            .source = "udwadia-phohomsiri (4.24)",
                                                            .derive = derive_udwadia};
const dal_derived_formulation dal_derived_udwadia_phohomsiri = {.name = "udwadia-phohomsiri",
                                                                .title = "Udwadia and Phohomsiri",
                                                                .equation = "v' = [(1 - A^+ A) M; A]^+ [Q - h; gamma],  unique where rank [M; A] = m",
                                                                .source = "udwadia-phohomsiri (2.15)",
                                                                .derive = derive_udwadia};
