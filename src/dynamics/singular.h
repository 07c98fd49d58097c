/* How near a singular position is: singular.c. */
#ifndef DAL_DYNAMICS_SINGULAR_H
#define DAL_DYNAMICS_SINGULAR_H

#include "state/state.h"

typedef struct dal_singular {
    double nearness;  /* pivot ratio or least singular value of the rows over the best: falls like the distance to a singular position */
    bool near;        /* it is below 3 % */
    double asked_at;  /* where rows are redundant: when A was asked for it */
    bool attentive;   /* the next factorisation is asked for it, however far the position was */
    double *weakest;  /* the combination of rows that says least, of unit norm */
} dal_singular;

extern const dal_owner dal_singular_owner;

/* "; the rank of the constraints falls there from 8 to 7, of joint 'B' among others": at work.q, near a singular position. */
const char *dal_singular_text(dal_state *state, char *buffer, size_t size);

#endif
