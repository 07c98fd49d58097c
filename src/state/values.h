/* Signals, expressions and inputs at the present evaluation, and the states of the model. */
#ifndef DAL_STATE_VALUES_H
#define DAL_STATE_VALUES_H

#include "state/owner.h"

/* An effort along a measure. */
typedef struct dal_push {
    int measure;
    double effort;
} dal_push;

typedef struct dal_values {
    double *z;                     /* states of the model, then the works of the islands: taken from y */
    double *w;                     /* the speeds that v was found from: DAL_STAGE_SPEEDS */
    double *inputs;                /* set by users */
    double *variables, *registers; /* signals of a program, and its scratch: dal_state_run */
    double *expression;            /* of forces, then rates of states: dal_state_push */
    double *effort;                /* of each force: dal_state_push */
    double *island;                /* potential and power of each island: dal_loads */
    int *modes;                    /* switches of the actions: the pieces that a run uses until the next event */
    bool frozen;                   /* evaluations use the pieces of `modes`, also beyond a switch */
    int table_exceeded;            /* number from 1 of a table whose range was exceeded, or 0 */
    const double *given;           /* generalized forces beside those of the model, nv of them; NULL: none */
    int n_pushes;                  /* efforts along measures, beside those of the model */
    const dal_push *pushes;
} dal_values;

extern const dal_owner dal_values_owner;

#endif
