/* What a compiled model is: const, one packed block, shared by threads. And the tables of choices that it is made with. */
#ifndef DAL_MODEL_SYSTEM_H
#define DAL_MODEL_SYSTEM_H

#include "base/arena.h"
#include "base/block.h"
#include "dalembert/run.h"
#include "dynamics/friction.h"
#include "expr/expr.h"
#include "force/force.h"
#include "force/signal.h"
#include "integrate/integrate.h"
#include "kinematics/layout.h"
#include "model/life.h"
#include "model/origin.h"
#include "tree/sweep.h"
#include "base/reason.h"

typedef struct dal_formulation dal_formulation;
typedef struct dal_stabilization dal_stabilization;
struct dal_equations; /* dynamics/equations.h */
struct dal_more_rows; /* the same */

/* The choices that a user has, each a const table in its own file. `applies` writes why and returns false where the
 * choice cannot be honoured: it is asked at compile, by `list`, and by the tests. */
struct dal_formulation {
    const char *name, *title;
    bool (*applies)(const dal_system *system, dal_refusal *why);
    int (*equations)(const dal_system *system);   /* accelerations solved for */
    int (*multipliers)(const dal_system *system); /* solved together with them */
    size_t (*work)(const dal_system *system);     /* doubles of state->scratch->solver */
    /* What the integrator sees instead of v: w, speeds u, or a part of v. All NULL: w = v. */
    int (*speeds)(const dal_system *system);               /* length of w */
    dal_flow (*unpack)(dal_state *state, const double *w); /* w -> work.v; positions and A are known */
    dal_flow (*pack)(dal_state *state, double *w);         /* work.v -> w; positions and A are known */
    bool ignores;                                          /* takes the momenta of ignorable coordinates for constants */
    double (*unit)(const dal_state *state, int k);         /* of w_k: lengths and radians a second that a unit of it is made of */
    bool chooses;                                          /* uses Y: speeds of the model, or a choice of its own */
    bool recursive;                                        /* works on the links of the tree: M and A are not wanted */
    bool components;                                       /* works on state->network */
    bool least_norm;                                       /* gives the least acceleration where several satisfy the equations */
    bool saddle;                              /* v' and lambda are solved for together, from M and A: a stabilization may solve instead */
    const char *stabilization;                /* taken where the model names none; NULL: mass-projection */
    const struct dal_implicit_form *implicit; /* its equations for integrators that solve F(t, y, y', z) = 0; NULL: none */
    const struct dal_more_rows *more;         /* rows beside A that the velocities obey; NULL: none */
    /* From M, h, Q, A, gamma to v' and lambda; with speeds also to wd. */
    dal_flow (*solve)(dal_state *state);
    /* M dv - A^T dlambda = f, A dv = b on the independent rows, from the factors that solve left; adds to wd. NULL: cannot. See refine.c. */
    void (*correct)(dal_state *state, const double *f, const double *b, double *dv, double *dlambda);
    /* The matrices that it solves, for `equations`; after solve. See dynamics/equations.h. */
    void (*show)(dal_state *state, struct dal_equations *equations);
};

/* dal_implicit of a formulation, on a state. `ready`, before a run, lays out the pattern: *offered is false where the model has what the
 * form cannot hold. */
typedef struct dal_implicit_form {
    dal_status (*ready)(dal_state *state, dal_implicit *form, bool *offered);
    dal_flow (*begin)(dal_state *state, double t, const double *y, double *yd, double *z);
    dal_flow (*residual)(dal_state *state, double t, const double *y, const double *yd, const double *z, double *F);
    dal_flow (*jacobian)(dal_state *state, double t, double c, const double *y, const double *yd, const double *z, double *entries);
    bool (*stale)(const dal_state *state); /* other rows count as independent than at `begin`: begin again */
} dal_implicit_form;

struct dal_stabilization {
    const char *name, *title;
    const char *const *options; /* that it may be followed by, ends with NULL; the first one may be given as a number alone. NULL: none */
    bool (*applies)(const dal_system *system, dal_refusal *why); /* NULL: always */
    bool stabilises_gamma;                                       /* baumgarte, penalty: gamma - 2 alpha phi' - beta^2 phi */
    bool mass_metric;                                            /* its corrections are the least in the metric of the masses */
    /* Puts y back on the constraints; NULL: nothing to do. */
    dal_flow (*project)(dal_state *state, double t, double *y);
    /* Accelerations and multipliers, instead of those of a formulation with `saddle`; NULL: the formulation's own. */
    dal_flow (*solve)(dal_state *state);
    size_t (*work)(const dal_system *system); /* doubles of state->scratch->projector */
};

extern const dal_formulation *const dal_formulations[];     /* dynamics/list.c; ends with NULL */
extern const dal_stabilization *const dal_stabilizations[]; /* integrate/stabilization.c; ends with NULL */

/* A program with the signals that it reads. */
typedef struct dal_compiled {
    dal_program *program; /* NULL: no outputs */
    int n_needs, *needs;  /* signals that have to be known first */
    int n_outputs;
    bool shared; /* both lie in the memory of the system's origin */
} dal_compiled;

/* A force or a drive, for channels and messages. */
typedef struct dal_force_name {
    const char *name;
    int measure; /* or -1 */
    bool along;  /* its scalar force acts along the measure */
    double zero; /* what its channel .length adds to the measure */
} dal_force_name;

