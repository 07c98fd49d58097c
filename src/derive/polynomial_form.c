/* Polynomials as they are printed: products, common factors, sums in groups. See polynomial.h. */
#include "derive/polynomial.h"

#include <stdlib.h>
#include <string.h>

/* ---- printed forms ------------------------------------------------------------------------------ */

dal_form *dal_form_make(dal_arena *arena, dal_form_kind kind, int n)
{
    dal_form *form = DAL_NEW(arena, dal_form, 1);
    form->kind = kind;
    form->n = n;
    form->item = DAL_NEW(arena, const dal_form *, n);
    return form;
}

const dal_form *dal_form_rational(dal_arena *arena, int64_t num, int64_t den)
{
    dal_form *form = dal_form_make(arena, DAL_FORM_NUMBER, 0);
    form->num = num;
    form->den = den;
    return form;
}

const dal_form *dal_letter_form(dal_derivation *d, int letter)
{
    dal_form *form = dal_form_make(d->arena, DAL_FORM_LETTER, 0);
    form->letter = letter;
    return form;
}

static const dal_form *combination_form(dal_algebra *g, int n, const dal_power *angles)
{
    dal_arena *arena = g->d->arena;
    dal_form *sum = dal_form_make(arena, DAL_FORM_SUM, n);
    for (int i = 0; i < n; i++) {
        const dal_generator *which = &g->generators[angles[i].generator];
        const bool number = which->kind == DAL_GENERATOR_PHASE && !which->n_angles;
        const int k = angles[i].exponent, size = abs(k);
        const dal_form *x = number ? dal_form_rational(arena, size * which->num, which->den) : dal_generator_form(g, angles[i].generator);
        if (size != 1 && !number) {
            dal_form *product = dal_form_make(arena, DAL_FORM_PRODUCT, 2);
            product->item[0] = dal_form_rational(arena, size, 1);
            product->item[1] = x;
            x = product;
        }
        if (k < 0) {
            dal_form *minus = dal_form_make(arena, DAL_FORM_NEGATIVE, 1);
            minus->item[0] = x;
            x = minus;
        }
        sum->item[i] = x;
    }
    return n == 1 ? sum->item[0] : sum;
}

static const dal_form *function_form(dal_derivation *d, const char *name, const dal_form *argument)
{
    dal_form *form = dal_form_make(d->arena, DAL_FORM_FUNCTION, 1);
    form->name = name;
    form->item[0] = argument;
    return form;
}

/* A sum or product in normal form; of a function, its operands. */
static const dal_form *opaque_form(dal_algebra *g, dal_node node)
{
    dal_derivation *d = g->d;
    const dal_op op = dal_node_op(d->graph, node);
    const bool whole = op == DAL_OP_ADD || op == DAL_OP_SUB || op == DAL_OP_MUL || op == DAL_OP_DIV || op == DAL_OP_NEG;
    dal_node x[3] = {node, node, node};
    const dal_form *form[3];
    const int n = whole ? 1 : dal_node_operands(d->graph, node, x);
    const long work = g->work;
    bool fine = g->depth++ < 20;
    for (int i = 0; i < n && fine; i++)
        fine = (form[i] = dal_normal_form(d, x[i], NULL)) != NULL;
    g->depth--;
    g->work = work;
    g->failed = !fine;
    return !fine ? dal_form_rational(d->arena, 0, 1) : whole ? form[0] : dal_operation_form(d, node, form, n);
}

const dal_form *dal_generator_form(dal_algebra *g, int i)
{
    const dal_generator *which = &g->generators[i];
    switch (which->kind) {
    case DAL_GENERATOR_LETTER: return dal_letter_form(g->d, which->letter);
    case DAL_GENERATOR_OF_SINE:
    case DAL_GENERATOR_OF_COSINE:
    case DAL_GENERATOR_OF_TANGENT:
        return function_form(g->d,
                             which->kind == DAL_GENERATOR_OF_SINE     ? "sin"
                             : which->kind == DAL_GENERATOR_OF_COSINE ? "cos"
                                                                      : "tan",
                             combination_form(g, which->n_angles, which->angles));
    case DAL_GENERATOR_PHASE: {
        dal_monomial t = {.num = which->num, .den = which->den, .n_factors = (int16_t)which->n_angles};
        memcpy(t.factors, which->angles, sizeof *which->angles * (size_t)which->n_angles);
        return dal_monomial_form(g, &t, NULL);
    }
    case DAL_GENERATOR_OPAQUE: break;
    }
    return opaque_form(g, which->node);
}

