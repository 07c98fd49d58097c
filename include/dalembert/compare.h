/* A comparison: the same model under several formulations and families of coordinates. A row for each of them has the size of its equations, their
 * cost, the drift of quantities that have to be constant, and the distance of every body from a reference motion, which is integrated with tighter
 * tolerances.
 */
#ifndef DALEMBERT_COMPARE_H
#define DALEMBERT_COMPARE_H

#include "dalembert/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The difference between the motion of a body and that of the reference: the largest norms over the compared instants. NAN if nothing was
 * compared. */
typedef struct dal_difference {
    double position, velocity; /* of the body's origin, m, m/s */
    double attitude, omega;    /* angle between the two attitudes, rad; rad/s. 0 for particles */
} dal_difference;

/* The errors of a method at one of the compared instants. NAN: there is no such quantity. */
typedef struct dal_compare_instant {
    double time;
    double difference;         /* as dal_compare_row.difference, of this instant alone; 0 in the reference */
    double energy;             /* change of the energy balance since the start, relative as dal_compare_row.energy_error */
    double position, velocity; /* largest residual of a constraint, m or rad, m/s or rad/s */
    double momentum;           /* change of the conserved momenta since the start, relative as dal_evidence.momentum_drift */
    double ignorable;          /* of the momenta of the ignorable coordinates, as dal_evidence.ignorable_drift */
} dal_compare_instant;

/* A larger difference from the reference is visible in a picture, and the texts point it out: lengths of the model, or rad. */
#define DAL_COMPARE_AGREEMENT 1e-3

typedef struct dal_compare_row {
    const char *coordinates, *formulation; /* as they are listed; coordinates with the requested options */
    bool applies;
    dal_status status;   /* of the compilation if it does not apply, else of the run */
    const char *reason;  /* one sentence: why it does not apply, or why the run stopped early; NULL */
    const char *warning; /* the first one of the run, or NULL */
    /* The following members are valid if it applies. */
    dal_evidence evidence;        /* steps and evaluations: of a run that records nothing */
    double cpu_seconds;           /* of such a run, on this thread; the fastest of three if it is short */
    double energy_error;          /* relative drift of the energy balance, NAN if nothing moves */
    double constraint_error;      /* the larger of the residuals of position and velocity */
    double momentum_error;        /* relative drift of the conserved momenta, those of ignorable coordinates included; NAN: none */
    double difference;            /* largest position / length and attitude over all bodies, and largest position over the coordinates of `own` */
    const dal_difference *bodies; /* in the order of dal_comparison.bodies */
    const dal_difference *own;    /* of coordinates of the model's own, in the order of dal_comparison.own: position and velocity, over its size */
    int n_instants;               /* those of dal_comparison; fewer if the run stopped early */
    const dal_compare_instant *instants;
} dal_compare_row;

typedef struct dal_comparison {
    dal_system_info info;             /* of the first that compiled: the model, and the integrator and tolerances of all rows */
    bool adaptive;                    /* that integrator: the tolerances count, not the step */
    int n_rows, n_bodies, n_instants; /* instants: at which the motions are compared */
    double every;                     /* time between them */
    const dal_compare_row *rows;
    const char *const *bodies; /* names */
    int n_own;                 /* coordinates of the model's own that are compared: those of a model with sub-systems whose equations are known */
    const char *const *own;    /* names */
    dal_compare_row reference; /* its `difference` and `bodies`: from the same run with ten times its tolerances, to bound its own error */
    int nearest;               /* the row nearest to the reference among those that reached the end, -1: none */
    void *memory;
} dal_comparison;

typedef struct dal_compare_options {
    int n_coordinates, n_formulations;                    /* 0: the family of the model; all formulations */
    const char *const *coordinates, *const *formulations; /* words of dal_list_entry; options as for dal_spec_set */
    /* Called about twenty times a second during the runs; may be NULL. `row` counts from -2 (the two runs of the reference). Returns false to stop:
     * rows that are not done then do not apply, and their reason says so. */
    bool (*progress)(void *user, const dal_comparison *comparison, int row, double t, double wall_seconds);
    void *progress_user;
    /* Called for each compared instant of each motion, after its run, the reference (row -2) first; may be NULL. `poses`: 7 per body, x, y, z, w,
     * qx, qy, qz. */
    void (*motion)(void *user, const dal_comparison *comparison, int row, const dal_compare_instant *instant, const double *poses);
    void *motion_user;
    const dal_allocator *allocator;
} dal_compare_options;

/* Compile and run all of them. The coordinates, formulation, record and every of the spec are replaced; the rest of its `simulate:` holds for every
 * row. Every combination has its row, also those that do not apply.
 *
 * DAL_OK: all rows that apply reached the end. Two errors return a comparison as well: DAL_NUMERICAL, a run stopped early (but there is no
 * comparison if the hook stopped the reference); DAL_BAD_MODEL, no row applies (the messages are those of the first). After any other error
 * *comparison is NULL; DAL_BAD_COMMAND: the spec does not have the form that spec.h requires. options may be NULL. */
DAL_API dal_status dal_compare(const dal_spec *spec, const dal_compare_options *options, dal_messages *messages, dal_comparison **comparison);
/* Do all methods that apply show the same motion: did each reach the end, is its difference from the reference at most DAL_COMPARE_AGREEMENT, and is
 * the reference itself known as well as that?
 * methods, difference (either may be NULL): the number of methods that apply, and their largest difference. */
DAL_API bool dal_comparison_agrees(const dal_comparison *comparison, int *methods, double *difference);
/* Tables for people, up to 100 columns wide (`bodies`: also the differences of each body), and one JSON object. As dal_evidence_text and
 * dal_evidence_json. */
DAL_API int dal_comparison_text(const dal_comparison *comparison, bool bodies, char *buffer, size_t size);
DAL_API int dal_comparison_json(const dal_comparison *comparison, char *buffer, size_t size);
DAL_API void dal_comparison_free(dal_comparison *comparison);

#ifdef __cplusplus
}
#endif

#endif
