/* A simulation: the integrator's loop on one side (integrate/drive.c), a state on the other, and the measurements between them. A run is a simulation
 * that is stepped once, to its end.
 *
 *   run.c               a whole run: dal_run
 *   simulation.c        the object: options, memory, steps, looks, inputs, reading
 *   opening.c           its states and memory, and how it begins
 *   sampling.c          inputs that are sampled and held, and the controller of the user: what happens at control periods
 *   saving.c            all of it as a blob, and back
 *   step.c              what one step does: the hooks of the loop, in the order of a step
 *   implicit_hooks.c    the formulation's own equations, for integrators that solve them as they stand
 *   singular_passage.c  singular positions: steps that avoid them, the branch that is kept, the rank
 *   impacts.c           velocities and energies that jump
 *   travel.c            joints that leave limits which nothing enforces
 *   meetings.c          points that meet while a force acts along the line between them
 *   compiled.c          generated code in the place of the engine's right side
 *   compiled_make.c     that code: made, matched with the model, compared with the engine
 *   code_cache.c        its compiler and its objects; code_folder.c: their folder; code_memory.c: which object was made of which model
 *   known_code.c        a digest of all that the code follows from: a run whose code exists derives nothing
 *   sample_states.c     random states on the constraints, to compare it at
 *   shared_code.c       the same for all runs of a study
 *   standing.c          discs that lie flat, blades that stand on end
 *   step_stiffness.c    |lambda| h, estimated every so many steps
 *   measure_evidence.c  residuals, energies, momenta at every step, and their summary
 *   explain_end.c       why a run ended before its time
 *   run_warnings.c      what a user should know about a run that went through
 *   evidence.c          the evidence as text and as JSON
 *
 * A file that remembers something has a struct, below or in its own header, and writes it. A simulation begins with all of them zero.
 */
#ifndef DAL_RUN_RUN_H
#define DAL_RUN_RUN_H

#include "dalembert/simulation.h"
#include "integrate/drive.h"
#include "run/meetings.h"
#include "run/travel.h"
#include "state/evaluate.h"
#include "state/hold.h"

/* The energy balance of the model, or of an island of it. */
typedef struct dal_balance {
    double mass, weight, pace;           /* its largest mass, m g L, m (L / T)^2: the scale of energies is the sum of the last two; constant */
    double start, potential_start;       /* T + V - W, and V, of the first state */
    double energy_last, work_last;       /* T + V, and W, of the last one */
    double kinetic_most, potential_most; /* largest T and |V - V_start| */
    double worst;                        /* largest |T + V - W - start| */
    double work_path;                    /* sum of |changes of W| */
    double moving, moving_last;          /* T + |V - V_start|: now, at the end of the last step */
    double moving_sum;                   /* its integral over time until then */
} dal_balance;

/* Written by measure_evidence.c. */
typedef struct measured {
    bool started;                                                   /* the first state was measured */
    dal_balance whole, *island;                                     /* of each island; NULL: there is one */
    double *energies;                                               /* scratch: T, V, W of each island */
    double moving_time;                                             /* the end of the last step */
    double momentum_start[6], momentum_scale[2], momentum_worst[2]; /* linear, then angular; largest sizes and drifts of both kinds */
    double *ignorable;                /* momenta of the ignorable coordinates: at the start, now, their sizes now, the largest, the worst drift */
    double open;                      /* the largest residual of a row, in its unit */
    double rates_open;                /* of a row on velocities: relative to the sizes of its terms */
    double rates_miss;                /* that residual */
    int rates_joint;                  /* 1 + the joint or constraint that it belongs to; 0: there is none */
    double speeds_worst, speeds_time; /* largest condition of [Y; A], and when */
    int shared_friction;              /* 1 + the joint whose friction follows a force that is not unique; 0: there is none */
    double *guard, *guard_most;       /* of the switches, at the last row; the largest so far. NULL: no switches */
    bool missed;                      /* a switch changed and changed back inside a step; which, and when */
    int missed_switch;
    double missed_time;
} measured;

/* Written by singular_passage.c; all of the last accepted step. */
typedef struct passage {
    bool begun;                       /* there is a last step */
    double *v, t, balance;            /* velocities, time, T + V - W */
    double balance_change;            /* from the step before to it */
    bool near;                        /* it was near a singular position */
    long charts;                      /* changes of chart until then */
    double acceleration_most;         /* largest |dv| / dt of a step away from singular positions */
    double fastest;                   /* largest velocity so far, in lengths and radians */
    int ends_avoided, stages_avoided; /* since then */
    bool singular_start;              /* the start is a singular position: dal_check_before_run; set by opening.c */
} passage;

/* Written by step_stiffness.c. */
typedef struct stiffness {
    double *direction;             /* of the power iteration; NULL: the method has no limit of stability */
    double *probe, *slope;         /* scratch: 2 n_y, n_y */
    long steps;                    /* accepted so far */
    double fastest, fastest_early; /* largest |lambda| of a fixed step; before the direction has settled */
    long probes, stiff_probes;     /* of an adaptive method: probes of |lambda| h, and those near the limit of stability */
    double stiff_product;          /* sum of |lambda| h over the latter */
} stiffness;

