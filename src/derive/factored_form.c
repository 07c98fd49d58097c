/* Sums as products, by FLINT.
 *
 * FLINT only factors small polynomials: the size is estimated first (MOST_TERMS_ASKED, MOST_DEGREE), so that no call takes long. If FLINT aborts
 * (memory, an overflow of exponents), the call ends, and the expression does not change. Without FLINT nothing is factored.
 *
 * sin^2 + cos^2 - 1 is an ideal: a polynomial is factored as it is, with squares of sines divided out, and with squares of cosines divided out, and the
 * form with the fewest operations is taken.
 */
#include "derive/factored_form.h"

#ifdef DAL_HAVE_FLINT

#include "derive/flint_library.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS_ASKED = 60, MOST_VARIABLES = 16, MOST_DEGREE = 40 };

static _Thread_local jmp_buf *on_abort; /* where an aborted call continues */

__attribute__((noreturn)) static void abort_factoring(void)
{
    if (on_abort)
        longjmp(*on_abort, 1);
    abort();
}

/* Loaded once for a derivation. NULL: FLINT is missing. */
static const dal_flint *open_flint(dal_derivation *d)
{
    dal_flint *flint = d->flint;
    char why[300];
    if (flint)
        return flint->handle ? flint : NULL;
#define X(name) {#name, offsetof(dal_flint, name)},
    static const dal_symbol symbols[] = {DAL_FLINT_CALLS(X)};
#undef X
    flint = d->flint = DAL_NEW(d->arena, dal_flint, 1);
    if (!d->options.unfactored)
        flint->handle = dal_library_open("FLINT", DAL_FLINT_SONAME, "libflint17", symbols, sizeof symbols / sizeof *symbols, flint, why, sizeof why);
    else
        why[0] = '\0';
    if (!flint->handle && why[0])
        dal_derive_note(d, "sums are not factored: %s", why);
    return flint->handle ? flint : NULL;
}

/* ---- a question ------------------------------------------------------------------------------ */

/* Which generators are variables. Squares of `squares` are replaced by those of their companions. */
typedef struct question {
    dal_algebra *g;
    const dal_flint *f;
    int n, generator[MOST_VARIABLES];
    dal_monomial common; /* in front of the polynomial, with negative exponents */
    fmpq_mpoly_ctx_t context;
    fmpq_mpoly_t whole;
} question;

static int variable_of(question *q, int generator)
{
    for (int i = 0; i < q->n; i++)
        if (q->generator[i] == generator)
            return i;
    if (q->n == MOST_VARIABLES)
        return -1;
    q->generator[q->n] = generator;
    return q->n++;
}

static bool everything(const dal_algebra *g, int generator)
{
    (void)g;
    (void)generator;
    return true;
}

/* The generator of the other function of the same angle; -1: none. */
static int companion(question *q, int generator, dal_generator_kind from)
{
    dal_generator other = q->g->generators[generator];
    if (other.kind != from)
        return -1;
    other.kind = from == DAL_GENERATOR_OF_SINE ? DAL_GENERATOR_OF_COSINE : DAL_GENERATOR_OF_SINE;
    return dal_find_generator(q->g, other);
}

/* Variables in an order in which squares of `from` are leading terms. False: there are too many, or the degree is too high. */
static bool choose_variables(question *q, int n, const dal_monomial *terms, dal_generator_kind from)
{
    int degree = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            for (int k = 0; k < terms[i].n_factors; k++) {
                const int generator = terms[i].factors[k].generator;
                if ((q->g->generators[generator].kind == from) == (pass == 0) && variable_of(q, generator) < 0)
                    return false;
                degree = abs(terms[i].factors[k].exponent) > degree ? abs(terms[i].factors[k].exponent) : degree;
            }
    const int first = q->n;
    for (int i = 0; i < first; i++) {
        const int other = companion(q, q->generator[i], from);
        if (other >= 0 && variable_of(q, other) < 0)
            return false;
    }
    return degree <= MOST_DEGREE && !q->g->failed;
}

static void push_term(question *q, fmpq_mpoly_t p, int64_t num, int64_t den, const ulong *exponents)
{
    fmpq_t c;
    q->f->fmpq_init(c);
    q->f->fmpq_set_si(c, num, (ulong)den);
    q->f->fmpq_mpoly_push_term_fmpq_ui(p, c, exponents, q->context);
    q->f->fmpq_clear(c);
}

static void write_whole(question *q, int n, const dal_monomial *terms)
{
    q->f->fmpq_mpoly_ctx_init(q->context, q->n, ORD_LEX);
    q->f->fmpq_mpoly_init(q->whole, q->context);
    for (int i = 0; i < n; i++) {
        ulong exponents[MOST_VARIABLES] = {0};
        for (int k = 0; k < terms[i].n_factors; k++)
            exponents[variable_of(q, terms[i].factors[k].generator)] = (ulong)terms[i].factors[k].exponent;
        push_term(q, q->whole, terms[i].num, terms[i].den, exponents);
    }
    q->f->fmpq_mpoly_sort_terms(q->whole, q->context);
    q->f->fmpq_mpoly_combine_like_terms(q->whole, q->context);
}

