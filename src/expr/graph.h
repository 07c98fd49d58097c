/* Private to expr: the node records and the tables.
 *
 * Operands always have smaller numbers than the node that uses them, so a graph has no cycles and may be
 * arbitrarily deep: every walk over it uses the explicit stack of the graph, never recursion.
 *
 * All memory comes from the arena of the graph, whose guard has to be set (base/arena.h).
 */
#ifndef DAL_EXPR_GRAPH_H
#define DAL_EXPR_GRAPH_H

#include "expr/expr.h"

#include "expr/table.h"

#include <string.h>

typedef struct dal_term {
    double value;       /* CONST */
    uint64_t variables; /* bit i % 64 is set if variable i may occur */
    dal_node a, b, c;   /* operands, DAL_NO_NODE behind the last */
    int32_t index;      /* VAR: its number; INTERP: the table */
    int16_t op, order;  /* order: of the derivative of INTERP */
    int16_t smooth;     /* dal_smoothness */
    bool steps;         /* constant as long as no mode changes */
    uint32_t stamp;     /* equals graph->stamp: seen in the present walk */
    int32_t slot;       /* what the present walk knows about the node */
} dal_term;

/* Memo of one derivative. */
typedef struct dal_derived {
    dal_node node, result;
    int32_t variable;
} dal_derived;

struct dal_graph {
    dal_arena *arena;
    dal_term *terms;
    int n;
    size_t capacity;
    int32_t *buckets; /* open addressing: node or -1 */
    size_t n_buckets;
    dal_derived *derived; /* open addressing: node -1 is free */
    size_t n_derived, derived_size;
    dal_table *tables;
    int n_tables;
    size_t table_capacity;
    const char *table_prefix; /* stands before the names of tables in texts; NULL: nothing does */
    const char **names;       /* of variables, as the parser met them; for the texts of switches */
    int n_names;
    size_t name_capacity;
    uint32_t stamp;
    dal_node *stack;
    int n_stack;
    size_t stack_capacity;
};

/* splitmix64's finaliser. */
static inline uint64_t dal_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Is the operation a comparison? */
static inline bool dal_is_comparison(int op)
{
    return op == DAL_OP_LESS || op == DAL_OP_LEQ || op == DAL_OP_EQUAL;
}

/* Pushes a node on the stack of the graph. */
static inline void dal_push_node(dal_graph *graph, dal_node node)
{
    *DAL_PUSH(graph->arena, graph->stack, graph->n_stack, graph->stack_capacity) = node;
}

/* The value of an operation on constants; infinite or NaN if there is none. */
double dal_fold_one(dal_op op, double x);
double dal_fold_two(dal_op op, double x, double y);
/* parse.c: `mantissa` characters of digits, the one at `point` perhaps a point, as an integer times 10^exponent. False: not exactly. */
bool dal_read_exactly(const char *digits, size_t point, size_t mantissa, long exponent, double *number);

/* A walk starts: every earlier stamp is out of date. */
void dal_begin_walk(dal_graph *graph);
/* The nodes under `root`, operands first; their number in *n. Arena memory. */
dal_node *dal_collect(dal_graph *graph, dal_node root, int *n);
/* Rebuilds a graph, operands first. `by` returns the replacement of a variable; DAL_NO_NODE means `otherwise`, or the variable itself if that is
 * DAL_NO_NODE. `make` returns the replacement of any other node from those of its operands. */
dal_node dal_rewrite(dal_graph *graph, dal_node node, dal_node (*by)(void *user, dal_graph *graph, int variable), void *user, dal_node otherwise,
                     dal_node (*make)(dal_graph *graph, dal_node node, dal_node a, dal_node b, dal_node c));

/* Has the variable a noted name? */
static inline bool dal_graph_has_name(const dal_graph *graph, int variable)
{
    return variable < graph->n_names && graph->names[variable];
}

/* At most `limit` characters, then "..."; name NULL: the noted names. */
const char *dal_print_limited(dal_graph *graph, dal_node node, const char *(*name)(void *user, int variable), void *user, size_t limit);

/* The fewest digits that read back as the same double, with a point in every locale. */
void dal_print_number(double value, char buffer[32]);

/* ---- functions and operators on scalars and vectors (functions.c) ------- */

typedef struct dal_function {
    const char *name;
    int minimum, maximum; /* number of arguments; maximum 0: any number */
    int op;               /* a dal_op, or one of the following */
} dal_function;

enum { DAL_FUNCTION_DOT = DAL_OP_COUNT, DAL_FUNCTION_CROSS, DAL_FUNCTION_NORM }; /* as dal_vector_function */

/* NULL: there is none of that name. */
const dal_function *dal_function_find(const char *name);
/* " (did you mean 'x'?)" for a function that does not exist, or "". */
const char *dal_nearest_function(const char *name, char buffer[96]);

typedef char dal_sentence[256];

/* Apply; false with the reason and the culprit (argument number, or -1 for the call as a whole). */
bool dal_apply_function(dal_graph *graph, const dal_function *function, int n, const dal_value *arguments, dal_value *result, int *culprit,
                        dal_sentence why);
/* op: one of + - * / ^ < > and l (<=) g (>=) = (==) ! (!=). Culprit 1: the right operand alone is at fault. */
bool dal_apply_operator(dal_graph *graph, char op, const dal_value *a, const dal_value *b, dal_value *result, int *culprit, dal_sentence why);
dal_value dal_negative(dal_graph *graph, const dal_value *a);

#endif
