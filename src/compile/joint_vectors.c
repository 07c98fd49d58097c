/* Vectors in equations of joint types become measures.
 *
 * In an equation M, N, P, Q are points and xi ... zl axes of bodies. While it is read, a vector that is a sum
 *     a = sum c_v v          v a point or an axis, or the rate of one; c_v numbers, or functions of scalars
 * is recognised as one, and its scalar products become measures instead of sums of products of components:
 *     what belongs to one body is one material vector      M + 0.3 xi is a point of the first body
 *     points come in differences                           N - M is (v0 - v1) of one measure: nothing cancels far from the origin
 *     a . b = sum c_v c_w (v . w)                          each v . w one measure (13), whose rates are (24), (26) of
 *                                                          `planar-component-library`; a constant where both are fixed in one body
 *     |a| of one difference of points                      a length
 *     a' . b                                               with a' = sum over k of (a . e_k)' e_k, or (a . b)' where b is fixed in the world
 *     a x b in the plane, b a direction                    a . b turned by -90 degrees: a measure again
 *     a x b in space                                       a direction where both are directions of one body; else by components a . e_k
 * Everything else is an expression in these measures.
 */
#include "compile/joint_vectors.h"

#include <math.h>
#include <string.h>

static const double nothing = 1e-14; /* of coefficients that should cancel, relative to their sum */

typedef struct part {
    int vector, order;
    dal_node coef;
} part;

/* Sum of coefficients times vectors or their rates. */
typedef struct combination {
    int n;
    size_t capacity;
    part *item;
} combination;

/* (x[plus] - x[minus]), or its rate, times coef; minus may be absent. */
typedef struct atom {
    int plus, minus, order;
    dal_node coef;
} atom;

typedef struct atoms {
    int n;
    size_t capacity;
    atom *item;
} atoms;

/* What the constant parts of one order have on one body. */
typedef struct piece {
    int body;
    double points, s[3], size; /* sum of the coefficients of points, and of coef * s */
    int vector;                /* the only one, or -1 */
    double coef;               /* of it */
} piece;

static dal_node times(dal_equation_scope *scope, dal_node a, dal_node b)
{
    return dal_binary(scope->build->graph, DAL_OP_MUL, a, b);
}

/* ---- which variables an expression has ------------------------------------------- */

typedef struct look {
    const dal_build *build;
    bool vectors, rates;
    int n;
    size_t capacity;
    int *variable; /* of vectors */
} look;

static void see(void *user, int variable)
{
    look *l = user;
    const dal_signal *s = &l->build->signals[variable];
    const bool spin = s->kind == DAL_SIGNAL_OMEGA, vector = s->kind == DAL_SIGNAL_VECTOR;
    l->rates |= spin || ((vector || s->kind == DAL_SIGNAL_MEASURE) && s->order > 0);
    l->vectors |= vector;
    if (vector)
        *DAL_PUSH(l->build->arena, l->variable, l->n, l->capacity) = variable;
}

static look variables_of(const dal_equation_scope *scope, dal_node node)
{
    look l = {.build = scope->build};
    dal_each_var(scope->build->graph, node, see, &l);
    return l;
}

bool dal_equation_has_rates(dal_equation_scope *scope, dal_node node)
{
    return variables_of(scope, node).rates;
}

static dal_node vectors_are_zero(void *user, dal_graph *graph, int variable)
{
    const dal_equation_scope *scope = user;
    return scope->build->signals[variable].kind == DAL_SIGNAL_VECTOR ? dal_const(graph, 0) : DAL_NO_NODE;
}

/* ---- measures ----------------------------------------------------------------------- */

static bool is_ground(const dal_equation_scope *scope, int vector)
{
    return vector < 0 || scope->build->mechanism.vectors[vector].body == DAL_GROUND;
}

/* A direction of this body? */
static bool is_direction(const dal_equation_scope *scope, int vector, int body)
{
    const dal_vector *v = &scope->build->mechanism.vectors[vector];
    return !v->point && v->body == body;
}

dal_node dal_equation_signal(dal_equation_scope *scope, int measure, int order)
{
    return dal_build_signal(scope->build, (dal_signal){DAL_SIGNAL_MEASURE, measure, 0, order, 0});
}