static const dal_form *power_form(dal_algebra *g, dal_power f)
{
    const dal_form *base = dal_generator_form(g, f.generator);
    const int exponent = abs(f.exponent);
    if (exponent == 1)
        return base;
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_POWER, 1);
    form->item[0] = base;
    form->exponent = exponent;
    return form;
}

/* The place of a factor in a product: numbers, parameters, then moving quantities. */
int dal_generator_rank(const dal_algebra *g, int i)
{
    const dal_generator *which = &g->generators[i];
    if (which->kind != DAL_GENERATOR_LETTER)
        return 7;
    switch (g->d->letters[which->letter].role) {
    case DAL_ROLE_NUMBER: return 0;
    case DAL_ROLE_PARAMETER: return 1;
    case DAL_ROLE_INPUT:
    case DAL_ROLE_STATE: return 2;
    case DAL_ROLE_PORT:
    case DAL_ROLE_COORDINATE: return 3;
    case DAL_ROLE_PORT_RATE:
    case DAL_ROLE_RATE:
    case DAL_ROLE_SPEED: return 4;
    case DAL_ROLE_PORT_ACCELERATION:
    case DAL_ROLE_ACCELERATION:
    case DAL_ROLE_SPEED_RATE: return 5;
    default: return 6;
    }
}

bool dal_generator_is_constant(const dal_algebra *g, int i)
{
    return dal_generator_rank(g, i) <= 1;
}

void dal_put_number(dal_algebra *g, dal_line *l, int64_t num, int64_t den)
{
    if (dal_is_decimal(den)) {
        l->above[l->n_above++] = dal_form_rational(g->d->arena, llabs(num), den);
        return;
    }
    if (llabs(num) != 1)
        l->above[l->n_above++] = dal_form_rational(g->d->arena, llabs(num), 1);
    if (den != 1)
        l->below[l->n_below++] = dal_form_rational(g->d->arena, den, 1);
}

void dal_put_powers(dal_algebra *g, dal_line *l, int n, const dal_power *factors)
{
    for (int rank = 0; rank <= 7; rank++)
        for (int i = 0; i < n; i++)
            if (dal_generator_rank(g, factors[i].generator) == rank) {
                if (factors[i].exponent > 0)
                    l->above[l->n_above++] = power_form(g, factors[i]);
                else
                    l->below[l->n_below++] = power_form(g, factors[i]);
            }
}

const dal_form *dal_product_of(dal_algebra *g, const dal_form *const *items, int n)
{
    if (n == 0)
        return dal_form_rational(g->d->arena, 1, 1);
    if (n == 1)
        return items[0];
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_PRODUCT, n);
    memcpy(form->item, items, sizeof *items * (size_t)n);
    return form;
}

const dal_form *dal_line_form(dal_algebra *g, const dal_line *l)
{
    if (!l->n_below)
        return dal_product_of(g, l->above, l->n_above);
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_QUOTIENT, 2);
    form->item[0] = dal_product_of(g, l->above, l->n_above);
    form->item[1] = dal_product_of(g, l->below, l->n_below);
    return form;
}

const dal_form *dal_with_sign(dal_algebra *g, const dal_form *form, bool negative)
{
    if (!negative)
        return form;
    dal_form *minus = dal_form_make(g->d->arena, DAL_FORM_NEGATIVE, 1);
    minus->item[0] = form;
    return minus;
}

const dal_form *dal_sum_of(dal_algebra *g, const dal_form **items, int n)
{
    if (n == 0)
        return dal_form_rational(g->d->arena, 0, 1);
    int first = 0;
    while (first < n && items[first]->kind == DAL_FORM_NEGATIVE)
        first++;
    if (first < n) { /* a sum begins with a term without a minus, where it has one */
        const dal_form *moved = items[first];
        memmove(items + 1, items, sizeof *items * (size_t)first);
        items[0] = moved;
    }
    if (n == 1)
        return items[0];
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_SUM, n);
    memcpy(form->item, items, sizeof *items * (size_t)n);
    return form;
}

/* ---- common factors ------------------------------------------------------------------------------ */

