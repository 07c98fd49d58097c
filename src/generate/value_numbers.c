/* Nodes that are equal whatever the variables are: each is known by its value at three random points, computed exactly in the integers modulo 2^31 - 1.
 *
 *   numbers           a double is a whole number times a power of two, and exact
 *   sine, cosine      a random point of the circle s^2 + c^2 = 1 for each variable; those of sums of angles by the theorems of addition
 *   other functions   random numbers, equal for equal operands: roots, powers and conditions are never simplified
 * So s^2 + c^2 is 1, a sum of squares of direction cosines is 1, and their cross product is the third row: what a derivation leaves of rotations is
 * not computed again. Two nodes that differ agree at one point with a probability of about their degree over 2^31 (Schwartz 1980), at three of them
 * with its cube. Nothing is merged that differs by rounding alone.
 */
#include "generate/listing.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Three primes of 3 modulo 4, so that -1 is no square: the others distinguish numbers that are equal modulo one of them. */
static const uint64_t primes[] = {2147483647, 2147483587, 2147483579};
enum { POINTS = 3, MOST_TURNS = 8 };

typedef struct residue {
    uint32_t at[POINTS];
} residue;

typedef struct circle_point {
    residue c, s;
    bool known;
} circle_point;

typedef struct numbering {
    dal_listing *c;
    dal_graph *g;
    int n;
    dal_node *map;
    residue *value;      /* of each node before */
    circle_point *turn;  /* of each node, as an angle */
    int *table, n_table; /* of nodes by value: 1 + node; 0 is free */
} numbering;

/* ---- arithmetic modulo the prime --------------------------------------------------------- */

static uint32_t multiply(uint32_t a, uint32_t b, int i)
{
    return (uint32_t)((uint64_t)a * b % primes[i]);
}

static uint32_t power(uint32_t a, uint64_t exponent, int i)
{
    uint32_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply(result, a, i);
        a = multiply(a, a, i);
    }
    return result;
}

static residue sum(residue a, residue b)
{
    for (int i = 0; i < POINTS; i++)
        a.at[i] = (uint32_t)(((uint64_t)a.at[i] + b.at[i]) % primes[i]);
    return a;
}

static residue negative(residue a)
{
    for (int i = 0; i < POINTS; i++)
        a.at[i] = a.at[i] ? (uint32_t)(primes[i] - a.at[i]) : 0;
    return a;
}

static residue product(residue a, residue b)
{
    for (int i = 0; i < POINTS; i++)
        a.at[i] = multiply(a.at[i], b.at[i], i);
    return a;
}

static residue inverse(residue a)
{
    for (int i = 0; i < POINTS; i++)
        a.at[i] = power(a.at[i], primes[i] - 2, i);
    return a;
}

static bool has_zero(residue a)
{
    bool zero = false;
    for (int i = 0; i < POINTS; i++)
        zero |= !a.at[i];
    return zero;
}

static bool is_equal(residue a, residue b)
{
    return !memcmp(&a, &b, sizeof a);
}

/* value = mantissa 2^e */
static residue of_number(double value)
{
    int e;
    residue r;
    const double mantissa = frexp(fabs(value), &e);
    const uint64_t whole = (uint64_t)ldexp(mantissa, 53);
    for (int i = 0; i < POINTS; i++) {
        const uint32_t two = e >= 53 ? 2 : (uint32_t)((primes[i] + 1) / 2); /* or its inverse */
        r.at[i] = multiply((uint32_t)(whole % primes[i]), power(two, (uint64_t)(e >= 53 ? e - 53 : 53 - e), i), i);
    }
    return value < 0 ? negative(r) : r;
}

/* ---- random values -------------------------------------------------------------------------- */

