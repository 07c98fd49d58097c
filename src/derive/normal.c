/* Chooses the printed normal form: see normal.h. */
#include "derive/factored_form.h"
#include "derive/write.h"

#include <stdlib.h>
#include <string.h>

enum { ALL_WORK = 4000000 };

static bool any_common(const dal_algebra *g, int i)
{
    const dal_generator_kind kind = g->generators[i].kind;
    const bool coordinate = kind == DAL_GENERATOR_LETTER && g->d->letters[g->generators[i].letter].role == DAL_ROLE_COORDINATE;
    return dal_generator_is_constant(g, i) || coordinate || kind == DAL_GENERATOR_OF_SINE || kind == DAL_GENERATOR_OF_COSINE;
}

bool dal_has_unknown(const dal_algebra *g, const dal_monomial *t)
{
    for (int i = 0; i < t->n_factors; i++)
        if (!any_common(g, t->factors[i].generator))
            return true;
    return false;
}

static bool no_sign(const dal_form *form)
{
    return form->kind != DAL_FORM_NEGATIVE && !(form->kind == DAL_FORM_SUM && form->item[0]->kind == DAL_FORM_NEGATIVE);
}

/* Divisors of an expression. An equation of motion: the common factors of its terms that are constants, coordinates, sines or cosines. A constraint: constants only, because sin(a) =
 * 0 divided by sin(a) no longer holds there. */
typedef enum division { BY_NOTHING, BY_CONSTANTS, BY_ANYTHING, DIVISIONS } division;

/* Multipliers of an equation: all denominators; numeric ones; none, so that 0.5 in the model stays 0.5. */
typedef enum clearing { CLEAR_ALL, CLEAR_NUMBERS, CLEAR_NOTHING, CLEARINGS } clearing;

/* The equation without the common factors of its terms. A single term without unknowns and rates keeps its moving factors: one of
 * them must be zero. */
static void divide_by_common(dal_algebra *g, dal_poly *p, division what, clearing clear, const dal_form **by)
{
    const dal_monomial **all = DAL_NEW(g->d->arena, const dal_monomial *, p->n);
    for (int i = 0; i < p->n; i++)
        all[i] = &p->term[i];
    const bool alone = p->n == 1 && !dal_has_unknown(g, all[0]);
    dal_monomial common = dal_common_part(g, p->n, all, what == BY_ANYTHING && !alone ? any_common : dal_generator_is_constant, clear == CLEAR_ALL);
    dal_line l = {.n_above = 0};
    if (common.den > 12) /* numbers of the model, which stay as they are */
        common.num = common.den = 1;
    if (clear == CLEAR_NOTHING)
        common.den = 1;
    if (all[0]->num < 0)
        common.num = -common.num;
    dal_poly out = dal_poly_make(g, p->n);
    for (int i = 0; i < p->n && !g->failed; i++)
        out.term[out.n++] = dal_without_common(g, all[i], &common);
    dal_put_number(g, &l, common.num, common.den);
    dal_put_powers(g, &l, common.n_factors, common.factors);
    *by = l.n_above + l.n_below ? dal_line_form(g, &l) : NULL;
    *p = out;
}

/* The order of generators in printed terms: unknowns, velocities, multipliers, coordinates, then constants. */
static void order_letters(dal_algebra *g)
{
    static const dal_role order[] = {
        DAL_ROLE_ACCELERATION, DAL_ROLE_SPEED_RATE, DAL_ROLE_PORT_ACCELERATION, DAL_ROLE_RATE, DAL_ROLE_SPEED, DAL_ROLE_PORT_RATE,
        DAL_ROLE_MULTIPLIER,   DAL_ROLE_WRENCH,     DAL_ROLE_COORDINATE,        DAL_ROLE_PORT, DAL_ROLE_TIME,  DAL_ROLE_INPUT,
        DAL_ROLE_PARAMETER};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int k = 0; k < g->d->n_letters && g->n_generators < DAL_MOST_GENERATORS / 2; k++)
            if (g->d->letters[k].role == order[i])
                dal_find_generator(g, (dal_generator){.kind = DAL_GENERATOR_LETTER, .letter = k, .node = DAL_NO_NODE});
}

