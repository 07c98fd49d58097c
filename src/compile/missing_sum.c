/* Sums in a normal form: terms that cancel are removed, and the rest is printed as written by hand.
 *
 * A node becomes a sum of products, coefficient times powers of factors. A factor is whatever is no product: a variable, a function, or a
 * sum of several terms, whose first term is then positive. Sums inside products are not multiplied out; multiples of sums by a number are, where
 * `spread` asks for it.
 */
#include "compile/missing.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_FACTORS = 24, MOST_TERMS = 4000, MOST_DEPTH = 200 };

typedef struct factor {
    dal_node node;
    int power;
} factor;

typedef struct product {
    double coef;
    int n;
    factor of[MOST_FACTORS]; /* ascending by node */
} product;

typedef struct sum {
    product *term;
    int n;
    size_t capacity;
} sum;

static void normalise_node(dal_symbolic *s, dal_node node, int depth, sum *out);

/* a := a * node^power; false: too many factors. */
static bool multiply_by(product *a, dal_node node, int power)
{
    int i = 0;
    while (i < a->n && a->of[i].node < node)
        i++;
    if (i < a->n && a->of[i].node == node) {
        a->of[i].power += power;
        if (!a->of[i].power) {
            memmove(a->of + i, a->of + i + 1, sizeof *a->of * (size_t)(a->n - i - 1));
            a->n--;
        }
        return true;
    }
    if (a->n == MOST_FACTORS)
        return false;
    memmove(a->of + i + 1, a->of + i, sizeof *a->of * (size_t)(a->n - i));
    a->of[i] = (factor){node, power};
    a->n++;
    return true;
}

static bool same_factors(const product *a, const product *b)
{
    return a->n == b->n && !memcmp(a->of, b->of, sizeof *a->of * (size_t)a->n);
}

/* out := out + coef * term, with what it can be joined with. */
static void add_term(dal_symbolic *s, sum *out, double coef, const product *term)
{
    for (int i = 0; i < out->n; i++)
        if (same_factors(&out->term[i], term)) {
            out->term[i].coef += coef * term->coef;
            if (out->term[i].coef == 0) {
                memmove(out->term + i, out->term + i + 1, sizeof *out->term * (size_t)(out->n - i - 1));
                out->n--;
            }
            return;
        }
    if (coef * term->coef == 0)
        return;
    product *to = DAL_PUSH(s->arena, out->term, out->n, out->capacity);
    *to = *term;
    to->coef *= coef;
}

static dal_node node_of_product(dal_symbolic *s, const product *p, double coef)
{
    dal_node above = DAL_NO_NODE, below = DAL_NO_NODE;
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < (p->of[i].power < 0 ? -p->of[i].power : p->of[i].power); k++) {
            dal_node *at = p->of[i].power > 0 ? &above : &below;
            *at = *at == DAL_NO_NODE ? p->of[i].node : dal_binary(s->graph, DAL_OP_MUL, *at, p->of[i].node);
        }
    dal_node node = above == DAL_NO_NODE ? dal_const(s->graph, 1) : above;
    if (below != DAL_NO_NODE)
        node = dal_binary(s->graph, DAL_OP_DIV, node, below);
    return dal_binary(s->graph, DAL_OP_MUL, dal_const(s->graph, coef), node);
}

static dal_node node_of_sum(dal_symbolic *s, const sum *of, double times)
{
    dal_node node = dal_const(s->graph, 0);
    for (int i = 0; i < of->n; i++)
        node = dal_binary(s->graph, DAL_OP_ADD, node, node_of_product(s, &of->term[i], times * of->term[i].coef));
    return node;
}