/* By how much assembly changed what was given of a body; what was not given was free, and is 0 here. */
typedef struct dal_start_change {
    double shift, turn, velocity, spin; /* m, rad, m/s, rad/s */
} dal_start_change;

typedef struct dal_start {
    double r[3], R[9], rd[3], w[3], angle; /* after assembly; angle: unwrapped, planar */
    dal_start_change change;
} dal_start;

/* A force along a measure that belongs to a joint: `non-ideal:`. */
typedef struct dal_law {
    int joint, measure, expression;
} dal_law;

struct dal_system {
    void *memory;                          /* the block that this struct lies in */
    const struct dal_owner *const *owners; /* of the parts of a state (state/state.h); ends with NULL */
    dal_allocator allocator;
    dal_life *life;
    dal_origin *origin;   /* its description; NULL: of an analysis, which varies nothing */
    const dal_spec *spec; /* the same with the values of this system */
    const dal_arena *own; /* what of it is not the origin's; NULL: nothing */
    dal_mechanism mechanism;
    dal_layout layout;

    dal_links *links;               /* the joint tree, for recursion; NULL: another family, or bodies on particles */
    const dal_recursion *recursion; /* for this machine */
    dal_loops *loops;               /* formulation `recursive`: the rows on top of the tree; else NULL */
    dal_sweep *sweep;               /* where these can be taken branch by branch; else NULL */
    dal_program **joint_forms;      /* formulation `component`: the forms of each joint by themselves, or NULL; else NULL */

    const dal_formulation *formulation;
    const dal_stabilization *stabilization;
    const dal_integrator *integrator;
    double alpha, beta; /* baumgarte, penalty */
    double penalty;     /* penalty: its factor */
    int penalty_passes; /* penalty: how often the accelerations are solved for; 0: until they stay */
    double tolerance;   /* that the model gives for projections, infinite: none (dal_projection_tolerance); penalty: of the accelerations, relative */
    double rank_tolerance;
    bool minimum_norm; /* accelerations that nothing determines: the least ones, instead of a refusal */
    int determined;    /* then: rank [M; A] at the start; -1: not known yet */
    bool undetermined; /* compiled for evaluations only: at the start its accelerations are not determined */
    double event_tolerance, max_step;

    int n_laws, n_frictions;
    dal_law *laws;
    dal_friction *frictions;
    int n_groups, n_forces;
    dal_force_group *groups;
    dal_force_name *forces;

    int n_signals; /* variables of every program below */
    dal_signal *signals;
    dal_compiled drives;  /* 3 outputs a time function: f, f', f''; reads time only */
    dal_compiled actions; /* expressions of forces, then rates of states */
    dal_compiled records; /* recorded columns */
    int n_expressions;    /* how many of the actions belong to forces */
    bool *idle;           /* of these: written as the number zero */
    int n_inputs, n_states, n_tables;
    const char **input_names, **table_names, **state_names;
    dal_text *action_texts;    /* what the actions were written as, and where */
    double *inputs, *states;   /* start values */
    int n_recorded, n_columns; /* of the columns: those of files of results; with those that only pages show */
    dal_column *columns;       /* the first one is time */
    bool records_reactions;    /* a recorded column needs accelerations or reactions */

    bool works;                /* non-potential forces or drives exist: the work is a state */
    int n_y, n_control;        /* length of y; how much of it controls the step */
    dal_start *start;          /* of each body */
    double *start_q, *start_v; /* family `user` */
    double *start_change;      /* family `user`: of each given coordinate, then of each given rate */
    double *start_winding;
    double length, mass, time;     /* the model's own units: scale.c */
    double *state_scale;           /* of each state of the model */
    int rank;                      /* at the start */
    int *start_order;              /* rows, independent ones first */
    double *column_scale;          /* of each velocity: what a unit of it moves, in metres */
    double *column_unit;           /* the same inverted: what of it moves a metre */
    double *row_unit;              /* of each row: what a residual is measured by */
    int n_w;                       /* what the integrator sees of the velocities */
    int n_ignorable, *ignorable;   /* columns of v that are ignorable coordinates (Definition 1 of `volterra-reduced`), ascending */
    int *start_speeds;             /* automatic speeds: columns of v, p of them */
    const char **coordinate_names; /* of the model's own */
    const char **speed_names;
    bool plain_names;   /* see dal_spec */
    unsigned conserved; /* bits 0..2 linear, 3..5 angular (about the centre of mass) of the whole model */
    dal_system_info info;
    const dal_arena *said; /* what the warnings lie in */
    int n_warnings;
    const dal_message *const *warnings; /* about the model: of its text, then of compile */
    double gravity[3];
    bool compliant; /* joints give compliances: redundant reactions are distributed by them */
    bool dense;     /* the saddle matrix is factored as a dense one */
    bool careful;   /* small enough for dense work near singular positions */
    bool small;     /* ranks and what hangs on them are found on dense matrices */
    int n_kkt;      /* entries of its sparse pattern (columns) */
    int *kkt_start, *kkt_row;
    int *kkt_mass, *kkt_rows, *kkt_diagonal; /* slots: of M; of A twice (below and right of M); of the rows' diagonal */
};

/* ---- coordinate_names.c ---------------------------------------------------------- */

/* "x of 'crank'", "A.angle", "th1": coordinate k of q. And of velocity k of v, with a prime or as a rate. */
void dal_coordinate_name(const dal_system *system, int k, char *buffer, size_t size);
void dal_velocity_name(const dal_system *system, int k, char *buffer, size_t size);

#endif
