/* Sums of the code are collected: like terms are taken together, and those that cancel are not computed.
 *
 * A sum is the result if sums, differences and constant multiples that nothing else uses are followed to the terms below them:
 *   0.5 (a + 0.2 b) - (0.5 a - c)  =  0.1 b + c
 * Derivations leave such sums behind, because they differentiate: what d/dt of one term gives stands again, with the other sign, in the derivative of
 * another. Terms of one factor stay under it: f (a - b).
 */
#include "generate/listing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct term {
    dal_node node;       /* of the new ones */
    double factor, size; /* size: the largest of what was added */
    int order;
} term;

typedef struct collector {
    dal_listing *c;
    dal_graph *g;
    int n;         /* nodes before */
    int *uses;     /* of each */
    bool *in_sum;  /* one of these uses is in a sum */
    dal_node *map; /* of each: what it became */
    term *terms;   /* of the sum that is collected now */
    int n_terms;
    size_t cap_terms;
    double constant;
} collector;

/* A sum, a difference, a sign or a constant multiple. */
static bool is_linear(const dal_graph *g, dal_node node)
{
    const dal_node_view x = dal_node_read(g, node);
    return x.op == DAL_OP_ADD || x.op == DAL_OP_SUB || x.op == DAL_OP_NEG || (x.op == DAL_OP_MUL && dal_is_const(g, x.a, NULL));
}

/* It stands in one sum alone, of which it becomes a part. */
static bool is_absorbed(const collector *s, dal_node node)
{
    return s->uses[node] == 1 && s->in_sum[node] && is_linear(s->g, node);
}

/* ---- the terms of a sum ------------------------------------------------------------------ */

static void add_term(collector *s, dal_node node, double factor)
{
    double value;
    for (;;) { /* of the new nodes, which may have a factor of their own */
        const dal_node_view x = dal_node_read(s->g, node);
        if (x.op == DAL_OP_NEG)
            factor = -factor;
        else if (x.op == DAL_OP_MUL && dal_is_const(s->g, x.a, &value) && isnormal(factor * value))
            factor *= value;
        else
            break;
        node = x.op == DAL_OP_NEG ? x.a : x.b;
    }
    const int order = s->n_terms;
    if (dal_is_const(s->g, node, &value))
        s->constant += factor * value;
    else
        *DAL_PUSH(s->c->arena, s->terms, s->n_terms, s->cap_terms) = (term){node, factor, fabs(factor), order};
}

static void gather_terms(collector *s, dal_node node, double factor);

static void gather_operand(collector *s, dal_node node, double factor)
{
    if (is_absorbed(s, node))
        gather_terms(s, node, factor);
    else
        add_term(s, s->map[node], factor);
}

static void gather_terms(collector *s, dal_node node, double factor)
{
    const dal_node_view x = dal_node_read(s->g, node);
    double value;
    switch (x.op) {
    case DAL_OP_NEG: gather_operand(s, x.a, -factor); return;
    case DAL_OP_MUL: /* by a constant */
        if (dal_is_const(s->g, x.a, &value) && isnormal(factor * value))
            gather_operand(s, x.b, factor * value);
        else
            add_term(s, dal_binary(s->g, DAL_OP_MUL, x.a, s->map[x.b]), factor);
        return;
    default: gather_operand(s, x.a, factor); gather_operand(s, x.b, x.op == DAL_OP_SUB ? -factor : factor);
    }
}

static int by_node(const void *a, const void *b)
{
    const term *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    const term *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Like terms become one; the remainder of terms that cancel is rounding. */
static void merge(collector *s)
{
    int n = 0;
    qsort(s->terms, (size_t)s->n_terms, sizeof *s->terms, by_node);
    for (int i = 0; i < s->n_terms; i++) {
        if (n && s->terms[n - 1].node == s->terms[i].node) {
            term *to = &s->terms[n - 1];
            to->factor += s->terms[i].factor;
            to->size = fmax(to->size, s->terms[i].size);
        } else
            s->terms[n++] = s->terms[i];
    }
    s->n_terms = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(s->terms[i].factor) <= 4 * DBL_EPSILON * s->terms[i].size))
            s->terms[s->n_terms++] = s->terms[i];
    qsort(s->terms, (size_t)s->n_terms, sizeof *s->terms, by_order);
}

