/* The compiled system and its state, as the folders below `system` see them.
 *
 * Road of one evaluation: y -> (q, v, z) -> kinematics -> rows -> loads ->
 * formulation -> (v', lambda) -> y'. evaluate.c is that road, a call a line.
 */
#ifndef DAL_STATE_STATE_H
#define DAL_STATE_STATE_H

#include "base/arena.h"
#include "base/block.h"
#include "dynamics/friction.h"
#include "dalembert/run.h"
#include "expr/expr.h"
#include "force/force.h"
#include "force/signal.h"
#include "integrate/integrate.h"
#include "kinematics/layout.h"
#include "tree/sweep.h"
#include "model/life.h"

#include <assert.h>

typedef struct dal_formulation dal_formulation;
typedef struct dal_stabilization dal_stabilization;
struct dal_equations; /* dynamics/equations.h */
struct dal_speeds;    /* dynamics/speeds.h */
struct dal_more_rows; /* the same */
struct dal_network;   /* component/network.h */

/* The choices that a user has, each a const table in its own file. `applies` writes a sentence and returns false where the
 * choice cannot be honoured: it is asked at compile, by `list`, and by the tests. */
struct dal_formulation {
    const char *name, *title;
    bool (*applies)(const dal_system *system, char *why, size_t size);
    int (*equations)(const dal_system *system);   /* accelerations solved for */
    int (*multipliers)(const dal_system *system); /* solved together with them */
    size_t (*work)(const dal_system *system);     /* doubles of state->solver */
    /* What the integrator sees instead of v: w, speeds u, or a part of v. All NULL: w = v. */
    int (*speeds)(const dal_system *system);                   /* length of w */
    dal_flow (*unpack)(dal_state *state, const double *w);     /* w -> work.v; positions and A are known */
    dal_flow (*pack)(dal_state *state, double *w);             /* work.v -> w; positions and A are known */
    bool ignores;                                              /* takes the momenta of ignorable coordinates for constants */
    double (*unit)(const dal_state *state, int k);             /* of w_k: lengths and radians a second that a unit of it is made of */
    bool chooses;                                              /* uses Y: speeds of the model, or a choice of its own */
    bool recursive;                                            /* works on the links of the tree: M and A are not wanted */
    bool components;                                           /* works on state->network */
    const char *stabilization;                                 /* taken where the model names none; NULL: mass-projection */
    const struct dal_implicit_form *implicit;                  /* its equations for integrators that solve F(t, y, y', z) = 0; NULL: none */
    const struct dal_more_rows *more;                          /* rows beside A that the velocities obey; NULL: none */
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
    bool (*applies)(const dal_system *system, char *why, size_t size); /* NULL: always */
    bool stabilises_gamma; /* baumgarte, penalty: gamma - 2 alpha phi' - beta^2 phi */
    /* Puts y back on the constraints; NULL: nothing to do. */
    dal_flow (*project)(dal_state *state, double t, double *y);
    /* Accelerations and multipliers, instead of those of the formulation `lagrange`; NULL: the formulation's own. */
    dal_flow (*solve)(dal_state *state);
    size_t (*work)(const dal_system *system); /* doubles of state->projector */
};

extern const dal_formulation *const dal_formulations[];       /* dynamics/list.c; ends with NULL */
extern const dal_stabilization *const dal_stabilizations[];   /* integrate/stabilization.c; ends with NULL */