/* The common factors of all terms, of those that pass, and the common divisor of their numbers; with `below`, also the common denominator. */
dal_monomial dal_common_part(dal_algebra *g, int n, const dal_monomial *const *terms, bool (*pass)(const dal_algebra *g, int generator), bool below)
{
    dal_monomial common = {.num = 0, .den = 1};
    for (int i = 0; i < n; i++) {
        common.num = dal_divisor(common.num, terms[i]->num);
        const dal_wide least = (dal_wide)common.den / dal_divisor(common.den, terms[i]->den) * terms[i]->den;
        if (least > INT64_MAX / 4) {
            common.num = common.den = 1;
            break;
        }
        common.den = (int64_t)least;
    }
    if (common.num == 0)
        common.num = 1;
    const int candidates = !n ? 0 : below ? g->n_generators : terms[0]->n_factors; /* a common factor of all terms is in the first one */
    for (int c = 0; c < candidates; c++) {
        const int k = below ? c : terms[0]->factors[c].generator;
        int least = INT16_MAX, most = INT16_MIN;
        for (int i = 0; i < n && pass(g, k); i++) {
            const int exponent = dal_exponent_of(terms[i], k);
            least = exponent < least ? exponent : least;
            most = exponent > most ? exponent : most;
        }
        if (least < 0 && !below && most >= 0)
            continue;
        if (least < 0 && !below)
            least = most;
        if (least != INT16_MAX && least != 0 && common.n_factors < DAL_FACTORS)
            common.factors[common.n_factors++] = (dal_power){(int16_t)k, (int16_t)least};
    }
    return common;
}

dal_monomial dal_without_common(dal_algebra *g, const dal_monomial *t, const dal_monomial *common)
{
    dal_monomial out = *t;
    const dal_wide sign = common->num < 0 ? -1 : 1;
    g->failed |= !dal_reduce_fraction(sign * t->num * common->den, sign * t->den * common->num, &out.num, &out.den);
    g->failed |= !dal_merge_powers(t->n_factors, t->factors, common->n_factors, common->factors, -1, DAL_FACTORS, out.factors, &out.n_factors);
    return out;
}

/* ---- sums in groups --------------------------------------------------------------------------------- */

/* The moving part of a term: all factors except numbers and parameters. */
dal_monomial dal_moving_part(const dal_algebra *g, const dal_monomial *t)
{
    dal_monomial out = {.num = 1, .den = 1, .trig = t->trig, .n_angles = t->n_angles};
    memcpy(out.angles, t->angles, sizeof out.angles);
    for (int i = 0; i < t->n_factors; i++)
        if (!dal_generator_is_constant(g, t->factors[i].generator))
            out.factors[out.n_factors++] = t->factors[i];
    return out;
}

/* Accelerations first, then products of velocities, then the rest. */
int dal_monomial_group(const dal_algebra *g, const dal_monomial *t)
{
    int accelerations = 0, velocities = 0, multipliers = 0;
    for (int i = 0; i < t->n_factors; i++) {
        const int rank = dal_generator_rank(g, t->factors[i].generator);
        accelerations += rank == 5;
        velocities += rank == 4;
        multipliers += rank == 6;
    }
    return accelerations ? 0 : velocities ? 1 : multipliers ? 3 : 2;
}

/* Are the numbers that remain after division by a common factor small? */
static bool leaves_small(dal_algebra *g, int n, const dal_monomial *const *terms, const dal_monomial *common)
{
    for (int i = 0; i < n; i++) {
        const dal_monomial rest = dal_without_common(g, terms[i], common);
        if (rest.den != 1 || llabs(rest.num) > 12)
            return false;
    }
    return true;
}

