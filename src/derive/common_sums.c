/* Equations without sums in denominators and without sums that all terms share: an equation in normal form is divided by these in addition to
 * single terms. FLINT finds the sums (factored_form.c). */
#include "derive/factored_form.h"
#include "derive/write.h"

#include <stdlib.h>
#include <string.h>

static void append_terms(dal_algebra *g, dal_poly *sum, const dal_poly *more)
{
    if (sum->n + more->n > 4 * DAL_MOST_TERMS)
        dal_poly_collect(g, sum);
    g->failed |= sum->n + more->n > 4 * DAL_MOST_TERMS;
    g->work += more->n;
    for (int i = 0; i < more->n && !g->failed; i++)
        sum->term[sum->n++] = more->term[i];
}

/* Multiplies an equation by the sums in its denominators, as in 1/(M + m). *times: the product of them, or NULL. */
static dal_poly clear_sums(dal_algebra *g, const dal_poly *from, const dal_form **times)
{
    dal_poly p = *from;
    *times = NULL;
    for (int i = 0; i < g->n_generators && !g->failed; i++) {
        int below = 0;
        if (g->generators[i].kind != DAL_GENERATOR_OPAQUE || !g->is_known[g->generators[i].node])
            continue;
        for (int k = 0; k < p.n; k++) {
            const int exponent = -dal_exponent_of(&p.term[k], i);
            below = exponent > below ? exponent : below;
        }
        const dal_poly sum = g->known[g->generators[i].node];
        if (!below || sum.n < 2)
            continue;
        dal_poly out = dal_poly_make(g, 4 * DAL_MOST_TERMS); /* terms are collected when it is full, and at the end */
        for (int k = 0; k < p.n && !g->failed; k++) {
            const int have = dal_exponent_of(&p.term[k], i);
            dal_poly part = dal_poly_number(g, 1, 1);
            part.term[0] = dal_times_power(g, &p.term[k], i, -have);
            for (int n = 0; n < below + have && !g->failed; n++)
                part = dal_poly_multiply(g, &part, &sum);
            append_terms(g, &out, &part);
        }
        dal_poly_collect(g, &out);
        dal_form *power = dal_form_make(g->d->arena, DAL_FORM_POWER, 1), *product = dal_form_make(g->d->arena, DAL_FORM_PRODUCT, 2);
        power->item[0] = dal_generator_form(g, i);
        power->exponent = below;
        product->item[0] = *times;
        product->item[1] = below > 1 ? power : power->item[0];
        *times = *times ? product : product->item[1];
        p = out;
    }
    return p;
}

/* Is the sum a multiple of the other? *factor: the ratio. */
static bool is_multiple(const dal_poly *a, const dal_poly *b, dal_monomial *factor)
{
    *factor = (dal_monomial){.num = 1, .den = 1};
    if (a->n != b->n || !dal_reduce_fraction((dal_wide)a->term[0].num * b->term[0].den * (b->term[0].num < 0 ? -1 : 1),
                                             (dal_wide)a->term[0].den * llabs(b->term[0].num), &factor->num, &factor->den))
        return false;
    for (int i = 0; i < a->n; i++)
        if (dal_compare_monomials(&a->term[i], &b->term[i]) ||
            (dal_wide)a->term[i].num * b->term[i].den * factor->den != (dal_wide)b->term[i].num * a->term[i].den * factor->num)
            return false;
    return true;
}

/* The terms that have this power of the sum `i`, without the power and divided by the sum once. False: they are not a multiple of it. */
static bool divide_level(dal_algebra *g, int i, int exponent, const dal_poly *p, dal_poly *out)
{
    const dal_poly sum = g->known[g->generators[i].node];
    const dal_monomial **terms = DAL_NEW(g->d->arena, const dal_monomial *, p->n);
    dal_monomial *level = DAL_NEW(g->d->arena, dal_monomial, p->n), factor;
    dal_factors f;
    int n = 0, found = -1;
    for (int k = 0; k < p->n; k++)
        if (dal_exponent_of(&p->term[k], i) == exponent) {
            level[n] = dal_times_power(g, &p->term[k], i, -exponent);
            terms[n] = &level[n];
            n++;
        }
    if (n < 2 || g->failed || !dal_poly_factor(g, n, terms, DAL_SQUARES_STAY, &f))
        return false;
    for (int k = 0; k < f.n; k++)
        if (found < 0 && is_multiple(&f.sum[k], &sum, &factor))
            found = k;
    if (found < 0)
        return false;
    *out = dal_poly_number(g, 1, 1);
    out->term[0] = f.common;
    g->failed |= !dal_reduce_fraction((dal_wide)f.common.num * factor.num, (dal_wide)f.common.den * factor.den, &out->term[0].num, &out->term[0].den);
    for (int k = 0; k < f.n; k++)
        for (int times = k == found; times < f.exponent[k] && !g->failed; times++)
            *out = dal_poly_multiply(g, out, &f.sum[k]);
    return !g->failed;
}

