/* A linearisation while it is made: modes and equilibria use its parts. */
#ifndef DAL_LINEAR_LINEAR_H
#define DAL_LINEAR_LINEAR_H

#include "base/message.h"
#include "linear/point.h"

/* A channel that may be a state: its columns among those of the system. */
typedef struct dal_candidate {
    const char *name;
    const char *text[3]; /* of the channel, its rate and its acceleration */
    int column, rate, acceleration;
    int body;  /* whose attitude it is part of, or -1 */
    int axis;  /* which axis of that body it is a component of, or a turn about */
    int about; /* a turn: the axis of the world that is nearest to that one; -1: a component */
    bool asked, useless;
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
    double *columns, *states; /* how recorded columns and rates of the model's states change: a row each, n_x wide */
    double *values;           /* of the columns */
    int *chosen, *moving;     /* candidates that are positions of x; which of these have a rate in x */
    double *G, *F;            /* n_x square: x = G xi, x' = F xi along the directions xi */
    bool here;                /* no more than the point is wanted */
    dal_linearization *out;
} dal_linear;

/* ---- candidates.c ------------------------------------------------------------------------------ */

/* The states that were asked for, coordinates of the model, of its joints, and of its bodies. */
void dal_list_candidates(dal_linear *linear);
/* A spec that records them with their rates, and the outputs. */
dal_spec dal_record_candidates(dal_linear *linear);
/* linear->chosen, moving: after the columns are known along all directions. */
dal_status dal_choose_states(dal_linear *linear);

/* ---- linearize.c ------------------------------------------------------------------------------- */

/* Compile, go to the point and linearise; `here`: only go there. What was opened is closed by dal_linear_end. */
dal_status dal_linear_make(dal_linear *linear, bool here);
/* What the result begins with. */
dal_system_info dal_linear_heading(dal_linear *linear);
void dal_linear_end(dal_linear *linear);
bool dal_linear_needs(const char *function, const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options,
                      dal_messages *messages, dal_status *status);

/* ---- equilibrium.c ----------------------------------------------------------------------------- */

/* The state goes to an equilibrium near where it is, and is evaluated there. */
dal_status dal_state_settle(dal_arena *arena, dal_state *state, dal_messages *messages);

#endif
