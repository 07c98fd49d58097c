/* Arithmetic of the normal form: rational numbers, terms, sums and products. See polynomial.h. */
#include "derive/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rational numbers ------------------------------------------------------------ */

int64_t dal_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

bool dal_reduce_fraction(dal_wide num, dal_wide den, int64_t *n, int64_t *d)
{
    dal_wide a = num < 0 ? -num : num, b = den;
    while (b) {
        const dal_wide rest = a % b;
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
bool dal_is_long_number(const char *text)
{
    enum { DIGITS = 4 }; /* the product of four such numbers fits 64 bits */
    int digits = 0, zeros = 0;
    for (const char *c = text; (*c >= '0' && *c <= '9') || *c == '.'; c++)
        if (*c != '.' && (digits || *c != '0')) {
            zeros = *c == '0' ? zeros + 1 : 0;
            digits++;
        }
    return digits - zeros > DIGITS;
}

bool dal_read_decimal(const char *text, int64_t *num, int64_t *den)
{
    dal_wide n = 0, d = 1;
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
    return dal_reduce_fraction(n, d, num, den);
}

/* Constants of the graph are whole numbers and their quotients: the simplest fraction that equals this double. */
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

int dal_compare_powers(int n, const dal_power *a, int m, const dal_power *b)
{
    for (int i = 0; i < n && i < m; i++) {
        if (a[i].generator != b[i].generator)
            return a[i].generator < b[i].generator ? -1 : 1;
        if (a[i].exponent != b[i].exponent)
            return a[i].exponent > b[i].exponent ? -1 : 1;
    }
    return n == m ? 0 : n > m ? -1 : 1;
}

int dal_compare_monomials(const void *x, const void *y)
{
    const dal_monomial *a = x, *b = y;
    int order = dal_compare_powers(a->n_factors, a->factors, b->n_factors, b->factors);
    if (!order)
        order = a->trig - b->trig;
    return order ? order : dal_compare_powers(a->n_angles, a->angles, b->n_angles, b->angles);
}

dal_poly dal_poly_make(dal_algebra *g, int n)
{
    if (n > 4 * DAL_MOST_TERMS)
        g->failed = true;
    return (dal_poly){0, DAL_NEW(g->d->arena, dal_monomial, g->failed ? 1 : n > 0 ? n : 1)};
}

/* Sorted, equal terms added up, zeros dropped. */
void dal_poly_collect(dal_algebra *g, dal_poly *p)
{
    int n = 0;
    qsort(p->term, (size_t)p->n, sizeof *p->term, dal_compare_monomials);
    for (int i = 0; i < p->n; i++) {
        dal_monomial *last = n ? &p->term[n - 1] : NULL;
        const dal_monomial *t = &p->term[i];
        if (!last || dal_compare_monomials(last, t)) {
            p->term[n++] = *t;
        } else {
            const dal_wide num = (dal_wide)last->num * t->den + (dal_wide)t->num * last->den;
            g->failed |= !dal_reduce_fraction(num, (dal_wide)last->den * t->den, &last->num, &last->den);
        }
        if (n && p->term[n - 1].num == 0 && (i + 1 == p->n || dal_compare_monomials(&p->term[n - 1], &p->term[i + 1])))
            n--;
    }
    p->n = n;
    g->failed |= n > DAL_MOST_TERMS;
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

dal_poly dal_poly_number(dal_algebra *g, int64_t num, int64_t den)
{
    dal_poly p = dal_poly_make(g, 1);
    if (num) {
        p.term[0] = (dal_monomial){.num = num, .den = den};
        p.n = 1;
    }
    return p;
}

int dal_find_generator(dal_algebra *g, dal_generator wanted)
{
    for (int i = 0; i < g->n_generators; i++) {
        const dal_generator *have = &g->generators[i];
        if (have->kind == wanted.kind && have->letter == wanted.letter && have->node == wanted.node && have->num == wanted.num &&
            have->den == wanted.den && !dal_compare_powers(have->n_angles, have->angles, wanted.n_angles, wanted.angles))
            return i;
    }
    if (g->n_generators == DAL_MOST_GENERATORS) {
        g->failed = true;
        return 0;
    }
    g->generators[g->n_generators] = wanted;
    return g->n_generators++;
}

dal_poly dal_poly_single(dal_algebra *g, dal_generator wanted)
{
    dal_poly p = dal_poly_number(g, 1, 1);
    p.term[0].factors[0] = (dal_power){(int16_t)dal_find_generator(g, wanted), 1};
    p.term[0].n_factors = 1;
    return p;
}

dal_poly dal_poly_opaque(dal_algebra *g, dal_node node)
{
    return dal_poly_single(g, (dal_generator){.kind = DAL_GENERATOR_OPAQUE, .letter = -1, .node = node});
}

/* Sparse lists a + sign * b. */
bool dal_merge_powers(int n, const dal_power *a, int m, const dal_power *b, int sign, int room, dal_power *out, int16_t *n_out)
{
    int i = 0, j = 0, k = 0;
    while (i < n || j < m) {
        const bool first = j >= m || (i < n && a[i].generator <= b[j].generator), second = i >= n || (j < m && b[j].generator <= a[i].generator);
        const int exponent = (first ? a[i].exponent : 0) + (second ? sign * b[j].exponent : 0);
        const int16_t which = first ? a[i].generator : b[j].generator;
        if (exponent != 0) {
            if (k == room || abs(exponent) > 100)
                return false;
            out[k++] = (dal_power){which, (int16_t)exponent};
        }
        i += first;
        j += second;
    }
    *n_out = (int16_t)k;
    return true;
}

/* cos(-x) = cos x, sin(-x) = -sin x, cos 0 = 1, sin 0 = 0. */
void dal_orient_monomial(dal_monomial *t)
{
    if (t->trig != DAL_TRIG_ONE && !t->n_angles) {
        t->num = t->trig == DAL_TRIG_SINE ? 0 : t->num;
        t->trig = DAL_TRIG_ONE;
    }
    if (t->trig == DAL_TRIG_ONE || t->angles[0].exponent > 0)
        return;
    for (int i = 0; i < t->n_angles; i++)
        t->angles[i].exponent = (int16_t)-t->angles[i].exponent;
    if (t->trig == DAL_TRIG_SINE)
        t->num = -t->num;
}

/* The product of two terms: one term, or two. */
static int multiply_terms(dal_algebra *g, const dal_monomial *a, const dal_monomial *b, dal_monomial out[2])
{
    dal_monomial t = {0};
    g->failed |= !dal_reduce_fraction((dal_wide)a->num * b->num, (dal_wide)a->den * b->den, &t.num, &t.den);
    g->failed |= !dal_merge_powers(a->n_factors, a->factors, b->n_factors, b->factors, 1, DAL_FACTORS, t.factors, &t.n_factors);
    if (a->trig == DAL_TRIG_ONE || b->trig == DAL_TRIG_ONE) {
        const dal_monomial *with = a->trig == DAL_TRIG_ONE ? b : a;
        t.trig = with->trig;
        t.n_angles = with->n_angles;
        memcpy(t.angles, with->angles, sizeof t.angles);
        out[0] = t;
        return 1;
    }
    g->failed |= !dal_reduce_fraction(t.num, (dal_wide)t.den * 2, &t.num, &t.den);
    out[0] = out[1] = t; /* of the difference, and of the sum */
    g->failed |= !dal_merge_powers(a->n_angles, a->angles, b->n_angles, b->angles, -1, DAL_ANGLES, out[0].angles, &out[0].n_angles);
    g->failed |= !dal_merge_powers(a->n_angles, a->angles, b->n_angles, b->angles, 1, DAL_ANGLES, out[1].angles, &out[1].n_angles);
    out[0].trig = out[1].trig = a->trig == b->trig ? DAL_TRIG_COSINE : DAL_TRIG_SINE;
    if (a->trig == DAL_TRIG_SINE && b->trig == DAL_TRIG_SINE)
        out[1].num = -out[1].num;
    if (a->trig == DAL_TRIG_COSINE && b->trig == DAL_TRIG_SINE)
        out[0].num = -out[0].num; /* cos a sin b = (sin(a + b) - sin(a - b)) / 2 */
    dal_orient_monomial(&out[0]);
    dal_orient_monomial(&out[1]);
    return 2;
}

dal_poly dal_poly_add(dal_algebra *g, const dal_poly *a, const dal_poly *b, int sign)
{
    dal_poly p = dal_poly_make(g, a->n + b->n);
    g->work += a->n + b->n;
    for (int i = 0; i < a->n && !g->failed; i++)
        p.term[p.n++] = a->term[i];
    for (int i = 0; i < b->n && !g->failed; i++) {
        p.term[p.n] = b->term[i];
        p.term[p.n++].num *= sign;
    }
    dal_poly_collect(g, &p);
    return p;
}

/* ---- products of sines and cosines ------------------------------------------------------ */

/* The companion of a generator whose square is 1 minus the square of the companion; -1: it has none. */
static int companion(dal_algebra *g, int i)
{
    const dal_generator_kind from = g->way == DAL_PRODUCTS_SINE ? DAL_GENERATOR_OF_COSINE : DAL_GENERATOR_OF_SINE;
    if (g->way == DAL_FOURIER || g->generators[i].kind != from)
        return -1;
    dal_generator other = g->generators[i];
    other.kind = from == DAL_GENERATOR_OF_COSINE ? DAL_GENERATOR_OF_SINE : DAL_GENERATOR_OF_COSINE;
    return dal_find_generator(g, other);
}

/* t * x^k with x another generator, k = 2 or -2. */
dal_monomial dal_times_power(dal_algebra *g, const dal_monomial *t, int x, int k)
{
    const dal_power f = {(int16_t)x, (int16_t)k};
    dal_monomial out = *t;
    g->failed |= !dal_merge_powers(t->n_factors, t->factors, 1, &f, 1, DAL_FACTORS, out.factors, &out.n_factors);
    return out;
}

/* Reduces until no square of a cosine (or of a sine) is left. */
static void reduce_squares(dal_algebra *g, dal_poly *p)
{
    for (bool again = g->way != DAL_FOURIER; again && !g->failed;) {
        dal_poly out = dal_poly_make(g, 2 * p->n);
        again = false;
        for (int i = 0; i < p->n && !g->failed; i++) {
            const dal_monomial *t = &p->term[i];
            int x = -1, other = -1;
            for (int k = 0; k < t->n_factors && x < 0; k++)
                if (t->factors[k].exponent >= 2 && (other = companion(g, t->factors[k].generator)) >= 0)
                    x = t->factors[k].generator;
            if (x < 0) {
                out.term[out.n++] = *t;
                continue;
            }
            again = true;
            out.term[out.n] = dal_times_power(g, t, x, -2);
            out.term[out.n + 1] = dal_times_power(g, &out.term[out.n], other, 2);
            out.term[out.n + 1].num = -out.term[out.n + 1].num;
            out.n += 2;
        }
        g->work += out.n;
        g->failed |= g->work > DAL_MOST_WORK;
        dal_poly_collect(g, &out);
        *p = out;
    }
}

dal_poly dal_poly_multiply(dal_algebra *g, const dal_poly *a, const dal_poly *b)
{
    const long products = 2L * a->n * b->n; /* known before it is made */
    g->work += products;
    if (products > 4 * DAL_MOST_TERMS || g->work > DAL_MOST_WORK)
        g->failed = true;
    dal_poly p = dal_poly_make(g, g->failed ? 1 : (int)products);
    for (int i = 0; i < a->n && !g->failed; i++)
        for (int k = 0; k < b->n && !g->failed; k++)
            p.n += multiply_terms(g, &a->term[i], &b->term[k], p.term + p.n);
    dal_poly_collect(g, &p);
    reduce_squares(g, &p);
    return p;
}

int dal_exponent_of(const dal_monomial *t, int which)
{
    for (int i = 0; i < t->n_factors; i++)
        if (t->factors[i].generator == which)
            return t->factors[i].exponent;
    return 0;
}
