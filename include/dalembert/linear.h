/* Small motions: a model near an equilibrium, near a steady motion, or at one instant of any motion.
 *
 *     x' = A x + B u,   y = C x + D u
 *
 * on the constraints: x are deviations of as many coordinates as the mechanism has freedoms, of their rates, and of the model's own states. Loops,
 * redundant and nonholonomic rows and drives are allowed. A, B, C and D do not depend on the family of coordinates or on the formulation: the states
 * are channels, chosen by name, and the derivatives are exact (no differences).
 *
 *     dal_linearization *linear;
 *     dal_linearize(NULL, spec, &(dal_linear_options){.at = "equilibrium"}, messages, &linear);
 *     ... linear->A[row * linear->n_states + column] ...
 *     dal_linearization_free(linear);
 */
#ifndef DALEMBERT_LINEAR_H
#define DALEMBERT_LINEAR_H

#include "dalembert/evaluation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where, and what of it. All zero: at the start, states chosen automatically, every input, no output. */
typedef struct dal_linear_options {
    const char *at; /* "start", "equilibrium" or a state file (dal_instant_read); NULL: "start" */
    int n_states, n_inputs, n_outputs;
    const char *const *states;  /* channels of position ("A.angle", "cart.x"); those that are missing are chosen automatically */
    const char *const *inputs;  /* of `inputs:`; NULL: all of them */
    const char *const *outputs; /* channels and expressions of channels, as in `record:`; made of the motion up to accelerations */
} dal_linear_options;

typedef enum dal_linear_kind {
    DAL_LINEAR_REST,   /* an equilibrium: no velocity, no acceleration */
    DAL_LINEAR_STEADY, /* it moves, and no state accelerates */
    DAL_LINEAR_MOTION  /* A and B belong to this instant of a motion */
} dal_linear_kind;

typedef struct dal_linearization {
    dal_system_info info; /* of a system that is gone: the texts are copies, and the numbers stand */
    dal_linear_kind kind;
    double time;
    int n_positions, n_rates, n_states; /* of x: coordinates, rates (fewer where rows are nonholonomic), in all */
    int n_inputs, n_outputs;
    const char *const *states; /* "A.angle", ..., "A.angle'", ..., then states of the model */
    const char *const *inputs, *const *outputs;
    const double *at;            /* n_states: x is counted from here */
    const double *rates;         /* n_states: x' there */
    const double *y;             /* n_outputs: what the outputs are there */
    const double *A, *B, *C, *D; /* row-major */
    void *memory;
} dal_linearization;

/* DAL_BAD_COMMAND: an input or state that there is not, or that depends on others. DAL_BAD_MODEL: dry friction, no freedom, parts without mass;
 * an output that needs reactions or energies; no equilibrium. options may be NULL. */
DAL_API dal_status dal_linearize(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                                 dal_linearization **linearization);
DAL_API void dal_linearization_free(dal_linearization *linearization);
/* For people, as one JSON object, and as CSV (A beside B, C beside D, with names): as dal_evaluation_text. */
DAL_API int dal_linearization_text(const dal_linearization *linearization, int digits, int width, char *buffer, size_t size);
DAL_API int dal_linearization_json(const dal_linearization *linearization, char *buffer, size_t size);
DAL_API int dal_linearization_csv(const dal_linearization *linearization, char *buffer, size_t size);

/* ---- modes ------------------------------------------------------------------------------------- */

/* What a part of the mechanism has of the kinetic energy of a mode. */
typedef struct dal_mode_share {
    const char *part; /* "rotor about y", "cart along x", "arm"; of a sub-system: its coordinate */
    double share;     /* 0 to 1 */
} dal_mode_share;

/* An eigenvalue of A with its vector; of a conjugate pair the one with im > 0. */
typedef struct dal_mode {
    double re, im;    /* 1/s, rad/s */
    double frequency; /* |im| / 2 pi, Hz; 0: it does not oscillate */
    double damping;   /* -re / |eigenvalue| */
    int n_shares;
    const dal_mode_share *shares;      /* the largest first */
    const double *shape_re, *shape_im; /* n_states; the largest number is 1 */
} dal_mode;

/* A direction in which nothing holds the mechanism: an eigenvalue that is zero. */
typedef struct dal_free_mode {
    const char *state; /* that moves in it: the first of several; NULL: none by itself */
    bool drifts;       /* there is a motion along it that goes on for ever: a rigid-body freedom. False: a displacement stays where it is */
    int n_shares;
    const dal_mode_share *shares;
} dal_free_mode;

typedef struct dal_modes {
    const dal_linearization *linearization; /* freed with the modes */
    int n_modes, n_zeros, n_free;           /* zeros: eigenvalues that are zero; free: directions among them */
    const dal_mode *modes;                  /* those that oscillate by frequency, then the others by size */
    const dal_free_mode *free;
    void *memory;
} dal_modes;

/* As dal_linearize. */
DAL_API dal_status dal_modes_find(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                                  dal_modes **modes);
DAL_API void dal_modes_free(dal_modes *modes);
DAL_API int dal_modes_text(const dal_modes *modes, int digits, int width, char *buffer, size_t size);
DAL_API int dal_modes_json(const dal_modes *modes, char *buffer, size_t size);

/* ---- equilibrium ------------------------------------------------------------------------------- */

typedef enum dal_stability {
    DAL_STABLE,      /* every displacement that the constraints allow needs work */
    DAL_UNSTABLE,    /* one of them gives work */
    DAL_INDIFFERENT, /* none gives work, some need none */
    DAL_NOT_DECIDED  /* forces without a potential, or states of the model, act: the eigenvalues of dal_modes_find decide */
} dal_stability;

typedef struct dal_equilibrium {
    dal_system_info info; /* as that of a linearisation */
    double time;
    int n_coordinates;
    const char *const *coordinates; /* channels: coordinates of the model, of joints and of bodies */
    const double *values;
    dal_stability stability;
    int n_stiffnesses;
    const double *stiffnesses; /* of the second variation on the constraints, over the mass: 1/s^2, ascending; squares of the frequencies */
    int n_softest;             /* shares of the direction of the first one */
    const dal_mode_share *softest;
    int n_reactions;
    const dal_evaluation_reaction *reactions;
    void *memory;
} dal_equilibrium;

/* An equilibrium near the start of the model: forces balance, nothing moves, the model's own states do not change. From a start that is none, the way
 * leads down the potential; a start that is an equilibrium stays, stable or not. There may be others. DAL_BAD_MODEL where there is none near, with a
 * sentence that names what runs away; also for dry friction and for drives that move. */
DAL_API dal_status dal_equilibrium_find(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_equilibrium **equilibrium);
DAL_API void dal_equilibrium_free(dal_equilibrium *equilibrium);
DAL_API int dal_equilibrium_text(const dal_equilibrium *equilibrium, int digits, char *buffer, size_t size);
DAL_API int dal_equilibrium_json(const dal_equilibrium *equilibrium, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
