/* Polynomials of nodes. See polynomial.h. */
#include "derive/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POWER = 12 };

/* The generator of which an angle of this term is a multiple: a letter, a product of letters with a number, or a number. *times: the integer
 * factor. False: there is none. */
static bool find_phase(dal_algebra *g, const dal_monomial *t, int *generator, int *times)
{
    const bool whole = t->den == 1 && llabs(t->num) <= 50;
    dal_generator phase = {.kind = DAL_GENERATOR_PHASE, .letter = -1, .node = DAL_NO_NODE, .n_angles = t->n_factors, .num = 1, .den = 1};
    if (t->trig != DAL_TRIG_ONE || t->n_factors > DAL_ANGLES)
        return false;
    for (int i = 0; i < t->n_factors; i++)
        if (g->generators[t->factors[i].generator].kind != DAL_GENERATOR_LETTER)
            return false;
    *times = whole ? (int)t->num : t->num < 0 ? -1 : 1;
    if (whole && t->n_factors == 1 && t->factors[0].exponent == 1) {
        *generator = t->factors[0].generator;
        return true;
    }
    memcpy(phase.angles, t->factors, sizeof *t->factors * (size_t)t->n_factors);
    if (!whole) {
        phase.num = llabs(t->num);
        phase.den = t->den;
    }
    *generator = dal_find_generator(g, phase);
    return true;
}

static int compare_generators(const void *x, const void *y)
{
    const dal_power *a = x, *b = y;
    return a->generator - b->generator;
}

static bool is_pi(const dal_algebra *g, int generator)
{
    const dal_generator *which = &g->generators[generator];
    return which->kind == DAL_GENERATOR_LETTER && g->d->letters[which->letter].role == DAL_ROLE_NUMBER &&
           !strcmp(g->d->letters[which->letter].name, "pi");
}

/* An integer combination of letters and phases, plus a multiple of a quarter turn. */
static bool read_angle(dal_algebra *g, const dal_poly *p, dal_monomial *combination, int *quarters)
{
    *quarters = 0;
    combination->n_angles = 0;
    for (int i = 0; i < p->n; i++) {
        const dal_monomial *t = &p->term[i];
        const bool alone = t->trig == DAL_TRIG_ONE && t->n_factors == 1 && t->factors[0].exponent == 1;
        int generator, times;
        if (alone && is_pi(g, t->factors[0].generator) && t->den <= 2) {
            *quarters = (int)((2 / t->den * (t->num % 4) + 8) % 4);
            continue;
        }
        if (!find_phase(g, t, &generator, &times) || combination->n_angles == DAL_ANGLES)
            return false;
        combination->angles[combination->n_angles++] = (dal_power){(int16_t)generator, (int16_t)times};
    }
    qsort(combination->angles, (size_t)combination->n_angles, sizeof *combination->angles, compare_generators);
    return true;
}

static dal_poly sine_or_cosine(dal_algebra *g, dal_node node, const dal_poly *argument, bool sine)
{
    dal_monomial t = {.num = 1, .den = 1};
    int quarters;
    if (!read_angle(g, argument, &t, &quarters))
        return dal_poly_opaque(g, node);
    t.trig = sine ? DAL_TRIG_SINE : DAL_TRIG_COSINE;
    for (int i = 0; i < quarters; i++) { /* cos(x + pi/2) = -sin x, sin(x + pi/2) = cos x */
        t.num = t.trig == DAL_TRIG_COSINE ? -t.num : t.num;
        t.trig = t.trig == DAL_TRIG_COSINE ? DAL_TRIG_SINE : DAL_TRIG_COSINE;
    }
    dal_orient_monomial(&t);
    if (t.trig != DAL_TRIG_ONE && g->way != DAL_FOURIER) {
        dal_generator which = {.kind = t.trig == DAL_TRIG_SINE ? DAL_GENERATOR_OF_SINE : DAL_GENERATOR_OF_COSINE,
                               .letter = -1,
                               .node = DAL_NO_NODE,
                               .n_angles = t.n_angles};
        memcpy(which.angles, t.angles, sizeof which.angles);
        t.factors[0] = (dal_power){(int16_t)dal_find_generator(g, which), 1};
        t.n_factors = 1;
        t.trig = DAL_TRIG_ONE;
        t.n_angles = 0;
        memset(t.angles, 0, sizeof t.angles);
    }
    dal_poly p = dal_poly_number(g, 1, 1);
    p.term[0] = t;
    p.n = t.num != 0;
    return p;
}

