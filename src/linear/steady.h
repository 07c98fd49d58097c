/* Steady motions: the mechanism keeps its shape, and moves as a whole (fields.h). */
#ifndef DAL_LINEAR_STEADY_H
#define DAL_LINEAR_STEADY_H

#include "start/point.h"

/* A frame in which a body is at rest but for turns about its own axes. */
typedef struct dal_frame {
    bool turns;       /* about an axis of the world; false: there is none, or it is no axis of the world */
    int axis;         /* which */
    double rate;      /* rad/s */
    double center[3]; /* a point of the axis */
    double w[3];      /* its angular velocity, also where it is no axis of the world */
} dal_frame;

/* What a steady motion is like. */
typedef struct dal_steady_motion {
    dal_frame *frames; /* of each body */
    int freedom;       /* how many rates could be chosen beside those that were given */
} dal_steady_motion;

/* The state goes to a steady motion near where it is; `descends`: rather to one that is stable at given rates. columns: recorded columns whose rates (of positions) or values (of rates) are given. */
dal_status dal_state_steady(dal_arena *arena, dal_state *state, bool descends, int n, const int *columns, const double *values,
                            const char *const *names, dal_messages *messages, dal_steady_motion *out);

#endif
