/* Rollouts: many copies of one model, each with its own state, inputs and parameters, moved by steps of a fixed length (doc/rollouts.md).
 *
 *     dal_rollout_model *model;
 *     dal_rollout_model_create(NULL, spec, &(dal_rollout_options){.n_parameters = 1, .parameters = names}, messages, &model);
 *     dal_rollout(model, &(dal_rollout_batch){.copies = n, .step = 2e-3, .steps = 500, .q = q, .v = v, .parameters = values}, NULL, messages);
 *     dal_rollout_model_free(model);
 *
 * The equations of the model become C code, which the machine's `cc` compiles for four copies at once, as `run --compiled` does. Where that cannot be,
 * the engine computes the same steps, and dal_rollout_describe says why. There are no events, no projections and no records: a rollout is for models
 * that are smooth, and for time that is short.
 */
#ifndef DALEMBERT_ROLLOUT_H
#define DALEMBERT_ROLLOUT_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_rollout_model dal_rollout_model;

/* All zero: the model's own coordinates, four copies at once, parameters as the model has them. */
typedef struct dal_rollout_options {
    const char
        *formulation; /* one that integrates velocities: lagrange, recursive, udwadia-kalaba, ... NULL: recursive where it can be, or lagrange */
    const char *coordinates;       /* family; NULL: the model's own */
    int n_parameters;              /* of the model, that differ between copies */
    const char *const *parameters; /* their names */
    int lanes;                     /* copies at once: 4, or 1; 0: 4 */
    bool engine;                   /* no code is generated */
} dal_rollout_options;

/* Compile the model, generate its code, compile that, and compare it with the engine. A model is for one thread; several threads have several, which
 * share the compiled code. DAL_BAD_COMMAND: a name that there is not, a formulation with speeds of its own, another number of lanes. DAL_BAD_MODEL: the
 * model is refused, or has dry friction, which cannot be without events. On any error *model is NULL. Where the engine has to do it, a note says why.
 * options may be NULL. */
DAL_API dal_status dal_rollout_model_create(const dal_allocator *allocator, const dal_spec *spec, const dal_rollout_options *options,
                                            dal_messages *messages, dal_rollout_model **model);
DAL_API void dal_rollout_model_free(dal_rollout_model *model);

typedef struct dal_rollout_info {
    const dal_system *system;    /* what q and v mean: dal_coordinate_label, dal_rate_label (evaluation.h). NULL without a model */
    int coordinates, velocities; /* of a copy */
    int states, inputs;          /* of the model's own: `states:`, `inputs:` */
    int parameters;              /* those of the options */
    int lanes;                   /* copies at once; 0: the engine computes all */
    int operations;              /* of one evaluation by generated code, or 0 */
    const char *why;             /* why the engine computes; "" where generated code does */
} dal_rollout_info;
DAL_API dal_rollout_info dal_rollout_describe(const dal_rollout_model *model);

typedef enum dal_rollout_method {
    DAL_ROLLOUT_EULER, /* semi-implicit: v += h v'(t, q, v), then q += h q'(q, v) */
    DAL_ROLLOUT_RK4    /* the classical method of Runge and Kutta */
} dal_rollout_method;

/* Copy c has q[c nq] ... q[c nq + nq - 1], and so for all arrays. Inputs are held: who wants others calls again. */
typedef struct dal_rollout_batch {
    int copies;
    dal_rollout_method method;
    double t, step; /* where it begins; h, which may be negative */
    long steps;
    double *q, *v;            /* states at the beginning, then those at the end. Constraints have to hold */
    double *states;           /* of models that have `states:`; NULL: those of the start, and what becomes of them is not kept */
    const double *inputs;     /* NULL: those of the model */
    const double *parameters; /* in the order of the options; NULL: those of the model */
    long *done;               /* of each copy: how many steps it made. May be NULL */
} dal_rollout_batch;

/* How many copies were computed by what. */
typedef struct dal_rollout_outcome {
    int by_lanes, by_one, by_engine; /* generated code for four, generated code for one, the engine */
    int failed;                      /* of those: copies that did not make all their steps */
} dal_rollout_outcome;

/* A copy has the same numbers bit for bit whether it was one of four or alone, and whatever the others are. A copy for which generated code finds a
 * pivot too small, or NaN, is computed again by the engine from its beginning. DAL_NUMERICAL: for some copies the engine finds no accelerations on
 * the way either; they stay where that was, and the others are complete. DAL_BAD_COMMAND: an array or number that cannot be used; DAL_BAD_MODEL: the
 * model is refused with parameters of a copy that the engine has to compute; nothing is promised of that copy and those behind it. outcome may be
 * NULL. */
DAL_API dal_status dal_rollout(dal_rollout_model *model, const dal_rollout_batch *batch, dal_rollout_outcome *outcome, dal_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
