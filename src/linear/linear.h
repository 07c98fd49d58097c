/* Small motions: the map of the files, and the data of a linearisation while it is made.
 *
 *   equilibria.c       the results for equilibria and steady motions; equilibria from many starts (the search: start/settle_parts.h)
 *   steady.c           the search for steady motions; steady_parts.h: the map of its files; fields.c: motions that keep the shape
 *   candidates.c       which coordinates describe the small motions
 *   linearize.c        the call; linear_point.c: compiles the model and goes to the point
 *   linear_later.c     is A the same at a later point of the motion?
 *   linear_matrix.c    A, from the derivatives of the accelerations (start/point.h); inputs_outputs.c: B, C, D
 *   structure.c        poles, zeros, controllability, observability; zeros.c: zeros of one input and one output
 *   corners.c          outputs and forces without a derivative
 *   modes.c            eigenvalues and shapes; balance.c: units for them; multiple.c: equal eigenvalues; campbell.c: over a parameter
 *   shifted_circle.c   modes that oscillate only as seen from a turning frame
 *   response.c         the frequency response
 *   print_*.c          text, JSON, CSV, pictures
 */
#ifndef DAL_LINEAR_LINEAR_H
#define DAL_LINEAR_LINEAR_H

#include "base/message.h"
#include "start/point.h"
#include "linear/steady.h"
#include "start/settle.h"

/* A channel that may be a state. Its value, rate and acceleration are recorded columns of the system. */
typedef struct dal_candidate {
    const char *name;
    const char *text[3];            /* of the channel, its rate and its acceleration */
    int column, rate, acceleration; /* their numbers */
    int body;                       /* whose attitude it is part of, or -1 */
    int axis;                       /* which axis of that body it is a component of, or a turn about */
    int about;                      /* a turn: the axis of the world that is nearest to that one; -1: a component */
    bool asked;                     /* requested by --states */
    bool useless;                   /* a turn that the body does not make here, or that another candidate describes */
    bool inclined;                  /* a turn about an axis that is inclined to that of the frame */
} dal_candidate;

typedef struct dal_linear {
    dal_arena arena;
    const dal_spec *spec;
    const dal_linear_options *options;
    dal_messages *messages;
    dal_system *bare, *system; /* of the spec; of the spec with the columns of the candidates and outputs */
    dal_state *state;
    dal_point point;
    int n_candidates;
    dal_candidate *candidates;
    int n_x;                  /* directions: positions, velocities, states of the model */
    double *columns, *states; /* along the directions: derivatives of recorded columns, and of z'; a row of n_x numbers each */
    double *values;           /* the columns themselves, then z' */
    int *chosen, *moving;     /* candidates that are positions of x; of each: the number of its rate in x, or -1 */
    double *G, *F;            /* n_x square: x = G xi, x' = F xi along the directions xi */
    double *lu;               /* of G^T */
    int *pivot;
    dal_steady_motion steady; /* where the point is a steady motion: the motion and its state */
    double *steady_q, *steady_v, *steady_z;
    int *steady_chart;
    double pace;                /* 1/s: the largest of the given rates, in lengths and radians */
    bool descends;              /* the search for a steady motion prefers one that is stable at given rates */
    bool *inclined;             /* 3 a body: the axis is inclined to that of the frame */
    const uint64_t *seed;       /* an equilibrium is searched from a random position; NULL: from the start of the model */
    bool held;                  /* the start of the model is taken, where dry friction holds it */
    bool here;                  /* only the point is needed */
    const char *singular;       /* a constraint that depends on others at the point and not nearby, or NULL */
    bool *corner;               /* of each output column: it has no derivative here (|s|, sqrt(s) at s = 0; asin(s) at s = 1; a length of zero) */
    bool *edge;                 /* and is at the edge of its domain (sqrt, asin, acos) */
    struct dal_program **alone; /* a program that computes this column alone */
    double *signals;            /* what the columns read, then how it changes */
    void *room;                 /* scratch of the programs */
    const char *rough;          /* a force, or the rate of a state, that has no derivative here, or NULL */
    bool absolute;              /* in coordinates of the bodies: for reactions, or because the model is large */
    dal_linearization *out;
} dal_linear;

