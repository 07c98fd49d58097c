/* A system: a spec compiled for one family of coordinates, one formulation, one stabilisation and one integrator. It is constant after compile; any
 * number of threads may share it. All changing data are in a state, one for each thread.
 */
#ifndef DALEMBERT_SYSTEM_H
#define DALEMBERT_SYSTEM_H

#include "dalembert/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_system dal_system;
typedef struct dal_state dal_state;

/* Replace one entry of the spec's `simulate:` block, as the command line does. `key` is the language's key ("step", "integrator", ...); `text` is a
 * number or expression, or for a choice "word", "word=number" or "word:option=value,option=value". False with a message: there is no such key, no
 * memory, or the spec has no memory of its own (made by hand). dal_compile checks the value. */
DAL_API bool dal_spec_set(dal_spec *spec, const char *key, const char *text, dal_messages *messages);
/* Record these channels, or expressions of them, instead of those of the model. DAL_BAD_COMMAND: the spec has no memory of its own. dal_compile
 * checks that the channels exist. */
DAL_API dal_status dal_spec_record(dal_spec *spec, int n, const char *const *channels, dal_messages *messages);

/* Check and compile: every error found is in `messages`; on error *system is NULL. The spec may be changed or freed afterwards. */
DAL_API dal_status dal_compile(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);
/* The same for dal_evaluate (evaluation.h) only: a model whose accelerations are not determined, because parts of it have no mass, compiles, too,
 * and the error of dal_compile is a warning. A run of it stops at the start. */
DAL_API dal_status dal_compile_for_evaluation(const dal_allocator *allocator, const dal_spec *spec, dal_messages *messages, dal_system **system);

/* dal_system_vary makes a system that differs from another one, the base, in some of its numbers: another length, another start angle, another gain.
 * It is for sweeps, fits and sliders. The base is not changed, and the common parts of the two are computed once and shared.
 *
 * The new system is equal to the result of dal_compile for the model with these numbers in its text: every digit of its runs, its warnings and its
 * model_hash are those of a model that was read with the override "name=value" (dal_spec_read, `--set`), the value written with as few digits as are
 * needed to read it back. Names and values follow the overrides of the base.
 *
 *   name               value
 *   "L", "left.L"      a parameter, also of an included model. Parameters that are written as expressions in it change with it
 *   "u"                an input: its value at the beginning of a run (dal_state_set_input changes it in one state)
 *   "z"                the start value of a state of the model (`states:`)
 *   "q", "q'"          start value and rate of a coordinate of the model's own (`coordinates:`)
 *   "bar.x", "bar.y'"  a component of the `position` or `velocity` that the model writes for a body; so "bar.z", "bar.omega.x"
 *   "bar.angle"        the `angle` of a body in the plane; "bar.angle'" its `rate`
 *   "A.angle"          the `start:` of a joint: "A.angle", "A.distance", and "A.angle'" or "A.distance'" for its `rate`
 *
 * A start value of a body or joint can be varied only where the model writes one: an omitted value follows from the rest and has no value of its
 * own. Assembly moves varied start values as it moves written ones, and keeps those with `fix: true`.
 *
 * If only numbers change, a call takes a fraction of the time of dal_compile; but the first call for a base is as slow as dal_compile, because it
 * prepares data for the others. If the new values need assembly (a link that became longer), the time of the assembly is added. If the reader itself
 * used a parameter, for the number of elements (`repeat:`), for tables, blocks or the `set:` of included models, the text of the model is read
 * again, with the files that it names, and everything is compiled; a note says so. If the values change the structure of the model (a mass that
 * becomes zero), everything is compiled, and a note says so. The result is the same in every case.
 *
 * Any number of threads may vary one base at the same time, while others run it. The base may be freed before its varied systems or after them; so
 * may the spec. A varied system may be varied again. The shared data are allocated by the base's allocator, which is called from the threads that
 * vary and free.
 *
 * DAL_BAD_COMMAND with a sentence, and *system is NULL: a name that is none of these (the message has the nearest valid name), or is given twice; a
 * value that is NaN or infinite; n < 0, a NULL that is not allowed. DAL_BAD_MODEL with the messages of dal_compile: with these values the model is
 * refused. n may be 0. */
DAL_API dal_status dal_system_vary(const dal_allocator *allocator, const dal_system *base, int n, const char *const *names, const double *values,
                                   dal_messages *messages, dal_system **system);
/* Frees it at once. Its states may be freed later, but must not be used. During a run of it (from a callback, or another thread) it is not freed: an
 * assertion in debug builds. */
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
DAL_API int dal_system_joint(const dal_system *system, const char *name); /* index or -1; constraints follow the joints */
DAL_API int dal_system_input(const dal_system *system, const char *name); /* of `inputs:`, index or -1 */
/* A recorded column by its name, as it is written in `record:` (`A.angle`; "time" is the first): index or -1. */
DAL_API int dal_system_column(const dal_system *system, const char *name);

/* A state starts at the assembled start values. NULL without memory, or without a system. */
DAL_API dal_state *dal_state_create(const dal_allocator *allocator, const dal_system *system);
/* May be called before or after the system is freed. A state that belongs to a run (dal_run_options.frame, final) stays, and a warning at the end of
 * the run says so. */
DAL_API void dal_state_free(dal_state *state);
/* Back to the start. False: it belongs to a run (dal_run_options.frame, final), and is not changed. */
DAL_API bool dal_state_reset(dal_state *state);

/* The flat y of the integrator: (q, w, z); dal_system_info.states numbers, which may be written. NULL without a state. */
DAL_API double *dal_state_y(dal_state *state);
DAL_API double dal_state_time(const dal_state *state);
/* False: the state belongs to a run, or t is not finite; the next evaluation then is an error. */
DAL_API bool dal_state_set_time(dal_state *state, double t);
/* Sets an entry of `inputs:` of the model, by name, for evaluations of this state; a run begins with the inputs of the system, or of options->start.
 * False, and nothing is changed: there is no input of that name, the value is not finite, or the state belongs to a run, which then ends with a
 * warning. */
DAL_API bool dal_state_set_input(dal_state *state, const char *name, double value);

/* Compute everything at the state's (t, y): kinematics, forces, accelerations, multipliers. DAL_NUMERICAL with a message: there are none, or t or a
 * number of y is not finite. In a callback of a run the state is already evaluated, and the status is DAL_OK as long as y is unchanged. */
DAL_API dal_status dal_state_evaluate(dal_state *state, dal_messages *messages);

/* The motion of a body, after evaluate, in world axes. All NAN: there is no such body, or there was no successful evaluation since the state was
 * made, reset or changed. */
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

/* q, v and v' after evaluate, for every formulation; dal_coordinate_label and dal_rate_label (evaluation.h) name them. Valid until the state is
 * changed. NULL: not evaluated. `n` may be NULL. */
DAL_API const double *dal_state_coordinates(const dal_state *state, int *n);
DAL_API const double *dal_state_velocities(const dal_state *state, int *n);
DAL_API const double *dal_state_accelerations(const dal_state *state, int *n);

/* The joints, forces and so on that the program has, one line for each: for `list`. kind: "joint", "force", "coordinates", "formulation",
 * "stabilization", "integrator", "warning". Returns false after the last one, for negative numbers and for other kinds. name and title may be
 * NULL. */
DAL_API bool dal_list_entry(const char *kind, int index, const char **name, const char **title);

/* The version of the library. */
DAL_API const char *dal_version(void);

#ifdef __cplusplus
}
#endif

#endif
