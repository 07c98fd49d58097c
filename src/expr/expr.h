/* Expressions: text -> graph -> derivatives -> program -> numbers.
 *
 *   parse.c          text to graph, columns in every message
 *   constant.c       text to a number, where it is a plain one
 *   functions.c      the functions and operators on scalars and vectors
 *   graph.c          hash-consed nodes with constant folding
 *   differentiate.c  graph to graph, to any order
 *   substitute.c     expressions in the place of variables
 *   program.c        many outputs compiled into one tape
 *   evaluate.c       the tape interpreter (kernel: compiled for every dal_real)
 *   table.c          interpolation tables: linear, C1, C2
 *   print.c          a node as text
 *
 * A graph belongs to one compile and lives in its arena. A program is one
 * block without pointers: it may be copied with memcpy into a system.
 */
#ifndef DAL_EXPR_EXPR_H
#define DAL_EXPR_EXPR_H

#include "base/arena.h"
#include "base/message.h"
#include "math/scalar.h"

#include <stdint.h>

/* ---- graph ------------------------------------------------------------ */

typedef struct dal_graph dal_graph;
typedef int32_t dal_node; /* equal numbers mean equal expressions; DAL_NO_NODE: none */
enum { DAL_NO_NODE = -1 };

/* A scalar (n = 1) or a vector (n = 2 or 3) of nodes. */
typedef struct dal_value {
    int n;
    dal_node node[3];
    int unit; /* the result of dal_parser.unit; 0: units are not checked */
} dal_value;

/* clang-format off */
typedef enum dal_op {
    DAL_OP_CONST, /* a number */
    DAL_OP_VAR,   /* variable number `index` */
    DAL_OP_ADD, DAL_OP_SUB, DAL_OP_MUL, DAL_OP_DIV, DAL_OP_POW, DAL_OP_NEG,
    DAL_OP_SIN, DAL_OP_COS, DAL_OP_TAN, DAL_OP_ASIN, DAL_OP_ACOS, DAL_OP_ATAN, DAL_OP_ATAN2,
    DAL_OP_SINH, DAL_OP_COSH, DAL_OP_TANH, DAL_OP_SQRT, DAL_OP_EXP, DAL_OP_LOG,
    /* the switching ones: piecewise smooth, see "switches" */
    DAL_OP_ABS, DAL_OP_SIGN, DAL_OP_MIN, DAL_OP_MAX, DAL_OP_FLOOR, DAL_OP_MOD,
    DAL_OP_LESS,   /* a < b as 1 or 0 */
    DAL_OP_LEQ,    /* a <= b */
    DAL_OP_EQUAL,  /* a == b */
    DAL_OP_SELECT, /* if(a, b, c) */
    DAL_OP_INTERP, /* table `index`, derivative of order `order`, at a */
    DAL_OP_COUNT,  /* of the operations above, which texts have */
    DAL_OP_COPY = DAL_OP_COUNT + 16 /* a as it was computed, with its rounding: of generated code alone (generate/eliminate.c) */
} dal_op;
/* clang-format on */

/* An empty graph. Nodes are shared: the same operation on the same operands is the same node. */
dal_graph *dal_graph_create(dal_arena *arena);
/* A graph that begins with the nodes and tables of another one, under the same numbers. The other one is not changed, and has to outlive it. */
dal_graph *dal_graph_copy(dal_arena *arena, const dal_graph *graph);

/* Nodes, simplified as they are made. */
dal_node dal_const(dal_graph *graph, double value);
dal_node dal_var(dal_graph *graph, int index); /* t is a variable like any other: the caller numbers them */
/* Remember what the user calls a variable; the first name stays. */
void dal_graph_note_name(dal_graph *graph, int variable, const char *name);
dal_node dal_unary(dal_graph *graph, dal_op op, dal_node a);
dal_node dal_binary(dal_graph *graph, dal_op op, dal_node a, dal_node b);
dal_node dal_select(dal_graph *graph, dal_node condition, dal_node yes, dal_node no);
dal_node dal_interp(dal_graph *graph, int table, int order, dal_node x);