/* A program with the signals that it reads. */
typedef struct dal_compiled {
    dal_program *program; /* NULL: no outputs */
    int n_needs, *needs;  /* signals that have to be known first */
    int n_outputs;
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
    void *memory; /* the block that this struct lies in */
    dal_allocator allocator;
    dal_life *life;
    dal_mechanism mechanism;
    dal_layout layout;

    dal_links *links;          /* the joint tree, for recursion; NULL: another family, or bodies on particles */
    const dal_recursion *recursion; /* for this machine */
    dal_loops *loops;          /* formulation `recursive`: the rows on top of the tree; else NULL */
    dal_sweep *sweep;          /* where these can be taken branch by branch; else NULL */
    dal_program **joint_forms; /* formulation `component`: the forms of each joint by themselves, or NULL; else NULL */

    const dal_formulation *formulation;
    const dal_stabilization *stabilization;
    const dal_integrator *integrator;
    double alpha, beta;        /* baumgarte, penalty */
    double penalty;            /* penalty: its factor */
    int penalty_passes;        /* penalty: how often the accelerations are solved for; 0: until they stay */
    double tolerance;          /* that the model gives for projections, infinite: none (dal_projection_tolerance); penalty: of the accelerations, relative */
    double rank_tolerance;
    bool minimum_norm;         /* accelerations that nothing determines: the least ones, instead of a refusal */
    int determined;            /* then: rank [M; A] at the start; -1: not known yet */
    bool undetermined;         /* compiled for evaluations only: at the start its accelerations are not determined */
    double event_tolerance, max_step;

    int n_laws, n_frictions;
    dal_law *laws;
    dal_friction *frictions;
    int n_groups, n_forces;
    dal_force_group *groups;
    dal_force_name *forces;

    int n_signals;             /* variables of every program below */
    dal_signal *signals;
    dal_compiled drives;       /* 3 outputs a time function: f, f', f''; reads time only */
    dal_compiled actions;      /* expressions of forces, then rates of states */
    dal_compiled records;      /* recorded columns */
    int n_expressions;         /* how many of the actions belong to forces */
    bool *idle;                /* of these: written as the number zero */
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
    double length, mass, time; /* the model's own units: scale.c */
    double *state_scale;       /* of each state of the model */
    int rank;                  /* at the start */
    int *start_order;          /* rows, independent ones first */
    double *column_scale;      /* of each velocity: what a unit of it moves, in metres */
    double *column_unit;       /* the same inverted: what of it moves a metre */
    double *row_unit;          /* of each row: what a residual is measured by */
    int n_w;                   /* what the integrator sees of the velocities */
    int n_ignorable, *ignorable; /* columns of v that are ignorable coordinates (Definition 1 of `volterra-reduced`), ascending */
    int *start_speeds;         /* automatic speeds: columns of v, p of them */
    const char **coordinate_names; /* of the model's own */
    const char **speed_names;
    bool plain_names;          /* see dal_spec */
    unsigned conserved;        /* bits 0..2 linear, 3..5 angular (about the centre of mass) of the whole model */
    dal_system_info info;
    const dal_arena *said;     /* what the warnings lie in */
    int n_warnings;
    const dal_message *const *warnings; /* about the model: of its text, then of compile */
    double gravity[3];
    bool compliant;            /* joints give compliances: redundant reactions are distributed by them */
    bool dense;                /* the saddle matrix is factored as a dense one */
    bool careful;              /* small enough for dense work near singular positions */
    bool small;                /* ranks and what hangs on them are found on dense matrices */
    int n_kkt;                 /* entries of its sparse pattern (columns) */
    int *kkt_start, *kkt_row;
    int *kkt_mass, *kkt_rows, *kkt_diagonal; /* slots: of M; of A twice (below and right of M); of the rows' diagonal */
};

/* An effort along a measure. */
typedef struct dal_push {
    int measure;
    double effort;
} dal_push;

/* Accelerations of a body: the part linear in v', and the whole. */
typedef struct dal_acceleration {
    double r_v[3], R_v[9];
    double rdd[3], alpha[3];
} dal_acceleration;

/* Kinds of factorisations, whose pivot ratios are remembered each by itself. Those of symmetric matrices are before DAL_FACTOR_QR. */
typedef enum dal_factor { DAL_FACTOR_SADDLE, DAL_FACTOR_UNIT, DAL_FACTOR_NETWORK, DAL_FACTOR_QR, DAL_FACTOR_QR_UNIT,
                          DAL_FACTOR_ROWS, DAL_FACTOR_PARTITION, DAL_FACTOR_LEAST, DAL_FACTOR_LEAST_UNIT, DAL_FACTORS } dal_factor;

/* A run that a state belongs to for its time: users may read the state, and not change it. */
typedef struct dal_tenancy {
    const double *y;      /* the run's own; NULL: not known now */
    long refused;         /* calls that would have changed the state */
    const char *function; /* the first of them */
    double time;
    char input[64];       /* where it was dal_state_set_input */
    double value, kept;   /* what it should have become, and what it is */
} dal_tenancy;
/* What refine.c leaves. */
typedef struct dal_refinement {
    double *f, *b, *dv, *dlambda; /* residuals and corrections; NULL where the formulation cannot be refined */
    double *wd;                   /* scratch, n_w */
    double *block;                /* where bodies share coordinates: of the size of the largest block of M */
    long since;                   /* evaluations that were refined */
    double ratio;                 /* largest over smallest inertia; 0: not known yet */
    double worst;                 /* the largest error since the start, over the accelerations */
    int column;                   /* of the velocity that had it */
} dal_refinement;

