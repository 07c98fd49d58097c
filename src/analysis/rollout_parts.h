/* What the files of rollouts share.
 *
 *   rollout_model.c   a model for rollouts: its system, names and memory
 *   rollout_code.c    its generated code, which is compared with the engine before it is used
 *   rollout.c         batches: copies by fours, one by one, or by the engine
 */
#ifndef DAL_ANALYSIS_ROLLOUT_PARTS_H
#define DAL_ANALYSIS_ROLLOUT_PARTS_H

#include "base/arena.h"
#include "dalembert/rollout.h"
#include "run/code_cache.h"

enum { DAL_ROLLOUT_LANES = 4 };

typedef int dal_rollout_function(double t, double h, long steps, double *q, double *v, const double *inputs, const double *parameters);
typedef int dal_accelerations_function(double t, const double *q, const double *v, const double *inputs, const double *parameters, double *vd,
                                       double *lambda);

struct dal_rollout_model {
    dal_arena *memory; /* that all of it is in */
    dal_allocator allocator;
    dal_spec *spec;
    dal_system *system;
    dal_state *state;
    dal_rollout_info info;
    const char **names;         /* of the parameters */
    double *defaults;           /* their values in the model */
    int *place;                 /* of each parameter: where generated code has it */
    const double *start_states; /* z of the start */
    const double *start_inputs;
    int n_y, n_rows; /* length of y; rows of constraints */

    dal_loaded_code object;
    dal_accelerations_function *accelerations;
    dal_rollout_function *one[2], *four[2]; /* by method */

    double *q, *v, *inputs, *parameters; /* scratch: of four copies, coordinate by coordinate */
    double *y, *at, *dy, *sum;           /* scratch: of the engine */
};

/* Makes the code, if possible: then info.lanes is set. Otherwise info.why has the reason. Only DAL_NO_MEMORY is an error. */
dal_status dal_rollout_make_code(dal_rollout_model *model, const dal_rollout_options *options, dal_arena *arena);

#endif