static int find_measure(const dal_equation_scope *scope, dal_measure_kind kind, const int vector[4])
{
    const dal_mechanism *m = &scope->build->mechanism;
    for (int i = scope->first_measure; i < m->n_measures; i++)
        if (m->measures[i].kind == kind && !memcmp(m->measures[i].vector, vector, sizeof m->measures[i].vector))
            return i;
    return -1;
}

/* (a - a_minus) . (b - b_minus), in either order. */
static int dot_measure(dal_equation_scope *scope, const atom *a, const atom *b)
{
    const int forth[4] = {a->plus, a->minus, b->plus, b->minus}, back[4] = {b->plus, b->minus, a->plus, a->minus};
    int found = find_measure(scope, DAL_MEASURE_DOT, forth);
    found = found < 0 ? find_measure(scope, DAL_MEASURE_DOT, back) : found;
    return found < 0 ? dal_add_dot(&scope->build->mechanism, a->plus, a->minus, b->plus, b->minus) : found;
}

static int length_measure(dal_equation_scope *scope, const atom *a)
{
    const int vector[4] = {a->plus, a->minus, -1, -1};
    const int found = find_measure(scope, DAL_MEASURE_LENGTH, vector);
    return found < 0 ? dal_add_length(&scope->build->mechanism, a->plus, a->minus) : found;
}

int dal_vectors_angle(dal_equation_scope *scope, int first, int second)
{
    dal_mechanism *m = &scope->build->mechanism;
    const dal_marker *i = &scope->joint->marker[first], *j = &scope->joint->marker[second];
    const int x = dal_add_axis(m, i, 0), y = dal_add_axis(m, i, 1), vector[4] = {x, y, dal_add_axis(m, j, 0), -1};
    const int found = find_measure(scope, DAL_MEASURE_ANGLE, vector);
    return found < 0 ? dal_add_angle_of(m, x, y, vector[2]) : found;
}

/* ---- sums of vectors ----------------------------------------------------------------- */

/* The parts of component k: false where it is no sum of vectors. */
static bool component_parts(dal_equation_scope *scope, dal_node node, int k, combination *c, dal_node *rest)
{
    dal_build *build = scope->build;
    const look l = variables_of(scope, node);
    for (int i = 0; i < l.n; i++) {
        const dal_signal s = build->signals[l.variable[i]];
        const dal_node coef = dal_diff(build->graph, node, l.variable[i]);
        if (s.component != k || variables_of(scope, coef).vectors)
            return false;
        *DAL_PUSH(build->arena, c->item, c->n, c->capacity) = (part){s.index, s.order, coef};
    }
    *rest = l.n ? dal_substitute(build->graph, node, vectors_are_zero, scope) : node;
    return true;
}

static const part *find_part(const combination *c, const part *wanted)
{
    for (int i = 0; i < c->n; i++)
        if (c->item[i].vector == wanted->vector && c->item[i].order == wanted->order)
            return &c->item[i];
    return NULL;
}

/* A vector as a sum of vectors: all components have the same coefficients. The remainder is a vector along the world axes, which are
 * vectors 0, 1, 2 of the mechanism. */
static bool recognise(dal_equation_scope *scope, const dal_value *value, combination *c)
{
    combination others[2] = {{0}, {0}};
    dal_node rest[3];
    *c = (combination){0};
    for (int k = 0; k < value->n; k++) {
        combination *now = k ? &others[k - 1] : c;
        if (!component_parts(scope, value->node[k], k, now, &rest[k]) || now->n != c->n)
            return false;
        for (int i = 0; i < now->n; i++) {
            const part *same = find_part(c, &now->item[i]);
            if (!same || same->coef != now->item[i].coef)
                return false;
        }
    }
    for (int k = 0; k < value->n; k++) {
        double known;
        if (!dal_is_const(scope->build->graph, rest[k], &known) || known != 0)
            *DAL_PUSH(scope->build->arena, c->item, c->n, c->capacity) = (part){k, 0, rest[k]};
    }
    return true;
}

