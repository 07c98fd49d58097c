/* Equations of a model as functions f of one parameter p, at a held point (t, q, v, z, u, v', lambda):
 *     r = M v' + h - Q - A^T lambda,   phi,   phi',   phi'',   z',   the start (q, v, z)
 *
 *   parameter_samples.c       f at another value of p: the model is compiled for it
 *   parameter_symbols.c       all but the start from the equations in symbols: df/dp exactly
 *   parameter_start.c         the start: from the rows and from what changes in proportion, or from the rules of assembly:
 *   start_rules.c, start_proof.c  these in symbols, and where they hold
 *   parameter_derivatives.c   df/dp from samples by extrapolation; from df/dp the derivatives of v' and lambda
 */
#ifndef DAL_ANALYSIS_PARAMETER_EQUATIONS_H
#define DAL_ANALYSIS_PARAMETER_EQUATIONS_H

#include "base/arena.h"
#include "dalembert/spec.h"
#include "dalembert/system.h"
#include "state/evaluate.h"

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
    bool refused;             /* the model is refused beside the value */
    bool no_memory;           /* for a model beside the value, or for the symbols */
    bool at_start;            /* the point is the start of the model: rows are asked for alone, with the rules of assembly */
    char why[256];            /* there is no derivative in symbols */
} dal_parameter_equations;

/* Sizes and units. */
void dal_parameter_equations_begin(dal_parameter_equations *x, dal_arena *arena, dal_state *state, const dal_spec *spec, int number);
/* The model compiled for another value. */
typedef struct dal_parameter_twin {
    dal_system *system;
    dal_state *state;
} dal_parameter_twin;
/* False: x says why, and there is none. */
bool dal_parameter_twin_open(dal_parameter_equations *x, double p, dal_parameter_twin *twin);
void dal_parameter_twin_close(dal_parameter_twin *twin);
/* f of it without the start, at the held point. False: it cannot be evaluated there. */
bool dal_parameter_twin_measure(dal_parameter_equations *x, const dal_parameter_twin *twin, double *f);
/* All of f at another value, by a twin of its own; false: x says why. */
bool dal_parameter_sample(dal_parameter_equations *x, double p, double *f);
/* The start alone, of a state that is there. */
dal_flow dal_parameter_measure_start(const dal_parameter_equations *x, dal_state *varied, double *f);
/* Values of p on both sides, far off first, so that what changes is seen. */
enum { DAL_PARAMETER_TRIALS = 12 };
double dal_parameter_trial(const dal_parameter_equations *x, int i);
/* What a small value does may be less than rounding: models for values in proportion to it prove nothing where nothing is seen to change. Then values
 * that are far off count, as if it were zero. They may have no model: the structure is that of the models nearby. */
bool dal_parameter_is_small(const dal_parameter_equations *x);
double dal_parameter_far_trial(const dal_parameter_equations *x, int i);
/* Is a part of f seen to differ? */
bool dal_parameter_part_differs(const dal_parameter_equations *x, dal_parameter_part which, const double *f, const double *g);
typedef struct dal_parameter_verdict {
    bool structure, refused;
} dal_parameter_verdict;
dal_parameter_verdict dal_parameter_keep(const dal_parameter_equations *x);
void dal_parameter_forgive(dal_parameter_equations *x, dal_parameter_verdict kept);
/* f without the start, of the state as it was evaluated last. */
void dal_parameter_measure(dal_parameter_equations *x, dal_state *state, double *f);

/* df/dp of all but the start, from the symbols of the model. What was derived stays with the state for the next call. */
typedef enum dal_symbol_answer {
    DAL_SYMBOLS_EXACT,
    DAL_SYMBOLS_CORNER, /* the parameter moves an expression that is at a corner */
    DAL_SYMBOLS_NONE    /* not written in symbols, or the symbols do not follow the parameter as compile does: x->structure may say why */
} dal_symbol_answer;
dal_symbol_answer dal_parameter_symbols(dal_parameter_equations *x, double *df);

/* The start by p: dq along velocities and dv (nv each), dz. */
typedef struct dal_start_slopes {
    double *dq, *dv, *dz;
    double error; /* relative: of rounding */
} dal_start_slopes;
/* Changes of q (nq) at the start as those along velocities (nv). False: no memory. */
bool dal_parameter_along_velocities(dal_arena *arena, dal_state *start, const double *dq, double *out);
/* `start`: a new state of the system. False: it is not determined by the rows and by linear start values; x->why says more. */
bool dal_parameter_start(dal_parameter_equations *x, const dal_spec *spec, dal_state *start, dal_start_slopes *out);

#endif
