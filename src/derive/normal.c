/* The normal form: see normal.h.
 *
 *   term = num/den * product of generators^exponents * {1, cos, sin}(integer combination of angles)
 *   cos a cos b = (cos(a - b) + cos(a + b)) / 2,  sin a sin b = (cos(a - b) - cos(a + b)) / 2,  sin a cos b = (sin(a + b) + sin(a - b)) / 2
 * Exponents may be negative: a quotient by a single term is a term. What is no polynomial (a root, a table, a quotient by a sum) is a generator
 * of its own. Numbers are exact; where they, or the number of terms, or all the work together, become too large there is no normal form.
 */
#include "derive/normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "derive/nodes.h"

enum { FACTORS = 14, ANGLES = 6, MOST_TERMS = 600, MOST_WORK = 400000, ALL_WORK = 4000000, MOST_GENERATORS = 400, MOST_POWER = 12 };

__extension__ typedef __int128 wide;

typedef enum trig { ONE, COSINE, SINE } trig;

typedef struct factor {
    int16_t generator, exponent;
} factor;

typedef struct term {
    int64_t num, den; /* den > 0, no common divisor */
    int16_t n_factors, n_angles;
    int16_t trig;
    factor factors[FACTORS]; /* ascending generators, exponents not zero */
    factor angles[ANGLES];   /* the combination: ascending; the first coefficient is positive */
} term;

typedef struct poly {
    int n;
    term *term;
} poly;

typedef enum generator_kind { LETTER, OPAQUE, OF_SINE, OF_COSINE, OF_TANGENT } generator_kind;

typedef struct generator {
    generator_kind kind;
    int letter;
    dal_node node;
    int n_angles;
    factor angles[ANGLES];
} generator;

typedef struct algebra {
    dal_derivation *d;
    dal_way way;
    bool failed;
    long work;
    int n_generators;
    generator generators[MOST_GENERATORS];
    int n_nodes, depth; /* depth: of functions inside one another */
    poly *known;        /* of each node */
    bool *is_known;
} algebra;

/* ---- rational numbers ------------------------------------------------------------ */

static int64_t divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool reduced(wide num, wide den, int64_t *n, int64_t *d)
{
    wide a = num < 0 ? -num : num, b = den;
    while (b) {
        const wide rest = a % b;
        a = b;
        b = rest;
    }
    if (a > 1) {
        num /= a;
        den /= a;
    }
    const int64_t most = INT64_C(1) << 62;
    if (num > most || num < -most || den > most)
        return false;
    *n = (int64_t)num;
    *d = (int64_t)den;
    return true;
}

/* A decimal "0.25", "1e-3" exactly. */
static bool read_decimal(const char *text, int64_t *num, int64_t *den)
{
    wide n = 0, d = 1;
    int exponent = 0;
    const char *c = text;
    for (; *c && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.') {
            exponent = -(int)strspn(c + 1, "0123456789");
            continue;
        }
        if (*c < '0' || *c > '9' || n > INT64_MAX)
            return false;
        n = 10 * n + (*c - '0');
    }
    if (*c)
        exponent += atoi(c + 1);
    if (exponent < -18 || exponent > 18)
        return false;
    for (int i = 0; i < exponent; i++)
        n *= 10;
    for (int i = 0; i > exponent; i--)
        d *= 10;
    return reduced(n, d, num, den);
}

/* Constants of the graph are whole numbers, and quotients of such: the simplest fraction that is this double. */
bool dal_rational_of(double value, int64_t *num, int64_t *den)
{
    for (int64_t q = 1; q <= 5040; q++) {
        const double p = value * (double)q;
        if (fabs(p) < 9e15 && floor(p + 0.5) / (double)q == value) {
            *num = (int64_t)floor(p + 0.5);
            *den = q;
            return true;
        }
    }
    return false;
}

/* ---- terms -------------------------------------------------------------------------- */

static int compare_factors(int n, const factor *a, int m, const factor *b)
{
    for (int i = 0; i < n && i < m; i++) {
        if (a[i].generator != b[i].generator)
            return a[i].generator < b[i].generator ? -1 : 1;
        if (a[i].exponent != b[i].exponent)
            return a[i].exponent > b[i].exponent ? -1 : 1;
    }
    return n == m ? 0 : n > m ? -1 : 1;
}

static int compare_terms(const void *x, const void *y)
{
    const term *a = x, *b = y;
    int order = compare_factors(a->n_factors, a->factors, b->n_factors, b->factors);
    if (!order)
        order = a->trig - b->trig;
    return order ? order : compare_factors(a->n_angles, a->angles, b->n_angles, b->angles);
}

static poly make(algebra *g, int n)
{
    if (n > 4 * MOST_TERMS)
        g->failed = true;
    return (poly){0, DAL_NEW(g->d->arena, term, g->failed ? 1 : n > 0 ? n : 1)};
}

