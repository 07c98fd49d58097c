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

/* A steady motion is specified by rates: a coordinate (a channel of position, or an expression of such channels) and its rate, or a channel that is
 * itself a rate and its value. */
typedef struct dal_steady {
    const char *coordinate;
    double rate;
} dal_steady;

/* The point, and the states, inputs and outputs. All zero: at the start, states chosen automatically, every input, no output. */
typedef struct dal_linear_options {
    const char *at; /* "start", "equilibrium", "steady" or a state file (dal_instant_read); NULL: "start" */
    int n_states, n_inputs, n_outputs;
    const char *const *states;  /* channels of position ("A.angle", "cart.x"); the missing ones are chosen automatically */
    const char *const *inputs;  /* of `inputs:`, motors, springs and dampers (an effort added to their own), drives; NULL: all of `inputs:` */
    const char *const *outputs; /* channels and expressions of channels, as in `record:`: motions, reactions, efforts, energies */
    int n_steady;               /* for "steady" */
    const dal_steady *steady;   /* the given rates; everything else stays near the start */
} dal_linear_options;

typedef enum dal_linear_kind {
    DAL_LINEAR_REST,   /* an equilibrium: no velocity, no acceleration */
    DAL_LINEAR_STEADY, /* it moves, and no state accelerates, here or further on */
    DAL_LINEAR_MOTION  /* A and B belong to this instant of a motion */
} dal_linear_kind;

/* The share of one part of the mechanism in the kinetic energy of a mode. */
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
    /* 6 per body: its point's shift in lengths of the model, its turn in rad; the largest number of all is 1 */
    const double *bodies_re, *bodies_im;
    double condition; /* of the eigenvalue, in units of the kinetic energy: it multiplies errors of A. Infinite: the eigenvalue is defective */
    int times,
        shapes; /* how often the eigenvalue occurs, and how many independent shapes it has. Fewer: it is defective, and terms with t e^(s t) occur */
    bool shifts_circle; /* the circle of a steady motion is shifted, which nothing holds: it oscillates only as seen from the turning frame */
} dal_mode;

typedef struct dal_root {
    double re, im; /* 1/s, rad/s; of a conjugate pair the one with im > 0 */
    double error;  /* how far rounding of A, B, C and D moves it, to first order */
} dal_root;

/* Zeros from one input to one output. */
typedef struct dal_zeros {
    const char *output, *input;
    int relative_degree; /* poles less zeros; -1: the input does not reach the output. At most that, where zeros are not determined */
    int n;
    const dal_root *roots;
    int n_undetermined; /* zeros that are not in `roots`: rounding moves them by more than a thousandth of their size. All, where -1 may be rounding */
} dal_zeros;

typedef struct dal_linearization {
    dal_system_info info; /* the system itself is already freed; the texts are copies */
    dal_linear_kind kind;
    double time;
    int n_positions, n_rates, n_states; /* of x: coordinates, rates (fewer where rows are nonholonomic), in all */
    int n_inputs, n_outputs;
    const char *const *states; /* "A.angle", ..., "A.angle'", ..., then states of the model */
    const char *const *inputs, *const *outputs;
    const int *input_orders;     /* n_inputs. A drive has three columns that follow each other: the drive (0), its rate (1), its acceleration (2) */
    const double *at;            /* n_states: x is counted from here */
    const double *rates;         /* n_states: x' there */
    const double *y;             /* n_outputs: values of the outputs there */
    const double *A, *B, *C, *D; /* row-major */
    int n_poles, n_zero_poles;   /* those that are not zero, and how many are */
    const dal_mode *poles;
    bool studied; /* the following members are computed: up to 80 states */
    int n_uncontrollable, n_unobservable;
    const char *const *uncontrollable, *const
                                           *unobservable; /* poles that inputs do not move, or outputs do not see: "1.05 Hz (100 % body along y)" */
    int n_pairs;                                          /* of outputs and inputs; 0 where drives are inputs */
    const dal_zeros *zeros;
    void *memory;
} dal_linearization;

/* DAL_BAD_COMMAND: an unknown input, state or output, or one that depends on others. DAL_BAD_MODEL: dry friction that sticks, no freedom, parts without mass; an
 * output that is not a function of the state, or a reaction that is not unique; no equilibrium. options may be NULL. */
DAL_API dal_status dal_linearize(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                                 dal_linearization **linearization);
DAL_API void dal_linearization_free(dal_linearization *linearization);
/* For people, as one JSON object, and as CSV (A beside B, C beside D, with names): as dal_evaluation_text. */
DAL_API int dal_linearization_text(const dal_linearization *linearization, int digits, int width, char *buffer, size_t size);
DAL_API int dal_linearization_json(const dal_linearization *linearization, char *buffer, size_t size);
DAL_API int dal_linearization_csv(const dal_linearization *linearization, char *buffer, size_t size);

