/* What a state has counted, and the sentence about what went wrong. */
#ifndef DAL_STATE_REPORT_H
#define DAL_STATE_REPORT_H

#include "state/state.h"

typedef struct dal_report {
    long evaluations;       /* dal_state_accelerate */
    long charts;            /* changes of the chart of an attitude: run */
    double condition_worst; /* of the matrix that the formulation factors; set by it */
    char trouble[400];      /* dal_state_fail */
} dal_report;

extern const dal_owner dal_report_owner;

#endif