/* Everything that changes. Doubles come from one block. */
struct dal_state {
    const dal_system *system;
    dal_life *life;            /* of the system */
    dal_allocator allocator;
    dal_tenancy *tenancy;      /* NULL: the state belongs to its user alone */
    bool known;                /* the last evaluation succeeded: what it left may be read by users */
    void *memory;
    dal_work work;
    dal_links_work links;      /* where the system has links */
    dal_loops_work loops;      /* where it has loops */
    dal_sweep_work sweep;      /* where it can be swept */
    bool links_fresh;          /* inertias and wrenches of the links belong to the present q and v and are not yet eliminated */
    bool brief;                /* the last evaluation found v', lambda and the angles that wind, and nothing else: see dal_state_recall */
    bool swift;                /* the last evaluation left out A, M, h and Q: see dal_state_complete */
    bool frames_old, columns_old; /* what the family's `frames` and `position` leave behind belongs to another q */
    double *y, *yd;            /* flat state and its rate */
    const double *given;       /* generalized forces beside those of the model, nv of them; NULL: none */
    int n_pushes;              /* efforts along measures, beside those of the model */
    const dal_push *pushes;
    bool placed;               /* positions and A belong to the present q and t */
    double *vd, *lambda;       /* accelerations, multipliers of all rows */
    double *vd_more;           /* recursive: what refinement adds */
    dal_refinement refinement;
    double *wd;                /* rates of the speeds, of formulations that have them */
    double *momenta;           /* of the ignorable coordinates: constants of the run */
    int *speeds;               /* automatic speeds: columns of v */
    double speeds_condition, speeds_worst; /* of [Y; A_k], rows and columns scaled: now, and the worst since the start */
    double speeds_good, speeds_ranked; /* the condition when the speeds, and when the rows of A_k were chosen; 0: not yet */
    double speeds_steepness;   /* the least that W has been since the speeds were chosen, in what the columns move */
    int speeds_side, speeds_side_kept; /* sign of det [Y; A_k]: now, and at the last accepted step (0: not known) */
    long speeds_changed;
    int *partition, n_partition; /* coordinate-partitioning: the dependent columns of v, ascending; 0 of them: not chosen yet */
    double partition_steepest; /* how far a dependent coordinate moved at most, over the independent one that moved it, since the start */
    long partition_changed;
    struct dal_speeds *basis;  /* S, W and their like, of formulations that choose */
    dal_tangent *tangents;     /* 4 a body: scratch of whoever needs directions for a moment */
    dal_bend *bends;           /* one a body */
    double *gamma;             /* right side of the rows, stabilised */
    double *variables, *registers, *expression, *effort, *inputs;
    int *modes;                /* switches of `actions` */
    int table_left;            /* number from 1 of a table that was left, or 0 */
    bool frozen;               /* the pieces that the modes name are used, also beyond their ends */
    dal_loads loads;
    int determined;            /* minimum-norm: rank [M; A] of the last evaluation */
    int rank, *order;          /* independent rows first; order has n_rows entries */
    double best_ratio[DAL_FACTORS]; /* largest pivot ratios of the run */
    double nearness;           /* pivot ratio or least singular value of the rows over the best: falls like the distance to a singular position */
    bool near_singular;
    double asked_at;           /* where rows are redundant: when A was asked for it */
    bool attentive;            /* the next factorisation is asked for it, however far the position was */
    double *weakest;           /* the combination of rows that says least, of unit norm (saddle.c) */
    double good_ratio[DAL_FACTORS]; /* pivot ratios seen right after the last ranking, by kind of factorisation; 0: not yet */
    bool *independent;         /* the same as a mask */
    double *solver;            /* of the formulation */
    double *projector;         /* of the stabilisation */
    double *saddle, *saddle_rhs, *row_scale; /* the saddle matrix and its factor */
    int *pivots;               /* nv + n_rows + 1 */
    double saddle_ratio;       /* of the last factorisation */
    bool saddle_on_tree;       /* which was one over the links */
    bool saddle_soft;          /* which gave way in all rows: dal_saddle_soften */
    struct dal_sparse *sparse;
    struct dal_network *network; /* of formulations that work on components */
    double *rank_matrix, *rank_work; /* n_rows x nv; scratch, of small systems */
    double *exchange;          /* scratch where rows are nonholonomic and the system small, else NULL */
    bool *loose;               /* 6 a joint: components of its reaction that are not unique */
    double *redundancy;        /* scratch of the distribution of redundant reactions; NULL where no row is redundant */
    double *z;                 /* states of the model, then the work */
    double unwound, *turning;  /* time of the last accepted step, and the rates of the angles there */
    double *still;             /* nv zeros */
    struct dal_acceleration *acceleration;
    double *reaction;          /* 6 a joint */
    double *friction, *friction_work, *slip_direction; /* forces of friction in joints, a component each; see dynamics/friction.c */
    int *slip_mode, *slip_pivots;
    bool *slip_broken;         /* of elements: what stuck has just come loose */
    bool friction_known;
    bool reactions_known, accelerations_known;
    double *attitude;          /* 4 a body: last quaternion, for a continuous sign */
    long evaluations, rerankings, charts;
    int rank_least, rank_most;
    double condition_worst;
    char trouble[400];         /* what went wrong, when a hook stops the run */
};

