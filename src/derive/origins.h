/* Where the terms of an equation come from: the inertia or the weight of a body, a spring, a force, a constraint.
 *
 * The equations are derived a second time in the same graph, with a marker (a letter) as a factor of the mass of every body, of every weight and of
 * every force. If the markers are 1, these are the printed equations. A printed term has the markers of the marked term
 *   with the same moving part, where both are in normal form: parameters, numbers and markers are constants, and the rest of the term is its name;
 *   with the same node, where an equation is printed as it was derived.
 * The printed normal form does not change. A term without a match has no origin.
 */
#ifndef DAL_DERIVE_ORIGINS_H
#define DAL_DERIVE_ORIGINS_H

#include "derive/normal.h"

typedef enum dal_origin_kind {
    DAL_ORIGIN_UNKNOWN,
    DAL_ORIGIN_INERTIA,    /* with accelerations */
    DAL_ORIGIN_GYROSCOPIC, /* of the inertia, without accelerations */
    DAL_ORIGIN_GRAVITY,    /* of the model, or of `central` */
    DAL_ORIGIN_SPRING,     /* the potential of a force */
    DAL_ORIGIN_FORCE,      /* the rest of a force: dampers, motors, what is applied */
    DAL_ORIGIN_CONSTRAINT, /* multipliers */
    DAL_ORIGIN_SEVERAL,
    DAL_ORIGIN_KINDS
} dal_origin_kind;

typedef struct dal_term_origin {
    dal_origin_kind kind;
    const char *text; /* "inertia of cart, bob"; "" of an unknown one */
} dal_term_origin;

/* A term of a sum; unnecessary brackets inside the sum are removed. */
typedef struct dal_signed_form {
    const dal_form *form;
    bool negative;
} dal_signed_form;

/* The printed terms of a form; arena memory. */
dal_signed_form *dal_form_terms(dal_derivation *d, const dal_form *form, int *n);

typedef struct dal_origins dal_origins;

/* The marked derivation, in the arena of the derivation; NULL: there is none. */
dal_origins *dal_find_origins(dal_derivation *d);

/* The marked derivation itself: its letters have the markers. */
dal_derivation *dal_marked_derivation(const dal_origins *o);
/* The marked node of a printed node of the derivation; DAL_NO_NODE: none. */
dal_node dal_marked_equation(const dal_origins *o, int i);
dal_node dal_marked_entry(const dal_origins *o, int block, int entry);
dal_node dal_marked_kinetic(const dal_origins *o);
dal_node dal_marked_potential(const dal_origins *o);

/* A printed quantity: `node`, its marked node (or DAL_NO_NODE), and whether its terms are coefficients of accelerations, as the entries of a mass
 * matrix are. */
typedef struct dal_printed {
    dal_node node, marked;
    bool inertial;
} dal_printed;

/* The origin of each of the n terms that `writer` prints for it. */
void dal_term_origins(dal_origins *o, dal_writer *writer, const dal_printed *printed, int n, const dal_signed_form *terms, dal_term_origin *origin);

#endif