/* Callbacks of the user; written by step.c, opening.c, sampling.c, simulation.c, saving.c, compiled_make.c. */
typedef struct callbacks {
    double clock_start, clock_last; /* s: when the run began, when `progress` was called last */
    double clock_checkpoint;        /* s: when `checkpoint` is called next; 0: not known yet */
    bool checkpointed;              /* it was called */
    dal_status sink_status;         /* of the sink and of `frame` */
    bool stopped;                   /* by `progress` */
    dal_tenancy tenancy;            /* of `viewer` and options->final */
    bool lent;                      /* now; written by opening.c */
    bool rewritten;                 /* `frame` has changed y of the viewer */
    double rewritten_time;
} callbacks;

/* Of dal_step_fixed; written by simulation.c. A histogram of wall times, 16 bins an octave from 2^-30 s on: the median is known to half a bin. */
enum { DAL_TIME_BINS = 16 * 40 };
typedef struct timing {
    long calls, bin[DAL_TIME_BINS];
    double longest;
} timing;

typedef struct dal_simulation run;
struct dal_simulation {
    const dal_system *system;
    dal_run_options options;
    dal_allocator allocator;
    dal_messages *messages;
    dal_messages *judged;  /* the result of dal_simulation_evidence, updated at each call; NULL: not called yet */
    dal_status status;     /* of the step that failed; DAL_OK: none has */
    dal_state *state;      /* what is integrated */
    dal_state *viewer;     /* rows and probes are computed here, so that looking does not change the motion */
    dal_state *reader;     /* what users see between steps; NULL: not readable */
    dal_evidence evidence; /* filled by measure_evidence.c, but for steps, rows_recorded, time_end (step.c); fixed_*, warnings (simulation.c);
                            * compiled (compiled.c); restored (saving.c); what is known before the start (opening.c) */
    uint64_t contents;     /* of the model: dal_run_contents; 0: not asked yet */
    void *memory;          /* of the arrays below */
    double *y;             /* integrated by the driver */
    double *row;           /* one of the record */
    double *slope;         /* y' where it is linearised */
    double *stage;         /* a copy of y: at the projected stage, or before the projection */
    double *unit;          /* of each component of y: dal_state_units */
    double *drive;         /* dal_drive_work */
    dal_ode ode;           /* step.c */
    driver driver;
    double *seen, *seen_row; /* the state seen by dal_look, and its columns: simulation.c */
    double t_seen;           /* its time */
    bool looking;            /* the present time is t_seen, inside the step that the driver holds back */
    bool read;               /* the reader is at the present state, and seen_row are its columns */
    bool jump;               /* an input was set: the next step begins without a past */
    bool in_callback;        /* the simulation may not be stepped */
    bool controlling;        /* it is options.control that was called: inputs may be set */
    long controls;           /* calls of options.control so far */
    long *samples;           /* of each input that is sampled and held: how often so far */
    double *sampled;         /* scratch: their values */
    timing timing;
    measured measured;
    passage passage;
    stiffness stiffness;
    callbacks callbacks;
    dal_meetings meetings;             /* meetings.c */
    dal_travel travel;                 /* travel.c */
    double *along;                     /* standing.c; NULL: no such joint */
    dal_implicit implicit;             /* the formulation's own equations, where the integrator takes them: implicit_hooks.c */
    struct dal_compiled_run *compiled; /* compiled.c; NULL: not asked for */
};

/* ---- opening.c ------------------------------------------------------------------------------------- */

/* Can these options be used? False with a message. */
bool dal_simulation_accepts(const dal_system *system, const dal_run_options *options, dal_messages *messages, const char *function);
/* Everything zero, then options, states and memory. `readable`: users may read it between steps. On failure it can be closed. */
dal_status dal_simulation_open(run *r, const dal_system *system, const dal_run_options *options, bool readable, dal_messages *messages);
/* The start: what `check` says of it, the sink, the driver with its first row. */
dal_status dal_simulation_begin(run *r);
/* Releases states and memory. */
void dal_simulation_close(run *r);
/* begin: the states that users may see belong to the simulation, and the system must not be freed. Otherwise this ends. */
void dal_simulation_claim(run *r, bool begin);

/* ---- simulation.c ----------------------------------------------------------------------------------- */

/* To `until`, with control periods and inputs on the way. */
verdict dal_simulation_go(run *r, double until);
/* The sentence about a motion that cannot continue, once, into the simulation's messages; then its status. */
dal_status dal_simulation_failure(run *r);
/* Evidence and warnings as if the motion ended here, into r->evidence and messages. */
dal_status dal_simulation_judge(run *r, dal_messages *messages);
/* The warnings of the model, then those of `messages` behind `before` (NULL: from the first one on). */
void dal_gather_warnings(const dal_system *system, dal_messages *messages, const dal_message *before, dal_evidence *evidence);

/* ---- sampling.c --------------------------------------------------------------------------------------- */

