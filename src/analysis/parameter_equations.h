/* Equations of a model as functions f of one parameter p, at a held point (t, q, v, z, u, v', lambda):
 *     r = M v' + h - Q - A^T lambda,   phi,   phi',   phi'',   z',   the start (q, v, z)
 *
 *   parameter_samples.c       f at another value of p: the model is compiled for it
 *   parameter_symbols.c       all but the start from the equations in symbols: df/dp exactly
 *   parameter_derivatives.c   df/dp from samples by extrapolation; from df/dp the derivatives of v' and lambda
 */
#ifndef DAL_ANALYSIS_PARAMETER_EQUATIONS_H
#define DAL_ANALYSIS_PARAMETER_EQUATIONS_H

#include "base/arena.h"
#include "dalembert/spec.h"
#include "dalembert/system.h"

/* Parts of f, each with an error of its own. */
typedef enum dal_parameter_part {
    DAL_PART_R,
    DAL_PART_PHI,
    DAL_PART_PHID,
    DAL_PART_PHIDD,
    DAL_PART_ZD,
    DAL_PART_START_Q, /* from here on: the start */
    DAL_PART_START_V,
    DAL_PART_START_Z,
    DAL_PARTS
} dal_parameter_part;

typedef struct dal_parameter_equations {
    dal_arena *arena;
    dal_state *state;
    const char *name;
    int number; /* of the parameter in the description */
    double p;
    const double *vd, *lambda;
    int first[DAL_PARTS + 1]; /* where each part of f begins */
    double *unit;             /* of each number of f */
    double size[DAL_PARTS];   /* of the terms that it is summed from, in units */
    double *pull;             /* nv */
    bool shapes;              /* the reader itself uses the parameter: in counts, tables, blocks */
    bool structure;           /* it changes the structure */
    bool refused;             /* the model is refused near the value */
    char why[256];            /* there is no derivative in symbols */
} dal_parameter_equations;

/* Sizes and units. */
void dal_parameter_equations_begin(dal_parameter_equations *x, dal_arena *arena, dal_state *state, const dal_spec *spec, int number);
/* The model compiled for another value. */
typedef struct dal_parameter_twin {
    dal_system *system;
    dal_state *state;
} dal_parameter_twin;
/* False: x has the reason, and there is no model. */
bool dal_parameter_twin_open(dal_parameter_equations *x, double p, dal_parameter_twin *twin);
void dal_parameter_twin_close(dal_parameter_twin *twin);
/* f of it without the start, at the held point. False: it cannot be evaluated there. */
bool dal_parameter_twin_measure(dal_parameter_equations *x, const dal_parameter_twin *twin, double *f);
/* All of f at another value, by its own twin; false: x has the reason. */
bool dal_parameter_sample(dal_parameter_equations *x, double p, double *f);
/* f without the start, from the last evaluation of the state. */
void dal_parameter_measure(dal_parameter_equations *x, dal_state *state, double *f);

/* df/dp of all but the start, from the symbols of the model. The derivation stays with the state for the next call. */
typedef enum dal_symbol_answer {
    DAL_SYMBOLS_EXACT,
    DAL_SYMBOLS_CORNER, /* the parameter moves an expression that is at a corner */
    DAL_SYMBOLS_NONE    /* there are no symbols, or they do not follow the parameter as compile does: x->structure may have the reason */
} dal_symbol_answer;
dal_symbol_answer dal_parameter_symbols(dal_parameter_equations *x, double *df);

#endif
