/* Polynomials behind the normal form: what polynomial.c, polynomial_of_node.c, polynomial_form.c and normal.c share.
 *
 *   term = num/den * product of generators^exponents * {1, cos, sin}(integer combination of angles)
 *   cos a cos b = (cos(a - b) + cos(a + b)) / 2,  sin a sin b = (cos(a - b) - cos(a + b)) / 2,  sin a cos b = (sin(a + b) + sin(a - b)) / 2
 * Exponents may be negative: a quotient by a single term is a term. A subexpression that is not a polynomial (a root, a table, a quotient by a sum)
 * is a generator. Numbers are exact. If they, the number of terms or the total work become too large, there is no normal form.
 */
#ifndef DAL_DERIVE_POLYNOMIAL_H
#define DAL_DERIVE_POLYNOMIAL_H

#include "derive/normal.h"
#include "derive/nodes.h"

enum { DAL_FACTORS = 14, DAL_ANGLES = 6, DAL_MOST_TERMS = 600, DAL_MOST_WORK = 400000, DAL_MOST_GENERATORS = 400 };

__extension__ typedef __int128 dal_wide;

typedef enum dal_trig { DAL_TRIG_ONE, DAL_TRIG_COSINE, DAL_TRIG_SINE } dal_trig;

typedef struct dal_power {
    int16_t generator, exponent;
} dal_power;

typedef struct dal_monomial {
    int64_t num, den; /* den > 0, no common divisor */
    int16_t n_factors, n_angles;
    int16_t trig;
    dal_power factors[DAL_FACTORS]; /* ascending generators, exponents not zero */
    dal_power angles[DAL_ANGLES];   /* the combination: ascending; the first coefficient is positive */
} dal_monomial;

typedef struct dal_poly {
    int n;
    dal_monomial *term;
} dal_poly;

typedef enum dal_generator_kind {
    DAL_GENERATOR_LETTER,
    DAL_GENERATOR_OPAQUE,
    DAL_GENERATOR_OF_SINE,
    DAL_GENERATOR_OF_COSINE,
    DAL_GENERATOR_OF_TANGENT,
    DAL_GENERATOR_PHASE /* num/den * product of letters that an angle is made of, as Om*t; a number, as in sin(a + 0.3) */
} dal_generator_kind;

typedef struct dal_generator {
    dal_generator_kind kind;
    int letter;
    dal_node node;
    int n_angles;
    dal_power angles[DAL_ANGLES]; /* the angle; of a phase its factors */
    int64_t num, den;             /* of a phase */
    int cost;                     /* one more than its operations; 0: not counted yet */
} dal_generator;

typedef struct dal_algebra {
    dal_derivation *d;
    dal_way way;
    bool failed;
    bool factors; /* sums are factored */
    bool calm;    /* brackets only where they save much */
    long work;
    int n_generators;
    dal_generator generators[DAL_MOST_GENERATORS];
    int n_nodes, depth; /* depth: of functions inside one another */
    dal_poly *known;    /* of each node */
    bool *is_known;
} dal_algebra;

/* Numerator and denominator of a term: |num/den| * factors * trig, or only the factors that pass. */
typedef struct dal_line {
    const dal_form *above[DAL_FACTORS + 4], *below[DAL_FACTORS + 2];
    int n_above, n_below;
} dal_line;

/* ---- polynomial.c ---- */