/* Sorted, equal terms added up, zeros dropped. */
static void collect(algebra *g, poly *p)
{
    int n = 0;
    qsort(p->term, (size_t)p->n, sizeof *p->term, compare_terms);
    for (int i = 0; i < p->n; i++) {
        term *last = n ? &p->term[n - 1] : NULL;
        const term *t = &p->term[i];
        if (!last || compare_terms(last, t)) {
            p->term[n++] = *t;
        } else {
            const wide num = (wide)last->num * t->den + (wide)t->num * last->den;
            g->failed |= !reduced(num, (wide)last->den * t->den, &last->num, &last->den);
        }
        if (n && p->term[n - 1].num == 0 && (i + 1 == p->n || compare_terms(&p->term[n - 1], &p->term[i + 1])))
            n--;
    }
    p->n = n;
    g->failed |= n > MOST_TERMS;
}

/* Is it printed as 4.905, rather than as 981/200? */
bool dal_is_decimal(int64_t den)
{
    int64_t rest = den;
    while (rest % 2 == 0)
        rest /= 2;
    while (rest % 5 == 0)
        rest /= 5;
    return rest == 1 && den > 12;
}

static poly number(algebra *g, int64_t num, int64_t den)
{
    poly p = make(g, 1);
    if (num) {
        p.term[0] = (term){.num = num, .den = den};
        p.n = 1;
    }
    return p;
}

static int find_generator(algebra *g, generator wanted)
{
    for (int i = 0; i < g->n_generators; i++) {
        const generator *have = &g->generators[i];
        if (have->kind == wanted.kind && have->letter == wanted.letter && have->node == wanted.node &&
            !compare_factors(have->n_angles, have->angles, wanted.n_angles, wanted.angles))
            return i;
    }
    if (g->n_generators == MOST_GENERATORS) {
        g->failed = true;
        return 0;
    }
    g->generators[g->n_generators] = wanted;
    return g->n_generators++;
}

static poly single(algebra *g, generator wanted)
{
    poly p = number(g, 1, 1);
    p.term[0].factors[0] = (factor){(int16_t)find_generator(g, wanted), 1};
    p.term[0].n_factors = 1;
    return p;
}

static poly opaque(algebra *g, dal_node node)
{
    return single(g, (generator){.kind = OPAQUE, .letter = -1, .node = node});
}

/* Sparse lists a + sign * b. */
static bool merge(int n, const factor *a, int m, const factor *b, int sign, int room, factor *out, int16_t *n_out)
{
    int i = 0, j = 0, k = 0;
    while (i < n || j < m) {
        const bool first = j >= m || (i < n && a[i].generator <= b[j].generator), second = i >= n || (j < m && b[j].generator <= a[i].generator);
        const int exponent = (first ? a[i].exponent : 0) + (second ? sign * b[j].exponent : 0);
        const int16_t which = first ? a[i].generator : b[j].generator;
        if (exponent != 0) {
            if (k == room || abs(exponent) > 100)
                return false;
            out[k++] = (factor){which, (int16_t)exponent};
        }
        i += first;
        j += second;
    }
    *n_out = (int16_t)k;
    return true;
}

/* cos(-x) = cos x, sin(-x) = -sin x, cos 0 = 1, sin 0 = 0. */
static void orient(term *t)
{
    if (t->trig != ONE && !t->n_angles) {
        t->num = t->trig == SINE ? 0 : t->num;
        t->trig = ONE;
    }
    if (t->trig == ONE || t->angles[0].exponent > 0)
        return;
    for (int i = 0; i < t->n_angles; i++)
        t->angles[i].exponent = (int16_t)-t->angles[i].exponent;
    if (t->trig == SINE)
        t->num = -t->num;
}

/* The product of two terms: one term, or two. */
static int multiply_terms(algebra *g, const term *a, const term *b, term out[2])
{
    term t = {0};
    g->failed |= !reduced((wide)a->num * b->num, (wide)a->den * b->den, &t.num, &t.den);
    g->failed |= !merge(a->n_factors, a->factors, b->n_factors, b->factors, 1, FACTORS, t.factors, &t.n_factors);
    if (a->trig == ONE || b->trig == ONE) {
        const term *with = a->trig == ONE ? b : a;
        t.trig = with->trig;
        t.n_angles = with->n_angles;
        memcpy(t.angles, with->angles, sizeof t.angles);
        out[0] = t;
        return 1;
    }
    g->failed |= !reduced(t.num, (wide)t.den * 2, &t.num, &t.den);
    out[0] = out[1] = t; /* of the difference, and of the sum */
    g->failed |= !merge(a->n_angles, a->angles, b->n_angles, b->angles, -1, ANGLES, out[0].angles, &out[0].n_angles);
    g->failed |= !merge(a->n_angles, a->angles, b->n_angles, b->angles, 1, ANGLES, out[1].angles, &out[1].n_angles);
    out[0].trig = out[1].trig = a->trig == b->trig ? COSINE : SINE;
    if (a->trig == SINE && b->trig == SINE)
        out[1].num = -out[1].num;
    if (a->trig == COSINE && b->trig == SINE)
        out[0].num = -out[0].num; /* cos a sin b = (sin(a + b) - sin(a - b)) / 2 */
    orient(&out[0]);
    orient(&out[1]);
    return 2;
}