/* The algebra of this way, with the results for other expressions, for a graph that may have grown. */
dal_algebra *dal_begin_algebra(dal_derivation *d, dal_way way)
{
    const int n = dal_graph_size(d->graph);
    dal_algebra *g = d->algebra[way];
    if (!g) {
        g = d->algebra[way] = DAL_NEW(d->arena, dal_algebra, 1);
        g->d = d;
        g->way = way;
        order_letters(g);
    }
    if (g->n_nodes < n) {
        dal_poly *known = DAL_NEW(d->arena, dal_poly, 2 * n);
        bool *is_known = DAL_NEW(d->arena, bool, 2 * n);
        if (g->n_nodes) {
            memcpy(known, g->known, sizeof *known * (size_t)g->n_nodes);
            memcpy(is_known, g->is_known, sizeof *is_known * (size_t)g->n_nodes);
        }
        g->known = known;
        g->is_known = is_known;
        g->n_nodes = 2 * n;
    }
    g->failed = false;
    g->work = 0;
    return g;
}

/* All terms divided by the cosine; tan replaces sin/cos. */
static dal_poly over_cosine(dal_algebra *g, const dal_poly *p, int cosine)
{
    dal_generator other = g->generators[cosine];
    other.kind = DAL_GENERATOR_OF_SINE;
    const int sine = dal_find_generator(g, other);
    other.kind = DAL_GENERATOR_OF_TANGENT;
    const int tangent_of = dal_find_generator(g, other);
    dal_poly out = dal_poly_make(g, p->n);
    for (int i = 0; i < p->n && !g->failed; i++) {
        dal_monomial t = dal_times_power(g, &p->term[i], cosine, -1);
        const int above = dal_exponent_of(&t, sine), below = -dal_exponent_of(&t, cosine), both = above < below ? above : below;
        if (both > 0) {
            t = dal_times_power(g, &t, sine, -both);
            t = dal_times_power(g, &t, cosine, both);
            t = dal_times_power(g, &t, tangent_of, both);
        }
        out.term[out.n++] = t;
    }
    return out;
}

/* a * b, where either may be NULL: one product, in the numerator, with equal letters as a square. */
static const dal_form *multiply_forms(dal_algebra *g, const dal_form *a, const dal_form *b)
{
    const dal_form *items[DAL_FACTORS + 2];
    int n = 0;
    if (!a || !b)
        return a ? a : b;
    if (a->kind == DAL_FORM_QUOTIENT) {
        dal_form *quotient = dal_form_make(g->d->arena, DAL_FORM_QUOTIENT, 2);
        quotient->item[0] = multiply_forms(g, a->item[0], b);
        quotient->item[1] = a->item[1];
        return quotient;
    }
    const bool one = a->kind == DAL_FORM_NUMBER && a->num == 1 && a->den == 1;
    const int m = one ? 0 : a->kind == DAL_FORM_PRODUCT && a->n < DAL_FACTORS ? a->n : 1;
    bool squared = false;
    for (int i = 0; i < m; i++) {
        const dal_form *item = m == 1 && a->kind != DAL_FORM_PRODUCT ? a : a->item[i];
        if (!squared && item->kind == DAL_FORM_LETTER && b->kind == DAL_FORM_LETTER && item->letter == b->letter) {
            dal_form *power = dal_form_make(g->d->arena, DAL_FORM_POWER, 1);
            power->item[0] = item;
            power->exponent = 2;
            item = power;
            squared = true;
        }
        items[n++] = item;
    }
    if (!squared)
        items[n++] = b;
    return dal_product_of(g, items, n);
}

/* Divides an equation by a cosine if that makes it shorter. Every acceleration must have the cosine: books write u' - u w tan(q), but not u'
 * tan(q) + 2 u w, which is singular where the equation is not. */
static const dal_form *shorter_over_cosine(dal_algebra *g, const dal_poly *p, const dal_form *form, const dal_form **by)
{
    const int n = g->n_generators;
    for (int i = 0; i < n && p->n > 1; i++) {
        bool there = false, without = false; /* in a term; not in the term of an acceleration */
        for (int k = 0; k < p->n && g->generators[i].kind == DAL_GENERATOR_OF_COSINE; k++) {
            const bool here = dal_exponent_of(&p->term[k], i) != 0;
            there |= here;
            without |= !here && dal_monomial_group(g, &p->term[k]) == 0;
        }
        if (!there || without)
            continue;
        const dal_poly over = over_cosine(g, p, i);
        bool whole = !g->failed;
        for (int k = 0; k < over.n && whole; k++)
            whole = dal_exponent_of(&over.term[k], i) >= 0;
        if (!whole)
            continue;
        const dal_form *other = g->failed ? NULL : dal_poly_shortest_form(g, &over);
        if (g->failed || dal_form_operations(other) >= dal_form_operations(form))
            continue;
        *by = multiply_forms(g, *by, dal_generator_form(g, i));
        return other;
    }
    return form;
}

