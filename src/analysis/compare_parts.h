/* Common data of a comparison of formulations: compare.c, and compare_motion.c, which receives the motion of each run. */
#ifndef DAL_ANALYSIS_COMPARE_PARTS_H
#define DAL_ANALYSIS_COMPARE_PARTS_H

#include "analysis/error_history.h"
#include "dalembert/compare.h"

typedef struct dal_comparer {
    const dal_spec *spec;
    const dal_compare_options *options;
    dal_messages *messages, *heard; /* the caller's; those of one compilation or run */
    dal_arena arena;
    dal_comparison *comparison;
    dal_system *system; /* the current one */
    dal_spec base;      /* the spec that rows are made of: no record */
    bool *particle;
    double *own_size; /* of the coordinates that are compared */
    dal_record_spec *record;
    int n_record, n_columns, most_instants;
    double *motion;              /* of the reference: n_instants rows of n_columns */
    dal_difference *differences; /* of the current run; NULL: it is the reference and is stored */
    int instant;                 /* rows of the run in work */
    int row;                     /* its number, for the progress */
    double *poses;               /* 7 a body, for each instant of the run in work; NULL: not needed */
    dal_error_history history;   /* of the run in work; none where there is no room in it */
    bool compared;               /* the last row is one of the instants */
    double difference;           /* and this is its own */
    bool stopped;                /* by the progress hook */
} dal_comparer;

/* ---- compare_motion.c ------------------------------------------------------------------------ */

/* The channels that all runs record. */
void dal_compare_name_columns(dal_comparer *c);
/* The maximum; NaN if one of the values is NaN. */
void dal_compare_keep_most(double *most, double value);
/* 7 a body. */
double *dal_compare_poses_at(const dal_comparer *c, int instant);
/* Hooks of a run, whose user is the comparer. */
dal_status dal_compare_begin_rows(void *user, const dal_system_info *info, int n, const dal_column *columns);
dal_status dal_compare_receive_row(void *user, int n, const double *values);
dal_status dal_compare_receive_state(void *user, dal_state *state, int n, const double *values);
bool dal_compare_show_progress(void *user, double t, double until, long steps, double wall_seconds);

#endif
