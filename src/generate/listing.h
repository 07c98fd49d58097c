/* Shared by the files of generate/: the graph of the code, and its functions.
 *
 * The graph of a derivation becomes another one, in which nothing is left to be solved: numbers (and parameters that are fixed) are constants and
 * fold, a linear system is the nodes of its elimination in a fixed order, and zeros are not there. Each function of the code is a list of nodes.
 */
#ifndef DAL_GENERATE_LISTING_H
#define DAL_GENERATE_LISTING_H

#include "derive/nodes.h"
#include "generate/generate.h"

/* An array of the generated function, in the order of the variables of the graph. */
typedef enum dal_listing_array {
    DAL_ARRAY_TIME,
    DAL_ARRAY_Q,
    DAL_ARRAY_V,
    DAL_ARRAY_INPUTS,
    DAL_ARRAY_PARAMETERS,
    DAL_ARRAY_SPEEDS,
    DAL_ARRAY_COUNT
} dal_listing_array;

/* A pivot: |pivot| > share |size|, or the factorisation is not to be trusted. */
typedef struct dal_guard_pair {
    dal_node pivot, size;
    double share;
} dal_guard_pair;

/* An operation that has pieces: its mode is the number of the active one, as in expr/evaluate.c. */
typedef struct dal_listing_switch {
    dal_op op; /* SIGN, FLOOR, LESS, LEQ, EQUAL or INTERP */
    dal_node a, b;
    int table, knots; /* INTERP */
} dal_listing_switch;

/* Results that one function writes to one array. */
typedef struct dal_listing_result {
    const char *array;
    int n;
    const dal_node *nodes;
} dal_listing_result;

typedef struct dal_listing {
    dal_derivation *d;
    dal_arena *arena;
    dal_graph *graph;
    const dal_generate_options *options;
    int first[DAL_ARRAY_COUNT + 1]; /* variables of each array */
    double *reference;              /* a value for each variable: where orders of elimination are chosen */
    int n_extra;                    /* inputs, states, momenta: what the array `inputs` holds */
    const char **extra;             /* their names */
    int n_parameters, *parameter;   /* letters of the parameters that are variables */
    const char **parameter_names;   /* identifiers */

    int n_guards;
    size_t cap_guards;
    dal_guard_pair *guards;

    int n_switches, n_switched;
    size_t cap_switches;
    dal_listing_switch *switches;
    int *switch_of; /* of each of the first n_switched nodes: its switch, or -1 */
    bool frozen;    /* functions that are printed now take modes */
    bool rolled;    /* a function of it has loops: shorter ones may have them too */

    dal_node *vd, *lambda; /* of accelerations */
    dal_node *ud, *uv;     /* of speed rates: u' and v; NULL: no speeds */
    dal_node *qd;
    dal_node energy[2]; /* T, V */
    dal_node *phi, *phid;
    int n_outputs;
    const char **output_names;
    dal_node *outputs;
    dal_node *jacobian; /* nv x (nq + nv): v' by q and v; NULL: not asked for */
    int n_works;
    dal_node *zd, *power; /* of a run: rates of the model's own states, powers of the islands */
    const char *missing;  /* what is not written in symbols; NULL: nothing */
} dal_listing;

/* How letters of the derivation are seen: one node each, or DAL_NO_NODE. */
typedef struct dal_translation {
    dal_listing *code;
    dal_node *letter;
    dal_node *map;      /* of each node of the derivation, as far as it is known */
    int *wanted, depth; /* at which depth each node is wanted */
    bool *solved;       /* named systems */
    int n_map, n_letters, n_systems;
} dal_translation;

/* Nodes of the code: sum, difference, product, and a test for zero. */
static inline dal_node dal_c_add(dal_listing *c, dal_node a, dal_node b)
{
    return dal_binary(c->graph, DAL_OP_ADD, a, b);
}

/* a - b */
static inline dal_node dal_c_sub(dal_listing *c, dal_node a, dal_node b)
{
    return dal_binary(c->graph, DAL_OP_SUB, a, b);
}

/* a b */
static inline dal_node dal_c_mul(dal_listing *c, dal_node a, dal_node b)
{
    return dal_binary(c->graph, DAL_OP_MUL, a, b);
}

/* Is the node the constant zero? */
static inline bool dal_c_is_zero(const dal_listing *c, dal_node node)
{
    double value;
    return dal_is_const(c->graph, node, &value) && value == 0;
}