/* ---- modes ------------------------------------------------------------------------------------- */

/* A direction without a restoring force: an eigenvalue that is zero. */
typedef struct dal_free_mode {
    const char *state; /* that moves in it, the first of several; NULL: none moves alone */
    bool drifts;       /* a motion along it never ends: a rigid-body freedom. False: a displacement stays constant */
    int n_shares;
    const dal_mode_share *shares;
} dal_free_mode;

typedef struct dal_modes {
    const dal_linearization *linearization; /* freed with the modes */
    int n_modes, n_zeros, n_free;           /* zeros: eigenvalues that are zero; free: directions among them */
    const dal_mode *modes;                  /* those that oscillate by frequency, then the others by size */
    int n_bodies;
    const double *poses; /* 7 a body where the modes are: x, y, z, and the attitude w, qx, qy, qz */
    const dal_free_mode *free;
    void *memory;
} dal_modes;

/* As dal_linearize. */
DAL_API dal_status dal_modes_find(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, dal_messages *messages,
                                  dal_modes **modes);
DAL_API void dal_modes_free(dal_modes *modes);
DAL_API int dal_modes_text(const dal_modes *modes, int digits, int width, char *buffer, size_t size);
DAL_API int dal_modes_json(const dal_modes *modes, char *buffer, size_t size);

/* ---- modes over a parameter (Campbell's diagram) -------------------------------------------------- */

/* A mode that oscillates, followed by its shape. */
typedef struct dal_campbell_line {
    const char *name;      /* "92 % rotor about y": the part with the most energy where the line begins */
    const double *re, *im; /* n_values; NAN where there is none */
} dal_campbell_line;

typedef struct dal_campbell {
    const char *parameter;
    int n_values, n_lines;
    const double *values;
    dal_campbell_line *lines;
    void *memory;
} dal_campbell;

/* Connects the modes at n values of a parameter, in this order, to lines. The modes may be freed afterwards. */
DAL_API dal_status dal_campbell_track(const dal_allocator *allocator, const char *parameter, int n, const double *values,
                                      const dal_modes *const *modes, dal_messages *messages, dal_campbell **campbell);
DAL_API void dal_campbell_free(dal_campbell *campbell);
DAL_API int dal_campbell_text(const dal_campbell *campbell, int digits, char *buffer, size_t size);
/* A row a value: of each line frequency in Hz, real and imaginary part. */
DAL_API int dal_campbell_csv(const dal_campbell *campbell, char *buffer, size_t size);
/* orders: for each k, a line at k times the parameter (rad/s) over 2 pi. width, height: pixels; 0: the default. title: NULL, none. As
 * dal_plot_svg. */
DAL_API dal_status dal_campbell_svg(const dal_allocator *allocator, const dal_campbell *campbell, int n_orders, const double *orders, int width,
                                    int height, const char *title, dal_messages *messages, char **text);

/* ---- frequency response ------------------------------------------------------------------------ */

/* Amplitudes y = G(i omega) u of the outputs over those of the inputs. A drive is one input, although it has three columns of B. */
typedef struct dal_response {
    const dal_linearization *linearization; /* freed with the response */
    int n_frequencies, n_outputs, n_inputs;
    const char *const *outputs, *const *inputs;
    const double *omega; /* rad/s */
    const double *re,
        *im; /* [(frequency * n_outputs + output) * n_inputs + input]; infinite at an eigenvalue; NAN where rounding leaves less than three digits */
    int n_infinite;      /* frequencies at which there is one */
    const bool *reached; /* [output * n_inputs + input]: false: the response is zero at every frequency, because nothing leads from the input there */
    void *memory;
} dal_response;

/* As dal_linearize. omega: n_frequencies numbers from 0. */
DAL_API dal_status dal_response_find(const dal_allocator *allocator, const dal_spec *spec, const dal_linear_options *options, int n_frequencies,
                                     const double *omega, dal_messages *messages, dal_response **response);
DAL_API void dal_response_free(dal_response *response);
/* CSV: a row a frequency (Hz, rad/s), of each pair real and imaginary part, magnitude, phase in rad (empty where the response is zero; all empty where rounding left no digits). */
DAL_API int dal_response_text(const dal_response *response, int digits, char *buffer, size_t size);
DAL_API int dal_response_json(const dal_response *response, char *buffer, size_t size);
DAL_API int dal_response_csv(const dal_response *response, char *buffer, size_t size);

typedef struct dal_response_drawing {
    bool nyquist;      /* the curve of G in the complex plane; else magnitude and phase over frequency (Bode) */
    int width, height; /* pixels; 0: the default */
    const char *title; /* NULL: one that is made of the names */
} dal_response_drawing;

