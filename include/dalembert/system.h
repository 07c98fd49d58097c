/* A system: a spec compiled for one family of coordinates, one formulation, one
 * stabilisation and one integrator. Constant after compile; any number of
 * threads may share it. What changes lives in a state, one a thread.
 */
#ifndef DALEMBERT_SYSTEM_H
#define DALEMBERT_SYSTEM_H

#include "dalembert/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_system dal_system;
typedef struct dal_state dal_state;

/* Replace one entry of the spec's `simulate:` block, as the command line does. `key` is the language's key ("step",
 * "integrator", ...); `text` is a number or expression, or for a choice "word", "word=number" or
 * "word:option=value,option=value". False with a message if it cannot be: no such key, no memory, a spec without memory of its own (made by
 * hand). Whether the value can be used is seen by dal_compile. */
DAL_API bool dal_spec_set(dal_spec *spec, const char *key, const char *text, dal_messages *messages);
/* Record these channels, or expressions of them, in the place of those of the model. DAL_BAD_COMMAND for a spec without memory of its own. Whether
 * there are such channels is seen by dal_compile. */
DAL_API dal_status dal_spec_record(dal_spec *spec, int n, const char *const *channels, dal_messages *messages);

/* Check and compile: every error found is in `messages`; on error *system is NULL. The spec may be changed or freed afterwards. */
DAL_API dal_status dal_compile(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);
/* The same for dal_evaluate (evaluation.h) alone: a model whose accelerations are not determined, because parts of it have no mass,
 * compiles, too, and the sentence by which dal_compile refuses it is a warning. A run of it stops at the start. */
DAL_API dal_status dal_compile_for_evaluation(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);

/* dal_system_vary makes a system that differs from another one, the base, in some of its numbers: another length, another start angle, another gain.
 * It is for sweeps, fits and sliders. The base is not changed, and what the two have in common is computed once and shared.
 *
 * The new system is the one that dal_compile gives for the model with these numbers in its text: every digit of its runs, its warnings and its
 * model_hash are those of a model that was read with the override "name=value" (dal_spec_read, `--set`), the value written with as few digits
 * as it takes. Names and values follow the overrides of the base.
 *
 *   name               value
 *   "L", "left.L"      a parameter, also of an included model. Parameters that are written as expressions in it change with it
 *   "u"                an input: what a run begins with (dal_state_set_input changes that of one state)
 *   "z"                the start value of a state of the model (`states:`)
 *   "q", "q'"          start value and rate of a coordinate of the model's own (`coordinates:`)
 *   "bar.x", "bar.y'"  a component of the `position` or `velocity` that the model writes for a body; so "bar.z", "bar.omega.x"
 *   "bar.angle"        the `angle` of a body in the plane; "bar.angle'" its `rate`
 *   "A.angle"          the `start:` of a joint: "A.angle", "A.distance", and "A.angle'" or "A.distance'" for its `rate`
 *
 * A start value of a body or joint can be varied only where the model writes one: an omitted value follows from the rest and has no value of its
 * own. Assembly moves varied start values as it moves written ones, and keeps those with `fix: true`.
 *
 * Numbers alone take a fraction of a compile, from the second call on: the first one for a base is as slow as dal_compile, because it remembers what
 * the others use. Where the new values need assembly (a link that became longer), that takes as long as it takes. If the reader itself used a
 * parameter, for how many elements there are (`repeat:`), for tables, blocks or the `set:` of included models, the text of the model is read again,
 * with the files that it names, and all is compiled; a note says so. If the values give the model another structure (a mass that becomes zero), all is
 * compiled, and a note says so. The result is the same in every case.
 *
 * Any number of threads may vary one base at the same time, while others run it. The base may be freed before its varied systems or after them;
 * so may the spec. A varied system may be varied again. The base's allocator keeps what is shared, and is called from the threads that vary and
 * free.
 *
 * DAL_BAD_COMMAND with a sentence, and *system is NULL: a name that means none of these (with the nearest that does), or is given twice; a value
 * that is NaN or infinite; n < 0, a NULL where there must not be one. DAL_BAD_MODEL with the messages of dal_compile: with these values the model
 * is refused. n may be 0. */
DAL_API dal_status dal_system_vary(const dal_allocator *allocator, const dal_system *base, int n, const char *const *names, const double *values,
                                   dal_messages *messages, dal_system **system);
/* Frees it at once. Its states may be freed later, but not be used. While a run of it lasts (from a callback, or another thread) it is not
 * freed: an assertion in debug builds. */
DAL_API void dal_system_free(dal_system *system);