static poly add(algebra *g, const poly *a, const poly *b, int sign)
{
    poly p = make(g, a->n + b->n);
    g->work += a->n + b->n;
    for (int i = 0; i < a->n && !g->failed; i++)
        p.term[p.n++] = a->term[i];
    for (int i = 0; i < b->n && !g->failed; i++) {
        p.term[p.n] = b->term[i];
        p.term[p.n++].num *= sign;
    }
    collect(g, &p);
    return p;
}

/* ---- products of sines and cosines ------------------------------------------------------ */

/* The square of this generator is 1 less the square of its companion; -1: it is none of that kind. */
static int companion(algebra *g, int i)
{
    const generator_kind from = g->way == DAL_PRODUCTS_SINE ? OF_COSINE : OF_SINE;
    if (g->way == DAL_FOURIER || g->generators[i].kind != from)
        return -1;
    generator other = g->generators[i];
    other.kind = from == OF_COSINE ? OF_SINE : OF_COSINE;
    return find_generator(g, other);
}

/* t * x^k with x another generator, k = 2 or -2. */
static term times_power(algebra *g, const term *t, int x, int k)
{
    const factor f = {(int16_t)x, (int16_t)k};
    term out = *t;
    g->failed |= !merge(t->n_factors, t->factors, 1, &f, 1, FACTORS, out.factors, &out.n_factors);
    return out;
}

/* No square of a cosine (or of a sine) is left. */
static void reduce_squares(algebra *g, poly *p)
{
    for (bool again = g->way != DAL_FOURIER; again && !g->failed;) {
        poly out = make(g, 2 * p->n);
        again = false;
        for (int i = 0; i < p->n && !g->failed; i++) {
            const term *t = &p->term[i];
            int x = -1, other = -1;
            for (int k = 0; k < t->n_factors && x < 0; k++)
                if (t->factors[k].exponent >= 2 && (other = companion(g, t->factors[k].generator)) >= 0)
                    x = t->factors[k].generator;
            if (x < 0) {
                out.term[out.n++] = *t;
                continue;
            }
            again = true;
            out.term[out.n] = times_power(g, t, x, -2);
            out.term[out.n + 1] = times_power(g, &out.term[out.n], other, 2);
            out.term[out.n + 1].num = -out.term[out.n + 1].num;
            out.n += 2;
        }
        g->work += out.n;
        g->failed |= g->work > MOST_WORK;
        collect(g, &out);
        *p = out;
    }
}

static poly multiply(algebra *g, const poly *a, const poly *b)
{
    const long products = 2L * a->n * b->n; /* known before it is made */
    g->work += products;
    if (products > 4 * MOST_TERMS || g->work > MOST_WORK)
        g->failed = true;
    poly p = make(g, g->failed ? 1 : (int)products);
    for (int i = 0; i < a->n && !g->failed; i++)
        for (int k = 0; k < b->n && !g->failed; k++)
            p.n += multiply_terms(g, &a->term[i], &b->term[k], p.term + p.n);
    collect(g, &p);
    reduce_squares(g, &p);
    return p;
}

/* ---- nodes --------------------------------------------------------------------------------- */

/* An integer combination of letters, plus a multiple of a quarter turn. */
static bool read_angle(algebra *g, const poly *p, term *combination, int *quarters)
{
    *quarters = 0;
    combination->n_angles = 0;
    for (int i = 0; i < p->n; i++) {
        const term *t = &p->term[i];
        if (t->trig != ONE || t->n_factors != 1 || t->factors[0].exponent != 1 || g->generators[t->factors[0].generator].kind != LETTER)
            return false;
        const dal_letter *l = &g->d->letters[g->generators[t->factors[0].generator].letter];
        if (l->role == DAL_ROLE_NUMBER) { /* pi: the only number that is a generator */
            if ((2 * t->num) % t->den)
                return false;
            *quarters = (int)(((2 * t->num / t->den) % 4 + 4) % 4);
            continue;
        }
        if (t->den != 1 || llabs(t->num) > 50 || combination->n_angles == ANGLES)
            return false;
        combination->angles[combination->n_angles++] = (factor){t->factors[0].generator, (int16_t)t->num};
    }
    return true;
}