/* Divides the equation by a parameter that most terms have, if that makes it shorter: r'' - r th'^2 + k/m (r - l). */
static const dal_form *shorter_over_parameter(dal_algebra *g, dal_poly *p, const dal_form *form, const dal_form **by)
{
    enum { MOST = 30 };
    const int n = g->n_generators;
    for (int i = 0; i < n && p->n > 1 && p->n <= MOST && !g->failed; i++) {
        int have = 0;
        bool below = false; /* of an acceleration, which books avoid */
        for (int k = 0; k < p->n && dal_generator_is_constant(g, i); k++) {
            const bool here = dal_exponent_of(&p->term[k], i) > 0;
            have += here;
            below |= !here && dal_monomial_group(g, &p->term[k]) == 0;
        }
        if (2 * have <= p->n || below)
            continue;
        dal_poly over = dal_poly_make(g, p->n);
        for (int k = 0; k < p->n && !g->failed; k++)
            over.term[over.n++] = dal_times_power(g, &p->term[k], i, -1);
        const dal_form *other = g->failed ? NULL : dal_poly_shortest_form(g, &over);
        if (g->failed || dal_form_operations(other) >= dal_form_operations(form))
            continue;
        *by = multiply_forms(g, *by, dal_generator_form(g, i));
        *p = over;
        form = other;
    }
    return form;
}

/* The shortest form of a polynomial, with denominators multiplied out of the equation or not. */
static const dal_form *form_of_poly(dal_algebra *g, const dal_poly *whole, division what, clearing clear, const dal_form **by)
{
    dal_poly p = *whole;
    if (what != BY_NOTHING && p.n)
        divide_by_common(g, &p, what, clear, by);
    const dal_form *form = g->failed ? NULL : dal_poly_shortest_form(g, &p);
    if (form && !g->failed && what == BY_ANYTHING)
        form = shorter_over_parameter(g, &p, form, by);
    if (form && !g->failed && what == BY_ANYTHING && g->way != DAL_FOURIER)
        form = shorter_over_cosine(g, &p, form, by);
    return g->failed ? NULL : form;
}

/* ---- the form of a node ------------------------------------------------------------------ */

enum { MOST_NODES = 3000 }; /* useful normal forms are made of fewer nodes */

/* The number of different nodes under one, up to that limit. */
static int count_nodes(dal_derivation *d, dal_node root)
{
    int n = 0, seen = 0;
    size_t room = 0;
    dal_node *stack = NULL, x[3];
    if (d->n_marks < dal_graph_size(d->graph)) {
        d->n_marks = 2 * dal_graph_size(d->graph);
        d->marks = DAL_NEW(d->arena, int, d->n_marks);
        d->mark = 0;
    }
    d->mark++;
    *DAL_PUSH(d->arena, stack, n, room) = root;
    while (n && seen <= MOST_NODES) {
        const dal_node node = stack[--n];
        if (d->marks[node] == d->mark)
            continue;
        d->marks[node] = d->mark;
        seen++;
        for (int i = 0, m = dal_node_operands(d->graph, node, x); i < m; i++)
            *DAL_PUSH(d->arena, stack, n, room) = x[i];
    }
    return seen;
}

/* There are so many terms that the node as it is must be shorter. */
static bool has_too_many_terms(dal_derivation *d, dal_node node, int terms)
{
    return terms > 60 && terms > count_nodes(d, node);
}