/* ---- as few vectors as possible -------------------------------------------------------- */

static void push_atom(dal_equation_scope *scope, atoms *list, atom a)
{
    *DAL_PUSH(scope->build->arena, list->item, list->n, list->capacity) = a;
}

static void add_to_piece(const dal_equation_scope *scope, piece *p, int vector, double coef)
{
    const dal_vector *v = &scope->build->mechanism.vectors[vector];
    p->points += v->point ? coef : 0;
    p->size += fabs(coef);
    for (int i = 0; i < 3; i++)
        p->s[i] += coef * v->s[i];
}

/* The constant parts of one order, body by body. */
static int pieces_of(dal_equation_scope *scope, const combination *c, int order, piece *list)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        double coef;
        if (c->item[i].order != order || !dal_is_const(scope->build->graph, c->item[i].coef, &coef) || coef == 0)
            continue;
        const int body = scope->build->mechanism.vectors[c->item[i].vector].body;
        int at = 0;
        while (at < n && list[at].body != body)
            at++;
        if (at == n)
            list[n++] = (piece){.body = body, .vector = c->item[i].vector, .coef = coef};
        else
            list[at].vector = -1;
        add_to_piece(scope, &list[at], c->item[i].vector, coef);
    }
    for (int i = 0; i < n; i++)
        if (fabs(list[i].points) <= nothing * list[i].size)
            list[i].points = 0;
    return n;
}

/* The point that a piece is a multiple of; the direction that it is. */
static int point_of(dal_equation_scope *scope, const piece *p)
{
    const double s[3] = {p->s[0] / p->points, p->s[1] / p->points, p->s[2] / p->points};
    return p->vector >= 0 ? p->vector : dal_add_vector(&scope->build->mechanism, p->body, true, s);
}

static void add_direction(dal_equation_scope *scope, const piece *p, int order, atoms *list)
{
    if (p->vector >= 0)
        push_atom(scope, list, (atom){p->vector, -1, order, dal_equation_number(scope, p->coef)});
    else if (p->s[0] != 0 || p->s[1] != 0 || p->s[2] != 0)
        push_atom(scope, list, (atom){dal_add_vector(&scope->build->mechanism, p->body, false, p->s), -1, order, dal_equation_number(scope, 1)});
}

/* Points of coefficients c > 0 and d < 0: min(c, -d) times their difference, as long as there are both; then the rest of one kind. */
static void add_points(dal_equation_scope *scope, int n, const piece *list, int order, atoms *out)
{
    double left[DAL_MOST_POINTS + 1], size = 0;
    int vector[DAL_MOST_POINTS + 1];
    for (int i = 0; i < n; i++) {
        left[i] = list[i].points;
        size += list[i].size;
        vector[i] = list[i].points != 0 ? point_of(scope, &list[i]) : -1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && left[i] > nothing * size; j++) {
            const double both = fmin(left[i], -left[j]);
            if (!(both > nothing * size))
                continue;
            push_atom(scope, out, (atom){vector[i], vector[j], order, dal_equation_number(scope, both)});
            left[i] -= both;
            left[j] += both;
        }
    for (int i = 0; i < n; i++)
        if (fabs(left[i]) > nothing * size)
            push_atom(scope, out, (atom){vector[i], -1, order, dal_equation_number(scope, left[i])});
}

static atoms reduce(dal_equation_scope *scope, const combination *c)
{
    atoms list = {0};
    for (int order = 0; order < 2; order++) {
        piece pieces[DAL_MOST_POINTS + 1];
        const int n = pieces_of(scope, c, order, pieces);
        add_points(scope, n, pieces, order, &list);
        for (int i = 0; i < n; i++)
            if (pieces[i].points == 0)
                add_direction(scope, &pieces[i], order, &list);
    }
    for (int i = 0; i < c->n; i++)
        if (!dal_is_const(scope->build->graph, c->item[i].coef, NULL))
            push_atom(scope, &list, (atom){c->item[i].vector, -1, c->item[i].order, c->item[i].coef});
    return list;
}

/* ---- products ------------------------------------------------------------------------------ */

