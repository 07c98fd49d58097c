/* Everything at one state, in any family of coordinates and any formulation; and the inverse problem: the forces that wanted
 * accelerations take, joints that close loops included.
 *
 *     M(q) v' + h(q, v) = Q + A^T lambda,   A v' = gamma,   q' = N(q) v
 *     h + g = C(q, v) v + g(q), the `bias`; M' - 2 C is skew-symmetric
 *
 * Signs: gravity stands on the left side, g = -(the generalized force of gravity), as in tree.h. `applied` are the generalized forces of
 * all other elements of the model (springs, dampers, motors, friction), `forces` those that were given, so that
 *     M v' + bias = applied + forces (+ torques) + A^T lambda.
 * Where time itself moves bodies (coordinates of the model's own with t in `place:`), h has a part that C v does not have.
 *
 *     dal_instant *instant;
 *     dal_evaluation *evaluation;
 *     dal_instant_read(NULL, system, "state.json", messages, &instant);
 *     dal_evaluate(NULL, state, instant, NULL, messages, &evaluation);
 *     ... evaluation->M, evaluation->reactions[i].force ...
 *     dal_evaluation_free(evaluation);
 *     dal_instant_free(instant);
 */
#ifndef DALEMBERT_EVALUATION_H
#define DALEMBERT_EVALUATION_H

#include <stdint.h>

#include "dalembert/equations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names ------------------------------------------------------------------------ */

/* What number k of q, or of the rates v, is called in state files and answers: "shoulder.angle", "base.qw"; of a rate "shoulder.angle",
 * "base.wx". False if there is no such one, or if it does not fit into the buffer with its final zero. A coordinate of a joint is the
 * number that the channel of this name has in a run, the joint's `zero:` included. */
DAL_API bool dal_coordinate_label(const dal_system *system, int k, char *buffer, size_t size);
DAL_API bool dal_rate_label(const dal_system *system, int k, char *buffer, size_t size);

/* ---- a state, and what is asked about it ------------------------------------------------- */

typedef struct dal_instant {
    double time;
    int nq, nv;
    double *q, *rates;     /* nq, nv */
    double *forces;        /* nv: generalized forces, dual to the rates, beside those of the model */
    double *accelerations; /* nv: wanted ones, for the inverse problem */
    bool *wanted;          /* nv: which of them are; the others are as small as the constraints allow */
    void *memory;
} dal_instant;

/* All zeros; attitudes that have more numbers than freedoms (quaternions) are no turn. Valid for this system alone. */
DAL_API dal_status dal_instant_create(const dal_allocator *allocator, const dal_system *system, dal_instant **instant);
/* From a state file: a JSON object {"q":, "rates":, "forces":, "accelerations":, "time":}. Each of the first four is an object by name
 * (those that are missing are zero) or an array in the order of the names. A joint with one coordinate may be called by its name alone.
 * Quaternions are normalised, with a note where they were not nearly so. */
DAL_API dal_status dal_instant_read(const dal_allocator *allocator, const dal_system *system, const char *path, dal_messages *messages,
                                    dal_instant **instant);
DAL_API dal_status dal_instant_parse(const dal_allocator *allocator, const dal_system *system, const char *file, const char *text, size_t length,
                                     dal_messages *messages, dal_instant **instant);
/* The same for the same seed. Open trees in coordinates `joint`: angles uniform over a turn, shifts over twice the model's length,
 * attitudes uniform. Otherwise as far from the start as the constraints let it come. Rates and wanted accelerations are normal (rad/s,
 * or the model's length a second) and meet the constraints; forces are zero. The state serves as scratch, and cannot be that of a run. */
DAL_API dal_status dal_instant_random(const dal_allocator *allocator, dal_state *state, uint64_t seed, dal_messages *messages, dal_instant **instant);
DAL_API void dal_instant_free(dal_instant *instant);

/* ---- the answer ----------------------------------------------------------------------------- */

/* One row of the constraints. */
typedef struct dal_evaluation_row {
    const char *name;  /* "D 1", "A drive", "rod unit length" */
    const char *joint; /* NULL: it keeps the numbers of an attitude an attitude */
    double position;   /* residual phi; 0 of rows that speak of velocities only */
    double velocity;   /* A v - beta */
    double gamma;      /* A v' = gamma; as the stabilization has it */
    double multiplier; /* lambda */
    bool independent;  /* of those that were solved with */
} dal_evaluation_row;