/* What a node is. */
dal_op dal_node_op(const dal_graph *graph, dal_node node);
bool dal_is_const(const dal_graph *graph, dal_node node, double *value); /* value may be NULL */
/* All of it. */
typedef struct dal_node_view {
    dal_op op;
    dal_node a, b, c; /* operands, DAL_NO_NODE behind the last */
    int index;        /* VAR: its number */
    double value;     /* CONST */
} dal_node_view;
dal_node_view dal_node_read(const dal_graph *graph, dal_node node);
int dal_node_operands(const dal_graph *graph, dal_node node, dal_node operand[3]); /* how many there are */
int dal_node_index(const dal_graph *graph, dal_node node);                         /* of a variable, or of a table */
int dal_node_order(const dal_graph *graph, dal_node node);                         /* of the derivative, INTERP */
int dal_graph_size(const dal_graph *graph);                                        /* nodes so far; operands precede the nodes that use them */
bool dal_depends(dal_graph *graph, dal_node node, int variable);                   /* does the variable occur in it? */
/* Calls `visit` once for every variable in the expression. */
void dal_each_var(dal_graph *graph, dal_node node, void (*visit)(void *user, int variable), void *user);
/* How often the expression may be differentiated before it is discontinuous: 0 a jump, 1 a corner ..., 1000 smooth. */
int dal_smoothness(dal_graph *graph, dal_node node);

/* Exact derivative by one variable. Switching operations are differentiated piece by piece. */
dal_node dal_diff(dal_graph *graph, dal_node node, int variable);
/* Total derivative: sum over variables i of d(node)/d(i) * rate(i). `rate` returns DAL_NO_NODE for a zero rate. */
dal_node dal_rate(dal_graph *graph, dal_node node, dal_node (*rate)(void *user, dal_graph *graph, int variable), void *user);

/* The expression with by(i) in the place of each variable i; DAL_NO_NODE leaves the variable. */
dal_node dal_substitute(dal_graph *graph, dal_node node, dal_node (*by)(void *user, dal_graph *graph, int variable), void *user);
/* The operation of a node on other operands, DAL_NO_NODE behind the last; a constant or a variable is itself. */
dal_node dal_node_rebuild(dal_graph *graph, dal_node node, dal_node a, dal_node b, dal_node c);

/* The node as text that parses to the same node; `name` gives the names of variables. Arena memory. */
const char *dal_node_print(dal_graph *graph, dal_node node, const char *(*name)(void *user, int variable), void *user);

/* ---- tables ------------------------------------------------------------ */

typedef enum dal_outside { DAL_OUTSIDE_ERROR, DAL_OUTSIDE_HOLD, DAL_OUTSIDE_PERIODIC } dal_outside;

/* Adds a table; x strictly increasing, n >= 2 (n >= 4 for smooth 2; periodic needs y[0] == y[n-1]).
 * smooth: 0 broken line (continuous, with corners), 1 C1 (monotone-safe cubic Hermite), 2 C2 (cubic spline).
 * Returns its index, or -1 with a sentence in `why` (static text). */
int dal_graph_add_table(dal_graph *graph, const char *name, int n, const double *x, const double *y, int smooth, dal_outside outside,
                        const char **why);
/* The tables of a graph, as expr/table.h describes them. */
int dal_graph_tables(const dal_graph *graph);
const struct dal_table *dal_graph_table(const dal_graph *graph, int i);
/* An empty graph gets the tables of another one, under the same numbers. The other one has to outlive it. */
void dal_graph_share_tables(dal_graph *graph, const dal_graph *from);
/* Index of a named table or -1. */
int dal_graph_find_table(const dal_graph *graph, const char *name);
/* Sets a prefix of table names ("left."): texts parsed from now on omit it, and see only tables that have it. NULL: no prefix. Returns the prefix
 * before. */
const char *dal_graph_table_prefix(dal_graph *graph, const char *prefix);

/* ---- parser ------------------------------------------------------------ */

/* What a name means. `name` is the whole path as written, with dots, e.g. "crank.B.x"; the text in braces is
 * already replaced by its number ("rod.{i-1}" arrives as "rod.3"); `primes` counts the primes behind it.
 * Return true and the value, or false: then the parser complains, with `hint` (set to static or arena text) behind it,
 * unless value->n was set to 0: then the reason was reported already. */
typedef bool (*dal_resolve)(void *user, const char *name, int primes, dal_mark mark, dal_value *value, const char **hint);

typedef enum dal_vector_function { DAL_VECTOR_DOT, DAL_VECTOR_CROSS, DAL_VECTOR_NORM } dal_vector_function;

/* An operation of a text that was read: "number", "+", "<", "sin", "[" (a vector), "interp" ... */
typedef struct dal_operation {
    const char *name;
    dal_mark mark;
    int n;
    const dal_value *arguments;
    int table; /* interp: which; its first argument stands for it */
    dal_node result;
} dal_operation;

typedef struct dal_parser {
    dal_graph *graph;
    dal_messages *messages;
    dal_resolve resolve;
    void *user;
    /* May be NULL. Functions of vectors that are more than their components (n arguments; false: apply the function to the components), and the time
     * derivative of an expression in brackets with a prime (false: the reason was reported). */
    bool (*product)(void *user, dal_vector_function function, int n, const dal_value *arguments, dal_value *value);
    bool (*rate)(void *user, dal_mark mark, dal_value *value);
    /* May be NULL. The unit of the result of an operation, from those of its arguments; `resolve` sets the units of names. */
    int (*unit)(void *user, const dal_operation *operation);
} dal_parser;