/* term := term * (what node is)^power. False: it is zero, below a fraction too, or too much. */
static bool multiply_in(dal_symbolic *s, dal_node node, int power, int depth, product *term)
{
    sum in = {0};
    normalise_node(s, node, depth + 1, &in);
    if (!in.n) {
        term->coef = 0;
        return power > 0;
    }
    const product *only = &in.term[0];
    const double lead = only->coef;
    if (in.n > 1) {
        term->coef *= lead < 0 && power % 2 ? -1 : 1;
        return multiply_by(term, node_of_sum(s, &in, lead < 0 ? -1 : 1), power);
    }
    term->coef *= pow(lead, power);
    for (int i = 0; i < only->n; i++)
        if (!multiply_by(term, only->of[i].node, power * only->of[i].power))
            return false;
    return true;
}

/* A function of something: its argument in normal form, too. */
static dal_node plain_factor(dal_symbolic *s, dal_node node, int depth)
{
    const dal_node_view t = dal_node_read(s->graph, node);
    sum in = {0};
    if (t.op < DAL_OP_SIN || t.op > DAL_OP_LOG || t.op == DAL_OP_ATAN2)
        return node;
    normalise_node(s, t.a, depth + 1, &in);
    return dal_unary(s->graph, t.op, node_of_sum(s, &in, 1));
}

static void normalise_node(dal_symbolic *s, dal_node node, int depth, sum *out)
{
    const dal_node_view t = dal_node_read(s->graph, node);
    product one = {.coef = 1};
    double value;
    bool fine = depth < MOST_DEPTH && out->n < MOST_TERMS;
    if (t.op == DAL_OP_CONST) {
        add_term(s, out, t.value, &one);
        return;
    }
    if (fine && (t.op == DAL_OP_ADD || t.op == DAL_OP_SUB || t.op == DAL_OP_NEG)) {
        sum b = {0};
        normalise_node(s, t.op == DAL_OP_NEG ? t.a : t.b, depth + 1, &b);
        if (t.op != DAL_OP_NEG)
            normalise_node(s, t.a, depth + 1, out);
        for (int i = 0; i < b.n; i++)
            add_term(s, out, t.op == DAL_OP_ADD ? 1 : -1, &b.term[i]);
        return;
    }
    if (fine && (t.op == DAL_OP_MUL || t.op == DAL_OP_DIV))
        fine = multiply_in(s, t.a, 1, depth, &one) && multiply_in(s, t.b, t.op == DAL_OP_MUL ? 1 : -1, depth, &one);
    else if (fine && t.op == DAL_OP_POW && dal_is_const(s->graph, t.b, &value) && value == floor(value) && fabs(value) <= 8)
        fine = multiply_in(s, t.a, (int)value, depth, &one);
    else
        fine = fine && multiply_by(&one, plain_factor(s, node, depth), 1);
    if (!fine)
        one = (product){.coef = 1, .n = 1, .of = {{node, 1}}};
    if (one.n == 1 && one.of[0].power == 1 && (s->spread || fabs(one.coef) == 1) && fine) { /* a sum is a sum again */
        const dal_node_view in = dal_node_read(s->graph, one.of[0].node);
        if ((in.op == DAL_OP_ADD || in.op == DAL_OP_SUB) && one.of[0].node != node) {
            sum inner = {0};
            normalise_node(s, one.of[0].node, depth + 1, &inner);
            for (int i = 0; i < inner.n; i++)
                add_term(s, out, one.coef, &inner.term[i]);
            return;
        }
    }
    add_term(s, out, 1, &one);
}

dal_node dal_symbolic_collect(dal_symbolic *s, dal_node node)
{
    sum of = {0};
    normalise_node(s, node, 0, &of);
    return node_of_sum(s, &of, 1);
}

dal_node dal_symbolic_simplify(dal_symbolic *s, dal_node node)
{
    s->spread = true;
    node = dal_symbolic_collect(s, node);
    s->spread = false;
    return node;
}

/* ---- as text ------------------------------------------------------------------------------ */

static const char *name_of(void *user, int variable)
{
    const dal_symbolic *s = user;
    return variable >= DAL_SYMBOLIC_FIRST ? s->variable[variable - DAL_SYMBOLIC_FIRST].name : NULL;
}