dal_poly dal_cancel_sums(dal_algebra *g, const dal_poly *from)
{
    dal_poly p = *from;
    for (int i = 0; i < g->n_generators && !g->failed; i++) {
        int lowest = 0;
        if (g->generators[i].kind != DAL_GENERATOR_OPAQUE || !g->is_known[g->generators[i].node] || g->known[g->generators[i].node].n < 2)
            continue;
        for (int k = 0; k < p.n; k++) {
            const int exponent = dal_exponent_of(&p.term[k], i);
            lowest = exponent < lowest ? exponent : lowest;
        }
        for (int exponent = lowest; exponent < 0 && !g->failed; exponent++) {
            dal_poly level, rest = dal_poly_make(g, p.n);
            if (!divide_level(g, i, exponent, &p, &level))
                continue;
            for (int k = 0; k < p.n; k++)
                if (dal_exponent_of(&p.term[k], i) != exponent)
                    rest.term[rest.n++] = p.term[k];
            for (int k = 0; k < level.n && !g->failed; k++)
                level.term[k] = dal_times_power(g, &level.term[k], i, exponent + 1);
            p = dal_poly_add(g, &rest, &level, 1);
        }
    }
    return g->failed ? *from : p;
}

/* Does it consist only of numbers, parameters, coordinates, sines and cosines, so that an equation may be divided by it? */
static bool is_divisor(const dal_algebra *g, const dal_poly *p)
{
    for (int i = 0; i < p->n; i++)
        if (dal_has_unknown(g, &p->term[i]))
            return false;
    return true;
}

/* Sums in both numerators and denominators. */
static const dal_form *quotient_of(dal_algebra *g, const dal_monomial *common, const dal_form **above, int n, const dal_form *below)
{
    const dal_form *text = below && below->kind == DAL_FORM_POWER ? below->item[0] : below;
    for (int i = 0; i < n && below; i++) {
        if (strcmp(dal_form_text(g->d, above[i], false), dal_form_text(g->d, text, false)))
            continue;
        dal_form *less = dal_form_make(g->d->arena, DAL_FORM_POWER, 1);
        less->item[0] = text;
        less->exponent = below->exponent - 1;
        below = below == text ? NULL : less->exponent > 1 ? less : text;
        above[i--] = above[--n];
    }
    const dal_form *all = dal_monomial_form(g, common, n ? dal_product_of(g, above, n) : NULL);
    if (!below)
        return all;
    dal_form *quotient = dal_form_make(g->d->arena, DAL_FORM_QUOTIENT, 2);
    quotient->item[0] = all;
    quotient->item[1] = below;
    return quotient;
}

bool dal_divide_by_sums(dal_algebra *g, const dal_poly *from, dal_squares squares, dal_poly *out, const dal_form **by)
{
    const dal_form *times, *items[DAL_MOST_SUMS + 1], *all;
    dal_factors f;
    int n = 0, rest = -1;
    dal_poly p = clear_sums(g, from, &times);
    const dal_monomial **terms = DAL_NEW(g->d->arena, const dal_monomial *, p.n);
    for (int i = 0; i < p.n; i++)
        terms[i] = &p.term[i];
    if (g->failed || p.n < 2 || !dal_poly_factor(g, p.n, terms, squares, &f) || dal_has_unknown(g, &f.common))
        return false;
    for (int i = 0; i < f.n; i++) {
        if (is_divisor(g, &f.sum[i])) {
            dal_form *power = dal_form_make(g->d->arena, DAL_FORM_POWER, 1);
            power->item[0] = dal_poly_unfactored_form(g, &f.sum[i]);
            power->exponent = f.exponent[i];
            items[n++] = f.exponent[i] > 1 ? power : power->item[0];
        } else if (rest >= 0 || f.exponent[i] != 1)
            return false;
        else
            rest = i;
    }
    if (rest < 0 || (!n && !times && squares == DAL_SQUARES_STAY))
        return false;
    *out = f.sum[rest];
    all = quotient_of(g, &f.common, items, n, times);
    *by = all->kind == DAL_FORM_NUMBER && all->num == 1 && all->den == 1 ? NULL : all;
    return !g->failed;
}