/* Of a vector of the ground, or a direction of a body in its own axes. Differences of points are of two bodies (add_points): this one has no minus. */
static double constant_component(const dal_equation_scope *scope, const atom *a, int k)
{
    return scope->build->mechanism.vectors[a->plus].s[k];
}

static bool is_fixed(const dal_equation_scope *scope, const atom *a)
{
    return is_ground(scope, a->plus) && a->minus < 0;
}

/* a . e_k, or its rate. */
static dal_node component(dal_equation_scope *scope, const atom *a, int k)
{
    const atom axis = {k, -1, 0, DAL_NO_NODE};
    if (is_fixed(scope, a))
        return dal_equation_number(scope, a->order ? 0 : constant_component(scope, a, k));
    return dal_equation_signal(scope, dot_measure(scope, a, &axis), a->order);
}

static dal_node dot_atoms(dal_equation_scope *scope, const atom *a, const atom *b)
{
    const int body = scope->build->mechanism.vectors[a->plus].body;
    const bool together = a->minus < 0 && b->minus < 0 && is_direction(scope, a->plus, body) && is_direction(scope, b->plus, body);
    double known = 0;
    if ((a->order && is_fixed(scope, a)) || (b->order && is_fixed(scope, b)))
        return dal_equation_number(scope, 0);
    if (!a->order && !b->order && (together || (is_fixed(scope, a) && is_fixed(scope, b)))) {
        for (int k = 0; k < 3; k++)
            known += constant_component(scope, a, k) * constant_component(scope, b, k);
        return dal_equation_number(scope, known);
    }
    if (!a->order && !b->order)
        return dal_equation_signal(scope, dot_measure(scope, a, b), 0);
    if (a->order + b->order == 1 && is_fixed(scope, a->order ? b : a))
        return dal_equation_signal(scope, dot_measure(scope, a, b), 1);
    dal_node sum = dal_equation_number(scope, 0);
    for (int k = 0; k < dal_equation_dimension(scope); k++)
        sum = dal_equation_plus(scope, sum, times(scope, component(scope, a, k), component(scope, b, k)));
    return sum;
}

static dal_node sum_of_products(dal_equation_scope *scope, const atoms *a, const atoms *b,
                                dal_node (*product)(dal_equation_scope *, const atom *, const atom *))
{
    dal_node sum = dal_equation_number(scope, 0);
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            const dal_node factor = times(scope, a->item[i].coef, b->item[j].coef);
            sum = dal_equation_plus(scope, sum, times(scope, factor, product(scope, &a->item[i], &b->item[j])));
        }
    return sum;
}

/* In the plane: a_x b_y - a_y b_x = a . (b_y, -b_x), where b is a direction fixed in a body. */
static dal_node cross_atoms(dal_equation_scope *scope, const atom *a, const atom *b)
{
    const dal_vector *v = scope->build->mechanism.vectors;
    const bool turned = v[a->plus].point == 0 && a->minus < 0 && (v[b->plus].point || b->minus >= 0);
    const atom *left = turned ? b : a, *right = turned ? a : b;
    dal_node product;
    if (!v[right->plus].point && right->minus < 0) {
        const dal_vector by = v[right->plus];
        const double s[3] = {by.s[1], -by.s[0], 0};
        const atom across = {dal_add_vector(&scope->build->mechanism, by.body, false, s), -1, right->order, DAL_NO_NODE};
        product = dot_atoms(scope, left, &across);
    } else {
        const dal_node forth = times(scope, component(scope, left, 0), component(scope, right, 1));
        product = dal_binary(scope->build->graph, DAL_OP_SUB, forth, times(scope, component(scope, left, 1), component(scope, right, 0)));
    }
    return turned ? dal_unary(scope->build->graph, DAL_OP_NEG, product) : product;
}

/* The components in measures. */
dal_value dal_vectors_written_out(dal_equation_scope *scope, const dal_value *value)
{
    combination c;
    dal_value out = *value;
    if (value->n == 1 || !recognise(scope, value, &c))
        return out;
    const atoms list = reduce(scope, &c);
    for (int k = 0; k < value->n; k++) {
        out.node[k] = dal_equation_number(scope, 0);
        for (int i = 0; i < list.n; i++)
            out.node[k] = dal_equation_plus(scope, out.node[k], times(scope, list.item[i].coef, component(scope, &list.item[i], k)));
    }
    return out;
}

