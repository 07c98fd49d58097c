/* The functions of FLINT that are used. They are found in its shared library when an expression is factored. */
#ifndef DAL_DERIVE_FLINT_LIBRARY_H
#define DAL_DERIVE_FLINT_LIBRARY_H

#ifdef DAL_HAVE_FLINT

#include "base/library.h"

#include <flint/fmpq_mpoly_factor.h>

/* clang-format off */
#define DAL_FLINT_CALLS(X)                                                                              \
    X(flint_set_abort) X(fmpq_init) X(fmpq_clear) X(fmpq_set_si) X(fmpz_fits_si) X(fmpz_get_si)         \
    X(fmpq_mpoly_ctx_init) X(fmpq_mpoly_ctx_clear) X(fmpq_mpoly_init) X(fmpq_mpoly_clear)               \
    X(fmpq_mpoly_length) X(fmpq_mpoly_push_term_fmpq_ui) X(fmpq_mpoly_sort_terms)                       \
    X(fmpq_mpoly_combine_like_terms) X(fmpq_mpoly_get_term_coeff_fmpq) X(fmpq_mpoly_get_term_exp_ui)    \
    X(fmpq_mpoly_divrem_ideal) X(fmpq_mpoly_factor_init) X(fmpq_mpoly_factor) X(fmpq_mpoly_factor_clear)
/* clang-format on */

typedef struct dal_flint {
    void *handle;
    DAL_FLINT_CALLS(DAL_CALL)
} dal_flint;

#endif

#endif