/* ---- candidates.c ------------------------------------------------------------------------------ */

/* The candidates in their order: requested states, coordinates of the model, of its joints, of its bodies. */
void dal_list_candidates(dal_linear *linear);
/* A spec that records only the channels whose rates --steady gives. */
dal_spec dal_record_steady(dal_linear *linear);
/* A spec that records them with their rates, and the outputs. */
dal_spec dal_record_candidates(dal_linear *linear);
/* Fills linear->chosen and moving, from the columns along all directions. */
dal_status dal_choose_states(dal_linear *linear);

/* ---- inputs_outputs.c ---------------------------------------------------------------------------- */

/* The columns of an output: one, or those of a vector; their number. */
int dal_output_columns(const dal_linear *linear, const char *output, int column[3]);
/* Names of inputs and outputs, B, C, D and y, after A. */
dal_status dal_fill_ports(dal_linear *linear);

/* ---- corners.c ----------------------------------------------------------------------------------- */

/* After a change along one direction: marks the outputs that have a corner along it, in linear->corner and edge, and what acts and has no derivative,
 * in linear->rough. */
void dal_meet_corners(dal_linear *linear);
/* Why a column has no derivative, after dal_meet_corners: a clause. */
const char *dal_why_no_derivative(dal_linear *linear, int column);

/* ---- linear_point.c ------------------------------------------------------------------------------ */

/* Is the point a steady motion? */
bool dal_linear_at_steady(const dal_linear *linear);
/* Compiles the model with the columns, goes to the point and opens it. Reactions follow from multipliers, which the joints of a tree do not have: if they
 * are asked for, everything is computed in coordinates of the bodies, with the same A, B, C and D. */
dal_status dal_linear_point(dal_linear *linear);
void dal_linear_close(dal_linear *linear);

/* ---- linear_matrix.c ----------------------------------------------------------------------------- */

/* Fills linear->out: the states, A, B, C, D. */
dal_status dal_linear_matrices(dal_linear *linear);
/* At another point, for the same states: fills `at`, `rates` and A of linear->out. */
dal_status dal_linear_again(dal_linear *linear);
/* to = from G^-1: derivatives along the directions xi become derivatives by the states. */
void dal_over_states(const dal_linear *linear, const double *from, double *to);
/* What every result says first: the model, its method, the version. */
dal_system_info dal_linear_heading(dal_linear *linear);

/* ---- linear_later.c ------------------------------------------------------------------------------ */

/* At a point where no state accelerates: are the rates and A the same at a later point? DAL_OK or DAL_NO_MEMORY. */
dal_status dal_linear_stays(const dal_linear *linear, bool *stays);

/* ---- linearize.c ------------------------------------------------------------------------------- */

/* Compiles the model, goes to the point and linearises there; `here`: only goes there. dal_linear_end closes the point. */
dal_status dal_linear_make(dal_linear *linear, bool here);
/* Linearises, after dal_linear_make with `here`. */
dal_status dal_linear_finish(dal_linear *linear);
void dal_linear_end(dal_linear *linear);
/* The common part of functions of include/: checks the arguments, finds the matrices, and calls `find`, which makes the result of them. The result keeps
 * the arena, at the offset `memory`. */
typedef dal_status dal_linear_finder(dal_linear *linear, void **found);
dal_status dal_linear_find(dal_linear *linear, const char *function, const dal_allocator *allocator, dal_linear_finder *find, size_t memory,
                           void *result);
bool dal_linear_needs(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                      dal_messages *messages, dal_status *status);

/* ---- modes.c ------------------------------------------------------------------------------------- */

/* The modes of a finished linearisation, in its arena. */
dal_status dal_linear_modes(dal_linear *linear, dal_modes **modes);

/* ---- shifted_circle.c ---------------------------------------------------------------------------- */

/* Does the mode shift the circle on which a steady motion turns? Needs bodies_re and bodies_im of the mode. */
bool dal_mode_shifts_circle(const dal_linear *linear, const dal_mode *mode);

/* ---- structure.c --------------------------------------------------------------------------------- */

/* Poles, zeros, uncontrollable and unobservable poles, in linear->out. */
dal_status dal_linear_study(dal_linear *linear);

#endif