/* 1 / p where p is one term; otherwise 1 / (the node). */
static dal_poly inverse(dal_algebra *g, dal_node node, const dal_poly *p)
{
    if (p->n == 1 && p->term[0].trig != DAL_TRIG_ONE) { /* a sine or cosine in the denominator is a generator */
        dal_generator which = {.kind = p->term[0].trig == DAL_TRIG_SINE ? DAL_GENERATOR_OF_SINE : DAL_GENERATOR_OF_COSINE,
                               .letter = -1,
                               .node = DAL_NO_NODE,
                               .n_angles = p->term[0].n_angles};
        memcpy(which.angles, p->term[0].angles, sizeof which.angles);
        dal_poly below = dal_poly_number(g, 1, 1), rest = dal_poly_number(g, 1, 1);
        below.term[0].factors[0] = (dal_power){(int16_t)dal_find_generator(g, which), -1};
        below.term[0].n_factors = 1;
        rest.term[0] = p->term[0];
        rest.term[0].trig = DAL_TRIG_ONE;
        rest.term[0].n_angles = 0;
        memset(rest.term[0].angles, 0, sizeof rest.term[0].angles);
        rest = inverse(g, node, &rest);
        return dal_poly_multiply(g, &below, &rest);
    }
    if (p->n == 1 && p->term[0].num) {
        dal_poly out = dal_poly_number(g, 1, 1);
        dal_monomial *t = &out.term[0];
        *t = p->term[0];
        t->num = p->term[0].num < 0 ? -p->term[0].den : p->term[0].den;
        t->den = llabs(p->term[0].num);
        for (int i = 0; i < t->n_factors; i++)
            t->factors[i].exponent = (int16_t)-t->factors[i].exponent;
        return out;
    }
    dal_poly out = dal_poly_opaque(g, node);
    out.term[0].factors[0].exponent = -1;
    return out;
}

static dal_poly tangent(dal_algebra *g, dal_node node, const dal_poly *argument)
{
    dal_monomial t = {.num = 1, .den = 1};
    int quarters;
    if (!read_angle(g, argument, &t, &quarters))
        return dal_poly_opaque(g, node);
    const dal_poly sine = sine_or_cosine(g, node, argument, true), cosine = sine_or_cosine(g, node, argument, false);
    const dal_poly below = inverse(g, node, &cosine);
    return dal_poly_multiply(g, &sine, &below);
}

static dal_poly power(dal_algebra *g, dal_node node, const dal_poly *base, dal_node base_node, double exponent)
{
    if (exponent != floor(exponent) || fabs(exponent) > MOST_POWER)
        return dal_poly_opaque(g, node);
    dal_poly p = dal_poly_number(g, 1, 1), once = exponent < 0 ? inverse(g, base_node, base) : *base;
    for (int i = 0; i < (int)fabs(exponent) && !g->failed; i++)
        p = dal_poly_multiply(g, &p, &once);
    return p;
}

/* ---- roots of squares ---------------------------------------------------------------------- */

/* The value of a text that is a number or the name of a parameter; 0: another text. */
static double plain_value(const dal_derivation *d, dal_text text)
{
    char *end = NULL;
    const double value = text.text ? strtod(text.text, &end) : 0;
    for (int i = 0; i < d->spec->n_parameters && text.text; i++)
        if (!strcmp(d->spec->parameters[i].name.text, text.text))
            return d->spec->parameters[i].number;
    return end && !*end ? value : 0;
}

/* The sign of a parameter, or of a coordinate of the model's own at its start; 0: not known. */
static int sign_of_letter(dal_derivation *d, int letter)
{
    const dal_letter *l = &d->letters[letter];
    const int own = l->index - d->layout->own_q;
    double value = l->role == DAL_ROLE_PARAMETER ? l->value : 0;
    if (l->role == DAL_ROLE_COORDINATE && own >= 0 && own < d->spec->n_coordinates) {
        value = plain_value(d, d->spec->coordinates[own].start);
        if (value != 0)
            dal_derive_note(d, "the root of %s^2 is written as %s%s, which is positive at the start", l->name, value < 0 ? "-" : "", l->name);
    }
    return (value > 0) - (value < 0);
}

/* The whole number whose square is n; -1: there is none. */
static int64_t whole_root(int64_t square)
{
    const int64_t r = llround(sqrt((double)square));
    return r * r == square ? r : -1;
}

