/* All formulations. */
#include "model/choices.h"

extern const dal_formulation dal_maggi, dal_kane, dal_gibbs_appell, dal_boltzmann_hamel, dal_volterra, dal_udwadia_kalaba, dal_udwadia_phohomsiri,
    dal_volterra_reduced, dal_routh, dal_recursive, dal_component;

const dal_formulation *const dal_formulations[] = {
    &dal_lagrange,
    &dal_maggi,
    &dal_kane,
    &dal_gibbs_appell,
    &dal_boltzmann_hamel,
    &dal_volterra,
    &dal_udwadia_kalaba,
    &dal_udwadia_phohomsiri,
    &dal_volterra_reduced,
    &dal_routh,
    &dal_recursive,
    &dal_component,
    NULL,
};
