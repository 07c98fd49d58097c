/* C code of one model: functions from the graph of its equations, straight-line except for long chains.
 *
 *   translate.c    the graph of the derivation with numbers folded and linear systems eliminated
 *   eliminate.c    L D L^T and L U on nodes, in an order that is chosen here
 *   code_of_equations.c  accelerations, rows, energies and outputs of every formulation
 *   value_numbers.c nodes that are equal by an identity are one
 *   collect_sums.c like terms of sums taken together
 *   run_rates.c    y' of a run: what the integrator sees
 *   switches.c     operations with pieces, and their modes
 *   listing.c      variables, and the nodes of all functions, simplified
 *   function_parts.c  statements and parts of a function
 *   emit.c         nodes as C
 *   rolled_loops.c equal links of a long chain as a loop
 *   code_texts.c   what is printed as it stands: sines and cosines, lanes, tables
 *   escape.c       the one way from a text of the model into the file
 *   model_file.c   the C file, its header and its self-test
 */
#ifndef DAL_GENERATE_GENERATE_H
#define DAL_GENERATE_GENERATE_H

#include "derive/derive.h"
#include "derive/write.h"

typedef struct dal_generate_options {
    const char *prefix;        /* of all names; an identifier */
    bool struct_of_parameters; /* parameters are an argument; otherwise they are fixed */
    const bool *fixed;         /* of each parameter of the description: it is fixed in any case. NULL: none is */
    int lanes;                 /* 0, 4 or 8 */
    bool jacobians;
    /* For a run: the file has one function, prefix_rates(t, q, w, inputs, parameters, modes, wd, qd, zd, power), which is y' of y = (q, w, z, works): v'
     * or u', q', the rates of the model's own states, and the powers of the islands. No header, no test. */
    bool rates;
    /* For rollouts: accelerations, q' and methods of a fixed step, of one copy and of lanes. The source holds its header. No test. */
    bool rollout;
    double alpha, beta; /* of both: phi'' + alpha phi' + beta phi = 0 holds for the rows instead of phi'' = 0 */
} dal_generate_options;

/* What the code is to be tested with: a state, and what the engine finds there. */
typedef struct dal_reference_state {
    double t;
    const double *q, *v, *inputs; /* inputs: with the model's own states behind them */
    const double *vd;
    const double *u, *momenta; /* speeds, constant momenta; NULL: not known */
    double scale;              /* of vd: differences are measured by it */
    double T, V;
} dal_reference_state;

/* Sizes and names of generated code, and the two files. Arena memory. */
typedef struct dal_generated {
    int nq, nv, n_rows, n_inputs, n_parameters, n_speeds, n_outputs;
    int operations; /* of one evaluation of the accelerations */
    const char *const *input_names;
    const char *source, *header;
    bool rolled;         /* equal links are loops in it */
    const char *missing; /* what could not be written, as the end of a sentence; NULL: nothing */
    int n_switches;      /* operations with pieces */
    struct dal_listing *listing;
} dal_generated;

/* Can code be made of it? False, with a message. */
bool dal_generates(const dal_derivation *d, const dal_generate_options *options, dal_messages *messages);

/* The derivation has to have been made with `whole_systems`. The first reference state is where orders of elimination are chosen; the others (all)
 * go into the self-test. Into the arena of the derivation, whose guard has to be set. */
const dal_generated *dal_generate(dal_derivation *d, const dal_generate_options *options, int n_references, const dal_reference_state *references);

/* Values of accelerations by the graph of the code, without a compiler: for the parameters given in the order of the struct (NULL: those of the
 * model). */
typedef struct dal_listing dal_listing;
dal_listing *dal_listing_build(dal_derivation *d, const dal_generate_options *options, const dal_reference_state *reference);
bool dal_listing_accelerations(dal_listing *code, const dal_reference_state *at, const double *parameters, double *vd);
/* What each operation with pieces compares, at a state: its dal_op, and two numbers (the same one twice where there is one). */
void dal_listing_operands(dal_listing *code, const dal_reference_state *at, int *op, double *a, double *b);
/* Of the struct: how many, and which parameter of the description each one is. */
int dal_listing_parameters(const dal_listing *code, const int **parameter);

/* ---- escape.c: texts of the model -------------------------------------------------------- */

/* An identifier of C: letters, digits and _; no word of C, and none of `taken` (which may be NULL). */
const char *dal_c_identifier(dal_arena *arena, const char *text, int n_taken, const char *const *taken);
/* What may stand in a comment: one line, no end of comment, nothing that a compiler reads. */
const char *dal_c_comment(dal_arena *arena, const char *text);
/* What may stand between quotes. */
const char *dal_c_string(dal_arena *arena, const char *text);
/* The shortest constant of this value. */
const char *dal_c_number(dal_arena *arena, double value);

#endif