/* Two directions of one body: their product is a third. */
static bool cross_in_body(dal_equation_scope *scope, const atoms *a, const atoms *b, dal_value *value)
{
    const dal_vector *v = scope->build->mechanism.vectors;
    if (a->n != 1 || b->n != 1 || a->item->order || b->item->order || a->item->minus >= 0 || b->item->minus >= 0)
        return false;
    const double *s = v[a->item->plus].s, *r = v[b->item->plus].s;
    const int body = v[a->item->plus].body;
    if (v[a->item->plus].point || !is_direction(scope, b->item->plus, body))
        return false;
    const double normal[3] = {s[1] * r[2] - s[2] * r[1], s[2] * r[0] - s[0] * r[2], s[0] * r[1] - s[1] * r[0]};
    const int vector = dal_add_vector(&scope->build->mechanism, body, false, normal);
    const dal_node factor = times(scope, a->item->coef, b->item->coef);
    value->n = 3;
    for (int k = 0; k < 3; k++)
        value->node[k] = times(scope, factor, dal_build_signal(scope->build, (dal_signal){DAL_SIGNAL_VECTOR, vector, k, 0, 0}));
    return true;
}

static void cross_in_space(dal_equation_scope *scope, const dal_value *a, const dal_value *b, dal_value *value)
{
    const dal_value u = dal_vectors_written_out(scope, a), v = dal_vectors_written_out(scope, b);
    value->n = 3;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        value->node[i] = dal_binary(scope->build->graph, DAL_OP_SUB, times(scope, u.node[j], v.node[k]), times(scope, u.node[k], v.node[j]));
    }
}

static dal_node length_of(dal_equation_scope *scope, const atoms *a)
{
    double coef;
    if (a->n == 1 && a->item->minus >= 0 && !a->item->order && dal_is_const(scope->build->graph, a->item->coef, &coef))
        return times(scope, dal_equation_number(scope, fabs(coef)), dal_equation_signal(scope, length_measure(scope, a->item), 0));
    return dal_unary(scope->build->graph, DAL_OP_SQRT, sum_of_products(scope, a, a, dot_atoms));
}

bool dal_vectors_multiply(void *user, dal_vector_function function, int n, const dal_value *v, dal_value *value)
{
    dal_equation_scope *scope = user;
    combination c[2];
    const int needed = function == DAL_VECTOR_NORM ? 1 : 2;
    if (n != needed || v[0].n != dal_equation_dimension(scope) || v[needed - 1].n != v[0].n)
        return false; /* reported by the parser */
    const bool known = recognise(scope, &v[0], &c[0]) && recognise(scope, &v[needed - 1], &c[1]);
    if (!known && function == DAL_VECTOR_CROSS && v[0].n == 3) {
        cross_in_space(scope, &v[0], &v[1], value);
        return true;
    }
    if (!known)
        return false;
    const atoms a = reduce(scope, &c[0]), b = reduce(scope, &c[1]);
    if (function == DAL_VECTOR_NORM)
        *value = dal_equation_scalar(length_of(scope, &a));
    else if (function == DAL_VECTOR_DOT)
        *value = dal_equation_scalar(sum_of_products(scope, &a, &b, dot_atoms));
    else if (v[0].n == 2)
        *value = dal_equation_scalar(sum_of_products(scope, &a, &b, cross_atoms));
    else if (!cross_in_body(scope, &a, &b, value))
        cross_in_space(scope, &v[0], &v[1], value);
    return true;
}

/* What was not recognised: components of single vectors. */
dal_node dal_vectors_by_components(void *user, dal_graph *graph, int variable)
{
    dal_equation_scope *scope = user;
    const dal_signal s = scope->build->signals[variable];
    const atom a = {s.index, -1, s.order, DAL_NO_NODE};
    (void)graph;
    return s.kind == DAL_SIGNAL_VECTOR ? component(scope, &a, s.component) : DAL_NO_NODE;
}