/* ---- state.c: what users may do with a state ----------------------------------- */

/* Is there a state, and is its system still there? A state that is used after its system was freed is an error of the calling program:
 * an assertion where there are such. */
static inline bool dal_state_usable(const dal_state *state)
{
    assert(!state || !dal_life_is_over(state->life));
    return state && !dal_life_is_over(state->life);
}
/* The same, with a sentence. */
bool dal_needs_state(dal_messages *messages, const char *function, const dal_state *state);
/* The same, and may users change it? */
bool dal_needs_own(dal_messages *messages, const char *function, dal_state *state);
/* May users change it? Not while it belongs to a run, which then hears of it. */
bool dal_state_own(dal_state *state, const char *function);
dal_energy dal_energy_now(const dal_state *state);    /* at the present kinematics and loads */
void dal_residuals_now(const dal_state *state, double *position, double *velocity);

/* ---- evaluate.c: the road of one evaluation --------------------------------- */

/* y -> work->q, v; t. */
dal_flow dal_state_take(dal_state *state, double t, const double *y);
/* work.q, work.v -> y. */
dal_flow dal_state_put(dal_state *state, double *y);
/* A start at (t, q, v): its momenta become the constants, speeds are chosen for it, and y is what the integrator sees of it. The rows
 * that are independent stay those of the start. */
dal_flow dal_state_adopt(dal_state *state, double t, const double *q, const double *v);
/* Fill in the signals that a program reads, then run it. 0, or the table that was left. */
int dal_state_run(dal_state *state, const dal_compiled *compiled, const int *modes, double *out);
/* Formulation `recursive`: nothing with the columns of bodies, as long as nobody asks for them. */
bool dal_skips_columns(const dal_system *system);
/* work.q was changed: positions have to be computed again. */
void dal_state_moved(dal_state *state);
void dal_state_position(dal_state *state); /* frames, phi */
void dal_state_jacobian(dal_state *state); /* A */
void dal_state_velocity(dal_state *state); /* rates, A v - beta, gamma */
dal_flow dal_state_loads(dal_state *state); /* M, h, Q */
void dal_state_stabilise(dal_state *state); /* gamma */
void dal_state_pull(dal_state *state); /* Q from the forces on bodies and coordinates */
dal_flow dal_state_accelerate(dal_state *state); /* all of it: v', lambda */
/* After derivative: frames, rows and forces, where v' was found without them. Everything that reads these begins with it. */
void dal_state_recall(dal_state *state);
/* After accelerate: J, A, M, h and Q, where the formulation did without them. */
void dal_state_complete(dal_state *state);

