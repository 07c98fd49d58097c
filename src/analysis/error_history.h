/* Errors along one run, at its recorded instants: error_history.c. */
#ifndef DAL_ANALYSIS_ERROR_HISTORY_H
#define DAL_ANALYSIS_ERROR_HISTORY_H

#include "base/arena.h"
#include "dalembert/compare.h"

typedef struct dal_error_history {
    int n, most;             /* instants so far, and their limit */
    dal_compare_instant *at; /* absolute values until dal_history_end */
    bool started;
    double balance;       /* at the start */
    unsigned conserved;   /* bits 0..2 linear, 3..5 angular momentum */
    double start[6];      /* those momenta */
    double scale[2];      /* scales of their drift: largest of linear and angular */
    double (*momenta)[2]; /* an instant each: drift of linear and angular momentum */
    int n_ignorable;
    double *first, *now, *size, *largest; /* momenta of ignorable coordinates: at the start, now, their scale, its largest value */
    double *ignorable;                    /* n_ignorable an instant: their drift */
} dal_error_history;

/* Room for `most` instants of a run of `system`, from the arena: nothing is allocated afterwards. */
void dal_history_begin(dal_error_history *history, dal_arena *arena, const dal_system *system, int most);
/* Adds an instant: its time, its difference from the reference, and the errors of the evaluated state. */
void dal_history_add(dal_error_history *history, dal_state *state, double t, double difference);
/* After the run: divides drifts by the scales of the whole run. */
void dal_history_end(dal_error_history *history, const dal_evidence *evidence, double length);

#endif