static poly sine_or_cosine(algebra *g, dal_node node, const poly *argument, bool sine)
{
    term t = {.num = 1, .den = 1};
    int quarters;
    if (!read_angle(g, argument, &t, &quarters))
        return opaque(g, node);
    t.trig = sine ? SINE : COSINE;
    for (int i = 0; i < quarters; i++) { /* cos(x + pi/2) = -sin x, sin(x + pi/2) = cos x */
        t.num = t.trig == COSINE ? -t.num : t.num;
        t.trig = t.trig == COSINE ? SINE : COSINE;
    }
    orient(&t);
    if (t.trig != ONE && g->way != DAL_FOURIER) {
        generator which = {.kind = t.trig == SINE ? OF_SINE : OF_COSINE, .letter = -1, .node = DAL_NO_NODE, .n_angles = t.n_angles};
        memcpy(which.angles, t.angles, sizeof which.angles);
        t.factors[0] = (factor){(int16_t)find_generator(g, which), 1};
        t.n_factors = 1;
        t.trig = ONE;
        t.n_angles = 0;
        memset(t.angles, 0, sizeof t.angles);
    }
    poly p = number(g, 1, 1);
    p.term[0] = t;
    p.n = t.num != 0;
    return p;
}

/* 1 / p where p is one term; otherwise 1 / (the node). */
static poly inverse(algebra *g, dal_node node, const poly *p)
{
    if (p->n == 1 && p->term[0].trig != ONE) { /* the sine or cosine below the line is a generator */
        generator which = {.kind = p->term[0].trig == SINE ? OF_SINE : OF_COSINE, .letter = -1, .node = DAL_NO_NODE, .n_angles = p->term[0].n_angles};
        memcpy(which.angles, p->term[0].angles, sizeof which.angles);
        poly below = number(g, 1, 1), rest = number(g, 1, 1);
        below.term[0].factors[0] = (factor){(int16_t)find_generator(g, which), -1};
        below.term[0].n_factors = 1;
        rest.term[0] = p->term[0];
        rest.term[0].trig = ONE;
        rest.term[0].n_angles = 0;
        memset(rest.term[0].angles, 0, sizeof rest.term[0].angles);
        rest = inverse(g, node, &rest);
        return multiply(g, &below, &rest);
    }
    if (p->n == 1 && p->term[0].num) {
        poly out = number(g, 1, 1);
        term *t = &out.term[0];
        *t = p->term[0];
        t->num = p->term[0].num < 0 ? -p->term[0].den : p->term[0].den;
        t->den = llabs(p->term[0].num);
        for (int i = 0; i < t->n_factors; i++)
            t->factors[i].exponent = (int16_t)-t->factors[i].exponent;
        return out;
    }
    poly out = opaque(g, node);
    out.term[0].factors[0].exponent = -1;
    return out;
}

static poly tangent(algebra *g, dal_node node, const poly *argument)
{
    term t = {.num = 1, .den = 1};
    int quarters;
    if (!read_angle(g, argument, &t, &quarters))
        return opaque(g, node);
    const poly sine = sine_or_cosine(g, node, argument, true), cosine = sine_or_cosine(g, node, argument, false);
    const poly below = inverse(g, node, &cosine);
    return multiply(g, &sine, &below);
}

static poly power(algebra *g, dal_node node, const poly *base, dal_node base_node, double exponent)
{
    if (exponent != floor(exponent) || fabs(exponent) > MOST_POWER)
        return opaque(g, node);
    poly p = number(g, 1, 1), once = exponent < 0 ? inverse(g, base_node, base) : *base;
    for (int i = 0; i < (int)fabs(exponent) && !g->failed; i++)
        p = multiply(g, &p, &once);
    return p;
}

static poly of_letter(algebra *g, int letter)
{
    const dal_letter *l = &g->d->letters[letter];
    int64_t num, den;
    if (l->role == DAL_ROLE_NUMBER && read_decimal(l->name, &num, &den))
        return number(g, num, den);
    return single(g, (generator){.kind = LETTER, .letter = letter, .node = DAL_NO_NODE});
}

static poly of_constant(algebra *g, dal_node node, double value)
{
    int64_t num, den;
    return dal_rational_of(value, &num, &den) ? number(g, num, den) : opaque(g, node);
}

static poly of_node(algebra *g, dal_node node)
{
    dal_graph *graph = g->d->graph;
    dal_node x[3];
    double value;
    const dal_op op = dal_node_op(graph, node);
    dal_node_operands(graph, node, x);
    switch (op) {
    case DAL_OP_CONST: return dal_is_const(graph, node, &value) ? of_constant(g, node, value) : opaque(g, node);
    case DAL_OP_VAR: return of_letter(g, dal_node_index(graph, node));
    case DAL_OP_ADD: return add(g, &g->known[x[0]], &g->known[x[1]], 1);
    case DAL_OP_SUB: return add(g, &g->known[x[0]], &g->known[x[1]], -1);
    case DAL_OP_MUL: return multiply(g, &g->known[x[0]], &g->known[x[1]]);
    case DAL_OP_NEG: {
        const poly zero = number(g, 0, 1);
        return add(g, &zero, &g->known[x[0]], -1);
    }
    case DAL_OP_DIV: {
        const poly below = inverse(g, x[1], &g->known[x[1]]);
        return multiply(g, &g->known[x[0]], &below);
    }
    case DAL_OP_POW: return dal_is_const(graph, x[1], &value) ? power(g, node, &g->known[x[0]], x[0], value) : opaque(g, node);
    case DAL_OP_SIN:
    case DAL_OP_COS: return sine_or_cosine(g, node, &g->known[x[0]], op == DAL_OP_SIN);
    case DAL_OP_TAN: return tangent(g, node, &g->known[x[0]]);
    default: return opaque(g, node);
    }
}