/* The greatest common divisor. */
int64_t dal_divisor(int64_t a, int64_t b);
/* In lowest terms; false: it does not fit. */
bool dal_reduce_fraction(dal_wide num, dal_wide den, int64_t *n, int64_t *d);
/* Does a decimal have more than four significant digits? */
bool dal_is_long_number(const char *text);
/* "0.25", "1e-3" exactly. */
bool dal_read_decimal(const char *text, int64_t *num, int64_t *den);
/* The order of lists of powers, and of terms without their numbers. */
int dal_compare_powers(int n, const dal_power *a, int m, const dal_power *b);
int dal_compare_monomials(const void *x, const void *y);
/* Room for n terms; sorted, with equal terms added up; a number; one generator. */
dal_poly dal_poly_make(dal_algebra *g, int n);
void dal_poly_collect(dal_algebra *g, dal_poly *p);
dal_poly dal_poly_number(dal_algebra *g, int64_t num, int64_t den);
/* The number of the generator, which is added if it is new. */
int dal_find_generator(dal_algebra *g, dal_generator wanted);
dal_poly dal_poly_single(dal_algebra *g, dal_generator wanted);
dal_poly dal_poly_opaque(dal_algebra *g, dal_node node);
/* a + sign b of lists of powers; false: no room. */
bool dal_merge_powers(int n, const dal_power *a, int m, const dal_power *b, int sign, int room, dal_power *out, int16_t *n_out);
/* cos(-x) = cos x, sin(-x) = -sin x. */
void dal_orient_monomial(dal_monomial *t);
/* a + sign b; a term times x^k; a product, whose number of terms is known before it is made; the exponent of a generator. */
dal_poly dal_poly_add(dal_algebra *g, const dal_poly *a, const dal_poly *b, int sign);
dal_monomial dal_times_power(dal_algebra *g, const dal_monomial *t, int x, int k);
dal_poly dal_poly_multiply(dal_algebra *g, const dal_poly *a, const dal_poly *b);
int dal_exponent_of(const dal_monomial *t, int which);

/* ---- normal.c ---- */

bool dal_has_unknown(const dal_algebra *g, const dal_monomial *t); /* does a division by sines and cosines leave a factor? */
dal_algebra *dal_begin_algebra(dal_derivation *d, dal_way way);    /* with what is known from other expressions, for a graph that may have grown */

/* ---- polynomial_of_node.c ---- */

/* The polynomial of a node; g->failed: there is no useful one. */
dal_poly dal_poly_of_graph(dal_algebra *g, dal_node root);

/* ---- polynomial_form.c ---- */

/* Printed letters and generators; the place of a generator in a product; does it move? */
const dal_form *dal_letter_form(dal_derivation *d, int letter);
const dal_form *dal_generator_form(dal_algebra *g, int i);
int dal_generator_rank(const dal_algebra *g, int i);
bool dal_generator_is_constant(const dal_algebra *g, int i);
/* Factors of a line; the line; products, sums and signs. */
void dal_put_number(dal_algebra *g, dal_line *l, int64_t num, int64_t den);
void dal_put_powers(dal_algebra *g, dal_line *l, int n, const dal_power *factors);
const dal_form *dal_product_of(dal_algebra *g, const dal_form *const *items, int n);
const dal_form *dal_line_form(dal_algebra *g, const dal_line *l);
const dal_form *dal_with_sign(dal_algebra *g, const dal_form *form, bool negative);
const dal_form *dal_sum_of(dal_algebra *g, const dal_form **items, int n);
/* The common factors of all terms, of those that pass; with `below` over the common denominator. A term without it; the part of a term that moves. */
dal_monomial dal_common_part(dal_algebra *g, int n, const dal_monomial *const *terms, bool (*pass)(const dal_algebra *g, int generator), bool below);
dal_monomial dal_without_common(dal_algebra *g, const dal_monomial *t, const dal_monomial *common);
dal_monomial dal_moving_part(const dal_algebra *g, const dal_monomial *t);
/* Terms with equal moving parts in groups; a term times a bracket; the kind of a term: accelerations, velocities, others, multipliers. */
const dal_form *dal_poly_form(dal_algebra *g, const dal_poly *p, bool below);
const dal_form *dal_monomial_form(dal_algebra *g, const dal_monomial *t, const dal_form *bracket);
int dal_monomial_group(const dal_algebra *g, const dal_monomial *t);

/* ---- polynomial_collect.c ---- */

bool dal_monomial_moves(const dal_algebra *g, const dal_monomial *t); /* does a velocity or an acceleration stand in it? */
/* With common factors before brackets; the shortest form without, and with, products of sums. */
const dal_form *dal_poly_collected_form(dal_algebra *g, const dal_poly *p);
const dal_form *dal_poly_unfactored_form(dal_algebra *g, const dal_poly *p);
const dal_form *dal_poly_shortest_form(dal_algebra *g, const dal_poly *p);

#endif