/* sqrt(4 r^2) is 2 r for r > 0 and -2 r for r < 0: the sign at the start is used, because a length does not pass zero. */
static dal_poly root_of(dal_algebra *g, dal_node node, const dal_poly *square)
{
    dal_monomial t = square->n == 1 ? square->term[0] : (dal_monomial){.num = -1};
    const int64_t num = t.num > 0 ? whole_root(t.num) : -1, den = num < 0 ? -1 : whole_root(t.den);
    if (den < 0 || t.trig != DAL_TRIG_ONE)
        return dal_poly_opaque(g, node);
    t.num = num;
    t.den = den;
    for (int i = 0; i < t.n_factors; i++) {
        const dal_generator *which = &g->generators[t.factors[i].generator];
        const int sign = which->kind == DAL_GENERATOR_LETTER && t.factors[i].exponent % 2 == 0 ? sign_of_letter(g->d, which->letter) : 0;
        if (!sign)
            return dal_poly_opaque(g, node);
        t.factors[i].exponent = (int16_t)(t.factors[i].exponent / 2);
        if (sign < 0 && t.factors[i].exponent % 2)
            t.num = -t.num;
    }
    dal_poly out = dal_poly_number(g, 1, 1);
    if (!g->failed)
        out.term[0] = t;
    return out;
}

static dal_poly of_letter(dal_algebra *g, int letter)
{
    const dal_letter *l = &g->d->letters[letter];
    int64_t num, den;
    if (l->role == DAL_ROLE_NUMBER && !(g->d->long_numbers_stay && dal_is_long_number(l->name)) && dal_read_decimal(l->name, &num, &den))
        return dal_poly_number(g, num, den);
    return dal_poly_single(g, (dal_generator){.kind = DAL_GENERATOR_LETTER, .letter = letter, .node = DAL_NO_NODE});
}

static dal_poly of_constant(dal_algebra *g, dal_node node, double value)
{
    int64_t num, den;
    return dal_rational_of(value, &num, &den) ? dal_poly_number(g, num, den) : dal_poly_opaque(g, node);
}

static dal_poly of_node(dal_algebra *g, dal_node node)
{
    dal_graph *graph = g->d->graph;
    dal_node x[3];
    double value;
    const dal_op op = dal_node_op(graph, node);
    dal_node_operands(graph, node, x);
    switch (op) {
    case DAL_OP_CONST: return dal_is_const(graph, node, &value) ? of_constant(g, node, value) : dal_poly_opaque(g, node);
    case DAL_OP_VAR: return of_letter(g, dal_node_index(graph, node));
    case DAL_OP_ADD: return dal_poly_add(g, &g->known[x[0]], &g->known[x[1]], 1);
    case DAL_OP_SUB: return dal_poly_add(g, &g->known[x[0]], &g->known[x[1]], -1);
    case DAL_OP_MUL: return dal_poly_multiply(g, &g->known[x[0]], &g->known[x[1]]);
    case DAL_OP_NEG: {
        const dal_poly zero = dal_poly_number(g, 0, 1);
        return dal_poly_add(g, &zero, &g->known[x[0]], -1);
    }
    case DAL_OP_DIV: {
        const dal_poly below = inverse(g, x[1], &g->known[x[1]]);
        return dal_poly_multiply(g, &g->known[x[0]], &below);
    }
    case DAL_OP_POW: return dal_is_const(graph, x[1], &value) ? power(g, node, &g->known[x[0]], x[0], value) : dal_poly_opaque(g, node);
    case DAL_OP_SIN:
    case DAL_OP_COS: return sine_or_cosine(g, node, &g->known[x[0]], op == DAL_OP_SIN);
    case DAL_OP_TAN: return tangent(g, node, &g->known[x[0]]);
    case DAL_OP_SQRT: return root_of(g, node, &g->known[x[0]]);
    default: return dal_poly_opaque(g, node);
    }
}

/* Operands first. A generator hides its operands. */
dal_poly dal_poly_of_graph(dal_algebra *g, dal_node root)
{
    int n = 0;
    size_t room = 0;
    dal_node *stack = NULL, x[3];
    *DAL_PUSH(g->d->arena, stack, n, room) = root;
    while (n && !g->failed) {
        const dal_node node = stack[n - 1];
        const int operands = dal_node_operands(g->d->graph, node, x);
        bool ready = true;
        for (int i = 0; i < operands && !g->is_known[node]; i++)
            if (!g->is_known[x[i]]) {
                *DAL_PUSH(g->d->arena, stack, n, room) = x[i];
                ready = false;
            }
        if (!ready)
            continue;
        if (!g->is_known[node])
            g->known[node] = of_node(g, node);
        g->is_known[node] = !g->failed;
        n--;
    }
    return g->failed ? (dal_poly){0} : g->known[root];
}