static const dal_form *find_form(dal_derivation *d, dal_node node, dal_way way, division what, const dal_form **by, int *terms)
{
    dal_algebra *g = dal_begin_algebra(d, way);
    dal_poly p = dal_poly_of_graph(g, node);
    d->normal_work += g->work;
    g->work = 0;
    if (g->failed)
        return NULL;
    if (way != DAL_FOURIER)
        p = dal_cancel_sums(g, &p);
    if (g->failed)
        return NULL;
    *terms = p.n;
    if (has_too_many_terms(d, node, p.n))
        return NULL;
    g->calm = what == BY_NOTHING;
    const dal_form *form = form_of_poly(g, &p, what, CLEAR_ALL, by);
    for (clearing clear = CLEAR_ALL + 1; clear < CLEARINGS && form && what != BY_NOTHING && !g->failed; clear++) {
        const dal_form *other_by = NULL, *other = form_of_poly(g, &p, what, clear, &other_by);
        if (!g->failed && other && dal_form_operations(other) < dal_form_operations(form)) {
            *by = other_by;
            form = other;
        }
    }
    for (dal_squares squares = 0; form && squares <= DAL_SQUARES_OF_COSINES && what == BY_ANYTHING && way != DAL_FOURIER && !g->failed; squares++) {
        dal_poly rest;
        const dal_form *sums = NULL, *more = NULL;
        if (!dal_divide_by_sums(g, &p, squares, &rest, &sums))
            continue;
        const dal_form *other = form_of_poly(g, &rest, what, CLEAR_ALL, &more);
        if (g->failed || !other || dal_form_operations(other) >= dal_form_operations(form))
            continue;
        *by = multiply_forms(g, sums, more);
        form = other;
    }
    d->normal_work += g->work;
    return g->failed ? NULL : form;
}

/* Functions of a number times something, as sin(2 a): each counts one more, because books prefer sin(a)^2. */
static int multiple_angles(const dal_form *form)
{
    int n = form->kind == DAL_FORM_FUNCTION && form->n == 1 && form->item[0]->kind == DAL_FORM_PRODUCT && form->item[0]->n == 2 &&
            form->item[0]->item[0]->kind == DAL_FORM_NUMBER;
    for (int i = 0; i < form->n; i++)
        n += multiple_angles(form->item[i]);
    return n;
}

static const dal_form *shortest_way(dal_derivation *d, dal_node node, division what, const dal_form **by, int *terms)
{
    const dal_form *best = NULL;
    int least = 0;
    if (d->normal_work > ALL_WORK || count_nodes(d, node) > MOST_NODES)
        return NULL;
    for (dal_way way = 0; way < DAL_WAYS; way++) {
        const dal_form *with = NULL;
        int n = 0;
        const dal_form *form = find_form(d, node, way, what, &with, &n);
        const int operations = form ? dal_form_operations(form) + !no_sign(form) + multiple_angles(form) : 0;
        if (form && (!best || operations < least)) {
            best = form;
            least = operations;
            if (by)
                *by = with;
            if (terms)
                *terms = n;
        }
    }
    return best;
}

/* Are there numbers with many digits, and does the description contain all of them? The direction cosines of joint axes are numerous, and letters for them would be longer than the
 * expression. */
static bool has_long_numbers(const dal_derivation *d)
{
    bool written = false, computed = false;
    for (int i = 0; i < d->n_letters; i++)
        if (d->letters[i].role == DAL_ROLE_NUMBER && dal_is_long_number(d->letters[i].name))
            *(d->letters[i].index ? &computed : &written) = true;
    return written && !computed;
}

static bool shows_long_numbers(const dal_derivation *d, const dal_form *form)
{
    bool shows =
        form->kind == DAL_FORM_LETTER && d->letters[form->letter].role == DAL_ROLE_NUMBER && dal_is_long_number(d->letters[form->letter].name);
    for (int i = 0; i < form->n && !shows; i++)
        shows = shows_long_numbers(d, form->item[i]);
    return shows;
}

/* If long numbers are letters, a form is useful only if it has no more operations than the node, each counted once. */
static const dal_form *form_of_use(dal_derivation *d, dal_node node, const dal_form *form)
{
    double written;
    int shared;
    if (!form || !d->long_numbers_stay || !shows_long_numbers(d, form))
        return form;
    dal_count_operations(d, 1, &node, &written, &shared);
    return dal_form_operations(form) > shared ? NULL : form;
}

/* If there is no normal form and the model has numbers of many digits, these become letters from now on: 1.2345678*0.9876543^2 stays that. */
static const dal_form *best_form(dal_derivation *d, dal_node node, division what, const dal_form **by, int *terms)
{
    const dal_form *form = shortest_way(d, node, what, by, terms);
    if (form || d->long_numbers_stay || !has_long_numbers(d) || count_nodes(d, node) > MOST_NODES)
        return form_of_use(d, node, form);
    d->long_numbers_stay = true;
    memset(d->algebra, 0, sizeof d->algebra);
    form = form_of_use(d, node, shortest_way(d, node, what, by, terms));
    if (form)
        dal_derive_note(d, "numbers of more than four digits are not multiplied out: the products have too many digits");
    return form;
}

