/* The owner of the memory of a state, and whether users may change it. */
#ifndef DAL_STATE_HOLD_H
#define DAL_STATE_HOLD_H

#include "model/life.h"

/* A run that a state belongs to for its time: users may read the state, and not change it. */
typedef struct dal_tenancy {
    const double *y;      /* the run's own; NULL: not known now */
    long refused;         /* calls that would have changed the state */
    const char *function; /* the first of them */
    double time;
    char input[64];     /* where it was dal_state_set_input */
    double value, kept; /* what it should have become, and what it is */
} dal_tenancy;

typedef struct dal_hold {
    dal_life *life; /* of the system */
    dal_allocator allocator;
    void *memory;                          /* the block that the state lies in */
    dal_tenancy *tenancy;                  /* NULL: the state belongs to its user alone */
    const struct dal_owner *const *owners; /* of its parts: a state may be freed after its system */
} dal_hold;

#endif