/* ---- the sum again ------------------------------------------------------------------------- */

/* All terms of the factor of term i, up to a sign: their sum without the factor. They are taken. */
static dal_node sum_of_factor(collector *s, int i)
{
    const double factor = s->terms[i].factor;
    dal_node sum = DAL_NO_NODE;
    for (int k = i; k < s->n_terms; k++) {
        term *x = &s->terms[k];
        if (x->node == DAL_NO_NODE || fabs(x->factor) != fabs(factor))
            continue;
        if (sum == DAL_NO_NODE)
            sum = x->node;
        else
            sum = dal_binary(s->g, x->factor == factor ? DAL_OP_ADD : DAL_OP_SUB, sum, x->node);
        x->node = DAL_NO_NODE;
    }
    return sum;
}

/* The first factor is a positive one where there is any: a sign less. */
static void put_positive_first(collector *s)
{
    for (int i = 0; i < s->n_terms; i++)
        if (s->terms[i].factor > 0) {
            const term first = s->terms[i];
            memmove(s->terms + 1, s->terms, sizeof first * (size_t)i);
            s->terms[0] = first;
            return;
        }
}

static dal_node collect_sum(collector *s, dal_node node)
{
    dal_graph *g = s->g;
    s->n_terms = 0;
    s->constant = 0;
    gather_terms(s, node, 1);
    merge(s);
    put_positive_first(s);
    dal_node sum = s->constant != 0 || !s->n_terms ? dal_const(g, s->constant) : DAL_NO_NODE;
    for (int i = 0; i < s->n_terms; i++) {
        const double factor = s->terms[i].factor;
        if (s->terms[i].node == DAL_NO_NODE)
            continue;
        const dal_node part = dal_binary(g, DAL_OP_MUL, dal_const(g, factor), sum_of_factor(s, i));
        sum = sum == DAL_NO_NODE ? part : dal_binary(g, DAL_OP_ADD, sum, part);
    }
    return sum;
}

/* ---- all nodes -------------------------------------------------------------------------------- */

static void use(collector *s, dal_node node, bool in_sum)
{
    if (node < 0)
        return;
    s->uses[node]++;
    s->in_sum[node] |= in_sum;
}

static void count_uses(collector *s)
{
    for (dal_node node = s->n - 1; node >= 0; node--) {
        const dal_node_view x = dal_node_read(s->g, node);
        const bool linear = s->uses[node] && is_linear(s->g, node);
        if (!s->uses[node])
            continue;
        use(s, x.a, linear);
        use(s, x.b, linear);
        use(s, x.c, linear);
    }
}

void dal_listing_collect(dal_listing *c, int n_roots, dal_node *const *roots, const int *lengths)
{
    collector s = {.c = c, .g = c->graph, .n = dal_graph_size(c->graph)};
    s.uses = DAL_NEW(c->arena, int, s.n + 1);
    s.in_sum = DAL_NEW(c->arena, bool, s.n + 1);
    s.map = DAL_NEW(c->arena, dal_node, s.n + 1);
    for (int r = 0; r < n_roots; r++)
        for (int i = 0; i < lengths[r]; i++)
            s.uses[roots[r][i]] += 2; /* a result is not absorbed */
    count_uses(&s);
    for (dal_node node = 0; node < s.n; node++)
        if (s.uses[node] && !is_absorbed(&s, node))
            s.map[node] = is_linear(s.g, node) ? collect_sum(&s, node) : dal_rebuild_mapped(s.g, s.map, node);
    for (int r = 0; r < n_roots; r++)
        for (int i = 0; i < lengths[r]; i++)
            roots[r][i] = s.map[roots[r][i]];
}