/* (sum of constants) * moving part: the common factor of the constants is put in front. */
static const dal_form *group_form(dal_algebra *g, int n, const dal_monomial *const *terms, const dal_monomial *moving, bool below)
{
    dal_monomial common = dal_common_part(g, n, terms, dal_generator_is_constant, below);
    dal_line l = {.n_above = 0};
    bool negative = true;
    if (n > 1 && common.den > 12 && !leaves_small(g, n, terms, &common)) /* numbers of the model stay as they are */
        common.num = common.den = 1;
    for (int i = 0; i < n; i++)
        negative &= terms[i]->num < 0;
    dal_put_number(g, &l, common.num, common.den);
    dal_monomial constants = common;
    dal_put_powers(g, &l, constants.n_factors, constants.factors);
    if (n > 1) {
        const dal_form **items = DAL_NEW(g->d->arena, const dal_form *, n);
        for (int i = 0; i < n; i++) {
            dal_monomial rest = dal_without_common(g, terms[i], &common);
            dal_line inner = {.n_above = 0};
            int kept = 0;
            for (int k = 0; k < rest.n_factors; k++)
                if (dal_generator_is_constant(g, rest.factors[k].generator))
                    rest.factors[kept++] = rest.factors[k];
            dal_put_number(g, &inner, rest.num, rest.den);
            dal_put_powers(g, &inner, kept, rest.factors);
            items[i] = dal_with_sign(g, dal_line_form(g, &inner), (rest.num < 0) != negative);
        }
        if (l.n_above < DAL_FACTORS)
            l.above[l.n_above++] = dal_sum_of(g, items, n);
        else
            g->failed = true;
    }
    dal_put_powers(g, &l, moving->n_factors, moving->factors);
    if (moving->trig != DAL_TRIG_ONE)
        l.above[l.n_above++] =
            function_form(g->d, moving->trig == DAL_TRIG_SINE ? "sin" : "cos", combination_form(g, moving->n_angles, moving->angles));
    return dal_with_sign(g, dal_line_form(g, &l), negative);
}

/* Factors in the numerator. */
static int count_above(const dal_monomial *t)
{
    int n = 0;
    for (int i = 0; i < t->n_factors; i++)
        n += t->factors[i].exponent > 0;
    return n;
}

/* Does it consist only of numbers and parameters? */
static bool is_constant_form(const dal_derivation *d, const dal_form *form)
{
    if (form->kind == DAL_FORM_LETTER)
        return d->letters[form->letter].role == DAL_ROLE_NUMBER || d->letters[form->letter].role == DAL_ROLE_PARAMETER;
    for (int i = 0; i < form->n; i++)
        if (!is_constant_form(d, form->item[i]))
            return false;
    return form->kind != DAL_FORM_NAMED;
}

/* A term times a bracket: constants, moving part, bracket; a bracket of constants comes before the moving part. */
const dal_form *dal_monomial_form(dal_algebra *g, const dal_monomial *t, const dal_form *bracket)
{
    dal_line l = {.n_above = 0};
    dal_put_number(g, &l, t->num, t->den);
    dal_put_powers(g, &l, t->n_factors, t->factors);
    if (t->trig != DAL_TRIG_ONE)
        l.above[l.n_above++] = function_form(g->d, t->trig == DAL_TRIG_SINE ? "sin" : "cos", combination_form(g, t->n_angles, t->angles));
    if (bracket) {
        int at = l.n_above, constants = 0;
        for (int i = 0; i < t->n_factors; i++)
            constants += t->factors[i].exponent > 0 && dal_generator_is_constant(g, t->factors[i].generator);
        if (is_constant_form(g->d, bracket))
            at = l.n_above - (t->trig != DAL_TRIG_ONE) - count_above(t) + constants;
        memmove(l.above + at + 1, l.above + at, sizeof *l.above * (size_t)(l.n_above - at));
        l.above[at] = bracket;
        l.n_above++;
    }
    return dal_with_sign(g, dal_line_form(g, &l), t->num < 0);
}

/* Terms with equal moving parts are neighbours. */
const dal_form *dal_poly_form(dal_algebra *g, const dal_poly *p, bool below)
{
    const dal_form **items = DAL_NEW(g->d->arena, const dal_form *, p->n);
    const dal_monomial **group = DAL_NEW(g->d->arena, const dal_monomial *, p->n);
    bool *used = DAL_NEW(g->d->arena, bool, p->n);
    int n = 0;
    for (int first = 0; first < 4; first++)
        for (int i = 0; i < p->n && !g->failed; i++) {
            if (used[i] || dal_monomial_group(g, &p->term[i]) != first)
                continue;
            const dal_monomial moving = dal_moving_part(g, &p->term[i]);
            int members = 0;
            for (int k = i; k < p->n; k++) {
                const dal_monomial other = dal_moving_part(g, &p->term[k]);
                if (!used[k] && !dal_compare_monomials(&moving, &other)) {
                    group[members++] = &p->term[k];
                    used[k] = true;
                }
            }
            items[n++] = group_form(g, members, group, &moving, below);
        }
    return dal_sum_of(g, items, n);
}
