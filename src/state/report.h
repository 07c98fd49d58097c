/* Counters of a state, and the sentence of the last failure. */
#ifndef DAL_STATE_REPORT_H
#define DAL_STATE_REPORT_H

#include "state/evaluate.h"
#include "state/owner.h"

typedef struct dal_report {
    long evaluations;       /* dal_state_accelerate */
    long charts;            /* changes of the chart of an attitude: run */
    double condition_worst; /* of the matrix that the formulation factors; set by it */
    dal_reason reason;      /* of the trouble: dal_state_fail */
    char trouble[400];      /* "": none. dal_state_fail */
} dal_report;

extern const dal_owner dal_report_owner;

/* Why the state failed; OTHER where it did not. */
dal_reason dal_reason_of(const dal_state *state);
bool dal_failed_for(const dal_state *state, dal_reason reason);

/* Copies the failure of `from` to `state`. */
void dal_share_trouble(dal_state *state, const dal_state *from);

#endif