/* The remainder by from^2 + companion^2 - 1 of every angle. */
static void divide_squares(question *q, dal_generator_kind from)
{
    fmpq_mpoly_struct ideal[MOST_VARIABLES], quotient[MOST_VARIABLES], *by[MOST_VARIABLES], *out[MOST_VARIABLES];
    int n = 0;
    for (int i = 0; i < q->n; i++) {
        const int other = companion(q, q->generator[i], from);
        if (other < 0)
            continue;
        ulong one[MOST_VARIABLES] = {0}, two[MOST_VARIABLES] = {0}, none[MOST_VARIABLES] = {0};
        one[i] = 2;
        two[variable_of(q, other)] = 2;
        q->f->fmpq_mpoly_init(&ideal[n], q->context);
        q->f->fmpq_mpoly_init(&quotient[n], q->context);
        push_term(q, &ideal[n], 1, 1, one);
        push_term(q, &ideal[n], 1, 1, two);
        push_term(q, &ideal[n], -1, 1, none);
        q->f->fmpq_mpoly_sort_terms(&ideal[n], q->context);
        by[n] = &ideal[n];
        out[n] = &quotient[n];
        n++;
    }
    if (n)
        q->f->fmpq_mpoly_divrem_ideal(out, q->whole, q->whole, by, n, q->context);
    for (int i = 0; i < n; i++) {
        q->f->fmpq_mpoly_clear(&ideal[i], q->context);
        q->f->fmpq_mpoly_clear(&quotient[i], q->context);
    }
}

/* ---- the answer ---------------------------------------------------------------------------------- */

static bool read_fraction(const question *q, const fmpq_t c, int64_t *num, int64_t *den)
{
    if (!q->f->fmpz_fits_si(fmpq_numref(c)) || !q->f->fmpz_fits_si(fmpq_denref(c)))
        return false;
    *num = q->f->fmpz_get_si(fmpq_numref(c));
    *den = q->f->fmpz_get_si(fmpq_denref(c));
    return true;
}

static bool read_poly(question *q, const fmpq_mpoly_t from, dal_poly *p)
{
    const long n = q->f->fmpq_mpoly_length(from, q->context);
    bool fine = n <= DAL_MOST_TERMS;
    fmpq_t c;
    if (!fine)
        return false;
    *p = dal_poly_make(q->g, (int)n);
    q->f->fmpq_init(c);
    for (long i = 0; i < n && fine && !q->g->failed; i++) {
        ulong exponents[MOST_VARIABLES];
        dal_monomial t = {.num = 1, .den = 1};
        q->f->fmpq_mpoly_get_term_coeff_fmpq(c, from, i, q->context);
        q->f->fmpq_mpoly_get_term_exp_ui(exponents, from, i, q->context);
        fine = read_fraction(q, c, &t.num, &t.den);
        for (int k = 0; k < q->n && fine; k++) { /* variables are in another order than generators */
            const dal_power power = {(int16_t)q->generator[k], (int16_t)exponents[k]};
            const dal_monomial so_far = t;
            if (exponents[k])
                fine = dal_merge_powers(so_far.n_factors, so_far.factors, 1, &power, 1, DAL_FACTORS, t.factors, &t.n_factors);
        }
        p->term[p->n++] = t;
    }
    q->f->fmpq_clear(c);
    dal_poly_collect(q->g, p);
    return fine && !q->g->failed;
}

/* Factors of the polynomial. Only sums count; single generators are added to `common`. */
static bool read_factors(question *q, const fmpq_mpoly_factor_t from, dal_factors *out)
{
    *out = (dal_factors){.common = q->common};
    int64_t num, den;
    if (!read_fraction(q, from->constant, &num, &den) ||
        !dal_reduce_fraction((dal_wide)num * q->common.num, (dal_wide)den * q->common.den, &out->common.num, &out->common.den))
        return false;
    for (long i = 0; i < from->num; i++) {
        dal_poly p;
        if (!q->f->fmpz_fits_si(&from->exp[i]) || !read_poly(q, &from->poly[i], &p) || !p.n)
            return false;
        const int exponent = (int)q->f->fmpz_get_si(&from->exp[i]);
        if (p.n > 1) {
            if (out->n == DAL_MOST_SUMS)
                return false;
            out->sum[out->n] = p;
            out->exponent[out->n++] = exponent;
            continue;
        }
        for (int k = 0; k < exponent && !q->g->failed; k++) {
            const dal_monomial before = out->common;
            q->g->failed |=
                !dal_reduce_fraction((dal_wide)before.num * p.term[0].num, (dal_wide)before.den * p.term[0].den, &out->common.num, &out->common.den);
            q->g->failed |= !dal_merge_powers(before.n_factors, before.factors, p.term[0].n_factors, p.term[0].factors, 1, DAL_FACTORS,
                                              out->common.factors, &out->common.n_factors);
        }
    }
    return !q->g->failed;
}

