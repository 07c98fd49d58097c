/* Sums with common factors in front of brackets.
 *
 * The terms of a sum that share most are collected: their common factor is put in front of a bracket, and the sum in the bracket is treated in the
 * same way; then the rest of the terms. This saves (terms - 1) times the operations of the common factor. Terms with accelerations, with velocities,
 * of forces and of multipliers stay apart, so that each term of an equation has one origin.
 */
#include "derive/factored_form.h"

#include <stdlib.h>
#include <string.h>

static bool everything(const dal_algebra *g, int generator)
{
    (void)g;
    (void)generator;
    return true;
}

static bool same_trig(const dal_monomial *a, const dal_monomial *b)
{
    return a->trig == b->trig && !dal_compare_powers(a->n_angles, a->angles, b->n_angles, b->angles);
}

/* The common factors of all terms, including a common sine or cosine. */
static dal_monomial shared_by(dal_algebra *g, int n, const dal_monomial *const *terms)
{
    dal_monomial common = dal_common_part(g, n, terms, everything, false);
    bool trig = true;
    for (int i = 1; i < n; i++)
        trig &= same_trig(terms[0], terms[i]);
    if (trig) {
        common.trig = terms[0]->trig;
        common.n_angles = terms[0]->n_angles;
        memcpy(common.angles, terms[0]->angles, sizeof common.angles);
    }
    for (int i = 0; i < n; i++) { /* numbers of the model stay as they are */
        const dal_monomial rest = dal_without_common(g, terms[i], &common);
        if (rest.den != 1 || llabs(rest.num) > 12) {
            common.num = common.den = 1;
            break;
        }
    }
    return common;
}

/* Operations of a generator; stored after the first call. */
static int cost_of_generator(dal_algebra *g, int i)
{
    if (!g->generators[i].cost)
        g->generators[i].cost = 1 + dal_form_operations(dal_generator_form(g, i));
    return g->generators[i].cost - 1;
}

/* Multiplications and functions in a term. */
static int cost_of(dal_algebra *g, const dal_monomial *t)
{
    int cost = (llabs(t->num) != 1) + (t->den != 1);
    for (int i = 0; i < t->n_factors; i++)
        cost += 1 + (abs(t->factors[i].exponent) > 1) + cost_of_generator(g, t->factors[i].generator);
    for (int i = 0; i < t->n_angles && t->trig != DAL_TRIG_ONE; i++)
        cost += 1 + (abs(t->angles[i].exponent) > 1);
    return cost + (t->trig != DAL_TRIG_ONE);
}

static dal_monomial rest_of(dal_algebra *g, const dal_monomial *t, const dal_monomial *common)
{
    dal_monomial rest = dal_without_common(g, t, common);
    if (common->trig != DAL_TRIG_ONE) {
        rest.trig = DAL_TRIG_ONE;
        rest.n_angles = 0;
        memset(rest.angles, 0, sizeof rest.angles);
    }
    return rest;
}

/* The members of `terms` that have the power (with the same sign), or, if `like` is not NULL, its sine or cosine. */
static int members_of(int n, const dal_monomial *const *terms, dal_power power, const dal_monomial *like, const dal_monomial **out)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        const int exponent = dal_exponent_of(terms[i], power.generator);
        if (like ? same_trig(like, terms[i]) : exponent != 0 && (exponent > 0) == (power.exponent > 0))
            out[m++] = terms[i];
    }
    return m;
}

typedef struct choice {
    int n, saved;
    const dal_monomial **terms;
    dal_monomial common;
} choice;

bool dal_monomial_moves(const dal_algebra *g, const dal_monomial *t)
{
    for (int i = 0; i < t->n_factors; i++) {
        const int rank = dal_generator_rank(g, t->factors[i].generator);
        if (rank == 4 || rank == 5)
            return true;
    }
    return false;
}

/* A bracket after a velocity or an acceleration contains no other one: books write x'^2 + x'*y' and not x'*(x' + y'). */
static bool is_strange(dal_algebra *g, int n, const dal_monomial *const *terms, const dal_monomial *common)
{
    bool inside = false;
    for (int i = 0; i < n; i++) {
        const dal_monomial rest = rest_of(g, terms[i], common);
        inside |= dal_monomial_moves(g, &rest);
    }
    return inside && dal_monomial_moves(g, common);
}

/* The common part without velocities and accelerations. */
static void hold_still(const dal_algebra *g, dal_monomial *common)
{
    int n = 0;
    for (int i = 0; i < common->n_factors; i++) {
        const int rank = dal_generator_rank(g, common->factors[i].generator);
        if (rank != 4 && rank != 5)
            common->factors[n++] = common->factors[i];
    }
    common->n_factors = (int16_t)n;
}

static void consider(dal_algebra *g, int n, const dal_monomial **terms, choice *best)
{
    if (n < 2)
        return;
    dal_monomial common = shared_by(g, n, terms);
    if (is_strange(g, n, terms, &common))
        hold_still(g, &common);
    const int saved = (n - 1) * cost_of(g, &common);
    if (saved <= best->saved)
        return;
    best->n = n;
    best->saved = saved;
    best->common = common;
    memcpy(best->terms, terms, sizeof *terms * (size_t)n);
}

static choice choose(dal_algebra *g, int n, const dal_monomial *const *terms)
{
    choice best = {.terms = DAL_NEW(g->d->arena, const dal_monomial *, n)};
    const dal_monomial **members = DAL_NEW(g->d->arena, const dal_monomial *, n);
    for (int i = 0; i < n && !g->failed; i++) {
        for (int k = 0; k < terms[i]->n_factors; k++)
            consider(g, members_of(n, terms, terms[i]->factors[k], NULL, members), members, &best);
        if (terms[i]->trig != DAL_TRIG_ONE)
            consider(g, members_of(n, terms, (dal_power){0, 1}, terms[i], members), members, &best);
    }
    g->work += (long)n * n;
    return best;
}