/* Operands first; a generator of its own hides what is inside. */
static poly of_graph(algebra *g, dal_node root)
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
    return g->failed ? (poly){0} : g->known[root];
}

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

static const dal_form *letter_form(dal_derivation *d, int letter)
{
    dal_form *form = dal_form_make(d->arena, DAL_FORM_LETTER, 0);
    form->letter = letter;
    return form;
}

static const dal_form *combination_form(algebra *g, int n, const factor *angles)
{
    dal_arena *arena = g->d->arena;
    dal_form *sum = dal_form_make(arena, DAL_FORM_SUM, n);
    for (int i = 0; i < n; i++) {
        const dal_form *x = letter_form(g->d, g->generators[angles[i].generator].letter);
        const int k = angles[i].exponent, size = abs(k);
        if (size != 1) {
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
static const dal_form *opaque_form(algebra *g, dal_node node)
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

static const dal_form *generator_form(algebra *g, int i)
{
    const generator *which = &g->generators[i];
    switch (which->kind) {
    case LETTER: return letter_form(g->d, which->letter);
    case OF_SINE:
    case OF_COSINE:
    case OF_TANGENT:
        return function_form(g->d,
                             which->kind == OF_SINE     ? "sin"
                             : which->kind == OF_COSINE ? "cos"
                                                        : "tan",
                             combination_form(g, which->n_angles, which->angles));
    case OPAQUE: break;
    }
    return opaque_form(g, which->node);
}

static const dal_form *power_form(algebra *g, factor f)
{
    const dal_form *base = generator_form(g, f.generator);
    const int exponent = abs(f.exponent);
    if (exponent == 1)
        return base;
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_POWER, 1);
    form->item[0] = base;
    form->exponent = exponent;
    return form;
}

/* Where a factor stands in a product: numbers, parameters, then what moves. */
static int rank_of(const algebra *g, int i)
{
    const generator *which = &g->generators[i];
    if (which->kind != LETTER)
        return 7;
    switch (g->d->letters[which->letter].role) {
    case DAL_ROLE_NUMBER: return 0;
    case DAL_ROLE_PARAMETER: return 1;
    case DAL_ROLE_INPUT:
    case DAL_ROLE_STATE: return 2;
    case DAL_ROLE_COORDINATE: return 3;
    case DAL_ROLE_RATE:
    case DAL_ROLE_SPEED: return 4;
    case DAL_ROLE_ACCELERATION:
    case DAL_ROLE_SPEED_RATE: return 5;
    default: return 6;
    }
}

static bool is_constant(const algebra *g, int i)
{
    return rank_of(g, i) <= 1;
}

/* Products of a term, above and below the line: |num/den| * factors * trig, or only those that pass. */
typedef struct line {
    const dal_form *above[FACTORS + 4], *below[FACTORS + 2];
    int n_above, n_below;
} line;

static void put_number(algebra *g, line *l, int64_t num, int64_t den)
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

static void put_factors(algebra *g, line *l, int n, const factor *factors)
{
    for (int rank = 0; rank <= 7; rank++)
        for (int i = 0; i < n; i++)
            if (rank_of(g, factors[i].generator) == rank) {
                if (factors[i].exponent > 0)
                    l->above[l->n_above++] = power_form(g, factors[i]);
                else
                    l->below[l->n_below++] = power_form(g, factors[i]);
            }
}

static const dal_form *product_of(algebra *g, const dal_form *const *items, int n)
{
    if (n == 0)
        return dal_form_rational(g->d->arena, 1, 1);
    if (n == 1)
        return items[0];
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_PRODUCT, n);
    memcpy(form->item, items, sizeof *items * (size_t)n);
    return form;
}

static const dal_form *line_form(algebra *g, const line *l)
{
    if (!l->n_below)
        return product_of(g, l->above, l->n_above);
    dal_form *form = dal_form_make(g->d->arena, DAL_FORM_QUOTIENT, 2);
    form->item[0] = product_of(g, l->above, l->n_above);
    form->item[1] = product_of(g, l->below, l->n_below);
    return form;
}

static const dal_form *with_sign(algebra *g, const dal_form *form, bool negative)
{
    if (!negative)
        return form;
    dal_form *minus = dal_form_make(g->d->arena, DAL_FORM_NEGATIVE, 1);
    minus->item[0] = form;
    return minus;
}

static const dal_form *sum_of(algebra *g, const dal_form **items, int n)
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

/* The factors that all terms from `first` on have, of those that pass, and the common divisor of their numbers. */
static term common_part(algebra *g, int n, const term *const *terms, bool (*pass)(const algebra *g, int generator))
{
    term common = {.num = 0, .den = 1};
    for (int i = 0; i < n; i++) {
        common.num = divisor(common.num, terms[i]->num);
        const wide least = (wide)common.den / divisor(common.den, terms[i]->den) * terms[i]->den;
        if (least > INT64_MAX / 4) {
            common.num = common.den = 1;
            break;
        }
        common.den = (int64_t)least;
    }
    if (common.num == 0)
        common.num = 1;
    for (int k = 0; k < g->n_generators && n; k++) {
        int least = INT16_MAX;
        for (int i = 0; i < n && pass(g, k); i++) {
            int exponent = 0;
            for (int f = 0; f < terms[i]->n_factors; f++)
                if (terms[i]->factors[f].generator == k)
                    exponent = terms[i]->factors[f].exponent;
            least = exponent < least ? exponent : least;
        }
        if (least != INT16_MAX && least != 0 && common.n_factors < FACTORS)
            common.factors[common.n_factors++] = (factor){(int16_t)k, (int16_t)least};
    }
    return common;
}

static term without(algebra *g, const term *t, const term *common)
{
    term out = *t;
    const wide sign = common->num < 0 ? -1 : 1;
    g->failed |= !reduced(sign * t->num * common->den, sign * t->den * common->num, &out.num, &out.den);
    g->failed |= !merge(t->n_factors, t->factors, common->n_factors, common->factors, -1, FACTORS, out.factors, &out.n_factors);
    return out;
}

/* ---- sums in groups --------------------------------------------------------------------------------- */

/* The part of a term that moves: all but numbers and parameters. */
static term moving_part(const algebra *g, const term *t)
{
    term out = {.num = 1, .den = 1, .trig = t->trig, .n_angles = t->n_angles};
    memcpy(out.angles, t->angles, sizeof out.angles);
    for (int i = 0; i < t->n_factors; i++)
        if (!is_constant(g, t->factors[i].generator))
            out.factors[out.n_factors++] = t->factors[i];
    return out;
}

/* Accelerations first, then products of velocities, then the rest. */
static int urgency(const algebra *g, const term *t)
{
    int accelerations = 0, velocities = 0, multipliers = 0;
    for (int i = 0; i < t->n_factors; i++) {
        const int rank = rank_of(g, t->factors[i].generator);
        accelerations += rank == 5;
        velocities += rank == 4;
        multipliers += rank == 6;
    }
    return accelerations ? 0 : velocities ? 1 : multipliers ? 3 : 2;
}

/* Are the numbers that a common factor leaves small? */
static bool leaves_small(algebra *g, int n, const term *const *terms, const term *common)
{
    for (int i = 0; i < n; i++) {
        const term rest = without(g, terms[i], common);
        if (rest.den != 1 || llabs(rest.num) > 12)
            return false;
    }
    return true;
}

/* (sum of constants) * what moves: the constants with their common factor in front. */
static const dal_form *group_form(algebra *g, int n, const term *const *terms, const term *moving)
{
    term common = common_part(g, n, terms, is_constant);
    line l = {.n_above = 0};
    bool negative = true;
    if (n > 1 && common.den > 12 && !leaves_small(g, n, terms, &common)) /* numbers of the model stay as they are */
        common.num = common.den = 1;
    for (int i = 0; i < n; i++)
        negative &= terms[i]->num < 0;
    put_number(g, &l, common.num, common.den);
    term constants = common;
    put_factors(g, &l, constants.n_factors, constants.factors);
    if (n > 1) {
        const dal_form **items = DAL_NEW(g->d->arena, const dal_form *, n);
        for (int i = 0; i < n; i++) {
            term rest = without(g, terms[i], &common);
            line inner = {.n_above = 0};
            int kept = 0;
            for (int k = 0; k < rest.n_factors; k++)
                if (is_constant(g, rest.factors[k].generator))
                    rest.factors[kept++] = rest.factors[k];
            put_number(g, &inner, rest.num, rest.den);
            put_factors(g, &inner, kept, rest.factors);
            items[i] = with_sign(g, line_form(g, &inner), (rest.num < 0) != negative);
        }
        if (l.n_above < FACTORS)
            l.above[l.n_above++] = sum_of(g, items, n);
        else
            g->failed = true;
    }
    put_factors(g, &l, moving->n_factors, moving->factors);
    if (moving->trig != ONE)
        l.above[l.n_above++] = function_form(g->d, moving->trig == SINE ? "sin" : "cos", combination_form(g, moving->n_angles, moving->angles));
    return with_sign(g, line_form(g, &l), negative);
}

/* Terms whose moving parts are equal stand together. */
static const dal_form *sum_form(algebra *g, const poly *p)
{
    const dal_form **items = DAL_NEW(g->d->arena, const dal_form *, p->n);
    const term **group = DAL_NEW(g->d->arena, const term *, p->n);
    bool *used = DAL_NEW(g->d->arena, bool, p->n);
    int n = 0;
    for (int first = 0; first < 4; first++)
        for (int i = 0; i < p->n && !g->failed; i++) {
            if (used[i] || urgency(g, &p->term[i]) != first)
                continue;
            const term moving = moving_part(g, &p->term[i]);
            int members = 0;
            for (int k = i; k < p->n; k++) {
                const term other = moving_part(g, &p->term[k]);
                if (!used[k] && !compare_terms(&moving, &other)) {
                    group[members++] = &p->term[k];
                    used[k] = true;
                }
            }
            items[n++] = group_form(g, members, group, &moving);
        }
    return sum_of(g, items, n);
}

/* ---- the choice -------------------------------------------------------------------------------------- */

static bool any_common(const algebra *g, int i)
{
    const generator_kind kind = g->generators[i].kind;
    return is_constant(g, i) || kind == OF_SINE || kind == OF_COSINE;
}

/* Is there a factor that a division by sines and cosines leaves? */
static bool has_unknown(const algebra *g, const term *t)
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

/* What an expression is divided by. An equation of motion: by all that its terms have in common, moving or not. A constraint: by constants alone,
 * because sin(a) = 0 divided by sin(a) is no longer true where it holds. */
typedef enum division { BY_NOTHING, BY_CONSTANTS, BY_ANYTHING } division;

/* The equation without what all its terms have in common. A single term keeps what moves: something has to be zero. */
static void divide_by_common(algebra *g, poly *p, division what, const dal_form **by)
{
    const term **all = DAL_NEW(g->d->arena, const term *, p->n);
    for (int i = 0; i < p->n; i++)
        all[i] = &p->term[i];
    const bool alone = p->n == 1 && !has_unknown(g, all[0]);
    term common = common_part(g, p->n, all, what == BY_ANYTHING && !alone ? any_common : is_constant);
    line l = {.n_above = 0};
    if (common.den > 12) /* numbers of the model, which stay as they are */
        common.num = common.den = 1;
    if (all[0]->num < 0)
        common.num = -common.num;
    poly out = make(g, p->n);
    for (int i = 0; i < p->n && !g->failed; i++)
        out.term[out.n++] = without(g, all[i], &common);
    put_number(g, &l, common.num, common.den);
    put_factors(g, &l, common.n_factors, common.factors);
    *by = l.n_above + l.n_below ? line_form(g, &l) : NULL;
    *p = out;
}

/* Generators in the order in which terms are printed: what is solved for, velocities, multipliers, coordinates, then constants. */
static void order_letters(algebra *g)
{
    static const dal_role order[] = {DAL_ROLE_ACCELERATION, DAL_ROLE_SPEED_RATE, DAL_ROLE_RATE,  DAL_ROLE_SPEED,    DAL_ROLE_MULTIPLIER,
                                     DAL_ROLE_COORDINATE,   DAL_ROLE_TIME,       DAL_ROLE_INPUT, DAL_ROLE_PARAMETER};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int k = 0; k < g->d->n_letters && g->n_generators < MOST_GENERATORS / 2; k++)
            if (g->d->letters[k].role == order[i])
                find_generator(g, (generator){.kind = LETTER, .letter = k, .node = DAL_NO_NODE});
}

