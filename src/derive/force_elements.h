/* Force elements in symbols: what generalized_forces.c and elastic_elements.c share. */
#ifndef DAL_DERIVE_FORCE_ELEMENTS_H
#define DAL_DERIVE_FORCE_ELEMENTS_H

#include "derive/nodes.h"

typedef struct dal_derived_force {
    dal_derivation *d;
    const dal_force_spec *spec;
    int number;
} dal_derived_force;

/* A text of the element, or entry i of a list of texts (zero if it has none). Refused if it cannot be written in symbols. */
dal_node dal_force_read(const dal_derived_force *e, dal_text text);
dal_node dal_force_read_item(const dal_derived_force *e, const dal_list *list, int i);
/* The measure on which the compiled element acts, in symbols, as in its channel .length; DAL_NO_NODE: none. */
dal_node dal_force_length(const dal_derived_force *e, const dal_force_type *type);
/* Adds an effort along a function of the coordinates, without a potential. */
void dal_force_push(dal_derivation *d, dal_node measure, dal_node effort);

/* ---- elastic_elements.c ---- */

/* Force elements in symbols, one function for each type. */
void dal_derive_end_stop(const dal_derived_force *e, const dal_force_type *type);
void dal_derive_clearance(const dal_derived_force *e, const dal_force_type *type);
void dal_derive_bushing(const dal_derived_force *e, const dal_force_type *type);

#endif
