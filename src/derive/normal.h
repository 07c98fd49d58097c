/* Expressions in normal form, and the form in which they are printed.
 *
 * Normal form: a sum of terms, each a rational number times powers of generators (letters, and subexpressions that are not polynomials), times 1, a
 * cosine or a sine of an integer combination of angles. Two ways to write sines and cosines:
 *   DAL_FOURIER   products become sums: cos a cos b + sin a sin b is cos(a - b) by itself
 *   DAL_PRODUCTS_SINE, DAL_PRODUCTS_COSINE  they are generators; squares are reduced by sin^2 + cos^2 = 1
 * Equal polynomials have equal normal forms. The one with the fewest operations is printed (a minus in front counts, and a
 * sine or cosine of 2 a counts twice); of equal ones the first of the enum.
 */
#ifndef DAL_DERIVE_NORMAL_H
#define DAL_DERIVE_NORMAL_H

#include "derive/derive.h"

typedef enum dal_way { DAL_FOURIER, DAL_PRODUCTS_SINE, DAL_PRODUCTS_COSINE, DAL_WAYS } dal_way;

typedef enum dal_form_kind {
    DAL_FORM_NUMBER,   /* num / den */
    DAL_FORM_LETTER,   /* letter */
    DAL_FORM_SUM,      /* items */
    DAL_FORM_NEGATIVE, /* of its item */
    DAL_FORM_PRODUCT,  /* items */
    DAL_FORM_QUOTIENT, /* of two items */
    DAL_FORM_POWER,    /* item to the power `exponent`, or to the second item where there are two */
    DAL_FORM_FUNCTION, /* name, items */
    DAL_FORM_NAMED     /* intermediate quantity number `letter` */
} dal_form_kind;

/* A printed expression. */
typedef struct dal_form {
    dal_form_kind kind;
    int64_t num, den;
    int letter, exponent, n;
    const char *name;
    const struct dal_form **item;
} dal_form;

/* A quantity with a name of its own, because it is used more than once. */
typedef struct dal_intermediate {
    dal_node node;
    const dal_form *form;
} dal_intermediate;

typedef struct dal_writer {
    dal_derivation *d;
    int n_intermediates;
    size_t cap_intermediates;
    dal_intermediate *intermediate; /* of nodes that are printed as they stand */
    int n_nodes;
    int *number_of;        /* of each node: its number, or -1 */
    const dal_form **form; /* of each node, or NULL */
    int plain;             /* forms that are printed without simplification */
} dal_writer;

/* A writer for the derivation, in its arena. */
dal_writer *dal_writer_create(dal_derivation *d);

/* The normal form with the fewest operations, for printing. NULL: it exceeds the limits, or has no useful normal form. `terms` may be NULL. */
const dal_form *dal_normal_form(dal_derivation *d, dal_node node, int *terms);
/* The same for an equation node = 0, divided by the common factors of its terms: numbers, parameters, coordinates, sines and cosines.
 * *by: the divisor, or NULL. */
const dal_form *dal_normal_equation(dal_derivation *d, dal_node node, const dal_form **by, int *terms);
/* The same for one way to write sines and cosines, with or without `divided`; for comparisons of terms. NULL: there is none. */
const dal_form *dal_normal_in_way(dal_derivation *d, dal_node node, dal_way way, bool divided);
/* The same for a constraint node = 0, divided by numbers and parameters only: it is zero exactly where the node is. */
const dal_form *dal_normal_constraint(dal_derivation *d, dal_node node);
/* Are two equations node = 0 the same, up to common factors of all terms? False: normal forms do not show it. */
bool dal_same_equation(dal_derivation *d, dal_node one, dal_node other);
/* Nodes as they are, without simplification. The first call makes the forms of several nodes together: subexpressions that are used more than once
 * in all of them get names. The second returns the form of one node, and makes it if the first did not. */
void dal_plain_forms(dal_writer *w, int n, const dal_node *nodes);
const dal_form *dal_plain_form(dal_writer *w, dal_node node);
/* The normal form, or else the node as it is. */
const dal_form *dal_some_form(dal_writer *w, dal_node node);

/* The operation of a node on forms of its operands. */
const dal_form *dal_operation_form(dal_derivation *d, dal_node node, const dal_form *const *operand, int n);

/* + - * / ^ and functions, each counts one, and so does a minus in front. */
int dal_form_operations(const dal_form *form);
/* Operations of nodes: written out (a shared one as often as it is used), and each once. */
void dal_count_operations(dal_derivation *d, int n, const dal_node *nodes, double *written, int *shared);

/* A form with n operands; a rational number as a form. */
dal_form *dal_form_make(dal_arena *arena, dal_form_kind kind, int n);
const dal_form *dal_form_rational(dal_arena *arena, int64_t num, int64_t den);
/* Does a fraction with this denominator end as a decimal number? */
bool dal_is_decimal(int64_t den);
/* The exact fraction of a double, if it is a short one. */
bool dal_rational_of(double value, int64_t *num, int64_t *den);

#endif
