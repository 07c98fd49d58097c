/* Dimensions with unknowns: what a unit is a unit of.
 *
 * A dimension is a product of powers of length, mass and time and of unknown dimensions x_i, written as its exponents:
 *
 *     D = m^a kg^b s^c  x_1^p1 x_2^p2 ...          log D = (a, b, c) + sum p_i log x_i
 *
 * Numbers and parameters of a model have unknown dimensions. A sum asks that two dimensions be the same, which is a linear equation in the
 * exponents: it is solved for one unknown, or holds, or cannot hold. Angles have the dimension 1; that a quantity is an angle is kept beside it, for
 * its name (rad/s, N m or J).
 */
#ifndef DAL_COMPILE_DIMENSION_H
#define DAL_COMPILE_DIMENSION_H

#include "base/arena.h"

#include <stdbool.h>

enum { DAL_DIMENSION_TERMS = 6 };

typedef struct dal_dimension {
    double base[3]; /* exponents of m, kg, s */
    int n;
    struct dal_dimension_term {
        int unknown;
        double power;
    } term[DAL_DIMENSION_TERMS];
    bool lost;         /* nothing is known, and nothing follows */
    bool newton;       /* forces are in it: N m, not J */
    double rad;        /* exponent of rad: never a reason to refuse, it only chooses names */
    const char *label; /* the unit as it was written, while it is that; NULL: by the exponents */
} dal_dimension;

typedef struct dal_unknown {
    bool known;        /* value holds */
    bool count;        /* a number that is 1 in dimension unless something says otherwise: 2, 1/2, pi */
    bool contradicted; /* it was used as two different things */
    dal_dimension value;
} dal_unknown;

typedef struct dal_unknowns {
    dal_arena *arena;
    int n;
    size_t capacity;
    dal_unknown *item;
} dal_unknowns;

/* A new unknown as a dimension. */
dal_dimension dal_dimension_unknown(dal_unknowns *unknowns, bool count);
/* a^p b^q, by the exponents alone: rad, newton and label are dropped. */
dal_dimension dal_dimension_product(const dal_unknowns *unknowns, const dal_dimension *a, double p, const dal_dimension *b, double q);
/* The same dimension with what is known of its unknowns. */
dal_dimension dal_dimension_resolve(const dal_unknowns *unknowns, const dal_dimension *a);
/* Asks that a and b be the same. False: they cannot be. */
bool dal_dimension_equate(dal_unknowns *unknowns, const dal_dimension *a, const dal_dimension *b);
/* Is it that of a plain number (2, pi), as far as is known? */
bool dal_dimension_is_count(const dal_unknowns *unknowns, const dal_dimension *a);

/* The dimension of a unit: "N m", "kg m^2/s", "m/(s^2 kg)", "deg". False: it is none that is known here. */
bool dal_dimension_read(const char *unit, dal_dimension *out);
/* The unit of a dimension; "" where it is not known. Arena memory, or static. */
const char *dal_dimension_unit(dal_arena *arena, const dal_unknowns *unknowns, const dal_dimension *a);

#endif