/* What a joint exerts on its second body at its point there, world axes, without motors and without forces that were given on its
 * coordinate. (A torque that was given on the three velocities of a ball is part of it.) */
typedef struct dal_evaluation_reaction {
    const char *joint;
    double force[3], torque[3];
    bool unique; /* false: the constraints are redundant here, and this is the distribution of least sum |F|^2 + |T|^2 / L^2 */
} dal_evaluation_reaction;

typedef enum dal_inverse_verdict {
    DAL_INVERSE_UNIQUE,     /* as many actuators as freedoms */
    DAL_INVERSE_LEAST_NORM, /* more: of all forces that do it, those of least norm */
    DAL_INVERSE_TOO_FEW     /* some accelerations cannot be given */
} dal_inverse_verdict;

/* M v' + bias = applied + forces + B tau + A^T lambda, solved for tau and lambda. The actuators B are the motors of the model (what
 * their `value` says is not in `applied`); a model without motors has one on every rate, B = 1. */
typedef struct dal_inverse {
    dal_inverse_verdict verdict;
    bool achieved;                   /* the accelerations that result are the wanted ones */
    const char *text;                /* the verdict as a sentence */
    int n_actuators, freedoms, rank; /* rank: of what the actuators can do on the freedoms */
    bool motors;                     /* declared by the model */
    dal_equation_values actuators;   /* tau: by motor, or by rate */
    double length;                   /* the norm takes a torque T for the force T / length */
    const double *wanted;            /* nv: completed by the constraints */
    const double *torques;           /* nv: B tau, dual to the rates */
    const double *missing;           /* nv: what results, less what was wanted; of all tau the least in Gauss's sense */
    double moved;                    /* with `nearest`: largest change of a wanted acceleration */
} dal_inverse;

typedef struct dal_evaluation {
    dal_system_info info; /* valid as long as the system is */
    double time;
    int nq, nv, rank;               /* rank of A at this state */
    const char *const *coordinates; /* names of q, and of the rates */
    const char *const *rates;
    bool determined;               /* false: the accelerations are not; vd and the multipliers are NAN, and there are no reactions */
    const char *verdict;           /* then: why, as a sentence; otherwise NULL */
    const double *q, *v, *qd, *vd; /* qd: q' = N v */
    const double *M, *C;           /* nv x nv, row-major */
    const double *bias, *gravity;  /* C v + g; g */
    const double *applied, *forces;
    double kinetic, potential;
    double mass, center[3];                          /* of the whole */
    double linear[3], angular[3], angular_center[3]; /* momenta; angular about the origin, and about the centre of mass */
    int n_rows, n_reactions;
    const dal_evaluation_row *rows;
    const double *A; /* n_rows x nv */
    const dal_evaluation_reaction *reactions;
    double position_residual, velocity_residual; /* largest of the rows, m or rad, and a second */
    const dal_inverse *inverse;                  /* NULL: not asked for */
    void *memory;
} dal_evaluation;

typedef struct dal_evaluation_options {
    bool inverse;
    bool nearest; /* wanted accelerations that the constraints forbid: take the nearest, instead of a refusal */
} dal_evaluation_options;

/* At the instant as it is given: a state off the constraints is not moved; messages say how far off it is. Afterwards the state is at
 * this instant. Where the accelerations are not determined there (a part without mass that nothing holds), the rest of the answer stands,
 * with the verdict; the inverse problem is then refused. options may be NULL. DAL_BAD_COMMAND where the sizes of the instant are not those
 * of the system, a number of it is not finite, or the state belongs to a run; DAL_BAD_MODEL where the wanted accelerations contradict the
 * constraints, or a force acts on a
 * coordinate whose momentum the formulation takes for constant. */
DAL_API dal_status dal_evaluate(const dal_allocator *allocator, dal_state *state, const dal_instant *instant, const dal_evaluation_options *options,
                                dal_messages *messages, dal_evaluation **evaluation);
DAL_API void dal_evaluation_free(dal_evaluation *evaluation);

/* For people, and as one JSON object: as dal_equations_text and dal_equations_json. `whole`: matrices of any size. */
DAL_API int dal_evaluation_text(const dal_evaluation *evaluation, int digits, int width, bool whole, char *buffer, size_t size);
DAL_API int dal_evaluation_json(const dal_evaluation *evaluation, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