/* The node on the nodes that map[] has for its operands; itself if they are the same. */
static inline dal_node dal_rebuild_mapped(dal_graph *graph, const dal_node *map, dal_node node)
{
    const dal_node_view x = dal_node_read(graph, node);
    const dal_node a = x.a >= 0 ? map[x.a] : DAL_NO_NODE, b = x.b >= 0 ? map[x.b] : DAL_NO_NODE, c = x.c >= 0 ? map[x.c] : DAL_NO_NODE;
    return a == x.a && b == x.b && c == x.c ? node : dal_node_rebuild(graph, node, a, b, c);
}

/* ---- translate.c --------------------------------------------------------------- */

/* Letters as a function of (t, q, v, inputs, parameters) sees them. */
dal_translation dal_translation_begin(dal_listing *code);
/* Nodes of the derivation as nodes of the code. */
void dal_translate(dal_translation *t, int n, const dal_node *from, dal_node *to);

/* ---- eliminate.c ----------------------------------------------------------------- */

/* x of `matrix x = right`. Symmetric ones by L D L^T in the order of least fill, others by L U with pivots that are large at the reference. `later`:
 * of each unknown, the unknowns that have to be eliminated before it are those of a smaller number here, as far as they share an entry with it; NULL:
 * any order. */
void dal_eliminate(dal_listing *code, int n, const dal_node *matrix, const dal_node *right, const int *later, dal_node *x);
/* Values at the reference. */
void dal_listing_values(dal_listing *code, int n, const dal_node *nodes, double *values);

/* ---- code_of_equations.c ------------------------------------------------------------------ */

/* vd, lambda, ud, uv and the others, from the equations of the formulation. */
void dal_listing_equations(dal_listing *code);
dal_node *dal_listing_zeros(dal_listing *code, int n);
/* Are multipliers among the results? */
bool dal_listing_multiplies(const dal_listing *code);

/* ---- collect_sums.c ---------------------------------------------------------------- */

/* Sums of these nodes, and of all that they are made of, with like terms taken together. */
void dal_listing_collect(dal_listing *code, int n_roots, dal_node *const *roots, const int *lengths);

/* ---- value_numbers.c ---------------------------------------------------------------- */

/* Nodes that are equal for all values of the variables become one. */
void dal_listing_number(dal_listing *code, int n_roots, dal_node *const *roots, const int *lengths);

/* ---- run_rates.c ------------------------------------------------------------------ */

/* gamma of a row as it is stabilised. */
dal_node dal_stabilised_gamma(dal_listing *code, dal_translation *t, int row);
/* q', zd and power, as `t` sees velocities; behind the accelerations. */
void dal_listing_run(dal_listing *code, dal_translation *t);

/* ---- listing.c -------------------------------------------------------------------- */

/* Values of the variables at a state. */
void dal_listing_set_reference(dal_listing *code, const dal_reference_state *at, double *x, const double *parameters);

/* ---- switches.c ------------------------------------------------------------------- */

/* The switches that these results need: they are numbered. */
void dal_listing_find_switches(dal_listing *code, int n_results, const dal_listing_result *results);
/* The switch of a node, or -1. */
int dal_listing_switch_of(const dal_listing *code, dal_node node);

/* ---- emit.c -------------------------------------------------------------------------- */

/* Parameters of a function: (t, q, v or u, inputs, parameters) and its results. */
const char *dal_emit_arguments(dal_listing *code, bool header, bool wide, const char *state, int n_results, const dal_listing_result *results);
/* A function of the C file: its parts, and itself. `state`: "v" or "u"; `wide`: on lanes. Returns how many operations it has. */
int dal_emit_function(dal_growing *out, dal_listing *code, const char *name, const char *state, int n_results, const dal_listing_result *results,
                      bool guarded, bool wide);
/* The tables of the graph, as far as they are used. */
void dal_emit_tables(dal_growing *out, dal_listing *code);

/* ---- code_texts.c -------------------------------------------------------------------- */

extern const char dal_text_order[], dal_text_sincos[], dal_text_four_sines[], dal_text_lanes[], dal_text_lane_sines[], dal_text_table[],
    dal_text_guards[], dal_text_loops[];
/* What an operation with pieces is computed by: the text of its function, or NULL. */
const char *dal_text_switch(dal_op op);

#endif