/* Parse `text` (its first character stands at `mark`). On failure messages were added and false is returned. */
bool dal_parse(const dal_parser *parser, const char *text, dal_mark mark, dal_value *value);
/* The same, but the result has to be a scalar. */
bool dal_parse_scalar(const dal_parser *parser, const char *text, dal_mark mark, dal_node *node);

/* The value of a plain constant expression, equal to that of dal_parse_scalar: numbers, names of numbers, + - * / ^, brackets, functions of one
 * argument. False without a message: the text is of another kind, or faulty; then call dal_parse. */
typedef struct dal_constant_step {
    dal_op op;              /* DAL_OP_CONST, DAL_OP_VAR, or an operation on `operands` results before it */
    int operands, variable; /* VAR */
    double number;          /* CONST */
} dal_constant_step;

/* Such an expression, to be computed again with other values of its names. */
enum { DAL_CONSTANT_STACK = 16 };
typedef struct dal_constant_steps {
    dal_arena *arena;
    int n;
    size_t capacity;
    dal_constant_step *step;
    bool too_high; /* it needs a larger stack: it cannot be run */
} dal_constant_steps;

/* *variable: its number if the value of the name may be another one; it is -1 before the call. */
typedef bool (*dal_resolve_constant)(void *user, const char *name, double *value, int *variable);
/* steps: filled, from its arena; NULL: not wanted. */
bool dal_parse_constant(const char *text, dal_resolve_constant resolve, void *user, dal_constant_steps *steps, double *value);
/* The result of dal_parse_constant for these values of the variables; false: not finite. */
bool dal_constant_run(const dal_constant_steps *constant, const double *variable, double *value);

/* Is `name` a function or constant of the language (sin, t, pi, deg ...)? */
bool dal_is_reserved(const char *name);
/* All of them, ends with NULL: for messages and for the reference page. */
const char *const *dal_function_names(void);

/* ---- program and switches ---------------------------------------------- */

/* A program computes many outputs in one pass, without allocation. It is one block of `bytes` bytes.
 *
 * Every switching operation (abs, sign, min, max, floor, mod, comparisons, select through its condition, knots of
 * tables that are not smooth there) owns a switch: an integer mode. With `modes`, evaluation uses the piece of the mode and extrapolates it beyond
 * its end, so that an integrator sees a smooth function over a whole step. dal_program_modes finds the modes that hold at the present values;
 * dal_program_guards gives, per switch, a number that is positive while its mode holds and changes sign where it ends.
 *
 * The program is in `arena`, which may outlive the graph. */
typedef struct dal_program dal_program;

/* Compiles the outputs into one program; its size in bytes, and its numbers of variables and outputs. */
dal_program *dal_program_build(dal_arena *arena, dal_graph *graph, int n_variables, int n_outputs, const dal_node *outputs);
size_t dal_program_bytes(const dal_program *program);
int dal_program_variables(const dal_program *program);
int dal_program_outputs(const dal_program *program);
int dal_program_registers(const dal_program *program); /* dal_real scratch that evaluation needs */
int dal_program_switches(const dal_program *program);

/* 0, or the 1-based number of the table that was left where `outside: error` forbids it. modes may be NULL. */
#define dal_program_run DAL_K(dal_program_run)
#define dal_program_guards DAL_K(dal_program_guards)
int dal_program_run(const dal_program *program, const dal_real *variables, const int *modes, dal_real *registers, dal_real *outputs);
/* After a run with these modes: the guards. A switch in a branch of `if` that is not chosen has no effect: its guard is 1. */
void dal_program_guards(const dal_program *program, dal_real *registers, const int *modes, double *guards);
/* After a run with modes == NULL: the modes that hold. */
#define dal_program_modes DAL_K(dal_program_modes)
void dal_program_modes(const dal_program *program, const dal_real *registers, int *modes);
/* After a run: which results of instructions do the outputs need? Not 0 for these. Registers are twice as many as constants, loads and results. */
#define dal_program_needed DAL_K(dal_program_needed)
const dal_real *dal_program_needed(const dal_program *program, dal_real *registers);
/* After a run: what each switch compares. Its dal_op, and two numbers; the same one twice where there is one. */
#define dal_program_operands DAL_K(dal_program_operands)
void dal_program_operands(const dal_program *program, const dal_real *registers, int *op, double *a, double *b);
/* May switch i have this mode? */
bool dal_program_mode_exists(const dal_program *program, int i, int mode);
/* What a switch is, for messages: e.g. "x < 1". Text inside the program. */
const char *dal_program_switch_text(const dal_program *program, int i);

#endif