/* splitmix64's mixing (G. Steele, D. Lea, C. Flood 2014) */
static uint64_t mix(uint64_t seed, uint64_t more)
{
    uint64_t z = (seed ^ (more + (seed << 6) + (seed >> 2))) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t mix_residue(uint64_t seed, residue a)
{
    for (int i = 0; i < POINTS; i++)
        seed = mix(seed, a.at[i]);
    return seed;
}

static residue by_chance(uint64_t seed)
{
    residue r;
    for (int i = 0; i < POINTS; i++)
        r.at[i] = (uint32_t)(1 + mix(seed, (uint64_t)i) % (primes[i] - 1));
    return r;
}

/* A point of the circle: (1 - t^2, 2 t) / (1 + t^2). -1 is no square modulo the prime, so that 1 + t^2 is not zero. */
static circle_point turn_by_chance(uint64_t seed)
{
    const residue t = by_chance(mix(seed, 77)), one = of_number(1), square = product(t, t), scale = inverse(sum(one, square));
    return (circle_point){product(sum(one, negative(square)), scale), product(sum(t, t), scale), true};
}

static circle_point add_turns(circle_point a, circle_point b)
{
    return (circle_point){sum(product(a.c, b.c), negative(product(a.s, b.s))), sum(product(a.s, b.c), product(a.c, b.s)), true};
}

static circle_point back(circle_point a)
{
    return (circle_point){a.c, negative(a.s), true};
}

/* The sine and cosine of a node as an angle. */
static circle_point turn_of(numbering *s, dal_node node)
{
    const dal_node_view x = dal_node_read(s->g, node);
    double value;
    if (s->turn[node].known)
        return s->turn[node];
    circle_point turn;
    if (x.op == DAL_OP_ADD || x.op == DAL_OP_SUB) {
        const circle_point b = turn_of(s, x.b);
        turn = add_turns(turn_of(s, x.a), x.op == DAL_OP_ADD ? b : back(b));
    } else if (x.op == DAL_OP_NEG)
        turn = back(turn_of(s, x.a));
    else if (x.op == DAL_OP_MUL && dal_is_const(s->g, x.a, &value) && value == floor(value) && fabs(value) <= MOST_TURNS && value != 0) {
        const circle_point one = value < 0 ? back(turn_of(s, x.b)) : turn_of(s, x.b);
        turn = one;
        for (int i = 1; i < (int)fabs(value); i++)
            turn = add_turns(turn, one);
    } else
        turn = turn_by_chance(mix_residue(5, s->value[node]));
    return s->turn[node] = turn;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A function of which nothing is known but that equal operands give equal results. */
static residue opaque(const numbering *s, dal_node node, dal_node_view x)
{
    const dal_node operand[3] = {x.a, x.b, x.c};
    uint64_t seed = mix(99, (uint64_t)x.op);
    for (int k = 0; k < 3; k++)
        seed = operand[k] >= 0 ? mix_residue(seed, s->value[operand[k]]) : mix(seed, 3);
    if (x.op == DAL_OP_INTERP)
        seed = mix(mix(seed, (uint64_t)dal_node_index(s->g, node)), (uint64_t)dal_node_order(s->g, node));
    return by_chance(seed);
}

static residue value_of(numbering *s, dal_node node)
{
    const dal_node_view x = dal_node_read(s->g, node);
    switch (x.op) {
    case DAL_OP_CONST: return isfinite(x.value) ? of_number(x.value) : by_chance(mix(11, (uint64_t)node));
    case DAL_OP_VAR: return by_chance(mix(7, (uint64_t)x.index));
    case DAL_OP_ADD: return sum(s->value[x.a], s->value[x.b]);
    case DAL_OP_SUB: return sum(s->value[x.a], negative(s->value[x.b]));
    case DAL_OP_NEG: return negative(s->value[x.a]);
    case DAL_OP_MUL: return product(s->value[x.a], s->value[x.b]);
    case DAL_OP_DIV: return has_zero(s->value[x.b]) ? opaque(s, node, x) : product(s->value[x.a], inverse(s->value[x.b]));
    case DAL_OP_SIN: return turn_of(s, x.a).s;
    case DAL_OP_COS: return turn_of(s, x.a).c;
    default: return opaque(s, node, x);
    }
}

/* ---- classes ------------------------------------------------------------------------------------ */

/* The place of a value in the table: its node stands there, or none. */
static int *find_number(numbering *s, residue value)
{
    uint64_t at = mix_residue(1, value);
    while (s->table[at % (uint64_t)s->n_table] && !is_equal(s->value[s->table[at % (uint64_t)s->n_table] - 1], value))
        at++;
    return &s->table[at % (uint64_t)s->n_table];
}

static void number(numbering *s, dal_node node)
{
    s->value[node] = value_of(s, node);
    int *same = find_number(s, s->value[node]);
    if (*same) {
        s->map[node] = s->map[*same - 1];
        return;
    }
    *same = 1 + node;
    const int *other = find_number(s, negative(s->value[node]));
    s->map[node] = *other && *other != *same ? dal_unary(s->g, DAL_OP_NEG, s->map[*other - 1]) : dal_rebuild_mapped(s->g, s->map, node);
}

void dal_listing_number(dal_listing *c, int n_roots, dal_node *const *roots, const int *lengths)
{
    dal_const(c->graph, 0);
    dal_const(c->graph, 1);
    dal_const(c->graph, -1);
    numbering s = {.c = c, .g = c->graph, .n = dal_graph_size(c->graph), .n_table = 2 * dal_graph_size(c->graph) + 16};
    s.map = DAL_NEW(c->arena, dal_node, s.n);
    s.value = DAL_NEW(c->arena, residue, s.n);
    s.turn = DAL_NEW(c->arena, circle_point, s.n);
    s.table = DAL_NEW(c->arena, int, s.n_table);
    bool *wanted = DAL_NEW(c->arena, bool, s.n);
    for (int r = 0; r < n_roots; r++)
        for (int i = 0; i < lengths[r]; i++)
            wanted[roots[r][i]] = true;
    for (dal_node node = s.n - 1; node >= 0; node--) {
        dal_node operand[3];
        for (int k = wanted[node] ? dal_node_operands(s.g, node, operand) - 1 : -1; k >= 0; k--)
            wanted[operand[k]] = true;
    }
    for (int pass = 0; pass < 2; pass++) /* constants and variables first: they cost nothing */
        for (dal_node node = 0; node < s.n; node++) {
            const dal_op op = dal_node_op(s.g, node);
            const bool leaf = op == DAL_OP_CONST || op == DAL_OP_VAR;
            if (pass ? !leaf && wanted[node] : leaf)
                number(&s, node);
        }
    for (int r = 0; r < n_roots; r++)
        for (int i = 0; i < lengths[r]; i++)
            roots[r][i] = s.map[roots[r][i]];
}
