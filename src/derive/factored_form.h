/* Sums as products of sums. */
#ifndef DAL_DERIVE_FACTORED_FORM_H
#define DAL_DERIVE_FACTORED_FORM_H

#include "derive/polynomial.h"

enum { DAL_MOST_SUMS = 8 };

/* common * product of sum^exponent */
typedef struct dal_factors {
    dal_monomial common;
    int n, exponent[DAL_MOST_SUMS];
    dal_poly sum[DAL_MOST_SUMS];
} dal_factors;

/* Squares of sines or of cosines may be eliminated first by sin^2 + cos^2 = 1. */
typedef enum dal_squares { DAL_SQUARES_STAY, DAL_SQUARES_OF_SINES, DAL_SQUARES_OF_COSINES } dal_squares;

/* The factors of a sum of terms without cos and sin of their own (not DAL_FOURIER). False: it is too large, FLINT is missing or aborted, or its
 * numbers do not fit. */
bool dal_poly_factor(dal_algebra *g, int n, const dal_monomial *const *terms, dal_squares squares, dal_factors *out);
/* The same as a printed form, with the fewest operations of all ways. NULL: it is not a product. */
const dal_form *dal_poly_factored_form(dal_algebra *g, int n, const dal_monomial *const *terms);

/* ---- common_sums.c ---- */

/* (M + m) x/(M + m)^2 is x/(M + m). */
dal_poly dal_cancel_sums(dal_algebra *g, const dal_poly *from);
/* The equation without sums in denominators and without sums that all its terms share. False: it has none. */
bool dal_divide_by_sums(dal_algebra *g, const dal_poly *from, dal_squares squares, dal_poly *out, const dal_form **by);

#endif
