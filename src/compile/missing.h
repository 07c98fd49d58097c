/* Derives the missing constraint: the balance of forces along directions without inertia.
 *
 * Along a direction n without inertia that no constraint holds, M n = 0 and A n = 0, the equation of motion has no acceleration in it:
 *     n . (Q - h) = 0,   and n . h = 0, because no body with a mass moves along n
 * (cases 5.2 and 5.3 of `udwadia-phohomsiri`). It is one more constraint, between positions where Q holds no rates, else between
 * velocities. Its multiplier is zero: with its rows D beside A, n . (M v' + h - Q) = n . D^T lambda, whose left side vanishes where it holds.
 * It is written as a text of the model language for each direction, and compiled as if the model had it.
 *
 *   missing.c             the sum of the forces along a direction, and its verdict
 *   missing_directions.c  which directions there are
 *   missing_motion.c      what moves along one
 *   missing_symbols.c     expressions of the model with names
 *   missing_sum.c         sums in a normal form, and their texts
 */
#ifndef DAL_COMPILE_MISSING_H
#define DAL_COMPILE_MISSING_H

#include "compile/build.h"

/* ---- what is derived -------------------------------------------------------------------------- */

typedef struct dal_condition {
    const char *name;     /* of the constraint: "balance" */
    const char *text;     /* what is zero */
    const char *equation; /* "k1*x1 = k2*q2" */
    bool rates;           /* between velocities */
} dal_condition;

typedef struct dal_derivation {
    dal_arena arena;
    int n;
    dal_condition *condition;
    const char *verdict; /* why nothing can be derived; NULL: nothing has to be, or `condition` is it */
    dal_mark mark;       /* of the verdict */
} dal_derivation;

/* Of a model whose accelerations are not determined. n = 0 and no verdict: they are, or the model has other faults. */
dal_status dal_derive(const dal_allocator *allocator, const dal_spec *spec, dal_derivation *out);
void dal_derivation_release(dal_derivation *derivation);
/* `name: {position: ...}`: a line of `constraints:`. */
const char *dal_condition_line(dal_arena *arena, const dal_condition *condition);

/* During a compile, at the state of the start: fills build->derivation. */
void dal_build_derive(dal_build *build, dal_state *state);

/* ---- expressions with names -------------------------------------------------------------------- */

enum { DAL_SYMBOLIC_FIRST = 0 }; /* number of the first variable of a symbolic expression; those of the build do not occur in it */

typedef enum dal_symbolic_kind {
    DAL_SYMBOLIC_NUMBER, /* a parameter, or a component of a point of the ground */
    DAL_SYMBOLIC_TIME,
    DAL_SYMBOLIC_POSITION,
    DAL_SYMBOLIC_RATE,
    DAL_SYMBOLIC_OTHER /* a state, an input */
} dal_symbolic_kind;

typedef struct dal_symbolic_variable {
    const char *name; /* as an expression of the model writes it */
    dal_symbolic_kind kind;
    double number; /* NUMBER */
    dal_node node; /* its meaning in the graph of the build; NUMBER: none */
} dal_symbolic_variable;

typedef struct dal_symbolic {
    dal_build *build;
    dal_arena *arena;
    dal_graph *graph; /* its own */
    dal_graph *plain; /* of the build */
    int n;
    size_t capacity;
    dal_symbolic_variable *variable;
    dal_node *frame; /* 12 a body, of a model with coordinates of its own; else NULL */
    int depth;       /* named expressions inside one another */
    bool spread;     /* multiples of sums are multiplied out */
} dal_symbolic;

/* Starts reading expressions with names; then a variable of a kind, made when it is first used. */
dal_symbolic *dal_symbolic_begin(dal_build *build);
dal_node dal_symbolic_variable_of(dal_symbolic *s, dal_symbolic_kind kind, const char *name, double number, dal_node node);
/* A text of the model, with the names of its parameters. False: it cannot be read so. */
bool dal_symbolic_parse(dal_symbolic *s, const dal_binding *binding, dal_text text, dal_node *node);
/* A channel of the model by its full name; its rate with one prime. */
bool dal_symbolic_channel(dal_symbolic *s, const char *name, dal_node *node);
/* Coordinate i of the model's own as a variable; -1: none. */
int dal_symbolic_coordinate(dal_symbolic *s, int i);
/* x, y, z of a material point; `name` as in `connect:`, or NULL. */
void dal_symbolic_point(dal_symbolic *s, const dal_marker *marker, const char *name, dal_node out[3]);
/* A direction that is fixed in a body, or in the ground. */
void dal_symbolic_direction(dal_symbolic *s, int body, const double axis[3], dal_node out[3]);
/* d/dt of an expression in coordinates of the model's own and time. */
dal_node dal_symbolic_rate(dal_symbolic *s, dal_node node);
/* Parameters as numbers. */
dal_node dal_symbolic_numbers(dal_symbolic *s, dal_node node);
/* The variable of this kind in a node, or NULL. */
const dal_symbolic_variable *dal_symbolic_holds(dal_symbolic *s, dal_node node, dal_symbolic_kind kind);

typedef struct dal_condition_text {
    const char *text, *equation;
} dal_condition_text;
/* What cancels is gone; the first multiplies numbers out. */
dal_node dal_symbolic_simplify(dal_symbolic *s, dal_node node);
dal_node dal_symbolic_collect(dal_symbolic *s, dal_node node);
dal_condition_text dal_symbolic_print(dal_symbolic *s, dal_node node);

/* ---- directions -------------------------------------------------------------------------------- */

/* Some bodies move together: they shift along an axis, or turn about one. */
typedef struct dal_move {
    double factor;
    bool *moved; /* of bodies */
    bool turns;
    int axis_body; /* in which the axis is fixed, or the ground */
    double axis[3];
    dal_marker hub; /* turns: a point on the axis */
    const char *hub_name;
    struct dal_move *next; /* and also */
} dal_move;

typedef struct dal_massless {
    double *v;        /* the direction at the start, in velocities of the deriving compile */
    double *own;      /* of a model with coordinates of its own: the same in every position; else NULL */
    dal_move *move;   /* else */
    double *twist;    /* 6 a body: its shift and turn at the start */
    double *measured; /* of measures: their change */
} dal_massless;

/* Directions without inertia that nothing holds, as many as there are; false with a verdict. */
bool dal_massless_find(dal_build *build, dal_state *state, int *n, dal_massless **list);
/* Rows of a null space, reduced: the first entry of each is one, and the others have zeros there. Whole numbers are exact. */
void dal_reduce_rows(int n, int m, double *rows);
/* The sum of multiples of directions. */
dal_massless dal_massless_combine(dal_build *build, int n, const dal_massless *list, const double *factor);
/* The change of a material point along a direction, and the turn of a body. */
void dal_massless_shift(dal_symbolic *s, const dal_massless *n, const dal_marker *marker, const char *name, dal_node out[3]);
bool dal_massless_turn(dal_symbolic *s, const dal_massless *n, int body, dal_node out[3]);
/* How fast the forces along directions change with the velocities along them: n x n, of directions over their sizes. */
void dal_massless_damping(dal_build *build, dal_state *state, int n, const dal_massless *list, double *R, double *size);
/* "the position of 'node'" */
const char *dal_massless_names(dal_build *build, const dal_massless *n, dal_mark *mark);

/* Ends a derivation with a verdict: a sentence about the element at `mark`. */
void dal_derive_fail(dal_build *build, dal_mark mark, const char *format, ...) DAL_PRINTF(3, 4);

#endif