static bool factor_by_flint(question *q, int n, const dal_monomial *terms, dal_generator_kind from, dal_factors *out)
{
    fmpq_mpoly_factor_t answer;
    bool fine = false;
    write_whole(q, n, terms);
    if (from != DAL_GENERATOR_LETTER)
        divide_squares(q, from);
    if (q->f->fmpq_mpoly_length(q->whole, q->context) > 0) {
        q->f->fmpq_mpoly_factor_init(answer, q->context);
        fine = q->f->fmpq_mpoly_factor(answer, q->whole, q->context) && read_factors(q, answer, out);
        q->f->fmpq_mpoly_factor_clear(answer, q->context);
    }
    q->f->fmpq_mpoly_clear(q->whole, q->context);
    q->f->fmpq_mpoly_ctx_clear(q->context);
    return fine;
}

bool dal_poly_factor(dal_algebra *g, int n, const dal_monomial *const *terms, dal_squares squares, dal_factors *out)
{
    static const dal_generator_kind kinds[] = {DAL_GENERATOR_LETTER, DAL_GENERATOR_OF_SINE, DAL_GENERATOR_OF_COSINE};
    const dal_flint *f = n > 1 && n <= MOST_TERMS_ASKED ? open_flint(g->d) : NULL;
    question q = {.g = g, .f = f, .n = 0};
    dal_monomial *rest = DAL_NEW(g->d->arena, dal_monomial, n > 0 ? n : 1);
    jmp_buf back;
    if (!f)
        return false;
    for (int i = 0; i < n; i++)
        if (terms[i]->trig != DAL_TRIG_ONE)
            return false;
    q.common = dal_common_part(g, n, terms, everything, true);
    for (int i = 0; i < n; i++)
        rest[i] = dal_without_common(g, terms[i], &q.common);
    if (g->failed || !choose_variables(&q, n, rest, kinds[squares]))
        return false;
    g->work += 100L * n;
    volatile bool fine = false;
    on_abort = &back;
    f->flint_set_abort(abort_factoring);
    if (setjmp(back) == 0) /* memory that FLINT had allocated when it aborted is lost */
        fine = factor_by_flint(&q, n, rest, kinds[squares], out);
    on_abort = NULL;
    return fine;
}

#else

bool dal_poly_factor(dal_algebra *g, int n, const dal_monomial *const *terms, dal_squares squares, dal_factors *out)
{
    (void)n, (void)terms, (void)squares, (void)out;
    dal_derive_note(g->d, "sums are not factored: this build has no FLINT");
    return false;
}

#endif

/* ---- as it is printed -------------------------------------------------------------------------------- */

static const dal_form *product_form(dal_algebra *g, const dal_factors *f)
{
    const dal_form *items[DAL_MOST_SUMS];
    for (int i = 0; i < f->n; i++) {
        items[i] = dal_poly_unfactored_form(g, &f->sum[i]);
        if (f->exponent[i] > 1) {
            dal_form *power = dal_form_make(g->d->arena, DAL_FORM_POWER, 1);
            power->item[0] = items[i];
            power->exponent = f->exponent[i];
            items[i] = power;
        }
    }
    return g->failed ? NULL : dal_monomial_form(g, &f->common, dal_product_of(g, items, f->n));
}

/* Velocities and accelerations are in one factor only: books write x'^2 + x'*y' and not x'*(x' + y'). */
static bool is_strange(const dal_algebra *g, const dal_factors *f)
{
    int moving = dal_monomial_moves(g, &f->common);
    for (int i = 0; i < f->n; i++) {
        bool here = false;
        for (int k = 0; k < f->sum[i].n; k++)
            here |= dal_monomial_moves(g, &f->sum[i].term[k]);
        moving += here;
    }
    return moving > 1;
}

const dal_form *dal_poly_factored_form(dal_algebra *g, int n, const dal_monomial *const *terms)
{
    const dal_form *best = NULL;
    for (dal_squares squares = DAL_SQUARES_STAY; squares <= DAL_SQUARES_OF_COSINES && !g->failed; squares++) {
        dal_factors f;
        int sums = 0;
        if (!dal_poly_factor(g, n, terms, squares, &f))
            continue;
        for (int i = 0; i < f.n; i++)
            sums += f.exponent[i];
        const dal_form *form = (sums > 1 || (squares && f.n)) && !is_strange(g, &f) ? product_form(g, &f) : NULL;
        if (form && (!best || dal_form_operations(form) < dal_form_operations(best)))
            best = form;
    }
    return g->failed ? NULL : best;
}
