/* Small motions. A linearisation while it is made: modes and equilibria use its parts.
 *
 *   equilibria.c       the results for equilibria and steady motions; many starts
 *   steady.c           steady motions; steady_parts.h: the map of its files; fields.c: motions that keep the shape
 *   candidates.c       which coordinates describe the small motions
 *   linearize.c        the call; linear_point.c: the point that it is made at
 *   linear_later.c     is the motion steady, so that A stays?
 *   linear_matrix.c    A; inputs_outputs.c: B, C, D; structure.c: poles, zeros, controllability, observability
 *   corners.c          outputs without a derivative; zeros.c: zeros of one input and one output
 *   modes.c            eigenvalues and shapes; balance.c: units for them; multiple.c: defective ones; campbell.c: over a parameter
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

/* A channel that may be a state: its columns among those of the system. */
typedef struct dal_candidate {
    const char *name;
    const char *text[3]; /* of the channel, its rate and its acceleration */
    int column, rate, acceleration;
    int body;                      /* whose attitude it is part of, or -1 */
    int axis;                      /* which axis of that body it is a component of, or a turn about */
    int about;                     /* a turn: the axis of the world that is nearest to that one; -1: a component */
    bool asked, useless, inclined; /* inclined: a turn about an axis that is inclined to that of the frame */
} dal_candidate;

typedef struct dal_linear {
    dal_arena arena;
    const dal_spec *spec;
    const dal_linear_options *options;
    dal_messages *messages;
    dal_system *bare, *system; /* as the spec says; with the columns of the candidates and outputs */
    dal_state *state;
    dal_point point;
    int n_candidates;
    dal_candidate *candidates;
    int n_x;                  /* directions: positions, velocities, states of the model */
    double *columns, *states; /* derivatives of recorded columns and of rates of the model's states: a row each, n_x wide */
    double *values;           /* of the columns */
    int *chosen, *moving;     /* candidates that are positions of x; which of these have a rate in x */
    double *G, *F;            /* n_x square: x = G xi, x' = F xi along the directions xi */
    double *lu;               /* of G^T */
    int *pivot;
    dal_steady_motion steady; /* of "steady" */
    double *steady_q, *steady_v, *steady_z;
    int *steady_chart;
    double pace;                /* 1/s: the largest of the given rates, in lengths and radians */
    bool descends;              /* its search finds states that are stable at given rates */
    bool *inclined;             /* 3 a body: the axis is inclined to that of the frame */
    const uint64_t *seed;       /* of a random start for "equilibrium"; NULL: the start of the model */
    bool held;                  /* with friction, at the start of the model if it holds it there */
    bool here;                  /* only the point is needed */
    const char *singular;       /* a constraint that depends on others at the point and not nearby, or NULL */
    bool *corner, *edge;        /* of the columns that are outputs: two slopes meet here; at a root of zero, or an arc at its end */
    struct dal_program **alone; /* of each of these */
    double *signals;            /* what they read, and its change */
    void *room;
    bool absolute; /* in coordinates of the bodies, because of reactions */
    dal_linearization *out;
} dal_linear;

/* ---- candidates.c ------------------------------------------------------------------------------ */

/* The requested states, coordinates of the model, of its joints, and of its bodies. */
void dal_list_candidates(dal_linear *linear);
/* A spec that records only what steady motions are given by. */
dal_spec dal_record_steady(dal_linear *linear);
/* A spec that records them with their rates, and the outputs. */
dal_spec dal_record_candidates(dal_linear *linear);
/* linear->chosen, moving: after the columns are known along all directions. */
dal_status dal_choose_states(dal_linear *linear);

/* ---- inputs_outputs.c ---------------------------------------------------------------------------- */

/* The columns of an output: one, or those of a vector; their number. */
int dal_output_columns(const dal_linear *linear, const char *output, int column[3]);
/* Names of inputs and outputs, B, C, D and y, after A. */
dal_status dal_fill_ports(dal_linear *linear);

/* ---- corners.c ----------------------------------------------------------------------------------- */

/* After a change along one direction: which outputs have a corner in it? In linear->corner and edge. */
void dal_meet_corners(dal_linear *linear);
/* Why a column has no derivative, after dal_meet_corners: a clause. */
const char *dal_why_no_derivative(dal_linear *linear, int column);

/* ---- linear_point.c ------------------------------------------------------------------------------ */

/* Is the point a steady motion? */
bool dal_linear_at_steady(const dal_linear *linear);
/* Compiles with the columns, goes to the point and opens it. Reactions follow from multipliers. The joints of a tree have none: then everything is
 * computed in coordinates of the bodies, with the same A, B, C and D. */
dal_status dal_linear_point(dal_linear *linear);
void dal_linear_close(dal_linear *linear);

/* ---- linear_matrix.c ----------------------------------------------------------------------------- */

/* Along the directions: the states, A, B, C, D, in linear->out. */
dal_status dal_linear_matrices(dal_linear *linear);
/* At another point, in the states that were chosen: at, rates and A, in linear->out. */
dal_status dal_linear_again(dal_linear *linear);
/* to = from G^-1: a row along the directions xi becomes one along the states. */
void dal_over_states(const dal_linear *linear, const double *from, double *to);
/* The first members of the result. */
dal_system_info dal_linear_heading(dal_linear *linear);

/* ---- linear_later.c ------------------------------------------------------------------------------ */

/* No state accelerates here. Is the motion steady, so that the rates and A are the same later? DAL_OK or DAL_NO_MEMORY. */
dal_status dal_linear_stays(const dal_linear *linear, bool *stays);

/* ---- linearize.c ------------------------------------------------------------------------------- */

/* Compile, go to the point and linearise; `here`: only go there. dal_linear_end closes the point. */
dal_status dal_linear_make(dal_linear *linear, bool here);
/* The rest, after `here`. */
dal_status dal_linear_finish(dal_linear *linear);
void dal_linear_end(dal_linear *linear);
/* A function of include/ that delivers a result: the arguments are checked, the matrices found, and `find` makes the result of them, whose arena is
 * kept at the offset `memory`. */
typedef dal_status dal_linear_finder(dal_linear *linear, void **found);
dal_status dal_linear_find(dal_linear *linear, const char *function, const dal_allocator *allocator, dal_linear_finder *find, size_t memory,
                           void *result);
bool dal_linear_needs(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                      dal_messages *messages, dal_status *status);

/* ---- modes.c ------------------------------------------------------------------------------------- */

/* The modes of a linearisation that was made, in its arena. */
dal_status dal_linear_modes(dal_linear *linear, dal_modes **modes);

/* ---- shifted_circle.c ---------------------------------------------------------------------------- */

/* Is the mode a shift of the circle on which a steady motion turns? Its bodies are known. */
bool dal_mode_shifts_circle(const dal_linear *linear, const dal_mode *mode);

/* ---- structure.c --------------------------------------------------------------------------------- */

/* Poles, zeros, uncontrollable and unobservable poles, in linear->out. */
dal_status dal_linear_study(dal_linear *linear);

#endif