/* When an input is sampled, or the controller called, next; infinite: never. */
double dal_next_control(const run *r);
bool dal_is_due(const run *r, double t); /* at t */
/* What is due at the present time of the driver. */
verdict dal_call_controls(run *r);
/* The samples that are due, at the present state; at the start before there is a driver. */
dal_flow dal_sample_inputs(run *r, double t, double t_start, const double *y);

/* ---- saving.c ---------------------------------------------------------------------------------------- */

/* dal_simulation_restore of options.resume, in words about the file that it comes from. */
dal_status dal_simulation_resume(run *r);
/* dal_system_contents, asked once. */
uint64_t dal_run_contents(run *r);

/* ---- step.c ---------------------------------------------------------------------------------------- */

/* The hooks of the integrator's loop for this system. */
dal_ode dal_step_hooks(run *r);
/* Switches of the model's expressions: the first of the guards, before those of friction. */
int dal_switches(const dal_system *system);
/* What each of them compares at the present evaluation (dal_program_operands), and its text. */
void dal_switch_operands(const dal_system *system, const dal_state *state, int *op, double *a, double *b);
const char *dal_switch_text(const dal_system *system, int i);
/* What fails at a trial state may succeed with a smaller step. */
static inline dal_flow dal_recoverable(dal_flow flow)
{
    return flow < 0 ? 1 : flow;
}
/* Copies the results of the run (charts, rows, turns) to the viewer. */
static inline void dal_update_viewer(run *r)
{
    dal_state_copy(r->state, r->viewer);
}
/* Copy y to an evaluated state, for users. Returns the state's own y. */
const double *dal_show_state(dal_state *state, const double *y);
/* s of wall time. */
double dal_clock(void);

/* ---- implicit_hooks.c ------------------------------------------------------------------------------- */

/* Sets the formulation's implicit form in `ode`, if the integrator uses it: implicit_hooks.c. */
dal_status dal_offer_implicit(run *r, dal_ode *ode);
/* Exact derivatives of y', for integrators that solve by Newton's method, where the model has them. False: no memory. */
bool dal_offer_slopes(run *r, dal_ode *ode);
/* What Newton's matrix is made of, for the evidence; "": there is none. */
const char *dal_slopes_kind(const run *r);

/* ---- singular_passage.c ------------------------------------------------------------------------------ */

/* Near a singular position: the stage y on the constraints, in r->stage; else y itself. */
const double *dal_passage_stage(run *r, double t, const double *y);
/* After an evaluation, and after a projection: is this too near for a stage, and for an end of a step? 0: no. */
dal_flow dal_passage_avoid_stage(run *r);
dal_flow dal_passage_avoid_end(run *r);
/* At an accepted state: the rank, where it may have changed; then velocities and energy, which must not jump. */
dal_flow dal_passage_rank(run *r);
dal_flow dal_passage_check(run *r, double t);
/* The scale of energies while hardly anything has moved. */
double dal_energy_rounding(const run *r);
/* Of a run that ended near a singular position: which one, as a part of a sentence. */
const char *dal_passage_text(run *r, char *buffer, size_t size);

/* ---- impacts.c ---------------------------------------------------------------------------------------- */

/* Velocities before and after the projection of a step. */
dal_flow dal_check_correction(run *r, const double *before, const double *after);
/* The balance of energy over the last step. */
dal_flow dal_check_loss(run *r);

/* ---- step_stiffness.c --------------------------------------------------------------------------------------- */

void dal_stiffness_probe(run *r, double t, const double *y); /* at an accepted state; rarely more than a counter */
double dal_stiffness_found(const run *r);                    /* |lambda| h of fixed steps; NAN: not known */
void dal_stiffness_warn(const run *r, dal_messages *messages);

/* ---- measure_evidence.c --------------------------------------------------------------------------------- */

void dal_measure_begin(run *r);                                              /* before the first step */
void dal_measure_motion(run *r, dal_state *state, const dal_energy *energy); /* at the present kinematics and forces of `state` */
void dal_measure_step(run *r, double t);                                     /* after it, at the end of a step: the energy that moves on average */
void dal_measure_speeds(run *r, double t);                                   /* condition of the speeds */
void dal_measure_switches(run *r, double t);                                 /* at a row: switches that were missed before it */
void dal_measure_reactions(run *r);                                          /* at the first row: those that are not unique */
void dal_measure_end(run *r, const dal_drive_result *result);
/* The energy below which a motion is rounding; `rounding` is the share of the energies at rest that counts as such. */
double dal_balance_rest(const run *r, const dal_balance *b, double rounding);
/* The drift of a balance, relative to the energy that moved; NAN: nothing did. */
double dal_balance_drift(const run *r, const dal_balance *b);

/* ---- explain_end.c, run_warnings.c ------------------------------------------------------------------------ */

/* The message of a run that ended early, and its status: explain_end.c. */
dal_status dal_explain_end(run *r, const dal_drive_result *result, dal_messages *messages);
void dal_warn_of_inputs(const run *r, dal_messages *messages); /* before a run */
/* After it. An energy balance that is lost makes an error of a run that was fine. */
dal_status dal_warn_after_run(const run *r, dal_status status, dal_messages *messages);

#endif