/* The algebra of this way, with what is known from other expressions, for a graph that may have grown. */
static algebra *begin_algebra(dal_derivation *d, dal_way way)
{
    const int n = dal_graph_size(d->graph);
    algebra *g = d->algebra[way];
    if (!g) {
        g = d->algebra[way] = DAL_NEW(d->arena, algebra, 1);
        g->d = d;
        g->way = way;
        order_letters(g);
    }
    if (g->n_nodes < n) {
        poly *known = DAL_NEW(d->arena, poly, 2 * n);
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

static int exponent_of(const term *t, int which)
{
    for (int i = 0; i < t->n_factors; i++)
        if (t->factors[i].generator == which)
            return t->factors[i].exponent;
    return 0;
}

/* All terms over the cosine, with a tangent in the place of the sine over it. */
static poly over_cosine(algebra *g, const poly *p, int cosine)
{
    generator other = g->generators[cosine];
    other.kind = OF_SINE;
    const int sine = find_generator(g, other);
    other.kind = OF_TANGENT;
    const int tangent_of = find_generator(g, other);
    poly out = make(g, p->n);
    for (int i = 0; i < p->n && !g->failed; i++) {
        term t = times_power(g, &p->term[i], cosine, -1);
        const int above = exponent_of(&t, sine), below = -exponent_of(&t, cosine), both = above < below ? above : below;
        if (both > 0) {
            t = times_power(g, &t, sine, -both);
            t = times_power(g, &t, cosine, both);
            t = times_power(g, &t, tangent_of, both);
        }
        out.term[out.n++] = t;
    }
    return out;
}

/* Of an equation that has cosines: divided by one of them, where that makes it shorter. */
static const dal_form *shorter_over_cosine(algebra *g, const poly *p, const dal_form *form, const dal_form **by)
{
    const int n = g->n_generators;
    for (int i = 0; i < n && p->n > 1; i++) {
        bool there = false;
        for (int k = 0; k < p->n && g->generators[i].kind == OF_COSINE; k++)
            there |= exponent_of(&p->term[k], i) != 0;
        if (!there)
            continue;
        const poly over = over_cosine(g, p, i);
        bool whole = !g->failed;
        for (int k = 0; k < over.n && whole; k++)
            whole = exponent_of(&over.term[k], i) >= 0;
        if (!whole)
            continue;
        const dal_form *other = g->failed ? NULL : sum_form(g, &over);
        if (g->failed || dal_form_operations(other) >= dal_form_operations(form))
            continue;
        dal_form *product = dal_form_make(g->d->arena, DAL_FORM_PRODUCT, 2);
        product->item[0] = *by;
        product->item[1] = generator_form(g, i);
        *by = *by ? product : product->item[1];
        return other;
    }
    return form;
}

static const dal_form *find_form(dal_derivation *d, dal_node node, dal_way way, division what, const dal_form **by, int *terms)
{
    algebra *g = begin_algebra(d, way);
    poly p = of_graph(g, node);
    d->normal_work += g->work;
    g->work = 0;
    if (g->failed)
        return NULL;
    *terms = p.n;
    if (what != BY_NOTHING && p.n)
        divide_by_common(g, &p, what, by);
    const dal_form *form = g->failed ? NULL : sum_form(g, &p);
    if (form && !g->failed && what == BY_ANYTHING && way != DAL_FOURIER)
        form = shorter_over_cosine(g, &p, form, by);
    d->normal_work += g->work;
    return g->failed ? NULL : form;
}

/* More nodes than any normal form of use is made from. */
static bool too_large(dal_derivation *d, dal_node root)
{
    enum { MOST_NODES = 3000 };
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
    return seen > MOST_NODES;
}

static const dal_form *best_form(dal_derivation *d, dal_node node, division what, const dal_form **by, int *terms)
{
    const dal_form *best = NULL;
    int least = 0;
    if (d->normal_work > ALL_WORK || too_large(d, node))
        return NULL;
    for (dal_way way = 0; way < DAL_WAYS; way++) {
        const dal_form *with = NULL;
        int n = 0;
        const dal_form *form = find_form(d, node, way, what, &with, &n);
        const int operations = form ? dal_form_operations(form) + !no_sign(form) : 0;
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

/* What is known of the normal form of each node: functions inside functions ask for the same one again and again. */
typedef struct memo {
    int n;
    struct remembered {
        const dal_form *form;
        int terms;
        bool known;
    } * of;
} memo;

static struct remembered *remember(dal_derivation *d, dal_node node)
{
    memo *m = d->memo ? d->memo : (d->memo = DAL_NEW(d->arena, memo, 1));
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

const dal_form *dal_normal_form(dal_derivation *d, dal_node node, int *terms)
{
    int n = 0;
    const struct remembered known = *remember(d, node);
    if (!known.known) {
        const dal_form *form = best_form(d, node, BY_NOTHING, NULL, &n);
        *remember(d, node) = (struct remembered){form, n, true};
    }
    const struct remembered *r = remember(d, node);
    if (terms)
        *terms = r->terms;
    return r->form;
}

const dal_form *dal_normal_equation(dal_derivation *d, dal_node node, const dal_form **by, int *terms)
{
    return best_form(d, node, BY_ANYTHING, by, terms);
}

const dal_form *dal_normal_constraint(dal_derivation *d, dal_node node)
{
    return best_form(d, node, BY_CONSTANTS, NULL, NULL);
}

static bool same_polys(const poly *a, const poly *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (compare_terms(&a->term[i], &b->term[i]) || a->term[i].num != b->term[i].num || a->term[i].den != b->term[i].den)
            return false;
    return true;
}

bool dal_same_equation(dal_derivation *d, dal_node one, dal_node other)
{
    for (dal_way way = 0; way < DAL_WAYS; way++) {
        algebra *g = begin_algebra(d, way);
        const dal_form *by;
        poly a = of_graph(g, one), b = of_graph(g, other);
        if (g->failed)
            continue;
        if (a.n && b.n) {
            divide_by_common(g, &a, BY_ANYTHING, &by);
            divide_by_common(g, &b, BY_ANYTHING, &by);
            collect(g, &a);
            collect(g, &b);
        }
        if (!g->failed && same_polys(&a, &b))
            return true;
    }
    return false;
}