static const char *text_of_factor(dal_symbolic *s, const factor *f)
{
    const dal_node_view t = dal_node_read(s->graph, f->node);
    const char *text = dal_node_print(s->graph, f->node, name_of, s);
    const int power = f->power < 0 ? -f->power : f->power;
    if (t.op < DAL_OP_SIN && t.op != DAL_OP_VAR)
        text = dal_arena_print(s->arena, "(%s)", text);
    return power == 1 ? text : dal_arena_print(s->arena, "%s^%d", text, power);
}

/* Parameters first, then the factors in the order in which they came up. */
static bool comes_first(const dal_symbolic *s, const factor *f)
{
    const dal_node_view t = dal_node_read(s->graph, f->node);
    return t.op == DAL_OP_VAR && t.index >= DAL_SYMBOLIC_FIRST && s->variable[t.index - DAL_SYMBOLIC_FIRST].kind == DAL_SYMBOLIC_NUMBER;
}

/* A term without its sign. */
static const char *text_of_product(dal_symbolic *s, const product *p)
{
    const char *text = "";
    if (fabs(p->coef) != 1)
        text = dal_node_print(s->graph, dal_const(s->graph, fabs(p->coef)), name_of, s);
    for (int numbers = 1; numbers >= 0; numbers--)
        for (int i = 0; i < p->n; i++)
            if (p->of[i].power > 0 && comes_first(s, &p->of[i]) == numbers)
                text = dal_arena_print(s->arena, "%s%s%s", text, *text ? "*" : "", text_of_factor(s, &p->of[i]));
    if (!*text)
        text = "1";
    for (int i = 0; i < p->n; i++)
        if (p->of[i].power < 0)
            text = dal_arena_print(s->arena, "%s/%s", text, text_of_factor(s, &p->of[i]));
    return text;
}

/* The first variable that moves, by number; numbers alone stand behind the others. */
typedef struct first_variable {
    const dal_symbolic *s;
    int number;
} first_variable;

static void note_first(void *user, int variable)
{
    first_variable *f = user;
    const int i = variable - DAL_SYMBOLIC_FIRST;
    if (i >= 0 && f->s->variable[i].kind != DAL_SYMBOLIC_NUMBER && i < f->number)
        f->number = i;
}

static int order_of(dal_symbolic *s, const product *p)
{
    first_variable f = {s, p->n ? INT_MAX - 1 : INT_MAX};
    for (int i = 0; i < p->n; i++)
        dal_each_var(s->graph, p->of[i].node, note_first, &f);
    return f.number;
}

static void sort_terms(dal_symbolic *s, sum *of)
{
    for (int i = 1; i < of->n; i++) {
        const product term = of->term[i];
        const int order = order_of(s, &term);
        int k = i;
        for (; k > 0 && order_of(s, &of->term[k - 1]) > order; k--)
            of->term[k] = of->term[k - 1];
        of->term[k] = term;
    }
}

dal_condition_text dal_symbolic_print(dal_symbolic *s, dal_node node)
{
    sum of = {0};
    normalise_node(s, node, 0, &of);
    sort_terms(s, &of);
    const double sign = of.n && of.term[0].coef < 0 ? -1 : 1;
    const char *text = "", *left = "", *right = "";
    for (int i = 0; i < of.n; i++) {
        const char *term = text_of_product(s, &of.term[i]);
        const bool negative = sign * of.term[i].coef < 0;
        text = dal_arena_print(s->arena, "%s%s%s", text, !*text ? "" : negative ? " - " : " + ", term);
        const char **side = negative ? &right : &left;
        *side = dal_arena_print(s->arena, "%s%s%s", *side, **side ? " + " : "", term);
    }
    return (dal_condition_text){.text = *text ? text : "0",
                                .equation = dal_arena_print(s->arena, "%s = %s", *left ? left : "0", *right ? right : "0")};
}