static void collect_terms(dal_algebra *g, int n, const dal_monomial *const *terms, const dal_form **items, int *n_items);

/* The sum, or the same as a product where that is shorter. */
static const dal_form *shorter(dal_algebra *g, int n, const dal_monomial *const *terms, const dal_form *sum)
{
    const dal_form *product = g->factors ? dal_poly_factored_form(g, n, terms) : NULL;
    return product && dal_form_operations(product) < dal_form_operations(sum) ? product : sum;
}

/* common * (sum of the rest) */
static const dal_form *bracket_form(dal_algebra *g, const choice *c)
{
    dal_monomial *rest = DAL_NEW(g->d->arena, dal_monomial, c->n), common = c->common;
    const dal_monomial **terms = DAL_NEW(g->d->arena, const dal_monomial *, c->n);
    const dal_form **items = DAL_NEW(g->d->arena, const dal_form *, c->n);
    bool negative = true;
    int n = 0;
    for (int i = 0; i < c->n; i++)
        negative &= c->terms[i]->num < 0;
    common.num = negative ? -llabs(common.num) : llabs(common.num);
    for (int i = 0; i < c->n; i++) {
        rest[i] = rest_of(g, c->terms[i], &common);
        terms[i] = &rest[i];
    }
    collect_terms(g, c->n, terms, items, &n);
    return dal_monomial_form(g, &common, shorter(g, c->n, terms, dal_sum_of(g, items, n)));
}

/* Items of the sum, in the order of their first terms. */
static void collect_terms(dal_algebra *g, int n, const dal_monomial *const *terms, const dal_form **items, int *n_items)
{
    const dal_monomial **left = DAL_NEW(g->d->arena, const dal_monomial *, n);
    const dal_form **of = DAL_NEW(g->d->arena, const dal_form *, n); /* of each term: the item that begins with it */
    bool *used = DAL_NEW(g->d->arena, bool, n);
    for (int n_left = n; n_left && !g->failed;) {
        n_left = 0;
        for (int i = 0; i < n; i++)
            if (!used[i])
                left[n_left++] = terms[i];
        const choice c = choose(g, n_left, left);
        if (!c.saved)
            break;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < c.n; k++)
                if (terms[i] == c.terms[k]) {
                    if (k == 0)
                        of[i] = bracket_form(g, &c);
                    used[i] = true;
                }
    }
    for (int i = 0; i < n && !g->failed; i++) {
        if (of[i])
            items[(*n_items)++] = of[i];
        else if (!used[i])
            items[(*n_items)++] = dal_monomial_form(g, terms[i], NULL);
    }
}

const dal_form *dal_poly_collected_form(dal_algebra *g, const dal_poly *p)
{
    enum { MOST = 120 }; /* terms: the time of the search grows with their cube */
    const dal_form **items = DAL_NEW(g->d->arena, const dal_form *, p->n);
    const dal_monomial **terms = DAL_NEW(g->d->arena, const dal_monomial *, p->n);
    int n_items = 0;
    if (p->n > MOST)
        return NULL;
    for (int kind = 0; kind < 4; kind++) {
        int n = 0;
        for (int i = 0; i < p->n; i++)
            if (dal_monomial_group(g, &p->term[i]) == kind)
                terms[n++] = &p->term[i];
        const int before = n_items;
        collect_terms(g, n, terms, items, &n_items);
        if (n < 2 || g->failed)
            continue;
        const dal_form *sum = dal_sum_of(g, items + before, n_items - before), *short_one = shorter(g, n, terms, sum);
        if (short_one != sum) {
            items[before] = short_one;
            n_items = before + 1;
        }
    }
    return g->failed ? NULL : dal_sum_of(g, items, n_items);
}

/* Expressions that are not equations, such as T, stay in groups unless brackets save a fifth. */
static bool is_shorter(const dal_algebra *g, const dal_form *form, const dal_form *than)
{
    return g->calm ? 5 * dal_form_operations(form) < 4 * dal_form_operations(than) : dal_form_operations(form) < dal_form_operations(than);
}

static const dal_form *shortest(dal_algebra *g, const dal_poly *p)
{
    const dal_form *best = dal_poly_form(g, p, true), *others[2];
    if (g->failed)
        return best;
    others[0] = dal_poly_form(g, p, false);
    others[1] = dal_poly_collected_form(g, p);
    for (int i = 0; i < 2 && !g->failed; i++)
        if (others[i] && is_shorter(g, others[i], best))
            best = others[i];
    return best;
}

const dal_form *dal_poly_unfactored_form(dal_algebra *g, const dal_poly *p)
{
    const bool factors = g->factors;
    g->factors = false;
    const dal_form *form = shortest(g, p);
    g->factors = factors;
    return form;
}

const dal_form *dal_poly_shortest_form(dal_algebra *g, const dal_poly *p)
{
    const bool factors = g->factors;
    g->factors = true; /* terms with a sine or a cosine of their own are refused there */
    const dal_form *form = shortest(g, p);
    const dal_monomial **terms = DAL_NEW(g->d->arena, const dal_monomial *, p->n);
    for (int i = 0; i < p->n; i++)
        terms[i] = &p->term[i];
    if (!g->failed && g->factors && p->n > 1) {
        const dal_form *product = shorter(g, p->n, terms, form);
        form = is_shorter(g, product, form) ? product : form;
    }
    g->factors = factors;
    return form;
}
