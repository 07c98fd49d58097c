/* Everything at one state, in any family of coordinates and any formulation; and the inverse problem: the forces that produce wanted accelerations,
 * also with joints that close loops.
 *
 *     M(q) v' + h(q, v) = Q + A^T lambda,   A v' = gamma,   q' = N(q) v
 *     h + g = C(q, v) v + g(q), the `bias`; M' - 2 C is skew-symmetric
 *
 * Signs: gravity is on the left side, g = -(the generalized force of gravity), as in tree.h. `applied` are the generalized forces of all other
 * elements of the model (springs, dampers, motors, friction), `forces` those that were given, so that
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

/* The name of coordinate k, or of rate k, in state files and results: "shoulder.angle", "base.qw"; of a rate "shoulder.angle", "base.wx". False:
 * there is no such number, or the name does not fit into the buffer with its final zero. The coordinate of a joint has the value of the channel of
 * this name in a run, the joint's `zero:` included. */
DAL_API bool dal_coordinate_label(const dal_system *system, int k, char *buffer, size_t size);
DAL_API bool dal_rate_label(const dal_system *system, int k, char *buffer, size_t size);

/* ---- a state, and the problem to solve there --------------------------------------------- */

typedef struct dal_instant {
    double time;
    int nq, nv;
    double *q, *rates;     /* nq, nv */
    double *forces;        /* nv: generalized forces, dual to the rates, beside those of the model */
    double *accelerations; /* nv: wanted ones, for the inverse problem */
    bool *wanted;          /* nv: which of them are given; the others are as small as the constraints allow */
    int n_states;
    double *states;     /* n_states: of the model itself (`states:`, blocks) */
    bool *states_given; /* n_states: which of them are given; the others have their start values */
    int n_axes;         /* 3 a body where q has Euler angles about axes that the program chooses; else 0 */
    int *axes;          /* n_axes: these axes, 0 to 2 for x to z; -1: those of the start */
    void *memory;
} dal_instant;

/* All zeros; attitudes that have more numbers than freedoms (quaternions) are the identity. Valid for this system only. */
DAL_API dal_status dal_instant_create(const dal_allocator *allocator, const dal_system *system, dal_instant **instant);
/* From a state file: a JSON object {"q":, "rates":, "forces":, "accelerations":, "time":, "states":}. Each of the first four is an object by name
 * (missing numbers are zero) or an array in the order of the names; "states" is an object by name (missing states have their start values), "sequences" the axes of Euler angles
 * by body, as "zyx" (missing ones are those of the start). The name of a joint with one coordinate may stand for that coordinate. Quaternions are
 * normalised, with a note if their length was not close to 1. */
DAL_API dal_status dal_instant_read(const dal_allocator *allocator, const dal_system *system, const char *path, dal_messages *messages,
                                    dal_instant **instant);
DAL_API dal_status dal_instant_parse(const dal_allocator *allocator, const dal_system *system, const char *file, const char *text, size_t length,
                                     dal_messages *messages, dal_instant **instant);
/* A random state, the same for the same seed. Open trees in coordinates `joint`: angles uniform over a turn, shifts over twice the model's length,
 * attitudes uniform. Other models: as far from the start as the constraints allow. Rates and wanted accelerations are normal (rad/s, or the model's
 * length a second) and meet the constraints; forces are zero. The state serves as scratch, and cannot be that of a run. */
DAL_API dal_status dal_instant_random(const dal_allocator *allocator, dal_state *state, uint64_t seed, dal_messages *messages, dal_instant **instant);
/* The present one of a state, which is evaluated; it has no forces. Errors: as dal_state_evaluate. */
DAL_API dal_status dal_instant_of(const dal_allocator *allocator, dal_state *state, dal_messages *messages, dal_instant **instant);
DAL_API void dal_instant_free(dal_instant *instant);
/* As a state file, every number in full: as dal_evaluation_json; -1 also if the instant is not one of the system. */
DAL_API int dal_instant_json(const dal_system *system, const dal_instant *instant, char *buffer, size_t size);

/* ---- the answer ----------------------------------------------------------------------------- */

/* One row of the constraints. */
typedef struct dal_evaluation_row {
    const char *name;  /* "D 1", "A drive", "rod unit length" */
    const char *joint; /* NULL: it keeps the numbers of an attitude an attitude */
    double position;   /* residual phi; 0 for rows at velocity level only */
    double velocity;   /* A v - beta */
    double gamma;      /* A v' = gamma, with the terms of the stabilization */
    double multiplier; /* lambda */
    bool independent;  /* one of the rows that were solved */
} dal_evaluation_row;

/* The force and torque that a joint exerts on its second body at its point there, in world axes. Motors and given forces on its coordinate are not
 * part of it. (A given torque on the three velocities of a ball is part of it.) */
typedef struct dal_evaluation_reaction {
    const char *joint;
    double force[3], torque[3];
    bool unique; /* false: the constraints are redundant here, and this is the distribution of least sum |F|^2 + |T|^2 / L^2 */
} dal_evaluation_reaction;

typedef enum dal_inverse_verdict {
    DAL_INVERSE_UNIQUE,     /* as many actuators as freedoms */
    DAL_INVERSE_LEAST_NORM, /* more actuators: of all forces that do it, those of least norm */
    DAL_INVERSE_TOO_FEW     /* fewer: some accelerations cannot be produced */
} dal_inverse_verdict;

/* M v' + bias = applied + forces + B tau + A^T lambda, solved for tau and lambda. The actuators B are the motors of the model (`applied` then does
 * not contain the efforts of their `value`); a model without motors has an actuator on every rate, B = 1. */
typedef struct dal_inverse {
    dal_inverse_verdict verdict;
    bool achieved;                   /* the accelerations that result are the wanted ones */
    const char *text;                /* the verdict as a sentence */
    int n_actuators, freedoms, rank; /* rank: of the effect of the actuators on the freedoms */
    bool motors;                     /* declared by the model */
    dal_equation_values actuators;   /* tau: by motor, or by rate */
    double length;                   /* in the norm a torque T counts as the force T / length */
    const double *wanted;            /* nv: completed by the constraints */
    const double *torques;           /* nv: B tau, dual to the rates */
    const double *missing;           /* nv: resulting less wanted accelerations; of all tau the least in Gauss's sense */
    double moved;                    /* with `nearest`: largest change of a wanted acceleration */
} dal_inverse;

typedef struct dal_evaluation {
    dal_system_info info; /* valid as long as the system is */
    double time;
    int nq, nv, rank;               /* rank of A at this state */
    const char *const *coordinates; /* names of q, and of the rates */
    const char *const *rates;
    bool determined;               /* false: the accelerations are not determined; vd and the multipliers are NAN, and there are no reactions */
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
    const dal_inverse *inverse;                  /* NULL: not requested */
    void *memory;
} dal_evaluation;

typedef struct dal_evaluation_options {
    bool inverse;
    bool nearest; /* wanted accelerations that the constraints forbid: use the nearest, instead of an error */
} dal_evaluation_options;

/* Evaluates exactly at the given instant: if it violates the constraints, it is not moved, and messages have the distance. Afterwards the state is
 * at this instant. If the accelerations are not determined there (a part without mass that nothing holds), the other results are valid, and
 * `verdict` has the reason; the inverse problem is then refused. options may be NULL. DAL_BAD_COMMAND: the sizes of the instant are not those of the
 * system, a number of it is not finite, or the state belongs to a run. DAL_BAD_MODEL: the wanted accelerations contradict the constraints, or a
 * force acts on a coordinate whose momentum the formulation assumes to be constant. */
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
