/* Steady motions: the mechanism keeps its shape, and moves as a whole (fields.h). */
#ifndef DAL_LINEAR_STEADY_H
#define DAL_LINEAR_STEADY_H

#include "start/point.h"

/* A frame in which a body is at rest except for turns about its own axes. */
typedef struct dal_frame {
    bool turns;       /* about an axis of the world; false: it does not turn, or about another axis */
    int axis;         /* which */
    double rate;      /* rad/s */
    double center[3]; /* a point of the axis */
    double w[3];      /* its angular velocity, also about another axis */
} dal_frame;

/* The properties of a steady motion. */
typedef struct dal_steady_motion {
    dal_frame *frames; /* of each body */
    int freedom;       /* number of rates that could be chosen in addition to the given ones */
} dal_steady_motion;

/* Moves the state to a steady motion nearby; `descends`: preferably to one that is stable at given rates. columns: recorded columns whose rates (of
 * positions) or values (of rates) are given. */
dal_status dal_state_steady(dal_arena *arena, dal_state *state, bool descends, int n, const int *columns, const double *values,
                            const char *const *names, dal_messages *messages, dal_steady_motion *out);

#endif