/* determined.c. Did the last evaluation stop at a singular matrix of the equations of motion? M, A, h and Q are known nevertheless. */
bool dal_state_singular(dal_state *state);
typedef struct dal_determined {
    int rank;        /* of [M; A]; -1: not finite, or too large to be asked */
    char names[400]; /* of the velocities, or bodies, whose accelerations are open */
    char text[800];  /* the verdict as a sentence; "" where it is not finite */
    int first, body; /* one of them */
} dal_determined;
enum { DAL_LARGEST_DETERMINED = 1500 }; /* velocities up to which that can be asked */
/* Is rank [M; A] = nv at the state that was evaluated? */
bool dal_state_determined(dal_arena *arena, const dal_state *state, dal_determined *out);
/* Before whoever uses the family's tangents and bends, or its work->jacobian. */
void dal_state_frames(dal_state *state);
void dal_state_columns(dal_state *state);
dal_flow dal_state_push(dal_state *state); /* forces on bodies and coordinates */
dal_flow dal_state_derivative(dal_state *state, double t, const double *y, double *dy);
double dal_state_power(dal_state *state); /* of non-potential forces and drives */
int dal_state_not_finite(const dal_state *state); /* a body whose place or kinetic energy is no number, -1: none; after velocity */
/* Of all bodies into state->acceleration, after accelerate. */
void dal_state_accelerations(dal_state *state);
/* Signals of motion and results, after accelerate. */
double dal_state_signal(dal_state *state, const dal_signal *signal);
dal_flow dal_state_record(dal_state *state, double *row); /* the recorded columns at the present evaluation */
/* 1 (recoverable) if an angle turns so far since the last accepted step that its whole turns cannot be told. */
dal_flow dal_state_turned(dal_state *state);
void dal_state_unwind(dal_state *state); /* an accepted step: the angles seen are the new references */
dal_flow dal_state_fail(dal_state *state, const char *format, ...) DAL_PRINTF(2, 3);

/* ---- scale.c ---------------------------------------------------------------------- */

/* The unit of each component of y, at the present choice of speeds: what absolute tolerances are multiples of. */
void dal_state_units(const dal_state *state, double *unit);
/* The largest of numbers that belong to the rows, in the units of these, and which row it is. */
double dal_worst_row(const dal_state *state, const double *rows, int *where);
/* What projections keep positions to, relative as dal_worst_row measures them: what the model gives, or what follows from rtol. */
double dal_projection_tolerance(const dal_system *system);
/* What a turn of a body is measured by, in metres. */
double dal_turn_lever(const dal_system *system, int body);
/* The largest velocity, in lengths and radians. */
double dal_fastest(const dal_system *system, const double *v);

/* What a row weighs on the bodies, before their columns are put in; the largest that it may be there, its coefficients and their slopes counted. */
double dal_row_weight(const dal_state *state, const dal_row *row);
double dal_row_reach(const dal_state *state, const dal_row *row);
/* What residuals of the rows are measured by, when A is known; of one row of a built-in joint, NAN: it is an equation of the model's own. */
void dal_row_units(const dal_state *state, double *unit);
double dal_row_unit(const dal_row *row, double length);
/* The model's time and the scales of its states, after the first evaluation. */
double dal_system_time(const dal_state *state);
void dal_state_scales(const dal_state *state, double *unit);

/* ---- directions.c ------------------------------------------------------------------ */

/* The size of a force along the line through two points, where they coincide: that of a spring with the length zero. 0 if it is next to
 * nothing. */
double dal_force_at_meeting(const dal_state *state, int force);
/* Does a force that is not zero act along the line through two points that coincide? After loads. *speed: with which they part. */
bool dal_force_undirected(const dal_state *state, int force, double *speed);

/* ---- momenta.c -------------------------------------------------------------------- */

/* dT/dv of the ignorable coordinates, from the bodies' velocities: after velocity. size (may be NULL): the sum of the bodies' shares. */
void dal_state_momenta(dal_state *state, double *momenta, double *size);
/* The same as rows: dT/dv = rows v + free, n_ignorable x nv and n_ignorable; after position. */
void dal_momentum_rows(dal_state *state, double *rows, double *free);
/* dT/dv of all velocities, and its rate for v' = 0; after velocity. */
void dal_momenta_rates(dal_state *state, double *p, double *pd);
/* Sum over bodies of (m c', I w).(D c', D w) for a bend D; with the tangents of its direction, D w as seen from the body: of the tangent
 * of (v, 1) it is then the derivative of T along that direction. */
double dal_momenta_along(const dal_state *state, const dal_bend *bends, const dal_tangent *turning);
/* ignorable.c: columns of v that are ignorable coordinates, ascending; returns their number. */
int dal_find_ignorable(dal_state *state, int *columns);
/* What the formulations that need some say where there are none. */
bool dal_ignorable_applies(const dal_system *system, const char *formulation, char *why, size_t size);