/* Known forms of each node, divided by nothing, by constants, by anything: they are needed repeatedly. */
typedef struct memo {
    int n;
    struct remembered {
        const dal_form *form, *by;
        int terms;
        bool known;
    } * of;
} memo;

static struct remembered *remembered_form(dal_derivation *d, dal_node node, division what)
{
    memo *m = d->memo ? d->memo : (d->memo = DAL_NEW(d->arena, memo, DIVISIONS));
    m += what;
    if (m->n <= node) {
        const int n = 2 * dal_graph_size(d->graph);
        struct remembered *grown = DAL_NEW(d->arena, struct remembered, n);
        if (m->n)
            memcpy(grown, m->of, sizeof *grown * (size_t)m->n);
        m->of = grown;
        m->n = n;
    }
    return &m->of[node];
}

static const dal_form *known_form(dal_derivation *d, dal_node node, division what, const dal_form **by, int *terms)
{
    if (!remembered_form(d, node, what)->known) {
        struct remembered found = {.known = true};
        found.form = best_form(d, node, what, &found.by, &found.terms);
        *remembered_form(d, node, what) = found;
    }
    const struct remembered *r = remembered_form(d, node, what);
    if (by)
        *by = r->by;
    if (terms)
        *terms = r->terms;
    return r->form;
}

const dal_form *dal_normal_form(dal_derivation *d, dal_node node, int *terms)
{
    return known_form(d, node, BY_NOTHING, NULL, terms);
}

const dal_form *dal_normal_equation(dal_derivation *d, dal_node node, const dal_form **by, int *terms)
{
    return known_form(d, node, BY_ANYTHING, by, terms);
}

const dal_form *dal_normal_in_way(dal_derivation *d, dal_node node, dal_way way, bool divided)
{
    const dal_form *by = NULL;
    int terms;
    return d->normal_work > ALL_WORK || count_nodes(d, node) > MOST_NODES ? NULL
                                                                          : find_form(d, node, way, divided ? BY_ANYTHING : BY_NOTHING, &by, &terms);
}

const dal_form *dal_normal_constraint(dal_derivation *d, dal_node node)
{
    return known_form(d, node, BY_CONSTANTS, NULL, NULL);
}

static bool same_polys(const dal_poly *a, const dal_poly *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (dal_compare_monomials(&a->term[i], &b->term[i]) || a->term[i].num != b->term[i].num || a->term[i].den != b->term[i].den)
            return false;
    return true;
}

/* Both are divided by the common factors of their terms. */
static bool same_but_for_factors(dal_algebra *g, dal_poly *a, dal_poly *b)
{
    const dal_form *by;
    divide_by_common(g, a, BY_ANYTHING, CLEAR_ALL, &by);
    divide_by_common(g, b, BY_ANYTHING, CLEAR_ALL, &by);
    dal_poly_collect(g, a);
    dal_poly_collect(g, b);
    return !g->failed && same_polys(a, b);
}

bool dal_same_equation(dal_derivation *d, dal_node one, dal_node other)
{
    for (dal_way way = 0; way < DAL_WAYS; way++) {
        dal_algebra *g = dal_begin_algebra(d, way);
        const dal_form *by;
        dal_poly a = dal_poly_of_graph(g, one), b = dal_poly_of_graph(g, other);
        if (g->failed)
            continue;
        if (a.n && b.n ? same_but_for_factors(g, &a, &b) : same_polys(&a, &b))
            return true;
        for (dal_squares squares = 0; squares <= DAL_SQUARES_OF_COSINES && way != DAL_FOURIER && !g->failed; squares++) {
            dal_poly x, y;
            const bool first = dal_divide_by_sums(g, &a, squares, &x, &by), second = dal_divide_by_sums(g, &b, squares, &y, &by);
            if (g->failed || !(first || second))
                continue;
            x = first ? x : a;
            y = second ? y : b;
            if (same_but_for_factors(g, &x, &y))
                return true;
        }
    }
    return false;
}
