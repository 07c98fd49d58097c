/* Rollouts: many copies of one model, each with its own state, inputs and parameters, moved by steps of a fixed length (doc/rollouts.md).
 *
 *     dal_rollout_model *model;
 *     dal_rollout_model_create(NULL, spec, &(dal_rollout_options){.n_parameters = 1, .parameters = names}, messages, &model);
 *     dal_rollout(model, &(dal_rollout_batch){.copies = n, .step = 2e-3, .steps = 500, .q = q, .v = v, .parameters = values}, NULL, messages);
 *     dal_rollout_model_free(model);
 *
 * The equations of the model become C code, which the machine's `cc` compiles for four copies at once, as `run --compiled` does. If that is
 * impossible, the engine computes the same steps, and dal_rollout_describe has the reason. There are no events, no projections and no records: a
 * rollout is for smooth models and short times.
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
    const char *formulation; /* one that integrates velocities: lagrange, recursive, udwadia-kalaba, ... NULL: recursive if possible, or lagrange */
    const char *coordinates; /* family; NULL: the model's own */
    int n_parameters;        /* of the model, that differ between copies */
    const char *const *parameters; /* their names */
    int lanes;                     /* copies at once: 4, or 1; 0: 4 */
    bool engine;                   /* no code is generated */
} dal_rollout_options;

/* Compile the model, generate its code, compile that, and compare it with the engine. A model is for one thread; several threads have several, which
 * share the compiled code. DAL_BAD_COMMAND: an unknown name, a formulation with speeds of its own, another number of lanes. DAL_BAD_MODEL: the model
 * is refused, or has dry friction, which requires events. On any error *model is NULL. If the engine has to compute the steps, a note has the
 * reason. options may be NULL. */
DAL_API dal_status dal_rollout_model_create(const dal_allocator *allocator, const dal_spec *spec, const dal_rollout_options *options,
                                            dal_messages *messages, dal_rollout_model **model);
DAL_API void dal_rollout_model_free(dal_rollout_model *model);

typedef struct dal_rollout_info {
    const dal_system *system;    /* for the names of q and v: dal_coordinate_label, dal_rate_label (evaluation.h). NULL without a model */
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

/* Copy c has q[c nq] ... q[c nq + nq - 1], and so for all arrays. Inputs are constant during a call; to change them, make several calls. */
typedef struct dal_rollout_batch {
    int copies;
    dal_rollout_method method;
    double t, step; /* start time; h, which may be negative */
    long steps;
    double *q, *v;            /* before the call the first states, which must satisfy the constraints; after it the last */
    double *states;           /* of models that have `states:`; NULL: begin with those of the start, and do not return the last ones */
    const double *inputs;     /* NULL: those of the model */
    const double *parameters; /* in the order of the options; NULL: those of the model */
    long *done;               /* of each copy: number of steps made. May be NULL */
} dal_rollout_batch;

/* Numbers of copies, by the code that computed them. */
typedef struct dal_rollout_outcome {
    int by_lanes, by_one, by_engine; /* generated code for four, generated code for one, the engine */
    int failed;                      /* of those: copies that did not make all their steps */
} dal_rollout_outcome;

/* The numbers of a copy are the same bit for bit whether it is one of four or alone, and they do not depend on the other copies. A copy for which
 * generated code finds a pivot too small, or NaN, is computed again by the engine from its beginning. DAL_NUMERICAL: the engine fails, too, to
 * compute the accelerations of some copies at some step; these copies stop there, and the others are complete. DAL_BAD_COMMAND: an array or number
 * that cannot be used;
 * DAL_BAD_MODEL: the model is refused with the parameters of a copy that the engine has to compute; the results of that copy and of those after it
 * are undefined. outcome may be NULL. */
DAL_API dal_status dal_rollout(dal_rollout_model *model, const dal_rollout_batch *batch, dal_rollout_outcome *outcome, dal_messages *messages);

#ifdef __cplusplus
}
#endif

#endif