/* ---- names.c -------------------------------------------------------------------- */

/* "x of 'crank'", "A.angle", "th1": coordinate k of q. And of velocity k of v, with a prime or as a rate. */
void dal_coordinate_name(const dal_system *system, int k, char *buffer, size_t size);
void dal_velocity_name(const dal_system *system, int k, char *buffer, size_t size);

/* ---- dynamics/: shared by formulations and projections ------------------------ */

void dal_scaled_rows(const dal_state *state, double *A, double *scale);
/* Frames of the bodies and how they move, from the links at work.q, work.v (recursive.c). */
void dal_tree_motion(dal_state *state);
/* Factor and solve as below, on the links; without the scaling. */
double dal_tree_factor(dal_state *state);
void dal_tree_saddle(dal_state *state, double *f, double *b);
/* M v' + h = Q + A^T lambda, A v' = gamma on the null space of A, dense: near singular positions (null_space.c). */
dal_flow dal_null_space_solve(dal_state *state);
size_t dal_null_space_work(const dal_system *system);
/* The same by the saddle matrix, and on the null space where that is called for (lagrange.c). */
dal_flow dal_lagrange_solve(dal_state *state);
/* Choose independent rows at the present A, `most` at the most. */
void dal_state_rank(dal_state *state, int most);
/* Has this factorisation become so much worse since the last ranking that other rows should be taken? */
bool dal_state_alarm(dal_state *state, dal_factor kind, double ratio);
/* "; the rank of the constraints falls there from 8 to 7, of joint 'B' among others": at work.q, near a singular position. */
const char *dal_singular_text(dal_state *state, char *buffer, size_t size);
/* Pattern of the saddle matrix at compile. */
void dal_saddle_pattern(dal_arena *arena, dal_system *system);
typedef enum dal_metric { DAL_METRIC_UNIT, DAL_METRIC_MASS } dal_metric;
/* Factor [[G, A^T], [A, 0]] with G = M / mass or 1; dependent rows become identities. Returns the pivot ratio. */
double dal_saddle_factor(dal_state *state, dal_metric metric);
/* Factor [[M / mass, A^T], [A, -softness]] with all rows, dependent ones too, at unit norm when turns are measured by the model's length. */
double dal_saddle_soften(dal_state *state, double softness);
/* For the least change dv with A dv = b: in the metric of the masses, or, where these leave a motion open, of the coordinates. */
dal_flow dal_saddle_least(dal_state *state);
/* The same as dal_saddle_factor, with other rows where these have become dependent; a failure where none are left. */
dal_flow dal_saddle_ready(dal_state *state, dal_metric metric);
/* In place: (f, b) -> (x, mu) with G x + A^T mu = f, A x = b (softened: A x - softness mu = b); rows that depend get mu = 0. */
void dal_saddle_solve(dal_state *state, double *f, double *b);
/* The best set of automatic speeds at the present A (dynamics/speeds.c); nothing where the model fixes them. */
/* v' and lambda by the formulation, refined where inertias differ widely (dynamics/refine.c). */
dal_flow dal_state_solve(dal_state *state);
void dal_speeds_choose(dal_state *state);
/* Should they be chosen anew? Automatic ones that have become bad; a failure where the model's own do not determine the velocities. */
dal_flow dal_speeds_watch(dal_state *state, bool *change);
#define DAL_SPEEDS_WARN 1e3 /* condition of speeds fixed by the model that deserves a warning */
/* The memory of `basis`, in the list of state.c. */
void dal_speeds_lay(dal_block *block, const dal_system *system, struct dal_speeds **out);
size_t dal_redundancy_size(int r, int m, int joints); /* doubles */
/* component/network_build.c: NULL without memory. */
struct dal_network *dal_network_create(const dal_allocator *allocator, const dal_system *system);
void dal_network_free(struct dal_network *network);
/* Adds what a force along a measure does on the second body of a joint, at its point. */
void dal_add_measure(const dal_state *state, int joint, int measure, double effort, double wrench[6]);
/* Reactions of all joints into state->reaction. */
void dal_state_reactions(dal_state *state);
/* Of a joint of the model's own, after that: force and torque (component 0..5) on the body of its point `side`, at that point. */
double dal_side_reaction(const dal_state *state, int joint, int side, int component);

#endif