/* Sizes and names. */
typedef struct dal_system_info {
    const char *model, *model_hash, *version;
    dal_space space;
    const char *coordinates, *formulation, *stabilization, *integrator;
    int bodies, joints;
    int coordinates_count;       /* nq */
    int velocities;              /* nv */
    int constraints;             /* rows r */
    int rank;                    /* k, at the start */
    int freedoms;                /* p = nv - k */
    int equations;               /* accelerations solved for */
    int multipliers;             /* solved together with them */
    int states;                  /* length of the integrator's y */
    int ignorable;               /* coordinates whose momenta are conserved (families user and joint) */
    const char *ignorable_names; /* "x, y", or "" */
    double length, mass, time;   /* the model's own units */
    double until, step, every, rtol, atol;
    bool start_settled; /* `start: equilibrium`: the start is a static equilibrium */
} dal_system_info;
/* Of NULL: zeros and empty texts. */
DAL_API dal_system_info dal_system_describe(const dal_system *system);

/* The warnings about the model, those of its text and those of compile. They live as long as the system. `n` may be NULL. */
DAL_API const dal_message *const *dal_system_warnings(const dal_system *system, int *n);

DAL_API int dal_system_body(const dal_system *system, const char *name);  /* index or -1 */
DAL_API int dal_system_joint(const dal_system *system, const char *name); /* index or -1; constraints are behind the joints */
DAL_API int dal_system_input(const dal_system *system, const char *name); /* of `inputs:`, index or -1 */
/* A recorded column by its name, as it is written in `record:` (`A.angle`; "time" is the first): index or -1. */
DAL_API int dal_system_column(const dal_system *system, const char *name);

/* A state starts at the assembled start values. NULL without memory, or without a system. */
DAL_API dal_state *dal_state_create(const dal_allocator *allocator, const dal_system *system);
/* Before or after its system. A state that belongs to a run (dal_run_options.frame, final) stays, and a warning at the end of the run says so. */
DAL_API void dal_state_free(dal_state *state);
/* Back to the start. False: it belongs to a run (dal_run_options.frame, final), which is not changed. */
DAL_API bool dal_state_reset(dal_state *state);

/* The flat y of the integrator: (q, w, z); dal_system_info.states numbers, which may be written. NULL without a state. */
DAL_API double *dal_state_y(dal_state *state);
DAL_API double dal_state_time(const dal_state *state);
/* False: the state belongs to a run, or t is not finite; the next evaluation then is an error. */
DAL_API bool dal_state_set_time(dal_state *state, double t);
/* `inputs:` of the model, by name, for evaluations of this state; a run begins with those of the system, or of options->start. False, and nothing is changed: there is
 * none of that name, the value is not finite, or the state belongs to a run, which then ends with a warning. */
DAL_API bool dal_state_set_input(dal_state *state, const char *name, double value);

/* Compute everything at the state's (t, y): kinematics, forces, accelerations, multipliers. DAL_NUMERICAL with a message where there are none, or
 * where t or a number of y is not finite. In a callback of a run the state is evaluated, and DAL_OK the answer as long as y is as it was. */
DAL_API dal_status dal_state_evaluate(dal_state *state, dal_messages *messages);

/* Of a body, after evaluate; world axes. NAN throughout: there is no such body, or the state was not evaluated with success since it was made, reset
 * or given values. */
typedef struct dal_motion {
    double position[3], rotation[9]; /* of the body frame; rotation row-major, body to world */
    double velocity[3], omega[3];
    double acceleration[3], alpha[3];
} dal_motion;
DAL_API dal_motion dal_state_body(const dal_state *state, int body);
/* Force and torque on the second body at its point, world axes; for redundant joints the distribution of least
 * sum |F|^2 + |T|^2 / L^2. Either array may be NULL. False, with NAN: no such joint, or not evaluated. */
DAL_API bool dal_state_reaction(dal_state *state, int joint, double force[3], double torque[3]);

typedef struct dal_energy {
    double kinetic, potential, work; /* work of non-potential forces and drives since the start */
    double linear[3], angular[3];    /* momenta; angular about the origin */
} dal_energy;
/* After evaluate; otherwise NAN. */
DAL_API dal_energy dal_state_energy(const dal_state *state);

/* Largest absolute residual of the rows at position and velocity level, after evaluate; either may be NULL. False, with NAN: not evaluated. */
DAL_API bool dal_state_residuals(const dal_state *state, double *position, double *velocity);

/* q, v and v' after evaluate, whatever the formulation integrates; dal_coordinate_label and dal_rate_label (evaluation.h) name them. Valid until the
 * state is changed. NULL: not evaluated. `n` may be NULL. */
DAL_API const double *dal_state_coordinates(const dal_state *state, int *n);
DAL_API const double *dal_state_velocities(const dal_state *state, int *n);
DAL_API const double *dal_state_accelerations(const dal_state *state, int *n);

/* What the program knows, a line each: for `list`. kind: "joint", "force", "coordinates", "formulation", "stabilization",
 * "integrator", "warning". Returns false after the last one, for negative numbers and for other kinds. name and title may be NULL. */
DAL_API bool dal_list_entry(const char *kind, int index, const char **name, const char **title);

/* The version of the library. */
DAL_API const char *dal_version(void);

#ifdef __cplusplus
}
#endif

#endif