/* As dal_plot_svg; options may be NULL. */
DAL_API dal_status dal_response_svg(const dal_allocator *allocator, const dal_response *response, const dal_response_drawing *options,
                                    dal_messages *messages, char **text);

/* ---- equilibrium ------------------------------------------------------------------------------- */

typedef enum dal_stability {
    DAL_STABLE,      /* every displacement that the constraints allow requires work; by eigenvalues: every small motion decays */
    DAL_UNSTABLE,    /* a displacement releases work; by eigenvalues: a small motion grows */
    DAL_INDIFFERENT, /* to second order no displacement releases work, and some require none; by eigenvalues: some are zero */
    DAL_NOT_DECIDED  /* no small motion grows, and some do not decay: first order does not decide; or the position is singular */
} dal_stability;

/* An equilibrium, or a steady motion. */
typedef struct dal_equilibrium {
    dal_system_info info; /* as that of a linearisation */
    double time;
    bool steady;   /* it moves */
    int n_choices; /* of a steady motion: number of rates that are free to choose and not given; the nearest to the start are used */
    int n_coordinates;
    const char *const *coordinates; /* channels: coordinates of the model, of joints and of bodies */
    const double *values;
    const double *rates; /* of a steady motion; zero at rest */
    dal_stability stability;
    bool by_eigenvalues; /* forces without a potential or states of the model act, or it moves; else by the second variation */
    int n_stiffnesses;
    const double *stiffnesses; /* of the second variation on the constraints, over the mass: 1/s^2, ascending; squares of the frequencies */
    int n_softest;             /* shares of the direction of the first one */
    const dal_mode_share *softest;
    int n_free;              /* directions without a restoring force */
    const char *const *free; /* the part that moves most in each */
    int n_detours;           /* displacements that constraints of velocities allow by detours only: a stable equilibrium has others beside it there */
    int n_modes, n_zeros;    /* by eigenvalues: those that are not zero, and how many are */
    const dal_mode *modes;
    bool
        drifts; /* at rest, without growing eigenvalues: zeros depend on each other, and a displacement begins a motion that grows as a power of time */
    int n_reactions;
    const dal_evaluation_reaction *reactions;
    int n_frictions; /* joints with dry friction: while they stick, positions near it are equilibria as well */
    const char *const *frictions;
    bool held; /* by dry friction that sticks in these joints, at the start of the model: one of a set of equilibria. Stability is not decided */
    const char *singular; /* a constraint that depends on others here and not nearby: stability is not decided; else NULL */
    void *memory;
} dal_equilibrium;

/* An equilibrium near the start of the model: forces balance, nothing moves, the model's own states do not change. A start that is an equilibrium is
 * kept, stable or not; from any other start, the search decreases the potential. There may be other equilibria. DAL_BAD_MODEL: there is none nearby
 * (a message names the part that runs away), or a drive moves. The balance does not need dry friction, unless none is found without: then the start of
 * the model is kept if friction holds it there (`held`). */
DAL_API dal_status dal_equilibrium_find(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_equilibrium **equilibrium);
/* A steady motion near the start: the mechanism keeps its shape and moves as a whole, bodies may spin about their own axes of symmetry, and drives
 * move at constant rates. n rates are given; everything that they do not determine stays as near to the start as possible. DAL_BAD_MODEL: there is
 * no such motion. */
DAL_API dal_status dal_steady_find(const dal_allocator *allocator, const dal_spec *spec, int n, const dal_steady *steady, dal_messages *messages,
                                   dal_equilibrium **motion);
DAL_API void dal_equilibrium_free(dal_equilibrium *equilibrium);
DAL_API int dal_equilibrium_text(const dal_equilibrium *equilibrium, int digits, char *buffer, size_t size);
DAL_API int dal_equilibrium_json(const dal_equilibrium *equilibrium, char *buffer, size_t size);

/* Equilibria that were found from several starts: the first is that of the model, the others are random and the same for the same seed. There may be more. */
typedef struct dal_equilibria {
    int starts, failed; /* failed: starts from which none was found */
    int n;
    dal_equilibrium **list; /* freed with this struct; in the order in which they were found */
    int *times;             /* how often each was found */
    void *memory;
} dal_equilibria;

/* As dal_equilibrium_find; starts: 1 to 1000000. DAL_BAD_MODEL: all starts failed. */
DAL_API dal_status dal_equilibria_find(const dal_allocator *allocator, const dal_spec *spec, int starts, uint64_t seed, dal_messages *messages,
                                       dal_equilibria **equilibria);
DAL_API void dal_equilibria_free(dal_equilibria *equilibria);
DAL_API int dal_equilibria_text(const dal_equilibria *equilibria, int digits, char *buffer, size_t size);
DAL_API int dal_equilibria_json(const dal_equilibria *equilibria, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
